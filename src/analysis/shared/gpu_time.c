#include "analysis/shared/gpu_time.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "model/archive/trace_parts.h"

JR_ORDER_COLUMNS(compare_rows, struct jr_gpu_ops, JR_UP_AT(start_ns))

/* Sort operations by device. Kernels, copies and memsets follow each other in the table, each
 * usually in order. Merging sorted runs is therefore most of the work. */
static void sort_ops(const struct jr_profile *p, struct jr_gpu_time *time)
{
	const struct jr_gpu_ops *t = &p->gpu_ops;
	for (size_t i = 0; i < t->n; i++)
		time->first[t->device[i] + 1]++;
	for (size_t d = 0; d < p->n_devices; d++)
		time->first[d + 1] += time->first[d];
	size_t *next = jr_calloc(p->n_devices + 1, sizeof(*next));
	memcpy(next, time->first, p->n_devices * sizeof(*next));
	for (uint32_t i = 0; i < t->n; i++)
		time->order[next[t->device[i]]++] = i;
	free(next);
	for (size_t d = 0; d < p->n_devices; d++) {
		uint32_t *rows = time->order + time->first[d];
		size_t n = time->first[d + 1] - time->first[d];
		jr_sort_with(rows, n, sizeof(*rows), compare_rows, (void *)(uintptr_t)t);
	}
}

static void unite_device(
	const struct jr_profile *p, struct jr_gpu_time *time, size_t device, struct jr_arena *arena)
{
	const struct jr_gpu_ops *t = &p->gpu_ops;
	struct jr_spans *busy = &time->devices[device];
	size_t first = time->first[device], n = time->first[device + 1] - first;
	busy->items = JR_ARENA_N(arena, struct jr_span, n + 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t row = time->order[first + i];
		busy->items[i] = (struct jr_span){t->start_ns[row], t->start_ns[row] + t->dur_ns[row]};
	}
	busy->n = n;
	jr_spans_unite_sorted(busy, arena);
	busy->items = jr_arena_shrink(arena, busy->items, (busy->n + 1) * sizeof(*busy->items));
}

struct jr_spans jr_gpu_time_of_set(
	const struct jr_gpu_time *time, const struct jr_device_set *set, struct jr_arena *arena)
{
	struct jr_spans all = {0};
	size_t n = 0;
	for (size_t i = 0; i < set->n; i++)
		n += time->devices[set->devices[i]].n;
	all.items = JR_ARENA_N(arena, struct jr_span, n + 1);
	for (size_t i = 0; i < set->n; i++) {
		const struct jr_spans *one = &time->devices[set->devices[i]];
		memcpy(all.items + all.n, one->items, one->n * sizeof(*all.items));
		all.n += one->n;
	}
	jr_spans_unite(&all, arena);
	return all;
}

const char *const jr_gpu_copy_kinds[JR_GPU_COPY_KINDS] = {"unknown direction", "host to device",
	"device to host", "host to array", "array to host", "array to array", "array to device",
	"device to array", "device to device", "host to host", "peer to peer",
	"unified memory, host to device", "unified memory, device to host",
	"unified memory, device to device"};

const char *const jr_host_memories[JR_HOST_MEMORIES] = {NULL, "pageable", "pinned", "managed"};

/* Values of ENUM_CUDA_MEM_KIND; formats/README.md, section 3. */
enum memory_kind { PAGEABLE, PINNED, DEVICE, ARRAY, MANAGED, DEVICE_STATIC, MANAGED_STATIC };

static bool is_on_device(uint32_t memory, bool array)
{
	return array ? memory == ARRAY
				 : memory == DEVICE || memory == MANAGED || memory == DEVICE_STATIC ||
					   memory == MANAGED_STATIC;
}

enum jr_host_memory jr_gpu_host_memory(uint32_t config)
{
	enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST, HOST_TO_ARRAY, ARRAY_TO_HOST };
	size_t kind = jr_gpu_copy_kind(config);
	uint32_t from = (config >> 8 & 0xFF) - 1, to = (config >> 16 & 0xFF) - 1;
	if (kind < HOST_TO_DEVICE || kind > ARRAY_TO_HOST)
		return JR_MEMORY_UNKNOWN;
	bool to_host = kind == DEVICE_TO_HOST || kind == ARRAY_TO_HOST;
	uint32_t host = to_host ? to : from, device = to_host ? from : to;
	if (!is_on_device(device, kind >= HOST_TO_ARRAY))
		return JR_MEMORY_UNKNOWN;
	switch (host) {
	case PAGEABLE: return JR_MEMORY_PAGEABLE;
	case PINNED: return JR_MEMORY_PINNED;
	case MANAGED:
	case MANAGED_STATIC: return JR_MEMORY_MANAGED;
	default: return JR_MEMORY_UNKNOWN;
	}
}

const char *jr_gpu_op_name(const struct jr_profile *p, size_t row)
{
	const struct jr_gpu_ops *t = &p->gpu_ops;
	switch (t->kind[row]) {
	case JR_GPU_COPY: return jr_gpu_copy_kinds[jr_gpu_copy_kind(t->config[row])];
	case JR_GPU_MEMSET: return "memset";
	case JR_GPU_GRAPH: return "graph";
	default: return jr_str(p, t->brief[row] ? t->brief[row] : t->name[row]);
	}
}

static void find_communication(const struct jr_profile *p, struct jr_gpu_time *time)
{
	const struct jr_gpu_ops *t = &p->gpu_ops;
	enum { UNKNOWN, NO, YES };
	for (size_t i = 0; i < t->n; i++) {
		uint8_t *known = &time->communicates[t->name[i]];
		if (t->kind[i] == JR_GPU_KERNEL && *known == UNKNOWN)
			*known = jr_is_communication_kernel(jr_str(p, t->name[i])) ? YES : NO;
	}
	for (size_t id = 0; id < p->strings.n; id++)
		time->communicates[id] = time->communicates[id] == YES;
}

struct jr_gpu_time *jr_gpu_time_compute(const struct jr_profile *p, struct jr_arena *arena)
{
	if (p->gpu_ops.n == 0)
		return NULL;
	struct jr_gpu_time *time = JR_ARENA_NEW(arena, struct jr_gpu_time);
	time->order = JR_ARENA_N(arena, uint32_t, p->gpu_ops.n);
	time->first = JR_ARENA_N(arena, size_t, p->n_devices + 1);
	time->devices = JR_ARENA_N(arena, struct jr_spans, p->n_devices + 1);
	time->communicates = JR_ARENA_N(arena, uint8_t, p->strings.n + 1);
	sort_ops(p, time);
	for (size_t d = 0; d < p->n_devices; d++)
		unite_device(p, time, d, arena);
	find_communication(p, time);
	return time;
}

/* Host functions launched into a stream are not kernels. */
static bool launches_kernels(const char *call)
{
	return strstr(call, "Launch") && !strstr(call, "HostFunc");
}

size_t jr_gpu_launch_calls(const struct jr_profile *p)
{
	struct jr_map launches = {0}; /* name of a call -> 1: it launches kernels */
	size_t n = 0;
	if (p->selected.any_kernel) /* the kernels of these calls may not be selected */
		return 0;
	for (size_t i = 0; i < p->api_calls.n; i++) {
		uint32_t name = p->api_calls.name[i], is_launch = jr_map_get(&launches, name);
		if (is_launch == JR_NONE) {
			is_launch = launches_kernels(jr_str(p, name));
			jr_map_put(&launches, name, is_launch);
		}
		n += is_launch;
	}
	jr_map_done(&launches);
	return n;
}

bool jr_gpu_any_kernel(const struct jr_profile *p)
{
	for (size_t i = 0; i < p->gpu_ops.n; i++)
		if (p->gpu_ops.kind[i] == JR_GPU_KERNEL || p->gpu_ops.kind[i] == JR_GPU_GRAPH)
			return true;
	return false;
}

const char *jr_gpu_doubt(const struct jr_profile *p, const struct jr_gpu_time *time)
{
	if (!jr_gpu_any_kernel(p) && jr_gpu_launch_calls(p))
		return "no kernel was recorded";
	for (size_t d = 0; d < p->n_devices; d++)
		if (jr_gpu_operations(time, d) >= JR_LEAST_OPERATIONS)
			return NULL;
	return "not enough operations to judge";
}

static bool is_nameless(const char *name)
{
	return strcmp(name, JR_NO_NAME) == 0;
}

const char *jr_gpu_compute_words(const struct jr_profile *p)
{
	const struct jr_gpu_ops *t = &p->gpu_ops;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint8_t *known = JR_ARENA_N(&scratch, uint8_t, p->strings.n + 1);
	size_t n = 0, n_nameless = 0;
	for (size_t i = 0; i < t->n; i++) {
		n += t->kind[i] == JR_GPU_KERNEL;
		n_nameless += t->kind[i] == JR_GPU_KERNEL && jr_name_is(p, known, t->name[i], is_nameless);
	}
	return n_nameless == 0   ? "compute"
		   : n_nameless == n ? "kernels without a name"
							 : "compute and kernels without a name";
}
