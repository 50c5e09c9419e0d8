/*
 * scale.h - map data values to pixels, and place the ticks.
 * Layer: render.  Plain values, no allocation.
 */
#ifndef JR_RENDER_SCALE_H
#define JR_RENDER_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/num.h"

/* How values of an axis are printed. Ticks of one axis share one unit. */
enum jr_format {
	JR_FORMAT_NUMBER,  /* 12,500; on logarithmic axes from 10⁶ on: 10⁶ */
	JR_FORMAT_TIME_NS, /* values are ns: 250 µs, 1.5 ms */
	JR_FORMAT_BYTES,   /* 512 kB, 1.5 GB; SI units */
	JR_FORMAT_COUNT,   /* as numbers, but no ticks between whole numbers */
	JR_FORMAT_PERCENT, /* values are fractions: 0.25 -> 25 % */
};

struct jr_scale {
	bool log;
	double lo, hi;       /* domain, lo < hi; > 0 if log */
	double at_lo, at_hi; /* positions of lo and hi, px; at_hi < at_lo is valid (y axes) */
};

struct jr_tick {
	double value;
	bool minor;             /* a tick without label */
	char label[JR_NUM_MAX]; /* "" for minor ones */
};

#define JR_MAX_TICKS 64

/**
 * Make a scale over [lo, hi]. The result is valid for any input: swapped ends are exchanged, equal
 * ends are widened, a domain that is not finite becomes 0..1, log domains at or below 0 start at hi
 * / 1e6 (or are 1..10).
 */
struct jr_scale jr_scale_make(bool log, double lo, double hi, double at_lo, double at_hi);
/** Widen the domain to whole ticks (linear: at most `max_ticks`; log: 1, 2 or 5 times a decade). */
void jr_scale_nice(struct jr_scale *scale, size_t max_ticks);
/** Return the pixel of a value, clamped to the ends of the range; NaN if the value is NaN. */
double jr_scale_px(const struct jr_scale *scale, double value);

/**
 * Place the ticks inside the domain, ascending. Linear: steps of 1, 2 or 5 times a power of ten, at
 * most `max_ticks` with labels. Log: decades (every k-th, so that at most `max_ticks` have labels)
 * with minor ticks at 2..9; below two decades 2 and 5 have labels, too; below one decade as linear.
 * @return number of `ticks` set, <= JR_MAX_TICKS
 */
size_t jr_scale_ticks(const struct jr_scale *scale, enum jr_format format, size_t max_ticks,
	struct jr_tick ticks[JR_MAX_TICKS]);

/** Return a step of 1, 2 or 5 times a power of ten that cuts `span` (> 0) into at most n (>= 1)
 * parts. */
double jr_nice_step(double span, size_t n);

/** Print one value for people, in the unit that fits: 4 significant digits, "60" not "60.00". */
size_t jr_format_value(char out[JR_NUM_MAX], double value, enum jr_format format);

#endif
