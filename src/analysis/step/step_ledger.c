/* The step: its rate, its length, and its time breakdown on one device. */
#include "analysis/step/step_ledger.h"
#include "analysis/core/say.h"
#include "analysis/shared/step_parts.h"

#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/variants.h"
#include "analysis/core/terms.h"
#include "analysis/step/step_tables.h"

JR_COLUMNS_OF(columns, JR_STEP_LEDGER_COLUMNS);
#define N_OF_LEDGER (JR_COUNT_OF(columns) - 2) /* the last two are for one device */
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("step_ledger", JR_AT(step_ledger), "Time breakdown of a step",
		"Time breakdown of each device divided by its steps, mean over devices", columns),
	.data_only = true};
static const struct jr_table_spec median_spec = {
	JR_TABLE_SPEC("step_ledger_median", "step_ledger_median", "Time breakdown of the median step",
		"The same for the step closest to the median, with its parts as shares of the "
		"median period; only if mean and median period differ by more than 5 %",
		columns),
	.data_only = true};

const char *const jr_step_part_keys[] = {JR_KEY(JR_STEP_LEDGER, compute_ms),
	JR_KEY(JR_STEP_LEDGER, exposed_communication_ms), JR_KEY(JR_STEP_LEDGER, exposed_copy_ms),
	JR_KEY(JR_STEP_LEDGER, idle_in_modules_ms), JR_KEY(JR_STEP_LEDGER, idle_between_modules_ms),
	JR_KEY(JR_STEP_LEDGER, other_programs_ms), JR_KEY(JR_STEP_LEDGER, warmup_ms), NULL};
const char *const jr_step_part_roles[] = {"compute", "communication", "copy", "idle-inside",
	"idle-between", "other-programs", "warm-up", NULL};
const char *const jr_step_split_keys[] = {JR_KEY(JR_STEP_LEDGER, compute_ms),
	JR_KEY(JR_STEP_LEDGER, exposed_transfer_ms), JR_KEY(JR_STEP_LEDGER, exposed_waiting_ms),
	JR_KEY(JR_STEP_LEDGER, exposed_copy_ms), JR_KEY(JR_STEP_LEDGER, idle_in_modules_ms),
	JR_KEY(JR_STEP_LEDGER, idle_between_modules_ms), JR_KEY(JR_STEP_LEDGER, other_programs_ms),
	JR_KEY(JR_STEP_LEDGER, warmup_ms), NULL};
const char *const jr_step_split_roles[] = {"compute", "communication", "wait", "copy",
	"idle-inside", "idle-between", "other-programs", "warm-up", NULL};

bool jr_step_waiting_known(const struct jr_instances *instances)
{
	for (size_t i = 0; i < instances->n; i++)
		if (instances->items[i].together)
			return true;
	return false;
}

/* --- reading ---------------------------------------------------------------------------------- */

double jr_step_column_ns(const struct jr_table *step, const char *key)
{
	if (!step || step->n_rows == 0)
		return NAN;
	size_t column = jr_table_column(step, key);
	double ns = column == SIZE_MAX ? NAN : jr_table_number(step, column, 0);
	return isnan(ns) ? 0 : ns;
}

double jr_step_part_ns(const struct jr_table *step, enum jr_step_column part)
{
	return jr_step_column_ns(step, jr_step_part_keys[part]);
}

double jr_step_parts_ns(const struct jr_table *step)
{
	double sum = 0;
	for (enum jr_step_column part = 0; part < JR_STEP_N_PARTS; part++)
		sum += jr_step_part_ns(step, part);
	return sum;
}

double jr_step_busy_frac(const struct jr_table *step)
{
	double idle =
		jr_step_part_ns(step, JR_STEP_IDLE_IN) + jr_step_part_ns(step, JR_STEP_IDLE_BETWEEN);
	return 1 - jr_ratio(idle, jr_step_parts_ns(step));
}

/* --- periods ---------------------------------------------------------------------------------- */

JR_TABLE_OF(period_spec, JR_STEP_PERIODS_COLUMNS, "step_periods", JR_AT(step_periods), "Steps",
	"Per steady step, from its start to the start of the next one", .data_only = true);

static void add_periods(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_step_windows *w = ctx->windows;
	struct jr_table *table = jr_table_new(ctx->arena, &period_spec, w->n_periods);
	for (size_t i = 0; i < w->n_periods; i++) {
		table->cells[JR_STEP_PERIODS_program_execution].i64[i] =
			jr_step_number(ctx->profile, w, w->periods[i].step);
		table->cells[JR_STEP_PERIODS_period_ms].f64[i] = w->periods[i].ns;
		table->cells[JR_STEP_PERIODS_idle_ms].f64[i] = w->periods[i].idle_ns;
	}
	jr_section_table(out, ctx->arena, table);
}

/* --- the table -------------------------------------------------------------------------------- */

/* Mean over devices of a column of the ledger, each divided by its own steps. If every device has
 * only a single step, values are used as they are. */
static double mean_of_devices(const struct jr_table *ledger, const char *key, bool single)
{
	size_t column = jr_table_column(ledger, key),
		   by = jr_table_column(ledger, JR_KEY(JR_LEDGER, steps)), n = 0;
	double sum = 0;
	for (size_t row = 0; row < ledger->n_rows; row++) {
		double steps = single ? 1 : ledger->cells[by].f64[row];
		if (isnan(steps))
			continue;
		sum += (double)ledger->cells[column].i64[row] / steps;
		n++;
	}
	return jr_ratio(sum, (double)n);
}

/* Find the device that computes longest per step. */
static void find_most_compute(const struct jr_table *ledger, struct jr_table *table, bool single)
{
	size_t compute = jr_table_column(ledger, jr_step_part_keys[JR_STEP_COMPUTE]),
		   by = jr_table_column(ledger, JR_KEY(JR_LEDGER, steps)),
		   device = jr_table_column(ledger, JR_KEY(JR_LEDGER, device));
	for (size_t row = 0; row < ledger->n_rows; row++) {
		double steps = single ? 1 : ledger->cells[by].f64[row];
		double ns = (double)ledger->cells[compute].i64[row] / steps;
		if (isnan(steps) || ns <= table->cells[N_OF_LEDGER].f64[0])
			continue;
		table->cells[N_OF_LEDGER].f64[0] = ns;
		table->cells[N_OF_LEDGER + 1].i64[0] = ledger->cells[device].i64[row];
	}
}

static bool inside_of_step(const char *key)
{
	return strcmp(key, jr_step_part_keys[JR_STEP_IDLE_BETWEEN]) != 0 &&
		   strcmp(key, JR_KEY(JR_LEDGER, wall_ms)) != 0;
}

static const char *step_name(const struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	return jr_str(p,
		ctx->windows->numbered ? p->leading_steps.name : p->programs[ctx->steady->ranking[0]].name);
}

#define EACH_STEP 0.5 /* least executions per step for a program to be part of the cycle */

size_t jr_step_programs(const struct jr_pass_context *ctx, uint32_t *programs)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	uint32_t step = st->ranking[0];
	size_t *runs = JR_ARENA_N(ctx->scratch, size_t, p->n_programs + 1), n = 0;
	for (size_t i = 0; i < p->modules.n; i++)
		if (p->modules.steady[i] && ctx->windows->devices[p->modules.device[i]].program == step)
			runs[p->modules.program[i]]++;
	programs[n++] = step;
	for (size_t i = 1; i < st->n_top; i++)
		if ((double)runs[st->ranking[i]] >= EACH_STEP * (double)runs[step])
			programs[n++] = st->ranking[i];
	return n;
}

const char *jr_step_label(const struct jr_pass_context *ctx)
{
	if (ctx->windows->numbered || ctx->windows->n_devices == 0)
		return step_name(ctx);
	uint32_t *programs = JR_ARENA_N(ctx->scratch, uint32_t, ctx->steady->n_top + 1);
	size_t n = jr_step_programs(ctx, programs);
	return n > 1 ? jr_arena_printf(ctx->arena, "cycle of %zu programs", n) : step_name(ctx);
}

/* Build one row; NULL without a step. */
static struct jr_table *step_table(struct jr_pass_context *ctx)
{
	const struct jr_table *ledger = jr_results_table(ctx->results, "ledger");
	if (!ledger || ledger->n_rows == 0 || ctx->steady->n_ranking == 0)
		return NULL;
	bool single = ctx->windows->n_devices == 0;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, 1);
	table->cells[JR_STEP_LEDGER_name].text[0] = step_name(ctx);
	table->cells[JR_STEP_LEDGER_label].text[0] = jr_step_label(ctx);
	for (size_t c = JR_STEP_LEDGER_compute_ms; c < N_OF_LEDGER; c++)
		if (!single || inside_of_step(columns[c].key))
			table->cells[c].f64[0] = mean_of_devices(ledger, columns[c].key, single);
	find_most_compute(ledger, table, single);
	return table;
}

static struct jr_table *median_table(struct jr_pass_context *ctx)
{
	const struct jr_table *ledger = jr_results_table(ctx->results, "ledger_median");
	if (!ledger || ledger->n_rows == 0)
		return NULL;
	struct jr_table *table = jr_table_new(ctx->arena, &median_spec, 1);
	table->cells[JR_STEP_LEDGER_name].text[0] = step_name(ctx);
	table->cells[JR_STEP_LEDGER_label].text[0] = jr_step_label(ctx);
	double wall_ns = mean_of_devices(ledger, JR_KEY(JR_LEDGER, wall_ms), false);
	for (size_t c = JR_STEP_LEDGER_compute_ms; c < N_OF_LEDGER; c++)
		table->cells[c].f64[0] = mean_of_devices(ledger, columns[c].key, false) *
								 jr_ratio(ctx->windows->median_ns, wall_ns);
	find_most_compute(ledger, table, false);
	return table;
}

const struct jr_table *jr_step_shown(const struct jr_results *results)
{
	const struct jr_table *median = jr_results_table(results, "step_ledger_median");
	return median ? median : jr_results_table(results, "step_ledger");
}

/* --- headline numbers ------------------------------------------------------------------------- */

static void add_tile(struct jr_pass_context *ctx, struct jr_section *out, struct jr_scalar scalar)
{
	scalar.tile = true;
	(void)jr_section_scalar(out, ctx->arena, &scalar);
}

static const char *time_text(struct jr_pass_context *ctx, const char *before, double ns)
{
	return jr_arena_printf(ctx->arena, "%s%s", before, jr_time_text(ctx->arena, ns));
}

/* Add a part of the step, with its share. `of_it`: its breakdown; "" if that is not known. */
static void add_part(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *step, enum jr_step_column part, const char *title, const char *help,
	const char *of_it)
{
	double ns = jr_step_part_ns(step, part);
	struct jr_scalar scalar = jr_scalar_ns(NULL, title, help, ns);
	scalar.note = jr_arena_printf(ctx->arena, "per step, %s %%%s",
		jr_digits_text(ctx->arena, 100 * jr_ratio(ns, jr_step_parts_ns(step)), 3), of_it);
	add_tile(ctx, out, scalar);
}

/* Format ": 17.27 ms waiting for other devices, 3.080 ms transfer". A single number would hide
 * which of the two needs a fix. */
static const char *communication_parts(struct jr_pass_context *ctx, const struct jr_table *step)
{
	if (!(jr_step_part_ns(step, JR_STEP_COMMUNICATION) > 0))
		return ": all of it overlaps with compute";
	if (!jr_step_waiting_known(ctx->instances))
		return ", including waiting for devices that were not recorded";
	if (!(jr_step_column_ns(step, JR_KEY(JR_STEP_LEDGER, exposed_waiting_ms)) > 0))
		return ": all of it transfer";
	if (!(jr_step_column_ns(step, JR_KEY(JR_STEP_LEDGER, exposed_transfer_ms)) > 0))
		return ": all of it waiting for other devices";
	return jr_arena_printf(ctx->arena, "%s waiting for other devices, %s transfer",
		time_text(ctx, ": ", jr_step_column_ns(step, JR_KEY(JR_STEP_LEDGER, exposed_waiting_ms))),
		time_text(ctx, "", jr_step_column_ns(step, JR_KEY(JR_STEP_LEDGER, exposed_transfer_ms))));
}

/* Host copies are communication, too, but have their own tile. */
static bool any_collective(const struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	for (size_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].communication && ctx->steady->ops[i].count &&
			ctx->steady->programs[p->ops[i].program].top && !jr_op_copies_host(p, &p->ops[i]))
			return true;
	return false;
}

enum { FEW = 5 }; /* periods from which on it is plain why there is one less than steps */

static void add_period(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_step_windows *w = ctx->windows;
	struct jr_scalar period = jr_scalar_ns("step.period_ms", "Step period",
		"time from the start of a steady step to the start of the next, including what "
		"runs between them. Per device it is the time from its first to its last start / the "
		"steps between; mean over devices. Empty for a single step",
		w->mean_ns);
	struct jr_scalar median = jr_scalar_ns("step.period_median_ms", "Median step",
		"median time from the start of a steady step to the start of the next, each "
		"averaged over devices; the summary uses it if the mean differs by more than 5 %",
		w->median_ns);
	bool uneven = jr_step_periods_uneven(w);
	if (w->n_periods)
		period.n = median.n = (int64_t)w->n_periods;
	if (w->n_periods && w->n_periods < FEW)
		period.note = jr_arena_printf(
			ctx->arena, "between the starts of %zu steady steps", (size_t)w->n_periods + 1);
	if (uneven)
		median.note = time_text(ctx, "mean ", w->mean_ns);
	median.tile = uneven;
	median.hidden = !median.tile;
	period.tile = ctx->windows->n_devices > 0 && !uneven;
	period.hidden = !period.tile;
	(void)jr_section_scalar(out, ctx->arena, &period);
	(void)jr_section_scalar(out, ctx->arena, &median);
	if (!w->numbered)
		return;
	struct jr_scalar name = jr_scalar_text("step.numbered", "Numbered steps",
		"name of the numbered steps that count as steps; absent: executions of the step's "
		"program count",
		jr_str(ctx->profile, ctx->profile->leading_steps.name));
	name.hidden = true;
	(void)jr_section_scalar(out, ctx->arena, &name);
}

/* Add the executions of the module with the most time. */
static void add_time(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	uint32_t program = ctx->steady->ranking[0];
	const struct jr_program_steps *steps = &ctx->steps->programs[program];
	const char *name = jr_str(p, p->programs[program].name);
	struct jr_scalar scalar = jr_scalar_ns("execution.mean_ms", "Execution",
		"time of one execution of the step's program: mean over devices, then over steady "
		"executions; with the sample standard deviation over executions",
		steps->mean_ns);
	scalar.plus_minus = steps->std_ns;
	scalar.note = jr_arena_printf(ctx->arena, "in %s", name);
	scalar.n = (int64_t)steps->n;
	scalar.tile = ctx->windows->n_devices == 0; /* otherwise the period comes first */
	scalar.hidden = true;
	(void)jr_section_scalar(out, ctx->arena, &scalar);
	struct jr_scalar id = jr_scalar_text("step.program_id", "Step program",
		"program id of the step's module", jr_program_id(p, program, ctx->arena));
	id.hidden = true;
	(void)jr_section_scalar(out, ctx->arena, &id);
	struct jr_scalar text = jr_scalar_text(
		"step.name", "Step module", "name of the module that is executed in each step", name);
	text.hidden = true;
	(void)jr_section_scalar(out, ctx->arena, &text);
}

static void add_tiles(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *step, const struct jr_table *mean)
{
	add_period(ctx, out);
	add_time(ctx, out);
	struct jr_scalar busy = jr_scalar_f64("step.busy_fraction", JR_GPU " busy",
		"share of a step in which something runs: in the time breakdown, everything except "
		"idle inside and between modules",
		JR_UNIT_FRAC, jr_step_busy_frac(mean));
	busy.hidden = true; /* the bar of the step shows its parts */
	(void)jr_section_scalar(out, ctx->arena, &busy);
	bool uneven = step != mean;
	if (any_collective(ctx))
		add_part(ctx, out, step, JR_STEP_COMMUNICATION,
			uneven ? "Exposed communication, median step" : "Exposed communication",
			uneven ? "for the median step, mean over devices: collectives that do not overlap with "
					 "compute"
				   : "from the time breakdown, mean over steps and devices: collectives that "
					 "do not overlap with compute",
			communication_parts(ctx, step));
	if (jr_step_part_ns(step, JR_STEP_COPY) > 0)
		add_part(ctx, out, step, JR_STEP_COPY,
			uneven ? "Exposed copies, median step" : "Exposed copies",
			uneven
				? "for the median step, mean over devices: host copies that overlap with neither "
				  "compute nor collectives"
				: "from the time breakdown, mean over steps and devices: host copies that "
				  "overlap with neither compute nor collectives",
			"");
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_table *mean = step_table(ctx);
	if (!mean) {
		if (ctx->windows->n_devices) { /* steps of a program that does not use XLA */
			add_period(ctx, out);
			add_periods(ctx, out);
		} else if (ctx->windows->irregular) {
			out->unavailable = jr_variants_no_step;
		}
		return;
	}
	struct jr_table *median = median_table(ctx);
	const struct jr_table *step = median ? median : mean;
	bool split = jr_step_waiting_known(ctx->instances);
	add_tiles(ctx, out, step, mean);
	struct jr_chart chart = {.name = "step_ledger",
		.title = median ? "Time breakdown of the median step" : "Time breakdown of a step",
		.caption =
			median ? "from the start of the median step to the start of the next. The parts add up "
					 "exactly to the median period"
			: ctx->windows->n_devices
				? "mean over steady steps and devices, from one step start to the next. The "
				  "parts add up exactly"
				: "the only steady step in the " JR_PROFILE_WORD
				  ", mean over devices. The step period "
				  "cannot be determined",
		.kind = JR_CHART_STACKED,
		.table = step,
		.x = JR_KEY(JR_STEP_LEDGER, label),
		.parts = split ? jr_step_split_keys : jr_step_part_keys,
		.part_roles = split ? jr_step_split_roles : jr_step_part_roles,
		.y_title = "Time per step"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, mean);
	if (median)
		jr_section_table(out, ctx->arena, median);
	add_periods(ctx, out);
}

const struct jr_pass jr_pass_step = {
	.name = "step",
	.title = "Step",
	.summary = "Step period, execution time and time breakdown",
	.needs = JR_NEEDS_STEP,
	.leads = true,
	.run = run,
};
