#include "render/palette.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

struct role_entry {
	const char *name;
	uint32_t light, dark; /* 0xRRGGBB */
	uint32_t area_light, area_dark;
	enum jr_look look;
};

static const struct role_entry roles[JR_N_ROLES] = {
	[JR_ROLE_NONE] = {"none", 0, 0, 0, 0, JR_LOOK_MARK},
#define JR_ROLE_X(id, text, on_light, on_dark, area, dark_area, how, what)                         \
	[JR_ROLE_##id] = {text, on_light, on_dark, area, dark_area, JR_LOOK_##how},
	JR_ROLES
#undef JR_ROLE_X
};

/* Roles that are as light as others of the same flamegraph: kinds of code, phases, classes of
 * efficiency, changes. */
static const enum jr_hem hems[JR_N_ROLES] = {
	[JR_ROLE_COMPUTE] = JR_HEM_SOLID,
	[JR_ROLE_COMMUNICATION] = JR_HEM_DASHED,
	[JR_ROLE_XLA] = JR_HEM_DOTTED,
	[JR_ROLE_BACKWARD] = JR_HEM_DOTTED,
	[JR_ROLE_REMAT] = JR_HEM_DOTTED,
	[JR_ROLE_UPDATE] = JR_HEM_DASHED,
	[JR_ROLE_SLOWER] = JR_HEM_DASHED,
	[JR_ROLE_ROOF_2] = JR_HEM_DOTTED,
	[JR_ROLE_ROOF_3] = JR_HEM_DASHED,
	[JR_ROLE_ROOF_5] = JR_HEM_DOTTED,
};

#define LEAST_APART 15.0 /* L* */

static const double tints[JR_N_TINTS] = {1, 0.34, 0.41, 0.48, 0.55, 0.16, 0.28, 0.88, 0.92, 0.96};

const char *jr_role_name(enum jr_role role)
{
	return roles[role].name;
}

enum jr_role jr_role_find(const char *name)
{
	for (enum jr_role role = JR_ROLE_NONE + 1; name && role < JR_N_ROLES; role++)
		if (strcmp(roles[role].name, name) == 0)
			return role;
	return JR_ROLE_NONE;
}

enum jr_role jr_role_series(unsigned i)
{
	return (enum jr_role)(JR_ROLE_SERIES_1 + i % 8);
}

static struct jr_rgb rgb(uint32_t hex)
{
	return (struct jr_rgb){
		(hex >> 16 & 0xFF) / 255.0, (hex >> 8 & 0xFF) / 255.0, (hex & 0xFF) / 255.0};
}

struct jr_rgb jr_role_light(enum jr_role role)
{
	return rgb(roles[role].light);
}

struct jr_rgb jr_role_dark(enum jr_role role)
{
	return rgb(roles[role].dark);
}

enum jr_look jr_role_look(enum jr_role role)
{
	return roles[role].look;
}

struct jr_stripes jr_look_stripes(enum jr_look look)
{
	static const struct jr_stripes stripes[JR_N_LOOKS] = {
		[JR_LOOK_STRIPED] = {1.5, 4.5, "1.5 4.5"},
		[JR_LOOK_CUT] = {3, 5, "3 5"},
		[JR_LOOK_HATCHED] = {1, 4, "1 4"},
		[JR_LOOK_BARRED] = {3, 6, "3 6"},
	};
	return stripes[look];
}

enum jr_role jr_stripe_role(enum jr_role role, enum jr_look look)
{
	return look < JR_LOOK_OUTLINED ? JR_ROLE_BACKGROUND : role;
}

struct jr_rgb jr_area_light(enum jr_role role)
{
	return rgb(roles[role].look ? roles[role].area_light : roles[role].light);
}

struct jr_rgb jr_area_dark(enum jr_role role)
{
	return rgb(roles[role].look ? roles[role].area_dark : roles[role].dark);
}

void jr_rgb_hex(char out[JR_HEX_MAX], struct jr_rgb color)
{
	static const char digits[] = "0123456789ABCDEF";
	const double parts[] = {color.r, color.g, color.b};
	out[0] = '#';
	for (size_t i = 0; i < 3; i++) {
		unsigned v = (unsigned)lround(parts[i] * 255) & 0xFF;
		out[1 + 2 * i] = digits[v >> 4];
		out[2 + 2 * i] = digits[v & 0xF];
	}
	out[7] = '\0';
}

double jr_tint_alpha(unsigned tint)
{
	return tints[tint < JR_N_TINTS ? tint : JR_N_TINTS - 1];
}

/* Return the relative luminance as WCAG 2.1 defines it. */
static double luminance(struct jr_rgb c)
{
	const double v[3] = {c.r, c.g, c.b}, weight[3] = {0.2126, 0.7152, 0.0722};
	double sum = 0;
	for (size_t i = 0; i < 3; i++)
		sum += weight[i] * (v[i] <= 0.04045 ? v[i] / 12.92 : pow((v[i] + 0.055) / 1.055, 2.4));
	return sum;
}

double jr_lightness(struct jr_rgb color)
{
	double y = luminance(color);
	return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

static bool fills_apart(enum jr_role a, enum jr_role b)
{
	double light = jr_lightness(jr_area_light(a)) - jr_lightness(jr_area_light(b));
	double dark = jr_lightness(jr_area_dark(a)) - jr_lightness(jr_area_dark(b));
	return fmin(fabs(light), fabs(dark)) >= LEAST_APART;
}

bool jr_areas_apart(enum jr_role a, enum jr_role b)
{
	return jr_look_stripes(roles[a].look).dash != jr_look_stripes(roles[b].look).dash ||
		   fills_apart(a, b);
}

enum jr_hem jr_role_hem(enum jr_role role)
{
	return hems[role];
}

bool jr_frames_apart(enum jr_role a, enum jr_role b)
{
	return hems[a] != hems[b] || fills_apart(a, b);
}
double jr_contrast(struct jr_rgb a, struct jr_rgb b)
{
	double la = luminance(a), lb = luminance(b);
	return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

/* --- style sheet ---------------------------------------------------------------------------- */

enum theme { LIGHT, DARK };

/* Return true if a role has its own area color; some roles are only areas. */
static bool own_area(enum jr_role role)
{
	return roles[role].look && (roles[role].area_light != roles[role].light ||
								   roles[role].area_dark != roles[role].dark);
}

static void properties(struct jr_buf *out, const char *selector, enum theme theme)
{
	jr_buf_printf(out, "%s{color-scheme:%s", selector, theme == LIGHT ? "light" : "dark");
	for (enum jr_role role = JR_ROLE_NONE + 1; role < JR_N_ROLES; role++) {
		char hex[JR_HEX_MAX];
		jr_rgb_hex(hex, theme == LIGHT ? jr_role_light(role) : jr_role_dark(role));
		jr_buf_printf(out, ";--jr-%s:%s", roles[role].name, hex);
		if (!own_area(role))
			continue;
		jr_rgb_hex(hex, theme == LIGHT ? jr_area_light(role) : jr_area_dark(role));
		jr_buf_printf(out, ";--jr-a-%s:%s", roles[role].name, hex);
	}
	jr_buf_puts(out, "}\n");
}

void jr_palette_css(struct jr_buf *out)
{
	properties(out, ":root", LIGHT);
	jr_buf_puts(out, "@media screen{\n");
	jr_buf_puts(out, "@media (prefers-color-scheme:dark){\n");
	properties(out, ":root:not([data-theme=light])", DARK);
	jr_buf_puts(out, "}\n");
	properties(out, ":root[data-theme=dark]", DARK);
	jr_buf_puts(out, "}\n");
	jr_buf_puts(out,
		".jr-figure{max-width:100%;height:auto;fill:none;font-size:12px;"
		"font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,"
		"\"DejaVu Sans\",sans-serif;font-variant-numeric:tabular-nums}\n"
		".f-none{fill:none}.s-none{stroke:none}.hatch{pointer-events:none}\n"
		".jr-figure text{pointer-events:none}.jr-figure text.tip{pointer-events:auto}\n"
		".jr-figure .am{text-anchor:middle}.jr-figure .ae{text-anchor:end}"
		".jr-figure .as{text-anchor:start}\n"
		".jr-figure .b{font-weight:600}.jr-figure .n{font-weight:400}\n"
		".jr-figure .halo{stroke:var(--jr-background);stroke-width:3px;stroke-linejoin:round;"
		"paint-order:stroke}\n"
		".jr-figure .d1{stroke-dasharray:5 4}.jr-figure .d2{stroke-dasharray:1.5 3}"
		".jr-figure .d0{stroke-dasharray:none}\n"
		".jr-figure .hit *{pointer-events:all}.jr-figure a{cursor:pointer}\n"
		".jr-figure a:focus-visible{outline:2px solid var(--jr-accent)}\n");
	char number[JR_NUM_MAX];
	for (unsigned tint = 0; tint < JR_N_TINTS; tint++) {
		jr_num_double(number, tints[tint]);
		jr_buf_printf(out, ".t%u{fill-opacity:%s}", tint, number);
	}
	jr_buf_putc(out, '\n');
	for (enum jr_role role = JR_ROLE_NONE + 1; role < JR_N_ROLES; role++) {
		const char *name = roles[role].name;
		jr_buf_printf(
			out, ".f-%s{fill:var(--jr-%s)}.s-%s{stroke:var(--jr-%s)}\n", name, name, name, name);
		if (roles[role].look)
			jr_buf_printf(
				out, ".a-%s{fill:var(--jr-%s%s)}\n", name, own_area(role) ? "a-" : "", name);
	}
}
