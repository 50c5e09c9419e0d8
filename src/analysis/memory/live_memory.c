/* What is in device memory, by the Python stack that made it; analysis/README.md, section 17. */
#include <string.h>

#include "analysis/attribution/gpu_stacks.h"
#include "analysis/core/say.h"
#include "analysis/core/keys.h"
#include "analysis/memory/memory_tables.h"
#include "analysis/shared/columns.h"

#define SHOWN_ROWS 20
#define CHAIN_FRAMES 4 /* of a stack in a table */

/* --- tables ----------------------------------------------------------------------------------- */

JR_TABLE_OF(devices_spec, JR_LIVE_DEVICES_COLUMNS, "live_devices", JR_AT_IN(live_memory, devices),
	"Devices", "One row per device with live buffers; by live bytes");

JR_TABLE_OF(lines_spec, JR_LIVE_LINES_COLUMNS, "live_lines", JR_AT_IN(live_memory, lines),
	"Source lines", "One row per source line, over all devices; by live bytes");

#define DEVICE_LINES_COLUMNS(X, T)                                                                 \
	X(T, device, "Device", "device as in live_memory.devices", TEXT, NONE,                         \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, source, "Source line", "line as in live_memory.lines", TEXT, NONE,                        \
		JR_COL_KEY | JR_COL_CODE | JR_COL_SOURCE)                                                  \
	JR_LIVE_SUM_COLUMNS(X, T, "Buffers", "buffers")
JR_TABLE(device_lines_spec, DL, DEVICE_LINES_COLUMNS, "live_device_lines",
	"live_memory.device_lines", "Source lines by device",
	"One row per device and source line; by live bytes", .data_only = true);

#define STACKS_COLUMNS(X, T)                                                                       \
	X(T, device, "Device", "device as in live_memory.devices", TEXT, NONE,                         \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, source, "Source line", "line as in live_memory.lines", TEXT, NONE,                        \
		JR_COL_CODE | JR_COL_SOURCE)                                                               \
	JR_LIVE_SUM_COLUMNS(X, T, "Buffers", "buffers")                                                \
	X(T, callers, "Called from",                                                                   \
		"the callers of that line in user code, innermost first, at most three", TEXT, NONE,       \
		JR_COL_CODE)                                                                               \
	X(T, innermost, "Innermost frame", "innermost frame of the stack", TEXT, NONE,                 \
		JR_COL_CODE | JR_COL_DATA_ONLY)                                                            \
	X(T, depth, "Depth", "number of frames of the stack", I64, COUNT, JR_COL_DATA_ONLY)
JR_TABLE(stacks_spec, ST, STACKS_COLUMNS, "live_stacks", "live_memory.stacks", "Stacks",
	"One row per device and Python stack; by live bytes. data/live_memory.folded has all "
	"frames");

#define EXECUTABLES_COLUMNS(X, T)                                                                  \
	X(T, source, "Source line", "line whose call compiled them, as in live_memory.lines", TEXT,    \
		NONE, JR_COL_KEY | JR_COL_CODE | JR_COL_SOURCE)                                            \
	X(T, function, "Function", "function of that frame", TEXT, NONE, JR_COL_CODE)                  \
	JR_LIVE_SUM_COLUMNS(X, T, "Executables", "executables")
JR_TABLE(executables_spec, EX, EXECUTABLES_COLUMNS, "live_executables", "live_memory.executables",
	"Executables", "One row per source line; by bytes, then by number");

JR_TABLE_OF(kinds_spec, JR_LIVE_KINDS_COLUMNS, "live_kinds", JR_AT_IN(live_memory, kinds),
	"Kinds of objects", "One row per kind; by live bytes");

/* --- sums ------------------------------------------------------------------------------------- */

/* Objects with the same key. */
struct sum {
	const char *name;       /* orders equal sums */
	uint32_t device, frame; /* of the first object: row of `devices`; line, or innermost frame */
	int64_t bytes, objects, unknown, devices;
};

struct sums {
	JR_VEC(struct sum) list;
	struct jr_map rows; /* key -> row */
};

struct state {
	struct jr_pass_context *ctx;
	const struct jr_profile *p;
	uint8_t *kind;          /* [n_frames] enum jr_frame_kind */
	uint32_t *line_of;      /* [n_frames] innermost frame in user code of the stack that ends there,
							   else its last frame */
	const char **line_text; /* [n_frames] "FILE:LINE" of a frame; NULL = not made yet */
	struct jr_intern names; /* of devices */
	uint32_t *device;       /* [live.n] id of `names` */
	struct sums devices, lines, device_lines, stacks, executables, kinds;
};

static struct sum *sum_at(struct sums *sums, uint64_t key, const char *name)
{
	uint32_t row = jr_map_add(&sums->rows, key, (uint32_t)sums->list.n);
	if (row == sums->list.n)
		*jr_vec_add(&sums->list) = (struct sum){.name = name, .frame = JR_NONE};
	return &sums->list.items[row];
}

/* Unknown sizes are counted, and added to no sum. */
static void add_to(struct sum *sum, const struct jr_live_objects *t, size_t i)
{
	sum->objects += t->count[i];
	if (t->bytes[i] < 0)
		sum->unknown += t->count[i];
	else
		sum->bytes += t->bytes[i];
}

static void sums_done(struct sums *sums)
{
	jr_vec_done(&sums->list);
	jr_map_done(&sums->rows);
}

/* Return the order of rows: most bytes first, then most objects, then by name. */
static int compare_sums(const void *a, const void *b)
{
	const struct sum *x = *(const struct sum *const *)a, *y = *(const struct sum *const *)b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->objects != y->objects)
		return x->objects > y->objects ? -1 : 1;
	int by_name = strcmp(x->name, y->name);
	if (by_name)
		return by_name;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static const struct sum **ranked(struct state *s, const struct sums *sums)
{
	const struct sum **order = JR_ARENA_N(s->ctx->scratch, const struct sum *, sums->list.n + 1);
	for (size_t i = 0; i < sums->list.n; i++)
		order[i] = &sums->list.items[i];
	if (sums->list.n)
		qsort((void *)order, sums->list.n, sizeof(*order), compare_sums);
	return order;
}

/* --- frames ----------------------------------------------------------------------------------- */

static enum jr_frame_kind kind_of(
	const struct jr_profile *p, const struct jr_stack_frame *f, struct jr_map *kinds)
{
	uint64_t key = jr_key2(f->file, f->function);
	uint32_t kind = jr_map_get(kinds, key);
	if (kind == JR_NONE) {
		kind = f->file ? jr_profile_frame_kind(p, jr_str(p, f->file), jr_str(p, f->function))
					   : JR_FRAME_UNKNOWN;
		jr_map_put(kinds, key, kind);
	}
	return (enum jr_frame_kind)kind;
}

/* Callers precede the frames that they call, so one pass suffices. */
static void classify_frames(struct state *s)
{
	const struct jr_profile *p = s->p;
	JR_CLEANUP(jr_map_done) struct jr_map kinds = {0};
	s->kind = JR_ARENA_N(s->ctx->scratch, uint8_t, p->n_frames + 1);
	s->line_of = JR_ARENA_N(s->ctx->scratch, uint32_t, p->n_frames + 1);
	s->line_text = JR_ARENA_N(s->ctx->scratch, const char *, p->n_frames + 1);
	for (uint32_t i = 0; i < p->n_frames; i++) {
		const struct jr_stack_frame *f = &p->frames[i];
		s->kind[i] = (uint8_t)kind_of(p, f, &kinds);
		uint32_t of_caller = f->parent == JR_NONE ? JR_NONE : s->line_of[f->parent];
		bool caller_is_user = of_caller != JR_NONE && s->kind[of_caller] == JR_FRAME_USER;
		s->line_of[i] = s->kind[i] != JR_FRAME_USER && caller_is_user ? of_caller : i;
	}
}

/* Return "FILE:LINE" of a frame, "[no stack]" for none. */
static const char *line_text(struct state *s, uint32_t frame)
{
	if (frame == JR_NONE)
		return "[no stack]";
	const struct jr_stack_frame *f = &s->p->frames[frame];
	if (!s->line_text[frame])
		s->line_text[frame] =
			!f->file  ? jr_str(s->p, f->text)
			: f->line ? jr_arena_printf(s->ctx->arena, "%s:%d", jr_str(s->p, f->file), f->line)
					  : jr_str(s->p, f->file);
	return s->line_text[frame];
}

static uint64_t line_key(const struct state *s, uint32_t frame)
{
	if (frame == JR_NONE)
		return UINT64_MAX;
	const struct jr_stack_frame *f = &s->p->frames[frame];
	return f->file ? jr_key2(f->file, (uint32_t)f->line) : jr_key2(0, f->text);
}

/* Return the callers in user code of a line, innermost first: "train.py:120 ← main.py:9". */
static const char *callers_of(struct state *s, uint32_t line)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	size_t n = 0;
	for (uint32_t at = line == JR_NONE ? JR_NONE : s->p->frames[line].parent;
		 at != JR_NONE && n < CHAIN_FRAMES; at = s->p->frames[at].parent) {
		if (s->kind[at] != JR_FRAME_USER)
			continue;
		const char *name = line_text(s, at), *slash = strrchr(name, '/');
		if (++n < CHAIN_FRAMES)
			jr_buf_printf(&text, "%s%s", n > 1 ? " ← " : "", slash ? slash + 1 : name);
		else
			jr_buf_puts(&text, " ← …");
	}
	return text.size ? jr_arena_strndup(s->ctx->arena, text.data, text.size) : NULL;
}

/* --- summing up ------------------------------------------------------------------------------- */

/* Devices of several profiles have equal names, so those of each get the name of their profile. */
static void name_devices(struct state *s)
{
	const struct jr_profile *p = s->p;
	const struct jr_live_objects *t = &p->live;
	struct jr_map known = {0}; /* (process, device) -> id */
	bool several = t->n && t->process[0] != JR_NONE && p->n_processes > 1;
	s->device = JR_ARENA_N(s->ctx->scratch, uint32_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		uint64_t key = jr_key2(t->process[i], t->device[i]);
		s->device[i] = jr_map_get(&known, key);
		if (s->device[i] != JR_NONE)
			continue;
		const char *name = t->device[i] ? jr_str(p, t->device[i]) : "[not stated]";
		if (several)
			name = jr_arena_printf(
				s->ctx->scratch, "%s: %s", jr_str(p, p->processes[t->process[i]].name), name);
		s->device[i] = jr_intern_puts(&s->names, name);
		jr_map_put(&known, key, s->device[i]);
	}
	jr_map_done(&known);
}

static void add_buffer(struct state *s, size_t i)
{
	const struct jr_live_objects *t = &s->p->live;
	const char *device = jr_intern_str(&s->names, s->device[i]);
	uint32_t line = t->frame[i] == JR_NONE ? JR_NONE : s->line_of[t->frame[i]];
	uint64_t key = line_key(s, line), parts[2] = {key, s->device[i]};
	struct sum *of_device = sum_at(&s->devices, s->device[i], device);
	add_to(of_device, t, i);
	struct sum *of_line = sum_at(&s->lines, key, line_text(s, line));
	of_line->frame = line;
	add_to(of_line, t, i);
	size_t n_pairs = s->device_lines.list.n;
	struct sum *of_both =
		sum_at(&s->device_lines, jr_hash(parts, sizeof(parts), 0), line_text(s, line));
	of_both->device = s->device[i];
	of_line->devices += s->device_lines.list.n - n_pairs;
	add_to(of_both, t, i);
	struct sum *of_stack =
		sum_at(&s->stacks, jr_key2(s->device[i], t->frame[i]), line_text(s, line));
	of_stack->device = s->device[i];
	of_stack->frame = t->frame[i];
	add_to(of_stack, t, i);
}

static void add_object(struct state *s, size_t i)
{
	static const char *const names[] = {
		[JR_LIVE_BUFFER] = "buffer", [JR_LIVE_EXECUTABLE] = "executable"};
	const struct jr_live_objects *t = &s->p->live;
	bool other = t->kind[i] == JR_LIVE_OTHER;
	const char *kind = !other            ? names[t->kind[i]]
					   : t->kind_name[i] ? jr_str(s->p, t->kind_name[i])
										 : "[not stated]";
	add_to(sum_at(&s->kinds, jr_key2(t->kind[i], other ? t->kind_name[i] : 0), kind), t, i);
	if (t->kind[i] == JR_LIVE_BUFFER)
		add_buffer(s, i);
	if (t->kind[i] != JR_LIVE_EXECUTABLE)
		return;
	uint32_t line = t->frame[i] == JR_NONE ? JR_NONE : s->line_of[t->frame[i]];
	struct sum *of_line = sum_at(&s->executables, line_key(s, line), line_text(s, line));
	of_line->frame = line;
	add_to(of_line, t, i);
}

/* --- filling tables --------------------------------------------------------------------------- */

/* Whether the size of any of the objects is known. */
static bool is_known(const struct sum *sum)
{
	return sum->unknown < sum->objects || sum->objects == 0;
}

/* Fill bytes, objects and unknown, which are adjacent columns. */
static void fill_sum(struct jr_table *t, size_t column, size_t row, const struct sum *sum)
{
	t->cells[column].i64[row] = is_known(sum) ? sum->bytes : JR_NULL_I64;
	t->cells[column + 1].i64[row] = sum->objects;
	t->cells[column + 2].i64[row] = sum->unknown;
}

static struct jr_table *new_table(
	struct state *s, const struct jr_table_spec *spec, const struct sums *sums)
{
	struct jr_table *t = jr_table_new(s->ctx->arena, spec, sums->list.n);
	if (t->n_rendered > SHOWN_ROWS)
		t->n_rendered = SHOWN_ROWS;
	return t;
}

static const char *kept(struct state *s, uint32_t device)
{
	return jr_arena_strdup(s->ctx->arena, jr_intern_str(&s->names, device));
}

static const char *function_of(const struct state *s, uint32_t frame)
{
	return frame == JR_NONE ? NULL : jr_text_or_null(s->p, s->p->frames[frame].function);
}

/* Columns of a table of sums before and from `bytes` on; NO_COLUMN: the table has none. */
struct places {
	size_t name, device, function, bytes;
};

#define NO_COLUMN SIZE_MAX

static struct jr_table *sums_table(struct state *s, const struct jr_table_spec *spec,
	const struct sums *sums, const struct places *at)
{
	struct jr_table *t = new_table(s, spec, sums);
	const struct sum **order = ranked(s, sums);
	for (size_t i = 0; i < t->n_rows; i++) {
		t->cells[at->name].text[i] = jr_arena_strdup(s->ctx->arena, order[i]->name);
		if (at->device != NO_COLUMN)
			t->cells[at->device].text[i] = kept(s, order[i]->device);
		if (at->function != NO_COLUMN)
			t->cells[at->function].text[i] = function_of(s, order[i]->frame);
		fill_sum(t, at->bytes, i, order[i]);
	}
	return t;
}

static struct jr_table *lines_table(struct state *s, int64_t all_bytes)
{
	struct jr_table *t = new_table(s, &lines_spec, &s->lines);
	const struct sum **order = ranked(s, &s->lines);
	for (size_t i = 0; i < t->n_rows; i++) {
		t->cells[JR_LIVE_LINES_source].text[i] = order[i]->name;
		t->cells[JR_LIVE_LINES_function].text[i] = function_of(s, order[i]->frame);
		fill_sum(t, JR_LIVE_LINES_bytes, i, order[i]);
		if (t->cells[JR_LIVE_LINES_bytes].i64[i] != JR_NULL_I64)
			t->cells[JR_LIVE_LINES_percent].f64[i] =
				jr_ratio((double)order[i]->bytes, (double)all_bytes);
		t->cells[JR_LIVE_LINES_devices].i64[i] = order[i]->devices;
	}
	return t;
}

static struct jr_table *stacks_table(struct state *s)
{
	const struct jr_stack_frame *frames = s->p->frames;
	struct jr_table *t = new_table(s, &stacks_spec, &s->stacks);
	const struct sum **order = ranked(s, &s->stacks);
	for (size_t i = 0; i < t->n_rows; i++) {
		uint32_t frame = order[i]->frame;
		t->cells[ST_device].text[i] = kept(s, order[i]->device);
		t->cells[ST_source].text[i] = order[i]->name;
		fill_sum(t, ST_bytes, i, order[i]);
		t->cells[ST_depth].i64[i] = frame == JR_NONE ? 0 : (int64_t)frames[frame].depth + 1;
		if (frame == JR_NONE)
			continue;
		t->cells[ST_callers].text[i] = callers_of(s, s->line_of[frame]);
		t->cells[ST_innermost].text[i] = jr_str(s->p, frames[frame].text);
	}
	return t;
}

/* --- flamegraph ------------------------------------------------------------------------------- */

/* Return the node of a frame below its device. Missing callers are added first. */
static uint32_t node_of(struct state *s, struct jr_stacks *stacks, struct jr_map *nodes,
	uint32_t *path, uint32_t device, uint32_t frame)
{
	const char *name = jr_intern_str(&s->names, device);
	uint32_t node = JR_NONE;
	size_t n = 0;
	for (; frame != JR_NONE; frame = s->p->frames[frame].parent) {
		node = jr_map_get(nodes, jr_key2(device, frame));
		if (node != JR_NONE)
			break;
		path[n++] = frame;
	}
	if (node == JR_NONE)
		node = jr_stacks_child(stacks, JR_NONE, name, strlen(name), JR_FRAME_ROOT);
	while (n-- > 0) {
		const struct jr_stack_frame *f = &s->p->frames[path[n]];
		node = jr_stacks_child(stacks, node, jr_str(s->p, f->text),
			jr_intern_len(&s->p->strings, f->text), (enum jr_frame_kind)s->kind[path[n]]);
		jr_map_put(nodes, jr_key2(device, path[n]), node);
	}
	return node;
}

static struct jr_tree *tree_of(struct state *s)
{
	const struct jr_live_objects *t = &s->p->live;
	struct jr_stacks stacks;
	struct jr_map nodes = {0}; /* (device, frame) -> node */
	uint32_t deepest = 0;
	for (size_t i = 0; i < s->p->n_frames; i++)
		deepest = s->p->frames[i].depth > deepest ? s->p->frames[i].depth : deepest;
	uint32_t *path = JR_ARENA_N(s->ctx->scratch, uint32_t, (size_t)deepest + 1);
	jr_stacks_init(&stacks);
	for (size_t i = 0; i < t->n; i++)
		if (t->kind[i] == JR_LIVE_BUFFER && t->bytes[i] > 0)
			jr_stacks_add(&stacks, node_of(s, &stacks, &nodes, path, s->device[i], t->frame[i]),
				(double)t->bytes[i]);
	struct jr_tree *tree = jr_stacks_tree(&stacks, s->ctx->arena);
	jr_stacks_done(&stacks);
	jr_map_done(&nodes);
	tree->bytes = true;
	tree->name = "live_memory";
	tree->title = "Live memory by Python stack";
	tree->caption = "Bytes of live buffers along the Python stacks that made them, by device.";
	return tree;
}

/* --- numbers and words ------------------------------------------------------------------------ */

static struct sum all_of(const struct sums *kinds, enum jr_live_kind kind)
{
	uint32_t row = jr_map_get(&kinds->rows, jr_key2(kind, 0));
	return row == JR_NONE ? (struct sum){0} : kinds->list.items[row];
}

static void add_number(struct state *s, struct jr_section *out, const char *key, const char *title,
	const char *help, enum jr_unit unit, int64_t value, const char *note)
{
	struct jr_scalar scalar = jr_scalar_f64(key, title, help, unit, 0);
	scalar.type = JR_I64;
	scalar.value.i64 = value;
	scalar.note = note;
	scalar.tile = title != NULL;
	scalar.hidden = !scalar.tile;
	(void)jr_section_scalar(out, s->ctx->arena, &scalar);
}

static void add_numbers(struct state *s, struct jr_section *out, const struct sum *buffers)
{
	bool partial = s->p->live.is_partial;
	const struct sum executables = all_of(&s->kinds, JR_LIVE_EXECUTABLE);
	add_number(s, out, "live_memory.live_bytes", "Live memory",
		"bytes of all live buffers whose size is known, all devices", JR_UNIT_BYTES,
		is_known(buffers) ? buffers->bytes : JR_NULL_I64,
		partial || buffers->unknown ? "lower bound" : NULL);
	add_number(s, out, "live_memory.buffer_count", "Live buffers",
		"number of buffers in device memory, all devices", JR_UNIT_COUNT, buffers->objects, NULL);
	add_number(s, out, "live_memory.executable_bytes", NULL,
		"bytes of all executables whose size is known", JR_UNIT_BYTES,
		is_known(&executables) ? executables.bytes : JR_NULL_I64, NULL);
	add_number(s, out, "live_memory.executable_count", NULL, "number of executables", JR_UNIT_COUNT,
		executables.objects, NULL);
	struct jr_scalar scalar = jr_scalar_f64("live_memory.partial", NULL,
		"whether samples are missing, because the file is cut or damaged; all sums are then lower "
		"bounds",
		JR_UNIT_NONE, 0);
	scalar.type = JR_BOOL;
	scalar.value.boolean = partial;
	scalar.hidden = true;
	(void)jr_section_scalar(out, s->ctx->arena, &scalar);
}

static void tell_unknown(struct state *s, struct jr_section *out)
{
	int64_t n = 0;
	for (size_t i = 0; i < s->kinds.list.n; i++)
		n += s->kinds.list.items[i].unknown;
	if (!n)
		return;
	jr_section_text(out, s->ctx->arena,
		"The size of %s object%s is not known, because the profile states a negative or "
		"impossible number of bytes. They are in no sum.",
		jr_count_text(s->ctx->arena, n), n == 1 ? "" : "s");
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_live_objects *t = &ctx->profile->live;
	struct state s = {.ctx = ctx, .p = ctx->profile};
	if (t->n == 0) {
		out->unavailable = "not available, because the device memory profile contains no object";
		return;
	}
	jr_intern_init(&s.names);
	classify_frames(&s);
	name_devices(&s);
	for (size_t i = 0; i < t->n; i++)
		add_object(&s, i);
	const struct sum buffers = all_of(&s.kinds, JR_LIVE_BUFFER);
	add_numbers(&s, out, &buffers);
	tell_unknown(&s, out);
	jr_section_tree(out, ctx->arena, tree_of(&s));
	jr_section_table(out, ctx->arena, lines_table(&s, buffers.bytes));
	jr_section_table(out, ctx->arena, stacks_table(&s));
	jr_section_table(out, ctx->arena,
		sums_table(&s, &device_lines_spec, &s.device_lines,
			&(struct places){DL_source, DL_device, NO_COLUMN, DL_bytes}));
	jr_section_table(out, ctx->arena,
		sums_table(&s, &devices_spec, &s.devices,
			&(struct places){JR_LIVE_DEVICES_device, NO_COLUMN, NO_COLUMN, JR_LIVE_DEVICES_bytes}));
	jr_section_table(out, ctx->arena,
		sums_table(&s, &executables_spec, &s.executables,
			&(struct places){EX_source, NO_COLUMN, EX_function, EX_bytes}));
	jr_section_table(out, ctx->arena,
		sums_table(&s, &kinds_spec, &s.kinds,
			&(struct places){JR_LIVE_KINDS_kind, NO_COLUMN, NO_COLUMN, JR_LIVE_KINDS_bytes}));
	struct sums *all[] = {
		&s.devices, &s.lines, &s.device_lines, &s.stacks, &s.executables, &s.kinds};
	for (size_t i = 0; i < JR_COUNT_OF(all); i++)
		sums_done(all[i]);
	jr_intern_done(&s.names);
}

const struct jr_pass jr_pass_live_memory = {
	.name = "live_memory",
	.title = "Live memory",
	.summary = "Buffers in device memory when the device memory profile was saved, by the Python "
			   "line and stack that made them, and the executables that are loaded",
	.needs = JR_NEEDS_LIVE,
	.any_program = true,
	.group = JR_GROUP_COMPILE,
	.run = run,
};
