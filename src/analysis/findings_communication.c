/* Rules about communication. */
#include <stdlib.h>
#include <string.h>

#include "analysis/delays.h"
#include "analysis/findings.h"

static bool is_collective(const struct jr_profile *p, const struct jr_op *op)
{
	const char *kind = jr_str(p, op->collective);
	return op->communication && strcmp(kind, "host-to-device") != 0 &&
		   strcmp(kind, "device-to-host") != 0;
}

static bool is_top(const struct jr_check *c, const struct jr_op *op)
{
	return c->ctx->steady->programs[op->program].top;
}

/* --- exposed -------------------------------------------------------------------------------- */

static const struct {
	const char *collective, *advice;
} advices[] = {
	{"all-gather", "All-gathers of sharded parameters can run ahead of the layer that needs them: "
				   "--xla_gpu_enable_latency_hiding_scheduler=true, "
				   "--xla_gpu_enable_pipelined_all_gather=true "
				   "inside loops over layers, larger messages with "
				   "--xla_gpu_all_gather_combine_threshold_bytes=N."},
	{"reduce-scatter",
		"Reduce-scatters of gradients can run under the backward pass of the next layer: "
		"--xla_gpu_enable_latency_hiding_scheduler=true, "
		"--xla_gpu_enable_pipelined_reduce_scatter=true, larger messages with "
		"--xla_gpu_reduce_scatter_combine_threshold_bytes=N."},
	{"all-reduce",
		"All-reduces of gradients can run under the backward pass: "
		"--xla_gpu_enable_latency_hiding_scheduler=true, "
		"--xla_gpu_enable_pipelined_all_reduce=true, "
		"larger or smaller messages with --xla_gpu_all_reduce_combine_threshold_bytes=N. Sum in "
		"bfloat16 where that is enough."},
	{"all-to-all", "All-to-alls of expert layers overlap only with independent work: split the "
				   "batch in two so "
				   "that one half computes while the other one moves."},
	{"collective-permute",
		"Permutes of pipeline stages and of windowed einsums hide behind compute with more "
		"microbatches; --xla_gpu_enable_pipelined_p2p=true."},
};

static const char *advice_for(struct jr_check *c, const char *kind)
{
	const char *advice =
		"Let it overlap with compute: --xla_gpu_enable_latency_hiding_scheduler=true.";
	for (size_t i = 0; i < JR_COUNT_OF(advices); i++)
		if (strcmp(kind, advices[i].collective) == 0)
			advice = advices[i].advice;
	const char *scheduler =
		jr_check_flag_on(c, "xla_gpu_enable_latency_hiding_scheduler")
			? " (The latency-hiding scheduler is on in this profile: give it measured costs with "
			  "JAX_ENABLE_PGLE=true.)"
			: "";
	return jr_arena_printf(c->ctx->arena, "%s%s", advice, scheduler);
}

void jr_check_exposed(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	double exposed_ns = (double)c->part_ns[JR_PART_COMMUNICATION];
	if (!jr_check_fires(c, p->any_communication ? jr_ratio(exposed_ns, (double)c->wall_ns) : NAN))
		return;
	jr_check_recoverable(c, exposed_ns, (double)c->part_ns[JR_PART_COMMUNICATION]);
	double *op_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_ops + 1);
	double *kind_ns = JR_ARENA_N(c->ctx->scratch, double, p->strings.n + 1);
	double sum_ns = 0, hidden_ns = 0;
	for (size_t i = 0; i < p->n_ops; i++) {
		if (!is_top(c, &p->ops[i]) || !is_collective(p, &p->ops[i]))
			continue;
		op_ns[i] = (double)c->ctx->steady->ops[i].active_ns;
		kind_ns[p->ops[i].collective] += op_ns[i];
		sum_ns += op_ns[i];
		hidden_ns += (double)c->ctx->steady->ops[i].hidden_ns;
	}
	size_t op = jr_check_largest(op_ns, p->n_ops), kind = jr_check_largest(kind_ns, p->strings.n);
	if (op == SIZE_MAX || op_ns[op] <= 0) {
		/* The ledger is of the top modules, while anything may hide an op. */
		c->finding.title = jr_arena_printf(arena,
			"Communication without compute of the step takes %s of each step (%s)",
			jr_check_step_time(c, exposed_ns), jr_check_percent(c, c->value));
		c->finding.detail = advice_for(c, "");
		c->finding.evidence =
			"All of it runs beside compute of other programs or of initialisation.";
		return;
	}
	const char *kind_name = jr_str(p, (uint32_t)kind);
	c->finding.title =
		jr_arena_printf(arena, "Exposed communication takes %s of each step (%s), %s %s",
			jr_check_step_time(c, exposed_ns), jr_check_percent(c, c->value),
			kind_ns[kind] > sum_ns / 2 ? "mostly" : "most in", kind_name);
	c->finding.detail = advice_for(c, kind_name);
	c->finding.evidence = jr_arena_printf(arena,
		"%s: %s of it. The op with most is %s, %s a step; of all time in collectives %s is hidden.",
		kind_name, jr_check_percent(c, kind_ns[kind] / sum_ns), jr_check_op(c, (uint32_t)op),
		jr_check_step_time(c, op_ns[op]),
		jr_check_percent(c, hidden_ns / (hidden_ns + sum_ns)));
}

/* --- below the bandwidth of others ---------------------------------------------------------- */

/* Bandwidth of one op: over its steady instances. */
struct op_rate {
	struct jr_stats bus_bytes_s;
	double transfer_ns; /* shortest durations, once for each device seen */
	uint32_t devices;   /* fewest seen in an instance */
};

#define FAR_BELOW 0.5

struct slow {
	double ns;          /* exposed time that would go */
	uint32_t reference; /* the op of the best bandwidth */
};

/* The op with the best bandwidth of each kind and group, the first of equal ones. */
static void find_best(const struct jr_check *c, const struct op_rate *rates, struct jr_map *best)
{
	const struct jr_profile *p = c->ctx->profile;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (rates[i].bus_bytes_s.n == 0)
			continue;
		uint64_t key = jr_key2(p->ops[i].collective, p->ops[i].group_size);
		uint32_t op = jr_map_get(best, key);
		if (op == JR_NONE || rates[i].bus_bytes_s.mean > rates[op].bus_bytes_s.mean)
			jr_map_put(best, key, i);
	}
}

/* Against the best op of the same kind and group; bandwidth grows with size, so any size is a fair
 * bound for itself and all larger ones, and for smaller ones it is what combining them would reach.
 */
static struct slow compare_rate(
	const struct jr_check *c, const struct op_rate *rates, uint32_t op, uint32_t best)
{
	double own = rates[op].bus_bytes_s.mean, most = rates[best].bus_bytes_s.mean;
	if (own >= FAR_BELOW * most)
		return (struct slow){.reference = JR_NONE};
	double exposed = (double)c->ctx->steady->ops[op].active_ns;
	double saved = rates[op].transfer_ns * (1 - own / most);
	return (struct slow){saved < exposed ? saved : exposed, best};
}

static struct op_rate *measure_rates(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct op_rate *rates = JR_ARENA_N(c->ctx->scratch, struct op_rate, p->n_ops + 1);
	for (size_t i = 0; i < c->ctx->instances->n; i++) {
		const struct jr_instance *in = &c->ctx->instances->items[i];
		struct op_rate *r = &rates[in->op];
		if (isnan(in->bus_bytes_s) || in->bus_bytes_s <= 0 || !is_top(c, &p->ops[in->op]) ||
			!is_collective(p, &p->ops[in->op]))
			continue;
		jr_stats_add(&r->bus_bytes_s, in->bus_bytes_s);
		r->transfer_ns += (double)in->shortest_ns * in->n;
		if (r->devices == 0 || in->n < r->devices)
			r->devices = in->n;
	}
	return rates;
}

static void tell_slow(
	struct jr_check *c, const struct op_rate *rates, uint32_t op, uint32_t best, size_t n_slow)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	char bytes[JR_NUM_MAX], best_bytes[JR_NUM_MAX];
	jr_num_bytes(bytes, (double)p->ops[op].message_bytes);
	jr_num_bytes(best_bytes, (double)p->ops[best].message_bytes);
	const char *kind = jr_str(p, p->ops[op].collective);
	c->finding.title = jr_arena_printf(arena, "%s: %s of %s reaches %s, where %s reaches %s", kind,
		jr_check_op(c, op), bytes, jr_check_rate(c, rates[op].bus_bytes_s.mean), best_bytes,
		jr_check_rate(c, rates[best].bus_bytes_s.mean));
	bool small = p->ops[op].message_bytes * 4 < p->ops[best].message_bytes;
	c->finding.detail =
		small ? "Small messages pay for their latency: combine them "
				"(--xla_gpu_all_reduce_combine_threshold_bytes, "
				"--xla_gpu_all_gather_combine_threshold_bytes, "
				"--xla_gpu_reduce_scatter_combine_threshold_bytes), or shard small parameters less."
			  : "A message of that size can be faster. Look for compute that holds the SMs NCCL "
				"needs, for "
				"a path over slower links (NCCL_DEBUG=INFO tells algorithm, protocol and "
				"channels), and for "
				"devices that arrive late.";
	c->finding.evidence = jr_arena_printf(arena,
		"%zu op%s below half of the best bandwidth of %s kind; mean bus bandwidth over %lld "
		"instance%s against %s.%s",
		n_slow, n_slow == 1 ? "" : "s", n_slow == 1 ? "its" : "their",
		(long long)rates[op].bus_bytes_s.n, rates[op].bus_bytes_s.n == 1 ? "" : "s",
		jr_check_op(c, best),
		rates[op].devices < p->ops[op].group_size
			? jr_arena_printf(arena,
				  " Only %u of %u devices %s profiled, so waiting for the others "
				  "counts as transfer.",
				  rates[op].devices, p->ops[op].group_size,
				  rates[op].devices == 1 ? "was" : "were")
			: "");
}

void jr_check_slow_collective(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct op_rate *rates = measure_rates(c);
	double sum_ns = 0, worst_ns = 0;
	uint32_t worst = JR_NONE, best = JR_NONE;
	size_t n_slow = 0, n_rates = 0;
	struct jr_map best_of = {0};
	find_best(c, rates, &best_of);
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (rates[i].bus_bytes_s.n == 0)
			continue;
		n_rates++;
		uint64_t key = jr_key2(p->ops[i].collective, p->ops[i].group_size);
		struct slow slow = compare_rate(c, rates, i, jr_map_get(&best_of, key));
		if (slow.reference == JR_NONE)
			continue;
		n_slow++;
		sum_ns += slow.ns;
		if (worst == JR_NONE || slow.ns > worst_ns) {
			worst = i;
			worst_ns = slow.ns;
			best = slow.reference;
		}
	}
	jr_map_done(&best_of);
	if (!jr_check_fires(c, n_rates ? jr_ratio(sum_ns, (double)c->wall_ns) : NAN))
		return;
	jr_check_recoverable(c, sum_ns, (double)c->part_ns[JR_PART_COMMUNICATION]);
	tell_slow(c, rates, worst, best, n_slow);
}

/* --- the device that all wait for ----------------------------------------------------------- */

struct lateness {
	double *ns; /* [n_devices] what each of the others waited for it, summed over instances */
	double sum_ns;
	size_t n;
};

static void add_lateness(const struct jr_profile *p, const struct jr_instance *in,
	struct lateness *late)
{
	double last = -INFINITY, before = -INFINITY;
	uint32_t latest = 0;
	for (uint32_t k = 0; k < in->n; k++) {
		double start = jr_aligned_start_ns(p, in->thunks[k]);
		if (start > last) {
			before = last;
			last = start;
			latest = k;
		} else if (start > before) {
			before = start;
		}
	}
	/* Each of the others loses that, but for what its compute hides. */
	double sum_ns = 0;
	for (uint32_t k = 0; k < in->n; k++)
		if (k != latest)
			sum_ns += fmin(last - before, (double)jr_thunk_active_ns(p, in->thunks[k]));
	uint32_t device = p->thunks.device[in->thunks[latest]];
	late->ns[device] += sum_ns / (in->n - 1);
	late->sum_ns += sum_ns / (in->n - 1);
	late->n++;
}

static struct lateness measure_lateness(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct lateness late = {JR_ARENA_N(c->ctx->scratch, double, p->n_devices + 1), 0, 0};
	for (size_t i = 0; i < c->ctx->instances->n; i++) {
		const struct jr_instance *in = &c->ctx->instances->items[i];
		if (in->together && is_top(c, &p->ops[in->op]))
			add_lateness(p, in, &late);
	}
	return late;
}

/* Devices that ran steps; others may be known of. */
static size_t count_devices(const struct jr_check *c)
{
	size_t n = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		n += c->ctx->steady->devices[d].seen;
	return n;
}

/* Of those the ones that collectives join with the device, by way of others too; all where clocks
 * were not compared. */
static size_t count_joined(const struct jr_check *c, size_t device)
{
	const struct jr_profile *p = c->ctx->profile;
	size_t n = 0;
	for (size_t d = 0; d < p->n_devices; d++)
		n += c->ctx->steady->devices[d].seen &&
			p->devices[d].aligned_set == p->devices[device].aligned_set;
	return n;
}

/* A device against all others together, in sums that are whole. */
struct two_sides {
	double own, others;
};

/* Steady executions of each program. */
static struct two_sides *count_executions(struct jr_check *c, uint32_t device)
{
	const struct jr_modules *m = &c->ctx->profile->modules;
	struct two_sides *counts =
		JR_ARENA_N(c->ctx->scratch, struct two_sides, c->ctx->profile->n_programs + 1);
	for (size_t i = 0; i < m->n; i++) {
		if (!m->steady[i])
			continue;
		counts[m->program[i]].own += m->device[i] == device;
		counts[m->program[i]].others += m->device[i] != device;
	}
	return counts;
}

/* Time in each op of compute of the top modules. */
static struct two_sides *sum_compute(struct jr_check *c, uint32_t device)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	struct two_sides *sums = JR_ARENA_N(c->ctx->scratch, struct two_sides, p->n_ops + 1);
	for (size_t i = 0; i < t->n; i++) {
		if (!jr_steady_top_thunk(p, c->ctx->steady, i) || jr_thunk_op(p, i)->communication)
			continue;
		double *side = t->device[i] == device ? &sums[t->op[i]].own : &sums[t->op[i]].others;
		*side += (double)t->dur_ns[i];
	}
	return sums;
}

/* The op in which the device spends most more than the others would in as many executions, for some
 * may have seen one more; JR_NONE = in none. */
static uint32_t slower_op(struct jr_check *c, uint32_t device, double *more_ns)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct two_sides *counts = count_executions(c, device), *sums = sum_compute(c, device);
	double *more = JR_ARENA_N(c->ctx->scratch, double, p->n_ops + 1);
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct two_sides *count = &counts[p->ops[i].program];
		if (count->others > 0)
			more[i] = sums[i].own - sums[i].others * count->own / count->others;
	}
	size_t op = jr_check_largest(more, p->n_ops);
	if (op == SIZE_MAX || more[op] <= 0 || counts[c->step].own <= 0)
		return JR_NONE;
	*more_ns = more[op] / counts[c->step].own;
	return (uint32_t)op;
}

#define DOMINANT 0.6 /* of all lateness; below it devices take turns, and there is no straggler */

void jr_check_straggler(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	size_t n_devices = count_devices(c);
	if (n_devices < 2 || c->n_steps <= 0)
		return;
	struct lateness late = measure_lateness(c);
	if (late.n == 0)
		return;
	uint32_t device = c->ctx->delays->order[0];
	const struct jr_device_delay *delay = &c->ctx->delays->devices[device];
	/* All devices that it holds up get what this one loses, so it counts once for each of them. */
	double lost_ns = late.ns[device] * (double)count_joined(c, device);
	bool dominates = late.sum_ns > 0 && late.ns[device] >= DOMINANT * late.sum_ns;
	if (!jr_check_fires(c, dominates ? jr_ratio(lost_ns, (double)c->wall_ns) : 0))
		return;
	jr_check_recoverable(c, lost_ns, (double)c->part_ns[JR_PART_COMMUNICATION]);
	double more_ns = 0;
	uint32_t op = slower_op(c, device, &more_ns);
	c->finding.title = jr_arena_printf(arena, "Device %u holds the others up: %s of each step (%s)",
		p->devices[device].global, jr_check_step_time(c, lost_ns), jr_check_percent(c, c->value));
	c->finding.detail =
		"It arrives last at collectives and the others wait. If it is slow in one kernel, its "
		"shard "
		"of the data is worse than theirs: balance it. If it is slow in all of them, it is the "
		"hardware: clocks and heat (nvidia-smi -q -d PERFORMANCE,CLOCK), another process, its "
		"host's "
		"CPU or NUMA placement.";
	c->finding.evidence = jr_arena_printf(arena, "Last at %s of its %s collective instances.%s",
		jr_check_count(c, (size_t)delay->last), jr_check_count(c, (size_t)delay->instances),
		op == JR_NONE
			? ""
			: jr_arena_printf(arena, " It spends %s a step more than the others do in %s.",
				  jr_check_time(c, more_ns), jr_check_op(c, op)));
}
