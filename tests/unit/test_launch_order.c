/* The order in which a program launches its thunks, by its schedule. */
#include "replay_case.h"

#include "analysis/schedule/launch_order.h"

/* A module under construction: instructions are referred to by id. */
struct module {
	struct jr_arena *a;
	Xla__HloProto *proto;
	struct job_rows rows;
	int64_t row, at;
};

static struct module module_new(struct jr_arena *a)
{
	struct module m = {.a = a, .proto = build_module(a, "jit_f"), .rows = {.arena = a}};
	m.proto->hlo_module->entry_computation_id = 1;
	m.row = rows_add(&m.rows, 0, 0, 1000000, 100, MODULE("7", "jit_f"));
	return m;
}

/* Add an instruction with `n_rows` rows; the list of operands ends with 0. */
static Xla__HloInstructionProto *put(
	struct module *m, Xla__HloComputationProto *in, const char *opcode, int64_t id, int n_rows, ...)
{
	const char *name = jr_arena_printf(m->a, "%s.%" PRId64, opcode, id);
	Xla__HloInstructionProto *i = build_instruction(m->a, in, name, opcode, id);
	va_list operands;
	va_start(operands, n_rows);
	for (int from = va_arg(operands, int); from; from = va_arg(operands, int))
		ADD(m->a, i, operand_ids, from);
	va_end(operands);
	for (int k = 0; k < n_rows; k++, m->at += 10)
		rows_add(&m->rows, m->row, m->at, m->at + 5, 100, "Thunk:#hlo_op=%s#", name);
	return i;
}

/* A function, because ADD() evaluates the message more than once. */
static void calls(struct module *m, Xla__HloInstructionProto *by, int64_t computation)
{
	ADD(m->a, by, called_computation_ids, computation);
}

static void schedule(struct module *m, int64_t computation, ...)
{
	int64_t ids[16];
	size_t n = 0;
	va_list list;
	va_start(list, computation);
	for (int id = va_arg(list, int); id; id = va_arg(list, int))
		ids[n++] = id;
	va_end(list);
	schedule_add(m->a, m->proto, computation, ids, n);
}

struct laid_out {
	struct job job;
	uint32_t *counts;
	struct jr_launch_order order;
};

static struct laid_out lay_out(struct module *m)
{
	struct laid_out l;
	struct job_process process = rows_process(&m->rows, 1);
	const struct job_hlo hlo[] = {{7, m->proto}};
	process.hlo = hlo;
	process.n_hlo = 1;
	job_make(&l.job, &process);
	const struct jr_profile *p = &l.job.profile;
	l.counts = JR_ARENA_N(m->a, uint32_t, p->n_ops + 1);
	for (size_t i = 0; i < p->thunks.n; i++)
		l.counts[p->thunks.op[i]]++;
	l.order = jr_launch_order_of(p, 0, l.counts, m->a);
	jr_vec_done(&m->rows);
	return l;
}

/* "NAME#EXECUTION" per launch, ":a,b" for the launches of other lanes it needs, "+" if it is
 * waited for at once; "[first,last)" for a wait. */
static void check_order(struct module *m, const char *expected)
{
	struct laid_out l = lay_out(m);
	const struct jr_profile *p = &l.job.profile;
	struct jr_buf got = {0};
	if (l.order.why_not)
		jr_buf_puts(&got, l.order.why_not);
	assert_int_equal(l.order.scheduled, !l.order.why_not);
	for (size_t i = 0; i < l.order.n; i++) {
		const struct jr_launch *k = &l.order.items[i];
		const char *between = ":";
		if (k->op == JR_NONE) {
			jr_buf_printf(&got, "[%u,%u) ", k->first, k->last);
			continue;
		}
		jr_buf_printf(
			&got, "%s#%u%s", jr_str(p, p->ops[k->op].name), k->execution, k->joins ? "+" : "");
		for (size_t lane = 0; lane < JR_N_LANES; lane++)
			if (k->needs[lane]) {
				jr_buf_printf(&got, "%s%u", between, k->needs[lane] - 1);
				between = ",";
			}
		jr_buf_putc(&got, ' ');
	}
	check_text(&got, expected);
	job_done(&l.job);
}

/* The schedule decides, not the list; the wait for a start is at its done. */
static UNIT_IN_ARENA(test_entry)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	put(&m, entry, "add", 10, 1, 0);
	put(&m, entry, "all-reduce-start", 11, 1, 10, 0);
	put(&m, entry, "all-reduce-done", 12, 0, 11, 0);
	put(&m, entry, "add", 13, 2, 10, 0);
	put(&m, entry, "add", 14, 1, 12, 13, 0);
	put(&m, entry, "all-reduce", 15, 1, 14, 0);
	schedule(&m, 1, 10, 11, 13, 12, 14, 15, 0);
	check_order(&m, "add.10#0 all-reduce-start.11#0:0 add.13#0:0 add.13#1:0 [1,2) "
					"add.14#0:3,1 all-reduce.15#0+:5 ");
}

static UNIT_IN_ARENA(test_no_schedule)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	put(&m, entry, "add", 10, 1, 0);
	check_order(&m, "the program's HLO has no schedule");
}

/* A start runs a collective as its own computation. */
static UNIT_IN_ARENA(test_async)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *inner = build_computation(m.a, m.proto, "inner", 2);
	put(&m, entry, "add", 10, 1, 0);
	Xla__HloInstructionProto *start = put(&m, entry, "async-start", 11, 0, 10, 0);
	ADD(m.a, start, called_computation_ids, 2);
	put(&m, entry, "add", 12, 1, 10, 0);
	put(&m, entry, "async-done", 13, 0, 11, 0);
	put(&m, entry, "add", 14, 1, 13, 12, 0);
	put(&m, inner, "parameter", 20, 0, 0);
	put(&m, inner, "reduce-scatter", 21, 1, 20, 0);
	inner->root_id = 21;
	schedule(&m, 1, 10, 11, 12, 13, 14, 0);
	check_order(&m, "add.10#0 reduce-scatter.21#0:0 add.12#0:0 [1,2) add.14#0:2,1 ");
}

/* Build a loop whose state is (changed by each iteration, left unchanged). */
static struct module loop(struct jr_arena *a, int n_condition)
{
	struct module m = module_new(a);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *body = build_computation(m.a, m.proto, "body", 2);
	Xla__HloComputationProto *condition = build_computation(m.a, m.proto, "condition", 3);
	put(&m, entry, "all-gather", 10, 1, 0);
	put(&m, entry, "all-gather", 11, 1, 0);
	put(&m, entry, "tuple", 12, 0, 10, 11, 0);
	Xla__HloInstructionProto *loop = put(&m, entry, "while", 13, 0, 12, 0);
	ADD(m.a, loop, called_computation_ids, 2);
	ADD(m.a, loop, called_computation_ids, 3);
	put(&m, entry, "get-tuple-element", 14, 0, 13, 0)->tuple_index = 0;
	put(&m, entry, "get-tuple-element", 15, 0, 13, 0)->tuple_index = 1;
	put(&m, entry, "add", 16, 1, 14, 0);
	put(&m, entry, "subtract", 17, 1, 15, 0);
	put(&m, body, "parameter", 20, 0, 0);
	put(&m, body, "get-tuple-element", 21, 0, 20, 0)->tuple_index = 0;
	put(&m, body, "get-tuple-element", 22, 0, 20, 0)->tuple_index = 1;
	put(&m, body, "all-reduce", 23, 2, 21, 0);
	put(&m, body, "multiply", 24, 2, 22, 0);
	put(&m, body, "tuple", 25, 0, 23, 22, 0);
	body->root_id = 25;
	put(&m, condition, "parameter", 30, 0, 0);
	put(&m, condition, "compare", 31, n_condition, 30, 0);
	condition->root_id = 31;
	schedule(&m, 1, 10, 11, 12, 13, 14, 15, 16, 17, 0);
	schedule(&m, 2, 20, 21, 22, 23, 24, 25, 0);
	return m;
}

/* State that iterations change comes from the previous iteration, other state from before the
 * loop. */
static UNIT_IN_ARENA(test_loop)
{
	struct module m = loop(*state, 0);
	check_order(&m, "all-gather.10#0+ all-gather.11#0+ all-reduce.23#0+:0 multiply.24#0:1 "
					"all-reduce.23#1+:2 multiply.24#1:1 add.16#0:4 subtract.17#0:1 ");
}

/* A condition runs before each iteration and once after the last; its result is not the loop's. */
static UNIT_IN_ARENA(test_condition)
{
	struct module m = loop(*state, 3);
	check_order(&m, "all-gather.10#0+ all-gather.11#0+ compare.31#0:1 all-reduce.23#0+:0 "
					"multiply.24#0:1 compare.31#1:3 all-reduce.23#1+:3 multiply.24#1:1 "
					"compare.31#2:6 add.16#0:6 subtract.17#0:1 ");
}

static UNIT_IN_ARENA(test_nested_loops)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *in[3];
	for (int k = 0; k < 3; k++) {
		in[k] = build_computation(m.a, m.proto, "c", k + 1);
		if (k < 2)
			calls(&m, put(&m, in[k], "while", 10 * k + 10, 0, 0), k + 2);
	}
	put(&m, in[1], "add", 25, 2, 0);
	put(&m, in[2], "multiply", 35, 4, 0);
	schedule(&m, 1, 10, 0);
	check_order(&m, "multiply.35#0 multiply.35#1 add.25#0 multiply.35#2 multiply.35#3 add.25#1 ");
}

static UNIT_IN_ARENA(test_conditional)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	put(&m, entry, "add", 10, 1, 0);
	put(&m, entry, "all-gather", 11, 1, 0);
	Xla__HloInstructionProto *choice = put(&m, entry, "conditional", 12, 0, 10, 10, 11, 0);
	for (int k = 2; k < 4; k++) {
		Xla__HloComputationProto *branch = build_computation(m.a, m.proto, "branch", k);
		ADD(m.a, choice, called_computation_ids, k);
		put(&m, branch, "parameter", 10 * k, 0, 0);
		put(&m, branch, "multiply", 10 * k + 1, k == 3, 10 * k, 0);
		branch->root_id = 10 * k + 1;
	}
	schedule(&m, 1, 10, 11, 12, 0);
	check_order(&m, "add.10#0 all-gather.11#0+ multiply.31#0:1 ");
}

/* Thunks that fill the result of a fusion have their own rows, before it. */
static UNIT_IN_ARENA(test_fusion)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *inner = build_computation(m.a, m.proto, "inner", 2);
	calls(&m, put(&m, entry, "fusion", 10, 1, 0), 2);
	put(&m, inner, "broadcast", 20, 1, 0);
	schedule(&m, 1, 10, 0);
	check_order(&m, "broadcast.20#0 fusion.10#0 ");
}

/* Branches that share a computation: it needs the operands of both. */
static UNIT_IN_ARENA(test_shared_branch)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *branch = build_computation(m.a, m.proto, "branch", 2);
	Xla__HloInstructionProto *choice = put(&m, entry, "conditional", 13, 0, 10, 11, 12, 0);
	put(&m, entry, "add", 10, 1, 0);
	put(&m, entry, "all-gather", 11, 1, 0);
	put(&m, entry, "all-gather", 12, 1, 0);
	calls(&m, choice, 2);
	calls(&m, choice, 2);
	put(&m, branch, "parameter", 20, 0, 0);
	put(&m, branch, "multiply", 21, 1, 20, 0);
	branch->root_id = 21;
	schedule(&m, 1, 10, 11, 12, 13, 0);
	check_order(&m, "add.10#0 all-gather.11#0+ all-gather.12#0+ multiply.21#0:2 ");
}

/* Called from two places: equally often at each, in each iteration of the loop around them. */
static UNIT_IN_ARENA(test_called_twice_in_a_loop)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *body = build_computation(m.a, m.proto, "body", 2);
	Xla__HloComputationProto *inner = build_computation(m.a, m.proto, "inner", 3);
	calls(&m, put(&m, entry, "while", 10, 0, 0), 2);
	calls(&m, put(&m, body, "call", 20, 0, 0), 3);
	put(&m, body, "add", 21, 2, 0);
	calls(&m, put(&m, body, "call", 22, 0, 0), 3);
	put(&m, inner, "multiply", 30, 4, 0);
	schedule(&m, 1, 10, 0);
	check_order(&m, "multiply.30#0 add.21#0 multiply.30#1 multiply.30#2 add.21#1 multiply.30#3 ");
}

/* Called from two places: once at each. */
static UNIT_IN_ARENA(test_called_twice)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *inner = build_computation(m.a, m.proto, "inner", 2);
	calls(&m, put(&m, entry, "call", 10, 0, 0), 2);
	put(&m, entry, "add", 11, 1, 0);
	calls(&m, put(&m, entry, "call", 12, 0, 0), 2);
	put(&m, inner, "multiply", 20, 2, 0);
	schedule(&m, 1, 10, 11, 12, 0);
	check_order(&m, "multiply.20#0 add.11#0 multiply.20#1 ");
}

/* --- invalid programs ------------------------------------------------------------------------- */

/* Computations that call each other, a done without a start, a start of itself, elements that do
 * not exist, a loop without a body. */
static UNIT_IN_ARENA(test_nonsense)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *inner = build_computation(m.a, m.proto, "inner", 2);
	put(&m, entry, "add", 10, 1, 10, 0);
	put(&m, entry, "while", 11, 0, 99, 0);
	put(&m, entry, "all-reduce-start", 12, 1, 12, 0);
	put(&m, entry, "all-reduce-done", 13, 0, 13, 0);
	put(&m, entry, "get-tuple-element", 14, 0, 12, 0)->tuple_index = 77;
	put(&m, entry, "copy-done", 15, 0, 0);
	calls(&m, put(&m, entry, "call", 16, 0, 14, 0), 2);
	put(&m, inner, "multiply", 20, 1, 0);
	calls(&m, put(&m, inner, "call", 21, 0, 0), 2);
	schedule(&m, 1, 10, 11, 12, 13, 14, 15, 16, 0);
	check_order(&m, "add.10#0 all-reduce-start.12#0+ multiply.20#0 ");
}

/* A computation that the entry does not reach has a thunk that ran. */
static UNIT_IN_ARENA(test_unreached)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *inner = build_computation(m.a, m.proto, "inner", 2);
	put(&m, entry, "add", 10, 1, 0);
	put(&m, inner, "multiply", 20, 1, 0);
	schedule(&m, 1, 10, 0);
	check_order(&m, "its HLO does not contain each thunk that ran exactly once");
}

/* The right number of thunks, but one twice and another never. */
static UNIT_IN_ARENA(test_twice_and_never)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *inner = build_computation(m.a, m.proto, "inner", 2);
	Xla__HloComputationProto *alone = build_computation(m.a, m.proto, "alone", 3);
	Xla__HloInstructionProto *call = put(&m, entry, "call", 10, 0, 0);
	calls(&m, call, 2);
	calls(&m, call, 2);
	put(&m, inner, "multiply", 20, 1, 0);
	put(&m, alone, "subtract", 30, 1, 0);
	schedule(&m, 1, 10, 0);
	check_order(&m, "its HLO does not contain each thunk that ran exactly once");
}

/* Computations that call each other are followed up to a depth. */
static UNIT_IN_ARENA(test_endless_calls)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *inner = build_computation(m.a, m.proto, "inner", 2);
	put(&m, entry, "add", 10, 1, 0);
	calls(&m, put(&m, entry, "call", 11, 0, 0), 2);
	calls(&m, put(&m, inner, "call", 20, 0, 0), 1);
	put(&m, inner, "multiply", 21, 1, 0);
	schedule(&m, 1, 10, 11, 0);
	check_order(&m, "its HLO is too large for the number of thunks");
}

/* A wait within the work of another wait. */
static UNIT_IN_ARENA(test_wait_in_a_wait)
{
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloComputationProto *inner = build_computation(m.a, m.proto, "inner", 2);
	calls(&m, put(&m, entry, "async-start", 10, 0, 0), 2);
	put(&m, entry, "async-done", 11, 0, 10, 0);
	put(&m, inner, "copy-start", 20, 1, 0);
	put(&m, inner, "copy-done", 21, 0, 20, 0);
	put(&m, inner, "add", 22, 1, 21, 0);
	schedule(&m, 1, 10, 11, 0);
	check_order(&m, "copy-start.20#0 [0,1) add.22#0:0 [0,3) ");
}

/* Many instructions wait for one start that ran many times. */
static UNIT_IN_ARENA(test_many_waits)
{
	enum { N = 3000 };
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	put(&m, entry, "all-reduce-start", 10, N, 0);
	for (int i = 0; i < N; i++)
		put(&m, entry, "all-reduce-done", 11 + i, 0, 10, 0);
	schedule(&m, 1, 10, 0);
	check_order(&m, "its HLO is too large for the number of thunks");
}

/* A chain that passes on one large tuple: each link would store all of it. */
static UNIT_IN_ARENA(test_large_tuple)
{
	enum { N = 20000 };
	struct module m = module_new(*state);
	Xla__HloComputationProto *entry = build_computation(m.a, m.proto, "main", 1);
	Xla__HloInstructionProto **all = JR_ARENA_N(m.a, Xla__HloInstructionProto *, N + 2);
	put(&m, entry, "add", 10, 1, 0);
	Xla__HloInstructionProto *tuple = put(&m, entry, "tuple", 11, 0, 0);
	memcpy(all, entry->instructions, 2 * sizeof(*all));
	entry->instructions = all; /* with memory for all of them */
	tuple->operand_ids = JR_ARENA_N(m.a, int64_t, N);
	for (tuple->n_operand_ids = 0; tuple->n_operand_ids < N; tuple->n_operand_ids++)
		tuple->operand_ids[tuple->n_operand_ids] = 10;
	for (int i = 0; i < N; i++) {
		Xla__HloInstructionProto *in = build_new(m.a, &xla__hlo_instruction_proto__descriptor);
		in->name = jr_arena_printf(m.a, "bitcast.%d", 12 + i);
		in->opcode = TEXT(m.a, "bitcast");
		in->id = 12 + i;
		ADD(m.a, in, operand_ids, 11 + i);
		all[entry->n_instructions++] = in;
	}
	schedule(&m, 1, 10, 11, 0);
	check_order(&m, "its HLO is too large for the number of thunks");
}
