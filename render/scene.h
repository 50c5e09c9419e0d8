/*
 * scene.h - display list of a figure: primitives with roles, independent of how they are drawn.
 * Layer: render.  Owner: the scene owns copies of all text and points given to it. Thread use: one
 * thread at a time.
 *
 * Units are CSS pixels, the origin is top left, y grows downwards. Later items cover earlier ones,
 * with one exception: the file backend draws rectangles, lines and markers of the same style
 * together if no text and no path is between them. Items that must cover such a group come after a
 * text or a path. Coordinates that are not finite are drawn at 0 (layouts should leave such data
 * out). All text is cleaned on input (base/text.h), so foreign text is safe everywhere.
 *
 *	struct jr_scene sc;
 *	jr_scene_init(&sc, 400, 100);
 *	jr_scene_rect(&sc, 10, 10, 80, 20, jr_fill(JR_ROLE_COMPUTE));
 *	jr_scene_tip(&sc, "compute: 12.3 ms");
 *	jr_scene_text(&sc, 14, 24, "compute", &(struct jr_text){.role = JR_ROLE_INK});
 *	jr_scene_done(&sc);
 */
#ifndef JR_RENDER_SCENE_H
#define JR_RENDER_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/vec.h"
#include "render/palette.h"

struct jr_buf;

enum jr_dash { JR_SOLID, JR_DASHED, JR_DOTTED };
enum jr_anchor { JR_START, JR_MIDDLE, JR_END };
enum jr_shape { JR_CIRCLE, JR_SQUARE, JR_DIAMOND, JR_TRIANGLE, JR_CROSS, JR_N_SHAPES };

struct jr_point {
	double x, y;
};

/* How a shape is painted. All zero: not painted. */
struct jr_style {
	enum jr_role fill;
	unsigned tint;     /* of the fill: 0 full strength, 1..JR_N_TINTS-1 see palette.h */
	enum jr_look look; /* of the fill; outlined ones have a stroke, too */
	enum jr_role stroke;
	double stroke_width; /* 0 with a stroke role: 1 */
	enum jr_dash dash;
};

/* How a text is drawn. All zero: 12 px, start-anchored, regular, ink. */
struct jr_text {
	enum jr_role role; /* NONE: ink */
	double size;       /* px; 0: 12 */
	enum jr_anchor anchor;
	bool bold;
	double rotate; /* degrees clockwise about (x, y) */
	bool halo;     /* an edge in the background color, for text over marks */
};

struct jr_attribute {
	const char *name; /* [a-z0-9-]+, without "data-" */
	const char *value;
};

/* A group of items. Everything is optional. */
struct jr_group {
	const char *id;    /* becomes PREFIX-id, made unique; used as a link target */
	const char *class; /* from our code, never foreign text: [A-Za-z0-9 _-]* */
	const char *title; /* tooltip of everything inside that has no own tooltip */
	const char *href;  /* "#fragment" of the same page; anything else is left out */
	const struct jr_attribute *data;
	size_t n_data;
	/* The style of most items inside: only makes the output smaller, never changes it. */
	struct jr_style style;
	struct jr_text text;
};

enum jr_item_kind {
	JR_ITEM_RECT,   /* x, y, width, height, radius */
	JR_ITEM_LINE,   /* x, y to x2, y2 */
	JR_ITEM_PATH,   /* points, closed? */
	JR_ITEM_MARKER, /* center x, y; radius; shape */
	JR_ITEM_TEXT,   /* x, y = anchor on the base line */
	JR_ITEM_OPEN,   /* start of a group */
	JR_ITEM_CLOSE,
};

struct jr_item {
	enum jr_item_kind kind;
	struct jr_style style; /* shapes; a group's hint */
	double x, y;
	union {
		struct {
			double width, height, radius;
		} rect;
		struct {
			double x2, y2;
		} line;
		struct {
			const struct jr_point *points;
			size_t n;
			bool closed;
		} path;
		struct {
			double radius;
			enum jr_shape shape;
		} marker;
		struct {
			const char *string;
			struct jr_text style;
		} text;
		const struct jr_group *group; /* OPEN */
	};
	const char *tip;  /* tooltip or NULL */
	const char *href; /* "#..." or NULL; shapes and text only */
};

struct jr_scene {
	double width, height;
	const char *id;    /* of the figure, [A-Za-z0-9_-]; "" = none */
	const char *label; /* one line for people who cannot see it; "" = none */
	struct jr_arena arena;
	JR_VEC(struct jr_item) items;
	size_t depth; /* number of open groups */
};

/** Make an empty scene of this size (px). Takes no memory until something is drawn. */
void jr_scene_init(struct jr_scene *scene, double width, double height);
/** Free everything. Accepts NULL and a zeroed scene. */
void jr_scene_done(struct jr_scene *scene);
/** Set id and accessible label; both are copied. NULL leaves it unchanged. */
void jr_scene_name(struct jr_scene *scene, const char *id, const char *label);

/* Each draws one item; O(1) except for copying text and points. */
void jr_scene_rect(
	struct jr_scene *scene, double x, double y, double width, double height, struct jr_style style);
void jr_scene_round_rect(struct jr_scene *scene, double x, double y, double width, double height,
	double radius, struct jr_style style);
void jr_scene_line(
	struct jr_scene *scene, double x1, double y1, double x2, double y2, struct jr_style style);
/** Draw a polyline (or polygon) through n >= 1 points. */
void jr_scene_path(struct jr_scene *scene, const struct jr_point *points, size_t n, bool closed,
	struct jr_style style);
void jr_scene_marker(struct jr_scene *scene, double x, double y, double radius, enum jr_shape shape,
	struct jr_style style);
/** Draw one line of text; `style` NULL = the default. Text is not cut: see jr_metrics_fit(). */
void jr_scene_text(
	struct jr_scene *scene, double x, double y, const char *text, const struct jr_text *style);

/** Remove the tooltips of all items. */
void jr_scene_drop_tips(struct jr_scene *scene);
/** Set the tooltip of the last item (NULL: none). Only here, '\n' begins a new line; lines of more
 * than 600 bytes are cut. */
void jr_scene_tip(struct jr_scene *scene, const char *tip);
/** Set the link of the last item: "#fragment"; anything else (and NULL) is ignored. */
void jr_scene_href(struct jr_scene *scene, const char *href);

/** Begin and end a group; groups nest. Unclosed groups end with the scene. */
void jr_scene_open(struct jr_scene *scene, const struct jr_group *group);
void jr_scene_close(struct jr_scene *scene);

/** Assert that groups nest, that coordinates are finite, and that texts are clean. Used if
 * JR_CHECKED is set. O(items and their text). */
void jr_scene_assert(const struct jr_scene *scene);

/** Return true for "#" and one or more of [A-Za-z0-9._:-]. */
bool jr_href_is_fragment(const char *href);

/* Shorthands for styles. */
static inline struct jr_style jr_fill(enum jr_role role)
{
	return (struct jr_style){.fill = role};
}
static inline struct jr_style jr_wash(enum jr_role role, unsigned tint)
{
	return (struct jr_style){.fill = role, .tint = tint};
}
static inline struct jr_style jr_stroke(enum jr_role role, double width)
{
	return (struct jr_style){.stroke = role, .stroke_width = width};
}

/** Return the style of an area of a role, by its row of the palette. */
struct jr_style jr_area(enum jr_role role);
/** Return the style of the hem of a role's frames: a line along their top edge. Its stroke is NONE
 * if they have none. */
struct jr_style jr_hem(enum jr_role role);

/** Print the scene as lines of text, coordinates with 2 decimals: for golden tests and for
 * debugging. */
void jr_scene_dump(const struct jr_scene *scene, struct jr_buf *out);

#endif
