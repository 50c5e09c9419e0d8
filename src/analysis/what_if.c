/* What would a step take if? The replay with one thing changed, and with what findings tell of
 * together. README.md, section 15.5. */
#include "analysis/columns.h"
#include "analysis/delays.h"
#include "analysis/device_name.h"
#include "analysis/what_if_terms.h"
#include "base/sort.h"

#include <string.h>

enum { W_CHANGE, W_WIN, W_PERCENT, W_PERIOD, W_ERROR, W_ASKED, W_FINDING, W_EXPRESSION, W_ASSUMES };

static const struct jr_column_spec columns[] = {
	{"change", "Change", "what would be different", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_WHOLE},
	{"win_ms", "Won", "the period less what is predicted; below 0: the step would take longer",
		JR_F64, JR_UNIT_NS, 0},
	{"percent", "Share", "of the period", JR_F64, JR_UNIT_PERCENT, JR_COL_BAR},
	{"period_ms", "Period", "that the replay predicts, mean over steps and devices", JR_F64,
		JR_UNIT_NS, 0},
	{"error_ms", "±",
		"mean error of the replay, of the time within the module, where each step is replayed by "
		"the gaps of the others",
		JR_F64, JR_UNIT_NS, JR_COL_SPREAD},
	{"asked", "Asked", "by --what-if", JR_BOOL, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"finding", "Finding", "id of the finding without whose cause it is", JR_TEXT, JR_UNIT_NONE,
		JR_COL_DATA_ONLY | JR_COL_CODE},
	{"expression", "Expression", "the same for --what-if", JR_TEXT, JR_UNIT_NONE,
		JR_COL_DATA_ONLY | JR_COL_CODE},
	{"assumes", "Assumes", "what the prediction takes for granted", JR_TEXT, JR_UNIT_NONE,
		JR_COL_DATA_ONLY},
};
static const struct jr_table_spec spec = {JR_TABLE_SPEC("what_if", "what_if", "What if",
	"Per change; those that were asked for first, then by what they win", columns)};

enum { T_N, T_ADDED, T_PERIOD, T_WIN };

static const struct jr_column_spec together_columns[] = {
	{"n", "Findings", "so many of the first, together", JR_I64, JR_UNIT_COUNT, JR_COL_KEY},
	{"added", "With", "what comes to those above", JR_TEXT, JR_UNIT_NONE, 0},
	{"period_ms", "Period", "that the replay predicts", JR_F64, JR_UNIT_NS, 0},
	{"win_ms", "Won", "of the period as it was", JR_F64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec together_spec = {
	JR_TABLE_SPEC("what_if_together", "what_if_together", "The best one, the best two, …",
		"Per finding that is added to those above it; in their order", together_columns),
	.data_only = true};

/* One change at hand. */
struct row {
	const char *change, *finding, *expression, *assumes;
	const char *failed; /* why some of it changes nothing; NULL: all of it does */
	struct jr_change what;
	double period_ns;
	bool asked;
};

#define MOST_ROWS 64

struct rows {
	struct jr_pass_context *ctx;
	struct row items[MOST_ROWS];
	size_t n;
};

#define OF_KERNELS "other kernels take what they took, in the same order"
#define OF_TRANSFERS "no kernel beside a transfer becomes faster or slower"
#define OF_HOST "the host launches as early as that takes"

static struct row *add_row(struct rows *rows, const char *change, const char *assumes)
{
	struct row *row = &rows->items[rows->n < MOST_ROWS ? rows->n++ : MOST_ROWS - 1];
	*row = (struct row){.change = change, .assumes = assumes};
	return row;
}

/* Changes nothing but what one flag says. */
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

/* --- what was asked for ----------------------------------------------------------------------- */

static void add_asked(struct rows *rows)
{
	struct jr_pass_context *ctx = rows->ctx;
	const struct jr_options *o = &ctx->profile->options;
	struct jr_change all = {0};
	const char *text = "", *failed = "";
	size_t n_read = 0;
	for (size_t i = 0; i < o->n_what_ifs && i < MOST_ROWS / 4; i++) {
		struct jr_what_if what;
		struct jr_error err;
		if (jr_what_if_parse(o->what_ifs[i], &what, &err) != JR_OK)
			continue; /* the command line was read before */
		const char *why = jr_what_if_apply(ctx, &what, &all, ctx->arena);
		if (why)
			failed = jr_arena_printf(ctx->arena, "%s%s%s changes nothing: %s", failed,
				*failed ? "; " : "", what.text, why);
		text = jr_arena_printf(ctx->arena, "%s%s%s", text, *text ? ", " : "", what.text);
		n_read++;
	}
	if (n_read == 0)
		return;
	struct row *row = add_row(rows, text, OF_KERNELS);
	row->failed = *failed ? failed : NULL;
	row->what = all;
	row->expression = text;
	row->asked = true;
}

/* --- what findings tell of -------------------------------------------------------------------- */

static const char *subject_of(struct jr_pass_context *ctx, const struct jr_finding *f)
{
	return jr_arena_printf(
		ctx->arena, "the cause of “%s” gone: %s", f->id, f->subject ? f->subject : f->title);
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

/* --- what can always be asked ----------------------------------------------------------------- */

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
	add_row(
		rows, "transfers of collectives take no time: the most that hiding them could win", unseen)
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
		wanted[i] = p->ops[i].program == ctx->replay->program && !p->ops[i].communication;
	struct jr_change what = {0};
	if (jr_change_to_roofs(ctx, wanted, &what, ctx->arena))
		add_row(rows, "each kernel whose roof is known takes what the hardware needs for it",
			OF_KERNELS)
			->what = what;
}

/* A finding tells of the time between modules. */
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
			"communication begins as soon as its operands are there, and only what takes its "
			"result "
			"waits for it",
			"overlap=perfect", OF_TRANSFERS);
	add_collectives(rows);
	add_device(rows);
	add_flag(rows, &(struct jr_change){.no_gaps = true}, "no gaps between thunks inside modules",
		"gaps=0", OF_HOST);
	if (r->n_steps > 1 && !any_between(rows))
		add_flag(rows, &(struct jr_change){.never_late = true}, "nothing idles between modules",
			"host=never-late", OF_HOST);
	add_roof(rows);
}

/* --- tables ----------------------------------------------------------------------------------- */

static int compare_rows(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	if (a->asked != b->asked)
		return a->asked ? -1 : 1;
	if (a->period_ns < b->period_ns || a->period_ns > b->period_ns)
		return a->period_ns < b->period_ns ? -1 : 1;
	return strcmp(a->change, b->change);
}

static double error_ns(const struct jr_replay *r)
{
	double sum_ns = 0;
	for (size_t i = 0; i < r->n_steps * r->n_devices; i++)
		sum_ns += (double)(r->parts[i].end_ns - r->parts[i].begin_ns);
	return r->error_mean * sum_ns / (double)(r->n_steps * r->n_devices);
}

static void add_table(struct rows *rows, struct jr_section *out)
{
	struct jr_pass_context *ctx = rows->ctx;
	const struct jr_replay *r = ctx->replay;
	for (size_t i = 0; i < rows->n; i++)
		rows->items[i].period_ns = jr_replay_period(r, &rows->items[i].what);
	size_t n = 0;
	for (size_t i = 0; i < rows->n; i++) /* what is within the error is not worth a row */
		if (rows->items[i].asked || rows->items[i].finding ||
			fabs(r->period_ns - rows->items[i].period_ns) > error_ns(r))
			rows->items[n++] = rows->items[i];
	rows->n = n;
	jr_sort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, rows->n);
	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = &rows->items[i];
		union jr_cells *c = table->cells;
		c[W_CHANGE].text[i] = row->change;
		c[W_WIN].f64[i] = r->period_ns - row->period_ns;
		c[W_PERCENT].f64[i] = jr_ratio(r->period_ns - row->period_ns, r->period_ns);
		c[W_PERIOD].f64[i] = row->period_ns;
		c[W_ERROR].f64[i] = error_ns(r);
		c[W_ASKED].boolean[i] = row->asked;
		c[W_FINDING].text[i] = row->finding;
		c[W_EXPRESSION].text[i] = row->expression;
		c[W_ASSUMES].text[i] = row->assumes;
	}
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

/* Findings in their order, each added to those ahead. */
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
	table->cells[T_N].i64[0] = 0;
	table->cells[T_ADDED].text[0] = "as it was";
	table->cells[T_PERIOD].f64[0] = period_ns;
	table->cells[T_WIN].f64[0] = 0;
	for (size_t i = 0; i < n; i++) {
		jr_change_merge(ctx->profile, order[i]->change, &all, ctx->scratch);
		period_ns = fmin(period_ns, fmax(jr_replay_period(ctx->replay, &all), least_ns));
		table->cells[T_N].i64[i + 1] = (int64_t)i + 1;
		table->cells[T_ADDED].text[i + 1] = order[i]->id;
		table->cells[T_PERIOD].f64[i + 1] = period_ns;
		table->cells[T_WIN].f64[i + 1] = ctx->replay->period_ns - period_ns;
	}
	struct jr_chart chart = {.name = "what_if_together",
		.title = "A step with the findings' causes gone, one after the other",
		.caption = "each bar is what the replay predicts where the cause of its finding goes along "
				   "with those of all above",
		.kind = JR_CHART_BARS,
		.table = table,
		.x = "added",
		.y = "period_ms",
		.y_title = "Predicted period"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

/* Findings without a change that could be replayed: they keep their bounds. */
static void tell_bounds(struct jr_pass_context *ctx, struct jr_section *out)
{
	static const struct {
		const char *id, *why;
	} bounds[] = {
		{"uneven-steps", "which thunks a step takes longer for differs from step to step, and none "
						 "is to be changed in all of them"},
		{"straggler", "no device is late in all steps, so there is none to be made as fast as the "
					  "others, and how work could be spread evenly is in no trace"},
	};
	for (size_t i = 0; i < ctx->results->n_findings; i++) {
		const struct jr_finding *f = &ctx->results->findings[i];
		for (size_t k = 0; k < JR_COUNT_OF(bounds); k++)
			if (!f->change && strcmp(f->id, bounds[k].id) == 0)
				jr_section_text(out, ctx->arena, "“%s” is not replayed: %s. It keeps its bound.",
					f->id, bounds[k].why);
	}
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_replay *r = ctx->replay;
	if (!r || !r->believed) {
		out->unavailable =
			!r ? "not available, because there is no steady step whose thunks can be laid "
				 "beside each other"
			: r->n_steps < 2 ? "not available, because a single steady step cannot "
							   "tell whether its replay is right"
							 : "not available, because replayed steps do not last "
							   "as they did: see the critical path";
		return;
	}
	struct rows *rows = JR_ARENA_NEW(ctx->scratch, struct rows);
	rows->ctx = ctx;
	add_asked(rows);
	add_findings(rows);
	add_always(rows);
	add_together(rows, out);
	jr_section_text(out, ctx->arena,
		"All else is taken for what it was: " OF_KERNELS "; " OF_TRANSFERS "; " OF_HOST
		". The error (±) is that of steps in which nothing is changed; what a change "
		"takes for granted is not in it.%s",
		r->unseen ? " Waiting for devices that were not recorded counts as transfer." : "");
	for (size_t i = 0; i < rows->n; i++)
		if (rows->items[i].failed)
			jr_section_text(out, ctx->arena, "%s.", rows->items[i].failed);
	tell_bounds(ctx, out);
	add_table(rows, out);
}

const struct jr_pass jr_pass_what_if = {
	.name = "what_if",
	.title = "What if",
	.summary = "What a step would take with one thing changed, by replaying it",
	.needs = JR_NEEDS_MODULES | JR_NEEDS_THUNKS,
	.group = JR_GROUP_STEP,
	.run = run,
};
