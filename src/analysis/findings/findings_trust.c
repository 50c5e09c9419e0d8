/* Rules about data quality. */
#include <string.h>

#include "analysis/findings/findings.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/instances.h"
#include "analysis/shared/integrity.h"
#include "analysis/core/say.h"
#include "analysis/core/terms.h"
#include "analysis/gpu/gpu_tables.h"
#include "base/text.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define FEW_STEPS_TITLE "Only %zu %sexecution%s of the step %s " JR_PROFILED
#define FEW_STEPS_WHY                                                                              \
	"Means and spreads of so few steps vary from run to run; differences of a few percent are "    \
	"not significant."
#define FEW_STEPS_ACTION                                                                           \
	JR_OF_PART("Select more steps, if the profile contains them.") " "                             \
	JR_ON_NVIDIA("Profile ten or more steps: call cudaProfilerStart() after the first steps and "  \
	"run with --capture-range=cudaProfilerApi, or keep more of the recorded steps with --warmup.")
#define FEW_STEPS_ACTION_JAX                                                                       \
	JR_OF_PART("Select more steps, if the profile contains them.") " "                             \
	"Run ten or more steps " JR_OF_JAX("between start_trace and stop_trace") JR_NOT_JAX("while "   \
	"the trace is taken") ", after the first ones."
#define FEW_STEPS_EVIDENCE                                                                         \
	"An execution of %s takes %s (mean over all devices and %zu executions, standard error %s).%s"
#define FEW_STEPS_EVIDENCE_PERIODS                                                                 \
	" The step period is measured from one start to the next, so it does not include the last "    \
	"execution."

#define ABSENT_DEVICES_TITLE "Only %u of the %u devices that take part in collectives %s profiled"
#define ABSENT_DEVICES_WHY                                                                         \
	"Waiting for a device that was not profiled looks like transfer, so a late device "            \
	"may remain unseen and transfers appear longer."
#define ABSENT_DEVICES_ACTION                                                                      \
	"Profile all processes of the job at the same time, and give all of their files to one report."
#define ABSENT_DEVICES_EVIDENCE "%s of %s steady collectives include other devices."

#define NO_STEADY_STATE_TITLE                                                                      \
	"Numbers of %s include warm-up: none of its executions is steady by the warm-up rule"
#define NO_STEADY_STATE_TITLE_ALL                                                                  \
	"Numbers include warm-up: no execution is steady by the warm-up rule"
#define NO_STEADY_STATE_TITLE_THUNKS                                                               \
	"Numbers of thunks include warm-up: no steady execution has a thunk"
#define NO_STEADY_STATE_TITLE_COMMUNICATION                                                        \
	"Numbers of communication include warm-up: no communication is steady by the warm-up rule"
#define NO_STEADY_STATE_WHY                                                                        \
	JR_ON_GPU("First executions load libraries, set up " JR_NCCL " and tune kernels, so they "     \
	"take longer.")
#define NO_STEADY_STATE_ACTION "Profile more steps, or choose what counts as warm-up with --warmup."

#define COMMAND_BUFFERS_TITLE                                                                      \
	"Command buffers hide detail: only %s of about %s kernels of %s were recorded"
#define COMMAND_BUFFERS_WHY                                                                        \
	JR_ON_GPU("Kernels launched together as a " JR_GRAPH " appear as one range, so times by "      \
	"kernel, opcode and source line cover little.")
#define COMMAND_BUFFERS_ACTION                                                                     \
	"Use XLA_FLAGS=%s (empty) for one profile to see each kernel, but not for other runs."
#define COMMAND_BUFFERS_EVIDENCE "The program's HLO has %s instructions that launch kernels."

#define LOST_ROWS_TITLE "%s of %s rows of the " JR_OF_PART("whole ") "profile cannot be read (%s)"
#define LOST_ROWS_WHY                                                                              \
	"They are left out, so executions and kernels are missing from every number. Events "          \
	"nested in them may be counted elsewhere or not at all."
#define LOST_ROWS_ACTION "Do not rely on these numbers; export or profile again."
#define LOST_ROWS_EVIDENCE "%s (see the notes)."

#define NO_KERNELS_TITLE "%s kernel%s %s launched, and none was recorded"
#define NO_KERNELS_TITLE_NOTHING JR_CUDA " was traced, but no " JR_CUDA " event was recorded"
#define NO_KERNELS_TITLE_LOST "%s kernel%s %s launched, and no row of a kernel can be read"
#define NO_KERNELS_WHY_LOST                                                                        \
	"Rows that cannot be read were left out (%s of %s, see the notes). " JR_GPU " time and idle "  \
	"time cannot be determined."
#define NO_KERNELS_WHY                                                                             \
	"The profiler recorded the host's calls, but not the kernels: " JR_GPU " time and idle time "  \
	"cannot be determined."
#define NO_KERNELS_WHY_WSL                                                                         \
	JR_ON_NVIDIA("The program ran in WSL, which uses the Windows driver, and older versions of "   \
	"it do not record kernels.")
#define NO_KERNELS_WHY_VERSION                                                                     \
	JR_ON_NVIDIA("The usual cause is a profiler that is not compatible with the driver.")
#define NO_KERNELS_ACTION                                                                          \
	JR_ON_NVIDIA("Use a version of Nsight Systems as new as the driver. ") JR_ON_NVIDIA("Also "    \
	"check that --trace includes cuda, that no other profiler is attached, and that “nsys status " \
	"-e” reports no problems (run it in the container; on Windows, as administrator). The "        \
	"program must wait for its kernels before the capture ends.")
#define NO_KERNELS_ACTION_NOTHING                                                                  \
	JR_ON_NVIDIA("Use a version of Nsight Systems that supports the driver, and profile a part "   \
	"of the program that uses the " JR_GPU ".")
#define NO_KERNELS_ACTION_WSL                                                                      \
	JR_ON_NVIDIA("Update the Windows driver, WSL (wsl --update) and Nsight Systems, do not "       \
	"install a Linux driver within WSL, or profile on Linux.")

#define FEW_OPERATIONS_TITLE                                                                       \
	"Only %s operation%s of the " JR_GPU "%s %s " JR_RECORDED ", %s in all: too little to judge"
#define FEW_OPERATIONS_WHY                                                                         \
	"Shares of so few operations mean little, so rules about time did not run."
#define FEW_OPERATIONS_ACTION                                                                      \
	JR_OF_PART("Select a larger part.") " "                                                        \
	"Check whether the capture ended before the work began, or whether the work ran elsewhere. "   \
	"Profile the program while it works."

/* --- enough steps --------------------------------------------------------------------------- */

void jr_rule_few_steps(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_modules *m = &p->modules;
	struct jr_arena *arena = c->ctx->arena;
	if (c->step == JR_NONE)
		return;
	size_t *counts = JR_ARENA_N(c->ctx->scratch, size_t, p->n_devices + 1), least = SIZE_MAX;
	for (size_t i = 0; i < m->n; i++)
		counts[m->device[i]] += m->steady[i] && m->program[i] == c->step;
	for (size_t d = 0; d < p->n_devices; d++)
		if (counts[d] && counts[d] < least)
			least = counts[d];
	if (!jr_check_fires(c, (double)least))
		return;
	const struct jr_program_steps *steps = &c->ctx->steps->programs[c->step];
	double error_ns = jr_step_mean_error_ns(steps);
	c->finding.title = jr_arena_printf(arena, FEW_STEPS_TITLE, least,
		p->programs[c->step].fell_back ? "" : "steady ", least == 1 ? "" : "s",
		least == 1 ? "was" : "were");
	jr_check_why(c, FEW_STEPS_WHY);
	jr_check_do(c, p->by_jax_profiler ? FEW_STEPS_ACTION_JAX : FEW_STEPS_ACTION);
	if (!isnan(error_ns))
		jr_check_evidence(c, FEW_STEPS_EVIDENCE,
			jr_check_name(c, jr_str(p, p->programs[c->step].name)),
			jr_check_time(c, steps->mean_ns), steps->n, jr_check_time(c, error_ns),
			c->ctx->windows->n_periods ? FEW_STEPS_EVIDENCE_PERIODS : "");
}

/* --- all devices ----------------------------------------------------------------------------- */

void jr_rule_absent_devices(struct jr_check *c)
{
	struct jr_absent absent = jr_instances_absent(c->ctx->profile, c->ctx->instances);
	if (!absent.n || !jr_check_fires(c, (double)absent.of - (double)absent.seen))
		return;
	c->finding.title = jr_arena_printf(c->ctx->arena, ABSENT_DEVICES_TITLE, absent.seen,
		absent.of, absent.seen == 1 ? "was" : "were");
	jr_check_why(c, ABSENT_DEVICES_WHY);
	jr_check_do(c, ABSENT_DEVICES_ACTION);
	jr_check_evidence(c, ABSENT_DEVICES_EVIDENCE,
		jr_check_count(c, absent.n_part), jr_check_count(c, absent.n));
}

/* --- any steady step ------------------------------------------------------------------------ */

/* Return the program of the steps if it includes executions that the rule counts as warm-up. */
static const char *program_kept(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	if (c->step == JR_NONE || !p->programs[c->step].fell_back)
		return NULL;
	return jr_check_name(c, jr_str(p, p->programs[c->step].name));
}

void jr_rule_no_steady_state(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	if (p->modules.n == 0)
		return;
	const char *program = !p->modules_fell_back ? program_kept(c) : NULL;
	int kinds = p->modules_fell_back + p->thunks_fell_back + p->communications_fell_back +
		(program != NULL);
	if (!jr_check_fires(c, kinds))
		return;
	c->finding.title = program
		? jr_arena_printf(c->ctx->arena, NO_STEADY_STATE_TITLE, program)
		: p->modules_fell_back
		? NO_STEADY_STATE_TITLE_ALL
		: p->thunks_fell_back
		? NO_STEADY_STATE_TITLE_THUNKS
		: NO_STEADY_STATE_TITLE_COMMUNICATION;
	jr_check_why(c, NO_STEADY_STATE_WHY);
	jr_check_do(c, NO_STEADY_STATE_ACTION);
}

/* --- hidden kernels ------------------------------------------------------------------------- */

/* True for opcodes without a kernel, and for those whose computations are examined instead. */
static bool makes_no_kernel(const struct jr_hlo_instruction *inst)
{
	static const uint8_t opcodes[] = {JR_OP_PARAMETER, JR_OP_CONSTANT, JR_OP_TUPLE,
		JR_OP_GET_TUPLE_ELEMENT, JR_OP_BITCAST, JR_OP_AFTER_ALL, JR_OP_WHILE, JR_OP_CONDITIONAL,
		JR_OP_CALL, JR_OP_OPT_BARRIER, JR_OP_IOTA, JR_OP_PARTITION_ID, JR_OP_REPLICA_ID,
		JR_OP_ADD_DEPENDENCY};
	return JR_OP_IN(inst->op, opcodes) || jr_text_ends(inst->opcode, "-done") ||
		   jr_text_ends(inst->opcode, "-start");
}

static bool is_control(uint8_t op)
{
	return op == JR_OP_WHILE || op == JR_OP_CONDITIONAL || op == JR_OP_CALL;
}

/* Return [n_instructions] of the program of the steps: 1 if a steady thunk was seen. */
static const uint8_t *instructions_seen(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	uint8_t *seen =
		JR_ARENA_N(c->ctx->scratch, uint8_t, p->programs[c->step].hlo->n_instructions + 1);
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].program == c->step && p->ops[i].instruction != JR_NONE &&
			c->ctx->steady->ops[i].count > 0)
			seen[p->ops[i].instruction] = 1;
	return seen;
}

static bool any_seen(const struct jr_hlo *hlo, uint32_t computation, const uint8_t *seen)
{
	const struct jr_hlo_computation *at = &hlo->computations[computation];
	for (uint32_t i = 0; i < at->n; i++)
		if (seen[at->first + i])
			return true;
	return false;
}

struct launches {
	size_t expected, seen;
};

/* Count the instructions of the entry, and of computations called by control flow, that should be
 * seen as thunks. Count how many were seen. Branches of a conditional count only if something in
 * them was seen: the others may not have been taken. */
static struct launches count_launches(const struct jr_hlo *hlo, const uint8_t *seen,
	struct jr_arena *scratch)
{
	uint8_t *known = JR_ARENA_N(scratch, uint8_t, hlo->n_computations + 1);
	uint32_t *stack = JR_ARENA_N(scratch, uint32_t, hlo->n_computations + 1);
	struct launches n = {0};
	size_t depth = 0;
	uint32_t entry = jr_hlo_entry(hlo);
	if (entry == JR_NONE)
		return n;
	known[entry] = 1;
	stack[depth++] = entry;
	while (depth) {
		const struct jr_hlo_computation *computation = &hlo->computations[stack[--depth]];
		for (uint32_t i = 0; i < computation->n; i++) {
			const struct jr_hlo_instruction *inst = &hlo->instructions[computation->first + i];
			bool launches = !makes_no_kernel(inst);
			n.expected += launches;
			n.seen += launches && seen[computation->first + i];
			bool branches = inst->op == JR_OP_CONDITIONAL;
			for (uint32_t k = 0; is_control(inst->op) && k < inst->n_called; k++) {
				uint32_t called = jr_hlo_called(hlo, inst, k);
				if (called == JR_NONE || known[called] ||
					(branches && !any_seen(hlo, called, seen)))
					continue;
				known[called] = 1;
				stack[depth++] = called;
			}
		}
	}
	return n;
}

#define LEAST_EXPECTED 20

static struct launches launches_of_step(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	if (c->step == JR_NONE || !p->programs[c->step].hlo)
		return (struct launches){0};
	return count_launches(p->programs[c->step].hlo, instructions_seen(c), c->ctx->scratch);
}

double jr_check_kernels_seen(struct jr_check *c)
{
	struct launches n = launches_of_step(c);
	return n.expected < LEAST_EXPECTED ? NAN : (double)n.seen / (double)n.expected;
}

void jr_rule_command_buffers(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	struct launches n = launches_of_step(c);
	double frac = jr_check_kernels_seen(c);
	if (isnan(frac))
		return;
	/* If flags turn command buffers off, something else hides the kernels. */
	if (frac < c->rule->threshold && jr_check_command_buffers_off(c))
		return;
	if (!jr_check_fires(c, frac))
		return;
	c->finding.title = jr_arena_printf(arena, COMMAND_BUFFERS_TITLE,
		jr_check_count(c, n.seen), jr_check_count(c, n.expected),
		jr_check_name(c, jr_str(p, p->programs[c->step].name)));
	jr_check_why(c, COMMAND_BUFFERS_WHY);
	jr_check_do(c, COMMAND_BUFFERS_ACTION, jr_flag_text(JR_FLAG_COMMAND_BUFFER, "", arena));
	jr_check_evidence(c, COMMAND_BUFFERS_EVIDENCE, jr_check_count(c, n.expected));
}

/* --- lost rows ------------------------------------------------------------------------------ */

void jr_rule_lost_rows(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	if (!jr_check_fires(c, jr_ratio((double)p->n_rows_lost, (double)p->n_rows)))
		return;
	c->finding.title = jr_arena_printf(arena, LOST_ROWS_TITLE,
		jr_check_count(c, p->n_rows_lost), jr_check_count(c, p->n_rows),
		jr_check_percent(c, c->value));
	jr_check_why(c, LOST_ROWS_WHY);
	jr_check_do(c, LOST_ROWS_ACTION);
	const char *why = "";
	static const char *const ids[] = {"unreadable-ranges", "bad-rows", "lost-thunks",
		"impossible-thunks"};
	for (size_t k = 0; k < JR_COUNT_OF(ids); k++)
		for (size_t i = 0; i < p->n_guesses; i++)
			if (strcmp(p->guesses[i].id, ids[k]) == 0)
				why = jr_arena_printf(arena, "%s%s%s: %s", why, *why ? ", " : "", ids[k],
					jr_check_count(c, p->guesses[i].count));
	jr_check_evidence(c, LOST_ROWS_EVIDENCE, why);
}

/* --- exports without kernels ------------------------------------------------------------------ */

/* Return the first warning of the profiler about kernel recording; NULL. */
static const char *said_of_cuda(const struct jr_check *c)
{
	const struct jr_table *said = jr_results_table(c->ctx->results, "diagnostics");
	for (size_t row = 0; said && row < said->n_rows; row++) {
		const char *text = jr_table_text(said, JR_KEY(JR_DIAGNOSTICS, text), row);
		if (strstr(text, "CUDA") || strstr(text, "CUPTI") || strstr(text, "cupti"))
			return text;
	}
	return NULL;
}

/* Return "NVIDIA driver 525.105.17, CUDA 12.0, Nsight Systems 2022.4.1". */
static const char *versions_text(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_process *first = &p->processes[0];
	const struct {
		const char *name;
		uint32_t version;
	} versions[] = {{"NVIDIA driver", first->driver}, {"CUDA", first->cuda},
		{"Nsight Systems", first->nsys}};
	const char *text = "";
	for (size_t i = 0; i < JR_COUNT_OF(versions); i++)
		if (versions[i].version)
			text = jr_arena_printf(c->ctx->arena, "%s%s%s %s", text, *text ? ", " : "",
				versions[i].name, jr_str(p, versions[i].version));
	return text;
}

/* Fire if CUDA was traced, but neither a call nor an operation was recorded. */
static bool nothing_of_cuda(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	bool traced = false;
	for (size_t i = 0; i < p->n_captures; i++)
		traced |= p->captures[i].cuda_traced;
	if (!traced || p->api_calls.n || p->gpu_ops.n || p->selected.n_calls || p->selected.n_gpu_ops)
		return false;
	(void)jr_check_fires(c, 1);
	const char *said = said_of_cuda(c), *versions = versions_text(c);
	c->finding.title = NO_KERNELS_TITLE_NOTHING;
	jr_check_do(c, NO_KERNELS_ACTION_NOTHING);
	jr_check_evidence(c, "%s%s%s%s", versions,
		*versions ? "." : "", said ? " The profiler reported: " : "", said ? said : "");
	return true;
}

void jr_rule_no_kernels(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	size_t n = jr_gpu_launch_calls(p);
	if (nothing_of_cuda(c))
		return;
	if (p->api_calls.n == 0 || !jr_check_fires(c, jr_gpu_any_kernel(p) ? 0 : (double)n))
		return;
	bool unreadable = c->ctx->integrity->count[JR_FAULT_UNREADABLE]; /* cut-inputs explains it */
	bool lost = p->n_rows_lost >= n || unreadable; /* they may have been the kernels */
	c->finding.title = jr_arena_printf(arena, lost ? NO_KERNELS_TITLE_LOST : NO_KERNELS_TITLE,
		jr_check_count(c, n), n == 1 ? "" : "s", n == 1 ? "was" : "were");
	if (unreadable)
		return;
	if (lost) {
		jr_check_why(c, NO_KERNELS_WHY_LOST, jr_check_count(c, p->n_rows_lost),
			jr_check_count(c, p->n_rows));
		jr_check_do(c, LOST_ROWS_ACTION);
		return;
	}
	jr_check_why(c, NO_KERNELS_WHY);
	if (p->n_processes && p->processes[0].wsl) {
		jr_check_why(c, NO_KERNELS_WHY_WSL);
		jr_check_do(c, NO_KERNELS_ACTION_WSL);
	} else {
		jr_check_why(c, NO_KERNELS_WHY_VERSION);
		jr_check_do(c, NO_KERNELS_ACTION);
	}
	const char *versions = versions_text(c), *said = said_of_cuda(c);
	jr_check_evidence(c, "%s%s%s%s%s", versions, *versions ? "." : "",
		said ? *versions ? " The profiler reported: " : "The profiler reported: " : "",
		said ? said : "", said && !strchr(".!?", said[strlen(said) - 1]) ? "." : "");
}

void jr_rule_few_operations(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	size_t most = 0;
	for (size_t d = 0; c->ctx->gpu && d < p->n_devices; d++)
		most = jr_gpu_operations(c->ctx->gpu, d) > most ? jr_gpu_operations(c->ctx->gpu, d) : most;
	bool others_ran = !jr_gpu_any_kernel(p) && jr_gpu_launch_calls(p); /* no-kernels reports it */
	if (most == 0 || others_ran || !jr_check_fires(c, (double)most))
		return;
	c->finding.title = jr_arena_printf(c->ctx->arena, FEW_OPERATIONS_TITLE,
		jr_check_count(c, p->gpu_ops.n), p->gpu_ops.n == 1 ? "" : "s",
		p->n_devices == 1 ? "" : "s", p->gpu_ops.n == 1 ? "was" : "were",
		jr_say_time(c->ctx->arena, c->part_ns[JR_PART_COMPUTE] + c->part_ns[JR_PART_COMMUNICATION] +
									  c->part_ns[JR_PART_COPY]));
	jr_check_why(c, FEW_OPERATIONS_WHY);
	jr_check_do(c, FEW_OPERATIONS_ACTION);
}
