#include "analysis/shared/instances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sort key of a communication row. */
struct entry {
	uint32_t program, program_execution, op, thunk_execution, group, thunk;
};

static int compare_entries(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b; /* the fields in order are the key */
	for (size_t i = 0; i < sizeof(struct entry) / sizeof(uint32_t); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static bool same_instance(const struct entry *a, const struct entry *b)
{
	return a->op == b->op && a->program_execution == b->program_execution &&
		   a->thunk_execution == b->thunk_execution && a->group == b->group;
}

static const struct jr_elsewhere *elsewhere_of(const struct jr_profile *p, uint32_t thunk)
{
	uint32_t row = p->selected.n_elsewhere ? p->selected.thunk_elsewhere[thunk] : JR_NONE;
	return row == JR_NONE ? NULL : &p->selected.elsewhere[row];
}

static void measure(const struct jr_profile *p, struct jr_instance *in)
{
	const struct jr_thunks *t = &p->thunks;
	double first = INFINITY, last = -INFINITY;
	int64_t least_exposed = INT64_MAX, most_exposed = INT64_MIN;
	in->shortest_ns = INT64_MAX;
	for (uint32_t i = 0; i < in->n; i++) {
		uint32_t row = in->thunks[i];
		double start = jr_aligned_start_since_ns(p, row, t->start_ns[in->thunks[0]]);
		double end = start + (double)t->dur_ns[row];
		int64_t exposed = jr_thunk_active_ns(p, row);
		first = start < first ? start : first;
		last = end > last ? end : last;
		least_exposed = exposed < least_exposed ? exposed : least_exposed;
		most_exposed = exposed > most_exposed ? exposed : most_exposed;
		if (t->dur_ns[row] < in->shortest_ns)
			in->shortest_ns = t->dur_ns[row];
	}
	uint32_t n = in->n;
	if (in->elsewhere) {
		double origin_ns = (double)(t->start_ns[in->thunks[0]] - p->origin_ns);
		first = fmin(first, in->elsewhere->first_ns - origin_ns);
		last = fmax(last, in->elsewhere->last_ns - origin_ns);
		n += in->elsewhere->n;
		if (in->elsewhere->shortest_ns < in->shortest_ns)
			in->shortest_ns = in->elsewhere->shortest_ns;
		if (in->elsewhere->least_exposed_ns < least_exposed)
			least_exposed = in->elsewhere->least_exposed_ns;
		if (in->elsewhere->most_exposed_ns > most_exposed)
			most_exposed = in->elsewhere->most_exposed_ns;
	}
	const struct jr_op *op = &p->ops[in->op];
	in->together = n > 1 && op->group_size != 1; /* 0: unknown */
	in->wait_ns = in->together ? last - first - (double)in->shortest_ns : 0;
	in->module_wait_ns = in->together ? most_exposed - least_exposed : 0;
	in->algorithm_bytes_s = in->bus_bytes_s = NAN;
	if (op->message_bytes && op->k > 0 && in->shortest_ns > 0) {
		in->algorithm_bytes_s = op->k * (double)op->message_bytes / (double)in->shortest_ns * 1e9;
		if (op->c > 0)
			in->bus_bytes_s = in->algorithm_bytes_s * op->c;
	}
}

/* Within a run of instances that differ only in their group, keep only the longest wait. */
static void keep_longest_waits(struct jr_instance *items, size_t n)
{
	for (size_t i = 1, longest = 0; i < n; i++) {
		if (items[i].op != items[longest].op ||
			items[i].program_execution != items[longest].program_execution ||
			items[i].thunk_execution != items[longest].thunk_execution) {
			longest = i;
		} else if (items[i].module_wait_ns > items[longest].module_wait_ns) {
			items[longest].module_wait_ns = 0;
			longest = i;
		} else {
			items[i].module_wait_ns = 0;
		}
	}
}

static double start_of(const struct jr_profile *p, const struct jr_instance *in)
{
	return jr_aligned_start_ns(p, in->thunks[0]);
}

static int compare_instances(const void *a, const void *b, void *arg)
{
	const struct jr_profile *p = arg;
	const struct jr_instance *x = a, *y = b;
	uint32_t program_x = p->ops[x->op].program, program_y = p->ops[y->op].program;
	if (program_x != program_y)
		return program_x < program_y ? -1 : 1;
	if (x->program_execution != y->program_execution)
		return x->program_execution < y->program_execution ? -1 : 1;
	double start_x = start_of(p, x), start_y = start_of(p, y);
	if (start_x != start_y)
		return start_x < start_y ? -1 : 1;
	int by_name = strcmp(jr_str(p, p->ops[x->op].name), jr_str(p, p->ops[y->op].name));
	if (by_name)
		return by_name;
	if (x->thunk_execution != y->thunk_execution)
		return x->thunk_execution < y->thunk_execution ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

const struct jr_instances *jr_instances_find(
	const struct jr_profile *profile, struct jr_arena *arena)
{
	const struct jr_profile *p = profile;
	const struct jr_thunks *t = &p->thunks;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	size_t n = 0, n_instances = 0;
	for (size_t i = 0; i < t->n; i++)
		n += jr_thunk_op(p, i)->communication && jr_communication_steady(p, i);
	struct entry *entries = JR_ARENA_N(&scratch, struct entry, n + 1);
	n = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (jr_thunk_op(p, i)->communication && jr_communication_steady(p, i))
			entries[n++] = (struct entry){jr_thunk_op(p, i)->program, jr_thunk_execution(p, i),
				t->op[i], t->thunk_execution[i], jr_thunk_group(p, i), i};
	if (n)
		qsort(entries, n, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < n; i++)
		n_instances += i == 0 || !same_instance(&entries[i - 1], &entries[i]);
	struct jr_instances *result = JR_ARENA_NEW(arena, struct jr_instances);
	result->items = JR_ARENA_N(arena, struct jr_instance, n_instances + 1);
	uint32_t *rows = JR_ARENA_N(arena, uint32_t, n + 1);
	for (size_t i = 0; i < n; i++) {
		rows[i] = entries[i].thunk;
		if (i == 0 || !same_instance(&entries[i - 1], &entries[i]))
			result->items[result->n++] = (struct jr_instance){.op = entries[i].op,
				.program_execution = entries[i].program_execution,
				.thunk_execution = entries[i].thunk_execution,
				.group = entries[i].group,
				.elsewhere = elsewhere_of(p, entries[i].thunk),
				.thunks = &rows[i]};
		result->items[result->n - 1].n++;
	}
	jr_arena_done(&scratch);
	result->wait_ns = JR_ARENA_N(arena, int64_t, t->communication.n + 1);
	for (size_t i = 0; i < result->n; i++) {
		const struct jr_instance *in = &result->items[i];
		measure(p, &result->items[i]);
		for (uint32_t k = 0; in->together && k < in->n; k++)
			result->wait_ns[jr_row_set_find(&t->communication, in->thunks[k])] =
				t->dur_ns[in->thunks[k]] - in->shortest_ns;
	}
	keep_longest_waits(result->items, result->n);
	if (result->n)
		qsort_r(result->items, result->n, sizeof(*result->items), compare_instances,
			(void *)(uintptr_t)p);
	return result;
}

bool jr_instance_tied(const struct jr_profile *p, const struct jr_instance *in)
{
	uint32_t last = jr_instance_last(p, in);
	double at_ns = -INFINITY;
	size_t n = 0;
	for (uint32_t i = 0; i < in->n; i++)
		if (jr_thunk_device(p, in->thunks[i]) == last)
			at_ns = jr_aligned_start_ns(p, in->thunks[i]);
	for (uint32_t i = 0; i < in->n; i++)
		n += jr_aligned_start_ns(p, in->thunks[i]) >= at_ns;
	n += in->elsewhere && in->elsewhere->late_ns >= at_ns;
	return n > 1;
}

uint32_t jr_instance_last(const struct jr_profile *p, const struct jr_instance *in)
{
	uint32_t last = in->thunks[0];
	for (uint32_t i = 1; i < in->n; i++)
		if (jr_aligned_start_ns(p, in->thunks[i]) > jr_aligned_start_ns(p, last))
			last = in->thunks[i];
	if (in->elsewhere && in->elsewhere->late_ns > jr_aligned_start_ns(p, last))
		return JR_NONE;
	return jr_thunk_device(p, last);
}

struct jr_absent jr_instances_absent(const struct jr_profile *p, const struct jr_instances *in)
{
	struct jr_absent absent = {0};
	for (size_t i = 0; i < in->n; i++) {
		uint32_t size = p->ops[in->items[i].op].group_size, seen = jr_instance_seen(&in->items[i]);
		absent.n += size > 1 || in->items[i].together;
		if (size <= seen)
			continue;
		absent.n_part++;
		if (size - seen > absent.of - absent.seen) {
			absent.seen = seen;
			absent.of = size;
		}
	}
	return absent;
}
