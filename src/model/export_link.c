/* Which call launched what ran on a GPU: joined by correlation id within the process. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/export.h"

/* Ids of a process count up, so that a table from the smallest to the largest is hardly longer than
 * the calls are many; a process for which it would be goes through a map. */
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
	link->dense = jr_arena_array(scratch, n + 1, sizeof(*link->dense), err);
	if (!link->dense)
		return JR_ELIMIT;
	memset(link->dense, 0xFF, (size_t)n * sizeof(*link->dense));
	return JR_OK;
}

/* Should two calls have one id, the one begun first is the outer one. */
static void put_calls(struct link *link, const struct jr_timeline *nsys)
{
	const struct jr_timeline_calls *calls = &nsys->calls;
	for (uint32_t i = 0; i < calls->n; i++) {
		uint32_t id = calls->correlation[i], process = process_of_call(nsys, i);
		if (id == JR_NONE)
			continue;
		uint32_t *slot = slot_of(link, process, id);
		uint32_t known = slot ? *slot : jr_map_get(&link->sparse, jr_key2(process, id));
		if (known != JR_NONE && calls->start_ns[known] <= calls->start_ns[i])
			continue;
		if (slot)
			*slot = i;
		else
			jr_map_put(&link->sparse, jr_key2(process, id), i);
	}
}

/* Exports of a single process may leave the process of an operation out. */
static uint32_t only_process(const struct jr_timeline *nsys)
{
	return nsys->n_processes == 1 ? 0 : JR_NONE;
}

static void find_launches(struct jr_export *x, const struct link *link)
{
	struct jr_timeline_gpu *gpu = &x->rows.gpu;
	for (size_t i = 0; i < gpu->n; i++) {
		x->launch[i] = JR_NONE;
		if (gpu->process[i] == JR_NONE)
			gpu->process[i] = only_process(&x->rows);
		uint32_t process = gpu->process[i], id = gpu->correlation[i];
		if (process != JR_NONE && id != JR_NONE) {
			const struct correlation *c = &link->of_process[process];
			const uint32_t *slot = slot_of(link, process, id);
			x->launch[i] = slot ? *slot
				: c->sparse		? jr_map_get(&link->sparse, jr_key2(process, id))
								: JR_NONE;
		}
		x->n_unlinked += x->launch[i] == JR_NONE;
	}
}

static int compare_devices(const void *a, const void *b)
{
	const struct jr_export_device *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

/* The distinct devices, and rows of them in place of ids. */
static enum jr_status list_devices(struct jr_export *x, struct jr_error *err)
{
	struct jr_timeline_gpu *gpu = &x->rows.gpu;
	JR_VEC(struct jr_export_device) found = {0};
	struct jr_map rows = {0};
	uint32_t last = JR_NONE, last_row = 0;
	for (size_t i = 0; i < gpu->n && found.n <= 4096; i++) {
		if (gpu->device[i] == last && found.n)
			continue;
		last = gpu->device[i];
		last_row = jr_map_get(&rows, last);
		if (last_row != JR_NONE)
			continue;
		jr_map_put(&rows, last, (uint32_t)found.n);
		*jr_vec_add(&found) = (struct jr_export_device){
			.id = last, .process = gpu->process[i], .row = JR_NONE};
	}
	jr_map_done(&rows);
	enum jr_status status = JR_OK;
	if (found.n > 4096)
		status = jr_fail(err, JR_EFORMAT, "operations of more than 4096 devices");
	if (status == JR_OK && found.n)
		qsort(found.items, found.n, sizeof(*found.items), compare_devices);
	x->n_devices = status == JR_OK ? found.n : 0;
	x->devices = JR_ARENA_N(&x->arena, struct jr_export_device, x->n_devices + 1);
	for (uint32_t row = 0; row < x->n_devices; row++) {
		x->devices[row] = found.items[row];
		jr_map_put(&rows, found.items[row].id, row);
	}
	for (size_t i = 0; i < gpu->n && status == JR_OK; i++) {
		if (i == 0 || gpu->device[i] != last) {
			last = gpu->device[i];
			last_row = jr_map_get(&rows, last);
		}
		gpu->device[i] = last_row;
	}
	jr_map_done(&rows);
	jr_vec_done(&found);
	return status;
}

static int compare_uses(const void *a, const void *b)
{
	const struct jr_export_use *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->n_ops != y->n_ops)
		return x->n_ops > y->n_ops ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

static void count_uses(struct jr_export *x)
{
	const struct jr_timeline *s = &x->rows;
	JR_VEC(struct jr_export_use) uses = {0};
	struct jr_map rows = {0};
	for (size_t i = 0; i < s->gpu.n; i++) {
		if (x->launch[i] == JR_NONE)
			continue;
		uint32_t thread = s->calls.thread[x->launch[i]];
		uint64_t key = jr_key2(thread, s->gpu.device[i]);
		uint32_t row = jr_map_get(&rows, key);
		if (row == JR_NONE) {
			row = (uint32_t)uses.n;
			jr_map_put(&rows, key, row);
			*jr_vec_add(&uses) = (struct jr_export_use){thread, s->gpu.device[i], 0};
		}
		uses.items[row].n_ops++;
	}
	jr_map_done(&rows);
	if (uses.n)
		qsort(uses.items, uses.n, sizeof(*uses.items), compare_uses);
	x->n_uses = uses.n;
	x->uses = JR_ARENA_N(&x->arena, struct jr_export_use, uses.n + 1);
	if (uses.n)
		memcpy(x->uses, uses.items, uses.n * sizeof(*uses.items));
	jr_vec_done(&uses);
}

enum jr_status jr_export_link(struct jr_export *x, struct jr_error *err)
{
	const struct jr_timeline_gpu *gpu = &x->rows.gpu;
	x->launch = jr_arena_array(&x->arena, gpu->n + 1, sizeof(*x->launch), err);
	if (!x->launch)
		return JR_ELIMIT;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct link link = {0};
	enum jr_status status = make_tables(&link, &x->rows, &scratch, err);
	if (status == JR_OK) {
		put_calls(&link, &x->rows);
		find_launches(x, &link);
		status = list_devices(x, err);
	}
	if (status == JR_OK)
		count_uses(x);
	jr_map_done(&link.sparse);
	jr_arena_done(&scratch);
	return status;
}
