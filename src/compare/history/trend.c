/* Runs of a store in order: verdicts, and sections for every writer. */
#include "compare/history/trend.h"

#include <math.h>
#include <string.h>

#include "base/task.h"
#include "base/text.h"
#include "compare/judge/cause.h"
#include "compare/core/compare_columns.h"
#include "compare/history/trend_impl.h"
#include "model/build/select.h"

#define N_BARS 40       /* of a sparkline: the last 40 runs */
#define N_CHANGES 20    /* listed in full */
#define COMMIT_SHOWN 12 /* shown digits of a commit's name */

static const char *const measured[] = {
	"step.median", "busy", "communication.per_step", "memory.peak", "compile.total", NULL};
static const char *const planned[] = {
	"step.roof", "flops", "bytes", "collective.bytes", "memory.peak", NULL};
static const char *const live[] = {"memory.live", "memory.live.executables", NULL};

const char *const *jr_trend_default_metrics(const struct jr_history *history)
{
	const struct jr_run *last = &history->items[history->n - 1].run;
	return jr_run_is_plan(last) ? planned : jr_run_is_live(last) ? live : measured;
}

/* --- titles ----------------------------------------------------------------------------------- */

static bool is_hash(const char *s)
{
	size_t n = strspn(s, "0123456789abcdefABCDEF");
	return n > COMMIT_SHOWN && !s[n];
}

/* "a1b2c3d4e5f6 nightly", or the part that is known. */
static const char *title_of(const struct jr_history_entry *e, struct jr_arena *arena)
{
	const char *commit = e->about.commit, *label = e->about.label;
	if (commit && is_hash(commit))
		commit = jr_arena_strndup(arena, commit, COMMIT_SHOWN);
	if (commit && label)
		return jr_arena_printf(arena, "%s %s", commit, label);
	if (commit || label)
		return commit ? commit : label;
	return jr_arena_printf(arena, "run %zu", e->line);
}

static bool is_named(const struct jr_history_entry *e)
{
	return e->about.commit || e->about.label;
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* Whether both have the same step on the same GPUs, and that step is the new run's main step: used
 * to compare the runs before and after an outlier. Periods are not comparable with executions.
 * Programs of one cycle share their periods. */
static bool are_alike(const struct jr_comparison *c, const struct jr_run *fresh)
{
	const struct jr_run_steps *steps = &c->runs[JR_NEW]->steps;
	return c->judgement.same_subject && (steps->row == fresh->steps.row || steps->periods.n) &&
		   !c->runs[JR_BASE]->steps.periods.n == !fresh->steps.periods.n;
}

/* Periods of the step, or its executions if it has none. */
static const struct jr_sample *sample_of(const struct jr_history_entry *e)
{
	const struct jr_run_steps *steps = &e->run.steps;
	return steps->periods.n ? &steps->periods : &steps->executions;
}

static bool like_second(struct jr_trend *t, const struct jr_trend_point *p)
{
	struct jr_run base = (p->entry - 2)->run, fresh = p->entry->run;
	struct jr_comparison c;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	jr_compare_judge(&base, &fresh, t->request->tolerance, t->draws, &scratch, &c);
	return are_alike(&c, &p->entry->run);
}

/* Judge copies of the runs, like `jaxreport compare`, because the base decides which program is the
 * step. Resampling many steps takes a while, so each run is judged separately, in its own arena. */
static void judge(void *context, size_t i)
{
	struct jr_trend *t = context;
	struct jr_trend_point *p = &t->points[i];
	struct jr_arena scratch;
	*p = (struct jr_trend_point){.entry = &t->history->items[i],
		.change = {NAN, NAN, NAN, NAN},
		.work_ns = JR_NULL_I64,
		.speed_ns = JR_NULL_I64};
	p->by_execution = !p->entry->run.steps.periods.n;
	p->median = jr_bootstrap_median(*sample_of(p->entry), JR_COMPARE_SEED, t->draws);
	const struct jr_history_entry *before = i ? p->entry - 1 : t->history->before;
	if (!before) {
		p->verdict = "first";
		jr_buf_puts(&p->text, "There is no run before it");
		return;
	}
	struct jr_run base = before->run, fresh = p->entry->run;
	struct jr_comparison c;
	jr_arena_init(&scratch, 0);
	jr_compare_judge(&base, &fresh, t->request->tolerance, t->draws, &scratch, &c);
	enum jr_verdict verdict = c.judgement.verdict;
	p->verdict = jr_verdict_name(verdict);
	p->changed = verdict == JR_VERDICT_REGRESSION || verdict == JR_VERDICT_IMPROVEMENT;
	if (c.judgement.same_subject)
		p->change = jr_judged_exactly(&c.judgement)
						? (struct jr_bootstrap){c.judgement.exact_change, NAN, NAN, NAN}
						: c.judgement.change.relative;
	p->like_before = are_alike(&c, &p->entry->run);
	const struct jr_contribution *cause = p->changed ? jr_change_cause_find(&c).item : NULL;
	if (cause && cause->work_ns != JR_NULL_I64) {
		p->work_ns = cause->work_ns;
		p->speed_ns = cause->ns[JR_NEW] - cause->ns[JR_BASE] - cause->work_ns;
	}
	struct jr_answer answer = jr_compare_answer(&c);
	p->latency = jr_answer_of_latency(&answer);
	jr_buf_puts(&p->text, answer.headline);
	jr_buf_puts(&p->lede, answer.lede ? answer.lede : "");
	jr_arena_done(&scratch);
	p->like_second = i > 1 && !p->like_before && like_second(t, p);
}

static void judge_all(struct jr_trend *t)
{
	size_t n = t->history->n;
	t->points = JR_ARENA_N(t->arena, struct jr_trend_point, n);
	t->draws = jr_draws_new();
	jr_task_run(t->request->n_threads, n, judge, t);
	jr_draws_free(t->draws);
	for (size_t i = 0; i < n; i++) {
		struct jr_trend_point *p = &t->points[i];
		p->title = title_of(p->entry, t->arena);
		p->place = is_named(p->entry)
					   ? jr_arena_printf(t->arena, "%s (run %zu)", p->title, p->entry->line)
					   : p->title;
		p->answer = (struct jr_answer){jr_arena_strndup(t->arena, p->text.data, p->text.size),
			p->lede.size ? jr_arena_strndup(t->arena, p->lede.data, p->lede.size) : NULL};
		p->sentence = jr_answer_text(t->arena, &p->answer);
		jr_buf_done(&p->text);
		jr_buf_done(&p->lede);
	}
	jr_trend_find_drifts(t);
}

/* --- the table of runs ------------------------------------------------------------------------ */

JR_COLUMNS_OF(fixed, JR_TREND_COLUMNS);

/* Columns after the metrics. */
#define LAST_COLUMNS(X, T)                                                                         \
	X(T, since_best_percent, "Against the best",                                                   \
		"change of the median step against the best earlier group of runs: of all groups of "      \
		"three consecutive runs without a change, the one with the smallest middle value",         \
		F64, PERCENT, JR_COL_CHANGE)                                                               \
	X(T, drift, "Drift", "one of several runs that became gradually slower", BOOL, NONE)
JR_COLUMNS(last_columns, LAST, LAST_COLUMNS);

/* "step_median_ms", "latency_p99_jit_decode_ms": a dot in the key would nest it. Names of programs
 * may become equal, which a number tells apart. */
static const char *column_key(const struct jr_trend *t, size_t shown)
{
	const struct jr_metric *m = t->shown[shown];
	JR_CLEANUP(jr_buf_done) struct jr_buf key = {0};
	for (const char *s = m->name; *s; s++) {
		bool plain = jr_is_letter(*s) || jr_is_digit(*s) || *s == '_';
		if (plain || *s != ')')
			jr_buf_putc(&key, plain ? *s : '_');
	}
	jr_buf_printf(&key, "%s%s", m->program ? jr_arena_printf(t->arena, "_%zu", shown + 1) : "",
		m->unit == JR_UNIT_NS      ? "_ms"
		: m->unit == JR_UNIT_BYTES ? "_bytes"
		: m->unit == JR_UNIT_FRAC  ? "_fraction"
								   : "");
	return jr_arena_strndup(t->arena, key.data, key.size);
}

/* Columns of the chosen metrics follow the fixed columns. */
static struct jr_table_spec *runs_spec(const struct jr_trend *t)
{
	size_t n = JR_COUNT_OF(fixed) + t->n_shown + JR_COUNT_OF(last_columns);
	struct jr_column_spec *columns = JR_ARENA_N(t->arena, struct jr_column_spec, n);
	memcpy(columns, fixed, sizeof(fixed));
	for (size_t i = 0; i < t->n_shown; i++)
		columns[JR_COUNT_OF(fixed) + i] = (struct jr_column_spec){.key = column_key(t, i),
			.title = t->shown[i]->title,
			.help = t->shown[i]->help,
			.type = JR_F64,
			.unit = t->shown[i]->unit};
	memcpy(columns + JR_COUNT_OF(fixed) + t->n_shown, last_columns, sizeof(last_columns));
	if (!t->drifts.n)
		columns[JR_COUNT_OF(fixed) + t->n_shown + LAST_drift].flags |= JR_COL_DATA_ONLY;
	struct jr_table_spec *spec = JR_ARENA_NEW(t->arena, struct jr_table_spec);
	*spec = (struct jr_table_spec){.name = "runs",
		.json = "runs",
		.title = "Runs",
		.help = "Per run, newest first",
		.n_columns = n,
		.columns = columns};
	return spec;
}

static void fill_run(const struct jr_trend *t, struct jr_table *table, size_t row, size_t i)
{
	const struct jr_trend_point *p = &t->points[i];
	union jr_cells *cells = table->cells;
	cells[RUN_run].i64[row] = (int64_t)p->entry->line;
	cells[RUN_title].text[row] = p->title;
	cells[RUN_time].text[row] = p->entry->about.time;
	cells[RUN_verdict].text[row] = p->verdict;
	cells[RUN_change_percent].f64[row] = p->change.estimate;
	cells[RUN_low_percent].f64[row] = p->change.low;
	cells[RUN_high_percent].f64[row] = p->change.high;
	cells[RUN_steps].i64[row] = (int64_t)sample_of(p->entry)->n;
	cells[RUN_selection].text[row] = p->entry->run.selection;
	cells[RUN_commit].text[row] = p->entry->about.commit;
	cells[RUN_label].text[row] = p->entry->about.label;
	cells[RUN_name].text[row] = p->entry->run.name;
	cells[RUN_sentence].text[row] = p->sentence;
	/* the metric is the median of periods */
	cells[RUN_step_low_ms].f64[row] = p->by_execution ? NAN : p->median.low;
	cells[RUN_step_high_ms].f64[row] = p->by_execution ? NAN : p->median.high;
	cells[RUN_changed].boolean[row] = p->changed;
	cells[RUN_point].text[row] = p->title;
	if (p->ends)
		cells[RUN_point].text[row] =
			jr_arena_printf(t->arena, "%s: drift %s", p->title, jr_trend_drift_text(t, p->ends));
	else if (p->changed)
		cells[RUN_point].text[row] = jr_arena_printf(t->arena, "%s: %s", p->title, p->verdict);
	cells[RUN_mark].text[row] = p->drifts && !p->changed ? "drift" : p->verdict;
	cells[RUN_named].boolean[row] = p->changed || p->ends;
	if (p->entry->about.commit || p->entry->about.label)
		cells[RUN_tick].text[row] = p->title;
	for (size_t k = 0; k < t->n_shown; k++)
		cells[JR_COUNT_OF(fixed) + k].f64[row] = jr_history_value(p->entry, t->shown[k]);
	union jr_cells *last = cells + JR_COUNT_OF(fixed) + t->n_shown;
	last[LAST_since_best_percent].f64[row] = p->since_best;
	last[LAST_drift].boolean[row] = p->drifts;
}

/* Store order for charts, newest first for people. */
static struct jr_table *runs_table(
	const struct jr_trend *t, const struct jr_table_spec *spec, bool newest_first)
{
	size_t n = t->history->n;
	struct jr_table *table = jr_table_new(t->arena, spec, n);
	for (size_t row = 0; row < n; row++)
		fill_run(t, table, row, newest_first ? n - 1 - row : row);
	return table;
}

/* --- metrics ---------------------------------------------------------------------------------- */

void jr_sparkline(struct jr_buf *out, const double *values, size_t n)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		low = isfinite(values[i]) ? fmin(low, values[i]) : low;
		high = isfinite(values[i]) ? fmax(high, values[i]) : high;
	}
	double least = 0.05 * fmax(fabs(low), fabs(high)), middle = low / 2 + high / 2;
	if (high - low < least) {
		low = middle - least * 9 / 16; /* the middle of a bar, so that noise does not change bars */
		high = low + least;
	}
	for (size_t i = 0; i < n; i++) {
		double share = high > low ? (values[i] - low) / (high - low) : 0.5;
		jr_buf_puts(out, isfinite(values[i]) ? bars[(size_t)fmin(7, 8 * share)] : " ");
	}
}

#define METRIC_COLUMNS(X, T)                                                                       \
	X(T, metric, "Metric", "name of the metric for --gate", TEXT, NONE, JR_COL_CODE)               \
	X(T, title, "What", "meaning of the metric", TEXT, NONE, JR_COL_KEY)                           \
	X(T, trend, "Trend",                                                                           \
		"values of at most the last 40 runs; the height covers their range, but at "               \
		"least 5 % of the largest value",                                                          \
		TEXT, NONE, JR_COL_BESIDE)                                                                 \
	X(T, first_text, "First", "value of the first run that has the metric", TEXT, NONE,            \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY)                                                    \
	X(T, last_text, "Last", "value of the last run that has the metric", TEXT, NONE,               \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY)                                                    \
	X(T, change_percent, "Relative change", "last / first - 1, also for shares", F64, PERCENT,     \
		JR_COL_CHANGE)                                                                             \
	X(T, least_text, "Least", "smallest value", TEXT, NONE,                                        \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY)                                                    \
	X(T, most_text, "Most", "largest value", TEXT, NONE, JR_COL_RENDERED_ONLY | JR_COL_QUANTITY)   \
	X(T, unit, NULL, "unit of the next four columns", TEXT, NONE, JR_COL_DATA_ONLY)                \
	X(T, first, NULL, "value of the first run that has the metric", F64, NONE, JR_COL_DATA_ONLY)   \
	X(T, last, NULL, "value of the last run that has the metric", F64, NONE, JR_COL_DATA_ONLY)     \
	X(T, least, NULL, "smallest value", F64, NONE, JR_COL_DATA_ONLY)                               \
	X(T, most, NULL, "largest value", F64, NONE, JR_COL_DATA_ONLY)
JR_TABLE(metric_spec, M, METRIC_COLUMNS, "metrics", "metrics", "Metrics over all runs shown",
	"Per metric");

static void fill_metric(const struct jr_trend *t, struct jr_table *table, size_t row)
{
	const struct jr_metric *m = t->shown[row];
	size_t n = t->history->n, from = n > N_BARS ? n - N_BARS : 0;
	double *values = JR_ARENA_N(t->arena, double, n);
	double first = NAN, last = NAN, least = NAN, most = NAN;
	for (size_t i = 0; i < n; i++) {
		double v = values[i] = jr_history_value(t->points[i].entry, m);
		first = isnan(first) ? v : first;
		last = isnan(v) ? last : v;
		least = fmin(least, v);
		most = fmax(most, v);
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf trend = {0};
	jr_sparkline(&trend, values + from, n - from);
	union jr_cells *cells = table->cells;
	double scale = m->unit == JR_UNIT_NS ? 1e6 : 1;
	cells[M_metric].text[row] = m->name;
	cells[M_title].text[row] = m->title;
	cells[M_trend].text[row] = jr_arena_strndup(t->arena, trend.data, trend.size);
	cells[M_first_text].text[row] = jr_metric_text(m->unit, first, false, t->arena);
	cells[M_last_text].text[row] = jr_metric_text(m->unit, last, false, t->arena);
	cells[M_change_percent].f64[row] = jr_change_fraction(first, last);
	cells[M_least_text].text[row] = jr_metric_text(m->unit, least, false, t->arena);
	cells[M_most_text].text[row] = jr_metric_text(m->unit, most, false, t->arena);
	cells[M_unit].text[row] = jr_metric_unit(m->unit);
	cells[M_first].f64[row] = first / scale;
	cells[M_last].f64[row] = last / scale;
	cells[M_least].f64[row] = least / scale;
	cells[M_most].f64[row] = most / scale;
}

static void add_metrics(
	const struct jr_trend *t, const struct jr_table *runs, struct jr_section *out)
{
	struct jr_table *table = jr_table_new(t->arena, &metric_spec, t->n_shown);
	for (size_t i = 0; i < t->n_shown; i++)
		fill_metric(t, table, i);
	jr_trend_put_chart(t, runs, JR_COUNT_OF(fixed), out);
	jr_section_table(out, t->arena, table);
}

/* --- changes ---------------------------------------------------------------------------------- */

#define CHANGE_COLUMNS(X, T)                                                                       \
	X(T, run, "Run", "line in the history file", I64, COUNT, JR_COL_KEY)                           \
	X(T, title, "What", "commit and label", TEXT, NONE, JR_COL_CODE)                               \
	X(T, sentence, "Verdict", "verdict on the step time against the run before", TEXT, NONE)       \
	X(T, work_change_ms, "More work",                                                              \
		"part of the change of the largest contribution that comes from more work, "               \
		"if both lines contain FLOPs and bytes",                                                   \
		I64, NS, JR_COL_CHANGE)                                                                    \
	X(T, speed_change_ms, "Same work slower", "rest of the change of that contribution", I64, NS,  \
		JR_COL_CHANGE)
JR_TABLE(change_spec, C, CHANGE_COLUMNS, "changes", "changes", "Regressions and improvements",
	"Per run whose step time changed, newest first", .data_only = true);

/* Sentences go into paragraphs, because a table would cut them. */
static void add_changes(const struct jr_trend *t, struct jr_section *out)
{
	size_t n = 0, row = 0;
	for (size_t i = 0; i < t->history->n; i++)
		n += t->points[i].changed || t->points[i].latency;
	if (!n)
		return;
	struct jr_table *table = jr_table_new(t->arena, &change_spec, n);
	for (size_t i = t->history->n; i-- > 0;) {
		const struct jr_trend_point *p = &t->points[i];
		const char *time = p->entry->about.time;
		bool named = is_named(p->entry);
		if (!p->changed && !p->latency)
			continue;
		table->cells[C_run].i64[row] = (int64_t)p->entry->line;
		table->cells[C_title].text[row] = p->title;
		table->cells[C_sentence].text[row] = p->sentence;
		table->cells[C_work_change_ms].i64[row] = p->work_ns;
		table->cells[C_speed_change_ms].i64[row] = p->speed_ns;
		if (row++ < N_CHANGES)
			jr_section_text(out, t->arena, "Run %zu%s%s%s%s. %s", p->entry->line, named ? ", " : "",
				named ? p->title : "", time ? ", " : "", time ? time : "", p->sentence);
	}
	if (n > N_CHANGES)
		jr_section_text(out, t->arena, "Earlier changes not shown: %zu.", n - N_CHANGES);
	jr_section_table(out, t->arena, table);
}

/* --- parts ------------------------------------------------------------------------------------ */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether a run is about a part of its profile, and another one with its label about all of it or
 * about another part. */
static bool stands_apart(const struct jr_history *h, size_t i)
{
	const struct jr_history_entry *e = &h->items[i];
	for (size_t k = 0; k < h->n && e->run.selection; k++)
		if (same(h->items[k].about.label, e->about.label) &&
			!same(h->items[k].run.selection, e->run.selection))
			return true;
	return false;
}

/* Metrics of a part and of a whole profile are not comparable. */
static void warn_of_parts(const struct jr_trend *t, struct jr_section *out)
{
	const struct jr_history *h = t->history;
	int64_t *apart = JR_ARENA_N(t->arena, int64_t, h->n);
	size_t n = 0;
	for (size_t i = 0; i < h->n; i++)
		if (stands_apart(h, i))
			apart[n++] = (int64_t)h->items[i].line;
	if (!n)
		return;
	JR_CLEANUP(jr_buf_done) struct jr_buf runs = {0};
	jr_select_put_numbers(&runs, apart, n);
	jr_section_text(out, t->arena,
		"Warning: run%s %s cover%s a part of a profile. Other runs with this label cover the whole "
		"or another part, so their totals are not comparable.",
		n == 1 ? "" : "s", runs.data, n == 1 ? "s" : "");
}

/* --- entry point ------------------------------------------------------------------------------ */

static void choose_metrics(struct jr_trend *t)
{
	const struct jr_trend_request *r = t->request;
	t->shown = JR_ARENA_N(t->arena, const struct jr_metric *, r->n_metrics + 1);
	for (size_t i = 0; i < r->n_metrics; i++) {
		bool any = r->chosen;
		for (size_t k = 0; k < t->history->n && !any; k++)
			any = fabs(jr_history_value(&t->history->items[k], r->metrics[i])) > 0;
		if (any)
			t->shown[t->n_shown++] = r->metrics[i];
	}
}

static struct jr_section *add_section(struct jr_trend *t, const struct jr_pass *about)
{
	struct jr_section *section = &t->results->sections[t->results->n_sections++];
	section->pass = about;
	return section;
}

void jr_trend_results(const struct jr_history *history, const struct jr_trend_request *request,
	struct jr_arena *arena, struct jr_results *results)
{
	static const struct jr_pass about_last = {.name = "last",
		.title = "Last run",
		.summary = "How the last run compares with the run before it",
		.leads = true};
	static const struct jr_pass about_trend = {
		.name = "trend", .title = "Trend", .summary = "Metrics of each run"};
	static const struct jr_pass about_changes = {.name = "changes",
		.title = "Changes",
		.summary = "Runs with a step time that differs from the run before, each with its largest "
				   "contribution; and slow drifts over several runs"};
	static const struct jr_pass about_runs = {.name = "runs",
		.title = "Runs",
		.summary =
			"Each run, compared with the run before it and with the best earlier group of three"};
	struct jr_trend t = {
		.history = history, .request = request, .arena = arena, .results = results};
	*results = (struct jr_results){.arena = arena,
		.schema = JR_TREND_SCHEMA,
		.title = jr_arena_printf(arena, "History of %s", request->store),
		.subtitle = history->n == 1 ? jr_arena_printf(arena, "1 run, line %zu of %zu",
										  history->items[0].line, history->n_lines)
									: jr_arena_printf(arena, "%zu runs, lines %zu to %zu of %zu",
										  history->n, history->items[0].line,
										  history->items[history->n - 1].line, history->n_lines)};
	judge_all(&t);
	choose_metrics(&t);
	results->sections = JR_ARENA_N(arena, struct jr_section, 4);
	const struct jr_table_spec *spec = runs_spec(&t);
	const struct jr_table *runs = runs_table(&t, spec, false);
	struct jr_section *leading = add_section(&t, &about_last);
	jr_trend_put_last(&t, leading);
	warn_of_parts(&t, leading);
	add_metrics(&t, runs, add_section(&t, &about_trend));
	struct jr_section *changes = add_section(&t, &about_changes);
	jr_trend_put_drifts(&t, changes);
	add_changes(&t, changes);
	results->n_sections -= !changes->n;
	struct jr_section *section = add_section(&t, &about_runs);
	jr_section_table(section, arena, runs_table(&t, spec, true));
}
