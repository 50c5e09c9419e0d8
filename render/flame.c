/*
 * Layout of flamegraphs. Nodes are put in drawing order once (preorder, siblings sorted); then both
 * the picture and the packed tree are one walk over that order.
 */
#include "render/flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/text.h"
#include "render/plot_impl.h"
#include "render/flame_impl.h"

double jr_flame_ms(const struct jr_flame *flame, double value)
{
	return flame->unit == JR_FLAME_NS ? value * 1e-6 : value;
}

static double own_value(const struct jr_flame_node *node)
{
	return isfinite(node->self) && node->self > 0 ? node->self : 0;
}

/* --- order ----------------------------------------------------------------------------------- */

static int by_total(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	int names = strcmp(x->name, y->name);
	if (names)
		return names;
	return (x->index > y->index) - (x->index < y->index);
}

/* children[first[p + 1] ...] of parent p; slot 0 holds the roots. */
struct families {
	struct sibling *children;
	size_t *first; /* [n + 2] */
};

static size_t family_of(const struct jr_flame *flame, size_t i)
{
	uint32_t parent = flame->nodes[i].parent;
	return parent < i ? (size_t)parent + 1 : 0; /* a parent that comes later makes a root */
}

static struct families group_families(const struct jr_flame *flame, const double *totals)
{
	size_t n = flame->n_nodes;
	struct families f = {calloc(n + 1, sizeof(*f.children)), calloc(n + 3, sizeof(*f.first))};
	if (!f.children || !f.first)
		jr_oom();
	for (size_t i = 0; i < n; i++)
		f.first[family_of(flame, i) + 2]++;
	for (size_t p = 0; p <= n; p++)
		f.first[p + 2] += f.first[p + 1];
	for (size_t i = 0; i < n; i++) {
		const char *name = flame->nodes[i].name;
		f.children[f.first[family_of(flame, i) + 1]++] =
			(struct sibling){totals[i], name ? name : "", i};
	}
	for (size_t p = 0; p <= n; p++)
		if (f.first[p + 1] - f.first[p] > 1)
			qsort(f.children + f.first[p], f.first[p + 1] - f.first[p], sizeof(*f.children),
				by_total);
	return f;
}

static double *sum_totals(const struct jr_flame *flame, double *all)
{
	double *totals = calloc(flame->n_nodes + 1, sizeof(*totals));
	if (!totals)
		jr_oom();
	*all = 0;
	for (size_t i = flame->n_nodes; i-- > 0;) {
		totals[i] += own_value(&flame->nodes[i]);
		size_t family = family_of(flame, i);
		*(family ? &totals[family - 1] : all) += totals[i];
	}
	return totals;
}

struct visit {
	size_t next, end; /* in families.children */
	size_t frame;     /* whose children they are, in tree->frames */
	double x;         /* where the next child begins */
};

static void walk(const struct families *f, struct jr_flame_tree *tree)
{
	JR_VEC(struct visit) stack = {0};
	*jr_vec_add(&stack) = (struct visit){0, f->first[1], SIZE_MAX, 0};
	while (stack.n) {
		struct visit *at = &stack.items[stack.n - 1];
		if (at->next == at->end) {
			if (at->frame != SIZE_MAX)
				tree->frames[at->frame].end = tree->n;
			stack.n--;
			continue;
		}
		const struct sibling *child = &f->children[at->next++];
		size_t frame = tree->n++;
		tree->frames[frame] = (struct jr_flame_frame){.node = child->index, .depth = stack.n - 1,
			.begin = at->x, .total = child->total};
		if (stack.n > tree->depth)
			tree->depth = stack.n;
		double x = at->x;
		at->x += child->total;
		*jr_vec_add(&stack) = (struct visit){f->first[child->index + 1],
			f->first[child->index + 2], frame, x};
	}
	jr_vec_done(&stack);
}

struct jr_flame_tree jr_flame_order(const struct jr_flame *flame)
{
	struct jr_flame_tree tree = {0};
	double *totals = sum_totals(flame, &tree.total);
	struct families families = group_families(flame, totals);
	tree.frames = calloc(flame->n_nodes + 1, sizeof(*tree.frames));
	if (!tree.frames)
		jr_oom();
	walk(&families, &tree);
	free(families.children);
	free(families.first);
	free(totals);
	return tree;
}

/* --- colours and labels ---------------------------------------------------------------------- */

/* FNV-1a, written out because a frame's colour must be the same in every release and report. */
unsigned jr_flame_tint(const char *name)
{
	uint32_t hash = 2166136261u;
	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		hash = (hash ^ *p) * 16777619u;
	return 1 + (hash >> 13 ^ hash) % 4;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Start of ":LINE" where s[0..n) ends with :LINE or :LINE:COLUMN, else NULL. */
static const char *line_suffix(const char *s, size_t n)
{
	const char *found = NULL;
	for (int part = 0; part < 2; part++) {
		size_t i = n;
		while (i && is_digit(s[i - 1]))
			i--;
		if (i == n || i < 2 || s[i - 1] != ':')
			break;
		n = i - 1;
		found = s + n;
	}
	return found;
}

bool jr_flame_split(const char *name, struct jr_flame_place *out)
{
	size_t n = strlen(name);
	if (n < 6 || name[n - 1] != ']')
		return false;
	for (const char *open = strchr(name, '['); open; open = strchr(open + 1, '[')) {
		const char *line = line_suffix(name, (size_t)(open - name));
		if (!line)
			continue;
		const char *base = line;
		while (base > name && base[-1] != '/')
			base--;
		const char *end = line + 1; /* of the line number: the column is left out */
		while (is_digit(*end))
			end++;
		*out = (struct jr_flame_place){open + 1, (size_t)(name + n - 1 - (open + 1)), base,
			(size_t)(end - base)};
		return out->n_function > 0;
	}
	return false;
}

#define MIN_PLACE 11 /* bytes: two spaces (3), five letters of the file and the mark (3) */

/* "…/layer_norm/div": as much of the end as fits, beginning at a "/". */
static bool fit_tail(struct jr_metrics *metrics, const char *name, double room, struct jr_buf *out)
{
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		out->size = 0;
		jr_buf_printf(out, "…%s", slash);
		if (slash[1] && jr_metrics_width(metrics, out->data, out->size, LABEL_SIZE, false) <= room)
			return true;
	}
	out->size = 0;
	return false;
}

void jr_flame_label(struct jr_metrics *metrics, const char *name, double room, struct jr_buf *out)
{
	struct jr_flame_place place;
	out->size = 0;
	if (jr_flame_split(name, &place)) {
		/* A no-break space first: SVG makes one of two plain ones. */
		jr_buf_printf(out, "%.*s\u00A0 %.*s", (int)place.n_function, place.function,
			(int)place.n_place, place.place);
		if (jr_metrics_width(metrics, out->data, out->size, LABEL_SIZE, false) <= room)
			return;
		struct jr_buf text = {0};
		jr_buf_add(&text, out->data, out->size);
		out->size = 0;
		jr_metrics_fit(metrics, text.data, LABEL_SIZE, false, room, out);
		if (out->size < place.n_function + MIN_PLACE) { /* a stump of the file says nothing */
			text.size = 0;
			jr_buf_add(&text, place.function, place.n_function);
			out->size = 0;
			jr_metrics_fit(metrics, text.data, LABEL_SIZE, false, room, out);
		}
		jr_buf_done(&text);
		return;
	}
	if (jr_metrics_width(metrics, name, strlen(name), LABEL_SIZE, false) > room &&
		fit_tail(metrics, name, room, out))
		return;
	jr_metrics_fit(metrics, name, LABEL_SIZE, false, room, out);
}

/* --- boxes ----------------------------------------------------------------------------------- */

#define PADDING 4.0   /* between the edge of a box and its label */
#define MIN_LABEL 22.0 /* px of a box from which a label is tried */

struct box {
	double x, width;
	size_t row;
	size_t frame;      /* in the tree; SIZE_MAX: the row over everything */
	size_t n_gathered; /* 0: the frame itself; else frames in a gathered box */
	double value;
	unsigned style;    /* role * 8 + tint: boxes are drawn style by style */
};

struct picture {
	struct jr_figure *fig;
	const struct jr_flame *flame;
	const struct jr_flame_tree *tree;
	JR_VEC(struct box) boxes;
	double left, px_per_value, top;
	size_t n_rows;
	struct jr_buf text;
};

static const char *name_of(const struct picture *pic, size_t frame)
{
	const char *name = pic->flame->nodes[pic->tree->frames[frame].node].name;
	return name ? name : "";
}

static enum jr_role role_of(const struct picture *pic, size_t frame)
{
	enum jr_role role = pic->flame->nodes[pic->tree->frames[frame].node].role;
	return role ? role : JR_ROLE_UNKNOWN;
}

/* From frame i on to the end of its siblings: all of them are too narrow. */
static size_t gather(struct picture *pic, size_t i, size_t end)
{
	const struct jr_flame_frame *frames = pic->tree->frames;
	double value = 0;
	for (size_t k = i; k < end; k = frames[k].end)
		value += frames[k].total;
	if (value > 0)
		*jr_vec_add(&pic->boxes) = (struct box){pic->left + frames[i].begin * pic->px_per_value,
			value * pic->px_per_value, frames[i].depth + 1, i, end - i, value,
			JR_ROLE_UNKNOWN * 8 + 1};
	return end;
}

/* End of the sibling run that frame i is in: where the parent's subtree ends. */
static void collect(struct picture *pic)
{
	const struct jr_flame_tree *tree = pic->tree;
	JR_VEC(size_t) ends = {0}; /* ends of the open subtrees; [0] = all */
	*jr_vec_add(&ends) = tree->n;
	for (size_t i = 0; i < tree->n;) {
		const struct jr_flame_frame *frame = &tree->frames[i];
		ends.n = frame->depth + 1;
		double width = frame->total * pic->px_per_value;
		if (width < JR_FLAME_MIN) {
			i = gather(pic, i, ends.items[ends.n - 1]);
			continue;
		}
		*jr_vec_add(&pic->boxes) = (struct box){pic->left + frame->begin * pic->px_per_value,
			width, frame->depth + 1, i, 0, frame->total,
			role_of(pic, i) * 8 + jr_flame_tint(name_of(pic, i))};
		*jr_vec_add(&ends) = frame->end;
		i++;
	}
	jr_vec_done(&ends);
}

static int by_style(const void *a, const void *b)
{
	const struct box *x = a, *y = b;
	if (x->style != y->style)
		return x->style < y->style ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->x > y->x) - (x->x < y->x);
}

static double row_y(const struct picture *pic, size_t row)
{
	size_t down = pic->flame->upwards ? pic->n_rows - 1 - row : row;
	return pic->top + (double)down * JR_FLAME_ROW;
}

static void box_name(struct picture *pic, const struct box *box)
{
	pic->text.size = 0;
	if (box->n_gathered) {
		char n[JR_NUM_MAX];
		jr_num_grouped_i64(n, (int64_t)box->n_gathered);
		jr_buf_printf(&pic->text, "… %s frame%s", n, box->n_gathered == 1 ? "" : "s");
	} else if (box->frame == SIZE_MAX) {
		jr_buf_puts(&pic->text, pic->flame->root_name ? pic->flame->root_name : "all");
	} else {
		jr_buf_puts(&pic->text, name_of(pic, box->frame));
	}
}

static void box_tip(struct picture *pic, const struct box *box)
{
	char ms[JR_NUM_MAX], percent[JR_NUM_MAX];
	box_name(pic, box);
	if (box->n_gathered == 1) {
		pic->text.size = 0;
		jr_buf_puts(&pic->text, name_of(pic, box->frame));
	}
	jr_num_grouped(ms, jr_flame_ms(pic->flame, box->value), 3);
	jr_num_grouped(percent, 100 * box->value / pic->tree->total, 2);
	jr_buf_printf(&pic->text, ": %s ms, %s %%", ms, percent);
	jr_scene_tip(pic->fig->scene, pic->text.data);
}

static void draw_boxes(struct picture *pic)
{
	struct jr_scene *scene = pic->fig->scene;
	qsort(pic->boxes.items, pic->boxes.n, sizeof(*pic->boxes.items), by_style);
	for (size_t i = 0; i < pic->boxes.n;) {
		unsigned key = pic->boxes.items[i].style;
		struct jr_style style = jr_wash((enum jr_role)(key / 8), key % 8);
		jr_scene_open(scene, &(struct jr_group){.style = style});
		for (; i < pic->boxes.n && pic->boxes.items[i].style == key; i++) {
			const struct box *box = &pic->boxes.items[i];
			/* A gap between neighbours, where there is room for one. */
			double gap = box->width > 3 ? 0.5 : 0;
			jr_scene_rect(scene, box->x, row_y(pic, box->row), box->width - gap, JR_FLAME_ROW - 1,
				style);
			box_tip(pic, box);
		}
		jr_scene_close(scene);
	}
}

static void draw_labels(struct picture *pic)
{
	struct jr_scene *scene = pic->fig->scene;
	const struct jr_text style = {.role = JR_ROLE_INK, .size = LABEL_SIZE};
	struct jr_buf name = {0}, label = {0};
	jr_scene_open(scene, &(struct jr_group){.text = style});
	for (size_t i = 0; i < pic->boxes.n; i++) {
		const struct box *box = &pic->boxes.items[i];
		if (box->width < MIN_LABEL)
			continue;
		box_name(pic, box);
		name.size = 0;
		jr_text_clean(&name, pic->text.data, pic->text.size);
		jr_flame_label(pic->fig->metrics, name.data, box->width - 2 * PADDING, &label);
		if (label.size)
			jr_scene_text(scene, box->x + PADDING, row_y(pic, box->row) + 12, label.data, &style);
	}
	jr_scene_close(scene);
	jr_buf_done(&name);
	jr_buf_done(&label);
}

static void draw(struct jr_figure *fig, const struct jr_flame *flame,
	const struct jr_flame_tree *tree)
{
	struct picture pic = {.fig = fig, .flame = flame, .tree = tree, .left = fig->pad,
		.px_per_value = (fig->width - 2 * fig->pad) / tree->total, .top = fig->y + 4};
	*jr_vec_add(&pic.boxes) = (struct box){pic.left, fig->width - 2 * fig->pad, 0, SIZE_MAX, 0,
		tree->total, JR_ROLE_UNKNOWN * 8 + 1};
	collect(&pic);
	for (size_t i = 0; i < pic.boxes.n; i++)
		if (pic.boxes.items[i].row + 1 > pic.n_rows)
			pic.n_rows = pic.boxes.items[i].row + 1;
	/* Where the rows are, for the script: it redraws what is inside. */
	char top[JR_NUM_MAX], rows[JR_NUM_MAX], left[JR_NUM_MAX], width[JR_NUM_MAX];
	jr_num_double(top, pic.top);
	jr_num_i64(rows, (int64_t)pic.n_rows);
	jr_num_double(left, pic.left);
	jr_num_double(width, fig->width - 2 * pic.left);
	const struct jr_attribute data[] = {{"top", top}, {"rows", rows}, {"left", left},
		{"width", width}};
	jr_scene_open(fig->scene,
		&(struct jr_group){.id = "frames", .class = "jr-frames", .data = data, .n_data = 4});
	draw_boxes(&pic);
	draw_labels(&pic);
	jr_scene_close(fig->scene);
	fig->y = pic.top + (double)pic.n_rows * JR_FLAME_ROW;
	jr_buf_done(&pic.text);
	jr_vec_done(&pic.boxes);
}

void jr_flame_scene(const struct jr_flame *flame, struct jr_metrics *metrics, struct jr_scene *out)
{
	struct jr_plot frame = {
		.kind = JR_PLOT_STACKED, /* for its legend */
		.id = flame->id,
		.title = flame->title,
		.subtitle = flame->subtitle,
		.caption = flame->caption,
		.bare = flame->bare,
		.width = flame->width > 0 ? flame->width : 1200,
		.parts = flame->legend,
		.n_parts = flame->n_legend,
	};
	struct jr_buf text = {0};
	struct jr_figure fig = {.plot = &frame, .metrics = metrics, .scene = out, .text = &text};
	struct jr_flame_tree tree = jr_flame_order(flame);
	jr_figure_begin(&fig);
	if (tree.total > 0 && isfinite(tree.total))
		draw(&fig, flame, &tree);
	else
		jr_figure_no_data(&fig);
	jr_figure_end(&fig);
	free(tree.frames);
	jr_buf_done(&text);
}
