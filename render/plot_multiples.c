/*
 * Small multiples: scatter charts in a column. The x axis is drawn once, below the last, so that
 * values measured at the same x are easy to compare.
 */
#include <math.h>

#include "render/plot_impl.h"

#define ROW_HEIGHT 56.0 /* default height of a plot area, px */
#define ROW_GAP 6.0
#define TITLE_HEIGHT 18.0 /* above its base line */
#define TITLE_GAP 13.0    /* below it: the upper half of the top axis label is there */

struct row {
	struct jr_figure fig;
	struct jr_range y;
	struct jr_plot plot; /* with the x axis of the whole plot */
	double height;
	bool any;
};

static struct jr_scale y_scale(const struct row *row, double bottom, double top)
{
	return jr_axis_scale(&row->plot.y, row->y, bottom - top < 140 ? 3 : 5, bottom, top);
}

/* Return the width of the widest labels of all rows, so that all plot areas begin at the same x. */
static double label_width(struct row *rows, size_t n)
{
	double widest = 20;
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].any)
			continue;
		struct jr_scale scale = y_scale(&rows[i], rows[i].height, 0);
		widest = fmax(widest, jr_figure_y_label_width(&rows[i].fig, &scale));
	}
	return widest;
}

static void draw_title(const struct row *row)
{
	struct jr_figure fig = row->fig;
	double room = fig.width - 2 * fig.pad, note = 0;
	if (row->plot.note && *row->plot.note) {
		note = fmin(jr_figure_text_width(&fig, row->plot.note, TEXT_SIZE, false), room / 2);
		jr_figure_text(&fig, fig.right - note, fig.y, row->plot.note,
			&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE}, note + 1);
	}
	jr_figure_text(&fig, fig.pad, fig.y, row->plot.title ? row->plot.title : "",
		&(struct jr_text){.size = TEXT_SIZE, .bold = true}, room - note - 12);
}

static void draw_row(struct row *row, double left, struct jr_range x, bool last)
{
	struct jr_figure *fig = &row->fig;
	fig->left = left;
	fig->right = fig->width - fig->pad - 10;
	fig->y += TITLE_HEIGHT;
	draw_title(row);
	fig->top = fig->y + TITLE_GAP;
	fig->bottom = fig->top + row->height;
	fig->x_scale = jr_axis_scale(&row->plot.x, x,
		jr_figure_x_ticks(fig, &row->plot.x, fig->right - fig->left), fig->left, fig->right);
	fig->y_scale = y_scale(row, fig->bottom, fig->top);
	fig->y = fig->bottom + ROW_GAP;
	if (row->any)
		jr_figure_y_axis(fig);
	if (last)
		jr_figure_x_axis(fig);
	else
		jr_figure_x_grid(fig);
	if (row->any)
		jr_points_draw(fig);
	else
		jr_scene_text(fig->scene, (fig->left + fig->right) / 2, (fig->top + fig->bottom) / 2 + 4,
			"no data",
			&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_MIDDLE});
}

void jr_plot_multiples(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	JR_VEC(struct row) rows = {0};
	struct jr_range x = JR_RANGE_EMPTY;
	size_t n_any = 0;
	for (size_t i = 0; i < plot->n_rows; i++) {
		struct row *row = jr_vec_add(&rows);
		*row = (struct row){.fig = *fig, .y = JR_RANGE_EMPTY, .plot = plot->rows[i]};
		row->plot.kind = JR_PLOT_SCATTER;
		row->plot.x = plot->x;
		row->height = row->plot.height > 0 ? fmax(40, fmin(400, row->plot.height)) : ROW_HEIGHT;
	}
	for (size_t i = 0; i < rows.n; i++) { /* the vector does not grow any more */
		struct row *row = &rows.items[i];
		row->fig.plot = &row->plot;
		row->any = jr_points_measure(&row->fig, &x, &row->y) > 0;
		n_any += row->any;
		fig->n_not_finite += row->fig.n_not_finite;
		fig->n_not_positive += row->fig.n_not_positive;
	}
	if (n_any) {
		double left = fig->pad + label_width(rows.items, rows.n) + 8;
		for (size_t i = 0; i < rows.n; i++) {
			rows.items[i].fig.y = fig->y;
			draw_row(&rows.items[i], left, x, i + 1 == rows.n);
			fig->y = rows.items[i].fig.y;
		}
	} else {
		jr_figure_no_data(fig);
	}
	jr_vec_done(&rows);
}
