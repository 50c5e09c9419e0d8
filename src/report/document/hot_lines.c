#include "report/document/hot_lines.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "report/core/text_fit.h"
#include "analysis/attribution/attribution_tables.h"

#define HOT 0.01
#define CODE_WIDTH 200 /* columns */

/* The total that the table's shares refer to. */
static double whole_ns(const struct jr_table *t)
{
	size_t total = jr_table_column(t, JR_KEY(JR_SOURCE_LINES, total_ms)),
		   share = jr_table_column(t, JR_KEY(JR_SOURCE_LINES, percent));
	if (total == SIZE_MAX || share == SIZE_MAX || !t->n_rows)
		return 0;
	for (size_t row = 0; row < t->n_rows; row++)
		if (jr_table_number(t, share, row) > 0)
			return jr_table_number(t, total, row) / jr_table_number(t, share, row);
	return 0;
}

/* 0 if the table has no such column, or no number there. */
static double number(const struct jr_table *t, const char *key, size_t row)
{
	size_t column = jr_table_column(t, key);
	double value = column == SIZE_MAX ? NAN : jr_table_number(t, column, row);
	return isnan(value) ? 0 : value;
}

/* Self time without waiting for other devices. */
static double working_ns(const struct jr_table *t, size_t row)
{
	return number(t, JR_KEY(JR_SOURCE_LINES, self_ms), row) -
		   number(t, JR_KEY(JR_SOURCE_LINES, self_waiting_ms), row);
}

/* Rows are sorted by self time without waiting. */
size_t jr_hot_lines(const struct jr_table *t, size_t limit)
{
	size_t n = 0;
	if (!t || jr_table_column(t, JR_KEY(JR_SOURCE_LINES, self_ms)) == SIZE_MAX)
		return 0;
	double whole = whole_ns(t);
	while (n < t->n_rows && n < limit && working_ns(t, n) >= HOT * whole && whole > 0)
		n++;
	return n;
}

bool jr_hot_line_place(const struct jr_table *t, size_t row, struct jr_buf *path, int64_t *line)
{
	const char *file = jr_table_text(t, JR_KEY(JR_SOURCE_LINES, file), row);
	size_t c = jr_table_column(t, JR_KEY(JR_SOURCE_LINES, line));
	path->size = 0;
	*line = c != SIZE_MAX ? t->cells[c].i64[row] : 0;
	if (*line < 1 || *file == '<')
		return false;
	while (*file) {
		size_t n = strcspn(file, "/");
		bool nothing = n == 0 || (n == 1 && *file == '.') || (n == 2 && memcmp(file, "..", 2) == 0);
		if (!nothing) {
			jr_buf_puts(path, path->size ? "/" : "");
			jr_buf_add(path, file, n);
		}
		file += n + (file[n] == '/');
	}
	return path->size > 0;
}

void jr_hot_line_message(struct jr_buf *out, const struct jr_table *t, size_t row)
{
	char share[JR_NUM_MAX], time[JR_NUM_MAX];
	double working = working_ns(t, row), step = number(t, JR_KEY(JR_SOURCE_LINES, step_ms), row);
	jr_num_significant(share, working / whole_ns(t) * 100, 3);
	jr_num_time(time, step > 0 ? step : working);
	jr_buf_printf(out, "%s %% of GPU time (%s%s) comes from this line", share, time,
		step > 0 ? " per step" : "");
	if (number(t, JR_KEY(JR_SOURCE_LINES, self_waiting_ms), row) > 0)
		jr_buf_puts(out, ", excluding waiting for other devices");
	const char *code = jr_table_text(t, JR_KEY(JR_SOURCE_LINES, code), row);
	if (*code) {
		jr_buf_puts(out, ": ");
		jr_layout_fit(out, code, CODE_WIDTH);
	}
}
