/*
 * Asynchronous operations by their short names. XLA prints an async-start around one operation as
 * "reduce-scatter-start" and leaves its computation out; here it is made again, with the operation
 * and its parameters.
 */
#include <stdio.h>

#include "base/cleanup.h"
#include "formats/hlo/hlo_parse_parts.h"

enum { /* proto/hlo.proto */
	MODULE_COMPUTATIONS = 3,
	COMPUTATION_NAME = 1,
	COMPUTATION_INSTRUCTIONS = 2,
	COMPUTATION_ID = 5,
	COMPUTATION_ROOT_ID = 6,
	INSTRUCTION_NAME = 1,
	INSTRUCTION_OPCODE = 2,
	INSTRUCTION_SHAPE = 3,
	INSTRUCTION_PARAMETER_NUMBER = 9,
	INSTRUCTION_ID = 35,
	INSTRUCTION_OPERAND_IDS = 36,
	INSTRUCTION_CALLED_IDS = 38,
};

/* Return the operation in front of a suffix, unless both together are an opcode. */
static struct jr_bytes operation_of(struct jr_bytes opcode, const char *suffix)
{
	static const char *const own[] = {
		"all-gather", "all-reduce", "collective-permute", "copy", "send", "recv", "async"};
	size_t n = strlen(suffix);
	if (opcode.size <= n || memcmp(opcode.data + opcode.size - n, suffix, n) != 0)
		return (struct jr_bytes){0};
	struct jr_bytes operation = jr_bytes_of(opcode.data, opcode.size - n);
	for (size_t k = 0; k < JR_COUNT_OF(own); k++)
		if (jr_parse_is(operation, own[k]))
			return (struct jr_bytes){0};
	return operation;
}

void jr_parse_async_opcode(struct jr_hlo_parser *p, struct jr_bytes name, struct jr_cursor shape,
	struct jr_bytes *opcode, struct jr_bytes *inner)
{
	static const char *const opcodes[] = {"async-start", "async-update", "async-done"};
	*inner = (struct jr_bytes){0};
	if (!memchr(opcode->data, '-', opcode->size))
		return;
	for (size_t i = 0; i < JR_COUNT_OF(opcodes); i++) {
		struct jr_bytes operation = operation_of(*opcode, opcodes[i] + strlen("async"));
		bool starts = i == 0 && jr_cursor_is(&shape, '(');
		if (operation.size == 0 ||
			(!starts && jr_map_get(&p->asynchronous, p->first_operand) == JR_NONE))
			continue;
		jr_map_put(&p->asynchronous, jr_parse_instruction_id(p, name), 0);
		*opcode = jr_bytes_of(opcodes[i], strlen(opcodes[i]));
		*inner = starts ? operation : *inner;
		return;
	}
}

static void put_name(
	struct jr_buf *out, uint32_t field, struct jr_bytes name, const char *end, uint32_t number)
{
	char suffix[32];
	int n = snprintf(suffix, sizeof(suffix), "%s%.0u", end, number);
	size_t begin = jr_put_open(out, field);
	jr_buf_add(out, name.data, name.size);
	jr_buf_add(out, suffix, (size_t)n);
	jr_put_close(out, begin);
}

/* "((f32[8]{0}), f32[2]{0}, u32[])": operands, result, and what the operation needs besides. A
 * single operand may be without a tuple of its own. */
static bool put_instructions(struct jr_hlo_parser *p, struct jr_bytes name, struct jr_bytes opcode,
	struct jr_cursor shape, struct jr_bytes attributes)
{
	struct jr_buf *out = &p->wrapped;
	uint32_t n = 0;
	(void)jr_cursor_char(&shape, '(');
	bool several = jr_cursor_char(&shape, '(');
	for (jr_cursor_blanks(&shape); !jr_cursor_char(&shape, several ? ')' : ',');
		 jr_cursor_blanks(&shape)) {
		size_t parameter = jr_put_open(out, COMPUTATION_INSTRUCTIONS);
		put_name(out, INSTRUCTION_NAME, name, ".parameter.", n + 1);
		jr_put_text(out, INSTRUCTION_OPCODE, jr_bytes_of("parameter", 9));
		jr_put_number(out, INSTRUCTION_PARAMETER_NUMBER, n++);
		jr_put_number(out, INSTRUCTION_ID, ++p->instructions.n_ids);
		if (!jr_parse_shape(out, &shape, INSTRUCTION_SHAPE))
			return false;
		jr_put_close(out, parameter);
		jr_cursor_blanks(&shape);
		if (several)
			(void)jr_cursor_char(&shape, ',');
		else if (!jr_cursor_is(&shape, ','))
			return false;
	}
	(void)jr_cursor_char(&shape, ',');
	jr_cursor_blanks(&shape);
	size_t root = jr_put_open(out, COMPUTATION_INSTRUCTIONS);
	put_name(out, INSTRUCTION_NAME, name, ".wrapped", 0);
	jr_put_text(out, INSTRUCTION_OPCODE, opcode);
	if (!jr_parse_shape(out, &shape, INSTRUCTION_SHAPE))
		return false;
	for (uint32_t i = 0; i < n; i++)
		jr_put_number(out, INSTRUCTION_OPERAND_IDS, p->instructions.n_ids - n + 1 + i);
	jr_put_number(out, INSTRUCTION_ID, ++p->instructions.n_ids);
	jr_buf_add(out, attributes.data, attributes.size);
	jr_put_close(out, root);
	jr_put_number(out, COMPUTATION_ROOT_ID, p->instructions.n_ids);
	return true;
}

bool jr_parse_wrap(struct jr_hlo_parser *p, struct jr_bytes name, struct jr_bytes opcode,
	struct jr_cursor shape, size_t attributes, size_t metadata)
{
	size_t before = p->wrapped.size;
	uint32_t id = ++p->called.n_ids;
	size_t computation = jr_put_open(&p->wrapped, MODULE_COMPUTATIONS);
	put_name(&p->wrapped, COMPUTATION_NAME, name, ".computation", 0);
	jr_put_number(&p->wrapped, COMPUTATION_ID, id);
	if (!put_instructions(p, name, opcode, shape,
			jr_bytes_of(p->out.data + attributes, p->out.size - attributes))) {
		p->wrapped.size = before;
		return false;
	}
	jr_put_close(&p->wrapped, computation);
	memmove(p->out.data + attributes, p->out.data + metadata, p->out.size - metadata);
	p->out.size -= metadata - attributes;
	jr_put_number(&p->out, INSTRUCTION_CALLED_IDS, id);
	return true;
}
