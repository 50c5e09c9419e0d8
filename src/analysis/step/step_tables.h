/*
 * step_tables.h - column lists (keys.h) of tables of steps that other files read.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_STEP_TABLES_H
#define JR_ANALYSIS_STEP_TABLES_H

#include "analysis/core/keys.h"
#include "analysis/core/terms.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_executions,
	JR_AT_step_ledger,
	JR_AT_step_periods,
	JR_AT_latency,
};

#define JR_LEDGER_COLUMNS(X, T)                                                                    \
	X(T, device, "Device", "global device number", I64, NONE, JR_COL_KEY)                          \
	X(T, compute_ms, "Compute", "time in which compute thunks of the top modules run", I64, NS,    \
		JR_COL_LIKE)                                                                               \
	X(T, exposed_communication_ms, "Exposed communication",                                        \
		"collectives of the top modules while none of their compute runs", I64, NS, JR_COL_LIKE)   \
	X(T, exposed_copy_ms, "Exposed copies",                                                        \
		"host offloading copies while neither compute nor collectives run", I64, NS, JR_COL_LIKE)  \
	X(T, idle_in_modules_ms, "Idle inside modules",                                                \
		"a top module executes, but none of its thunks is active", I64, NS, JR_COL_LIKE)           \
	X(T, idle_between_modules_ms, "Idle between modules", "no module executes", I64, NS,           \
		JR_COL_LIKE)                                                                               \
	X(T, other_programs_ms, "Other programs", "only modules other than the top modules run", I64,  \
		NS, JR_COL_LIKE)                                                                           \
	X(T, wall_ms, "Wall",                                                                          \
		"from the start of the device's first steady step to the start of its last (if "           \
		"only one step was profiled: that step); exactly the sum of the parts",                    \
		I64, NS, JR_COL_LIKE)                                                                      \
	X(T, warmup_ms, "Warm-up", "a warm-up execution of a top module runs, but no steady one", I64, \
		NS, JR_COL_LIKE)                                                                           \
	X(T, steps, "Steps", "step periods of the device in its wall time; empty for a single step",   \
		F64, COUNT, JR_COL_DATA_ONLY)                                                              \
	X(T, exposed_transfer_ms, "Exposed transfer",                                                  \
		"part of exposed communication: up to the shortest duration of the collective "            \
		"over devices, which is its time if no device is late; all of it if no other "             \
		"participant was profiled",                                                                \
		I64, NS, JR_COL_DATA_ONLY)                                                                 \
	X(T, exposed_waiting_ms, "Exposed waiting",                                                    \
		"part of exposed communication: the time of a collective beyond its shortest "             \
		"duration over devices, which would vanish if no device were late",                        \
		I64, NS, JR_COL_LIKE)
JR_KEYS_READ(JR_LEDGER, JR_LEDGER_COLUMNS);

#define JR_STEP_PERIODS_COLUMNS(X, T)                                                              \
	X(T, program_execution, "Execution",                                                           \
		"execution of the step's program that ends the period; for numbered steps, the "           \
		"step number",                                                                             \
		I64, COUNT, JR_COL_KEY)                                                                    \
	X(T, period_ms, "Period",                                                                      \
		"time from the start of the previous execution to the start of this one, mean "            \
		"over devices",                                                                            \
		F64, NS)                                                                                   \
	X(T, idle_ms, "Idle", "part of the period in which no module runs, mean over devices", F64, NS)
JR_KEYS_READ(JR_STEP_PERIODS, JR_STEP_PERIODS_COLUMNS);

#define JR_EXECUTIONS_COLUMNS(X, T)                                                                \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, name, "Module", "module name", TEXT, NONE, JR_COL_CODE | JR_COL_VITAL)                    \
	X(T, program_execution, "Execution", "0, 1, … per device and program", I64, COUNT, JR_COL_KEY) \
	X(T, device, "Device", "global device number", I64, NONE, JR_COL_KEY)                          \
	X(T, start_ms, "Start",                                                                        \
		"time since the first module start in the input, on the aligned clock", F64, NS)           \
	X(T, dur_ms, "Duration", "duration of the module execution on the " JR_GPU, I64, NS)           \
	X(T, thunks, "Thunks", "thunk executions in it", I64, COUNT)                                   \
	X(T, steady, "Steady", "false: warm-up, which no other table counts as a step", BOOL, NONE)    \
	X(T, since_ms, "Start", "time since the start of the first steady execution", F64, NS,         \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, state, "State", "device or, of several, program; or warm-up", TEXT, NONE,                 \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, label, "Label", "text of a point", TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_KEYS_READ(JR_EXECUTIONS, JR_EXECUTIONS_COLUMNS);

#define JR_STEP_LEDGER_COLUMNS(X, T)                                                               \
	X(T, name, "Step",                                                                             \
		"module with the most time; its executions are the steps. If the program numbers "         \
		"its steps and the module does not run once in each: the name of those steps",             \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, label, "Step", "name in charts", TEXT, NONE, JR_COL_RENDERED_ONLY)                        \
	X(T, compute_ms, "Compute", "from the time breakdown, per step and device", F64, NS,           \
		JR_COL_LIKE)                                                                               \
	X(T, exposed_communication_ms, "Exposed communication",                                        \
		"from the time breakdown, per step and device", F64, NS, JR_COL_LIKE)                      \
	X(T, exposed_copy_ms, "Exposed copies", "from the time breakdown, per step and device", F64,   \
		NS, JR_COL_LIKE)                                                                           \
	X(T, idle_in_modules_ms, "Idle inside modules",                                                \
		"from the time breakdown, per step and device", F64, NS, JR_COL_LIKE)                      \
	X(T, idle_between_modules_ms, "Idle between modules",                                          \
		"from the time breakdown, per step and device; empty for a single step", F64, NS,          \
		JR_COL_LIKE)                                                                               \
	X(T, other_programs_ms, "Other programs", "from the time breakdown, per step and device", F64, \
		NS, JR_COL_LIKE)                                                                           \
	X(T, wall_ms, "Period",                                                                        \
		"time from the start of a step to the start of the next, the sum of the other "            \
		"columns; empty for a single step",                                                        \
		F64, NS, JR_COL_LIKE)                                                                      \
	X(T, warmup_ms, "Warm-up", "from the time breakdown, per step and device", F64, NS,            \
		JR_COL_LIKE)                                                                               \
	X(T, exposed_transfer_ms, "Exposed transfer",                                                  \
		"from the time breakdown, per step and device: part of exposed communication", F64, NS,    \
		JR_COL_LIKE)                                                                               \
	X(T, exposed_waiting_ms, "Waiting for other devices",                                          \
		"from the time breakdown, per step and device: part of exposed communication", F64, NS,    \
		JR_COL_LIKE)                                                                               \
	X(T, longest_compute_ms, "Longest compute",                                                    \
		"compute per step of the device with the most compute", F64, NS, JR_COL_LIKE)              \
	X(T, longest_compute_device, "Device",                                                         \
		"device with the longest compute; the first one if several are equal", I64, NONE)
JR_KEYS_READ(JR_STEP_LEDGER, JR_STEP_LEDGER_COLUMNS);

/* A percentile, and the ends of its interval. */
#define JR_LATENCY_QUANTILE(X, T, key, title, help)                                                \
	X(T, key##_ms, title, help, I64, NS, JR_COL_LIKE)                                              \
	X(T, key##_low_ms, title ", lower end",                                                        \
		"lower end of the exact 95 % interval of " title                                           \
		", an order statistic; null if executions are too few",                                    \
		I64, NS, JR_COL_DATA_ONLY)                                                                 \
	X(T, key##_high_ms, title ", upper end",                                                       \
		"upper end of that interval; null if executions are too few", I64, NS, JR_COL_DATA_ONLY)

#define JR_LATENCY_COLUMNS(X, T)                                                                   \
	X(T, name, "Module", "module name; programs of one name are variants of a function", TEXT,     \
		NONE, JR_COL_KEY | JR_COL_CODE)                                                            \
	X(T, program_id, "Program", "program id; empty: all variants of the name", TEXT, NONE,         \
		JR_COL_KEY)                                                                                \
	X(T, whole, "Whole",                                                                           \
		"true: all executions of the name, which metrics use; false: those of one variant", BOOL,  \
		NONE, JR_COL_DATA_ONLY)                                                                    \
	X(T, inputs, "Inputs",                                                                         \
		"shapes of the first parameters that differ between variants, from the HLO", TEXT, NONE,   \
		JR_COL_CODE)                                                                               \
	X(T, batch, "Batch (from shapes)",                                                             \
		"leading dimension of the parameters that differ between variants, on one device; "        \
		"empty if they differ in other dimensions too, or if there is one variant",                \
		I64, COUNT, JR_COL_BESIDE)                                                                 \
	X(T, devices, "Devices", "most devices that run one execution together", I64, COUNT,           \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, count, "Count",                                                                           \
		"steady executions; one that runs on several devices together counts once", I64, COUNT,    \
		JR_COL_BESIDE)                                                                             \
	JR_LATENCY_QUANTILE(X, T, p50, "p50", "latency that half of the executions do not exceed")     \
	JR_LATENCY_QUANTILE(X, T, p90, "p90", "latency that 90 % of executions do not exceed")         \
	JR_LATENCY_QUANTILE(X, T, p99, "p99", "latency that 99 % of executions do not exceed")         \
	X(T, max_ms, "Longest", "latency of the longest execution", I64, NS, JR_COL_LIKE)              \
	X(T, queue_count, "Launches", "executions with a known queueing time", I64, COUNT,             \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, queue_p50_ms, "Queued, p50",                                                              \
		"time from the launch on the host to the start on the device that starts first: half "     \
		"of the executions do not exceed it",                                                      \
		I64, NS, JR_COL_LIKE)                                                                      \
	X(T, queue_p99_ms, "Queued, p99", "queueing time that 99 % of executions do not exceed", I64,  \
		NS, JR_COL_LIKE)                                                                           \
	X(T, queue_max_ms, "Queued, longest", "longest queueing time", I64, NS, JR_COL_DATA_ONLY)      \
	X(T, queue_missing, "Queueing time", "why it is unknown", TEXT, NONE)                          \
	X(T, idle_p50_ms, "Idle before, p50",                                                          \
		"time without any module before the start, on the device that starts first: half of "      \
		"the executions do not exceed it; counted only after a steady execution",                  \
		I64, NS, JR_COL_LIKE)                                                                      \
	X(T, idle_sum_ms, "Idle before, sum", "sum of these idle times", I64, NS, JR_COL_DATA_ONLY)    \
	X(T, idle_count, "Idle times", "executions after a steady execution", I64, COUNT,              \
		JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_LATENCY, JR_LATENCY_COLUMNS);

/* Percentiles of the table, and their confidence. */
#define JR_LATENCY_QUANTILES(X) X(p50, 0.5) X(p90, 0.9) X(p99, 0.99)
#define JR_LATENCY_CONFIDENCE 0.95

#endif
