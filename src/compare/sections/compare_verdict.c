/* The head of a comparison: the verdict, the doubts, and the numbers it is based on. */
#include <inttypes.h>
#include <string.h>

#include "compare/core/compare_rows.h"
#include "compare/sections/verdict_words.h"

/* --- figures ---------------------------------------------------------------------------------- */

static void add(
	const struct jr_comparison *c, struct jr_section *out, struct jr_scalar s, bool tile)
{
	s.tile = tile;
	s.hidden = true;
	(void)jr_section_scalar(out, c->arena, &s);
}

/* "Median step" */
static const char *basis(const struct jr_comparison *c)
{
	char *text = jr_arena_strdup(c->arena, jr_run_step_basis(c->runs[JR_NEW]));
	*text = (char)(*text - 'a' + 'A');
	return text;
}

static void add_step(const struct jr_comparison *c, struct jr_section *out, int side)
{
	static const char *const keys[] = {"step.base_ms", "step.new_ms"};
	struct jr_scalar s = jr_scalar_f64(keys[side],
		jr_arena_printf(c->arena, "%s, %s", basis(c), side == JR_BASE ? "base" : "new"),
		"median time from the start of a steady step to the start of the next; if "
		"step.basis is execution, median execution time on the slowest device; of steps "
		"of several lengths the mean of their medians",
		JR_UNIT_NS, NAN);
	if (c->judgement.n_steps[side]) {
		s.type = JR_I64;
		s.value.i64 = llround(jr_verdict_step_ns(c, side));
	}
	s.n = c->judgement.n_steps[side];
	add(c, out, s, !jr_verdict_no_steps(c));
}

static void add_change(const struct jr_comparison *c, struct jr_section *out)
{
	const struct jr_judgement *j = &c->judgement;
	add(c, out,
		jr_scalar_text("step.basis", NULL,
			"what is compared: period (from the start of a step to the start of the "
			"next) or execution (if a run has no period)",
			c->runs[JR_NEW]->steps.by_execution ? "execution" : "period"),
		false);
	struct jr_scalar change = jr_scalar_f64("step.change_percent", "Change of the step",
		"new / base - 1 of the median step", JR_UNIT_PERCENT, j->change.relative.estimate);
	change.change = true;
	add(c, out, change, !jr_verdict_no_steps(c));
	if (!c->explanation.unavailable)
		add(c, out,
			jr_scalar_ns_i64("step.change_ms", "Change of the step",
				"new - base of the median step, in whole ns",
				c->explanation.step_ns[JR_NEW] - c->explanation.step_ns[JR_BASE]),
			false);
	const struct jr_scalar figures[] = {
		jr_scalar_f64("step.low_percent", NULL,
			"lower end of the bootstrap 95 % interval of the change; wider for few steps "
			"and for steps that resemble the step before",
			JR_UNIT_PERCENT, j->change.relative.low),
		jr_scalar_f64("step.high_percent", NULL, "upper end of the 95 % interval of the change",
			JR_UNIT_PERCENT, j->change.relative.high),
		jr_scalar_f64("step.p", NULL,
			"two-sided p value of Mann-Whitney's U test, which treats steps as "
			"independent; the verdict uses the interval, not this value",
			JR_UNIT_NONE, j->test.p),
		jr_scalar_f64("step.u", NULL,
			"U of that test: number of step pairs in which the new run takes longer", JR_UNIT_NONE,
			j->test.u),
		jr_scalar_f64("step.tolerance_percent", NULL,
			"changes of the median step below this value do not matter", JR_UNIT_PERCENT,
			j->tolerance),
		jr_scalar_f64("step.detectable_percent", NULL,
			"smallest change that samples like these would detect in 8 of 10 cases: the "
			"interval excludes 0 and the estimate reaches the tolerance",
			JR_UNIT_PERCENT, j->detectable),
		jr_scalar_f64("step.needed_steps", NULL,
			"approximate number of steps per run that would decide what the interval "
			"leaves open, if the true change is the measured one. Null if nothing is "
			"open, if it takes more than 100 times as many steps, or if the estimate is "
			"at the tolerance",
			JR_UNIT_COUNT, j->needed),
		jr_scalar_f64("step.matched_percent", NULL,
			"share of the step's active time in operations that both runs have with the same shape",
			JR_UNIT_PERCENT, c->explanation.matched_frac),
	};
	for (size_t i = 0; i < JR_COUNT_OF(figures); i++)
		add(c, out, figures[i], false);
}

/* Metrics of the whole profile, compared if no run has a step. */
static const char *const without_steps[] = {"step.roof", "flops", "bytes", "collective.bytes",
	"gpu.busy", "compile.total", "memory.peak", "memory.live", "memory.live.executables"};

/* Tiles of metrics that both runs have, if neither has a step. */
static void add_profiles(const struct jr_comparison *c, struct jr_section *out)
{
	for (size_t i = 0; i < JR_COUNT_OF(without_steps); i++) {
		const struct jr_metric *m = jr_metric_find(without_steps[i], strlen(without_steps[i]));
		const char *note = jr_verdict_change_note(c, m->name);
		if (!note)
			continue;
		struct jr_scalar s =
			jr_scalar_f64(NULL, m->title, m->help, m->unit, jr_verdict_change_of(c, m->name).fresh);
		s.note = note;
		add(c, out, s, true);
	}
}

/* --- doubts ----------------------------------------------------------------------------------- */

#define DOUBTS(X, T)                                                                               \
	X(T, id, "Doubt", "name of the reason", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                  \
	X(T, text, "What", "why the runs cannot be compared", TEXT, NONE, 0)
JR_COMPARE_COLUMNS(DOUBTS)

static const struct jr_table_spec doubt_spec = {
	JR_TABLE_SPEC(
		"doubts", "verdict.doubts", "Why there is no verdict", "Per reason", DOUBTS_columns),
	.data_only = true};

static void add_doubts(const struct jr_comparison *c, struct jr_section *out)
{
	const struct jr_judgement *j = &c->judgement;
	struct jr_table *table = jr_table_new(c->arena, &doubt_spec, j->n_doubts);
	for (size_t i = 0; i < j->n_doubts; i++) {
		table->cells[DOUBTS_id].text[i] = j->doubts[i].id;
		table->cells[DOUBTS_text].text[i] = j->doubts[i].text;
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
		"Sensitivity: with %" PRId64 " and %" PRId64
		" %ss that vary like these, a change of %s or more of the median is detected in 8 of 10 "
		"cases.%s",
		j->n_steps[JR_BASE], j->n_steps[JR_NEW], jr_run_step_word(c->runs[JR_NEW]),
		jr_verdict_percent(c, j->detectable) + 1,
		j->tolerance > 0
			? jr_arena_printf(c->arena, " A change below %s counts as none (--tolerance).",
				  jr_tolerance_text(j->tolerance, c->arena))
			: "");
}

/* --- chart of the change ---------------------------------------------------------------------- */

#define CHANGE(X, T)                                                                               \
	X(T, name, "What", "what changed", TEXT, NONE, JR_COL_KEY)                                     \
	X(T, change_percent, "Change", JR_CHANGE_HELP, F64, PERCENT, JR_COL_CHANGE)                    \
	X(T, low_percent, "Lower end", "lower end of the 95 % interval of the change", F64, PERCENT,   \
		JR_COL_CHANGE)                                                                             \
	X(T, high_percent, "Upper end", "upper end of the 95 % interval of the change", F64, PERCENT,  \
		JR_COL_CHANGE)                                                                             \
	X(T, verdict, "Verdict", "verdict: same, regression, improvement or cannot tell", TEXT, NONE,  \
		0)                                                                                         \
	X(T, doubt, NULL, NULL, BOOL, NONE, JR_COL_RENDERED_ONLY)
JR_COMPARE_COLUMNS(CHANGE)

static const struct jr_table_spec change_spec = {
	JR_TABLE_SPEC(
		"step_change", NULL, "Change of the step", "Per step of the verdict", CHANGE_columns),
	.data_only = true};

/* Draw the change and its interval together with the tolerance. Draws nothing if neither run has
 * steps.
 */
static void draw_change(const struct jr_comparison *c, struct jr_section *out)
{
	const struct jr_judgement *j = &c->judgement;
	if (isnan(j->change.relative.estimate))
		return;
	struct jr_table *table = jr_table_new(c->arena, &change_spec, 1);
	union jr_cells *cells = table->cells;
	cells[CHANGE_name].text[0] = basis(c);
	cells[CHANGE_change_percent].f64[0] = j->change.relative.estimate;
	cells[CHANGE_low_percent].f64[0] = j->change.relative.low;
	cells[CHANGE_high_percent].f64[0] = j->change.relative.high;
	cells[CHANGE_verdict].text[0] = jr_verdict_name(j->verdict);
	cells[CHANGE_doubt].boolean[0] = j->verdict == JR_VERDICT_UNCLEAR;
	struct jr_chart chart = {.name = "step_change",
		.title = "Change of the step",
		.caption = jr_arena_printf(c->arena, "right of 0: the new run takes longer%s%s%s",
			isnan(j->change.relative.low) ? "" : "; bar: 95 % interval",
			j->tolerance > 0 ? "; gray: within the tolerance of " : "",
			j->tolerance > 0 ? jr_tolerance_text(j->tolerance, c->arena) : ""),
		.kind = JR_CHART_INTERVALS,
		.table = table,
		.x = JR_KEY(CHANGE, name),
		.y = JR_KEY(CHANGE, change_percent),
		.y_low = JR_KEY(CHANGE, low_percent),
		.y_high = JR_KEY(CHANGE, high_percent),
		.series = JR_KEY(CHANGE, verdict),
		.hollow = JR_KEY(CHANGE, doubt),
		.band = j->tolerance,
		.y_title = "Change of the median"};
	jr_section_chart(out, c->arena, &chart);
	jr_section_table(out, c->arena, table);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_answer answer = jr_compare_answer(c);
	const char *text = jr_answer_text(c->arena, &answer);
	add(c, out,
		jr_scalar_text("verdict.verdict", "Verdict",
			"verdict on the step time: same, regression, improvement or cannot tell",
			jr_verdict_name(c->judgement.verdict)),
		true);
	const struct jr_scalar texts[] = {
		jr_scalar_text("verdict.sentence", NULL, "the verdict and its basis", text),
		jr_scalar_text("verdict.base", NULL, "name of the base", c->runs[JR_BASE]->name),
		jr_scalar_text("verdict.new", NULL, "name of the new run", c->runs[JR_NEW]->name),
	};
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++)
		add(c, out, texts[i], false);
	jr_section_answer(out, c->arena, &answer);
	add_doubts(c, out);
	add_power(c, out);
	draw_change(c, out);
	jr_compare_draw_steps(c, out);
	add_step(c, out, JR_BASE);
	add_step(c, out, JR_NEW);
	add_change(c, out);
	if (jr_verdict_no_steps(c))
		add_profiles(c, out);
}

const struct jr_compare_pass jr_compare_verdict = {
	.about = {.name = "verdict",
		.title = "Verdict",
		.summary = "Whether the step time improved, regressed or stayed the same",
		.leads = true},
	.run = run,
};
