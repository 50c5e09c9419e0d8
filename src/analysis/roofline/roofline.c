/* Thunks compared with the device's limits; analysis/README.md, section 14. */
#include <math.h>

#include "analysis/shared/columns.h"
#include "analysis/roofline/roofline_tables.h"
#include "analysis/core/program_kind.h"
#include "analysis/core/say.h"
#include "analysis/step/step_ledger.h"
#include "analysis/core/vendor.h"
#include "analysis/roofline/roofline_columns.h"
#include "base/text.h"

#define SHOWN_TARGETS 5

/* --- the step --------------------------------------------------------------------------------- */

static void add_hidden(struct jr_pass_context *ctx, struct jr_section *out, struct jr_scalar scalar)
{
	scalar.hidden = true;
	(void)jr_section_scalar(out, ctx->arena, &scalar);
}

static const char *percent(struct jr_pass_context *ctx, const char *before, double frac)
{
	char text[JR_NUM_MAX];
	jr_num_grouped(text, 100 * frac, 1);
	return jr_arena_printf(ctx->arena, "%s%s %%%s", before, text,
		jr_say_above_all(frac) ? " (above 100 %, so in doubt)" : "");
}

static void add_step(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, const struct jr_roofline_step *s)
{
	double hfu = jr_ratio(s->ideal_ns, s->period_ns), mfu = jr_ratio(s->model_ns, s->period_ns);
	if (ctx->steady->n_ranking)
		add_hidden(ctx, out,
			jr_scalar_text("roofline.step.program_id", "Step program",
				"program id of the module that is executed in each step",
				jr_program_id(ctx->profile, ctx->steady->ranking[0], ctx->arena)));
	struct jr_scalar of_peak = jr_scalar_f64("roofline.step.hfu", "Of matrix peak",
		"HFU, hardware FLOPs utilization: time of a step's matrix products at the peak of "
		"their type / step period, on the slowest device; MFU, model FLOPs utilization: "
		"the same without recomputed work, as far as op names show it",
		JR_UNIT_FRAC, hfu);
	/* Share of the shown step, and of the part of it that computes. */
	bool uneven = jr_step_periods_uneven(ctx->windows);
	double compute_ns = jr_step_part_ns(jr_step_shown(ctx->results), JR_STEP_COMPUTE);
	double computing = jr_ratio(s->ideal_ns, compute_ns);
	struct jr_scalar of_median =
		jr_scalar_f64("roofline.step.median_hfu", "Of matrix peak, median step",
			"the same for the median step; only if mean and median period differ by more than 5 %",
			JR_UNIT_FRAC, uneven ? jr_ratio(s->ideal_ns, ctx->windows->median_ns) : NAN);
	struct jr_scalar *tile = uneven ? &of_median : &of_peak;
	of_peak.hidden = of_median.hidden = true;
	tile->tile = s->ideal_ns > 0;
	tile->hidden = !tile->tile;
	if (tile->tile)
		tile->note = jr_arena_printf(ctx->arena, "%sHFU of the step%s%s",
			r->all.n_unknown ? "lower bounds; " : "", percent(ctx, "; while computing ", computing),
			percent(ctx, "; MFU ", uneven ? jr_ratio(s->model_ns, ctx->windows->median_ns) : mfu));
	(void)jr_section_scalar(out, ctx->arena, &of_peak);
	(void)jr_section_scalar(out, ctx->arena, &of_median);
	add_hidden(ctx, out,
		jr_scalar_f64("roofline.step.hfu_computing", "Throughput while computing",
			"time of a step's matrix products at the peak of their type / compute time of "
			"the step that is shown",
			JR_UNIT_FRAC, computing));
	add_hidden(ctx, out,
		jr_scalar_f64("roofline.step.mfu", "MFU",
			"the same without work that op names mark as recomputed", JR_UNIT_FRAC, mfu));
	add_hidden(ctx, out,
		jr_scalar_f64("roofline.step.matrix_tflops_s", "Matrix products",
			"10^12 FLOPs of matrix products per second and device", JR_UNIT_NONE,
			jr_ratio(1e-3 * s->matrix_flops, s->period_ns)));
	add_hidden(ctx, out,
		jr_scalar_ns("roofline.step.period_ms", "Period",
			"time from one step start to the next on the slowest device; for a single "
			"step, its length",
			s->period_ns));
	struct jr_scalar roof = jr_scalar_ns("roofline.step.roof_ms", "Kernels at the roofline",
		"step time if each thunk ran at the roofline, one after the other, with "
		"collectives overlapped",
		s->roof_ns);
	roof.hidden = !(s->roof_ns > 0) || s->roof_ns > s->period_ns;
	roof.note = r->all.n_no_roof ? "only thunks that have a roofline" : NULL;
	(void)jr_section_scalar(out, ctx->arena, &roof);
	add_hidden(ctx, out,
		jr_scalar_ns("roofline.step.roof_network_ms", "Collectives at the roofline",
			"collectives of a step at the peak rate of the links", s->network_ns));
	struct jr_scalar lost = jr_scalar_ns("roofline.step.lost_ms", "Time above roofline",
		"sum of the time that the thunks of a step, collectives included, take above the "
		"roofline",
		s->lost_ns);
	lost.hidden = !(s->lost_ns > 0);
	lost.note = roof.note;
	(void)jr_section_scalar(out, ctx->arena, &lost);
}

/* --- sentences -------------------------------------------------------------------------------- */

/* "a, b, c and 4 more" */
static const char *list_of(struct jr_pass_context *ctx, const struct jr_table *names)
{
	const char *text = "";
	for (size_t i = 0; i < names->n_rows && i < SHOWN_TARGETS; i++)
		text = jr_arena_printf(ctx->arena, "%s%s%s", text, i ? ", " : "", names->cells[0].text[i]);
	return names->n_rows <= SHOWN_TARGETS ? text
										  : jr_arena_printf(ctx->arena, "%s and %zu more", text,
												names->n_rows - SHOWN_TARGETS);
}

static void tell_unknown(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, const struct jr_table *targets)
{
	double share =
		jr_ratio((double)r->all.unknown_active_ns, (double)ctx->steady->thunks_active_ns);
	add_hidden(ctx, out,
		jr_scalar_f64("roofline.not_counted.active_percent", "Not counted",
			"share of active thunk time of the top modules for which FLOPs or bytes are "
			"not known",
			JR_UNIT_PERCENT, isnan(share) ? 0 : share));
	if (r->all.n_unknown == 0)
		return;
	jr_section_text(out, ctx->arena,
		"Not counted: %s thunk%s with %s %% of the active time (%s). Sums over thunks are "
		"lower bounds.",
		jr_count_text(ctx->arena, (int64_t)r->all.n_unknown), r->all.n_unknown == 1 ? "" : "s",
		jr_digits_text(ctx->arena, 100 * share, 3), list_of(ctx, targets));
}

/* Say which share of the time relies on HLO that is text, which has no buffer assignment. */
static void tell_text(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	int64_t active_ns = 0;
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct jr_hlo *hlo = p->programs[p->ops[i].program].hlo;
		if (hlo && hlo->is_text && ctx->steady->programs[p->ops[i].program].top)
			active_ns += ctx->steady->ops[i].active_ns;
	}
	double share = jr_ratio((double)active_ns, (double)ctx->steady->thunks_active_ns);
	if (active_ns > 0)
		jr_section_text(out, ctx->arena,
			"HLO for %s of the active time is text, from an export's strings or from text dumps. "
			"It has no buffer assignment, so updates in place follow from shapes alone.",
			jr_say_percent(ctx->arena, share));
}

/* Bytes and FLOPs may be known although a peak for them is not. */
static void tell_links(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_roofline *r)
{
	char part[JR_NUM_MAX];
	if (r->all.n_no_link == 0 || !r->peaks.known)
		return;
	jr_num_significant(part,
		100 * jr_ratio((double)r->all.no_link_active_ns, (double)ctx->steady->thunks_active_ns), 3);
	jr_section_text(out, ctx->arena,
		"%s collective%s with %s %% of the active time %s no roofline, because the peak "
		"link rate is not known for %s. The devices are on several hosts, their links are "
		"not in the device table, or the amount sent depends on the data.",
		jr_count_text(ctx->arena, (int64_t)r->all.n_no_link), r->all.n_no_link == 1 ? "" : "s",
		part, r->all.n_no_link == 1 ? "has" : "have", r->all.n_no_link == 1 ? "it" : "them");
}

#define NAME_BYTES 80 /* of a device's name in a sentence */

static const char *device_name(const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	const char *name =
		r->device == JR_NONE ? "" : jr_str(ctx->profile, ctx->profile->devices[r->device].gpu_name);
	size_t n = strlen(name), shown = jr_text_prefix(name, n, NAME_BYTES);
	if (shown < n)
		return jr_arena_printf(ctx->arena, "%.*s…", (int)shown, name);
	return n ? name : "the device";
}

/* For a device that reports its own peaks. */
static void tell_stated(const struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, const char *name)
{
	jr_section_text(out, ctx->arena,
		"The roofline uses the peak rates that %s reports: %s TFLOP/s for bf16 matrix "
		"products, %s GB/s for memory. An f32 product counts as one bf16 pass, XLA's "
		"default there (tf32 below), or as three if the program asks for higher precision. "
		"The peaks of vector and function units are not reported, so the roofline time of "
		"work that they limit is too short.",
		name, jr_digits_text(ctx->arena, 1e-12 * (double)r->peaks.matrix[JR_MATRIX_BF16], 4),
		jr_digits_text(ctx->arena, 1e-9 * (double)r->peaks.memory_bandwidth_bytes_s, 4));
}

/* Return which peak data is missing: in the profile, or in the table of devices. */
static const char *why_no_peaks(const struct jr_pass_context *ctx, const struct jr_peaks *k)
{
	static const char *const names[] = {"compute capability", "number of multiprocessors", "clock"};
	const bool missing[] = {!k->compute_capability, !k->sm_count, !k->vector_clock_hz};
	if (jr_vendor_of(ctx->profile) != JR_VENDOR_NVIDIA)
		return "neither the profile nor the device table contains them";
	if (k->compute_capability && !k->rates_known)
		return jr_arena_printf(ctx->arena,
			"the device table does not contain compute capability %u.%u",
			k->compute_capability / 10, k->compute_capability % 10);
	const char *text = "";
	for (size_t i = 0; i < JR_COUNT_OF(missing); i++)
		if (missing[i])
			text = jr_arena_printf(ctx->arena, "%s%s%s", text, *text ? ", " : "", names[i]);
	return jr_arena_printf(ctx->arena, "the profile does not contain its %s", text);
}

static void tell_device(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_roofline *r)
{
	const char *name = device_name(ctx, r);
	if (r->n_models) {
		jr_section_text(out, ctx->arena,
			"The devices are of several kinds. Thunk times cover all of them, so thunks "
			"have no roofline; “By kind of device” lists what each kind reaches. For the "
			"roofline of each thunk, make one report per kind of device.");
		return;
	}
	if (!r->peaks.known) {
		jr_section_text(out, ctx->arena,
			"There is no roofline, because the peak rates of %s are not known: %s. FLOPs "
			"and bytes are %s.",
			name, why_no_peaks(ctx, &r->peaks),
			jr_program_any_hlo(ctx->profile) ? "computed from the programs"
											 : "as recorded in the events");
		return;
	}
	if (r->peaks.stated)
		tell_stated(ctx, out, r, name);
	if (r->peaks.by_formula)
		jr_section_text(out, ctx->arena,
			"Peak by formula: the device table does not contain %s, so the highest clock "
			"that the driver reports is used. Matrix products may run at a lower one.",
			name);
	if (r->peaks.memory_bandwidth_bytes_s == 0)
		jr_section_text(out, ctx->arena,
			"The memory bandwidth of %s is not known, so thunks that read or write memory "
			"have no roofline.",
			name);
	if (r->several_models)
		jr_section_text(out, ctx->arena, "The devices differ. The roofline is that of %s.", name);
}

/* Describe the work per step and its roofline time. */
static void tell_step(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, const struct jr_roofline_step *s)
{
	char period[JR_NUM_MAX];
	if (!(s->roof_ns > 0) || isnan(s->period_ns))
		return;
	jr_num_time(period, s->period_ns);
	const char *at_roof = "";
	if (s->roof_ns <= s->period_ns)
		at_roof = jr_arena_printf(ctx->arena, " At the roofline, %s would take %s.",
			r->all.n_no_roof ? "the thunks whose roofline time is known" : "the kernels of a step",
			jr_time_text(ctx->arena, s->roof_ns));
	const char *least = r->all.n_unknown ? "at least " : "";
	const char *which = jr_step_periods_uneven(ctx->windows)
							? "On average over all steady steps, a step"
							: "A step";
	if (s->ideal_ns > 0)
		jr_section_text(out, ctx->arena,
			"%s takes %s (mean of the device with the longest steps). "
			"Its matrix products (%s%s TFLOP per "
			"device) would take %s at the peak of %s: HFU %s%s; MFU %s%s (without work "
			"that op names mark as recomputed).%s",
			which, period, least, jr_digits_text(ctx->arena, 1e-12 * s->matrix_flops, 4),
			jr_time_text(ctx->arena, s->ideal_ns), device_name(ctx, r), least,
			percent(ctx, "", s->ideal_ns / s->period_ns), least,
			percent(ctx, "", s->model_ns / s->period_ns), at_roof);
	else
		jr_section_text(out, ctx->arena,
			"%s takes %s (mean of the device with the longest steps). %s%s", which, period,
			r->all.n_unknown ? "None of its matrix products is counted."
							 : "It has no matrix products.",
			at_roof);
}

/* Explain thunks faster than the roofline, and collectives whose waiting time is unknown. */
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
			"%zu thunk%s faster than device memory allows: caches may serve part of %s reads.",
			n_cached, n_cached == 1 ? " is" : "s are", n_cached == 1 ? "its" : "their");
	if (tensor)
		jr_section_text(out, ctx->arena,
			"Some matrix products run faster than the assumed peak. The device's real peak "
			"is higher, so HFU, MFU and efficiencies are too high.");
	if (network)
		jr_section_text(out, ctx->arena,
			"Some collectives run faster than the rated links of the device, so their "
			"roofline time is too long: their data may take another path, or their size or "
			"duration may be wrong.");
	if (waiting)
		jr_section_text(out, ctx->arena,
			"Collective times include waiting for devices that were not profiled, so their "
			"time above roofline is an upper bound.");
}

/* --- charts ----------------------------------------------------------------------------------- */

static const char *scatter_caption(struct jr_pass_context *ctx, size_t n_others, int64_t others_ns)
{
	static const char text[] =
		"one point per thunk, its area proportional to its time. The lines are the limits "
		"of the device: the further below a line, the more time is spent above the "
		"roofline. Thunks with the most time above it are named";
	if (!ctx->roofline->peaks.known)
		return "one point per thunk, its area proportional to its time";
	if (n_others == 0)
		return text;
	return jr_arena_printf(ctx->arena,
		"%s. Not shown: %s thunk%s with %s %% of the active time, with unknown FLOPs "
		"(copies, collectives) or that take%s less than 0.01 %% of it",
		text, jr_count_text(ctx->arena, (int64_t)n_others), n_others == 1 ? "" : "s",
		jr_digits_text(ctx->arena,
			100 * jr_ratio((double)others_ns, (double)ctx->steady->thunks_active_ns), 3),
		n_others == 1 ? "s" : " each");
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
		.x = JR_KEY(JR_ROOFLINE_POINTS, intensity),
		.y = JR_KEY(JR_ROOFLINE_POINTS, tflops_s),
		.series = JR_KEY(JR_ROOFLINE_POINTS, class),
		.label = JR_KEY(JR_ROOFLINE_POINTS, name),
		.marked = JR_KEY(JR_ROOFLINE_POINTS, named),
		.weight = JR_KEY(JR_ROOFLINE_POINTS, step_ms),
		.parts = parts,
		.part_roles = roles,
		.x_title = "FLOP per byte of memory traffic",
		.y_title = "TFLOP/s",
		.log_x = true,
		.log_y = true,
		.lines = lines,
		.line_name = JR_KEY(JR_ROOFLINE_LINES, roof),
		.line_x = JR_KEY(JR_ROOFLINE_LINES, intensity),
		.line_y = JR_KEY(JR_ROOFLINE_LINES, tflops_s)};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, points);
	if (lines)
		jr_section_table(out, ctx->arena, lines);
}

static void add_kinds(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_roofline *r, struct jr_table *kinds)
{
	static const char *const parts[] = {JR_KEY(JR_ROOFLINE_KINDS, within_ms),
		JR_KEY(JR_ROOFLINE_KINDS, lost_ms), JR_KEY(JR_ROOFLINE_KINDS, no_roof_ms), NULL};
	static const char *const all_known[] = {
		JR_KEY(JR_ROOFLINE_KINDS, within_ms), JR_KEY(JR_ROOFLINE_KINDS, lost_ms), NULL};
	static const char *const roles[] = {"compute", "communication", "unknown", NULL};
	struct jr_chart chart = {.name = "roofline_kinds",
		.title = r->peaks.known ? "Time up to and above the roofline by kind" : "Time by kind",
		.caption = "all executions on all devices: time up to the roofline and above it, without "
				   "the time that collectives wait for other devices",
		.kind = JR_CHART_STACKED,
		.table = kinds,
		.x = JR_KEY(JR_ROOFLINE_KINDS, kind),
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
	struct jr_roofline_step step = jr_roofline_step_of(ctx, &r->peaks, &r->all, JR_NONE);
	tell_step(ctx, out, r, &step);
	add_step(ctx, out, r, &step);
	tell_device(ctx, out, r);
	tell_unknown(ctx, out, r, targets);
	tell_text(ctx, out);
	tell_links(ctx, out, r);
	tell_oddities(ctx, out, r);
	add_scatter(ctx, out, r, thunks);
	jr_section_table(out, ctx->arena, thunks);
	if (r->n_models)
		jr_section_table(out, ctx->arena, jr_roofline_models_table(ctx, r));
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
	.summary =
		"How far thunks are from the limits of the device, and the step time at those limits",
	.needs = JR_NEEDS_THUNKS | JR_NEEDS_TOLD,
	.group = JR_GROUP_GPU,
	.run = run,
};
