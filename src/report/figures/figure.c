/* Draw stack trees as flamegraphs, and run the drawing of all figures. */
#include "report/figures/figure.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/task.h"
#include "render/flame.h"
#include "report/document/chart_parts.h"

#define FLAME_ROWS_ROOT "all"
#define NARROW 358.0 /* px: space in a window of 390 px */

static enum jr_role frame_role(enum jr_frame_kind kind)
{
	switch (kind) {
	case JR_FRAME_ROOT: return JR_ROLE_COMPUTE;
	case JR_FRAME_USER: return JR_ROLE_USER_CODE;
	case JR_FRAME_LIBRARY:
	case JR_FRAME_WRAPPER: return JR_ROLE_LIBRARY;
	case JR_FRAME_XLA: return JR_ROLE_XLA;
	case JR_FRAME_COMMUNICATION: return JR_ROLE_COMMUNICATION;
	case JR_FRAME_IDLE:
	case JR_FRAME_UNKNOWN: break;
	}
	return JR_ROLE_UNKNOWN;
}

/* Phase of a component of an op_name within its parent's phase. JAX puts transformations around a
 * function's name. Recomputation and backward apply to everything below. */
static enum jr_role phase_of(const char *component, enum jr_role around)
{
	static const struct {
		const char *part;
		enum jr_role role;
	} parts[] = {{"rematted_computation", JR_ROLE_REMAT}, {"transpose(", JR_ROLE_BACKWARD},
		{"jvp(", JR_ROLE_FORWARD}, {"optimizer", JR_ROLE_UPDATE},
		{"apply_gradients", JR_ROLE_UPDATE}, {"apply_updates", JR_ROLE_UPDATE}};
	if (around == JR_ROLE_REMAT)
		return around;
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++)
		if (strstr(component, parts[i].part))
			return around == JR_ROLE_BACKWARD && parts[i].role == JR_ROLE_FORWARD ? around
																				  : parts[i].role;
	return around;
}

static bool is_by_phase(const struct jr_tree *tree)
{
	return strcmp(tree->name, "op_name") == 0;
}

/* The color of a frame of the op_name tree is that of its phase; `above`: that of its parent. */
static enum jr_role node_role(const struct jr_tree *tree, size_t i, enum jr_role above)
{
	enum jr_frame_kind kind = (enum jr_frame_kind)tree->kind[i];
	if (kind != JR_FRAME_XLA || !is_by_phase(tree))
		return frame_role(kind);
	bool phase = above >= JR_ROLE_FORWARD && above <= JR_ROLE_UPDATE;
	return phase_of(tree->text[i], phase ? above : JR_ROLE_LIBRARY);
}

/* The roles of the nodes, in this order, with their meaning. */
static size_t legend_of(const struct jr_flame_node *nodes, size_t n_nodes, bool by_phase,
	struct jr_part legend[JR_N_ROLES])
{
	static const struct jr_part meanings[] = {
		{"user code", JR_ROLE_USER_CODE},
		{"libraries", JR_ROLE_LIBRARY},
		{"XLA and op names", JR_ROLE_XLA},
		{"forward (jvp)", JR_ROLE_FORWARD},
		{"backward (transpose)", JR_ROLE_BACKWARD},
		{"recomputed (remat)", JR_ROLE_REMAT},
		{"optimizer", JR_ROLE_UPDATE},
		{"communication", JR_ROLE_COMMUNICATION},
		{"idle or unknown", JR_ROLE_UNKNOWN},
	};
	bool used[JR_N_ROLES] = {false};
	size_t n = 0;
	for (size_t i = 0; i < n_nodes; i++)
		used[nodes[i].role] = true;
	for (size_t i = 0; i < JR_COUNT_OF(meanings); i++)
		if (used[meanings[i].role])
			legend[n++] = meanings[i];
	for (size_t i = 0; i < n; i++) /* in gray, too */
		for (size_t k = 0; k < i; k++)
			assert(jr_frames_apart(legend[i].role, legend[k].role));
	for (size_t i = 0; by_phase && i < n; i++)
		if (legend[i].role == JR_ROLE_LIBRARY)
			legend[i].name = "no phase";
	return n;
}

/* "#src-3-84" if the document shows the line, else NULL. */
static const char *line_link(
	const struct jr_doc *doc, const struct jr_tree *tree, size_t node, struct jr_arena *arena)
{
	char anchor[JR_ANCHOR_MAX];
	if (tree->kind[node] != JR_FRAME_USER && tree->kind[node] != JR_FRAME_LIBRARY &&
		tree->kind[node] != JR_FRAME_WRAPPER)
		return NULL;
	return jr_doc_line_anchor(doc, tree->text[node], anchor) ? jr_arena_printf(arena, "#%s", anchor)
															 : NULL;
}

static void draw_tree(const struct jr_doc *doc, struct jr_figure *figure,
	struct jr_metrics *metrics, struct jr_scene *scene, struct jr_buf *packed)
{
	const struct jr_tree *tree = figure->tree;
	struct jr_part legend[JR_N_ROLES];
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	struct jr_flame_node *nodes = JR_ARENA_N(&arena, struct jr_flame_node, tree->n);
	const char **hrefs = JR_ARENA_N(&arena, const char *, tree->n);
	for (size_t i = 0; i < tree->n; i++) {
		nodes[i] = (struct jr_flame_node){.parent = tree->parent[i],
			.name = tree->text[i],
			.role = node_role(
				tree, i, tree->parent[i] == JR_NONE ? JR_ROLE_NONE : nodes[tree->parent[i]].role),
			.self = tree->self_ns[i],
			.wrapper = tree->kind[i] == JR_FRAME_WRAPPER,
			.base = tree->base_self_ns ? tree->base_self_ns[i] : 0};
		if (tree->roofed) {
			nodes[i].roofed = tree->roofed[i].ns;
			nodes[i].roof = tree->roofed[i].roof_ns;
			nodes[i].lost = tree->roofed[i].lost_ns;
		}
		hrefs[i] = line_link(doc, tree, i, &arena);
	}
	struct jr_flame flame = {.id = figure->name,
		.title = figure->title,
		.bare = true,
		.root_name = FLAME_ROWS_ROOT,
		.unit = tree->bytes ? JR_FLAME_BYTES : JR_FLAME_NS,
		.diff = tree->base_self_ns != NULL,
		.roofs = tree->roofed != NULL,
		.nodes = nodes,
		.n_nodes = tree->n,
		.hrefs = hrefs,
		.legend = legend,
		.n_legend = tree->base_self_ns ? 0 : legend_of(nodes, tree->n, is_by_phase(tree), legend)};
	jr_flame_scene(&flame, metrics, scene);
	figure->n_left_out = jr_flame_pack(&flame, packed);
	jr_arena_done(&arena);
}

static void draw_plot(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene)
{
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	struct jr_plot plot = jr_chart_plot(chart, &arena);
	if (width > 0)
		plot.width = width;
	jr_plot_scene(&plot, metrics, scene);
	jr_arena_done(&arena);
}

void jr_draw_chart(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene)
{
	switch (chart->kind) {
	case JR_CHART_CELLS: jr_draw_cells(chart, width, metrics, scene); break;
	case JR_CHART_HEAT: jr_draw_heat(chart, width, metrics, scene); break;
	case JR_CHART_TREND: jr_draw_trends(chart, width, metrics, scene); break;
	default: draw_plot(chart, width, metrics, scene); break;
	}
}

/* Each thread draws the next scene, with its own metrics handle. One chart of many labels takes as
 * long as all others. */
struct drawing {
	struct jr_doc *doc;
	struct jr_scene *scenes, *narrow; /* [figures.n] */
	struct jr_buf *packed;            /* [figures.n] */
	atomic_size_t next;               /* scene: two of each figure, the narrow one second */
};

/* Parts next to each other, in one bar, lane or stack of curves, can be told apart in gray. */
static void assert_parts(const struct jr_chart *chart)
{
	if ((chart->kind != JR_CHART_STACKED && chart->kind != JR_CHART_LANES &&
			chart->kind != JR_CHART_STEP) ||
		!chart->parts)
		return;
	for (size_t i = 0; chart->parts[i]; i++)
		for (size_t k = 0; k < i; k++)
			assert(jr_areas_apart(jr_chart_part_role(chart, i), jr_chart_part_role(chart, k)));
}

/* A tree has no narrow scene. That of a chart has no tooltips, because phones have no pointer. */
static void draw_one(struct drawing *d, size_t i, bool narrow, struct jr_metrics *metrics)
{
	struct jr_figure *figure = d->doc->figures.items[i];
	struct jr_scene *scene = narrow ? &d->narrow[i] : &d->scenes[i];
	if (figure->chart)
		jr_draw_chart(figure->chart, narrow ? NARROW : 0, metrics, scene);
	else if (!narrow)
		draw_tree(d->doc, figure, metrics, scene, &d->packed[i]);
	if (narrow)
		jr_scene_drop_tips(scene);
	if (JR_CHECKED) {
		jr_scene_assert(scene);
		if (figure->chart)
			assert_parts(figure->chart);
	}
}

static void draw_some(void *context, size_t task)
{
	struct drawing *d = context;
	struct jr_metrics *metrics = jr_metrics_new();
	(void)task;
	for (size_t i; (i = atomic_fetch_add(&d->next, 1)) < 2 * d->doc->figures.n;)
		draw_one(d, i / 2, i % 2, metrics);
	jr_metrics_free(metrics);
}

void jr_figures_draw(struct jr_doc *doc, size_t n_threads)
{
	size_t n = doc->figures.n;
	struct drawing d = {
		.doc = doc,
		.scenes = JR_ARENA_N(&doc->arena, struct jr_scene, n),
		.narrow = JR_ARENA_N(&doc->arena, struct jr_scene, n),
		.packed = JR_ARENA_N(&doc->arena, struct jr_buf, n),
	};
	jr_task_run(n_threads, n_threads < n ? n_threads : n, draw_some, &d);
	for (size_t i = 0; i < n; i++) {
		struct jr_figure *figure = doc->figures.items[i];
		figure->scene = &d.scenes[i];
		if (figure->tree)
			figure->interactive = &d.packed[i];
		else
			figure->narrow = &d.narrow[i];
	}
}

void jr_figures_done(struct jr_doc *doc)
{
	for (size_t i = 0; i < doc->figures.n; i++) {
		struct jr_figure *figure = doc->figures.items[i];
		jr_scene_done(figure->scene);
		jr_scene_done(figure->narrow);
		jr_buf_done(figure->interactive);
		figure->scene = figure->narrow = NULL;
		figure->interactive = NULL;
	}
}
