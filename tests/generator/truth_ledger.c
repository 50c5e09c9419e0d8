/*
 * truth_ledger.c - the steady wall of each device, split by what it was doing (analyses.md 3).
 */
#include <stdlib.h>

#include "truth_frames.h"

enum { IN_TOP, IN_OTHER, COMPUTE, COMMUNICATION, COPY, N_STATES };

struct event {
	int64_t at_ns;
	int state, step;
};

typedef JR_VEC(struct event) event_vec;

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	return x->at_ns < y->at_ns ? -1 : x->at_ns > y->at_ns;
}

static void span(event_vec *events, int state, int64_t start, int64_t dur)
{
	*jr_vec_add(events) = (struct event){start, state, 1};
	*jr_vec_add(events) = (struct event){start + dur, state, -1};
}

/* All that happens on a device, and the wall: false where nothing steady ran. */
static bool device_events(
	const struct gen_truth *t, uint32_t device, event_vec *events, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (size_t i = 0; i < t->modules.n; i++) {
		const struct gen_truth_module *x = &t->modules.items[i];
		bool top = x->steady && t->programs[x->program].top;
		if (x->device != device)
			continue;
		span(events, top ? IN_TOP : IN_OTHER, x->start_ns, x->dur_ns);
		if (!top)
			continue;
		*first = x->start_ns < *first ? x->start_ns : *first;
		*last = x->start_ns + x->dur_ns > *last ? x->start_ns + x->dur_ns : *last;
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
	return *first <= *last;
}

void gen_truth_ledger(struct gen_truth *t)
{
	static const char *const keys[] = {"compute_ms", "exposed_communication_ms", "exposed_copy_ms",
		"idle_in_modules_ms", "idle_between_modules_ms", "other_programs_ms"};
	enum { KEY_COMPUTE, KEY_EXPOSED, KEY_COPY, KEY_IDLE_IN, KEY_BETWEEN, KEY_OTHER, N_KEYS };
	struct gen_json *j = &t->json;
	gen_json_open(j, "ledger", '[');
	for (uint32_t d = 0; d < t->sc->devices.n; d++) {
		event_vec events = {0};
		int64_t first, last, sums[N_KEYS] = {0};
		int open[N_STATES] = {0};
		if (device_events(t, d, &events, &first, &last)) {
			for (size_t i = 0; i + 1 < events.n; i++) {
				const struct event *e = &events.items[i];
				int64_t a = e->at_ns, b = events.items[i + 1].at_ns;
				open[e->state] += e->step;
				a = a > first ? a : first;
				b = b < last ? b : last;
				int key = !open[IN_TOP]			? open[IN_OTHER] ? KEY_OTHER : KEY_BETWEEN
						  : open[COMPUTE]		? KEY_COMPUTE
						  : open[COMMUNICATION] ? KEY_EXPOSED
						  : open[COPY]			? KEY_COPY
												: KEY_IDLE_IN;
				sums[key] += b > a ? b - a : 0;
			}
			gen_json_open(j, NULL, '{');
			gen_json_i64(j, "device", t->sc->devices.items[d].global);
			for (int k = 0; k < N_KEYS; k++)
				gen_json_ms(j, keys[k], sums[k]);
			gen_json_ms(j, "wall_ms", last - first);
			gen_json_close(j, '}');
		}
		jr_vec_done(&events);
	}
	gen_json_close(j, ']');
}
