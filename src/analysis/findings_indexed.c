/* What to do about gathers and scatters, by what the program says of them (README.md, section
 * 14.7). */
#include <string.h>

#include "analysis/cost_parts.h"
#include "analysis/findings.h"
#include "analysis/roofline.h"
#include "analysis/work_kind.h"

#define MOST_WITHIN 4096 /* instructions of a fusion that is looked into */

#define SAY_SO                                                                                     \
	" Where indices are sorted or unique by construction, and only there, say so "                 \
	"(indices_are_sorted=True, unique_indices=True): said of others it gives wrong results."

/* The scatter, else the gather, that an instruction is or holds. */
static const struct jr_hlo_instruction *indexed_within(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst)
{
	const struct jr_hlo_instruction *gather = NULL;
	uint32_t first = (uint32_t)(inst - hlo->instructions), n = 1;
	if (strcmp(inst->opcode, "fusion") == 0 && inst->n_called) {
		uint32_t row = jr_hlo_computation_by_id(hlo, inst->called_ids[0]);
		first = row == JR_NONE ? 0 : hlo->computations[row].first;
		n = row == JR_NONE ? 0 : hlo->computations[row].n;
	}
	for (uint32_t i = first; n <= MOST_WITHIN && i < first + n; i++) {
		if (strcmp(hlo->instructions[i].opcode, "scatter") == 0)
			return &hlo->instructions[i];
		if (strcmp(hlo->instructions[i].opcode, "gather") == 0)
			gather = &hlo->instructions[i];
	}
	return gather;
}

/* The update takes the place of what is there: what is called makes nothing of the two. */
static bool overwrites(const struct jr_hlo *hlo, const struct jr_hlo_instruction *scatter)
{
	uint32_t row =
		scatter->n_called ? jr_hlo_computation_by_id(hlo, scatter->called_ids[0]) : JR_NONE;
	uint32_t root =
		row == JR_NONE ? JR_NONE : jr_hlo_by_id_in(hlo, row, hlo->computations[row].root_id);
	return root != JR_NONE && strcmp(hlo->instructions[root].opcode, "parameter") == 0;
}

static const struct jr_hlo_shape *operand(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint32_t k)
{
	uint32_t row = k < inst->n_operands
					   ? jr_hlo_by_id_in(hlo, inst->computation, inst->operand_ids[k])
					   : JR_NONE;
	return row == JR_NONE ? NULL : hlo->instructions[row].shape;
}

/* What tensor cores need at least for the one-hot product in place of a scatter of rows into a
 * table; NaN where it is none. */
static double one_hot_ns(
	const struct jr_check *c, const struct jr_hlo *hlo, const struct jr_hlo_instruction *scatter)
{
	const struct jr_hlo_shape *table = operand(hlo, scatter, 0), *rows = operand(hlo, scatter, 2);
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

static const char *of_adding(struct jr_check *c, double one_hot, double mean_ns)
{
	const char *what = "Sort indices first, or use a one-hot matrix product for small tables.";
	if (one_hot < mean_ns)
		what = jr_arena_printf(c->ctx->arena,
			"Sort indices first, or use a one-hot matrix product: of these sizes tensor cores need "
			"%s for it at least.",
			jr_check_time(c, one_hot));
	else if (one_hot >= mean_ns)
		what = jr_arena_printf(c->ctx->arena,
			"Sort indices and sum up those of one row first (jax.ops.segment_sum); a one-hot "
			"matrix "
			"product would take longer, %s at least.",
			jr_check_time(c, one_hot));
	return jr_arena_printf(c->ctx->arena,
		"A scatter (the gradient of an embedding lookup or of indexing) adds up with atomics, one "
		"index after the other where indices repeat. %s" SAY_SO,
		what);
}

const char *jr_check_indexed_advice(struct jr_check *c, uint32_t op_row)
{
	const struct jr_op *op = &c->ctx->profile->ops[op_row];
	const struct jr_hlo *hlo = c->ctx->profile->programs[op->program].hlo;
	struct jr_work_kinds kinds = jr_work_kinds_new(c->ctx->profile, c->ctx->scratch);
	if (!hlo || op->instruction == JR_NONE || jr_work_kind(&kinds, op) != JR_WORK_INDEXED)
		return NULL;
	const struct jr_hlo_instruction *inst =
		indexed_within(hlo, &hlo->instructions[op->instruction]);
	if (!inst)
		return NULL;
	if (strcmp(inst->opcode, "gather") == 0)
		return "Gathers read memory in pieces. Look up in the layout that is contiguous along the "
			   "gathered rows, or use a one-hot matrix product for small tables.";
	if (overwrites(hlo, inst))
		return "A scatter that overwrites (x.at[i].set) goes row by row. Where the rows are one "
			   "range, jax.lax.dynamic_update_slice writes them at once." SAY_SO;
	return of_adding(
		c, one_hot_ns(c, hlo, inst), jr_stats_mean(&c->ctx->steady->ops[op_row].active));
}
