/* The file of a history: one write per line, under a lock. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/staging.h"
#include "compare/history/history.h"

/* Beginning of a line of any minor version; a torn line may end within it. */
static const char beginning[] = JR_HISTORY_BEGINNING;

static enum jr_status fail(struct jr_error *err, const char *what, const char *path)
{
	return jr_fail(err, JR_EIO, "cannot %s '%s': %s", what, path, strerror(errno));
}

static enum jr_status lock(int fd, int how, const char *path, struct jr_error *err)
{
	while (flock(fd, how) != 0)
		if (errno != EINTR)
			return fail(err, "lock", path);
	return JR_OK;
}

static enum jr_status check_regular(int fd, const char *path, struct stat *st, struct jr_error *err)
{
	if (fstat(fd, st) != 0)
		return fail(err, "stat", path);
	if (!S_ISREG(st->st_mode))
		return jr_fail(err, JR_EUNSUPPORTED, "'%s': not a regular file", path);
	return JR_OK;
}

/* --- adding ----------------------------------------------------------------------------------- */

/* Accept an empty file, or one that begins like a store. No other file is written to. */
static enum jr_status check_store(int fd, off_t size, const char *path, struct jr_error *err)
{
	char head[sizeof(beginning)];
	size_t wanted = sizeof(beginning) - 1;
	if ((uint64_t)size < wanted)
		wanted = (size_t)size;
	ssize_t n = pread(fd, head, wanted, 0);
	if (n < 0)
		return fail(err, "read", path);
	if ((size_t)n != wanted || memcmp(head, beginning, wanted) != 0)
		return jr_fail(err, JR_EUSAGE, "'%s': not a history of runs. It was not changed.", path);
	return JR_OK;
}

/* Usually one write. If the system writes only a part (full disk), or reports the error only on
 * sync, the file is truncated to its old length. */
static enum jr_status write_end(
	int fd, off_t size, struct jr_bytes text, const char *path, struct jr_error *err)
{
	size_t done = 0;
	while (done < text.size) {
		ssize_t n = write(fd, text.data + done, text.size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		done += (size_t)n;
	}
	if (done == text.size && jr_synced(fd))
		return JR_OK;
	enum jr_status status = fail(err, "write to", path);
	if (done && ftruncate(fd, size) != 0)
		return jr_context(err, status, "'%s': part of a line is left in the file", path);
	return status;
}

/* `gone`: set if the file was removed before the lock was acquired; nothing is written then. */
static enum jr_status append(
	int fd, struct jr_bytes line, const char *path, bool *gone, struct jr_error *err)
{
	struct stat st;
	JR_TRY(check_regular(fd, path, &st, err));
	JR_TRY(lock(fd, LOCK_EX, path, err));
	JR_TRY(check_regular(fd, path, &st, err)); /* its size now, under the lock */
	*gone = st.st_nlink == 0;
	if (*gone)
		return JR_OK;
	JR_TRY(check_store(fd, st.st_size, path, err));
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	char last = '\n';
	enum jr_status status = JR_OK;
	if (st.st_size && pread(fd, &last, 1, st.st_size - 1) != 1)
		status = fail(err, "read", path);
	if (last != '\n')
		jr_buf_putc(&text, '\n');
	jr_buf_add(&text, line.data, line.size);
	if (status == JR_OK)
		status = write_end(fd, st.st_size, jr_buf_view(&text), path, err);
	return status;
}

/* Remove a store that this call created but could not write to. The lock ensures that no other
 * writer uses it; a writer that waits for the lock detects the removal (append()). */
static void remove_empty(int fd, const char *path)
{
	struct stat st;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 && st.st_size == 0 &&
		S_ISREG(st.st_mode))
		(void)unlink(path);
}

static enum jr_status append_once(
	const char *path, struct jr_bytes line, bool *gone, struct jr_error *err)
{
	static const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = open(path, flags | O_CREAT | O_EXCL, 0666);
	bool made = fd >= 0;
	if (!made)
		fd = open(path, flags | O_CREAT, 0666);
	if (fd < 0)
		return jr_is_absent(errno) ? jr_fail_to_create(err, path, errno) : fail(err, "open", path);
	enum jr_status status = append(fd, line, path, gone, err);
	if (made && status != JR_OK)
		remove_empty(fd, path);
	(void)close(fd); /* errors of the write are known already */
	return status;
}

enum jr_status jr_history_append(const char *path, struct jr_bytes line, struct jr_error *err)
{
	for (int turn = 0; turn < 100; turn++) {
		bool gone = false;
		enum jr_status status = append_once(path, line, &gone, err);
		if (status != JR_OK || !gone)
			return status;
	}
	return jr_fail(err, JR_EIO, "'%s': other processes remove the file again and again", path);
}

enum jr_status jr_history_check(const char *path, struct jr_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	if (fd < 0)
		return errno == ENOENT ? JR_OK : fail(err, "open", path);
	enum jr_status status = check_regular(fd, path, &st, err);
	if (status == JR_OK)
		status = check_store(fd, st.st_size, path, err);
	close(fd);
	return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum jr_status read_all(int fd, const struct jr_limits *limits, const char *path,
	struct jr_buf *out, struct jr_error *err)
{
	struct stat st;
	JR_TRY(check_regular(fd, path, &st, err));
	/* without locks the last line may be torn, which is reported */
	if (flock(fd, LOCK_SH) == 0)
		JR_TRY(check_regular(fd, path, &st, err));
	if ((uint64_t)st.st_size > limits->entry_bytes)
		return jr_fail(err, JR_ELIMIT, "'%s': larger than %" PRIu64 " bytes (--max-entry-bytes)",
			path, limits->entry_bytes);
	jr_buf_reserve(out, (size_t)st.st_size + 1);
	while (out->size < (size_t)st.st_size) {
		ssize_t n = read(fd, out->data + out->size, (size_t)st.st_size - out->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(err, "read", path);
		if (n == 0)
			break;
		out->size += (size_t)n;
	}
	out->data[out->size] = '\0';
	return JR_OK;
}

enum jr_status jr_history_load(
	const char *path, const struct jr_limits *limits, struct jr_buf *out, struct jr_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return jr_fail_to_open(err, path, errno);
	enum jr_status status = read_all(fd, limits, path, out, err);
	close(fd);
	return status;
}
