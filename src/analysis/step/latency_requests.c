#include "analysis/step/latency_requests.h"

#include <math.h>

#include "analysis/core/result.h"
#include "base/order.h"
#include "base/sort.h"

/* --- devices that work together --------------------------------------------------------------- */

static uint32_t root_of(uint32_t *parent, uint32_t d)
{
	while (parent[d] != d)
		d = parent[d] = parent[parent[d]];
	return d;
}

static void tie(uint32_t *parent, uint32_t *first, uint32_t device)
{
	if (*first == JR_NONE)
		*first = device;
	parent[root_of(parent, device)] = root_of(parent, *first);
}

/* Return one number per device, equal for devices whose executions belong together. */
static uint32_t *groups_of(const struct jr_profile *p, struct jr_arena *scratch)
{
	uint32_t *parent = JR_ARENA_N(scratch, uint32_t, p->n_devices + 1);
	uint32_t *by_set = JR_ARENA_N(scratch, uint32_t, p->n_devices + 1);
	struct jr_map by_process = {0};
	for (uint32_t d = 0; d < p->n_devices; d++) {
		parent[d] = d;
		by_set[d] = JR_NONE;
	}
	for (uint32_t d = 0; d < p->n_devices; d++) {
		uint32_t process = jr_profile_process(p, p->devices[d].process);
		uint32_t first = jr_map_get(&by_process, process);
		tie(parent, &first, d);
		jr_map_put(&by_process, process, first);
		if (p->devices[d].aligned_set < p->n_devices)
			tie(parent, &by_set[p->devices[d].aligned_set], d);
	}
	jr_map_done(&by_process);
	for (uint32_t d = 0; d < p->n_devices; d++)
		parent[d] = root_of(parent, d);
	return parent;
}

/* --- requests --------------------------------------------------------------------------------- */

/* A row of modules. */
struct part {
	uint32_t program, group, execution, row;
	double start_ns, end_ns; /* aligned */
};

JR_ORDER(compare_parts, struct part,
	JR_UP(program) JR_UP(group) JR_UP(execution) JR_UP(start_ns) JR_UP(row))

/* Rows are sorted by device and start, so the latest end before a row is known when it comes. */
static int64_t *idle_times(const struct jr_profile *p, struct jr_arena *scratch)
{
	const struct jr_modules *m = &p->modules;
	int64_t *idle_ns = JR_ARENA_N(scratch, int64_t, m->n + 1), end_ns = 0;
	for (size_t i = 0; i < m->n; i++) {
		bool first = i == 0 || m->device[i] != m->device[i - 1];
		int64_t ns = first ? 0 : m->start_ns[i] - end_ns;
		idle_ns[i] = first || !m->steady[i - 1] ? JR_NULL_I64 : ns > 0 ? ns : 0;
		if (first || m->start_ns[i] + m->dur_ns[i] > end_ns)
			end_ns = m->start_ns[i] + m->dur_ns[i];
	}
	return idle_ns;
}

/* parts[0 .. n) are one request; the first one starts first. */
static struct jr_served request_of(
	const struct jr_profile *p, const struct part *parts, size_t n, const int64_t *idle_ns)
{
	const struct jr_modules *m = &p->modules;
	uint32_t row = parts[0].row;
	double end_ns = parts[0].end_ns;
	for (size_t i = 1; i < n; i++)
		end_ns = parts[i].end_ns > end_ns ? parts[i].end_ns : end_ns;
	int64_t queue_ns = 0;
	bool launched = m->launch_ns[row] != INT64_MAX &&
					!__builtin_sub_overflow(m->start_ns[row], m->launch_ns[row], &queue_ns);
	bool early = launched && queue_ns < 0;
	return (struct jr_served){.program = parts[0].program,
		.program_execution = parts[0].execution,
		.n_devices = (uint32_t)n,
		.latency_ns = n == 1 ? m->dur_ns[row] : llround(end_ns - parts[0].start_ns),
		.queue_ns = launched && !early ? queue_ns : JR_NULL_I64,
		.early = early,
		.idle_ns = idle_ns[row]};
}

struct jr_served_list jr_served_find(const struct jr_profile *p, struct jr_arena *arena)
{
	const struct jr_modules *m = &p->modules;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	const uint32_t *groups = groups_of(p, &scratch);
	const int64_t *idle_ns = idle_times(p, &scratch);
	struct part *parts = JR_ARENA_N(&scratch, struct part, m->n + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < m->n; i++)
		if (m->steady[i])
			parts[n++] = (struct part){m->program[i], groups[m->device[i]], m->program_execution[i],
				i, jr_aligned_ns(p, m->start_ns[i], m->device[i]),
				jr_aligned_ns(p, m->start_ns[i] + m->dur_ns[i], m->device[i])};
	jr_sort(parts, n, sizeof(*parts), compare_parts);
	struct jr_served_list list = {.items = JR_ARENA_N(arena, struct jr_served, n + 1)};
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1;
			 end < n && parts[end].program == parts[i].program &&
			 parts[end].group == parts[i].group && parts[end].execution == parts[i].execution;
			 end++)
			;
		list.items[list.n++] = request_of(p, parts + i, end - i, idle_ns);
	}
	return list;
}
