/*
 * scene_cairo_impl.h - what the files that use cairo share.
 * Layer: render.  Private to scene_cairo.c and pdf.c.
 */
#ifndef JR_RENDER_SCENE_CAIRO_IMPL_H
#define JR_RENDER_SCENE_CAIRO_IMPL_H

#include <cairo.h>

#include "render/scene.h"

/** Draw the items of a scene at the context's origin and scale, without a background. */
void jr_cairo_draw(cairo_t *cr, const struct jr_scene *scene);
/** Draw one text at (x, y), as an item of a scene is drawn. */
void jr_cairo_text(cairo_t *cr, double x, double y, const char *text, const struct jr_text *style);
/** A write function for cairo's streams, whose closure is a struct jr_buf. */
cairo_status_t jr_cairo_append(void *closure, const unsigned char *data, unsigned length);

#endif
