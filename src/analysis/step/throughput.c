/* Throughput and cost of a step, from the work and the price that the user states. */
#include <inttypes.h>
#include <math.h>

#include "analysis/cost/peaks.h"
#include "analysis/core/say.h"
#include "analysis/shared/columns.h"
#include "analysis/shared/input_shapes.h"
#include "analysis/shared/instances.h"
#include "analysis/shared/step_window.h"
#include "analysis/core/device_name.h"

#define NS_PER_S 1e9
#define NS_PER_HOUR 3.6e12

struct rates {
	struct jr_pass_context *ctx;
	struct jr_section *out;
	double period_ns, n_devices;
	int64_t n;
};

static void add(const struct rates *r, const char *key, const char *title, const char *help,
	double value, bool tile, const char *note)
{
	if (!(value > 0) || isinf(value))
		return;
	struct jr_scalar scalar = jr_scalar_f64(key, title, help, JR_UNIT_NONE, value);
	scalar.n = r->n;
	scalar.tile = tile;
	scalar.note = note;
	(void)jr_section_scalar(r->out, r->ctx->arena, &scalar);
}

static const char *per_device(const struct rates *r, double value, bool guessed)
{
	return jr_arena_printf(r->ctx->arena, "%s%s per device",
		guessed ? "a guess from input shapes; " : "",
		jr_digits_text(r->ctx->arena, value / r->n_devices, 4));
}

/* Return a note if no device of this kind is so fast, because too much work was stated. */
static const char *above_peak(const struct jr_profile *p, double flops_per_s)
{
	struct jr_peaks peaks = jr_peaks_of(jr_str(p, p->devices[0].gpu_name), &p->devices[0]);
	double most = 0;
	for (size_t i = 0; i < JR_N_MATRIX; i++)
		most = fmax(most, (double)peaks.matrix[i]);
	return most > 0 && flops_per_s > most ? "above the peak of the device; check --flops-per-step"
										  : NULL;
}

/* Devices of the job: those with steps, or more if collectives show that others exist. */
static double count_devices(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	size_t seen = ctx->windows->n_devices;
	if (p->selected.any && p->n_devices < p->selected.n_devices) {
		seen += p->selected.n_devices - p->n_devices;
		jr_section_text(out, ctx->arena,
			"Rates per device and costs are for all %s devices of the profile, also those that "
			"are not selected.",
			jr_count_text(ctx->arena, (int64_t)seen));
	}
	struct jr_absent absent = jr_instances_absent(ctx->profile, ctx->instances);
	if (absent.n_part == 0 || absent.of <= seen)
		return (double)seen;
	jr_section_text(out, ctx->arena,
		"Collectives show %s devices, of which %s were profiled. Rates per device and costs are "
		"for all of them.",
		jr_count_text(ctx->arena, absent.of), jr_count_text(ctx->arena, (int64_t)seen));
	return absent.of;
}

/* Fill in what the user asked to guess, and say what the guess is. Shapes of a partitioned program
 * are those of one device. */
static void guess(const struct rates *r, struct jr_step_work *work)
{
	struct jr_pass_context *ctx = r->ctx;
	const struct jr_profile *p = ctx->profile;
	if (!work->guess_tokens && !work->guess_samples)
		return;
	const char *what = !work->guess_samples ? "Tokens per step are"
					   : work->guess_tokens ? "Tokens and samples per step are"
											: "Samples per step are";
	uint32_t program = ctx->steady->n_ranking ? ctx->steady->ranking[0] : JR_NONE;
	struct jr_token_shape t = {0};
	if (program != JR_NONE && p->programs[program].hlo)
		t = jr_token_shape_find(p->programs[program].hlo);
	if (!t.shape) {
		jr_section_text(r->out, ctx->arena,
			"%s not guessed: the HLO of the step shows no input of integers with two dimensions.",
			what);
		return;
	}
	char devices[JR_NUM_MAX];
	jr_num_grouped(devices, r->n_devices, 0);
	double samples = (double)t.shape->dimensions[0] * r->n_devices;
	if (work->guess_samples)
		work->samples = samples;
	if (work->guess_tokens)
		work->tokens = samples * (double)t.shape->dimensions[1];
	jr_section_text(r->out, ctx->arena,
		"%s a guess: [%" PRId64 ",%" PRId64 "], the shape of %zu input%s of %s, times %s device%s. "
		"It is too large if devices share a batch, and it counts padding.",
		what, t.shape->dimensions[0], t.shape->dimensions[1], t.n, t.n == 1 ? "" : "s",
		jr_quoted(jr_str(p, p->programs[program].name), ctx->scratch), devices,
		r->n_devices > 1 ? "s" : "");
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_step_work stated = ctx->profile->options.work, *work = &stated;
	const struct jr_step_windows *w = ctx->windows;
	if (!(w->mean_ns > 0)) {
		out->unavailable = "not available, because the time of a step is not known without two "
						   "steady steps";
		return;
	}
	struct rates r = {ctx, out, w->mean_ns, count_devices(ctx, out), (int64_t)w->n_periods};
	guess(&r, work);
	double per_s = NS_PER_S / r.period_ns;
	double step_cost = work->price_per_hour * r.n_devices * r.period_ns / NS_PER_HOUR;
	if (work->tokens > 0) {
		add(&r, "throughput.tokens_per_s", "Tokens per second",
			"tokens per step (--tokens-per-step) / mean step period", work->tokens * per_s, true,
			per_device(&r, work->tokens * per_s, work->guess_tokens));
		add(&r, "throughput.tokens_per_s_device", "Tokens per second and device",
			"tokens per second / devices of the job", work->tokens * per_s / r.n_devices, false,
			NULL);
	}
	if (work->samples > 0) {
		add(&r, "throughput.samples_per_s", "Samples per second",
			"samples per step (--samples-per-step) / mean step period", work->samples * per_s, true,
			per_device(&r, work->samples * per_s, work->guess_samples));
		add(&r, "throughput.samples_per_s_device", "Samples per second and device",
			"samples per second / devices of the job", work->samples * per_s / r.n_devices, false,
			NULL);
	}
	double flops_per_s = work->flops * per_s / r.n_devices;
	add(&r, "throughput.tflops_per_device", "TFLOP/s per device",
		"FLOPs per step (--flops-per-step) / mean step period / devices of the job",
		1e-12 * flops_per_s, true, above_peak(ctx->profile, flops_per_s));
	add(&r, "cost.per_step", "Cost per step",
		"price of a device for an hour (--price) × devices of the job × mean step period",
		step_cost, true, work->tokens > 0 ? NULL : "in the unit of --price");
	if (work->tokens > 0)
		add(&r, "cost.per_million_tokens", "Cost per million tokens",
			"cost per step / tokens per step × 1,000,000", 1e6 * step_cost / work->tokens, true,
			work->guess_tokens ? "in the unit of --price; tokens are a guess"
							   : "in the unit of --price");
}

const struct jr_pass jr_pass_throughput = {
	.name = "throughput",
	.title = "Throughput and cost",
	.summary = "Work per second and its price, from what was stated about a step",
	.needs = JR_NEEDS_STEP | JR_NEEDS_WORK,
	.group = JR_GROUP_STEP,
	.run = run,
};
