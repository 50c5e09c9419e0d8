/*
 * Host nesting of push/pop ranges, and the projection of all ranges onto the GPU
 * (formats/README.md, section 3.2).
 *
 * For each thread, one pass in order of start over ranges and launching calls keeps a stack of open
 * ranges. The parent of a range is the innermost open range that contains it. A launch belongs to
 * the innermost range that contains its call. Sums then go up the tree. Ranges of different domains
 * need not nest. If a later range ends after an earlier one, the earlier range misses launches in
 * the overlap, so its sums are computed from the launches afterwards. The same is done for
 * start/end ranges, which never nest. A start/end range that another thread ends also gets the
 * launches of that thread meanwhile.
 */
#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "base/task.h"
#include "model/export/export.h"
#include "model/export/nesting.h"

/* The push/pop ranges, start/end ranges, ended start/end ranges of other threads, and launches of a
 * thread: slices of `order`, `loose`, `foreign` and `ops`. */
struct lane {
	size_t first_range, n_ranges, first_loose, n_loose, first_foreign, n_foreign, first_op, n_ops;
	uint64_t n_too_deep;
};

struct nest {
	struct jr_export *x;
	uint32_t *order;    /* NVTX rows by (thread, start, end descending, row) */
	uint32_t *loose;    /* NVTX rows of start/end ranges by starting thread */
	uint32_t *foreign;  /* ... by ending thread, if it is another one */
	uint32_t *ops;      /* rows of gpu by (thread, start of the call) */
	struct lane *lanes; /* [rows.n_threads] */
	uint64_t max_depth;
	struct jr_arena scratch;
};

/* --- order ------------------------------------------------------------------------------------ */

JR_ORDER_COLUMNS(compare_ranges, struct jr_timeline_nvtx, JR_UP_AT(start_ns) JR_DOWN_AT(end_ns))

void jr_export_sort_ranges(const struct jr_timeline_nvtx *nvtx, uint32_t *rows, size_t n)
{
	jr_sort_with(rows, n, sizeof(*rows), compare_ranges, (void *)(uintptr_t)nvtx);
}

static int compare_ops(const void *a, const void *b, void *context)
{
	const struct jr_export *x = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	int64_t s = x->rows.calls.start_ns[x->launch[i]], t = x->rows.calls.start_ns[x->launch[j]];
	if (s != t)
		return s < t ? -1 : 1;
	return (i > j) - (i < j);
}

static uint32_t thread_of_op(const struct jr_export *x, size_t op)
{
	return x->launch[op] == JR_NONE ? JR_NONE : x->rows.calls.thread[x->launch[op]];
}

/* Return the thread that ends a start/end range of another thread; JR_NONE: none, or not known. */
static uint32_t ended_by(const struct jr_timeline_nvtx *t, size_t row)
{
	return t->end_thread && t->kind[row] == JR_TIMELINE_START_END ? t->end_thread[row] : JR_NONE;
}

/* Counting sort by thread; within a thread rows keep the order of the file. */
static void split_by_thread(struct nest *nest)
{
	const struct jr_export *x = nest->x;
	const struct jr_timeline_nvtx *t = &x->rows.nvtx;
	size_t n_threads = x->rows.n_threads, n_ranges = 0, n_loose = 0, n_foreign = 0, n_ops = 0;
	for (size_t i = 0; i < t->n; i++) {
		nest->lanes[t->thread[i]].n_ranges += t->kind[i] == JR_TIMELINE_PUSH_POP;
		nest->lanes[t->thread[i]].n_loose += t->kind[i] == JR_TIMELINE_START_END;
		if (ended_by(t, i) != JR_NONE)
			nest->lanes[ended_by(t, i)].n_foreign++;
	}
	for (size_t i = 0; i < x->rows.gpu.n; i++)
		if (thread_of_op(x, i) != JR_NONE)
			nest->lanes[thread_of_op(x, i)].n_ops++;
	for (size_t k = 0; k < n_threads; k++) {
		struct lane *lane = &nest->lanes[k];
		lane->first_range = nest->x->first_of_thread[k] = n_ranges;
		lane->first_loose = n_loose;
		lane->first_foreign = n_foreign;
		lane->first_op = n_ops;
		n_ranges += lane->n_ranges;
		n_loose += lane->n_loose;
		n_foreign += lane->n_foreign;
		n_ops += lane->n_ops;
		lane->n_ranges = lane->n_loose = lane->n_foreign = lane->n_ops = 0;
	}
	nest->foreign = JR_ARENA_N(&nest->scratch, uint32_t, n_foreign + 1);
	nest->loose = JR_ARENA_N(&nest->scratch, uint32_t, n_loose + 1);
	for (uint32_t i = 0; i < t->n; i++) {
		struct lane *lane = &nest->lanes[t->thread[i]];
		if (t->kind[i] == JR_TIMELINE_PUSH_POP)
			nest->order[lane->first_range + lane->n_ranges++] = i;
		else if (t->kind[i] == JR_TIMELINE_START_END)
			nest->loose[lane->first_loose + lane->n_loose++] = i;
		if (ended_by(t, i) == JR_NONE)
			continue;
		lane = &nest->lanes[ended_by(t, i)];
		nest->foreign[lane->first_foreign + lane->n_foreign++] = i;
	}
	for (uint32_t i = 0; i < x->rows.gpu.n; i++) {
		if (thread_of_op(x, i) == JR_NONE)
			continue;
		struct lane *lane = &nest->lanes[thread_of_op(x, i)];
		nest->ops[lane->first_op + lane->n_ops++] = i;
	}
	nest->x->n_order = n_ranges;
	nest->x->first_of_thread[n_threads] = n_ranges;
}

/* --- projection ------------------------------------------------------------------------------- */

struct projection {
	uint32_t n, device;
	uint64_t device_bits;
	int64_t start_ns, end_ns;
};

static void widen(struct projection *p, const struct projection *by)
{
	if (by->n == 0)
		return;
	if (p->n == 0) {
		*p = *by;
		return;
	}
	p->start_ns = by->start_ns < p->start_ns ? by->start_ns : p->start_ns;
	p->end_ns = by->end_ns > p->end_ns ? by->end_ns : p->end_ns;
	if (by->device != p->device)
		p->device = JR_SEVERAL;
	p->device_bits |= by->device_bits;
	if (__builtin_add_overflow(p->n, by->n, &p->n))
		p->n = JR_NONE;
}

static uint64_t bit_of(uint32_t device)
{
	return device < 63 ? UINT64_C(1) << device : JR_FAR_DEVICES;
}

/* Columns of a range without operations are not touched: their pages are not used yet. */
static struct projection of_range(const struct jr_export *x, uint32_t row)
{
	if (x->n_ops[row] == 0)
		return (struct projection){0};
	uint32_t device = x->device[row];
	return (struct projection){x->n_ops[row], device,
		device == JR_SEVERAL ? x->device_bits[row] : bit_of(device), x->gpu_start_ns[row],
		x->gpu_end_ns[row]};
}

static struct projection of_op(const struct jr_export *x, uint32_t op)
{
	const struct jr_timeline_gpu *gpu = &x->rows.gpu;
	uint32_t device = gpu->device[op];
	return (struct projection){1, device, bit_of(device), gpu->start_ns[op], gpu->end_ns[op]};
}

static void set_range(struct jr_export *x, uint32_t row, const struct projection *p)
{
	if (p->n == 0 && x->n_ops[row] == 0)
		return;
	x->n_ops[row] = p->n;
	x->device[row] = p->device;
	if (p->device == JR_SEVERAL)
		x->device_bits[row] = p->device_bits;
	x->gpu_start_ns[row] = p->start_ns;
	x->gpu_end_ns[row] = p->end_ns;
}

static void widen_range(struct jr_export *x, uint32_t row, struct projection by)
{
	struct projection p = of_range(x, row);
	widen(&p, &by);
	set_range(x, row, &p);
}

/* --- the walk --------------------------------------------------------------------------------- */

struct walk {
	struct nest *nest;
	struct lane *lane;
	struct jr_nesting nesting;
	JR_VEC(uint32_t) crossed; /* ranges that a crossing range closed, and start/end ranges */
};

static void enter_range(struct walk *w, uint32_t row)
{
	struct jr_export *x = w->nest->x;
	const struct jr_timeline_nvtx *t = &x->rows.nvtx;
	const struct jr_open_range range = {
		.row = row, .start_ns = t->start_ns[row], .end_ns = t->end_ns[row]};
	x->parent[row] = jr_nesting_enter(&w->nesting, &range, w->nest->max_depth, NULL);
	for (size_t i = 0; i < w->nesting.left.n; i++)
		*jr_vec_add(&w->crossed) = w->nesting.left.items[i].row;
	w->nesting.left.n = 0;
}

static void place_op(struct walk *w, uint32_t op)
{
	struct jr_export *x = w->nest->x;
	uint32_t call = x->launch[op];
	uint32_t row =
		jr_nesting_find(&w->nesting, x->rows.calls.start_ns[call], x->rows.calls.end_ns[call]);
	if (row == JR_NONE)
		return;
	x->range[op] = row;
	widen_range(x, row, of_op(x, op));
}

static void walk_lane(struct walk *w)
{
	struct nest *nest = w->nest;
	struct jr_export *x = nest->x;
	const struct lane *lane = w->lane;
	const uint32_t *ranges = nest->order + lane->first_range, *ops = nest->ops + lane->first_op;
	for (size_t r = 0, o = 0; r < lane->n_ranges || o < lane->n_ops;) {
		bool range_first = r < lane->n_ranges &&
						   (o == lane->n_ops || x->rows.nvtx.start_ns[ranges[r]] <=
													x->rows.calls.start_ns[x->launch[ops[o]]]);
		if (range_first)
			enter_range(w, ranges[r++]);
		else
			place_op(w, ops[o++]);
	}
	for (size_t r = lane->n_ranges; r-- > 0;)
		if (x->parent[ranges[r]] != JR_NONE)
			widen_range(x, x->parent[ranges[r]], of_range(x, ranges[r]));
}

/* --- crossing ranges -------------------------------------------------------------------------- */

JR_ORDER_COLUMNS(compare_range_ends, struct jr_timeline_nvtx, JR_UP_AT(end_ns))

struct lane_ops {
	const struct jr_export *x;
	const uint32_t *ops;
	size_t n;
};

static int compare_op_ends(const void *a, const void *b, void *context)
{
	const struct lane_ops *l = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const int64_t *end_ns = l->x->rows.calls.end_ns;
	int64_t s = end_ns[l->x->launch[l->ops[i]]], t = end_ns[l->x->launch[l->ops[j]]];
	if (s != t)
		return s < t ? -1 : 1;
	return (i > j) - (i < j);
}

/* Return the thread's first launch (by start) that begins at or after t. */
static size_t first_from(const struct lane_ops *l, int64_t t_ns)
{
	size_t lo = 0, hi = l->n;
	JR_SEARCH(lo, hi, mid, l->x->rows.calls.start_ns[l->x->launch[l->ops[mid]]] < t_ns);
	return lo;
}

/*
 * Launches are added to a binary indexed tree over their order of start, in order of the call's
 * end. When all calls that end by the end of a range are added, the tree returns those that begin
 * at its start or later. For a range of another thread these are added to its existing sums.
 * O((ranges + launches) log launches) for any crossing of ranges.
 */
static void project_crossed(
	struct nest *nest, const struct lane *lane, uint32_t *ranges, size_t n, bool foreign)
{
	struct jr_export *x = nest->x;
	struct lane_ops l = {x, nest->ops + lane->first_op, lane->n_ops};
	jr_sort_with(ranges, n, sizeof(*ranges), compare_range_ends, &x->rows.nvtx);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint32_t *by_end = JR_ARENA_N(&scratch, uint32_t, l.n + 1);
	struct projection *tree = JR_ARENA_N(&scratch, struct projection, l.n + 1);
	for (uint32_t i = 0; i < l.n; i++)
		by_end[i] = i;
	jr_sort_with(by_end, l.n, sizeof(*by_end), compare_op_ends, &l);
	size_t added = 0;
	for (size_t r = 0; r < n; r++) {
		int64_t end_ns = x->rows.nvtx.end_ns[ranges[r]];
		for (; added < l.n; added++) {
			uint32_t op = l.ops[by_end[added]];
			if (x->rows.calls.end_ns[x->launch[op]] > end_ns)
				break;
			struct projection p = of_op(x, op);
			for (size_t k = l.n - by_end[added]; k <= l.n; k += k & -k)
				widen(&tree[k], &p);
		}
		struct projection sum = foreign ? of_range(x, ranges[r]) : (struct projection){0};
		for (size_t k = l.n - first_from(&l, x->rows.nvtx.start_ns[ranges[r]]); k; k -= k & -k)
			widen(&sum, &tree[k]);
		set_range(x, ranges[r], &sum);
	}
}

/* --- all threads ------------------------------------------------------------------------------ */

static void nest_lane(void *context, size_t index)
{
	struct nest *nest = context;
	struct jr_export *x = nest->x;
	struct lane *lane = &nest->lanes[index];
	struct walk w = {.nest = nest, .lane = lane};
	jr_export_sort_ranges(&x->rows.nvtx, nest->order + lane->first_range, lane->n_ranges);
	jr_sort_with(nest->ops + lane->first_op, lane->n_ops, sizeof(*nest->ops), compare_ops, x);
	walk_lane(&w);
	lane->n_too_deep = w.nesting.n_too_deep;
	for (size_t i = 0; i < lane->n_loose; i++)
		*jr_vec_add(&w.crossed) = nest->loose[lane->first_loose + i];
	if (w.crossed.n)
		project_crossed(nest, lane, w.crossed.items, w.crossed.n, false);
	jr_vec_done(&w.crossed);
	jr_nesting_done(&w.nesting);
}

static enum jr_status allocate(struct jr_export *x, struct jr_error *err)
{
	size_t n = x->rows.nvtx.n + 1;
	JR_TRY_ARRAYS(uint32_t, &x->links, n, err, &x->parent, &x->order);
	JR_TRY_ARRAYS(uint32_t, &x->arena, n, err, &x->n_ops, &x->device);
	JR_TRY_ARRAY(x->device_bits, &x->links, n, err);
	JR_TRY_ARRAYS(int64_t, &x->arena, n, err, &x->gpu_start_ns, &x->gpu_end_ns);
	JR_TRY_ARRAY(x->range, &x->arena, x->rows.gpu.n + 1, err);
	JR_TRY_ARRAY(x->first_of_thread, &x->links, x->rows.n_threads + 1, err);
	memset(x->parent, 0xFF, n * sizeof(*x->parent));
	memset(x->range, 0xFF, (x->rows.gpu.n + 1) * sizeof(*x->range));
	return JR_OK;
}

uint64_t jr_export_most_open(const struct jr_limits *limits)
{
	return limits->depth > 2 ? limits->depth - 1 : 1;
}

enum jr_status jr_export_nest(
	struct jr_export *x, const struct jr_limits *limits, size_t n_threads, struct jr_error *err)
{
	JR_TRY(allocate(x, err));
	struct nest nest = {.x = x, .order = x->order, .max_depth = jr_export_most_open(limits)};
	jr_arena_init(&nest.scratch, 0);
	nest.ops = JR_ARENA_N(&nest.scratch, uint32_t, x->rows.gpu.n + 1);
	nest.lanes = JR_ARENA_N(&nest.scratch, struct lane, x->rows.n_threads + 1);
	split_by_thread(&nest);
	jr_task_run(n_threads ? n_threads : 1, x->rows.n_threads, nest_lane, &nest);
	for (size_t k = 0; k < x->rows.n_threads; k++) {
		struct lane *lane = &nest.lanes[k];
		x->n_too_deep += lane->n_too_deep;
		if (lane->n_foreign && lane->n_ops) /* ranges of other lanes: not in parallel */
			project_crossed(&nest, lane, nest.foreign + lane->first_foreign, lane->n_foreign, true);
	}
	jr_arena_done(&nest.scratch);
	return JR_OK;
}
