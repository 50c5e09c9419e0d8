/*
 * arena.h - bump allocator: everything in it is freed at once.
 * Layer: base.  Owner: whoever called jr_arena_init().  Thread use: one thread at a time.
 *
 * Three lifetimes (src/README.md): profile, result, scratch.  Pointers go from shorter-lived to
 * longer-lived arenas, never back.  Under ASan each block has a poisoned red zone behind it.
 */
#ifndef JR_BASE_ARENA_H
#define JR_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct jr_arena_chunk;

struct jr_arena {
	struct jr_arena_chunk *head;
	uint64_t used_bytes;  /* sum of all chunks taken from malloc */
	uint64_t limit_bytes; /* 0 = none; see jr_arena_array() */
};

/** Empty arena; takes no memory until first use. `limit_bytes` 0 = no limit. */
void jr_arena_init(struct jr_arena *arena, uint64_t limit_bytes);
/** Free all. NULL-safe; the arena may be initialised again. */
void jr_arena_done(struct jr_arena *arena);
/** Empty it for reuse: frees all chunks but the newest. */
void jr_arena_clear(struct jr_arena *arena);

/** Zeroed block, 16-byte aligned. For sizes that are ours: never fails (jr_oom()). */
void *jr_arena_alloc(struct jr_arena *arena, size_t size);
/** The same for n elements; a product that overflows is memory that there is not. */
void *jr_arena_alloc_n(struct jr_arena *arena, size_t n, size_t size);
/**
 * Zeroed array of `n` elements whose count comes from an input.
 * @return NULL with `err` set: JR_ELIMIT where n * size overflows, the arena's limit is passed, or
 *         the memory cannot be had
 */
void *jr_arena_array(struct jr_arena *arena, uint64_t n, size_t size, struct jr_error *err)
	JR_MUST_CHECK;
/** Copy of n bytes and a NUL behind them. */
char *jr_arena_strndup(struct jr_arena *arena, const char *s, size_t n);
char *jr_arena_strdup(struct jr_arena *arena, const char *s);
char *jr_arena_printf(struct jr_arena *arena, const char *fmt, ...) JR_PRINTF(2, 3);

#define JR_ARENA_NEW(arena, T) ((T *)jr_arena_alloc((arena), sizeof(T)))
#define JR_ARENA_N(arena, T, n) ((T *)jr_arena_alloc_n((arena), (size_t)(n), sizeof(T)))

#endif
