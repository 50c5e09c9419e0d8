#include "model/kinds/archives.h"

#include "base/cleanup.h"
#include "formats/archive/archive_copy.h"
#include "formats/parquet/parquet.h"
#include "model/kinds/kind_parts.h"
#include "model/sources/oddities.h"
#include "model/sources/profile_root.h"

/* Check the first bytes before decompressing the whole member, which may exceed the memory. */
static enum jr_status read_parquet(
	struct jr_source *s, size_t member, struct jr_content *out, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf head = {0};
	JR_TRY(jr_archive_head(s->archive, member, JR_PARQUET_HEAD_BYTES, &head, err));
	JR_TRY(
		jr_parquet_begins(jr_buf_view(&head), jr_archive_at(s->archive, member)->size_bytes, err));
	return jr_source_read_member(s, member, out, err);
}

typedef enum jr_status (*metadata_fn)(
	struct jr_metadata *, struct jr_bytes, const struct jr_limits *, struct jr_error *);

static void read_metadata(struct jr_source *s, const char *path, metadata_fn reader)
{
	size_t member = jr_source_locate(s, path);
	if (member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_content_done) struct jr_content file = {0};
	struct jr_error err = {0};
	enum jr_status status = read_parquet(s, member, &file, &err);
	if (status == JR_OK)
		status = reader(&s->metadata, file.bytes, s->limits, &err);
	if (status != JR_OK && s->metadata_error.status == JR_OK) {
		(void)jr_context(&err, status, "%s", path);
		s->metadata_error = err;
	}
}

static void read_trace_member(struct jr_source *s)
{
	size_t member = jr_source_locate(s, JR_MEMBER_TRACE);
	if (member == SIZE_MAX) {
		(void)jr_fail(&s->trace_error, JR_ENOTFOUND, "'%s' does not contain " JR_MEMBER_TRACE "%s",
			s->name,
			s->archive && jr_archive_link_of(s->archive, JR_MEMBER_TRACE)
				? ": there is a link instead, which is not followed"
				: "");
		return;
	}
	JR_CLEANUP(jr_content_done) struct jr_content file = {0};
	enum jr_status status = read_parquet(s, member, &file, &s->trace_error);
	if (status == JR_OK)
		status = jr_trace_read(file.bytes, s->limits, &s->trace, &s->trace_error);
	if (status != JR_OK)
		(void)jr_context(&s->trace_error, status, "%s", JR_MEMBER_TRACE);
	s->has_trace = status == JR_OK;
	if (s->has_trace && s->trace.n)
		s->pid = s->trace.pid[0];
}

static void read_archive_trace(struct jr_source *s)
{
	read_metadata(s, JR_MEMBER_THREADS, jr_metadata_read_threads);
	read_metadata(s, JR_MEMBER_DEVICES, jr_metadata_read_devices);
	read_metadata(s, JR_MEMBER_SYSTEM, jr_metadata_read_system);
	read_trace_member(s);
}

static void read_archive_host(struct jr_source *s)
{
	if (s->host_member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_content_done) struct jr_content file = {0};
	struct jr_error *err = &s->host_error;
	enum jr_status status = jr_source_read_member(s, s->host_member, &file, err);
	if (status == JR_OK)
		status = jr_host_ranges_read(file.bytes, s->limits, &s->host, err);
	if (status != JR_OK)
		jr_source_damaged_member(err, status, s->archive, s->host_member);
	s->has_host = status == JR_OK;
}

/* Archives from before July 2024 have no device metadata. */
static bool has_gpus(const struct jr_source *s)
{
	return s->metadata.n_gpus > 0;
}

/* Identify a profile by checksum and size of its trace. */
static uint64_t identity_of_trace(const struct jr_source *s, const struct jr_input *input)
{
	(void)input;
	size_t member = jr_source_locate(s, JR_MEMBER_TRACE);
	uint32_t crc32;
	if (member == SIZE_MAX || jr_archive_checksum(s->archive, member, &crc32, NULL) != JR_OK)
		return 0;
	return jr_key2(crc32, (uint32_t)jr_archive_at(s->archive, member)->size_bytes);
}

void jr_source_init(struct jr_source *s, uint32_t input, const char *name, const char *subname,
	struct jr_archive *archive, const struct jr_limits *limits)
{
	static const struct jr_source_type type = {.read_trace = read_archive_trace,
		.knows_devices = has_gpus,
		.read_host = read_archive_host,
		.identity = identity_of_trace,
		.host_apart = true,
		.is_searched = true,
		.no_compilation = "the input does not contain " JR_MEMBER_HOST_CSV " or .parquet"};
	jr_source_begin(s, &type, input, name, limits);
	s->subname = subname;
	s->archive = archive;
	s->trace_bytes = jr_source_packed_bytes(archive, jr_source_locate(s, JR_MEMBER_TRACE));
	s->host_member = jr_source_locate(s, JR_MEMBER_HOST_PARQUET);
	if (s->host_member == SIZE_MAX)
		s->host_member = jr_source_locate(s, JR_MEMBER_HOST_CSV);
	s->host_bytes = jr_source_packed_bytes(s->archive, s->host_member);
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Open a folder or zip written by jax.profiler: one source per file of the run. */
static enum jr_status open_run(struct jr_opening *o, bool *found, struct jr_error *err)
{
	struct jr_archive *archive = *o->archive;
	const char *run = o->profile->options.run;
	size_t *members, n_runs;
	*found = false;
	if (jr_archive_find(archive, JR_MEMBER_TRACE) != SIZE_MAX)
		return jr_opening_no_runs(o, err);
	size_t n = jr_run_files(archive, run, o->arena, &members, &n_runs, &o->input->kind);
	if (n == SIZE_MAX) {
		if (!jr_dumps_within(archive))
			JR_TRY(jr_run_files_beside(archive, o->input->name, err));
		return jr_opening_no_runs(o, err);
	}
	if (n == 0)
		return jr_fail(err, JR_ENOTFOUND,
			"'%s' does not contain the run '%s' of jax.profiler (--run)", o->input->name, run);
	*found = true;
	if (n_runs > 1 && !run)
		jr_tell_other_runs(o->profile, archive, jr_archive_at(archive, members[0])->name, n_runs);
	for (size_t i = 0; i < n; i++)
		o->input->kind->open_member(o, members[i]);
	return JR_OK;
}

enum jr_status jr_archives_open(struct jr_opening *o, struct jr_error *err)
{
	struct jr_input *input = o->input;
	JR_TRY(jr_archive_open(o->path, o->limits, o->archive, err));
	input->size_bytes = jr_archive_raw(*o->archive).size;
	bool entered = false;
	JR_TRY(jr_profile_root_enter(*o->archive, input->name, &entered, err));
	if (entered)
		jr_tell_in_folder(o->profile);
	bool is_run;
	JR_TRY(open_run(o, &is_run, err));
	if (is_run)
		return JR_OK;
	const struct jr_input_ops *other = jr_tables_within(*o->archive)  ? &jr_input_nsys_parquet
									   : jr_dumps_within(*o->archive) ? &jr_input_hlo_dump
																	  : NULL;
	if (other) {
		input->kind = other;
		return other->open(o, err);
	}
	const char **parts;
	size_t n = jr_source_parts(*o->archive, o->arena, &parts);
	if (n && input->kind->combined)
		input->kind = input->kind->combined;
	for (size_t i = 0; i < n; i++)
		jr_source_init(jr_opening_source(o), o->row, parts[i], parts[i], *o->archive, o->limits);
	if (n == 0)
		jr_source_init(jr_opening_source(o), o->row, o->stem, NULL, *o->archive, o->limits);
	return JR_OK;
}

/* --- compile ranges only ---------------------------------------------------------------------- */

static const char *const host_members[] = {JR_MEMBER_HOST_CSV, JR_MEMBER_HOST_PARQUET};

/* Read the ranges of a process, if any. In folders of a combined archive its file is `profile`. */
static enum jr_status read_process(struct jr_archive *archive, const char *profile,
	const struct jr_host_listener *to, size_t *n_read, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	JR_CLEANUP(jr_content_done) struct jr_content packed = {0};
	size_t member = SIZE_MAX;
	for (size_t i = 0; i < JR_COUNT_OF(host_members) && member == SIZE_MAX; i++) {
		name.size = 0;
		jr_buf_printf(&name, profile ? "%s/%s" : "%s", host_members[i], profile);
		member = jr_archive_find(archive, name.data);
	}
	if (member == SIZE_MAX)
		return JR_OK;
	(*n_read)++;
	enum jr_status status = jr_archive_content(archive, member, &packed, err);
	if (status == JR_OK)
		status = jr_host_tell_bytes(to, profile, packed.bytes, err);
	return status == JR_OK ? JR_OK : jr_context(err, status, "%s", name.data);
}

/* A combined archive has a folder with the member's name and one file per process. If the member
 * was equal in all processes, it is a single file. */
static enum jr_status read_processes(struct jr_archive *archive, const struct jr_host_listener *to,
	struct jr_arena *arena, struct jr_error *err)
{
	const char **parts;
	size_t n = jr_source_parts(archive, arena, &parts), n_read = 0;
	JR_TRY(read_process(archive, NULL, to, &n_read, err));
	for (size_t i = 0; i < n; i++)
		JR_TRY(read_process(archive, parts[i], to, &n_read, err));
	return n_read ? JR_OK
				  : jr_fail(err, JR_ENOTFOUND,
						"contains no compile trace (" JR_MEMBER_HOST_CSV " or .parquet)");
}

enum jr_status jr_archives_read_host(
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_archive *archive;
	struct jr_arena arena;
	JR_TRY(jr_archive_open(path, to->limits, &archive, err));
	jr_arena_init(&arena, 0);
	bool entered, tables = jr_tables_within(archive);
	enum jr_status status = tables ? jr_tables_read_host(archive, path, to, err)
								   : jr_profile_root_enter(archive, path, &entered, err);
	if (status == JR_OK && !tables) {
		status = read_processes(archive, to, &arena, err);
		JR_CLEANUP(jr_buf_done) struct jr_buf hint = {0};
		jr_buf_puts(&hint, "");
		if (status == JR_ENOTFOUND)
			to->hint(archive, &hint);
		if (hint.size)
			status =
				jr_fail(err, status, "'%s' does not contain a compile trace%s", path, hint.data);
		else if (status != JR_OK)
			(void)jr_context(err, status, "'%s'", path);
	}
	if (jr_archive_shrank(archive))
		status = jr_fail_shrunk(err, path);
	jr_arena_done(&arena);
	jr_archive_close(archive);
	return status;
}
