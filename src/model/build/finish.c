#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/spans.h"
#include "model/build/build.h"
#include "model/build/company.h"
#include "model/build/sessions.h"
#include "model/build/step_rows.h"

void jr_build_done(struct jr_build *build)
{
	jr_vec_done(&build->sessions);
	jr_map_done(&build->session_by_process);
	jr_vec_done(&build->modules);
	jr_vec_done(&build->thunk_op);
	jr_vec_done(&build->thunk_since);
	jr_vec_done(&build->thunk_dur);
	jr_vec_done(&build->wide_thunks);
	jr_vec_done(&build->programs);
	jr_map_done(&build->program_by_key);
	jr_map_done(&build->number_taken);
	jr_map_done(&build->last_variant);
	jr_vec_done(&build->metadata_hashes);
	jr_vec_done(&build->variants);
	jr_vec_done(&build->numbers);
	jr_vec_done(&build->ops);
	jr_vec_done(&build->op_nccl);
	jr_vec_done(&build->devices);
	jr_map_done(&build->device_by_key);
	for (size_t i = 0; i < build->exports.n; i++)
		for (size_t k = 0; k < JR_COUNT_OF(build->exports.items[i].arenas); k++)
			jr_arena_done(&build->exports.items[i].arenas[k]);
	jr_vec_done(&build->exports);
	jr_map_done(&build->op_by_key);
	jr_live_done(build);
}

/* The comparisons below sort row indexes; the third argument is the rows. */

JR_ORDER_ROWS(compare_devices, struct jr_device, JR_UP(global) JR_UP(process))

JR_ORDER_ROWS(compare_programs, struct jr_program, JR_UP(number))

JR_ORDER_ROWS(compare_modules, struct jr_module_row, JR_UP(device) JR_UP(start_ns) JR_UP(range_id))

JR_ORDER_ROWS(compare_module_ids, struct jr_module_row, JR_UP(epoch) JR_UP(range_id))

/* order[new row] = old row; place[old row] = new row. */
struct sorting {
	uint32_t *order, *place;
};

static struct sorting sort_rows(
	struct jr_arena *scratch, size_t n, jr_compare_with_fn compare, void *rows)
{
	struct sorting s = {JR_ARENA_N(scratch, uint32_t, n + 1), JR_ARENA_N(scratch, uint32_t, n + 1)};
	for (size_t i = 0; i < n; i++)
		s.order[i] = (uint32_t)i;
	jr_sort_with(s.order, n, sizeof(*s.order), compare, rows);
	for (size_t i = 0; i < n; i++)
		s.place[s.order[i]] = (uint32_t)i;
	return s;
}

/* Give every device a unique number; tables and charts use it as the name. */
static void number_devices(struct jr_build *build)
{
	JR_CLEANUP(jr_map_done) struct jr_map taken = {0};
	uint32_t next = jr_devices_next_global(build);
	for (uint32_t i = 0; i < build->devices.n; i++)
		if (jr_map_get(&taken, build->devices.items[i].global) == JR_NONE)
			jr_map_put(&taken, build->devices.items[i].global, i);
	for (uint32_t i = 0; i < build->devices.n; i++) {
		struct jr_device *device = &build->devices.items[i];
		if (jr_map_get(&taken, device->global) == i)
			continue;
		while (jr_map_get(&taken, next) != JR_NONE)
			next++;
		device->global = next;
		jr_map_put(&taken, next, i);
		jr_profile_guess(build->profile, "renumbered-devices", 1,
			"a device has the same number as a device of an earlier process, so it was given the "
			"next free number. Check that the inputs belong to one job");
	}
}

/* Some drivers pad names with blanks. */
static uint32_t trimmed(struct jr_profile *p, uint32_t name)
{
	const char *text = jr_str(p, name);
	text += strspn(text, " ");
	size_t n = strlen(text);
	while (n && text[n - 1] == ' ')
		n--;
	return jr_intern_put(&p->strings, text, n);
}

/* No device is near these values, so a larger one is damage, and peaks must not follow from it. */
static const struct {
	size_t property; /* offset in struct jr_device */
	uint64_t most;
} property_bounds[] = {
	{offsetof(struct jr_device, memory_bandwidth_bytes_s), UINT64_C(1000000000000000)},
	{offsetof(struct jr_device, memory_bytes), UINT64_C(1) << 50},
	{offsetof(struct jr_device, sm_count), UINT64_C(1) << 16},
	{offsetof(struct jr_device, clock_hz), UINT64_C(100000000000)},
	{offsetof(struct jr_device, matrix_flop_s), UINT64_C(1000000000000000000)},
};

static void forget_impossible(struct jr_profile *p, struct jr_device *device)
{
	for (size_t i = 0; i < JR_COUNT_OF(property_bounds); i++) {
		uint64_t *value = (void *)((char *)device + property_bounds[i].property);
		if (*value <= property_bounds[i].most)
			continue;
		*value = 0;
		jr_profile_guess(p, "impossible-properties", 1,
			"properties of devices are larger than those of any device, so they count as unknown");
	}
}

static enum jr_status freeze_devices(
	struct jr_build *build, struct jr_arena *scratch, struct jr_error *err)
{
	struct jr_profile *p = build->profile;
	number_devices(build);
	struct sorting s = sort_rows(scratch, build->devices.n, compare_devices, build->devices.items);
	p->n_devices = build->devices.n;
	p->devices = JR_ARENA_N(&p->arena, struct jr_device, p->n_devices + 1);
	for (size_t i = 0; i < p->n_devices; i++) {
		p->devices[i] = build->devices.items[s.order[i]];
		p->devices[i].gpu_name = trimmed(p, p->devices[i].gpu_name);
		forget_impossible(p, &p->devices[i]);
	}
	for (size_t i = 0; i < build->modules.n; i++)
		if (build->modules.items[i].device != JR_NONE)
			build->modules.items[i].device = s.place[build->modules.items[i].device];
	return jr_exports_freeze(build, s.place, err);
}

static void freeze_programs(struct jr_build *build, struct jr_arena *scratch)
{
	struct jr_profile *p = build->profile;
	struct sorting s =
		sort_rows(scratch, build->programs.n, compare_programs, build->programs.items);
	p->n_programs = build->programs.n;
	p->programs = JR_ARENA_N(&p->arena, struct jr_program, p->n_programs + 1);
	for (size_t i = 0; i < p->n_programs; i++)
		p->programs[i] = build->programs.items[s.order[i]];
	for (size_t i = 0; i < build->modules.n; i++)
		build->modules.items[i].program = s.place[build->modules.items[i].program];
	for (size_t i = 0; i < build->numbers.n; i++)
		build->numbers.items[i].program = s.place[build->numbers.items[i].program];
	for (size_t i = 0; i < build->variants.n; i++)
		build->variants.items[i].program = s.place[build->variants.items[i].program];
	for (size_t i = 0; i < build->ops.n; i++)
		build->ops.items[i].program = s.place[build->ops.items[i].program];
}

static int compare_ops(const void *a, const void *b, void *arg)
{
	const struct jr_build *build = arg;
	const struct jr_op *x = &build->ops.items[*(const uint32_t *)a];
	const struct jr_op *y = &build->ops.items[*(const uint32_t *)b];
	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return strcmp(jr_str(build->profile, x->name), jr_str(build->profile, y->name));
}

/* Sort ops by program and name. Sums of doubles over ops then do not depend on the order of rows.
 */
static void freeze_ops(struct jr_build *build, struct jr_arena *scratch)
{
	struct jr_profile *p = build->profile;
	struct sorting s = sort_rows(scratch, build->ops.n, compare_ops, build);
	struct jr_op_nccl *nccl = JR_ARENA_N(scratch, struct jr_op_nccl, build->ops.n + 1);
	p->n_ops = build->ops.n;
	p->ops = JR_ARENA_N(&p->arena, struct jr_op, p->n_ops + 1);
	for (size_t i = 0; i < p->n_ops; i++) {
		p->ops[i] = build->ops.items[s.order[i]];
		nccl[i] = build->op_nccl.items[s.order[i]];
	}
	jr_copy(build->op_nccl.items, nccl, p->n_ops * sizeof(*nccl));
	for (size_t i = 0; i < build->thunk_op.n; i++)
		build->thunk_op.items[i] = s.place[build->thunk_op.items[i]];
}

static enum jr_status allocate_modules(struct jr_profile *p, size_t n_modules, struct jr_error *err)
{
	struct jr_modules *m = &p->modules;
	JR_TRY_ARRAYS(uint32_t, &p->arena, n_modules + 1, err, &m->program, &m->program_execution,
		&m->device, &m->n_thunks, &m->step);
	JR_TRY_ARRAYS(int64_t, &p->arena, n_modules + 1, err, &m->start_ns, &m->dur_ns, &m->launch_ns);
	JR_TRY_ARRAY(m->steady, &p->arena, n_modules + 1, err);
	return JR_OK;
}

/* Modules by (device, start); program_execution counts by range id within a process of the device,
 * so clocks do not matter. In a new profiler session all devices continue from the same number. A
 * device with fewer executions in one session is therefore not off by one step in all later ones.
 */
static void freeze_modules(struct jr_build *build, const struct sorting *by_start,
	const uint32_t *by_id, struct jr_arena *scratch)
{
	struct jr_modules *m = &build->profile->modules;
	struct jr_map next = {0};
	uint32_t *most = JR_ARENA_N(scratch, uint32_t, build->programs.n + 1), *least, epoch = 0;
	least = JR_ARENA_N(scratch, uint32_t, build->programs.n + 1);
	for (size_t i = 0; i < m->n; i++) {
		const struct jr_module_row *row = &build->modules.items[by_id[i]];
		if (row->epoch != epoch)
			memcpy(least, most, build->programs.n * sizeof(*least));
		epoch = row->epoch;
		uint64_t key = jr_key2(row->device, row->program);
		uint32_t count = jr_map_get(&next, key);
		count = count == JR_NONE || count < least[row->program] ? least[row->program] : count;
		m->program_execution[by_start->place[by_id[i]]] = count;
		jr_map_put(&next, key, count + 1);
		most[row->program] = count + 1 > most[row->program] ? count + 1 : most[row->program];
	}
	jr_map_done(&next);
	for (size_t i = 0; i < m->n; i++) {
		const struct jr_module_row *row = &build->modules.items[by_start->order[i]];
		m->program[i] = row->program;
		m->device[i] = row->device;
		m->start_ns[i] = row->start_ns;
		m->dur_ns[i] = row->dur_ns;
		m->launch_ns[i] = row->launch_ns;
		m->n_thunks[i] = row->n_thunks;
	}
}

/* How often an op ran in the current module. Thunks of a module are adjacent. */
struct runs_of_op {
	uint32_t module, n;
};

/* Return true if thunks are in the order of their modules, as those of one device per process. */
static bool are_in_place(const struct jr_build *build, const uint32_t *order)
{
	size_t n = 0;
	for (size_t i = 0; i < build->profile->modules.n; i++) {
		const struct jr_module_row *row = &build->modules.items[order[i]];
		if (row->n_thunks && row->first_thunk != n)
			return false;
		n += row->n_thunks;
	}
	return n > 0;
}

/* Return a column of the thunks, from malloc, in the order of their modules (NULL: it already is),
 * in the profile's arena; NULL with `err` set: no room. */
static void *in_place(const struct jr_build *build, const uint32_t *order, void *column,
	size_t size, struct jr_error *err)
{
	struct jr_profile *p = build->profile;
	if (!order) {
		jr_arena_own(&p->arena, column, p->thunks.n * size);
		return column;
	}
	unsigned char *to = jr_arena_array(&p->arena, p->thunks.n + 1, size, err), *at = to;
	for (size_t i = 0; to && i < p->modules.n; i++) {
		const struct jr_module_row *row = &build->modules.items[order[i]];
		if (row->n_thunks)
			memcpy(
				at, (const unsigned char *)column + row->first_thunk * size, row->n_thunks * size);
		at += row->n_thunks * size;
	}
	free(column);
	return to;
}

/* Fill the columns with blocks of 2 ^ bits rows; false: a block has too many modules. */
static bool place_blocks(struct jr_thunks *t, const struct jr_modules *m, uint8_t bits)
{
	bool fit = true;
	t->block_bits = bits;
	for (size_t module = 0, i = 0; module < m->n; module++)
		for (uint32_t k = 0; k < m->n_thunks[module]; k++, i++) {
			uint32_t *first = &t->block_module[i >> bits];
			if (i >> bits << bits == i)
				*first = (uint32_t)module;
			fit &= module - *first <= UINT8_MAX;
			t->in_block[i] = (uint8_t)(module - *first);
		}
	return fit;
}

void jr_thunks_place(struct jr_profile *p)
{
	struct jr_thunks *t = &p->thunks;
	const uint8_t bits = 8;
	t->in_block = JR_ARENA_N(&p->arena, uint8_t, t->n + 1);
	t->block_module = JR_ARENA_N(&p->arena, uint32_t, (t->n >> bits) + 1);
	if (place_blocks(t, &p->modules, bits))
		return;
	t->block_module = JR_ARENA_N(&p->arena, uint32_t, t->n + 1);
	(void)place_blocks(t, &p->modules, 0);
}

/* Number a thunk among those of its op in its module row. */
static void set_repeat(struct jr_build *build, struct jr_thunks *t, size_t row, uint32_t repeat)
{
	if (t->dur[row] != JR_NONE && repeat > UINT16_MAX) {
		*jr_vec_add(&build->wide_thunks) = (struct jr_wide_thunk){t->since[row], t->dur[row], 0};
		t->since[row] = (uint32_t)(build->wide_thunks.n - 1);
		t->dur[row] = JR_NONE;
	}
	if (t->dur[row] == JR_NONE)
		build->wide_thunks.items[t->since[row]].repeat = repeat;
	else
		t->repeat[row] = (uint16_t)repeat;
}

/* Move the thunks into the profile, column by column: the table is the largest, and at no time is
 * more than one column of it in memory twice. */
static enum jr_status freeze_thunks(
	struct jr_build *build, const uint32_t *order, struct jr_arena *scratch, struct jr_error *err)
{
	struct jr_profile *p = build->profile;
	struct jr_thunks *t = &p->thunks;
	if (are_in_place(build, order))
		order = NULL;
	t->op = in_place(build, order, JR_TAKE(build->thunk_op.items), sizeof(*t->op), err);
	t->since = in_place(build, order, JR_TAKE(build->thunk_since.items), sizeof(*t->since), err);
	t->dur = in_place(build, order, JR_TAKE(build->thunk_dur.items), sizeof(*t->dur), err);
	t->repeat = jr_arena_array(&p->arena, t->n + 1, sizeof(*t->repeat), err);
	if (!t->op || !t->since || !t->dur || !t->repeat)
		return JR_ELIMIT;
	struct runs_of_op *runs = JR_ARENA_N(scratch, struct runs_of_op, p->n_ops + 1);
	for (size_t m = 0, i = 0; m < p->modules.n; m++)
		for (uint32_t k = 0; k < p->modules.n_thunks[m]; k++, i++) {
			struct runs_of_op *of_op = &runs[t->op[i]];
			if (of_op->module != m)
				*of_op = (struct runs_of_op){(uint32_t)m, 0};
			set_repeat(build, t, i, of_op->n++);
		}
	jr_thunks_place(p);
	size_t wide_bytes = build->wide_thunks.n * sizeof(*t->wide);
	t->wide = JR_TAKE(build->wide_thunks.items);
	if (t->wide)
		jr_arena_own(&p->arena, t->wide, wide_bytes);
	return JR_OK;
}

static enum jr_status freeze_rows(
	struct jr_build *build, struct jr_arena *scratch, struct jr_error *err)
{
	struct jr_profile *p = build->profile;
	/* Cut-off executions have no device: they sort last and are dropped. */
	struct sorting by_start =
		sort_rows(scratch, build->modules.n, compare_modules, build->modules.items);
	struct sorting by_id =
		sort_rows(scratch, build->modules.n, compare_module_ids, build->modules.items);
	size_t n = 0;
	for (size_t i = 0; i < build->modules.n; i++)
		if (build->modules.items[by_id.order[i]].device != JR_NONE)
			by_id.order[n++] = by_id.order[i];
	p->modules.n = n;
	p->thunks.n = build->thunk_op.n;
	JR_TRY(allocate_modules(p, p->modules.n, err));
	freeze_modules(build, &by_start, by_id.order, scratch);
	return freeze_thunks(build, by_start.order, scratch, err);
}

enum jr_status jr_build_finish(struct jr_build *build, struct jr_error *err)
{
	struct jr_profile *p = build->profile;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	jr_company_tell(build);
	jr_sessions_place(build);
	enum jr_status status = freeze_devices(build, &scratch, err);
	freeze_programs(build, &scratch);
	freeze_ops(build, &scratch);
	if (status == JR_OK)
		status = freeze_rows(build, &scratch, err);
	if (status == JR_OK)
		status = jr_times_finish(p, &scratch, err);
	if (status == JR_OK) {
		jr_programs_check(build);
		jr_ops_describe(build);
		jr_live_freeze(build);
		jr_overlap_compute(p);
		jr_align_compute(p);
		jr_steps_lead(p, &scratch);
		jr_warmup_mark(build);
	}
	return status;
}

static struct jr_span span_of(const struct jr_profile *p, size_t row)
{
	return (struct jr_span){jr_thunk_start_ns(p, row), jr_thunk_end_ns(p, row)};
}

/* analysis/README.md, section 1.9: hidden time is the union of the device's compute, clipped to the
 * communication thunk. Compute of all programs and executions counts. Thunks of a device are
 * adjacent in the table. Only compute that meets communication is collected. */
void jr_overlap_compute(struct jr_profile *profile)
{
	struct jr_thunks *t = &profile->thunks;
	t->communication = jr_row_set_new(t->n, &profile->arena);
	for (size_t i = 0; i < t->n; i++)
		if (jr_thunk_op(profile, i)->communication)
			jr_row_set_add(&t->communication, i);
	t->hidden_ns = JR_ARENA_N(&profile->arena, int64_t, t->communication.n + 1);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct jr_span *compute = JR_ARENA_N(&scratch, struct jr_span, t->n + 1);
	struct jr_span *others = JR_ARENA_N(&scratch, struct jr_span, t->communication.n + 1);
	size_t at = 0; /* of the set, whose rows are in the order of the table */
	for (size_t begin = 0, end; begin < t->n; begin = end) {
		struct jr_spans spans = {.items = compute}, communication = {.items = others};
		for (end = begin;
			 end < t->n && jr_thunk_device(profile, end) == jr_thunk_device(profile, begin); end++)
			if (jr_thunk_op(profile, end)->communication)
				others[communication.n++] = span_of(profile, end);
		if (communication.n == 0)
			continue;
		jr_spans_unite(&communication, &scratch);
		for (size_t i = begin, near = 0; i < end; i++) {
			struct jr_span span = span_of(profile, i);
			if (!jr_thunk_op(profile, i)->communication &&
				jr_spans_meet(&communication, span.start_ns, span.end_ns, &near))
				compute[spans.n++] = span;
		}
		jr_spans_unite(&spans, &scratch);
		for (size_t i = begin, near = 0; i < end; i++)
			if (jr_thunk_op(profile, i)->communication)
				t->hidden_ns[at++] = jr_spans_within_near(
					&spans, jr_thunk_start_ns(profile, i), jr_thunk_end_ns(profile, i), &near);
	}
}
