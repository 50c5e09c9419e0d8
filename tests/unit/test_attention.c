/* Attention in several kernels, and programs that only look like it. */
#include "cost_case.h"

#include "analysis/cost/attention.h"

/* The differences between the program and softmax(Q K) V with heads. */
struct variant {
	const char *maximum, *sum; /* operations that reduce rows */
	const char *function;
	int heads, keys, taken_along; /* the dimension of weights that the second product sums over */
};

static const struct variant plain = {"maximum", "add", "exponential", 6, 64, 2};

static Xla__HloInstructionProto *reduce(
	struct cost_case *c, const char *name, int64_t reducer, const char *shape, const char *of)
{
	Xla__HloInstructionProto *i = put(c, name, "reduce", shape, of);
	ADD(c->arena, i, called_computation_ids, reducer);
	ADD(c->arena, i, dimensions, 2);
	return i;
}

/* Build the two kernels of a softmax as fusions and everything else as single instructions; the
 * last is "out". */
static void build(struct cost_case *c, struct jr_arena *a, const struct variant *v)
{
	char side[64], other[64], scores[64], rows[64], shapes[200], out[140];
	snprintf(side, sizeof(side), "bf16[%d,96,32]", v->heads);
	snprintf(other, sizeof(other), "bf16[%d,%d,32]", v->heads, v->keys);
	snprintf(scores, sizeof(scores), "f32[%d,96,%d]", v->heads, v->keys);
	snprintf(rows, sizeof(rows), "f32[%d,96]", v->heads);
	case_begin(c, a);
	int64_t maximum = case_reducer(c, v->maximum, "f32"), sum = case_reducer(c, v->sum, "f32");
	int64_t id = case_computation(c, "fused_weights");
	snprintf(shapes, sizeof(shapes), "%s %s", scores, rows);
	put_parameters(c, shapes);
	put(c, "wide", "broadcast", scores, "p1");
	put(c, "less", "subtract", scores, "p0 wide");
	put(c, "weights", v->function, scores, "less");
	put(c, "zero", "constant", "f32[]", "");
	reduce(c, "sums", sum, rows, "weights zero");
	snprintf(out, sizeof(out), "(%s, %s)", rows, scores);
	put(c, "both", "tuple", out, "sums weights");
	c->at = c->entry;
	snprintf(shapes, sizeof(shapes), "%s %s %s", side, other, other);
	put_parameters(c, shapes);
	put(c, "one", "constant", "f32[]", "");
	put_dot(c, put(c, "scores", "dot", scores, "p0 p1"), 2);
	reduce(c, "maxima", maximum, rows, "scores one");
	Xla__HloInstructionProto *fusion = put(c, "softmax", "fusion", out, "scores maxima");
	ADD(a, fusion, called_computation_ids, id);
	put(c, "sum", "get-tuple-element", rows, "softmax")->tuple_index = 0;
	put(c, "weight", "get-tuple-element", scores, "softmax")->tuple_index = 1;
	put_dot(c,
		put(c, "out", "dot", v->taken_along == 2 ? side : other,
			v->taken_along == 2 ? "weight p2" : "weight p0"),
		v->taken_along);
}

static struct jr_scores found_in(struct cost_case *c, struct jr_hlo *hlo)
{
	*hlo = build_decode(c->proto);
	return jr_scores_of(hlo, c->arena);
}

static void assert_role(const struct jr_hlo *hlo, const struct jr_scores *s, const char *name,
	enum jr_scores_role role, uint64_t bytes)
{
	uint32_t i = jr_hlo_find(hlo, name);
	if (s->roles[i] != role || s->bytes[i] != bytes)
		fail_msg("%s has role %d, %llu bytes", name, s->roles[i], (unsigned long long)s->bytes[i]);
}

static UNIT_IN_ARENA(of_softmax)
{
	enum { BYTES = 4 * 6 * 96 * 64 };
	struct cost_case c;
	struct jr_hlo hlo;
	build(&c, *state, &plain);
	put(&c, "gradient", "dot", "f32[6,96,64]", "p0 p1");
	put_dot(&c, c.at->instructions[c.at->n_instructions - 1], 2);
	put(&c, "product", "multiply", "f32[6,96,64]", "gradient weight");
	put(&c, "away", "slice", "f32[6,96,32]", "product");
	put(&c, "alone", "add", "bf16[6,64,32]", "p1 p2");
	const struct jr_scores s = found_in(&c, &hlo);
	assert_true(s.found);
	assert_int_equal(s.batch, 6);
	assert_int_equal(s.queries, 96);
	assert_int_equal(s.keys, 64);
	assert_int_equal(s.head, 32);
	assert_role(&hlo, &s, "scores", JR_SCORES_MADE, BYTES);
	assert_role(&hlo, &s, "maxima", JR_SCORES_BETWEEN, BYTES);
	assert_role(&hlo, &s, "softmax", JR_SCORES_BETWEEN, 2 * BYTES);
	assert_role(&hlo, &s, "out", JR_SCORES_TAKEN, BYTES);
	assert_role(&hlo, &s, "gradient", JR_SCORES_MADE, BYTES);
	assert_role(&hlo, &s, "product", JR_SCORES_BETWEEN, 3 * BYTES);
	assert_role(&hlo, &s, "away", JR_SCORES_BETWEEN, BYTES);
	assert_role(&hlo, &s, "alone", JR_SCORES_NONE, 0);
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(of_what_is_none)
{
	const struct variant others[] = {
		{"maximum", "add", "exponential", 1, 64, 2}, /* one matrix */
		{"minimum", "add", "exponential", 6, 64, 2}, /* not a softmax */
		{"maximum", "maximum", "exponential", 6, 64, 2},
		{"maximum", "add", "tanh", 6, 64, 2}, /* an activation */
	};
	struct cost_case c;
	struct jr_hlo hlo;
	for (size_t i = 0; i < JR_COUNT_OF(others); i++) {
		build(&c, *state, &others[i]);
		if (found_in(&c, &hlo).found)
			fail_msg("attention in variant %zu", i);
		jr_hlo_done(&hlo);
	}
}

/* The gradient of the values sums over queries: it uses weights, too. */
static UNIT_IN_ARENA(of_backward_product)
{
	struct cost_case c;
	struct jr_hlo hlo;
	struct variant v = plain;
	v.taken_along = 1;
	build(&c, *state, &v);
	assert_true(found_in(&c, &hlo).found);
	jr_hlo_done(&hlo);
}

/* Fusions that call each other or themselves, and missing operands. */
static UNIT_IN_ARENA(of_bad_programs)
{
	struct cost_case c;
	struct jr_hlo hlo;
	build(&c, *state, &plain);
	Xla__HloComputationProto *entry = c.at;
	for (size_t i = 0; i < c.proto->hlo_module->n_computations; i++)
		if (c.proto->hlo_module->computations[i] != entry) {
			c.at = c.proto->hlo_module->computations[i];
			Xla__HloInstructionProto *again = put(&c, "again", "fusion", "f32[6,96,64]", "");
			ADD(c.arena, again, called_computation_ids, c.at->id);
			ADD(c.arena, again, operand_ids, 99999);
		}
	const struct jr_scores s = found_in(&c, &hlo);
	assert_false(s.found); /* reducers are fusions now */
	jr_hlo_done(&hlo);
}
