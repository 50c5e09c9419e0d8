/*
 * intern.h - map strings to dense u32 ids and back; map u64 keys to u32 values.
 * Layer: base.  Thread use: one thread at a time.
 */
#ifndef JR_BASE_INTERN_H
#define JR_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h" /* for the release by scope */
#include "base/arena.h"

#define JR_NONE UINT32_MAX /* no id, no row */

/* Ids are dense, in order of first use; id 0 is always "". Strings live as long as the table. */
struct jr_intern {
	struct jr_arena arena;
	struct jr_intern_entry *entries;
	size_t n, capacity;
	uint64_t *slots; /* hash and id + 1, so that few look-ups touch an entry; 0 = empty */
	size_t n_slots;  /* a power of two */
	uint64_t seed;   /* differs per run, so that no file can be made whose texts all collide */
};

void jr_intern_init(struct jr_intern *in);
void jr_intern_done(struct jr_intern *in);
/** Forget all strings but "", and keep the memory. O(n) of the strings. */
void jr_intern_clear(struct jr_intern *in);
/** Return the id of a string; a new string gets a new id. O(n) of its length. */
uint32_t jr_intern_put(struct jr_intern *in, const char *s, size_t n);
uint32_t jr_intern_puts(struct jr_intern *in, const char *s);
/**
 * Intern a text from an input: clean it (jr_text_clean()) and cut it after `most` bytes. A cut text
 * ends in its length and a hash, so that different names stay different.
 *
 * @param most   jr_limits_name() for texts that rows refer to; limits->string_bytes for single
 *               texts
 * @param n_cut  incremented if the text was cut
 * @return id of the text. O(n).
 */
uint32_t jr_intern_foreign(
	struct jr_intern *in, const char *s, size_t n, uint64_t most, uint64_t *n_cut);
/** Return the id of a string, or JR_NONE if it was never interned. */
uint32_t jr_intern_find(const struct jr_intern *in, const char *s, size_t n);
/** Return the NUL-terminated text of an id below in->n. */
const char *jr_intern_str(const struct jr_intern *in, uint32_t id);
size_t jr_intern_len(const struct jr_intern *in, uint32_t id);

/* u64 -> u32, open addressing. Zero-initialize it. There is no iteration, because hash order must
 * not reach any output. */
struct jr_map {
	uint64_t *keys;
	uint32_t *values; /* JR_NONE = empty slot */
	size_t n, n_slots;
	uint64_t seed, factor; /* differ per run, as in jr_intern */
};

void jr_map_done(struct jr_map *map);
/** Return the value of `key`, or JR_NONE. */
uint32_t jr_map_get(const struct jr_map *map, uint64_t key);
/** Set the value of `key`; `value` < JR_NONE. */
void jr_map_put(struct jr_map *map, uint64_t key, uint32_t value);
/** Return the value of `key`, which becomes `next` if it had none. */
uint32_t jr_map_add(struct jr_map *map, uint64_t key, uint32_t next);

/** Hash n bytes; the same result in every run. With a known seed one can make bytes of equal hash,
 * so tables that an input fills use jr_hash_seed(). */
uint64_t jr_hash(const void *data, size_t n, uint64_t seed);
/** Return a seed that no input can know. It stays the same during this run. */
uint64_t jr_hash_seed(void);
static inline uint64_t jr_key2(uint32_t hi, uint32_t lo)
{
	return (uint64_t)hi << 32 | lo;
}

#endif
