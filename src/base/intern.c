#include "base/intern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/cleanup.h"
#include "base/text.h"

struct jr_intern_entry {
	const char *text;
	uint32_t len;
	uint32_t hash;
};

/* wyhash-style mix: multiply two 64-bit words and fold the 128-bit product. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 u128;
	u128 product = (u128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t jr_hash(const void *data, size_t n, uint64_t seed)
{
	const uint8_t *p = data;
	uint64_t h = seed ^ UINT64_C(0x9E3779B97F4A7C15) ^ n;
	while (n >= 8) {
		uint64_t word;
		memcpy(&word, p, 8);
		h = mix(h ^ word, UINT64_C(0xD6E8FEB86659FD93));
		p += 8;
		n -= 8;
	}
	uint64_t tail = 0;
	if (n)
		memcpy(&tail, p, n);
	return mix(h ^ tail, UINT64_C(0xA0761D6478BD642F)) ^ h;
}

/* The seed comes from random bytes that the kernel gave this process. It changes the order in hash
 * tables, but no output. A fuzzer needs the same seed in every run to reproduce a crash. */
uint64_t jr_hash_seed(void)
{
	uint64_t drawn = 0;
#ifndef JR_FUZZING
	const unsigned char *random = (const unsigned char *)getauxval(AT_RANDOM); /* 16 bytes */
	if (random)
		memcpy(&drawn, random, sizeof(drawn));
#endif
	return mix(drawn ^ UINT64_C(0x2545F4914F6CDD1D), UINT64_C(0x9E3779B97F4A7C15));
}

void jr_intern_init(struct jr_intern *in)
{
	*in = (struct jr_intern){0};
	jr_arena_init(&in->arena, 0);
	in->n_slots = 1024;
	in->seed = jr_hash_seed();
	in->slots = jr_calloc(in->n_slots, sizeof(*in->slots));
	(void)jr_intern_put(in, "", 0);
}

void jr_intern_done(struct jr_intern *in)
{
	if (!in)
		return;
	jr_arena_done(&in->arena);
	free(in->entries);
	free(in->slots);
	*in = (struct jr_intern){0};
}

void jr_intern_clear(struct jr_intern *in)
{
	for (size_t id = 0; id < in->n; id++) {
		size_t i = in->entries[id].hash & (in->n_slots - 1);
		while ((uint32_t)in->slots[i] != id + 1)
			i = (i + 1) & (in->n_slots - 1);
		in->slots[i] = 0;
	}
	in->n = 0;
	jr_arena_clear(&in->arena);
	(void)jr_intern_put(in, "", 0);
}

static uint32_t id_in(uint64_t slot)
{
	return (uint32_t)slot - 1;
}

static size_t find_slot(const struct jr_intern *in, const char *s, size_t n, uint32_t hash)
{
	size_t mask = in->n_slots - 1;
	size_t i = hash & mask;
	for (; in->slots[i]; i = (i + 1) & mask) {
		if (in->slots[i] >> 32 != hash)
			continue;
		const struct jr_intern_entry *e = &in->entries[id_in(in->slots[i])];
		if (e->len == n && (n == 0 || memcmp(e->text, s, n) == 0))
			break;
	}
	return i;
}

static void grow_slots(struct jr_intern *in)
{
	size_t n_slots = in->n_slots * 2;
	uint64_t *slots = jr_calloc(n_slots, sizeof(*slots));
	for (size_t old = 0; old < in->n_slots; old++) { /* in order of slots: the cache helps */
		size_t i = in->slots[old] >> 32 & (n_slots - 1);
		if (in->slots[old] == 0)
			continue;
		while (slots[i])
			i = (i + 1) & (n_slots - 1);
		slots[i] = in->slots[old];
	}
	free(in->slots);
	in->slots = slots;
	in->n_slots = n_slots;
}

uint32_t jr_intern_put(struct jr_intern *in, const char *s, size_t n)
{
	uint32_t hash = (uint32_t)jr_hash(s, n, in->seed);
	size_t slot = find_slot(in, s, n, hash);
	if (in->slots[slot])
		return id_in(in->slots[slot]);
	if (n > UINT32_MAX || in->n >= UINT32_MAX - 1)
		jr_oom();
	if (in->n == in->capacity) {
		in->capacity = in->capacity ? in->capacity * 2 : 512;
		struct jr_intern_entry *grown = realloc(in->entries, in->capacity * sizeof(*grown));
		if (!grown)
			jr_oom_of(in->capacity * sizeof(*grown));
		in->entries = grown;
	}
	uint32_t id = (uint32_t)in->n++;
	in->entries[id] = (struct jr_intern_entry){
		.text = jr_arena_strndup(&in->arena, s, n), .len = (uint32_t)n, .hash = hash};
	in->slots[slot] = jr_key2(hash, id + 1);
	if (in->n * 2 > in->n_slots)
		grow_slots(in);
	return id;
}

uint32_t jr_intern_puts(struct jr_intern *in, const char *s)
{
	return jr_intern_put(in, s, strlen(s));
}

uint32_t jr_intern_foreign(
	struct jr_intern *in, const char *s, size_t n, uint64_t most, uint64_t *n_cut)
{
	if (n <= most && jr_text_is_clean(s, n))
		return jr_intern_put(in, s, n);
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	jr_text_clean(&clean, s, n > most ? jr_text_prefix(s, n, (size_t)most) : n);
	if (n > most) {
		jr_buf_printf(&clean, "… [%zu bytes, %016" PRIx64 "]", n, jr_hash(s, n, 0));
		(*n_cut)++;
	}
	return jr_intern_put(in, clean.data ? clean.data : "", clean.size);
}

uint32_t jr_intern_find(const struct jr_intern *in, const char *s, size_t n)
{
	size_t slot = find_slot(in, s, n, (uint32_t)jr_hash(s, n, in->seed));
	return in->slots[slot] ? id_in(in->slots[slot]) : JR_NONE;
}

const char *jr_intern_str(const struct jr_intern *in, uint32_t id)
{
	return in->entries[id].text;
}

size_t jr_intern_len(const struct jr_intern *in, uint32_t id)
{
	return in->entries[id].len;
}

void jr_map_done(struct jr_map *map)
{
	if (!map)
		return;
	free(map->keys);
	free(map->values);
	*map = (struct jr_map){0};
}

static size_t map_slot(const struct jr_map *map, uint64_t key)
{
	size_t mask = map->n_slots - 1;
	size_t i = (size_t)mix(key ^ map->seed, map->factor) & mask;
	while (map->values[i] != JR_NONE && map->keys[i] != key)
		i = (i + 1) & mask;
	return i;
}

uint32_t jr_map_get(const struct jr_map *map, uint64_t key)
{
	return map->n_slots ? map->values[map_slot(map, key)] : JR_NONE;
}

static void map_grow(struct jr_map *map)
{
	struct jr_map old = *map;
	map->n_slots = old.n_slots ? old.n_slots * 2 : 64;
	map->seed = old.n_slots ? old.seed : jr_hash_seed();
	map->factor = mix(map->seed, UINT64_C(0xD6E8FEB86659FD93)) | 1;
	map->keys = jr_calloc(map->n_slots, sizeof(*map->keys));
	map->values = jr_calloc(map->n_slots, sizeof(*map->values));
	memset(map->values, 0xFF, map->n_slots * sizeof(*map->values));
	for (size_t i = 0; i < old.n_slots; i++) {
		if (old.values[i] == JR_NONE)
			continue;
		size_t to = map_slot(map, old.keys[i]);
		map->keys[to] = old.keys[i];
		map->values[to] = old.values[i];
	}
	jr_map_done(&old);
}

/* Return the value of the key, JR_NONE in a new slot. */
static uint32_t *map_place(struct jr_map *map, uint64_t key)
{
	if ((map->n + 1) * 2 > map->n_slots)
		map_grow(map);
	size_t i = map_slot(map, key);
	map->n += map->values[i] == JR_NONE;
	map->keys[i] = key;
	return &map->values[i];
}

void jr_map_put(struct jr_map *map, uint64_t key, uint32_t value)
{
	*map_place(map, key) = value;
}

uint32_t jr_map_add(struct jr_map *map, uint64_t key, uint32_t next)
{
	uint32_t *value = map_place(map, key);
	if (*value == JR_NONE)
		*value = next;
	return *value;
}
