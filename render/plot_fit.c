/*
 * Fit the y axis of a scatter chart in which a few distant points would flatten the others: most
 * points should fill the plot.
 */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "base/order.h"
#include "render/plot_impl.h"

#define MIDDLE 0.9      /* share of the points that ... */
#define LEAST_SPAN 0.45 /* ... spans this share of the plot's height, if an axis can do that */
#define FEW 10          /* with fewer points, each counts */
#define HEAVY 0.01      /* of the sum of weights: such a point is never left out */

struct values {
	JR_VEC(double) v;      /* ascending */
	struct jr_range shown; /* of a chart with lines: these, named points and heavy ones */
	bool lines;
};

JR_ORDER_OF_VALUES(ascending, double)

static double sum_of_weights(const struct jr_plot *plot)
{
	double sum = 0;
	for (size_t s = 0; s < plot->n_series; s++)
		for (size_t i = 0; plot->series[s].weights && i < plot->series[s].n; i++)
			sum += fmax(0, plot->series[s].weights[i]);
	return sum;
}

/* Collect the points that set the axis. False if its ends mean more than points: error bars. */
static bool collect(const struct jr_plot *plot, struct values *out)
{
	double heavy = HEAVY * sum_of_weights(plot);
	for (size_t s = 0; s < plot->n_series; s++) {
		const struct jr_series *series = &plot->series[s];
		bool line = jr_series_mark(plot, series) == JR_MARK_LINE;
		if (series->guide)
			continue;
		out->lines |= line;
		if ((!line && jr_series_mark(plot, series) != JR_MARK_POINTS) || series->lo || series->hi)
			return false;
		for (size_t i = 0; i < series->n; i++) {
			if (!jr_points_show(plot, series, i) || (series->apart && series->apart[i]))
				continue;
			if (line || (series->labels && series->labels[i]) ||
				(series->weights && series->weights[i] >= heavy))
				jr_range_add(&out->shown, series->y[i]);
			if (!line)
				*jr_vec_add(&out->v) = series->y[i];
		}
	}
	if (out->v.n >= FEW)
		qsort(out->v.items, out->v.n, sizeof(double), ascending);
	return out->v.n >= FEW;
}

/* Return the point below which this share of the points is. */
static double value_at(const struct values *values, double frac)
{
	return values->v.items[(size_t)(frac * (double)(values->v.n - 1) + 0.5)];
}

/* Return the share of the height between two values. */
static double span(const struct jr_axis *axis, struct jr_range range, double lo, double hi)
{
	struct jr_scale scale = jr_axis_scale(axis, range, 6, 0, 1);
	return jr_scale_px(&scale, hi) - jr_scale_px(&scale, lo);
}

void jr_figure_fit_y(const struct jr_plot *plot, struct jr_axis *axis, struct jr_range *range)
{
	static const double margins[] = {INFINITY, 0.4, 0.2, 0.1, 0};
	struct values values = {.shown = JR_RANGE_EMPTY};
	if (plot->kind == JR_PLOT_SCATTER && !plot->y.fixed && collect(plot, &values)) {
		values.shown = values.lines ? values.shown : JR_RANGE_EMPTY;
		jr_range_add(&values.shown, value_at(&values, (1 - MIDDLE) / 2));
		jr_range_add(&values.shown, value_at(&values, (1 + MIDDLE) / 2));
		double lo = values.shown.lo, hi = values.shown.hi;
		struct jr_axis log = *axis, clipped = *axis;
		log.log = true;
		clipped.zero = false;
		if (lo == hi || span(axis, *range, lo, hi) >= LEAST_SPAN) {
			/* keep the axis, or no axis can show anything */
		} else if (range->lo > 0 && span(&log, *range, lo, hi) >= LEAST_SPAN) {
			*axis = log;
		} else {
			struct jr_range some = *range;
			*axis = clipped;
			for (size_t k = 0; k < sizeof(margins) / sizeof(*margins); k++) {
				double around = axis->log ? pow(hi / lo, margins[k]) : margins[k] * (hi - lo);
				double low = axis->log ? lo / around : lo - around;
				double high = axis->log ? hi * around : hi + around;
				some = (struct jr_range){fmax(range->lo, low), fmin(range->hi, high)};
				if (span(axis, some, lo, hi) >= LEAST_SPAN)
					break;
			}
			*range = some;
		}
	}
	jr_vec_done(&values.v);
}
