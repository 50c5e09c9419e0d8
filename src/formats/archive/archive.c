#include "formats/archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "formats/archive/archive_private.h"
#include "formats/archive/digest.h"

JR_ORDER(by_name, struct jr_archive_entry, JR_TEXT_UP(member.name) JR_UP(zip_index))

static void sort_and_drop_duplicates(struct jr_archive *archive)
{
	struct jr_archive_entry *e = archive->entries.items;
	size_t n = archive->entries.n, kept = 0;
	if (n == 0)
		return;
	qsort(e, n, sizeof(*e), by_name);
	for (size_t i = 0; i < n; i++) {
		if (kept && strcmp(e[kept - 1].member.name, e[i].member.name) == 0)
			continue;
		e[kept++] = e[i];
	}
	archive->n_rejected += n - kept;
	archive->entries.n = kept;
}

static struct jr_archive *new_archive(const char *name, const struct jr_limits *limits)
{
	struct jr_archive *archive = jr_calloc(1, sizeof(*archive));
	archive->limits = *limits;
	archive->root_fd = -1;
	jr_arena_init(&archive->arena, 0);
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	archive->label = jr_arena_strdup(&archive->arena, jr_archive_clean_name(&clean, name));
	return archive;
}

/* Complete opening: return the listed archive, or free it after a failure. */
static enum jr_status finish(
	struct jr_archive *archive, enum jr_status status, struct jr_archive **out)
{
	if (status != JR_OK) {
		jr_archive_close(archive);
		return status;
	}
	sort_and_drop_duplicates(archive);
	*out = archive;
	return JR_OK;
}

enum jr_status jr_archive_open_memory(struct jr_bytes zip, const char *name,
	const struct jr_limits *limits, struct jr_archive **out, struct jr_error *err)
{
	struct jr_archive *archive = new_archive(name, limits);
	archive->raw = zip;
	return finish(archive, jr_archive_list_zip(archive, err), out);
}

static enum jr_status open_folder(struct jr_archive *archive, const char *path,
	bool (*fits)(const char *path), struct jr_error *err)
{
	archive->root_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (archive->root_fd < 0)
		return jr_fail_to_open(err, archive->label, errno);
	return jr_archive_list_folder(archive, fits, err);
}

enum jr_status jr_archive_open_some(const char *path, bool (*fits)(const char *path),
	const struct jr_limits *limits, struct jr_archive **out, struct jr_error *err)
{
	struct jr_archive *archive = new_archive(path, limits);
	return finish(archive, open_folder(archive, path, fits, err), out);
}

enum jr_status jr_archive_open(
	const char *path, const struct jr_limits *limits, struct jr_archive **out, struct jr_error *err)
{
	struct jr_archive *archive = new_archive(path, limits);
	struct stat st;
	enum jr_status status;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		status = open_folder(archive, path, NULL, err);
	} else {
		status = jr_file_map(path, &archive->map, err);
		archive->raw = archive->map.bytes;
		jr_file_map_watch(&archive->map, &archive->shrank);
		if (status == JR_OK)
			status = jr_archive_list_zip(archive, err);
		if (jr_archive_shrank(archive))
			status = jr_fail_shrunk(err, archive->label);
	}
	return finish(archive, status, out);
}

enum jr_status jr_archive_enter(
	struct jr_archive *archive, const char *folder, struct jr_error *err)
{
	const char *prefix = jr_arena_printf(&archive->arena, "%s/", folder);
	size_t n = strlen(prefix), kept = 0;
	if (jr_archive_is_directory(archive)) {
		int fd = jr_archive_open_folder(archive, folder, err);
		if (fd < 0)
			return JR_EIO;
		close(archive->root_fd);
		archive->root_fd = fd;
	}
	struct jr_archive_entry *e = archive->entries.items;
	for (size_t i = 0; i < archive->entries.n; i++) {
		if (strncmp(e[i].member.name, prefix, n) != 0)
			continue;
		e[kept] = e[i];
		e[kept++].member.name += n; /* removing a common prefix keeps the order */
	}
	archive->entries.n = kept;
	return JR_OK;
}

void jr_archive_close(struct jr_archive *archive)
{
	if (!archive)
		return;
	jr_zip_pool_free(archive->pool); /* before the map, into which its handles point */
	jr_file_unmap(&archive->map);
	if (archive->root_fd >= 0)
		close(archive->root_fd);
	jr_vec_done(&archive->entries);
	jr_vec_done(&archive->links);
	jr_arena_done(&archive->arena);
	free(archive);
}

size_t jr_archive_count(const struct jr_archive *archive)
{
	return archive->entries.n;
}

const struct jr_archive_member *jr_archive_at(const struct jr_archive *archive, size_t index)
{
	return &archive->entries.items[index].member;
}

size_t jr_archive_lower_bound(const struct jr_archive *archive, const char *prefix)
{
	size_t low = 0, high = archive->entries.n;
	JR_SEARCH(low, high, mid, strcmp(archive->entries.items[mid].member.name, prefix) < 0);
	return low;
}

size_t jr_archive_find(const struct jr_archive *archive, const char *name)
{
	size_t i = jr_archive_lower_bound(archive, name);
	if (i < archive->entries.n && strcmp(archive->entries.items[i].member.name, name) == 0)
		return i;
	return SIZE_MAX;
}

size_t jr_archive_behind(const struct jr_archive *archive, size_t index, size_t n)
{
	const char *name = archive->entries.items[index].member.name;
	size_t low = index + 1, high = archive->entries.n;
	JR_SEARCH(low, high, mid, strncmp(archive->entries.items[mid].member.name, name, n) == 0);
	return low;
}

size_t jr_archive_rejected(const struct jr_archive *archive)
{
	return archive->n_rejected;
}

size_t jr_archive_links(const struct jr_archive *archive)
{
	return archive->links.n;
}

/* Return whether `link` ends in all of `name`, or in its first folders. */
static bool stands_for(const char *link, const char *name)
{
	size_t n_link = strlen(link);
	for (size_t n = strlen(name); n; n--) {
		if (name[n] && name[n] != '/')
			continue;
		const char *tail = n <= n_link ? link + n_link - n : NULL;
		if (tail && memcmp(tail, name, n) == 0 && (tail == link || tail[-1] == '/'))
			return true;
	}
	return false;
}

const char *jr_archive_link_of(const struct jr_archive *archive, const char *name)
{
	for (size_t i = 0; i < archive->links.n; i++)
		if (stands_for(archive->links.items[i], name))
			return archive->links.items[i];
	return NULL;
}

bool jr_archive_shrank(const struct jr_archive *archive)
{
	return atomic_load(&archive->shrank);
}

bool jr_archive_is_directory(const struct jr_archive *archive)
{
	return archive->root_fd >= 0;
}

struct jr_bytes jr_archive_raw(const struct jr_archive *archive)
{
	return archive->raw;
}

void jr_archive_sha256(const struct jr_archive *archive, char out[65])
{
	jr_sha256_map(&archive->map, out);
}

static enum jr_status check_size(
	const struct jr_archive *archive, const struct jr_archive_entry *entry, struct jr_error *err)
{
	if (entry->member.size_bytes <= archive->limits.entry_bytes)
		return JR_OK;
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	return jr_fail(err, JR_ELIMIT,
		"member '%s' of '%s' is %" PRIu64 " bytes, limit %" PRIu64 " (--max-entry-bytes)",
		jr_archive_clean_name(&name, entry->member.name), archive->label, entry->member.size_bytes,
		archive->limits.entry_bytes);
}

static enum jr_status read_up_to(
	struct jr_archive *archive, size_t index, size_t most, struct jr_buf *out, struct jr_error *err)
{
	struct jr_archive_entry *entry = &archive->entries.items[index];
	if (most == SIZE_MAX)
		atomic_store_explicit(&entry->read, true, memory_order_relaxed);
	JR_TRY(check_size(archive, entry, err));
	return jr_archive_is_directory(archive) ? jr_archive_read_file(archive, entry, most, out, err)
											: jr_archive_read_zip(archive, entry, most, out, err);
}

bool jr_archive_was_read(const struct jr_archive *archive, size_t index)
{
	return atomic_load_explicit(&archive->entries.items[index].read, memory_order_relaxed);
}

enum jr_status jr_archive_read(
	struct jr_archive *archive, size_t index, struct jr_buf *out, struct jr_error *err)
{
	return read_up_to(archive, index, SIZE_MAX, out, err);
}

enum jr_status jr_archive_head(
	struct jr_archive *archive, size_t index, size_t most, struct jr_buf *out, struct jr_error *err)
{
	return read_up_to(archive, index, most, out, err);
}

void jr_archive_forget(const struct jr_archive *archive)
{
	jr_file_map_forget(&archive->map);
}

/* --- content in place ------------------------------------------------------------------------- */

/* Pages of a large member are released after each piece is checked. */
#define CHECKED_BYTES ((size_t)16 << 20)

static bool has_checksum(const struct jr_archive *archive, struct jr_bytes bytes, uint32_t expected)
{
	uLong crc = crc32(0, NULL, 0);
	for (size_t at = 0; at < bytes.size;) {
		size_t n = bytes.size - at < CHECKED_BYTES ? bytes.size - at : CHECKED_BYTES;
		crc = crc32_z(crc, bytes.data + at, n);
		at += n;
		if (n == CHECKED_BYTES)
			jr_file_map_forget(&archive->map);
	}
	return crc == expected;
}

static enum jr_status map_file(struct jr_archive *archive, const struct jr_archive_entry *entry,
	struct jr_content *out, struct jr_error *err)
{
	int fd;
	JR_TRY(jr_archive_open_file(archive, entry, &fd, err));
	enum jr_status status = jr_file_map_open(fd, entry->member.name, &out->map, err);
	close(fd);
	if (status == JR_OK && out->map.bytes.size != entry->member.size_bytes) {
		jr_file_unmap(&out->map);
		status = jr_archive_file_error(archive, entry, ESTALE, err);
	}
	jr_file_map_watch(&out->map, &archive->shrank);
	out->bytes = out->map.bytes;
	return status;
}

enum jr_status jr_archive_content(
	struct jr_archive *archive, size_t index, struct jr_content *out, struct jr_error *err)
{
	struct jr_archive_entry *entry = &archive->entries.items[index];
	struct jr_content found = {0};
	atomic_store_explicit(&entry->read, true, memory_order_relaxed);
	JR_TRY(check_size(archive, entry, err));
	/* A sanitizer detects reads beyond a copy, but not beyond a part of a map. */
	if (!JR_SANITIZED && jr_archive_is_directory(archive)) {
		JR_TRY(map_file(archive, entry, &found, err));
	} else if (JR_SANITIZED || !jr_zip_stored(archive, entry, &found.bytes) ||
			   !has_checksum(archive, found.bytes, entry->member.crc32)) {
		JR_TRY(jr_archive_read(archive, index, &found.copy, err));
		found.bytes = jr_buf_view(&found.copy);
	}
	*out = found;
	return JR_OK;
}

void jr_content_done(struct jr_content *content)
{
	jr_buf_done(&content->copy);
	jr_file_unmap(&content->map);
	*content = (struct jr_content){0};
}
