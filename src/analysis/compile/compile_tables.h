/*
 * compile_tables.h - tables of compilation that other files read, as lists of keys.h.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_COMPILE_TABLES_H
#define JR_ANALYSIS_COMPILE_TABLES_H

#include "analysis/core/keys.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_compilation_phases,
};

#define JR_COMPILATION_COLUMNS(X, T)                                                               \
	X(T, name, "Name", "Name without program and module", JR_TEXT, JR_UNIT_NONE,                   \
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY)                                               \
	X(T, range, "Range", "Name without program and module", JR_TEXT, JR_UNIT_NONE,                 \
		JR_COL_CODE | JR_COL_RENDERED_ONLY)                                                        \
	X(T, self_ms, "Self time",                                                                     \
		"Time in ranges of this name outside the ranges below them; the wall time of a "           \
		"parallel region is split among its workers by their self times",                          \
		JR_F64, JR_UNIT_NS, JR_COL_BAR)                                                            \
	X(T, child_ms, "In nested ranges", "Time in the ranges directly inside them", JR_F64,          \
		JR_UNIT_NS, 0)                                                                             \
	X(T, percent, "Share", "Share of all compilation time", JR_F64, JR_UNIT_PERCENT, 0)
JR_KEYS_READ(JR_COMPILATION, JR_COMPILATION_COLUMNS);

#endif
