/*
 * arena.h - bump allocator: everything in it is freed at once.
 * Layer: base.  Owner: the caller of jr_arena_init().  Thread use: one thread at a time.
 *
 * Three lifetimes (src/README.md): profile, result, scratch.  Pointers go from shorter-lived to
 * longer-lived arenas, never back.  Under ASan each block is followed by a poisoned red zone.
 */
#ifndef JR_BASE_ARENA_H
#define JR_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h" /* for the release by scope */
#include "base/error.h"

struct jr_arena_chunk;

struct jr_arena {
	struct jr_arena_chunk *head;
	uint64_t used_bytes;  /* sum of all chunks from malloc */
	uint64_t limit_bytes; /* 0 = none; see jr_arena_array() */
};

/** Initialize an empty arena; it takes no memory until first use. `limit_bytes` 0 = no limit. */
void jr_arena_init(struct jr_arena *arena, uint64_t limit_bytes);
/** Free everything. Accepts NULL; the arena may be initialized again. */
void jr_arena_done(struct jr_arena *arena);
/** Move all blocks of `from`, which is empty afterwards; they keep their addresses. O(chunks). */
void jr_arena_take(struct jr_arena *arena, struct jr_arena *from);
/** Empty the arena for reuse: free all chunks but the newest. */
void jr_arena_clear(struct jr_arena *arena);

/** Allocate a zeroed block, 16-byte aligned, of a size that no input sets. Never fails
 * (jr_oom()). */
void *jr_arena_alloc(struct jr_arena *arena, size_t size);
/** Allocate `n` zeroed elements, as jr_arena_alloc(). An overflow of n * size ends in
 * jr_oom_of(). */
void *jr_arena_alloc_n(struct jr_arena *arena, size_t n, size_t size);
/**
 * Allocate a zeroed array of `n` elements whose count comes from an input.
 * @return NULL with `err` set: JR_ELIMIT if n * size overflows, the arena's limit is exceeded, or
 *         malloc() fails
 */
void *jr_arena_array(struct jr_arena *arena, uint64_t n, size_t size, struct jr_error *err)
	JR_MUST_CHECK;
/** Take over a block of `size` bytes from malloc(), which is freed with the arena. */
void jr_arena_own(struct jr_arena *arena, void *block, size_t size);
/**
 * Give back what a block of 64 KiB or more has beyond `size` bytes; 0 frees it.
 * @return its address, which may change. A smaller block stays as it is. O(chunks)
 */
void *jr_arena_shrink(struct jr_arena *arena, void *block, size_t size);
/** Allocate room for n + more elements, zeroed after the copies of n. As jr_arena_alloc_n().
 * `items` may be NULL if n is 0. */
void *jr_arena_copy(struct jr_arena *arena, const void *items, size_t n, size_t more, size_t size);
/** Copy n bytes and add a NUL. */
char *jr_arena_strndup(struct jr_arena *arena, const char *s, size_t n);
char *jr_arena_strdup(struct jr_arena *arena, const char *s);
char *jr_arena_printf(struct jr_arena *arena, const char *fmt, ...) JR_PRINTF(2, 3);

#define JR_ARENA_NEW(arena, T) ((T *)jr_arena_alloc((arena), sizeof(T)))
#define JR_ARENA_N(arena, T, n) ((T *)jr_arena_alloc_n((arena), (size_t)(n), sizeof(T)))
#define JR_ARENA_COPY(arena, items, n, more)                                                       \
	jr_arena_copy((arena), (items), (n), (more), sizeof(*(items)))

/* Set a pointer to a zeroed array, or several pointers to arrays of T, as jr_arena_array(); return
 * JR_ELIMIT if that fails. */
#define JR_TRY_ARRAY(pointer, arena, n, err)                                                       \
	do {                                                                                           \
		(pointer) = jr_arena_array((arena), (n), sizeof(*(pointer)), (err));                       \
		if (!(pointer))                                                                            \
			return JR_ELIMIT;                                                                      \
	} while (0)
#define JR_TRY_ARRAYS(T, arena, n, err, ...)                                                       \
	do {                                                                                           \
		T **const jr_pointers_[] = {__VA_ARGS__};                                                  \
		for (size_t jr_i_ = 0; jr_i_ < JR_COUNT_OF(jr_pointers_); jr_i_++)                         \
			JR_TRY_ARRAY(*jr_pointers_[jr_i_], (arena), (n), (err));                               \
	} while (0)

/** As memcpy(), but both may be NULL if n is 0. */
static inline void jr_copy(void *to, const void *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
}

#endif
