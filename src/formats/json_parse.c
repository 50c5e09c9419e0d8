#include "formats/json_parse.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/vec.h"

struct parser {
	const char *text;
	size_t size, at;
	const struct jr_limits *limits;
	struct jr_json_doc *doc;
	struct jr_buf room, clean;     /* of one string */
	JR_VEC(struct jr_json *) open; /* arrays and objects, outermost first */
	struct jr_error *err;
};

static enum jr_status wrong(struct parser *p, const char *what)
{
	return jr_fail(p->err, JR_EFORMAT, "JSON: %s at offset %zu", what, p->at);
}

static void skip_blank(struct parser *p)
{
	while (p->at < p->size && p->text[p->at] && strchr(" \t\r\n", p->text[p->at]))
		p->at++;
}

static bool take(struct parser *p, char c)
{
	if (p->at >= p->size || p->text[p->at] != c)
		return false;
	p->at++;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* --- strings ---------------------------------------------------------------------------------- */

static void put_code(struct jr_buf *out, unsigned code)
{
	if (code < 0x80) {
		jr_buf_putc(out, (char)code);
	} else if (code < 0x800) {
		jr_buf_putc(out, (char)(0xC0 | code >> 6));
		jr_buf_putc(out, (char)(0x80 | (code & 0x3F)));
	} else if (code < 0x10000) {
		jr_buf_putc(out, (char)(0xE0 | code >> 12));
		jr_buf_putc(out, (char)(0x80 | (code >> 6 & 0x3F)));
		jr_buf_putc(out, (char)(0x80 | (code & 0x3F)));
	} else {
		jr_buf_putc(out, (char)(0xF0 | code >> 18));
		jr_buf_putc(out, (char)(0x80 | (code >> 12 & 0x3F)));
		jr_buf_putc(out, (char)(0x80 | (code >> 6 & 0x3F)));
		jr_buf_putc(out, (char)(0x80 | (code & 0x3F)));
	}
}

/* The four hexadecimal digits at p->at; moves behind them. */
static bool take_hex(struct parser *p, unsigned *out)
{
	static const char digits[] = "0123456789abcdef";
	if (p->size - p->at < 4)
		return false;
	*out = 0;
	for (int i = 0; i < 4; i++) {
		char c = p->text[p->at + (size_t)i];
		char lower = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
		const char *digit = lower ? strchr(digits, lower) : NULL;
		if (!digit)
			return false;
		*out = *out << 4 | (unsigned)(digit - digits);
	}
	p->at += 4;
	return true;
}

/* Behind "\u": one code point of the basic plane, or two halves of another; half of one alone stays
 * as it is and is replaced when the text is cleaned. */
static enum jr_status take_unicode(struct parser *p)
{
	unsigned code, low;
	if (!take_hex(p, &code))
		return wrong(p, "\\u without four hexadecimal digits");
	if (code >= 0xD800 && code < 0xDC00 && p->size - p->at >= 6 &&
		memcmp(p->text + p->at, "\\u", 2) == 0) {
		size_t before = p->at;
		p->at += 2;
		if (!take_hex(p, &low))
			return wrong(p, "\\u without four hexadecimal digits");
		if (low >= 0xDC00 && low < 0xE000)
			code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
		else
			p->at = before;
	}
	put_code(&p->room, code);
	return JR_OK;
}

static enum jr_status take_escape(struct parser *p)
{
	static const char letters[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
	char c = p->at < p->size ? p->text[p->at] : '\0';
	if (c == 'u') {
		p->at++;
		return take_unicode(p);
	}
	const char *letter = c ? strchr(letters, c) : NULL;
	if (!letter)
		return wrong(p, "unknown escape");
	p->at++;
	jr_buf_putc(&p->room, codes[letter - letters]);
	return JR_OK;
}

/* The string whose opening quote was taken: cleaned, and one for all that are equal. */
static enum jr_status take_string(struct parser *p, const char **out)
{
	size_t begin = p->at;
	p->room.size = 0;
	for (;;) {
		if (p->at >= p->size)
			return wrong(p, "end of file inside of a string");
		unsigned char c = (unsigned char)p->text[p->at];
		if (p->at - begin > p->limits->string_bytes)
			return jr_fail(p->err, JR_ELIMIT,
				"JSON: string of more than %" PRIu64 " bytes at offset %zu (--max-string-bytes)",
				p->limits->string_bytes, begin);
		if (c < 0x20)
			return wrong(p, "control byte in a string");
		p->at++;
		if (c == '"')
			break;
		if (c == '\\')
			JR_TRY(take_escape(p));
		else
			jr_buf_putc(&p->room, (char)c);
	}
	const struct jr_buf *text = &p->room;
	if (text->size && !jr_text_is_clean(text->data, text->size)) {
		p->clean.size = 0;
		jr_text_clean(&p->clean, text->data, text->size);
		text = &p->clean;
	}
	*out = jr_intern_str(
		&p->doc->texts, jr_intern_put(&p->doc->texts, text->size ? text->data : "", text->size));
	return JR_OK;
}

/* --- numbers and words ------------------------------------------------------------------------ */

static enum jr_status take_digits(struct parser *p)
{
	if (p->at >= p->size || !is_digit(p->text[p->at]))
		return wrong(p, "a digit is missing");
	while (p->at < p->size && is_digit(p->text[p->at]))
		p->at++;
	return JR_OK;
}

static enum jr_status take_number(struct parser *p, struct jr_json *v)
{
	size_t begin = p->at;
	take(p, '-');
	if (!take(p, '0'))
		JR_TRY(take_digits(p));
	if (take(p, '.'))
		JR_TRY(take_digits(p));
	if (take(p, 'e') || take(p, 'E')) {
		if (!take(p, '+'))
			take(p, '-');
		JR_TRY(take_digits(p));
	}
	v->kind = JR_JSON_NUMBER;
	v->text = jr_intern_str(
		&p->doc->texts, jr_intern_put(&p->doc->texts, p->text + begin, p->at - begin));
	return JR_OK;
}

static enum jr_status take_word(struct parser *p, struct jr_json *v)
{
	static const struct {
		const char *word;
		enum jr_json_kind kind;
	} words[] = {{"null", JR_JSON_NULL}, {"false", JR_JSON_FALSE}, {"true", JR_JSON_TRUE}};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i].word);
		if (p->size - p->at >= n && memcmp(p->text + p->at, words[i].word, n) == 0) {
			p->at += n;
			v->kind = words[i].kind;
			return JR_OK;
		}
	}
	return wrong(p, p->at < p->size ? "no value" : "end of file where a value should be");
}

/* --- the tree --------------------------------------------------------------------------------- */

static enum jr_status open_value(struct parser *p, struct jr_json *v, enum jr_json_kind kind)
{
	if (p->open.n >= p->limits->depth)
		return jr_fail(p->err, JR_ELIMIT,
			"JSON: nested more than %" PRIu64 " deep at offset %zu (--max-depth)", p->limits->depth,
			p->at);
	v->kind = kind;
	*jr_vec_add(&p->open) = v;
	return JR_OK;
}

static enum jr_status take_value(struct parser *p, struct jr_json *v)
{
	skip_blank(p);
	if (take(p, '{'))
		return open_value(p, v, JR_JSON_OBJECT);
	if (take(p, '['))
		return open_value(p, v, JR_JSON_ARRAY);
	if (take(p, '"')) {
		v->kind = JR_JSON_STRING;
		return take_string(p, &v->text);
	}
	if (p->at < p->size && (p->text[p->at] == '-' || is_digit(p->text[p->at])))
		return take_number(p, v);
	return take_word(p, v);
}

/* `first` of an open value points to its last member and `next` of that to its first one, until it
 * is closed: appending takes no search. */
static void append(struct jr_json *parent, struct jr_json *member)
{
	struct jr_json *last = parent->first;
	member->next = last ? last->next : member;
	if (last)
		last->next = member;
	parent->first = member;
	parent->n++;
}

static void close_value(struct parser *p)
{
	struct jr_json *v = p->open.items[--p->open.n];
	struct jr_json *last = v->first;
	if (!last)
		return;
	v->first = last->next;
	last->next = NULL;
}

/* One member of the innermost open value, or its end. */
static enum jr_status take_member(struct parser *p)
{
	struct jr_json *parent = p->open.items[p->open.n - 1];
	bool object = parent->kind == JR_JSON_OBJECT;
	skip_blank(p);
	if (take(p, object ? '}' : ']')) {
		close_value(p);
		return JR_OK;
	}
	if (parent->n && !take(p, ','))
		return wrong(p, "a comma or the end of the list is missing");
	struct jr_json *v = jr_arena_array(&p->doc->arena, 1, sizeof(*v), p->err);
	if (!v)
		return p->err ? p->err->status : JR_ELIMIT;
	if (object) {
		skip_blank(p);
		if (!take(p, '"'))
			return wrong(p, "a key is missing");
		JR_TRY(take_string(p, &v->key));
		skip_blank(p);
		if (!take(p, ':'))
			return wrong(p, "a colon is missing");
	}
	append(parent, v);
	return take_value(p, v);
}

static enum jr_status take_all(struct parser *p, struct jr_json *root)
{
	JR_TRY(take_value(p, root));
	while (p->open.n)
		JR_TRY(take_member(p));
	skip_blank(p);
	return p->at == p->size ? JR_OK : wrong(p, "something behind the value");
}

enum jr_status jr_json_parse(struct jr_bytes text, const struct jr_limits *limits,
	struct jr_json_doc *doc, struct jr_error *err)
{
	struct jr_error own = {0};
	struct parser p = {.text = (const char *)text.data,
		.size = text.size,
		.limits = limits,
		.doc = doc,
		.err = err ? err : &own};
	*doc = (struct jr_json_doc){0};
	jr_arena_init(&doc->arena, limits->memory_bytes);
	jr_intern_init(&doc->texts);
	struct jr_json *root = JR_ARENA_NEW(&doc->arena, struct jr_json);
	enum jr_status status = take_all(&p, root);
	if (status == JR_OK)
		doc->root = root;
	jr_vec_done(&p.open);
	jr_buf_done(&p.room);
	jr_buf_done(&p.clean);
	return status;
}

void jr_json_done(struct jr_json_doc *doc)
{
	jr_arena_done(&doc->arena);
	jr_intern_done(&doc->texts);
	doc->root = NULL;
}

/* --- looking up ------------------------------------------------------------------------------- */

static const struct jr_json *member(const struct jr_json *object, const char *key, size_t n)
{
	if (!object || object->kind != JR_JSON_OBJECT)
		return NULL;
	for (const struct jr_json *v = object->first; v; v = v->next)
		if (strncmp(v->key, key, n) == 0 && !v->key[n])
			return v;
	return NULL;
}

const struct jr_json *jr_json_member(const struct jr_json *object, const char *key)
{
	return member(object, key, strlen(key));
}

const struct jr_json *jr_json_at(const struct jr_json *object, const char *path)
{
	while (object) {
		size_t n = strcspn(path, ".");
		object = member(object, path, n);
		if (!path[n])
			break;
		path += n + 1;
	}
	return object;
}

const char *jr_json_string(const struct jr_json *v)
{
	return v && v->kind == JR_JSON_STRING ? v->text : NULL;
}

double jr_json_double(const struct jr_json *v)
{
	double out;
	if (!v || v->kind != JR_JSON_NUMBER || !jr_parse_double(v->text, strlen(v->text), &out))
		return NAN;
	return isfinite(out) ? out : NAN;
}

/* Digits of "-12.345" shifted left by `decimals`; false where some are left over, or too many. */
static bool exact_integer(const char *s, unsigned decimals, int64_t *out)
{
	bool negative = *s == '-';
	int64_t value = 0;
	unsigned behind = 0;
	bool point = false;
	for (s += negative; *s; s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (!is_digit(*s) || (point && behind == decimals))
			return false;
		behind += point;
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, *s - '0', &value))
			return false;
	}
	for (; behind < decimals; behind++)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	*out = negative ? -value : value;
	return true;
}

bool jr_json_integer(const struct jr_json *v, unsigned decimals, int64_t *out)
{
	if (!v || v->kind != JR_JSON_NUMBER)
		return false;
	if (exact_integer(v->text, decimals, out))
		return true;
	double scaled = round(jr_json_double(v) * pow(10, decimals));
	if (!(fabs(scaled) < 9.2e18))
		return false;
	*out = (int64_t)scaled;
	return true;
}
