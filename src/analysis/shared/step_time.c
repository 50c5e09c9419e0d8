#include "analysis/shared/step_time.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"

/* --- samples ---------------------------------------------------------------------------------- */

/* By program and execution, slowest first. */
JR_ORDER(compare_samples, struct jr_step_sample,
	JR_UP(program) JR_UP(program_execution) JR_DOWN(dur_ns) JR_UP(module))

static void take_samples(
	const struct jr_profile *p, struct jr_step_times *t, struct jr_arena *arena)
{
	const struct jr_modules *m = &p->modules;
	t->samples = JR_ARENA_N(arena, struct jr_step_sample, m->n + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < m->n; i++)
		if (m->steady[i])
			t->samples[n++] =
				(struct jr_step_sample){m->program[i], m->program_execution[i], i, m->dur_ns[i], 0};
	jr_sort(t->samples, n, sizeof(*t->samples), compare_samples);
	for (size_t i = 0, end; i < n; i = end) {
		struct jr_step_sample s = t->samples[i];
		double sum_ns = 0;
		for (end = i; end < n && t->samples[end].program == s.program &&
					  t->samples[end].program_execution == s.program_execution;
			 end++)
			sum_ns += (double)t->samples[end].dur_ns;
		s.mean_ns = sum_ns / (double)(end - i);
		t->samples[t->n_samples++] = s;
	}
}

JR_ORDER_OF_VALUES(compare_ns, int64_t)

/* Durations are not negative, so half of a sum rounds down. */
static int64_t median_of(const struct jr_step_sample *samples, size_t n, int64_t *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = samples[i].dur_ns;
	jr_sort(scratch, n, sizeof(*scratch), compare_ns);
	int64_t low = scratch[(n - 1) / 2], high = scratch[n / 2];
	return low + (high - low) / 2;
}

static void sum_programs(const struct jr_profile *p, struct jr_step_times *t,
	struct jr_arena *arena, struct jr_arena *scratch)
{
	t->programs = JR_ARENA_N(arena, struct jr_program_steps, p->n_programs + 1);
	int64_t *values = JR_ARENA_N(scratch, int64_t, t->n_samples + 1);
	for (size_t k = 0; k < p->n_programs; k++)
		t->programs[k].mean_ns = t->programs[k].std_ns = NAN;
	for (size_t i = 0, end; i < t->n_samples; i = end) {
		struct jr_program_steps *steps = &t->programs[t->samples[i].program];
		struct jr_stats mean = {0};
		for (end = i; end < t->n_samples && t->samples[end].program == t->samples[i].program;
			 end++) {
			steps->sum_ns += t->samples[end].dur_ns;
			jr_stats_add(&mean, t->samples[end].mean_ns);
		}
		steps->mean_ns = jr_stats_mean(&mean);
		steps->std_ns = jr_stats_std(&mean);
		steps->first = i;
		steps->n = end - i;
		steps->median_ns = median_of(&t->samples[i], steps->n, values);
	}
}

double jr_step_mean_error_ns(const struct jr_program_steps *steps)
{
	return steps->std_ns / sqrt((double)steps->n);
}

/* --- owner of each nanosecond ----------------------------------------------------------------- */

enum { COMPUTE, COLLECTIVE, COPY, N_CLASSES };

struct interval {
	int64_t begin_ns, end_ns;
	uint32_t op;
};

/* Thunks of one sample by class, each in order of start. */
struct sweep {
	struct interval *items[N_CLASSES]; /* room for all thunks of the largest module */
	size_t n[N_CLASSES];
	int64_t *bounds; /* all begins and ends */
	size_t n_bounds;
	uint8_t *class; /* [n_ops] */
	int64_t *op_ns; /* [n_ops] of this sample */
	uint32_t *touched;
	size_t n_touched;
};

static int class_of(const struct jr_profile *p, const struct jr_op *op)
{
	if (!op->communication)
		return COMPUTE;
	const char *kind = jr_str(p, op->collective);
	bool copy = strcmp(kind, "host-to-device") == 0 || strcmp(kind, "device-to-host") == 0;
	return copy ? COPY : COLLECTIVE;
}

static void collect(
	struct sweep *s, const struct jr_profile *p, uint32_t module, size_t from, size_t to)
{
	const struct jr_thunks *t = &p->thunks;
	int64_t low = p->modules.start_ns[module], high = low + p->modules.dur_ns[module];
	memset(s->n, 0, sizeof(s->n));
	s->n_bounds = s->n_touched = 0;
	for (size_t i = from; i < to; i++) {
		int64_t begin = jr_thunk_start_ns(p, i) > low ? jr_thunk_start_ns(p, i) : low;
		int64_t end = jr_thunk_end_ns(p, i) < high ? jr_thunk_end_ns(p, i) : high;
		if (end <= begin)
			continue;
		int class = s->class[t->op[i]];
		s->items[class][s->n[class]++] = (struct interval){begin, end, t->op[i]};
		s->bounds[s->n_bounds++] = begin;
		s->bounds[s->n_bounds++] = end;
	}
	jr_sort(s->bounds, s->n_bounds, sizeof(*s->bounds), compare_ns);
}

static void give(struct sweep *s, uint32_t op, int64_t ns)
{
	if (s->op_ns[op] == 0)
		s->touched[s->n_touched++] = op;
	s->op_ns[op] += ns;
}

/* Assign each interval between two bounds, in which the same thunks run, to the first class that
 * has one. Return the assigned time. */
static int64_t share_out(struct sweep *s)
{
	size_t head[N_CLASSES] = {0};
	int64_t given_ns = 0;
	for (size_t b = 0; b + 1 < s->n_bounds; b++) {
		int64_t at = s->bounds[b], ns = s->bounds[b + 1] - at;
		for (int class = 0; class < N_CLASSES && ns > 0; class ++) {
			const struct interval *items = s->items[class];
			while (head[class] < s->n[class] && items[head[class]].end_ns <= at)
				head[class]++;
			if (head[class] == s->n[class] || items[head[class]].begin_ns > at)
				continue;
			give(s, items[head[class]].op, ns);
			given_ns += ns;
			break;
		}
	}
	return given_ns;
}

/* --- all samples ------------------------------------------------------------------------------ */

/* Return the thunk rows of module row i: [first[i], first[i + 1]); the table is sorted by
 * module. */
static size_t *thunks_of_modules(const struct jr_profile *p, struct jr_arena *scratch, size_t *most)
{
	size_t *first = JR_ARENA_N(scratch, size_t, p->modules.n + 2);
	*most = 0;
	for (size_t i = 0; i < p->modules.n; i++) {
		size_t n = p->modules.n_thunks[i];
		*most = n > *most ? n : *most;
		first[i + 1] = first[i] + n;
	}
	return first;
}

static struct sweep new_sweep(const struct jr_profile *p, size_t most, struct jr_arena *scratch)
{
	struct sweep s = {.bounds = JR_ARENA_N(scratch, int64_t, 2 * most + 1),
		.class = JR_ARENA_N(scratch, uint8_t, p->n_ops + 1),
		.op_ns = JR_ARENA_N(scratch, int64_t, p->n_ops + 1),
		.touched = JR_ARENA_N(scratch, uint32_t, p->n_ops + 1)};
	for (size_t i = 0; i < p->n_ops; i++)
		s.class[i] = (uint8_t)class_of(p, &p->ops[i]);
	for (int class = 0; class < N_CLASSES; class ++)
		s.items[class] = JR_ARENA_N(scratch, struct interval, most + 1);
	return s;
}

/* Compute moments over all samples: those in which the op ran, and those in which it took 0. */
static void finish_ops(
	const struct jr_profile *p, struct jr_step_times *t, const struct jr_stats *seen)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		double n = (double)t->programs[p->ops[i].program].n, n_seen = (double)seen[i].n;
		struct jr_op_steps *op = &t->ops[i];
		op->std_ns = NAN;
		if (n < 1)
			continue;
		op->mean_ns = (double)op->sum_ns / n;
		double m2 = seen[i].m2 + seen[i].mean * seen[i].mean * n_seen * (n - n_seen) / n;
		if (n >= 2)
			op->std_ns = sqrt(m2 / (n - 1));
	}
}

const struct jr_step_times *jr_step_times_compute(
	const struct jr_profile *profile, struct jr_arena *arena)
{
	struct jr_step_times *t = JR_ARENA_NEW(arena, struct jr_step_times);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	take_samples(profile, t, arena);
	sum_programs(profile, t, arena, &scratch);
	t->ops = JR_ARENA_N(arena, struct jr_op_steps, profile->n_ops + 1);
	struct jr_stats *seen = JR_ARENA_N(&scratch, struct jr_stats, profile->n_ops + 1);
	size_t most;
	const size_t *first = thunks_of_modules(profile, &scratch, &most);
	struct sweep sweep = new_sweep(profile, most, &scratch);
	for (size_t i = 0; i < t->n_samples; i++) {
		const struct jr_step_sample *s = &t->samples[i];
		collect(&sweep, profile, s->module, first[s->module], first[s->module + 1]);
		t->programs[s->program].idle_ns += s->dur_ns - share_out(&sweep);
		for (size_t k = 0; k < sweep.n_touched; k++) {
			uint32_t op = sweep.touched[k];
			t->ops[op].sum_ns += sweep.op_ns[op];
			jr_stats_add(&seen[op], (double)sweep.op_ns[op]);
			sweep.op_ns[op] = 0;
		}
	}
	finish_ops(profile, t, seen);
	return t;
}
