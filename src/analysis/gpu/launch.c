/* Launch latency and queue length, from the launching call to the start of the operation. Nodes of
 * a graph begin one after the other, so a graph counts by its first node. */
#include <stdlib.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/distribution.h"
#include "analysis/core/terms.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/integrity.h"
#include "analysis/core/keys.h"

#define COLUMNS(X, T)                                                                              \
	X(T, device, "Device", "number of the " JR_GPU " in the job", I64, NONE, JR_COL_KEY)           \
	X(T, kind, "Kind", "kind of operation", TEXT, NONE, JR_COL_KEY)                                \
	X(T, count, "Count", "launches with a profiled call; a graph counts once", I64, COUNT)         \
	X(T, min_ms, "Shortest", "shortest latency", I64, NS, JR_COL_LIKE)                             \
	X(T, median_ms, "Median", "half of the latencies do not exceed this", I64, NS, JR_COL_LIKE)    \
	X(T, p90_ms, "90 %", "90 % of the latencies do not exceed this", I64, NS, JR_COL_LIKE)         \
	X(T, p99_ms, "99 %", "99 % of the latencies do not exceed this", I64, NS, JR_COL_LIKE)         \
	X(T, max_ms, "Longest", "longest latency", I64, NS, JR_COL_LIKE)                               \
	X(T, mean_ms, "Mean", "mean latency", F64, NS, JR_COL_LIKE)                                    \
	X(T, queue_mean, "Queue length",                                                               \
		"mean number of launched operations that have not started: sum of latencies / wall "       \
		"time of the device; empty for fewer than 5 operations",                                   \
		F64, NONE)
JR_TABLE(spec, COL, COLUMNS, "launch", "launch.latency", "Time from launch to start",
	"One row per device and kind of operation: time from the start of the launching call "
	"to the start of the operation (in a graph, the first). A host that launches ahead makes "
	"it long: operations then wait in the queue for earlier ones");

#define CLASS_COLUMNS(X, T)                                                                        \
	X(T, latency, "Latency", "time from the start of the call to the start of the operation",      \
		TEXT, NONE)                                                                                \
	X(T, from_ms, "From", "shortest latency in the row", I64, NS, JR_COL_KEY | JR_COL_DATA_ONLY)   \
	X(T, count, "Launches", "launches with these latencies, over all devices", I64, COUNT)         \
	X(T, percent, "Share", "share of all launches with a profiled call", F64, PERCENT, JR_COL_BAR)
JR_TABLE(class_spec, C, CLASS_COLUMNS, "launch_classes", "launch.classes",
	"Times from launch to start", "One row per range of latencies, ascending");

static const char *const kinds[] = {[JR_GPU_KERNEL] = "kernel",
	[JR_GPU_COPY] = "copy",
	[JR_GPU_MEMSET] = "memset",
	[JR_GPU_GRAPH] = "graph"};

/* An operation cannot begin before its launch. If the clocks show that, the latency is 0. */
static int64_t latency_of(const struct jr_profile *p, size_t row)
{
	int64_t ns = p->gpu_ops.start_ns[row] - p->api_calls.start_ns[p->gpu_ops.call[row]];
	return ns > 0 ? ns : 0;
}

/* Launches of a device: the rows of gpu_ops that are the first of their call, and their kinds. */
struct launches {
	size_t n;
	uint32_t *rows;
	uint8_t *kinds; /* enum jr_gpu_kind */
};

/* seen[api_calls.n]: 1 + the last device on which the call launched an operation. */
static struct launches find_launches(struct jr_pass_context *ctx, uint32_t device, uint32_t *seen)
{
	const struct jr_profile *p = ctx->profile;
	size_t first = ctx->gpu->first[device], end = ctx->gpu->first[device + 1];
	uint8_t *graphs = JR_ARENA_N(ctx->scratch, uint8_t, p->strings.n + 1);
	struct launches l = {.rows = JR_ARENA_N(ctx->scratch, uint32_t, end - first + 1),
		.kinds = JR_ARENA_N(ctx->scratch, uint8_t, end - first + 1)};
	for (size_t i = first; i < end; i++) {
		uint32_t row = ctx->gpu->order[i], call = p->gpu_ops.call[row];
		bool graph = call != JR_NONE &&
					 jr_name_is(p, graphs, p->api_calls.name[call], jr_call_launches_graph);
		if (call == JR_NONE || (graph && seen[call] == device + 1))
			continue;
		seen[call] = device + 1;
		l.rows[l.n] = row;
		l.kinds[l.n++] = graph ? JR_GPU_GRAPH : p->gpu_ops.kind[row];
	}
	return l;
}

static void fill_row(struct jr_pass_context *ctx, struct jr_table *table, size_t row,
	uint32_t device, size_t kind, int64_t *latency, size_t n)
{
	const struct jr_spans *busy = &ctx->gpu->devices[device];
	int64_t wall_ns = busy->items[busy->n - 1].end_ns - busy->items[0].start_ns;
	double sum = 0; /* up to 2^32 values below 2^63, which int64 cannot add up */
	for (size_t i = 0; i < n; i++)
		sum += (double)latency[i];
	union jr_cells *c = table->cells;
	c[COL_device].i64[row] = jr_device_number(ctx->profile, device);
	c[COL_kind].text[row] = kinds[kind];
	c[COL_count].i64[row] = (int64_t)n;
	c[COL_min_ms].i64[row] = jr_quantile_i64(latency, n, 1e-12);
	c[COL_median_ms].i64[row] = jr_quantile_i64(latency, n, 0.5);
	c[COL_p90_ms].i64[row] = jr_quantile_i64(latency, n, 0.9);
	c[COL_p99_ms].i64[row] = jr_quantile_i64(latency, n, 0.99);
	c[COL_max_ms].i64[row] = jr_quantile_i64(latency, n, 1);
	c[COL_mean_ms].f64[row] = sum / (double)n;
	if (jr_gpu_operations(ctx->gpu, device) >= JR_LEAST_OPERATIONS)
		c[COL_queue_mean].f64[row] = jr_ratio(sum, (double)wall_ns);
}

static struct jr_table *class_table(struct jr_pass_context *ctx, const int64_t *counts)
{
	size_t first = JR_TIME_CLASSES, last = 0;
	int64_t all = 0;
	for (size_t i = 0; i < JR_TIME_CLASSES; i++) {
		if (counts[i] == 0)
			continue;
		first = i < first ? i : first;
		last = i;
		all += counts[i];
	}
	struct jr_table *table = jr_table_new(ctx->arena, &class_spec, last - first + 1);
	for (size_t i = first; i <= last; i++) {
		char text[48];
		jr_time_class_text(i, text);
		union jr_cells *c = table->cells;
		c[C_latency].text[i - first] = jr_arena_strdup(ctx->arena, text);
		c[C_from_ms].i64[i - first] = jr_time_class_edge(i);
		c[C_count].i64[i - first] = counts[i];
		c[C_percent].f64[i - first] = jr_ratio((double)counts[i], (double)all);
	}
	return table;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, p->n_devices * JR_COUNT_OF(kinds));
	int64_t counts[JR_TIME_CLASSES] = {0};
	uint32_t *seen = JR_ARENA_N(ctx->scratch, uint32_t, p->api_calls.n + 1);
	size_t n_rows = 0;
	bool any_early = false;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		if (jr_integrity_early(p, d)) {
			any_early = true;
			continue;
		}
		struct launches launches = find_launches(ctx, d, seen);
		int64_t *latency = JR_ARENA_N(ctx->scratch, int64_t, launches.n + 1);
		for (size_t kind = 0; kind < JR_COUNT_OF(kinds); kind++) {
			size_t n = 0;
			for (size_t i = 0; i < launches.n; i++) {
				if (launches.kinds[i] != kind)
					continue;
				latency[n] = latency_of(p, launches.rows[i]);
				counts[jr_time_class(latency[n++])]++;
			}
			if (n)
				fill_row(ctx, table, n_rows++, d, kind, latency, n);
		}
	}
	if (n_rows == 0) {
		out->unavailable =
			any_early ? "not available, because " JR_GPU
						" operations start before they are launched: the clocks of the host and "
						"the " JR_GPU " disagree"
					  : "not available, because no call that launched a " JR_GPU
						" operation was " JR_PROFILED;
		return;
	}
	table->n_rows = table->n_data = table->n_rendered = n_rows;
	struct jr_table *classes = class_table(ctx, counts);
	struct jr_chart chart = {.name = "launch_latency",
		.title = "Time from launch to start",
		.caption = "launches on all devices by the time from the call to the start of the "
				   "operation, including its time in the queue",
		.kind = JR_CHART_BARS,
		.table = classes,
		.x = JR_KEY(C, latency),
		.y = JR_KEY(C, count)};
	jr_section_table(out, ctx->arena, table);
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, classes);
}

const struct jr_pass jr_pass_launch = {
	.name = "launch",
	.title = "Launches",
	.summary =
		"Time from a launching call to the start of its operation, and the amount of queued work",
	.needs = JR_NEEDS_GPU_OPS | JR_NEEDS_CALLS,
	.group = JR_GROUP_HOST,
	.apart = JR_APART,
	.run = run,
};
