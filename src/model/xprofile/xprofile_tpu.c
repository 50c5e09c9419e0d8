/* Executions and thunks that devices (TPUs) record themselves. Instructions nest, like a while loop
 * around its body. Each instruction gets the times not covered by nested ones. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/vec.h"
#include "model/build/build.h"
#include "model/xprofile/xprofile.h"

/* A piece of an instruction; these become thunks. */
struct piece {
	int64_t start_ns, end_ns;
	uint32_t execution, device, label; /* as in struct jr_xthunks */
};

struct runs {
	struct jr_xprofile *p;
	JR_VEC(struct piece) thunks;
	struct jr_arena scratch;
};

static uint32_t row_of_device(const struct jr_export *x, uint32_t id)
{
	for (uint32_t i = 0; i < x->n_devices; i++)
		if (x->devices[i].id == id)
			return i;
	return JR_NONE;
}

/* By device (id) and start; outer ones first. */
JR_ORDER(
	compare_runs, struct jr_xspace_run, JR_UP(device) JR_UP(start_ns) JR_DOWN(end_ns) JR_UP(label))

/* Rows that compare equal are equal in all used fields, so a stable sort is not needed. */
static void sort_runs(struct jr_xspace_run *runs, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (compare_runs(&runs[i - 1], &runs[i]) > 0) {
			jr_sort(runs, n, sizeof(*runs), compare_runs);
			return;
		}
	}
}

static void see_device(struct jr_export *x, uint32_t id)
{
	if (row_of_device(x, id) == JR_NONE)
		x->devices[x->n_devices++] =
			(struct jr_export_device){.id = id, .number = id, .gpu = JR_NONE, .row = JR_NONE};
}

/* List devices by id, the sort key of their runs. They are few: one per plane. */
static void list_devices(struct jr_xprofile *p)
{
	struct jr_export *x = &p->export;
	const struct jr_xspace *file = &p->file;
	x->devices = JR_ARENA_COPY(&x->arena, x->devices, x->n_devices, x->rows.n_gpus + 1);
	uint32_t last = JR_NONE;
	for (size_t i = 0; i < file->n_modules; i++)
		if (file->modules[i].device != last)
			see_device(x, last = file->modules[i].device);
	last = JR_NONE;
	for (size_t i = 0; i < file->n_ops; i++)
		if (file->ops[i].device != last)
			see_device(x, last = file->ops[i].device);
}

/* Extend the capture by the times that devices recorded. */
static void widen_span(struct jr_xprofile *p)
{
	struct jr_export *x = &p->export;
	const struct jr_timeline *rows = &x->rows;
	bool any = rows->gpu.n + rows->calls.n + rows->nvtx.n > 0;
	const struct jr_xspace_run *lists[] = {p->file.modules, p->file.ops};
	const size_t counts[] = {p->file.n_modules, p->file.n_ops};
	for (size_t k = 0; k < JR_COUNT_OF(lists); k++)
		for (size_t i = 0; i < counts[k]; i++, any = true) {
			const struct jr_xspace_run *run = &lists[k][i];
			x->first_ns = !any || run->start_ns < x->first_ns ? run->start_ns : x->first_ns;
			x->last_ns = !any || run->end_ns > x->last_ns ? run->end_ns : x->last_ns;
		}
}

static void add_executions(struct runs *r)
{
	struct jr_xprofile *p = r->p;
	for (size_t i = 0; i < p->file.n_modules; i++) {
		const struct jr_xspace_run *run = &p->file.modules[i];
		const struct jr_xspace_label *label = &p->file.labels[run->label];
		p->executions[p->n_executions++] = (struct jr_xexecution){.start_ns = run->start_ns,
			.end_ns = run->end_ns,
			.device = row_of_device(&p->export, run->device),
			.module = label->module,
			.program = label->program,
			.launch_ns = INT64_MAX};
	}
}

/* Return the execution of a device, from `from` on, that contains a time. They do not overlap. */
static uint32_t execution_at(
	const struct jr_xprofile *p, uint32_t device, int64_t t_ns, size_t *from)
{
	const struct jr_xexecution *e = p->executions;
	while (*from < p->n_executions &&
		   (e[*from].device < device || (e[*from].device == device && e[*from].end_ns <= t_ns)))
		(*from)++;
	return *from < p->n_executions && e[*from].device == device && e[*from].start_ns <= t_ns
			   ? (uint32_t)*from
			   : JR_NONE;
}

static void add_piece(struct runs *r, const struct jr_xspace_run *run, uint32_t execution,
	uint32_t device, int64_t start_ns, int64_t end_ns)
{
	*jr_vec_add(&r->thunks) = (struct piece){.start_ns = start_ns,
		.end_ns = end_ns,
		.execution = execution,
		.device = device,
		.label = run->label};
	if (execution != JR_NONE)
		r->p->executions[execution].n_ops++;
}

struct open_run {
	const struct jr_xspace_run *run;
	int64_t told_ns; /* end of its self time assigned so far */
	uint32_t n_pieces;
};

/* State of one device. The stack has the open instructions; time is assigned to its top. */
struct nesting {
	struct runs *r;
	struct open_run *stack;
	size_t depth, from;
	uint32_t device;
};

static void give(struct nesting *n, int64_t until_ns)
{
	struct open_run *top = &n->stack[n->depth - 1];
	if (until_ns <= top->told_ns)
		return;
	uint32_t execution = execution_at(n->r->p, n->device, top->told_ns, &n->from);
	add_piece(n->r, top->run, execution, n->device, top->told_ns, until_ns);
	n->r->p->n_pieces += top->n_pieces > 0;
	top->n_pieces++;
	top->told_ns = until_ns;
}

static void close_until(struct nesting *n, int64_t t_ns)
{
	while (n->depth && n->stack[n->depth - 1].run->end_ns <= t_ns) {
		struct open_run *top = &n->stack[n->depth - 1];
		int64_t end_ns = top->run->end_ns;
		give(n, end_ns);
		if (top->n_pieces == 0 && top->run->end_ns == top->run->start_ns) /* zero length */
			add_piece(n->r, top->run, execution_at(n->r->p, n->device, end_ns, &n->from), n->device,
				end_ns, end_ns);
		n->depth--;
		if (n->depth && n->stack[n->depth - 1].told_ns < end_ns)
			n->stack[n->depth - 1].told_ns = end_ns;
	}
}

static void open(struct nesting *n, const struct jr_xspace_run *run)
{
	close_until(n, run->start_ns);
	if (n->depth)
		give(n, run->start_ns);
	n->stack[n->depth++] = (struct open_run){.run = run, .told_ns = run->start_ns};
}

static void add_thunks(struct runs *r)
{
	const struct jr_xspace *x = &r->p->file;
	struct nesting n = {.r = r, .device = JR_NONE};
	n.stack = JR_ARENA_N(&r->scratch, struct open_run, x->n_ops + 1);
	for (size_t i = 0; i < x->n_ops; i++) {
		uint32_t device = row_of_device(&r->p->export, x->ops[i].device);
		if (device != n.device) {
			close_until(&n, INT64_MAX);
			n.depth = 0;
			n.from = 0;
			n.device = device;
		}
		open(&n, &x->ops[i]);
	}
	close_until(&n, INT64_MAX);
}

/* --- asynchronous collectives ----------------------------------------------------------------- */

static const char *file_text(const struct jr_xprofile *p, uint32_t id)
{
	return jr_intern_str(&p->export.rows.strings, id);
}

/* The part of a collective that a thunk is, by its name and statements; determined once each. */
struct part {
	enum jr_collective_part part;
	uint32_t start; /* for a -done: str of its -start; JR_NONE = not in the file */
};

static struct part part_of(const struct jr_xprofile *p, const struct jr_xspace_label *label)
{
	const struct jr_said *said = &p->file.said[label->said];
	const struct jr_intern *strings = &p->export.rows.strings;
	const char *name = file_text(p, label->op), *done = strstr(name, "-done");
	struct jr_bytes start;
	struct part part = {.start = JR_NONE};
	part.part =
		jr_collective_part_of(file_text(p, said->text), file_text(p, said->category), name, &start);
	if (part.part != JR_COLLECTIVE_DONE)
		return part;
	if (start.size)
		part.start = jr_intern_find(strings, (const char *)start.data, start.size);
	if (part.start == JR_NONE && done) { /* not stated: use the matching name */
		JR_CLEANUP(jr_buf_done) struct jr_buf twin = {0};
		jr_buf_add(&twin, name, (size_t)(done - name));
		jr_buf_printf(&twin, "-start%s", done + strlen("-done"));
		part.start = jr_intern_find(strings, twin.data, twin.size);
	}
	return part;
}

/* Join a collective into one thunk from its -start to the end of its -done, as on GPUs. Compute in
 * between overlaps it. */
static void join_collectives(struct runs *r)
{
	struct jr_map parts = {0}, started = {0};
	JR_VEC(struct part) known = {0};
	size_t kept = 0;
	for (size_t i = 0; i < r->thunks.n; i++) {
		const struct piece *thunk = &r->thunks.items[i];
		const struct jr_xspace_label *label = &r->p->file.labels[thunk->label];
		uint64_t key = jr_key2(label->op, label->said);
		uint32_t row = jr_map_get(&parts, key);
		if (row == JR_NONE) {
			row = (uint32_t)known.n;
			*jr_vec_add(&known) = part_of(r->p, label);
			jr_map_put(&parts, key, row);
		}
		assert(row < known.n);
		const struct part *part = &known.items[row];
		uint32_t start = part->part == JR_COLLECTIVE_DONE && part->start != JR_NONE
							 ? jr_map_get(&started, jr_key2(thunk->device, part->start))
							 : JR_NONE;
		if (start != JR_NONE && r->thunks.items[start].execution == thunk->execution &&
			r->thunks.items[start].end_ns <= thunk->start_ns) {
			r->thunks.items[start].end_ns = thunk->end_ns;
			if (thunk->execution != JR_NONE)
				r->p->executions[thunk->execution].n_ops--;
			continue;
		}
		if (part->part == JR_COLLECTIVE_START)
			jr_map_put(&started, jr_key2(thunk->device, label->op), (uint32_t)kept);
		r->thunks.items[kept++] = *thunk;
	}
	r->thunks.n = kept;
	jr_map_done(&parts);
	jr_map_done(&started);
	jr_vec_done(&known);
}

enum jr_status jr_xprofile_place_runs(struct jr_xprofile *p, struct jr_error *err)
{
	struct jr_xspace *x = &p->file;
	sort_runs(x->modules, x->n_modules);
	sort_runs(x->ops, x->n_ops);
	list_devices(p);
	widen_span(p);
	JR_TRY_ARRAY(p->executions, &p->export.arena, x->n_modules + 1, err);
	struct runs r = {.p = p};
	jr_arena_init(&r.scratch, 0);
	add_executions(&r);
	add_thunks(&r);
	join_collectives(&r);
	enum jr_status status = jr_xprofile_room(p, r.thunks.n, err);
	for (size_t i = 0; status == JR_OK && i < r.thunks.n; i++) {
		const struct piece *thunk = &r.thunks.items[i];
		p->thunks.start_ns[i] = thunk->start_ns;
		p->thunks.end_ns[i] = thunk->end_ns;
		p->thunks.execution[i] = thunk->execution;
		p->thunks.device[i] = thunk->device;
		p->thunks.label[i] = thunk->label;
	}
	p->n_thunks = status == JR_OK ? r.thunks.n : 0;
	p->method = JR_XMETHOD_DEVICE;
	jr_vec_done(&r.thunks);
	jr_arena_done(&r.scratch);
	return status;
}
