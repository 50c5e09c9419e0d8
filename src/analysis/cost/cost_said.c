/* Kind and cost of instructions without HLO, from events. README.md, section 13.10. */
#include <string.h>

#include "analysis/cost/cost_parts.h"
#include "base/cleanup.h"

/* XLA categories that differ from the opcode names. */
static const struct {
	const char *category;
	enum jr_work_kind kind;
} categories[] = {
	{"convolution", JR_WORK_CONVOLUTION},
	{"convolution fusion", JR_WORK_CONVOLUTION},
	{"loop fusion", JR_WORK_ELEMENTWISE},
	{"input fusion", JR_WORK_REDUCTION},
	{"non-fusion elementwise", JR_WORK_ELEMENTWISE},
	{"data formatting", JR_WORK_MOVEMENT},
	{"async-start", JR_WORK_MOVEMENT},
	{"async-done", JR_WORK_MOVEMENT},
	{"rng-bit-generator", JR_WORK_RANDOM},
};

static const char *opcode_of(const struct jr_profile *p, const struct jr_op *op)
{
	return jr_str(p, op->opcode);
}

enum jr_work_kind jr_kind_said(const struct jr_profile *p, const struct jr_op *op)
{
	const char *category = jr_str(p, op->said->category), *opcode = opcode_of(p, op);
	const char *op_name = jr_str(p, op->op_name);
	enum jr_work_kind kind = JR_WORK_UNKNOWN;
	for (size_t i = 0; i < JR_COUNT_OF(categories); i++)
		if (strcmp(category, categories[i].category) == 0)
			kind = categories[i].kind;
	/* For TPUs XLA turns matrix products into convolutions; keep the kind that the program uses. */
	if (kind == JR_WORK_CONVOLUTION && strstr(op_name, "dot_general"))
		return JR_WORK_MATRIX;
	if (kind != JR_WORK_UNKNOWN)
		return kind;
	uint8_t said = jr_hlo_opcode_of(*opcode ? opcode : category);
	if (said == JR_OP_CUSTOM_CALL || strcmp(category, "custom-call") == 0)
		return strstr(op_name, "attention") ? JR_WORK_ATTENTION : JR_WORK_UNKNOWN;
	static const uint8_t callers[] = {JR_OP_FUSION, JR_OP_CALL, JR_OP_WHILE, JR_OP_CONDITIONAL};
	if (*opcode && JR_OP_IN(said, callers)) /* the called work is not stated */
		return JR_WORK_UNKNOWN;
	uint8_t by_opcode = jr_cost_rule_of(said)->kind;
	return by_opcode == JR_N_WORK ? JR_WORK_MOVEMENT : (enum jr_work_kind)by_opcode;
}

static void set_said_flops(
	const struct jr_profile *p, const struct jr_op *op, uint8_t type, struct jr_cost *to)
{
	enum jr_work_kind kind = jr_kind_said(p, op);
	bool product =
		kind == JR_WORK_MATRIX || kind == JR_WORK_CONVOLUTION || kind == JR_WORK_ATTENTION;
	enum jr_matrix_class class = jr_matrix_class_of(type, true);
	uint64_t flops = (uint64_t)op->said->flops;
	to->flops_known = true;
	if (product && class != JR_N_MATRIX)
		to->matrix_flops[class] = flops;
	else
		to->vector_flops[type == JR_HLO_F64 ? JR_VECTOR_F64 : JR_VECTOR_F32] = flops;
}

void jr_cost_said(
	const struct jr_profile *p, const struct jr_op *op, struct jr_arena *arena, struct jr_cost *to)
{
	const struct jr_said *said = op->said;
	const char *category = jr_str(p, said->category), *text = jr_str(p, said->text);
	struct jr_hlo_text parsed;
	(void)jr_hlo_text_parse(text, strlen(text), &parsed);
	/* XLA counts 0 for a call of external code, which it cannot analyze. */
	bool call =
		strcmp(opcode_of(p, op), "custom-call") == 0 || strcmp(category, "custom-call") == 0;
	if (*category || op->opcode)
		to->kind = to->unknown = jr_arena_strndup(arena, *category ? category : opcode_of(p, op),
			strlen(*category ? category : opcode_of(p, op)));
	to->collective = op->communication;
	to->network_known = !op->communication;
	if (said->flops > 0 || (said->flops == 0 && !call))
		set_said_flops(p, op, parsed.element_type, to);
	if (said->read_bytes >= 0 && !call) {
		to->bytes_known = true;
		to->bytes_read = (uint64_t)said->read_bytes;
		to->bytes_written = (uint64_t)said->written_bytes;
	} else if (said->bytes > 0 || (said->bytes == 0 && !call)) {
		uint64_t bytes = (uint64_t)said->bytes;
		to->bytes_known = true;
		to->bytes_written = parsed.result_bytes < bytes ? parsed.result_bytes : bytes;
		to->bytes_read = bytes - to->bytes_written;
		to->any_memory = parsed.any_near;
	}
	if (to->flops_known && to->bytes_known)
		to->unknown = NULL;
}
