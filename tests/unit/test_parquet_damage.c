/* Parquet pages that are wrong, too large or not supported: each gives a clear error, and
 * nothing is read beyond the file's bytes. */
#include <zlib.h>

#include "base/cleanup.h"
#include "tests/unit/parquet_fixture.h"

/* An optional INT32 column of pages[n]. */
#define OPTIONAL_OF(pages_, n, values)                                                             \
	(&(struct build_column){.leaf = {INT32("a", OPTIONAL)},                                        \
		.n_leaf = 1,                                                                               \
		.n_rows = (values),                                                                        \
		.n_values = (values),                                                                      \
		.pages = (pages_),                                                                         \
		.n_pages = (n)})

static void expect_page(
	struct fixture *f, struct build_page page, enum jr_status status, const char *message)
{
	expect_read(f, OPTIONAL_OF(&page, 1, 2), status, message);
}

static UNIT_WITH(test_pages, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page good = {
		.n_values = 2, .body = BYTES(2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 2, 0, 0, 0)};
	build_file(&f->file, OPTIONAL_OF(&good, 1, 2));
	expect_open(f, JR_OK, "");
	assert_int_equal(read_column(f, 0), JR_OK);
	struct build_page page = good;
	page.n_values = 3;
	expect_page(f, page, JR_EFORMAT, "contain 3 values, the footer states 2");
	page.n_values = 1;
	expect_page(f, page, JR_EFORMAT, "contain 1 values, the footer states 2");
	page.n_values = -2;
	expect_page(f, page, JR_EFORMAT, "negative count");
	page = good;
	page.type = 4;
	expect_page(f, page, JR_EFORMAT, "page of an unknown type");
	page = good;
	page.size = 15;
	expect_page(f, page, JR_EFORMAT, "uncompressed page of 14 bytes states 15");
	page.size = -1;
	expect_page(f, page, JR_EFORMAT, "negative");
	page = good;
	page.encoding = 1;
	expect_page(f, page, JR_EUNSUPPORTED, "INT32 values in encoding 1 are not supported");
	page.encoding = 6;
	expect_page(f, page, JR_EUNSUPPORTED, "INT32 values in encoding 6 are not supported");
	page.encoding = 8;
	expect_page(f, page, JR_EFORMAT, "page at offset 4");
	page = good;
	page.def_encoding = 5;
	expect_page(f, page, JR_EFORMAT, "definition levels in encoding 5");
	page = good;
	page.body.size--;
	expect_page(f, page, JR_EFORMAT, "2 values take 8 bytes, the page contains 7");
	page.body = BYTES(2, 0, 0);
	expect_page(f, page, JR_EFORMAT, "page ends before its definition levels");
	page.body = BYTES(3, 0, 0, 0, 4, 1);
	expect_page(f, page, JR_EFORMAT, "3 bytes of definition levels in a page of 6");
	page.body = BYTES(2, 0, 0, 0, 4, 2, 1, 0, 0, 0, 2, 0, 0, 0);
	expect_page(f, page, JR_EFORMAT, "level 2 where the schema allows 1");
	page.body = BYTES(2, 0, 0, 0, 2, 1, 1, 0, 0, 0, 2, 0, 0, 0);
	expect_page(f, page, JR_EFORMAT, "runs end after 1 of 2 values");
	page.def_encoding = 4;
	page.body = (struct jr_bytes){0};
	expect_page(f, page, JR_EFORMAT, "definition levels");
}

static UNIT_WITH(test_pages_v2, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page good = {.type = 3,
		.n_values = 2,
		.n_nulls = 1,
		.n_rows = 2,
		.def_bytes = 2,
		.body = BYTES(3, 1, 1, 0, 0, 0)};
	build_file(&f->file, OPTIONAL_OF(&good, 1, 2));
	expect_open(f, JR_OK, "");
	assert_int_equal(read_column(f, 0), JR_OK);
	struct build_page page = good;
	page.n_nulls = 3;
	expect_page(f, page, JR_EFORMAT, "more nulls or rows than values");
	page = good;
	page.n_rows = 3;
	expect_page(f, page, JR_EFORMAT, "more nulls or rows than values");
	page = good;
	page.def_bytes = 7;
	expect_page(f, page, JR_EFORMAT, "longer than the page");
	page.def_bytes = page.rep_bytes = INT32_MAX;
	expect_page(f, page, JR_EFORMAT, "longer than the page");
	page = good;
	page.def_bytes = 1;
	expect_page(f, page, JR_EFORMAT, "page at offset 4");
}

static UNIT_WITH(test_crc, setup, teardown)
{
	struct fixture *f = *state;
	struct build_page page = {
		.n_values = 2, .body = BYTES(2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 2, 0, 0, 0), .has_crc = true};
	page.crc = (uint32_t)crc32(0, page.body.data, (uInt)page.body.size);
	build_file(&f->file, OPTIONAL_OF(&page, 1, 2));
	expect_open(f, JR_OK, "");
	assert_int_equal(read_column(f, 0), JR_OK);
	page.crc ^= 1;
	expect_page(f, page, JR_EFORMAT, "CRC-32 is");
}

static UNIT_WITH(test_dictionaries, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page dictionary = {
		.type = 2, .n_values = 2, .body = BYTES(5, 0, 0, 0, 6, 0, 0, 0)};
	struct build_page pages[] = {dictionary,
		{.n_values = 2, .encoding = 8, .body = BYTES(2, 0, 0, 0, 4, 1, 1, 4, 1)},
		{.n_values = 2, .encoding = 8, .body = BYTES(2, 0, 0, 0, 4, 1, 1, 4, 2)}};
	build_file(&f->file, OPTIONAL_OF(pages, 2, 2));
	expect_open(f, JR_OK, "");
	assert_int_equal(read_column(f, 0), JR_OK);
	expect_read(f, OPTIONAL_OF(pages, 3, 4), JR_EFORMAT, "index 2 into a dictionary of 2 entries");
	expect_read(f, OPTIONAL_OF(pages + 1, 1, 2), JR_EFORMAT, "a dictionary of 0 entries");
	pages[2] = dictionary;
	expect_read(f, OPTIONAL_OF(pages, 3, 2), JR_EFORMAT, "second dictionary at offset");
	pages[0].encoding = 8;
	expect_read(f, OPTIONAL_OF(pages, 2, 2), JR_EFORMAT, "in encoding 8");
	pages[0] = dictionary;
	pages[0].n_values = 3;
	expect_read(f, OPTIONAL_OF(pages, 2, 2), JR_EFORMAT, "3 entries in 8 bytes");
	pages[0].n_values = INT32_MAX;
	expect_read(f, OPTIONAL_OF(pages, 2, 2), JR_ELIMIT, "--max-rows");
	pages[0].n_values = -1;
	expect_read(f, OPTIONAL_OF(pages, 2, 2), JR_EFORMAT, "negative");
	struct build_column booleans = *OPTIONAL_OF(pages, 2, 2);
	pages[0] = dictionary;
	booleans.leaf[0].type = JR_PQ_BOOLEAN;
	expect_read(f, &booleans, JR_EUNSUPPORTED, "BOOLEAN");
	booleans.pages++; /* dictionary indexes without a dictionary */
	booleans.n_pages--;
	expect_read(f, &booleans, JR_EUNSUPPORTED, "BOOLEAN values in encoding 8");
}

static UNIT_WITH(test_required_with_levels, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page page = {
		.n_values = 2, .body = BYTES(2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 2, 0, 0, 0)};
	const struct build_column column = {.leaf = {INT32("a", REQUIRED)},
		.n_leaf = 1,
		.n_rows = 2,
		.n_values = 2,
		.pages = &page,
		.n_pages = 1};
	expect_read(f, &column, JR_EFORMAT, "2 values take 8 bytes, the page contains 14");
}

/* --- lists --------------------------------------------------------------------------------- */

static void expect_list(
	struct fixture *f, struct jr_bytes body, int32_t n_values, int64_t n_rows, const char *message)
{
	const struct build_page page = {.n_values = n_values, .body = body};
	expect_read(f,
		&(struct build_column){.leaf = {GROUP("a", OPTIONAL, LIST), GROUP("list", REPEATED, 0),
								   INT32("element", OPTIONAL)},
			.n_leaf = 3,
			.n_rows = n_rows,
			.n_values = n_values,
			.pages = &page,
			.n_pages = 1},
		JR_EFORMAT, message);
}

static UNIT_WITH(test_lists, setup, teardown)
{
	struct fixture *f = *state;
#define REPS(bits) 2, 0, 0, 0, 3, (bits)
#define DEFS(bits) 2, 0, 0, 0, 3, (bits)
	expect_list(
		f, BYTES(REPS(0x01), DEFS(0x0A)), 2, 1, "repetition level 1 before the first row");
	expect_list(f, BYTES(REPS(0x00), DEFS(0x0A)), 2, 1, "more rows than the row group has");
	expect_list(f, BYTES(REPS(0x02), DEFS(0x0A)), 2, 2, "1 lists in a row group of 2 rows");
	expect_list(f, BYTES(REPS(0x02), DEFS(0x09)), 2, 1, "further element of a list that is empty");
	expect_list(f, BYTES(REPS(0x02), DEFS(0x06)), 2, 1, "further element of a list that is empty");
	expect_list(f, BYTES(2, 0, 0, 0, 4, 2, DEFS(0x0A)), 2, 2, "level 2 where the schema allows 1");
	expect_list(
		f, BYTES(REPS(0x02), DEFS(0x0F)), 2, 1, "2 values take 8 bytes, the page contains 0");
	expect_list(f, (struct jr_bytes){0}, 0, 1, "0 lists in a row group of 1 rows");
	const struct build_page page = {.type = 3,
		.n_values = 2,
		.n_rows = 2,
		.n_nulls = 2,
		.rep_bytes = 2,
		.def_bytes = 2,
		.body = BYTES(3, 0x02, 3, 0x0A)};
	expect_read(f,
		&(struct build_column){.leaf = {GROUP("a", OPTIONAL, LIST), GROUP("list", REPEATED, 0),
								   INT32("element", OPTIONAL)},
			.n_leaf = 3,
			.n_rows = 1,
			.n_values = 2,
			.pages = &page,
			.n_pages = 1},
		JR_EFORMAT, "1 rows, but the header states 2");
}

/* --- row groups ----------------------------------------------------------------------------- */

/* Read two row groups of one row each; the first has the pages before pages[split]. */
static void expect_groups(struct fixture *f, struct build_element leaf,
	const struct build_page *pages, size_t split, size_t n, const char *message)
{
	struct build_chunk chunks[2];
	build_begin(&f->file);
	for (size_t i = 0; i < 2; i++) {
		chunks[i] = (struct build_chunk){.type = leaf.type,
			.path = {leaf.name},
			.n_values = leaf.repetition == REPEATED ? (i ? 1 : 2) : 1,
			.data_offset = (int64_t)f->file.size};
		for (size_t k = i ? split : 0; k < (i ? n : split); k++)
			build_page(&f->file, &pages[k]);
		chunks[i].size = (int64_t)f->file.size - chunks[i].data_offset;
	}
	const struct build_element elements[] = {{.name = "schema", .type = -1, .n_children = 1}, leaf};
	const struct build_group groups[] = {{.n_rows = 1, .chunks = chunks, .n_chunks = 1},
		{.n_rows = 1, .chunks = chunks + 1, .n_chunks = 1}};
	build_end(&f->file,
		&(struct build_footer){
			.elements = elements, .n_elements = 2, .n_rows = 2, .groups = groups, .n_groups = 2});
	assert_int_equal(open_file(f), JR_OK);
	assert_int_equal(read_column(f, 0), JR_EFORMAT);
	if (!strstr(f->err.message, message))
		fail_msg("'%s' does not hold '%s'", f->err.message, message);
}

static UNIT_WITH(test_row_groups, setup, teardown)
{
	struct fixture *f = *state;
	/* the second row group does not inherit the dictionary of the first */
	const struct build_page dictionary[] = {{.type = 2, .n_values = 1, .body = BYTES(5, 0, 0, 0)},
		{.n_values = 1, .encoding = 8, .body = BYTES(0, 2)},
		{.n_values = 1, .encoding = 8, .body = BYTES(0, 2)}};
	expect_groups(f, (struct build_element)INT32("a", REQUIRED), dictionary, 2, 3,
		"a dictionary of 0 entries");
	/* nor do lists begin in one row group and continue in the next */
	const struct build_page lists[] = {{.n_values = 2, .body = BYTES(REPS(0x00), DEFS(0x00))},
		{.n_values = 1, .body = BYTES(REPS(0x01), DEFS(0x01), 1, 0, 0, 0)}};
	expect_groups(f, (struct build_element)INT32("a", REPEATED), lists, 1, 2,
		"more rows than the row group has at value 1");
}

/* --- not supported ------------------------------------------------------------------------- */

static void expect_unread(struct fixture *f, const struct build_column *column, const char *message)
{
	build_file(&f->file, column);
	assert_int_equal(open_file(f), JR_OK);
	assert_false(f->pq.columns[0].readable);
	assert_int_equal(read_column(f, 0), JR_EUNSUPPORTED);
	assert_string_equal(f->err.message, message);
}

static UNIT_WITH(test_unread, setup, teardown)
{
	struct fixture *f = *state;
	struct build_column column = {.leaf = {{.name = "a", .type = JR_PQ_INT96}}, .n_leaf = 1};
	expect_unread(f, &column, "column 'a': INT96 values are not supported");
	column =
		(struct build_column){.leaf = {GROUP("s", OPTIONAL, 0), INT32("x", OPTIONAL)}, .n_leaf = 2};
	expect_unread(f, &column, "column 's.x': nested fields are not supported");
	assert_string_equal(f->pq.columns[0].name, "s.x");
	column.leaf[1].repetition = REPEATED; /* a repeated field within a structure */
	expect_unread(f, &column, "column 's.x': nested fields are not supported");
	column = (struct build_column){
		.leaf = {GROUP("m", OPTIONAL, 1), GROUP("key_value", REPEATED, 0), INT32("key", REQUIRED)},
		.n_leaf = 3};
	expect_unread(f, &column, "column 'm.key_value.key': nested fields are not supported");
	/* by the rules for old writers, a list of structures with one field */
	column.leaf[0].converted = LIST;
	column.leaf[1].name = "array";
	expect_unread(f, &column, "column 'm.array.key': nested fields are not supported");
	column.leaf[1].name = "m_tuple";
	expect_unread(f, &column, "column 'm.m_tuple.key': nested fields are not supported");
	column.leaf[1].name = "list"; /* a list of lists */
	column.leaf[2].repetition = REPEATED;
	expect_unread(f, &column, "column 'm.list.key': nested fields are not supported");
	column.leaf[2].repetition = REQUIRED;
	column.leaf[0].repetition = REPEATED;
	expect_unread(f, &column, "column 'm.list.key': nested fields are not supported");
}

/* --- limits -------------------------------------------------------------------------------- */

static UNIT_WITH(test_limits, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page page = {
		.n_values = 2, .body = BYTES(2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 'x', 2, 0, 0, 0, 'y', 'y')};
	struct build_column column = *OPTIONAL_OF(&page, 1, 2);
	column.leaf[0].type = JR_PQ_BYTE_ARRAY;
	build_file(&f->file, &column);
	struct jr_limits limits = jr_limits_default();
	limits.rows = 1;
	assert_int_equal(open_limited(f, &limits), JR_ELIMIT);
	limits = jr_limits_default();
	limits.entry_bytes = page.body.size - 1;
	assert_int_equal(open_limited(f, &limits), JR_OK);
	assert_int_equal(read_column(f, 0), JR_ELIMIT);
	assert_non_null(strstr(f->err.message, "--max-entry-bytes"));
	limits = jr_limits_default();
	limits.memory_bytes = page.body.size - 1;
	assert_int_equal(open_limited(f, &limits), JR_OK);
	assert_int_equal(read_column(f, 0), JR_ELIMIT);
	assert_non_null(strstr(f->err.message, "--max-memory"));
	limits = jr_limits_default();
	limits.string_bytes = 1;
	assert_int_equal(open_limited(f, &limits), JR_OK);
	assert_int_equal(read_column(f, 0), JR_ELIMIT);
	assert_non_null(strstr(f->err.message, "--max-string-bytes"));
	limits.string_bytes = 2;
	assert_int_equal(open_limited(f, &limits), JR_OK);
	assert_int_equal(read_column(f, 0), JR_OK);
}

/* 150 million values from one run of a few bytes are legal, but the arena's limit stops them. A
 * page that claims 2 GB exceeds its ratio. Both are refused before memory is taken. */
static UNIT_WITH(test_bombs, setup, teardown)
{
	struct fixture *f = *state;
	struct build_page page = {.n_values = 150000000,
		.encoding = 5,
		.body = BYTES(6, 0, 0, 0, 0x80, 0xC6, 0x86, 0x8F, 0x01, 0x00)};
	build_file(&f->file, OPTIONAL_OF(&page, 1, 150000000));
	expect_open(f, JR_OK, "");
	f->arena.limit_bytes = UINT64_C(100) << 20;
	assert_int_equal(read_column(f, 0), JR_ELIMIT);
	assert_true(f->arena.used_bytes < 1 << 20);
	page = (struct build_page){.n_values = 1, .size = INT32_MAX, .body = BYTES(1, 2, 3)};
	struct build_column column = *OPTIONAL_OF(&page, 1, 1);
	column.codec = 1;
	expect_read(f, &column, JR_ELIMIT, "more than 512 times (--max-ratio)");
	assert_true(f->arena.used_bytes < 1 << 20);
	page.size = 1 << 20; /* below that any ratio is allowed, but Snappy's size must match */
	expect_read(f, &column, JR_EFORMAT, "damaged Snappy page");
}

/* --- sweeps -------------------------------------------------------------------------------- */

/* Read everything; the results must be consistent. */
static void walk(struct fixture *f)
{
	if (open_file(f) != JR_OK) {
		assert_true(f->err.message[0]);
		return;
	}
	for (size_t i = 0; i < f->pq.n_columns; i++) {
		if (read_column(f, i) != JR_OK) {
			assert_true(f->err.message[0]);
			continue;
		}
		const struct jr_parquet_values *v = &f->values;
		for (uint64_t k = 0; v->string && k < v->n_values; k++)
			assert_true(v->string[k] == UINT32_MAX || v->string[k] < v->n_dictionary);
		for (uint64_t k = 0; v->list_begin && k < v->n_rows; k++)
			assert_true(v->list_begin[k] <= v->list_begin[k + 1]);
		assert_true(!v->list_begin || v->list_begin[v->n_rows] == v->n_values);
		assert_true(v->list_begin || v->n_values == v->n_rows);
	}
}

/* Cut the file at each length; replace each byte by a few others. */
static void sweep(struct fixture *f, const struct build_column *column)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf whole = {0};
	build_file(&whole, column);
	for (size_t n = 0; n < whole.size; n++) {
		f->file.size = 0;
		jr_buf_add(&f->file, whole.data, n);
		assert_int_not_equal(open_file(f), JR_OK);
	}
	for (size_t i = 0; i < whole.size; i++) {
		const int others[] = {0, 1, 0x7F, 0x80, 0xFF, whole.data[i] ^ 1, whole.data[i] ^ 2,
			whole.data[i] ^ 0x10, whole.data[i] + 1};
		for (size_t k = 0; k < JR_COUNT_OF(others); k++) {
			f->file.size = 0;
			jr_buf_add(&f->file, whole.data, whole.size);
			f->file.data[i] = (char)others[k];
			walk(f);
		}
	}
}

static UNIT_WITH(test_sweeps, setup, teardown)
{
	struct fixture *f = *state;
	const struct build_page lists[] = {
		{.type = 2, .n_values = 2, .body = BYTES(1, 0, 0, 0, 'a', 1, 0, 0, 0, 'b')},
		{.n_values = 5,
			.encoding = 8,
			.body = BYTES(2, 0, 0, 0, 3, 0x02, 3, 0, 0, 0, 3, 0x4B, 0x03, 1, 3, 0x01)},
		{.type = 3,
			.n_values = 1,
			.n_rows = 1,
			.rep_bytes = 2,
			.def_bytes = 2,
			.body = BYTES(2, 0, 2, 3, 1, 0, 0, 0, 'c')},
	};
	sweep(f, &(struct build_column){.leaf = {GROUP("a", OPTIONAL, LIST), GROUP("list", REPEATED, 0),
										STRING("element", OPTIONAL)},
				 .n_leaf = 3,
				 .n_rows = 5,
				 .n_values = 6,
				 .pages = lists,
				 .n_pages = 3});
	const struct build_page delta = {.n_values = 3,
		.encoding = 7,
		.body = BYTES(2, 0, 0, 0, 3, 0x05, 0x80, 1, 4, 2, 0, 2, 0, 0, 0, 0, 0x80, 1, 4, 2, 4, 1, 0,
			0, 0, 0, 'x', 'y', 'z')};
	sweep(f, &(struct build_column){.leaf = {STRING("s", OPTIONAL)},
				 .n_leaf = 1,
				 .n_rows = 3,
				 .n_values = 3,
				 .pages = &delta,
				 .n_pages = 1});
}
