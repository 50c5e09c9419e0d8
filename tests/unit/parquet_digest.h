/*
 * parquet_digest.h - shared by the tests over real Parquet files: open one, read it, and compare
 * all of its values with one number.
 */
#ifndef JR_TESTS_PARQUET_DIGEST_H
#define JR_TESTS_PARQUET_DIGEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/file.h"
#include "formats/parquet/parquet.h"

struct fixture {
	struct jr_file_map map;
	struct jr_arena arena;
	struct jr_parquet pq;
	struct jr_parquet_values values;
	struct jr_error err;
};

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	*state = f;
	return f ? 0 : -1;
}

static inline void close_file(struct fixture *f)
{
	jr_arena_done(&f->arena);
	jr_file_unmap(&f->map);
	memset(f, 0, sizeof(*f));
}

static inline int teardown(void **state)
{
	close_file(*state);
	free(*state);
	return 0;
}

static inline enum jr_status open_bytes(struct fixture *f, struct jr_bytes bytes)
{
	struct jr_limits limits = jr_limits_default();
	jr_arena_init(&f->arena, 0);
	return jr_parquet_open(bytes, &limits, &f->arena, &f->pq, &f->err);
}

static inline enum jr_status open_path(struct fixture *f, const char *path)
{
	close_file(f);
	if (jr_file_map(path, &f->map, &f->err) != JR_OK)
		fail_msg("%s", f->err.message);
	return open_bytes(f, f->map.bytes);
}

static inline const struct jr_parquet_values *read_column(struct fixture *f, const char *name)
{
	size_t column = jr_parquet_find(&f->pq, name);
	if (column == SIZE_MAX)
		fail_msg("no column '%s'", name);
	if (jr_parquet_read(&f->pq, column, &f->arena, &f->values, &f->err) != JR_OK)
		fail_msg("%s", f->err.message);
	return &f->values;
}

static inline bool need_shared(void)
{
	if (access("../shared/data", R_OK) == 0)
		return true;
	print_message("../shared is not there\n");
	return false;
}
#define NEED_SHARED()                                                                              \
	do {                                                                                           \
		if (!need_shared())                                                                        \
			skip();                                                                                \
	} while (0)

static inline uint64_t digest_text(uint64_t digest, const char *text)
{
	for (; *text; text++)
		digest = (digest ^ (uint8_t)*text) * UINT64_C(0x100000001B3); /* FNV-1a */
	return digest;
}

/* Add integers in decimal, floating point as its bits in hexadecimal (all NaNs alike), strings
 * as their bytes. */
static inline uint64_t digest_value(uint64_t digest, const struct jr_parquet_values *v, uint64_t i)
{
	char text[40];
	if (v->valid && !v->valid[i])
		return digest_text(digest, "null");
	if (v->string) {
		struct jr_bytes bytes = v->dictionary[v->string[i]];
		for (size_t k = 0; k < bytes.size; k++) {
			snprintf(text, sizeof(text), "%02x", bytes.data[k]);
			digest = digest_text(digest, text);
		}
		return digest;
	}
	uint32_t bits32;
	uint64_t bits64;
	if (v->boolean) {
		snprintf(text, sizeof(text), "%d", v->boolean[i]);
	} else if (v->int32) {
		snprintf(text, sizeof(text), "%d", v->int32[i]);
	} else if (v->int64) {
		snprintf(text, sizeof(text), "%lld", (long long)v->int64[i]);
	} else if (v->float32) {
		memcpy(&bits32, &v->float32[i], sizeof(bits32));
		snprintf(text, sizeof(text), v->float32[i] == v->float32[i] ? "%08x" : "nan", bits32);
	} else {
		memcpy(&bits64, &v->float64[i], sizeof(bits64));
		snprintf(text, sizeof(text), v->float64[i] == v->float64[i] ? "%016llx" : "nan",
			(unsigned long long)bits64);
	}
	return digest_text(digest, text);
}

/* Add "column PATH", then one line per row: a value, or a list as "[a,b]". */
static inline uint64_t digest_column(
	uint64_t digest, const struct jr_parquet_column *column, const struct jr_parquet_values *v)
{
	digest = digest_text(digest, "column ");
	digest = digest_text(digest_text(digest, column->path), "\n");
	for (uint64_t row = 0; row < v->n_rows; row++) {
		if (!v->list_begin) {
			digest = digest_value(digest, v, row);
		} else if (v->list_valid && !v->list_valid[row]) {
			digest = digest_text(digest, "null");
		} else {
			digest = digest_text(digest, "[");
			for (uint64_t i = v->list_begin[row]; i < v->list_begin[row + 1]; i++) {
				digest = digest_text(digest, i > v->list_begin[row] ? "," : "");
				digest = digest_value(digest, v, i);
			}
			digest = digest_text(digest, "]");
		}
		digest = digest_text(digest, "\n");
	}
	return digest;
}

static inline bool lists_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	if (!strcmp(words, "*"))
		return true;
	for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
		if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

/* Digest all columns: each is decoded, or refused if `unread` lists it. */
static inline uint64_t digest_file(struct fixture *f, const char *unread)
{
	uint64_t digest = UINT64_C(0xCBF29CE484222325);
	for (size_t i = 0; i < f->pq.n_columns; i++) {
		const struct jr_parquet_column *column = &f->pq.columns[i];
		enum jr_status expected = lists_word(unread, column->path) ? JR_EUNSUPPORTED : JR_OK;
		enum jr_status status = jr_parquet_read(&f->pq, i, &f->arena, &f->values, &f->err);
		if (status != expected)
			fail_msg("%s: status %d, expected %d (%s)", column->path, status, expected,
				status ? f->err.message : "");
		if (status != JR_OK)
			continue;
		assert_int_equal(f->values.n_rows, f->pq.n_rows);
		digest = digest_column(digest, column, &f->values);
	}
	return digest;
}

static inline void assert_text(const struct jr_parquet_values *v, uint64_t i, const char *expected)
{
	assert_true(v->string[i] < v->n_dictionary);
	struct jr_bytes bytes = v->dictionary[v->string[i]];
	assert_int_equal(bytes.size, strlen(expected));
	assert_memory_equal(bytes.data, expected, bytes.size);
}

#endif
