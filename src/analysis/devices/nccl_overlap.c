/* Overlap of NCCL kernels with other kernels; it works for programs without XLA, too. */
#include <stdlib.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/devices/devices_tables.h"
#include "base/vec.h"
#include "analysis/core/terms.h"

JR_TABLE_OF(spec, JR_NCCL_OVERLAP_COLUMNS, "nccl_overlap", "nccl_overlap",
	"Overlap of communication kernels", "Per kernel, by time; the last row is the total");

struct sum {
	uint32_t name;
	int64_t count, sum_ns, hidden_ns, most_ns;
};

/* Return when the device communicated; or, in these spans, when it ran whole graphs or kernels that
 * do not communicate. */
static struct jr_spans spans_of(
	struct jr_pass_context *ctx, uint32_t device, const struct jr_spans *within)
{
	const struct jr_gpu_ops *t = &ctx->profile->gpu_ops;
	const struct jr_gpu_time *time = ctx->gpu;
	size_t first = time->first[device], end = time->first[device + 1], near = 0;
	struct jr_spans out = {.items = JR_ARENA_N(ctx->scratch, struct jr_span, end - first + 1)};
	for (size_t i = first; i < end; i++) {
		uint32_t row = time->order[i];
		bool communicates = jr_gpu_op_communicates(ctx->profile, time, row);
		bool compute =
			t->kind[row] == JR_GPU_GRAPH || (t->kind[row] == JR_GPU_KERNEL && !communicates);
		int64_t start_ns = t->start_ns[row], end_ns = start_ns + t->dur_ns[row];
		if (within ? compute && jr_spans_meet(within, start_ns, end_ns, &near) : communicates)
			out.items[out.n++] = (struct jr_span){start_ns, end_ns};
	}
	jr_spans_unite_sorted(&out, ctx->scratch);
	return out;
}

static void add(struct sum *sum, int64_t dur_ns, int64_t hidden_ns)
{
	sum->count++;
	sum->sum_ns += dur_ns;
	sum->hidden_ns += hidden_ns;
	if (dur_ns > sum->most_ns)
		sum->most_ns = dur_ns;
}

typedef JR_VEC(struct sum) sum_vec;

static void collect(struct jr_pass_context *ctx, uint32_t device, sum_vec *sums,
	struct jr_map *rows, struct sum *all)
{
	const struct jr_gpu_ops *t = &ctx->profile->gpu_ops;
	const struct jr_gpu_time *time = ctx->gpu;
	struct jr_spans communication = spans_of(ctx, device, NULL), compute = {0};
	size_t near = 0;
	for (size_t i = time->first[device]; i < time->first[device + 1]; i++) {
		uint32_t op = time->order[i];
		if (!jr_gpu_op_communicates(ctx->profile, time, op))
			continue;
		if (!compute.items)
			compute = spans_of(ctx, device, &communication);
		uint32_t name = t->brief[op] ? t->brief[op] : t->name[op];
		uint32_t row = jr_map_get(rows, name);
		if (row == JR_NONE) {
			row = (uint32_t)sums->n;
			jr_map_put(rows, name, row);
			*jr_vec_add(sums) = (struct sum){.name = name};
		}
		int64_t hidden =
			jr_spans_within_near(&compute, t->start_ns[op], t->start_ns[op] + t->dur_ns[op], &near);
		add(&sums->items[row], t->dur_ns[op], hidden);
		add(all, t->dur_ns[op], hidden);
	}
}

static void fill_row(struct jr_table *table, size_t row, const char *name, const struct sum *s)
{
	union jr_cells *c = table->cells;
	c[JR_NCCL_OVERLAP_name].text[row] = name;
	c[JR_NCCL_OVERLAP_count].i64[row] = s->count;
	c[JR_NCCL_OVERLAP_sum_ms].i64[row] = s->sum_ns;
	c[JR_NCCL_OVERLAP_hidden_ms].i64[row] = s->hidden_ns;
	c[JR_NCCL_OVERLAP_exposed_ms].i64[row] = s->sum_ns - s->hidden_ns;
	c[JR_NCCL_OVERLAP_hidden_fraction].f64[row] = jr_ratio((double)s->hidden_ns, (double)s->sum_ns);
	c[JR_NCCL_OVERLAP_mean_ms].f64[row] = jr_ratio((double)s->sum_ns, (double)s->count);
	c[JR_NCCL_OVERLAP_max_ms].i64[row] = s->most_ns;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	sum_vec sums = {0};
	struct jr_map rows = {0};
	struct sum all = {0};
	for (uint32_t d = 0; d < p->n_devices; d++)
		collect(ctx, d, &sums, &rows, &all);
	jr_map_done(&rows);
	if (sums.n == 0) {
		out->unavailable = "not available, because no communication kernel was " JR_PROFILED;
		return;
	}
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, sums.n);
	for (uint32_t i = 0; i < sums.n; i++)
		keys[i] =
			(struct jr_rank_key){(double)sums.items[i].sum_ns, jr_str(p, sums.items[i].name), 0, i};
	jr_rank_sort(keys, sums.n);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, sums.n + 1);
	for (size_t row = 0; row < sums.n; row++)
		fill_row(table, row, keys[row].name, &sums.items[keys[row].row]);
	fill_row(table, sums.n, "all", &all);
	jr_vec_done(&sums);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_nccl_overlap = {
	.name = "nccl_overlap",
	.title = "Communication overlap",
	.summary = "How much of the communication kernels overlaps with other kernels on the same "
			   "device",
	.needs = JR_NEEDS_GPU_OPS,
	.group = JR_GROUP_DEVICES,
	.apart = JR_APART,
	.run = run,
};
