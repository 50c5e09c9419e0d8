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
	X(T, program_id, "Program", "program id", JR_TEXT, JR_UNIT_NONE,                               \
		JR_COL_KEY | JR_COL_DATA_ONLY)                                                             \
	X(T, name, "Thunk", "name of the HLO instruction", JR_TEXT, JR_UNIT_NONE,                      \
		JR_COL_KEY | JR_COL_CODE | JR_COL_TIMELINE)                                                \
	X(T, kind, "Kind", "opcode, with the target or the kind of fusion", JR_TEXT, JR_UNIT_NONE,     \
		JR_COL_CODE | JR_COL_DATA_ONLY)                                                            \
	X(T, bound_by, "Bound by",                                                                     \
		"resource that sets the roofline; latency: too short for a roofline to apply; not "        \
		"counted: FLOPs or bytes are unknown",                                                     \
		JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY | JR_COL_BESIDE)                               \
	X(T, step_lost_ms, "Above roofline",                                                           \
		"time per step that its executions take above the roofline", JR_F64, JR_UNIT_NS,           \
		JR_COL_BAR)                                                                                \
	X(T, mean_ms, "Mean duration",                                                                 \
		"mean time from start to end of an execution, over all devices, with overlap and "         \
		"waiting",                                                                                 \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, roof_ms, "Roofline time", "shortest possible time of one execution on this device",       \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, efficiency, "Of roofline",                                                                \
		"roofline time / duration; for collectives, without waiting for other devices; "           \
		"above 100 % if caches serve a part",                                                      \
		JR_F64, JR_UNIT_FRAC, 0)                                                                   \
	X(T, dtype, "Type",                                                                            \
		"element type of the operands of its matrix products, or else of its vector "              \
		"operations",                                                                              \
		JR_TEXT, JR_UNIT_NONE, 0)                                                                  \
	X(T, flops, "FLOPs", "matrix and vector FLOPs of one execution", JR_I64, JR_UNIT_COUNT,        \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, gflop, "GFLOP", "matrix and vector FLOPs of one execution", JR_F64, JR_UNIT_NONE,         \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, bytes_read, "Read", "bytes that one execution has to read from device memory", JR_I64,    \
		JR_UNIT_BYTES, JR_COL_DATA_ONLY)                                                           \
	X(T, bytes_written, "Written", "bytes that one execution has to write to device memory",       \
		JR_I64, JR_UNIT_BYTES, JR_COL_DATA_ONLY)                                                   \
	X(T, bytes, "Bytes", "bytes that one execution has to read and write", JR_I64, JR_UNIT_BYTES,  \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, network_bytes, "Sent", "bytes that a device sends in a collective", JR_I64,               \
		JR_UNIT_BYTES, JR_COL_DATA_ONLY)                                                           \
	X(T, intensity, "FLOP per byte", "FLOPs / bytes read and written", JR_F64, JR_UNIT_NONE, 0)    \
	X(T, tflops_s, "TFLOP/s", "FLOPs / mean duration", JR_F64, JR_UNIT_NONE, 0)                    \
	X(T, gb_s, "Memory rate", "bytes read and written / mean duration", JR_F64, JR_UNIT_BYTES_S,   \
		0)                                                                                         \
	X(T, bound, "Bound", "longest part of the roofline time", JR_TEXT, JR_UNIT_NONE,               \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, class, "Class", "memory, compute, network, latency, host or unknown", JR_TEXT,            \
		JR_UNIT_NONE, JR_COL_DATA_ONLY)                                                            \
	X(T, count, "Count", "steady executions over all devices", JR_I64, JR_UNIT_COUNT,              \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, step_ms, "Time per step", "sum of the durations of its executions in a step", JR_F64,     \
		JR_UNIT_NS, 0)                                                                             \
	X(T, initializes, "Fills", "it fills the output of a fusion and does no work of its own",      \
		JR_BOOL, JR_UNIT_NONE, JR_COL_DATA_ONLY)                                                   \
	X(T, in_place, "In place", "part of the result is written into an operand", JR_BOOL,           \
		JR_UNIT_NONE, JR_COL_DATA_ONLY)                                                            \
	X(T, source, "Source", "innermost Python frame, file and line", JR_TEXT, JR_UNIT_NONE,         \
		JR_COL_RENDERED_ONLY | JR_COL_SOURCE | JR_COL_CODE)
JR_KEYS_READ(JR_ROOFLINE, JR_ROOFLINE_COLUMNS);

#define JR_ROOFLINE_POINTS_COLUMNS(X, T)                                                           \
	X(T, name, "Thunk", "name of the HLO instruction", JR_TEXT, JR_UNIT_NONE,                      \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, program_id, "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                   \
	X(T, class, "Class", "what limits it", JR_TEXT, JR_UNIT_NONE, 0)                               \
	X(T, intensity, "FLOP per byte", "FLOPs / bytes read and written", JR_F64, JR_UNIT_NONE, 0)    \
	X(T, tflops_s, "TFLOP/s", "FLOPs / mean duration", JR_F64, JR_UNIT_NONE, 0)                    \
	X(T, step_ms, "Time per step", "sum of the durations of its executions in a step", JR_F64,     \
		JR_UNIT_NS, 0)                                                                             \
	X(T, named, "Named", "one of the thunks with the most time above the roofline", JR_BOOL,       \
		JR_UNIT_NONE, JR_COL_RENDERED_ONLY)
JR_KEYS_READ(JR_ROOFLINE_POINTS, JR_ROOFLINE_POINTS_COLUMNS);

#define JR_ROOFLINE_KINDS_COLUMNS(X, T)                                                            \
	X(T, kind, "Kind", "opcode, with the target of a call or the kind of a fusion", JR_TEXT,       \
		JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE)                                                    \
	X(T, dur_ms, "Time", "sum of durations over all devices", JR_I64, JR_UNIT_NS, JR_COL_LIKE)     \
	X(T, roof_ms, "At the roofline", "time of all their executions at the roofline", JR_F64,       \
		JR_UNIT_NS, JR_COL_LIKE)                                                                   \
	X(T, lost_ms, "Above roofline", "time above the roofline, without waiting for other devices",  \
		JR_F64, JR_UNIT_NS, JR_COL_BAR | JR_COL_LIKE)                                              \
	X(T, waited_ms, "Waiting", WAITED, JR_I64, JR_UNIT_NS, JR_COL_LIKE)                            \
	X(T, no_roof_ms, "No roofline",                                                                \
		"time of thunks for which FLOPs, bytes or peaks are not "                                  \
		"known",                                                                                   \
		JR_I64, JR_UNIT_NS, JR_COL_RENDERED_ONLY | JR_COL_LIKE)                                    \
	X(T, within_ms, "Up to the roofline",                                                          \
		"part of the time that is neither waiting, above the roofline nor without one; less than " \
		"the time at the roofline if thunks run faster than it",                                   \
		JR_F64, JR_UNIT_NS, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_ROOFLINE_KINDS, JR_ROOFLINE_KINDS_COLUMNS);

#define JR_ROOFLINE_LINES_COLUMNS(X, T)                                                            \
	X(T, roof, "Roofline", "limit that the line shows", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)         \
	X(T, intensity, "FLOP per byte", "FLOPs / bytes read and written", JR_F64, JR_UNIT_NONE,       \
		JR_COL_KEY)                                                                                \
	X(T, tflops_s, "TFLOP/s", "highest reachable rate", JR_F64, JR_UNIT_NONE, 0)
JR_KEYS_READ(JR_ROOFLINE_LINES, JR_ROOFLINE_LINES_COLUMNS);

#endif
