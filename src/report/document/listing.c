#include "report/document/listing.h"

#include <stdlib.h>

#include "base/text.h"

#define MAX_LISTINGS 4 /* text is read from beginning to end */

static int descending(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x < *y) - (*x > *y);
}

/* The n-th largest self time of the lines, or 0: lines with at least this time are shown. */
static double threshold(const struct jr_listing *listing, size_t n)
{
	double *selves = jr_calloc(listing->n + 1, sizeof(*selves)), at;
	for (size_t i = 0; i < listing->n; i++)
		selves[i] = listing->lines[i].working_ns;
	qsort(selves, listing->n, sizeof(*selves), descending);
	at = n && n <= listing->n ? selves[n - 1] : 0;
	free(selves);
	return at;
}

static void put_ms(struct jr_buf *out, double ns)
{
	char text[JR_NUM_MAX];
	size_t n = ns > 0 ? jr_num_grouped(text, ns / 1e6, 3) : 0;
	jr_buf_repeat(out, ' ', n < 10 ? 10 - n : 0);
	jr_buf_add(out, text, n);
}

static void put_line(
	struct jr_buf *out, const struct jr_listing_line *line, bool roofs, size_t width)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf row = {0};
	put_ms(&row, line->total_ns);
	put_ms(&row, line->self_ns);
	if (roofs)
		put_ms(&row, line->roofed.lost_ns);
	jr_buf_printf(&row, "%6u  %s", line->number, line->text);
	bool cut = jr_text_width(row.data, row.size) > width;
	for (size_t n = cut ? jr_text_width(row.data, row.size) + 1 : 0; n > width && row.size; n--) {
		row.size--;
		while (row.size && ((unsigned char)row.data[row.size] & 0xC0) == 0x80)
			row.size--;
	}
	row.data[row.size] = '\0';
	jr_buf_printf(out, "%s%s\n", row.data, cut ? "…" : "");
}

bool jr_listing_put(
	struct jr_buf *out, const struct jr_doc_listing *doc_listing, size_t max_lines, size_t width)
{
	const struct jr_listing *listing = doc_listing->listing;
	if (doc_listing->number > MAX_LISTINGS || listing->self_ns <= 0)
		return false;
	double from = threshold(listing, max_lines);
	size_t n = 0;
	bool roofs = false;
	for (size_t i = 0; i < listing->n; i++)
		roofs |= listing->lines[i].roofed.ns > 0;
	if (listing->note)
		jr_buf_printf(out, "%s\n", listing->note);
	jr_buf_printf(out, "  Total ms   Self ms%s  Line\n", roofs ? "  Above ms" : "");
	for (size_t i = 0; i < listing->n && n < max_lines; i++) {
		const struct jr_listing_line *line = &listing->lines[i];
		if (!line->number || line->self_ns <= 0 || line->self_ns < from)
			continue;
		put_line(out, line, roofs, width);
		n++;
	}
	return true;
}
