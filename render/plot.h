/*
 * plot.h - charts from plain arrays: scatter, lines, bars, histogram, distributions, stacked bars,
 * swim lanes, cells.
 * Layer: render.  Everything in a jr_plot is borrowed for the length of the call; the scene owns
 * copies. Thread use: one jr_metrics handle, so one thread at a time.
 *
 * Fill the fields that a kind reads, leave the rest zero. No data, or none that can be drawn, gives
 * a figure that says "no data"; values that are not finite (or beyond 1e150), and values <= 0 on a
 * logarithmic axis, are left out and counted in the caption. Text is foreign-safe. A y axis that
 * few points of a SCATTER would press the others flat on becomes logarithmic, or ends short of them
 * (jr_figure_fit_y() in plot_impl.h says when).
 *
 *	struct jr_plot plot = {
 *		.kind = JR_PLOT_SCATTER, .id = "bus-bandwidth", .title = "Bus bandwidth by message size",
 *		.x = {.title = "message size", .format = JR_FORMAT_BYTES, .log = true},
 *		.y = {.title = "bus bandwidth", .unit = "GB/s", .zero = true},
 *		.series = series, .n_series = 2, .n = 128, .caption = "mean over instances ± std. error",
 *	};
 *	struct jr_scene scene;
 *	jr_plot_scene(&plot, metrics, &scene);
 *	jr_scene_svg_inline(&scene, NULL, out);
 *	jr_scene_done(&scene);
 */
#ifndef JR_RENDER_PLOT_H
#define JR_RENDER_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/scale.h"
#include "render/scene.h"
#include "render/scene_cairo.h"

enum jr_plot_kind {
	JR_PLOT_SCATTER,   /* series: points, error bars, labels for chosen points */
	JR_PLOT_LINE,      /* series: lines or steps, bands */
	JR_PLOT_BARS,      /* categories: one horizontal bar each, label left, value right */
	JR_PLOT_HISTOGRAM, /* series[0].y: samples; bins are chosen here; x is the value axis */
	JR_PLOT_BOX,       /* categories: samples as box and whiskers over their points */
	JR_PLOT_VIOLIN,    /* categories: samples as a density shape with quartiles */
	JR_PLOT_DOTS,      /* categories: samples in order from top to bottom, the median marked */
	JR_PLOT_INTERVALS, /* categories: a change each, a point with its interval about 0 */
	JR_PLOT_STACKED,   /* categories: parts side by side on one bar, legend by part, sum right */
	JR_PLOT_SWIMLANE,  /* categories: lanes of intervals over a common x axis */
	JR_PLOT_CELLS,     /* cells: one each, line by line, coloured by their values from 0 on */
	JR_PLOT_MULTIPLES, /* rows: scatters one below the other over one x axis, each with its own y */
	JR_N_PLOT_KINDS
};

/* An axis. In BARS, BOX, VIOLIN, DOTS, INTERVALS and STACKED the values run along x. */
struct jr_axis {
	const char *title;     /* "duration"; NULL: no title */
	const char *unit;      /* "GB/s", printed behind the title; NULL where the format has units */
	enum jr_format format; /* of tick labels and generated tooltips */
	bool log;
	bool zero;     /* linear: the domain includes 0 (bars always do) */
	bool fixed;    /* the domain is exactly lo..hi; else it follows the data */
	double lo, hi; /* read where `fixed` */
	double least;  /* linear: the domain spans at least this share of its middle; 0: any */
};

enum jr_mark {
	JR_MARK_DEFAULT, /* SCATTER: points, LINE: line */
	JR_MARK_POINTS,
	JR_MARK_LINE,      /* straight from point to point */
	JR_MARK_STEP,      /* holds a value until the next x: memory curves, counts */
	JR_MARK_LINE_DOTS, /* line with a marker on each point */
	JR_MARK_BAND,      /* from lo to hi, without a line; a second one is darker than the first */
};

/* Points (x[i], y[i]) of one thing. SCATTER, LINE, HISTOGRAM (y only). */
struct jr_series {
	const char *name;  /* legend and tooltips; NULL or "": no legend entry */
	enum jr_role role; /* NONE: SERIES_1.. in turn */
	bool guide;        /* a line that is no data: no axis is as long as it, labels may lie on it */
	enum jr_mark mark;
	enum jr_dash dash; /* of lines */
	double width;      /* of lines, px; 0: 1.75 */
	size_t n;
	const double *x, *y;   /* [n]; x ascending for lines */
	const double *lo, *hi; /* [n] both or none, in y units: error bars on points, a band on lines */
	const double *weights; /* [n] areas of points, largest of the figure as 1; NULL: all alike */
	const char *const *things; /* [n] what each point is, ahead of x and y in its tooltip; NULL, or
								* NULL entries: the series' name */
	const char *const *hrefs;  /* [n] "#fragment" targets; NULL, or NULL entries: no link */
	/* [n] true: a point that has no part in the domain of the axes (unless all are so); NULL: none.
	 * Where it lies beyond, an arrow at the edge tells what it is and its y value, as of any point
	 * beyond a fixed domain. Points alone, not lines. */
	const bool *apart;
	/* [n] text beside chosen points, which are drawn stronger; NULL entries for the others. Where
	 * two collide the one of lower index stays; at most 40 are placed. */
	const char *const *labels;
};

/* A reference line across the plot, or a mark on an edge. */
struct jr_guide {
	bool vertical; /* true: at an x value; false: at a y value */
	double at;
	double height_frac; /* vertical only: 0 or 1 = full height, else a tick up from the x axis */
	const char *label;  /* NULL: none */
	const char *tip;    /* NULL: none */
	enum jr_role role;  /* NONE: MUTED */
	enum jr_dash dash;
};

/* One stretch of a lane. */
struct jr_interval {
	double begin, end; /* x units, begin <= end */
	enum jr_role role;
	const char *label; /* inside, from 60 px on; NULL: none */
	const char *tip;   /* NULL: none */
	const char *href;  /* "#fragment"; NULL: none */
};

/* One part of all stacked bars, in stacking order. */
struct jr_part {
	const char *name;  /* legend and tooltips */
	enum jr_role role; /* NONE: SERIES_1.. in turn */
};

/* One row of BARS, BOX, VIOLIN, DOTS, INTERVALS, STACKED or SWIMLANE, drawn from top to bottom. */
struct jr_category {
	const char *name;       /* row label: measured, cut with an ellipsis, whole in the tooltip */
	const char *tip;        /* NULL: made up from name and value */
	const char *href;       /* "#fragment" behind label and bar; NULL: no link */
	enum jr_role role;      /* NONE: COMPUTE */
	double value;           /* BARS: length of the bar */
	bool hollow;            /* BARS, INTERVALS: outlined, for what is in doubt */
	const char *value_text; /* BARS, INTERVALS, STACKED: text behind the bar; NULL: the value or sum
							 * itself */
	double lo, hi;          /* BARS, INTERVALS: error bar from lo to hi; SWIMLANE: the lane is
							 * between them, x units; both 0: none, or all of the axis */
	const double *samples;  /* BOX, VIOLIN: [n], any order; DOTS: in order */
	size_t n;
	const double *parts;                 /* STACKED: [plot.n_parts] values >= 0 */
	const struct jr_interval *intervals; /* SWIMLANE: [n_intervals] */
	size_t n_intervals;
	const struct jr_category *beneath; /* SWIMLANE: a second lane of the same name, close below;
										* NULL: none */
};

/* One of CELLS. */
struct jr_cell {
	double value;      /* >= 0; not finite: not known, drawn empty */
	const char *name;  /* "17": ahead of a line that begins with it, and in tooltips */
	const char *group; /* cells of one text that follow each other stand together, apart from
						* others; NULL: none */
	const char *label; /* of a chosen one, which is outlined: words beside it; NULL: not chosen.
						* Where two collide the first one stays */
	const char *tip;   /* of a chosen one; NULL: made up */
};

/* Colours of CELLS: steps of equal size from 0 to the largest value. */
#define JR_CELL_STEPS 5
struct jr_cell_scale {
	size_t n;                            /* 1..JR_CELL_STEPS */
	struct jr_tick bounds[JR_MAX_TICKS]; /* [n + 1] */
};

struct jr_plot {
	enum jr_plot_kind kind;
	const char *id;       /* of the figure, unique in the page: [a-z0-9-] */
	const char *title;    /* one line; cut to fit */
	const char *subtitle; /* what is shown, in words; wrapped; NULL: none */
	const char *caption;  /* definition, below the plot; wrapped; NULL: none */
	int64_t n;            /* > 0: "n = ..." leads the caption */
	bool bare;            /* the page has title, subtitle and caption: only aria-label has them */
	double width;         /* px; 0: 760 */
	double height;        /* px of the plot area; 0: by kind. Charts of rows: by rows, always */
	struct jr_axis x, y;
	const struct jr_series *series;
	size_t n_series;
	const struct jr_guide *guides;
	size_t n_guides;
	const char *guides_name; /* in the legend; NULL: not there */
	const struct jr_category *categories;
	size_t n_categories;
	const struct jr_cell *cells; /* x: title is what each is, y: of their values */
	size_t n_cells;
	const struct jr_part *parts; /* STACKED; SWIMLANE, BARS: legend only; CELLS: the first tells
								  * their colour */
	size_t n_parts, n_hollow;    /* BARS: the last n_hollow are outlined, as their bars are */
	/* MULTIPLES: SCATTERs with title, note (NULL: none), y, series and height; `x` is read of the
	 * whole, and so is the legend: `series` of the first row, in which all rows' series agree. */
	const struct jr_plot *rows;
	size_t n_rows;
	const char *note; /* of a row of MULTIPLES: at the right of its title */
	double band;      /* INTERVALS: values within -band..band are shaded; 0: none */
	bool change;      /* BARS, INTERVALS: differences, with a sign also where they are positive */
};

/** Steps for values of 0 to `most`, at bounds that people read easily. */
void jr_cell_scale_make(struct jr_cell_scale *scale, enum jr_format format, double most);
/** Step of a value, 0..n - 1. */
size_t jr_cell_step(const struct jr_cell_scale *scale, double value);
/** Append "below 200 µs", "200 µs to 400 µs" or, for k = n, "not known". */
void jr_cell_step_words(struct jr_buf *out, const struct jr_cell_scale *scale, size_t k);

/**
 * Draw. `out` is initialised here; the caller ends it with jr_scene_done(). Deterministic.
 * Scatter points that fall on the same cell of half a pixel (of more, from 800 points on) are drawn
 * once, darker, and their tooltip says how many they are; lines keep the first, lowest, highest and
 * last point of each half pixel. Below 480 px of width: from 400 points on, of each pixel. So the
 * size of the picture is bounded whatever n is. Cost: O(n log n) of the data.
 */
void jr_plot_scene(const struct jr_plot *plot, struct jr_metrics *metrics, struct jr_scene *out);

#endif
