/* Module executions over time, with warm-up marked, to check that the steady part is steady. */
#include <math.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/step/step_tables.h"
#include "base/order.h"
#include "base/sort.h"

JR_COLUMNS_OF(columns, JR_EXECUTIONS_COLUMNS);
#define HELP                                                                                       \
	"One row per execution of the top modules, including warm-up; by device, then start. Of more " \
	"than 16 devices, four rows per execution: the device that starts first, and those with the "  \
	"shortest, the median and the longest duration; executions.csv has all rows"
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("executions", JR_AT(executions), "Module executions", HELP, columns),
	.data_only = true};
/* Of many devices: all rows, and those of report.json and of the chart. */
static const struct jr_table_spec all_spec = {
	JR_TABLE_SPEC("executions", NULL, "Module executions", HELP, columns), .data_only = true};
static const struct jr_table_spec few_spec = {
	JR_TABLE_SPEC("execution_range", JR_AT(executions), "Module executions", HELP, columns),
	.data_only = true};

static bool is_top(const struct jr_pass_context *ctx, size_t module)
{
	return ctx->steady->programs[ctx->profile->modules.program[module]].top;
}

/* An execution of a program, on one device. */
struct part {
	uint32_t program, execution, steady, module;
	int64_t dur_ns;
};

JR_ORDER(compare_parts, struct part,
	JR_UP(program) JR_UP(execution) JR_UP(steady) JR_UP(dur_ns) JR_UP(module))

enum { KEPT = 1, DRAWN = 2 };

/* Mark the rows of modules that represent each execution on many devices. Comparisons read from
 * report.json its longest row and its first start, of the steady ones. In the scratch arena. */
static const uint8_t *mark_few(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_modules *m = &p->modules;
	uint8_t *kept = JR_ARENA_N(ctx->scratch, uint8_t, m->n + 1);
	struct part *parts = JR_ARENA_N(ctx->scratch, struct part, m->n + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < m->n; i++)
		if (is_top(ctx, i))
			parts[n++] = (struct part){
				m->program[i], m->program_execution[i], m->steady[i], i, m->dur_ns[i]};
	jr_sort(parts, n, sizeof(*parts), compare_parts);
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t first = parts[i].module;
		for (end = i;
			 end < n && parts[end].program == parts[i].program &&
			 parts[end].execution == parts[i].execution && parts[end].steady == parts[i].steady;
			 end++)
			if (jr_aligned_ns(p, m->start_ns[parts[end].module], m->device[parts[end].module]) <
				jr_aligned_ns(p, m->start_ns[first], m->device[first]))
				first = parts[end].module;
		kept[first] |= KEPT;
		kept[parts[i].module] = kept[parts[end - 1].module] = DRAWN;
		kept[parts[i + (end - i - 1) / 2].module] = DRAWN;
	}
	return kept;
}

#define MOST_PROGRAMS 7 /* each with a color of its own, besides warm-up */

/* The color of points: by program if several ran, whose durations differ most; else by device, or
 * of many devices all alike. [n_modules], of warm-up and of other rows not meaningful */
static const char **name_states(struct jr_pass_context *ctx, const uint8_t *kept)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_modules *m = &p->modules;
	const char **states = JR_ARENA_N(ctx->scratch, const char *, m->n + 1);
	const char **programs = JR_ARENA_N(ctx->scratch, const char *, p->n_programs + 1);
	const char **devices = JR_ARENA_N(ctx->scratch, const char *, p->n_devices + 1);
	size_t n_programs = 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->steady[i] && is_top(ctx, i) && !programs[m->program[i]]) {
			programs[m->program[i]] = jr_program_words(p, m->program[i], ctx->arena);
			n_programs++;
		}
	for (size_t d = 0; d < p->n_devices; d++)
		devices[d] =
			kept ? "steady" : jr_arena_printf(ctx->arena, "device %u", p->devices[d].global);
	bool by_program = n_programs > 1 && n_programs <= MOST_PROGRAMS;
	for (size_t i = 0; i < m->n; i++)
		states[i] = by_program ? programs[m->program[i]] : devices[m->device[i]];
	return states;
}

/* kept: the rows of modules that it gets; NULL: all top modules. */
static struct jr_table *make_table(
	struct jr_pass_context *ctx, const struct jr_table_spec *table_spec, const uint8_t *kept)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_modules *m = &p->modules;
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		n += kept ? kept[i] != 0 : is_top(ctx, i);
	struct jr_table *table = jr_table_new(ctx->arena, table_spec, n);
	const char **ids = jr_program_ids(p, ctx->arena);
	const char **states = name_states(ctx, kept);
	double first_ns = jr_profile_zero_ns(p);
	union jr_cells *c = table->cells;
	for (size_t i = 0, row = 0; i < m->n; i++) {
		if (kept ? !kept[i] : !is_top(ctx, i))
			continue;
		const char *name = jr_str(p, p->programs[m->program[i]].name);
		c[JR_EXECUTIONS_program_id].text[row] = ids[m->program[i]];
		c[JR_EXECUTIONS_name].text[row] = name;
		c[JR_EXECUTIONS_program_execution].i64[row] = m->program_execution[i];
		c[JR_EXECUTIONS_device].i64[row] = p->devices[m->device[i]].global;
		c[JR_EXECUTIONS_start_ms].f64[row] =
			jr_aligned_ns(p, m->start_ns[i], m->device[i]) - first_ns;
		c[JR_EXECUTIONS_dur_ms].i64[row] = m->dur_ns[i];
		c[JR_EXECUTIONS_thunks].i64[row] = m->n_thunks[i];
		c[JR_EXECUTIONS_steady].boolean[row] = m->steady[i];
		c[JR_EXECUTIONS_state].text[row] = m->steady[i] ? states[i] : "warm-up";
		if (kept ? kept[i] == DRAWN : table_spec == &spec)
			c[JR_EXECUTIONS_label].text[row] =
				jr_arena_printf(ctx->arena, "%s, execution %u, device %u", name,
					m->program_execution[i], p->devices[m->device[i]].global);
		row++;
	}
	return table;
}

/* The time axis of the chart starts at the first steady execution. Rows without a label are not
 * drawn. */
static void add_since(struct jr_table *table)
{
	const union jr_cells *c = table->cells;
	double first = INFINITY;
	for (size_t row = 0; row < table->n_rows; row++)
		if (c[JR_EXECUTIONS_steady].boolean[row])
			first = fmin(first, c[JR_EXECUTIONS_start_ms].f64[row]);
	for (size_t row = 0; row < table->n_rows; row++)
		if (c[JR_EXECUTIONS_label].text[row])
			c[JR_EXECUTIONS_since_ms].f64[row] =
				c[JR_EXECUTIONS_start_ms].f64[row] - (isfinite(first) ? first : 0);
}

static bool any_warmup(const struct jr_table *table)
{
	return table->n_rows && memchr(table->cells[JR_EXECUTIONS_steady].boolean, 0, table->n_rows);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	bool many = ctx->profile->n_devices > JR_DEVICES_IN_FULL;
	if (many)
		jr_section_table(out, ctx->arena, make_table(ctx, &all_spec, NULL));
	struct jr_table *table = make_table(ctx, many ? &few_spec : &spec, many ? mark_few(ctx) : NULL);
	add_since(table);
	struct jr_chart chart = {.name = "steps",
		.title = "Duration of each module execution",
		.caption = jr_arena_printf(ctx->arena, "executions of the top modules%s%s",
			many ? ", of each the shortest, the median and the longest" : "",
			any_warmup(table)
				? ". The axes fit the steady ones; warm-up beyond them is marked at the edge "
				  "with its duration and is not counted as a step elsewhere"
				: "; none of them is warm-up"),
		.kind = JR_CHART_SCATTER,
		.table = table,
		.x = JR_KEY(JR_EXECUTIONS, since_ms),
		.x_title = "Start relative to the first steady execution",
		.y = JR_KEY(JR_EXECUTIONS, dur_ms),
		.series = JR_KEY(JR_EXECUTIONS, state),
		.label = JR_KEY(JR_EXECUTIONS, label),
		.frame = JR_KEY(JR_EXECUTIONS, steady)};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_steps = {
	.name = "steps",
	.title = "Steps over time",
	.summary = "Each execution of the top modules over time, with warm-up marked",
	.needs = JR_NEEDS_MODULES,
	.group = JR_GROUP_STEP,
	.run = run,
};
