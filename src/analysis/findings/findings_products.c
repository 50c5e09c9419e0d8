/* Rules about matrix products: sizes that do not fill tiles, and look-ups that are written as
 * products (README.md, sections 14.4 and 14.8). */
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/cost/one_hot.h"
#include "analysis/cost/products.h"
#include "analysis/memory/memory_tables.h"
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

#define ONE_HOT_PRODUCTS_SUBJECT "Matrix products with one-hot matrices"
#define ONE_HOT_PRODUCTS_TITLE " take %s per step (%s) and %s of the FLOPs"
#define ONE_HOT_PRODUCTS_EVIDENCE "The %s is %s.%s%s"
#define ONE_HOT_PRODUCTS_EVIDENCE_MEMORY " The one-hot matrix %s takes %s at peak memory%s."
#define ONE_HOT_PRODUCTS_EVIDENCE_MFU " MFU is %s; without counting their FLOPs, it is %s."

/* --- sizes ----------------------------------------------------------------------------------- */

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

/* --- look-ups -------------------------------------------------------------------------------- */

struct one_hots {
	double *all, *won; /* [n_ops] shares of their time: all; saved by a look-up */
	size_t n;
	double flops, all_flops;  /* of matrix products without recomputed ones; all products */
	uint32_t program, matrix; /* of the longest: program, row of the matrix */
	uint32_t longest;
	double longest_ns;
};

static double model_flops(const struct jr_cost *cost, double n)
{
	double flops = 0;
	for (size_t i = 0; i < JR_N_MATRIX; i++)
		flops += (double)cost->matrix_flops[i];
	return n * (flops - (double)cost->remat_flops);
}

static struct one_hots find_one_hots(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_roofline *r = c->ctx->roofline;
	struct one_hots found = {.all = jr_check_no_shares(c), .won = jr_check_no_shares(c),
		.longest = JR_NONE, .matrix = JR_NONE};
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		const struct jr_op *op = &p->ops[o->op];
		double n = (double)c->ctx->steady->ops[o->op].count;
		double flops = model_flops(&r->costs[o->op], n);
		struct jr_one_hot hot;
		found.all_flops += flops;
		if (o->matrix == JR_N_MATRIX || op->instruction == JR_NONE ||
			!p->programs[op->program].hlo || o->dur_ns <= 0 ||
			!jr_one_hot_of(jr_check_dataflow(c, op->program), op->instruction, &hot))
			continue;
		double bytes = (double)hot.rows_bytes + (double)hot.result_bytes;
		double need_ns = 1e9 * n * jr_ratio(bytes, (double)r->peaks.memory_bandwidth_bytes_s);
		found.n++;
		found.flops += flops;
		found.all[o->op] = 1;
		found.won[o->op] = fmax(1 - jr_ratio(need_ns, (double)o->dur_ns), 0);
		if (found.longest == JR_NONE || (double)o->dur_ns > found.longest_ns) {
			found.longest = o->op;
			found.longest_ns = (double)o->dur_ns;
			found.program = op->program;
			found.matrix = hot.matrix;
		}
	}
	return found;
}

/* Return " The one-hot matrix “f.1” takes 824 MB at the peak …"; "" if it is not alive there. */
static const char *buffer_text(struct jr_check *c, const struct one_hots *hots)
{
	double allocated;
	const struct jr_table *live = jr_check_live_at_peak(c, hots->program, &allocated);
	const struct jr_hlo *hlo = c->ctx->profile->programs[hots->program].hlo;
	for (size_t row = 0; live && hots->matrix != JR_NONE && row < live->n_rows; row++) {
		const char *name = jr_table_text(live, JR_KEY(JR_LIVE, instruction), row);
		if (!name || strcmp(name, hlo->instructions[hots->matrix].name) != 0)
			continue;
		return jr_arena_printf(c->ctx->arena,
			ONE_HOT_PRODUCTS_EVIDENCE_MEMORY, jr_check_name(c, name),
			jr_check_bytes(c, jr_table_number(live, JR_LIVE_bytes, row)),
			row == 0 ? "; no other buffer is larger" : "");
	}
	return "";
}

/* Return " MFU is 22.6 %; without counting their FLOPs, it is 19.5 %."; "" if MFU is not known. */
static const char *mfu_text(struct jr_check *c, double share)
{
	const struct jr_scalar *mfu = jr_results_scalar(c->ctx->results, "roofline.step.mfu");
	if (!mfu || mfu->type != JR_F64 || !(mfu->value.f64 > 0))
		return "";
	return jr_arena_printf(c->ctx->arena, ONE_HOT_PRODUCTS_EVIDENCE_MFU,
		jr_check_percent(c, mfu->value.f64), jr_check_percent(c, mfu->value.f64 * (1 - share)));
}

void jr_rule_one_hot_products(struct jr_check *c)
{
	if (!jr_check_roofline(c))
		return;
	struct one_hots hots = find_one_hots(c);
	double step_ns = jr_check_claim_shares(c, hots.all);
	(void)jr_check_claim_shares(c, hots.won);
	if (!jr_check_fires_for(c, step_ns) || hots.longest == JR_NONE)
		return;
	jr_check_explain(c, hots.all);
	double share = jr_ratio(hots.flops, hots.all_flops);
	jr_check_title(c, ONE_HOT_PRODUCTS_SUBJECT, ONE_HOT_PRODUCTS_TITLE,
		jr_check_time(c, step_ns), jr_check_percent(c, c->value), jr_check_percent(c, share));
	c->named_ns = step_ns;
	c->claim_op = hots.n == 1 ? hots.longest : JR_NONE;
	jr_advise(c, JR_ADVICE_ONE_HOT, JR_ABOUT(hots.longest));
	jr_check_evidence(c, ONE_HOT_PRODUCTS_EVIDENCE,
		hots.n == 1 ? "kernel" : "longest such kernel", jr_check_op(c, hots.longest),
		mfu_text(c, share), buffer_text(c, &hots));
}
