#include "compare/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define JR_RUN_COLUMN(id, column_key, column_type, column_unit)                                    \
	{.key = (column_key), .type = (column_type), .unit = (column_unit)},
#define JR_RUN_TABLE(id, path)                                                                     \
	static const struct jr_column_spec id##_COLUMNS[] = {JR_RUN_##id##_COLUMNS};
JR_RUN_TABLES
#undef JR_RUN_TABLE
#undef JR_RUN_COLUMN

static const struct jr_table_spec specs[JR_RUN_N_TABLES] = {
#define JR_RUN_TABLE(id, path)                                                                     \
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
	int64_t device, number, dur_ns;
	double start_ns;
};

static int compare_executions(const void *a, const void *b)
{
	const struct execution *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->dur_ns != y->dur_ns)
		return x->dur_ns > y->dur_ns ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Steady executions of a program, those of one number together. */
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
		items[(*n)++] = (struct execution){
			jr_run_i64(run, JR_RUN_EXECUTIONS, JR_EXECUTION_DEVICE, i),
			jr_run_i64(run, JR_RUN_EXECUTIONS, JR_EXECUTION_NUMBER, i), dur_ns,
			jr_run_f64(run, JR_RUN_EXECUTIONS, JR_EXECUTION_START, i)};
	}
	if (*n)
		qsort(items, *n, sizeof(*items), compare_executions);
	return items;
}

/* A period is only taken between steps that follow each other by number: the mean over devices that
 * ran both, each by its own clock. `items` are by number, then device. */
static double period_of(const struct execution *last, size_t n_last, const struct execution *items,
	size_t n)
{
	double sum_ns = 0;
	size_t both = 0;
	for (size_t i = 0, k = 0; i < n; i++) {
		while (k < n_last && last[k].device < items[i].device)
			k++;
		double ns = k < n_last && last[k].device == items[i].device
						? items[i].start_ns - last[k].start_ns
						: NAN;
		if (!isfinite(ns))
			continue;
		sum_ns += ns;
		both++;
	}
	return both ? sum_ns / (double)both : NAN;
}

static void sum_steps(
	struct jr_run_steps *steps, const struct execution *items, size_t n, struct jr_arena *arena)
{
	double *durations = JR_ARENA_N(arena, double, n + 1),
		   *periods = JR_ARENA_N(arena, double, n + 1);
	size_t n_steps = 0, n_periods = 0, last = 0;
	for (size_t i = 0, end; i < n; last = i, i = end) {
		int64_t longest_ns = 0;
		for (end = i; end < n && items[end].number == items[i].number; end++)
			longest_ns = items[end].dur_ns > longest_ns ? items[end].dur_ns : longest_ns;
		durations[n_steps++] = (double)longest_ns;
		bool follows = i && items[last].number + 1 == items[i].number;
		double period_ns =
			follows ? period_of(&items[last], i - last, &items[i], end - i) : NAN;
		if (!isnan(period_ns))
			periods[n_periods++] = period_ns;
	}
	steps->durations = (struct jr_sample){durations, n_steps};
	steps->periods = (struct jr_sample){periods, n_periods};
}

void jr_run_set_step(struct jr_run *run, size_t module, struct jr_arena *arena)
{
	run->steps = (struct jr_run_steps){.row = module};
	const char *program =
		module == SIZE_MAX ? NULL : jr_run_text(run, JR_RUN_MODULES, JR_MODULE_ID, module);
	if (!program)
		return;
	size_t n;
	struct execution *items = take_executions(run, program, arena, &n);
	sum_steps(&run->steps, items, n, arena);
}

/* The program that takes most time, as the report says; modules are by time. */
static size_t find_step(const struct jr_run *run, const char *program)
{
	for (size_t i = 0; program && i < jr_run_rows(run, JR_RUN_MODULES); i++) {
		const char *own = jr_run_text(run, JR_RUN_MODULES, JR_MODULE_ID, i);
		if (own && strcmp(own, program) == 0)
			return i;
	}
	return SIZE_MAX;
}

/* --- the whole -------------------------------------------------------------------------------- */

static const char *name_of(const struct jr_run *run, struct jr_arena *arena)
{
	size_t n = jr_run_rows(run, JR_RUN_INPUTS);
	const char *first = n ? jr_run_text(run, JR_RUN_INPUTS, JR_INPUT_NAME, 0) : NULL;
	if (!first)
		return "unnamed";
	return n == 1 ? first : jr_arena_printf(arena, "%s and %zu more", first, n - 1);
}

/* NaN where the source does not have it. */
static double number_or_nan(const struct jr_run_source *source, void *state, const char *path)
{
	double v;
	return source->number(state, path, &v) ? v : NAN;
}

static void read_roofline(struct jr_run *run, const struct jr_run_source *source, void *state)
{
	run->roofline.hfu = number_or_nan(source, state, "roofline.step.hfu");
	run->roofline.mfu = number_or_nan(source, state, "roofline.step.mfu");
	run->roofline.roof_ns = 1e6 * number_or_nan(source, state, "roofline.step.roof_ms");
	run->roofline.lost_ns = 1e6 * number_or_nan(source, state, "roofline.step.lost_ms");
	run->roofline.not_counted_frac =
		number_or_nan(source, state, "roofline.not_counted.active_percent") / 100;
}

void jr_run_read(
	struct jr_run *run, const struct jr_run_source *source, void *state, struct jr_arena *arena)
{
	*run = (struct jr_run){.compile_total_ns = NAN, .step_mean_ns = NAN};
	for (size_t i = 0; i < JR_RUN_N_TABLES; i++) {
		run->tables[i] = source->table(state, &specs[i], arena);
		run->has[i] = run->tables[i];
		if (!run->tables[i])
			run->tables[i] = jr_table_new(arena, &specs[i], 0);
	}
	run->name = name_of(run, arena);
	run->version = source->text(state, "generator.version");
	run->versions = source->settings(state, "provenance", arena);
	run->flags = source->settings(state, "provenance.flags", arena);
	run->options = source->settings(state, "options", arena);
	double total_ms, mean_ms;
	/* Reports of 0.1.0 have the sum of all processes alone. */
	if (source->number(state, "compilation.process_ms", &total_ms) ||
		(jr_run_rows(run, JR_RUN_INPUTS) == 1 &&
			source->number(state, "compilation.total_ms", &total_ms)))
		run->compile_total_ns = total_ms * 1e6;
	if (source->number(state, "step.mean_ms", &mean_ms))
		run->step_mean_ns = mean_ms * 1e6;
	read_roofline(run, source, state);
	for (enum jr_run_tree tree = 0; tree < JR_RUN_N_TREES; tree++)
		run->stacks[tree] = source->stacks(state, tree, arena);
	jr_run_set_step(run, find_step(run, source->text(state, "step.program_id")), arena);
}
