/*
 * num.h - numbers to text and back, the same in every locale; saturating counts; small statistics.
 * Layer: base.  The program never calls setlocale(); all text of numbers comes from here.
 */
#ifndef JR_BASE_NUM_H
#define JR_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JR_NUM_MAX 64    /* room for any text below */
#define JR_NUM_MINUS "−" /* U+2212, for people: as wide as a plus */

/** Print the shortest text that reads back as the same double ("0.1", "1e-07"; at a few powers of
 * two one digit longer). NaN and infinities: "null". */
size_t jr_num_double(char out[JR_NUM_MAX], double v);
/**
 * Print as Python prints a float > 0, with at least one digit after the point. `digits` 0: repr(v),
 * "0.1", "1e-07", "12.0"; else format(v, ".DIGITS"), "0.884", "1.421e+03". Anything else: "0.0".
 */
size_t jr_num_python(char out[JR_NUM_MAX], double v, int digits);
/** Print `v` / 10^decimals exactly, decimals <= 20: (381636010, 6) -> "381.63601", ns as ms. */
size_t jr_num_decimal(char out[JR_NUM_MAX], int64_t v, size_t decimals);
size_t jr_num_i64(char out[JR_NUM_MAX], int64_t v);
/** Print for people, as all functions below do: fixed decimals, ',' between thousands, JR_NUM_MINUS
 * before negative numbers: (12345.678, 2) -> "12,345.68". -0 prints as 0; NaN as an en dash. */
size_t jr_num_grouped(char out[JR_NUM_MAX], double v, int decimals);
size_t jr_num_grouped_i64(char out[JR_NUM_MAX], int64_t v);
/** Print `digits` significant digits with grouping: (1234.6, 4) -> "1,235"; (0.012345, 3) ->
 * "0.0123". Exact ties go to the even digit, as everywhere here. NaN as an en dash. */
size_t jr_num_significant(char out[JR_NUM_MAX], double v, int digits);
/** Print bytes with a decimal SI unit: 38214567890 -> "38.21 GB"; below 1000: "512 B". */
size_t jr_num_bytes(char out[JR_NUM_MAX], double bytes);
/** Print nanoseconds with the unit that fits: "412 ns", "3.912 µs", "127.2 ms", "69.39 s". Positive
 * values that round to 0: "<1 ns". */
size_t jr_num_time(char out[JR_NUM_MAX], double ns);
/** Print a time for prose, with three significant digits: "127 ms". */
size_t jr_num_time_brief(char out[JR_NUM_MAX], double ns);
/** Print an interval, "127–131 ms". `put` prints both ends; if they are equal, one is printed. */
size_t jr_num_time_range(char out[JR_NUM_MAX], double low_ns, double high_ns,
	size_t (*put)(char out[JR_NUM_MAX], double ns));

/** Parse a decimal integer that fills all of s[0..n). A text longer than this is rejected without
 * reading it. */
#define JR_INTEGER_BYTES 64
bool jr_parse_i64(const char *s, size_t n, int64_t *out);
/** Parse a decimal floating-point number that fills all of s[0..n). Refuses "inf" and "nan". */
bool jr_parse_double(const char *s, size_t n, double *out);

/* A count that does not fit into 64 bits or is not known; sums and products with it are JR_MANY
 * again. */
#define JR_MANY UINT64_MAX

static inline uint64_t jr_sat_add(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? JR_MANY : a;
}

static inline uint64_t jr_sat_mul(uint64_t a, uint64_t b)
{
	if (a == JR_MANY || b == JR_MANY)
		return JR_MANY;
	return __builtin_mul_overflow(a, b, &a) ? JR_MANY : a;
}

static inline uint64_t jr_sat_sub(uint64_t a, uint64_t b) /* not below 0 */
{
	if (a == JR_MANY || b == JR_MANY)
		return JR_MANY;
	return a > b ? a - b : 0;
}

/** Return a * b / c rounded down; JR_MANY on overflow, and for c = 0. */
static inline uint64_t jr_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
	__extension__ typedef unsigned __int128 wide;
	wide v = c ? (wide)a * b / c : JR_MANY;
	return v > JR_MANY ? JR_MANY : (uint64_t)v;
}

/* Running mean and sample variance (Welford). The mean is the exact sum, divided and rounded once.
 * For whole numbers whose sum is below 2^53 it does not depend on their order. */
struct jr_stats {
	int64_t n;
	double mean, m2;
	double sum, lost; /* lost: rounding error of sum */
};
void jr_stats_add(struct jr_stats *st, double v);
/** Return the sample standard deviation (n-1); NaN for n < 2. */
double jr_stats_std(const struct jr_stats *st);
/** Return the mean; NaN for n = 0. */
double jr_stats_mean(const struct jr_stats *st);

#endif
