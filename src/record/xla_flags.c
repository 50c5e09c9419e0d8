#include "record/xla_flags.h"

#include <string.h>

#include "base/buf.h"
#include "base/file.h"

static const char BLANKS[] = " \t\n\r\v\f";
enum { MOST_BYTES = 1 << 20 };

/* The word that begins at s after blanks: its name and length, its value, its end. */
struct word {
	const char *name, *value, *end;
	size_t name_n, value_n;
};

static bool next_word(const char *s, struct word *w)
{
	s += strspn(s, BLANKS);
	if (!*s)
		return false;
	*w = (struct word){.name = s};
	w->name_n = strcspn(s, "= \t\n\r\v\f");
	s += w->name_n;
	if (*s == '=') {
		w->value = ++s;
		char quote = *s == '"' || *s == '\'' ? *s : 0;
		if (quote) {
			w->value = ++s;
			while (*s && *s != quote)
				s += *s == '\\' && s[1] ? 2 : 1;
			w->value_n = (size_t)(s - w->value);
			s += *s == quote;
		} else {
			s += strcspn(s, BLANKS);
			w->value_n = (size_t)(s - w->value);
		}
	}
	w->end = s;
	return true;
}

static bool is_flag(const struct word *w, const char *name)
{
	return w->name_n == strlen(name) && memcmp(w->name, name, w->name_n) == 0;
}

static bool is_false(const struct word *w)
{
	return w->value && ((w->value_n == 5 && memcmp(w->value, "false", 5) == 0) ||
						   (w->value_n == 1 && *w->value == '0'));
}

/* Write a value so that XLA reads it back. */
static void put_value(struct jr_buf *out, const char *value)
{
	if (!strpbrk(value, " \t\n\r\v\f'\"\\")) {
		jr_buf_puts(out, value);
		return;
	}
	jr_buf_putc(out, '"');
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			jr_buf_putc(out, '\\');
		jr_buf_putc(out, *value);
	}
	jr_buf_putc(out, '"');
}

static enum jr_status read_flags(
	const char *path, struct jr_arena *arena, const char **text, struct jr_error *err)
{
	JR_CLEANUP(jr_file_unmap) struct jr_file_map map = {0};
	JR_TRY(jr_file_map(path, &map, err));
	enum jr_status status = JR_OK;
	if (map.bytes.size > MOST_BYTES)
		status =
			jr_fail(err, JR_ELIMIT, "XLA_FLAGS refers to '%s', which is larger than 1 MiB", path);
	else
		*text = jr_arena_strndup(arena, (const char *)map.bytes.data, map.bytes.size);
	return status;
}

enum jr_status jr_xla_flags_extend(const char *now, const char *dump, struct jr_arena *arena,
	struct jr_xla_flags *out, struct jr_error *err)
{
	*out = (struct jr_xla_flags){0};
	const char *text = now ? now + strspn(now, BLANKS) : "";
	if (*text && *text != '-') {
		size_t n = strlen(text);
		while (strchr(BLANKS, text[n - 1]))
			n--;
		JR_TRY(read_flags(jr_arena_strndup(arena, text, n), arena, &text, err));
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf value = {0};
	struct word w;
	bool named = false;
	for (const char *s = text; next_word(s, &w); s = w.end) {
		if (is_flag(&w, "--xla_dump_to") && w.value)
			out->dump_then = jr_arena_strndup(arena, w.value, w.value_n);
		if (is_flag(&w, "--xla_dump_hlo_as_proto")) {
			named = true;
			out->without_hlo = is_false(&w);
		}
	}
	jr_buf_puts(&value, text);
	if (!named)
		jr_buf_printf(&value, "%s--xla_dump_hlo_as_proto=true", value.size ? " " : "");
	jr_buf_puts(&value, value.size ? " --xla_dump_to=" : "--xla_dump_to=");
	put_value(&value, dump);
	out->value = jr_arena_strndup(arena, value.data, value.size);
	return JR_OK;
}
