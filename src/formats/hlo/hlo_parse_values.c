/* Values in HLO text: numbers, names and their ids, lists, quoted texts, shapes. */
#include "formats/hlo/hlo_parse_parts.h"

#define MAX_TUPLES 100 /* tuples within tuples */

enum { /* proto/hlo.proto */
	SHAPE_TYPE = 2,
	SHAPE_DIMENSIONS = 3,
	SHAPE_TUPLE = 4,
	SHAPE_LAYOUT = 5,
	LAYOUT_MINOR_TO_MAJOR = 1,
	LAYOUT_MEMORY_SPACE = 8,
	TYPE_BUFFER = 34,
};

bool jr_parse_number(struct jr_cursor *c, int64_t *out)
{
	bool negative = jr_cursor_char(c, '-');
	uint64_t value;
	if (!jr_cursor_number(c, &value))
		return false;
	int64_t number = value > INT64_MAX ? INT64_MAX : (int64_t)value;
	*out = negative ? -number : number;
	return true;
}

/* Bytes that end a name, and those at which a value may end or nest. */
enum { NAME = 1, VALUE = 2 };
static const uint8_t ends[256] = {
	['\t'] = NAME,
	['\r'] = NAME,
	['='] = NAME,
	[' '] = NAME | VALUE,
	['\n'] = NAME | VALUE,
	[','] = NAME | VALUE,
	['"'] = NAME | VALUE,
	['('] = NAME | VALUE,
	[')'] = NAME | VALUE,
	['{'] = NAME | VALUE,
	['}'] = NAME | VALUE,
	['['] = VALUE,
	[']'] = VALUE,
	['<'] = VALUE,
	['>'] = VALUE,
};

static void skip_to_end(struct jr_cursor *c, uint8_t of)
{
	while (c->at < c->end && !(ends[(uint8_t)*c->at] & of))
		c->at++;
}

struct jr_bytes jr_parse_name(struct jr_cursor *c)
{
	(void)jr_cursor_char(c, '%');
	const char *from = c->at;
	skip_to_end(c, NAME);
	return jr_bytes_of(from, (size_t)(c->at - from));
}

/* Step behind the closing quote. */
static bool skip_quoted(struct jr_cursor *c)
{
	const char *from = ++c->at, *quote, *before;
	while ((quote = memchr(c->at, '"', (size_t)(c->end - c->at)))) {
		for (before = quote; before > from && before[-1] == '\\';)
			before--;
		c->at = quote + 1;
		if ((quote - before) % 2 == 0)
			return true;
	}
	c->at = c->end;
	return false;
}

bool jr_parse_value(struct jr_cursor *c, bool stop_at_blank, struct jr_bytes *value)
{
	const char *from = c->at;
	size_t depth = 0, angles = 0;
	for (skip_to_end(c, VALUE); c->at < c->end; skip_to_end(c, VALUE)) {
		switch (*c->at) {
		case '"':
			if (!skip_quoted(c))
				return false;
			continue;
		case '(':
		case '[':
		case '{': depth++; break;
		case ')':
		case ']':
		case '}':
			if (depth == 0)
				goto end;
			depth--;
			break;
		case '<': angles += depth == 0 && !(c->at + 1 < c->end && c->at[1] == '='); break;
		case '>': angles -= depth == 0 && angles > 0; break;
		case ' ':
			if (depth == 0 && stop_at_blank)
				goto end;
			break;
		case ',':
			if (depth == 0 && angles == 0)
				goto end;
			break;
		case '\n':
			if (depth == 0)
				goto end;
			break;
		default: break;
		}
		c->at++;
	}
end:;
	const char *to = c->at;
	while (to > from && (to[-1] == ' ' || to[-1] == '\r'))
		to--;
	*value = jr_bytes_of(from, (size_t)(to - from));
	return depth == 0;
}

bool jr_parse_pair(
	struct jr_cursor *c, bool stop_at_blank, struct jr_bytes *key, struct jr_bytes *value)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == ','))
		c->at++;
	*key = jr_parse_name(c);
	return key->size && jr_cursor_char(c, '=') && jr_parse_value(c, stop_at_blank, value);
}

struct jr_cursor jr_parse_inside(struct jr_bytes value)
{
	struct jr_cursor c = jr_cursor_of(value);
	if (value.size >= 2 && c.at[0] == '{' && c.end[-1] == '}') {
		c.at++;
		c.end--;
	}
	return c;
}

static char unescape(struct jr_cursor *c)
{
	static const char from[] = "nrt", to[] = "\n\r\t";
	char ch = *c->at++;
	const char *known = ch ? strchr(from, ch) : NULL;
	if (known)
		return to[known - from];
	if (ch < '0' || ch > '7')
		return ch;
	unsigned code = (unsigned)(ch - '0');
	for (int i = 0; i < 2 && c->at < c->end && *c->at >= '0' && *c->at <= '7'; i++)
		code = code * 8 + (unsigned)(*c->at++ - '0');
	return (char)code;
}

void jr_put_quoted(struct jr_buf *out, uint32_t field, struct jr_bytes value)
{
	struct jr_cursor c = jr_cursor_of(value);
	if (value.size < 2 || !jr_cursor_char(&c, '"')) {
		jr_put_text(out, field, value);
		return;
	}
	c.end--;
	if (!memchr(c.at, '\\', (size_t)(c.end - c.at))) {
		jr_put_text(out, field, jr_bytes_of(c.at, (size_t)(c.end - c.at)));
		return;
	}
	size_t begin = jr_put_open(out, field);
	while (c.at < c.end) {
		const char *escape = memchr(c.at, '\\', (size_t)(c.end - c.at));
		const char *to = escape ? escape : c.end;
		jr_buf_add(out, c.at, (size_t)(to - c.at));
		c.at = to;
		if (!escape)
			break;
		c.at++;
		if (c.at < c.end)
			jr_buf_putc(out, unescape(&c));
	}
	jr_put_close(out, begin);
}

void jr_put_list(struct jr_buf *out, uint32_t field, struct jr_bytes value)
{
	struct jr_cursor c = jr_parse_inside(value);
	size_t begin = jr_put_open(out, field);
	int64_t number;
	for (;;) {
		jr_cursor_blanks(&c);
		if (!jr_parse_number(&c, &number))
			break;
		jr_put_varint(out, (uint64_t)number);
		jr_cursor_blanks(&c);
		(void)jr_cursor_char(&c, ',');
	}
	jr_put_close(out, begin);
}

/* --- ids ------------------------------------------------------------------------------------- */

static uint32_t id_of(struct jr_hlo_names *names, struct jr_bytes name)
{
	uint32_t row = jr_intern_put(&names->texts, (const char *)name.data, name.size);
	while (names->ids.n < row)
		*jr_vec_add(&names->ids) = 0; /* of "" */
	if (names->ids.n == row)
		*jr_vec_add(&names->ids) = ++names->n_ids;
	return names->ids.items[row];
}

uint32_t jr_parse_instruction_id(struct jr_hlo_parser *p, struct jr_bytes name)
{
	return id_of(&p->instructions, name);
}

uint32_t jr_parse_computation_id(struct jr_hlo_parser *p, struct jr_bytes name)
{
	return id_of(&p->called, name);
}

/* --- shapes ---------------------------------------------------------------------------------- */

/* "[8,<=4,?]" */
static bool put_dimensions(struct jr_buf *out, struct jr_cursor *c)
{
	if (!jr_cursor_char(c, '['))
		return false;
	size_t begin = jr_put_open(out, SHAPE_DIMENSIONS);
	while (!jr_cursor_char(c, ']')) {
		int64_t size = INT64_MIN; /* as XLA stores an unknown one */
		jr_cursor_take(c, "<=");
		if (!jr_cursor_char(c, '?') && !jr_parse_number(c, &size))
			return false;
		jr_put_varint(out, (uint64_t)size);
		if (!jr_cursor_char(c, ',') && !jr_cursor_is(c, ']'))
			return false;
	}
	jr_put_close(out, begin);
	return true;
}

/* "{1,0:T(8,128)S(1)}" */
static bool put_layout(struct jr_buf *out, struct jr_cursor *c)
{
	struct jr_bytes text;
	if (!jr_cursor_is(c, '{'))
		return true;
	struct jr_cursor value = {c->at, c->end};
	unsigned depth = 0;
	do {
		if (c->at == c->end || *c->at == '\n')
			return false;
		depth += *c->at == '{' || *c->at == '(';
		depth -= *c->at == '}' || *c->at == ')';
	} while (c->at++, depth);
	value.end = c->at;
	text = jr_bytes_of(value.at, (size_t)(value.end - value.at));
	size_t begin = jr_put_open(out, SHAPE_LAYOUT);
	jr_put_list(out, LAYOUT_MINOR_TO_MAJOR, text);
	while (value.at < value.end && !jr_cursor_take(&value, "S("))
		value.at++;
	int64_t space;
	if (jr_parse_number(&value, &space))
		jr_put_number(out, LAYOUT_MEMORY_SPACE, space);
	jr_put_close(out, begin);
	return true;
}

static bool put_shape(struct jr_buf *out, struct jr_cursor *c, uint32_t field, int depth);

static bool put_tuple(struct jr_buf *out, struct jr_cursor *c, int depth)
{
	for (jr_cursor_blanks(c); !jr_cursor_char(c, ')'); jr_cursor_blanks(c)) {
		if (!put_shape(out, c, SHAPE_TUPLE, depth + 1))
			return false;
		jr_cursor_blanks(c);
		if (!jr_cursor_char(c, ',') && !jr_cursor_is(c, ')'))
			return false;
	}
	return true;
}

static bool put_shape(struct jr_buf *out, struct jr_cursor *c, uint32_t field, int depth)
{
	if (depth > MAX_TUPLES)
		return false;
	size_t begin = jr_put_open(out, field);
	if (jr_cursor_char(c, '(')) {
		jr_put_number(out, SHAPE_TYPE, JR_HLO_TUPLE);
		if (!put_tuple(out, c, depth))
			return false;
	} else {
		const char *from = c->at;
		while (c->at < c->end &&
			   ((*c->at >= 'a' && *c->at <= 'z') || (*c->at >= '0' && *c->at <= '9')))
			c->at++;
		if (c->at == from)
			return false;
		uint8_t type = jr_hlo_element_type(from, (size_t)(c->at - from));
		if (type)
			jr_put_number(out, SHAPE_TYPE, type);
		if (type == TYPE_BUFFER && jr_cursor_char(c, '(')) {
			if (!put_tuple(out, c, depth))
				return false;
		} else if (!put_dimensions(out, c) || !put_layout(out, c)) {
			return false;
		}
	}
	jr_put_close(out, begin);
	return true;
}

bool jr_parse_shape(struct jr_buf *out, struct jr_cursor *c, uint32_t field)
{
	return put_shape(out, c, field, 0);
}
