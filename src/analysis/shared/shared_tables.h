/*
 * shared_tables.h - column lists (keys.h) of the table of variants, which other files read.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_SHARED_TABLES_H
#define JR_ANALYSIS_SHARED_TABLES_H

#include "analysis/core/keys.h"

#define JR_VARIANTS_COLUMNS(X, T)                                                                  \
	X(T, program_id, "Program", "program id; empty: all variants", TEXT, NONE, JR_COL_KEY)         \
	X(T, name, "Module", "module name", TEXT, NONE, JR_COL_CODE | JR_COL_VITAL)                    \
	X(T, inputs, "Inputs",                                                                         \
		"shapes of the first parameters that differ between variants, from the HLO", TEXT, NONE,   \
		JR_COL_CODE)                                                                               \
	X(T, share, "Share", "share of the time of all variants", F64, FRAC, JR_COL_BAR)               \
	X(T, sum_ms, "Sum", "time of all executions on all devices", I64, NS)                          \
	X(T, median_ms, "Median", "time of one execution on one device", I64, NS)                      \
	X(T, p90_ms, "90 %", "time that 90 % of executions do not exceed", I64, NS)                    \
	X(T, p99_ms, "99 %", "time that 99 % of executions do not exceed", I64, NS)                    \
	X(T, max_ms, "Longest", "time of the longest execution", I64, NS)                              \
	X(T, executions, "Executions", "executions on all devices, including warm-up", I64, COUNT)
JR_KEYS_READ(JR_VARIANTS, JR_VARIANTS_COLUMNS);

#endif
