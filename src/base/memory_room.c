#include "base/memory_room.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"

/* Groups with longer paths are skipped; the group at the root of the mount still counts. */
enum { PATH_BYTES = 4096, LINES_BYTES = 64 * 1024, STAT_BYTES = 8 * 1024 };

/* Minimum part of a limit that stays unused, see room_of(). */
#define LEAST_KEPT (UINT64_C(16) << 20)

/* Read the beginning of a file as text; empty if it cannot be read. */
static void read_text(const char *root, const char *path, char *text, size_t size)
{
	char whole[2 * PATH_BYTES];
	size_t used = 0;
	int n = snprintf(whole, sizeof(whole), "%s%s", root, path);
	int fd = n > 0 && (size_t)n < sizeof(whole) ? open(whole, O_RDONLY | O_CLOEXEC) : -1;
	while (fd >= 0 && used < size - 1) {
		ssize_t now = read(fd, text + used, size - 1 - used);
		if (now <= 0)
			break;
		used += (size_t)now;
	}
	if (fd >= 0)
		close(fd);
	text[used] = '\0';
}

/* Return the number before `end` in bytes; 0 if there is no number above 0. */
static uint64_t bytes_in(const char *text, const char *end, uint64_t unit)
{
	int64_t n;
	uint64_t bytes;
	bool is_one = jr_parse_i64(text, strcspn(text, end), &n) && n > 0 &&
				  !__builtin_mul_overflow((uint64_t)n, unit, &bytes);
	return is_one ? bytes : 0;
}

/* Take a limit, 0 = none, if it leaves less than the current one. */
static void take(
	struct jr_memory_room *room, enum jr_memory_bound of, uint64_t limit_bytes, uint64_t in_use)
{
	in_use = in_use < limit_bytes ? in_use : limit_bytes;
	if (limit_bytes && limit_bytes - in_use < room->limit_bytes - room->in_use_bytes) {
		room->of = of;
		room->limit_bytes = limit_bytes;
		room->in_use_bytes = in_use;
	}
}

/* Return the number after a key at the beginning of a line of memory.stat. */
static uint64_t stat_bytes(const char *text, const char *key)
{
	size_t n = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) == 0 && line[n] == ' ')
			return bytes_in(line + n + 1, "\n", 1);
	}
	return 0;
}

/* Files of a version of control groups. The keys are those that include the groups below. */
struct version {
	const char *mount, *limit, *anonymous, *shared;
};
static const struct version version_2 = {"/sys/fs/cgroup", "memory.max", "anon", "shmem"};
static const struct version version_1 = {
	"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "total_rss", "total_shmem"};

/* Take the limits of a group and of all groups above it, which apply to it, too. In a container the
 * path may be the host's and not exist below the mount. The mount then is the container's own
 * group. */
static void take_groups(
	struct jr_memory_room *room, const char *root, const struct version *v, char *group)
{
	char path[PATH_BYTES + 128], limit[32], stat[STAT_BYTES];
	if (strstr(group, "/.."))
		*group = '\0'; /* outside the mount */
	for (;;) {
		snprintf(path, sizeof(path), "%s%s/%s", v->mount, group, v->limit);
		read_text(root, path, limit, sizeof(limit));
		snprintf(path, sizeof(path), "%s%s/memory.stat", v->mount, group);
		read_text(root, path, stat, sizeof(stat));
		uint64_t anonymous = stat_bytes(stat, v->anonymous), shared = stat_bytes(stat, v->shared);
		take(room, JR_MEMORY_CONTAINER, bytes_in(limit, "\n", 1), anonymous + shared);
		char *slash = strrchr(group, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

/* Return the path in a line of /proc/self/cgroup, "NUMBER:CONTROLLERS:PATH" (cgroups(7)), if the
 * controllers are empty (version 2) or include memory (version 1); else NULL. */
static char *path_in(char *line, bool *first_version)
{
	char *controllers = strchr(line, ':'), *path;
	if (!controllers || !(path = strchr(++controllers, ':')))
		return NULL;
	*path++ = '\0';
	*first_version = *controllers != '\0';
	for (char *at = controllers; *first_version; at++) {
		size_t n = strcspn(at, ",");
		if (n == strlen("memory") && memcmp(at, "memory", n) == 0)
			return path;
		at += n;
		if (!*at)
			return NULL;
	}
	return path;
}

static void take_container(struct jr_memory_room *room, const char *root)
{
	char text[LINES_BYTES], second[PATH_BYTES] = "", first[PATH_BYTES] = "";
	read_text(root, "/proc/self/cgroup", text, sizeof(text));
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		bool first_version;
		*end = '\0';
		char *path = path_in(line, &first_version);
		size_t n = path ? strlen(path) : PATH_BYTES;
		if (n < PATH_BYTES)
			memcpy(first_version ? first : second, path, n + 1);
	}
	take_groups(room, root, &version_2, second);
	take_groups(room, root, &version_1, first);
}

static void take_machine(struct jr_memory_room *room, const char *root)
{
	static const char key[] = "MemTotal:";
	char text[4096];
	read_text(root, "/proc/meminfo", text, sizeof(text));
	const char *at = strstr(text, key);
	if (at) {
		at += strlen(key);
		take(room, JR_MEMORY_MACHINE, bytes_in(at + strspn(at, " \t"), " \n", 1024), 0);
	}
}

/*
 * Leave an eighth unused, at least 16 MiB, at most half. RLIMIT_DATA enforces the bound and counts
 * heaps and stacks. The kernel charges a group for more: page tables, its own buffers, and pages of
 * files. It can drop pages of files, but a run reads the program's text and the archive's pages
 * again and again. Without room for them, the run slows to the speed of the disk before it ends.
 */
static uint64_t room_of(uint64_t left_bytes)
{
	uint64_t kept = left_bytes / 8 > LEAST_KEPT ? left_bytes / 8 : LEAST_KEPT;
	return left_bytes - (kept < left_bytes / 2 ? kept : left_bytes / 2);
}

struct jr_memory_room jr_memory_room(const char *root)
{
	struct jr_memory_room room = {JR_MEMORY_OPTION, UINT64_MAX, 0, UINT64_MAX};
	take_container(&room, root);
	take_machine(&room, root);
	if (room.of != JR_MEMORY_OPTION)
		room.bytes = room_of(room.limit_bytes - room.in_use_bytes);
	return room;
}
