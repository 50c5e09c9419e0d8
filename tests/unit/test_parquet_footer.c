/* Files that are not Parquet, and footers that are wrong, too large or not supported: each gives
 * a clear error. */
#include "base/cleanup.h"
#include "tests/unit/parquet_fixture.h"

static UNIT_WITH(test_no_parquet, setup, teardown)
{
	struct fixture *f = *state;
	static const struct {
		const char *bytes;
		size_t size;
		enum jr_status status;
		const char *message;
	} cases[] = {
		{"P", 1, JR_EFORMAT, "only 1 byte"},
		{"PAR1PAR1PAR", 11, JR_EFORMAT, "only 11 bytes"},
		{"PAR1\0\0\0\0PAR1", 12, JR_EFORMAT, "Thrift"},
		{"PAR1\1\0\0\0PAR1", 12, JR_EFORMAT, "footer of 1 bytes in a file of 12 (offset 4)"},
		{"PAR1\377\377\377\377PAR1", 12, JR_EFORMAT, "footer of 4294967295 bytes"},
		{"PK\3\4\0\0\0\0PAR1", 12, JR_EFORMAT, "no 'PAR1' at offset 0"},
		{"PAR1\0\0\0\0\0\0\0\0", 12, JR_EFORMAT, "no 'PAR1' at offset 8"},
		{"PARE\0\0\0\0PARE", 12, JR_EUNSUPPORTED, "encrypted"},
		{"PAR1\0\0\0\0PARE", 12, JR_EUNSUPPORTED, "encrypted"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		f->file.size = 0;
		jr_buf_add(&f->file, cases[i].bytes, cases[i].size);
		expect_open(f, cases[i].status, cases[i].message);
	}
}

#define ROOT(n)                                                                                    \
	{                                                                                              \
		.name = "schema", .type = -1, .n_children = (n)                                            \
	}

static void expect_schema(struct fixture *f, const struct build_element *elements, size_t n,
	enum jr_status status, const char *message)
{
	build_begin(&f->file);
	build_end(&f->file, &(struct build_footer){.elements = elements, .n_elements = n});
	expect_open(f, status, message);
}
#define SCHEMA(status, message, ...)                                                               \
	expect_schema(f, (const struct build_element[]){__VA_ARGS__},                                  \
		sizeof((const struct build_element[]){__VA_ARGS__}) / sizeof(struct build_element),        \
		(status), (message))

static UNIT_WITH(test_schema, setup, teardown)
{
	struct fixture *f = *state;
	SCHEMA(JR_EFORMAT, "ends before a group's children", ROOT(2), INT32("a", REQUIRED));
	SCHEMA(JR_EFORMAT, "ends before a group's children", ROOT(INT32_MAX), INT32("a", REQUIRED));
	SCHEMA(JR_EFORMAT, "but the tree contains only 2", ROOT(1), INT32("a", REQUIRED),
		INT32("b", REQUIRED));
	SCHEMA(JR_EFORMAT, "root is not a group", INT32("a", REQUIRED));
	SCHEMA(JR_EFORMAT, "negative count", ROOT(-1));
	SCHEMA(JR_EFORMAT, "unknown physical type", ROOT(1), {.name = "a", .type = 8});
	SCHEMA(JR_EFORMAT, "unknown repetition", ROOT(1), INT32("a", 3));
	SCHEMA(JR_EFORMAT, "of no length", ROOT(1), {.name = "a", .type = 7});
	expect_schema(f, NULL, 0, JR_EFORMAT, "without a required field");
	/* an empty group is not a column, and harmless */
	SCHEMA(JR_OK, "", ROOT(2), {.name = "empty", .type = -1}, INT32("a", REQUIRED));
	assert_int_equal(f->pq.n_columns, 1);
}

static UNIT_WITH(test_schema_limits, setup, teardown)
{
	struct fixture *f = *state;
	enum { DEEP = 300 };
	struct build_element chain[DEEP + 2] = {ROOT(1)};
	for (size_t i = 1; i <= DEEP; i++)
		chain[i] = (struct build_element)GROUP("g", OPTIONAL, 0);
	chain[DEEP + 1] = (struct build_element)INT32("leaf", OPTIONAL);
	expect_schema(f, chain, DEEP + 2, JR_ELIMIT, "nested deeper than 255 levels");
	chain[200] = (struct build_element)INT32("leaf", OPTIONAL);
	expect_schema(f, chain, 201, JR_OK, "");
	assert_int_equal(f->pq.columns[0].max_def, 200);
	assert_false(f->pq.columns[0].readable);
	struct jr_limits limits = jr_limits_default();
	limits.depth = 199;
	assert_int_equal(open_limited(f, &limits), JR_ELIMIT);

	/* 700 columns below a name of 64 KiB: 46 MB of paths from a footer of 80 KB */
	enum { WIDE = 700, LONG = 65536 };
	char *name = malloc(LONG + 1);
	struct build_element *wide = calloc(WIDE + 2, sizeof(*wide));
	assert_true(name && wide);
	memset(name, 'n', LONG);
	name[LONG] = '\0';
	wide[0] = (struct build_element)ROOT(1);
	wide[1] = (struct build_element){.name = name, .type = -1, .n_children = WIDE};
	for (size_t i = 2; i < WIDE + 2; i++)
		wide[i] = (struct build_element)INT32("leaf", REQUIRED);
	expect_schema(f, wide, WIDE + 2, JR_ELIMIT, "column paths");
	free(name);
	free(wide);
}

static UNIT_WITH(test_name_with_nul, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_column column = {.leaf = {INT32("a@b", REQUIRED)}, .n_leaf = 1};
	build_file(&f->file, &column);
	*(char *)memchr(f->file.data, '@', f->file.size) = '\0';
	expect_open(f, JR_EFORMAT, "name with a NUL byte");
}

/* Build a footer over one chunk; each test adds one fault. */
static void build_chunk_file(struct fixture *f, struct build_chunk chunk, int64_t group_rows,
	int64_t file_rows, size_t n_chunks, bool encrypted)
{
	build_begin(&f->file);
	build_page(&f->file, &(struct build_page){.n_values = 1, .body = BYTES(5, 0, 0, 0)});
	if (!chunk.size)
		chunk.size = (int64_t)f->file.size - 4;
	const struct build_element elements[] = {ROOT(1), INT32("a", REQUIRED)};
	const struct build_chunk chunks[] = {chunk, chunk};
	const struct build_group groups[] = {
		{.n_rows = group_rows, .chunks = chunks, .n_chunks = n_chunks},
		{.n_rows = group_rows, .chunks = chunks, .n_chunks = n_chunks}};
	build_end(&f->file, &(struct build_footer){.elements = elements,
							.n_elements = 2,
							.n_rows = file_rows,
							.groups = groups,
							.n_groups = file_rows > 1 ? 2 : 1,
							.encrypted = encrypted});
}

static const struct build_chunk good_chunk = {
	.type = JR_PQ_INT32, .path = {"a"}, .n_values = 1, .data_offset = 4};

static UNIT_WITH(test_groups, setup, teardown)
{
	struct fixture *f = *state;
	build_chunk_file(f, good_chunk, 1, 1, 1, false);
	expect_open(f, JR_OK, "");
	assert_int_equal(read_column(f, 0), JR_OK);
	build_chunk_file(f, good_chunk, 2, 1, 1, false);
	expect_open(f, JR_EFORMAT, "row groups have 2 rows, the file states 1");
	build_chunk_file(f, good_chunk, 1, 1, 2, false);
	expect_open(f, JR_EFORMAT, "row group 0 has 2 columns, the schema 1");
	build_chunk_file(f, good_chunk, 1, 1, 0, false);
	expect_open(f, JR_EFORMAT, "row group 0 has 0 columns, the schema 1");
	build_chunk_file(f, good_chunk, -1, 1, 1, false);
	expect_open(f, JR_EFORMAT, "negative count");
	build_chunk_file(f, good_chunk, INT64_MAX, INT64_MAX, 1, false);
	expect_open(f, JR_EFORMAT, "row groups have");
	build_chunk_file(f, good_chunk, 100000001, 200000002, 1, false);
	expect_open(f, JR_ELIMIT, "200000002 rows, limit 200000000 (--max-rows)");
	build_chunk_file(f, good_chunk, 1, 1, 1, true);
	expect_open(f, JR_EUNSUPPORTED, "encrypted");
	build_chunk_file(f, good_chunk, 1, 2, 1, false);
	expect_open(f, JR_OK, "");
	assert_int_equal(read_column(f, 0), JR_EFORMAT);
	assert_non_null(strstr(f->err.message, "chunks overlap"));
}

static void expect_chunk(
	struct fixture *f, struct build_chunk chunk, enum jr_status status, const char *message)
{
	build_chunk_file(f, chunk, 1, 1, 1, false);
	expect_open(f, JR_OK, "");
	assert_int_equal(read_column(f, 0), status);
	if (!strstr(f->err.message, message))
		fail_msg("'%s' does not hold '%s'", f->err.message, message);
}

static UNIT_WITH(test_chunks, setup, teardown)
{
	struct fixture *f = *state;
	struct build_chunk chunk = good_chunk;
	chunk.type = JR_PQ_INT64;
	expect_chunk(f, chunk, JR_EFORMAT, "type 1 in the schema, 2 in the column chunk");
	chunk = good_chunk;
	chunk.path[0] = "b";
	expect_chunk(f, chunk, JR_EFORMAT, "to another column");
	chunk = good_chunk;
	chunk.path[1] = "a";
	expect_chunk(f, chunk, JR_EFORMAT, "to another column");
	chunk = good_chunk;
	chunk.n_values = 2;
	expect_chunk(f, chunk, JR_EFORMAT, "2 values in a row group of 1 rows");
	chunk = good_chunk;
	chunk.encrypted = true;
	expect_chunk(f, chunk, JR_EUNSUPPORTED, "encrypted column");
	chunk = good_chunk;
	chunk.external = true;
	expect_chunk(f, chunk, JR_EUNSUPPORTED, "pages in another file");
	for (int codec = 3; codec <= 7; codec++) {
		chunk = good_chunk;
		chunk.codec = codec;
		if (codec != 6)
			expect_chunk(f, chunk, JR_EUNSUPPORTED, "pages compressed with");
	}
	chunk.codec = 8;
	expect_chunk(f, chunk, JR_EFORMAT, "unknown compression codec 8");
	const int64_t sizes[] = {1, 10, 1000, INT64_MAX};
	for (size_t i = 0; i < JR_COUNT_OF(sizes); i++) {
		chunk = good_chunk;
		chunk.size = sizes[i];
		expect_chunk(f, chunk, JR_EFORMAT, "column 'a'");
	}
	const int64_t offsets[] = {0, 3, 5, 12, 1000, INT64_MAX};
	for (size_t i = 0; i < JR_COUNT_OF(offsets); i++) {
		chunk = good_chunk;
		chunk.data_offset = offsets[i];
		chunk.size = 10;
		expect_chunk(f, chunk, JR_EFORMAT, "column 'a'");
	}
	chunk = good_chunk; /* the chunk reaches into the footer */
	chunk.size = 60;
	expect_chunk(f, chunk, JR_EFORMAT, "reaches beyond the data");
}
