/*
 * roofline_columns.h - column lists (keys.h) of roofline tables that other files read.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_ROOFLINE_COLUMNS_H
#define JR_ANALYSIS_ROOFLINE_COLUMNS_H

#include "analysis/core/keys.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_roofline_thunks,
};

#define JR_ROOFLINE_COLUMNS(X, T)                                                                  \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY | JR_COL_DATA_ONLY)           \
	X(T, name, "Thunk", "name of the HLO instruction", TEXT, NONE,                                 \
		JR_COL_KEY | JR_COL_CODE | JR_COL_TIMELINE)                                                \
	X(T, kind, "Kind", "opcode, with the target or the kind of fusion", TEXT, NONE,                \
		JR_COL_CODE | JR_COL_DATA_ONLY)                                                            \
	X(T, bound_by, "Bound by",                                                                     \
		"resource that sets the roofline; latency: too short for a roofline to apply; not "        \
		"counted: FLOPs or bytes are unknown",                                                     \
		TEXT, NONE, JR_COL_RENDERED_ONLY | JR_COL_BESIDE)                                          \
	X(T, step_lost_ms, "Above roofline",                                                           \
		"time per step that its executions take above the roofline", F64, NS, JR_COL_BAR)          \
	X(T, mean_ms, "Mean duration",                                                                 \
		"mean time from start to end of an execution, over all devices, with overlap and "         \
		"waiting",                                                                                 \
		F64, NS)                                                                                   \
	X(T, roof_ms, "Roofline time", "shortest possible time of one execution on this device", F64,  \
		NS)                                                                                        \
	X(T, efficiency, "Of roofline",                                                                \
		"roofline time / duration; for collectives, without waiting for other devices; "           \
		"above 100 % if caches serve a part",                                                      \
		F64, FRAC)                                                                                 \
	X(T, dtype, "Type",                                                                            \
		"element type of the operands of its matrix products, or else of its vector "              \
		"operations",                                                                              \
		TEXT, NONE)                                                                                \
	X(T, flops, "FLOPs", "matrix and vector FLOPs of one execution", I64, COUNT, JR_COL_DATA_ONLY) \
	X(T, gflop, "GFLOP", "matrix and vector FLOPs of one execution", F64, NONE,                    \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, bytes_read, "Read", "bytes that one execution has to read from device memory", I64,       \
		BYTES, JR_COL_DATA_ONLY)                                                                   \
	X(T, bytes_written, "Written", "bytes that one execution has to write to device memory", I64,  \
		BYTES, JR_COL_DATA_ONLY)                                                                   \
	X(T, bytes, "Bytes", "bytes that one execution has to read and write", I64, BYTES,             \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, network_bytes, "Sent", "bytes that a device sends in a collective", I64, BYTES,           \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, intensity, "FLOP per byte", "FLOPs / bytes read and written", F64, NONE)                  \
	X(T, tflops_s, "TFLOP/s", "FLOPs / mean duration", F64, NONE)                                  \
	X(T, gb_s, "Memory rate", "bytes read and written / mean duration", F64, BYTES_S)              \
	X(T, bound, "Bound", "longest part of the roofline time", TEXT, NONE, JR_COL_DATA_ONLY)        \
	X(T, class, "Class", "memory, compute, network, latency, host or unknown", TEXT, NONE,         \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, count, "Count", "steady executions over all devices", I64, COUNT, JR_COL_DATA_ONLY)       \
	X(T, step_ms, "Time per step", "sum of the durations of its executions in a step", F64, NS)    \
	X(T, initializes, "Fills", "it fills the output of a fusion and does no work of its own",      \
		BOOL, NONE, JR_COL_DATA_ONLY)                                                              \
	X(T, in_place, "In place", "part of the result is written into an operand", BOOL, NONE,        \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, source, "Source", "innermost Python frame, file and line", TEXT, NONE,                    \
		JR_COL_RENDERED_ONLY | JR_COL_SOURCE | JR_COL_CODE)
JR_KEYS_READ(JR_ROOFLINE, JR_ROOFLINE_COLUMNS);

#define JR_ROOFLINE_POINTS_COLUMNS(X, T)                                                           \
	X(T, name, "Thunk", "name of the HLO instruction", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)       \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, class, "Class", "what limits it", TEXT, NONE)                                             \
	X(T, intensity, "FLOP per byte", "FLOPs / bytes read and written", F64, NONE)                  \
	X(T, tflops_s, "TFLOP/s", "FLOPs / mean duration", F64, NONE)                                  \
	X(T, step_ms, "Time per step", "sum of the durations of its executions in a step", F64, NS)    \
	X(T, named, "Named", "one of the thunks with the most time above the roofline", BOOL, NONE,    \
		JR_COL_RENDERED_ONLY)
JR_KEYS_READ(JR_ROOFLINE_POINTS, JR_ROOFLINE_POINTS_COLUMNS);

#define JR_ROOFLINE_KINDS_COLUMNS(X, T)                                                            \
	X(T, kind, "Kind", "opcode, with the target of a call or the kind of a fusion", TEXT, NONE,    \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, dur_ms, "Time", "sum of durations over all devices", I64, NS, JR_COL_LIKE)                \
	X(T, roof_ms, "At the roofline", "time of all their executions at the roofline", F64, NS,      \
		JR_COL_LIKE)                                                                               \
	X(T, lost_ms, "Above roofline", "time above the roofline, without waiting for other devices",  \
		F64, NS, JR_COL_BAR | JR_COL_LIKE)                                                         \
	X(T, waited_ms, "Waiting", WAITED, I64, NS, JR_COL_LIKE)                                       \
	X(T, no_roof_ms, "No roofline",                                                                \
		"time of thunks for which FLOPs, bytes or peaks are not "                                  \
		"known",                                                                                   \
		I64, NS, JR_COL_RENDERED_ONLY | JR_COL_LIKE)                                               \
	X(T, within_ms, "Up to the roofline",                                                          \
		"part of the time that is neither waiting, above the roofline nor without one; less than " \
		"the time at the roofline if thunks run faster than it",                                   \
		F64, NS, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_ROOFLINE_KINDS, JR_ROOFLINE_KINDS_COLUMNS);

#define JR_ROOFLINE_LINES_COLUMNS(X, T)                                                            \
	X(T, roof, "Roofline", "limit that the line shows", TEXT, NONE, JR_COL_KEY)                    \
	X(T, intensity, "FLOP per byte", "FLOPs / bytes read and written", F64, NONE, JR_COL_KEY)      \
	X(T, tflops_s, "TFLOP/s", "highest reachable rate", F64, NONE)
JR_KEYS_READ(JR_ROOFLINE_LINES, JR_ROOFLINE_LINES_COLUMNS);

#endif
