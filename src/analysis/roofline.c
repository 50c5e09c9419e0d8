/* Thunks against what the device can do; analysis/README.md, section 14. */
#include <math.h>

#include "analysis/columns.h"
#include "analysis/roofline_tables.h"
#include "analysis/vendor.h"

#define SHOWN_TARGETS 5

/* --- the step --------------------------------------------------------------------------------- */

/* What a step needs and takes, ns; NaN where it is not known. */
struct step {
	double period_ns, ideal_ns, model_ns, roof_ns, network_ns, lost_ns;
	double matrix_flops;
};

/* Of the slowest device: from a step's start to the next one's, or the one step that there is. */
static double slowest_period(const struct jr_pass_context *ctx)
{
	double slowest = NAN;
	for (size_t d = 0; d < ctx->profile->n_devices; d++) {
		const struct jr_step_window *w = &ctx->windows->devices[d];
		if (w->program == JR_NONE)
			continue;
		double ns = (double)(w->end_ns - w->begin_ns) / (w->n_periods > 0 ? w->n_periods : 1);
		slowest = ns <= slowest ? slowest : ns;
	}
	return slowest > 0 ? slowest : NAN;
}

static struct step step_of(const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	const struct jr_roofline_sum *all = &r->all;
	double n = ctx->steady->n_steps, flops = 0;
	for (size_t i = 0; i < JR_N_MATRIX; i++)
		flops += (double)all->matrix_flops[i];
	struct step s = {.period_ns = slowest_period(ctx)};
	double known = r->peaks.known && n > 0 ? 1 / n : NAN;
	double of_all = jr_ns_of_ps(all->roof_ps) * known;
	/* None counted, and some not counted: that is not 0. */
	double any = all->ideal_ps || all->n_unknown == 0 ? known : NAN;
	s.ideal_ns = jr_ns_of_ps(all->ideal_ps) * any;
	s.model_ns = jr_ns_of_ps(all->ideal_ps - all->remat_ps) * any;
	s.matrix_flops = flops > 0 || all->n_unknown == 0 ? jr_ratio(flops, n) : NAN;
	s.network_ns = jr_ns_of_ps(all->network_ps) * known;
	s.roof_ns = of_all > s.network_ns ? of_all : s.network_ns;
	s.lost_ns = jr_ns_of_ps(all->lost_ps) * known;
	return s;
}

static void add_hidden(
	struct jr_pass_context *ctx, struct jr_section *out, struct jr_scalar scalar)
{
	scalar.hidden = true;
	(void)jr_section_scalar(out, ctx->arena, &scalar);
}

static const char *percent(struct jr_pass_context *ctx, const char *before, double frac)
{
	char text[JR_NUM_MAX];
	jr_num_grouped(text, 100 * frac, 1);
	return jr_arena_printf(ctx->arena, "%s%s %%", before, text);
}

static void add_step(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, const struct step *s)
{
	double hfu = jr_ratio(s->ideal_ns, s->period_ns), mfu = jr_ratio(s->model_ns, s->period_ns);
	if (ctx->steady->n_ranking)
		add_hidden(ctx, out,
			jr_scalar_text("roofline.step.program_id", "Step program",
				"program id of the module that steps are executions of",
				jr_program_id(ctx->profile, ctx->steady->ranking[0], ctx->arena)));
	struct jr_scalar of_peak = jr_scalar_f64("roofline.step.hfu", "Of peak",
		"HFU, hardware FLOPs utilisation: how long the matrix products of a step take at the peak "
		"of their type / the time from a step's start to the next one's, of the slowest device; "
		"MFU, model FLOPs utilisation: the same without what is recomputed, as far as op names "
		"tell",
		JR_UNIT_FRAC, hfu);
	of_peak.tile = s->ideal_ns > 0;
	of_peak.hidden = !of_peak.tile;
	if (of_peak.tile)
		of_peak.note = percent(ctx, r->all.n_unknown ? "HFU at least; MFU " : "HFU; MFU ", mfu);
	(void)jr_section_scalar(out, ctx->arena, &of_peak);
	add_hidden(ctx, out,
		jr_scalar_f64("roofline.step.mfu", "MFU",
			"the same without what op names tell to be recomputed", JR_UNIT_FRAC, mfu));
	add_hidden(ctx, out,
		jr_scalar_f64("roofline.step.matrix_tflops_s", "Matrix products",
			"10^12 FLOPs of matrix products a second, of a device", JR_UNIT_NONE,
			jr_ratio(1e-3 * s->matrix_flops, s->period_ns)));
	add_hidden(ctx, out,
		jr_scalar_ns("roofline.step.period_ms", "Period",
			"from a step's start to the next one's, of the slowest device; of a single step its "
			"length",
			s->period_ns));
	struct jr_scalar roof = jr_scalar_ns("roofline.step.roof_ms", "Step at the roof",
		"what a step would take if each thunk took no longer than its roof, one behind the other, "
		"and collectives ran beside them",
		s->roof_ns);
	roof.hidden = !(s->roof_ns > 0) || s->roof_ns > s->period_ns;
	roof.note = r->all.n_no_roof ? "of thunks that have a roof" : NULL;
	(void)jr_section_scalar(out, ctx->arena, &roof);
	add_hidden(ctx, out,
		jr_scalar_ns("roofline.step.roof_network_ms", "Collectives at the roof",
			"of a step, at the rate of the links", s->network_ns));
	struct jr_scalar lost = jr_scalar_ns("roofline.step.lost_ms", "Lost against roofs",
		"what the thunks of a step take beyond their roofs, added up", s->lost_ns);
	lost.hidden = !(s->lost_ns > 0);
	lost.note = roof.note;
	(void)jr_section_scalar(out, ctx->arena, &lost);
}

/* --- words ------------------------------------------------------------------------------------ */

/* "a, b, c and 4 more" */
static const char *list_of(struct jr_pass_context *ctx, const struct jr_table *names)
{
	const char *text = "";
	for (size_t i = 0; i < names->n_rows && i < SHOWN_TARGETS; i++)
		text = jr_arena_printf(
			ctx->arena, "%s%s%s", text, i ? ", " : "", names->cells[0].text[i]);
	return names->n_rows <= SHOWN_TARGETS ? text
		: jr_arena_printf(ctx->arena, "%s and %zu more", text, names->n_rows - SHOWN_TARGETS);
}

static void tell_unknown(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, const struct jr_table *targets)
{
	double share = jr_ratio(
		(double)r->all.unknown_active_ns, (double)ctx->steady->thunks_active_ns);
	add_hidden(ctx, out,
		jr_scalar_f64("roofline.not_counted.active_percent", "Not counted",
			"share of the active thunk time of the top modules whose FLOPs or bytes are not known",
			JR_UNIT_PERCENT, isnan(share) ? 0 : share));
	if (r->all.n_unknown == 0)
		return;
	char count[JR_NUM_MAX], part[JR_NUM_MAX];
	jr_num_grouped_i64(count, (int64_t)r->all.n_unknown);
	jr_num_significant(part, 100 * share, 3);
	jr_section_text(out, ctx->arena,
		"Not counted: %s thunk%s with %s %% of the active time (%s). What is added up over thunks "
		"is at least that.",
		count, r->all.n_unknown == 1 ? "" : "s", part, list_of(ctx, targets));
}

static const char *device_name(const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	const char *name = r->device == JR_NONE
		? ""
		: jr_str(ctx->profile, ctx->profile->devices[r->device].gpu_name);
	return *name ? name : "the device";
}

/* A device that says itself what it can do. */
static void tell_stated(const struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, const char *name)
{
	char products[JR_NUM_MAX], memory[JR_NUM_MAX];
	jr_num_significant(products, 1e-12 * (double)r->peaks.matrix[JR_MATRIX_BF16], 4);
	jr_num_significant(memory, 1e-9 * (double)r->peaks.memory_bandwidth_bytes_s, 4);
	jr_section_text(out, ctx->arena,
		"Roofs are made of what %s states of itself: %s TFLOP/s of bf16 products, %s GB/s of "
		"memory. Products of f32 are rated as one pass of bf16, XLA's default there (tf32 below), "
		"and as three where the program asks for precision. What vectors and functions can do is "
		"not stated: work that they bound has too low a roof.",
		name, products, memory);
}

static void tell_device(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_roofline *r)
{
	const char *name = device_name(ctx, r);
	if (!r->peaks.known) {
		jr_section_text(out, ctx->arena,
			jr_vendor_of(ctx->profile) == JR_VENDOR_NVIDIA
				? "There are no roofs: what %s can do a second is not known, for the profile tells "
				  "too little of it (compute capability, multiprocessors, clock). FLOPs and bytes "
				  "are those of the programs all the same."
				: "There are no roofs: neither does the profile tell what %s can do a second, nor "
				  "does the table of devices. FLOPs and bytes are those of the programs all the "
				  "same.",
			name);
		return;
	}
	if (r->peaks.stated)
		tell_stated(ctx, out, r, name);
	if (r->peaks.by_formula)
		jr_section_text(out, ctx->arena,
			"Peak by formula: the table of devices does not have %s, so that its clock is the "
			"highest that the driver states. Matrix products may be rated at a lower one.",
			name);
	if (r->peaks.memory_bandwidth_bytes_s == 0)
		jr_section_text(out, ctx->arena,
			"The memory bandwidth of %s is not known: what reads or writes memory has no roof.",
			name);
	if (r->several_models)
		jr_section_text(out, ctx->arena,
			"The devices differ: roofs are those of %s.", name);
}

/* What steps need of the device, and what they would take at the roof. */
static void tell_step(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, const struct step *s)
{
	char ideal[JR_NUM_MAX], period[JR_NUM_MAX], roof[JR_NUM_MAX], flops[JR_NUM_MAX];
	if (!(s->roof_ns > 0) || isnan(s->period_ns))
		return;
	jr_num_time(ideal, s->ideal_ns);
	jr_num_time(period, s->period_ns);
	jr_num_time(roof, s->roof_ns);
	jr_num_significant(flops, 1e-12 * s->matrix_flops, 4);
	const char *at_roof =
		s->roof_ns > s->period_ns ? ""
		: r->all.n_no_roof
			? jr_arena_printf(
				  ctx->arena, " The thunks of a step that have a roof would take %s there.", roof)
			: jr_arena_printf(
				  ctx->arena, " With each thunk at its roof a step would take %s.", roof);
	const char *least = r->all.n_unknown ? "at least " : "";
	if (s->ideal_ns > 0)
		jr_section_text(out, ctx->arena,
			"A step comes every %s on the slowest device. Its matrix products, %s%s TFLOP a "
			"device, take %s at the peak of %s: HFU %s%s; MFU %s%s (without what op names tell to "
			"be recomputed).%s",
			period, least, flops, ideal, device_name(ctx, r), least,
			percent(ctx, "", s->ideal_ns / s->period_ns), least,
			percent(ctx, "", s->model_ns / s->period_ns), at_roof);
	else
		jr_section_text(out, ctx->arena, "A step comes every %s on the slowest device. %s%s",
			period,
			r->all.n_unknown ? "No matrix product of it is counted." : "It has no matrix products.",
			at_roof);
}

/* Thunks beyond their roofs, and collectives whose wait is not known. */
static void tell_oddities(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_roofline *r)
{
	size_t n_cached = 0;
	bool tensor = false, waiting = false, network = false;
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		uint64_t n = (uint64_t)ctx->steady->ops[o->op].count;
		waiting |= o->has_roof && o->holds_waiting;
		if (!o->has_roof || o->dur_ns <= 0 ||
			jr_mul_div(o->roof_ps, n, JR_PS_PER_NS) <= (uint64_t)o->dur_ns)
			continue;
		network |= o->bound == JR_BOUND_NETWORK;
		n_cached += o->bound == JR_BOUND_MEMORY;
		tensor |= o->bound == JR_BOUND_TENSOR;
	}
	if (n_cached)
		jr_section_text(out, ctx->arena,
			"%zu thunk%s faster than memory alone would let %s: caches serve a part of what %s.",
			n_cached, n_cached == 1 ? " is" : "s are", n_cached == 1 ? "it" : "them",
			n_cached == 1 ? "it reads" : "they read");
	if (tensor)
		jr_section_text(out, ctx->arena,
			"Matrix products are faster than their peak here: the figures of the device are not "
			"those that it runs at, and HFU, MFU and efficiencies are too high.");
	if (network)
		jr_section_text(out, ctx->arena,
			"Collectives are faster than the links of the device are rated: they went another way, "
			"or the links are others, and what they would take at the roof is too long.");
	if (waiting)
		jr_section_text(out, ctx->arena,
			"The times of collectives include waiting for devices that were not profiled: what "
			"they lose is at most that.");
}

/* --- figures ---------------------------------------------------------------------------------- */

static const char *scatter_caption(struct jr_pass_context *ctx, size_t n_others, int64_t others_ns)
{
	static const char text[] =
		"a point a thunk, its area by the time that it takes; the lines are what the device can do "
		"at most: the further below them, the more is lost";
	char part[JR_NUM_MAX], count[JR_NUM_MAX];
	if (n_others == 0)
		return text;
	jr_num_significant(
		part, 100 * jr_ratio((double)others_ns, (double)ctx->steady->thunks_active_ns), 3);
	jr_num_grouped_i64(count, (int64_t)n_others);
	return jr_arena_printf(ctx->arena,
		"%s. Not in it: %s thunk%s with %s %% of the active time, of which no FLOPs are known "
		"(copies, collectives) or that take%s less than 0.01 %% of it",
		text, count, n_others == 1 ? "" : "s", part, n_others == 1 ? "s" : " each");
}

static void add_scatter(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, const struct jr_table *thunks)
{
	static const char *const parts[] = {"compute", "memory", "latency", "unknown", NULL};
	static const char *const roles[] = {"series-1", "series-3", "series-8", "unknown", NULL};
	int64_t others_ns;
	struct jr_table *points = jr_roofline_points_table(ctx, r, thunks, &others_ns);
	struct jr_table *lines = jr_roofline_lines_table(ctx, r, points);
	if (points->n_rows == 0)
		return;
	struct jr_chart chart = {.name = "roofline",
		.title = "Roofline",
		.caption = scatter_caption(ctx, r->n - points->n_rows, others_ns),
		.kind = JR_CHART_SCATTER,
		.table = points,
		.x = "intensity",
		.y = "tflops_s",
		.series = "class",
		.label = "name",
		.weight = "step_ms",
		.parts = parts,
		.part_roles = roles,
		.x_title = "FLOP a byte of memory traffic",
		.y_title = "TFLOP/s",
		.log_x = true,
		.log_y = true,
		.lines = lines,
		.line_name = "roof",
		.line_x = "intensity",
		.line_y = "tflops_s"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, points);
	if (lines)
		jr_section_table(out, ctx->arena, lines);
}

static void add_kinds(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, struct jr_table *kinds)
{
	static const char *const parts[] = {"roof_ms", "lost_ms", "no_roof_ms", NULL};
	static const char *const all_known[] = {"roof_ms", "lost_ms", NULL};
	static const char *const roles[] = {"compute", "communication", "unknown", NULL};
	struct jr_chart chart = {.name = "roofline_kinds",
		.title = "Time at the roof by kind",
		.caption = "all executions over all devices: what they would take at the roof, and what "
				   "they take beyond it; what collectives wait for other devices is left out",
		.kind = JR_CHART_STACKED,
		.table = kinds,
		.x = "kind",
		.parts = r->all.n_no_roof ? parts : all_known,
		.part_roles = roles,
		.y_title = "Time"};
	if (r->peaks.known)
		jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, kinds);
}

/* --- the pass --------------------------------------------------------------------------------- */

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_roofline *r = ctx->roofline = jr_roofline_compute(ctx, ctx->arena);
	struct jr_table *targets = jr_roofline_unknown_table(ctx, r);
	struct jr_table *thunks = jr_roofline_thunks_table(ctx, r);
	struct step step = step_of(ctx, r);
	tell_step(ctx, out, r, &step);
	add_step(ctx, out, r, &step);
	tell_device(ctx, out, r);
	tell_unknown(ctx, out, r, targets);
	tell_oddities(ctx, out, r);
	add_scatter(ctx, out, r, thunks);
	jr_section_table(out, ctx->arena, thunks);
	add_kinds(ctx, out, r, jr_roofline_kinds_table(ctx, r));
	jr_section_table(out, ctx->arena, jr_roofline_classes_table(ctx, r));
	jr_section_table(out, ctx->arena, jr_roofline_peaks_table(ctx, r));
	jr_section_table(out, ctx->arena, jr_roofline_device_table(ctx, r));
	jr_section_table(out, ctx->arena, jr_roofline_programs_table(ctx, r));
	jr_section_table(out, ctx->arena, targets);
}

const struct jr_pass jr_pass_roofline = {
	.name = "roofline",
	.title = "Roofline",
	.summary = "How far thunks are from what the device can do, and what a step would take there",
	.needs = JR_NEEDS_THUNKS | JR_NEEDS_HLO,
	.group = JR_GROUP_GPU,
	.run = run,
};
