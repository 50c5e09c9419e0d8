/* Peaks of the device and work of the programs; analysis/README.md, section 14.2. */
#include <math.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/roofline/roofline_tables.h"
#include "analysis/core/keys.h"
#include "analysis/core/terms.h"
#include "analysis/roofline/roofline_columns.h"

static int64_t known_i64(uint64_t v)
{
	return v && v <= INT64_MAX ? (int64_t)v : JR_NULL_I64;
}

/* --- the device ------------------------------------------------------------------------------- */

#define PEAK(key, what)                                                                            \
	{                                                                                              \
		"peaks_flops_s." key, "Peak", what, JR_I64, JR_UNIT_NONE, 0                                \
	}
#define MATRIX(key) PEAK(key, "FLOP/s of dense matrix products of this type")

enum {
	D_NAME,
	D_SOURCE,
	D_CAPABILITY,
	D_SMS,
	D_TENSOR,
	D_VECTOR,
	D_BANDWIDTH,
	D_LINK,
	D_MATRIX,
	D_VECTOR_PEAKS = D_MATRIX + JR_N_MATRIX,
	D_FUNCTIONS = D_VECTOR_PEAKS + JR_N_VECTOR,
	D_INTEGERS,
	D_FORMULA,
	D_N
};

static const struct jr_column_spec device_columns[D_N] = {
	[D_NAME] = {"name", "Name", "model name as the driver reports it", JR_TEXT, JR_UNIT_NONE, 0},
	[D_SOURCE] = {"source", "Source",
		"metadata: from the profiler; gpu_target_config: the target that XLA compiled for; "
		"option: named by --device; none",
		JR_TEXT, JR_UNIT_NONE, 0},
	[D_CAPABILITY] = {"compute_capability", "Capability", "compute capability", JR_TEXT,
		JR_UNIT_NONE, 0},
	[D_SMS] = {"sm_count", JR_SM "s", JR_MULTIPROCESSOR "s", JR_I64, JR_UNIT_COUNT, 0},
	[D_TENSOR] = {"tensor_clock_hz", "Tensor clock", "clock that the matrix peaks assume", JR_I64,
		JR_UNIT_HZ, 0},
	[D_VECTOR] = {"vector_clock_hz", "Vector clock", "clock that all other peaks assume", JR_I64,
		JR_UNIT_HZ, 0},
	[D_BANDWIDTH] = {"memory_bandwidth_bytes_s", "Memory bandwidth", "bytes per second", JR_I64,
		JR_UNIT_NONE, 0},
	[D_LINK] = {"link_bytes_s", "Links",
		"bytes per second that it can send to other devices of its host", JR_I64, JR_UNIT_NONE, 0},
	[D_MATRIX + JR_MATRIX_BF16] = MATRIX("bf16"),
	[D_MATRIX + JR_MATRIX_F16] = MATRIX("f16"),
	[D_MATRIX + JR_MATRIX_F8] = MATRIX("f8"),
	[D_MATRIX + JR_MATRIX_F4] = MATRIX("f4"),
	[D_MATRIX + JR_MATRIX_S8] = MATRIX("s8"),
	[D_MATRIX + JR_MATRIX_S4] = MATRIX("s4"),
	[D_MATRIX + JR_MATRIX_TF32] = MATRIX("tf32"),
	[D_MATRIX + JR_MATRIX_F32] = MATRIX("f32"),
	[D_MATRIX + JR_MATRIX_F64] = MATRIX("f64"),
	[D_MATRIX + JR_MATRIX_BF16X3] = MATRIX("bf16x3"),
	[D_MATRIX + JR_MATRIX_BF16X6] = MATRIX("bf16x6"),
	[D_MATRIX + JR_MATRIX_BF16X9] = MATRIX("bf16x9"),
	[D_MATRIX + JR_MATRIX_TF32X3] = MATRIX("tf32x3"),
	[D_VECTOR_PEAKS + JR_VECTOR_F32] = PEAK("vector_f32", "FLOP/s of vectors of f32"),
	[D_VECTOR_PEAKS + JR_VECTOR_F64] = PEAK("vector_f64", "FLOP/s of vectors of f64"),
	[D_FUNCTIONS] = PEAK("sfu", "functions such as exp per second"),
	[D_INTEGERS] = PEAK("integer", "integer operations per second"),
	[D_FORMULA] = {"by_formula", "By formula",
		"the device table does not contain it, so the highest clock of the driver is used", JR_BOOL,
		JR_UNIT_NONE, 0},
};

static const struct jr_table_spec device_spec = {.name = "roofline_device",
	.json = "roofline.device",
	.title = "Device of the roofline",
	.help = "The device whose peak rates the roofline uses",
	.n_columns = D_N,
	.columns = device_columns,
	.data_only = true};

static const char *source_of(const struct jr_profile *p, const struct jr_device *device)
{
	if (p->planned && p->options.device)
		return "option";
	bool any = device->gpu_name || device->compute_capability || device->sm_count;
	return !any ? "none" : device->of_target ? "gpu_target_config" : "metadata";
}

struct jr_table *jr_roofline_device_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	const struct jr_peaks *k = &r->peaks;
	struct jr_table *table = jr_table_new(ctx->arena, &device_spec, r->device != JR_NONE);
	if (r->device == JR_NONE)
		return table;
	const struct jr_device *device = &ctx->profile->devices[r->device];
	union jr_cells *c = table->cells;
	c[D_NAME].text[0] = jr_text_or_null(ctx->profile, device->gpu_name);
	c[D_SOURCE].text[0] = source_of(ctx->profile, device);
	if (k->compute_capability)
		c[D_CAPABILITY].text[0] = jr_arena_printf(
			ctx->arena, "%u.%u", k->compute_capability / 10, k->compute_capability % 10);
	c[D_SMS].i64[0] = known_i64(k->sm_count);
	c[D_TENSOR].i64[0] = known_i64(k->tensor_clock_hz);
	c[D_VECTOR].i64[0] = known_i64(k->vector_clock_hz);
	c[D_BANDWIDTH].i64[0] = known_i64(k->memory_bandwidth_bytes_s);
	c[D_LINK].i64[0] = known_i64(k->link_bytes_s);
	for (unsigned i = 0; i < JR_N_MATRIX; i++)
		c[D_MATRIX + i].i64[0] = known_i64(k->matrix[i]);
	for (unsigned i = 0; i < JR_N_VECTOR; i++)
		c[D_VECTOR_PEAKS + i].i64[0] = known_i64(k->vector[i]);
	c[D_FUNCTIONS].i64[0] = known_i64(k->functions);
	c[D_INTEGERS].i64[0] = known_i64(k->integers);
	c[D_FORMULA].boolean[0] = k->by_formula;
	return table;
}

/* --- its peaks, for people -------------------------------------------------------------------- */

#define PEAK_COLUMNS(X, T)                                                                         \
	X(T, unit, "Of",                                                                               \
		"matrix products by type, vectors by type, functions such as exp, operations on "          \
		"integers",                                                                                \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, tflops_s, "TFLOP/s", "peak rate in 10^12 operations per second, dense", F64, NONE)        \
	X(T, ridge, "FLOP per byte",                                                                   \
		"FLOPs per byte above which this unit, not memory, limits a thunk", F64, NONE)             \
	X(T, step_gflop, "GFLOP per step", "10^9 operations per step and device", F64, NONE)
JR_COLUMNS(peak_columns, P, PEAK_COLUMNS);

static const struct jr_table_spec peaks_spec = {.name = "roofline_peaks",
	.title = "Peaks",
	.help = "One row per kind of operation that the device has units for",
	.n_columns = JR_COUNT_OF(peak_columns),
	.columns = peak_columns,
	.looked_up = true};

static void add_peak(struct jr_table *t, const struct jr_pass_context *ctx,
	const struct jr_roofline *r, const char *unit, uint64_t peak, uint64_t needed)
{
	if (peak == 0)
		return;
	size_t row = t->n_rows++;
	t->cells[P_unit].text[row] = unit;
	t->cells[P_tflops_s].f64[row] = 1e-12 * (double)peak;
	t->cells[P_ridge].f64[row] = jr_ratio((double)peak, (double)r->peaks.memory_bandwidth_bytes_s);
	if (needed)
		t->cells[P_step_gflop].f64[row] = jr_ratio(1e-9 * (double)needed, ctx->windows->n_steps);
}

struct jr_table *jr_roofline_peaks_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	const struct jr_peaks *k = &r->peaks;
	struct jr_table *t = jr_table_new(ctx->arena, &peaks_spec, JR_N_MATRIX + JR_N_VECTOR + 2);
	t->n_rows = 0;
	for (unsigned i = 0; k->known && i < JR_N_MATRIX; i++)
		if (i <= JR_MATRIX_F64 || r->all.matrix_flops[i])
			add_peak(t, ctx, r,
				jr_arena_printf(ctx->arena, "matrix products of %s",
					jr_matrix_class_name((enum jr_matrix_class)i)),
				k->matrix[i], r->all.matrix_flops[i]);
	if (k->known) {
		add_peak(t, ctx, r, "vectors of f32", k->vector[JR_VECTOR_F32],
			r->all.vector_flops[JR_VECTOR_F32]);
		add_peak(t, ctx, r, "vectors of f64", k->vector[JR_VECTOR_F64],
			r->all.vector_flops[JR_VECTOR_F64]);
		add_peak(t, ctx, r, "functions", k->functions, r->all.transcendentals);
		add_peak(t, ctx, r, "integers", k->integers, r->all.int_ops);
	}
	t->n_data = t->n_rendered = t->n_rows;
	return t;
}

/* --- programs --------------------------------------------------------------------------------- */

#define PROGRAM_COLUMNS(X, T)                                                                      \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, name, "Module", "module name", TEXT, NONE, JR_COL_CODE | JR_COL_VITAL)                    \
	X(T, executions, "Executions", "steady executions over all devices", I64, COUNT)
JR_COLUMNS(program_columns, G, PROGRAM_COLUMNS);
#define LAST_COLUMNS(X, T)                                                                         \
	X(T, transcendentals, "Functions", "functions such as exp", I64, COUNT)                        \
	X(T, int_ops, "Integer operations", "integer operations that are known", I64, COUNT)           \
	X(T, bytes_read, "Read", "bytes read from device memory", I64, BYTES)                          \
	X(T, bytes_written, "Written", "bytes written to device memory", I64, BYTES)                   \
	X(T, network_bytes, "Sent", "bytes sent in collectives", I64, BYTES)                           \
	X(T, remat_flops, "Recomputed", "FLOPs of matrix products that are recomputed", I64, COUNT)    \
	X(T, unknown_thunks, "Not counted",                                                            \
		"distinct thunks for which FLOPs or bytes are not known; if there are any, the "           \
		"other values are lower bounds",                                                           \
		I64, COUNT)
JR_COLUMNS(last_columns, G_LAST, LAST_COLUMNS);

static const struct jr_table_spec programs_spec = {.name = "roofline_programs",
	.json = "roofline.programs",
	.title = "Work of programs",
	.help = "Work of one execution on one device, per top module",
	.data_only = true};

/* The classes that any top module has are columns between the first and the last ones. */
struct program_layout {
	struct jr_table_spec *spec;
	size_t matrix[JR_N_MATRIX], vector[JR_N_VECTOR], last; /* columns; 0: none */
};

static struct program_layout layout_of(
	const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	struct program_layout layout = {.spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec)};
	struct jr_column_spec *columns = JR_ARENA_N(ctx->arena, struct jr_column_spec,
		JR_COUNT_OF(program_columns) + JR_N_MATRIX + JR_N_VECTOR + JR_COUNT_OF(last_columns));
	static const char *const vectors[JR_N_VECTOR] = {"f32", "f64"};
	size_t n = JR_COUNT_OF(program_columns);
	memcpy(columns, program_columns, sizeof(program_columns));
	for (unsigned i = 0; i < JR_N_MATRIX; i++) {
		if (r->all.matrix_flops[i] == 0)
			continue;
		layout.matrix[i] = n;
		columns[n++] = (struct jr_column_spec){jr_arena_printf(ctx->arena, "matrix_flops.%s",
												   jr_matrix_class_name((enum jr_matrix_class)i)),
			"FLOPs", "FLOPs of matrix products, by operand type", JR_I64, JR_UNIT_COUNT, 0};
	}
	for (unsigned i = 0; i < JR_N_VECTOR; i++) {
		if (r->all.vector_flops[i] == 0)
			continue;
		layout.vector[i] = n;
		columns[n++] = (struct jr_column_spec){
			jr_arena_printf(ctx->arena, "vector_flops.%s", vectors[i]), "Vector FLOPs",
			"FLOPs of other floating-point operations, by type", JR_I64, JR_UNIT_COUNT, 0};
	}
	layout.last = n;
	memcpy(columns + n, last_columns, sizeof(last_columns));
	*layout.spec = programs_spec;
	layout.spec->columns = columns;
	layout.spec->n_columns = n + JR_COUNT_OF(last_columns);
	return layout;
}

/* Per execution and device. */
static int64_t each(uint64_t sum, int64_t executions)
{
	return sum == UINT64_MAX || executions <= 0     ? JR_NULL_I64
		   : sum / (uint64_t)executions > INT64_MAX ? JR_NULL_I64
													: (int64_t)(sum / (uint64_t)executions);
}

static void fill_program(struct jr_table *t, size_t row, const struct program_layout *layout,
	const struct jr_roofline_sum *sum, int64_t n)
{
	union jr_cells *c = t->cells, *last = t->cells + layout->last;
	c[G_executions].i64[row] = n;
	for (unsigned i = 0; i < JR_N_MATRIX; i++)
		if (layout->matrix[i])
			c[layout->matrix[i]].i64[row] = each(sum->matrix_flops[i], n);
	for (unsigned i = 0; i < JR_N_VECTOR; i++)
		if (layout->vector[i])
			c[layout->vector[i]].i64[row] = each(sum->vector_flops[i], n);
	last[G_LAST_transcendentals].i64[row] = each(sum->transcendentals, n);
	last[G_LAST_int_ops].i64[row] = each(sum->int_ops, n);
	last[G_LAST_bytes_read].i64[row] = each(sum->bytes_read, n);
	last[G_LAST_bytes_written].i64[row] = each(sum->bytes_written, n);
	last[G_LAST_network_bytes].i64[row] = each(sum->network_bytes, n);
	last[G_LAST_remat_flops].i64[row] = each(sum->remat_flops, n);
	last[G_LAST_unknown_thunks].i64[row] = (int64_t)sum->n_unknown;
}

struct jr_table *jr_roofline_programs_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	struct program_layout layout = layout_of(ctx, r);
	struct jr_table *t = jr_table_new(ctx->arena, layout.spec, st->n_top);
	for (size_t row = 0; row < st->n_top; row++) {
		uint32_t program = st->ranking[row];
		t->cells[G_program_id].text[row] = jr_program_id(p, program, ctx->arena);
		t->cells[G_name].text[row] = jr_str(p, p->programs[program].name);
		fill_program(t, row, &layout, &r->programs[program], st->programs[program].executions);
	}
	return t;
}

/* --- lines of the chart ----------------------------------------------------------------------- */

JR_COLUMNS_OF(line_columns, JR_ROOFLINE_LINES_COLUMNS);

static const struct jr_table_spec lines_spec = {.name = "roofline_lines",
	.title = "Roofline limits",
	.help = "Two rows per line of the chart, by intensity",
	.n_columns = JR_COUNT_OF(line_columns),
	.columns = line_columns,
	.data_only = true};

static void add_line(
	struct jr_table *t, const char *name, double x0, double y0, double x1, double y1)
{
	const double x[] = {x0, x1}, y[] = {y0, y1};
	for (size_t i = 0; i < 2; i++) {
		size_t row = t->n_rows++;
		t->cells[JR_ROOFLINE_LINES_roof].text[row] = name;
		t->cells[JR_ROOFLINE_LINES_intensity].f64[row] = x[i];
		t->cells[JR_ROOFLINE_LINES_tflops_s].f64[row] = y[i];
	}
}

/* Find the smallest and largest intensity above 0. */
static void range_of(const struct jr_table *points, double *low, double *high)
{
	size_t c = jr_table_column(points, JR_KEY(JR_ROOFLINE_POINTS, intensity));
	for (size_t row = 0; row < points->n_rows; row++) {
		double v = jr_table_number(points, c, row);
		if (!(v > 0) || v == INFINITY)
			continue;
		*low = v < *low ? v : *low;
		*high = v > *high ? v : *high;
	}
}

/* A roofline that at least one point belongs to. */
struct roof {
	const char *of;
	double tflops_s, ridge;
};

static size_t roofs_of(const struct jr_pass_context *ctx, const struct jr_roofline *r,
	struct roof roofs[JR_N_MATRIX + 1])
{
	double bytes_s = (double)r->peaks.memory_bandwidth_bytes_s;
	size_t n = 0;
	for (unsigned i = 0; i <= JR_N_MATRIX; i++) {
		bool vector = i == JR_N_MATRIX;
		uint64_t peak = vector ? r->peaks.vector[JR_VECTOR_F32] : r->peaks.matrix[i];
		uint64_t needed = vector ? r->all.vector_flops[JR_VECTOR_F32] : r->all.matrix_flops[i];
		if (peak && needed)
			roofs[n++] = (struct roof){vector ? "f32 vectors"
											  : jr_arena_printf(ctx->arena, "%s products",
													jr_matrix_class_name((enum jr_matrix_class)i)),
				1e-12 * (double)peak, (double)peak / bytes_s};
	}
	return n;
}

struct jr_table *jr_roofline_lines_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r, const struct jr_table *points)
{
	struct roof roofs[JR_N_MATRIX + 1];
	double bytes_s = (double)r->peaks.memory_bandwidth_bytes_s, low = INFINITY, high = 0, top = 0;
	char rate[JR_NUM_MAX];
	range_of(points, &low, &high);
	if (!r->peaks.known || bytes_s <= 0 || high <= 0)
		return NULL;
	size_t n = roofs_of(ctx, r, roofs);
	for (size_t i = 0; i < n; i++) {
		top = roofs[i].ridge > top ? roofs[i].ridge : top;
		high = 2 * roofs[i].ridge > high ? 2 * roofs[i].ridge : high;
	}
	if (n == 0) { /* memory alone */
		low /= 2;
		top = 2 * high;
	}
	struct jr_table *t = jr_table_new(ctx->arena, &lines_spec, 2 * (n + 1));
	t->n_rows = 0;
	low = low < top ? low : top / 2;
	jr_num_significant(rate, 1e-9 * bytes_s, 4);
	add_line(t, jr_arena_printf(ctx->arena, "memory: %s GB/s", rate), low, 1e-12 * low * bytes_s,
		top, 1e-12 * top * bytes_s);
	for (size_t i = 0; i < n; i++) {
		jr_num_significant(rate, roofs[i].tflops_s, 4);
		add_line(t, jr_arena_printf(ctx->arena, "%s: %s TFLOP/s", roofs[i].of, rate),
			roofs[i].ridge, roofs[i].tflops_s, high, roofs[i].tflops_s);
	}
	return t;
}
