/*
 * pdf.h - pages of a PDF: text, rectangles, scenes, links and an outline, placed by the caller.
 * Layer: render.  Backend of cairo, like scene_cairo.h. Thread use: one thread at a time.
 *
 * Units are points (1/72 inch), the origin is top left, y grows downwards; text is placed by its
 * baseline. Text stays text, figures are vectors. Equal calls give equal bytes: the file has no
 * date.
 */
#ifndef JR_RENDER_PDF_H
#define JR_RENDER_PDF_H

#include "base/error.h"
#include "render/palette.h"

struct jr_buf;
struct jr_pdf;
struct jr_scene;

/* All zero: 12 pt, regular, ink. */
struct jr_pdf_font {
	double size;
	bool bold;
	bool fixed; /* fixed-width face, for code */
	enum jr_role role;
};

/** Begin a document with its first page. Never NULL. `title`: for viewers. */
struct jr_pdf *jr_pdf_new(const char *title, double width, double height);
/** Begin the next page. */
void jr_pdf_page(struct jr_pdf *pdf);

/** Return the width of n bytes of UTF-8. */
double jr_pdf_width(struct jr_pdf *pdf, const char *text, size_t n, const struct jr_pdf_font *font);
/** Append `text`, cut so that it is at most `max_width` wide; nothing if almost nothing fits. */
void jr_pdf_fit(struct jr_pdf *pdf, const char *text, const struct jr_pdf_font *font,
	double max_width, struct jr_buf *out);
void jr_pdf_text(
	struct jr_pdf *pdf, double x, double y, const char *text, const struct jr_pdf_font *font);
void jr_pdf_rect(struct jr_pdf *pdf, double x, double y, double w, double h, enum jr_role fill);
/** Draw a scene with its top left corner at (x, y). */
void jr_pdf_scene(
	struct jr_pdf *pdf, const struct jr_scene *scene, double x, double y, double scale);

/** Make a place that links lead to. `name`: [a-z0-9_-]+, once per document. */
void jr_pdf_place(struct jr_pdf *pdf, const char *name, double y);
/** Make an area a link to a place. */
void jr_pdf_link(struct jr_pdf *pdf, const char *name, double x, double y, double w, double h);
/** Add an entry of the outline that leads to a place; return it as the parent of others. `parent`:
 * 0 = top. */
int jr_pdf_outline(struct jr_pdf *pdf, int parent, const char *title, const char *name);

/** End the document, append its bytes, and free it, also on failure. JR_EIO with cairo's reason. */
enum jr_status jr_pdf_finish(struct jr_pdf *pdf, struct jr_buf *out, struct jr_error *err)
	JR_MUST_CHECK;

#endif
