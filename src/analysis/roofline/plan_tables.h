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
	JR_AT_plan_lines,
	JR_AT_plan_instructions,
};

#define JR_PLAN_PROGRAMS_COLUMNS(X, T)                                                             \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, name, "Module", "module name", TEXT, NONE, JR_COL_CODE | JR_COL_VITAL)                    \
	X(T, roof_ms, "Roofline time",                                                                 \
		"lower bound of one execution: each instruction at the roofline, one after the other, "    \
		"with collectives overlapped",                                                             \
		F64, NS, JR_COL_BAR)                                                                       \
	X(T, roof_network_ms, "Collectives", "collectives at the peak rate of the links", F64, NS)     \
	X(T, flops, "FLOPs", "matrix and vector FLOPs of one execution", I64, COUNT, JR_COL_DATA_ONLY) \
	X(T, tflop, "TFLOP", "10^12 matrix and vector FLOPs of one execution", F64, NONE,              \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, bytes, "Bytes", "bytes that one execution has to read from and write to device memory",   \
		I64, BYTES)                                                                                \
	X(T, network_bytes, "Sent", "bytes that a device sends in collectives", I64, BYTES)            \
	X(T, remat_flops, "Recomputed", "FLOPs of matrix products that are recomputed", I64, COUNT,    \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, launches, "Launches", "instructions that one execution launches", I64, COUNT)             \
	X(T, not_counted, "Not counted",                                                               \
		"distinct instructions for which FLOPs or bytes are not known; if there are any, the "     \
		"other values are lower bounds",                                                           \
		I64, COUNT)
JR_KEYS_READ(JR_PLAN_PROGRAMS, JR_PLAN_PROGRAMS_COLUMNS);

/* After the column that names the row. */
#define JR_PLAN_WORK_COLUMNS(X, T)                                                                 \
	X(T, launches, "Launches", "instructions that one execution launches", I64, COUNT)             \
	X(T, roof_ms, "Roofline time", "time of all of them at the roofline, for one execution", F64,  \
		NS, JR_COL_BAR)                                                                            \
	X(T, flops, "FLOPs", "matrix and vector FLOPs of one execution", I64, COUNT, JR_COL_DATA_ONLY) \
	X(T, gflop, "GFLOP", "10^9 matrix and vector FLOPs of one execution", F64, NONE,               \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, bytes, "Bytes", "bytes of device memory that one execution has to read and write", I64,   \
		BYTES)

#define JR_PLAN_LINES_COLUMNS(X, T)                                                                \
	X(T, source, "Source", "innermost Python frame, file and line", TEXT, NONE,                    \
		JR_COL_KEY | JR_COL_SOURCE | JR_COL_CODE)                                                  \
	JR_PLAN_WORK_COLUMNS(X, T)
JR_KEYS_READ(JR_PLAN_LINES, JR_PLAN_LINES_COLUMNS);

#define JR_PLAN_INSTRUCTIONS_COLUMNS(X, T)                                                         \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY | JR_COL_DATA_ONLY)           \
	X(T, name, "Instruction", "name of the HLO instruction", TEXT, NONE, JR_COL_KEY | JR_COL_CODE) \
	X(T, kind, "Kind", "opcode, with the target or the kind of fusion", TEXT, NONE, JR_COL_CODE)   \
	X(T, bound, "Bound by", "longest part of the roofline time", TEXT, NONE, JR_COL_BESIDE)        \
	X(T, roof_ms, "Roofline time", "time of all its launches at the roofline, for one execution",  \
		F64, NS, JR_COL_BAR)                                                                       \
	X(T, launches, "Launches", "how often one execution of its program launches it", I64, COUNT)   \
	X(T, flops, "FLOPs", "matrix and vector FLOPs of one launch", I64, COUNT, JR_COL_DATA_ONLY)    \
	X(T, gflop, "GFLOP", "10^9 matrix and vector FLOPs of one launch", F64, NONE,                  \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, bytes, "Bytes", "bytes of device memory that one launch has to read and write", I64,      \
		BYTES)                                                                                     \
	X(T, network_bytes, "Sent", "bytes that a device sends in one launch", I64, BYTES,             \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, source, "Source", "innermost Python frame, file and line", TEXT, NONE,                    \
		JR_COL_SOURCE | JR_COL_CODE)                                                               \
	X(T, op_name, "op_name", "path of the JAX operation", TEXT, NONE,                              \
		JR_COL_DATA_ONLY | JR_COL_CODE)
JR_KEYS_READ(JR_PLAN_INSTRUCTIONS, JR_PLAN_INSTRUCTIONS_COLUMNS);

struct jr_pass_context;

/** Return sentences about the first program of a plan: "One execution computes 17.6 TFLOP and moves
 * 81.1 GB. …"; NULL if its FLOPs are not known.
 * @param plan  table plan_programs, with one row or more */
const char *jr_plan_lede(struct jr_pass_context *ctx, const struct jr_table *plan);

#endif
