/* The push/pop ranges of an export as input of the compile table. */
#include <string.h>

#include "base/cleanup.h"
#include "model/compile/compile_name.h"
#include "model/export/export.h"

struct window {
	int64_t begin_ns, end_ns;
	bool any;
};

/* The compile window is the time in which anything was compiled. A range outside of it is not below
 * an XlaCompile and not a worker of one. All parents of a range that overlaps it overlap it, too.
 */
static bool is_compile(const char *text)
{
	static const char name[] = "XlaCompile";
	size_t n = sizeof(name) - 1;
	return strncmp(text, name, n) == 0 && (text[n] == '\0' || text[n] == ':');
}

static struct window find_window(const struct jr_export *x, struct jr_slice slice)
{
	const struct jr_timeline *s = &x->rows;
	struct window w = {INT64_MAX, INT64_MIN, false};
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	enum { UNKNOWN, NO, YES };
	uint8_t *compiles = JR_ARENA_N(&scratch, uint8_t, s->strings.n + 1);
	for (size_t i = slice.begin; i < slice.end; i++) {
		uint32_t row = x->order[i], text = s->nvtx.text[row];
		if (compiles[text] == UNKNOWN)
			compiles[text] = is_compile(jr_intern_str(&s->strings, text)) ? YES : NO;
		if (compiles[text] == NO)
			continue;
		w.any = true;
		if (s->nvtx.start_ns[row] < w.begin_ns)
			w.begin_ns = s->nvtx.start_ns[row];
		if (s->nvtx.end_ns[row] > w.end_ns)
			w.end_ns = s->nvtx.end_ns[row];
	}
	return w;
}

static bool overlaps(const struct jr_export *x, uint32_t row, const struct window *w)
{
	const struct jr_timeline_nvtx *t = &x->rows.nvtx;
	return t->start_ns[row] <= w->end_ns && t->end_ns[row] >= w->begin_ns;
}

static enum jr_status allocate(struct jr_host_ranges *r, size_t n, struct jr_error *err)
{
	JR_TRY_ARRAYS(int64_t, &r->arena, n + 1, err, &r->start_ns, &r->end_ns, &r->child_ns,
		&r->self_ns, &r->pid, &r->tid, &r->range_id, &r->parent_id);
	JR_TRY_ARRAY(r->name, &r->arena, n + 1, err);
	return JR_OK;
}

/* The choice of compilation rows in x->order, and whether their names get a prefix. */
struct choice {
	struct window window;
	bool of_trace; /* jax.profiler: ranges inside compiler calls, regardless of time */
};

/* Compiler calls as jax.profiler records them. Nested calls are below them. LLVM's JitCompiler is a
 * part of XLA's call. */
static bool calls_compiler(const char *text)
{
	static const char *const within[] = {
		"Client::Compile", "Compiler::Compile", "Compiler::RunBackend", "Compiler::RunHloPasses"};
	if (strncmp(text, "backend_compile", strlen("backend_compile")) == 0 || is_compile(text))
		return true;
	for (size_t i = 0; i < JR_COUNT_OF(within) && !strstr(text, "JitCompiler"); i++)
		if (strstr(text, within[i]))
			return true;
	return false;
}

/* Find the rows that are compiler calls or below one. Parents come before their children. */
static size_t below_compilers(
	const struct jr_export *x, struct jr_slice slice, uint32_t *rows, struct jr_arena *a)
{
	enum { UNKNOWN, NO, YES };
	const struct jr_timeline *s = &x->rows;
	uint8_t *calls = JR_ARENA_N(a, uint8_t, s->strings.n + 1);
	bool *inside = JR_ARENA_N(a, bool, slice.end - slice.begin + 1);
	size_t n = 0;
	for (size_t i = slice.begin; i < slice.end; i++) {
		uint32_t row = x->order[i], parent = x->parent[row], text = s->nvtx.text[row];
		if (calls[text] == UNKNOWN)
			calls[text] = calls_compiler(jr_intern_str(&s->strings, text)) ? YES : NO;
		if (calls[text] == NO && (parent == JR_NONE || !inside[x->place[parent] - slice.begin]))
			continue;
		inside[i - slice.begin] = true;
		rows[n++] = row;
	}
	return n;
}

static size_t in_window(
	const struct jr_export *x, struct jr_slice slice, const struct window *window, uint32_t *rows)
{
	size_t n = 0;
	for (size_t i = slice.begin; i < slice.end; i++)
		if (overlaps(x, x->order[i], window))
			rows[n++] = x->order[i];
	return n;
}

/* Prefix a jax.profiler name with a domain (compile_name.c). */
static uint32_t trace_name(
	struct jr_host_ranges *r, const char *text, bool is_top, struct jr_buf *joined)
{
	joined->size = 0;
	jr_buf_printf(joined, "%s%s", is_top ? JR_COMPILE_TRACE_TOP : JR_COMPILE_TRACE, text);
	return jr_intern_put(&r->strings, joined->data, joined->size);
}

/* Fill rows sorted by start over all threads, like nsys' own table; ids are row numbers. */
static enum jr_status fill(const struct jr_export *x, struct jr_slice slice,
	const struct choice *choice, struct jr_host_ranges *r, struct jr_arena *scratch,
	struct jr_error *err)
{
	const struct jr_timeline *s = &x->rows;
	uint32_t *rows = JR_ARENA_N(scratch, uint32_t, slice.end - slice.begin + 1);
	/* 1 + row of a range by its place in x->order; 0: left out */
	uint32_t *row_of = JR_ARENA_N(scratch, uint32_t, slice.end - slice.begin + 1);
	size_t n = choice->of_trace ? below_compilers(x, slice, rows, scratch)
								: in_window(x, slice, &choice->window, rows);
	jr_export_sort_ranges(&s->nvtx, rows, n);
	for (size_t i = 0; i < n; i++)
		row_of[x->place[rows[i]] - slice.begin] = (uint32_t)i + 1;
	JR_TRY(allocate(r, n, err));
	struct jr_map seen = {0};
	struct jr_buf joined = {0};
	for (size_t i = 0; i < n; i++) {
		uint32_t row = rows[i], parent = x->parent[row];
		uint32_t above = parent == JR_NONE ? 0 : row_of[x->place[parent] - slice.begin];
		const char *text = jr_intern_str(&s->strings, s->nvtx.text[row]);
		const struct jr_timeline_thread *thread = &s->threads[s->nvtx.thread[row]];
		r->start_ns[i] = s->nvtx.start_ns[row];
		r->end_ns[i] = s->nvtx.end_ns[row];
		r->name[i] = choice->of_trace ? trace_name(r, text, above == 0, &joined)
									  : jr_export_put_name(x, row, &seen, &r->strings, &joined);
		r->pid[i] = s->processes[thread->process].pid;
		r->tid[i] = thread->tid;
		r->range_id[i] = (int64_t)i;
		r->parent_id[i] = (int64_t)above - 1; /* -1: top level */
		if (above)
			r->child_ns[above - 1] += r->end_ns[i] - r->start_ns[i];
	}
	/* Children of different domains may overlap, so their sum is limited to the duration. */
	for (size_t i = 0; i < n; i++) {
		int64_t dur_ns = r->end_ns[i] - r->start_ns[i];
		r->child_ns[i] = r->child_ns[i] < dur_ns ? r->child_ns[i] : dur_ns;
		r->self_ns[i] = dur_ns - r->child_ns[i];
	}
	jr_map_done(&seen);
	jr_buf_done(&joined);
	r->n = n;
	return JR_OK;
}

static enum jr_status take_ranges(const struct jr_export *x, struct jr_slice slice,
	const struct choice *choice, const struct jr_limits *limits, struct jr_host_ranges *out,
	struct jr_error *err)
{
	struct jr_host_ranges ranges = {0};
	struct jr_arena scratch;
	jr_arena_init(&ranges.arena, limits->memory_bytes);
	jr_intern_init(&ranges.strings);
	jr_arena_init(&scratch, 0);
	enum jr_status status = fill(x, slice, choice, &ranges, &scratch, err);
	jr_arena_done(&scratch);
	if (status == JR_OK)
		*out = ranges;
	else
		jr_host_ranges_done(&ranges);
	return status;
}

enum jr_status jr_export_host_ranges(const struct jr_export *x, size_t part,
	const struct jr_limits *limits, struct jr_host_ranges *out, struct jr_error *err)
{
	struct jr_slice slice = jr_export_ranges_of(x, part);
	const struct choice choice = {.window = find_window(x, slice)};
	if (!choice.window.any)
		return jr_fail(err, JR_ENOTFOUND, "the export contains no XlaCompile range");
	return take_ranges(x, slice, &choice, limits, out, err);
}

enum jr_status jr_export_compile_ranges(const struct jr_export *x, const struct jr_limits *limits,
	struct jr_host_ranges *out, struct jr_error *err)
{
	const struct choice choice = {.of_trace = true};
	JR_TRY(take_ranges(x, jr_export_ranges_of(x, 0), &choice, limits, out, err));
	if (out->n)
		return JR_OK;
	jr_host_ranges_done(out);
	*out = (struct jr_host_ranges){0};
	return jr_fail(err, JR_ENOTFOUND, "the trace contains no compiler call");
}
