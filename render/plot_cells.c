/*
 * Many similar things at a glance: one cell each, colored by its value, in lines like text.
 */
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "render/plot_impl.h"

#define LEAST_CELL 5.0 /* px; with the line that separates cells */
#define MOST_CELL 22.0
#define TALL 110.0        /* px: approximate maximum height of all lines */
#define TALL_NARROW 190.0 /* the same for a narrow figure */
#define FLAG 18.0         /* px: room for the text of a chosen cell */
#define LABEL_LINE 14.0   /* px: minimum distance between names of lines */
#define MAX_TIPS 2000

/* Tints of the steps of a scale, by their number. */
static const unsigned step_tints[JR_CELL_STEPS][JR_CELL_STEPS] = {
	{4}, {6, 4}, {5, 2, 4}, {5, 6, 2, 4}, {5, 6, 2, 4, 7}};

struct place {
	double x, y; /* px; y from the first line */
};

/* Cells [from, to) are in one line. */
struct line {
	size_t from, to;
};

struct cells {
	struct jr_figure *fig;
	const struct jr_cell *all;
	size_t n;
	struct jr_cell_scale scale;
	double size, gap;   /* px: of a cell, and between two groups */
	struct place *at;   /* [n] */
	struct line *lines; /* [n_lines] */
	size_t n_lines, n_tips;
	double names;        /* px: room for names of lines, at the left */
	double above, below; /* px: where the last text there ends */
};

void jr_cell_scale_make(struct jr_cell_scale *scale, enum jr_format format, double most)
{
	struct jr_scale px = jr_scale_make(false, 0, most, 0, 1);
	jr_scale_nice(&px, JR_CELL_STEPS + 1);
	size_t n = jr_scale_ticks(&px, format, JR_CELL_STEPS + 1, scale->bounds);
	scale->n = n > JR_CELL_STEPS ? JR_CELL_STEPS : n < 2 ? 1 : n - 1;
}

size_t jr_cell_step(const struct jr_cell_scale *scale, double value)
{
	size_t k = 0;
	while (k + 1 < scale->n && value >= scale->bounds[k + 1].value)
		k++;
	return k;
}

void jr_cell_step_words(struct jr_buf *out, const struct jr_cell_scale *scale, size_t k)
{
	if (k == scale->n)
		jr_buf_puts(out, "unknown");
	else if (k == 0)
		jr_buf_printf(out, "below %s", scale->bounds[1].label);
	else
		jr_buf_printf(out, "%s to %s", scale->bounds[k].label, scale->bounds[k + 1].label);
}

void jr_put_cell_values(struct jr_figure *fig, bool known, double low, double high)
{
	char text[JR_NUM_MAX];
	if (!known) {
		jr_buf_puts(fig->text, "unknown");
		return;
	}
	jr_format_value(text, low, fig->plot->y.format);
	jr_buf_puts(fig->text, text);
	jr_format_value(text, high, fig->plot->y.format);
	if (low < high)
		jr_buf_printf(fig->text, " to %s", text);
}

bool jr_same_group(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* --- layout ---------------------------------------------------------------------------------- */

/* Return true if any group has several cells; groups of one cell are not shown. */
static bool any_group(const struct cells *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (c->all[i].group && jr_same_group(c->all[i - 1].group, c->all[i].group))
			return true;
	return false;
}

static size_t group_end(const struct cells *c, size_t from)
{
	size_t to = from + 1;
	while (to < c->n && jr_same_group(c->all[from].group, c->all[to].group))
		to++;
	return to;
}

/* Place cells like words in lines: a group that does not fit begins a new line, a group longer than
 * a line is broken. */
static void set_places(struct cells *c, double left, double right)
{
	double x = left;
	c->n_lines = 0;
	for (size_t from = 0; from < c->n;) {
		size_t to = c->gap > 0 ? group_end(c, from) : c->n;
		double width = (double)(to - from) * c->size;
		bool begins = from == 0 || (c->gap > 0 && x + c->gap + width > right &&
									   (width <= right - left || x >= right));
		x += begins ? 0 : c->gap;
		for (; from < to; from++, begins = false) {
			if (begins || x + c->size > right + 0.01) {
				x = left;
				c->lines[c->n_lines++] = (struct line){from, from};
			}
			c->at[from] = (struct place){x, (double)(c->n_lines - 1) * c->size};
			c->lines[c->n_lines - 1].to = from + 1;
			x += c->size;
		}
	}
}

/* Return the room for the longest name; names are numbers, so bytes are enough. */
static double name_room(struct cells *c)
{
	const char *longest = "";
	for (size_t i = 0; i < c->n; i++)
		if (strlen(c->all[i].name) > strlen(longest))
			longest = c->all[i].name;
	double width = jr_figure_text_width(c->fig, longest, TEXT_SIZE, false);
	return fmin(ceil(width) + 1, 0.2 * c->fig->width) + 6;
}

static void lay_out(struct cells *c)
{
	struct jr_figure *fig = c->fig;
	c->names = name_room(c);
	double left = fig->pad + c->names, right = fig->width - fig->pad;
	double tall = fig->width < NARROW ? TALL_NARROW : TALL;
	c->size = floor(sqrt((right - left) * tall / (double)c->n));
	c->size = fmax(LEAST_CELL, fmin(MOST_CELL, c->size));
	if (any_group(c)) {
		c->gap = fmax(3, floor(c->size / 3));
	} else {
		double in_line = floor((right - left) / c->size);
		if (in_line >= 20) /* so that lines begin with round numbers */
			right = left + c->size * (in_line - fmod(in_line, 10));
	}
	set_places(c, left, right);
}

/* --- drawing --------------------------------------------------------------------------------- */

static void put_legend_entry(struct cells *c, double *x, struct jr_style style, const char *words)
{
	struct jr_figure *fig = c->fig;
	double width = 16 + jr_figure_text_width(fig, words, TEXT_SIZE, false);
	if (*x + width > fig->width - fig->pad && *x > fig->pad) {
		fig->y += 18;
		*x = fig->pad;
	}
	if (style.fill || style.stroke)
		jr_scene_rect(fig->scene, *x, fig->y - 9, 11, 11, style);
	double indent = style.fill || style.stroke ? 16 : 0;
	jr_figure_text(fig, *x + indent, fig->y, words, &(struct jr_text){.size = TEXT_SIZE},
		fig->width - 2 * fig->pad - indent);
	*x += width + (indent > 0 ? 16 : 0);
}

static enum jr_role role_of(const struct cells *c)
{
	return c->fig->plot->n_parts ? c->fig->plot->parts[0].role : JR_ROLE_COMPUTE;
}

static struct jr_style style_of(const struct cells *c, size_t step)
{
	if (step == c->scale.n)
		return jr_area(JR_ROLE_UNKNOWN);
	return jr_wash(role_of(c), step_tints[c->scale.n - 1][step]);
}

/* Return the step of a cell; unknown values get the step after the scale's. */
static size_t step_of(const struct cells *c, size_t i)
{
	double value = c->all[i].value;
	return isfinite(value) ? jr_cell_step(&c->scale, value) : c->scale.n;
}

/* Put a legend with the steps that occur, and how often. */
static void put_legend(struct cells *c)
{
	struct jr_figure *fig = c->fig;
	size_t counts[JR_CELL_STEPS + 1] = {0};
	double x = fig->pad;
	for (size_t i = 0; i < c->n; i++)
		counts[step_of(c, i)]++;
	fig->y += 14;
	if (fig->plot->y.title) {
		fig->text->size = 0;
		jr_buf_printf(fig->text, "%s:", fig->plot->y.title);
		put_legend_entry(c, &x, (struct jr_style){0}, fig->text->data);
	}
	for (size_t k = 0; k <= c->scale.n; k++) {
		char number[JR_NUM_MAX];
		if (!counts[k])
			continue;
		jr_num_grouped_i64(number, (int64_t)counts[k]);
		fig->text->size = 0;
		jr_cell_step_words(fig->text, &c->scale, k);
		jr_buf_printf(fig->text, " (%s)", number);
		put_legend_entry(c, &x, style_of(c, k), fig->text->data);
	}
	fig->y += 10;
}

/* Put a tooltip: "device 100 to 179: 980 µs to 1.07 ms". */
static void put_run_tip(struct cells *c, size_t from, size_t to)
{
	struct jr_figure *fig = c->fig;
	const struct jr_cell *first = &c->all[from], *last = &c->all[to - 1];
	if (c->n_tips++ >= MAX_TIPS)
		return;
	if (first->tip) {
		jr_scene_tip(fig->scene, first->tip);
		return;
	}
	double low = first->value, high = low;
	for (size_t i = from; i < to; i++) {
		low = fmin(low, c->all[i].value);
		high = fmax(high, c->all[i].value);
	}
	fig->text->size = 0;
	if (first->group && jr_same_group(first->group, last->group))
		jr_buf_printf(fig->text, "%s, ", first->group);
	const char *what = fig->plot->x.title ? fig->plot->x.title : "";
	if (to - from > 1)
		jr_buf_printf(fig->text, "%s %s to %s: ", what, first->name, last->name);
	else
		jr_buf_printf(fig->text, "%s %s: ", what, first->name);
	jr_put_cell_values(fig, isfinite(low), low, high);
	jr_scene_tip(fig->scene, fig->text->data);
}

/* Draw adjacent cells of one color as one rectangle, because there are many; put_gaps() separates
 * them. */
static void put_runs(struct cells *c, const struct line *line)
{
	for (size_t from = line->from; from < line->to;) {
		size_t to = from + 1, step = step_of(c, from);
		while (to < line->to && step_of(c, to) == step && !c->all[from].label &&
			   !c->all[to].label &&
			   (c->gap <= 0 || jr_same_group(c->all[from].group, c->all[to].group)))
			to++;
		jr_scene_rect(c->fig->scene, c->at[from].x, c->fig->top + c->at[from].y,
			c->at[to - 1].x + c->size - 1 - c->at[from].x, c->size - 1, style_of(c, step));
		put_run_tip(c, from, to);
		from = to;
	}
}

/* Return true if the cells of a line are exactly below those of another one. */
static bool aligned(const struct cells *c, const struct line *above, const struct line *line)
{
	if (line->to - line->from > above->to - above->from)
		return false;
	for (size_t i = 0; i < line->to - line->from; i++)
		if (c->at[above->from + i].x != c->at[line->from + i].x)
			return false;
	return true;
}

/* Draw lines between cells, at once for as many text lines as are aligned: one zigzag path, whose
 * horizontal parts are between the lines. */
static void put_gaps(struct cells *c)
{
	struct jr_point *points = JR_ARENA_N(&c->fig->scene->arena, struct jr_point, 2 * c->n);
	for (size_t first = 0, next; first < c->n_lines; first = next) {
		const struct line *line = &c->lines[first];
		for (next = first + 1; next < c->n_lines && aligned(c, line, &c->lines[next]);)
			next++;
		double y0 = c->fig->top + c->at[line->from].y - 0.5;
		double y1 = c->fig->top + c->at[c->lines[next - 1].from].y + c->size - 0.5;
		size_t n = 0;
		for (size_t i = line->from; i < line->to; i++) {
			double x = c->at[i].x + c->size - 0.5;
			bool down = (i - line->from) % 2 == 0;
			points[n++] = (struct jr_point){x, down ? y0 : y1};
			points[n++] = (struct jr_point){x, down ? y1 : y0};
		}
		jr_scene_path(c->fig->scene, points, n, false, jr_stroke(JR_ROLE_BACKGROUND, 1));
	}
}

static void put_line_names(struct cells *c)
{
	struct jr_figure *fig = c->fig;
	const struct jr_text style = {.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_END};
	double last = -LABEL_LINE;
	for (size_t i = 0; i < c->n_lines; i++) {
		const struct jr_cell *cell = &c->all[c->lines[i].from];
		double y = c->at[c->lines[i].from].y;
		if (y - last < LABEL_LINE)
			continue;
		last = y;
		jr_figure_text(fig, fig->pad + c->names - 6, fig->top + y + c->size / 2 + 4, cell->name,
			&style, c->names - 6);
	}
}

/* --- chosen cells ---------------------------------------------------------------------------- */

static bool goes_up(const struct cells *c, size_t i)
{
	return 2 * c->at[i].y < (double)c->n_lines * c->size;
}

/* Outline a chosen cell and draw a line to its text, above or below all cells. If another text is
 * there, it is left out. */
static void put_flag(struct cells *c, size_t i)
{
	struct jr_figure *fig = c->fig;
	const char *label = c->all[i].label;
	bool up = goes_up(c, i);
	double x = c->at[i].x, y = fig->top + c->at[i].y, side = c->size - 1;
	double middle = x + side / 2, end = up ? fig->top - FLAG + 4 : fig->bottom + FLAG - 6;
	struct jr_style outline = jr_stroke(JR_ROLE_INK, 2);
	jr_scene_rect(fig->scene, x, y, side, side, outline);
	double width = jr_figure_text_width(fig, label, TEXT_SIZE, false);
	double right = fig->width - fig->pad, *taken = up ? &c->above : &c->below;
	double from = fmax(fig->pad, fmin(middle + 5, right - width));
	bool before = middle + 5 + width > right && middle - 5 - width > fig->pad;
	from = before ? middle - 5 - width : from;
	if (from < *taken)
		return;
	*taken = fmin(from + width, right) + 12;
	jr_scene_line(fig->scene, middle, up ? y : y + side, middle, end, jr_stroke(JR_ROLE_INK, 1));
	jr_figure_text(fig, from, up ? fig->top - 7 : fig->bottom + FLAG - 5, label,
		&(struct jr_text){.size = TEXT_SIZE}, right - from);
}

void jr_plot_cells(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct cells c = {.fig = fig, .all = plot->cells, .n = plot->n_cells};
	double most = 0;
	for (size_t i = 0; i < c.n; i++) {
		if (isfinite(c.all[i].value))
			most = fmax(most, c.all[i].value);
		else
			fig->n_not_finite++;
	}
	if (fig->n_not_finite == c.n) {
		jr_figure_no_data(fig);
		return;
	}
	c.at = JR_ARENA_N(&fig->scene->arena, struct place, c.n);
	c.lines = JR_ARENA_N(&fig->scene->arena, struct line, c.n);
	jr_cell_scale_make(&c.scale, plot->y.format, most);
	lay_out(&c);
	put_legend(&c);
	bool up = false, down = false;
	for (size_t i = 0; i < c.n; i++) {
		up |= c.all[i].label && goes_up(&c, i);
		down |= c.all[i].label && !goes_up(&c, i);
	}
	fig->top = fig->y + (up ? FLAG : 0);
	fig->bottom = fig->top + (double)c.n_lines * c.size;
	for (size_t i = 0; i < c.n_lines; i++)
		put_runs(&c, &c.lines[i]);
	put_gaps(&c);
	put_line_names(&c);
	for (size_t i = 0; i < c.n; i++)
		if (c.all[i].label)
			put_flag(&c, i);
	fig->y = fig->bottom + (down ? FLAG : 0);
}
