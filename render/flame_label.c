/* The label of a frame in a flamegraph, and its tint: both follow from its text. */
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "render/flame_impl.h"
#include "render/plot_impl.h"

/* FNV-1a, implemented here because a frame's color must be the same in every release and report. */
static uint32_t hash_bytes(uint32_t hash, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)s[i]) * 16777619u;
	return hash;
}

unsigned jr_flame_tint(const char *name)
{
	struct jr_flame_place place;
	uint32_t hash = 2166136261u;
	if (jr_flame_split(name, &place)) {
		hash = hash_bytes(hash, place.function, place.n_function);
		hash = hash_bytes(hash, " ", 1);
		hash = hash_bytes(hash, place.place, strcspn(place.place, ":"));
	} else {
		hash = hash_bytes(hash, name, strlen(name));
	}
	return 1 + (hash >> 13 ^ hash) % 4;
}

struct jr_style jr_flame_style(enum jr_role role, const char *name)
{
	struct jr_style style = jr_area(role);
	/* Frames have names instead of stripes, and gaps between them. */
	if (style.look && style.look < JR_LOOK_OUTLINED)
		style.look = JR_LOOK_AREA;
	if (style.look == JR_LOOK_AREA)
		style.tint = (6 + jr_flame_tint(name)) % JR_N_TINTS;
	return style;
}

/* Return the start of ":LINE" if s[0..n) ends with :LINE or :LINE:COLUMN, else NULL. */
static const char *line_suffix(const char *s, size_t n)
{
	const char *found = NULL;
	for (int part = 0; part < 2; part++) {
		size_t i = n;
		while (i && jr_is_digit(s[i - 1]))
			i--;
		if (i == n || i < 2 || s[i - 1] != ':')
			break;
		n = i - 1;
		found = s + n;
	}
	return found;
}

bool jr_flame_split(const char *name, struct jr_flame_place *out)
{
	size_t n = strlen(name);
	if (n < 6 || name[n - 1] != ']')
		return false;
	for (const char *open = strchr(name, '['); open; open = strchr(open + 1, '[')) {
		const char *line = line_suffix(name, (size_t)(open - name));
		if (!line)
			continue;
		const char *base = line;
		while (base > name && base[-1] != '/')
			base--;
		const char *end = line + 1; /* of the line number, without the column */
		while (jr_is_digit(*end))
			end++;
		*out = (struct jr_flame_place){
			open + 1, (size_t)(name + n - 1 - (open + 1)), base, (size_t)(end - base)};
		return out->n_function > 0;
	}
	return false;
}

void jr_flame_clean(const char *name, struct jr_buf *out)
{
	size_t n = strlen(name), begin = out->size;
	jr_text_clean(out, name, n < JR_FLAME_MAX_NAME ? n : JR_FLAME_MAX_NAME);
	if (n > JR_FLAME_MAX_NAME) {
		/* The rest of a character that was cut has become U+FFFD. */
		while (out->size >= begin + 3 && memcmp(out->data + out->size - 3, "\xEF\xBF\xBD", 3) == 0)
			out->size -= 3;
		jr_buf_puts(out, "…");
	}
}

void jr_flame_short(const char *name, struct jr_buf *out)
{
	struct jr_flame_place place;
	if (jr_flame_split(name, &place))
		jr_buf_add(out, place.function, place.n_function);
	else
		jr_buf_puts(out, name);
}

void jr_flame_long(const char *name, struct jr_buf *out)
{
	struct jr_flame_place place;
	jr_flame_short(name, out);
	if (jr_flame_split(name, &place)) {
		/* A no-break space first: SVG collapses two plain spaces into one. */
		jr_buf_puts(out, "\u00A0 ");
		jr_buf_add(out, place.place, place.n_place);
	}
}

#define MIN_PLACE 11 /* bytes: two spaces (3), five letters of the file and the mark (3) */

/* Fit the end of a name, from a "/" on: "…/layer_norm/div". */
static bool fit_tail(struct jr_metrics *metrics, const char *name, double room, struct jr_buf *out)
{
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		out->size = 0;
		jr_buf_printf(out, "…%s", slash);
		if (slash[1] && jr_metrics_width(metrics, out->data, out->size, TEXT_SIZE, false) <= room)
			return true;
	}
	out->size = 0;
	return false;
}

/* Return the primitive of an op_name: "convert_element_type[new_dtype=...]". */
static const char *last_part(const char *name)
{
	const char *last = name, *end = name + strcspn(name, "[");
	for (const char *p = name; p < end; p++)
		if (*p == '/' && p[1])
			last = p + 1;
	return last;
}

/* Return true for "__call__" and "<lambda>", which are too common to identify a frame. */
static bool says_nothing(const struct jr_flame_place *place)
{
	return *place->function == '<' ||
		   (place->n_function > 4 && strncmp(place->function, "__", 2) == 0);
}

void jr_flame_label(struct jr_metrics *metrics, const char *name, double room, struct jr_buf *out)
{
	struct jr_flame_place place;
	out->size = 0;
	if (jr_flame_split(name, &place)) {
		jr_flame_long(name, out);
		if (jr_metrics_width(metrics, out->data, out->size, TEXT_SIZE, false) <= room)
			return;
		struct jr_buf text = {0};
		jr_buf_add(&text, out->data, out->size);
		out->size = 0;
		jr_metrics_fit(metrics, text.data, TEXT_SIZE, false, room, out);
		if (out->size < place.n_function + MIN_PLACE) { /* too little of the file's name is left */
			text.size = 0;
			if (says_nothing(&place))
				jr_buf_add(&text, place.place, place.n_place);
			else
				jr_buf_add(&text, place.function, place.n_function);
			out->size = 0;
			jr_metrics_fit(metrics, text.data, TEXT_SIZE, false, room, out);
		}
		jr_buf_done(&text);
		return;
	}
	if (jr_metrics_width(metrics, name, strlen(name), TEXT_SIZE, false) > room) {
		if (fit_tail(metrics, name, room, out))
			return;
		name = last_part(name);
	}
	jr_metrics_fit(metrics, name, TEXT_SIZE, false, room, out);
}
