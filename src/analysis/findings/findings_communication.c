/* The rule about exposed communication, and advice by kind of collective. */
#include <string.h>

#include "analysis/findings/advice.h"

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

/* --- advice ----------------------------------------------------------------------------------- */

#define OVERLAP_WHY_SCHEDULER "The latency-hiding scheduler is on in this profile."
#define OVERLAP_ACTION "Let it overlap with compute."
#define OVERLAP_ACTION_COSTS "Give the latency-hiding scheduler measured costs with "
#define OVERLAP_ACTION_EXPECT                                                                      \
	"JAX cannot measure them while nsys records. Run once without nsys and with a compilation "    \
	"cache, then profile with %s."

/* A flag and its condition. */
struct flag_clause {
	enum { FLAG_ALWAYS, FLAG_IN_LOOP, FLAG_COMBINES } when;
	struct jr_flag_advice flag; /* value NULL: none */
};

#define SCHEDULER                                                                                  \
	{                                                                                              \
		FLAG_ALWAYS,                                                                               \
		{                                                                                          \
			JR_FLAG_LATENCY_HIDING, "true", NULL, NULL                                             \
		}                                                                                          \
	}

static const struct {
	const char *collective;
	enum jr_advice advice;
	struct flag_clause flags[3];
} advices[] = {
	{"all-gather", JR_ADVICE_ALL_GATHER,
		{SCHEDULER, {FLAG_IN_LOOP, {JR_FLAG_PIPELINED_ALL_GATHER, "true", NULL, " inside loops"}},
			{FLAG_COMBINES, {JR_FLAG_COMBINE_ALL_GATHER, "N", NULL, NULL}}}},
	{"reduce-scatter", JR_ADVICE_REDUCE_SCATTER,
		{SCHEDULER,
			{FLAG_IN_LOOP, {JR_FLAG_PIPELINED_REDUCE_SCATTER, "true", NULL, " inside loops"}},
			{FLAG_COMBINES, {JR_FLAG_COMBINE_REDUCE_SCATTER, "N", NULL, NULL}}}},
	{"all-reduce", JR_ADVICE_ALL_REDUCE,
		{SCHEDULER, {FLAG_IN_LOOP, {JR_FLAG_PIPELINED_ALL_REDUCE, "true", NULL, " inside loops"}},
			{FLAG_COMBINES, {JR_FLAG_COMBINE_ALL_REDUCE, "N", NULL, NULL}}}},
	{"all-to-all", JR_ADVICE_ALL_TO_ALL, {SCHEDULER}},
	{"collective-permute", JR_ADVICE_PERMUTE,
		{SCHEDULER, {FLAG_IN_LOOP, {JR_FLAG_PIPELINED_P2P, "true", NULL, NULL}}}},
	{"", JR_N_ADVICE, {SCHEDULER}},
};

/* A message of this size runs at the speed of the link; only in pieces can it begin earlier. */
#define LARGE_BYTES (UINT64_C(32) << 20)

/* Large combined messages can be cut into pieces. Small messages of one buffer can be combined if
 * larger similar ones are faster. NULL: neither. */
static const char *combining(struct jr_check *c, uint32_t op)
{
	const struct jr_op *o = op == JR_NONE ? NULL : &c->ctx->profile->ops[op];
	if (o && o->message_bytes >= LARGE_BYTES && o->n_buffers > 1)
		return "smaller messages with ";
	return o && jr_check_is_small_message(c, op) ? "larger messages with " : NULL;
}

/* Add advice that hides transfers of collectives of that kind ("": any), with the flags that are
 * worth setting. Most of the transfer time is in `op` (JR_NONE: not known). */
static void overlap_advice(struct jr_check *c, const char *kind, uint32_t op)
{
	struct jr_flag_advice flags[JR_COUNT_OF(advices[0].flags)];
	size_t i = 0, n = 0;
	while (i + 1 < JR_COUNT_OF(advices) && strcmp(kind, advices[i].collective) != 0)
		i++;
	const char *combined = combining(c, op);
	const struct jr_about about = {.op = op};
	for (size_t k = 0; k < JR_COUNT_OF(flags); k++) {
		const struct flag_clause *clause = &advices[i].flags[k];
		bool fits =
			clause->when == FLAG_ALWAYS ||
			(clause->when == FLAG_IN_LOOP && jr_fact_holds(c, JR_FACT_IN_LOOP, &about) == 1) ||
			(clause->when == FLAG_COMBINES && combined);
		if (!clause->flag.value || !fits)
			continue;
		flags[n] = clause->flag;
		if (clause->when == FLAG_COMBINES)
			flags[n].before = combined;
		n++;
	}
	if (advices[i].advice == JR_N_ADVICE)
		jr_check_do(c, OVERLAP_ACTION);
	else
		jr_advise(c, advices[i].advice, &about);
	if (op != JR_NONE)
		jr_advise(c, JR_ADVICE_ACROSS,
			&(const struct jr_about){.op = op, .word = jr_check_op(c, op)});
	jr_check_do(c, "%s", jr_check_advise(c, "Try ", flags, n, "."));
	if (!jr_flag_on(c->ctx->profile, JR_FLAG_LATENCY_HIDING, c->ctx->scratch))
		return;
	const char *costs =
		JR_ADVISE(c, OVERLAP_ACTION_COSTS, ".", {JR_FLAG_PGLE, "true", NULL, NULL});
	if (*costs)
		jr_check_why(c, OVERLAP_WHY_SCHEDULER);
	jr_check_do(c, "%s", costs);
	if (*costs && !c->ctx->profile->by_jax_profiler)
		jr_check_do(c, OVERLAP_ACTION_EXPECT,
			jr_flag_text(JR_FLAG_EXPECT_PGLE, "true", c->ctx->arena));
}

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
		int64_t ns = active_ns - jr_thunk_wait_ns(p, c->ctx->instances, i);
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
			EXPOSED_COMMUNICATION_TITLE_OTHER_PROGRAMS,
			jr_check_step_time(c, exposed_ns), jr_check_percent(c, c->value));
		overlap_advice(c, "", JR_NONE);
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
	jr_check_title(c, subject, EXPOSED_COMMUNICATION_TITLE,
		jr_check_step_time(c, exposed_ns), jr_check_percent(c, c->value),
		t.alone ? EXPOSED_COMMUNICATION_TITLE_WAITING
		: waiting ? EXPOSED_COMMUNICATION_TITLE_NO_WAITING
				  : "");
	jr_check_why(c, "%s", jr_check_slower_than_equals(c, (uint32_t)op));
	overlap_advice(c, kind_name, (uint32_t)op);
	const struct jr_scalar *hidden =
		jr_results_scalar(c->ctx->results, "communication.hidden_fraction");
	jr_check_evidence(c, EXPOSED_COMMUNICATION_EVIDENCE,
		kind_name, jr_check_percent(c, t.kind_ns[kind] / t.sum_ns), jr_check_op(c, (uint32_t)op),
		jr_check_step_time(c, t.op_ns[op]), jr_check_percent(c, hidden ? hidden->value.f64 : NAN));
}
