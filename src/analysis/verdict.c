/* What leads the report: one sentence, and where the time of one step goes. */
#include <string.h>

#include "analysis/columns.h"

enum { NAME, COMPUTE, COMMUNICATION, COPY, IDLE_IN, IDLE_BETWEEN, OTHER, WALL };

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
	{"idle_between_modules_ms", "Idle between modules", "of the time ledger, a step on one device",
		JR_F64, JR_UNIT_NS, 0},
	{"other_programs_ms", "Other programs", "of the time ledger, a step on one device", JR_F64,
		JR_UNIT_NS, 0},
	{"wall_ms", "Wall", "sum of the others: wall of all devices / steady steps of all devices",
		JR_F64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("step_ledger", "step_ledger", "Where the time of a step goes",
		"Mean over steady steps and devices: the time ledger / steps", columns),
	.data_only = true};

static const char *const parts[] = {"compute_ms", "exposed_communication_ms", "exposed_copy_ms",
	"idle_in_modules_ms", "idle_between_modules_ms", "other_programs_ms", NULL};
static const char *const roles[] = {
	"compute", "communication", "copy", "idle-inside", "idle-between", "other-programs", NULL};

/* One row; NULL without a step. */
static struct jr_table *step_table(struct jr_pass_context *ctx)
{
	const struct jr_table *ledger = jr_results_table(ctx->results, "ledger");
	const struct jr_steady *st = ctx->steady;
	if (!ledger || ledger->n_rows == 0 || st->n_ranking == 0)
		return NULL;
	uint32_t program = st->ranking[0];
	struct jr_table *table = jr_table_new(ctx->arena, &spec, 1);
	table->cells[NAME].text[0] = jr_str(ctx->profile, ctx->profile->programs[program].name);
	for (size_t c = COMPUTE; c <= WALL; c++) {
		size_t from = jr_table_column(ledger, columns[c].key);
		int64_t sum_ns = 0;
		for (size_t row = 0; row < ledger->n_rows; row++)
			sum_ns += ledger->cells[from].i64[row];
		table->cells[c].f64[0] = (double)sum_ns / st->n_steps;
	}
	return table;
}

static void add_chart(struct jr_pass_context *ctx, struct jr_section *out, struct jr_table *table)
{
	struct jr_chart chart = {.name = "step_ledger",
		.title = "Where the time of a step goes",
		.caption = "mean over steady steps and devices; the parts add up to the wall exactly",
		.kind = JR_CHART_STACKED,
		.table = table,
		.x = "name",
		.parts = parts,
		.part_roles = roles,
		.y_title = "Time of a step"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

/* --- the sentence --------------------------------------------------------------------------- */

static const char *time_text(struct jr_arena *arena, double ns)
{
	char text[JR_NUM_MAX];
	jr_num_time(text, ns);
	return jr_arena_strdup(arena, text);
}

static const char *percent_text(struct jr_arena *arena, double frac)
{
	char text[JR_NUM_MAX];
	jr_num_significant(text, frac * 100, 3);
	return jr_arena_printf(arena, "%s %%", text);
}

static const struct jr_finding *best_finding(const struct jr_results *r)
{
	const struct jr_finding *best = NULL;
	for (size_t i = 0; i < r->n_findings; i++)
		if (r->findings[i].step_recoverable_ns != JR_NULL_I64 &&
			(!best || jr_finding_before(&r->findings[i], best)))
			best = &r->findings[i];
	return best;
}

/* The title, its first letter small, to stand inside of a sentence. */
static const char *inside(struct jr_arena *arena, const char *title)
{
	char *text = jr_arena_strdup(arena, title);
	/* Words in capitals stay: "GPU" is no "gPU". */
	if (text[0] >= 'A' && text[0] <= 'Z' && ((text[1] >= 'a' && text[1] <= 'z') || text[1] == ' '))
		text[0] = (char)(text[0] - 'A' + 'a');
	return text;
}

static const char *sentence(struct jr_pass_context *ctx, const struct jr_table *step)
{
	struct jr_arena *arena = ctx->arena;
	double wall = step->cells[WALL].f64[0];
	const struct jr_finding *best = best_finding(ctx->results);
	const char *head = jr_arena_printf(arena, "A step comes every %s, %s of it computing",
		time_text(arena, wall), percent_text(arena, jr_ratio(step->cells[COMPUTE].f64[0], wall)));
	if (!best)
		return jr_arena_printf(arena, "%s; no rule found anything worth winning.", head);
	return jr_arena_printf(arena, "%s; most to win: %s (without it: %s).", head,
		inside(arena, best->title), time_text(arena, (double)best->step_without_ns));
}

static double sum_of(const struct jr_table *table, const char *column)
{
	double sum = 0;
	for (size_t row = 0; row < table->n_rows; row++)
		sum += (double)table->cells[jr_table_column(table, column)].i64[row];
	return sum;
}

/* ": computing 2.3 %, copying alone 97 %": what busy devices did, down to 1 % of their walls. */
static const char *deeds(struct jr_pass_context *ctx, const struct jr_table *ledger)
{
	static const struct {
		const char *column, *deed;
	} shares[] = {{"compute_ms", "computing"}, {"exposed_communication_ms", "in NCCL alone"},
		{"exposed_copy_ms", "copying alone"}};
	const char *text = "";
	double wall = sum_of(ledger, "wall_ms");
	for (size_t i = 0; i < JR_COUNT_OF(shares); i++) {
		double share = jr_ratio(sum_of(ledger, shares[i].column), wall);
		if (i == 0 || share >= 0.01)
			text = jr_arena_printf(ctx->arena, "%s%s %s %s", text, i ? "," : ":", shares[i].deed,
				percent_text(ctx->arena, share));
	}
	return text;
}

static const char *of_gpus(struct jr_pass_context *ctx)
{
	const struct jr_scalar *busy = jr_results_scalar(ctx->results, "gpu.busy_fraction");
	const struct jr_scalar *wall = jr_results_scalar(ctx->results, "gpu.wall_ms");
	const struct jr_table *kernels = jr_results_table(ctx->results, "kernels");
	const struct jr_table *ledger = jr_results_table(ctx->results, "gpu_ledger");
	if (!busy || !wall || !ledger)
		return NULL;
	const struct jr_scalar *kernel_time = jr_results_scalar(ctx->results, "gpu.kernel_ms");
	if (kernel_time && kernel_time->value.i64 == 0)
		return jr_arena_printf(ctx->arena,
			"No kernel was profiled, only copies and memsets, %s: the capture may have missed the "
			"work.",
			time_text(ctx->arena, sum_of(ledger, "wall_ms") - sum_of(ledger, "idle_ms")));
	const char *head = jr_arena_printf(ctx->arena, "%s busy %s of %s%s",
		ledger->n_rows == 1 ? "The GPU was" : "The GPUs together were",
		percent_text(ctx->arena, busy->value.f64),
		time_text(ctx->arena, (double)wall->value.i64), deeds(ctx, ledger));
	if (!kernels || kernels->n_rows == 0)
		return jr_arena_printf(ctx->arena, "%s.", head);
	return jr_arena_printf(ctx->arena, "%s; the kernel that took most time, %s, had %s of it.",
		head, kernels->cells[jr_table_column(kernels, "short_name")].text[0],
		time_text(ctx->arena, (double)kernels->cells[jr_table_column(kernels, "sum_ms")].i64[0]));
}

static const char *without_steps(struct jr_pass_context *ctx)
{
	const char *gpus = of_gpus(ctx);
	if (gpus)
		return gpus;
	const struct jr_scalar *total = jr_results_scalar(ctx->results, "compilation.total_ms");
	if (!total)
		return "No module execution and no compilation was profiled.";
	return jr_arena_printf(ctx->arena, "No module execution was profiled; compilation took %s.",
		time_text(ctx->arena, total->value.f64));
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_table *step = step_table(ctx);
	const char *verdict = step ? sentence(ctx, step) : without_steps(ctx);
	struct jr_scalar scalar = {.key = "verdict",
		.title = "Verdict",
		.help = "the report in one sentence",
		.type = JR_TEXT,
		.value.text = verdict,
		.plus_minus = NAN,
		.n = JR_NULL_I64,
		.hidden = true};
	(void)jr_section_scalar(out, ctx->arena, &scalar);
	jr_section_text(out, ctx->arena, "%s", verdict);
	if (step)
		add_chart(ctx, out, step);
}

const struct jr_pass jr_pass_verdict = {
	.name = "verdict",
	.title = "Verdict",
	.summary = "The report in one sentence, and where the time of a step goes",
	.needs = JR_NEEDS_NOTHING,
	.any_program = true,
	.leads = true,
	.run = run,
};
