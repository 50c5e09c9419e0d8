#include "base/num.h"
#include "base/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t put(char *out, const char *text)
{
	size_t n = strlen(text);
	memcpy(out, text, n + 1);
	return n;
}

/* Print d / 10^decimals; d has no more than 18 digits. */
static size_t put_fixed(char out[JR_NUM_MAX], uint64_t d, int decimals, bool negative)
{
	char text[48];
	char *const end = text + sizeof(text), *from = end;
	for (int n = 0; d || n <= decimals; d /= 10) {
		if (n == decimals && n)
			*--from = '.';
		*--from = (char)('0' + d % 10);
		n++;
	}
	if (negative)
		*--from = '-';
	size_t len = (size_t)(end - from);
	memcpy(out, from, len);
	out[len] = '\0';
	return len;
}

/* Print as put_fixed(), without trailing zeros. */
static size_t put_scaled(char out[JR_NUM_MAX], uint64_t d, int decimals, bool negative)
{
	for (; decimals > 0 && d % 10 == 0; decimals--)
		d /= 10;
	return put_fixed(out, d, decimals, negative);
}

/* Print d / 10^decimals below 1e-4, as printf's %g does: "1.25e-05". */
static size_t put_tiny(char out[JR_NUM_MAX], uint64_t d, int decimals, bool negative)
{
	char digits[24] = {0};
	int n = 0;
	size_t len = 0;
	for (; d % 10 == 0; decimals--)
		d /= 10;
	for (; d; d /= 10)
		digits[n++] = (char)('0' + d % 10);
	int exponent = decimals - n + 1;
	if (negative)
		out[len++] = '-';
	out[len++] = digits[--n];
	if (n)
		out[len++] = '.';
	while (n)
		out[len++] = digits[--n];
	out[len++] = 'e';
	out[len++] = '-';
	out[len++] = (char)('0' + exponent / 10);
	out[len++] = (char)('0' + exponent % 10);
	out[len] = '\0';
	return len;
}

__extension__ typedef unsigned __int128 wide;

/*
 * Decimal digits of doubles by integer arithmetic, exact and many times faster than printf: with v
 * = m * 2^-e, v * 10^k = m * 5^k / 2^(e - k), where m < 2^53 and 5^k < 2^63.
 */
#define MAX_POWER 27

static const uint64_t fives[MAX_POWER + 1] = {1, 5, 25, 125, 625, 3125, 15625, 78125, 390625,
	1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625, 30517578125, 152587890625,
	762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125, 2384185791015625,
	11920928955078125, 59604644775390625, 298023223876953125, 1490116119384765625,
	7450580596923828125};

struct scaled {
	uint64_t m;
	wide product; /* m * 5^k */
	int shift;    /* > 0 */
	uint64_t d;   /* the product / 2^shift, rounded half to even as printf does */
};

/* Return false if this is not supported: outside 1e-11 <= a < 1e15, or more than 18 digits. */
static bool scale(double a, int k, struct scaled *s)
{
	uint64_t bits;
	if (!(a >= 1e-11 && a < 1e15) || k < 0 || k > MAX_POWER)
		return false;
	memcpy(&bits, &a, sizeof(bits)); /* IEEE 754: 52 bits after a hidden 1, then the exponent */
	int e = (int)(bits >> 52) - 1022;
	s->m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
	s->product = (wide)s->m * fives[k];
	s->shift = 53 - e - k;
	if (s->shift <= 0 || s->product >> s->shift >= UINT64_C(1000000000000000000))
		return false;
	wide rest = s->product & (((wide)1 << s->shift) - 1), half = (wide)1 << (s->shift - 1);
	s->d = (uint64_t)(s->product >> s->shift);
	s->d += rest > half || (rest == half && s->d & 1);
	return true;
}

/* Return the place of the first digit: 0 from 1 to below 10, -1 from 0.1. For 1e-11 <= a < 1e15. */
static int place_of(double a)
{
	static const double bounds[] = {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1,
		1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	int place = -11;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds) && a >= bounds[i]; i++)
		place++;
	return place;
}

/*
 * Print the same text as the loop over printf in jr_num_double(): the fewest of 15, 16 or 17 digits
 * that read back as v. They do if they are nearer than half the step of m, which is 5^k in the
 * product. Return 0 if printf has to do it: at powers of two, where the steps on both sides differ,
 * and where rounding reaches the next power of ten.
 */
static size_t put_exactly(char out[JR_NUM_MAX], double v)
{
	double a = fabs(v);
	struct scaled s;
	uint64_t too_much = UINT64_C(1000000000000000);
	int decimals = 14 - place_of(a);
	for (int k = decimals; k < decimals + 3 && scale(a, k, &s); k++, too_much *= 10) {
		if (s.m == UINT64_C(1) << 52 || s.d >= too_much)
			return 0;
		wide back = (wide)s.d << s.shift;
		wide twice_off = 2 * (back > s.product ? back - s.product : s.product - back);
		if (twice_off < fives[k] || (twice_off == fives[k] && !(s.m & 1)))
			return a < 1e-4 ? put_tiny(out, s.d, k, v < 0) : put_scaled(out, s.d, k, v < 0);
	}
	return 0;
}

/*
 * Most numbers of a report are ns printed as ms: v is the double nearest to a whole number of
 * millionths. Below 1e15 of them the text is that of jr_num_double()'s loop, because 15 digits
 * always read back. Return 0 for any other v.
 */
static size_t put_millionths(char out[JR_NUM_MAX], double v)
{
	double a = fabs(v);
	if (!(a >= 1e-4 && a < 1e9))
		return 0;
	uint64_t d = (uint64_t)(a * 1e6 + 0.5);
	return (double)d / 1e6 == a ? put_scaled(out, d, 6, v < 0) : 0;
}

size_t jr_num_double(char out[JR_NUM_MAX], double v)
{
	if (!isfinite(v))
		return put(out, "null");
	if (v == 0)
		return put(out, "0"); /* also for -0 */
	if (fabs(v) < 1e15 && v == (double)(int64_t)v)
		return jr_num_i64(out, (int64_t)v);
	size_t quick = put_millionths(out, v);
	if (!quick && fabs(v) >= 1e-11 && fabs(v) < 1e15)
		quick = put_exactly(out, v);
	if (quick)
		return quick;
	/* Normal doubles that were written with 15 digits read back from 15. Subnormal ones have less
	 * precision, so that fewer digits may be enough. */
	for (int digits = fabs(v) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
		int n = snprintf(out, JR_NUM_MAX, "%.*g", digits, v);
		if (digits == 17 || strtod(out, NULL) == v)
			return (size_t)n;
	}
	return 0;
}

/* A positive finite double as 0.DIGITS * 10^point. */
struct decimal {
	char digits[20]; /* without trailing zeros; NUL-terminated */
	int n, point;
};

static struct decimal round_to(double v, int precision)
{
	char text[JR_NUM_MAX];
	struct decimal d = {.n = 0};
	snprintf(text, sizeof(text), "%.*e", precision - 1, v);
	const char *p = text;
	for (; *p && *p != 'e'; p++)
		if (jr_is_digit(*p) && d.n < (int)sizeof(d.digits) - 1)
			d.digits[d.n++] = *p;
	d.point = (*p ? atoi(p + 1) : 0) + 1;
	while (d.n > 1 && d.digits[d.n - 1] == '0')
		d.n--;
	d.digits[d.n] = '\0';
	return d;
}

static struct decimal shortest(double v)
{
	for (int precision = 1; precision < 17; precision++) {
		char text[JR_NUM_MAX];
		struct decimal d = round_to(v, precision);
		snprintf(text, sizeof(text), "%se%d", d.digits, d.point - d.n);
		if (strtod(text, NULL) == v)
			return d;
	}
	return round_to(v, 17);
}

size_t jr_num_python(char out[JR_NUM_MAX], double v, int digits)
{
	if (!(v > 0) || !isfinite(v))
		return put(out, "0.0");
	struct decimal d = digits > 0 ? round_to(v, digits < 17 ? digits : 17) : shortest(v);
	/* Use an exponent if more than three zeros would follow the point before the digits, or if the
	 * point would be after more digits than are known. */
	if (d.point <= -4 || d.point > (digits > 0 ? digits - 1 : 16))
		return (size_t)snprintf(out, JR_NUM_MAX, "%c%s%se%c%02d", d.digits[0], d.n > 1 ? "." : "",
			d.digits + 1, d.point < 1 ? '-' : '+', abs(d.point - 1));
	size_t len = 0;
	if (d.point <= 0)
		out[len++] = '0';
	for (int i = 0; i < d.point; i++)
		out[len++] = i < d.n ? d.digits[i] : '0';
	out[len++] = '.';
	for (int i = d.point; i < 0; i++)
		out[len++] = '0';
	return len + put(out + len, d.point < d.n ? d.digits + (d.point > 0 ? d.point : 0) : "0");
}

size_t jr_num_decimal(char out[JR_NUM_MAX], int64_t v, size_t decimals)
{
	char digits[24] = {0}; /* last digit first */
	size_t n = 0, last = 0, len = 0;
	uint64_t rest = v < 0 ? -(uint64_t)v : (uint64_t)v;
	do
		digits[n++] = (char)('0' + rest % 10);
	while ((rest /= 10) || n <= decimals);
	while (last < decimals && digits[last] == '0')
		last++;
	if (v < 0)
		out[len++] = '-';
	while (n > last) {
		if (n == decimals)
			out[len++] = '.';
		out[len++] = digits[--n];
	}
	out[len] = '\0';
	return len;
}

size_t jr_num_i64(char out[JR_NUM_MAX], int64_t v)
{
	return jr_num_decimal(out, v, 0);
}

/* Put ',' between the thousands of a plain decimal number, and a minus in place of its hyphen. */
static size_t group(char out[JR_NUM_MAX], const char *plain)
{
	size_t len = 0;
	if (*plain == '-') {
		plain++;
		if (strspn(plain, "0.") != strlen(plain)) /* "-0.00" */
			len = put(out, JR_NUM_MINUS);
	}
	size_t whole = strspn(plain, "0123456789");
	for (size_t i = 0; i < whole; i++) {
		if (i && (whole - i) % 3 == 0)
			out[len++] = ',';
		out[len++] = plain[i];
	}
	return len + put(out + len, plain + whole);
}

size_t jr_num_grouped(char out[JR_NUM_MAX], double v, int decimals)
{
	if (!isfinite(v))
		return put(out, "–");
	char plain[JR_NUM_MAX];
	if (fabs(v) >= 1e18) {
		snprintf(plain, sizeof(plain), "%.6g", v);
		return group(out, plain);
	}
	decimals = decimals > 15 ? 15 : decimals < 0 ? 0 : decimals;
	struct scaled s;
	if (v != 0 && scale(fabs(v), decimals, &s))
		put_fixed(plain, s.d, decimals, v < 0);
	else
		snprintf(plain, sizeof(plain), "%.*f", decimals, v);
	return group(out, plain);
}

size_t jr_num_grouped_i64(char out[JR_NUM_MAX], int64_t v)
{
	char plain[JR_NUM_MAX];
	jr_num_i64(plain, v);
	return group(out, plain);
}

size_t jr_num_significant(char out[JR_NUM_MAX], double v, int digits)
{
	static const uint64_t powers[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	if (!isfinite(v))
		return put(out, "–");
	if (v == 0)
		return put(out, "0");
	/* Use the exponent after rounding, so that 9.996 with 3 digits is 10.0. */
	struct scaled s;
	int place = place_of(fabs(v));
	if (place >= -6 && digits > 0 && digits <= 8 && scale(fabs(v), digits - 1 - place, &s)) {
		int decimals = digits - 1 - place - (s.d >= powers[digits]);
		return jr_num_grouped(out, v, decimals < 0 ? 0 : decimals);
	}
	char sci[JR_NUM_MAX];
	snprintf(sci, sizeof(sci), "%.*e", digits - 1, v);
	int exponent = atoi(strchr(sci, 'e') + 1);
	if (exponent < -6 || exponent > 17)
		return group(out, sci);
	int decimals = digits - 1 - exponent;
	return jr_num_grouped(out, v, decimals < 0 ? 0 : decimals);
}

static size_t with_unit(char out[JR_NUM_MAX], double v, double step, const char *const *units,
	size_t n_units, int digits)
{
	if (!isfinite(v))
		return put(out, "–");
	if (fabs(v) < step)
		v = round(v);
	size_t unit = 0;
	double rounds_up = step * (1 - 0.5 * pow(10, -digits));
	while (unit + 1 < n_units && fabs(v) >= rounds_up) {
		v /= step;
		unit++;
	}
	size_t len = unit == 0 ? jr_num_grouped(out, v, 0) : jr_num_significant(out, v, digits);
	out[len++] = ' ';
	return len + put(out + len, units[unit]);
}

size_t jr_num_bytes(char out[JR_NUM_MAX], double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	return with_unit(out, bytes, 1e3, units, 5, 4);
}

static size_t with_time(char out[JR_NUM_MAX], double ns, int digits)
{
	static const char *const units[] = {"ns", "µs", "ms", "s"};
	if (ns > 0 && ns < 0.5)
		return put(out, "<1 ns");
	return with_unit(out, ns, 1e3, units, 4, digits);
}

size_t jr_num_time(char out[JR_NUM_MAX], double ns)
{
	return with_time(out, ns, 4);
}

size_t jr_num_time_brief(char out[JR_NUM_MAX], double ns)
{
	return with_time(out, ns, 3);
}

size_t jr_num_time_range(char out[JR_NUM_MAX], double low_ns, double high_ns,
	size_t (*put_time)(char out[JR_NUM_MAX], double ns))
{
	char low[JR_NUM_MAX], high[JR_NUM_MAX];
	put_time(low, low_ns);
	put_time(high, high_ns);
	if (!(low_ns < high_ns) || strcmp(low, high) == 0)
		return put(out, high);
	char *unit = strchr(low, ' ');
	if (unit && (low_ns == 0 || strcmp(unit, strchr(high, ' ')) == 0))
		*unit = '\0';
	size_t n = put(out, low);
	n += put(out + n, "–");
	return n + put(out + n, high);
}

#define EIGHT_DIGITS UINT64_C(100000000)

/* Read eight digits at once: the differences to '0' are joined to numbers of two, four and eight
 * digits. False: not all of them are digits. */
static bool eight_digits(const char *s, uint64_t *out)
{
	uint64_t word;
	memcpy(&word, s, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	word ^= UINT64_C(0x3030303030303030);
	if ((word | (word + UINT64_C(0x0606060606060606))) & UINT64_C(0xF0F0F0F0F0F0F0F0))
		return false;
	word = (word * 10 + (word >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
	word = (word * 100 + (word >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
	*out = (word * 10000 + (word >> 32)) & UINT64_C(0xFFFFFFFF);
	return true;
}

bool jr_parse_i64(const char *s, size_t n, int64_t *out)
{
	/* Each event of a file can refer to the same long text: decide by the length alone. */
	if (n > JR_INTEGER_BYTES)
		return false;
	size_t i = 0;
	bool negative = n && s[0] == '-';
	if (negative)
		i++;
	if (i == n)
		return false;
	uint64_t value = 0, part;
	for (; n - i >= 8 && value < UINT64_MAX / EIGHT_DIGITS && eight_digits(s + i, &part); i += 8)
		value = value * EIGHT_DIGITS + part;
	for (; i < n; i++) {
		unsigned digit = (unsigned)(unsigned char)s[i] - '0';
		if (digit > 9 || value > (UINT64_MAX - 9) / 10) /* then it is above INT64_MAX in any case */
			return false;
		value = value * 10 + digit;
	}
	if (value > (uint64_t)INT64_MAX + negative)
		return false;
	*out = negative ? (int64_t)-value : (int64_t)value;
	return true;
}

bool jr_parse_double(const char *s, size_t n, double *out)
{
	char text[JR_NUM_MAX];
	if (n == 0 || n >= sizeof(text) || memchr(s, '\0', n))
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	if (strspn(text, "0123456789+-.eE") != n)
		return false;
	char *end;
	double v = strtod(text, &end);
	if (end != text + n || !isfinite(v))
		return false;
	*out = v;
	return true;
}

void jr_stats_add(struct jr_stats *st, double v)
{
	st->n++;
	/* Neumaier's sum */
	double sum = st->sum + v;
	st->lost += fabs(st->sum) >= fabs(v) ? (st->sum - sum) + v : (v - sum) + st->sum;
	st->sum = sum;
	double delta = v - st->mean;
	if (delta == 0 && st->n > 1) /* so that equal values have a variance of exactly 0 */
		return;
	st->mean = (sum + st->lost) / (double)st->n;
	double more = delta * (v - st->mean);
	st->m2 += more > 0 ? more : 0; /* negative only by rounding */
}

double jr_stats_std(const struct jr_stats *st)
{
	return st->n < 2 ? NAN : sqrt(st->m2 / (double)(st->n - 1));
}

double jr_stats_mean(const struct jr_stats *st)
{
	return st->n ? st->mean : NAN;
}
