#include "model/build/ops_parts.h"
#include "base/text.h"

#include <string.h>

/* A computation usually has one caller, so each instruction is visited once or twice. */
#define LOOKS_AN_INSTRUCTION 64

static const char marker_text[] = "[inconsistent metadata]";

void jr_origins_init(struct jr_origins *o, struct jr_profile *profile)
{
	*o = (struct jr_origins){.p = profile};
	o->marker = jr_intern_puts(&profile->strings, marker_text);
	jr_arena_init(&o->scratch, 0);
}

void jr_origins_begin(struct jr_origins *o, const struct jr_hlo *const *copies, size_t n)
{
	jr_arena_clear(&o->scratch);
	o->n_copies = n;
	o->looks_left = (uint64_t)copies[0]->n_instructions * LOOKS_AN_INSTRUCTION;
	for (size_t i = 0; i < n; i++) {
		size_t size = ((size_t)copies[i]->n_frames + 1) * sizeof(**o->frame_of);
		o->copies[i] = copies[i];
		o->frame_of[i] = jr_arena_alloc(&o->scratch, size);
		memset(o->frame_of[i], 0xFF, size);
	}
}

/* --- frames ----------------------------------------------------------------------------------- */

static uint32_t add_frame(struct jr_origins *o, struct jr_stack_frame frame)
{
	uint64_t key = jr_key2(frame.parent, frame.text);
	uint32_t row = jr_map_get(&o->frame_by_key, key);
	if (row != JR_NONE)
		return row;
	row = (uint32_t)o->frames.n;
	frame.depth = frame.parent == JR_NONE ? 0 : o->frames.items[frame.parent].depth + 1;
	*jr_vec_add(&o->frames) = frame;
	jr_map_put(&o->frame_by_key, key, row);
	return row;
}

static uint32_t hlo_frame(struct jr_origins *o, const struct jr_hlo_frame *f, uint32_t parent)
{
	struct jr_intern *strings = &o->p->strings;
	const char *file = jr_path_stripped(&o->p->options, f->file);
	o->text.size = 0;
	jr_buf_printf(&o->text, "%s:%d", file, f->line);
	if (f->column)
		jr_buf_printf(&o->text, ":%d", f->column);
	jr_buf_printf(&o->text, "[%s]", f->function);
	return add_frame(o, (struct jr_stack_frame){.parent = parent,
							.text = jr_intern_put(strings, o->text.data, o->text.size),
							.file = jr_intern_puts(strings, file),
							.function = jr_intern_puts(strings, f->function),
							.line = f->line});
}

/* Each id is resolved once per program, callers first. The decoder bounds the depth of stacks and
 * cuts cycles, so the recursion ends. */
static uint32_t frame_of(struct jr_origins *o, size_t copy, uint32_t id)
{
	const struct jr_hlo *hlo = o->copies[copy];
	if (id == 0 || id > hlo->n_frames)
		return JR_NONE;
	uint32_t *row = &o->frame_of[copy][id];
	if (*row == JR_NONE) {
		const struct jr_hlo_frame *f = &hlo->frames[id - 1];
		*row = hlo_frame(o, f, frame_of(o, copy, f->parent));
	}
	return *row;
}

uint32_t jr_origins_frame(struct jr_origins *o, uint32_t frame_id)
{
	return frame_of(o, 0, frame_id);
}

/* --- disagreeing processes -------------------------------------------------------------------- */

/* A sequence of frames (outermost first) that ends in the op_name; one per copy. The merged
 * sequence is the common prefix, one marker and the common suffix. */

struct sequence {
	uint32_t *items;  /* str ids */
	uint32_t *frames; /* rows of frames, JR_NONE for the op_name */
	size_t n;
};

static struct sequence stack_of(
	struct jr_origins *o, struct jr_arena *arena, struct jr_origin origin)
{
	size_t depth = origin.frame == JR_NONE ? 0 : o->frames.items[origin.frame].depth + 1;
	struct sequence s = {.n = depth + (origin.op_name != 0)};
	s.items = JR_ARENA_N(arena, uint32_t, s.n + 1);
	s.frames = JR_ARENA_N(arena, uint32_t, s.n + 1);
	uint32_t frame = origin.frame;
	for (size_t i = depth; i-- > 0; frame = o->frames.items[frame].parent) {
		s.items[i] = o->frames.items[frame].text;
		s.frames[i] = frame;
	}
	if (origin.op_name) {
		s.items[depth] = origin.op_name;
		s.frames[depth] = JR_NONE;
	}
	return s;
}

static void common_ends(const struct sequence *s, size_t n, size_t *prefix, size_t *suffix)
{
	size_t shortest = s[0].n;
	for (size_t k = 1; k < n; k++)
		shortest = s[k].n < shortest ? s[k].n : shortest;
	*prefix = *suffix = shortest;
	for (size_t k = 1; k < n; k++) {
		size_t same = 0;
		while (same < *prefix && s[k].items[same] == s[0].items[same])
			same++;
		*prefix = same;
	}
	if (*suffix > shortest - *prefix)
		*suffix = shortest - *prefix;
	for (size_t k = 1; k < n; k++) {
		size_t same = 0;
		while (same < *suffix && s[k].items[s[k].n - 1 - same] == s[0].items[s[0].n - 1 - same])
			same++;
		*suffix = same;
	}
}

static struct jr_origin merge_stacks(struct jr_origins *o, const struct sequence *s, size_t n)
{
	size_t prefix, suffix;
	common_ends(s, n, &prefix, &suffix);
	struct jr_origin merged = {.frame = JR_NONE};
	for (size_t i = 0; i < prefix && s[0].frames[i] != JR_NONE; i++)
		merged.frame = s[0].frames[i];
	merged.frame = add_frame(o, (struct jr_stack_frame){.parent = merged.frame, .text = o->marker});
	for (size_t i = s[0].n - suffix; i < s[0].n; i++) {
		if (s[0].frames[i] == JR_NONE) {
			merged.op_name = s[0].items[i];
			break;
		}
		struct jr_stack_frame frame = o->frames.items[s[0].frames[i]];
		frame.parent = merged.frame;
		merged.frame = add_frame(o, frame);
	}
	return merged;
}

/* Split op_names at "/", merge the parts in the same way and join them again. */
static uint32_t merge_paths(
	struct jr_origins *o, struct jr_arena *arena, const struct jr_origin *origins, size_t n)
{
	struct jr_intern *strings = &o->p->strings;
	struct sequence parts[JR_ORIGIN_COPIES];
	bool differ = false;
	for (size_t k = 0; k < n; k++) {
		const char *path = jr_str(o->p, origins[k].op_name);
		differ |= origins[k].op_name != origins[0].op_name;
		parts[k] = (struct sequence){.items = JR_ARENA_N(arena, uint32_t, strlen(path) + 1)};
		for (const char *p = path; *path;) {
			size_t len = strcspn(p, "/");
			parts[k].items[parts[k].n++] = jr_intern_put(strings, p, len);
			if (!p[len])
				break;
			p += len + 1;
		}
	}
	if (!differ)
		return origins[0].op_name;
	size_t prefix, suffix;
	common_ends(parts, n, &prefix, &suffix);
	o->text.size = 0;
	for (size_t i = 0; i < prefix; i++)
		jr_buf_printf(&o->text, "%s/", jr_str(o->p, parts[0].items[i]));
	jr_buf_puts(&o->text, marker_text);
	for (size_t i = parts[0].n - suffix; i < parts[0].n; i++)
		jr_buf_printf(&o->text, "/%s", jr_str(o->p, parts[0].items[i]));
	return jr_intern_put(strings, o->text.data, o->text.size);
}

static struct jr_origin merge(struct jr_origins *o, const struct jr_origin *origins, size_t n)
{
	bool differ = false;
	for (size_t k = 1; k < n; k++)
		differ |= origins[k].frame != origins[0].frame || origins[k].op_name != origins[0].op_name;
	if (!differ)
		return origins[0];
	o->n_inconsistent++;
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct sequence stacks[JR_ORIGIN_COPIES];
	for (size_t k = 0; k < n; k++)
		stacks[k] = stack_of(o, &arena, origins[k]);
	uint32_t path = merge_paths(o, &arena, origins, n);
	struct jr_origin merged = merge_stacks(o, stacks, n);
	merged.path = path;
	return merged;
}

/* --- origins of an op ------------------------------------------------------------------------- */

static struct jr_origin origin_of(
	struct jr_origins *o, size_t copy, const struct jr_hlo_instruction *inst)
{
	uint32_t op_name = jr_intern_puts(&o->p->strings, inst->op_name);
	return (struct jr_origin){frame_of(o, copy, inst->stack_frame_id), op_name, op_name};
}

/* Find the instruction of the same name in a copy. With equal structure it is at the same row. */
static const struct jr_hlo_instruction *same_instruction(
	const struct jr_hlo *copy, uint32_t row, const char *name)
{
	if (row < copy->n_instructions && strcmp(copy->instructions[row].name, name) == 0)
		return &copy->instructions[row];
	uint32_t found = jr_hlo_find(copy, name);
	return found == JR_NONE ? NULL : &copy->instructions[found];
}

static void add_origin(struct jr_origins *o, uint32_t op_row, uint32_t instruction)
{
	const struct jr_hlo_instruction *inst = &o->copies[0]->instructions[instruction];
	struct jr_origin origins[JR_ORIGIN_COPIES];
	size_t n = 0;
	origins[n++] = origin_of(o, 0, inst);
	for (size_t copy = 1; copy < o->n_copies; copy++) {
		const struct jr_hlo_instruction *same =
			same_instruction(o->copies[copy], instruction, inst->name);
		if (same)
			origins[n++] = origin_of(o, copy, same);
	}
	struct jr_origin origin = n > 1 ? merge(o, origins, n) : origins[0];
	if (origin.frame == JR_NONE && origin.op_name == 0 && origin.path == 0)
		return;
	uint32_t parts[3] = {origin.frame, origin.op_name, origin.path};
	uint64_t key = jr_hash(parts, sizeof(parts), 0);
	if (jr_map_get(&o->seen, key) == op_row)
		return;
	jr_map_put(&o->seen, key, op_row);
	*jr_vec_add(&o->items) = origin;
	o->p->ops[op_row].n_origins++;
}

void jr_origins_add(struct jr_origins *o, uint32_t op_row)
{
	const struct jr_hlo *hlo = o->copies[0];
	struct jr_op *op = &o->p->ops[op_row];
	const struct jr_hlo_instruction *inst = &hlo->instructions[op->instruction];
	op->first_origin = (uint32_t)o->items.n;
	add_origin(o, op_row, op->instruction);
	for (uint32_t k = 0; k < inst->n_called; k++) {
		uint32_t row = jr_hlo_computation_by_id(hlo, inst->called_ids[k]);
		if (row == JR_NONE)
			continue;
		const struct jr_hlo_computation *called = &hlo->computations[row];
		if (called->n >= o->looks_left) { /* visiting an empty one also counts */
			o->looks_left = 0;
			o->n_unread++;
			return;
		}
		o->looks_left -= called->n + 1;
		for (uint32_t i = 0; i < called->n; i++)
			add_origin(o, op_row, called->first + i);
	}
}

/* --- statements of events --------------------------------------------------------------------- */

/* "FILE:LINE" or "FILE:LINE:COLUMN": find the end of FILE, and LINE. False: another form. */
static bool split_place(const char *s, size_t n, size_t *file_end, int32_t *line)
{
	size_t ends[2], n_ends = 0;
	for (size_t end = n; n_ends < 2 && end > 0;) {
		size_t at = end;
		while (at > 0 && jr_is_digit(s[at - 1]))
			at--;
		if (at == end || at < 2 || s[at - 1] != ':')
			break;
		ends[n_ends++] = at - 1;
		end = at - 1;
	}
	if (n_ends == 0)
		return false;
	*file_end = ends[n_ends - 1];
	int64_t value = 0;
	for (size_t i = *file_end + 1; i < n && s[i] != ':'; i++)
		value = value > INT32_MAX ? value : value * 10 + (s[i] - '0');
	*line = value > INT32_MAX ? 0 : (int32_t)value;
	return true;
}

#define MOST_SAID_FRAMES 256 /* per stack; deeper stacks are cut at the outer end */
/* Line breaks after cleaning of texts. */
#define BREAK "\xE2\x90\x8A"

static uint32_t said_frame(struct jr_origins *o, const char *s, size_t n, uint32_t parent)
{
	size_t file_end;
	int32_t line;
	if (!split_place(s, n, &file_end, &line))
		return parent;
	struct jr_intern *strings = &o->p->strings;
	uint32_t whole = jr_intern_put(strings, s, file_end);
	const char *file = jr_path_stripped(&o->p->options, jr_str(o->p, whole));
	o->text.size = 0;
	jr_buf_printf(&o->text, "%s", file);
	jr_buf_add(&o->text, s + file_end, n - file_end);
	return add_frame(o, (struct jr_stack_frame){.parent = parent,
							.text = jr_intern_put(strings, o->text.data, o->text.size),
							.file = jr_intern_puts(strings, file),
							.line = line});
}

/* Versions differ in the order of a stack. The end that equals the source is the innermost. */
static uint32_t said_stack(struct jr_origins *o, const char *stack, const char *source)
{
	struct {
		const char *s;
		size_t n;
	} lines[MOST_SAID_FRAMES];
	size_t n = 0, source_size = strlen(source);
	for (const char *at = stack; *at && n < MOST_SAID_FRAMES;) {
		const char *end = strstr(at, BREAK);
		size_t size = end ? (size_t)(end - at) : strlen(at);
		if (size) {
			lines[n].s = at;
			lines[n++].n = size;
		}
		at += size + (end ? strlen(BREAK) : 0);
	}
	bool outer_first = n > 1 && source_size && lines[n - 1].n >= source_size &&
					   memcmp(lines[n - 1].s, source, source_size) == 0 &&
					   (lines[0].n < source_size || memcmp(lines[0].s, source, source_size) != 0);
	uint32_t frame = JR_NONE;
	for (size_t i = 0; i < n; i++) {
		size_t k = outer_first ? i : n - 1 - i;
		frame = said_frame(o, lines[k].s, lines[k].n, frame);
	}
	return frame;
}

/* "jit(f)/add:Add": the name ends at the colon in its last part. */
static uint32_t said_name(struct jr_profile *p, const char *text)
{
	const char *slash = strrchr(text, '/'), *colon = strrchr(text, ':');
	size_t n = colon && (!slash || colon > slash) ? (size_t)(colon - text) : strlen(text);
	return jr_intern_put(&p->strings, text, n);
}

void jr_origins_add_said(struct jr_origins *o, uint32_t op_row)
{
	struct jr_op *op = &o->p->ops[op_row];
	const struct jr_said *said = op->said;
	const char *source = jr_str(o->p, said->source);
	size_t file_end;
	op->op_name = said_name(o->p, jr_str(o->p, said->op_name));
	uint32_t frame = said_stack(o, jr_str(o->p, said->stack), source);
	if (split_place(source, strlen(source), &file_end, &op->source_line)) {
		uint32_t whole = jr_intern_put(&o->p->strings, source, file_end);
		op->source_file =
			jr_intern_puts(&o->p->strings, jr_path_stripped(&o->p->options, jr_str(o->p, whole)));
	}
	op->first_origin = (uint32_t)o->items.n;
	if (frame == JR_NONE && !op->op_name)
		return;
	*jr_vec_add(&o->items) = (struct jr_origin){frame, op->op_name, op->op_name};
	op->n_origins++;
}

void jr_origins_finish(struct jr_origins *o)
{
	struct jr_profile *p = o->p;
	jr_profile_guess(p, "inconsistent-metadata", o->n_inconsistent,
		"the Python stack or op_name of instructions differs between processes; the differing "
		"part is shown as [inconsistent metadata]");
	jr_profile_guess(p, "unread-computations", o->n_unread,
		"instructions of thunks call computations that are shared by very many instructions; "
		"not all stacks and op_names of these computations were read");
	p->n_frames = o->frames.n;
	p->frames = JR_ARENA_COPY(&p->arena, o->frames.items, p->n_frames, 1);
	p->n_origins = o->items.n;
	p->origins = JR_ARENA_COPY(&p->arena, o->items.items, p->n_origins, 1);
	jr_vec_done(&o->frames);
	jr_vec_done(&o->items);
	jr_map_done(&o->frame_by_key);
	jr_map_done(&o->seen);
	jr_buf_done(&o->text);
	jr_arena_done(&o->scratch);
}
