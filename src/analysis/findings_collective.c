/* The rule about collectives that are slower than others of their kind. */
#include "analysis/findings.h"

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
		if (isnan(in->bus_bytes_s) || in->bus_bytes_s <= 0 ||
			!jr_check_is_top(c, &p->ops[in->op]) ||
			!jr_check_is_collective(p, &p->ops[in->op]))
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
	c->finding.detail = small
		? jr_arena_printf(arena,
			  "Small messages pay for their latency: combine them%s, or shard small parameters "
			  "less.",
			  jr_check_combining_advice(c, kind))
		: jr_arena_printf(arena,
			  "A message of that size can be faster. Look for compute that holds the SMs NCCL "
			  "needs, for a path over slower links%s, and for devices that arrive late.",
			  JR_ADVISE(c, " (", " tells algorithm, protocol and channels)",
				  {JR_FLAG_NCCL_DEBUG, "INFO", NULL, NULL}));
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
	double *slow_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_ops + 1);
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
		slow_ns[i] = slow.ns;
		if (worst == JR_NONE || slow.ns > worst_ns) {
			worst = i;
			worst_ns = slow.ns;
			best = slow.reference;
		}
	}
	jr_map_done(&best_of);
	if (!jr_check_fires(c, n_rates ? jr_ratio(sum_ns, c->wall_ns) : NAN))
		return;
	jr_check_claim_each(c, sum_ns / c->n_steps, JR_PART_TRANSFER);
	for (size_t d = 0; d < p->n_devices; d++)
		c->explained_transfer_ns[d] += c->claim_ns[d];
	for (size_t i = 0; i < p->n_ops; i++)
		c->explained_op_ns[i] += slow_ns[i];
	tell_slow(c, rates, worst, best, n_slow);
}
