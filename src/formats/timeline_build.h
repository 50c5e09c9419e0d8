/*
 * timeline_build.h - how a timeline is made. Every profile that has one goes through this seam:
 *
 *   formats/nsys/nsys_sqlite.c ─┐                       ┌─► jr_export_of_read()  (model/export)
 *   formats/xspace/xspace.c    ─┼─► struct jr_timeline ─┤
 *   one of your own            ─┘    (timeline_rows.h)  └─► jr_xprofile_read()   (model/xprofile)
 *
 * On the right, rows that cannot be right are left out, launches are found, ranges are nested and
 * projected onto the GPU. Then an execution is a range of XLA with what was launched in it.
 *
 * Layer: formats.
 *
 * What a reader owes the other side (jr_timeline_assert() looks at what can be seen in the rows):
 * - Row 0 of strings is "", so that 0 means no text; row 0 of scopes is the default domain without
 *   a category. Row 0 of gpus, threads, configs is like any other.
 * - Threads and processes are sorted by id and distinct; rows name them by where they stand.
 * - Times are in ns of one clock, within JR_TIME_MAX_NS, none ends before it begins, and all
 *   durations of a table add up within int64. Rows without such times are left out and counted
 *   (n_bad_rows). A range that was open when the profile ended ends at JR_TIMELINE_OPEN.
 * - A launch and what it ran have one correlation, which no other launch of the process has.
 *   JR_NONE = it is not known.
 * - Kernels have a long name (gpu.name), by which those of libraries are known, and a short one
 *   (short_name of the long one), which tables show. Each text is clean, and a name no longer than
 *   JR_NAME_BYTES.
 *
 * Two ways to fill one. Readers that know how many rows there are make room and put rows; those of
 * nsys, which read three tables at once, fill columns of their own and hand them over. Others add
 * row by row to a jr_timeline_builder, which checks what can be checked.
 */
#ifndef JR_FORMATS_TIMELINE_BUILD_H
#define JR_FORMATS_TIMELINE_BUILD_H

#include "base/vec.h"
#include "formats/timeline_rows.h"

/** Empty, with arenas that keep to limits->memory_bytes. jr_timeline_done() */
void jr_timeline_begin(struct jr_timeline *timeline, const struct jr_limits *limits);
/** Room for so many rows in the columns of a table, zeroed, but for those that may be NULL: in
 * columns[0] (gpu), [1] (calls), [2] (nvtx). Rows that are there are kept. JR_ELIMIT. */
enum jr_status jr_timeline_room_gpu(struct jr_timeline *timeline, size_t room, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_timeline_room_calls(
	struct jr_timeline *timeline, size_t room, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_timeline_room_nvtx(
	struct jr_timeline *timeline, size_t room, struct jr_error *err) JR_MUST_CHECK;

/** Put a row where there is room. What is not given is 0: of an operation, a kernel of process 0
 * without a name. @return its row */
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

/** A range without a length is a mark. */
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

/** A kernel's launch of which nothing is known. */
struct jr_timeline_config jr_timeline_no_config(void);
/** Set short_name once all texts are there. `short_of`: str of a long name -> of its short one. */
void jr_timeline_name_kernels(struct jr_timeline *timeline, const struct jr_map *short_of);
/** Assert what stands above. For where JR_CHECKED is set. O(rows). */
void jr_timeline_assert(const struct jr_timeline *timeline);

/* --- row by row ------------------------------------------------------------------------------- */

struct jr_timeline_builder {
	struct jr_timeline timeline;
	const struct jr_limits *limits;
	JR_VEC(struct jr_timeline_thread) threads; /* as they were added; `process`: row of processes */
	JR_VEC(struct jr_timeline_process) processes;
	struct jr_map short_of;
	size_t gpu_room, calls_room, nvtx_room;
	int64_t total_ns; /* of all durations */
};

/* Something that ran on a GPU. */
struct jr_timeline_op {
	enum jr_timeline_gpu_kind kind;
	int64_t start_ns, end_ns;
	int64_t bytes;   /* of a copy or memset */
	uint32_t thread; /* any of its process: row that jr_timeline_add_thread() gave */
	uint32_t device, stream;
	uint32_t correlation;      /* JR_NONE = not known */
	uint32_t name, short_name; /* str, of a kernel; short 0: none */
};

/** Begin; in any case jr_timeline_finish() or jr_timeline_abandon(). */
void jr_timeline_build(struct jr_timeline_builder *b, const struct jr_limits *limits);
/** str of a text, which is made clean, and cut where a name is too long, which is counted. */
uint32_t jr_timeline_text(struct jr_timeline_builder *b, const char *text, size_t n);
/** A thread of a process: its row; the same pair has the same row. O(threads); both numbers below
 * 2^24, of larger ones the lower bits count, as nsys has it. */
uint32_t jr_timeline_add_thread(struct jr_timeline_builder *b, int64_t pid, int64_t tid);
/**
 * Add an operation of a GPU, a call of CUDA that launched one, or a range of the host. A
 * row whose times are none is left out and counted.
 * @return JR_ELIMIT more than limits->rows, or memory; JR_EFORMAT durations add up to more than
 *         int64 holds
 */
enum jr_status jr_timeline_add_op(struct jr_timeline_builder *b, const struct jr_timeline_op *op,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_timeline_add_call(struct jr_timeline_builder *b, uint32_t thread,
	int64_t start_ns, int64_t end_ns, uint32_t correlation, uint32_t name, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_timeline_add_range(struct jr_timeline_builder *b, uint32_t thread,
	int64_t start_ns, int64_t end_ns, uint32_t text, struct jr_error *err) JR_MUST_CHECK;
/** Sort threads and processes, name kernels, and give the timeline out. */
void jr_timeline_finish(struct jr_timeline_builder *b, struct jr_timeline *out);
void jr_timeline_abandon(struct jr_timeline_builder *b);

#endif
