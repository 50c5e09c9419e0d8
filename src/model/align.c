#include "model/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Clock alignment, analyses.md section 6: the devices of a collective end it together.
 *
 * An instance is (program, program_execution, name, thunk_execution); its ends are those of all
 * devices seen. Where all instances span the same devices a device's correction is the median of
 * its skews from the mean end. Else offsets o minimise the sum of |end(i, d) - o(d) - c(i)| by
 * alternating medians over c (one an instance) and o (one a device).
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

/* Collects ends instance by instance; instances of one device only say nothing. */
static struct ends collect(const struct jr_profile *p, struct jr_arena *scratch)
{
	const struct jr_thunks *t = &p->thunks;
	struct jr_map by_key = {0};
	size_t n = 0;
	uint32_t n_instances = 0;
	struct end *found = JR_ARENA_N(scratch, struct end, t->n + 1);
	int64_t *origin = JR_ARENA_N(scratch, int64_t, t->n + 1);
	uint32_t *counts = JR_ARENA_N(scratch, uint32_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		if (!jr_thunk_op(p, i)->communication)
			continue;
		uint32_t parts[3] = {t->op[i], t->program_execution[i], t->thunk_execution[i]};
		uint64_t key = jr_hash(parts, sizeof(parts), 0);
		uint32_t instance = jr_map_get(&by_key, key);
		int64_t end_ns = t->start_ns[i] + t->dur_ns[i];
		if (instance == JR_NONE) {
			instance = n_instances++;
			jr_map_put(&by_key, key, instance);
			origin[instance] = end_ns;
		}
		counts[instance]++;
		found[n++] = (struct end){t->device[i], instance, (double)(end_ns - origin[instance])};
	}
	jr_map_done(&by_key);
	struct ends ends = {.n_instances = n_instances};
	ends.first = JR_ARENA_N(scratch, size_t, n_instances + 2);
	ends.items = JR_ARENA_N(scratch, struct end, n + 1);
	for (uint32_t k = 0; k < n_instances; k++)
		ends.first[k + 1] = ends.first[k] + counts[k];
	size_t *at = JR_ARENA_N(scratch, size_t, n_instances + 1);
	memcpy(at, ends.first, n_instances * sizeof(*at));
	for (size_t i = 0; i < n; i++)
		ends.items[at[found[i].instance]++] = found[i];
	ends.n = n;
	return ends;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Median; mean of the middle two where n is even. Sorts v. */
static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare_doubles);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* All instances span one set of devices: rows of an instance come in order of device. */
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

/* --- groups that differ ----------------------------------------------------------------------- */

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

/* One round: centres c from offsets o, then offsets from centres. Returns the largest move. */
static double relax(const struct ends *e, const size_t *by_device, const size_t *device_first,
	size_t n_devices, double *offset, double *centre, double *work)
{
	for (size_t k = 0; k < e->n_instances; k++) {
		size_t n = 0;
		for (size_t j = e->first[k]; j < e->first[k + 1]; j++)
			work[n++] = e->items[j].ns - offset[e->items[j].device];
		centre[k] = median(work, n);
	}
	double moved = 0;
	for (size_t d = 0; d < n_devices; d++) {
		size_t n = 0;
		for (size_t j = device_first[d]; j < device_first[d + 1]; j++) {
			const struct end *end = &e->items[by_device[j]];
			if (e->first[end->instance + 1] - e->first[end->instance] > 1)
				work[n++] = end->ns - centre[end->instance];
		}
		if (n == 0)
			continue;
		double next = median(work, n);
		if (fabs(next - offset[d]) > moved)
			moved = fabs(next - offset[d]);
		offset[d] = next;
	}
	return moved;
}

static void centre_sets(struct jr_profile *p, const double *offset, struct jr_arena *scratch)
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
	size_t *device_first = JR_ARENA_N(scratch, size_t, p->n_devices + 2);
	size_t *at = JR_ARENA_N(scratch, size_t, p->n_devices + 1);
	size_t *by_device = JR_ARENA_N(scratch, size_t, e->n + 1);
	for (size_t i = 0; i < e->n; i++)
		device_first[e->items[i].device + 1]++;
	for (size_t d = 0; d < p->n_devices; d++)
		device_first[d + 1] += device_first[d];
	memcpy(at, device_first, p->n_devices * sizeof(*at));
	for (size_t i = 0; i < e->n; i++)
		by_device[at[e->items[i].device]++] = i;
	double *offset = JR_ARENA_N(scratch, double, p->n_devices + 1);
	double *centre = JR_ARENA_N(scratch, double, e->n_instances + 1);
	double *work = JR_ARENA_N(scratch, double, e->n + 1);
	connect_devices(p, e, scratch);
	/* Offsets settle in a few rounds; the bound is for adversarial input. */
	for (int round = 0; round < 200; round++)
		if (relax(e, by_device, device_first, p->n_devices, offset, centre, work) < 1)
			break;
	centre_sets(p, offset, scratch);
}

void jr_align_compute(struct jr_profile *profile)
{
	for (size_t d = 0; d < profile->n_devices; d++)
		profile->devices[d].aligned_set = JR_NONE;
	if (profile->n_devices < 2 || profile->options.no_align)
		return;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct ends ends = collect(profile, &scratch);
	if (ends.n_instances) {
		if (!same_devices(&ends))
			by_medians(profile, &ends, &scratch);
		else if (ends.first[1] > 1)
			by_mean_skew(profile, &ends, &scratch);
	}
	jr_arena_done(&scratch);
}
