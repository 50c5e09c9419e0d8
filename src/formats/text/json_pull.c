#include "formats/text/json_pull.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

struct jr_json_pull jr_json_pull_of(
	struct jr_bytes text, jr_json_more_fn more, void *context, const struct jr_limits *limits)
{
	return (struct jr_json_pull){.limits = limits,
		.more = more,
		.context = context,
		.bytes = text.size ? (const char *)text.data : "",
		.size = text.size};
}

void jr_json_pull_done(struct jr_json_pull *p)
{
	jr_vec_done(&p->open);
	jr_buf_done(&p->text);
}

/* --- bytes ------------------------------------------------------------------------------------ */

static uint64_t offset(const struct jr_json_pull *p)
{
	return p->behind + p->at;
}

/* A read error takes precedence over an error in the text that was read. */
static enum jr_status wrong_at(struct jr_json_pull *p, const char *what, uint64_t at)
{
	if (p->failed != JR_OK)
		return p->failed;
	return jr_fail(p->err, JR_EFORMAT, "JSON: %s at offset %" PRIu64, what, at);
}

static enum jr_status wrong(struct jr_json_pull *p, const char *what)
{
	return wrong_at(p, what, offset(p));
}

static bool refill(struct jr_json_pull *p)
{
	struct jr_bytes next = {0};
	if (p->failed != JR_OK)
		return false;
	if (p->more)
		p->failed = p->more(p->context, &next, p->err);
	p->ended = p->failed == JR_OK && next.size == 0;
	if (p->failed != JR_OK || p->ended)
		return false;
	p->behind += p->size;
	p->bytes = (const char *)next.data;
	p->size = next.size;
	p->at = 0;
	return true;
}

static inline bool peek(struct jr_json_pull *p, char *c)
{
	if (p->at >= p->size && !refill(p))
		return false;
	*c = p->bytes[p->at];
	return true;
}

static inline bool take(struct jr_json_pull *p, char wanted)
{
	char c;
	if (!peek(p, &c) || c != wanted)
		return false;
	p->at++;
	return true;
}

static void skip_blank(struct jr_json_pull *p)
{
	char c;
	while (peek(p, &c) && (c == ' ' || c == '\t' || c == '\r' || c == '\n'))
		p->at++;
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

/* Take four hexadecimal digits. */
static enum jr_status take_hex(struct jr_json_pull *p, unsigned *out)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t begin = offset(p);
	*out = 0;
	for (int i = 0; i < 4; i++) {
		char c = 0;
		(void)peek(p, &c);
		char lower = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
		const char *digit = lower ? strchr(digits, lower) : NULL;
		if (!digit)
			return wrong_at(p, "\\u without four hexadecimal digits", begin);
		*out = *out << 4 | (unsigned)(digit - digits);
		p->at++;
	}
	return JR_OK;
}

static enum jr_status take_letter(struct jr_json_pull *p)
{
	static const char letters[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
	char c = 0;
	(void)peek(p, &c);
	const char *letter = c ? strchr(letters, c) : NULL;
	if (!letter)
		return wrong(p, "unknown escape");
	p->at++;
	jr_buf_putc(&p->text, codes[letter - letters]);
	return JR_OK;
}

/* Take the rest of an escape after its backslash: a letter, a code point of the basic plane, or a
 * surrogate pair. Half a pair stays as it is. */
static enum jr_status take_escape(struct jr_json_pull *p)
{
	unsigned high = 0, code;
	for (;;) {
		if (!take(p, 'u')) {
			if (high)
				put_code(&p->text, high);
			return take_letter(p);
		}
		JR_TRY(take_hex(p, &code));
		bool low = code >= 0xDC00 && code < 0xE000;
		if (high && low)
			code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00);
		else if (high)
			put_code(&p->text, high);
		high = code >= 0xD800 && code < 0xDC00 ? code : 0;
		if (!high)
			put_code(&p->text, code);
		else if (take(p, '\\'))
			continue;
		else
			put_code(&p->text, high);
		return JR_OK;
	}
}

/* Take the bytes up to the next special byte. */
static void take_plain(struct jr_json_pull *p)
{
	size_t begin = p->at;
	while (p->at < p->size && p->bytes[p->at] != '"' && p->bytes[p->at] != '\\' &&
		   (unsigned char)p->bytes[p->at] >= 0x20)
		p->at++;
	jr_buf_add(&p->text, p->bytes + begin, p->at - begin);
}

/* Take a string after its opening quote. */
static enum jr_status take_string(struct jr_json_pull *p)
{
	uint64_t begin = offset(p);
	p->text.size = 0;
	for (;;) {
		char c;
		if (!peek(p, &c))
			return wrong(p, "end of file inside a string");
		if (offset(p) - begin > p->limits->string_bytes)
			return jr_fail(p->err, JR_ELIMIT,
				"JSON: string of more than %" PRIu64 " bytes at offset %" PRIu64
				" (--max-string-bytes)",
				p->limits->string_bytes, begin);
		if ((unsigned char)c < 0x20)
			return wrong(p, "control byte in a string");
		if (c != '"' && c != '\\') {
			take_plain(p);
			continue;
		}
		p->at++;
		if (c == '"')
			return JR_OK;
		JR_TRY(take_escape(p));
	}
}

/* --- numbers and words ------------------------------------------------------------------------ */

static bool keep(struct jr_json_pull *p, char wanted)
{
	if (!take(p, wanted))
		return false;
	jr_buf_putc(&p->text, wanted);
	return true;
}

static enum jr_status take_digits(struct jr_json_pull *p)
{
	char c;
	if (!peek(p, &c) || !jr_is_digit(c))
		return wrong(p, "a digit is missing");
	uint64_t begin = offset(p);
	for (; peek(p, &c) && jr_is_digit(c); p->at++) {
		if (offset(p) - begin > p->limits->string_bytes)
			return jr_fail(p->err, JR_ELIMIT,
				"JSON: number of more than %" PRIu64 " digits at offset %" PRIu64
				" (--max-string-bytes)",
				p->limits->string_bytes, begin);
		jr_buf_putc(&p->text, c);
	}
	return JR_OK;
}

static enum jr_status take_number(struct jr_json_pull *p, enum jr_json_token *token)
{
	p->text.size = 0;
	keep(p, '-');
	if (!keep(p, '0'))
		JR_TRY(take_digits(p));
	if (keep(p, '.'))
		JR_TRY(take_digits(p));
	if (keep(p, 'e') || keep(p, 'E')) {
		if (!keep(p, '+'))
			keep(p, '-');
		JR_TRY(take_digits(p));
	}
	*token = JR_JSON_TOKEN_NUMBER;
	return JR_OK;
}

static enum jr_status take_word(struct jr_json_pull *p, enum jr_json_token *token)
{
	static const struct {
		const char *word;
		enum jr_json_token token;
	} words[] = {
		{"null", JR_JSON_TOKEN_NULL}, {"false", JR_JSON_TOKEN_FALSE}, {"true", JR_JSON_TOKEN_TRUE}};
	uint64_t begin = offset(p);
	char c;
	if (!peek(p, &c))
		return wrong(p, "end of file where a value should be");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *rest = words[i].word;
		if (*rest != c)
			continue;
		while (*rest && take(p, *rest))
			rest++;
		*token = words[i].token;
		return *rest ? wrong_at(p, "no value", begin) : JR_OK;
	}
	return wrong(p, "no value");
}

/* --- structure -------------------------------------------------------------------------------- */

static enum jr_status open_list(
	struct jr_json_pull *p, char end, enum jr_json_token is, enum jr_json_token *token)
{
	if (p->open.n >= p->limits->depth)
		return jr_fail(p->err, JR_ELIMIT,
			"JSON: nested more than %" PRIu64 " deep at offset %" PRIu64 " (--max-depth)",
			p->limits->depth, offset(p));
	*jr_vec_add(&p->open) = end;
	p->first = true;
	*token = is;
	return JR_OK;
}

static enum jr_status take_value(struct jr_json_pull *p, enum jr_json_token *token)
{
	char c;
	p->keyed = false;
	skip_blank(p);
	if (take(p, '{'))
		return open_list(p, '}', JR_JSON_TOKEN_OBJECT, token);
	if (take(p, '['))
		return open_list(p, ']', JR_JSON_TOKEN_ARRAY, token);
	if (take(p, '"')) {
		*token = JR_JSON_TOKEN_STRING;
		return take_string(p);
	}
	if (peek(p, &c) && (c == '-' || jr_is_digit(c)))
		return take_number(p, token);
	return take_word(p, token);
}

static enum jr_status take_key(struct jr_json_pull *p, enum jr_json_token *token)
{
	skip_blank(p);
	if (!take(p, '"'))
		return wrong(p, "a key is missing");
	JR_TRY(take_string(p));
	skip_blank(p);
	if (!take(p, ':'))
		return wrong(p, "a colon is missing");
	p->keyed = true;
	*token = JR_JSON_TOKEN_KEY;
	return JR_OK;
}

static enum jr_status take_next(struct jr_json_pull *p, enum jr_json_token *token)
{
	char c;
	if (!p->begun && take(p, '\xEF') && !(take(p, '\xBB') && take(p, '\xBF')))
		return wrong_at(p, "no value", 0); /* no byte order mark */
	if (!p->begun || p->keyed) {
		p->begun = true;
		return take_value(p, token);
	}
	skip_blank(p);
	if (p->open.n == 0) {
		*token = JR_JSON_TOKEN_END;
		return peek(p, &c) || p->failed != JR_OK ? wrong(p, "extra data after the value") : JR_OK;
	}
	char end = p->open.items[p->open.n - 1];
	if (take(p, end)) {
		p->open.n--;
		p->first = false;
		*token = end == '}' ? JR_JSON_TOKEN_OBJECT_END : JR_JSON_TOKEN_ARRAY_END;
		return JR_OK;
	}
	if (!p->first && !take(p, ','))
		return wrong(p, "a comma or the end of the list is missing");
	p->first = false;
	return end == '}' ? take_key(p, token) : take_value(p, token);
}

enum jr_status jr_json_pull_next(
	struct jr_json_pull *p, enum jr_json_token *token, struct jr_error *err)
{
	p->err = err;
	return take_next(p, token);
}

enum jr_status jr_json_pull_skip(
	struct jr_json_pull *p, enum jr_json_token token, struct jr_error *err)
{
	if (token != JR_JSON_TOKEN_OBJECT && token != JR_JSON_TOKEN_ARRAY)
		return JR_OK;
	for (size_t above = p->open.n; p->open.n >= above;)
		JR_TRY(jr_json_pull_next(p, &token, err));
	return JR_OK;
}
