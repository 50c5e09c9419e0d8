#include "model/inputs/load_host.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "formats/archive/archive.h"
#include "formats/archive/foreign.h"
#include "formats/xspace/xspace_json.h"
#include "model/export/export.h"
#include "model/inputs/input.h"
#include "model/inputs/profile_root.h"
#include "model/inputs/source.h"
#include "model/xprofile/xprofile.h"

/* Who is told. */
struct listener {
	const struct jr_limits *limits;
	jr_host_ranges_fn tell;
	void *context;
};

static enum jr_status tell_bytes(const struct listener *to, const char *profile,
	struct jr_bytes bytes, struct jr_error *err)
{
	struct jr_host_ranges ranges;
	JR_TRY(jr_host_ranges_read(bytes, to->limits, &ranges, err));
	to->tell(to->context, profile, &ranges);
	jr_host_ranges_done(&ranges);
	return JR_OK;
}

static const char *const members[] = {JR_MEMBER_HOST_CSV, JR_MEMBER_HOST_PARQUET};

/* The ranges of a process, `profile` in the folders of a combined archive, if it has any. */
static enum jr_status read_process(struct jr_archive *archive, const char *profile,
	const struct listener *to, size_t *n_read, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	JR_CLEANUP(jr_content_done) struct jr_content packed = {0};
	size_t member = SIZE_MAX;
	for (size_t i = 0; i < JR_COUNT_OF(members) && member == SIZE_MAX; i++) {
		name.size = 0;
		jr_buf_printf(&name, profile ? "%s/%s" : "%s", members[i], profile);
		member = jr_archive_find(archive, name.data);
	}
	if (member == SIZE_MAX)
		return JR_OK;
	(*n_read)++;
	enum jr_status status = jr_archive_content(archive, member, &packed, err);
	if (status == JR_OK)
		status = tell_bytes(to, profile, packed.bytes, err);
	return status == JR_OK ? JR_OK : jr_context(err, status, "%s", name.data);
}

/* A combined archive has a folder of the member's name, one file a process; but for one that was
 * the same in all of them. */
static enum jr_status read_processes(struct jr_archive *archive, const struct listener *to,
	struct jr_arena *arena, struct jr_error *err)
{
	const char **parts;
	size_t n = jr_source_parts(archive, arena, &parts), n_read = 0;
	JR_TRY(read_process(archive, NULL, to, &n_read, err));
	for (size_t i = 0; i < n; i++)
		JR_TRY(read_process(archive, parts[i], to, &n_read, err));
	return n_read ? JR_OK
				  : jr_fail(err, JR_ENOTFOUND,
						"holds no compile trace (" JR_MEMBER_HOST_CSV " or .parquet)");
}

static enum jr_status read_from_archive(const char *path, const struct listener *to,
	struct jr_error *err)
{
	struct jr_archive *archive;
	struct jr_arena arena;
	JR_TRY(jr_archive_open(path, to->limits, &archive, err));
	jr_arena_init(&arena, 0);
	bool entered;
	enum jr_status status = jr_profile_root_enter(archive, path, &entered, err);
	if (status == JR_OK) {
		status = read_processes(archive, to, &arena, err);
		JR_CLEANUP(jr_buf_done) struct jr_buf hint = {0};
		jr_buf_puts(&hint, "");
		if (status == JR_ENOTFOUND)
			jr_profile_root_hint(archive, &hint);
		if (hint.size)
			status = jr_fail(err, status, "'%s' holds no compile trace%s", path, hint.data);
		else if (status != JR_OK)
			(void)jr_context(err, status, "'%s'", path);
	}
	jr_arena_done(&arena);
	jr_archive_close(archive);
	return status;
}

static enum jr_status read_from_export(const char *path, const struct listener *to,
	struct jr_error *err)
{
	struct jr_export export;
	struct jr_host_ranges ranges;
	enum jr_status status = jr_export_read(path, to->limits, 1, &export, err);
	if (status == JR_OK) {
		status = jr_export_host_ranges(&export, SIZE_MAX, to->limits, &ranges, err);
		jr_export_done(&export);
	}
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", path);
	to->tell(to->context, NULL, &ranges);
	jr_host_ranges_done(&ranges);
	return JR_OK;
}

static enum jr_status read_from_file(const char *path, const struct listener *to,
	struct jr_error *err)
{
	struct jr_file_map map;
	JR_TRY(jr_file_map(path, &map, err));
	enum jr_status status = tell_bytes(to, NULL, map.bytes, err);
	jr_file_unmap(&map);
	return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", path);
}

static enum jr_status read_from_xspace(
	const char *path, const struct listener *to, struct jr_error *err)
{
	struct jr_file_map map;
	struct jr_xspace_json json = {0};
	struct jr_xprofile profile;
	struct jr_host_ranges ranges;
	JR_TRY(jr_file_map(path, &map, err));
	struct jr_bytes bytes = map.bytes;
	enum jr_status status = JR_OK;
	if (jr_xspace_json_begins(bytes, to->limits)) {
		status = jr_xspace_json_read(bytes, to->limits, &json, err);
		bytes = jr_buf_view(&json.xspace);
	}
	if (status == JR_OK)
		status = jr_xprofile_read(bytes, NULL, to->limits, 1, &profile, err);
	if (status == JR_OK) {
		status = jr_export_compile_ranges(&profile.export, to->limits, &ranges, err);
		jr_xprofile_done(&profile);
	}
	jr_xspace_json_done(&json);
	jr_file_unmap(&map);
	if (status == JR_ENOTFOUND)
		return jr_fail(err, status,
			"'%s' contains no compilation. Start the trace before the program compiles", path);
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", path);
	to->tell(to->context, NULL, &ranges);
	jr_host_ranges_done(&ranges);
	return JR_OK;
}

/* What nobody knows. Where nothing can be said of it, reading it as a trace tells best what is
 * wrong with it. */
static enum jr_status read_unknown(
	const char *path, const struct listener *to, struct jr_error *err)
{
	struct jr_file_map map;
	JR_TRY(jr_file_map(path, &map, err));
	const char *hint = map.bytes.size ? jr_foreign_hint(map.bytes) : jr_empty_hint(path);
	jr_file_unmap(&map);
	return hint ? jr_fail(err, JR_EFORMAT, "'%s' %s", path, hint) : read_from_file(path, to, err);
}

typedef enum jr_status (*read_fn)(
	const char *path, const struct listener *to, struct jr_error *err);

static const read_fn readers[] = {
#define JR_INPUT(name, label, noun, archive, within, probe, opener, host_reader, ...)              \
	[JR_INPUT_##name] = host_reader,
#include "model/profile/inputs.def"
#undef JR_INPUT
};
_Static_assert(JR_COUNT_OF(readers) == JR_N_INPUTS, "a reader a sort");

static enum jr_status read_input(const char *path, const struct listener *to, struct jr_error *err)
{
	if (!jr_input_known(path, to->limits))
		return read_unknown(path, to, err);
	return readers[jr_input_probe(path, to->limits)](path, to, err);
}

enum jr_status jr_load_host_ranges(const char *path, const struct jr_limits *limits,
	jr_host_ranges_fn tell, void *context, struct jr_error *err)
{
	const struct listener to = {limits, tell, context};
	return read_input(path, &to, err);
}
