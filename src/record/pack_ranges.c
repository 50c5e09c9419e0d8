/* NVTX ranges of an export as the tables of an archive: ranges with GPU work, and the host's
 * push/pop ranges (formats/README.md, sections 1.1 and 1.2). */
#include <string.h>

#include "base/num.h"
#include "model/archive/trace_parts.h"
#include "record/pack_parts.h"

/* A table under construction. */
struct table {
	struct jr_export_ranges *r;
	struct jr_frame frame;
	struct jr_map seen;
	struct jr_intern names;
	struct jr_buf joined, stack;
};

static void put_name(struct table *t, size_t column, const struct jr_export_range *range)
{
	uint32_t id =
		jr_export_put_text(&t->r->x, range->scope, range->text, &t->seen, &t->names, &t->joined);
	jr_frame_lasting(&t->frame, column, jr_intern_str(&t->names, id), jr_intern_len(&t->names, id));
}

/* Write ":1:2:3", outermost first, and return the number of ranges above. The export has bounded
 * the depth. */
static size_t put_stack(struct table *t, size_t column, uint32_t place)
{
	const uint32_t *parent = t->r->parent;
	size_t depth = 0;
	for (uint32_t up = parent[place]; up != JR_NONE; up = parent[up])
		depth++;
	uint32_t *chain = JR_ARENA_N(&t->frame.texts, uint32_t, depth + 1);
	size_t at = depth + 1;
	for (uint32_t up = place; up != JR_NONE; up = parent[up])
		chain[--at] = up;
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

static void put_parent(struct table *t, size_t column, uint32_t place)
{
	uint32_t up = t->r->parent[place];
	if (up == JR_NONE)
		jr_frame_null(&t->frame, column);
	else
		jr_frame_f64(&t->frame, column, up);
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

/* No two rows have the same time, id or stack, so a dictionary of these does not help. RangeId is
 * the place among all ranges in both tables; nsys has rows of NVTX_EVENTS there. Readers expect ids
 * that increase with time. */
static const struct jr_pq_put_column trace_columns[T_COUNT + 1] = {
	[T_NAME] = {.name = "Name", .type = JR_PQ_PUT_TEXT},
	[T_START] = {.name = "Projected Start", .type = JR_PQ_PUT_INT64, .no_dictionary = true},
	[T_DURATION] = {.name = "Projected Duration", .type = JR_PQ_PUT_INT64},
	[T_ORIG_START] = {.name = "Orig Start", .type = JR_PQ_PUT_DOUBLE, .no_dictionary = true},
	[T_ORIG_DURATION] = {.name = "Orig Duration", .type = JR_PQ_PUT_DOUBLE},
	[T_STYLE] = {.name = "Style", .type = JR_PQ_PUT_TEXT},
	[T_PID] = {.name = "PID", .type = JR_PQ_PUT_INT64},
	[T_TID] = {.name = "TID", .type = JR_PQ_PUT_INT64},
	[T_OPS] = {.name = "NumGPUOps", .type = JR_PQ_PUT_INT64},
	[T_LEVEL] = {.name = "Lvl", .type = JR_PQ_PUT_DOUBLE},
	[T_CHILDREN] = {.name = "NumChild", .type = JR_PQ_PUT_INT64},
	[T_ID] = {.name = "RangeId", .type = JR_PQ_PUT_DOUBLE, .no_dictionary = true},
	[T_PARENT] = {.name = "ParentId", .type = JR_PQ_PUT_DOUBLE},
	[T_STACK] = {.name = "RangeStack", .type = JR_PQ_PUT_TEXT, .no_dictionary = true},
	[T_RANK] = {.name = "Rank", .type = JR_PQ_PUT_INT64},
};

static void put_trace_row(struct table *t, const struct jr_export_range *range)
{
	static const char push_pop[] = "PushPop", start_end[] = "StartEnd";
	const struct jr_export_ranges *r = t->r;
	struct jr_frame *f = &t->frame;
	uint32_t place = range->place;
	put_name(t, T_NAME, range);
	jr_frame_i64(f, T_START, r->gpu_start_ns[place]);
	jr_frame_i64(f, T_DURATION, r->gpu_end_ns[place] - r->gpu_start_ns[place]);
	jr_frame_f64(f, T_ORIG_START, (double)range->start_ns);
	jr_frame_f64(f, T_ORIG_DURATION, (double)(range->end_ns - range->start_ns));
	if (range->is_push_pop)
		jr_frame_lasting(f, T_STYLE, push_pop, sizeof(push_pop) - 1);
	else
		jr_frame_lasting(f, T_STYLE, start_end, sizeof(start_end) - 1);
	jr_frame_i64(f, T_PID, range->pid);
	jr_frame_i64(f, T_TID, range->tid);
	jr_frame_i64(f, T_OPS, r->n_calls[place]);
	jr_frame_i64(f, T_CHILDREN, range->children.n_with_gpu_work);
	jr_frame_f64(f, T_ID, place);
	put_parent(t, T_PARENT, place);
	jr_frame_f64(f, T_LEVEL, (double)put_stack(t, T_STACK, place));
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
	[P_START] = {.name = "Start (ns)", .type = JR_PQ_PUT_INT64, .no_dictionary = true},
	[P_END] = {.name = "End (ns)", .type = JR_PQ_PUT_INT64, .no_dictionary = true},
	[P_DURATION] = {.name = "Duration (ns)", .type = JR_PQ_PUT_INT64},
	[P_CHILD] = {.name = "DurChild (ns)", .type = JR_PQ_PUT_INT64},
	[P_SELF] = {.name = "DurNonChild (ns)", .type = JR_PQ_PUT_INT64},
	[P_NAME] = {.name = "Name", .type = JR_PQ_PUT_TEXT},
	[P_TID] = {.name = "TID", .type = JR_PQ_PUT_INT64},
	[P_CHILDREN] = {.name = "NumChild", .type = JR_PQ_PUT_INT64},
	[P_PARENT] = {.name = "ParentId", .type = JR_PQ_PUT_DOUBLE},
	[P_STACK] = {.name = "RangeStack", .type = JR_PQ_PUT_TEXT, .no_dictionary = true},
	[P_ID] = {.name = "RangeId", .type = JR_PQ_PUT_INT32, .no_dictionary = true},
};

static void put_push_pop_row(struct table *t, const struct jr_export_range *range)
{
	struct jr_frame *f = &t->frame;
	int64_t dur_ns = range->end_ns - range->start_ns;
	/* ranges of damaged exports overlap; readers refuse a negative rest */
	int64_t child_ns = range->children.dur_ns < dur_ns ? range->children.dur_ns : dur_ns;
	jr_frame_i64(f, P_START, range->start_ns);
	jr_frame_i64(f, P_END, range->end_ns);
	jr_frame_i64(f, P_DURATION, dur_ns);
	jr_frame_i64(f, P_CHILD, child_ns);
	jr_frame_i64(f, P_SELF, dur_ns - child_ns);
	put_name(t, P_NAME, range);
	jr_frame_i64(f, P_TID, range->tid);
	jr_frame_i64(f, P_CHILDREN, range->children.n);
	put_parent(t, P_PARENT, range->place);
	put_stack(t, P_STACK, range->place);
	jr_frame_i64(f, P_ID, range->place);
	jr_frame_row(f);
}

/* Without an execution or compilation of a program there is nothing to report on. */
static bool names_xla(const struct jr_intern *names)
{
	static const char compile[] = "TSL:XlaCompile";
	for (uint32_t id = 0; id < names->n; id++) {
		const char *text = jr_intern_str(names, id);
		struct jr_range_name name = jr_range_name_parse(text, jr_intern_len(names, id));
		if (name.kind == JR_RANGE_MODULE && name.program_number >= 0)
			return true;
		if (strncmp(text, compile, sizeof(compile) - 1) == 0 &&
			strchr(":", text[sizeof(compile) - 1]))
			return true;
	}
	return false;
}

static enum jr_status put_rows(struct table *t, bool is_trace, struct jr_error *err)
{
	JR_TRY(jr_export_ranges_begin(t->r, err));
	for (;;) {
		struct jr_export_range range;
		bool any;
		JR_TRY(jr_export_ranges_next(t->r, &range, &any, err));
		if (!any)
			return JR_OK;
		if (is_trace && t->r->n_calls[range.place])
			put_trace_row(t, &range);
		else if (!is_trace && range.is_push_pop)
			put_push_pop_row(t, &range);
	}
}

static enum jr_status put_table(
	struct jr_packing *p, struct jr_export_ranges *r, bool is_trace, struct jr_error *err)
{
	struct table t = {.r = r};
	jr_intern_init(&t.names);
	if (is_trace)
		jr_pack_frame(p, &t.frame, trace_columns, 0, JR_MEMBER_TRACE);
	else
		jr_pack_frame(p, &t.frame, push_pop_columns, 1, JR_MEMBER_HOST_PARQUET);
	enum jr_status status = put_rows(&t, is_trace, err);
	if (status == JR_OK)
		status = jr_pack_frame_end(p, &t.frame, err);
	p->told->has_xla |= names_xla(&t.names);
	jr_frame_done(&t.frame);
	jr_map_done(&t.seen);
	jr_intern_done(&t.names);
	jr_buf_done(&t.joined);
	jr_buf_done(&t.stack);
	return status;
}

enum jr_status jr_pack_ranges(
	struct jr_packing *p, struct jr_export_ranges *r, struct jr_error *err)
{
	p->told->has_gpu_work = r->n_with_gpu_work > 0;
	if (p->told->has_gpu_work)
		JR_TRY(put_table(p, r, true, err));
	return put_table(p, r, false, err);
}
