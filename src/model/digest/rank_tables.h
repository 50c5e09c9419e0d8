/*
 * rank_tables.h - the tables that a digest has of one rank: each is written and read by its one
 * description.
 * Layer: model, private to digests.  The form: formats/README.md, section 12.
 */
#ifndef JR_MODEL_RANK_TABLES_H
#define JR_MODEL_RANK_TABLES_H

#include "formats/compact/compact.h"
#include "model/digest/digests.h"

/* Bounds of columns that refer to rows: set in jr_expanding.bounds before the table is read. */
enum { BOUND_STRINGS, BOUND_NAMES, BOUND_ROWS };

extern const struct jr_compact_table jr_compact_trace, jr_compact_trace_rows,
	jr_compact_trace_names;
extern const struct jr_compact_table jr_compact_metadata, jr_compact_launchers, jr_compact_gpus,
	jr_compact_settings;
extern const struct jr_compact_table jr_compact_host, jr_compact_host_rows;
extern const struct jr_compact_table jr_compact_rank, jr_compact_rank_programs;

#endif
