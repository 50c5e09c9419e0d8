/* Module executions over time, with warm-up marked, to check that the steady part is steady. */
#include <math.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/terms.h"
#include "analysis/step/step_tables.h"

JR_COLUMNS_OF(columns, JR_EXECUTIONS_COLUMNS);
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("executions", JR_AT(executions), "Module executions",
		"One row per execution of the top modules, including warm-up; by device, then start",
		columns),
	.data_only = true};

static struct jr_table *make_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_modules *m = &p->modules;
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		n += ctx->steady->programs[m->program[i]].top;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	const char **ids = jr_program_ids(p, ctx->arena);
	const char **states = JR_ARENA_N(ctx->arena, const char *, p->n_devices + 1);
	for (size_t d = 0; d < p->n_devices; d++)
		states[d] = p->n_devices > JR_DEVICES_IN_FULL
						? "steady"
						: jr_arena_printf(ctx->arena, "device %u", p->devices[d].global);
	double first_ns = jr_profile_zero_ns(p);
	union jr_cells *c = table->cells;
	for (size_t i = 0, row = 0; i < m->n; i++) {
		if (!ctx->steady->programs[m->program[i]].top)
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
		c[JR_EXECUTIONS_state].text[row] = m->steady[i] ? states[m->device[i]] : "warm-up";
		c[JR_EXECUTIONS_label].text[row] =
			jr_arena_printf(ctx->arena, "%s, execution %u, device %u", name,
				m->program_execution[i], p->devices[m->device[i]].global);
		row++;
	}
	return table;
}

/* The time axis of the chart starts at the first steady execution. */
static void add_since(struct jr_table *table)
{
	const union jr_cells *c = table->cells;
	double first = INFINITY;
	for (size_t row = 0; row < table->n_rows; row++)
		if (c[JR_EXECUTIONS_steady].boolean[row])
			first = fmin(first, c[JR_EXECUTIONS_start_ms].f64[row]);
	for (size_t row = 0; row < table->n_rows; row++)
		c[JR_EXECUTIONS_since_ms].f64[row] =
			c[JR_EXECUTIONS_start_ms].f64[row] - (isfinite(first) ? first : 0);
}

static bool any_warmup(const struct jr_table *table)
{
	return table->n_rows && memchr(table->cells[JR_EXECUTIONS_steady].boolean, 0, table->n_rows);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_table *table = make_table(ctx);
	add_since(table);
	struct jr_chart chart = {.name = "steps",
		.title = "Duration of each module execution",
		.caption =
			any_warmup(table)
				? "executions of the top modules. The axes fit the steady ones; warm-up "
				  "beyond them is marked at the edge with its duration and is not counted as "
				  "a step elsewhere"
				: "executions of the top modules; none of them is warm-up",
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
