/* Devices, threads and settings of an export. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "model/export.h"

/* --- which thread launched on which device ------------------------------------------------------ */

struct use {
	uint32_t thread, device; /* rows of nsys.threads and of devices */
	uint64_t n_ops;
};

typedef JR_VEC(struct use) use_vec;

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->n_ops != y->n_ops)
		return x->n_ops > y->n_ops ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/* By thread, the device that it launched most on first. */
static void count_uses(const struct jr_export *x, use_vec *uses)
{
	const struct jr_nsys *s = &x->nsys;
	struct jr_map rows = {0};
	for (size_t i = 0; i < s->gpu.n; i++) {
		if (x->launch[i] == JR_NONE)
			continue;
		uint32_t thread = s->calls.thread[x->launch[i]];
		uint64_t key = jr_key2(thread, s->gpu.device[i]);
		uint32_t row = jr_map_get(&rows, key);
		if (row == JR_NONE) {
			row = (uint32_t)uses->n;
			jr_map_put(&rows, key, row);
			*jr_vec_add(uses) = (struct use){thread, s->gpu.device[i], 0};
		}
		uses->items[row].n_ops++;
	}
	jr_map_done(&rows);
	if (uses->n)
		qsort(uses->items, uses->n, sizeof(*uses->items), compare_uses);
}

/* --- devices ------------------------------------------------------------------------------------ */

/* Name of the thread that XLA gave it for the device it drives. */
static bool launcher_name(const struct jr_nsys *s, int64_t thread, struct jr_device_name *out)
{
	for (size_t i = 0; i < s->n_thread_names; i++) {
		if (s->thread_names[i].thread != thread)
			continue;
		uint32_t name = s->thread_names[i].name;
		if (jr_device_name_parse(jr_intern_str(&s->strings, name),
				jr_intern_len(&s->strings, name), "XlaLauncher:#", out))
			return true;
	}
	return false;
}

/* The device's name by the threads that launch on it, else by what XLA called the GPU. */
static bool device_name(const struct jr_export *x, const use_vec *uses, uint32_t device,
	struct jr_device_name *out)
{
	const struct jr_nsys *s = &x->nsys;
	for (size_t i = 0; i < uses->n; i++) {
		bool mostly = i == 0 || uses->items[i].thread != uses->items[i - 1].thread;
		if (mostly && uses->items[i].device == device &&
			launcher_name(s, s->threads[uses->items[i].thread].id, out))
			return true;
	}
	for (size_t i = 0; i < s->n_device_names; i++) {
		uint32_t name = s->device_names[i].name;
		if (s->device_names[i].device == x->devices[device].id &&
			jr_device_name_parse(jr_intern_str(&s->strings, name),
				jr_intern_len(&s->strings, name), "Xla:#", out))
			return true;
	}
	return false;
}

static bool global_taken(const struct jr_build *build, size_t from, uint32_t global)
{
	for (size_t i = from; i < build->devices.n; i++)
		if (build->devices.items[i].global == global)
			return true;
	return false;
}

static void describe_gpu(const struct jr_nsys *s, uint32_t id, struct jr_profile *profile,
	struct jr_device *device)
{
	const struct jr_nsys_gpu_info *found = s->n_gpus == 1 ? &s->gpus[0] : NULL;
	for (size_t i = 0; i < s->n_gpus; i++)
		if (s->gpus[i].cuda_device == id)
			found = &s->gpus[i];
	for (size_t i = 0; i < s->n_gpus; i++)
		if (s->gpus[i].id == id)
			found = &s->gpus[i];
	if (!found)
		return;
	device->gpu_name =
		found->name ? jr_intern_puts(&profile->strings, jr_intern_str(&s->strings, found->name)) : 0;
	device->memory_bandwidth_bytes_s = found->memory_bandwidth_bytes_s;
	device->sm_count = found->sm_count;
	device->clock_hz = found->clock_hz;
	device->memory_bytes = found->memory_bytes;
}

static uint32_t part_of_process(const struct jr_export *x, uint32_t process)
{
	for (uint32_t part = 0; part < x->n_parts; part++)
		if (x->parts[part] == process)
			return part;
	return 0;
}

void jr_export_add_devices(struct jr_export *x, struct jr_build *build, uint32_t first_process)
{
	use_vec uses = {0};
	count_uses(x, &uses);
	size_t first = build->devices.n;
	uint32_t base = jr_devices_next_global(build);
	for (uint32_t d = 0; d < x->n_devices; d++) {
		struct jr_export_device *slot = &x->devices[d];
		uint32_t process = first_process + part_of_process(x, slot->process);
		struct jr_device_name name;
		struct jr_device device = {.process = process, .aligned_set = JR_NONE};
		bool named = device_name(x, &uses, d, &name) && !global_taken(build, first, name.global);
		if (named) {
			device.global = name.global;
			device.local = name.local;
			device.process_number = name.process;
			device.slice = name.slice;
		} else {
			uint32_t id = slot->id < 65536 ? slot->id : d;
			device.global = global_taken(build, first, base + id) ? jr_devices_next_global(build)
																  : base + id;
			device.local = id;
			device.process_number = process;
			device.slice = JR_NONE;
		}
		describe_gpu(&x->nsys, slot->id, build->profile, &device);
		slot->row = (uint32_t)build->devices.n;
		*jr_vec_add(&build->devices) = device;
	}
	jr_vec_done(&uses);
}

void jr_export_thread_devices(const struct jr_export *x, size_t part, struct jr_thread_devices *out)
{
	const struct jr_nsys *s = &x->nsys;
	use_vec uses = {0};
	*out = (struct jr_thread_devices){0};
	jr_arena_init(&out->arena, 0);
	count_uses(x, &uses);
	out->threads = JR_ARENA_N(&out->arena, struct jr_thread_device, uses.n + 1);
	uint32_t *of_row = JR_ARENA_N(&out->arena, uint32_t, x->n_devices + 1);
	for (size_t d = 0; d < x->n_devices; d++)
		of_row[d] = x->devices[d].row;
	out->of_row = of_row;
	for (size_t i = 0; i < uses.n; i++) {
		const struct jr_nsys_thread *thread = &s->threads[uses.items[i].thread];
		bool mostly = i == 0 || uses.items[i].thread != uses.items[i - 1].thread;
		if (!mostly || thread->process != x->parts[part])
			continue;
		if (out->n == 0)
			out->first = of_row[uses.items[i].device];
		out->threads[out->n++] = (struct jr_thread_device){
			s->processes[thread->process].pid, thread->tid, of_row[uses.items[i].device]};
	}
	if (out->n == 0 && x->n_devices)
		out->first = of_row[0];
	jr_vec_done(&uses);
}

/* --- settings ----------------------------------------------------------------------------------- */

/* PROCESS_0:ENVIRONMENT_VARIABLE = NAME="VALUE"; only names of the allow-list leave here. */
static void take_variable(struct jr_metadata *meta, const char *text)
{
	const char *equals = strchr(text, '=');
	if (!equals || !jr_environment_allowed(text, (size_t)(equals - text)))
		return;
	uint32_t name = jr_intern_put(&meta->strings, text, (size_t)(equals - text));
	for (size_t i = 0; i < meta->n_settings; i++)
		if (meta->settings[i].name == name)
			return;
	const char *value = equals + 1;
	size_t n = strlen(value);
	if (n >= 2 && value[0] == '"' && value[n - 1] == '"') {
		value++;
		n -= 2;
	}
	size_t at = meta->n_settings++;
	while (at && strcmp(jr_intern_str(&meta->strings, meta->settings[at - 1].name),
					 jr_intern_str(&meta->strings, name)) > 0) {
		meta->settings[at] = meta->settings[at - 1];
		at--;
	}
	meta->settings[at] = (struct jr_setting_text){name, jr_intern_put(&meta->strings, value, n)};
}

void jr_export_metadata(const struct jr_export *x, struct jr_metadata *meta)
{
	static const char variable[] = ":ENVIRONMENT_VARIABLE";
	const struct jr_nsys *s = &x->nsys;
	for (size_t i = 0; i < s->n_environment; i++)
		jr_metadata_system_pair(meta, jr_intern_str(&s->strings, s->environment[i].name),
			jr_intern_str(&s->strings, s->environment[i].value));
	/* Room for those of both tables. */
	struct jr_setting_text *settings =
		JR_ARENA_N(&meta->arena, struct jr_setting_text, meta->n_settings + s->n_captured + 1);
	if (meta->n_settings)
		memcpy(settings, meta->settings, meta->n_settings * sizeof(*settings));
	meta->settings = settings;
	for (size_t i = 0; i < s->n_captured; i++) {
		const char *name = jr_intern_str(&s->strings, s->captured[i].name);
		size_t n = strlen(name);
		if (n >= sizeof(variable) - 1 && strcmp(name + n - (sizeof(variable) - 1), variable) == 0)
			take_variable(meta, jr_intern_str(&s->strings, s->captured[i].value));
	}
	for (size_t i = 0; i < s->n_exported; i++)
		if (strcmp(jr_intern_str(&s->strings, s->exported[i].name), "EXPORT_PRODUCT_VERSION") == 0)
			meta->nsys = jr_intern_puts(
				&meta->strings, jr_intern_str(&s->strings, s->exported[i].value));
}
