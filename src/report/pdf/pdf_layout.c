#include "report/pdf/pdf_layout.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "report/core/text_fit.h"
#include "report/text/text_layout.h"

#define MARGIN 40
#define FOOT 28        /* above the end of the page */
#define MOST_TEXT 2400 /* columns; longer texts lose their middle */
#define LINE 1.35      /* height of a line, of the size of its font */

const struct jr_pdf_font jr_pdf_body = {.size = 8.5}, jr_pdf_strong = {.size = 8.5, .bold = true},
						 jr_pdf_small = {.size = 7.5, .role = JR_ROLE_MUTED},
						 jr_pdf_code = {.size = 7, .fixed = true};

void jr_flow_begin(struct jr_flow *f, const char *title, bool letter)
{
	*f = (struct jr_flow){.title = title,
		.width = letter ? 612 : 595,
		.height = letter ? 792 : 842,
		.left = MARGIN,
		.y = MARGIN,
		.page = 1};
	f->right = f->width - MARGIN;
	f->bottom = f->height - MARGIN - 8;
	f->pdf = jr_pdf_new(title, f->width, f->height);
}

void jr_flow_end(struct jr_flow *f)
{
	char number[32];
	JR_CLEANUP(jr_buf_done) struct jr_buf title = {0};
	snprintf(number, sizeof(number), "%u", f->page);
	double w = jr_pdf_width(f->pdf, number, strlen(number), &jr_pdf_small);
	jr_pdf_fit(f->pdf, f->title, &jr_pdf_small, f->right - f->left - w - 20, &title);
	jr_pdf_text(f->pdf, f->left, f->height - FOOT, title.size ? title.data : "", &jr_pdf_small);
	jr_pdf_text(f->pdf, f->right - w, f->height - FOOT, number, &jr_pdf_small);
}

void jr_flow_need(struct jr_flow *f, double height)
{
	if (f->y + height <= f->bottom || f->y <= MARGIN)
		return;
	jr_flow_end(f);
	jr_pdf_page(f->pdf);
	f->page++;
	f->y = MARGIN;
}

void jr_flow_gap(struct jr_flow *f, double height)
{
	if (f->y > MARGIN)
		f->y += height;
}

/* Return the bytes of the longest start of `text` that fits into `room`: up to a blank that does
 * not bind, or, if a word is longer than a line, a part of it. O(bytes of a line) */
static size_t line_of(
	struct jr_flow *f, const char *text, const struct jr_pdf_font *font, double room, bool whole)
{
	size_t best = 0, i = 0;
	for (double width = 0; text[i];) {
		size_t n = 1;
		while (((unsigned char)text[i + n] & 0xC0) == 0x80)
			n++;
		if (text[i] == ' ' && !jr_layout_binds(text, i))
			best = i;
		width += jr_pdf_width(f->pdf, text + i, n, font);
		if (width > room)
			return best || !whole ? best : i ? i : n;
		i += n;
	}
	return i;
}

double jr_flow_height(struct jr_flow *f, const char *text, const struct jr_pdf_font *font)
{
	double height = 0;
	while (text && *text) {
		text += line_of(f, text, font, f->right - f->left, true);
		text += strspn(text, " ");
		height += font->size * LINE;
	}
	return height;
}

size_t jr_flow_text(struct jr_flow *f, const char *label, const char *text,
	const struct jr_pdf_font *font, double indent)
{
	double x = f->left + indent, height = font->size * LINE;
	struct jr_buf line = {0}, cut = {0};
	size_t n_lines = 0;
	if (strlen(text) > MOST_TEXT) {
		jr_layout_fit(&cut, text, MOST_TEXT);
		text = cut.data;
	}
	if (label) {
		const struct jr_pdf_font bold = {.size = font->size, .bold = true, .role = font->role};
		jr_flow_need(f, height);
		jr_pdf_text(f->pdf, x, f->y + font->size, label, &bold);
		x += jr_pdf_width(f->pdf, label, strlen(label), &bold) + font->size / 3;
	}
	while (*text) {
		size_t n = line_of(f, text, font, f->right - x, x <= f->left + indent);
		if (n) {
			line.size = 0;
			jr_buf_add(&line, text, n);
			jr_flow_need(f, height);
			jr_pdf_text(f->pdf, x, f->y + font->size, line.data, font);
		}
		text += n;
		text += strspn(text, " ");
		x = f->left + indent;
		f->y += height;
		n_lines++;
	}
	if (label && n_lines == 0)
		f->y += height;
	jr_buf_done(&line);
	jr_buf_done(&cut);
	return n_lines;
}
