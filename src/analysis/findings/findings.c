/* Findings: run each rule, and build the table of their measurements. */
#include "analysis/findings/findings.h"

#include "analysis/findings/advice.h"
#include "analysis/step/step_ledger.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/core/program_kind.h"
#include "analysis/core/vendor.h"
#include "analysis/roofline/plan_tables.h"
#include "analysis/step/step_tables.h"
#include "analysis/gpu/gpu_tables.h"

/* --- table of checks ------------------------------------------------------------------------ */

#define COLUMNS(X, T)                                                                              \
	X(T, id, "Rule", "stable name of the rule", TEXT, NONE,                                        \
		JR_COL_DATA_ONLY | JR_COL_KEY)                                                             \
	X(T, looks_for, "Looks for", "what a finding of this rule means", TEXT, NONE)                  \
	X(T, measured, "Measured", "measured value", TEXT, NONE,                                       \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY)                                                    \
	X(T, threshold_text, "Threshold", "value at which a finding is reported", TEXT,                \
		NONE, JR_COL_RENDERED_ONLY)                                                                \
	X(T, result, "Result",                                                                         \
		"finding: listed under Opportunities or Data quality; passed: nothing found; unknown: "    \
		"not enough data",                                                                         \
		TEXT, NONE)                                                                                \
	X(T, reason, "Reason",                                                                         \
		"if unknown: data that the rule needs and that the input does not contain in full",        \
		TEXT, NONE, JR_COL_WHOLE)                                                                  \
	X(T, value, "Value", "measured number; fractions are from 0 to 1", F64, NONE,                  \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, threshold, "Limit", "the threshold as a number", F64, NONE, JR_COL_DATA_ONLY)
JR_TABLE(spec, C, COLUMNS, "checks", "checks", "Checks",
	"Result of each rule; the report begins with the findings", .looked_up = true);

static const char *measured_text(struct jr_check *c, double value)
{
	char number[JR_NUM_MAX];
	if (isnan(value))
		return NULL;
	if (c->rule->unit == JR_UNIT_FRAC)
		return jr_check_percent(c, value);
	jr_num_grouped(number, value, 0);
	return jr_arena_strdup(c->ctx->arena, number);
}

static void fill_row(struct jr_table *table, size_t row, struct jr_check *c)
{
	union jr_cells *cells = table->cells;
	struct jr_words words = jr_words_of(c->ctx->profile);
	struct jr_arena *arena = c->ctx->arena;	cells[C_id].text[row] = c->rule->id;
	cells[C_looks_for].text[row] =
		jr_vendor_words(words, c->rule->looks_for,arena);
	cells[C_measured].text[row] = measured_text(c, c->value);
	const char *threshold = jr_arena_printf(arena, "%s%s %s",
		c->rule->below ? "below " : "", measured_text(c, c->rule->threshold), c->rule->measure);
	cells[C_threshold_text].text[row] =
		jr_vendor_words(words, threshold,arena);
	cells[C_result].text[row] = c->fired ? "finding" : isnan(c->value) ? "unknown" : "passed";
	const char *reason = c->abstains ? c->abstains
		: jr_arena_printf(
			arena, "not judged: this rule needs %s, and a part of that is missing", c->rule->takes);
	cells[C_reason].text[row] =
		c->fired || !isnan(c->value) ? NULL
		: jr_vendor_words(words, reason,arena);
	cells[C_value].f64[row] = c->value;
	cells[C_threshold].f64[row] = c->rule->threshold;
}

/* --- the pass ------------------------------------------------------------------------------- */

static int64_t column_sum(const struct jr_table *table, const char *key)
{
	size_t col = table ? jr_table_column(table, key) : SIZE_MAX;
	int64_t sum = 0;
	for (size_t row = 0; col != SIZE_MAX && row < table->n_rows; row++)
		sum += table->cells[col].i64[row];
	return sum;
}

/* For programs without XLA: use the whole profile. */
static void take_gpu_parts(struct jr_check *c)
{
	static const char *const keys[JR_N_PARTS] = {JR_KEY(JR_GPU_LEDGER, compute_ms),
		JR_KEY(JR_GPU_LEDGER, exposed_communication_ms), JR_KEY(JR_GPU_LEDGER, exposed_copy_ms),
		NULL, JR_KEY(JR_GPU_LEDGER, idle_ms), NULL};
	const struct jr_table *table = jr_results_table(c->ctx->results, "gpu_ledger");
	c->n_gpus = table ? table->n_rows : 0;
	for (size_t k = 0; table && k < JR_N_PARTS; k++)
		c->part_ns[k] = keys[k] ? (double)column_sum(table, keys[k]) : 0;
	bool judged = c->ctx->gpu && !jr_gpu_doubt(c->ctx->profile, c->ctx->gpu);
	c->wall_ns = judged ? (double)column_sum(table, JR_KEY(JR_GPU_LEDGER, wall_ms))
						: 0; /* without it no share is known */
}

static const char *const part_keys[JR_PART_BETWEEN] = {
	[JR_PART_COMPUTE] = JR_KEY(JR_LEDGER, compute_ms),
	[JR_PART_COMMUNICATION] = JR_KEY(JR_LEDGER, exposed_communication_ms),
	[JR_PART_COPY] = JR_KEY(JR_LEDGER, exposed_copy_ms),
	[JR_PART_IDLE_INSIDE] = JR_KEY(JR_LEDGER, idle_in_modules_ms),
	[JR_PART_IDLE_BETWEEN] = JR_KEY(JR_LEDGER, idle_between_modules_ms),
	[JR_PART_OTHER] = JR_KEY(JR_LEDGER, other_programs_ms),
	[JR_PART_TRANSFER] = JR_KEY(JR_LEDGER, exposed_transfer_ms),
	[JR_PART_WAITING] = JR_KEY(JR_LEDGER, exposed_waiting_ms),
};

/* Return a step of each device, from the time breakdown. Its rows are the devices that take steps,
 * in order. */
static const struct jr_device_step *device_steps(struct jr_pass_context *ctx)
{
	const struct jr_table *median = jr_results_table(ctx->results, "ledger_median");
	const struct jr_table *ledger = median ? median : jr_results_table(ctx->results, "ledger");
	size_t n = ctx->profile->n_devices, row = 0;
	struct jr_device_step *devices = JR_ARENA_N(ctx->arena, struct jr_device_step, n + 1);
	for (size_t d = 0; ledger && d < n; d++) {
		const struct jr_step_window *w = &ctx->typical->devices[d];
		if (w->program == JR_NONE)
			continue;
		double steps = w->n_periods > 0 ? w->n_periods : 1;
		for (size_t k = 0; k < JR_PART_BETWEEN; k++)
			devices[d].part_ns[k] =
				jr_table_number(ledger, jr_table_column(ledger, part_keys[k]), row) / steps;
		devices[d].part_ns[JR_PART_BETWEEN] =
			devices[d].part_ns[JR_PART_IDLE_BETWEEN] + devices[d].part_ns[JR_PART_OTHER] +
			devices[d].part_ns[JR_PART_COMPUTE];
		devices[d].wall_ns = jr_table_number(ledger, JR_LEDGER_wall_ms, row++) / steps;
	}
	return devices;
}

/* Multiply parts of a step by the steps of all devices, so they compare to sums over steady
 * executions. There is one more execution than periods. */
static void take_step_parts(struct jr_check *c)
{
	const struct jr_table *step = jr_step_shown(c->ctx->results);
	if (c->ctx->steady->n_ranking == 0 || !step)
		return;
	c->step = c->ctx->steady->ranking[0];
	c->n_steps = c->ctx->windows->n_steps;
	c->devices = device_steps(c->ctx);
	for (size_t k = 0; k < JR_PART_BETWEEN; k++)
		c->part_ns[k] = jr_step_column_ns(step, part_keys[k]) * c->n_steps;
	c->part_ns[JR_PART_BETWEEN] = c->part_ns[JR_PART_IDLE_BETWEEN] +
		c->part_ns[JR_PART_OTHER] + c->part_ns[JR_PART_COMPUTE];
	c->wall_ns = jr_step_parts_ns(step) * c->n_steps;
}

/* A plan has no step. Its rules compare with the roofline time of one execution. */
static void take_plan(struct jr_check *c)
{
	const struct jr_table *plan = jr_results_table(c->ctx->results, "plan_programs");
	if (!plan || !plan->n_rows)
		return;
	c->step = c->ctx->steady->ranking[0];
	c->n_steps = 1;
	c->wall_ns = plan->cells[JR_PLAN_PROGRAMS_roof_ms].f64[0];
}

static struct jr_check prepare(struct jr_pass_context *ctx, bool xla)
{
	struct jr_check c = {.ctx = ctx, .step = JR_NONE, .value = NAN, .claim_op = JR_NONE};
	c.of_jax = jr_program_is_jax(ctx->profile);
	c.facts = JR_ARENA_NEW(ctx->arena, struct jr_facts *);
	c.explained_ns = JR_ARENA_N(ctx->arena, double, ctx->profile->n_devices + 1);
	c.explained_op_ns = JR_ARENA_N(ctx->arena, double, ctx->profile->n_ops + 1);
	c.explained_once_ns = JR_ARENA_NEW(ctx->arena, double);
	c.explained_transfer_ns = JR_ARENA_N(ctx->arena, double, ctx->profile->n_devices + 1);
	jr_check_add_windows(&c);
	if (ctx->profile->planned)
		take_plan(&c);
	else if (xla)
		take_step_parts(&c);
	else
		take_gpu_parts(&c);
	return c;
}

/* --- all findings together -------------------------------------------------------------------- */

/* Claims of the findings so far on a step of each device. */
struct claims {
	double *part_ns;   /* [n_devices * JR_N_PARTS] */
	uint8_t *op_taken; /* [n_ops] 1: a finding claims the whole op */
	bool any, turns;
	const double **of; /* [n_rules] by row of findings: the claim; NULL: none */
	uint8_t *part;     /* [n_rules] its part */
};

static void add_claim(struct claims *claims, const struct jr_check *c)
{
	claims->turns |= c->claims_turns;
	claims->any |= c->claims_turns || c->claim_ns;
	if (!c->claim_ns)
		return;
	if (c->claim_op != JR_NONE) {
		if (claims->op_taken[c->claim_op])
			return; /* a finding claims the whole op already */
		claims->op_taken[c->claim_op] = 1;
	}
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		claims->part_ns[d * JR_N_PARTS + c->claim_part] += c->claim_ns[d];
}

/* Claims on one part are limited to the part. Waiting needs no claim: it shrinks by itself. */
static void add_up(const struct jr_check *c, const struct claims *claims)
{
	struct jr_results *r = c->ctx->findings_to;
	size_t n = c->ctx->profile->n_devices;
	double *all_ns = JR_ARENA_N(c->ctx->scratch, double, n + 1);
	r->together_step_ns = r->together_without_ns = JR_NULL_I64;
	if (!claims->any || !c->devices) /* claims refer to steps of devices */
		return;
	for (size_t d = 0; d < n; d++)
		for (size_t k = 0; k < JR_N_PARTS; k++)
			all_ns[d] += k == JR_PART_WAITING ? 0
				: fmin(claims->part_ns[d * JR_N_PARTS + k], c->devices[d].part_ns[k]);
	double won_ns = jr_check_could_win(c, all_ns) + (claims->turns ? jr_check_lost_by_turns(c) : 0);
	r->together_step_ns = llround(fmin(won_ns, c->wall_ns / c->n_steps));
	jr_check_predict_together(c);
	r->together_without_ns = llround(c->wall_ns / c->n_steps) - r->together_step_ns;
}

static const char *joined(struct jr_pass_context *ctx, const char *a, const char *b)
{
	return a && b ? jr_arena_printf(ctx->arena, "%s %s", a, b) : a ? a : b;
}

/* Findings about the same op have one cause. The leading one includes the cause and the measured
 * sentence of the others; their sections have the rest. */
static void join_causes(struct jr_pass_context *ctx)
{
	struct jr_results *r = ctx->findings_to;
	for (size_t i = 0; i < r->n_findings; i++) {
		struct jr_finding *part = &r->findings[i], *lead = part;
		for (size_t k = 0; k < r->n_findings && part->op != JR_NONE && !part->part_of; k++)
			if (r->findings[k].op == part->op && !r->findings[k].part_of &&
				jr_finding_before(&r->findings[k], lead))
				lead = &r->findings[k];
		/* without a known saving it may be larger than the lead */
		if (lead == part || part->recoverable_ns == JR_NULL_I64)
			continue;
		part->part_of = lead->id;
		bool waiting = part->cause == JR_CAUSE_WAITING;
		if (waiting) {
			lead->why = joined(ctx, lead->why,
				joined(ctx, jr_arena_printf(ctx->arena, "%s.", part->subject), part->why));
			lead->action = joined(ctx, part->action, lead->action);
		}
		lead->also = joined(ctx, lead->also,
			jr_arena_printf(ctx->arena, "%s.", part->measured ? part->measured : part->title));
	}
}

#define LEAST_OVERLAP 0.05 /* of the claim of the lesser finding */

/* Findings that claim more of a part than there is of it speak of the same time. The lesser of them
 * says so. */
static void tell_overlaps(const struct jr_check *c, const struct claims *claims)
{
	struct jr_results *r = c->ctx->findings_to;
	for (size_t i = 0; i < r->n_findings && c->devices; i++) {
		struct jr_finding *f = &r->findings[i];
		const struct jr_finding *largest = NULL;
		double own_ns = 0, over_ns = 0;
		for (size_t d = 0; claims->of[i] && !f->part_of && d < c->ctx->profile->n_devices; d++) {
			double all_ns = claims->of[i][d] - c->devices[d].part_ns[claims->part[i]];
			for (size_t k = 0; k < r->n_findings; k++) {
				const struct jr_finding *other = &r->findings[k];
				if (!claims->of[k] || claims->part[k] != claims->part[i] || other->part_of ||
					!jr_finding_before(other, f))
					continue;
				largest = !largest || jr_finding_before(other, largest) ? other : largest;
				all_ns += claims->of[k][d];
			}
			own_ns += claims->of[i][d];
			over_ns += fmax(all_ns, 0);
		}
		if (largest && over_ns > LEAST_OVERLAP * own_ns)
			f->also = joined(c->ctx, f->also,
				jr_arena_printf(c->ctx->arena, JR_FINDINGS_OVERLAP, largest->subject));
	}
}

#define NO_ADVICE "There is no advice for this kind of device or program."

/* Remove all occurrences of the note about flags but the first. NULL-safe. */
static const char *noted_once(const char *text, struct jr_arena *arena)
{
	size_t n = strlen(JR_FLAGS_UNKNOWN);
	const char *first = text ? strstr(text, JR_FLAGS_UNKNOWN) : NULL, *again;
	while (first && (again = strstr(first + n, JR_FLAGS_UNKNOWN)) != NULL) {
		size_t at = (size_t)(first - text);
		text = jr_arena_printf(arena, "%.*s%s", (int)(again - text), text, again + n);
		first = text + at;
	}
	return text;
}

/* Adapt the words of the finding to the kind of device. */
static void word(struct jr_check *c, struct jr_words words)
{
	struct jr_finding *f = &c->finding;
	struct jr_arena *arena = c->ctx->arena;
	f->subject = jr_vendor_words(words, f->subject, arena);
	f->title = jr_vendor_words(words, f->title, arena);
	f->measured = jr_vendor_words(words, f->measured, arena);
	f->why = jr_advice_words(words, c->of_jax, f->why, arena);
	f->action = noted_once(jr_advice_words(words, c->of_jax, f->action, arena), arena);
	if (!f->why && !f->action)
		f->action = NO_ADVICE;
	f->evidence = jr_vendor_words(words, f->evidence, arena);
}

#define JR_RULE(of, name, id, looks_for, measure, section, cause, unit, severity, threshold,       \
	serious, below, takes)                                                                         \
	{JR_OF_##of, id, looks_for, measure, section, JR_CAUSE_##cause, JR_UNIT_##unit, JR_##severity, \
		threshold, serious, below, jr_rule_##name, takes},
const struct jr_rule jr_rules[] = {
#include "analysis/findings/findings.def"
};
#undef JR_RULE
const size_t jr_n_rules = JR_COUNT_OF(jr_rules);

static void run_rules(const struct jr_check *prepared, unsigned of, struct claims *claims,
	struct jr_table *table)
{
	struct jr_words words = jr_words_of(prepared->ctx->profile);
	for (size_t i = 0, row = 0; i < jr_n_rules; i++) {
		const struct jr_rule *rule = &jr_rules[i];
		struct jr_check c = *prepared;
		if (!(rule->of & of))
			continue;
		c.rule = rule;
		c.finding = (struct jr_finding){.id = rule->id,
			.cause = rule->cause,
			.severity = rule->severity,
			.recoverable_ns = JR_NULL_I64,
			.step_recoverable_ns = JR_NULL_I64,
			.step_without_ns = JR_NULL_I64,
			.step_least_ns = JR_NULL_I64, .section = rule->section};
		c.abstains = jr_check_abstains(&c);
		if (!c.abstains)
			rule->run(&c);
		fill_row(table, row++, &c);
		if (!c.fired)
			continue;
		jr_check_predict(&c);
		jr_check_since(&c);
		jr_check_entitle(&c);
		add_claim(claims, &c);
		c.finding.op = c.claim_op;
		if (!c.finding.about && c.claim_op != JR_NONE)
			c.finding.about = jr_str(c.ctx->profile, c.ctx->profile->ops[c.claim_op].name);
		c.finding.of_constant_input = c.claim_op != JR_NONE &&
			jr_fact_holds(&c, JR_FACT_EQUAL_INDICES, &(struct jr_about){.op = c.claim_op}) > 0;
		word(&c, words);
		claims->of[c.ctx->findings_to->n_findings] = c.claim_ns;
		claims->part[c.ctx->findings_to->n_findings] = (uint8_t)c.claim_part;
		jr_pass_finding(c.ctx, &c.finding);
	}
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	bool xla = p->modules.n > 0 || !(p->tells & JR_TELLS_GPU_OPS);
	unsigned of = p->planned ? JR_OF_PLAN : xla ? JR_OF_XLA : JR_OF_GPU;
	of |= p->by_jax_profiler ? JR_OF_PROFILER : 0;
	of |= p->tells & JR_TELLS_GPU_OPS ? JR_OF_RECORDS : 0;
	of |= p->n_processes > 1 && !p->planned ? JR_OF_INPUTS : 0;
	size_t n = 0;
	for (size_t i = 0; i < jr_n_rules; i++)
		n += (jr_rules[i].of & of) != 0;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	const struct jr_check prepared = prepare(ctx, xla);
	struct claims claims = {
		.part_ns = JR_ARENA_N(ctx->scratch, double, p->n_devices *JR_N_PARTS + 1),
		.op_taken = JR_ARENA_N(ctx->scratch, uint8_t, p->n_ops + 1),
		.of = JR_ARENA_N(ctx->scratch, const double *, jr_n_rules),
		.part = JR_ARENA_N(ctx->scratch, uint8_t, jr_n_rules)};
	run_rules(&prepared, of, &claims, table);
	join_causes(ctx);
	tell_overlaps(&prepared, &claims);
	add_up(&prepared, &claims);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_findings = {
	.name = "checks",
	.title = "Checks",
	.summary = "All rules, with the value that each of them measured",
	.needs = JR_NEEDS_NOTHING,
	.any_program = true,
	.group = JR_GROUP_ABOUT,
	.run = run,
};
