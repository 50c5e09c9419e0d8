#include "render/flame_diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"

/* Lower bounds of steps 1 to 4, as shares of the value before. */
static const double bounds[JR_FLAME_MAX_STEP] = {0.01, 0.03, 0.1, 0.3};

struct jr_flame_sums jr_flame_sum(const struct jr_flame *flame, const struct jr_flame_tree *tree)
{
	struct jr_flame_sums sums = {
		jr_calloc(tree->n + 1, sizeof(*sums.before)), jr_calloc(tree->n + 1, sizeof(*sums.after))};
	for (size_t i = 0; i < tree->n; i++) {
		const struct jr_flame_node *node = &flame->nodes[tree->frames[i].node];
		sums.before[i + 1] = sums.before[i] + jr_flame_value(node->base);
		sums.after[i + 1] = sums.after[i] + jr_flame_value(node->self);
	}
	return sums;
}

void jr_flame_sums_done(struct jr_flame_sums *sums)
{
	free(sums->before);
	free(sums->after);
	*sums = (struct jr_flame_sums){NULL, NULL};
}

int jr_flame_step(double before, double after)
{
	double change = fabs(after - before);
	int step = 0;
	while (step < JR_FLAME_MAX_STEP && change > 0 && change >= bounds[step] * before)
		step++;
	return after < before ? -step : step;
}

/* The steps of a color differ more than the shades of frames do. */
struct jr_style jr_flame_step_style(int step)
{
	static const unsigned tints[JR_FLAME_MAX_STEP + 1] = {5, 5, 6, 2, 4};
	enum jr_role role = step > 0 ? JR_ROLE_SLOWER : step < 0 ? JR_ROLE_FASTER : JR_ROLE_UNKNOWN;
	return jr_wash(role, tints[abs(step)]);
}

/* --- texts ----------------------------------------------------------------------------------- */

static const char *sign_of(double v)
{
	return v > 0 ? "+" : v < 0 ? "−" : "";
}

static void put_signed(struct jr_buf *out, double v, unsigned decimals)
{
	char number[JR_NUM_MAX];
	jr_num_grouped(number, fabs(v), decimals);
	jr_buf_printf(out, "%s%s", sign_of(v), number);
}

void jr_flame_put_percent(struct jr_buf *out, double before, double after)
{
	if (!jr_flame_step(before, after))
		return;
	if (before > 0 && after > 0) {
		put_signed(out, 100 * (after - before) / before, 1);
		jr_buf_puts(out, " %");
	} else {
		jr_buf_puts(out, before > 0 ? "removed" : "added");
	}
}

void jr_flame_put_change(
	struct jr_buf *out, const struct jr_flame *flame, double before, double after)
{
	jr_buf_puts(out, ": ");
	jr_flame_put_value(out, flame, before);
	jr_buf_puts(out, " → ");
	jr_flame_put_value(out, flame, after);
	jr_buf_printf(out, ", %s", sign_of(after - before));
	jr_flame_put_value(out, flame, fabs(after - before));
	jr_buf_puts(out, " (");
	if (before > 0 && after > 0) {
		put_signed(out, 100 * (after - before) / before, 2);
		jr_buf_puts(out, " %)");
	} else {
		jr_buf_puts(out, before > 0 ? "removed)" : after > 0 ? "added)" : "0 %)");
	}
}

/* --- scale and headings ---------------------------------------------------------------------- */

#define STEP_WIDTH 52.0
#define STEP_HEIGHT 11.0

/* Draw nine boxes, the bounds between them, and the meaning of both ends. */
void jr_flame_scale(struct jr_figure *fig)
{
	static const char *const ends[] = {"less, or removed", "more, or added"};
	const struct jr_text text = {.size = TEXT_SIZE, .role = JR_ROLE_MUTED};
	struct jr_text between = text;
	between.anchor = JR_MIDDLE;
	double x = fig->pad, y = fig->y + 4;
	jr_scene_text(fig->scene, x, y + 10, ends[0], &text);
	x += jr_figure_text_width(fig, ends[0], TEXT_SIZE, false) + 8;
	for (int step = -JR_FLAME_MAX_STEP; step <= JR_FLAME_MAX_STEP; step++, x += STEP_WIDTH) {
		jr_scene_rect(fig->scene, x, y, STEP_WIDTH - 1, STEP_HEIGHT, jr_flame_step_style(step));
		if (step == JR_FLAME_MAX_STEP)
			break;
		fig->text->size = 0;
		put_signed(fig->text, step < 0 ? -100 * bounds[-step - 1] : 100 * bounds[step], 0);
		jr_buf_puts(fig->text, " %");
		jr_scene_text(fig->scene, x + STEP_WIDTH, y + 24, fig->text->data, &between);
	}
	jr_scene_text(fig->scene, x + STEP_WIDTH + 8, y + 10, ends[1], &text);
	fig->y = y + 28;
}

void jr_flame_heading(struct jr_figure *fig, enum jr_flame_weight weight)
{
	static const char *const texts[] = {
		[JR_FLAME_AFTER] = "Width: time in the new run",
		[JR_FLAME_BEFORE] = "Width: time in the base (the new run has none)",
		[JR_FLAME_CHANGE] = "Width: change in either direction, including removed frames",
	};
	fig->y += 20;
	jr_figure_text(fig, fig->pad, fig->y, texts[weight],
		&(struct jr_text){.size = TEXT_SIZE, .bold = true}, fig->width - 2 * fig->pad);
	fig->y += 2;
}

void jr_flame_no_change(struct jr_figure *fig)
{
	fig->y += 22;
	jr_scene_text(fig->scene, fig->pad, fig->y, "No frame changed its time.",
		&(struct jr_text){.size = TEXT_SIZE, .role = JR_ROLE_MUTED});
	fig->y += 4;
}
