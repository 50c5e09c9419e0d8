/* Hand-made Parquet files: what must be read, value by value. Damage: test_parquet_damage.c. */
#include <stdlib.h>
#include <string.h>

#include <snappy-c.h>
#include <zlib.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/intern.h"
#include "tests/unit/parquet_fixture.h"

static void build_and_read(struct fixture *f, const struct build_column *column)
{
	build_file(&f->file, column);
	if (open_file(f) != JR_OK || read_column(f, 0) != JR_OK)
		fail_msg("%s", f->err.message);
	assert_int_equal(f->values.n_rows, column->n_rows);
	assert_int_equal(f->values.type, column->leaf[column->n_leaf - 1].type);
}

static void assert_strings(const struct fixture *f, const char *const *expected, size_t n)
{
	assert_int_equal(f->values.n_values, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t index = f->values.string[i];
		assert_int_equal(index == JR_NONE, !expected[i]);
		assert_int_equal(f->values.valid ? f->values.valid[i] : 1, !!expected[i]);
		if (!expected[i])
			continue;
		assert_true(index < f->values.n_dictionary);
		assert_int_equal(f->values.dictionary[index].size, strlen(expected[i]));
		assert_memory_equal(f->values.dictionary[index].data, expected[i], strlen(expected[i]));
	}
}
#define STRINGS(f, ...)                                                                            \
	assert_strings((f), (const char *const[]){__VA_ARGS__},                                        \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void assert_int32s(const struct fixture *f, const int32_t *expected, size_t n)
{
	assert_int_equal(f->values.n_values, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(f->values.int32[i], expected[i]);
}
#define INT32S(f, ...)                                                                             \
	assert_int32s((f), (const int32_t[]){__VA_ARGS__},                                             \
		sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t))

static void assert_flags(const uint8_t *flags, const char *expected)
{
	assert_non_null(flags);
	for (size_t i = 0; expected[i]; i++)
		assert_int_equal(flags[i], expected[i] - '0');
}

static UNIT_WITH(test_required, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page page = {
		.n_values = 3, .body = BYTES(1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 3, 0, 0, 0x80)};
	build_and_read(f, &(struct build_column){.leaf = {INT32("a", REQUIRED)},
						  .n_leaf = 1,
						  .n_rows = 3,
						  .n_values = 3,
						  .pages = &page,
						  .n_pages = 1});
	INT32S(f, 1, -2, INT32_MIN + 3);
	const struct jr_parquet_values *v = &f->values;
	assert_null(v->valid);
	assert_true(!v->boolean && !v->int64 && !v->float32 && !v->float64 && !v->string);
	assert_true(!v->dictionary && !v->n_dictionary && !v->list_begin && !v->list_valid);
	assert_string_equal(f->pq.created_by, "built by hand");
	assert_int_equal(f->pq.n_columns, 1);
	assert_true(f->pq.columns[0].readable && !f->pq.columns[0].is_list);
	assert_int_equal(f->pq.columns[0].max_def, 0);
	assert_int_equal(jr_parquet_find(&f->pq, "a"), 0);
	assert_true(jr_parquet_find(&f->pq, "b") == SIZE_MAX);
}

/* Nulls appear only in the third page; the second is empty. */
static UNIT_WITH(test_optional, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page pages[] = {
		{.n_values = 2, .body = BYTES(2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 2, 0, 0, 0)},
		{.n_values = 0, .body = BYTES(0, 0, 0, 0)},
		{.n_values = 5, .body = BYTES(2, 0, 0, 0, 3, 0x12, 3, 0, 0, 0, 4, 0, 0, 0)},
		{.n_values = 3, .body = BYTES(2, 0, 0, 0, 6, 0)},
	};
	struct build_column column = {.leaf = {INT32("a", OPTIONAL)},
		.n_leaf = 1,
		.n_rows = 10,
		.n_values = 10,
		.pages = pages,
		.n_pages = 4};
	build_and_read(f, &column);
	INT32S(f, 1, 2, 0, 3, 0, 0, 4, 0, 0, 0);
	assert_flags(f->values.valid, "1101001000");
	column.n_rows = column.n_values = 2; /* all valid: no flags */
	column.n_pages = 2;
	build_and_read(f, &column);
	INT32S(f, 1, 2);
	assert_null(f->values.valid);
	const struct build_page packed = {
		.n_values = 2, .body = BYTES(2, 0, 0, 0, 3, 0x03, 1, 0, 0, 0, 2, 0, 0, 0)};
	column.pages = &packed; /* ... also if the levels are packed */
	column.n_pages = 1;
	build_and_read(f, &column);
	INT32S(f, 1, 2);
	assert_null(f->values.valid);
	const struct build_page legacy = {/* deprecated BIT_PACKED: no length, first value on top */
		.n_values = 3,
		.def_encoding = 4,
		.body = BYTES(0xA0, 1, 0, 0, 0, 2, 0, 0, 0)};
	column.pages = &legacy;
	column.n_rows = column.n_values = 3;
	build_and_read(f, &column);
	INT32S(f, 1, 0, 2);
	assert_flags(f->values.valid, "101");
}

/* Each physical type with nulls, PLAIN: values move to their rows. */
static UNIT_WITH(test_types, setup, teardown)
{
	struct fixture *f = *state;
	struct build_page page = {.n_values = 3};
	struct build_column column = {.leaf = {{.name = "a", .repetition = OPTIONAL}},
		.n_leaf = 1,
		.n_rows = 3,
		.n_values = 3,
		.pages = &page,
		.n_pages = 1};
#define NULL_IN_THE_MIDDLE 2, 0, 0, 0, 3, 0x05
	page.body = BYTES(NULL_IN_THE_MIDDLE, 0x01);
	column.leaf[0].type = JR_PQ_BOOLEAN;
	build_and_read(f, &column);
	assert_memory_equal(f->values.boolean, ((uint8_t[]){1, 0, 0}), 3);
	page.body = BYTES(NULL_IN_THE_MIDDLE, 2, 0, 0, 0, 4, 1);
	page.encoding = 3;
	build_and_read(f, &column);
	assert_memory_equal(f->values.boolean, ((uint8_t[]){1, 0, 1}), 3);
	page.encoding = 0;
	page.body = BYTES(NULL_IN_THE_MIDDLE, 9, 0, 0, 0, 0, 0, 0, 0x80, 7, 0, 0, 0, 0, 0, 0, 0);
	column.leaf[0].type = JR_PQ_INT64;
	build_and_read(f, &column);
	assert_true(f->values.int64[0] == INT64_MIN + 9 && f->values.int64[1] == 0);
	assert_true(f->values.int64[2] == 7);
	page.body = BYTES(NULL_IN_THE_MIDDLE, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0);
	column.leaf[0].type = JR_PQ_DOUBLE;
	build_and_read(f, &column);
	assert_true(f->values.float64[0] == 1.5 && f->values.float64[1] == 0);
	assert_true(f->values.float64[2] == -2);
	page.body = BYTES(NULL_IN_THE_MIDDLE, 0, 0, 0xC0, 0x3F, 0, 0, 0, 0xC0);
	column.leaf[0].type = JR_PQ_FLOAT;
	build_and_read(f, &column);
	assert_true(f->values.float32[0] == 1.5f && f->values.float32[1] == 0);
	assert_true(f->values.float32[2] == -2);
	page.body = BYTES(NULL_IN_THE_MIDDLE, 2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0);
	column.leaf[0].type = JR_PQ_BYTE_ARRAY;
	build_and_read(f, &column);
	STRINGS(f, "ab", NULL, "");
	page.body = BYTES(NULL_IN_THE_MIDDLE, 'a', 'b', 'c', 'd');
	column.leaf[0].type = JR_PQ_FIXED_LEN_BYTE_ARRAY;
	column.leaf[0].type_length = 2;
	build_and_read(f, &column);
	STRINGS(f, "ab", NULL, "cd");
	assert_int_equal(f->pq.columns[0].type_length, 2);
	page.encoding = 9; /* BYTE_STREAM_SPLIT */
	build_and_read(f, &column);
	STRINGS(f, "ac", NULL, "bd");
	page.encoding = 7; /* DELTA_BYTE_ARRAY: prefixes 0, 1; suffixes of 2, 1 */
	page.body = BYTES(NULL_IN_THE_MIDDLE, 0x80, 1, 4, 2, 0, 2, 0, 0, 0, 0, 0x80, 1, 4, 2, 4, 1, 0,
		0, 0, 0, 'x', 'y', 'z');
	build_and_read(f, &column);
	STRINGS(f, "xy", NULL, "xz");
}

static UNIT_WITH(test_encodings, setup, teardown)
{
	struct fixture *f = *state;
	struct build_page page = {.n_values = 2, .encoding = 9};
	struct build_column column = {.leaf = {INT32("a", REQUIRED)},
		.n_leaf = 1,
		.n_rows = 2,
		.n_values = 2,
		.pages = &page,
		.n_pages = 1};
	page.body = BYTES(1, 2, 3, 4, 0, 0, 0, 0);
	build_and_read(f, &column);
	INT32S(f, 0x0301, 0x0402);
	page.encoding = 5; /* DELTA_BINARY_PACKED: 3, then 3 more */
	page.body = BYTES(0x80, 1, 4, 2, 6, 6, 0, 0, 0, 0);
	build_and_read(f, &column);
	INT32S(f, 3, 6);
	column.leaf[0].type = JR_PQ_INT64;
	build_and_read(f, &column);
	assert_true(f->values.int64[0] == 3 && f->values.int64[1] == 6);
	page.encoding = 6; /* DELTA_LENGTH_BYTE_ARRAY */
	page.body = BYTES(0x80, 1, 4, 2, 2, 2, 0, 0, 0, 0, 'a', 'b', 'c');
	column.leaf[0].type = JR_PQ_BYTE_ARRAY;
	build_and_read(f, &column);
	STRINGS(f, "a", "bc");
}

/* A dictionary, then pages that use it under both encoding names, then one that fell back to
 * PLAIN; an index page and an empty page between. */
static UNIT_WITH(test_dictionary_fallback, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page pages[] = {
		{.type = 2, .n_values = 2, .encoding = 2, .body = BYTES(1, 0, 0, 0, 'a', 1, 0, 0, 0, 'b')},
		{.n_values = 4, .encoding = 8, .body = BYTES(2, 0, 0, 0, 3, 0x0D, 1, 3, 0x05)},
		{.type = 1, .body = BYTES(9, 9, 9)},
		{.n_values = 0, .encoding = 8, .body = BYTES(0, 0, 0, 0)},
		{.n_values = 1, .encoding = 2, .body = BYTES(2, 0, 0, 0, 2, 1, 1, 2, 1)},
		{.n_values = 2, .body = BYTES(2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 'c', 1, 0, 0, 0, 'a')},
		{.n_values = 1, .encoding = 8, .body = BYTES(2, 0, 0, 0, 2, 1, 1, 2, 0)},
	};
	const struct build_column column = {.leaf = {STRING("a", OPTIONAL)},
		.n_leaf = 1,
		.n_rows = 8,
		.n_values = 8,
		.pages = pages,
		.n_pages = JR_COUNT_OF(pages)};
	build_and_read(f, &column);
	STRINGS(f, "b", NULL, "a", "b", "b", "c", "a", "a");
	assert_int_equal(f->values.n_dictionary, 4);
	assert_int_equal(f->values.string[0], f->values.string[3]);
}

static UNIT_WITH(test_dictionary_numbers, setup, teardown)
{
	struct fixture *f = *state;
	struct build_page pages[] = {
		{.type = 2, .n_values = 2, .body = BYTES(5, 0, 0, 0, 7, 0, 0, 0)},
		{.n_values = 3, .encoding = 8, .body = BYTES(2, 0, 0, 0, 6, 1, 1, 3, 0x05)},
	};
	struct build_column column = {.leaf = {INT32("a", OPTIONAL)},
		.n_leaf = 1,
		.n_rows = 3,
		.n_values = 3,
		.pages = pages,
		.n_pages = 2};
	build_and_read(f, &column);
	INT32S(f, 7, 5, 7);
	column.leaf[0].type = JR_PQ_DOUBLE;
	pages[0].body = BYTES(0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0);
	build_and_read(f, &column);
	assert_true(f->values.float64[0] == -2 && f->values.float64[1] == 1.5);
	column.leaf[0].type = JR_PQ_FIXED_LEN_BYTE_ARRAY;
	column.leaf[0].type_length = 1;
	pages[0].body = BYTES('x', 'y');
	build_and_read(f, &column);
	STRINGS(f, "y", "x", "y");
	pages[1].body = BYTES(2, 0, 0, 0, 6, 1, 0, 6); /* one entry takes no bits */
	build_and_read(f, &column);
	STRINGS(f, "x", "x", "x");
}

static struct jr_bytes snappy_of(struct jr_bytes in, char *room, size_t size)
{
	assert_int_equal(snappy_compress((const char *)in.data, in.size, room, &size), SNAPPY_OK);
	return jr_bytes_of(room, size);
}

/* v2: levels come before the values and are never compressed; rows and nulls are in the header. */
static UNIT_WITH(test_page_v2, setup, teardown)
{
	struct fixture *f = *state;
	struct build_page page = {.type = 3, .n_values = 3, .n_nulls = 1, .n_rows = 3, .def_bytes = 2};
	struct build_column column = {.leaf = {INT32("a", OPTIONAL)},
		.n_leaf = 1,
		.n_rows = 3,
		.n_values = 3,
		.pages = &page,
		.n_pages = 1};
	page.body = BYTES(3, 0x05, 8, 0, 0, 0, 9, 0, 0, 0);
	build_and_read(f, &column);
	INT32S(f, 8, 0, 9);
	char room[64], body[64] = {3, 0x05};
	struct jr_bytes values = snappy_of(BYTES(8, 0, 0, 0, 9, 0, 0, 0), room, sizeof(room));
	memcpy(body + 2, values.data, values.size);
	page.body = jr_bytes_of(body, 2 + values.size);
	page.size = 10;
	column.codec = 1;
	for (page.is_compressed = 0; page.is_compressed < 2; page.is_compressed++) {
		build_and_read(f, &column);
		INT32S(f, 8, 0, 9);
	}
	page.is_compressed = 2;
	page.size = 0;
	page.body = BYTES(3, 0x05, 8, 0, 0, 0, 9, 0, 0, 0);
	build_and_read(f, &column);
	INT32S(f, 8, 0, 9);
	/* all null: nothing stored, which is not a valid Snappy stream */
	page = (struct build_page){
		.type = 3, .n_values = 3, .n_nulls = 3, .n_rows = 3, .def_bytes = 2, .body = BYTES(6, 0)};
	build_and_read(f, &column);
	INT32S(f, 0, 0, 0);
	assert_flags(f->values.valid, "000");
}

static UNIT_WITH(test_page_v1_compressed, setup, teardown)
{
	struct fixture *f = *state;
	char room[64];
	struct build_page page = {.n_values = 3, .size = 14};
	page.body = snappy_of(BYTES(2, 0, 0, 0, 3, 0x05, 8, 0, 0, 0, 9, 0, 0, 0), room, sizeof(room));
	page.crc = (uint32_t)crc32(0, page.body.data, (uInt)page.body.size);
	page.has_crc = true;
	build_and_read(f, &(struct build_column){.leaf = {INT32("a", OPTIONAL)},
						  .n_leaf = 1,
						  .codec = 1,
						  .n_rows = 3,
						  .n_values = 3,
						  .pages = &page,
						  .n_pages = 1});
	INT32S(f, 8, 0, 9);
}

/* Views of strings outlive the page after theirs. */
static UNIT_WITH(test_compressed_strings, setup, teardown)
{
	struct fixture *f = *state;
	char rooms[2][64];
	struct build_page pages[] = {{.n_values = 1, .size = 6}, {.n_values = 1, .size = 6}};
	for (uint8_t i = 0; i < 2; i++)
		pages[i].body = snappy_of(BYTES(2, 0, 0, 0, (uint8_t)('a' + i), 'x'), rooms[i], 64);
	build_and_read(f, &(struct build_column){.leaf = {STRING("a", REQUIRED)},
						  .n_leaf = 1,
						  .codec = 1,
						  .n_rows = 2,
						  .n_values = 2,
						  .pages = pages,
						  .n_pages = 2});
	STRINGS(f, "ax", "bx");
}

static void assert_lists(const struct fixture *f, const char *begins, const char *list_valid)
{
	for (size_t i = 0; begins[i]; i++)
		assert_int_equal(f->values.list_begin[i], begins[i] - '0');
	if (list_valid)
		assert_flags(f->values.list_valid, list_valid);
	else
		assert_null(f->values.list_valid);
}

/* [1, null], null, [], [2], and, in a separate page, [3] */
static UNIT_WITH(test_list, setup, teardown)
{
	struct fixture *f = *state;
	struct build_page pages[] = {
		{.n_values = 5,
			/* repetition 0 1 0 0 0; definition 3 2 0 1 3, two bits each from the lowest on */
			.body = BYTES(2, 0, 0, 0, 3, 0x02, 3, 0, 0, 0, 3, 0x4B, 0x03, 1, 0, 0, 0, 2, 0, 0, 0)},
		{.n_values = 1, .body = BYTES(2, 0, 0, 0, 2, 0, 2, 0, 0, 0, 2, 3, 3, 0, 0, 0)},
	};
	struct build_column column = {.leaf = {GROUP("a", OPTIONAL, LIST), GROUP("list", REPEATED, 0),
									  INT32("element", OPTIONAL)},
		.n_leaf = 3,
		.n_rows = 5,
		.n_values = 6,
		.pages = pages,
		.n_pages = 2};
	build_and_read(f, &column);
	INT32S(f, 1, 0, 2, 3);
	assert_flags(f->values.valid, "1011");
	assert_lists(f, "022234", "10111");
	const struct jr_parquet_column *c = &f->pq.columns[0];
	assert_true(c->is_list && c->readable && c->max_def == 3 && c->max_rep == 1);
	assert_string_equal(c->name, "a");
	assert_string_equal(c->path, "a.list.element");
	assert_int_equal(jr_parquet_find(&f->pq, "a"), 0);
	assert_int_equal(jr_parquet_find(&f->pq, "a.list.element"), 0);

	/* the same with the annotation as a logical type, in v2 */
	column.leaf[0].converted = 0;
	column.leaf[0].logical = 3;
	pages[0] = (struct build_page){.type = 3,
		.n_values = 5,
		.n_nulls = 3,
		.n_rows = 4,
		.rep_bytes = 2,
		.def_bytes = 3,
		.body = BYTES(3, 0x02, 3, 0x4B, 0x03, 1, 0, 0, 0, 2, 0, 0, 0)};
	build_and_read(f, &column);
	INT32S(f, 1, 0, 2, 3);
	assert_flags(f->values.valid, "1011");
	assert_lists(f, "022234", "10111");
}

/* Lists and elements that cannot be null: only empty lists need a level. */
static UNIT_WITH(test_list_legacy, setup, teardown)
{
	struct fixture *f = *state;
	/* repetition 0 1 0 0, definition 1 1 0 1: [1, 2], [], [3] */
	const struct build_page page = {.n_values = 4,
		.body =
			BYTES(2, 0, 0, 0, 3, 0x02, 2, 0, 0, 0, 3, 0x0B, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0)};
	struct build_column column = {.leaf = {INT32("a", REPEATED)},
		.n_leaf = 1,
		.n_rows = 3,
		.n_values = 4,
		.pages = &page,
		.n_pages = 1};
	build_and_read(f, &column);
	INT32S(f, 1, 2, 3);
	assert_null(f->values.valid);
	assert_lists(f, "0223", NULL);
	assert_string_equal(f->pq.columns[0].path, "a");
	column.leaf[0] = (struct build_element)GROUP("a", REQUIRED, LIST);
	column.leaf[1] = (struct build_element)INT32("array", REPEATED);
	column.n_leaf = 2;
	build_and_read(f, &column);
	INT32S(f, 1, 2, 3);
	assert_lists(f, "0223", NULL);
	assert_true(f->pq.columns[0].is_list);
	assert_string_equal(f->pq.columns[0].name, "a");
	column.leaf[1] = (struct build_element)GROUP("bag", REPEATED, 0);
	column.leaf[2] = (struct build_element)INT32("item", REQUIRED);
	column.n_leaf = 3;
	build_and_read(f, &column);
	INT32S(f, 1, 2, 3);
	assert_lists(f, "0223", NULL);
}

/* A list continues in the next page (v1 allows it), strings come from a dictionary. */
static UNIT_WITH(test_list_across_pages, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page pages[] = {
		{.type = 2, .n_values = 2, .body = BYTES(1, 0, 0, 0, 'a', 1, 0, 0, 0, 'b')},
		{.n_values = 1, .encoding = 8, .body = BYTES(2, 0, 0, 0, 2, 0, 2, 0, 0, 0, 2, 3, 1, 2, 1)},
		{.n_values = 2,
			.encoding = 8,
			.body = BYTES(2, 0, 0, 0, 3, 0x01, 2, 0, 0, 0, 4, 3, 1, 3, 0x02)},
	};
	build_and_read(
		f, &(struct build_column){.leaf = {GROUP("a", OPTIONAL, LIST), GROUP("list", REPEATED, 0),
									  STRING("element", OPTIONAL)},
			   .n_leaf = 3,
			   .n_rows = 2,
			   .n_values = 3,
			   .pages = pages,
			   .n_pages = 3});
	STRINGS(f, "b", "a", "b");
	assert_lists(f, "023", NULL);
}

/* Two columns in two row groups; the pages of the other column are garbage and are not read. */
static UNIT_WITH(test_projection, setup, teardown)
{
	struct fixture *f = *state;
	struct jr_buf *out = &f->file;
	struct build_chunk chunks[4];
	build_begin(out);
	for (size_t i = 0; i < 4; i++) {
		chunks[i] = (struct build_chunk){.type = i % 2 ? JR_PQ_BYTE_ARRAY : JR_PQ_INT32,
			.path = {i % 2 ? "b" : "a"},
			.n_values = 1,
			.data_offset = (int64_t)out->size};
		if (i % 2) {
			chunks[i].dictionary_offset = chunks[i].data_offset;
			build_page(
				out, &(struct build_page){
						 .type = 2, .n_values = 1, .body = BYTES(1, 0, 0, 0, (uint8_t)('0' + i))});
			chunks[i].data_offset = (int64_t)out->size;
			build_page(
				out, &(struct build_page){.n_values = 1, .encoding = 8, .body = BYTES(0, 2)});
		} else {
			jr_buf_puts(out, "no page at all");
		}
		chunks[i].size =
			(int64_t)out->size - (i % 2 ? chunks[i].dictionary_offset : chunks[i].data_offset);
	}
	const struct build_element elements[] = {{.name = "schema", .type = -1, .n_children = 2},
		INT32("a", REQUIRED), STRING("b", REQUIRED)};
	const struct build_group groups[] = {
		{.n_rows = 1, .chunks = chunks, .n_chunks = 2},
		{.n_rows = 1, .chunks = chunks + 2, .n_chunks = 2},
	};
	build_end(out,
		&(struct build_footer){
			.elements = elements, .n_elements = 3, .n_rows = 2, .groups = groups, .n_groups = 2});
	assert_int_equal(open_file(f), JR_OK);
	assert_string_equal(f->pq.created_by, "");
	assert_int_equal(jr_parquet_find(&f->pq, "b"), 1);
	assert_int_equal(read_column(f, 1), JR_OK);
	STRINGS(f, "1", "3"); /* each row group has its own dictionary */
	assert_int_equal(read_column(f, 0), JR_EFORMAT);
	assert_non_null(strstr(f->err.message, "column 'a'"));
}

/* No rows, no row groups; a file whose writer left the row count at 0. */
static UNIT_WITH(test_no_rows, setup, teardown)
{
	struct fixture *f = *state;
	struct build_column column = {.leaf = {INT32("a", REQUIRED)}, .n_leaf = 1};
	build_and_read(f, &column);
	assert_int_equal(f->values.n_values, 0);
	assert_non_null(f->values.int32);
	const struct build_element elements[] = {
		{.name = "schema", .type = -1, .n_children = 1}, INT32("a", REPEATED)};
	build_begin(&f->file);
	build_end(&f->file, &(struct build_footer){.elements = elements, .n_elements = 2});
	assert_int_equal(open_file(f), JR_OK);
	assert_int_equal(read_column(f, 0), JR_OK);
	assert_int_equal(f->values.n_rows, 0);
	assert_int_equal(f->values.list_begin[0], 0);
}

static UNIT_WITH(test_rows_not_stated, setup, teardown)
{
	struct fixture *f = *state;
	build_begin(&f->file);
	build_page(&f->file, &(struct build_page){.n_values = 1, .body = BYTES(5, 0, 0, 0)});
	const struct build_element elements[] = {
		{.name = "schema", .type = -1, .n_children = 1}, INT32("a", REQUIRED)};
	const struct build_chunk chunk = {.type = JR_PQ_INT32,
		.path = {"a"},
		.n_values = 1,
		.data_offset = 4,
		.size = (int64_t)f->file.size - 4};
	const struct build_group group = {.n_rows = 1, .chunks = &chunk, .n_chunks = 1};
	build_end(
		&f->file, &(struct build_footer){
					  .elements = elements, .n_elements = 2, .groups = &group, .n_groups = 1});
	assert_int_equal(open_file(f), JR_OK);
	assert_int_equal(f->pq.n_rows, 1);
	assert_int_equal(read_column(f, 0), JR_OK);
	INT32S(f, 5);
}

/* PARQUET-816: parquet-mr's chunk size excludes the header of the dictionary, which takes at
 * most 100 bytes. */
static UNIT_WITH(test_short_chunk_of_parquet_mr, setup, teardown)
{
	struct fixture *f = *state;
	static const uint8_t indices[2 + 128] = {8, 16 << 1 | 1}; /* 128 of 8 bits */
	static const struct {
		const char *created_by;
		int lacks;
		enum jr_status status;
	} cases[] = {{"parquet-cpp", 17, JR_EFORMAT}, {"parquet-mr", 101, JR_EFORMAT},
		{"parquet-mr", 100, JR_OK}, {"parquet-mr", 17, JR_OK}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		build_begin(&f->file);
		struct build_chunk chunk = {
			.type = JR_PQ_INT32, .path = {"a"}, .n_values = 128, .dictionary_offset = 4};
		build_page(
			&f->file, &(struct build_page){.type = 2, .n_values = 1, .body = BYTES(5, 0, 0, 0)});
		chunk.data_offset = (int64_t)f->file.size;
		build_page(
			&f->file, &(struct build_page){.n_values = 128, .encoding = 2,
						  .body = jr_bytes_of(indices, sizeof(indices))});
		chunk.size = (int64_t)f->file.size - 4 - cases[i].lacks;
		const struct build_element elements[] = {
			{.name = "schema", .type = -1, .n_children = 1}, INT32("a", REQUIRED)};
		const struct build_group group = {.n_rows = 128, .chunks = &chunk, .n_chunks = 1};
		build_end(&f->file, &(struct build_footer){.elements = elements,
								.n_elements = 2,
								.n_rows = 128,
								.groups = &group,
								.n_groups = 1,
								.created_by = cases[i].created_by});
		assert_int_equal(open_file(f), JR_OK);
		assert_int_equal(read_column(f, 0), cases[i].status);
	}
	assert_int_equal(f->values.n_rows, 128);
	assert_int_equal(f->values.int32[127], 5);
}
