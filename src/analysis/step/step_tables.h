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
};

#define JR_LEDGER_COLUMNS(X, T)                                                                    \
	X(T, device, "Device", "global device number", JR_I64, JR_UNIT_NONE, JR_COL_KEY)               \
	X(T, compute_ms, "Compute", "union of compute thunks of the top modules", JR_I64, JR_UNIT_NS,  \
		0)                                                                                         \
	X(T, exposed_communication_ms, "Exposed communication",                                        \
		"collectives of the top modules while no compute of them runs", JR_I64, JR_UNIT_NS, 0)     \
	X(T, exposed_copy_ms, "Exposed copies",                                                        \
		"host offloading copies while neither compute nor collectives run", JR_I64, JR_UNIT_NS, 0) \
	X(T, idle_in_modules_ms, "Idle inside modules",                                                \
		"a top module executes and none of its thunks is active", JR_I64, JR_UNIT_NS, 0)           \
	X(T, idle_between_modules_ms, "Idle between modules", "no module executes", JR_I64,            \
		JR_UNIT_NS, 0)                                                                             \
	X(T, other_programs_ms, "Other programs", "only a module that is no top module runs", JR_I64,  \
		JR_UNIT_NS, 0)                                                                             \
	X(T, wall_ms, "Wall",                                                                          \
		"from the start of the device's first steady step to the start of its last one (where "    \
		"one step was profiled: that step); the sum of the parts to the nanosecond",               \
		JR_I64, JR_UNIT_NS, 0)                                                                     \
	X(T, initialisation_ms, "Initialisation",                                                      \
		"a warm-up execution of a top module runs, and no steady one", JR_I64, JR_UNIT_NS, 0)      \
	X(T, steps, "Steps", "periods of the device in its wall; none of a single step", JR_F64,       \
		JR_UNIT_COUNT, JR_COL_DATA_ONLY)                                                           \
	X(T, exposed_transfer_ms, "Exposed transfer",                                                  \
		"part of exposed communication: within the time that the collective takes where "          \
		"nobody is late, which is the shortest duration over devices; all of it where no "         \
		"other device of it was profiled",                                                         \
		JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY)                                                      \
	X(T, exposed_waiting_ms, "Waiting for other devices",                                          \
		"part of exposed communication: what would not be there if no device had been late, "      \
		"the duration of a collective beyond the shortest over devices",                           \
		JR_I64, JR_UNIT_NS, 0)
JR_KEYS_READ(JR_LEDGER, JR_LEDGER_COLUMNS);

#define JR_STEP_PERIODS_COLUMNS(X, T)                                                              \
	X(T, program_execution, "Execution",                                                           \
		"execution of the step's program that ends the period; of numbered steps the number "      \
		"of the step",                                                                             \
		JR_I64, JR_UNIT_COUNT, JR_COL_KEY)                                                         \
	X(T, period_ms, "Period",                                                                      \
		"time from the start of the execution before to its start, mean over devices", JR_F64,     \
		JR_UNIT_NS, 0)                                                                             \
	X(T, idle_ms, "Idle", "part of the period in which no module runs, mean over devices", JR_F64, \
		JR_UNIT_NS, 0)
JR_KEYS_READ(JR_STEP_PERIODS, JR_STEP_PERIODS_COLUMNS);

#define JR_EXECUTIONS_COLUMNS(X, T)                                                                \
	X(T, program_id, "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                   \
	X(T, name, "Module", "module name", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)                        \
	X(T, program_execution, "Execution", "0, 1, … per device and program", JR_I64, JR_UNIT_COUNT,  \
		JR_COL_KEY)                                                                                \
	X(T, device, "Device", "global device number", JR_I64, JR_UNIT_NONE, JR_COL_KEY)               \
	X(T, start_ms, "Start", "since the first module start of the input, on the aligned clock",     \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, dur_ms, "Duration", "of the module execution on the " JR_GPU, JR_I64, JR_UNIT_NS, 0)      \
	X(T, thunks, "Thunks", "thunk executions in it", JR_I64, JR_UNIT_COUNT, 0)                     \
	X(T, steady, "Steady", "false: initialisation, which is no step in any other table", JR_BOOL,  \
		JR_UNIT_NONE, 0)                                                                           \
	X(T, since_ms, "Start", "since the start of the first steady one", JR_F64, JR_UNIT_NS,         \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, state, "State", "device, with initialisation set apart", JR_TEXT, JR_UNIT_NONE,           \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, label, "Label", "text of a point", JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY)
JR_KEYS_READ(JR_EXECUTIONS, JR_EXECUTIONS_COLUMNS);

#define JR_STEP_LEDGER_COLUMNS(X, T)                                                               \
	X(T, name, "Step",                                                                             \
		"module that takes most time; its executions are the steps. Of steps that the program "    \
		"numbered, and in which it does not run once: their name",                                 \
		JR_TEXT, JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE)                                           \
	X(T, label, "Step", "what a chart calls it", JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY)      \
	X(T, compute_ms, "Compute", "of the time ledger, a step on one device", JR_F64, JR_UNIT_NS, 0) \
	X(T, exposed_communication_ms, "Exposed communication",                                        \
		"of the time ledger, a step on one device", JR_F64, JR_UNIT_NS, 0)                         \
	X(T, exposed_copy_ms, "Exposed copies", "of the time ledger, a step on one device", JR_F64,    \
		JR_UNIT_NS, 0)                                                                             \
	X(T, idle_in_modules_ms, "Idle inside modules", "of the time ledger, a step on one device",    \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, idle_between_modules_ms, "Idle between modules",                                          \
		"of the time ledger, a step on one device; none of a single step", JR_F64, JR_UNIT_NS, 0)  \
	X(T, other_programs_ms, "Other programs", "of the time ledger, a step on one device", JR_F64,  \
		JR_UNIT_NS, 0)                                                                             \
	X(T, wall_ms, "Period",                                                                        \
		"time from the start of a step to the start of the next one, the sum of the others; "      \
		"none of a single step",                                                                   \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, initialisation_ms, "Initialisation", "of the time ledger, a step on one device", JR_F64,  \
		JR_UNIT_NS, 0)                                                                             \
	X(T, exposed_transfer_ms, "Exposed transfer",                                                  \
		"of the time ledger, a step on one device: a part of exposed communication", JR_F64,       \
		JR_UNIT_NS, 0)                                                                             \
	X(T, exposed_waiting_ms, "Waiting for other devices",                                          \
		"of the time ledger, a step on one device: a part of exposed communication", JR_F64,       \
		JR_UNIT_NS, 0)                                                                             \
	X(T, longest_compute_ms, "Longest compute", "compute per step of the device that has most",    \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, longest_compute_device, "Device", "that device, the first of equal ones", JR_I64,         \
		JR_UNIT_NONE, 0)
JR_KEYS_READ(JR_STEP_LEDGER, JR_STEP_LEDGER_COLUMNS);

#endif
