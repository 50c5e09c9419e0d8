/* Custom calls whose work is known. README.md, section 13.4. */
#include <string.h>

#include "analysis/cost/cost_parts.h"
#include "base/cleanup.h"

/* --- matrix products and convolutions ------------------------------------------------------- */

static void work_gemm(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct jr_hlo_shape *out = jr_first_leaf(inst->shape);
	uint64_t macs = jr_contracted(inst->attributes, jr_hlo_operand_shape(p->hlo, inst, 0));
	macs = jr_sat_mul(macs, out ? jr_cost_elements(p, out) : JR_MANY);
	jr_work_of_product(p, inst, macs, JR_HLO_HIGH, to);
}

static void work_forward(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	uint64_t macs = jr_convolution_macs(inst->attributes, jr_hlo_operand_shape(p->hlo, inst, 0),
		jr_hlo_operand_shape(p->hlo, inst, 1), jr_first_leaf(inst->shape));
	jr_work_of_product(p, inst, macs, JR_HLO_HIGH, to);
}

/* The result is the gradient of the convolution's input, so it takes the place of the input. */
static void work_backward_input(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	uint64_t macs = jr_convolution_macs(inst->attributes, jr_first_leaf(inst->shape),
		jr_hlo_operand_shape(p->hlo, inst, 1), jr_hlo_operand_shape(p->hlo, inst, 0));
	jr_work_of_product(p, inst, macs, JR_HLO_HIGH, to);
}

static void work_backward_filter(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	uint64_t macs = jr_convolution_macs(inst->attributes, jr_hlo_operand_shape(p->hlo, inst, 0),
		jr_first_leaf(inst->shape), jr_hlo_operand_shape(p->hlo, inst, 1));
	jr_work_of_product(p, inst, macs, JR_HLO_HIGH, to);
}

/* --- fused attention ------------------------------------------------------------------------ */

/* Count the pairs of a query and a key that a causal mask keeps. Row r sees the first r + 1 keys,
 * plus the number of keys beyond the number of queries, at most `most`. */
static uint64_t causal_pairs(uint64_t queries, uint64_t keys, uint64_t most)
{
	uint64_t more = jr_sat_sub(keys, queries);
	uint64_t rising = jr_sat_sub(most, more); /* rows that `most` does not limit */
	rising = rising < queries ? rising : queries;
	uint64_t whole = jr_sat_mul(queries - rising, most);
	uint64_t sum = jr_sat_share(rising, jr_sat_add(rising, 1), 2, false);
	return jr_sat_add(whole, jr_sat_add(sum, jr_sat_mul(rising, more)));
}

static uint64_t pairs_of(const struct jr_hlo_attributes *a, uint64_t queries, uint64_t keys)
{
	if (a->mask != JR_HLO_CAUSAL && a->mask != JR_HLO_PADDING_CAUSAL)
		return jr_sat_mul(queries, keys);
	uint64_t most = keys;
	if (a->sliding_window > 0 && (uint64_t)a->sliding_window < most)
		most = (uint64_t)a->sliding_window;
	return causal_pairs(queries, keys, most);
}

/* Elements per head of an array that has one row per query. */
static uint64_t head_size(
	struct jr_cost_program *p, const struct jr_hlo_shape *shape, uint64_t batch, uint64_t queries)
{
	uint64_t rows = jr_sat_mul(batch, queries);
	uint64_t elements = shape ? jr_cost_elements(p, shape) : JR_MANY;
	return rows && rows != JR_MANY && elements != JR_MANY ? elements / rows : JR_MANY;
}

static void work_attention(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct jr_hlo_attributes *a = inst->attributes;
	uint32_t n = a ? a->n_scores : 0;
	uint64_t batch = 1;
	for (uint32_t i = 0; i < n; i++)
		if (a->scores[i] < 0)
			batch = JR_MANY;
	for (uint32_t i = 0; n >= 2 && i < n - 2; i++)
		batch = jr_sat_mul(batch, (uint64_t)a->scores[i]);
	if (n < 2 || batch == JR_MANY) {
		to->unknown = inst->custom_call_target;
		return;
	}
	bool backward = strstr(inst->custom_call_target, "Backward") != NULL;
	uint64_t queries = (uint64_t)a->scores[n - 2], keys = (uint64_t)a->scores[n - 1];
	uint64_t macs = jr_sat_mul(batch, pairs_of(a, queries, keys));
	uint64_t d = head_size(p, jr_hlo_operand_shape(p->hlo, inst, 0), batch, queries);
	if (backward) /* the scores again, plus two products for each forward product */
		macs = jr_sat_mul(macs, jr_sat_mul(d, 5));
	else
		macs = jr_sat_mul(
			macs, jr_sat_add(d, head_size(p, jr_first_leaf(inst->shape), batch, queries)));
	jr_work_of_product(p, inst, macs, JR_HLO_HIGH, to);
	to->upper_bound = a->mask == JR_HLO_PADDING || a->mask == JR_HLO_PADDING_CAUSAL ||
					  a->mask == JR_HLO_OTHER_MASK;
	for (int i = 0; backward && i < JR_N_MATRIX; i++)
		to->remat = jr_sat_add(to->remat, jr_sat_share(to->matrix[i], 1, 5, false));
}

/* --- solvers -------------------------------------------------------------------------------- */

void jr_work_triangular_solve(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct jr_hlo_shape *a = jr_hlo_operand_shape(p->hlo, inst, 0);
	uint64_t b = jr_cost_operand_elements(p, inst, 1);
	if (!a || a->n_dimensions < 2 || a->unbounded || b == JR_MANY) {
		to->unknown = inst->opcode;
		return;
	}
	uint64_t flops = jr_sat_mul(b, (uint64_t)a->dimensions[a->n_dimensions - 1]);
	*jr_work_vector(to, a->element_type) =
		jr_sat_mul(flops, jr_type_complex(a->element_type) ? 4 : 1);
}

void jr_work_cholesky(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct jr_hlo_shape *a = jr_hlo_operand_shape(p->hlo, inst, 0);
	if (!a || a->n_dimensions < 2 || a->unbounded) {
		to->unknown = inst->opcode;
		return;
	}
	uint64_t n = (uint64_t)a->dimensions[a->n_dimensions - 1];
	uint64_t flops = jr_sat_share(jr_cost_elements(p, a), n, 3, false);
	*jr_work_vector(to, a->element_type) =
		jr_sat_mul(flops, jr_type_complex(a->element_type) ? 4 : 1);
}

/* --- the table ------------------------------------------------------------------------------ */

enum result {
	RESULT_WHOLE,
	RESULT_LESS_LAST, /* a last array of bytes is workspace */
	RESULT_LESS_REST, /* cuSOLVER's workspace is in the middle */
};

struct call {
	const char *target;
	bool prefix;
	jr_work_rule *work; /* NULL: no FLOPs */
	bool unknown;       /* its work is not known */
	uint8_t kind;       /* enum jr_work_kind */
	uint8_t result;     /* enum result */
};

/* The first match counts. A call without a match may compute and move anything. */
static const struct call calls[] = {
	{"__cublas$triangularSolve", false, jr_work_triangular_solve, false, JR_WORK_MATRIX,
		RESULT_LESS_LAST},
	{"__cublas$", true, work_gemm, false, JR_WORK_MATRIX, RESULT_LESS_LAST},
	{"__cusolver$cholesky", false, jr_work_cholesky, false, JR_WORK_MATRIX, RESULT_LESS_REST},
	{"__cusolver$", true, NULL, true, JR_WORK_MATRIX, RESULT_LESS_REST},
	{"__cudnn$convForward", false, work_forward, false, JR_WORK_CONVOLUTION, RESULT_LESS_LAST},
	{"__cudnn$convBiasActivationForward", false, work_forward, false, JR_WORK_CONVOLUTION,
		RESULT_LESS_LAST},
	{"__cudnn$convForwardGraph", false, work_forward, false, JR_WORK_CONVOLUTION, RESULT_LESS_LAST},
	{"__cudnn$convBackwardInput", false, work_backward_input, false, JR_WORK_CONVOLUTION,
		RESULT_LESS_LAST},
	{"__cudnn$convBackwardFilter", false, work_backward_filter, false, JR_WORK_CONVOLUTION,
		RESULT_LESS_LAST},
	{"__cudnn$fmha", true, work_attention, false, JR_WORK_ATTENTION, RESULT_LESS_LAST},
	{"__cudnn$fhma", true, work_attention, false, JR_WORK_ATTENTION, RESULT_LESS_LAST},
	{"__cudnn$norm", true, NULL, true, JR_WORK_REDUCTION, RESULT_LESS_LAST},
	{"__cudnn$", true, NULL, true, JR_WORK_UNKNOWN, RESULT_LESS_LAST},
	{"__cub$DeviceRadixSort", false, NULL, false, JR_WORK_SORT, RESULT_LESS_LAST},
	{"__gpu$TopK", false, NULL, false, JR_WORK_SORT, RESULT_WHOLE},
};

static const struct call *call_of(const struct jr_hlo_instruction *inst)
{
	for (size_t i = 0; i < JR_COUNT_OF(calls); i++) {
		const char *target = calls[i].target;
		size_t n = strlen(target);
		if (strncmp(inst->custom_call_target, target, n) == 0 &&
			(calls[i].prefix || inst->custom_call_target[n] == '\0'))
			return &calls[i];
	}
	return NULL;
}

/* Return true for a Pallas call whose author states its work and bytes. */
static bool is_estimated(const struct jr_hlo_instruction *inst)
{
	return inst->attributes && inst->attributes->stated_flops >= 0 &&
		   inst->attributes->stated_bytes >= 0;
}

/* Stated FLOPs count as products of the first operand's type, because the estimate does not
 * separate products from other work. If other work is the limit, the call takes longer, so the
 * result stays a lower bound. */
static void work_estimated(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct jr_hlo_attributes *a = inst->attributes;
	const struct jr_hlo_shape *first = jr_hlo_operand_shape(p->hlo, inst, 0);
	first = first ? jr_first_leaf(first) : NULL;
	enum jr_matrix_class class =
		jr_matrix_class_of(first ? first->element_type : JR_HLO_BF16, true);
	if (class != JR_N_MATRIX)
		to->matrix[class] = (uint64_t)a->stated_flops;
	else
		to->vector[JR_VECTOR_F32] = (uint64_t)a->stated_flops;
	to->transcendentals = a->stated_transcendentals > 0 ? (uint64_t)a->stated_transcendentals : 0;
	to->int_unknown = inst->custom_call_target;
}

void jr_work_custom_call(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to)
{
	const struct call *call = call_of(inst);
	if (call && call->work)
		call->work(p, inst, to);
	if (!call && is_estimated(inst)) {
		work_estimated(p, inst, to);
		return;
	}
	if (!call || call->unknown || to->unknown)
		to->unknown = *inst->custom_call_target ? inst->custom_call_target : inst->opcode;
}

enum jr_work_kind jr_kind_of_call(const struct jr_hlo_instruction *inst)
{
	const struct call *call = call_of(inst);
	return call ? (enum jr_work_kind)call->kind : JR_WORK_UNKNOWN;
}

bool jr_is_workspace(const struct jr_hlo_instruction *inst, uint32_t leaf)
{
	if (inst->shape->n_tuple < 2 || leaf == 0 || leaf >= inst->shape->n_tuple ||
		inst->op != JR_OP_CUSTOM_CALL)
		return false;
	const struct call *call = call_of(inst);
	const struct jr_hlo_shape *shape = &inst->shape->tuple[leaf];
	bool bytes = shape->element_type == JR_HLO_S8 || shape->element_type == JR_HLO_U8;
	bool place =
		call && (call->result == RESULT_LESS_REST ||
					(call->result == RESULT_LESS_LAST && leaf + 1 == inst->shape->n_tuple));
	return place && bytes && shape->n_dimensions == 1;
}

void jr_bytes_custom_call(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to)
{
	if (!call_of(inst) && is_estimated(inst)) {
		uint64_t all = (uint64_t)inst->attributes->stated_bytes;
		uint64_t result = jr_hlo_shape_bytes(inst->shape);
		uint64_t written = result < all ? result : all; /* the split is not stated */
		to->written = jr_sat_add(to->written, written);
		to->read = jr_sat_add(to->read, all - written);
		return;
	}
	if (!call_of(inst)) {
		to->unknown = true;
		return;
	}
	jr_add_operands(p, inst, 0, to);
	if (inst->shape->n_tuple == 0)
		jr_add_written(p, inst->shape, to);
	for (uint32_t leaf = 0; leaf < inst->shape->n_tuple && !to->unknown; leaf++)
		if (!jr_is_workspace(inst, leaf))
			jr_add_written(p, &inst->shape->tuple[leaf], to);
}
