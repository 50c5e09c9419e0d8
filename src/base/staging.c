#include "base/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/task.h"
#include "base/vec.h"

enum { BOOT_DIGITS = 8 };

/* Read "0c68b033-" of "0c68b033-415a-4afc-b914-2cfb6d56dc23"; false if the kernel has no boot
 * id. */
static bool read_boot(char boot[static BOOT_DIGITS + 2])
{
	static const char digits[] = "0123456789abcdef";
	memset(boot, 0, BOOT_DIGITS + 2);
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, boot, BOOT_DIGITS + 1);
	if (fd >= 0)
		close(fd);
	boot[n < 0 ? 0 : n] = '\0';
	if (strspn(boot, digits) == BOOT_DIGITS && boot[BOOT_DIGITS] == '-')
		return true;
	*boot = '\0';
	return false;
}

/* Return true if the path still leads to the open entry: a sweep may have removed it before we had
 * the lock. */
static bool leads_to(const char *path, int fd)
{
	struct stat at, is;
	return lstat(path, &at) == 0 && fstat(fd, &is) == 0 && at.st_dev == is.st_dev &&
		   at.st_ino == is.st_ino;
}

/* --- making ----------------------------------------------------------------------------------- */

/* Fill in the path's XXXXXX. @return as open(2); EAGAIN: a sweep removed it before it was open */
static int make(char *path, bool folder)
{
	if (!folder)
		return mkostemp(path, O_CLOEXEC);
	if (!mkdtemp(path))
		return -1;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), why = errno;
	if (fd < 0)
		(void)rmdir(path);
	errno = why == ENOENT ? EAGAIN : why;
	return fd;
}

char *jr_staging_make(const char *target, bool folder, int *fd)
{
	enum { MOST_TURNS = 100 };
	char boot[BOOT_DIGITS + 2];
	(void)read_boot(boot);
	for (int turn = 0; turn < MOST_TURNS; turn++) {
		char *path = jr_file_sibling(target, boot);
		int made = make(path, folder), why = errno;
		bool locked = made >= 0 && *boot && flock(made, LOCK_EX | LOCK_NB) == 0;
		if (made >= 0 && (locked ? leads_to(path, made) : !*boot)) {
			*fd = made;
			return path;
		}
		if (made >= 0) { /* a sweep has the lock, or files cannot be locked here */
			if (!locked && errno != EWOULDBLOCK)
				*boot = '\0';
			close(made);
			(void)remove(path);
		}
		free(path);
		if (made < 0 && why != EAGAIN) {
			errno = why;
			return NULL;
		}
	}
	errno = EBUSY;
	return NULL;
}

/* --- sweeping --------------------------------------------------------------------------------- */

/* Return true if a name is one of our entries: `prefix`, then "-XXXXXX", or "~XXXXXX" if a run was
 * killed while it removed the entry. */
static bool is_ours(const char *name, struct jr_bytes prefix)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	enum { RANDOM = 6 };
	size_t n = prefix.size;
	return strncmp(name, (const char *)prefix.data, n) == 0 && (name[n] == '-' || name[n] == '~') &&
		   strspn(name + n + 1, letters) == RANDOM && name[n + 1 + RANDOM] == '\0';
}

static void remove_stale(const char *path)
{
	struct stat st;
	if (lstat(path, &st) != 0 || st.st_uid != geteuid() ||
		!(S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_nlink == 1)))
		return;
	/* open for writing: NFS has no exclusive lock for readers */
	int how = S_ISDIR(st.st_mode) ? O_RDONLY | O_DIRECTORY : O_RDWR | O_NONBLOCK | O_NOCTTY;
	int fd = open(path, how | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && leads_to(path, fd))
		jr_remove_tree(path);
	close(fd);
}

void jr_staging_sweep(const char *target)
{
	char boot[BOOT_DIGITS + 2];
	if (!read_boot(boot))
		return;
	char *path = jr_file_sibling(target, boot), *name = strrchr(path, '/');
	name = name ? name + 1 : path;
	size_t n_folder = (size_t)(name - path);
	struct jr_bytes prefix = jr_bytes_of(name, strlen(name) - strlen("-XXXXXX"));
	char *folder = n_folder ? strndup(path, n_folder) : strdup(".");
	if (!folder)
		jr_oom();
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));)
		if (is_ours(e->d_name, prefix)) {
			/* the name is as long as the pattern */
			memcpy(name, e->d_name, strlen(name));
			remove_stale(path);
		}
	if (d)
		closedir(d);
	free(folder);
	free(path);
}

/* --- on the disk ------------------------------------------------------------------------------ */

bool jr_synced(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

struct sync_entry {
	char *path;
	int why; /* errno, or 0 */
};

struct sync_job {
	JR_VEC(struct sync_entry) entries;
};

/* Open one of our files or folders and wait for the disk. @return 0, or an errno */
static int sync_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int why = fd >= 0 && jr_synced(fd) ? 0 : errno;
	if (fd >= 0)
		close(fd);
	return why;
}

static void sync_one(void *context, size_t i)
{
	struct sync_job *job = context;
	job->entries.items[i].why = sync_path(job->entries.items[i].path);
}

/* List everything in a folder, and the folder. An unreadable one has its errno. Owns `path`. */
static void list(struct sync_job *job, char *path)
{
	size_t n = strlen(path);
	DIR *d = opendir(path);
	int why = d ? 0 : errno;
	for (struct dirent *e; d && (e = readdir(d));) {
		struct stat st;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		size_t n_name = strlen(e->d_name);
		char *below = malloc(n + n_name + 2);
		if (!below)
			jr_oom();
		memcpy(below, path, n);
		below[n] = '/';
		memcpy(below + n + 1, e->d_name, n_name + 1);
		if (lstat(below, &st) == 0 && S_ISDIR(st.st_mode))
			list(job, below);
		else
			*jr_vec_add(&job->entries) = (struct sync_entry){below, 0};
	}
	if (d)
		closedir(d);
	*jr_vec_add(&job->entries) = (struct sync_entry){path, why};
}

enum jr_status jr_staging_sync(const char *folder, const char *target, struct jr_error *err)
{
	/* The threads wait for the disk, not for processors. On ext4 a report of 75 files took 150 ms
	 * one after the other and 17 ms in parallel. syncfs(2) took 10 ms, but it also waits for
	 * everything that others have written to the file system, such as the checkpoints of a job, and
	 * fails for their errors. */
	enum { SIDE_BY_SIDE = 16 };
	struct sync_job job = {0};
	char *path = strdup(folder);
	if (!path)
		jr_oom();
	list(&job, path);
	jr_task_run(SIDE_BY_SIDE, job.entries.n, sync_one, &job);
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < job.entries.n; i++) {
		const struct sync_entry *entry = &job.entries.items[i];
		if (entry->why && status == JR_OK)
			status = jr_fail(err, JR_EIO, "cannot write '%s%s': %s", target,
				entry->path + strlen(folder), strerror(entry->why));
		free(entry->path);
	}
	jr_vec_done(&job.entries);
	return status;
}

void jr_staging_sync_name(const char *target)
{
	size_t n = jr_file_folder_size(target);
	char *folder = n ? strndup(target, n) : strdup(".");
	if (!folder)
		jr_oom();
	(void)sync_path(folder);
	free(folder);
}
