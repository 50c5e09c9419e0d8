/* Potential savings of findings, by the replay of the steps (README.md, section 15.5). */
#include "analysis/findings/findings.h"
#include "analysis/schedule/what_if_terms.h"
#include "analysis/shared/lateness.h"
#include "analysis/shared/step_window.h"

struct jr_change *jr_check_change(struct jr_check *c)
{
	if (!c->change)
		c->change = JR_ARENA_NEW(c->ctx->arena, struct jr_change);
	return c->change;
}

static void change_ops(struct jr_check *c)
{
	size_t n = c->ctx->profile->n_ops;
	struct jr_op_change *ops = jr_op_changes_new(c->ctx->profile, c->ctx->arena);
	for (size_t i = 0; i < n; i++)
		ops[i].scale = 1 - fmin(fmax(c->claim_share[i], 0), 1);
	jr_check_change(c)->ops = ops;
}

static void change_between(struct jr_check *c)
{
	size_t n = c->ctx->profile->n_devices;
	int64_t *less_ns = JR_ARENA_N(c->ctx->arena, int64_t, n + 1);
	for (size_t d = 0; d < n; d++)
		less_ns[d] = llround(fmin(c->claim_ns[d], 0x1p53));
	jr_check_change(c)->between_less_ns = less_ns;
	c->change->less_programs = c->claim_programs;
}

static void change_copies(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_op_change *ops = jr_op_changes_new(p, c->ctx->arena);
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].communication && !jr_is_rendezvous(p, &p->ops[i]))
			ops[i].scale = 0;
	jr_check_change(c)->ops = ops;
}

/* Derive the change from the claim. A claim on an amount of time within a part of the step has no
 * change. */
static void follow_claim(struct jr_check *c)
{
	if (c->change || !c->claim_ns)
		return;
	if (c->claim_share)
		change_ops(c);
	else if (c->claim_part == JR_PART_IDLE_INSIDE)
		jr_check_change(c)->no_gaps = true;
	else if (c->claim_part == JR_PART_IDLE_BETWEEN || c->claim_part == JR_PART_BETWEEN)
		change_between(c);
	else if (c->claim_part == JR_PART_COPY && c->claims_part)
		change_copies(c);
}

/* Limit a time to the range from 0 to a step. */
static double within_step(double ns, double step_ns)
{
	return fmin(fmax(ns, 0), step_ns);
}

/* The replay predicts a mean over all steps. If the step of the report is the median one, its idle
 * time between modules is claimed in each step, of which some may have less of it. */
static double median_share(const struct jr_check *c)
{
	const struct jr_step_windows *w = c->ctx->windows;
	double claim_ns = 0, removed_ns = 0;
	if (!c->claim_ns || c->claim_share || c->claim_part != JR_PART_IDLE_BETWEEN || c->since ||
		c->ctx->typical == w)
		return jr_check_typical_share(c);
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		claim_ns += c->claim_ns[d] / (double)jr_check_devices(c);
	for (size_t i = 0; i < w->n_periods; i++)
		removed_ns += fmin(w->periods[i].idle_ns, claim_ns) / (double)w->n_periods;
	return removed_ns > 0 ? fmax(claim_ns / removed_ns, 1) : 1;
}

void jr_check_predict(struct jr_check *c)
{
	const struct jr_replay *r = c->ctx->replay;
	c->finding.step_least_ns = JR_NULL_I64;
	follow_claim(c);
	c->finding.change = c->change;
	if (!c->change || !r || !r->believed || !c->devices)
		return;
	double step_ns = c->wall_ns / c->n_steps, share = median_share(c);
	struct jr_prediction p = jr_replay_predict(r, c->change);
	c->finding.unpredicted = p.unknown;
	if (isnan(p.low_ns))
		return; /* it keeps its upper bound */
	jr_check_promise(c, within_step(share * (r->period_ns - p.low_ns), step_ns));
	c->finding.step_least_ns = llround(within_step(share * (r->period_ns - p.high_ns), step_ns));
	c->finding.predicted = true;
	double error_ns = jr_replay_error_ns(r);
	c->finding.error_ns = isnan(error_ns) ? 0 : llround(error_ns);
}

/* Steps before it have nothing to save, so all of the saving is in the others. If steps are uneven,
 * a step is the median one, which is one of the larger number; the replay's saving is a mean. */
void jr_check_since(struct jr_check *c)
{
	struct jr_finding *f = &c->finding;
	if (!c->since || f->step_recoverable_ns == JR_NULL_I64)
		return;
	size_t last = f->predicted && c->since->n_steps > 1; /* periods: one less than steps */
	double share =
		jr_ratio((double)(c->since->n_since - last), (double)(c->since->n_steps - last));
	bool of_median = c->ctx->typical != c->ctx->windows, mean = f->predicted || !of_median;
	double step_ns = jr_check_step_ns(c), more = mean && share > 0 ? 1 / share : 1;
	double each_ns = within_step((double)f->step_recoverable_ns * more, step_ns);
	f->since_ns = llround(each_ns);
	if (!of_median || !f->predicted)
		return;
	f->step_recoverable_ns = f->since_ns;
	f->step_without_ns = llround(step_ns) - f->since_ns;
	f->step_least_ns = llround(within_step((double)f->step_least_ns * more, step_ns));
}

void jr_check_predict_together(const struct jr_check *c)
{
	const struct jr_replay *replay = c->ctx->replay;
	struct jr_results *r = c->ctx->findings_to;
	r->together_least_ns = JR_NULL_I64;
	if (!replay || !replay->believed)
		return;
	struct jr_change all = {0};
	for (size_t i = 0; i < r->n_findings; i++)
		if (r->findings[i].change && !r->findings[i].part_of && r->findings[i].predicted)
			jr_change_merge(c->ctx->profile, r->findings[i].change, &all, c->ctx->scratch);
	struct jr_prediction p = jr_replay_predict(replay, &all);
	if (isnan(p.low_ns))
		return;
	double step_ns = c->wall_ns / c->n_steps;
	double most_ns = step_ns - fmin(jr_step_least_ns(r), step_ns);
	r->together_step_ns = llround(within_step(replay->period_ns - p.low_ns, most_ns));
	for (size_t i = 0; i < r->n_findings; i++) { /* of one that began at a step: since then */
		const struct jr_finding *f = &r->findings[i];
		if (f->since_ns && f->step_recoverable_ns > r->together_step_ns && !f->part_of)
			r->together_step_ns = llround(fmin((double)f->step_recoverable_ns, most_ns));
	}
	r->together_least_ns = llround(within_step(replay->period_ns - p.high_ns, most_ns));
	r->together_predicted = true;
}
