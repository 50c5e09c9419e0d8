/*
 * memory_room.h - how much memory the machine and the container leave to a run.
 * Layer: base.
 */
#ifndef JR_BASE_MEMORY_ROOM_H
#define JR_BASE_MEMORY_ROOM_H

#include <stdint.h>

/* Who sets the bound on memory. */
enum jr_memory_bound { JR_MEMORY_OPTION, JR_MEMORY_CONTAINER, JR_MEMORY_MACHINE };

struct jr_memory_room {
	enum jr_memory_bound of; /* JR_MEMORY_OPTION: nothing is known */
	uint64_t limit_bytes;    /* what the container or the machine has; UINT64_MAX: not known */
	uint64_t in_use_bytes;   /* of a container's limit, when it was read; not above limit_bytes */
	uint64_t bytes;          /* how much of the rest the data of this process may take */
};

/**
 * Read the limit that leaves least of the process's control groups (version 2 and 1, its own group
 * and all above it) and of the memory of the machine. What cannot be read, is not a number or is
 * "max" sets no limit, or counts as nothing in use.
 *
 * In use is what the kernel can only take back by killing: anonymous memory and shared memory of
 * all processes of the group. The page cache, which memory.current counts, too, it drops first.
 *
 * @param root  in front of /proc and /sys/fs/cgroup: "" for the system, a folder for tests
 * @return the limit that leaves least, and what is left of it for data; no errors
 */
struct jr_memory_room jr_memory_room(const char *root);

#endif
