/* A rule about look-ups that are written as matrix products; README.md, section 14.8. */
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/cost/one_hot.h"
#include "analysis/roofline/roofline.h"
#include "analysis/memory/memory_tables.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define ONE_HOT_PRODUCTS_SUBJECT "Matrix products with one-hot matrices"
#define ONE_HOT_PRODUCTS_TITLE " take %s per step (%s) and %s of the FLOPs"
#define ONE_HOT_PRODUCTS_EVIDENCE "The %s is %s.%s%s"
#define ONE_HOT_PRODUCTS_EVIDENCE_MEMORY " The one-hot matrix %s takes %s at peak memory%s."
#define ONE_HOT_PRODUCTS_EVIDENCE_MFU " MFU is %s; without counting their FLOPs, it is %s."

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

static struct one_hots find(struct jr_check *c)
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
	struct one_hots hots = find(c);
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
