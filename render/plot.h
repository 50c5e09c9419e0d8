/*
 * plot.h - charts from plain arrays: scatter, lines, bars, histogram, distributions, stacked bars,
 * swim lanes, cells, heat maps.
 * Layer: render.  Everything in a jr_plot is borrowed for the duration of the call; the scene owns
 * copies. Thread use: one jr_metrics handle, so one thread at a time.
 *
 * Fill the fields that a kind reads, leave the rest zero. Without data that can be drawn, the
 * figure says "no data". Values that are not finite (or beyond 1e150), and values <= 0 on a
 * logarithmic axis, are left out and counted in the caption. Foreign text is safe. If a few points
 * of a SCATTER would flatten the others, the y axis becomes logarithmic, or ends before them (rule:
 * jr_figure_fit_y() in plot_impl.h).
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
	JR_PLOT_BOX,       /* categories: samples as box and whiskers with outliers as points */
	JR_PLOT_VIOLIN,    /* categories: samples as a density shape with quartiles */
	JR_PLOT_DOTS,      /* categories: samples in order from top to bottom, the median marked */
	JR_PLOT_INTERVALS, /* categories: one change each, a point with its interval around 0 */
	JR_PLOT_STACKED,   /* categories: parts side by side on one bar, legend by part, sum right */
	JR_PLOT_SWIMLANE,  /* categories: lanes of intervals over a common x axis */
	JR_PLOT_CELLS,     /* cells: one square each, in lines, colored by their values from 0 on */
	JR_PLOT_HEAT,      /* heat: a grid of cells over steps, colored by their values from 0 on */
	JR_PLOT_MULTIPLES, /* rows: scatter charts in a column over one x axis, each with its own y */
	JR_N_PLOT_KINDS
};

/* An axis. In BARS, BOX, VIOLIN, DOTS, INTERVALS and STACKED the values run along x. */
struct jr_axis {
	const char *title;     /* "duration"; NULL: no title */
	const char *unit;      /* "GB/s", printed after the title; NULL if the format has units */
	enum jr_format format; /* of tick labels and generated tooltips */
	bool log;
	bool zero;     /* linear: the domain includes 0 (bars always do) */
	bool fixed;    /* the domain is exactly lo..hi; else it follows the data */
	double lo, hi; /* used if `fixed` */
	double least;  /* linear: the domain spans at least this share of its middle; 0: no minimum */
	/* [n_names] x axis: texts below the labels of ticks at these values; NULL entries: none */
	const double *named;
	const char *const *names;
	size_t n_names;
};

enum jr_mark {
	JR_MARK_DEFAULT, /* SCATTER: points, LINE: line */
	JR_MARK_POINTS,
	JR_MARK_LINE,      /* straight from point to point */
	JR_MARK_STEP,      /* holds a value until the next x: memory curves, counts */
	JR_MARK_LINE_DOTS, /* line with a marker on each point */
	JR_MARK_BAND,      /* from lo to hi, without a line; a second one is darker than the first */
};

/* Points (x[i], y[i]) of one series. SCATTER, LINE, HISTOGRAM (y only). */
struct jr_series {
	const char *name;  /* legend and tooltips; NULL or "": no legend entry */
	enum jr_role role; /* NONE: SERIES_1.. in turn */
	bool guide;        /* a line that is not data: axes ignore it, labels may cover it */
	enum jr_mark mark;
	enum jr_dash dash; /* of lines */
	double width;      /* of lines, px; 0: 1.75 */
	size_t n;
	const double *x, *y;   /* [n]; x ascending for lines */
	const double *lo, *hi; /* [n] both or none, in y units: error bars on points, a band on lines */
	const double *weights; /* [n] areas of points, largest of the figure = 1; NULL: all equal */
	const char *const *things; /* [n] tooltip text before x and y; NULL (entries): series' name */
	const char *const *hrefs;  /* [n] "#fragment" targets; NULL, or NULL entries: no link */
	/* [n] true: the domain of the axes ignores this point (unless all are ignored); NULL: none. If
	 * it is outside, an arrow at the edge shows what it is and its y value, as for any point beyond
	 * a fixed domain. Only for points, not for lines. */
	const bool *apart;
	/* [n] text next to chosen points, which are drawn stronger; NULL entries for the others. If two
	 * labels collide, the lower index stays; at most 40 are placed. */
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

/* One interval of a lane. */
struct jr_interval {
	double begin, end; /* x units, begin <= end */
	enum jr_role role;
	const char *label; /* inside, if the interval has 60 px or more; NULL: none */
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
	const char *name;       /* row label: cut with an ellipsis to fit, whole in the tooltip */
	const char *tip;        /* NULL: made from name and value */
	const char *href;       /* "#fragment" of label and bar; NULL: no link */
	enum jr_role role;      /* NONE: COMPUTE */
	double value;           /* BARS: length of the bar */
	bool hollow;            /* BARS, INTERVALS: outlined, for uncertain values */
	const char *value_text; /* BARS, INTERVALS, STACKED: text after the bar; NULL: value or sum */
	double lo, hi;          /* BARS, INTERVALS: error bar from lo to hi; SWIMLANE: extent of the
							 * lane, x units; both 0: none, or the whole axis */
	const double *samples;  /* BOX, VIOLIN: [n], any order; DOTS: in order */
	size_t n;
	const double *parts;                 /* STACKED: [plot.n_parts] values >= 0 */
	const struct jr_interval *intervals; /* SWIMLANE: [n_intervals] */
	size_t n_intervals;
	const struct jr_category *beneath; /* SWIMLANE: second lane of this name, below; NULL: none */
};

/* One of CELLS. */
struct jr_cell {
	double value;      /* >= 0; not finite: unknown, drawn empty */
	const char *name;  /* "17": before a line that begins with this cell, and in tooltips */
	const char *group; /* adjacent cells of one group are set apart from others; NULL: none */
	const char *label; /* text next to a chosen cell, which is outlined; NULL: not chosen. If two
						* collide, the first stays */
	const char *tip;   /* of a chosen cell; NULL: made from its value */
};

/* Colors of CELLS: steps of equal size from 0 to the largest value. */
#define JR_CELL_STEPS 5
struct jr_cell_scale {
	size_t n;                            /* 1..JR_CELL_STEPS */
	struct jr_tick bounds[JR_MAX_TICKS]; /* [n + 1] */
};

/* A row of HEAT, from top to bottom. */
struct jr_heat_row {
	const char *name;     /* at the left, cut to fit; left out where rows are too close */
	const char *note;     /* at the right; its name is bold and has precedence; NULL: none */
	const char *group;    /* adjacent rows of one group are set apart from others; NULL: none */
	size_t outlined_from; /* column from which on the row is outlined; SIZE_MAX: none */
};

/* A column of HEAT: the steps from first to last, ascending, no overlap. */
struct jr_heat_column {
	int64_t first, last;
};

struct jr_heat {
	size_t n_rows, n_columns;
	const struct jr_heat_row *rows;
	const struct jr_heat_column *columns;
	const double *values;  /* [n_rows * n_columns] by row; not finite: unknown, drawn empty */
	double band;           /* values up to this are negligible: the first color includes them */
	const char *row_title; /* "Host, device"; NULL: none */
};

struct jr_plot {
	enum jr_plot_kind kind;
	const char *id;       /* of the figure, unique in the page: [a-z0-9-] */
	const char *title;    /* one line; cut to fit */
	const char *subtitle; /* what the chart shows, in words; wrapped; NULL: none */
	const char *caption;  /* definition, below the plot; wrapped; NULL: none */
	int64_t n;            /* > 0: "n = ..." at the start of the caption */
	bool bare;            /* the page shows title, subtitle and caption: only aria-label has them */
	double width;         /* px; 0: 760 */
	double height;        /* px of the plot area; 0: by kind. Charts of rows: always by rows */
	struct jr_axis x, y;
	const struct jr_series *series;
	size_t n_series;
	const struct jr_guide *guides;
	size_t n_guides;
	const char *guides_name; /* in the legend; NULL: no entry */
	const struct jr_category *categories;
	size_t n_categories;
	const struct jr_cell *cells; /* x: title is what a cell is, y: format of the values */
	size_t n_cells;
	const struct jr_heat *heat;  /* x: title of the columns, y: title and format of the values;
								  * NULL: no data */
	const struct jr_part *parts; /* STACKED; SWIMLANE, BARS: only for the legend; CELLS, HEAT: the
								  * first sets the color */
	bool frames;                 /* STACKED: the legend is of frames of a flamegraph */
	size_t n_parts, n_hollow;    /* BARS: the last n_hollow are outlined, as their bars are */
	/* MULTIPLES: SCATTERs with title, note (NULL: none), y, series and height. The whole plot's `x`
	 * is used. The legend is from `series`, those of the first row. */
	const struct jr_plot *rows;
	size_t n_rows;
	const char *note; /* a row of MULTIPLES: text at the right of its title */
	double band;      /* INTERVALS: values within -band..band are shaded; 0: none */
	bool change;      /* BARS, INTERVALS: differences, positive values have a sign, too */
};

/** Make steps for values of 0 to `most`, with round bounds. */
void jr_cell_scale_make(struct jr_cell_scale *scale, enum jr_format format, double most);
/** Return the step of a value, 0..n - 1. */
size_t jr_cell_step(const struct jr_cell_scale *scale, double value);
/** Append "below 200 µs", "200 µs to 400 µs" or, for k = n, "not known". */
void jr_cell_step_words(struct jr_buf *out, const struct jr_cell_scale *scale, size_t k);
/** Make steps for the values of a heat map. The first one ends at `band`, further ones at the next
 * round numbers (1, 2, 5, 10, ...), and the last one of JR_CELL_STEPS has no end. O(n) */
void jr_heat_scale_make(struct jr_cell_scale *scale, const double *values, size_t n, double band);
/** Append "below 200 µs", "200 µs to 400 µs", "800 µs or more" or, for k = n, "unknown". */
void jr_heat_step_words(struct jr_buf *out, const struct jr_cell_scale *scale, size_t k);

/**
 * Draw a chart. `out` is initialized here; the caller ends it with jr_scene_done(). Deterministic.
 * Scatter points in the same cell of half a pixel (a larger cell above 400 points) are drawn once,
 * darker, and their tooltip says how many there are. Lines keep the first, lowest, highest and last
 * point of each half pixel. If the figure is narrower than 480 px: above 200 points, of each pixel.
 * So the output size is bounded for any n. Cost: O(n log n) of the data.
 */
void jr_plot_scene(const struct jr_plot *plot, struct jr_metrics *metrics, struct jr_scene *out);

#endif
