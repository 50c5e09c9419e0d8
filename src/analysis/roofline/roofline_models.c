/* Work and efficiency of a step, for all devices or one model; analysis/README.md, section 14. */
#include <math.h>

#include "analysis/shared/columns.h"
#include "analysis/roofline/roofline_tables.h"
#include "analysis/shared/step_window.h"
#include "analysis/core/keys.h"

static bool is_of(const struct jr_pass_context *ctx, size_t device, uint32_t gpu_name)
{
	return gpu_name == JR_NONE || ctx->profile->devices[device].gpu_name == gpu_name;
}

static double slowest_period(const struct jr_pass_context *ctx, uint32_t gpu_name)
{
	double slowest = NAN;
	for (size_t d = 0; d < ctx->profile->n_devices; d++) {
		const struct jr_step_window *w = &ctx->windows->devices[d];
		if (w->program == JR_NONE || !is_of(ctx, d, gpu_name))
			continue;
		double ns = (double)(w->end_ns - w->begin_ns) / (w->n_periods > 0 ? w->n_periods : 1);
		slowest = ns <= slowest ? slowest : ns;
	}
	return slowest > 0 ? slowest : NAN;
}

/* All devices that ran take the same number of steps (struct jr_step_windows). */
static double steps_of(const struct jr_pass_context *ctx, uint32_t gpu_name)
{
	size_t n = 0, n_seen = 0;
	for (size_t d = 0; d < ctx->profile->n_devices; d++) {
		n_seen += ctx->steady->devices[d].seen;
		n += ctx->steady->devices[d].seen && is_of(ctx, d, gpu_name);
	}
	return n == n_seen ? ctx->windows->n_steps
					   : ctx->windows->n_steps * ((double)n / (double)n_seen);
}

struct jr_roofline_step jr_roofline_step_of(const struct jr_pass_context *ctx,
	const struct jr_peaks *peaks, const struct jr_roofline_sum *all, uint32_t gpu_name)
{
	double n = steps_of(ctx, gpu_name), flops = 0;
	for (size_t i = 0; i < JR_N_MATRIX; i++)
		flops += (double)all->matrix_flops[i];
	struct jr_roofline_step s = {.period_ns = slowest_period(ctx, gpu_name)};
	double known = peaks->known && n > 0 ? 1 / n : NAN;
	double of_all = jr_ns_of_ps(all->roof_ps) * known;
	/* If none is counted and some are unknown, the result is not 0. */
	double any = all->ideal_ps || all->n_unknown == 0 ? known : NAN;
	s.ideal_ns = jr_ns_of_ps(all->ideal_ps) * any;
	s.model_ns = jr_ns_of_ps(all->ideal_ps - all->remat_ps) * any;
	s.matrix_flops = flops > 0 || all->n_unknown == 0 ? jr_ratio(flops, n) : NAN;
	s.network_ns = jr_ns_of_ps(all->network_ps) * known;
	s.roof_ns = of_all > s.network_ns ? of_all : s.network_ns;
	s.lost_ns = jr_ns_of_ps(all->lost_ps) * known;
	return s;
}

/* --- device models ---------------------------------------------------------------------------- */

#define MODEL_COLUMNS(X, T)                                                                        \
	X(T, name, "Device", "model name as the driver reports it", TEXT, NONE, JR_COL_KEY)            \
	X(T, devices, "Devices", "devices that execute a top module", I64, COUNT)                      \
	X(T, peak_tflops_s, "Peak, TFLOP/s", "peak rate of dense bf16 matrix products", F64, NONE)     \
	X(T, memory_gb_s, "Memory, GB/s", "peak rate in 10^9 bytes per second", F64, NONE)             \
	X(T, period_ms, "Step",                                                                        \
		"time from one step start to the next on the slowest device of this kind", F64, NS)        \
	X(T, step_tflop, "TFLOP per step", "10^12 FLOPs of matrix products per step and device", F64,  \
		NONE)                                                                                      \
	X(T, hfu, "HFU", "time of a step's matrix products at the peak of their type / step time",     \
		F64, FRAC)                                                                                 \
	X(T, mfu, "MFU", "the same without work that op names mark as recomputed", F64, FRAC)          \
	X(T, roof_ms, "Kernels at the roofline",                                                       \
		"step time with each thunk at the roofline and collectives overlapped; only "              \
		"thunks that have a roofline",                                                             \
		F64, NS)                                                                                   \
	X(T, unknown_thunks, "Not counted",                                                            \
		"distinct thunks for which FLOPs or bytes are not known; if there are any, the "           \
		"other values are lower bounds",                                                           \
		I64, COUNT)
JR_COLUMNS(model_columns, K, MODEL_COLUMNS);

static const struct jr_table_spec models_spec = {.name = "roofline_models",
	.json = "roofline.models",
	.title = "By kind of device",
	.help = "Peak rates and step performance per device model, if several models ran",
	.n_columns = JR_COUNT_OF(model_columns),
	.columns = model_columns};

static double scaled_or_null(double scale, uint64_t value)
{
	return value ? scale * (double)value : NAN;
}

struct jr_table *jr_roofline_models_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	struct jr_table *t = jr_table_new(ctx->arena, &models_spec, r->n_models);
	union jr_cells *c = t->cells;
	for (size_t i = 0; i < r->n_models; i++) {
		const struct jr_roofline_model *m = &r->models[i];
		uint32_t name = ctx->profile->devices[m->device].gpu_name;
		struct jr_roofline_step s = jr_roofline_step_of(ctx, &m->peaks, &m->all, name);
		c[K_name].text[i] = jr_str(ctx->profile, name);
		c[K_devices].i64[i] = (int64_t)m->n_devices;
		c[K_peak_tflops_s].f64[i] = scaled_or_null(1e-12, m->peaks.matrix[JR_MATRIX_BF16]);
		c[K_memory_gb_s].f64[i] = scaled_or_null(1e-9, m->peaks.memory_bandwidth_bytes_s);
		c[K_period_ms].f64[i] = s.period_ns;
		c[K_step_tflop].f64[i] = 1e-12 * s.matrix_flops;
		c[K_hfu].f64[i] = jr_ratio(s.ideal_ns, s.period_ns);
		c[K_mfu].f64[i] = jr_ratio(s.model_ns, s.period_ns);
		c[K_roof_ms].f64[i] = s.roof_ns > 0 ? s.roof_ns : NAN;
		c[K_unknown_thunks].i64[i] = (int64_t)m->all.n_unknown;
	}
	return t;
}
