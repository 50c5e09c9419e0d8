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
};

#define JR_LIVE_COLUMNS(X, T)                                                                      \
	X(T, program_id, "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                   \
	X(T, trace, "Trace",                                                                           \
		"heap simulator trace of the program, from 0, whose heap holds the buffer; null for "      \
		"what is there all the time",                                                              \
		JR_I64, JR_UNIT_NONE, JR_COL_KEY | JR_COL_DATA_ONLY)                                       \
	X(T, buffer, "Buffer",                                                                         \
		"XLA's number of the logical buffer; one instruction may define several; null for "        \
		"memory that several buffers share",                                                       \
		JR_I64, JR_UNIT_NONE, JR_COL_KEY | JR_COL_DATA_ONLY)                                       \
	X(T, instruction, "Instruction", "that defines the buffer", JR_TEXT, JR_UNIT_NONE,             \
		JR_COL_CODE)                                                                               \
	X(T, shown_class, "Class", CLASS_HELP, JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY)            \
	X(T, bytes, "Size", "of the buffer", JR_I64, JR_UNIT_BYTES, JR_COL_BAR)                        \
	X(T, shape, "Shape", "element type, dimensions and layout", JR_TEXT, JR_UNIT_NONE,             \
		JR_COL_CODE)                                                                               \
	X(T, op_name, "op_name", "path of the JAX operation; of a parameter its name", JR_TEXT,        \
		JR_UNIT_NONE, JR_COL_CODE)                                                                 \
	X(T, source, "Source", "innermost Python frame, file and line", JR_TEXT, JR_UNIT_NONE,         \
		JR_COL_CODE | JR_COL_SOURCE)                                                               \
	X(T, class, "Class", CLASS_HELP, JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY)                      \
	X(T, allocation, "Allocation",                                                                 \
		"number of the allocation that it lies in, in the dump's order, from 0", JR_I64,           \
		JR_UNIT_NONE, JR_COL_KEY | JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_LIVE, JR_LIVE_COLUMNS);

#define JR_MEMORY_COLUMNS(X, T)                                                                    \
	X(T, program_id, "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                   \
	X(T, name, "Module", "module name", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)                        \
	X(T, trace, "Trace", "heap simulator trace of the program, from 0", JR_I64, JR_UNIT_NONE,      \
		JR_COL_KEY)                                                                                \
	X(T, peak_bytes, "Peak", "largest sum of live buffers", JR_I64, JR_UNIT_BYTES, JR_COL_BAR)     \
	X(T, points, "Points", "of the curve: 1 and one more for each event that changes it", JR_I64,  \
		JR_UNIT_COUNT, 0)                                                                          \
	X(T, host, "Host", "the heap is in the host's memory", JR_BOOL, JR_UNIT_NONE,                  \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, live_at_peak, "Alive at peak", "buffers of the heap", JR_ROWS, JR_UNIT_NONE,              \
		JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_MEMORY, JR_MEMORY_COLUMNS);

#define JR_PROGRAM_MEMORY_COLUMNS(X, T)                                                            \
	X(T, program_id, "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY)                   \
	X(T, name, "Module", "module name", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)                        \
	X(T, ran, "Ran", "an execution of it was profiled", JR_BOOL, JR_UNIT_NONE, JR_COL_DATA_ONLY)   \
	X(T, allocated_bytes, "Allocated",                                                             \
		"memory of a device that XLA allocates for the program: its parameters, outputs, "         \
		"constants and temporaries",                                                               \
		JR_I64, JR_UNIT_BYTES, JR_COL_BAR)                                                         \
	X(T, parameter_bytes, "Parameters",                                                            \
		"of it: the program's arguments, those included whose memory outputs take over "           \
		"(donated)",                                                                               \
		JR_I64, JR_UNIT_BYTES, 0)                                                                  \
	X(T, output_bytes, "Outputs", "of it: results that take no donated argument's memory", JR_I64, \
		JR_UNIT_BYTES, 0)                                                                          \
	X(T, constant_bytes, "Constants", "of it: constants of the program", JR_I64, JR_UNIT_BYTES, 0) \
	X(T, temporary_bytes, "Temporaries",                                                           \
		"of it: the rest, mostly the block that the heap of intermediate results is laid out "     \
		"in",                                                                                      \
		JR_I64, JR_UNIT_BYTES, 0)                                                                  \
	X(T, heap_peak_bytes, "Peak of the heap",                                                      \
		"largest sum of live buffers in a heap of the program; temporaries beyond it are room "    \
		"that nothing uses then",                                                                  \
		JR_I64, JR_UNIT_BYTES, 0)                                                                  \
	X(T, donated_bytes, "Donated", "of the parameters: outputs take over their memory", JR_I64,    \
		JR_UNIT_BYTES, JR_COL_DATA_ONLY)                                                           \
	X(T, host_bytes, "Host", "allocated in the host's memory, in none of the others", JR_I64,      \
		JR_UNIT_BYTES, JR_COL_DATA_ONLY)                                                           \
	X(T, live_at_peak, "Alive at peak", "buffers, those that stay among them", JR_ROWS,            \
		JR_UNIT_NONE, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_PROGRAM_MEMORY, JR_PROGRAM_MEMORY_COLUMNS);

#endif
