#include "base/memory_room.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"

/* Longer paths of groups are left alone: the group at the root of the mount still counts. */
enum { PATH_BYTES = 4096, LINES_BYTES = 64 * 1024 };

/* What is kept from a limit, see room_of(). */
#define LEAST_KEPT (UINT64_C(16) << 20)

/* The beginning of a file as text; empty where it cannot be read. */
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

/* Take the number before `end` for the limit where it is a smaller one. */
static void take(struct jr_memory_room *room, enum jr_memory_bound of, const char *text,
	const char *end, uint64_t unit)
{
	int64_t n;
	size_t size = strcspn(text, end);
	uint64_t bytes;
	if (jr_parse_i64(text, size, &n) && n > 0 &&
		!__builtin_mul_overflow((uint64_t)n, unit, &bytes) && bytes < room->limit_bytes) {
		room->of = of;
		room->limit_bytes = bytes;
	}
}

/* The group and all above it, whose limits hold for it, too. In a container the path may be the
 * host's and lead nowhere below the mount, which then is the container's own group. */
static void take_groups(
	struct jr_memory_room *room, const char *root, const char *mount, char *group, const char *file)
{
	char path[PATH_BYTES + 128], text[32];
	if (strstr(group, "/.."))
		*group = '\0'; /* outside of what is mounted */
	for (;;) {
		snprintf(path, sizeof(path), "%s%s/%s", mount, group, file);
		read_text(root, path, text, sizeof(text));
		take(room, JR_MEMORY_CONTAINER, text, "\n", 1);
		char *slash = strrchr(group, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

/* The path in a line of /proc/self/cgroup, "NUMBER:CONTROLLERS:PATH" (cgroups(7)), where its
 * controllers are none (version 2) or include memory (version 1); else NULL. */
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
	take_groups(room, root, "/sys/fs/cgroup", second, "memory.max");
	take_groups(room, root, "/sys/fs/cgroup/memory", first, "memory.limit_in_bytes");
}

static void take_machine(struct jr_memory_room *room, const char *root)
{
	static const char key[] = "MemTotal:";
	char text[4096];
	read_text(root, "/proc/meminfo", text, sizeof(text));
	const char *at = strstr(text, key);
	if (at) {
		at += strlen(key);
		take(room, JR_MEMORY_MACHINE, at + strspn(at, " \t"), " \n", 1024);
	}
}

/*
 * An eighth is kept, at least 16 MiB, at most half. The bound is held by RLIMIT_DATA, which counts
 * heaps and stacks. The kernel charges a group with more: page tables, its own buffers, and pages
 * of files. Those it can drop, but the program's text and the archive's pages are read again and
 * again: without room for them a run slows to the speed of the disk before it ends.
 */
static uint64_t room_of(uint64_t limit_bytes)
{
	uint64_t kept = limit_bytes / 8 > LEAST_KEPT ? limit_bytes / 8 : LEAST_KEPT;
	return limit_bytes - (kept < limit_bytes / 2 ? kept : limit_bytes / 2);
}

struct jr_memory_room jr_memory_room(const char *root)
{
	struct jr_memory_room room = {JR_MEMORY_OPTION, UINT64_MAX, UINT64_MAX};
	take_container(&room, root);
	take_machine(&room, root);
	if (room.of != JR_MEMORY_OPTION)
		room.bytes = room_of(room.limit_bytes);
	return room;
}
