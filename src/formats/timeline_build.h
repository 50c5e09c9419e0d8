/*
 * timeline_build.h - build a timeline. Every profile with a timeline passes through this interface:
 *
 *   formats/nsys/nsys_export.c ─┐                       ┌─► jr_export_of_read()  (model/export)
 *   formats/xspace/xspace.c    ─┼─► struct jr_timeline ─┤
 *   a new reader               ─┘    (timeline_rows.h)  └─► jr_xprofile_read()   (model/xprofile)
 *
 * The consumers drop impossible rows, match launches, nest ranges and project them onto the GPU.
 * After that, an execution is an XLA range with the operations that were launched in it.
 *
 * Layer: formats.
 *
 * Rules for every reader (jr_timeline_assert() checks those that are visible in the rows):
 * - Row 0 of strings is "", so that 0 means no text. Row 0 of scopes is the default domain without
 *   a category. Row 0 of gpus, threads and configs has no special meaning.
 * - Threads and processes are sorted by id and distinct; other rows refer to them by row number.
 * - Times are in ns of one clock and within JR_TIME_MAX_NS. No row ends before it begins, and the
 *   sum of all durations of a table fits int64. Rows that violate this are left out and counted
 *   (n_bad_rows). A range that was open when the profile ended ends at JR_TIMELINE_OPEN.
 * - A launch and the operation that it started share a correlation, unique within the process.
 *   JR_NONE = unknown.
 * - Kernels have a long name (gpu.name), which identifies kernels of libraries, and a short name
 *   (short_name of the long one) for tables. All texts are clean; a name has at most JR_NAME_BYTES.
 *
 * There are two ways to fill a timeline. Readers that know the number of rows make room and put
 * rows. The nsys readers read three tables at once, so they fill their own columns and pass them
 * on. Other readers add rows one by one to a jr_timeline_builder, which checks them.
 */
#ifndef JR_FORMATS_TIMELINE_BUILD_H
#define JR_FORMATS_TIMELINE_BUILD_H

#include "base/vec.h"
#include "formats/timeline_rows.h"

/** Start an empty timeline whose arenas respect limits->memory_bytes. Free it with
 * jr_timeline_done(). */
void jr_timeline_begin(struct jr_timeline *timeline, const struct jr_limits *limits);
/** Make room for `room` zeroed rows in the columns of a table, in columns[0] (gpu), [1] (calls),
 * [2] (nvtx). Columns that may be NULL get no room. Existing rows are kept. JR_ELIMIT. */
enum jr_status jr_timeline_room_gpu(struct jr_timeline *timeline, size_t room, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_timeline_room_calls(
	struct jr_timeline *timeline, size_t room, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_timeline_room_nvtx(
	struct jr_timeline *timeline, size_t room, struct jr_error *err) JR_MUST_CHECK;

/** Put a row into existing room. Fields without a parameter are 0: an operation is a kernel of
 * process 0 without a name. @return its row */
static inline size_t jr_timeline_put_op(struct jr_timeline_gpu *gpu, uint32_t device,
	uint32_t stream, int64_t start_ns, int64_t end_ns, uint32_t correlation)
{
	size_t i = gpu->n++;
	gpu->start_ns[i] = start_ns;
	gpu->end_ns[i] = end_ns;
	gpu->device[i] = device;
	gpu->stream[i] = stream;
	gpu->correlation[i] = correlation;
	return i;
}

static inline void jr_timeline_put_call(struct jr_timeline_calls *calls, uint32_t thread,
	int64_t start_ns, int64_t end_ns, uint32_t correlation, uint32_t name)
{
	size_t i = calls->n++;
	calls->start_ns[i] = start_ns;
	calls->end_ns[i] = end_ns;
	calls->thread[i] = thread;
	calls->correlation[i] = correlation;
	calls->name[i] = name;
}

/** Put a range; one without a length is a mark. */
static inline void jr_timeline_put_range(
	struct jr_timeline_nvtx *nvtx, uint32_t thread, int64_t start_ns, int64_t end_ns, uint32_t text)
{
	size_t i = nvtx->n++;
	nvtx->start_ns[i] = start_ns;
	nvtx->end_ns[i] = end_ns;
	nvtx->thread[i] = thread;
	nvtx->text[i] = text;
	nvtx->kind[i] = end_ns > start_ns ? JR_TIMELINE_PUSH_POP : JR_TIMELINE_MARK;
}

/** Return the configuration of a kernel whose launch is unknown. */
struct jr_timeline_config jr_timeline_no_config(void);
/** Set short_name after all texts are added. `short_of` maps the str of a long name to the str of
 * its short name. */
void jr_timeline_name_kernels(struct jr_timeline *timeline, const struct jr_map *short_of);
/** Assert the rules at the top of this header; called if JR_CHECKED is set. O(rows). */
void jr_timeline_assert(const struct jr_timeline *timeline);

/* --- row by row ------------------------------------------------------------------------------- */

struct jr_timeline_builder {
	struct jr_timeline timeline;
	const struct jr_limits *limits;
	JR_VEC(struct jr_timeline_thread) threads; /* in order added; `process`: row of processes */
	JR_VEC(struct jr_timeline_process) processes;
	struct jr_map short_of;
	size_t gpu_room, calls_room, nvtx_room;
	int64_t total_ns; /* sum of all durations */
};

/* An operation that ran on a GPU. */
struct jr_timeline_op {
	enum jr_timeline_gpu_kind kind;
	int64_t start_ns, end_ns;
	int64_t bytes;   /* copies and memsets only */
	uint32_t thread; /* any thread of its process: a row from jr_timeline_add_thread() */
	uint32_t device, stream;
	uint32_t correlation;      /* JR_NONE = unknown */
	uint32_t name, short_name; /* str, kernels only; short 0 = none */
};

/** Begin. Always end with jr_timeline_finish() or jr_timeline_abandon(). */
void jr_timeline_build(struct jr_timeline_builder *b, const struct jr_limits *limits);
/** Return the str of a text after cleaning it. A name that is too long is cut and counted. */
uint32_t jr_timeline_text(struct jr_timeline_builder *b, const char *text, size_t n);
/** Return the row of a thread of a process; the same pair always has the same row. O(threads). Both
 * ids are below 2^24; only the lower 24 bits of larger ids count, as in nsys. */
uint32_t jr_timeline_add_thread(struct jr_timeline_builder *b, int64_t pid, int64_t tid);
/**
 * Add a GPU operation, a CUDA call that launched one, or a host range. A row with invalid times is
 * left out and counted.
 * @return JR_ELIMIT more than limits->rows, or not enough memory; JR_EFORMAT durations add up
 *         beyond int64
 */
enum jr_status jr_timeline_add_op(struct jr_timeline_builder *b, const struct jr_timeline_op *op,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_timeline_add_call(struct jr_timeline_builder *b, uint32_t thread,
	int64_t start_ns, int64_t end_ns, uint32_t correlation, uint32_t name, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_timeline_add_range(struct jr_timeline_builder *b, uint32_t thread,
	int64_t start_ns, int64_t end_ns, uint32_t text, struct jr_error *err) JR_MUST_CHECK;
/** Sort threads and processes, set the names of kernels, and move the timeline to *out. */
void jr_timeline_finish(struct jr_timeline_builder *b, struct jr_timeline *out);
void jr_timeline_abandon(struct jr_timeline_builder *b);

#endif
