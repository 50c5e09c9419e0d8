/*
 * write_trace.c - trace.parquet in its three column sets (formats/README.md, section 1.1).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "writers.h"

/* A range as a row: the ids and order of the layout. */
struct row {
	const struct gen_range *range;
	uint32_t index;
	int64_t id, parent_id; /* parent -1: top level */
	int64_t start_ns;	   /* on the device's own clock */
};

typedef JR_VEC(struct row) row_vec;

JR_ORDER(by_host, struct row, JR_UP(id))

JR_ORDER(by_gpu, struct row, JR_UP(range->tid) JR_UP(start_ns) JR_UP(id))

/* Rows of a process that reached the GPU, ordered and numbered as the layout does. */
static void trace_rows(const struct gen_scenario *sc, uint32_t process, row_vec *rows)
{
	int64_t *ids = calloc(sc->ranges.n, sizeof(*ids));
	if (!ids)
		jr_oom();
	for (uint32_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *x = &sc->ranges.items[i];
		if (x->process != process || !x->gpu_ops)
			continue;
		int64_t offset = x->device == GEN_NO_INDEX ? 0 : sc->devices.items[x->device].offset_ns;
		*jr_vec_add(rows) = (struct row){x, i, x->id, -1, x->gpu_start_ns + offset};
	}
	qsort(rows->items, rows->n, sizeof(*rows->items), sc->options.layout == 'A' ? by_host : by_gpu);
	for (size_t i = 0; i < rows->n; i++) { /* from 2024.5 on ids are row numbers */
		struct row *r = &rows->items[i];
		r->id = sc->options.layout == 'A' ? r->range->id : (int64_t)i;
		ids[r->index] = r->id;
	}
	for (size_t i = 0; i < rows->n; i++) {
		struct row *r = &rows->items[i];
		if (r->range->parent != GEN_NO_INDEX)
			r->parent_id = ids[r->range->parent];
	}
	free(ids);
}

size_t gen_range_stack(const struct gen_scenario *sc, uint32_t range, int64_t out[GEN_MAX_LEVELS])
{
	size_t n = sc->ranges.items[range].level + 1;
	assert(n <= GEN_MAX_LEVELS);
	for (size_t k = n; k-- > 0; range = sc->ranges.items[range].parent)
		out[k] = range;
	return n;
}

enum {
	A_NAME,
	A_START,
	A_DURATION,
	A_ORIG_START,
	A_ORIG_DURATION,
	A_STYLE,
	A_PID,
	A_TID,
	A_OPS,
	A_LEVEL,
	A_CHILDREN,
	A_ID,
	A_PARENT,
	A_STACK,
	A_RANK,
	A_COUNT
};

/* Which ranges lose their id: independent of all other options. */
static bool id_is_lost(const struct gen_scenario *sc, size_t row)
{
	return row * 2654435761u / 64 % 1000 < sc->options.lost_ids;
}

static void write_a(struct gen_scenario *sc, uint32_t process, const row_vec *rows,
	struct jr_arena *arena, const struct jr_pq_put_options *options, struct jr_buf *out)
{
	struct gen_column c[A_COUNT] = {{.name = "Name", .type = JR_PQ_PUT_TEXT},
		{.name = "Projected Start", .type = JR_PQ_PUT_INT64},
		{.name = "Projected Duration", .type = JR_PQ_PUT_INT64},
		{.name = "Orig Start", .type = JR_PQ_PUT_DOUBLE},
		{.name = "Orig Duration", .type = JR_PQ_PUT_DOUBLE},
		{.name = "Style", .type = JR_PQ_PUT_TEXT}, {.name = "PID", .type = JR_PQ_PUT_INT64},
		{.name = "TID", .type = JR_PQ_PUT_INT64}, {.name = "NumGPUOps", .type = JR_PQ_PUT_INT64},
		{.name = "Lvl", .type = JR_PQ_PUT_DOUBLE}, {.name = "NumChild", .type = JR_PQ_PUT_INT64},
		{.name = "RangeId", .type = JR_PQ_PUT_DOUBLE},
		{.name = "ParentId", .type = JR_PQ_PUT_DOUBLE},
		{.name = "RangeStack", .type = JR_PQ_PUT_TEXT}, {.name = "Rank", .type = JR_PQ_PUT_INT64}};
	int64_t pid = sc->processes.items[process].pid, depth[GEN_MAX_LEVELS];
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	struct jr_bytes style = gen_bytes(sc, gen_planted(sc, GEN_FIELD_UNREAD, "PushPop"));
	/* the row of the whole process: no name, no id (it must be dropped) */
	for (int i = 0; i < A_COUNT; i++)
		gen_put_null(&c[i]);
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->items[i];
		const struct gen_range *x = r->range;
		char *name = jr_arena_printf(arena, "%s:%s", x->domain, x->name);
		size_t length = strlen(name);
		gen_put_nuls(name, length);
		gen_put_bytes(&c[A_NAME], jr_bytes_of(name, length));
		gen_put_i64(&c[A_START], r->start_ns);
		gen_put_i64(&c[A_DURATION], x->gpu_dur_ns);
		gen_put_f64(&c[A_ORIG_START], (double)x->host_start_ns);
		gen_put_f64(&c[A_ORIG_DURATION], (double)x->host_dur_ns);
		gen_put_bytes(&c[A_STYLE], style);
		gen_put_i64(&c[A_PID], pid);
		gen_put_i64(&c[A_TID], x->tid);
		gen_put_i64(&c[A_OPS], x->gpu_ops);
		gen_put_f64(&c[A_LEVEL], x->level);
		gen_put_i64(&c[A_CHILDREN], x->n_gpu_children);
		if (id_is_lost(sc, i))
			gen_put_null(&c[A_ID]);
		else
			gen_put_f64(&c[A_ID], (double)r->id);
		if (r->parent_id < 0)
			gen_put_null(&c[A_PARENT]);
		else
			gen_put_f64(&c[A_PARENT], (double)r->parent_id);
		text.size = 0;
		size_t n = gen_range_stack(sc, r->index, depth);
		for (size_t k = 0; k < n; k++)
			jr_buf_printf(&text, ":%lld", (long long)sc->ranges.items[depth[k]].id);
		if (sc->options.no_stacks)
			gen_put_null(&c[A_STACK]);
		else
			gen_put_text(&c[A_STACK], jr_arena_strdup(arena, text.data));
		gen_put_i64(&c[A_RANK], 0);
	}
	c[A_PID].i64.items[0] = pid;
	c[A_PID].valid.items[0] = 1;
	gen_table_write(out, c, A_COUNT, 0, options);
}

enum {
	B_TEXT,
	B_START,
	B_END,
	B_CHILDREN,
	B_ID,
	B_PARENT,
	B_STACK,
	B_LEVEL,
	B_PID,
	B_TID,
	B_RANK,
	B_DOMAIN,
	B_COUNT
};

/* Layouts B and C: C has a separate domain column and integer parents. */
static void write_bc(struct gen_scenario *sc, uint32_t process, const row_vec *rows,
	struct jr_arena *arena, const struct jr_pq_put_options *options, struct jr_buf *out)
{
	bool is_c = sc->options.layout == 'C';
	struct gen_column c[B_COUNT] = {{.name = "Text", .type = JR_PQ_PUT_TEXT},
		{.name = "Start", .type = JR_PQ_PUT_INT64}, {.name = "End", .type = JR_PQ_PUT_INT64},
		{.name = "Children Count", .type = JR_PQ_PUT_INT64},
		{.name = "Range ID", .type = JR_PQ_PUT_INT64},
		{.name = "Parent ID", .type = is_c ? JR_PQ_PUT_INT64 : JR_PQ_PUT_DOUBLE},
		{.name = "Range Stack", .type = JR_PQ_PUT_INT64_LIST},
		{.name = "Stack Level", .type = JR_PQ_PUT_INT64}, {.name = "PID", .type = JR_PQ_PUT_INT64},
		{.name = "TID", .type = JR_PQ_PUT_INT64}, {.name = "Rank", .type = JR_PQ_PUT_INT64},
		{.name = "Domain", .type = JR_PQ_PUT_TEXT}};
	int64_t pid = sc->processes.items[process].pid, depth[GEN_MAX_LEVELS];
	int64_t *ids = calloc(sc->ranges.n, sizeof(*ids));
	if (!ids)
		jr_oom();
	for (size_t i = 0; i < rows->n; i++)
		ids[rows->items[i].index] = rows->items[i].id;
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->items[i];
		const struct gen_range *x = r->range;
		char *name = jr_arena_strdup(arena, x->name);
		size_t length = strlen(name);
		gen_put_nuls(name, length);
		gen_put_bytes(&c[B_TEXT], jr_bytes_of(name, length));
		gen_put_i64(&c[B_START], r->start_ns);
		gen_put_i64(&c[B_END], r->start_ns + x->gpu_dur_ns);
		gen_put_i64(&c[B_CHILDREN], x->n_gpu_children);
		if (id_is_lost(sc, i))
			gen_put_null(&c[B_ID]);
		else
			gen_put_i64(&c[B_ID], r->id);
		if (r->parent_id < 0)
			gen_put_null(&c[B_PARENT]);
		else if (is_c)
			gen_put_i64(&c[B_PARENT], r->parent_id);
		else
			gen_put_f64(&c[B_PARENT], (double)r->parent_id);
		size_t n = gen_range_stack(sc, r->index, depth);
		for (size_t k = 0; k < n; k++)
			depth[k] = ids[depth[k]];
		if (sc->options.no_stacks)
			gen_put_null(&c[B_STACK]);
		else
			gen_put_list(&c[B_STACK], depth, n);
		gen_put_i64(&c[B_LEVEL], x->level);
		gen_put_i64(&c[B_PID], pid);
		gen_put_i64(&c[B_TID], x->tid);
		gen_put_i64(&c[B_RANK], 0);
		gen_put_bytes(&c[B_DOMAIN], gen_bytes(sc, x->domain));
	}
	free(ids);
	gen_table_write(out, c, is_c ? B_COUNT : B_DOMAIN, 0, options);
	jr_vec_done(&c[B_DOMAIN].text);
	jr_vec_done(&c[B_DOMAIN].valid);
}

/* Does not draw from the scenario's random numbers, so everything else stays the same. */
static void shuffle(struct row *rows, size_t n)
{
	uint64_t z = 1;
	for (size_t i = n; i > 1; i--) {
		z = z * UINT64_C(6364136223846793005) + 1442695040888963407;
		size_t k = (size_t)((z >> 33) % i);
		struct row swapped = rows[i - 1];
		rows[i - 1] = rows[k];
		rows[k] = swapped;
	}
}

void gen_write_trace(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive)
{
	row_vec rows = {0};
	struct jr_buf out = {0};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	trace_rows(sc, process, &rows);
	if (sc->options.shuffled)
		shuffle(rows.items, rows.n);
	if (sc->options.layout == 'A')
		write_a(sc, process, &rows, &arena, &options->parquet, &out);
	else
		write_bc(sc, process, &rows, &arena, &options->parquet, &out);
	gen_archive_add(archive, "nvtx_gpu_proj_trace/trace.parquet", &out, true);
	jr_vec_done(&rows);
}
