/*
 * truth_communication.c - instances of collectives, and the numbers derived from them
 * (analysis/README.md, sections 4.6 and 6).
 *
 * A collective ends on all devices at one true time, so its wait is the difference between the
 * longest and the shortest length, and the last to arrive has the shortest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "truth_frames.h"

struct instance {
	uint32_t program, execution, op, repeat, group, n_devices;
	int64_t shortest_ns, longest_ns, sum_ns;
	int64_t least_exposed_ns, most_exposed_ns;
	bool copy;            /* host offloading: devices are independent */
	uint32_t last_device; /* shortest: the last to arrive */
	bool steady;
};

typedef JR_VEC(struct instance) instance_vec;

/* Rows of one instance are in any order; their key groups them. */
static void find_instances(const struct gen_truth *t, instance_vec *instances)
{
	struct jr_map by_op = {0}, by_key = {0};
	uint32_t n_ops = 0;
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		if (!gen_truth_op(t, x)->communication)
			continue;
		uint64_t op_key = (uint64_t)x->program << 48 | (uint64_t)x->op << 24 | x->repeat;
		uint32_t op_id = jr_map_get(&by_op, op_key);
		if (op_id == JR_NONE)
			jr_map_put(&by_op, op_key, op_id = n_ops++);
		const struct gen_program *p = t->sc->programs.items[x->program];
		uint32_t group = gen_group_of(gen_truth_op(t, x), x->device - p->first_device);
		uint64_t key = jr_key2(op_id * GEN_MAX_DEVICES + group, x->execution);
		uint32_t index = jr_map_get(&by_key, key);
		if (index == JR_NONE) {
			index = (uint32_t)instances->n;
			jr_map_put(&by_key, key, index);
			*jr_vec_add(instances) = (struct instance){.program = x->program,
				.execution = x->execution,
				.op = x->op,
				.repeat = x->repeat,
				.group = group,
				.shortest_ns = INT64_MAX,
				.least_exposed_ns = INT64_MAX,
				.copy = gen_is_copy(gen_truth_op(t, x)),
				.steady = x->steady};
		}
		struct instance *in = &instances->items[index];
		int64_t exposed = gen_truth_active(x);
		in->n_devices++;
		in->sum_ns += x->dur_ns;
		if (x->dur_ns < in->shortest_ns) {
			in->shortest_ns = x->dur_ns;
			in->last_device = x->device;
		}
		in->longest_ns = x->dur_ns > in->longest_ns ? x->dur_ns : in->longest_ns;
		in->least_exposed_ns = exposed < in->least_exposed_ns ? exposed : in->least_exposed_ns;
		in->most_exposed_ns = exposed > in->most_exposed_ns ? exposed : in->most_exposed_ns;
	}
	jr_map_done(&by_op);
	jr_map_done(&by_key);
}

/* nccl-tests: algorithm bandwidth = k * size / time, bus bandwidth = algorithm * c. */
static void factors(const struct gen_op *op, double *k, double *c)
{
	double n = op->group_size, share = (n - 1) / n;
	*k = *c = 1;
	if (strcmp(op->collective, "all-gather") == 0 ||
		strcmp(op->collective, "reduce-scatter") == 0) {
		*k = n;
		*c = share;
	} else if (strcmp(op->collective, "all-reduce") == 0) {
		*c = 2 * share;
	} else if (strcmp(op->collective, "all-to-all") == 0) {
		*c = share;
	}
}

static const struct gen_op *op_of(const struct gen_truth *t, const struct instance *in)
{
	return &t->sc->programs.items[in->program]->ops.items[in->op];
}

/* Bytes per ns are GB per s. */
static double bus_gbps(const struct gen_truth *t, const struct instance *in, double *algorithm)
{
	double k, c;
	const struct gen_op *op = op_of(t, in);
	factors(op, &k, &c);
	*algorithm = k * (double)op->message_bytes / (double)in->shortest_ns;
	return *algorithm * c;
}

static void put_instances(struct gen_truth *t, const instance_vec *instances)
{
	struct gen_json *j = &t->json;
	gen_json_open(j, "collective_instances", '[');
	for (size_t i = 0; i < instances->n; i++) {
		const struct instance *in = &instances->items[i];
		const struct gen_op *op = op_of(t, in);
		char text[JR_NUM_MAX];
		double algorithm;
		if (!in->steady)
			continue;
		gen_json_open(j, NULL, '{');
		jr_num_i64(text, t->sc->programs.items[in->program]->number);
		gen_json_text(j, "program_id", text);
		gen_json_i64(j, "program_execution", in->execution);
		gen_json_text(j, "name", op->name);
		gen_json_i64(j, "thunk_execution", in->repeat);
		gen_json_i64(j, "device_group", in->group);
		gen_json_text(j, "collective", op->collective);
		gen_json_i64(j, "message_bytes", (int64_t)op->message_bytes);
		gen_json_i64(j, "buffers", 1);
		gen_json_i64(j, "largest_buffer_bytes", (int64_t)op->message_bytes);
		gen_json_i64(j, "group_size", op->group_size);
		gen_json_f64(j, "bus_gbps", bus_gbps(t, in, &algorithm));
		gen_json_f64(j, "algorithm_gbps", algorithm);
		if (!in->copy)
			gen_json_ms(j, "wait_ms", in->longest_ns - in->shortest_ns);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
}

static bool same_group(const struct gen_op *a, const struct gen_op *b)
{
	return strcmp(a->collective, b->collective) == 0 && a->message_bytes == b->message_bytes;
}

static void put_collectives(struct gen_truth *t, const instance_vec *instances)
{
	struct gen_json *j = &t->json;
	JR_VEC(const struct gen_op *) seen = {0};
	gen_json_open(j, "collectives", '[');
	for (size_t i = 0; i < instances->n; i++) {
		const struct gen_op *op = op_of(t, &instances->items[i]);
		struct jr_stats bus = {0}, wait = {0};
		bool known = !instances->items[i].steady;
		for (size_t k = 0; k < seen.n && !known; k++)
			known = same_group(seen.items[k], op);
		if (known)
			continue;
		*jr_vec_add(&seen) = op;
		for (size_t k = i; k < instances->n; k++) {
			const struct instance *in = &instances->items[k];
			double algorithm;
			if (!in->steady || !same_group(op_of(t, in), op))
				continue;
			jr_stats_add(&bus, bus_gbps(t, in, &algorithm));
			jr_stats_add(&wait, 1e-6 * (double)(in->longest_ns - in->shortest_ns));
		}
		gen_json_open(j, NULL, '{');
		gen_json_text(j, "collective", op->collective);
		gen_json_i64(j, "message_bytes", (int64_t)op->message_bytes);
		gen_json_i64(j, "buffers", 1);
		gen_json_i64(j, "largest_buffer_bytes", (int64_t)op->message_bytes);
		gen_json_i64(j, "group_size", op->group_size);
		gen_json_i64(j, "instances", bus.n);
		gen_json_f64(j, "bus_gbps_mean", bus.mean);
		gen_json_f64(j, "bus_gbps_sem", jr_stats_std(&bus) / sqrt((double)bus.n));
		if (!instances->items[i].copy)
			gen_json_f64(j, "wait_mean_ms", wait.mean);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
	jr_vec_done(&seen);
}

static void put_overlap(struct gen_truth *t)
{
	static const char *const kinds[] = {"all-gather", "all-reduce", "reduce-scatter", "all-to-all",
		"collective-permute", "host-to-device", "device-to-host", "all"};
	enum { N_KINDS = 8, ALL = N_KINDS - 1 };
	struct gen_json *j = &t->json;
	int64_t hidden[N_KINDS] = {0}, full[N_KINDS] = {0};
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		const struct gen_op *op = gen_truth_op(t, x);
		for (int k = 0; k < N_KINDS && x->steady && op->communication; k++) {
			if (k != ALL && strcmp(kinds[k], op->collective) != 0)
				continue;
			hidden[k] += x->hidden_ns;
			full[k] += x->dur_ns;
		}
	}
	gen_json_open(j, "overlap", '[');
	for (int k = 0; k < N_KINDS && hidden[ALL]; k++) {
		if (!full[k])
			continue;
		gen_json_open(j, NULL, '{');
		gen_json_text(j, "collective", kinds[k]);
		gen_json_f64(j, "hidden_fraction", (double)hidden[k] / (double)full[k]);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
}

uint32_t *gen_truth_sets(const struct gen_truth *t)
{
	uint32_t n = (uint32_t)t->sc->devices.n;
	uint32_t *set = JR_ARENA_N(&t->sc->arena, uint32_t, n);
	for (uint32_t i = 0; i < n; i++)
		set[i] = i;
	for (size_t k = 0; k < t->sc->programs.n; k++) {
		const struct gen_program *p = t->sc->programs.items[k];
		bool ties = false;
		for (size_t i = 0; i < p->ops.n && p->n_executions; i++)
			ties |= p->ops.items[i].communication && p->ops.items[i].group_size > 1;
		/* with or without groups, each program has a collective over all its devices */
		for (uint32_t i = 1; ties && i < gen_program_devices(t->sc, p); i++) {
			uint32_t from = set[p->first_device + i], to = set[p->first_device];
			for (uint32_t d = 0; d < n; d++)
				set[d] = set[d] == from ? to : set[d];
		}
	}
	return set;
}

/* Mean offset of the clocks tied to the device's; *n: their number with its own. */
static double mean_offset(const struct gen_truth *t, const uint32_t *set, size_t device, int64_t *n)
{
	int64_t sum = 0;
	*n = 0;
	for (size_t d = 0; d < t->sc->devices.n; d++) {
		sum += set[d] == set[device] ? t->sc->devices.items[d].offset_ns : 0;
		*n += set[d] == set[device];
	}
	return (double)sum / (double)*n;
}

double *gen_truth_clocks_left(const struct gen_truth *t)
{
	const uint32_t *set = gen_truth_sets(t);
	double *left = JR_ARENA_N(&t->sc->arena, double, t->sc->devices.n);
	for (size_t d = 0; d < t->sc->devices.n; d++) {
		int64_t n;
		left[d] = mean_offset(t, set, d, &n); /* of a single one: its own */
	}
	return left;
}

/* The mean offset of each set is 0. */
static void put_alignment(struct gen_truth *t)
{
	const uint32_t *set = gen_truth_sets(t);
	gen_json_open(&t->json, "alignment", '[');
	for (size_t i = 0; i < t->sc->devices.n; i++) {
		int64_t n;
		double mean = mean_offset(t, set, i, &n);
		if (n < 2)
			continue;
		gen_json_open(&t->json, NULL, '{');
		gen_json_i64(&t->json, "device", t->sc->devices.items[i].global);
		gen_json_f64(
			&t->json, "correction_ms", 1e-6 * ((double)t->sc->devices.items[i].offset_ns - mean));
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
}

/* Attribute the others' waits to the last device to arrive; check how well clocks are set. */
static void put_stragglers(struct gen_truth *t, const instance_vec *instances)
{
	size_t n = t->sc->devices.n;
	int64_t *caused = JR_ARENA_N(&t->sc->arena, int64_t, n);
	int64_t *last = JR_ARENA_N(&t->sc->arena, int64_t, n);
	for (size_t i = 0; i < instances->n; i++) {
		const struct instance *in = &instances->items[i];
		if (!in->steady || in->n_devices < 2 || in->copy)
			continue;
		caused[in->last_device] += in->sum_ns - in->shortest_ns * in->n_devices;
		last[in->last_device]++;
	}
	gen_json_open(&t->json, "stragglers", '[');
	for (size_t i = 0; i < n && n > 1 && t->any_communication; i++) {
		gen_json_open(&t->json, NULL, '{');
		gen_json_i64(&t->json, "device", t->sc->devices.items[i].global);
		gen_json_ms(&t->json, "caused_wait_ms", caused[i]);
		gen_json_i64(&t->json, "last_arrivals", last[i]);
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
}

/* Groups wait concurrently: the one with the longest wait counts for all, the others have none. */
static int64_t longest_wait(const instance_vec *instances, size_t first)
{
	const struct instance *in = &instances->items[first];
	int64_t longest = 0;
	for (size_t i = 0; i < instances->n; i++) {
		const struct instance *x = &instances->items[i];
		if (x->program != in->program || x->op != in->op || x->repeat != in->repeat ||
			x->execution != in->execution)
			continue;
		if (i < first)
			return 0;
		if (!x->copy && x->most_exposed_ns - x->least_exposed_ns > longest)
			longest = x->most_exposed_ns - x->least_exposed_ns;
	}
	return longest;
}

bool gen_truth_program_wait(
	const struct gen_truth *t, uint32_t program, double *mean_ns, double *std_ns)
{
	instance_vec instances = {0};
	struct jr_stats wait = {0};
	uint32_t n = t->sc->programs.items[program]->n_executions;
	int64_t *sums = calloc(n + 1, sizeof(*sums));
	bool *seen = calloc(n + 1, sizeof(*seen));
	if (!sums || !seen)
		jr_oom();
	find_instances(t, &instances);
	for (size_t i = 0; i < instances.n; i++) {
		const struct instance *in = &instances.items[i];
		if (in->program != program || !in->steady)
			continue;
		sums[in->execution] += op_of(t, in)->n_groups > 1 ? longest_wait(&instances, i)
							   : in->copy                 ? 0
										  : in->most_exposed_ns - in->least_exposed_ns;
		seen[in->execution] = true;
	}
	for (uint32_t i = 0; i < n; i++)
		if (seen[i])
			jr_stats_add(&wait, (double)sums[i]);
	*mean_ns = jr_stats_mean(&wait);
	*std_ns = jr_stats_std(&wait);
	jr_vec_done(&instances);
	free(sums);
	free(seen);
	return wait.n > 0;
}

void gen_truth_communication(struct gen_truth *t)
{
	instance_vec instances = {0};
	find_instances(t, &instances);
	put_instances(t, &instances);
	put_collectives(t, &instances);
	put_overlap(t);
	put_alignment(t);
	put_stragglers(t, &instances);
	jr_vec_done(&instances);
}
