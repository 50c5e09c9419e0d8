/* All metrics of all runs in one chart: trends, one below the other. */
#include <math.h>
#include <string.h>

#include "compare/core/compare_columns.h"
#include "compare/history/trend_impl.h"

#define JUDGED_HEIGHT 150 /* px: the trend that verdicts depend on */

/* "17.83 ms (+2.59 %)": the last value of a metric and its change since the first; for a share the
 * change in points. NULL: no run has it. */
static const char *standing(const struct jr_trend *t, const struct jr_metric *m)
{
	double first = NAN, last = NAN;
	size_t n = 0;
	for (size_t i = 0; i < t->history->n; i++) {
		double v = jr_history_value(t->points[i].entry, m);
		if (isnan(v))
			continue;
		first = n++ ? first : v;
		last = v;
	}
	bool share = m->unit == JR_UNIT_FRAC;
	double change = share ? last - first : jr_change_fraction(first, last);
	const char *value = n ? jr_metric_text(m->unit, last, false, t->arena) : NULL;
	if (n < 2 || first == last || !isfinite(change))
		return value;
	return jr_arena_printf(t->arena, "%s (%s)", value,
		jr_metric_text(share ? JR_UNIT_FRAC : JR_UNIT_PERCENT, change, true, t->arena));
}

static bool is_step(const struct jr_metric *m)
{
	return strcmp(m->name, "step.median") == 0;
}

/* Verdicts are on the median step; on the step at the roofline of plans, and on the live memory of
 * memory profiles. */
static bool is_judged(const struct jr_trend *t, const struct jr_metric *m)
{
	const struct jr_run *last = &t->points[t->history->n - 1].entry->run;
	return strcmp(m->name, jr_run_is_live(last)   ? "memory.live"
						   : jr_run_is_plan(last) ? "step.roof"
												  : "step.median") == 0;
}

static struct jr_trend_row row_of(
	const struct jr_trend *t, const struct jr_metric *m, const char *y)
{
	bool step = is_step(m), judged = is_judged(t, m);
	return (struct jr_trend_row){.title = m->title,
		.note = standing(t, m),
		.y = y,
		.y_low = step ? JR_KEY(RUN, step_low_ms) : NULL,
		.y_high = step ? JR_KEY(RUN, step_high_ms) : NULL,
		.marked = judged,
		.height = judged ? JUDGED_HEIGHT : 0};
}

void jr_trend_put_chart(
	const struct jr_trend *t, const struct jr_table *runs, size_t first, struct jr_section *out)
{
	struct jr_trend_row *rows = JR_ARENA_N(t->arena, struct jr_trend_row, t->n_shown + 1);
	const struct jr_column_spec *columns = runs->spec->columns + first;
	size_t n = 0;
	for (int judged = 1; judged >= 0; judged--)
		for (size_t i = 0; i < t->n_shown; i++)
			if (is_judged(t, t->shown[i]) == judged)
				rows[n++] = row_of(t, t->shown[i], columns[i].key);
	if (!n)
		return;
	const char *judged =
		!rows[0].marked ? ""
		: rows[0].y_low ? ". Only the first has verdicts: color and shape show how each run "
						  "compares with the run before it, or that it is part of a drift. Bars "
						  "show the 95 % interval by bootstrap over steady steps"
						: ". Only the first has verdicts: color and shape show how each run "
						  "compares with the run before it";
	struct jr_chart chart = {.name = "trend",
		.title = "Metrics by run",
		.caption = jr_arena_printf(t->arena,
			"one axis per metric, with the last value and its difference from the first%s", judged),
		.kind = JR_CHART_TREND,
		.table = runs,
		.x = JR_KEY(RUN, run),
		.x_name = JR_KEY(RUN, tick),
		.y = rows[0].y,
		.series = JR_KEY(RUN, mark),
		.label = JR_KEY(RUN, point),
		.marked = JR_KEY(RUN, named),
		.trends = rows,
		.n_trends = n};
	jr_section_chart(out, t->arena, &chart);
}
