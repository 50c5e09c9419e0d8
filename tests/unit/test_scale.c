/* Scales and ticks: 1-2-5 steps, decades, labels, and invalid domains. */
#include <math.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "render/scale.h"

/* Check the labels of the labeled ticks, separated by "|". */
static void assert_ticks(struct jr_scale scale, enum jr_format format, size_t max_ticks,
	const char *expected)
{
	struct jr_tick ticks[JR_MAX_TICKS];
	size_t n = jr_scale_ticks(&scale, format, max_ticks, ticks), labeled = 0;
	JR_CLEANUP(jr_buf_done) struct jr_buf all = {0};
	jr_buf_puts(&all, "");
	for (size_t i = 0; i < n; i++) {
		if (ticks[i].minor) {
			assert_string_equal(ticks[i].label, "");
			continue;
		}
		jr_buf_printf(&all, "%s%s", labeled++ ? "|" : "", ticks[i].label);
	}
	assert_string_equal(all.data, expected);
}

static struct jr_scale linear(double lo, double hi)
{
	return jr_scale_make(false, lo, hi, 0, 100);
}

static struct jr_scale logarithmic(double lo, double hi)
{
	return jr_scale_make(true, lo, hi, 0, 100);
}

static UNIT(linear_ticks)
{
	assert_ticks(linear(0, 10), JR_FORMAT_NUMBER, 6, "0|2|4|6|8|10");
	assert_ticks(linear(0, 0.3), JR_FORMAT_NUMBER, 4, "0|0.1|0.2|0.3");
	assert_ticks(linear(-1, 1), JR_FORMAT_NUMBER, 5, "−1.0|−0.5|0|0.5|1.0");
	assert_ticks(linear(0, 12000), JR_FORMAT_NUMBER, 4, "0|5,000|10,000");
	assert_ticks(linear(3.2, 3.9), JR_FORMAT_NUMBER, 5, "3.2|3.4|3.6|3.8");
	assert_ticks(linear(0, 1), JR_FORMAT_PERCENT, 6, "0 %|20 %|40 %|60 %|80 %|100 %");
	assert_ticks(linear(0, 2.5e6), JR_FORMAT_TIME_NS, 6, "0|0.5 ms|1.0 ms|1.5 ms|2.0 ms|2.5 ms");
	assert_ticks(linear(0, 4e9), JR_FORMAT_BYTES, 5, "0|1 GB|2 GB|3 GB|4 GB");
	assert_ticks(linear(0, 4e9), JR_FORMAT_NUMBER, 3, "0|2 G|4 G");
	assert_ticks(linear(0, 1), JR_FORMAT_COUNT, 6, "0|1");
	assert_ticks(linear(0, 2), JR_FORMAT_COUNT, 6, "0|1|2");
	assert_ticks(linear(0, 12000), JR_FORMAT_COUNT, 4, "0|5,000|10,000");
	assert_ticks(linear(0, 5e-12), JR_FORMAT_NUMBER, 2, "0|5.000e-12");
}

static UNIT(log_ticks)
{
	assert_ticks(logarithmic(1, 1000), JR_FORMAT_NUMBER, 6, "1|10|100|1,000");
	assert_ticks(logarithmic(1, 50), JR_FORMAT_NUMBER, 6, "1|2|5|10|20|50");
	assert_ticks(logarithmic(100, 1e8), JR_FORMAT_TIME_NS, 8,
		"100 ns|1 µs|10 µs|100 µs|1 ms|10 ms|100 ms");
	assert_ticks(logarithmic(1, 1e12), JR_FORMAT_BYTES, 5, "1 B|1 kB|1 MB|1 GB|1 TB");
	assert_ticks(logarithmic(1e-7, 1e8), JR_FORMAT_NUMBER, 4, "10⁻⁷|0.001|10|100,000");
	assert_ticks(logarithmic(20, 30), JR_FORMAT_NUMBER, 6, "20|22|24|26|28|30");
}

static UNIT(minor_ticks)
{
	struct jr_scale scale = logarithmic(1, 1000);
	struct jr_tick ticks[JR_MAX_TICKS];
	size_t n = jr_scale_ticks(&scale, JR_FORMAT_NUMBER, 6, ticks), minor = 0;
	for (size_t i = 0; i < n; i++) {
		minor += ticks[i].minor;
		if (i)
			assert_true(ticks[i - 1].value < ticks[i].value);
	}
	assert_int_equal(n, 28);
	assert_int_equal(minor, 24);
}

static UNIT(never_too_many)
{
	static const double spans[] = {1e-300, 1e-9, 0.37, 1, 17, 1e6, 1e15, 1e200};
	for (size_t i = 0; i < JR_COUNT_OF(spans); i++)
		for (size_t max_ticks = 0; max_ticks < 200; max_ticks += 7) {
			struct jr_tick ticks[JR_MAX_TICKS];
			struct jr_scale a = linear(-spans[i], spans[i] * 1.7);
			size_t n = jr_scale_ticks(&a, JR_FORMAT_NUMBER, max_ticks, ticks);
			assert_true(n <= (max_ticks < 3 ? 3 : max_ticks));
			struct jr_scale b = logarithmic(1e-200, spans[i]);
			n = jr_scale_ticks(&b, JR_FORMAT_BYTES, max_ticks, ticks);
			assert_true(n <= JR_MAX_TICKS);
			size_t labeled = 0;
			for (size_t k = 0; k < n; k++)
				labeled += ticks[k].label[0] != '\0';
			assert_true(labeled <= (max_ticks < 10 ? 10 : max_ticks) + 1);
		}
}

static UNIT(nice_domains)
{
	struct jr_scale scale = linear(0.3, 9.7);
	jr_scale_nice(&scale, 6);
	assert_true(scale.lo == 0 && scale.hi == 10);
	scale = logarithmic(3, 4200);
	jr_scale_nice(&scale, 6);
	assert_true(fabs(scale.lo - 2) < 1e-9 && fabs(scale.hi - 5000) < 1e-6);
	scale = logarithmic(1, 1000);
	jr_scale_nice(&scale, 6);
	assert_true(fabs(scale.lo - 1) < 1e-9 && fabs(scale.hi - 1000) < 1e-6);
}

static UNIT(positions)
{
	struct jr_scale scale = jr_scale_make(false, 10, 20, 300, 100);
	assert_true(jr_scale_px(&scale, 10) == 300);
	assert_true(jr_scale_px(&scale, 15) == 200);
	assert_true(jr_scale_px(&scale, 99) == 100);
	assert_true(jr_scale_px(&scale, -INFINITY) == 300);
	assert_true(isnan(jr_scale_px(&scale, NAN)));
	scale = jr_scale_make(true, 1, 100, 0, 10);
	assert_true(fabs(jr_scale_px(&scale, 10) - 5) < 1e-9);
	assert_true(jr_scale_px(&scale, 0) == 0);
	assert_true(jr_scale_px(&scale, -3) == 0);
}

/* For any input, the scale is finite, in order, and has ticks that can be drawn. */
static UNIT(hopeless_domains)
{
	static const double values[] = {0, 1, -1, 1e308, -1e308, 5e-324, INFINITY, -INFINITY, NAN, 3};
	for (size_t i = 0; i < JR_COUNT_OF(values); i++)
		for (size_t k = 0; k < JR_COUNT_OF(values); k++)
			for (int is_log = 0; is_log < 2; is_log++) {
				struct jr_scale scale = jr_scale_make(is_log, values[i], values[k], 0, 100);
				jr_scale_nice(&scale, 6);
				assert_true(isfinite(scale.lo) && isfinite(scale.hi) && scale.lo < scale.hi);
				assert_true(!is_log || scale.lo > 0);
				assert_true(isfinite(jr_scale_px(&scale, 0.5)));
				struct jr_tick ticks[JR_MAX_TICKS];
				size_t n = jr_scale_ticks(&scale, JR_FORMAT_TIME_NS, 6, ticks);
				for (size_t t = 0; t < n; t++)
					assert_true(isfinite(ticks[t].value));
			}
}

static UNIT(values_for_people)
{
	static const struct {
		double value;
		enum jr_format format;
		const char *text;
	} cases[] = {
		{60, JR_FORMAT_NUMBER, "60"}, {0.4, JR_FORMAT_NUMBER, "0.4"},
		{381.63601, JR_FORMAT_NUMBER, "381.6"}, {12345, JR_FORMAT_NUMBER, "12,345"},
		{100, JR_FORMAT_NUMBER, "100"}, {NAN, JR_FORMAT_NUMBER, "–"},
		{0.25, JR_FORMAT_PERCENT, "25.0 %"}, {3914, JR_FORMAT_TIME_NS, "3.914 µs"},
		{512, JR_FORMAT_BYTES, "512 B"}, {8.1e-8, JR_FORMAT_NUMBER, "8.1 × 10⁻⁸"},
		{-2e21, JR_FORMAT_NUMBER, "−2 × 10²¹"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		char text[JR_NUM_MAX];
		size_t n = jr_format_value(text, cases[i].value, cases[i].format);
		assert_int_equal(n, strlen(text));
		assert_string_equal(text, cases[i].text);
	}
}
