/* op_name flamegraph, analysis/README.md, section 5: JAX's name stack, split at "/". */
#include <string.h>

#include "analysis/shared/callers.h"
#include "analysis/attribution/gpu_stacks.h"
#include "analysis/core/terms.h"

static uint32_t path_node(struct jr_gpu_stacks *g, const char *path)
{
	uint32_t node = g->active;
	for (;;) {
		size_t n = strcspn(path, "/");
		node = jr_stacks_child(&g->stacks, node, path, n, JR_FRAME_XLA);
		if (!path[n])
			return node;
		path += n + 1;
	}
}

/* Collect the distinct op_names of the op's origins; state: op_name id -> last op with it. */
static size_t op_stacks(
	struct jr_gpu_stacks *g, const struct jr_profile *p, const struct jr_op *op, void *state)
{
	uint32_t *last_op = state;
	uint32_t self = (uint32_t)(op - p->ops);
	size_t n = 0;
	for (uint32_t i = 0; i < op->n_origins; i++) {
		uint32_t name = p->origins[op->first_origin + i].path;
		if (!name || last_op[name] == self)
			continue;
		last_op[name] = self;
		g->ends[n++] = path_node(g, jr_str(p, name));
	}
	if (n)
		return n;
	g->ends[0] = g->unknown;
	return 1;
}

static const struct jr_table_spec callers_spec = {.name = "op_name_callers",
	.json = "callers.op_name",
	.title = "Callers of the hottest operations",
	.help = "One row per last component of an op_name, for all paths; by self time",
	.n_columns = JR_CALLERS_N_COLUMNS,
	.columns = jr_callers_columns,
	.looked_up = true};

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	uint32_t *last_op = JR_ARENA_N(ctx->scratch, uint32_t, p->strings.n);
	memset(last_op, 0xFF, p->strings.n * sizeof(*last_op));
	struct jr_tree *tree = jr_gpu_stacks_tree(ctx, op_stacks, last_op);
	tree->name = "op_name";
	tree->title = JR_GPU " time by op_name";
	tree->caption =
		"Active time of the top modules along JAX's name stack (jit, named_scope, "
		"transformations, primitive), all devices. The time of a fused kernel is shared equally "
		"among its operations.";
	jr_section_tree(out, ctx->arena, tree);
	jr_section_table(
		out, ctx->arena, jr_callers_table(tree, &callers_spec, false, ctx->arena, ctx->scratch));
}

const struct jr_pass jr_pass_op_name = {
	.name = "op_name",
	.title = "op_name",
	.summary = "Flamegraph of " JR_GPU " time over JAX's name stack",
	.needs = JR_NEEDS_THUNKS | JR_NEEDS_TOLD,
	.group = JR_GROUP_GPU,
	.apart = JR_APART_THEN,
	.run = run,
};
