/*
 * export_ranges.h - the ranges of an export, one after the other, with what is known of each: its
 * place among the others, what lies in it, what of it ran on GPUs. For tables of all of them, as
 * archives have (src/record).
 * Layer: model.  Definitions: formats/README.md, section 3.2.
 *
 * The export is read by streams: ranges and calls once, what ran on GPUs once, and ranges again
 * whenever they are gone through. In memory are 24 bytes a range, 24 more for one that others lie
 * in, 8 a call. Where that cannot be (see jr_export_ranges_read()), the export is in memory whole,
 * and the figures are the same.
 */
#ifndef JR_MODEL_EXPORT_RANGES_H
#define JR_MODEL_EXPORT_RANGES_H

#include "formats/nsys/nsys_stream.h"
#include "model/export/export.h"

/* What lies directly in a range. */
struct jr_export_children {
	uint32_t place, n, n_with_gpu_work;
	int64_t dur_ns;
};

struct jr_export_ranges {
	/* where `stream` is set without its events, and devices without the process that used them */
	struct jr_export x;
	/* [n] by place: ranges of all threads by start, outermost first. Of marks there is none. */
	size_t n;
	uint32_t *parent;  /* place; JR_NONE: at the top of its thread, or no push/pop range */
	uint32_t *n_calls; /* that launched something in it; 0: no GPU work */
	int64_t *gpu_start_ns, *gpu_end_ns; /* where n_calls > 0 */
	size_t n_parents;
	struct jr_export_children *parents; /* [n_parents] by place */
	uint64_t n_with_gpu_work;
	struct jr_nsys_stream *stream; /* NULL: x has the rows */
	uint32_t *order;               /* then: [n] rows by place */
	size_t next, next_parent;      /* to be handed out */
	struct jr_arena arena; /* has the arrays; with `stream`, parent and parents are of malloc() */
};

/* A range that passes by. */
struct jr_export_range {
	uint32_t place;
	bool is_push_pop;
	int64_t start_ns, end_ns, pid, tid;
	uint32_t scope, text; /* of x.rows */
	struct jr_export_children children;
};

/**
 * Read an export and work all of this out. It is in memory whole where a range was open when the
 * profile ended, where something was launched in ranges that do not nest (or in one of start and
 * end, which nests in nothing), and where rows are far out of order.
 * @param out  stays where it is; jr_export_ranges_done() on JR_OK
 * @return what jr_export_read() returns
 */
enum jr_status jr_export_ranges_read(const char *path, const struct jr_limits *limits,
	size_t n_threads, struct jr_export_ranges *out, struct jr_error *err) JR_MUST_CHECK;
void jr_export_ranges_done(struct jr_export_ranges *ranges);

/** Go through them (again), from the first on. */
enum jr_status jr_export_ranges_begin(struct jr_export_ranges *ranges, struct jr_error *err)
	JR_MUST_CHECK;
/** @param any  false: there are no more */
enum jr_status jr_export_ranges_next(struct jr_export_ranges *ranges, struct jr_export_range *out,
	bool *any, struct jr_error *err) JR_MUST_CHECK;

/* Steps of jr_export_ranges_read(). */
/** By streams. @param fits  false: it has to be in memory; nothing is left behind */
enum jr_status jr_export_ranges_stream(const char *path, const struct jr_limits *limits,
	struct jr_export_ranges *out, bool *fits, struct jr_error *err) JR_MUST_CHECK;
/** What of parents is known when parent, n_calls and times of all ranges themselves are: sums of
 * what lies below them, and how much of it has GPU work. */
void jr_export_ranges_add_up(struct jr_export_ranges *ranges);

#endif
