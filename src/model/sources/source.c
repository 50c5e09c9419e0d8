#include "model/sources/source.h"
#include "model/sources/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"
#include "formats/archive/gzip.h"
#include "formats/archive/xz.h"
#include "formats/hlo/hlo_parse.h"
#include "formats/hlo/target_config.h"

void jr_source_done(struct jr_source *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_programs; i++) {
		jr_hlo_done(s->programs[i].hlo);
		free(s->programs[i].hlo);
	}
	if (s->type && s->type->done)
		s->type->done(s);
	jr_digest_rank_done(&s->rank);
	jr_trace_done(&s->trace);
	jr_metadata_done(&s->metadata);
	jr_host_ranges_done(&s->host);
	jr_arena_done(&s->arena);
	*s = (struct jr_source){0};
}

/* --- finding members -------------------------------------------------------------------------- */

/* Find `path` as a file, or the file of this process in a folder of that name (combined archive).
 */
size_t jr_source_locate(const struct jr_source *s, const char *path)
{
	size_t index = jr_archive_find(s->archive, path);
	if (index != SIZE_MAX || !s->subname)
		return index;
	char name[4096];
	int n = snprintf(name, sizeof(name), "%s/%s", path, s->subname);
	return n > 0 && (size_t)n < sizeof(name) ? jr_archive_find(s->archive, name) : SIZE_MAX;
}

const char *const jr_source_own_members[] = {JR_MEMBER_TRACE, JR_MEMBER_THREADS, JR_MEMBER_HOST_CSV,
	JR_MEMBER_HOST_PARQUET, JR_MEMBER_DEVICES, JR_MEMBER_SYSTEM, NULL};

/* Count the files directly in the archive's folder `path`; store their names if parts is set. */
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

size_t jr_source_parts(const struct jr_archive *archive, struct jr_arena *arena, const char ***out)
{
	/* Use all of these folders, because a process may lack some members. */
	size_t n = 0, distinct = 0;
	for (const char *const *m = jr_source_own_members; *m; m++)
		n += files_below(archive, *m, NULL);
	const char **parts = JR_ARENA_N(arena, const char *, n + 1);
	n = 0;
	for (const char *const *m = jr_source_own_members; *m; m++)
		n += files_below(archive, *m, parts + n);
	jr_sort(parts, n, sizeof(*parts), jr_compare_texts);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(parts[i], parts[i - 1]) != 0)
			parts[distinct++] = parts[i];
	*out = parts;
	return distinct;
}

static bool ends_with(const char *name, size_t *n, const char *tail)
{
	size_t length = strlen(tail);
	if (*n < length || memcmp(name + *n - length, tail, length) != 0)
		return false;
	*n -= length;
	return true;
}

/* XLA writes plain files, nsys-jax packs them with xz, and people with gzip. `name` may be a folder
 * of a combined archive. */
bool jr_dump_parse_name(
	const char *name, size_t n, int64_t *number, const char **module, size_t *length, bool *is_text)
{
	static const char head[] = "module_";
	if (!ends_with(name, &n, ".xz"))
		(void)ends_with(name, &n, ".gz");
	*is_text = ends_with(name, &n, "after_optimizations.txt");
	if ((!*is_text && !ends_with(name, &n, "after_optimizations.hlo.pb")) || n < sizeof(head) ||
		memcmp(name, head, sizeof(head) - 1) != 0)
		return false;
	const char *digits = name + sizeof(head) - 1;
	size_t n_digits = strspn(digits, "0123456789");
	const char *rest = digits + n_digits;
	const char *end = name + n;
	if (!jr_parse_i64(digits, n_digits, number) || *rest != '.' || rest >= end || end[-1] == '/')
		return false;
	rest++;
	/* The text before the tail is "NAME." or "NAME.sm_8.0_gpu_". */
	size_t len = (size_t)(end - rest);
	if (len && rest[len - 1] == '.') {
		*length = len - 1;
	} else {
		const char *target = NULL;
		for (const char *p = rest; p + 4 <= end; p++)
			if (memcmp(p, ".sm_", 4) == 0)
				target = p;
		if (!target && len && rest[len - 1] == '_') /* "NAME.cpu_" */
			target = memrchr(rest, '.', len);
		*length = target ? (size_t)(target - rest) : len;
	}
	*module = rest;
	return true;
}

size_t jr_source_member_of(
	const struct jr_archive *archive, size_t index, size_t n, const char *part, size_t *next)
{
	const char *name = jr_archive_at(archive, index)->name, *slash = strchr(name + n, '/');
	*next = index + 1;
	if (!slash)
		return index;
	*next = jr_archive_behind(archive, index, (size_t)(slash + 1 - name));
	if (!part)
		return SIZE_MAX;
	JR_CLEANUP(jr_buf_done) struct jr_buf own = {0};
	jr_buf_add(&own, name, (size_t)(slash + 1 - name));
	jr_buf_puts(&own, part);
	return jr_archive_find(archive, own.data);
}

/* Find the dump of a program for this process. `number` -1: the dump must be the only one with its
 * name. A proto wins over a text, which states less. O(files and folders with its prefix). */
static size_t locate_below(const struct jr_source *s, const struct jr_archive *archive,
	const char *folder, int64_t number, const char *module, bool *is_text)
{
	char prefix[400]; /* `folder` is below 300 */
	if (number < 0)
		snprintf(prefix, sizeof(prefix), "%smodule_", folder);
	else
		snprintf(prefix, sizeof(prefix), "%smodule_%04" PRId64 ".", folder, number);
	size_t best = SIZE_MAX, n_folder = strlen(folder), next;
	int64_t best_number = -1;
	int best_rank = 0;
	for (size_t i = jr_archive_lower_bound(archive, prefix); i < jr_archive_count(archive);
		 i = next) {
		const char *name = jr_archive_at(archive, i)->name;
		if (strncmp(name, prefix, strlen(prefix)) != 0)
			break;
		size_t member = jr_source_member_of(archive, i, n_folder, s->subname, &next);
		int64_t found;
		const char *found_module;
		size_t found_len;
		bool text;
		if (member == SIZE_MAX ||
			!jr_dump_parse_name(name + n_folder, strcspn(name + n_folder, "/"), &found,
				&found_module, &found_len, &text) ||
			(number >= 0 && found != number))
			continue;
		bool same = strlen(module) == found_len && memcmp(module, found_module, found_len) == 0;
		if (number < 0 && !same)
			continue;
		if (number < 0 && best != SIZE_MAX && found != best_number)
			return SIZE_MAX;
		int rank = (same ? 2 : 0) + (text ? 0 : 1);
		if (rank < best_rank)
			continue;
		best = member;
		best_number = found;
		best_rank = rank;
		*is_text = text;
		if (rank == 3 && number >= 0)
			break;
	}
	return best;
}

/* Places of dumps: the archive or the folder of the file, then the folder of --xla-dump. That
 * folder may have one subfolder per process, with its name. Each place may contain the dumps
 * directly or in a folder "dump". */
#define N_PLACES 5
struct place {
	struct jr_archive *archive; /* NULL: there is none */
	char folder[300];
};

static void list_places(const struct jr_source *s, struct place places[N_PLACES])
{
	static const char *const below[N_PLACES] = {"dump/", "", "dump/", "", "dump/"};
	for (size_t i = 0; i < N_PLACES; i++) {
		bool own = i == 1 || i == 2, listed = i == 0 && s->type->lists_programs;
		const char *name = listed ? s->subname : own ? s->name : "";
		int n = snprintf(places[i].folder, sizeof(places[i].folder), "%s%s%s", name, own ? "/" : "",
			listed ? "" : below[i]);
		bool fits = n < (int)sizeof(places[i].folder);
		struct jr_archive *at_hand = s->archive ? s->archive : s->beside;
		places[i].archive = !fits ? NULL : i == 0 ? at_hand : s->dumps;
	}
}

static void locate_dump(struct jr_source *s, struct jr_dump *dump)
{
	struct place places[N_PLACES];
	dump->member = SIZE_MAX;
	dump->is_text = false;
	bool within = s->type->find_program && s->type->find_program(s, dump);
	if (within && !dump->is_text)
		return;
	if (s->type->find_beside) {
		dump->archive = s->archive ? s->archive : s->beside;
		dump->member = s->type->find_beside(s, dump->number, dump->module);
	}
	list_places(s, places);
	for (size_t i = 0; i < N_PLACES && (!jr_dump_found(dump) || dump->is_text); i++) {
		bool is_text = false;
		size_t member = SIZE_MAX;
		if (places[i].archive)
			member = locate_below(s, places[i].archive, places[i].folder,
				s->type->no_numbers ? -1 : dump->number, dump->module, &is_text);
		if (member == SIZE_MAX || ((within || dump->member != SIZE_MAX) && is_text))
			continue;
		dump->proto = (struct jr_bytes){0};
		dump->error = (struct jr_error){0};
		dump->archive = places[i].archive;
		dump->member = member;
		dump->is_text = is_text;
	}
	struct jr_error ignored;
	dump->in_texts = dump->member == SIZE_MAX && s->type->build_program &&
					 s->type->build_program(s, dump, NULL, &ignored) == JR_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

uint64_t jr_source_packed_bytes(const struct jr_archive *archive, size_t member)
{
	return member == SIZE_MAX ? 0 : jr_archive_at(archive, member)->packed_bytes;
}

uint64_t jr_source_dump_bytes(const struct jr_source *s, size_t dump)
{
	const struct jr_dump *d = &s->programs[dump];
	return d->proto.size ? d->proto.size : jr_source_packed_bytes(d->archive, d->member);
}

enum jr_status jr_source_read_member(
	struct jr_source *s, size_t member, struct jr_content *out, struct jr_error *err)
{
	JR_TRY(jr_archive_content(s->archive, member, out, err));
	jr_source_count_bytes(s, out->bytes.size);
	return JR_OK;
}

void jr_source_damaged_member(
	struct jr_error *err, enum jr_status status, const struct jr_archive *archive, size_t member)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	(void)jr_context(
		err, status, "%s", jr_archive_clean_name(&name, jr_archive_at(archive, member)->name));
}

/* Decompress a file packed with xz or gzip. */
static enum jr_status unpack(
	const struct jr_limits *limits, struct jr_content *out, struct jr_error *err)
{
	struct jr_content packed = *out;
	*out = (struct jr_content){0};
	enum jr_status status = (jr_gzip_begins(packed.bytes) ? jr_gzip_decode : jr_xz_decode)(
		packed.bytes, limits, &out->copy, err);
	jr_content_done(&packed);
	JR_TRY(status);
	out->bytes = jr_buf_view(&out->copy);
	return JR_OK;
}

/* Read a dump's bytes, decompressed if they are packed. No proto or text begins like gzip. */
enum jr_status jr_source_dump_content(
	struct jr_source *s, const struct jr_dump *dump, struct jr_content *out, struct jr_error *err)
{
	const char *name = jr_archive_at(dump->archive, dump->member)->name;
	size_t n = strlen(name);
	JR_TRY(jr_archive_content(dump->archive, dump->member, out, err));
	if (ends_with(name, &n, ".xz") || strstr(name, ".pb.xz/") ||
		strstr(name, ".txt.xz/") || /* a combined archive's folder */
		jr_gzip_begins(out->bytes))
		JR_TRY(unpack(s->limits, out, err));
	jr_source_count_bytes(s, out->bytes.size);
	return JR_OK;
}

/* Find the first target file of this process in a place, among names with this prefix. It describes
 * the device that XLA compiled for. O(files and folders with the prefix) */
static size_t locate_target_below(
	const struct jr_source *s, const struct place *place, const char *prefix)
{
	const struct jr_archive *archive = place->archive;
	size_t n_folder = strlen(place->folder), next;
	for (size_t i = jr_archive_lower_bound(archive, prefix); i < jr_archive_count(archive);
		 i = next) {
		const char *name = jr_archive_at(archive, i)->name;
		if (strncmp(name, prefix, strlen(prefix)) != 0)
			break;
		size_t member = jr_source_member_of(archive, i, n_folder, s->subname, &next);
		size_t n = n_folder + strcspn(name + n_folder, "/");
		(void)ends_with(name, &n, ".xz");
		if (member != SIZE_MAX && ends_with(name, &n, ".gpu_target_config.pbtxt"))
			return member;
	}
	return SIZE_MAX;
}

/* Prefer the target file of a program that ran, else use any. A combined archive may have files of
 * other processes. */
static size_t locate_target_in(const struct jr_source *s, const struct place *place)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf prefix = {0};
	for (size_t i = 0; i < s->n_programs; i++) {
		prefix.size = 0;
		jr_buf_printf(&prefix, "%smodule_%04" PRId64 ".%s.gpu_target_config.pbtxt", place->folder,
			s->programs[i].number, s->programs[i].module);
		size_t member = locate_target_below(s, place, prefix.data);
		if (member != SIZE_MAX)
			return member;
	}
	prefix.size = 0;
	jr_buf_printf(&prefix, "%smodule_", place->folder);
	return locate_target_below(s, place, prefix.data);
}

static size_t locate_target(const struct jr_source *s, struct jr_archive **archive)
{
	struct place places[N_PLACES];
	size_t member = SIZE_MAX;
	list_places(s, places);
	for (size_t i = 0; i < N_PLACES && member == SIZE_MAX; i++) {
		*archive = places[i].archive;
		if (*archive)
			member = locate_target_in(s, &places[i]);
	}
	return member;
}

/* Decompress only this file. A file larger than a target file can be is refused. */
static enum jr_status unpack_target(struct jr_source *s, struct jr_archive *archive, size_t member,
	struct jr_content *out, struct jr_error *err)
{
	struct jr_limits limits = *s->limits;
	const char *name = jr_archive_at(archive, member)->name;
	size_t n = strlen(name);
	if (limits.entry_bytes > JR_TARGET_CONFIG_MOST_BYTES)
		limits.entry_bytes = JR_TARGET_CONFIG_MOST_BYTES;
	if (jr_archive_at(archive, member)->size_bytes > limits.entry_bytes)
		return jr_fail(err, JR_ELIMIT, "larger than a valid file of this kind");
	JR_TRY(jr_archive_content(archive, member, out, err));
	if (ends_with(name, &n, ".xz") || strstr(name, ".pbtxt.xz/"))
		JR_TRY(unpack(&limits, out, err));
	jr_source_count_bytes(s, out->bytes.size);
	return JR_OK;
}

/* Archives from before July 2024 have no device metadata; other archives and exports may lack it.
 */
static void read_target(struct jr_source *s)
{
	struct jr_archive *archive = NULL;
	bool knows = !s->type->knows_devices || s->type->knows_devices(s);
	size_t member = knows ? SIZE_MAX : locate_target(s, &archive);
	if (member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_content_done) struct jr_content file = {0};
	struct jr_error err = {0};
	enum jr_status status = unpack_target(s, archive, member, &file, &err);
	if (status == JR_OK)
		status = jr_metadata_read_target(&s->metadata, file.bytes, &err);
	if (status != JR_OK && s->metadata_error.status == JR_OK) {
		jr_source_damaged_member(&err, status, archive, member);
		s->metadata_error = err;
	}
}

JR_ORDER(compare_dumps, struct jr_dump, JR_UP(number) JR_TEXT_UP(module))

/* List the distinct programs of the trace, by number. */
static void list_dumps(struct jr_source *s)
{
	s->programs = JR_ARENA_N(&s->arena, struct jr_dump, s->trace.n_names + 1);
	for (size_t i = 0; i < s->trace.n_names; i++) {
		const struct jr_trace_name *name = &s->trace.names[i];
		if (name->kind != JR_RANGE_MODULE || name->program_number < 0)
			continue;
		s->programs[s->n_programs++] = (struct jr_dump){.number = name->program_number,
			.module = jr_arena_strdup(&s->arena, jr_intern_str(&s->trace.strings, name->op))};
	}
	jr_sort(s->programs, s->n_programs, sizeof(*s->programs), compare_dumps);
	size_t distinct = 0;
	for (size_t i = 0; i < s->n_programs; i++)
		if (i == 0 || s->programs[i].number != s->programs[i - 1].number)
			s->programs[distinct++] = s->programs[i];
	s->n_programs = distinct;
	for (size_t i = 0; i < distinct; i++)
		locate_dump(s, &s->programs[i]);
}

void jr_source_read_dump(struct jr_source *s, size_t index)
{
	struct jr_dump *dump = &s->programs[index];
	if (!jr_dump_found(dump))
		return;
	JR_CLEANUP(jr_content_done) struct jr_content proto = {0};
	struct jr_hlo hlo = {0};
	bool within = dump->proto.size || dump->in_texts;
	enum jr_status status = within ? JR_OK : jr_source_dump_content(s, dump, &proto, &dump->error);
	if (dump->in_texts)
		status = s->type->build_program(s, dump, &hlo, &dump->error);
	else if (status == JR_OK)
		status = (dump->is_text ? jr_hlo_decode_text : jr_hlo_decode)(
			dump->proto.size ? dump->proto : proto.bytes, s->limits, &hlo, &dump->error);
	if (jr_file_map_shrank(&proto.map)) {
		if (status == JR_OK)
			jr_hlo_done(&hlo);
		status = jr_fail(&dump->error, JR_EIO, JR_SHRANK);
	}
	if (status != JR_OK && within) {
		(void)jr_context(&dump->error, status, "HLO of %s", dump->module);
		return;
	}
	if (status != JR_OK) {
		jr_source_damaged_member(&dump->error, status, dump->archive, dump->member);
		return;
	}
	dump->hlo = malloc(sizeof(*dump->hlo));
	if (!dump->hlo)
		jr_oom();
	*dump->hlo = hlo;
}

void jr_source_read_trace(struct jr_source *s)
{
	if (s->type->read_trace)
		s->type->read_trace(s);
	if (s->has_trace && !s->type->lists_programs)
		list_dumps(s);
	read_target(s);
}

void jr_source_read_host(struct jr_source *s)
{
	if (s->type->read_host)
		s->type->read_host(s);
}

uint64_t jr_source_identity(const struct jr_source *s, const struct jr_input *input)
{
	return s->has_trace && s->type->identity ? s->type->identity(s, input) : 0;
}

void jr_source_begin(struct jr_source *s, const struct jr_source_type *type, uint32_t input,
	const char *name, const struct jr_limits *limits)
{
	*s = (struct jr_source){.type = type,
		.tells = type->tells,
		.input = input,
		.name = name,
		.limits = limits,
		.pid = -1,
		.host_member = SIZE_MAX};
	jr_arena_init(&s->arena, limits->memory_bytes);
	jr_metadata_init(&s->metadata);
}

bool jr_dump_found(const struct jr_dump *dump)
{
	return dump->member != SIZE_MAX || dump->proto.size > 0 || dump->in_texts;
}

void jr_source_count_bytes(struct jr_source *s, size_t n)
{
	__atomic_fetch_add(&s->bytes_read, n, __ATOMIC_RELAXED);
}

size_t jr_source_folder_size(const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash ? (size_t)(slash + 1 - name) : 0;
}
