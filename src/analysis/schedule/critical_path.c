/* The critical path of a step: the chain of executions over all devices that determines the step
 * time, by cause and by thunk. Also the slack of everything else. README.md, section 15.4. */
#include "analysis/shared/chosen_rows.h"
#include "analysis/shared/columns.h"
#include "analysis/core/device_name.h"
#include "analysis/shared/integrity.h"
#include "analysis/schedule/replay_parts.h"
#include "analysis/core/say.h"
#include "analysis/step/step_ledger.h"
#include "analysis/schedule/schedule_tables.h"
#include "analysis/step/step_tables.h"
#include "base/order.h"
#include "base/sort.h"

#include <string.h>

#define MOST_OVERLAP 0.01 /* of the steps: consecutive executions on the path */

/* --- the bar ---------------------------------------------------------------------------------- */

JR_TABLE_OF(bar_spec, JR_CRITICAL_PATH_COLUMNS, "critical_path", JR_AT(critical_path),
	"Critical path of a step",
	"The chain of operations that determines step time, over all devices", .data_only = true);

static const char *const parts[] = {JR_KEY(JR_CRITICAL_PATH, compute_ms),
	JR_KEY(JR_CRITICAL_PATH, transfer_ms), JR_KEY(JR_CRITICAL_PATH, copy_ms),
	JR_KEY(JR_CRITICAL_PATH, gap_ms), JR_KEY(JR_CRITICAL_PATH, host_ms),
	JR_KEY(JR_CRITICAL_PATH, other_ms), JR_KEY(JR_CRITICAL_PATH, skew_ms), NULL};
static const char *const parts_without_skew[] = {JR_KEY(JR_CRITICAL_PATH, compute_ms),
	JR_KEY(JR_CRITICAL_PATH, transfer_ms), JR_KEY(JR_CRITICAL_PATH, copy_ms),
	JR_KEY(JR_CRITICAL_PATH, gap_ms), JR_KEY(JR_CRITICAL_PATH, host_ms),
	JR_KEY(JR_CRITICAL_PATH, other_ms), NULL};
static const char *const roles[] = {"compute", "communication", "copy", "idle-inside",
	"idle-between", "other-programs", "wait", NULL};

static double a_step(const struct jr_replay *r, int64_t ns)
{
	return (double)ns / (double)r->n_periods;
}

/* Return by how much the path is longer than the period: it may end on a device that begins its
 * steps later. ns per step; 0 if it is not longer. */
static double longer_than_step(const struct jr_pass_context *ctx)
{
	int64_t skew_ns = ctx->path->cause_ns[JR_PATH_SKEW];
	return skew_ns < 0 ? -a_step(ctx->replay, skew_ns) : 0;
}

static const char *bar_caption(struct jr_pass_context *ctx)
{
	static const char text[] =
		"from one step to the next, along the operations that the next operation waited for, on "
		"any device; mean over steps. Other operations do not delay the step";
	if (!(longer_than_step(ctx) > 0))
		return text;
	return jr_arena_printf(ctx->arena,
		"%s. The path is %s longer than a step, because devices do not start their steps at the "
		"same time",
		text, jr_time_text(ctx->arena, longer_than_step(ctx)));
}

static struct jr_table *bar_table(struct jr_pass_context *ctx)
{
	static const enum jr_path_cause causes[] = {[JR_CRITICAL_PATH_compute_ms] = JR_PATH_COMPUTE,
		[JR_CRITICAL_PATH_transfer_ms] = JR_PATH_TRANSFER,
		[JR_CRITICAL_PATH_copy_ms] = JR_PATH_COPY,
		[JR_CRITICAL_PATH_gap_ms] = JR_PATH_GAP,
		[JR_CRITICAL_PATH_host_ms] = JR_PATH_HOST,
		[JR_CRITICAL_PATH_other_ms] = JR_PATH_OTHER,
		[JR_CRITICAL_PATH_skew_ms] = JR_PATH_SKEW};
	const struct jr_replay *r = ctx->replay;
	struct jr_table *table = jr_table_new(ctx->arena, &bar_spec, 1);
	union jr_cells *c = table->cells;
	c[JR_CRITICAL_PATH_name].text[0] =
		jr_str(ctx->profile, ctx->profile->programs[r->program].name);
	c[JR_CRITICAL_PATH_label].text[0] = jr_step_label(ctx);
	for (size_t k = JR_CRITICAL_PATH_compute_ms; k <= JR_CRITICAL_PATH_skew_ms; k++)
		c[k].f64[0] = a_step(r, ctx->path->cause_ns[causes[k]]);
	c[JR_CRITICAL_PATH_period_ms].f64[0] = r->period_ns;
	if (r->believed && r->order.scheduled) {
		struct jr_prediction then = jr_replay_predict(r, &(struct jr_change){.overlap = true});
		c[JR_CRITICAL_PATH_perfect_overlap_ms].f64[0] = then.low_ns;
		c[JR_CRITICAL_PATH_perfect_overlap_high_ms].f64[0] = then.high_ns;
	}
	c[JR_CRITICAL_PATH_steps].i64[0] = (int64_t)r->n_steps;
	c[JR_CRITICAL_PATH_error_mean].f64[0] = r->error_mean;
	c[JR_CRITICAL_PATH_error_worst].f64[0] = r->error_worst;
	c[JR_CRITICAL_PATH_believed].boolean[0] = r->believed;
	return table;
}

static void add_bar(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_table *table = bar_table(ctx);
	struct jr_chart chart = {.name = "critical_path",
		.title = "Critical path of a step",
		.caption = bar_caption(ctx),
		.kind = JR_CHART_STACKED,
		.table = table,
		.x = JR_KEY(JR_CRITICAL_PATH, label),
		.parts = ctx->path->cause_ns[JR_PATH_SKEW] > 0 ? parts : parts_without_skew,
		.part_roles = roles,
		.y_title = "Time per step"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

/* --- devices ---------------------------------------------------------------------------------- */

#define DEVICE_COLUMNS(X, T)                                                                       \
	X(T, device, "Device", "global device number", I64, NONE, JR_COL_KEY)                          \
	X(T, path_ms, "Compute on the path", "per step: compute that all devices wait for", F64, NS)   \
	X(T, percent, "Share", "of the compute on the path", F64, PERCENT, JR_COL_BAR)                 \
	X(T, chosen, JR_CHOSEN_TITLE, JR_CHOSEN_HELP, TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_TABLE(device_spec, D, DEVICE_COLUMNS, "critical_path_devices", "critical_path_devices",
	"Critical path by device",
	"Per device whose compute the others waited for; by time on the path", .looked_up = true);

static void add_devices(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_replay *r = ctx->replay;
	if (r->n_devices < 2)
		return;
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, r->n_devices + 1);
	size_t n = 0;
	for (size_t d = 0; d < r->n_devices; d++)
		if (ctx->path->device_ns[r->devices[d]] > 0)
			keys[n++] = (struct jr_rank_key){
				(double)ctx->path->device_ns[r->devices[d]], "", r->devices[d], r->devices[d]};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(ctx->arena, &device_spec, n);
	for (size_t row = 0; row < n; row++) {
		table->cells[D_device].i64[row] = p->devices[keys[row].row].global;
		table->cells[D_path_ms].f64[row] = keys[row].value / (double)r->n_periods;
		table->cells[D_percent].f64[row] =
			jr_ratio(keys[row].value, (double)ctx->path->cause_ns[JR_PATH_COMPUTE]);
	}
	jr_choose_rows(table, D_path_ms, D_chosen, ctx->arena, ctx->scratch);
	jr_section_table(out, ctx->arena, table);
}

/* --- thunks ----------------------------------------------------------------------------------- */

JR_TABLE_OF(thunk_spec, JR_CRITICAL_THUNKS_COLUMNS, "critical_path_thunks",
	JR_AT(critical_path_thunks), "Thunks and their slack",
	"Per thunk of the step; by time on the path, then by slack, smallest first", .looked_up = true);

#define N_SHOWN 30

struct ranked {
	int64_t path_ns;
	double slack_ns;
	const char *name;
	uint32_t op;
};

JR_ORDER(compare_ranked, struct ranked, JR_DOWN(path_ns) JR_UP(slack_ns) JR_TEXT_UP(name) JR_UP(op))

static void fill_thunk(
	struct jr_pass_context *ctx, struct jr_table *table, size_t row, uint32_t op_row)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_replay *r = ctx->replay;
	const struct jr_op *op = &p->ops[op_row];
	const struct jr_path_op *o = &ctx->path->ops[op_row];
	union jr_cells *c = table->cells;
	c[JR_CRITICAL_THUNKS_name].text[row] = jr_str(p, op->name);
	c[JR_CRITICAL_THUNKS_path_ms].f64[row] = a_step(r, o->path_ns);
	c[JR_CRITICAL_THUNKS_percent].f64[row] =
		jr_ratio(a_step(r, o->path_ns), r->period_ns + longer_than_step(ctx));
	c[JR_CRITICAL_THUNKS_gap_ms].f64[row] = a_step(r, o->gap_ns);
	c[JR_CRITICAL_THUNKS_slack_ms].f64[row] = o->slack_ns;
	c[JR_CRITICAL_THUNKS_category].text[row] = jr_op_category(p, op);
	if (op->source_file && op->source_line > 0)
		c[JR_CRITICAL_THUNKS_source].text[row] =
			jr_arena_printf(ctx->arena, "%s:%d", jr_str(p, op->source_file), op->source_line);
}

static void add_thunks(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	struct ranked *ranked = JR_ARENA_N(ctx->scratch, struct ranked, p->n_ops + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < p->n_ops; i++)
		if (ctx->path->ops[i].n_slack)
			ranked[n++] = (struct ranked){ctx->path->ops[i].path_ns, ctx->path->ops[i].slack_ns,
				jr_str(p, p->ops[i].name), i};
	jr_sort(ranked, n, sizeof(*ranked), compare_ranked);
	struct jr_table *table = jr_table_new(ctx->arena, &thunk_spec, n);
	for (size_t row = 0; row < n; row++) {
		table->cells[JR_CRITICAL_THUNKS_program_id].text[row] =
			jr_program_id(p, p->ops[ranked[row].op].program, ctx->arena);
		fill_thunk(ctx, table, row, ranked[row].op);
	}
	table->n_rendered = n < N_SHOWN ? n : N_SHOWN;
	jr_section_table(out, ctx->arena, table);
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *percent(struct jr_pass_context *ctx, double frac)
{
	return frac > 0 && frac < 0.0001 ? "less than 0.01 %" : jr_say_percent(ctx->scratch, frac);
}

static const char *time_text(struct jr_pass_context *ctx, double ns)
{
	return jr_say_time(ctx->scratch, ns);
}

/* Report the slack of one communication that is not on the path: the one that takes the most
 * time. */
static void tell_slack(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	uint32_t most = JR_NONE;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct jr_path_op *o = &ctx->path->ops[i];
		if (!jr_is_rendezvous(p, &p->ops[i]) || !o->n_slack || o->path_ns || !(o->slack_ns > 0))
			continue;
		if (most == JR_NONE || ctx->steady->ops[i].dur_ns > ctx->steady->ops[most].dur_ns)
			most = i;
	}
	if (most != JR_NONE)
		jr_section_text(out, ctx->arena,
			"%s is not on the path: it could take %s longer before anything waits for it, so "
			"making it faster saves nothing.",
			jr_quoted(jr_str(p, p->ops[most].name), ctx->scratch),
			time_text(ctx, ctx->path->ops[most].slack_ns));
}

#define SMALL 0.05 /* smallest share of the largest misfit that is reported */

static void tell_fit(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_replay *r = ctx->replay;
	const char *order =
		r->order.scheduled
			? "in the order of the program's schedule"
			: jr_arena_printf(ctx->scratch, "in the order in which thunks started (because %s)",
				  r->order.why_not);
	if (r->n_steps < 2) {
		jr_section_text(out, ctx->arena,
			"%s The path is that of one step, %s; the replay is not used to predict step times.",
			r->doubt, order);
		return;
	}
	const char *steps = "steps", *misfits = "";
	if (r->n_all > r->n_steps)
		steps = jr_arena_printf(ctx->scratch, "of %s steps, evenly spread,",
			jr_count_text(ctx->scratch, (int64_t)r->n_all));
	for (size_t i = 0; i < r->n_misfits && r->misfits[i].ns > SMALL * r->misfits[0].ns; i++)
		misfits = jr_arena_printf(ctx->scratch, "%s%s%s by %s", misfits,
			i ? ", " : " Ops that start farthest from the time predicted by the other steps: ",
			jr_quoted(jr_str(r->profile, r->profile->ops[r->misfits[i].op].name), ctx->scratch),
			time_text(ctx, r->misfits[i].ns));
	jr_section_text(out, ctx->arena,
		"Replaying %zu %s %s reproduces their measured times with an error of %s on average (worst "
		"%s). The replay of a step uses its own durations, and the gaps measured in the other "
		"steps.%s%s%s",
		r->n_steps, steps, order, percent(ctx, r->error_mean), percent(ctx, r->error_worst),
		r->believed ? ""
		: r->error_mean > JR_REPLAY_MEAN_ERROR
			? " On average this is more than 0.5 %, so the replay predicts nothing here."
		: r->error_worst > JR_REPLAY_WORST_ERROR
			? " The worst is more than 1.5 %, so the replay predicts nothing here."
			: " The replay is not used to predict step times.",
		misfits, *misfits ? " (mean over steps)." : "");
}

static const char *saved_text(
	struct jr_pass_context *ctx, const struct jr_change *change, const char *none)
{
	const struct jr_replay *r = ctx->replay;
	struct jr_prediction then = jr_replay_predict(r, change);
	if (!(r->period_ns - then.low_ns > 0))
		return none;
	return jr_replay_range_text(
		ctx->scratch, fmax(r->period_ns - then.high_ns, 0), fmax(r->period_ns - then.low_ns, 0));
}

/* Return two sentences: how much time hiding the exposed communication could save, and why not
 * more. Return NULL if none is exposed or the replay is not believed. */
static const char *hiding_text(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_replay *r = ctx->replay;
	const struct jr_table *step = jr_results_table(ctx->results, "step_ledger");
	double open_ns = jr_step_part_ns(step, JR_STEP_COMMUNICATION);
	double waiting_ns =
		step ? jr_step_column_ns(step, JR_KEY(JR_STEP_LEDGER, exposed_waiting_ms)) : 0;
	if (!r || !r->believed || !r->n_rendezvous || !(open_ns > 0))
		return NULL;
	struct jr_op_change *ops = jr_op_changes_new(p, ctx->scratch);
	for (size_t i = 0; i < p->n_ops; i++)
		if (jr_is_rendezvous(p, &p->ops[i]))
			ops[i].scale = 0;
	const char *waiting =
		waiting_ns > 0
			? jr_arena_printf(ctx->scratch,
				  ": %s is transfer, and %s is waiting for other devices. Overlap cannot hide the "
				  "waiting",
				  time_text(ctx, fmax(open_ns - waiting_ns, 0)), time_text(ctx, waiting_ns))
			: "";
	const char *begun =
		r->order.scheduled
			? jr_arena_printf(ctx->scratch,
				  " With perfect overlap, where each transfer starts when its operands are ready "
				  "and only operations that use its result wait for it, a step would be %s "
				  "shorter.",
				  saved_text(ctx, &(struct jr_change){.overlap = true}, "no"))
			: "";
	return jr_arena_printf(ctx->arena,
		"Exposed communication takes %s per step%s. If transfers took no time, a step would be %s "
		"shorter.%s",
		time_text(ctx, open_ns), waiting, saved_text(ctx, &(struct jr_change){.ops = ops}, "no"),
		begun);
}

static void tell_hiding(struct jr_pass_context *ctx, struct jr_section *out)
{
	const char *text = hiding_text(ctx);
	if (text)
		jr_section_text(out, ctx->arena, "%s", text);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	if (!ctx->replay) {
		const char *missing = jr_integrity_no_replay(ctx->integrity, ctx->profile, ctx->arena);
		out->unavailable =
			missing ? missing
					: "not available, because there is no steady step whose thunks can be compared "
					  "across devices";
		return;
	}
	if (!jr_critical_path(ctx, JR_NONE)) {
		out->unavailable = "not available, because consecutive executions on a device overlap, as "
						   "after its clock was set back";
		return;
	}
	add_bar(ctx, out);
	tell_fit(ctx, out);
	tell_hiding(ctx, out);
	tell_slack(ctx, out);
	add_devices(ctx, out);
	add_thunks(ctx, out);
}

const struct jr_path *jr_critical_path(struct jr_pass_context *ctx, uint32_t execution)
{
	const struct jr_replay *r = ctx->replay;
	size_t step = 0;
	for (size_t k = 0; r && !ctx->path && k < r->n_periods; k++)
		if (jr_replay_execution(r, k) == execution)
			step = k;
	if (r && !ctx->path)
		ctx->path = jr_replay_path(r, step, ctx->arena);
	bool overlaps =
		r && (double)ctx->path->overlap_ns > MOST_OVERLAP * r->period_ns * (double)r->n_periods;
	return overlaps ? NULL : ctx->path;
}

const struct jr_pass jr_pass_critical_path = {
	.name = "critical_path",
	.title = "Critical path",
	.summary = "The chain of operations that determines step time, and the slack of everything "
			   "else",
	.needs = JR_NEEDS_MODULES | JR_NEEDS_THUNKS,
	.group = JR_GROUP_STEP,
	.run = run,
};
