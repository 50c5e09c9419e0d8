#include "analysis/devices/devices_parts.h"

#include <math.h>

#include "analysis/schedule/launch_order.h"
#include "base/order.h"
#include "base/sort.h"

/* As for collectives that are compared with others: less than half the bandwidth. */
#define SLOWER 2.0

/* One step of an op: the slowest of its groups. */
struct op_step {
	uint32_t op, step;
	double ns;
};

static uint32_t step_of(const struct jr_pass_context *ctx, const struct jr_instance *in)
{
	const struct jr_profile *p = ctx->profile;
	return in->n ? ctx->windows->begins[jr_thunk_module(p, in->thunks[0])] : JR_NONE;
}

static bool counts(const struct jr_pass_context *ctx, const struct jr_instance *in)
{
	const struct jr_profile *p = ctx->profile;
	return ctx->steady->programs[p->ops[in->op].program].top &&
		   jr_is_rendezvous(p, &p->ops[in->op]) && step_of(ctx, in) != JR_NONE;
}

JR_ORDER(compare_steps, struct op_step, JR_UP(op) JR_UP(step) JR_DOWN(ns))

/* List the steps of all ops, by op, then by step. */
static struct op_step *list_steps(const struct jr_pass_context *ctx, size_t *n)
{
	const struct jr_instances *all = ctx->instances;
	struct op_step *steps = JR_ARENA_N(ctx->scratch, struct op_step, all->n + 1);
	size_t n_all = 0;
	for (size_t i = 0; i < all->n; i++)
		if (counts(ctx, &all->items[i]))
			steps[n_all++] = (struct op_step){
				all->items[i].op, step_of(ctx, &all->items[i]), (double)all->items[i].shortest_ns};
	jr_sort(steps, n_all, sizeof(*steps), compare_steps);
	*n = 0;
	for (size_t i = 0; i < n_all; i++)
		if (*n == 0 || steps[*n - 1].op != steps[i].op || steps[*n - 1].step != steps[i].step)
			steps[(*n)++] = steps[i];
	return steps;
}

/* Return the second shortest time: one step that was measured too short changes nothing. */
static double fast_ns(const struct op_step *steps, size_t n)
{
	double least = INFINITY, second = INFINITY;
	for (size_t i = 0; i < n; i++) {
		second = fmin(second, fmax(least, steps[i].ns));
		least = fmin(least, steps[i].ns);
	}
	return second;
}

/* Judge the n steps of one op. */
static struct jr_slower_since judge(
	const struct op_step *steps, size_t n, uint32_t *numbers, double *ns)
{
	struct jr_slower_since out = {0};
	struct jr_stats before = {0}, since = {0};
	for (size_t i = 0; i < n; i++) {
		numbers[i] = steps[i].step;
		ns[i] = steps[i].ns;
	}
	out.late = jr_late_judge(numbers, ns, n, true, SLOWER * fast_ns(steps, n));
	for (size_t i = 0; i < n && out.late.when == JR_LATE_SINCE; i++)
		jr_stats_add(numbers[i] < out.late.since ? &before : &since, ns[i]);
	out.before_ns = before.mean;
	out.since_ns = since.mean;
	return out;
}

/* Sum up what the transfers take beyond the time before. */
static void sum_excess(const struct jr_pass_context *ctx, struct jr_slower_since *ops)
{
	const struct jr_instances *all = ctx->instances;
	double *sum_ns = JR_ARENA_N(ctx->scratch, double, ctx->profile->n_ops + 1);
	for (size_t i = 0; i < all->n; i++) {
		const struct jr_instance *in = &all->items[i];
		struct jr_slower_since *op = &ops[in->op];
		if (op->late.when != JR_LATE_SINCE || !counts(ctx, in))
			continue;
		sum_ns[in->op] += (double)in->shortest_ns * in->n;
		if (step_of(ctx, in) >= op->late.since)
			op->saved_ns += fmax(0, (double)in->shortest_ns - op->before_ns) * in->n;
	}
	for (size_t i = 0; i < ctx->profile->n_ops; i++)
		ops[i].scale = sum_ns[i] > 0 ? 1 - ops[i].saved_ns / sum_ns[i] : 1;
}

const struct jr_slower_since *jr_collectives_since(const struct jr_pass_context *ctx)
{
	size_t n;
	const struct op_step *steps = list_steps(ctx, &n);
	uint32_t *numbers = JR_ARENA_N(ctx->scratch, uint32_t, n + 1);
	double *ns = JR_ARENA_N(ctx->scratch, double, n + 1);
	struct jr_slower_since *out =
		JR_ARENA_N(ctx->scratch, struct jr_slower_since, ctx->profile->n_ops + 1);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && steps[to].op == steps[from].op;)
			to++;
		out[steps[from].op] = judge(steps + from, to - from, numbers, ns);
	}
	sum_excess(ctx, out);
	return out;
}
