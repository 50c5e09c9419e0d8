/* Programs that no compiler writes: their work is unknown, and nothing takes long. */
#include "cost_case.h"

#include <time.h>

/* Check that neither work nor bytes of that name are known. */
static void expect_unknown(struct cost_case *c, const char *name, const char *what)
{
	struct jr_cost cost = case_cost(c, name);
	assert_false(cost.flops_known);
	assert_false(cost.int_ops_known);
	assert_false(cost.bytes_known);
	assert_string_equal(cost.unknown, what);
}

static void expect_no_flops(struct cost_case *c, const char *name, bool bytes_known)
{
	struct jr_cost cost = case_cost(c, name);
	assert_false(cost.flops_known);
	assert_int_equal(cost.bytes_known, bytes_known);
}

static UNIT_IN_ARENA(test_unknown_calls)
{
	struct cost_case c;
	case_begin(&c, *state);
	put_parameters(&c, "f32[1000]");
	put_call(&c, put(&c, "ffi", "custom-call", "f32[1000]", "p0"), "my_ffi_call");
	put_call(&c, put(&c, "none", "custom-call", "f32[1000]", "p0"), "");
	put_call(&c, put(&c, "norm", "custom-call", "(f32[1000], u8[64])", "p0"), "__cudnn$norm");
	put(&c, "loop", "while", "f32[1000]", "p0");
	put(&c, "branch", "conditional", "f32[1000]", "p0");
	put(&c, "new", "zeta", "f32[1000]", "p0");
	put(&c, "rng", "rng-bit-generator", "f32[1000]", "p0");
	expect_unknown(&c, "ffi", "my_ffi_call");
	expect_unknown(&c, "none", "custom-call");
	expect_unknown(&c, "loop", "while");
	expect_unknown(&c, "branch", "conditional");
	expect_unknown(&c, "new", "zeta");
	expect_no_flops(&c, "norm", true);
	assert_int_equal(case_cost(&c, "norm").bytes_written, 4000);
	struct jr_cost cost = case_cost(&c, "rng");
	assert_true(cost.flops_known && cost.bytes_known && !cost.int_ops_known);
	assert_string_equal(case_cost(&c, "ffi").kind, "custom-call:my_ffi_call");
}

/* An unknown call within a fusion makes the whole fusion unknown. */
static UNIT_IN_ARENA(test_unknown_within)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "f32[10]");
	put_call(&c, put(&c, "ffi", "custom-call", "f32[10]", "p0"), "my_ffi_call");
	put(&c, "sum", "add", "f32[10]", "ffi p0");
	put_fusion(&c, "f", id, "f32[10]", "f32[10]");
	expect_unknown(&c, "f", "my_ffi_call");
}

static UNIT_IN_ARENA(test_missing_operands)
{
	static const char *const opcodes[] = {"dot", "convolution", "reduce", "reduce-window",
		"select-and-scatter", "scatter", "map", "sort", "topk", "fft", "triangular-solve",
		"cholesky", "dynamic-update-slice", "gather", "slice", "ragged-dot"};
	for (size_t i = 0; i < JR_COUNT_OF(opcodes); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		Xla__HloInstructionProto *x = put(&c, "x", opcodes[i], "f32[10,10]", "");
		assert_true(case_cost(&c, "x").unknown != NULL);
		ADD(c.arena, x, operand_ids, 999999); /* not an instruction */
		assert_true(case_cost(&c, "x").unknown != NULL);
		ADD(c.arena, x, operand_ids, x->id); /* itself */
		(void)case_cost(&c, "x");
	}
}

static UNIT_IN_ARENA(test_missing_in_fusion)
{
	static const char *const opcodes[] = {"dynamic-update-slice", "scatter", "reduce", "add",
		"slice", "get-tuple-element", "bitcast", "fusion", "pad", "or"};
	for (size_t i = 0; i < JR_COUNT_OF(opcodes); i++)
		for (int n = 0; n < 3; n++) {
			struct cost_case c;
			case_begin(&c, *state);
			int64_t id = case_computation(&c, "fused");
			put_parameters(&c, "f32[10,10] f32[10]");
			put(&c, "x", opcodes[i], "f32[10,10]", n == 0 ? "" : n == 1 ? "p0" : "p0 p1");
			put_fusion(&c, "f", id, "f32[10,10]", "f32[10,10]"); /* one too few, also unknown */
			(void)case_cost(&c, "f");
		}
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "f32[10] f32[10]");
	put(&c, "x", "add", "f32[10]", "p0 p1");
	put_fusion(&c, "f", id, "f32[10]", "f32[10]");
	expect_unknown(&c, "f", "fusion");
}

static UNIT_IN_ARENA(test_sizes)
{
	static const struct {
		const char *shapes, *result;
	} cases[] = {
		{"f32[4611686018427387904,4] f32[4,4]", "f32[4611686018427387904,4]"},
		{"f32[4611686018427387904] f32[4611686018427387904]", "f32[4]"},
		{"pred[2251799813685248,1] pred[1,2251799813685248]", "pred[2251799813685248]"},
		{"f32[-1,4] f32[4,4]", "f32[-1,4]"},
		{"what[4,4] what[4,4]", "what[4,4]"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, cases[i].shapes);
		put_dot(&c, put(&c, "dot", "dot", cases[i].result, "p0 p1"), 0);
		put(&c, "add", "add", cases[i].result, "p0 p1");
		int64_t id = case_computation(&c, "fused");
		put_parameters(&c, cases[i].shapes);
		put(&c, "sum", "add", cases[i].result, "p0 p1");
		c.at = c.entry;
		Xla__HloInstructionProto *f = put(&c, "f", "fusion", cases[i].result, "p0 p1");
		ADD(c.arena, f, called_computation_ids, id);
		expect_no_flops(&c, "dot", false);
		assert_false(case_cost(&c, "add").bytes_known);
		if (i != 1) /* its result is small */
			expect_unknown(&c, "f", "fusion");
	}
}

static UNIT_IN_ARENA(test_dimension_numbers)
{
	static const int64_t wrong[] = {-1, 2, INT64_MAX, INT64_MIN};
	for (size_t i = 0; i < JR_COUNT_OF(wrong); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		put_parameters(&c, "f32[4,4] f32[4,4]");
		put_dot(&c, put(&c, "dot", "dot", "f32[4,4]", "p0 p1"), wrong[i]);
		Xla__HloInstructionProto *conv = put(&c, "conv", "convolution", "f32[4,4]", "p0 p1");
		put_convolution(&c, conv, 2);
		conv->convolution_dimension_numbers->input_feature_dimension = wrong[i];
		Xla__HloInstructionProto *sort = put(&c, "sort", "sort", "f32[4,4]", "p0");
		ADD(c.arena, sort, dimensions, wrong[i]);
		ADD(c.arena, sort, called_computation_ids, case_reducer(&c, "compare", "f32"));
		Xla__HloInstructionProto *groups = put(&c, "groups", "convolution", "f32[4,4]", "p0 p1");
		put_convolution(&c, groups, 2);
		groups->feature_group_count = -4;
		expect_no_flops(&c, "dot", true);
		expect_no_flops(&c, "conv", true);
		expect_no_flops(&c, "sort", true);
		expect_no_flops(&c, "groups", true);
	}
}

/* Windows of any size take no time; numbers that do not fit are unknown. */
static UNIT_IN_ARENA(test_windows)
{
	static const struct {
		int64_t in, out, size, stride, low, dilation, base;
		uint64_t flops; /* 0: unknown */
	} cases[] = {
		/* a cumulative sum: n (n + 1) / 2 - n */
		{1 << 30, 1 << 30, 1 << 30, 1, (1 << 30) - 1, 1, 1, UINT64_C(576460751766552576)},
		{1000000, 1000000, 1, 1, 0, 1, 1, 0}, /* (see below: no work at all) */
		{INT64_MAX, 4, 4, 1, 0, 1, 1, 0}, {4, 4, INT64_MAX, 1, 0, 1, 1, 0},
		{4, 4, -4, 1, 0, 1, 1, 0}, {4, 4, 4, -1, 0, 1, 1, 0}, {4, 4, 4, 1, INT64_MIN, 1, 1, 0},
		{4, 4, 4, 1, INT64_MAX, 1, 1, 0}, {4, 4, 4, 1, 0, -7, 1, 0},
		{4, 4, 4, 1, 0, 1, INT64_MIN, 0},
		{1 << 30, 1 << 30, 1 << 30, 2, 0, 3, 5, 0}, /* gaps in both */
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct cost_case c;
		case_begin(&c, *state);
		char shapes[64], result[64];
		snprintf(shapes, sizeof(shapes), "f32[%lld] f32[]", (long long)cases[i].in);
		snprintf(result, sizeof(result), "f32[%lld]", (long long)cases[i].out);
		int64_t add = case_reducer(&c, "add", "f32");
		put_parameters(&c, shapes);
		Xla__HloInstructionProto *x = put(&c, "x", "reduce-window", result, "p0 p1");
		ADD(c.arena, x, called_computation_ids, add);
		Xla__WindowDimension *w = put_window(&c, x, cases[i].size, cases[i].low);
		w->stride = cases[i].stride;
		w->window_dilation = cases[i].dilation;
		w->base_dilation = cases[i].base;
		struct jr_cost cost = case_cost(&c, "x");
		if (i == 1)
			assert_true(cost.flops_known && cost.vector_flops[JR_VECTOR_F32] == 0);
		else
			assert_int_equal(cost.flops_known, cases[i].flops != 0);
		if (cases[i].flops)
			assert_int_equal(cost.vector_flops[JR_VECTOR_F32], cases[i].flops);
	}
}

static UNIT_IN_ARENA(test_cycles)
{
	struct cost_case c;
	case_begin(&c, *state);
	/* two computations that call each other */
	int64_t a = case_computation(&c, "a");
	put_parameters(&c, "f32[10]");
	Xla__HloInstructionProto *to_b = put(&c, "to_b", "call", "f32[10]", "p0");
	int64_t b = case_computation(&c, "b");
	put_parameters(&c, "f32[10]");
	Xla__HloInstructionProto *to_a = put(&c, "to_a", "call", "f32[10]", "p0");
	ADD(c.arena, to_b, called_computation_ids, b);
	ADD(c.arena, to_a, called_computation_ids, a);
	/* a fusion that calls itself */
	int64_t self = case_computation(&c, "self");
	put_parameters(&c, "f32[10]");
	Xla__HloInstructionProto *within = put(&c, "within", "fusion", "f32[10]", "p0");
	ADD(c.arena, within, called_computation_ids, self);
	/* a reducer that calls itself */
	int64_t reducer = case_computation(&c, "reducer");
	put_parameters(&c, "f32[10] f32[]");
	Xla__HloInstructionProto *inner = put(&c, "inner", "reduce", "f32[]", "p0 p1");
	ADD(c.arena, inner, called_computation_ids, reducer);
	c.at = c.entry;
	put_parameters(&c, "f32[10] f32[]");
	Xla__HloInstructionProto *call = put(&c, "call", "call", "f32[10]", "p0");
	ADD(c.arena, call, called_computation_ids, a);
	Xla__HloInstructionProto *f = put(&c, "f", "fusion", "f32[10]", "p0");
	ADD(c.arena, f, called_computation_ids, self);
	Xla__HloInstructionProto *reduce = put(&c, "reduce", "reduce", "f32[]", "p0 p1");
	ADD(c.arena, reduce, called_computation_ids, reducer);
	assert_false(case_cost(&c, "call").flops_known);
	assert_false(case_cost(&c, "call").bytes_known);
	assert_false(case_cost(&c, "f").flops_known);
	assert_false(case_cost(&c, "reduce").flops_known);
	assert_false(case_cost(&c, "within").flops_known);
}

/* Operands in a circle. */
static UNIT_IN_ARENA(test_circle)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put_parameters(&c, "f32[10]");
	Xla__HloInstructionProto *a = put(&c, "a", "add", "f32[10]", "p0");
	Xla__HloInstructionProto *b = put(&c, "b", "bitcast", "f32[10]", "a");
	ADD(c.arena, a, operand_ids, b->id);
	put_fusion(&c, "f", id, "f32[10]", "f32[10]");
	expect_unknown(&c, "f", "fusion");
	/* outside, an operand only needs a shape */
	case_begin(&c, *state);
	Xla__HloInstructionProto *x = put(&c, "x", "add", "f32[10]", "");
	ADD(c.arena, x, operand_ids, x->id);
	EXPECT_COST(&c, "x", .f32 = 10, .read = 40, .written = 40);
}

/* Nested fusions, deeper than any compiler goes. */
static UNIT_IN_ARENA(test_depth)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "deepest");
	put_parameters(&c, "f32[10]");
	put(&c, "negate", "negate", "f32[10]", "p0");
	for (int i = 0; i < 2000; i++) {
		char name[16];
		snprintf(name, sizeof(name), "c%d", i);
		int64_t outer = case_computation(&c, name);
		put_parameters(&c, "f32[10]");
		Xla__HloInstructionProto *f = put(&c, name, "fusion", "f32[10]", "p0");
		ADD(c.arena, f, called_computation_ids, id);
		id = outer;
	}
	put_fusion(&c, "f", id, "f32[10]", "f32[10]");
	assert_false(case_cost(&c, "f").flops_known);
	EXPECT_COST(&c, "c5", .f32 = 10, .read = 40, .written = 40);
}

/* --- time ----------------------------------------------------------------------------------- */

/* Check that the costs of all fusions named f0, f1, ... are computed quickly. */
static void expect_fast(struct cost_case *c, uint32_t n_fusions, struct jr_cost *last)
{
	struct jr_hlo hlo = build_decode(c->proto);
	struct jr_profile p = {.n_devices = 1};
	jr_intern_init(&p.strings);
	struct jr_process process = {0};
	struct jr_device device = {0};
	struct jr_program program = {.hlo = &hlo};
	p.n_ops = n_fusions;
	p.ops = JR_ARENA_N(c->arena, struct jr_op, n_fusions);
	for (uint32_t i = 0; i < n_fusions; i++) {
		char name[16];
		snprintf(name, sizeof(name), "f%u", i);
		p.ops[i].instruction = jr_hlo_find(&hlo, name);
		assert_true(p.ops[i].instruction != JR_NONE);
	}
	p.programs = &program;
	p.devices = &device;
	p.processes = &process;
	p.n_programs = p.n_processes = 1;
	clock_t begin = clock();
	*last = jr_costs_compute(&p, c->arena)[n_fusions - 1];
	double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	print_message(
		"%.3f s for %u fusions of %u instructions\n", seconds, n_fusions, hlo.n_instructions);
	assert_true(seconds < 5);
	jr_intern_done(&p.strings);
	jr_hlo_done(&hlo);
}

/* Reserve room for n more instructions, which put_quick() adds without moving the others. */
static void reserve(struct cost_case *c, size_t n)
{
	Xla__HloInstructionProto **all =
		JR_ARENA_N(c->arena, Xla__HloInstructionProto *, c->at->n_instructions + n);
	for (size_t i = 0; i < c->at->n_instructions; i++)
		all[i] = c->at->instructions[i];
	c->at->instructions = all;
}

static Xla__HloInstructionProto *put_quick(
	struct cost_case *c, const char *name, const char *opcode, const char *shape, int64_t operand)
{
	Xla__HloInstructionProto *i = build_new(c->arena, &xla__hlo_instruction_proto__descriptor);
	i->name = jr_arena_printf(c->arena, "%s%d", name, (int)c->next_id);
	i->opcode = TEXT(c->arena, opcode);
	i->id = c->at->root_id = c->next_id++;
	i->shape = case_shape(c, shape);
	ADD(c->arena, i, operand_ids, operand);
	c->at->instructions[c->at->n_instructions++] = i;
	return i;
}

/* Add a parameter to the current computation, and a chain after it. */
static void put_chain(struct cost_case *c, size_t n)
{
	put(c, "p0", "parameter", "f32[10]", "");
	reserve(c, n);
	for (size_t i = 0; i < n; i++)
		put_quick(c, "x", "negate", "f32[10]", c->next_id - 1);
}

static void put_fusions(struct cost_case *c, uint32_t n, int64_t called, const char *shape)
{
	c->at = c->entry;
	put(c, "p", "parameter", shape, "");
	int64_t operand = c->next_id - 1;
	reserve(c, n);
	for (uint32_t i = 0; i < n; i++) {
		Xla__HloInstructionProto *f = put_quick(c, "f", "fusion", shape, operand);
		f->name = jr_arena_printf(c->arena, "f%u", i);
		ADD(c->arena, f, called_computation_ids, called);
	}
}

/* Many fusions of one large computation: beyond the step limit of a program the cost is unknown. */
static UNIT_IN_ARENA(test_shared_computation)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put_chain(&c, 4000);
	put_fusions(&c, 4000, id, "f32[10]");
	struct jr_cost last;
	expect_fast(&c, 4000, &last);
	assert_false(last.flops_known);
	assert_false(last.bytes_known);
}

/* A chain as long as a file can be is an ordinary fusion. */
static UNIT_IN_ARENA(test_long_chain)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put_chain(&c, 20000);
	put_fusions(&c, 1, id, "f32[10]");
	struct jr_cost last;
	expect_fast(&c, 1, &last);
	assert_true(last.flops_known);
	assert_int_equal(last.vector_flops[JR_VECTOR_F32], 200000);
	assert_int_equal(last.bytes_read, 40);
}

/* Each link of a chain is sliced at one more site: the number of sites at each link grows with
 * the chain. */
static UNIT_IN_ARENA(test_many_sites)
{
	struct cost_case c;
	case_begin(&c, *state);
	int64_t id = case_computation(&c, "fused");
	put(&c, "p0", "parameter", "f32[1000000]", "");
	int64_t slices[6000], link = c.next_id - 1;
	reserve(&c, 2 * JR_COUNT_OF(slices) + 1);
	for (size_t i = 0; i < JR_COUNT_OF(slices); i++) {
		link = put_quick(&c, "x", "negate", "f32[1000000]", link)->id;
		slices[i] = put_quick(&c, "s", "slice", "f32[1]", link)->id;
	}
	Xla__HloInstructionProto *all = put_quick(&c, "all", "concatenate", "f32[6000]", slices[0]);
	for (size_t i = 1; i < JR_COUNT_OF(slices); i++)
		ADD(c.arena, all, operand_ids, slices[i]);
	put_fusions(&c, 1, id, "f32[6000]");
	struct jr_cost last;
	expect_fast(&c, 1, &last);
	assert_false(last.flops_known);
}

/* One tuple with very many parts, the shape of very many instructions. */
static UNIT_IN_ARENA(test_large_tuple)
{
	struct cost_case c;
	case_begin(&c, *state);
	Xla__ShapeProto *tuple = build_new(c.arena, &xla__shape_proto__descriptor);
	tuple->element_type = XLA__PRIMITIVE_TYPE__TUPLE;
	tuple->tuple_shapes = JR_ARENA_N(c.arena, Xla__ShapeProto *, 20000);
	tuple->n_tuple_shapes = 20000;
	for (size_t i = 0; i < 20000; i++)
		tuple->tuple_shapes[i] = case_shape(&c, "f32[10]");
	int64_t id = case_computation(&c, "fused");
	put(&c, "p0", "parameter", "f32[10]", "")->shape = tuple;
	reserve(&c, 300);
	for (int i = 0; i < 300; i++)
		put_quick(&c, "x", "opt-barrier", "f32[10]", c.next_id - 1)->shape = tuple;
	put_fusions(&c, 10, id, "f32[10]");
	struct jr_cost last;
	expect_fast(&c, 10, &last);
	assert_false(last.bytes_known);
}
