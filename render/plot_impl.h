/*
 * plot_impl.h - shared by the files of plot_*.c; private to them.
 * Layer: render.
 */
#ifndef JR_RENDER_PLOT_IMPL_H
#define JR_RENDER_PLOT_IMPL_H

#include "base/buf.h"
#include "base/intern.h"
#include "render/plot.h"

/* px; of all text except titles, because each size adds its glyphs to a figure's file again */
#define NARROW 480.0 /* px: narrower figures are for phones: half as many dots and columns */
#define TEXT_SIZE 12.0
#define TITLE_SIZE 15.0
#define MAX_ROWS 400 /* categories drawn; the caption counts the rest */

/* Margins around the plot area for points beyond the axes; px, 0 if there are none. */
struct jr_margins {
	double left, right, top, bottom;
};

struct jr_figure {
	const struct jr_plot *plot;
	struct jr_metrics *metrics;
	struct jr_scene *scene;
	double pad;                      /* left and right margin */
	double width;                    /* of the whole figure */
	double y;                        /* everything above is drawn */
	double legend_y;                 /* the legend is below */
	double left, right, top, bottom; /* plot area */
	struct jr_margins margin;        /* around it; outside of it are the axis labels */
	struct jr_scale x_scale, y_scale;
	struct jr_buf *text; /* scratch */
	size_t n_not_finite, n_not_positive, n_rows_left_out, n_beyond;
};

/* A range that grows; empty while lo > hi. */
struct jr_range {
	double lo, hi;
};
#define JR_RANGE_EMPTY ((struct jr_range){1, 0})

/** Append "1 ms", or "1 ms to 2 ms": the values of cells that are drawn as one; "unknown" if not
 * known. */
void jr_put_cell_values(struct jr_figure *fig, bool known, double low, double high);
/** Return whether the groups of two neighbors, which may be NULL, are equal. */
bool jr_same_group(const char *a, const char *b);
/** Return true if the axis can show v; else false, and count it in the figure. */
bool jr_figure_accepts(struct jr_figure *fig, const struct jr_axis *axis, double v);
bool jr_axis_shows(const struct jr_axis *axis, double v);
void jr_range_add(struct jr_range *range, double v);
/** Return the scale of an axis for the data's range, with `fixed`, `zero` and whole ticks
 * applied. */
struct jr_scale jr_axis_scale(const struct jr_axis *axis, struct jr_range range, size_t max_ticks,
	double at_lo, double at_hi);

/**
 * Fit the y axis of a scatter chart in which the middle 90 % of the points would have less than 45
 * % of the height. Makes the axis logarithmic. If that does not help (or values are not above 0),
 * lets it end at the points instead of 0. Else narrows its range, so that points beyond are marked
 * at the edge (at most a tenth of the points). In a chart with lines, these, named points and
 * points with a hundredth of the weight stay in view, and count as those points. Charts of less
 * than 10 points, with error bars or a fixed axis do not change. O(n log n).
 * @param axis, range  in: for all points; out: to draw with
 */
void jr_figure_fit_y(const struct jr_plot *plot, struct jr_axis *axis, struct jr_range *range);

/** Start the scene: title, subtitle, legend. Needs plot, metrics, scene and text to be set. */
void jr_figure_begin(struct jr_figure *fig);
/** Draw the legend below fig->y, and move that. The marks of points of a SCATTER or LINE chart
 * follow when it is known how they are drawn. plot_parts.c */
void jr_figure_legend(struct jr_figure *fig);
/** Put these marks into the legend. `crowded`: bit s, series s is drawn by jr_points_crowd(). */
void jr_figure_legend_points(struct jr_figure *fig, uint64_t crowded);
/** Draw the caption, set the accessible label and the height of the scene. */
void jr_figure_end(struct jr_figure *fig);
/** Draw "no data" in the plot area that begins at fig->y; moves fig->y below it. */
void jr_figure_no_data(struct jr_figure *fig);
/** Draw the x axis below the plot area: vertical grid, ticks, labels, title. Moves fig->y below
 * it. */
void jr_figure_x_axis(struct jr_figure *fig);
/** Draw only the vertical grid of the x axis. */
void jr_figure_x_grid(struct jr_figure *fig);
/** Draw the y axis at the left of the plot area: horizontal grid and labels; the title has its
 * place. */
void jr_figure_y_axis(struct jr_figure *fig);
/** Draw the title of the y axis, above the plot area at fig->y; moves fig->y. */
void jr_figure_y_title(struct jr_figure *fig);
/** Return the width of the widest label of a y scale, px. */
double jr_figure_y_label_width(struct jr_figure *fig, const struct jr_scale *scale);
/** Return how many ticks fit side by side on `px` pixels with labels of this format. */
size_t jr_figure_x_ticks(struct jr_figure *fig, const struct jr_axis *axis, double px);
/** Return the base line of the labels of the x axis. */
double jr_figure_x_label_y(const struct jr_figure *fig);
void jr_figure_guides(struct jr_figure *fig);

/** Draw the ground of a text over stripes, in the color of the page: from x on, around y. */
void jr_figure_ground(struct jr_figure *fig, double x, double y, double width);
/** Draw a text, cut to max_width px; a cut text has the whole text as its tooltip. */
void jr_figure_text(struct jr_figure *fig, double x, double y, const char *text,
	const struct jr_text *style, double max_width);
double jr_figure_text_width(struct jr_figure *fig, const char *text, double size, bool bold);

/* The rows of BARS and similar charts. */
struct jr_rows {
	size_t n;
	double height; /* of a row */
	double top;
};
/** Reserve room for row labels at the left, and set the plot area between them and `right_room` px
 * at the right. */
struct jr_rows jr_figure_rows(struct jr_figure *fig, double row_height, double right_room);
/** Draw the names of the rows, cut to the column that jr_figure_rows() reserved. */
void jr_figure_row_labels(struct jr_figure *fig, const struct jr_rows *rows);
/** Return the middle of row i. */
double jr_row_middle(const struct jr_rows *rows, size_t i);

/** Return the role of a category or series, with its default. */
enum jr_role jr_series_role(const struct jr_plot *plot, size_t i);
/** Return the style of a strong mark, or if `hollow` outlined on the background. */
struct jr_style jr_row_style(const struct jr_plot *plot, enum jr_role role, bool hollow);
/** Print a value for the text after its bar and for its tooltip: with a sign if it is a change. */
void jr_row_value(const struct jr_plot *plot, char out[JR_NUM_MAX + 1], double value);
/** Return the role of a part; NONE: a series color by position. */
enum jr_role jr_part_role(const struct jr_plot *plot, size_t k);
enum jr_role jr_category_role(const struct jr_category *category);
enum jr_shape jr_series_shape(size_t i);
/** Return the tint of a band; plain bands overlap each other and differ. */
unsigned jr_band_tint(const struct jr_plot *plot, size_t i);
enum jr_mark jr_series_mark(const struct jr_plot *plot, const struct jr_series *series);

/** Print a value with its unit: "250 µs", "12 GB/s". */
void jr_put_axis_value(struct jr_buf *out, const struct jr_axis *axis, double value);
/** Print what a point is, its x and its y; one per line, or all in one. */
void jr_put_point_tip(
	struct jr_buf *out, const struct jr_plot *plot, size_t s, size_t i, bool one_line);

/* A point outside the domain of an axis. */
struct jr_beyond_point {
	int right, up; /* -1, 0, 1: before, within or beyond the domain of x and y */
	size_t series, index;
	double along; /* place along its edge, px */
};

/* One arrow: points [from, from + n). */
struct jr_beyond_mark {
	int right, up; /* as for its points */
	size_t from, n;
	size_t series;      /* of its first point */
	bool mixed;         /* it has points of several series */
	struct jr_range y;  /* the values of its points */
	double first, last; /* px along the edge: the points */
	double begin, end;  /* ... and with arrow and text */
	double text_at, text_width;
	int text_side; /* above and below: text before the arrow (-1), after it (1) or inside (0) */
};

/* Owns its vectors; jr_beyond_done(). */
struct jr_beyond {
	JR_VEC(struct jr_beyond_point) points; /* by edge, then along it */
	JR_VEC(struct jr_beyond_mark) marks;
};

/** Return true for a point outside the domain of an axis. Both scales have to be set. */
bool jr_figure_beyond(const struct jr_figure *fig, double x, double y);
/** Find points outside the axes and reserve room for them: the plot area becomes narrower and moves
 * down, the scales follow. O(n log n) of such points; the room limits the number of marks. */
void jr_beyond_reserve(struct jr_beyond *b, struct jr_figure *fig);
/** Draw the background of the margins; call it before the grid. */
void jr_beyond_background(const struct jr_beyond *b, struct jr_figure *fig);
void jr_beyond_draw(struct jr_beyond *b, struct jr_figure *fig);
void jr_beyond_done(struct jr_beyond *b);

/** Add the points of all series to both ranges; return their number. O(points). */
size_t jr_points_measure(struct jr_figure *fig, struct jr_range *x, struct jr_range *y);
/** Draw marks, lines, guides and labels in a plot area whose scales include all points. */
void jr_points_draw(struct jr_figure *fig);

void jr_plot_points(struct jr_figure *fig);    /* SCATTER, LINE */
void jr_plot_bars(struct jr_figure *fig);      /* BARS */
void jr_plot_stacked(struct jr_figure *fig);   /* STACKED */
void jr_plot_histogram(struct jr_figure *fig); /* HISTOGRAM */
void jr_plot_spread(struct jr_figure *fig);    /* BOX, VIOLIN, DOTS */
void jr_plot_intervals(struct jr_figure *fig); /* INTERVALS */
void jr_plot_lanes(struct jr_figure *fig);     /* SWIMLANE */
void jr_plot_cells(struct jr_figure *fig);     /* CELLS */
void jr_plot_heat(struct jr_figure *fig);      /* HEAT */
void jr_plot_multiples(struct jr_figure *fig); /* MULTIPLES */

struct jr_dot {
	struct jr_point at;
	size_t series, index; /* of the first point drawn here */
	size_t n;             /* points in this cell */
	double weight;        /* sum over them */
	double radius;        /* px */
};

struct jr_points {
	struct jr_figure *fig;
	struct jr_beyond beyond;
	double cell;                /* px */
	double heaviest;            /* largest weight of a dot; 0: areas are all equal */
	bool crowded;               /* drawn by column: jr_points_crowd() */
	JR_VEC(struct jr_dot) dots; /* in order of series, then index */
	struct jr_map cells;
};

/** Return whether the axes can show point i of a series. */
static inline bool jr_points_show(
	const struct jr_plot *plot, const struct jr_series *series, size_t i)
{
	return jr_axis_shows(&plot->x, series->x[i]) && jr_axis_shows(&plot->y, series->y[i]);
}

/** Return where a value is, in px. */
static inline struct jr_point jr_points_place(const struct jr_figure *fig, double x, double y)
{
	return (struct jr_point){jr_scale_px(&fig->x_scale, x), jr_scale_px(&fig->y_scale, y)};
}

/** Give the last item the tooltip and the link of a dot. */
static inline void jr_dot_tip(struct jr_figure *fig, const struct jr_dot *dot)
{
	const struct jr_series *series = &fig->plot->series[dot->series];
	struct jr_buf tip = {0};
	jr_put_point_tip(&tip, fig->plot, dot->series, dot->index, false);
	if (dot->n > 1)
		jr_buf_printf(&tip, " (one of %zu points here)", dot->n);
	jr_scene_tip(fig->scene, tip.data);
	jr_buf_done(&tip);
	if (series->hrefs)
		jr_scene_href(fig->scene, series->hrefs[dot->index]);
}

/** Draw the points of all series by column, with at most `most` boxes. O(n log n). plot_crowd.c */
void jr_points_crowd(struct jr_figure *fig, size_t most);
/** Draw the labels of chosen points, each where it hides the fewest lines and points and no other
 * label. A label away from its point has a leader. plot_labels.c */
void jr_points_label(const struct jr_points *pts);

#endif
