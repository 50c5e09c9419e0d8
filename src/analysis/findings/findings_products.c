/* Rules about sizes of matrix products (README.md, section 14.4). */
#include "analysis/findings/advice.h"
#include "analysis/cost/products.h"
#include "analysis/roofline/roofline.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define PADDED_PRODUCTS_SUBJECT "Matrix products whose sizes do not fill tiles"
#define PADDED_PRODUCTS_TITLE " cost up to %s per step (%s)"
#define PADDED_PRODUCTS_EVIDENCE                                                                   \
	"%s such kernel%s, %s per step; the one with the most time above roofline is %s, %s: %s."
#define PADDED_PRODUCTS_EVIDENCE_ALIGNMENT                                                         \
	"a row of it is not a multiple of 16 bytes, so it cannot be loaded at full speed"
#define PADDED_PRODUCTS_EVIDENCE_TILES                                                             \
	"tiles of 64 × 64, the smallest of fast kernels (larger ones leave more empty)"
#define PADDED_PRODUCTS_EVIDENCE_PADDING "%s of its multiplications are padding, in %s"

#define LEAST_PADDING 0.02 /* of a product; less does not justify a change of the model */

struct padded {
	struct jr_product product; /* the one that loses the most time */
	uint32_t op;
	double lost_ns, padding;
	size_t n, n_misaligned;
};

/* Return the share of an op's time spent on padding; 0 if there is none, if the op is memory-bound,
 * or if an earlier rule reported it. */
static double lost_share(
	const struct jr_check *c, const struct jr_roofline_op *o, struct jr_product *product)
{
	const struct jr_op *op = &c->ctx->profile->ops[o->op];
	const struct jr_hlo *hlo = c->ctx->profile->programs[op->program].hlo;
	if (o->class != JR_ROOF_COMPUTE || o->bound != JR_BOUND_TENSOR || c->explained_op_ns[o->op] ||
		!hlo || op->instruction == JR_NONE || !jr_product_of(hlo, op->instruction, product))
		return 0;
	double beyond = jr_check_lost_share(c, o->op), padding = jr_product_padding(product);
	if (product->misaligned)
		return fmax(beyond, 0); /* a slower kernel runs it, and how much slower is not known */
	return padding >= LEAST_PADDING ? fmax(fmin(beyond, padding), 0) : 0;
}

static struct padded most_padded(struct jr_check *c, double *share, double *all)
{
	const struct jr_roofline *r = c->ctx->roofline;
	struct padded found = {.op = JR_NONE};
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		struct jr_product product = {0};
		double lost = lost_share(c, o, &product);
		if (lost <= 0)
			continue;
		share[o->op] = lost;
		all[o->op] = 1;
		found.n++;
		found.n_misaligned += product.misaligned;
		double lost_ns = lost * (double)o->dur_ns;
		if (found.op == JR_NONE || lost_ns > found.lost_ns) {
			found.op = o->op;
			found.lost_ns = lost_ns;
			found.product = product;
			found.padding = jr_product_padding(&product);
		}
	}
	return found;
}

static const char *sizes_text(struct jr_check *c, const struct jr_product *p)
{
	struct jr_arena *arena = c->ctx->arena;
	const char *batch =
		p->batch > 1 ? jr_arena_printf(arena, "%s times ", jr_check_count(c, p->batch)) : "";
	return jr_arena_printf(arena, "%s%s × %s × %s", batch, jr_check_count(c, p->m),
		jr_check_count(c, p->k), jr_check_count(c, p->n));
}

static const char *why_text(struct jr_check *c, const struct padded *p)
{
	struct jr_arena *arena = c->ctx->arena;
	const struct jr_product *x = &p->product;
	if (x->misaligned)
		return PADDED_PRODUCTS_EVIDENCE_ALIGNMENT;
	const char *tiles =
		x->tile_m && x->tile_n
			? jr_arena_printf(arena, "tiles of %u × %u", x->tile_m, x->tile_n)
			: PADDED_PRODUCTS_EVIDENCE_TILES;
	return jr_arena_printf(arena, PADDED_PRODUCTS_EVIDENCE_PADDING,
		jr_check_percent(c, p->padding), tiles);
}

void jr_rule_padded_products(struct jr_check *c)
{
	if (!jr_check_roofline(c))
		return;
	double *share = jr_check_no_shares(c), *all = jr_check_no_shares(c);
	struct padded p = most_padded(c, share, all);
	double step_ns = jr_check_claim_shares(c, all), lost_ns = jr_check_claim_shares(c, share);
	if (!jr_check_fires_for(c, lost_ns) || p.op == JR_NONE)
		return;
	jr_check_explain(c, share);
	jr_check_title(c, PADDED_PRODUCTS_SUBJECT, PADDED_PRODUCTS_TITLE, jr_check_time(c, lost_ns),
		jr_check_percent(c, c->value));
	jr_advise(c, JR_ADVICE_PADDED, JR_ABOUT(p.op));
	jr_check_evidence(c, PADDED_PRODUCTS_EVIDENCE,
		jr_check_count(c, p.n), p.n == 1 ? "" : "s", jr_check_time(c, step_ns),
		jr_check_op(c, p.op), sizes_text(c, &p.product), why_text(c, &p));
}
