/*
 * gpu_time.h - busy time of the devices of an Nsight export; shared by the passes over them.
 * Layer: analysis.  Definition: the union of all GPU operations of a device (kernels, copies,
 * memsets, whole graphs).
 */
#ifndef JR_ANALYSIS_GPU_TIME_H
#define JR_ANALYSIS_GPU_TIME_H

#include <string.h>

#include "analysis/core/pass.h"
#include "base/spans.h"

struct jr_gpu_time {
	uint32_t *order;          /* [gpu_ops.n] rows by (device, start, row) */
	size_t *first;            /* [n_devices + 1] of order */
	struct jr_spans *devices; /* [n_devices] */
	uint8_t *communicates;    /* [strings.n] true for names of communication kernels */
};

/* No shares are reported for fewer operations. A single memset keeps a device busy for 100 % of the
 * time from its start to its end. */
#define JR_LEAST_OPERATIONS 5

static inline size_t jr_gpu_operations(const struct jr_gpu_time *t, size_t device)
{
	return t->first[device + 1] - t->first[device];
}

/** Count the calls that launch kernels or graphs: cudaLaunchKernel, cuLaunchKernelEx,
 * cudaGraphLaunch, ... */
size_t jr_gpu_launch_calls(const struct jr_profile *profile);
bool jr_gpu_any_kernel(const struct jr_profile *profile);

/** Return what kernels do that do not communicate, as far as their names show it: "compute", or
 * "kernels without a name". O(n) */
const char *jr_gpu_compute_words(const struct jr_profile *profile);

/** Return in a few words why shares of the devices' time are meaningless, or NULL. This is so if no
 * device ran JR_LEAST_OPERATIONS, or if kernels were launched but none was recorded. */
const char *jr_gpu_doubt(const struct jr_profile *profile, const struct jr_gpu_time *time);

/** Compute the busy time; NULL if the profile does not contain GPU operations. In `arena`. O(n log
 * n), O(n) if sorted. */
struct jr_gpu_time *jr_gpu_time_compute(const struct jr_profile *profile, struct jr_arena *arena);

/** Return the time in which any device of the set was busy. O(n log n) */
struct jr_spans jr_gpu_time_of_set(
	const struct jr_gpu_time *time, const struct jr_device_set *set, struct jr_arena *arena);

static inline bool jr_gpu_op_communicates(
	const struct jr_profile *p, const struct jr_gpu_time *t, size_t row)
{
	return p->gpu_ops.kind[row] == JR_GPU_KERNEL && t->communicates[p->gpu_ops.name[row]];
}

/* copyKind of CUDA: CUDA_MEMCPY_KIND_... */
#define JR_GPU_COPY_KINDS 14
extern const char *const jr_gpu_copy_kinds[JR_GPU_COPY_KINDS];
static inline size_t jr_gpu_copy_kind(uint32_t config)
{
	return (config & 0xFF) < JR_GPU_COPY_KINDS ? config & 0xFF : 0;
}
/* The same of a row that is a copy or a memset. */
enum { JR_GPU_MEMSET_KIND = JR_GPU_COPY_KINDS, JR_GPU_MOVE_KINDS };
static inline size_t jr_gpu_move_kind(const struct jr_gpu_ops *t, size_t row)
{
	return t->kind[row] == JR_GPU_MEMSET ? JR_GPU_MEMSET_KIND : jr_gpu_copy_kind(t->config[row]);
}
static inline const char *jr_gpu_move_name(size_t kind)
{
	return kind == JR_GPU_MEMSET_KIND ? "memset" : jr_gpu_copy_kinds[kind];
}

/* Kind of host memory that a copy reads or writes. */
enum jr_host_memory {
	JR_MEMORY_UNKNOWN, /* no host memory, or not recorded */
	JR_MEMORY_PAGEABLE,
	JR_MEMORY_PINNED,
	JR_MEMORY_MANAGED,
	JR_HOST_MEMORIES
};
/** NULL for JR_MEMORY_UNKNOWN. */
extern const char *const jr_host_memories[JR_HOST_MEMORIES];
/** Return the host memory of a row of gpu_ops that is a copy, from its config. It is known only if
 * both sides of the copy match its direction. */
enum jr_host_memory jr_gpu_host_memory(uint32_t config);
/** Return a kernel's name without arguments, "host to device" (a copy), "memset", "graph". */
const char *jr_gpu_op_name(const struct jr_profile *profile, size_t row);

/** Return true for a call that launches a CUDA graph with all of its nodes: cudaGraphLaunch,
 * cuGraphLaunch. */
static inline bool jr_call_launches_graph(const char *name)
{
	return strstr(name, "GraphLaunch") != NULL;
}

/** Return whether `is` holds for a name, and evaluate it only once per name. Names of hostile
 * inputs are long, and many rows share one. `known` is [strings.n + 1], zeroed. */
static inline bool jr_name_is(
	const struct jr_profile *p, uint8_t *known, uint32_t name, bool (*is)(const char *name))
{
	enum { NOT_ASKED, HOLDS_NOT, HOLDS };
	if (known[name] == NOT_ASKED)
		known[name] = is(jr_str(p, name)) ? HOLDS : HOLDS_NOT;
	return known[name] == HOLDS;
}

/** Return true for a call that waits for a device: cuStreamSynchronize, cudaDeviceSynchronize,
 * cudaEventSynchronize, cuCtxSynchronize, or a cudaMemcpy that is not asynchronous. cuda_api.c */
bool jr_call_waits(const char *name);

/** Return the device number for tables. */
static inline int64_t jr_device_number(const struct jr_profile *p, uint32_t device)
{
	return p->devices[device].global;
}

#endif
