#include "analysis/gpu/gaps.h"

#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/gpu/gpu_tables.h"
#include "base/order.h"

#define N_SHOWN 10

JR_TABLE_OF(spec, JR_GAP_WAITS_COLUMNS, "gap_waits", "gaps.waits", "Idle after host waits",
	"One row per call and copy; by idle time");

struct wait {
	uint32_t thread, group;
	int64_t start_ns, dur_ns;
	uint32_t device; /* device of the current sum */
	int64_t device_ns, idle_ns;
};

struct group {
	uint32_t call, range; /* str; JR_NONE: no range */
	uint32_t copy;        /* row of gpu_ops of its largest copy; JR_NONE: none */
	int64_t count, waited_ns, idle_ns, bytes;
};

struct jr_gap_waits {
	const struct jr_profile *p;
	struct wait *waits; /* sorted by thread, start */
	size_t n;
	JR_VEC(struct group) groups;
	struct jr_map rows; /* hash of the grouping key -> row */
};

/* Return for each call 1 + the copy that it launched; 0: none, as for most. */
static uint32_t *copies_of_calls(const struct jr_profile *p, struct jr_arena *scratch)
{
	uint32_t *copies = JR_ARENA_N(scratch, uint32_t, p->api_calls.n + 1);
	for (uint32_t i = 0; i < p->gpu_ops.n; i++)
		if (p->gpu_ops.kind[i] == JR_GPU_COPY && p->gpu_ops.call[i] != JR_NONE)
			copies[p->gpu_ops.call[i]] = i + 1;
	return copies;
}

static uint32_t group_of(struct jr_gap_waits *w, uint32_t call, uint32_t copy)
{
	const struct jr_gpu_ops *t = &w->p->gpu_ops;
	uint32_t range = JR_NONE;
	uint64_t key[4] = {call, JR_NONE, JR_NONE, JR_NONE};
	if (copy != JR_NONE) {
		if (t->range[copy] != JR_NONE)
			range = w->p->nvtx_ranges.name[t->range[copy]];
		key[1] = jr_gpu_copy_kind(t->config[copy]);
		key[2] = jr_gpu_host_memory(t->config[copy]);
		key[3] = range;
	}
	uint64_t hash = jr_hash(key, sizeof(key), jr_hash_seed());
	uint32_t row = jr_map_add(&w->rows, hash, (uint32_t)w->groups.n);
	if (row == w->groups.n)
		*jr_vec_add(&w->groups) = (struct group){.call = call, .range = range, .copy = copy};
	struct group *group = &w->groups.items[row];
	if (copy != JR_NONE && t->bytes[copy] > group->bytes)
		group->bytes = t->bytes[copy];
	return row;
}

/* True for calls that only query: cudaStreamIsCapturing, cudaGetLastError, cudaEventQuery. */
static bool asks(const char *call)
{
	return strstr(call, "Get") || strstr(call, "IsCapturing") || strstr(call, "Query");
}

struct jr_gap_waits *jr_gap_waits_new(const struct jr_pass_context *ctx, const uint32_t *order)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_api_calls *t = &p->api_calls;
	struct jr_gap_waits *w = JR_ARENA_NEW(ctx->scratch, struct jr_gap_waits);
	const uint32_t *copies = copies_of_calls(p, ctx->scratch);
	uint32_t last = JR_NONE;
	uint8_t *waiting = JR_ARENA_N(ctx->scratch, uint8_t, p->strings.n + 1);
	uint8_t *asking = JR_ARENA_N(ctx->scratch, uint8_t, p->strings.n + 1);
	w->p = p;
	w->waits = JR_ARENA_N(ctx->scratch, struct wait, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = order[i], copy = copies[row];
		if (last != JR_NONE && t->thread[last] != t->thread[row])
			last = JR_NONE;
		if (last != JR_NONE && t->start_ns[row] < t->start_ns[last] + t->dur_ns[last])
			continue; /* nested in the last call */
		if (jr_name_is(p, waiting, t->name[row], jr_call_waits)) {
			if (copy == 0 && last != JR_NONE)
				copy = copies[last];
			uint32_t group = group_of(w, t->name[row], copy ? copy - 1 : JR_NONE);
			w->groups.items[group].count++;
			w->groups.items[group].waited_ns += t->dur_ns[row];
			w->waits[w->n++] = (struct wait){.thread = t->thread[row],
				.group = group,
				.start_ns = t->start_ns[row],
				.dur_ns = t->dur_ns[row],
				.device = JR_NONE};
		}
		if (!jr_name_is(p, asking, t->name[row], asks))
			last = row;
	}
	return w;
}

/* Add the sum of one device to the idle time, limited to the length of the wait. */
static void close_device(struct wait *wait)
{
	wait->idle_ns += wait->device_ns < wait->dur_ns ? wait->device_ns : wait->dur_ns;
	wait->device_ns = 0;
}

void jr_gap_waits_add(struct jr_gap_waits *w, const struct jr_gap *gap)
{
	uint32_t call = w->p->gpu_ops.call[gap->after];
	if (gap->cause != JR_GAP_HOST || gap->first_use || call == JR_NONE)
		return;
	uint32_t thread = w->p->api_calls.thread[call];
	size_t low = 0, high = w->n; /* the first wait after the gap's start */
	JR_SEARCH(low, high, middle,
		w->waits[middle].thread != thread ? w->waits[middle].thread < thread
										  : w->waits[middle].start_ns <= gap->start_ns);
	if (low == 0 || w->waits[low - 1].thread != thread)
		return;
	struct wait *wait = &w->waits[low - 1];
	if (wait->device != gap->device)
		close_device(wait);
	wait->device = gap->device;
	wait->device_ns += gap->dur_ns;
}

struct jr_table *jr_gap_waits_table(struct jr_gap_waits *w, struct jr_pass_context *ctx)
{
	int64_t all_ns = 0;
	for (size_t i = 0; i < w->n; i++) {
		close_device(&w->waits[i]);
		w->groups.items[w->waits[i].group].idle_ns += w->waits[i].idle_ns;
		all_ns += w->waits[i].idle_ns;
	}
	if (all_ns == 0)
		return NULL;
	size_t n = w->groups.n;
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, n + 1);
	for (uint32_t i = 0; i < n; i++)
		keys[i] = (struct jr_rank_key){
			(double)w->groups.items[i].idle_ns, jr_str(w->p, w->groups.items[i].call), 0, i};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < n; row++) {
		const struct group *group = &w->groups.items[keys[row].row];
		c[JR_GAP_WAITS_call].text[row] = keys[row].name;
		c[JR_GAP_WAITS_bytes].i64[row] = JR_NULL_I64;
		if (group->copy != JR_NONE) {
			c[JR_GAP_WAITS_copy].text[row] = jr_gpu_op_name(w->p, group->copy);
			c[JR_GAP_WAITS_memory].text[row] =
				jr_host_memories[jr_gpu_host_memory(w->p->gpu_ops.config[group->copy])];
			c[JR_GAP_WAITS_bytes].i64[row] = group->bytes ? group->bytes : JR_NULL_I64;
			c[JR_GAP_WAITS_range].text[row] =
				group->range == JR_NONE ? NULL : jr_str(w->p, group->range);
		}
		c[JR_GAP_WAITS_count].i64[row] = group->count;
		c[JR_GAP_WAITS_waited_ms].i64[row] = group->waited_ns;
		c[JR_GAP_WAITS_idle_ms].i64[row] = group->idle_ns;
	}
	table->n_rendered = n < N_SHOWN ? n : N_SHOWN;
	return table;
}

void jr_gap_waits_done(struct jr_gap_waits *w)
{
	jr_vec_done(&w->groups);
	jr_map_done(&w->rows);
}
