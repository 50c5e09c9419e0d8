#include "compare/run/run.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"

#define COLUMN(table, column, ...)                                                                 \
	{                                                                                              \
		.key = JR_KEY(table, column), .type = (enum jr_type)table##_##column##_TYPE,               \
		.unit = (enum jr_unit)table##_##column##_UNIT, __VA_ARGS__                                 \
	}
#define JR_RUN_COLUMN(id, table, column) COLUMN(table, column, )
#define JR_RUN_SIGNED(id, table, column) COLUMN(table, column, .flags = JR_COL_CHANGE)
#define JR_RUN_COLUMN_IN(id, table, outer, column)                                                 \
	{                                                                                              \
		.key = JR_KEY_IN(table, outer, column),                                                    \
		.type = (enum jr_type)table##_##outer##_##column##_TYPE,                                   \
		.unit = (enum jr_unit)table##_##outer##_##column##_UNIT                                    \
	}
#define JR_RUN_OTHER(id, column_key, column_type, column_unit)                                     \
	{                                                                                              \
		.key = (column_key), .type = (column_type), .unit = (column_unit)                          \
	}
#define JR_RUN_TABLE(id, path, ...)                                                                \
	static const struct jr_column_spec id##_COLUMNS[] = {__VA_ARGS__};
JR_RUN_TABLES
#undef JR_RUN_TABLE
#undef JR_RUN_COLUMN
#undef JR_RUN_SIGNED
#undef JR_RUN_COLUMN_IN
#undef JR_RUN_OTHER

const struct jr_table_spec jr_run_specs[JR_RUN_N_TABLES] = {
#define JR_RUN_TABLE(id, path, ...)                                                                \
	[JR_RUN_##id] = {.name = (path),                                                               \
		.json = (path),                                                                            \
		.n_columns = JR_COUNT_OF(id##_COLUMNS),                                                    \
		.columns = id##_COLUMNS},
	JR_RUN_TABLES
#undef JR_RUN_TABLE
};

const char *jr_run_tree_name(enum jr_run_tree tree)
{
	static const char *const names[] = {
		[JR_RUN_SOURCE_CODE] = "source_code",
		[JR_RUN_OP_NAME] = "op_name",
		[JR_RUN_COMPILATION] = "compilation",
	};
	return names[tree];
}

/* --- steps ------------------------------------------------------------------------------------ */

struct execution {
	int64_t number, dur_ns;
	double start_ns; /* NaN: a line of a history has no start times */
};

JR_ORDER(compare_executions, struct execution, JR_UP(number) JR_DOWN(dur_ns))

/* Steady executions of a program, grouped by number. */
static struct execution *take_executions(
	const struct jr_run *run, const char *program, struct jr_arena *arena, size_t *n)
{
	size_t n_rows = jr_run_rows(run, JR_RUN_EXECUTIONS);
	struct execution *items = JR_ARENA_N(arena, struct execution, n_rows + 1);
	*n = 0;
	for (size_t i = 0; i < n_rows; i++) {
		const char *own = jr_run_text(run, JR_RUN_EXECUTIONS, JR_EXECUTION_PROGRAM, i);
		int64_t dur_ns = jr_run_i64(run, JR_RUN_EXECUTIONS, JR_EXECUTION_DUR, i);
		if (!own || strcmp(own, program) != 0 || dur_ns < 0 ||
			!jr_run_is(run, JR_RUN_EXECUTIONS, JR_EXECUTION_STEADY, i))
			continue;
		items[(*n)++] =
			(struct execution){jr_run_i64(run, JR_RUN_EXECUTIONS, JR_EXECUTION_NUMBER, i), dur_ns,
				jr_run_f64(run, JR_RUN_EXECUTIONS, JR_EXECUTION_START, i)};
	}
	jr_sort(items, *n, sizeof(*items), compare_executions);
	return items;
}

static struct jr_sample sample_executions(
	const struct execution *items, size_t n, struct jr_arena *arena)
{
	double *values = JR_ARENA_N(arena, double, n + 1);
	size_t n_steps = 0;
	for (size_t i = 0, end; i < n; i = end) {
		int64_t longest_ns = 0;
		for (end = i; end < n && items[end].number == items[i].number; end++)
			longest_ns = items[end].dur_ns > longest_ns ? items[end].dur_ns : longest_ns;
		values[n_steps++] = (double)longest_ns;
	}
	return (struct jr_sample){values, n_steps};
}

/* Periods of the report, which computes them only for the program of its step. */
static struct jr_sample sample_periods(const struct jr_run *run, struct jr_arena *arena)
{
	size_t n = jr_run_rows(run, JR_RUN_STEP_PERIODS), n_known = 0;
	double *values = JR_ARENA_N(arena, double, n + 1);
	for (size_t i = 0; i < n; i++) {
		double ns = jr_run_f64(run, JR_RUN_STEP_PERIODS, JR_STEP_PERIOD, i);
		if (ns >= 0 && ns < 0x1p53)
			values[n_known++] = ns;
	}
	return (struct jr_sample){values, n_known};
}

static const char *program_of(const struct jr_run *run, size_t module)
{
	return module == SIZE_MAX ? NULL : jr_run_text(run, JR_RUN_MODULES, JR_MODULE_ID, module);
}

/* Start of each execution of a program on the first device to start it, by number. */
static double *take_starts(
	const struct jr_run *run, const char *program, struct jr_arena *arena, size_t *n)
{
	size_t n_items;
	struct execution *items = take_executions(run, program, arena, &n_items);
	double *starts = JR_ARENA_N(arena, double, n_items + 1);
	*n = 0;
	for (size_t i = 0, end; i < n_items; i = end) {
		double first_ns = items[i].start_ns;
		for (end = i; end < n_items && items[end].number == items[i].number; end++)
			first_ns = fmin(first_ns, items[end].start_ns);
		starts[(*n)++] = first_ns;
	}
	return starts;
}

bool jr_run_once_per_step(const struct jr_run *run, size_t module, struct jr_arena *arena)
{
	const char *step = program_of(run, run->own_step), *other = program_of(run, module);
	if (!step || !other)
		return false;
	if (module == run->own_step || jr_run_is(run, JR_RUN_MODULES, JR_MODULE_ONCE, module))
		return true;
	size_t n, n_others, before = 0;
	double *steps = take_starts(run, step, arena, &n);
	double *others = take_starts(run, other, arena, &n_others);
	double least = INFINITY, most = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		while (before < n_others && others[before] < steps[i])
			before++;
		double ahead = (double)before - (double)i;
		least = fmin(least, ahead);
		most = fmax(most, ahead);
	}
	/* They take turns. The first or the last step may lack it. Starts so close together that clock
	 * errors decide their order may be swapped. */
	return n > 1 && most - least <= 1 && n_others + 1 >= n && n_others <= n + 1 &&
		   !isnan(steps[0]) && !isnan(others[0]);
}

void jr_run_set_step(struct jr_run *run, size_t module, struct jr_arena *arena)
{
	run->steps = (struct jr_run_steps){.row = module};
	if (!jr_run_rows(run, JR_RUN_MODULES)) { /* not XLA: steps that the program numbered */
		run->steps.periods = sample_periods(run, arena);
		return;
	}
	const char *program = program_of(run, module);
	if (!program)
		return;
	size_t n;
	struct execution *items = take_executions(run, program, arena, &n);
	run->steps.executions = sample_executions(items, n, arena);
	if (jr_run_once_per_step(run, module, arena))
		run->steps.periods = sample_periods(run, arena);
}

/* The program that the report says takes most time; SIZE_MAX if it names none. */
static size_t find_step(const struct jr_run *run, const char *program)
{
	for (size_t i = 0; program && i < jr_run_rows(run, JR_RUN_MODULES); i++) {
		const char *own = jr_run_text(run, JR_RUN_MODULES, JR_MODULE_ID, i);
		if (own && strcmp(own, program) == 0)
			return i;
	}
	return SIZE_MAX;
}

/* --- older reports ---------------------------------------------------------------------------- */

/* Reports and lines written before the step was the period have times of executions under the names
 * of steps. Version 0.2 has American spelling, and "warm-up" for initialization. */
static void take_old_names(struct jr_run *run)
{
	static const struct {
		enum jr_run_table table;
		size_t column, old;
	} names[] = {{JR_RUN_MODULES, JR_MODULE_EXECUTION_MEDIAN, JR_MODULE_OLD_MEDIAN},
		{JR_RUN_MODULES, JR_MODULE_EXECUTION_SUM, JR_MODULE_OLD_SUM},
		{JR_RUN_MODULES, JR_MODULE_EXECUTION_IDLE, JR_MODULE_OLD_IDLE},
		{JR_RUN_THUNKS, JR_THUNK_EXECUTION_SUM, JR_THUNK_OLD_SUM},
		{JR_RUN_THUNKS, JR_THUNK_EXECUTION_STD, JR_THUNK_OLD_STD},
		{JR_RUN_STEP_LEDGER, JR_STEP_PART_WARMUP, JR_STEP_PART_OLD_WARMUP}};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		struct jr_table *t = run->tables[names[i].table];
		union jr_cells *to = &t->cells[names[i].column], *from = &t->cells[names[i].old];
		for (size_t row = 0; row < t->n_rows; row++)
			if (t->spec->columns[names[i].column].type == JR_F64)
				to->f64[row] = isnan(to->f64[row]) ? from->f64[row] : to->f64[row];
			else if (to->i64[row] == JR_NULL_I64)
				to->i64[row] = from->i64[row];
	}
	const char **ids = run->tables[JR_RUN_FINDINGS]->cells[JR_FINDING_ID].text;
	for (size_t row = 0; row < jr_run_rows(run, JR_RUN_FINDINGS); row++)
		if (ids[row] && strcmp(ids[row], "rematerialisation") == 0)
			ids[row] = "rematerialization";
}

/* --- entry point ------------------------------------------------------------------------------ */

static const char *name_of(const struct jr_run *run, struct jr_arena *arena)
{
	size_t n = jr_run_rows(run, JR_RUN_INPUTS);
	const char *first = n ? jr_run_text(run, JR_RUN_INPUTS, JR_INPUT_NAME, 0) : NULL;
	if (!first)
		return "unnamed";
	return n == 1 ? first : jr_arena_printf(arena, "%s and %zu more", first, n - 1);
}

static const struct jr_run_scalar *find_scalar(const struct jr_run_source *source, const char *path)
{
	for (size_t i = 0; i < source->scalars.n; i++)
		if (strcmp(source->scalars.items[i].path, path) == 0)
			return &source->scalars.items[i];
	return NULL;
}

const char *jr_run_source_text(const struct jr_run_source *source, const char *path)
{
	const struct jr_run_scalar *scalar = find_scalar(source, path);
	return scalar && isnan(scalar->number) ? scalar->text : NULL;
}

/* NaN if the source does not have it, or it cannot be: no report has a negative one. */
static double number_of(const struct jr_run_source *source, const char *path)
{
	const struct jr_run_scalar *scalar = find_scalar(source, path);
	return scalar && scalar->number >= 0 && scalar->number < JR_RUN_MAX_NUMBER ? scalar->number
																			   : NAN;
}

/* The same at the older path `old` if the first path is missing. */
static double number_or(const struct jr_run_source *source, const char *path, const char *old)
{
	double number = number_of(source, path);
	return isnan(number) ? number_of(source, old) : number;
}

/* "options.warmup" is a setting of "options", "options.a.b" is not. */
static struct jr_run_settings settings_of(
	const struct jr_run_source *source, const char *path, struct jr_arena *arena)
{
	struct jr_run_settings out = {0};
	size_t n = strlen(path);
	out.items = JR_ARENA_N(arena, struct jr_run_setting, source->scalars.n + 1);
	for (size_t i = 0; i < source->scalars.n; i++) {
		const struct jr_run_scalar *scalar = &source->scalars.items[i];
		if (strncmp(scalar->path, path, n) == 0 && scalar->path[n] == '.' &&
			!strchr(scalar->path + n + 1, '.'))
			out.items[out.n++] = (struct jr_run_setting){scalar->path + n + 1, scalar->text};
	}
	return out;
}

const char *jr_run_refused_text(const struct jr_run *run, struct jr_arena *arena)
{
	size_t n = run->n_refused;
	if (!n)
		return NULL;
	return jr_arena_printf(arena,
		"%zu value%s of the earlier report %s left out: below 0, too large, or of another type. "
		"Make the report again",
		n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
}

void jr_run_read(struct jr_run *run, struct jr_run_source *source, struct jr_arena *arena)
{
	*run = (struct jr_run){0};
	for (size_t i = 0; i < JR_RUN_N_TABLES; i++) {
		run->has[i] = source->tables[i];
		run->tables[i] = run->has[i] ? source->tables[i] : jr_table_new(arena, &jr_run_specs[i], 0);
	}
	run->n_refused = source->n_refused;
	take_old_names(run);
	run->name = name_of(run, arena);
	run->version = jr_run_source_text(source, "generator.version");
	run->versions = settings_of(source, "provenance", arena);
	run->flags = settings_of(source, "provenance.flags", arena);
	run->options = settings_of(source, "options", arena);
	/* reports of 0.1.0 have only the sum of all processes */
	run->compile_total_ns =
		1e6 * (jr_run_rows(run, JR_RUN_INPUTS) == 1
					  ? number_or(source, "compilation.process_ms", "compilation.total_ms")
					  : number_of(source, "compilation.process_ms"));
	run->execution_mean_ns = 1e6 * number_or(source, "execution.mean_ms", "step.mean_ms");
	run->roofline.hfu = number_of(source, "roofline.step.hfu");
	run->roofline.mfu = number_of(source, "roofline.step.mfu");
	run->roofline.roof_ns = 1e6 * number_of(source, "roofline.step.roof_ms");
	run->roofline.lost_ns = 1e6 * number_of(source, "roofline.step.lost_ms");
	run->roofline.not_counted_frac = number_of(source, "roofline.not_counted.active_percent") / 100;
	run->rates.tokens_per_s = number_of(source, "throughput.tokens_per_s");
	run->rates.tokens_per_s_device = number_of(source, "throughput.tokens_per_s_device");
	run->rates.samples_per_s = number_of(source, "throughput.samples_per_s");
	run->rates.samples_per_s_device = number_of(source, "throughput.samples_per_s_device");
	run->rates.tflops_per_device = number_of(source, "throughput.tflops_per_device");
	run->rates.cost_per_step = number_of(source, "cost.per_step");
	run->rates.cost_per_million = number_of(source, "cost.per_million_tokens");
	memcpy(run->stacks, source->stacks, sizeof(run->stacks));
	const char *partial = jr_run_source_text(source, "live_memory.partial");
	run->live_partial = partial && strcmp(partial, "true") == 0;
	run->numbered = jr_run_source_text(source, "step.numbered");
	run->selection = jr_run_source_text(source, "selection.text");
	run->own_step = find_step(run, jr_run_source_text(source, "step.program_id"));
	jr_run_set_step(run, run->own_step, arena);
	jr_vec_done(&source->scalars);
}
