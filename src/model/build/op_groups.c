#include "model/build/ops_parts.h"

#include "base/intern.h"
#include "base/order.h"
#include "base/sort.h"

void jr_op_groups_init(struct jr_op_groups *groups, struct jr_profile *profile)
{
	*groups = (struct jr_op_groups){.profile = profile};
}

void jr_op_groups_done(struct jr_op_groups *groups)
{
	jr_vec_done(&groups->runs);
	jr_vec_done(&groups->placed);
}

JR_ORDER_OF_VALUES(compare_keys, uint64_t)

static void find_runs(struct jr_op_groups *groups)
{
	const struct jr_modules *m = &groups->profile->modules;
	uint64_t last = UINT64_MAX;
	for (size_t i = 0; i < m->n; i++) {
		uint64_t key = (uint64_t)m->program[i] << 32 | m->device[i];
		if (key != last) /* rows are sorted by device, and neighbors often share the program */
			*jr_vec_add(&groups->runs) = key;
		last = key;
	}
	jr_sort(groups->runs.items, groups->runs.n, sizeof(*groups->runs.items), compare_keys);
	size_t n = 0;
	for (size_t i = 0; i < groups->runs.n; i++)
		if (n == 0 || groups->runs.items[n - 1] != groups->runs.items[i])
			groups->runs.items[n++] = groups->runs.items[i];
	groups->runs.n = n;
	groups->has_runs = true;
}

/* Find the rows of `runs` of a program. */
static void runs_of(const struct jr_op_groups *groups, uint32_t program, size_t *first, size_t *n)
{
	size_t low = 0, high = groups->runs.n;
	JR_SEARCH(low, high, middle, groups->runs.items[middle] >> 32 < program);
	*first = low;
	while (high < groups->runs.n && groups->runs.items[high] >> 32 == program)
		high++;
	*n = high - low;
}

static const uint32_t *place(
	struct jr_op_groups *groups, uint32_t program, const struct jr_hlo_groups *from)
{
	struct jr_profile *p = groups->profile;
	size_t first, n;
	runs_of(groups, program, &first, &n);
	const uint64_t *runs = groups->runs.items + first;
	for (size_t i = 0; i < n && n != from->n; i++)
		if (p->devices[(uint32_t)runs[i]].global >= from->n)
			return NULL;
	if (n < 2 || n > from->n)
		return NULL;
	uint32_t *group = JR_ARENA_N(&p->arena, uint32_t, p->n_devices);
	for (size_t d = 0; d < p->n_devices; d++)
		group[d] = JR_NONE;
	for (size_t i = 0; i < n; i++) {
		uint32_t device = (uint32_t)runs[i];
		group[device] = from->group_of[n == from->n ? i : p->devices[device].global];
	}
	return group;
}

const uint32_t *jr_op_groups_place(
	struct jr_op_groups *groups, uint32_t program, const struct jr_hlo_groups *from)
{
	if (!groups->has_runs)
		find_runs(groups);
	if (groups->placed.n && groups->placed.items[0].program != program)
		groups->placed.n = 0;
	for (size_t i = 0; i < groups->placed.n; i++)
		if (groups->placed.items[i].groups == from)
			return groups->placed.items[i].device_group;
	const uint32_t *device_group = place(groups, program, from);
	*jr_vec_add(&groups->placed) = (struct jr_placed_groups){program, from, device_group};
	return device_group;
}
