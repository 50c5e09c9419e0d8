#include "base/arena.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define RED_ZONE 32
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define RED_ZONE 0
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

#define ALIGN 16
#define FIRST_CHUNK ((size_t)4096)
#define MAX_CHUNK ((size_t)1 << 20)
#define LARGE_BLOCK ((size_t)64 << 10)

struct jr_arena_chunk {
	struct jr_arena_chunk *next;
	size_t size; /* of data */
	size_t used;
	bool is_alone; /* a large block, and nothing else */
	void *owned;   /* a block from outside that is freed with this one; NULL = none */
	_Alignas(ALIGN) unsigned char data[];
};

void jr_arena_init(struct jr_arena *arena, uint64_t limit_bytes)
{
	*arena = (struct jr_arena){.limit_bytes = limit_bytes};
}

static void free_chunks(struct jr_arena_chunk *chunk)
{
	while (chunk) {
		struct jr_arena_chunk *next = chunk->next;
		UNPOISON(chunk->data, chunk->size);
		free(chunk->owned);
		free(chunk);
		chunk = next;
	}
}

void jr_arena_done(struct jr_arena *arena)
{
	if (!arena)
		return;
	free_chunks(arena->head);
	arena->head = NULL;
	arena->used_bytes = 0;
}

void jr_arena_take(struct jr_arena *arena, struct jr_arena *from)
{
	struct jr_arena_chunk **end = &from->head;
	while (*end)
		end = &(*end)->next;
	if (arena->head) { /* which keeps its room */
		*end = arena->head->next;
		arena->head->next = from->head;
	} else {
		arena->head = from->head;
	}
	arena->used_bytes += from->used_bytes;
	from->head = NULL;
	from->used_bytes = 0;
}

void jr_arena_clear(struct jr_arena *arena)
{
	if (!arena->head)
		return;
	free_chunks(arena->head->next);
	arena->head->next = NULL;
	arena->head->used = 0;
	arena->used_bytes = arena->head->size;
	POISON(arena->head->data, arena->head->size);
}

/* Return NULL if there is no memory. The chunk is only zeroed for a large block, which has it
 * alone: calloc() then leaves out pages that are fresh from the system. Small blocks are zeroed
 * when they are handed out. */
static struct jr_arena_chunk *try_chunk(struct jr_arena *arena, size_t size, bool zeroed)
{
	struct jr_arena_chunk *chunk =
		zeroed ? calloc(1, sizeof(*chunk) + size) : malloc(sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->next = NULL;
	chunk->used = 0;
	chunk->is_alone = false;
	chunk->owned = NULL;
	chunk->size = size;
	arena->used_bytes += size;
	return chunk;
}

static struct jr_arena_chunk *new_chunk(struct jr_arena *arena, size_t size, bool zeroed)
{
	struct jr_arena_chunk *chunk = try_chunk(arena, size, zeroed);
	if (!chunk)
		jr_oom_of(size);
	return chunk;
}

static uint64_t room_below_limit(const struct jr_arena *arena)
{
	if (!arena->limit_bytes)
		return UINT64_MAX;
	return arena->used_bytes < arena->limit_bytes ? arena->limit_bytes - arena->used_bytes : 0;
}

/* Chunks grow with the arena, doubling up to 1 MiB. */
static void add_chunk(struct jr_arena *arena, size_t need)
{
	size_t size = arena->head ? arena->head->size * 2 : FIRST_CHUNK;
	if (size > MAX_CHUNK)
		size = MAX_CHUNK;
	if (size > room_below_limit(arena))
		size = (size_t)room_below_limit(arena);
	if (size < need)
		size = need;
	struct jr_arena_chunk *chunk = new_chunk(arena, size, false);
	chunk->next = arena->head;
	arena->head = chunk;
	POISON(chunk->data, size);
}

/* A large block gets its own chunk after the head, so that the room in the head is not lost. */
static void *large_block(
	struct jr_arena *arena, struct jr_arena_chunk *chunk, size_t need, size_t size)
{
	chunk->used = need;
	chunk->is_alone = true;
	chunk->next = arena->head->next;
	arena->head->next = chunk;
	POISON(chunk->data + size, need - size);
	return chunk->data;
}

static size_t padded(size_t size)
{
	if (size > SIZE_MAX / 2)
		jr_oom_of(size);
	return (size + RED_ZONE + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t room_in_head(const struct jr_arena *arena)
{
	return arena->head ? arena->head->size - arena->head->used : 0;
}

void *jr_arena_alloc(struct jr_arena *arena, size_t size)
{
	size_t need = padded(size);
	if (!arena->head)
		add_chunk(arena, need < LARGE_BLOCK ? need : 0);
	if (room_in_head(arena) < need) {
		if (need >= LARGE_BLOCK)
			return large_block(arena, new_chunk(arena, need, true), need, size);
		add_chunk(arena, need);
	}
	void *block = arena->head->data + arena->head->used;
	arena->head->used += need;
	UNPOISON(block, size);
	memset(block, 0, size);
	return block;
}

void *jr_arena_alloc_n(struct jr_arena *arena, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		jr_oom_of(SIZE_MAX);
	return jr_arena_alloc(arena, bytes);
}

void *jr_arena_copy(struct jr_arena *arena, const void *items, size_t n, size_t more, size_t size)
{
	void *all = jr_arena_alloc_n(arena, n + more, size);
	jr_copy(all, items, n * size);
	return all;
}

void *jr_arena_array(struct jr_arena *arena, uint64_t n, size_t size, struct jr_error *err)
{
	uint64_t bytes;
	if (__builtin_mul_overflow(n, (uint64_t)size, &bytes) || bytes > SIZE_MAX / 4) {
		(void)jr_fail(
			err, JR_ELIMIT, "%" PRIu64 " elements of %zu bytes do not fit in memory", n, size);
		return NULL;
	}
	size_t need = padded((size_t)bytes);
	if (need > room_in_head(arena) && need > room_below_limit(arena)) {
		(void)jr_fail(err, JR_ELIMIT,
			"needs %" PRIu64 " bytes in addition to %" PRIu64 ", limit %" PRIu64 " (--max-memory)",
			bytes, arena->used_bytes, arena->limit_bytes);
		return NULL;
	}
	if (!arena->head && need >= LARGE_BLOCK)
		add_chunk(arena, 0);
	if (need < LARGE_BLOCK || room_in_head(arena) >= need)
		return jr_arena_alloc(arena, (size_t)bytes);
	struct jr_arena_chunk *chunk = try_chunk(arena, need, true);
	if (!chunk) {
		(void)jr_no_room(err, bytes);
		return NULL;
	}
	return large_block(arena, chunk, need, (size_t)bytes);
}

void jr_arena_own(struct jr_arena *arena, void *block, size_t size)
{
	if (!arena->head)
		add_chunk(arena, 0);
	struct jr_arena_chunk *chunk = new_chunk(arena, 0, false);
	chunk->owned = block;
	chunk->next = arena->head->next;
	arena->head->next = chunk;
	arena->used_bytes += size;
}

void *jr_arena_shrink(struct jr_arena *arena, void *block, size_t size)
{
	struct jr_arena_chunk **at = &arena->head;
	while (*at && (void *)(*at)->data != block)
		at = &(*at)->next;
	struct jr_arena_chunk *chunk = *at, *next = chunk ? chunk->next : NULL;
	size_t need = padded(size);
	if (!chunk || !chunk->is_alone || need >= chunk->size)
		return block;
	arena->used_bytes -= chunk->size - (size ? need : 0);
	UNPOISON(chunk->data, chunk->size);
	if (!size) {
		free(chunk);
		*at = next;
		return NULL;
	}
	struct jr_arena_chunk *smaller = realloc(chunk, sizeof(*chunk) + need);
	*at = smaller ? smaller : chunk; /* which stays as long as it was */
	(*at)->size = (*at)->used = need;
	POISON((*at)->data + size, need - size);
	return (*at)->data;
}

char *jr_arena_strndup(struct jr_arena *arena, const char *s, size_t n)
{
	char *copy = jr_arena_alloc(arena, n + 1);
	if (n)
		memcpy(copy, s, n);
	return copy;
}

char *jr_arena_strdup(struct jr_arena *arena, const char *s)
{
	return jr_arena_strndup(arena, s, strlen(s));
}

char *jr_arena_printf(struct jr_arena *arena, const char *fmt, ...)
{
	char usual[256]; /* so that most texts are made once */
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(usual, sizeof(usual), fmt, args);
	va_end(args);
	if (n < 0) /* more than INT_MAX bytes: without this, text would be missing */
		jr_oom_of((size_t)INT_MAX + 1);
	char *text = jr_arena_alloc(arena, (size_t)n + 1);
	if ((size_t)n < sizeof(usual))
		memcpy(text, usual, (size_t)n);
	else
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	return text;
}
