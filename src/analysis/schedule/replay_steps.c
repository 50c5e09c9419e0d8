/* Divide the profile into steps: on each device, the executions from one start of the program of
 * the steps to the next. A device that does not run that program (a pipeline stage) takes its steps
 * from an execution that it shares with a device of known steps. */
#include "analysis/schedule/replay_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/shared/step_window.h"
#include "base/order.h"
#include "base/sort.h"

/* Maximum number of consecutive stages. */
#define MOST_STAGES 64
/* Limit of parts per module row, plus a constant. Many programs that run on one of many devices
 * leave most parts empty. */
#define MOST_PARTS 16
#define FEW_PARTS 1000000

struct steps {
	const struct jr_pass_context *ctx;
	const struct jr_profile *p;
	struct jr_replay *r;
	struct jr_arena *scratch;
	uint8_t *is_in;       /* [n_devices of the profile] true if its steps are known */
	size_t *first;        /* [n_devices of the profile + 1] first module row */
	uint32_t *device_of;  /* [n_devices of the profile] index among the replayed, or JR_NONE */
	uint32_t *step_of;    /* [modules.n] number among the steps that all devices have, or JR_NONE */
	uint32_t *nth;        /* [modules.n] executions of its program before it in its step */
	uint8_t *opens;       /* [modules.n] true if a step of its device begins with it */
	uint8_t *kept;        /* [modules.n] true if each step has it */
	uint32_t *segment_of; /* [modules.n] set for kept modules of common steps */
	size_t n_counted;     /* steps that are followed by another one */
};

/* --- devices that run the program of the steps ------------------------------------------------ */

static bool is_step(const struct steps *s, size_t module)
{
	const struct jr_modules *m = &s->p->modules;
	return s->ctx->windows->begins[module] != JR_NONE && s->is_in[m->device[module]] &&
		   jr_replay_near(s->p, m->start_ns[module], m->dur_ns[module]);
}

static bool has_clock(const struct jr_profile *p, uint32_t device)
{
	return fabs(p->devices[device].correction_ns) < (double)JR_REPLAY_MOST_NS;
}

static size_t find_main_devices(struct steps *s)
{
	size_t n = 0;
	for (uint32_t d = 0; d < s->p->n_devices; d++) {
		s->is_in[d] = s->ctx->windows->devices[d].main && has_clock(s->p, d);
		n += s->is_in[d];
	}
	for (size_t i = 0; i < s->p->modules.n; i++)
		s->first[s->p->modules.device[i] + 1]++;
	for (size_t d = 0; d < s->p->n_devices; d++)
		s->first[d + 1] += s->first[d];
	return n;
}

/* Number the steps that all n_main devices have. Later modules of a device belong to the step that
 * began last. */
static void find_main_steps(struct steps *s, size_t n_main)
{
	const struct jr_modules *m = &s->p->modules;
	const uint32_t *begins = s->ctx->windows->begins;
	uint32_t first = UINT32_MAX, last = 0;
	for (size_t i = 0; i < m->n; i++) {
		if (!is_step(s, i))
			continue;
		first = begins[i] < first ? begins[i] : first;
		last = begins[i] > last ? begins[i] : last;
	}
	if (first > last || (uint64_t)last - first >= m->n)
		return;
	size_t range = (size_t)(last - first) + 1;
	uint32_t *seen = JR_ARENA_N(s->scratch, uint32_t, range);
	for (size_t i = 0; i < m->n; i++)
		if (is_step(s, i))
			seen[begins[i] - first]++;
	for (size_t k = 0; k < range; k++)
		seen[k] = seen[k] == n_main ? (uint32_t)s->r->n_all++ : JR_NONE;
	for (size_t d = 0; d < s->p->n_devices; d++) {
		uint32_t step = JR_NONE;
		for (size_t i = s->first[d]; s->is_in[d] && i < s->first[d + 1]; i++) {
			if (is_step(s, i)) {
				step = seen[begins[i] - first];
				s->opens[i] = 1;
			}
			s->step_of[i] = jr_replay_near(s->p, m->start_ns[i], m->dur_ns[i]) ? step : JR_NONE;
		}
	}
}

/* --- common parts of the steps ---------------------------------------------------------------- */

/* Count of a program's executions on the current device. */
struct tally {
	uint32_t step, n; /* current step, and executions in it */
	uint32_t least;   /* minimum over the steps before */
	uint32_t n_steps; /* steps with any execution, without the last one */
};

static void close_tally(const struct steps *s, struct tally *t)
{
	if (t->step >= s->n_counted)
		return;
	t->least = t->n_steps == 0 || t->n < t->least ? t->n : t->least;
	t->n_steps++;
}

/* Keep the executions of a device that every step has. */
static void keep_common(struct steps *s, size_t device, struct tally *tallies)
{
	const struct jr_modules *m = &s->p->modules;
	size_t begin = s->first[device], end = s->first[device + 1];
	for (size_t i = begin; i < end; i++)
		tallies[m->program[i]] = (struct tally){.step = JR_NONE};
	for (size_t i = begin; i < end; i++) {
		struct tally *t = &tallies[m->program[i]];
		if (s->step_of[i] == JR_NONE)
			continue;
		if (t->step != s->step_of[i]) {
			close_tally(s, t);
			t->step = s->step_of[i];
			t->n = 0;
		}
		s->nth[i] = t->n++;
	}
	for (size_t i = begin; i < end; i++) {
		close_tally(s, &tallies[m->program[i]]);
		tallies[m->program[i]].step = JR_NONE;
	}
	for (size_t i = begin; i < end; i++) {
		const struct tally *t = &tallies[m->program[i]];
		s->kept[i] = s->step_of[i] != JR_NONE && t->n_steps == s->n_counted && s->nth[i] < t->least;
	}
}

/* --- other stages ----------------------------------------------------------------------------- */

/* Add the first execution in each step of programs that communicate: (program, execution) ->
 * step. */
static void offer_device(
	const struct steps *s, size_t device, const uint8_t *communicates, struct jr_map *step_of)
{
	const struct jr_modules *m = &s->p->modules;
	for (size_t i = s->first[device]; i < s->first[device + 1]; i++) {
		uint64_t key = jr_key2(m->program[i], m->program_execution[i]);
		if (s->kept[i] && s->nth[i] == 0 && communicates[m->program[i]] &&
			jr_map_get(step_of, key) == JR_NONE)
			jr_map_put(step_of, key, s->step_of[i]);
	}
}

/* Take a device's steps from the first program that it shares in all of them. */
static bool join_device(
	struct steps *s, size_t device, const struct jr_map *step_of, uint32_t *n_shared)
{
	const struct jr_modules *m = &s->p->modules;
	size_t begin = s->first[device], end = s->first[device + 1];
	uint32_t program = JR_NONE, step = JR_NONE;
	for (size_t i = begin; i < end; i++)
		n_shared[m->program[i]] = 0;
	for (size_t i = begin; i < end; i++) {
		uint32_t of = jr_map_get(step_of, jr_key2(m->program[i], m->program_execution[i]));
		n_shared[m->program[i]] += of < s->n_counted;
	}
	for (size_t i = begin; i < end && program == JR_NONE; i++)
		if (n_shared[m->program[i]] == s->n_counted)
			program = m->program[i];
	if (program == JR_NONE)
		return false;
	for (size_t i = begin; i < end; i++) {
		uint32_t of = m->program[i] == program
						  ? jr_map_get(step_of, jr_key2(program, m->program_execution[i]))
						  : JR_NONE;
		if (of != JR_NONE) {
			step = of;
			s->opens[i] = 1;
		}
		s->step_of[i] = jr_replay_near(s->p, m->start_ns[i], m->dur_ns[i]) ? step : JR_NONE;
	}
	return true;
}

static void join_stages(struct steps *s, struct tally *tallies)
{
	const struct jr_profile *p = s->p;
	uint8_t *communicates = JR_ARENA_N(s->scratch, uint8_t, p->n_programs + 1);
	uint32_t *n_shared = JR_ARENA_N(s->scratch, uint32_t, p->n_programs + 1);
	struct jr_map step_of = {0};
	for (size_t i = 0; i < p->n_ops; i++)
		communicates[p->ops[i].program] |= jr_is_rendezvous(p, &p->ops[i]);
	for (size_t d = 0; d < p->n_devices; d++)
		if (s->is_in[d])
			offer_device(s, d, communicates, &step_of);
	bool any = true;
	for (int stage = 0; any && stage < MOST_STAGES; stage++) {
		any = false;
		for (uint32_t d = 0; d < p->n_devices; d++) {
			if (s->is_in[d] || !has_clock(p, d) || !join_device(s, d, &step_of, n_shared))
				continue;
			s->is_in[d] = 1;
			any = true;
			keep_common(s, d, tallies);
			offer_device(s, d, communicates, &step_of);
		}
	}
	jr_map_done(&step_of);
}

/* --- segments --------------------------------------------------------------------------------- */

struct begin {
	int64_t ns;
	uint32_t program, nth, segment;
};

JR_ORDER(compare_begins, struct begin, JR_UP(ns) JR_UP(program) JR_UP(nth))

static void number_segments(struct steps *s, struct jr_arena *arena)
{
	const struct jr_modules *m = &s->p->modules;
	struct jr_replay *r = s->r;
	struct begin *begins = JR_ARENA_N(s->scratch, struct begin, m->n + 1);
	struct jr_map numbers = {0};
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++) {
		uint64_t key = jr_key2(m->program[i], s->nth[i]);
		if (!s->kept[i] || s->step_of[i] != 0)
			continue;
		int64_t begin_ns = jr_replay_aligned(s->p, m->start_ns[i], m->device[i]);
		uint32_t number = jr_map_get(&numbers, key);
		if (number == JR_NONE) {
			number = (uint32_t)n++;
			jr_map_put(&numbers, key, number);
			begins[number] = (struct begin){begin_ns, m->program[i], s->nth[i], number};
		}
		/* the last device counts: one that waits inside may have begun it long before */
		if (begin_ns > begins[number].ns)
			begins[number].ns = begin_ns;
	}
	jr_sort(begins, n, sizeof(*begins), compare_begins);
	uint32_t *place = JR_ARENA_N(s->scratch, uint32_t, n + 1);
	r->n_segments = n;
	r->segments = JR_ARENA_N(arena, struct jr_replay_segment, n + 1);
	for (uint32_t k = 0; k < n; k++) {
		place[begins[k].segment] = k;
		r->segments[k] = (struct jr_replay_segment){.program = begins[k].program,
			.other = !s->ctx->steady->programs[begins[k].program].top};
		if (begins[k].program == r->program && begins[k].nth == 0)
			r->main = k;
	}
	for (size_t i = 0; i < m->n; i++) {
		uint32_t number =
			s->kept[i] ? jr_map_get(&numbers, jr_key2(m->program[i], s->nth[i])) : JR_NONE;
		s->segment_of[i] = number == JR_NONE ? JR_NONE : place[number];
	}
	jr_map_done(&numbers);
}

/* True if each device runs its segments in that order in each step, and the table of parts is
 * within its limit. */
static bool in_order(const struct steps *s)
{
	const struct jr_modules *m = &s->p->modules;
	size_t n_devices = 0;
	uint32_t last = 0;
	for (size_t i = 0; i < m->n; i++) {
		if (s->segment_of[i] == JR_NONE)
			continue;
		if (!s->opens[i] && s->segment_of[i] <= last)
			return false;
		last = s->segment_of[i];
	}
	for (size_t d = 0; d < s->p->n_devices; d++)
		n_devices += s->is_in[d];
	return s->r->n_segments * n_devices * JR_REPLAY_STEPS <=
		   FEW_PARTS + MOST_PARTS * (uint64_t)m->n;
}

/* Keep only the program of the steps. Everything else counts as time between its executions. */
static void keep_main(struct steps *s)
{
	const struct jr_modules *m = &s->p->modules;
	for (size_t i = 0; i < m->n; i++) {
		s->kept[i] = s->opens[i] && m->program[i] == s->r->program && s->step_of[i] != JR_NONE;
		s->nth[i] = 0;
	}
	for (size_t d = 0; d < s->p->n_devices; d++)
		s->is_in[d] = s->is_in[d] && s->ctx->windows->devices[d].main;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* Set the time from the end of a module to the start of the device's next module of the steps. Also
 * set the part of this time in which no module runs. */
static void set_between(const struct steps *s, struct jr_replay_part *part)
{
	const struct jr_modules *m = &s->p->modules;
	uint32_t device = m->device[part->module];
	int64_t at_ns = m->start_ns[part->module] + m->dur_ns[part->module], begin_ns = at_ns;
	for (size_t i = part->module + 1; i < s->first[device + 1]; i++) {
		int64_t start_ns = m->start_ns[i], end_ns = start_ns + m->dur_ns[i];
		if (start_ns > at_ns)
			part->idle_ns += start_ns - at_ns;
		if (s->opens[i] ||
			(s->segment_of[i] != JR_NONE && s->step_of[i] == s->step_of[part->module])) {
			part->between_ns = start_ns - begin_ns;
			part->next = s->segment_of[i] == JR_NONE ? JR_NONE : (uint32_t)i;
			return;
		}
		at_ns = end_ns > at_ns ? end_ns : at_ns;
	}
	part->idle_ns = 0;
}

/* Return how many of the steps are replayed. */
static size_t number_of_steps(const struct steps *s)
{
	size_t n = s->r->n_all, thunks = s->p->thunks.n / n + 1, room = JR_REPLAY_THUNKS / thunks;
	room = room < JR_REPLAY_FEW_STEPS ? JR_REPLAY_FEW_STEPS : room;
	room = room > JR_REPLAY_STEPS ? JR_REPLAY_STEPS : room;
	return n < room ? n : room;
}

/* Choose the steps to replay, evenly from n_all. Periods are the steps with a next step. */
static void choose_steps(struct steps *s, struct jr_arena *arena)
{
	struct jr_replay *r = s->r;
	const struct jr_modules *m = &s->p->modules;
	uint32_t *devices = JR_ARENA_N(arena, uint32_t, s->p->n_devices + 1);
	uint32_t *sampled = JR_ARENA_N(s->scratch, uint32_t, r->n_all + 1);
	memset(sampled, 0xFF, r->n_all * sizeof(*sampled));
	for (uint32_t d = 0; d < s->p->n_devices; d++) {
		s->device_of[d] = s->is_in[d] ? (uint32_t)r->n_devices : JR_NONE;
		if (s->is_in[d])
			devices[r->n_devices++] = d;
	}
	r->devices = devices;
	r->n_steps = number_of_steps(s);
	r->n_periods = r->n_steps > 1 ? r->n_steps - 1 : 1;
	for (size_t k = 0; k < r->n_steps; k++)
		sampled[jr_replay_step_number(r, k)] = (uint32_t)k;
	size_t n = r->n_steps * r->n_segments * r->n_devices;
	r->parts = JR_ARENA_N(arena, struct jr_replay_part, n + 1);
	r->between_all_ns = JR_ARENA_N(arena, double, r->n_devices + 1);
	for (size_t i = 0; i < n; i++)
		r->parts[i].module = r->parts[i].next = JR_NONE;
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t k = s->segment_of[i] == JR_NONE ? JR_NONE : sampled[s->step_of[i]];
		uint32_t d = s->device_of[m->device[i]];
		if (k == JR_NONE || d == JR_NONE)
			continue;
		struct jr_replay_part *part = jr_replay_part_of(r, k, s->segment_of[i], d);
		part->module = i;
		part->begin_ns = jr_replay_aligned(s->p, m->start_ns[i], r->devices[d]);
		part->end_ns = part->begin_ns + m->dur_ns[i];
		if (k + 1 < r->n_steps)
			set_between(s, part);
		r->between_all_ns[d] += part->between_ns > 0 ? (double)part->between_ns : 0;
	}
}

/* --- all of it -------------------------------------------------------------------------------- */

static void find_kept(struct steps *s)
{
	s->n_counted = s->r->n_all - 1;
	if (s->n_counted == 0) {
		keep_main(s);
		return;
	}
	struct tally *tallies = JR_ARENA_N(s->scratch, struct tally, s->p->n_programs + 1);
	for (size_t d = 0; d < s->p->n_devices; d++)
		if (s->is_in[d])
			keep_common(s, d, tallies);
	join_stages(s, tallies);
}

bool jr_replay_find_steps(const struct jr_pass_context *ctx, struct jr_replay *r,
	struct jr_arena *arena, struct jr_arena *scratch)
{
	const struct jr_profile *p = ctx->profile;
	size_t n = p->modules.n + 1;
	struct steps s = {.ctx = ctx,
		.p = p,
		.r = r,
		.scratch = scratch,
		.is_in = JR_ARENA_N(scratch, uint8_t, p->n_devices + 1),
		.first = JR_ARENA_N(scratch, size_t, p->n_devices + 2),
		.device_of = JR_ARENA_N(scratch, uint32_t, p->n_devices + 1),
		.step_of = JR_ARENA_N(scratch, uint32_t, n),
		.nth = JR_ARENA_N(scratch, uint32_t, n),
		.opens = JR_ARENA_N(scratch, uint8_t, n),
		.kept = JR_ARENA_N(scratch, uint8_t, n),
		.segment_of = JR_ARENA_N(scratch, uint32_t, n)};
	memset(s.step_of, 0xFF, n * sizeof(*s.step_of));
	find_main_steps(&s, find_main_devices(&s));
	if (r->n_all == 0)
		return false;
	bool numbered = ctx->windows->numbered;
	if (numbered && r->n_all == 1)
		return false;
	find_kept(&s);
	number_segments(&s, arena);
	if (!in_order(&s)) {
		if (numbered) /* numbered steps do not consist of a single program */
			return false;
		keep_main(&s);
		number_segments(&s, arena);
	}
	choose_steps(&s, arena);
	jr_replay_find_hosts(p, r, s.segment_of, s.step_of, arena, scratch);
	return true;
}
