#include "model/build/build.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Clock alignment, analysis/README.md, section 6.1. It assumes that all devices of a collective end
 * it at the same time.
 *
 * An instance is (program, program_execution, name, thunk_execution, group of devices); it has one
 * end per profiled device of the group. If all instances span the same devices, the correction of a
 * device is the median of its skews from the mean end. Otherwise offsets o minimize the sum of
 * |end(i, d) - o(d) - c(i)| by alternating medians over c (one per instance) and o (one per
 * device). The initial offsets are propagated from device to device, because medians alone converge
 * very slowly along a chain of groups.
 *
 * Host copies, other collectives of a single device, and instances seen on one device only carry no
 * information about clocks.
 */

struct end {
	uint32_t device;
	uint32_t instance;
	double ns; /* relative to the instance's first end, so that doubles keep all digits */
};

struct ends {
	size_t n, n_instances;
	struct end *items; /* grouped by instance */
	size_t *first;     /* [n_instances + 1] */
};

/* What makes rows one instance, and 1 + the instance that followed it on the last device. */
struct known {
	uint32_t parts[4], after;
	uint32_t n; /* ends */
	int64_t origin_ns;
};

/* Rows of collectives in the order of the table, which is by device, and their instances. */
struct grouping {
	size_t n;
	uint32_t *instance; /* [n] of each row */
	size_t n_known;
	struct known *known;
};

/* Return the next row from `row` on that tells about clocks; thunks.n: none. */
static size_t next_row(const struct jr_profile *p, size_t row)
{
	size_t n = p->thunks.n;
	row = jr_row_set_next(&p->thunks.communication, row, n);
	while (row < n && jr_thunk_op(p, row)->group_size == 1) /* 0: not known */
		row = jr_row_set_next(&p->thunks.communication, row + 1, n);
	return row;
}

/* Devices run the same collectives in the same order, so an instance is most often the one that
 * followed `before`. */
static struct grouping group(const struct jr_profile *p, struct jr_arena *scratch)
{
	const struct jr_thunks *t = &p->thunks;
	JR_CLEANUP(jr_map_done) struct jr_map by_key = {0};
	struct grouping g = {.instance = JR_ARENA_N(scratch, uint32_t, t->communication.n + 1),
		.known = JR_ARENA_N(scratch, struct known, t->communication.n + 1)};
	uint32_t before = JR_NONE;
	for (size_t i = next_row(p, 0); i < t->n; i = next_row(p, i + 1)) {
		uint32_t parts[4] = {
			t->op[i], jr_thunk_execution(p, i), jr_thunk_repeat(p, i), jr_thunk_group(p, i)};
		uint32_t instance = before == JR_NONE ? JR_NONE : g.known[before].after - 1;
		if (instance == JR_NONE || memcmp(g.known[instance].parts, parts, sizeof(parts)) != 0) {
			instance = jr_map_add(&by_key, jr_hash(parts, sizeof(parts), 0), (uint32_t)g.n_known);
			if (instance == g.n_known) {
				memcpy(g.known[instance].parts, parts, sizeof(parts));
				g.known[g.n_known++].origin_ns = jr_thunk_end_ns(p, i);
			}
			if (before != JR_NONE)
				g.known[before].after = instance + 1;
		}
		g.instance[g.n++] = before = instance;
		g.known[instance].n++;
	}
	return g;
}

/* Collect ends by instance; leave out instances of one device. Rows are read twice, because a list
 * of all ends in the order of the table would need as much memory again. */
static struct ends collect(const struct jr_profile *p, struct jr_arena *scratch)
{
	const struct jr_thunks *t = &p->thunks;
	struct grouping g = group(p, scratch);
	struct ends ends = {.items = JR_ARENA_N(scratch, struct end, g.n + 1),
		.first = JR_ARENA_N(scratch, size_t, g.n_known + 2)};
	uint32_t *place = JR_ARENA_N(scratch, uint32_t, g.n_known + 1);
	size_t *at = JR_ARENA_N(scratch, size_t, g.n_known + 1), n = 0;
	for (uint32_t k = 0; k < g.n_known; k++) {
		place[k] = g.known[k].n < 2 ? JR_NONE : (uint32_t)ends.n_instances++;
		if (place[k] == JR_NONE)
			continue;
		at[place[k]] = ends.n;
		ends.first[place[k] + 1] = ends.n += g.known[k].n;
	}
	for (size_t i = next_row(p, 0); i < t->n; i = next_row(p, i + 1)) {
		const struct known *known = &g.known[g.instance[n]];
		uint32_t instance = place[g.instance[n++]];
		if (instance != JR_NONE)
			ends.items[at[instance]++] = (struct end){jr_thunk_device(p, i), instance,
				(double)(jr_thunk_end_ns(p, i) - known->origin_ns)};
	}
	return ends;
}

JR_ORDER_OF_VALUES(compare_doubles, double)

/* Return the median; the mean of the middle two if n is even. Sorts v. */
static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare_doubles);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Whether all instances span one set of devices. Rows of an instance are sorted by device. */
static bool same_devices(const struct ends *e)
{
	size_t width = e->first[1] - e->first[0];
	for (size_t k = 0; k < e->n_instances; k++) {
		if (e->first[k + 1] - e->first[k] != width)
			return false;
		for (size_t j = 0; j < width; j++)
			if (e->items[e->first[k] + j].device != e->items[j].device)
				return false;
	}
	return true;
}

static void by_mean_skew(struct jr_profile *p, const struct ends *e, struct jr_arena *scratch)
{
	size_t width = e->first[1];
	double *skews = JR_ARENA_N(scratch, double, e->n_instances + 1);
	double *means = JR_ARENA_N(scratch, double, e->n_instances + 1);
	for (size_t k = 0; k < e->n_instances; k++) {
		double sum = 0;
		for (size_t j = e->first[k]; j < e->first[k + 1]; j++)
			sum += e->items[j].ns;
		means[k] = sum / (double)width;
	}
	for (size_t j = 0; j < width; j++) {
		for (size_t k = 0; k < e->n_instances; k++)
			skews[k] = e->items[e->first[k] + j].ns - means[k];
		struct jr_device *device = &p->devices[e->items[j].device];
		device->correction_ns = median(skews, e->n_instances);
		device->aligned_set = 0;
	}
}

/* --- different groups ------------------------------------------------------------------------- */

static uint32_t find_root(uint32_t *set, uint32_t d)
{
	while (set[d] != d)
		d = set[d] = set[set[d]];
	return d;
}

/* Number connected sets of devices 0, 1, ... in order of their first device. */
static void connect_devices(struct jr_profile *p, const struct ends *e, struct jr_arena *scratch)
{
	uint32_t *set = JR_ARENA_N(scratch, uint32_t, p->n_devices + 1);
	uint32_t *number = JR_ARENA_N(scratch, uint32_t, p->n_devices + 1);
	uint8_t *tied = JR_ARENA_N(scratch, uint8_t, p->n_devices + 1);
	for (uint32_t d = 0; d < p->n_devices; d++)
		set[d] = d;
	for (size_t k = 0; k < e->n_instances; k++)
		for (size_t j = e->first[k] + 1; j < e->first[k + 1]; j++) {
			tied[e->items[j].device] = tied[e->items[j - 1].device] = 1;
			uint32_t a = find_root(set, e->items[j].device);
			uint32_t b = find_root(set, e->items[j - 1].device);
			set[a > b ? a : b] = a > b ? b : a;
		}
	uint32_t n = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		uint32_t root = find_root(set, d);
		if (root == d)
			number[d] = tied[d] ? n++ : JR_NONE;
		p->devices[d].aligned_set = tied[d] ? number[root] : JR_NONE;
	}
}

struct solver {
	const struct ends *e;
	size_t n_devices;
	size_t *by_device, *device_first; /* ends by device: rows of e->items */
	double *offset;                   /* [n_devices] */
	double *center;  /* [n_instances] end on the common clock, NaN = no offsets yet */
	uint8_t *placed; /* [n_devices] has an offset */
	double *work;
};

static void find_centers(struct solver *s)
{
	const struct ends *e = s->e;
	for (size_t k = 0; k < e->n_instances; k++) {
		size_t n = 0;
		for (size_t j = e->first[k]; j < e->first[k + 1]; j++)
			if (s->placed[e->items[j].device])
				s->work[n++] = e->items[j].ns - s->offset[e->items[j].device];
		s->center[k] = n ? median(s->work, n) : NAN;
	}
}

/* Offset of a device from the centers; its current offset if there are none. */
static double offset_of(struct solver *s, size_t d)
{
	size_t n = 0;
	for (size_t j = s->device_first[d]; j < s->device_first[d + 1]; j++) {
		const struct end *end = &s->e->items[s->by_device[j]];
		if (!isnan(s->center[end->instance]))
			s->work[n++] = end->ns - s->center[end->instance];
	}
	if (n)
		s->placed[d] = 1;
	return n ? median(s->work, n) : s->offset[d];
}

/* Propagate offsets from the first device of each set along shared collectives. */
static void carry_offsets(struct solver *s, const struct jr_device *devices)
{
	size_t seen = 0;
	for (size_t d = 0; d < s->n_devices; d++)
		if (devices[d].aligned_set == seen) {
			s->placed[d] = 1;
			seen++;
		}
	bool more = true;
	for (int step = 0; more && step < 1024; step++) { /* relax() reaches devices farther away */
		more = false;
		find_centers(s);
		for (size_t d = 0; d < s->n_devices; d++) {
			if (s->placed[d])
				continue;
			s->offset[d] = offset_of(s, d);
			more |= s->placed[d];
		}
	}
}

/* One round: centers from offsets, then offsets from centers. Returns the largest change. */
static double relax(struct solver *s)
{
	double moved = 0;
	find_centers(s);
	for (size_t d = 0; d < s->n_devices; d++) {
		double next = offset_of(s, d);
		if (fabs(next - s->offset[d]) > moved)
			moved = fabs(next - s->offset[d]);
		s->offset[d] = next;
	}
	return moved;
}

static void center_sets(struct jr_profile *p, const double *offset, struct jr_arena *scratch)
{
	double *sum = JR_ARENA_N(scratch, double, p->n_devices + 1);
	double *count = JR_ARENA_N(scratch, double, p->n_devices + 1);
	for (size_t d = 0; d < p->n_devices; d++)
		if (p->devices[d].aligned_set != JR_NONE) {
			sum[p->devices[d].aligned_set] += offset[d];
			count[p->devices[d].aligned_set] += 1;
		}
	for (size_t d = 0; d < p->n_devices; d++) {
		uint32_t set = p->devices[d].aligned_set;
		p->devices[d].correction_ns = set == JR_NONE ? 0 : offset[d] - sum[set] / count[set];
	}
}

static void by_medians(struct jr_profile *p, const struct ends *e, struct jr_arena *scratch)
{
	struct solver s = {.e = e,
		.n_devices = p->n_devices,
		.by_device = JR_ARENA_N(scratch, size_t, e->n + 1),
		.device_first = JR_ARENA_N(scratch, size_t, p->n_devices + 2),
		.offset = JR_ARENA_N(scratch, double, p->n_devices + 1),
		.center = JR_ARENA_N(scratch, double, e->n_instances + 1),
		.placed = JR_ARENA_N(scratch, uint8_t, p->n_devices + 1),
		.work = JR_ARENA_N(scratch, double, e->n + 1)};
	size_t *at = JR_ARENA_N(scratch, size_t, p->n_devices + 1);
	for (size_t i = 0; i < e->n; i++)
		s.device_first[e->items[i].device + 1]++;
	for (size_t d = 0; d < p->n_devices; d++)
		s.device_first[d + 1] += s.device_first[d];
	memcpy(at, s.device_first, p->n_devices * sizeof(*at));
	for (size_t i = 0; i < e->n; i++)
		s.by_device[at[e->items[i].device]++] = i;
	connect_devices(p, e, scratch);
	carry_offsets(&s, p->devices);
	/* Offsets settle in a few rounds; the bound is for adversarial input. */
	for (int round = 0; round < 200; round++)
		if (relax(&s) < 1)
			break;
	center_sets(p, s.offset, scratch);
}

void jr_align_compute(struct jr_profile *profile)
{
	for (size_t d = 0; d < profile->n_devices; d++)
		profile->devices[d].aligned_set = JR_NONE;
	if (profile->n_devices < 2 || profile->options.no_align)
		return;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct ends ends = collect(profile, &scratch);
	if (ends.n_instances && same_devices(&ends))
		by_mean_skew(profile, &ends, &scratch);
	else if (ends.n_instances)
		by_medians(profile, &ends, &scratch);
}
