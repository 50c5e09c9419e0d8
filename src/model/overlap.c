#include "model/build.h"

#include <stdlib.h>

struct interval {
	int64_t start_ns, end_ns;
};

static int compare_intervals(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Sorted, disjoint union, in place. */
static size_t unite(struct interval *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), compare_intervals);
	size_t out = 0;
	for (size_t i = 0; i < n; i++) {
		if (out && v[i].start_ns <= v[out - 1].end_ns) {
			if (v[i].end_ns > v[out - 1].end_ns)
				v[out - 1].end_ns = v[i].end_ns;
		} else {
			v[out++] = v[i];
		}
	}
	return out;
}

static int64_t covered_ns(const struct interval *v, size_t n, int64_t start_ns, int64_t end_ns)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (v[mid].end_ns <= start_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	int64_t sum = 0;
	for (; lo < n && v[lo].start_ns < end_ns; lo++) {
		int64_t from = v[lo].start_ns > start_ns ? v[lo].start_ns : start_ns;
		int64_t to = v[lo].end_ns < end_ns ? v[lo].end_ns : end_ns;
		sum += to - from;
	}
	return sum;
}

/* Analyses.md 1, "Exposed and hidden": the union of the device's compute, of any program and any
 * execution, clipped to the communication thunk. Thunks of a device are one run of the table. */
void jr_overlap_compute(struct jr_profile *profile)
{
	struct jr_thunks *t = &profile->thunks;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct interval *compute = JR_ARENA_N(&scratch, struct interval, t->n + 1);
	for (size_t begin = 0, end; begin < t->n; begin = end) {
		size_t n = 0;
		for (end = begin; end < t->n && t->device[end] == t->device[begin]; end++)
			if (!jr_thunk_op(profile, end)->communication)
				compute[n++] =
					(struct interval){t->start_ns[end], t->start_ns[end] + t->dur_ns[end]};
		n = unite(compute, n);
		for (size_t i = begin; i < end; i++)
			if (jr_thunk_op(profile, i)->communication)
				t->hidden_ns[i] =
					covered_ns(compute, n, t->start_ns[i], t->start_ns[i] + t->dur_ns[i]);
	}
	jr_arena_done(&scratch);
}
