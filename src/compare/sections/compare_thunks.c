/* Thunks of all matched programs. */
#include "compare/core/compare_rows.h"

static const struct jr_thunk_match *match_of(const struct jr_compare_row *r)
{
	return &r->c->match.thunks[r->i];
}

static const char *program(const struct jr_compare_row *r)
{
	return jr_compare_program_id(r->c, match_of(r)->program);
}

static const char *name(const struct jr_compare_row *r)
{
	return jr_compare_thunk_name(r->c, match_of(r));
}

static const char *match(const struct jr_compare_row *r)
{
	return jr_thunk_change_name(match_of(r)->change);
}

static double count(const struct jr_compare_row *r, int side)
{
	return jr_compare_thunk_mean(r->c, match_of(r), side, JR_THUNK_COUNT);
}

static double active_ns(const struct jr_compare_row *r, int side)
{
	return jr_compare_thunk_mean(r->c, match_of(r), side, JR_THUNK_ACTIVE);
}

#define THUNKS(X, T)                                                                               \
	JR_PROGRAM(X, T, program)                                                                      \
	X(T, name, "Thunk", "name of the HLO instruction, or of the longest one in a group", TEXT,     \
		NONE, JR_COL_KEY | JR_COL_CODE, JR_WORDS(name))                                            \
	X(T, opcode, "Opcode", "HLO opcode", TEXT, NONE, JR_COL_CODE, JR_ONE(JR_THUNK_OPCODE))         \
	X(T, op_name, "op_name", "path of the JAX operation", TEXT, NONE, JR_COL_CODE,                 \
		JR_ONE(JR_THUNK_OP_NAME))                                                                  \
	X(T, match, "Match",                                                                           \
		"how it was matched: same; reshaped: shape differs; renamed: op_name "                     \
		"differs; added, removed: in one run only",                                                \
		TEXT, NONE, 0, JR_WORDS(match))                                                            \
	JR_BASE_AND_NEW(X, T, count, "Count", "executions per execution of the module", F64, COUNT, 0, \
		JR_NUMBER(count))                                                                          \
	JR_CHANGE(X, T, ms, "active time per execution of the module", F64, NS, JR_NUMBER(active_ns))  \
	X(T, shape, "Shape", "shape of the result", TEXT, NONE, JR_COL_DATA_ONLY | JR_COL_CODE,        \
		JR_ONE(JR_THUNK_SHAPE))
JR_COMPARE_COLUMNS(THUNKS)
JR_COMPARE_FILLS(THUNKS)

static const struct jr_compare_rows thunks = {
	.spec = {JR_TABLE_SPEC("thunks", "thunks", "Thunks",
		"Per thunk of a top module, or group of indistinguishable thunks; largest change first",
		THUNKS_columns)},
	.fills = THUNKS_fills,
	.table = JR_RUN_THUNKS,
	.pair = jr_compare_thunks_paired,
	.rank = THUNKS_change_ms,
	.n_shown = 30,
	.unavailable = "not available, because neither run has a thunk",
};

const struct jr_compare_pass jr_compare_thunks = {
	.about = {.name = "thunks",
		.title = "Thunks",
		.group = JR_GROUP_GPU,
		.summary = "Kernels and library calls of all top modules by change"},
	.rows = &thunks,
};
