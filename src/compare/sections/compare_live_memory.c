/* What grew in device memory, by source line. */
#include <string.h>

#include "compare/core/compare_rows.h"
#include "compare/sections/verdict_words.h"

/* --- source lines ----------------------------------------------------------------------------- */

static const char *key(const struct jr_compare_row *r, int side)
{
	const char *source =
		jr_run_text(r->c->runs[side], JR_RUN_LIVE_LINES, JR_LIVE_LINE_SOURCE, r->row[side]);
	return source ? source : "";
}

static double cell(const struct jr_compare_row *r, int side, size_t column)
{
	return r->row[side] == SIZE_MAX
			   ? NAN
			   : jr_table_number(r->c->runs[side]->tables[JR_RUN_LIVE_LINES], column, r->row[side]);
}

/* Unknown if the size of one of the buffers is. */
static double line_bytes(const struct jr_compare_row *r, int side)
{
	return cell(r, side, JR_LIVE_LINE_UNKNOWN) == 0 ? cell(r, side, JR_LIVE_LINE_BYTES) : NAN;
}

static double line_buffers(const struct jr_compare_row *r, int side)
{
	return cell(r, side, JR_LIVE_LINE_OBJECTS);
}

/* What only one run has counts as 0 in the change. */
#define BOTH(X, T, key, title, what, unit, flags, function)                                        \
	X(T, base_##key, title ", base", what ", in the base", F64, unit, flags, .how = JR_FILL_ROWS,  \
		JR_NUMBER(function))                                                                       \
	X(T, new_##key, title ", new", what ", in the new run", F64, unit, flags, JR_OWN)              \
	X(T, change_##key, title ", change",                                                           \
		"new - base; a line that only one run has counts as 0 in the other", F64, unit,            \
		JR_COL_CHANGE, JR_OWN)
#define LINES(X, T)                                                                                \
	X(T, source, "Source line",                                                                    \
		"innermost Python frame in user code of the stack that made the buffers", TEXT, NONE,      \
		JR_COL_KEY | JR_COL_SOURCE | JR_COL_CODE, JR_ONE(JR_LIVE_LINE_SOURCE))                     \
	X(T, function, "Function", "function of that frame", TEXT, NONE, JR_COL_CODE,                  \
		JR_ONE(JR_LIVE_LINE_FUNCTION))                                                             \
	BOTH(X, T, bytes, "Live", "bytes of its live buffers", BYTES, 0, line_bytes)                   \
	BOTH(X, T, buffers, "Buffers", "number of its live buffers", COUNT, 0, line_buffers)
JR_COMPARE_COLUMNS(LINES)
JR_COMPARE_FILLS(LINES)

static const struct jr_compare_rows lines = {
	.spec = {JR_TABLE_SPEC("live_memory_lines", "live_memory.lines", "Source lines",
		"Per source line with live buffers; largest change first", LINES_columns)},
	.fills = LINES_fills,
	.table = JR_RUN_LIVE_LINES,
	.key_of = key,
	.rank = LINES_change_bytes,
	.n_shown = 15,
};

#define MOST_BARS 10

static const struct jr_chart bars = {.name = "live_memory_lines",
	.title = "Change of live memory by source line",
	.caption = "right of 0: more bytes are live in the new run",
	.x = JR_KEY(LINES, source),
	.y = JR_KEY(LINES, change_bytes),
	.y_title = "Change"};

/* --- the answer ------------------------------------------------------------------------------- */

static const char *bytes_text(const struct jr_comparison *c, double bytes)
{
	char text[JR_NUM_MAX];
	jr_num_bytes(text, fabs(bytes));
	return jr_arena_strdup(c->arena, text);
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Return the row of the line that changed most in the direction of the change; SIZE_MAX: none. */
static size_t largest(const struct jr_table *t, double change)
{
	size_t most = SIZE_MAX;
	double bytes = 0;
	for (size_t i = 0; t && i < t->n_rows; i++) {
		double own = t->cells[LINES_change_bytes].f64[i];
		if (own * change > 0 && fabs(own) > fabs(bytes)) {
			most = i;
			bytes = own;
		}
	}
	return most;
}

/* Return "train.py:84 (+280 MB)"; NULL: no line changed like this. */
static const char *line_text(const struct jr_comparison *c, const struct jr_table *t, double change)
{
	size_t row = largest(t, change);
	if (row == SIZE_MAX)
		return NULL;
	double bytes = t->cells[LINES_change_bytes].f64[row];
	return jr_arena_printf(c->arena, "%s (%s%s)", file_of(t->cells[LINES_source].text[row]),
		bytes > 0 ? "+" : JR_NUM_MINUS, bytes_text(c, bytes));
}

static double value_of(const char *metric, const struct jr_run *run)
{
	return jr_metric_find(metric, strlen(metric))->value(run);
}

static int64_t count_of(const struct jr_run *run, const char *kind)
{
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_LIVE_KINDS); i++) {
		const char *own = jr_run_text(run, JR_RUN_LIVE_KINDS, JR_LIVE_KIND_NAME, i);
		if (own && strcmp(own, kind) == 0)
			return jr_run_sum(run, JR_RUN_LIVE_KINDS, JR_LIVE_KIND_OBJECTS, i);
	}
	return 0;
}

/* Return "18 → 24 buffers, 531 → 540 executables." */
static const char *counts_text(const struct jr_comparison *c)
{
	char n[4][JR_NUM_MAX];
	static const char *const kinds[] = {"buffer", "executable"};
	for (int i = 0; i < 4; i++)
		jr_num_grouped_i64(n[i], count_of(c->runs[i % 2], kinds[i / 2]));
	return jr_arena_printf(
		c->arena, "Buffers: %s → %s. Executables: %s → %s.", n[0], n[1], n[2], n[3]);
}

/* Return what grew although the sum did not: a leak can hide behind other lines that shrank. */
static const char *grown_text(const struct jr_comparison *c, const struct jr_table *t)
{
	const char *line = line_text(c, t, 1);
	return line ? jr_arena_printf(c->arena, " The line that grew most is %s.", line) : "";
}

static const char *percent_text(const struct jr_comparison *c, double frac)
{
	char text[JR_NUM_MAX];
	if (isinf(frac))
		return "from 0";
	jr_num_grouped(text, 100 * frac, 2);
	return jr_arena_printf(c->arena, "%s%s %%", frac > 0 ? "+" : "", text);
}

struct jr_answer jr_compare_live_answer(const struct jr_comparison *c)
{
	const struct jr_judgement *j = &c->judgement;
	const struct jr_table *t = jr_compare_table(c, &lines, NULL);
	double base = value_of("memory.live", c->runs[JR_BASE]),
		   fresh = value_of("memory.live", c->runs[JR_NEW]);
	const char *line = line_text(c, t, fresh - base), *counts = counts_text(c);
	switch (j->verdict) {
	case JR_VERDICT_UNCLEAR:
		return (struct jr_answer){
			jr_arena_printf(c->arena, "Cannot tell: %s", j->doubts[0].text), counts};
	case JR_VERDICT_SAME:
		return (struct jr_answer){
			j->equal
				? jr_arena_printf(c->arena, "Same: %s are live in both runs", bytes_text(c, fresh))
				: jr_arena_printf(c->arena,
					  "Same: live memory did not change by more than %s, %s → %s (%s)",
					  jr_tolerance_text(c->tolerance, c->arena), bytes_text(c, base),
					  bytes_text(c, fresh), percent_text(c, j->exact_change)),
			jr_arena_printf(c->arena, "%s%s", counts, grown_text(c, t))};
	case JR_VERDICT_REGRESSION:
	case JR_VERDICT_IMPROVEMENT: break;
	}
	bool grew = fresh > base;
	return (struct jr_answer){
		jr_arena_printf(c->arena, "%s: live memory %s from %s to %s (%s)%s%s",
			grew ? "Regression" : "Improvement", grew ? "grew" : "shrank", bytes_text(c, base),
			bytes_text(c, fresh), percent_text(c, j->exact_change),
			line
				? jr_arena_printf(c->arena, "; the line that %s most is ", grew ? "grew" : "shrank")
				: "",
			line ? line : ""),
		jr_arena_printf(c->arena, "%s%s", counts, grew ? "" : grown_text(c, t))};
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_table *t = jr_compare_table(c, &lines, NULL);
	size_t n = 0; /* lines that changed come first */
	while (t && n < t->n_rows && n < MOST_BARS && fabs(t->cells[LINES_change_bytes].f64[n]) > 0)
		n++;
	if (n)
		jr_compare_draw(c, &bars, t, n, out);
	if (t)
		jr_section_table(out, c->arena, t);
}

const struct jr_compare_pass jr_compare_live_memory = {
	.about = {.name = "live_memory",
		.title = "Live memory",
		.group = JR_GROUP_COMPILE,
		.summary =
			"Live buffers of both device memory profiles, by the source line that made them"},
	.run = run,
};
