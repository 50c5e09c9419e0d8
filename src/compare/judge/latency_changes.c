#include "compare/judge/latency_changes.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "compare/core/compare_columns.h"

#define MOST_PROGRAMS 30
#define MOST_NAMED 3 /* in a sentence */

/* Return the row of all executions of a name; SIZE_MAX: none. */
static size_t row_of(const struct jr_run *run, const char *name)
{
	for (size_t row = 0; row < jr_run_rows(run, JR_RUN_LATENCY); row++) {
		const char *own = jr_run_text(run, JR_RUN_LATENCY, JR_LATENCY_NAME, row);
		if (own && strcmp(own, name) == 0 && jr_run_is(run, JR_RUN_LATENCY, JR_LATENCY_WHOLE, row))
			return row;
	}
	return SIZE_MAX;
}

/* Two reports of one measurement, which the interval of a change cannot show. */
static bool are_equal(const struct jr_comparison *c, const struct jr_metric *metric)
{
	struct jr_bounds base = jr_metric_bounds(metric, c->runs[JR_BASE]),
					 fresh = jr_metric_bounds(metric, c->runs[JR_NEW]);
	return base.estimate == fresh.estimate && base.low == fresh.low && base.high == fresh.high;
}

#define JUMP 10 /* tolerances: a larger change whose interval is so wide is a jump */

/* Where executions have two lengths, a percentile between them jumps from one to the other by
 * chance, and the interval begins at changes that do not matter. */
static bool may_jump(const struct jr_comparison *c, const struct jr_metric_change *change)
{
	double nearest = change->relative > 0 ? change->relative_low : change->relative_high;
	return fabs(change->relative) > JUMP * c->tolerance && fabs(nearest) < c->tolerance;
}

static void judge(const struct jr_comparison *c, struct jr_latency_change *l)
{
	const struct jr_metric_change *change = &l->change;
	l->judged = l->metric->quantile < 1;
	l->verdict = JR_VERDICT_UNCLEAR;
	l->reason = jr_doubted_devices(&c->judgement);
	if (!l->judged || l->reason)
		return;
	if (are_equal(c, l->metric))
		l->verdict = JR_VERDICT_SAME;
	else if (isnan(change->absolute_low))
		l->reason = l->metric->too_few;
	else if (isnan(change->relative_low))
		l->reason = "a latency is 0, so a relative change is not defined";
	else if (!may_jump(c, change))
		l->verdict = jr_verdict_of_interval(
			change->relative, change->relative_low, change->relative_high, c->tolerance);
	if (!l->reason && l->verdict == JR_VERDICT_UNCLEAR)
		l->reason = "the interval contains changes that matter and changes that do not";
}

static void compare_program(const struct jr_comparison *c, const char *name, const size_t row[2],
	struct jr_latency_changes *out)
{
	for (const struct jr_metric *m = jr_metrics; m->name; m++) {
		if (m->value)
			continue;
		struct jr_latency_change *l = &out->items[out->n++];
		*l = (struct jr_latency_change){
			.metric = jr_metric_of_program(m, name, c->arena), .row = {row[JR_BASE], row[JR_NEW]}};
		l->change = jr_metric_compare(l->metric, c->runs[JR_BASE], c->runs[JR_NEW], NULL);
		judge(c, l);
	}
}

struct jr_latency_changes jr_latency_changes_find(const struct jr_comparison *c)
{
	const struct jr_run *fresh = c->runs[JR_NEW];
	size_t n_metrics = 0, n = 0;
	for (const struct jr_metric *m = jr_metrics; m->name; m++)
		n_metrics += !m->value;
	struct jr_latency_changes out = {
		.items = JR_ARENA_N(c->arena, struct jr_latency_change, MOST_PROGRAMS * n_metrics)};
	for (size_t i = 0; i < jr_run_rows(fresh, JR_RUN_LATENCY) && n < MOST_PROGRAMS; i++) {
		const char *name = jr_run_text(fresh, JR_RUN_LATENCY, JR_LATENCY_NAME, i);
		size_t row[2] = {name ? row_of(c->runs[JR_BASE], name) : SIZE_MAX, i};
		if (row[JR_BASE] == SIZE_MAX || row_of(fresh, name) != i)
			continue;
		compare_program(c, name, row, &out);
		n++;
	}
	return out;
}

/* "latency.p99(jit_decode) 1.648 ms → 4.238 ms (+157.16 %, regression)" */
static const char *change_text(const struct jr_comparison *c, const struct jr_latency_change *l)
{
	char percent[JR_NUM_MAX];
	jr_num_grouped(percent, 100 * l->change.relative, 2);
	return jr_arena_printf(c->arena, "%s %s → %s (%s%s %%, %s)", l->metric->name,
		jr_compare_time(c, l->change.base), jr_compare_time(c, l->change.fresh),
		l->change.relative > 0 ? "+" : "", percent, jr_verdict_name(l->verdict));
}

const char *jr_latency_changes_text(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	struct jr_latency_changes all = jr_latency_changes_find(c);
	const char *text = "";
	size_t n = 0;
	if (!all.n || j->plan || j->verdict == JR_VERDICT_REGRESSION ||
		j->verdict == JR_VERDICT_IMPROVEMENT)
		return NULL;
	for (size_t i = 0; i < all.n; i++) {
		enum jr_verdict verdict = all.items[i].verdict;
		if (verdict != JR_VERDICT_REGRESSION && verdict != JR_VERDICT_IMPROVEMENT)
			continue;
		if (n++ < MOST_NAMED)
			text = jr_arena_printf(
				c->arena, "%s%s%s", text, *text ? ", " : "", change_text(c, &all.items[i]));
	}
	if (n > MOST_NAMED)
		text = jr_arena_printf(c->arena, "%s, and %zu more", text, n - MOST_NAMED);
	if (n)
		return jr_arena_printf(c->arena, JR_LATENCY_CHANGED "%s.", text);
	return !j->n_steps[JR_BASE] && !j->n_steps[JR_NEW]
			   ? "No percentile of the latency of a program is known to have changed."
			   : NULL;
}
