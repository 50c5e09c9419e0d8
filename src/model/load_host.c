#include "model/load_host.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "formats/archive.h"
#include "model/export.h"
#include "model/input.h"
#include "model/source.h"

/* A combined archive has a folder of the member's name, one file a process. */
static bool has_folder(const struct jr_archive *archive, const char *folder)
{
	size_t below = jr_archive_lower_bound(archive, folder);
	return below < jr_archive_count(archive) &&
		   strncmp(jr_archive_at(archive, below)->name, folder, strlen(folder)) == 0;
}

static enum jr_status read_archive(struct jr_archive *archive, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	size_t member = jr_archive_find(archive, JR_MEMBER_HOST_CSV);
	if (member == SIZE_MAX)
		member = jr_archive_find(archive, JR_MEMBER_HOST_PARQUET);
	if (member == SIZE_MAX) {
		if (has_folder(archive, JR_MEMBER_HOST_CSV "/") ||
			has_folder(archive, JR_MEMBER_HOST_PARQUET "/"))
			return jr_fail(err, JR_EUNSUPPORTED,
				"holds the compile traces of several processes; take one of the archives it was "
				"made from");
		return jr_fail(
			err, JR_ENOTFOUND, "holds no compile trace (" JR_MEMBER_HOST_CSV " or .parquet)");
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
	enum jr_status status = jr_archive_read(archive, member, &packed, err);
	if (status == JR_OK)
		status = jr_host_ranges_read(jr_buf_view(&packed), limits, ranges, err);
	return status == JR_OK ? JR_OK
						   : jr_context(err, status, "%s", jr_archive_at(archive, member)->name);
}

static enum jr_status read_from_archive(const char *path, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_archive *archive;
	JR_TRY(jr_archive_open(path, limits, &archive, err));
	enum jr_status status = read_archive(archive, limits, ranges, err);
	jr_archive_close(archive);
	return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", path);
}

static enum jr_status read_from_export(const char *path, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_export export;
	enum jr_status status = jr_export_read(path, limits, 1, &export, err);
	if (status == JR_OK) {
		status = jr_export_host_ranges(&export, SIZE_MAX, limits, ranges, err);
		jr_export_done(&export);
	}
	return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", path);
}

static enum jr_status read_from_file(const char *path, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_file_map map;
	JR_TRY(jr_file_map(path, &map, err));
	enum jr_status status = jr_host_ranges_read(map.bytes, limits, ranges, err);
	jr_file_unmap(&map);
	return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", path);
}

/* What nobody knows is read as a trace of its own: that tells best what is wrong with it. */
static enum jr_status read_input(const char *path, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	if (!jr_input_known(path, limits))
		return read_from_file(path, limits, ranges, err);
	switch (jr_input_probe(path, limits)) {
	case JR_INPUT_NSYS_SQLITE:
		return read_from_export(path, limits, ranges, err);
	case JR_INPUT_NVTX_CSV:
		return read_from_file(path, limits, ranges, err);
	default:
		return read_from_archive(path, limits, ranges, err);
	}
}

enum jr_status jr_load_host_ranges(const char *path, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_host_ranges result;
	JR_TRY(read_input(path, limits, &result, err));
	*ranges = result;
	return JR_OK;
}
