/*
 * history.h - a store of runs: a text file with one JSON object per line, which only grows.
 * Layer: compare.
 *
 * A line contains only the values that verdicts and trends need, so a store of a thousand runs is a
 * few MB. The keys below are those of report.json, so the code that reads a report also reads a
 * line. Keys may be added. Existing keys keep their meaning (JR_HISTORY_SCHEMA), or their old name
 * is read as well. Lines written before work was counted have no executions and no roofline:
 *
 *	schema     "jaxreport.history/1"; the first key of the line, which identifies a store
 *	generator  {version}
 *	time, commit, label   as given to `history add`; null if not given
 *	name       of the inputs, for people; inputs: [{name, kind, sha256}], the first 16
 *	selection  {text}: what was selected; only if the run is a part of a profile
 *	metrics    {name of metrics.def: value in ms, bytes, fraction or number, or null}; those of one
 *	           program as "latency.p99(jit_decode)", for the 16 programs with most time
 *	latency    [{name, whole, count, p50_ms, p50_low_ms, ...}]: the rows of these programs
 *	devices    [{gpu_name}]
 *	step       {program_id, period_ns: [each steady step, from its start to the next one's]}
 *	step_ledger [its one row]
 *	stragglers [{device, lag_ms, late, hostname}]: at most 64 devices that are late
 *	findings   [{id, step_recoverable_ms, recoverable_ms, since_ms, title}]: those about some steps
 *	modules    [{program_id, name, fingerprint, structure, steps, execution_median_ms,
 *	           execution_sum_ms, execution_idle_ms, executions, execution_ns: [time of each steady
 *	           execution on its slowest device]}]: the step's, and up to 3 more that take most of
 *	           the rest of the time
 *	thunks     [{program_id, name, opcode, op_name, shape, communication, execution_sum_ms,
 *	           execution_std_ms, ledger_ms, ledger_max_ms, ledger_max_device}]: the 64 of each
 *	           module that take most of its time
 *	roofline   {thunks: [{program_id, name, count, flops, bytes_read, bytes_written, roof_ms}]}:
 *	           the work of those thunks, if it is known
 *
 * Two lines get the verdict that `jaxreport compare` gives for their archives, because it depends
 * on periods, devices and modules, which are complete. Lines written before the step was the period
 * have no period_ns, and have step_ns, step_sum_ms and so on instead of execution_...; their metric
 * step.median is that of executions. Thunks are used for two things only: to decide whether two
 * programs whose HLO differs do the same work, and to find the largest cause of a change. For both,
 * the 64 thunks represent all of them.
 */
#ifndef JR_COMPARE_HISTORY_H
#define JR_COMPARE_HISTORY_H

#include "base/buf.h"
#include "compare/judge/metrics.h"

#define JR_HISTORY_SCHEMA "jaxreport.history/1"
/* Beginning of a store of any version. */
#define JR_HISTORY_BEGINNING "{\"schema\":\"jaxreport.history/"

/* Facts about a run that the caller gives; each may be NULL. Clean text. */
struct jr_history_about {
	const char *time; /* ISO 8601 */
	const char *commit, *label;
};

/** Append the line of a run, with its newline. */
void jr_history_put(
	struct jr_buf *out, const struct jr_run *run, const struct jr_history_about *about);

/**
 * Append a line to the store at `path`, which is created if it does not exist. The line is one
 * write at the end under an exclusive lock (flock), so that lines of concurrent writers stay whole.
 * An incomplete line of an interrupted writer is ended with a newline first.
 *
 * @return JR_EUSAGE the file is not a store, JR_EUNSUPPORTED not a regular file, JR_EIO; the store
 *         is unchanged in each case
 */
enum jr_status jr_history_append(const char *path, struct jr_bytes line, struct jr_error *err)
	JR_MUST_CHECK;

/** Check whether a line can be appended to the file at `path`; JR_OK if it does not exist. Errors
 * as above. */
enum jr_status jr_history_check(const char *path, struct jr_error *err) JR_MUST_CHECK;

/**
 * Read the whole store at `path` under a shared lock.
 * @param out  zeroed; jr_buf_done() it
 * @return JR_EIO, JR_EUNSUPPORTED not a regular file, JR_ELIMIT larger than limits->entry_bytes
 */
enum jr_status jr_history_load(const char *path, const struct jr_limits *limits, struct jr_buf *out,
	struct jr_error *err) JR_MUST_CHECK;

struct jr_history_entry {
	size_t line; /* in the store, from 1 */
	struct jr_history_about about;
	const double *metrics; /* [of jr_metrics] base units, NaN = unknown */
	struct jr_run run;
};

#define JR_HISTORY_PROBLEMS 5 /* listed one by one; the others are counted */

/** Return the value of a metric, also of one program, in base units; NaN = unknown. */
static inline double jr_history_value(
	const struct jr_history_entry *entry, const struct jr_metric *metric)
{
	return metric->program ? jr_metric_value(metric, &entry->run)
						   : entry->metrics[metric - jr_metrics];
}

struct jr_history {
	size_t n;
	struct jr_history_entry *items;            /* in the order of the store */
	const struct jr_history_entry *before;     /* the run before the first; NULL: none */
	size_t n_lines;                            /* in the store */
	size_t n_bad;                              /* lines read that are not runs and were left out */
	const char *problems[JR_HISTORY_PROBLEMS]; /* the last problems: "line 7: ..." */
};

/**
 * Read the last `most` runs of a store, and the run before them, which the first is compared with.
 * If `label` is not NULL, only runs with that label count. Lines that cannot be read (a torn last
 * line, another schema) are left out and reported in `out`.
 *
 * @param out  lives in `arena`
 * @return JR_EFORMAT no line that was read is a run; JR_ENOTFOUND no run with that label
 * @note   reads lines from the last one back until it has enough; O(bytes of these lines)
 */
enum jr_status jr_history_read(struct jr_bytes text, size_t most, const char *label,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_history *out,
	struct jr_error *err) JR_MUST_CHECK;

#endif
