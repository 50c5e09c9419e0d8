#include "analysis/core/pass.h"
#include "analysis/core/program_kind.h"
#include "analysis/core/say.h"
#include "analysis/core/terms.h"
#include "analysis/cost/ahead.h"
#include "analysis/cost/work_kind.h"

#include <time.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/delays.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/instances.h"
#include "analysis/shared/integrity.h"
#include "analysis/shared/lateness.h"
#include "analysis/schedule/replay.h"
#include "analysis/shared/steady.h"
#include "analysis/shared/step_parts.h"
#include "analysis/shared/step_time.h"
#include "analysis/shared/step_window.h"
#include "analysis/core/vendor.h"
#include "base/task.h"
#include "base/vec.h"

#define JR_PASS(name) extern const struct jr_pass jr_pass_##name;
#include "analysis/passes.def"
#undef JR_PASS

const struct jr_pass *const jr_passes[] = {
#define JR_PASS(name) &jr_pass_##name,
#include "analysis/passes.def"
#undef JR_PASS
	NULL,
};

const char *jr_group_title(enum jr_section_group group)
{
	static const char *const titles[JR_N_GROUPS] = {
		[JR_GROUP_ANSWER] = "Answer",
		[JR_GROUP_STEP] = "One step",
		[JR_GROUP_GPU] = (JR_GPU_WORK),
		[JR_GROUP_HOST] = "Host",
		[JR_GROUP_DEVICES] = "Devices together",
		[JR_GROUP_COMPILE] = "Compile and memory",
		[JR_GROUP_ABOUT] = "About this report",
	};
	return titles[group];
}

static bool any_said(const struct jr_profile *p)
{
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].said)
			return true;
	return false;
}

#define OF_GPU_OPS (JR_NEEDS_GPU_OPS | JR_NEEDS_CALLS)
#define OF_SOME_INPUTS                                                                             \
	(JR_NEEDS_PROFILER | JR_NEEDS_ALLOCATORS | JR_NEEDS_STEPS | JR_NEEDS_LANES | JR_NEEDS_NVTX |   \
		OF_GPU_OPS)

/* The data (enum jr_tells) that an input must be able to contain for these needs. */
static unsigned asked_for(unsigned needs)
{
	return (needs & OF_GPU_OPS ? JR_TELLS_GPU_OPS : 0U) |
		   (needs & JR_NEEDS_NVTX ? JR_TELLS_RANGES : 0U) |
		   (needs & JR_NEEDS_ALLOCATORS ? JR_TELLS_ALLOCATORS : 0U) |
		   (needs & JR_NEEDS_STEPS ? JR_TELLS_STEPS : 0U) |
		   (needs & JR_NEEDS_LANES ? JR_TELLS_LANES : 0U) |
		   (needs & JR_NEEDS_PLAN ? JR_TELLS_PLAN : 0U) |
		   (needs & JR_NEEDS_LIVE ? JR_TELLS_LIVE : 0U) |
		   (needs & JR_NEEDS_PROFILER ? JR_TELLS_PROFILER : 0U);
}

/* A pass without needs is still about modules, unless it sets `any_program`. */
static bool is_about_xla(const struct jr_pass *pass)
{
	return !pass->any_program && !(pass->needs & (OF_SOME_INPUTS | JR_NEEDS_COMPILES));
}

/* In a plan, only programs themselves and what follows from them can be described. */
static bool is_measured(unsigned needs)
{
	return (needs & ~(unsigned)(JR_NEEDS_HLO | JR_NEEDS_PLAN | JR_NEEDS_LIVE)) != 0;
}

/* Of a device memory profile alone, all other sections only say that they are not available. */
static bool is_only_live(const struct jr_profile *p)
{
	return p->tells == JR_TELLS_LIVE && p->compiles.n == 0 && !p->planned;
}

/* Return why there are no modules, or NULL if there are any. The host may have started some. */
static const char *no_modules(const struct jr_profile *p, struct jr_arena *arena)
{
	if (p->modules.n)
		return NULL;
	if (p->planned)
		return "not available, because nothing was measured: the input contains only compiled "
			   "programs";
	if (is_only_live(p))
		return "not available, because the input is a device memory profile, which contains no "
			   "executions";
	uint64_t begun = jr_host_executions(p);
	if (begun == 0 || p->selected.any)
		return "not available, because the " JR_INPUT_WORD
			   " does not contain executions of XLA modules";
	return jr_arena_printf(arena,
		"not available, because the input contains %s execution%s of XLA modules on the "
		"host, but no " JR_GPU " work for %s",
		jr_count_text(arena, (int64_t)begun), begun == 1 ? "" : "s", begun == 1 ? "it" : "them");
}

/* Return why a pass cannot run, or NULL. The checks are ordered so that the first unmet need is the
 * most informative one. */
static const char *unmet(const struct jr_profile *p, const struct jr_steady *steady, unsigned needs,
	const char *no_modules)
{
	if (needs & JR_NEEDS_STEP && no_modules && p->leading_steps.n_steps == 0)
		return no_modules;
	if (needs & (JR_NEEDS_MODULES | JR_NEEDS_THUNKS) && no_modules)
		return no_modules;
	if (needs & JR_NEEDS_THUNKS && p->thunks.n == 0)
		return "not available, because the " JR_INPUT_WORD " does not contain thunk executions";
	if ((needs & JR_NEEDS_HLO && !jr_program_any_hlo(p)) ||
		(needs & JR_NEEDS_TOLD && !jr_program_any_hlo(p) && !any_said(p)))
		return "not available, because the " JR_INPUT_WORD
			   " does not contain HLO dumps of programs that ran";
	if (needs & JR_NEEDS_COMPILES && p->compiles.n == 0)
		return "not available, because the " JR_INPUT_WORD
			   " does not contain a profiled compilation";
	if (needs & JR_NEEDS_COMMUNICATION && !p->any_communication)
		return "not available, because no collective or host copy was " JR_PROFILED;
	if (needs & JR_NEEDS_DEVICES && p->n_devices == 0)
		return "not available, because no device was " JR_PROFILED;
	if (needs & JR_NEEDS_DEVICES && p->n_devices < 2)
		return "not available, because only one device was " JR_PROFILED;
	if (needs & JR_NEEDS_DEVICES && p->modules.n && steady->n_devices_ran < 2)
		return "not available, because " JR_OF_PART(
			"the selected ") "modules ran on only one device";
	if (needs & JR_NEEDS_GPU_OPS && p->gpu_ops.n == 0)
		return "not available, because the " JR_INPUT_WORD " does not contain " JR_GPU
			   " operations";
	if (needs & JR_NEEDS_CALLS && p->api_calls.n == 0)
		return "not available, because the " JR_INPUT_WORD " does not contain " JR_CUDA " calls";
	if (needs & JR_NEEDS_NVTX && p->nvtx_ranges.n == 0)
		return "not available, because the " JR_INPUT_WORD " does not contain host ranges";
	return NULL;
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static size_t count_passes(void)
{
	size_t n = 0;
	while (jr_passes[n])
		n++;
	return n;
}

static void rank_findings(struct jr_results *r)
{
	for (size_t i = 1; i < r->n_findings; i++) {
		struct jr_finding finding = r->findings[i];
		size_t at = i;
		for (; at && jr_finding_before(&finding, &r->findings[at - 1]); at--)
			r->findings[at] = r->findings[at - 1];
		r->findings[at] = finding;
	}
}

/* All passes of a report; those that run at the same time have arenas of their own. */
struct runner {
	const struct jr_pass_context *ctx;
	struct jr_words words;
	const char *absent; /* why there are no modules; NULL: there are */
	/* Most sections do not apply to programs that do not use XLA, so the report only lists them. */
	bool only_live, without_xla;
	struct jr_section *sections; /* [n] in the order of passes */
	struct jr_arena *arenas;     /* [n] of those that run apart */
	JR_VEC(size_t) apart;        /* passes that run apart, now or before */
};

static bool is_asked(const struct jr_profile *p, const struct jr_pass *pass)
{
	return !(asked_for(pass->needs) & ~p->tells) &&
		   (!(pass->needs & JR_NEEDS_WORK) || jr_step_work_stated(&p->options.work));
}

static const char *why_not(const struct runner *r, const struct jr_pass *pass)
{
	const struct jr_profile *p = r->ctx->profile;
	bool counts_steps = pass->needs & JR_NEEDS_STEP && p->leading_steps.n_steps;
	bool alone = r->only_live && !(pass->needs & JR_NEEDS_LIVE) && !pass->leads;
	if (alone || (p->planned && is_measured(pass->needs)) ||
		(r->without_xla && is_about_xla(pass) && !counts_steps))
		return r->absent;
	return unmet(p, r->ctx->steady, pass->needs, r->absent);
}

static void run_pass(const struct runner *r, struct jr_pass_context *ctx, size_t i)
{
	struct jr_section *section = &r->sections[i];
	int64_t begin_ns = now_ns();
	section->pass = jr_passes[i];
	section->unavailable = why_not(r, section->pass);
	if (!section->unavailable)
		section->pass->run(ctx, section);
	jr_vendor_words_section(r->words, section, ctx->arena);
	section->wall_ns = now_ns() - begin_ns;
	section->aside =
		section->unavailable && (r->without_xla || ctx->profile->planned || r->only_live);
	jr_arena_clear(ctx->scratch);
}

static void run_apart(void *context, size_t index)
{
	const struct runner *r = context;
	size_t i = r->apart.items[index];
	struct jr_pass_context ctx = *r->ctx;
	ctx.arena = &r->arenas[i];
	ctx.results = ctx.findings_to = NULL; /* others may be writing there */
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	ctx.scratch = &scratch;
	run_pass(r, &ctx, i);
}

/* Run all passes of this kind, on all threads. */
static void run_side_by_side(struct runner *r, enum jr_apart kind)
{
	const struct jr_profile *p = r->ctx->profile;
	r->apart.n = 0;
	for (size_t i = 0; jr_passes[i]; i++)
		if (jr_passes[i]->apart == kind && is_asked(p, jr_passes[i]))
			*jr_vec_add(&r->apart) = i;
	jr_task_run(p->options.n_threads, r->apart.n, run_apart, r);
}

static void run_all(struct runner *r, struct jr_pass_context *ctx, size_t n)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_results *results = ctx->findings_to;
	run_side_by_side(r, JR_APART);
	bool then = true; /* the others are still to come */
	for (size_t i = 0; i < n; i++) {
		if (!is_asked(p, jr_passes[i]))
			continue;
		if (then && jr_passes[i]->apart == JR_APART_THEN) {
			run_side_by_side(r, JR_APART_THEN);
			then = false;
		}
		if (jr_passes[i]->apart)
			jr_arena_take(ctx->arena, &r->arenas[i]);
		else
			run_pass(r, ctx, i);
		/* What would lead the report may be said elsewhere; no reader misses it there. */
		struct jr_section *section = &r->sections[i];
		if (!section->pass->leads || section->unavailable || section->n)
			results->sections[results->n_sections++] = *section;
	}
	jr_vec_done(&r->apart);
}

struct job {
	const struct jr_profile *profile;
	struct jr_results *results;
};

static void analyze(void *context, size_t index)
{
	const struct job *job = context;
	const struct jr_profile *profile = job->profile;
	struct jr_results *results = job->results;
	struct jr_arena *arena = results->arena;
	size_t n = count_passes();
	(void)index;
	results->sections = JR_ARENA_N(arena, struct jr_section, n);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	const struct jr_steady *steady = jr_steady_compute(profile, arena);
	struct jr_ahead *ahead = jr_ahead_start(profile, steady, arena);
	const struct jr_gpu_time *gpu = jr_gpu_time_compute(profile, arena);
	const struct jr_step_windows *windows = jr_step_windows_compute(profile, steady, gpu, arena);
	struct jr_work_kinds kinds = jr_work_kinds_new(profile, arena);
	struct jr_pass_context ctx = {.profile = profile,
		.steady = steady,
		.windows = windows,
		.typical = jr_step_typical_windows(profile, windows, arena),
		.instances = jr_instances_find(profile, arena),
		.steps = jr_step_times_compute(profile, arena),
		.gpu = gpu,
		.kinds = &kinds,
		.ahead = ahead,
		.results = results,
		.findings_to = results,
		.arena = arena,
		.scratch = &scratch};
	results->instances = ctx.instances;
	ctx.parts = jr_step_parts_compute(&ctx, windows, arena);
	ctx.integrity = jr_integrity_compute(profile, ctx.windows, ctx.gpu, arena);
	int64_t replay_begin_ns = now_ns();
	/* Steps with missing records, or that depend on work that was not selected, cannot be
	 * replayed. */
	bool replays = ctx.integrity->step_share < JR_DOUBTFUL &&
				   ctx.integrity->others_share < JR_DOUBTFUL && !profile->selected.n_elsewhere;
	ctx.replay = replays ? jr_replay_new(&ctx, arena) : NULL;
	results->replay_wall_ns = now_ns() - replay_begin_ns;
	ctx.delays = jr_delays_compute(profile, ctx.steady, ctx.instances, arena);
	ctx.lateness =
		jr_lateness_compute(profile, ctx.steady, ctx.windows, ctx.instances, ctx.delays, arena);
	struct runner r = {.ctx = &ctx,
		.words = jr_words_of(profile),
		.absent = no_modules(profile, arena),
		.only_live = is_only_live(profile),
		.without_xla = profile->tells & JR_TELLS_GPU_OPS && profile->modules.n == 0,
		.sections = JR_ARENA_N(arena, struct jr_section, n),
		.arenas = JR_ARENA_N(arena, struct jr_arena, n)};
	run_all(&r, &ctx, n);
	jr_ahead_wait(ahead);
}

void jr_passes_run(
	const struct jr_profile *profile, struct jr_arena *arena, struct jr_results *results)
{
	struct job job = {profile, results};
	if (JR_CHECKED && profile->n_inputs) /* unit tests pass incomplete profiles */
		jr_profile_assert(profile);
	*results = (struct jr_results){.arena = arena};
	/* Only a task may start the thread of jr_ahead_start(). */
	jr_task_run(profile->options.n_threads, 1, analyze, &job);
	rank_findings(results);
	if (JR_CHECKED)
		jr_results_assert(results);
}
