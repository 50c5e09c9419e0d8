/* What the writer says in the footer of a file. What it packs is read back by test_trace.c and by
 * all tests with archives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "formats/json_parse.h"
#include "formats/parquet.h"
#include "formats/parquet_footer.h"
#include "formats/parquet_writer.h"

static const int64_t numbers[] = {7, 8, 9};
static const double reals[] = {0.5, 1, 2};
static const uint8_t valid[] = {1, 0, 1};

static const struct jr_pq_put_column columns[] = {
	{.name = "a \"b\"", .type = JR_PQ_PUT_DOUBLE, .f64 = reals, .valid = valid},
	{.name = "PID", .type = JR_PQ_PUT_INT64, .i64 = numbers},
	{.name = "TID", .type = JR_PQ_PUT_INT32, .i64 = numbers},
};

/* The value of the key `pandas`, parsed. */
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

static void test_index_of_columns(void **state)
{
	(void)state;
	const struct jr_pq_put_options options = {
		.page_version = 1, .library = "jaxreport", .version = "9", .n_index = 2, .n_levels = 2};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	jr_parquet_write(&file, columns, JR_COUNT_OF(columns), 3, &options);
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

static void test_numbered_rows(void **state)
{
	(void)state;
	const struct jr_pq_put_options options = {
		.page_version = 1, .library = "jaxreport", .version = "9"};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	jr_parquet_write(&file, columns, JR_COUNT_OF(columns), 3, &options);
	struct jr_json_doc doc;
	read_key(&file, &doc);
	const struct jr_json *index = jr_json_member(doc.root, "index_columns");
	assert_int_equal(index->n, 1);
	assert_text(jr_json_member(item(index, 0), "kind"), "range");
	assert_string_equal(jr_json_member(item(index, 0), "stop")->text, "3");
	assert_int_equal(jr_json_member(doc.root, "column_indexes")->n, 1);
	jr_json_done(&doc);
}

static void test_row_groups(void **state)
{
	(void)state;
	enum { ROWS = (1 << 20) + 3 };
	const struct jr_pq_put_options options = {
		.page_version = 1, .library = "jaxreport", .version = "9"};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	int64_t *rows = JR_ARENA_N(&arena, int64_t, ROWS);
	for (size_t i = 0; i < ROWS; i++)
		rows[i] = (int64_t)(i / 3);
	const struct jr_pq_put_column column = {.name = "x", .type = JR_PQ_PUT_INT64, .i64 = rows};
	struct jr_parquet_out w;
	jr_parquet_out_begin(&w, &file, &options);
	jr_parquet_out_rows(&w, &column, 1, ROWS);
	jr_parquet_out_rows(&w, &column, 1, 5);
	jr_parquet_out_end(&w, &column, 1);
	struct jr_pq_footer footer;
	struct jr_error err = {0};
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
	jr_arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_index_of_columns),
		cmocka_unit_test(test_numbered_rows),
		cmocka_unit_test(test_row_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
