/* The graph of the steps: executions, their order, and the gaps between them. */
#include "analysis/schedule/replay_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/shared/step_window.h"
#include "base/num.h"

/* Limit of cells per thunk row, plus a constant. More cells would mean that devices share few of
 * their thunks. */
#define MOST_CELLS UINT64_C(4)
#define FEW_CELLS 0

struct build {
	const struct jr_profile *p;
	struct jr_replay *r;
	struct jr_arena *arena, *scratch;
	size_t *first_thunk;  /* [modules.n + 1] */
	uint32_t *counts;     /* [n_ops] */
	uint32_t *first_item; /* [n_ops] first index into items */
	uint32_t *items;      /* launch within its segment, by (op, execution) */
};

/* --- thunks per step -------------------------------------------------------------------------- */

static void find_thunks(struct build *b)
{
	b->first_thunk = JR_ARENA_N(b->scratch, size_t, b->p->modules.n + 2);
	for (size_t i = 0; i < b->p->modules.n; i++)
		b->first_thunk[i + 1] = b->first_thunk[i] + b->p->modules.n_thunks[i];
}

/* Set how often an execution of a program runs each thunk at most. */
static void count_thunks(struct build *b)
{
	const struct jr_replay *r = b->r;
	const struct jr_thunks *t = &b->p->thunks;
	b->counts = JR_ARENA_N(b->scratch, uint32_t, b->p->n_ops + 1);
	for (size_t k = 0; k < jr_replay_n_parts(r); k++) {
		uint32_t module = r->parts[k].module;
		if (module == JR_NONE)
			continue;
		for (size_t i = b->first_thunk[module]; i < b->first_thunk[module + 1]; i++)
			if (b->p->ops[t->op[i]].program == b->p->modules.program[module] &&
				jr_thunk_repeat(b->p, i) >= b->counts[t->op[i]] && jr_thunk_repeat(b->p, i) < t->n)
				b->counts[t->op[i]] = jr_thunk_repeat(b->p, i) + 1;
	}
}

/* Set the launch, within a segment of its program, of each execution of a thunk. */
static void find_places(struct build *b)
{
	const struct jr_replay *r = b->r;
	uint32_t n = 0;
	b->first_item = JR_ARENA_N(b->scratch, uint32_t, b->p->n_ops + 2);
	for (size_t op = 0; op < b->p->n_ops; op++) {
		b->first_item[op] = n;
		n += b->counts[op];
	}
	b->items = JR_ARENA_N(b->scratch, uint32_t, n + 1);
	for (size_t k = 0; k < r->n_segments; k++)
		for (uint32_t i = r->segments[k].first; i < r->segments[k].last; i++)
			if (r->order.items[i].op != JR_NONE)
				b->items[b->first_item[r->order.items[i].op] + r->order.items[i].execution] =
					i - r->segments[k].first;
}

/* Set the row of each execution, its duration, and in gap_ns its start until measure() replaces it.
 * Thunks are read in the order of their table. */
static void set_rows(struct build *b)
{
	struct jr_replay *r = b->r;
	const struct jr_thunks *t = &b->p->thunks;
	size_t n = r->n_steps * r->order.n * r->n_devices;
	find_places(b);
	r->rows = JR_ARENA_N(b->arena, uint32_t, n + 1);
	r->dur_ns = JR_ARENA_N(b->arena, int64_t, n + 1);
	r->gap_ns = JR_ARENA_N(b->arena, int64_t, n + 1);
	memset(r->rows, 0xFF, n * sizeof(*r->rows));
	for (size_t k = 0; k < r->n_steps; k++)
		for (size_t s = 0; s < r->n_segments; s++)
			for (size_t d = 0; d < r->n_devices; d++) {
				uint32_t module = jr_replay_part_of(r, k, s, d)->module;
				if (module == JR_NONE)
					continue;
				for (size_t i = b->first_thunk[module]; i < b->first_thunk[module + 1]; i++) {
					if (b->p->ops[t->op[i]].program != r->segments[s].program ||
						jr_thunk_repeat(b->p, i) >= b->counts[t->op[i]])
						continue;
					uint32_t item = r->segments[s].first +
									b->items[b->first_item[t->op[i]] + jr_thunk_repeat(b->p, i)];
					size_t cell = jr_replay_cell(r, k, item, d);
					r->rows[cell] = (uint32_t)i;
					r->dur_ns[cell] = jr_thunk_dur_ns(b->p, i);
					r->gap_ns[cell] =
						jr_replay_aligned(b->p, jr_thunk_start_ns(b->p, i), r->devices[d]);
				}
			}
}

static void link_processes(struct build *b)
{
	struct jr_replay *r = b->r;
	uint32_t *last = JR_ARENA_N(b->scratch, uint32_t, b->p->n_processes + 1);
	r->next_of_process = JR_ARENA_N(b->arena, uint32_t, r->n_devices + 1);
	for (uint32_t d = 0; d < r->n_devices; d++) {
		uint32_t *before = &last[b->p->devices[r->devices[d]].process];
		r->next_of_process[d] = *before ? r->next_of_process[*before - 1] : d;
		if (*before)
			r->next_of_process[*before - 1] = d;
		*before = d + 1;
	}
}

/* Return the number of devices that run a launch in any step. */
static size_t n_devices_of(const struct jr_replay *r, size_t item)
{
	size_t n = 0;
	for (size_t d = 0; d < r->n_devices; d++) {
		bool any = false;
		for (size_t k = 0; k < r->n_steps && !any; k++)
			any = r->rows[jr_replay_cell(r, k, item, d)] != JR_NONE;
		n += any;
	}
	return n;
}

/* Number the groups of devices of each collective, among the replayed devices. */
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
		r->unseen |= op->group_size > n_devices_of(r, i);
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

/* Measured times of one step, together with the dependencies of each launch. */
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
	const struct jr_launch *l = &r->order.items[item];
	for (size_t d = 0; d < r->n_devices; d++) {
		int64_t *lanes = &m->lane_end_ns[d * JR_N_LANES];
		size_t cell = jr_replay_cell(r, m->step, item, d), at = item * r->n_devices + d;
		m->start_ns[at] = m->end_ns[at] = INT64_MIN;
		if (r->rows[cell] == JR_NONE)
			continue;
		int64_t ready_ns = lanes[l->lane];
		if (l->lane != JR_LANE_COMPUTE)
			occupy(&ready_ns, lanes[JR_LANE_COMPUTE]);
		m->start_ns[at] = r->gap_ns[cell];
		m->end_ns[at] = m->start_ns[at] + r->dur_ns[cell];
		r->gap_ns[cell] -= ready_ns;
		occupy(&lanes[l->lane], m->end_ns[at]);
		if (l->joins)
			occupy(&lanes[JR_LANE_COMPUTE], m->end_ns[at]);
	}
}

/* Set by how much each device ends later than the last arrival plus the transfer. */
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

static void measure_segment(struct measured *m, size_t segment)
{
	struct jr_replay *r = m->b->r;
	struct jr_replay_part *parts = jr_replay_part_of(r, m->step, segment, 0);
	for (size_t d = 0; d < r->n_devices; d++)
		for (size_t lane = 0; lane < JR_N_LANES; lane++)
			m->lane_end_ns[d * JR_N_LANES + lane] = parts[d].begin_ns;
	for (size_t i = r->segments[segment].first; i < r->segments[segment].last; i++) {
		const struct jr_launch *l = &r->order.items[i];
		for (size_t d = 0; l->op == JR_NONE && d < r->n_devices; d++)
			m->end_ns[i * r->n_devices + d] = INT64_MIN; /* another wait may refer to it */
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
	r->late_ns = JR_ARENA_N(b->arena, int64_t, r->n_steps * r->n_rendezvous * r->n_devices + 1);
	struct measured m = {.b = b,
		.lane_end_ns = JR_ARENA_N(b->scratch, int64_t, r->n_devices * JR_N_LANES + 1),
		.start_ns = JR_ARENA_N(b->scratch, int64_t, n + 1),
		.end_ns = JR_ARENA_N(b->scratch, int64_t, n + 1),
		.last_ns = JR_ARENA_N(b->scratch, int64_t, r->n_devices + 1),
		.transfer_ns = JR_ARENA_N(b->scratch, int64_t, r->n_devices + 1)};
	for (m.step = 0; m.step < r->n_steps; m.step++)
		for (size_t segment = 0; segment < r->n_segments; segment++)
			measure_segment(&m, segment);
}

/* --- build ------------------------------------------------------------------------------------ */

/* True if the times of all thunks are within the range in which they add up. */
static bool fits(const struct build *b)
{
	const struct jr_replay *r = b->r;
	for (size_t k = 0; k < jr_replay_n_parts(r); k++) {
		uint32_t module = r->parts[k].module;
		for (size_t i = module == JR_NONE ? 0 : b->first_thunk[module];
			 module != JR_NONE && i < b->first_thunk[module + 1]; i++)
			if (!jr_replay_near(b->p, jr_thunk_start_ns(b->p, i), jr_thunk_dur_ns(b->p, i)))
				return false;
	}
	return true;
}

static bool has_room(const struct build *b, uint64_t n_launches, uint64_t cells)
{
	return n_launches <=
		   FEW_CELLS + cells * (b->p->thunks.n + 1) / (b->r->n_steps * b->r->n_devices);
}

/* Return the launches of a program by its schedule, or by their measured starts if there is
 * none. */
static struct jr_launch_order order_of(struct build *b, uint32_t program, uint32_t *counts)
{
	struct jr_replay *r = b->r;
	for (size_t op = 0; op < b->p->n_ops; op++)
		counts[op] = b->p->ops[op].program == program ? b->counts[op] : 0;
	struct jr_launch_order order = jr_launch_order_of(b->p, program, counts, b->scratch);
	if (order.scheduled)
		return order;
	const char *why_not = order.why_not;
	order = jr_launch_order_measured(r, program, counts, b->first_thunk, b->scratch);
	order.why_not = why_not;
	return order;
}

/* Shift the indices of waits and needs of a launch by `by`. */
static struct jr_launch moved(struct jr_launch l, uint32_t by)
{
	l.first += l.op == JR_NONE ? by : 0;
	l.last += l.op == JR_NONE ? by : 0;
	for (int lane = 0; lane < JR_N_LANES; lane++)
		l.needs[lane] += l.needs[lane] ? by : 0;
	return l;
}

/* Concatenate the launches of all segments. If a program without a schedule has asynchronous
 * launches, the whole order counts as not scheduled. */
static bool set_order(struct build *b)
{
	struct jr_replay *r = b->r;
	struct jr_launch_order *orders =
		JR_ARENA_N(b->scratch, struct jr_launch_order, b->p->n_programs + 1);
	uint32_t *counts = JR_ARENA_N(b->scratch, uint32_t, b->p->n_ops + 1);
	uint8_t *known = JR_ARENA_N(b->scratch, uint8_t, b->p->n_programs + 1);
	uint64_t n = 0;
	r->order.scheduled = true;
	for (size_t k = 0; k < r->n_segments; k++) {
		uint32_t program = r->segments[k].program;
		if (!known[program]++)
			orders[program] = order_of(b, program, counts);
		n += orders[program].n;
		if (!has_room(b, n, 2 * MOST_CELLS))
			return false;
		if (orders[program].scheduled)
			continue;
		for (size_t i = 0; i < orders[program].n && r->order.scheduled; i++)
			r->order.scheduled = orders[program].items[i].lane == JR_LANE_COMPUTE;
		if (program == r->program || !r->order.why_not)
			r->order.why_not = orders[program].why_not;
		r->order.scheduled &= program != r->program;
	}
	r->order.items = JR_ARENA_N(b->arena, struct jr_launch, n + 1);
	for (size_t k = 0; k < r->n_segments; k++) {
		const struct jr_launch_order *o = &orders[r->segments[k].program];
		r->segments[k].first = (uint32_t)r->order.n;
		for (size_t i = 0; i < o->n; i++)
			r->order.items[r->order.n++] = moved(o->items[i], r->segments[k].first);
		r->segments[k].last = (uint32_t)r->order.n;
	}
	return r->order.n > 0;
}

static bool build(struct build *b)
{
	find_thunks(b);
	count_thunks(b);
	uint64_t n = 0;
	for (size_t i = 0; i < b->p->n_ops; i++)
		n += b->counts[i];
	if (!has_room(b, n, MOST_CELLS) || !fits(b) || !set_order(b))
		return false;
	set_rows(b);
	link_processes(b);
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
	struct build b = {.p = ctx->profile, .r = r, .arena = arena, .scratch = &scratch};
	bool built = jr_replay_find_steps(ctx, r, arena, &scratch) && build(&b);
	jr_arena_done(&scratch);
	if (!built)
		return NULL;
	r->period_ns = jr_replay_measured_period(r);
	/* Programs that run only between some steps, such as an evaluation, have a random share in a
	 * sample. */
	if (r->n_all > r->n_steps && !ctx->windows->numbered && isfinite(ctx->windows->mean_ns))
		r->period_ns = ctx->windows->mean_ns;
	for (int hosting = 0; hosting < JR_N_HOSTING; hosting++)
		r->settled_ns[hosting] = jr_replay_settled_period(r, NULL, (enum jr_hosting)hosting);
	jr_replay_check(r, arena);
	return r;
}

const char *jr_replay_range_text(struct jr_arena *arena, double low_ns, double high_ns)
{
	char text[JR_NUM_MAX];
	if (isnan(low_ns))
		return "not known";
	jr_num_time_range(text, low_ns, high_ns, jr_num_time);
	return jr_arena_strdup(arena, text);
}

struct jr_op_change *jr_op_changes_new(const struct jr_profile *profile, struct jr_arena *arena)
{
	struct jr_op_change *changes = JR_ARENA_N(arena, struct jr_op_change, profile->n_ops + 1);
	for (size_t i = 0; i < profile->n_ops; i++)
		changes[i] = (struct jr_op_change){1, INT64_MAX, -1};
	return changes;
}
