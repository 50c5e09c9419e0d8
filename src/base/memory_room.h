/*
 * memory_room.h - how much memory the machine and the container leave for a run.
 * Layer: base.
 */
#ifndef JR_BASE_MEMORY_ROOM_H
#define JR_BASE_MEMORY_ROOM_H

#include <stdint.h>

/* What limits the memory of a run. */
enum jr_memory_bound { JR_MEMORY_OPTION, JR_MEMORY_CONTAINER, JR_MEMORY_MACHINE };

struct jr_memory_room {
	enum jr_memory_bound of; /* JR_MEMORY_OPTION: no limit is known */
	uint64_t limit_bytes;    /* of the container or the machine; UINT64_MAX: not known */
	uint64_t in_use_bytes;   /* part of a container's limit in use when read; at most limit_bytes */
	uint64_t bytes;          /* part of the rest that the data of this process may take */
};

/**
 * Read the limit that leaves the least memory. Candidates are the process's control groups (version
 * 2 and 1, its own group and all above it) and the memory of the machine. A limit that cannot be
 * read, is not a number or is "max" does not count. An unreadable use counts as 0.
 *
 * In use is memory that the kernel can only reclaim by killing: anonymous and shared memory of all
 * processes of the group. memory.current also counts the page cache, which the kernel drops first.
 *
 * @param root  prefix of /proc and /sys/fs/cgroup: "" for the system, a folder for tests
 * @return the limit that leaves the least, and how much of it is left for data; no errors
 */
struct jr_memory_room jr_memory_room(const char *root);

#endif
