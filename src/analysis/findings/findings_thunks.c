/* Rules about single kernels. */
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/cost/cost_parts.h"
#include "analysis/gpu/gaps.h"
#include "analysis/core/terms.h"
#include "analysis/core/vendor.h"
#include "analysis/cost/work_kind.h"
#include "base/order.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define HOT_THUNK_TITLE " takes %s of the step (%s%s)"
#define HOT_THUNK_WHY_SORT JR_OF_JAX("Sorts are slow on a " JR_GPU ".")
#define HOT_THUNK_WHY_RANDOM "Random bits cost time."
#define HOT_THUNK_WHY_MOVEMENT "It only moves data."
#define HOT_THUNK_WHY_WAITS                                                                        \
	"It is a custom kernel (Pallas), which waits for data for %s of its time."
#define HOT_THUNK_WHY_PALLAS "It is a custom kernel (Pallas)."
#define HOT_THUNK_WHY_CUSTOM                                                                       \
	JR_ON_GPU("It is a custom kernel (Pallas, Triton) or a library kernel, which XLA cannot fuse " \
	"or tune.")
#define HOT_THUNK_WHY_NO_HLO "The profile does not show what it computes."
#define HOT_THUNK_ACTION_SORT                                                                      \
	JR_OF_JAX("Use jax.lax.top_k" JR_ON_TPU(" or approx_max_k") " if only a few values are "   \
	"needed.")
#define HOT_THUNK_ACTION_RANDOM                                                                    \
	"Generate fewer random bits, or generate them for several steps at once."
#define HOT_THUNK_ACTION_MOVEMENT "Check the layouts of the operations on both sides of it."
#define HOT_THUNK_ACTION_WAITS                                                                     \
	"Load the next block while it computes the current one: use more buffers (pl.Buffered) or "    \
	"other block sizes."
#define HOT_THUNK_ACTION_PALLAS                                                                    \
	"Try other block sizes, and load the next block while it computes the current one."
#define HOT_THUNK_ACTION_CUSTOM                                                                    \
	JR_ON_GPU("Examine it with " JR_PROFILE_KERNEL ", and tune its block sizes or its precision.")
#define HOT_THUNK_ACTION_NO_HLO                                                                    \
	"Pass the folder of XLA's --xla_dump_to with --xla-dump to add its HLO."
#define HOT_THUNK_WHY_UNKNOWN                                                                      \
	"The roofline time of this kernel is not known, so the possible saving is not known either."
#define HOT_THUNK_EVIDENCE "%lld execution%s of %s%s%s%s.%s"

#define VARIABLE_THUNK_TITLE " varies: longest %s%s, median %s"
#define VARIABLE_THUNK_EVIDENCE                                                                    \
	"Over %lld executions, the time above the median adds up to %s."

#define LAYOUT_COPIES_SUBJECT "Copies and transposes"
#define LAYOUT_COPIES_TITLE " take %s per step (%s)"
#define LAYOUT_COPIES_EVIDENCE "%s %s, %s per step."

#define EXPOSED_HOST_COPIES_SUBJECT "Copies between host and device"
#define EXPOSED_HOST_COPIES_TITLE " take %s per step (%s) while nothing else runs"
#define EXPOSED_HOST_COPIES_EVIDENCE "The largest contributor is %s, %s: %s per step.%s%s"
#define EXPOSED_HOST_COPIES_EVIDENCE_RATE " %s %s in each step at %s."

/* Without HLO, neither the work of kernels nor copies of host memory are known. */
static bool any_opcode(const struct jr_check *c)
{
	for (size_t i = 0; i < c->ctx->profile->n_ops; i++)
		if (jr_check_ran(c, i) && c->ctx->profile->ops[i].opcode)
			return true;
	return false;
}

/* --- one kernel that dominates -------------------------------------------------------------- */

#define NO_FLAG {0, NULL, NULL, NULL}

/* Advice by kind of work, which follows from the instructions and not from names. */
static const struct {
	enum jr_work_kind kind;
	const char *why, *action;
	struct jr_flag_advice flag; /* value NULL: none */
} advices[] = {
	{JR_WORK_SORT, HOT_THUNK_WHY_SORT, HOT_THUNK_ACTION_SORT, NO_FLAG},
	{JR_WORK_RANDOM, HOT_THUNK_WHY_RANDOM, HOT_THUNK_ACTION_RANDOM,
		{JR_FLAG_PRNG, "rbg", NULL, " is much cheaper than threefry"}},
	{JR_WORK_MOVEMENT, HOT_THUNK_WHY_MOVEMENT, HOT_THUNK_ACTION_MOVEMENT, NO_FLAG},
};

/* Return the share of a kernel's time in one of its stages (str of its name), or in all waiting
 * stages (0). The times come from the trace's lines for the kernel; 0: there are none. */
static double stage_share(const struct jr_profile *p, const struct jr_op *op, uint32_t stage)
{
	double in_stage = 0, all = 0;
	uint32_t last = JR_NONE;
	for (size_t i = 0; i < p->n_device_lines; i++) {
		const struct jr_device_line *line = &p->device_lines[i];
		if (line->of != op->name || line->of_ns == 0)
			continue;
		if (line->process != last) /* each row of a process has the kernel's whole time */
			all += (double)line->of_ns;
		last = line->process;
		if (stage ? line->name == stage : strstr(jr_str(p, line->name), "wait") != NULL)
			in_stage += (double)line->total_ns;
	}
	return all > 0 ? fmin(in_stage / all, 1) : 0;
}

/* True for a copy between host and device that does not count as communication. */
static bool is_host_copy(const struct jr_check *c, uint32_t op)
{
	const struct jr_hlo_instruction *inst = jr_check_instruction(c, op);
	if (!inst || (inst->op != JR_OP_COPY && inst->op != JR_OP_COPY_START))
		return false;
	const struct jr_hlo *hlo = c->ctx->profile->programs[c->ctx->profile->ops[op].program].hlo;
	const struct jr_hlo_shape *to = jr_first_leaf(inst->shape),
							  *from = jr_hlo_operand_shape(hlo, inst, 0);
	return to && from && to->host_memory != from->host_memory;
}

static void add_advice(struct jr_check *c, uint32_t op_row)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_op *op = &p->ops[op_row];
	if (jr_check_indexed_advice(c, op_row))
		return;
	if (is_host_copy(c, op_row)) {
		jr_advise(c, JR_ADVICE_HOST_COPIES, JR_ABOUT(op_row));
		return;
	}
	const char *category = jr_op_category(p, op); /* not NULL, see is_expected() */
	double waits = stage_share(p, op, 0);
	if (waits >= 0.01) {
		jr_check_why(c, HOT_THUNK_WHY_WAITS, jr_check_percent(c, waits));
		jr_check_do(c, HOT_THUNK_ACTION_WAITS);
		return;
	}
	if (strcmp(category, "custom-call") == 0 && jr_vendor_of(p) == JR_VENDOR_TPU) {
		jr_check_why(c, HOT_THUNK_WHY_PALLAS);
		jr_check_do(c, HOT_THUNK_ACTION_PALLAS);
		return;
	}
	enum jr_work_kind kind = jr_work_kind(c->ctx->kinds, op);
	if (kind == JR_WORK_UNKNOWN && strcmp(jr_str(p, op->opcode), "custom-call") == 0) {
		jr_check_why(c, HOT_THUNK_WHY_CUSTOM);
		jr_check_do(c, HOT_THUNK_ACTION_CUSTOM);
		return;
	}
	for (size_t i = 0; i < JR_COUNT_OF(advices); i++)
		if (advices[i].kind == kind) {
			jr_check_why(c, "%s", advices[i].why);
			jr_check_do(c, "%s%s", advices[i].action,
				jr_check_advise(c, " ", &advices[i].flag, advices[i].flag.value != NULL, "."));
			return;
		}
	if (kind == JR_WORK_REDUCTION) {
		jr_check_kind_advice(c, kind, op_row);
		return;
	}
	if (op->instruction == JR_NONE && op->said && jr_kind_said(p, op) == JR_WORK_UNKNOWN) {
		jr_check_why(c, HOT_THUNK_WHY_NO_HLO);
		jr_check_do(c, HOT_THUNK_ACTION_NO_HLO);
		return;
	}
	const struct jr_op_steady *ran = &c->ctx->steady->ops[op_row];
	bool is_long = ran->active_ns >= ran->count * 4 * JR_LAUNCH_NS;
	const struct jr_about about = {
		.op = op_row, .found = is_long || jr_vendor_of(p) == JR_VENDOR_TPU};
	jr_advise(c, JR_ADVICE_OTHER_KERNEL, &about);
}

/* True for matrix products and attention, which are expected to dominate. */
static bool is_expected(const struct jr_profile *p, const struct jr_op *op)
{
	static const char *const kinds[] = {"gemm", "convolution", "attention", "dot"};
	const char *category = jr_op_category(p, op);
	for (size_t i = 0; category && i < JR_COUNT_OF(kinds); i++)
		if (strcmp(category, kinds[i]) == 0)
			return true;
	if (op->instruction == JR_NONE && op->said) { /* a fusion's opcode does not show its kind */
		enum jr_work_kind kind = jr_kind_said(p, op);
		return kind == JR_WORK_MATRIX || kind == JR_WORK_CONVOLUTION || kind == JR_WORK_ATTENTION;
	}
	return !category || strstr(jr_str(p, op->name), "gemm") != NULL;
}

/* Limit the saving to the time above the roofline, if that is known. Otherwise, limit it to the
 * waiting time that the kernel states. Without either, the saving is not known: a kernel that
 * computes something cannot take no time. */
static const char *claim_what_is_lost(struct jr_check *c, uint32_t op)
{
	const struct jr_profile *p = c->ctx->profile;
	double lost = jr_check_lost_share(c, op), waits = stage_share(p, &p->ops[op], 0);
	double *share = JR_ARENA_N(c->ctx->scratch, double, p->n_ops + 1);
	if (isnan(lost) && waits < 0.01) {
		jr_check_disclaim(c);
		jr_check_why(c, HOT_THUNK_WHY_UNKNOWN);
		return "";
	}
	share[op] = isnan(lost) ? waits : lost;
	(void)jr_check_claim_shares(c, share);
	c->claim_op = op;
	if (isnan(lost))
		return "";
	return jr_arena_printf(c->ctx->arena, ", %s of roofline", jr_check_percent(c, 1 - lost));
}

/* Return " Its stages: “ep_wait_in” 75.0 %, …": stages of a kernel from the trace. */
static const char *stages_of(struct jr_check *c, const struct jr_op *op)
{
	enum { MOST = 4, LOOKED_AT = 64 };
	const struct jr_profile *p = c->ctx->profile;
	const char *text = "";
	uint32_t told[MOST];
	for (size_t i = 0, n = 0, looked = 0; i < p->n_device_lines && n < MOST; i++) {
		const struct jr_device_line *line = &p->device_lines[i];
		bool known = line->of != op->name || line->of_ns == 0;
		for (size_t k = 0; k < n; k++)
			known |= told[k] == line->name;
		if (known || looked++ >= LOOKED_AT)
			continue;
		double share = stage_share(p, op, line->name);
		if (share < 0.01)
			continue;
		text = jr_arena_printf(c->ctx->arena, "%s%s %s %s", text, n ? "," : " Its stages:",
			jr_check_name(c, jr_str(p, line->name)), jr_check_percent(c, share));
		told[n++] = line->name;
	}
	return *text ? jr_arena_printf(c->ctx->arena, "%s.", text) : "";
}

void jr_rule_hot_thunk(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	size_t hot = SIZE_MAX;
	if (!any_opcode(c))
		return;
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct jr_op *op = &p->ops[i];
		if (!jr_check_ran(c, i) || op->communication || is_expected(p, op) || c->explained_op_ns[i])
			continue;
		if (hot == SIZE_MAX ||
			c->ctx->steady->ops[i].active_ns > c->ctx->steady->ops[hot].active_ns)
			hot = i;
	}
	/* A kernel shorter than its launch cannot reach its roofline time. */
	if (hot != SIZE_MAX && jr_check_is_latency(c, (uint32_t)hot))
		hot = SIZE_MAX;
	double step_ns = hot == SIZE_MAX || !c->devices ? 0 : jr_check_claim_op(c, (uint32_t)hot);
	if (!jr_check_fires_for(c, step_ns) || hot == SIZE_MAX)
		return;
	const struct jr_op *op = &p->ops[hot];
	const struct jr_op_steady *s = &c->ctx->steady->ops[hot];
	c->explained_op_ns[hot] = (double)s->dur_ns;
	jr_check_title(c, jr_check_op(c, (uint32_t)hot), HOT_THUNK_TITLE, jr_check_percent(c, c->value),
		jr_check_time(c, step_ns), claim_what_is_lost(c, (uint32_t)hot));
	c->named_ns = step_ns;
	add_advice(c, (uint32_t)hot);
	jr_check_evidence(c, HOT_THUNK_EVIDENCE,
		(long long)s->count, s->count == 1 ? "" : "s", jr_check_time(c, jr_stats_mean(&s->active)),
		s->count == 1 ? "" : " on average", op->op_name ? ", op_name " : "",
		op->op_name ? jr_check_name(c, jr_str(p, op->op_name)) : "", stages_of(c, op));
}

/* --- kernels whose duration varies ---------------------------------------------------------- */

JR_ORDER_OF_VALUES(compare_ns, int64_t)

#define LEAST_SPREAD 0.1 /* sigma / mu, as in the variability section */
#define LEAST_COUNT 4
#define ONE_DEVICE 0.9   /* of the excess */

static bool is_variable(const struct jr_check *c, size_t op)
{
	const struct jr_op_steady *s = &c->ctx->steady->ops[op];
	return jr_check_ran(c, op) && !c->ctx->profile->ops[op].communication &&
		   s->count >= LEAST_COUNT &&
		   jr_stats_std(&s->active) > LEAST_SPREAD * jr_stats_mean(&s->active);
}

/* Sum of the times above the median, over the op's steady rows. */
struct excess {
	double ns;
	int64_t median_ns, longest_ns;
	size_t n_above;  /* number of rows above the median */
	uint32_t device; /* device of the longest row */
};

static struct excess excess_of(
	const struct jr_check *c, const uint32_t *rows, size_t n, int64_t *room)
{
	struct excess e = {0};
	for (size_t i = 0; i < n; i++) {
		room[i] = jr_thunk_dur_ns(c->ctx->profile, rows[i]);
		if (room[i] > e.longest_ns) {
			e.longest_ns = room[i];
			e.device = jr_thunk_device(c->ctx->profile, rows[i]);
		}
	}
	qsort(room, n, sizeof(*room), compare_ns);
	e.median_ns = room[(n - 1) / 2] + (room[n / 2] - room[(n - 1) / 2]) / 2;
	for (size_t i = 0; i < n; i++) {
		e.ns += room[i] > e.median_ns ? (double)(room[i] - e.median_ns) : 0;
		e.n_above += room[i] > e.median_ns;
	}
	return e;
}

/* Return the time above the median in executions after the first in the profile. */
static double later_excess_ns(
	const struct jr_check *c, const uint32_t *rows, size_t n, int64_t median_ns)
{
	const struct jr_profile *p = c->ctx->profile;
	double ns = 0;
	for (size_t i = 0; i < n; i++)
		if (jr_thunk_execution(p, rows[i]) > 0)
			ns += fmax((double)(jr_thunk_dur_ns(p, rows[i]) - median_ns), 0);
	return ns;
}

/* True if only the first execution makes an op vary, in a trace that does not show compilation.
 * `uneven-steps` reports this case. */
static bool is_only_first(
	const struct jr_check *c, const uint32_t *rows, size_t n, int64_t median_ns)
{
	return c->ctx->profile->by_jax_profiler &&
		   jr_ratio(later_excess_ns(c, rows, n, median_ns), c->wall_ns) < c->rule->threshold;
}

/* Sort the steady rows of all variable ops by op (counting sort): first[op] .. first[op + 1]. */
static uint32_t *rows_by_op(const struct jr_check *c, uint32_t *first, const uint8_t *wanted)
{
	const struct jr_thunks *t = &c->ctx->profile->thunks;
	size_t n_ops = c->ctx->profile->n_ops;
	for (size_t i = 0; i < t->n; i++)
		if (jr_thunk_steady(c->ctx->profile, i) && wanted[t->op[i]])
			first[t->op[i] + 2]++;
	for (size_t k = 2; k < n_ops + 2; k++)
		first[k] += first[k - 1];
	uint32_t *rows = JR_ARENA_N(c->ctx->scratch, uint32_t, first[n_ops + 1] + 1);
	for (uint32_t i = 0; i < t->n; i++)
		if (jr_thunk_steady(c->ctx->profile, i) && wanted[t->op[i]])
			rows[first[t->op[i] + 1]++] = i;
	return rows;
}

/* True if nearly all of the excess is on one device whose other kernels are not slower. */
static bool is_slow_alone(
	struct jr_check *c, const uint32_t *rows, size_t n, const struct excess *e)
{
	double own_ns = 0;
	for (size_t i = 0; i < n; i++)
		if (jr_thunk_device(c->ctx->profile, rows[i]) == e->device)
			own_ns += fmax((double)(jr_thunk_dur_ns(c->ctx->profile, rows[i]) - e->median_ns), 0);
	return own_ns >= ONE_DEVICE * e->ns && jr_check_slow_in_some(c, e->device);
}

/* Claim, on each device, the time of the op's executions above the median. */
static void claim_excess(struct jr_check *c, uint32_t op, int64_t median_ns)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	double *claim_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_devices + 1);
	for (size_t i = 0; i < t->n; i++) {
		int64_t more_ns = t->op[i] == op ? jr_thunk_dur_ns(p, i) - median_ns : 0;
		if (more_ns > 0 && jr_check_in_window(c, i))
			claim_ns[jr_thunk_device(p, i)] +=
				(double)more_ns / jr_check_periods_of(c, jr_thunk_device(p, i));
	}
	jr_check_claim(c, claim_ns, JR_PART_COMPUTE);
	c->claim_op = op;
	struct jr_op_change *ops = jr_op_changes_new(p, c->ctx->arena);
	ops[op].most_ns = median_ns;
	jr_check_change(c)->ops = ops;
}

void jr_rule_variable_thunk(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena, *scratch = c->ctx->scratch;
	uint8_t *wanted = JR_ARENA_N(scratch, uint8_t, p->n_ops + 1);
	bool judged = false;
	for (size_t i = 0; i < p->n_ops; i++) {
		wanted[i] = is_variable(c, i);
		judged |= jr_check_ran(c, i) && c->ctx->steady->ops[i].count >= LEAST_COUNT;
	}
	if (!judged)
		return;
	uint32_t *first = JR_ARENA_N(scratch, uint32_t, p->n_ops + 3);
	uint32_t *rows = rows_by_op(c, first, wanted);
	int64_t *room = JR_ARENA_N(scratch, int64_t, p->thunks.n + 1);
	struct excess worst = {0};
	uint32_t worst_op = JR_NONE;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (!wanted[i])
			continue;
		size_t n = first[i + 1] - first[i];
		struct excess e = excess_of(c, rows + first[i], n, room);
		if (is_only_first(c, rows + first[i], n, e.median_ns))
			continue;
		if (worst_op == JR_NONE || e.ns > worst.ns) {
			worst = e;
			worst_op = i;
		}
	}
	if (!jr_check_fires(c, jr_ratio(worst.ns, c->wall_ns)) || worst_op == JR_NONE)
		return;
	const struct jr_op_steady *s = &c->ctx->steady->ops[worst_op];
	if (c->ctx->typical == c->ctx->windows)
		claim_excess(c, worst_op, worst.median_ns);
	else /* the median step has nothing to save */
		jr_check_claim_once(c, jr_ratio(worst.ns, (double)c->ctx->windows->n_devices),
			worst.n_above, (double)worst.longest_ns);
	const char *where = jr_check_devices(c) < 2 ? ""
		: jr_arena_printf(arena, " on device %s", jr_check_device(c, worst.device));
	jr_check_title(c, jr_check_op(c, worst_op),
		VARIABLE_THUNK_TITLE, jr_check_time(c, (double)worst.longest_ns),
		where, jr_check_time(c, (double)worst.median_ns));
	c->claim_op = worst_op;
	c->named_ns = (double)worst.longest_ns;
	const uint32_t *own = rows + first[worst_op];
	jr_advise(c, JR_ADVICE_VARIES, &(const struct jr_about){.op = worst_op,
		.found = is_slow_alone(c, own, first[worst_op + 1] - first[worst_op], &worst)});
	jr_check_evidence(c, VARIABLE_THUNK_EVIDENCE, (long long)s->count, jr_check_time(c, worst.ns));
}

/* --- copies and transposes ------------------------------------------------------------------ */

static bool is_layout_opcode(uint8_t op)
{
	return op == JR_OP_COPY || op == JR_OP_TRANSPOSE;
}

/* Return the opcode of a computation's root. Bitcasts cost nothing and are skipped. */
static uint8_t root_opcode(const struct jr_hlo *hlo, int64_t computation_id)
{
	uint32_t at = jr_hlo_root(hlo, jr_hlo_computation_by_id(hlo, computation_id));
	for (int i = 0; i < 4 && at != JR_NONE; i++) {
		const struct jr_hlo_instruction *inst = &hlo->instructions[at];
		if (inst->op != JR_OP_BITCAST || inst->n_operands == 0)
			return inst->op;
		at = jr_hlo_operand(hlo, inst, 0);
	}
	return JR_OP_OTHER;
}

/* A fusion may end in a transpose and also compute its input; that time is not lost. */
static bool computes_nothing(const struct jr_hlo *hlo, int64_t computation_id)
{
	static const uint8_t moving[] = {JR_OP_PARAMETER, JR_OP_CONSTANT, JR_OP_BITCAST,
		JR_OP_RESHAPE, JR_OP_COPY, JR_OP_TRANSPOSE};
	uint32_t row = jr_hlo_computation_by_id(hlo, computation_id);
	if (row == JR_NONE)
		return false;
	const struct jr_hlo_computation *computation = &hlo->computations[row];
	for (uint32_t i = 0; i < computation->n; i++) {
		if (!JR_OP_IN(hlo->instructions[computation->first + i].op, moving))
			return false;
	}
	return true;
}

bool jr_check_moves_data_only(const struct jr_profile *p, const struct jr_op *op)
{
	if (is_layout_opcode((uint8_t)jr_hlo_opcode_of(jr_str(p, op->opcode))))
		return true;
	if (op->instruction == JR_NONE || strcmp(jr_str(p, op->opcode), "fusion") != 0)
		return false;
	const struct jr_hlo *hlo = p->programs[op->program].hlo;
	const struct jr_hlo_instruction *inst = &hlo->instructions[op->instruction];
	return inst->n_called > 0 && is_layout_opcode(root_opcode(hlo, inst->called_ids[0])) &&
		computes_nothing(hlo, inst->called_ids[0]);
}

void jr_rule_layout_copies(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	double *active_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_ops + 1);
	uint8_t *moves = JR_ARENA_N(c->ctx->scratch, uint8_t, p->n_ops + 1);
	size_t n = 0;
	if (!any_opcode(c))
		return;
	for (size_t i = 0; i < p->n_ops; i++) {
		if (!jr_check_ran(c, i) || p->ops[i].communication || c->explained_op_ns[i] ||
			!jr_check_moves_data_only(p, &p->ops[i]))
			continue;
		active_ns[i] = (double)c->ctx->steady->ops[i].active_ns;
		moves[i] = 1;
		n++;
	}
	double step_ns = n && c->devices ? jr_check_claim_ops(c, moves) : 0;
	if (!jr_check_fires_for(c, step_ns))
		return;
	size_t worst = jr_check_largest(active_ns, p->n_ops);
	jr_check_title(c, LAYOUT_COPIES_SUBJECT, LAYOUT_COPIES_TITLE, jr_check_time(c, step_ns),
		jr_check_percent(c, c->value));
	const struct jr_about about = {.op = JR_NONE, .ops = moves, .word = jr_check_donatable(c)};
	jr_advise(c, JR_ADVICE_LAYOUT_COPIES, &about);
	const char *how_many =
		n == 1 ? "It is"
			   : jr_arena_printf(arena, "%s of them; the largest is", jr_check_count(c, n));
	jr_check_evidence(c, LAYOUT_COPIES_EVIDENCE, how_many,
		jr_check_op(c, (uint32_t)worst), jr_check_step_time(c, active_ns[worst]));
}

/* --- host copies ---------------------------------------------------------------------------- */

/* Return " 4.194 MB come from the host in each step at 14.0 GB/s."; "" if nothing moves in that
 * direction. */
static const char *moved_text(struct jr_check *c, const char *kind, const char *what)
{
	const struct jr_profile *p = c->ctx->profile;
	double bytes = 0, ns = 0;
	for (size_t i = 0; i < p->thunks.n; i++) {
		const struct jr_op *op = jr_thunk_op(p, i);
		if (!jr_steady_top_thunk(p, c->ctx->steady, i) ||
			strcmp(jr_str(p, op->collective), kind) != 0)
			continue;
		bytes += (double)op->message_bytes;
		ns += (double)jr_thunk_dur_ns(p, i);
	}
	if (bytes <= 0)
		return "";
	return jr_arena_printf(c->ctx->arena, EXPOSED_HOST_COPIES_EVIDENCE_RATE,
		jr_check_bytes(c, bytes / c->n_steps), what, jr_check_rate(c, jr_ratio(bytes, ns * 1e-9)));
}

void jr_rule_exposed_host_copies(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	double copy_ns = c->part_ns[JR_PART_COPY];
	if (!any_opcode(c))
		return;
	if (!jr_check_fires(c, jr_ratio(copy_ns, c->wall_ns)))
		return;
	jr_check_claim_part(c, JR_PART_COPY);
	jr_check_title(c, EXPOSED_HOST_COPIES_SUBJECT, EXPOSED_HOST_COPIES_TITLE,
		jr_check_step_time(c, copy_ns), jr_check_percent(c, c->value));
	const struct jr_about about = {.op = JR_NONE,
		.word = JR_ADVISE(c, ", and let copies start earlier (", ")",
			{JR_FLAG_LATENCY_HIDING, "true", NULL, NULL})};
	jr_advise(c, JR_ADVICE_HOST_COPIES, &about);
	double *active_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_ops + 1);
	for (size_t i = 0; i < p->n_ops; i++) {
		const char *kind = jr_str(p, p->ops[i].collective);
		if (jr_check_ran(c, i) &&
			(strcmp(kind, "host-to-device") == 0 || strcmp(kind, "device-to-host") == 0))
			active_ns[i] = (double)c->ctx->steady->ops[i].active_ns;
	}
	size_t worst = jr_check_largest(active_ns, p->n_ops);
	if (worst != SIZE_MAX && active_ns[worst] > 0)
		jr_check_evidence(c, EXPOSED_HOST_COPIES_EVIDENCE,
			jr_check_op(c, (uint32_t)worst), jr_str(p, p->ops[worst].collective),
			jr_check_step_time(c, active_ns[worst]),
			moved_text(c, "host-to-device", "come from the host"),
			moved_text(c, "device-to-host", "go to the host"));
}
