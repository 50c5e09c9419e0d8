/* Decide whether the replay is believed. Each step is replayed with its own durations and the gaps
 * of all other steps, because with its own gaps any graph gives the right result. */
#include "analysis/schedule/replay_parts.h"
#include "base/order.h"
#include "base/sort.h"
#include "analysis/core/terms.h"

#include <math.h>

#define MOST_MISFITS 5

JR_ORDER_OF_VALUES(compare_ns, int64_t)

/* Return the median of the sorted values[n] without the first one that equals `own`. */
static int64_t median_without(const int64_t *values, size_t n, int64_t own)
{
	size_t skip = 0;
	while (skip + 1 < n && values[skip] != own)
		skip++;
	size_t low = (n - 2) / 2, high = (n - 1) / 2;
	low += low >= skip;
	high += high >= skip;
	return values[low] / 2 + values[high] / 2 + (values[low] % 2 + values[high] % 2) / 2;
}

/* Set others_ns[n_steps][n] to the median of own_ns[n_steps][n] over all other steps in which it
 * ran. rows[n_steps][n] is JR_NONE if it did not run; NULL: it always ran. O(n n_steps log) */
static void of_others(
	const int64_t *own_ns, const uint32_t *rows, size_t n_steps, size_t n, int64_t *others_ns)
{
	int64_t sorted[JR_REPLAY_STEPS];
	for (size_t i = 0; i < n; i++) {
		size_t n_ran = 0;
		for (size_t k = 0; k < n_steps; k++)
			if (!rows || rows[k * n + i] != JR_NONE)
				sorted[n_ran++] = own_ns[k * n + i];
		jr_sort(sorted, n_ran, sizeof(*sorted), compare_ns);
		for (size_t k = 0; k < n_steps; k++)
			if (!rows || rows[k * n + i] != JR_NONE)
				others_ns[k * n + i] =
					n_ran > 1 ? median_without(sorted, n_ran, own_ns[k * n + i]) : 0;
	}
}

/* Find the thunks whose start differs most when they take the gaps of other steps, over all steps
 * and devices. */
static void find_misfits(
	struct jr_replay *r, const int64_t *others_ns, struct jr_arena *arena, struct jr_arena *scratch)
{
	double *sum_ns = JR_ARENA_N(scratch, double, r->profile->n_ops + 1);
	struct jr_replay_misfit *worst = JR_ARENA_N(arena, struct jr_replay_misfit, MOST_MISFITS + 1);
	for (size_t k = 0; k < r->n_steps; k++)
		for (size_t i = 0; i < r->order.n; i++)
			for (size_t d = 0; d < r->n_devices; d++) {
				size_t cell = jr_replay_cell(r, k, i, d);
				if (r->rows[cell] != JR_NONE)
					sum_ns[r->order.items[i].op] +=
						fabs((double)others_ns[cell] - (double)r->gap_ns[cell]);
			}
	for (uint32_t op = 0; op < r->profile->n_ops; op++) {
		struct jr_replay_misfit m = {op, sum_ns[op] / (double)(r->n_steps * r->n_devices)};
		size_t at = r->n_misfits;
		for (; at && worst[at - 1].ns < m.ns; at--)
			worst[at] = worst[at - 1];
		worst[at] = m;
		r->n_misfits += m.ns > 0 && r->n_misfits < MOST_MISFITS;
	}
	r->misfits = worst;
}

struct errors {
	double sum, worst;
	size_t n;
};

/* Add up the errors of the ends of its modules, as shares of the time within them. */
static void compare_step(const struct jr_replay_run *run, size_t step, struct errors *errors)
{
	const struct jr_replay *r = run->r;
	for (size_t d = 0; d < r->n_devices; d++) {
		double length_ns = 0, off_ns = 0;
		for (size_t s = 0; s < r->n_segments; s++) {
			const struct jr_replay_part *part = jr_replay_part_of(r, step, s, d);
			if (part->module == JR_NONE)
				continue;
			length_ns += (double)(part->end_ns - part->begin_ns);
			off_ns += fabs((double)run->part_end_ns[s * r->n_devices + d] - (double)part->end_ns);
		}
		double error = length_ns > 0 ? off_ns / length_ns : 0;
		errors->sum += error;
		errors->worst = fmax(errors->worst, error);
		errors->n++;
	}
}

void jr_replay_check(struct jr_replay *r, struct jr_arena *arena)
{
	if (r->n_steps < 2) {
		r->doubt = "Only one steady step was " JR_PROFILED ", so a replay cannot be checked.";
		return;
	}
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	size_t n = r->order.n * r->n_devices, n_late = r->n_rendezvous * r->n_devices;
	int64_t *gaps = JR_ARENA_N(&scratch, int64_t, r->n_steps * n + 1);
	int64_t *lates = JR_ARENA_N(&scratch, int64_t, r->n_steps * n_late + 1);
	int64_t *at_ns = JR_ARENA_N(&scratch, int64_t, r->n_devices + 1);
	struct jr_replay_run *run = jr_replay_run_new(r, NULL, false, &scratch);
	run->as_begun = true;
	struct errors errors = {0};
	of_others(r->gap_ns, r->rows, r->n_steps, n, gaps);
	of_others(r->late_ns, NULL, r->n_steps, n_late, lates);
	for (size_t step = 0; step < r->n_steps; step++) {
		jr_replay_step(run, step, at_ns, &gaps[step * n], &lates[step * n_late]);
		compare_step(run, step, &errors);
	}
	r->error_mean = errors.sum / (double)errors.n;
	r->error_worst = errors.worst;
	r->believed = r->error_mean <= JR_REPLAY_MEAN_ERROR && r->error_worst <= JR_REPLAY_WORST_ERROR;
	if (!r->believed) {
		find_misfits(r, gaps, arena, &scratch);
		r->doubt = "Steps replayed with the gaps of the other steps do not reproduce their "
				   "measured times closely enough.";
	}
	jr_arena_done(&scratch);
}

double jr_replay_error_ns(const struct jr_replay *r)
{
	double sum_ns = 0;
	for (size_t i = 0; i < jr_replay_n_parts(r); i++)
		sum_ns += (double)(r->parts[i].end_ns - r->parts[i].begin_ns);
	return r->error_mean * sum_ns / (double)(r->n_steps * r->n_devices);
}
