/* Tables in the form of digests: every value comes back, and what is not valid is refused. */
#include <string.h>

#include "unit.h"

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

#define T struct arrays
static const struct jr_compact_column range_columns[] = {
	ARRAY(row, PLAIN, BELOW, JR_COMPACT_BOUND(BOUND_ROWS), false),
	ARRAY(start, START, ANY, 0, false), ARRAY(end, END, TIME, 0, false)};
#undef T
static const struct jr_compact_table ranges_table = {
	.name = "ranges", .n_columns = JR_COUNT_OF(range_columns), .columns = range_columns};

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
	struct jr_buf bytes, bits;
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
	jr_buf_done(&f->bits);
	return 0;
}

static struct jr_expanding *reading(struct fixture *f, size_t size)
{
	f->in = (struct jr_expanding){.in = jr_reader_of(jr_bytes_of(f->bytes.data, size)),
		.bits = jr_reader_of(jr_buf_view(&f->bits)),
		.limits = &f->limits,
		.arena = &f->arena};
	f->in.bounds[BOUND_ROWS] = 4;
	return &f->in;
}

static UNIT_WITH(columns_come_back, set_up, tear_down)
{
	struct fixture *f = *state;
	int64_t start[] = {INT64_MIN, INT64_MAX, 0, -1}, end[] = {INT64_MAX, INT64_MIN, 7, -1};
	int64_t child[] = {INT64_MIN, 1, 3, 0}, self[] = {5, INT64_MAX, 4, 0};
	uint32_t row[] = {JR_NONE, 0, 3, JR_NONE};
	const struct arrays a = {4, start, end, child, self, row, NULL};
	struct arrays b = {0};
	jr_compact_table(&f->bytes, NULL, &arrays_table, &a, a.n);
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

/* Write ranges, and expect them back; fail at each cut of their bits. */
static void expect_ranges(struct fixture *f, const struct arrays *a)
{
	struct arrays b = {0};
	f->bytes.size = f->bits.size = 0;
	jr_compact_table(&f->bytes, &f->bits, &ranges_table, a, a->n);
	assert_int_equal(
		jr_expand_table(reading(f, f->bytes.size), &ranges_table, &b, &b.n, &f->err), JR_OK);
	assert_int_equal(jr_expand_end(&f->in, &f->err), JR_OK);
	assert_int_equal(b.n, a->n);
	assert_memory_equal(b.row, a->row, a->n * sizeof(*a->row));
	assert_memory_equal(b.start, a->start, a->n * sizeof(*a->start));
	assert_memory_equal(b.end, a->end, a->n * sizeof(*a->end));
	size_t whole = f->bits.size;
	for (f->bits.size = 0; f->bits.size < whole; f->bits.size++)
		assert_int_equal(
			jr_expand_table(reading(f, f->bytes.size), &ranges_table, &b, &b.n, &f->err),
			JR_EFORMAT);
}

static UNIT_WITH(ranges_come_back, set_up, tear_down)
{
	struct fixture *f = *state;
	int64_t start[] = {INT64_MIN, 5, INT64_MAX, 5, 6, 0, JR_TIME_MAX_NS};
	int64_t end[] = {JR_TIME_MAX_NS, 5, -JR_TIME_MAX_NS, 8, 9, 1, 0};
	uint32_t row[] = {0, 3, 0, 3, 3, 1, 3};
	expect_ranges(f, &(struct arrays){.n = 7, .start = start, .end = end, .row = row});
	end[6] = JR_TIME_MAX_NS + 1;
	struct arrays b = {0};
	f->bytes.size = f->bits.size = 0;
	jr_compact_table(&f->bytes, &f->bits, &ranges_table,
		&(struct arrays){.start = start, .end = end, .row = row}, 7);
	struct jr_expanding *in = reading(f, f->bytes.size);
	assert_int_equal(jr_expand_table(in, &ranges_table, &b, &b.n, &f->err), JR_EFORMAT);
	assert_non_null(strstr(f->err.message, "'end' of ranges is not valid in row 6"));
}

/* A column in which few rows differ takes a few bytes, except for the first one. */
static UNIT_WITH(rare_values_come_back, set_up, tear_down)
{
	enum { N = 320 };
	struct fixture *f = *state;
	struct row rows[N], *read;
	size_t n;
	for (size_t i = 0; i < N; i++)
		rows[i] = (struct row){7, 5, UINT64_MAX, (int64_t)i % 2};
	rows[0].line = INT32_MIN;
	rows[N - 1].count = 0;
	jr_compact_table(&f->bytes, NULL, &rows_table, rows, N);
	size_t whole = f->bytes.size;
	assert_in_range(whole, 2 * N, 2 * N + 60); /* id and time_ns, and the few bytes of the others */
	assert_int_equal(jr_expand_table(reading(f, whole), &rows_table, &read, &n, &f->err), JR_OK);
	assert_int_equal(jr_expand_end(&f->in, &f->err), JR_OK);
	assert_int_equal(n, N);
	for (size_t i = 0; i < N; i++)
		assert_true(read[i].id == 7 && read[i].line == rows[i].line &&
					read[i].count == rows[i].count && read[i].time_ns == rows[i].time_ns);
	for (size_t size = 0; size < whole; size++)
		assert_int_equal(
			jr_expand_table(reading(f, size), &rows_table, &read, &n, &f->err), JR_EFORMAT);
	/* More rows than bytes: the first column has one per row. */
	f->bytes.size = 0;
	jr_buf_varint(&f->bytes, 20);
	for (size_t i = 0; i < 40; i++)
		jr_buf_putc(&f->bytes, i ? 0 : 10);
	assert_int_equal(jr_expand_table(reading(f, f->bytes.size), &rows_table, &read, &n, &f->err),
		JR_EFORMAT);
	assert_non_null(strstr(f->err.message, "'id' of rows has width 10"));
}

/* Each kind of range has its own length, and the next begins soon after it. */
static UNIT_WITH(like_ranges_are_small, set_up, tear_down)
{
	enum { N = 1000, N_KINDS = 4 };
	struct fixture *f = *state;
	int64_t start[N], end[N], at_ns = 1000000000;
	uint32_t row[N], x = 1;
	for (size_t i = 0; i < N; i++) {
		x = x * 1664525 + 1013904223;
		row[i] = i % N_KINDS;
		start[i] = at_ns + 900;
		end[i] = at_ns = start[i] + (INT64_C(1000) << (4 * row[i])) + (x >> 28);
	}
	expect_ranges(f, &(struct arrays){.n = N, .start = start, .end = end, .row = row});
	/* About 5 bits of the length differ, and nothing of the start. */
	assert_in_range(f->bits.size, N * 4 / 8, N * 9 / 8);
}

static UNIT_WITH(rows_come_back, set_up, tear_down)
{
	struct fixture *f = *state;
	const struct row rows[] = {{9, INT32_MIN, UINT64_MAX, INT64_MAX}, {0, 5, 0, -JR_TIME_MAX_NS}};
	struct row *read;
	size_t n;
	jr_compact_table(&f->bytes, NULL, &rows_table, rows, 2);
	assert_int_equal(
		jr_expand_table(reading(f, f->bytes.size), &rows_table, &read, &n, &f->err), JR_OK);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(read[i].id, rows[i].id);
		assert_int_equal(read[i].line, rows[i].line);
		assert_true(read[i].count == rows[i].count && read[i].time_ns == rows[i].time_ns);
	}
}

static UNIT_WITH(bad_values_are_refused, set_up, tear_down)
{
	struct fixture *f = *state;
	const struct row bad[] = {{10, 0, 0, 0}, {0, 0, 0, JR_TIME_MAX_NS + 1}, {0, 0, 0, INT64_MIN}};
	for (size_t i = 0; i < JR_COUNT_OF(bad); i++) {
		struct row read;
		f->bytes.size = 0;
		jr_compact_table(&f->bytes, NULL, &rows_table, &bad[i], 1);
		assert_int_equal(jr_expand_row(reading(f, f->bytes.size), &rows_table, &read, &f->err),
			JR_EFORMAT);
	}
}

static UNIT_WITH(limits_hold, set_up, tear_down)
{
	struct fixture *f = *state;
	const struct row rows[3] = {{0}};
	struct row *read;
	size_t n;
	jr_compact_table(&f->bytes, NULL, &rows_table, rows, 3);
	f->limits.rows = 2;
	assert_int_equal(
		jr_expand_table(reading(f, f->bytes.size), &rows_table, &read, &n, &f->err), JR_ELIMIT);
	f->bytes.size = 0;
	jr_buf_varint(&f->bytes, UINT64_MAX);
	assert_int_equal(
		jr_expand_table(reading(f, f->bytes.size), &rows_table, &read, &n, &f->err), JR_EFORMAT);
	f->bytes.size = 0;
	jr_compact_text(&f->bytes, "abcdef");
	f->limits.string_bytes = 5;
	const char *text;
	assert_int_equal(jr_expand_text(reading(f, f->bytes.size), true, &text, &f->err), JR_ELIMIT);
}

static UNIT_WITH(texts_keep_their_ids, set_up, tear_down)
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
	jr_buf_varint(&f->bytes, 2);
	jr_compact_text(&f->bytes, "d");
	jr_compact_text(&f->bytes, "d");
	jr_intern_done(&read);
	jr_intern_init(&read);
	in = reading(f, f->bytes.size);
	assert_int_equal(jr_expand_strings(in, false, &read, &f->err), JR_EFORMAT);
	jr_intern_done(&strings);
	jr_intern_done(&read);
}
