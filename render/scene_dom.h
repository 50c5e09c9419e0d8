/*
 * scene_dom.h - a scene as an SVG element of a page, or as an SVG document.
 * Layer: render.
 *
 * Text stays text (the browser's search finds it, the page can be copied), tooltips are <title>
 * elements, links are fragments. It contains no style attribute and no script: classes say what
 * things are, and the sheet of jr_palette_css() sets their look.
 */
#ifndef JR_RENDER_SCENE_DOM_H
#define JR_RENDER_SCENE_DOM_H

#include <libxml/tree.h>

struct jr_buf;
struct jr_scene;

/**
 * Make an <svg class="jr-figure" viewBox role aria-label> element with the whole scene. It is not
 * linked: the caller adds it to a tree of `doc`, or frees it with xmlFreeNode().
 *
 * @param  prefix  of every id in it, e.g. "fig3": ids are PREFIX-ID, and a second use of an id in
 *                 the scene becomes PREFIX-ID-2. The caller makes it unique in the page. NULL: the
 *                 scene's own id is the prefix. The element itself has the id PREFIX.
 * @param  least_px  rectangles narrower than this have no tooltip, because the pointer reaches them
 *                 in the live chart that takes the place of this one; 0: all have theirs
 * @return never NULL (out of memory: jr_oom()). Has no namespace: the page's serializer and HTML
 *         parser know <svg>. Coordinates are rounded to a tenth of a pixel.
 */
xmlNodePtr jr_scene_dom(
	const struct jr_scene *scene, xmlDocPtr doc, const char *prefix, double least_px);

/** px: the least width of a mark with a tooltip in a chart that a live one takes the place of. */
#define JR_POINTED_PX 5.0

/** Append the element as text, `<svg ...>...</svg>`, for a page that is written as text. */
void jr_scene_svg_inline(const struct jr_scene *scene, const char *prefix, struct jr_buf *out);

/**
 * Append a complete .svg document: XML declaration, namespace, <title>, <desc>, a background, and
 * the palette's style sheet, so that it follows the reader's light or dark preference without a
 * page. Its text is text: it can be searched and read aloud.
 *
 * @param about  what the figure shows; NULL: no <desc>
 */
void jr_scene_svg_document(const struct jr_scene *scene, const char *about, struct jr_buf *out);

#endif
