/* Devices, threads and settings of an export. */

#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "model/export/export.h"
#include "model/build/sessions.h"

#define MOST_DEVICES 4096

/* --- identifying GPUs ------------------------------------------------------------------------- */

/* The export's information about GPUs, by their names in rows. */
struct gpus {
	struct jr_map of_process; /* (pid, number of a device) -> row of cuda_devices */
	struct jr_map by_id;      /* id -> row of rows.gpus */
	struct jr_map by_uuid;    /* str -> row of rows.gpus; JR_SEVERAL: several rows */
	uint32_t *uuids;          /* [n_gpus] str; 0 = not known, or shared by several GPUs */
};

/* Normalize a UUID: NVIDIA's tools write it with or without "GPU-", in upper or lower case. 0: no
 * UUID. */
static uint32_t plain_uuid(struct jr_intern *strings, uint32_t id)
{
	const char *text = jr_intern_str(strings, id);
	char plain[64];
	size_t n = strncmp(text, "GPU-", 4) == 0 ? 4 : 0, length = 0;
	bool any = false;
	for (; text[n] && length < sizeof(plain); n++) {
		char c = text[n];
		plain[length++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		any |= c != '0' && c != '-';
	}
	return any ? jr_intern_put(strings, plain, length) : 0;
}

static void list_gpus(struct jr_timeline *s, struct gpus *gpus, struct jr_arena *scratch)
{
	gpus->uuids = JR_ARENA_N(scratch, uint32_t, s->n_gpus + 1);
	for (uint32_t i = 0; i < s->n_gpus; i++) {
		uint32_t uuid = plain_uuid(&s->strings, s->gpus[i].uuid);
		gpus->uuids[i] = uuid;
		if (jr_map_get(&gpus->by_id, (uint64_t)s->gpus[i].id) == JR_NONE)
			jr_map_put(&gpus->by_id, (uint64_t)s->gpus[i].id, i);
		if (uuid)
			jr_map_put(
				&gpus->by_uuid, uuid, jr_map_get(&gpus->by_uuid, uuid) == JR_NONE ? i : JR_SEVERAL);
	}
	for (size_t i = 0; i < s->n_gpus; i++)
		if (gpus->uuids[i] && jr_map_get(&gpus->by_uuid, gpus->uuids[i]) == JR_SEVERAL)
			gpus->uuids[i] = 0;
	for (uint32_t i = 0; i < s->n_cuda_devices; i++) {
		const struct jr_timeline_cuda_device *device = &s->cuda_devices[i];
		uint64_t key = jr_key2((uint32_t)device->pid, (uint32_t)device->cuda_device);
		if (jr_map_get(&gpus->of_process, key) == JR_NONE)
			jr_map_put(&gpus->of_process, key, i);
	}
}

/* Find the GPU with this number in a process. `key` is equal for equal GPUs. */
static struct jr_export_device find_gpu(struct jr_timeline *s, const struct gpus *gpus,
	uint32_t process, uint32_t number, uint64_t *key)
{
	struct jr_export_device found = {
		.id = number, .number = number, .process = process, .gpu = JR_NONE, .row = JR_NONE};
	int64_t pid = process == JR_NONE ? -1 : s->processes[process].pid;
	uint32_t row =
		pid < 0 ? JR_NONE : jr_map_get(&gpus->of_process, jr_key2((uint32_t)pid, number));
	*key = jr_key2(0, number);
	if (row == JR_NONE)
		return found;
	const struct jr_timeline_cuda_device *device = &s->cuda_devices[row];
	found.uuid = plain_uuid(&s->strings, device->uuid);
	found.sm_count = device->sm_count;
	found.gpu = found.uuid ? jr_map_get(&gpus->by_uuid, found.uuid) : JR_NONE;
	if (found.gpu == JR_NONE || found.gpu == JR_SEVERAL)
		found.gpu = device->gpu < 0 ? JR_NONE : jr_map_get(&gpus->by_id, (uint64_t)device->gpu);
	if (!found.uuid && found.gpu != JR_NONE)
		found.uuid = gpus->uuids[found.gpu];
	if (found.uuid)
		*key = jr_key2(1, found.uuid);
	else if (device->gpu >= 0)
		*key = jr_key2(2, (uint32_t)device->gpu);
	int64_t id = found.gpu != JR_NONE ? s->gpus[found.gpu].id : device->gpu;
	if (id >= 0 && id < UINT16_MAX)
		found.id = (uint32_t)id;
	return found;
}

/* Two GPUs share an id: MIG slices of one GPU, or a process without information in the export. Also
 * of a GPU without an id, because JR_NONE is no value of a map. */
#define OTHER_IDS (UINT32_C(1) << 16)

/* State of numbering GPUs in first-seen order. */
struct numbering {
	struct jr_export *x;
	struct jr_export_seen *seen;
	struct gpus gpus;
	struct jr_map ids;       /* (process, number) -> id */
	struct jr_map by_key;    /* key of a GPU -> id */
	struct jr_map processes; /* number without information -> 0; JR_SEVERAL: in several processes */
};

static enum jr_status number_gpu(
	struct numbering *all, uint32_t process, uint32_t number, uint32_t *id, struct jr_error *err)
{
	uint64_t called = jr_key2(process, number), key;
	if ((*id = jr_map_get(&all->ids, called)) != JR_NONE)
		return JR_OK;
	struct jr_export_device found = find_gpu(&all->x->rows, &all->gpus, process, number, &key);
	*id = jr_map_get(&all->by_key, key);
	if (*id == JR_NONE) {
		if (found.id == JR_NONE || jr_map_get(&all->seen->device_rows, found.id) != JR_NONE)
			found.id = OTHER_IDS + (uint32_t)all->seen->devices.n;
		*id = found.id;
		JR_TRY(jr_export_see_gpu(all->seen, &found, err));
		jr_map_put(&all->by_key, key, *id);
	}
	jr_map_put(&all->ids, called, *id);
	if (key >> 32 == 0 && all->x->rows.n_gpus > 1) {
		uint32_t before = jr_map_get(&all->processes, number);
		all->x->n_same_numbers += before == 0;
		jr_map_put(&all->processes, number, before == JR_NONE ? 0 : JR_SEVERAL);
	}
	return JR_OK;
}

/* Operations that do not state their device ran on the only one that there is. */
static void fill_devices(struct jr_export *x)
{
	const struct jr_timeline_gpu *gpu = &x->rows.gpu;
	uint32_t only = JR_NONE;
	for (size_t i = 0; i < gpu->n; i++) {
		if (gpu->device[i] != JR_NONE && only != JR_NONE && gpu->device[i] != only)
			return;
		only = gpu->device[i] != JR_NONE ? gpu->device[i] : only;
	}
	if (x->rows.n_gpus > 1 || (x->rows.n_gpus == 0 && x->rows.n_processes > 1))
		return;
	for (size_t i = 0; i < gpu->n; i++)
		gpu->device[i] = only;
}

enum jr_status jr_export_number_gpus(
	struct jr_export *x, struct jr_export_seen *seen, struct jr_error *err)
{
	struct jr_timeline_gpu *gpu = &x->rows.gpu;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct numbering all = {.x = x, .seen = seen};
	list_gpus(&x->rows, &all.gpus, &scratch);
	fill_devices(x);
	enum jr_status status = JR_OK;
	uint32_t process = 0, number = 0, id = JR_NONE; /* of the previous row */
	for (size_t i = 0; i < gpu->n && status == JR_OK; i++) {
		if (id == JR_NONE || gpu->process[i] != process || gpu->device[i] != number) {
			process = gpu->process[i];
			number = gpu->device[i];
			status = number_gpu(&all, process, number, &id, err);
		}
		gpu->device[i] = id;
	}
	jr_map_done(&all.gpus.of_process);
	jr_map_done(&all.gpus.by_id);
	jr_map_done(&all.gpus.by_uuid);
	jr_map_done(&all.ids);
	jr_map_done(&all.by_key);
	jr_map_done(&all.processes);
	return status;
}

/* --- devices ---------------------------------------------------------------------------------- */

/* XLA's names of launching threads and GPUs, where they exist. */
struct names {
	struct jr_map of_thread; /* row of rows.threads -> row of rows.thread_names */
	struct jr_map of_device; /* deviceId -> row of rows.device_names */
};

static bool parse_name(
	const struct jr_timeline *s, uint32_t name, const char *prefix, struct jr_device_name *out)
{
	return jr_device_name_parse(
		jr_intern_str(&s->strings, name), jr_intern_len(&s->strings, name), prefix, out);
}

static void find_names(const struct jr_timeline *s, struct names *names)
{
	struct jr_device_name parsed;
	struct jr_map threads = {0};
	for (uint32_t i = 0; i < s->n_threads; i++)
		jr_map_put(&threads, (uint64_t)s->threads[i].id, i);
	for (uint32_t i = 0; i < s->n_thread_names; i++) {
		uint32_t thread = jr_map_get(&threads, (uint64_t)s->thread_names[i].thread);
		if (thread != JR_NONE && jr_map_get(&names->of_thread, thread) == JR_NONE &&
			parse_name(s, s->thread_names[i].name, "XlaLauncher:#", &parsed))
			jr_map_put(&names->of_thread, thread, i);
	}
	jr_map_done(&threads);
	for (uint32_t i = 0; i < s->n_device_names; i++) {
		uint64_t device = (uint64_t)s->device_names[i].device;
		if (jr_map_get(&names->of_device, device) == JR_NONE &&
			parse_name(s, s->device_names[i].name, "Xla:#", &parsed))
			jr_map_put(&names->of_device, device, i);
	}
}

/* For each device find the first thread with a name from XLA that launches mostly on it; otherwise
 * use XLA's name of the GPU. */
static void name_devices(
	const struct jr_export *x, const struct names *names, struct jr_device_name *found, bool *named)
{
	const struct jr_timeline *s = &x->rows;
	for (size_t i = 0; i < x->n_uses; i++) {
		bool mostly = i == 0 || x->uses[i].thread != x->uses[i - 1].thread;
		uint32_t device = x->uses[i].device;
		uint32_t name = jr_map_get(&names->of_thread, x->uses[i].thread);
		if (mostly && name != JR_NONE && !named[device])
			named[device] =
				parse_name(s, s->thread_names[name].name, "XlaLauncher:#", &found[device]);
	}
	for (size_t d = 0; d < x->n_devices; d++) {
		uint32_t name = jr_map_get(&names->of_device, x->devices[d].number);
		if (!named[d] && name != JR_NONE)
			named[d] = parse_name(s, s->device_names[name].name, "Xla:#", &found[d]);
	}
}

static bool global_taken(const struct jr_build *build, size_t from, uint32_t global)
{
	for (size_t i = from; i < build->devices.n; i++)
		if (build->devices.items[i].global == global)
			return true;
	return false;
}

static const struct jr_timeline_gpu_info *gpu_info(
	const struct jr_timeline *s, const struct jr_export_device *slot)
{
	if (slot->gpu != JR_NONE)
		return &s->gpus[slot->gpu];
	const struct jr_timeline_gpu_info *found = s->n_gpus == 1 ? &s->gpus[0] : NULL;
	for (size_t i = 0; i < s->n_gpus; i++)
		if (s->gpus[i].cuda_device == slot->id)
			found = &s->gpus[i];
	for (size_t i = 0; i < s->n_gpus; i++)
		if (s->gpus[i].id == slot->id)
			found = &s->gpus[i];
	return found;
}

static void describe_gpu(const struct jr_timeline *s, const struct jr_export_device *slot,
	struct jr_profile *profile, struct jr_device *device)
{
	const struct jr_timeline_gpu_info *found = gpu_info(s, slot);
	if (!found)
		return;
	device->gpu_name = jr_intern_puts(&profile->strings, jr_intern_str(&s->strings, found->name));
	device->memory_bandwidth_bytes_s = found->memory_bandwidth_bytes_s;
	device->matrix_flop_s = found->matrix_flop_s;
	device->sm_count =
		slot->sm_count && slot->sm_count < found->sm_count ? slot->sm_count : found->sm_count;
	device->clock_hz = found->clock_hz;
	device->memory_bytes = found->memory_bytes;
	device->compute_capability = jr_compute_capability(found->compute_major, found->compute_minor);
}

static void identify(struct jr_timeline *s, const struct jr_export_device *slot,
	struct jr_profile *profile, struct jr_device *device)
{
	const struct jr_timeline_gpu_info *found = gpu_info(s, slot);
	uint32_t uuid = slot->uuid ? slot->uuid : found ? plain_uuid(&s->strings, found->uuid) : 0;
	uint32_t bus = found ? found->bus : 0;
	device->id = slot->id;
	device->uuid = uuid ? jr_intern_puts(&profile->strings, jr_intern_str(&s->strings, uuid)) : 0;
	device->bus = bus ? jr_intern_puts(&profile->strings, jr_intern_str(&s->strings, bus)) : 0;
}

static uint32_t part_of_process(const struct jr_export *x, uint32_t process)
{
	size_t lo = 0, hi = x->n_parts;
	JR_SEARCH(lo, hi, mid, x->parts[mid] < process);
	return lo < x->n_parts && x->parts[lo] == process ? (uint32_t)lo : 0;
}

void jr_export_add_devices(struct jr_export *x, struct jr_build *build, uint32_t first_process)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct names names = {0};
	struct jr_device_name *name = JR_ARENA_N(&scratch, struct jr_device_name, x->n_devices + 1);
	bool *named = JR_ARENA_N(&scratch, bool, x->n_devices + 1);
	find_names(&x->rows, &names);
	name_devices(x, &names, name, named);
	size_t first = build->devices.n;
	uint32_t base = jr_devices_next_global(build);
	for (uint32_t d = 0; d < x->n_devices; d++) {
		struct jr_export_device *slot = &x->devices[d];
		uint32_t process = first_process + part_of_process(x, slot->process);
		struct jr_device device = {.process = process, .aligned_set = JR_NONE};
		identify(&x->rows, slot, build->profile, &device);
		slot->row = jr_session_device(build, process, &device);
		if (slot->row != JR_NONE)
			continue;
		if (named[d] && !global_taken(build, first, name[d].global)) {
			device.global = name[d].global;
			device.local = name[d].local;
			device.process_number = name[d].process;
			device.slice = name[d].slice;
		} else {
			uint32_t id = slot->id < OTHER_IDS ? slot->id : d;
			bool taken = global_taken(build, first, base + id);
			device.global = taken ? jr_devices_next_global(build) : base + id;
			device.local = slot->number < OTHER_IDS ? slot->number : d;
			device.process_number = process;
			device.slice = JR_NONE;
		}
		describe_gpu(&x->rows, slot, build->profile, &device);
		slot->row = (uint32_t)build->devices.n;
		*jr_vec_add(&build->devices) = device;
	}
	jr_map_done(&names.of_thread);
	jr_map_done(&names.of_device);
}

/* Return the first use whose thread is not below `thread`. */
static size_t first_use_from(const struct jr_export *x, size_t thread)
{
	size_t lo = 0, hi = x->n_uses;
	JR_SEARCH(lo, hi, mid, x->uses[mid].thread < thread);
	return lo;
}

void jr_export_thread_devices(const struct jr_export *x, size_t part, struct jr_thread_devices *out)
{
	const struct jr_timeline *s = &x->rows;
	*out = (struct jr_thread_devices){0};
	jr_arena_init(&out->arena, 0);
	uint32_t *of_row = JR_ARENA_N(&out->arena, uint32_t, x->n_devices + 1);
	for (size_t d = 0; d < x->n_devices; d++)
		of_row[d] = x->devices[d].row;
	out->of_row = of_row;
	struct jr_slice threads = jr_export_threads_of(x, x->parts[part]);
	size_t begin = first_use_from(x, threads.begin), end = first_use_from(x, threads.end);
	out->threads = JR_ARENA_N(&out->arena, struct jr_thread_device, end - begin + 1);
	for (size_t i = begin; i < end; i++) { /* sorted by thread; within a process this is by id */
		const struct jr_timeline_thread *thread = &s->threads[x->uses[i].thread];
		if (i > begin && x->uses[i].thread == x->uses[i - 1].thread)
			continue;
		if (out->n == 0)
			out->first = of_row[x->uses[i].device];
		out->threads[out->n++] = (struct jr_thread_device){
			s->processes[thread->process].pid, thread->tid, of_row[x->uses[i].device]};
	}
	if (out->n == 0 && x->n_devices)
		out->first = of_row[0];
}

/* --- settings --------------------------------------------------------------------------------- */

/* PROCESS_0:ENVIRONMENT_VARIABLE = NAME="VALUE"; only allow-listed names are taken, the first of
 * each. */
static void take_variable(struct jr_metadata *meta, const char *text, struct jr_map *taken)
{
	const char *equals = strchr(text, '=');
	if (!equals || !jr_environment_allowed(text, (size_t)(equals - text)))
		return;
	uint32_t name = jr_intern_put(&meta->strings, text, (size_t)(equals - text));
	if (jr_map_get(taken, name) != JR_NONE)
		return;
	jr_map_put(taken, name, 0);
	const char *value = equals + 1;
	size_t n = strlen(value);
	if (n >= 2 && value[0] == '"' && value[n - 1] == '"') {
		value++;
		n -= 2;
	}
	meta->settings[meta->n_settings++] =
		(struct jr_setting_text){name, jr_environment_value(&meta->strings, value, n)};
}

JR_ORDER_WITH(
	compare_settings, struct jr_setting_text, struct jr_intern, JR_TEXT_UP_OF(jr_intern_str, name))

/* Take variables from both tables: the environment of the device and of the profiled program. */
static void take_variables(const struct jr_timeline *s, struct jr_metadata *meta)
{
	static const char variable[] = ":ENVIRONMENT_VARIABLE";
	size_t length = sizeof(variable) - 1;
	meta->settings =
		JR_ARENA_COPY(&meta->arena, meta->settings, meta->n_settings, s->n_captured + 1);
	struct jr_map taken = {0};
	for (size_t i = 0; i < meta->n_settings; i++)
		jr_map_put(&taken, meta->settings[i].name, 0);
	for (size_t i = 0; i < s->n_captured; i++) {
		const char *name = jr_intern_str(&s->strings, s->captured[i].name);
		size_t n = strlen(name);
		if (n >= length && strcmp(name + n - length, variable) == 0)
			take_variable(meta, jr_intern_str(&s->strings, s->captured[i].value), &taken);
	}
	jr_map_done(&taken);
	jr_sort_with(meta->settings, meta->n_settings, sizeof(*meta->settings), compare_settings,
		&meta->strings);
}

/* The exporting version may be newer than the recording one. If the recorder's folder names another
 * version, that one is reported. A text that is not a plain version is reported as it is. */
static void take_exporter(struct jr_metadata *meta, const char *version)
{
	const char *recorder = jr_intern_str(&meta->strings, meta->nsys);
	if (!*recorder || version[strspn(version, "0123456789.")] ||
		strncmp(version, recorder, strlen(recorder)) == 0)
		meta->nsys = jr_intern_puts(&meta->strings, version);
}

void jr_export_metadata(const struct jr_export *x, struct jr_metadata *meta)
{
	const struct jr_timeline *s = &x->rows;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	for (size_t i = 0; i < s->n_environment; i++)
		jr_metadata_system_pair(meta, jr_intern_str(&s->strings, s->environment[i].name),
			jr_intern_str(&s->strings, s->environment[i].value), &scratch);
	jr_arena_done(&scratch);
	take_variables(s, meta);
	for (size_t i = 0; i < s->n_exported; i++)
		if (strcmp(jr_intern_str(&s->strings, s->exported[i].name), "EXPORT_PRODUCT_VERSION") == 0)
			take_exporter(meta, jr_intern_str(&s->strings, s->exported[i].value));
}

enum jr_status jr_export_see_gpu(
	struct jr_export_seen *seen, const struct jr_export_device *device, struct jr_error *err)
{
	if (seen->devices.n == MOST_DEVICES)
		return jr_fail(err, JR_EFORMAT, "operations on more than %d devices", MOST_DEVICES);
	jr_map_put(&seen->device_rows, device->id, (uint32_t)seen->devices.n);
	*jr_vec_add(&seen->devices) = *device;
	return JR_OK;
}
