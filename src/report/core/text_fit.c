/* Cut texts to the width of a column. */
#include "report/core/text_fit.h"

#include <string.h>

#include "base/text.h"

size_t jr_layout_head_bytes(const char *s, size_t n, size_t width)
{
	size_t pos = 0, used = 0;
	while (pos < n) {
		int code;
		size_t step = jr_text_decode(s + pos, n - pos, &code);
		size_t columns = jr_text_width(s + pos, step);
		if (used + columns > width)
			break;
		used += columns;
		pos += step;
	}
	return pos;
}

/* Offset of the longest tail of s[0..n) with at most `width` columns. */
static size_t tail_offset(const char *s, size_t n, size_t width)
{
	size_t total = jr_text_width(s, n);
	if (total <= width)
		return 0;
	size_t from = jr_layout_head_bytes(s, n, total - width);
	/* A wide character is not split, so the tail may be one column narrower. */
	for (size_t left = total - jr_text_width(s, from); from < n && left > width;) {
		int code;
		size_t step = jr_text_decode(s + from, n - from, &code);
		left -= jr_text_width(s + from, step);
		from += step;
	}
	return from;
}

static void put_flat(struct jr_buf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		jr_buf_putc(out, s[i] == '\n' || s[i] == '\r' || s[i] == '\t' ? ' ' : s[i]);
}

size_t jr_layout_fit(struct jr_buf *out, const char *text, size_t width)
{
	size_t n = strlen(text), natural = jr_text_width(text, n);
	if (natural <= width) {
		put_flat(out, text, n);
		return natural;
	}
	if (!width)
		return 0;
	size_t from, end;
	if (jr_text_name_part(text, width, &from, &end)) {
		if (from)
			jr_buf_puts(out, "…");
		put_flat(out, text + from, end - from);
		return jr_text_width(text + from, end - from) + (from > 0);
	}
	size_t head = jr_layout_head_bytes(text, n, (width - 1) / 3);
	size_t used = jr_text_width(text, head) + 1;
	size_t tail = tail_offset(text, n, width - used);
	put_flat(out, text, head);
	jr_buf_puts(out, "…");
	put_flat(out, text + tail, n - tail);
	return used + jr_text_width(text + tail, n - tail);
}
