/* Order of findings, and how a pass adds one. */
#include "analysis/core/pass.h"

#include <string.h>

#define LEAST_FRAC 0.01 /* of a step */

/* Return true if the finding puts all other numbers in doubt. */
static bool doubts(const struct jr_finding *f)
{
	return f->cause == JR_CAUSE_MEASUREMENT && f->severity == JR_WARNING;
}

/* Return the potential saving at the rate that it has at the end of the profile. */
static double rank_ns(const struct jr_finding *f)
{
	if (f->recoverable_ns == JR_NULL_I64)
		return -1;
	double now = f->since_ns > f->step_recoverable_ns && f->step_recoverable_ns > 0
					 ? (double)f->since_ns / (double)f->step_recoverable_ns
					 : 1;
	return (double)f->recoverable_ns * now;
}

bool jr_finding_before(const struct jr_finding *a, const struct jr_finding *b)
{
	if (doubts(a) != doubts(b))
		return doubts(a);
	if (!a->part_of != !b->part_of) /* parts follow the findings that cover them */
		return !a->part_of;
	if (rank_ns(a) != rank_ns(b))
		return rank_ns(a) > rank_ns(b);
	if (a->severity != b->severity)
		return a->severity > b->severity;
	return strcmp(a->id, b->id) < 0;
}

void jr_pass_finding(struct jr_pass_context *ctx, const struct jr_finding *finding)
{
	struct jr_results *r = ctx->findings_to;
	if (r->n_findings == r->findings_capacity) {
		size_t capacity = r->findings_capacity ? r->findings_capacity * 2 : 16;
		struct jr_finding *grown = JR_ARENA_N(ctx->arena, struct jr_finding, capacity);
		if (r->n_findings)
			memcpy(grown, r->findings, r->n_findings * sizeof(*grown));
		r->findings = grown;
		r->findings_capacity = capacity;
	}
	r->findings[r->n_findings++] = *finding;
}

const struct jr_finding *jr_first_finding(const struct jr_results *r)
{
	const struct jr_finding *first = NULL;
	for (size_t i = 0; i < r->n_findings; i++)
		if (jr_finding_leads(&r->findings[i]) &&
			(!first || jr_finding_before(&r->findings[i], first)))
			first = &r->findings[i];
	return first;
}

bool jr_finding_leads(const struct jr_finding *f)
{
	if (f->cause == JR_CAUSE_MEASUREMENT || f->part_of || !jr_finding_saves(f))
		return false;
	if (f->step_recoverable_ns == JR_NULL_I64)
		return f->severity == JR_WARNING || f->recoverable_ns != JR_NULL_I64 ||
			   f->cause == JR_CAUSE_MEMORY;
	double all = (double)f->step_recoverable_ns + (double)f->step_without_ns;
	return (double)f->step_recoverable_ns >= LEAST_FRAC * all;
}

bool jr_finding_has_range(const struct jr_finding *f)
{
	return f->step_least_ns != JR_NULL_I64 && f->step_least_ns < f->step_recoverable_ns &&
		   f->step_least_ns >= f->step_recoverable_ns / 100;
}

bool jr_finding_saves(const struct jr_finding *f)
{
	int64_t ns = f->step_recoverable_ns != JR_NULL_I64 ? f->step_recoverable_ns : f->recoverable_ns;
	return ns == JR_NULL_I64 || ns > f->error_ns;
}
