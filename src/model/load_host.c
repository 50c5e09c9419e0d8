#include "model/load_host.h"

#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "formats/archive.h"
#include "model/source.h"

static bool begins_with(struct jr_bytes bytes, const void *magic, size_t n)
{
	return bytes.size >= n && memcmp(bytes.data, magic, n) == 0;
}

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

static enum jr_status read_input(const char *path, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct stat st;
	bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	struct jr_file_map map = {0};
	if (!folder)
		JR_TRY(jr_file_map(path, &map, err));
	enum jr_status status;
	if (folder || begins_with(map.bytes, "PK", 2)) {
		struct jr_archive *archive;
		status = jr_archive_open(path, limits, &archive, err);
		if (status == JR_OK) {
			status = read_archive(archive, limits, ranges, err);
			if (status != JR_OK)
				(void)jr_context(err, status, "'%s'", path);
			jr_archive_close(archive);
		}
	} else {
		status = jr_host_ranges_read(map.bytes, limits, ranges, err);
		if (status != JR_OK)
			(void)jr_context(err, status, "'%s'", path);
	}
	jr_file_unmap(&map);
	return status;
}

enum jr_status jr_load_host_ranges(const char *path, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_host_ranges result;
	JR_TRY(read_input(path, limits, &result, err));
	*ranges = result;
	return JR_OK;
}
