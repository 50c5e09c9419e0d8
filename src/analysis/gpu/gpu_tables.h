/*
 * gpu_tables.h - tables of GPU time, gaps and kernels that other files read, as lists of keys.h.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_GPU_TABLES_H
#define JR_ANALYSIS_GPU_TABLES_H

#include "analysis/core/keys.h"
#include "analysis/core/terms.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_gpu_ledger,
	JR_AT_gpu_step,
	JR_AT_gaps_classes,
	JR_AT_kernels,
};

#define JR_DIAGNOSTICS_COLUMNS(X, T)                                                               \
	X(T, severity, "Severity", "as the profiler states it", JR_TEXT, JR_UNIT_NONE, 0)              \
	X(T, source, "Source", "part of the profiler that said it", JR_TEXT, JR_UNIT_NONE, 0)          \
	X(T, text, "Message", "in the profiler's words", JR_TEXT, JR_UNIT_NONE, JR_COL_WHOLE)          \
	X(T, count, "Times", "that it was said, over all exports", JR_I64, JR_UNIT_COUNT, 0)
JR_KEYS_READ(JR_DIAGNOSTICS, JR_DIAGNOSTICS_COLUMNS);

#define JR_GAP_CALLS_COLUMNS(X, T)                                                                 \
	X(T, cause, "Cause", "of the gaps, as in “Idle by cause”", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)  \
	X(T, call, "Call",                                                                             \
		"host-bound: the call that the thread that launches next was in meanwhile, where "         \
		"(outside of " JR_CUDA ") is time in none, and (launching) the time from the begin of "    \
		"the launching call to the start of the operation; launch-bound: the call in flight; "     \
		"device-bound: the call that had returned",                                                \
		JR_TEXT, JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE)                                           \
	X(T, count, "Gaps", "that began while it was so, over all devices", JR_I64, JR_UNIT_COUNT, 0)  \
	X(T, gaps_ms, "Their length", "of the gaps that began while it was so, all of each", JR_I64,   \
		JR_UNIT_NS, 0)                                                                             \
	X(T, sum_ms, "Idle in it", "idle time while it was so", JR_I64, JR_UNIT_NS, 0)                 \
	X(T, percent, "Share", "of the time of all rows", JR_F64, JR_UNIT_PERCENT, JR_COL_BAR)         \
	X(T, long_count, "Long gaps", "of the gaps, those of " JR_GAP_LONG " and more", JR_I64,        \
		JR_UNIT_COUNT, JR_COL_DATA_ONLY)                                                           \
	X(T, long_ms, "Their length", "of the long gaps, all of each", JR_I64, JR_UNIT_NS,             \
		JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_GAP_CALLS, JR_GAP_CALLS_COLUMNS);

#define JR_GAP_WAITS_COLUMNS(X, T)                                                                 \
	X(T, call, "Call", "in which the host waits", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE) \
	X(T, copy, "Copy",                                                                             \
		"direction of the copy that the call makes, or that the call ahead of it began; none "     \
		"where it waits for kernels",                                                              \
		JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                                                         \
	X(T, memory, "Host memory", "of the copy, where the profile tells", JR_TEXT, JR_UNIT_NONE, 0)  \
	X(T, bytes, "Largest", "copy", JR_I64, JR_UNIT_BYTES, 0)                                       \
	X(T, range, "In", "innermost range of the host around the copy", JR_TEXT, JR_UNIT_NONE,        \
		JR_COL_CODE)                                                                               \
	X(T, count, "Waits", "of all threads that launch work", JR_I64, JR_UNIT_COUNT, 0)              \
	X(T, waited_ms, "Waited", "time in these calls", JR_I64, JR_UNIT_NS, 0)                        \
	X(T, idle_ms, "Idle after",                                                                    \
		"host-bound gaps of all devices from such a wait to the next one of the thread, of "       \
		"each device no more than the wait took",                                                  \
		JR_I64, JR_UNIT_NS, JR_COL_BAR)
JR_KEYS_READ(JR_GAP_WAITS, JR_GAP_WAITS_COLUMNS);

#define JR_GAP_CAUSES_COLUMNS(X, T)                                                                \
	X(T, device, "Device", "number of the " JR_GPU " in the job", JR_I64, JR_UNIT_NONE,            \
		JR_COL_KEY)                                                                                \
	X(T, cause, "Cause",                                                                           \
		WHICH_LAUNCH "host-bound: " HOST_BOUND "; launch-bound: " LAUNCH_BOUND                     \
					 "; device-bound: " DEVICE_BOUND                                               \
					 "; unknown: not profiled, or records of that time are missing",               \
		JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                                                         \
	X(T, count, "Gaps", "times in which nothing ran", JR_I64, JR_UNIT_COUNT, 0)                    \
	X(T, sum_ms, "Time", "sum of their lengths", JR_I64, JR_UNIT_NS, 0)                            \
	X(T, percent, "Share", "of the device's idle time", JR_F64, JR_UNIT_PERCENT, JR_COL_BAR)       \
	X(T, mean_ms, "Mean", "length", JR_F64, JR_UNIT_NS, 0)                                         \
	X(T, max_ms, "Longest", "length", JR_I64, JR_UNIT_NS, 0)
JR_KEYS_READ(JR_GAP_CAUSES, JR_GAP_CAUSES_COLUMNS);

#define JR_GAP_CLASSES_COLUMNS(X, T)                                                               \
	X(T, length, "Length", "of a gap", JR_TEXT, JR_UNIT_NONE, 0)                                   \
	X(T, from_ms, "From", "shortest length of the class", JR_I64, JR_UNIT_NS,                      \
		JR_COL_KEY | JR_COL_DATA_ONLY)                                                             \
	X(T, count, "Gaps", "of such a length, all devices", JR_I64, JR_UNIT_COUNT, 0)                 \
	X(T, host_ms, "Host-bound",                                                                    \
		"sum of lengths; the launch of the next operation was " HOST_BOUND, JR_I64, JR_UNIT_NS, 0) \
	X(T, device_ms, "Device-bound",                                                                \
		"sum of lengths; the launch of the next operation had " DEVICE_BOUND, JR_I64, JR_UNIT_NS,  \
		0)                                                                                         \
	X(T, unknown_ms, "Unknown", "sum of lengths; the launch was not profiled", JR_I64, JR_UNIT_NS, \
		0)                                                                                         \
	X(T, launch_ms, "Launch-bound",                                                                \
		"sum of lengths; the launch of the next operation was " LAUNCH_BOUND, JR_I64, JR_UNIT_NS,  \
		0)
JR_KEYS_READ(JR_GAP_CLASSES, JR_GAP_CLASSES_COLUMNS);

#define JR_GAP_LARGEST_COLUMNS(X, T)                                                               \
	X(T, device, "Device", "number of the " JR_GPU " in the job", JR_I64, JR_UNIT_NONE,            \
		JR_COL_KEY)                                                                                \
	X(T, at_ms, "At", "begin of the gap, from the begin of the first operation of the device",     \
		JR_I64, JR_UNIT_NS, JR_COL_KEY)                                                            \
	X(T, dur_ms, "Length", "nothing runs", JR_I64, JR_UNIT_NS, JR_COL_BAR)                         \
	X(T, cause, "Cause", "as in “Idle by cause”", JR_TEXT, JR_UNIT_NONE, 0)                        \
	X(T, before, "Before it", "operation that ended last: a kernel, or the direction of a copy",   \
		JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)                                                        \
	X(T, after, "After it", "operation that ends the gap", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)     \
	X(T, range, "Launched in",                                                                     \
		"innermost range of the host around the launch of the operation after it", JR_TEXT,        \
		JR_UNIT_NONE, JR_COL_CODE)                                                                 \
	X(T, first_use, "First use", "code was loaded, as in “Idle at first use”", JR_BOOL,            \
		JR_UNIT_NONE, 0)
JR_KEYS_READ(JR_GAP_LARGEST, JR_GAP_LARGEST_COLUMNS);

#define JR_GPU_LEDGER_COLUMNS(X, T)                                                                \
	X(T, device, "Device", "number of the " JR_GPU " in the job", JR_I64, JR_UNIT_NONE,            \
		JR_COL_KEY)                                                                                \
	X(T, operations, "Operations", "kernels, copies, memsets and whole graphs that ran on it",     \
		JR_I64, JR_UNIT_COUNT, 0)                                                                  \
	X(T, compute_ms, "Compute",                                                                    \
		"union of all kernels that do not communicate, and of whole graphs", JR_I64, JR_UNIT_NS,   \
		0)                                                                                         \
	X(T, exposed_communication_ms, "Exposed communication",                                        \
		"communication kernels" JR_ON_GPU(                                                         \
			" (" JR_NCCL ", NVSHMEM, …)") " while no other kernel runs",                           \
		JR_I64, JR_UNIT_NS, 0)                                                                     \
	X(T, exposed_copy_ms, "Exposed copies", "copies and memsets while no kernel runs", JR_I64,     \
		JR_UNIT_NS, 0)                                                                             \
	X(T, idle_ms, "Idle", "nothing runs", JR_I64, JR_UNIT_NS, 0)                                   \
	X(T, wall_ms, "Wall",                                                                          \
		"first start to last end of its operations; the sum of the other times to the "            \
		"nanosecond",                                                                              \
		JR_I64, JR_UNIT_NS, 0)                                                                     \
	X(T, busy_fraction, "Busy",                                                                    \
		"share of the wall in which anything runs; none of fewer than 5 operations", JR_F64,       \
		JR_UNIT_FRAC, JR_COL_BAR)
JR_KEYS_READ(JR_GPU_LEDGER, JR_GPU_LEDGER_COLUMNS);

#define JR_KERNELS_COLUMNS(X, T)                                                                   \
	X(T, short_name, "Kernel", "name without template and call arguments", JR_TEXT, JR_UNIT_NONE,  \
		JR_COL_CODE)                                                                               \
	X(T, applies, "Applies",                                                                       \
		"what one of PyTorch's generic kernels applies to the elements: the first of its "         \
		"template arguments that is more than a wrapper; of other kernels that share their "       \
		"short name: names among the template arguments that not all of them have",                \
		JR_TEXT, JR_UNIT_NONE, JR_COL_CODE | JR_COL_BESIDE)                                        \
	X(T, count, "Count", "launches, over all devices", JR_I64, JR_UNIT_COUNT, 0)                   \
	X(T, sum_ms, "Time", "sum of their durations", JR_I64, JR_UNIT_NS, 0)                          \
	X(T, percent, "Share", "of the time of all kernels", JR_F64, JR_UNIT_PERCENT, JR_COL_BAR)      \
	X(T, mean_ms, "Mean", "duration", JR_F64, JR_UNIT_NS, 0)                                       \
	X(T, std_ms, "±", "sample standard deviation of that over launches", JR_F64, JR_UNIT_NS,       \
		JR_COL_SPREAD)                                                                             \
	X(T, min_ms, "Shortest", "duration", JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY)                     \
	X(T, max_ms, "Longest", "duration", JR_I64, JR_UNIT_NS, 0)                                     \
	X(T, grid, "Grid", "blocks of a launch, of the shape that took most time", JR_TEXT,            \
		JR_UNIT_NONE, 0)                                                                           \
	X(T, block, "Block", "threads of a block, of that shape", JR_TEXT, JR_UNIT_NONE, 0)            \
	X(T, registers, "Registers", "of a thread, of that shape", JR_I64, JR_UNIT_NONE, 0)            \
	X(T, shared_memory_bytes, "Shared memory", "static and dynamic of a block, of that shape",     \
		JR_I64, JR_UNIT_BYTES, 0)                                                                  \
	X(T, shapes, "Shapes",                                                                         \
		"distinct grids, blocks, registers and shared memory it was launched with", JR_I64,        \
		JR_UNIT_COUNT, 0)                                                                          \
	X(T, full_name, "Full name", "with template and call arguments; empty where it is the same",   \
		JR_TEXT, JR_UNIT_NONE, JR_COL_CODE | JR_COL_RENDERED_ONLY)                                 \
	X(T, name, "Name", "with template and call arguments", JR_TEXT, JR_UNIT_NONE,                  \
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_KERNELS, JR_KERNELS_COLUMNS);

#define JR_GPU_STEP_COLUMNS(X, T)                                                                  \
	X(T, compute_ms, "Compute", "of " JR_GPU " time, per step and device", JR_F64, JR_UNIT_NS, 0)  \
	X(T, exposed_communication_ms, "Exposed communication",                                        \
		"of " JR_GPU " time, per step and "                                                        \
		"device",                                                                                  \
		JR_F64, JR_UNIT_NS, 0)                                                                     \
	X(T, exposed_copy_ms, "Exposed copies", "of " JR_GPU " time, per step and device", JR_F64,     \
		JR_UNIT_NS, 0)                                                                             \
	X(T, idle_ms, "Idle", "of " JR_GPU " time, per step and device", JR_F64, JR_UNIT_NS, 0)        \
	X(T, wall_ms, "Period",                                                                        \
		"time from the start of a step to the start of the next one, the sum of the others",       \
		JR_F64, JR_UNIT_NS, 0)
JR_KEYS_READ(JR_GPU_STEP, JR_GPU_STEP_COLUMNS);

#endif
