/*
 * devices_tables.h - tables of the exchange between devices that other files read, as lists of
 * keys.h.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_DEVICES_TABLES_H
#define JR_ANALYSIS_DEVICES_TABLES_H

#include "analysis/core/keys.h"
#include "analysis/shared/chosen_rows.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_collectives,
	JR_AT_overlap,
	JR_AT_stragglers,
};

#define JR_COLLECTIVES_COLUMNS(X, T)                                                               \
	X(T, collective, "Collective", "kind of communication", TEXT, NONE, JR_COL_KEY)                \
	X(T, message_bytes, "Message",                                                                 \
		"bytes of all operands; for reduce-scatter, divided by the group size", I64, BYTES,        \
		JR_COL_KEY)                                                                                \
	X(T, buffers, "Buffers",                                                                       \
		"number of operands in the message; the largest number if instances differ", I64, COUNT)   \
	X(T, largest_buffer_bytes, "Largest buffer",                                                   \
		"bytes of the largest operand; the largest value if instances differ", I64, BYTES)         \
	X(T, group_size, "Group",                                                                      \
		"number of devices that take part; the largest number if instances differ", I64, COUNT)    \
	X(T, instances, "Instances", "number of steady instances", I64, COUNT)                         \
	X(T, bus_gbps_mean, "Bus bandwidth",                                                           \
		"bus bandwidth of the fastest device, mean over instances", F64, BYTES_S, JR_COL_BAR)      \
	X(T, bus_gbps_sem, "±", "standard error of that mean, over instances", F64, BYTES_S,           \
		JR_COL_SPREAD)                                                                             \
	X(T, wait_mean_ms, "Mean wait",                                                                \
		"last end - first start - shortest duration, mean over instances", F64, NS)
JR_KEYS_READ(JR_COLLECTIVES, JR_COLLECTIVES_COLUMNS);

#define JR_OVERLAP_COLUMNS(X, T)                                                                   \
	X(T, collective, "Collective", "kind of communication; all: all kinds together", TEXT, NONE,   \
		JR_COL_KEY)                                                                                \
	X(T, hidden_ms, "Hidden", "time overlapped with compute on the same device, over all devices", \
		I64, NS, JR_COL_LIKE)                                                                      \
	X(T, dur_ms, "Duration", "hidden plus exposed time", I64, NS, JR_COL_LIKE)                     \
	X(T, hidden_fraction, "Hidden share", "hidden / duration", F64, FRAC, JR_COL_BAR)
JR_KEYS_READ(JR_OVERLAP, JR_OVERLAP_COLUMNS);

#define JR_NCCL_OVERLAP_COLUMNS(X, T)                                                              \
	X(T, name, "Kernel", "communication kernel, without arguments; all: all kernels together",     \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, count, "Count", "number of launches, over all devices", I64, COUNT)                       \
	X(T, sum_ms, "Time", "sum of their durations", I64, NS, JR_COL_LIKE)                           \
	X(T, hidden_ms, "Hidden", "time while another kernel runs on the same device", I64, NS,        \
		JR_COL_LIKE)                                                                               \
	X(T, exposed_ms, "Exposed", "time while no other kernel runs", I64, NS, JR_COL_LIKE)           \
	X(T, hidden_fraction, "Hidden share", "hidden / time", F64, FRAC, JR_COL_BAR)                  \
	X(T, mean_ms, "Mean", "mean duration", F64, NS)                                                \
	X(T, max_ms, "Longest", "longest duration", I64, NS)
JR_KEYS_READ(JR_NCCL_OVERLAP, JR_NCCL_OVERLAP_COLUMNS);

#define JR_STRAGGLERS_COLUMNS(X, T)                                                                \
	X(T, device, "Device", "global device number", I64, NONE, JR_COL_KEY)                          \
	X(T, caused_wait_ms, "Waiting caused",                                                         \
		"time the other devices waited in collectives at which this one arrived last", I64, NS,    \
		JR_COL_BAR | JR_COL_LIKE)                                                                  \
	X(T, last_arrivals, "Arrived last",                                                            \
		"number of instances in which every other device arrived earlier", I64, COUNT)             \
	X(T, waited_ms, "Own waiting", "its durations beyond the shortest of each instance", I64, NS,  \
		JR_COL_LIKE)                                                                               \
	X(T, instances, "Instances", "number of steady instances shared with other devices", I64,      \
		COUNT)                                                                                     \
	X(T, lag_ms, "Lag per step",                                                                   \
		"time that the device needs for a step, without waiting for others, beyond the median "    \
		"device of that step: mean over steps",                                                    \
		F64, NS)                                                                                   \
	X(T, late, "Late",                                                                             \
		"steps in which the lag is above the bound: in n of m steps (in at least 90 %), since a "  \
		"step, or now and then; empty if it is not late",                                          \
		TEXT, NONE)                                                                                \
	X(T, since_step, "Late since",                                                                 \
		"number of the first of its late steps; empty if it is not "                               \
		"late in at least 90 % of the steps from there on, or if it "                              \
		"was late before",                                                                         \
		I64, NONE, JR_COL_DATA_ONLY)                                                               \
	X(T, late_steps, "Late steps", "number of its late steps", I64, COUNT, JR_COL_DATA_ONLY)       \
	X(T, compared_steps, "Compared steps", "number of its steps with a known lag", I64, COUNT,     \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, hostname, "Host",                                                                         \
		"machine of the device; empty if all devices are on one, or if it is "                     \
		"unknown",                                                                                 \
		TEXT, NONE, JR_COL_CODE)                                                                   \
	X(T, chosen, JR_CHOSEN_TITLE, JR_CHOSEN_HELP, TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_KEYS_READ(JR_STRAGGLERS, JR_STRAGGLERS_COLUMNS);

#endif
