/*
 * memory_tables.h - tables of memory that other files read, as lists of keys.h.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_MEMORY_TABLES_H
#define JR_ANALYSIS_MEMORY_TABLES_H

#include "analysis/core/keys.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_memory,
	JR_AT_program_memory,
	JR_AT_live_memory_devices,
	JR_AT_live_memory_lines,
	JR_AT_live_memory_kinds,
};

#define JR_LIVE_COLUMNS(X, T)                                                                      \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, trace, "Trace",                                                                           \
		"heap simulator trace, from 0, whose heap contains the buffer; null for buffers "          \
		"that are live all the time",                                                              \
		I64, NONE, JR_COL_KEY | JR_COL_DATA_ONLY)                                                  \
	X(T, buffer, "Buffer",                                                                         \
		"XLA's number of the logical buffer; one instruction may define several; null for "        \
		"memory that several buffers share",                                                       \
		I64, NONE, JR_COL_KEY | JR_COL_DATA_ONLY)                                                  \
	X(T, instruction, "Instruction", "instruction that defines the buffer", TEXT, NONE,            \
		JR_COL_CODE)                                                                               \
	X(T, shown_class, "Class", CLASS_HELP, TEXT, NONE, JR_COL_RENDERED_ONLY)                       \
	X(T, bytes, "Size", "size of the buffer", I64, BYTES, JR_COL_BAR)                              \
	X(T, shape, "Shape", "element type, dimensions and layout", TEXT, NONE, JR_COL_CODE)           \
	X(T, op_name, "op_name", "path of the JAX operation; for a parameter, its name", TEXT, NONE,   \
		JR_COL_CODE)                                                                               \
	X(T, source, "Source", "innermost Python frame, file and line", TEXT, NONE,                    \
		JR_COL_CODE | JR_COL_SOURCE)                                                               \
	X(T, class, "Class", CLASS_HELP, TEXT, NONE, JR_COL_DATA_ONLY)                                 \
	X(T, allocation, "Allocation",                                                                 \
		"number of the allocation that contains it, in the order of the dump, from 0", I64, NONE,  \
		JR_COL_KEY | JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_LIVE, JR_LIVE_COLUMNS);

#define JR_MEMORY_COLUMNS(X, T)                                                                    \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, name, "Module", "module name", TEXT, NONE, JR_COL_CODE | JR_COL_VITAL)                    \
	X(T, trace, "Trace", "heap simulator trace of the program, from 0", I64, NONE, JR_COL_KEY)     \
	X(T, peak_bytes, "Peak", "largest sum of live buffers", I64, BYTES, JR_COL_BAR)                \
	X(T, points, "Points", "points of the curve: one, plus one per event that changes it", I64,    \
		COUNT)                                                                                     \
	X(T, host, "Host", "the heap is in the host's memory", BOOL, NONE, JR_COL_DATA_ONLY)           \
	X(T, live_at_peak, "Live at peak", "buffers of the heap that are live at the peak", ROWS,      \
		NONE, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_MEMORY, JR_MEMORY_COLUMNS);

#define JR_PROGRAM_MEMORY_COLUMNS(X, T)                                                            \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, name, "Module", "module name", TEXT, NONE, JR_COL_CODE | JR_COL_VITAL)                    \
	X(T, ran, "Ran", "an execution of it was profiled", BOOL, NONE, JR_COL_DATA_ONLY)              \
	X(T, allocated_bytes, "Allocated",                                                             \
		"device memory that XLA allocates for the program: parameters, outputs, constants "        \
		"and temporaries",                                                                         \
		I64, BYTES, JR_COL_BAR)                                                                    \
	X(T, parameter_bytes, "Parameters",                                                            \
		"part of it: arguments of the program, donated ones too; outputs use the memory of "       \
		"donated arguments again",                                                                 \
		I64, BYTES)                                                                                \
	X(T, output_bytes, "Outputs",                                                                  \
		"part of it: results that do not reuse the memory of a donated argument", I64, BYTES)      \
	X(T, constant_bytes, "Constants", "part of it: constants of the program", I64, BYTES)          \
	X(T, temporary_bytes, "Temporaries",                                                           \
		"part of it: everything else, mostly the heap of intermediate results", I64, BYTES)        \
	X(T, heap_peak_bytes, "Heap peak",                                                             \
		"largest sum of live buffers in a heap of the program; temporaries beyond it are "         \
		"unused at that time",                                                                     \
		I64, BYTES)                                                                                \
	X(T, donated_bytes, "Donated",                                                                 \
		"part of the parameters: donated, so outputs reuse their memory", I64, BYTES,              \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, host_bytes, "Host", "allocated in host memory; not part of the other columns", I64,       \
		BYTES, JR_COL_DATA_ONLY)                                                                   \
	X(T, live_at_peak, "Live at peak",                                                             \
		"live buffers, including parameters, outputs and constants", ROWS, NONE, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_PROGRAM_MEMORY, JR_PROGRAM_MEMORY_COLUMNS);

/* --- of a device memory profile; null bytes: the size of no object is known ------------------- */

#define JR_LIVE_SUM_COLUMNS(X, T, titled, what)                                                    \
	X(T, bytes, "Live", "bytes of the " what " whose size is known", I64, BYTES, JR_COL_BAR)       \
	X(T, objects, titled, "number of " what, I64, COUNT)                                           \
	X(T, unknown, "Unknown size", what " whose size is not known; they are in no sum", I64, COUNT)

#define JR_LIVE_DEVICES_COLUMNS(X, T)                                                              \
	X(T, device, "Device", "device as JAX names it, with its profile if there are several", TEXT,  \
		NONE, JR_COL_KEY | JR_COL_CODE)                                                            \
	JR_LIVE_SUM_COLUMNS(X, T, "Buffers", "buffers")
JR_KEYS_READ(JR_LIVE_DEVICES, JR_LIVE_DEVICES_COLUMNS);

#define JR_LIVE_LINES_COLUMNS(X, T)                                                                \
	X(T, source, "Source line",                                                                    \
		"innermost Python frame in user code of the stack that made the buffers, else the "        \
		"innermost frame",                                                                         \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE | JR_COL_SOURCE)                                      \
	X(T, function, "Function", "function of that frame", TEXT, NONE, JR_COL_CODE)                  \
	JR_LIVE_SUM_COLUMNS(X, T, "Buffers", "buffers")                                                \
	X(T, percent, "Share", "share of all live bytes of buffers", F64, PERCENT)                     \
	X(T, devices, "Devices", "number of devices that have such buffers", I64, COUNT)
JR_KEYS_READ(JR_LIVE_LINES, JR_LIVE_LINES_COLUMNS);

#define JR_LIVE_KINDS_COLUMNS(X, T)                                                                \
	X(T, kind, "Kind", "kind of object as JAX names it: buffer or executable", TEXT, NONE,         \
		JR_COL_KEY)                                                                                \
	JR_LIVE_SUM_COLUMNS(X, T, "Objects", "objects")
JR_KEYS_READ(JR_LIVE_KINDS, JR_LIVE_KINDS_COLUMNS);

#endif
