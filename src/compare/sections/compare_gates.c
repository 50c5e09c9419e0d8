/* The requested limits, and whether they hold. */
#include "compare/core/compare_rows.h"

#define GATES(X, T)                                                                                \
	X(T, gate, "Gate", "gate as requested", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                  \
	X(T, outcome, "Outcome", "pass, fail or cannot tell", TEXT, NONE,                              \
		JR_COL_KEPT | JR_COL_BESIDE | JR_COL_VITAL)                                                \
	X(T, metric, "Metric", "metric that the gate limits", TEXT, NONE, JR_COL_DATA_ONLY)            \
	X(T, measured, "Measured", "value of the metric or of its change", TEXT, NONE,                 \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY)                                                    \
	X(T, low, "From", "lower end of its 95 % interval, if it has one", TEXT, NONE,                 \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY | JR_COL_LOW)                                       \
	X(T, high, "To", "upper end of its 95 % interval, if it has one", TEXT, NONE,                  \
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY | JR_COL_HIGH)                                      \
	X(T, allowed, "Limit", "limit of the gate", TEXT, NONE, JR_COL_RENDERED_ONLY | JR_COL_VITAL)   \
	X(T, reason, "Why", "why the gate cannot be decided", TEXT, NONE, 0)                           \
	X(T, value, NULL, "value of the metric or of its change", F64, NONE, JR_COL_DATA_ONLY)         \
	X(T, limit, NULL, "limit of that value", F64, NONE, JR_COL_DATA_ONLY)
JR_COMPARE_COLUMNS(GATES)

static const struct jr_table_spec spec = {JR_TABLE_SPEC("gates", "gates", "Gates",
	"Per gate, in the order given; values in ms, bytes, fractions or numbers", GATES_columns)};

static double data_value(const struct jr_gate *gate, double v)
{
	return gate->kind != JR_GATE_RELATIVE && gate->metric->unit == JR_UNIT_NS ? v / 1e6 : v;
}

static struct jr_table *gate_table(
	const struct jr_gate_result *gates, size_t n, struct jr_arena *arena)
{
	struct jr_table *table = jr_table_new(arena, &spec, n);
	union jr_cells *cells = table->cells;
	for (size_t i = 0; i < n; i++) {
		const struct jr_gate_result *r = &gates[i];
		cells[GATES_gate].text[i] = r->gate->text;
		cells[GATES_outcome].text[i] = jr_gate_outcome_name(r->outcome);
		cells[GATES_metric].text[i] = r->gate->metric->name;
		cells[GATES_measured].text[i] = jr_gate_value_text(r->gate, r->value, arena);
		cells[GATES_low].text[i] = jr_gate_value_text(r->gate, r->low, arena);
		cells[GATES_high].text[i] = jr_gate_value_text(r->gate, r->high, arena);
		cells[GATES_allowed].text[i] = jr_gate_value_text(r->gate, r->gate->limit, arena);
		cells[GATES_reason].text[i] = r->reason;
		cells[GATES_value].f64[i] = data_value(r->gate, r->value);
		cells[GATES_limit].f64[i] = data_value(r->gate, r->gate->limit);
	}
	return table;
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	if (c->n_gates)
		jr_section_table(out, c->arena, gate_table(c->gates, c->n_gates, c->arena));
}

const struct jr_compare_pass jr_compare_gates = {
	.about = {.name = "gates",
		.title = "Gates",
		.summary = "Requested limits and whether they are met"},
	.run = run,
};

struct jr_section *jr_gates_section(
	const struct jr_gate_result *gates, size_t n, struct jr_arena *arena)
{
	if (!n)
		return NULL;
	struct jr_section *section = JR_ARENA_NEW(arena, struct jr_section);
	section->pass = &jr_compare_gates.about;
	jr_section_table(section, arena, gate_table(gates, n, arena));
	return section;
}
