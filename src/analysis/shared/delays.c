#include "analysis/shared/delays.h"

#include <math.h>
#include <stdlib.h>

static void charge(
	const struct jr_profile *p, const struct jr_instance *in, struct jr_device_delay *devices)
{
	uint32_t last = in->last;
	if (last != JR_NONE)
		devices[last].last += !jr_instance_tied(p, in);
	for (uint32_t i = 0; i < in->n; i++) {
		uint32_t row = in->thunks[i];
		int64_t wait_ns = jr_thunk_dur_ns(p, row) - in->shortest_ns;
		devices[jr_thunk_device(p, row)].waited_ns += wait_ns;
		devices[jr_thunk_device(p, row)].instances++;
		if (last != JR_NONE && jr_thunk_device(p, row) != last)
			devices[last].caused_ns += wait_ns;
	}
}

/* Divide the sum of each device by its number of recorded executions. Otherwise a device with one
 * more recorded step would seem to compute longer. */
static void add_compute(
	const struct jr_profile *p, const struct jr_steady *steady, struct jr_device_delay *devices)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint32_t *place = JR_ARENA_N(&scratch, uint32_t, p->n_programs + 1);
	uint32_t *first = JR_ARENA_N(&scratch, uint32_t, p->n_devices + 1); /* place of its program */
	int64_t *n = JR_ARENA_N(&scratch, int64_t, p->n_devices + 1); /* its number of executions */
	for (size_t i = 0; i < steady->n_ranking; i++)
		place[steady->ranking[i]] = (uint32_t)i;
	for (size_t i = 0; i < p->modules.n; i++) {
		uint32_t device = p->modules.device[i], at = place[p->modules.program[i]];
		if (!p->modules.steady[i] || !steady->programs[p->modules.program[i]].top)
			continue;
		if (n[device] == 0 || at < first[device]) {
			first[device] = at;
			n[device] = 0;
		}
		n[device] += at == first[device];
	}
	for (size_t i = 0; i < p->thunks.n; i++)
		if (jr_steady_top_thunk(p, steady, i) && !jr_thunk_op(p, i)->communication)
			devices[jr_thunk_device(p, i)].compute_ns += (double)jr_thunk_dur_ns(p, i);
	for (size_t d = 0; d < p->n_devices; d++)
		devices[d].compute_ns = n[d] ? devices[d].compute_ns / (double)n[d] : NAN;
}

/* Below 0 if x costs or computes more than y. NaN means unknown and comes last. */
static int compare_delays(const struct jr_device_delay *x, const struct jr_device_delay *y)
{
	if (x->caused_ns != y->caused_ns)
		return x->caused_ns > y->caused_ns ? -1 : 1;
	if (isnan(x->compute_ns) || isnan(y->compute_ns))
		return (int)isnan(x->compute_ns) - (int)isnan(y->compute_ns);
	return (x->compute_ns < y->compute_ns) - (x->compute_ns > y->compute_ns);
}

static int compare_devices(const void *a, const void *b, void *arg)
{
	const struct jr_device_delay *devices = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int by_delay = compare_delays(&devices[x], &devices[y]);
	return by_delay ? by_delay : (x > y) - (x < y);
}

const struct jr_delays *jr_delays_compute(const struct jr_profile *profile,
	const struct jr_steady *steady, const struct jr_instances *instances, struct jr_arena *arena)
{
	struct jr_delays *delays = JR_ARENA_NEW(arena, struct jr_delays);
	size_t n = profile->n_devices;
	delays->partial = profile->selected.n_elsewhere > 0;
	delays->devices = JR_ARENA_N(arena, struct jr_device_delay, n + 1);
	delays->order = JR_ARENA_N(arena, uint32_t, n + 1);
	for (size_t i = 0; i < instances->n; i++)
		if (instances->items[i].together)
			charge(profile, &instances->items[i], delays->devices);
	add_compute(profile, steady, delays->devices);
	for (uint32_t d = 0; d < n; d++)
		delays->order[d] = d;
	if (n)
		qsort_r(delays->order, n, sizeof(*delays->order), compare_devices, delays->devices);
	return delays;
}

enum jr_delay_reason jr_delay_reason(const struct jr_delays *delays, uint32_t device, uint32_t next)
{
	const struct jr_device_delay *x = &delays->devices[device], *y = &delays->devices[next];
	if (compare_delays(x, y) == 0 || delays->partial)
		return JR_DELAY_NONE;
	return x->caused_ns != y->caused_ns ? JR_DELAY_CAUSED : JR_DELAY_COMPUTE;
}
