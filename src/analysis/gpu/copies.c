/* Copies and memsets of an export: sizes and bandwidth. */
#include <stdlib.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/core/keys.h"
#include "analysis/core/terms.h"

#define COLUMNS(X, T)                                                                              \
	X(T, kind, "Kind", "direction of the copy, or memset", TEXT, NONE, JR_COL_KEY)                 \
	X(T, memory, "Host memory",                                                                    \
		"pageable, pinned or managed; empty if no host memory is involved or the input "           \
		"does not record which",                                                                   \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, count, "Count", "number of operations, over all devices", I64, COUNT)                     \
	X(T, bytes, "Bytes", "sum of their sizes, as far as the input states them", I64, BYTES)        \
	X(T, sum_ms, "Time", "sum of their durations", I64, NS, JR_COL_BAR)                            \
	X(T, gbps, "Bandwidth", "bytes / time of operations of known size", F64, BYTES_S)              \
	X(T, mean_bytes, "Mean size", "mean bytes per operation of known size", F64, BYTES)            \
	X(T, max_ms, "Longest", "longest duration", I64, NS)
JR_TABLE(spec, COL, COLUMNS, "copies", "copies", "Copies and memsets",
	"One row per kind and host memory; by time");

#define SIZE_COLUMNS(X, T)                                                                         \
	X(T, kind, "Kind", "direction of the copy, or memset", TEXT, NONE, JR_COL_KEY)                 \
	X(T, from_bytes, "Size from",                                                                  \
		"smallest size in the row; sizes from the next power of two on are in the next row", I64,  \
		BYTES, JR_COL_KEY)                                                                         \
	X(T, count, "Count", "operations of these sizes", I64, COUNT)                                  \
	X(T, bytes, "Bytes", "sum of their sizes", I64, BYTES)                                         \
	X(T, sum_ms, "Time", "sum of their durations", I64, NS)                                        \
	X(T, gbps, "Bandwidth", "bytes / time", F64, BYTES_S, JR_COL_BAR)
JR_TABLE(size_spec, S, SIZE_COLUMNS, "copy_sizes", "copy_sizes", "Copies by size",
	"One row per kind and power of two; by kind and size. Operations of unknown size are left out");

enum { N_KINDS = JR_GPU_MOVE_KINDS, N_SIZES = 64 };
enum { N_GROUPS = N_KINDS * JR_HOST_MEMORIES }; /* kind * JR_HOST_MEMORIES + memory */

struct sum {
	int64_t count, bytes, dur_ns, most_ns;
	int64_t n_sized, sized_ns; /* operations that state a size */
};

static size_t size_class(int64_t bytes)
{
	return bytes > 0 ? 63 - (size_t)__builtin_clzll((uint64_t)bytes) : 0;
}

static void add(struct sum *sum, int64_t bytes, int64_t dur_ns)
{
	sum->count++;
	sum->bytes += bytes;
	sum->dur_ns += dur_ns;
	sum->n_sized += bytes > 0;
	sum->sized_ns += bytes > 0 ? dur_ns : 0;
	if (dur_ns > sum->most_ns)
		sum->most_ns = dur_ns;
}

static double rate_of(const struct sum *sum)
{
	return jr_ratio((double)sum->bytes, (double)sum->sized_ns * 1e-9);
}

static int64_t bytes_of(const struct sum *sum)
{
	return sum->n_sized ? sum->bytes : JR_NULL_I64;
}

static struct jr_table *group_table(struct jr_pass_context *ctx, const struct sum *sums)
{
	struct jr_rank_key keys[N_GROUPS];
	size_t n = 0;
	for (uint32_t i = 0; i < N_GROUPS; i++)
		if (sums[i].count)
			keys[n++] = (struct jr_rank_key){
				(double)sums[i].dur_ns, jr_gpu_move_name(i / JR_HOST_MEMORIES), 0, i};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < n; row++) {
		const struct sum *sum = &sums[keys[row].row];
		c[COL_kind].text[row] = keys[row].name;
		c[COL_memory].text[row] = jr_host_memories[keys[row].row % JR_HOST_MEMORIES];
		c[COL_count].i64[row] = sum->count;
		c[COL_bytes].i64[row] = bytes_of(sum);
		c[COL_sum_ms].i64[row] = sum->dur_ns;
		c[COL_gbps].f64[row] = rate_of(sum);
		c[COL_mean_bytes].f64[row] = jr_ratio((double)sum->bytes, (double)sum->n_sized);
		c[COL_max_ms].i64[row] = sum->most_ns;
	}
	return table;
}

static struct jr_table *size_table(struct jr_pass_context *ctx, const struct sum *sums)
{
	size_t n = 0;
	for (size_t i = 0; i < (size_t)N_KINDS * N_SIZES; i++)
		n += sums[i].count > 0;
	struct jr_table *table = jr_table_new(ctx->arena, &size_spec, n);
	union jr_cells *c = table->cells;
	n = 0;
	for (size_t i = 0; i < (size_t)N_KINDS * N_SIZES; i++) {
		if (sums[i].count == 0)
			continue;
		c[S_kind].text[n] = jr_gpu_move_name(i / N_SIZES);
		c[S_from_bytes].i64[n] = i % N_SIZES ? INT64_C(1) << i % N_SIZES : 0;
		c[S_count].i64[n] = sums[i].count;
		c[S_bytes].i64[n] = bytes_of(&sums[i]);
		c[S_sum_ms].i64[n] = sums[i].dur_ns;
		c[S_gbps].f64[n] = rate_of(&sums[i]);
		n++;
	}
	return table;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_gpu_ops *t = &ctx->profile->gpu_ops;
	struct sum by_group[N_GROUPS] = {{0}};
	struct sum *by_size = JR_ARENA_N(ctx->scratch, struct sum, N_KINDS * N_SIZES);
	bool any = false;
	for (size_t i = 0; i < t->n; i++) {
		if (t->kind[i] != JR_GPU_COPY && t->kind[i] != JR_GPU_MEMSET)
			continue;
		size_t kind = jr_gpu_move_kind(t, i);
		size_t memory =
			kind == JR_GPU_MEMSET_KIND ? JR_MEMORY_UNKNOWN : jr_gpu_host_memory(t->config[i]);
		add(&by_group[kind * JR_HOST_MEMORIES + memory], t->bytes[i], t->dur_ns[i]);
		if (t->bytes[i])
			add(&by_size[kind * N_SIZES + size_class(t->bytes[i])], t->bytes[i], t->dur_ns[i]);
		any = true;
	}
	if (!any) {
		out->unavailable =
			"not available, because the " JR_INPUT_WORD " does not contain copies or memsets";
		return;
	}
	struct jr_table *sizes = size_table(ctx, by_size);
	struct jr_chart chart = {.name = "copy_sizes",
		.title = "Bandwidth of copies by size",
		.caption = "one point per kind and power of two: bytes / time",
		.kind = JR_CHART_LINE,
		.table = sizes,
		.x = JR_KEY(S, from_bytes),
		.x_title = "Size of a copy",
		.y = JR_KEY(S, gbps),
		.series = JR_KEY(S, kind),
		.log_x = true,
		.log_y = true};
	jr_section_table(out, ctx->arena, group_table(ctx, by_group));
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, sizes);
}

const struct jr_pass jr_pass_copies = {
	.name = "copies",
	.title = "Copies",
	.summary = "Memory copies and memsets by kind and size: bytes, time, bandwidth",
	.needs = JR_NEEDS_GPU_OPS,
	.group = JR_GROUP_GPU,
	.apart = JR_APART,
	.run = run,
};
