/*
 * export_ranges.h - iterates over the ranges of an export. Each has its position, its direct
 * children and its GPU work. For tables of all ranges, as in archives (src/record).
 * Layer: model.  Definitions: formats/README.md, section 3.2.
 *
 * The export is streamed: ranges and calls once, GPU work once, and ranges again for each
 * iteration. This needs 24 bytes of memory per range, 24 more per range with children, and 8 per
 * call. If streaming is not possible (see jr_export_ranges_read()), the whole export is read into
 * memory, with the same results.
 */
#ifndef JR_MODEL_EXPORT_RANGES_H
#define JR_MODEL_EXPORT_RANGES_H

#include "formats/nsys/nsys_stream.h"
#include "model/export/export.h"

/* The direct children of a range. */
struct jr_export_children {
	uint32_t place, n, n_with_gpu_work;
	int64_t dur_ns;
};

struct jr_export_ranges {
	/* if `stream` is set: without events, and devices without the process that used them */
	struct jr_export x;
	/* [n] by place: ranges of all threads by start, outermost first. Marks are excluded. */
	size_t n;
	uint32_t *parent;                   /* place; JR_NONE: top level, or not a push/pop range */
	uint32_t *n_calls;                  /* launching calls in it; 0: no GPU work */
	int64_t *gpu_start_ns, *gpu_end_ns; /* set if n_calls > 0 */
	size_t n_parents;
	struct jr_export_children *parents; /* [n_parents] by place */
	uint64_t n_with_gpu_work;
	struct jr_nsys_stream *stream; /* NULL: the rows are in x */
	uint32_t *order;               /* without stream: [n] rows by place */
	size_t next, next_parent;      /* next to return */
	struct jr_arena arena; /* owns the arrays; with `stream`, malloc() owns parent, parents */
};

/* A range during the iteration. */
struct jr_export_range {
	uint32_t place;
	bool is_push_pop;
	int64_t start_ns, end_ns, pid, tid;
	uint32_t scope, text; /* of x.rows */
	struct jr_export_children children;
};

/**
 * Read an export and compute all of this. The whole export is read into memory in three cases: a
 * range was open when the profile ended; work was launched in crossing ranges or in start/end
 * ranges (which never nest); rows are far out of order.
 * @param out  must not be moved; jr_export_ranges_done() on JR_OK
 * @return what jr_export_read() returns
 */
enum jr_status jr_export_ranges_read(const char *path, const struct jr_limits *limits,
	size_t n_threads, struct jr_export_ranges *out, struct jr_error *err) JR_MUST_CHECK;
void jr_export_ranges_done(struct jr_export_ranges *ranges);

/** Start (or restart) the iteration with the first range. */
enum jr_status jr_export_ranges_begin(struct jr_export_ranges *ranges, struct jr_error *err)
	JR_MUST_CHECK;
/** Return the next range. @param any  out: false = there are no more ranges */
enum jr_status jr_export_ranges_next(struct jr_export_ranges *ranges, struct jr_export_range *out,
	bool *any, struct jr_error *err) JR_MUST_CHECK;

/* Steps of jr_export_ranges_read(). */
/** Read by streams. @param fits  out: false = must be read into memory; nothing is left to release
 */
enum jr_status jr_export_ranges_stream(const char *path, const struct jr_limits *limits,
	struct jr_export_ranges *out, bool *fits, struct jr_error *err) JR_MUST_CHECK;
/** Count the ranges with GPU work, in total and per parent. Needs parent and n_calls of all ranges.
 */
void jr_export_ranges_add_up(struct jr_export_ranges *ranges);

#endif
