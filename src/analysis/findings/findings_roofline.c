/* Rules about the efficiency of kernels (README.md, section 14). */
#include <inttypes.h>

#include "analysis/findings/advice.h"
#include "analysis/roofline/roofline.h"
#include "analysis/cost/work_kind.h"
#include "analysis/core/terms.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define KIND_WHY_UNKNOWN JR_ON_GPU("Only its bytes are known, not its operations.")
#define KIND_WHY_ATTENTION                                                                         \
	"Fused attention is fastest with head dimensions of 64 or 128 and long sequences."
#define KIND_WHY_SORT JR_OF_JAX("A sort reads its data many times.")
#define KIND_WHY_INDEXED                                                                           \
	"The roofline assumes that rows are spread out. Short rows cost as much as long ones, and "    \
	"updates of the same row wait for each other."
#define KIND_WHY_RANDOM "Random bits cost integer work."
#define KIND_WHY_ELEMENTWISE "Elementwise work only reads and writes memory."
#define KIND_WHY_MOVEMENT "It only moves data."
#define KIND_ACTION_UNKNOWN JR_ON_GPU("Examine it with " JR_PROFILE_KERNEL ".")
#define KIND_ACTION_CONVOLUTION                                                                    \
	"Use channels last, channel counts that are multiples of 8 or, better, " JR_OFF_TPU("64")      \
	JR_ON_TPU("128") ", and bfloat16."
#define KIND_ACTION_ATTENTION "Check the shapes and the mask that it receives."
#define KIND_ACTION_SORT                                                                           \
	JR_OF_JAX("Sort fewer or narrower keys, or use jax.lax.top_k if only a few values are "        \
	"needed.")
#define KIND_ACTION_FFT                                                                            \
	"Choose lengths that are products of small primes: transforms are fastest with them."
#define KIND_ACTION_RANDOM "Generate fewer random bits, or generate them for several steps at once."
#define KIND_ACTION_ELEMENTWISE                                                                    \
	"Check whether all operands have the same layout (a transpose within a kernel reads with "     \
	"gaps), and whether they are large enough to fill the " JR_GPU "."
#define KIND_ACTION_MOVEMENT                                                                       \
	"Check the layouts on both sides of it, and whether the copy is needed."

#define FAR_KERNEL_TITLE " reaches %s of roofline: %s per step above roofline"
#define F32_PRODUCTS_WHY                                                                           \
	"They " JR_OFF_TPU("do not run on") JR_ON_TPU("take several passes of") " the " JR_TENSOR_CORE \
	"s, because precision HIGHEST is requested."
#define F32_PRODUCTS_ACTION                                                                        \
	JR_OF_JAX("If the lower precision is acceptable, use jax.default_matmul_precision('"           \
	JR_FASTER_PRECISION "') or bfloat16 operands.")
#define FAR_KERNEL_EVIDENCE                                                                        \
	"An execution takes %s; at the roofline, limited by the %s, it would take %s."

#define F32_PRODUCTS_SUBJECT "Matrix products in full float32"
#define F32_PRODUCTS_TITLE " take %s per step (%s)"
#define F32_PRODUCTS_EVIDENCE "The longest of them is %s."

#define REMATERIALIZATION_SUBJECT "Recomputation"
#define REMATERIALIZATION_TITLE " takes %s per step (%s)"
#define REMATERIALIZATION_EVIDENCE                                                                 \
	"%s of the FLOPs of matrix products are recomputed; the longest of these kernels is %s."

#define NOT_COUNTED_TITLE "%s launch%s per step, %s each on average."
#define NOT_COUNTED_WHY                                                                            \
	JR_ON_GPU("The program does not describe what custom calls (Triton and Pallas kernels, FFI, "  \
	"Transformer Engine) compute.")
#define NOT_COUNTED_WHY_SOME                                                                       \
	"FLOPs and the numbers computed from them cover only the other kernels, so they are too low."
#define NOT_COUNTED_WHY_ALL "FLOPs, MFU and roofline times are unknown."
#define NOT_COUNTED_ACTION                                                                         \
	JR_ON_GPU("Examine each of them with " JR_PROFILE_KERNEL ", which compares it with the "       \
	"limits of the " JR_GPU ".")

#define ABOVE_PEAK_TITLE ""
#define ABOVE_PEAK_WHY                                                                             \
	"No device is faster than its peak, so the peak or the recorded times are wrong. HFU, MFU, "   \
	"and numbers of the roofline are wrong by as much."
#define ABOVE_PEAK_ACTION "Check that the profile shows the device on which it was recorded."

static const struct jr_roofline *roofline_of(const struct jr_check *c)
{
	return c->devices ? c->ctx->roofline : NULL;
}

const struct jr_roofline *jr_check_roofline(const struct jr_check *c)
{
	const struct jr_roofline *r = roofline_of(c);
	return r && r->peaks.known && c->wall_ns > 0 ? r : NULL;
}

double *jr_check_no_shares(struct jr_check *c)
{
	return JR_ARENA_N(c->ctx->scratch, double, c->ctx->profile->n_ops + 1);
}

static double time_of(const struct jr_roofline_op *o)
{
	return o->dur_ns > 0 ? (double)o->dur_ns : 0;
}

static double efficiency(const struct jr_roofline_op *o)
{
	double took_ps = time_of(o) * JR_PS_PER_NS;
	return jr_ratio(took_ps - (double)o->lost_ps, took_ps);
}

void jr_check_explain(struct jr_check *c, const double *share)
{
	for (size_t i = 0; i < c->ctx->roofline->n; i++) {
		const struct jr_roofline_op *o = &c->ctx->roofline->ops[i];
		if (share[o->op] > 0)
			c->explained_op_ns[o->op] = time_of(o);
	}
}

double jr_check_lost_share(const struct jr_check *c, uint32_t op)
{
	const struct jr_roofline *r = roofline_of(c);
	for (size_t i = 0; r && i < r->n; i++)
		if (r->ops[i].op == op && r->ops[i].has_roof)
			return 1 - efficiency(&r->ops[i]);
	return NAN;
}

bool jr_check_is_latency(const struct jr_check *c, uint32_t op)
{
	const struct jr_roofline *r = roofline_of(c);
	for (size_t i = 0; r && i < r->n; i++)
		if (r->ops[i].op == op)
			return r->ops[i].class == JR_ROOF_LATENCY;
	return false;
}

/* --- kernels far from the roofline ------------------------------------------------------------ */

#define FAR 0.5 /* efficiency below which a kernel is far from the roofline */

static const char *bound_text(enum jr_bound bound)
{
	static const char *const texts[JR_N_BOUNDS] = {
		[JR_BOUND_MEMORY] = "memory bandwidth",
		[JR_BOUND_TENSOR] = (JR_TENSOR_CORE "s"),
		[JR_BOUND_VECTOR] = "floating-point units",
		[JR_BOUND_FUNCTIONS] = "special-function units",
		[JR_BOUND_INTEGERS] = "integer units",
		[JR_BOUND_NETWORK] = "links",
	};
	return texts[bound];
}

void jr_check_kind_advice(struct jr_check *c, enum jr_work_kind kind, uint32_t op)
{
	static const struct {
		const char *why, *action;
	} advices[JR_N_WORK] = {
		[JR_WORK_UNKNOWN] = {KIND_WHY_UNKNOWN, KIND_ACTION_UNKNOWN},
		[JR_WORK_CONVOLUTION] = {"", KIND_ACTION_CONVOLUTION},
		[JR_WORK_ATTENTION] = {KIND_WHY_ATTENTION, KIND_ACTION_ATTENTION},
		[JR_WORK_SORT] = {KIND_WHY_SORT, KIND_ACTION_SORT},
		[JR_WORK_FFT] = {"", KIND_ACTION_FFT},
		[JR_WORK_INDEXED] = {KIND_WHY_INDEXED, ""},
		[JR_WORK_RANDOM] = {KIND_WHY_RANDOM, KIND_ACTION_RANDOM},
		[JR_WORK_ELEMENTWISE] = {KIND_WHY_ELEMENTWISE, KIND_ACTION_ELEMENTWISE},
		[JR_WORK_MOVEMENT] = {KIND_WHY_MOVEMENT, KIND_ACTION_MOVEMENT},
	};
	struct jr_about about = {.op = op, .word = jr_check_op(c, op)};
	if (kind == JR_WORK_REDUCTION) {
		jr_advise(c, JR_ADVICE_REDUCTION, &about);
		return;
	}
	if (kind == JR_WORK_MATRIX) { /* found: its sizes are not known */
		about.found = jr_fact_holds(c, JR_FACT_ODD_SIZES, &about) < 0;
		jr_advise(c, JR_ADVICE_PRODUCT, &about);
		return;
	}
	bool known = advices[kind].why != NULL;
	jr_check_why(c, "%s", advices[known ? kind : JR_WORK_UNKNOWN].why);
	jr_check_do(c, "%s", advices[known ? kind : JR_WORK_UNKNOWN].action);
}

static void add_advice(struct jr_check *c, const struct jr_roofline_op *o)
{
	enum jr_work_kind kind = jr_work_kind(c->ctx->kinds, &c->ctx->profile->ops[o->op]);
	if (!jr_check_indexed_advice(c, o->op))
		jr_check_kind_advice(c, kind, o->op);
}

/* Return the op that loses the most time, except for ops that earlier rules reported. */
static const struct jr_roofline_op *farthest(const struct jr_check *c)
{
	const struct jr_roofline *r = roofline_of(c);
	const struct jr_roofline_op *found = NULL;
	for (size_t i = 0; r && i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		if ((o->class == JR_ROOF_MEMORY || o->class == JR_ROOF_COMPUTE) && efficiency(o) < FAR &&
			!c->explained_op_ns[o->op] && (!found || o->lost_ps > found->lost_ps))
			found = o;
	}
	return found;
}

void jr_rule_far_kernel(struct jr_check *c)
{
	const struct jr_roofline_op *o = farthest(c);
	if (!jr_check_roofline(c))
		return;
	double *share = jr_check_no_shares(c), lost_ns = 0;
	if (o) {
		share[o->op] = 1 - efficiency(o);
		lost_ns = jr_check_claim_shares(c, share);
		c->claim_op = o->op;
	}
	if (!jr_check_fires_for(c, lost_ns) || !o)
		return;
	c->explained_op_ns[o->op] = time_of(o);
	double n = (double)c->ctx->steady->ops[o->op].count;
	jr_check_title(c, jr_check_op(c, o->op), FAR_KERNEL_TITLE,
		jr_check_percent(c, efficiency(o)), jr_check_time(c, lost_ns));
	add_advice(c, o);
	jr_check_evidence(c, FAR_KERNEL_EVIDENCE,
		jr_check_time(c, time_of(o) / n), bound_text(o->bound),
		jr_check_time(c, (double)o->roof_ps / JR_PS_PER_NS));
}

/* --- products that could use tensor cores ----------------------------------------------------- */

/* Return the time of an f32 product in tf32, as a share of its present time; memory traffic stays
 * the same. */
static double share_in_tf32(const struct jr_roofline *r, const struct jr_roofline_op *o, double n)
{
	const struct jr_cost *cost = &r->costs[o->op];
	double tensor_s = jr_ratio(
		(double)cost->matrix_flops[JR_MATRIX_F32], (double)r->peaks.matrix[JR_MATRIX_TF32]);
	double memory_s =
		jr_ratio((double)jr_cost_bytes(cost), (double)r->peaks.memory_bandwidth_bytes_s);
	return jr_ratio(1e9 * n * fmax(tensor_s, memory_s), time_of(o));
}

void jr_rule_f32_products(struct jr_check *c)
{
	const struct jr_roofline *r = roofline_of(c);
	if (!r || c->wall_ns <= 0 || !r->peaks.matrix[JR_MATRIX_TF32] ||
		!r->peaks.matrix[JR_MATRIX_F32])
		return;
	double *all = jr_check_no_shares(c), *won = jr_check_no_shares(c);
	uint32_t longest = JR_NONE;
	double most_ns = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		if (o->matrix != JR_MATRIX_F32 || !o->has_roof || c->explained_op_ns[o->op])
			continue;
		all[o->op] = 1;
		won[o->op] = fmax(1 - share_in_tf32(r, o, (double)c->ctx->steady->ops[o->op].count), 0);
		if (time_of(o) > most_ns) {
			most_ns = time_of(o);
			longest = o->op;
		}
	}
	double step_ns = jr_check_claim_shares(c, all);
	(void)jr_check_claim_shares(c, won);
	if (!jr_check_fires_for(c, step_ns) || longest == JR_NONE)
		return;
	jr_check_explain(c, all);
	jr_check_title(c, F32_PRODUCTS_SUBJECT, F32_PRODUCTS_TITLE, jr_check_time(c, step_ns),
		jr_check_percent(c, c->value));
	c->named_ns = step_ns;
	jr_check_why(c, F32_PRODUCTS_WHY);
	jr_check_do(c, F32_PRODUCTS_ACTION);
	jr_check_evidence(c, F32_PRODUCTS_EVIDENCE, jr_check_op(c, longest));
}

/* --- recomputation ---------------------------------------------------------------------------- */

void jr_rule_rematerialization(struct jr_check *c)
{
	const struct jr_roofline *r = roofline_of(c);
	if (!r || c->wall_ns <= 0)
		return;
	double *share = jr_check_no_shares(c);
	uint32_t longest = JR_NONE;
	double most_ns = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		if (!r->costs[o->op].rematerialized || r->costs[o->op].collective ||
			c->explained_op_ns[o->op])
			continue;
		share[o->op] = 1;
		if (time_of(o) > most_ns) {
			most_ns = time_of(o);
			longest = o->op;
		}
	}
	double step_ns = jr_check_claim_shares(c, share);
	if (!jr_check_fires_for(c, step_ns) || longest == JR_NONE)
		return;
	jr_check_explain(c, share);
	const struct jr_roofline_sum *all = &r->all;
	double flops = 0;
	for (size_t i = 0; i < JR_N_MATRIX; i++)
		flops += (double)all->matrix_flops[i];
	jr_check_title(c, REMATERIALIZATION_SUBJECT, REMATERIALIZATION_TITLE, jr_check_time(c, step_ns),
		jr_check_percent(c, c->value));
	jr_advise(c, JR_ADVICE_RECOMPUTED, JR_ABOUT(longest));
	jr_check_evidence(c, REMATERIALIZATION_EVIDENCE,
		jr_check_percent(c, jr_ratio((double)all->remat_flops, flops)), jr_check_op(c, longest));
}

/* --- very short kernels ----------------------------------------------------------------------- */

void jr_rule_latency_bound(struct jr_check *c)
{
	const struct jr_roofline *r = jr_check_roofline(c);
	if (!r)
		return;
	double *all = jr_check_no_shares(c), *lost = jr_check_no_shares(c), n = 0, total_ns = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		if (o->class != JR_ROOF_LATENCY || c->explained_op_ns[o->op])
			continue;
		all[o->op] = 1;
		lost[o->op] = 1 - efficiency(o);
		n += (double)c->ctx->steady->ops[o->op].count;
		total_ns += time_of(o);
	}
	double step_ns = jr_check_claim_shares(c, all), per_step = jr_ratio(n, c->n_steps);
	/* A single kernel with the work of all takes at least as long as one of them. */
	for (size_t i = 0; i < c->ctx->profile->n_ops && per_step > 0; i++)
		lost[i] *= fmax(0, 1 - 1 / per_step);
	(void)jr_check_claim_shares(c, lost);
	if (!jr_check_fires_for(c, step_ns))
		return;
	jr_check_title(c, "Very short kernels", " take %s per step (%s)", jr_check_time(c, step_ns),
		jr_check_percent(c, c->value));
	c->named_ns = step_ns;
	jr_advise(c, JR_ADVICE_SHORT_KERNELS, JR_ABOUT(JR_NONE));
	jr_check_evidence(c, NOT_COUNTED_TITLE,
		jr_check_count(c, (size_t)llround(per_step)), llround(per_step) == 1 ? "" : "es",
		jr_check_time(c, jr_ratio(total_ns, n)));
}

/* --- unknown work ----------------------------------------------------------------------------- */

/* Return the longest op of unknown work; at least one exists. */
static uint32_t longest_unknown(const struct jr_check *c, const struct jr_roofline *r)
{
	const struct jr_op_steady *ops = c->ctx->steady->ops;
	uint32_t longest = JR_NONE;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t op = r->ops[i].op;
		if (!r->ops[i].counted && !r->costs[op].host &&
			(longest == JR_NONE || ops[op].active_ns > ops[longest].active_ns))
			longest = op;
	}
	return longest;
}

void jr_rule_not_counted(struct jr_check *c)
{
	const struct jr_roofline *r = roofline_of(c);
	if (!r)
		return;
	double active_ns = (double)c->ctx->steady->thunks_active_ns;
	if (!jr_check_fires(c, jr_ratio((double)r->all.unknown_active_ns, active_ns)))
		return;
	c->finding.title = jr_arena_printf(c->ctx->arena,
		"FLOPs are unknown for kernels that take %s of active time",
		jr_check_percent(c, c->value));
	jr_check_why(c, (double)r->all.unknown_active_ns < active_ns ? NOT_COUNTED_WHY_SOME
																   : NOT_COUNTED_WHY_ALL);
	jr_check_why(c, NOT_COUNTED_WHY);
	jr_check_do(c, NOT_COUNTED_ACTION);
	uint32_t longest = longest_unknown(c, r);
	const char *why = r->costs[longest].unknown;
	jr_check_evidence(c, "%" PRIu64 " different kernel%s %s%s%s.",
		r->all.n_unknown, r->all.n_unknown == 1 ? ":" : "s; the longest is",
		jr_check_op(c, longest),
		why ? ", kind " : "", why ? jr_check_name(c, why) : ABOVE_PEAK_TITLE);
}

/* --- faster than the peak --------------------------------------------------------------------- */

void jr_rule_above_peak(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_scalar *hfu = jr_results_scalar(c->ctx->results, "roofline.step.hfu");
	if (!jr_check_fires(c, hfu && hfu->type == JR_F64 ? hfu->value.f64 : NAN))
		return;
	const char *name = p->n_devices ? jr_str(p, p->devices[0].gpu_name) : "";
	c->finding.title = jr_arena_printf(c->ctx->arena, "Matrix products reach %s of the peak%s%s",
		jr_check_percent(c, c->value), *name ? " of " : "", name);
	jr_check_why(c, ABOVE_PEAK_WHY);
	jr_check_do(c, ABOVE_PEAK_ACTION);
}
