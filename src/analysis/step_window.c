#include "analysis/step_window.h"

#include <math.h>
#include <string.h>

#include "analysis/statistics.h"

/* --- whose executions ------------------------------------------------------------------------- */

/* Steady time of each top module on one device. */
struct own_time {
	int64_t *sum_ns; /* [n_programs] */
	size_t *n;       /* [n_programs] executions */
};

static bool counts(const struct jr_profile *p, const struct jr_steady *st, size_t row)
{
	return p->modules.steady[row] && st->programs[p->modules.program[row]].top;
}

/* The step's program where the device runs it; else the heaviest, of equal ones the first by rank.
 */
static uint32_t choose_program(const struct jr_steady *st, const struct own_time *own)
{
	uint32_t best = JR_NONE;
	for (size_t i = 0; i < st->n_top; i++) {
		uint32_t program = st->ranking[i];
		if (own->n[program] == 0)
			continue;
		if (i == 0)
			return program;
		if (best == JR_NONE || own->sum_ns[program] > own->sum_ns[best])
			best = program;
	}
	return best;
}

/* --- windows ---------------------------------------------------------------------------------- */

/* A device's rows of the module table, [first, last). */
struct rows {
	size_t first, last;
};

static struct rows rows_of(const struct jr_modules *m, size_t first)
{
	struct rows r = {first, first};
	while (r.last < m->n && m->device[r.last] == m->device[first])
		r.last++;
	return r;
}

/* Row of the steady execution number `k` of the program, counted by start, from 0. */
static size_t steady_row(
	const struct jr_profile *p, const struct rows *r, uint32_t program, size_t k)
{
	size_t row = r->first;
	for (; row < r->last; row++)
		if (p->modules.program[row] == program && p->modules.steady[row] && k-- == 0)
			break;
	return row;
}

/* Steps a device took whose program is not that of the steps: it may execute several times a step.
 * `steps` are those of devices that run it. Warm-up leaves its own number of executions out on each
 * device: up to a step's worth too many or too few are no other rate. */
static struct jr_step_window window_of(const struct jr_profile *p, const struct rows *r,
	uint32_t program, size_t n, double steps)
{
	const struct jr_modules *m = &p->modules;
	double each = (double)n / steps; /* executions a step */
	size_t near = (size_t)llround(each);
	bool whole = near >= 1 && fabs(each - (double)near) < 0.5 &&
		fabs((double)n - (double)near * steps) <= (double)near;
	size_t n_steps = whole ? n / near : 1; /* of its own */
	size_t last = whole ? near * (n_steps - 1) : n - 1;
	struct jr_step_window w = {.program = program,
		.n_periods = whole ? (double)(n_steps - 1) : (double)(n - 1) / each};
	size_t begin = steady_row(p, r, program, 0);
	w.begin_ns = m->start_ns[begin];
	w.end_ns = m->start_ns[steady_row(p, r, program, last)];
	if (w.n_periods > 0 && w.end_ns > w.begin_ns)
		return w;
	w.n_periods = 0;
	for (size_t row = begin; row < r->last; row++)
		if (m->program[row] == program && m->steady[row] &&
			m->start_ns[row] + m->dur_ns[row] > w.end_ns)
			w.end_ns = m->start_ns[row] + m->dur_ns[row];
	return w;
}

/* Executions of the program of the steps on a device that runs it, mean over such devices. */
static double steps_of_device(const struct jr_profile *p, const struct jr_steady *st)
{
	size_t n_running = 0;
	uint32_t last = JR_NONE;
	for (size_t i = 0; i < p->modules.n; i++) {
		if (!p->modules.steady[i] || p->modules.program[i] != st->ranking[0])
			continue;
		n_running += p->modules.device[i] != last;
		last = p->modules.device[i];
	}
	return (double)st->programs[st->ranking[0]].executions / (double)n_running;
}

static void find_windows(const struct jr_profile *p, const struct jr_steady *st,
	struct jr_step_windows *out, struct jr_arena *scratch)
{
	const struct jr_modules *m = &p->modules;
	struct own_time own = {.sum_ns = JR_ARENA_N(scratch, int64_t, p->n_programs + 1),
		.n = JR_ARENA_N(scratch, size_t, p->n_programs + 1)};
	double steps = steps_of_device(p, st), sum_ns = 0;
	for (size_t i = 0; i < m->n;) {
		struct rows r = rows_of(m, i);
		struct jr_step_window *w = &out->devices[m->device[i]];
		i = r.last;
		memset(own.sum_ns, 0, p->n_programs * sizeof(*own.sum_ns));
		memset(own.n, 0, p->n_programs * sizeof(*own.n));
		for (size_t row = r.first; row < r.last; row++) {
			if (!counts(p, st, row))
				continue;
			own.sum_ns[m->program[row]] += m->dur_ns[row];
			own.n[m->program[row]]++;
		}
		uint32_t program = choose_program(st, &own);
		if (program == JR_NONE)
			continue;
		double own_steps = program == st->ranking[0] ? (double)own.n[program] : steps;
		*w = window_of(p, &r, program, own.n[program], own_steps);
		if (w->n_periods <= 0)
			continue;
		sum_ns += (double)(w->end_ns - w->begin_ns) / w->n_periods;
		out->n_devices++;
	}
	if (out->n_devices)
		out->mean_ns = sum_ns / (double)out->n_devices;
}

/* --- periods ---------------------------------------------------------------------------------- */

/* Of the execution that ends it: sums over devices. */
struct sums {
	double ns, idle_ns;
	size_t n;
};

/* The periods of one device: time in which no module of any program executes is idle. */
static void add_periods(const struct jr_profile *p, const struct rows *r, uint32_t program,
	struct sums *sums, size_t n_sums)
{
	const struct jr_modules *m = &p->modules;
	size_t last = SIZE_MAX;
	int64_t reach = INT64_MIN, idle_ns = 0;
	for (size_t row = r->first; row < r->last; row++) {
		int64_t start = m->start_ns[row], end = start + m->dur_ns[row];
		if (last != SIZE_MAX && start > reach)
			idle_ns += start - reach;
		if (m->program[row] == program && m->steady[row]) {
			uint32_t execution = m->program_execution[row];
			if (last != SIZE_MAX && m->program_execution[last] + 1 == execution &&
				execution < n_sums) {
				sums[execution].ns += (double)(start - m->start_ns[last]);
				sums[execution].idle_ns += (double)idle_ns;
				sums[execution].n++;
			}
			last = row;
			idle_ns = 0;
		}
		reach = end > reach ? end : reach;
	}
}

static double median_of(const struct jr_step_windows *w, double *values)
{
	if (w->n_periods == 0)
		return NAN;
	jr_sort_doubles(values, w->n_periods);
	return jr_quantile(values, w->n_periods, 0.5);
}

static void find_periods(const struct jr_profile *p, const struct jr_steady *st,
	struct jr_step_windows *out, struct jr_arena *arena, struct jr_arena *scratch)
{
	const struct jr_modules *m = &p->modules;
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->program[i] == st->ranking[0] && m->steady[i] && m->program_execution[i] >= n)
			n = (size_t)m->program_execution[i] + 1;
	struct sums *sums = JR_ARENA_N(scratch, struct sums, n + 1);
	for (size_t i = 0; i < m->n;) {
		struct rows r = rows_of(m, i);
		i = r.last;
		add_periods(p, &r, st->ranking[0], sums, n);
	}
	out->periods = JR_ARENA_N(arena, struct jr_step_period, n + 1);
	for (size_t k = 0; k < n; k++)
		if (sums[k].n)
			out->periods[out->n_periods++] = (struct jr_step_period){(uint32_t)k,
				sums[k].ns / (double)sums[k].n, sums[k].idle_ns / (double)sums[k].n};
	double *values = JR_ARENA_N(scratch, double, out->n_periods + 1);
	for (size_t k = 0; k < out->n_periods; k++)
		values[k] = out->periods[k].ns;
	out->median_ns = median_of(out, values);
	for (size_t k = 0; k < out->n_periods; k++)
		values[k] = out->periods[k].idle_ns;
	out->idle_median_ns = median_of(out, values);
}

const struct jr_step_windows *jr_step_windows_compute(
	const struct jr_profile *profile, const struct jr_steady *steady, struct jr_arena *arena)
{
	struct jr_step_windows *out = JR_ARENA_NEW(arena, struct jr_step_windows);
	out->devices = JR_ARENA_N(arena, struct jr_step_window, profile->n_devices + 1);
	for (size_t d = 0; d < profile->n_devices; d++)
		out->devices[d].program = JR_NONE;
	out->mean_ns = out->median_ns = out->idle_median_ns = NAN;
	if (steady->n_ranking == 0)
		return out;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	find_windows(profile, steady, out, &scratch);
	find_periods(profile, steady, out, arena, &scratch);
	jr_arena_done(&scratch);
	return out;
}

#define PAUSE_FRAC 0.25
#define UNEVEN_FRAC 0.05

bool jr_step_period_paused(const struct jr_step_windows *w, const struct jr_step_period *period)
{
	double more_ns = period->idle_ns - w->idle_median_ns;
	return more_ns > PAUSE_FRAC * w->median_ns && more_ns > w->idle_median_ns;
}

bool jr_step_periods_uneven(const struct jr_step_windows *w)
{
	return fabs(w->mean_ns - w->median_ns) > UNEVEN_FRAC * w->median_ns;
}
