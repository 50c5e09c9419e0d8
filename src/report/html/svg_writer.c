/* figures/NAME.svg: each scene below its title; figures/NAME.interactive.svg: flamegraphs with
 * their script. */

#include "base/task.h"
#include "render/scene.h"
#include "render/scene_dom.h"
#include "report/core/formats.h"
#include "report/html/svg_interactive.h"

#define TITLE_HEIGHT 34.0
#define MARGIN 2.0

/* Copy the items, moved down by the height of the title. Groups draw nothing, so the copy omits
 * them. */
static void copy_below(struct jr_scene *to, const struct jr_scene *from, double down)
{
	for (size_t i = 0; i < from->items.n; i++) {
		const struct jr_item *item = &from->items.items[i];
		double y = item->y + down;
		switch (item->kind) {
		case JR_ITEM_RECT:
			jr_scene_round_rect(to, item->x, y, item->rect.width, item->rect.height,
				item->rect.radius, item->style);
			break;
		case JR_ITEM_LINE:
			jr_scene_line(to, item->x, y, item->line.x2, item->line.y2 + down, item->style);
			break;
		case JR_ITEM_PATH: {
			struct jr_point *points = JR_ARENA_N(&to->arena, struct jr_point, item->path.n);
			for (size_t k = 0; k < item->path.n; k++)
				points[k] =
					(struct jr_point){item->path.points[k].x, item->path.points[k].y + down};
			jr_scene_path(to, points, item->path.n, item->path.closed, item->style);
			break;
		}
		case JR_ITEM_MARKER:
			jr_scene_marker(to, item->x, y, item->marker.radius, item->marker.shape, item->style);
			break;
		case JR_ITEM_TEXT:
			jr_scene_text(to, item->x, y, item->text.string, &item->text.style);
			break;
		case JR_ITEM_OPEN:
		case JR_ITEM_CLOSE: break;
		}
	}
}

static enum jr_status write_figure(const struct jr_report_job *job, const struct jr_figure *figure,
	struct jr_buf *out, struct jr_error *err)
{
	struct jr_scene titled;
	struct jr_arena names;
	jr_arena_init(&names, 0);
	jr_scene_init(&titled, figure->scene->width, figure->scene->height + TITLE_HEIGHT);
	jr_scene_name(&titled, figure->name, figure->title);
	jr_scene_text(&titled, MARGIN, 22, figure->title, &(struct jr_text){.size = 15, .bold = true});
	copy_below(&titled, figure->scene, TITLE_HEIGHT);
	out->size = 0;
	jr_scene_svg_document(&titled, figure->caption, out);
	enum jr_status status = jr_outdir_write(
		job->out, jr_arena_printf(&names, "figures/%s.svg", figure->name), jr_buf_view(out), err);
	if (status == JR_OK && figure->file && figure->interactive) {
		out->size = 0;
		jr_svg_interactive(figure, out);
		status = jr_outdir_write(job->out, figure->file, jr_buf_view(out), err);
	}
	jr_scene_done(&titled);
	jr_arena_done(&names);
	return status;
}

struct figures {
	const struct jr_report_job *job;
	struct jr_error *errors; /* [figures] */
};

static void write_one(void *context, size_t i)
{
	struct figures *f = context;
	struct jr_buf out = {0};
	f->errors[i].status = write_figure(f->job, f->job->doc->figures.items[i], &out, &f->errors[i]);
	jr_buf_done(&out);
}

/* Write the files in parallel on all threads: together they take longer than any other format. */
enum jr_status jr_write_svg(const struct jr_report_job *job, struct jr_error *err)
{
	struct jr_arena scratch;
	size_t n = job->doc->figures.n;
	jr_arena_init(&scratch, 0);
	struct figures f = {job, JR_ARENA_N(&scratch, struct jr_error, n + 1)};
	jr_task_run(job->n_threads, n, write_one, &f);
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < n && status == JR_OK; i++) {
		status = f.errors[i].status;
		if (status != JR_OK && err)
			*err = f.errors[i];
	}
	jr_arena_done(&scratch);
	return status;
}
