/* The contributions to the change of the step time: a ranked list that adds up to it, to the ns. */
#include <inttypes.h>

#include "compare/core/compare_rows.h"

#define N_SHOWN 25
#define N_DRAWN 15
#define MOST_CHANCE 0.05 /* a change with a larger p may be noise */

static const char *whole_name(const struct jr_comparison *c)
{
	return jr_run_step_basis(c->runs[JR_NEW]);
}

/* --- parts ------------------------------------------------------------------------------------ */

#define PARTS(X, T)                                                                                \
	X(T, part, "Part",                                                                             \
		"part of the median step: thunks by kind, waiting, idle, other programs, and "             \
		"the difference between median and mean",                                                  \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	JR_CHANGE(X, T, ms, "time of the median step", I64, NS, JR_OWN)
JR_COMPARE_COLUMNS(PARTS)

static const struct jr_table_spec part_spec = {
	JR_TABLE_SPEC("step_parts", "step_parts", "Parts of the median step",
		"Per part; all parts add up to the last row exactly", PARTS_columns)};

static void add_parts(const struct jr_comparison *c, struct jr_section *out)
{
	const struct jr_explanation *e = &c->explanation;
	const char *names[JR_N_PARTS + 1];
	int64_t base[JR_N_PARTS + 1], fresh[JR_N_PARTS + 1];
	const int64_t *const values[2] = {base, fresh};
	size_t n = 0;
	for (enum jr_step_part part = 0; part <= JR_N_PARTS; part++) {
		const int64_t *ns = part < JR_N_PARTS ? e->part_ns[part] : e->step_ns;
		if (part < JR_N_PARTS && !ns[JR_BASE] && !ns[JR_NEW])
			continue;
		names[n] = part < JR_N_PARTS ? jr_step_part_name(part) : whole_name(c);
		base[n] = ns[JR_BASE];
		fresh[n++] = ns[JR_NEW];
	}
	jr_section_table(out, c->arena, jr_compare_parts(c, &part_spec, names, values, n));
}

/* --- contributions ---------------------------------------------------------------------------- */

#define ITEMS(X, T)                                                                                \
	X(T, name, "What",                                                                             \
		"thunk, or group of thunks with the same opcode, op_name and shape; or "                   \
		"another part of the step",                                                                \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, part, "Part", "kind of time", TEXT, NONE, 0)                                              \
	X(T, match, "Match",                                                                           \
		"how it was matched in both runs; reshaped: shape differs; renamed: op_name "              \
		"differs; added, removed: in one run only",                                                \
		TEXT, NONE, 0)                                                                             \
	JR_CHANGE(X, T, ms, "its own time in the median step, to 1 ns", I64, NS, JR_OWN)               \
	X(T, share_percent, "Share",                                                                   \
		"share of the change of the median step; null if that change may be noise", F64, PERCENT,  \
		JR_COL_CHANGE)                                                                             \
	X(T, work_change_ms, "More work",                                                              \
		"part of the change from more work: time in the base scaled by the ratio of "              \
		"the roofline times; all of the change if only one run has it",                            \
		I64, NS, JR_COL_CHANGE)                                                                    \
	X(T, speed_change_ms, "Same work slower", "rest of the change", I64, NS, JR_COL_CHANGE)        \
	X(T, flops_change_percent, "FLOPs", "FLOPs per step: " JR_CHANGE_HELP, F64, PERCENT,           \
		JR_COL_CHANGE | JR_COL_DATA_ONLY)                                                          \
	X(T, bytes_change_percent, "Bytes", "bytes read and written per step: " JR_CHANGE_HELP, F64,   \
		PERCENT, JR_COL_CHANGE | JR_COL_DATA_ONLY)                                                 \
	X(T, p, "p",                                                                                   \
		"p value of the change: Welch's test over steps with Holm's correction over all thunks",   \
		F64, NONE, 0)                                                                              \
	X(T, opcode, "Opcode", "HLO opcode", TEXT, NONE, JR_COL_DATA_ONLY | JR_COL_CODE)               \
	X(T, op_name, "op_name", "path of the JAX operation", TEXT, NONE, JR_COL_CODE)                 \
	X(T, shape, "Shape", "shape of the result", TEXT, NONE, JR_COL_DATA_ONLY | JR_COL_CODE)        \
	X(T, source, "Source", "innermost Python frame, file and line", TEXT, NONE,                    \
		JR_COL_SOURCE | JR_COL_CODE | JR_COL_VITAL)                                                \
	X(T, direction, NULL, "slower, faster or unchanged", TEXT, NONE, JR_COL_DATA_ONLY)             \
	X(T, base_name, NULL, "name of the thunk in the base", TEXT, NONE, JR_COL_DATA_ONLY)           \
	X(T, new_name, NULL, "name of the thunk in the new run", TEXT, NONE, JR_COL_DATA_ONLY)         \
	X(T, doubt, NULL, NULL, BOOL, NONE, JR_COL_RENDERED_ONLY)
JR_COMPARE_COLUMNS(ITEMS)

static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("contributions", "contributions", "Contributions to the change of the step",
		"Per contribution, largest change first; the rows add up to the change of the "
		"median step exactly",
		ITEMS_columns)};

static const char *thunk_name(
	const struct jr_comparison *c, const struct jr_thunk_match *t, int side)
{
	return t->n[side] ? jr_run_text(c->runs[side], JR_RUN_THUNKS, JR_THUNK_NAME, t->rows[side][0])
					  : NULL;
}

static void fill_thunk(const struct jr_comparison *c, struct jr_table *table, size_t row,
	const struct jr_thunk_match *t)
{
	union jr_cells *cells = table->cells;
	cells[ITEMS_name].text[row] = jr_compare_thunk_name(c, t);
	cells[ITEMS_match].text[row] = jr_thunk_change_name(t->change);
	cells[ITEMS_opcode].text[row] = jr_compare_thunk_text(c, t, JR_THUNK_OPCODE);
	cells[ITEMS_op_name].text[row] = jr_compare_thunk_text(c, t, JR_THUNK_OP_NAME);
	cells[ITEMS_shape].text[row] = jr_compare_thunk_text(c, t, JR_THUNK_SHAPE);
	cells[ITEMS_base_name].text[row] = thunk_name(c, t, JR_BASE);
	cells[ITEMS_new_name].text[row] = thunk_name(c, t, JR_NEW);
	int side = t->n[JR_NEW] ? JR_NEW : JR_BASE;
	int64_t line = jr_run_i64(c->runs[side], JR_RUN_THUNKS, JR_THUNK_LINE, t->rows[side][0]);
	const char *file = jr_compare_thunk_text(c, t, JR_THUNK_FILE);
	if (file && line > 0)
		cells[ITEMS_source].text[row] = jr_arena_printf(c->arena, "%s:%" PRId64, file, line);
}

/* Fill in the work in both runs, and the part of the change that is due to it. */
static void fill_work(
	struct jr_table *table, size_t row, const struct jr_contribution *item, int64_t change)
{
	const struct jr_matched_work *base = &item->work[JR_BASE], *fresh = &item->work[JR_NEW];
	if (!item->thunk)
		return;
	if (item->work_ns != JR_NULL_I64) {
		table->cells[ITEMS_work_change_ms].i64[row] = item->work_ns;
		table->cells[ITEMS_speed_change_ms].i64[row] = change - item->work_ns;
	}
	if (!item->thunk->n[JR_BASE] || !item->thunk->n[JR_NEW] || !base->known || !fresh->known)
		return;
	table->cells[ITEMS_flops_change_percent].f64[row] =
		jr_change_fraction(base->flops, fresh->flops);
	table->cells[ITEMS_bytes_change_percent].f64[row] =
		jr_change_fraction(base->bytes, fresh->bytes);
}

/* Kind of time; without a thunk the name is enough. */
static const char *part_word(enum jr_step_part part)
{
	switch (part) {
	case JR_PART_IDLE:
	case JR_PART_BETWEEN:
	case JR_PART_GPU_IDLE: return "idle";
	case JR_PART_WAITING: return "waiting";
	case JR_PART_SPREAD: return "spread";
	default: return jr_step_part_name(part);
	}
}

/* Return why the change of the step cannot be divided into shares; NULL: it can. */
static const char *no_shares(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	const struct jr_bootstrap *change = &j->change.relative;
	if (j->n_steps[JR_BASE] < JR_LEAST_STEPS || j->n_steps[JR_NEW] < JR_LEAST_STEPS)
		return "there are too few steps to separate it from random variation";
	return change->low > 0 || change->high < 0 ? NULL : "its 95 % interval contains 0";
}

/* If only one run has the thunk, the other run's 0 means absence. */
static void fill_row(const struct jr_comparison *c, struct jr_table *table, size_t row)
{
	const struct jr_contribution *item = &c->explanation.items[row];
	int64_t step_change = c->explanation.step_ns[JR_NEW] - c->explanation.step_ns[JR_BASE];
	int64_t change = item->ns[JR_NEW] - item->ns[JR_BASE];
	union jr_cells *cells = table->cells;
	cells[ITEMS_name].text[row] = jr_step_part_name(item->part);
	cells[ITEMS_part].text[row] = part_word(item->part);
	if (item->thunk)
		fill_thunk(c, table, row, item->thunk);
	bool there[2] = {!item->thunk || item->thunk->n[0], !item->thunk || item->thunk->n[1]};
	jr_change_i64(&table->cells[ITEMS_base_ms], row, there[0] ? item->ns[0] : JR_NULL_I64,
		there[1] ? item->ns[1] : JR_NULL_I64);
	/* an empty part may have 1 ns from rounding to make the sum exact */
	cells[ITEMS_change_ms].i64[row] = change;
	if (c->explanation.work_known)
		fill_work(table, row, item, change);
	if (step_change && !no_shares(c))
		cells[ITEMS_share_percent].f64[row] = (double)change / (double)step_change;
	cells[ITEMS_p].f64[row] = item->p;
	cells[ITEMS_doubt].boolean[row] =
		c->judgement.verdict == JR_VERDICT_UNCLEAR || !(item->p <= MOST_CHANCE);
	cells[ITEMS_direction].text[row] = jr_compare_direction((double)change);
}

/* Two rows for people: contributions not shown, and the sum. */
static void add_sums(const struct jr_comparison *c, struct jr_table *table, size_t n)
{
	int64_t rest[2] = {0};
	for (size_t i = table->n_rendered; i < n; i++)
		for (int side = 0; side < 2; side++)
			rest[side] += c->explanation.items[i].ns[side];
	size_t row = n;
	if (table->n_rendered < n) {
		table->cells[ITEMS_name].text[row] =
			jr_arena_printf(c->arena, "%zu smaller contributions", n - table->n_rendered);
		jr_change_i64(&table->cells[ITEMS_base_ms], row++, rest[JR_BASE], rest[JR_NEW]);
	}
	table->cells[ITEMS_name].text[row] = whole_name(c);
	jr_change_i64(&table->cells[ITEMS_base_ms], row++, c->explanation.step_ns[JR_BASE],
		c->explanation.step_ns[JR_NEW]);
	table->n_rows = row;
}

/* Meaning of outlined bars: their change may be chance; all bars are outlined if there is no
 * verdict. */
static const char *drawn_caption(const struct jr_comparison *c, size_t n)
{
	size_t told = 0;
	for (size_t i = 0; i < n; i++)
		told += c->explanation.items[i].p <= MOST_CHANCE;
	const char *hollow =
		!told ? "; hollow: within noise, or on too few devices to test (p above 0.05 or unknown)"
		: c->judgement.verdict == JR_VERDICT_UNCLEAR
			? "; hollow: not enough data to decide whether the step changed"
		: told < n ? "; hollow: within noise (p above 0.05 or unknown)"
				   : "";
	return jr_arena_printf(
		c->arena, "the largest contributions; right of 0: the new run takes longer%s", hollow);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	const struct jr_explanation *e = &c->explanation;
	out->unavailable = e->unavailable;
	if (e->unavailable)
		return;
	struct jr_table *table = jr_table_new(c->arena, &spec, e->n + 2);
	for (size_t row = 0; row < e->n; row++)
		fill_row(c, table, row);
	table->n_data = e->n;
	table->n_rendered = e->n < N_SHOWN ? e->n : N_SHOWN;
	add_sums(c, table, e->n);
	struct jr_chart chart = {.name = "contributions",
		.title = "Contributions to the change of the step",
		.caption = drawn_caption(c, table->n_rendered < N_DRAWN ? table->n_rendered : N_DRAWN),
		.x = JR_KEY(ITEMS, name),
		.y = JR_KEY(ITEMS, change_ms),
		.series = JR_KEY(ITEMS, direction),
		.hollow = JR_KEY(ITEMS, doubt),
		.y_title = jr_arena_printf(c->arena, "Change of the %s", whole_name(c))};
	jr_compare_draw(c, &chart, table, N_DRAWN, out);
	jr_section_table(out, c->arena, table);
	if (no_shares(c) && e->step_ns[JR_BASE] != e->step_ns[JR_NEW])
		jr_section_text(
			out, c->arena, "Shares of the change are left out, because %s.", no_shares(c));
	add_parts(c, out);
}

const struct jr_compare_pass jr_compare_contributions = {
	.about = {.name = "contributions",
		.title = "Contributions to the change",
		.summary = "Thunks, waiting, idle time and spread, ranked by contribution to the change "
				   "of the median step. The contributions add up exactly"},
	.run = run,
};
