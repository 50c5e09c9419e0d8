/*
 * Distributions: histogram; box, violin or dots per category.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/order.h"
#include "render/plot_impl.h"

#define MAX_BINS 60
#define N_GRID 96       /* points of a density curve */
#define MAX_OUTLIERS 60 /* drawn per box, the most extreme on each side */
#define SPREAD_ROW 34.0
#define LEAST_OF_BOX 10 /* samples; with fewer, quartiles mean little */
#define DOT_ROW 8.0
#define MOST_DOTS 120 /* per row; with more samples, a dot represents several in sequence */

JR_ORDER_OF_VALUES(ascending, double)

/* The samples that the axis can show, sorted. The caller frees the vector. */
struct sorted {
	JR_VEC(double) v;
};

static void sort_samples(struct jr_figure *fig, const double *samples, size_t n, struct sorted *out)
{
	for (size_t i = 0; i < n; i++)
		if (jr_figure_accepts(fig, &fig->plot->x, samples[i]))
			*jr_vec_add(&out->v) = samples[i];
	if (out->v.n)
		qsort(out->v.items, out->v.n, sizeof(double), ascending);
}

/* Interpolate linearly between order statistics, as numpy and R do by default. */
static double quantile(const struct sorted *s, double q)
{
	double at = q * (double)(s->v.n - 1), below = floor(at);
	size_t i = (size_t)below;
	if (i + 1 >= s->v.n)
		return s->v.items[s->v.n - 1];
	return s->v.items[i] + (at - below) * (s->v.items[i + 1] - s->v.items[i]);
}

/* --- histogram ------------------------------------------------------------------------------- */

struct bins {
	size_t n;
	double edges[MAX_BINS + 1];
	size_t counts[MAX_BINS];
};

/*
 * Choose bins by the rule of Freedman and Diaconis (2 IQR / cube root of n). The width is rounded
 * up to a step of 1, 2 or 5, so that edges are round numbers. On a log axis: equal parts of a
 * decade.
 */
static void choose_bins(const struct sorted *s, bool log_axis, struct bins *bins)
{
	double lo = s->v.items[0], hi = s->v.items[s->v.n - 1];
	double iqr = quantile(s, 0.75) - quantile(s, 0.25);
	if (log_axis) {
		lo = log10(lo);
		hi = log10(hi);
		iqr = log10(quantile(s, 0.75)) - log10(quantile(s, 0.25));
	}
	struct jr_scale domain = jr_scale_make(false, lo, hi, 0, 1); /* widens an empty domain */
	lo = domain.lo;
	hi = domain.hi;
	double span = hi - lo, width = 2 * iqr / cbrt((double)s->v.n);
	width = fmax(width, span / (MAX_BINS - 2));
	width = fmin(width, span / 5);
	double step = jr_nice_step(span, (size_t)ceil(span / width));
	double first = floor(lo / step + 1e-9);
	bins->n = 0;
	for (double k = first; bins->n < MAX_BINS; k++) {
		bins->edges[bins->n] = log_axis ? pow(10, k * step) : k * step;
		bins->edges[++bins->n] = log_axis ? pow(10, (k + 1) * step) : (k + 1) * step;
		if ((k + 1) * step > hi + 1e-9 * span)
			break;
	}
	memset(bins->counts, 0, sizeof(bins->counts));
	size_t bin = 0;
	for (size_t i = 0; i < s->v.n; i++) {
		while (bin + 1 < bins->n && s->v.items[i] >= bins->edges[bin + 1])
			bin++;
		bins->counts[bin]++;
	}
}

static void draw_bins(struct jr_figure *fig, const struct bins *bins)
{
	const struct jr_plot *plot = fig->plot;
	enum jr_role role = jr_series_role(plot, 0);
	const char *unit = plot->x.unit ? plot->x.unit : "", *gap = *unit ? " " : "";
	struct jr_style style = jr_wash(role, 4);
	style.stroke = role;
	struct jr_buf tip = {0};
	for (size_t i = 0; i < bins->n; i++) {
		if (!bins->counts[i])
			continue;
		char from[JR_NUM_MAX], to[JR_NUM_MAX], count[JR_NUM_MAX];
		double x0 = jr_scale_px(&fig->x_scale, bins->edges[i]);
		double x1 = jr_scale_px(&fig->x_scale, bins->edges[i + 1]);
		double y = jr_scale_px(&fig->y_scale, (double)bins->counts[i]);
		y = fmin(y, fig->bottom - 1);
		jr_scene_rect(fig->scene, x0 + 0.5, y, fmax(x1 - x0 - 1, 0.5), fig->bottom - y, style);
		jr_format_value(from, bins->edges[i], plot->x.format);
		jr_format_value(to, bins->edges[i + 1], plot->x.format);
		jr_num_grouped_i64(count, (int64_t)bins->counts[i]);
		tip.size = 0;
		jr_buf_printf(&tip, "%s to %s%s%s: %s", from, to, gap, unit, count);
		jr_scene_tip(fig->scene, tip.data);
	}
	jr_buf_done(&tip);
}

static void histogram_of(struct jr_figure *fig, const struct sorted *s)
{
	const struct jr_plot *plot = fig->plot;
	struct bins bins;
	choose_bins(s, plot->x.log, &bins);
	size_t most = 0;
	for (size_t i = 0; i < bins.n; i++)
		most = bins.counts[i] > most ? bins.counts[i] : most;
	jr_figure_y_title(fig);
	fig->top = fig->y + 4;
	fig->bottom = fig->top + (plot->height > 0 ? fmin(4000, fmax(60, plot->height)) : 220);
	struct jr_range counts = {plot->y.log ? 0.5 : 0, (double)most};
	fig->y_scale = jr_axis_scale(&plot->y, counts, 5, fig->bottom, fig->top);
	fig->left = fig->pad + fmax(20, jr_figure_y_label_width(fig, &fig->y_scale)) + 8;
	fig->right = fig->width - fig->pad - 10;
	struct jr_range x = {bins.edges[0], bins.edges[bins.n]};
	fig->x_scale = plot->x.fixed ? jr_axis_scale(&plot->x, x, 10, fig->left, fig->right)
								 : jr_scale_make(plot->x.log, x.lo, x.hi, fig->left, fig->right);
	jr_figure_y_axis(fig);
	jr_figure_x_axis(fig);
	draw_bins(fig, &bins);
	jr_figure_guides(fig);
}

void jr_plot_histogram(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct sorted s = {0};
	if (plot->n_series && plot->series[0].y)
		sort_samples(fig, plot->series[0].y, plot->series[0].n, &s);
	if (s.v.n)
		histogram_of(fig, &s);
	else
		jr_figure_no_data(fig);
	jr_vec_done(&s.v);
}

/* --- box ------------------------------------------------------------------------------------- */

static double x_of(const struct jr_figure *fig, double v)
{
	return jr_scale_px(&fig->x_scale, v);
}

static void spread_tip(
	struct jr_figure *fig, const struct jr_category *category, const struct sorted *s)
{
	struct jr_buf tip = {0};
	if (category->tip) {
		jr_buf_puts(&tip, category->tip);
	} else {
		static const char *const names[] = {"min", "q1", "median", "q3", "max"};
		char text[JR_NUM_MAX];
		jr_num_grouped_i64(text, (int64_t)s->v.n);
		jr_buf_printf(&tip, "%s: n %s", category->name ? category->name : "", text);
		for (size_t k = 0; k < 5; k++) {
			jr_format_value(text, quantile(s, 0.25 * (double)k), fig->plot->x.format);
			jr_buf_printf(&tip, ", %s %s", names[k], text);
		}
		if (fig->plot->x.unit)
			jr_buf_printf(&tip, " %s", fig->plot->x.unit);
	}
	jr_scene_tip(fig->scene, tip.data);
	jr_buf_done(&tip);
	jr_scene_href(fig->scene, category->href);
}

static void outlier(struct jr_figure *fig, double v, double y, enum jr_role role)
{
	char text[JR_NUM_MAX];
	jr_scene_marker(fig->scene, x_of(fig, v), y, 2.25, JR_CIRCLE, jr_wash(role, 4));
	jr_format_value(text, v, fig->plot->x.format);
	jr_scene_tip(fig->scene, text);
}

/* Draw a box. Whiskers reach the last samples within 1.5 box lengths (Tukey); the rest are dots. */
static void draw_box(
	struct jr_figure *fig, const struct jr_category *category, const struct sorted *s, double y)
{
	enum jr_role role = jr_category_role(category);
	double q1 = quantile(s, 0.25), q2 = quantile(s, 0.5), q3 = quantile(s, 0.75);
	double fence = 1.5 * (q3 - q1);
	size_t low = 0, high = s->v.n - 1;
	while (low < high && s->v.items[low] < q1 - fence)
		low++;
	while (high > low && s->v.items[high] > q3 + fence)
		high--;
	double x0 = x_of(fig, s->v.items[low]), x1 = x_of(fig, s->v.items[high]);
	double b0 = x_of(fig, q1), b1 = x_of(fig, q3), m = x_of(fig, q2);
	for (size_t i = 0; i < low && i < MAX_OUTLIERS; i++)
		outlier(fig, s->v.items[i], y, role);
	for (size_t i = s->v.n; i > high + 1 && s->v.n - i < MAX_OUTLIERS; i--)
		outlier(fig, s->v.items[i - 1], y, role);
	jr_scene_path(fig->scene, (struct jr_point[]){{x0, y - 5}, {x0, y + 5}, {x0, y}, {b0, y}}, 4,
		false, jr_stroke(role, 1.25));
	jr_scene_path(fig->scene, (struct jr_point[]){{x1, y - 5}, {x1, y + 5}, {x1, y}, {b1, y}}, 4,
		false, jr_stroke(role, 1.25));
	struct jr_style box = {.fill = role, .tint = 3, .stroke = role, .stroke_width = 1.25};
	jr_scene_rect(fig->scene, b0, y - 9, fmax(b1 - b0, 1), 18, box);
	spread_tip(fig, category, s);
	jr_scene_line(fig->scene, m, y - 9, m, y + 9, jr_stroke(JR_ROLE_INK, 2));
}

/* --- violin ---------------------------------------------------------------------------------- */

static double in_axis(const struct jr_figure *fig, double v)
{
	return fig->plot->x.log ? log(v) : v;
}

/*
 * Estimate the density with a Gaussian kernel on a grid and Silverman's bandwidth 0.9 min(sd, IQR /
 * 1.34) n^(-1/5). Samples are first put on the grid, so that the cost is N_GRID squared even for a
 * million samples.
 */
static void density(
	const struct jr_figure *fig, const struct sorted *s, double lo, double hi, double out[N_GRID])
{
	double weight[N_GRID] = {0}, cell = (hi - lo) / (N_GRID - 1);
	struct jr_stats stats = {0};
	for (size_t i = 0; i < s->v.n; i++) {
		double v = in_axis(fig, s->v.items[i]);
		jr_stats_add(&stats, v);
		weight[(size_t)fmin(N_GRID - 1, fmax(0, round((v - lo) / cell)))]++;
	}
	double iqr = in_axis(fig, quantile(s, 0.75)) - in_axis(fig, quantile(s, 0.25));
	double sd = jr_stats_std(&stats);
	double width = 0.9 * (iqr > 0 ? fmin(sd, iqr / 1.34) : sd) * pow((double)s->v.n, -0.2);
	if (!(width > cell))
		width = cell;
	double most = 0;
	for (size_t i = 0; i < N_GRID; i++) {
		out[i] = 0;
		for (size_t k = 0; k < N_GRID; k++) {
			double z = ((double)i - (double)k) * cell / width;
			out[i] += weight[k] * exp(-0.5 * z * z);
		}
		most = fmax(most, out[i]);
	}
	for (size_t i = 0; i < N_GRID; i++)
		out[i] /= most;
}

static void draw_violin(
	struct jr_figure *fig, const struct jr_category *category, const struct sorted *s, double y)
{
	enum jr_role role = jr_category_role(category);
	double first = in_axis(fig, s->v.items[0]), last = in_axis(fig, s->v.items[s->v.n - 1]);
	double q1 = x_of(fig, quantile(s, 0.25)), q3 = x_of(fig, quantile(s, 0.75));
	double m = x_of(fig, quantile(s, 0.5));
	double x0 = x_of(fig, s->v.items[0]), x1 = x_of(fig, s->v.items[s->v.n - 1]);
	if (s->v.n >= 5 && last > first && x1 - x0 > 4) {
		double share[N_GRID];
		struct jr_point outline[2 * N_GRID];
		density(fig, s, first, last, share);
		for (size_t i = 0; i < N_GRID; i++) {
			double x = x0 + (x1 - x0) * (double)i / (N_GRID - 1), half = 0.75 + 13 * share[i];
			outline[i] = (struct jr_point){x, y - half};
			outline[2 * N_GRID - 1 - i] = (struct jr_point){x, y + half};
		}
		struct jr_style style = {.fill = role, .tint = 2, .stroke = role, .stroke_width = 1};
		jr_scene_path(fig->scene, outline, (size_t)2 * N_GRID, true, style);
		spread_tip(fig, category, s);
	} else {
		for (size_t i = 0; i < s->v.n && i < MAX_OUTLIERS; i++)
			outlier(fig, s->v.items[i], y, role);
	}
	if (q3 - q1 >= 1)
		jr_scene_line(fig->scene, q1, y, q3, y, jr_stroke(JR_ROLE_INK, 3));
	jr_scene_marker(fig->scene, m, y, 4, JR_CIRCLE,
		(struct jr_style){.fill = JR_ROLE_BACKGROUND, .stroke = JR_ROLE_INK, .stroke_width = 1.5});
	spread_tip(fig, category, s);
}

/* --- dots ------------------------------------------------------------------------------------ */

/* Return the height of a row whose samples are in a column. */
static double dots_height(const struct jr_plot *plot)
{
	size_t most = 0;
	for (size_t i = 0; i < plot->n_categories && i < MAX_ROWS; i++)
		most = plot->categories[i].n > most ? plot->categories[i].n : most;
	return fmin(88, fmax(SPREAD_ROW, DOT_ROW * (double)most + 8));
}

/* Draw the samples [from, to): a dot, or a line from the least to the most. */
static void draw_dot(
	struct jr_figure *fig, const struct jr_category *category, size_t from, size_t to, double y)
{
	const struct jr_axis *axis = &fig->plot->x;
	struct jr_range range = JR_RANGE_EMPTY;
	char least[JR_NUM_MAX], most[JR_NUM_MAX];
	for (size_t i = from; i < to; i++)
		if (jr_axis_shows(axis, category->samples[i]))
			jr_range_add(&range, category->samples[i]);
	if (range.lo > range.hi)
		return;
	double x = x_of(fig, range.lo), end = x_of(fig, range.hi);
	enum jr_role role = jr_category_role(category);
	if (end - x < 1)
		jr_scene_marker(fig->scene, x, y, 3, JR_CIRCLE, jr_fill(role));
	else
		jr_scene_line(fig->scene, x, y, end, y, jr_stroke(role, 2));
	jr_format_value(least, range.lo, axis->format);
	jr_format_value(most, range.hi, axis->format);
	fig->text->size = 0;
	jr_buf_printf(fig->text, "%s %zu", category->name ? category->name : "", from);
	if (to > from + 1)
		jr_buf_printf(fig->text, " to %zu", to - 1);
	jr_buf_printf(fig->text, ": %s%s%s", least, range.lo < range.hi ? " to " : "",
		range.lo < range.hi ? most : "");
	jr_scene_tip(fig->scene, fig->text->data);
}

/* Draw samples from top to bottom, with the median as a line, over the middle half if there are
 * enough samples. */
static void draw_dots(struct jr_figure *fig, const struct jr_category *category,
	const struct sorted *s, double y, double height)
{
	size_t n = category->n < MOST_DOTS ? category->n : MOST_DOTS;
	double top = y - height / 2 + 3, room = height - 6;
	if (s->v.n >= LEAST_OF_BOX) {
		double x0 = x_of(fig, quantile(s, 0.25)), x1 = x_of(fig, quantile(s, 0.75));
		jr_scene_rect(
			fig->scene, x0, top, fmax(x1 - x0, 1), room, jr_wash(jr_category_role(category), 5));
		spread_tip(fig, category, s);
	}
	double m = x_of(fig, quantile(s, 0.5));
	jr_scene_path(fig->scene, (struct jr_point[]){{m, top}, {m, top + room}}, 2, false,
		jr_stroke(JR_ROLE_INK, 2));
	spread_tip(fig, category, s);
	for (size_t i = 0; i < n; i++)
		draw_dot(fig, category, i * category->n / n, (i + 1) * category->n / n,
			top + room * ((double)i + 0.5) / (double)n);
}

/* --- all kinds ------------------------------------------------------------------------------- */

static struct jr_range spread_range(const struct jr_plot *plot)
{
	struct jr_range range = JR_RANGE_EMPTY;
	for (size_t i = 0; i < plot->n_categories && i < MAX_ROWS; i++)
		for (size_t k = 0; k < plot->categories[i].n; k++)
			if (jr_axis_shows(&plot->x, plot->categories[i].samples[k]))
				jr_range_add(&range, plot->categories[i].samples[k]);
	return range;
}

static void draw_spread(
	struct jr_figure *fig, const struct jr_category *category, double y, double height)
{
	struct sorted s = {0};
	sort_samples(fig, category->samples, category->n, &s);
	if (s.v.n && fig->plot->kind == JR_PLOT_BOX)
		draw_box(fig, category, &s, y);
	else if (s.v.n && fig->plot->kind == JR_PLOT_DOTS)
		draw_dots(fig, category, &s, y, height);
	else if (s.v.n)
		draw_violin(fig, category, &s, y);
	char count[JR_NUM_MAX];
	jr_num_grouped_i64(count, (int64_t)s.v.n);
	fig->text->size = 0;
	jr_buf_printf(fig->text, "n = %s", count);
	jr_scene_text(fig->scene, fig->width - fig->pad, y + 4, fig->text->data,
		&(struct jr_text){.role = JR_ROLE_MUTED, .size = TEXT_SIZE, .anchor = JR_END});
	jr_vec_done(&s.v);
}

void jr_plot_spread(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_range range = spread_range(plot);
	if (range.lo > range.hi) {
		jr_figure_no_data(fig);
		return;
	}
	struct jr_rows rows =
		jr_figure_rows(fig, plot->kind == JR_PLOT_DOTS ? dots_height(plot) : SPREAD_ROW, 70);
	size_t max_ticks = jr_figure_x_ticks(fig, &plot->x, fig->right - fig->left);
	fig->x_scale = jr_axis_scale(&plot->x, range, max_ticks, fig->left, fig->right);
	jr_figure_x_axis(fig);
	jr_figure_guides(fig);
	jr_figure_row_labels(fig, &rows);
	for (size_t i = 0; i < rows.n; i++)
		draw_spread(fig, &plot->categories[i], jr_row_middle(&rows, i), rows.height);
}
