/* Values as text: exact for machines, in one unit per column for people. */
#include <math.h>
#include <stdlib.h>

#include "unit.h"

#include "base/cleanup.h"
#include "report/document/compose.h"
#include "report/core/value.h"

static void check_data(enum jr_unit unit, int64_t v, const char *want)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_buf_puts(&out, "");
	struct jr_value i = {.type = JR_I64, .unit = unit, .as.i64 = v};
	jr_value_put_data(&out, &i);
	assert_string_equal(out.data, want);
	out.size = 0;
	struct jr_value f = {.type = JR_F64, .unit = unit, .as.f64 = (double)v};
	jr_value_put_data(&out, &f);
	double got;
	assert_true(jr_parse_double(out.data, out.size, &got) && got == strtod(want, NULL));
}

static UNIT(test_data)
{
	check_data(JR_UNIT_NONE, 1234567, "1234567");
	check_data(JR_UNIT_COUNT, -3, "-3");
	check_data(JR_UNIT_NS, 381636010, "381.63601");
	check_data(JR_UNIT_NS, -1, "-0.000001");
	check_data(JR_UNIT_NS, 0, "0");
	check_data(JR_UNIT_S, 69388404880, "69.38840488");
	check_data(JR_UNIT_S, -1000000000, "-1");
	check_data(JR_UNIT_S, 7, "0.000000007");
	check_data(JR_UNIT_BYTES, 38214567890, "38214567890");
	check_data(JR_UNIT_BYTES_S, 1555200000000, "1555.2");
	check_data(JR_UNIT_FRAC, 1, "1");
	check_data(JR_UNIT_PERCENT, 1, "100");
	check_data(JR_UNIT_POINTS, 1, "100");
	check_data(JR_UNIT_HZ, 1410000000, "1410000000");
}

/* Values written for machines read back exactly, in each unit. */
static UNIT(test_data_read_back)
{
	static const enum jr_unit units[] = {JR_UNIT_NONE, JR_UNIT_COUNT, JR_UNIT_NS, JR_UNIT_S,
		JR_UNIT_BYTES, JR_UNIT_BYTES_S, JR_UNIT_FRAC, JR_UNIT_PERCENT,
		JR_UNIT_POINTS, JR_UNIT_HZ};
	for (size_t i = 0; i < JR_COUNT_OF(units); i++) {
		struct jr_value v = {.type = JR_F64, .unit = units[i], .as.f64 = 0.375};
		double data = jr_value_data(&v);
		assert_true(data == (units[i] == JR_UNIT_PERCENT	 ? 37.5
								: units[i] == JR_UNIT_POINTS ? 37.5
								: units[i] == JR_UNIT_NS	 ? 0.375e-6
								: units[i] == JR_UNIT_S		 ? 0.375e-9
								: units[i] == JR_UNIT_BYTES_S ? 0.375e-9
															 : 0.375));
		assert_true(jr_value_of_data(data, units[i]) == 0.375);
	}
}

static UNIT(test_null)
{
	const struct jr_value nulls[] = {
		{.type = JR_TEXT, .as.text = NULL},
		{.type = JR_I64, .as.i64 = JR_NULL_I64},
		{.type = JR_F64, .as.f64 = NAN},
		{.type = JR_F64, .as.f64 = INFINITY},
		{.type = JR_BOOL, .as.boolean = JR_NULL_BOOL},
		{.type = JR_ROWS, .as.rows = NULL},
	};
	struct jr_value_format format = {.suffix = "", .divisor = 1};
	for (size_t i = 0; i < JR_COUNT_OF(nulls); i++) {
		char room[JR_NUM_MAX];
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		jr_value_put_data(&out, &nulls[i]);
		assert_int_equal(out.size, 0);
		assert_true(jr_value_is_null(&nulls[i]));
		assert_true(isnan(jr_value_number(&nulls[i])));
		assert_string_equal(jr_value_text(&format, &nulls[i], room), "–");
		assert_true(jr_value_bar(&format, &nulls[i]) == 0);
	}
}

/* A table of one column with these values. */
struct column {
	struct jr_arena arena;
	struct jr_column_spec spec;
	struct jr_table_spec table_spec;
	struct jr_table *table;
	struct jr_value_format format;
};

static void column_init(struct column *c, enum jr_type type, enum jr_unit unit,
	const double *values, size_t n)
{
	jr_arena_init(&c->arena, 0);
	c->spec = (struct jr_column_spec){.key = "v", .title = "V", .type = type, .unit = unit};
	c->table_spec = (struct jr_table_spec){.name = "t", .n_columns = 1, .columns = &c->spec};
	c->table = jr_table_new(&c->arena, &c->table_spec, n);
	for (size_t i = 0; i < n; i++) {
		if (type == JR_I64 && !isnan(values[i]))
			c->table->cells[0].i64[i] = (int64_t)values[i];
		else if (type == JR_F64)
			c->table->cells[0].f64[i] = values[i];
	}
	c->format = jr_value_format_of(c->table, 0, n, n);
}

static void check_column(enum jr_type type, enum jr_unit unit, const double *values, size_t n,
	const char *suffix, const char *const *want)
{
	struct column c;
	column_init(&c, type, unit, values, n);
	assert_string_equal(c.format.suffix, suffix);
	assert_true(c.format.numeric);
	for (size_t i = 0; i < n; i++) {
		char room[JR_NUM_MAX];
		struct jr_value v = jr_value_of_cell(c.table, 0, i);
		assert_string_equal(jr_value_text(&c.format, &v, room), want[i]);
	}
	jr_arena_done(&c.arena);
}

#define CHECK(type, unit, suffix, ...)                                                             \
	check_column(type, unit, values, JR_COUNT_OF(values), suffix,                                  \
		(const char *const[]){__VA_ARGS__})

static UNIT(test_times)
{
	{
		static const double values[] = {12345678, 400, 0, NAN, -7000000};
		CHECK(JR_I64, JR_UNIT_NS, "ms", "12.346", "≈ 0", "0", "–", "−7.000");
		CHECK(JR_F64, JR_UNIT_NS, "ms", "12.346", "≈ 0", "0", "–", "−7.000");
	}
	{
		static const double values[] = {3912, 7};
		CHECK(JR_I64, JR_UNIT_NS, "µs", "3.912", "0.007");
	}
	{
		static const double values[] = {123456789012, 5e8};
		CHECK(JR_I64, JR_UNIT_NS, "s", "123.46", "0.50");
	}
	{ /* four digits of the largest, unless the smallest needs more */
		static const double values[] = {123456789012, 5e9};
		CHECK(JR_I64, JR_UNIT_NS, "s", "123.5", "5.0");
	}
	{
		static const double values[] = {1501741000, 9e8};
		CHECK(JR_I64, JR_UNIT_NS, "s", "1.502", "0.900");
	}
	{
		static const double values[] = {999949999, 88e6};
		CHECK(JR_I64, JR_UNIT_NS, "ms", "999.9", "88.0");
	}
	{
		static const double values[] = {0, 0};
		CHECK(JR_I64, JR_UNIT_NS, "ms", "0", "0");
	}
	{
		static const double values[] = {5e6, -100};
		CHECK(JR_I64, JR_UNIT_NS, "ms", "5.000", "≈ 0");
	}
	{ /* one rule for both signs */
		static const double values[] = {5e6, 100, -5e6};
		CHECK(JR_I64, JR_UNIT_NS, "ms", "5.000", "≈ 0", "−5.000");
	}
	{
		static const double values[] = {5e6, 100};
		CHECK(JR_I64, JR_UNIT_NS, "ms", "5.000", "<0.001");
	}
}

static UNIT(test_units_joined)
{
	static const struct {
		double one, other;
		const char *want; /* of one value next to the other */
	} cases[] = {{998e6, 1002e6, "0.998"}, {200e6, 1002e6, "200.0"}, {1002e6, 998e6, "1.002"},
		{900, 1001, "0.900"}, {2e3, 1e6, "2.000"}, {0, 1e9, "0"}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct column one, other;
		char room[JR_NUM_MAX];
		column_init(&one, JR_F64, JR_UNIT_NS, &cases[i].one, 1);
		column_init(&other, JR_F64, JR_UNIT_NS, &cases[i].other, 1);
		bool longer = one.format.divisor < other.format.divisor;
		if (jr_value_format_join(&one.format, &other.format))
			assert_true(longer && one.format.divisor == other.format.divisor);
		struct jr_value v = jr_value_of_cell(one.table, 0, 0);
		assert_string_equal(jr_value_text(&one.format, &v, room), cases[i].want);
		jr_arena_done(&one.arena);
		jr_arena_done(&other.arena);
	}
	struct jr_value_format bytes = {.numeric = true, .unit = JR_UNIT_BYTES, .max_abs = 1e9};
	struct jr_value_format s = {.numeric = true, .unit = JR_UNIT_S, .max_abs = 1e9, .divisor = 1e9};
	assert_false(jr_value_format_join(&bytes, &s));
}

/* Columns that are compared along a row have the unit of the largest value, or a shorter one that
 * shows the others. */
static UNIT(test_units_shared)
{
	static const struct {
		double values[2];
		const char *suffix, *want[2];
	} cases[] = {{{1278e6, 28e3}, "ms", {"1,278", "0.028"}},
		{{2e9, 700e6}, "s", {"2.000", "0.700"}},
		{{3.2e6, 41e3}, "ms", {"3.200", "0.041"}}, {{0, 5e3}, "µs", {"0", "5.000"}}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct column columns[2];
		for (int k = 0; k < 2; k++)
			column_init(&columns[k], JR_F64, JR_UNIT_NS, &cases[i].values[k], 1);
		jr_value_format_share(
			(struct jr_value_format *[]){&columns[0].format, &columns[1].format}, 2);
		for (int k = 0; k < 2; k++) {
			char room[JR_NUM_MAX];
			struct jr_value v = jr_value_of_cell(columns[k].table, 0, 0);
			assert_string_equal(columns[k].format.suffix, cases[i].suffix);
			assert_string_equal(jr_value_text(&columns[k].format, &v, room), cases[i].want[k]);
			jr_arena_done(&columns[k].arena);
		}
	}
}

static UNIT(test_sizes_and_shares)
{
	{
		static const double values[] = {824180000, 402650000};
		CHECK(JR_I64, JR_UNIT_BYTES, "MB", "824.18", "402.65");
	}
	{
		static const double values[] = {20100000, 4, 0};
		CHECK(JR_I64, JR_UNIT_BYTES, "", "20.10 MB", "4 B", "0 B");
	}
	{
		static const double values[] = {512, 4};
		CHECK(JR_I64, JR_UNIT_BYTES, "B", "512", "4");
	}
	{
		static const double values[] = {0.9955, 0.00001, 1};
		CHECK(JR_F64, JR_UNIT_PERCENT, "%", "99.55", "<0.01", "100.00");
		CHECK(JR_F64, JR_UNIT_FRAC, "%", "99.55", "<0.01", "100.00");
	}
	{
		static const double values[] = {145.96e9, 1e6};
		CHECK(JR_F64, JR_UNIT_BYTES_S, "GB/s", "145.96", "<0.01");
	}
	{
		static const double values[] = {13519, 2610};
		CHECK(JR_I64, JR_UNIT_COUNT, "", "13,519", "2,610");
		CHECK(JR_F64, JR_UNIT_COUNT, "", "13,519", "2,610");
		CHECK(JR_I64, JR_UNIT_NONE, "", "13519", "2610"); /* a number that is a name */
	}
	{
		static const double values[] = {123456, 2, 0};
		CHECK(JR_F64, JR_UNIT_NONE, "", "123,456", "2.000", "0"); /* a ratio, not a name */
	}
	{
		static const double values[] = {123456.25, 2};
		CHECK(JR_F64, JR_UNIT_NONE, "", "123,456.250", "2.000");
	}
	{
		static const double values[] = {980.25, 5};
		CHECK(JR_F64, JR_UNIT_COUNT, "", "980.25", "5.00");
	}
}

/* Hidden rows do not affect the unit. */
static UNIT(test_rows_shown)
{
	static const double values[] = {2e6, 5e12, 3e6};
	struct column c;
	column_init(&c, JR_I64, JR_UNIT_NS, values, 3);
	assert_string_equal(c.format.suffix, "s");
	assert_string_equal(jr_value_format_of(c.table, 0, 1, 2).suffix, "ms");
	assert_string_equal(jr_value_format_of(c.table, 0, 1, 3).suffix, "ms");
	assert_string_equal(jr_value_format_of(c.table, 0, 0, 3).suffix, "ms");
	jr_arena_done(&c.arena);
}

static UNIT(test_bars)
{
	static const double values[] = {200, 50, 0, -10, NAN};
	static const double want[] = {1, 0.25, 0, 0, 0};
	struct column c;
	column_init(&c, JR_F64, JR_UNIT_COUNT, values, 5);
	for (size_t i = 0; i < 5; i++) {
		struct jr_value v = jr_value_of_cell(c.table, 0, i);
		assert_true(jr_value_bar(&c.format, &v) == want[i]);
	}
	jr_arena_done(&c.arena);
}

static void check_scalar(enum jr_unit unit, double value, double std, const char *want)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	struct jr_scalar s = {.type = JR_F64, .unit = unit, .plus_minus = std};
	s.value.f64 = value;
	jr_value_put_scalar(&out, &s);
	assert_string_equal(out.data, want);
}

static UNIT(test_scalars)
{
	check_scalar(JR_UNIT_NS, 127212003.4, 3120000, "127.2 ± 3.1 ms");
	check_scalar(JR_UNIT_NS, 127212003.4, 400, "127.21200 ± 0.00040 ms");
	check_scalar(JR_UNIT_NS, 412, NAN, "412 ns");
	check_scalar(JR_UNIT_NS, 17365020, 17656, "17.365 ± 0.018 ms");
	check_scalar(JR_UNIT_NS, 3912, 11, "3.912 ± 0.011 µs");
	check_scalar(JR_UNIT_S, 69388404880.0, 2e9, "69.39 ± 2.0 s");
	check_scalar(JR_UNIT_NS, NAN, NAN, "–");
	check_scalar(JR_UNIT_FRAC, 0.97313, NAN, "97.31 %");
	check_scalar(JR_UNIT_FRAC, 0.97313, 0.01, "97.31 ± 1.0 %");
	check_scalar(JR_UNIT_POINTS, 0.2211, NAN, "22.11 pp");
	check_scalar(JR_UNIT_BYTES, 38214567890.0, NAN, "38.21 GB");
	check_scalar(JR_UNIT_BYTES_S, 1.5552e12, NAN, "1,555 GB/s");
	check_scalar(JR_UNIT_HZ, 1.41e9, NAN, "1.410 GHz");
	check_scalar(JR_UNIT_COUNT, 12.5, 0.5, "12.50 ± 0.50");
	check_scalar(JR_UNIT_COUNT, 100, NAN, "100");
	for (int yes = 0; yes < 2; yes++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		struct jr_scalar flag = {.type = JR_BOOL, .plus_minus = NAN, .value.boolean = yes};
		jr_value_put_scalar(&out, &flag);
		assert_string_equal(out.data, yes ? "yes" : "no");
	}
	check_scalar(JR_UNIT_COUNT, 12345, NAN, "12,345");
	check_scalar(JR_UNIT_COUNT, 2.25, NAN, "2.250");
	check_scalar(JR_UNIT_NONE, 3, NAN, "3.000");
}

/* A change shows its direction, if it has one. */
static UNIT(test_scalars_of_change)
{
	static const struct {
		enum jr_unit unit;
		double value;
		const char *want;
	} cases[] = {{JR_UNIT_NS, 5e6, "+5.000 ms"}, {JR_UNIT_NS, -5e6, "−5.000 ms"},
		{JR_UNIT_NS, 0, "0 ns"}, {JR_UNIT_PERCENT, 0.1, "+10.00 %"},
		{JR_UNIT_FRAC, 0.1, "+10.00 pp"}, {JR_UNIT_FRAC, -0.1, "−10.00 pp"},
		{JR_UNIT_POINTS, 0.1, "+10.00 pp"}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		struct jr_scalar s = {
			.type = JR_F64, .unit = cases[i].unit, .plus_minus = NAN, .change = true};
		s.value.f64 = cases[i].value;
		jr_value_put_scalar(&out, &s);
		assert_string_equal(out.data, cases[i].want);
	}
}

/* A sentence begins with a capital letter, unless it begins with an expression of --what-if,
 * which would no longer be valid. */
static UNIT(test_sentences)
{
	struct jr_doc doc = {0};
	jr_arena_init(&doc.arena, 0);
	assert_string_equal(jr_doc_sentence(&doc, "steps are uneven: see below"),
		"Steps are uneven: see below.");
	assert_string_equal(jr_doc_sentence(&doc, "collective:all-reduce=0.5x is not replayed"),
		"collective:all-reduce=0.5x is not replayed.");
	assert_string_equal(jr_doc_sentence(&doc, "thunk:fusion=0.5x is not replayed"),
		"thunk:fusion=0.5x is not replayed.");
	jr_arena_done(&doc.arena);
}

/* The potential saving, as every format shows it next to a title. */
static UNIT(test_gains)
{
	struct jr_finding f = {.cause = JR_CAUSE_HOST,
		.recoverable_ns = 8000000,
		.step_recoverable_ns = 131000,
		.step_without_ns = 869000,
		.step_least_ns = 131000,
		.predicted = true,
		.error_ns = 1000};
	static const struct {
		int64_t least_ns, error_ns;
		const char *text;
	} of_steps[] = {{131000, 1000, "host, a replay predicts a step of 869.0 µs"},
		{127000, 1000,
			"host, saving 127.0–131.0 µs, a replay predicts a step of at least 869.0 µs"},
		{131000, 131000, "host, saving within the prediction error (±131.0 µs)"}};
	for (size_t i = 0; i < JR_COUNT_OF(of_steps); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		f.step_least_ns = of_steps[i].least_ns;
		f.error_ns = of_steps[i].error_ns;
		jr_value_put_gain(&text, &f);
		assert_string_equal(text.data, of_steps[i].text);
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf once = {0};
	f = (struct jr_finding){.cause = JR_CAUSE_COMPILATION,
		.recoverable_ns = 8000000,
		.step_recoverable_ns = JR_NULL_I64,
		.step_without_ns = JR_NULL_I64,
		.n_gpus = 4,
		.times = 2};
	jr_value_put_gain(&once, &f);
	assert_string_equal(once.data, "compilation, 2 times");
}

static UNIT(parts_of_findings)
{
	struct jr_finding_part parts[JR_FINDING_PARTS];
	struct jr_finding f = {.why = "It waits.", .action = "Do not wait.", .evidence = "3 waits."};
	assert_int_equal(jr_value_finding_parts(&f, parts), 3);
	assert_string_equal(parts[0].label, "What to do:");
	assert_string_equal(parts[0].text, "Do not wait.");
	assert_null(parts[1].label);
	assert_string_equal(parts[1].text, "It waits.");
	assert_false(parts[1].small);
	assert_string_equal(parts[2].text, "3 waits.");
	assert_true(parts[2].small);
	f = (struct jr_finding){.why = "", .action = "Do not wait."};
	assert_int_equal(jr_value_finding_parts(&f, parts), 1);
	assert_string_equal(parts[0].text, "Do not wait.");
}
