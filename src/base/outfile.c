#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/staging.h"

#define ELSEWHERE " Choose another path with -o."
#define PENDING_BYTES ((size_t)256 * 1024)

/* Return JR_OK if -f may replace the file at `target`. */
static enum jr_status check_kind(
	const char *target, const struct jr_outfile_kind *kind, struct jr_error *err)
{
	uint8_t head[32];
	int fd = open(target, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));
	int error = errno;
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return jr_fail(err, JR_EIO, "cannot read output '%s': %s", target, strerror(error));
	if (!kind->begins(jr_bytes_of(head, (size_t)n)))
		return jr_fail(
			err, JR_EUSAGE, "output '%s' exists and is not %s." ELSEWHERE, target, kind->name);
	return JR_OK;
}

/* Return JR_OK if we may create or replace `target`. */
static enum jr_status check_target(const struct jr_outfile *file, struct jr_error *err)
{
	struct stat st;
	const char *target = file->target;
	if (lstat(target, &st) != 0) {
		if (errno == ENOENT)
			return JR_OK;
		return jr_fail_to_create(err, target, errno);
	}
	if (S_ISDIR(st.st_mode))
		return jr_fail(err, JR_EUSAGE, "output '%s' exists and is a folder." ELSEWHERE, target);
	if (!S_ISREG(st.st_mode))
		return jr_fail(
			err, JR_EUSAGE, "output '%s' exists and is not a regular file." ELSEWHERE, target);
	JR_TRY(check_kind(target, file->kind, err));
	if (!file->force)
		return jr_fail(err, JR_EUSAGE, "output '%s' exists. Replace it with -f.", target);
	return JR_OK;
}

/* mkostemp() makes a private file: give it the mode of any file that the user makes. This must
 * happen here, because the sandbox later refuses to change modes. */
static enum jr_status set_mode(const struct jr_outfile *file, struct jr_error *err)
{
	mode_t mask = umask(0);
	umask(mask);
	if (fchmod(file->fd, 0666 & ~mask) != 0)
		return jr_fail(err, JR_EIO, "cannot set mode of '%s': %s", file->target, strerror(errno));
	return JR_OK;
}

enum jr_status jr_outfile_begin(struct jr_outfile *file, const char *target,
	const struct jr_outfile_kind *kind, bool force, struct jr_error *err)
{
	*file = (struct jr_outfile){.kind = kind, .force = force, .fd = -1};
	if (!jr_file_names_entry(target))
		return jr_fail(
			err, JR_EUSAGE, "output '%s' is not a file name. Choose another path with -o.", target);
	file->target = strdup(target);
	if (!file->target)
		jr_oom();
	enum jr_status status = check_target(file, err);
	if (status == JR_OK) {
		jr_staging_sweep(target);
		file->staging = jr_staging_make(target, false, &file->fd);
		status = file->staging ? set_mode(file, err) : jr_fail_to_create(err, target, errno);
	}
	if (status != JR_OK)
		jr_outfile_abandon(file);
	return status;
}

static enum jr_status write_error(const struct jr_outfile *file, struct jr_error *err)
{
	return jr_fail(err, JR_EIO, "cannot write '%s': %s", file->target, strerror(errno));
}

static enum jr_status write_all(
	const struct jr_outfile *file, const char *bytes, size_t n, struct jr_error *err)
{
	for (size_t done = 0; done < n;) {
		ssize_t now = write(file->fd, bytes + done, n - done);
		if (now < 0 && errno == EINTR)
			continue;
		if (now < 0)
			return write_error(file, err);
		done += (size_t)now;
	}
	return JR_OK;
}

enum jr_status jr_outfile_write(
	struct jr_outfile *file, const void *bytes, size_t n, struct jr_error *err)
{
	if (file->pending.size + n < PENDING_BYTES) {
		jr_buf_add(&file->pending, bytes, n);
		return JR_OK;
	}
	JR_TRY(write_all(file, file->pending.data, file->pending.size, err));
	file->pending.size = 0;
	return write_all(file, bytes, n, err);
}

enum jr_status jr_outfile_patch(
	struct jr_outfile *file, uint64_t offset, const void *bytes, size_t n, struct jr_error *err)
{
	JR_TRY(write_all(file, file->pending.data, file->pending.size, err));
	file->pending.size = 0;
	for (size_t done = 0; done < n;) {
		ssize_t now =
			pwrite(file->fd, (const char *)bytes + done, n - done, (off_t)(offset + done));
		if (now < 0 && errno == EINTR)
			continue;
		if (now < 0)
			return write_error(file, err);
		done += (size_t)now;
	}
	return JR_OK;
}

static enum jr_status move_into_place(const struct jr_outfile *file, struct jr_error *err)
{
	if (!file->force) {
		/* in one step, so that a file that has appeared since is not overwritten */
		if (renameat2(AT_FDCWD, file->staging, AT_FDCWD, file->target, RENAME_NOREPLACE) == 0)
			return JR_OK;
		/* the file system does not support that */
		bool unable = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
		if (!unable && errno != EEXIST)
			return jr_fail(
				err, JR_EIO, "cannot move output to '%s': %s", file->target, strerror(errno));
	}
	JR_TRY(check_target(file, err));
	if (rename(file->staging, file->target) != 0)
		return jr_fail(
			err, JR_EIO, "cannot move output to '%s': %s", file->target, strerror(errno));
	return JR_OK;
}

enum jr_status jr_outfile_commit(struct jr_outfile *file, struct jr_error *err)
{
	JR_TRY(write_all(file, file->pending.data, file->pending.size, err));
	file->pending.size = 0;
	/* the caller may remove the inputs next */
	if (!jr_synced(file->fd))
		return write_error(file, err);
	/* the lock stays until the file has its name; an error of close() counts before that */
	int lock = fcntl(file->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), fd = file->fd;
	file->fd = lock;
	if (close(fd) != 0)
		return write_error(file, err);
	JR_TRY(move_into_place(file, err));
	jr_staging_sync_name(file->target);
	free(file->staging);
	file->staging = NULL;
	jr_outfile_abandon(file);
	return JR_OK;
}

void jr_outfile_abandon(struct jr_outfile *file)
{
	if (!file || !file->target)
		return;
	if (file->fd >= 0)
		close(file->fd);
	if (file->staging)
		(void)unlink(file->staging);
	free(file->staging);
	free(file->target);
	jr_buf_done(&file->pending);
	*file = (struct jr_outfile){.fd = -1};
}
