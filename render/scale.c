#include "render/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_MAGNITUDE 1e250  /* so that no difference or step overflows */
#define MIN_MAGNITUDE 1e-250 /* of spans, and of values on log axes: no step underflows */

static double bounded(double v, double otherwise)
{
	if (!isfinite(v))
		return otherwise;
	return fmax(-MAX_MAGNITUDE, fmin(MAX_MAGNITUDE, v));
}

struct jr_scale jr_scale_make(bool log, double lo, double hi, double at_lo, double at_hi)
{
	lo = bounded(lo, 0);
	hi = bounded(hi, lo + 1);
	if (lo > hi) {
		double swap = lo;
		lo = hi;
		hi = swap;
	}
	if (log) {
		if (hi <= 0) {
			lo = 1;
			hi = 10;
		}
		if (lo <= 0)
			lo = hi / 1e6;
		lo = fmax(lo, MIN_MAGNITUDE);
		hi = fmax(hi, lo);
		if (hi < lo * (1 + 1e-9)) {
			lo /= 2;
			hi = hi * 2 > lo ? hi * 2 : lo * 4;
		}
	} else if (hi - lo <= fmax(MIN_MAGNITUDE, 1e-12 * fmax(fabs(lo), fabs(hi)))) {
		double pad = fabs(lo) < MIN_MAGNITUDE ? 1 : fabs(lo) * 0.1;
		lo = fabs(lo) < MIN_MAGNITUDE ? 0 : lo - pad;
		hi += pad;
	}
	return (struct jr_scale){log, lo, hi, at_lo, at_hi};
}

double jr_nice_step(double span, size_t n)
{
	double raw = span / (double)(n ? n : 1);
	double unit = pow(10, floor(log10(raw)));
	/* Tolerance for rounding: 0.30000000000000004 / 3 is a step of 0.1. */
	double ratio = raw / unit * (1 - 1e-9);
	return unit * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static void nice_log(struct jr_scale *scale)
{
	static const double steps[] = {1, 2, 5, 10};
	double unit = pow(10, floor(log10(scale->lo) + 1e-9));
	double lo = unit;
	for (size_t i = 0; i < 4 && unit * steps[i] <= scale->lo * (1 + 1e-9); i++)
		lo = unit * steps[i];
	unit = pow(10, floor(log10(scale->hi) + 1e-9));
	double hi = unit * 10;
	for (size_t i = 4; i-- > 0 && unit * steps[i] >= scale->hi * (1 - 1e-9);)
		hi = unit * steps[i];
	if (lo > 0 && isfinite(hi) && lo < hi) {
		scale->lo = lo;
		scale->hi = hi;
	}
}

void jr_scale_nice(struct jr_scale *scale, size_t max_ticks)
{
	if (scale->log) {
		nice_log(scale);
		return;
	}
	double step = jr_nice_step(scale->hi - scale->lo, max_ticks > 1 ? max_ticks - 1 : 1);
	double lo = floor(scale->lo / step + 1e-9) * step;
	double hi = ceil(scale->hi / step - 1e-9) * step;
	if (isfinite(lo) && isfinite(hi) && lo < hi) {
		scale->lo = lo;
		scale->hi = hi;
	}
}

double jr_scale_px(const struct jr_scale *scale, double value)
{
	if (isnan(value))
		return NAN;
	double share;
	if (scale->log)
		share = value <= scale->lo
					? 0
					: (log(value) - log(scale->lo)) / (log(scale->hi) - log(scale->lo));
	else
		share = (value - scale->lo) / (scale->hi - scale->lo);
	share = fmax(0, fmin(1, share));
	return scale->at_lo + share * (scale->at_hi - scale->at_lo);
}

/* --- labels ---------------------------------------------------------------------------------- */

struct unit {
	double factor; /* value / factor is printed */
	const char *suffix;
};

static struct unit unit_for(double largest, enum jr_format format)
{
	static const struct unit times[] = {{1, " ns"}, {1e3, " µs"}, {1e6, " ms"}, {1e9, " s"}};
	static const struct unit bytes[] = {
		{1, " B"}, {1e3, " kB"}, {1e6, " MB"}, {1e9, " GB"}, {1e12, " TB"}};
	if (format == JR_FORMAT_PERCENT)
		return (struct unit){0.01, " %"};
	/* Plain numbers keep all digits until they are hard to read. */
	static const struct unit numbers[] = {{1, ""}, {1e6, " M"}, {1e9, " G"}, {1e12, " T"}};
	bool number = format == JR_FORMAT_NUMBER || format == JR_FORMAT_COUNT;
	if (number && largest < 1e7)
		return numbers[0];
	const struct unit *table = format == JR_FORMAT_TIME_NS ? times
							   : format == JR_FORMAT_BYTES ? bytes
														   : numbers;
	size_t n = format == JR_FORMAT_BYTES ? 5 : 4, i = 0;
	while (i + 1 < n && largest >= table[i + 1].factor * (1 - 1e-9))
		i++;
	return table[i];
}

/* Return the decimals that distinguish multiples of `step`. */
static int decimals_of(double step)
{
	int decimals = 0;
	while (decimals < 9 && fabs(step - round(step)) > 1e-6 * step) {
		step *= 10;
		decimals++;
	}
	return decimals;
}

static void put_label(struct jr_tick *tick, struct unit unit, int decimals)
{
	char text[JR_NUM_MAX];
	if (tick->value == 0)
		unit.suffix = unit.suffix[0] == ' ' && unit.suffix[1] == '%' ? " %" : "";
	if (decimals > 6)
		jr_num_significant(text, tick->value / unit.factor, 4);
	else
		jr_num_grouped(text, tick->value / unit.factor, tick->value == 0 ? 0 : decimals);
	snprintf(tick->label, sizeof(tick->label), "%.48s%s", text, unit.suffix);
}

/* Write "10⁻⁸"; at most 20 bytes. */
static size_t put_power(char *out, int64_t exponent)
{
	static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
	char plain[JR_NUM_MAX];
	jr_num_i64(plain, exponent);
	size_t len = 2;
	memcpy(out, "10", 2);
	for (const char *p = plain; *p; p++) {
		const char *digit = *p == '-' ? "⁻" : digits[*p - '0'];
		size_t n = strlen(digit);
		memcpy(out + len, digit, n);
		len += n;
	}
	out[len] = '\0';
	return len;
}

/* Each tick of a logarithmic axis has its own unit: 1 kB, 1 MB. */
static void put_log_label(struct jr_tick *tick, enum jr_format format)
{
	double exponent = log10(tick->value);
	bool decade = fabs(exponent - round(exponent)) < 1e-6;
	if ((format == JR_FORMAT_NUMBER || format == JR_FORMAT_COUNT) &&
		(tick->value >= 999999 || tick->value < 0.99e-4)) {
		if (decade)
			put_power(tick->label, lround(exponent));
		else
			jr_num_significant(tick->label, tick->value, 1);
		return;
	}
	struct unit unit = unit_for(tick->value, format);
	put_label(tick, unit, decimals_of(tick->value / unit.factor));
}

/* --- ticks ----------------------------------------------------------------------------------- */

static size_t linear_ticks(
	const struct jr_scale *scale, enum jr_format format, size_t max_ticks, struct jr_tick *ticks)
{
	size_t room = max_ticks > 1 ? max_ticks - 1 : 1;
	double step, first, last;
	do { /* one tick is not a scale */
		step = jr_nice_step(scale->hi - scale->lo, room++);
		if (format == JR_FORMAT_COUNT)
			step = fmax(step, 1);
		first = ceil(scale->lo / step - 1e-6);
		last = floor(scale->hi / step + 1e-6);
	} while (last - first < 1 && room < max_ticks + 3);
	if (!(last - first < (double)JR_MAX_TICKS))
		return 0;
	struct unit unit = unit_for(fmax(fabs(scale->lo), fabs(scale->hi)), format);
	int decimals = decimals_of(step / unit.factor);
	size_t n = 0;
	for (double k = first; k <= last && n < JR_MAX_TICKS; k++) {
		ticks[n] = (struct jr_tick){.value = k * step};
		put_label(&ticks[n++], unit, decimals);
	}
	return n;
}

static size_t log_ticks(
	const struct jr_scale *scale, enum jr_format format, size_t max_ticks, struct jr_tick *ticks)
{
	double decades = log10(scale->hi) - log10(scale->lo);
	int first = (int)floor(log10(scale->lo) + 1e-9), last = (int)floor(log10(scale->hi) + 1e-9);
	int every = (int)ceil((decades + 1) / (double)(max_ticks > 1 ? max_ticks : 1));
	every = every < 1 ? 1 : every;
	bool label_2_5 = decades < 2 && max_ticks >= 5;
	bool minors = every == 1 && (last - first + 1) * 9 <= JR_MAX_TICKS;
	bool all_decades = last - first < JR_MAX_TICKS;
	size_t n = 0;
	for (int e = first; e <= last; e++)
		for (int m = 1; m < 10 && n < JR_MAX_TICKS; m++) {
			double value = m * pow(10, e);
			if (value < scale->lo * (1 - 1e-9) || value > scale->hi * (1 + 1e-9))
				continue;
			bool decade = m == 1 && (e - first) % every == 0;
			bool labeled = decade || (label_2_5 && (m == 2 || m == 5));
			if (!labeled && !minors && !(m == 1 && all_decades))
				continue;
			ticks[n] = (struct jr_tick){.value = value, .minor = !labeled};
			if (labeled)
				put_log_label(&ticks[n], format);
			n++;
		}
	return n;
}

size_t jr_scale_ticks(const struct jr_scale *scale, enum jr_format format, size_t max_ticks,
	struct jr_tick ticks[JR_MAX_TICKS])
{
	if (max_ticks > JR_MAX_TICKS / 2)
		max_ticks = JR_MAX_TICKS / 2;
	if (!scale->log || scale->hi < scale->lo * 10 * (1 - 1e-9))
		return linear_ticks(scale, format, max_ticks, ticks);
	return log_ticks(scale, format, max_ticks, ticks);
}

/* Remove trailing zeros, "60.00" -> "60"; whole numbers stay. */
static size_t trim_zeros(char *text, size_t n)
{
	if (!memchr(text, '.', n))
		return n;
	while (text[n - 1] == '0')
		n--;
	if (text[n - 1] == '.')
		n--;
	text[n] = '\0';
	return n;
}

/* "60", "8.1 × 10⁻⁸" */
static size_t put_number(char out[JR_NUM_MAX], double value)
{
	static const char times[] = " × ";
	size_t n = jr_num_significant(out, value, 4);
	const char *e = memchr(out, 'e', n);
	if (!e)
		return trim_zeros(out, n);
	const char *digits = e + 1 + (e[1] == '+');
	int64_t exponent = 0;
	(void)jr_parse_i64(digits, strlen(digits), &exponent);
	n = trim_zeros(out, (size_t)(e - out));
	memcpy(out + n, times, sizeof(times));
	n += sizeof(times) - 1;
	return n + put_power(out + n, exponent);
}

size_t jr_format_value(char out[JR_NUM_MAX], double value, enum jr_format format)
{
	switch (format) {
	case JR_FORMAT_TIME_NS: return jr_num_time(out, value);
	case JR_FORMAT_BYTES: return jr_num_bytes(out, value);
	case JR_FORMAT_PERCENT: {
		size_t n = jr_num_significant(out, value * 100, 3);
		memcpy(out + n, " %", 3);
		return n + 2;
	}
	default: return put_number(out, value);
	}
}
