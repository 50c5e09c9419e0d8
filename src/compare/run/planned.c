#include "compare/run/planned.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"

double jr_planned_work(
	const struct jr_run *run, enum jr_run_table table, size_t column, size_t launches, size_t row)
{
	if (row == SIZE_MAX)
		return NAN;
	double each = jr_table_number(run->tables[table], column, row);
	return launches == SIZE_MAX ? each : each * jr_table_number(run->tables[table], launches, row);
}

static const char *text_of(const struct jr_run *run, size_t column, size_t row)
{
	return jr_run_text(run, JR_RUN_PLAN_INSTRUCTIONS, column, row);
}

static bool is_of_first(const struct jr_run *run, size_t row)
{
	const char *id = text_of(run, JR_PLAN_INSTRUCTION_PROGRAM, row);
	const char *first =
		jr_run_rows(run, JR_RUN_PLAN) ? jr_run_text(run, JR_RUN_PLAN, JR_PLAN_ID, 0) : NULL;
	return id && first && strcmp(id, first) == 0;
}

double jr_planned_change(const struct jr_run *const runs[2], const struct jr_row_pair *pair)
{
	double ns[2];
	for (int side = 0; side < 2; side++) {
		if (pair->row[side] != SIZE_MAX && !is_of_first(runs[side], pair->row[side]))
			return NAN;
		ns[side] = pair->row[side] == SIZE_MAX
					   ? 0
					   : jr_planned_work(runs[side], JR_RUN_PLAN_INSTRUCTIONS,
							 JR_PLAN_INSTRUCTION_ROOF, SIZE_MAX, pair->row[side]);
	}
	return ns[JR_NEW] - ns[JR_BASE];
}

/* --- instructions ----------------------------------------------------------------------------- */

/* What must be equal; rules that come first decide. */
enum { NAME = 1, KIND = 2, OP_NAME = 4, SOURCE = 8, WORK = 16 };
static const unsigned rules[] = {
	NAME | KIND | OP_NAME | WORK,
	KIND | OP_NAME | WORK,
	NAME | KIND | OP_NAME,
	KIND | OP_NAME,
	KIND | SOURCE,
	NAME,
};

struct instruction {
	size_t row;
	const char *program;
};

static const size_t work_columns[] = {JR_PLAN_INSTRUCTION_LAUNCHES, JR_PLAN_INSTRUCTION_FLOPS,
	JR_PLAN_INSTRUCTION_BYTES, JR_PLAN_INSTRUCTION_SENT};

/* Key of an instruction by a rule; NULL if it lacks an op_name or a source that the rule needs
 * to tell instructions apart. */
static const char *key_of(
	const struct jr_run *run, const struct instruction *of, unsigned rule, struct jr_arena *arena)
{
	const struct {
		unsigned part;
		size_t column;
	} parts[] = {{NAME, JR_PLAN_INSTRUCTION_NAME}, {KIND, JR_PLAN_INSTRUCTION_KIND},
		{OP_NAME, JR_PLAN_INSTRUCTION_OP_NAME}, {SOURCE, JR_PLAN_INSTRUCTION_SOURCE}};
	JR_CLEANUP(jr_buf_done) struct jr_buf key = {0};
	jr_buf_puts(&key, of->program);
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		const char *text = rule & parts[i].part ? text_of(run, parts[i].column, of->row) : "";
		if (text && parts[i].part == OP_NAME)
			text = jr_match_op_name(arena, text);
		if (!text && !(rule & NAME))
			return NULL;
		jr_buf_printf(&key, "\n%s", text ? text : "");
	}
	for (size_t i = 0; rule & WORK && i < JR_COUNT_OF(work_columns); i++)
		jr_buf_printf(&key, "\n%" PRId64,
			jr_run_i64(run, JR_RUN_PLAN_INSTRUCTIONS, work_columns[i], of->row));
	return jr_arena_strndup(arena, (const char *)key.data, key.size);
}

/* Whether a pair has the same work; unknown work equals unknown work. */
static bool same_work(const struct jr_run *const runs[2], const struct jr_row_pair *pair)
{
	for (size_t i = 0; i < JR_COUNT_OF(work_columns); i++) {
		int64_t each[2];
		for (int side = 0; side < 2; side++)
			each[side] =
				jr_run_i64(runs[side], JR_RUN_PLAN_INSTRUCTIONS, work_columns[i], pair->row[side]);
		if (each[JR_BASE] != each[JR_NEW])
			return false;
	}
	double base = jr_planned_work(runs[JR_BASE], JR_RUN_PLAN_INSTRUCTIONS, JR_PLAN_INSTRUCTION_ROOF,
		SIZE_MAX, pair->row[JR_BASE]);
	double fresh = jr_planned_work(runs[JR_NEW], JR_RUN_PLAN_INSTRUCTIONS, JR_PLAN_INSTRUCTION_ROOF,
		SIZE_MAX, pair->row[JR_NEW]);
	return base == fresh || isnan(base) || isnan(fresh);
}

/* Match what is left by one rule. Keeps pairs whose work differs in `out`, and the rest, in its
 * order, in `items`. */
static void match_by(const struct jr_run *const runs[2], unsigned rule,
	struct instruction *const items[2], size_t n[2], struct jr_row_pair *out, size_t *n_out,
	struct jr_arena *arena)
{
	const char **keys[2];
	size_t *with[2], n_with[2] = {0}, n_pairs;
	bool *matched[2];
	for (int side = 0; side < 2; side++) {
		keys[side] = JR_ARENA_N(arena, const char *, n[side] + 1);
		with[side] = JR_ARENA_N(arena, size_t, n[side] + 1);
		matched[side] = JR_ARENA_N(arena, bool, n[side] + 1);
		for (size_t i = 0; i < n[side]; i++) {
			const char *key = key_of(runs[side], &items[side][i], rule, arena);
			if (!key)
				continue;
			keys[side][n_with[side]] = key;
			with[side][n_with[side]++] = i;
		}
	}
	const char *const *const of_both[2] = {keys[JR_BASE], keys[JR_NEW]};
	const struct jr_row_pair *pairs = jr_match_rows(of_both, n_with, arena, &n_pairs);
	for (size_t i = 0; i < n_pairs; i++) {
		if (pairs[i].row[JR_BASE] == SIZE_MAX || pairs[i].row[JR_NEW] == SIZE_MAX)
			continue;
		struct jr_row_pair pair;
		for (int side = 0; side < 2; side++) {
			size_t at = with[side][pairs[i].row[side]];
			matched[side][at] = true;
			pair.row[side] = items[side][at].row;
		}
		if (!same_work(runs, &pair))
			out[(*n_out)++] = pair;
	}
	for (int side = 0; side < 2; side++) {
		size_t left = 0;
		for (size_t i = 0; i < n[side]; i++)
			if (!matched[side][i])
				items[side][left++] = items[side][i];
		n[side] = left;
	}
}

static bool unknown(const struct jr_run *run, size_t row)
{
	return jr_run_i64(run, JR_RUN_PLAN_INSTRUCTIONS, JR_PLAN_INSTRUCTION_FLOPS, row) ==
			   JR_NULL_I64 ||
		   jr_run_i64(run, JR_RUN_PLAN_INSTRUCTIONS, JR_PLAN_INSTRUCTION_BYTES, row) == JR_NULL_I64;
}

/* Count the pairs with work that only one run knows. */
static void count_unknown(const struct jr_run *const runs[2], struct jr_planned *out)
{
	for (size_t i = 0; i < out->instructions.n; i++) {
		const struct jr_row_pair *pair = &out->instructions.items[i];
		const char *name = NULL;
		for (int side = 0; side < 2; side++)
			if (pair->row[side] != SIZE_MAX && is_of_first(runs[side], pair->row[side]) &&
				unknown(runs[side], pair->row[side]))
				name = text_of(runs[side], JR_PLAN_INSTRUCTION_NAME, pair->row[side]);
		if (!name)
			continue;
		out->unknown = out->n_unknown++ ? out->unknown : name;
	}
}

/* Fill in [n] rows with the names of their programs, or the ids of programs that are not listed. */
static void name_programs(
	const struct jr_run *run, struct instruction *items, size_t n, struct jr_arena *arena)
{
	struct jr_intern ids;
	jr_intern_init(&ids);
	size_t n_programs = jr_run_rows(run, JR_RUN_PLAN);
	const char **names = JR_ARENA_N(arena, const char *, n_programs + 2); /* indexed by id */
	names[0] = "";
	for (size_t i = 0; i < n_programs; i++) {
		const char *id = jr_run_text(run, JR_RUN_PLAN, JR_PLAN_ID, i);
		const char *name = jr_run_text(run, JR_RUN_PLAN, JR_PLAN_NAME, i);
		size_t before = ids.n;
		if (id && jr_intern_puts(&ids, id) == before)
			names[before] = name ? name : id;
	}
	for (size_t i = 0; i < n; i++) {
		const char *id = text_of(run, JR_PLAN_INSTRUCTION_PROGRAM, i);
		uint32_t at = id ? jr_intern_find(&ids, id, strlen(id)) : JR_NONE;
		items[i] = (struct instruction){i, at != JR_NONE ? names[at] : id ? id : ""};
	}
	jr_intern_done(&ids);
}

static struct jr_planned_rows changed_instructions(
	const struct jr_run *const runs[2], struct jr_arena *arena)
{
	struct instruction *items[2];
	size_t n[2], n_out = 0;
	for (int side = 0; side < 2; side++) {
		n[side] = jr_run_rows(runs[side], JR_RUN_PLAN_INSTRUCTIONS);
		items[side] = JR_ARENA_N(arena, struct instruction, n[side] + 1);
		name_programs(runs[side], items[side], n[side], arena);
	}
	struct jr_row_pair *out = JR_ARENA_N(arena, struct jr_row_pair, n[0] + n[1] + 1);
	for (size_t i = 0; i < JR_COUNT_OF(rules); i++)
		match_by(runs, rules[i], items, n, out, &n_out, arena);
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < n[side]; i++) {
			out[n_out].row[side] = items[side][i].row;
			out[n_out++].row[!side] = SIZE_MAX;
		}
	return (struct jr_planned_rows){n_out, out};
}

/* --- source lines ----------------------------------------------------------------------------- */

static struct jr_planned_rows changed_lines(
	const struct jr_run *const runs[2], struct jr_arena *arena)
{
	static const size_t columns[] = {
		JR_PLAN_LINE_LAUNCHES, JR_PLAN_LINE_ROOF, JR_PLAN_LINE_FLOPS, JR_PLAN_LINE_BYTES};
	const char *const *keys[2];
	size_t n[2], n_pairs, n_out = 0;
	for (int side = 0; side < 2; side++) {
		keys[side] = runs[side]->tables[JR_RUN_PLAN_LINES]->cells[JR_PLAN_LINE_SOURCE].text;
		n[side] = jr_run_rows(runs[side], JR_RUN_PLAN_LINES);
	}
	struct jr_row_pair *pairs = jr_match_rows(keys, n, arena, &n_pairs);
	for (size_t i = 0; i < n_pairs; i++) {
		bool differs = pairs[i].row[JR_BASE] == SIZE_MAX || pairs[i].row[JR_NEW] == SIZE_MAX;
		for (size_t k = 0; !differs && k < JR_COUNT_OF(columns); k++) {
			double base = jr_planned_work(
				runs[JR_BASE], JR_RUN_PLAN_LINES, columns[k], SIZE_MAX, pairs[i].row[JR_BASE]);
			double fresh = jr_planned_work(
				runs[JR_NEW], JR_RUN_PLAN_LINES, columns[k], SIZE_MAX, pairs[i].row[JR_NEW]);
			differs = base != fresh && !(isnan(base) && isnan(fresh));
		}
		if (differs)
			pairs[n_out++] = pairs[i];
	}
	return (struct jr_planned_rows){n_out, pairs};
}

struct jr_planned jr_planned_of(const struct jr_run *const runs[2], struct jr_arena *arena)
{
	struct jr_planned out = {0};
	if (!jr_run_is_plan(runs[JR_BASE]) || !jr_run_is_plan(runs[JR_NEW]) ||
		!runs[JR_BASE]->has[JR_RUN_PLAN_INSTRUCTIONS] ||
		!runs[JR_NEW]->has[JR_RUN_PLAN_INSTRUCTIONS])
		return out;
	out.instructions = changed_instructions(runs, arena);
	out.lines = changed_lines(runs, arena);
	count_unknown(runs, &out);
	return out;
}
