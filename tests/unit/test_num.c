/* Numbers to text and back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/num.h"
#include "random.h"

static double double_of_bits(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void expect_double(double v, const char *expected)
{
	char out[JR_NUM_MAX];
	assert_int_equal(jr_num_double(out, v), strlen(expected));
	assert_string_equal(out, expected);
}

static UNIT(doubles_known)
{
	expect_double(0.1, "0.1");
	expect_double(1e-7, "1e-07");
	expect_double(0, "0");
	expect_double(-0.0, "0");
	expect_double(-2.5, "-2.5");
	expect_double(1.0 / 3, "0.3333333333333333");
	expect_double(0.1 + 0.2, "0.30000000000000004");
	expect_double(123456789012345.0, "123456789012345");
	expect_double(1e15, "1e+15");
	expect_double(9007199254740993.0, "9007199254740992");
	expect_double(1.7976931348623157e308, "1.7976931348623157e+308");
	expect_double(5e-324, "5e-324");
	expect_double(2.2250738585072014e-308, "2.2250738585072014e-308");
	expect_double(NAN, "null");
	expect_double(INFINITY, "null");
	expect_double(-INFINITY, "null");
}

static bool reads_as(const char *text, double v)
{
	double back;
	return jr_parse_double(text, strlen(text), &back) && back == v;
}

/* Check that no text with fewer digits reads back as the same double. */
static void expect_shortest(double v)
{
	char out[JR_NUM_MAX], shorter[JR_NUM_MAX];
	size_t n = jr_num_double(out, v);
	assert_int_equal(n, strlen(out));
	assert_true(reads_as(out, v));
	int digits = 0;
	for (const char *p = out; *p && *p != 'e'; p++)
		digits += (*p >= '1' && *p <= '9') || (*p == '0' && digits);
	if (digits > 17)
		fail_msg("%s: %d digits", out, digits);
	for (int d = 1; d < digits; d++) {
		snprintf(shorter, sizeof(shorter), "%.*e", d - 1, v);
		if (reads_as(shorter, v) && fabs(v) >= 1e15)
			fail_msg("%s, but %s is shorter", out, shorter);
		if (reads_as(shorter, v) && v != trunc(v))
			fail_msg("%s, but %s is shorter", out, shorter);
	}
}

static UNIT(doubles_random)
{
	uint64_t seed = 1;
	for (int i = 0; i < 20000; i++) {
		double v = double_of_bits(next_random(&seed));
		if (isfinite(v))
			expect_shortest(v);
		expect_shortest((double)(next_random(&seed) % 1000000) / 1000);
		expect_shortest(ldexp(1, (int)(next_random(&seed) % 2000) - 1060));
		expect_shortest((double)(next_random(&seed) >> (next_random(&seed) % 64)) / 1e9);
	}
}

/* The text is printf's with the fewest of 15, 16, 17 digits that read back, including ties. */
static UNIT(doubles_as_printf)
{
	uint64_t seed = 7;
	for (int i = 0; i < 60000; i++) {
		double v =
			(double)(next_random(&seed) >> 11) * pow(10, (int)(next_random(&seed) % 30) - 30);
		if (i % 3 == 1) /* a few bits after the point: ties */
			v = ldexp((double)(next_random(&seed) >> (next_random(&seed) % 32)), -14);
		if (i % 3 == 2) /* next to a power of two or of ten */
			v = nextafter(i & 1 ? ldexp(1, (int)(next_random(&seed) % 90) - 40)
								: pow(10, (int)(next_random(&seed) % 28) - 12),
				i & 2 ? 0 : INFINITY);
		char out[JR_NUM_MAX], expected[JR_NUM_MAX];
		jr_num_double(out, i & 4 ? -v : v);
		if (v < 1e15 && v == trunc(v))
			continue; /* as a whole number */
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(expected, sizeof(expected), "%.*g", digits, i & 4 ? -v : v);
			if (strtod(expected, NULL) == (i & 4 ? -v : v))
				break;
		}
		assert_string_equal(out, expected);
	}
}

/* Parse a number for machines: no commas, and a hyphen as minus. */
static double plain(char *text)
{
	size_t n = 0, minus = strlen(JR_NUM_MINUS);
	const char *p = text;
	if (strncmp(p, JR_NUM_MINUS, minus) == 0) {
		text[n++] = '-';
		p += minus;
	}
	for (; *p; p++)
		if (*p != ',')
			text[n++] = *p;
	text[n] = '\0';
	return strtod(text, NULL);
}

static UNIT(rounds_as_printf)
{
	uint64_t seed = 11;
	for (int i = 0; i < 60000; i++) {
		double v =
			(double)(next_random(&seed) >> 11) * pow(10, (int)(next_random(&seed) % 26) - 30);
		if (i % 2) /* ties */
			v = ldexp((double)(next_random(&seed) >> (20 + next_random(&seed) % 44)), -6);
		if (i & 2)
			v = -v;
		char out[JR_NUM_MAX], expected[JR_NUM_MAX];
		int decimals = (int)(next_random(&seed) % 6), digits = 1 + (int)(next_random(&seed) % 8);
		jr_num_grouped(out, v, decimals);
		snprintf(expected, sizeof(expected), "%.*f", decimals, v);
		if (plain(out) != 0) /* "-0" is "0" here */
			assert_string_equal(out, expected);
		jr_num_significant(out, v, digits);
		snprintf(expected, sizeof(expected), "%.*e", digits - 1, v);
		if (fabs(v) < pow(10, digits - 1)) /* no more digits than asked for */
			assert_true(plain(out) == strtod(expected, NULL));
	}
}

static UNIT(python_floats)
{
	/* Output of python3 for repr(v) and format(v, ".4"). */
	static const struct {
		double v;
		const char *repr, *four;
	} known[] = {
		{1.231992489, "1.231992489", "1.232"},
		{12, "12.0", "12.0"},
		{0.0001, "0.0001", "0.0001"},
		{0.00001, "1e-05", "1e-05"},
		{0.000123456, "0.000123456", "0.0001235"},
		{999.96, "999.96", "1e+03"},
		{1234.5, "1234.5", "1.234e+03"},
		{123456789012345680.0, "1.2345678901234568e+17", "1.235e+17"},
		{1e16, "1e+16", "1e+16"},
		{0.1 + 0.2, "0.30000000000000004", "0.3"},
		{0, "0.0", "0.0"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(known); i++) {
		char out[JR_NUM_MAX];
		assert_int_equal(jr_num_python(out, known[i].v, 0), strlen(known[i].repr));
		assert_string_equal(out, known[i].repr);
		assert_int_equal(jr_num_python(out, known[i].v, 4), strlen(known[i].four));
		assert_string_equal(out, known[i].four);
	}
}

static void expect_ms(int64_t ns, const char *expected)
{
	char out[JR_NUM_MAX];
	assert_int_equal(jr_num_decimal(out, ns, 6), strlen(expected));
	assert_string_equal(out, expected);
}

static UNIT(ns_as_ms_exact)
{
	expect_ms(381636010, "381.63601");
	expect_ms(0, "0");
	expect_ms(1, "0.000001");
	expect_ms(-1, "-0.000001");
	expect_ms(999999, "0.999999");
	expect_ms(1000000, "1");
	expect_ms(-1000000, "-1");
	expect_ms(1000001, "1.000001");
	expect_ms(-12345678, "-12.345678");
	expect_ms(100000, "0.1");
	expect_ms(INT64_MAX, "9223372036854.775807");
	expect_ms(INT64_MIN, "-9223372036854.775808");
	/* always the sum of its parts */
	uint64_t seed = 2;
	for (int i = 0; i < 20000; i++) {
		int64_t ns = (int64_t)(next_random(&seed) >> (next_random(&seed) % 64));
		char out[JR_NUM_MAX], expected[JR_NUM_MAX];
		jr_num_decimal(out, ns, 6);
		uint64_t rest = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
		int n = snprintf(expected, sizeof(expected), "%s%llu.%06llu", ns < 0 ? "-" : "",
			(unsigned long long)(rest / 1000000), (unsigned long long)(rest % 1000000));
		while (expected[n - 1] == '0')
			expected[--n] = '\0';
		if (expected[n - 1] == '.')
			expected[--n] = '\0';
		assert_string_equal(out, expected);
	}
}

static UNIT(integers)
{
	static const int64_t values[] = {0, 1, -1, 9, 10, -10, INT64_MAX, INT64_MIN, INT64_MIN + 1};
	for (size_t i = 0; i < JR_COUNT_OF(values); i++) {
		char out[JR_NUM_MAX], expected[JR_NUM_MAX];
		int n = snprintf(expected, sizeof(expected), "%lld", (long long)values[i]);
		assert_int_equal(jr_num_i64(out, values[i]), n);
		assert_string_equal(out, expected);
		int64_t back;
		assert_true(jr_parse_i64(out, (size_t)n, &back));
		assert_true(back == values[i]);
	}
	char out[JR_NUM_MAX];
	assert_int_equal(jr_num_grouped_i64(out, INT64_MIN), 28);
	assert_string_equal(out, "−9,223,372,036,854,775,808");
	jr_num_grouped_i64(out, 999);
	assert_string_equal(out, "999");
	jr_num_grouped_i64(out, -1000);
	assert_string_equal(out, "−1,000");
}

static void expect_grouped(double v, int decimals, const char *expected)
{
	char out[JR_NUM_MAX];
	assert_int_equal(jr_num_grouped(out, v, decimals), strlen(expected));
	assert_string_equal(out, expected);
}

static UNIT(grouped)
{
	expect_grouped(12345.678, 2, "12,345.68");
	expect_grouped(-12345.678, 1, "−12,345.7");
	expect_grouped(999.999, 2, "1,000.00");
	expect_grouped(-0.001, 2, "0.00");
	expect_grouped(-0.0, 0, "0");
	expect_grouped(0.5, 3, "0.500");
	expect_grouped(1e6, 0, "1,000,000");
	expect_grouped(100000, -3, "100,000");
	expect_grouped(NAN, 2, "–");
	expect_grouped(-INFINITY, 2, "–");
	expect_grouped(1e300, 2, "1e+300");
	expect_grouped(-123456789012345678.0, 9, "−123,456,789,012,345,680.000000000");
}

static void expect_significant(double v, int digits, const char *expected)
{
	char out[JR_NUM_MAX];
	assert_int_equal(jr_num_significant(out, v, digits), strlen(expected));
	assert_string_equal(out, expected);
}

static UNIT(significant)
{
	expect_significant(1234.6, 4, "1,235");
	expect_significant(0.012345, 3, "0.0123");
	expect_significant(9.996, 3, "10.0");
	expect_significant(0.0009996, 3, "0.00100");
	expect_significant(-1.5, 2, "−1.5");
	expect_significant(123456, 2, "123,456");
	expect_significant(0, 3, "0");
	expect_significant(-0.0, 3, "0");
	expect_significant(1.23456e-6, 6, "0.00000123456");
	expect_significant(1.5e-9, 3, "1.50e-09");
	expect_significant(1e20, 3, "1.00e+20");
	expect_significant(NAN, 3, "–");
}

static void expect_unit(size_t (*print)(char *, double), double v, const char *expected)
{
	char out[JR_NUM_MAX];
	assert_int_equal(print(out, v), strlen(expected));
	assert_string_equal(out, expected);
}

static UNIT(units)
{
	expect_unit(jr_num_bytes, 38214567890.0, "38.21 GB");
	expect_unit(jr_num_bytes, 512, "512 B");
	expect_unit(jr_num_bytes, 0, "0 B");
	expect_unit(jr_num_bytes, 7, "7 B");
	expect_unit(jr_num_bytes, 999, "999 B");
	expect_unit(jr_num_bytes, 999.6, "1.000 kB");
	expect_unit(jr_num_bytes, 1000, "1.000 kB");
	expect_unit(jr_num_bytes, 999949, "999.9 kB");
	expect_unit(jr_num_bytes, 999950, "1.000 MB");
	expect_unit(jr_num_bytes, -2048, "−2.048 kB");
	expect_unit(jr_num_bytes, 5e15, "5,000 TB");
	expect_unit(jr_num_bytes, NAN, "–");
	expect_unit(jr_num_time, 412, "412 ns");
	expect_unit(jr_num_time, 3912, "3.912 µs");
	expect_unit(jr_num_time, 127200000, "127.2 ms");
	expect_unit(jr_num_time, 69390000000.0, "69.39 s");
	expect_unit(jr_num_time, 1234500000000.0, "1,234 s");
	expect_unit(jr_num_time, 0, "0 ns");
	expect_unit(jr_num_time, 0.4, "<1 ns");
	expect_unit(jr_num_time, -0.4, "0 ns");
	expect_unit(jr_num_time_brief, 127200000, "127 ms");
	expect_unit(jr_num_time_brief, 999600, "1.00 ms");
	expect_unit(jr_num_time_brief, 999400, "999 µs");
	char range[JR_NUM_MAX];
	jr_num_time_range(range, 127000000, 131400000, jr_num_time_brief);
	assert_string_equal(range, "127–131 ms");
	jr_num_time_range(range, 0, 24000, jr_num_time);
	assert_string_equal(range, "0–24.00 µs");
	jr_num_time_range(range, 980, 1200, jr_num_time_brief);
	assert_string_equal(range, "980 ns–1.20 µs");
	jr_num_time_range(range, 127000000, 127001000, jr_num_time_brief);
	assert_string_equal(range, "127 ms");
}

static UNIT(parse_integers)
{
	int64_t v = 77;
	static const char *const bad[] = {"", "-", "+1", " 1", "1 ", "1.0", "0x1",
		"9223372036854775808", "-9223372036854775809", "18446744073709551616",
		"99999999999999999999999", "--1", "1-", "٣"};
	for (size_t i = 0; i < JR_COUNT_OF(bad); i++)
		if (jr_parse_i64(bad[i], strlen(bad[i]), &v))
			fail_msg("'%s' was taken for a number", bad[i]);
	assert_false(jr_parse_i64("1\0002", 3, &v));
	assert_int_equal(v, 77);
	assert_true(jr_parse_i64("123456", 3, &v));
	assert_int_equal(v, 123);
	assert_true(jr_parse_i64("-0", 2, &v));
	assert_int_equal(v, 0);
	assert_true(jr_parse_i64("000000000000000000000000000007", 30, &v));
	assert_int_equal(v, 7);
	static char zeros[JR_INTEGER_BYTES + 1];
	memset(zeros, '0', sizeof(zeros));
	assert_true(jr_parse_i64(zeros, JR_INTEGER_BYTES, &v));
	assert_int_equal(v, 0);
	assert_false(jr_parse_i64(zeros, sizeof(zeros), &v));
}

static UNIT(parse_any_byte_of_an_integer)
{
	int64_t v;
	char digits[] = "1234567890123456789";
	assert_true(jr_parse_i64(digits, sizeof(digits) - 1, &v));
	assert_int_equal(v, INT64_C(1234567890123456789));
	for (size_t at = 0; at < sizeof(digits) - 1; at++)
		for (int byte = 0; byte < 256; byte++) {
			char held = digits[at];
			digits[at] = (char)byte;
			bool is_number = (byte >= '0' && byte <= '9') || (byte == '-' && at == 0);
			if (at > 0 || byte < '9') /* else it would be too large */
				assert_int_equal(jr_parse_i64(digits, sizeof(digits) - 1, &v), is_number);
			digits[at] = held;
		}
}

static UNIT(parse_doubles)
{
	double v = 77;
	static const char *const bad[] = {"", "e", ".", "-", "inf", "nan", "0x1p3", " 1", "1 ", "1,5",
		"1e999", "-1e999", "1e", "1.2.3", "infinity", "1_0"};
	for (size_t i = 0; i < JR_COUNT_OF(bad); i++)
		if (jr_parse_double(bad[i], strlen(bad[i]), &v))
			fail_msg("'%s' was taken for a number", bad[i]);
	assert_false(jr_parse_double("1\0002", 3, &v));
	assert_true(v == 77);
	assert_true(jr_parse_double("1.5xyz", 3, &v) && v == 1.5);
	assert_true(jr_parse_double("-1e-3", 5, &v) && v == -1e-3);
	assert_true(jr_parse_double("+.5", 3, &v) && v == 0.5);
	assert_true(jr_parse_double("1e-400", 6, &v) && v == 0);
}

static UNIT(statistics)
{
	struct jr_stats st = {0};
	assert_true(isnan(jr_stats_mean(&st)));
	assert_true(isnan(jr_stats_std(&st)));
	jr_stats_add(&st, 5);
	assert_true(jr_stats_mean(&st) == 5);
	assert_true(isnan(jr_stats_std(&st)));
	st = (struct jr_stats){0};
	/* a large offset must not lose the spread (hence Welford) */
	static const double values[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
	for (size_t i = 0; i < 4; i++)
		jr_stats_add(&st, values[i]);
	assert_true(fabs(jr_stats_mean(&st) - (1e9 + 10)) < 1e-6);
	assert_true(fabs(jr_stats_std(&st) - sqrt(30)) < 1e-9);
	/* equal values of any digits */
	st = (struct jr_stats){0};
	for (int i = 0; i < 1000; i++)
		jr_stats_add(&st, 0.1);
	assert_true(jr_stats_mean(&st) == 0.1);
	assert_true(jr_stats_std(&st) == 0);
}

static void check_mean(double a, double b, double c, double mean)
{
	struct jr_stats st = {0};
	jr_stats_add(&st, a);
	jr_stats_add(&st, b);
	jr_stats_add(&st, c);
	assert_true(jr_stats_mean(&st) == mean);
}

/* The mean of whole numbers is exact, in any order. */
static UNIT(means_are_exact)
{
	int64_t total = 0, v = 12345;
	struct jr_stats up = {0}, down = {0};
	int64_t values[1001];
	for (int i = 0; i < 1001; i++) {
		v = v * 48271 % 2147483647;
		values[i] = v % 1000000007;
		total += values[i];
	}
	for (int i = 0; i < 1001; i++) {
		jr_stats_add(&up, (double)values[i]);
		jr_stats_add(&down, (double)values[1000 - i]);
	}
	assert_true(jr_stats_mean(&up) == (double)total / 1001);
	assert_true(jr_stats_mean(&down) == jr_stats_mean(&up));
	assert_true(fabs(jr_stats_std(&down) - jr_stats_std(&up)) < 1e-3);
	/* a third double recovers what two cannot hold */
	check_mean(1e17, 1, -1e17, 1.0 / 3);
}
