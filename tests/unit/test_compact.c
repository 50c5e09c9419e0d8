/* Tables in the form of digests: every value comes back, and what is not valid is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "formats/compact/compact.h"

enum { BOUND_ROWS };

struct arrays {
	size_t n;
	int64_t *start, *end, *child, *self;
	uint32_t *row;
	uint8_t *flag; /* NULL: absent */
};

#define T struct arrays
#define ARRAY(field, coding, check, below, optional)                                               \
	JR_COMPACT_ARRAY(T, field, JR_COMPACT_##coding, JR_COMPACT_##check, below, optional)
static const struct jr_compact_column array_columns[] = {ARRAY(start, STEP, ANY, 0, false),
	ARRAY(end, SINCE, ANY, 0, false), ARRAY(child, PLAIN, ANY, 0, false),
	ARRAY(self, REST, ANY, 0, false),
	ARRAY(row, STEP, BELOW_OR_NONE, JR_COMPACT_BOUND(BOUND_ROWS), false),
	ARRAY(flag, PLAIN, FLAG, 0, true)};
#undef T
static const struct jr_compact_table arrays_table = {
	.name = "arrays", .n_columns = JR_COUNT_OF(array_columns), .columns = array_columns};

struct row {
	uint32_t id;
	int32_t line;
	uint64_t count;
	int64_t time_ns;
};

#define T struct row
#define FIELD(field, check, below)                                                                 \
	JR_COMPACT_FIELD(T, field, JR_COMPACT_PLAIN, JR_COMPACT_##check, below)
static const struct jr_compact_column row_columns[] = {FIELD(id, BELOW, 10), FIELD(line, ANY, 0),
	FIELD(count, ANY, 0), FIELD(time_ns, TIME_OR_MAX, 0)};
#undef T
static const struct jr_compact_table rows_table = {.name = "rows",
	.row_bytes = sizeof(struct row),
	.n_columns = JR_COUNT_OF(row_columns),
	.columns = row_columns};

/* What a test reads from, and where to. */
struct fixture {
	struct jr_limits limits;
	struct jr_arena arena;
	struct jr_buf bytes;
	struct jr_expanding in;
	struct jr_error err;
};

static int set_up(void **state)
{
	static struct fixture f;
	f = (struct fixture){.limits = jr_limits_default()};
	jr_arena_init(&f.arena, f.limits.memory_bytes);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	jr_arena_done(&f->arena);
	jr_buf_done(&f->bytes);
	return 0;
}

static struct jr_expanding *reading(struct fixture *f, size_t size)
{
	f->in = (struct jr_expanding){.in = jr_reader_of(jr_bytes_of(f->bytes.data, size)),
		.limits = &f->limits,
		.arena = &f->arena};
	f->in.bounds[BOUND_ROWS] = 4;
	return &f->in;
}

static void columns_come_back(void **state)
{
	struct fixture *f = *state;
	int64_t start[] = {INT64_MIN, INT64_MAX, 0, -1}, end[] = {INT64_MAX, INT64_MIN, 7, -1};
	int64_t child[] = {INT64_MIN, 1, 3, 0}, self[] = {5, INT64_MAX, 4, 0};
	uint32_t row[] = {JR_NONE, 0, 3, JR_NONE};
	const struct arrays a = {4, start, end, child, self, row, NULL};
	struct arrays b = {0};
	jr_compact_table(&f->bytes, &arrays_table, &a, a.n);
	size_t whole = f->bytes.size;
	assert_int_equal(
		jr_expand_table(reading(f, whole), &arrays_table, &b, &b.n, &f->err), JR_OK);
	assert_int_equal(jr_expand_end(&f->in, &f->err), JR_OK);
	assert_int_equal(b.n, 4);
	assert_memory_equal(b.start, start, sizeof(start));
	assert_memory_equal(b.end, end, sizeof(end));
	assert_memory_equal(b.child, child, sizeof(child));
	assert_memory_equal(b.self, self, sizeof(self));
	assert_memory_equal(b.row, row, sizeof(row));
	assert_null(b.flag);
	for (size_t size = 0; size < whole; size++) {
		struct arrays cut = {0};
		assert_int_equal(
			jr_expand_table(reading(f, size), &arrays_table, &cut, &cut.n, &f->err), JR_EFORMAT);
	}
	(void)reading(f, whole);
	f->in.bounds[BOUND_ROWS] = 3;
	assert_int_equal(jr_expand_table(&f->in, &arrays_table, &b, &b.n, &f->err), JR_EFORMAT);
	assert_non_null(strstr(f->err.message, "'row' of arrays"));
}

static void rows_come_back(void **state)
{
	struct fixture *f = *state;
	const struct row rows[] = {{9, INT32_MIN, UINT64_MAX, INT64_MAX}, {0, 5, 0, -JR_TIME_MAX_NS}};
	struct row *read;
	size_t n;
	jr_compact_table(&f->bytes, &rows_table, rows, 2);
	assert_int_equal(
		jr_expand_table(reading(f, f->bytes.size), &rows_table, &read, &n, &f->err), JR_OK);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(read[i].id, rows[i].id);
		assert_int_equal(read[i].line, rows[i].line);
		assert_true(read[i].count == rows[i].count && read[i].time_ns == rows[i].time_ns);
	}
}

static void bad_values_are_refused(void **state)
{
	struct fixture *f = *state;
	const struct row bad[] = {{10, 0, 0, 0}, {0, 0, 0, JR_TIME_MAX_NS + 1}, {0, 0, 0, INT64_MIN}};
	for (size_t i = 0; i < JR_COUNT_OF(bad); i++) {
		struct row read;
		f->bytes.size = 0;
		jr_compact_table(&f->bytes, &rows_table, &bad[i], 1);
		assert_int_equal(jr_expand_row(reading(f, f->bytes.size), &rows_table, &read, &f->err),
			JR_EFORMAT);
	}
}

static void limits_hold(void **state)
{
	struct fixture *f = *state;
	const struct row rows[3] = {{0}};
	struct row *read;
	size_t n;
	jr_compact_table(&f->bytes, &rows_table, rows, 3);
	f->limits.rows = 2;
	assert_int_equal(
		jr_expand_table(reading(f, f->bytes.size), &rows_table, &read, &n, &f->err), JR_ELIMIT);
	f->bytes.size = 0;
	jr_compact_number(&f->bytes, UINT64_MAX);
	assert_int_equal(
		jr_expand_table(reading(f, f->bytes.size), &rows_table, &read, &n, &f->err), JR_EFORMAT);
	f->bytes.size = 0;
	jr_compact_text(&f->bytes, "abcdef");
	f->limits.string_bytes = 5;
	const char *text;
	assert_int_equal(jr_expand_text(reading(f, f->bytes.size), true, &text, &f->err), JR_ELIMIT);
}

static void texts_keep_their_ids(void **state)
{
	struct fixture *f = *state;
	struct jr_intern strings, read;
	jr_intern_init(&strings);
	jr_intern_init(&read);
	uint32_t a = jr_intern_puts(&strings, "a"), b = jr_intern_put(&strings, "b\0c", 3);
	jr_compact_strings(&f->bytes, &strings);
	struct jr_expanding *in = reading(f, f->bytes.size);
	assert_int_equal(jr_expand_strings(in, true, &read, &f->err), JR_EFORMAT);
	jr_intern_done(&read);
	jr_intern_init(&read);
	assert_int_equal(jr_expand_strings(reading(f, f->bytes.size), false, &read, &f->err), JR_OK);
	assert_string_equal(jr_intern_str(&read, a), "a");
	assert_int_equal(jr_intern_len(&read, b), 3);
	/* A text that occurs twice would move the ids of all later ones. */
	f->bytes.size = 0;
	jr_compact_number(&f->bytes, 2);
	jr_compact_text(&f->bytes, "d");
	jr_compact_text(&f->bytes, "d");
	jr_intern_done(&read);
	jr_intern_init(&read);
	in = reading(f, f->bytes.size);
	assert_int_equal(jr_expand_strings(in, false, &read, &f->err), JR_EFORMAT);
	jr_intern_done(&strings);
	jr_intern_done(&read);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(columns_come_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rows_come_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bad_values_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limits_hold, set_up, tear_down),
		cmocka_unit_test_setup_teardown(texts_keep_their_ids, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
