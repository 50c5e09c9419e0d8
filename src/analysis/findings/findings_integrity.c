/* Rules about missing and impossible records: one rule per kind of fault. */
#include <string.h>

#include "analysis/findings/findings.h"
#include "analysis/findings/rule_ids.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/integrity.h"
#include "analysis/core/terms.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define LOST_KERNELS_WHY                                                                           \
	"The " JR_GPU " may have run these kernels, so idle time near them is unknown. It does not "   \
	"count as waiting for the host, and step times may be too long or too short."
#define LOST_KERNELS_WHY_PROCESSES                                                                 \
	"No kernel was recorded for %s of %s processes, so their " JR_GPU "s are missing from all "    \
	"numbers."

#define FEWER_STEPS "Record fewer steps, so that the profiler's buffers hold all events."

#define SHORTER_RANGE                                                                              \
	JR_ON_NVIDIA("Profile a shorter range, or let the profiler flush its buffers more often "      \
	"(--cuda-flush-interval=1000).")

#define SHORTER_RANGE_OF_CALLS                                                                     \
	JR_ON_NVIDIA("Profile a shorter range (--capture-range=cudaProfilerApi), or let the profiler " \
	"flush its buffers more often (--cuda-flush-interval=1000).")

#define LOST_NODES_WHY                                                                             \
	"The " JR_GPU " may have run the missing kernels, so idle time in these replays is unknown "   \
	"and does not count as waiting."
#define LOST_NODES_ACTION                                                                          \
	JR_ON_NVIDIA("Profile a shorter range, or record graphs as a whole "                           \
	"(--cuda-graph-trace=graph).")

#define LOST_COPIES_WHY                                                                            \
	"Their process has no record of this kind at all. The " JR_GPU " may have copied or set "      \
	"memory while it seems idle, so conclusions about idle time are left out."
#define LOST_COPIES_ACTION                                                                         \
	JR_ON_NVIDIA("Check that the export has the tables of copies and memsets. If it does not, "    \
	"export the .nsys-rep file again, or profile again with -t cuda.")

#define LOST_LAUNCHES_WHY                                                                          \
	"These kernels do not belong to any host range or step. Step and range times may be too "      \
	"short, and what the " JR_GPU " waited for is unknown."

#define LOST_MODULES_WHY                                                                           \
	"Records of executions are missing, so steps may be missing, and step times may be too long. " \
	"Conclusions about idle time and steps are left out."
#define LOST_MODULES_ACTION                                                                        \
	JR_ON_NVIDIA("Record the profile again, and let the profiler flush its buffers more often "    \
	"(nsys profile --cuda-flush-interval=1000).")

#define LOST_EXECUTIONS_WHY                                                                        \
	"Records of later executions of the same modules exist, so these ran as well. " JR_GPU "s or " \
	"steps may be missing from all numbers, and idle time is unknown."

#define UNASSIGNED_KERNELS_WHY                                                                     \
	"The profile does not state which instructions launched them. Their time is in none of the "   \
	"numbers of thunks and of compute. It counts as idle time of their modules, about which "      \
	"conclusions are left out."

#define MERGED_EXECUTIONS_WHY                                                                      \
	"The trace states neither scopes nor the host's ranges of modules, and the instructions do "   \
	"not repeat in equal cycles. Several steps may count as one, so conclusions about steps are "  \
	"left out."
#define MERGED_EXECUTIONS_ACTION                                                                   \
	"Record again with host_tracer_level=2, the default of jax.profiler."

#define REPORTED_DROPS_TITLE "The profiler dropped %s events"
#define REPORTED_DROPS_TITLE_ONE "The profiler reports dropped events"
#define REPORTED_DROPS_WHY                                                                         \
	"Which events is unknown, so all totals are lower bounds, and idle time does not count as "    \
	"waiting."
#define REPORTED_DROPS_EVIDENCE "The profiler wrote: “%s”"

#define OVERLAPPING_RECORDS_WHY                                                                    \
	"Operations of one stream run one after the other, so these times cannot be right. Each such " \
	"record counts until the next one of its stream begins; conclusions about idle time and "      \
	"steps are left out for the time that it covers."
#define OVERLAPPING_RECORDS_ACTION "Profile again with a newer version of the profiler."

#define BEFORE_LAUNCH_WHY                                                                          \
	"The clocks of the host and the " JR_GPU " disagree, so launch latencies and causes of idle "  \
	"time are unknown for these operations. Durations and order on the " JR_GPU " are not "        \
	"affected."
#define BEFORE_LAUNCH_ACTION "Profile again, with a newer driver if it happens again."

#define NO_TIMES_WHY                                                                               \
	"The profiler wrote 0 for times that it did not collect, or the same time for begin and end. " \
	"These records are left out, so totals are lower bounds."

#define FAR_RECORDS_WHY                                                                            \
	"No profile is that long, so their times are wrong. These records are left out."

#define CUT_INPUTS_WHY                                                                             \
	"The rest of the file is missing: devices, host ranges, or the later part of either. All "     \
	"totals are lower bounds, and conclusions about idle time and steps are left out."
#define CUT_INPUTS_WHY_TABLE                                                                       \
	"The operations in it are missing from all numbers, and the " JR_GPU " may have run them "     \
	"while it seems idle. Conclusions about idle time and steps are left out. The notes name the " \
	"table."
#define CUT_INPUTS_ACTION "Copy the file again, or profile again with enough disk space."

#define CUT_INPUTS_ACTION_TABLE "Export the .nsys-rep file again."

#define OTHER_JOBS_TITLE "%s of %s inputs run%s other programs than %s"
#define OTHER_JOBS_WHY                                                                             \
	"%s mostly runs %s, %s mostly runs %s, and neither runs the other's program. If they are "     \
	"from different jobs, all numbers mix these jobs."
#define OTHER_JOBS_ACTION "Make one report per job if they are from different jobs."

#define MOST_NAMED 4

/* --- places of the faults --------------------------------------------------------------------- */

static int64_t first_ns(const struct jr_profile *p, uint32_t input)
{
	for (size_t i = 0; i < p->n_captures; i++)
		if (p->captures[i].input == input)
			return p->captures[i].first_ns;
	return 0;
}

/* Return "“job:1001”, thread 7, device 1: 99 of 200, from 61.00 ms to 159.0 ms." */
static const char *place_text(struct jr_check *c, const struct jr_fault *f)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	const char *text = f->process == JR_NONE
		? jr_check_name(c, p->inputs[f->input].name)
		: jr_check_name(c, jr_str(p, p->processes[f->process].name));
	if (f->tid >= 0)
		text = jr_arena_printf(arena, "%s, thread %lld", text, (long long)f->tid);
	if (f->device != JR_NONE)
		text = jr_arena_printf(arena, "%s, device %s", text, jr_check_device(c, f->device));
	text = jr_arena_printf(arena, "%s: %s of %s", text, jr_check_count(c, (size_t)f->count),
		jr_check_count(c, (size_t)f->of));
	int64_t zero_ns = first_ns(p, f->input);
	const char *end = jr_check_time(c, (double)(f->end_ns - zero_ns));
	if (f->end_ns > f->begin_ns && f->begin_ns <= zero_ns)
		text = jr_arena_printf(arena, "%s, in the first %s", text, end);
	else if (f->end_ns > f->begin_ns)
		text = jr_arena_printf(arena, "%s, from %s to %s", text,
			jr_check_time(c, (double)(f->begin_ns - zero_ns)), end);
	return jr_arena_printf(arena, "%s.", text);
}

/* List the places with the most faulty records, in descending order. */
static const char *places_text(struct jr_check *c, enum jr_fault_kind kind)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_fault *most[MOST_NAMED];
	size_t n = 0, all = 0;
	for (size_t i = 0; i < p->n_faults; i++) {
		const struct jr_fault *f = &p->faults[i];
		if (f->kind != kind)
			continue;
		all++;
		size_t at = n < MOST_NAMED ? n++ : MOST_NAMED;
		for (; at && f->count > most[at - 1]->count; at--)
			if (at < MOST_NAMED)
				most[at] = most[at - 1];
		if (at < MOST_NAMED)
			most[at] = f;
	}
	const char *text = "";
	for (size_t i = 0; i < n; i++)
		text = jr_arena_printf(
			c->ctx->arena, "%s%s%s", text, *text ? " " : "", place_text(c, most[i]));
	if (all > n)
		text = jr_arena_printf(
			c->ctx->arena, "%s %s more such places.", text, jr_check_count(c, all - n));
	return text;
}

static const char *capitalized(struct jr_arena *arena, const char *words)
{
	char *text = jr_arena_strdup(arena, words);
	if (*text >= 'a' && *text <= 'z')
		*text -= 'a' - 'A';
	return text;
}

/* Fire if any record is faulty; the severity is a warning if conclusions are in doubt. Unknown if
 * there are no records of the kind. */
static bool fires(struct jr_check *c, enum jr_fault_kind kind)
{
	const struct jr_integrity *in = c->ctx->integrity;
	if (in->of[kind] == 0 || !jr_check_fires(c, (double)in->count[kind]))
		return false;
	double share = fmax(jr_integrity_share(in, kind), in->step_share);
	c->finding.severity = share >= JR_DOUBTFUL ? JR_WARNING : JR_NOTICE;
	int64_t most_ns = 0;
	for (size_t i = 0; i < c->ctx->profile->n_faults; i++)
		if (c->ctx->profile->faults[i].kind == kind &&
			c->ctx->profile->faults[i].most_ns > most_ns)
			most_ns = c->ctx->profile->faults[i].most_ns;
	c->finding.title = capitalized(c->ctx->arena,
		jr_integrity_words(kind, in->count[kind], in->of[kind], most_ns, c->ctx->arena));
	c->finding.evidence = places_text(c, kind);
	if (c->ctx->profile->selected.any && kind != JR_FAULT_LOST_EXECUTIONS)
		jr_check_evidence(c, "%s%sCounts are of the whole profile.",
			c->finding.evidence, *c->finding.evidence ? " " : "");
	return true;
}

/* --- missing records -------------------------------------------------------------------------- */

/* Return "No kernel was recorded for 3 of 4 processes …", for processes that launched kernels. */
static const char *processes_text(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	uint64_t *lost = JR_ARENA_N(c->ctx->scratch, uint64_t, p->n_processes + 1);
	uint8_t *ran = JR_ARENA_N(c->ctx->scratch, uint8_t, p->n_processes + 1);
	size_t n = 0;
	for (size_t i = 0; i < p->n_faults; i++) {
		const struct jr_fault *f = &p->faults[i];
		if (f->kind != JR_FAULT_LOST_KERNELS || f->process == JR_NONE)
			continue;
		lost[f->process] += f->count;
		ran[f->process] |= f->count < f->of;
	}
	for (size_t i = 0; i < p->n_processes; i++)
		n += lost[i] && !ran[i];
	if (n == 0 || p->n_processes == 1)
		return "";
	return jr_arena_printf(c->ctx->arena, LOST_KERNELS_WHY_PROCESSES,
		jr_check_count(c, n), jr_check_count(c, p->n_processes));
}

void jr_rule_lost_kernels(struct jr_check *c)
{
	if (!jr_gpu_any_kernel(c->ctx->profile) && jr_gpu_launch_calls(c->ctx->profile))
		return; /* no-kernels reports that there are none at all */
	if (!fires(c, JR_FAULT_LOST_KERNELS))
		return;
	jr_check_why(c, "%s", processes_text(c));
	jr_check_why(c, LOST_KERNELS_WHY);
	jr_check_do(c, c->ctx->profile->by_jax_profiler ? FEWER_STEPS : SHORTER_RANGE_OF_CALLS);
}

void jr_rule_lost_nodes(struct jr_check *c)
{
	if (!fires(c, JR_FAULT_LOST_NODES))
		return;
	jr_check_why(c, LOST_NODES_WHY);
	jr_check_do(c, LOST_NODES_ACTION);
}

void jr_rule_lost_copies(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	if (p->gpu_ops.n == 0 || !fires(c, JR_FAULT_LOST_COPIES)) /* no-kernels reports the first */
		return;
	jr_check_why(c, LOST_COPIES_WHY);
	jr_check_do(c, p->by_jax_profiler ? FEWER_STEPS : LOST_COPIES_ACTION);
}

void jr_rule_lost_launches(struct jr_check *c)
{
	if (!fires(c, JR_FAULT_LOST_LAUNCHES))
		return;
	jr_check_why(c, LOST_LAUNCHES_WHY);
	jr_check_do(c, SHORTER_RANGE);
}

void jr_rule_lost_modules(struct jr_check *c)
{
	if (c->ctx->profile->thunks.n == 0 || !fires(c, JR_FAULT_LOST_MODULES))
		return;
	jr_check_why(c, LOST_MODULES_WHY);
	jr_check_do(c, LOST_MODULES_ACTION);
}

void jr_rule_lost_executions(struct jr_check *c)
{
	if (c->ctx->integrity->of[JR_FAULT_LOST_EXECUTIONS] == 0 || !fires(c, JR_FAULT_LOST_EXECUTIONS))
		return;
	jr_check_why(c, LOST_EXECUTIONS_WHY);
	jr_check_do(c, FEWER_STEPS);
}

void jr_rule_unassigned_kernels(struct jr_check *c)
{
	if (!fires(c, JR_FAULT_UNASSIGNED))
		return;
	jr_check_why(c, UNASSIGNED_KERNELS_WHY);
}

void jr_rule_merged_executions(struct jr_check *c)
{
	if (!fires(c, JR_FAULT_MERGED))
		return;
	jr_check_why(c, MERGED_EXECUTIONS_WHY);
	jr_check_do(c, MERGED_EXECUTIONS_ACTION);
}

void jr_rule_reported_drops(struct jr_check *c)
{
	const struct jr_integrity *in = c->ctx->integrity;
	if (c->ctx->profile->by_jax_profiler) /* dropped-events reports it */
		return;
	if (!jr_check_fires(c, (double)in->n_told))
		return;
	c->finding.severity = JR_WARNING;
	c->finding.title = in->n_told == 1
		? REPORTED_DROPS_TITLE_ONE
		: jr_arena_printf(c->ctx->arena, REPORTED_DROPS_TITLE,
			  jr_check_count(c, (size_t)in->n_told));
	jr_check_why(c, REPORTED_DROPS_WHY);
	jr_check_do(c, SHORTER_RANGE);
	jr_check_evidence(c, REPORTED_DROPS_EVIDENCE, in->told ? in->told : "");
}

/* --- impossible times ------------------------------------------------------------------------- */

void jr_rule_overlapping_records(struct jr_check *c)
{
	if (!fires(c, JR_FAULT_COVERING))
		return;
	jr_check_why(c, OVERLAPPING_RECORDS_WHY);
	jr_check_do(c, OVERLAPPING_RECORDS_ACTION);
}

void jr_rule_before_launch(struct jr_check *c)
{
	if (!fires(c, JR_FAULT_BEFORE_LAUNCH))
		return;
	jr_check_why(c, BEFORE_LAUNCH_WHY);
	jr_check_do(c, BEFORE_LAUNCH_ACTION);
}

void jr_rule_no_times(struct jr_check *c)
{
	if (!fires(c, JR_FAULT_TIMELESS))
		return;
	jr_check_why(c, NO_TIMES_WHY);
}

void jr_rule_far_records(struct jr_check *c)
{
	if (!fires(c, JR_FAULT_FAR))
		return;
	jr_check_why(c, FAR_RECORDS_WHY);
}

void jr_rule_cut_inputs(struct jr_check *c)
{
	bool cut = c->ctx->integrity->count[JR_FAULT_UNREADABLE] == 0;
	if (!fires(c, cut ? JR_FAULT_CUT : JR_FAULT_UNREADABLE))
		return;
	jr_check_why(c, "%s", cut ? CUT_INPUTS_WHY : CUT_INPUTS_WHY_TABLE);
	jr_check_do(c, "%s", cut ? CUT_INPUTS_ACTION : CUT_INPUTS_ACTION_TABLE);
}

/* --- inputs of different jobs ----------------------------------------------------------------- */

void jr_rule_other_jobs(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_other_jobs *jobs = &p->other_jobs;
	if (p->modules.n == 0 || !jr_check_fires(c, (double)jobs->n))
		return;
	const char *first = jr_check_name(c, p->inputs[jobs->input[0]].name);
	c->finding.severity = JR_WARNING;
	c->finding.title = jr_arena_printf(c->ctx->arena, OTHER_JOBS_TITLE, jr_check_count(c, jobs->n),
		jr_check_count(c, p->n_inputs), jobs->n == 1 ? "s" : "", first);
	jr_check_why(c, OTHER_JOBS_WHY, first, jr_check_name(c, jr_str(p, jobs->program[0])),
		jr_check_name(c, p->inputs[jobs->input[1]].name),
		jr_check_name(c, jr_str(p, jobs->program[1])));
	jr_check_do(c, OTHER_JOBS_ACTION);
}

/* --- conclusions that are not drawn ----------------------------------------------------------- */

const char *jr_check_abstains(struct jr_check *c)
{
	const struct jr_integrity *in = c->ctx->integrity;
	const struct jr_rule *rule = c->rule;
	bool of_absence = rule->cause == JR_CAUSE_HOST || rule->cause == JR_CAUSE_LAUNCH ||
		rule->cause == JR_CAUSE_WAITING ||
		(rule->cause != JR_CAUSE_MEASUREMENT && strcmp(rule->section, "steps") == 0);
	/* A kernel of an unknown instruction may have hidden the transfer. */
	of_absence |= in->count[JR_FAULT_UNASSIGNED] &&
		strcmp(rule->id, jr_rule_id(JR_RULE_exposed_communication)) == 0;
	/* Gaps of GPUs are excluded one by one if they are in doubt (gaps.c). */
	bool by_gaps = strcmp(rule->section, "gaps") == 0 && !jr_integrity_lacks_events(in);
	if (of_absence && in->others_share >= JR_DOUBTFUL)
		return "not judged, because work that was not selected ran during the steps";
	if (!of_absence || by_gaps || in->step_share < JR_DOUBTFUL)
		return NULL;
	const char *mark = jr_integrity_mark(in, c->ctx->profile, c->ctx->arena);
	return mark ? jr_arena_printf(c->ctx->arena, "not judged, because %s", mark) : NULL;
}
