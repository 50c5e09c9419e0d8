/* Finding the launch call of each GPU operation: joined by correlation id within the process. */
#include <stdlib.h>
#include <string.h>

#include "model/export/export.h"
#include "base/order.h"

/* Ids of a process count up, so a table from the smallest to the largest id is about as long as the
 * calls. A process with sparse ids uses a map. */
struct correlation {
	uint32_t least, most; /* least > most: no call */
	uint64_t first;       /* of `dense` */
	bool sparse;
};

struct link {
	struct correlation *of_process;
	uint32_t *dense;
	struct jr_map sparse;
};

static uint32_t *slot_of(const struct link *link, uint32_t process, uint32_t id)
{
	const struct correlation *c = &link->of_process[process];
	if (c->sparse || id < c->least || id > c->most)
		return NULL;
	return &link->dense[c->first + (id - c->least)];
}

static uint32_t process_of_call(const struct jr_timeline *nsys, size_t call)
{
	return nsys->threads[nsys->calls.thread[call]].process;
}

static enum jr_status make_tables(struct link *link, const struct jr_timeline *nsys,
	struct jr_arena *scratch, struct jr_error *err)
{
	const struct jr_timeline_calls *calls = &nsys->calls;
	link->of_process = JR_ARENA_N(scratch, struct correlation, nsys->n_processes + 1);
	for (size_t i = 0; i < nsys->n_processes; i++)
		link->of_process[i] = (struct correlation){.least = JR_NONE};
	for (size_t i = 0; i < calls->n; i++) {
		struct correlation *c = &link->of_process[process_of_call(nsys, i)];
		uint32_t id = calls->correlation[i];
		if (id == JR_NONE)
			continue;
		c->least = id < c->least ? id : c->least;
		c->most = id > c->most ? id : c->most;
	}
	uint64_t n = 0, room = (uint64_t)calls->n * 4 + 65536;
	for (size_t i = 0; i < nsys->n_processes; i++) {
		struct correlation *c = &link->of_process[i];
		uint64_t length = c->least <= c->most ? (uint64_t)c->most - c->least + 1 : 0;
		c->first = n;
		c->sparse = length > room - n;
		n += c->sparse ? 0 : length;
	}
	JR_TRY_ARRAY(link->dense, scratch, n + 1, err);
	memset(link->dense, 0xFF, (size_t)n * sizeof(*link->dense));
	return JR_OK;
}

/* If two calls share an id, the one begun first is the outer one. */
static void put_calls(struct link *link, struct jr_export *x)
{
	const struct jr_timeline *nsys = &x->rows;
	const struct jr_timeline_calls *calls = &nsys->calls;
	for (uint32_t i = 0; i < calls->n; i++) {
		uint32_t id = calls->correlation[i], process = process_of_call(nsys, i);
		bool threadless = nsys->threads[calls->thread[i]].id == 0;
		if (id == JR_NONE || threadless) {
			x->n_unlinkable[threadless ? nsys->n_processes : process]++;
			x->n_unlinkable_all++;
		}
		if (id == JR_NONE)
			continue;
		uint32_t *slot = slot_of(link, process, id);
		uint32_t known = slot ? *slot : jr_map_get(&link->sparse, jr_key2(process, id));
		if (known != JR_NONE && (calls->start_ns[known] >= calls->end_ns[i] ||
									calls->start_ns[i] >= calls->end_ns[known]))
			x->n_same_ids++;
		if (known != JR_NONE && calls->start_ns[known] <= calls->start_ns[i])
			continue;
		if (slot)
			*slot = i;
		else
			jr_map_put(&link->sparse, jr_key2(process, id), i);
	}
}

static void find_launches(struct jr_export *x, const struct link *link)
{
	struct jr_timeline_gpu *gpu = &x->rows.gpu;
	for (size_t i = 0; i < gpu->n; i++) {
		/* exports of a single process may omit the process of an operation */
		if (gpu->process[i] == JR_NONE && x->rows.n_processes == 1)
			gpu->process[i] = 0;
		uint32_t process = gpu->process[i], id = gpu->correlation[i];
		x->launch[i] = JR_NONE; /* in place of the id */
		if (process != JR_NONE && id != JR_NONE) {
			const struct correlation *c = &link->of_process[process];
			const uint32_t *slot = slot_of(link, process, id);
			x->launch[i] = slot        ? *slot
						   : c->sparse ? jr_map_get(&link->sparse, jr_key2(process, id))
									   : JR_NONE;
		}
		if (id == JR_NONE || process == JR_NONE)
			x->n_unlinkable[process == JR_NONE ? x->rows.n_processes : process]++;
		x->n_unlinkable_all += id == JR_NONE;
		x->n_unlinked += x->launch[i] == JR_NONE && id != JR_NONE;
	}
	/* Records of an unknown process may be of any. */
	for (size_t i = 0; i < x->rows.n_processes; i++)
		x->n_unlinkable[i] += x->n_unlinkable[x->rows.n_processes];
	if (x->rows.calls.n && x->n_unlinkable_all >= x->rows.calls.n)
		x->n_unlinked = 0; /* no call can be a launch */
}

JR_ORDER(compare_devices, struct jr_export_device, JR_UP(id))

enum jr_status jr_export_see_device(
	struct jr_export_seen *seen, uint32_t id, uint32_t process, struct jr_error *err)
{
	if (seen->devices.n && seen->last_device == id)
		return JR_OK;
	seen->last_device = id;
	if (jr_map_get(&seen->device_rows, id) != JR_NONE)
		return JR_OK;
	const struct jr_export_device device = {
		.id = id, .number = id, .process = process, .gpu = JR_NONE, .row = JR_NONE};
	return jr_export_see_gpu(seen, &device, err);
}

/* List the distinct devices and replace ids by their rows. */
static enum jr_status list_devices(
	struct jr_export *x, struct jr_export_seen *seen, struct jr_error *err)
{
	struct jr_timeline_gpu *gpu = &x->rows.gpu;
	for (size_t i = 0; i < gpu->n; i++)
		JR_TRY(jr_export_see_device(seen, gpu->device[i], gpu->process[i], err));
	jr_export_take_devices(x, seen);
	uint32_t last = JR_NONE, last_row = 0;
	for (size_t i = 0; i < gpu->n; i++) {
		if (i == 0 || gpu->device[i] != last) {
			last = gpu->device[i];
			last_row = jr_map_get(&seen->device_rows, last);
		}
		gpu->device[i] = last_row;
	}
	return JR_OK;
}

void jr_export_take_devices(struct jr_export *x, struct jr_export_seen *seen)
{
	size_t n = x->n_devices = seen->devices.n;
	x->devices = JR_ARENA_N(&x->arena, struct jr_export_device, n + 1);
	if (n) {
		qsort(seen->devices.items, n, sizeof(*x->devices), compare_devices);
		memcpy(x->devices, seen->devices.items, n * sizeof(*x->devices));
	}
	for (uint32_t row = 0; row < n; row++)
		jr_map_put(&seen->device_rows, x->devices[row].id, row);
}

JR_ORDER(compare_uses, struct jr_export_use, JR_UP(thread) JR_DOWN(n_ops) JR_UP(device))

void jr_export_see_use(struct jr_export_seen *seen, uint32_t thread, uint32_t device)
{
	struct jr_export_use *last = seen->uses.n ? &seen->uses.items[seen->last_use] : NULL;
	if (!last || last->thread != thread || last->device != device) {
		uint64_t key = jr_key2(thread, device);
		seen->last_use = jr_map_add(&seen->use_rows, key, (uint32_t)seen->uses.n);
		if (seen->last_use == seen->uses.n)
			*jr_vec_add(&seen->uses) = (struct jr_export_use){thread, device, 0};
	}
	seen->uses.items[seen->last_use].n_ops++;
}

void jr_export_take_uses(struct jr_export *x, struct jr_export_seen *seen)
{
	size_t n = x->n_uses = seen->uses.n;
	x->uses = JR_ARENA_N(&x->arena, struct jr_export_use, n + 1);
	if (n == 0)
		return;
	qsort(seen->uses.items, n, sizeof(*x->uses), compare_uses);
	memcpy(x->uses, seen->uses.items, n * sizeof(*x->uses));
}

void jr_export_seen_done(struct jr_export_seen *seen)
{
	jr_vec_done(&seen->devices);
	jr_map_done(&seen->device_rows);
	jr_vec_done(&seen->uses);
	jr_map_done(&seen->use_rows);
}

static void count_uses(struct jr_export *x, struct jr_export_seen *seen)
{
	const struct jr_timeline *s = &x->rows;
	for (size_t i = 0; i < s->gpu.n; i++)
		if (x->launch[i] != JR_NONE)
			jr_export_see_use(seen, s->calls.thread[x->launch[i]], s->gpu.device[i]);
	jr_export_take_uses(x, seen);
}

enum jr_status jr_export_link(struct jr_export *x, struct jr_error *err)
{
	x->launch = x->rows.gpu.correlation;
	x->n_unlinkable = JR_ARENA_N(&x->links, uint64_t, x->rows.n_processes + 1);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct link link = {0};
	struct jr_export_seen seen = {0};
	enum jr_status status = make_tables(&link, &x->rows, &scratch, err);
	if (status == JR_OK) {
		put_calls(&link, x);
		find_launches(x, &link);
		status = jr_export_number_gpus(x, &seen, err);
	}
	if (status == JR_OK)
		status = list_devices(x, &seen, err);
	if (status == JR_OK)
		count_uses(x, &seen);
	jr_export_seen_done(&seen);
	jr_map_done(&link.sparse);
	return status;
}
