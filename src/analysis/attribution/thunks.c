/* Thunks of the top modules; analysis/README.md, section 4.4. */
#include "analysis/shared/columns.h"
#include "analysis/shared/step_parts.h"
#include "analysis/core/terms.h"

enum {
	PROGRAM,
	NAME,
	OPCODE,
	OP_NAME,
	CATEGORY,
	COMMUNICATION,
	COUNT,
	ACTIVE,
	MEAN,
	STD,
	PERCENT,
	SOURCE_FILE,
	SOURCE_LINE,
	SOURCE,
	SHAPE,
	EXECUTION_SUM,
	EXECUTION_STD,
	STEP,
	STEP_MOST,
	STEP_DEVICE
};

static const struct jr_column_spec columns[] = {
	{"program_id", "Program", "program id", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"name", "Thunk", "name of the HLO instruction", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE},
	{"opcode", "Opcode", "HLO opcode", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"op_name", "op_name", "path of the JAX operation it came from", JR_TEXT, JR_UNIT_NONE,
		JR_COL_CODE},
	{"category", "Category", "what the operation does, from opcode and custom-call target", JR_TEXT,
		JR_UNIT_NONE, 0},
	{"communication", "Communication", "a collective or host copy", JR_BOOL, JR_UNIT_NONE,
		JR_COL_DATA_ONLY},
	{"count", "Count", "steady executions over all devices", JR_I64, JR_UNIT_COUNT, 0},
	{"active_ms", "Active", "sum of active time: exposed time of communication, duration of others",
		JR_I64, JR_UNIT_NS, 0},
	{"mean_ms", "Mean", "active time of an execution, over all devices", JR_F64, JR_UNIT_NS, 0},
	{"std_ms", "±", "sample standard deviation of that over executions", JR_F64, JR_UNIT_NS,
		JR_COL_SPREAD},
	{"percent", "Share", "of the active thunk time of the top modules, (1)", JR_F64,
		JR_UNIT_PERCENT, JR_COL_BAR},
	{"source.file", "File", "innermost Python frame", JR_TEXT, JR_UNIT_NONE,
		JR_COL_DATA_ONLY | JR_COL_CODE},
	{"source.line", "Line", "its line", JR_I64, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"source", "Source", "innermost Python frame, file and line", JR_TEXT, JR_UNIT_NONE,
		JR_COL_RENDERED_ONLY | JR_COL_SOURCE | JR_COL_CODE},
	{"shape", "Shape", "of its result: element type, dimensions and layout", JR_TEXT, JR_UNIT_NONE,
		JR_COL_DATA_ONLY | JR_COL_CODE},
	{"execution_sum_ms", "Executions' sum",
		"its own time in executions of the slowest device, sum over executions; time that several "
		"thunks share goes to compute first, then to the thunk that began first",
		JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"execution_std_ms", "Execution ±", "sample standard deviation of that over executions", JR_F64,
		JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"ledger_ms", "Per step, time ledger",
		"its own time per step without waiting for other devices, mean over devices; time that "
		"several thunks share goes as in the time ledger",
		JR_F64, JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"ledger_max_ms", "Per step, longest", "the same of the device where it is longest", JR_F64,
		JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"ledger_max_device", "Device", "that device", JR_I64, JR_UNIT_NONE, JR_COL_DATA_ONLY},
};
static const struct jr_table_spec spec = {JR_TABLE_SPEC("thunks", "thunks", "Thunks",
	"Per thunk (kernel launch site) of a top module; by active time", columns)};

static void fill_row(struct jr_pass_context *ctx, struct jr_table *table, size_t row,
	uint32_t op_row, const char **ids)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_op *op = &p->ops[op_row];
	const struct jr_op_steady *s = &ctx->steady->ops[op_row];
	union jr_cells *c = table->cells;
	c[PROGRAM].text[row] = ids[op->program];
	c[NAME].text[row] = jr_str(p, op->name);
	c[OPCODE].text[row] = jr_text_or_null(p, op->opcode);
	/* An instruction without op_name has an empty one; without HLO it is unknown. */
	c[OP_NAME].text[row] = op->opcode ? jr_str(p, op->op_name) : NULL;
	c[CATEGORY].text[row] = jr_op_category(p, op);
	c[COMMUNICATION].boolean[row] = op->communication;
	c[COUNT].i64[row] = s->count;
	c[ACTIVE].i64[row] = s->active_ns;
	c[MEAN].f64[row] = (double)s->active_ns / (double)s->count;
	c[STD].f64[row] = jr_stats_std(&s->active);
	c[PERCENT].f64[row] = jr_ratio((double)s->active_ns, (double)ctx->steady->thunks_active_ns);
	if (op->instruction != JR_NONE)
		c[SHAPE].text[row] = jr_hlo_shape_text(
			p->programs[op->program].hlo->instructions[op->instruction].shape, ctx->arena);
	c[EXECUTION_SUM].i64[row] = ctx->steps->ops[op_row].sum_ns;
	c[EXECUTION_STD].f64[row] = ctx->steps->ops[op_row].std_ns;
	c[STEP].f64[row] = ctx->parts->ops[op_row].mean_ns;
	c[STEP_MOST].f64[row] = ctx->parts->ops[op_row].most_ns;
	if (ctx->parts->ops[op_row].most_device != JR_NONE)
		c[STEP_DEVICE].i64[row] = ctx->parts->ops[op_row].most_device;
	c[SOURCE_FILE].text[row] = jr_text_or_null(p, op->source_file);
	if (op->source_file && op->source_line > 0) {
		c[SOURCE_LINE].i64[row] = op->source_line;
		c[SOURCE].text[row] = jr_arena_printf(
			ctx->arena, "%s:%d", jr_str(p, op->source_file), op->source_line);
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
