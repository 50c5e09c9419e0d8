/* Source lines and instructions of two plans whose work differs. */
#include <string.h>

#include "compare/core/compare_rows.h"
#include "compare/sections/verdict_words.h"

#define WORK_OF(name, column, launches)                                                            \
	static double name(const struct jr_compare_row *r, int side)                                   \
	{                                                                                              \
		return jr_planned_work(                                                                    \
			r->c->runs[side], r->rows->table, JR_PLAN_##column, launches, r->row[side]);           \
	}

/* Base, new and change of a sum over all launches of one execution. */
#define WORK(X, T, key, title, what, unit, flags, function)                                        \
	X(T, base_##key, title ", base", what ", in the base", F64, unit, flags, .how = JR_FILL_ROWS,  \
		JR_NUMBER(function))                                                                       \
	X(T, new_##key, title ", new", what ", in the new run", F64, unit, flags, JR_OWN)              \
	X(T, change_##key, title ", change",                                                           \
		"new - base; what only one run has counts as 0 in the other", F64, unit, JR_COL_CHANGE,    \
		JR_OWN)
#define WORKS(X, T, of)                                                                            \
	WORK(                                                                                          \
		X, T, roof_ms, "Roofline time", "time at the roofline of one execution", NS, 0, of##_roof) \
	WORK(X, T, flops, "FLOPs", "FLOPs of one execution", COUNT, JR_COL_DATA_ONLY, of##_flops)      \
	WORK(X, T, bytes, "Bytes", "bytes that one execution reads and writes", BYTES,                 \
		JR_COL_DATA_ONLY, of##_bytes)                                                              \
	WORK(X, T, launches, "Launches", "launches in one execution", COUNT, JR_COL_DATA_ONLY,         \
		of##_launches)

/* --- source lines ----------------------------------------------------------------------------- */

WORK_OF(line_roof, LINE_ROOF, SIZE_MAX)
WORK_OF(line_flops, LINE_FLOPS, SIZE_MAX)
WORK_OF(line_bytes, LINE_BYTES, SIZE_MAX)
WORK_OF(line_launches, LINE_LAUNCHES, SIZE_MAX)

static const struct jr_row_pair *lines_paired(const struct jr_comparison *c, size_t *n)
{
	*n = c->planned.lines.n;
	return c->planned.lines.items;
}

#define LINES(X, T)                                                                                \
	X(T, source, "Source", "innermost Python frame, file and line", TEXT, NONE,                    \
		JR_COL_KEY | JR_COL_SOURCE | JR_COL_CODE, JR_ONE(JR_PLAN_LINE_SOURCE))                     \
	WORKS(X, T, line)
JR_COMPARE_COLUMNS(LINES)
JR_COMPARE_FILLS(LINES)

static const struct jr_compare_rows lines = {
	.spec = {JR_TABLE_SPEC("planned_lines", "planned_work.lines", "Source lines",
		"Per source line whose work differs; largest change of the roofline time first",
		LINES_columns)},
	.fills = LINES_fills,
	.table = JR_RUN_PLAN_LINES,
	.pair = lines_paired,
	.rank = LINES_change_roof_ms,
	.n_shown = 15,
	.bars = {.name = "planned_lines",
		.title = "Change of the roofline time by source line",
		.caption = "right of 0: the new program needs longer at the roofline",
		.x = JR_KEY(LINES, source),
		.y = JR_KEY(LINES, change_roof_ms),
		.y_title = "Change of the roofline time"},
	.n_drawn = 10,
};

/* --- instructions ----------------------------------------------------------------------------- */

WORK_OF(instruction_roof, INSTRUCTION_ROOF, SIZE_MAX)
WORK_OF(instruction_flops, INSTRUCTION_FLOPS, JR_PLAN_INSTRUCTION_LAUNCHES)
WORK_OF(instruction_bytes, INSTRUCTION_BYTES, JR_PLAN_INSTRUCTION_LAUNCHES)
WORK_OF(instruction_launches, INSTRUCTION_LAUNCHES, SIZE_MAX)

static const struct jr_row_pair *instructions_paired(const struct jr_comparison *c, size_t *n)
{
	*n = c->planned.instructions.n;
	return c->planned.instructions.items;
}

static const char *name(const struct jr_compare_row *r)
{
	const char *of[2] = {NULL, NULL};
	for (int side = 0; side < 2; side++)
		if (r->row[side] != SIZE_MAX)
			of[side] = jr_run_text(
				r->c->runs[side], JR_RUN_PLAN_INSTRUCTIONS, JR_PLAN_INSTRUCTION_NAME, r->row[side]);
	if (!of[JR_BASE] || !of[JR_NEW] || strcmp(of[JR_BASE], of[JR_NEW]) == 0)
		return of[JR_NEW] ? of[JR_NEW] : of[JR_BASE];
	return jr_arena_printf(r->c->arena, "%s → %s", of[JR_BASE], of[JR_NEW]);
}

static const char *match(const struct jr_compare_row *r)
{
	return r->row[JR_BASE] == SIZE_MAX  ? "added"
		   : r->row[JR_NEW] == SIZE_MAX ? "removed"
										: "changed";
}

#define INSTRUCTIONS(X, T)                                                                         \
	X(T, name, "Instruction", "name of the HLO instruction; both, if they differ", TEXT, NONE,     \
		JR_COL_KEY | JR_COL_CODE, JR_WORDS(name))                                                  \
	X(T, match, "Match", "changed: in both runs; added, removed: in one run only", TEXT, NONE, 0,  \
		JR_WORDS(match))                                                                           \
	X(T, kind, "Kind", "opcode, with the target or the kind of fusion", TEXT, NONE, JR_COL_CODE,   \
		JR_ONE(JR_PLAN_INSTRUCTION_KIND))                                                          \
	WORKS(X, T, instruction)                                                                       \
	X(T, op_name, "op_name", "path of the JAX operation", TEXT, NONE,                              \
		JR_COL_DATA_ONLY | JR_COL_CODE, JR_ONE(JR_PLAN_INSTRUCTION_OP_NAME))                       \
	X(T, source, "Source", "innermost Python frame, file and line", TEXT, NONE,                    \
		JR_COL_SOURCE | JR_COL_CODE, JR_ONE(JR_PLAN_INSTRUCTION_SOURCE))
JR_COMPARE_COLUMNS(INSTRUCTIONS)
JR_COMPARE_FILLS(INSTRUCTIONS)

static const struct jr_compare_rows instructions = {
	.spec = {JR_TABLE_SPEC("planned_instructions", "planned_work.instructions", "Instructions",
		"Per instruction whose work differs; largest change of the roofline time first",
		INSTRUCTIONS_columns)},
	.fills = INSTRUCTIONS_fills,
	.table = JR_RUN_PLAN_INSTRUCTIONS,
	.pair = instructions_paired,
	.rank = INSTRUCTIONS_change_roof_ms,
	.n_shown = 15,
};

/* --- the largest change ----------------------------------------------------------------------- */

/* Last part of a path. */
static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *jr_compare_plan_largest(const struct jr_comparison *c)
{
	const struct jr_row_pair *most = NULL;
	double most_ns = 0;
	for (size_t i = 0; i < c->planned.instructions.n; i++) {
		const struct jr_row_pair *pair = &c->planned.instructions.items[i];
		double ns = jr_planned_change(c->runs, pair);
		if (!(fabs(ns) > fabs(most_ns)))
			continue;
		most_ns = ns;
		most = pair;
	}
	if (!most)
		return NULL;
	int side = most->row[JR_NEW] != SIZE_MAX ? JR_NEW : JR_BASE;
	const struct jr_run *run = c->runs[side];
	const char *own =
		jr_run_text(run, JR_RUN_PLAN_INSTRUCTIONS, JR_PLAN_INSTRUCTION_NAME, most->row[side]);
	const char *source =
		jr_run_text(run, JR_RUN_PLAN_INSTRUCTIONS, JR_PLAN_INSTRUCTION_SOURCE, most->row[side]);
	return jr_arena_printf(c->arena, "%s (%s%s%s%s)", own ? own : "unnamed",
		source ? file_of(source) : "", source ? ", " : "", most_ns > 0 ? "+" : JR_NUM_MINUS,
		jr_compare_time(c, fabs(most_ns)));
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	bool both = c->judgement.plan && c->runs[JR_BASE]->has[JR_RUN_PLAN_INSTRUCTIONS] &&
				c->runs[JR_NEW]->has[JR_RUN_PLAN_INSTRUCTIONS];
	if (!both)
		return;
	if (!c->planned.instructions.n)
		jr_section_text(out, c->arena, "All instructions do the same work in both plans.");
	(void)jr_compare_put(c, &lines, NULL, out);
	(void)jr_compare_put(c, &instructions, NULL, out);
}

const struct jr_compare_pass jr_compare_plan = {
	.about = {.name = "planned_work",
		.title = "Planned work",
		.summary = "Source lines and instructions whose FLOPs, bytes or launches differ"},
	.run = run,
};
