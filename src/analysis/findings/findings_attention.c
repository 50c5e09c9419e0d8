/* A rule about attention that runs as several kernels (README.md, section 14.5). */
#include "analysis/findings/advice.h"
#include "analysis/cost/attention.h"
#include "analysis/cost/cost_parts.h"
#include "analysis/roofline/roofline.h"
#include "analysis/core/terms.h"
#include "analysis/memory/memory_tables.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define UNFUSED_ATTENTION_SUBJECT "Unfused attention"
#define UNFUSED_ATTENTION_TITLE " costs up to %s per step (%s)"
#define UNFUSED_ATTENTION_ACTION_CAPABILITY                                                        \
	"It needs a " JR_GPU " of compute capability 8.0 or higher. On this one, a loop over "        \
	"blocks of queries (jax.lax.map) keeps the scores small"
#define UNFUSED_ATTENTION_ACTION_HEAD                                                              \
	"It needs a head size that is a multiple of 8 and at most %s; here it is %s. Choose "          \
	"another size, or use a kernel written in Pallas"
#define UNFUSED_ATTENTION_ACTION_TYPE                                                              \
	"It needs bfloat16 or float16 operands, but these are wider: if the lower precision is "       \
	"acceptable, cast queries, keys and values"
#define UNFUSED_ATTENTION_EVIDENCE                                                                 \
	"Its kernels take %s per step; fused products need at least %s on " JR_TENSOR_CORE "s. "       \
	"Scores of %s × %s × %s are written and read: %s per step.%s The longest kernel between "      \
	"products is %s."
#define UNFUSED_ATTENTION_EVIDENCE_MEMORY                                                          \
	" At peak memory, scores take %s of %s; a fused kernel does not need them."

/* A fused backward pass computes the scores again: 7 products for every 4 that consume scores. */
#define FUSED_PRODUCTS 1.75

struct unfused {
	struct jr_scores scores; /* of the first program found */
	uint32_t longest; /* longest kernel that is not a product, if possible with a known line */
	double longest_ns, made_ps, taken_ps, products_ns, bytes;
	bool line_known;
	bool wide; /* operands of more than 16 bits */
};

/* Return the time that tensor cores need for the products of all executions. */
static double tensor_ps(const struct jr_check *c, const struct jr_roofline *r, uint32_t op)
{
	double s = 0;
	for (size_t i = 0; i < JR_N_MATRIX; i++)
		if (r->costs[op].matrix_flops[i])
			s += jr_ratio((double)r->costs[op].matrix_flops[i], (double)r->peaks.matrix[i]);
	return s * (double)JR_PS_PER_S * (double)c->ctx->steady->ops[op].count;
}

static void add_op(const struct jr_check *c, const struct jr_roofline_op *o, uint8_t role,
	uint64_t bytes, struct unfused *to)
{
	double n = (double)c->ctx->steady->ops[o->op].count;
	to->bytes += (double)bytes * n;
	if (role == JR_SCORES_BETWEEN) {
		bool known = c->ctx->profile->ops[o->op].source_line > 0;
		if (to->longest == JR_NONE || known > to->line_known ||
			(known == to->line_known && (double)o->dur_ns > to->longest_ns)) {
			to->longest = o->op;
			to->longest_ns = (double)o->dur_ns;
			to->line_known = known;
		}
		return;
	}
	double need_ps = tensor_ps(c, c->ctx->roofline, o->op);
	to->products_ns += (double)o->dur_ns;
	*(role == JR_SCORES_MADE ? &to->made_ps : &to->taken_ps) += need_ps;
	to->wide |= o->matrix != JR_MATRIX_BF16 && o->matrix != JR_MATRIX_F16;
}

/* Set roles[n_ops] of the kernels of top modules. For kernels between products, set the share of
 * their bytes that are scores. */
static struct unfused find(struct jr_check *c, uint8_t *roles, double *share)
{
	const struct jr_roofline *r = c->ctx->roofline;
	const struct jr_profile *p = c->ctx->profile;
	struct unfused found = {.longest = JR_NONE};
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		const struct jr_op *op = &p->ops[o->op];
		const struct jr_hlo *hlo = p->programs[op->program].hlo;
		if (!hlo || op->instruction == JR_NONE || !o->has_roof || r->costs[o->op].initializes)
			continue;
		const struct jr_scores *scores = jr_check_scores(c, op->program);
		if (!scores->found || !scores->roles[op->instruction])
			continue;
		if (!found.scores.found)
			found.scores = *scores;
		uint64_t bytes = scores->bytes[op->instruction];
		roles[o->op] = scores->roles[op->instruction];
		share[o->op] = fmin(jr_ratio((double)bytes, (double)jr_cost_bytes(&r->costs[o->op])), 1);
		add_op(c, o, roles[o->op], bytes, &found);
	}
	return found;
}

/* Return which requirement of cuDNN's kernel the job does not meet; NULL: it meets all. */
static const char *misfit(struct jr_check *c, const struct unfused *u)
{
	uint32_t capability = c->ctx->roofline->peaks.compute_capability;
	uint64_t most = capability >= 90 ? 256 : 128;
	if (capability < 80)
		return UNFUSED_ATTENTION_ACTION_CAPABILITY;
	if (u->scores.head % 8 || u->scores.head > most)
		return jr_arena_printf(c->ctx->arena, UNFUSED_ATTENTION_ACTION_HEAD,
			jr_check_count(c, most), jr_check_count(c, u->scores.head));
	return u->wide ? UNFUSED_ATTENTION_ACTION_TYPE
				   : NULL;
}

/* Arrays of scores alive at the memory peak. */
struct held {
	size_t n;
	double bytes, of_bytes; /* of_bytes: all memory allocated for the program */
};

/* True for an array with as many elements as there are scores, from an instruction that makes or
 * consumes scores. */
static bool holds_scores(
	const struct jr_hlo *hlo, const struct jr_scores *scores, const char *name, uint64_t bytes)
{
	uint32_t row = *name ? jr_hlo_find(hlo, name) : JR_NONE;
	if (row == JR_NONE || !scores->roles[row])
		return false;
	const struct jr_hlo_shape *shape = hlo->instructions[row].shape;
	uint64_t elements = jr_sat_mul(jr_sat_mul(scores->batch, scores->queries), scores->keys);
	for (uint32_t k = 0; k < (shape->n_tuple ? shape->n_tuple : 1); k++) {
		const struct jr_hlo_shape *leaf = shape->n_tuple ? &shape->tuple[k] : shape;
		if (jr_array_elements(leaf) == elements && jr_hlo_shape_bytes(leaf) == bytes)
			return true;
	}
	return false;
}

static struct held held_at_peak(const struct jr_check *c, const struct unfused *u)
{
	struct held held = {0};
	uint32_t program = c->ctx->profile->ops[u->longest].program;
	const struct jr_table *live = jr_check_live_at_peak(c, program, &held.of_bytes);
	const struct jr_hlo *hlo = c->ctx->profile->programs[program].hlo;
	for (size_t row = 0; live && row < live->n_rows; row++) {
		double bytes = jr_table_number(live, JR_LIVE_bytes, row);
		const char *name = jr_table_text(live, JR_KEY(JR_LIVE, instruction), row);
		if (!name || !holds_scores(hlo, &u->scores, name, (uint64_t)bytes))
			continue;
		held.n++;
		held.bytes += bytes;
	}
	return held;
}

/* Return " At peak memory, scores take 9.66 GB of 16.8 GB; …"; "": none, or not
 * known. */
static const char *held_text(struct jr_check *c, const struct unfused *u)
{
	struct held held = held_at_peak(c, u);
	return held.n ? jr_arena_printf(c->ctx->arena, UNFUSED_ATTENTION_EVIDENCE_MEMORY,
						jr_check_bytes(c, held.bytes), jr_check_bytes(c, held.of_bytes))
				  : "";
}

static void describe(struct jr_check *c, const struct unfused *u, double step_ns, double need_ns)
{
	const char *not_yet = misfit(c, u);
	const struct jr_about about = {.op = JR_NONE, .found = not_yet ? 2 : 1, .word = not_yet};
	jr_advise(c, JR_ADVICE_ATTENTION, &about);
	jr_check_evidence(c, UNFUSED_ATTENTION_EVIDENCE,
		jr_check_time(c, step_ns), jr_check_time(c, need_ns), jr_check_count(c, u->scores.batch),
		jr_check_count(c, u->scores.queries), jr_check_count(c, u->scores.keys),
		jr_check_bytes(c, jr_ratio(u->bytes, c->n_steps)), held_text(c, u),
		jr_check_op(c, u->longest));
}

void jr_rule_unfused_attention(struct jr_check *c)
{
	size_t n = c->ctx->profile->n_ops;
	if (!jr_check_roofline(c))
		return;
	uint8_t *roles = JR_ARENA_N(c->ctx->scratch, uint8_t, n + 1);
	uint8_t *all = JR_ARENA_N(c->ctx->scratch, uint8_t, n + 1);
	double *share = jr_check_no_shares(c);
	struct unfused u = find(c, roles, share);
	double need_ps = fmax(u.made_ps + u.taken_ps, FUSED_PRODUCTS * u.taken_ps);
	double won = fmax(1 - jr_ratio(need_ps / JR_PS_PER_NS, u.products_ns), 0);
	for (size_t i = 0; i < n; i++) {
		all[i] = roles[i] != JR_SCORES_NONE;
		if (roles[i] == JR_SCORES_MADE || roles[i] == JR_SCORES_TAKEN)
			share[i] = u.products_ns > 0 ? won : 0;
	}
	double step_ns = jr_check_claim_ops(c, all), lost_ns = jr_check_claim_shares(c, share);
	if (!jr_check_fires_for(c, lost_ns) || u.longest == JR_NONE)
		return;
	for (size_t i = 0; i < n; i++)
		if (roles[i])
			c->explained_op_ns[i] = (double)c->ctx->steady->ops[i].dur_ns;
	jr_check_title(c, UNFUSED_ATTENTION_SUBJECT, UNFUSED_ATTENTION_TITLE, jr_check_time(c, lost_ns),
		jr_check_percent(c, c->value));
	describe(c, &u, step_ns, jr_ratio(need_ps / JR_PS_PER_NS, c->n_steps));
}
