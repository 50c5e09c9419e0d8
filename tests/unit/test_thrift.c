/* The Thrift compact protocol, byte by byte. */
#include <string.h>

#include "unit.h"

#include "formats/parquet/thrift.h"

/* A reader of literal bytes. */
#define THRIFT_OF(err, ...)                                                                        \
	jr_thrift_of(                                                                                  \
		jr_bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})), 1000, \
		(err))

static UNIT(test_fields)
{
	struct jr_error err = {0};
	/* 1: i32 -3; 2: true; 3: false; 20 (long form): i64 300; 21: "ab"; stop */
	struct jr_thrift t = THRIFT_OF(
		&err, 0x15, 0x05, 0x11, 0x12, 0x06, 0x28, 0xD8, 0x04, 0x18, 0x02, 'a', 'b', 0x00, 0xFF);
	struct jr_thrift_field f = {0};
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(f.id, 1);
	assert_int_equal(jr_thrift_i32(&t, &f), -3);
	assert_true(jr_thrift_next(&t, &f));
	assert_true(f.id == 2 && jr_thrift_bool(&t, &f));
	assert_true(jr_thrift_next(&t, &f));
	assert_true(f.id == 3 && !jr_thrift_bool(&t, &f));
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(f.id, 20);
	assert_int_equal(jr_thrift_i64(&t, &f), 300);
	assert_true(jr_thrift_next(&t, &f));
	struct jr_bytes text = jr_thrift_binary(&t, &f);
	assert_int_equal(f.id, 21);
	assert_int_equal(text.size, 2);
	assert_memory_equal(text.data, "ab", 2);
	assert_false(jr_thrift_next(&t, &f));
	assert_int_equal(t.status, JR_OK);
	assert_int_equal(t.in.pos, 13); /* the byte after the structure is left alone */
}

static UNIT(test_list)
{
	struct jr_error err = {0};
	struct jr_thrift t = THRIFT_OF(&err, 0x19, 0x35, 0x02, 0x04, 0x01, 0x00);
	struct jr_thrift_field f = {0}, element;
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(jr_thrift_list(&t, &f, 1, &element), 3);
	assert_int_equal(jr_thrift_i32(&t, &element), 1);
	assert_int_equal(jr_thrift_i32(&t, &element), 2);
	assert_int_equal(jr_thrift_i32(&t, &element), -1);
	assert_false(jr_thrift_next(&t, &f));
	assert_int_equal(t.status, JR_OK);
}

static UNIT(test_long_list)
{
	struct jr_error err = {0};
	/* 16 bytes in the long form */
	struct jr_thrift t = THRIFT_OF(
		&err, 0x19, 0xF3, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0x00);
	struct jr_thrift_field f = {0};
	assert_true(jr_thrift_next(&t, &f));
	jr_thrift_skip(&t, &f);
	assert_false(jr_thrift_next(&t, &f));
	assert_int_equal(t.status, JR_OK);
}

/* Every type is skipped, in fields and in containers. */
static UNIT(test_skip)
{
	struct jr_error err = {0};
	struct jr_thrift t = THRIFT_OF(&err, 0x11,						 /* true */
		0x12,														 /* false */
		0x13, 0x7F,													 /* i8 */
		0x14, 0xFF, 0x01,											 /* i16 */
		0x15, 0x80, 0x01,											 /* i32 */
		0x16, 0x80, 0x80, 0x01,										 /* i64 */
		0x17, 1, 2, 3, 4, 5, 6, 7, 8,								 /* double */
		0x18, 0x03, 'x', 'y', 'z',									 /* binary */
		0x19, 0x21, 0x01, 0x02,										 /* list of two bools */
		0x1A, 0x28, 0x01, 'a', 0x00,								 /* set of two strings */
		0x1B, 0x02, 0x83, 0x01, 'k', 0x09, 0x01, 'l', 0x0A,			 /* map of string to i8 */
		0x1B, 0x00,													 /* empty map: no types */
		0x1C, 0x15, 0x02, 0x00,										 /* struct */
		0x1D, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, /* uuid */
		0x15, 0x0E, 0x00);
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(&t, &f) && f.id < 15)
		jr_thrift_skip(&t, &f);
	assert_int_equal(f.id, 15);
	assert_int_equal(jr_thrift_i32(&t, &f), 7);
	assert_false(jr_thrift_next(&t, &f));
	assert_int_equal(t.status, JR_OK);
}

/* Skip all fields of `bytes` and expect a failure. */
static void expect_damage(const uint8_t *bytes, size_t size, const char *message)
{
	struct jr_error err = {0};
	struct jr_thrift t = jr_thrift_of(jr_bytes_of(bytes, size), 1000, &err);
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(&t, &f))
		jr_thrift_skip(&t, &f);
	assert_int_equal(t.status, JR_EFORMAT);
	assert_int_equal(err.status, JR_EFORMAT);
	if (!strstr(err.message, message))
		fail_msg("'%s' does not hold '%s'", err.message, message);
}

#define DAMAGE(message, ...)                                                                       \
	expect_damage((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), message)

static UNIT(test_damage)
{
	DAMAGE("cut-off Thrift structure at offset 1001", 0x11);
	DAMAGE("integer", 0x15, 0x80);
	DAMAGE("integer", 0x16, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02, 0x00);
	DAMAGE("unknown Thrift type at offset 1001", 0x1E, 0x00);
	DAMAGE("unknown Thrift type", 0x10, 0x00);
	DAMAGE("cut-off", 0x18, 0x05, 'a', 0x00);
	DAMAGE("cut-off", 0x17, 1, 2, 3);
	DAMAGE("list longer than the remaining data", 0x19, 0x93, 1, 2, 3);
	DAMAGE(
		"list longer than the remaining data", 0x19, 0xF3, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 2, 3);
	DAMAGE("unknown Thrift type", 0x19, 0x1E, 1, 0);
	DAMAGE("map longer than the remaining data", 0x1B, 0x7F, 0x33, 1, 2);
	DAMAGE("unknown Thrift type", 0x1B, 0x01, 0xE3, 1, 2, 0);
	DAMAGE("unknown Thrift type", 0x1B, 0x01, 0x30, 1, 2, 0);
	DAMAGE("beyond 16 bits", 0x05, 0xFE, 0xFF, 0x03, 0x02, 0x15, 0x00, 0x00);
}

/* Nested structures: refused long before the C stack could overflow. */
static UNIT(test_depth)
{
	uint8_t nested[4096];
	for (size_t depth = 1; depth < sizeof(nested) / 2; depth += 7) {
		memset(nested, 0x1C, depth);
		memset(nested + depth, 0, depth + 1);
		struct jr_error err = {0};
		struct jr_thrift t = jr_thrift_of(jr_bytes_of(nested, 2 * depth + 1), 0, &err);
		struct jr_thrift_field f = {0};
		while (jr_thrift_next(&t, &f))
			jr_thrift_skip(&t, &f);
		assert_int_equal(t.status, depth <= JR_THRIFT_DEPTH ? JR_OK : JR_EFORMAT);
	}
	memset(nested, 0x19, sizeof(nested)); /* lists of one list each */
	expect_damage(nested, sizeof(nested), "nested too deeply");
	for (size_t i = 1; i < sizeof(nested); i += 2)
		nested[i] = 0x1B; /* ... and maps */
	expect_damage(nested, sizeof(nested), "");
}

/* A value of another type than requested, or out of range: fails, and the failure stays. */
static UNIT(test_values)
{
	struct jr_error err = {0};
	struct jr_thrift t = THRIFT_OF(&err, 0x15, 0x02, 0x00);
	struct jr_thrift_field f = {0}, element;
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(jr_thrift_i64(&t, &f), 0);
	assert_int_equal(t.status, JR_EFORMAT);
	assert_string_equal(err.message, "Thrift field of a wrong type at offset 1001");
	assert_int_equal(jr_thrift_i32(&t, &f), 0);
	assert_int_equal(jr_thrift_binary(&t, &f).size, 0);
	assert_false(jr_thrift_bool(&t, &f));
	assert_false(jr_thrift_struct(&t, &f));
	assert_int_equal(jr_thrift_list(&t, &f, 1, &element), 0);
	jr_thrift_skip(&t, &f);
	assert_false(jr_thrift_next(&t, &f));
	assert_string_equal(err.message, "Thrift field of a wrong type at offset 1001");

	t = THRIFT_OF(&err, 0x15, 0x80, 0x80, 0x80, 0x80, 0x10, 0x00); /* 2^31 */
	f = (struct jr_thrift_field){0};
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(jr_thrift_i32(&t, &f), 0);
	assert_int_equal(t.status, JR_EFORMAT);
	t = THRIFT_OF(&err, 0x15, 0x81, 0x80, 0x80, 0x80, 0x10, 0x00); /* -2^31 - 1 */
	f = (struct jr_thrift_field){0};
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(jr_thrift_i32(&t, &f), 0);
	assert_int_equal(t.status, JR_EFORMAT);
	/* the largest and the smallest values */
	t = THRIFT_OF(
		&err, 0x15, 0xFE, 0xFF, 0xFF, 0xFF, 0x0F, 0x15, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00);
	f = (struct jr_thrift_field){0};
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(jr_thrift_i32(&t, &f), INT32_MAX);
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(jr_thrift_i32(&t, &f), INT32_MIN);
	assert_int_equal(t.status, JR_OK);
	t = THRIFT_OF(&err, 0x15, 0x01, 0x00); /* -1 */
	f = (struct jr_thrift_field){0};
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(jr_thrift_natural32(&t, &f), 0);
	assert_int_equal(t.status, JR_EFORMAT);
	t = THRIFT_OF(&err, 0x16, 0x01, 0x00);
	f = (struct jr_thrift_field){0};
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(jr_thrift_natural64(&t, &f), 0);
	assert_int_equal(t.status, JR_EFORMAT);
	t = THRIFT_OF(&err, 0x19, 0x2C, 0x00, 0x00, 0x00); /* two structures of at least 3 bytes? */
	f = (struct jr_thrift_field){0};
	assert_true(jr_thrift_next(&t, &f));
	assert_int_equal(jr_thrift_list(&t, &f, 3, &element), 0);
	assert_int_equal(t.status, JR_EFORMAT);
}
