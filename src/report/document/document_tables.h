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
	X(T, name, "File", "name of the input without its folder", TEXT, NONE,                         \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, kind, "Kind", "type of the input", TEXT, NONE)                                            \
	X(T, sha256, "SHA-256", "checksum of the whole file; empty for a folder", TEXT, NONE,          \
		JR_COL_CODE)                                                                               \
	X(T, bytes, "Size", "size of the file", I64, BYTES)                                            \
	X##_IN(T, layout, trace, "Trace layout",                                                       \
		"generation of an archive's trace table: A, B or C; S: tables of an export; "              \
		"X: trace of jax.profiler",                                                                \
		TEXT, NONE) X##_IN(T, layout, xla, "Range names",                                          \
		"generation of the range names that XLA wrote: 1 or 2", I64, NONE)                         \
		X(T, profiles, "Profiles", "names of its profiles", ROWS, NONE)
JR_KEYS_READ(JR_INPUTS, JR_INPUTS_COLUMNS);

#define JR_DEVICES_COLUMNS(X, T)                                                                   \
	X(T, device, "Device", "number of the " JR_GPU " in the job", I64, NONE, JR_COL_KEY)           \
	X(T, local, "Local", "number of the " JR_GPU " within its process", I64, NONE)                 \
	X(T, process, "Process", "number of the process that uses it", I64, NONE)                      \
	X(T, slice, "Slice", "number of the slice that contains it", I64, NONE)                        \
	X(T, profile, "Profile", "profile that contains it", TEXT, NONE, JR_COL_CODE)                  \
	X(T, hostname, "Host", "host that contains it", TEXT, NONE, JR_COL_CODE)                       \
	X(T, gpu_name, JR_GPU, "model name reported by the driver", TEXT, NONE)                        \
	X(T, memory_bandwidth_bytes_s, "Memory bandwidth",                                             \
		"device memory bandwidth in bytes per second, as reported by the profiler", I64, NONE,     \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, memory_bandwidth, "Memory bandwidth",                                                     \
		"device memory bandwidth, as reported by the profiler", I64, BYTES_S,                      \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, sm_count, JR_SM "s", "number of its " JR_MULTIPROCESSOR "s", I64, COUNT)                  \
	X(T, clock_hz, "Clock", "maximum clock rate", I64, HZ)                                         \
	X(T, memory_bytes, "Memory", "size of the device memory", I64, BYTES)                          \
	X(T, compute_capability, "Capability",                                                         \
		"compute capability: generation of its multiprocessors", TEXT, NONE)                       \
	X(T, described_by, "Source",                                                                   \
		"source of these values: profiler, compiler (the target that XLA compiled for, "           \
		"gpu_target_config, assumed for all devices of the process), or option (--device)",        \
		TEXT, NONE, JR_COL_DATA_ONLY)
JR_KEYS_READ(JR_DEVICES, JR_DEVICES_COLUMNS);

#define JR_FINDINGS_COLUMNS(X, T)                                                                  \
	X(T, id, NULL, "stable name of the rule", TEXT, NONE)                                          \
	X(T, severity, NULL, "info, notice or warning", TEXT, NONE)                                    \
	X(T, recoverable_ms, NULL,                                                                     \
		"potential saving of device time over the steady wall of all devices; an "                 \
		"upper bound unless predicted",                                                            \
		I64, NS)                                                                                   \
	X(T, step_recoverable_ms, NULL, "potential saving per step on one device", I64, NS)            \
	X(T, step_without_ms, NULL, "step time after that saving", I64, NS)                            \
	X(T, since_ms, NULL,                                                                           \
		"potential saving in each step since the one in the title; null if it is about all steps", \
		I64, NS)                                                                                   \
	X(T, title, NULL, "title of the finding", TEXT, NONE)                                          \
	X(T, why, NULL, "why the time is lost, or what the finding means", TEXT, NONE)                 \
	X(T, action, NULL, "what to do", TEXT, NONE)                                                   \
	X(T, evidence, NULL, "numbers that support the finding", TEXT, NONE)                           \
	X(T, also, NULL, "what findings with the same cause measured; null if there are none", TEXT,   \
		NONE)                                                                                      \
	X(T, section, NULL, "section with the details", TEXT, NONE)                                    \
	X(T, cause, NULL,                                                                              \
		"where the time goes: host, launch, compute, transfer, waiting, memory, "                  \
		"compilation, drift or measurement",                                                       \
		TEXT, NONE)                                                                                \
	X(T, part_of, NULL, "id of the finding that has the same cause and covers this one", TEXT,     \
		NONE)                                                                                      \
	X(T, predicted, NULL,                                                                          \
		"whether a replay of the steps predicts the saving; otherwise the saving is "              \
		"an upper bound",                                                                          \
		BOOL, NONE)                                                                                \
	X(T, step_least_ms, NULL,                                                                      \
		"lower end of step_recoverable_ms: smaller than it if the replay gives an "                \
		"interval; null if there is no prediction",                                                \
		I64, NS)                                                                                   \
	X(T, unpredicted, NULL, "why the replay gives an interval or no prediction", TEXT, NONE)       \
	X(T, error_ms, NULL, "error of the prediction; 0 for a bound", I64, NS)                        \
	X(T, times, NULL,                                                                              \
		"number of occurrences if it is not in every step (recoverable_ms is then "                \
		"its total cost); null if every step has it",                                              \
		I64, COUNT)                                                                                \
	X(T, subject, NULL,                                                                            \
		"subject of the title; the headline uses the subject of the first finding", TEXT, NONE)    \
	X(T, about, NULL,                                                                              \
		"thunk or devices that the finding is about; null if it is about several, or about none",  \
		TEXT, NONE)
JR_KEYS_READ(JR_FINDINGS, JR_FINDINGS_COLUMNS);

#define JR_GUESSES_COLUMNS(X, T)                                                                   \
	X(T, id, NULL, "stable name", TEXT, NONE)                                                      \
	X(T, count, NULL, "number of occurrences", I64, COUNT)                                         \
	X(T, detail, NULL, "what was assumed", TEXT, NONE)
JR_KEYS_READ(JR_GUESSES, JR_GUESSES_COLUMNS);

#define JR_UNAVAILABLE_COLUMNS(X, T)                                                               \
	X(T, section, NULL, "section or part of the input", TEXT, NONE)                                \
	X(T, reason, NULL, "why", TEXT, NONE)
JR_KEYS_READ(JR_UNAVAILABLE, JR_UNAVAILABLE_COLUMNS);

#endif
