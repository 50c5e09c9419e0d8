/* The rule about collectives that are slower than similar ones. */
#include <stdlib.h>

#include <string.h>

#include "analysis/devices/devices_parts.h"
#include "analysis/core/device_name.h"
#include "analysis/core/terms.h"
#include "analysis/findings/findings.h"
#include "analysis/roofline/roofline.h"
#include "base/order.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define SLOW_COLLECTIVE_TITLE " reaches %s, a comparable collective %s"
#define SLOW_COLLECTIVE_TITLE_SMALL " reaches %s, a larger message %s"
#define SLOW_COLLECTIVE_TIME_ONE "It takes %s per step while no compute runs%s."
#define SLOW_COLLECTIVE_TIME "%zu such collectives take %s per step while no compute runs%s."
#define SLOW_COLLECTIVE_TIME_MEAN ", on average over all steps"
#define SLOW_COLLECTIVE_WHY                                                                        \
	"%s is slower than comparable collectives: %s reaches %s, while %s of %s reaches %s. %s"
#define SLOW_COLLECTIVE_WHY_SMALL "Latency dominates small messages. None of these is combined yet."
#define SLOW_COLLECTIVE_WHY_BUFFERS "the number of buffers"
#define SLOW_COLLECTIVE_WHY_DEVICES "the devices in a group"
#define SLOW_COLLECTIVE_WHY_OVERLAP "how much of them overlaps with other kernels"
#define SLOW_COLLECTIVE_WHY_NO_DIFFERENCE                                                          \
	"Their number of buffers, group, and overlap with other kernels are the same."
#define SLOW_COLLECTIVE_WHY_DIFFERENCE "The slower and the faster one differ in %s"
#define SLOW_COLLECTIVE_ACTION                                                                     \
	"Compare how the two collectives run" JR_ON_GPU(": %s and %s print algorithm, protocol and "   \
	"channels") "."
#define SLOW_COLLECTIVE_ACTION_SMALL                                                               \
	"Combine them%s. A message of many buffers may reach less bandwidth."
#define SLOW_COLLECTIVE_EVIDENCE "This %s moves %s; the faster one is %s, %s. %s%s"
#define SLOW_COLLECTIVE_EVIDENCE_PART                                                              \
	" Only %u of %u devices %s profiled, so waiting for the others counts as transfer."

#define SLOW_COLLECTIVE_SINCE_SUBJECT "%s, slow %s"
#define SLOW_COLLECTIVE_SINCE_TITLE ", takes %s instead of %s"
#define SLOW_COLLECTIVE_SINCE_WHY                                                                  \
	"The same messages took less time before that step. The cause is probably not the program, "   \
	"but a link, a network card, a switch or other traffic."
#define SLOW_COLLECTIVE_SINCE_ACTION                                                               \
	"Check the links, network cards and switches between the devices that take part. Look for "    \
	"other jobs that began to use them at that time."
#define SLOW_COLLECTIVE_SINCE_EVIDENCE                                                             \
	"This %s moves %s. %s This one takes at least twice its shortest time in %s of %s steps.%s"

#define SLOW_COLLECTIVE_GROUP_SUBJECT "%s, slow on %s%s%s"
#define SLOW_COLLECTIVE_GROUP_TITLE ", takes %s there and %s in other groups of devices"
#define SLOW_COLLECTIVE_GROUP_WHY                                                                  \
	"Other groups of devices run the same collective faster, so the program is not the cause. "    \
	"It is probably a link, a network card or a switch of these devices."
#define SLOW_COLLECTIVE_GROUP_ACTION                                                               \
	"Check the links, network cards and switches of these devices, and compare them with those "   \
	"of another group."
#define SLOW_COLLECTIVE_GROUP_EVIDENCE                                                             \
	"This %s moves %s. %s The group of %s takes at least twice as long as the median group in %s " \
	"of %s steps.%s"

/* Bandwidth of one op over its steady instances. */
struct op_rate {
	struct jr_stats bus_bytes_s;
	double transfer_ns; /* shortest durations, multiplied by the devices seen */
	uint32_t devices;   /* fewest seen in an instance */
	bool comparable;    /* the rate is known, and the links can reach it */
	bool across;        /* its groups have devices on several hosts, whose links may be slower */
};

#define FAR_BELOW 0.5

struct slow {
	double ns;          /* exposed time that could be saved */
	uint32_t reference; /* the similar op of the highest bandwidth */
	double scale;       /* factor of its transfer time at that bandwidth */
};

/* Properties that make collectives similar. Sizes are in quarters of powers of two, which are 19 %
 * wide. */
struct like {
	uint32_t collective, group_size;
	int32_t across, buffers, largest, bytes;
};

struct rated {
	struct like like;
	double bus_bytes_s;
	uint32_t op;
};

enum { QUARTERS = 4 }; /* per power of two */

static struct like like_of(const struct jr_op *op, const struct op_rate *rate)
{
	return (struct like){.collective = op->collective,
		.group_size = op->group_size,
		.across = rate->across,
		.buffers = (int32_t)floor(log2((double)op->n_buffers)),
		.largest = (int32_t)floor(log2((double)op->largest_buffer_bytes)),
		.bytes = (int32_t)floor(QUARTERS * log2((double)op->message_bytes))};
}

static int compare_likes(const struct like *a, const struct like *b)
{
	if (a->collective != b->collective)
		return a->collective < b->collective ? -1 : 1;
	if (a->group_size != b->group_size)
		return a->group_size < b->group_size ? -1 : 1;
	if (a->across != b->across)
		return a->across < b->across ? -1 : 1;
	if (a->buffers != b->buffers)
		return a->buffers < b->buffers ? -1 : 1;
	if (a->largest != b->largest)
		return a->largest < b->largest ? -1 : 1;
	return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Of similar collectives, the fastest comes first; of equally fast ones, the first op. */
JR_ORDER(compare_rated, struct rated, JR_BY(compare_likes, like) JR_DOWN(bus_bytes_s) JR_UP(op))

/* Return the fastest with exactly these properties; NULL: none. O(log n) */
static const struct rated *find_rated(const struct rated *items, size_t n, const struct like *like)
{
	size_t first = 0, end = n;
	JR_SEARCH(first, end, middle, compare_likes(&items[middle].like, like) < 0);
	return first < n && compare_likes(&items[first].like, like) == 0 ? &items[first] : NULL;
}

/* Return the fastest similar collective, or NULL. Bandwidth grows with the message size and falls
 * with the number of buffers. So a fair reference has half the size to a fifth more, the same
 * number of buffers to somewhat more, and buffers of about the same size. */
static const struct rated *find_best(
	const struct rated *items, size_t n, const struct like *own, uint32_t op)
{
	const struct rated *best = NULL;
	for (int buffers = 0; buffers <= 1; buffers++)
		for (int largest = -1; largest <= 1; largest++)
			for (int bytes = -QUARTERS; bytes <= 1; bytes++) {
				struct like like = *own;
				like.buffers += buffers;
				like.largest += largest;
				like.bytes += bytes;
				const struct rated *found = find_rated(items, n, &like);
				if (found && found->op != op && (!best || found->bus_bytes_s > best->bus_bytes_s))
					best = found;
			}
	return best;
}

/* Of ops that may differ in their message sizes. */
static uint64_t key_of(const struct jr_op *op, const struct op_rate *rate)
{
	return jr_key2(op->collective * 2 + rate->across, op->group_size);
}

/* Find the fastest of each key; the first of equal ones. */
static void find_fastest(const struct jr_check *c, const struct op_rate *rates, struct jr_map *best)
{
	const struct jr_profile *p = c->ctx->profile;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (!rates[i].comparable)
			continue;
		uint64_t key = key_of(&p->ops[i], &rates[i]);
		uint32_t op = jr_map_get(best, key);
		if (op == JR_NONE || rates[i].bus_bytes_s.mean > rates[op].bus_bytes_s.mean)
			jr_map_put(best, key, i);
	}
}

/* True for small messages of one buffer, which can be combined and then be as fast as large
 * ones. `fastest` may be JR_NONE. */
static bool is_small(const struct jr_profile *p, uint32_t op, uint32_t fastest)
{
	return fastest != JR_NONE && p->ops[op].n_buffers == 1 &&
		p->ops[op].message_bytes < p->ops[fastest].message_bytes / 4;
}

static struct slow compare_rate(
	const struct jr_check *c, const struct op_rate *rates, uint32_t op, uint32_t best)
{
	double own = rates[op].bus_bytes_s.mean, most = rates[best].bus_bytes_s.mean;
	if (own >= FAR_BELOW * most)
		return (struct slow){.reference = JR_NONE};
	double exposed = (double)c->ctx->steady->ops[op].active_ns;
	double saved = rates[op].transfer_ns * (1 - own / most);
	return (struct slow){saved < exposed ? saved : exposed, best, own / most};
}

/* Compare an op with itself before it became slower. */
static struct slow compare_self(
	const struct jr_check *c, const struct jr_slower_since *since, uint32_t op)
{
	if (since->late.when != JR_LATE_SINCE)
		return (struct slow){.reference = JR_NONE};
	double exposed = (double)c->ctx->steady->ops[op].active_ns;
	return (struct slow){fmin(since->saved_ns, exposed), op, since->scale};
}

/* Compare the slowest group of an op with its other groups. */
static struct slow compare_groups(const struct jr_slower_group *group, uint32_t op)
{
	if (group->late.when == JR_LATE_NEVER)
		return (struct slow){.reference = JR_NONE};
	return (struct slow){group->saved_ns, op, group->scale};
}

/* Return the highest possible rate; INFINITY if the links are not known. Switches that sum up let
 * an all-reduce send its data once, which its bus bandwidth counts up to twice. */
static double most_bus_bytes_s(const struct jr_check *c, const struct jr_op *op)
{
	const struct jr_roofline *r = c->ctx->roofline;
	double link_bytes_s = r ? (double)r->peaks.link_bytes_s : 0;
	return link_bytes_s > 0 ? link_bytes_s * fmax(1, op->c) : INFINITY;
}

static struct op_rate *measure_rates(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct op_rate *rates = JR_ARENA_N(c->ctx->scratch, struct op_rate, p->n_ops + 1);
	for (size_t i = 0; i < c->ctx->instances->n; i++) {
		const struct jr_instance *in = &c->ctx->instances->items[i];
		struct op_rate *r = &rates[in->op];
		double bus_bytes_s = jr_instance_bus_bytes_s(p, in);
		if (!(bus_bytes_s > 0) || !jr_check_is_top(c, &p->ops[in->op]) ||
			!jr_is_rendezvous(p, &p->ops[in->op]))
			continue;
		jr_stats_add(&r->bus_bytes_s, bus_bytes_s);
		r->transfer_ns += (double)in->shortest_ns * in->n;
		if (r->devices == 0 || jr_instance_seen(in) < r->devices)
			r->devices = jr_instance_seen(in);
	}
	for (size_t i = 0; i < p->n_ops; i++)
		if (rates[i].bus_bytes_s.n) {
			rates[i].comparable = rates[i].bus_bytes_s.mean <= most_bus_bytes_s(c, &p->ops[i]);
			rates[i].across = !jr_groups_on_one_host(p, p->ops[i].device_group);
		}
	return rates;
}

/* What each op is compared with. */
struct others {
	const struct op_rate *rates; /* [n_ops] */
	struct rated *rated;         /* [n] those that are comparable, similar ones together */
	size_t n;
	struct jr_map fastest_of; /* op of each key */
};

static struct others find_others(struct jr_check *c, const struct op_rate *rates)
{
	const struct jr_profile *p = c->ctx->profile;
	struct others out = {.rates = rates,
		.rated = JR_ARENA_N(c->ctx->scratch, struct rated, p->n_ops + 1)};
	find_fastest(c, rates, &out.fastest_of);
	for (uint32_t i = 0; i < p->n_ops; i++)
		if (rates[i].comparable)
			out.rated[out.n++] =
				(struct rated){like_of(&p->ops[i], &rates[i]), rates[i].bus_bytes_s.mean, i};
	if (out.n)
		qsort(out.rated, out.n, sizeof(*out.rated), compare_rated);
	return out;
}

/* Compare an op with a similar one, or a small message with a large one. */
static struct slow compare_others(
	const struct jr_check *c, const struct others *all, uint32_t op, bool *judged)
{
	const struct jr_profile *p = c->ctx->profile;
	if (!all->rates[op].comparable)
		return (struct slow){.reference = JR_NONE};
	struct like like = like_of(&p->ops[op], &all->rates[op]);
	uint32_t fastest = jr_map_get(&all->fastest_of, key_of(&p->ops[op], &all->rates[op]));
	const struct rated *reference = find_best(all->rated, all->n, &like, op);
	bool small = is_small(p, op, fastest);
	if (!reference && !small)
		return (struct slow){.reference = JR_NONE};
	*judged = true;
	return compare_rate(c, all->rates, op, small ? fastest : reference->op);
}

/* Return "17.72 MB (96 buffers)", or the bytes of a single buffer. */
static const char *message_text(struct jr_check *c, uint32_t op_row)
{
	const struct jr_op *op = &c->ctx->profile->ops[op_row];
	const char *bytes = jr_check_bytes(c, (double)op->message_bytes);
	if (op->n_buffers == 1)
		return bytes;
	return jr_arena_printf(
		c->ctx->arena, "%s (%s buffers)", bytes, jr_check_count(c, op->n_buffers));
}

/* --- differences ------------------------------------------------------------------------------ */

static bool same_groups(const struct jr_profile *p, const struct jr_op *a, const struct jr_op *b)
{
	if (!a->device_group || !b->device_group)
		return a->device_group == b->device_group;
	return memcmp(a->device_group, b->device_group, p->n_devices * sizeof(*a->device_group)) == 0;
}

static double share_beside_compute(const struct jr_check *c, uint32_t op)
{
	const struct jr_op_steady *s = &c->ctx->steady->ops[op];
	return jr_ratio((double)s->hidden_ns, (double)s->dur_ns);
}

#define OTHER_SHARE 0.1 /* smallest difference of overlap shares that is reported */

/* Return "The slower and the faster one differ in the number of buffers and in the devices in a
 * group." The texts before it have the numbers of buffers. */
static const char *differences(struct jr_check *c, uint32_t op, uint32_t other)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_op *a = &p->ops[op], *b = &p->ops[other];
	const char *list[3];
	size_t n = 0;
	if (a->n_buffers != b->n_buffers)
		list[n++] = SLOW_COLLECTIVE_WHY_BUFFERS;
	if (!same_groups(p, a, b))
		list[n++] = SLOW_COLLECTIVE_WHY_DEVICES;
	double beside = share_beside_compute(c, op), of_other = share_beside_compute(c, other);
	if (fabs(beside - of_other) >= OTHER_SHARE)
		list[n++] = SLOW_COLLECTIVE_WHY_OVERLAP;
	if (!n)
		return SLOW_COLLECTIVE_WHY_NO_DIFFERENCE;
	const char *text = jr_arena_printf(c->ctx->arena, SLOW_COLLECTIVE_WHY_DIFFERENCE, list[0]);
	for (size_t i = 1; i < n; i++)
		text =
			jr_arena_printf(c->ctx->arena, "%s%s%s", text, i + 1 == n ? " and in " : ", ", list[i]);
	return jr_arena_printf(c->ctx->arena, "%s.", text);
}

/* Return the fastest of the same kind, group size and approximate size, with any number of
 * buffers. */
static uint32_t fastest_equal(const struct jr_check *c, const struct op_rate *rates, uint32_t op)
{
	const struct jr_profile *p = c->ctx->profile;
	struct like own = like_of(&p->ops[op], &rates[op]);
	uint32_t fastest = JR_NONE;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (i == op || !rates[i].comparable)
			continue;
		struct like like = like_of(&p->ops[i], &rates[i]);
		if (like.collective == own.collective && like.group_size == own.group_size &&
			like.across == own.across &&
			like.bytes >= own.bytes - QUARTERS && like.bytes <= own.bytes + 1 &&
			(fastest == JR_NONE || rates[i].bus_bytes_s.mean > rates[fastest].bus_bytes_s.mean))
			fastest = i;
	}
	return fastest;
}

const char *jr_check_slower_than_equals(struct jr_check *c, uint32_t op)
{
	struct op_rate *rates = measure_rates(c);
	uint32_t equal = rates[op].bus_bytes_s.n ? fastest_equal(c, rates, op) : JR_NONE;
	if (equal == JR_NONE || rates[op].bus_bytes_s.mean >= FAR_BELOW * rates[equal].bus_bytes_s.mean)
		return "";
	return jr_arena_printf(c->ctx->arena, SLOW_COLLECTIVE_WHY,
		jr_check_op(c, op), message_text(c, op), jr_check_rate(c, rates[op].bus_bytes_s.mean),
		jr_check_op(c, equal), message_text(c, equal),
		jr_check_rate(c, rates[equal].bus_bytes_s.mean), differences(c, op, equal));
}

bool jr_check_is_small_message(struct jr_check *c, uint32_t op)
{
	const struct op_rate *rates = measure_rates(c);
	struct jr_map fastest_of = {0};
	const struct jr_op *o = &c->ctx->profile->ops[op];
	find_fastest(c, rates, &fastest_of);
	uint32_t fastest = jr_map_get(&fastest_of, key_of(o, &rates[op]));
	jr_map_done(&fastest_of);
	return is_small(c->ctx->profile, op, fastest);
}

static const char *part_text(struct jr_check *c, const struct op_rate *rates, uint32_t op)
{
	uint32_t seen = rates[op].devices, of = c->ctx->profile->ops[op].group_size;
	if (seen >= of)
		return "";
	return jr_arena_printf(c->ctx->arena, SLOW_COLLECTIVE_EVIDENCE_PART, seen, of,
		seen == 1 ? "was" : "were");
}

/* "2 such collectives take 1.23 ms per step while no compute runs." */
static const char *time_text(struct jr_check *c, size_t n_slow, bool began)
{
	const char *ns = jr_check_time(c, c->named_ns), *mean = began ? SLOW_COLLECTIVE_TIME_MEAN : "";
	return n_slow == 1 ? jr_arena_printf(c->ctx->arena, SLOW_COLLECTIVE_TIME_ONE, ns, mean)
					   : jr_arena_printf(c->ctx->arena, SLOW_COLLECTIVE_TIME, n_slow, ns, mean);
}

/* Return " (--xla_...=N)", the flag that combines messages of that kind; "": none is worth
 * setting. */
static const char *combining_advice(struct jr_check *c, const char *kind)
{
	static const struct {
		const char *kind;
		struct jr_flag_advice flag;
	} combined[] = {{"all-reduce", {JR_FLAG_COMBINE_ALL_REDUCE, "N", NULL, NULL}},
		{"all-gather", {JR_FLAG_COMBINE_ALL_GATHER, "N", NULL, NULL}},
		{"reduce-scatter", {JR_FLAG_COMBINE_REDUCE_SCATTER, "N", NULL, NULL}}};
	for (size_t i = 0; i < JR_COUNT_OF(combined); i++)
		if (strcmp(kind, combined[i].kind) == 0)
			return jr_check_advise(c, " (", &combined[i].flag, 1, ")");
	return "";
}

static void tell_slow(
	struct jr_check *c, const struct op_rate *rates, uint32_t op, uint32_t best, size_t n_slow)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	bool small = is_small(p, op, best);
	jr_check_title(c, jr_check_op(c, op),
		small ? SLOW_COLLECTIVE_TITLE_SMALL : SLOW_COLLECTIVE_TITLE,
		jr_check_rate(c, rates[op].bus_bytes_s.mean),
		jr_check_rate(c, rates[best].bus_bytes_s.mean));
	if (small) {
		jr_check_why(c, SLOW_COLLECTIVE_WHY_SMALL);
		jr_check_do(c, SLOW_COLLECTIVE_ACTION_SMALL,
			combining_advice(c, jr_str(p, p->ops[op].collective)));
	} else {
		jr_check_why(c, "%s", differences(c, op, best));
		jr_check_do(c, SLOW_COLLECTIVE_ACTION,
			jr_flag_text(JR_FLAG_NCCL_DEBUG, "INFO", arena),
			jr_flag_text(JR_FLAG_NCCL_DEBUG_SUBSYS, "INIT,TUNING", arena));
	}
	jr_check_evidence(c, SLOW_COLLECTIVE_EVIDENCE, jr_str(p, p->ops[op].collective),
		message_text(c, op),
		jr_check_op(c, best), message_text(c, best), time_text(c, n_slow, false),
		part_text(c, rates, op));
}

/* One that became slower is compared with itself. */
static void tell_since(struct jr_check *c, const struct op_rate *rates, uint32_t op,
	const struct jr_slower_since *since, size_t n_slow)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	const struct jr_late *late = &since->late;
	jr_check_title(c,
		jr_arena_printf(arena, SLOW_COLLECTIVE_SINCE_SUBJECT, jr_check_op(c, op),
			jr_late_words(p, c->ctx->windows, late, arena)),
		SLOW_COLLECTIVE_SINCE_TITLE, jr_check_time(c, since->since_ns),
		jr_check_time(c, since->before_ns));
	jr_check_why(c, SLOW_COLLECTIVE_SINCE_WHY);
	jr_check_do(c, SLOW_COLLECTIVE_SINCE_ACTION);
	jr_check_evidence(c, SLOW_COLLECTIVE_SINCE_EVIDENCE, jr_str(p, p->ops[op].collective),
		message_text(c, op),
		time_text(c, n_slow, true),
		jr_check_count(c, late->n_late), jr_check_count(c, late->n_steps), part_text(c, rates, op));
}

/* One that is slow in a group of devices is compared with its other groups. */
static void tell_group(struct jr_check *c, const struct op_rate *rates, uint32_t op,
	const struct jr_slower_group *group, size_t n_slow)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	struct jr_late_set set = jr_slower_group_devices(c->ctx, op, group);
	const char *when = group->late.when == JR_LATE_ALWAYS
						   ? NULL
						   : jr_late_words(p, c->ctx->windows, &group->late, arena);
	bool by_host = set.host != JR_NONE && jr_devices_on_hosts(p);
	jr_check_title(c,
		jr_arena_printf(arena, SLOW_COLLECTIVE_GROUP_SUBJECT,
			when ? jr_check_name(c, jr_str(p, p->ops[op].name)) : jr_check_op(c, op),
			by_host ? jr_quoted(jr_str(p, set.host), arena) : jr_late_set_numbers(c->ctx, &set),
			when ? " " : "", when ? when : ""),
		SLOW_COLLECTIVE_GROUP_TITLE, jr_check_time(c, group->own_ns),
		jr_check_time(c, group->usual_ns));
	if (n_slow == 1 && group->late.when == JR_LATE_SINCE)
		c->since = &group->late;
	jr_check_why(c, SLOW_COLLECTIVE_GROUP_WHY);
	jr_check_do(c, SLOW_COLLECTIVE_GROUP_ACTION);
	jr_check_evidence(c, SLOW_COLLECTIVE_GROUP_EVIDENCE, jr_str(p, p->ops[op].collective),
		message_text(c, op),
		time_text(c, n_slow, false),
		jr_late_set_list(c->ctx, &set), jr_check_count(c, group->late.n_late),
		jr_check_count(c, group->late.n_steps), part_text(c, rates, op));
}

/* Time that could be saved, by device: `each_ns` over all devices, and what groups take beyond
 * other groups. */
struct saving {
	double each_ns;
	double *group_ns; /* [n_devices] */
};

static void add_group(struct jr_check *c, struct saving *saving, uint32_t op,
	const struct jr_slower_group *group)
{
	struct jr_late_set set = jr_slower_group_devices(c->ctx, op, group);
	for (size_t i = 0; i < set.n; i++)
		saving->group_ns[set.devices[i]] += group->saved_ns / (double)set.n;
}

/* Return the sum over devices: each device waits for the one that could save most. */
static double add_up(struct jr_check *c, const struct saving *saving)
{
	double most_ns = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		most_ns = fmax(most_ns, saving->group_ns[d]);
	/* without steps there are no devices to count, and no groups are compared */
	return most_ns > 0 ? saving->each_ns + most_ns * (double)jr_check_devices(c) : saving->each_ns;
}

static void claim_saving(struct jr_check *c, const struct saving *saving)
{
	double *claim_ns = JR_ARENA_N(c->ctx->scratch, double, c->ctx->profile->n_devices + 1);
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		claim_ns[d] = saving->each_ns / c->n_steps +
					  jr_ratio(saving->group_ns[d], jr_check_steps_of(c, d));
	jr_check_claim(c, claim_ns, JR_PART_TRANSFER);
}

#define MOSTLY 0.9 /* share of the saving that began at a step: then all of it is said to */

void jr_rule_slow_collective(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct op_rate *rates = measure_rates(c);
	const struct jr_slower_since *since = jr_collectives_since(c->ctx);
	const struct jr_slower_group *groups = jr_collectives_by_group(c->ctx);
	struct saving saving = {0, JR_ARENA_N(c->ctx->scratch, double, p->n_devices + 1)};
	struct others all = find_others(c, rates);
	double worst_ns = 0, exposed_ns = 0, since_ns = 0;
	uint32_t worst = JR_NONE, best = JR_NONE, in_group = JR_NONE, n_slow = 0;
	bool judged = false;
	double *slow_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_ops + 1);
	struct jr_op_change *ops = jr_op_changes_new(p, c->ctx->arena);
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (rates[i].bus_bytes_s.n == 0)
			continue;
		struct slow slow = compare_others(c, &all, i, &judged), own = compare_self(c, &since[i], i);
		if (own.reference == i && own.ns > slow.ns)
			slow = own;
		struct slow by_group = compare_groups(&groups[i], i);
		if (by_group.reference == i)
			slow = by_group;
		judged |= slow.reference == i;
		if (slow.reference == JR_NONE)
			continue;
		n_slow++;
		if (by_group.reference == i) {
			add_group(c, &saving, i, &groups[i]);
			if (in_group == JR_NONE || slow.ns > groups[in_group].saved_ns)
				in_group = i;
		} else {
			since_ns += slow.reference == i ? slow.ns : 0; /* compared with itself before a step */
			saving.each_ns += slow.ns;
		}
		exposed_ns += (double)c->ctx->steady->ops[i].active_ns;
		slow_ns[i] = slow.ns;
		ops[i].scale = slow.scale;
		if (worst == JR_NONE || slow.ns > worst_ns) {
			worst = i;
			worst_ns = slow.ns;
			best = slow.reference;
		}
	}
	jr_map_done(&all.fastest_of);
	if (!jr_check_fires(c, judged ? jr_ratio(add_up(c, &saving), c->wall_ns) : NAN))
		return;
	claim_saving(c, &saving);
	jr_check_change(c)->ops = ops;
	for (size_t d = 0; d < p->n_devices; d++)
		c->explained_transfer_ns[d] += c->claim_ns[d];
	for (size_t i = 0; i < p->n_ops; i++)
		c->explained_op_ns[i] += slow_ns[i];
	c->named_ns = exposed_ns / c->n_steps;
	c->finding.about = jr_str(p, p->ops[worst].name);
	if (in_group == JR_NONE && best == worst && since_ns >= MOSTLY * saving.each_ns)
		c->since = &since[worst].late;
	if (in_group != JR_NONE) /* it shows whose links are slow; all groups of others may use them */
		tell_group(c, rates, in_group, &groups[in_group], n_slow);
	else if (best == worst)
		tell_since(c, rates, worst, &since[worst], n_slow);
	else
		tell_slow(c, rates, worst, best, n_slow);
}
