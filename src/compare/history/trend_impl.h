/*
 * trend_impl.h - what the parts of trend.c share.
 * Layer: compare, private to trend*.c.
 */
#ifndef JR_COMPARE_TREND_IMPL_H
#define JR_COMPARE_TREND_IMPL_H

#include "analysis/core/keys.h"
#include "compare/judge/drift.h"
#include "compare/history/trend.h"

/* A run and how it compares with the one before. */
struct jr_trend_point {
	const struct jr_history_entry *entry;
	const char *title, *verdict, *sentence;
	struct jr_answer answer;    /* the same in two */
	struct jr_buf text, lede;   /* the answer, until all are judged */
	struct jr_bootstrap median; /* of its steps */
	bool by_execution;          /* ... which are executions: it has no period */
	struct jr_bootstrap change; /* relative, of that; NaN where the two cannot be compared */
	bool changed;               /* a regression or an improvement */
	int64_t work_ns, speed_ns;  /* of what did most: more work, and the rest; JR_NULL_I64 unknown */
	bool like_before;           /* its step is that of the run before, on the same GPUs */
	bool like_second;           /* where it is not: it is that of the run before that one */
	bool drifts;                /* it is one of a drift */
	double since_best;          /* against the best stretch before it, relative; NaN: none */
	const struct jr_drift *ends; /* the drift of which it is the last run; NULL: of none */
};

struct jr_trend {
	const struct jr_history *history;
	const struct jr_trend_request *request;
	struct jr_arena *arena;
	struct jr_results *results;
	struct jr_trend_point *points; /* [history->n] */
	struct jr_draws *draws;        /* most runs have as many steps as others */
	struct jr_drifts drifts;
	const size_t *subjects;         /* [history->n] runs of the same number can be compared */
	const struct jr_metric **shown; /* of the metrics: not those that are 0 or unknown throughout */
	size_t n_shown;
};

/** The verdict of the last run, or of what has changed since an earlier one, and its numbers. */
void jr_trend_put_last(struct jr_trend *t, struct jr_section *out);

/** The figure of all metrics shown, the median step first and higher than others; none without one.
 * @param first  of the columns of `runs`: that of the first metric */
void jr_trend_put_chart(
	const struct jr_trend *t, const struct jr_table *runs, size_t first, struct jr_section *out);

/** Find drifts among the points, which are judged by then, and mark the points. One that lasts is a
 * finding. */
void jr_trend_find_drifts(struct jr_trend *t);
/** A paragraph each, newest first, and the table of them. */
void jr_trend_put_drifts(struct jr_trend *t, struct jr_section *out);
/** "+7.25 %": how a drift is named in labels. */
const char *jr_trend_drift_text(const struct jr_trend *t, const struct jr_drift *drift);
/** "slower by 7.25 %, bit by bit from v1 to v9 (runs 2 to 10)" */
const char *jr_trend_drift_slower(const struct jr_trend *t, const struct jr_drift *drift);
/** The drift that lasts at the last run of all; NULL: there is none. */
const struct jr_drift *jr_trend_last_drift(const struct jr_trend *t);

/* Columns of the table of runs that are always there. */
#define JR_TREND_COLUMNS(X, T)                                                                     \
	X(T, run, "Run", "line of the store", JR_I64, JR_UNIT_COUNT, JR_COL_KEY)                       \
	X(T, title, "What", "commit and label", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE)                    \
	X(T, time, "Time", "as it was given", JR_TEXT, JR_UNIT_NONE, 0)                                \
	X(T, verdict, "Verdict",                                                                       \
		"of its step time against that of the run before: same, regression, improvement or "       \
		"cannot tell; first where there is none",                                                  \
		JR_TEXT, JR_UNIT_NONE, 0)                                                                  \
	X(T, change_percent, "Change", "of the median step since the run before", JR_F64,              \
		JR_UNIT_PERCENT, JR_COL_CHANGE)                                                            \
	X(T, low_percent, "From", "lower end of the change's 95 % interval, by bootstrap", JR_F64,     \
		JR_UNIT_PERCENT, JR_COL_CHANGE | JR_COL_LOW)                                               \
	X(T, high_percent, "To", "upper end of it", JR_F64, JR_UNIT_PERCENT,                           \
		JR_COL_CHANGE | JR_COL_HIGH)                                                               \
	X(T, steps, "Steps", "steady steps: the sample", JR_I64, JR_UNIT_COUNT, 0)                     \
	X(T, commit, NULL, "as it was given", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY)                 \
	X(T, label, NULL, "as it was given", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY)                  \
	X(T, name, NULL, "of what was profiled", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY)              \
	X(T, sentence, NULL, "the verdict and what it rests on", JR_TEXT, JR_UNIT_NONE,                \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, step_low_ms, NULL, "lower end of the median step's 95 % interval", JR_F64, JR_UNIT_NS,    \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, step_high_ms, NULL, "upper end of it", JR_F64, JR_UNIT_NS, JR_COL_DATA_ONLY)              \
	X(T, changed, NULL, "a regression or an improvement", JR_BOOL, JR_UNIT_NONE, JR_COL_DATA_ONLY) \
	X(T, point, NULL, NULL, JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY)                           \
	X(T, mark, NULL, NULL, JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY)                            \
	X(T, named, NULL, NULL, JR_BOOL, JR_UNIT_NONE, JR_COL_RENDERED_ONLY)
JR_KEYS(RUN, JR_TREND_COLUMNS);

#endif
