/* Rules about the quality of jax.profiler traces: no device, dropped events, compilation during the
 * trace. */
#include <string.h>

#include "analysis/findings/findings.h"
#include "analysis/core/terms.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define PROFILER_EVIDENCE "The profiler reported: “%s”"

#define NO_DEVICE_TITLE "No operation of a GPU or TPU is in the trace"
#define NO_DEVICE_TITLE_CPU "XLA used the CPU, not a GPU or TPU"
#define NO_DEVICE_WHY                                                                              \
	"Either the program used no such device, or the profiler did not record it. This report "      \
	"covers only the host."
#define NO_DEVICE_WHY_CPU                                                                          \
	"XLA's CPU client compiled or ran the program, so only host ranges are recorded."
#define NO_DEVICE_WHY_PERMISSION                                                                   \
	"The profiler has no permission to profile the " JR_GPU ". This report covers only the host."
#define NO_DEVICE_WHY_IDLE                                                                         \
	"The process has " JR_GPU "s. Either nothing ran on them " JR_OF_JAX("between start_trace "    \
	"and stop_trace") JR_NOT_JAX("while the trace is taken") ", or the profiler did not record "   \
	"them. This report covers only the host."
#define NO_DEVICE_ACTION                                                                           \
	"If it was meant for one, check whether " JR_OF_JAX("jax.devices() lists") JR_NOT_JAX("the "   \
	"program finds") " it and whether another profiler is attached."
#define NO_DEVICE_ACTION_CPU                                                                       \
	"If it was meant for a GPU or TPU, check " JR_OF_JAX("whether jax.devices() lists one")        \
	JR_NOT_JAX("which devices the program finds") "."
#define NO_DEVICE_ACTION_PERMISSION                                                                \
	"Grant the permission: run as root, start the container with --cap-add=SYS_ADMIN, or load "    \
	"the driver with NVreg_RestrictProfilingToAdminUsers=0."
#define NO_DEVICE_ACTION_IDLE                                                                      \
	"Trace whole steps, wait for them before the trace ends" JR_OF_JAX(" (block_until_ready)")     \
	", and keep device_tracer_level at 1."

#define DROPPED_EVENTS_TITLE "The profiler dropped %s event%s: all totals are lower bounds"
#define DROPPED_EVENTS_WHY                                                                         \
	"Its buffers were full, so events are missing from the later part of the trace. Idle time "    \
	"there may not be real, and executions may lack kernels."
#define DROPPED_EVENTS_ACTION                                                                      \
	JR_OF_JAX("Record fewer steps, or raise gpu_max_activity_api_events and "                      \
	"gpu_max_callback_api_events in the advanced_configuration of jax.profiler.ProfileOptions.")

#define COMPILED_INSIDE_TITLE "%s compilation%s ran while the trace was taken: %s on the host"
#define COMPILED_INSIDE_WHY                                                                        \
	"Executions around them are not in a steady state: devices wait, and clocks and memory "       \
	"change."
#define COMPILED_INSIDE_ACTION                                                                     \
	"Run every program once before " JR_OF_JAX("start_trace") JR_NOT_JAX("the trace begins") ". "  \
	"If a step is recompiled each time, its shapes or static arguments change" JR_OF_JAX(": "      \
	"jax.config.update(\"jax_log_compiles\", True) lists them") "."
#define COMPILED_INSIDE_EVIDENCE "The longest took %s."

/* Return the first error or warning of the profiler that contains one of these words; NULL. */
static const char *said(const struct jr_check *c, const char *const *words)
{
	const struct jr_profile *p = c->ctx->profile;
	for (size_t i = 0; i < p->n_messages; i++)
		for (const char *const *word = words; *word; word++)
			if (strstr(jr_str(p, p->messages[i].text), *word))
				return jr_str(p, p->messages[i].text);
	return NULL;
}

static const char *quoted(struct jr_check *c, const char *text)
{
	return text ? jr_arena_printf(c->ctx->arena, PROFILER_EVIDENCE, text) : NULL;
}

void jr_rule_no_device(struct jr_check *c)
{
	static const char *const privilege[] = {"rivilege", "ermission", "INSUFFICIENT", NULL};
	static const char *const any[] = {"", NULL};
	const struct jr_profile *p = c->ctx->profile;
	if (!p->by_jax_profiler)
		return;
	bool none = p->gpu_ops.n == 0 && p->modules.n == 0;
	if (!jr_check_fires(c, none ? 1 : 0))
		return;
	const char *not_allowed = said(c, privilege);
	c->finding.title = p->on_cpu && !not_allowed
						   ? NO_DEVICE_TITLE_CPU
						   : NO_DEVICE_TITLE;
	if (p->on_cpu && !not_allowed) {
		jr_check_why(c, NO_DEVICE_WHY_CPU);
		jr_check_do(c, NO_DEVICE_ACTION_CPU);
	} else if (not_allowed) {
		jr_check_why(c, NO_DEVICE_WHY_PERMISSION);
		jr_check_do(c, NO_DEVICE_ACTION_PERMISSION);
	} else if (p->n_gpus_seen) {
		jr_check_why(c, NO_DEVICE_WHY_IDLE);
		jr_check_do(c, NO_DEVICE_ACTION_IDLE);
	} else {
		jr_check_why(c, NO_DEVICE_WHY);
		jr_check_do(c, NO_DEVICE_ACTION);
	}
	c->finding.evidence = quoted(c, not_allowed ? not_allowed : said(c, any));
}

void jr_rule_dropped_events(struct jr_check *c)
{
	static const char *const dropped[] = {"events dropped", NULL};
	const struct jr_profile *p = c->ctx->profile;
	if (!p->by_jax_profiler || !jr_check_fires(c, (double)p->n_dropped_events))
		return;
	c->finding.title = jr_arena_printf(c->ctx->arena, DROPPED_EVENTS_TITLE,
		jr_check_count(c, p->n_dropped_events), p->n_dropped_events == 1 ? "" : "s");
	jr_check_why(c, DROPPED_EVENTS_WHY);
	jr_check_do(c, DROPPED_EVENTS_ACTION);
	c->finding.evidence = quoted(c, said(c, dropped));
}

void jr_rule_compiled_inside(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_compiles *t = &p->compiles;
	size_t n = 0;
	double sum_ns = 0, longest_ns = 0;
	if (!p->by_jax_profiler)
		return;
	for (size_t i = 0; i < t->n; i++) {
		if (t->parent[i] != JR_NONE)
			continue;
		n++;
		sum_ns += (double)t->dur_ns[i];
		longest_ns = (double)t->dur_ns[i] > longest_ns ? (double)t->dur_ns[i] : longest_ns;
	}
	if (!jr_check_fires(c, (double)n))
		return;
	c->finding.title = jr_arena_printf(c->ctx->arena, COMPILED_INSIDE_TITLE, jr_check_count(c, n),
		n == 1 ? "" : "s", jr_check_time(c, sum_ns));
	jr_check_why(c, COMPILED_INSIDE_WHY);
	jr_check_do(c, COMPILED_INSIDE_ACTION);
	jr_check_evidence(c, COMPILED_INSIDE_EVIDENCE, jr_check_time(c, longest_ns));
}
