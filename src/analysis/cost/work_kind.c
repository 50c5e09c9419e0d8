#include "analysis/cost/work_kind.h"

#include "analysis/cost/cost_parts.h"

const char *jr_work_kind_name(enum jr_work_kind kind)
{
	static const char *const names[] = {
		[JR_WORK_UNKNOWN] = "unknown",
		[JR_WORK_MATRIX] = "matrix product",
		[JR_WORK_CONVOLUTION] = "convolution",
		[JR_WORK_ATTENTION] = "attention",
		[JR_WORK_SORT] = "sort",
		[JR_WORK_FFT] = "Fourier transform",
		[JR_WORK_INDEXED] = "gather, scatter",
		[JR_WORK_REDUCTION] = "reduction",
		[JR_WORK_RANDOM] = "random numbers",
		[JR_WORK_ELEMENTWISE] = "elementwise",
		[JR_WORK_MOVEMENT] = "data movement",
		[JR_WORK_COLLECTIVE] = "communication",
	};
	return names[kind];
}

/* --- called computations ---------------------------------------------------------------------- */

/* Nested calls; no compiler nests deeper. */
#define MAX_DEPTH 32

/* States besides 1 + kind, which is a result. */
enum { NOT_YET, UNDER_WAY = UINT8_MAX };

struct finding {
	const struct jr_hlo *hlo;
	uint8_t *found; /* [computations] */
};

static enum jr_work_kind kind_of(const struct finding *f, uint32_t instruction, int depth);

/* Bytes that an instruction processes: for a reduction or a scatter, the input is the larger
 * part. */
static uint64_t bytes_of(const struct jr_hlo *hlo, const struct jr_hlo_instruction *in)
{
	uint64_t most = jr_hlo_shape_bytes(in->shape);
	enum jr_work_kind kind = (enum jr_work_kind)jr_cost_rule_of(in->op)->kind;
	/* An in-place update does not touch most of its result. */
	bool in_place = in->op == JR_OP_SCATTER || in->op == JR_OP_DYNAMIC_UPDATE_SLICE;
	if (in_place)
		most = 0;
	if (!in_place && kind != JR_WORK_REDUCTION && kind != JR_WORK_MATRIX)
		return most;
	for (uint32_t i = in_place ? 1 : 0; i < in->n_operands; i++) {
		const struct jr_hlo_shape *operand = jr_hlo_operand_shape(hlo, in, i);
		uint64_t bytes = operand ? jr_hlo_shape_bytes(operand) : 0;
		most = bytes > most ? bytes : most;
	}
	return most;
}

/* Instructions that process at least half the bytes of the largest one decide; the first kind in
 * the order of the enumeration wins. Parameters do not count. */
static enum jr_work_kind kind_of_computation(
	const struct finding *f, const struct jr_hlo_computation *c, int depth)
{
	const struct jr_hlo *hlo = f->hlo;
	enum jr_work_kind found = JR_WORK_UNKNOWN;
	uint64_t most = 0;
	for (uint32_t i = c->first; i < c->first + c->n; i++) {
		const struct jr_hlo_instruction *in = &hlo->instructions[i];
		/* A tuple has the size of all its elements, but processes nothing. */
		bool none = in->op == JR_OP_PARAMETER || in->op == JR_OP_TUPLE;
		uint64_t bytes = none ? 0 : bytes_of(hlo, in);
		most = bytes > most ? bytes : most;
	}
	for (uint32_t i = c->first; i < c->first + c->n; i++) {
		enum jr_work_kind kind = kind_of(f, i, depth + 1);
		/* A product of small matrices may still be most of the work. */
		if (kind < found && (kind == JR_WORK_MATRIX || kind == JR_WORK_CONVOLUTION ||
								bytes_of(hlo, &hlo->instructions[i]) >= most / 2))
			found = kind;
	}
	return found;
}

/* Each computation is visited once; a recursive one is unknown. */
static enum jr_work_kind kind_of_call(const struct finding *f, uint32_t called, int depth)
{
	if (called == JR_NONE || depth == MAX_DEPTH || f->found[called] == UNDER_WAY)
		return JR_WORK_UNKNOWN;
	if (f->found[called] == NOT_YET) {
		f->found[called] = UNDER_WAY;
		f->found[called] =
			(uint8_t)(1 + kind_of_computation(f, &f->hlo->computations[called], depth));
	}
	return (enum jr_work_kind)(f->found[called] - 1);
}

static enum jr_work_kind kind_of(const struct finding *f, uint32_t instruction, int depth)
{
	const struct jr_hlo_instruction *in = &f->hlo->instructions[instruction];
	if (in->op == JR_OP_CUSTOM_CALL)
		return jr_kind_of_call(in);
	bool calls = in->op == JR_OP_FUSION || in->op == JR_OP_CALL || in->op == JR_OP_ASYNC_START;
	if (!calls) {
		uint8_t kind = jr_cost_rule_of(in->op)->kind;
		return kind == JR_N_WORK ? JR_WORK_MOVEMENT : (enum jr_work_kind)kind;
	}
	return in->n_called ? kind_of_call(f, jr_hlo_called(f->hlo, in, 0), depth) : JR_WORK_UNKNOWN;
}

struct jr_work_kinds jr_work_kinds_new(const struct jr_profile *profile, struct jr_arena *arena)
{
	return (struct jr_work_kinds){
		profile, JR_ARENA_N(arena, uint8_t *, profile->n_programs + 1), arena};
}

enum jr_work_kind jr_work_kind(struct jr_work_kinds *kinds, const struct jr_op *op)
{
	const struct jr_hlo *hlo = kinds->profile->programs[op->program].hlo;
	if (op->communication)
		return JR_WORK_COLLECTIVE;
	if (op->own_copy)
		return JR_WORK_MOVEMENT;
	if (!hlo || op->instruction == JR_NONE)
		return op->said ? jr_kind_said(kinds->profile, op) : JR_WORK_UNKNOWN;
	uint8_t **found = &kinds->of_computation[op->program];
	if (!*found)
		*found = JR_ARENA_N(kinds->arena, uint8_t, hlo->n_computations + 1);
	const struct finding f = {hlo, *found};
	return kind_of(&f, op->instruction, 0);
}
