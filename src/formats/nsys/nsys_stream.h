/*
 * nsys_stream.h - an export whose events pass by in order of time, so that memory does not grow
 * with them: for what needs each of them once or twice (nsys_sqlite.h has all of them at once).
 * Layer: formats.
 *
 * Writers of exports put rows down about as they came; what lies out of order within a window of
 * rows is put in order on the way.
 */
#ifndef JR_FORMATS_NSYS_STREAM_H
#define JR_FORMATS_NSYS_STREAM_H

#include "formats/nsys/nsys_sqlite.h"

/* A range or mark of NVTX; times as of struct jr_timeline_nvtx. */
struct jr_nsys_range {
	int64_t start_ns, end_ns;
	uint64_t row;    /* of the table, without those that are left out */
	uint32_t thread; /* jr_nsys_stream_thread() */
	uint32_t text;   /* str of the timeline; before jr_nsys_stream_join() of no meaning */
	uint32_t scope;  /* row of scopes */
	uint8_t kind;    /* enum jr_timeline_nvtx_kind */
};

/* A call of the CUDA runtime or driver. */
struct jr_nsys_call {
	int64_t start_ns, end_ns;
	uint64_t row;
	uint32_t thread, correlation; /* JR_NONE = none */
};

/* Something that ran on a GPU, of whatever kind; in order of its table. */
struct jr_nsys_span {
	int64_t start_ns, end_ns;
	int64_t process; /* id, -1 = not told */
	uint32_t device, correlation;
};

struct jr_nsys_stream;

/**
 * Open an export and read its small tables. jr_nsys_stream_done() on JR_OK.
 * @return what jr_nsys_read() returns
 */
enum jr_status jr_nsys_stream_open(const char *path, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_nsys_stream **out, struct jr_error *err)
	JR_MUST_CHECK;
void jr_nsys_stream_done(struct jr_nsys_stream **stream);

/** Ranges and calls from the first on. Connections of their own, of 2 MiB each. */
enum jr_status jr_nsys_stream_rewind(struct jr_nsys_stream *stream, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * The next range: by start, outermost first, then by row. Each of these is O(1) where the table is
 * in order, O(window) where it is not.
 * @param any  false: there are no more
 * @return JR_EUNSUPPORTED a row too far out of order, else as jr_nsys_read()
 */
enum jr_status jr_nsys_next_range(struct jr_nsys_stream *stream, struct jr_nsys_range *out,
	bool *any, struct jr_error *err) JR_MUST_CHECK;
/** The next call, by start. */
enum jr_status jr_nsys_next_call(struct jr_nsys_stream *stream, struct jr_nsys_call *out, bool *any,
	struct jr_error *err) JR_MUST_CHECK;
/** The next span. */
enum jr_status jr_nsys_next_span(struct jr_nsys_stream *stream, struct jr_nsys_span *out, bool *any,
	struct jr_error *err) JR_MUST_CHECK;

/** globalTid of a thread by the number that ranges and calls have. */
int64_t jr_nsys_stream_thread(const struct jr_nsys_stream *stream, uint32_t thread);

/**
 * When all ranges, calls and spans have passed once: the timeline without them, but with all else,
 * threads, processes and names among it. The stream goes on to use *out, which must stay where it
 * is until jr_nsys_stream_done(), and is the caller's in any case.
 * @return JR_ENOTFOUND: no table of an export is there
 */
enum jr_status jr_nsys_stream_join(
	struct jr_nsys_stream *stream, struct jr_timeline *out, struct jr_error *err) JR_MUST_CHECK;

#endif
