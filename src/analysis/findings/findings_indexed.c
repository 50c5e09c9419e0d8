/* Advice on gathers and scatters, based on the HLO of the program (README.md, section 14.7). */
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/cost/cost_parts.h"
#include "analysis/roofline/roofline.h"
#include "analysis/cost/work_kind.h"

/* True if the update replaces the old value: the called computation returns one of its
 * parameters. */
static bool overwrites(const struct jr_hlo *hlo, const struct jr_hlo_instruction *scatter)
{
	uint32_t root = jr_hlo_root(hlo, jr_hlo_called(hlo, scatter, 0));
	return root != JR_NONE && hlo->instructions[root].op == JR_OP_PARAMETER;
}

/* Return the minimum time that tensor cores need for the one-hot product that could replace a
 * scatter of rows into a table; NaN if there is no such product. */
static double one_hot_ns(
	const struct jr_check *c, const struct jr_hlo *hlo, const struct jr_hlo_instruction *scatter)
{
	const struct jr_hlo_shape *table = jr_hlo_operand_shape(hlo, scatter, 0),
		*rows = jr_hlo_operand_shape(hlo, scatter, 2);
	uint64_t n = jr_array_elements(rows);
	bool known = c->ctx->roofline && table && n != JR_MANY && table->n_dimensions == 2 &&
				 rows->n_dimensions && !table->unbounded &&
				 rows->dimensions[rows->n_dimensions - 1] == table->dimensions[1];
	if (!known)
		return NAN;
	unsigned type = table->element_type;
	const uint64_t *peaks = c->ctx->roofline->peaks.matrix;
	uint64_t peak = type == JR_HLO_BF16 || type == JR_HLO_F16 ? peaks[JR_MATRIX_BF16]
					: type == JR_HLO_F32                      ? peaks[JR_MATRIX_TF32]
															  : 0;
	return peak ? 1e9 * 2 * (double)n * (double)table->dimensions[0] / (double)peak : NAN;
}

bool jr_check_indexed_advice(struct jr_check *c, uint32_t op_row)
{
	const struct jr_op *op = &c->ctx->profile->ops[op_row];
	const struct jr_hlo *hlo = c->ctx->profile->programs[op->program].hlo;
	if (!hlo || op->instruction == JR_NONE || jr_work_kind(c->ctx->kinds, op) != JR_WORK_INDEXED)
		return false;
	uint32_t row = jr_check_indexed(c, op_row);
	if (row == JR_NONE)
		return false;
	const struct jr_hlo_instruction *inst = &hlo->instructions[row];
	bool gathers = inst->op == JR_OP_GATHER;
	double one_hot = one_hot_ns(c, hlo, inst);
	double mean_ns = jr_stats_mean(&c->ctx->steady->ops[op_row].active);
	const struct jr_about about = {.op = op_row,
		.found = one_hot < mean_ns    ? 1
				 : one_hot >= mean_ns ? 2
									  : 0,
		.word = isnan(one_hot) ? NULL : jr_check_time(c, one_hot)};
	jr_advise(c,
		gathers					 ? JR_ADVICE_GATHER
		: overwrites(hlo, inst) ? JR_ADVICE_SCATTER_SET
								 : JR_ADVICE_SCATTER_ADD, &about);
	return true;
}
