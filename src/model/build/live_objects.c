/* Objects in device memory, from device memory profiles; formats/README.md, section 11. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/pprof/pprof.h"
#include "model/build/build.h"

struct live_row {
	uint32_t kind_name, process, device, frame;
	uint8_t kind;
	int64_t count, bytes;
};

struct jr_live_build {
	JR_VEC(struct jr_stack_frame) frames; /* callers first */
	struct jr_map frame_by_key;           /* (parent, text) -> row of frames */
	JR_VEC(struct live_row) rows;
	int64_t objects_left, bytes_left; /* of JR_LIVE_MAX */
};

/* The file that is being added. */
struct adding {
	struct jr_profile *p;
	struct jr_live_build *live;
	const struct jr_pprof *pprof;
	struct jr_stack_frame *frame_of_line; /* [n_lines] without parent; text 0 = not made yet */
	uint32_t *text_of;                    /* [strings.n] str of the profile; JR_NONE = not yet */
	struct jr_map below;                  /* (frame, location) -> innermost frame of the location */
	struct jr_stack_frame unknown;
	uint64_t n_shortened, n_impossible; /* stacks; samples with more objects than can be */
	struct jr_buf text;
	struct jr_arena scratch;
};

void jr_live_done(struct jr_build *build)
{
	struct jr_live_build *live = build->live;
	if (!live)
		return;
	jr_vec_done(&live->frames);
	jr_vec_done(&live->rows);
	jr_map_done(&live->frame_by_key);
	free(live);
	build->live = NULL;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static uint32_t text_of(struct adding *a, uint32_t id)
{
	if (a->text_of[id] == JR_NONE)
		a->text_of[id] = jr_intern_puts(&a->p->strings, jr_intern_str(&a->pprof->strings, id));
	return a->text_of[id];
}

static uint32_t frame_text(struct adding *a, const struct jr_pprof_line *line, const char *file)
{
	const char *function = jr_intern_str(&a->pprof->strings, line->function);
	a->text.size = 0;
	jr_buf_puts(&a->text, file);
	if (line->line)
		jr_buf_printf(&a->text, ":%d", line->line);
	jr_buf_printf(&a->text, "[%s]", *function ? function : "unknown");
	return jr_intern_put(&a->p->strings, a->text.data, a->text.size);
}

static const struct jr_stack_frame *frame_of_line(struct adding *a, uint32_t row)
{
	const struct jr_pprof_line *line = &a->pprof->lines[row];
	struct jr_stack_frame *f = &a->frame_of_line[row];
	if (f->text)
		return f;
	if (!line->file) {
		*f = a->unknown;
		return f;
	}
	const char *file = jr_path_stripped(&a->p->options, jr_str(a->p, text_of(a, line->file)));
	*f = (struct jr_stack_frame){.text = frame_text(a, line, file),
		.file = jr_intern_puts(&a->p->strings, file),
		.function = text_of(a, line->function),
		.line = line->line};
	return f;
}

static uint32_t add_frame(
	struct jr_live_build *live, const struct jr_stack_frame *of, uint32_t parent)
{
	uint64_t key = jr_key2(parent, of->text);
	uint32_t row = jr_map_get(&live->frame_by_key, key);
	if (row != JR_NONE)
		return row;
	row = (uint32_t)live->frames.n;
	struct jr_stack_frame frame = *of;
	frame.parent = parent;
	frame.depth = parent == JR_NONE ? 0 : live->frames.items[parent].depth + 1;
	*jr_vec_add(&live->frames) = frame;
	jr_map_put(&live->frame_by_key, key, row);
	return row;
}

static uint32_t lines_of(const struct adding *a, uint32_t location)
{
	uint64_t n = location == JR_NONE ? 1 : a->pprof->locations[location].n_lines;
	return (uint32_t)(n < a->p->options.limits.depth ? n : a->p->options.limits.depth);
}

/* Add the frames of a location below `parent`. Many stacks share them, so each pair is added once.
 */
static uint32_t add_location(struct adding *a, uint32_t location, uint32_t parent)
{
	uint32_t n = lines_of(a, location);
	if (location == JR_NONE)
		return add_frame(a->live, &a->unknown, parent);
	uint64_t key = jr_key2(parent, location);
	uint32_t frame = jr_map_get(&a->below, key);
	if (frame != JR_NONE || n == 0)
		return n ? frame : parent;
	frame = parent;
	for (uint32_t i = n; i-- > 0;)
		frame = add_frame(
			a->live, frame_of_line(a, a->pprof->locations[location].first_line + i), frame);
	jr_map_put(&a->below, key, frame);
	return frame;
}

/* Add the stack of a sample, outermost frame first. Of a stack that is too deep, the outer end is
 * left out: the innermost frames are what made the object. */
static uint32_t add_stack(struct adding *a, const struct jr_pprof_sample *s)
{
	const uint32_t *stacked = a->pprof->stacked + s->first_stacked;
	uint64_t room = a->p->options.limits.depth;
	uint32_t n = 0, frame = JR_NONE;
	for (; n < s->n_stacked && lines_of(a, stacked[n]) <= room; n++)
		room -= lines_of(a, stacked[n]);
	a->n_shortened += n < s->n_stacked;
	while (n-- > 0)
		frame = add_location(a, stacked[n], frame);
	return frame;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* Take what fits, so that no sum of known numbers overflows. */
static bool take(int64_t value, int64_t *left)
{
	if (value < 0 || value > *left)
		return false;
	*left -= value;
	return true;
}

static enum jr_live_kind kind_of(const char *name)
{
	return strcmp(name, "buffer") == 0       ? JR_LIVE_BUFFER
		   : strcmp(name, "executable") == 0 ? JR_LIVE_EXECUTABLE
											 : JR_LIVE_OTHER;
}

static enum jr_status add_samples(struct adding *a, uint32_t process, struct jr_error *err)
{
	struct jr_live_build *live = a->live;
	for (size_t i = 0; i < a->pprof->n_samples; i++) {
		const struct jr_pprof_sample *s = &a->pprof->samples[i];
		if (!take(s->count, &live->objects_left)) {
			a->n_impossible++;
			continue;
		}
		*jr_vec_add(&live->rows) =
			(struct live_row){.kind = (uint8_t)kind_of(jr_intern_str(&a->pprof->strings, s->kind)),
				.kind_name = text_of(a, s->kind),
				.process = process,
				.device = text_of(a, s->device),
				.frame = add_stack(a, s),
				.count = s->count,
				.bytes = take(s->bytes, &live->bytes_left) ? s->bytes : -1};
		if (live->frames.n > a->p->options.limits.rows)
			return jr_fail(err, JR_ELIMIT, "more than %" PRIu64 " frames of stacks (--max-rows)",
				a->p->options.limits.rows);
	}
	return JR_OK;
}

/* --- what is damaged -------------------------------------------------------------------------- */

static void damaged(struct adding *a, const char *name, const char *what)
{
	jr_profile_damaged(
		a->p, "live_memory", name ? jr_arena_printf(&a->scratch, "'%s': %s", name, what) : what);
}

static void tell(struct adding *a, const char *name)
{
	const struct jr_pprof *pprof = a->pprof;
	struct jr_arena *arena = &a->scratch;
	if (pprof->stopped.status != JR_OK)
		damaged(a, name,
			jr_arena_printf(arena, "%s, so all sums are lower bounds without the rest of the file",
				pprof->stopped.message));
	if (pprof->n_lost)
		damaged(a, name,
			jr_arena_printf(arena,
				"%" PRIu64 " reference%s to texts, functions or locations that the file does not "
				"contain (shown as [unknown])",
				pprof->n_lost, pprof->n_lost == 1 ? "" : "s"));
	uint64_t n_bad = pprof->n_bad + a->n_impossible;
	if (n_bad)
		damaged(a, name,
			jr_arena_printf(arena, "%" PRIu64 " damaged part%s (samples, functions or locations)",
				n_bad, n_bad == 1 ? "" : "s"));
	jr_profile_guess(a->p, "shortened-stacks", a->n_shortened,
		"stacks of live memory have more frames than the limit allows; the outermost frames "
		"are left out (--max-depth)");
}

enum jr_status jr_live_add(struct jr_build *build, const struct jr_pprof *pprof, uint32_t process,
	const char *name, struct jr_error *err)
{
	struct jr_profile *p = build->profile;
	struct adding a = {.p = p, .pprof = pprof};
	if (!build->live) {
		build->live = jr_calloc(1, sizeof(*build->live));
		build->live->objects_left = build->live->bytes_left = JR_LIVE_MAX;
	}
	a.live = build->live;
	jr_arena_init(&a.scratch, 0);
	a.frame_of_line = JR_ARENA_N(&a.scratch, struct jr_stack_frame, pprof->n_lines + 1);
	a.text_of = JR_ARENA_N(&a.scratch, uint32_t, pprof->strings.n + 1);
	memset(a.text_of, 0xFF, pprof->strings.n * sizeof(*a.text_of));
	a.unknown = (struct jr_stack_frame){.text = jr_intern_puts(&p->strings, "[unknown]")};
	p->tells |= JR_TELLS_LIVE;
	enum jr_status status = add_samples(&a, process, err);
	tell(&a, name);
	p->live.is_partial |= status != JR_OK || pprof->stopped.status != JR_OK || pprof->n_bad > 0 ||
						  pprof->lost_labels || a.n_impossible > 0;
	jr_map_done(&a.below);
	jr_buf_done(&a.text);
	jr_arena_done(&a.scratch);
	return status;
}

/* --- freezing --------------------------------------------------------------------------------- */

/* Append the frames that the profile does not have. Returns their rows, in `scratch`. */
static uint32_t *join_frames(
	struct jr_profile *p, const struct jr_live_build *live, struct jr_arena *scratch)
{
	size_t n = live->frames.n;
	uint32_t *row_of = JR_ARENA_N(scratch, uint32_t, n + 1);
	struct jr_stack_frame *all = JR_ARENA_COPY(&p->arena, p->frames, p->n_frames, n + 1);
	JR_CLEANUP(jr_map_done) struct jr_map by_key = {0};
	for (size_t i = 0; i < p->n_frames; i++)
		jr_map_put(&by_key, jr_key2(all[i].parent, all[i].text), (uint32_t)i);
	for (size_t i = 0; i < n; i++) {
		struct jr_stack_frame frame = live->frames.items[i];
		frame.parent = frame.parent == JR_NONE ? JR_NONE : row_of[frame.parent];
		row_of[i] = jr_map_get(&by_key, jr_key2(frame.parent, frame.text));
		if (row_of[i] == JR_NONE) {
			row_of[i] = (uint32_t)p->n_frames;
			all[p->n_frames++] = frame;
		}
	}
	p->frames = all;
	return row_of;
}

void jr_live_freeze(struct jr_build *build)
{
	struct jr_profile *p = build->profile;
	const struct jr_live_build *live = build->live;
	if (!live)
		return;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	const uint32_t *row_of = join_frames(p, live, &scratch);
	struct jr_live_objects *t = &p->live;
	t->n = live->rows.n;
	t->kind = JR_ARENA_N(&p->arena, uint8_t, t->n + 1);
	t->kind_name = JR_ARENA_N(&p->arena, uint32_t, t->n + 1);
	t->process = JR_ARENA_N(&p->arena, uint32_t, t->n + 1);
	t->device = JR_ARENA_N(&p->arena, uint32_t, t->n + 1);
	t->frame = JR_ARENA_N(&p->arena, uint32_t, t->n + 1);
	t->count = JR_ARENA_N(&p->arena, int64_t, t->n + 1);
	t->bytes = JR_ARENA_N(&p->arena, int64_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		const struct live_row *row = &live->rows.items[i];
		t->kind[i] = row->kind;
		t->kind_name[i] = row->kind_name;
		t->process[i] = row->process;
		t->device[i] = row->device;
		t->frame[i] = row->frame == JR_NONE ? JR_NONE : row_of[row->frame];
		t->count[i] = row->count;
		t->bytes[i] = row->bytes;
	}
}
