/*
 * truth_ledger.c - the time of each device's steps, from the start of the first steady one to the
 * start of the last, split by the device's activity; also per step.
 */
#include <stdlib.h>

#include "base/order.h"
#include "truth_frames.h"

enum { IN_TOP, IN_WARM_UP, IN_OTHER, COMPUTE, COMMUNICATION, COPY, N_STATES };

struct event {
	int64_t at_ns;
	int state, step;
};

typedef JR_VEC(struct event) event_vec;

JR_ORDER(by_time, struct event, JR_UP(at_ns))

static void span(event_vec *events, int state, int64_t start, int64_t dur)
{
	*jr_vec_add(events) = (struct event){start, state, 1};
	*jr_vec_add(events) = (struct event){start + dur, state, -1};
}

/* The heaviest program of a device, or of all of them if `device` is GEN_NO_INDEX. */
static uint32_t heaviest(const struct gen_truth *t, uint32_t device)
{
	uint32_t best = GEN_NO_INDEX;
	int64_t most_ns = -1;
	for (uint32_t p = 0; p < t->sc->programs.n; p++) {
		int64_t sum_ns = 0;
		bool runs = false;
		for (size_t i = 0; i < t->modules.n; i++) {
			const struct gen_truth_module *x = &t->modules.items[i];
			if (x->program != p || !x->steady || (device != GEN_NO_INDEX && x->device != device))
				continue;
			sum_ns += x->dur_ns;
			runs = true;
		}
		if (runs && t->programs[p].top && sum_ns > most_ns) {
			best = p;
			most_ns = sum_ns;
		}
	}
	return best;
}

/* Starts of a program's first and last steady execution on a device, and how many there are. */
struct steps {
	int64_t first_ns, last_ns, last_end_ns;
	uint32_t n;
};

static struct steps steps_of(const struct gen_truth *t, uint32_t program, uint32_t device)
{
	struct steps s = {INT64_MAX, INT64_MIN, INT64_MIN, 0};
	for (size_t i = 0; i < t->modules.n; i++) {
		const struct gen_truth_module *x = &t->modules.items[i];
		if (x->program != program || x->device != device || !x->steady)
			continue;
		s.first_ns = x->start_ns < s.first_ns ? x->start_ns : s.first_ns;
		s.last_ns = x->start_ns > s.last_ns ? x->start_ns : s.last_ns;
		int64_t end_ns = x->start_ns + x->dur_ns;
		s.last_end_ns = end_ns > s.last_end_ns ? end_ns : s.last_end_ns;
		s.n++;
	}
	return s;
}

/* All activity of a device. */
static void device_events(const struct gen_truth *t, uint32_t device, event_vec *events)
{
	for (size_t i = 0; i < t->modules.n; i++) {
		const struct gen_truth_module *x = &t->modules.items[i];
		if (x->device == device)
			span(events, !t->programs[x->program].top ? IN_OTHER : x->steady ? IN_TOP : IN_WARM_UP,
				x->start_ns, x->dur_ns);
	}
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		const struct gen_op *op = gen_truth_op(t, x);
		int state = !op->communication ? COMPUTE : gen_is_copy(op) ? COPY : COMMUNICATION;
		if (x->device == device && x->steady && t->programs[x->program].top)
			span(events, state, x->start_ns, x->dur_ns);
	}
	if (events->n)
		qsort(events->items, events->n, sizeof(*events->items), by_time);
}

enum {
	KEY_COMPUTE,
	KEY_EXPOSED,
	KEY_COPY,
	KEY_IDLE_IN,
	KEY_BETWEEN,
	KEY_OTHER,
	KEY_WARM_UP,
	KEY_WALL,
	N_KEYS
};
static const char *const keys[N_KEYS] = {"compute_ms", "exposed_communication_ms",
	"exposed_copy_ms", "idle_in_modules_ms", "idle_between_modules_ms", "other_programs_ms",
	"warmup_ms", "wall_ms"};

static void split(
	const event_vec *events, int64_t first_ns, int64_t last_ns, int64_t sums_ns[N_KEYS])
{
	int open[N_STATES] = {0};
	for (size_t i = 0; i + 1 < events->n; i++) {
		const struct event *e = &events->items[i];
		int64_t a = e->at_ns, b = events->items[i + 1].at_ns;
		open[e->state] += e->step;
		a = a > first_ns ? a : first_ns;
		b = b < last_ns ? b : last_ns;
		int outside = open[IN_WARM_UP] ? KEY_WARM_UP : open[IN_OTHER] ? KEY_OTHER : KEY_BETWEEN;
		int key = !open[IN_TOP]			? outside
				  : open[COMPUTE]		? KEY_COMPUTE
				  : open[COMMUNICATION] ? KEY_EXPOSED
				  : open[COPY]			? KEY_COPY
										: KEY_IDLE_IN;
		sums_ns[key] += b > a ? b - a : 0;
	}
	sums_ns[KEY_WALL] = last_ns - first_ns;
}

static void put_step(
	struct gen_truth *t, uint32_t program, const double mean_ns[N_KEYS], bool single)
{
	struct gen_json *j = &t->json;
	gen_json_open(j, "step_ledger", '[');
	gen_json_open(j, NULL, '{');
	gen_json_text(j, "name", t->sc->programs.items[program]->name);
	for (int k = 0; k < N_KEYS; k++)
		if (single && (k == KEY_BETWEEN || k == KEY_WALL))
			gen_json_null(j, keys[k]);
		else
			gen_json_f64(j, keys[k], 1e-6 * mean_ns[k]);
	gen_json_close(j, '}');
	gen_json_close(j, ']');
	gen_json_open(j, "step", '{');
	if (single)
		gen_json_null(j, "period_ms");
	else
		gen_json_f64(j, "period_ms", 1e-6 * mean_ns[KEY_WALL]);
	gen_json_close(j, '}');
}

void gen_truth_ledger(struct gen_truth *t)
{
	struct gen_json *j = &t->json;
	uint32_t step = heaviest(t, GEN_NO_INDEX);
	double mean_ns[N_KEYS] = {0}, n = 0;
	bool single = true;
	gen_json_open(j, "ledger", '[');
	for (uint32_t d = 0; d < t->sc->devices.n; d++) {
		event_vec events = {0};
		int64_t sums_ns[N_KEYS] = {0};
		struct steps s = steps_of(t, step, d);
		if (!s.n && heaviest(t, d) != GEN_NO_INDEX)
			s = steps_of(t, heaviest(t, d), d);
		if (!s.n)
			continue;
		device_events(t, d, &events);
		split(&events, s.first_ns, s.n > 1 ? s.last_ns : s.last_end_ns, sums_ns);
		jr_vec_done(&events);
		gen_json_open(j, NULL, '{');
		gen_json_i64(j, "device", t->sc->devices.items[d].global);
		for (int k = 0; k < N_KEYS; k++)
			gen_json_ms(j, keys[k], sums_ns[k]);
		if (s.n > 1)
			gen_json_f64(j, "steps", s.n - 1);
		else
			gen_json_null(j, "steps");
		gen_json_close(j, '}');
		single = s.n < 2;
		for (int k = 0; k < N_KEYS; k++)
			mean_ns[k] += (double)sums_ns[k] / (single ? 1 : s.n - 1);
		n++;
	}
	gen_json_close(j, ']');
	for (int k = 0; k < N_KEYS; k++)
		mean_ns[k] /= n;
	put_step(t, step, mean_ns, single);
}
