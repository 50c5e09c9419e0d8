/*
 * svg_path.h - numbers and paths as SVG writes them, in as few bytes as possible without a visible
 * difference.
 * Layer: render.
 */
#ifndef JR_RENDER_SVG_PATH_H
#define JR_RENDER_SVG_PATH_H

#include <stdbool.h>
#include <stddef.h>

struct jr_buf;
struct jr_point;

/** Append `v` with at most 2 decimals, no trailing zeros, no zero before the point (0.5 -> .5). */
void jr_svg_number(struct jr_buf *out, double v);

/** Round a place or a distance to a tenth of a pixel: no screen shows less. */
double jr_svg_grid(double px);

/**
 * Append a rectangle. Its corners are rounded first and its size is their difference, so that
 * neighbors that share an edge still share it after rounding.
 */
void jr_svg_rect(struct jr_buf *d, double x, double y, double width, double height);

/**
 * Append a line through `p`.
 *
 * Points are left out if the line without them passes at most a tenth of a pixel above or below
 * them: a curve with one point per pixel is mostly straight. The first and the last point are
 * always kept, and points where the line turns back or goes straight up. In a curve of many points,
 * a step of a tenth is moved to the next one.
 *
 * @param p       [n] points in px, all finite; two or more
 * @param closed  back to the first
 */
void jr_svg_polyline(struct jr_buf *d, const struct jr_point *p, size_t n, bool closed);

#endif
