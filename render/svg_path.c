#include "render/svg_path.h"

#include <math.h>

#include "base/buf.h"
#include "base/num.h"
#include "render/scene.h"

void jr_svg_number(struct jr_buf *out, double v)
{
	char text[JR_NUM_MAX];
	double rounded = round(v * 100) / 100;
	jr_num_double(text, rounded);
	const char *from = text;
	if (rounded < 0 && rounded > -1) {
		jr_buf_putc(out, '-');
		from = text + 2;
	} else if (rounded > 0 && rounded < 1) {
		from = text + 1;
	}
	jr_buf_puts(out, from);
}

double jr_svg_grid(double px)
{
	return round(px * 10) / 10;
}

#define MANY 64 /* more points: a curve, not the corners of a shape */

/* Append a command with `x` and `y`, which are on the grid. */
static void pair(struct jr_buf *out, const char *command, double x, double y)
{
	jr_buf_puts(out, command);
	jr_svg_number(out, x);
	if (y >= 0)
		jr_buf_putc(out, ' ');
	jr_svg_number(out, y);
}

void jr_svg_rect(struct jr_buf *d, double x, double y, double width, double height)
{
	double left = jr_svg_grid(x), top = jr_svg_grid(y);
	double w = jr_svg_grid(jr_svg_grid(x + width) - left),
		   h = jr_svg_grid(jr_svg_grid(y + height) - top);
	pair(d, "M", left, top);
	jr_buf_putc(d, 'h');
	jr_svg_number(d, w);
	jr_buf_putc(d, 'v');
	jr_svg_number(d, h);
	jr_buf_putc(d, 'h');
	jr_svg_number(d, -w);
	jr_buf_putc(d, 'z');
}

/*
 * Return the last point after `from` that a straight line from there can reach, so that it passes
 * the points between within `WITHIN` px above or below. All of them must go in one direction, to
 * the right or to the left. A curve with one point per pixel is mostly straight.
 */
static size_t straight_to(const struct jr_point *p, size_t from, size_t n)
{
	const double WITHIN = 0.1;
	double low = -HUGE_VAL, high = HUGE_VAL;
	bool right = from + 1 < n && p[from + 1].x > p[from].x;
	size_t to = from + 1;
	for (size_t i = to; i < n; i++) {
		double dx = right ? p[i].x - p[i - 1].x : p[i - 1].x - p[i].x;
		double along = fabs(p[i].x - p[from].x), dy = p[i].y - p[from].y;
		if (!(dx > 0))
			break;
		if (dy / along >= low && dy / along <= high)
			to = i;
		low = fmax(low, (dy - WITHIN) / along);
		high = fmin(high, (dy + WITHIN) / along);
		if (low > high)
			break;
	}
	return to;
}

/* A horizontal line that is drawn and not yet written. */
struct level {
	struct jr_buf *d;
	double dx;
};

static void put_level(struct level *level)
{
	if (level->dx == 0)
		return;
	jr_buf_putc(level->d, 'h');
	jr_svg_number(level->d, jr_svg_grid(level->dx));
	level->dx = 0;
}

void jr_svg_polyline(struct jr_buf *d, const struct jr_point *p, size_t n, bool closed)
{
	const double WITHIN = 0.15; /* between one and two tenths */
	struct level level = {.d = d};
	double x = jr_svg_grid(p[0].x), y = jr_svg_grid(p[0].y);
	pair(d, "M", x, y);
	for (size_t i = straight_to(p, 0, n); i < n; i = straight_to(p, i, n)) {
		double dx = jr_svg_grid(jr_svg_grid(p[i].x) - x), dy = jr_svg_grid(jr_svg_grid(p[i].y) - y);
		if (fabs(dy) < WITHIN && n > MANY && i + 1 < n)
			dy = 0; /* the next visible step makes up for it */
		if (dx == 0 && dy == 0 && n > 2)
			continue;
		if (dy == 0 && dx * level.dx >= 0 && dx != 0) {
			level.dx += dx;
			x += dx;
			continue;
		}
		put_level(&level);
		if (dy == 0) {
			level.dx = dx;
			if (dx == 0)
				jr_buf_puts(d, "h0");
		} else if (dx == 0) {
			jr_buf_putc(d, 'v');
			jr_svg_number(d, dy);
		} else {
			pair(d, "l", dx, dy);
		}
		x += dx;
		y += dy;
	}
	put_level(&level);
	if (closed)
		jr_buf_putc(d, 'z');
}
