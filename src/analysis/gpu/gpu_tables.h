/*
 * gpu_tables.h - tables of GPU time, gaps and kernels that other files read, as lists of keys.h.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_GPU_TABLES_H
#define JR_ANALYSIS_GPU_TABLES_H

#include "analysis/core/keys.h"
#include "analysis/shared/chosen_rows.h"
#include "analysis/core/terms.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_gpu_ledger,
	JR_AT_gpu_step,
	JR_AT_gaps_classes,
	JR_AT_kernels,
};

#define JR_DIAGNOSTICS_COLUMNS(X, T)                                                               \
	X(T, severity, "Severity", "severity that the profiler reports", TEXT, NONE)                   \
	X(T, source, "Source", "part of the profiler that reports it", TEXT, NONE)                     \
	X(T, text, "Message", "text from the profiler", TEXT, NONE, JR_COL_WHOLE)                      \
	X(T, count, "Times", "how often it was reported, over all exports", I64, COUNT)
JR_KEYS_READ(JR_DIAGNOSTICS, JR_DIAGNOSTICS_COLUMNS);

#define JR_GAP_CALLS_COLUMNS(X, T)                                                                 \
	X(T, cause, "Cause", "cause of the gaps, as in “Idle by cause”", TEXT, NONE, JR_COL_KEY)       \
	X(T, call, "Call",                                                                             \
		"host-bound: the call that the launching thread of the next operation is executing; "      \
		"“(outside of " JR_CUDA ")”: it is in no call; “(launching)”: from the start of "    \
		"the launching call to the start of the operation. launch-bound: the call in progress. "   \
		"device-bound: the call that had returned",                                                \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, count, "Gaps begun", "gaps that began in this state, over all devices", I64, COUNT)       \
	X(T, gaps_ms, "Gap length", "full length of the gaps that began in this state", I64, NS)       \
	X(T, sum_ms, "Idle time", "idle time in this state", I64, NS)                                  \
	X(T, percent, "Share", "share of the idle time of all rows", F64, PERCENT, JR_COL_BAR)         \
	X(T, long_count, "Long gaps", "gaps of " JR_GAP_LONG " or longer", I64, COUNT,                 \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, long_ms, "Length of long gaps", "full length of the long gaps", I64, NS, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_GAP_CALLS, JR_GAP_CALLS_COLUMNS);

#define JR_GAP_WAITS_COLUMNS(X, T)                                                                 \
	X(T, call, "Call", "call in which the host waits", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)       \
	X(T, copy, "Copy",                                                                             \
		"direction of the copy that this call or the call before it makes; none if the "           \
		"host waits for kernels",                                                                  \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, memory, "Host memory", "host memory of the copy, if the profile records it", TEXT, NONE)  \
	X(T, bytes, "Largest", "size of the largest copy", I64, BYTES)                                 \
	X(T, range, "Range", "innermost host range around the copy", TEXT, NONE, JR_COL_CODE)          \
	X(T, count, "Waits", "number of waits, over all threads that launch work", I64, COUNT)         \
	X(T, waited_ms, "Waited", "time in these calls", I64, NS)                                      \
	X(T, idle_ms, "Idle after",                                                                    \
		"host-bound gaps of all devices after such a wait, until the thread waits again; per "     \
		"device at most the duration of the wait",                                                 \
		I64, NS, JR_COL_BAR)
JR_KEYS_READ(JR_GAP_WAITS, JR_GAP_WAITS_COLUMNS);

#define JR_GAP_CAUSES_COLUMNS(X, T)                                                                \
	X(T, device, "Device", "number of the " JR_GPU " in the job", I64, NONE, JR_COL_KEY)           \
	X(T, cause, "Cause",                                                                           \
		WHICH_LAUNCH "host-bound: " HOST_BOUND "; launch-bound: " LAUNCH_BOUND                     \
					 "; device-bound: " DEVICE_BOUND                                               \
					 "; unknown: not profiled, or records of that time are missing",               \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, count, "Gaps", "number of gaps", I64, COUNT)                                              \
	X(T, sum_ms, "Time", "sum of their lengths", I64, NS)                                          \
	X(T, percent, "Share", "share of the device's idle time", F64, PERCENT, JR_COL_BAR)            \
	X(T, mean_ms, "Mean", "mean length", F64, NS, JR_COL_LIKE)                                     \
	X(T, max_ms, "Longest", "longest length", I64, NS, JR_COL_LIKE)
JR_KEYS_READ(JR_GAP_CAUSES, JR_GAP_CAUSES_COLUMNS);

#define JR_GAP_CLASSES_COLUMNS(X, T)                                                               \
	X(T, length, "Length", "length of a gap", TEXT, NONE)                                          \
	X(T, from_ms, "From", "shortest length in the row", I64, NS, JR_COL_KEY | JR_COL_DATA_ONLY)    \
	X(T, count, "Gaps", "gaps of these lengths, over all devices", I64, COUNT)                     \
	X(T, host_ms, "Host-bound",                                                                    \
		"sum of lengths; the launch of the next operation was " HOST_BOUND, I64, NS, JR_COL_LIKE)  \
	X(T, device_ms, "Device-bound",                                                                \
		"sum of lengths; the launch of the next operation had " DEVICE_BOUND, I64, NS,             \
		JR_COL_LIKE)                                                                               \
	X(T, unknown_ms, "Unknown", "sum of lengths; the launch was not profiled", I64, NS,            \
		JR_COL_LIKE)                                                                               \
	X(T, launch_ms, "Launch-bound",                                                                \
		"sum of lengths; the launch of the next operation was " LAUNCH_BOUND, I64, NS,             \
		JR_COL_LIKE)
JR_KEYS_READ(JR_GAP_CLASSES, JR_GAP_CLASSES_COLUMNS);

#define JR_GAP_LARGEST_COLUMNS(X, T)                                                               \
	X(T, device, "Device", "number of the " JR_GPU " in the job", I64, NONE, JR_COL_KEY)           \
	X(T, at_ms, "At",                                                                              \
		"start of the gap, since the first execution (without modules: operation) in the "         \
		"input, on the aligned clock",                                                             \
		I64, NS, JR_COL_KEY)                                                                       \
	X(T, dur_ms, "Length", "time in which nothing runs", I64, NS, JR_COL_BAR)                      \
	X(T, cause, "Cause", "as in “Idle by cause”", TEXT, NONE)                                      \
	X(T, before, "Before it",                                                                      \
		"operation that ended last before the gap: a kernel, or the direction of a copy", TEXT,    \
		NONE, JR_COL_CODE)                                                                         \
	X(T, after, "After it", "operation that ends the gap", TEXT, NONE, JR_COL_CODE)                \
	X(T, range, "Launched in", "innermost host range around the launch of the next operation",     \
		TEXT, NONE, JR_COL_CODE)                                                                   \
	X(T, first_use, "First use", "code was loaded, as in “Idle at first use”", BOOL, NONE)
JR_KEYS_READ(JR_GAP_LARGEST, JR_GAP_LARGEST_COLUMNS);

#define JR_GPU_LEDGER_COLUMNS(X, T)                                                                \
	X(T, device, "Device", "number of the " JR_GPU " in the job", I64, NONE, JR_COL_KEY)           \
	X(T, operations, "Operations",                                                                 \
		"kernels, copies, memsets and whole graphs that ran on the device", I64, COUNT)            \
	X(T, compute_ms, "Compute",                                                                    \
		"time in which kernels other than communication, or whole graphs, run", I64, NS,           \
		JR_COL_LIKE)                                                                               \
	X(T, exposed_communication_ms, "Exposed communication",                                        \
		"communication kernels" JR_ON_GPU(                                                         \
			" (" JR_NCCL ", NVSHMEM, …)") " while no other kernel runs",                           \
		I64, NS, JR_COL_LIKE)                                                                      \
	X(T, exposed_copy_ms, "Exposed copies", "copies and memsets while no kernel runs", I64, NS,    \
		JR_COL_LIKE)                                                                               \
	X(T, idle_ms, "Idle", "time in which nothing runs", I64, NS, JR_COL_LIKE)                      \
	X(T, wall_ms, "Wall",                                                                          \
		"time from the first start to the last end of its operations; exactly the sum of "         \
		"the other times",                                                                         \
		I64, NS, JR_COL_LIKE)                                                                      \
	X(T, busy_fraction, "Busy",                                                                    \
		"share of the wall time in which anything runs; empty for fewer than 5 operations", F64,   \
		FRAC, JR_COL_BAR)                                                                          \
	X(T, chosen, JR_CHOSEN_TITLE, JR_CHOSEN_HELP, TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_KEYS_READ(JR_GPU_LEDGER, JR_GPU_LEDGER_COLUMNS);
/* Roles of compute, exposed communication, exposed copies and idle in charts. */
extern const char *const jr_gpu_part_roles[];

#define JR_KERNELS_COLUMNS(X, T)                                                                   \
	X(T, short_name, "Kernel", "kernel name without template and call arguments", TEXT, NONE,      \
		JR_COL_CODE)                                                                               \
	X(T, applies, "Applies",                                                                       \
		"for PyTorch's generic kernels, the operation on each element: the first template "        \
		"argument that is more than a wrapper; for other kernels with the same short name, "       \
		"the template arguments that distinguish them",                                            \
		TEXT, NONE, JR_COL_CODE | JR_COL_BESIDE)                                                   \
	X(T, count, "Count", "number of launches, over all devices", I64, COUNT)                       \
	X(T, sum_ms, "Time", "sum of their durations", I64, NS)                                        \
	X(T, percent, "Share", "share of the time of all kernels", F64, PERCENT, JR_COL_BAR)           \
	X(T, mean_ms, "Mean", "mean duration", F64, NS, JR_COL_LIKE)                                   \
	X(T, std_ms, "±", "sample standard deviation of the duration over launches", F64, NS,          \
		JR_COL_SPREAD)                                                                             \
	X(T, min_ms, "Shortest", "shortest duration", I64, NS, JR_COL_DATA_ONLY)                       \
	X(T, max_ms, "Longest", "longest duration", I64, NS, JR_COL_LIKE)                              \
	X(T, grid, "Grid", "blocks per launch, for the shape with the most time", TEXT, NONE)          \
	X(T, block, "Block", "threads per block, for that shape", TEXT, NONE)                          \
	X(T, registers, "Registers", "registers per thread, for that shape", I64, NONE)                \
	X(T, shared_memory_bytes, "Shared memory",                                                     \
		"static and dynamic shared memory per block, for that shape", I64, BYTES)                  \
	X(T, shapes, "Shapes",                                                                         \
		"number of distinct combinations of grid, block, registers and shared memory", I64, COUNT) \
	X(T, full_name, "Full name",                                                                   \
		"kernel name with template and call arguments; empty if it is the same", TEXT, NONE,       \
		JR_COL_CODE | JR_COL_RENDERED_ONLY)                                                        \
	X(T, name, "Name", "kernel name with template and call arguments", TEXT, NONE,                 \
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_KERNELS, JR_KERNELS_COLUMNS);

#define JR_GPU_STEP_COLUMNS(X, T)                                                                  \
	X(T, compute_ms, "Compute", JR_GPU " time per step and device", F64, NS)                       \
	X(T, exposed_communication_ms, "Exposed communication", JR_GPU " time per step and device",    \
		F64, NS)                                                                                   \
	X(T, exposed_copy_ms, "Exposed copies", JR_GPU " time per step and device", F64, NS)           \
	X(T, idle_ms, "Idle", JR_GPU " time per step and device", F64, NS)                             \
	X(T, wall_ms, "Period",                                                                        \
		"time from the start of a step to the start of the next, the sum of the other columns",    \
		F64, NS)
JR_KEYS_READ(JR_GPU_STEP, JR_GPU_STEP_COLUMNS);

#endif
