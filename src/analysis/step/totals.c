/* Headline sums over the top modules; analysis/README.md, section 3. */
#include "analysis/shared/columns.h"
#include "analysis/core/terms.h"

static void add(struct jr_pass_context *ctx, struct jr_section *out, struct jr_scalar scalar)
{
	(void)jr_section_scalar(out, ctx->arena, &scalar);
}

/* Only in JSON if the program does not communicate. */
static void add_communication(
	struct jr_pass_context *ctx, struct jr_section *out, struct jr_scalar scalar)
{
	scalar.hidden = !ctx->profile->any_communication;
	add(ctx, out, scalar);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_steady *st = ctx->steady;
	char share[JR_NUM_MAX];
	jr_num_double(share, round(1e6 * ctx->profile->options.top_modules) / 1e4);
	if (st->n_top == 1)
		jr_section_text(out, ctx->arena,
			"Sums over all devices and all steady executions of the top module, which "
			"takes at least %s %% of steady module time.",
			share);
	else
		jr_section_text(out, ctx->arena,
			"Sums over all devices and all steady executions of the %zu top modules, which "
			"together take at least %s %% of steady module time.",
			st->n_top, share);
	int64_t idle_in_ns = st->modules_active_ns - st->thunks_active_ns;
	int64_t idle_between_ns = st->modules_wall_ns - st->modules_active_ns;
	double busy_share = jr_ratio((double)st->thunks_active_ns, (double)st->modules_wall_ns);
	add(ctx, out,
		jr_scalar_f64("totals.busy_fraction", "Share of wall with active thunks",
			"time of active thunks / wall time of the top modules, at most 1", JR_UNIT_FRAC,
			busy_share > 1 ? 1 : busy_share));
	add(ctx, out,
		jr_scalar_ns_i64("totals.thunks_active_ms", "Thunks active",
			"(1): sum of active thunk time; for communication thunks, only the time that "
			"does not overlap with compute",
			st->thunks_active_ns));
	add(ctx, out,
		jr_scalar_ns_i64("totals.modules_active_ms", "Top modules active",
			"(2): sum of the durations of top module executions", st->modules_active_ns));
	add(ctx, out,
		jr_scalar_ns_i64("totals.modules_wall_ms", "Top modules wall",
			"(3): time from the first start of a top module to the last end, sum over devices",
			st->modules_wall_ns));
	add(ctx, out,
		jr_scalar_ns_i64("totals.idle_in_modules_ms", "No thunk active inside modules",
			"(2) - (1), at least 0: time in module executions while no thunk is active",
			idle_in_ns > 0 ? idle_in_ns : 0));
	add(ctx, out,
		jr_scalar_ns_i64("totals.idle_between_modules_ms", "No top module active",
			"(3) - (2), at least 0: time between top module executions, in which other "
			"programs and warm-up may run",
			idle_between_ns > 0 ? idle_between_ns : 0));
	add_communication(ctx, out,
		jr_scalar_ns_i64("totals.communication_exposed_ms", "Collectives and copies, exposed",
			"time of collectives and host copies that does not overlap with compute on "
			"their device, sum over thunks; the time breakdown lists the two separately",
			st->exposed_ns));
	add_communication(ctx, out,
		jr_scalar_ns_i64("totals.communication_hidden_ms", "Collectives and copies, overlapped",
			"time of collectives and host copies that overlaps with compute, sum over thunks",
			st->hidden_ns));
}

const struct jr_pass jr_pass_totals = {
	.name = "totals",
	.title = "Totals",
	.summary =
		JR_GPU " time in the steady state: active, idle inside modules, idle between modules",
	.needs = JR_NEEDS_MODULES,
	.data_only = true,
	.run = run,
};
