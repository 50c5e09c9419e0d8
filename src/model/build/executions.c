#include "model/build/build.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"

/* State while the trace of one process is read. All arrays [trace->n]. */
struct walk {
	struct jr_build *build;
	const struct jr_trace *trace;
	const struct jr_thread_devices *threads;
	const struct jr_local_program *local;
	size_t n_local;
	uint8_t *kind; /* enum jr_range_kind */
	size_t n_of_kind[JR_RANGE_NCCL + 1];
	uint8_t *has_thunk_below, *has_module_below;
	uint32_t *modules;        /* [n_modules] trace rows that are modules */
	size_t n_modules;         /* at most n_of_kind[JR_RANGE_MODULE] */
	uint32_t *module_of;      /* nearest module row (trace row) at or above; JR_NONE */
	uint32_t *module_row;     /* such a row -> row of build->modules; or a special value */
	uint32_t *op_of;          /* op + 1 of a trace row that became a thunk; 0: it did not */
	uint32_t *thunk_module;   /* of such a trace row: row of build->modules */
	size_t n_thunks;          /* such trace rows */
	struct known_op *last_op; /* [trace->n_names] op of thunks of that name */
	struct jr_arena arena;
};

/* An op and its program. Several programs may share a name. */
struct known_op {
	uint32_t program, op_plus_1; /* 0: none so far */
};

/* The fate of a module range. */
#define NOT_A_ROW JR_NONE
#define UNKNOWN_PROGRAM (JR_NONE - 1)
#define CUT_OFF (JR_NONE - 2) /* smallest special value: rows are below it */
#define UNSEEN (JR_NONE - 3)

/* Find the kind of each row, and mark all ancestors of thunks and of modules. Each link is followed
 * once per kind. */
static void find_kinds(struct walk *w)
{
	const struct jr_trace *t = w->trace;
	for (size_t i = 0; i < t->n; i++) {
		enum jr_range_kind kind = t->names[t->name[i]].kind;
		w->kind[i] = (uint8_t)kind;
		w->n_of_kind[kind]++;
		uint8_t *below = kind == JR_RANGE_THUNK    ? w->has_thunk_below
						 : kind == JR_RANGE_MODULE ? w->has_module_below
												   : NULL;
		for (uint32_t up = t->parent[i]; below && up != JR_NONE && !below[up]; up = t->parent[up])
			below[up] = 1;
	}
}

static bool is_module(const struct walk *w, size_t row)
{
	return w->kind[row] == JR_RANGE_MODULE && !w->has_module_below[row];
}

/* List modules, and find the nearest one at or above each row. Each link is followed once. */
static void find_modules(struct walk *w)
{
	const struct jr_trace *t = w->trace;
	w->modules = JR_ARENA_N(&w->arena, uint32_t, w->n_of_kind[JR_RANGE_MODULE] + 1);
	for (size_t i = 0; i < t->n; i++)
		w->module_of[i] = UNSEEN;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t at = (uint32_t)i, found;
		if (is_module(w, i))
			w->modules[w->n_modules++] = at;
		while (at != JR_NONE && w->module_of[at] == UNSEEN && !is_module(w, at))
			at = t->parent[at];
		found = at == JR_NONE ? JR_NONE : w->module_of[at] == UNSEEN ? at : w->module_of[at];
		if (at != JR_NONE)
			w->module_of[at] = found;
		for (uint32_t fill = (uint32_t)i; fill != at; fill = t->parent[fill])
			w->module_of[fill] = found;
	}
}

static uint32_t program_of(const struct walk *w, int64_t number)
{
	size_t lo = 0, hi = w->n_local;
	JR_SEARCH(lo, hi, mid, w->local[mid].number < number);
	return lo < w->n_local && w->local[lo].number == number ? w->local[lo].program : JR_NONE;
}

static uint32_t device_of(const struct walk *w, size_t row)
{
	const struct jr_thread_devices *threads = w->threads;
	if (threads->of_row && w->trace->device && w->trace->device[row] != JR_NONE)
		return threads->of_row[w->trace->device[row]];
	struct jr_trace_thread thread = jr_trace_thread(w->trace, row);
	uint32_t device = jr_thread_devices_find(threads, thread.pid, thread.tid);
	return device == JR_NONE ? threads->first : device;
}

static void add_modules(struct walk *w)
{
	const struct jr_trace *t = w->trace;
	uint64_t unknown = 0;
	for (size_t k = 0; k < w->n_modules; k++) {
		uint32_t i = w->modules[k];
		const struct jr_trace_name *name = &t->names[t->name[i]];
		uint32_t program = name->program_number < 0 ? JR_NONE : program_of(w, name->program_number);
		if (program == JR_NONE) {
			w->module_row[i] = UNKNOWN_PROGRAM;
			unknown++;
			continue;
		}
		w->module_row[i] = (uint32_t)w->build->modules.n;
		*jr_vec_add(&w->build->modules) = (struct jr_module_row){.program = program,
			.device = device_of(w, i),
			.text = t->name[i],
			.start_ns = t->start_ns[i],
			.dur_ns = t->end_ns[i] - t->start_ns[i],
			.range_id = t->range_id[i],
			.launch_ns = t->launch_ns ? t->launch_ns[i] : INT64_MAX,
			.n_gpu_ops = t->n_gpu_ops ? t->n_gpu_ops[i] : INT64_MIN};
	}
	jr_profile_guess(w->build->profile, "unknown-programs", unknown,
		"module executions without a program ID (autotuning runs) are not in any table");
}

/* --- thunks ----------------------------------------------------------------------------------- */

/* The trace's statements about an op, with texts of the profile. */
static const struct jr_said *said_of(struct walk *w, uint32_t row)
{
	struct jr_profile *p = w->build->profile;
	struct jr_said *said = JR_ARENA_NEW(&p->arena, struct jr_said);
	*said = w->trace->said[row];
	uint32_t *const texts[] = {
		&said->text, &said->category, &said->op_name, &said->source, &said->stack};
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++)
		*texts[i] = jr_intern_puts(&p->strings, jr_intern_str(&w->trace->strings, *texts[i]));
	return said;
}

/* `said`: row of trace->said, 0 = none. The first statement about an op is kept. */
static uint32_t op_row(struct walk *w, uint32_t program, uint32_t trace_op, uint32_t said)
{
	struct jr_build *build = w->build;
	uint32_t name = jr_intern_put(&build->profile->strings,
		jr_intern_str(&w->trace->strings, trace_op), jr_intern_len(&w->trace->strings, trace_op));
	uint64_t key = jr_key2(program, name);
	uint32_t op = jr_map_add(&build->op_by_key, key, (uint32_t)build->ops.n);
	if (op == build->ops.n) {
		*jr_vec_add(&build->ops) =
			(struct jr_op){.program = program, .name = name, .instruction = JR_NONE};
		*jr_vec_add(&build->op_nccl) = (struct jr_op_nccl){.ranges = JR_NCCL_NONE};
	}
	if (said && !build->ops.items[op].said)
		build->ops.items[op].said = said_of(w, said);
	return op;
}

/* Module executions of a device by start, to place thunks without a parent module. */
struct by_start {
	int64_t start_ns, end_ns, range_id;
	uint32_t device, trace_row;
	uint32_t outer; /* nearest earlier one of the device that ends later; JR_NONE */
};

JR_ORDER(compare_by_start, struct by_start,
	JR_UP(device) JR_UP(start_ns) JR_DOWN(end_ns) JR_UP(range_id) JR_UP(trace_row))

/* All modules of the trace. Modules of unknown programs are included, because they own the thunks
 * inside them. */
static size_t modules_by_start(const struct walk *w, struct by_start *out)
{
	size_t n = w->n_modules;
	for (size_t k = 0; k < n; k++) {
		uint32_t i = w->modules[k];
		out[k] = (struct by_start){w->trace->start_ns[i], w->trace->end_ns[i],
			w->trace->range_id[i], device_of(w, i), i, JR_NONE};
	}
	jr_sort(out, n, sizeof(*out), compare_by_start);
	for (size_t i = 1; i < n; i++) {
		uint32_t outer = out[i - 1].device == out[i].device ? (uint32_t)i - 1 : JR_NONE;
		while (outer != JR_NONE && out[outer].end_ns <= out[i].end_ns)
			outer = out[outer].outer;
		out[i].outer = outer;
	}
	return n;
}

/* Return the execution of `device` that contains t. Otherwise the last one begun before t if
 * begun_is_enough, else JR_NONE. */
static uint32_t module_at(
	const struct by_start *modules, size_t n, uint32_t device, int64_t t, bool begun_is_enough)
{
	size_t lo = 0, hi = n;
	JR_SEARCH(lo, hi, mid,
		modules[mid].device < device ||
			(modules[mid].device == device && modules[mid].start_ns <= t));
	if (lo == 0 || modules[lo - 1].device != device)
		return JR_NONE;
	/* All executions that an `outer` link skips have ended by then. Real nesting is shallow; the
	 * bound is for adversarial input. */
	uint32_t back = (uint32_t)lo - 1;
	for (int steps = 0; back != JR_NONE && steps < 256; steps++, back = modules[back].outer)
		if (modules[back].end_ns > t)
			return modules[back].trace_row;
	return begun_is_enough ? modules[lo - 1].trace_row : JR_NONE;
}

/* What becomes of thunks that are not within their execution, with the note that counts them. */
enum fate { FATE_EDGE, FATE_ORPHAN, FATE_UNKNOWN, FATE_CUT, FATE_LOST, FATE_LONGER, N_FATES };
static const struct {
	const char *id, *detail;
} fate_notes[N_FATES] = {
	[FATE_EDGE] = {"edge-thunks",
		"thunks that began before the first module, while the profiler was starting, are left out"},
	[FATE_ORPHAN] = {"orphan-thunks",
		"thunks without a module were assigned to the execution on their device that contains "
		"their start, otherwise to the last one that began"},
	[FATE_UNKNOWN] = {"unknown-program-thunks",
		"thunks of executions without a program ID (autotuning runs) are not in any table"},
	[FATE_CUT] = {"cut-off-thunks",
		"thunks of executions that were cut off by the end of the profile are left out"},
	[FATE_LOST] = {"lost-thunks",
		"thunks are left out if no module execution on their device began before them, or if "
		"their parent is not in the trace and no execution contains them"},
	[FATE_LONGER] = {"impossible-thunks",
		"thunks that last longer than the execution around them are left out"},
};

static void place_thunk(struct walk *w, size_t row, uint32_t module_row, uint32_t op_plus_1)
{
	w->op_of[row] = op_plus_1;
	w->thunk_module[row] = module_row;
	w->build->modules.items[module_row].n_thunks++;
	w->n_thunks++;
}

static void add_thunk(struct walk *w, size_t row, uint32_t module, uint64_t fates[N_FATES])
{
	const struct jr_trace *t = w->trace;
	uint32_t module_row = module == JR_NONE ? NOT_A_ROW : w->module_row[module];
	if (module_row >= CUT_OFF) {
		fates[module_row == UNKNOWN_PROGRAM ? FATE_UNKNOWN
			  : module_row == CUT_OFF       ? FATE_CUT
											: FATE_LOST]++;
		return;
	}
	struct jr_build *build = w->build;
	uint32_t program = build->modules.items[module_row].program;
	struct known_op *known = &w->last_op[t->name[row]];
	if (!known->op_plus_1 || known->program != program)
		*known = (struct known_op){program,
			op_row(w, program, t->names[t->name[row]].op, t->names[t->name[row]].said) + 1};
	place_thunk(w, row, module_row, known->op_plus_1);
}

static void add_thunks(struct walk *w)
{
	const struct jr_trace *t = w->trace;
	struct by_start *modules = JR_ARENA_N(&w->arena, struct by_start, w->n_modules + 1);
	size_t n_modules = modules_by_start(w, modules);
	int64_t first_ns = INT64_MAX;
	for (size_t i = 0; i < n_modules; i++)
		if (modules[i].start_ns < first_ns)
			first_ns = modules[i].start_ns;
	uint64_t fates[N_FATES] = {0};
	for (size_t i = 0; i < t->n; i++) {
		if (w->kind[i] != JR_RANGE_THUNK || w->has_thunk_below[i])
			continue;
		uint32_t module = w->module_of[i];
		if (module == JR_NONE) {
			if (t->start_ns[i] < first_ns) {
				fates[FATE_EDGE]++;
				continue;
			}
			bool lost = t->parent_lost && t->parent_lost[i]; /* maybe with its execution */
			module = module_at(modules, n_modules, device_of(w, i), t->start_ns[i], false);
			if (module == JR_NONE && !lost) {
				module = module_at(modules, n_modules, device_of(w, i), t->start_ns[i], true);
				w->build->profile->n_thunks_outside += module != JR_NONE;
			}
			fates[FATE_ORPHAN] += module != JR_NONE;
		} else if (t->start_ns[i] < t->start_ns[module] || t->end_ns[i] > t->end_ns[module]) {
			bool longer = t->end_ns[i] - t->start_ns[i] > t->end_ns[module] - t->start_ns[module];
			fates[FATE_LONGER] += longer;
			w->build->profile->n_thunks_outside += !longer;
			if (longer)
				continue;
		}
		add_thunk(w, i, module, fates);
	}
	for (size_t i = 0; i < N_FATES; i++)
		if (fates[i])
			jr_profile_guess(w->build->profile, fate_notes[i].id, fates[i], fate_notes[i].detail);
	w->build->profile->n_rows_lost += fates[FATE_LONGER];
}

/* --- NCCL ranges ------------------------------------------------------------------------------ */

/* An op with NCCL ranges below it communicates, regardless of its name. Used if HLO is missing. */
static void mark_nccl(struct walk *w)
{
	const struct jr_trace *t = w->trace;
	for (size_t i = 0; w->n_of_kind[JR_RANGE_NCCL] && i < t->n; i++) {
		if (w->kind[i] != JR_RANGE_NCCL)
			continue;
		uint32_t up = t->parent[i];
		while (up != JR_NONE && w->kind[up] == JR_RANGE_NCCL)
			up = t->parent[up];
		if (up != JR_NONE && w->op_of[up])
			w->build->op_nccl.items[w->op_of[up] - 1].ranges = JR_NCCL_BELOW;
	}
}

/* An op that launches only NCCL kernels communicates, too. */
static void mark_nccl_kernels(struct walk *w)
{
	const struct jr_trace *t = w->trace;
	for (size_t i = 0; t->nccl_kernel && i < t->n; i++) {
		uint32_t kernel = t->nccl_kernel[i];
		if (kernel == 0 || !w->op_of[i])
			continue;
		struct jr_op_nccl *nccl = &w->build->op_nccl.items[w->op_of[i] - 1];
		if (kernel == JR_NONE)
			nccl->other_kernels = true;
		else if (nccl->kernel == 0)
			nccl->kernel = jr_intern_put(&w->build->profile->strings,
				jr_intern_str(&t->strings, kernel), jr_intern_len(&t->strings, kernel));
	}
}

/* Whether an NCCL range has no thunk above or below it and no NCCL range above it. */
static bool stands_alone(const struct walk *w, size_t row)
{
	const struct jr_trace *t = w->trace;
	if (w->kind[row] != JR_RANGE_NCCL || w->has_thunk_below[row])
		return false;
	for (uint32_t up = t->parent[row]; up != JR_NONE; up = t->parent[up])
		if (w->kind[up] == JR_RANGE_THUNK || w->kind[up] == JR_RANGE_NCCL)
			return false;
	return true;
}

/* Return the cached communication of a program with HLO; NULL without HLO. */
static struct jr_moves *moves_of(struct walk *w, struct jr_moves **known, uint32_t program)
{
	const struct jr_hlo *hlo = w->build->programs.items[program].hlo;
	if (hlo && !known[program])
		known[program] = jr_moves_new(hlo, 1, &w->arena);
	return known[program];
}

/* Communication thunks of this process by (module, start). */
struct busy {
	uint32_t module;
	int64_t start_ns, end_ns;
};

JR_ORDER(compare_busy, struct busy, JR_UP(module) JR_UP(start_ns))

static size_t communication_thunks(struct walk *w, struct busy **out)
{
	const struct jr_build *build = w->build;
	const struct jr_trace *t = w->trace;
	enum { UNKNOWN, NO, YES };
	struct jr_moves **moves = JR_ARENA_N(&w->arena, struct jr_moves *, build->programs.n + 1);
	uint8_t *communicates = JR_ARENA_N(&w->arena, uint8_t, build->ops.n + 1);
	*out = JR_ARENA_N(&w->arena, struct busy, t->n + 1);
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (!w->op_of[i])
			continue;
		const struct jr_op *op = &build->ops.items[w->op_of[i] - 1];
		uint8_t *state = &communicates[w->op_of[i] - 1];
		if (*state == UNKNOWN)
			*state = jr_op_communicates(
						 moves_of(w, moves, op->program), jr_str(build->profile, op->name))
						 ? YES
						 : NO;
		if (*state == YES)
			(*out)[n++] = (struct busy){w->thunk_module[i], t->start_ns[i], t->end_ns[i]};
	}
	jr_sort(*out, n, sizeof(**out), compare_busy);
	return n;
}

/* Whether a communication thunk of the same module execution runs at this time; then the range
 * belongs to it. Such thunks rarely overlap, so a few steps back from the last one begun are
 * enough. */
static bool has_thunk_at(
	const struct busy *busy, size_t n, uint32_t module, int64_t start_ns, int64_t end_ns)
{
	size_t lo = 0, hi = n;
	JR_SEARCH(lo, hi, mid,
		busy[mid].module < module || (busy[mid].module == module && busy[mid].start_ns < end_ns));
	for (size_t back = lo; back-- > 0 && lo - back <= 64 && busy[back].module == module;)
		if (busy[back].end_ns > start_ns)
			return true;
	return false;
}

/* Newer XLA may leave an NCCL range as the only trace of a communication (analysis/README.md,
 * section 1.1): the range becomes a thunk, placed by time and thread. */
static void add_nccl_thunks(struct walk *w)
{
	const struct jr_trace *t = w->trace;
	size_t n_alone = 0;
	for (size_t i = 0; w->n_of_kind[JR_RANGE_NCCL] && i < t->n; i++)
		n_alone += stands_alone(w, i);
	if (n_alone == 0)
		return;
	struct by_start *modules = JR_ARENA_N(&w->arena, struct by_start, w->n_modules + 1);
	size_t n_modules = modules_by_start(w, modules);
	struct busy *busy;
	size_t n_busy = communication_thunks(w, &busy);
	uint64_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (!stands_alone(w, i))
			continue;
		uint32_t module = w->module_of[i];
		if (module == JR_NONE)
			module = module_at(modules, n_modules, device_of(w, i), t->start_ns[i], true);
		uint32_t row = module == JR_NONE ? NOT_A_ROW : w->module_row[module];
		if (row >= CUT_OFF || has_thunk_at(busy, n_busy, row, t->start_ns[i], t->end_ns[i]))
			continue;
		uint32_t op = op_row(w, w->build->modules.items[row].program, t->names[t->name[i]].text, 0);
		w->build->op_nccl.items[op].ranges = JR_NCCL_ONLY;
		place_thunk(w, i, row, op + 1);
		n++;
	}
	jr_profile_guess(w->build->profile, "nccl-only-communication", n,
		"NCCL ranges without a thunk count as communication of the module execution that runs "
		"at their start; sizes and bandwidths are unknown");
}

/* --- cut-off last executions: analysis/README.md, section 1.4 --------------------------------- */

struct candidate {
	uint32_t device, text, row;
	uint32_t trace_row;
	int64_t range_id, n_ops;
};

JR_ORDER(compare_candidates, struct candidate,
	JR_UP(device) JR_UP(text) JR_UP(range_id) JR_UP(trace_row))

/* 128 bits hold the sums below exactly. */
__extension__ typedef __int128 wide_int;
#define MOST_OPS INT32_MAX /* per execution; larger stated numbers count as this one */

/*
 * Whether the last of c[0..n) has fewer operations than mean - population std of the earlier ones.
 * With sums over the n earlier ones: n * last < sum - sqrt(n * sum of squares - sum^2). Integers
 * are used because an execution exactly at the bound is kept. Executions of unknown count are
 * skipped.
 */
static bool is_cut_off(const struct candidate *c, size_t n)
{
	if (n < 2 || c[n - 1].n_ops == INT64_MIN)
		return false;
	wide_int n_earlier = 0, sum = 0, squares = 0, last = 0;
	for (size_t i = 0; i < n; i++) {
		if (c[i].n_ops == INT64_MIN)
			continue;
		int64_t ops = c[i].n_ops < 0 ? 0 : c[i].n_ops > MOST_OPS ? MOST_OPS : c[i].n_ops;
		last = ops;
		if (i + 1 == n)
			break;
		n_earlier++;
		sum += ops;
		squares += (wide_int)ops * ops;
	}
	wide_int short_by = sum - n_earlier * last;
	return short_by > 0 && short_by * short_by > n_earlier * squares - sum * sum;
}

/* Count the thunks below each module, for column sets that do not count GPU operations. */
static void count_thunks(const struct walk *w, uint32_t *n_thunks)
{
	for (size_t i = 0; i < w->trace->n; i++)
		if (w->kind[i] == JR_RANGE_THUNK && !w->has_thunk_below[i] && w->module_of[i] != JR_NONE)
			n_thunks[w->module_of[i]]++;
}

static void drop_cut_off(struct walk *w, size_t first_module)
{
	const struct jr_trace *t = w->trace;
	struct jr_build *build = w->build;
	uint32_t *n_thunks = NULL;
	if (!t->n_gpu_ops) {
		n_thunks = JR_ARENA_N(&w->arena, uint32_t, t->n + 1);
		count_thunks(w, n_thunks);
	}
	size_t n = 0;
	struct candidate *c =
		JR_ARENA_N(&w->arena, struct candidate, build->modules.n - first_module + 1);
	for (size_t k = 0; k < w->n_modules; k++) {
		uint32_t i = w->modules[k], row = w->module_row[i];
		if (row >= CUT_OFF)
			continue;
		const struct jr_module_row *m = &build->modules.items[row];
		c[n++] = (struct candidate){
			m->device, m->text, row, i, m->range_id, n_thunks ? n_thunks[i] : m->n_gpu_ops};
	}
	jr_sort(c, n, sizeof(*c), compare_candidates);
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;
		while (end < n && c[end].device == c[i].device && c[end].text == c[i].text)
			end++;
		if (is_cut_off(c + i, end - i)) {
			w->module_row[c[end - 1].trace_row] = CUT_OFF;
			build->modules.items[c[end - 1].row].device = JR_NONE; /* finish.c drops it */
			jr_profile_guess(build->profile, "cut-off-executions", 1,
				"the last execution of a module on a device is left out, because it ran fewer GPU "
				"operations than the ones before it: the profile ended during it");
		}
		i = end;
	}
}

JR_ORDER_COLUMNS(compare_thunks, struct jr_trace, JR_UP_AT(start_ns) JR_UP_AT(range_id))

/* Sort the thunks of a module; mostly they begin in order. */
static void sort_thunks(const struct jr_trace *t, uint32_t *rows, size_t n)
{
	size_t k = 1;
	while (k < n && t->start_ns[rows[k - 1]] < t->start_ns[rows[k]])
		k++;
	if (k < n)
		jr_sort_with(rows, n, sizeof(*rows), compare_thunks, (void *)(uintptr_t)t);
}

static void append_times(struct jr_build *build, int64_t since_ns, int64_t dur_ns)
{
	bool wide = since_ns < 0 || since_ns >= JR_NONE || dur_ns >= JR_NONE;
	*jr_vec_add(&build->thunk_since) = wide ? (uint32_t)build->wide_thunks.n : (uint32_t)since_ns;
	*jr_vec_add(&build->thunk_dur) = wide ? JR_NONE : (uint32_t)dur_ns;
	if (wide)
		*jr_vec_add(&build->wide_thunks) = (struct jr_wide_thunk){since_ns, dur_ns, 0};
}

/* Append the thunks to the build, module by module. */
static void append_thunks(struct walk *w, size_t first_module)
{
	struct jr_build *build = w->build;
	const struct jr_trace *t = w->trace;
	struct jr_module_row *modules = build->modules.items;
	size_t n = w->n_thunks;
	uint32_t *order = JR_ARENA_N(&w->arena, uint32_t, n + 1), *next;
	next = JR_ARENA_N(&w->arena, uint32_t, build->modules.n - first_module + 1);
	for (size_t k = first_module, at = 0; k < build->modules.n; at += modules[k++].n_thunks) {
		modules[k].first_thunk = build->thunk_op.n + at;
		next[k - first_module] = (uint32_t)at;
	}
	for (size_t i = 0; i < t->n; i++)
		if (w->op_of[i])
			order[next[w->thunk_module[i] - first_module]++] = (uint32_t)i;
	for (size_t k = first_module, at = 0; k < build->modules.n; at += modules[k++].n_thunks)
		sort_thunks(t, order + at, modules[k].n_thunks);
	for (size_t k = 0; k < n; k++) {
		uint32_t i = order[k];
		*jr_vec_add(&build->thunk_op) = w->op_of[i] - 1;
		append_times(build, t->start_ns[i] - modules[w->thunk_module[i]].start_ns,
			t->end_ns[i] - t->start_ns[i]);
	}
}

void jr_executions_add(struct jr_build *build, const struct jr_trace *trace,
	const struct jr_thread_devices *threads, const struct jr_local_program *local, size_t n_local)
{
	struct walk w = {
		.build = build, .trace = trace, .threads = threads, .local = local, .n_local = n_local};
	jr_arena_init(&w.arena, 0);
	w.kind = JR_ARENA_N(&w.arena, uint8_t, trace->n + 1);
	w.has_thunk_below = JR_ARENA_N(&w.arena, uint8_t, trace->n + 1);
	w.has_module_below = JR_ARENA_N(&w.arena, uint8_t, trace->n + 1);
	w.module_of = JR_ARENA_N(&w.arena, uint32_t, trace->n + 1);
	w.module_row = JR_ARENA_N(&w.arena, uint32_t, trace->n + 1);
	w.op_of = JR_ARENA_N(&w.arena, uint32_t, trace->n + 1);
	w.thunk_module = JR_ARENA_N(&w.arena, uint32_t, trace->n + 1);
	w.last_op = JR_ARENA_N(&w.arena, struct known_op, trace->n_names + 1);
	find_kinds(&w);
	find_modules(&w);
	size_t first_module = build->modules.n;
	add_modules(&w);
	drop_cut_off(&w, first_module);
	add_thunks(&w);
	mark_nccl(&w);
	mark_nccl_kernels(&w);
	add_nccl_thunks(&w);
	void *const read[] = {w.kind, w.has_thunk_below, w.has_module_below, w.module_of, w.module_row};
	for (size_t i = 0; i < JR_COUNT_OF(read); i++)
		(void)jr_arena_shrink(&w.arena, read[i], 0);
	append_thunks(&w, first_module);
	jr_arena_done(&w.arena);
}
