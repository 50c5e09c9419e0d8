/* Active time by HLO opcode; analysis/README.md, section 4.5. */
#include "analysis/columns.h"

enum { OPCODE, ACTIVE, PERCENT };

static const struct jr_column_spec columns[] = {
	{"opcode", "Opcode", "HLO opcode; unknown: no HLO of the program", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE},
	{"active_ms", "Active", "sum of active thunk time", JR_I64, JR_UNIT_NS, 0},
	{"percent", "Share", "of the time of the top modules, (2)", JR_F64, JR_UNIT_PERCENT,
		JR_COL_BAR},
};
static const struct jr_table_spec spec = {JR_TABLE_SPEC("opcodes", "opcodes", "Opcodes",
	"One row an HLO opcode of the top modules' thunks; by active time", columns)};

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	int64_t *sums_ns = JR_ARENA_N(ctx->scratch, int64_t, p->strings.n + 1);
	uint8_t *seen = JR_ARENA_N(ctx->scratch, uint8_t, p->strings.n + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (!st->ops[i].count || !st->programs[p->ops[i].program].top)
			continue;
		n += !seen[p->ops[i].opcode];
		seen[p->ops[i].opcode] = 1;
		sums_ns[p->ops[i].opcode] += st->ops[i].active_ns;
	}
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, n + 1);
	n = 0;
	for (uint32_t id = 0; id < p->strings.n; id++)
		if (seen[id])
			keys[n++] = (struct jr_rank_key){
				(double)sums_ns[id], id ? jr_str(p, id) : "unknown", 0, id};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n + 1);
	union jr_cells *c = table->cells;
	double total_ns = (double)st->modules_active_ns;
	for (size_t row = 0; row < n; row++) {
		c[OPCODE].text[row] = keys[row].name;
		c[ACTIVE].i64[row] = sums_ns[keys[row].row];
		c[PERCENT].f64[row] = jr_ratio(keys[row].value, total_ns);
	}
	int64_t idle_ns = st->modules_active_ns - st->thunks_active_ns;
	c[OPCODE].text[n] = "GPU idle during modules";
	c[ACTIVE].i64[n] = idle_ns > 0 ? idle_ns : 0;
	c[PERCENT].f64[n] = jr_ratio((double)c[ACTIVE].i64[n], total_ns);
	table->n_data = n;
	struct jr_chart chart = {.name = "opcodes",
		.title = "GPU time by HLO opcode",
		.caption = "active time of the top modules over all devices; the rest of the time in which "
				   "modules were active is idle",
		.kind = JR_CHART_BARS,
		.table = table,
		.x = "opcode",
		.y = "active_ms"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_opcodes = {
	.name = "opcodes",
	.title = "Opcodes",
	.summary = "GPU time by kind of HLO instruction",
	.needs = JR_NEEDS_THUNKS,
	.run = run,
};
