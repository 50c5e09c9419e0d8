/* Divided bars in a terminal: each part has its own mark, so that parts differ without colors too.
 */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "report/document/chart_parts.h"
#include "report/core/text_fit.h"
#include "report/text/text_layout.h"

#define MAX_ROWS 16
#define LABEL_MAX 32 /* "Device 1023 (delays the others)" fits */
#define GAP 2

static const struct {
	const char *mark, *sgr;
} looks[] = {
	{"█", "34"}, {"▓", "33"}, {"▒", "35"}, {"░", "90"}, {"·", "90"}, {"▪", "36"}, {"▫", "33"}};

const struct jr_text_style jr_text_plain = {.width = 80};

void jr_layout_sgr(struct jr_buf *out, const struct jr_text_style *style, const char *sgr)
{
	if (style->color)
		jr_buf_printf(out, "\x1b[%sm", sgr);
}

void jr_layout_line_end(struct jr_buf *out, const struct jr_text_style *style)
{
	if (!style->color)
		return;
	bool ended = out->size && out->data[out->size - 1] == '\n';
	out->size -= ended;
	jr_buf_printf(out, "\x1b[0m%s", ended ? "\n" : "");
}

struct stacks {
	const struct jr_chart *chart;
	const struct jr_text_style *style;
	struct jr_chart_bars bars;
	size_t label_width;
	double longest;
};

static void put_label(struct jr_buf *out, const struct stacks *s, size_t row)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena names = {0};
	size_t used = jr_layout_fit(out, jr_chart_row_name(s->chart, row, &names), LABEL_MAX);
	jr_buf_repeat(out, ' ', used < s->label_width ? s->label_width - used + GAP : GAP);
}

/* Ends are rounded, not lengths, so that a bar is as long as its sum. A bar shorter than one column
 * becomes a thin mark. */
static void put_stack(struct jr_buf *out, const struct stacks *s, size_t row)
{
	double upto = 0, room = (double)(s->style->width - s->label_width - GAP);
	put_label(out, s, row);
	double sum = jr_chart_parts_sum(s->chart, row);
	if (round(sum / s->longest * room) < 1)
		jr_buf_puts(out, sum > 0 ? "▏" : "–");
	for (size_t i = 0; s->chart->parts[i]; i++) {
		double from = round(upto / s->longest * room);
		upto += jr_chart_part(s->chart, i, row);
		double to = round(upto / s->longest * room);
		if (to <= from)
			continue;
		jr_layout_sgr(out, s->style, looks[i % JR_COUNT_OF(looks)].sgr);
		for (double at = from; at < to; at++)
			jr_buf_puts(out, looks[i % JR_COUNT_OF(looks)].mark);
		jr_layout_line_end(out, s->style);
	}
	jr_buf_putc(out, '\n');
}

/* The parts that any bar has, with their marks; as many as fit on a line. */
static void put_legend(struct jr_buf *out, const struct stacks *s)
{
	size_t at = 0;
	for (size_t i = 0; s->chart->parts[i]; i++) {
		bool any = false;
		for (size_t k = 0; k < s->bars.n; k++) {
			double part = jr_chart_part(s->chart, i, s->bars.rows[k]);
			any |= part > 0 && part >= 0.0005 * jr_chart_parts_sum(s->chart, s->bars.rows[k]);
		}
		size_t c = jr_table_column(s->chart->table, s->chart->parts[i]);
		if (!any || c == SIZE_MAX)
			continue;
		const char *title = s->chart->table->spec->columns[c].title;
		size_t columns = jr_text_width(title, strlen(title)) + 2;
		if (at && at + GAP + columns > s->style->width) {
			jr_buf_putc(out, '\n');
			at = 0;
		}
		jr_buf_repeat(out, ' ', at ? GAP : 0);
		at += columns + (at ? GAP : 0);
		jr_layout_sgr(out, s->style, looks[i % JR_COUNT_OF(looks)].sgr);
		jr_buf_puts(out, looks[i % JR_COUNT_OF(looks)].mark);
		jr_layout_line_end(out, s->style);
		jr_buf_printf(out, " %s", title);
	}
	jr_buf_putc(out, '\n');
}

void jr_layout_stacks(
	struct jr_buf *out, const struct jr_chart *chart, const struct jr_text_style *style)
{
	const struct jr_table *t = chart->table;
	if (!chart->x || jr_table_column(t, chart->x) == SIZE_MAX)
		return;
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct stacks s = {chart, style, jr_chart_longest(chart, MAX_ROWS, &arena), 0, 0};
	struct jr_buf label = {0};
	for (size_t i = 0; i < s.bars.n; i++) {
		s.longest = fmax(s.longest, jr_chart_parts_sum(chart, s.bars.rows[i]));
		label.size = 0;
		put_label(&label, &s, s.bars.rows[i]);
		size_t columns = jr_text_width(label.data, label.size) - GAP;
		s.label_width = columns > s.label_width ? columns : s.label_width;
	}
	jr_buf_done(&label);
	if (s.longest > 0 && s.label_width + GAP + 10 <= style->width) {
		for (size_t i = 0; i < s.bars.n; i++)
			put_stack(out, &s, s.bars.rows[i]);
		if (chart->parts[1])
			put_legend(out, &s);
		jr_chart_put_left(out, "Not shown: ", chart, &s.bars);
		jr_buf_puts(out, s.bars.n_left ? "\n" : "");
	}
}
