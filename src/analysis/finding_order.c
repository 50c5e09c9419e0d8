/* In which order findings stand, and how a pass adds one. */
#include "analysis/pass.h"

#include <string.h>

#include "analysis/gpu_time.h"

/* True of what puts all other figures in doubt. */
static bool doubts(const struct jr_finding *f)
{
	return f->cause == JR_CAUSE_MEASUREMENT && f->severity == JR_WARNING;
}

bool jr_finding_before(const struct jr_finding *a, const struct jr_finding *b)
{
	if (doubts(a) != doubts(b))
		return doubts(a);
	if (a->recoverable_ns != b->recoverable_ns)
		return a->recoverable_ns > b->recoverable_ns;
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
