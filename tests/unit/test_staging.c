/* Entries in which an output is built: which a later run removes, and which never. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/staging.h"
#include "in_folder.h"

/* Names of entries contain it, and this kernel may lack it. */
static void need_boot_id(void)
{
	if (access("/proc/sys/kernel/random/boot_id", R_OK) != 0)
		skip();
}

static bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

static void put(const char *folder, const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), "%s%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

/* Make an entry of a process that was killed, with contents. */
static char *left_behind(const char *target, bool folder)
{
	int fd;
	char *path = jr_staging_make(target, folder, &fd);
	assert_non_null(path);
	if (folder)
		put(path, "/report.json");
	close(fd);
	return path;
}

static UNIT_IN_FOLDER(the_dead_are_removed)
{
	need_boot_id();
	assert_int_equal(mkdir("a", 0777), 0);
	static const char *const targets[] = {"out", "a/out.zip", "./a/out", "-o"};
	for (size_t i = 0; i < JR_COUNT_OF(targets); i++) {
		char *folder = left_behind(targets[i], true), *file = left_behind(targets[i], false);
		jr_staging_sweep("other");
		assert_true(exists(folder) && exists(file));
		jr_staging_sweep(targets[i]);
		assert_false(exists(folder) || exists(file));
		free(folder);
		free(file);
	}
	/* killed during removal: no process can create a file in it under its old name */
	char *folder = left_behind("out", true), *aside = strdup(folder);
	aside[strlen(aside) - 7] = '~';
	assert_int_equal(rename(folder, aside), 0);
	jr_staging_sweep("out");
	assert_false(exists(aside));
	free(aside);
	free(folder);
}

static UNIT_IN_FOLDER(the_living_are_left_alone)
{
	need_boot_id();
	for (int folder = 0; folder < 2; folder++) {
		int fd, other;
		char *path = jr_staging_make("out", folder, &fd), *second;
		assert_non_null(path);
		jr_staging_sweep("out");
		assert_true(exists(path));
		second = jr_staging_make("out", folder, &other);
		assert_non_null(second);
		close(other);
		/* through a copy, after the first one is closed */
		other = dup(fd);
		close(fd);
		jr_staging_sweep("out");
		assert_true(exists(path));
		assert_false(exists(second));
		close(other);
		jr_staging_sweep("out");
		assert_false(exists(path));
		free(path);
		free(second);
	}
}

static UNIT_IN_FOLDER(others_are_left_alone)
{
	need_boot_id();
	char *path = left_behind("out", true), other[300];
	size_t n = strlen(path);
	char *boot = path + n - strlen("00000000-XXXXXX");
	jr_staging_sweep("out");
	const char *const names[] = {".out.tmp-abcdef", ".out.tmp-", "out.tmp-00000000-abcdef",
		".out.tmp-00000000-abcdef", ".outer.tmp-00000000-abcdef"};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		assert_int_equal(mkdir(names[i], 0777), 0);
		put(names[i], "/mine");
	}
	/* of this boot, but not in the pattern */
	static const char *const ends[] = {"abcdefg", "abcde", "abc.ef", "abcdef.old", ""};
	for (size_t i = 0; i < JR_COUNT_OF(ends); i++) {
		snprintf(other, sizeof(other), ".out.tmp-%.8s-%s", boot, ends[i]);
		assert_int_equal(mkdir(other, 0777), 0);
	}
	/* in the pattern, but not of a kind that we make: a link, a second name of a file, a FIFO */
	snprintf(other, sizeof(other), ".out.tmp-%.8s-AAAAAA", boot);
	assert_int_equal(symlink(names[0], other), 0);
	put("", "kept");
	snprintf(other, sizeof(other), ".out.tmp-%.8s-BBBBBB", boot);
	assert_int_equal(link("kept", other), 0);
	snprintf(other, sizeof(other), ".out.tmp-%.8s-CCCCCC", boot);
	assert_int_equal(mkfifo(other, 0666), 0);
	/* of another user, where this is possible */
	snprintf(other, sizeof(other), ".out.tmp-%.8s-DDDDDD", boot);
	assert_int_equal(mkdir(other, 0777), 0);
	bool foreign = chown(other, geteuid() + 1, (gid_t)-1) == 0;
	jr_staging_sweep("out");
	assert_int_equal(exists(other), foreign);
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		snprintf(other, sizeof(other), "%s/mine", names[i]);
		assert_true(exists(other));
	}
	static const char *const kept[] = {
		"AAAAAA", "BBBBBB", "CCCCCC", "abcdefg", "abcde", "abc.ef", "abcdef.old", ""};
	for (size_t i = 0; i < JR_COUNT_OF(kept); i++) {
		snprintf(other, sizeof(other), ".out.tmp-%.8s-%s", boot, kept[i]);
		if (!exists(other))
			fail_msg("'%s' is gone", other);
	}
	free(path);
}

static UNIT_IN_FOLDER(what_cannot_be_made_has_a_reason)
{
	need_boot_id();
	int fd;
	for (int folder = 0; folder < 2; folder++) {
		assert_null(jr_staging_make("absent/out", folder, &fd));
		assert_int_equal(errno, ENOENT);
		jr_staging_sweep("absent/out");
	}
}

static UNIT_IN_FOLDER(all_of_a_folder_is_synced)
{
	need_boot_id();
	struct jr_error err = {0};
	assert_int_equal(mkdir("out", 0777), 0);
	assert_int_equal(mkdir("out/data", 0777), 0);
	assert_int_equal(jr_staging_sync("out", "to", &err), JR_OK);
	put("out", "/a");
	put("out/data", "/b");
	assert_int_equal(jr_staging_sync("out", "to", &err), JR_OK);
	jr_staging_sync_name("out");
	jr_staging_sync_name("absent/out");
	/* an entry that cannot be opened fails with its name */
	assert_int_equal(symlink("a", "out/data/link"), 0);
	assert_int_equal(jr_staging_sync("out", "to", &err), JR_EIO);
	assert_non_null(strstr(err.message, "cannot write 'to/data/link': "));
	assert_int_equal(jr_staging_sync("absent", "to", &err), JR_EIO);
	assert_non_null(strstr(err.message, "cannot write 'to': "));
}
