/*
 * scene_cairo.h - text widths for every layout; a scene as PNG bytes, without a page.
 * Layer: render.  Only scene_cairo.c and pdf.c use cairo.
 */
#ifndef JR_RENDER_SCENE_CAIRO_H
#define JR_RENDER_SCENE_CAIRO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct jr_buf;
struct jr_scene;

/*
 * Widths of text in the font of the figures: DejaVu Sans, or what the system has instead. They are
 * used for inline figures (shown in the reader's own sans-serif face, which is rarely wider) and
 * for PNG files. One thread at a time per handle.
 */
struct jr_metrics;

/** Make a handle, never NULL. Loads the font once (a few ms) and then caches glyph widths. */
struct jr_metrics *jr_metrics_new(void);
/** Free a handle; accepts NULL. */
void jr_metrics_free(struct jr_metrics *metrics);

/** Return the width in px of n bytes of UTF-8 at `size` px. O(n), tens of ns per character. */
double jr_metrics_width(
	struct jr_metrics *metrics, const char *text, size_t n, double size, bool bold);
/**
 * Append `text` to `out`, cut after a character and followed by "…" so that it is at most
 * `max_width` px wide; nothing if two characters and the mark do not fit.
 * @return the width of the appended text, px
 */
double jr_metrics_fit(struct jr_metrics *metrics, const char *text, double size, bool bold,
	double max_width, struct jr_buf *out);

/**
 * Append the scene as a PNG of width * scale by height * scale pixels, light on opaque white.
 * @param  scale  1 for mail, 2 for print; values above 8 count as 8
 * @return JR_EIO if cairo fails; JR_ELIMIT more than 2^26 pixels
 */
enum jr_status jr_scene_cairo_png(const struct jr_scene *scene, double scale, struct jr_buf *out,
	struct jr_error *err) JR_MUST_CHECK;

#endif
