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
	X(T, name, "Step", "module that takes most time; its executions are the steps", JR_TEXT,       \
		JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE)                                                    \
	X(T, label, "Step", "what a chart calls it", JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY)      \
	X(T, compute_ms, "Compute", "on the path, on whichever device it runs there", JR_F64,          \
		JR_UNIT_NS, 0)                                                                             \
	X(T, transfer_ms, "Transfer",                                                                  \
		"of collectives, from the arrival of the last device to the end; where some of their "     \
		"devices were not recorded, waiting for those too",                                        \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, copy_ms, "Copies", "between host and device, and collectives of a single device", JR_F64, \
		JR_UNIT_NS, 0)                                                                             \
	X(T, gap_ms, "Gaps", "inside modules, between one thunk of the path and the next", JR_F64,     \
		JR_UNIT_NS, 0)                                                                             \
	X(T, host_ms, "Host", "between modules, while no module runs", JR_F64, JR_UNIT_NS, 0)          \
	X(T, other_ms, "Other programs", "between modules, while another one runs", JR_F64,            \
		JR_UNIT_NS, 0)                                                                             \
	X(T, skew_ms, "Start skew",                                                                    \
		"the path ends on the device that is last, and devices do not begin their steps "          \
		"together: what makes up for that, also below 0",                                          \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, period_ms, "Period", "the sum of the others, mean over steps and devices", JR_F64,        \
		JR_UNIT_NS, 0)                                                                             \
	X(T, perfect_overlap_ms, "Perfect overlap",                                                    \
		"the period that is predicted where communication begins as soon as its operands are "     \
		"there, and only what takes its result waits for it; unknown without a schedule, and "     \
		"where the replay is not believed; of an interval the shortest",                           \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, perfect_overlap_high_ms, "Perfect overlap, at most",                                      \
		"the same; of an interval the longest", JR_F64, JR_UNIT_NS, 0)                             \
	X(T, steps, "Steps", "that were replayed, at most 64, evenly over all", JR_I64, JR_UNIT_COUNT, \
		0)                                                                                         \
	X(T, error_mean, "Mean error",                                                                 \
		"of the time within the module, where each step is replayed with its own durations "       \
		"and the gaps of the others: mean over steps and devices",                                 \
		JR_F64, JR_UNIT_FRAC, 0)                                                                   \
	X(T, error_worst, "Worst error", "the same of the worst step of any device", JR_F64,           \
		JR_UNIT_FRAC, 0)                                                                           \
	X(T, believed, "Believed", "a mean error of at most 0.5 %, and none above 1.5 %", JR_BOOL,     \
		JR_UNIT_NONE, 0)
JR_KEYS_READ(JR_CRITICAL_PATH, JR_CRITICAL_PATH_COLUMNS);

#define JR_CRITICAL_THUNKS_COLUMNS(X, T)                                                           \
	X(T, program_id, "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                   \
	X(T, name, "Thunk", "name of the HLO instruction", JR_TEXT, JR_UNIT_NONE,                      \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, path_ms, "On the path", "a step: its time that the next step waits for", JR_F64,          \
		JR_UNIT_NS, 0)                                                                             \
	X(T, percent, "Share", "of the path from one step to the next", JR_F64, JR_UNIT_PERCENT,       \
		JR_COL_BAR)                                                                                \
	X(T, gap_ms, "Gap ahead", "a step, on the path: between what it waits for and its begin",      \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, slack_ms, "Slack",                                                                        \
		"how much longer an execution could take before any device begins its next step "          \
		"later: the least over executions and devices of a step, mean over steps",                 \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, category, "Category", "what the operation does, from opcode and custom-call target",      \
		JR_TEXT, JR_UNIT_NONE, 0)                                                                  \
	X(T, source, "Source", "innermost Python frame, file and line", JR_TEXT, JR_UNIT_NONE,         \
		JR_COL_SOURCE | JR_COL_CODE)
JR_KEYS_READ(JR_CRITICAL_THUNKS, JR_CRITICAL_THUNKS_COLUMNS);

#endif
