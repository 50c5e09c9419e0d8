/* Building a trace from the executions and thunks of an XSpace. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/xprofile/xprofile.h"

struct tracing {
	struct jr_xprofile *p;
	struct jr_trace *trace;
	struct jr_map names;       /* str of a module in the trace -> row of names */
	struct jr_map thunk_names; /* (str of the file, row of said) -> row of names */
	uint32_t *label_name;      /* [labels of the file] 1 + row of names; 0: none yet */
	int64_t next_number;       /* for programs without a stated id */
	struct jr_map numbers;     /* str of a module -> index in `made` */
	int64_t *made;             /* generated numbers */
	size_t n_made;
	struct jr_arena scratch;
};

int64_t jr_xprofile_number(int64_t id)
{
	return id & INT64_MAX;
}

enum jr_status jr_xprofile_room(struct jr_xprofile *p, size_t n, struct jr_error *err)
{
	struct jr_xthunks *t = &p->thunks;
	size_t before = p->n_executions, rows = before + n + 1;
	JR_TRY_ARRAYS(int64_t, &p->arena, rows, err, &t->start_ns, &t->end_ns);
	JR_TRY_ARRAYS(uint32_t, &p->arena, rows, err, &t->execution, &t->device, &t->label);
	if (p->export.communicates) {
		JR_TRY_ARRAY(t->nccl_kernel, &p->arena, rows, err);
		t->nccl_kernel += before;
	}
	t->start_ns += before;
	t->end_ns += before;
	t->execution += before;
	t->device += before;
	t->label += before;
	return JR_OK;
}

/* Take the columns of thunks, of which there are millions: executions are the first rows, so the
 * execution of a thunk is its parent. The other columns matter for executions, and their further
 * pages are never touched. */
static enum jr_status take_columns(struct tracing *t, size_t n, struct jr_error *err)
{
	struct jr_trace *trace = t->trace;
	struct jr_xthunks *thunks = &t->p->thunks;
	size_t before = t->p->n_executions;
	jr_arena_take(&trace->arena, &t->p->arena);
	trace->start_ns = thunks->start_ns - before;
	trace->end_ns = thunks->end_ns - before;
	trace->parent = thunks->execution - before;
	trace->device = thunks->device - before;
	trace->name = thunks->label - before;
	trace->nccl_kernel = thunks->nccl_kernel ? thunks->nccl_kernel - before : NULL;
	*thunks = (struct jr_xthunks){0};
	JR_TRY_ARRAYS(int64_t, &trace->arena, n + 1, err, &trace->pid, &trace->tid, &trace->range_id,
		&trace->launch_ns, &trace->n_gpu_ops);
	JR_TRY_ARRAY(trace->names, &trace->arena, n + 1, err);
	return JR_OK;
}

static const char *file_text(const struct tracing *t, uint32_t id)
{
	return jr_intern_str(&t->p->export.rows.strings, id);
}

/* A module without program ids in the file is one program. */
static int64_t number_of(struct tracing *t, const struct jr_xexecution *e)
{
	if (e->program != -1)
		return jr_xprofile_number(e->program);
	uint32_t row = jr_map_get(&t->numbers, e->module);
	if (row == JR_NONE) {
		row = (uint32_t)t->n_made;
		t->made[t->n_made++] = t->next_number++;
		jr_map_put(&t->numbers, e->module, row);
	}
	return t->made[row];
}

static uint32_t module_name(struct tracing *t, const struct jr_xexecution *e)
{
	struct jr_trace *trace = t->trace;
	int64_t number = number_of(t, e);
	struct jr_bytes text = {0};
	char *full = jr_arena_printf(&t->scratch, "%s(%" PRId64 ")", file_text(t, e->module), number);
	text = jr_bytes_of(full, strlen(full));
	uint32_t id = jr_intern_put(&trace->strings, full, text.size);
	uint32_t name = jr_map_get(&t->names, id);
	if (name != JR_NONE)
		return name;
	name = (uint32_t)trace->n_names++;
	trace->names[name] = (struct jr_trace_name){.kind = JR_RANGE_MODULE,
		.text = id,
		.op = jr_intern_puts(&trace->strings, file_text(t, e->module)),
		.program_number = number};
	jr_map_put(&t->names, id, name);
	return name;
}

static uint32_t thunk_name(struct tracing *t, uint32_t label)
{
	struct jr_trace *trace = t->trace;
	if (t->label_name[label])
		return t->label_name[label] - 1;
	uint32_t op = t->p->file.labels[label].op, said = t->p->file.labels[label].said;
	uint32_t name = jr_map_add(&t->thunk_names, jr_key2(op, said), (uint32_t)trace->n_names);
	t->label_name[label] = name + 1;
	if (name < trace->n_names)
		return name;
	trace->n_names++;
	uint32_t text = jr_intern_puts(&trace->strings, file_text(t, op));
	trace->names[name] = (struct jr_trace_name){
		.kind = JR_RANGE_THUNK, .text = text, .op = text, .program_number = -1, .said = said};
	return name;
}

static enum jr_status take_said(struct tracing *t, struct jr_error *err)
{
	const struct jr_xspace *x = &t->p->file;
	struct jr_trace *trace = t->trace;
	if (x->n_said <= 1)
		return JR_OK;
	JR_TRY_ARRAY(trace->said, &trace->arena, x->n_said, err);
	for (size_t i = 0; i < x->n_said; i++) {
		struct jr_said *said = &trace->said[i];
		*said = x->said[i];
		uint32_t *const texts[] = {
			&said->text, &said->category, &said->op_name, &said->source, &said->stack};
		for (size_t k = 0; k < JR_COUNT_OF(texts); k++)
			*texts[k] = *texts[k] ? jr_intern_puts(&trace->strings, file_text(t, *texts[k])) : 0;
	}
	return JR_OK;
}

static void fill(struct tracing *t)
{
	const struct jr_xprofile *p = t->p;
	struct jr_trace *trace = t->trace;
	for (size_t i = 0; i < p->n_executions; i++) {
		const struct jr_xexecution *e = &p->executions[i];
		trace->name[i] = module_name(t, e);
		trace->parent[i] = JR_NONE;
		trace->start_ns[i] = e->start_ns;
		trace->end_ns[i] = e->end_ns;
		trace->device[i] = e->device;
		trace->range_id[i] = (int64_t)i;
		trace->launch_ns[i] = e->launch_ns;
		trace->n_gpu_ops[i] = e->n_ops;
	}
	trace->n = p->n_executions + p->n_thunks;
	for (size_t i = p->n_executions; i < trace->n; i++) {
		trace->name[i] = thunk_name(t, trace->name[i]);
		uint32_t *kernel = trace->nccl_kernel ? &trace->nccl_kernel[i] : NULL;
		if (kernel && *kernel && *kernel != JR_NONE)
			*kernel = jr_intern_puts(&trace->strings, file_text(t, *kernel));
	}
}

/* Return a number above all ids of the file. */
static int64_t first_free_number(const struct jr_xprofile *p)
{
	int64_t most = -1;
	for (size_t i = 0; i < p->n_executions; i++)
		if (p->executions[i].program > most)
			most = p->executions[i].program;
	for (size_t i = 0; i < p->file.n_programs; i++)
		if (p->file.programs[i].id > most)
			most = p->file.programs[i].id;
	return most < INT64_MAX - (INT64_C(1) << 32) ? most + 1 : 0;
}

enum jr_status jr_xprofile_trace(struct jr_xprofile *p, const struct jr_limits *limits,
	struct jr_trace *out, struct jr_error *err)
{
	struct jr_trace trace = {.layout = 'X', .has_tid = true};
	struct tracing t = {.p = p, .trace = &trace, .next_number = first_free_number(p)};
	jr_arena_init(&trace.arena, limits->memory_bytes);
	jr_arena_init(&t.scratch, 0);
	jr_intern_init(&trace.strings);
	t.made = JR_ARENA_N(&t.scratch, int64_t, p->n_executions + 1);
	t.label_name = JR_ARENA_N(&t.scratch, uint32_t, p->file.n_labels + 1);
	size_t n = p->n_executions + p->n_thunks;
	enum jr_status status =
		n >= JR_NONE ? jr_fail(err, JR_ELIMIT, "more than 4294967294 executions and thunks")
					 : take_columns(&t, n, err);
	if (status == JR_OK)
		status = take_said(&t, err);
	if (status == JR_OK)
		fill(&t);
	jr_map_done(&t.names);
	jr_map_done(&t.thunk_names);
	jr_map_done(&t.numbers);
	jr_arena_done(&t.scratch);
	if (status == JR_OK)
		*out = trace;
	else
		jr_trace_done(&trace);
	return status;
}
