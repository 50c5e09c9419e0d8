#include "analysis/devices/devices_parts.h"

#include "analysis/core/device_name.h"
#include "analysis/shared/columns.h"
#include "analysis/schedule/launch_order.h"
#include "base/order.h"
#include "base/sort.h"

#define SLOWER 2.0 /* as for collectives that are compared with others */

/* The transfers of one group in one step, and those of the median group. */
struct part {
	uint32_t op, step, group;
	double ns, usual_ns;
	double device_ns; /* ns times devices */
};

static uint32_t step_of(const struct jr_pass_context *ctx, const struct jr_instance *in)
{
	return in->n ? ctx->windows->begins[jr_thunk_module(ctx->profile, in->thunks[0])] : JR_NONE;
}

static bool counts(const struct jr_pass_context *ctx, const struct jr_instance *in)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_op *op = &p->ops[in->op];
	return op->device_group && in->group != JR_NONE && in->together &&
		   ctx->steady->programs[op->program].top && jr_is_rendezvous(p, op) &&
		   step_of(ctx, in) != JR_NONE;
}

JR_ORDER(compare_steps, struct part, JR_UP(op) JR_UP(step) JR_UP(group))
JR_ORDER(compare_ns, struct part, JR_UP(op) JR_UP(step) JR_UP(ns) JR_UP(group))
JR_ORDER(compare_groups, struct part, JR_UP(op) JR_UP(group) JR_UP(step))

/* List the steps of all groups. */
static struct part *list_parts(const struct jr_pass_context *ctx, size_t *n)
{
	const struct jr_instances *all = ctx->instances;
	struct part *parts = JR_ARENA_N(ctx->scratch, struct part, all->n + 1);
	size_t n_all = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct jr_instance *in = &all->items[i];
		if (counts(ctx, in))
			parts[n_all++] = (struct part){in->op, step_of(ctx, in), in->group,
				(double)in->shortest_ns, 0, (double)in->shortest_ns * in->n};
	}
	jr_sort(parts, n_all, sizeof(*parts), compare_steps);
	*n = 0;
	for (size_t i = 0; i < n_all; i++) {
		struct part *last = *n ? &parts[*n - 1] : NULL;
		if (!last || compare_steps(last, &parts[i]) != 0) {
			parts[(*n)++] = parts[i];
			continue;
		}
		last->ns += parts[i].ns; /* of a loop */
		last->device_ns += parts[i].device_ns;
	}
	return parts;
}

static void find_usual(struct part *parts, size_t n)
{
	jr_sort(parts, n, sizeof(*parts), compare_ns);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from;
			 to < n && parts[to].op == parts[from].op && parts[to].step == parts[from].step;)
			to++;
		for (size_t i = from; i < to; i++)
			parts[i].usual_ns = parts[from + (to - from - 1) / 2].ns;
	}
}

/* Judge the n steps of one group. */
static struct jr_slower_group judge(
	const struct part *parts, size_t n, uint32_t *numbers, double *ratios)
{
	struct jr_slower_group out = {.group = parts->group};
	struct jr_stats own = {0}, usual = {0};
	double sum_ns = 0;
	for (size_t i = 0; i < n; i++) {
		numbers[i] = parts[i].step;
		ratios[i] = jr_ratio(parts[i].ns, parts[i].usual_ns);
		sum_ns += parts[i].device_ns;
	}
	out.late = jr_late_judge(numbers, ratios, n, true, SLOWER);
	for (size_t i = 0; i < n; i++) {
		if (!(ratios[i] > SLOWER))
			continue;
		jr_stats_add(&own, parts[i].ns);
		jr_stats_add(&usual, parts[i].usual_ns);
		out.saved_ns += parts[i].device_ns * (1 - 1 / ratios[i]);
	}
	out.own_ns = own.mean;
	out.usual_ns = usual.mean;
	out.scale = sum_ns > 0 ? 1 - out.saved_ns / sum_ns : 1;
	if (out.late.when == JR_LATE_SOMETIMES || n < 2)
		out.late.when = JR_LATE_NEVER;
	return out;
}

const struct jr_slower_group *jr_collectives_by_group(const struct jr_pass_context *ctx)
{
	size_t n;
	struct part *parts = list_parts(ctx, &n);
	uint32_t *numbers = JR_ARENA_N(ctx->scratch, uint32_t, n + 1);
	double *ratios = JR_ARENA_N(ctx->scratch, double, n + 1);
	struct jr_slower_group *out =
		JR_ARENA_N(ctx->scratch, struct jr_slower_group, ctx->profile->n_ops + 1);
	find_usual(parts, n);
	jr_sort(parts, n, sizeof(*parts), compare_groups);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from;
			 to < n && parts[to].op == parts[from].op && parts[to].group == parts[from].group;)
			to++;
		struct jr_slower_group own = judge(parts + from, to - from, numbers, ratios);
		struct jr_slower_group *most = &out[parts[from].op];
		if (own.late.when != JR_LATE_NEVER &&
			(most->late.when == JR_LATE_NEVER || own.saved_ns > most->saved_ns))
			*most = own;
	}
	return out;
}

struct jr_late_set jr_slower_group_devices(
	struct jr_pass_context *ctx, uint32_t op, const struct jr_slower_group *group)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_late_set set = {.member = JR_ARENA_N(ctx->arena, uint8_t, p->n_devices + 1),
		.devices = JR_ARENA_N(ctx->arena, uint32_t, p->n_devices + 1),
		.host = JR_NONE,
		.late = group->late};
	for (uint32_t d = 0; d < p->n_devices; d++) {
		if (p->ops[op].device_group[d] != group->group || !ctx->delays->devices[d].instances)
			continue;
		uint32_t host = jr_device_host(p, d);
		set.host = set.n == 0 || set.host == host ? host : JR_NONE;
		set.member[d] = 1;
		set.devices[set.n++] = d;
	}
	set.worst = set.n ? set.devices[0] : 0;
	return set;
}
