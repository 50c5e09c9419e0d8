/* Headline sums over the top modules; analyses.md section 3. */
#include "analysis/columns.h"

static void add(struct jr_pass_context *ctx, struct jr_section *out, struct jr_scalar scalar)
{
	(void)jr_section_scalar(out, ctx->arena, &scalar);
}

/* A sum over all devices and steps as what it is for one of them: "1.2 ms a step". */
static const char *a_step(struct jr_pass_context *ctx, int64_t sum_ns)
{
	char text[JR_NUM_MAX];
	if (ctx->steady->n_steps <= 0)
		return NULL;
	jr_num_time(text, (double)sum_ns / ctx->steady->n_steps);
	return jr_arena_printf(ctx->arena, "%s a step", text);
}

/* The step: executions of the module that takes most time. */
static void add_step_time(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_steady *st = ctx->steady;
	if (st->n_ranking == 0)
		return;
	uint32_t program = st->ranking[0];
	const struct jr_program_steady *s = &st->programs[program];
	struct jr_scalar scalar = jr_scalar_ns("step.mean_ms", "Step time",
		"mean duration of a steady execution of the module that takes most time, over executions "
		"and "
		"devices, with its sample standard deviation",
		jr_stats_mean(&s->dur_ns));
	scalar.plus_minus = jr_stats_std(&s->dur_ns);
	scalar.note = jr_arena_printf(ctx->arena, "in %s",
		jr_str(ctx->profile, ctx->profile->programs[program].name));
	scalar.n = s->executions;
	scalar.tile = true;
	add(ctx, out, scalar);
	add(ctx, out,
		(struct jr_scalar){.key = "step.program_id",
			.title = "Step program",
			.help = "program id of that module",
			.type = JR_TEXT,
			.value.text = jr_program_id(ctx->profile, program, ctx->arena),
			.plus_minus = NAN,
			.n = JR_NULL_I64,
			.hidden = true});
	add(ctx, out,
		(struct jr_scalar){.key = "step.name",
			.title = "Step module",
			.help = "name of that module",
			.type = JR_TEXT,
			.value.text = jr_str(ctx->profile, ctx->profile->programs[program].name),
			.plus_minus = NAN,
			.n = JR_NULL_I64});
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_steady *st = ctx->steady;
	char share[JR_NUM_MAX];
	jr_num_double(share, round(1e6 * ctx->profile->options.top_modules) / 1e4);
	jr_section_text(out, ctx->arena,
		"Sums over all devices and steady executions of the %zu top module%s: those that together "
		"reach %s %% of all module time.",
		st->n_top, st->n_top == 1 ? "" : "s", share);
	add_step_time(ctx, out);
	int64_t idle_in_ns = st->modules_active_ns - st->thunks_active_ns;
	int64_t idle_between_ns = st->modules_wall_ns - st->modules_active_ns;
	double busy_share = jr_ratio((double)st->thunks_active_ns, (double)st->modules_wall_ns);
	struct jr_scalar busy = {.key = "totals.busy_fraction",
		.title = "GPU busy",
		.help = "thunks active / modules wall, at most 1",
		.unit = JR_UNIT_FRAC,
		.type = JR_F64,
		.value.f64 = busy_share > 1 ? 1 : busy_share,
		.plus_minus = NAN,
		.n = JR_NULL_I64,
		.tile = true};
	add(ctx, out, busy);
	add(ctx, out,
		jr_scalar_ns_i64("totals.thunks_active_ms", "Thunks active",
			"(1): sum of active thunk time; of a communication thunk only what no compute hides",
			st->thunks_active_ns));
	add(ctx, out,
		jr_scalar_ns_i64("totals.modules_active_ms", "Modules active",
			"(2): sum of the durations of module executions", st->modules_active_ns));
	add(ctx, out,
		jr_scalar_ns_i64("totals.modules_wall_ms", "Modules wall",
			"(3): sum over devices of last module end minus first module start",
			st->modules_wall_ns));
	struct jr_scalar idle_in = jr_scalar_ns_i64("totals.idle_in_modules_ms", "Idle inside modules",
		"(2) - (1), at least 0: time of module executions in which no thunk is active",
		idle_in_ns > 0 ? idle_in_ns : 0);
	idle_in.note = a_step(ctx, idle_in.value.i64);
	idle_in.tile = true;
	add(ctx, out, idle_in);
	struct jr_scalar idle_between = jr_scalar_ns_i64("totals.idle_between_modules_ms",
		"Idle between modules", "(3) - (2), at least 0: time between module executions",
		idle_between_ns > 0 ? idle_between_ns : 0);
	idle_between.note = a_step(ctx, idle_between.value.i64);
	idle_between.tile = true;
	add(ctx, out, idle_between);
	struct jr_scalar exposed =
		jr_scalar_ns_i64("totals.communication_exposed_ms", "Exposed communication",
			"time of collectives and host copies that no compute of their device hides; the time "
			"ledger has the two apart",
			st->exposed_ns);
	exposed.note = a_step(ctx, st->exposed_ns);
	exposed.tile = ctx->profile->any_communication;
	add(ctx, out, exposed);
	struct jr_scalar hidden =
		jr_scalar_ns_i64("totals.communication_hidden_ms", "Hidden communication",
			"time of communication thunks that runs under compute", st->hidden_ns);
	hidden.note = a_step(ctx, st->hidden_ns);
	hidden.tile = ctx->profile->any_communication;
	add(ctx, out, hidden);
}

const struct jr_pass jr_pass_totals = {
	.name = "totals",
	.title = "Totals",
	.summary = "GPU time of the steady state: active, idle inside modules, idle between modules",
	.needs = JR_NEEDS_MODULES,
	.run = run,
};
