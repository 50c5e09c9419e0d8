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
	X(T, program_id, "Program", "XLA's program id in the first profile that has the program",      \
		JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                                                         \
	X(T, name, "Module", "name of the jitted function's HLO module", JR_TEXT, JR_UNIT_NONE,        \
		JR_COL_CODE)                                                                               \
	X(T, executions, "Executions", "steady executions, over all devices", JR_I64, JR_UNIT_COUNT,   \
		0)                                                                                         \
	X(T, thunks_mean, "Thunks", "mean number of thunks of an execution", JR_F64, JR_UNIT_COUNT, 0) \
	X(T, thunks_std, "Thunks ±", "its sample standard deviation over executions", JR_F64,          \
		JR_UNIT_COUNT, JR_COL_SPREAD)                                                              \
	X(T, sum_ms, "Sum", JR_GPU " time of all steady executions", JR_I64, JR_UNIT_NS, 0)            \
	X(T, mean_ms, "Mean", "time of an execution, over all devices", JR_F64, JR_UNIT_NS, 0)         \
	X(T, std_ms, "Execution ±",                                                                    \
		"sample standard deviation of that over executions, those of one step on several "         \
		"devices each by itself; that of steps stands beside the step time",                       \
		JR_F64, JR_UNIT_NS, JR_COL_SPREAD)                                                         \
	X(T, percent, "Share", "of the time of all steady modules", JR_F64, JR_UNIT_PERCENT,           \
		JR_COL_BAR)                                                                                \
	X(T, wait_mean_ms, "Wait",                                                                     \
		"per execution: sum over its collectives of the largest minus the smallest exposed "       \
		"time over devices; of groups of devices that do theirs side by side the longest "         \
		"counts",                                                                                  \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, wait_std_ms, "Wait ±",                                                                    \
		"its sample standard deviation over executions, each on all devices at once", JR_F64,      \
		JR_UNIT_NS, JR_COL_SPREAD)                                                                 \
	X(T, wait_percent, "Wait share",                                                               \
		"mean wait / mean time of the slowest device's execution, where that is at least 10 µs",   \
		JR_F64, JR_UNIT_PERCENT, 0)                                                                \
	X(T, start_skew_percent, "Start skew share",                                                   \
		"mean start skew / mean execution time, where that is at least 10 µs", JR_F64,             \
		JR_UNIT_PERCENT, JR_COL_DATA_ONLY)                                                         \
	X(T, top, "Top", "one of the top modules, which the totals are over", JR_BOOL, JR_UNIT_NONE,   \
		0)                                                                                         \
	X(T, fingerprint, "Fingerprint", "XLA's fingerprint of the module before optimisation",        \
		JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY | JR_COL_CODE)                                     \
	X(T, structure, "Structure",                                                                   \
		"hash over name, opcode and shape of all its instructions: equal where the optimised "     \
		"HLO is",                                                                                  \
		JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY | JR_COL_CODE)                                     \
	X(T, steps, "Steps",                                                                           \
		"distinct steady execution numbers: executions of one step on several devices are one",    \
		JR_I64, JR_UNIT_COUNT, JR_COL_DATA_ONLY)                                                   \
	X(T, execution_median_ms, "Median execution",                                                  \
		"median over executions of the slowest device's time; of two middle ones the mean, "       \
		"rounded down to 1 ns",                                                                    \
		JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY)                                                      \
	X(T, execution_sum_ms, "Executions' sum", "sum over executions of the slowest device's time",  \
		JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY)                                                      \
	X(T, execution_idle_ms, "Executions' idle",                                                    \
		"of that sum: no thunk active; the rest is execution_sum_ms of its thunks, to the "        \
		"nanosecond",                                                                              \
		JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY)                                                      \
	X(T, start_skew_ms, "Start skew",                                                              \
		"latest minus earliest start over devices, on the aligned clock; mean over executions "    \
		"seen on several",                                                                         \
		JR_F64, JR_UNIT_NS, 0)
JR_KEYS_READ(JR_MODULES, JR_MODULES_COLUMNS);

#define JR_SOURCE_LINES_COLUMNS(X, T)                                                              \
	X(T, file, "File", "as stack frames name it", JR_TEXT, JR_UNIT_NONE,                           \
		JR_COL_DATA_ONLY | JR_COL_KEY | JR_COL_CODE)                                               \
	X(T, line, "Line number", "from 1", JR_I64, JR_UNIT_NONE, JR_COL_DATA_ONLY | JR_COL_KEY)       \
	X(T, source, "Line", "file and line", JR_TEXT, JR_UNIT_NONE,                                   \
		JR_COL_RENDERED_ONLY | JR_COL_KEY | JR_COL_CODE | JR_COL_SOURCE)                           \
	X(T, function, "Function", "that the line is in", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)          \
	X(T, self_ms, "Self", "active time of stacks that end at the line", JR_F64, JR_UNIT_NS, 0)     \
	X(T, total_ms, "Total", "active time of stacks that the line is anywhere in, each once",       \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, percent, "Share", "total, of the active time of the top modules, (1)", JR_F64,            \
		JR_UNIT_PERCENT, JR_COL_BAR)                                                               \
	X(T, kernels, "Kernels", "distinct thunks with a stack through the line", JR_I64,              \
		JR_UNIT_COUNT, 0)                                                                          \
	X(T, exposed_communication_ms, "Exposed communication",                                        \
		"part of the total that is communication", JR_F64, JR_UNIT_NS, 0)                          \
	X(T, waiting_ms, "Waiting",                                                                    \
		"part of that which waits for the device that comes last: it is that device's, not "       \
		"the line's",                                                                              \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, self_waiting_ms, "Self waiting", "the same of self", JR_F64, JR_UNIT_NS,                  \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, step_ms, "A step", "self without waiting, of one step on one device", JR_F64, JR_UNIT_NS, \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, efficiency, "Of the roof",                                                                \
		"of self without waiting: what kernels that have a roof would take there / what they "     \
		"take; empty where none has",                                                              \
		JR_F64, JR_UNIT_FRAC, 0)                                                                   \
	X(T, lost_ms, "Lost", "of self without waiting: what kernels take beyond their roofs", JR_F64, \
		JR_UNIT_NS, 0)                                                                             \
	X(T, code, "Code", "text of the line", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY | JR_COL_CODE)
JR_KEYS_READ(JR_SOURCE_LINES, JR_SOURCE_LINES_COLUMNS);

#define JR_THUNKS_COLUMNS(X, T)                                                                    \
	X(T, program_id, "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                   \
	X(T, name, "Thunk", "name of the HLO instruction", JR_TEXT, JR_UNIT_NONE,                      \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, opcode, "Opcode", "HLO opcode", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)                       \
	X(T, op_name, "op_name", "path of the JAX operation it came from", JR_TEXT, JR_UNIT_NONE,      \
		JR_COL_CODE)                                                                               \
	X(T, category, "Category", "what the operation does, from opcode and custom-call target",      \
		JR_TEXT, JR_UNIT_NONE, 0)                                                                  \
	X(T, communication, "Communication", "a collective or host copy", JR_BOOL, JR_UNIT_NONE,       \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, count, "Count", "steady executions over all devices", JR_I64, JR_UNIT_COUNT, 0)           \
	X(T, active_ms, "Active",                                                                      \
		"sum of active time: exposed time of communication, duration of others", JR_I64,           \
		JR_UNIT_NS, 0)                                                                             \
	X(T, mean_ms, "Mean", "active time of an execution, over all devices", JR_F64, JR_UNIT_NS, 0)  \
	X(T, std_ms, "±", "sample standard deviation of that over executions", JR_F64, JR_UNIT_NS,     \
		JR_COL_SPREAD)                                                                             \
	X(T, percent, "Share", "of the active thunk time of the top modules, (1)", JR_F64,             \
		JR_UNIT_PERCENT, JR_COL_BAR)                                                               \
	X##_IN(T, source, file, "File", "innermost Python frame", JR_TEXT, JR_UNIT_NONE,               \
		JR_COL_DATA_ONLY | JR_COL_CODE) X##_IN(T, source, line, "Line", "its line", JR_I64,        \
		JR_UNIT_NONE, JR_COL_DATA_ONLY) X(T, source, "Source",                                     \
		"innermost Python frame, file and line", JR_TEXT, JR_UNIT_NONE,                            \
		JR_COL_RENDERED_ONLY | JR_COL_SOURCE | JR_COL_CODE) X(T, shape, "Shape",                   \
		"of its result: element type, dimensions and layout", JR_TEXT, JR_UNIT_NONE,               \
		JR_COL_DATA_ONLY | JR_COL_CODE) X(T, execution_sum_ms, "Executions' sum",                  \
		"its own time in executions of the slowest device, sum over executions; time that "        \
		"several thunks share goes to compute first, then to the thunk that began first",          \
		JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY) X(T, execution_std_ms, "Execution ±",                \
		"sample standard deviation of that over executions", JR_F64, JR_UNIT_NS,                   \
		JR_COL_DATA_ONLY) X(T, ledger_ms, "Per step, time ledger",                                 \
		"its own time per step without waiting for other devices, mean over devices; time "        \
		"that several thunks share goes as in the time ledger",                                    \
		JR_F64, JR_UNIT_NS, JR_COL_DATA_ONLY) X(T, ledger_max_ms, "Per step, longest",             \
		"the same of the device where it is longest", JR_F64, JR_UNIT_NS, JR_COL_DATA_ONLY)        \
		X(T, ledger_max_device, "Device", "that device", JR_I64, JR_UNIT_NONE, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_THUNKS, JR_THUNKS_COLUMNS);

#define JR_OPCODES_COLUMNS(X, T)                                                                   \
	X(T, opcode, "Opcode", "HLO opcode; unknown: no HLO of the program", JR_TEXT, JR_UNIT_NONE,    \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, active_ms, "Active", "sum of active thunk time", JR_I64, JR_UNIT_NS, 0)                   \
	X(T, percent, "Share", "of the time of the top modules, (2)", JR_F64, JR_UNIT_PERCENT,         \
		JR_COL_BAR)
JR_KEYS_READ(JR_OPCODES, JR_OPCODES_COLUMNS);

#endif
