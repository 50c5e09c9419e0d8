#include "analysis/attribution/gpu_stacks.h"

#include <string.h>

#include "analysis/roofline/roofline_tables.h"
#include "analysis/core/terms.h"
#include "analysis/core/vendor.h"
#include "base/buf.h"

enum jr_frame_kind jr_profile_frame_kind(
	const struct jr_profile *p, const char *file, const char *function)
{
	const char *prefix = p->options.strip_prefix;
	if (!prefix || *file == '/')
		return jr_frame_kind(file, function);
	/* The prefix that --strip-prefix removed may decide the kind. */
	JR_CLEANUP(jr_buf_done) struct jr_buf whole = {0};
	jr_buf_printf(&whole, "%s/%s", prefix, file);
	return jr_frame_kind(whole.data, function);
}

static void add_idle(
	struct jr_pass_context *ctx, struct jr_stacks *stacks, const char *text, int64_t ns)
{
	text = jr_vendor_words(jr_words_of(ctx->profile), text, ctx->scratch);
	uint32_t node = jr_stacks_child(stacks, JR_NONE, text, strlen(text), JR_FRAME_IDLE);
	jr_stacks_add(stacks, node, ns > 0 ? (double)ns : 0);
}

static size_t most_origins(const struct jr_profile *p)
{
	size_t most = 1;
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].n_origins > most)
			most = p->ops[i].n_origins;
	return most;
}

/* Mark op_names whose time is mostly communication. */
static void mark_communication(struct jr_stacks *stacks)
{
	for (size_t i = 0; i < stacks->nodes.n; i++) {
		struct jr_stack_node *node = &stacks->nodes.items[i];
		if (node->kind == JR_FRAME_XLA && node->communication_ns > node->self_ns / 2)
			node->kind = JR_FRAME_COMMUNICATION;
	}
}

static void start(struct jr_gpu_stacks *g, struct jr_pass_context *ctx)
{
	static const char unknown[] = "[Unknown]";
	const char *active =
		jr_vendor_words(jr_words_of(ctx->profile), "[" JR_GPU " active]", ctx->scratch);
	jr_stacks_init(&g->stacks);
	g->active = jr_stacks_child(&g->stacks, JR_NONE, active, strlen(active), JR_FRAME_ROOT);
	g->unknown =
		jr_stacks_child(&g->stacks, g->active, unknown, sizeof(unknown) - 1, JR_FRAME_UNKNOWN);
	g->ends = JR_ARENA_N(ctx->scratch, uint32_t, most_origins(ctx->profile));
}

static void share_out(struct jr_gpu_stacks *g, const struct jr_profile *p, const struct jr_op *op,
	double ns, const struct jr_roofed *roofed, jr_op_stacks_fn fn, void *state)
{
	size_t n = fn(g, p, op, state);
	double share_ns = ns / (double)n;
	for (size_t k = 0; k < n; k++) {
		struct jr_stack_node *node = &g->stacks.nodes.items[g->ends[k]];
		jr_stacks_add(&g->stacks, g->ends[k], share_ns);
		if (op->communication)
			node->communication_ns += share_ns;
		node->roofed.ns += roofed->ns / (double)n;
		node->roofed.roof_ns += roofed->roof_ns / (double)n;
		node->roofed.lost_ns += roofed->lost_ns / (double)n;
	}
}

static struct jr_tree *finish(struct jr_gpu_stacks *g, struct jr_pass_context *ctx)
{
	struct jr_tree *tree = jr_stacks_tree(&g->stacks, ctx->arena);
	jr_stacks_done(&g->stacks);
	return tree;
}

struct jr_tree *jr_gpu_stacks_tree(struct jr_pass_context *ctx, jr_op_stacks_fn fn, void *state)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	const struct jr_roofed *roofed = jr_roofed_of_ops(ctx);
	struct jr_gpu_stacks g;
	start(&g, ctx);
	for (size_t i = 0; i < p->n_ops; i++)
		if (st->ops[i].count && st->programs[p->ops[i].program].top)
			share_out(&g, p, &p->ops[i], (double)st->ops[i].active_ns, &roofed[i], fn, state);
	mark_communication(&g.stacks);
	add_idle(ctx, &g.stacks, "[" JR_GPU " idle during module execution]",
		st->modules_active_ns - st->thunks_active_ns);
	add_idle(ctx, &g.stacks, "[" JR_GPU " idle between module executions]",
		st->modules_wall_ns - st->modules_active_ns);
	return finish(&g, ctx);
}

struct jr_tree *jr_gpu_stacks_lost(struct jr_pass_context *ctx, jr_op_stacks_fn fn, void *state)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_roofline *r = ctx->roofline;
	const struct jr_roofed none = {0, 0, 0};
	struct jr_gpu_stacks g;
	if (!r || r->all.lost_ps == 0)
		return NULL;
	start(&g, ctx);
	for (size_t i = 0; i < r->n; i++)
		if (r->ops[i].lost_ps)
			share_out(
				&g, p, &p->ops[r->ops[i].op], jr_ns_of_ps(r->ops[i].lost_ps), &none, fn, state);
	mark_communication(&g.stacks);
	return finish(&g, ctx);
}
