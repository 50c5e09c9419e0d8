#include "render/plot.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "render/plot_impl.h"

/* --- text around the plot -------------------------------------------------------------------- */

/* Return the longest part of s that fits in max_width, ending at a space if there is one. */
static size_t line_end(struct jr_figure *fig, const char *s, double max_width)
{
	size_t n = strlen(s), end = 0, at_space = 0;
	double sum = 0;
	while (end < n) {
		int code;
		size_t used = jr_text_decode(s + end, n - end, &code);
		sum += jr_metrics_width(fig->metrics, s + end, used, TEXT_SIZE, false);
		if (sum > max_width && end)
			return at_space ? at_space : end;
		if (s[end] == ' ')
			at_space = end;
		end += used;
	}
	return end;
}

/* Draw a wrapped paragraph of at most 6 lines; figures are not the place for long text. */
static void paragraph(struct jr_figure *fig, const char *text)
{
	const struct jr_text style = {.role = JR_ROLE_MUTED, .size = TEXT_SIZE};
	double room = fig->width - 2 * fig->pad;
	for (int line = 0; *text && line < 6; line++) {
		size_t n = line_end(fig, text, room);
		fig->text->size = 0;
		jr_buf_add(fig->text, text, n);
		fig->y += 16;
		jr_scene_text(fig->scene, fig->pad, fig->y, fig->text->data, &style);
		text += n;
		while (*text == ' ')
			text++;
	}
}

static void header(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	fig->y = plot->bare ? 4 : 10;
	if (plot->bare)
		return;
	if (plot->title && *plot->title) {
		fig->y += 16;
		jr_figure_text(fig, fig->pad, fig->y, plot->title,
			&(struct jr_text){.size = TITLE_SIZE, .bold = true}, fig->width - 2 * fig->pad);
		fig->y += 4;
	}
	if (plot->subtitle && *plot->subtitle)
		paragraph(fig, plot->subtitle);
	fig->y += 8;
}

static void count_note(struct jr_buf *out, size_t n, const char *what)
{
	if (!n)
		return;
	char number[JR_NUM_MAX];
	jr_num_grouped_i64(number, (int64_t)n);
	jr_buf_printf(out, "%s%s %s", out->size ? "; " : "", number, what);
}

/* Make the caption: "n = 12; definition; 3 values not finite left out". */
static void caption_text(const struct jr_figure *fig, struct jr_buf *out)
{
	const struct jr_plot *plot = fig->plot;
	if (plot->n > 0) {
		char number[JR_NUM_MAX];
		jr_num_grouped_i64(number, plot->n);
		jr_buf_printf(out, "n = %s", number);
	}
	if (plot->caption && *plot->caption)
		jr_buf_printf(out, "%s%s", out->size ? "; " : "", plot->caption);
	count_note(out, fig->n_not_finite, "not finite, left out");
	count_note(out, fig->n_not_positive, "not above 0, left out of the logarithmic axis");
	count_note(out, fig->n_beyond, "beyond the axes, marked at the edge");
	count_note(out, fig->n_rows_left_out, "more rows not drawn");
}

static void accessible_label(struct jr_figure *fig, const char *caption)
{
	const struct jr_plot *plot = fig->plot;
	struct jr_buf label = {0};
	jr_buf_puts(&label, plot->title ? plot->title : "");
	if (plot->subtitle && *plot->subtitle)
		jr_buf_printf(&label, "%s%s", label.size ? ": " : "", plot->subtitle);
	if (*caption)
		jr_buf_printf(&label, " (%s)", caption);
	jr_scene_name(fig->scene, plot->id ? plot->id : "", label.data);
	jr_buf_done(&label);
}

void jr_figure_begin(struct jr_figure *fig)
{
	const struct jr_plot *plot = fig->plot;
	fig->width = plot->width > 0 ? fmax(240, fmin(4000, plot->width)) : 760;
	fig->pad = plot->bare ? 2 : 14;
	jr_scene_init(fig->scene, fig->width, 0);
	header(fig);
	jr_figure_legend(fig);
}

void jr_figure_end(struct jr_figure *fig)
{
	struct jr_buf caption = {0};
	jr_buf_puts(&caption, "");
	caption_text(fig, &caption);
	accessible_label(fig, caption.data);
	if (!fig->plot->bare && caption.size) {
		fig->y += 6;
		paragraph(fig, caption.data);
	}
	fig->scene->height = ceil(fig->y + (fig->plot->bare ? 6 : 14));
	jr_buf_done(&caption);
}

void jr_plot_scene(const struct jr_plot *plot, struct jr_metrics *metrics, struct jr_scene *out)
{
	static void (*const draw[JR_N_PLOT_KINDS])(struct jr_figure *) = {
		[JR_PLOT_SCATTER] = jr_plot_points,
		[JR_PLOT_LINE] = jr_plot_points,
		[JR_PLOT_BARS] = jr_plot_bars,
		[JR_PLOT_HISTOGRAM] = jr_plot_histogram,
		[JR_PLOT_BOX] = jr_plot_spread,
		[JR_PLOT_VIOLIN] = jr_plot_spread,
		[JR_PLOT_DOTS] = jr_plot_spread,
		[JR_PLOT_INTERVALS] = jr_plot_intervals,
		[JR_PLOT_STACKED] = jr_plot_stacked,
		[JR_PLOT_SWIMLANE] = jr_plot_lanes,
		[JR_PLOT_CELLS] = jr_plot_cells,
		[JR_PLOT_HEAT] = jr_plot_heat,
		[JR_PLOT_MULTIPLES] = jr_plot_multiples,
	};
	struct jr_buf text = {0};
	struct jr_figure fig = {.plot = plot, .metrics = metrics, .scene = out, .text = &text};
	jr_figure_begin(&fig);
	draw[plot->kind](&fig);
	jr_figure_end(&fig);
	jr_buf_done(&text);
}
