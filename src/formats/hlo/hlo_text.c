/* HLO instructions as XLA prints them: NAME = SHAPE OPCODE(OPERANDS), ATTRIBUTES. */
#include "formats/hlo/hlo_text.h"

#include <string.h>

#include "formats/hlo/hlo.h"
#include "formats/hlo/hlo_cursor.h"

#define MAX_DEPTH 16 /* tuples within tuples; deeper ones are skipped */

/* Facts from a printed shape. */
struct printed_shape {
	uint8_t type; /* of its first array */
	bool near;
	uint32_t n; /* arrays */
	uint64_t bytes, largest_bytes;
};

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;
	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* "[8,<=4]": count the elements; an unknown dimension counts as zero. */
static bool dimensions(struct jr_cursor *c, uint64_t *elements)
{
	*elements = 1;
	if (!jr_cursor_take(c, "["))
		return false;
	while (!jr_cursor_take(c, "]")) {
		uint64_t size = 0;
		jr_cursor_take(c, "<=");
		if (!jr_cursor_number(c, &size) && !jr_cursor_take(c, "?"))
			return false;
		*elements = times(*elements, size);
		jr_cursor_take(c, ",");
	}
	return true;
}

/* "{1,0:T(8,128)S(1)}": find out whether the memory space is 1. */
static bool layout(struct jr_cursor *c, bool *near)
{
	int depth = 0;
	for (; c->at < c->end; c->at++) {
		depth += *c->at == '{' || *c->at == '(';
		depth -= *c->at == '}' || *c->at == ')';
		*near |= c->end - c->at >= 4 && memcmp(c->at, "S(1)", 4) == 0;
		if (depth == 0) {
			c->at++;
			return true;
		}
	}
	return false;
}

static bool array(struct jr_cursor *c, struct printed_shape *s)
{
	struct jr_bytes name = jr_cursor_until(c, "[ ,()");
	uint8_t type = jr_hlo_element_type((const char *)name.data, name.size);
	uint64_t elements;
	if (!type || !dimensions(c, &elements))
		return false;
	uint64_t bits = times(elements, jr_hlo_element_bits(type));
	uint64_t bytes = bits == UINT64_MAX ? bits : bits / 8 + (bits % 8 != 0);
	s->bytes = plus(s->bytes, bytes);
	s->largest_bytes = bytes > s->largest_bytes ? bytes : s->largest_bytes;
	s->n++;
	s->type = s->type ? s->type : type;
	return c->at == c->end || *c->at != '{' || layout(c, &s->near);
}

static bool shape(struct jr_cursor *c, struct printed_shape *s, int depth)
{
	if (!jr_cursor_take(c, "("))
		return array(c, s);
	for (jr_cursor_blanks(c); depth < MAX_DEPTH && !jr_cursor_take(c, ")"); jr_cursor_blanks(c)) {
		if (!shape(c, s, depth + 1))
			return false;
		jr_cursor_blanks(c);
		jr_cursor_take(c, ",");
	}
	return depth < MAX_DEPTH;
}

/* "f32[8]{0} %p0, ...": read the printed shapes and the name of the first operand. */
static void operands(struct jr_cursor *c, struct jr_hlo_text *out)
{
	for (size_t i = 0; c->at < c->end && *c->at != ')'; i++) {
		struct printed_shape s = {0};
		struct jr_cursor before = *c;
		jr_cursor_blanks(c);
		if (shape(c, &s, 0)) {
			out->n_operands++;
			out->operand_bytes = plus(out->operand_bytes, s.bytes);
			if (s.bytes > out->largest_operand_bytes)
				out->largest_operand_bytes = s.bytes;
			if (i == 0) {
				out->element_type = s.type;
				out->first_operand_bytes = s.bytes;
			}
			out->any_near |= s.near;
		} else {
			*c = before;
		}
		jr_cursor_blanks(c);
		jr_cursor_take(c, "%");
		struct jr_bytes name = jr_cursor_until(c, ",)");
		if (i == 0)
			out->first_operand = name;
		if (!jr_cursor_take(c, ","))
			break;
	}
}

/* Return the text after a word; NULL if the word is absent. */
static const char *behind(const struct jr_cursor *c, const char *word)
{
	const char *at =
		c->at < c->end ? memmem(c->at, (size_t)(c->end - c->at), word, strlen(word)) : NULL;
	return at ? at + strlen(word) : NULL;
}

/* "{{0,1},{2,3}}" or "[4,2]<=[8]": return the size of the first group. */
static uint32_t group_size(const struct jr_cursor *attributes)
{
	struct jr_cursor c = {behind(attributes, "replica_groups="), attributes->end};
	uint64_t n = 0, value;
	if (!c.at)
		return 0;
	if (jr_cursor_take(&c, "[")) {
		if (!jr_cursor_number(&c, &n) || !jr_cursor_take(&c, ",") || !jr_cursor_number(&c, &n))
			n = 0;
	} else if (jr_cursor_take(&c, "{{")) {
		for (; jr_cursor_number(&c, &value); n++)
			jr_cursor_take(&c, ",");
	}
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

bool jr_hlo_text_parse(const char *text, size_t n, struct jr_hlo_text *out)
{
	struct jr_cursor c = {text, text + n};
	struct printed_shape result = {0};
	struct jr_hlo_text t = {0};
	*out = t;
	jr_cursor_take(&c, "ROOT ");
	jr_cursor_take(&c, "%");
	t.name = jr_cursor_until(&c, " ");
	bool has_result = jr_cursor_take(&c, " = ");
	const char *begin = c.at;
	if (!has_result || !shape(&c, &result, 0))
		return false;
	t.result = jr_bytes_of(begin, (size_t)(c.at - begin));
	if (!jr_cursor_take(&c, " "))
		return false;
	t.opcode = jr_cursor_until(&c, "( ,");
	if (!jr_cursor_take(&c, "("))
		return false;
	t.result_bytes = result.bytes;
	t.largest_result_bytes = result.largest_bytes;
	t.n_results = result.n;
	t.any_near = result.near;
	operands(&c, &t);
	if (!t.element_type)
		t.element_type = result.type;
	t.group_size = group_size(&c);
	struct jr_cursor calls = {behind(&c, "calls="), c.end};
	if (calls.at) {
		jr_cursor_take(&calls, "%");
		t.called = jr_cursor_until(&calls, ",} ");
	}
	*out = t;
	return true;
}
