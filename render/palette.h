/*
 * palette.h - what a color means, and which color that is on a light and on a dark page.
 * Layer: render.  Constant tables; only jr_palette_css() allocates, for its output.
 *
 * Figures never name a color: they name a role, and the page decides. The hues are based on the
 * eight of Okabe and Ito (distinguishable with every common kind of color blindness), adjusted in
 * brightness. Text on them has a contrast of at least 4.5 (tests/unit/test_scene.c measures it).
 */
#ifndef JR_RENDER_PALETTE_H
#define JR_RENDER_PALETTE_H

#include <stdbool.h>

struct jr_buf;

/*
 * JR_ROLE_X(enumerator, class and custom property name, colors of lines on a light and on a dark
 * page, colors of areas on both, how areas are drawn, meaning). Lines, points and text contrast
 * with the page; areas have text on them. Areas of a role without an area color are a wash of its
 * line color.
 */
#define JR_ROLES                                                                                   \
	JR_ROLE_X(BACKGROUND, "background", 0xFFFFFF, 0x15191E, 0, 0, MARK, "page behind the chart")   \
	JR_ROLE_X(                                                                                     \
		PANEL, "panel", 0xF5F7F9, 0x1E242B, 0, 0, MARK, "raised surface: table head, plot ground") \
	JR_ROLE_X(INK, "ink", 0x1B2026, 0xE8EBEE, 0, 0, MARK, "text and strong lines")                 \
	JR_ROLE_X(MUTED, "muted", 0x59636E, 0xA3ADB8, 0, 0, MARK, "secondary text: ticks, captions")   \
	JR_ROLE_X(GRID, "grid", 0xE3E7EB, 0x303841, 0, 0, MARK, "grid lines, borders")                 \
	JR_ROLE_X(AXIS, "axis", 0x9AA4AE, 0x66717D, 0, 0, MARK, "axis lines and ticks")                \
	JR_ROLE_X(                                                                                     \
		ACCENT, "accent", 0x0A63A8, 0x6DB9EE, 0, 0, MARK, "links, focus, the selected thing")      \
	JR_ROLE_X(WARNING, "warning", 0x9A5B00, 0xF2B134, 0, 0, MARK, "findings that need attention")  \
	JR_ROLE_X(GOOD, "good", 0x00734F, 0x3CC79B, 0, 0, MARK, "good findings")                       \
	JR_ROLE_X(BAD, "bad", 0xB3331B, 0xF58A6B, 0, 0, MARK, "serious findings")                      \
	JR_ROLE_X(COMPUTE, "compute", 0x0072B2, 0x3E96D0, 0x319AE0, 0x076DB1, AREA, "compute thunks")  \
	JR_ROLE_X(COMMUNICATION, "communication", 0xD55E00, 0xDE6A1C, 0xDF7513, 0xAF4B05, STRIPED,     \
		"exposed communication")                                                                   \
	JR_ROLE_X(                                                                                     \
		HIDDEN, "hidden-communication", 0xE3A33B, 0xC08A2C, 0, 0, MARK, "overlapped with compute") \
	JR_ROLE_X(COPY, "copy", 0xB0598B, 0xC877A4, 0xBE799E, 0x925177, CUT,                           \
		"copies between host and device")                                                          \
	JR_ROLE_X(IDLE_INSIDE, "idle-inside", 0x88919B, 0x7B8691, 0xFFFFFF, 0x15191E, HATCHED,         \
		"idle inside modules")                                                                     \
	JR_ROLE_X(IDLE_BETWEEN, "idle-between", 0x88919B, 0x7B8691, 0xF5F7F9, 0x1E242B, OUTLINED,      \
		"idle between modules")                                                                    \
	JR_ROLE_X(OTHER, "other-programs", 0x4E93BD, 0x4F86A8, 0xB7CFDD, 0x064779, OUTLINED,           \
		"other programs")                                                                          \
	JR_ROLE_X(USER_CODE, "user-code", 0x10A27C, 0x0D738D, 0x10A27C, 0x0D738D, AREA,                \
		"frames of the user's own code")                                                           \
	JR_ROLE_X(                                                                                     \
		LIBRARY, "library", 0xC6CDD5, 0x3B4550, 0xC6CDD5, 0x3B4550, AREA, "frames of libraries")   \
	JR_ROLE_X(XLA, "xla", 0xEBCE81, 0x483A12, 0xEBCE81, 0x483A12, AREA, "op names, XLA passes")    \
	JR_ROLE_X(UNKNOWN, "unknown", 0x88919B, 0x78838E, 0xFFFFFF, 0x15191E, OUTLINED,                \
		"no metadata, several items merged")                                                       \
	JR_ROLE_X(WARM_UP, "warm-up", 0x978800, 0xA89A1E, 0xEAE09A, 0x284303, BARRED,                  \
		"warm-up, not steady state")                                                               \
	JR_ROLE_X(GEMM, "gemm", 0x0594D6, 0x2B6BA7, 0x0594D6, 0x2B6BA7, AREA, "matrix products")       \
	JR_ROLE_X(FUSION, "fusion", 0x0072B2, 0x3E96D0, 0x72C5ED, 0x133E5C, OUTLINED, "fusions")       \
	JR_ROLE_X(                                                                                     \
		ATTENTION, "attention", 0xA2960E, 0x6F6811, 0xA2960E, 0x6F6811, STRIPED, "attention")      \
	JR_ROLE_X(WAIT, "wait", 0xD55E00, 0xDE6A1C, 0xE9C5A4, 0x5F3109, HATCHED,                       \
		"communication, including waiting")                                                        \
	JR_ROLE_X(FORWARD, "forward", 0x6390A2, 0x366C9A, 0x6390A2, 0x366C9A, AREA,                    \
		"op names of the forward pass")                                                            \
	JR_ROLE_X(BACKWARD, "backward", 0xECC0B2, 0x7F5743, 0xECC0B2, 0x7F5743, AREA,                  \
		"op names of the backward pass")                                                           \
	JR_ROLE_X(REMAT, "remat", 0xC776E0, 0x4B1873, 0xC776E0, 0x4B1873, AREA, "recomputed")          \
	JR_ROLE_X(UPDATE, "update", 0x84E06C, 0x0A4217, 0x84E06C, 0x0A4217, AREA,                      \
		"op names of the optimizer")                                                               \
	JR_ROLE_X(SLOWER, "slower", 0xD55E00, 0xDE6A1C, 0, 0, MARK, "takes longer than in the base")   \
	JR_ROLE_X(                                                                                     \
		FASTER, "faster", 0x0072B2, 0x3E96D0, 0, 0, MARK, "takes less time than in the base")      \
	JR_ROLE_X(ROOF_1, "roof-1", 0x7890E8, 0x4D5CCC, 0, 0, MARK, "lowest share of the roofline")    \
	JR_ROLE_X(ROOF_2, "roof-2", 0x45A9CC, 0x226484, 0, 0, MARK, "higher share")                    \
	JR_ROLE_X(ROOF_3, "roof-3", 0x58C795, 0x14572D, 0, 0, MARK, "higher share")                    \
	JR_ROLE_X(ROOF_4, "roof-4", 0xB2DC6A, 0x47450A, 0, 0, MARK, "higher share")                    \
	JR_ROLE_X(ROOF_5, "roof-5", 0xFBEF9F, 0x412B16, 0, 0, MARK, "highest share")                   \
	JR_ROLE_X(SERIES_1, "series-1", 0x0174C5, 0x4192D4, 0xB8D8EF, 0x213B51, OUTLINED,              \
		"1st of several like things")                                                              \
	JR_ROLE_X(SERIES_2, "series-2", 0xCF7E53, 0xD1723D, 0, 0, MARK, "2nd")                         \
	JR_ROLE_X(SERIES_3, "series-3", 0x0C7955, 0x1BC496, 0x5AA48B, 0x175D4E, HATCHED, "3rd")        \
	JR_ROLE_X(SERIES_4, "series-4", 0xB84E8E, 0xBE86A6, 0xD28EB7, 0x815F75, OUTLINED, "4th")       \
	JR_ROLE_X(SERIES_5, "series-5", 0x9D7602, 0xD7A518, 0xE4D9B8, 0x3C351D, BARRED, "5th")         \
	JR_ROLE_X(SERIES_6, "series-6", 0x0C9DE0, 0x8DB0D2, 0x0C9DE0, 0x23669A, CUT, "6th")            \
	JR_ROLE_X(SERIES_7, "series-7", 0x8A7D00, 0xB8AC30, 0, 0, MARK, "7th")                         \
	JR_ROLE_X(SERIES_8, "series-8", 0x5B646E, 0xA0AAB5, 0, 0, MARK, "8th")

enum jr_role {
	JR_ROLE_NONE, /* not painted */
#define JR_ROLE_X(id, name, light, dark, area_light, area_dark, look, what) JR_ROLE_##id,
	JR_ROLES
#undef JR_ROLE_X
		JR_N_ROLES
};

/*
 * How a shape is filled with a role's color. Areas next to each other are told apart without hue,
 * in gray and with every kind of color vision: by their lightness (L* at least 15 apart) or by
 * different patterns. Plain fills alone would not do: ink on an area needs L* of 56 or more on a
 * light page, and an area without outline needs 61 or less. Stripes of rectangles only.
 */
enum jr_look {
	JR_LOOK_MARK,     /* with the line color */
	JR_LOOK_AREA,     /* with the area color */
	JR_LOOK_STRIPED,  /* area color and narrow stripes of the page */
	JR_LOOK_CUT,      /* area color and broad stripes of the page */
	JR_LOOK_OUTLINED, /* area color and a line of 1 px around it */
	JR_LOOK_HATCHED,  /* outlined, with narrow stripes of the line color */
	JR_LOOK_BARRED,   /* outlined, with broad stripes of the line color */
	JR_N_LOOKS
};

/* A line along the top edge of a flamegraph's frame, because names take the room of stripes. */
enum jr_hem { JR_HEM_NONE, JR_HEM_SOLID, JR_HEM_DASHED, JR_HEM_DOTTED };

/* A fill is the color at full strength (tint 0) or one of these lighter washes of it. */
#define JR_N_TINTS 10 /* 5: bands and faint areas; 5, 6, 2, 4: a scale; 7..9, 0: flame frames */

struct jr_rgb {
	double r, g, b; /* 0..1, sRGB */
};

/** Return the CSS name of a role: "compute" (class `f-compute`, property `--jr-compute`); NONE:
 * "none". */
const char *jr_role_name(enum jr_role role);
/** Return the role of a CSS name; NONE for NULL and unknown names. */
enum jr_role jr_role_find(const char *name);
/** Return the role of the i-th (from 0) of several similar things; after eight they repeat. */
enum jr_role jr_role_series(unsigned i);
struct jr_rgb jr_role_light(enum jr_role role);
struct jr_rgb jr_role_dark(enum jr_role role);
/** Return the area color; for a role without one, its line color. */
struct jr_rgb jr_area_light(enum jr_role role);
struct jr_rgb jr_area_dark(enum jr_role role);
/** Return how areas of a role are drawn; MARK: it has no area color. */
enum jr_look jr_role_look(enum jr_role role);

/* Vertical stripes: a dashed line as thick as the area is high. */
struct jr_stripes {
	double on, off;   /* px; on 0: none */
	const char *dash; /* the same for CSS */
};
/** Return the stripes of a look; all zero for plain ones. */
struct jr_stripes jr_look_stripes(enum jr_look look);
/** Return the role of the stripes of an area of that role, drawn with its line color. */
enum jr_role jr_stripe_role(enum jr_role role, enum jr_look look);
/** Return CIE L*, 0 black to 100 white: what is left of a color in gray. */
double jr_lightness(struct jr_rgb color);
/** Return whether areas of two roles can be told apart in gray, on light and on dark pages and on
 * paper: by their stripes, or by L* of at least 15. */
bool jr_areas_apart(enum jr_role a, enum jr_role b);
/** Return the hem of frames of a role; it is drawn with INK. */
enum jr_hem jr_role_hem(enum jr_role role);
/** Return the same as jr_areas_apart() for frames of a flamegraph, which have hems, not stripes. */
bool jr_frames_apart(enum jr_role a, enum jr_role b);
#define JR_HEX_MAX 8
/** Write "#RRGGBB", which old and new style sheets and attributes accept. */
void jr_rgb_hex(char out[JR_HEX_MAX], struct jr_rgb color);
/** Return the opacity of a tint, 0..1, the same in both themes; too large tints count as the
 * last. */
double jr_tint_alpha(unsigned tint);
/** Return the WCAG 2 contrast of two opaque colors, 1..21. */
double jr_contrast(struct jr_rgb a, struct jr_rgb b);

/**
 * Append the style sheet for figures: custom properties `--jr-ROLE` on :root for light, for dark
 * (prefers-color-scheme; `data-theme="light|dark"` on the root element overrides it) and for print
 * (light); then rules for the classes that scene_dom writes. No url(), no @import, no @font-face.
 * About 9 kB. The page may use the properties, too.
 */
void jr_palette_css(struct jr_buf *out);

#endif
