/* The graph of the steps: which executions, in which order, and what goes by between them. */
#include "analysis/replay.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/steady.h"
#include "analysis/step_window.h"
#include "base/vec.h"

/* Cells beyond so many a thunk row would mean that devices hardly share what they run. */
#define MOST_CELLS UINT64_C(4)
/* Longer spans of time do not go together with figures to the nanosecond (half a year). */
#define MOST_NS (INT64_C(1) << 54)

struct build {
	const struct jr_pass_context *ctx;
	const struct jr_profile *p;
	struct jr_replay *r;
	struct jr_arena *arena, *scratch;
	size_t *first_thunk;  /* [modules.n + 1] */
	uint32_t *device_of;  /* [n_devices of the profile] place among the replayed, JR_NONE */
	uint32_t *executions; /* [r->n_all] program_execution of steady steps that all devices have */
	uint32_t *module_of;  /* [r->n_all][r->n_devices] row of modules */
	uint32_t *counts;     /* [n_ops] */
};

static int64_t rounded(double ns)
{
	return fabs(ns) < 0x1p62 ? llround(ns) : 0;
}

/* On the common clock, whole ns since the profile's origin. */
static int64_t aligned(const struct jr_profile *p, int64_t t_ns, uint32_t device)
{
	return t_ns - p->origin_ns - rounded(p->devices[device].correction_ns);
}

/* --- steps ------------------------------------------------------------------------------------ */

static void find_devices(struct build *b)
{
	const struct jr_profile *p = b->p;
	uint32_t *devices = JR_ARENA_N(b->arena, uint32_t, p->n_devices + 1);
	b->device_of = JR_ARENA_N(b->scratch, uint32_t, p->n_devices + 1);
	for (uint32_t d = 0; d < p->n_devices; d++) {
		bool runs_it = b->ctx->windows->devices[d].program == b->r->program &&
					   fabs(p->devices[d].correction_ns) < (double)MOST_NS;
		b->device_of[d] = runs_it ? (uint32_t)b->r->n_devices : JR_NONE;
		if (runs_it)
			devices[b->r->n_devices++] = d;
	}
	b->r->devices = devices;
}

/* Whether time can be reckoned with: what lies far from the origin does not add up. */
static bool is_near(const struct jr_profile *p, int64_t start_ns, int64_t dur_ns)
{
	int64_t at_ns = start_ns - p->origin_ns;
	return at_ns > -MOST_NS && at_ns < MOST_NS && dur_ns >= 0 && dur_ns < MOST_NS;
}

static bool is_step(const struct build *b, size_t module)
{
	const struct jr_modules *m = &b->p->modules;
	return m->program[module] == b->r->program && m->steady[module] &&
		   b->device_of[m->device[module]] != JR_NONE &&
		   is_near(b->p, m->start_ns[module], m->dur_ns[module]);
}

/* Steady executions that all devices have, by number. */
static void find_steps(struct build *b)
{
	const struct jr_modules *m = &b->p->modules;
	size_t n = b->r->n_devices;
	uint32_t first = UINT32_MAX, last = 0;
	for (size_t i = 0; i < m->n; i++) {
		if (!is_step(b, i))
			continue;
		first = m->program_execution[i] < first ? m->program_execution[i] : first;
		last = m->program_execution[i] > last ? m->program_execution[i] : last;
	}
	if (first > last || (uint64_t)last - first >= m->n)
		return;
	size_t range = (size_t)(last - first) + 1;
	uint32_t *seen = JR_ARENA_N(b->scratch, uint32_t, range), *place;
	for (size_t i = 0; i < m->n; i++)
		if (is_step(b, i))
			seen[m->program_execution[i] - first]++;
	place = JR_ARENA_N(b->scratch, uint32_t, range);
	b->executions = JR_ARENA_N(b->scratch, uint32_t, range);
	for (size_t k = 0; k < range; k++) {
		place[k] = seen[k] == n ? (uint32_t)b->r->n_all : JR_NONE;
		if (seen[k] == n)
			b->executions[b->r->n_all++] = first + (uint32_t)k;
	}
	b->module_of = JR_ARENA_N(b->scratch, uint32_t, b->r->n_all * n + 1);
	for (uint32_t i = 0; i < m->n; i++)
		if (is_step(b, i) && place[m->program_execution[i] - first] != JR_NONE)
			b->module_of[place[m->program_execution[i] - first] * n + b->device_of[m->device[i]]] =
				i;
}

/* From the end of a module to the begin of the next step of its device, with how much of that no
 * module runs. */
static void set_between(const struct build *b, struct jr_replay_part *part)
{
	const struct jr_modules *m = &b->p->modules;
	uint32_t device = m->device[part->module];
	int64_t at_ns = m->start_ns[part->module] + m->dur_ns[part->module], begin_ns = at_ns;
	for (size_t i = part->module + 1; i < m->n && m->device[i] == device; i++) {
		int64_t start_ns = m->start_ns[i], end_ns = start_ns + m->dur_ns[i];
		if (start_ns > at_ns)
			part->idle_ns += start_ns - at_ns;
		if (is_step(b, i)) {
			part->between_ns = start_ns - begin_ns;
			return;
		}
		at_ns = end_ns > at_ns ? end_ns : at_ns;
	}
	part->idle_ns = 0;
}

/* Which of n_all steps are replayed, evenly; periods are those that have a next step. */
static void choose_steps(struct build *b)
{
	struct jr_replay *r = b->r;
	size_t n = r->n_devices;
	r->n_steps = r->n_all < JR_REPLAY_STEPS ? r->n_all : JR_REPLAY_STEPS;
	r->n_periods = r->n_steps > 1 ? r->n_steps - 1 : 1;
	assert(b->module_of);
	r->parts = JR_ARENA_N(b->arena, struct jr_replay_part, r->n_steps * n + 1);
	r->between_all_ns = JR_ARENA_N(b->arena, double, n + 1);
	for (size_t k = 0; k < r->n_steps; k++) {
		size_t step = r->n_steps > 1 ? k * (r->n_all - 1) / (r->n_steps - 1) : 0;
		for (size_t d = 0; d < n; d++) {
			struct jr_replay_part *part = &r->parts[k * n + d];
			part->module = b->module_of[step * n + d];
			part->begin_ns = aligned(b->p, b->p->modules.start_ns[part->module], r->devices[d]);
			part->end_ns = part->begin_ns + b->p->modules.dur_ns[part->module];
			if (k + 1 < r->n_steps)
				set_between(b, part);
			r->between_all_ns[d] += part->between_ns > 0 ? (double)part->between_ns : 0;
		}
	}
}

/* --- thunks of a step ------------------------------------------------------------------------- */

static void find_thunks(struct build *b)
{
	const struct jr_thunks *t = &b->p->thunks;
	b->first_thunk = JR_ARENA_N(b->scratch, size_t, b->p->modules.n + 2);
	for (size_t i = 0; i < t->n; i++)
		if (t->module[i] < b->p->modules.n)
			b->first_thunk[t->module[i] + 1]++;
	for (size_t i = 0; i < b->p->modules.n; i++)
		b->first_thunk[i + 1] += b->first_thunk[i];
}

/* How often a step runs each thunk at most. */
static void count_thunks(struct build *b)
{
	const struct jr_replay *r = b->r;
	const struct jr_thunks *t = &b->p->thunks;
	b->counts = JR_ARENA_N(b->scratch, uint32_t, b->p->n_ops + 1);
	for (size_t k = 0; k < r->n_steps * r->n_devices; k++) {
		uint32_t module = r->parts[k].module;
		for (size_t i = b->first_thunk[module]; i < b->first_thunk[module + 1]; i++)
			if (b->p->ops[t->op[i]].program == r->program &&
				t->thunk_execution[i] >= b->counts[t->op[i]] && t->thunk_execution[i] < t->n)
				b->counts[t->op[i]] = t->thunk_execution[i] + 1;
	}
}

/* Of which launch an execution of a thunk is. */
struct places {
	uint32_t *first_of_op; /* [n_ops + 1] */
	uint32_t *items;       /* by (op, execution) */
};

static struct places find_places(const struct build *b)
{
	const struct jr_launch_order *o = &b->r->order;
	size_t n_ops = b->p->n_ops;
	struct places at = {.first_of_op = JR_ARENA_N(b->scratch, uint32_t, n_ops + 2),
		.items = JR_ARENA_N(b->scratch, uint32_t, o->n + 1)};
	for (size_t op = 0; op < n_ops; op++)
		at.first_of_op[op + 1] =
			at.first_of_op[op] + (b->p->ops[op].program == b->r->program ? b->counts[op] : 0);
	for (size_t i = 0; i < o->n; i++)
		if (o->items[i].op != JR_NONE)
			at.items[at.first_of_op[o->items[i].op] + o->items[i].execution] = (uint32_t)i;
	return at;
}

static void set_rows(struct build *b)
{
	struct jr_replay *r = b->r;
	const struct jr_thunks *t = &b->p->thunks;
	struct places at = find_places(b);
	size_t n = r->n_steps * r->order.n * r->n_devices;
	r->rows = JR_ARENA_N(b->arena, uint32_t, n + 1);
	memset(r->rows, 0xFF, n * sizeof(*r->rows));
	for (size_t k = 0; k < r->n_steps; k++)
		for (size_t d = 0; d < r->n_devices; d++) {
			uint32_t module = r->parts[k * r->n_devices + d].module;
			for (size_t i = b->first_thunk[module]; i < b->first_thunk[module + 1]; i++)
				if (t->thunk_execution[i] < b->counts[t->op[i]])
					r->rows[jr_replay_cell(
						r, k, at.items[at.first_of_op[t->op[i]] + t->thunk_execution[i]], d)] =
						(uint32_t)i;
		}
}

/* Groups of devices of each collective, numbered among those that are replayed. */
static void set_groups(struct build *b)
{
	struct jr_replay *r = b->r;
	r->groups = JR_ARENA_N(b->arena, uint32_t *, b->p->n_ops + 1);
	r->rendezvous = JR_ARENA_N(b->arena, uint32_t, r->order.n + 1);
	for (size_t i = 0; i < r->order.n; i++) {
		const struct jr_launch *l = &r->order.items[i];
		r->rendezvous[i] = JR_NONE;
		if (!l->rendezvous)
			continue;
		r->rendezvous[i] = (uint32_t)r->n_rendezvous++;
		const struct jr_op *op = &b->p->ops[l->op];
		r->unseen |= op->group_size > r->n_devices;
		if (!op->device_group || r->groups[l->op])
			continue;
		uint32_t *groups = JR_ARENA_N(b->arena, uint32_t, r->n_devices + 1), n = 0;
		struct jr_map number_of = {0};
		for (size_t d = 0; d < r->n_devices; d++) {
			uint32_t group = op->device_group[r->devices[d]];
			uint32_t number = group == JR_NONE ? JR_NONE : jr_map_get(&number_of, group);
			groups[d] = number == JR_NONE ? n++ : number;
			if (group != JR_NONE && number == JR_NONE)
				jr_map_put(&number_of, group, groups[d]);
		}
		jr_map_done(&number_of);
		r->groups[l->op] = groups;
	}
}

/* --- gaps ------------------------------------------------------------------------------------- */

/* What was measured of one step, laid beside what each launch waits for. */
struct measured {
	struct build *b;
	size_t step;
	int64_t *lane_end_ns;           /* [n_devices][JR_N_LANES] */
	int64_t *start_ns, *end_ns;     /* [order.n][n_devices] */
	int64_t *last_ns, *transfer_ns; /* [n_devices] scratch of a group */
};

static void occupy(int64_t *lane_end_ns, int64_t end_ns)
{
	if (end_ns > *lane_end_ns)
		*lane_end_ns = end_ns;
}

static void measure_launch(struct measured *m, size_t item)
{
	struct jr_replay *r = m->b->r;
	const struct jr_profile *p = m->b->p;
	const struct jr_launch *l = &r->order.items[item];
	for (size_t d = 0; d < r->n_devices; d++) {
		int64_t *lanes = &m->lane_end_ns[d * JR_N_LANES];
		size_t cell = jr_replay_cell(r, m->step, item, d), at = item * r->n_devices + d;
		uint32_t row = r->rows[cell];
		m->start_ns[at] = m->end_ns[at] = INT64_MIN;
		if (row == JR_NONE)
			continue;
		int64_t ready_ns = lanes[l->lane];
		if (l->lane != JR_LANE_COMPUTE)
			occupy(&ready_ns, lanes[JR_LANE_COMPUTE]);
		m->start_ns[at] = aligned(p, p->thunks.start_ns[row], r->devices[d]);
		m->end_ns[at] = m->start_ns[at] + p->thunks.dur_ns[row];
		r->gap_ns[cell] = m->start_ns[at] - ready_ns;
		occupy(&lanes[l->lane], m->end_ns[at]);
		if (l->joins)
			occupy(&lanes[JR_LANE_COMPUTE], m->end_ns[at]);
	}
}

/* How much later than the last arrival and the transfer each device ends. */
static void measure_release(struct measured *m, size_t item)
{
	struct jr_replay *r = m->b->r;
	const uint32_t *group = r->groups[r->order.items[item].op];
	size_t first = (m->step * r->n_rendezvous + r->rendezvous[item]) * r->n_devices;
	const int64_t *start_ns = &m->start_ns[item * r->n_devices];
	const int64_t *end_ns = &m->end_ns[item * r->n_devices];
	int64_t *late_ns = &r->late_ns[first];
	int64_t *last_ns = m->last_ns, *transfer_ns = m->transfer_ns;
	for (size_t g = 0; g < r->n_devices; g++) {
		last_ns[g] = INT64_MIN;
		transfer_ns[g] = INT64_MAX;
	}
	for (size_t d = 0; d < r->n_devices; d++) {
		size_t g = group ? group[d] : 0;
		if (start_ns[d] == INT64_MIN)
			continue;
		if (end_ns[d] - start_ns[d] < transfer_ns[g])
			transfer_ns[g] = end_ns[d] - start_ns[d];
		occupy(&last_ns[g], start_ns[d]);
	}
	for (size_t d = 0; d < r->n_devices; d++) {
		size_t g = group ? group[d] : 0;
		if (start_ns[d] != INT64_MIN)
			late_ns[d] = end_ns[d] - last_ns[g] - transfer_ns[g];
	}
}

static void measure_step(struct measured *m)
{
	struct jr_replay *r = m->b->r;
	struct jr_replay_part *parts = &r->parts[m->step * r->n_devices];
	for (size_t d = 0; d < r->n_devices; d++)
		for (size_t lane = 0; lane < JR_N_LANES; lane++)
			m->lane_end_ns[d * JR_N_LANES + lane] = parts[d].begin_ns;
	for (size_t i = 0; i < r->order.n; i++) {
		const struct jr_launch *l = &r->order.items[i];
		for (size_t d = 0; l->op == JR_NONE && d < r->n_devices; d++)
			m->end_ns[i * r->n_devices + d] = INT64_MIN; /* it may stand in another wait */
		for (size_t k = l->first; l->op == JR_NONE && k < l->last; k++)
			for (size_t d = 0; d < r->n_devices; d++)
				occupy(&m->lane_end_ns[d * JR_N_LANES], m->end_ns[k * r->n_devices + d]);
		if (l->op == JR_NONE)
			continue;
		measure_launch(m, i);
		if (l->rendezvous)
			measure_release(m, i);
	}
	for (size_t d = 0; d < r->n_devices; d++) {
		int64_t last_ns = parts[d].begin_ns;
		for (size_t lane = 0; lane < JR_N_LANES; lane++)
			occupy(&last_ns, m->lane_end_ns[d * JR_N_LANES + lane]);
		parts[d].tail_ns = parts[d].end_ns - last_ns;
	}
}

static void measure(struct build *b)
{
	struct jr_replay *r = b->r;
	size_t n = r->order.n * r->n_devices;
	r->gap_ns = JR_ARENA_N(b->arena, int64_t, r->n_steps * n + 1);
	r->late_ns = JR_ARENA_N(b->arena, int64_t, r->n_steps * r->n_rendezvous * r->n_devices + 1);
	struct measured m = {.b = b,
		.lane_end_ns = JR_ARENA_N(b->scratch, int64_t, r->n_devices * JR_N_LANES + 1),
		.start_ns = JR_ARENA_N(b->scratch, int64_t, n + 1),
		.end_ns = JR_ARENA_N(b->scratch, int64_t, n + 1),
		.last_ns = JR_ARENA_N(b->scratch, int64_t, r->n_devices + 1),
		.transfer_ns = JR_ARENA_N(b->scratch, int64_t, r->n_devices + 1)};
	for (m.step = 0; m.step < r->n_steps; m.step++)
		measure_step(&m);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Whether the table of launches is about as large as that of the rows in it, and times add up. */
static bool fits(const struct build *b)
{
	const struct jr_replay *r = b->r;
	const struct jr_thunks *t = &b->p->thunks;
	uint64_t n_modules = r->n_steps * r->n_devices, n = 0;
	for (size_t i = 0; i < b->p->n_ops; i++)
		n += b->counts[i];
	for (size_t k = 0; k < n_modules; k++)
		for (size_t i = b->first_thunk[r->parts[k].module];
			 i < b->first_thunk[r->parts[k].module + 1]; i++)
			if (!is_near(b->p, t->start_ns[i], t->dur_ns[i]))
				return false;
	return n <= MOST_CELLS * (t->n + 1) / n_modules;
}

/* The order by the program's schedule; else as it was measured. */
static void set_order(struct build *b)
{
	struct jr_replay *r = b->r;
	r->order = jr_launch_order_of(b->p, r->program, b->counts, b->arena);
	if (!r->order.scheduled) {
		const char *why_not = r->order.why_not;
		r->order = jr_launch_order_measured(r, b->counts, b->first_thunk, b->arena);
		r->order.why_not = why_not;
	}
}

static bool build(struct build *b)
{
	struct jr_replay *r = b->r;
	find_devices(b);
	if (r->n_devices == 0)
		return false;
	find_steps(b);
	if (r->n_all == 0)
		return false;
	choose_steps(b);
	find_thunks(b);
	count_thunks(b);
	if (!fits(b))
		return false;
	set_order(b);
	if (r->order.n == 0 ||
		r->order.n > 2 * MOST_CELLS * (b->p->thunks.n + 1) / (r->n_steps * r->n_devices))
		return false;
	set_rows(b);
	set_groups(b);
	measure(b);
	return true;
}

struct jr_replay *jr_replay_new(const struct jr_pass_context *ctx, struct jr_arena *arena)
{
	if (ctx->steady->n_ranking == 0)
		return NULL;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct jr_replay *r = JR_ARENA_NEW(arena, struct jr_replay);
	r->profile = ctx->profile;
	r->program = ctx->steady->ranking[0];
	r->error_mean = r->error_worst = NAN;
	struct build b = {.ctx = ctx, .p = ctx->profile, .r = r, .arena = arena, .scratch = &scratch};
	bool built = build(&b);
	jr_arena_done(&scratch);
	if (!built)
		return NULL;
	r->period_ns = jr_replay_measured_period(r);
	r->settled_ns = jr_replay_settled_period(r, NULL);
	jr_replay_check(r, arena);
	return r;
}
