#include "render/pdf.h"

#include <cairo-pdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "render/scene_cairo.h"
#include "render/scene_cairo_impl.h"

#define FIXED_FAMILY "DejaVu Sans Mono"
#define FIXED_EM 0.6021 /* advance of every glyph of that face */

struct jr_pdf {
	cairo_surface_t *surface;
	cairo_t *cr;
	struct jr_metrics *metrics;
	struct jr_buf bytes;
};

struct jr_pdf *jr_pdf_new(const char *title, double width, double height)
{
	struct jr_pdf *pdf = jr_calloc(1, sizeof(*pdf));
	pdf->surface = cairo_pdf_surface_create_for_stream(jr_cairo_append, &pdf->bytes, width, height);
	cairo_pdf_surface_restrict_to_version(pdf->surface, CAIRO_PDF_VERSION_1_5);
	cairo_pdf_surface_set_metadata(pdf->surface, CAIRO_PDF_METADATA_TITLE, title);
	cairo_pdf_surface_set_metadata(pdf->surface, CAIRO_PDF_METADATA_CREATOR, "jaxreport");
	/* without this, cairo writes the time of day */
	cairo_pdf_surface_set_metadata(pdf->surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
	pdf->cr = cairo_create(pdf->surface);
	pdf->metrics = jr_metrics_new();
	return pdf;
}

void jr_pdf_page(struct jr_pdf *pdf)
{
	cairo_show_page(pdf->cr);
}

/* --- text ----------------------------------------------------------------------------------- */

static size_t characters(const char *text, size_t n)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += ((unsigned char)text[i] & 0xC0) != 0x80;
	return count;
}

double jr_pdf_width(struct jr_pdf *pdf, const char *text, size_t n, const struct jr_pdf_font *font)
{
	return font->fixed ? FIXED_EM * font->size * (double)characters(text, n)
					   : jr_metrics_width(pdf->metrics, text, n, font->size, font->bold);
}

void jr_pdf_fit(struct jr_pdf *pdf, const char *text, const struct jr_pdf_font *font,
	double max_width, struct jr_buf *out)
{
	size_t n = strlen(text), most = (size_t)(max_width / (FIXED_EM * font->size));
	if (!font->fixed) {
		(void)jr_metrics_fit(pdf->metrics, text, font->size, font->bold, max_width, out);
		return;
	}
	if (characters(text, n) <= most) {
		jr_buf_add(out, text, n);
		return;
	}
	size_t end = 0;
	for (size_t count = 0; end < n && count + 1 <= most; end++)
		count += ((unsigned char)text[end + 1] & 0xC0) != 0x80;
	if (most < 3)
		return;
	while (end && characters(text, end) > most - 1)
		do
			end--;
		while (end && ((unsigned char)text[end] & 0xC0) == 0x80);
	jr_buf_add(out, text, end);
	jr_buf_puts(out, "…");
}

void jr_pdf_text(
	struct jr_pdf *pdf, double x, double y, const char *text, const struct jr_pdf_font *font)
{
	if (!font->fixed) {
		const struct jr_text style = {
			.role = font->role ? font->role : JR_ROLE_INK, .size = font->size, .bold = font->bold};
		jr_cairo_text(pdf->cr, x, y, text, &style);
		return;
	}
	struct jr_rgb c = jr_role_light(font->role ? font->role : JR_ROLE_INK);
	cairo_select_font_face(pdf->cr, FIXED_FAMILY, CAIRO_FONT_SLANT_NORMAL,
		font->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(pdf->cr, font->size);
	cairo_set_source_rgb(pdf->cr, c.r, c.g, c.b);
	cairo_move_to(pdf->cr, x, y);
	cairo_show_text(pdf->cr, text);
	cairo_new_path(pdf->cr);
}

/* --- figures, links ------------------------------------------------------------------------- */

void jr_pdf_rect(struct jr_pdf *pdf, double x, double y, double w, double h, enum jr_role fill)
{
	struct jr_rgb c = jr_role_light(fill);
	cairo_set_source_rgb(pdf->cr, c.r, c.g, c.b);
	cairo_rectangle(pdf->cr, x, y, w, h);
	cairo_fill(pdf->cr);
}

void jr_pdf_scene(
	struct jr_pdf *pdf, const struct jr_scene *scene, double x, double y, double scale)
{
	cairo_save(pdf->cr);
	cairo_translate(pdf->cr, x, y);
	cairo_scale(pdf->cr, scale, scale);
	jr_cairo_draw(pdf->cr, scene);
	cairo_restore(pdf->cr);
}

void jr_pdf_place(struct jr_pdf *pdf, const char *name, double y)
{
	char attributes[160];
	snprintf(attributes, sizeof(attributes), "name='%.80s' x=0 y=%d", name, (int)y);
	cairo_tag_begin(pdf->cr, CAIRO_TAG_DEST, attributes);
	cairo_tag_end(pdf->cr, CAIRO_TAG_DEST);
}

void jr_pdf_link(struct jr_pdf *pdf, const char *name, double x, double y, double w, double h)
{
	char attributes[240];
	snprintf(attributes, sizeof(attributes), "dest='%.80s' rect=[%d %d %d %d]", name, (int)x,
		(int)y, (int)w, (int)h);
	cairo_tag_begin(pdf->cr, CAIRO_TAG_LINK, attributes);
	cairo_tag_end(pdf->cr, CAIRO_TAG_LINK);
}

int jr_pdf_outline(struct jr_pdf *pdf, int parent, const char *title, const char *name)
{
	char attributes[120];
	snprintf(attributes, sizeof(attributes), "dest='%.80s'", name);
	return cairo_pdf_surface_add_outline(
		pdf->surface, parent, title, attributes, CAIRO_PDF_OUTLINE_FLAG_OPEN);
}

enum jr_status jr_pdf_finish(struct jr_pdf *pdf, struct jr_buf *out, struct jr_error *err)
{
	cairo_status_t status = cairo_status(pdf->cr); /* sticky: the first failure, if any */
	cairo_destroy(pdf->cr);
	cairo_surface_finish(pdf->surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_status(pdf->surface);
	cairo_surface_destroy(pdf->surface);
	jr_metrics_free(pdf->metrics);
	if (status == CAIRO_STATUS_SUCCESS)
		jr_buf_add(out, pdf->bytes.data, pdf->bytes.size);
	jr_buf_done(&pdf->bytes);
	free(pdf);
	return status == CAIRO_STATUS_SUCCESS
			   ? JR_OK
			   : jr_fail(err, JR_EIO, "cannot write the PDF: %s", cairo_status_to_string(status));
}
