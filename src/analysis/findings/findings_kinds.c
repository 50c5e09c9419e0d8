/* A rule about kernels of one kind of work that lose little time each but much together (README.md,
 * section 14.6). */
#include "analysis/findings/advice.h"
#include "analysis/roofline/roofline.h"
#include "analysis/cost/work_kind.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define FAR_WORK_SUBJECT "“%s” kernels"
#define FAR_WORK_TITLE " together reach %s of roofline: %s per step above roofline"
#define FAR_WORK_EVIDENCE                                                                          \
	"%s different kernels, %s per step; the one farthest above roofline is %s: %s per step."

#define WELL 0.6 /* share of roofline that well tuned products reach even under a power limit */

struct kind_sum {
	double dur_ns, lost_ns;
	size_t n;
	uint32_t worst; /* op that loses the most time */
	double worst_lost_ns;
};

/* Copies and communication have their own rules; unknown work has no advice. */
static bool is_judged(enum jr_work_kind kind)
{
	return kind != JR_WORK_MOVEMENT && kind != JR_WORK_COLLECTIVE && kind != JR_WORK_UNKNOWN;
}

static bool is_asked(const struct jr_check *c, const struct jr_roofline_op *o)
{
	return (o->class == JR_ROOF_MEMORY || o->class == JR_ROOF_COMPUTE) &&
		   !c->explained_op_ns[o->op];
}

static void add_op(const struct jr_roofline_op *o, struct kind_sum *to)
{
	double lost_ns = (double)o->lost_ps / JR_PS_PER_NS;
	to->dur_ns += (double)o->dur_ns;
	to->lost_ns += lost_ns;
	if (to->n++ == 0 || lost_ns > to->worst_lost_ns) {
		to->worst = o->op;
		to->worst_lost_ns = lost_ns;
	}
}

/* Return the kind that loses the most time, among kinds with several kernels that are together far
 * from the roofline. kinds[n_ops]: kinds of all judged ops. */
static enum jr_work_kind most_lost(struct jr_check *c, uint8_t *kinds, struct kind_sum *sums)
{
	const struct jr_roofline *r = c->ctx->roofline;
	enum jr_work_kind most = JR_N_WORK;
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		enum jr_work_kind kind = jr_work_kind(c->ctx->kinds, &c->ctx->profile->ops[o->op]);
		if (!is_asked(c, o) || !is_judged(kind))
			continue;
		kinds[o->op] = (uint8_t)(1 + kind);
		add_op(o, &sums[kind]);
	}
	for (enum jr_work_kind k = 0; k < JR_N_WORK; k++) {
		bool far = sums[k].n > 1 && sums[k].lost_ns > (1 - WELL) * sums[k].dur_ns;
		if (far && (most == JR_N_WORK || sums[k].lost_ns > sums[most].lost_ns))
			most = k;
	}
	return most;
}

void jr_rule_far_work(struct jr_check *c)
{
	const struct jr_roofline *r = jr_check_roofline(c);
	if (!r)
		return;
	uint8_t *kinds = JR_ARENA_N(c->ctx->scratch, uint8_t, c->ctx->profile->n_ops + 1);
	double *share = jr_check_no_shares(c);
	struct kind_sum sums[JR_N_WORK] = {0};
	enum jr_work_kind kind = most_lost(c, kinds, sums);
	for (size_t i = 0; i < r->n && kind != JR_N_WORK; i++)
		if (kinds[r->ops[i].op] == 1 + kind)
			share[r->ops[i].op] = jr_check_lost_share(c, r->ops[i].op);
	double lost_ns = jr_check_claim_shares(c, share);
	if (!jr_check_fires_for(c, lost_ns) || kind == JR_N_WORK)
		return;
	jr_check_explain(c, share);
	const struct kind_sum *sum = &sums[kind];
	struct jr_arena *arena = c->ctx->arena;
	jr_check_title(c, jr_arena_printf(arena, FAR_WORK_SUBJECT, jr_work_kind_name(kind)),
		FAR_WORK_TITLE, jr_check_percent(c, 1 - jr_ratio(sum->lost_ns, sum->dur_ns)),
		jr_check_time(c, lost_ns));
	jr_check_kind_advice(c, kind, sum->worst);
	jr_check_evidence(c, FAR_WORK_EVIDENCE,
		jr_check_count(c, sum->n), jr_check_step_time(c, sum->dur_ns), jr_check_op(c, sum->worst),
		jr_check_step_time(c, sum->worst_lost_ns));
}
