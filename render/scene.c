#include "render/scene.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/text.h"

#define MAX_TIP_LINE 600

void jr_scene_init(struct jr_scene *scene, double width, double height)
{
	*scene = (struct jr_scene){.width = width, .height = height, .id = "", .label = ""};
	jr_arena_init(&scene->arena, 0);
}

void jr_scene_done(struct jr_scene *scene)
{
	if (!scene)
		return;
	jr_vec_done(&scene->items);
	jr_arena_done(&scene->arena);
	*scene = (struct jr_scene){.id = "", .label = ""};
}

static const char *keep(struct jr_scene *scene, const char *text)
{
	if (!text)
		return NULL;
	size_t n = strlen(text);
	if (jr_text_is_clean(text, n))
		return jr_arena_strndup(&scene->arena, text, n);
	struct jr_buf clean = {0};
	jr_text_clean(&clean, text, n);
	const char *kept = jr_arena_strndup(&scene->arena, clean.data, clean.size);
	jr_buf_done(&clean);
	return kept;
}

void jr_scene_name(struct jr_scene *scene, const char *id, const char *label)
{
	if (id)
		scene->id = keep(scene, id);
	if (label)
		scene->label = keep(scene, label);
}

static double finite_or_0(double v)
{
	return isfinite(v) ? v : 0;
}

static struct jr_item *add(struct jr_scene *scene, enum jr_item_kind kind, double x, double y)
{
	struct jr_item *item = jr_vec_add(&scene->items);
	*item = (struct jr_item){.kind = kind, .x = finite_or_0(x), .y = finite_or_0(y)};
	return item;
}

void jr_scene_round_rect(struct jr_scene *scene, double x, double y, double width, double height,
	double radius, struct jr_style style)
{
	struct jr_item *item = add(scene, JR_ITEM_RECT, x, y);
	item->style = style;
	item->rect.width = finite_or_0(width);
	item->rect.height = finite_or_0(height);
	item->rect.radius = radius;
}

void jr_scene_rect(
	struct jr_scene *scene, double x, double y, double width, double height, struct jr_style style)
{
	jr_scene_round_rect(scene, x, y, width, height, 0, style);
}

void jr_scene_line(
	struct jr_scene *scene, double x1, double y1, double x2, double y2, struct jr_style style)
{
	struct jr_item *item = add(scene, JR_ITEM_LINE, x1, y1);
	item->style = style;
	item->line.x2 = finite_or_0(x2);
	item->line.y2 = finite_or_0(y2);
}

void jr_scene_path(struct jr_scene *scene, const struct jr_point *points, size_t n, bool closed,
	struct jr_style style)
{
	if (n == 0)
		return;
	struct jr_point *copy = JR_ARENA_N(&scene->arena, struct jr_point, n);
	for (size_t i = 0; i < n; i++)
		copy[i] = (struct jr_point){finite_or_0(points[i].x), finite_or_0(points[i].y)};
	struct jr_item *item = add(scene, JR_ITEM_PATH, copy[0].x, copy[0].y);
	item->style = style;
	item->path.points = copy;
	item->path.n = n;
	item->path.closed = closed;
}

void jr_scene_marker(struct jr_scene *scene, double x, double y, double radius, enum jr_shape shape,
	struct jr_style style)
{
	struct jr_item *item = add(scene, JR_ITEM_MARKER, x, y);
	item->style = style;
	item->marker.radius = finite_or_0(radius);
	item->marker.shape = shape;
}

static struct jr_text text_style(const struct jr_text *style)
{
	struct jr_text set = style ? *style : (struct jr_text){0};
	if (set.role == JR_ROLE_NONE)
		set.role = JR_ROLE_INK;
	if (!(set.size > 0))
		set.size = 12;
	return set;
}

void jr_scene_text(
	struct jr_scene *scene, double x, double y, const char *text, const struct jr_text *style)
{
	if (!text || !*text)
		return;
	const char *string = keep(scene, text);
	struct jr_item *item = add(scene, JR_ITEM_TEXT, x, y);
	item->text.string = string;
	item->text.style = text_style(style);
}

/* Limit the bytes of a line of a tooltip: longer lines are not read, and every mark of a chart may
 * have one. */
static size_t tip_length(const char *line, size_t n)
{
	if (n <= MAX_TIP_LINE)
		return n;
	n = MAX_TIP_LINE;
	while (n > MAX_TIP_LINE - 4 && ((unsigned char)line[n] & 0xC0) == 0x80)
		n--;
	return n;
}

void jr_scene_drop_tips(struct jr_scene *scene)
{
	for (size_t i = 0; i < scene->items.n; i++)
		scene->items.items[i].tip = NULL;
}

void jr_scene_tip(struct jr_scene *scene, const char *tip)
{
	if (!scene->items.n || !tip || !*tip)
		return;
	struct jr_buf lines = {0};
	for (const char *line = tip;;) {
		size_t n = strcspn(line, "\n");
		size_t kept = tip_length(line, n);
		jr_text_clean(&lines, line, kept);
		if (kept < n)
			jr_buf_puts(&lines, "…");
		if (!line[n])
			break;
		jr_buf_putc(&lines, '\n');
		line += n + 1;
	}
	scene->items.items[scene->items.n - 1].tip =
		jr_arena_strndup(&scene->arena, lines.data, lines.size);
	jr_buf_done(&lines);
}

bool jr_href_is_fragment(const char *href)
{
	if (!href || href[0] != '#' || !href[1])
		return false;
	for (const char *p = href + 1; *p; p++) {
		bool plain = jr_is_letter(*p) || jr_is_digit(*p) || strchr("._:-", *p);
		if (!plain)
			return false;
	}
	return true;
}

void jr_scene_href(struct jr_scene *scene, const char *href)
{
	if (scene->items.n && jr_href_is_fragment(href))
		scene->items.items[scene->items.n - 1].href = keep(scene, href);
}

void jr_scene_open(struct jr_scene *scene, const struct jr_group *group)
{
	struct jr_group *copy = JR_ARENA_NEW(&scene->arena, struct jr_group);
	*copy = *group;
	copy->id = keep(scene, group->id);
	copy->class = keep(scene, group->class);
	copy->title = keep(scene, group->title);
	copy->href = jr_href_is_fragment(group->href) ? keep(scene, group->href) : NULL;
	copy->text = text_style(&group->text);
	struct jr_attribute *data = JR_ARENA_N(&scene->arena, struct jr_attribute, group->n_data + 1);
	for (size_t i = 0; i < group->n_data; i++)
		data[i] = (struct jr_attribute){
			keep(scene, group->data[i].name), keep(scene, group->data[i].value)};
	copy->data = data;
	struct jr_item *item = add(scene, JR_ITEM_OPEN, 0, 0);
	item->group = copy;
	item->style = group->style;
	scene->depth++;
}

void jr_scene_close(struct jr_scene *scene)
{
	if (scene->depth == 0)
		return;
	scene->depth--;
	add(scene, JR_ITEM_CLOSE, 0, 0);
}

struct jr_style jr_area(enum jr_role role)
{
	enum jr_look look = jr_role_look(role);
	return (struct jr_style){.fill = role,
		.tint = look == JR_LOOK_MARK ? 4 : 0,
		.look = look,
		.stroke = look >= JR_LOOK_OUTLINED ? role : JR_ROLE_NONE};
}

struct jr_style jr_hem(enum jr_role role)
{
	static const enum jr_dash dashes[] = {
		[JR_HEM_SOLID] = JR_SOLID, [JR_HEM_DASHED] = JR_DASHED, [JR_HEM_DOTTED] = JR_DOTTED};
	enum jr_hem hem = jr_role_hem(role);
	struct jr_style style = jr_stroke(hem ? JR_ROLE_INK : JR_ROLE_NONE, 2);
	style.dash = dashes[hem];
	return style;
}

/* --- dump ---------------------------------------------------------------------------------- */

static void dump_numbers(struct jr_buf *out, const double *v, size_t n)
{
	char text[JR_NUM_MAX];
	for (size_t i = 0; i < n; i++) {
		jr_num_double(text, round(v[i] * 100) / 100);
		jr_buf_printf(out, " %s", text);
	}
}

static void dump_style(struct jr_buf *out, const struct jr_style *st)
{
	static const char *const looks[] = {
		"fill", "area", "striped", "cut", "outlined", "hatched", "barred"};
	if (st->fill)
		jr_buf_printf(out, " %s=%s", looks[st->look], jr_role_name(st->fill));
	if (st->fill && st->tint)
		jr_buf_printf(out, "/%u", st->tint);
	if (st->stroke) {
		jr_buf_printf(out, " stroke=%s", jr_role_name(st->stroke));
		dump_numbers(out, &(double){st->stroke_width > 0 ? st->stroke_width : 1}, 1);
	}
	if (st->dash)
		jr_buf_puts(out, st->dash == JR_DASHED ? " dashed" : " dotted");
}

static void dump_text(struct jr_buf *out, const struct jr_item *item)
{
	static const char *const anchors[] = {"start", "middle", "end"};
	const struct jr_text *st = &item->text.style;
	jr_buf_puts(out, "text");
	dump_numbers(out, (double[]){item->x, item->y, st->size}, 3);
	jr_buf_printf(
		out, " %s %s%s", anchors[st->anchor], jr_role_name(st->role), st->bold ? " bold" : "");
	if (st->halo)
		jr_buf_puts(out, " halo");
	if (st->rotate != 0) {
		jr_buf_puts(out, " rotate");
		dump_numbers(out, &st->rotate, 1);
	}
	jr_buf_printf(out, " \"%s\"", item->text.string);
}

static void dump_group(struct jr_buf *out, const struct jr_group *group)
{
	jr_buf_puts(out, "group");
	const char *const pairs[][2] = {
		{"id", group->id}, {"class", group->class}, {"title", group->title}, {"href", group->href}};
	for (size_t i = 0; i < 4; i++)
		if (pairs[i][1])
			jr_buf_printf(out, " %s=\"%s\"", pairs[i][0], pairs[i][1]);
	for (size_t i = 0; i < group->n_data; i++)
		jr_buf_printf(out, " data-%s=\"%s\"", group->data[i].name, group->data[i].value);
}

static void dump_shape(struct jr_buf *out, const struct jr_item *item)
{
	static const char *const shapes[] = {"circle", "square", "diamond", "triangle", "cross"};
	switch (item->kind) {
	case JR_ITEM_RECT:
		jr_buf_puts(out, "rect");
		dump_numbers(out,
			(double[]){item->x, item->y, item->rect.width, item->rect.height, item->rect.radius},
			item->rect.radius > 0 ? 5 : 4);
		break;
	case JR_ITEM_LINE:
		jr_buf_puts(out, "line");
		dump_numbers(out, (double[]){item->x, item->y, item->line.x2, item->line.y2}, 4);
		break;
	case JR_ITEM_PATH:
		jr_buf_puts(out, item->path.closed ? "polygon" : "polyline");
		for (size_t i = 0; i < item->path.n; i++)
			dump_numbers(out, (double[]){item->path.points[i].x, item->path.points[i].y}, 2);
		break;
	default:
		jr_buf_puts(out, shapes[item->marker.shape]);
		dump_numbers(out, (double[]){item->x, item->y, item->marker.radius}, 3);
	}
	dump_style(out, &item->style);
}

/* Put the tooltip on the item's own line: '\n' as a backslash and n. */
static void dump_tip(struct jr_buf *out, const char *tip)
{
	jr_buf_puts(out, " tip=\"");
	for (; *tip; tip++) {
		if (*tip == '\n')
			jr_buf_puts(out, "\\n");
		else
			jr_buf_putc(out, *tip);
	}
	jr_buf_putc(out, '"');
}

void jr_scene_dump(const struct jr_scene *scene, struct jr_buf *out)
{
	jr_buf_printf(out, "scene id=\"%s\" label=\"%s\"", scene->id, scene->label);
	dump_numbers(out, (double[]){scene->width, scene->height}, 2);
	jr_buf_putc(out, '\n');
	size_t depth = 1;
	for (size_t i = 0; i < scene->items.n; i++) {
		const struct jr_item *item = &scene->items.items[i];
		if (item->kind == JR_ITEM_CLOSE) {
			depth--;
			continue;
		}
		jr_buf_repeat(out, ' ', 2 * depth);
		if (item->kind == JR_ITEM_OPEN) {
			dump_group(out, item->group);
			depth++;
		} else if (item->kind == JR_ITEM_TEXT) {
			dump_text(out, item);
		} else {
			dump_shape(out, item);
		}
		if (item->tip)
			dump_tip(out, item->tip);
		if (item->href)
			jr_buf_printf(out, " href=%s", item->href);
		jr_buf_putc(out, '\n');
	}
}

static bool is_clean(const char *text)
{
	return jr_text_is_clean(text, strlen(text));
}

static void assert_item(const struct jr_item *item)
{
	assert(isfinite(item->x) && isfinite(item->y));
	assert(!item->href || jr_href_is_fragment(item->href));
	switch (item->kind) {
	case JR_ITEM_RECT:
		assert(isfinite(item->rect.width) && isfinite(item->rect.height));
		assert(item->rect.width >= 0 && item->rect.height >= 0 && item->rect.radius >= 0);
		break;
	case JR_ITEM_LINE: assert(isfinite(item->line.x2) && isfinite(item->line.y2)); break;
	case JR_ITEM_PATH:
		assert(item->path.n);
		for (size_t i = 0; i < item->path.n; i++)
			assert(isfinite(item->path.points[i].x) && isfinite(item->path.points[i].y));
		break;
	case JR_ITEM_MARKER:
		assert(item->marker.radius >= 0 && item->marker.shape < JR_N_SHAPES);
		break;
	case JR_ITEM_TEXT:
		assert(*item->text.string && is_clean(item->text.string) && item->text.style.size > 0);
		break;
	case JR_ITEM_OPEN:
	case JR_ITEM_CLOSE: break;
	}
}

void jr_scene_assert(const struct jr_scene *scene)
{
	size_t depth = 0;
	assert(isfinite(scene->width) && scene->width >= 0);
	assert(isfinite(scene->height) && scene->height >= 0);
	assert(!scene->label || is_clean(scene->label));
	for (size_t i = 0; i < scene->items.n; i++) {
		assert_item(&scene->items.items[i]);
		depth += scene->items.items[i].kind == JR_ITEM_OPEN;
		assert(depth || scene->items.items[i].kind != JR_ITEM_CLOSE);
		depth -= scene->items.items[i].kind == JR_ITEM_CLOSE;
	}
	assert(depth == scene->depth);
}
