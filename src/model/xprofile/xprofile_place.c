/*
 * Assigning GPU operations to executions of modules and to thunks: by scopes if the file has them,
 * else by launches, else by runs of operations of one name.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/vec.h"
#include "model/xprofile/xprofile.h"

#define UNSEEN (JR_NONE - 1)

struct placing {
	struct jr_xprofile *p;
	const struct jr_timeline *rows;
	uint32_t *root;         /* [n_scopes] outermost scope; 0 = none */
	uint32_t *module_text;  /* [strings] str of the module of "jit_f:XLA GPU module"; 0 = none */
	uint32_t *module_range; /* [nvtx.n] innermost module range at or above; JR_NONE, UNSEEN */
	uint32_t *pair;         /* [n_threads] thread whose ranges contain its launches */
	uint32_t *execution, *range; /* [gpu.n] row of executions; innermost host range, not changed */
	struct jr_map by_key;        /* (device, root or range) -> row of executions */
	JR_VEC(struct jr_xexecution) executions;
	struct jr_xthunks *thunks; /* room for one per operation */
	size_t n_thunks;
	struct jr_map thunk_by_key; /* further thunks of a scope after the first */
	uint32_t *first; /* [n_scopes] of a root its first execution, then of a scope its first thunk;
					  * JR_NONE = none yet */
	uint32_t *order; /* [gpu.n] rows by device and start */
	struct jr_arena arena;
};

/* --- scopes ----------------------------------------------------------------------------------- */

/* Parents are acyclic. Each link is followed once. */
static void find_roots(struct placing *g)
{
	const struct jr_xspace *x = &g->p->file;
	g->root = JR_ARENA_N(&g->arena, uint32_t, x->n_scopes + 1);
	for (uint32_t i = 1; i < x->n_scopes; i++) {
		uint32_t at = i;
		while (!g->root[at] && x->scope_parent[at])
			at = x->scope_parent[at];
		uint32_t found = g->root[at] ? g->root[at] : at;
		g->root[at] = found;
		for (at = i; !g->root[at]; at = x->scope_parent[at])
			g->root[at] = found;
	}
}

/* --- host ranges of modules ------------------------------------------------------------------- */

static void find_module_texts(struct placing *g)
{
	static const char tail[] = ":XLA GPU module";
	struct jr_intern *strings = &g->p->export.rows.strings;
	size_t n = strings->n;
	g->module_text = JR_ARENA_N(&g->arena, uint32_t, n + 1);
	for (uint32_t id = 0; id < n; id++) {
		const char *text = jr_intern_str(strings, id);
		size_t length = jr_intern_len(strings, id), m = sizeof(tail) - 1;
		if (length <= m || memcmp(text + length - m, tail, m) != 0)
			continue;
		char *name = jr_arena_strndup(&g->arena, text, length - m);
		g->module_text[id] = jr_intern_put(strings, name, length - m);
	}
}

static uint32_t module_of_range(const struct placing *g, uint32_t range)
{
	return g->module_text[g->rows->nvtx.text[range]];
}

/* Return the innermost module range at or above a range. Each link is followed once. */
static uint32_t module_range(struct placing *g, uint32_t range)
{
	const uint32_t *parent = g->p->export.parent;
	uint32_t at = range;
	while (at != JR_NONE && g->module_range[at] == UNSEEN && !module_of_range(g, at))
		at = parent[at];
	uint32_t found = at == JR_NONE                   ? JR_NONE
					 : g->module_range[at] == UNSEEN ? at
													 : g->module_range[at];
	for (uint32_t fill = range; fill != at; fill = parent[fill])
		g->module_range[fill] = found;
	if (at != JR_NONE)
		g->module_range[at] = found;
	return found;
}

/* Return the innermost push/pop range of a thread around a time. */
static uint32_t range_at(const struct placing *g, uint32_t thread, int64_t t_ns)
{
	const struct jr_export *x = &g->p->export;
	size_t lo = x->first_of_thread[thread], hi = x->first_of_thread[thread + 1], first = lo;
	JR_SEARCH(lo, hi, mid, x->rows.nvtx.start_ns[x->order[mid]] <= t_ns);
	uint32_t range = lo > first ? x->order[lo - 1] : JR_NONE;
	while (range != JR_NONE && x->rows.nvtx.end_ns[range] < t_ns)
		range = x->parent[range];
	return range;
}

/* --- threads that launch, and threads with module ranges -------------------------------------- */

/* List threads with module ranges; returns their number. */
static size_t list_tellers(const struct placing *g, uint32_t *tellers)
{
	const struct jr_export *x = &g->p->export;
	size_t n = 0;
	for (uint32_t thread = 0; thread < g->rows->n_threads; thread++)
		for (size_t i = x->first_of_thread[thread]; i < x->first_of_thread[thread + 1]; i++)
			if (module_of_range(g, x->order[i])) {
				tellers[n++] = thread;
				break;
			}
	return n;
}

#define MOST_PAIRED 256 /* limit of threads of both kinds; a few dozen launch on a machine */

/* Launches of threads without module ranges (silent), counted by the thread with a range of the
 * same module around them. */
struct pairs {
	uint32_t *tellers; /* [n_tellers] */
	size_t *column;    /* [n_threads] 1 + index of a silent thread; 0 = none; SIZE_MAX = has module
						  ranges */
	uint64_t *n_held;  /* [n_silent][MOST_PAIRED] */
	size_t n_tellers, n_silent;
};

static void count_held(struct placing *g, struct pairs *pairs, size_t op)
{
	uint32_t call = g->p->export.launch[op], label = g->p->file.label[op];
	if (call == JR_NONE || !label)
		return;
	size_t *column = &pairs->column[g->rows->calls.thread[call]];
	if (*column == SIZE_MAX || (!*column && pairs->n_silent == MOST_PAIRED))
		return;
	if (!*column)
		*column = ++pairs->n_silent;
	for (size_t k = 0; k < pairs->n_tellers; k++) {
		uint32_t range = range_at(g, pairs->tellers[k], g->rows->calls.start_ns[call]);
		range = range == JR_NONE ? JR_NONE : module_range(g, range);
		if (range != JR_NONE && module_of_range(g, range) == g->p->file.labels[label].module)
			pairs->n_held[(*column - 1) * MOST_PAIRED + k]++;
	}
}

/* Some drivers' calls are on separate lines. Pair such a line with the thread whose ranges of the
 * same module contain most of its launches. False: there is no such line. */
static bool pair_threads(struct placing *g)
{
	size_t n_threads = g->rows->n_threads;
	struct pairs pairs = {.tellers = JR_ARENA_N(&g->arena, uint32_t, n_threads + 1),
		.column = JR_ARENA_N(&g->arena, size_t, n_threads + 1),
		.n_held = JR_ARENA_N(&g->arena, uint64_t, (size_t)MOST_PAIRED * MOST_PAIRED)};
	g->pair = JR_ARENA_N(&g->arena, uint32_t, n_threads + 1);
	for (uint32_t i = 0; i < n_threads; i++)
		g->pair[i] = i;
	pairs.n_tellers = list_tellers(g, pairs.tellers);
	for (size_t i = 0; i < pairs.n_tellers; i++)
		pairs.column[pairs.tellers[i]] = SIZE_MAX;
	for (size_t i = 0; i < g->rows->gpu.n && pairs.n_tellers <= MOST_PAIRED; i++)
		count_held(g, &pairs, i);
	bool any = false;
	for (uint32_t thread = 0; thread < n_threads; thread++) {
		size_t column = pairs.column[thread];
		uint64_t most = 0;
		for (size_t k = 0; column && column != SIZE_MAX && k < pairs.n_tellers; k++) {
			uint64_t held = pairs.n_held[(column - 1) * MOST_PAIRED + k];
			if (held > most)
				g->pair[thread] = pairs.tellers[k];
			most = held > most ? held : most;
		}
		any |= most > 0;
	}
	return any;
}

/* Return the innermost host range around the launch of each operation, on the paired thread. */
static uint32_t *paired_ranges(struct placing *g, struct jr_error *err)
{
	const struct jr_export *x = &g->p->export;
	size_t n = g->rows->gpu.n;
	uint32_t *out = jr_arena_array(&g->arena, n + 1, sizeof(*out), err);
	for (size_t i = 0; out && i < n; i++) {
		uint32_t thread = x->launch[i] == JR_NONE ? JR_NONE : g->rows->calls.thread[x->launch[i]];
		out[i] = thread == JR_NONE || g->pair[thread] == thread
					 ? x->range[i]
					 : range_at(g, g->pair[thread], g->rows->calls.start_ns[x->launch[i]]);
	}
	return out;
}

/* --- executions ------------------------------------------------------------------------------- */

static void widen_execution(struct placing *g, uint32_t row, size_t op)
{
	struct jr_xexecution *e = &g->executions.items[row];
	int64_t start = g->rows->gpu.start_ns[op], end = g->rows->gpu.end_ns[op];
	const struct jr_xspace_label *label = &g->p->file.labels[g->p->file.label[op]];
	e->start_ns = start < e->start_ns ? start : e->start_ns;
	e->end_ns = end > e->end_ns ? end : e->end_ns;
	uint32_t call = g->p->export.launch[op];
	e->n_ops++;
	if (call != JR_NONE && g->rows->calls.start_ns[call] < e->launch_ns)
		e->launch_ns = g->rows->calls.start_ns[call];
	if (!e->module)
		e->module = label->module;
	if (e->program < 0)
		e->program = label->program;
	g->execution[op] = row;
}

static uint32_t add_execution(struct placing *g, size_t op, uint32_t module)
{
	const struct jr_timeline_gpu *gpu = &g->rows->gpu;
	*jr_vec_add(&g->executions) = (struct jr_xexecution){.start_ns = gpu->start_ns[op],
		.end_ns = gpu->end_ns[op],
		.device = gpu->device[op],
		.module = module,
		.program = -1,
		.launch_ns = INT64_MAX};
	return (uint32_t)g->executions.n - 1;
}

static void place_by_key(struct placing *g, size_t op, uint32_t id, uint32_t module)
{
	uint64_t key = jr_key2(g->rows->gpu.device[op], id);
	uint32_t row = jr_map_get(&g->by_key, key);
	if (row == JR_NONE) {
		row = add_execution(g, op, module);
		jr_map_put(&g->by_key, key, row);
	}
	widen_execution(g, row, op);
}

/* Most scopes belong to one execution on one device and to one thunk, which an array can store
 * without a map. */
static void forget_first(struct placing *g)
{
	memset(g->first, 0xFF, (g->p->file.n_scopes + 1) * sizeof(*g->first));
}

static void place_by_scopes(struct placing *g)
{
	const struct jr_xspace *x = &g->p->file;
	forget_first(g);
	for (size_t i = 0; i < g->rows->gpu.n; i++) {
		uint32_t root = g->root[x->scope[i]], *first = &g->first[root];
		if (!x->scope[i])
			continue;
		if (*first == JR_NONE)
			*first = add_execution(g, i, 0);
		if (g->executions.items[*first].device == g->rows->gpu.device[i])
			widen_execution(g, *first, i);
		else
			place_by_key(g, i, root, 0);
	}
}

/* Place operations by the module range around their launch call. If there are scopes, only
 * operations without one (such as copies) are placed: they join the execution of the range's other
 * operations. */
static void place_by_launches(struct placing *g, bool scopes)
{
	JR_CLEANUP(jr_map_done) struct jr_map of_range = {0};
	uint64_t last_key = 0;
	uint32_t last = JR_NONE; /* the execution that was put last; most operations repeat it */
	for (size_t i = 0; i < g->rows->gpu.n; i++) {
		uint32_t range = g->range[i] == JR_NONE ? JR_NONE : module_range(g, g->range[i]);
		uint64_t key = jr_key2(g->rows->gpu.device[i], range);
		if (!scopes || range == JR_NONE || g->execution[i] == JR_NONE ||
			(key == last_key && g->execution[i] == last))
			continue;
		last_key = key;
		last = g->execution[i];
		jr_map_put(&of_range, key, last);
	}
	for (size_t i = 0; i < g->rows->gpu.n; i++) {
		if (g->execution[i] != JR_NONE || g->range[i] == JR_NONE)
			continue;
		uint32_t range = module_range(g, g->range[i]);
		if (range == JR_NONE)
			continue;
		uint32_t row =
			scopes ? jr_map_get(&of_range, jr_key2(g->rows->gpu.device[i], range)) : JR_NONE;
		if (row != JR_NONE)
			widen_execution(g, row, i);
		else if (!scopes)
			place_by_key(g, i, range, module_of_range(g, range));
	}
}

JR_ORDER_COLUMNS(compare_ops, struct jr_timeline_gpu, JR_UP_AT(device) JR_UP_AT(start_ns))

static void sort_ops(struct placing *g)
{
	size_t n = g->rows->gpu.n;
	g->order = JR_ARENA_N(&g->arena, uint32_t, n + 1);
	for (uint32_t i = 0; i < n; i++)
		g->order[i] = i;
	jr_sort_with(g->order, n, sizeof(*g->order), compare_ops, &g->p->export.rows.gpu);
}

/* A maximal run of operations of one module on a device, in order of start. */
struct run {
	const uint32_t *ops;
	size_t n, n_cycle; /* n_cycle: operations of the cycle on its stream; 0 = it does not repeat */
	uint32_t stream;
};

/* Return the stream with the most operations, whose order does not depend on other streams. */
static uint32_t main_stream(const struct placing *g, const struct run *run)
{
	JR_CLEANUP(jr_map_done) struct jr_map counts = {0};
	uint32_t most = 0, stream = JR_NONE;
	for (size_t i = 0; i < run->n; i++) {
		uint32_t of = g->rows->gpu.stream[run->ops[i]], n = jr_map_get(&counts, of);
		n = n == JR_NONE ? 1 : n + 1;
		jr_map_put(&counts, of, n);
		stream = n > most ? of : stream;
		most = n > most ? n : most;
	}
	return stream;
}

/* Find the shortest period of the instructions and kernels on the run's stream. Any part of a
 * repeated sequence has that period, so steps that the profile cuts do not matter. O(n): the border
 * of each prefix, as in the search of Knuth, Morris and Pratt.
 * @return true if any instruction repeats */
static bool find_cycle(struct placing *g, struct run *run)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	JR_CLEANUP(jr_map_done) struct jr_map seen = {0};
	uint64_t *keys = JR_ARENA_N(&scratch, uint64_t, run->n + 1);
	size_t *border = JR_ARENA_N(&scratch, size_t, run->n + 1), n = 0;
	bool repeats = false;
	for (size_t i = 0; i < run->n; i++) {
		uint32_t op = run->ops[i];
		if (g->rows->gpu.stream[op] != run->stream)
			continue;
		keys[n] = jr_key2(g->p->file.label[op], g->rows->gpu.name[op]);
		repeats |= jr_map_add(&seen, keys[n], (uint32_t)n) != n;
		size_t k = n ? border[n - 1] : 0;
		while (k && keys[k] != keys[n])
			k = border[k - 1];
		border[n] = n && keys[k] == keys[n] ? k + 1 : 0;
		n++;
	}
	size_t period = n ? n - border[n - 1] : 0;
	run->n_cycle = n >= 2 * period ? period : 0;
	return repeats;
}

/* Several executions whose cycles differ, by loops or lost records, cannot be separated. */
static void doubt_run(struct placing *g, uint32_t execution)
{
	const struct jr_xexecution *e = &g->executions.items[execution];
	struct jr_export *x = &g->p->export;
	*jr_vec_add(&x->faults) = (struct jr_fault){
		JR_FAULT_MERGED, 0, JR_NONE, e->device, -1, 1, 1, e->start_ns, e->end_ns, 0};
	*jr_vec_add(&x->doubts) = (struct jr_doubted){e->device, e->start_ns, e->end_ns};
}

static void place_run(struct placing *g, struct run *run)
{
	run->stream = main_stream(g, run);
	bool repeats = find_cycle(g, run);
	uint32_t open = JR_NONE;
	size_t n_on_stream = 0;
	for (size_t i = 0; i < run->n; i++) {
		bool begins = run->n_cycle && g->rows->gpu.stream[run->ops[i]] == run->stream &&
					  n_on_stream++ % run->n_cycle == 0 && n_on_stream > 1;
		if (open == JR_NONE || begins) {
			open = add_execution(
				g, run->ops[i], g->p->file.labels[g->p->file.label[run->ops[i]]].module);
			g->p->n_guessed++;
		}
		widen_execution(g, open, run->ops[i]);
	}
	g->p->export.n_checked[JR_FAULT_MERGED]++;
	if (repeats && !run->n_cycle)
		doubt_run(g, open);
}

/* Place operations by maximal runs of one module on a device, which end where its instructions
 * begin again. Trips of a module that is nothing but a loop count as executions. */
static void place_by_runs(struct placing *g)
{
	const struct jr_xspace *x = &g->p->file;
	uint32_t *ops = JR_ARENA_N(&g->arena, uint32_t, g->rows->gpu.n + 1);
	struct run run = {.ops = ops};
	for (size_t k = 0; k < g->rows->gpu.n; k++) {
		uint32_t i = g->order[k], label = x->label[i];
		if (!label)
			continue; /* a copy or library kernel neither ends a run nor belongs to one */
		const struct jr_xspace_label *last =
			run.n ? &x->labels[x->label[run.ops[run.n - 1]]] : NULL;
		if (last && (g->rows->gpu.device[run.ops[0]] != g->rows->gpu.device[i] ||
						last->module != x->labels[label].module ||
						last->program != x->labels[label].program)) {
			place_run(g, &run);
			run = (struct run){.ops = run.ops + run.n};
		}
		ops[(size_t)(run.ops - ops) + run.n++] = i;
	}
	if (run.n)
		place_run(g, &run);
}

/* --- thunks ----------------------------------------------------------------------------------- */

static void widen_thunk(struct placing *g, uint32_t row, size_t op)
{
	const struct jr_timeline_gpu *gpu = &g->rows->gpu;
	const struct jr_export *x = &g->p->export;
	const struct jr_xthunks *t = g->thunks;
	t->start_ns[row] = gpu->start_ns[op] < t->start_ns[row] ? gpu->start_ns[op] : t->start_ns[row];
	t->end_ns[row] = gpu->end_ns[op] > t->end_ns[row] ? gpu->end_ns[op] : t->end_ns[row];
	if (gpu->kind[op] != JR_TIMELINE_KERNEL || !x->communicates)
		return;
	if (!x->communicates[gpu->name[op]])
		t->nccl_kernel[row] = JR_NONE;
	else if (t->nccl_kernel[row] == 0)
		t->nccl_kernel[row] = gpu->name[op];
}

static uint32_t add_thunk(struct placing *g, size_t op)
{
	const struct jr_timeline_gpu *gpu = &g->rows->gpu;
	const struct jr_xthunks *t = g->thunks;
	size_t row = g->n_thunks++;
	t->start_ns[row] = gpu->start_ns[op];
	t->end_ns[row] = gpu->end_ns[op];
	t->execution[row] = g->execution[op];
	t->device[row] = gpu->device[op];
	t->label[row] = g->p->file.label[op];
	return (uint32_t)row;
}

/* Return true if a thunk is of that execution and instruction. */
static bool is_of(const struct placing *g, uint32_t row, uint32_t execution, uint32_t name)
{
	return g->thunks->execution[row] == execution &&
		   g->p->file.labels[g->thunks->label[row]].op == name;
}

/* Return the innermost host range with the instruction's name below its module range. */
static uint32_t thunk_range(const struct placing *g, size_t op)
{
	uint32_t name = g->p->file.labels[g->p->file.label[op]].op, range = g->range[op];
	while (range != JR_NONE && !module_of_range(g, range)) {
		if (g->rows->nvtx.text[range] == name)
			return range;
		range = g->p->export.parent[range];
	}
	return JR_NONE;
}

/* Join adjacent operations of one instruction on a stream; `last`: stream -> thunk. */
static uint32_t thunk_of_run(struct placing *g, struct jr_map *last, size_t op)
{
	const struct jr_timeline_gpu *gpu = &g->rows->gpu;
	uint64_t key = jr_key2(gpu->device[op], gpu->stream[op]);
	uint32_t row = jr_map_get(last, key);
	uint32_t name = g->p->file.labels[g->p->file.label[op]].op;
	if (row == JR_NONE || !is_of(g, row, g->execution[op], name)) {
		row = add_thunk(g, op);
		jr_map_put(last, key, row);
		g->p->n_merged++;
	}
	return row;
}

/* Kernels of one instruction in one scope form one thunk. */
static uint32_t thunk_in_range(struct placing *g, size_t op, uint32_t id)
{
	const struct jr_xspace *x = &g->p->file;
	uint32_t device = g->rows->gpu.device[op], name = x->labels[x->label[op]].op;
	if (x->scope[op]) {
		uint32_t *first = &g->first[id];
		if (*first == JR_NONE)
			*first = add_thunk(g, op);
		if (is_of(g, *first, g->execution[op], name) && g->thunks->device[*first] == device)
			return *first;
	}
	uint64_t key[2] = {jr_key2(g->execution[op], id), jr_key2(name, device)};
	uint64_t hash = jr_hash(key, sizeof(key), jr_hash_seed());
	uint32_t row = jr_map_get(&g->thunk_by_key, hash);
	if (row == JR_NONE) {
		row = add_thunk(g, op);
		jr_map_put(&g->thunk_by_key, hash, row);
	}
	return row;
}

static void place_thunks(struct placing *g)
{
	forget_first(g);
	const struct jr_xspace *x = &g->p->file;
	const struct jr_timeline_gpu *gpu = &g->rows->gpu;
	JR_CLEANUP(jr_map_done) struct jr_map last = {0};
	for (size_t k = 0; k < gpu->n; k++) {
		uint32_t i = g->order[k];
		const struct jr_xspace_label *label = &x->labels[x->label[i]];
		if (g->execution[i] == JR_NONE || !label->op) {
			g->p->n_unplaced += g->execution[i] == JR_NONE && label->module;
			continue;
		}
		uint32_t id = x->scope[i] ? x->scope[i] : thunk_range(g, i);
		widen_thunk(g, id == JR_NONE ? thunk_of_run(g, &last, i) : thunk_in_range(g, i, id), i);
	}
}

/* --- placing ---------------------------------------------------------------------------------- */

JR_ORDER_ROWS(compare_executions, struct jr_xexecution, JR_UP(start_ns) JR_UP(device))

/* Sort executions by start and update their rows in thunks. Thunks were added device by device, in
 * order of start. */
static enum jr_status keep(struct placing *g, struct jr_error *err)
{
	struct jr_xprofile *p = g->p;
	size_t n = g->executions.n;
	uint32_t *order = JR_ARENA_N(&g->arena, uint32_t, n + 1);
	uint32_t *place = JR_ARENA_N(&g->arena, uint32_t, n + 1);
	JR_TRY_ARRAY(p->executions, &p->export.arena, n + 1, err);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	jr_sort_with(order, n, sizeof(*order), compare_executions, g->executions.items);
	for (uint32_t i = 0; i < n; i++) {
		p->executions[i] = g->executions.items[order[i]];
		place[order[i]] = i;
	}
	for (size_t i = 0; i < g->n_thunks; i++)
		g->thunks->execution[i] = place[g->thunks->execution[i]];
	p->n_thunks = g->n_thunks;
	return JR_OK;
}

static enum jr_status place_all(struct placing *g, struct jr_error *err)
{
	struct jr_xprofile *p = g->p;
	const struct jr_export *x = &p->export;
	size_t n = g->rows->gpu.n;
	JR_TRY_ARRAY(g->execution, &g->arena, n + 1, err);
	JR_TRY_ARRAY(g->module_range, &g->arena, g->rows->nvtx.n + 1, err);
	for (size_t i = 0; i < g->rows->nvtx.n; i++)
		g->module_range[i] = UNSEEN;
	g->first = JR_ARENA_N(&g->arena, uint32_t, p->file.n_scopes + 1);
	find_roots(g);
	find_module_texts(g);
	sort_ops(g);
	g->range = pair_threads(g) ? paired_ranges(g, err) : x->range;
	if (!g->range)
		return JR_ELIMIT;
	bool scopes = false;
	for (size_t i = 0; i < n; i++) {
		g->execution[i] = JR_NONE;
		scopes |= p->file.scope[i] != 0;
	}
	if (scopes)
		place_by_scopes(g);
	place_by_launches(g, scopes);
	p->method = scopes ? JR_XMETHOD_SCOPES : JR_XMETHOD_LAUNCHES;
	if (g->executions.n == 0) {
		place_by_runs(g);
		p->method = JR_XMETHOD_RUNS;
	}
	p->n_executions = g->executions.n;
	JR_TRY(jr_xprofile_room(p, n, err));
	place_thunks(g);
	return keep(g, err);
}

enum jr_status jr_xprofile_place(struct jr_xprofile *p, struct jr_error *err)
{
	struct placing g = {.p = p, .rows = &p->export.rows, .thunks = &p->thunks};
	jr_arena_init(&g.arena, 0);
	enum jr_status status = place_all(&g, err);
	jr_map_done(&g.by_key);
	jr_map_done(&g.thunk_by_key);
	jr_vec_done(&g.executions);
	jr_arena_done(&g.arena);
	return status;
}
