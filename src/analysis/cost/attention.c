/* Scores are followed from the product that makes them to their users. README.md, section 14.5. */
#include "analysis/cost/attention.h"

#include <string.h>

#include "analysis/cost/cost_parts.h"
#include "analysis/cost/products.h"

/* Marks of arrays. */
enum {
	SCORES = 1,  /* sized like a batched product's result, computed from it elementwise */
	WEIGHTS = 2, /* scores that went through an exponential */
	TAKES = 8,   /* for a product: an operand is scores */
	MAKES = 16,  /* for a product: its result is scores */
};

#define MAX_SIZES 16  /* different sizes of scores per program: one or two are usual */
#define MAX_LEAVES 64 /* of a result; real ones have a few, but instructions may share one */
#define MAX_DEPTH 32  /* nested fusions */

/* Uses of scores with this number of elements. */
struct size {
	uint64_t elements;
	struct jr_product made;
	bool row_maximum, row_sum; /* a softmax runs over rows of them */
	uint64_t keys;             /* length of a row, from the reduction */
	bool taken;                /* weights are an operand of a product that sums over the keys */
};

struct search {
	const struct jr_hlo *hlo;
	uint8_t *marks;  /* [n_instructions] */
	bool *seen;      /* [n_computations] */
	uint8_t *inside; /* [n_computations] TAKES, MAKES of the products inside */
	struct size sizes[MAX_SIZES];
	size_t n;
};

static struct size *size_of(struct search *s, uint64_t elements, bool add)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->sizes[i].elements == elements)
			return &s->sizes[i];
	if (!add || s->n == MAX_SIZES)
		return NULL;
	s->sizes[s->n] = (struct size){.elements = elements};
	return &s->sizes[s->n++];
}

/* --- marks ---------------------------------------------------------------------------------- */

/* Return the marks of leaf `index` of the result of a fusion or call. */
static uint8_t mark_of_leaf(const struct search *s, uint32_t of, uint32_t index)
{
	const struct jr_hlo_instruction *inst = &s->hlo->instructions[of];
	uint32_t called = inst->op == JR_OP_FUSION ? jr_hlo_called(s->hlo, inst, 0) : JR_NONE;
	uint32_t root = jr_hlo_root(s->hlo, called);
	if (root == JR_NONE || s->hlo->instructions[root].op != JR_OP_TUPLE)
		return index == 0 ? s->marks[of] & (SCORES | WEIGHTS) : 0;
	uint32_t leaf = jr_hlo_operand(s->hlo, &s->hlo->instructions[root], index);
	return leaf == JR_NONE ? 0 : s->marks[leaf] & (SCORES | WEIGHTS);
}

/* Combine the marks of all operands with the same number of elements. */
static uint8_t mark_of_operands(const struct search *s, const struct jr_hlo_instruction *inst)
{
	uint64_t elements = jr_array_elements(inst->shape);
	uint8_t mark = 0;
	for (uint32_t k = 0; k < inst->n_operands; k++) {
		uint32_t row = jr_hlo_operand(s->hlo, inst, k);
		if (row != JR_NONE && s->marks[row] &&
			jr_array_elements(jr_first_leaf(s->hlo->instructions[row].shape)) == elements)
			mark |= s->marks[row] & (SCORES | WEIGHTS);
	}
	return mark;
}

/* Mark a product. A product of one batch is skipped, because the scores of each head and sequence
 * are a separate product. */
static uint8_t mark_of_product(struct search *s, uint32_t row)
{
	const struct jr_hlo_instruction *inst = &s->hlo->instructions[row];
	struct jr_product p;
	if (!jr_product_of(s->hlo, row, &p) || p.batch < 2)
		return 0;
	uint8_t taken = 0;
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t operand = jr_hlo_operand(s->hlo, inst, k);
		uint8_t mark = operand == JR_NONE ? 0 : s->marks[operand];
		struct size *size =
			mark ? size_of(s, jr_array_elements(s->hlo->instructions[operand].shape), false) : NULL;
		if (size && (mark & WEIGHTS) && (p.k == size->made.m || p.k == size->made.n))
			size->taken = true;
		taken |= size ? TAKES : 0;
	}
	if (taken)
		return taken;
	struct size *size = size_of(s, jr_array_elements(jr_first_leaf(inst->shape)), true);
	if (size && !size->made.batch)
		size->made = p;
	return size ? SCORES | MAKES : 0;
}

static void see_reduction(struct search *s, const struct jr_hlo_instruction *inst)
{
	uint32_t operand = jr_hlo_operand(s->hlo, inst, 0), reducer = jr_hlo_called(s->hlo, inst, 0);
	uint8_t mark = operand == JR_NONE ? 0 : s->marks[operand];
	uint32_t root = mark ? jr_hlo_root(s->hlo, reducer) : JR_NONE;
	if (root == JR_NONE)
		return;
	uint64_t elements = jr_array_elements(s->hlo->instructions[operand].shape);
	uint64_t rows = jr_array_elements(jr_first_leaf(inst->shape));
	struct size *size = size_of(s, elements, false);
	if (!size || !rows || elements / rows < 2)
		return;
	uint8_t op = s->hlo->instructions[root].op;
	size->row_maximum |= op == JR_OP_MAXIMUM;
	if ((mark & WEIGHTS) && op == JR_OP_ADD) {
		size->row_sum = true;
		size->keys = size->keys ? size->keys : elements / rows;
	}
}

static void visit(struct search *s, uint32_t computation, int depth);

static uint8_t mark_of_fusion(struct search *s, const struct jr_hlo_instruction *fusion, int depth)
{
	uint32_t called = jr_hlo_called(s->hlo, fusion, 0);
	if (called == JR_NONE || depth == MAX_DEPTH || s->seen[called])
		return 0;
	const struct jr_hlo_computation *c = &s->hlo->computations[called];
	for (uint32_t i = c->first; i < c->first + c->n; i++) {
		const struct jr_hlo_instruction *in = &s->hlo->instructions[i];
		uint32_t operand = in->op == JR_OP_PARAMETER && in->number != JR_NONE
							   ? jr_hlo_operand(s->hlo, fusion, in->number)
							   : JR_NONE;
		if (operand != JR_NONE)
			s->marks[i] = s->marks[operand] & (SCORES | WEIGHTS);
	}
	visit(s, called, depth + 1);
	uint32_t root = jr_hlo_root(s->hlo, called);
	return root == JR_NONE ? 0 : s->marks[root] & (SCORES | WEIGHTS);
}

static uint8_t mark_of(struct search *s, uint32_t row, int depth)
{
	const struct jr_hlo_instruction *inst = &s->hlo->instructions[row];
	if (inst->op == JR_OP_FUSION)
		return mark_of_fusion(s, inst, depth);
	if (inst->op == JR_OP_DOT || inst->op == JR_OP_CUSTOM_CALL)
		return mark_of_product(s, row);
	if (inst->op == JR_OP_GET_TUPLE_ELEMENT) {
		uint32_t of = jr_hlo_operand(s->hlo, inst, 0);
		return of == JR_NONE ? 0 : mark_of_leaf(s, of, inst->number);
	}
	if (inst->op == JR_OP_REDUCE)
		see_reduction(s, inst);
	if (jr_cost_rule_of(inst->op)->flow != JR_FLOW_SAME || inst->shape->n_tuple)
		return 0;
	uint8_t mark = mark_of_operands(s, inst);
	return mark && inst->op == JR_OP_EXPONENTIAL ? mark | WEIGHTS : mark;
}

/* Instructions are stored after their operands. */
static void visit(struct search *s, uint32_t computation, int depth)
{
	const struct jr_hlo_computation *c = &s->hlo->computations[computation];
	s->seen[computation] = true;
	for (uint32_t i = c->first; i < c->first + c->n; i++)
		if (s->hlo->instructions[i].op != JR_OP_PARAMETER) {
			s->marks[i] = mark_of(s, i, depth);
			s->inside[computation] |= s->marks[i] & (TAKES | MAKES);
		}
}

/* --- roles ---------------------------------------------------------------------------------- */

/* The rows of the softmax must have the length that a product of its weights sums over. */
static bool is_attention(const struct size *z)
{
	return z->row_maximum && z->row_sum && z->taken &&
		   (z->keys == z->made.m || z->keys == z->made.n);
}

static uint64_t bytes_if_scores(struct search *s, const struct jr_hlo_shape *shape, uint8_t mark)
{
	if (!mark || !shape || shape->n_tuple)
		return 0;
	const struct size *size = size_of(s, jr_array_elements(shape), false);
	return size && is_attention(size) ? jr_hlo_shape_bytes(shape) : 0;
}

static uint64_t bytes_of(struct search *s, uint32_t row)
{
	const struct jr_hlo_instruction *inst = &s->hlo->instructions[row];
	uint64_t bytes = 0;
	for (uint32_t k = 0; k < inst->n_operands; k++) {
		uint32_t operand = jr_hlo_operand(s->hlo, inst, k);
		if (operand != JR_NONE)
			bytes = jr_sat_add(bytes, bytes_if_scores(s, s->hlo->instructions[operand].shape,
										  s->marks[operand] & (SCORES | WEIGHTS)));
	}
	if (!inst->shape->n_tuple)
		return jr_sat_add(
			bytes, bytes_if_scores(s, inst->shape, s->marks[row] & (SCORES | WEIGHTS)));
	for (uint32_t leaf = 0; leaf < inst->shape->n_tuple && leaf < MAX_LEAVES; leaf++)
		bytes = jr_sat_add(
			bytes, bytes_if_scores(s, &inst->shape->tuple[leaf], mark_of_leaf(s, row, leaf)));
	return bytes;
}

/* Return the role of a product; for a fusion, the role of the product inside. */
static uint8_t product_role(const struct search *s, uint32_t row)
{
	const struct jr_hlo_instruction *inst = &s->hlo->instructions[row];
	uint32_t called = inst->op == JR_OP_FUSION ? jr_hlo_called(s->hlo, inst, 0) : JR_NONE;
	uint8_t marks = s->marks[row] | (called == JR_NONE ? 0 : s->inside[called]);
	return marks & TAKES ? JR_SCORES_TAKEN : marks & MAKES ? JR_SCORES_MADE : JR_SCORES_BETWEEN;
}

static void take_roles(struct search *s, struct jr_scores *to)
{
	for (uint32_t i = 0; i < s->hlo->n_instructions; i++) {
		to->bytes[i] = bytes_of(s, i);
		if (to->bytes[i])
			to->roles[i] = product_role(s, i);
	}
}

struct jr_scores jr_scores_of(const struct jr_hlo *hlo, struct jr_arena *arena)
{
	struct search s = {.hlo = hlo,
		.marks = JR_ARENA_N(arena, uint8_t, hlo->n_instructions + (size_t)1),
		.seen = JR_ARENA_N(arena, bool, hlo->n_computations + (size_t)1),
		.inside = JR_ARENA_N(arena, uint8_t, hlo->n_computations + (size_t)1)};
	struct jr_scores found = {.found = false};
	bool *fused = JR_ARENA_N(arena, bool, hlo->n_computations + (size_t)1);
	for (uint32_t i = 0; i < hlo->n_instructions; i++) {
		uint32_t called = jr_hlo_called(hlo, &hlo->instructions[i], 0);
		if (called != JR_NONE && hlo->instructions[i].op == JR_OP_FUSION)
			fused[called] = true;
	}
	for (uint32_t c = 0; c < hlo->n_computations; c++)
		if (!fused[c])
			visit(&s, c, 0);
	for (size_t i = 0; i < s.n && !found.found; i++) {
		const struct size *z = &s.sizes[i];
		found.found = is_attention(z);
		found.batch = z->made.batch;
		found.keys = z->keys;
		found.queries = z->made.m == z->keys ? z->made.n : z->made.m;
		found.head = z->made.k;
	}
	if (!found.found)
		return found;
	found.roles = JR_ARENA_N(arena, uint8_t, hlo->n_instructions + (size_t)1);
	found.bytes = JR_ARENA_N(arena, uint64_t, hlo->n_instructions + (size_t)1);
	take_roles(&s, &found);
	return found;
}
