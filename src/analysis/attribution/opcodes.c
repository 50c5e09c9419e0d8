/* Active time by kind of work, and by HLO opcode; analysis/README.md, section 4.5. */
#include <math.h>

#include "analysis/shared/columns.h"
#include "analysis/core/terms.h"
#include "analysis/core/vendor.h"
#include "analysis/cost/work_kind.h"
#include "analysis/attribution/attribution_tables.h"

JR_TABLE_OF(opcode_spec, JR_OPCODES_COLUMNS, "opcodes", JR_AT(opcodes), "Opcodes",
	"One row per HLO opcode of the top modules' thunks; by active time", .looked_up = true);

#define KIND_COLUMNS(X, T)                                                                         \
	X(T, kind, "Kind of work",                                                                     \
		"for a fusion, that of its larger instructions; for a collective, its type; "              \
		"unknown: no HLO, or a call to code that XLA cannot inspect",                              \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, active_ms, "Active", "sum of active thunk time", I64, NS)                                 \
	X(T, percent, "Share",                                                                         \
		"share of the time of the top modules, (2); unknown if thunks that overlap take more",     \
		F64, PERCENT, JR_COL_BAR)
JR_TABLE(kind_spec, KIND, KIND_COLUMNS, "work_kinds", "work_kinds", "Kinds of work",
	"One row per kind of work of the top modules' thunks; by active time");

#define IDLE JR_GPU " idle during modules"

/* Sums by name; names are ids of the profile's strings or of a table in this file. */
struct sums {
	size_t n_names;
	const char **names; /* [n_names] */
	int64_t *ns;
	uint8_t *seen;
};

static struct sums sums_new(struct jr_arena *arena, size_t n_names)
{
	return (struct sums){n_names, JR_ARENA_N(arena, const char *, n_names + 1),
		JR_ARENA_N(arena, int64_t, n_names + 1), JR_ARENA_N(arena, uint8_t, n_names + 1)};
}

static void add(struct sums *sums, size_t at, const char *name, int64_t ns)
{
	sums->names[at] = name;
	sums->seen[at] = 1;
	sums->ns[at] += ns;
}

_Static_assert((int)JR_OPCODES_opcode == (int)KIND_kind &&
				   (int)JR_OPCODES_active_ms == (int)KIND_active_ms &&
				   (int)JR_OPCODES_percent == (int)KIND_percent,
	"to_table() fills both");

/* Sort by active time; idle time is an additional row, for people only. */
static struct jr_table *to_table(
	struct jr_pass_context *ctx, const struct jr_table_spec *spec, const struct sums *sums)
{
	const struct jr_steady *st = ctx->steady;
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, sums->n_names + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < sums->n_names; i++)
		if (sums->seen[i])
			keys[n++] = (struct jr_rank_key){(double)sums->ns[i], sums->names[i], 0, i};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(ctx->arena, spec, n + 1);
	union jr_cells *c = table->cells;
	double total_ns = (double)st->modules_active_ns;
	int64_t idle_ns = st->modules_active_ns - st->thunks_active_ns;
	idle_ns = idle_ns > 0 ? idle_ns : 0;
	for (size_t row = 0; row < n; row++) {
		c[KIND_kind].text[row] = keys[row].name;
		c[KIND_active_ms].i64[row] = sums->ns[keys[row].row];
		c[KIND_percent].f64[row] =
			keys[row].value <= total_ns ? jr_ratio(keys[row].value, total_ns) : NAN;
	}
	c[KIND_kind].text[n] = jr_vendor_words(jr_words_of(ctx->profile), IDLE, ctx->arena);
	c[KIND_active_ms].i64[n] = idle_ns;
	c[KIND_percent].f64[n] = jr_ratio((double)idle_ns, total_ns);
	table->n_data = n;
	return table;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	/* collectives have their own names, after the kinds */
	struct sums kinds = sums_new(ctx->scratch, JR_N_WORK + p->strings.n);
	struct sums opcodes = sums_new(ctx->scratch, p->strings.n);
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const struct jr_op *op = &p->ops[i];
		if (!st->ops[i].count || !st->programs[op->program].top)
			continue;
		int64_t active_ns = st->ops[i].active_ns;
		enum jr_work_kind kind = jr_work_kind(ctx->kinds, op);
		bool sort = kind == JR_WORK_COLLECTIVE && op->collective;
		add(&kinds, sort ? JR_N_WORK + op->collective : (size_t)kind,
			sort ? jr_str(p, op->collective) : jr_work_kind_name(kind), active_ns);
		add(&opcodes, op->opcode, op->opcode ? jr_str(p, op->opcode) : "unknown", active_ns);
	}
	struct jr_table *table = to_table(ctx, &kind_spec, &kinds);
	struct jr_chart chart = {.name = "work_kinds",
		.title = JR_GPU " time by kind of work",
		.caption =
			"active time of the top modules over all devices; the rest of the module time is idle",
		.kind = JR_CHART_BARS,
		.table = table,
		.x = JR_KEY(KIND, kind),
		.y = JR_KEY(KIND, active_ms)};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
	jr_section_table(out, ctx->arena, to_table(ctx, &opcode_spec, &opcodes));
}

const struct jr_pass jr_pass_opcodes = {
	.name = "opcodes",
	.title = "Kinds of work and opcodes",
	.summary = JR_GPU " time by kind of work and by HLO opcode",
	.needs = JR_NEEDS_THUNKS,
	.group = JR_GROUP_GPU,
	.run = run,
};
