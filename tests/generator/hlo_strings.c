#include "hlo_strings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "hlo_print.h"

/* One frame; only the innermost one has an op_name. */
struct frame {
	const char *file, *function, *op;
	int32_t line, column;
};

enum { MAX_DEPTH = 64, CUT_EVERY = 7, CUT_AT = 3 };

struct stack {
	size_t n;
	struct frame frames[MAX_DEPTH]; /* outermost first */
};

struct strings {
	struct gen_scenario *sc;
	struct gen_program *program;
	const Xla__HloModuleProto *module;
	struct gen_hlo_text text;
	struct jr_map ops; /* ids of instructions to rows of program->ops */
	size_t n_common;   /* frames that all stacks of the module begin with */
	gen_string_fn put;
	void *to;
};

typedef JR_VEC(const Xla__HloInstructionProto *) instructions;

/* --- op_names -------------------------------------------------------------------------------- */

/* Length of the longest common prefix of whole components, the first n bytes of `a` being one. */
static size_t common_components(const char *a, size_t n, const char *b)
{
	size_t i = 0;
	while (i < n && a[i] == b[i])
		i++;
	if (i == n && (!b[i] || b[i] == '/'))
		return n;
	if (!b[i] && a[i] == '/')
		return i;
	while (i && a[i] != '/')
		i--;
	return i;
}

/* An instruction and what it calls, directly or not. */
static void visit(
	const struct strings *x, const Xla__HloInstructionProto *in, instructions *visited)
{
	*jr_vec_add(visited) = in;
	for (size_t k = 0; k < in->n_called_computation_ids; k++) {
		uint32_t row = jr_map_get(&x->text.computations, (uint64_t)in->called_computation_ids[k]);
		const Xla__HloComputationProto *c = x->module->computations[row];
		for (size_t i = 0; i < c->n_instructions; i++)
			visit(x, c->instructions[i], visited);
	}
}

static size_t longest_prefix(const instructions *visited)
{
	const char *first = NULL;
	size_t n = 0;
	for (size_t i = 0; i < visited->n; i++) {
		const char *name = visited->items[i]->metadata->op_name;
		if (*name && !first)
			n = strlen(first = name);
		else if (*name)
			n = common_components(first, n, name);
	}
	return n;
}

/* --- stacks ---------------------------------------------------------------------------------- */

static int order_frames(const struct frame *a, const struct frame *b)
{
	int order = strcmp(a->file, b->file);
	order = order ? order : (a->line > b->line) - (a->line < b->line);
	order = order ? order : (a->column > b->column) - (a->column < b->column);
	order = order ? order : strcmp(a->function, b->function);
	return order ? order : strcmp(a->op, b->op);
}

static int order_stacks(const void *left, const void *right)
{
	const struct stack *a = left, *b = right;
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		int order = order_frames(&a->frames[i], &b->frames[i]);
		if (order)
			return order;
	}
	return (a->n > b->n) - (a->n < b->n);
}

/* The stack of an instruction, without the first `skip` bytes of its op_name; n = 0: none. */
static struct stack stack_of(
	const struct strings *x, const Xla__HloInstructionProto *in, size_t skip)
{
	const Xla__StackFrameIndexProto *m = x->module->stack_frame_index;
	struct stack stack = {.n = 0};
	size_t n = strlen(in->metadata->op_name);
	const char *op = in->metadata->op_name + (skip < n ? skip : n);
	op += *op == '/';
	for (int32_t id = in->metadata->stack_frame_id; id;
		 id = m->stack_frames[id - 1]->parent_frame_id)
		stack.n++;
	assert(stack.n <= MAX_DEPTH);
	size_t i = stack.n;
	for (int32_t id = in->metadata->stack_frame_id; id;
		 id = m->stack_frames[id - 1]->parent_frame_id) {
		const Xla__StackFrameIndexProto__FileLocation *at =
			m->file_locations[m->stack_frames[id - 1]->file_location_id - 1];
		i--;
		stack.frames[i] = (struct frame){m->file_names[at->file_name_id - 1],
			m->function_names[at->function_name_id - 1], i + 1 == stack.n ? op : "", at->line,
			at->column};
	}
	return stack;
}

/* Nsight Systems shows strings as HTML. */
static void put_escaped(struct jr_buf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '<' || *s == '>')
			jr_buf_puts(out, *s == '<' ? "&lt;" : "&gt;");
		else
			jr_buf_putc(out, *s);
	}
}

static void put_frame(struct jr_buf *out, const struct frame *f)
{
	put_escaped(out, f->file);
	jr_buf_printf(out, ":%d", f->line);
	if (f->column)
		jr_buf_printf(out, ":%d", f->column);
	if (*f->function) {
		jr_buf_putc(out, '[');
		put_escaped(out, f->function);
		jr_buf_putc(out, ']');
	}
	jr_buf_puts(out, *f->op ? " " : "");
	put_escaped(out, f->op);
	jr_buf_putc(out, '\n');
}

/* The frames that all stacks of the module share, if there are several; sets n_common. */
static void put_common_frames(struct strings *x, struct jr_buf *out)
{
	struct stack first = {.n = 0};
	bool some = false, several = false;
	size_t n = 0;
	for (size_t c = 0; c < x->module->n_computations; c++)
		for (size_t i = 0; i < x->module->computations[c]->n_instructions; i++) {
			struct stack s = stack_of(x, x->module->computations[c]->instructions[i], 0);
			if (!s.n)
				continue;
			if (!some)
				n = (first = s).n;
			some = true;
			several |= order_stacks(&first, &s) != 0;
			for (size_t k = 0; k < n; k++)
				if (k == s.n || order_frames(&first.frames[k], &s.frames[k]) != 0)
					n = k;
		}
	if (!several)
		return;
	x->n_common = n;
	jr_buf_putc(out, '\n');
	for (size_t k = 0; k < n; k++)
		put_frame(out, &first.frames[k]);
}

/* The merged stacks of an instruction and of what it calls: dashes are the depth. */
static void put_stacks(const struct strings *x, const instructions *visited, struct jr_buf *out)
{
	JR_VEC(struct stack) stacks = {0};
	size_t skip = longest_prefix(visited);
	for (size_t i = 0; i < visited->n; i++) {
		struct stack s = stack_of(x, visited->items[i], skip);
		if (s.n)
			*jr_vec_add(&stacks) = s;
	}
	if (stacks.n)
		qsort(stacks.items, stacks.n, sizeof(*stacks.items), order_stacks);
	jr_buf_putc(out, '\n');
	for (size_t i = 0; i < stacks.n; i++) {
		const struct stack *s = &stacks.items[i], *before = i ? s - 1 : NULL;
		size_t k = x->n_common;
		while (before && k < s->n && k < before->n &&
			   order_frames(&s->frames[k], &before->frames[k]) == 0)
			k++;
		for (; k < s->n; k++) {
			jr_buf_repeat(out, '-', k - x->n_common + 1);
			jr_buf_putc(out, ' ');
			put_frame(out, &s->frames[k]);
		}
	}
	jr_vec_done(&stacks);
}

/* --- modules --------------------------------------------------------------------------------- */

static void put(const struct strings *x, const struct jr_buf *text)
{
	x->put(x->to, text->data);
}

/* The range of its operation has the same title. */
static const char *title_of(const struct strings *x, const Xla__HloInstructionProto *in)
{
	uint32_t op = jr_map_get(&x->ops, (uint64_t)in->id);
	if (op != JR_NONE)
		return x->program->ops.items[op].text;
	const char *name = in->metadata->op_name, *prefix = x->program->prefix;
	size_t n = prefix && !(x->sc->options.strings & GEN_STRINGS_NO_PREFIX) ? strlen(prefix) : 0;
	if (n && strncmp(name, prefix, n) == 0)
		name += n + (name[n] == '/');
	return gen_thunk_title(x->sc, x->program, *name ? name : NULL, in->name, in->id);
}

/* With GEN_STRINGS_CUT: whether the i-th instruction of a module has only half of its texts. */
static bool is_cut(const struct gen_scenario *sc, size_t i)
{
	return sc->options.strings & GEN_STRINGS_CUT && i % CUT_EVERY == CUT_AT;
}

static void put_instruction(
	const struct strings *x, size_t computation, const Xla__HloInstructionProto *in, bool cut)
{
	struct jr_buf hlo = {0}, stacks = {0}, called = {0};
	instructions visited = {0};
	x->put(x->to, title_of(x, in));
	gen_hlo_print_instruction(&x->text, computation, in, &hlo);
	visit(x, in, &visited);
	put_stacks(x, &visited, &stacks);
	jr_buf_putc(&called, '\n');
	gen_hlo_print_called(&x->text, in, &called);
	if (cut) {
		hlo.data[hlo.size / 2] = '\0';
		called.data[(called.size + 1) / 2] = '\0';
	}
	put(x, &hlo);
	put(x, &stacks);
	put(x, &called);
	jr_buf_done(&hlo);
	jr_buf_done(&stacks);
	jr_buf_done(&called);
	jr_vec_done(&visited);
}

static void put_program(struct strings *x, uint32_t process)
{
	struct gen_program *p = x->program;
	JR_CLEANUP(jr_buf_done) struct jr_buf common = {0};
	size_t n = 0;
	for (size_t i = 0; i < p->ops.n; i++)
		if (p->ops.items[i].instruction)
			jr_map_put(&x->ops, (uint64_t)p->ops.items[i].instruction, (uint32_t)i);
	x->put(x->to, gen_module_title(x->sc, p, process));
	x->put(x->to, p->name);
	put_common_frames(x, &common);
	if (common.size)
		put(x, &common);
	for (size_t c = 0; c < x->module->n_computations; c++)
		for (size_t i = 0; i < x->module->computations[c]->n_instructions; i++)
			put_instruction(x, c, x->module->computations[c]->instructions[i], is_cut(x->sc, n++));
}

void gen_hlo_strings(struct gen_scenario *sc, uint32_t process, gen_string_fn put_string, void *to)
{
	/* \x01 is GEN_NUL: the environment of the job is one string */
	static const char *const foreign[] = {"HOME=/home/user\x01PATH=/usr/bin:/bin\x01"
										  "API_TOKEN=strings-are-secret\x01",
		"/usr/bin/python3.12", "void gemm_128x64_nn(float*)", "weights = data[0](load), step 1",
		"\n- not a stack"};
	for (size_t i = 0; i < JR_COUNT_OF(foreign) || i < sc->programs.n; i++) {
		if (i < JR_COUNT_OF(foreign))
			put_string(to, foreign[i]);
		if (i >= sc->programs.n)
			continue;
		JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
		struct strings x = {
			.sc = sc, .program = sc->programs.items[i], .put = put_string, .to = to};
		x.module = gen_hlo_module(sc, &arena, x.program, process);
		gen_hlo_text_init(&x.text, x.module, GEN_HLO_ASYNC_NAMES | GEN_HLO_NAMED_ENDS);
		put_program(&x, process);
		gen_hlo_text_done(&x.text);
		jr_map_done(&x.ops);
	}
}

static void list(struct gen_json *json, const struct gen_program *p, const char *instruction)
{
	gen_json_open(json, NULL, '{');
	gen_json_i64(json, "program_id", p->number);
	gen_json_text(json, "module", p->name);
	gen_json_text(json, "hlo_op", instruction);
	gen_json_close(json, '}');
}

void gen_truth_strings(struct gen_scenario *sc, struct gen_json *json)
{
	gen_json_open(json, "hlo_strings", '{');
	gen_json_open(json, "ambiguous", '[');
	for (size_t i = 0; i < sc->programs.n; i++)
		for (size_t k = 0; sc->programs.items[i]->ambiguous && k < sc->programs.items[i]->ops.n;
			 k++)
			list(json, sc->programs.items[i], sc->programs.items[i]->ops.items[k].name);
	gen_json_close(json, ']');
	gen_json_open(json, "cut", '[');
	for (size_t i = 0; i < sc->programs.n; i++) {
		JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
		const Xla__HloModuleProto *m = gen_hlo_module(sc, &arena, sc->programs.items[i], 0);
		size_t n = 0;
		for (size_t c = 0; c < m->n_computations; c++)
			for (size_t k = 0; k < m->computations[c]->n_instructions; k++)
				if (is_cut(sc, n++))
					list(json, sc->programs.items[i], m->computations[c]->instructions[k]->name);
	}
	gen_json_close(json, ']');
	gen_json_close(json, '}');
}
