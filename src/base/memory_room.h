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
	uint64_t bytes;          /* how much of that the data of this process may take */
};

/**
 * Read the smallest limit of the process's control groups (version 2 and 1, its own group and all
 * above it) and the memory of the machine. What cannot be read, is not a number or is "max" sets
 * no limit.
 *
 * @param root  in front of /proc and /sys/fs/cgroup: "" for the system, a folder for tests
 * @return the smallest limit and what is left of it for data; no errors
 */
struct jr_memory_room jr_memory_room(const char *root);

#endif
