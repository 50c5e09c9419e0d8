/* Collectives: bandwidth, waiting, overlap; analysis/README.md, section 4.6. */
#include <stdlib.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/say.h"
#include "analysis/devices/devices_tables.h"
#include "base/order.h"

/* --- instances -------------------------------------------------------------------------------- */

#define INSTANCE_COLUMNS(X, T)                                                                     \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, program_execution, "Execution", "number of the execution of the program, from 0", I64,    \
		COUNT, JR_COL_KEY)                                                                         \
	X(T, name, "Thunk", "name of the HLO instruction", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)       \
	X(T, thunk_execution, "Thunk execution",                                                       \
		"number of the thunk execution within that execution, from 0", I64, COUNT, JR_COL_KEY)     \
	X(T, device_group, "Device group",                                                             \
		"number of the group of devices that took part, from 0; 0 if all devices did", I64, COUNT, \
		JR_COL_KEY | JR_COL_DATA_ONLY)                                                             \
	X(T, collective, "Collective", "kind of communication", TEXT, NONE)                            \
	X(T, message_bytes, "Message",                                                                 \
		"bytes of all operands; for reduce-scatter, divided by the group size", I64, BYTES)        \
	X(T, buffers, "Buffers", "number of operands in the message", I64, COUNT)                      \
	X(T, largest_buffer_bytes, "Largest buffer", "bytes of the largest operand", I64, BYTES)       \
	X(T, group_size, "Group", "number of devices that take part", I64, COUNT)                      \
	X(T, devices, "Devices seen", "number of profiled devices that took part", I64, COUNT)         \
	X(T, dur_ms, "Shortest", "shortest duration over devices: the last to arrive does not wait",   \
		I64, NS)                                                                                   \
	X(T, bus_gbps, "Bus bandwidth", "largest over devices, nccl-tests convention", F64, BYTES_S)   \
	X(T, algorithm_gbps, "Algorithm bandwidth", "largest over devices", F64, BYTES_S)              \
	X(T, wait_ms, "Wait", "last end - first start - shortest duration, on the aligned clock", F64, \
		NS)                                                                                        \
	X(T, wait_ratio, "Wait ratio", "wait / shortest duration", F64, NONE, JR_COL_DATA_ONLY)
JR_TABLE(instance_spec, I, INSTANCE_COLUMNS, "collective_instances", "collective_instances",
	"Collective instances",
	"Per steady instance, over all devices; by program, execution and start", .data_only = true);

static int64_t count_or_null(uint64_t v)
{
	return v && v <= INT64_MAX ? (int64_t)v : JR_NULL_I64;
}

static struct jr_table *instance_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_instances *in = ctx->instances;
	struct jr_table *table = jr_table_new(ctx->arena, &instance_spec, in->n);
	const char **ids = jr_program_ids(p, ctx->arena);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < in->n; row++) {
		const struct jr_instance *i = &in->items[row];
		const struct jr_op *op = &p->ops[i->op];
		c[I_program_id].text[row] = ids[op->program];
		c[I_program_execution].i64[row] = i->program_execution;
		c[I_name].text[row] = jr_str(p, op->name);
		c[I_thunk_execution].i64[row] = i->thunk_execution;
		c[I_device_group].i64[row] = i->group == JR_NONE ? JR_NULL_I64 : (int64_t)i->group;
		c[I_collective].text[row] = jr_str(p, op->collective);
		c[I_message_bytes].i64[row] = count_or_null(op->message_bytes);
		c[I_buffers].i64[row] = count_or_null(op->n_buffers);
		c[I_largest_buffer_bytes].i64[row] = count_or_null(op->largest_buffer_bytes);
		c[I_group_size].i64[row] = count_or_null(op->group_size);
		c[I_devices].i64[row] = i->n;
		c[I_dur_ms].i64[row] = i->shortest_ns;
		c[I_bus_gbps].f64[row] = jr_instance_bus_bytes_s(p, i);
		c[I_algorithm_gbps].f64[row] = jr_instance_algorithm_bytes_s(p, i);
		c[I_wait_ms].f64[row] = i->wait_ns;
		c[I_wait_ratio].f64[row] = jr_ratio(i->wait_ns, (double)i->shortest_ns);
	}
	return table;
}

/* --- by collective and size ------------------------------------------------------------------- */

JR_TABLE_OF(size_spec, JR_COLLECTIVES_COLUMNS, "collectives", JR_AT(collectives),
	"Collectives by message size",
	"Per kind and message size, over steady instances of all programs", .looked_up = true);

static int compare_by_size(const void *a, const void *b, void *arg)
{
	const struct jr_profile *p = arg;
	const struct jr_instance *x = *(const struct jr_instance *const *)a;
	const struct jr_instance *y = *(const struct jr_instance *const *)b;
	const struct jr_op *ox = &p->ops[x->op], *oy = &p->ops[y->op];
	int by_kind = strcmp(jr_str(p, ox->collective), jr_str(p, oy->collective));
	if (by_kind)
		return by_kind;
	if (ox->message_bytes != oy->message_bytes)
		return ox->message_bytes < oy->message_bytes ? -1 : 1;
	return (x > y) - (x < y); /* both point into one array */
}

static void size_row(struct jr_table *table, const struct jr_profile *p,
	const struct jr_instance *const *items, size_t n)
{
	struct jr_stats bus = {0}, wait = {0};
	uint32_t group = 0, n_buffers = 0;
	uint64_t largest_bytes = 0;
	for (size_t i = 0; i < n; i++) {
		double bytes_s = jr_instance_bus_bytes_s(p, items[i]);
		if (!isnan(bytes_s))
			jr_stats_add(&bus, bytes_s);
		jr_stats_add(&wait, items[i]->wait_ns);
		const struct jr_op *op = &p->ops[items[i]->op];
		group = op->group_size > group ? op->group_size : group;
		n_buffers = op->n_buffers > n_buffers ? op->n_buffers : n_buffers;
		if (op->largest_buffer_bytes > largest_bytes)
			largest_bytes = op->largest_buffer_bytes;
	}
	union jr_cells *c = table->cells;
	size_t row = table->n_rows++;
	c[JR_COLLECTIVES_collective].text[row] = jr_str(p, p->ops[items[0]->op].collective);
	c[JR_COLLECTIVES_message_bytes].i64[row] = count_or_null(p->ops[items[0]->op].message_bytes);
	c[JR_COLLECTIVES_buffers].i64[row] = count_or_null(n_buffers);
	c[JR_COLLECTIVES_largest_buffer_bytes].i64[row] = count_or_null(largest_bytes);
	c[JR_COLLECTIVES_group_size].i64[row] = count_or_null(group);
	c[JR_COLLECTIVES_instances].i64[row] = (int64_t)n;
	c[JR_COLLECTIVES_bus_gbps_mean].f64[row] = jr_stats_mean(&bus);
	c[JR_COLLECTIVES_bus_gbps_sem].f64[row] = jr_stats_std(&bus) / sqrt((double)bus.n);
	c[JR_COLLECTIVES_wait_mean_ms].f64[row] = jr_stats_mean(&wait);
}

static bool same_size(
	const struct jr_profile *p, const struct jr_instance *a, const struct jr_instance *b)
{
	return p->ops[a->op].collective == p->ops[b->op].collective &&
		   p->ops[a->op].message_bytes == p->ops[b->op].message_bytes;
}

static struct jr_table *size_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_instances *in = ctx->instances;
	const struct jr_instance **sorted =
		JR_ARENA_N(ctx->scratch, const struct jr_instance *, in->n + 1);
	for (size_t i = 0; i < in->n; i++)
		sorted[i] = &in->items[i];
	if (in->n)
		qsort_r((void *)sorted, in->n, sizeof(*sorted), compare_by_size, (void *)(uintptr_t)p);
	size_t n = 0;
	for (size_t i = 0; i < in->n; i++)
		n += i == 0 || !same_size(p, sorted[i - 1], sorted[i]);
	struct jr_table *table = jr_table_new(ctx->arena, &size_spec, n);
	table->n_rows = 0;
	for (size_t i = 0; i < in->n;) {
		size_t end = i + 1;
		while (end < in->n && same_size(p, sorted[i], sorted[end]))
			end++;
		size_row(table, p, sorted + i, end - i);
		i = end;
	}
	return table;
}

/* --- overlap ---------------------------------------------------------------------------------- */

JR_TABLE_OF(overlap_spec, JR_OVERLAP_COLUMNS, "overlap", JR_AT(overlap), "Hidden communication",
	"Per kind of collective; empty if no communication was hidden", .looked_up = true);

struct kind_sum {
	uint32_t kind;
	int64_t hidden_ns, dur_ns;
};

JR_ORDER_WITH(compare_kinds, struct kind_sum, struct jr_profile, JR_TEXT_UP_OF(jr_str, kind))

static struct jr_table *overlap_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	struct kind_sum sums[32] = {{0}}, all = {0};
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct jr_op *op = jr_thunk_op(p, i);
		if (!op->communication || !jr_communication_steady(p, i))
			continue;
		size_t k = 0;
		while (k < n && sums[k].kind != op->collective)
			k++;
		if (k == JR_COUNT_OF(sums))
			continue; /* model/build/ops.c defines only a few kinds */
		n += k == n;
		sums[k].kind = op->collective;
		sums[k].hidden_ns += jr_thunk_hidden_ns(p, i);
		sums[k].dur_ns += jr_thunk_dur_ns(p, i);
		all.hidden_ns += jr_thunk_hidden_ns(p, i);
		all.dur_ns += jr_thunk_dur_ns(p, i);
	}
	if (all.hidden_ns == 0)
		return jr_table_new(ctx->arena, &overlap_spec, 0);
	qsort_r(sums, n, sizeof(*sums), compare_kinds, (void *)(uintptr_t)p);
	struct jr_table *table = jr_table_new(ctx->arena, &overlap_spec, n + 1);
	for (size_t row = 0; row <= n; row++) {
		const struct kind_sum *s = row < n ? &sums[row] : &all;
		table->cells[JR_OVERLAP_collective].text[row] = row < n ? jr_str(p, s->kind) : "all";
		table->cells[JR_OVERLAP_hidden_ms].i64[row] = s->hidden_ns;
		table->cells[JR_OVERLAP_dur_ms].i64[row] = s->dur_ns;
		table->cells[JR_OVERLAP_hidden_fraction].f64[row] =
			jr_ratio((double)s->hidden_ns, (double)s->dur_ns);
	}
	return table;
}

/* --- charts ----------------------------------------------------------------------------------- */

#define LINE_COLUMNS(X, T)                                                                         \
	X(T, name, "Line", "kind of communication, or the best of all", TEXT, NONE, JR_COL_KEY)        \
	X(T, message_bytes, "Message", "message size of the point", I64, BYTES)                        \
	X(T, bus_gbps, "Bus bandwidth",                                                                \
		"mean over instances of that size; for the best line, the largest of these", F64, BYTES_S)
JR_TABLE(line_spec, L, LINE_COLUMNS, "collective_bandwidth_lines", NULL, "Bus bandwidth by size",
	"Per kind and message size, then the best bandwidth seen", .data_only = true);

/* Means of each kind by size, as nccl-tests draws them, and a horizontal line at the best
 * bandwidth. Points far below the line are bound by latency. */
static struct jr_table *bandwidth_lines(struct jr_pass_context *ctx, const struct jr_table *sizes)
{
	const union jr_cells *s = sizes->cells;
	struct jr_table *table = jr_table_new(ctx->arena, &line_spec, sizes->n_rows + 2);
	union jr_cells *c = table->cells;
	double best = 0;
	int64_t least = INT64_MAX, most = 0;
	size_t row = 0;
	for (size_t i = 0; i < sizes->n_rows; i++) {
		int64_t bytes = s[JR_COLLECTIVES_message_bytes].i64[i];
		if (bytes == JR_NULL_I64 || bytes <= 0 || !(s[JR_COLLECTIVES_bus_gbps_mean].f64[i] > 0))
			continue;
		c[L_name].text[row] = s[JR_COLLECTIVES_collective].text[i];
		c[L_message_bytes].i64[row] = bytes;
		c[L_bus_gbps].f64[row++] = s[JR_COLLECTIVES_bus_gbps_mean].f64[i];
		best = fmax(best, s[JR_COLLECTIVES_bus_gbps_mean].f64[i]);
		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
	}
	for (int end = 0; end < 2 && most > least; end++) {
		c[L_name].text[row] = jr_arena_printf(
			ctx->arena, "best seen: %s GB/s", jr_digits_text(ctx->arena, best / 1e9, 4));
		c[L_message_bytes].i64[row] = end ? most : least;
		c[L_bus_gbps].f64[row++] = best;
	}
	table->n_rows = table->n_data = table->n_rendered = row;
	return table;
}

#define LOST_COLUMNS(X, T)                                                                         \
	X(T, name, "Collectives", "kind and message size", TEXT, NONE, JR_COL_KEY)                     \
	X(T, wait_ms, "Wait", "sum over steady instances", F64, NS)
JR_TABLE(lost_spec, T, LOST_COLUMNS, "collective_waits", NULL, "Waiting by collective",
	"Per kind and message size, by time; the last row is all others", .data_only = true);

#define N_LOST 3 /* shown by name */

static const char *size_name(
	struct jr_pass_context *ctx, const struct jr_table *sizes, uint32_t row)
{
	int64_t size = sizes->cells[JR_COLLECTIVES_message_bytes].i64[row];
	const char *kind = sizes->cells[JR_COLLECTIVES_collective].text[row];
	if (size == JR_NULL_I64)
		return kind;
	return jr_arena_printf(ctx->arena, "%s of %s", kind, jr_bytes_text(ctx->arena, (double)size));
}

/* A few of many instances may cause nearly all waiting, which a scatter plot of many points
 * hides. */
static void draw_lost(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_table *sizes)
{
	static const char *const parts[] = {JR_KEY(T, wait_ms), NULL};
	static const char *const roles[] = {"wait", NULL};
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, sizes->n_rows + 1);
	size_t n = 0;
	for (size_t row = 0; row < sizes->n_rows; row++) {
		double lost = sizes->cells[JR_COLLECTIVES_wait_mean_ms].f64[row] *
					  (double)sizes->cells[JR_COLLECTIVES_instances].i64[row];
		if (lost > 0)
			keys[n++] = (struct jr_rank_key){
				lost, sizes->cells[JR_COLLECTIVES_collective].text[row], 0, (uint32_t)row};
	}
	if (n < 2)
		return;
	jr_rank_sort(keys, n);
	size_t named = n <= N_LOST + 1 ? n : N_LOST;
	struct jr_table *table = jr_table_new(ctx->arena, &lost_spec, named + (named < n));
	union jr_cells *c = table->cells;
	for (size_t i = 0; i < n; i++) {
		size_t row = i < named ? i : named;
		c[T_name].text[row] = i < named ? size_name(ctx, sizes, keys[i].row)
										: jr_arena_printf(ctx->arena, "%zu others", n - named);
		c[T_wait_ms].f64[row] = keys[i].value + (i > named ? c[T_wait_ms].f64[row] : 0);
	}
	struct jr_chart chart = {.name = "collective_waits",
		.title = "Waiting by collective",
		.caption = "total waiting of steady instances, by kind and message size; wait = last end - "
				   "first start - shortest duration",
		.kind = JR_CHART_STACKED,
		.table = table,
		.x = JR_KEY(T, name),
		.parts = parts,
		.part_roles = roles,
		.y_title = "Wait"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

static void add_charts(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *instances, const struct jr_table *sizes)
{
	if (ctx->steady->n_devices_ran > 1)
		draw_lost(ctx, out, sizes);
	struct jr_chart bandwidth = {.name = "collective_bandwidth",
		.title = "Bus bandwidth against message size",
		.caption =
			"one point per steady instance, by its fastest device (nccl-tests convention); lines "
			"are means; latency limits points far below the best",
		.kind = JR_CHART_SCATTER,
		.table = instances,
		.x = JR_KEY(I, message_bytes),
		.y = JR_KEY(I, bus_gbps),
		.series = JR_KEY(I, collective),
		.label = JR_KEY(I, name),
		.lines = bandwidth_lines(ctx, sizes),
		.line_name = JR_KEY(L, name),
		.line_x = JR_KEY(L, message_bytes),
		.line_y = JR_KEY(L, bus_gbps),
		.height = 220,
		.log_x = true,
		.log_y = true};
	jr_section_chart(out, ctx->arena, &bandwidth);
	if (ctx->steady->n_devices_ran < 2)
		return;
	struct jr_chart waits = {.name = "collective_wait_by_size",
		.title = "Wait against message size",
		.caption = "waiting caused by different arrival times; one point per steady instance",
		.height = 200,
		.kind = JR_CHART_SCATTER,
		.table = instances,
		.x = JR_KEY(I, message_bytes),
		.y = JR_KEY(I, wait_ms),
		.series = JR_KEY(I, collective),
		.label = JR_KEY(I, name),
		.log_x = true,
		.log_y = true};
	jr_section_chart(out, ctx->arena, &waits);
}

static void add_hidden(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_table *overlap)
{
	double frac =
		overlap->n_rows ? overlap->cells[JR_OVERLAP_hidden_fraction].f64[overlap->n_rows - 1] : 0;
	struct jr_scalar hidden = jr_scalar_f64("communication.hidden_fraction", "Hidden communication",
		"share of all communication time, including host copies, that overlaps with compute on the "
		"same device",
		JR_UNIT_FRAC, frac);
	(void)jr_section_scalar(out, ctx->arena, &hidden);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_table *overlap = overlap_table(ctx);
	add_hidden(ctx, out, overlap);
	struct jr_table *instances = instance_table(ctx);
	struct jr_table *sizes = size_table(ctx);
	add_charts(ctx, out, instances, sizes);
	jr_section_table(out, ctx->arena, sizes);
	jr_section_table(out, ctx->arena, overlap);
	jr_section_table(out, ctx->arena, instances);
}

const struct jr_pass jr_pass_collectives = {
	.name = "collectives",
	.title = "Collectives",
	.summary = "Communication: bandwidth by message size, waiting, and overlap with compute",
	.needs = JR_NEEDS_COMMUNICATION,
	.group = JR_GROUP_DEVICES,
	.apart = JR_APART,
	.run = run,
};
