#include "analysis/devices/waiting.h"

#include <math.h>

#include "analysis/shared/instances.h"
#include "analysis/shared/steady.h"

/* Return the exposed waiting in a thunk. */
static double open_ns_of(const struct jr_pass_context *ctx, uint32_t row)
{
	return fmin((double)jr_thunk_wait_ns(ctx->profile, ctx->instances, row),
		(double)jr_thunk_active_ns(ctx->profile, row));
}

static double open_wait_ns(const struct jr_pass_context *ctx, const struct jr_instance *in)
{
	double sum_ns = 0;
	for (uint32_t k = 0; k < in->n; k++)
		sum_ns += open_ns_of(ctx, in->thunks[k]);
	return sum_ns;
}

/* Sort joint instances of top modules by their last device: those of device d are first[d] ..
 * first[d + 1]. `others_ns`: exposed waiting for devices that are not selected. */
static uint32_t *instances_by_last(
	const struct jr_pass_context *ctx, uint32_t *first, double *others_ns)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_instances *all = ctx->instances;
	uint32_t *last = JR_ARENA_N(ctx->scratch, uint32_t, all->n + 1);
	for (size_t i = 0; i < all->n; i++) {
		const struct jr_instance *in = &all->items[i];
		bool judged = in->together && ctx->steady->programs[p->ops[in->op].program].top;
		last[i] = judged ? in->last : JR_NONE;
		if (judged && last[i] == JR_NONE)
			*others_ns += open_wait_ns(ctx, in);
		if (last[i] != JR_NONE)
			first[last[i] + 2]++;
	}
	for (size_t d = 2; d < p->n_devices + 2; d++)
		first[d] += first[d - 1];
	uint32_t *rows = JR_ARENA_N(ctx->scratch, uint32_t, first[p->n_devices + 1] + 1);
	for (uint32_t i = 0; i < all->n; i++)
		if (last[i] != JR_NONE)
			rows[first[last[i] + 1]++] = i;
	return rows;
}

/* Return how much later the last device began than the second-last one. */
static double lead_of_last(const struct jr_profile *p, const struct jr_instance *in, uint32_t last)
{
	double at = 0, before = -INFINITY;
	for (uint32_t k = 0; k < in->n; k++) {
		double start = jr_aligned_start_ns(p, in->thunks[k]);
		if (jr_thunk_device(p, in->thunks[k]) == last)
			at = start;
		else
			before = fmax(before, start);
	}
	return at - before;
}

struct jr_waiting jr_waiting_measure(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	size_t n = p->n_devices;
	struct jr_waiting w = {.for_ns = JR_ARENA_N(ctx->scratch, double, n + 1),
		.alone_ns = JR_ARENA_N(ctx->scratch, double, n + 1),
		.waiters = JR_ARENA_N(ctx->scratch, double, n + 1)};
	uint32_t *first = JR_ARENA_N(ctx->scratch, uint32_t, n + 3);
	uint32_t *seen_for = JR_ARENA_N(ctx->scratch, uint32_t, n + 1);
	const uint32_t *rows = instances_by_last(ctx, first, &w.others_ns);
	w.sum_ns = w.others_ns;
	for (uint32_t d = 0; d < n; d++) {
		for (uint32_t i = first[d]; i < first[d + 1]; i++) {
			const struct jr_instance *in = &ctx->instances->items[rows[i]];
			double lead_ns = lead_of_last(p, in, d);
			for (uint32_t k = 0; k < in->n; k++) {
				uint32_t row = in->thunks[k];
				if (jr_thunk_device(p, row) == d)
					continue;
				double open_ns = open_ns_of(ctx, row);
				w.for_ns[d] += open_ns;
				w.alone_ns[d] += fmin(open_ns, lead_ns);
				w.waiters[d] += seen_for[jr_thunk_device(p, row)] != d + 1;
				seen_for[jr_thunk_device(p, row)] = d + 1;
			}
		}
		w.sum_ns += w.for_ns[d];
	}
	return w;
}
