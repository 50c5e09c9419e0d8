/* One instruction in HLO text: [ROOT ]NAME = SHAPE OPCODE(OPERANDS)[, KEY=VALUE]... */
#include "formats/hlo/hlo_parse_parts.h"

enum { /* proto/hlo.proto */
	COMPUTATION_INSTRUCTIONS = 2,
	INSTRUCTION_NAME = 1,
	INSTRUCTION_OPCODE = 2,
	INSTRUCTION_SHAPE = 3,
	INSTRUCTION_PARAMETER_NUMBER = 9,
	INSTRUCTION_ID = 35,
	INSTRUCTION_OPERAND_IDS = 36,
};

/* Step over "{1, (2, 3)})", the value of a constant. */
static bool skip_constant(struct jr_cursor *c)
{
	struct jr_bytes value;
	do
		if (!jr_parse_value(c, false, &value))
			return false;
	while (jr_cursor_char(c, ',') || jr_cursor_char(c, '\n'));
	return jr_cursor_char(c, ')');
}

/* "f32[8]{0} %p0, /\*index=5*\/(s32[], f32[2]{0}) %p1)": the name is the last word of each. */
static bool put_operands(struct jr_hlo_parser *p, struct jr_cursor *c)
{
	size_t begin = jr_put_open(&p->out, INSTRUCTION_OPERAND_IDS);
	jr_cursor_blanks(c);
	while (!jr_cursor_char(c, ')')) {
		struct jr_bytes name;
		do {
			jr_cursor_blanks(c);
			if (!jr_parse_value(c, true, &name) || name.size == 0)
				return false;
			while (jr_cursor_char(c, ' '))
				;
		} while (c->at < c->end && !jr_cursor_is(c, ',') && !jr_cursor_is(c, ')'));
		if (name.size && *name.data == '%')
			name = jr_bytes_of(name.data + 1, name.size - 1);
		if (name.size == 0 || (!jr_cursor_char(c, ',') && !jr_cursor_is(c, ')')))
			return false;
		if (jr_parse_is_full(p))
			return false;
		uint32_t id = jr_parse_instruction_id(p, name);
		p->first_operand = p->first_operand ? p->first_operand : id;
		jr_put_varint(&p->out, id);
		jr_cursor_blanks(c);
	}
	jr_put_close(&p->out, begin);
	return true;
}

static bool put_contents(struct jr_hlo_parser *p, struct jr_cursor *c, struct jr_bytes opcode)
{
	int64_t number;
	if (jr_parse_is(opcode, "constant"))
		return skip_constant(c);
	if (!jr_parse_is(opcode, "parameter"))
		return put_operands(p, c);
	if (!jr_parse_number(c, &number) || !jr_cursor_char(c, ')'))
		return false;
	jr_put_number(&p->out, INSTRUCTION_PARAMETER_NUMBER, number);
	return true;
}

static bool put_instruction(
	struct jr_hlo_parser *p, struct jr_cursor *c, struct jr_bytes name, uint32_t frame)
{
	struct jr_cursor shape = *c;
	p->first_operand = 0;
	jr_put_text(&p->out, INSTRUCTION_NAME, name);
	if (!jr_parse_shape(&p->out, c, INSTRUCTION_SHAPE) || !jr_cursor_char(c, ' '))
		return false;
	jr_cursor_blanks(c);
	struct jr_bytes opcode = jr_parse_name(c), inner;
	jr_cursor_blanks(c);
	if (opcode.size == 0 || !jr_cursor_char(c, '('))
		return false;
	if (!put_contents(p, c, opcode))
		return false;
	jr_parse_async_opcode(p, name, shape, &opcode, &inner);
	jr_put_text(&p->out, INSTRUCTION_OPCODE, opcode);
	size_t attributes = p->out.size, metadata;
	if (!jr_parse_attributes(p, c, inner.size ? inner : opcode, frame, &metadata))
		return false;
	(void)jr_cursor_char(c, '\r');
	if (c->at < c->end && *c->at != '\n')
		return false;
	return !inner.size || jr_parse_wrap(p, name, inner, shape, attributes, metadata);
}

/* Add a piece for the message in p->out from `begin` on. A fragment and the line of a computation
 * that names the same instruction are one piece, listed, with the text of the fragment: only that
 * has metadata. */
static void add_piece(struct jr_hlo_parser *p, struct jr_bytes name, size_t begin, bool root)
{
	uint32_t id = jr_parse_instruction_id(p, name);
	while (p->piece_of.n <= id)
		*jr_vec_add(&p->piece_of) = JR_NONE;
	struct jr_hlo_piece *known =
		p->piece_of.items[id] == JR_NONE ? NULL : &p->pieces.items[p->piece_of.items[id]];
	struct jr_hlo_piece piece = {begin, 0, id, p->in_computation, root};
	if (known && p->fragments && known->listed == p->in_computation) {
		p->out.size = begin;
		return;
	}
	if (known && p->fragments && p->in_computation) {
		p->out.size = begin;
		piece.at = known->at;
		piece.size = known->size;
		known->size = 0;
	} else {
		if (known && !p->fragments)
			piece.id = ++p->instructions.n_ids; /* of equal names the first counts */
		jr_put_number(&p->out, INSTRUCTION_ID, piece.id);
		piece.size = p->out.size - begin;
		if (known && p->fragments) {
			known->at = piece.at;
			known->size = piece.size;
			return;
		}
	}
	if (!known || p->fragments)
		p->piece_of.items[id] = (uint32_t)p->pieces.n;
	*jr_vec_add(&p->pieces) = piece;
}

bool jr_parse_instruction(struct jr_hlo_parser *p, struct jr_cursor *c, uint32_t frame)
{
	size_t before = p->out.size;
	size_t begin = p->fragments ? before : jr_put_open(&p->out, COMPUTATION_INSTRUCTIONS);
	jr_cursor_blanks(c);
	bool root = jr_cursor_take(c, "ROOT ");
	struct jr_bytes name = jr_parse_name(c);
	if (name.size == 0 || !jr_cursor_take(c, " = ") || p->pieces.n >= JR_NONE / 2 ||
		jr_parse_is_full(p) || !put_instruction(p, c, name, frame)) {
		p->out.size = before;
		return false;
	}
	add_piece(p, name, begin, root);
	if (!p->fragments)
		jr_put_close(&p->out, begin);
	return true;
}
