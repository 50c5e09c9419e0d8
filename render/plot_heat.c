/*
 * A grid of things over time: one cell per thing and step, colored by its value.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "render/plot_impl.h"

#define MOST_ROW 18.0   /* px */
#define TALL 400.0      /* px: approximate maximum height of all rows */
#define GAP 3.0         /* px between two groups of rows */
#define LABEL_LINE 13.0 /* px: minimum distance between names of rows */
#define SWATCH 64.0     /* px: width of a step of the color scale */
#define MAX_TIPS 2000
#define LARGEST 1e150 /* larger values are not measurements */

/* Tints of the steps of a scale, by their number: the darker, the larger, also in gray. */
static const unsigned step_tints[JR_CELL_STEPS][JR_CELL_STEPS] = {
	{5}, {5, 7}, {5, 4, 7}, {5, 2, 4, 7}, {5, 6, 2, 4, 7}};

struct heat {
	struct jr_figure *fig;
	const struct jr_heat *all;
	struct jr_cell_scale scale;
	double row_height, column_width;
	double *top;  /* [n_rows] px from the first row */
	double names; /* px: room for names of rows */
	double notes; /* px: room for notes at the right; 0: none */
	size_t n_tips;
};

/* --- scale ------------------------------------------------------------------------------------ */

static bool is_known(double value)
{
	return fabs(value) < LARGEST;
}

/* Return the smallest of 1, 2 or 5 times a power of ten that is not below v > 0. */
static double round_up(double v)
{
	double power = pow(10, floor(log10(v)));
	static const double factors[] = {1, 2, 5};
	for (size_t i = 0; i < 3; i++)
		if (v <= factors[i] * power * (1 + 1e-9))
			return factors[i] * power;
	return 10 * power;
}

/* Print a time without needless zeros: "200 µs", "15.4 ms". */
static void put_time(char out[JR_NUM_MAX], double ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}, {1, " ns"}};
	size_t k = 0;
	while (k + 1 < JR_COUNT_OF(units) && ns < units[k].ns)
		k++;
	double value = ns / units[k].ns;
	bool whole = value >= 1 && value == floor(value);
	size_t n = whole ? jr_num_grouped(out, value, 0) : jr_num_significant(out, value, 3);
	memcpy(out + n, units[k].name, strlen(units[k].name) + 1);
}

/* From the band on, each step is about twice as wide as the one before: a single large value does
 * not make smaller ones look alike, which may last longer. */
void jr_heat_scale_make(struct jr_cell_scale *scale, const double *values, size_t n, double band)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		if (is_known(values[i]))
			most = fmax(most, values[i]);
	if (!(band > 0 && band < LARGEST)) {
		jr_cell_scale_make(scale, JR_FORMAT_TIME_NS, most);
		return;
	}
	double bound = band;
	scale->bounds[0] = (struct jr_tick){.value = 0, .label = "0"};
	for (scale->n = 1;; bound = round_up(bound * 1.5)) {
		struct jr_tick *tick = &scale->bounds[scale->n];
		*tick = (struct jr_tick){.value = bound};
		put_time(tick->label, bound);
		if (most < bound || scale->n == JR_CELL_STEPS)
			break;
		scale->n++;
	}
}

void jr_heat_step_words(struct jr_buf *out, const struct jr_cell_scale *scale, size_t k)
{
	if (scale->n > 1 && k == scale->n - 1)
		jr_buf_printf(out, "%s or more", scale->bounds[k].label);
	else
		jr_cell_step_words(out, scale, k);
}

static struct jr_style style_of(const struct heat *h, size_t step)
{
	enum jr_role role = h->fig->plot->n_parts ? h->fig->plot->parts[0].role : JR_ROLE_COMPUTE;
	return step == h->scale.n ? jr_area(JR_ROLE_UNKNOWN)
							  : jr_wash(role, step_tints[h->scale.n - 1][step]);
}

static double value_at(const struct heat *h, size_t row, size_t column)
{
	return h->all->values[row * h->all->n_columns + column];
}

/* Return the step of a cell; unknown values get the step after the scale's. */
static size_t step_at(const struct heat *h, size_t row, size_t column)
{
	double value = value_at(h, row, column);
	return is_known(value) ? jr_cell_step(&h->scale, value) : h->scale.n;
}

/* Draw the color scale: one swatch per step, with the bounds between them. */
static void put_scale(struct heat *h)
{
	struct jr_figure *fig = h->fig;
	double x = fig->pad, width = fmin(SWATCH, (fig->width - 2 * fig->pad) / (JR_CELL_STEPS + 1));
	bool unknown = false;
	fig->y += 14;
	if (fig->plot->y.title)
		jr_figure_text(fig, x, fig->y, fig->plot->y.title, &(struct jr_text){.size = TEXT_SIZE},
			fig->width - 2 * fig->pad);
	fig->y += 6;
	for (size_t k = 0; k < h->scale.n; k++) {
		jr_scene_rect(fig->scene, x + (double)k * width, fig->y, width - 1, 11, style_of(h, k));
		fig->text->size = 0;
		jr_heat_step_words(fig->text, &h->scale, k);
		jr_scene_tip(fig->scene, fig->text->data);
	}
	for (size_t i = 0; i < h->all->n_rows * h->all->n_columns; i++)
		unknown |= !is_known(h->all->values[i]);
	double end = x + (double)h->scale.n * width + 14;
	if (unknown) {
		jr_scene_rect(fig->scene, end, fig->y, 11, 11, style_of(h, h->scale.n));
		jr_figure_text(fig, end + 16, fig->y + 10, "unknown", &(struct jr_text){.size = TEXT_SIZE},
			fig->width - fig->pad - end - 16);
	}
	fig->y += 24;
	for (size_t k = 1; k < h->scale.n; k++) {
		const struct jr_text style = {
			.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_MIDDLE};
		jr_figure_text(fig, x + (double)k * width, fig->y, h->scale.bounds[k].label, &style, width);
	}
	fig->y += 8;
}

/* --- layout ----------------------------------------------------------------------------------- */

/* Groups are set apart if any has several rows. */
static bool any_group(const struct jr_heat *all)
{
	for (size_t i = 1; i < all->n_rows; i++)
		if (all->rows[i].group && jr_same_group(all->rows[i - 1].group, all->rows[i].group))
			return true;
	return false;
}

static double widest(struct heat *h, bool notes)
{
	double width = 0;
	for (size_t i = 0; i < h->all->n_rows; i++) {
		const char *text = notes ? h->all->rows[i].note : h->all->rows[i].name;
		if (text)
			width = fmax(width, jr_figure_text_width(h->fig, text, TEXT_SIZE, true));
	}
	return ceil(width);
}

static void lay_out(struct heat *h)
{
	struct jr_figure *fig = h->fig;
	bool groups = any_group(h->all);
	bool narrow = fig->width < NARROW;
	double y = 0, notes = narrow ? 0 : widest(h, true);
	h->names = fmin(widest(h, false) + 1, (narrow ? 0.4 : 0.28) * fig->width) + 6;
	h->notes = notes > 0 ? fmin(notes, 0.3 * fig->width) + 8 : 0;
	h->row_height = floor(fmin(MOST_ROW, fmax(5, TALL / (double)h->all->n_rows)));
	for (size_t i = 0; i < h->all->n_rows; i++) {
		y += groups && i && !jr_same_group(h->all->rows[i - 1].group, h->all->rows[i].group) ? GAP
																							 : 0;
		h->top[i] = y;
		y += h->row_height;
	}
	fig->left = fig->pad + h->names;
	fig->right = fig->width - fig->pad - h->notes;
	h->column_width = (fig->right - fig->left) / (double)h->all->n_columns;
	fig->top = fig->y;
	fig->bottom = fig->top + y;
}

static double column_x(const struct heat *h, size_t column)
{
	return h->fig->left + (double)column * h->column_width;
}

/* --- cells ------------------------------------------------------------------------------------ */

static void put_steps(struct jr_buf *out, const struct jr_heat *all, size_t from, size_t to)
{
	int64_t first = all->columns[from].first, last = all->columns[to - 1].last;
	if (first == last)
		jr_buf_printf(out, "step %" PRId64, first);
	else
		jr_buf_printf(out, "steps %" PRId64 " to %" PRId64, first, last);
}

/* "node054, 37, steps 12 to 20: 980 µs to 1.07 ms" */
static void put_run_tip(struct heat *h, size_t row, size_t from, size_t to)
{
	struct jr_figure *fig = h->fig;
	double low = INFINITY, high = -INFINITY;
	if (h->n_tips++ >= MAX_TIPS)
		return;
	for (size_t c = from; c < to; c++) {
		low = fmin(low, value_at(h, row, c));
		high = fmax(high, value_at(h, row, c));
	}
	fig->text->size = 0;
	jr_buf_printf(fig->text, "%s, ", h->all->rows[row].name);
	put_steps(fig->text, h->all, from, to);
	jr_buf_puts(fig->text, ": ");
	jr_put_cell_values(fig, is_known(low) && is_known(high), low, high);
	jr_scene_tip(fig->scene, fig->text->data);
}

/* Draw adjacent cells of one color as one rectangle, because there are many. */
static void put_row(struct heat *h, size_t row)
{
	double y = h->fig->top + h->top[row];
	for (size_t from = 0, to; from < h->all->n_columns; from = to) {
		size_t step = step_at(h, row, from);
		for (to = from + 1; to < h->all->n_columns && step_at(h, row, to) == step;)
			to++;
		jr_scene_rect(h->fig->scene, column_x(h, from), y, (double)(to - from) * h->column_width,
			h->row_height - 1, style_of(h, step));
		put_run_tip(h, row, from, to);
	}
}

/* Outline rows from the cell on in which they become late. */
static void put_outlines(struct heat *h)
{
	for (size_t i = 0; i < h->all->n_rows; i++) {
		size_t from = h->all->rows[i].outlined_from;
		if (from >= h->all->n_columns)
			continue;
		double x = column_x(h, from);
		jr_scene_rect(h->fig->scene, x, h->fig->top + h->top[i] - 0.5, h->fig->right - x,
			h->row_height, jr_stroke(JR_ROLE_INK, 1.5));
	}
}

/* --- labels ----------------------------------------------------------------------------------- */

/* Return where the name of a row fits, given those that are placed (NaN: none): beside it or, if
 * the row has a note, up to a line below. NaN: nowhere. */
static double free_place(const struct heat *h, const double *placed, size_t row)
{
	double y = h->top[row];
	for (size_t i = 0; i < h->all->n_rows; i++)
		if (fabs(placed[i] - y) < LABEL_LINE) {
			if (!h->all->rows[row].note || placed[i] + LABEL_LINE - h->top[row] > LABEL_LINE)
				return NAN;
			y = placed[i] + LABEL_LINE;
		}
	return y;
}

/* Place the names of rows with a note first. */
static void put_names(struct heat *h)
{
	struct jr_figure *fig = h->fig;
	double *placed = JR_ARENA_N(&fig->scene->arena, double, h->all->n_rows + 1);
	for (size_t i = 0; i < h->all->n_rows; i++)
		placed[i] = NAN;
	for (int chosen = 1; chosen >= 0; chosen--)
		for (size_t i = 0; i < h->all->n_rows; i++) {
			const struct jr_heat_row *row = &h->all->rows[i];
			if ((row->note != NULL) != chosen)
				continue;
			placed[i] = free_place(h, placed, i);
			if (isnan(placed[i]))
				continue;
			double y = fig->top + placed[i] + h->row_height / 2 + 3.5;
			const struct jr_text name = {.role = chosen ? JR_ROLE_INK : JR_ROLE_MUTED,
				.size = TEXT_SIZE,
				.anchor = JR_END,
				.bold = chosen};
			jr_figure_text(fig, fig->left - 6, y, row->name, &name, h->names - 6);
			if (chosen && h->notes > 0)
				jr_figure_text(fig, fig->right + 8, y, row->note,
					&(struct jr_text){.size = TEXT_SIZE}, h->notes - 8);
		}
}

/* Label the columns that contain a round number of steps. */
static void put_axis(struct heat *h)
{
	struct jr_figure *fig = h->fig;
	const struct jr_heat *all = h->all;
	int64_t first = all->columns[0].first, last = all->columns[all->n_columns - 1].last;
	char text[JR_NUM_MAX];
	jr_num_grouped_i64(text, last);
	double room = jr_figure_text_width(fig, text, TEXT_SIZE, false) + 18;
	double span = (double)last - (double)first + 1;
	double most = fmax(1, floor((fig->right - fig->left) / room));
	int64_t each = (int64_t)fmax(1, fmin(jr_nice_step(span, (size_t)most), 1e18));
	double free_from = -INFINITY;
	for (size_t c = 0; c < all->n_columns; c++) {
		const struct jr_heat_column *column = &all->columns[c];
		int64_t after = column->first % each, at = column->first;
		if (after && __builtin_add_overflow(at, after < 0 ? -after : each - after, &at))
			continue;
		if (at > column->last)
			continue;
		double share = ((double)at - (double)column->first + 0.5) /
					   ((double)column->last - (double)column->first + 1);
		double x = column_x(h, c) + share * h->column_width;
		if (x < free_from)
			continue;
		free_from = x + room;
		jr_num_grouped_i64(text, at);
		jr_scene_line(fig->scene, x, fig->bottom, x, fig->bottom + 4, jr_stroke(JR_ROLE_AXIS, 1));
		const struct jr_text label = {
			.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_MIDDLE};
		double half = jr_figure_text_width(fig, text, TEXT_SIZE, false) / 2;
		jr_figure_text(fig, fmin(x, fig->width - half), fig->bottom + 16, text, &label, room);
	}
	fig->y = fig->bottom + 16;
	if (fig->plot->x.title) {
		fig->y += 16;
		jr_figure_text(fig, (fig->left + fig->right) / 2, fig->y, fig->plot->x.title,
			&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_MIDDLE},
			fig->right - fig->left);
	}
}

void jr_plot_heat(struct jr_figure *fig)
{
	const struct jr_heat *all = fig->plot->heat;
	struct heat h = {.fig = fig, .all = all};
	bool any = false;
	for (size_t i = 0; all && i < all->n_rows * all->n_columns; i++)
		any |= is_known(all->values[i]);
	if (!any) {
		jr_figure_no_data(fig);
		return;
	}
	h.top = JR_ARENA_N(&fig->scene->arena, double, all->n_rows + 1);
	jr_heat_scale_make(&h.scale, all->values, all->n_rows * all->n_columns, all->band);
	put_scale(&h);
	if (all->row_title) {
		fig->y += 14;
		jr_figure_text(fig, fig->pad, fig->y, all->row_title,
			&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE}, fig->width / 2);
		fig->y += 10;
	}
	lay_out(&h);
	for (size_t i = 0; i < all->n_rows; i++)
		put_row(&h, i);
	put_names(&h); /* a text, so that outlines cover the rows */
	put_outlines(&h);
	put_axis(&h);
}
