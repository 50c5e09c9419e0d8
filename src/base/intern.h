/*
 * intern.h - strings to dense u32 ids and back; and a map of u64 keys to u32 values.
 * Layer: base.  Thread use: one thread at a time.
 */
#ifndef JR_BASE_INTERN_H
#define JR_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define JR_NONE UINT32_MAX /* no id, no row */

/* Ids are dense, in order of first sight; id 0 is always "". Strings live as long as the table. */
struct jr_intern {
	struct jr_arena arena;
	struct jr_intern_entry *entries;
	size_t n, capacity;
	uint32_t *slots;
	size_t n_slots; /* a power of two */
	uint64_t seed;  /* of this run: no file can be made so that its texts all collide */
};

void jr_intern_init(struct jr_intern *in);
void jr_intern_done(struct jr_intern *in);
/** Id of the string, given a new one at first sight. O(n) of its length. */
uint32_t jr_intern_put(struct jr_intern *in, const char *s, size_t n);
uint32_t jr_intern_puts(struct jr_intern *in, const char *s);
/**
 * Intern a text of an input: made clean (jr_text_clean()), and cut beyond `most` bytes. What is cut
 * ends in its length and a hash, so that names that differ anywhere stay different.
 *
 * @param most   jr_limits_name() for what rows refer to; limits->string_bytes for single texts
 * @param n_cut  incremented where the text was cut
 * @return id of the text. O(n).
 */
uint32_t jr_intern_foreign(
	struct jr_intern *in, const char *s, size_t n, uint64_t most, uint64_t *n_cut);
/** JR_NONE where the string was never put. */
uint32_t jr_intern_find(const struct jr_intern *in, const char *s, size_t n);
/** NUL-terminated text of an id below in->n. */
const char *jr_intern_str(const struct jr_intern *in, uint32_t id);
size_t jr_intern_len(const struct jr_intern *in, uint32_t id);

/* u64 -> u32, open addressing. Zero-initialise. Iteration is deliberately not offered: hash order
 * must not reach any output. */
struct jr_map {
	uint64_t *keys;
	uint32_t *values; /* JR_NONE = empty slot */
	size_t n, n_slots;
	uint64_t seed, factor; /* of this run, as of jr_intern */
};

void jr_map_done(struct jr_map *map);
/** Value of `key`, or JR_NONE. */
uint32_t jr_map_get(const struct jr_map *map, uint64_t key);
/** Set (`value` < JR_NONE). */
void jr_map_put(struct jr_map *map, uint64_t key, uint32_t value);

/** The same in every run. Whoever knows the seed can make bytes of equal hash at will: a table that
 * an input fills takes jr_hash_seed(). */
uint64_t jr_hash(const void *data, size_t n, uint64_t seed);
/** A seed that no input knows, the same all through this run. */
uint64_t jr_hash_seed(void);
static inline uint64_t jr_key2(uint32_t hi, uint32_t lo)
{
	return (uint64_t)hi << 32 | lo;
}

#endif
