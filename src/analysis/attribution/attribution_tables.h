/*
 * attribution_tables.h - column lists (keys.h) of the tables of modules, thunks, opcodes and lines,
 * which other files read. Layer: analysis.
 */
#ifndef JR_ANALYSIS_ATTRIBUTION_TABLES_H
#define JR_ANALYSIS_ATTRIBUTION_TABLES_H

#include "analysis/core/keys.h"
#include "analysis/core/terms.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_modules,
	JR_AT_thunks,
	JR_AT_opcodes,
};

#define JR_MODULES_COLUMNS(X, T)                                                                   \
	X(T, program_id, "Program", "XLA's program id in the first profile that contains the program", \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, name, "Module", "name of the jitted function's HLO module", TEXT, NONE,                   \
		JR_COL_CODE | JR_COL_VITAL)                                                                \
	X(T, executions, "Executions", "steady executions over all devices", I64, COUNT)               \
	X(T, thunks_mean, "Thunks", "mean number of thunks per execution", F64, COUNT)                 \
	X(T, thunks_std, "Thunks ±", "its sample standard deviation over executions", F64, COUNT,      \
		JR_COL_SPREAD)                                                                             \
	X(T, sum_ms, "Sum", JR_GPU " time of all steady executions", I64, NS)                          \
	X(T, mean_ms, "Mean", "mean time per execution, over all devices", F64, NS, JR_COL_LIKE)       \
	X(T, std_ms, "Execution ±",                                                                    \
		"sample standard deviation of the time per execution, where the execution of each device " \
		"is a sample; it is not the deviation over steps",                                         \
		F64, NS, JR_COL_SPREAD | JR_COL_LIKE)                                                      \
	X(T, percent, "Share", "share of the time of all steady modules", F64, PERCENT, JR_COL_BAR)    \
	X(T, wait_mean_ms, "Wait",                                                                     \
		"per execution, summed over its collectives: largest minus smallest exposed time over "    \
		"devices; if groups of devices run a collective concurrently, the longest wait counts",    \
		F64, NS, JR_COL_LIKE)                                                                      \
	X(T, wait_std_ms, "Wait ±",                                                                    \
		"sample standard deviation of the wait over executions, each taken over all devices", F64, \
		NS, JR_COL_SPREAD | JR_COL_LIKE)                                                           \
	X(T, wait_percent, "Wait share",                                                               \
		"mean wait / mean execution time of the slowest device, if that is at least 10 µs", F64,   \
		PERCENT)                                                                                   \
	X(T, start_skew_percent, "Start skew share",                                                   \
		"mean start skew / mean execution time, if that is at least 10 µs", F64, PERCENT,          \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, top, "Top", "one of the top modules, which the totals cover", BOOL, NONE)                 \
	X(T, fingerprint, "Fingerprint", "XLA's fingerprint of the module before optimization", TEXT,  \
		NONE, JR_COL_DATA_ONLY | JR_COL_CODE)                                                      \
	X(T, structure, "Structure",                                                                   \
		"hash over name, opcode and shape of all its instructions: equal if the optimized "        \
		"HLO is equal",                                                                            \
		TEXT, NONE, JR_COL_DATA_ONLY | JR_COL_CODE)                                                \
	X(T, steps, "Steps", "distinct steady executions; one step on several devices counts once",    \
		I64, COUNT, JR_COL_DATA_ONLY)                                                              \
	X(T, execution_median_ms, "Median execution",                                                  \
		"median over executions of the slowest device's time; for an even number, the mean "       \
		"of the two middle ones, rounded down to 1 ns",                                            \
		I64, NS, JR_COL_DATA_ONLY)                                                                 \
	X(T, execution_sum_ms, "Sum over executions",                                                  \
		"sum over executions of the slowest device's time", I64, NS, JR_COL_DATA_ONLY)             \
	X(T, execution_idle_ms, "Idle in executions",                                                  \
		"part of that sum in which no thunk is active; the rest is exactly "                       \
		"execution_sum_ms of its thunks",                                                          \
		I64, NS, JR_COL_DATA_ONLY)                                                                 \
	X(T, start_skew_ms, "Start skew",                                                              \
		"latest minus earliest start over devices, on the aligned clock; mean over "               \
		"executions on several devices",                                                           \
		F64, NS, JR_COL_LIKE)
JR_KEYS_READ(JR_MODULES, JR_MODULES_COLUMNS);

#define JR_SOURCE_LINES_COLUMNS(X, T)                                                              \
	X(T, file, "File", "file name in stack frames", TEXT, NONE,                                    \
		JR_COL_DATA_ONLY | JR_COL_KEY | JR_COL_CODE)                                               \
	X(T, line, "Line number", "line number, from 1", I64, NONE, JR_COL_DATA_ONLY | JR_COL_KEY)     \
	X(T, source, "Line", "file and line", TEXT, NONE,                                              \
		JR_COL_RENDERED_ONLY | JR_COL_KEY | JR_COL_CODE | JR_COL_SOURCE)                           \
	X(T, function, "Function", "function that contains the line", TEXT, NONE, JR_COL_CODE)         \
	X(T, self_ms, "Self", "active time of stacks that end at the line", F64, NS, JR_COL_LIKE)      \
	X(T, total_ms, "Total", "active time of stacks that contain the line, each counted once", F64, \
		NS, JR_COL_LIKE)                                                                           \
	X(T, percent, "Share", "total / active time of the top modules, (1)", F64, PERCENT,            \
		JR_COL_BAR)                                                                                \
	X(T, kernels, "Kernels", "distinct thunks with a stack through the line", I64, COUNT)          \
	X(T, exposed_communication_ms, "Exposed communication",                                        \
		"part of the total that is exposed communication", F64, NS, JR_COL_LIKE)                   \
	X(T, waiting_ms, "Waiting",                                                                    \
		"part of that spent waiting for the last device to arrive; that device, not this "         \
		"line, causes it",                                                                         \
		F64, NS, JR_COL_LIKE)                                                                      \
	X(T, self_waiting_ms, "Self waiting", "the same for self time", F64, NS, JR_COL_DATA_ONLY)     \
	X(T, step_ms, "Per step", "self time without waiting, per step and device", F64, NS,           \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, efficiency, "Of roofline",                                                                \
		"roofline time / actual time of the line's kernels that have a roofline, self time "       \
		"without waiting; empty if there is none",                                                 \
		F64, FRAC)                                                                                 \
	X(T, lost_ms, "Above roofline",                                                                \
		"time of the line's own kernels above the roofline, without waiting, also while they "     \
		"overlap with others",                                                                     \
		F64, NS)                                                                                   \
	X(T, code, "Code", "text of the line", TEXT, NONE, JR_COL_DATA_ONLY | JR_COL_CODE)
JR_KEYS_READ(JR_SOURCE_LINES, JR_SOURCE_LINES_COLUMNS);

#define JR_THUNKS_COLUMNS(X, T)                                                                    \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, name, "Thunk", "name of the HLO instruction", TEXT, NONE,                                 \
		JR_COL_KEY | JR_COL_CODE | JR_COL_TIMELINE | JR_COL_VITAL)                                 \
	X(T, opcode, "Opcode", "HLO opcode", TEXT, NONE, JR_COL_CODE)                                  \
	X(T, op_name, "op_name", "path of the JAX operation that it comes from", TEXT, NONE,           \
		JR_COL_CODE)                                                                               \
	X(T, category, "Category", "what the operation does, from opcode and custom-call target",      \
		TEXT, NONE)                                                                                \
	X(T, communication, "Communication", "a collective or host copy", BOOL, NONE,                  \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, count, "Count", "steady executions over all devices", I64, COUNT)                         \
	X(T, active_ms, "Active",                                                                      \
		"sum of active time: exposed time for communication, duration for all other thunks", I64,  \
		NS)                                                                                        \
	X(T, mean_ms, "Mean", "mean active time per execution, over all devices", F64, NS)             \
	X(T, std_ms, "±", "sample standard deviation of that over executions", F64, NS, JR_COL_SPREAD) \
	X(T, percent, "Share", "share of the active thunk time of the top modules, (1)", F64, PERCENT, \
		JR_COL_BAR)                                                                                \
	X##_IN(T, source, file, "File", "innermost Python frame", TEXT, NONE,                          \
		JR_COL_DATA_ONLY | JR_COL_CODE) X##_IN(T, source, line, "Line",                            \
		"line number in that file", I64, NONE, JR_COL_DATA_ONLY) X(T, source, "Source",            \
		"innermost Python frame, file and line", TEXT, NONE,                                       \
		JR_COL_RENDERED_ONLY | JR_COL_SOURCE | JR_COL_CODE) X(T, shape, "Shape",                   \
		"shape of the result: element type, dimensions and layout", TEXT, NONE,                    \
		JR_COL_DATA_ONLY | JR_COL_CODE) X(T, execution_sum_ms, "Sum over executions",              \
		"its own time in executions of the slowest device, sum over executions; "                  \
		"overlapping time counts for compute first, then for the thunk that started first",        \
		I64, NS, JR_COL_DATA_ONLY) X(T, execution_std_ms, "Execution ±",                           \
		"sample standard deviation of that over executions", F64, NS,                              \
		JR_COL_DATA_ONLY) X(T, ledger_ms, "Per step, time breakdown",                              \
		"its own time per step without waiting for other devices, mean over devices; "             \
		"overlapping time is split as in the time breakdown",                                      \
		F64, NS, JR_COL_DATA_ONLY) X(T, ledger_max_ms, "Per step, longest",                        \
		"the same on the device where it is longest", F64, NS, JR_COL_DATA_ONLY) X(T,              \
		ledger_max_device, "Device", "device where it is longest", I64, NONE, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_THUNKS, JR_THUNKS_COLUMNS);

#define JR_OPCODES_COLUMNS(X, T)                                                                   \
	X(T, opcode, "Opcode", "HLO opcode; unknown: no HLO dump of the program", TEXT, NONE,          \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, active_ms, "Active", "sum of active thunk time", I64, NS)                                 \
	X(T, percent, "Share",                                                                         \
		"share of the time of the top modules, (2); unknown if thunks that overlap take more",     \
		F64, PERCENT, JR_COL_BAR)
JR_KEYS_READ(JR_OPCODES, JR_OPCODES_COLUMNS);

#endif
