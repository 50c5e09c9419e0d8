#include "model/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "formats/xz.h"

void jr_source_init(struct jr_source *s, uint32_t input, const char *name, const char *subname,
	struct jr_archive *archive, const struct jr_limits *limits)
{
	*s = (struct jr_source){.input = input,
		.name = name,
		.subname = subname,
		.archive = archive,
		.limits = limits,
		.host_member = SIZE_MAX};
	jr_arena_init(&s->arena, limits->memory_bytes);
	jr_metadata_init(&s->metadata);
}

void jr_source_done(struct jr_source *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_dumps; i++) {
		jr_hlo_done(s->dumps[i].hlo);
		free(s->dumps[i].hlo);
	}
	jr_trace_done(&s->trace);
	jr_metadata_done(&s->metadata);
	jr_host_ranges_done(&s->host);
	jr_arena_done(&s->arena);
	*s = (struct jr_source){0};
}

/* --- finding members -------------------------------------------------------------------------- */

/* `path` as a file, or the file of this process in a folder of that name (combined archive). */
size_t jr_source_locate(const struct jr_source *s, const char *path)
{
	size_t index = jr_archive_find(s->archive, path);
	if (index != SIZE_MAX || !s->subname)
		return index;
	char name[4096];
	int n = snprintf(name, sizeof(name), "%s/%s", path, s->subname);
	return n > 0 && (size_t)n < sizeof(name) ? jr_archive_find(s->archive, name) : SIZE_MAX;
}

const char *const jr_source_own_members[] = {JR_MEMBER_TRACE, JR_MEMBER_THREADS,
	JR_MEMBER_HOST_CSV, JR_MEMBER_HOST_PARQUET, JR_MEMBER_DEVICES, JR_MEMBER_SYSTEM, NULL};

/* Files right below the archive's folder `path`: how many, and their names where parts is set. */
static size_t files_below(const struct jr_archive *archive, const char *path, const char **parts)
{
	size_t n = 0, len = strlen(path);
	for (size_t i = jr_archive_lower_bound(archive, path); i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		if (strncmp(name, path, len) != 0)
			break;
		if (name[len] != '/' || !name[len + 1] || strchr(name + len + 1, '/'))
			continue;
		if (parts)
			parts[n] = name + len + 1;
		n++;
	}
	return n;
}

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return strcmp(*x, *y);
}

size_t jr_source_parts(
	const struct jr_archive *archive, struct jr_arena *arena, const char ***out)
{
	/* All of these folders: a process may lack one or the other of the members. */
	size_t n = 0, distinct = 0;
	for (const char *const *m = jr_source_own_members; *m; m++)
		n += files_below(archive, *m, NULL);
	const char **parts = JR_ARENA_N(arena, const char *, n + 1);
	n = 0;
	for (const char *const *m = jr_source_own_members; *m; m++)
		n += files_below(archive, *m, parts + n);
	if (n)
		qsort(parts, n, sizeof(*parts), compare_names);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(parts[i], parts[i - 1]) != 0)
			parts[distinct++] = parts[i];
	*out = parts;
	return distinct;
}

/* dump/module_NNNN.NAME.[sm_X.Y_gpu_]after_optimizations.hlo.pb.xz -> its parts. `name` may be the
 * folder part of a combined archive's member. */
static bool parse_dump(const char *name, size_t n, int64_t *number, const char **module,
	size_t *module_len)
{
	static const char head[] = "dump/module_", tail[] = "after_optimizations.hlo.pb.xz";
	if (n < sizeof(head) + sizeof(tail) || memcmp(name, head, sizeof(head) - 1) != 0 ||
		memcmp(name + n - (sizeof(tail) - 1), tail, sizeof(tail) - 1) != 0)
		return false;
	const char *digits = name + sizeof(head) - 1;
	size_t n_digits = strspn(digits, "0123456789");
	const char *rest = digits + n_digits;
	const char *end = name + n - (sizeof(tail) - 1);
	if (!jr_parse_i64(digits, n_digits, number) || *rest != '.' || rest >= end || end[-1] == '/')
		return false;
	rest++;
	/* What is ahead of the tail is "NAME." or "NAME.sm_8.0_gpu_". */
	size_t len = (size_t)(end - rest);
	if (len && rest[len - 1] == '.') {
		*module_len = len - 1;
	} else {
		const char *target = NULL;
		for (const char *p = rest; p + 4 <= end; p++)
			if (memcmp(p, ".sm_", 4) == 0)
				target = p;
		*module_len = target ? (size_t)(target - rest) : len;
	}
	*module = rest;
	return true;
}

/* The dump of a program, for this process. O(members below dump/module_NNNN). */
static size_t locate_dump(const struct jr_source *s, int64_t number, const char *module)
{
	char prefix[64];
	snprintf(prefix, sizeof(prefix), "dump/module_%04" PRId64 ".", number);
	size_t best = SIZE_MAX;
	for (size_t i = jr_archive_lower_bound(s->archive, prefix); i < jr_archive_count(s->archive);
		 i++) {
		const char *name = jr_archive_at(s->archive, i)->name;
		if (strncmp(name, prefix, strlen(prefix)) != 0)
			break;
		size_t n = strlen(name);
		const char *slash = strchr(name + strlen("dump/"), '/');
		if (slash) {
			if (!s->subname || strcmp(slash + 1, s->subname) != 0)
				continue;
			n = (size_t)(slash - name);
		}
		int64_t found;
		const char *found_module;
		size_t found_len;
		if (!parse_dump(name, n, &found, &found_module, &found_len) || found != number)
			continue;
		if (strlen(module) == found_len && memcmp(module, found_module, found_len) == 0)
			return i;
		best = i;
	}
	return best;
}

/* --- reading ---------------------------------------------------------------------------------- */

uint64_t jr_source_packed_bytes(const struct jr_source *s, size_t member)
{
	return member == SIZE_MAX ? 0 : jr_archive_at(s->archive, member)->packed_bytes;
}

static void count_bytes(struct jr_source *s, size_t n)
{
	__atomic_fetch_add(&s->bytes_read, n, __ATOMIC_RELAXED);
}

static enum jr_status read_member(struct jr_source *s, size_t member, struct jr_buf *out,
	struct jr_error *err)
{
	JR_TRY(jr_archive_read(s->archive, member, out, err));
	count_bytes(s, out->size);
	return JR_OK;
}

/* Read an .xz member and decode it. */
static enum jr_status read_xz(struct jr_source *s, size_t member, struct jr_buf *out,
	struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
	JR_TRY(jr_archive_read(s->archive, member, &packed, err));
	JR_TRY(jr_xz_decode(jr_buf_view(&packed), s->limits, out, err));
	count_bytes(s, out->size);
	return JR_OK;
}

typedef enum jr_status (*metadata_fn)(struct jr_metadata *, struct jr_bytes,
	const struct jr_limits *, struct jr_error *);

static void read_metadata(struct jr_source *s, const char *path, metadata_fn reader)
{
	size_t member = jr_source_locate(s, path);
	if (member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_error err = {0};
	enum jr_status status = read_member(s, member, &file, &err);
	if (status == JR_OK)
		status = reader(&s->metadata, jr_buf_view(&file), s->limits, &err);
	if (status != JR_OK && s->metadata_error.status == JR_OK) {
		(void)jr_context(&err, status, "%s", path);
		s->metadata_error = err;
	}
}

static int compare_dumps(const void *a, const void *b)
{
	const struct jr_dump *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->module, y->module);
}

/* The distinct programs that the trace names, by number. */
static void list_dumps(struct jr_source *s)
{
	s->dumps = JR_ARENA_N(&s->arena, struct jr_dump, s->trace.n_names + 1);
	for (size_t i = 0; i < s->trace.n_names; i++) {
		const struct jr_trace_name *name = &s->trace.names[i];
		if (name->kind != JR_RANGE_MODULE || name->program_number < 0 ||
			name->program_number >= UINT32_MAX)
			continue;
		s->dumps[s->n_dumps++] = (struct jr_dump){.number = name->program_number,
			.module = jr_arena_strdup(&s->arena, jr_intern_str(&s->trace.strings, name->op))};
	}
	if (s->n_dumps)
		qsort(s->dumps, s->n_dumps, sizeof(*s->dumps), compare_dumps);
	size_t distinct = 0;
	for (size_t i = 0; i < s->n_dumps; i++)
		if (i == 0 || s->dumps[i].number != s->dumps[i - 1].number)
			s->dumps[distinct++] = s->dumps[i];
	s->n_dumps = distinct;
	for (size_t i = 0; i < distinct; i++)
		s->dumps[i].member = locate_dump(s, s->dumps[i].number, s->dumps[i].module);
}

static void read_trace(struct jr_source *s)
{
	size_t member = jr_source_locate(s, JR_MEMBER_TRACE);
	if (member == SIZE_MAX) {
		(void)jr_fail(&s->trace_error, JR_ENOTFOUND, "'%s' holds no " JR_MEMBER_TRACE, s->name);
		return;
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	enum jr_status status = read_member(s, member, &file, &s->trace_error);
	if (status == JR_OK)
		status = jr_trace_read(jr_buf_view(&file), s->limits, &s->trace, &s->trace_error);
	if (status != JR_OK)
		(void)jr_context(&s->trace_error, status, "%s", JR_MEMBER_TRACE);
	s->has_trace = status == JR_OK;
}

void jr_source_read_trace(struct jr_source *s)
{
	read_metadata(s, JR_MEMBER_THREADS, jr_metadata_read_threads);
	read_metadata(s, JR_MEMBER_DEVICES, jr_metadata_read_devices);
	read_metadata(s, JR_MEMBER_SYSTEM, jr_metadata_read_system);
	read_trace(s);
	if (s->has_trace)
		list_dumps(s);
	s->host_member = jr_source_locate(s, JR_MEMBER_HOST_PARQUET);
	if (s->host_member == SIZE_MAX)
		s->host_member = jr_source_locate(s, JR_MEMBER_HOST_CSV);
}

void jr_source_read_host(struct jr_source *s)
{
	if (s->host_member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_error *err = &s->host_error;
	enum jr_status status = read_member(s, s->host_member, &file, err);
	if (status == JR_OK)
		status = jr_host_ranges_read(jr_buf_view(&file), s->limits, &s->host, err);
	if (status != JR_OK)
		(void)jr_context(err, status, "%s", jr_archive_at(s->archive, s->host_member)->name);
	s->has_host = status == JR_OK;
}

void jr_source_read_dump(struct jr_source *s, size_t index)
{
	struct jr_dump *dump = &s->dumps[index];
	if (dump->member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_buf_done) struct jr_buf proto = {0};
	struct jr_hlo hlo;
	enum jr_status status = read_xz(s, dump->member, &proto, &dump->error);
	if (status == JR_OK)
		status = jr_hlo_decode(jr_buf_view(&proto), s->limits, &hlo, &dump->error);
	if (status != JR_OK) {
		(void)jr_context(&dump->error, status, "%s", jr_archive_at(s->archive, dump->member)->name);
		return;
	}
	dump->hlo = malloc(sizeof(*dump->hlo));
	if (!dump->hlo)
		jr_oom();
	*dump->hlo = hlo;
}
