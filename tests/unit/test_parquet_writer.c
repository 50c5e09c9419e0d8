/* Contents of the footer that the writer makes. test_trace.c and all tests with archives read
 * the packed values back. */
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "compressors.h"
#include "formats/text/json_parse.h"
#include "formats/parquet/parquet.h"
#include "formats/parquet/parquet_footer.h"
#include "formats/parquet/parquet_pages.h"
#include "formats/parquet/parquet_writer.h"

static const int64_t numbers[] = {7, 8, 9};
static const double reals[] = {0.5, 1, 2};
static const uint8_t valid[] = {1, 0, 1};

static const struct jr_pq_put_column columns[] = {
	{.name = "a \"b\"", .type = JR_PQ_PUT_DOUBLE, .f64 = reals, .valid = valid},
	{.name = "PID", .type = JR_PQ_PUT_INT64, .i64 = numbers},
	{.name = "TID", .type = JR_PQ_PUT_INT32, .i64 = numbers},
};

/* Parse the value of the key `pandas`. */
static void read_key(const struct jr_buf *file, struct jr_json_doc *doc)
{
	static const char begin[] = "{\"index_columns\"";
	const char *at = memmem(file->data, file->size, begin, sizeof(begin) - 1);
	assert_non_null(at);
	const char *end = memmem(at, file->size - (size_t)(at - file->data), "\"1.5.3\"}", 8);
	assert_non_null(end);
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {0};
	if (jr_json_parse(jr_bytes_of(at, (size_t)(end + 8 - at)), &limits, doc, &err) != JR_OK)
		fail_msg("%s", err.message);
}

static const struct jr_json *item(const struct jr_json *array, uint32_t i)
{
	assert_non_null(array);
	const struct jr_json *v = array->first;
	for (; i && v; i--)
		v = v->next;
	assert_non_null(v);
	return v;
}

static void assert_text(const struct jr_json *v, const char *expected)
{
	assert_non_null(jr_json_string(v));
	assert_string_equal(jr_json_string(v), expected);
}

static UNIT(test_index_of_columns)
{
	const struct jr_pq_put_options options = {
		.page_version = 1, .library = "jaxreport", .version = "9", .n_index = 2, .n_levels = 2};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	assert_int_equal(
		jr_parquet_write(&file, columns, JR_COUNT_OF(columns), 3, &options, NULL), JR_OK);
	struct jr_json_doc doc;
	read_key(&file, &doc);
	const struct jr_json *index = jr_json_member(doc.root, "index_columns");
	assert_int_equal(index->n, 2);
	assert_text(item(index, 0), "PID");
	assert_text(item(index, 1), "TID");
	assert_int_equal(jr_json_member(doc.root, "column_indexes")->n, 2);
	const struct jr_json *all = jr_json_member(doc.root, "columns");
	static const char *const types[][2] = {
		{"float64", "float64"}, {"int64", "int64"}, {"int32", "int32"}};
	assert_int_equal(all->n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_text(jr_json_member(item(all, i), "name"), columns[i].name);
		assert_text(jr_json_member(item(all, i), "field_name"), columns[i].name);
		assert_text(jr_json_member(item(all, i), "pandas_type"), types[i][0]);
		assert_text(jr_json_member(item(all, i), "numpy_type"), types[i][1]);
	}
	assert_text(jr_json_at(doc.root, "creator.version"), "9");
	jr_json_done(&doc);
}

static UNIT(test_numbered_rows)
{
	const struct jr_pq_put_options options = {
		.page_version = 1, .library = "jaxreport", .version = "9"};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	assert_int_equal(
		jr_parquet_write(&file, columns, JR_COUNT_OF(columns), 3, &options, NULL), JR_OK);
	struct jr_json_doc doc;
	read_key(&file, &doc);
	const struct jr_json *index = jr_json_member(doc.root, "index_columns");
	assert_int_equal(index->n, 1);
	assert_text(jr_json_member(item(index, 0), "kind"), "range");
	assert_string_equal(jr_json_member(item(index, 0), "stop")->text, "3");
	assert_int_equal(jr_json_member(doc.root, "column_indexes")->n, 1);
	jr_json_done(&doc);
}

static UNIT(test_row_groups)
{
	enum { ROWS = (1 << 20) + 3 };
	const struct jr_pq_put_options options = {
		.page_version = 1, .library = "jaxreport", .version = "9"};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	int64_t *rows = JR_ARENA_N(&arena, int64_t, ROWS);
	for (size_t i = 0; i < ROWS; i++)
		rows[i] = (int64_t)(i / 3);
	const struct jr_pq_put_column column = {.name = "x", .type = JR_PQ_PUT_INT64, .i64 = rows};
	struct jr_parquet_out w;
	jr_parquet_out_begin(&w, &file, &options);
	struct jr_error err = {0};
	assert_int_equal(jr_parquet_out_rows(&w, &column, 1, ROWS, &err), JR_OK);
	assert_int_equal(jr_parquet_out_rows(&w, &column, 1, 5, &err), JR_OK);
	assert_int_equal(jr_parquet_out_end(&w, &column, 1, &err), JR_OK);
	struct jr_pq_footer footer;
	assert_int_equal(jr_pq_footer_read(jr_buf_view(&file), &arena, &footer, &err), JR_OK);
	assert_int_equal(footer.n_groups, 3);
	assert_int_equal(footer.groups[0].n_rows, 1 << 20);
	assert_int_equal(footer.groups[1].n_rows, 3);
	assert_int_equal(footer.groups[2].n_rows, 5);
	assert_string_equal(footer.created_by, "jaxreport version 9");
	struct jr_limits limits = jr_limits_default();
	struct jr_parquet pq;
	struct jr_parquet_values values;
	assert_int_equal(jr_parquet_open(jr_buf_view(&file), &limits, &arena, &pq, &err), JR_OK);
	assert_int_equal(jr_parquet_read(&pq, 0, &arena, &values, &err), JR_OK);
	assert_int_equal(values.n_rows, ROWS + 5);
	for (size_t i = 0; i < ROWS + 5; i++)
		if (values.int64[i] != rows[i < ROWS ? i : i - ROWS])
			fail_msg("row %zu is %lld", i, (long long)values.int64[i]);
}

/* --- sizes ------------------------------------------------------------------------------------ */

enum { ROWS = 10, TEXT_BYTES = 1000 };

/* Make columns of ten rows that take 1000 bytes each: long texts, and lists of 125 numbers. */
static void make_large(struct jr_arena *arena, struct jr_pq_put_column large[2])
{
	struct jr_bytes *texts = JR_ARENA_N(arena, struct jr_bytes, ROWS);
	uint64_t *begin = JR_ARENA_N(arena, uint64_t, ROWS + 1);
	int64_t *elements = JR_ARENA_N(arena, int64_t, ROWS * 125);
	for (size_t i = 0; i < ROWS; i++) {
		char *text = jr_arena_alloc(arena, TEXT_BYTES);
		memset(text, 'a' + (int)i, TEXT_BYTES);
		texts[i] = jr_bytes_of(text, TEXT_BYTES);
		begin[i + 1] = 125 * (i + 1);
	}
	for (size_t i = 0; i < ROWS * 125; i++)
		elements[i] = (int64_t)i;
	large[0] = (struct jr_pq_put_column){.name = "x", .type = JR_PQ_PUT_TEXT, .text = texts};
	large[1] = (struct jr_pq_put_column){
		.name = "x", .type = JR_PQ_PUT_INT64_LIST, .i64 = elements, .list_begin = begin};
}

/* Count the data pages of the only column, each of at most `most` bytes, and read the rows back
 * whole. */
static size_t count_pages(const struct jr_buf *file, struct jr_arena *arena, uint64_t most)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {0};
	struct jr_pq_footer footer;
	struct jr_parquet pq;
	struct jr_parquet_values values;
	assert_int_equal(jr_pq_footer_read(jr_buf_view(file), arena, &footer, &err), JR_OK);
	assert_int_equal(jr_parquet_open(jr_buf_view(file), &limits, arena, &pq, &err), JR_OK);
	assert_int_equal(jr_parquet_read(&pq, 0, arena, &values, &err), JR_OK);
	assert_int_equal(values.n_rows, ROWS);
	for (uint32_t i = 0; values.string && i < ROWS; i++)
		assert_int_equal(values.dictionary[values.string[i]].data[999], 'a' + (int)i);
	for (int64_t i = 0; values.list_begin && i < ROWS * 125; i++)
		assert_int_equal(values.int64[i], i);
	const struct jr_pq_chunk *chunk = footer.groups[0].chunks;
	struct jr_reader in =
		jr_reader_of(jr_bytes_of(file->data + chunk->begin, chunk->size_bytes));
	size_t n = 0;
	while (jr_reader_left(&in)) {
		struct jr_pq_page page;
		assert_int_equal(jr_pq_page_next(&in, chunk->begin, &limits, &page, &err), JR_OK);
		n += page.type != JR_PQ_DICTIONARY_PAGE;
		assert_true(page.type == JR_PQ_DICTIONARY_PAGE || page.size_bytes <= most);
	}
	return n;
}

static UNIT(test_pages_end_by_bytes)
{
	struct jr_arena arena;
	struct jr_pq_put_column large[2];
	jr_arena_init(&arena, 0);
	make_large(&arena, large);
	for (int way = 0; way < 8; way++) {
		struct jr_pq_put_column *column = &large[way & 1];
		const struct jr_pq_put_options options = {
			.page_version = way & 2 ? 2 : 1, .page_bytes = 2500, .dictionary_bytes = 2500};
		JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
		column->no_dictionary = way & 4; /* else it becomes full in the first page */
		assert_int_equal(jr_parquet_write(&file, column, 1, ROWS, &options, NULL), JR_OK);
		/* 3, 3, 3 rows and 1 */
		assert_int_equal(count_pages(&file, &arena, 3 * (TEXT_BYTES + 20)), 4);
	}
	/* one row is never split */
	const struct jr_pq_put_options tiny = {.page_version = 1, .page_bytes = 1};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	assert_int_equal(jr_parquet_write(&file, large, 1, ROWS, &tiny, NULL), JR_OK);
	assert_int_equal(count_pages(&file, &arena, TEXT_BYTES + 20), ROWS);
	jr_arena_done(&arena);
}

/* A value that does not fit into the fields of a page header makes the file fail; it is never
 * cut. */
static UNIT(test_pages_beyond_their_header)
{
	static const enum jr_pq_codec codecs[] = {
		JR_PQ_UNCOMPRESSED, JR_PQ_SNAPPY, JR_PQ_GZIP, JR_PQ_ZSTD};
	struct jr_arena arena;
	struct jr_pq_put_column large[2];
	jr_arena_init(&arena, 0);
	make_large(&arena, large);
	for (int way = 0; way < 32; way++) {
		struct jr_pq_put_column *column = &large[way & 1];
		struct jr_pq_put_options options = {.codec = codecs[way >> 3],
			.page_version = way & 2 ? 2 : 1,
			.page_bytes = 1,
			.most_page_bytes = TEXT_BYTES - 1,
			.n_threads = 2};
		JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
		struct jr_error err = {0};
		column->no_dictionary = way & 4; /* otherwise its own page is too large */
		assert_int_equal(jr_parquet_write(&file, column, 1, ROWS, &options, &err), JR_ELIMIT);
		assert_non_null(strstr(err.message, "does not fit in a Parquet file"));
		options.most_page_bytes = UINT64_C(20) * TEXT_BYTES;
		file.size = 0;
		assert_int_equal(jr_parquet_write(&file, column, 1, ROWS, &options, &err), JR_OK);
	}
	/* after a failure of one piece, all later pieces fail */
	const struct jr_pq_put_options options = {.page_version = 1, .most_page_bytes = TEXT_BYTES};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_parquet_out w;
	struct jr_error err = {0};
	jr_parquet_out_begin(&w, &file, &options);
	assert_int_equal(jr_parquet_out_rows(&w, large, 1, ROWS, &err), JR_ELIMIT);
	assert_int_equal(jr_parquet_out_rows(&w, large, 1, 1, &err), JR_ELIMIT);
	assert_int_equal(jr_parquet_out_end(&w, large, 1, &err), JR_ELIMIT);
	/* nor is a number cut */
	const int64_t wide[] = {INT32_MIN, INT32_MAX, INT64_C(1) << 31};
	const struct jr_pq_put_column narrow = {.name = "n", .type = JR_PQ_PUT_INT32, .i64 = wide};
	const struct jr_pq_put_options usual = {.page_version = 1};
	assert_int_equal(jr_parquet_write(&file, &narrow, 1, 2, &usual, &err), JR_OK);
	assert_int_equal(jr_parquet_write(&file, &narrow, 1, 3, &usual, &err), JR_ELIMIT);
	assert_string_equal(err.message, "2147483648 does not fit in the 32 bits of column 'n'");
	/* values of a piece are numbered with 32 bits; none is read */
	jr_parquet_out_begin(&w, &file, &options);
	assert_int_equal(jr_parquet_out_rows(&w, columns, 1, (size_t)1 << 31, &err), JR_ELIMIT);
	jr_parquet_out_drop(&w);
	jr_arena_done(&arena);
}

static UNIT(test_compressors_that_fail)
{
	static const struct {
		enum jr_pq_codec codec;
		const char *name;
	} codecs[] = {{JR_PQ_SNAPPY, "snappy"}, {JR_PQ_GZIP, "zlib"}, {JR_PQ_ZSTD, "Zstandard"}};
	for (size_t i = 0; i < JR_COUNT_OF(codecs); i++) {
		const struct jr_pq_put_options options = {
			.codec = codecs[i].codec, .page_version = 1 + (int)(i & 1)};
		JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
		struct jr_error err = {0};
		for (int fails = 1; fails >= 0; fails--) {
			unit_compressors_fail = fails;
			assert_int_equal(
				jr_parquet_write(&file, columns, JR_COUNT_OF(columns), 3, &options, &err),
				fails ? JR_EIO : JR_OK);
			assert_int_equal(strncmp(err.message, codecs[i].name, strlen(codecs[i].name)), 0);
			file.size = 0;
		}
	}
}
