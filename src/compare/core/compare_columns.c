#include "compare/core/compare_columns.h"

#include <inttypes.h>
#include <string.h>

static const char *program_text(
	const struct jr_comparison *c, size_t program, int side, size_t column)
{
	size_t row = c->match.programs[program].row[side];
	return row == SIZE_MAX ? NULL : jr_run_text(c->runs[side], JR_RUN_MODULES, column, row);
}

/* Return "a", or "a → b" if both are known and differ. */
static const char *from_to(const struct jr_comparison *c, const char *base, const char *fresh)
{
	if (base && fresh && strcmp(base, fresh) != 0)
		return jr_arena_printf(c->arena, "%s → %s", base, fresh);
	return fresh ? fresh : base;
}

const char *jr_compare_program_id(const struct jr_comparison *c, size_t program)
{
	return from_to(c, program_text(c, program, JR_BASE, JR_MODULE_ID),
		program_text(c, program, JR_NEW, JR_MODULE_ID));
}

const char *jr_compare_program_text(const struct jr_comparison *c, size_t program, size_t column)
{
	const char *fresh = program_text(c, program, JR_NEW, column);
	return fresh ? fresh : program_text(c, program, JR_BASE, column);
}

static const char *group_name(
	const struct jr_comparison *c, const struct jr_thunk_match *t, int side)
{
	if (!t->n[side])
		return NULL;
	const char *first = jr_run_text(c->runs[side], JR_RUN_THUNKS, JR_THUNK_NAME, t->rows[side][0]);
	if (!first || t->n[side] == 1)
		return first;
	return jr_arena_printf(c->arena, "%s and %zu more", first, t->n[side] - 1);
}

const char *jr_compare_thunk_name(const struct jr_comparison *c, const struct jr_thunk_match *t)
{
	return from_to(c, group_name(c, t, JR_BASE), group_name(c, t, JR_NEW));
}

const char *jr_compare_thunk_text(
	const struct jr_comparison *c, const struct jr_thunk_match *t, size_t column)
{
	int side = t->n[JR_NEW] ? JR_NEW : JR_BASE;
	return jr_run_text(c->runs[side], JR_RUN_THUNKS, column, t->rows[side][0]);
}

#define PLACE_BYTES 40 /* longest scope and operation in a headline */

/* "mlp/dot_general" of "jit(step)/jit(main)/layers/mlp/dot_general"; NULL: not known, or too long
 */
static const char *scope_and_operation(const char *op_name)
{
	const char *last = op_name ? strrchr(op_name, '/') : NULL, *from = op_name;
	if (!last)
		return NULL;
	for (const char *at = op_name; at < last; at++)
		if (*at == '/')
			from = at + 1;
	if (strlen(from) > PLACE_BYTES)
		from = last + 1;
	return *from && strlen(from) <= PLACE_BYTES ? from : NULL;
}

const char *jr_compare_thunk_place(const struct jr_comparison *c, const struct jr_thunk_match *t)
{
	int side = t->n[JR_NEW] ? JR_NEW : JR_BASE;
	int64_t line = jr_run_i64(c->runs[side], JR_RUN_THUNKS, JR_THUNK_LINE, t->rows[side][0]);
	const char *file = jr_compare_thunk_text(c, t, JR_THUNK_FILE);
	const char *what = scope_and_operation(jr_compare_thunk_text(c, t, JR_THUNK_OP_NAME));
	const char *slash = file ? strrchr(file, '/') : NULL;
	if (!file || line <= 0)
		return what;
	return jr_arena_printf(c->arena, "%s%s%s:%" PRId64, what ? what : "", what ? ", " : "",
		slash ? slash + 1 : file, line);
}

double jr_compare_thunk_mean(
	const struct jr_comparison *c, const struct jr_thunk_match *t, int side, size_t column)
{
	const struct jr_run *run = c->runs[side];
	size_t module = c->match.programs[t->program].row[side];
	if (!t->n[side] || module == SIZE_MAX)
		return NAN;
	int64_t executions = jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, module), sum = 0;
	for (size_t i = 0; i < t->n[side]; i++)
		sum += jr_run_sum(run, JR_RUN_THUNKS, column, t->rows[side][i]);
	return executions > 0 ? (double)sum / (double)executions : NAN;
}

const char *jr_compare_direction(double change)
{
	return change > 0 ? "slower" : change < 0 ? "faster" : "unchanged";
}

const char *jr_compare_time(const struct jr_comparison *c, double ns)
{
	char text[JR_NUM_MAX];
	jr_num_time(text, ns);
	return jr_arena_strdup(c->arena, text);
}
