#include "model/build/build.h"

#include "base/order.h"
#include "base/sort.h"
#include "model/build/sessions.h"

struct thread_key {
	int64_t pid, tid;
};

JR_ORDER(compare_threads, struct thread_key, JR_UP(pid) JR_UP(tid))

/* A (program, thread) pair of the trace's module rows with a program number. Pairs are sorted and
 * distinct. */
struct pair {
	int64_t program;
	struct thread_key thread;
};

JR_ORDER(compare_pairs, struct pair, JR_UP(program) JR_BY(compare_threads, thread))

/* In `arena`; they are few, and rows are many. */
static size_t program_threads(
	const struct jr_trace *trace, struct pair **out, struct jr_arena *arena)
{
	size_t n = 0;
	for (size_t i = 0; i < trace->n; i++)
		n += trace->names[trace->name[i]].kind == JR_RANGE_MODULE;
	struct pair *pairs = *out = JR_ARENA_N(arena, struct pair, n + 1);
	n = 0;
	for (size_t i = 0; i < trace->n; i++) {
		const struct jr_trace_name *name = &trace->names[trace->name[i]];
		if (name->kind != JR_RANGE_MODULE || name->program_number < 0)
			continue;
		struct jr_trace_thread thread = jr_trace_thread(trace, i);
		struct pair pair = {name->program_number, {thread.pid, thread.tid}};
		if (n == 0 || compare_pairs(&pairs[n - 1], &pair) != 0)
			pairs[n++] = pair;
	}
	jr_sort(pairs, n, sizeof(*pairs), compare_pairs);
	size_t distinct = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || compare_pairs(&pairs[i - 1], &pairs[i]) != 0)
			pairs[distinct++] = pairs[i];
	return distinct;
}

/* Find threads that run a program which ran on several threads: by (pid, tid), distinct. */
static size_t multi_threads(const struct pair *pairs, size_t n, struct thread_key *threads)
{
	size_t n_threads = 0;
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;
		while (end < n && pairs[end].program == pairs[i].program)
			end++;
		if (end - i > 1)
			for (size_t j = i; j < end; j++)
				threads[n_threads++] = pairs[j].thread;
		i = end;
	}
	jr_sort(threads, n_threads, sizeof(*threads), compare_threads);
	size_t distinct = 0;
	for (size_t i = 0; i < n_threads; i++)
		if (i == 0 || compare_threads(&threads[i - 1], &threads[i]) != 0)
			threads[distinct++] = threads[i];
	return distinct;
}

static uint32_t kept_text(struct jr_build *build, const struct jr_metadata *meta, uint32_t id)
{
	return id ? jr_intern_puts(&build->profile->strings, jr_intern_str(&meta->strings, id)) : 0;
}

/* Use the GPU that XLA named with the device's number, else the GPU with its ordinal in the
 * process. */
static void describe_gpu(
	struct jr_build *build, const struct jr_metadata *meta, struct jr_device *device)
{
	const struct jr_gpu *found = meta->n_gpus == 1 ? &meta->gpus[0] : NULL;
	for (size_t i = 0; i < meta->n_gpus; i++)
		if (meta->gpus[i].named && meta->gpus[i].device.global == device->global)
			found = &meta->gpus[i];
	for (size_t i = 0; !found && i < meta->n_gpus; i++)
		if (meta->gpus[i].cuda_device >= 0 && meta->gpus[i].cuda_device == device->local)
			found = &meta->gpus[i];
	if (!found)
		return;
	if (found->misnamed && meta->n_gpus > 1)
		jr_profile_guess(build->profile, "gpus-by-ordinal", 1,
			"GPUs without a name from XLA were identified by their ordinal in the process");
	device->gpu_name = kept_text(build, meta, found->name);
	device->memory_bandwidth_bytes_s = found->memory_bandwidth_bytes_s;
	device->sm_count = found->sm_count;
	device->clock_hz = found->clock_hz;
	device->memory_bytes = found->memory_bytes;
	device->compute_capability = found->compute_capability;
	device->of_target = meta->gpus_of_target;
}

void jr_devices_describe(struct jr_build *build, uint32_t process, const struct jr_metadata *meta)
{
	for (size_t i = 0; i < build->devices.n; i++) {
		struct jr_device *device = &build->devices.items[i];
		if (device->process == process && !device->gpu_name)
			describe_gpu(build, meta, device);
	}
}

static uint32_t add_device(struct jr_build *build, uint32_t process, const struct jr_metadata *meta,
	struct jr_device device)
{
	uint64_t key = jr_key2(jr_profile_process(build->profile, process), device.global);
	uint32_t known = jr_map_get(&build->device_by_key, key);
	if (known != JR_NONE)
		return known;
	jr_map_put(&build->device_by_key, key, (uint32_t)build->devices.n);
	device.process = process;
	device.id = JR_NONE;
	device.aligned_set = JR_NONE;
	describe_gpu(build, meta, &device);
	*jr_vec_add(&build->devices) = device;
	return (uint32_t)(build->devices.n - 1);
}

/* Process ids of the trace's rows. Most neighboring rows share a process. */
static struct jr_map pids_of(const struct jr_trace *trace)
{
	struct jr_map pids = {0};
	int64_t last = 0;
	for (size_t i = 0; i < trace->n; i++) {
		int64_t pid = jr_trace_thread(trace, i).pid;
		if (i == 0 || pid != last)
			jr_map_put(&pids, (uint64_t)pid, 0);
		last = pid;
	}
	return pids;
}

static void by_launchers(struct jr_build *build, uint32_t process, const struct jr_trace *trace,
	const struct jr_metadata *meta, struct jr_thread_devices *out)
{
	/* The file lists all host threads. Take those of this process if any match. */
	struct jr_map pids = pids_of(trace);
	bool any = false;
	for (size_t i = 0; i < meta->n_launchers && !any; i++)
		any = jr_map_get(&pids, (uint64_t)meta->launchers[i].pid) != JR_NONE;
	for (size_t i = 0; i < meta->n_launchers; i++) {
		const struct jr_launcher *launcher = &meta->launchers[i];
		if (any && jr_map_get(&pids, (uint64_t)launcher->pid) == JR_NONE)
			continue;
		uint32_t device = add_device(build, process, meta,
			(struct jr_device){.global = launcher->device.global,
				.local = launcher->device.local,
				.process_number = launcher->device.process,
				.slice = launcher->device.slice});
		if (out->n == 0)
			out->first = device;
		out->threads[out->n++] = (struct jr_thread_device){launcher->pid, launcher->tid, device};
	}
	jr_map_done(&pids);
}

uint32_t jr_devices_next_global(const struct jr_build *build)
{
	uint32_t next = 0;
	for (size_t i = 0; i < build->devices.n; i++)
		if (build->devices.items[i].global >= next)
			next = build->devices.items[i].global + 1;
	return next;
}

static void by_thread_order(struct jr_build *build, uint32_t process,
	const struct jr_metadata *meta, const struct thread_key *threads, size_t n,
	struct jr_thread_devices *out)
{
	uint32_t before = jr_session_first_device(build, process);
	uint32_t base =
		before == JR_NONE ? jr_devices_next_global(build) : build->devices.items[before].global;
	size_t n_devices = n ? n : 1;
	for (size_t i = 0; i < n_devices; i++) {
		struct jr_device device = {.global = base + (uint32_t)i,
			.local = (uint32_t)i,
			.process_number = process,
			.slice = JR_NONE};
		if (n == 0 && meta->n_gpus && meta->gpus[0].named) {
			device.global = meta->gpus[0].device.global;
			device.local = meta->gpus[0].device.local;
			device.process_number = meta->gpus[0].device.process;
			device.slice = meta->gpus[0].device.slice;
		}
		uint32_t row = add_device(build, process, meta, device);
		if (i == 0)
			out->first = row;
		if (n) /* threads are sorted */
			out->threads[out->n++] = (struct jr_thread_device){threads[i].pid, threads[i].tid, row};
	}
}

JR_ORDER(compare_thread_devices, struct jr_thread_device, JR_UP(pid) JR_UP(tid) JR_UP(device))

static void sort_threads(struct jr_thread_devices *threads)
{
	jr_sort(threads->threads, threads->n, sizeof(*threads->threads), compare_thread_devices);
}

void jr_devices_add(struct jr_build *build, uint32_t process, const struct jr_trace *trace,
	const struct jr_metadata *meta, struct jr_thread_devices *out)
{
	*out = (struct jr_thread_devices){0};
	jr_arena_init(&out->arena, 0);
	struct pair *pairs;
	size_t n_pairs = program_threads(trace, &pairs, &out->arena);
	struct thread_key *multi = JR_ARENA_N(&out->arena, struct thread_key, n_pairs + 1);
	size_t n_multi = multi_threads(pairs, n_pairs, multi);
	out->threads =
		JR_ARENA_N(&out->arena, struct jr_thread_device, meta->n_launchers + n_multi + 1);
	if (meta->n_launchers == 0) {
		by_thread_order(build, process, meta, multi, n_multi, out);
		jr_profile_guess(build->profile, "devices-by-thread-order", n_multi,
			"the input does not contain launcher threads. Threads that run programs together "
			"count as devices 0, 1, … in order of thread ID");
		return;
	}
	by_launchers(build, process, trace, meta, out);
	sort_threads(out);
	/* Unnamed threads that share a program with other unnamed threads take the devices in turn. */
	size_t n_unnamed = 0;
	for (size_t i = 0; i < n_multi; i++)
		if (jr_thread_devices_find(out, multi[i].pid, multi[i].tid) == JR_NONE)
			multi[n_unnamed++] = multi[i];
	if (n_unnamed < 2)
		return;
	size_t n_devices = build->devices.n - out->first;
	for (size_t i = 0; i < n_unnamed; i++)
		out->threads[out->n++] = (struct jr_thread_device){
			multi[i].pid, multi[i].tid, out->first + (uint32_t)(i % n_devices)};
	sort_threads(out);
	jr_profile_guess(build->profile, "devices-by-thread-order", n_unnamed,
		"threads without a launcher name run programs together. They count as the devices of the "
		"process in order of thread ID");
}

uint32_t jr_thread_devices_find(const struct jr_thread_devices *threads, int64_t pid, int64_t tid)
{
	const struct jr_thread_device key = {pid, tid, 0};
	size_t lo = 0, hi = threads->n;
	JR_SEARCH(lo, hi, mid, compare_thread_devices(&threads->threads[mid], &key) < 0);
	bool found =
		lo < threads->n && threads->threads[lo].pid == pid && threads->threads[lo].tid == tid;
	return found ? threads->threads[lo].device : JR_NONE;
}

void jr_thread_devices_done(struct jr_thread_devices *threads)
{
	jr_arena_done(&threads->arena);
	*threads = (struct jr_thread_devices){0};
}
