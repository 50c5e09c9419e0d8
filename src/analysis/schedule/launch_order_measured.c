/* Without a schedule, launches are ordered by their starts. Launches and waits of asynchronous
 * thunks follow from thunks that never overlapped them. */
#include "analysis/schedule/replay_parts.h"
#include "base/order.h"
#include "base/sort.h"

#include <string.h>

/* Limit of looks per row of a thunk, plus a constant, as a bound for hostile rows. */
#define MOST_LOOKS 64
#define FEW_LOOKS 1000000

/* An execution of a thunk, with its start in the first step that has it. */
struct seen {
	int64_t after_ns; /* since the start of its module */
	uint32_t op, execution;
};

struct guess {
	const struct jr_replay *r;
	const struct jr_profile *p;
	const size_t *first_thunk;
	uint32_t *first_of_op; /* [n_ops + 1] index of its execution 0 among all executions */
	size_t n;              /* executions of thunks per step */
	struct seen *seen;     /* [n] sorted */
	size_t n_modules;      /* executions of the program in the steps */
	uint32_t *modules;     /* [n_modules] rows of modules */
	uint32_t *rows;        /* [n][n_modules] rows of thunks, JR_NONE */
	uint32_t *compute; /* [n_compute] indices into `seen` of thunks on the compute lane, sorted */
	size_t n_compute;
	size_t *behind;      /* [n] if asynchronous: launched after this many of `compute` */
	size_t *until;       /* [n] and waited for before this one; n_compute: never */
	uint64_t looks_left; /* limit of looks at rows: long thunks overlap many others */
	struct jr_arena *scratch;
};

JR_ORDER(compare_seen, struct seen, JR_UP(after_ns) JR_UP(op) JR_UP(execution))

/* --- the order -------------------------------------------------------------------------------- */

static void find_seen(struct guess *g, const uint32_t *counts)
{
	const struct jr_thunks *t = &g->p->thunks;
	g->first_of_op = JR_ARENA_N(g->scratch, uint32_t, g->p->n_ops + 2);
	for (size_t op = 0; op < g->p->n_ops; op++)
		g->first_of_op[op + 1] = g->first_of_op[op] + counts[op];
	g->n = g->first_of_op[g->p->n_ops];
	g->seen = JR_ARENA_N(g->scratch, struct seen, g->n + 1);
	for (uint32_t op = 0; op < g->p->n_ops; op++)
		for (uint32_t k = 0; k < counts[op]; k++)
			g->seen[g->first_of_op[op] + k] = (struct seen){INT64_MAX, op, k};
	for (size_t m = 0; m < g->n_modules; m++) {
		uint32_t module = g->modules[m];
		for (size_t i = g->first_thunk[module]; i < g->first_thunk[module + 1]; i++) {
			if (jr_thunk_repeat(g->p, i) >= counts[t->op[i]])
				continue;
			struct seen *s = &g->seen[g->first_of_op[t->op[i]] + jr_thunk_repeat(g->p, i)];
			if (s->after_ns == INT64_MAX)
				s->after_ns = jr_thunk_start_ns(g->p, i) - g->p->modules.start_ns[module];
		}
	}
	jr_sort(g->seen, g->n, sizeof(*g->seen), compare_seen);
}

static void set_rows(struct guess *g, const uint32_t *counts)
{
	const struct jr_thunks *t = &g->p->thunks;
	uint32_t *place = JR_ARENA_N(g->scratch, uint32_t, g->n + 1);
	g->rows = JR_ARENA_N(g->scratch, uint32_t, g->n * g->n_modules + 1);
	memset(g->rows, 0xFF, g->n * g->n_modules * sizeof(*g->rows));
	for (size_t i = 0; i < g->n; i++)
		place[g->first_of_op[g->seen[i].op] + g->seen[i].execution] = (uint32_t)i;
	for (size_t m = 0; m < g->n_modules; m++) {
		uint32_t module = g->modules[m];
		for (size_t i = g->first_thunk[module]; i < g->first_thunk[module + 1]; i++)
			if (jr_thunk_repeat(g->p, i) < counts[t->op[i]])
				g->rows[place[g->first_of_op[t->op[i]] + jr_thunk_repeat(g->p, i)] * g->n_modules +
						m] = (uint32_t)i;
	}
}

/* True if `first` had always ended when `then` began, or if the limit of looks is reached. */
static bool always_ahead(struct guess *g, size_t first, size_t then)
{
	const uint32_t *a = &g->rows[first * g->n_modules], *b = &g->rows[then * g->n_modules];
	for (size_t m = 0; m < g->n_modules && g->looks_left; m++) {
		g->looks_left--; /* also counts the look that returns */
		if (a[m] != JR_NONE && b[m] != JR_NONE &&
			jr_thunk_end_ns(g->p, a[m]) > jr_thunk_start_ns(g->p, b[m]))
			return false;
	}
	return true;
}

static void place_asides(struct guess *g)
{
	size_t least[JR_N_LANES] = {0}, n = 0;
	g->looks_left = FEW_LOOKS + MOST_LOOKS * (uint64_t)g->n * g->n_modules;
	g->compute = JR_ARENA_N(g->scratch, uint32_t, g->n + 1);
	g->behind = JR_ARENA_N(g->scratch, size_t, g->n + 1);
	g->until = JR_ARENA_N(g->scratch, size_t, g->n + 1);
	for (uint32_t i = 0; i < g->n; i++)
		if (jr_lane_of(g->p, &g->p->ops[g->seen[i].op]) == JR_LANE_COMPUTE)
			g->compute[g->n_compute++] = i;
	for (uint32_t i = 0; i < g->n; i++) {
		enum jr_lane lane = jr_lane_of(g->p, &g->p->ops[g->seen[i].op]);
		if (lane == JR_LANE_COMPUTE) {
			n++;
			continue;
		}
		size_t behind = n, until = n;
		while (behind > least[lane] && !always_ahead(g, g->compute[behind - 1], i))
			behind--;
		while (until < g->n_compute && !always_ahead(g, i, g->compute[until]))
			until++;
		g->behind[i] = least[lane] = behind;
		g->until[i] = until;
	}
}

/* --- launches --------------------------------------------------------------------------------- */

struct entry {
	size_t place;  /* before this one of `compute` */
	uint32_t what; /* index into `seen` */
	uint8_t kind;  /* an asynchronous launch, a wait, or a compute launch */
};
enum { LAUNCH_ASIDE, WAIT, COMPUTE };

JR_ORDER(compare_entries, struct entry, JR_UP(place) JR_UP(kind) JR_UP(what))

static size_t list_entries(const struct guess *g, struct entry *entries)
{
	size_t n = 0, n_compute = 0;
	for (uint32_t i = 0; i < g->n; i++) {
		if (n_compute < g->n_compute && g->compute[n_compute] == i) {
			entries[n++] = (struct entry){n_compute++, i, COMPUTE};
			continue;
		}
		entries[n++] = (struct entry){g->behind[i], i, LAUNCH_ASIDE};
		if (g->until[i] < g->n_compute)
			entries[n++] = (struct entry){g->until[i], i, WAIT};
	}
	jr_sort(entries, n, sizeof(*entries), compare_entries);
	return n;
}

static void find_modules(struct guess *g, uint32_t program)
{
	const struct jr_replay *r = g->r;
	g->modules = JR_ARENA_N(g->scratch, uint32_t, jr_replay_n_parts(r) + 1);
	for (size_t k = 0; k < jr_replay_n_parts(r); k++)
		if (r->parts[k].module != JR_NONE && g->p->modules.program[r->parts[k].module] == program)
			g->modules[g->n_modules++] = r->parts[k].module;
}

struct jr_launch_order jr_launch_order_measured(const struct jr_replay *replay, uint32_t program,
	const uint32_t *counts, const size_t *first_thunk, struct jr_arena *arena)
{
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct guess g = {
		.r = replay, .p = replay->profile, .first_thunk = first_thunk, .scratch = &scratch};
	struct jr_launch_order order = {0};
	find_modules(&g, program);
	find_seen(&g, counts);
	set_rows(&g, counts);
	place_asides(&g);
	struct entry *entries = JR_ARENA_N(&scratch, struct entry, 2 * g.n + 1);
	uint32_t *launch_of = JR_ARENA_N(&scratch, uint32_t, g.n + 1);
	order.n = list_entries(&g, entries);
	order.items = JR_ARENA_N(arena, struct jr_launch, order.n + 1);
	for (uint32_t i = 0; i < order.n; i++) {
		const struct seen *s = &g.seen[entries[i].what];
		const struct jr_op *op = &g.p->ops[s->op];
		if (entries[i].kind == WAIT) {
			uint32_t launch = launch_of[entries[i].what];
			order.items[i] = (struct jr_launch){.op = JR_NONE, .first = launch, .last = launch + 1};
			continue;
		}
		launch_of[entries[i].what] = i;
		order.items[i] = (struct jr_launch){.op = s->op,
			.execution = s->execution,
			.lane = (uint8_t)jr_lane_of(g.p, op),
			.rendezvous = jr_is_rendezvous(g.p, op)};
	}
	jr_arena_done(&scratch);
	return order;
}
