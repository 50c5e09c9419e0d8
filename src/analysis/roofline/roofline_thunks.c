/* Tables that compare thunks with their rooflines; analysis/README.md, section 14.1. */
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/roofline/roofline_tables.h"
#include "analysis/core/vendor.h"
#include "analysis/roofline/roofline_columns.h"
#include "analysis/core/keys.h"

#define SHOWN_THUNKS 20
#define SHOWN_KINDS 20
#define NAMED_POINTS 3   /* those with the most time above the roofline */
#define POINT_SHARE 1e-4 /* least share of the active time for a point of the chart */

/* --- thunks ----------------------------------------------------------------------------------- */

JR_TABLE_OF(thunks_spec, JR_ROOFLINE_COLUMNS, "roofline_thunks", JR_AT_IN(roofline, thunks),
	"Roofline of thunks", "One row per thunk of a top module, by time above the roofline per step");

static int64_t whole(uint64_t v)
{
	return v > INT64_MAX ? JR_NULL_I64 : (int64_t)v;
}

static const char *bound_by(const struct jr_roofline_op *o)
{
	static const char *const units[JR_N_BOUNDS] = {[JR_BOUND_MEMORY] = "memory",
		[JR_BOUND_TENSOR] = "matrix units",
		[JR_BOUND_VECTOR] = "vector units",
		[JR_BOUND_FUNCTIONS] = "function units",
		[JR_BOUND_INTEGERS] = "integer units",
		[JR_BOUND_NETWORK] = "network"};
	if (o->class == JR_ROOF_UNKNOWN)
		return o->counted ? "no peak known" : "not counted";
	return o->class == JR_ROOF_COMPUTE ? units[o->bound] : jr_roof_class_name(o->class);
}

static const char *dtype_of(const struct jr_roofline_op *o, const struct jr_cost *cost)
{
	if (!cost->flops_known)
		return NULL;
	if (o->matrix < JR_N_MATRIX)
		return jr_matrix_class_name(o->matrix);
	return cost->vector_flops[JR_VECTOR_F64]   ? "f64"
		   : cost->vector_flops[JR_VECTOR_F32] ? "f32"
											   : NULL;
}

/* Fill in the work of one execution, as far as it is known. */
static void fill_needs(
	union jr_cells *c, size_t row, const struct jr_roofline_op *o, const struct jr_cost *cost)
{
	uint64_t flops = jr_cost_flops(cost), bytes = jr_cost_bytes(cost);
	c[JR_ROOFLINE_dtype].text[row] = dtype_of(o, cost);
	if (cost->flops_known) {
		c[JR_ROOFLINE_flops].i64[row] = whole(flops);
		c[JR_ROOFLINE_gflop].f64[row] = flops == UINT64_MAX ? NAN : 1e-9 * (double)flops;
	}
	if (cost->bytes_known) {
		c[JR_ROOFLINE_bytes_read].i64[row] = whole(cost->bytes_read);
		c[JR_ROOFLINE_bytes_written].i64[row] = whole(cost->bytes_written);
		c[JR_ROOFLINE_bytes].i64[row] = whole(bytes);
	}
	if (cost->collective && cost->network_known)
		c[JR_ROOFLINE_network_bytes].i64[row] = whole(cost->network_bytes);
	if (cost->flops_known && cost->bytes_known && !cost->collective)
		c[JR_ROOFLINE_intensity].f64[row] = jr_ratio((double)flops, (double)bytes);
}

/* On a TPU such an instruction ends when the transfer starts, so it does not show the rate. */
static bool is_start(const char *opcode)
{
	size_t n = strlen(opcode);
	return n > 6 && strcmp(opcode + n - 6, "-start") == 0;
}

static void fill_times(union jr_cells *c, size_t row, const struct jr_roofline_op *o,
	const struct jr_cost *cost, const struct jr_op_steady *s, double n_steps, bool only_begins)
{
	double mean_ns = (double)s->dur_ns / (double)s->count;
	c[JR_ROOFLINE_mean_ms].f64[row] = mean_ns;
	c[JR_ROOFLINE_count].i64[row] = s->count;
	c[JR_ROOFLINE_step_ms].f64[row] = jr_ratio((double)s->dur_ns, n_steps);
	if (cost->flops_known)
		c[JR_ROOFLINE_tflops_s].f64[row] = jr_ratio(1e-3 * (double)jr_cost_flops(cost), mean_ns);
	if (cost->bytes_known && !only_begins)
		c[JR_ROOFLINE_gb_s].f64[row] = jr_ratio(1e9 * (double)jr_cost_bytes(cost), mean_ns);
	c[JR_ROOFLINE_class].text[row] = jr_roof_class_name(o->class);
	c[JR_ROOFLINE_bound_by].text[row] = bound_by(o);
	if (!o->has_roof)
		return;
	c[JR_ROOFLINE_bound].text[row] = jr_bound_name(o->bound);
	c[JR_ROOFLINE_roof_ms].f64[row] = jr_ns_of_ps(o->roof_ps);
	c[JR_ROOFLINE_efficiency].f64[row] =
		jr_ratio(jr_ns_of_ps(o->roof_ps) * (double)s->count, (double)o->dur_ns);
	c[JR_ROOFLINE_step_lost_ms].f64[row] = jr_ratio(jr_ns_of_ps(o->lost_ps), n_steps);
}

struct jr_table *jr_roofline_thunks_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table *table = jr_table_new(ctx->arena, &thunks_spec, r->n);
	union jr_cells *c = table->cells;
	const char **ids = jr_program_ids(p, ctx->arena);
	bool tpu = jr_vendor_of(p) == JR_VENDOR_TPU;
	for (size_t row = 0; row < r->n; row++) {
		const struct jr_roofline_op *o = &r->ops[row];
		const struct jr_op *op = &p->ops[o->op];
		const struct jr_cost *cost = &r->costs[o->op];
		c[JR_ROOFLINE_program_id].text[row] = ids[op->program];
		c[JR_ROOFLINE_name].text[row] = jr_str(p, op->name);
		c[JR_ROOFLINE_kind].text[row] = cost->kind;
		fill_needs(c, row, o, cost);
		fill_times(c, row, o, cost, &ctx->steady->ops[o->op], ctx->windows->n_steps,
			tpu && is_start(jr_str(p, op->opcode)));
		c[JR_ROOFLINE_initializes].boolean[row] = cost->initializes;
		c[JR_ROOFLINE_in_place].boolean[row] = cost->in_place;
		if (op->source_file && op->source_line > 0)
			c[JR_ROOFLINE_source].text[row] =
				jr_arena_printf(ctx->arena, "%s:%d", jr_str(p, op->source_file), op->source_line);
	}
	if (table->n_rendered > SHOWN_THUNKS)
		table->n_rendered = SHOWN_THUNKS;
	return table;
}

/* --- points of the chart ---------------------------------------------------------------------- */

JR_COLUMNS_OF(point_columns, JR_ROOFLINE_POINTS_COLUMNS);

static const struct jr_table_spec points_spec = {.name = "roofline_points",
	.title = "Points of the roofline",
	.help = "Thunks with FLOPs that take at least 0.01 % of the active time",
	.n_columns = JR_COUNT_OF(point_columns),
	.columns = point_columns,
	.data_only = true};

static bool is_point(
	const struct jr_pass_context *ctx, const struct jr_roofline *r, const struct jr_roofline_op *o)
{
	const struct jr_cost *cost = &r->costs[o->op];
	return !cost->collective && cost->flops_known && cost->bytes_known && jr_cost_flops(cost) &&
		   jr_cost_bytes(cost) &&
		   (double)ctx->steady->ops[o->op].active_ns >=
			   POINT_SHARE * (double)ctx->steady->thunks_active_ns;
}

struct jr_table *jr_roofline_points_table(const struct jr_pass_context *ctx,
	const struct jr_roofline *r, const struct jr_table *thunks, int64_t *other_ns)
{
	struct jr_table *t = jr_table_new(ctx->arena, &points_spec, r->n);
	const union jr_cells *from = thunks->cells;
	*other_ns = 0;
	t->n_rows = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (!is_point(ctx, r, &r->ops[i])) {
			*other_ns += ctx->steady->ops[r->ops[i].op].active_ns;
			continue;
		}
		size_t row = t->n_rows++;
		t->cells[JR_ROOFLINE_POINTS_name].text[row] = from[JR_ROOFLINE_name].text[i];
		t->cells[JR_ROOFLINE_POINTS_program_id].text[row] = from[JR_ROOFLINE_program_id].text[i];
		t->cells[JR_ROOFLINE_POINTS_class].text[row] = from[JR_ROOFLINE_class].text[i];
		t->cells[JR_ROOFLINE_POINTS_intensity].f64[row] = from[JR_ROOFLINE_intensity].f64[i];
		t->cells[JR_ROOFLINE_POINTS_tflops_s].f64[row] = from[JR_ROOFLINE_tflops_s].f64[i];
		t->cells[JR_ROOFLINE_POINTS_step_ms].f64[row] = from[JR_ROOFLINE_step_ms].f64[i];
		t->cells[JR_ROOFLINE_POINTS_named].boolean[row] =
			row < NAMED_POINTS && from[JR_ROOFLINE_step_lost_ms].f64[i] > 0;
	}
	t->n_data = t->n_rendered = t->n_rows;
	return t;
}

#define WAITED                                                                                     \
	"time that collectives wait for other devices, as far as known; not part of the other "        \
	"columns"

/* --- by class --------------------------------------------------------------------------------- */

#define CLASS_COLUMNS(X, T)                                                                        \
	X(T, class, "Class",                                                                           \
		"memory, compute: the limiting resource; network: collectives; latency: too "              \
		"short for the roofline to mean anything; host: host memory; unknown: no "                 \
		"roofline",                                                                                \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, active_ms, "Active", "sum of active thunk time", I64, NS, JR_COL_DATA_ONLY)               \
	X(T, percent, "Share", "share of the active thunk time of the top modules, (1)", F64, PERCENT, \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, roof_ms, "At the roofline", "time of all their executions at the roofline", F64, NS,      \
		JR_COL_LIKE)                                                                               \
	X(T, lost_ms, "Above roofline", "time above the roofline, without waiting for other devices",  \
		F64, NS, JR_COL_LIKE)                                                                      \
	X(T, dur_ms, "Time", "sum of durations over all devices", I64, NS, JR_COL_BAR | JR_COL_LIKE)   \
	X(T, waited_ms, "Waiting", WAITED, I64, NS, JR_COL_LIKE)

JR_TABLE(classes_spec, C, CLASS_COLUMNS, "roofline_classes", "roofline.classes",
	"Time at the roofline by class",
	"One row per class of thunks of the top modules, over all devices; by time", .looked_up = true);

/* Times of several thunks; `roof` and `lost` cover those that have a roofline. */
struct times {
	const char *name;
	int64_t active_ns, dur_ns, waited_ns, unknown_ns;
	uint64_t roof_ps, lost_ps;
	bool any, has_roof;
};

static void add_times(struct times *t, const struct jr_roofline_op *o, const struct jr_op_steady *s)
{
	t->any = true;
	t->active_ns += s->active_ns;
	t->dur_ns += s->dur_ns;
	if (!o->has_roof) {
		t->unknown_ns += s->dur_ns;
		return;
	}
	t->has_roof = true;
	t->waited_ns += s->dur_ns - o->dur_ns;
	t->roof_ps = jr_sat_add(t->roof_ps, jr_mul_div(o->roof_ps, (uint64_t)s->count, 1));
	t->lost_ps = jr_sat_add(t->lost_ps, o->lost_ps);
}

static size_t rank_times(const struct times *times, size_t n, bool active, struct jr_rank_key *keys)
{
	size_t used = 0;
	for (size_t i = 0; i < n; i++)
		if (times[i].any)
			keys[used++] =
				(struct jr_rank_key){(double)(active ? times[i].active_ns : times[i].dur_ns),
					times[i].name, 0, (uint32_t)i};
	jr_rank_sort(keys, used);
	return used;
}

struct jr_table *jr_roofline_classes_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	struct times times[JR_N_ROOF_CLASSES] = {{0}};
	struct jr_rank_key keys[JR_N_ROOF_CLASSES];
	for (unsigned i = 0; i < JR_N_ROOF_CLASSES; i++)
		times[i].name = jr_roof_class_name((enum jr_roof_class)i);
	for (size_t i = 0; i < r->n; i++)
		add_times(&times[r->ops[i].class], &r->ops[i], &ctx->steady->ops[r->ops[i].op]);
	size_t n = rank_times(times, JR_N_ROOF_CLASSES, false, keys);
	struct jr_table *table = jr_table_new(ctx->arena, &classes_spec, n);
	for (size_t row = 0; row < n; row++) {
		const struct times *t = &times[keys[row].row];
		table->cells[C_class].text[row] = t->name;
		table->cells[C_active_ms].i64[row] = t->active_ns;
		table->cells[C_percent].f64[row] =
			jr_ratio((double)t->active_ns, (double)ctx->steady->thunks_active_ns);
		if (t->has_roof) {
			table->cells[C_roof_ms].f64[row] = jr_ns_of_ps(t->roof_ps);
			table->cells[C_lost_ms].f64[row] = jr_ns_of_ps(t->lost_ps);
			table->cells[C_waited_ms].i64[row] = t->waited_ns;
		}
		table->cells[C_dur_ms].i64[row] = t->dur_ns;
	}
	return table;
}

/* --- by kind ---------------------------------------------------------------------------------- */

JR_TABLE_OF(kinds_spec, JR_ROOFLINE_KINDS_COLUMNS, "roofline_kinds", "roofline.kinds",
	"Time up to and above the roofline by kind",
	"One row per kind of thunk of the top modules; by time");

/* Kinds with their times; texts of equal content count as one. */
struct kinds {
	struct times *times;
	size_t n;
};

static struct kinds kinds_of(
	const struct jr_pass_context *ctx, const struct jr_roofline *r, bool unknown)
{
	struct kinds k = {JR_ARENA_N(ctx->scratch, struct times, r->n + 1), 0};
	struct jr_intern names;
	JR_CLEANUP(jr_map_done) struct jr_map rows = {0};
	jr_intern_init(&names);
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_cost *cost = &r->costs[r->ops[i].op];
		const char *name = unknown ? cost->unknown : cost->kind;
		if (!name || (unknown && (r->ops[i].counted || cost->host)))
			continue;
		uint32_t id = jr_intern_puts(&names, name), row = jr_map_get(&rows, id);
		if (row == JR_NONE) {
			row = (uint32_t)k.n++;
			jr_map_put(&rows, id, row);
			k.times[row].name = name;
		}
		add_times(&k.times[row], &r->ops[i], &ctx->steady->ops[r->ops[i].op]);
	}
	jr_intern_done(&names);
	return k;
}

struct jr_table *jr_roofline_kinds_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	struct kinds k = kinds_of(ctx, r, false);
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, k.n + 1);
	size_t n = rank_times(k.times, k.n, false, keys);
	struct jr_table *table = jr_table_new(ctx->arena, &kinds_spec, n);
	for (size_t row = 0; row < n; row++) {
		const struct times *t = &k.times[keys[row].row];
		table->cells[JR_ROOFLINE_KINDS_kind].text[row] = t->name;
		table->cells[JR_ROOFLINE_KINDS_dur_ms].i64[row] = t->dur_ns;
		if (t->has_roof) {
			table->cells[JR_ROOFLINE_KINDS_roof_ms].f64[row] = jr_ns_of_ps(t->roof_ps);
			table->cells[JR_ROOFLINE_KINDS_lost_ms].f64[row] = jr_ns_of_ps(t->lost_ps);
			table->cells[JR_ROOFLINE_KINDS_waited_ms].i64[row] = t->waited_ns;
			table->cells[JR_ROOFLINE_KINDS_within_ms].f64[row] = fmax(
				0, (double)(t->dur_ns - t->unknown_ns - t->waited_ns) - jr_ns_of_ps(t->lost_ps));
		}
		if (t->unknown_ns)
			table->cells[JR_ROOFLINE_KINDS_no_roof_ms].i64[row] = t->unknown_ns;
	}
	if (table->n_rendered > SHOWN_KINDS)
		table->n_rendered = SHOWN_KINDS;
	return table;
}

/* --- unknown work ----------------------------------------------------------------------------- */

#define UNKNOWN_COLUMNS(X, T)                                                                      \
	X(T, target, "Target", "opcode or call target for which FLOPs or bytes are not known", TEXT,   \
		NONE, JR_COL_KEY | JR_COL_CODE)                                                            \
	X(T, active_ms, "Active", "sum of active thunk time", I64, NS)
JR_COLUMNS(unknown_columns, U, UNKNOWN_COLUMNS);

static const struct jr_table_spec unknown_spec = {.name = "roofline_not_counted",
	.json = "roofline.not_counted.targets",
	.title = "Not counted",
	.help = "Opcodes and call targets for which FLOPs or bytes are not known, by time",
	.n_columns = JR_COUNT_OF(unknown_columns),
	.columns = unknown_columns,
	.data_only = true};

struct jr_table *jr_roofline_unknown_table(
	const struct jr_pass_context *ctx, const struct jr_roofline *r)
{
	struct kinds k = kinds_of(ctx, r, true);
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, k.n + 1);
	size_t n = rank_times(k.times, k.n, true, keys);
	struct jr_table *table = jr_table_new(ctx->arena, &unknown_spec, n);
	for (size_t row = 0; row < n; row++) {
		table->cells[U_target].text[row] = keys[row].name;
		table->cells[U_active_ms].i64[row] = k.times[keys[row].row].active_ns;
	}
	return table;
}
