/* Drifts of a history: find and describe them. */
#include <math.h>

#include "compare/core/compare_columns.h"
#include "compare/history/trend_impl.h"
#include "analysis/core/keys.h"

#define N_TOLD 20 /* in full */

/* --- comparable runs -------------------------------------------------------------------------- */

/* An outlier, or a run of another job, does not separate the runs before it from those after it. */
static size_t *subjects_of(const struct jr_trend *t)
{
	size_t *subjects = JR_ARENA_N(t->arena, size_t, t->history->n + 1), n = 0;
	for (size_t i = 0; i < t->history->n; i++) {
		const struct jr_trend_point *p = &t->points[i];
		if (i && p->like_before)
			subjects[i] = subjects[i - 1];
		else if (i > 1 && p->like_second)
			subjects[i] = subjects[i - 2];
		else
			subjects[i] = n++;
	}
	return subjects;
}

static struct jr_drift_run run_of(const struct jr_trend_point *p, size_t subject)
{
	return (struct jr_drift_run){.median_ns = p->median.estimate,
		.error = (p->by_execution ? p->entry->run.steps.executions.n
								  : p->entry->run.steps.periods.n) < JR_LEAST_STEPS
					 ? NAN
					 : p->median.error / p->median.estimate,
		.subject = subject,
		.told = p->changed,
		.told_change = log1p(p->change.estimate)};
}

/* --- words ------------------------------------------------------------------------------------ */

static size_t line(const struct jr_trend *t, size_t i)
{
	return t->points[i].entry->line;
}

static const char *time_text(const struct jr_trend *t, size_t i)
{
	char text[JR_NUM_MAX];
	jr_num_time(text, t->points[i].median.estimate);
	return jr_arena_strdup(t->arena, text);
}

/* A drift contains only steps or only executions. */
static const char *step_word(const struct jr_trend *t, const struct jr_drift *d)
{
	return t->points[d->last].by_execution ? "execution" : "step";
}

const char *jr_trend_drift_text(const struct jr_trend *t, const struct jr_drift *drift)
{
	char text[JR_NUM_MAX];
	jr_num_grouped(text, 100 * drift->change, 2);
	return jr_arena_printf(t->arena, "+%s %%", text);
}

/* "from v1 (run 2) to v9 (run 10)", "in v5 (run 6)" */
static const char *range_text(const struct jr_trend *t, const struct jr_drift *d)
{
	const struct jr_trend_point *first = &t->points[d->first], *last = &t->points[d->last];
	if (d->first == d->last)
		return jr_arena_printf(t->arena, "in %s", last->place);
	return jr_arena_printf(t->arena, "from %s to %s", first->place, last->place);
}

const char *jr_trend_drift_slower(const struct jr_trend *t, const struct jr_drift *d)
{
	return jr_arena_printf(t->arena, "slower by %s, %s%s", jr_trend_drift_text(t, d) + 1,
		d->n > 1 ? "gradually " : "", range_text(t, d));
}

static const char *told_text(const struct jr_trend *t, const struct jr_drift *d)
{
	if (d->n_told)
		return jr_arena_printf(t->arena,
			"%zu of these %zu runs %s reported as %s, with less than half of the drift", d->n_told,
			d->n, d->n_told == 1 ? "is" : "are",
			d->n_told == 1 ? "a change on its own" : "changes on their own");
	if (d->n > 1)
		return "none of these runs is reported as a change on its own";
	return t->points[d->last].like_before
			   ? "a comparison with only the run before it cannot decide this"
			   : "the run before it has another step, so the two were not compared";
}

static const char *sentence_of(const struct jr_trend *t, const struct jr_drift *d)
{
	return jr_arena_printf(t->arena,
		"Drift: the median %s became slower by %s %s%s, %s → %s since %s; %s.%s", step_word(t, d),
		jr_trend_drift_text(t, d) + 1, d->n > 1 ? "gradually " : "", range_text(t, d),
		time_text(t, d->from), time_text(t, d->last), t->points[d->from].place, told_text(t, d),
		d->lasts ? "" : " It did not last: later runs recovered half of it or more.");
}

/* --- findings --------------------------------------------------------------------------------- */

/* A drift needs no fix if its step is no longer run. */
static bool is_current(const struct jr_trend *t, const struct jr_drift *d)
{
	size_t n = t->history->n, own = t->subjects[d->last];
	return d->lasts && (own == t->subjects[n - 1] || (n > 1 && own == t->subjects[n - 2]));
}

static void add_finding(struct jr_trend *t, const struct jr_drift *d)
{
	struct jr_results *r = t->results;
	double before_ns = t->points[d->from].median.estimate,
		   after_ns = t->points[d->last].median.estimate;
	r->findings[r->n_findings++] = (struct jr_finding){.id = "drift",
		.severity = JR_WARNING,
		.recoverable_ns = JR_NULL_I64,
		.step_recoverable_ns = (int64_t)(after_ns - before_ns),
		.step_least_ns = JR_NULL_I64,
		.step_without_ns = (int64_t)before_ns,
		.title = jr_arena_printf(
			t->arena, "The median %s became %s", step_word(t, d), jr_trend_drift_slower(t, d)),
		.why = jr_arena_printf(t->arena, "It went from %s in %s to %s: %s.", time_text(t, d->from),
			t->points[d->from].place, time_text(t, d->last), told_text(t, d)),
		.action = jr_arena_printf(
			t->arena, "Look at what changed in %s.", d->n > 1 ? "these runs" : "it"),
		.evidence = jr_arena_printf(t->arena,
			"Compared with the best earlier group of runs (runs %zu, %zu and %zu): %s, more "
			"than random variation of such runs explains.",
			line(t, d->best[0]), line(t, d->best[1]), line(t, d->best[2]),
			jr_trend_drift_text(t, &(struct jr_drift){.change = d->since_best})),
		.section = "changes",
		.cause = JR_CAUSE_DRIFT,
		.op = JR_NONE};
}

static void mark(struct jr_trend *t, const struct jr_drift *d)
{
	for (size_t i = d->first; i <= d->last; i++)
		if (t->subjects[i] == t->subjects[d->last])
			t->points[i].drifts = true;
	t->points[d->last].ends = d;
}

void jr_trend_find_drifts(struct jr_trend *t)
{
	size_t n = t->history->n;
	t->subjects = subjects_of(t);
	struct jr_drift_run *runs = JR_ARENA_N(t->arena, struct jr_drift_run, n + 1);
	for (size_t i = 0; i < n; i++)
		runs[i] = run_of(&t->points[i], t->subjects[i]);
	t->drifts = jr_drifts_find(runs, n, t->request->tolerance, t->arena);
	for (size_t i = 0; i < n; i++)
		t->points[i].since_best = t->drifts.since_best[i];
	t->results->findings = JR_ARENA_N(t->arena, struct jr_finding, t->drifts.n + 1);
	for (size_t i = t->drifts.n; i-- > 0;) {
		const struct jr_drift *d = &t->drifts.items[i];
		mark(t, d);
		if (is_current(t, d))
			add_finding(t, d);
	}
}

const struct jr_drift *jr_trend_last_drift(const struct jr_trend *t)
{
	for (size_t i = 0; i < t->drifts.n; i++) {
		const struct jr_drift *d = &t->drifts.items[i];
		if (d->lasts && t->subjects[d->last] == t->subjects[t->history->n - 1])
			return d;
	}
	return NULL;
}

/* --- the table -------------------------------------------------------------------------------- */

#define COLUMNS(X, T)                                                                              \
	X(T, first_run, "First run", "line in the history file: first run of the drift", I64, COUNT,   \
		JR_COL_KEY)                                                                                \
	X(T, last_run, "Last run", "last run that became slower in the drift", I64, COUNT)             \
	X(T, from_run, "Since", "run before the drift", I64, COUNT)                                    \
	X(T, first_title, "From", "commit and label of the first run", TEXT, NONE, JR_COL_CODE)        \
	X(T, last_title, "To", "commit and label of the last run", TEXT, NONE, JR_COL_CODE)            \
	X(T, first_commit, "First commit", "commit of the first run, as given", TEXT, NONE,            \
		JR_COL_CODE)                                                                               \
	X(T, last_commit, "Last commit", "commit of the last run, as given", TEXT, NONE, JR_COL_CODE)  \
	X(T, runs, "Runs", "runs from the first to the last with that step on these GPUs", I64, COUNT) \
	X(T, told_runs, "Reported",                                                                    \
		"runs among these that are a regression or an improvement on their own", I64, COUNT)       \
	X(T, from_ms, "Before", "median step of the run before the drift", F64, NS)                    \
	X(T, to_ms, "After", "median step of the last run", F64, NS)                                   \
	X(T, change_percent, "Change", "after / before - 1", F64, PERCENT, JR_COL_CHANGE)              \
	X(T, since_best_percent, "Against the best",                                                   \
		"change of the median step of the last run that drifted, against the best "                \
		"stretch before the drift",                                                                \
		F64, PERCENT, JR_COL_CHANGE)                                                               \
	X(T, lasts, "Lasts", "later runs have not recovered half of it", BOOL, NONE)                   \
	X(T, sentence, "Drift", "summary of the drift in words", TEXT, NONE)
JR_TABLE(spec, COL, COLUMNS, "drifts", "drifts", "Drifts",
	"Per drift, newest first: runs that became gradually slower", .data_only = true);

static void fill_row(
	const struct jr_trend *t, union jr_cells *cells, size_t row, const struct jr_drift *d)
{
	const struct jr_trend_point *first = &t->points[d->first], *last = &t->points[d->last];
	cells[COL_first_run].i64[row] = (int64_t)line(t, d->first);
	cells[COL_last_run].i64[row] = (int64_t)line(t, d->last);
	cells[COL_from_run].i64[row] = (int64_t)line(t, d->from);
	cells[COL_first_title].text[row] = first->title;
	cells[COL_last_title].text[row] = last->title;
	cells[COL_first_commit].text[row] = first->entry->about.commit;
	cells[COL_last_commit].text[row] = last->entry->about.commit;
	cells[COL_runs].i64[row] = (int64_t)d->n;
	cells[COL_told_runs].i64[row] = (int64_t)d->n_told;
	cells[COL_from_ms].f64[row] = t->points[d->from].median.estimate;
	cells[COL_to_ms].f64[row] = last->median.estimate;
	cells[COL_change_percent].f64[row] = d->change;
	cells[COL_since_best_percent].f64[row] = d->since_best;
	cells[COL_lasts].boolean[row] = d->lasts;
	cells[COL_sentence].text[row] = sentence_of(t, d);
}

void jr_trend_put_drifts(struct jr_trend *t, struct jr_section *out)
{
	size_t n = t->drifts.n;
	if (!n)
		return;
	struct jr_table *table = jr_table_new(t->arena, &spec, n);
	for (size_t row = 0; row < n; row++) {
		fill_row(t, table->cells, row, &t->drifts.items[n - 1 - row]);
		if (row < N_TOLD)
			jr_section_text(out, t->arena, "%s", table->cells[COL_sentence].text[row]);
	}
	if (n > N_TOLD)
		jr_section_text(out, t->arena, "%zu more drift%s before these.", n - N_TOLD,
			n - N_TOLD == 1 ? "" : "s");
	jr_section_table(out, t->arena, table);
}
