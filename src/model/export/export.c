#include "model/export/export.h"
#include "model/export/export_hlo.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "formats/timeline_build.h"
#include "formats/timeline_compact.h"
#include "model/build/faults.h"

/* Limit of processes. A few dozen at most are profiled together on one machine. */
#define MOST_PARTS 4096

/* Longer than any profile. times.c bounds the sums of times. */
#define MOST_NS (INT64_C(1) << 50)

/* PyTorch appends numbers to annotations: "aten::mul, seq = 45328, op_id = 990724, sizes = [[4],
 * []]". One name per operator keeps tables readable and bounds memory. */
size_t jr_export_shorten(const char *text, size_t n)
{
	static const char *const marks[] = {", seq = ", ", op_id = ", ", sizes = "};
	for (const char *at = text, *end = text + n;
		 at < end && (at = memchr(at, ',', (size_t)(end - at))) != NULL; at++) {
		for (size_t i = 0; i < JR_COUNT_OF(marks); i++) {
			size_t length = strlen(marks[i]);
			if ((size_t)(end - at) > length && memcmp(at, marks[i], length) == 0)
				return (size_t)(at - text);
		}
	}
	return n;
}

static void see(struct jr_export *x, int64_t start_ns, int64_t end_ns)
{
	if (start_ns < x->first_ns)
		x->first_ns = start_ns;
	if (end_ns > x->last_ns)
		x->last_ns = end_ns;
}

static void find_span(struct jr_export *x)
{
	const struct jr_timeline *s = &x->rows;
	x->first_ns = INT64_MAX;
	x->last_ns = INT64_MIN;
	for (size_t i = 0; i < s->gpu.n; i++)
		see(x, s->gpu.start_ns[i], s->gpu.end_ns[i]);
	for (size_t i = 0; i < s->calls.n; i++)
		see(x, s->calls.start_ns[i], s->calls.end_ns[i]);
	for (size_t i = 0; i < s->nvtx.n; i++)
		see(x, s->nvtx.start_ns[i],
			s->nvtx.end_ns[i] == JR_TIMELINE_OPEN ? s->nvtx.start_ns[i] : s->nvtx.end_ns[i]);
	if (x->first_ns > x->last_ns) /* no such rows: a device recorded its own executions */
		x->first_ns = x->last_ns = 0;
}

JR_ORDER_COLUMNS(
	compare_call_starts, struct jr_timeline_calls, JR_UP_AT(start_ns) JR_DOWN_AT(end_ns))

/* Return the rows of calls by start, the longer first; NULL: not enough memory. */
static uint32_t *calls_by_start(
	struct jr_timeline_calls *t, struct jr_arena *scratch, struct jr_error *err)
{
	uint32_t *order = jr_arena_array(scratch, t->n + 1, sizeof(*order), err);
	for (uint32_t i = 0; order && i < t->n; i++)
		order[i] = i;
	if (order)
		jr_sort_with(order, t->n, sizeof(*order), compare_call_starts, t);
	return order;
}

/* Whether a call repeats `last`, the thread's latest call that is not a repetition. Rows are sorted
 * by start, the longer first. */
static bool repeats(const struct jr_timeline_calls *t, uint32_t row, uint32_t last)
{
	return last != JR_NONE && t->correlation[row] != JR_NONE &&
		   t->correlation[row] == t->correlation[last] && t->end_ns[row] <= t->end_ns[last];
}

/* Some versions of nsys record a call twice: as "cudaMemcpy" and, nested in it with the same thread
 * and correlation id, as "cudaMemcpy_v3020". Drop the inner one; keep file order. O(calls), plus a
 * sort if they are not in order of time. */
static enum jr_status drop_repeated_calls(struct jr_export *x, struct jr_error *err)
{
	struct jr_timeline_calls *t = &x->rows.calls;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch;
	jr_arena_init(&scratch, x->arena.limit_bytes);
	uint32_t *last;
	JR_TRY_ARRAY(last, &scratch, x->rows.n_threads + 1, err);
	uint8_t *drop;
	JR_TRY_ARRAY(drop, &scratch, t->n + 1, err);
	bool sorted = true;
	for (size_t i = 0; i < x->rows.n_threads; i++)
		last[i] = JR_NONE;
	for (size_t i = 1; i < t->n; i++)
		sorted &= t->start_ns[i] > t->start_ns[i - 1] ||
				  (t->start_ns[i] == t->start_ns[i - 1] && t->end_ns[i] <= t->end_ns[i - 1]);
	uint32_t *order = NULL;
	if (!sorted && !(order = calls_by_start(t, &scratch, err)))
		return JR_ELIMIT;
	size_t first = t->n; /* row to drop */
	for (size_t k = 0; k < t->n; k++) {
		uint32_t row = order ? order[k] : (uint32_t)k, *of_thread = &last[t->thread[row]];
		drop[row] = repeats(t, row, *of_thread);
		if (row < first && drop[row])
			first = row;
		*of_thread = drop[row] ? *of_thread : row;
	}
	size_t n = first;
	for (size_t i = first; i < t->n; i++) {
		if (drop[i])
			continue;
		t->start_ns[n] = t->start_ns[i];
		t->end_ns[n] = t->end_ns[i];
		t->thread[n] = t->thread[i];
		t->correlation[n] = t->correlation[i];
		t->name[n++] = t->name[i];
	}
	t->n = n;
	return JR_OK;
}

/* End ranges that were still open at the end of the profile. */
static void close_ranges(struct jr_export *x)
{
	struct jr_timeline_nvtx *t = &x->rows.nvtx;
	for (size_t i = 0; i < t->n; i++) {
		if (t->end_ns[i] != JR_TIMELINE_OPEN)
			continue;
		t->end_ns[i] = x->last_ns;
		x->n_open++;
	}
}

static void list_parts(struct jr_export *x)
{
	const struct jr_timeline *s = &x->rows;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	uint8_t *seen = JR_ARENA_N(&scratch, uint8_t, s->n_processes + 1);
	for (size_t i = 0; i < s->gpu.n; i++)
		if (s->gpu.process[i] != JR_NONE)
			seen[s->gpu.process[i]] = 1;
	for (size_t i = 0; i < s->n_threads; i++)
		seen[s->threads[i].process] = 1;
	x->parts = JR_ARENA_N(&x->arena, uint32_t, s->n_processes + 1);
	for (uint32_t i = 0; i < s->n_processes; i++)
		if (seen[i])
			x->parts[x->n_parts++] = i;
	jr_arena_done(&scratch);
	if (x->n_parts == 0) /* operations of an unknown process, or only a device */
		x->parts[x->n_parts++] = s->n_processes ? 0 : JR_NONE;
}

/* The settings list what was collected: "PROCESS_0:COLLECT_CUDA_TRACE" = "true". */
bool jr_export_cuda_traced(const struct jr_timeline *s)
{
	for (size_t i = 0; i < s->n_captured; i++)
		if (strstr(jr_intern_str(&s->strings, s->captured[i].name), "COLLECT_CUDA_TRACE") &&
			strcmp(jr_intern_str(&s->strings, s->captured[i].value), "true") == 0)
			return true;
	return false;
}

#define MOST_QUOTED 3
#define MOST_QUOTED_BYTES 160

/* Fail because CUDA was traced without any event. The message quotes the profiler, errors first. */
static enum jr_status no_cuda_events(const struct jr_timeline *s, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf said = {0};
	size_t n = 0;
	for (int severity = JR_TIMELINE_ERROR; severity >= JR_TIMELINE_WARNING; severity--)
		for (size_t i = 0; i < s->n_messages && n < MOST_QUOTED; i++) {
			const char *text = jr_intern_str(&s->strings, s->messages[i].text);
			if (s->messages[i].severity != severity || strstr(text, "NVTX"))
				continue;
			jr_buf_printf(&said, "%s“%.*s”", n++ ? ", " : "",
				(int)jr_text_prefix(text, strlen(text), MOST_QUOTED_BYTES), text);
		}
	return jr_fail(err, JR_ENOTFOUND,
		"contains no event, although CUDA was traced.%s%s%s Use a version of Nsight Systems that "
		"supports the driver, and profile a part of the program that uses the GPU.",
		n ? " The profiler reported: " : "", n ? said.data : "", n ? "." : "");
}

/* Refuse exports without usable rows. */
enum jr_status jr_export_check_rows(
	const struct jr_timeline *s, uint64_t n_rows, struct jr_error *err)
{
	if (n_rows)
		return JR_OK;
	if (s->n_bad_rows)
		return jr_fail(err, JR_EFORMAT,
			"all events of the export (%" PRIu64
			") are invalid: times that are missing, not integers, ending before they start, or "
			"more than 146 years from 0, or sizes below 0",
			s->n_bad_rows);
	if (jr_export_cuda_traced(s))
		return no_cuda_events(s, err);
	return jr_fail(err, JR_ENOTFOUND,
		"the export contains no CUDA or NVTX events. Profile with `nsys profile -t cuda,nvtx`");
}

enum jr_status jr_export_check_span(const struct jr_export *x, struct jr_error *err)
{
	if (x->last_ns - x->first_ns > MOST_NS)
		return jr_fail(err, JR_EFORMAT, "its events lie more than 13 days apart");
	return JR_OK;
}

enum jr_status jr_export_check_parts(const struct jr_export *x, struct jr_error *err)
{
	if (x->n_parts > MOST_PARTS)
		return jr_fail(err, JR_EUNSUPPORTED, "the export contains %zu processes, more than %d",
			x->n_parts, MOST_PARTS);
	return JR_OK;
}

/* Free columns that nothing reads from here on. */
static void free_read(struct jr_export *x)
{
	struct jr_timeline_nvtx *nvtx = &x->rows.nvtx;
	x->rows.calls.correlation = jr_arena_shrink(&x->rows.columns[1], x->rows.calls.correlation, 0);
	size_t i = 0;
	while (nvtx->end_thread && i < nvtx->n && nvtx->end_thread[i] == JR_NONE)
		i++;
	if (i == nvtx->n) /* all ranges end on their own thread */
		nvtx->end_thread = jr_arena_shrink(&x->rows.columns[2], nvtx->end_thread, 0);
}

static enum jr_status finish(
	struct jr_export *x, const struct jr_limits *limits, size_t n_threads, struct jr_error *err)
{
	const struct jr_timeline *s = &x->rows;
	if (s->gpu.n >= JR_SEVERAL || s->nvtx.n >= JR_SEVERAL || s->calls.n >= JR_SEVERAL)
		return jr_fail(err, JR_ELIMIT, "more than 4294967293 rows");
	JR_TRY(drop_repeated_calls(x, err));
	find_span(x);
	JR_TRY(jr_export_check_span(x, err));
	close_ranges(x);
	JR_TRY(jr_export_link(x, err));
	JR_TRY(jr_faults_find(x, err));
	free_read(x);
	JR_TRY(jr_export_nest(x, limits, n_threads, err));
	JR_TRY(jr_export_index(x, err));
	list_parts(x);
	return jr_export_check_parts(x, err);
}

enum jr_status jr_export_of_rows(struct jr_timeline *rows, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err)
{
	if (JR_CHECKED)
		jr_timeline_assert(rows);
	struct jr_export x = {.rows = *rows};
	*rows = (struct jr_timeline){0};
	jr_arena_init(&x.arena, limits->memory_bytes);
	jr_arena_init(&x.links, limits->memory_bytes);
	enum jr_status status = finish(&x, limits, n_threads, err);
	if (status == JR_OK)
		*out = x;
	else
		jr_export_done(&x);
	return status;
}

enum jr_status jr_export_of_read(struct jr_timeline *rows, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err)
{
	jr_faults_leave_out(rows, NULL);
	if (rows->gpu.n + rows->nvtx.n + rows->calls.n == 0) {
		jr_timeline_done(rows);
		return jr_fail(
			err, JR_EFORMAT, "none of its events has a valid time: all are 0 or years apart");
	}
	return jr_export_of_rows(rows, limits, n_threads, out, err);
}

enum jr_status jr_export_take_rows(struct jr_timeline *rows, const struct jr_limits *limits,
	size_t n_threads, struct jr_buf *kept, struct jr_export *out, struct jr_error *err)
{
	enum jr_status status =
		jr_export_check_rows(rows, (uint64_t)rows->gpu.n + rows->nvtx.n + rows->calls.n, err);
	if (status != JR_OK) {
		jr_timeline_done(rows);
		return status;
	}
	if (kept)
		jr_timeline_put(kept, rows);
	return jr_export_of_read(rows, limits, n_threads, out, err);
}

enum jr_status jr_export_rows(const char *path, const struct jr_limits *limits, size_t n_threads,
	struct jr_timeline *rows, struct jr_error *err)
{
	const struct jr_nsys_options options = {n_threads, jr_export_shorten};
	return jr_nsys_read(path, limits, &options, rows, err);
}

enum jr_status jr_export_read(const char *path, const struct jr_limits *limits, size_t n_threads,
	struct jr_buf *kept, struct jr_export *out, struct jr_error *err)
{
	struct jr_timeline rows;
	JR_TRY(jr_export_rows(path, limits, n_threads, &rows, err));
	return jr_export_take_rows(&rows, limits, n_threads, kept, out, err);
}

enum jr_status jr_export_read_memory(struct jr_bytes database, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err)
{
	const struct jr_nsys_options options = {n_threads, jr_export_shorten};
	struct jr_timeline rows;
	JR_TRY(jr_nsys_read_memory(database, limits, &options, &rows, err));
	return jr_export_take_rows(&rows, limits, n_threads, NULL, out, err);
}

enum jr_status jr_export_read_folder(struct jr_archive *folder, const struct jr_limits *limits,
	size_t n_threads, struct jr_buf *kept, struct jr_export *out, struct jr_error *err)
{
	const struct jr_nsys_options options = {n_threads, jr_export_shorten};
	struct jr_timeline rows;
	JR_TRY(jr_nsys_read_folder(folder, limits, &options, &rows, err));
	return jr_export_take_rows(&rows, limits, n_threads, kept, out, err);
}

void jr_export_done(struct jr_export *x)
{
	if (!x)
		return;
	jr_export_hlo_done(x);
	jr_timeline_done(&x->rows);
	jr_vec_done(&x->faults);
	jr_vec_done(&x->doubts);
	jr_arena_done(&x->arena);
	jr_arena_done(&x->links);
	*x = (struct jr_export){0};
}
