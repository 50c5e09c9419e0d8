/* Rules about communication. */
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/shared/delays.h"
#include "analysis/core/terms.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define EXPOSED_COMMUNICATION_SUBJECT "Exposed communication"
#define EXPOSED_COMMUNICATION_SUBJECT_OTHER_PROGRAMS                                               \
	"Communication while no compute of the step runs"
#define EXPOSED_COMMUNICATION_SUBJECT_OTHER_TRANSFER "Exposed transfer outside other findings"
#define EXPOSED_COMMUNICATION_SUBJECT_OTHER "Exposed communication outside other findings"
#define EXPOSED_COMMUNICATION_SUBJECT_TRANSFER "Exposed transfer"
#define EXPOSED_COMMUNICATION_TITLE " takes %s per step (%s)%s"
#define EXPOSED_COMMUNICATION_TITLE_OTHER_PROGRAMS " takes %s per step (%s)"
#define EXPOSED_COMMUNICATION_TITLE_WAITING ", including waiting for devices that were not recorded"
#define EXPOSED_COMMUNICATION_TITLE_NO_WAITING ", excluding waiting"
#define EXPOSED_COMMUNICATION_EVIDENCE                                                             \
	"%s: %s of this time. The largest contributor is %s, %s per step. Of all communication, "      \
	"waiting included, %s is overlapped with compute."
#define EXPOSED_COMMUNICATION_EVIDENCE_OTHER_PROGRAMS                                              \
	"All of it overlaps with compute of other programs or of warm-up."

#define STRAGGLER_SUBJECT "Device %s delays the other%s"
#define STRAGGLER_SUBJECT_NONE "Waiting between devices"
#define STRAGGLER_TITLE_NONE " takes %s, with no single slowest device"
#define STRAGGLER_TITLE_ELSEWHERE " takes %s, mostly for devices that are not selected"
#define STRAGGLER_TITLE_NEEDS ": it needs %s more than any other device"
#define STRAGGLER_TITLE_WAIT ": they wait %s for it"
#define STRAGGLER_TITLE_WAIT_ONE ", which waits %s for it"
#define STRAGGLER_WHY_ORDER                                                                        \
	"That device arrives last, but neither computes nor idles longer than the others."
#define STRAGGLER_WHY_HARDWARE                                                                     \
	JR_ON_GPU("That device is slow in every kernel, which suggests low clocks, heat or another "   \
	"process on it rather than more work.")
#define STRAGGLER_WHY_NONE                                                                         \
	"No single device clearly dominates. Possible causes: work that differs from step to "  \
	"step, several devices with more work, hosts that are late in turn, or too little compute "    \
	"between collectives."
#define STRAGGLER_WHY_ELSEWHERE                                                                    \
	"The profile contains these devices, but this report does not show why they are late."
#define STRAGGLER_ACTION_ELSEWHERE "Select all devices that share collectives."
#define STRAGGLER_ACTION_ORDER                                                                     \
	"Check in the step timeline whether it runs operations in a different order before the "       \
	"collectives, and check the clocks."
#define STRAGGLER_ACTION_HARDWARE                                                                  \
	JR_ON_GPU("Check clocks, power and temperature (" JR_SHOW_ALL_CLOCKS " on its host), and "     \
	"other processes on that " JR_GPU ". ") "If it stays slow with normal clocks and "  \
	"no other process, replace it."
#define STRAGGLER_ACTION_NONE                                                                      \
	"Use fewer collectives, or put more work between them, so that such differences cancel out."
#define STRAGGLER_EVIDENCE                                                                         \
	"Waiting that does not overlap with compute takes %s per step, on average over "  \
	"all devices; %s of it is waiting for device %s."
#define STRAGGLER_EVIDENCE_BETWEEN "%s It idles %s longer per step between modules."
#define STRAGGLER_EVIDENCE_INSIDE "%s It idles %s longer per step inside modules."
#define STRAGGLER_EVIDENCE_ALL_KERNELS                                                             \
	"%s It computes %s longer per step than the others on average, %s: it is slower in %s of %s "  \
	"kernels."
#define STRAGGLER_EVIDENCE_ONE_KERNEL                                                              \
	"%s It computes %s longer per step than the others on average, %s of that in %s; it is "       \
	"slower in %s of %s kernels."
#define STRAGGLER_EVIDENCE_LAST                                                                    \
	"%s It arrived last at %s collective%s. The other%s waited %s there, of %s in "  \
	"all collectives. Both times are sums over devices and steps, and include waiting "  \
	"that overlaps with compute.%s"
#define STRAGGLER_EVIDENCE_INDIRECT                                                                \
	" Devices that waited for it arrive late at the next collective, where others wait for them."

/* --- exposed -------------------------------------------------------------------------------- */

/* Exposed transfer time of collectives of top modules that no earlier rule reported. Waiting is not
 * included. */
struct transfers {
	double *op_ns;   /* [n_ops] over all devices and steady steps */
	double *kind_ns; /* [strings.n] by str of the collective */
	double sum_ns;
	bool alone; /* true if some have devices that were not profiled */
};

static struct transfers measure_transfers(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	struct transfers out = {.op_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_ops + 1),
		.kind_ns = JR_ARENA_N(c->ctx->scratch, double, p->strings.n + 1)};
	for (size_t i = 0; i < t->n; i++) {
		const struct jr_op *op = jr_thunk_op(p, i);
		if (!jr_steady_top_thunk(p, c->ctx->steady, i) || !jr_is_rendezvous(p, op))
			continue;
		int64_t active_ns = jr_thunk_active_ns(p, i);
		int64_t ns = active_ns - c->ctx->instances->thunk_wait_ns[i];
		out.op_ns[t->op[i]] += ns > 0 ? (double)ns : 0;
	}
	for (size_t i = 0; i < p->n_ops; i++) {
		out.op_ns[i] = fmax(out.op_ns[i] - c->explained_op_ns[i], 0);
		out.kind_ns[p->ops[i].collective] += out.op_ns[i];
		out.sum_ns += out.op_ns[i];
	}
	for (size_t i = 0; i < c->ctx->instances->n; i++) {
		const struct jr_instance *in = &c->ctx->instances->items[i];
		const struct jr_op *op = &p->ops[in->op];
		out.alone |=
			jr_check_is_top(c, op) && jr_is_rendezvous(p, op) &&
			jr_instance_seen(in) < op->group_size;
	}
	return out;
}

/* Set the exposed transfer per step of each device that no earlier rule reported. Return the
 * reported part, times the steps of all devices. */
static double untold_transfer(const struct jr_check *c, double *rest_ns)
{
	double told_ns = 0, n = 0;
	for (size_t d = 0; c->devices && d < c->ctx->profile->n_devices; d++) {
		double transfer_ns = c->devices[d].part_ns[JR_PART_TRANSFER];
		double told = fmin(c->explained_transfer_ns[d], transfer_ns);
		rest_ns[d] = transfer_ns - told;
		told_ns += told;
		n += c->devices[d].wall_ns > 0;
	}
	return jr_ratio(told_ns, n) * c->n_steps;
}

/* Return a change in which transfers that no earlier rule reported take no time. */
static struct jr_op_change *without_transfer(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_op_change *ops = jr_op_changes_new(p, c->ctx->arena);
	for (size_t i = 0; i < p->n_ops; i++)
		if (jr_is_rendezvous(p, &p->ops[i]) && !c->explained_op_ns[i])
			ops[i].scale = 0;
	return ops;
}

void jr_rule_exposed_communication(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	double *rest_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_devices + 1);
	double told_ns = untold_transfer(c, rest_ns);
	double exposed_ns = fmax(c->part_ns[JR_PART_TRANSFER] - told_ns, 0);
	if (!jr_check_fires(c, p->any_communication ? jr_ratio(exposed_ns, c->wall_ns) : NAN))
		return;
	jr_check_claim(c, rest_ns, JR_PART_TRANSFER);
	if (c->ctx->replay && c->ctx->replay->order.scheduled)
		jr_check_change(c)->overlap = true;
	else
		jr_check_change(c)->ops = without_transfer(c);
	struct transfers t = measure_transfers(c);
	size_t op = jr_check_largest(t.op_ns, p->n_ops);
	size_t kind = jr_check_largest(t.kind_ns, p->strings.n);
	if (op == SIZE_MAX || t.op_ns[op] <= 0) {
		/* The breakdown counts only compute of top modules, but any module may hide an op. */
		jr_check_title(c, EXPOSED_COMMUNICATION_SUBJECT_OTHER_PROGRAMS,
			jr_arena_printf(arena, EXPOSED_COMMUNICATION_TITLE_OTHER_PROGRAMS,
				jr_check_step_time(c, exposed_ns), jr_check_percent(c, c->value)));
		jr_check_overlap_advice(c, "", JR_NONE);
		c->finding.evidence =
			EXPOSED_COMMUNICATION_EVIDENCE_OTHER_PROGRAMS;
		return;
	}
	const char *kind_name = jr_str(p, (uint32_t)kind);
	if (!*kind_name || strcmp(kind_name, "unknown") == 0)
		kind_name = "collectives of unknown kind";
	bool waiting = c->part_ns[JR_PART_WAITING] > 0; /* if 0, all exposed time is transfer */
	const char *subject = told_ns > 0
		? (waiting ? EXPOSED_COMMUNICATION_SUBJECT_OTHER_TRANSFER
				   : EXPOSED_COMMUNICATION_SUBJECT_OTHER)
		: waiting ? EXPOSED_COMMUNICATION_SUBJECT_TRANSFER
				  : EXPOSED_COMMUNICATION_SUBJECT;
	jr_check_title(c, subject,
		jr_arena_printf(arena, EXPOSED_COMMUNICATION_TITLE,
			jr_check_step_time(c, exposed_ns), jr_check_percent(c, c->value),
			t.alone ? EXPOSED_COMMUNICATION_TITLE_WAITING
			: waiting ? EXPOSED_COMMUNICATION_TITLE_NO_WAITING
					  : ""));
	jr_check_why(c, "%s", jr_check_slower_than_equals(c, (uint32_t)op));
	jr_check_overlap_advice(c, kind_name, (uint32_t)op);
	const struct jr_scalar *hidden =
		jr_results_scalar(c->ctx->results, "communication.hidden_fraction");
	c->finding.evidence = jr_arena_printf(arena, EXPOSED_COMMUNICATION_EVIDENCE,
		kind_name, jr_check_percent(c, t.kind_ns[kind] / t.sum_ns), jr_check_op(c, (uint32_t)op),
		jr_check_step_time(c, t.op_ns[op]), jr_check_percent(c, hidden ? hidden->value.f64 : NAN));
	const char *hiding = jr_replay_hiding(c->ctx);
	if (hiding)
		c->finding.evidence = jr_arena_printf(arena, "%s %s", c->finding.evidence, hiding);
}

/* --- devices that wait for each other ------------------------------------------------------- */

/* Waiting of devices for each other. */
struct waiting {
	double *for_ns;   /* [n_devices] exposed waiting of all others for it, over all steady steps */
	double *alone_ns; /* [n_devices] part of for_ns for which it alone is late */
	double *waiters;  /* [n_devices] number of other devices in collectives at which it is last */
	double others_ns; /* exposed waiting for devices that are not selected */
	double sum_ns;    /* sum of for_ns and others_ns */
	double step_ns;   /* exposed waiting per step, from the time breakdown: mean over devices */
	double waited_ns; /* all devices, from the straggler table; over all steps */
};

/* Return the exposed waiting in a thunk. */
static double open_ns_of(struct jr_check *c, uint32_t row)
{
	return fmin((double)c->ctx->instances->thunk_wait_ns[row],
		(double)jr_thunk_active_ns(c->ctx->profile, row));
}

static double open_wait_ns(struct jr_check *c, const struct jr_instance *in)
{
	double sum_ns = 0;
	for (uint32_t k = 0; k < in->n; k++)
		sum_ns += open_ns_of(c, in->thunks[k]);
	return sum_ns;
}

/* Sort joint instances of top modules by their last device: those of device d are first[d] ..
 * first[d + 1]. `others_ns`: exposed waiting for devices that are not selected. */
static uint32_t *instances_by_last(struct jr_check *c, uint32_t *first, double *others_ns)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_instances *all = c->ctx->instances;
	uint32_t *last = JR_ARENA_N(c->ctx->scratch, uint32_t, all->n + 1);
	for (size_t i = 0; i < all->n; i++) {
		const struct jr_instance *in = &all->items[i];
		bool judged = in->together && jr_check_is_top(c, &p->ops[in->op]);
		last[i] = judged ? jr_instance_last(p, in) : JR_NONE;
		if (judged && last[i] == JR_NONE)
			*others_ns += open_wait_ns(c, in);
		if (last[i] != JR_NONE)
			first[last[i] + 2]++;
	}
	for (size_t d = 2; d < p->n_devices + 2; d++)
		first[d] += first[d - 1];
	uint32_t *rows = JR_ARENA_N(c->ctx->scratch, uint32_t, first[p->n_devices + 1] + 1);
	for (uint32_t i = 0; i < all->n; i++)
		if (last[i] != JR_NONE)
			rows[first[last[i] + 1]++] = i;
	return rows;
}

/* Return how much later the last device began than the second-last one. */
static double lead_of_last(const struct jr_profile *p, const struct jr_instance *in, uint32_t last)
{
	double at = 0, before = -INFINITY;
	for (uint32_t k = 0; k < in->n; k++) {
		double start = jr_aligned_start_ns(p, in->thunks[k]);
		if (p->thunks.device[in->thunks[k]] == last)
			at = start;
		else
			before = fmax(before, start);
	}
	return at - before;
}

/* Charge the waiting of each thunk of an instance to the device that arrived last. */
static struct waiting measure_waiting(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	size_t n = p->n_devices;
	struct waiting w = {.for_ns = JR_ARENA_N(c->ctx->scratch, double, n + 1),
		.alone_ns = JR_ARENA_N(c->ctx->scratch, double, n + 1),
		.waiters = JR_ARENA_N(c->ctx->scratch, double, n + 1),
		.step_ns = c->part_ns[JR_PART_WAITING] / c->n_steps};
	uint32_t *first = JR_ARENA_N(c->ctx->scratch, uint32_t, n + 3);
	uint32_t *seen_for = JR_ARENA_N(c->ctx->scratch, uint32_t, n + 1);
	const uint32_t *rows = instances_by_last(c, first, &w.others_ns);
	w.sum_ns = w.others_ns;
	for (uint32_t d = 0; d < n; d++) {
		for (uint32_t i = first[d]; i < first[d + 1]; i++) {
			const struct jr_instance *in = &c->ctx->instances->items[rows[i]];
			double lead_ns = lead_of_last(p, in, d);
			for (uint32_t k = 0; k < in->n; k++) {
				uint32_t row = in->thunks[k];
				if (p->thunks.device[row] == d)
					continue;
				double open_ns = open_ns_of(c, row);
				w.for_ns[d] += open_ns;
				w.alone_ns[d] += fmin(open_ns, lead_ns);
				w.waiters[d] += seen_for[p->thunks.device[row]] != d + 1;
				seen_for[p->thunks.device[row]] = d + 1;
			}
		}
		w.sum_ns += w.for_ns[d];
		w.waited_ns += (double)c->ctx->delays->devices[d].waited_ns;
	}
	return w;
}

/* A device compared to all others together; the sums are whole numbers. */
struct two_sides {
	double own, others;
};

/* Count the steady executions of each program. */
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

/* Add up the time in each compute op of the top modules. */
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

/* How a device delays the others. */
struct slowness {
	double compute_ns;          /* per step, excess over the others' compute; may be negative */
	double inside_ns, between_ns; /* the same for idle time */
	double frac;                /* compute_ns / compute of the others */
	size_t n_ops, n_slow; /* kernels that it shares with others; those in which it is slower by
						   * at least half of `frac` */
	double slow_share;          /* share of these in the others' compute */
	uint32_t op;                /* op with the largest excess; JR_NONE */
	double op_ns, op_share;     /* excess per step; share of compute_ns */
};

static void compare_idle(struct jr_check *c, uint32_t device, struct slowness *s)
{
	double inside_ns = 0, between_ns = 0, n = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++) {
		if (d == device || c->devices[d].wall_ns <= 0)
			continue;
		inside_ns += c->devices[d].part_ns[JR_PART_IDLE_INSIDE];
		between_ns += c->devices[d].part_ns[JR_PART_IDLE_BETWEEN];
		n++;
	}
	s->inside_ns = c->devices[device].part_ns[JR_PART_IDLE_INSIDE] - jr_ratio(inside_ns, n);
	s->between_ns = c->devices[device].part_ns[JR_PART_IDLE_BETWEEN] - jr_ratio(between_ns, n);
}

static struct slowness find_slowness(struct jr_check *c, uint32_t device)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct two_sides *counts = count_executions(c, device), *sums = sum_compute(c, device);
	struct slowness s = {.op = JR_NONE};
	double others_ns = 0, slow_ns = 0, steps = counts[c->step].own;
	compare_idle(c, device, &s);
	if (!(steps > 0))
		return s;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct two_sides *count = &counts[p->ops[i].program];
		if (!(count->others > 0) || !(sums[i].others > 0))
			continue;
		double others = sums[i].others * count->own / count->others;
		double more_ns = sums[i].own - others;
		others_ns += others;
		s.compute_ns += more_ns / steps;
		s.n_ops++;
		if (more_ns / steps > s.op_ns) {
			s.op = i;
			s.op_ns = more_ns / steps;
		}
	}
	s.frac = jr_ratio(s.compute_ns * steps, others_ns);
	s.op_share = jr_ratio(s.op_ns, s.compute_ns);
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct two_sides *count = &counts[p->ops[i].program];
		if (!(count->others > 0) || !(sums[i].others > 0))
			continue;
		double others = sums[i].others * count->own / count->others;
		if (sums[i].own < others * (1 + s.frac / 2))
			continue;
		s.n_slow++;
		slow_ns += others;
	}
	s.slow_share = jr_ratio(slow_ns, others_ns);
	return s;
}

#define IN_ALL 0.9 /* share of its compute from which it counts as slow in everything */

/* Report why the device is slow, and give advice. */
static void tell_slowness(struct jr_check *c, uint32_t device, const struct slowness *s)
{
	struct jr_arena *arena = c->ctx->arena;
	struct jr_finding *f = &c->finding;
	if (s->compute_ns <= 0 && s->inside_ns <= 0 && s->between_ns <= 0) {
		jr_check_why(c, STRAGGLER_WHY_ORDER);
		jr_check_do(c, STRAGGLER_ACTION_ORDER);
		return;
	}
	if (s->between_ns > s->compute_ns && s->between_ns >= s->inside_ns) {
		jr_advise(c, JR_ADVICE_LATE_HOST, JR_ABOUT(JR_NONE));
		f->evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_BETWEEN,
			f->evidence, jr_check_time(c, s->between_ns));
	} else if (s->inside_ns > s->compute_ns) {
		jr_advise(c, JR_ADVICE_LATE_LAUNCH, JR_ABOUT(JR_NONE));
		f->evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_INSIDE,
			f->evidence, jr_check_time(c, s->inside_ns));
	} else if (s->slow_share >= IN_ALL) {
		jr_check_why(c, STRAGGLER_WHY_HARDWARE);
		jr_check_do(c, STRAGGLER_ACTION_HARDWARE);
		f->evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_ALL_KERNELS, f->evidence,
			jr_check_time(c, s->compute_ns), jr_check_percent(c, s->frac),
			jr_check_count(c, s->n_slow), jr_check_count(c, s->n_ops));
	} else if (s->op != JR_NONE) {
		const struct jr_about about = {.op = s->op};
		bool by_data = jr_fact_holds(c, JR_FACT_DEPENDS_ON_DATA, &about) == 1;
		jr_advise(c,
			by_data && s->op_share >= 0.5 ? JR_ADVICE_SLOW_IN_ONE : JR_ADVICE_SLOW_IN_SOME, &about);
		f->evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_ONE_KERNEL,
			f->evidence, jr_check_time(c, s->compute_ns),
			jr_check_percent(c, fmin(s->op_share, 1)), jr_check_op(c, s->op),
			jr_check_count(c, s->n_slow), jr_check_count(c, s->n_ops));
		c->claim_op = s->op_share >= 0.5 ? s->op : JR_NONE;
	}
	(void)device;
}

#define DOMINANT 0.6 /* share of all waiting; below it no single device is a straggler */

/* Return how much more a device needs per step than the device with the next largest need. A larger
 * speed-up saves nothing. */
static double ahead_of_next(const struct jr_check *c, uint32_t device)
{
	double next_ns = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		if (d != device)
			next_ns = fmax(
				next_ns, c->devices[d].wall_ns - c->devices[d].part_ns[JR_PART_WAITING]);
	return c->devices[device].wall_ns - c->devices[device].part_ns[JR_PART_WAITING] - next_ns;
}

/* Return the device with the largest need per step; the first of equal ones. */
static uint32_t most_needed(const struct jr_check *c)
{
	uint32_t most = 0;
	double most_ns = 0;
	for (uint32_t d = 0; d < c->ctx->profile->n_devices; d++) {
		double need_ns = c->devices[d].wall_ns - c->devices[d].part_ns[JR_PART_WAITING];
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

/* Return the steps of all devices except one. */
static double steps_of_others(const struct jr_check *c)
{
	double n = 0, most = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		if (c->devices[d].wall_ns > 0) {
			n += jr_check_steps_of(c, d);
			most = fmax(most, jr_check_steps_of(c, d));
		}
	return n - most;
}

void jr_rule_straggler(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	if (c->n_steps <= 0 || c->ctx->steady->n_devices_ran < 2 || jr_check_rows_lost(c))
		return;
	struct waiting w = measure_waiting(c);
	bool joined = false;
	for (size_t d = 0; d < p->n_devices; d++)
		joined |= c->ctx->delays->devices[d].instances > 0;
	if (!joined)
		return;
	uint32_t device = c->ctx->delays->order[0];
	/* It is not alone if another device is nearly as late. */
	bool dominates = w.sum_ns > 0 && w.for_ns[device] >= DOMINANT * w.sum_ns &&
		w.alone_ns[device] >= w.for_ns[device] / 2;
	/* A device that waited for it is late for the others, and may be the last to arrive there. */
	uint32_t most = most_needed(c);
	double ahead_ns = ahead_of_next(c, most);
	bool by_others = !dominates && w.sum_ns > 0 && one_program(c) &&
		ahead_ns >= DOMINANT * jr_ratio(w.sum_ns, steps_of_others(c));
	device = by_others ? most : device;
	/* Convert the mean over all devices to the mean over the waiting devices. */
	double for_ns = w.step_ns * jr_ratio(w.for_ns[device], w.sum_ns) *
		jr_ratio((double)jr_check_devices(c), w.waiters[device]);
	double cost_ns = by_others ? ahead_ns : dominates ? for_ns : w.step_ns;
	if (!jr_check_fires(c, jr_ratio(cost_ns, jr_check_step_ns(c))))
		return;
	const char *cost = jr_arena_printf(
		arena, "%s per step (%s)", jr_check_time(c, cost_ns), jr_check_percent(c, c->value));
	c->finding.evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE,
		jr_check_time(c, w.step_ns), jr_check_percent(c, jr_ratio(w.for_ns[device], w.sum_ns)),
		jr_check_device(c, device));
	if (!dominates && !by_others) {
		jr_check_claim_turns(c);
		c->named_ns = w.step_ns;
		bool elsewhere = w.others_ns > w.sum_ns / 2;
		jr_check_title(c, STRAGGLER_SUBJECT_NONE,
			jr_arena_printf(
				arena, elsewhere ? STRAGGLER_TITLE_ELSEWHERE : STRAGGLER_TITLE_NONE, cost));
		jr_check_why(c, elsewhere ? STRAGGLER_WHY_ELSEWHERE : STRAGGLER_WHY_NONE);
		jr_check_do(c, elsewhere ? STRAGGLER_ACTION_ELSEWHERE : STRAGGLER_ACTION_NONE);
		return;
	}
	double *claim_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_devices + 1);
	claim_ns[device] = ahead_of_next(c, device);
	jr_check_claim(c, claim_ns, JR_PART_COMPUTE);
	c->named_ns = cost_ns;
	uint8_t *as_median = JR_ARENA_N(arena, uint8_t, p->n_devices + 1);
	as_median[device] = 1;
	jr_check_change(c)->as_median = as_median;
	bool two = jr_check_devices(c) == 2;
	const char *subject = jr_arena_printf(
		arena, STRAGGLER_SUBJECT, jr_check_device(c, device), two ? " device" : "s");
	jr_check_title(c, subject,
		jr_arena_printf(arena,
			by_others ? STRAGGLER_TITLE_NEEDS
			: two	  ? STRAGGLER_TITLE_WAIT_ONE
					  : STRAGGLER_TITLE_WAIT,
			cost));
	const struct jr_device_delay *delay = &c->ctx->delays->devices[device];
	c->finding.evidence = jr_arena_printf(arena, STRAGGLER_EVIDENCE_LAST,
		c->finding.evidence, jr_check_count(c, (size_t)delay->last), delay->last == 1 ? "" : "s",
		two ? " device" : "s",
		jr_check_time(c, (double)delay->caused_ns), jr_check_time(c, w.waited_ns),
		by_others ? STRAGGLER_EVIDENCE_INDIRECT
				  : "");
	struct slowness s = find_slowness(c, device);
	tell_slowness(c, device, &s);
}
