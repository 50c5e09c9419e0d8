/* Building a trace from the XLA and NCCL ranges of one process of an export. */

#include "base/cleanup.h"
#include "model/export/export.h"

struct tracing {
	const struct jr_export *x;
	struct jr_trace *trace;
	struct jr_map seen;  /* (domain, text) -> text of trace->strings */
	struct jr_map names; /* text of trace->strings -> row of names */
	struct jr_buf joined;
	struct jr_slice slice; /* slice of x->order with the ranges of the process */
	uint32_t *row_of; /* [slice] 1 + trace row of the range or of the next one above; 0: none */
};

/* --- shared by all parts ---------------------------------------------------------------------- */

/* Find communication kernels by name. Each name is checked once; there are far fewer kernel names
 * than launches or range texts. */
static void find_communication(struct jr_export *x)
{
	enum { UNKNOWN, NO, YES };
	const struct jr_timeline *s = &x->rows;
	uint8_t *known = JR_ARENA_N(&x->links, uint8_t, s->strings.n + 1);
	for (size_t i = 0; i < s->gpu.n; i++) {
		uint8_t *name = &known[s->gpu.name[i]];
		if (*name == UNKNOWN)
			*name =
				jr_is_communication_kernel(jr_intern_str(&s->strings, s->gpu.name[i])) ? YES : NO;
		if (*name == YES)
			x->communicates = known;
	}
	for (size_t id = 0; id < s->strings.n; id++)
		known[id] = known[id] == YES;
}

/* Link GPU operations to the processes of their ranges, by a counting sort. */
static enum jr_status link_ops(struct jr_export *x, struct jr_error *err)
{
	const struct jr_timeline *s = &x->rows;
	size_t n = 0;
	JR_TRY_ARRAY(x->first_linked, &x->links, s->n_processes + 2, err);
	size_t *first = x->first_linked;
	for (size_t i = 0; i < s->gpu.n; i++) {
		if (x->range[i] == JR_NONE)
			continue;
		first[s->threads[s->nvtx.thread[x->range[i]]].process + 2]++;
		n++;
	}
	JR_TRY_ARRAY(x->linked, &x->links, n + 1, err);
	for (size_t p = 0; p < s->n_processes; p++)
		first[p + 2] += first[p + 1];
	for (uint32_t i = 0; i < s->gpu.n; i++)
		if (x->range[i] != JR_NONE)
			x->linked[first[s->threads[s->nvtx.thread[x->range[i]]].process + 1]++] = i;
	return JR_OK;
}

enum jr_status jr_export_index(struct jr_export *x, struct jr_error *err)
{
	JR_TRY_ARRAY(x->place, &x->arena, x->rows.nvtx.n + 1, err);
	for (size_t i = 0; i < x->n_order; i++)
		x->place[x->order[i]] = (uint32_t)i;
	find_communication(x);
	return x->communicates ? link_ops(x, err) : JR_OK;
}

/* --- one part --------------------------------------------------------------------------------- */

/* Return the row_of entry of a range of the part. */
static uint32_t *row_of(const struct tracing *t, uint32_t range)
{
	return &t->row_of[t->x->place[range] - t->slice.begin];
}

static uint32_t name_row(struct tracing *t, uint32_t row)
{
	struct jr_trace *trace = t->trace;
	uint32_t text = jr_export_put_name(t->x, row, &t->seen, &trace->strings, &t->joined);
	uint32_t name = jr_map_get(&t->names, text);
	if (name != JR_NONE)
		return name;
	struct jr_range_name parsed = jr_range_name_parse(
		jr_intern_str(&trace->strings, text), jr_intern_len(&trace->strings, text));
	name = (uint32_t)trace->n_names++;
	trace->names[name] = (struct jr_trace_name){.kind = parsed.kind,
		.text = text,
		.op = jr_intern_put(&trace->strings, parsed.op, parsed.op_len),
		.program_number = parsed.program_number};
	if (parsed.xla > trace->xla)
		trace->xla = parsed.xla;
	jr_map_put(&t->names, text, name);
	return name;
}

/* Count distinct (domain, text) pairs, which bound the number of names. */
static size_t count_names(struct tracing *t, struct jr_slice slice)
{
	const struct jr_timeline *s = &t->x->rows;
	JR_CLEANUP(jr_map_done) struct jr_map seen = {0};
	size_t n = 0;
	for (size_t i = slice.begin; i < slice.end; i++) {
		uint32_t row = t->x->order[i];
		uint64_t key = jr_key2(s->scopes[s->nvtx.scope[row]].domain_name, s->nvtx.text[row]);
		if (jr_map_get(&seen, key) != JR_NONE)
			continue;
		jr_map_put(&seen, key, 0);
		n++;
	}
	return n;
}

static enum jr_status allocate(struct jr_trace *trace, size_t n, struct jr_error *err)
{
	JR_TRY_ARRAYS(uint32_t, &trace->arena, n + 1, err, &trace->name, &trace->parent, &trace->device,
		&trace->thread);
	JR_TRY_ARRAYS(int64_t, &trace->arena, n + 1, err, &trace->start_ns, &trace->end_ns,
		&trace->launch_ns, &trace->n_gpu_ops);
	trace->range_id = trace->launch_ns; /* ids must increase with the host start */
	return JR_OK;
}

/* Ranges of other kinds are only links: their children are attached to the next kept range above.
 */
static void add_row(struct tracing *t, uint32_t row, uint32_t name)
{
	const struct jr_export *x = t->x;
	const struct jr_timeline *s = &x->rows;
	struct jr_trace *trace = t->trace;
	uint32_t above = x->parent[row] == JR_NONE ? 0 : *row_of(t, x->parent[row]);
	*row_of(t, row) = above;
	if (x->n_ops[row] == 0 || trace->names[name].kind == JR_RANGE_OTHER)
		return;
	size_t i = trace->n++;
	trace->name[i] = name;
	trace->parent[i] = above ? above - 1 : JR_NONE;
	trace->start_ns[i] = x->gpu_start_ns[row];
	trace->end_ns[i] = x->gpu_end_ns[row];
	trace->thread[i] = s->nvtx.thread[row];
	trace->launch_ns[i] = s->nvtx.start_ns[row];
	trace->n_gpu_ops[i] = x->n_ops[row];
	trace->device[i] = x->device[row] == JR_SEVERAL ? JR_NONE : x->device[row];
	*row_of(t, row) = (uint32_t)i + 1;
}

/* Fill the kernels that each row launched itself, not through a row below it. Graphs may contain
 * any kernels. */
static enum jr_status fill_kernels(struct tracing *t, uint32_t process, struct jr_error *err)
{
	const struct jr_export *x = t->x;
	const struct jr_timeline_gpu *gpu = &x->rows.gpu;
	struct jr_trace *trace = t->trace;
	if (!x->communicates || trace->n == 0)
		return JR_OK;
	JR_TRY_ARRAY(trace->nccl_kernel, &trace->arena, trace->n + 1, err);
	for (size_t k = x->first_linked[process]; k < x->first_linked[process + 1]; k++) {
		uint32_t i = x->linked[k], row = *row_of(t, x->range[i]);
		if (row == 0 || gpu->kind[i] == JR_TIMELINE_MEMCPY || gpu->kind[i] == JR_TIMELINE_MEMSET)
			continue;
		uint32_t *kernel = &trace->nccl_kernel[row - 1];
		if (!x->communicates[gpu->name[i]])
			*kernel = JR_NONE;
		else if (*kernel == 0)
			*kernel = jr_intern_put(&trace->strings, jr_intern_str(&x->rows.strings, gpu->name[i]),
				jr_intern_len(&x->rows.strings, gpu->name[i]));
	}
	return JR_OK;
}

static const struct jr_trace_thread *threads_of(
	const struct jr_timeline *rows, struct jr_arena *arena, struct jr_error *err)
{
	struct jr_trace_thread *threads =
		jr_arena_array(arena, rows->n_threads + 1, sizeof(*threads), err);
	for (size_t i = 0; threads && i < rows->n_threads; i++)
		threads[i] = (struct jr_trace_thread){
			rows->processes[rows->threads[i].process].pid, rows->threads[i].tid};
	return threads;
}

static enum jr_status fill(struct tracing *t, uint32_t process, struct jr_error *err)
{
	const struct jr_export *x = t->x;
	struct jr_trace *trace = t->trace;
	size_t n = t->slice.end - t->slice.begin;
	trace->names =
		jr_arena_array(&trace->arena, count_names(t, t->slice) + 1, sizeof(*trace->names), err);
	trace->threads = threads_of(&x->rows, &trace->arena, err);
	if (!trace->names || !trace->threads)
		return JR_ELIMIT;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint32_t *names = JR_ARENA_N(&scratch, uint32_t, n + 1);
	t->row_of = JR_ARENA_N(&scratch, uint32_t, n + 1);
	size_t n_kept = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t row = x->order[t->slice.begin + i];
		names[i] = name_row(t, row);
		n_kept += x->n_ops[row] && trace->names[names[i]].kind != JR_RANGE_OTHER;
	}
	enum jr_status status = allocate(trace, n_kept, err);
	for (size_t i = 0; i < n && status == JR_OK; i++)
		add_row(t, x->order[t->slice.begin + i], names[i]);
	if (status == JR_OK)
		status = fill_kernels(t, process, err);
	return status;
}

enum jr_status jr_export_trace(const struct jr_export *x, size_t part,
	const struct jr_limits *limits, struct jr_trace *out, struct jr_error *err)
{
	struct jr_trace trace = {.layout = 'S', .has_tid = true};
	struct tracing t = {.x = x, .trace = &trace, .slice = jr_export_ranges_of(x, part)};
	jr_arena_init(&trace.arena, limits->memory_bytes);
	jr_intern_init(&trace.strings);
	enum jr_status status = fill(&t, x->parts[part], err);
	jr_map_done(&t.seen);
	jr_map_done(&t.names);
	jr_buf_done(&t.joined);
	if (status == JR_OK)
		*out = trace;
	else
		jr_trace_done(&trace);
	return status;
}

void jr_export_forget_order(struct jr_export *x)
{
	x->order = jr_arena_shrink(&x->links, x->order, 0);
	x->parent = jr_arena_shrink(&x->links, x->parent, 0);
	x->linked = jr_arena_shrink(&x->links, x->linked, 0);
}
