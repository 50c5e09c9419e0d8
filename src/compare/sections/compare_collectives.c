/* Collectives by kind and message size: bandwidth and waiting. */
#include <inttypes.h>

#include "compare/core/compare_columns.h"

enum {
	COLLECTIVE,
	BYTES,
	GROUP,
	BASE_N,
	NEW_N,
	BASE,
	NEW,
	CHANGE,
	PERCENT,
	BASE_WAIT,
	NEW_WAIT,
	WAIT_CHANGE
};

static const struct jr_column_spec columns[] = {
	{"collective", "Collective", "kind of communication", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"message_bytes", "Message", "bytes of all operands; of a reduce-scatter divided by the group",
		JR_I64, JR_UNIT_BYTES, JR_COL_KEY},
	{"group_size", "Group", "devices that take part, in the new run or else the base", JR_I64,
		JR_UNIT_COUNT, 0},
	{"base_instances", "Instances, base", "steady instances", JR_I64, JR_UNIT_COUNT, 0},
	{"new_instances", "Instances, new", "steady instances", JR_I64, JR_UNIT_COUNT, 0},
	JR_CHANGE_COLUMNS_OF_BOTH(
		"_gbps", "mean bus bandwidth of the fastest device", JR_F64, JR_UNIT_BYTES_S),
	{"base_wait_ms", "Wait, base", "mean over instances", JR_F64, JR_UNIT_NS, 0},
	{"new_wait_ms", "Wait, new", "mean over instances", JR_F64, JR_UNIT_NS, 0},
	{"change_wait_ms", "Change of wait", "new - base", JR_F64, JR_UNIT_NS, JR_COL_CHANGE},
};
static const struct jr_table_spec spec = {
	JR_COMPARE_SPEC("collectives", "collectives", "Collectives by message size",
		"Per kind and message size; in the order of the base, then "
		"what is new",
		columns)};

enum { O_COLLECTIVE, O_BASE, O_NEW, O_CHANGE };

static const struct jr_column_spec overlap_columns[] = {
	{"collective", "Collective", "kind of communication; all: every kind together", JR_TEXT,
		JR_UNIT_NONE, JR_COL_KEY},
	{"base_fraction", "Base", "share that runs under compute, in the base", JR_F64, JR_UNIT_FRAC,
		0},
	{"new_fraction", "New", "share that runs under compute, in the new run", JR_F64, JR_UNIT_FRAC,
		0},
	{"change_fraction", "Change", "new - base", JR_F64, JR_UNIT_FRAC, JR_COL_CHANGE},
};
static const struct jr_table_spec overlap_spec = {JR_COMPARE_SPEC(
	"overlap", "overlap", "Hidden communication", "Per kind of collective", overlap_columns)};

static const char **keys_of(const struct jr_comparison *c, const struct jr_run *run)
{
	size_t n = jr_run_rows(run, JR_RUN_COLLECTIVES);
	const char **keys = JR_ARENA_N(c->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const char *name = jr_run_text(run, JR_RUN_COLLECTIVES, JR_COLLECTIVE_NAME, i);
		keys[i] = jr_arena_printf(c->arena, "%s %" PRId64, name ? name : "",
			jr_run_i64(run, JR_RUN_COLLECTIVES, JR_COLLECTIVE_BYTES, i));
	}
	return keys;
}

static int64_t integer(const struct jr_run *run, size_t column, size_t row)
{
	return row == SIZE_MAX ? JR_NULL_I64 : jr_run_i64(run, JR_RUN_COLLECTIVES, column, row);
}

static double number(const struct jr_run *run, enum jr_run_table table, size_t column, size_t row)
{
	return row == SIZE_MAX ? NAN : jr_run_f64(run, table, column, row);
}

static void fill_row(
	const struct jr_comparison *c, struct jr_table *table, size_t i, const size_t row[2])
{
	union jr_cells *cells = table->cells;
	int side = row[JR_NEW] != SIZE_MAX ? JR_NEW : JR_BASE;
	const struct jr_run *known = c->runs[side];
	cells[COLLECTIVE].text[i] =
		jr_run_text(known, JR_RUN_COLLECTIVES, JR_COLLECTIVE_NAME, row[side]);
	cells[BYTES].i64[i] = integer(known, JR_COLLECTIVE_BYTES, row[side]);
	cells[GROUP].i64[i] = integer(known, JR_COLLECTIVE_GROUP, row[side]);
	cells[BASE_N].i64[i] = integer(c->runs[0], JR_COLLECTIVE_INSTANCES, row[0]);
	cells[NEW_N].i64[i] = integer(c->runs[1], JR_COLLECTIVE_INSTANCES, row[1]);
	double bus[2], wait[2];
	for (int k = 0; k < 2; k++) {
		bus[k] = number(c->runs[k], JR_RUN_COLLECTIVES, JR_COLLECTIVE_BUS, row[k]);
		wait[k] = number(c->runs[k], JR_RUN_COLLECTIVES, JR_COLLECTIVE_WAIT, row[k]);
	}
	jr_change_of_both(table, BASE, i, bus[JR_BASE], bus[JR_NEW]);
	cells[BASE_WAIT].f64[i] = wait[JR_BASE];
	cells[NEW_WAIT].f64[i] = wait[JR_NEW];
	cells[WAIT_CHANGE].f64[i] = wait[JR_NEW] - wait[JR_BASE];
}

static void add_overlap(const struct jr_comparison *c, struct jr_section *out)
{
	size_t n[2], n_pairs;
	const char *const *keys[2];
	for (int side = 0; side < 2; side++) {
		n[side] = jr_run_rows(c->runs[side], JR_RUN_OVERLAP);
		keys[side] = c->runs[side]->tables[JR_RUN_OVERLAP]->cells[JR_OVERLAP_NAME].text;
	}
	const struct jr_row_pair *pairs = jr_match_rows(keys, n, c->arena, &n_pairs);
	if (!n_pairs)
		return;
	struct jr_table *table = jr_table_new(c->arena, &overlap_spec, n_pairs);
	for (size_t i = 0; i < n_pairs; i++) {
		const size_t *row = pairs[i].row;
		double v[2];
		for (int side = 0; side < 2; side++)
			v[side] = number(c->runs[side], JR_RUN_OVERLAP, JR_OVERLAP_FRACTION, row[side]);
		table->cells[O_COLLECTIVE].text[i] = row[0] != SIZE_MAX ? keys[0][row[0]] : keys[1][row[1]];
		table->cells[O_BASE].f64[i] = v[JR_BASE];
		table->cells[O_NEW].f64[i] = v[JR_NEW];
		table->cells[O_CHANGE].f64[i] = v[JR_NEW] - v[JR_BASE];
	}
	jr_section_table(out, c->arena, table);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	size_t n[2], n_pairs;
	const char *const *keys[2];
	for (int side = 0; side < 2; side++) {
		n[side] = jr_run_rows(c->runs[side], JR_RUN_COLLECTIVES);
		keys[side] = keys_of(c, c->runs[side]);
	}
	const struct jr_row_pair *pairs = jr_match_rows(keys, n, c->arena, &n_pairs);
	if (!n_pairs)
		return; /* neither communicates: nothing to say */
	struct jr_table *table = jr_table_new(c->arena, &spec, n_pairs);
	for (size_t i = 0; i < n_pairs; i++)
		fill_row(c, table, i, pairs[i].row);
	jr_section_table(out, c->arena, table);
	add_overlap(c, out);
}

const struct jr_compare_pass jr_compare_collectives = {
	.about = {.name = "collectives",
		.title = "Collectives",
		.group = JR_GROUP_DEVICES,
		.summary = "Communication: bandwidth by message size, waiting, what compute hides"},
	.run = run,
};
