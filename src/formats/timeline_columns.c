#include "formats/timeline_build.h"

#include <string.h>

#include "base/cleanup.h"

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
