/*
 * timeline_compact.h - a timeline in the compact form of digests: all that a reader returned.
 * Layer: formats.  The form: formats/README.md, section 12.
 */
#ifndef JR_FORMATS_TIMELINE_COMPACT_H
#define JR_FORMATS_TIMELINE_COMPACT_H

#include "formats/compact/compact.h"
#include "formats/timeline_rows.h"

/** Append a timeline as its reader returned it. O(values) */
void jr_timeline_put(struct jr_buf *out, const struct jr_timeline *timeline);
/**
 * Read a timeline and check the rules of timeline_build.h.
 *
 * @param in        its bounds are set to those of the timeline
 * @param timeline  out: jr_timeline_done() also after a failure
 * @return JR_EFORMAT, JR_ELIMIT as jr_expand_table(). O(values)
 */
enum jr_status jr_timeline_expand(
	struct jr_expanding *in, struct jr_timeline *timeline, struct jr_error *err) JR_MUST_CHECK;

/* Pairs of texts: struct jr_timeline_pair. */
extern const struct jr_compact_table jr_compact_pairs;

/* jr_expanding.bounds: numbers of rows of the tables that columns refer to. */
enum { JR_BOUND_STRINGS, JR_BOUND_THREADS, JR_BOUND_PROCESSES, JR_BOUND_OTHER };

#endif
