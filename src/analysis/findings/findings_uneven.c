/* The rule about executions of the step that take longer than the others. */
#include <inttypes.h>
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/rule_ids.h"
#include "analysis/shared/late_moves.h"
#include "analysis/shared/step_parts.h"
#include "analysis/shared/step_time.h"
#include "analysis/core/terms.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define UNEVEN_STEPS_SUBJECT "Executions of the step are uneven"
#define UNEVEN_STEPS_SUBJECT_FIRST "The first execution in the profile"
#define UNEVEN_STEPS_TITLE                                                                         \
	": the longest takes %s, the median %s; %zu of %zu take over 5 %% longer than the median. " \
	"The time above the median is %s in all"
#define UNEVEN_STEPS_TITLE_FIRST " takes %s, the median execution %s; the mean step " \
	"of %s includes it"
#define UNEVEN_STEPS_WHY_FIRST                                                                     \
	"A first execution includes loading, memory allocation, rising clocks and the start of "       \
	"the profiler; later ones do not."
#define UNEVEN_STEPS_ACTION_FIRST                                                                  \
	"Exclude it with --warmup 1, or run a step before " JR_OF_JAX("start_trace") JR_NOT_JAX("the " \
	"trace begins") "."
#define UNEVEN_STEPS_SUBJECT_WHEN "Executions of the step are slower %s"
#define UNEVEN_STEPS_TITLE_WHEN ": %s on average instead of %s"
#define UNEVEN_STEPS_SUBJECT_GROWS "Executions of the step become slower over time"
#define UNEVEN_STEPS_TITLE_GROWS ": from %s to %s"
#define UNEVEN_STEPS_ACTION_GROWS                                                                  \
	"Look for heat that lowers the clocks, and for work that grows from step to step."
#define UNEVEN_STEPS_WHY_WHEN                                                                      \
	"All executions run the same program with the same shapes. The difference comes from "         \
	"clocks, other processes, the data, or how often loops run."
#define UNEVEN_STEPS_ACTION_WHEN                                                                   \
	JR_ON_GPU("Check clocks, power and temperature (" JR_SHOW_ALL_CLOCKS ").")
#define UNEVEN_STEPS_ACTION_SINCE "Look for what changed at that step."
#define UNEVEN_STEPS_ACTION_DURING "Look for what ran in these steps."
#define UNEVEN_STEPS_ACTION_EACH                                                                   \
	"Look for work that comes back at that distance, such as logging, evaluation or another job."
#define UNEVEN_STEPS_SUBJECT_ONE "Step %" PRId64 " takes longer than the others"
#define UNEVEN_STEPS_TITLE_ONE ": %s instead of %s (the median)"
#define UNEVEN_STEPS_WHY_MORE                                                                      \
	"These executions do more work: some kernels run more often in them, or only in them, most "  \
	"of the time %s. A branch" JR_OF_JAX(" (jax.lax.cond)") " or a longer loop does that."
#define UNEVEN_STEPS_ACTION_MORE                                                                   \
	"Check whether this work has to be in the step, and so often. If it is intended, such as an "  \
	"update after several small batches, its time is not lost."
#define UNEVEN_STEPS_WHY_KERNEL "Most of this time is in %s."
#define UNEVEN_STEPS_EVIDENCE                                                                      \
	"The longest is execution %u of %s on device %s; %s steady executions."

/* --- measurement ----------------------------------------------------------------------------- */

#define LEAST_STEPS 5
#define LONG 1.05 /* ratio to the median from which a step counts as long */

/* Return the largest part of a step; the excess is attributed to it. */
static enum jr_ledger_part largest_part(const struct jr_check *c)
{
	static const enum jr_ledger_part parts[] = {JR_PART_COMPUTE, JR_PART_TRANSFER, JR_PART_COPY};
	enum jr_ledger_part most = parts[0];
	for (size_t i = 1; i < JR_COUNT_OF(parts); i++)
		if (c->part_ns[parts[i]] > c->part_ns[most])
			most = parts[i];
	return most;
}

/* True if only the first execution makes steps uneven, in a trace that does not show
 * compilation. */
static bool is_only_first(const struct jr_check *c, const struct jr_step_sample *samples,
	const struct jr_program_steps *steps)
{
	double above_ns = 0, sum_ns = 0;
	for (size_t i = 0; i < steps->n; i++) {
		if (samples[i].program_execution == 0)
			continue;
		sum_ns += (double)samples[i].dur_ns;
		if (samples[i].dur_ns > steps->median_ns)
			above_ns += (double)(samples[i].dur_ns - steps->median_ns);
	}
	return c->ctx->profile->by_jax_profiler && jr_ratio(above_ns, sum_ns) < c->rule->threshold;
}

static void tell_first(struct jr_check *c, const struct jr_step_sample *first, int64_t median_ns)
{
	c->finding.cause = JR_CAUSE_MEASUREMENT;
	jr_check_title(c, UNEVEN_STEPS_SUBJECT_FIRST, UNEVEN_STEPS_TITLE_FIRST,
		jr_check_time(c, (double)first->dur_ns), jr_check_time(c, (double)median_ns),
		jr_check_time(c, c->wall_ns / c->n_steps));
	jr_check_why(c, UNEVEN_STEPS_WHY_FIRST);
	jr_check_do(c, UNEVEN_STEPS_ACTION_FIRST);
}

/* A device that is equally late in all steps makes none of them longer than the others. */
static bool is_late_unevenly(const struct jr_late *late)
{
	return late->when != JR_LATE_ALWAYS || late->grows;
}

/* Return the time of all steps in which late devices delay the others, which the rule about
 * stragglers reports. */
static double late_ns(const struct jr_check *c)
{
	struct jr_late_set set = jr_late_set_find(c->ctx);
	const struct jr_late_moves moves = jr_late_moves_find(c->ctx);
	if (moves.phases.n)
		set = moves.set;
	double most_ns = set.n && is_late_unevenly(&set.late)
						 ? set.late.mean_ns * (double)set.late.n_steps
						 : 0;
	/* another device may always be late, and then the set is not late in some steps alone */
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++) {
		const struct jr_late *late = &c->ctx->lateness->devices[d];
		if (jr_late_matters(c->ctx->lateness, (uint32_t)d) && is_late_unevenly(late))
			most_ns = fmax(most_ns, late->mean_ns * (double)late->n_steps);
	}
	return most_ns;
}

/* Executions that are slower since a step, in some steps in a row, or at regular distances. */
struct slow_steps {
	struct jr_late late; /* NEVER: there is no such pattern */
	double slow_ns, usual_ns; /* means */
	double above_ns;          /* of the slow ones, beyond the mean of the others */
	double long_ns;           /* from which an execution is a slow one */
	bool grows;               /* steadily, from the first execution to the last */
	double from_ns, to_ns;    /* then: their lengths, on the straight line */
};

/* The second shortest execution shows what one can take, whichever part of them is slow. */
static struct slow_steps find_slow_steps(
	const struct jr_check *c, const struct jr_step_sample *samples, size_t n)
{
	struct slow_steps out = {0};
	uint32_t *numbers = JR_ARENA_N(c->ctx->scratch, uint32_t, n);
	double *ns = JR_ARENA_N(c->ctx->scratch, double, n);
	double least = INFINITY, second = INFINITY;
	struct jr_stats slow = {0}, usual = {0};
	for (size_t i = 0; i < n; i++) {
		numbers[i] = c->ctx->windows->begins[samples[i].module];
		ns[i] = (double)samples[i].dur_ns;
		if (numbers[i] == JR_NONE)
			return out;
		second = fmin(second, fmax(least, ns[i]));
		least = fmin(least, ns[i]);
	}
	struct jr_late late = jr_late_judge(numbers, ns, n, true, LONG * second);
	if (late.when != JR_LATE_SINCE && late.when != JR_LATE_DURING && late.when != JR_LATE_EACH)
		return out;
	for (size_t i = 0; i < n; i++)
		jr_stats_add(ns[i] > LONG * second ? &slow : &usual, ns[i]);
	out = (struct slow_steps){.late = late,
		.slow_ns = slow.mean,
		.usual_ns = usual.mean,
		.above_ns = (slow.mean - usual.mean) * (double)slow.n,
		.long_ns = LONG * second};
	out.grows = late.when == JR_LATE_SINCE &&
		jr_late_grows(ns, n, (LONG - 1) * second, &out.from_ns, &out.to_ns);
	return out;
}

/* Return the time of slow steps that findings on delays and transfers since a step report. */
static double explained_since_ns(const struct jr_check *c, const struct slow_steps *slow)
{
	const struct jr_results *r = c->ctx->findings_to;
	double sum_ns = 0;
	for (size_t i = 0; i < r->n_findings; i++)
		sum_ns += (double)r->findings[i].since_ns * (double)slow->late.n_late;
	return fmax(sum_ns, late_ns(c));
}

enum { KERNEL, COLLECTIVE, HOST_COPY, N_EXTRA_KINDS };

/* Where the extra time of long executions is, as sums over them, in ns, mean over devices. */
struct extra {
	uint32_t op; /* the kernel that adds most; JR_NONE: none does */
	double op_ns;
	uint32_t more; /* the kernel that adds most by running more often; JR_NONE */
	double more_ns; /* of all such kernels */
	double ns[N_EXTRA_KINDS];
};

/* Compare executions above `long_ns` with the others. */
static struct extra find_extra(
	const struct jr_check *c, const struct jr_step_sample *samples, size_t n, double long_ns)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	uint8_t *is_long =
		JR_ARENA_N(c->ctx->scratch, uint8_t, (size_t)samples[n - 1].program_execution + 1);
	struct jr_stats *of[2] = {JR_ARENA_N(c->ctx->scratch, struct jr_stats, p->n_ops + 1),
		JR_ARENA_N(c->ctx->scratch, struct jr_stats, p->n_ops + 1)};
	struct extra out = {.op = JR_NONE, .more = JR_NONE};
	double n_long = 0, most_ns = 0, devices = (double)jr_check_devices(c);
	for (size_t i = 0; i < n; i++)
		n_long += is_long[samples[i].program_execution] = (double)samples[i].dur_ns > long_ns;
	for (size_t i = 0; i < t->n; i++)
		if (jr_thunk_op(p, i)->program == c->step && jr_thunk_steady(p, i))
			jr_stats_add(
				&of[is_long[jr_thunk_execution(p, i)]][t->op[i]], (double)jr_thunk_dur_ns(p, i));
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct jr_stats *usual = &of[0][i], *more = &of[1][i];
		double usual_n = jr_ratio((double)usual->n * n_long, (double)n - n_long);
		double ns = more->mean * (double)more->n - usual->mean * usual_n;
		double often_ns = fmax((double)more->n - usual_n, 0) * more->mean;
		int kind = jr_op_copies_host(p, &p->ops[i]) ? HOST_COPY
				   : p->ops[i].communication        ? COLLECTIVE
													: KERNEL;
		out.ns[kind] += ns / devices;
		if (kind == COLLECTIVE)
			continue;
		if (ns > out.op_ns) {
			out.op_ns = ns;
			out.op = i;
		}
		if (often_ns > most_ns) {
			most_ns = often_ns;
			out.more = i;
		}
		out.more_ns += often_ns;
	}
	out.op_ns /= devices;
	out.more_ns /= devices;
	return out;
}

/* True if most of the time that long executions take beyond the others is more work. */
static bool is_more(const struct extra *extra, double above_ns)
{
	return extra->more_ns >= above_ns / 2;
}

/* Advise by what most of the time is in: bits for the clauses of JR_ADVICE_UNEVEN. */
static void advise_by_kind(struct jr_check *c, const struct extra *extra, double above_ns)
{
	double half = above_ns / 2, all = 0;
	unsigned found = 0;
	for (unsigned kind = 0; kind < N_EXTRA_KINDS; kind++) {
		all += extra->ns[kind];
		found |= !found && extra->ns[kind] >= half ? 1u << kind : 0;
	}
	if (!found)
		found = 1u << (all < half ? N_EXTRA_KINDS : N_EXTRA_KINDS + 1);
	jr_advise(c, JR_ADVICE_UNEVEN, &(const struct jr_about){.op = JR_NONE, .found = found});
}

static void tell_more(struct jr_check *c, const struct extra *extra)
{
	jr_check_why(c, UNEVEN_STEPS_WHY_MORE, jr_check_op(c, extra->more));
	jr_check_do(c, UNEVEN_STEPS_ACTION_MORE);
}

/* Report slow steps of a pattern. If the median step is one of them, it could save all of it; if it
 * is not, it has nothing to save. */
static void tell_slow_steps(
	struct jr_check *c, const struct slow_steps *slow, double above_ns, const struct extra *extra)
{
	struct jr_arena *arena = c->ctx->arena;
	bool of_median = c->ctx->typical != c->ctx->windows;
	bool since = slow->late.when == JR_LATE_SINCE;
	bool most = 2 * slow->late.n_late > slow->late.n_steps;
	if (of_median && !(since && most))
		jr_check_claim_once(c, above_ns, slow->late.n_late, above_ns);
	else
		jr_check_claim_each(c,
			above_ns / (double)(of_median ? slow->late.n_late : slow->late.n_steps),
			largest_part(c));
	if (since && !slow->grows && !c->finding.times) {
		struct jr_late *late = JR_ARENA_NEW(c->ctx->scratch, struct jr_late);
		*late = slow->late;
		c->since = late;
	}
	if (slow->grows)
		jr_check_title(c, UNEVEN_STEPS_SUBJECT_GROWS, UNEVEN_STEPS_TITLE_GROWS,
			jr_check_time(c, slow->from_ns), jr_check_time(c, slow->to_ns));
	else
		jr_check_title(c, jr_arena_printf(arena, UNEVEN_STEPS_SUBJECT_WHEN,
			jr_late_words(c->ctx->profile, c->ctx->windows, &slow->late, arena)),
		UNEVEN_STEPS_TITLE_WHEN, jr_check_time(c, slow->slow_ns), jr_check_time(c, slow->usual_ns));
	if (is_more(extra, above_ns)) {
		tell_more(c, extra);
		return;
	}
	jr_check_why(c, UNEVEN_STEPS_WHY_WHEN);
	jr_check_do(c, UNEVEN_STEPS_ACTION_WHEN);
	if (slow->grows)
		jr_check_do(c, UNEVEN_STEPS_ACTION_GROWS);
	else if (since)
		jr_check_do(c, UNEVEN_STEPS_ACTION_SINCE);
	else if (slow->late.when == JR_LATE_DURING)
		jr_check_do(c, UNEVEN_STEPS_ACTION_DURING);
	else
		jr_check_do(c, UNEVEN_STEPS_ACTION_EACH);
}

/* Say which kernel most of the time is in. The finding that it varies is a part of this one, and
 * others about it count the same time. */
static void tell_kernel(struct jr_check *c, const struct extra *extra, double above_ns)
{
	const struct jr_results *r = c->ctx->findings_to;
	uint32_t op = extra->op;
	double ns = extra->op_ns;
	if (op != JR_NONE && ns >= above_ns / 2 && !is_more(extra, above_ns))
		jr_check_why(c, UNEVEN_STEPS_WHY_KERNEL, jr_check_op(c, op));
	for (size_t i = 0; i < r->n_findings; i++) {
		struct jr_finding *f = &r->findings[i];
		if (op == JR_NONE || f->op != op ||
			ns < (double)f->recoverable_ns / 2 / (double)jr_check_devices(c))
			continue;
		if (strcmp(f->id, jr_rule_id(JR_RULE_variable_thunk)) == 0) {
			f->part_of = c->rule->id;
			c->finding.also = jr_arena_printf(c->ctx->arena, "%s.", f->measured);
		} else if (c->ctx->typical == c->ctx->windows) { /* the median step has none of it */
			f->also = jr_arena_printf(c->ctx->arena, JR_FINDINGS_OVERLAP, c->finding.subject);
		}
	}
}

/* Judge the slowest device only: differences between devices do not make executions uneven. */
void jr_rule_uneven_steps(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	if (c->step == JR_NONE || c->ctx->steps->programs[c->step].n < LEAST_STEPS)
		return;
	const struct jr_program_steps *steps = &c->ctx->steps->programs[c->step];
	const struct jr_step_sample *samples = &c->ctx->steps->samples[steps->first];
	const struct jr_step_sample *longest = samples;
	double above_ns = 0;
	size_t n_long = 0;
	for (size_t i = 0; i < steps->n; i++) {
		n_long += (double)samples[i].dur_ns > LONG * (double)steps->median_ns;
		if (samples[i].dur_ns > longest->dur_ns)
			longest = &samples[i];
		if (samples[i].dur_ns > steps->median_ns)
			above_ns += (double)(samples[i].dur_ns - steps->median_ns);
	}
	struct slow_steps slow = find_slow_steps(c, samples, steps->n);
	bool pattern = slow.late.when != JR_LATE_NEVER;
	above_ns = pattern ? slow.above_ns - explained_since_ns(c, &slow) : above_ns - late_ns(c);
	above_ns = fmax(above_ns, 0);
	if (!jr_check_fires(c, jr_ratio(above_ns, (double)steps->sum_ns)))
		return;
	bool only_first = !pattern && is_only_first(c, samples, steps);
	enum jr_ledger_part part = largest_part(c);
	/* The median step has nothing to save. */
	bool of_median = c->ctx->typical != c->ctx->windows;
	c->finding.cause = part == JR_PART_COMPUTE ? JR_CAUSE_COMPUTE : JR_CAUSE_TRANSFER;
	const struct extra extra = find_extra(
		c, samples, steps->n, pattern ? slow.long_ns : LONG * (double)steps->median_ns);
	if (pattern) {
		tell_slow_steps(c, &slow, above_ns, &extra);
		tell_kernel(c, &extra, above_ns);
		return;
	}
	if (!only_first && of_median)
		jr_check_claim_once(c, above_ns, n_long, above_ns);
	else if (!only_first)
		jr_check_claim_each(c, above_ns / (double)steps->n, part);
	if (n_long == 1)
		jr_check_title(c,
			jr_arena_printf(c->ctx->arena, UNEVEN_STEPS_SUBJECT_ONE,
				jr_step_number(p, c->ctx->windows, c->ctx->windows->begins[longest->module])),
			UNEVEN_STEPS_TITLE_ONE, jr_check_time(c, (double)longest->dur_ns),
			jr_check_time(c, (double)steps->median_ns));
	else
		jr_check_title(c, UNEVEN_STEPS_SUBJECT, UNEVEN_STEPS_TITLE,
			jr_check_time(c, (double)longest->dur_ns), jr_check_time(c, (double)steps->median_ns),
			n_long, steps->n, jr_check_time(c, above_ns));
	if (only_first)
		tell_first(c, longest, steps->median_ns);
	else if (is_more(&extra, above_ns))
		tell_more(c, &extra);
	else
		advise_by_kind(c, &extra, above_ns);
	if (!only_first)
		tell_kernel(c, &extra, above_ns);
	jr_check_evidence(c, UNEVEN_STEPS_EVIDENCE,
		longest->program_execution, jr_check_name(c, jr_str(p, p->programs[c->step].name)),
		jr_check_device(c, p->modules.device[longest->module]), jr_check_count(c, steps->n));
}
