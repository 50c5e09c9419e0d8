#include "model/inputs/source_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/task.h"
#include "base/text.h"
#include "base/vec.h"

#define MAX_FILES 48
#define MAX_FILE_BYTES (UINT64_C(1) << 20)
#define MAX_LINES 200000
#define MAX_LINE_BYTES 300
#define TAB 4
#define PROBE_BYTES 8192 /* a NUL in these means binary */

/* --- lines ---------------------------------------------------------------------------------- */

static void put_line(struct jr_buf *out, struct jr_buf *room, const char *s, size_t n)
{
	bool cut = n > MAX_LINE_BYTES;
	n = jr_text_prefix(s, n, MAX_LINE_BYTES);
	room->size = 0;
	for (const char *tab; (tab = memchr(s, '\t', n)); s = tab + 1) {
		size_t before = (size_t)(tab - s);
		jr_buf_add(room, s, before);
		jr_buf_repeat(room, ' ', TAB - room->size % TAB);
		n -= before + 1;
	}
	jr_buf_add(room, s, n);
	jr_text_clean(out, room->data, room->size);
	if (cut)
		jr_buf_puts(out, "…");
	jr_buf_putc(out, '\0');
}

/* Return the number of bytes before the first `c`, or n. */
static size_t span_before(const char *s, size_t n, char c)
{
	const char *found = memchr(s, c, n);
	return found ? (size_t)(found - s) : n;
}

uint32_t jr_source_text_lines(struct jr_bytes bytes, struct jr_buf *text, uint32_t **line_at)
{
	JR_VEC(uint32_t) starts = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf room = {0};
	const char *s = (const char *)bytes.data;
	size_t n = bytes.size, at = jr_text_mark_bytes(bytes), feed = 0;
	while (at < n && starts.n < MAX_LINES) {
		if (starts.n == 0 || feed < at) /* once for many lines that end with a carriage return */
			feed = at + span_before(s + at, n - at, '\n');
		size_t end = at + span_before(s + at, feed - at, '\r');
		*jr_vec_add(&starts) = (uint32_t)text->size;
		put_line(text, &room, s + at, end - at);
		at = end + 1;
		if (end + 1 < n && s[end] == '\r' && s[end + 1] == '\n')
			at++;
	}
	*line_at = starts.items;
	return (uint32_t)starts.n;
}

/* --- which files ---------------------------------------------------------------------------- */

struct wanted {
	uint32_t file;     /* str */
	int32_t last_line; /* highest line in a frame */
	double ns;         /* of stacks through the file */
};

JR_ORDER_WITH(
	compare_wanted, struct wanted, struct jr_profile, JR_DOWN(ns) JR_TEXT_UP_OF(jr_str, file))

static int64_t *active_by_op(const struct jr_profile *p, struct jr_arena *scratch)
{
	int64_t *active_ns = JR_ARENA_N(scratch, int64_t, p->n_ops + 1);
	for (size_t i = 0; i < p->thunks.n; i++)
		if (jr_thunk_steady(p, i))
			active_ns[p->thunks.op[i]] += jr_thunk_active_ns(p, i);
	return active_ns;
}

/* List files of stacks with steady time, most time first. `row_of`: str -> row. */
static size_t list_wanted(
	const struct jr_profile *p, struct wanted *wanted, struct jr_arena *scratch)
{
	uint32_t *row_of = JR_ARENA_N(scratch, uint32_t, p->strings.n + 1);
	uint32_t *stamp = JR_ARENA_N(scratch, uint32_t, p->strings.n + 1);
	const int64_t *active_ns = active_by_op(p, scratch);
	size_t n = 0;
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct jr_op *op = &p->ops[i];
		for (uint32_t k = 0; active_ns[i] > 0 && k < op->n_origins; k++) {
			uint32_t stack = op->first_origin + k + 1;
			for (uint32_t f = p->origins[stack - 1].frame; f != JR_NONE; f = p->frames[f].parent) {
				uint32_t file = p->frames[f].file;
				if (!file || *jr_str(p, file) == '<')
					continue;
				if (!row_of[file]) {
					wanted[n++] = (struct wanted){.file = file};
					row_of[file] = (uint32_t)n;
				}
				struct wanted *w = &wanted[row_of[file] - 1];
				if (p->frames[f].line > w->last_line)
					w->last_line = p->frames[f].line;
				if (stamp[file] != stack)
					w->ns += (double)active_ns[i] / op->n_origins;
				stamp[file] = stack;
			}
		}
	}
	jr_sort_with(wanted, n, sizeof(*wanted), compare_wanted, (void *)(uintptr_t)p);
	return n;
}

/* --- reading one file ----------------------------------------------------------------------- */

struct reading {
	struct jr_profile *profile;
	struct jr_archive *const *archives;
	const struct wanted *wanted;
	struct read_file {
		struct jr_buf text;
		uint32_t *line_at;
		uint32_t n_lines;
		bool outside;
		const char *missing; /* static */
		size_t damaged_in;   /* the last input whose file cannot be read, if `missing` says so */
	} * files;
};

static const char damaged[] = "the file in the input is damaged";

/* Split bytes into lines. True if there are enough lines for the stacks. */
static bool take_text(struct read_file *file, struct jr_bytes bytes, int32_t last_line)
{
	if (bytes.size &&
		memchr(bytes.data, '\0', bytes.size < PROBE_BYTES ? bytes.size : PROBE_BYTES)) {
		file->missing = "the file is not a text file";
		return false;
	}
	file->text.size = 0;
	free(file->line_at);
	file->n_lines = jr_source_text_lines(bytes, &file->text, &file->line_at);
	if (last_line > 0 && file->n_lines < (uint32_t)last_line) {
		file->missing =
			"the file has fewer lines than stacks refer to, so it is a different version";
		return false;
	}
	file->missing = NULL;
	return true;
}

void jr_source_text_name(const char *path, struct jr_buf *out)
{
	jr_buf_printf(out, "sources%s%s", *path == '/' ? "" : "/", path);
}

size_t jr_source_text_find(const struct jr_archive *archive, const char *path)
{
	size_t index = jr_archive_find(archive, path);
	if (index != SIZE_MAX)
		return index;
	size_t n = strlen(path);
	for (size_t i = jr_archive_lower_bound(archive, path); i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		if (strncmp(name, path, n) != 0)
			break;
		if (name[n] == '/' && name[n + 1])
			return i;
	}
	return SIZE_MAX;
}

enum jr_digest_text_state jr_source_text_member(
	struct jr_archive *archive, size_t index, struct jr_buf *bytes)
{
	struct jr_error err = {0};
	if (jr_archive_at(archive, index)->size_bytes > MAX_FILE_BYTES)
		return JR_DIGEST_TEXT_TOO_LARGE;
	return jr_archive_read(archive, index, bytes, &err) == JR_OK ? JR_DIGEST_TEXT
																 : JR_DIGEST_TEXT_DAMAGED;
}

/* Read a text from an input. Returns false if the input does not have it. */
static bool read_from_input(const struct reading *r, size_t input, const char *name,
	struct jr_buf *bytes, enum jr_digest_text_state *state)
{
	const struct jr_digest *digest = r->profile->inputs[input].digest;
	struct jr_archive *archive = r->archives[input];
	struct jr_error err = {0};
	if (digest) {
		const struct jr_digest_text *text = jr_digest_find_text(digest, name);
		*state = text ? (enum jr_digest_text_state)text->state : JR_DIGEST_TEXT;
		if (text && *state == JR_DIGEST_TEXT &&
			jr_digest_read_text(digest, text, &r->profile->options.limits, bytes, &err) != JR_OK)
			*state = JR_DIGEST_TEXT_DAMAGED;
		return text != NULL;
	}
	size_t index = archive ? jr_source_text_find(archive, name) : SIZE_MAX;
	if (index != SIZE_MAX)
		*state = jr_source_text_member(archive, index, bytes);
	return index != SIZE_MAX;
}

static bool read_archived(
	const struct reading *r, struct read_file *file, const char *path, int32_t last_line)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf member = {0};
	jr_source_text_name(path, &member);
	for (size_t i = 0; i < r->profile->n_inputs; i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf bytes = {0};
		enum jr_digest_text_state state;
		if (!read_from_input(r, i, member.data, &bytes, &state))
			continue;
		if (state == JR_DIGEST_TEXT_TOO_LARGE)
			file->missing = "the file is larger than 1 MiB";
		else if (state == JR_DIGEST_TEXT_DAMAGED) {
			file->missing = damaged;
			file->damaged_in = i;
		} else if (take_text(file, jr_buf_view(&bytes), last_line))
			return true;
	}
	return false;
}

/* Paths come from an untrusted profile: allow only Python files below the folder. */
static bool may_be_read(const char *path)
{
	size_t n = strlen(path);
	if (n < 4 || strcmp(path + n - 3, ".py") != 0)
		return false;
	for (const char *s = path; s; s = strchr(s, '/')) {
		s += *s == '/';
		if (strcmp(s, "..") == 0 || strncmp(s, "../", 3) == 0)
			return false;
	}
	return true;
}

/* Try the whole path below DIR, then shorter and shorter ends of it, because DIR may be a checkout
 * of code that ran elsewhere. A file with too few lines is another file of that name. */
static bool read_outside(
	const struct reading *r, struct read_file *file, const char *path, int32_t last_line)
{
	const char *dir = r->profile->options.sources_dir;
	if (!dir || !may_be_read(path))
		return false;
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	for (const char *end = path + (*path == '/'); end; end = strchr(end, '/')) {
		end += *end == '/';
		struct jr_file_map map;
		struct jr_error err = {0};
		name.size = 0;
		jr_buf_printf(&name, "%s/%s", dir, end);
		if (jr_file_map(name.data, &map, &err) != JR_OK)
			continue;
		bool taken = map.bytes.size <= MAX_FILE_BYTES && take_text(file, map.bytes, last_line);
		jr_file_unmap(&map);
		if (taken)
			return file->outside = true;
	}
	return false;
}

static void read_one(void *context, size_t index)
{
	struct reading *r = context;
	struct read_file *file = &r->files[index];
	const struct wanted *w = &r->wanted[index];
	const char *path = jr_str(r->profile, w->file);
	const char *prefix = r->profile->options.strip_prefix;
	file->missing =
		"the input does not contain the file. Use --sources DIR if the file exists there";
	if (read_archived(r, file, path, w->last_line))
		return;
	/* Archives store a path with a stripped prefix under the whole path. */
	if (prefix && *path != '/') {
		JR_CLEANUP(jr_buf_done) struct jr_buf whole = {0};
		size_t n = strlen(prefix);
		jr_buf_printf(&whole, "%s%s%s", prefix, prefix[n - 1] == '/' ? "" : "/", path);
		if (read_archived(r, file, whole.data, w->last_line))
			return;
	}
	(void)read_outside(r, file, path, w->last_line);
}

/* --- into the profile ----------------------------------------------------------------------- */

static void keep(
	struct jr_profile *p, struct jr_source_text *out, uint32_t name, struct read_file *file)
{
	*out =
		(struct jr_source_text){.file = name, .missing = file->missing, .outside = file->outside};
	struct jr_error err;
	char *text = file->missing ? NULL : jr_arena_array(&p->arena, file->text.size + 1, 1, &err);
	uint32_t *line_at =
		text ? jr_arena_array(&p->arena, file->n_lines + 1, sizeof(*line_at), &err) : NULL;
	if (line_at) {
		jr_copy(text, file->text.data, file->text.size);
		jr_copy(line_at, file->line_at, file->n_lines * sizeof(*line_at));
		out->text = text;
		out->line_at = line_at;
		out->n_lines = file->n_lines;
	} else if (!file->missing) {
		out->missing = "not enough memory is left for the file (--max-memory)";
	}
	jr_buf_done(&file->text);
	free(file->line_at);
}

void jr_source_text_damaged(struct jr_profile *p, size_t input, const char *name)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	const char *reason = jr_arena_printf(&scratch, "the source file '%s' is damaged", name);
	if (p->n_inputs > 1)
		reason = jr_arena_printf(&scratch, "'%s': %s", p->inputs[input].name, reason);
	jr_profile_damaged(p, "sources", reason);
}

void jr_source_texts_load(struct jr_profile *p, struct jr_archive *const *archives)
{
	if (p->options.no_sources || p->n_frames == 0)
		return;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct wanted *wanted = JR_ARENA_N(&scratch, struct wanted, p->n_frames);
	size_t n = list_wanted(p, wanted, &scratch);
	n = n < MAX_FILES ? n : MAX_FILES;
	struct reading r = {p, archives, wanted, JR_ARENA_N(&scratch, struct read_file, n + 1)};
	jr_task_run(p->options.n_threads, n, read_one, &r);
	p->source_texts = JR_ARENA_N(&p->arena, struct jr_source_text, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (r.files[i].missing == damaged)
			jr_source_text_damaged(p, r.files[i].damaged_in, jr_str(p, wanted[i].file));
		keep(p, &p->source_texts[p->n_source_texts++], wanted[i].file, &r.files[i]);
	}
}
