/* The head of a history: the last run, compared with the one before it and with earlier ones. */
#include <math.h>
#include <string.h>

#include "compare/core/compare_columns.h"
#include "compare/history/trend_impl.h"

/* --- time of the last change ------------------------------------------------------------------ */

/* A run that differs from the one before it, and may explain the last run. */
struct turn {
	size_t run;             /* index of the point; 0: no such run */
	struct jr_comparison c; /* of the last run with the one before `run` */
};

#define MOST_TURNS 16 /* that are tried: each is resampled */

/* Priority in the head: slower, perhaps slower, faster. */
static int rank_of(const struct jr_comparison *c, double tolerance)
{
	const struct jr_judgement *j = &c->judgement;
	switch (j->verdict) {
	case JR_VERDICT_REGRESSION: return 3;
	case JR_VERDICT_UNCLEAR:
		return j->same_subject && fabs(j->change.relative.estimate) >= tolerance ? 2 : 0;
	case JR_VERDICT_IMPROVEMENT: return 1;
	case JR_VERDICT_SAME: break;
	}
	return 0;
}

static struct jr_comparison last_against(const struct jr_trend *t, size_t base)
{
	struct jr_run *runs = JR_ARENA_N(t->arena, struct jr_run, 2);
	struct jr_comparison c;
	runs[0] = t->points[base].entry->run;
	runs[1] = t->points[t->history->n - 1].entry->run;
	jr_compare_judge(&runs[0], &runs[1], t->request->tolerance, NULL, t->arena, &c);
	return c;
}

/* The same for runs without steps, whose latency changed. */
static struct turn latency_turn_of(const struct jr_trend *t)
{
	size_t last = t->history->n - 1, n_left = MOST_TURNS;
	for (size_t i = last; i > 0 && n_left && !t->points[last].latency; i--) {
		if (!t->points[i].latency)
			continue;
		struct jr_comparison c = last_against(t, i - 1);
		struct jr_answer answer = jr_compare_answer(&c);
		if (jr_answer_of_latency(&answer))
			return (struct turn){i, c};
		n_left--;
	}
	return (struct turn){0};
}

/* If the last run did not change against the one before it, an earlier change leads: "same" alone
 * would hide it. */
static struct turn turn_of(const struct jr_trend *t)
{
	struct turn turn = {0};
	size_t last = t->history->n - 1, n_left = MOST_TURNS;
	int most = 0;
	if (t->points[last].changed)
		return turn;
	for (size_t i = last; i > 0 && n_left && t->points[i].like_before; i--) {
		if (i == last || strcmp(t->points[i].verdict, jr_verdict_name(JR_VERDICT_SAME)) == 0)
			continue;
		struct jr_comparison c = last_against(t, i - 1);
		int rank = rank_of(&c, t->request->tolerance);
		if (rank > most)
			turn = (struct turn){i, c};
		most = rank > most ? rank : most;
		n_left--;
	}
	/* the run before it was an outlier of which too little is known, if the one before that is like
	 * the last one */
	if (most == 2 && turn.run > 1 && t->points[turn.run - 1].like_before &&
		last_against(t, turn.run - 2).judgement.verdict == JR_VERDICT_SAME)
		return (struct turn){0};
	return turn.run ? turn : latency_turn_of(t);
}

/* ", main": commit and label of a point after the number of its run; "" if it has none. */
static const char *named(const struct jr_trend *t, const struct jr_trend_point *p)
{
	return p->entry->about.commit || p->entry->about.label
			   ? jr_arena_printf(t->arena, ", %s", p->title)
			   : "";
}

/* Return the point whose change was undone by the one at `run`, because the last run is like the
 * one before it; 0: none. */
static size_t undone_by(const struct jr_trend *t, size_t run)
{
	bool slower = t->points[run].change.estimate > 0;
	size_t n_left = MOST_TURNS;
	if (!t->points[run].changed || !t->points[run].like_before)
		return 0;
	for (size_t i = run - 1; i > 0 && n_left && t->points[i].like_before; i--, n_left--) {
		if (!t->points[i].changed)
			continue;
		if ((t->points[i].change.estimate > 0) == slower)
			return 0;
		struct jr_comparison c = last_against(t, i - 1);
		if (c.judgement.verdict == JR_VERDICT_SAME)
			return i;
	}
	return 0;
}

#define FEWEST_CHANGES 3 /* earlier ones: a regression and its end are two */

/* A change that stays within the times of earlier runs may have no cause: the interval of a change
 * is that of the steps of two runs, and does not contain what differs between any two runs. */
static void tell_scatter(const struct jr_trend *t, size_t run, struct jr_answer *answer)
{
	const struct jr_trend_point *p = &t->points[run];
	double least = INFINITY, most = 0;
	size_t n_changed = 0;
	for (size_t i = run; i > 0 && t->points[i].like_before; i--) {
		n_changed += t->points[i - 1].changed;
		least = fmin(least, t->points[i - 1].median.estimate);
		most = fmax(most, t->points[i - 1].median.estimate);
	}
	double estimate = p->median.estimate;
	if (!p->changed || p->latency || n_changed < FEWEST_CHANGES ||
		!(estimate > least && estimate < most))
		return;
	char range[JR_NUM_MAX];
	jr_num_time_range(range, least, most, jr_num_time);
	answer->lede = jr_arena_printf(t->arena,
		"Earlier runs took %s per %s, so this may be the usual difference between runs.%s%s", range,
		p->by_execution ? "execution" : "step", answer->lede ? " " : "",
		answer->lede ? answer->lede : "");
}

/* An improvement that ends an earlier regression makes nothing faster than it was. */
static void tell_undone(const struct jr_trend *t, size_t run, struct jr_answer *answer)
{
	static const char improvement[] = "Improvement";
	size_t undone = run ? undone_by(t, run) : 0;
	if (!undone) {
		tell_scatter(t, run, answer);
		return;
	}
	const struct jr_trend_point *p = &t->points[undone];
	if (strncmp(answer->headline, improvement, strlen(improvement)) == 0)
		answer->headline =
			jr_arena_printf(t->arena, "Recovery%s", answer->headline + strlen(improvement));
	answer->lede =
		jr_arena_printf(t->arena, "The %s takes as long as before the %s in run %zu%s.%s%s",
			p->by_execution ? "execution" : "step", p->verdict, p->entry->line, named(t, p),
			answer->lede ? " " : "", answer->lede ? answer->lede : "");
}

/* "+3.04 %" */
static const char *signed_percent(const struct jr_trend *t, double change)
{
	char percent[JR_NUM_MAX];
	jr_num_grouped(percent, 100 * change, 2);
	return jr_arena_printf(t->arena, "%s%s %%", change > 0 ? "+" : "", percent);
}

/* "Regression in run 5, main: the median step takes ...", with the numbers of that run if it alone
 * shows the change, so that the list of changes has the same ones. */
static struct jr_answer turn_answer(const struct jr_trend *t, const struct turn *turn)
{
	const struct jr_trend_point *p = &t->points[turn->run], *last = &t->points[t->history->n - 1];
	bool own = strcmp(p->verdict, jr_verdict_name(turn->c.judgement.verdict)) == 0;
	double since = own && p->changed ? turn->c.judgement.change.relative.estimate : NAN;
	struct jr_answer answer = isnan(since) ? jr_compare_answer(&turn->c) : p->answer;
	int n = (int)strcspn(answer.headline, ":");
	const char *headline = jr_arena_printf(t->arena, "%.*s in run %zu%s%s", n, answer.headline,
		p->entry->line, named(t, p), answer.headline + n);
	if (isnan(last->change.estimate))
		return (struct jr_answer){headline, answer.lede};
	const char *before =
		isnan(since) ? ""
					 : jr_arena_printf(t->arena, " by %s from the run before that change, and",
						   signed_percent(t, since));
	return (struct jr_answer){headline,
		jr_arena_printf(t->arena, "%s%sThe last run differs%s by %s from the run before it.",
			answer.lede ? answer.lede : "", answer.lede ? " " : "", before,
			signed_percent(t, last->change.estimate))};
}

/* "Drift: the median step became slower by 7.25 %, gradually from ..."; no comparison of two runs
 * shows it, so it leads, and the comparison follows. */
static struct jr_answer drift_answer(const struct jr_trend *t, const struct jr_drift *drift)
{
	const struct jr_trend_point *from = &t->points[drift->from], *last = &t->points[drift->last];
	char before[JR_NUM_MAX], after[JR_NUM_MAX];
	jr_num_time(before, from->median.estimate);
	jr_num_time(after, last->median.estimate);
	return (struct jr_answer){
		jr_arena_printf(t->arena, "Drift: the median %s became %s",
			last->by_execution ? "execution" : "step", jr_trend_drift_slower(t, drift)),
		jr_arena_printf(t->arena,
			"It went from %s in %s to %s. %zu runs are shown; the last is %s. Against "
			"the run before: %s",
			before, from->place, after, t->history->n, t->points[t->history->n - 1].title,
			t->points[t->history->n - 1].sentence)};
}

/* --- the section ------------------------------------------------------------------------------ */

static void add_text(struct jr_trend *t, struct jr_section *out, const char *key, const char *title,
	const char *help, const char *text)
{
	struct jr_scalar s = jr_scalar_text(key, title, help, text);
	s.tile = title;
	s.hidden = true;
	(void)jr_section_scalar(out, t->arena, &s);
}

static void add_change(struct jr_trend *t, struct jr_section *out, const char *key,
	const char *title, const char *help, double v)
{
	struct jr_scalar s = jr_scalar_f64(key, title, help, JR_UNIT_PERCENT, v);
	s.tile = s.hidden = s.change = true;
	(void)jr_section_scalar(out, t->arena, &s);
}

static double roof_of(const struct jr_trend_point *p)
{
	return jr_metric_find("step.roof", strlen("step.roof"))->value(&p->entry->run);
}

void jr_trend_put_last(struct jr_trend *t, struct jr_section *out)
{
	const struct jr_trend_point *first = t->points, *last = &t->points[t->history->n - 1];
	const struct jr_drift *drift = jr_trend_last_drift(t);
	const struct turn turn = drift ? (struct turn){0} : turn_of(t);
	struct jr_answer answer = turn.run ? turn_answer(t, &turn) : last->answer;
	if (!drift)
		tell_undone(t, turn.run ? turn.run : t->history->n - 1, &answer);
	const char *rest = answer.lede ? jr_arena_printf(t->arena, " %s", answer.lede) : "";
	/* the facts about the last run come first; the answer's details follow */
	if (drift && !last->changed)
		answer = drift_answer(t, drift);
	else if (t->history->n == 1)
		answer.lede = jr_arena_printf(t->arena, "Only one run is shown: %s.%s", last->title, rest);
	else
		answer.lede = jr_arena_printf(t->arena, "%zu runs are shown; the last is %s.%s%s",
			t->history->n, last->title, rest,
			drift ? jr_arena_printf(
						t->arena, " However, it became %s.", jr_trend_drift_slower(t, drift))
				  : "");
	jr_section_answer(out, t->arena, &answer);
	add_text(t, out, "last.title", NULL, "commit and label of the last run", last->title);
	add_text(t, out, "last.verdict", "Against the run before",
		"verdict on the step time against the run before: same, regression, improvement "
		"or cannot tell; first if there is no run before",
		last->verdict);
	add_text(
		t, out, "last.sentence", NULL, "the verdict on the last run and its basis", last->sentence);
	bool plan = jr_run_is_plan(&last->entry->run), live = jr_run_is_live(&last->entry->run);
	struct jr_scalar step =
		live ? jr_scalar_f64("last.live_bytes", "Live memory",
				   "bytes of all live buffers of the last device memory profile", JR_UNIT_BYTES,
				   jr_metric_find("memory.live", strlen("memory.live"))->value(&last->entry->run))
		: plan
			? jr_scalar_ns("last.roof_ms", "Step at the roofline",
				  "lower bound of one execution of the program that the last plan is about",
				  roof_of(last))
			: jr_scalar_ns("last.step_ms", "Median step",
				  "median time of the last run from the start of a step to the start of the next",
				  jr_metric_find("step.median", strlen("step.median"))->value(&last->entry->run));
	step.n = plan || live ? 0 : (int64_t)last->entry->run.steps.periods.n;
	step.tile = step.hidden = true;
	(void)jr_section_scalar(out, t->arena, &step);
	add_change(t, out, "last.change_percent", "Change since the run before",
		"change of the median step, if the two runs can be compared; for a plan, which has no "
		"profile: change of the step at the roofline; for a device memory profile: change of its "
		"live memory",
		last->change.estimate);
	if (turn.run) {
		struct jr_scalar since = jr_scalar_f64("last.since_run", NULL,
			"line in the history file: the last run that differs from the run before it",
			JR_UNIT_COUNT, NAN);
		since.type = JR_I64;
		since.value.i64 = (int64_t)t->points[turn.run].entry->line;
		since.hidden = true;
		(void)jr_section_scalar(out, t->arena, &since);
		add_change(t, out, "last.since_percent", "Since before the last change",
			"change of the median step since the run before that change",
			turn.c.judgement.change.relative.estimate);
	}
	if (drift)
		add_change(t, out, "last.drift_percent", "Drift",
			"change of the median step over the runs in which it became gradually slower",
			drift->change);
	if (t->history->n > 2)
		add_change(t, out, "last.change_first_percent", "Since the first shown",
			"change of the median step, even if the program differs; for a plan, which has no "
			"profile: change of the step at the roofline",
			plan ? jr_change_fraction(roof_of(first), roof_of(last))
			: first->by_execution == last->by_execution
				? jr_change_fraction(first->median.estimate, last->median.estimate)
				: NAN);
}
