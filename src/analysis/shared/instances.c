#include "analysis/shared/instances.h"

#include <assert.h>
#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "base/vec.h"

/* Instances while rows are added to them. */
struct grouping {
	const struct jr_profile *p;
	JR_VEC(struct jr_instance) items;
	/* Of each instance the one that followed it on the device before; JR_NONE: none did. */
	JR_VEC(uint32_t) after;
	/* A path of four keys from node 0: (node, key) -> node, and at the end -> instance. */
	struct jr_map nodes, leaves;
	uint32_t n_nodes;
};

static struct jr_instance instance_of(const struct jr_profile *p, uint32_t thunk)
{
	return (struct jr_instance){.op = p->thunks.op[thunk],
		.program_execution = jr_thunk_execution(p, thunk),
		.thunk_execution = jr_thunk_repeat(p, thunk),
		.group = jr_thunk_group(p, thunk)};
}

static bool same_instance(const struct jr_instance *a, const struct jr_instance *b)
{
	return a->op == b->op && a->program_execution == b->program_execution &&
		   a->thunk_execution == b->thunk_execution && a->group == b->group;
}

static uint32_t next_node(struct grouping *g, uint32_t node, uint32_t key)
{
	uint32_t next = jr_map_get(&g->nodes, jr_key2(node, key));
	if (next == JR_NONE)
		jr_map_put(&g->nodes, jr_key2(node, key), next = ++g->n_nodes);
	return next;
}

/* Add a row to its instance, and return the number of that. Devices run the same collectives in the
 * same order, so the instance is most often the one that followed `before` on the last device. */
static uint32_t add_row(struct grouping *g, uint32_t thunk, uint32_t before)
{
	struct jr_instance in = instance_of(g->p, thunk);
	uint32_t number = before == JR_NONE ? JR_NONE : g->after.items[before];
	if (number == JR_NONE || !same_instance(&g->items.items[number], &in)) {
		uint32_t node = next_node(g, next_node(g, 0, in.op), in.program_execution);
		uint64_t leaf = jr_key2(next_node(g, node, in.thunk_execution), in.group);
		number = jr_map_get(&g->leaves, leaf);
		if (number == JR_NONE) {
			number = (uint32_t)g->items.n;
			jr_map_put(&g->leaves, leaf, number);
			*jr_vec_add(&g->items) = in;
			*jr_vec_add(&g->after) = JR_NONE;
		}
		if (before != JR_NONE)
			g->after.items[before] = number;
	}
	assert(g->items.items && number < g->items.n);
	g->items.items[number].n++;
	return number;
}

static const struct jr_elsewhere *elsewhere_of(const struct jr_profile *p, uint32_t thunk)
{
	uint32_t row = p->selected.n_elsewhere ? p->selected.thunk_elsewhere[thunk] : JR_NONE;
	return row == JR_NONE ? NULL : &p->selected.elsewhere[row];
}

/* Times of an instance's rows, on the common clock since the start of the first row (origin_ns,
 * INT64_MIN before it), and what is exposed. */
struct times {
	double first, last;
	double latest; /* start, since the profile's origin */
	int64_t origin_ns, least_exposed, most_exposed;
};

static void add_times(
	const struct jr_profile *p, uint32_t row, struct times *times, struct jr_instance *in)
{
	if (times->origin_ns == INT64_MIN)
		*times = (struct times){
			INFINITY, -INFINITY, -INFINITY, jr_thunk_start_ns(p, row), INT64_MAX, INT64_MIN};
	double since_ns = jr_aligned_start_ns(p, row);
	if (since_ns > times->latest) {
		times->latest = since_ns;
		in->last = jr_thunk_device(p, row);
	}
	double start = jr_aligned_start_since_ns(p, row, times->origin_ns);
	double end = start + (double)jr_thunk_dur_ns(p, row);
	int64_t exposed = jr_thunk_active_ns(p, row);
	times->first = start < times->first ? start : times->first;
	times->last = end > times->last ? end : times->last;
	times->least_exposed = exposed < times->least_exposed ? exposed : times->least_exposed;
	times->most_exposed = exposed > times->most_exposed ? exposed : times->most_exposed;
	if (jr_thunk_dur_ns(p, row) < in->shortest_ns)
		in->shortest_ns = jr_thunk_dur_ns(p, row);
}

static void measure(const struct jr_profile *p, const struct times *times, struct jr_instance *in)
{
	double first = times->first, last = times->last;
	int64_t least_exposed = times->least_exposed, most_exposed = times->most_exposed;
	uint32_t n = in->n;
	if (in->elsewhere) {
		double origin_ns = (double)(times->origin_ns - p->origin_ns);
		first = fmin(first, in->elsewhere->first_ns - origin_ns);
		last = fmax(last, in->elsewhere->last_ns - origin_ns);
		n += in->elsewhere->n;
		if (in->elsewhere->late_ns > times->latest)
			in->last = JR_NONE;
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
}

JR_ORDER(compare_groups, struct jr_instance,
	JR_UP(op) JR_UP(program_execution) JR_UP(thunk_execution) JR_UP(group))

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

/* Return the next row from `i` on that belongs to an instance; thunks.n: none. */
static uint32_t next_row(const struct jr_profile *p, uint32_t i)
{
	size_t n = p->thunks.n, row = jr_row_set_next(&p->thunks.communication, i, n);
	while (row < n && !jr_communication_steady(p, row))
		row = jr_row_set_next(&p->thunks.communication, row + 1, n);
	return (uint32_t)row;
}

/* Give each instance its rows and its times. number: of the instance of each row. Rows are read in
 * the order of the table; to read those of one instance after the other would miss the cache. */
static void fill_instances(const struct jr_profile *p, const struct grouping *g,
	const uint32_t *number, size_t n_rows, struct jr_instances *out, struct jr_arena *arena)
{
	const struct jr_thunks *t = &p->thunks;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint32_t *rows = JR_ARENA_N(arena, uint32_t, n_rows + 1);
	uint32_t **ends = JR_ARENA_N(&scratch, uint32_t *, g->items.n + 1);
	struct times *times = JR_ARENA_N(&scratch, struct times, g->items.n + 1);
	for (size_t k = 0; k < out->n; rows += g->items.items[k++].n) {
		out->items[k] = g->items.items[k];
		out->items[k].thunks = ends[k] = rows;
		out->items[k].shortest_ns = INT64_MAX;
		times[k].origin_ns = INT64_MIN;
	}
	const uint32_t *at = number;
	for (uint32_t i = next_row(p, 0); i < t->n; i = next_row(p, i + 1), at++) {
		*ends[*at]++ = i;
		add_times(p, i, &times[*at], &out->items[*at]);
	}
	for (size_t k = 0; k < out->n; k++) {
		out->items[k].elsewhere = elsewhere_of(p, out->items[k].thunks[0]);
		measure(p, &times[k], &out->items[k]);
	}
	at = number;
	for (uint32_t i = next_row(p, 0); i < t->n; i = next_row(p, i + 1), at++)
		if (out->items[*at].together)
			out->wait_ns[jr_row_set_find(&t->communication, i)] =
				jr_thunk_dur_ns(p, i) - out->items[*at].shortest_ns;
}

const struct jr_instances *jr_instances_find(
	const struct jr_profile *profile, struct jr_arena *arena)
{
	const struct jr_profile *p = profile;
	const struct jr_thunks *t = &p->thunks;
	struct grouping g = {.p = p};
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint32_t *number = JR_ARENA_N(&scratch, uint32_t, t->communication.n + 1), before = JR_NONE;
	size_t n = 0;
	for (uint32_t i = next_row(p, 0); i < t->n; i = next_row(p, i + 1))
		number[n++] = before = add_row(&g, i, before);
	struct jr_instances *result = JR_ARENA_NEW(arena, struct jr_instances);
	result->n = g.items.n;
	result->items = JR_ARENA_N(arena, struct jr_instance, g.items.n + 1);
	result->wait_ns = JR_ARENA_N(arena, int64_t, t->communication.n + 1);
	fill_instances(p, &g, number, n, result, arena);
	jr_sort(result->items, result->n, sizeof(*result->items), compare_groups);
	keep_longest_waits(result->items, result->n);
	jr_sort_with(
		result->items, result->n, sizeof(*result->items), compare_instances, (void *)(uintptr_t)p);
	jr_map_done(&g.nodes);
	jr_map_done(&g.leaves);
	jr_vec_done(&g.items);
	jr_vec_done(&g.after);
	return result;
}

bool jr_instance_tied(const struct jr_profile *p, const struct jr_instance *in)
{
	double at_ns = -INFINITY;
	size_t n = 0;
	for (uint32_t i = 0; i < in->n; i++)
		if (jr_thunk_device(p, in->thunks[i]) == in->last)
			at_ns = jr_aligned_start_ns(p, in->thunks[i]);
	for (uint32_t i = 0; i < in->n; i++)
		n += jr_aligned_start_ns(p, in->thunks[i]) >= at_ns;
	n += in->elsewhere && in->elsewhere->late_ns >= at_ns;
	return n > 1;
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
