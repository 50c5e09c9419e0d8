#include "compare/judge/judge.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "compare/judge/metrics.h"

const char *jr_verdict_name(enum jr_verdict verdict)
{
	static const char *const names[] = {
		[JR_VERDICT_SAME] = "same",
		[JR_VERDICT_REGRESSION] = "regression",
		[JR_VERDICT_IMPROVEMENT] = "improvement",
		[JR_VERDICT_UNCLEAR] = "cannot tell",
	};
	return names[verdict];
}

static void doubt(struct jr_judgement *j, const char *id, const char *text)
{
	if (j->n_doubts < JR_MAX_DOUBTS)
		j->doubts[j->n_doubts++] = (struct jr_doubt){id, text, NULL};
}

/* Add a doubt: the interval, and the question that it leaves open. */
static void doubt_change(struct jr_judgement *j, const char *id, const char *interval,
	const char *open, struct jr_arena *arena)
{
	doubt(j, id, jr_arena_printf(arena, "%s: %s", interval, open));
	j->doubts[j->n_doubts - 1].open = open;
}

/* --- comparable measurements ------------------------------------------------------------------ */

/* The name that all GPUs share; "several models" if they differ, NULL if one is unknown. */
static const char *gpu_of(const struct jr_run *run)
{
	const char *gpu = NULL;
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_DEVICES); i++) {
		const char *own = jr_run_text(run, JR_RUN_DEVICES, JR_DEVICE_GPU, i);
		if (!own)
			return NULL;
		if (gpu && strcmp(gpu, own) != 0)
			return "several models";
		gpu = own;
	}
	return gpu;
}

static void doubt_devices(
	struct jr_judgement *j, const struct jr_run *const runs[2], struct jr_arena *arena)
{
	const char *gpus[2] = {gpu_of(runs[0]), gpu_of(runs[1])};
	size_t n[2] = {jr_run_rows(runs[0], JR_RUN_DEVICES), jr_run_rows(runs[1], JR_RUN_DEVICES)};
	if (gpus[0] && gpus[1] && strcmp(gpus[0], gpus[1]) != 0)
		doubt(j, "different-gpu",
			jr_arena_printf(arena, "the runs use different GPUs: %s and %s", gpus[0], gpus[1]));
	if (n[0] && n[1] && n[0] != n[1])
		doubt(j, "different-devices",
			jr_arena_printf(arena, "%zu device%s in the base, %zu in the new run", n[0],
				n[0] == 1 ? "" : "s", n[1]));
}

/* "ranges “train” of the program", "executions of a module" */
static const char *counted_by(const struct jr_run *run, struct jr_arena *arena)
{
	return run->numbered ? jr_arena_printf(arena, "ranges “%s” of the program", run->numbered)
						 : "executions of a module";
}

/* Steps that are counted by different things are different steps. */
static bool doubt_counting(
	struct jr_judgement *j, const struct jr_run *const runs[2], struct jr_arena *arena)
{
	const char *names[2] = {runs[JR_BASE]->numbered, runs[JR_NEW]->numbered};
	if (!names[JR_BASE] && !names[JR_NEW])
		return false;
	if (names[JR_BASE] && names[JR_NEW] && strcmp(names[JR_BASE], names[JR_NEW]) == 0)
		return false;
	doubt(j, "different-workload",
		jr_arena_printf(arena, "steps are %s in the base but %s in the new run",
			counted_by(runs[JR_BASE], arena), counted_by(runs[JR_NEW], arena)));
	return true;
}

static void doubt_workload(struct jr_judgement *j, const struct jr_run *const runs[2],
	const struct jr_explanation *explanation, struct jr_arena *arena)
{
	for (int side = 0; side < 2; side++)
		if (jr_run_is_plan(runs[side])) { /* two plans are judged differently */
			doubt(j, "no-step",
				jr_arena_printf(arena, "the %s is a plan, in which nothing was measured",
					side == JR_BASE ? "base" : "new run"));
			return;
		}
	for (int side = 0; side < 2; side++)
		if (jr_run_is_live(runs[side])) { /* so are two device memory profiles */
			doubt(j, "no-step",
				jr_arena_printf(arena, "the %s is a device memory profile, the other run is not",
					side == JR_BASE ? "base" : "new run"));
			return;
		}
	bool modules = jr_run_rows(runs[JR_BASE], JR_RUN_MODULES) > 0 ||
				   jr_run_rows(runs[JR_NEW], JR_RUN_MODULES) > 0;
	if (j->n_steps[JR_BASE] && j->n_steps[JR_NEW] && doubt_counting(j, runs, arena))
		return;
	if (!modules && j->n_steps[JR_BASE] && j->n_steps[JR_NEW]) {
		return; /* both have numbered steps */
	} else if (!modules && (j->n_steps[JR_BASE] || j->n_steps[JR_NEW])) {
		doubt(j, "no-step",
			jr_arena_printf(
				arena, "the %s has no numbered steps", j->n_steps[JR_BASE] ? "new run" : "base"));
	} else if (!modules) {
		doubt(j, "no-step",
			"neither run contains executions of an XLA module or numbered steps, so "
			"there is no step");
	} else if (runs[JR_BASE]->steps.row == SIZE_MAX) {
		doubt(j, "no-step",
			jr_run_rows(runs[JR_BASE], JR_RUN_LATENCY)
				? "the programs of the base have no fixed order, so it has no step"
				: "the base has no steady execution of a module");
	} else if (runs[JR_NEW]->steps.row == SIZE_MAX) {
		const char *name =
			jr_run_text(runs[JR_BASE], JR_RUN_MODULES, JR_MODULE_NAME, runs[JR_BASE]->steps.row);
		doubt(j, "different-workload",
			jr_arena_printf(arena, "the new run has no steady execution of the base's step, %s",
				name ? name : "unnamed"));
	} else if (!j->n_steps[JR_BASE] || !j->n_steps[JR_NEW]) {
		doubt(j, "no-step",
			jr_arena_printf(
				arena, "the %s has no steady step time", j->n_steps[JR_BASE] ? "new run" : "base"));
	} else if (!explanation->unavailable && explanation->matched_frac < 0.5) {
		char percent[JR_NUM_MAX];
		jr_num_grouped(percent, 100 * explanation->matched_frac, 0);
		doubt(j, "different-workload",
			jr_arena_printf(arena,
				"%s of the step's time is in operations that both runs have with the same shape",
				explanation->matched_frac < 0.005 ? "none"
												  : jr_arena_printf(arena, "only %s %%", percent)));
	}
}

static void doubt_samples(struct jr_judgement *j, const char *word, struct jr_arena *arena)
{
	if (!j->n_steps[0] || !j->n_steps[1])
		return; /* there is no step, which is a doubt already */
	if (j->n_steps[0] >= JR_LEAST_STEPS && j->n_steps[1] >= JR_LEAST_STEPS)
		return;
	const char *open = jr_arena_printf(arena,
		"are too few to separate a change from random variation; each run needs at least %d",
		JR_LEAST_STEPS);
	doubt(j, "too-few-steps",
		jr_arena_printf(arena, "the base has %" PRId64 " %ss and the new run %" PRId64 "; they %s",
			j->n_steps[0], word, j->n_steps[1], open));
	j->doubts[j->n_doubts - 1].open = open;
}

/* --- the verdict ------------------------------------------------------------------------------ */

const char *jr_tolerance_text(double tolerance, struct jr_arena *arena)
{
	char text[JR_NUM_MAX];
	jr_num_double(text, round(1e6 * tolerance) / 1e4);
	return jr_arena_printf(arena, "%s %%", text);
}

static const char *percent_of(double frac, struct jr_arena *arena)
{
	char text[JR_NUM_MAX];
	jr_num_grouped(text, 100 * fabs(frac), 2);
	return jr_arena_strdup(arena, text);
}

/* The change is not 0, but it is open whether it is large enough to matter. */
static void doubt_size(struct jr_judgement *j, const char *word, struct jr_arena *arena)
{
	const struct jr_bootstrap *c = &j->change.relative;
	bool slower = c->low > 0;
	doubt_change(j, "near-tolerance",
		jr_arena_printf(arena, "the %s is %s by %s to %s %% (95 %% interval)", word,
			slower ? "slower" : "faster", percent_of(slower ? c->low : c->high, arena),
			percent_of(slower ? c->high : c->low, arena)),
		jr_arena_printf(arena, "not enough data to decide whether that reaches %s",
			jr_tolerance_text(j->tolerance, arena)),
		arena);
}

/* The interval contains 0. */
static void doubt_noise(struct jr_judgement *j, const char *word, struct jr_arena *arena)
{
	const struct jr_bootstrap *c = &j->change.relative;
	const char *size = jr_tolerance_text(j->tolerance, arena);
	const char *open = "not enough data to decide whether it changed";
	if (j->tolerance > 0 && c->high > j->tolerance && c->low < -j->tolerance)
		open =
			jr_arena_printf(arena, "a change of %s cannot be ruled out in either direction", size);
	else if (j->tolerance > 0)
		open = jr_arena_printf(arena, "it may be %s by %s or more, but not %s by as much",
			c->high > j->tolerance ? "slower" : "faster", size,
			c->high > j->tolerance ? "faster" : "slower");
	doubt_change(j, "too-noisy",
		jr_arena_printf(arena, "the %s is between %s %% faster and %s %% slower (95 %% interval)",
			word, percent_of(c->low, arena), percent_of(c->high, arena)),
		open, arena);
}

static void doubt_interval(struct jr_judgement *j, const char *word, struct jr_arena *arena)
{
	const struct jr_bootstrap *c = &j->change.relative;
	if (isnan(c->low))
		doubt(j, "zero-step",
			jr_arena_printf(
				arena, "the %s of the base is 0, so a relative change is not defined", word));
	else if (c->low > 0 || c->high < 0)
		doubt_size(j, word, arena);
	else
		doubt_noise(j, word, arena);
}

enum jr_verdict jr_verdict_of_interval(double estimate, double low, double high, double tolerance)
{
	if (low > 0 && estimate >= tolerance)
		return JR_VERDICT_REGRESSION;
	if (high < 0 && estimate <= -tolerance)
		return JR_VERDICT_IMPROVEMENT;
	if (low >= -tolerance && high <= tolerance)
		return JR_VERDICT_SAME;
	return JR_VERDICT_UNCLEAR;
}

static enum jr_verdict verdict_of(const struct jr_judgement *j)
{
	const struct jr_bootstrap *c = &j->change.relative;
	return jr_verdict_of_interval(c->estimate, c->low, c->high, j->tolerance);
}

const char *jr_doubted_devices(const struct jr_judgement *judged)
{
	for (size_t i = 0; i < judged->n_doubts; i++)
		if (strcmp(judged->doubts[i].id, "different-gpu") == 0 ||
			strcmp(judged->doubts[i].id, "different-devices") == 0)
			return judged->doubts[i].text;
	return NULL;
}

#define MOST_TIMES 100 /* times the steps; a larger factor is not useful advice */
#define AT_TOLERANCE                                                                               \
	0.1 /* of the interval's arm: this close to the tolerance, more steps hardly help */

/*
 * Steps needed in each run for a verdict in 8 of 10 cases, if the change is its estimate. The arms
 * of an interval shrink with the root of the number of steps. The interval has to exclude 0 to show
 * a change, or both tolerances to show none. Such a bound must be 0.84 standard errors further from
 * the estimate than an arm is long, because the estimate of the next runs will differ.
 */
static double steps_needed(const struct jr_judgement *j)
{
	const struct jr_bootstrap *c = &j->change.relative;
	double size = fabs(c->estimate),
		   power = jr_normal_quantile(JR_POWER) / jr_normal_quantile((1 + JR_CONFIDENCE) / 2);
	double arms[2] = {c->estimate - c->low, c->high - c->estimate};
	double inner = arms[c->estimate < 0], room = fabs(size - j->tolerance), times;
	if (isnan(c->low))
		return NAN;
	/* the arms are far longer than the required distances, wherever the estimate is */
	if (!(pow((1 + power) * inner / (size + j->tolerance), 2) <= MOST_TIMES))
		return INFINITY;
	if (j->tolerance > 0 && room < AT_TOLERANCE * inner)
		return NAN;
	if (size >= j->tolerance)
		times = fmax((1 + power) * inner / size, j->tolerance > 0 ? power * inner / room : 0);
	else
		times = (1 + power) * fmax(arms[0] / (j->tolerance + c->estimate),
								  arms[1] / (j->tolerance - c->estimate));
	double n[2] = {(double)j->n_steps[0], (double)j->n_steps[1]};
	double steps = 2 / (1 / n[0] + 1 / n[1]) * times * times;
	double digit = pow(10, floor(log10(steps)) - 1); /* the last of two significant digits */
	return times * times <= MOST_TIMES ? ceil(steps / fmax(digit, 1)) * fmax(digit, 1) : INFINITY;
}

/* Whether both are the same measurement: then too few steps cannot leave anything open. */
static bool equal_samples(const struct jr_run *const runs[2])
{
	const struct jr_sample *a = jr_run_judged_sample(runs[0]), *b = jr_run_judged_sample(runs[1]);
	return a->n && a->n == b->n && memcmp(a->values, b->values, a->n * sizeof(double)) == 0;
}

static int64_t loops_counted_once(const struct jr_run *run)
{
	for (size_t row = 0; row < jr_run_rows(run, JR_RUN_GUESSES); row++) {
		const char *id = jr_run_text(run, JR_RUN_GUESSES, JR_GUESS_ID, row);
		if (id && strcmp(id, "loops-counted-once") == 0)
			return run->tables[JR_RUN_GUESSES]->cells[JR_GUESS_COUNT].i64[row];
	}
	return 0;
}

/* Without samples the tolerance alone decides. */
static enum jr_verdict exact_verdict(const struct jr_judgement *j)
{
	return j->equal                           ? JR_VERDICT_SAME
		   : j->exact_change >= j->tolerance  ? JR_VERDICT_REGRESSION
		   : j->exact_change <= -j->tolerance ? JR_VERDICT_IMPROVEMENT
											  : JR_VERDICT_SAME;
}

/* Plans contain no samples: the roofline times of their first programs are exact numbers. */
static void judge_plans(struct jr_judgement *j, const struct jr_run *const runs[2],
	const struct jr_planned *planned, struct jr_arena *arena)
{
	const struct jr_metric *roof = jr_metric_find("step.roof", strlen("step.roof"));
	double ns[2];
	for (int side = 0; side < 2; side++) {
		ns[side] = roof->value(runs[side]);
		if (!(ns[side] > 0) && !j->n_doubts)
			doubt(j, "no-roofline",
				jr_arena_printf(arena,
					"the roofline time of the %s is not known. Name the GPU with --device",
					side == JR_BASE ? "base" : "new run"));
	}
	const char *names[2] = {jr_run_text(runs[JR_BASE], JR_RUN_PLAN, JR_PLAN_NAME, 0),
		jr_run_text(runs[JR_NEW], JR_RUN_PLAN, JR_PLAN_NAME, 0)};
	if (!names[JR_BASE] || !names[JR_NEW] || strcmp(names[JR_BASE], names[JR_NEW]) != 0)
		doubt(j, "different-workload",
			jr_arena_printf(arena,
				"the program with the longest roofline time is %s in the base, and %s in the new "
				"run",
				names[JR_BASE] ? names[JR_BASE] : "unnamed",
				names[JR_NEW] ? names[JR_NEW] : "unnamed"));
	/* A loop without a trip count counts once: such numbers are not those of other loops. */
	int64_t once[2] = {loops_counted_once(runs[JR_BASE]), loops_counted_once(runs[JR_NEW])};
	if (once[JR_BASE] != once[JR_NEW])
		doubt(j, "trip-counts",
			jr_arena_printf(arena,
				"loops that do not state how often they run count once: %" PRId64 " in the base, "
				"%" PRId64 " in the new run",
				once[JR_BASE], once[JR_NEW]));
	doubt_devices(j, runs, arena);
	j->same_subject = !j->n_doubts;
	if (planned->n_unknown) {
		j->not_counted = jr_arena_printf(arena,
			"FLOPs or bytes of %zu instruction%s that changed are not known (%s)",
			planned->n_unknown, planned->n_unknown == 1 ? "" : "s", planned->unknown);
		doubt(j, "not-counted", j->not_counted);
	}
	j->enough = !j->n_doubts;
	j->plan = true;
	j->exact_change = ns[JR_NEW] / ns[JR_BASE] - 1;
	j->equal = ns[JR_NEW] == ns[JR_BASE];
	if (j->enough)
		j->verdict = exact_verdict(j);
}

/* Device memory profiles contain no samples: what is live is counted. */
static void judge_live(
	struct jr_judgement *j, const struct jr_run *const runs[2], struct jr_arena *arena)
{
	const struct jr_metric *live = jr_metric_find("memory.live", strlen("memory.live"));
	const double bytes[2] = {live->value(runs[JR_BASE]), live->value(runs[JR_NEW])};
	const size_t n[2] = {jr_run_rows(runs[JR_BASE], JR_RUN_LIVE_DEVICES),
		jr_run_rows(runs[JR_NEW], JR_RUN_LIVE_DEVICES)};
	if (n[JR_BASE] && n[JR_NEW] && n[JR_BASE] != n[JR_NEW])
		doubt(j, "different-devices",
			jr_arena_printf(arena, "%zu device%s in the base, %zu in the new run", n[JR_BASE],
				n[JR_BASE] == 1 ? "" : "s", n[JR_NEW]));
	j->same_subject = !j->n_doubts;
	for (int side = 0; side < 2; side++)
		if (isnan(bytes[side]))
			doubt(j, "not-counted",
				jr_arena_printf(arena, "the size of some live buffers of the %s is not known",
					side == JR_BASE ? "base" : "new run"));
	j->enough = !j->n_doubts;
	j->live = true;
	j->equal = bytes[JR_NEW] == bytes[JR_BASE];
	j->exact_change = j->equal ? 0 : bytes[JR_NEW] / bytes[JR_BASE] - 1;
	if (j->enough)
		j->verdict = exact_verdict(j);
}

struct jr_judgement jr_judge(const struct jr_run *const runs[2],
	const struct jr_explanation *explanation, const struct jr_planned *planned, double tolerance,
	struct jr_draws *kept, struct jr_arena *arena)
{
	struct jr_judgement j = {.verdict = JR_VERDICT_UNCLEAR,
		.tolerance = tolerance,
		.needed = NAN,
		.exact_change = NAN,
		.test = {.u = NAN, .p = NAN}};
	const struct jr_sample *samples[2] = {
		jr_run_judged_sample(runs[0]), jr_run_judged_sample(runs[1])};
	for (int side = 0; side < 2; side++)
		j.n_steps[side] = (int64_t)samples[side]->n;
	j.change = jr_bootstrap_change(*samples[0], *samples[1], JR_COMPARE_SEED, kept);
	j.test = jr_mann_whitney(*samples[0], *samples[1]);
	j.detectable = jr_detectable(j.change.relative.error, tolerance);
	if (jr_run_is_plan(runs[JR_BASE]) && jr_run_is_plan(runs[JR_NEW])) {
		judge_plans(&j, runs, planned, arena);
		return j;
	}
	if (jr_run_is_live(runs[JR_BASE]) && jr_run_is_live(runs[JR_NEW])) {
		judge_live(&j, runs, arena);
		return j;
	}
	const char *word = jr_run_step_word(runs[JR_NEW]);
	doubt_workload(&j, runs, explanation, arena);
	doubt_devices(&j, runs, arena);
	j.same_subject = !j.n_doubts;
	j.equal = equal_samples(runs);
	if (!j.equal)
		doubt_samples(&j, word, arena);
	j.enough = !j.n_doubts;
	if (j.enough)
		j.verdict = j.equal ? JR_VERDICT_SAME : verdict_of(&j);
	if (j.enough && j.verdict == JR_VERDICT_UNCLEAR) {
		doubt_interval(&j, jr_run_step_basis(runs[JR_NEW]), arena);
		j.needed = steps_needed(&j);
	}
	return j;
}
