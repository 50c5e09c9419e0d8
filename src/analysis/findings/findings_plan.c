/* Rules about a plan: what the programs show before anything runs; README.md, section 14.9. Times
 * are roofline times of one execution of the first program of the plan. */

#include "analysis/cost/attention.h"
#include "analysis/cost/one_hot.h"
#include "analysis/core/terms.h"
#include "analysis/cost/products.h"
#include "analysis/findings/advice.h"
#include "analysis/memory/donation.h"
#include "analysis/roofline/roofline.h"

/* --- texts ------------------------------------------------------------------------------------ */

#define PLANNED_F32_PRODUCTS_WHY                                                                   \
	JR_OF_JAX("They do not run on the " JR_TENSOR_CORE "s, because precision HIGHEST is "          \
	"requested.")
#define PLANNED_F32_PRODUCTS_ACTION                                                                \
	JR_OF_JAX("Use jax.default_matmul_precision('" JR_FASTER_PRECISION "') or bfloat16 operands "  \
	"if the lower precision is acceptable.")
#define PLANNED_DONATION_SUBJECT "Outputs that could reuse the memory of parameters"
#define PLANNED_DONATION_TITLE " take %s of %s (%s)"
#define PLANNED_DONATION_ACTION                                                                    \
	JR_OF_JAX("Donate the parameters that the program does not need afterwards: "                  \
	"jax.jit(f, donate_argnums=...).")
#define PLANNED_DONATION_EVIDENCE                                                                  \
	"%s output%s with the type and dimensions of a parameter that no output reuses."

#define LEAST_PADDING 0.02 /* of a product; less does not justify a change of the model */

/* What a rule finds in the instructions of the program. */
struct found {
	double ns, most_ns; /* of all of them; of the one with the most */
	uint32_t op;        /* that one; JR_NONE: there are none */
	size_t n;           /* distinct instructions */
};

/* Return the roofline time, in ns, that one launch of an instruction would save; 0: none. */
typedef double (*saving_fn)(struct jr_check *c, const struct jr_roofline_op *o, const void *extra);

static struct found find(struct jr_check *c, saving_fn saving, const void *extra)
{
	const struct jr_roofline *r = c->ctx->roofline;
	const struct jr_profile *p = c->ctx->profile;
	struct found found = {.op = JR_NONE};
	for (size_t i = 0; r && i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		const struct jr_op *op = &p->ops[o->op];
		if (op->program != c->step || op->instruction == JR_NONE || !o->has_roof)
			continue;
		double ns = saving(c, o, extra) * (double)op->planned;
		if (!(ns > 0))
			continue;
		found.n++;
		found.ns += ns;
		if (found.op == JR_NONE || ns > found.most_ns) {
			found.op = o->op;
			found.most_ns = ns;
		}
	}
	return found;
}

/* Report the finding if its share of the roofline time reaches the threshold. `rest` follows the
 * subject and precedes the time. */
static bool fires(
	struct jr_check *c, const struct found *found, const char *subject, const char *rest)
{
	double ns = fmin(found->ns, c->wall_ns);
	if (!(c->wall_ns > 0) || !jr_check_fires(c, ns / c->wall_ns) || found->op == JR_NONE)
		return false;
	jr_check_title(c, subject, " %s %s at the roofline (%s)", rest, jr_check_time(c, ns),
		jr_check_percent(c, c->value));
	c->named_ns = ns;
	c->finding.planned = true;
	c->finding.step_recoverable_ns = c->finding.recoverable_ns = llround(ns);
	c->finding.step_without_ns = llround(c->wall_ns - ns);
	jr_check_evidence(c, "%s instruction%s; the one with the most time is %s (%s).",
		jr_check_count(c, found->n), found->n == 1 ? "" : "s", jr_check_op(c, found->op),
		jr_check_time(c, found->most_ns));
	return true;
}

static double seconds(double amount, uint64_t rate)
{
	return rate ? amount / (double)rate : 0;
}

static double roof_ns(const struct jr_roofline_op *o)
{
	return jr_ns_of_ps(o->roof_ps);
}

/* --- products --------------------------------------------------------------------------------- */

static double saved_by_tf32(
	struct jr_check *c, const struct jr_roofline_op *o, const void *extra)
{
	const struct jr_roofline *r = c->ctx->roofline;
	const struct jr_cost *cost = &r->costs[o->op];
	(void)extra;
	if (o->matrix != JR_MATRIX_F32 || !r->peaks.matrix[JR_MATRIX_TF32])
		return 0;
	double tensor_s =
		seconds((double)cost->matrix_flops[JR_MATRIX_F32], r->peaks.matrix[JR_MATRIX_TF32]);
	double memory_s = seconds((double)jr_cost_bytes(cost), r->peaks.memory_bandwidth_bytes_s);
	return roof_ns(o) - 1e9 * fmax(tensor_s, memory_s);
}

void jr_rule_planned_f32_products(struct jr_check *c)
{
	struct found found = find(c, saved_by_tf32, NULL);
	if (!fires(c, &found, "Matrix products in full float32", "cost"))
		return;
	jr_check_why(c, PLANNED_F32_PRODUCTS_WHY);
	jr_check_do(c, PLANNED_F32_PRODUCTS_ACTION);
}

/* The roofline has the sizes that the program states; a kernel also multiplies the padding. */
static double padding_ns(struct jr_check *c, const struct jr_roofline_op *o, const void *extra)
{
	const struct jr_op *op = &c->ctx->profile->ops[o->op];
	struct jr_product product;
	(void)extra;
	if (o->bound != JR_BOUND_TENSOR ||
		!jr_product_of(c->ctx->profile->programs[op->program].hlo, op->instruction, &product))
		return 0;
	double padding = jr_product_padding(&product);
	return padding >= LEAST_PADDING && padding < 1 ? roof_ns(o) * padding / (1 - padding) : 0;
}

void jr_rule_planned_padding(struct jr_check *c)
{
	struct found found = find(c, padding_ns, NULL);
	if (fires(c, &found, "Matrix products whose sizes do not fill tiles", "cost another"))
		jr_advise(c, JR_ADVICE_PADDED, JR_ABOUT(found.op));
}

static double one_hot_ns(struct jr_check *c, const struct jr_roofline_op *o, const void *extra)
{
	const struct jr_op *op = &c->ctx->profile->ops[o->op];
	struct jr_one_hot hot;
	(void)extra;
	if (o->matrix == JR_N_MATRIX ||
		!jr_one_hot_of(jr_check_dataflow(c, op->program), op->instruction, &hot))
		return 0;
	double bytes = (double)hot.rows_bytes + (double)hot.result_bytes;
	return roof_ns(o) - 1e9 * seconds(bytes, c->ctx->roofline->peaks.memory_bandwidth_bytes_s);
}

void jr_rule_planned_one_hot(struct jr_check *c)
{
	struct found found = find(c, one_hot_ns, NULL);
	if (fires(c, &found, "Matrix products with one-hot matrices", "cost"))
		jr_advise(c, JR_ADVICE_ONE_HOT, JR_ABOUT(found.op));
}

/* --- attention, recomputation, copies --------------------------------------------------------- */

/* A fused kernel does not write the scores. The rest of what an instruction moves stays. */
static double scores_ns(struct jr_check *c, const struct jr_roofline_op *o, const void *extra)
{
	const struct jr_scores *scores = extra;
	uint32_t row = c->ctx->profile->ops[o->op].instruction;
	if (o->bound != JR_BOUND_MEMORY || scores->roles[row] == JR_SCORES_NONE)
		return 0;
	return fmin(roof_ns(o), 1e9 * seconds((double)scores->bytes[row],
									  c->ctx->roofline->peaks.memory_bandwidth_bytes_s));
}

void jr_rule_planned_attention(struct jr_check *c)
{
	const struct jr_hlo *hlo = jr_check_step_hlo(c);
	struct jr_scores scores =
		hlo ? *jr_check_scores(c, c->step) : (struct jr_scores){0};
	struct found found = {.op = JR_NONE};
	if (scores.found)
		found = find(c, scores_ns, &scores);
	const struct jr_about about = {.op = JR_NONE, .found = 1};
	if (fires(c, &found, "Unfused attention", "writes and reads scores for"))
		jr_advise(c, JR_ADVICE_ATTENTION, &about);
}

static double recomputed_ns(struct jr_check *c, const struct jr_roofline_op *o, const void *extra)
{
	const struct jr_cost *cost = &c->ctx->roofline->costs[o->op];
	(void)extra;
	return cost->rematerialized && !cost->collective ? roof_ns(o) : 0;
}

void jr_rule_planned_rematerialization(struct jr_check *c)
{
	struct found found = find(c, recomputed_ns, NULL);
	if (fires(c, &found, "Recomputation", "takes"))
		jr_advise(c, JR_ADVICE_RECOMPUTED, JR_ABOUT(found.op));
}

static double moved_ns(struct jr_check *c, const struct jr_roofline_op *o, const void *extra)
{
	const struct jr_op *op = &c->ctx->profile->ops[o->op];
	uint8_t *moves = (uint8_t *)(uintptr_t)extra;
	if (op->communication || !jr_check_moves_data_only(c->ctx->profile, op))
		return 0;
	moves[o->op] = 1;
	return roof_ns(o);
}

void jr_rule_planned_copies(struct jr_check *c)
{
	uint8_t *moves = JR_ARENA_N(c->ctx->scratch, uint8_t, c->ctx->profile->n_ops + 1);
	struct found found = find(c, moved_ns, moves);
	if (!fires(c, &found, "Copies and transposes", "take"))
		return;
	const struct jr_about about = {.op = JR_NONE, .ops = moves, .word = jr_check_donatable(c)};
	jr_advise(c, JR_ADVICE_LAYOUT_COPIES, &about);
}

/* --- memory ----------------------------------------------------------------------------------- */

void jr_rule_planned_donation(struct jr_check *c)
{
	const struct jr_hlo *hlo = jr_check_step_hlo(c);
	struct jr_program_memory memory = jr_program_memory_of(hlo);
	struct jr_donation d = hlo ? jr_donation_of(hlo, c->ctx->scratch) : (struct jr_donation){0};
	if (!d.known || !memory.known || !jr_check_fires(c,
			jr_ratio((double)d.could_bytes, (double)memory.allocated_bytes)))
		return;
	jr_check_title(c, PLANNED_DONATION_SUBJECT, PLANNED_DONATION_TITLE,
		jr_check_bytes(c, (double)d.could_bytes),
		jr_check_bytes(c, (double)memory.allocated_bytes), jr_check_percent(c, c->value));
	jr_check_do(c, PLANNED_DONATION_ACTION);
	jr_check_evidence(c, PLANNED_DONATION_EVIDENCE,
		jr_check_count(c, d.n_could), d.n_could == 1 ? "" : "s");
}
