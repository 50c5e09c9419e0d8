/*
 * document_tables.h - tables of a report's description that other files read, as lists for keys.h.
 * Layer: report.
 */
#ifndef JR_REPORT_DOCUMENT_TABLES_H
#define JR_REPORT_DOCUMENT_TABLES_H

#include "analysis/core/keys.h"
#include "analysis/core/terms.h"

/* Their paths in report.json, for JR_AT(). */
enum {
	JR_AT_inputs,
	JR_AT_devices,
	JR_AT_findings,
	JR_AT_guesses,
	JR_AT_unavailable,
	JR_AT_warnings,
};

#define JR_INPUTS_COLUMNS(X, T)                                                                    \
	X(T, name, "File", "the input as named, without its folder", JR_TEXT, JR_UNIT_NONE,            \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, kind, "Kind", "what sort of input it is", JR_TEXT, JR_UNIT_NONE, 0)                       \
	X(T, sha256, "SHA-256", "checksum of the whole file; none for a folder", JR_TEXT,              \
		JR_UNIT_NONE, JR_COL_CODE)                                                                 \
	X(T, bytes, "Size", "of the file", JR_I64, JR_UNIT_BYTES, 0)                                   \
	X##_IN(T, layout, trace, "Trace layout",                                                       \
		"generation of the trace table of an archive: A, B or C; S: the tables of an export; "     \
		"X: a trace of jax.profiler",                                                              \
		JR_TEXT, JR_UNIT_NONE, 0) X##_IN(T, layout, xla, "Range names",                            \
		"generation of the names that XLA gave to ranges: 1 or 2", JR_I64, JR_UNIT_NONE, 0)        \
		X(T, profiles, "Profiles", "names of the profiles in it", JR_ROWS, JR_UNIT_NONE, 0)
JR_KEYS_READ(JR_INPUTS, JR_INPUTS_COLUMNS);

#define JR_DEVICES_COLUMNS(X, T)                                                                   \
	X(T, device, "Device", "number of the " JR_GPU " in the job", JR_I64, JR_UNIT_NONE,            \
		JR_COL_KEY)                                                                                \
	X(T, local, "Local", "number of the " JR_GPU " within its process", JR_I64, JR_UNIT_NONE, 0)   \
	X(T, process, "Process", "number of the process that drives it", JR_I64, JR_UNIT_NONE, 0)      \
	X(T, slice, "Slice", "number of the slice that it belongs to", JR_I64, JR_UNIT_NONE, 0)        \
	X(T, profile, "Profile", "profile that it was seen in", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)    \
	X(T, hostname, "Host", "machine that it is in", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)            \
	X(T, gpu_name, JR_GPU, "model, as the driver names it", JR_TEXT, JR_UNIT_NONE, 0)              \
	X(T, memory_bandwidth_bytes_s, "Memory bandwidth",                                             \
		"in bytes a second, as the profiler states it", JR_I64, JR_UNIT_NONE, JR_COL_DATA_ONLY)    \
	X(T, memory_bandwidth, "Memory bandwidth", "of its device memory, as the profiler states it",  \
		JR_I64, JR_UNIT_BYTES_S, JR_COL_RENDERED_ONLY)                                             \
	X(T, sm_count, JR_SM "s", "number of its " JR_MULTIPROCESSOR "s", JR_I64, JR_UNIT_COUNT, 0)    \
	X(T, clock_hz, "Clock", "its highest clock rate", JR_I64, JR_UNIT_HZ, 0)                       \
	X(T, memory_bytes, "Memory", "size of its device memory", JR_I64, JR_UNIT_BYTES, 0)            \
	X(T, compute_capability, "Capability",                                                         \
		"compute capability: generation of its multiprocessors", JR_TEXT, JR_UNIT_NONE, 0)         \
	X(T, described_by, "Told by",                                                                  \
		"profiler, or compiler: what XLA was told to compile for (gpu_target_config), which "      \
		"is taken for all devices of the process",                                                 \
		JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_DEVICES, JR_DEVICES_COLUMNS);

#define JR_FINDINGS_COLUMNS(X, T)                                                                  \
	X(T, id, NULL, "stable name of the rule that found it", JR_TEXT, JR_UNIT_NONE, 0)              \
	X(T, severity, NULL, "info, notice or warning", JR_TEXT, JR_UNIT_NONE, 0)                      \
	X(T, recoverable_ms, NULL,                                                                     \
		"device time it could win, at most unless predicted, over the steady wall of all "         \
		"devices",                                                                                 \
		JR_I64, JR_UNIT_NS, 0)                                                                     \
	X(T, step_recoverable_ms, NULL, "the same of one step on one device", JR_I64, JR_UNIT_NS, 0)   \
	X(T, step_without_ms, NULL, "what one step would then take", JR_I64, JR_UNIT_NS, 0)            \
	X(T, title, NULL, "what was found", JR_TEXT, JR_UNIT_NONE, 0)                                  \
	X(T, detail, NULL, "what it means and what to do", JR_TEXT, JR_UNIT_NONE, 0)                   \
	X(T, evidence, NULL, "the figures it rests on", JR_TEXT, JR_UNIT_NONE, 0)                      \
	X(T, section, NULL, "name of the section with the details", JR_TEXT, JR_UNIT_NONE, 0)          \
	X(T, cause, NULL,                                                                              \
		"what the time goes to: host, launch, compute, transfer, waiting, memory, "                \
		"compilation, drift or measurement",                                                       \
		JR_TEXT, JR_UNIT_NONE, 0)                                                                  \
	X(T, part_of, NULL, "id of the finding that has the same cause and tells of this one",         \
		JR_TEXT, JR_UNIT_NONE, 0)                                                                  \
	X(T, predicted, NULL,                                                                          \
		"what could be won is what the replay of the steps says; else it is a bound", JR_BOOL,     \
		JR_UNIT_NONE, 0)                                                                           \
	X(T, step_least_ms, NULL,                                                                      \
		"the least of step_recoverable_ms: below it where the replay gives an interval; null "     \
		"where it predicts nothing",                                                               \
		JR_I64, JR_UNIT_NS, 0)                                                                     \
	X(T, unpredicted, NULL, "why the replay gives an interval, or nothing", JR_TEXT, JR_UNIT_NONE, \
		0)                                                                                         \
	X(T, error_ms, NULL, "what the prediction is off by; 0 of a bound", JR_I64, JR_UNIT_NS, 0)     \
	X(T, times, NULL,                                                                              \
		"how often it came, where it is not in each step: recoverable_ms is then its whole "       \
		"cost; null where each step has it",                                                       \
		JR_I64, JR_UNIT_COUNT, 0)                                                                  \
	X(T, subject, NULL, "what the title begins with; the headline names the first finding by it",  \
		JR_TEXT, JR_UNIT_NONE, 0)
JR_KEYS_READ(JR_FINDINGS, JR_FINDINGS_COLUMNS);

#define JR_GUESSES_COLUMNS(X, T)                                                                   \
	X(T, id, NULL, "stable name", JR_TEXT, JR_UNIT_NONE, 0)                                        \
	X(T, count, NULL, "how often", JR_I64, JR_UNIT_COUNT, 0)                                       \
	X(T, detail, NULL, "what was assumed", JR_TEXT, JR_UNIT_NONE, 0)
JR_KEYS_READ(JR_GUESSES, JR_GUESSES_COLUMNS);

#define JR_UNAVAILABLE_COLUMNS(X, T)                                                               \
	X(T, section, NULL, "section, or part of the input", JR_TEXT, JR_UNIT_NONE, 0)                 \
	X(T, reason, NULL, "why", JR_TEXT, JR_UNIT_NONE, 0)
JR_KEYS_READ(JR_UNAVAILABLE, JR_UNAVAILABLE_COLUMNS);

#endif
