/* The rule about devices that delay the others. */
#include <inttypes.h>

#include "analysis/core/device_name.h"
#include "analysis/core/terms.h"
#include "analysis/devices/slowness.h"
#include "analysis/devices/waiting.h"
#include "analysis/findings/advice.h"
#include "analysis/shared/late_moves.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define STRAGGLER_SUBJECT_NONE "Waiting between devices"
#define STRAGGLER_TITLE_NONE " takes %s, with no single slowest device"
#define STRAGGLER_TITLE_ELSEWHERE " takes %s, mostly for devices that are not selected"
#define STRAGGLER_TITLE_NEEDS ": it needs %s more than any other device"
#define STRAGGLER_TITLE_WAIT ": each of them waits %s for it"
#define STRAGGLER_TITLE_WAIT_ONE ", which waits %s for it"
#define STRAGGLER_WHY_HOST                                                                         \
	"All late devices are on one host, so they may share the cause: %s."
#define STRAGGLER_WHY_AXIS                                                                         \
	"These devices are one of the groups of %s, so they may share a network switch or a part of "  \
	"the model."
#define STRAGGLER_EVIDENCE_NONE "%s Device %s is late %s, by %s per step on average."
#define STRAGGLER_EVIDENCE_STAGES "%s Device %s computes most, %s per step; device %s least, %s."
#define STRAGGLER_WHY_GROWS                                                                        \
	"The delay grows from %s in the first step to %s in the last. This suggests %swork that "     \
	"accumulates."
#define STRAGGLER_WHY_MOVES                                                                        \
	"The delay moved, so one faulty device does not explain all of it."
#define STRAGGLER_ACTION_MOVES                                                                     \
	"Look for what moved with the delay, such as another job, or work that depends on the data."
#define STRAGGLER_EVIDENCE_TURNS                                                                   \
	"%s In %s of %s steps one device is clearly late, but not always the same: it is one of %s, "  \
	"most often device %s (%s steps)."
#define STRAGGLER_WHY_DURING                                                                       \
	"Look for what ran in these steps: outside of them, there was no such delay."
#define STRAGGLER_WHY_EACH                                                                         \
	"The delay comes back regularly, which suggests periodic work of the host: checkpoints, "      \
	"logging, evaluation or garbage collection."
#define STRAGGLER_WHY_EACH_GPU                                                                     \
	"The delay comes back regularly, which suggests other work on the " JR_GPU " in these steps, " \
	"or different data."
#define STRAGGLER_WHY_HOST_PART "The late devices of %s may share the cause: %s."
#define STRAGGLER_WHY_SINCE_PART                                                                   \
	"Look for what changed on %s at step %s: before it, there was no such delay there."
#define STRAGGLER_WHY_SINCE                                                                        \
	"Look for what changed at that step: before it, there was no such delay."
#define STRAGGLER_WHY_SOMETIMES                                                                    \
	"The delay comes and goes, which suggests another process, or periodic work of the host."
#define STRAGGLER_WHY_SOMETIMES_GPU                                                                \
	"The delay comes and goes, which suggests another process, or clocks that drop for a while."
#define STRAGGLER_WHY_ELSEWHERE                                                                    \
	"The profile contains these devices, but this report does not show why they are late."
#define STRAGGLER_ACTION_ELSEWHERE "Select all devices that share collectives."
#define STRAGGLER_TITLE_NEEDS_GROUP ": they need %s more than the others"
#define STRAGGLER_TITLE_MOVES ": the delay takes %s"
#define STRAGGLER_EVIDENCE_SHARE "%s of all waiting that does not overlap with compute is for %s."
#define STRAGGLER_EVIDENCE_NOBODY                                                                  \
	"At most %s of the waiting that does not overlap with compute is for one device, %s."
#define STRAGGLER_EVIDENCE_GROUP "%s%s%s; the latest is device %s."
#define STRAGGLER_EVIDENCE_INDIRECT                                                                \
	"Devices that waited for it arrive late at the next collective, where others wait for them."

#define STRAGGLER_WHY_ORDER                                                                        \
	"That device arrives last, but neither computes nor idles longer than the others."
#define STRAGGLER_WHY_HARDWARE                                                                     \
	JR_ON_GPU("%s slow in every kernel, which suggests low clocks, heat or %s rather than more "   \
	"work.")
#define STRAGGLER_WHY_TRANSFERS                                                                    \
	"Kernels on the late device are not slower: its collectives move data more slowly, which "     \
	"suggests a link or a network card."
#define STRAGGLER_ACTION_TRANSFERS                                                                 \
	"Check the links and network cards of its host, and what else uses them."
#define STRAGGLER_EVIDENCE_TRANSFERS                                                               \
	"%s Its exposed transfers take %s longer per step than those of the others on average."
#define STRAGGLER_ACTION_ORDER                                                                     \
	"Check in the step timeline whether it runs operations in a different order before the "       \
	"collectives, and check the clocks."
#define STRAGGLER_ACTION_HARDWARE                                                                  \
	JR_ON_GPU("Check clocks, power and temperature (" JR_SHOW_ALL_CLOCKS " on %s), and other "     \
	"processes on %s.")
#define STRAGGLER_ACTION_REPLACE                                                                   \
	"If it stays slow with normal clocks and no other process, replace it."
#define STRAGGLER_WHY_ALONE                                                                        \
	"The others do not run %s, so this is more work and not a slow " JR_GPU "."
#define STRAGGLER_ACTION_ALONE                                                                     \
	"Find out why this device alone has that work, and divide it if possible."
#define STRAGGLER_EVIDENCE_IDLES "%s It idles %s longer per step %s modules."
#define STRAGGLER_EVIDENCE_ALL_KERNELS                                                             \
	"%s It computes %slonger per step than the others, on average over all steps: it is slower "   \
	"in %s of %s kernels."
#define STRAGGLER_EVIDENCE_ONE_KERNEL                                                              \
	"%s It computes %slonger per step than the others, on average over all steps, %s of that in "  \
	"%s."

/* --- why -------------------------------------------------------------------------------------- */

/* What the devices of a host share that can make them late in this way. */
static const char *shared_by_host(enum jr_slowness_reason reason)
{
	return reason == JR_SLOW_BY_HOST || reason == JR_SLOW_BY_LAUNCHES
			   ? "its CPU, its memory, or other processes"
		   : reason == JR_SLOW_BY_TRANSFERS ? "its network link"
		   : reason == JR_SLOW_BY_ORDER		? "its CPU, power limit, cooling or network link"
											: "its power limit, its cooling, or other processes";
}

/* Return "1.38 ms ". Of several devices, the title has nearly the same time, and enough numbers. */
static const char *compute_text(
	struct jr_check *c, const struct jr_late_set *set, const struct jr_slowness *s)
{
	return set->n > 1 ? ""
					  : jr_arena_printf(c->ctx->arena, "%s ", jr_check_time(c, s->compute_ns));
}

/* Report why the latest device is slow, and give advice. */
static void tell_slowness(
	struct jr_check *c, const struct jr_late_set *set, const struct jr_slowness *s)
{
	struct jr_arena *arena = c->ctx->arena;
	struct jr_finding *f = &c->finding;
	enum jr_slowness_reason reason = jr_slowness_reason(s);
	if (reason == JR_SLOW_BY_ORDER) {
		jr_check_why(c, STRAGGLER_WHY_ORDER);
		jr_check_do(c, STRAGGLER_ACTION_ORDER);
	} else if (reason == JR_SLOW_BY_TRANSFERS) {
		jr_check_why(c, STRAGGLER_WHY_TRANSFERS);
		jr_check_do(c, STRAGGLER_ACTION_TRANSFERS);
		f->evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_TRANSFERS, f->evidence,
			jr_check_time(c, s->transfer_ns));
	} else if (reason == JR_SLOW_BY_HOST || reason == JR_SLOW_BY_LAUNCHES) {
		bool between = reason == JR_SLOW_BY_HOST;
		jr_advise(c, between ? JR_ADVICE_LATE_HOST : JR_ADVICE_LATE_LAUNCH, JR_ABOUT(JR_NONE));
		f->evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_IDLES, f->evidence,
			jr_check_time(c, between ? s->between_ns : s->inside_ns),
			between ? "between" : "inside");
	} else if (jr_slowness_in_all(s)) {
		jr_check_why(c, STRAGGLER_WHY_HARDWARE, set->n > 1 ? "These devices are" : "That device is",
			set->n > 1 ? "other processes on them" : "another process on it");
		jr_check_do(c, STRAGGLER_ACTION_HARDWARE,
			set->n > 1 && set->host == JR_NONE ? "their hosts" : "its host",
			set->n > 1 ? "these " JR_GPU "s" : "that " JR_GPU);
		if (set->n == 1 && set->late.when == JR_LATE_ALWAYS)
			jr_check_do(c, STRAGGLER_ACTION_REPLACE);
		f->evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_ALL_KERNELS, f->evidence,
			compute_text(c, set, s), jr_check_count(c, s->n_slow), jr_check_count(c, s->n_ops));
	} else if (s->op != JR_NONE) {
		const struct jr_about about = {.op = s->op};
		bool by_data = jr_fact_holds(c, JR_FACT_DEPENDS_ON_DATA, &about) == 1;
		if (s->op_alone)
			jr_check_why(c, STRAGGLER_WHY_ALONE, jr_check_op(c, s->op));
		else
			jr_advise(c,
				by_data && s->op_share >= 0.5 ? JR_ADVICE_SLOW_IN_ONE : JR_ADVICE_SLOW_IN_SOME,
				&about);
		if (s->op_alone)
			jr_check_do(c, STRAGGLER_ACTION_ALONE);
		f->evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_ONE_KERNEL,
			f->evidence, compute_text(c, set, s), jr_check_percent(c, fmin(s->op_share, 1)),
			jr_check_op(c, s->op));
		c->claim_op = s->op_share >= 0.5 ? s->op : JR_NONE;
	}
}

/* --- who --- */

#define RARE 10      /* fewer than one of so many steps */
#define DOMINANT 0.6 /* share of all waiting; below it no single device is a straggler */

static double need_of(const struct jr_check *c, size_t d)
{
	return c->devices[d].wall_ns - c->devices[d].part_ns[JR_PART_WAITING];
}

/* Return how much more these devices need per step, at most, than the other with the largest need.
 * A larger speed-up saves nothing. */
static double ahead_of_others(
	const struct jr_check *c, const struct jr_late_set *set, double *next_ns)
{
	double most_ns = 0;
	*next_ns = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++) {
		double *side = set->member[d] ? &most_ns : next_ns;
		*side = fmax(*side, need_of(c, d));
	}
	return most_ns - *next_ns;
}

/* Return the device with the largest need per step; the first of equal ones. */
static uint32_t most_needed(const struct jr_check *c)
{
	uint32_t most = 0;
	double most_ns = 0;
	for (uint32_t d = 0; d < c->ctx->profile->n_devices; d++) {
		double need_ns = need_of(c, d);
		if (need_ns > most_ns) {
			most = d;
			most_ns = need_ns;
		}
	}
	return most;
}

/* True if all devices run one program. Pipeline stages run different programs, so a longer stage is
 * not a slow device. */
static bool one_program(const struct jr_check *c)
{
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		if (c->ctx->windows->devices[d].program != JR_NONE &&
			c->ctx->windows->devices[d].program != c->step)
			return false;
	return true;
}

/* Return the steps of all devices that are not in the set. */
static double steps_of_others(const struct jr_check *c, const struct jr_late_set *set)
{
	double n = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		if (c->devices[d].wall_ns > 0 && !set->member[d])
			n += jr_check_steps_of(c, d);
	return n;
}

/* True if the others would mostly not wait without the `ns` per step that these devices need beyond
 * them. */
static bool explains_waiting(
	const struct jr_check *c, const struct jr_waiting *w, const struct jr_late_set *set, double ns)
{
	return set->n && w->sum_ns > 0 && one_program(c) &&
		   ns >= DOMINANT * jr_ratio(w->sum_ns, steps_of_others(c, set));
}

static bool explain_waiting(
	const struct jr_check *c, const struct jr_waiting *w, const struct jr_late_set *set)
{
	double next_ns;
	return explains_waiting(c, w, set, ahead_of_others(c, set, &next_ns));
}

/* Who is late, and how this is known. */
struct blame {
	/* the last to arrive; the one or those that need most; those that are late in other steps than
	 * the median one */
	enum { NOBODY, LAST, NEED, GROUP, OTHER_STEPS } by;
	struct jr_late_set set;
	struct jr_late_moves moves; /* phases.n > 0: the set is late one part after the other */
	double cost_ns; /* of a step */
	double share;   /* of all waiting: for these devices */
	struct jr_slowness slowness; /* of the latest of them */
};

static double share_of(const struct jr_waiting *w, const struct jr_late_set *set)
{
	double share = 0;
	for (size_t i = 0; i < set->n; i++)
		share += jr_ratio(w->for_ns[set->devices[i]], w->sum_ns);
	return share;
}

/* If other devices of its host are late, too, the host is what they share. */
static void blame_host(struct jr_check *c, const struct jr_waiting *w, struct blame *b)
{
	struct jr_late_set set = jr_late_set_find(c->ctx);
	if (set.n < 2 || !set.member[b->set.worst] || set.host == JR_NONE ||
		!jr_devices_on_hosts(c->ctx->profile) || !explain_waiting(c, w, &set))
		return;
	b->by = GROUP;
	b->set = set;
}

/* Return how long a device waits that is not late in a phase; `wait_ns` is the mean over all. */
static double wait_of_others(
	const struct jr_check *c, const struct jr_late_moves *moves, double wait_ns)
{
	size_t most = 0, n = jr_check_devices(c);
	for (size_t k = 0; k < moves->phases.n; k++)
		most = moves->phases.items[k].n > most ? moves->phases.items[k].n : most;
	return jr_ratio(wait_ns * (double)n, (double)(n - most));
}

/* A device that waited for the late one is late for the others, and may be the last to arrive
 * there, so the last to arrive is not always the one that needs most. */
static struct blame blame(struct jr_check *c, const struct jr_waiting *w, double wait_ns,
	const struct jr_late_moves *moves)
{
	uint32_t device = c->ctx->delays->order[0];
	double next_ns;
	double moves_ns = moves->set.late.mean_ns, others_ns = wait_of_others(c, moves, wait_ns);
	if (moves->phases.n && one_program(c) && moves_ns >= DOMINANT * others_ns &&
		others_ns >= DOMINANT * moves_ns) /* else the median step is one of others */
		return (struct blame){.by = GROUP,
			.set = moves->set,
			.moves = *moves,
			.cost_ns = moves_ns,
			.share = share_of(w, &moves->set)};
	/* It is not alone if another device is nearly as late. */
	bool dominates = w->sum_ns > 0 && w->for_ns[device] >= DOMINANT * w->sum_ns &&
		w->alone_ns[device] >= w->for_ns[device] / 2;
	struct blame b = {.by = LAST, .set = jr_late_set_of(c->ctx, device), .cost_ns = wait_ns};
	if (!dominates) {
		b.by = NEED;
		b.set = jr_late_set_of(c->ctx, most_needed(c));
		if (!explain_waiting(c, w, &b.set)) {
			b.by = GROUP;
			b.set = jr_late_set_find(c->ctx);
		}
		/* by lags: the time breakdown leaves out the last step */
		if (b.by == GROUP && !(b.set.n > 1 && explain_waiting(c, w, &b.set)) &&
			!explains_waiting(c, w, &b.set, b.set.late.mean_ns)) {
			b.by = NOBODY;
			b.set = jr_late_set_of(c->ctx, device);
		}
	}
	if (b.by == LAST || b.by == NEED)
		blame_host(c, w, &b);
	b.share = share_of(w, &b.set);
	if (b.by == LAST) /* convert the mean over all devices to the mean over the waiting devices */
		b.cost_ns *= b.share * jr_ratio((double)jr_check_devices(c), w->waiters[device]);
	else if (b.by != NOBODY)
		b.cost_ns = ahead_of_others(c, &b.set, &next_ns);
	return b;
}

/* True for a delay in so few steps that a mean over all of them describes none. */
static bool is_rare(const struct jr_late *late)
{
	return late->when == JR_LATE_SOMETIMES && late->n_late * RARE <= late->n_steps;
}

/* If steps are uneven, the numbers per step are those of the median one. Devices that are late in
 * other steps have a total cost instead, the lag of these steps. */
static struct blame blame_other_steps(
	struct jr_check *c, const struct jr_waiting *w, const struct jr_late_moves *moves)
{
	struct blame b = {.by = NOBODY, .set = jr_late_set_find(c->ctx), .moves = *moves};
	const struct jr_late *late = &b.set.late;
	if (b.moves.phases.n)
		b.set = b.moves.set;
	if (!b.set.n || late->when == JR_LATE_ALWAYS ||
		(c->ctx->typical == c->ctx->windows && !is_rare(late)))
		return b;
	b.by = OTHER_STEPS;
	b.cost_ns = late->mean_ns;
	b.share = share_of(w, &b.set);
	return b;
}

/* True if there is no device to compare the latest one with. */
static bool is_all(const struct jr_check *c, const struct jr_late_set *set)
{
	return set->n == jr_check_devices(c);
}

/* Claim what these devices need beyond the others. */
static void claim(struct jr_check *c, const struct blame *b)
{
	if (b->by == OTHER_STEPS) {
		jr_check_claim_once(c, b->cost_ns * (double)b->set.late.n_steps, b->set.late.n_late,
			b->cost_ns);
		return;
	}
	double *claim_ns = JR_ARENA_N(c->ctx->scratch, double, c->ctx->profile->n_devices + 1), next_ns;
	(void)ahead_of_others(c, &b->set, &next_ns);
	for (size_t i = 0; i < b->set.n; i++)
		claim_ns[b->set.devices[i]] = need_of(c, b->set.devices[i]) - next_ns;
	enum jr_slowness_reason reason = jr_slowness_reason(&b->slowness);
	jr_check_claim(c, claim_ns,
		reason == JR_SLOW_BY_HOST		 ? JR_PART_IDLE_BETWEEN
		: reason == JR_SLOW_BY_TRANSFERS ? JR_PART_TRANSFER
								 : JR_PART_COMPUTE);
	if (b->moves.phases.n) { /* no device needs that much more on average over all steps */
		c->claims_turns = true;
		jr_check_promise(c, b->cost_ns);
	}
	c->named_ns = b->cost_ns;
	if (!is_all(c, &b->set) && reason != JR_SLOW_BY_HOST && reason != JR_SLOW_BY_TRANSFERS)
		jr_check_change(c)->as_median = b->set.member;
	if (c->change && b->slowness.op_alone) { /* there is no median of others */
		struct jr_op_change *ops = jr_op_changes_new(c->ctx->profile, c->ctx->arena);
		ops[b->slowness.op].scale = 0;
		c->change->ops = ops;
	}
}

#define MOST_LATE 2
#define LEAST_TURNS 5 /* steps with a late device */

/* Without a culprit, list the devices that are late, if there are only a few. */
static void tell_each_late(struct jr_check *c)
{
	const struct jr_lateness *all = c->ctx->lateness;
	const struct jr_profile *p = c->ctx->profile;
	struct jr_finding *f = &c->finding;
	size_t n = 0;
	for (uint32_t d = 0; d < p->n_devices; d++)
		n += jr_late_matters(all, d);
	for (uint32_t d = 0; d < p->n_devices && n <= MOST_LATE; d++) {
		const struct jr_late *late = &all->devices[d];
		const char *when = jr_late_words(p, c->ctx->windows, late, c->ctx->arena);
		if (jr_late_matters(all, d) && when)
			f->evidence = jr_arena_printf(c->ctx->arena, STRAGGLER_EVIDENCE_NONE, f->evidence,
				jr_check_device(c, d), when, jr_check_time(c, late->mean_ns));
	}
}

/* Without a culprit, say whether another device is late in each step, or which ones are late. */
static void tell_turns(struct jr_check *c)
{
	struct jr_late_turns turns = jr_late_turns_count(c->ctx);
	struct jr_finding *f = &c->finding;
	if (turns.n_late < LEAST_TURNS || 2 * turns.n_late < turns.n_steps ||
		2 * turns.n_most > turns.n_late)
		tell_each_late(c);
	else
		f->evidence = jr_arena_printf(c->ctx->arena, STRAGGLER_EVIDENCE_TURNS, f->evidence,
			jr_check_count(c, turns.n_late), jr_check_count(c, turns.n_steps),
			jr_check_count(c, turns.n_devices), jr_check_device(c, turns.most),
			jr_check_count(c, turns.n_most));
}

/* How unequal the work of the devices is, if they run different programs. */
static const char *stages_text(struct jr_check *c)
{
	enum { PART = JR_PART_COMPUTE };
	const struct jr_device_step *all = c->devices;
	uint32_t most = c->ctx->delays->order[0], least = most;
	for (uint32_t d = 0; d < c->ctx->profile->n_devices; d++) {
		most = all[d].part_ns[PART] > all[most].part_ns[PART] ? d : most;
		if (all[d].wall_ns > 0 && all[d].part_ns[PART] < all[least].part_ns[PART])
			least = d;
	}
	return jr_arena_printf(c->ctx->arena, STRAGGLER_EVIDENCE_STAGES, c->finding.evidence,
		jr_check_device(c, most), jr_check_time(c, all[most].part_ns[PART]),
		jr_check_device(c, least), jr_check_time(c, all[least].part_ns[PART]));
}

/* What the devices of the largest part share, and what changed for the first that was not late. */
static void tell_parts(struct jr_check *c, const struct jr_late_set *set,
	const struct jr_late_parts *parts, enum jr_slowness_reason reason)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_late_set *part = &parts->items[0];
	bool on_hosts = set->host == JR_NONE && jr_devices_on_hosts(p);
	if (on_hosts && part->n > 1)
		jr_check_why(c, STRAGGLER_WHY_HOST_PART, jr_quoted(jr_str(p, part->host), c->ctx->arena),
			shared_by_host(reason));
	while (part < parts->items + parts->n && part->late.when != JR_LATE_SINCE)
		part++;
	if (!parts->alike && part < parts->items + parts->n)
		jr_check_why(c, STRAGGLER_WHY_SINCE_PART,
			on_hosts ? jr_quoted(jr_str(p, part->host), c->ctx->arena)
					 : jr_late_set_list(c->ctx, part),
			jr_check_count(c, jr_step_number(p, c->ctx->windows, part->late.since)));
}

#define COMES_AND_GOES 10 /* steps from which on "now and then" is a pattern */

/* Report who is late and why. How often they arrived last, and their lags, are in the section. */
static void tell_late(struct jr_check *c, const struct blame *b)
{
	struct jr_arena *arena = c->ctx->arena;
	struct jr_finding *f = &c->finding;
	const struct jr_late_set *set = &b->set;
	struct jr_late_parts parts =
		b->moves.phases.n ? b->moves.phases : jr_late_set_parts(c->ctx, set);
	if (set->n > 1)
		f->evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_GROUP, f->evidence,
			*f->evidence ? " " : "", jr_late_parts_text(c->ctx, set, &parts),
			jr_check_device(c, set->worst));
	if (!is_all(c, set))
		tell_slowness(c, set, &b->slowness);
	if (b->moves.phases.n) {
		jr_check_why(c, STRAGGLER_WHY_MOVES);
		jr_check_do(c, STRAGGLER_ACTION_MOVES);
	} else if (parts.n > 1) {
		tell_parts(c, set, &parts, jr_slowness_reason(&b->slowness));
	}
	if (set->n > 1 && set->host != JR_NONE && jr_devices_on_hosts(c->ctx->profile))
		jr_check_why(c, STRAGGLER_WHY_HOST, shared_by_host(jr_slowness_reason(&b->slowness)));
	uint32_t op = set->n > 1 && set->host == JR_NONE ? jr_late_set_group_op(c->ctx, set) : JR_NONE;
	if (op != JR_NONE)
		jr_check_why(c, STRAGGLER_WHY_AXIS, jr_check_op(c, op));
	enum jr_slowness_reason reason = jr_slowness_reason(&b->slowness);
	bool by_host = reason != JR_SLOW_BY_COMPUTE && reason != JR_SLOW_BY_ORDER;
	if (set->late.grows)
		jr_check_why(c, STRAGGLER_WHY_GROWS, jr_check_time(c, fmax(set->late.from_ns, 0)),
			jr_check_time(c, set->late.to_ns), by_host ? "" : "heat that lowers the clocks, or ");
	else if (set->late.when == JR_LATE_SINCE)
		jr_check_why(c, STRAGGLER_WHY_SINCE);
	else if (set->late.when == JR_LATE_DURING)
		jr_check_why(c, STRAGGLER_WHY_DURING);
	else if (set->late.when == JR_LATE_EACH)
		jr_check_why(c, by_host ? STRAGGLER_WHY_EACH : STRAGGLER_WHY_EACH_GPU);
	/* few steps, or one kernel whose time depends on its data, suggest nothing of the kind */
	if (set->late.when == JR_LATE_SOMETIMES && !b->moves.phases.n &&
		set->late.n_steps >= COMES_AND_GOES && c->claim_op == JR_NONE)
		jr_check_why(c, by_host ? STRAGGLER_WHY_SOMETIMES : STRAGGLER_WHY_SOMETIMES_GPU);
}

/* True if a slow collective is what makes the device late, and a finding of its own. */
static bool is_explained(const struct jr_check *c, const struct blame *b)
{
	return b->by != NOBODY && jr_slowness_reason(&b->slowness) == JR_SLOW_BY_TRANSFERS &&
		   c->explained_transfer_ns[b->set.worst] >= b->slowness.transfer_ns / 2;
}

void jr_rule_straggler(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	if (c->n_steps <= 0 || c->ctx->steady->n_devices_ran < 2 || jr_check_rows_lost(c))
		return;
	struct jr_waiting w = jr_waiting_measure(c->ctx);
	double wait_ns = c->part_ns[JR_PART_WAITING] / c->n_steps;
	bool joined = false;
	for (size_t d = 0; d < p->n_devices; d++)
		joined |= c->ctx->delays->devices[d].instances > 0;
	if (!joined)
		return;
	const struct jr_late_moves moves = jr_late_moves_find(c->ctx);
	struct blame b = blame(c, &w, wait_ns, &moves), other = blame_other_steps(c, &w, &moves);
	if (other.by == OTHER_STEPS &&
		((b.by != NOBODY && is_rare(&b.set.late)) ||
			jr_ratio(b.cost_ns, jr_check_step_ns(c)) < c->rule->threshold))
		b = other;
	if (b.by != NOBODY)
		b.slowness = jr_check_slowness(c, &b.set);
	if (is_explained(c, &b))
		b.cost_ns = 0;
	if (!jr_check_fires(c, jr_ratio(b.cost_ns, jr_check_step_ns(c))))
		return;
	bool began = b.by != NOBODY && b.set.late.when == JR_LATE_SINCE;
	const char *cost = jr_arena_printf(arena, "%s per step%s (%s)", jr_check_time(c, b.cost_ns),
		began && c->ctx->typical == c->ctx->windows ? " on average over all steps" : "",
		jr_check_percent(c, c->value));
	const char *who = b.set.n > 1
						  ? "these devices"
						  : jr_arena_printf(arena, "device %s", jr_check_device(c, b.set.worst));
	/* Others wait for devices that waited for the one that needs most, so its share misleads. */
	c->finding.evidence =
		b.by == NEED && b.set.n == 1
			? STRAGGLER_EVIDENCE_INDIRECT
			: jr_arena_printf(arena,
				  b.by == NOBODY ? STRAGGLER_EVIDENCE_NOBODY : STRAGGLER_EVIDENCE_SHARE,
				  jr_check_percent(c, b.share), who);
	if (began) {
		struct jr_late *late = JR_ARENA_NEW(c->ctx->scratch, struct jr_late);
		*late = b.set.late;
		c->since = late;
	}
	if (b.by == NOBODY) {
		jr_check_claim_turns(c);
		c->finding.about = "devices in turn";
		c->named_ns = wait_ns;
		bool elsewhere = w.others_ns > w.sum_ns / 2;
		jr_check_title(c, STRAGGLER_SUBJECT_NONE,
			elsewhere ? STRAGGLER_TITLE_ELSEWHERE : STRAGGLER_TITLE_NONE, cost);
		if (!elsewhere && jr_fact_holds(c, JR_FACT_STAGES, JR_ABOUT(JR_NONE)) > 0)
			c->finding.evidence = stages_text(c);
		else if (!elsewhere)
			tell_turns(c);
		jr_check_why(c, "%s", elsewhere ? STRAGGLER_WHY_ELSEWHERE : "");
		jr_check_do(c, "%s", elsewhere ? STRAGGLER_ACTION_ELSEWHERE : "");
		if (!elsewhere)
			jr_advise(c, JR_ADVICE_NO_ONE_LATE, JR_ABOUT(JR_NONE));
		return;
	}
	claim(c, &b);
	c->finding.about = jr_late_set_list(c->ctx, &b.set);
	jr_check_title(c,
		b.moves.phases.n ? jr_late_moves_subject(c->ctx, &b.moves)
						 : jr_late_set_subject(c->ctx, &b.set),
		b.moves.phases.n			? STRAGGLER_TITLE_MOVES
		: b.set.n > 1				? STRAGGLER_TITLE_NEEDS_GROUP
		: b.by != LAST				? STRAGGLER_TITLE_NEEDS
		: jr_check_devices(c) == 2	? STRAGGLER_TITLE_WAIT_ONE
									: STRAGGLER_TITLE_WAIT,
		cost);
	tell_late(c, &b);
}
