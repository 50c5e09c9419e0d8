/*
 * devices_tables.h - tables of the exchange between devices that other files read, as lists of
 * keys.h.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_DEVICES_TABLES_H
#define JR_ANALYSIS_DEVICES_TABLES_H

#include "analysis/core/keys.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_collectives,
	JR_AT_overlap,
};

#define JR_COLLECTIVES_COLUMNS(X, T)                                                               \
	X(T, collective, "Collective", "kind of communication", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)     \
	X(T, message_bytes, "Message",                                                                 \
		"bytes of all operands; for reduce-scatter, divided by the group size", JR_I64,            \
		JR_UNIT_BYTES, JR_COL_KEY)                                                                 \
	X(T, buffers, "Buffers",                                                                       \
		"number of operands in the message; the largest number if instances differ", JR_I64,       \
		JR_UNIT_COUNT, 0)                                                                          \
	X(T, largest_buffer_bytes, "Largest buffer",                                                   \
		"bytes of the largest operand; the largest value if instances differ", JR_I64,             \
		JR_UNIT_BYTES, 0)                                                                          \
	X(T, group_size, "Group",                                                                      \
		"number of devices that take part; the largest number if instances differ", JR_I64,        \
		JR_UNIT_COUNT, 0)                                                                          \
	X(T, instances, "Instances", "number of steady instances", JR_I64, JR_UNIT_COUNT, 0)           \
	X(T, bus_gbps_mean, "Bus bandwidth",                                                           \
		"bus bandwidth of the fastest device, mean over instances", JR_F64, JR_UNIT_BYTES_S,       \
		JR_COL_BAR)                                                                                \
	X(T, bus_gbps_sem, "±", "standard error of that mean, over instances", JR_F64,                 \
		JR_UNIT_BYTES_S, JR_COL_SPREAD)                                                            \
	X(T, wait_mean_ms, "Mean wait",                                                                \
		"last end - first start - shortest duration, mean over instances", JR_F64, JR_UNIT_NS, 0)
JR_KEYS_READ(JR_COLLECTIVES, JR_COLLECTIVES_COLUMNS);

#define JR_OVERLAP_COLUMNS(X, T)                                                                   \
	X(T, collective, "Collective", "kind of communication; all: all kinds together", JR_TEXT,      \
		JR_UNIT_NONE, JR_COL_KEY)                                                                  \
	X(T, hidden_ms, "Hidden", "time overlapped with compute on the same device, over all devices", \
		JR_I64, JR_UNIT_NS, JR_COL_LIKE)                                                           \
	X(T, dur_ms, "Duration", "hidden plus exposed time", JR_I64, JR_UNIT_NS, JR_COL_LIKE)          \
	X(T, hidden_fraction, "Hidden share", "hidden / duration", JR_F64, JR_UNIT_FRAC, JR_COL_BAR)
JR_KEYS_READ(JR_OVERLAP, JR_OVERLAP_COLUMNS);

#define JR_NCCL_OVERLAP_COLUMNS(X, T)                                                              \
	X(T, name, "Kernel", "communication kernel, without arguments; all: all kernels together",     \
		JR_TEXT, JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE)                                           \
	X(T, count, "Count", "number of launches, over all devices", JR_I64, JR_UNIT_COUNT, 0)         \
	X(T, sum_ms, "Time", "sum of their durations", JR_I64, JR_UNIT_NS, JR_COL_LIKE)                \
	X(T, hidden_ms, "Hidden", "time while another kernel runs on the same device", JR_I64,         \
		JR_UNIT_NS, JR_COL_LIKE)                                                                   \
	X(T, exposed_ms, "Exposed", "time while no other kernel runs", JR_I64, JR_UNIT_NS,             \
		JR_COL_LIKE)                                                                               \
	X(T, hidden_fraction, "Hidden share", "hidden / time", JR_F64, JR_UNIT_FRAC, JR_COL_BAR)       \
	X(T, mean_ms, "Mean", "mean duration", JR_F64, JR_UNIT_NS, 0)                                  \
	X(T, max_ms, "Longest", "longest duration", JR_I64, JR_UNIT_NS, 0)
JR_KEYS_READ(JR_NCCL_OVERLAP, JR_NCCL_OVERLAP_COLUMNS);

#endif
