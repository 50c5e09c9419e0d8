/*
 * palette.h - what a colour means, and which colour that is on a light and on a dark page.
 * Layer: render.  Constant tables; nothing here allocates but jr_palette_css()'s output.
 *
 * Figures never name a colour: they name a role, and the page decides. The hues descend from the
 * eight of Okabe and Ito (told apart with every common kind of colour blindness), darkened or
 * lightened until text on them keeps a contrast of 4.5 (tests/unit/test_scene.c measures it).
 */
#ifndef JR_RENDER_PALETTE_H
#define JR_RENDER_PALETTE_H

#include <stdint.h>

struct jr_buf;

/* JR_ROLE_X(enumerator, class and custom property name, light, dark, what it stands for) */
#define JR_ROLES                                                                                   \
	JR_ROLE_X(BACKGROUND, "background", 0xFFFFFF, 0x15191E, "page behind the figure")              \
	JR_ROLE_X(PANEL, "panel", 0xF5F7F9, 0x1E242B, "raised surface: table head, plot ground")       \
	JR_ROLE_X(INK, "ink", 0x1B2026, 0xE8EBEE, "text and strong lines")                             \
	JR_ROLE_X(MUTED, "muted", 0x59636E, 0xA3ADB8, "secondary text: ticks, captions")               \
	JR_ROLE_X(GRID, "grid", 0xE3E7EB, 0x303841, "grid lines, borders")                             \
	JR_ROLE_X(AXIS, "axis", 0x9AA4AE, 0x66717D, "axis lines and ticks")                            \
	JR_ROLE_X(ACCENT, "accent", 0x0A63A8, 0x6DB9EE, "links, focus, the selected thing")            \
	JR_ROLE_X(WARNING, "warning", 0x9A5B00, 0xF2B134, "findings that want attention")              \
	JR_ROLE_X(GOOD, "good", 0x00734F, 0x3CC79B, "findings that please")                            \
	JR_ROLE_X(BAD, "bad", 0xB3331B, 0xF58A6B, "findings that hurt")                                \
	JR_ROLE_X(COMPUTE, "compute", 0x0072B2, 0x3E96D0, "computing thunks")                          \
	JR_ROLE_X(COMMUNICATION, "communication", 0xD55E00, 0xDE6A1C, "exposed communication")         \
	JR_ROLE_X(HIDDEN, "hidden-communication", 0xE3A33B, 0xC08A2C, "hidden behind compute")         \
	JR_ROLE_X(COPY, "copy", 0xB0598B, 0xC877A4, "copies between host and device")                  \
	JR_ROLE_X(IDLE_INSIDE, "idle-inside", 0x8C959F, 0x7B8691, "idle inside modules")               \
	JR_ROLE_X(IDLE_BETWEEN, "idle-between", 0xC3CAD1, 0x4C5661, "idle between modules")            \
	JR_ROLE_X(OTHER, "other-programs", 0x7FBFE6, 0x4F86A8, "what other programs ran")              \
	JR_ROLE_X(USER_CODE, "user-code", 0x008F68, 0x1FA580, "frames of the user's own code")         \
	JR_ROLE_X(LIBRARY, "library", 0x4F9FD6, 0x4389BA, "frames of libraries")                       \
	JR_ROLE_X(XLA, "xla", 0xC66A9C, 0xB8679A, "op names, XLA passes")                              \
	JR_ROLE_X(UNKNOWN, "unknown", 0x98A1AA, 0x78838E, "no metadata, several things gathered")      \
	JR_ROLE_X(WARM_UP, "warm-up", 0xB5A300, 0xA89A1E, "initialisation, not steady state")          \
	JR_ROLE_X(SLOWER, "slower", 0xD55E00, 0xDE6A1C, "takes more than in the base")                \
	JR_ROLE_X(FASTER, "faster", 0x0072B2, 0x3E96D0, "takes less than in the base")                \
	JR_ROLE_X(ROOF_1, "roof-1", 0x7890E8, 0x4D5CCC, "least of the roof is reached")                \
	JR_ROLE_X(ROOF_2, "roof-2", 0x45A9CC, 0x226484, "more of it")                                  \
	JR_ROLE_X(ROOF_3, "roof-3", 0x58C795, 0x14572D, "more")                                        \
	JR_ROLE_X(ROOF_4, "roof-4", 0xB2DC6A, 0x47450A, "more")                                        \
	JR_ROLE_X(ROOF_5, "roof-5", 0xFBEF9F, 0x412B16, "most of it")                                  \
	JR_ROLE_X(SERIES_1, "series-1", 0x0072B2, 0x4AA3DC, "1st of several like things")              \
	JR_ROLE_X(SERIES_2, "series-2", 0xD55E00, 0xEE8040, "2nd")                                     \
	JR_ROLE_X(SERIES_3, "series-3", 0x00875F, 0x2DBE92, "3rd")                                     \
	JR_ROLE_X(SERIES_4, "series-4", 0xB0598B, 0xDD93BE, "4th")                                     \
	JR_ROLE_X(SERIES_5, "series-5", 0xC98500, 0xD99A24, "5th")                                     \
	JR_ROLE_X(SERIES_6, "series-6", 0x3D9BD4, 0x66B0DA, "6th")                                     \
	JR_ROLE_X(SERIES_7, "series-7", 0x8A7D00, 0xB8AC30, "7th")                                     \
	JR_ROLE_X(SERIES_8, "series-8", 0x5B646E, 0xA0AAB5, "8th")

enum jr_role {
	JR_ROLE_NONE, /* not painted */
#define JR_ROLE_X(id, name, light, dark, what) JR_ROLE_##id,
	JR_ROLES
#undef JR_ROLE_X
	JR_N_ROLES
};

/* A fill is the role's colour at full strength (tint 0) or one of these lighter washes of it. */
#define JR_N_TINTS 7 /* 1..4: flame frames; 5: bands and faint areas; 5, 6, 2, 4: a scale */

struct jr_rgb {
	double r, g, b; /* 0..1, sRGB */
};

/** CSS name of a role: "compute" (class `f-compute`, property `--jr-compute`); NONE: "none". */
const char *jr_role_name(enum jr_role role);
/** The role of that name; NONE for NULL and for what is no role's name. */
enum jr_role jr_role_find(const char *name);
/** Role of the i-th (from 0) of several like things; more than eight begin again. */
enum jr_role jr_role_series(unsigned i);
struct jr_rgb jr_role_light(enum jr_role role);
struct jr_rgb jr_role_dark(enum jr_role role);
#define JR_HEX_MAX 8
/** Write "#RRGGBB", which style sheets and attributes of any age understand. */
void jr_rgb_hex(char out[JR_HEX_MAX], struct jr_rgb colour);
/** Opacity of a tint, 0..1, the same in both themes; `tint` above the last counts as the last. */
double jr_tint_alpha(unsigned tint);
/** WCAG 2 contrast of two opaque colours, 1..21. */
double jr_contrast(struct jr_rgb a, struct jr_rgb b);

/**
 * Append the style sheet that figures need: custom properties `--jr-ROLE` on :root for light, for
 * dark (prefers-color-scheme, and `data-theme="light|dark"` on the root element overrides it) and
 * for print (light); then rules for the classes that scene_dom writes, all below `.jr-figure`.
 * No url(), no @import, no @font-face. About 5 kB. The page may use the properties too.
 */
void jr_palette_css(struct jr_buf *out);

#endif
