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
	X(T, name, "Name", "Name without program and module", TEXT, NONE,                              \
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY)                                               \
	X(T, range, "Range", "Name without program and module", TEXT, NONE,                            \
		JR_COL_CODE | JR_COL_RENDERED_ONLY)                                                        \
	X(T, self_ms, "Self time",                                                                     \
		"Time in ranges of this name outside the ranges below them; the wall time of a "           \
		"parallel region is split among its workers by their self times",                          \
		F64, NS, JR_COL_BAR)                                                                       \
	X(T, child_ms, "In nested ranges", "Time in the ranges directly inside them", F64, NS)         \
	X(T, percent, "Share", "Share of all compilation time", F64, PERCENT)
JR_KEYS_READ(JR_COMPILATION, JR_COMPILATION_COLUMNS);

#endif
