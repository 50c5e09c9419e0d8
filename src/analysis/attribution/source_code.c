/* Source-code flamegraph, analysis/README.md, section 5: Python stacks, with op_name as the last
 * frame. */
#include <string.h>

#include "analysis/shared/callers.h"
#include "analysis/attribution/gpu_stacks.h"
#include "analysis/core/terms.h"

struct state {
	uint32_t *node_of;     /* stack frame -> node */
	struct jr_map kinds;   /* (file, function) -> kind */
	struct jr_map last_op; /* node -> the last op with a stack there */
};

static enum jr_frame_kind kind_of(
	struct state *state, const struct jr_profile *p, const struct jr_stack_frame *f)
{
	uint64_t key = jr_key2(f->file, f->function);
	uint32_t kind = jr_map_get(&state->kinds, key);
	if (kind == JR_NONE) {
		kind = jr_profile_frame_kind(p, jr_str(p, f->file), jr_str(p, f->function));
		jr_map_put(&state->kinds, key, kind);
	}
	return (enum jr_frame_kind)kind;
}

/* Return the node of a stack frame below [GPU active]; each frame is placed once. */
static uint32_t frame_node(
	struct jr_gpu_stacks *g, const struct jr_profile *p, uint32_t frame, struct state *state)
{
	uint32_t *node_of = state->node_of;
	if (frame == JR_NONE)
		return g->active;
	if (node_of[frame] == JR_NONE) {
		const struct jr_stack_frame *f = &p->frames[frame];
		/* The recursion is as deep as the stack, which the HLO decoder limits. */
		uint32_t parent = frame_node(g, p, f->parent, state);
		node_of[frame] = jr_stacks_child(&g->stacks, parent, jr_str(p, f->text),
			jr_intern_len(&p->strings, f->text), kind_of(state, p, f));
	}
	return node_of[frame];
}

static uint32_t op_name_node(
	struct jr_gpu_stacks *g, const struct jr_profile *p, uint32_t parent, uint32_t op_name)
{
	return op_name ? jr_stacks_child(&g->stacks, parent, jr_str(p, op_name),
						 jr_intern_len(&p->strings, op_name), JR_FRAME_XLA)
				   : parent;
}

/* Stacks that end at the same node differ only in data for other charts, so they count as one. */
static void add_end(
	struct jr_gpu_stacks *g, struct state *state, uint32_t self, uint32_t node, size_t *n)
{
	if (jr_map_get(&state->last_op, node) == self)
		return;
	jr_map_put(&state->last_op, node, self);
	g->ends[(*n)++] = node;
}

/* Prefer stacks of origins with frames, then [Unknown] with the op_name, else [Unknown]. */
static size_t op_stacks(
	struct jr_gpu_stacks *g, const struct jr_profile *p, const struct jr_op *op, void *opaque)
{
	struct state *state = opaque;
	const struct jr_origin *origins = &p->origins[op->first_origin];
	uint32_t self = (uint32_t)(op - p->ops);
	size_t n = 0;
	for (uint32_t i = 0; i < op->n_origins; i++) {
		if (origins[i].frame == JR_NONE)
			continue;
		uint32_t frame = frame_node(g, p, origins[i].frame, state);
		add_end(g, state, self, op_name_node(g, p, frame, origins[i].op_name), &n);
	}
	if (n)
		return n;
	for (uint32_t i = 0; i < op->n_origins; i++)
		add_end(g, state, self, op_name_node(g, p, g->unknown, origins[i].op_name), &n);
	if (n)
		return n;
	g->ends[0] = g->unknown;
	return 1;
}

static const struct jr_table_spec callers_spec = {.name = "source_code_callers",
	.json = "callers.source_code",
	.title = "Callers of the hottest lines",
	.help = "One row per frame in which stacks end, for all callers; by self time",
	.n_columns = JR_CALLERS_N_COLUMNS,
	.columns = jr_callers_columns,
	.looked_up = true};

/* Nodes belong to one tree, so reset them for the next. */
static void start_tree(struct state *state, const struct jr_profile *p)
{
	memset(state->node_of, 0xFF, p->n_frames * sizeof(*state->node_of));
	jr_map_done(&state->last_op);
	state->last_op = (struct jr_map){0};
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	struct state state = {.node_of = JR_ARENA_N(ctx->scratch, uint32_t, p->n_frames + 1)};
	start_tree(&state, p);
	struct jr_tree *tree = jr_gpu_stacks_tree(ctx, op_stacks, &state);
	start_tree(&state, p);
	struct jr_tree *lost = jr_gpu_stacks_lost(ctx, op_stacks, &state);
	jr_map_done(&state.kinds);
	jr_map_done(&state.last_op);
	tree->name = "source_code";
	tree->title = JR_GPU " time by source code";
	tree->caption =
		"Active time of the top modules along the Python stacks that their operations were "
		"traced from, all devices. The time of a fused kernel is shared equally among its "
		"stacks.";
	jr_section_tree(out, ctx->arena, tree);
	if (lost) {
		lost->name = "lost";
		lost->data_only = true; /* a drawing would take a fifth of the page */
		lost->title = JR_GPU " time above roofline by source code";
		lost->caption =
			"The same stacks by the time that their kernels spend above the roofline (section "
			"Roofline), all devices. Kernels without a roofline are left out.";
		jr_section_tree(out, ctx->arena, lost);
	}
	jr_section_table(
		out, ctx->arena, jr_callers_table(tree, &callers_spec, true, ctx->arena, ctx->scratch));
}

const struct jr_pass jr_pass_source_code = {
	.name = "source_code",
	.title = "Source code",
	.summary = "Flamegraph of " JR_GPU " time over the Python code that caused it",
	.needs = JR_NEEDS_THUNKS | JR_NEEDS_TOLD,
	.group = JR_GROUP_GPU,
	.apart = JR_APART_THEN,
	.run = run,
};
