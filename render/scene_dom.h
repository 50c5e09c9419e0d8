/*
 * scene_dom.h - a scene as an SVG element of a page, or as an SVG document.
 * Layer: render.
 *
 * Text stays text (found by the browser's search, copied with the page), tooltips are <title>
 * elements, links are fragments. There is no literal colour, no style attribute and no script in
 * it: classes say what things are and the sheet of jr_palette_css() says what that looks like.
 */
#ifndef JR_RENDER_SCENE_DOM_H
#define JR_RENDER_SCENE_DOM_H

#include <libxml/tree.h>

struct jr_buf;
struct jr_scene;

/**
 * An <svg class="jr-figure" viewBox role aria-label> element with the whole scene in it, not linked
 * to anything: the caller adds it to a tree of `doc`, or frees it with xmlFreeNode().
 *
 * @param  prefix  of every id in it, e.g. "fig3": ids are PREFIX-ID, and a second use of an id in
 *                 the scene becomes PREFIX-ID-2. Unique in the page by the caller's care. NULL: the
 *                 scene's own id is the prefix. The element itself has the id PREFIX.
 * @return never NULL (out of memory: jr_oom()). Has no namespace: the page's serialiser and HTML
 *         parser know what <svg> is. Places are to a tenth of a pixel.
 */
xmlNodePtr jr_scene_dom(const struct jr_scene *scene, xmlDocPtr doc, const char *prefix);

/** Append the same element as text, `<svg ...>...</svg>`, for a page that is written as text. */
void jr_scene_svg_inline(const struct jr_scene *scene, const char *prefix, struct jr_buf *out);

/**
 * Append a complete .svg document: XML declaration, namespace, <title>, <desc>, a background, and
 * the palette's style sheet, so that it follows the reader's light or dark preference by itself.
 * Its text is text: it can be searched, and read aloud.
 *
 * @param about  what is to be seen; NULL: no <desc>
 */
void jr_scene_svg_document(const struct jr_scene *scene, const char *about, struct jr_buf *out);

#endif
