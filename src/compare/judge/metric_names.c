/* Names of metrics as people write them, and metrics of one program. */
#include "compare/judge/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/core/distribution.h"
#include "base/buf.h"
#include "base/suggest.h"
#include "base/text.h"
#include "report/text/text_layout.h"
#include "report/core/value.h"

#define INDENT 38 /* column of the definitions in the list */

const struct jr_metric *jr_metric_find(const char *name, size_t n)
{
	for (const struct jr_metric *m = jr_metrics; m->name; m++)
		if (strlen(m->name) == n && memcmp(m->name, name, n) == 0)
			return m;
	return NULL;
}

/* Return a name for "did you mean": the one with the most similar spelling, else the one with the
 * longest common beginning; NULL if none shares 3 letters. */
static const char *nearest_metric(const char *name, size_t n)
{
	char word[64];
	snprintf(word, sizeof(word), "%.*s", (int)(n < 63 ? n : 63), name);
	struct jr_nearest nearest = {0};
	for (const struct jr_metric *m = jr_metrics; m->name; m++)
		jr_nearest_offer(&nearest, word, m->name);
	if (nearest.best)
		return nearest.best;
	const char *best = NULL;
	size_t most = 2;
	for (const struct jr_metric *m = jr_metrics; m->name; m++) {
		size_t same = 0;
		while (same < n && m->name[same] == name[same])
			same++;
		if (same > most) {
			most = same;
			best = m->name;
		}
	}
	return best;
}

/* --- metrics of one program ------------------------------------------------------------------- */

struct jr_bounds jr_metric_bounds(const struct jr_metric *metric, const struct jr_run *run)
{
	const struct jr_table *t = run->tables[JR_RUN_LATENCY];
	for (size_t row = 0; metric->program && row < t->n_rows; row++) {
		const char *name = jr_run_text(run, JR_RUN_LATENCY, JR_LATENCY_NAME, row);
		if (!jr_run_is(run, JR_RUN_LATENCY, JR_LATENCY_WHOLE, row) || !name ||
			strcmp(name, metric->program) != 0)
			continue;
		bool bounded = metric->quantile < 1;
		return (struct jr_bounds){jr_table_number(t, metric->column, row),
			bounded ? jr_table_number(t, metric->column + 1, row) : NAN,
			bounded ? jr_table_number(t, metric->column + 2, row) : NAN};
	}
	return (struct jr_bounds){NAN, NAN, NAN};
}

double jr_metric_value(const struct jr_metric *metric, const struct jr_run *run)
{
	return metric->value ? metric->value(run) : jr_metric_bounds(metric, run).estimate;
}

const struct jr_metric *jr_metric_of_program(
	const struct jr_metric *metric, const char *program, struct jr_arena *arena)
{
	struct jr_metric *own = JR_ARENA_NEW(arena, struct jr_metric);
	*own = *metric;
	own->program = jr_arena_strdup(arena, program);
	own->name = jr_arena_printf(arena, "%s(%s)", metric->name, program);
	own->title = jr_arena_printf(arena, "%s of %s", metric->title, program);
	if (metric->quantile < 1)
		own->too_few = jr_arena_printf(arena,
			"too few executions: an interval of this percentile needs at least %zu",
			jr_quantile_least(metric->quantile, JR_LATENCY_CONFIDENCE));
	return own;
}

size_t jr_metric_length(const char *text, size_t n)
{
	size_t depth = 0, i = 0;
	for (; i < n && (depth || !strchr("<>=! \t", text[i])); i++) {
		depth += text[i] == '(';
		depth -= depth && text[i] == ')';
	}
	return i;
}

static enum jr_status unknown_metric(const char *name, size_t n, struct jr_error *err)
{
	const char *nearest = nearest_metric(name, n);
	return jr_fail(err, JR_EUSAGE, "unknown metric '%.*s'%s%s%s", (int)(n < 60 ? n : 60), name,
		nearest ? ". Did you mean '" : ". See --list-metrics.", nearest ? nearest : "",
		nearest ? "'?" : "");
}

enum jr_status jr_metric_parse(const char *text, size_t n, struct jr_arena *arena,
	const struct jr_metric **out, struct jr_error *err)
{
	const char *open = memchr(text, '(', n);
	size_t n_name = open ? (size_t)(open - text) : n;
	const struct jr_metric *metric = jr_metric_find(text, n_name);
	if (!metric)
		return unknown_metric(text, n_name, err);
	if (metric->value && open)
		return jr_fail(err, JR_EUSAGE, "%s is not a metric of one program. Leave out '%.60s'",
			metric->name, jr_arena_strndup(arena, open, n - n_name));
	*out = metric;
	if (metric->value)
		return JR_OK;
	if (!open)
		return jr_fail(err, JR_EUSAGE, "%s is of one program. Add its name: %s(jit_step)",
			metric->name, metric->name);
	if (n < n_name + 3 || text[n - 1] != ')')
		return jr_fail(err, JR_EUSAGE,
			"the name of a program in parentheses is missing. Write %s(jit_step)", metric->name);
	const char *program = jr_arena_strndup(arena, open + 1, n - n_name - 2);
	if (!jr_text_is_clean(program, n - n_name - 2))
		return jr_fail(err, JR_EUSAGE, "the name of the program is not one line of UTF-8");
	*out = jr_metric_of_program(metric, program, arena);
	return JR_OK;
}

/* --- changes ---------------------------------------------------------------------------------- */

static double relative_change(double base, double fresh)
{
	if (base == fresh)
		return 0;
	return base != 0 ? fresh / base - 1 : copysign(INFINITY, fresh);
}

/* The ends of fresh - base. The arm on each side is that of the new value toward it and that of
 * the base away from it. NaN if one of them is not bounded. */
static void square_and_add(struct jr_bounds base, struct jr_bounds fresh, double *low, double *high)
{
	double change = fresh.estimate - base.estimate;
	*low = change - hypot(fresh.estimate - fresh.low, base.high - base.estimate);
	*high = change + hypot(fresh.high - fresh.estimate, base.estimate - base.low);
}

static struct jr_bounds log_of(struct jr_bounds b)
{
	bool positive = b.estimate > 0 && b.low > 0 && b.high > 0;
	return positive ? (struct jr_bounds){log(b.estimate), log(b.low), log(b.high)}
					: (struct jr_bounds){NAN, NAN, NAN};
}

static void bound_change(struct jr_metric_change *c, struct jr_bounds base, struct jr_bounds fresh)
{
	square_and_add(base, fresh, &c->absolute_low, &c->absolute_high);
	square_and_add(log_of(base), log_of(fresh), &c->relative_low, &c->relative_high);
	c->relative_low = expm1(c->relative_low);
	c->relative_high = expm1(c->relative_high);
	if (isnan(c->absolute_low) || isnan(c->absolute_high))
		c->absolute_low = c->absolute_high = c->relative_low = c->relative_high = NAN;
}

struct jr_metric_change jr_metric_compare(const struct jr_metric *metric, const struct jr_run *base,
	const struct jr_run *fresh, const struct jr_median_change *steps)
{
	struct jr_metric_change c = {.base = jr_metric_value(metric, base),
		.fresh = jr_metric_value(metric, fresh),
		.absolute_low = NAN,
		.absolute_high = NAN,
		.relative_low = NAN,
		.relative_high = NAN};
	c.absolute = c.fresh - c.base;
	c.relative = isnan(c.absolute) ? NAN : relative_change(c.base, c.fresh);
	if (metric->program)
		bound_change(&c, jr_metric_bounds(metric, base), jr_metric_bounds(metric, fresh));
	const struct jr_sample *a = jr_metric_sample(metric, base),
						   *b = jr_metric_sample(metric, fresh);
	if (!a || !b || !a->n || !b->n)
		return c;
	struct jr_median_change change = steps && a == jr_run_judged_sample(base)
										 ? *steps
										 : jr_bootstrap_change(*a, *b, JR_COMPARE_SEED, NULL);
	c.absolute_low = change.absolute.low;
	c.absolute_high = change.absolute.high;
	c.relative_low = change.relative.low;
	c.relative_high = change.relative.high;
	return c;
}

const char *jr_metric_unit(enum jr_unit unit)
{
	switch (unit) {
	case JR_UNIT_NS: return "ms";
	case JR_UNIT_BYTES: return "bytes";
	case JR_UNIT_FRAC: return "fraction";
	default: return "number";
	}
}

const char *jr_metric_text(enum jr_unit unit, double v, bool change, struct jr_arena *arena)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	struct jr_scalar s = {
		.unit = unit, .type = JR_F64, .value.f64 = v, .plus_minus = NAN, .change = change};
	if (isnan(v))
		return NULL;
	jr_value_put_scalar(&text, &s);
	return jr_arena_strndup(arena, text.data, text.size);
}

void jr_metrics_list(struct jr_buf *out)
{
	for (const struct jr_metric *m = jr_metrics; m->name; m++) {
		char name[64];
		snprintf(name, sizeof(name), "%s%s", m->name, m->value ? "" : "(PROGRAM)");
		jr_buf_printf(out, "%-27s %-9s ", name, jr_metric_unit(m->unit));
		jr_layout_wrap(out, m->help, 80, INDENT, INDENT);
	}
}
