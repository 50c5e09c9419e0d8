/* Build a timeline row by row, for readers that do not know the number of rows beforehand. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/sort.h"
#include "formats/timeline_build.h"

#define THREAD_BITS 24

void jr_timeline_build(struct jr_timeline_builder *b, const struct jr_limits *limits)
{
	*b = (struct jr_timeline_builder){.limits = limits};
	struct jr_timeline *t = &b->timeline;
	jr_timeline_begin(t, limits);
	t->scopes = JR_ARENA_N(&t->arena, struct jr_timeline_scope, 1);
	t->configs = JR_ARENA_N(&t->arena, struct jr_timeline_config, 1);
	t->n_scopes = t->n_configs = 1;
	*t->configs = jr_timeline_no_config();
	t->has_nvtx = t->has_calls = t->has_gpu = true;
}

uint32_t jr_timeline_text(struct jr_timeline_builder *b, const char *text, size_t n)
{
	struct jr_timeline *t = &b->timeline;
	return jr_intern_foreign(&t->strings, text, n, jr_limits_name(b->limits), &t->n_long_texts);
}

uint32_t jr_timeline_add_thread(struct jr_timeline_builder *b, int64_t pid, int64_t tid)
{
	const uint64_t mask = (UINT64_C(1) << THREAD_BITS) - 1;
	int64_t process = (int64_t)(((uint64_t)pid & mask) << THREAD_BITS);
	int64_t id = process | (int64_t)((uint64_t)tid & mask);
	size_t row = 0, of = 0;
	while (row < b->threads.n && b->threads.items[row].id != id)
		row++;
	if (row < b->threads.n)
		return (uint32_t)row;
	while (of < b->processes.n && b->processes.items[of].id != process)
		of++;
	if (of == b->processes.n)
		*jr_vec_add(&b->processes) = (struct jr_timeline_process){.id = process, .pid = pid};
	*jr_vec_add(&b->threads) =
		(struct jr_timeline_thread){.id = id, .tid = tid, .process = (uint32_t)of};
	return (uint32_t)row;
}

typedef enum jr_status (*room_fn)(struct jr_timeline *, size_t, struct jr_error *);

/* Check the times of a row. If the row is kept, make room for it in its table. */
static enum jr_status begin_row(struct jr_timeline_builder *b, int64_t start_ns, int64_t end_ns,
	size_t n, size_t *room, room_fn make_room, bool *kept, struct jr_error *err)
{
	*kept = start_ns >= -JR_TIME_MAX_NS && start_ns <= end_ns && end_ns <= JR_TIME_MAX_NS;
	b->timeline.n_bad_rows += !*kept;
	if (!*kept)
		return JR_OK;
	if (n >= b->limits->rows)
		return jr_fail(
			err, JR_ELIMIT, "more than %" PRIu64 " events (--max-rows)", b->limits->rows);
	if (__builtin_add_overflow(b->total_ns, end_ns - start_ns, &b->total_ns))
		return jr_fail(err, JR_EFORMAT, "durations add up to more than fits in 64 bits");
	if (n < *room)
		return JR_OK;
	*room = n ? 2 * n : 64;
	return make_room(&b->timeline, *room, err);
}

enum jr_status jr_timeline_add_op(
	struct jr_timeline_builder *b, const struct jr_timeline_op *op, struct jr_error *err)
{
	struct jr_timeline_gpu *g = &b->timeline.gpu;
	bool kept;
	JR_TRY(begin_row(
		b, op->start_ns, op->end_ns, g->n, &b->gpu_room, jr_timeline_room_gpu, &kept, err));
	if (!kept)
		return JR_OK;
	size_t i =
		jr_timeline_put_op(g, op->device, op->stream, op->start_ns, op->end_ns, op->correlation);
	g->bytes[i] = op->bytes;
	g->process[i] = b->threads.items[op->thread].process;
	g->name[i] = op->name;
	g->kind[i] = (uint8_t)op->kind;
	if (op->short_name)
		jr_map_put(&b->short_of, op->name, op->short_name);
	return JR_OK;
}

enum jr_status jr_timeline_add_call(struct jr_timeline_builder *b, uint32_t thread,
	int64_t start_ns, int64_t end_ns, uint32_t correlation, uint32_t name, struct jr_error *err)
{
	struct jr_timeline_calls *c = &b->timeline.calls;
	bool kept;
	JR_TRY(
		begin_row(b, start_ns, end_ns, c->n, &b->calls_room, jr_timeline_room_calls, &kept, err));
	if (kept)
		jr_timeline_put_call(c, thread, start_ns, end_ns, correlation, name);
	return JR_OK;
}

enum jr_status jr_timeline_add_range(struct jr_timeline_builder *b, uint32_t thread,
	int64_t start_ns, int64_t end_ns, uint32_t text, struct jr_error *err)
{
	struct jr_timeline_nvtx *r = &b->timeline.nvtx;
	bool kept;
	JR_TRY(begin_row(b, start_ns, end_ns, r->n, &b->nvtx_room, jr_timeline_room_nvtx, &kept, err));
	if (kept)
		jr_timeline_put_range(r, thread, start_ns, end_ns, text);
	return JR_OK;
}

JR_ORDER(compare_threads, struct jr_timeline_thread, JR_UP(id))

JR_ORDER(compare_processes, struct jr_timeline_process, JR_UP(id))

/* Replace row numbers in order of addition by row numbers in order of id; `place` maps them. */
static void renumber(uint32_t *rows, size_t n, const uint32_t *place)
{
	for (size_t i = 0; i < n; i++)
		rows[i] = place[rows[i]];
}

static void sort_processes(struct jr_timeline_builder *b, struct jr_arena *scratch)
{
	struct jr_timeline *t = &b->timeline;
	size_t n = t->n_processes = b->processes.n;
	uint32_t *place = JR_ARENA_N(scratch, uint32_t, n + 1);
	t->processes = JR_ARENA_N(&t->arena, struct jr_timeline_process, n + 1);
	for (size_t i = 0; i < n; i++)
		t->processes[i] = b->processes.items[i];
	jr_sort(t->processes, n, sizeof(*t->processes), compare_processes);
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			if (t->processes[k].id == b->processes.items[i].id)
				place[i] = k;
	renumber(t->gpu.process, t->gpu.n, place);
	for (size_t i = 0; i < b->threads.n; i++)
		b->threads.items[i].process = place[b->threads.items[i].process];
}

static void sort_threads(struct jr_timeline_builder *b, struct jr_arena *scratch)
{
	struct jr_timeline *t = &b->timeline;
	size_t n = t->n_threads = b->threads.n;
	uint32_t *place = JR_ARENA_N(scratch, uint32_t, n + 1);
	t->threads = JR_ARENA_N(&t->arena, struct jr_timeline_thread, n + 1);
	for (size_t i = 0; i < n; i++)
		t->threads[i] = b->threads.items[i];
	jr_sort(t->threads, n, sizeof(*t->threads), compare_threads);
	for (size_t i = 0; i < n; i++) {
		const struct jr_timeline_thread *found =
			bsearch(&b->threads.items[i], t->threads, n, sizeof(*t->threads), compare_threads);
		place[i] = (uint32_t)(found - t->threads);
	}
	renumber(t->calls.thread, t->calls.n, place);
	renumber(t->nvtx.thread, t->nvtx.n, place);
}

void jr_timeline_finish(struct jr_timeline_builder *b, struct jr_timeline *out)
{
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	sort_processes(b, &scratch);
	sort_threads(b, &scratch);
	jr_timeline_name_kernels(&b->timeline, &b->short_of);
	jr_arena_done(&scratch);
	*out = b->timeline;
	b->timeline = (struct jr_timeline){0};
	jr_timeline_abandon(b);
}

void jr_timeline_abandon(struct jr_timeline_builder *b)
{
	jr_timeline_done(&b->timeline);
	jr_vec_done(&b->threads);
	jr_vec_done(&b->processes);
	jr_map_done(&b->short_of);
}
