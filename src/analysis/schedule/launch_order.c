/* The walk visits the module as it runs: instructions in the order of the schedule, and loops turn
 * by turn. For each value it tracks the launches that the value depends on, as the last one of each
 * lane. Tuples are tracked by element, so a value that a loop passes through unchanged does not
 * depend on the loop's last turn. */
#include "analysis/schedule/launch_order.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"

#define MOST_DEPTH 32
/* Limit of steps per launch or instruction, plus a constant, as a bound for hostile modules. */
#define MOST_STEPS 64
#define FEW_STEPS 100000

/* Launches that a value depends on: 1 + the last one of each lane, 0 = none. */
struct value {
	uint32_t last[JR_N_LANES];
	uint32_t n_elements;
	struct value *elements; /* of a tuple; NULL: not tracked by element */
};

/* Instructions of a computation in launch order. */
struct body {
	const uint32_t *rows; /* [n] instructions; NULL: not sorted yet */
	uint32_t n;
	uint64_t cost;  /* instructions, operands and called computations */
	uint32_t count; /* executions per execution of the program; 0: nothing in it has rows */
};

/* Arguments of the computation that is being walked. */
struct scope {
	const struct value *arguments;
	uint32_t n;
};

/* Number of executions of the instructions that call a computation. */
struct visits {
	const struct value *argument; /* of its last branch; NULL: none yet */
	uint32_t argument_of;         /* the conditional of that branch */
	uint32_t places;              /* calling instructions, in bodies that run */
	uint64_t n, done;             /* total per execution of the program; so far */
};

struct walk {
	const struct jr_profile *profile;
	const struct jr_hlo *hlo;
	const uint32_t *counts;   /* [n_ops] */
	uint32_t *op_of;          /* [n_instructions] row of ops, JR_NONE */
	struct body *bodies;      /* [n_computations] */
	uint32_t *caller_of;      /* [n_computations] first instruction that calls it, JR_NONE */
	struct visits *visits;    /* [n_computations] */
	struct value *values;     /* [n_instructions] */
	struct value **arguments; /* [n_instructions] operands of a caller; NULL: not made */
	uint32_t *first_launch, *last_launch; /* [n_instructions] for the last execution */
	JR_VEC(struct jr_launch) launches;
	uint64_t steps_left;
	uint32_t depth;
	struct jr_arena *scratch;
};

/* --- lanes ------------------------------------------------------------------------------------ */

bool jr_is_rendezvous(const struct jr_profile *p, const struct jr_op *op)
{
	const char *kind = jr_str(p, op->collective);
	return op->communication && strcmp(kind, "host-to-device") != 0 &&
		   strcmp(kind, "device-to-host") != 0;
}

/* Return the only instruction that calls the computation of this one, or NULL. */
static const struct jr_hlo_instruction *around(
	const struct jr_hlo *hlo, const uint32_t *caller_of, const struct jr_hlo_instruction *in)
{
	uint32_t caller = caller_of ? caller_of[in->computation] : JR_NONE;
	return caller == JR_NONE ? NULL : &hlo->instructions[caller];
}

static enum jr_lane lane_of(
	const struct jr_profile *p, const struct jr_op *op, const uint32_t *caller_of)
{
	if (jr_is_rendezvous(p, op) || op->own_copy)
		return JR_LANE_COLLECTIVE;
	const struct jr_hlo *hlo = p->programs[op->program].hlo;
	if (!hlo || op->instruction == JR_NONE)
		return op->communication ? JR_LANE_COPY : JR_LANE_COMPUTE;
	const struct jr_hlo_instruction *in = &hlo->instructions[op->instruction];
	const struct jr_hlo_instruction *outer = around(hlo, caller_of, in);
	bool aside = jr_text_ends(in->opcode, "-start") || (outer && outer->op == JR_OP_ASYNC_START);
	if (!aside)
		return JR_LANE_COMPUTE;
	return op->communication || in->op == JR_OP_COPY_START ? JR_LANE_COPY : JR_LANE_ASIDE;
}

enum jr_lane jr_lane_of(const struct jr_profile *profile, const struct jr_op *op)
{
	return lane_of(profile, op, NULL);
}

/* --- values ----------------------------------------------------------------------------------- */

/* Use up `steps` of the limit. Return false if fewer are left. */
static bool charge(struct walk *w, uint64_t steps)
{
	bool allowed = steps <= w->steps_left;
	w->steps_left = allowed ? w->steps_left - steps : 0;
	return allowed;
}

static void wait_for(struct value *v, const struct value *other)
{
	for (int lane = 0; lane < JR_N_LANES; lane++)
		v->last[lane] = v->last[lane] > other->last[lane] ? v->last[lane] : other->last[lane];
}

static uint32_t operand_row(const struct walk *w, uint32_t row, uint32_t k)
{
	const struct jr_hlo_instruction *in = &w->hlo->instructions[row];
	return jr_hlo_operand(w->hlo, in, k);
}

static struct value *operand(const struct walk *w, uint32_t row, uint32_t k)
{
	if (k >= w->hlo->instructions[row].n_operands)
		return NULL;
	uint32_t from = operand_row(w, row, k);
	return from == JR_NONE ? NULL : &w->values[from];
}

/* Return the union of the dependencies of all operands. */
static struct value operands(const struct walk *w, uint32_t row)
{
	struct value v = {0};
	for (uint32_t k = 0; k < w->hlo->instructions[row].n_operands; k++) {
		const struct value *from = operand(w, row, k);
		if (from)
			wait_for(&v, from);
	}
	return v;
}

/* Make room for n elements. Allocate only if the present room is too small. */
static void make_elements(struct walk *w, struct value *v, uint32_t n)
{
	if (!v->elements || v->n_elements < n)
		v->elements = JR_ARENA_N(w->scratch, struct value, n + 1);
	v->n_elements = n;
}

static void set_tuple(struct walk *w, uint32_t row)
{
	struct value *to = &w->values[row], all = operands(w, row);
	make_elements(w, to, w->hlo->instructions[row].n_operands);
	for (uint32_t k = 0; k < to->n_elements; k++) {
		const struct value *from = operand(w, row, k);
		to->elements[k] = (struct value){0};
		if (from)
			wait_for(&to->elements[k], from);
	}
	memcpy(to->last, all.last, sizeof(to->last));
}

/* Copy a value with its elements. */
static void set_copy(struct walk *w, struct value *to, const struct value *from)
{
	struct value *elements = to->elements;
	if (!from || from == to)
		return;
	memcpy(to->last, from->last, sizeof(to->last));
	if (!from->elements || !charge(w, from->n_elements)) {
		to->n_elements = 0;
		to->elements = NULL;
		return;
	}
	to->elements = elements;
	make_elements(w, to, from->n_elements);
	memcpy(to->elements, from->elements, from->n_elements * sizeof(*to->elements));
}

static void set_element(struct walk *w, uint32_t row)
{
	const struct jr_hlo_instruction *in = &w->hlo->instructions[row];
	const struct value *from = operand(w, row, 0);
	struct value v = {0};
	if (from && from->elements && in->number < from->n_elements)
		wait_for(&v, &from->elements[in->number]);
	else if (from)
		wait_for(&v, from);
	w->values[row] = v;
}

/* --- one instruction -------------------------------------------------------------------------- */

/* Return the first of `count` executions that belongs to turn t of n. */
static uint32_t share(uint32_t count, uint64_t t, uint64_t n)
{
	return n ? (uint32_t)(t * count / n) : 0;
}

static void launch(struct walk *w, uint32_t row, uint64_t turn, uint32_t n_turns)
{
	uint32_t op_row = w->op_of[row];
	const struct jr_op *op = &w->profile->ops[op_row];
	uint32_t first = share(w->counts[op_row], turn, n_turns);
	uint32_t last = share(w->counts[op_row], turn + 1, n_turns);
	struct value needs = operands(w, row);
	enum jr_lane lane = lane_of(w->profile, op, w->caller_of);
	w->first_launch[row] = (uint32_t)w->launches.n;
	for (uint32_t k = first; k < last && charge(w, 1); k++) {
		struct jr_launch *l = jr_vec_add(&w->launches);
		*l = (struct jr_launch){.op = op_row,
			.execution = k,
			.lane = (uint8_t)lane,
			.rendezvous = jr_is_rendezvous(w->profile, op),
			.joins = lane != JR_LANE_COMPUTE};
		memcpy(l->needs, needs.last, sizeof(l->needs));
	}
	w->last_launch[row] = (uint32_t)w->launches.n;
	if (last > first) {
		w->values[row] = (struct value){0};
		w->values[row].last[lane] = (uint32_t)w->launches.n;
	} else {
		w->values[row] = needs;
	}
}

/* Return the start that a `-done` or `-update` belongs to, or JR_NONE. */
static uint32_t start_of(const struct walk *w, uint32_t row)
{
	for (int hops = 0; hops < 8 && row != JR_NONE; hops++) {
		const char *opcode = w->hlo->instructions[row].opcode;
		if (jr_text_ends(opcode, "-start"))
			return row;
		if (w->hlo->instructions[row].n_operands == 0)
			return JR_NONE;
		row = operand_row(w, row, 0);
	}
	return JR_NONE;
}

/* Add a wait of the compute lane for the launches of the start. */
static void await(struct walk *w, uint32_t row)
{
	uint32_t start = start_of(w, row);
	if (start != JR_NONE && w->last_launch[start] > w->first_launch[start] &&
		charge(w, w->last_launch[start] - w->first_launch[start])) {
		uint32_t first = w->first_launch[start], last = w->last_launch[start];
		assert(w->launches.items);
		for (uint32_t i = first; i < last; i++)
			w->launches.items[i].joins = false;
		*jr_vec_add(&w->launches) = (struct jr_launch){.op = JR_NONE, .first = first, .last = last};
	}
	w->values[row] = operands(w, row);
}

static void walk_body(
	struct walk *w, uint32_t computation, uint64_t turn, const struct scope *scope);

static const struct value *root_of(const struct walk *w, uint32_t computation)
{
	uint32_t root = jr_hlo_root(w->hlo, computation);
	return root == JR_NONE ? NULL : &w->values[root];
}

static uint32_t called(const struct walk *w, uint32_t row, uint32_t k)
{
	const struct jr_hlo_instruction *in = &w->hlo->instructions[row];
	uint32_t c = jr_hlo_called(w->hlo, in, k);
	return c != JR_NONE && c != in->computation && w->bodies[c].count ? c : JR_NONE;
}

/* Executions of a computation per turn of its caller: [first, last). */
struct turns {
	uint32_t computation; /* JR_NONE: none */
	uint32_t first, last;
};

static struct turns turns_of(
	const struct walk *w, uint32_t row, uint32_t k, uint64_t turn, uint64_t n_turns)
{
	uint32_t c = k < w->hlo->instructions[row].n_called ? called(w, row, k) : JR_NONE;
	if (c == JR_NONE)
		return (struct turns){JR_NONE, 0, 0};
	uint32_t count = w->bodies[c].count;
	struct visits *v = &w->visits[c];
	if (v->places > 1) { /* divide executions equally between calling places */
		turn = v->done++;
		n_turns = v->n;
	}
	return (struct turns){c, share(count, turn, n_turns), share(count, turn + 1, n_turns)};
}

/* Walk condition and body turn by turn. Each turn begins with the result of the turn before. */
static void walk_loop(struct walk *w, uint32_t row, uint64_t turn, uint32_t n_turns)
{
	struct value state = {0};
	struct turns body = turns_of(w, row, 0, turn, n_turns);
	struct turns condition = turns_of(w, row, 1, turn, n_turns);
	if (operand(w, row, 0))
		set_copy(w, &state, operand(w, row, 0));
	while (w->steps_left && (body.first < body.last || condition.first < condition.last)) {
		if (condition.first < condition.last)
			walk_body(w, condition.computation, condition.first++, &(struct scope){&state, 1});
		if (body.first == body.last)
			continue;
		walk_body(w, body.computation, body.first++, &(struct scope){&state, 1});
		if (root_of(w, body.computation))
			set_copy(w, &state, root_of(w, body.computation));
	}
	set_copy(w, &w->values[row], &state);
}

/* Return the operands of the instruction. Valid until the next call for the same instruction. */
static struct value *arguments_of(struct walk *w, uint32_t row)
{
	uint32_t n = w->hlo->instructions[row].n_operands;
	if (!w->arguments[row])
		w->arguments[row] = JR_ARENA_N(w->scratch, struct value, n + 1);
	for (uint32_t i = 0; i < n; i++)
		if (operand(w, row, i))
			set_copy(w, &w->arguments[row][i], operand(w, row, i));
	return w->arguments[row];
}

/* Return the argument of a branch. If branches share a computation, it depends on the arguments of
 * all of them. */
static struct value *argument_of_branch(
	struct walk *w, uint32_t computation, uint32_t row, uint32_t k)
{
	struct visits *v = &w->visits[computation];
	struct value *argument = &w->arguments[row][k + 1];
	if (v->argument && v->argument_of == row && v->argument != argument) {
		wait_for(argument, v->argument);
		argument->n_elements = 0;
		argument->elements = NULL;
	}
	v->argument_of = row;
	v->argument = argument;
	return argument;
}

/* Walk calls, branches, starts and fusions; their operands are the parameters. */
static struct value walk_called(struct walk *w, uint32_t row, uint64_t turn, uint32_t n_turns)
{
	const struct jr_hlo_instruction *in = &w->hlo->instructions[row];
	struct value v = operands(w, row);
	bool branches = in->op == JR_OP_CONDITIONAL;
	struct value *arguments = in->n_called ? arguments_of(w, row) : NULL;
	w->first_launch[row] = (uint32_t)w->launches.n;
	for (uint32_t k = 0; k < in->n_called && w->steps_left; k++) {
		struct turns turns = turns_of(w, row, k, turn, n_turns);
		struct scope scope = {arguments, in->n_operands};
		if (turns.computation == JR_NONE)
			continue;
		if (branches && k + 1 < in->n_operands)
			scope = (struct scope){argument_of_branch(w, turns.computation, row, k), 1};
		for (uint32_t t = turns.first; t < turns.last && w->steps_left; t++)
			walk_body(w, turns.computation, t, &scope);
		if (root_of(w, turns.computation))
			wait_for(&v, root_of(w, turns.computation));
	}
	w->last_launch[row] = (uint32_t)w->launches.n;
	return v;
}

static void walk_instruction(
	struct walk *w, uint32_t row, uint64_t turn, uint32_t n_turns, const struct scope *scope)
{
	const struct jr_hlo_instruction *in = &w->hlo->instructions[row];
	if (in->op == JR_OP_WHILE) {
		walk_loop(w, row, turn, n_turns);
	} else if (in->op == JR_OP_PARAMETER) {
		if (in->number < scope->n)
			set_copy(w, &w->values[row], &scope->arguments[in->number]);
		else
			w->values[row] = (struct value){0};
	} else if (in->op == JR_OP_TUPLE) {
		set_tuple(w, row);
	} else if (in->op == JR_OP_GET_TUPLE_ELEMENT) {
		set_element(w, row);
	} else if (jr_text_ends(in->opcode, "-done") || jr_text_ends(in->opcode, "-update")) {
		/* some list the computation of their start as called, too */
		if (jr_text_ends(in->opcode, "-done"))
			await(w, row);
		else
			w->values[row] = operands(w, row);
	} else if (in->n_called && w->op_of[row] == JR_NONE) {
		w->values[row] = walk_called(w, row, turn, n_turns);
	} else if (w->op_of[row] != JR_NONE) {
		if (in->n_called) /* instructions that fill a fusion's result have their own rows */
			(void)walk_called(w, row, turn, n_turns);
		launch(w, row, turn, n_turns);
	} else if (in->n_operands == 1 && operand(w, row, 0)) {
		set_copy(w, &w->values[row], operand(w, row, 0));
	} else {
		w->values[row] = operands(w, row);
	}
}

static void walk_body(
	struct walk *w, uint32_t computation, uint64_t turn, const struct scope *scope)
{
	const struct body *b = &w->bodies[computation];
	if (w->depth >= MOST_DEPTH || w->steps_left < b->cost) {
		w->steps_left = 0;
		return;
	}
	w->steps_left -= b->cost;
	w->depth++;
	for (uint32_t i = 0; i < b->n && w->steps_left; i++)
		walk_instruction(w, b->rows[i], turn, b->count, scope);
	w->depth--;
}

/* --- preparation ------------------------------------------------------------------------------ */

static void sort_body(struct walk *w, uint32_t computation)
{
	const struct jr_hlo_computation *c = &w->hlo->computations[computation];
	struct body *b = &w->bodies[computation];
	uint32_t *rows = JR_ARENA_N(w->scratch, uint32_t, c->n + 1);
	jr_hlo_launch_order(w->hlo, computation, rows);
	b->rows = rows;
	b->n = c->n;
	b->cost = c->n;
	for (uint32_t i = 0; i < c->n; i++)
		b->cost += (uint64_t)w->hlo->instructions[c->first + i].n_operands +
				   w->hlo->instructions[c->first + i].n_called;
}

/* Set how often each computation runs: the count that the majority of its instructions with rows
 * have. */
static void count_bodies(struct walk *w)
{
	const struct jr_hlo *hlo = w->hlo;
	uint32_t *votes = JR_ARENA_N(w->scratch, uint32_t, hlo->n_computations + 1);
	for (uint32_t row = 0; row < hlo->n_instructions; row++) {
		if (w->op_of[row] == JR_NONE)
			continue;
		struct body *b = &w->bodies[hlo->instructions[row].computation];
		uint32_t *vote = &votes[hlo->instructions[row].computation];
		uint32_t count = w->counts[w->op_of[row]];
		if (*vote == 0)
			b->count = count;
		*vote += b->count == count ? 1 : UINT32_MAX; /* keeps the majority count if there is one */
	}
	uint32_t entry = jr_hlo_entry(hlo);
	if (entry != JR_NONE)
		w->bodies[entry].count = 1;
	/* Computations that only call others run as often as their caller, and at least once. */
	for (uint32_t c = 0; c < hlo->n_computations; c++) {
		uint32_t outer = c;
		for (int hops = 0; w->bodies[c].count && hops < MOST_DEPTH; hops++) {
			if (w->caller_of[outer] == JR_NONE)
				break;
			outer = hlo->instructions[w->caller_of[outer]].computation;
			if (w->bodies[outer].count == 0)
				w->bodies[outer].count = 1;
		}
	}
}

static void find_callers(struct walk *w)
{
	for (uint32_t row = 0; row < w->hlo->n_instructions; row++) {
		const struct jr_hlo_instruction *in = &w->hlo->instructions[row];
		for (uint32_t k = 0; k < in->n_called; k++) {
			uint32_t c = jr_hlo_called(w->hlo, in, k);
			if (c != JR_NONE && w->caller_of[c] == JR_NONE)
				w->caller_of[c] = row;
		}
	}
}

static void count_visits(struct walk *w)
{
	for (uint32_t row = 0; row < w->hlo->n_instructions; row++) {
		const struct jr_hlo_instruction *in = &w->hlo->instructions[row];
		uint32_t count = w->bodies[in->computation].count;
		if (count == 0 || jr_text_ends(in->opcode, "-done") || jr_text_ends(in->opcode, "-update"))
			continue;
		for (uint32_t k = 0; k < in->n_called; k++) {
			uint32_t c = called(w, row, k);
			if (c == JR_NONE)
				continue;
			w->visits[c].places++;
			w->visits[c].n += count;
		}
	}
}

static uint32_t *all_none(struct jr_arena *arena, size_t n)
{
	uint32_t *values = JR_ARENA_N(arena, uint32_t, n + 1);
	memset(values, 0xFF, n * sizeof(*values));
	return values;
}

static void prepare(struct walk *w, uint32_t program)
{
	const struct jr_profile *p = w->profile;
	const struct jr_hlo *hlo = w->hlo;
	uint64_t n_launches = 0;
	w->op_of = all_none(w->scratch, hlo->n_instructions);
	w->caller_of = all_none(w->scratch, hlo->n_computations);
	w->bodies = JR_ARENA_N(w->scratch, struct body, hlo->n_computations + 1);
	w->values = JR_ARENA_N(w->scratch, struct value, hlo->n_instructions + 1);
	w->arguments = JR_ARENA_N(w->scratch, struct value *, hlo->n_instructions + 1);
	w->first_launch = JR_ARENA_N(w->scratch, uint32_t, hlo->n_instructions + 1);
	w->last_launch = JR_ARENA_N(w->scratch, uint32_t, hlo->n_instructions + 1);
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (p->ops[i].program != program || w->counts[i] == 0)
			continue;
		n_launches += w->counts[i];
		if (p->ops[i].instruction != JR_NONE)
			w->op_of[p->ops[i].instruction] = i;
	}
	w->steps_left = FEW_STEPS + MOST_STEPS * (hlo->n_instructions + n_launches);
	for (uint32_t row = 0; row < hlo->n_instructions; row++)
		w->steps_left += MOST_STEPS * ((uint64_t)hlo->instructions[row].n_operands +
										  hlo->instructions[row].n_called);
	find_callers(w);
	count_bodies(w);
	w->visits = JR_ARENA_N(w->scratch, struct visits, hlo->n_computations + 1);
	count_visits(w);
	for (uint32_t c = 0; c < hlo->n_computations; c++)
		if (w->bodies[c].count)
			sort_body(w, c);
}

/* --- the order -------------------------------------------------------------------------------- */

/* True if each execution of each thunk occurs exactly once. */
static bool has_all(const struct walk *w, uint32_t program)
{
	size_t n_ops = w->profile->n_ops;
	uint64_t *first_of_op = JR_ARENA_N(w->scratch, uint64_t, n_ops + 1), n = 0;
	for (size_t i = 0; i < n_ops; i++) {
		first_of_op[i] = n;
		n += w->profile->ops[i].program == program ? w->counts[i] : 0;
	}
	uint8_t *seen = JR_ARENA_N(w->scratch, uint8_t, n + 1);
	for (size_t i = 0; i < w->launches.n; i++) {
		const struct jr_launch *l = &w->launches.items[i];
		if (l->op == JR_NONE)
			continue;
		uint8_t *at = &seen[first_of_op[l->op] + l->execution];
		if (*at)
			return false;
		*at = 1;
		n--;
	}
	return n == 0;
}

struct jr_launch_order jr_launch_order_of(const struct jr_profile *profile, uint32_t program,
	const uint32_t *counts, struct jr_arena *arena)
{
	struct jr_launch_order order = {0};
	const struct jr_hlo *hlo = profile->programs[program].hlo;
	uint32_t entry = hlo ? jr_hlo_entry(hlo) : JR_NONE;
	if (entry == JR_NONE || !hlo->computations[entry].scheduled) {
		order.why_not = hlo ? "the program's HLO has no schedule" : "the program's HLO is missing";
		return order;
	}
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct walk w = {.profile = profile, .hlo = hlo, .counts = counts, .scratch = &scratch};
	prepare(&w, program);
	walk_body(&w, entry, 0, &(struct scope){NULL, 0});
	if (w.steps_left == 0) {
		order.why_not = "its HLO is too large for the number of thunks";
	} else if (!has_all(&w, program)) {
		order.why_not = "its HLO does not contain each thunk that ran exactly once";
	} else {
		order.scheduled = true;
		order.n = w.launches.n;
		order.items = JR_ARENA_N(arena, struct jr_launch, order.n + 1);
		if (order.n)
			memcpy(order.items, w.launches.items, order.n * sizeof(*order.items));
	}
	jr_vec_done(&w.launches);
	jr_arena_done(&scratch);
	return order;
}
