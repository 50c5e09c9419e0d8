/* The step: how often one comes, how long it takes, and where its time goes on one device. */
#include "analysis/step_ledger.h"

#include <string.h>

#include "analysis/columns.h"

enum { NAME, FIRST_PART };

static const struct jr_column_spec columns[] = {
	{"name", "Step", "module that takes most time; its executions are the steps", JR_TEXT,
		JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE},
	{"compute_ms", "Compute", "of the time ledger, a step on one device", JR_F64, JR_UNIT_NS, 0},
	{"exposed_communication_ms", "Exposed communication",
		"of the time ledger, a step on one device", JR_F64, JR_UNIT_NS, 0},
	{"exposed_copy_ms", "Exposed copies", "of the time ledger, a step on one device", JR_F64,
		JR_UNIT_NS, 0},
	{"idle_in_modules_ms", "Idle inside modules", "of the time ledger, a step on one device",
		JR_F64, JR_UNIT_NS, 0},
	{"idle_between_modules_ms", "Idle between modules",
		"of the time ledger, a step on one device; none of a single step", JR_F64, JR_UNIT_NS, 0},
	{"other_programs_ms", "Other programs", "of the time ledger, a step on one device", JR_F64,
		JR_UNIT_NS, 0},
	{"wall_ms", "Period",
		"time from the start of a step to the start of the next one, the sum of the others; none "
		"of a single step",
		JR_F64, JR_UNIT_NS, 0},
	{"initialisation_ms", "Initialisation", "of the time ledger, a step on one device", JR_F64,
		JR_UNIT_NS, 0},
	{JR_STEP_TRANSFER_KEY, "Exposed transfer",
		"of the time ledger, a step on one device: a part of exposed communication", JR_F64,
		JR_UNIT_NS, 0},
	{JR_STEP_WAITING_KEY, "Exposed waiting",
		"of the time ledger, a step on one device: a part of exposed communication", JR_F64,
		JR_UNIT_NS, 0},
};
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("step_ledger", "step_ledger", "Where the time of a step goes",
		"Of each device the time ledger / its steps, and of that the mean over devices", columns),
	.data_only = true};

const char *const jr_step_part_keys[] = {"compute_ms", "exposed_communication_ms",
	"exposed_copy_ms", "idle_in_modules_ms", "idle_between_modules_ms", "other_programs_ms",
	"initialisation_ms", NULL};
const char *const jr_step_part_roles[] = {"compute", "communication", "copy", "idle-inside",
	"idle-between", "other-programs", "warm-up", NULL};

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

/* --- the table -------------------------------------------------------------------------------- */

/* Mean over devices of a column of the ledger, each by its own steps; of devices with a single step
 * each (no device has more) as it is. */
static double mean_of_devices(const struct jr_table *ledger, const char *key, bool single)
{
	size_t column = jr_table_column(ledger, key), by = jr_table_column(ledger, "steps"), n = 0;
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

static bool inside_of_step(const char *key)
{
	return strcmp(key, jr_step_part_keys[JR_STEP_IDLE_BETWEEN]) != 0 && strcmp(key, "wall_ms") != 0;
}

/* One row; NULL without a step. */
static struct jr_table *step_table(struct jr_pass_context *ctx)
{
	const struct jr_table *ledger = jr_results_table(ctx->results, "ledger");
	if (!ledger || ledger->n_rows == 0 || ctx->steady->n_ranking == 0)
		return NULL;
	uint32_t program = ctx->steady->ranking[0];
	bool single = ctx->windows->n_devices == 0;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, 1);
	table->cells[NAME].text[0] = jr_str(ctx->profile, ctx->profile->programs[program].name);
	for (size_t c = FIRST_PART; c < JR_COUNT_OF(columns); c++)
		if (!single || inside_of_step(columns[c].key))
			table->cells[c].f64[0] = mean_of_devices(ledger, columns[c].key, single);
	return table;
}

/* --- headline figures ------------------------------------------------------------------------- */

static void add_tile(struct jr_pass_context *ctx, struct jr_section *out, struct jr_scalar scalar)
{
	scalar.tile = true;
	(void)jr_section_scalar(out, ctx->arena, &scalar);
}

static const char *time_text(struct jr_pass_context *ctx, const char *before, double ns)
{
	char text[JR_NUM_MAX];
	jr_num_time(text, ns);
	return jr_arena_printf(ctx->arena, "%s%s", before, text);
}

/* A part of the step, with its share of it. */
static void add_part(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *step, enum jr_step_column part, const char *title, const char *help)
{
	char text[JR_NUM_MAX];
	double ns = jr_step_part_ns(step, part);
	jr_num_significant(text, 100 * jr_ratio(ns, jr_step_parts_ns(step)), 3);
	struct jr_scalar scalar = jr_scalar_ns(NULL, title, help, ns);
	scalar.note = jr_arena_printf(ctx->arena, "a step, %s %%", text);
	add_tile(ctx, out, scalar);
}

static void add_period(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_step_windows *w = ctx->windows;
	struct jr_scalar period = jr_scalar_ns("step.period_ms", "A step every",
		"time from the start of a steady step to the start of the next one, with what runs between "
		"them: of each device the time from its first to its last start / the steps between, and "
		"of that the mean over devices; none of a single step",
		w->mean_ns);
	struct jr_scalar median = jr_scalar_ns("step.period_median_ms", "Median period",
		"median of these times, each the mean over devices", w->median_ns);
	median.hidden = true;
	if (w->n_periods) {
		period.n = median.n = (int64_t)w->n_periods;
		if (jr_step_periods_uneven(w))
			period.note = time_text(ctx, "median ", w->median_ns);
	}
	period.tile = ctx->windows->n_devices > 0;
	period.hidden = !period.tile;
	(void)jr_section_scalar(out, ctx->arena, &period);
	(void)jr_section_scalar(out, ctx->arena, &median);
}

/* Executions of the module that takes most time. */
static void add_time(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	uint32_t program = ctx->steady->ranking[0];
	const struct jr_program_steps *steps = &ctx->steps->programs[program];
	const char *name = jr_str(p, p->programs[program].name);
	struct jr_scalar scalar = jr_scalar_ns("step.mean_ms", "Step time",
		"mean over steady steps of a step's length, the mean over devices of one execution of the "
		"module that takes most time; with the sample standard deviation of steps",
		steps->mean_ns);
	scalar.plus_minus = steps->std_ns;
	scalar.note = jr_arena_printf(ctx->arena, "in %s", name);
	scalar.n = (int64_t)steps->n;
	scalar.tile = ctx->windows->n_devices == 0; /* elsewhere the period leads */
	scalar.hidden = true;
	(void)jr_section_scalar(out, ctx->arena, &scalar);
	struct jr_scalar id = jr_scalar_text("step.program_id", "Step program",
		"program id of that module", jr_program_id(p, program, ctx->arena));
	id.hidden = true;
	(void)jr_section_scalar(out, ctx->arena, &id);
	struct jr_scalar text =
		jr_scalar_text("step.name", "Step module", "name of that module", name);
	text.hidden = true;
	(void)jr_section_scalar(out, ctx->arena, &text);
}

static void add_tiles(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_table *step)
{
	add_period(ctx, out);
	add_time(ctx, out);
	struct jr_scalar busy = jr_scalar_f64("step.busy_fraction", "GPU busy",
		"share of a step in which something runs: what the time ledger has neither as idle "
		"inside modules nor as idle between them",
		JR_UNIT_FRAC, jr_step_busy_frac(step));
	busy.hidden = true; /* the bar of the step says it in parts */
	(void)jr_section_scalar(out, ctx->arena, &busy);
	if (ctx->profile->any_communication)
		add_part(ctx, out, step, JR_STEP_COMMUNICATION, "Exposed communication",
			"of the time ledger, mean over steps and devices: collectives that no compute hides");
	if (jr_step_part_ns(step, JR_STEP_COPY) > 0)
		add_part(ctx, out, step, JR_STEP_COPY, "Exposed copies",
			"of the time ledger, mean over steps and devices: host copies that neither compute nor "
			"collectives hide");
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_table *step = step_table(ctx);
	if (!step)
		return;
	add_tiles(ctx, out, step);
	struct jr_chart chart = {.name = "step_ledger",
		.title = "Where the time of a step goes",
		.caption = ctx->windows->n_devices
			? "from a step's start to the start of the next, mean over steady steps and devices; "
			  "the parts add up to the period exactly"
			: "the one steady step that was profiled, mean over devices; how often steps come "
			  "cannot be told",
		.kind = JR_CHART_STACKED,
		.table = step,
		.x = "name",
		.parts = jr_step_part_keys,
		.part_roles = jr_step_part_roles,
		.y_title = "Time of a step"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, step);
}

const struct jr_pass jr_pass_step = {
	.name = "step",
	.title = "Step",
	.summary = "How often a step comes, how long it takes, and where its time goes",
	.needs = JR_NEEDS_MODULES,
	.leads = true,
	.run = run,
};
