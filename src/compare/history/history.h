/*
 * history.h - a store of runs: a text file, one JSON object a line, that only ever grows.
 * Layer: compare.
 *
 * A line holds what verdicts and trends take, and nothing else, so that a store of a thousand runs
 * is a few MB. Keys below are those of report.json, so that a line is read as a run by the code
 * that reads a report; keys may be added, those that are there stay what they are
 * (JR_HISTORY_SCHEMA), or are read by their old name, too. Lines of before work was counted have no
 * executions and no roofline:
 *
 *	schema     "jaxreport.history/1"; the first key of the line, by which a store is known
 *	generator  {version}
 *	time, commit, label   as given to `history add`; null where not given
 *	name       of the inputs, for people; inputs: [{name, kind, sha256}], the first 16
 *	metrics    {name of metrics.def: value in ms, bytes, fraction or number, or null}
 *	devices    [{gpu_name}]
 *	step       {program_id, period_ns: [each steady step, from its start to the next one's]}
 *	step_ledger [its one row]
 *	modules    [{program_id, name, fingerprint, structure, steps, execution_median_ms,
 *	           execution_sum_ms, execution_idle_ms, executions, execution_ns: [time of each steady
 *	           execution on its slowest device]}]: the step's, and up to 3 more that take most of
 *	           the rest of the time
 *	thunks     [{program_id, name, opcode, op_name, shape, communication, execution_sum_ms,
 *	           execution_std_ms, ledger_ms, ledger_max_ms, ledger_max_device}]: the 64 of each
 *	           module that take most of it
 *	roofline   {thunks: [{program_id, name, count, flops, bytes_read, bytes_written, roof_ms}]}:
 *	           what those thunks have to do, where that is known
 *
 * So two lines get the verdict that `jaxreport compare` gives their archives: it rests on periods,
 * devices and modules, which are whole. Lines of before the step was the period have no period_ns,
 * and step_ns, step_sum_ms and so on where it is execution_ here; their metric step.median is that
 *of executions. Thunks decide only whether two programs whose HLO differs do the same work, and
 *those 64 stand for all there; and what did most to a change is looked for among them.
 */
#ifndef JR_COMPARE_HISTORY_H
#define JR_COMPARE_HISTORY_H

#include "base/buf.h"
#include "compare/judge/metrics.h"

#define JR_HISTORY_SCHEMA "jaxreport.history/1"
/* Of a store of any version. */
#define JR_HISTORY_BEGINNING "{\"schema\":\"jaxreport.history/"

/* What is said of a run from outside; each may be NULL. Clean text. */
struct jr_history_about {
	const char *time; /* ISO 8601 */
	const char *commit, *label;
};

/** Append the line of a run, with its newline. */
void jr_history_put(
	struct jr_buf *out, const struct jr_run *run, const struct jr_history_about *about);

/**
 * Append a line to the store at `path`, which is made where it is not there: one write at its end
 * under an exclusive lock (flock), so that lines of many writers stay whole. What an interrupted
 * writer left without a newline is ended first.
 *
 * @return JR_EUSAGE a file that is no store, JR_EUNSUPPORTED no regular file, JR_EIO; the store is
 *         as it was in each case
 */
enum jr_status jr_history_append(const char *path, struct jr_bytes line, struct jr_error *err)
	JR_MUST_CHECK;

/** Whether a line could be appended to what is at `path`: JR_OK where nothing is. As above. */
enum jr_status jr_history_check(const char *path, struct jr_error *err) JR_MUST_CHECK;

/**
 * Read the whole store at `path` under a shared lock.
 * @param out  zeroed; jr_buf_done() it
 * @return JR_EIO, JR_EUNSUPPORTED no regular file, JR_ELIMIT larger than limits->entry_bytes
 */
enum jr_status jr_history_load(const char *path, const struct jr_limits *limits, struct jr_buf *out,
	struct jr_error *err) JR_MUST_CHECK;

struct jr_history_entry {
	size_t line; /* of the store, from 1 */
	struct jr_history_about about;
	const double *metrics; /* [of jr_metrics] base units, NaN = unknown */
	struct jr_run run;
};

#define JR_HISTORY_PROBLEMS 5 /* told one by one; the others are counted */

struct jr_history {
	size_t n;
	struct jr_history_entry *items;        /* in the order of the store */
	const struct jr_history_entry *before; /* the run before the first; NULL: there is none */
	size_t n_lines;                        /* of the store */
	size_t n_bad; /* lines that are no runs and were left out, as far as looked */
	const char *problems[JR_HISTORY_PROBLEMS]; /* the last ones: "line 7: ..." */
};

/**
 * Read the last `most` runs of a store, of one label where `label` is not NULL, and the one before
 * them, which the first is held against. Lines that cannot
 * be read (a torn last line, another schema) are left out and told in `out`.
 *
 * @param out  lives in `arena`
 * @return JR_EFORMAT no line that was looked at is a run; JR_ENOTFOUND none of that label
 * @note   looks at lines from the last one back, until it has enough; O(bytes) of those
 */
enum jr_status jr_history_read(struct jr_bytes text, size_t most, const char *label,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_history *out,
	struct jr_error *err) JR_MUST_CHECK;

#endif
