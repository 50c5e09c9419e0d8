#include "analysis/shared/step_window.h"

#include <math.h>
#include <string.h>

#include "analysis/shared/gpu_time.h"
#include "analysis/core/statistics.h"
#include "analysis/shared/variants.h"
#include "base/order.h"
#include "base/sort.h"

/* --- program of the steps --------------------------------------------------------------------- */

/* Steady time of each top module on one device. */
struct own_time {
	int64_t *sum_ns; /* [n_programs] */
	size_t *n;       /* [n_programs] executions */
};

static bool counts(const struct jr_profile *p, const struct jr_steady *st, size_t row)
{
	return p->modules.steady[row] && st->programs[p->modules.program[row]].top;
}

/* Return the steps' program if the device runs it; else the program with the most time, the first
 * by rank among equal ones. */
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

/* Return the row of the steady execution number `k` of the program, counted by start, from 0. */
static size_t steady_row(
	const struct jr_profile *p, const struct rows *r, uint32_t program, size_t k)
{
	size_t row = r->first;
	for (; row < r->last; row++)
		if (p->modules.program[row] == program && p->modules.steady[row] && k-- == 0)
			break;
	return row;
}

/* Window of a device whose program is not the steps' program. It may execute several times per
 * step. `steps` is the number of steps of the devices that run the steps' program. Warm-up skips a
 * different number of executions on each device. Up to one step's worth more or fewer still counts
 * as the same rate. */
static struct jr_step_window window_of(
	const struct jr_profile *p, const struct rows *r, uint32_t program, size_t n, double steps)
{
	const struct jr_modules *m = &p->modules;
	double each = (double)n / steps; /* executions per step */
	size_t near = (size_t)llround(each);
	bool whole = near >= 1 && fabs(each - (double)near) < 0.5 &&
				 fabs((double)n - (double)near * steps) <= (double)near;
	size_t n_steps = whole ? n / near : 1; /* the device's own steps */
	size_t last = whole ? near * (n_steps - 1) : n - 1;
	struct jr_step_window w = {
		.program = program, .n_periods = whole ? (double)(n_steps - 1) : (double)(n - 1) / each};
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

/* Count the devices that execute the steps' program. */
static size_t count_main(const struct jr_profile *p, const struct jr_steady *st)
{
	size_t n = 0;
	uint32_t last = JR_NONE;
	for (size_t i = 0; i < p->modules.n; i++) {
		if (!p->modules.steady[i] || p->modules.program[i] != st->ranking[0])
			continue;
		n += p->modules.device[i] != last; /* by device */
		last = p->modules.device[i];
	}
	return n;
}

/* Devices may run their own programs, like stages of a pipeline. Return the steps of all devices if
 * n_main devices take n_counted steps. */
static double steps_of_all(
	const struct jr_profile *p, const struct jr_steady *st, double n_counted, size_t n_main)
{
	size_t n_seen = 0;
	for (size_t d = 0; d < p->n_devices; d++)
		n_seen += st->devices[d].seen;
	return n_counted * ((double)n_seen / (double)n_main);
}

/* Return the top module that represents the device's steps; JR_NONE: it runs none. */
static uint32_t program_of(const struct jr_profile *p, const struct jr_steady *st,
	const struct rows *r, struct own_time *own)
{
	const struct jr_modules *m = &p->modules;
	memset(own->sum_ns, 0, p->n_programs * sizeof(*own->sum_ns));
	memset(own->n, 0, p->n_programs * sizeof(*own->n));
	for (size_t row = r->first; row < r->last; row++) {
		if (!counts(p, st, row))
			continue;
		own->sum_ns[m->program[row]] += m->dur_ns[row];
		own->n[m->program[row]]++;
	}
	return choose_program(st, own);
}

static struct own_time new_own_time(const struct jr_profile *p, struct jr_arena *scratch)
{
	return (struct own_time){.sum_ns = JR_ARENA_N(scratch, int64_t, p->n_programs + 1),
		.n = JR_ARENA_N(scratch, size_t, p->n_programs + 1)};
}

static void find_windows(const struct jr_profile *p, const struct jr_steady *st,
	struct jr_step_windows *out, struct jr_arena *scratch)
{
	const struct jr_modules *m = &p->modules;
	struct own_time own = new_own_time(p, scratch);
	double executions = (double)st->programs[st->ranking[0]].executions, sum_ns = 0;
	size_t n_main = count_main(p, st);
	double steps = executions / (double)n_main;
	out->n_steps = steps_of_all(p, st, executions, n_main);
	for (size_t i = 0; i < m->n;) {
		struct rows r = rows_of(m, i);
		struct jr_step_window *w = &out->devices[m->device[i]];
		i = r.last;
		uint32_t program = program_of(p, st, &r, &own);
		if (program == JR_NONE)
			continue;
		double own_steps = program == st->ranking[0] ? (double)own.n[program] : steps;
		*w = window_of(p, &r, program, own.n[program], own_steps);
		w->main = program == st->ranking[0];
		for (size_t row = r.first; row < r.last; row++)
			if (m->program[row] == program && m->steady[row])
				out->begins[row] = m->program_execution[row];
		if (w->n_periods <= 0)
			continue;
		sum_ns += (double)(w->end_ns - w->begin_ns) / w->n_periods;
		out->n_devices++;
	}
	if (out->n_devices)
		out->mean_ns = sum_ns / (double)out->n_devices;
}

/* --- periods ---------------------------------------------------------------------------------- */

/* Sums over devices, for the step that ends the period. */
struct sums {
	double ns, idle_ns;
	size_t n;
};

/* Add the periods of one device. Time in which no module of any program executes is idle. */
static void add_periods(
	const struct jr_profile *p, const struct rows *r, const uint32_t *begins, struct sums *sums)
{
	const struct jr_modules *m = &p->modules;
	size_t last = SIZE_MAX;
	int64_t reach = INT64_MIN, idle_ns = 0;
	for (size_t row = r->first; row < r->last; row++) {
		int64_t start = m->start_ns[row], end = start + m->dur_ns[row];
		if (last != SIZE_MAX && start > reach)
			idle_ns += start - reach - jr_left_out_ns(&p->selected, m->device[row], reach, start);
		if (begins[row] != JR_NONE) {
			struct sums *step = &sums[begins[row]];
			if (last != SIZE_MAX && begins[last] + 1 == begins[row]) {
				step->ns += (double)(start - m->start_ns[last]);
				step->idle_ns += (double)idle_ns;
				step->n++;
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

/* Keep those of the `n` steps that ended a period on any device. */
static void take_periods(const struct sums *sums, size_t n, struct jr_step_windows *out,
	struct jr_arena *arena, struct jr_arena *scratch)
{
	out->periods = JR_ARENA_N(arena, struct jr_step_period, n + 1);
	for (size_t k = 0; k < n; k++)
		if (sums[k].n)
			out->periods[out->n_periods++] = (struct jr_step_period){
				(uint32_t)k, sums[k].ns / (double)sums[k].n, sums[k].idle_ns / (double)sums[k].n};
	double *values = JR_ARENA_N(scratch, double, out->n_periods + 1);
	for (size_t k = 0; k < out->n_periods; k++)
		values[k] = out->periods[k].ns;
	out->median_ns = rint(median_of(out, values));
	for (size_t k = 0; k < out->n_periods; k++)
		values[k] = out->periods[k].idle_ns;
	out->idle_median_ns = median_of(out, values);
}

static void find_periods(const struct jr_profile *p, struct jr_step_windows *out,
	struct jr_arena *arena, struct jr_arena *scratch)
{
	const struct jr_modules *m = &p->modules;
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		if (out->devices[m->device[i]].main && out->begins[i] != JR_NONE && out->begins[i] >= n)
			n = (size_t)out->begins[i] + 1;
	struct sums *sums = JR_ARENA_N(scratch, struct sums, n + 1);
	for (size_t i = 0; i < m->n;) {
		struct rows r = rows_of(m, i);
		i = r.last;
		if (out->devices[m->device[r.first]].main)
			add_periods(p, &r, out->begins, sums);
	}
	take_periods(sums, n, out, arena, scratch);
}

/* --- numbered steps --------------------------------------------------------------------------- */

/* Start of a step on a device. */
struct mark {
	uint32_t device, step;
	int64_t start_ns;
};

JR_ORDER(compare_marks, struct mark, JR_UP(device) JR_UP(step) JR_UP(start_ns))

/* Mark step starts from executions, and record which row begins each step. */
static size_t mark_modules(
	const struct jr_profile *p, struct jr_step_windows *out, struct mark *marks)
{
	const struct jr_modules *m = &p->modules;
	uint32_t last = JR_NONE;
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++) { /* sorted by device, start */
		if (i == 0 || m->device[i] != m->device[i - 1])
			last = JR_NONE;
		if (!m->steady[i] || m->step[i] == JR_NONE || (last != JR_NONE && m->step[i] <= last))
			continue;
		out->begins[i] = last = m->step[i];
		marks[n++] = (struct mark){m->device[i], last, m->start_ns[i]};
	}
	return n;
}

/* Mark step starts from kernels and graphs. Copies do not count, because they may run before the
 * step. */
static size_t mark_ops(const struct jr_profile *p, struct mark *marks)
{
	const struct jr_gpu_ops *ops = &p->gpu_ops;
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < ops->n; i++) {
		uint32_t step = ops->kind[i] == JR_GPU_KERNEL || ops->kind[i] == JR_GPU_GRAPH
							? jr_leading_step_of_op(p, &p->leading_steps, i)
							: JR_NONE;
		if (step != JR_NONE)
			marks[n++] = (struct mark){ops->device[i], step, ops->start_ns[i]};
	}
	jr_sort(marks, n, sizeof(*marks), compare_marks);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || marks[kept - 1].device != marks[i].device ||
			(marks[kept - 1].step != marks[i].step && marks[kept - 1].start_ns < marks[i].start_ns))
			marks[kept++] = marks[i];
	return kept;
}

static void name_programs(const struct jr_profile *p, const struct jr_steady *st,
	struct jr_step_windows *out, struct jr_arena *scratch)
{
	struct own_time own = new_own_time(p, scratch);
	for (size_t i = 0; i < p->modules.n;) {
		struct rows r = rows_of(&p->modules, i);
		struct jr_step_window *w = &out->devices[p->modules.device[i]];
		i = r.last;
		w->program = w->main ? program_of(p, st, &r, &own) : JR_NONE;
	}
}

/* Steps between the first and the last one on the device. Steps without recorded work count,
 * because they took time. */
static void window_of_marks(
	struct jr_step_window *w, const struct mark *marks, size_t n, struct jr_step_windows *out)
{
	w->main = true;
	w->begin_ns = marks[0].start_ns;
	w->end_ns = marks[n - 1].start_ns;
	w->n_periods = (double)(marks[n - 1].step - marks[0].step);
	out->n_devices += w->n_periods > 0;
	out->n_missing += marks[n - 1].step - marks[0].step + 1 - n;
}

static void find_numbered(const struct jr_profile *p, const struct jr_steady *st,
	const struct jr_gpu_time *gpu, struct jr_step_windows *out, struct jr_arena *arena,
	struct jr_arena *scratch)
{
	size_t n_rows = p->modules.n ? p->modules.n : p->gpu_ops.n, n_main = 0;
	struct mark *marks = JR_ARENA_N(scratch, struct mark, n_rows + 1);
	size_t n = p->modules.n ? mark_modules(p, out, marks) : mark_ops(p, marks);
	double sum_ns = 0;
	struct sums *sums = JR_ARENA_N(scratch, struct sums, p->leading_steps.n_steps + 1);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && marks[end].device == marks[i].device; end++)
			;
		struct jr_step_window *w = &out->devices[marks[i].device];
		window_of_marks(w, marks + i, end - i, out);
		n_main++;
		if (w->n_periods > 0)
			sum_ns += (double)(w->end_ns - w->begin_ns) / w->n_periods;
		for (size_t k = i + 1; k < end && p->modules.n == 0; k++) {
			struct sums *step = &sums[marks[k].step];
			int64_t from = marks[k - 1].start_ns, to = marks[k].start_ns;
			if (marks[k].step != marks[k - 1].step + 1)
				continue;
			step->ns += (double)(to - from);
			step->idle_ns +=
				(double)(to - from - jr_spans_within(&gpu->devices[marks[i].device], from, to) -
						 jr_left_out_ns(&p->selected, marks[i].device, from, to));
			step->n++;
		}
	}
	out->numbered = true;
	if (out->n_devices)
		out->mean_ns = sum_ns / (double)out->n_devices;
	if (p->modules.n) {
		out->n_steps = steps_of_all(p, st, (double)n, n_main);
		name_programs(p, st, out, scratch);
		find_periods(p, out, arena, scratch);
	} else {
		out->n_steps = (double)n;
		take_periods(sums, p->leading_steps.n_steps, out, arena, scratch);
	}
}

const struct jr_step_windows *jr_step_windows_compute(const struct jr_profile *profile,
	const struct jr_steady *steady, const struct jr_gpu_time *gpu, struct jr_arena *arena)
{
	struct jr_step_windows *out = JR_ARENA_NEW(arena, struct jr_step_windows);
	out->devices = JR_ARENA_N(arena, struct jr_step_window, profile->n_devices + 1);
	for (size_t d = 0; d < profile->n_devices; d++)
		out->devices[d].program = JR_NONE;
	out->begins = JR_ARENA_N(arena, uint32_t, profile->modules.n + 1);
	memset(out->begins, 0xFF, profile->modules.n * sizeof(*out->begins));
	out->mean_ns = out->median_ns = out->idle_median_ns = NAN;
	bool numbered = profile->leading_steps.n_steps &&
					(profile->modules.n ? steady->n_ranking > 0 : gpu != NULL);
	if (steady->n_ranking == 0 && !numbered)
		return out;
	out->irregular = !numbered && jr_variants_irregular(profile, steady);
	if (out->irregular)
		return out;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	if (numbered) {
		find_numbered(profile, steady, gpu, out, arena, &scratch);
		return out;
	}
	find_windows(profile, steady, out, &scratch);
	find_periods(profile, out, arena, &scratch);
	return out;
}

int64_t jr_step_number(
	const struct jr_profile *profile, const struct jr_step_windows *windows, uint32_t step)
{
	return windows->numbered ? profile->leading_steps.numbers[step] : (int64_t)step;
}

/* If steps are uneven, findings are about the median one, so shorter pauses count as well. */
#define PAUSE_FRAC 0.25
bool jr_step_period_paused(const struct jr_step_windows *w, const struct jr_step_period *period)
{
	double more_ns = period->idle_ns - w->idle_median_ns;
	double least = jr_step_periods_uneven(w) ? JR_STEP_UNEVEN : PAUSE_FRAC;
	return more_ns > least * w->median_ns && more_ns > w->idle_median_ns;
}

bool jr_step_periods_uneven(const struct jr_step_windows *w)
{
	return w->n_missing || fabs(w->mean_ns - w->median_ns) > JR_STEP_UNEVEN * w->median_ns;
}

double jr_step_period_ns(const struct jr_step_windows *w)
{
	return jr_step_periods_uneven(w) ? w->median_ns : w->mean_ns;
}

/* Return the period nearest to the median; the first among equal ones. */
static const struct jr_step_period *nearest_to_median(const struct jr_step_windows *w)
{
	const struct jr_step_period *nearest = &w->periods[0];
	for (size_t i = 1; i < w->n_periods; i++)
		if (fabs(w->periods[i].ns - w->median_ns) < fabs(nearest->ns - w->median_ns))
			nearest = &w->periods[i];
	return nearest;
}

/* Narrow the window to one period, from the start of the previous step to the start of `step`. It
 * is measured on the device itself; a pipeline stage numbers its own executions, starting at the
 * same number. Executions that overlap may begin in another order than that of their numbers; then
 * they are no period, as in add_periods(). */
static void narrow(const struct jr_profile *p, const uint32_t *begins, uint32_t step,
	struct jr_step_window *w, const struct rows *r)
{
	const struct jr_modules *m = &p->modules;
	size_t begin = SIZE_MAX, end = SIZE_MAX, last = SIZE_MAX;
	for (size_t row = r->first; row < r->last; row++) {
		if (begins[row] == JR_NONE)
			continue;
		if (last != SIZE_MAX && begins[last] + 1 == step && begins[row] == step) {
			begin = last;
			end = row;
		}
		last = row;
	}
	if (end == SIZE_MAX) {
		*w = (struct jr_step_window){.program = JR_NONE};
		return;
	}
	w->begin_ns = m->start_ns[begin];
	w->end_ns = m->start_ns[end];
	w->n_periods = 1;
}

const struct jr_step_windows *jr_step_typical_windows(
	const struct jr_profile *p, const struct jr_step_windows *windows, struct jr_arena *arena)
{
	const struct jr_modules *m = &p->modules;
	if (!jr_step_periods_uneven(windows))
		return windows;
	struct jr_step_windows *out = JR_ARENA_NEW(arena, struct jr_step_windows);
	*out = *windows;
	out->devices = JR_ARENA_N(arena, struct jr_step_window, p->n_devices + 1);
	out->n_devices = 0;
	for (size_t d = 0; d < p->n_devices; d++)
		out->devices[d].program = JR_NONE;
	uint32_t step = nearest_to_median(windows)->step;
	for (size_t i = 0; i < m->n;) {
		struct rows r = rows_of(m, i);
		uint32_t d = m->device[i];
		i = r.last;
		out->devices[d] = windows->devices[d];
		if (out->devices[d].program == JR_NONE)
			continue;
		narrow(p, out->begins, step, &out->devices[d], &r);
		out->n_devices += out->devices[d].program != JR_NONE;
	}
	return out;
}
