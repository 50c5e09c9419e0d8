/*
 * plan_tables.h - columns (keys.h) of the tables of a plan that other files read.
 * Layer: analysis.  Definitions: README.md, section 14.9.
 */
#ifndef JR_ANALYSIS_PLAN_TABLES_H
#define JR_ANALYSIS_PLAN_TABLES_H

#include "analysis/core/keys.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_plan_programs,
};

#define JR_PLAN_PROGRAMS_COLUMNS(X, T)                                                             \
	X(T, program_id, "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                   \
	X(T, name, "Module", "module name", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)                        \
	X(T, roof_ms, "Roofline time",                                                                 \
		"lower bound of one execution: each instruction at the roofline, one after the other, "    \
		"with collectives overlapped",                                                             \
		JR_F64, JR_UNIT_NS, JR_COL_BAR)                                                            \
	X(T, roof_network_ms, "Collectives", "collectives at the peak rate of the links", JR_F64,      \
		JR_UNIT_NS, 0)                                                                             \
	X(T, flops, "FLOPs", "matrix and vector FLOPs of one execution", JR_I64, JR_UNIT_COUNT,        \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, tflop, "TFLOP", "10^12 matrix and vector FLOPs of one execution", JR_F64, JR_UNIT_NONE,   \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, bytes, "Bytes", "bytes that one execution has to read from and write to device memory",   \
		JR_I64, JR_UNIT_BYTES, 0)                                                                  \
	X(T, network_bytes, "Sent", "bytes that a device sends in collectives", JR_I64, JR_UNIT_BYTES, \
		0)                                                                                         \
	X(T, remat_flops, "Recomputed", "FLOPs of matrix products that are recomputed", JR_I64,        \
		JR_UNIT_COUNT, JR_COL_DATA_ONLY)                                                           \
	X(T, launches, "Launches", "instructions that one execution launches", JR_I64, JR_UNIT_COUNT,  \
		0)                                                                                         \
	X(T, not_counted, "Not counted",                                                               \
		"distinct instructions for which FLOPs or bytes are not known; if there are any, the "     \
		"other values are lower bounds",                                                           \
		JR_I64, JR_UNIT_COUNT, 0)
JR_KEYS_READ(JR_PLAN_PROGRAMS, JR_PLAN_PROGRAMS_COLUMNS);

#endif
