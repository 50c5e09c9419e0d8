#include "analysis/shared/lateness.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/core/statistics.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"

#define SUSTAINED 90    /* percent of late steps from which on they count as all */
#define LEAST_AFTER 3   /* steps from `since` on; fewer can be a coincidence */
#define LEAST_FRAC 0.01 /* of the median need: smaller lags cost too little to matter */
#define NORMAL_MAD                                                                                 \
	1.4826 /* standard deviation of normal values / their median absolute deviation */

/* --- needs ------------------------------------------------------------------------------------ */

struct builder {
	const struct jr_profile *p;
	const struct jr_steady *steady;
	const struct jr_step_windows *windows;
	struct jr_lateness *out;
	uint32_t *lag_of; /* [modules.n] the lag that a row's waiting belongs to; JR_NONE: none */
};

/* Return the row that ends the step that begins with row `begin`; rows of the device end at
 * `last`. A numbered step ends with the last execution of a top module. */
static size_t end_of_step(const struct builder *b, size_t begin, size_t last)
{
	const struct jr_modules *m = &b->p->modules;
	size_t end = begin;
	for (size_t row = begin + 1; b->windows->numbered && row < last; row++) {
		if (b->windows->begins[row] != JR_NONE)
			break;
		if (m->steady[row] && b->steady->programs[m->program[row]].top)
			end = row;
	}
	return end;
}

static int64_t end_ns(const struct jr_modules *m, size_t row)
{
	return m->start_ns[row] + m->dur_ns[row];
}

/* Add the steps of one device, rows [first, last). Between steps other programs may wait, too. */
static void add_device(struct builder *b, size_t first, size_t last)
{
	const struct jr_modules *m = &b->p->modules;
	const uint32_t *begins = b->windows->begins;
	size_t before = SIZE_MAX; /* the row that ended the step before */
	uint32_t step = JR_NONE;
	for (size_t row = first; row < last; row++) {
		if (begins[row] == JR_NONE)
			continue;
		size_t end = end_of_step(b, row, last);
		bool whole = before != SIZE_MAX && step + 1 == begins[row];
		size_t from = whole ? before + 1 : row;
		int64_t ns = end_ns(m, end) - (whole ? end_ns(m, before) : m->start_ns[row]);
		for (size_t k = from; k <= end; k++)
			b->lag_of[k] = (uint32_t)b->out->n;
		b->out->lags[b->out->n++] = (struct jr_lag){m->device[row], begins[row], whole,
			ns > 0 ? (double)ns : NAN, NAN, (double)(end_ns(m, end) - m->start_ns[row]), NAN, row};
		before = end;
		step = begins[row];
	}
}

static void subtract_waiting(struct builder *b, const struct jr_instances *instances)
{
	const struct jr_thunks *t = &b->p->thunks;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t lag = b->lag_of[jr_thunk_module(b->p, i)];
		int64_t wait_ns = jr_thunk_wait_ns(b->p, instances, i),
				open_ns = jr_thunk_active_ns(b->p, i);
		if (lag == JR_NONE || wait_ns <= 0 || open_ns <= 0)
			continue;
		struct jr_lag *to = &b->out->lags[lag];
		double ns = (double)(wait_ns < open_ns ? wait_ns : open_ns);
		to->need_ns -= ns;
		to->own_ns -= jr_thunk_module(b->p, i) >= to->row ? ns : 0;
	}
}

/* --- lags ------------------------------------------------------------------------------------- */

/* A need, or the lag of a member of a group, and its place in the list of lags. */
struct entry {
	uint32_t step, lag;
	bool whole;
	double ns;
};

JR_ORDER(compare_entries, struct entry, JR_UP(step) JR_UP(whole) JR_UP(ns) JR_UP(lag))
JR_ORDER(compare_lags, struct jr_lag, JR_UP(device) JR_UP(step))

/* Of an even number of devices the smaller middle value counts: of two devices the slower one is
 * late, and up to half of all devices can be late. */
static void find_lags(struct jr_lateness *out, bool own, struct jr_arena *scratch)
{
	struct entry *all = JR_ARENA_N(scratch, struct entry, out->n + 1);
	double *medians = JR_ARENA_N(scratch, double, out->n + 1);
	size_t n = 0, n_medians = 0;
	for (uint32_t i = 0; i < out->n; i++) {
		const struct jr_lag *lag = &out->lags[i];
		double ns = own ? lag->own_ns : lag->need_ns;
		if (isfinite(ns))
			all[n++] = (struct entry){lag->step, i, !own && lag->whole, ns};
	}
	jr_sort(all, n, sizeof(*all), compare_entries);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from;
			 to < n && all[to].step == all[from].step && all[to].whole == all[from].whole;)
			to++;
		if (to - from < 2)
			continue;
		double median_ns = all[from + (to - from - 1) / 2].ns;
		medians[n_medians++] = median_ns;
		for (size_t i = from; i < to; i++) {
			struct jr_lag *lag = &out->lags[all[i].lag];
			*(own ? &lag->own_lag_ns : &lag->lag_ns) = all[i].ns - median_ns;
		}
	}
	if (own)
		return;
	jr_sort_doubles(medians, n_medians);
	out->need_ns = jr_quantile(medians, n_medians, 0.5);
}

/* Estimate the noise from differences between neighboring steps, which a lasting change of a device
 * affects only once; then take the median device. Of two devices, the faster one has no lag. */
static double find_noise(
	const struct jr_profile *p, const struct jr_lateness *l, struct jr_arena *scratch)
{
	double *sizes = JR_ARENA_N(scratch, double, l->n + 1);
	double *noises = JR_ARENA_N(scratch, double, p->n_devices + 1);
	size_t n_noises = 0;
	for (size_t d = 0; d < p->n_devices; d++) {
		size_t n = 0;
		double last = NAN;
		for (size_t i = l->first[d]; i < l->first[d + 1]; i++) {
			double difference = fabs(l->lags[i].lag_ns - last);
			if (isfinite(difference))
				sizes[n++] = difference;
			last = isfinite(l->lags[i].lag_ns) ? l->lags[i].lag_ns : last;
		}
		jr_sort_doubles(sizes, n);
		if (n)
			noises[n_noises++] = NORMAL_MAD * jr_quantile(sizes, n, 0.5) / sqrt(2);
	}
	jr_sort_doubles(noises, n_noises);
	return jr_quantile(noises, n_noises, n_noises == 2 ? 1 : 0.5);
}

static void find_bound(const struct jr_profile *p, struct jr_lateness *l, struct jr_arena *scratch)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		n += isfinite(l->lags[i].lag_ns);
	l->noise_ns = find_noise(p, l, scratch);
	double by_noise_ns = n > 1 ? l->noise_ns * sqrt(2 * log((double)n)) : NAN;
	l->bound_ns = fmax(LEAST_FRAC * l->need_ns, by_noise_ns); /* NaN only if both are */
}

/* --- since when ------------------------------------------------------------------------------- */

/* The known lags of a device, or of a group, in order of steps. */
struct series {
	size_t n;
	const uint32_t *steps;
	const double *lag_ns;
	bool whole;               /* the first one, see struct jr_lag */
	const double *own_lag_ns; /* without the time since the step before; NULL: not known */
};

/* Find the steps [from, to) in which most are late and least outside of them: the first of these
 * spans with the largest difference of late and other steps (Kadane's algorithm). */
struct span {
	size_t from, to, n_late;
};

static struct span find_span(const struct series *s, double bound_ns)
{
	struct span best = {0}, own = {0};
	long sum = 0, most = 0;
	for (size_t i = 0; i < s->n; i++) {
		bool late = s->lag_ns[i] > bound_ns;
		if (sum <= 0) {
			sum = 0;
			own = (struct span){.from = i};
		}
		sum += late ? 1 : -1;
		own.n_late += late;
		own.to = i + 1;
		if (sum > most) {
			most = sum;
			best = own;
		}
	}
	return best;
}

/* Return the number of steps from each late step to the next one, or 0 if it varies, or if the
 * first or the last of all steps are too far from a late one. */
static uint32_t find_period(const struct series *s, double bound_ns)
{
	uint32_t period = 0, last = JR_NONE;
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (!(s->lag_ns[i] > bound_ns))
			continue;
		uint32_t since = s->steps[i] - (last == JR_NONE ? s->steps[0] : last);
		if (n == 1)
			period = since;
		else if (n > 1 && since != period)
			return 0;
		last = s->steps[i];
		n++;
	}
	bool whole = n >= LEAST_AFTER && last - (uint32_t)(n - 1) * period - s->steps[0] < period &&
				 s->steps[s->n - 1] - last < period;
	return whole ? period : 0;
}

/* Lateness that ended, or comes back. */
static void judge_passing(const struct series *s, double bound_ns, struct jr_late *late)
{
	struct span span = find_span(s, bound_ns);
	size_t n = span.to - span.from, n_others = s->n - n, others = late->n_late - span.n_late;
	late->when = JR_LATE_SOMETIMES;
	late->period = find_period(s, bound_ns);
	if (late->period) {
		late->when = JR_LATE_EACH;
	} else if (n >= LEAST_AFTER && n_others >= LEAST_AFTER && 100 * span.n_late >= SUSTAINED * n &&
			   100 * others <= (100 - SUSTAINED) * n_others) {
		late->when = JR_LATE_DURING;
		late->since = s->steps[span.from];
		late->until = s->steps[span.to - 1];
	}
}

/* True if the first step would show the lag of the others although it is not whole: they are late
 * without the time before them, too. */
static bool first_would_show(const struct series *s, double bound_ns)
{
	size_t n_late = 0;
	for (size_t i = 1; i < s->n && s->own_lag_ns; i++)
		n_late += s->own_lag_ns[i] > bound_ns;
	return s->n > 1 && 100 * n_late >= SUSTAINED * (s->n - 1);
}

/* Judge the steps with lags above the bound. The first step of those that agree with "late from
 * here on" most often is the candidate. */
static struct jr_late judge(const struct series *s, double bound_ns)
{
	struct jr_late late = {.since = JR_NONE, .until = JR_NONE, .begins = JR_NONE, .n_steps = s->n};
	size_t before = 0, best = 0, best_before = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (s->lag_ns[i] > bound_ns && late.n_late++ == 0)
			late.begins = s->steps[i];
	}
	size_t best_score = late.n_late;
	for (size_t k = 1; k < s->n; k++) {
		before += s->lag_ns[k - 1] > bound_ns;
		size_t score = k - before + late.n_late - before;
		if (score <= best_score)
			continue;
		best = k;
		best_score = score;
		best_before = before;
	}
	/* in its first step, a device's time before the step is not known */
	bool always = best == 0 || (best == 1 && !s->whole && !first_would_show(s, bound_ns));
	size_t after = late.n_late - best_before, n_after = s->n - best;
	bool lasting = late.n_late && 100 * after >= SUSTAINED * n_after;
	if (lasting && always) {
		late.when = JR_LATE_ALWAYS;
	} else if (lasting && n_after >= LEAST_AFTER && 100 * best_before <= (100 - SUSTAINED) * best) {
		late.when = JR_LATE_SINCE;
		late.since = s->steps[best];
		late.n_since = n_after;
	} else if (late.n_late > 1) {
		judge_passing(s, bound_ns, &late);
	}
	return late;
}

struct jr_late jr_late_judge(
	const uint32_t *steps, const double *ns, size_t n, bool whole, double bound_ns)
{
	return judge(&(struct series){n, steps, ns, whole, NULL}, bound_ns);
}

static bool passes(const struct jr_late *late)
{
	return late->when > JR_LATE_SINCE;
}

/* Sums for straight lines and means over steps [0, n). */
struct sums {
	double n, x, y, xx, xy, yy;
};

static void add_point(struct sums *t, double x, double y, double sign)
{
	t->n += sign;
	t->x += sign * x;
	t->y += sign * y;
	t->xx += sign * x * x;
	t->xy += sign * x * y;
	t->yy += sign * y * y;
}

/* Return the sum of squares that the mean leaves over. */
static double around_mean(const struct sums *t)
{
	return t->n > 0 ? t->yy - t->y * t->y / t->n : 0;
}

#define LEAST_LINE 8    /* steps from which on a straight line is told from a jump */
#define LINE_BETTER 0.5 /* share of the squares that a jump leaves over, at most */

/* A lag grows steadily if a straight line fits it much better than a jump at any step does, and if
 * it rises by more than the bound. O(n) */
static void judge_growth(const struct series *s, double bound_ns, struct jr_late *late)
{
	struct sums all = {0}, before = {0};
	for (size_t i = 0; i < s->n; i++)
		add_point(&all, (double)i, s->lag_ns[i], 1);
	struct sums after = all;
	double jump = INFINITY, var_x = all.xx - all.x * all.x / fmax(all.n, 1);
	for (size_t i = 0; i + 1 < s->n; i++) {
		add_point(&before, (double)i, s->lag_ns[i], 1);
		add_point(&after, (double)i, s->lag_ns[i], -1);
		jump = fmin(jump, around_mean(&before) + around_mean(&after));
	}
	if (s->n < LEAST_LINE || late->when == JR_LATE_NEVER || !(var_x > 0))
		return;
	double slope = (all.xy - all.x * all.y / all.n) / var_x;
	double line = around_mean(&all) - slope * slope * var_x, rise = slope * (all.n - 1);
	late->grows = rise > bound_ns && line < LINE_BETTER * jump;
	late->from_ns = all.y / all.n - rise / 2;
	late->to_ns = late->from_ns + rise;
}

bool jr_late_grows(const double *ns, size_t n, double least_ns, double *from_ns, double *to_ns)
{
	struct jr_late late = {.when = JR_LATE_ALWAYS};
	judge_growth(&(struct series){n, NULL, ns, true, NULL}, least_ns, &late);
	*from_ns = late.from_ns;
	*to_ns = late.to_ns;
	return late.grows;
}

/* A device whose lag is always near the bound is above it only now and then: half of the bound
 * decides then whether it is late all the time. */
static struct jr_late judge_series(const struct series *s, double bound_ns)
{
	double sum_ns = 0;
	if (s->n == 0)
		return (struct jr_late){
			.since = JR_NONE, .until = JR_NONE, .begins = JR_NONE, .mean_ns = NAN};
	struct jr_late late = judge(s, bound_ns);
	for (size_t i = 0; i < s->n; i++)
		sum_ns += s->lag_ns[i];
	if (passes(&late)) {
		struct jr_late lower = judge(s, bound_ns / 2);
		if (!passes(&lower))
			late = lower;
	}
	judge_growth(s, bound_ns, &late);
	late.mean_ns = sum_ns / (double)s->n;
	return late;
}

struct jr_late jr_lateness_of(
	const struct jr_lateness *l, const uint32_t *devices, size_t n, struct jr_arena *scratch)
{
	size_t room = 0, n_lags = 0;
	for (size_t k = 0; k < n; k++)
		room += l->first[devices[k] + 1] - l->first[devices[k]];
	struct entry *all = JR_ARENA_N(scratch, struct entry, room + 1);
	uint32_t *steps = JR_ARENA_N(scratch, uint32_t, room + 1);
	double *lag_ns = JR_ARENA_N(scratch, double, room + 1);
	double *own_ns = JR_ARENA_N(scratch, double, room + 1);
	struct series s = {.steps = steps, .lag_ns = lag_ns, .own_lag_ns = own_ns};
	for (size_t k = 0; k < n; k++)
		for (size_t i = l->first[devices[k]]; i < l->first[devices[k] + 1]; i++)
			if (isfinite(l->lags[i].lag_ns))
				all[n_lags++] = (struct entry){
					l->lags[i].step, (uint32_t)i, l->lags[i].whole, l->lags[i].lag_ns};
	jr_sort(all, n_lags, sizeof(*all), compare_entries);
	for (size_t from = 0, to; from < n_lags; from = to) {
		double sum_ns = 0, own_sum_ns = 0;
		for (to = from; to < n_lags && all[to].step == all[from].step; to++) {
			sum_ns += all[to].ns;
			own_sum_ns += l->lags[all[to].lag].own_lag_ns;
		}
		s.whole = s.n ? s.whole : all[from].whole;
		steps[s.n] = all[from].step;
		own_ns[s.n] = own_sum_ns / (double)(to - from);
		lag_ns[s.n++] = sum_ns / (double)(to - from);
	}
	return judge_series(&s, l->bound_ns);
}

const struct jr_lateness *jr_lateness_compute(const struct jr_profile *profile,
	const struct jr_steady *steady, const struct jr_step_windows *windows,
	const struct jr_instances *instances, const struct jr_delays *delays, struct jr_arena *arena)
{
	const struct jr_modules *m = &profile->modules;
	struct jr_lateness *out = JR_ARENA_NEW(arena, struct jr_lateness);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct builder b = {.p = profile,
		.steady = steady,
		.windows = windows,
		.out = out,
		.lag_of = JR_ARENA_N(&scratch, uint32_t, m->n + 1)};
	out->lags = JR_ARENA_N(arena, struct jr_lag, m->n + 1);
	out->first = JR_ARENA_N(arena, size_t, profile->n_devices + 1);
	out->devices = JR_ARENA_N(arena, struct jr_late, profile->n_devices + 1);
	memset(b.lag_of, 0xFF, m->n * sizeof(*b.lag_of));
	for (size_t first = 0, last; first < m->n; first = last) {
		uint32_t d = m->device[first];
		for (last = first; last < m->n && m->device[last] == d;)
			last++;
		if (windows->devices[d].main && delays->devices[d].instances)
			add_device(&b, first, last);
	}
	subtract_waiting(&b, instances);
	jr_sort(out->lags, out->n, sizeof(*out->lags), compare_lags);
	for (size_t i = 0; i < out->n; i++)
		out->first[out->lags[i].device + 1] = i + 1;
	for (size_t d = 1; d <= profile->n_devices; d++)
		if (out->first[d] < out->first[d - 1])
			out->first[d] = out->first[d - 1];
	find_lags(out, false, &scratch);
	find_lags(out, true, &scratch);
	find_bound(profile, out, &scratch);
	for (uint32_t d = 0; d < profile->n_devices; d++)
		out->devices[d] = jr_lateness_of(out, &d, 1, &scratch);
	return out;
}

bool jr_late_matters(const struct jr_lateness *l, uint32_t device)
{
	const struct jr_late *late = &l->devices[device];
	return late->when == JR_LATE_ALWAYS || late->when == JR_LATE_SINCE ||
		   (passes(late) && late->mean_ns >= LEAST_FRAC * l->need_ns);
}

/* "5th" */
static const char *ordinal(uint32_t n)
{
	static const char *const ends[] = {"th", "st", "nd", "rd"};
	return n % 10 < JR_COUNT_OF(ends) && n / 10 % 10 != 1 ? ends[n % 10] : "th";
}

const char *jr_late_words(const struct jr_profile *profile, const struct jr_step_windows *windows,
	const struct jr_late *late, struct jr_arena *arena)
{
	char n_late[JR_NUM_MAX], n_steps[JR_NUM_MAX];
	const char *how = late->grows ? "increasingly " : "";
	if (late->when == JR_LATE_NEVER || late->n_steps < 2)
		return NULL;
	if (late->when == JR_LATE_SINCE)
		return jr_arena_printf(
			arena, "%ssince step %" PRId64, how, jr_step_number(profile, windows, late->since));
	if (late->when == JR_LATE_DURING)
		return jr_arena_printf(arena, "%sin steps %" PRId64 " to %" PRId64, how,
			jr_step_number(profile, windows, late->since),
			jr_step_number(profile, windows, late->until));
	if (late->when == JR_LATE_EACH)
		return jr_arena_printf(
			arena, "in every %" PRIu32 "%s step", late->period, ordinal(late->period));
	jr_num_grouped_i64(n_late, (int64_t)late->n_late);
	jr_num_grouped_i64(n_steps, (int64_t)late->n_steps);
	return late->when == JR_LATE_ALWAYS || 2 * late->n_late >= late->n_steps
			   ? jr_arena_printf(arena, "%sin %s of %s steps", how, n_late, n_steps)
			   : jr_arena_printf(arena, "%snow and then (%s of %s steps)", how, n_late, n_steps);
}
