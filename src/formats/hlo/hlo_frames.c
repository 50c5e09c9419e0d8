/* The stack frames of a module: four flat arrays that refer to each other by 1-based positions. */
#include <inttypes.h>

#include "formats/hlo/hlo_parts.h"

static enum jr_status texts_of(struct jr_hlo_decoder *d, size_t n, char **raw, const char ***out,
	struct jr_arena *scratch, struct jr_error *err)
{
	JR_TRY_ARRAY(*out, scratch, n, err);
	for (size_t i = 0; i < n; i++)
		JR_TRY(jr_hlo_text_z(d, raw[i], &(*out)[i], err));
	return JR_OK;
}

static const char *text_at(const char *const *texts, size_t n, int32_t position)
{
	return position >= 1 && (uint32_t)position <= n ? texts[position - 1] : "";
}

static enum jr_status copy_frames(struct jr_hlo_decoder *d, const Xla__StackFrameIndexProto *from,
	struct jr_hlo_frame *frames, struct jr_arena *scratch, struct jr_error *err)
{
	const char **files, **functions;
	JR_TRY(texts_of(d, from->n_file_names, from->file_names, &files, scratch, err));
	JR_TRY(texts_of(d, from->n_function_names, from->function_names, &functions, scratch, err));
	for (size_t i = 0; i < from->n_stack_frames; i++) {
		const Xla__StackFrameIndexProto__StackFrame *frame = from->stack_frames[i];
		int32_t at = frame->file_location_id, parent = frame->parent_frame_id;
		const Xla__StackFrameIndexProto__FileLocation *location =
			at >= 1 && (uint32_t)at <= from->n_file_locations ? from->file_locations[at - 1] : NULL;
		frames[i] = (struct jr_hlo_frame){.file = "", .function = ""};
		if (parent >= 1 && (uint32_t)parent <= from->n_stack_frames)
			frames[i].parent = (uint32_t)parent;
		if (!location)
			continue;
		frames[i].file = text_at(files, from->n_file_names, location->file_name_id);
		frames[i].function = text_at(functions, from->n_function_names, location->function_name_id);
		frames[i].line = location->line > 0 ? location->line : 0;
		frames[i].column = location->column > 0 ? location->column : 0;
	}
	return JR_OK;
}

/*
 * Cut cycles and bound depth. Walk from each frame outwards to one with a known depth. A frame met
 * twice on the way closes a cycle, and the link to it is cut. Each frame is walked once.
 */
static enum jr_status check_parents(struct jr_hlo_frame *frames, uint32_t n, uint64_t max_depth,
	struct jr_arena *scratch, struct jr_error *err)
{
	uint32_t *depth =
		jr_arena_array(scratch, (uint64_t)n + 1, sizeof(*depth), err); /* 0 = not known */
	uint32_t *walk =
		jr_arena_array(scratch, (uint64_t)n + 1, sizeof(*walk), err); /* start of its last walk */
	uint32_t *path = jr_arena_array(scratch, (uint64_t)n + 1, sizeof(*path), err);
	if (!depth || !walk || !path)
		return JR_ELIMIT;
	for (uint32_t start = 1; start <= n; start++) {
		uint32_t n_path = 0;
		uint32_t id = start;
		while (id && !depth[id]) {
			if (walk[id] == start) {
				frames[path[n_path - 1] - 1].parent = 0;
				id = 0;
				break;
			}
			walk[id] = start;
			path[n_path++] = id;
			id = frames[id - 1].parent;
		}
		uint32_t below = id ? depth[id] : 0;
		while (n_path)
			depth[path[--n_path]] = ++below;
		if (depth[start] > max_depth)
			return jr_fail(err, JR_ELIMIT,
				"stack frame %" PRIu32 " has %" PRIu32 " frames, limit %" PRIu64 " (--max-depth)",
				start, depth[start], max_depth);
	}
	return JR_OK;
}

static enum jr_status build_frames(struct jr_hlo_decoder *d, const Xla__StackFrameIndexProto *from,
	struct jr_arena *scratch, struct jr_error *err)
{
	struct jr_hlo *hlo = d->hlo;
	if (from->n_stack_frames >= INT32_MAX)
		return jr_fail(err, JR_ELIMIT, "too many stack frames (%zu)", from->n_stack_frames);
	struct jr_hlo_frame *frames;
	JR_TRY_ARRAY(frames, &hlo->arena, from->n_stack_frames, err);
	JR_TRY(copy_frames(d, from, frames, scratch, err));
	JR_TRY(check_parents(frames, (uint32_t)from->n_stack_frames, d->limits->depth, scratch, err));
	hlo->frames = frames;
	hlo->n_frames = (uint32_t)from->n_stack_frames;
	return JR_OK;
}

enum jr_status jr_hlo_decode_frames(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err)
{
	if (d->has_frames)
		return jr_fail(err, JR_EFORMAT, "second stack frame index at offset %" PRIu64,
			(uint64_t)(message.data - d->origin));
	d->has_frames = true;
	const Xla__StackFrameIndexProto *from =
		jr_unpack(&d->unpacker, &xla__stack_frame_index_proto__descriptor, message, err);
	if (!from)
		return err->status;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	jr_arena_init(&scratch, d->limits->memory_bytes);
	return build_frames(d, from, &scratch, err);
}
