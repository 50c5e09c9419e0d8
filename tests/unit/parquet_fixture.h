/*
 * parquet_fixture.h - shared by the tests of the Parquet reader: a file built by hand, opened, one
 * column read.
 */
#ifndef JR_TESTS_PARQUET_FIXTURE_H
#define JR_TESTS_PARQUET_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "formats/parquet/parquet.h"
#include "tests/unit/parquet_build.h"

#define BYTES(...)                                                                                 \
	jr_bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
/* Initializers of struct build_element. */
#define INT32(label, repeat)                                                                       \
	{                                                                                              \
		.name = (label), .type = JR_PQ_INT32, .repetition = (repeat)                               \
	}
#define STRING(label, repeat)                                                                      \
	{                                                                                              \
		.name = (label), .type = JR_PQ_BYTE_ARRAY, .repetition = (repeat)                          \
	}
#define GROUP(label, repeat, annotation)                                                           \
	{                                                                                              \
		.name = (label), .type = -1, .repetition = (repeat), .n_children = 1,                      \
		.converted = (annotation)                                                                  \
	}
#define LIST 3 /* ConvertedType */

enum { REQUIRED, OPTIONAL, REPEATED };

/* One file opened and one column read; the file's bytes are in a block of their exact size. */
struct fixture {
	struct jr_buf file;
	uint8_t *exact;
	struct jr_arena arena;
	struct jr_parquet pq;
	struct jr_parquet_values values;
	struct jr_error err;
};

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	if (!f)
		return -1;
	jr_arena_init(&f->arena, 0);
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;
	jr_buf_done(&f->file);
	jr_arena_done(&f->arena);
	free(f->exact);
	free(f);
	return 0;
}

static inline enum jr_status open_limited(struct fixture *f, const struct jr_limits *limits)
{
	free(f->exact);
	f->exact = malloc(f->file.size);
	assert_non_null(f->exact);
	memcpy(f->exact, f->file.data, f->file.size);
	jr_arena_done(&f->arena);
	jr_arena_init(&f->arena, 0);
	return jr_parquet_open(jr_bytes_of(f->exact, f->file.size), limits, &f->arena, &f->pq, &f->err);
}

static inline enum jr_status open_file(struct fixture *f)
{
	const struct jr_limits limits = jr_limits_default();
	return open_limited(f, &limits);
}

static inline enum jr_status read_column(struct fixture *f, size_t column)
{
	memset(&f->values, 0xA5, sizeof(f->values)); /* to be set on success only */
	return jr_parquet_read(&f->pq, column, &f->arena, &f->values, &f->err);
}

static inline void expect_open(struct fixture *f, enum jr_status status, const char *message)
{
	f->err = (struct jr_error){0};
	assert_int_equal(open_file(f), status);
	assert_int_equal(f->err.status, status);
	if (!strstr(f->err.message, message))
		fail_msg("'%s' does not hold '%s'", f->err.message, message);
}

static inline void expect_read(struct fixture *f, const struct build_column *column,
	enum jr_status status, const char *message)
{
	build_file(&f->file, column);
	if (open_file(f) != JR_OK)
		fail_msg("%s", f->err.message);
	assert_int_equal(read_column(f, 0), status);
	assert_int_equal(f->err.status, status);
	if (!strstr(f->err.message, message))
		fail_msg("'%s' does not hold '%s'", f->err.message, message);
	assert_int_equal(((const uint8_t *)&f->values)[0], 0xA5); /* unchanged */
}

#endif
