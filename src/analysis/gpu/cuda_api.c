/* CUDA calls and the host's waits for devices. */
#include <stdlib.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/core/keys.h"
#include "analysis/core/terms.h"
#include "base/vec.h"

#define COLUMNS(X, T)                                                                              \
	X(T, name, "Call",                                                                             \
		"function of the " JR_CUDA                                                                 \
		" runtime or driver, without the API version; in some traces, the kernel that it "         \
		"launches",                                                                                \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, count, "Calls", "over all threads", I64, COUNT)                                           \
	X(T, sum_ms, "Time", "sum of their durations on the host", I64, NS)                            \
	X(T, percent, "Share", "share of the time of all calls", F64, PERCENT, JR_COL_BAR)             \
	X(T, mean_ms, "Mean", "mean duration", F64, NS, JR_COL_LIKE)                                   \
	X(T, std_ms, "±", "sample standard deviation of the duration over calls", F64, NS,             \
		JR_COL_SPREAD)                                                                             \
	X(T, min_ms, "Shortest", "shortest duration", I64, NS, JR_COL_LIKE)                            \
	X(T, max_ms, "Longest", "longest duration", I64, NS, JR_COL_LIKE)                              \
	X(T, waits, "Waits", "the call waits for a device: a synchronization or a blocking copy",      \
		BOOL, NONE)
JR_TABLE(spec, COL, COLUMNS, "cuda_api", "cuda_api.calls", JR_CUDA " calls",
	"One row per function, by time; the report shows those that make up 99 % of the time");

#define WAIT_COLUMNS(X, T)                                                                         \
	X(T, kind, "Kind", "kind of wait as the profiler names it", TEXT, NONE, JR_COL_KEY)            \
	X(T, count, "Count", "over all threads and streams", I64, COUNT)                               \
	X(T, sum_ms, "Time", "sum of their durations", I64, NS, JR_COL_BAR)                            \
	X(T, mean_ms, "Mean", "mean duration", F64, NS, JR_COL_LIKE)                                   \
	X(T, max_ms, "Longest", "longest duration", I64, NS, JR_COL_LIKE)
JR_TABLE(wait_spec, W, WAIT_COLUMNS, "cuda_waits", "cuda_api.waits", "Synchronization",
	"One row per kind of wait; by time");

struct call {
	uint32_t name;
	int64_t sum_ns, least_ns, most_ns;
	struct jr_stats dur_ns;
};

typedef JR_VEC(struct call) call_vec;

bool jr_call_waits(const char *name)
{
	if (strstr(name, "Synchronize"))
		return true;
	return strstr(name, "Memcpy") && !strstr(name, "Async") && !strstr(name, "Graph");
}

static int64_t collect(const struct jr_profile *p, call_vec *calls, struct jr_arena *scratch)
{
	const struct jr_api_calls *t = &p->api_calls;
	uint32_t *by_name = JR_ARENA_N(scratch, uint32_t, p->strings.n + 1); /* 1 + row */
	int64_t total_ns = 0;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t *row = &by_name[t->name[i]];
		if (*row == 0) {
			*jr_vec_add(calls) = (struct call){.name = t->name[i], .least_ns = INT64_MAX};
			*row = (uint32_t)calls->n;
		}
		struct call *call = &calls->items[*row - 1];
		int64_t dur = t->dur_ns[i];
		call->sum_ns += dur;
		call->least_ns = dur < call->least_ns ? dur : call->least_ns;
		call->most_ns = dur > call->most_ns ? dur : call->most_ns;
		jr_stats_add(&call->dur_ns, (double)dur);
		total_ns += dur;
	}
	return total_ns;
}

static struct jr_table *call_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	call_vec calls = {0};
	int64_t total_ns = collect(p, &calls, ctx->scratch), so_far_ns = 0;
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, calls.n + 1);
	for (uint32_t i = 0; i < calls.n; i++)
		keys[i] = (struct jr_rank_key){
			(double)calls.items[i].sum_ns, jr_str(p, calls.items[i].name), 0, i};
	jr_rank_sort(keys, calls.n);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, calls.n);
	table->n_rendered = 0;
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < calls.n; row++) {
		const struct call *call = &calls.items[keys[row].row];
		if (row == 0 || (double)so_far_ns < 0.99 * (double)total_ns)
			table->n_rendered = row + 1;
		so_far_ns += call->sum_ns;
		c[COL_name].text[row] = keys[row].name;
		c[COL_count].i64[row] = call->dur_ns.n;
		c[COL_sum_ms].i64[row] = call->sum_ns;
		c[COL_percent].f64[row] = jr_ratio((double)call->sum_ns, (double)total_ns);
		c[COL_mean_ms].f64[row] = jr_stats_mean(&call->dur_ns);
		c[COL_std_ms].f64[row] = jr_stats_std(&call->dur_ns);
		c[COL_min_ms].i64[row] = call->least_ns;
		c[COL_max_ms].i64[row] = call->most_ns;
		c[COL_waits].boolean[row] = jr_call_waits(keys[row].name);
	}
	jr_vec_done(&calls);
	return table;
}

static struct jr_table *wait_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	size_t n;
	const struct jr_profiler_sum *sums =
		jr_join_profiler_sums(p, p->waits, p->n_waits, ctx->scratch, &n);
	struct jr_table *table = jr_table_new(ctx->arena, &wait_spec, n);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < n; row++) {
		const struct jr_profiler_sum *sum = &sums[row];
		c[W_kind].text[row] = jr_str(p, sum->name);
		c[W_count].i64[row] = (int64_t)sum->count;
		c[W_sum_ms].i64[row] = sum->total_ns;
		c[W_mean_ms].f64[row] = jr_ratio((double)sum->total_ns, (double)sum->count);
		c[W_max_ms].i64[row] = sum->max_ns;
	}
	return table;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	jr_section_table(out, ctx->arena, call_table(ctx));
	if (ctx->profile->n_waits)
		jr_section_table(out, ctx->arena, wait_table(ctx));
}

const struct jr_pass jr_pass_cuda_api = {
	.name = "cuda_api",
	.title = JR_CUDA " calls",
	.summary = "Host time in " JR_CUDA " calls, and how much of it is waiting",
	.needs = JR_NEEDS_CALLS,
	.group = JR_GROUP_HOST,
	.apart = JR_APART,
	.run = run,
};
