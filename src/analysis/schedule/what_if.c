/* Predict the step time under one change at a time, and without the causes of several findings.
 * README.md, section 15.5. */
#include "analysis/shared/columns.h"
#include "analysis/shared/delays.h"
#include "analysis/core/device_name.h"
#include "analysis/shared/integrity.h"
#include "analysis/schedule/what_if_terms.h"
#include "analysis/schedule/replay_parts.h"
#include "analysis/core/keys.h"
#include "analysis/findings/rule_ids.h"
#include "base/sort.h"

#include <string.h>

#define COLUMNS(X, T)                                                                              \
	X(T, change, "Change", "assumed change", TEXT, NONE, JR_COL_KEY | JR_COL_WHOLE)                \
	X(T, saved, "Saved", "per step; below 0: the step would take longer", TEXT, NONE,              \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY | JR_COL_WHOLE)                                     \
	X(T, win_ms, "Saved",                                                                          \
		"measured period minus predicted period; below 0: the step would take longer; unknown "    \
		"if it is an interval or cannot be predicted",                                             \
		F64, NS, JR_COL_DATA_ONLY)                                                                 \
	X(T, win_low_ms, "Saved, at least", "the saving; for an interval, the smallest", F64, NS,      \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, win_high_ms, "Saved, at most", "the saving; for an interval, the largest", F64, NS,       \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, percent, "Share", "share of the period that is saved, at most", F64, PERCENT, JR_COL_BAR) \
	X(T, step, "Period", "period predicted by the replay, mean over steps and devices", TEXT,      \
		NONE, JR_COL_RENDERED_ONLY | JR_COL_QUANTITY | JR_COL_WHOLE)                               \
	X(T, period_ms, "Period",                                                                      \
		"period predicted by the replay, mean over steps and devices; unknown if it is an "        \
		"interval or cannot be predicted",                                                         \
		F64, NS, JR_COL_DATA_ONLY)                                                                 \
	X(T, period_low_ms, "Period, at least", "the period; for an interval, the shortest", F64, NS,  \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, period_high_ms, "Period, at most", "the period; for an interval, the longest", F64, NS,   \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, error_ms, "±",                                                                            \
		"mean error of the replayed time within the module if each step is replayed with the "     \
		"gaps of the other steps",                                                                 \
		F64, NS)                                                                                   \
	X(T, unknown, "Unknown",                                                                       \
		"why the result is an interval or cannot be predicted, and what would settle it", TEXT,    \
		NONE, JR_COL_WHOLE)                                                                        \
	X(T, asked, "Asked", "requested by --what-if", BOOL, NONE, JR_COL_DATA_ONLY)                   \
	X(T, finding, "Finding", "id of the finding whose cause is removed", TEXT, NONE,               \
		JR_COL_DATA_ONLY | JR_COL_CODE)                                                            \
	X(T, expression, "Expression", "expression for --what-if", TEXT, NONE,                         \
		JR_COL_DATA_ONLY | JR_COL_CODE)                                                            \
	X(T, assumes, "Assumes", "what the prediction assumes", TEXT, NONE, JR_COL_DATA_ONLY)
JR_TABLE(spec, W, COLUMNS, "what_if", "what_if", "What if",
	"Per change; requested changes first, then by saving");

#define TOGETHER_COLUMNS(X, T)                                                                     \
	X(T, n, "Findings", "number of findings removed together, from the first", I64, COUNT,         \
		JR_COL_KEY)                                                                                \
	X(T, added, "With", "finding that is added to those above", TEXT, NONE)                        \
	X(T, period_ms, "Period", "period predicted by the replay; for an interval, the shortest",     \
		F64, NS)                                                                                   \
	X(T, period_high_ms, "Longest", "longest period of an interval; otherwise the period", F64,    \
		NS)                                                                                        \
	X(T, win_ms, "Saved", "saving from the measured period; for an interval, the largest", F64,    \
		NS)                                                                                        \
	X(T, win_low_ms, "Least", "smallest saving of an interval; otherwise the saving", F64, NS)
JR_TABLE(together_spec, T, TOGETHER_COLUMNS, "what_if_together", "what_if_together",
	"Findings fixed one after the other",
	"Per finding, in order, together with all findings above it", .data_only = true);

/* One change. */
struct row {
	const char *change, *finding, *expression, *assumes;
	struct jr_change what;
	const char *unknown; /* why the effect is not known, a clause; NULL: it is */
	struct jr_prediction then;
	bool asked;
};

#define MOST_ROWS 64

struct rows {
	struct jr_pass_context *ctx;
	struct row items[MOST_ROWS];
	size_t n;
};

#define OF_KERNELS "other kernels take the same time, in the same order"
#define OF_TRANSFERS "kernels that overlap with transfers keep their speed"
#define OF_HOST "the host launches early enough"

static struct row *add_row(struct rows *rows, const char *change, const char *assumes)
{
	struct row *row = &rows->items[rows->n < MOST_ROWS ? rows->n++ : MOST_ROWS - 1];
	*row = (struct row){.change = change, .assumes = assumes};
	return row;
}

/* True if flags are all that the change sets. */
static bool is_flag(const struct jr_change *c)
{
	return !c->ops && !c->as_median && !c->between_less_ns;
}

static bool told(const struct rows *rows, const struct jr_change *c)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct jr_change *other = &rows->items[i].what;
		if (!rows->items[i].asked && is_flag(other) && other->no_gaps == c->no_gaps &&
			other->never_late == c->never_late && other->overlap == c->overlap)
			return true;
	}
	return false;
}

/* --- changes from --what-if ------------------------------------------------------------------- */

static void add_asked(struct rows *rows)
{
	struct jr_pass_context *ctx = rows->ctx;
	const struct jr_options *o = &ctx->profile->options;
	struct jr_change all = {0};
	const char *text = "", *unknown = "";
	size_t n_read = 0;
	for (size_t i = 0; i < o->n_what_ifs && i < MOST_ROWS / 4; i++) {
		struct jr_what_if what;
		struct jr_error err;
		if (jr_what_if_parse(o->what_ifs[i], &what, &err) != JR_OK)
			continue; /* the command line was checked before */
		const char *why = jr_what_if_apply(ctx, &what, &all, ctx->arena);
		if (why)
			unknown = jr_arena_printf(
				ctx->arena, "%s%s%s: %s", unknown, *unknown ? "; " : "", what.text, why);
		text = jr_arena_printf(ctx->arena, "%s%s%s", text, *text ? ", " : "", what.text);
		n_read++;
	}
	if (n_read == 0)
		return;
	struct row *row = add_row(rows, text, OF_KERNELS);
	row->unknown = *unknown ? unknown : NULL;
	row->what = all;
	row->expression = text;
	row->asked = true;
}

/* --- changes from findings -------------------------------------------------------------------- */

static const char *subject_of(struct jr_pass_context *ctx, const struct jr_finding *f)
{
	return jr_arena_printf(ctx->arena, "fixed: %s", f->subject ? f->subject : f->title);
}

static void add_findings(struct rows *rows)
{
	const struct jr_results *r = rows->ctx->results;
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct jr_finding *f = &r->findings[i];
		if (!f->change || f->part_of || !f->predicted)
			continue;
		struct row *row =
			add_row(rows, subject_of(rows->ctx, f), f->change->overlap ? OF_TRANSFERS : OF_KERNELS);
		row->what = *f->change;
		row->finding = f->id;
	}
}

/* --- changes that are always shown ------------------------------------------------------------ */

static void add_flag(struct rows *rows, const struct jr_change *what, const char *change,
	const char *expression, const char *assumes)
{
	if (told(rows, what))
		return;
	struct row *row = add_row(rows, change, assumes);
	row->what = *what;
	row->expression = expression;
}

static void add_collectives(struct rows *rows)
{
	struct jr_pass_context *ctx = rows->ctx;
	const struct jr_profile *p = ctx->profile;
	if (ctx->replay->n_rendezvous == 0)
		return;
	const char *unseen = ctx->replay->unseen
							 ? "waiting for devices that were not recorded counts as transfer"
							 : OF_TRANSFERS;
	struct jr_op_change *ops = jr_op_changes_new(p, ctx->arena);
	for (size_t i = 0; i < p->n_ops; i++)
		if (jr_is_rendezvous(p, &p->ops[i]))
			ops[i].scale = 0;
	add_row(rows,
		"transfers of collectives take no time, an upper bound for any change to communication",
		unseen)
		->what.ops = ops;
	struct jr_change best = {0};
	if (jr_change_to_best_rates(ctx, &best, ctx->arena))
		add_row(rows, "collectives at the best bandwidth of their kind, group and size", unseen)
			->what = best;
}

static void add_device(struct rows *rows)
{
	struct jr_pass_context *ctx = rows->ctx;
	uint32_t device = ctx->delays->order[0];
	if (ctx->replay->n_devices < 2 || ctx->delays->devices[device].caused_ns <= 0)
		return;
	for (size_t i = 0; i < rows->n; i++)
		if (rows->items[i].what.as_median && !rows->items[i].asked)
			return;
	uint8_t *as_median = JR_ARENA_N(ctx->arena, uint8_t, ctx->profile->n_devices + 1);
	as_median[device] = 1;
	struct row *row = add_row(rows,
		jr_arena_printf(ctx->arena, "device %s computes as fast as the median of the others",
			jr_device_name(ctx->profile, device, ctx->arena)),
		OF_KERNELS);
	row->what.as_median = as_median;
	row->expression =
		jr_arena_printf(ctx->arena, "device:%u=median", ctx->profile->devices[device].global);
}

static void add_roof(struct rows *rows)
{
	struct jr_pass_context *ctx = rows->ctx;
	const struct jr_profile *p = ctx->profile;
	uint8_t *wanted = JR_ARENA_N(ctx->arena, uint8_t, p->n_ops + 1);
	for (size_t i = 0; i < p->n_ops; i++)
		wanted[i] = jr_replay_runs(ctx->replay, p->ops[i].program) && !p->ops[i].communication;
	struct jr_change what = {0};
	if (jr_change_to_roofs(ctx, wanted, &what, ctx->arena))
		add_row(rows, "all kernels with a known roofline time run at it", OF_KERNELS)->what = what;
}

/* True if any finding is about the time between modules. */
static bool any_between(const struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->items[i].finding && rows->items[i].what.between_less_ns)
			return true;
	return false;
}

static void add_always(struct rows *rows)
{
	const struct jr_replay *r = rows->ctx->replay;
	if (r->order.scheduled && r->n_rendezvous)
		add_flag(rows, &(struct jr_change){.overlap = true},
			"communication starts as soon as its operands are ready, and only operations that use "
			"its result wait for it",
			"overlap=perfect", OF_TRANSFERS);
	add_collectives(rows);
	add_device(rows);
	add_flag(rows, &(struct jr_change){.no_gaps = true}, "no gaps between thunks inside modules",
		"gaps=0", OF_HOST);
	if (r->n_steps > 1 && !any_between(rows))
		add_flag(rows, &(struct jr_change){.never_late = true}, "no idle time between modules",
			"host=never-late", OF_HOST);
	add_roof(rows);
}

/* --- tables ----------------------------------------------------------------------------------- */

static int compare_rows(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	if (a->asked != b->asked)
		return a->asked ? -1 : 1;
	if (a->then.low_ns < b->then.low_ns || a->then.low_ns > b->then.low_ns)
		return a->then.low_ns < b->then.low_ns ? -1 : 1;
	return strcmp(a->change, b->change);
}

/* Predict the period. The result is unknown if the effect of the change is not known. */
static struct jr_prediction predict(const struct jr_replay *r, const struct row *row)
{
	if (row->unknown)
		return (struct jr_prediction){NAN, NAN, NAN, row->unknown};
	return jr_replay_predict(r, &row->what);
}

static void fill_row(
	struct jr_pass_context *ctx, const struct row *row, union jr_cells *c, size_t i)
{
	const struct jr_replay *r = ctx->replay;
	const struct jr_prediction *then = &row->then;
	c[W_change].text[i] = row->change;
	c[W_saved].text[i] =
		jr_replay_range_text(ctx->arena, r->period_ns - then->high_ns, r->period_ns - then->low_ns);
	c[W_step].text[i] = jr_replay_range_text(ctx->arena, then->low_ns, then->high_ns);
	c[W_win_ms].f64[i] = r->period_ns - then->period_ns;
	c[W_win_low_ms].f64[i] = r->period_ns - then->high_ns;
	c[W_win_high_ms].f64[i] = r->period_ns - then->low_ns;
	c[W_percent].f64[i] = jr_ratio(r->period_ns - then->low_ns, r->period_ns);
	c[W_period_ms].f64[i] = then->period_ns;
	c[W_period_low_ms].f64[i] = then->low_ns;
	c[W_period_high_ms].f64[i] = then->high_ns;
	c[W_error_ms].f64[i] = isnan(then->low_ns) ? NAN : jr_replay_error_ns(r);
	c[W_unknown].text[i] = then->unknown;
	c[W_asked].boolean[i] = row->asked;
	c[W_finding].text[i] = row->finding;
	c[W_expression].text[i] = row->expression;
	c[W_assumes].text[i] = row->assumes;
}

static void add_table(struct rows *rows, struct jr_section *out)
{
	struct jr_pass_context *ctx = rows->ctx;
	const struct jr_replay *r = ctx->replay;
	for (size_t i = 0; i < rows->n; i++)
		rows->items[i].then = predict(r, &rows->items[i]);
	size_t n = 0;
	for (size_t i = 0; i < rows->n; i++) { /* savings within the error get no row */
		const struct row *row = &rows->items[i];
		double most_ns = fmax(r->period_ns - row->then.low_ns, row->then.high_ns - r->period_ns);
		if (row->asked || row->finding || most_ns > jr_replay_error_ns(r))
			rows->items[n++] = *row;
	}
	rows->n = n;
	jr_sort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, rows->n);
	for (size_t i = 0; i < rows->n; i++)
		fill_row(ctx, &rows->items[i], table->cells, i);
	jr_section_table(out, ctx->arena, table);
}

double jr_step_least_ns(const struct jr_results *results)
{
	const struct jr_scalar *roof = jr_results_scalar(results, "roofline.step.roof_ms");
	if (!roof || roof->hidden || roof->note || !(roof->value.f64 > 0))
		return 0;
	for (size_t i = 0; i < results->n_findings; i++) {
		const struct jr_finding *f = &results->findings[i];
		if (f->predicted && (double)f->step_without_ns < roof->value.f64)
			return 0;
	}
	return roof->value.f64;
}

/* Add findings in their order, each one together with all before it. */
static void add_together(struct rows *rows, struct jr_section *out)
{
	struct jr_pass_context *ctx = rows->ctx;
	const struct jr_results *results = ctx->results;
	const struct jr_finding **order =
		JR_ARENA_N(ctx->scratch, const struct jr_finding *, results->n_findings + 1);
	size_t n = 0;
	for (size_t i = 0; i < results->n_findings; i++) {
		const struct jr_finding *f = &results->findings[i];
		size_t at = n;
		if (!f->change || f->part_of || !f->predicted)
			continue;
		for (; at && jr_finding_before(f, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = f;
		n++;
	}
	if (n == 0)
		return;
	struct jr_table *table = jr_table_new(ctx->arena, &together_spec, n + 1);
	struct jr_change all = {0};
	double least_ns = jr_step_least_ns(results), period_ns = ctx->replay->period_ns;
	double longest_ns = period_ns;
	table->cells[T_n].i64[0] = 0;
	table->cells[T_added].text[0] = "unchanged";
	table->cells[T_period_ms].f64[0] = table->cells[T_period_high_ms].f64[0] = period_ns;
	table->cells[T_win_ms].f64[0] = table->cells[T_win_low_ms].f64[0] = 0;
	for (size_t i = 0; i < n; i++) {
		jr_change_merge(ctx->profile, order[i]->change, &all, ctx->scratch);
		struct jr_prediction then = jr_replay_predict(ctx->replay, &all);
		period_ns = fmin(period_ns, fmax(then.low_ns, least_ns)); /* if unknown, unchanged */
		longest_ns = fmax(fmin(longest_ns, then.high_ns), period_ns);
		table->cells[T_n].i64[i + 1] = (int64_t)i + 1;
		table->cells[T_added].text[i + 1] = order[i]->subject ? order[i]->subject : order[i]->id;
		table->cells[T_period_ms].f64[i + 1] = period_ns;
		table->cells[T_period_high_ms].f64[i + 1] = longest_ns;
		table->cells[T_win_ms].f64[i + 1] = ctx->replay->period_ns - period_ns;
		table->cells[T_win_low_ms].f64[i + 1] = ctx->replay->period_ns - longest_ns;
	}
	struct jr_chart chart = {.name = "what_if_together",
		.title = "Step time left after the causes of findings are removed one after the other",
		.caption =
			jr_step_periods_uneven(ctx->windows)
				? "each bar is the predicted mean period with the cause of its finding and of "
				  "all findings above removed; the steps are uneven, so the overview states "
				  "their median instead"
				: "each bar is the predicted period with the cause of its finding and of all "
				  "findings above removed",
		.kind = JR_CHART_BARS,
		.table = table,
		.x = JR_KEY(T, added),
		.y = JR_KEY(T, period_ms),
		.y_title = "Predicted period"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

/* Report the findings whose change cannot be replayed. They keep their upper bounds. */
static void tell_bounds(struct jr_pass_context *ctx, struct jr_section *out)
{
	static const struct {
		enum jr_rule_name rule;
		const char *why;
	} bounds[] = {
		{JR_RULE_uneven_steps,
			"the slow thunks differ from step to step, so no thunk can be changed in all steps"},
		{JR_RULE_straggler,
			"no device is late in all steps, and the trace does not show how the work could be "
			"balanced"},
	};
	for (size_t i = 0; i < ctx->results->n_findings; i++) {
		const struct jr_finding *f = &ctx->results->findings[i];
		for (size_t k = 0; k < JR_COUNT_OF(bounds); k++)
			if (!f->change && strcmp(f->id, jr_rule_id(bounds[k].rule)) == 0)
				jr_section_text(out, ctx->arena,
					"%s: not replayed, because %s. The upper bound stays.",
					f->subject ? f->subject : f->title, bounds[k].why);
	}
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_replay *r = ctx->replay;
	const char *missing = jr_integrity_no_replay(ctx->integrity, ctx->profile, ctx->arena);
	if (!r || !r->believed) {
		out->unavailable =
			!r && missing ? missing
			: !r ? "not available, because there is no steady step whose thunks can be compared "
				   "across devices"
			: r->n_steps < 2 ? "not available, because the replay cannot be checked with a single "
							   "steady step"
							 : "not available, because replayed steps do not reproduce their "
							   "measured times closely enough: see the critical path";
		return;
	}
	struct rows *rows = JR_ARENA_NEW(ctx->scratch, struct rows);
	rows->ctx = ctx;
	add_asked(rows);
	add_findings(rows);
	add_always(rows);
	add_together(rows, out);
	jr_section_text(out, ctx->arena,
		"Everything else is assumed unchanged: " OF_KERNELS "; " OF_TRANSFERS "; " OF_HOST
		". The error (±) is that of unchanged steps; it does not include errors in the assumptions "
		"of a change.%s",
		r->unseen ? " Waiting for devices that were not recorded counts as transfer." : "");
	tell_bounds(ctx, out);
	add_table(rows, out);
}

const struct jr_pass jr_pass_what_if = {
	.name = "what_if",
	.title = "What if",
	.summary = "Predicted step time with one change, by replaying steps",
	.needs = JR_NEEDS_MODULES | JR_NEEDS_THUNKS,
	.group = JR_GROUP_STEP,
	.run = run,
};
