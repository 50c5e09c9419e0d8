/*
 * plot_impl.h - what the files of plot_*.c share; for nobody else.
 * Layer: render.
 */
#ifndef JR_RENDER_PLOT_IMPL_H
#define JR_RENDER_PLOT_IMPL_H

#include "render/plot.h"

/* px; of all text but the title, since each size brings its glyphs into a figure's file again */
#define NARROW 480.0 /* px: below, a picture for a telephone: half as many dots and columns */
#define TEXT_SIZE 12.0
#define TITLE_SIZE 15.0
#define MAX_ROWS 400 /* categories drawn; the caption counts the rest */

/* Around the plot area, for points beyond the axes; px, 0 where there are none. */
struct jr_margins {
	double left, right, top, bottom;
};

struct jr_figure {
	const struct jr_plot *plot;
	struct jr_metrics *metrics;
	struct jr_scene *scene;
	double pad;                      /* left and right margin */
	double width;                    /* of the whole figure */
	double y;                        /* what is above is drawn */
	double left, right, top, bottom; /* plot area */
	struct jr_margins margin;        /* around it; then come the labels of the axes */
	struct jr_scale x_scale, y_scale;
	struct jr_buf *text; /* scratch */
	size_t n_not_finite, n_not_positive, n_rows_left_out, n_beyond;
};

/* A range that grows; empty while lo > hi. */
struct jr_range {
	double lo, hi;
};
#define JR_RANGE_EMPTY ((struct jr_range){1, 0})

/** Take v in; false (and counted in the figure) where the axis cannot show it. */
bool jr_figure_accepts(struct jr_figure *fig, const struct jr_axis *axis, double v);
bool jr_axis_shows(const struct jr_axis *axis, double v);
void jr_range_add(struct jr_range *range, double v);
/** Domain of an axis over the data's range, with `fixed`, `zero` and whole ticks applied. */
struct jr_scale jr_axis_scale(const struct jr_axis *axis, struct jr_range range, size_t max_ticks,
	double at_lo, double at_hi);

/**
 * Where the middle 90 % of the points of a scatter chart would have less than 45 % of the height:
 * makes the axis logarithmic; where that does not help (or values are not above 0), lets it end at
 * the points instead of 0; else narrows its range, so that what is beyond is marked at the edge (at
 * most a tenth of the points).
 * Charts of less than 10 points, with lines, error bars or a fixed axis stay as they are.
 * O(n log n).
 * @param axis, range  in: those of all points; out: those to draw with
 */
void jr_figure_fit_y(const struct jr_plot *plot, struct jr_axis *axis, struct jr_range *range);

/** Start the scene: title, subtitle, legend. Needs plot, metrics, scene and text to be set. */
void jr_figure_begin(struct jr_figure *fig);
/** Caption, accessible label, and the height of the scene. */
void jr_figure_end(struct jr_figure *fig);
/** Draw "no data" in the plot area that begins at fig->y; moves fig->y below it. */
void jr_figure_no_data(struct jr_figure *fig);
/** x axis below the plot area: vertical grid, ticks, labels, title. Moves fig->y below it. */
void jr_figure_x_axis(struct jr_figure *fig);
/** The vertical grid of it alone. */
void jr_figure_x_grid(struct jr_figure *fig);
/** y axis at the left of the plot area: horizontal grid and labels; the title was reserved. */
void jr_figure_y_axis(struct jr_figure *fig);
/** Title of the y axis, above the plot area at fig->y; moves fig->y. */
void jr_figure_y_title(struct jr_figure *fig);
/** Width of the widest label that the y scale will have, px. */
double jr_figure_y_label_width(struct jr_figure *fig, const struct jr_scale *scale);
/** Ticks that fit side by side on `px` pixels with labels as wide as this scale's. */
size_t jr_figure_x_ticks(struct jr_figure *fig, const struct jr_axis *axis, double px);
/** Base line of the labels of the x axis. */
double jr_figure_x_label_y(const struct jr_figure *fig);
void jr_figure_guides(struct jr_figure *fig);

/** Text in the scene, cut to max_width px; the whole text becomes its tooltip where it was cut. */
void jr_figure_text(struct jr_figure *fig, double x, double y, const char *text,
	const struct jr_text *style, double max_width);
double jr_figure_text_width(struct jr_figure *fig, const char *text, double size, bool bold);

/* The rows of BARS and the like. */
struct jr_rows {
	size_t n;
	double height; /* of a row */
	double top;
};
/** Row labels at the left, then the plot area set between them and `right_room` px at the right. */
struct jr_rows jr_figure_rows(struct jr_figure *fig, double row_height, double right_room);
/** Names of the rows, cut to the column that jr_figure_rows() left for them. */
void jr_figure_row_labels(struct jr_figure *fig, const struct jr_rows *rows);
/** Middle of row i. */
double jr_row_middle(const struct jr_rows *rows, size_t i);

/** Role of a category or series, with its default. */
enum jr_role jr_series_role(const struct jr_plot *plot, size_t i);
/** Of what is drawn strongly, or hollow: outlined on the background. */
struct jr_style jr_row_style(enum jr_role role, bool hollow);
/** The value as it stands behind its bar and in its tooltip: with a sign where it is a change. */
void jr_row_value(const struct jr_plot *plot, char out[JR_NUM_MAX + 1], double value);
/** NONE: one of the series, by position. */
enum jr_role jr_part_role(const struct jr_plot *plot, size_t k);
enum jr_role jr_category_role(const struct jr_category *category);
enum jr_shape jr_series_shape(size_t i);
/** Tint of a band: those that are nothing but bands lie on each other. */
unsigned jr_band_tint(const struct jr_plot *plot, size_t i);
enum jr_mark jr_series_mark(const struct jr_plot *plot, const struct jr_series *series);

/** "250 µs", "12 GB/s" */
void jr_put_axis_value(struct jr_buf *out, const struct jr_axis *axis, double value);
/** What a point is, its x and its y; in a line each, or all in one. */
void jr_put_point_tip(
	struct jr_buf *out, const struct jr_plot *plot, size_t s, size_t i, bool one_line);

/* A point that is not in the domain of both axes. */
struct jr_beyond_point {
	int right, up; /* -1, 0, 1: before, within or beyond the domain of x and y */
	size_t series, index;
	double along; /* place along its edge, px */
};

/* One arrow: points [from, from + n). */
struct jr_beyond_mark {
	int right, up; /* as of its points */
	size_t from, n;
	size_t series;      /* of the first of them */
	bool mixed;         /* others are of another one */
	struct jr_range y;  /* their values */
	double first, last; /* along the edge, px: the points */
	double begin, end;  /* ... and with arrow and words */
	double text_at, text_width;
	int text_side; /* above and below: words before the arrow (-1), behind it (1) or within */
};

/* Owner: vectors; jr_beyond_done(). */
struct jr_beyond {
	JR_VEC(struct jr_beyond_point) points; /* by edge, then along it */
	JR_VEC(struct jr_beyond_mark) marks;
};

/** True for a point that one of the axes does not reach. Both scales have to be set. */
bool jr_figure_beyond(const struct jr_figure *fig, double x, double y);
/** Find such points and take room for them: the plot area shrinks in width and moves down, the
 * scales move along. O(n log n) of such points; how many marks come of them is bounded by the room.
 */
void jr_beyond_reserve(struct jr_beyond *b, struct jr_figure *fig);
/** Ground of the margins; goes below the grid. */
void jr_beyond_background(const struct jr_beyond *b, struct jr_figure *fig);
void jr_beyond_draw(struct jr_beyond *b, struct jr_figure *fig);
void jr_beyond_done(struct jr_beyond *b);

/** Take the points of all series into both ranges; how many there are. O(points). */
size_t jr_points_measure(struct jr_figure *fig, struct jr_range *x, struct jr_range *y);
/** Marks, lines, guides and labels in a plot area whose scales reach all points. */
void jr_points_draw(struct jr_figure *fig);

void jr_plot_points(struct jr_figure *fig);    /* SCATTER, LINE */
void jr_plot_bars(struct jr_figure *fig);      /* BARS */
void jr_plot_stacked(struct jr_figure *fig);   /* STACKED */
void jr_plot_histogram(struct jr_figure *fig); /* HISTOGRAM */
void jr_plot_spread(struct jr_figure *fig);    /* BOX, VIOLIN, DOTS */
void jr_plot_intervals(struct jr_figure *fig); /* INTERVALS */
void jr_plot_lanes(struct jr_figure *fig);     /* SWIMLANE */
void jr_plot_cells(struct jr_figure *fig);     /* CELLS */
void jr_plot_multiples(struct jr_figure *fig); /* MULTIPLES */

#endif
