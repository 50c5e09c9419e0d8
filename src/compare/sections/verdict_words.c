/* The verdict of a comparison in one sentence, with its cause. */
#include <inttypes.h>
#include <string.h>

#include "compare/judge/cause.h"
#include "compare/judge/latency_changes.h"
#include "compare/core/compare_rows.h"
#include "compare/sections/verdict_words.h"

#define ONLY_NEW "In the new run alone: %s."

/* "+3.01 %", "-3.01 %", "0 %". */
const char *jr_verdict_percent(const struct jr_comparison *c, double frac)
{
	char text[JR_NUM_MAX];
	if (frac == 0 || isinf(frac))
		return frac == 0 ? "0 %" : "from 0";
	jr_num_grouped(text, 100 * frac, 2);
	return jr_arena_printf(c->arena, "%s%s %%", frac > 0 ? "+" : "", text);
}

static const char *ratio_text(const struct jr_comparison *c, double base, double fresh)
{
	char text[JR_NUM_MAX];
	jr_num_grouped(text, fresh / base, 2);
	return jr_arena_strdup(c->arena, text);
}

/* Whether there is more work, or the same work takes longer; NULL if unknown. */
static const char *work_text(const struct jr_comparison *c, const struct jr_contribution *item)
{
	const struct jr_matched_work *base = &item->work[JR_BASE], *fresh = &item->work[JR_NEW];
	if (!item->thunk || item->part != JR_PART_COMPUTE || !item->thunk->n[JR_BASE] ||
		!item->thunk->n[JR_NEW] || !base->known || !fresh->known)
		return NULL;
	const char *name = jr_compare_thunk_name(c, item->thunk);
	bool flops = base->flops != fresh->flops, bytes = base->bytes != fresh->bytes;
	if (!flops && !bytes)
		return jr_arena_printf(
			c->arena, "%s does the same number of FLOPs and moves the same number of bytes.", name);
	if ((flops && !(base->flops > 0)) || !(base->bytes > 0))
		return NULL;
	if (!flops)
		return jr_arena_printf(
			c->arena, "%s moves %s × the bytes.", name, ratio_text(c, base->bytes, fresh->bytes));
	return jr_arena_printf(c->arena, "%s does %s × the FLOPs and moves %s × the bytes.", name,
		ratio_text(c, base->flops, fresh->flops), ratio_text(c, base->bytes, fresh->bytes));
}

/* "the median step": the subject of the verdict. */
static const char *basis_text(const struct jr_comparison *c)
{
	return jr_arena_printf(c->arena, "the %s", jr_run_step_basis(c->runs[JR_NEW]));
}

static const char *signed_time(const struct jr_comparison *c, int64_t ns)
{
	return jr_arena_printf(
		c->arena, "%s%s", ns > 0 ? "+" : JR_NUM_MINUS, jr_compare_time(c, fabs((double)ns)));
}

/* "; everything else -36.7 µs", so that the cause and the rest add up to the change; "" if the rest
 * is below 1 % of the cause. */
static const char *rest_text(const struct jr_comparison *c, int64_t cause_ns)
{
	const int64_t *step_ns = c->explanation.step_ns;
	int64_t rest_ns = step_ns[JR_NEW] - step_ns[JR_BASE] - cause_ns;
	return fabs((double)rest_ns) < 0.01 * fabs((double)cause_ns)
			   ? ""
			   : jr_arena_printf(c->arena, "; everything else %s", signed_time(c, rest_ns));
}

/* "; most of it is dot.3 (mlp/dot_general, layers.py:53, +1.2 ms)"; "" without a cause. Other parts
 * may have become shorter, or the mean may have changed by more than the median, so a cause much
 * larger than the whole change is not called a part of it. */
static const char *cause_text(const struct jr_comparison *c, const struct jr_change_cause *cause)
{
	const struct jr_explanation *e = &c->explanation;
	if (!cause->name)
		return "";
	double change = fabs((double)(e->step_ns[JR_NEW] - e->step_ns[JR_BASE]));
	const struct jr_thunk_match *thunk = cause->item ? cause->item->thunk : NULL;
	const char *place = thunk ? jr_compare_thunk_place(c, thunk) : NULL;
	if (fabs((double)cause->ns) > 1.5 * change)
		return jr_arena_printf(c->arena, "; %s%s%s%s: %s on average", cause->name,
			place ? " (" : "", place ? place : "", place ? ")" : "", signed_time(c, cause->ns));
	bool more = fabs((double)cause->ns) > change;
	return jr_arena_printf(c->arena, "; %s is %s (%s%s%s%s)",
		more                                   ? "the main cause"
		: fabs((double)cause->ns) > change / 2 ? "most of it"
											   : "the largest part",
		cause->name, place ? place : "", place ? ", " : "", signed_time(c, cause->ns),
		more ? rest_text(c, cause->ns) : "");
}

/* Median of the sample that the verdict is based on; an old report has nothing else. */
double jr_verdict_step_ns(const struct jr_comparison *c, int side)
{
	return jr_metric_find("step.median", strlen("step.median"))->value(c->runs[side]);
}

static const char *change_text(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	return jr_arena_printf(c->arena, "%s → %s (%s; 95 %% interval %s to %s)",
		jr_compare_time(c, jr_verdict_step_ns(c, JR_BASE)),
		jr_compare_time(c, jr_verdict_step_ns(c, JR_NEW)),
		jr_verdict_percent(c, j->change.relative.estimate),
		jr_verdict_percent(c, j->change.relative.low),
		jr_verdict_percent(c, j->change.relative.high));
}

/* Why executions are the steps; NULL: they are not. */
static const char *basis_note(const struct jr_comparison *c)
{
	static const char *const sides[] = {"base", "new run"};
	const struct jr_run *const *runs = c->runs;
	if (!runs[JR_NEW]->steps.by_execution)
		return NULL;
	for (int side = 0; side < 2; side++) {
		if (runs[side]->steps.periods.n || !runs[side]->steps.executions.n)
			continue;
		if (runs[side]->steps.executions.n == 1)
			return jr_arena_printf(c->arena,
				"This compares executions, because the %s has only one steady step and "
				"thus no step-to-step time.",
				sides[side]);
		if (runs[side]->steps.row != runs[side]->own_step)
			return jr_arena_printf(c->arena,
				"This compares executions, because the step of the base is not the step of the %s.",
				sides[side]);
		return jr_arena_printf(c->arena,
			"This compares executions, because the %s does not contain step-to-step "
			"times. Write its report again to compare steps.",
			sides[side]);
	}
	return NULL;
}

/* "Both runs have steps of 2 kinds: 26 and 26 of about 337 µs, 13 and 13 of about 459 µs. ..." */
static const char *kinds_note(const struct jr_comparison *c)
{
	const struct jr_step_kinds *k = &c->kinds;
	const char *word = jr_run_step_word(c->runs[JR_NEW]), *text = "";
	if (!k->n)
		return NULL;
	for (size_t i = 0; i < k->n; i++)
		text = jr_arena_printf(c->arena, "%s%s %s → %s (%zu and %zu)", text, i ? "," : "",
			jr_compare_time(c, k->items[i].median_ns[JR_BASE]),
			jr_compare_time(c, k->items[i].median_ns[JR_NEW]), k->items[i].n[JR_BASE],
			k->items[i].n[JR_NEW]);
	return jr_arena_printf(c->arena,
		"Both runs have %ss of %zu lengths:%s. The typical %s is the mean of their medians, "
		"weighted by the number of %ss of each.",
		word, k->n, text, word, word);
}

const char *jr_compare_headline(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	const char *name = jr_verdict_name(j->verdict);
	if (j->verdict != JR_VERDICT_REGRESSION && j->verdict != JR_VERDICT_IMPROVEMENT)
		return name;
	return jr_arena_printf(c->arena, "%s, %s", name,
		jr_verdict_percent(
			c, jr_judged_exactly(j) ? j->exact_change : j->change.relative.estimate));
}

/* --- open questions --------------------------------------------------------------------------- */

/* Range of a run's step times, from the shortest to the longest. */
static const char *spread_text(const struct jr_comparison *c, int side)
{
	const struct jr_sample *s = jr_run_step_sample(c->runs[side]);
	double least = s->values[0], most = s->values[0];
	for (size_t i = 1; i < s->n; i++) {
		least = fmin(least, s->values[i]);
		most = fmax(most, s->values[i]);
	}
	const char *low = jr_compare_time(c, least), *high = jr_compare_time(c, most);
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
	const char *base = jr_compare_time(c, jr_verdict_step_ns(c, JR_BASE)),
			   *fresh = jr_compare_time(c, jr_verdict_step_ns(c, JR_NEW));
	if (!j->same_subject || isnan(j->change.relative.estimate))
		return jr_arena_printf(c->arena, "%s → %s", base, fresh);
	return jr_arena_printf(
		c->arena, "%s → %s (%s)", base, fresh, jr_verdict_percent(c, j->change.relative.estimate));
}

/* The number of steps that would settle the open doubts. */
static const char *steps_text(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	const char *word = jr_run_step_word(c->runs[JR_NEW]);
	char number[JR_NUM_MAX];
	if (isnan(j->needed))
		return jr_arena_printf(
			c->arena, "the estimate is at the tolerance, so more %ss would hardly help", word);
	if (isinf(j->needed))
		return jr_arena_printf(
			c->arena, "more than 100 times as many %ss would be needed to decide", word);
	jr_num_grouped(number, j->needed, 0);
	return jr_arena_printf(c->arena,
		"about %s %ss per run would decide this if the true change is %s, as measured", number,
		word, jr_verdict_percent(c, j->change.relative.estimate));
}

/* Why there is no verdict, and what would settle it, as a sentence. */
static const char *open_text(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	const struct jr_doubt *doubt = &j->doubts[0];
	char *text;
	if (!j->same_subject)
		text = jr_arena_printf(
			c->arena, "%s. Compare two runs of the same step on the same GPUs", doubt->text);
	else if (!j->enough)
		text = jr_arena_printf(c->arena,
			"%" PRId64 " %s%s in the base (%s) and %" PRId64 " in the new run (%s) %s",
			j->n_steps[JR_BASE], jr_run_step_word(c->runs[JR_NEW]),
			j->n_steps[JR_BASE] == 1 ? "" : "s", spread_text(c, JR_BASE), j->n_steps[JR_NEW],
			spread_text(c, JR_NEW), doubt->open);
	else if (doubt->open)
		text = jr_arena_printf(c->arena, "%s; %s", doubt->open, steps_text(c));
	else
		text = jr_arena_strdup(c->arena, doubt->text);
	if (*text >= 'a' && *text <= 'z')
		*text = (char)(*text - 'a' + 'A');
	return jr_arena_printf(c->arena, "%s.", text);
}

bool jr_verdict_no_steps(const struct jr_comparison *c)
{
	return !c->judgement.n_steps[JR_BASE] && !c->judgement.n_steps[JR_NEW];
}

struct jr_metric_change jr_verdict_change_of(const struct jr_comparison *c, const char *metric)
{
	const struct jr_metric *m = jr_metric_find(metric, strlen(metric));
	return jr_metric_compare(m, c->runs[JR_BASE], c->runs[JR_NEW], NULL);
}

/* "90.41 % before, −7.85 pp": the base's value and the change. NULL: a run does not have the
 * metric. */
const char *jr_verdict_change_note(const struct jr_comparison *c, const char *metric)
{
	enum jr_unit unit = jr_metric_find(metric, strlen(metric))->unit;
	struct jr_metric_change change = jr_verdict_change_of(c, metric);
	const char *base = jr_metric_text(unit, change.base, false, c->arena),
			   *by = jr_metric_text(unit, change.absolute, true, c->arena);
	return base && by ? jr_arena_printf(c->arena, "%s before, %s", base, by) : NULL;
}

/* How to get steps in both runs. */
static const char *step_advice(const struct jr_comparison *c)
{
	bool modules = jr_run_rows(c->runs[JR_BASE], JR_RUN_MODULES) ||
				   jr_run_rows(c->runs[JR_NEW], JR_RUN_MODULES);
	const char *busy = jr_verdict_no_steps(c) ? jr_verdict_change_note(c, "gpu.busy") : NULL;
	const char *most = busy ? jr_compare_gpu_changes(c) : NULL;
	return jr_arena_printf(c->arena, "%s%s%s%s",
		busy ? jr_arena_printf(c->arena, "The GPUs are busy %s of the profile (%s). ",
				   jr_metric_text(
					   JR_UNIT_FRAC, jr_verdict_change_of(c, "gpu.busy").fresh, false, c->arena),
				   busy)
			 : "",
		most ? most : "", most ? " " : "",
		jr_latency_changes_find(c).n ? "Compare the latency of programs instead."
		: modules
			? "Profile steady executions of the same module in both runs."
			: "Number the steps of the program (NVTX ranges “step 0”, “step 1”, …) to compare "
			  "step times.");
}

/* Join two sentences; either may be NULL. */
static const char *join(const struct jr_comparison *c, const char *a, const char *b)
{
	return a && b ? jr_arena_printf(c->arena, "%s %s", a, b) : a ? a : b;
}

static bool base_has(const struct jr_comparison *c, size_t fresh)
{
	for (size_t i = 0; i < jr_run_rows(c->runs[JR_BASE], JR_RUN_FINDINGS); i++)
		if (jr_run_of_some_steps(c->runs[JR_BASE], i) &&
			jr_match_findings(&c->match, c->runs, (const size_t[2]){i, fresh}))
			return true;
	return false;
}

/* The median hardly shows what is slow in some steps only, so report the largest such finding that
 * the base does not have. NULL: there is none. */
static const char *some_steps_text(const struct jr_comparison *c)
{
	const struct jr_run *fresh = c->runs[JR_NEW];
	const char *title = NULL;
	int64_t most_ns = 0;
	for (size_t i = 0; i < jr_run_rows(fresh, JR_RUN_FINDINGS); i++) {
		int64_t ns = jr_run_i64(fresh, JR_RUN_FINDINGS, JR_FINDING_ALL, i);
		if (ns <= most_ns || !jr_run_of_some_steps(fresh, i) || base_has(c, i))
			continue;
		title = jr_run_text(fresh, JR_RUN_FINDINGS, JR_FINDING_TITLE, i);
		most_ns = ns;
	}
	return title && c->judgement.same_subject && jr_run_rows(fresh, JR_RUN_STEP_LEDGER)
			   ? jr_arena_printf(c->arena, ONLY_NEW, title)
			   : NULL;
}

static const char *changed_latency(const struct jr_comparison *c)
{
	const char *text = jr_latency_changes_text(c);
	return text && strncmp(text, JR_LATENCY_CHANGED, strlen(JR_LATENCY_CHANGED)) == 0 ? text : NULL;
}

static struct jr_answer unclear_answer(const struct jr_comparison *c)
{
	const char *both = both_text(c), *latency = jr_verdict_no_steps(c) ? changed_latency(c) : NULL;
	if (latency)
		return (struct jr_answer){
			jr_arena_strndup(c->arena, latency, strlen(latency) - 1), /* without its period */
			jr_arena_printf(
				c->arena, "Steps cannot be compared: %s.", c->judgement.doubts[0].text)};
	if (!both)
		return (struct jr_answer){
			jr_arena_printf(c->arena, "Cannot tell: %s", c->judgement.doubts[0].text),
			step_advice(c)};
	return (struct jr_answer){
		jr_arena_printf(c->arena, "Cannot tell: %s %s", basis_text(c) + strlen("the "), both),
		join(c, open_text(c), some_steps_text(c))};
}

/* "65 µs of it are its own time, the rest is ..."; NULL if its own time is all of the cause. */
static const char *waiting_text(const struct jr_comparison *c, const struct jr_change_cause *cause)
{
	const struct jr_contribution *item = cause->item;
	if (!item || !item->thunk)
		return NULL;
	int64_t own_ns = item->ns[JR_NEW] - item->ns[JR_BASE];
	if (fabs((double)cause->ns) <= 1.005 * fabs((double)own_ns))
		return NULL;
	return jr_arena_printf(c->arena,
		"Of the %s, %s is its own time, averaged over devices; the rest is other devices waiting "
		"for it.",
		signed_time(c, cause->ns), signed_time(c, own_ns));
}

/* The direction, size and cause of the change. */
static struct jr_answer changed_answer(const struct jr_comparison *c, const char *verdict)
{
	const struct jr_judgement *j = &c->judgement;
	struct jr_change_cause cause = jr_change_cause_find(c);
	const char *work = cause.item ? work_text(c, cause.item) : NULL;
	work = join(c, waiting_text(c, &cause), work);
	return (struct jr_answer){
		jr_arena_printf(c->arena, "%s: %s takes %s instead of %s (%s)%s", verdict, basis_text(c),
			jr_compare_time(c, jr_verdict_step_ns(c, JR_NEW)),
			jr_compare_time(c, jr_verdict_step_ns(c, JR_BASE)),
			jr_verdict_percent(c, j->change.relative.estimate), cause_text(c, &cause)),
		join(c,
			jr_arena_printf(c->arena, "The 95 %% interval of the change is %s to %s.",
				jr_verdict_percent(c, j->change.relative.low),
				jr_verdict_percent(c, j->change.relative.high)),
			work)};
}

static struct jr_answer same_answer(const struct jr_comparison *c)
{
	const char *basis = basis_text(c);
	if (c->judgement.equal)
		return (struct jr_answer){
			jr_arena_printf(c->arena, "Same: the %s times of both runs are identical",
				jr_run_step_word(c->runs[JR_NEW])),
			NULL};
	return (struct jr_answer){
		jr_arena_printf(c->arena, "Same: %s did not change by more than %s, %s", basis,
			jr_tolerance_text(c->tolerance, c->arena), change_text(c)),
		some_steps_text(c)};
}

/* "FLOPs +4.1 %, memory traffic +0.2 %": the changes of a plan besides its time. */
static const char *plan_changes(const struct jr_comparison *c)
{
	static const char *const metrics[] = {"flops", "bytes", "collective.bytes", "memory.peak"};
	const char *text = "";
	for (size_t i = 0; i < JR_COUNT_OF(metrics); i++) {
		struct jr_metric_change change = jr_verdict_change_of(c, metrics[i]);
		const char *title = jr_metric_find(metrics[i], strlen(metrics[i]))->title;
		if (change.base > 0 || change.fresh > 0)
			text = jr_arena_printf(c->arena, "%s%s%s %s", text, *text ? "; " : "", title,
				jr_verdict_percent(c, change.relative));
	}
	return jr_arena_printf(c->arena,
		"%s. Nothing was measured: these are lower bounds from the "
		"programs.",
		text);
}

static struct jr_answer plan_answer(const struct jr_comparison *c)
{
	static const char *const words[] = {[JR_VERDICT_SAME] = "Same",
		[JR_VERDICT_REGRESSION] = "Regression",
		[JR_VERDICT_IMPROVEMENT] = "Improvement"};
	const struct jr_judgement *j = &c->judgement;
	struct jr_metric_change roof = jr_verdict_change_of(c, "step.roof");
	const char *name = jr_run_text(c->runs[JR_NEW], JR_RUN_PLAN, JR_PLAN_NAME, 0);
	const char *largest = jr_compare_plan_largest(c);
	if (j->verdict == JR_VERDICT_UNCLEAR)
		return (struct jr_answer){
			jr_arena_printf(c->arena, "Cannot tell: %s", j->doubts[0].text), plan_changes(c)};
	return (struct jr_answer){
		jr_arena_printf(c->arena,
			"%s: at the roofline one execution of %s takes at least %s instead of %s (%s)%s%s",
			words[j->verdict], name, jr_compare_time(c, roof.fresh), jr_compare_time(c, roof.base),
			jr_verdict_percent(c, j->exact_change), largest ? "; the largest change is " : "",
			largest ? largest : ""),
		plan_changes(c)};
}

bool jr_answer_of_latency(const struct jr_answer *answer)
{
	return strncmp(answer->headline, JR_LATENCY_CHANGED, strlen(JR_LATENCY_CHANGED)) == 0;
}

struct jr_answer jr_compare_answer(const struct jr_comparison *c)
{
	struct jr_answer answer = {0};
	if (c->judgement.plan)
		return plan_answer(c);
	if (c->judgement.live)
		return jr_compare_live_answer(c);
	switch (c->judgement.verdict) {
	case JR_VERDICT_REGRESSION: answer = changed_answer(c, "Regression"); break;
	case JR_VERDICT_IMPROVEMENT: answer = changed_answer(c, "Improvement"); break;
	case JR_VERDICT_SAME: answer = same_answer(c); break;
	case JR_VERDICT_UNCLEAR: answer = unclear_answer(c); break;
	}
	if (!jr_answer_of_latency(&answer)) /* the headline has it */
		answer.lede = join(c, answer.lede, jr_latency_changes_text(c));
	if (c->judgement.same_subject)
		answer.lede = join(c, answer.lede, kinds_note(c));
	if (c->judgement.verdict != JR_VERDICT_SAME)
		answer.lede = join(c, answer.lede, jr_compare_settings_note(c));
	answer.lede = join(c, answer.lede, basis_note(c));
	return answer;
}
