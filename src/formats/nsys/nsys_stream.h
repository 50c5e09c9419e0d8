/*
 * nsys_stream.h - stream the events of an export in order of time. Memory does not grow with them,
 * which suits readers that need each event once or twice (nsys_export.h loads all of them).
 * Layer: formats.
 *
 * Exporters write rows roughly in order; rows that are out of order within a window are sorted on
 * the way.
 */
#ifndef JR_FORMATS_NSYS_STREAM_H
#define JR_FORMATS_NSYS_STREAM_H

#include "formats/nsys/nsys_export.h"

/* An NVTX range or mark; times as in struct jr_timeline_nvtx. */
struct jr_nsys_range {
	int64_t start_ns, end_ns;
	uint64_t row;    /* number in the table, not counting rows that are left out */
	uint32_t thread; /* jr_nsys_stream_thread() */
	uint32_t text;   /* str of the timeline; meaningless before jr_nsys_stream_join() */
	uint32_t scope;  /* row of scopes */
	uint8_t kind;    /* enum jr_timeline_nvtx_kind */
};

/* A call of the CUDA runtime or driver. */
struct jr_nsys_call {
	int64_t start_ns, end_ns;
	uint64_t row;
	uint32_t thread, correlation; /* JR_NONE = none */
};

/* A GPU operation of any kind; in order of its table. */
struct jr_nsys_span {
	int64_t start_ns, end_ns;
	int64_t process; /* id, -1 = unknown */
	uint32_t device, correlation;
};

struct jr_nsys_stream;

/**
 * Open an export and read its small tables. On JR_OK, free it with jr_nsys_stream_done().
 * @return as jr_nsys_read()
 */
enum jr_status jr_nsys_stream_open(const char *path, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_nsys_stream **out, struct jr_error *err)
	JR_MUST_CHECK;
void jr_nsys_stream_done(struct jr_nsys_stream **stream);

/** Restart ranges and calls from the first one. Opens separate connections of 2 MiB each. */
enum jr_status jr_nsys_stream_rewind(struct jr_nsys_stream *stream, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Return the next range: by start, outermost first, then by row. O(1) if the table is in order,
 * else O(window).
 * @param any  out, false at the end
 * @return JR_EUNSUPPORTED a row too far out of order, else as jr_nsys_read()
 */
enum jr_status jr_nsys_next_range(struct jr_nsys_stream *stream, struct jr_nsys_range *out,
	bool *any, struct jr_error *err) JR_MUST_CHECK;
/** Return the next call, by start; else as jr_nsys_next_range(). */
enum jr_status jr_nsys_next_call(struct jr_nsys_stream *stream, struct jr_nsys_call *out, bool *any,
	struct jr_error *err) JR_MUST_CHECK;
/** Return the next span, in order of its table. */
enum jr_status jr_nsys_next_span(struct jr_nsys_stream *stream, struct jr_nsys_span *out, bool *any,
	struct jr_error *err) JR_MUST_CHECK;

/** Return the globalTid of a thread by its number in ranges and calls. */
int64_t jr_nsys_stream_thread(const struct jr_nsys_stream *stream, uint32_t thread);

/**
 * Join the timeline after all ranges, calls and spans were read once. *out has everything except
 * these, such as threads, processes and names. The stream keeps using *out, which must not move
 * until jr_nsys_stream_done(). The caller owns it in any case.
 * @return JR_ENOTFOUND no table of an export exists
 */
enum jr_status jr_nsys_stream_join(
	struct jr_nsys_stream *stream, struct jr_timeline *out, struct jr_error *err) JR_MUST_CHECK;

#endif
