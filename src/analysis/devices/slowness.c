#include "analysis/devices/slowness.h"

#include <math.h>

#include "analysis/shared/columns.h"

/* A device compared to all others together, without other late ones; the sums are whole numbers. */
struct two_sides {
	double own, others;
};

/* Count the steady executions of each program. */
static struct two_sides *count_executions(
	struct jr_pass_context *ctx, const struct jr_late_set *set)
{
	const struct jr_modules *m = &ctx->profile->modules;
	struct two_sides *counts =
		JR_ARENA_N(ctx->scratch, struct two_sides, ctx->profile->n_programs + 1);
	for (size_t i = 0; i < m->n; i++) {
		if (!m->steady[i])
			continue;
		counts[m->program[i]].own += m->device[i] == set->worst;
		counts[m->program[i]].others += !set->member[m->device[i]];
	}
	return counts;
}

/* Add up the time in each compute op of the top modules. */
static struct two_sides *sum_compute(struct jr_pass_context *ctx, const struct jr_late_set *set)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	struct two_sides *sums = JR_ARENA_N(ctx->scratch, struct two_sides, p->n_ops + 1);
	for (size_t i = 0; i < t->n; i++) {
		if (!jr_steady_top_thunk(p, ctx->steady, i) || jr_thunk_op(p, i)->communication)
			continue;
		if (jr_thunk_device(p, i) == set->worst)
			sums[t->op[i]].own += (double)jr_thunk_dur_ns(p, i);
		else if (!set->member[jr_thunk_device(p, i)])
			sums[t->op[i]].others += (double)jr_thunk_dur_ns(p, i);
	}
	return sums;
}

/* Compare the parts of a step other than compute. */
static void compare_parts(struct jr_pass_context *ctx, const struct jr_slowness_parts *times,
	const struct jr_late_set *set, struct jr_slowness *s)
{
	double inside_ns = 0, between_ns = 0, transfer_ns = 0, n = 0;
	for (size_t d = 0; d < ctx->profile->n_devices; d++) {
		if (set->member[d] || times[d].wall_ns <= 0)
			continue;
		inside_ns += times[d].inside_ns;
		between_ns += times[d].between_ns;
		transfer_ns += times[d].transfer_ns;
		n++;
	}
	const struct jr_slowness_parts *own = &times[set->worst];
	s->inside_ns = own->inside_ns - jr_ratio(inside_ns, n);
	s->between_ns = own->between_ns - jr_ratio(between_ns, n);
	s->transfer_ns = own->transfer_ns - jr_ratio(transfer_ns, n);
}

struct jr_slowness jr_slowness_find(struct jr_pass_context *ctx,
	const struct jr_slowness_parts *times, uint32_t step, const struct jr_late_set *set)
{
	const struct jr_profile *p = ctx->profile;
	const struct two_sides *counts = count_executions(ctx, set), *sums = sum_compute(ctx, set);
	struct jr_slowness s = {.op = JR_NONE};
	double others_ns = 0, slow_ns = 0, steps = counts[step].own;
	compare_parts(ctx, times, set, &s);
	if (!(steps > 0))
		return s;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct two_sides *count = &counts[p->ops[i].program];
		if (!(count->others > 0) || !(sums[i].others + sums[i].own > 0))
			continue;
		double others = sums[i].others * count->own / count->others;
		double more_ns = sums[i].own - others;
		others_ns += others;
		s.compute_ns += more_ns / steps;
		s.n_ops++;
		if (more_ns / steps > s.op_ns) {
			s.op = i;
			s.op_ns = more_ns / steps;
			s.op_alone = !(sums[i].others > 0);
		}
	}
	s.frac = jr_ratio(s.compute_ns * steps, others_ns);
	s.op_share = jr_ratio(s.op_ns, s.compute_ns);
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct two_sides *count = &counts[p->ops[i].program];
		if (!(count->others > 0) || !(sums[i].others + sums[i].own > 0))
			continue;
		double others = sums[i].others * count->own / count->others;
		if (sums[i].own < others * (1 + s.frac / 2))
			continue;
		s.n_slow++;
		slow_ns += others;
	}
	s.slow_share = jr_ratio(slow_ns, others_ns);
	return s;
}

/* Return the part of a step that makes the latest device late: the one with the largest excess. */
enum jr_slowness_reason jr_slowness_reason(const struct jr_slowness *s)
{
	double most_ns = fmax(fmax(s->compute_ns, s->transfer_ns), fmax(s->inside_ns, s->between_ns));
	if (most_ns <= 0)
		return JR_SLOW_BY_ORDER;
	return s->compute_ns >= most_ns   ? JR_SLOW_BY_COMPUTE
		   : s->between_ns >= most_ns ? JR_SLOW_BY_HOST
		   : s->inside_ns >= most_ns  ? JR_SLOW_BY_LAUNCHES
									  : JR_SLOW_BY_TRANSFERS;
}
