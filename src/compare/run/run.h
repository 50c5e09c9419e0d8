/*
 * run.h - one side of a comparison: its measurements, independent of their source.
 * Layer: compare.  Owner: the arena given to jr_run_read(); texts may also live in the source,
 * which must outlive the run.
 *
 * A run is a set of tables of report.json, identified by path and column keys. There are two
 * sources: a profile with its results (run_results.c), and an earlier report.json with its data/
 * folder (run_json.c). Both give the same bits: integers of ns are exact, and doubles equal their
 * text in report.json. So the same input gives the same comparison either way.
 */
#ifndef JR_COMPARE_RUN_H
#define JR_COMPARE_RUN_H

#include <math.h>

#include "analysis/attribution/attribution_tables.h"
#include "analysis/compile/compile_tables.h"
#include "analysis/core/bootstrap.h"
#include "analysis/core/result.h"
#include "analysis/devices/devices_tables.h"
#include "analysis/gpu/gpu_tables.h"
#include "analysis/memory/memory_tables.h"
#include "analysis/roofline/plan_tables.h"
#include "analysis/roofline/roofline_columns.h"
#include "analysis/schedule/schedule_tables.h"
#include "analysis/step/step_ledger.h"
#include "analysis/step/step_tables.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/vec.h"
#include "report/document/document_tables.h"

/* JR_RUN_TABLE(enumerator, path, columns). JR_RUN_COLUMN(enumerator, list of the pass, key)
 * uses symbols, so a name that no report has does not compile; type and unit come from the pass.
 * JR_RUN_SIGNED is a column that can be below 0; a value below 0 in another column is left out.
 * JR_RUN_OTHER(enumerator, key, type, unit) is for earlier reports (OLD), or for lines of a
 * history. report/README.md defines the times per row. */
#define JR_RUN_TABLES                                                                              \
	JR_RUN_TABLE(INPUTS, JR_AT(inputs), JR_RUN_COLUMN(INPUT_NAME, JR_INPUTS, name),                \
		JR_RUN_COLUMN(INPUT_KIND, JR_INPUTS, kind),                                                \
		JR_RUN_COLUMN(INPUT_SHA256, JR_INPUTS, sha256))                                            \
	JR_RUN_TABLE(DEVICES, JR_AT(devices), JR_RUN_COLUMN(DEVICE_NUMBER, JR_DEVICES, device),        \
		JR_RUN_COLUMN(DEVICE_GPU, JR_DEVICES, gpu_name),                                           \
		JR_RUN_COLUMN(DEVICE_MEMORY, JR_DEVICES, memory_bytes),                                    \
		JR_RUN_COLUMN(DEVICE_CLOCK, JR_DEVICES, clock_hz),                                         \
		JR_RUN_COLUMN(DEVICE_SMS, JR_DEVICES, sm_count))                                           \
	JR_RUN_TABLE(MODULES, JR_AT(modules), JR_RUN_COLUMN(MODULE_ID, JR_MODULES, program_id),        \
		JR_RUN_COLUMN(MODULE_NAME, JR_MODULES, name),                                              \
		JR_RUN_COLUMN(MODULE_FINGERPRINT, JR_MODULES, fingerprint),                                \
		JR_RUN_COLUMN(MODULE_STRUCTURE, JR_MODULES, structure),                                    \
		JR_RUN_COLUMN(MODULE_EXECUTIONS, JR_MODULES, executions),                                  \
		JR_RUN_COLUMN(MODULE_THUNKS, JR_MODULES, thunks_mean),                                     \
		JR_RUN_COLUMN(MODULE_SUM, JR_MODULES, sum_ms),                                             \
		JR_RUN_COLUMN(MODULE_STD, JR_MODULES, std_ms),                                             \
		JR_RUN_COLUMN(MODULE_WAIT, JR_MODULES, wait_mean_ms),                                      \
		JR_RUN_COLUMN(MODULE_TOP, JR_MODULES, top),                                                \
		JR_RUN_COLUMN(MODULE_STEPS, JR_MODULES, steps),                                            \
		JR_RUN_COLUMN(MODULE_EXECUTION_MEDIAN, JR_MODULES, execution_median_ms),                   \
		JR_RUN_COLUMN(MODULE_EXECUTION_SUM, JR_MODULES, execution_sum_ms),                         \
		JR_RUN_COLUMN(MODULE_EXECUTION_IDLE, JR_MODULES, execution_idle_ms),                       \
		JR_RUN_OTHER(MODULE_ONCE, "once_per_step", JR_BOOL, JR_UNIT_NONE),                         \
		JR_RUN_OTHER(MODULE_OLD_MEDIAN, "step_median_ms", JR_I64, JR_UNIT_NS),                     \
		JR_RUN_OTHER(MODULE_OLD_SUM, "step_sum_ms", JR_I64, JR_UNIT_NS),                           \
		JR_RUN_OTHER(MODULE_OLD_IDLE, "step_idle_ms", JR_I64, JR_UNIT_NS))                         \
	JR_RUN_TABLE(THUNKS, JR_AT(thunks), JR_RUN_COLUMN(THUNK_PROGRAM, JR_THUNKS, program_id),       \
		JR_RUN_COLUMN(THUNK_NAME, JR_THUNKS, name),                                                \
		JR_RUN_COLUMN(THUNK_OPCODE, JR_THUNKS, opcode),                                            \
		JR_RUN_COLUMN(THUNK_OP_NAME, JR_THUNKS, op_name),                                          \
		JR_RUN_COLUMN(THUNK_SHAPE, JR_THUNKS, shape),                                              \
		JR_RUN_COLUMN(THUNK_CATEGORY, JR_THUNKS, category),                                        \
		JR_RUN_COLUMN(THUNK_COMMUNICATION, JR_THUNKS, communication),                              \
		JR_RUN_COLUMN(THUNK_COUNT, JR_THUNKS, count),                                              \
		JR_RUN_COLUMN(THUNK_ACTIVE, JR_THUNKS, active_ms),                                         \
		JR_RUN_COLUMN_IN(THUNK_FILE, JR_THUNKS, source, file),                                     \
		JR_RUN_COLUMN_IN(THUNK_LINE, JR_THUNKS, source, line),                                     \
		JR_RUN_COLUMN(THUNK_EXECUTION_SUM, JR_THUNKS, execution_sum_ms),                           \
		JR_RUN_COLUMN(THUNK_EXECUTION_STD, JR_THUNKS, execution_std_ms),                           \
		JR_RUN_COLUMN(THUNK_STEP, JR_THUNKS, ledger_ms),                                           \
		JR_RUN_COLUMN(THUNK_STEP_MOST, JR_THUNKS, ledger_max_ms),                                  \
		JR_RUN_COLUMN(THUNK_STEP_DEVICE, JR_THUNKS, ledger_max_device),                            \
		JR_RUN_OTHER(THUNK_OLD_SUM, "step_sum_ms", JR_I64, JR_UNIT_NS),                            \
		JR_RUN_OTHER(THUNK_OLD_STD, "step_std_ms", JR_F64, JR_UNIT_NS))                            \
	JR_RUN_TABLE(EXECUTIONS, JR_AT(executions),                                                    \
		JR_RUN_COLUMN(EXECUTION_PROGRAM, JR_EXECUTIONS, program_id),                               \
		JR_RUN_COLUMN(EXECUTION_NUMBER, JR_EXECUTIONS, program_execution),                         \
		JR_RUN_COLUMN(EXECUTION_DEVICE, JR_EXECUTIONS, device),                                    \
		JR_RUN_SIGNED(EXECUTION_START, JR_EXECUTIONS, start_ms),                                   \
		JR_RUN_COLUMN(EXECUTION_DUR, JR_EXECUTIONS, dur_ms),                                       \
		JR_RUN_COLUMN(EXECUTION_STEADY, JR_EXECUTIONS, steady))                                    \
	/* Per step and device; parts in the order of analysis/step_ledger.h. */                       \
	JR_RUN_TABLE(STEP_LEDGER, JR_AT(step_ledger),                                                  \
		JR_RUN_COLUMN(STEP_WALL, JR_STEP_LEDGER, wall_ms),                                         \
		JR_RUN_COLUMN(STEP_PART, JR_STEP_LEDGER, compute_ms),                                      \
		JR_RUN_COLUMN(STEP_PART_COMMUNICATION, JR_STEP_LEDGER, exposed_communication_ms),          \
		JR_RUN_COLUMN(STEP_PART_COPY, JR_STEP_LEDGER, exposed_copy_ms),                            \
		JR_RUN_COLUMN(STEP_PART_IDLE_IN, JR_STEP_LEDGER, idle_in_modules_ms),                      \
		JR_RUN_COLUMN(STEP_PART_IDLE_BETWEEN, JR_STEP_LEDGER, idle_between_modules_ms),            \
		JR_RUN_COLUMN(STEP_PART_OTHER, JR_STEP_LEDGER, other_programs_ms),                         \
		JR_RUN_COLUMN(STEP_PART_WARMUP, JR_STEP_LEDGER, warmup_ms),                                \
		JR_RUN_COLUMN(STEP_PART_WAITING, JR_STEP_LEDGER, exposed_waiting_ms),                      \
		JR_RUN_COLUMN(STEP_MOST_COMPUTE, JR_STEP_LEDGER, longest_compute_ms),                      \
		JR_RUN_COLUMN(STEP_MOST_DEVICE, JR_STEP_LEDGER, longest_compute_device),                   \
		JR_RUN_OTHER(STEP_PART_OLD_WARMUP, "initialisation_ms", JR_I64, JR_UNIT_NS))               \
	/* Missing in older reports, where steps were executions: these are compared by executions. */ \
	JR_RUN_TABLE(                                                                                  \
		STEP_PERIODS, JR_AT(step_periods), JR_RUN_COLUMN(STEP_PERIOD, JR_STEP_PERIODS, period_ms)) \
	/* Missing in older reports. Each percentile has its interval after it. */                     \
	JR_RUN_TABLE(LATENCY, JR_AT(latency), JR_RUN_COLUMN(LATENCY_NAME, JR_LATENCY, name),           \
		JR_RUN_COLUMN(LATENCY_WHOLE, JR_LATENCY, whole),                                           \
		JR_RUN_COLUMN(LATENCY_INPUTS, JR_LATENCY, inputs),                                         \
		JR_RUN_COLUMN(LATENCY_COUNT, JR_LATENCY, count),                                           \
		JR_RUN_COLUMN(LATENCY_P50, JR_LATENCY, p50_ms),                                            \
		JR_RUN_COLUMN(LATENCY_P50_LOW, JR_LATENCY, p50_low_ms),                                    \
		JR_RUN_COLUMN(LATENCY_P50_HIGH, JR_LATENCY, p50_high_ms),                                  \
		JR_RUN_COLUMN(LATENCY_P90, JR_LATENCY, p90_ms),                                            \
		JR_RUN_COLUMN(LATENCY_P90_LOW, JR_LATENCY, p90_low_ms),                                    \
		JR_RUN_COLUMN(LATENCY_P90_HIGH, JR_LATENCY, p90_high_ms),                                  \
		JR_RUN_COLUMN(LATENCY_P99, JR_LATENCY, p99_ms),                                            \
		JR_RUN_COLUMN(LATENCY_P99_LOW, JR_LATENCY, p99_low_ms),                                    \
		JR_RUN_COLUMN(LATENCY_P99_HIGH, JR_LATENCY, p99_high_ms),                                  \
		JR_RUN_COLUMN(LATENCY_MAX, JR_LATENCY, max_ms))                                            \
	/* Missing in reports from before steps were replayed; parts in the order of the path's        \
	 * causes. */                                                                                  \
	JR_RUN_TABLE(CRITICAL_PATH, JR_AT(critical_path),                                              \
		JR_RUN_COLUMN(CRITICAL_COMPUTE, JR_CRITICAL_PATH, compute_ms),                             \
		JR_RUN_COLUMN(CRITICAL_TRANSFER, JR_CRITICAL_PATH, transfer_ms),                           \
		JR_RUN_COLUMN(CRITICAL_COPY, JR_CRITICAL_PATH, copy_ms),                                   \
		JR_RUN_COLUMN(CRITICAL_GAP, JR_CRITICAL_PATH, gap_ms),                                     \
		JR_RUN_COLUMN(CRITICAL_HOST, JR_CRITICAL_PATH, host_ms),                                   \
		JR_RUN_COLUMN(CRITICAL_OTHER, JR_CRITICAL_PATH, other_ms),                                 \
		JR_RUN_SIGNED(CRITICAL_SKEW, JR_CRITICAL_PATH, skew_ms),                                   \
		JR_RUN_COLUMN(CRITICAL_OVERLAP, JR_CRITICAL_PATH, perfect_overlap_ms))                     \
	JR_RUN_TABLE(CRITICAL_THUNKS, JR_AT(critical_path_thunks),                                     \
		JR_RUN_COLUMN(CRITICAL_PROGRAM, JR_CRITICAL_THUNKS, program_id),                           \
		JR_RUN_COLUMN(CRITICAL_NAME, JR_CRITICAL_THUNKS, name),                                    \
		JR_RUN_COLUMN(CRITICAL_ON_PATH, JR_CRITICAL_THUNKS, path_ms))                              \
	JR_RUN_TABLE(GPU, JR_AT_IN(gpu, ledger),                                                       \
		JR_RUN_COLUMN(GPU_TIME_COMPUTE, JR_GPU_LEDGER, compute_ms),                                \
		JR_RUN_COLUMN(GPU_TIME_COMMUNICATION, JR_GPU_LEDGER, exposed_communication_ms),            \
		JR_RUN_COLUMN(GPU_TIME_COPY, JR_GPU_LEDGER, exposed_copy_ms),                              \
		JR_RUN_COLUMN(GPU_TIME_IDLE, JR_GPU_LEDGER, idle_ms),                                      \
		JR_RUN_COLUMN(GPU_TIME_WALL, JR_GPU_LEDGER, wall_ms),                                      \
		JR_RUN_COLUMN(GPU_TIME_BUSY, JR_GPU_LEDGER, busy_fraction))                                \
	/* Of numbered steps in which no XLA module ran. */                                            \
	JR_RUN_TABLE(GPU_STEP, JR_AT_IN(gpu, step),                                                    \
		JR_RUN_COLUMN(GPU_STEP_COMPUTE, JR_GPU_STEP, compute_ms),                                  \
		JR_RUN_COLUMN(GPU_STEP_COMMUNICATION, JR_GPU_STEP, exposed_communication_ms),              \
		JR_RUN_COLUMN(GPU_STEP_COPY, JR_GPU_STEP, exposed_copy_ms),                                \
		JR_RUN_COLUMN(GPU_STEP_IDLE, JR_GPU_STEP, idle_ms),                                        \
		JR_RUN_COLUMN(GPU_STEP_WALL, JR_GPU_STEP, wall_ms))                                        \
	JR_RUN_TABLE(GAPS, JR_AT_IN(gaps, classes), JR_RUN_COLUMN(GAPS_HOST, JR_GAP_CLASSES, host_ms), \
		JR_RUN_COLUMN(GAPS_LAUNCH, JR_GAP_CLASSES, launch_ms),                                     \
		JR_RUN_COLUMN(GAPS_DEVICE, JR_GAP_CLASSES, device_ms),                                     \
		JR_RUN_COLUMN(GAPS_UNKNOWN, JR_GAP_CLASSES, unknown_ms))                                   \
	JR_RUN_TABLE(KERNELS, JR_AT(kernels),                                                          \
		JR_RUN_COLUMN(KERNEL_SHORT_NAME, JR_KERNELS, short_name),                                  \
		JR_RUN_COLUMN(KERNEL_NAME, JR_KERNELS, name),                                              \
		JR_RUN_COLUMN(KERNEL_COUNT, JR_KERNELS, count),                                            \
		JR_RUN_COLUMN(KERNEL_SUM, JR_KERNELS, sum_ms),                                             \
		JR_RUN_COLUMN(KERNEL_MEAN, JR_KERNELS, mean_ms),                                           \
		JR_RUN_COLUMN(KERNEL_STD, JR_KERNELS, std_ms))                                             \
	JR_RUN_TABLE(OPCODES, JR_AT(opcodes), JR_RUN_COLUMN(OPCODE_NAME, JR_OPCODES, opcode),          \
		JR_RUN_COLUMN(OPCODE_ACTIVE, JR_OPCODES, active_ms))                                       \
	/* Missing in reports from before work was counted. */                                         \
	JR_RUN_TABLE(ROOFLINE, JR_AT_IN(roofline, thunks),                                             \
		JR_RUN_COLUMN(ROOFLINE_PROGRAM, JR_ROOFLINE, program_id),                                  \
		JR_RUN_COLUMN(ROOFLINE_NAME, JR_ROOFLINE, name),                                           \
		JR_RUN_COLUMN(ROOFLINE_COUNT, JR_ROOFLINE, count),                                         \
		JR_RUN_COLUMN(ROOFLINE_FLOPS, JR_ROOFLINE, flops),                                         \
		JR_RUN_COLUMN(ROOFLINE_READ, JR_ROOFLINE, bytes_read),                                     \
		JR_RUN_COLUMN(ROOFLINE_WRITTEN, JR_ROOFLINE, bytes_written),                               \
		JR_RUN_COLUMN(ROOFLINE_SENT, JR_ROOFLINE, network_bytes),                                  \
		JR_RUN_COLUMN(ROOFLINE_ROOF, JR_ROOFLINE, roof_ms))                                        \
	/* Only in a plan; the first row is what the plan is about. */                                 \
	JR_RUN_TABLE(PLAN, JR_AT_IN(plan, programs), JR_RUN_COLUMN(PLAN_NAME, JR_PLAN_PROGRAMS, name), \
		JR_RUN_COLUMN(PLAN_ROOF, JR_PLAN_PROGRAMS, roof_ms),                                       \
		JR_RUN_COLUMN(PLAN_FLOPS, JR_PLAN_PROGRAMS, flops),                                        \
		JR_RUN_COLUMN(PLAN_BYTES, JR_PLAN_PROGRAMS, bytes),                                        \
		JR_RUN_COLUMN(PLAN_SENT, JR_PLAN_PROGRAMS, network_bytes),                                 \
		JR_RUN_COLUMN(PLAN_ID, JR_PLAN_PROGRAMS, program_id))                                      \
	JR_RUN_TABLE(PLAN_LINES, JR_AT_IN(plan, lines),                                                \
		JR_RUN_COLUMN(PLAN_LINE_SOURCE, JR_PLAN_LINES, source),                                    \
		JR_RUN_COLUMN(PLAN_LINE_LAUNCHES, JR_PLAN_LINES, launches),                                \
		JR_RUN_COLUMN(PLAN_LINE_ROOF, JR_PLAN_LINES, roof_ms),                                     \
		JR_RUN_COLUMN(PLAN_LINE_FLOPS, JR_PLAN_LINES, flops),                                      \
		JR_RUN_COLUMN(PLAN_LINE_BYTES, JR_PLAN_LINES, bytes))                                      \
	/* FLOPs, bytes and sent bytes of one launch, roofline time of all. */                         \
	JR_RUN_TABLE(PLAN_INSTRUCTIONS, JR_AT_IN(plan, instructions),                                  \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_PROGRAM, JR_PLAN_INSTRUCTIONS, program_id),                 \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_NAME, JR_PLAN_INSTRUCTIONS, name),                          \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_KIND, JR_PLAN_INSTRUCTIONS, kind),                          \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_OP_NAME, JR_PLAN_INSTRUCTIONS, op_name),                    \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_SOURCE, JR_PLAN_INSTRUCTIONS, source),                      \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_LAUNCHES, JR_PLAN_INSTRUCTIONS, launches),                  \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_ROOF, JR_PLAN_INSTRUCTIONS, roof_ms),                       \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_FLOPS, JR_PLAN_INSTRUCTIONS, flops),                        \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_BYTES, JR_PLAN_INSTRUCTIONS, bytes),                        \
		JR_RUN_COLUMN(PLAN_INSTRUCTION_SENT, JR_PLAN_INSTRUCTIONS, network_bytes))                 \
	JR_RUN_TABLE(COLLECTIVES, JR_AT(collectives),                                                  \
		JR_RUN_COLUMN(COLLECTIVE_NAME, JR_COLLECTIVES, collective),                                \
		JR_RUN_COLUMN(COLLECTIVE_BYTES, JR_COLLECTIVES, message_bytes),                            \
		JR_RUN_COLUMN(COLLECTIVE_GROUP, JR_COLLECTIVES, group_size),                               \
		JR_RUN_COLUMN(COLLECTIVE_INSTANCES, JR_COLLECTIVES, instances),                            \
		JR_RUN_COLUMN(COLLECTIVE_BUS, JR_COLLECTIVES, bus_gbps_mean),                              \
		JR_RUN_COLUMN(COLLECTIVE_WAIT, JR_COLLECTIVES, wait_mean_ms))                              \
	JR_RUN_TABLE(OVERLAP, JR_AT(overlap), JR_RUN_COLUMN(OVERLAP_NAME, JR_OVERLAP, collective),     \
		JR_RUN_COLUMN(OVERLAP_FRACTION, JR_OVERLAP, hidden_fraction))                              \
	/* Missing in reports from before lags were measured; a line of a history has only late        \
	 * devices. */                                                                                 \
	JR_RUN_TABLE(STRAGGLERS, JR_AT(stragglers),                                                    \
		JR_RUN_COLUMN(STRAGGLER_DEVICE, JR_STRAGGLERS, device),                                    \
		JR_RUN_COLUMN(STRAGGLER_HOST, JR_STRAGGLERS, hostname),                                    \
		JR_RUN_SIGNED(STRAGGLER_LAG, JR_STRAGGLERS, lag_ms),                                       \
		JR_RUN_COLUMN(STRAGGLER_LATE, JR_STRAGGLERS, late))                                        \
	JR_RUN_TABLE(PHASES, JR_AT_IN(compilation, phases),                                            \
		JR_RUN_COLUMN(PHASE_NAME, JR_COMPILATION, name),                                           \
		JR_RUN_COLUMN(PHASE_SELF, JR_COMPILATION, self_ms))                                        \
	JR_RUN_TABLE(MEMORY, JR_AT(memory), JR_RUN_COLUMN(MEMORY_PROGRAM, JR_MEMORY, program_id),      \
		JR_RUN_COLUMN(MEMORY_TRACE, JR_MEMORY, trace),                                             \
		JR_RUN_COLUMN(MEMORY_PEAK, JR_MEMORY, peak_bytes),                                         \
		JR_RUN_COLUMN(MEMORY_HOST, JR_MEMORY, host))                                               \
	/* Missing in reports from before allocations were read. */                                    \
	JR_RUN_TABLE(PROGRAM_MEMORY, JR_AT(program_memory),                                            \
		JR_RUN_COLUMN(PROGRAM_MEMORY_ID, JR_PROGRAM_MEMORY, program_id),                           \
		JR_RUN_COLUMN(PROGRAM_MEMORY_NAME, JR_PROGRAM_MEMORY, name),                               \
		JR_RUN_COLUMN(PROGRAM_MEMORY_RAN, JR_PROGRAM_MEMORY, ran),                                 \
		JR_RUN_COLUMN(PROGRAM_MEMORY_ALLOCATED, JR_PROGRAM_MEMORY, allocated_bytes),               \
		JR_RUN_COLUMN(PROGRAM_MEMORY_PARAMETERS, JR_PROGRAM_MEMORY, parameter_bytes),              \
		JR_RUN_COLUMN(PROGRAM_MEMORY_OUTPUTS, JR_PROGRAM_MEMORY, output_bytes),                    \
		JR_RUN_COLUMN(PROGRAM_MEMORY_CONSTANTS, JR_PROGRAM_MEMORY, constant_bytes),                \
		JR_RUN_COLUMN(PROGRAM_MEMORY_TEMPORARIES, JR_PROGRAM_MEMORY, temporary_bytes))             \
	/* Only with a device memory profile. */                                                       \
	JR_RUN_TABLE(LIVE_DEVICES, JR_AT_IN(live_memory, devices),                                     \
		JR_RUN_COLUMN(LIVE_DEVICE_NAME, JR_LIVE_DEVICES, device),                                  \
		JR_RUN_COLUMN(LIVE_DEVICE_BYTES, JR_LIVE_DEVICES, bytes),                                  \
		JR_RUN_COLUMN(LIVE_DEVICE_OBJECTS, JR_LIVE_DEVICES, objects))                              \
	JR_RUN_TABLE(LIVE_LINES, JR_AT_IN(live_memory, lines),                                         \
		JR_RUN_COLUMN(LIVE_LINE_SOURCE, JR_LIVE_LINES, source),                                    \
		JR_RUN_COLUMN(LIVE_LINE_FUNCTION, JR_LIVE_LINES, function),                                \
		JR_RUN_COLUMN(LIVE_LINE_BYTES, JR_LIVE_LINES, bytes),                                      \
		JR_RUN_COLUMN(LIVE_LINE_OBJECTS, JR_LIVE_LINES, objects),                                  \
		JR_RUN_COLUMN(LIVE_LINE_UNKNOWN, JR_LIVE_LINES, unknown))                                  \
	JR_RUN_TABLE(LIVE_KINDS, JR_AT_IN(live_memory, kinds),                                         \
		JR_RUN_COLUMN(LIVE_KIND_NAME, JR_LIVE_KINDS, kind),                                        \
		JR_RUN_COLUMN(LIVE_KIND_BYTES, JR_LIVE_KINDS, bytes),                                      \
		JR_RUN_COLUMN(LIVE_KIND_OBJECTS, JR_LIVE_KINDS, objects),                                  \
		JR_RUN_COLUMN(LIVE_KIND_UNKNOWN, JR_LIVE_KINDS, unknown))                                  \
	JR_RUN_TABLE(FINDINGS, JR_AT(findings), JR_RUN_COLUMN(FINDING_ID, JR_FINDINGS, id),            \
		JR_RUN_COLUMN(FINDING_SEVERITY, JR_FINDINGS, severity),                                    \
		JR_RUN_COLUMN(FINDING_STEP, JR_FINDINGS, step_recoverable_ms),                             \
		JR_RUN_COLUMN(FINDING_ALL, JR_FINDINGS, recoverable_ms),                                   \
		JR_RUN_COLUMN(FINDING_SINCE, JR_FINDINGS, since_ms),                                       \
		JR_RUN_COLUMN(FINDING_TITLE, JR_FINDINGS, title),                                          \
		JR_RUN_COLUMN(FINDING_ABOUT, JR_FINDINGS, about),                                          \
		JR_RUN_COLUMN(FINDING_EVIDENCE, JR_FINDINGS, evidence))                                    \
	JR_RUN_TABLE(GUESSES, JR_AT(guesses), JR_RUN_COLUMN(GUESS_ID, JR_GUESSES, id),                 \
		JR_RUN_COLUMN(GUESS_COUNT, JR_GUESSES, count),                                             \
		JR_RUN_COLUMN(GUESS_DETAIL, JR_GUESSES, detail))                                           \
	JR_RUN_TABLE(UNAVAILABLE, JR_AT(unavailable),                                                  \
		JR_RUN_COLUMN(UNAVAILABLE_SECTION, JR_UNAVAILABLE, section),                               \
		JR_RUN_COLUMN(UNAVAILABLE_REASON, JR_UNAVAILABLE, reason))                                 \
	/* A list of plain texts: its one column has no key. */                                        \
	JR_RUN_TABLE(WARNINGS, JR_AT(warnings), JR_RUN_OTHER(WARNING_TEXT, "", JR_TEXT, JR_UNIT_NONE))

enum jr_run_table {
#define JR_RUN_TABLE(id, path, ...) JR_RUN_##id,
	JR_RUN_TABLES
#undef JR_RUN_TABLE
		JR_RUN_N_TABLES
};

/* Columns of each table, from 0. */
#define JR_RUN_TABLE(id, path, ...) enum { __VA_ARGS__ };
#define JR_RUN_COLUMN(id, table, key) JR_##id
#define JR_RUN_SIGNED(id, table, key) JR_##id
#define JR_RUN_COLUMN_IN(id, table, outer, key) JR_##id
#define JR_RUN_OTHER(id, key, type, unit) JR_##id
JR_RUN_TABLES
#undef JR_RUN_TABLE
#undef JR_RUN_COLUMN
#undef JR_RUN_SIGNED
#undef JR_RUN_COLUMN_IN
#undef JR_RUN_OTHER

/* A named text: a version, an option, a flag of the environment. */
struct jr_run_setting {
	const char *name, *value;
};

struct jr_run_settings {
	size_t n;
	struct jr_run_setting *items;
};

enum jr_run_tree { JR_RUN_SOURCE_CODE, JR_RUN_OP_NAME, JR_RUN_COMPILATION, JR_RUN_N_TREES };

/* Self times along stacks, with the frames of a folded stack (no ';'). */
struct jr_run_stack {
	const char *stack; /* frames joined by ';' */
	double self_ns;
};

struct jr_run_stacks {
	size_t n;
	struct jr_run_stack *items;
};

/* A scalar of report.json. */
struct jr_run_scalar {
	const char *path; /* dotted */
	const char *text; /* of a number its digits; NULL for null */
	double number;    /* NaN if it is not a number */
};

/* Data read from a source. All except the list of scalars outlives the run. */
struct jr_run_source {
	struct jr_table *tables[JR_RUN_N_TABLES]; /* of jr_run_specs; NULL: no such table */
	JR_VEC(struct jr_run_scalar) scalars;     /* in the order of the source */
	size_t n_refused; /* values of these tables that no report contains; their cells are null */
	struct jr_run_stacks stacks[JR_RUN_N_TREES];
};

/* Samples of the step, ns. */
struct jr_run_steps {
	size_t row;                  /* in the modules: the step's program; SIZE_MAX: none */
	struct jr_sample executions; /* of the slowest device, by execution number (step_time.h) */
	/* From a step's start to the next one's (step_window.h). Empty: one steady step, an
	 * older report, or a program that does not run once in each step of the report. */
	struct jr_sample periods;
	/* Set by a comparison: one side has no periods, so executions are the steps. */
	bool by_execution;
	/* Set by a comparison if both runs have the same kinds of steps (jr_run_match_kinds()). */
	struct jr_sample typical;
	struct jr_sample typical_executions; /* the same, of the executions */
};

#define JR_MOST_KINDS 4
/* Steps of several lengths that both runs have; n is 0 if there is only one. */
struct jr_step_kinds {
	size_t n;
	struct {
		size_t n[2];
		double median_ns[2];
	} items[JR_MOST_KINDS]; /* the shortest first */
};

struct jr_run {
	const char *name;                         /* of its inputs, for people */
	const char *version;                      /* version of jaxreport that computed it */
	struct jr_table *tables[JR_RUN_N_TABLES]; /* never NULL */
	bool has[JR_RUN_N_TABLES];                /* false: the source has no such table */
	struct jr_run_settings versions, flags, options;
	double compile_total_ns;  /* of the process that compiled longest; NaN: not profiled */
	double execution_mean_ns; /* execution.mean_ms of the report; NaN: none */
	size_t n_refused;         /* values of an earlier report that no report contains; left out */
	bool live_partial;        /* samples of its device memory profile are missing */
	const char *selection;    /* what it is about, if that is a part of a profile; NULL: all */
	const char *numbered;     /* name of its numbered steps; NULL: steps are executions */
	size_t own_step;          /* in the modules: the report's step; SIZE_MAX: none */
	struct {
		double hfu, mfu, not_counted_frac; /* NaN: unknown, or an earlier report */
		double roof_ns, lost_ns;
	} roofline;
	struct {
		double tokens_per_s, tokens_per_s_device, samples_per_s, samples_per_s_device;
		double tflops_per_device, cost_per_step, cost_per_million; /* NaN: not stated */
	} rates;
	struct jr_run_stacks stacks[JR_RUN_N_TREES];
	struct jr_run_steps steps;
};

/** Return the name of a stack tree: "source_code". */
const char *jr_run_tree_name(enum jr_run_tree tree);

/* Columns that are read of the rows at spec.json: [JR_RUN_N_TABLES]. */
extern const struct jr_table_spec jr_run_specs[];
/** Make a run from a source, and release the source's scalars. */
void jr_run_read(struct jr_run *run, struct jr_run_source *source, struct jr_arena *arena);
/** Return the text of a source at a dotted path; NULL if there is none. */
const char *jr_run_source_text(const struct jr_run_source *source, const char *path);
/** Return the sample of steps: periods, or executions if a comparison chose them. */
static inline const struct jr_sample *jr_run_step_sample(const struct jr_run *run)
{
	return run->steps.by_execution ? &run->steps.executions : &run->steps.periods;
}
/** Return the sample that verdicts and the median are about: those steps, or of several kinds of
 * steps the typical ones. */
static inline const struct jr_sample *jr_run_judged_sample(const struct jr_run *run)
{
	return run->steps.typical.n ? &run->steps.typical : jr_run_step_sample(run);
}
/** Return what the median of that sample is: "typical step". */
static inline const char *jr_run_step_basis(const struct jr_run *run)
{
	return run->steps.typical.n ? run->steps.by_execution ? "typical execution" : "typical step"
		   : run->steps.by_execution ? "median execution"
									 : "median step";
}
/**
 * Find steps of several lengths, each as often in both runs, as those with an evaluation. The
 * median of all would depend on chance, so each kind is compared with its own: the typical step is
 * the mean of the kinds' medians, weighted by the number of their steps in both runs. Sets
 * `typical` of both runs to one value per step with that median, which vary as it does, and
 * `typical_executions` in the same way.
 *
 * Cost: O(n log n).
 */
struct jr_step_kinds jr_run_match_kinds(struct jr_run *const runs[2], struct jr_arena *arena);
/** Return the name of one element of that sample: "step" or "execution". */
static inline const char *jr_run_step_word(const struct jr_run *run)
{
	return run->steps.by_execution ? "execution" : "step";
}
/**
 * Return whether a program runs once in each step of the report, so that its periods are those of
 * the step. In a cycle of programs, the one with most time may differ from run to run.
 *
 * @param module  a row of the modules, or SIZE_MAX (false)
 */
bool jr_run_once_per_step(const struct jr_run *run, size_t module, struct jr_arena *arena);
/** Set another program as the step: a row of the modules, or SIZE_MAX. */
void jr_run_set_step(struct jr_run *run, size_t module, struct jr_arena *arena);

/* --- sources ---------------------------------------------------------------------------------- */

struct jr_json;
struct jr_sqlite;

/** Make a run from a loaded profile and its results; both must outlive the run. */
void jr_run_of_results(struct jr_run *run, const struct jr_profile *profile,
	const struct jr_results *results, struct jr_arena *arena);

/**
 * Make a run from the text of a report.json.
 *
 * @param folder  folder of data/NAME.folded, with a slash at its end; NULL: none
 * @return JR_EFORMAT not JSON, or not a report of a known schema; JR_ELIMIT
 */
enum jr_status jr_run_of_json(struct jr_run *run, struct jr_bytes text, const char *folder,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;

/* Format of the message for an unknown schema: the schema, JR_REPORT_SCHEMA. */
#define JR_RUN_OTHER_SCHEMA                                                                        \
	"schema is '%.60s', not '%s'. Make the report again from its profile with this jaxreport"

/**
 * Read folded stacks: one per line, frames joined by ';', a blank, whole ns (in earlier reports ms
 * with decimals); empty lines are ignored.
 *
 * @param path  of the text, for messages
 * @param out   zero-initialized; in the order of the lines, texts clean and in `arena`
 * @return JR_EFORMAT a line is not a stack (with its number); JR_ELIMIT rows or memory
 */
enum jr_status jr_run_stacks_read(struct jr_bytes text, const char *path,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_run_stacks *out,
	struct jr_error *err) JR_MUST_CHECK;

/** Add one stack. @return JR_EFORMAT no frames, or an invalid time; JR_ELIMIT too deep */
enum jr_status jr_run_stack_take(const char *frames, size_t n, double ns,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_run_stack *out) JR_MUST_CHECK;

/**
 * Make a run from a profile.sqlite with the tables of sqlite_parts.h.
 * @return JR_ENOTFOUND a database without these tables; JR_EUNSUPPORTED an unknown schema; JR_EIO,
 *         JR_EFORMAT, JR_ELIMIT
 */
enum jr_status jr_run_of_sqlite(struct jr_run *run, const char *path,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;
/** Make a run from an open database; all data is copied. */
enum jr_status jr_run_of_database(struct jr_run *run, struct jr_sqlite *db,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;

/** Return whether a number of a foreign file can be in a column. NaN cannot. */
static inline bool jr_run_allows(const struct jr_column_spec *column, double v)
{
	return v >= 0 || (column->flags & JR_COL_CHANGE && v < 0);
}

/** Store an integer of a foreign file in a cell, unless the sum of its column would exceed its
 * limit. `room` is what is left of the limit, JR_RUN_MAX_SUM at first. The largest sum, the
 * difference of the GPU ledger between two runs, then cannot overflow. */
#define JR_RUN_MAX_SUM (INT64_C(1) << 59) /* 18 years */
static inline void jr_run_take_i64(int64_t *cell, int64_t v, int64_t *room)
{
	if (v < -*room || v > *room)
		return;
	*cell = v;
	*room -= v < 0 ? -v : v;
}

/** Store a number of a foreign file in a cell, unless it is beyond all that reports contain. */
#define JR_RUN_MAX_NUMBER 0x1p63
static inline void jr_run_take_f64(double *cell, double v)
{
	if (fabs(v) < JR_RUN_MAX_NUMBER)
		*cell = v;
}

/** Return whether a cell that a value of a foreign file was stored in is still null. */
static inline bool jr_run_refused(const struct jr_table *table, size_t column, size_t row)
{
	const union jr_cells *cells = &table->cells[column];
	switch (table->spec->columns[column].type) {
	case JR_TEXT: return !cells->text[row];
	case JR_I64: return cells->i64[row] == JR_NULL_I64;
	case JR_F64: return isnan(cells->f64[row]);
	case JR_BOOL: return cells->boolean[row] == JR_NULL_BOOL;
	case JR_ROWS: break;
	}
	return false;
}

/** Return what is said of values that were left out; NULL: none was. */
const char *jr_run_refused_text(const struct jr_run *run, struct jr_arena *arena);

/** Make a run from a JSON value with keys of report.json; missing keys are missing tables. All data
 * is copied. */
void jr_run_of_tree(struct jr_run *run, const struct jr_json *root, struct jr_arena *arena);

/* --- reading ---------------------------------------------------------------------------------- */

static inline size_t jr_run_rows(const struct jr_run *run, enum jr_run_table table)
{
	return run->tables[table]->n_rows;
}

/** Return whether the run is a plan: nothing was measured. */
static inline bool jr_run_is_plan(const struct jr_run *run)
{
	return jr_run_rows(run, JR_RUN_PLAN) > 0;
}

/** Return whether the run is a device memory profile alone: nothing was executed. */
static inline bool jr_run_is_live(const struct jr_run *run)
{
	return jr_run_rows(run, JR_RUN_LIVE_KINDS) > 0 && jr_run_rows(run, JR_RUN_MODULES) == 0 &&
		   jr_run_rows(run, JR_RUN_GPU) == 0 && !jr_run_is_plan(run) &&
		   !(run->compile_total_ns >= 0);
}

/** Return a text cell; NULL for null. */
static inline const char *jr_run_text(
	const struct jr_run *run, enum jr_run_table table, size_t column, size_t row)
{
	return run->tables[table]->cells[column].text[row];
}

/** Return an integer cell; JR_NULL_I64 for null. */
static inline int64_t jr_run_i64(
	const struct jr_run *run, enum jr_run_table table, size_t column, size_t row)
{
	return run->tables[table]->cells[column].i64[row];
}

/** Return whether a finding is about some steps only: once, or since a step. */
static inline bool jr_run_of_some_steps(const struct jr_run *run, size_t row)
{
	return jr_run_i64(run, JR_RUN_FINDINGS, JR_FINDING_SINCE, row) != JR_NULL_I64 ||
		   (jr_run_i64(run, JR_RUN_FINDINGS, JR_FINDING_STEP, row) == JR_NULL_I64 &&
			   jr_run_i64(run, JR_RUN_FINDINGS, JR_FINDING_ALL, row) > 0);
}

/** Return an integer cell; 0 for null. */
static inline int64_t jr_run_sum(
	const struct jr_run *run, enum jr_run_table table, size_t column, size_t row)
{
	int64_t v = jr_run_i64(run, table, column, row);
	return v == JR_NULL_I64 ? 0 : v;
}

static inline double jr_run_f64(
	const struct jr_run *run, enum jr_run_table table, size_t column, size_t row)
{
	return run->tables[table]->cells[column].f64[row];
}

/** Return true if the cell is true, false for false and null. */
static inline bool jr_run_is(
	const struct jr_run *run, enum jr_run_table table, size_t column, size_t row)
{
	return run->tables[table]->cells[column].boolean[row] == 1;
}

#endif
