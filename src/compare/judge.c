#include "compare/judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "compare/metrics.h"

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
		j->doubts[j->n_doubts++] = (struct jr_doubt){id, text};
}

/* --- is it the same thing that was measured? -------------------------------------------------- */

/* The one name of all GPUs; "several models" where they differ, NULL where one is unknown. */
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
			jr_arena_printf(arena, "the runs are of different GPUs: %s and %s", gpus[0], gpus[1]));
	if (n[0] && n[1] && n[0] != n[1])
		doubt(j, "different-devices",
			jr_arena_printf(arena, "%zu device%s in the base, %zu in the new run", n[0],
				n[0] == 1 ? "" : "s", n[1]));
}

static void doubt_workload(struct jr_judgement *j, const struct jr_run *const runs[2],
	const struct jr_explanation *explanation, struct jr_arena *arena)
{
	if (!jr_run_rows(runs[JR_BASE], JR_RUN_MODULES) &&
		!jr_run_rows(runs[JR_NEW], JR_RUN_MODULES)) {
		doubt(j, "no-step", "neither run has an execution of an XLA module, so there is no step");
	} else if (runs[JR_BASE]->steps.row == SIZE_MAX) {
		doubt(j, "no-step", "the base has no steady execution of a module");
	} else if (runs[JR_NEW]->steps.row == SIZE_MAX) {
		const char *name =
			jr_run_text(runs[JR_BASE], JR_RUN_MODULES, JR_MODULE_NAME, runs[JR_BASE]->steps.row);
		doubt(j, "different-workload",
			jr_arena_printf(arena, "the new run has no steady execution of the base's step, %s",
				name ? name : "unnamed"));
	} else if (!j->n_steps[JR_BASE] || !j->n_steps[JR_NEW]) {
		doubt(j, "no-step",
			jr_arena_printf(arena, "the %s has no time of a steady step",
				j->n_steps[JR_BASE] ? "new run" : "base"));
	} else if (!explanation->unavailable && explanation->matched_frac < 0.5) {
		char percent[JR_NUM_MAX];
		jr_num_grouped(percent, 100 * explanation->matched_frac, 0);
		doubt(j, "different-workload",
			jr_arena_printf(arena,
				"only %s %% of the step's time is in operations that both runs have with the same "
				"shape",
				percent));
	}
}

static void doubt_samples(struct jr_judgement *j, struct jr_arena *arena)
{
	if (!j->n_steps[0] || !j->n_steps[1])
		return; /* there is no step: said already */
	if (jr_mann_whitney_floor((size_t)j->n_steps[0], (size_t)j->n_steps[1]) > JR_ALPHA)
		doubt(j, "too-few-steps",
			jr_arena_printf(arena,
				"%" PRId64 " and %" PRId64 " steps cannot show a difference at the 5 %% level, "
				"however large; 4 and 4 are the least that can",
				j->n_steps[0], j->n_steps[1]));
}

/* --- the verdict ------------------------------------------------------------------------------ */

static void doubt_noise(struct jr_judgement *j, struct jr_arena *arena)
{
	char low[JR_NUM_MAX], high[JR_NUM_MAX], least[JR_NUM_MAX];
	if (isnan(j->change.relative.low)) {
		doubt(j, "zero-step",
			"a step of the base took no time, so that there is no change relative to it");
		return;
	}
	jr_num_grouped(low, 100 * j->change.relative.low, 2);
	jr_num_grouped(high, 100 * j->change.relative.high, 2);
	jr_num_grouped(least, 100 * j->detectable, 1);
	doubt(j, "too-noisy",
		jr_arena_printf(arena,
			"the change lies between %s %% and %s %%; steps vary so much that only changes from "
			"%s %% on would be found",
			low, high, least));
}

static enum jr_verdict verdict_of(const struct jr_judgement *j, double tolerance)
{
	const struct jr_bootstrap *c = &j->change.relative;
	bool significant = j->test.p < JR_ALPHA;
	if (significant && c->low > 0 && c->estimate >= tolerance)
		return JR_VERDICT_REGRESSION;
	if (significant && c->high < 0 && c->estimate <= -tolerance)
		return JR_VERDICT_IMPROVEMENT;
	if (fabs(c->estimate) < tolerance &&
		((c->low >= -tolerance && c->high <= tolerance) || (significant && c->low * c->high > 0)))
		return JR_VERDICT_SAME;
	return JR_VERDICT_UNCLEAR;
}

/* The same measurement twice: there is nothing that too few steps could leave open. */
static bool equal_samples(const struct jr_run *const runs[2])
{
	const struct jr_sample *a = &runs[0]->steps.durations, *b = &runs[1]->steps.durations;
	return a->n && a->n == b->n && memcmp(a->values, b->values, a->n * sizeof(double)) == 0;
}

struct jr_judgement jr_judge(const struct jr_run *const runs[2],
	const struct jr_explanation *explanation, double tolerance, struct jr_draws *kept,
	struct jr_arena *arena)
{
	struct jr_judgement j = {.verdict = JR_VERDICT_UNCLEAR, .test = {.u = NAN, .p = NAN}};
	for (int side = 0; side < 2; side++)
		j.n_steps[side] = (int64_t)runs[side]->steps.durations.n;
	j.change = jr_bootstrap_change(
		runs[0]->steps.durations, runs[1]->steps.durations, JR_COMPARE_SEED, kept);
	j.test = jr_mann_whitney(runs[0]->steps.durations, runs[1]->steps.durations);
	j.detectable = jr_detectable(j.change.relative.error);
	doubt_workload(&j, runs, explanation, arena);
	doubt_devices(&j, runs, arena);
	j.same_subject = !j.n_doubts;
	j.equal = equal_samples(runs);
	if (!j.equal)
		doubt_samples(&j, arena);
	j.enough = !j.n_doubts;
	if (j.enough)
		j.verdict = j.equal ? JR_VERDICT_SAME : verdict_of(&j, tolerance);
	if (j.enough && j.verdict == JR_VERDICT_UNCLEAR)
		doubt_noise(&j, arena);
	return j;
}
