/*
 * scene_cairo.h - text widths for every layout; a scene as PNG bytes, without any page.
 * Layer: render.  scene_cairo.c is the only file of the project that includes cairo.h.
 */
#ifndef JR_RENDER_SCENE_CAIRO_H
#define JR_RENDER_SCENE_CAIRO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct jr_buf;
struct jr_scene;

/*
 * Widths of text in the font of the figures: DejaVu Sans, or what the system offers instead. Both
 * the inline figures (set in the reader's own sans-serif face, which is hardly ever wider) and the
 * PNG files are laid out by these widths. A handle belongs to one thread at a time.
 */
struct jr_metrics;

/** Never NULL. Loads the font once (a few ms); glyph widths are kept from then on. */
struct jr_metrics *jr_metrics_new(void);
/** NULL-safe. */
void jr_metrics_free(struct jr_metrics *metrics);

/** Width in px of n bytes of UTF-8 at `size` px. O(n), tens of ns a character. */
double jr_metrics_width(
	struct jr_metrics *metrics, const char *text, size_t n, double size, bool bold);
/**
 * Append `text` to `out`, cut at a character with "…" behind so that it is at most `max_width` px
 * wide; nothing where not even two characters and the mark fit.
 * @return the width of what was appended, px
 */
double jr_metrics_fit(struct jr_metrics *metrics, const char *text, double size, bool bold,
	double max_width, struct jr_buf *out);

/**
 * Append the scene as a PNG of width * scale by height * scale pixels, light on opaque white.
 * @param  scale  1 for mail, 2 for print; more than 8 is taken as 8
 * @return JR_EIO where cairo fails; JR_ELIMIT more than 2^26 pixels
 */
enum jr_status jr_scene_cairo_png(const struct jr_scene *scene, double scale, struct jr_buf *out,
	struct jr_error *err) JR_MUST_CHECK;

#endif
