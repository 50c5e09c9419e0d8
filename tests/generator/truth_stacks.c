/*
 * truth_stacks.c - the active time of each operation and its time above roofline, shared among its
 * stacks (analysis/README.md, section 5), stack by stack as text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "memory.h"
#include "truth_frames.h"

struct folded {
	struct jr_intern stacks;
	JR_VEC(double) ns;
};

/* The rule that gave a stack: only stacks of the best rule count. */
enum choice { BY_FRAMES, BY_NAME, UNKNOWN, N_CHOICES };

struct candidates {
	JR_VEC(const char *) stacks[N_CHOICES];
};

static void add(struct folded *f, const char *stack, double ns)
{
	uint32_t id = jr_intern_puts(&f->stacks, stack);
	while (f->ns.n <= id)
		*jr_vec_add(&f->ns) = 0;
	f->ns.items[id] += ns;
}

/* One frame: clean text without a ';' that would end it. */
static void put_frame(struct jr_buf *out, const char *text, size_t n)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	jr_text_clean(&clean, text, n);
	jr_buf_putc(out, ';');
	for (size_t i = 0; i < clean.size; i++)
		jr_buf_putc(out, clean.data[i] == ';' ? ',' : clean.data[i]);
}

static void put_frames(struct jr_buf *out, const struct gen_program *p, uint32_t frame)
{
	if (!frame)
		return;
	const struct gen_frame *f = &p->frames.items[frame - 1];
	put_frames(out, p, f->parent);
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	if (f->inconsistent)
		jr_buf_puts(&text, "[inconsistent metadata]");
	else
		jr_buf_printf(&text, "%s:%d:%d[%s]", f->file, f->line, f->column, f->function);
	put_frame(out, text.data, text.size);
}

static void put_parts(struct jr_buf *out, const char *op_name)
{
	for (const char *end; *op_name; op_name = *end ? end + 1 : end) {
		end = op_name + strcspn(op_name, "/");
		put_frame(out, op_name, (size_t)(end - op_name));
	}
}

static void candidate(const struct gen_truth *t, struct candidates *c, const struct gen_program *p,
	const struct gen_instruction *in, bool by_op_name)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	enum choice choice = UNKNOWN;
	jr_buf_puts(&text, "[GPU active]");
	if (!by_op_name && in->frame) {
		choice = BY_FRAMES;
		put_frames(&text, p, in->frame);
	} else if (!by_op_name && in->op_name) {
		choice = BY_NAME;
		put_frame(&text, "[Unknown]", strlen("[Unknown]"));
	}
	if (by_op_name && in->op_name) {
		choice = BY_FRAMES;
		put_parts(&text, in->op_name);
	} else if (choice == UNKNOWN) {
		put_frame(&text, "[Unknown]", strlen("[Unknown]"));
	} else if (in->op_name) {
		put_frame(&text, in->op_name, strlen(in->op_name));
	}
	*jr_vec_add(&c->stacks[choice]) = jr_arena_strndup(&t->sc->arena, text.data, text.size);
}

static const struct gen_instruction *find(const struct gen_program *p, const char *name)
{
	for (size_t i = 0; i < p->computations.n; i++)
		for (size_t k = 0; k < p->computations.items[i].instructions.n; k++)
			if (strcmp(p->computations.items[i].instructions.items[k].name, name) == 0)
				return &p->computations.items[i].instructions.items[k];
	return NULL;
}

uint32_t gen_truth_frame(const struct gen_program *p, const char *name)
{
	const struct gen_instruction *in = find(p, name);
	return in ? in->frame : 0;
}

static void share(const struct gen_truth *t, struct folded *f, const struct gen_program *p,
	const char *name, double ns, bool by_op_name)
{
	struct candidates c = {0};
	const struct gen_instruction *in = find(p, name);
	candidate(t, &c, p, in, by_op_name);
	for (size_t i = 0; i < p->computations.n; i++)
		for (uint32_t k = 0; k < in->n_called; k++)
			for (size_t m = 0; p->computations.items[i].id == in->called[k] &&
							   m < p->computations.items[i].instructions.n;
				 m++)
				candidate(t, &c, p, &p->computations.items[i].instructions.items[m], by_op_name);
	int best = BY_FRAMES;
	while (!c.stacks[best].n)
		best++;
	JR_VEC(const char *) distinct = {0};
	for (size_t i = 0; i < c.stacks[best].n; i++) {
		size_t k = 0;
		while (k < distinct.n && strcmp(distinct.items[k], c.stacks[best].items[i]) != 0)
			k++;
		if (k == distinct.n)
			*jr_vec_add(&distinct) = c.stacks[best].items[i];
	}
	for (size_t i = 0; i < distinct.n; i++)
		add(f, distinct.items[i], ns / (double)distinct.n);
	jr_vec_done(&distinct);
	for (int i = 0; i < N_CHOICES; i++)
		jr_vec_done(&c.stacks[i]);
}

static int64_t clipped(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

static void put_folded(struct gen_truth *t, const char *name, struct folded *f)
{
	gen_json_open(&t->json, name, '[');
	for (uint32_t id = 1; id < f->ns.n; id++) {
		if (f->ns.items[id] <= 0)
			continue;
		gen_json_open(&t->json, NULL, '{');
		gen_json_text(&t->json, "stack", jr_intern_str(&f->stacks, id));
		gen_json_f64(&t->json, "ms", 1e-6 * f->ns.items[id]);
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
	jr_intern_done(&f->stacks);
	jr_vec_done(&f->ns);
}

static void lost_graph(struct gen_truth *t, const char *name)
{
	struct folded f = {0};
	jr_intern_init(&f.stacks);
	for (uint32_t p = 0; p < t->sc->programs.n; p++) {
		const struct gen_program *program = t->sc->programs.items[p];
		const double *lost_ns = gen_truth_lost(t, p);
		for (size_t i = 0; i < program->ops.n; i++)
			if (lost_ns[i] > 0)
				share(t, &f, program, program->ops.items[i].name, lost_ns[i], false);
	}
	put_folded(t, name, &f);
}

static void graph(struct gen_truth *t, const char *name, bool by_op_name)
{
	struct folded f = {0};
	jr_intern_init(&f.stacks);
	for (uint32_t p = 0; p < t->sc->programs.n; p++) {
		const struct gen_program *program = t->sc->programs.items[p];
		int64_t *active = JR_ARENA_N(&t->sc->arena, int64_t, program->ops.n + 1);
		for (size_t i = 0; i < t->thunks.n && t->programs[p].top; i++) {
			const struct gen_truth_thunk *x = &t->thunks.items[i];
			if (x->program == p && x->steady)
				active[x->op] += gen_truth_active(x);
		}
		for (size_t i = 0; i < program->ops.n; i++)
			if (active[i])
				share(t, &f, program, program->ops.items[i].name, (double)active[i], by_op_name);
	}
	add(&f, "[GPU idle during module execution]",
		(double)clipped(t->modules_active_ns - t->thunks_active_ns));
	add(&f, "[GPU idle between module executions]",
		(double)clipped(t->modules_wall_ns - t->modules_active_ns));
	put_folded(t, name, &f);
}

static void total(struct gen_truth *t, const char *name)
{
	int64_t ns = t->thunks_active_ns + clipped(t->modules_active_ns - t->thunks_active_ns) +
				 clipped(t->modules_wall_ns - t->modules_active_ns);
	gen_json_open(&t->json, name, '{');
	gen_json_ms(&t->json, "total_ms", ns);
	gen_json_close(&t->json, '}');
}

void gen_truth_stacks(struct gen_truth *t)
{
	gen_json_open(&t->json, "flamegraphs", '{');
	total(t, "source_code");
	total(t, "op_name");
	gen_json_close(&t->json, '}');
	gen_json_open(&t->json, "folded", '{');
	graph(t, "source_code", false);
	graph(t, "op_name", true);
	if (gen_truth_work_known(t))
		lost_graph(t, "lost");
	if (t->sc->options.memory)
		gen_truth_live_stacks(t->sc, &t->json);
	gen_json_close(&t->json, '}');
}
