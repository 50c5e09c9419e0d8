/*
 * trend_impl.h - declarations that the parts of trend.c share.
 * Layer: compare, private to trend*.c.
 */
#ifndef JR_COMPARE_TREND_IMPL_H
#define JR_COMPARE_TREND_IMPL_H

#include "analysis/core/keys.h"
#include "compare/judge/drift.h"
#include "compare/history/trend.h"

/* A run and its comparison with the run before it. */
struct jr_trend_point {
	const struct jr_history_entry *entry;
	const char *title, *verdict, *sentence;
	const char *place;           /* "main (run 5)"; "run 5" if it has no commit and no label */
	struct jr_answer answer;     /* the same in two parts */
	struct jr_buf text, lede;    /* texts of the answer, until all are judged */
	struct jr_bootstrap median;  /* of the step times */
	bool by_execution;           /* ... which are executions: the run has no periods */
	struct jr_bootstrap change;  /* relative; NaN if the two cannot be compared */
	bool changed;                /* a regression or an improvement */
	bool latency;                /* no steps, but a changed latency */
	int64_t work_ns, speed_ns;   /* largest cause: more work, and the rest; JR_NULL_I64: unknown */
	bool like_before;            /* same step and GPUs as the run before */
	bool like_second;            /* if not: same as the run before that one */
	bool drifts;                 /* part of a drift */
	double since_best;           /* relative to the best stretch before it; NaN: none */
	const struct jr_drift *ends; /* the drift that ends with this run; NULL: none */
};

struct jr_trend {
	const struct jr_history *history;
	const struct jr_trend_request *request;
	struct jr_arena *arena;
	struct jr_results *results;
	struct jr_trend_point *points; /* [history->n] */
	struct jr_draws *draws;        /* kept because most runs have the same number of steps */
	struct jr_drifts drifts;
	const size_t *subjects;         /* [history->n] runs with the same number can be compared */
	const struct jr_metric **shown; /* without metrics that are 0 or unknown throughout */
	size_t n_shown;
};

/** Put the verdict of the last run, or the change since an earlier run, and its numbers. */
void jr_trend_put_last(struct jr_trend *t, struct jr_section *out);

/** Put the chart of all metrics shown, the judged one first and higher than the others; nothing if
 * no metric is shown.
 * @param first  column of the first metric in `runs` */
void jr_trend_put_chart(
	const struct jr_trend *t, const struct jr_table *runs, size_t first, struct jr_section *out);

/** Find drifts among the judged points and mark the points. A drift that lasts is a finding. */
void jr_trend_find_drifts(struct jr_trend *t);
/** Put one paragraph per drift, newest first, and their table. */
void jr_trend_put_drifts(struct jr_trend *t, struct jr_section *out);
/** Return the drift's label: "+7.25 %". */
const char *jr_trend_drift_text(const struct jr_trend *t, const struct jr_drift *drift);
/** Return "slower by 7.25 %, gradually from v1 (run 2) to v9 (run 10)". */
const char *jr_trend_drift_slower(const struct jr_trend *t, const struct jr_drift *drift);
/** Return the drift that still lasts at the last run; NULL: none. */
const struct jr_drift *jr_trend_last_drift(const struct jr_trend *t);

/* Fixed columns of the table of runs. */
#define JR_TREND_COLUMNS(X, T)                                                                     \
	X(T, run, "Run", "line in the history file", I64, COUNT, JR_COL_KEY)                           \
	X(T, title, "What", "commit and label", TEXT, NONE, JR_COL_CODE)                               \
	X(T, time, "Time", "time of the run, as given", TEXT, NONE)                                    \
	X(T, verdict, "Verdict",                                                                       \
		"verdict on the step time against the run before: same, regression, "                      \
		"improvement or cannot tell; first if there is no run before",                             \
		TEXT, NONE)                                                                                \
	X(T, change_percent, "Change", "change of the median step since the run before", F64, PERCENT, \
		JR_COL_CHANGE)                                                                             \
	X(T, low_percent, "From", "lower end of the bootstrap 95 % interval of the change", F64,       \
		PERCENT, JR_COL_CHANGE | JR_COL_LOW)                                                       \
	X(T, high_percent, "To", "upper end of the bootstrap 95 % interval of the change", F64,        \
		PERCENT, JR_COL_CHANGE | JR_COL_HIGH)                                                      \
	X(T, steps, "Steps", "number of steady steps in the sample", I64, COUNT)                       \
	X(T, selection, "Part", "part of the profile that the run is about; empty: all of it", TEXT,   \
		NONE, JR_COL_KEPT)                                                                         \
	X(T, commit, NULL, "commit of the run, as given", TEXT, NONE, JR_COL_DATA_ONLY)                \
	X(T, label, NULL, "label of the run, as given", TEXT, NONE, JR_COL_DATA_ONLY)                  \
	X(T, name, NULL, "name of the profiled program", TEXT, NONE, JR_COL_DATA_ONLY)                 \
	X(T, sentence, NULL, "the verdict and its basis", TEXT, NONE, JR_COL_DATA_ONLY)                \
	X(T, step_low_ms, NULL, "lower end of the 95 % interval of the median step", F64, NS,          \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, step_high_ms, NULL, "upper end of the 95 % interval of the median step", F64, NS,         \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, changed, NULL, "whether the run is a regression or an improvement", BOOL, NONE,           \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, point, NULL, NULL, TEXT, NONE, JR_COL_RENDERED_ONLY)                                      \
	X(T, mark, NULL, NULL, TEXT, NONE, JR_COL_RENDERED_ONLY)                                       \
	X(T, named, NULL, NULL, BOOL, NONE, JR_COL_RENDERED_ONLY)                                      \
	X(T, tick, NULL, NULL, TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_KEYS(RUN, JR_TREND_COLUMNS);

#endif
