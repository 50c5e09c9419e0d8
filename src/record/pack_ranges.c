/* NVTX ranges of an export as the tables that archives have: what of them ran on GPUs, and the
 * host's push/pop ranges (formats/README.md, sections 1.1 and 1.2). */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/task.h"
#include "record/pack_parts.h"

/* What the tables tell beyond the export's columns; 28 bytes a range. [rows.nvtx.n] each. */
struct ranges {
	const struct jr_export *x;
	uint32_t *order; /* [n] ranges by start, outermost first */
	size_t n;
	uint32_t *id;                          /* place in that order */
	uint32_t *n_children, *n_gpu_children; /* directly below */
	uint32_t *n_launches; /* that something ran on a GPU for, in push/pop ranges, each once */
	int64_t *child_ns;
	struct jr_arena arena;
};

/* A table in the making: two are written side by side. */
struct table {
	const struct ranges *r;
	struct jr_frame frame;
	struct jr_map seen;
	struct jr_intern names;
	struct jr_buf joined, stack;
};

static bool is_push_pop(const struct jr_export *x, uint32_t row)
{
	return x->rows.nvtx.kind[row] == JR_TIMELINE_PUSH_POP;
}

static uint32_t parent_of(const struct jr_export *x, uint32_t row)
{
	return is_push_pop(x, row) ? x->parent[row] : JR_NONE;
}

/* nsys counts launches: one of a graph is one, however many of its nodes were profiled. */
static enum jr_status count_launches(struct ranges *r, struct jr_error *err)
{
	const struct jr_export *x = r->x;
	uint8_t *seen = jr_arena_array(&r->arena, x->rows.calls.n + 1, sizeof(*seen), err);
	if (!seen)
		return JR_ELIMIT;
	for (size_t i = 0; i < x->rows.gpu.n; i++) {
		if (x->range[i] == JR_NONE || seen[x->launch[i]])
			continue;
		seen[x->launch[i]] = 1;
		r->n_launches[x->range[i]]++;
	}
	for (size_t k = x->n_order; k-- > 0;) /* a parent stands before its children */
		if (x->parent[x->order[k]] != JR_NONE)
			r->n_launches[x->parent[x->order[k]]] += r->n_launches[x->order[k]];
	return JR_OK;
}

static enum jr_status ranges_init(
	struct ranges *r, const struct jr_export *x, uint64_t most_bytes, struct jr_error *err)
{
	const struct jr_timeline_nvtx *t = &x->rows.nvtx;
	*r = (struct ranges){.x = x};
	jr_arena_init(&r->arena, most_bytes);
	uint32_t **narrow[] = {&r->order, &r->id, &r->n_children, &r->n_gpu_children, &r->n_launches};
	for (size_t i = 0; i < JR_COUNT_OF(narrow); i++)
		if (!(*narrow[i] = jr_arena_array(&r->arena, t->n + 1, sizeof(**narrow[i]), err)))
			return JR_ELIMIT;
	r->child_ns = jr_arena_array(&r->arena, t->n + 1, sizeof(*r->child_ns), err);
	if (!r->child_ns)
		return JR_ELIMIT;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->kind[i] != JR_TIMELINE_MARK)
			r->order[r->n++] = i;
	if (r->n)
		qsort_r(r->order, r->n, sizeof(*r->order), jr_export_compare_ranges, (void *)(uintptr_t)t);
	for (size_t k = 0; k < r->n; k++) {
		uint32_t row = r->order[k], up = parent_of(x, row);
		r->id[row] = (uint32_t)k;
		if (up == JR_NONE)
			continue;
		r->n_children[up]++;
		r->n_gpu_children[up] += x->n_ops[row] > 0;
		r->child_ns[up] += t->end_ns[row] - t->start_ns[row];
	}
	return count_launches(r, err);
}

static void ranges_done(struct ranges *r)
{
	jr_arena_done(&r->arena);
}

static void put_name(struct table *t, size_t column, uint32_t row)
{
	uint32_t id = jr_export_put_name(t->r->x, row, &t->seen, &t->names, &t->joined);
	jr_frame_text(&t->frame, column, jr_intern_str(&t->names, id), jr_intern_len(&t->names, id));
}

/* ":1:2:3", outermost first; returns how many lie above. The export has bounded the depth. */
static size_t put_stack(struct table *t, size_t column, uint32_t row)
{
	const struct jr_export *x = t->r->x;
	size_t depth = 0;
	for (uint32_t up = parent_of(x, row); up != JR_NONE; up = parent_of(x, up))
		depth++;
	uint32_t *chain = JR_ARENA_N(&t->frame.texts, uint32_t, depth + 1);
	size_t at = depth + 1;
	for (uint32_t up = row; up != JR_NONE; up = parent_of(x, up))
		chain[--at] = t->r->id[up];
	t->stack.size = 0;
	for (size_t i = 0; i <= depth; i++) {
		char digits[JR_NUM_MAX];
		jr_num_i64(digits, chain[i]);
		jr_buf_putc(&t->stack, ':');
		jr_buf_puts(&t->stack, digits);
	}
	jr_frame_text(&t->frame, column, t->stack.data, t->stack.size);
	return depth;
}

static void put_parent(struct table *t, size_t column, uint32_t row)
{
	uint32_t up = parent_of(t->r->x, row);
	if (up == JR_NONE)
		jr_frame_null(&t->frame, column);
	else
		jr_frame_f64(&t->frame, column, t->r->id[up]);
}

enum {
	T_NAME,
	T_START,
	T_DURATION,
	T_ORIG_START,
	T_ORIG_DURATION,
	T_STYLE,
	T_PID,
	T_TID,
	T_OPS,
	T_LEVEL,
	T_CHILDREN,
	T_ID,
	T_PARENT,
	T_STACK,
	T_RANK,
	T_COUNT
};

static const struct jr_pq_put_column trace_columns[T_COUNT + 1] = {
	[T_NAME] = {.name = "Name", .type = JR_PQ_PUT_TEXT},
	[T_START] = {.name = "Projected Start", .type = JR_PQ_PUT_INT64},
	[T_DURATION] = {.name = "Projected Duration", .type = JR_PQ_PUT_INT64},
	[T_ORIG_START] = {.name = "Orig Start", .type = JR_PQ_PUT_DOUBLE},
	[T_ORIG_DURATION] = {.name = "Orig Duration", .type = JR_PQ_PUT_DOUBLE},
	[T_STYLE] = {.name = "Style", .type = JR_PQ_PUT_TEXT},
	[T_PID] = {.name = "PID", .type = JR_PQ_PUT_INT64},
	[T_TID] = {.name = "TID", .type = JR_PQ_PUT_INT64},
	[T_OPS] = {.name = "NumGPUOps", .type = JR_PQ_PUT_INT64},
	[T_LEVEL] = {.name = "Lvl", .type = JR_PQ_PUT_DOUBLE},
	[T_CHILDREN] = {.name = "NumChild", .type = JR_PQ_PUT_INT64},
	[T_ID] = {.name = "RangeId", .type = JR_PQ_PUT_DOUBLE},
	[T_PARENT] = {.name = "ParentId", .type = JR_PQ_PUT_DOUBLE},
	[T_STACK] = {.name = "RangeStack", .type = JR_PQ_PUT_TEXT},
	[T_RANK] = {.name = "Rank", .type = JR_PQ_PUT_INT64},
};

static void put_trace_row(struct table *t, uint32_t row)
{
	static const char push_pop[] = "PushPop", start_end[] = "StartEnd";
	const struct ranges *r = t->r;
	struct jr_frame *f = &t->frame;
	const struct jr_export *x = r->x;
	const struct jr_timeline *s = &x->rows;
	const struct jr_timeline_thread *thread = &s->threads[s->nvtx.thread[row]];
	put_name(t, T_NAME, row);
	jr_frame_i64(f, T_START, x->gpu_start_ns[row]);
	jr_frame_i64(f, T_DURATION, x->gpu_end_ns[row] - x->gpu_start_ns[row]);
	jr_frame_f64(f, T_ORIG_START, (double)s->nvtx.start_ns[row]);
	jr_frame_f64(f, T_ORIG_DURATION, (double)(s->nvtx.end_ns[row] - s->nvtx.start_ns[row]));
	if (is_push_pop(x, row))
		jr_frame_text(f, T_STYLE, push_pop, sizeof(push_pop) - 1);
	else
		jr_frame_text(f, T_STYLE, start_end, sizeof(start_end) - 1);
	jr_frame_i64(f, T_PID, s->processes[thread->process].pid);
	jr_frame_i64(f, T_TID, thread->tid);
	/* What lies in a range that does not nest is counted by operation alone. */
	jr_frame_i64(f, T_OPS, r->n_launches[row] ? r->n_launches[row] : x->n_ops[row]);
	jr_frame_i64(f, T_CHILDREN, r->n_gpu_children[row]);
	jr_frame_f64(f, T_ID, r->id[row]);
	put_parent(t, T_PARENT, row);
	jr_frame_f64(f, T_LEVEL, (double)put_stack(t, T_STACK, row));
	jr_frame_i64(f, T_RANK, 0);
	jr_frame_row(f);
}

enum {
	P_START,
	P_END,
	P_DURATION,
	P_CHILD,
	P_SELF,
	P_NAME,
	P_TID,
	P_CHILDREN,
	P_PARENT,
	P_STACK,
	P_ID,
	P_COUNT
};

static const struct jr_pq_put_column push_pop_columns[P_COUNT + 1] = {
	[P_START] = {.name = "Start (ns)", .type = JR_PQ_PUT_INT64},
	[P_END] = {.name = "End (ns)", .type = JR_PQ_PUT_INT64},
	[P_DURATION] = {.name = "Duration (ns)", .type = JR_PQ_PUT_INT64},
	[P_CHILD] = {.name = "DurChild (ns)", .type = JR_PQ_PUT_INT64},
	[P_SELF] = {.name = "DurNonChild (ns)", .type = JR_PQ_PUT_INT64},
	[P_NAME] = {.name = "Name", .type = JR_PQ_PUT_TEXT},
	[P_TID] = {.name = "TID", .type = JR_PQ_PUT_INT64},
	[P_CHILDREN] = {.name = "NumChild", .type = JR_PQ_PUT_INT64},
	[P_PARENT] = {.name = "ParentId", .type = JR_PQ_PUT_DOUBLE},
	[P_STACK] = {.name = "RangeStack", .type = JR_PQ_PUT_TEXT},
	[P_ID] = {.name = "RangeId", .type = JR_PQ_PUT_INT32},
};

static void put_push_pop_row(struct table *t, uint32_t row)
{
	const struct ranges *r = t->r;
	struct jr_frame *f = &t->frame;
	const struct jr_timeline *s = &r->x->rows;
	int64_t start_ns = s->nvtx.start_ns[row], end_ns = s->nvtx.end_ns[row];
	jr_frame_i64(f, P_START, start_ns);
	jr_frame_i64(f, P_END, end_ns);
	jr_frame_i64(f, P_DURATION, end_ns - start_ns);
	jr_frame_i64(f, P_CHILD, r->child_ns[row]);
	jr_frame_i64(f, P_SELF, end_ns - start_ns - r->child_ns[row]);
	put_name(t, P_NAME, row);
	jr_frame_i64(f, P_TID, s->threads[s->nvtx.thread[row]].tid);
	jr_frame_i64(f, P_CHILDREN, r->n_children[row]);
	put_parent(t, P_PARENT, row);
	put_stack(t, P_STACK, row);
	jr_frame_i64(f, P_ID, r->id[row]);
	jr_frame_row(f);
}

enum { TRACE, PUSH_POP, N_TABLES };

/* Both tables of an export, each by its own thread. */
struct writing {
	const struct ranges *r;
	struct table tables[N_TABLES];
};

static void write_table(void *context, size_t which)
{
	struct writing *w = context;
	const struct ranges *r = w->r;
	struct table *t = &w->tables[which];
	for (size_t k = 0; k < r->n; k++) {
		uint32_t row = r->order[k];
		if (which == TRACE && r->x->n_ops[row])
			put_trace_row(t, row);
		else if (which == PUSH_POP && is_push_pop(r->x, row))
			put_push_pop_row(t, row);
	}
	jr_frame_end(&t->frame);
}

/* XLA's ranges are of TSL's domain. */
static bool names_xla(const struct jr_intern *names)
{
	static const char domain[] = "TSL:";
	for (uint32_t id = 0; id < names->n; id++)
		if (strncmp(jr_intern_str(names, id), domain, sizeof(domain) - 1) == 0)
			return true;
	return false;
}

static enum jr_status put_tables(struct jr_packing *p, struct writing *w, struct jr_error *err)
{
	const struct jr_frame *trace = &w->tables[TRACE].frame, *host = &w->tables[PUSH_POP].frame;
	for (size_t i = 0; i < N_TABLES; i++) {
		w->tables[i].r = w->r;
		jr_intern_init(&w->tables[i].names);
		jr_frame_begin(&w->tables[i].frame, i == TRACE ? trace_columns : push_pop_columns,
			i == PUSH_POP, p->job->version);
	}
	jr_task_run(p->job->n_threads, N_TABLES, write_table, w);
	p->told->has_gpu_work = trace->n_written > 0;
	p->told->has_xla = names_xla(&w->tables[TRACE].names) || names_xla(&w->tables[PUSH_POP].names);
	if (trace->n_written)
		JR_TRY(jr_pack_member(p, JR_MEMBER_TRACE, jr_buf_view(&trace->file), false, err));
	return jr_pack_member(p, JR_MEMBER_HOST_PARQUET, jr_buf_view(&host->file), false, err);
}

static void writing_done(struct writing *w)
{
	for (size_t i = 0; i < N_TABLES; i++) {
		struct table *t = &w->tables[i];
		jr_frame_done(&t->frame);
		jr_map_done(&t->seen);
		jr_intern_done(&t->names);
		jr_buf_done(&t->joined);
		jr_buf_done(&t->stack);
	}
}

enum jr_status jr_pack_ranges(struct jr_packing *p, const struct jr_export *x, struct jr_error *err)
{
	struct ranges r;
	struct writing w = {.r = &r};
	enum jr_status status = ranges_init(&r, x, p->job->limits->memory_bytes, err);
	if (status == JR_OK) {
		status = put_tables(p, &w, err);
		writing_done(&w);
	}
	ranges_done(&r);
	return status;
}
