#include "model/compile/host_tree.h"

#include <inttypes.h>

#include "base/order.h"
#include "base/sort.h"

struct start_key {
	int64_t start_ns, range_id;
	uint32_t row;
};

/* Prefix the message in err with the line or row. */
static enum jr_status fail_at(
	const struct jr_row_lines *lines, size_t row, enum jr_status status, struct jr_error *err)
{
	size_t i = lines ? lines->n : 0;
	while (i && lines->items[i - 1].row > row)
		i--;
	if (i)
		return jr_context(err, status, "line %" PRIu64,
			lines->items[i - 1].line + (row - lines->items[i - 1].row));
	return jr_context(err, status, "row %zu", row);
}

static enum jr_status check_times(
	const struct jr_host_ranges *r, const struct jr_row_lines *lines, struct jr_error *err)
{
	int64_t total = 0;
	for (size_t i = 0; i < r->n; i++) {
		int64_t parts;
		if (r->end_ns[i] < r->start_ns[i] || r->start_ns[i] < -JR_TIME_MAX_NS ||
			r->end_ns[i] > JR_TIME_MAX_NS) {
			(void)jr_fail(err, JR_EFORMAT, "range from %" PRId64 " to %" PRId64 " ns",
				r->start_ns[i], r->end_ns[i]);
			return fail_at(lines, i, JR_EFORMAT, err);
		}
		int64_t dur = r->end_ns[i] - r->start_ns[i];
		if (r->child_ns[i] < 0 || r->self_ns[i] < 0 ||
			__builtin_add_overflow(r->child_ns[i], r->self_ns[i], &parts) || parts != dur) {
			(void)jr_fail(err, JR_EFORMAT,
				"%" PRId64 " ns in children and %" PRId64
				" ns outside of them do not add up to the %" PRId64 " ns of the range",
				r->child_ns[i], r->self_ns[i], dur);
			return fail_at(lines, i, JR_EFORMAT, err);
		}
		if (__builtin_add_overflow(total, dur, &total)) {
			(void)jr_fail(err, JR_EFORMAT, "durations add up to more than 292 years");
			return fail_at(lines, i, JR_EFORMAT, err);
		}
	}
	return JR_OK;
}

static bool ids_ascend(const struct jr_host_ranges *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (r->range_id[i] <= r->range_id[i - 1])
			return false;
	return true;
}

static uint32_t search_id(const struct jr_host_ranges *r, int64_t id)
{
	size_t low = 0, high = r->n;
	JR_SEARCH(low, high, mid, r->range_id[mid] < id);
	return low < r->n && r->range_id[low] == id ? (uint32_t)low : JR_NONE;
}

/* nsys writes ids in ascending order, which a binary search can use. Any other order needs a table.
 */
static enum jr_status resolve_parents(const struct jr_host_ranges *r,
	const struct jr_row_lines *lines, uint32_t *parent, struct jr_error *err)
{
	JR_CLEANUP(jr_map_done) struct jr_map rows = {0};
	bool ascend = ids_ascend(r);
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < r->n && !ascend && status == JR_OK; i++) {
		if (r->range_id[i] < 0 || jr_map_get(&rows, (uint64_t)r->range_id[i]) != JR_NONE) {
			(void)jr_fail(err, JR_EFORMAT, "range ID %" PRId64 "%s", r->range_id[i],
				r->range_id[i] < 0 ? "" : " occurs twice");
			status = fail_at(lines, i, JR_EFORMAT, err);
		} else {
			jr_map_put(&rows, (uint64_t)r->range_id[i], (uint32_t)i);
		}
	}
	for (size_t i = 0; i < r->n && status == JR_OK; i++) {
		parent[i] = JR_NONE;
		if (r->parent_id[i] == -1)
			continue;
		parent[i] =
			ascend ? search_id(r, r->parent_id[i]) : jr_map_get(&rows, (uint64_t)r->parent_id[i]);
		if (parent[i] == JR_NONE) {
			(void)jr_fail(err, JR_EFORMAT,
				"range %" PRId64 " has parent %" PRId64 ", which does not exist", r->range_id[i],
				r->parent_id[i]);
			status = fail_at(lines, i, JR_EFORMAT, err);
		}
	}
	return status;
}

/* Report a chain of parents that is too long: a cycle if it never ends. */
static enum jr_status too_deep(const struct jr_host_ranges *r, const uint32_t *parent,
	uint64_t max_depth, size_t row, struct jr_error *err)
{
	uint32_t at = (uint32_t)row;
	for (size_t steps = 0; steps <= r->n && at != JR_NONE; steps++)
		at = parent[at];
	if (at != JR_NONE)
		return jr_fail(
			err, JR_EFORMAT, "the ancestors of range %" PRId64 " form a cycle", r->range_id[row]);
	return jr_fail(
		err, JR_ELIMIT, "ranges nested deeper than %" PRIu64 " (--max-depth)", max_depth);
}

/* Compute the depth of each row by walking up to the first known depth. Every row is visited once.
 */
static enum jr_status check_depth(const struct jr_host_ranges *r, const uint32_t *parent,
	uint64_t max_depth, const struct jr_row_lines *lines, struct jr_arena *arena,
	struct jr_error *err)
{
	uint32_t *depth = jr_arena_array(arena, r->n, sizeof(*depth), err); /* 0 = not known */
	if (!depth)
		return JR_ELIMIT;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t top = (uint32_t)i;
		uint64_t steps = 0;
		for (; depth[top] == 0 && parent[top] != JR_NONE && steps <= max_depth; steps++)
			top = parent[top];
		if (!depth[top])
			depth[top] = 1;
		if (steps + depth[top] > max_depth)
			return fail_at(lines, i, too_deep(r, parent, max_depth, i, err), err);
		uint32_t level = depth[top] + (uint32_t)steps;
		for (uint32_t row = (uint32_t)i; row != top; row = parent[row])
			depth[row] = level--;
	}
	return JR_OK;
}

JR_ORDER(compare_start, struct start_key, JR_UP(start_ns) JR_UP(range_id))

static enum jr_status sort_by_start(const struct jr_host_ranges *r, struct jr_arena *arena,
	uint32_t *by_start, struct jr_error *err)
{
	bool sorted = true;
	for (size_t i = 0; i < r->n; i++) {
		by_start[i] = (uint32_t)i;
		sorted = sorted &&
				 (i == 0 || r->start_ns[i - 1] < r->start_ns[i] ||
					 (r->start_ns[i - 1] == r->start_ns[i] && r->range_id[i - 1] < r->range_id[i]));
	}
	if (sorted)
		return JR_OK;
	struct start_key *keys;
	JR_TRY_ARRAY(keys, arena, r->n, err);
	for (size_t i = 0; i < r->n; i++)
		keys[i] = (struct start_key){r->start_ns[i], r->range_id[i], (uint32_t)i};
	jr_sort(keys, r->n, sizeof(*keys), compare_start);
	for (size_t i = 0; i < r->n; i++)
		by_start[i] = keys[i].row;
	return JR_OK;
}

enum jr_status jr_host_tree_build(const struct jr_host_ranges *ranges, uint64_t max_depth,
	const struct jr_row_lines *lines, struct jr_arena *arena, struct jr_host_tree *tree,
	struct jr_error *err)
{
	size_t n = ranges->n;
	if (n >= JR_HOST_DROPPED)
		return jr_fail(err, JR_ELIMIT, "%zu ranges are more than can be numbered", n);
	JR_TRY(check_times(ranges, lines, err));
	*tree = (struct jr_host_tree){.n = n};
	uint32_t *block;
	JR_TRY_ARRAY(block, arena, 4 * (uint64_t)n + 2, err);
	tree->parent = block;
	tree->by_start = block + n;
	tree->child = block + 2 * n;
	tree->first = block + 3 * n;
	JR_TRY(resolve_parents(ranges, lines, tree->parent, err));
	JR_TRY(check_depth(ranges, tree->parent, max_depth, lines, arena, err));
	JR_TRY(sort_by_start(ranges, arena, tree->by_start, err));
	jr_host_tree_link(tree);
	return JR_OK;
}

/* Counting sort by parent. Iterating over by_start keeps siblings in that order. */
void jr_host_tree_link(struct jr_host_tree *tree)
{
	size_t n = tree->n;
	uint32_t *first = tree->first;
	for (size_t i = 0; i < n + 2; i++)
		first[i] = 0;
	for (size_t i = 0; i < n; i++)
		if (tree->parent[i] != JR_HOST_DROPPED)
			first[(tree->parent[i] == JR_NONE ? n : tree->parent[i]) + 1]++;
	for (size_t i = 0; i <= n; i++)
		first[i + 1] += first[i];
	/* first[i] is now the begin of list i: use it as the write cursor, then shift back */
	for (size_t k = 0; k < n; k++) {
		uint32_t row = tree->by_start[k], parent = tree->parent[row];
		if (parent != JR_HOST_DROPPED)
			tree->child[first[parent == JR_NONE ? n : parent]++] = row;
	}
	for (size_t i = n + 1; i > 0; i--)
		first[i] = first[i - 1];
	first[0] = 0;
}
