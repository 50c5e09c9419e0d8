#include <assert.h>
#include <string.h>

#include "base/cleanup.h"
#include "formats/timeline_build.h"
#include "formats/timeline_rows.h"

void jr_timeline_begin(struct jr_timeline *t, const struct jr_limits *limits)
{
	*t = (struct jr_timeline){0};
	jr_arena_init(&t->arena, limits->memory_bytes);
	for (size_t i = 0; i < JR_COUNT_OF(t->columns); i++)
		jr_arena_init(&t->columns[i], limits->memory_bytes);
	jr_intern_init(&t->strings);
}

/* --- columns ---------------------------------------------------------------------------------- */

struct column {
	void *pointer; /* address of the pointer to the values; any element type */
	size_t size;
};
#define COLUMN(field)                                                                              \
	{                                                                                              \
		&(field), sizeof(*(field))                                                                 \
	}

/* Make room for `room` rows in all columns. n rows are copied; the arena keeps the old arrays. */
static enum jr_status grow(struct jr_arena *arena, const struct column *columns, size_t n_columns,
	size_t n, size_t room, struct jr_error *err)
{
	for (size_t i = 0; i < n_columns; i++) {
		void *grown = jr_arena_array(arena, (uint64_t)room + 1, columns[i].size, err), *before;
		if (!grown)
			return JR_ELIMIT;
		memcpy(&before, columns[i].pointer, sizeof(before));
		jr_copy(grown, before, n * columns[i].size);
		memcpy(columns[i].pointer, &grown, sizeof(grown));
	}
	return JR_OK;
}

enum jr_status jr_timeline_room_gpu(struct jr_timeline *t, size_t room, struct jr_error *err)
{
	struct jr_timeline_gpu *g = &t->gpu;
	const struct column columns[] = {COLUMN(g->start_ns), COLUMN(g->end_ns), COLUMN(g->bytes),
		COLUMN(g->config), COLUMN(g->process), COLUMN(g->device), COLUMN(g->stream),
		COLUMN(g->correlation), COLUMN(g->name), COLUMN(g->kind)};
	return grow(&t->columns[0], columns, JR_COUNT_OF(columns), g->n, room, err);
}

enum jr_status jr_timeline_room_calls(struct jr_timeline *t, size_t room, struct jr_error *err)
{
	struct jr_timeline_calls *c = &t->calls;
	const struct column columns[] = {COLUMN(c->start_ns), COLUMN(c->end_ns), COLUMN(c->thread),
		COLUMN(c->correlation), COLUMN(c->name)};
	return grow(&t->columns[1], columns, JR_COUNT_OF(columns), c->n, room, err);
}

enum jr_status jr_timeline_room_nvtx(struct jr_timeline *t, size_t room, struct jr_error *err)
{
	struct jr_timeline_nvtx *r = &t->nvtx;
	const struct column columns[] = {COLUMN(r->start_ns), COLUMN(r->end_ns), COLUMN(r->thread),
		COLUMN(r->text), COLUMN(r->scope), COLUMN(r->kind)};
	return grow(&t->columns[2], columns, JR_COUNT_OF(columns), r->n, room, err);
}

struct jr_timeline_config jr_timeline_no_config(void)
{
	return (struct jr_timeline_config){.grid = {JR_NONE, JR_NONE, JR_NONE},
		.block = {JR_NONE, JR_NONE, JR_NONE},
		.registers = JR_NONE,
		.static_shared_bytes = JR_NONE,
		.dynamic_shared_bytes = JR_NONE};
}

void jr_timeline_name_kernels(struct jr_timeline *t, const struct jr_map *short_of)
{
	t->short_name = JR_ARENA_N(&t->arena, uint32_t, t->strings.n + 1);
	for (uint32_t id = 0; id < t->strings.n; id++) {
		uint32_t brief = jr_map_get(short_of, id);
		t->short_name[id] = brief == JR_NONE ? 0 : brief;
	}
}

void jr_timeline_done(struct jr_timeline *timeline)
{
	if (!timeline)
		return;
	jr_intern_done(&timeline->strings);
	for (size_t i = 0; i < JR_COUNT_OF(timeline->columns); i++)
		jr_arena_done(&timeline->columns[i]);
	jr_arena_done(&timeline->arena);
	*timeline = (struct jr_timeline){0};
}

void jr_timeline_damaged(struct jr_timeline *t, const char *why)
{
	if (t->n_damaged < JR_TIMELINE_MOST_DAMAGED)
		t->damaged[t->n_damaged++] = jr_intern_puts(&t->strings, why);
}

void jr_timeline_leave_unread(struct jr_timeline *t, uint32_t name, uint64_t n)
{
	size_t at = 0;
	if (n == 0)
		return;
	while (at < t->n_unread && t->unread[at].name != name)
		at++;
	if (at == JR_TIMELINE_MOST_UNREAD) { /* the last entry counts all further names */
		at--;
		t->unread[at].name = jr_intern_puts(&t->strings, "others");
	} else if (at == t->n_unread) {
		t->unread[t->n_unread++] = (struct jr_timeline_unread){.name = name};
	}
	if (__builtin_add_overflow(t->unread[at].n, n, &t->unread[at].n))
		t->unread[at].n = UINT64_MAX;
}

static void assert_times(const int64_t *start_ns, const int64_t *end_ns, size_t n, bool may_be_open)
{
	for (size_t i = 0; i < n; i++) {
		assert(start_ns[i] >= -JR_TIME_MAX_NS && start_ns[i] <= end_ns[i]);
		assert(end_ns[i] <= JR_TIME_MAX_NS || (may_be_open && end_ns[i] == JR_TIMELINE_OPEN));
	}
}

/* Check row numbers that refer to another table; JR_NONE is valid if `may_be_none`. */
static void assert_rows(const uint32_t *rows, size_t n, size_t n_of, bool may_be_none)
{
	for (size_t i = 0; i < n; i++)
		assert(rows[i] < n_of || (may_be_none && rows[i] == JR_NONE));
}

void jr_timeline_assert(const struct jr_timeline *t)
{
	const struct jr_timeline_gpu *g = &t->gpu;
	assert(t->strings.n && t->short_name && t->n_scopes);
	for (size_t i = 0; i < t->n_threads; i++) {
		assert(i == 0 || t->threads[i - 1].id < t->threads[i].id);
		assert(t->threads[i].process < t->n_processes);
	}
	for (size_t i = 1; i < t->n_processes; i++)
		assert(t->processes[i - 1].id < t->processes[i].id);
	assert_rows(t->short_name, t->strings.n, t->strings.n, false);
	assert_times(g->start_ns, g->end_ns, g->n, false);
	assert_rows(g->process, g->n, t->n_processes, true);
	assert_rows(g->name, g->n, t->strings.n, false);
	for (size_t i = 0; i < g->n; i++)
		assert(g->kind[i] != JR_TIMELINE_KERNEL || g->config[i] < t->n_configs);
	assert_times(t->calls.start_ns, t->calls.end_ns, t->calls.n, false);
	assert_rows(t->calls.thread, t->calls.n, t->n_threads, false);
	assert_rows(t->calls.name, t->calls.n, t->strings.n, false);
	assert_times(t->nvtx.start_ns, t->nvtx.end_ns, t->nvtx.n, true);
	assert_rows(t->nvtx.thread, t->nvtx.n, t->n_threads, false);
	assert_rows(t->nvtx.text, t->nvtx.n, t->strings.n, false);
	assert_rows(t->nvtx.scope, t->nvtx.n, t->n_scopes, false);
}
