/*
 * The static flamegraph: which frames have a box, its position, and its label.
 */
#include "render/flame.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/order.h"
#include "render/flame_diff.h"
#include "render/flame_impl.h"
#include "render/plot_impl.h"

#define PADDING 4.0      /* between the edge of a box and its label */
#define MIN_LABEL 22.0   /* px of a box from which a label is drawn */
#define MIN_HEM 2.0      /* px of a box with a hem */
#define MIN_CHANGED 40.0 /* px of a label, from which the change of the frame is added */
#define CROWDED 550      /* boxes: above this, boxes are gathered as well ... */
#define SLIVER 4.0       /* ... if narrower than this (px); a script draws such small boxes */
#define MAX_BOXES 8000   /* per chart; above this, wider boxes are gathered as well */
#define MAX_ROWS 400     /* deeper frames are gathered */
#define MAX_LISTED 48    /* frames of a band that its tooltip lists */

struct box {
	double x, width;
	size_t row;
	size_t frame; /* in the tree; SIZE_MAX: the root row */
	size_t n;     /* number of frames that it represents; 1: one frame */
	bool band;    /* folded run; else, with n > 1 or `gathered`, narrow siblings */
	bool gathered;
	double value;
	double before, after;  /* in a comparison */
	struct jr_style style; /* boxes are drawn style by style */
};

struct picture {
	struct jr_figure *fig;
	const struct jr_flame *flame;
	const struct jr_flame_tree *tree;
	const struct jr_flame_sums *sums; /* in a comparison, else NULL */
	JR_VEC(struct box) boxes;
	double left, px_per_value, top;
	size_t n_rows;
	struct jr_buf text, name;
};

static const char *name_of(const struct picture *pic, size_t frame)
{
	const char *name = pic->flame->nodes[pic->tree->frames[frame].node].name;
	return name ? name : "";
}

/* --- choose boxes ---------------------------------------------------------------------------- */

static void compare_box(const struct picture *pic, struct box *box)
{
	size_t from = box->frame == SIZE_MAX ? 0 : box->frame;
	size_t end = box->frame == SIZE_MAX ? pic->tree->n
				 : box->gathered        ? from + box->n
										: pic->tree->frames[from].end;
	box->before = pic->sums->before[end] - pic->sums->before[from];
	box->after = pic->sums->after[end] - pic->sums->after[from];
	box->style = jr_flame_step_style(jr_flame_step(box->before, box->after));
}

static void add_box(struct picture *pic, const struct box *box)
{
	struct box *to = jr_vec_add(&pic->boxes);
	*to = *box;
	to->x = pic->left;
	if (box->frame != SIZE_MAX)
		to->x += pic->tree->frames[box->frame].begin * pic->px_per_value;
	to->width = box->value * pic->px_per_value;
	if (pic->sums)
		compare_box(pic, to);
}

/* Gather frame i and all siblings after it into one box: they are too narrow or too deep. */
static size_t gather(struct picture *pic, size_t i, size_t row)
{
	const struct jr_flame_frame *frames = pic->tree->frames;
	size_t end = jr_flame_run_end(pic->tree, i);
	double value = 0;
	for (size_t k = i; k < end; k = frames[k].end)
		value += frames[k].total;
	if (value > 0)
		add_box(pic, &(struct box){.row = row,
						 .frame = i,
						 .n = end - i,
						 .gathered = true,
						 .value = value,
						 .style = jr_area(JR_ROLE_UNKNOWN)});
	return end;
}

static void collect(struct picture *pic, double min_width)
{
	const struct jr_flame_tree *tree = pic->tree;
	JR_VEC(size_t) rows = {0}; /* row of the children of each open frame; [0] = of the roots */
	pic->boxes.n = 0;
	add_box(pic,
		&(struct box){
			.frame = SIZE_MAX, .n = 1, .value = tree->total, .style = jr_area(JR_ROLE_UNKNOWN)});
	*jr_vec_add(&rows) = 1;
	for (size_t i = 0; i < tree->n;) {
		const struct jr_flame_frame *frame = &tree->frames[i];
		rows.n = frame->depth + 1;
		size_t row = rows.items[frame->depth];
		if (frame->total * pic->px_per_value < min_width || row > MAX_ROWS) {
			i = gather(pic, i, row);
			continue;
		}
		struct box box = {.row = row,
			.frame = i,
			.n = 1,
			.value = frame->total,
			.style = jr_flame_style(jr_flame_role(pic->flame, tree, i), name_of(pic, i))};
		if (frame->n_folded) {
			box.band = true;
			box.n = frame->n_folded;
			box.style = jr_area(JR_ROLE_UNKNOWN);
		}
		add_box(pic, &box);
		for (size_t k = 0; k < box.n; k++)
			*jr_vec_add(&rows) = row + 1;
		i += box.n;
	}
	jr_vec_done(&rows);
}

static unsigned style_key(const struct box *box)
{
	return (unsigned)box->style.fill * JR_N_TINTS + box->style.tint;
}

JR_ORDER(by_style, struct box, JR_UP_OF(style_key) JR_UP(row) JR_UP(x))

static double row_y(const struct picture *pic, size_t row)
{
	size_t down = pic->flame->upwards ? pic->n_rows - 1 - row : row;
	return pic->top + (double)down * JR_FLAME_ROW;
}

/* --- texts ----------------------------------------------------------------------------------- */

/* Clean a foreign text and limit its length. */
static const char *clean_name(struct picture *pic, size_t frame)
{
	pic->name.size = 0;
	jr_flame_clean(name_of(pic, frame), &pic->name);
	return pic->name.data ? pic->name.data : "";
}

/* "… 26 frames that all stacks share: <module> → train_step" */
static void band_name(struct picture *pic, const struct box *box)
{
	jr_buf_printf(&pic->text, "… %zu frames%s: ", box->n,
		jr_flame_is_trunk(pic->flame, pic->tree, box->frame) ? " shared by all stacks" : "");
	jr_flame_short(clean_name(pic, box->frame), &pic->text);
	jr_buf_puts(&pic->text, " → ");
	jr_flame_short(clean_name(pic, box->frame + box->n - 1), &pic->text);
}

static void box_name(struct picture *pic, const struct box *box)
{
	pic->text.size = 0;
	if (box->gathered) {
		char n[JR_NUM_MAX];
		jr_num_grouped_i64(n, (int64_t)box->n);
		jr_buf_printf(&pic->text, "… %s frame%s", n, box->n == 1 ? "" : "s");
	} else if (box->band) {
		band_name(pic, box);
	} else if (box->frame == SIZE_MAX) {
		jr_buf_puts(&pic->text, pic->flame->root_name ? pic->flame->root_name : "all");
	} else {
		jr_buf_puts(&pic->text, clean_name(pic, box->frame));
	}
}

static void list_band(struct picture *pic, const struct box *box)
{
	for (size_t k = 0; k < box->n && k < MAX_LISTED; k++) {
		jr_buf_putc(&pic->text, '\n');
		jr_flame_long(clean_name(pic, box->frame + k), &pic->text);
	}
	if (box->n > MAX_LISTED)
		jr_buf_printf(&pic->text, "\n… and %zu more", box->n - MAX_LISTED);
}

static void box_tip(struct picture *pic, const struct box *box)
{
	char percent[JR_NUM_MAX];
	box_name(pic, box);
	if (box->gathered && box->n == 1) {
		pic->text.size = 0;
		jr_buf_puts(&pic->text, clean_name(pic, box->frame));
	}
	if (pic->sums) {
		jr_flame_put_change(&pic->text, pic->flame, box->before, box->after);
	} else {
		jr_num_grouped(percent, 100 * box->value / pic->tree->total, 2);
		jr_buf_puts(&pic->text, ": ");
		jr_flame_put_value(&pic->text, pic->flame, box->value);
		jr_buf_printf(&pic->text, ", %s %%", percent);
	}
	if (box->band)
		list_band(pic, box);
	jr_scene_tip(pic->fig->scene, pic->text.data);
}

/* --- drawing --------------------------------------------------------------------------------- */

static void draw_boxes(struct picture *pic)
{
	struct jr_scene *scene = pic->fig->scene;
	qsort(pic->boxes.items, pic->boxes.n, sizeof(*pic->boxes.items), by_style);
	for (size_t i = 0; i < pic->boxes.n;) {
		unsigned key = style_key(&pic->boxes.items[i]);
		struct jr_style style = pic->boxes.items[i].style;
		jr_scene_open(scene, &(struct jr_group){.style = style});
		for (; i < pic->boxes.n && style_key(&pic->boxes.items[i]) == key; i++) {
			const struct box *box = &pic->boxes.items[i];
			/* A gap between neighbors, if there is room for one. */
			double gap = box->width > 3 ? 0.5 : 0;
			jr_scene_rect(
				scene, box->x, row_y(pic, box->row), box->width - gap, JR_FLAME_ROW - 1, style);
			box_tip(pic, box);
		}
		jr_scene_close(scene);
	}
}

/* Boxes are sorted by style. Hems are drawn apart from them, so that each style is one path. */
static void draw_hems(struct picture *pic)
{
	struct jr_scene *scene = pic->fig->scene;
	for (size_t i = 0; i < pic->boxes.n;) {
		enum jr_role role = pic->boxes.items[i].style.fill;
		struct jr_style style = jr_hem(role);
		if (style.stroke)
			jr_scene_open(scene, &(struct jr_group){.style = style});
		for (; i < pic->boxes.n && pic->boxes.items[i].style.fill == role; i++) {
			const struct box *box = &pic->boxes.items[i];
			double y = row_y(pic, box->row) + style.stroke_width / 2;
			if (style.stroke && box->width >= MIN_HEM)
				jr_scene_line(scene, box->x, y, box->x + box->width - 0.5, y, style);
		}
		if (style.stroke)
			jr_scene_close(scene);
	}
}

static void fit_name(struct picture *pic, const struct box *box, double room, struct jr_buf *out)
{
	out->size = 0;
	if (box->band || box->gathered)
		jr_metrics_fit(pic->fig->metrics, pic->text.data, TEXT_SIZE, false, room, out);
	else
		jr_flame_label(pic->fig->metrics, pic->text.data, room, out);
}

/* Print "forward  layers.py:66", in a comparison with "  +4.1 %" if there is room for both. */
static void put_label(struct picture *pic, const struct box *box, struct jr_buf *out)
{
	double room = box->width - 2 * PADDING;
	struct jr_buf change = {0};
	box_name(pic, box);
	if (pic->sums && jr_flame_step(box->before, box->after)) {
		jr_buf_puts(&change, "\u00A0 ");
		jr_flame_put_percent(&change, box->before, box->after);
		double left =
			room - jr_metrics_width(pic->fig->metrics, change.data, change.size, TEXT_SIZE, false);
		if (left >= MIN_CHANGED)
			fit_name(pic, box, left, out);
	}
	if (out->size)
		jr_buf_add(out, change.data, change.size);
	else
		fit_name(pic, box, room, out);
	jr_buf_done(&change);
}

static void draw_labels(struct picture *pic)
{
	struct jr_scene *scene = pic->fig->scene;
	const struct jr_text style = {.role = JR_ROLE_INK, .size = TEXT_SIZE};
	struct jr_buf label = {0};
	jr_scene_open(scene, &(struct jr_group){.text = style});
	for (size_t i = 0; i < pic->boxes.n; i++) {
		const struct box *box = &pic->boxes.items[i];
		if (box->width < MIN_LABEL)
			continue;
		label.size = 0;
		put_label(pic, box, &label);
		if (label.size)
			jr_scene_text(scene, box->x + PADDING, row_y(pic, box->row) + 12, label.data, &style);
	}
	jr_scene_close(scene);
	jr_buf_done(&label);
}

/* Draw one flamegraph. `main`: the one that the script takes over. */
static void draw(struct jr_figure *fig, const struct jr_flame *flame,
	const struct jr_flame_tree *tree, const struct jr_flame_sums *sums, bool main)
{
	struct picture pic = {.fig = fig,
		.flame = flame,
		.tree = tree,
		.sums = sums,
		.left = fig->pad,
		.px_per_value = (fig->width - 2 * fig->pad) / tree->total,
		.top = fig->y + 4};
	for (double min_width = JR_FLAME_MIN;; min_width *= 1.25) {
		collect(&pic, min_width);
		if (pic.boxes.n <= (min_width < SLIVER ? CROWDED : MAX_BOXES))
			break;
	}
	for (size_t i = 0; i < pic.boxes.n; i++)
		if (pic.boxes.items[i].row + 1 > pic.n_rows)
			pic.n_rows = pic.boxes.items[i].row + 1;
	/* Attributes with the position of the rows, for the script, which redraws them. */
	char top[JR_NUM_MAX], rows[JR_NUM_MAX], left[JR_NUM_MAX];
	jr_num_double(top, pic.top);
	jr_num_i64(rows, (int64_t)pic.n_rows);
	jr_num_double(left, pic.left);
	const struct jr_attribute data[] = {{"top", top}, {"rows", rows}, {"left", left}};
	jr_scene_open(fig->scene,
		main ? &(struct jr_group){.id = "frames", .class = "jr-frames", .data = data, .n_data = 3}
			 : &(struct jr_group){.id = "changes"});
	draw_boxes(&pic);
	draw_hems(&pic);
	draw_labels(&pic);
	jr_scene_close(fig->scene);
	fig->y = pic.top + (double)pic.n_rows * JR_FLAME_ROW;
	jr_buf_done(&pic.text);
	jr_buf_done(&pic.name);
	jr_vec_done(&pic.boxes);
}

static bool draw_one(
	struct jr_figure *fig, const struct jr_flame *flame, enum jr_flame_weight weight, bool main)
{
	struct jr_flame_tree tree = jr_flame_order(flame, weight);
	struct jr_flame_sums sums = {NULL, NULL};
	bool any = tree.total > 0 && isfinite(tree.total);
	if (any && flame->diff) {
		sums = jr_flame_sum(flame, &tree);
		jr_flame_heading(fig, weight);
	}
	if (any)
		draw(fig, flame, &tree, flame->diff ? &sums : NULL, main);
	jr_flame_sums_done(&sums);
	free(tree.frames);
	return any;
}

/* Draw frames as wide as the time in the new run, then as wide as the change. */
static bool draw_both(struct jr_figure *fig, const struct jr_flame *flame)
{
	jr_flame_scale(fig);
	if (!draw_one(fig, flame, JR_FLAME_AFTER, true) && !draw_one(fig, flame, JR_FLAME_BEFORE, true))
		return false;
	if (!draw_one(fig, flame, JR_FLAME_CHANGE, false))
		jr_flame_no_change(fig);
	return true;
}

/* Select the parts of the legend that frames use. */
static size_t legend_of(const struct jr_flame *flame, struct jr_part legend[JR_N_ROLES])
{
	bool used[JR_N_ROLES] = {false};
	size_t n = 0;
	for (size_t i = 0; i < flame->n_nodes; i++)
		used[flame->nodes[i].role ? flame->nodes[i].role : JR_ROLE_UNKNOWN] = true;
	for (size_t i = 0; i < flame->n_legend && n < JR_N_ROLES; i++)
		if (used[flame->legend[i].role])
			legend[n++] = flame->legend[i];
	return n;
}

void jr_flame_scene(const struct jr_flame *flame, struct jr_metrics *metrics, struct jr_scene *out)
{
	struct jr_flame shown = *flame;
	struct jr_flame_node *nodes = jr_flame_without_wrappers(flame, &shown.n_nodes);
	struct jr_part legend[JR_N_ROLES];
	shown.nodes = nodes;
	shown.hrefs = NULL;
	struct jr_plot frame = {
		.kind = JR_PLOT_STACKED, /* for its legend */
		.frames = true,
		.id = flame->id,
		.title = flame->title,
		.subtitle = flame->subtitle,
		.caption = flame->caption,
		.bare = flame->bare,
		.width = flame->width > 0 ? flame->width : 1200,
		.parts = legend,
		.n_parts = legend_of(&shown, legend),
	};
	struct jr_buf text = {0};
	struct jr_figure fig = {.plot = &frame, .metrics = metrics, .scene = out, .text = &text};
	jr_figure_begin(&fig);
	if (flame->diff ? !draw_both(&fig, &shown) : !draw_one(&fig, &shown, JR_FLAME_AFTER, true))
		jr_figure_no_data(&fig);
	jr_figure_end(&fig);
	free(nodes);
	jr_buf_done(&text);
}
