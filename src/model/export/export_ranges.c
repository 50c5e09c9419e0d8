#include "model/export/export_ranges.h"

#include "base/cleanup.h"

/* --- exports that are completely in memory ---------------------------------------------------- */

/* Count calls per row like nsys: a graph launch counts once, regardless of its profiled nodes. In
 * crossing ranges, operations are counted instead. */
static enum jr_status count_calls(
	const struct jr_export *x, uint32_t *n_calls, struct jr_error *err)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint8_t *seen;
	JR_TRY_ARRAY(seen, &scratch, (uint64_t)x->rows.calls.n + 1, err);
	for (size_t i = 0; i < x->rows.gpu.n; i++) {
		if (x->range[i] == JR_NONE || seen[x->launch[i]])
			continue;
		seen[x->launch[i]] = 1;
		n_calls[x->range[i]]++;
	}
	for (size_t k = x->n_order; k-- > 0;) /* parents come before children */
		if (x->parent[x->order[k]] != JR_NONE)
			n_calls[x->parent[x->order[k]]] += n_calls[x->order[k]];
	for (size_t i = 0; i < x->rows.nvtx.n; i++)
		if (n_calls[i] == 0)
			n_calls[i] = x->n_ops[i];
	return JR_OK;
}

static bool is_push_pop(const struct jr_export *x, uint32_t row)
{
	return x->rows.nvtx.kind[row] == JR_TIMELINE_PUSH_POP;
}

/* Fill one row with the data that a stream would return. */
static void take_row(
	struct jr_export_ranges *r, uint32_t place, const uint32_t *n_calls, const uint32_t *place_of)
{
	const struct jr_export *x = &r->x;
	uint32_t row = r->order[place];
	uint32_t up = is_push_pop(x, row) ? x->parent[row] : JR_NONE;
	r->parent[place] = up == JR_NONE ? JR_NONE : place_of[up];
	r->n_calls[place] = n_calls[row];
	r->gpu_start_ns[place] = x->gpu_start_ns[row];
	r->gpu_end_ns[place] = x->gpu_end_ns[row];
}

static void list_parents(struct jr_export_ranges *r, struct jr_export_children *all)
{
	const struct jr_timeline_nvtx *t = &r->x.rows.nvtx;
	for (uint32_t place = 0; place < r->n; place++) {
		uint32_t up = r->parent[place], row = r->order[place];
		if (up == JR_NONE)
			continue;
		all[up].place = up;
		all[up].n++;
		all[up].dur_ns += t->end_ns[row] - t->start_ns[row];
	}
	for (size_t i = 0; i < r->n; i++)
		if (all[i].n)
			all[r->n_parents++] = all[i];
	r->parents = all;
}

static enum jr_status take_rows(struct jr_export_ranges *r, struct jr_error *err)
{
	const struct jr_timeline_nvtx *t = &r->x.rows.nvtx;
	uint64_t n = (uint64_t)t->n + 1;
	uint32_t *n_calls = NULL, *place_of = NULL;
	JR_TRY_ARRAYS(
		uint32_t, &r->arena, n, err, &r->order, &r->parent, &r->n_calls, &n_calls, &place_of);
	JR_TRY_ARRAYS(int64_t, &r->arena, n, err, &r->gpu_start_ns, &r->gpu_end_ns);
	struct jr_export_children *all;
	JR_TRY_ARRAY(all, &r->arena, n, err);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->kind[i] != JR_TIMELINE_MARK)
			r->order[r->n++] = i;
	jr_export_sort_ranges(t, r->order, r->n);
	for (uint32_t place = 0; place < r->n; place++)
		place_of[r->order[place]] = place;
	JR_TRY(count_calls(&r->x, n_calls, err));
	for (uint32_t place = 0; place < r->n; place++)
		take_row(r, place, n_calls, place_of);
	list_parents(r, all);
	jr_export_ranges_add_up(r);
	return JR_OK;
}

/* --- iteration -------------------------------------------------------------------------------- */

enum jr_status jr_export_ranges_begin(struct jr_export_ranges *r, struct jr_error *err)
{
	r->next = r->next_parent = 0;
	return r->stream ? jr_nsys_stream_rewind(r->stream, err) : JR_OK;
}

static int64_t pid_of(int64_t thread)
{
	return (int64_t)((uint64_t)thread >> 24 & 0xFFFFFF);
}

static enum jr_status next_of_stream(
	struct jr_export_ranges *r, struct jr_export_range *out, bool *any, struct jr_error *err)
{
	struct jr_nsys_range row;
	do
		JR_TRY(jr_nsys_next_range(r->stream, &row, any, err));
	while (*any && row.kind == JR_TIMELINE_MARK);
	if (!*any)
		return JR_OK;
	int64_t thread = jr_nsys_stream_thread(r->stream, row.thread);
	*out = (struct jr_export_range){.is_push_pop = row.kind == JR_TIMELINE_PUSH_POP,
		.start_ns = row.start_ns,
		.end_ns = row.end_ns,
		.pid = pid_of(thread),
		.tid = thread & 0xFFFFFF,
		.scope = row.scope,
		.text = row.text};
	return JR_OK;
}

static void next_of_rows(struct jr_export_ranges *r, struct jr_export_range *out)
{
	const struct jr_timeline *s = &r->x.rows;
	uint32_t row = r->order[r->next];
	const struct jr_timeline_thread *thread = &s->threads[s->nvtx.thread[row]];
	*out = (struct jr_export_range){.is_push_pop = is_push_pop(&r->x, row),
		.start_ns = s->nvtx.start_ns[row],
		.end_ns = s->nvtx.end_ns[row],
		.pid = pid_of(thread->id),
		.tid = thread->tid,
		.scope = s->nvtx.scope[row],
		.text = s->nvtx.text[row]};
}

enum jr_status jr_export_ranges_next(
	struct jr_export_ranges *r, struct jr_export_range *out, bool *any, struct jr_error *err)
{
	*any = r->next < r->n;
	if (*any && r->stream)
		JR_TRY(next_of_stream(r, out, any, err));
	else if (*any)
		next_of_rows(r, out);
	if (!*any && r->next < r->n)
		return jr_fail(err, JR_EIO, "the export changed while it was read");
	if (!*any)
		return JR_OK;
	out->place = (uint32_t)r->next++;
	if (r->next_parent < r->n_parents && r->parents[r->next_parent].place == out->place)
		out->children = r->parents[r->next_parent++];
	return JR_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

enum jr_status jr_export_ranges_read(const char *path, const struct jr_limits *limits,
	size_t n_threads, struct jr_export_ranges *out, struct jr_error *err)
{
	bool fits;
	enum jr_status status = jr_export_ranges_stream(path, limits, out, &fits, err);
	if (status != JR_OK || fits)
		return status;
	*out = (struct jr_export_ranges){0};
	jr_arena_init(&out->arena, limits->memory_bytes);
	status = jr_export_read(path, limits, n_threads, NULL, &out->x, err);
	if (status == JR_OK)
		status = take_rows(out, err);
	if (status != JR_OK)
		jr_export_ranges_done(out);
	return status;
}
