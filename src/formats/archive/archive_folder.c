/* Archives that are folders: an extracted zip, or the output of nsys-jax before zipping. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/archive/archive_private.h"

/* Folders found but not yet read, as paths below the root; strings live in `arena`. */
struct walk {
	struct jr_archive *archive;
	struct jr_arena arena;
	JR_VEC(const char *) pending;
	bool (*fits)(const char *path); /* NULL: all fit */
	size_t n_seen; /* files and folders: bounds the walk of a folder that is not a profile */
};

static enum jr_status folder_error(const struct jr_archive *archive, const char *folder,
	const char *what, int error, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	return jr_fail(err, JR_EIO, "cannot %s '%s' in '%s': %s", what,
		jr_archive_clean_name(&clean, folder), archive->label, strerror(error));
}

static size_t depth_of(const char *path)
{
	size_t depth = 1;
	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

/* Set the DOS date and time (APPNOTE.TXT 4.4.6) in UTC, so that the zip is the same in every time
 * zone. */
static void dos_time_of(int64_t seconds, struct jr_archive_details *out)
{
	enum { DAY_SECONDS = 86400, FIRST_YEAR = 1980, LAST_YEAR = 2107 };
	static const uint8_t month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int64_t days = seconds / DAY_SECONDS - 3652; /* since 1980-01-01 */
	int64_t rest = seconds % DAY_SECONDS;
	if (seconds < 0 || days < 0)
		days = rest = 0;
	unsigned year = FIRST_YEAR, month = 0;
	while (year <= LAST_YEAR) {
		/* 2100 is the only year in range that 4 divides without being a leap year */
		int64_t n = month_days[month] + (month == 1 && year % 4 == 0 && year != 2100);
		if (days < n)
			break;
		days -= n;
		month = (month + 1) % 12;
		year += month == 0;
	}
	if (year > LAST_YEAR) {
		year = LAST_YEAR;
		month = 11;
		days = 30;
		rest = DAY_SECONDS - 1;
	}
	out->dos_date = (uint16_t)((year - FIRST_YEAR) << 9 | (month + 1) << 5 | (unsigned)(days + 1));
	out->dos_time = (uint16_t)(rest / 3600 << 11 | rest / 60 % 60 << 5 | rest % 60 / 2);
}

static struct jr_archive_details details_of(const struct stat *st)
{
	struct jr_archive_details details = {
		.attributes = (uint32_t)(S_IFREG | (st->st_mode & 0777)) << 16,
		.made_by = 3 << 8 | 20, /* Unix */
		.needed = 20,
	};
	dos_time_of(st->st_mtime, &details);
	return details;
}

static bool fits_below(const struct walk *walk, const char *folder, const char *name)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf path = {0};
	jr_buf_printf(&path, "%s%s%s", folder, *folder ? "/" : "", name);
	bool fits = walk->fits(path.data);
	return fits;
}

static enum jr_status visit(
	struct walk *walk, int fd, const char *folder, const char *name, struct jr_error *err)
{
	struct jr_archive *archive = walk->archive;
	struct stat st;
	if (++walk->n_seen > archive->limits.members)
		return jr_fail(err, JR_ELIMIT, "'%s' contains more than %" PRIu64 " files (--max-members)",
			archive->label, archive->limits.members);
	if (walk->fits && !fits_below(walk, folder, name))
		return JR_OK;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno == ENOENT) /* deleted since readdir() */
			return JR_OK;
		return folder_error(archive, folder, "read folder", errno, err);
	}
	bool is_folder = S_ISDIR(st.st_mode), is_link = S_ISLNK(st.st_mode);
	if (!is_folder && !is_link && !S_ISREG(st.st_mode))
		return JR_OK;
	const char *path = *folder ? jr_arena_printf(&walk->arena, "%s/%s", folder, name)
							   : jr_arena_strdup(&walk->arena, name);
	if (is_link) {
		*jr_vec_add(&archive->links) = jr_arena_strdup(&archive->arena, path);
		return JR_OK;
	}
	if (is_folder) {
		if (depth_of(path) > archive->limits.depth)
			return jr_fail(err, JR_ELIMIT,
				"'%s' contains folders nested more than %" PRIu64 " deep (--max-depth)",
				archive->label, archive->limits.depth);
		*jr_vec_add(&walk->pending) = path;
		return JR_OK;
	}
	uint64_t size = (uint64_t)st.st_size;
	const struct jr_archive_entry entry = {
		.member = {.size_bytes = size, .packed_bytes = size},
		.details = details_of(&st),
	};
	jr_archive_add(archive, path, &entry);
	return JR_OK;
}

int jr_archive_open_folder(
	const struct jr_archive *archive, const char *folder, struct jr_error *err)
{
	int fd = openat(
		archive->root_fd, *folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		(void)folder_error(archive, folder, "read folder", errno, err);
	return fd;
}

static enum jr_status read_folder(struct walk *walk, const char *folder, struct jr_error *err)
{
	struct jr_archive *archive = walk->archive;
	int fd = jr_archive_open_folder(archive, folder, err);
	if (fd < 0)
		return JR_EIO;
	DIR *dir = fdopendir(fd);
	if (!dir) {
		int error = errno;
		close(fd);
		return folder_error(archive, folder, "read folder", error, err);
	}
	enum jr_status status = JR_OK;
	for (struct dirent *e; status == JR_OK && (errno = 0, e = readdir(dir));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			status = visit(walk, fd, folder, e->d_name, err);
	if (status == JR_OK && errno != 0)
		status = folder_error(archive, folder, "read folder", errno, err);
	closedir(dir);
	return status;
}

enum jr_status jr_archive_list_folder(
	struct jr_archive *archive, bool (*fits)(const char *path), struct jr_error *err)
{
	struct walk walk = {.archive = archive, .fits = fits};
	jr_arena_init(&walk.arena, 0);
	*jr_vec_add(&walk.pending) = "";
	enum jr_status status = JR_OK;
	while (status == JR_OK && walk.pending.n)
		status = read_folder(&walk, walk.pending.items[--walk.pending.n], err);
	jr_vec_done(&walk.pending);
	jr_arena_done(&walk.arena);
	return status;
}

/* Read exactly the listed size: a file that is still being written is not a valid input. */
static int read_exactly(int fd, uint64_t size, struct jr_buf *out)
{
	while (out->size <= size) {
		/* the NUL's place would take one byte too many */
		ssize_t n = read(fd, out->data + out->size, (size_t)size + 1 - out->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			break;
		out->size += (size_t)n;
	}
	if (out->size != size)
		return ESTALE;
	out->data[size] = '\0';
	return 0;
}

static int read_head(int fd, size_t size, struct jr_buf *out)
{
	ssize_t n = pread(fd, out->data, size, 0);
	out->size = n > 0 ? (size_t)n : 0;
	out->data[out->size] = '\0';
	return n < 0 ? errno : 0;
}

enum jr_status jr_archive_file_error(struct jr_archive *archive,
	const struct jr_archive_entry *entry, int error, struct jr_error *err)
{
	enum jr_status status = folder_error(archive, entry->member.name, "read", error, err);
	return error == ESTALE ? jr_context(err, status, "changed since it was listed") : status;
}

enum jr_status jr_archive_open_file(struct jr_archive *archive,
	const struct jr_archive_entry *entry, int *out, struct jr_error *err)
{
	const char *name = entry->member.name;
	int fd =
		openat(archive->root_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return folder_error(archive, name, "open", errno, err);
	struct stat st;
	int error = 0;
	if (fstat(fd, &st) != 0)
		error = errno;
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != entry->member.size_bytes)
		error = ESTALE;
	if (error) {
		close(fd);
		return jr_archive_file_error(archive, entry, error, err);
	}
	*out = fd;
	return JR_OK;
}

enum jr_status jr_archive_read_file(struct jr_archive *archive,
	const struct jr_archive_entry *entry, size_t most, struct jr_buf *out, struct jr_error *err)
{
	int fd;
	JR_TRY(jr_archive_open_file(archive, entry, &fd, err));
	struct jr_buf content = {0};
	bool whole = entry->member.size_bytes <= most;
	uint64_t size = whole ? entry->member.size_bytes : most;
	enum jr_status status = jr_buf_room(&content, size, err);
	if (status == JR_OK) {
		int error = whole ? read_exactly(fd, size, &content) : read_head(fd, size, &content);
		if (error)
			status = jr_archive_file_error(archive, entry, error, err);
	} else
		status = jr_context(err, status, "'%s'", archive->label);
	close(fd);
	if (status == JR_OK)
		*out = content;
	else
		jr_buf_done(&content);
	return status;
}
