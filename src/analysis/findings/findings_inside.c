/* The rule about gaps between the kernels of a module, and the part of them that command buffers
 * could close. */
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/gpu/gaps.h"
#include "analysis/core/terms.h"
#include "analysis/core/vendor.h"
#include "analysis/gpu/gpu_tables.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define IDLE_INSIDE_SUBJECT "Gaps between kernels inside modules"
#define IDLE_INSIDE_TITLE " take %s per step (%s)"
#define IDLE_INSIDE_WHY_TAIL                                                                       \
	"Most of this time lies between the last recorded kernel and the end of its module. No "       \
	"launch is late there: the runtime ends the module, or runs what the profile does not "        \
	"contain."
#define IDLE_INSIDE_WHY_TPU                                                                        \
	"A TPU runs the instructions of a module without the host. It idles while it waits for a "     \
	"transfer, for another core, or for an operation that the trace does not contain."
#define IDLE_INSIDE_WHY_LONG                                                                       \
	"Most of this time is in gaps of " JR_GAP_LONG " or more. " JR_ON_GPU("A launch takes a few "  \
	"microseconds, so the host did something else before it launched the next kernel.")
#define IDLE_INSIDE_WHY_OFF                                                                        \
	JR_ON_GPU("This profile was taken with command buffers (" JR_GRAPH "s) off, so part of this "  \
	"time may not occur in normal runs.")
#define IDLE_INSIDE_ACTION_OFF                                                                     \
	JR_ON_GPU("Profile again with command buffers on: %s.")
#define IDLE_INSIDE_WHY_SHORT                                                                      \
	"Most of this time is in gaps of " JR_SWITCH " or less, the usual gap between dependent "      \
	"kernels. The cost comes from their number."
#define IDLE_INSIDE_WHY_IN_TIME                                                                    \
	JR_ON_GPU("Most kernels had been launched when the " JR_GPU " became idle, so they waited "    \
	"for something else, such as each other.")
#define IDLE_INSIDE_WHY_LATE JR_ON_GPU("Kernels end before the next one has been launched.")
#define IDLE_INSIDE_ACTION "Use fewer and longer kernels."
#define IDLE_INSIDE_ACTION_LONG "See what the host did in that time: its ranges show it."
#define IDLE_INSIDE_EVIDENCE                                                                       \
	"%s gap%s %s, %s%s%s. The op with the most gap time before it is %s."
#define IDLE_INSIDE_EVIDENCE_SHORT "; %s of the kernels are shorter than 5 µs"
#define IDLE_INSIDE_EVIDENCE_TAIL "; after the last kernel: %s per step"

struct inside {
	int64_t n_gaps, n_thunks, n_short; /* short: shorter than a launch */
	int64_t sum_ns, late_ns; /* late: in gaps longer than JR_SWITCH_NS */
	int64_t long_ns;         /* in gaps of JR_GAP_LONG_NS or more */
	int64_t tail_ns;         /* from the last kernel of an execution to its end */
	double *before_ns; /* [n_ops] idle time that ends at the op */
};

/* Thunks are sorted by (device, module row, start). */
static struct inside inside_gaps(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	struct inside in = {.before_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_ops + 1)};
	int64_t reach = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (!jr_check_in_window(c, i))
			continue;
		uint32_t module = jr_thunk_module(p, i);
		if (i == 0 || module != jr_thunk_module(p, i - 1))
			reach = p->modules.start_ns[module];
		int64_t module_end = p->modules.start_ns[module] + p->modules.dur_ns[module];
		int64_t gap = jr_thunk_start_ns(p, i) - reach, end = jr_thunk_end_ns(p, i);
		if (gap > 0) {
			in.n_gaps++;
			in.sum_ns += gap;
			in.late_ns += gap > JR_SWITCH_NS ? gap : 0;
			in.long_ns += gap >= JR_GAP_LONG_NS ? gap : 0;
			in.before_ns[t->op[i]] += (double)gap;
		}
		reach = end > reach ? end : reach;
		bool is_last = i + 1 == t->n || jr_thunk_module(p, i + 1) != module;
		in.tail_ns += is_last && module_end > reach ? module_end - reach : 0;
		in.n_thunks++;
		in.n_short += jr_thunk_dur_ns(p, i) < JR_LAUNCH_NS;
	}
	return in;
}

/* --- CUDA graphs ------------------------------------------------------------------------------ */

static bool any_loop(const struct jr_check *c)
{
	const struct jr_hlo *hlo = c->ctx->profile->programs[c->step].hlo;
	for (uint32_t i = 0; hlo && i < hlo->n_instructions; i++)
		if (hlo->instructions[i].op == JR_OP_WHILE)
			return true;
	return false;
}

/* Return the flag that makes XLA launch more as command buffers; "" if none is known. A list that
 * begins with "+" is added to XLA's defaults; any other list replaces them. */
static const char *graph_advice(struct jr_check *c)
{
	if (!any_loop(c) || jr_flag_value(c->ctx->profile, JR_FLAG_COMMAND_BUFFER, c->ctx->scratch) ||
		jr_flag_value(c->ctx->profile, JR_FLAG_GRAPH_LEVEL, c->ctx->scratch))
		return "";
	return JR_ADVISE(c, "Set ", ".",
		{JR_FLAG_COMMAND_BUFFER, "+WHILE", NULL,
			" to add loops to XLA's default set"});
}

/* --- rule ------------------------------------------------------------------------------------- */

/* True if the gaps of an export show that host and launches were late for less than half of the
 * idle time. */
static bool host_in_time(const struct jr_check *c)
{
	const struct jr_table *causes = jr_results_table(c->ctx->results, "gap_causes");
	int64_t late_ns = 0, sum_ns = 0;
	for (size_t row = 0; causes && row < causes->n_rows; row++) {
		const char *cause = jr_table_text(causes, JR_KEY(JR_GAP_CAUSES, cause), row);
		int64_t ns = causes->cells[JR_GAP_CAUSES_sum_ms].i64[row];
		bool late = strcmp(cause, jr_gap_causes[JR_GAP_HOST]) == 0 ||
			strcmp(cause, jr_gap_causes[JR_GAP_LAUNCH]) == 0;
		late_ns += late ? ns : 0;
		sum_ns += ns;
	}
	return sum_ns > 0 && late_ns < sum_ns / 2;
}

/* Return the steps of all devices in which gaps are counted. */
static double periods_of_all(const struct jr_check *c)
{
	double n = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		n += c->devices[d].wall_ns > 0 ? jr_check_periods_of(c, d) : 0;
	return n;
}

static void add_inside_advice(struct jr_check *c, const struct inside *in)
{
	if (in->tail_ns > in->sum_ns || jr_vendor_of(c->ctx->profile) == JR_VENDOR_TPU) {
		jr_check_why(c, in->tail_ns > in->sum_ns ? IDLE_INSIDE_WHY_TAIL : IDLE_INSIDE_WHY_TPU);
		return;
	}
	if (in->long_ns > in->sum_ns / 2 && !host_in_time(c)) {
		jr_check_why(c, IDLE_INSIDE_WHY_LONG);
		jr_check_do(c, IDLE_INSIDE_ACTION_LONG);
		return;
	}
	/* Kernels wait for their launch, not for each other. */
	bool late =
		(double)in->late_ns >= c->rule->threshold * jr_check_step_ns(c) * periods_of_all(c) &&
		!host_in_time(c);
	const struct jr_about about = {.op = JR_NONE, .word = late ? graph_advice(c) : ""};
	if (jr_check_command_buffers_off(c)) {
		jr_check_why(c, IDLE_INSIDE_WHY_OFF);
		jr_check_do(c, IDLE_INSIDE_ACTION_OFF,
			c->ctx->profile->graphs_off
				? jr_flag_text(JR_FLAG_PROFILED_COMMAND_BUFFERS, "true", c->ctx->arena)
				: "leave them at XLA's default in XLA_FLAGS");
	} else {
		jr_check_why(c, "%s",
			in->late_ns < in->sum_ns / 2 ? IDLE_INSIDE_WHY_SHORT
			: host_in_time(c)			 ? IDLE_INSIDE_WHY_IN_TIME
										 : IDLE_INSIDE_WHY_LATE);
		jr_check_do(c, IDLE_INSIDE_ACTION);
	}
	jr_advise(c, JR_ADVICE_SHORT_GAPS, &about);
}

void jr_rule_idle_inside_modules(struct jr_check *c)
{
	struct jr_arena *arena = c->ctx->arena;
	double idle_ns = c->part_ns[JR_PART_IDLE_INSIDE];
	if (jr_check_rows_lost(c) || !jr_check_fires(c, jr_ratio(idle_ns, c->wall_ns)))
		return;
	jr_check_claim_part(c, JR_PART_IDLE_INSIDE);
	struct inside in = inside_gaps(c);
	struct jr_finding *f = &c->finding;
	jr_check_title(c, IDLE_INSIDE_SUBJECT, IDLE_INSIDE_TITLE, jr_check_step_time(c, idle_ns),
		jr_check_percent(c, c->value));
	add_inside_advice(c, &in);
	if (in.tail_ns > in.sum_ns || jr_vendor_of(c->ctx->profile) == JR_VENDOR_TPU)
		f->cause = JR_CAUSE_WAITING;
	size_t worst = jr_check_largest(in.before_ns, c->ctx->profile->n_ops);
	if (!in.n_thunks || worst == SIZE_MAX || in.n_gaps == 0)
		return;
	/* Gaps that do not occur in every step are counted over all steps. */
	double periods = periods_of_all(c);
	bool in_all = (double)in.n_gaps < periods;
	size_t n_gaps = (size_t)llround((double)in.n_gaps / (in_all ? 1 : periods));
	const char *more =
		in.tail_ns > 0 ? jr_arena_printf(arena, IDLE_INSIDE_EVIDENCE_TAIL,
							 jr_check_time(c, (double)in.tail_ns / periods))
					   : jr_arena_printf(arena, IDLE_INSIDE_EVIDENCE_SHORT,
							 jr_check_percent(c, (double)in.n_short / (double)in.n_thunks));
	f->evidence = jr_arena_printf(arena, IDLE_INSIDE_EVIDENCE,
		jr_check_count(c, n_gaps), n_gaps == 1 ? "" : "s", in_all ? "in all" : "per step",
		jr_check_time(c, (double)in.sum_ns / (double)in.n_gaps),
		in.n_gaps == 1	? ""
		: n_gaps == 1 ? " on average"
						: " each on average",
		more, jr_check_op(c, (uint32_t)worst));
}
