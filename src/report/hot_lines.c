#include "report/hot_lines.h"

#include <string.h>

#include "base/num.h"
#include "report/text_layout.h"

#define HOT 0.01
#define CODE_WIDTH 200 /* columns */

/* What the shares of the table are of. */
static double whole_ns(const struct jr_table *t)
{
	size_t total = jr_table_column(t, "total_ms"), share = jr_table_column(t, "percent");
	if (total == SIZE_MAX || share == SIZE_MAX || !t->n_rows)
		return 0;
	double frac = jr_table_number(t, share, 0);
	return frac > 0 ? jr_table_number(t, total, 0) / frac : 0;
}

/* Rows are by self time. */
size_t jr_hot_lines(const struct jr_table *t, size_t limit)
{
	size_t n = 0, self = t ? jr_table_column(t, "self_ms") : SIZE_MAX;
	if (self == SIZE_MAX)
		return 0;
	double whole = whole_ns(t);
	while (n < t->n_rows && n < limit && jr_table_number(t, self, n) >= HOT * whole && whole > 0)
		n++;
	return n;
}

bool jr_hot_line_place(const struct jr_table *t, size_t row, struct jr_buf *path, int64_t *line)
{
	const char *file = jr_table_text(t, "file", row);
	size_t c = jr_table_column(t, "line");
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
	double self = jr_table_number(t, jr_table_column(t, "self_ms"), row);
	jr_num_significant(share, self / whole_ns(t) * 100, 3);
	jr_num_time(time, self);
	jr_buf_printf(out, "%s %% of GPU time (%s) comes from this line", share, time);
	const char *code = jr_table_text(t, "code", row);
	if (*code) {
		jr_buf_puts(out, ": ");
		jr_layout_fit(out, code, CODE_WIDTH);
	}
}
