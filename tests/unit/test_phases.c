/* Flamegraph along op_name: the hue of a frame is the phase that JAX wrote around its name. */
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "report/figures/figure.h"

#define MOST 8

/* A path of frames, each inside the previous one; NULL ends it. `roles` are the expected roles. */
struct path {
	const char *frames[MOST];
	enum jr_role roles[MOST];
};

/* Check that each frame of the path is drawn with its role. */
static void check_path(const char *tree_name, enum jr_frame_kind kind, const struct path *path)
{
	uint32_t parent[MOST];
	const char *text[MOST];
	uint8_t kinds[MOST];
	double self[MOST], total[MOST];
	size_t n = 0;
	for (; n < MOST && path->frames[n]; n++) {
		parent[n] = n ? (uint32_t)n - 1 : JR_NONE;
		text[n] = path->frames[n];
		kinds[n] = (uint8_t)kind;
		self[n] = 0;
		total[n] = 1e6;
	}
	self[n - 1] = 1e6;
	const struct jr_tree tree = {.name = tree_name,
		.title = "T",
		.caption = "c",
		.n = n,
		.parent = parent,
		.text = text,
		.kind = kinds,
		.self_ns = self,
		.total_ns = total,
		.total = 1e6,
		.n_stacks = 1};
	struct jr_figure figure = {.name = tree_name, .title = "T", .caption = "c", .tree = &tree};
	struct jr_doc doc = {.title = "d"};
	jr_arena_init(&doc.arena, 0);
	*jr_vec_add(&doc.figures) = &figure;
	jr_figures_draw(&doc, 1);
	const struct jr_scene *scene = figure.scene;
	size_t seen = 0;
	for (size_t i = 0; scene && i < scene->items.n; i++) {
		const struct jr_item *item = &scene->items.items[i];
		for (size_t k = 0; item->kind == JR_ITEM_RECT && item->tip && k < n; k++) {
			size_t length = strlen(path->frames[k]); /* "NAME: 1.000 ms, 100.00 %" */
			if (strncmp(item->tip, path->frames[k], length) != 0 || item->tip[length] != ':')
				continue;
			if (item->style.fill != path->roles[k])
				fail_msg("'%s' of '%s' is %s, must be %s", path->frames[k], path->frames[0],
					jr_role_name(item->style.fill), jr_role_name(path->roles[k]));
			seen++;
		}
	}
	assert_int_equal(seen, n);
	jr_figures_done(&doc);
	jr_vec_done(&doc.figures);
	jr_arena_done(&doc.arena);
}

/* Paths as JAX 0.4 to 0.7 write them: jit(f)/PHASE(f)/.../primitive. */
static const struct path paths[] = {
	{{"jit(train_step)", "jvp(Model)", "dense", "dot_general"},
		{JR_ROLE_LIBRARY, JR_ROLE_FORWARD, JR_ROLE_FORWARD, JR_ROLE_FORWARD}},
	{{"jit(train_step)", "transpose(jvp(Model))", "dense", "dot_general"},
		{JR_ROLE_LIBRARY, JR_ROLE_BACKWARD, JR_ROLE_BACKWARD, JR_ROLE_BACKWARD}},
	/* the backward pass stays backward, regardless of how its functions were differentiated */
	{{"transpose(main)", "jvp(while)", "body", "mul"},
		{JR_ROLE_BACKWARD, JR_ROLE_BACKWARD, JR_ROLE_BACKWARD, JR_ROLE_BACKWARD}},
	{{"jvp(main)", "transpose(scan)", "mul"},
		{JR_ROLE_FORWARD, JR_ROLE_BACKWARD, JR_ROLE_BACKWARD}},
	/* from a recomputation on, everything is recomputation */
	{{"transpose(jvp(Model))", "checkpoint", "rematted_computation", "transpose(jvp(mlp))",
		 "optimizer"},
		{JR_ROLE_BACKWARD, JR_ROLE_BACKWARD, JR_ROLE_REMAT, JR_ROLE_REMAT, JR_ROLE_REMAT}},
	{{"jit(f)", "checkpoint", "tanh"}, {JR_ROLE_LIBRARY, JR_ROLE_LIBRARY, JR_ROLE_LIBRARY}},
	{{"jit(f)", "optimizer", "add"}, {JR_ROLE_LIBRARY, JR_ROLE_UPDATE, JR_ROLE_UPDATE}},
	{{"TrainState.apply_gradients", "mul"}, {JR_ROLE_UPDATE, JR_ROLE_UPDATE}},
	{{"optax.apply_updates", "sub"}, {JR_ROLE_UPDATE, JR_ROLE_UPDATE}},
	/* JAX's words need their parenthesis: these are names of primitives, not phases */
	{{"jit(f)", "transpose[perm=(1, 0)]", "transpose", "jvp"},
		{JR_ROLE_LIBRARY, JR_ROLE_LIBRARY, JR_ROLE_LIBRARY, JR_ROLE_LIBRARY}},
};

static UNIT(phases)
{
	for (size_t i = 0; i < JR_COUNT_OF(paths); i++)
		check_path("op_name", JR_FRAME_XLA, &paths[i]);
}

/* Only op_name has phases, and only in names that JAX made. */
static UNIT(no_phases)
{
	static const struct path xla = {
		{"jit(f)", "jvp(Model)", "add"}, {JR_ROLE_XLA, JR_ROLE_XLA, JR_ROLE_XLA}};
	static const struct path sent = {
		{"jvp(Model)", "all-reduce"}, {JR_ROLE_COMMUNICATION, JR_ROLE_COMMUNICATION}};
	check_path("compilation", JR_FRAME_XLA, &xla);
	check_path("op_name", JR_FRAME_COMMUNICATION, &sent);
}
