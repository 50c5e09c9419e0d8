/* Find out whether the host waited for the device before it launched a module, and how much earlier
 * the module could have run. README.md, section 15.6. */
#include "analysis/schedule/replay_parts.h"

#include <math.h>

#include "analysis/shared/gpu_time.h"
#include "base/order.h"
#include "base/sort.h"

/* A device that is idle for longer than this between two modules waited for the launch of the
 * second. */
#define LATE_NS 10000
/* Maximum time from a launch to the start on a waiting device. */
#define MOST_LATENCY_NS 100000
/* Maximum difference between device clocks and the host clock. */
#define CLOCK_NS 50000
/* Largest idle share of a device whose host is assumed to wait. Without waiting, host and device
 * would take equally long only by chance. */
#define FOLLOWS 0.05
/* Maximum ratio of a launch interval to the host's known own time. */
#define OWN_TIME 1.1
/* A ratio of variances must differ from 1 by this many standard errors, from at least this many
 * intervals. */
#define SIGMAS 3
#define LEAST_INTERVALS 4

/* A span of host time in a process: a compilation. */
struct span {
	uint32_t process;
	int64_t start_ns, end_ns; /* end: latest end of all that start no later in the process */
};

/* The end of a module, on the common clock. */
struct moment {
	uint32_t process, module; /* rows */
	int64_t ns;
};

struct hosts {
	const struct jr_profile *p;
	struct jr_replay *r;
	const uint32_t *segment_of, *step_of; /* [modules.n] */
	struct jr_arena *scratch;
	uint32_t *prev; /* [modules.n] row before it on its device in the steps, or JR_NONE */
	uint8_t *late;  /* [modules.n] true if the device waited for its launch */
	size_t n_ends, n_compiles, n_waits;
	struct moment *ends; /* of modules, sorted by process, time */
	struct span *compiles;
	struct span *waits; /* calls that wait, sorted by end; without process */
};

static uint32_t process_of(const struct hosts *h, size_t row)
{
	return h->p->devices[h->p->modules.device[row]].process;
}

static int64_t end_of(const struct hosts *h, size_t row)
{
	return h->p->modules.start_ns[row] + h->p->modules.dur_ns[row];
}

static bool is_launched(const struct hosts *h, size_t row)
{
	const struct jr_modules *m = &h->p->modules;
	return m->launch_ns[row] != INT64_MAX && jr_replay_near(h->p, m->launch_ns[row], 0) &&
		   m->launch_ns[row] <= m->start_ns[row];
}

/* --- facts about each launch ------------------------------------------------------------------ */

/* Find gaps, beginning at the first module of the steps on each device. */
static void find_gaps(struct hosts *h)
{
	const struct jr_modules *m = &h->p->modules;
	uint32_t prev = JR_NONE;
	int64_t at_ns = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		if (i && m->device[i] != m->device[i - 1])
			prev = JR_NONE;
		h->prev[i] = JR_NONE;
		h->r->launches[i] = (struct jr_replay_launch){.early_ns = INT64_MAX};
		bool kept = h->segment_of[i] != JR_NONE;
		if (!jr_replay_near(h->p, m->start_ns[i], m->dur_ns[i]) || (prev == JR_NONE && !kept))
			continue;
		h->prev[i] = prev;
		h->r->launches[i].gap_ns = prev == JR_NONE ? 0 : m->start_ns[i] - at_ns;
		at_ns = kept || end_of(h, i) > at_ns ? end_of(h, i) : at_ns;
		prev = i;
	}
}

/* Set the shortest gap between modules of a device whose second module was launched in time. */
static void find_least_gaps(struct hosts *h)
{
	const struct jr_modules *m = &h->p->modules;
	int64_t *least_ns = JR_ARENA_N(h->scratch, int64_t, h->p->n_devices + 1);
	for (size_t i = 0; i < m->n; i++) {
		int64_t gap_ns = h->r->launches[i].gap_ns, *least = &least_ns[m->device[i]];
		if (h->prev[i] != JR_NONE && !h->late[i] && gap_ns >= 0 && (*least == 0 || gap_ns < *least))
			*least = gap_ns;
	}
	for (size_t i = 0; i < m->n; i++) {
		struct jr_replay_launch *l = &h->r->launches[i];
		l->soon_ns =
			h->late[i] && l->gap_ns > least_ns[m->device[i]] ? least_ns[m->device[i]] : l->gap_ns;
	}
}

static void find_launches(struct hosts *h)
{
	const struct jr_modules *m = &h->p->modules;
	int64_t *latency_ns = JR_ARENA_N(h->scratch, int64_t, h->p->n_devices + 1);
	for (size_t d = 0; d < h->p->n_devices; d++)
		latency_ns[d] = MOST_LATENCY_NS;
	for (size_t i = 0; i < m->n; i++) {
		int64_t *least_ns = &latency_ns[m->device[i]];
		if (is_launched(h, i) && m->start_ns[i] - m->launch_ns[i] < *least_ns)
			*least_ns = m->start_ns[i] - m->launch_ns[i];
	}
	for (size_t i = 0; i < m->n; i++) {
		struct jr_replay_launch *l = &h->r->launches[i];
		if (h->prev[i] == JR_NONE)
			continue;
		bool known = is_launched(h, i);
		int64_t early_ns = known ? m->start_ns[i] - m->launch_ns[i] - latency_ns[m->device[i]] : 0;
		h->late[i] = l->gap_ns > LATE_NS && early_ns <= LATE_NS;
		l->early_ns = h->late[i] ? 0 : known ? early_ns : INT64_MAX;
	}
	find_least_gaps(h);
}

/* --- launches without a wait of the host ------------------------------------------------------ */

JR_ORDER(compare_moments, struct moment, JR_UP(process) JR_UP(ns))

JR_ORDER(compare_spans, struct span, JR_UP(process) JR_UP(start_ns))

JR_ORDER(compare_ends, struct span, JR_UP(end_ns))

static void list_events(struct hosts *h)
{
	const struct jr_modules *m = &h->p->modules;
	const struct jr_compiles *c = &h->p->compiles;
	const struct jr_api_calls *calls = &h->p->api_calls;
	h->ends = JR_ARENA_N(h->scratch, struct moment, m->n + 1);
	h->compiles = JR_ARENA_N(h->scratch, struct span, c->n + 1);
	h->waits = JR_ARENA_N(h->scratch, struct span, calls->n + 1);
	for (size_t i = 0; i < m->n; i++)
		if (jr_replay_near(h->p, m->start_ns[i], m->dur_ns[i]))
			h->ends[h->n_ends++] = (struct moment){
				process_of(h, i), (uint32_t)i, jr_replay_aligned(h->p, end_of(h, i), m->device[i])};
	for (size_t i = 0; i < c->n; i++)
		if (c->parent[i] == JR_NONE && jr_replay_near(h->p, c->start_ns[i], c->dur_ns[i]))
			h->compiles[h->n_compiles++] =
				(struct span){c->process[i], c->start_ns[i], c->start_ns[i] + c->dur_ns[i]};
	uint8_t *waiting = JR_ARENA_N(h->scratch, uint8_t, h->p->strings.n + 1);
	for (size_t i = 0; i < calls->n; i++)
		if (jr_name_is(h->p, waiting, calls->name[i], jr_call_waits) &&
			jr_replay_near(h->p, calls->start_ns[i], calls->dur_ns[i]))
			h->waits[h->n_waits++] =
				(struct span){0, calls->start_ns[i], calls->start_ns[i] + calls->dur_ns[i]};
	jr_sort(h->ends, h->n_ends, sizeof(*h->ends), compare_moments);
	jr_sort(h->compiles, h->n_compiles, sizeof(*h->compiles), compare_spans);
	jr_sort(h->waits, h->n_waits, sizeof(*h->waits), compare_ends);
	for (size_t i = 1; i < h->n_compiles; i++)
		if (h->compiles[i].process == h->compiles[i - 1].process &&
			h->compiles[i - 1].end_ns > h->compiles[i].end_ns)
			h->compiles[i].end_ns = h->compiles[i - 1].end_ns;
}

/* Return the first end of that process at or after that time, or the first of a later process. */
static size_t first_end(const struct hosts *h, uint32_t process, int64_t ns)
{
	size_t lo = 0, hi = h->n_ends;
	struct moment key = {process, 0, ns};
	JR_SEARCH(lo, hi, mid, compare_moments(&h->ends[mid], &key) < 0);
	return lo;
}

/* True if no module of the process ended between the previous launch and the launch of the row, so
 * the host had nothing to wait for. Device clocks may be off by off_ns. */
static bool is_free(const struct hosts *h, uint32_t row, int64_t off_ns)
{
	const struct jr_modules *m = &h->p->modules;
	int64_t from_ns = m->launch_ns[h->prev[row]] - h->p->origin_ns - off_ns;
	size_t at = first_end(h, process_of(h, row), from_ns);
	return at == h->n_ends || h->ends[at].process != process_of(h, row) ||
		   h->ends[at].ns > m->launch_ns[row] - h->p->origin_ns + off_ns;
}

static bool compiles_at(const struct hosts *h, uint32_t process, int64_t ns)
{
	size_t lo = 0, hi = h->n_compiles;
	struct span key = {process, ns, 0};
	JR_SEARCH(lo, hi, mid, compare_spans(&h->compiles[mid], &key) <= 0);
	return lo && h->compiles[lo - 1].process == process && h->compiles[lo - 1].end_ns > ns;
}

/* True if a waiting call began before that time of a device's clock, and ended between that time
 * and by_ns. */
static bool waits_at(const struct hosts *h, int64_t ns, int64_t by_ns)
{
	size_t lo = 0, hi = h->n_waits;
	JR_SEARCH(lo, hi, mid, h->waits[mid].end_ns < ns - CLOCK_NS);
	return lo < h->n_waits && h->waits[lo].end_ns <= by_ns && h->waits[lo].start_ns < ns;
}

/* Find the longest time that the host is known to take by itself from a launch of one program to a
 * launch of another: (program before, program) -> row of own_ns. */
static void find_own_times(const struct hosts *h, struct jr_map *pairs, int64_t *own_ns)
{
	const struct jr_modules *m = &h->p->modules;
	double most_off_ns = 0;
	uint32_t n = 0;
	for (size_t d = 0; d < h->p->n_devices; d++)
		most_off_ns = fmax(most_off_ns, fabs(h->p->devices[d].correction_ns));
	int64_t off_ns = llround(fmin(most_off_ns, 1e15));
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t prev = h->prev[i];
		if (prev == JR_NONE || !is_launched(h, i) || !is_launched(h, prev) ||
			!is_free(h, i, off_ns))
			continue;
		uint64_t key = jr_key2(m->program[prev], m->program[i]);
		uint32_t at = jr_map_get(pairs, key);
		if (at == JR_NONE) {
			at = n++;
			jr_map_put(pairs, key, at);
		}
		int64_t ns = m->launch_ns[i] - m->launch_ns[prev];
		own_ns[at] = ns > own_ns[at] ? ns : own_ns[at];
	}
}

static void judge_launches(struct hosts *h)
{
	const struct jr_modules *m = &h->p->modules;
	struct jr_map pairs = {0};
	int64_t *own_ns = JR_ARENA_N(h->scratch, int64_t, m->n + 1);
	find_own_times(h, &pairs, own_ns);
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t prev = h->prev[i];
		if (prev == JR_NONE)
			continue;
		uint8_t *host = &h->r->launches[i].host;
		bool known = is_launched(h, i) && is_launched(h, prev);
		uint32_t at = jr_map_get(&pairs, jr_key2(m->program[prev], m->program[i]));
		bool own_time =
			known && at != JR_NONE &&
			(double)(m->launch_ns[i] - m->launch_ns[prev]) <= OWN_TIME * (double)own_ns[at];
		bool compiles = h->late[i] && compiles_at(h, process_of(h, i), end_of(h, prev));
		bool waits = h->late[i] ? waits_at(h, end_of(h, prev), m->start_ns[i]) : known;
		*host = own_time || compiles ? JR_HOST_GOES_ON : waits ? JR_HOST_WAITS : JR_HOST_UNKNOWN;
	}
	jr_map_done(&pairs);
}

/* --- launches that are late in each step ------------------------------------------------------ */

/* Statistics over the modules of a segment on a device: the idle time before each, and the time
 * since the launch before. Sums are of differences to the first value. */
struct spread {
	size_t n_all, n;         /* all modules; the late ones with a known launch before */
	double idle_ns, step_ns; /* first values */
	double sum_idle, sum_idle2, sum_step, sum_step2;
	double most_share; /* largest ratio of idle_ns to step_ns */
};

static double variance(double sum, double sum2, double n)
{
	return fmax(sum2 - sum * sum / n, 0) / (n - 1);
}

/* Judge by the spread of two times. If the host waits for the device, its launch follows the
 * device's end after a constant time. If it does not wait, its launch follows its own previous
 * launch after a constant time. The time that varies less shows which case holds. If the idle share
 * is always small, the host is assumed to wait, because otherwise this would be a coincidence. */
static enum jr_replay_host judge_spread(const struct spread *s)
{
	if (s->n < 2 || s->n < s->n_all)
		return JR_HOST_UNKNOWN;
	double n = (double)s->n, far = exp(SIGMAS * sqrt(4 / n));
	double idle = variance(s->sum_idle, s->sum_idle2, n);
	double step = variance(s->sum_step, s->sum_step2, n);
	if (s->n >= LEAST_INTERVALS && step > far * idle)
		return JR_HOST_WAITS;
	if (s->n >= LEAST_INTERVALS && idle > far * step)
		return JR_HOST_GOES_ON;
	return s->most_share <= FOLLOWS ? JR_HOST_WAITS : JR_HOST_UNKNOWN;
}

/* Return the time from the previous launch to the launch of the row. A waiting device begins when
 * its module is launched. -1: not known. */
static int64_t since_launch_ns(const struct hosts *h, uint32_t row)
{
	const struct jr_modules *m = &h->p->modules;
	uint32_t prev = h->prev[row];
	if (is_launched(h, row) && is_launched(h, prev))
		return m->launch_ns[row] - m->launch_ns[prev];
	return h->late[row] && h->late[prev] ? m->start_ns[row] - m->start_ns[prev] : -1;
}

static void add_to_spread(const struct hosts *h, struct spread *s, uint32_t row)
{
	double idle_ns = (double)h->r->launches[row].gap_ns;
	double step_ns = (double)since_launch_ns(h, row);
	s->n_all++;
	if (!h->late[row] || step_ns <= 0)
		return;
	s->most_share = fmax(s->most_share, idle_ns / step_ns);
	s->idle_ns = s->n ? s->idle_ns : idle_ns;
	s->step_ns = s->n ? s->step_ns : step_ns;
	idle_ns -= s->idle_ns;
	step_ns -= s->step_ns;
	s->sum_idle += idle_ns;
	s->sum_idle2 += idle_ns * idle_ns;
	s->sum_step += step_ns;
	s->sum_step2 += step_ns * step_ns;
	s->n++;
}

static void judge_steps(struct hosts *h)
{
	size_t n_devices = h->p->n_devices;
	struct spread *spreads =
		JR_ARENA_N(h->scratch, struct spread, h->r->n_segments * n_devices + 1);
	for (uint32_t i = 0; i < h->p->modules.n; i++)
		if (h->segment_of[i] != JR_NONE && h->prev[i] != JR_NONE && h->prev[h->prev[i]] != JR_NONE)
			add_to_spread(h, &spreads[h->segment_of[i] * n_devices + h->p->modules.device[i]], i);
	for (uint32_t i = 0; i < h->p->modules.n; i++) {
		uint8_t *host = &h->r->launches[i].host;
		if (h->segment_of[i] != JR_NONE && h->late[i] && *host == JR_HOST_UNKNOWN)
			*host = (uint8_t)judge_spread(
				&spreads[h->segment_of[i] * n_devices + h->p->modules.device[i]]);
	}
}

/* True if the replay has reached the end of a module when it reaches the launch of another module
 * on another device. */
static bool is_behind(const struct hosts *h, uint32_t row, uint32_t other)
{
	if (h->segment_of[row] == JR_NONE || h->segment_of[other] == JR_NONE)
		return false;
	if (h->step_of[row] != h->step_of[other])
		return h->step_of[row] > h->step_of[other];
	return h->segment_of[row] > h->segment_of[other];
}

/* Check, for late launches, that the device for which the host waits is already replayed. It is the
 * last device that was done before the launch. */
static void find_waited(const struct hosts *h)
{
	const struct jr_modules *m = &h->p->modules;
	for (uint32_t i = 0; i < m->n; i++) {
		if (!h->late[i] || h->r->launches[i].host == JR_HOST_GOES_ON)
			continue;
		int64_t begin_ns = jr_replay_aligned(h->p, m->start_ns[i], m->device[i]);
		size_t at = first_end(h, process_of(h, i), begin_ns);
		if (at == 0 || h->ends[at - 1].process != process_of(h, i))
			continue;
		uint32_t other = h->ends[at - 1].module;
		h->r->host_elsewhere |= m->device[other] != m->device[i] && !is_behind(h, i, other);
	}
}

void jr_replay_find_hosts(const struct jr_profile *profile, struct jr_replay *r,
	const uint32_t *segment_of, const uint32_t *step_of, struct jr_arena *arena,
	struct jr_arena *scratch)
{
	size_t n = profile->modules.n + 1;
	r->launches = JR_ARENA_N(arena, struct jr_replay_launch, n);
	struct hosts h = {.p = profile,
		.r = r,
		.segment_of = segment_of,
		.step_of = step_of,
		.scratch = scratch,
		.prev = JR_ARENA_N(scratch, uint32_t, n),
		.late = JR_ARENA_N(scratch, uint8_t, n)};
	find_gaps(&h);
	find_launches(&h);
	list_events(&h);
	judge_launches(&h);
	judge_steps(&h);
	find_waited(&h);
	bool unknown = false, bound = false;
	for (size_t i = 0; i < profile->modules.n; i++) {
		unknown |= h.prev[i] != JR_NONE && r->launches[i].host == JR_HOST_UNKNOWN;
		bound |= r->launches[i].early_ns != INT64_MAX;
	}
	r->host_unknown = unknown && bound;
}

static int64_t rounded(double ns)
{
	return fabs(ns) < 0x1p62 ? llround(ns) : 0;
}

int64_t jr_replay_aligned(const struct jr_profile *p, int64_t t_ns, uint32_t device)
{
	return t_ns - p->origin_ns - rounded(p->devices[device].correction_ns);
}

bool jr_replay_near(const struct jr_profile *p, int64_t start_ns, int64_t dur_ns)
{
	int64_t at_ns = start_ns - p->origin_ns;
	return at_ns > -JR_REPLAY_MOST_NS && at_ns < JR_REPLAY_MOST_NS && dur_ns >= 0 &&
		   dur_ns < JR_REPLAY_MOST_NS;
}
