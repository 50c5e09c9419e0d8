/* The folders dump/ and sources/ of an archive. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/sort.h"
#include "base/task.h"
#include "base/text.h"
#include "formats/hlo/hlo_parse.h"
#include "formats/hlo/hlo_schema.h"
#include "formats/archive/gzip.h"
#include "formats/archive/xz.h"
#include "record/pack_parts.h"

/* --- dump/ ------------------------------------------------------------------------------------ */

/* One file of the dump while any thread packs it. */
struct dump {
	const char *name;
	const char *path;
	enum packing { PLAIN, XZ, GZIP } packing; /* of the file */
	bool is_hlo, is_text;                     /* .hlo.pb or HLO text; the latter */
	bool is_damaged, is_left_out;
	unsigned groups_fields;
	struct jr_hlo hlo;
	struct jr_buf packed;
	enum jr_status status;
	struct jr_error err;
};

struct packing_dumps {
	const struct jr_limits *limits;
	struct dump *dumps;
};

static enum packing packing_of(const char *name)
{
	return jr_text_ends(name, ".xz") ? XZ : jr_text_ends(name, ".gz") ? GZIP : PLAIN;
}

static const char optimized_text[] = "after_optimizations.txt";

/* The length of a name without .xz or .gz. */
static size_t plain_length(const char *name)
{
	return strlen(name) - (packing_of(name) == PLAIN ? 0 : strlen(".xz"));
}

/* Whether a name without .xz or .gz ends with a word. */
static bool is_named(const char *name, const char *tail)
{
	size_t n = plain_length(name), m = strlen(tail);
	return n >= m && memcmp(name + n - m, tail, m) == 0;
}

static void look_into(struct dump *d, struct jr_bytes module, const struct jr_limits *limits)
{
	struct jr_error err = {0};
	if (!d->is_hlo)
		return;
	if (!d->is_text)
		d->groups_fields = jr_hlo_schema_used(module);
	if ((d->is_text ? jr_hlo_decode_text : jr_hlo_decode)(module, limits, &d->hlo, &err) != JR_OK)
		d->is_damaged = true;
}

/* Files packed with xz keep their bytes; others are packed with xz. */
static void take_dump(struct dump *d, struct jr_bytes bytes, const struct jr_limits *limits)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf unpacked = {0};
	struct jr_error ignored = {0};
	bool readable = true;
	if (d->packing == GZIP)
		readable = jr_gzip_decode(bytes, limits, &unpacked, &ignored) == JR_OK;
	else if (d->packing == XZ && d->is_hlo)
		readable = jr_xz_decode(bytes, limits, &unpacked, &ignored) == JR_OK;
	d->is_left_out = d->packing == GZIP && !readable;
	d->is_damaged = !readable;
	struct jr_bytes module = d->packing == PLAIN ? bytes : jr_buf_view(&unpacked);
	if (readable)
		look_into(d, module, limits);
	if (d->packing == XZ)
		jr_buf_add(&d->packed, bytes.data, bytes.size);
	else if (readable)
		jr_xz_encode(module, &d->packed);
}

static enum jr_status pack_dump(
	struct dump *d, const struct jr_limits *limits, struct jr_error *err)
{
	JR_CLEANUP(jr_file_unmap) struct jr_file_map map = {0};
	d->is_left_out = jr_file_map(d->path, &map, NULL) != JR_OK;
	if (d->is_left_out)
		return JR_OK;
	if (map.bytes.size > limits->entry_bytes)
		return jr_fail(err, JR_ELIMIT, "'%s' is larger than --max-entry-bytes", d->path);
	take_dump(d, map.bytes, limits);
	return JR_OK;
}

static void pack_one(void *context, size_t index)
{
	struct packing_dumps *p = context;
	struct dump *d = &p->dumps[index];
	d->status = pack_dump(d, p->limits, &d->err);
}

static enum jr_status add_dump(struct jr_packing *p, struct dump *d, struct jr_error *err)
{
	if (d->status != JR_OK) {
		*err = d->err;
		return d->status;
	}
	if (d->is_left_out) { /* one unreadable file must not fail the archive */
		*jr_vec_add(&p->dumps_left_out) = d->name;
		return JR_OK;
	}
	p->groups_fields |= d->groups_fields;
	p->told->n_dumps++;
	p->told->n_damaged_dumps += d->is_damaged;
	for (uint32_t i = 0; i < d->hlo.n_frames; i++)
		(void)jr_intern_puts(&p->files, d->hlo.frames[i].file);
	const char *member =
		jr_arena_printf(&p->arena, "dump/%.*s.xz", (int)plain_length(d->name), d->name);
	return jr_pack_member(p, member, jr_buf_view(&d->packed), false, err);
}

/* Whether the list has the file of the first n bytes of a name with another ending. */
static bool has(struct jr_packing *p, const char *const *sorted, size_t n_sorted, const char *name,
	size_t n, const char *ending)
{
	const char *other = jr_arena_printf(&p->arena, "%.*s%s", (int)n, name, ending);
	return bsearch(&other, sorted, n_sorted, sizeof(*sorted), jr_compare_texts) != NULL;
}

/* "a.hlo.pb", "a.hlo.pb.xz" and "a.hlo.pb.gz" would be one member; XLA writes the first. */
static bool is_there_otherwise(
	struct jr_packing *p, const char *const *sorted, size_t n, const char *name)
{
	size_t length = plain_length(name);
	return packing_of(name) != PLAIN &&
		   (has(p, sorted, n, name, length, "") ||
			   (packing_of(name) == GZIP && has(p, sorted, n, name, length, ".xz")));
}

/* A text states less than a proto, which is packed instead of it. */
static bool has_proto(struct jr_packing *p, const char *const *sorted, size_t n, const char *name)
{
	static const char *const endings[] = {".hlo.pb", ".hlo.pb.xz", ".hlo.pb.gz"};
	bool found = false;
	if (!is_named(name, optimized_text))
		return false;
	size_t length = plain_length(name) - strlen(".txt");
	for (size_t i = 0; i < JR_COUNT_OF(endings); i++)
		found |= has(p, sorted, n, name, length, endings[i]);
	return found;
}

/* List the dump's files, sorted. Folders in it come from other tools and are skipped. */
static enum jr_status list_dumps(
	struct jr_packing *p, const char ***names, size_t *n, struct jr_error *err)
{
	JR_VEC(const char *) found = {0};
	DIR *dir = opendir(p->job->dump_dir);
	if (!dir)
		return jr_fail(err, JR_EIO, "cannot read '%s': %s", p->job->dump_dir, strerror(errno));
	for (struct dirent *e; (e = readdir(dir)) && found.n <= p->job->limits->members;) {
		bool wanted = is_named(e->d_name, ".pb") || is_named(e->d_name, ".pbtxt") ||
					  is_named(e->d_name, optimized_text);
		struct stat st;
		if (wanted && fstatat(dirfd(dir), e->d_name, &st, 0) == 0 && S_ISDIR(st.st_mode))
			continue;
		if (wanted)
			*jr_vec_add(&found) = jr_arena_strdup(&p->arena, e->d_name);
	}
	closedir(dir);
	enum jr_status status = JR_OK;
	if (found.n > p->job->limits->members)
		status = jr_fail(
			err, JR_ELIMIT, "'%s' contains more files than --max-members", p->job->dump_dir);
	jr_sort(found.items, found.n, sizeof(*found.items), jr_compare_texts);
	*names = JR_ARENA_N(&p->arena, const char *, found.n + 1);
	*n = 0;
	for (size_t i = 0; i < found.n; i++) {
		if (is_there_otherwise(p, found.items, found.n, found.items[i]))
			*jr_vec_add(&p->dumps_left_out) = found.items[i];
		else if (!has_proto(p, found.items, found.n, found.items[i]))
			(*names)[(*n)++] = found.items[i];
	}
	jr_vec_done(&found);
	return status;
}

enum jr_status jr_pack_dumps(struct jr_packing *p, struct jr_error *err)
{
	const char **names = NULL;
	size_t n = 0;
	if (!p->job->dump_dir)
		return JR_OK;
	JR_TRY(list_dumps(p, &names, &n, err));
	size_t wide = p->job->n_threads ? p->job->n_threads : 1;
	struct dump *dumps = JR_ARENA_N(&p->arena, struct dump, wide);
	struct packing_dumps packing = {p->job->limits, dumps};
	enum jr_status status = JR_OK;
	for (size_t first = 0; first < n && status == JR_OK; first += wide) {
		size_t m = n - first < wide ? n - first : wide;
		for (size_t i = 0; i < m; i++) {
			const char *name = names[first + i];
			dumps[i] = (struct dump){.name = name,
				.path = jr_arena_printf(&p->arena, "%s/%s", p->job->dump_dir, name),
				.packing = packing_of(name),
				.is_hlo = is_named(name, ".hlo.pb") || is_named(name, optimized_text),
				.is_text = is_named(name, optimized_text)};
		}
		jr_task_run(wide, m, pack_one, &packing);
		for (size_t i = 0; i < m; i++) {
			if (status == JR_OK)
				status = add_dump(p, &dumps[i], err);
			jr_hlo_done(&dumps[i].hlo);
			jr_buf_done(&dumps[i].packed);
		}
	}
	return status;
}

/* --- sources/ --------------------------------------------------------------------------------- */

#define MOST_SOURCE_BYTES ((uint64_t)16 << 20)
#define MOST_SOURCES_BYTES ((uint64_t)256 << 20)
#define MOST_SOURCES 5000

/* An absolute path without "." and "..", so that no member's name leaves sources/. */
static const char *normalized(struct jr_arena *arena, const char *path)
{
	char *to = jr_arena_alloc(arena, strlen(path) + 2);
	size_t n = 0;
	for (const char *s = path; *s;) {
		s += strspn(s, "/");
		size_t part = strcspn(s, "/");
		if (part == 2 && memcmp(s, "..", 2) == 0) {
			while (n && to[--n] != '/')
				continue;
		} else if (part && !(part == 1 && *s == '.')) {
			to[n++] = '/';
			memcpy(to + n, s, part);
			n += part;
		}
		s += part;
	}
	to[n] = '\0';
	return to;
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	while (n && folder[n - 1] == '/')
		n--;
	return strncmp(path, folder, n) == 0 && path[n] == '/';
}

static bool is_wanted(const struct jr_pack_job *job, const char *path)
{
	for (size_t i = 0; i < job->n_source_prefixes; i++)
		if (is_below(path, job->source_prefixes[i]))
			return true;
	return job->n_source_prefixes == 0;
}

/* Only names of Python files: a dump may name any readable file. */
static bool is_named_as_source(const char *path)
{
	static const char *const endings[] = {".py", ".pyi", ".pyw", ".pyx", ".ipy", ".ipynb"};
	for (size_t i = 0; i < JR_COUNT_OF(endings); i++)
		if (jr_text_ends(path, endings[i]))
			return true;
	return false;
}

/* UTF-8 without the control characters of binary files. */
static bool is_text(struct jr_bytes bytes)
{
	const char *s = (const char *)bytes.data;
	int code;
	for (size_t i = 0; i < bytes.size;) {
		size_t n = jr_text_decode(s + i, bytes.size - i, &code);
		if (n == 0 || code <= 0 || (code < ' ' && !strchr("\t\n\f\r", code)))
			return false;
		i += n;
	}
	return true;
}

/* Detect "-----BEGIN OPENSSH PRIVATE KEY-----": a hard link to a key is a regular file under any
 * name. */
static bool is_private_key(struct jr_bytes bytes)
{
	static const char begin[] = "-----BEGIN ", end[] = "PRIVATE KEY-----";
	const char *s = (const char *)bytes.data;
	return bytes.size >= sizeof(begin) && memcmp(s, begin, sizeof(begin) - 1) == 0 &&
		   memmem(s, bytes.size < 100 ? bytes.size : 100, end, sizeof(end) - 1) != NULL;
}

/* Whether links lead from a path to a file outside the program's source folders. */
static bool leads_out(const struct jr_pack_job *job, const char *path, const char *real)
{
	if (strcmp(path, real) == 0)
		return false;
	for (size_t i = 0; i < job->n_source_roots; i++) {
		char root[PATH_MAX];
		if (realpath(job->source_roots[i], root) && root[1] && is_below(real, root))
			return false;
	}
	return true;
}

/* Map a file. Returns NULL, or why the file is not taken. Opening a FIFO or device does not block.
 */
static const char *map_source(
	const char *path, uint64_t room_bytes, struct jr_file_map *map, int64_t *changed_s)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? "does not exist" : "cannot be read";
	struct stat st;
	struct jr_error err;
	const char *why = NULL;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		why = "not a regular file";
	else if ((uint64_t)st.st_size > MOST_SOURCE_BYTES)
		why = "larger than 16 MiB";
	else if ((uint64_t)st.st_size > room_bytes)
		why = "sources exceed 256 MiB";
	else if (jr_file_map_open(fd, path, map, &err) != JR_OK)
		why = "cannot be read";
	*changed_s = why ? 0 : (int64_t)st.st_mtime;
	close(fd);
	return why;
}

/* Map the file that a path leads to, links resolved. */
static const char *map_named(const struct jr_pack_job *job, const char *path, uint64_t room_bytes,
	struct jr_file_map *map, int64_t *changed_s)
{
	char real[PATH_MAX];
	if (!is_named_as_source(path))
		return "not the name of a Python file";
	if (!realpath(path, real))
		return jr_is_absent(errno) ? "does not exist" : "cannot be read";
	if (!is_named_as_source(real) || leads_out(job, path, real))
		return "a link that leads out of the program's folders";
	const char *why = map_source(real, room_bytes, map, changed_s);
	if (!why && is_private_key(map->bytes))
		why = "a private key";
	if (!why && !is_text(map->bytes))
		why = "not UTF-8 text";
	return why;
}

enum jr_status jr_pack_sources(struct jr_packing *p, struct jr_error *err)
{
	uint64_t room_bytes = MOST_SOURCES_BYTES;
	struct jr_intern taken;
	if (!p->job->sources)
		return JR_OK;
	jr_intern_init(&taken);
	enum jr_status status = JR_OK;
	for (uint32_t id = 1; id < p->files.n && status == JR_OK; id++) {
		const char *file = jr_intern_str(&p->files, id), *why = NULL;
		const char *path = file[0] == '/' ? normalized(&p->arena, file) : NULL;
		struct jr_file_map map = {0};
		int64_t changed_s = 0;
		size_t before = taken.n;
		if (!path || !*path)
			why = "not an absolute path";
		else if (!is_wanted(p->job, path))
			why = "not below a --source-prefix";
		else if (p->told->n_sources >= MOST_SOURCES)
			why = "beyond 5000 files";
		else
			why = map_named(p->job, path, room_bytes, &map, &changed_s);
		if (why) {
			*jr_vec_add(&p->left_out) = (struct jr_left_out){file, why};
			jr_file_unmap(&map);
			continue;
		}
		(void)jr_intern_puts(&taken, path);
		if (taken.n > before) {
			room_bytes -= map.bytes.size;
			p->told->n_sources++;
			/* the program may have run an older text */
			if (p->job->run && changed_s > p->job->run->begun_s)
				*jr_vec_add(&p->changed) = path;
			status = jr_pack_member(
				p, jr_arena_printf(&p->arena, "sources%s", path), map.bytes, true, err);
		}
		jr_file_unmap(&map);
	}
	p->told->n_sources_left_out = p->left_out.n;
	jr_intern_done(&taken);
	return status;
}
