#include "analysis/compile_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

/* A positive finite double as 0.DIGITS * 10^point. */
struct decimal {
	char digits[20]; /* without leading or trailing zeros; NUL-terminated */
	int n, point;
};

/* The value rounded to `precision` significant digits. Only digits and the exponent are looked at,
 * so that the locale's decimal point does not matter. */
static struct decimal round_to(double v, int precision)
{
	char text[64];
	struct decimal d = {.n = 0};
	snprintf(text, sizeof(text), "%.*e", precision - 1, v);
	const char *p = text;
	for (; *p && *p != 'e'; p++)
		if (*p >= '0' && *p <= '9' && d.n < (int)sizeof(d.digits) - 1)
			d.digits[d.n++] = *p;
	d.point = (*p ? atoi(p + 1) : 0) + 1;
	while (d.n > 1 && d.digits[d.n - 1] == '0')
		d.n--;
	d.digits[d.n] = '\0';
	return d;
}

/*
 * As Python writes floats: at least one digit behind the point, an exponent where the point would
 * stand more than three zeros ahead of the digits or behind `max_point` digits.
 */
static void put_decimal(struct jr_buf *out, const struct decimal *d, int max_point)
{
	if (d->point <= -4 || d->point > max_point) {
		jr_buf_putc(out, d->digits[0]);
		if (d->n > 1)
			jr_buf_putc(out, '.');
		jr_buf_add(out, d->digits + 1, (size_t)d->n - 1);
		int exponent = d->point - 1;
		jr_buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
		return;
	}
	size_t whole = d->point > 0 ? (size_t)d->point : 0, n = (size_t)d->n;
	if (!whole)
		jr_buf_putc(out, '0');
	for (size_t i = 0; i < whole; i++)
		jr_buf_putc(out, i < n ? d->digits[i] : '0');
	jr_buf_putc(out, '.');
	jr_buf_repeat(out, '0', d->point < 0 ? (size_t)-d->point : 0);
	if (whole < n)
		jr_buf_add(out, d->digits + whole, n - whole);
	else
		jr_buf_putc(out, '0');
}

/* repr(v) */
static void put_shortest(struct jr_buf *out, double v)
{
	if (v <= 0) {
		jr_buf_puts(out, "0.0");
		return;
	}
	struct decimal d = round_to(v, 17);
	for (int precision = 1; precision < 17; precision++) {
		char text[40];
		struct decimal shorter = round_to(v, precision);
		snprintf(text, sizeof(text), "%se%d", shorter.digits, shorter.point - shorter.n);
		if (strtod(text, NULL) == v) {
			d = shorter;
			break;
		}
	}
	put_decimal(out, &d, 16);
}

/* format(v, '.4') */
static void put_four_digits(struct jr_buf *out, double v)
{
	if (v <= 0) {
		jr_buf_puts(out, "0.0");
		return;
	}
	struct decimal d = round_to(v, 4);
	put_decimal(out, &d, 3);
}

static void put_name(struct jr_buf *out, const struct jr_intern *names, uint32_t name)
{
	jr_text_clean(out, jr_intern_str(names, name), jr_intern_len(names, name));
}

static void put_module(struct jr_buf *out, const struct jr_compile_summary *summary,
	const struct jr_compile_module *module)
{
	jr_buf_puts(out, "Compilation: ");
	put_name(out, &summary->names, module->name);
	jr_buf_puts(out, ": ");
	put_shortest(out, (double)module->total_ns / 1e9);
	jr_buf_putc(out, '\n');
	double total_s = (double)module->total_ns / 1e9, shares = 0;
	for (uint32_t i = 0; i < module->n_phases && module->total_ns > 0; i++) {
		const struct jr_compile_phase *phase = &summary->phases[module->first_phase + i];
		double self_s = (double)phase->self_ns / 1e9, share = self_s / total_s;
		char percent[JR_NUM_MAX];
		shares += share;
		if (!(shares < JR_COMPILE_SUMMARY_SHARE))
			break;
		jr_buf_putc(out, ' ');
		put_name(out, &summary->names, phase->name);
		jr_num_grouped(percent, share * 100, 2);
		jr_buf_printf(out, " %s%% ", percent);
		put_four_digits(out, self_s);
		jr_buf_putc(out, '\n');
	}
}

void jr_compile_summary_text(const struct jr_host_ranges *ranges, bool passes, struct jr_buf *out)
{
	struct jr_compile_summary summary;
	if (jr_compile_summarise(ranges, passes, &summary, NULL) != JR_OK)
		return;
	for (size_t i = 0; i < summary.n_modules; i++)
		put_module(out, &summary, &summary.modules[i]);
	jr_compile_summary_done(&summary);
}
