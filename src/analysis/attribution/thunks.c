/* Thunks of the top modules; analysis/README.md, section 4.4. */
#include "analysis/shared/columns.h"
#include "analysis/shared/step_parts.h"
#include "analysis/attribution/attribution_tables.h"
#include "analysis/core/terms.h"

#include <string.h>

JR_TABLE_OF(spec, JR_THUNKS_COLUMNS, "thunks", JR_AT(thunks), "Thunks",
	"One row per thunk (kernel launch site) of a top module; by active time");

/* Return the shape that XLA's annotation states, without layouts; NULL = none. */
static const char *annotated_shape(
	const struct jr_profile *p, const struct jr_op *op, struct jr_arena *arena)
{
	const char *text = jr_str(p, op->said->text);
	struct jr_hlo_text hlo;
	if (!jr_hlo_text_parse(text, strlen(text), &hlo))
		return NULL;
	return jr_arena_strndup(arena, (const char *)hlo.result.data, hlo.result.size);
}

static void fill_row(struct jr_pass_context *ctx, struct jr_table *table, size_t row,
	uint32_t op_row, const char **ids)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_op *op = &p->ops[op_row];
	const struct jr_op_steady *s = &ctx->steady->ops[op_row];
	union jr_cells *c = table->cells;
	c[JR_THUNKS_program_id].text[row] = ids[op->program];
	c[JR_THUNKS_name].text[row] = jr_str(p, op->name);
	c[JR_THUNKS_opcode].text[row] = jr_text_or_null(p, op->opcode);
	/* An instruction without op_name has an empty one; without HLO the op_name may be unknown. */
	c[JR_THUNKS_op_name].text[row] = op->opcode || op->op_name ? jr_str(p, op->op_name) : NULL;
	c[JR_THUNKS_category].text[row] = jr_op_category(p, op);
	c[JR_THUNKS_communication].boolean[row] = op->communication;
	c[JR_THUNKS_count].i64[row] = s->count;
	c[JR_THUNKS_active_ms].i64[row] = s->active_ns;
	c[JR_THUNKS_mean_ms].f64[row] = (double)s->active_ns / (double)s->count;
	c[JR_THUNKS_std_ms].f64[row] = jr_stats_std(&s->active);
	c[JR_THUNKS_percent].f64[row] =
		jr_ratio((double)s->active_ns, (double)ctx->steady->thunks_active_ns);
	if (op->instruction != JR_NONE)
		c[JR_THUNKS_shape].text[row] = jr_hlo_shape_text(
			p->programs[op->program].hlo->instructions[op->instruction].shape, ctx->arena);
	else if (op->said && !op->opcode)
		c[JR_THUNKS_shape].text[row] = annotated_shape(p, op, ctx->arena);
	c[JR_THUNKS_execution_sum_ms].i64[row] = ctx->steps->ops[op_row].sum_ns;
	c[JR_THUNKS_execution_std_ms].f64[row] = ctx->steps->ops[op_row].std_ns;
	c[JR_THUNKS_ledger_ms].f64[row] = ctx->parts->ops[op_row].mean_ns;
	c[JR_THUNKS_ledger_max_ms].f64[row] = ctx->parts->ops[op_row].most_ns;
	if (ctx->parts->ops[op_row].most_device != JR_NONE)
		c[JR_THUNKS_ledger_max_device].i64[row] = ctx->parts->ops[op_row].most_device;
	c[JR_THUNKS_source_file].text[row] = jr_text_or_null(p, op->source_file);
	if (op->source_file && op->source_line > 0) {
		c[JR_THUNKS_source_line].i64[row] = op->source_line;
		c[JR_THUNKS_source].text[row] =
			jr_arena_printf(ctx->arena, "%s:%d", jr_str(p, op->source_file), op->source_line);
	}
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, p->n_ops + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < p->n_ops; i++)
		if (st->ops[i].count && st->programs[p->ops[i].program].top)
			keys[n++] = (struct jr_rank_key){
				(double)st->ops[i].active_ns, jr_str(p, p->ops[i].name), p->ops[i].program, i};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	const char **ids = jr_program_ids(p, ctx->arena);
	for (size_t row = 0; row < n; row++)
		fill_row(ctx, table, row, keys[row].row, ids);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_thunks = {
	.name = "thunks",
	.title = "Thunks",
	.summary =
		"Kernels and library calls by " JR_GPU " time, with the JAX operation and source line",
	.needs = JR_NEEDS_THUNKS,
	.group = JR_GROUP_GPU,
	.run = run,
};
