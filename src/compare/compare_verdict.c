/* What leads a comparison: the verdict in one sentence, the doubts, and the figures behind it. */
#include <inttypes.h>
#include <string.h>

#include "compare/compare_columns.h"

static const char *time_text(const struct jr_comparison *c, double ns)
{
	char text[JR_NUM_MAX];
	jr_num_time(text, ns);
	return jr_arena_strdup(c->arena, text);
}

/* "+3.01 %", "-3.01 %", "0 %". */
static const char *percent_text(const struct jr_comparison *c, double frac)
{
	char text[JR_NUM_MAX];
	if (frac == 0)
		return "0 %";
	jr_num_grouped(text, 100 * frac, 2);
	return jr_arena_printf(c->arena, "%s%s %%", frac > 0 ? "+" : "", text);
}

static const char *ratio_text(const struct jr_comparison *c, double base, double fresh)
{
	char text[JR_NUM_MAX];
	jr_num_grouped(text, fresh / base, 2);
	return jr_arena_strdup(c->arena, text);
}

/* Whether there is more to do, or the same takes longer; "" where that is not known. */
static const char *work_text(const struct jr_comparison *c, const struct jr_contribution *item)
{
	const struct jr_matched_work *base = &item->work[JR_BASE], *fresh = &item->work[JR_NEW];
	if (!item->thunk || item->part != JR_PART_COMPUTE || !item->thunk->n[JR_BASE] ||
		!item->thunk->n[JR_NEW] || !base->known || !fresh->known)
		return "";
	bool flops = base->flops != fresh->flops, bytes = base->bytes != fresh->bytes;
	if (!flops && !bytes)
		return ", for the same FLOPs and bytes";
	if ((flops && !(base->flops > 0)) || !(base->bytes > 0))
		return "";
	if (!flops)
		return jr_arena_printf(
			c->arena, ", for %s × the bytes", ratio_text(c, base->bytes, fresh->bytes));
	return jr_arena_printf(c->arena, ", for %s × the FLOPs and %s × the bytes",
		ratio_text(c, base->flops, fresh->flops), ratio_text(c, base->bytes, fresh->bytes));
}

static int64_t step_change_ns(const struct jr_explanation *e)
{
	return e->unavailable ? 0 : e->step_ns[JR_NEW] - e->step_ns[JR_BASE];
}

const struct jr_contribution *jr_compare_cause(const struct jr_comparison *c)
{
	const struct jr_explanation *e = &c->explanation;
	int64_t change = step_change_ns(e);
	for (size_t i = 0; change && i < e->n; i++) {
		int64_t own = e->items[i].ns[JR_NEW] - e->items[i].ns[JR_BASE];
		if (own != 0 && (own > 0) == (change > 0))
			return e->items[i].part == JR_PART_SPREAD ? NULL : &e->items[i];
	}
	return NULL;
}

/* The cause as a sentence; NULL: there is none. */
static const char *cause_text(const struct jr_comparison *c)
{
	const struct jr_contribution *item = jr_compare_cause(c);
	if (!item)
		return NULL;
	int64_t own = item->ns[JR_NEW] - item->ns[JR_BASE], change = step_change_ns(&c->explanation);
	const char *most =
		fabs((double)own) > fabs((double)change) / 2 ? "Most of it" : "The largest part";
	const char *sign = own > 0 ? "+" : JR_NUM_MINUS, *size = time_text(c, fabs((double)own));
	if (item->part == JR_PART_OTHER)
		return jr_arena_printf(c->arena, "%s no operation accounts for: %s%s.", most, sign, size);
	return jr_arena_printf(c->arena, "%s: %s, %s%s%s.", most,
		item->thunk ? jr_compare_thunk_name(c, item->thunk) : jr_step_part_name(item->part), sign,
		size, work_text(c, item));
}

/* Of the sample that the verdict rests on; an old report has nothing else. */
static double step_ns(const struct jr_comparison *c, int side)
{
	return jr_metric_find("step.median", strlen("step.median"))->value(c->runs[side]);
}

static const char *change_text(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	return jr_arena_printf(c->arena, "%s → %s (%s; 95 %% interval %s to %s)",
		time_text(c, step_ns(c, JR_BASE)), time_text(c, step_ns(c, JR_NEW)),
		percent_text(c, j->change.relative.estimate), percent_text(c, j->change.relative.low),
		percent_text(c, j->change.relative.high));
}

const char *jr_compare_headline(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	const char *name = jr_verdict_name(j->verdict);
	if (j->verdict != JR_VERDICT_REGRESSION && j->verdict != JR_VERDICT_IMPROVEMENT)
		return name;
	return jr_arena_printf(c->arena, "%s, %s", name, percent_text(c, j->change.relative.estimate));
}

/* --- what cannot be told ---------------------------------------------------------------------- */

/* What steps of a run take, from the shortest to the longest. */
static const char *spread_text(const struct jr_comparison *c, int side)
{
	const struct jr_sample *s = &c->runs[side]->steps.durations;
	double least = s->values[0], most = s->values[0];
	for (size_t i = 1; i < s->n; i++) {
		least = fmin(least, s->values[i]);
		most = fmax(most, s->values[i]);
	}
	const char *low = time_text(c, least), *high = time_text(c, most);
	return strcmp(low, high) == 0 ? low : jr_arena_printf(c->arena, "%s to %s", low, high);
}

/* Both median steps; NULL: a run has no step. Steps of different work have no change. */
static const char *both_text(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	if (!j->n_steps[JR_BASE] || !j->n_steps[JR_NEW])
		return NULL;
	if (j->enough && !isnan(j->change.relative.low))
		return change_text(c);
	const char *base = time_text(c, step_ns(c, JR_BASE)), *fresh = time_text(c, step_ns(c, JR_NEW));
	if (!j->same_subject || isnan(j->change.relative.estimate))
		return jr_arena_printf(c->arena, "%s → %s", base, fresh);
	return jr_arena_printf(
		c->arena, "%s → %s (%s)", base, fresh, percent_text(c, j->change.relative.estimate));
}

/* How many steps would tell what these leave open. */
static const char *steps_text(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	char number[JR_NUM_MAX];
	if (isnan(j->needed))
		return "the estimate lies at the tolerance: more steps would hardly tell";
	if (isinf(j->needed))
		return "more than 100 times as many steps would have to be profiled to tell";
	jr_num_grouped(number, j->needed, 0);
	return jr_arena_printf(c->arena,
		"about %s steps in each run would tell, if the change is what it seems, %s", number,
		percent_text(c, j->change.relative.estimate));
}

/* Why it cannot be told and what could, as a sentence. */
static const char *open_text(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	const struct jr_doubt *doubt = &j->doubts[0];
	char *text;
	if (!j->same_subject)
		text = jr_arena_printf(
			c->arena, "%s: it takes two runs of the same step on the same GPUs", doubt->text);
	else if (!j->enough)
		text = jr_arena_printf(c->arena, "%" PRId64 " and %" PRId64 " steps (%s, then %s) %s",
			j->n_steps[JR_BASE], j->n_steps[JR_NEW], spread_text(c, JR_BASE),
			spread_text(c, JR_NEW), doubt->open);
	else if (doubt->open)
		text = jr_arena_printf(c->arena, "%s; %s", doubt->open, steps_text(c));
	else
		text = jr_arena_strdup(c->arena, doubt->text);
	if (*text >= 'a' && *text <= 'z')
		*text = (char)(*text - 'a' + 'A');
	return jr_arena_printf(c->arena, "%s.", text);
}

static struct jr_answer unclear_answer(const struct jr_comparison *c)
{
	const char *both = both_text(c);
	if (!both)
		return (struct jr_answer){
			jr_arena_printf(c->arena, "Cannot tell: %s", c->judgement.doubts[0].text),
			"It takes steady executions of the same module in both runs."};
	return (struct jr_answer){
		jr_arena_printf(c->arena, "Cannot tell: median step %s", both), open_text(c)};
}

struct jr_answer jr_compare_answer(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	switch (j->verdict) {
	case JR_VERDICT_REGRESSION:
		return (struct jr_answer){
			jr_arena_printf(
				c->arena, "Regression: the median step takes longer, %s", change_text(c)),
			cause_text(c)};
	case JR_VERDICT_IMPROVEMENT:
		return (struct jr_answer){
			jr_arena_printf(
				c->arena, "Improvement: the median step takes less, %s", change_text(c)),
			cause_text(c)};
	case JR_VERDICT_SAME:
		if (j->equal)
			return (struct jr_answer){
				"Same: the step times of both runs are equal one by one", NULL};
		return (struct jr_answer){
			jr_arena_printf(c->arena, "Same: the median step did not change by more than %s, %s",
				jr_tolerance_text(c->tolerance, c->arena), change_text(c)),
			NULL};
	case JR_VERDICT_UNCLEAR:
		break;
	}
	return unclear_answer(c);
}

const char *jr_compare_sentence(const struct jr_comparison *c)
{
	struct jr_answer answer = jr_compare_answer(c);
	return jr_answer_text(c->arena, &answer);
}

/* --- figures ---------------------------------------------------------------------------------- */

static struct jr_scalar scalar(
	const char *key, const char *title, const char *help, enum jr_unit unit, double v)
{
	struct jr_scalar s = jr_scalar_f64(key, title, help, unit, v);
	s.hidden = true;
	return s;
}

static void add_text(const struct jr_comparison *c, struct jr_section *out, const char *key,
	const char *title, const char *help, const char *text, bool tile)
{
	struct jr_scalar s = jr_scalar_text(key, title, help, text);
	s.tile = tile;
	s.hidden = true;
	(void)jr_section_scalar(out, c->arena, &s);
}

static void add_step(const struct jr_comparison *c, struct jr_section *out, int side)
{
	static const char *const keys[] = {"step.base_ms", "step.new_ms"};
	static const char *const titles[] = {"Median step, base", "Median step, new"};
	struct jr_scalar s = scalar(keys[side], titles[side],
		"median over steady steps of the slowest device's time", JR_UNIT_NS, NAN);
	if (c->judgement.n_steps[side]) {
		s.type = JR_I64;
		s.value.i64 = (int64_t)step_ns(c, side);
	}
	s.n = c->judgement.n_steps[side];
	s.tile = true;
	(void)jr_section_scalar(out, c->arena, &s);
}

static void add_change(const struct jr_comparison *c, struct jr_section *out)
{
	const struct jr_judgement *j = &c->judgement;
	struct jr_scalar change = scalar("step.change_percent", "Change of the step",
		"new / base - 1 of the median step", JR_UNIT_PERCENT, j->change.relative.estimate);
	change.change = true;
	change.tile = true;
	(void)jr_section_scalar(out, c->arena, &change);
	if (!c->explanation.unavailable) {
		struct jr_scalar ns = scalar("step.change_ms", "Change of the step",
			"new - base of the median step, in whole ns", JR_UNIT_NS, 0);
		ns.type = JR_I64;
		ns.value.i64 = c->explanation.step_ns[JR_NEW] - c->explanation.step_ns[JR_BASE];
		(void)jr_section_scalar(out, c->arena, &ns);
	}
	const struct {
		const char *key, *help;
		enum jr_unit unit;
		double v;
	} figures[] = {
		{"step.low_percent",
			"lower end of the 95 % interval of the change, by bootstrap, made wider for few steps "
			"and "
			"for steps that resemble the one before",
			JR_UNIT_PERCENT, j->change.relative.low},
		{"step.high_percent", "upper end of it", JR_UNIT_PERCENT, j->change.relative.high},
		{"step.p",
			"two-sided p of Mann-Whitney's U test, as if each step were independent of the "
			"one before; the verdict rests on the interval, not on this",
			JR_UNIT_NONE, j->test.p},
		{"step.u", "its U: pairs of steps in which the new one takes longer", JR_UNIT_NONE,
			j->test.u},
		{"step.tolerance_percent", "changes of the median step below this do not matter",
			JR_UNIT_PERCENT, j->tolerance},
		{"step.detectable_percent",
			"smallest change that samples like these would show in 8 of 10 cases: the interval "
			"excludes 0, and the estimate reaches the tolerance",
			JR_UNIT_PERCENT, j->detectable},
		{"step.needed_steps",
			"about so many steps in each run would tell what the interval leaves open, if the "
			"change "
			"is what it seems; null where nothing is open, where it takes more than 100 times as "
			"many "
			"steps, and where the estimate lies at the tolerance",
			JR_UNIT_COUNT, j->needed},
		{"step.matched_percent",
			"share of the step's active time in operations that both runs have "
			"with the same shape",
			JR_UNIT_PERCENT, c->explanation.matched_frac},
	};
	for (size_t i = 0; i < JR_COUNT_OF(figures); i++) {
		struct jr_scalar s =
			scalar(figures[i].key, NULL, figures[i].help, figures[i].unit, figures[i].v);
		(void)jr_section_scalar(out, c->arena, &s);
	}
}

/* --- doubts ----------------------------------------------------------------------------------- */

static const struct jr_column_spec doubt_columns[] = {
	{"id", "Doubt", "name of the reason", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE},
	{"text", "What", "why the runs cannot be compared", JR_TEXT, JR_UNIT_NONE, 0},
};
static const struct jr_table_spec doubt_spec = {
	JR_COMPARE_SPEC(
		"doubts", "verdict.doubts", "Why there is no verdict", "Per reason", doubt_columns),
	.data_only = true};

static void add_doubts(const struct jr_comparison *c, struct jr_section *out)
{
	const struct jr_judgement *j = &c->judgement;
	struct jr_table *table = jr_table_new(c->arena, &doubt_spec, j->n_doubts);
	for (size_t i = 0; i < j->n_doubts; i++) {
		table->cells[0].text[i] = j->doubts[i].id;
		table->cells[1].text[i] = j->doubts[i].text;
		if (i)
			jr_section_text(out, c->arena, "Also: %s.", j->doubts[i].text);
	}
	jr_section_table(out, c->arena, table);
}

static void add_power(const struct jr_comparison *c, struct jr_section *out)
{
	const struct jr_judgement *j = &c->judgement;
	if (!j->enough || !(j->change.relative.error > 0))
		return;
	jr_section_text(out, c->arena,
		"From %" PRId64 " and %" PRId64 " steps that vary as these do, a change of the median step "
		"by %s or more would be told in 8 of "
		"10 cases%s.",
		j->n_steps[JR_BASE], j->n_steps[JR_NEW], percent_text(c, j->detectable) + 1,
		j->tolerance > 0 ? jr_arena_printf(c->arena, "; one below %s does not matter (--tolerance)",
							   jr_tolerance_text(j->tolerance, c->arena))
						 : "");
}

/* --- the change as a picture ------------------------------------------------------------------ */

enum { C_NAME, C_CHANGE, C_LOW, C_HIGH, C_VERDICT, C_DOUBT };

static const struct jr_column_spec change_columns[] = {
	{"name", "What", "what changed", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"change_percent", "Change", JR_CHANGE_HELP, JR_F64, JR_UNIT_PERCENT, JR_COL_CHANGE},
	{"low_percent", "Lower end", "of its 95 % interval", JR_F64, JR_UNIT_PERCENT, JR_COL_CHANGE},
	{"high_percent", "Upper end", "of its 95 % interval", JR_F64, JR_UNIT_PERCENT, JR_COL_CHANGE},
	{"verdict", "Verdict", "same, regression, improvement or cannot tell", JR_TEXT, JR_UNIT_NONE,
		0},
	{"doubt", NULL, NULL, JR_BOOL, JR_UNIT_NONE, JR_COL_RENDERED_ONLY},
};
static const struct jr_table_spec change_spec = {.name = "step_change",
	.title = "Change of the step",
	.help = "The step that the verdict is about",
	.n_columns = JR_COUNT_OF(change_columns),
	.columns = change_columns,
	.data_only = true};

/* The change with its interval against what does not matter. Nothing where neither run has steps.
 */
static void draw_change(const struct jr_comparison *c, struct jr_section *out)
{
	const struct jr_judgement *j = &c->judgement;
	if (isnan(j->change.relative.estimate))
		return;
	struct jr_table *table = jr_table_new(c->arena, &change_spec, 1);
	union jr_cells *cells = table->cells;
	cells[C_NAME].text[0] = "Median step";
	cells[C_CHANGE].f64[0] = j->change.relative.estimate;
	cells[C_LOW].f64[0] = j->change.relative.low;
	cells[C_HIGH].f64[0] = j->change.relative.high;
	cells[C_VERDICT].text[0] = jr_verdict_name(j->verdict);
	cells[C_DOUBT].boolean[0] = j->verdict == JR_VERDICT_UNCLEAR;
	struct jr_chart chart = {.name = "step_change",
		.title = "Change of the step",
		.caption = jr_arena_printf(c->arena, "to the right: the new run takes longer%s%s%s",
			isnan(j->change.relative.low) ? "" : "; bar: 95 % interval",
			j->tolerance > 0 ? "; grey: within the tolerance of " : "",
			j->tolerance > 0 ? jr_tolerance_text(j->tolerance, c->arena) : ""),
		.kind = JR_CHART_INTERVALS,
		.table = table,
		.x = "name",
		.y = "change_percent",
		.y_low = "low_percent",
		.y_high = "high_percent",
		.series = "verdict",
		.hollow = "doubt",
		.band = j->tolerance,
		.y_title = "Change of the median step"};
	jr_section_chart(out, c->arena, &chart);
	jr_section_table(out, c->arena, table);
}

/* The sample behind it; the section on steps has the table. */
static void draw_steps(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_table *table = jr_compare_step_table(c);
	if (!table->n_rows)
		return;
	struct jr_chart chart = {.name = "steps_of_both",
		.title = "Steps of both runs",
		.caption = "steady steps from top to bottom, the slowest device of each; line: the median",
		.kind = JR_CHART_DOTS,
		.table = table,
		.x = "run",
		.y = "dur_ms"};
	jr_section_chart(out, c->arena, &chart);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_answer answer = jr_compare_answer(c);
	const char *text = jr_answer_text(c->arena, &answer);
	add_text(c, out, "verdict.verdict", "Verdict",
		"of the step time: same, regression, improvement "
		"or cannot tell",
		jr_verdict_name(c->judgement.verdict), true);
	add_text(c, out, "verdict.sentence", NULL, "the verdict and what it rests on", text, false);
	add_text(c, out, "verdict.base", NULL, "name of the base", c->runs[JR_BASE]->name, false);
	add_text(c, out, "verdict.new", NULL, "name of the new run", c->runs[JR_NEW]->name, false);
	jr_section_answer(out, c->arena, &answer);
	add_doubts(c, out);
	add_power(c, out);
	draw_change(c, out);
	draw_steps(c, out);
	add_step(c, out, JR_BASE);
	add_step(c, out, JR_NEW);
	add_change(c, out);
}

const struct jr_compare_pass jr_compare_verdict = {
	.about = {.name = "verdict",
		.title = "Verdict",
		.summary = "Better, worse, the same, or not to be told",
		.leads = true},
	.run = run,
};
