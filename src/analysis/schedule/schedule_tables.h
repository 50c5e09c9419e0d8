/*
 * schedule_tables.h - tables of the critical path that other files read, as lists of keys.h.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_SCHEDULE_TABLES_H
#define JR_ANALYSIS_SCHEDULE_TABLES_H

#include "analysis/core/keys.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_critical_path,
	JR_AT_critical_path_thunks,
};

#define JR_CRITICAL_PATH_COLUMNS(X, T)                                                             \
	X(T, name, "Step", "module with the most time; its executions are the steps", TEXT, NONE,      \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, label, "Step", "name in charts", TEXT, NONE, JR_COL_RENDERED_ONLY)                        \
	X(T, compute_ms, "Compute", "compute on the path, on any device", F64, NS)                     \
	X(T, transfer_ms, "Transfer",                                                                  \
		"time of collectives from the arrival of the last device to the end; includes waiting "    \
		"for devices that were not recorded",                                                      \
		F64, NS)                                                                                   \
	X(T, copy_ms, "Copies", "copies between host and device, and collectives of a single device",  \
		F64, NS)                                                                                   \
	X(T, gap_ms, "Gaps", "inside modules, between one thunk of the path and the next", F64, NS)    \
	X(T, host_ms, "Host", "between modules, while no module runs", F64, NS)                        \
	X(T, other_ms, "Other programs", "between modules, while another one runs", F64, NS)           \
	X(T, skew_ms, "Start skew",                                                                    \
		"correction because devices do not start their steps at the same time and the path ends "  \
		"on the last device; can be below 0",                                                      \
		F64, NS)                                                                                   \
	X(T, period_ms, "Period", "sum of the other columns, mean over steps and devices", F64, NS)    \
	X(T, perfect_overlap_ms, "Perfect overlap",                                                    \
		"predicted period if communication starts as soon as its operands are ready and only "     \
		"operations that use its result wait for it. Unknown without a schedule, or if the "       \
		"replay is not accurate enough. For an interval, the shortest",                            \
		F64, NS)                                                                                   \
	X(T, perfect_overlap_high_ms, "Perfect overlap, at most",                                      \
		"the same; for an interval, the longest", F64, NS)                                         \
	X(T, steps, "Steps", "number of replayed steps, at most 64, evenly spread", I64, COUNT)        \
	X(T, error_mean, "Mean error",                                                                 \
		"error of the time within the module if each step is replayed with its own durations "     \
		"and the gaps of the other steps; mean over steps and devices",                            \
		F64, FRAC)                                                                                 \
	X(T, error_worst, "Worst error", "the same for the worst step of any device", F64, FRAC)       \
	X(T, believed, "Believed", "mean error is at most 0.5 %, and no error is above 1.5 %", BOOL,   \
		NONE)
JR_KEYS_READ(JR_CRITICAL_PATH, JR_CRITICAL_PATH_COLUMNS);

#define JR_CRITICAL_THUNKS_COLUMNS(X, T)                                                           \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, name, "Thunk", "name of the HLO instruction", TEXT, NONE,                                 \
		JR_COL_KEY | JR_COL_CODE | JR_COL_TIMELINE)                                                \
	X(T, path_ms, "On the path", "per step: time that the next step waits for", F64, NS)           \
	X(T, percent, "Share", "share of the path from one step to the next", F64, PERCENT,            \
		JR_COL_BAR)                                                                                \
	X(T, gap_ms, "Gap before",                                                                     \
		"per step, on the path: time between the end of the operation for which the thunk "        \
		"waits and the start of the thunk",                                                        \
		F64, NS)                                                                                   \
	X(T, slack_ms, "Slack",                                                                        \
		"how much longer an execution could take without delaying the next step of any device: "   \
		"minimum over executions and devices of a step, mean over steps",                          \
		F64, NS)                                                                                   \
	X(T, category, "Category", "what the operation does, from opcode and custom-call target",      \
		TEXT, NONE)                                                                                \
	X(T, source, "Source", "innermost Python frame, file and line", TEXT, NONE,                    \
		JR_COL_SOURCE | JR_COL_CODE)
JR_KEYS_READ(JR_CRITICAL_THUNKS, JR_CRITICAL_THUNKS_COLUMNS);

#endif
