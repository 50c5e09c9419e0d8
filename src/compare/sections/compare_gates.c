/* Limits that were asked for, and whether they hold. */
#include "compare/core/compare_columns.h"

enum { GATE, OUTCOME, METRIC, VALUE, LOW, HIGH, LIMIT, REASON, DATA_VALUE, DATA_LIMIT };

static const struct jr_column_spec columns[] = {
	{"gate", "Gate", "as it was asked for", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE},
	{"outcome", "Outcome", "pass, fail or cannot tell", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEPT | JR_COL_BESIDE},
	{"metric", "Metric", "what it is for", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"measured", "Measured", "value of the metric or of its change", JR_TEXT, JR_UNIT_NONE,
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY},
	{"low", "From", "lower end of its 95 % interval, where it has one", JR_TEXT, JR_UNIT_NONE,
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY | JR_COL_LOW},
	{"high", "To", "upper end of it", JR_TEXT, JR_UNIT_NONE,
		JR_COL_RENDERED_ONLY | JR_COL_QUANTITY | JR_COL_HIGH},
	{"allowed", "Limit", "what it is held against", JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY},
	{"reason", "Why", "why it cannot be decided", JR_TEXT, JR_UNIT_NONE, 0},
	{"value", NULL, "of the metric or of its change", JR_F64, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"limit", NULL, "that it is held against", JR_F64, JR_UNIT_NONE, JR_COL_DATA_ONLY},
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC("gates", "gates", "Gates",
	"Per gate, in the order they were given; values in ms, bytes, fractions or numbers", columns)};

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
		cells[GATE].text[i] = r->gate->text;
		cells[OUTCOME].text[i] = jr_gate_outcome_name(r->outcome);
		cells[METRIC].text[i] = r->gate->metric->name;
		cells[VALUE].text[i] = jr_gate_value_text(r->gate, r->value, arena);
		cells[LOW].text[i] = jr_gate_value_text(r->gate, r->low, arena);
		cells[HIGH].text[i] = jr_gate_value_text(r->gate, r->high, arena);
		cells[LIMIT].text[i] = jr_gate_value_text(r->gate, r->gate->limit, arena);
		cells[REASON].text[i] = r->reason;
		cells[DATA_VALUE].f64[i] = data_value(r->gate, r->value);
		cells[DATA_LIMIT].f64[i] = data_value(r->gate, r->gate->limit);
	}
	return table;
}

static const struct jr_pass about = {.name = "gates",
	.title = "Gates",
	.summary = "Limits that were asked for, and whether they hold"};

struct jr_section *jr_gates_section(
	const struct jr_gate_result *gates, size_t n, struct jr_arena *arena)
{
	if (!n)
		return NULL;
	struct jr_section *section = JR_ARENA_NEW(arena, struct jr_section);
	section->pass = &about;
	jr_section_table(section, arena, gate_table(gates, n, arena));
	return section;
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	if (c->n_gates)
		jr_section_table(out, c->arena, gate_table(c->gates, c->n_gates, c->arena));
}

const struct jr_compare_pass jr_compare_gates = {
	.about = {.name = "gates",
		.title = "Gates",
		.summary = "Limits that were asked for, and whether they hold"},
	.run = run,
};
