/* Rules about time in which nothing runs, or something other than the step. */
#include <inttypes.h>

#include "analysis/findings/advice.h"
#include "analysis/shared/late_set.h"
#include "analysis/shared/step_window.h"
#include "analysis/core/terms.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define IDLE_BETWEEN_SUBJECT "The " JR_GPU " waits for the host between modules"
#define IDLE_BETWEEN_SUBJECT_SHORT "Short gaps between modules"
#define IDLE_BETWEEN_SUBJECT_PAUSES "Pauses between steps"
#define IDLE_BETWEEN_TITLE ": %s per step (%s)%s"
#define IDLE_BETWEEN_TITLE_REST ", excluding time that other findings explain%s"
#define IDLE_BETWEEN_TITLE_PAUSES " take %s in all (%s of the " JR_PROFILED " steps): %s"
#define IDLE_BETWEEN_WHY_SHORT                                                                     \
	JR_ON_GPU("Gaps this short are usual between programs on a " JR_GPU ", even if the next one "  \
	"was launched early: the steps are short.")
#define IDLE_BETWEEN_WHY_PAUSES                                                                    \
	"The other steps follow each other closely, so this is not a cost of every step. In the "      \
	"pauses the host did something that it does not do in every step, such as compiling, "         \
	"evaluating, writing a checkpoint or collecting garbage."
#define IDLE_BETWEEN_WHY_INPUT                                                                     \
	"The input pipeline is late: most of this time Python gets or moves the next batch."
#define IDLE_BETWEEN_ACTION_SHORT                                                                  \
	"Run several steps per dispatch, " JR_OF_JAX("with jax.lax.scan or fori_loop") JR_NOT_JAX(     \
	"in a loop that XLA compiles") "."
#define IDLE_BETWEEN_ACTION_PAUSES                                                                 \
	"Do this work in parallel with the steps, or less often. If it is necessary and "              \
	"cannot run in parallel, nothing can be saved."
#define IDLE_BETWEEN_ACTION_INPUT                                                                  \
	JR_OF_JAX("Let loader workers prepare it during the step, and put it on the device one step "  \
	"ahead. jax.device_put returns at once; a prefetching loader such as Grain does both.")
#define IDLE_BETWEEN_EVIDENCE "%s gap%s; the longest, %s, "
#define IDLE_BETWEEN_EVIDENCE_PAUSES "The longest gap "
#define IDLE_BETWEEN_EVIDENCE_WHEN "%s The host is late %s."
#define IDLE_BETWEEN_EVIDENCE_END "%sends at execution %u of %s on device %s."

#define SMALL_PROGRAMS_SUBJECT "Small programs between the steps"
#define SMALL_PROGRAMS_TITLE " cost %s per step (%s)"
#define SMALL_PROGRAMS_EVIDENCE                                                                    \
	"This is the time of %s executions shorter than 100 µs, and of the gaps around them; %s."
#define SMALL_PROGRAMS_EVIDENCE_ONE                                                                \
	"This is the time of one execution shorter than 100 µs, of %s, and of the gaps around it."

/* --- between modules ------------------------------------------------------------------------ */

/* Idle time that only few steps have, in excess of the usual idle time. */
struct pauses {
	size_t n;
	double all_ns;                        /* total, mean over devices */
	const struct jr_step_period *longest; /* NULL: none */
};

static struct pauses find_pauses(const struct jr_check *c)
{
	const struct jr_step_windows *w = c->ctx->windows;
	struct pauses found = {0};
	for (size_t i = 0; i < w->n_periods; i++) {
		const struct jr_step_period *period = &w->periods[i];
		if (!jr_step_period_paused(w, period))
			continue;
		found.n++;
		found.all_ns += period->idle_ns - w->idle_median_ns;
		if (!found.longest || period->idle_ns > found.longest->idle_ns)
			found.longest = period;
	}
	return found;
}

/* Return "one pause of 3.91 ms before execution 9". */
static const char *pauses_text(struct jr_check *c, const struct pauses *pauses)
{
	const char *which = pauses->n == 1 ? "one pause of"
		: jr_arena_printf(c->ctx->arena, "%s pauses, the longest of", jr_check_count(c, pauses->n));
	const struct jr_step_windows *w = c->ctx->windows;
	return jr_arena_printf(c->ctx->arena, "%s %s before %s %" PRId64, which,
		jr_check_time(c, pauses->longest->idle_ns), w->numbered ? "step" : "execution",
		jr_step_number(c->ctx->profile, w, pauses->longest->step));
}

#define SWITCH_NS 5000 /* per step; a late host causes longer gaps */

static void tell_waits(
	struct jr_check *c, const struct pauses *pauses, double usual_ns, bool explained)
{
	const char *more = pauses->n ? jr_arena_printf(c->ctx->arena, ", and %s",
									   pauses_text(c, pauses))
								 : "";
	if (explained)
		more = jr_arena_printf(c->ctx->arena, IDLE_BETWEEN_TITLE_REST, more);
	bool short_gaps = usual_ns < SWITCH_NS && !explained;
	jr_check_title(c,
		short_gaps ? IDLE_BETWEEN_SUBJECT_SHORT
				   : IDLE_BETWEEN_SUBJECT,
		IDLE_BETWEEN_TITLE, jr_check_time(c, usual_ns),
		jr_check_percent(c, jr_ratio(usual_ns, jr_check_step_ns(c))), more);
	if (short_gaps) {
		jr_check_why(c, IDLE_BETWEEN_WHY_SHORT);
		jr_check_do(c, IDLE_BETWEEN_ACTION_SHORT);
		return;
	}
	jr_advise(c, JR_ADVICE_WAITS_FOR_HOST, JR_ABOUT(JR_NONE));
}

/* Report pauses between steps that otherwise follow each other closely. */
static void tell_pauses(struct jr_check *c, const struct pauses *pauses)
{
	const char *text = pauses_text(c, pauses);
	jr_check_title(c, IDLE_BETWEEN_SUBJECT_PAUSES, IDLE_BETWEEN_TITLE_PAUSES,
		jr_check_time(c, pauses->all_ns), jr_check_percent(c, c->value), text);
	jr_check_why(c, IDLE_BETWEEN_WHY_PAUSES);
	jr_check_do(c, IDLE_BETWEEN_ACTION_PAUSES);
}

/* Leave out idle time that only late devices have: it is why the others wait for them, which the
 * rule about stragglers reports. */
static void leave_out_late(const struct jr_check *c, double *rest_ns)
{
	struct jr_late_set set = jr_late_set_find(c->ctx);
	double own_ns = 0, usual_ns = 0, n_others = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++) {
		bool other = !set.member[d] && c->devices[d].wall_ns > 0;
		own_ns += set.member[d] ? rest_ns[d] : 0;
		usual_ns += other ? rest_ns[d] : 0;
		n_others += other;
	}
	usual_ns = jr_ratio(usual_ns, n_others);
	if (!set.n || own_ns / (double)set.n - usual_ns < set.late.mean_ns / 2)
		return;
	for (size_t i = 0; i < set.n; i++)
		rest_ns[set.devices[i]] = fmin(rest_ns[set.devices[i]], usual_ns);
}

/* Set the idle time per step and device that no other rule reports. Return the mean over
 * devices. */
static double unexplained(const struct jr_check *c, double *rest_ns)
{
	double sum_ns = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		rest_ns[d] = fmax(c->devices[d].part_ns[JR_PART_IDLE_BETWEEN] - c->explained_ns[d], 0);
	leave_out_late(c, rest_ns);
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		sum_ns += rest_ns[d];
	return sum_ns / (double)c->ctx->typical->n_devices;
}

static bool any_explained(const struct jr_check *c)
{
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		if (c->explained_ns[d] > 0)
			return true;
	return false;
}

/* Report the longest gap. `pauses`: the title has its length, and the number of pauses. */
static void add_longest_gap(struct jr_check *c, bool pauses)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_modules *m = &p->modules;
	struct jr_module_gaps gaps = jr_check_gaps(c, c->ctx->windows);
	const struct jr_module_gap *longest = gaps.items;
	if (gaps.n == 0)
		return;
	for (size_t i = 1; i < gaps.n; i++)
		if (gaps.items[i].end_ns - gaps.items[i].begin_ns > longest->end_ns - longest->begin_ns)
			longest = &gaps.items[i];
	const char *which = pauses ? IDLE_BETWEEN_EVIDENCE_PAUSES
		: jr_arena_printf(c->ctx->arena, IDLE_BETWEEN_EVIDENCE, jr_check_count(c, gaps.n),
			  gaps.n == 1 ? "" : "s",
			  jr_check_time(c, (double)(longest->end_ns - longest->begin_ns)));
	jr_check_evidence(c, IDLE_BETWEEN_EVIDENCE_END, which, m->program_execution[longest->after],
		jr_check_name(c, jr_str(p, p->programs[m->program[longest->after]].name)),
		jr_check_device(c, longest->device));
}

/* Return "since step 20": in which steps the gaps before them are long. NULL: in all of them, or
 * now and then. *again: at regular distances. */
static const char *when_late(struct jr_check *c, bool *again)
{
	const struct jr_step_windows *w = c->ctx->windows;
	struct jr_module_gaps gaps = jr_check_gaps(c, w);
	size_t n_modules = c->ctx->profile->modules.n, n = 0;
	uint32_t *numbers = JR_ARENA_N(c->ctx->scratch, uint32_t, n_modules + 1);
	double *ns = JR_ARENA_N(c->ctx->scratch, double, n_modules + 1), sum_ns = 0;
	for (size_t i = 0; i < n_modules; i++)
		if (w->begins[i] != JR_NONE)
			n = w->begins[i] + (size_t)1 > n ? w->begins[i] + (size_t)1 : n;
	double *of_step = JR_ARENA_N(c->ctx->scratch, double, n + 1);
	uint8_t *begins = JR_ARENA_N(c->ctx->scratch, uint8_t, n + 1);
	for (size_t i = 0; i < n_modules; i++)
		if (w->begins[i] != JR_NONE)
			begins[w->begins[i]] = 1;
	for (size_t i = 0; i < gaps.n; i++)
		if (w->begins[gaps.items[i].after] != JR_NONE)
			of_step[w->begins[gaps.items[i].after]] +=
				(double)(gaps.items[i].end_ns - gaps.items[i].begin_ns);
	size_t n_steps = 0, first = 0;
	while (first < n && !begins[first])
		first++;
	for (uint32_t step = (uint32_t)first; step < n; step++) {
		if (!begins[step] || (step == first && of_step[step] <= 0)) /* nothing is before it */
			continue;
		numbers[n_steps] = step;
		ns[n_steps++] = of_step[step];
		sum_ns += of_step[step];
	}
	struct jr_late late =
		jr_late_judge(numbers, ns, n_steps, true, jr_ratio(sum_ns, 2 * (double)n_steps));
	*again = late.when == JR_LATE_EACH;
	return late.when == JR_LATE_SINCE || late.when == JR_LATE_DURING || late.when == JR_LATE_EACH
			   ? jr_late_words(c->ctx->profile, w, &late, c->ctx->arena)
			   : NULL;
}

/* Say so, if it is a pattern. Return whether it comes back regularly. */
static bool add_when(struct jr_check *c)
{
	bool again;
	const char *when = when_late(c, &again);
	if (when && c->finding.evidence)
		jr_check_evidence(c, IDLE_BETWEEN_EVIDENCE_WHEN, c->finding.evidence, when);
	return again;
}

static void add_python(struct jr_check *c)
{
	bool is_input;
	const char *python = jr_check_python_in_gaps(c, &is_input);
	if (!python)
		return;
	jr_check_evidence(c, "%s%s%s",
		c->finding.evidence ? c->finding.evidence : "", c->finding.evidence ? " " : "", python);
	if (!is_input)
		return;
	c->finding.why = c->finding.action = NULL;
	jr_check_why(c, IDLE_BETWEEN_WHY_INPUT);
	jr_check_do(c, IDLE_BETWEEN_ACTION_INPUT);
}

void jr_rule_idle_between_modules(struct jr_check *c)
{
	if (c->ctx->windows->n_devices == 0 || jr_check_rows_lost(c))
		return; /* a single step has no gaps between steps */
	double *rest_ns = JR_ARENA_N(c->ctx->scratch, double, c->ctx->profile->n_devices + 1);
	const struct jr_step_windows *w = c->ctx->windows;
	struct pauses pauses = find_pauses(c);
	if (*c->explained_once_ns > pauses.all_ns / 2)
		pauses = (struct pauses){0};
	/* The median step contains no pause; the mean step contains its share of all pauses. */
	double more_ns = pauses.all_ns / fmax((double)w->n_periods, 1);
	double idle_ns = unexplained(c, rest_ns), within_ns = c->ctx->typical == w ? more_ns : 0;
	double usual_ns = fmax(idle_ns - within_ns, 0);
	double of_ns = pauses.n ? w->mean_ns : jr_check_step_ns(c);
	if (!jr_check_fires(c, jr_ratio(usual_ns + more_ns, of_ns)))
		return;
	if (pauses.n && (usual_ns < c->rule->threshold * w->median_ns || usual_ns < SWITCH_NS)) {
		jr_check_claim_once(c, pauses.all_ns, pauses.n, pauses.all_ns);
		tell_pauses(c, &pauses);
		add_longest_gap(c, true);
		if (!add_when(c)) /* else a longer run has more of them */
			jr_check_evidence(c, "%s%s", c->finding.evidence, jr_check_pays_back(c));
	} else {
		for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
			rest_ns[d] = fmax(rest_ns[d] - within_ns, 0);
		jr_check_claim(c, rest_ns, JR_PART_IDLE_BETWEEN);
		tell_waits(c, &pauses, usual_ns, any_explained(c));
		add_longest_gap(c, false);
		(void)add_when(c);
	}
	add_python(c);
}

/* --- small programs between the steps -------------------------------------------------------- */

#define SMALL_NS 100000 /* approximate time of a dispatch from Python */
#define GAP_NS 1000000  /* maximum time of a dispatch; the rest has another cause */

/* Executions of other, short programs between the steps, per step and device: the executions, and
 * the gaps on both sides, up to GAP_NS each. */
struct between {
	double *gaps_ns, *runs_ns; /* [n_devices] */
	double ns;                 /* sum of both, mean over devices */
	double step_ns, small_ns;  /* time of the step's program and of the small ones, all devices */
	size_t *counts;            /* [n_programs] executions of the small ones */
	size_t n;
};

/* True for a small program. One that communicates is part of the step, such as the exchange between
 * pipeline stages. */
static bool is_small(const struct jr_check *c, size_t row, const uint8_t *communicates)
{
	const struct jr_modules *m = &c->ctx->profile->modules;
	return m->program[row] != c->step && m->dur_ns[row] < SMALL_NS &&
		   !communicates[m->program[row]];
}

/* Return [n_programs] 1: it has collectives or copies of host memory. */
static const uint8_t *programs_that_communicate(const struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	uint8_t *communicates = JR_ARENA_N(c->ctx->scratch, uint8_t, p->n_programs + 1);
	for (size_t i = 0; i < p->n_ops; i++)
		communicates[p->ops[i].program] |= p->ops[i].communication;
	return communicates;
}

static struct between measure_between(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_modules *m = &p->modules;
	struct between between = {.counts = JR_ARENA_N(c->ctx->scratch, size_t, p->n_programs + 1),
		.gaps_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_devices + 1),
		.runs_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_devices + 1)};
	const uint8_t *communicates = programs_that_communicate(c);
	const struct jr_step_windows *windows = c->ctx->typical;
	int64_t reach = 0;
	bool after_small = false;
	for (size_t i = 0; i < m->n; i++) {
		const struct jr_step_window *w = &windows->devices[m->device[i]];
		int64_t start = m->start_ns[i], end = start + m->dur_ns[i];
		if (i == 0 || m->device[i] != m->device[i - 1]) {
			reach = w->begin_ns;
			after_small = false;
		}
		if (w->n_periods <= 0 || end <= w->begin_ns || start > w->end_ns)
			continue;
		if (end <= reach)
			continue; /* it overlaps with earlier work and delays nothing */
		bool small = is_small(c, i, communicates);
		if (m->program[i] == c->step)
			between.step_ns += (double)m->dur_ns[i] / w->n_periods;
		else if (small)
			between.small_ns += (double)m->dur_ns[i] / w->n_periods;
		if ((small || after_small) && start > reach)
			between.gaps_ns[m->device[i]] +=
				(double)(start - reach < GAP_NS ? start - reach : GAP_NS) / w->n_periods;
		if (small) {
			between.runs_ns[m->device[i]] +=
				(double)(end - (start > reach ? start : reach)) / w->n_periods;
			between.counts[m->program[i]]++;
			between.n++;
		}
		after_small = small;
		reach = end;
	}
	for (size_t d = 0; d < p->n_devices; d++)
		between.ns += (between.gaps_ns[d] + between.runs_ns[d]) / (double)windows->n_devices;
	return between;
}

void jr_rule_small_programs(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	if (c->step == JR_NONE || c->ctx->windows->n_devices == 0)
		return;
	struct between between = measure_between(c);
	/* If the small programs take longer than the main program, they are part of the step. */
	double ns = between.small_ns > between.step_ns ? 0 : between.ns;
	if (!jr_check_fires(c, jr_ratio(ns, jr_check_step_ns(c))))
		return;
	double *claim_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_devices + 1);
	for (size_t d = 0; d < p->n_devices; d++) {
		claim_ns[d] = between.gaps_ns[d] + between.runs_ns[d];
		c->explained_ns[d] += between.gaps_ns[d];
	}
	jr_check_claim(c, claim_ns, JR_PART_BETWEEN);
	uint8_t *programs = JR_ARENA_N(arena, uint8_t, p->n_programs + 1);
	for (size_t i = 0; i < p->n_programs; i++)
		programs[i] = between.counts[i] > 0;
	c->claim_programs = programs;
	size_t worst = 0;
	for (size_t i = 1; i < p->n_programs; i++)
		worst = between.counts[i] > between.counts[worst] ? i : worst;
	jr_check_title(c, SMALL_PROGRAMS_SUBJECT, SMALL_PROGRAMS_TITLE, jr_check_time(c, between.ns),
		jr_check_percent(c, c->value));
	jr_advise(c, JR_ADVICE_SMALL_PROGRAMS, JR_ABOUT(JR_NONE));
	const char *name = jr_check_name(c, jr_str(p, p->programs[worst].name));
	if (between.n == 1)
		jr_check_evidence(c, SMALL_PROGRAMS_EVIDENCE_ONE, name);
	else
		jr_check_evidence(c, SMALL_PROGRAMS_EVIDENCE, jr_check_count(c, between.n),
			between.counts[worst] == between.n
				? jr_arena_printf(arena, "all are of %s", name)
			: between.counts[worst] == 1
				? jr_arena_printf(arena, "one of them of %s", name)
				: jr_arena_printf(arena, "most often %s, %s times", name,
					  jr_check_count(c, between.counts[worst])));
}
