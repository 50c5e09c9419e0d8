#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/staging.h"

bool jr_is_absent(int code)
{
	return code == ENOENT || code == ENOTDIR;
}

enum jr_status jr_fail_to_open(struct jr_error *err, const char *path, int code)
{
	struct stat st;
	if (jr_is_absent(code) && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return jr_fail(err, JR_EIO, "%s: is a link to a file that does not exist", path);
	if (jr_is_absent(code))
		return jr_fail(err, JR_EIO, "%s: does not exist", *path ? path : "''");
	return jr_fail(err, JR_EIO, "cannot open '%s': %s%s", path, strerror(code),
		code == EACCES ? ". Check its permissions" : "");
}

enum jr_status jr_fail_to_create(struct jr_error *err, const char *path, int code)
{
	char folder[PATH_MAX];
	struct stat st;
	size_t n = jr_file_folder_size(path);
	snprintf(folder, sizeof(folder), "%.*s", n < sizeof(folder) ? (int)n : 0, path);
	bool there = stat(folder, &st) == 0;
	/* /proc is a folder, but creating a file in it fails with an error that means "does not
	 * exist" */
	if (!*folder || !jr_is_absent(code) || (there && S_ISDIR(st.st_mode)))
		return jr_fail(err, JR_EIO, "%s: cannot be created: %s", path, strerror(code));
	if (there)
		return jr_fail(err, JR_EIO,
			"%s: cannot be created: '%s' is not a folder. Choose another path.", path, folder);
	return jr_fail(err, JR_EIO,
		"%s: cannot be created: the folder '%s' does not exist. Create it first.", path, folder);
}

struct jr_bytes jr_file_name(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	size_t from = n;
	while (from && path[from - 1] != '/')
		from--;
	return jr_bytes_of(path + from, n - from);
}

static char *join(const char *a, const char *sep, const char *b)
{
	size_t na = strlen(a), ns = strlen(sep), nb = strlen(b);
	char *path = malloc(na + ns + nb + 1);
	if (!path)
		jr_oom();
	memcpy(path, a, na);
	memcpy(path + na, sep, ns);
	memcpy(path + na + ns, b, nb + 1);
	return path;
}

bool jr_file_names_entry(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;
	return *last && strcmp(last, ".") != 0 && strcmp(last, "..") != 0;
}

/* Return JR_OK if we may create or replace `target`. */
static enum jr_status check_target(const char *target, bool force, struct jr_error *err)
{
	struct stat st;
	if (lstat(target, &st) != 0) {
		if (errno == ENOENT)
			return JR_OK;
		return jr_fail_to_create(err, target, errno);
	}
	if (S_ISLNK(st.st_mode))
		return jr_fail(err, JR_EUSAGE,
			"output '%s' is a link, which the report would replace. Use its target or another "
			"path.",
			target);
	if (!S_ISDIR(st.st_mode))
		return jr_fail(err, JR_EUSAGE,
			"output '%s' exists and is not a folder. Choose another path with -o.", target);
	DIR *d = opendir(target);
	if (!d)
		return jr_fail(err, JR_EIO, "cannot read output folder '%s': %s", target, strerror(errno));
	bool empty = true, marked = false;
	for (struct dirent *e; (e = readdir(d));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		empty = false;
		if (strcmp(e->d_name, JR_OUTDIR_MARKER) == 0)
			marked = true;
	}
	closedir(d);
	if (empty)
		return JR_OK;
	if (!marked)
		return jr_fail(err, JR_EUSAGE,
			"output folder '%s' exists and was not made by jaxreport. Choose another with -o.",
			target);
	if (!force)
		return jr_fail(err, JR_EUSAGE,
			"output folder '%s' contains an earlier report. Replace it with -f.", target);
	return JR_OK;
}

/* mkdtemp() makes a private folder: give it the mode of any folder that the user makes. This must
 * happen here, because the sandbox later refuses to change modes. */
static enum jr_status set_mode(const char *folder, struct jr_error *err)
{
	mode_t mask = umask(0);
	umask(mask);
	if (chmod(folder, S_IRWXU | (0777 & ~mask)) != 0)
		return jr_fail(err, JR_EIO, "cannot set mode of '%s': %s", folder, strerror(errno));
	return JR_OK;
}

enum jr_status jr_outdir_begin(
	struct jr_outdir *dir, const char *target, bool force, struct jr_error *err)
{
	*dir = (struct jr_outdir){.force = force};
	char *name = join(target, "", "");
	for (size_t n = strlen(name); n > 1 && name[n - 1] == '/'; n--)
		name[n - 1] = '\0';
	enum jr_status status = JR_OK;
	if (!jr_file_names_entry(name))
		status = jr_fail(
			err, JR_EUSAGE, "output '%s' is not a folder name. Choose another path with -o.", name);
	else
		status = check_target(name, force, err);
	if (status != JR_OK) {
		free(name);
		return status;
	}
	jr_staging_sweep(name);
	dir->staging = jr_staging_make(name, true, &dir->lock);
	if (!dir->staging) {
		status = jr_fail_to_create(err, name, errno);
		free(name);
		return status;
	}
	dir->target = name;
	status = set_mode(dir->staging, err);
	if (status != JR_OK)
		jr_outdir_abandon(dir);
	return status;
}

char *jr_outdir_path(const struct jr_outdir *dir, const char *name)
{
	return join(dir->staging, "/", name);
}

/* Make a folder only when a file finds it missing. Checking each time would make the threads that
 * write wait for a lock on its parent. */
static int open_in_folder(char *path, const char *name, int flags)
{
	int fd = open(path, flags, 0666);
	if (fd >= 0 || errno != ENOENT || !strchr(name, '/'))
		return fd;
	char *slash = strrchr(path, '/');
	*slash = '\0';
	bool there = mkdir(path, 0777) == 0 || errno == EEXIST;
	*slash = '/';
	return there ? open(path, flags, 0666) : -1;
}

/* @return 0, or an errno */
static int write_all(char *path, const char *name, int how, struct jr_bytes content)
{
	int fd = open_in_folder(path, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | how), why = 0;
	if (fd < 0)
		return errno;
	for (size_t done = 0; done < content.size && !why;) {
		ssize_t n = write(fd, content.data + done, content.size - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			why = errno;
	}
	/* Begin to write to the disk while the rest is made: jr_staging_sync() then waits less. */
	(void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	return close(fd) != 0 && !why ? errno : why;
}

static enum jr_status put(const struct jr_outdir *dir, const char *name, int how,
	struct jr_bytes content, struct jr_error *err)
{
	char *path = jr_outdir_path(dir, name);
	int why = write_all(path, name, how, content);
	free(path);
	return why ? jr_fail(err, JR_EIO, "cannot write '%s/%s': %s", dir->target, name, strerror(why))
			   : JR_OK;
}

enum jr_status jr_outdir_write(
	struct jr_outdir *dir, const char *name, struct jr_bytes content, struct jr_error *err)
{
	return put(dir, name, O_CREAT | O_EXCL, content, err);
}

enum jr_status jr_outdir_append(
	struct jr_outdir *dir, const char *name, struct jr_bytes content, struct jr_error *err)
{
	return put(dir, name, O_APPEND, content, err);
}

static enum jr_status move_into_place(struct jr_outdir *dir, struct jr_error *err)
{
	if (rename(dir->staging, dir->target) == 0) { /* absent or empty target */
		jr_staging_sync_name(dir->target);
		return JR_OK;
	}
	if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
		return jr_fail(err, JR_EIO, "cannot move report to '%s': %s", dir->target, strerror(errno));
	/* Check again: the target may have changed since we began. */
	JR_TRY(check_target(dir->target, dir->force, err));
	if (renameat2(AT_FDCWD, dir->staging, AT_FDCWD, dir->target, RENAME_EXCHANGE) == 0) {
		jr_staging_sync_name(dir->target);
		jr_remove_tree(dir->staging); /* now contains the old report */
		return JR_OK;
	}
	/* The file system has no exchange: first rename the old report. */
	char *aside = join(dir->staging, "", ".old");
	enum jr_status status = JR_OK;
	if (rename(dir->target, aside) != 0) {
		status = jr_fail(err, JR_EIO, "cannot replace '%s': %s", dir->target, strerror(errno));
	} else if (rename(dir->staging, dir->target) != 0) {
		status =
			jr_fail(err, JR_EIO, "cannot move report to '%s': %s", dir->target, strerror(errno));
		if (rename(aside, dir->target) != 0)
			status = jr_fail(err, JR_EIO, "the earlier report was left in '%s'", aside);
	} else {
		jr_staging_sync_name(dir->target);
		jr_remove_tree(aside);
	}
	free(aside);
	return status;
}

enum jr_status jr_outdir_commit(struct jr_outdir *dir, struct jr_error *err)
{
	static const char marker[] = "A report made by jaxreport; -f may replace this folder.\n";
	JR_TRY(jr_outdir_write(dir, JR_OUTDIR_MARKER, jr_bytes_of(marker, sizeof(marker) - 1), err));
	JR_TRY(jr_staging_sync(dir->staging, dir->target, err));
	JR_TRY(move_into_place(dir, err));
	close(dir->lock);
	free(dir->staging);
	free(dir->target);
	*dir = (struct jr_outdir){0};
	return JR_OK;
}

void jr_outdir_abandon(struct jr_outdir *dir)
{
	if (!dir)
		return;
	if (dir->staging) {
		jr_remove_tree(dir->staging);
		close(dir->lock);
	}
	free(dir->staging);
	free(dir->target);
	*dir = (struct jr_outdir){0};
}
