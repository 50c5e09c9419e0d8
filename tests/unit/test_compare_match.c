/* Matching two runs: programs whose numbers change, thunks whose names change. */
#include "run_build.h"

#include "compare/run/match.h"

static const int64_t steps[] = {1000};

#define MODULE(id, name, fingerprint, structure)                                                   \
	{                                                                                              \
		id, name, fingerprint, structure, 0, steps, 1                                              \
	}
#define THUNK(name, opcode, op_name, shape)                                                        \
	{                                                                                              \
		"1", name, opcode, op_name, shape, 10, false, 0                                            \
	}
#define RUN(modules, thunks)                                                                       \
	{                                                                                              \
		"GPU", 1, "1", modules, JR_COUNT_OF(modules), thunks, JR_COUNT_OF(thunks)                  \
	}

static const struct built_thunk no_thunks[] = {THUNK(NULL, NULL, NULL, NULL)};

static struct jr_match match(const struct built_run *base, const struct built_run *fresh,
	struct jr_run runs[2], struct jr_arena *arena)
{
	runs[0] = build_run(base, arena);
	runs[1] = build_run(fresh, arena);
	return jr_match_runs((const struct jr_run *const[]){&runs[0], &runs[1]}, arena);
}

/* --- programs --------------------------------------------------------------------------------- */

static UNIT(programs_by_the_surest_rule)
{
	static const struct built_module base[] = {
		MODULE("1", "jit_step", "fa", "sa"),
		MODULE("2", "jit_eval", "fb", "sb"),
		MODULE("3", "jit_init", NULL, "sc"),
		MODULE("4", "jit_save", NULL, NULL),
		MODULE("5", "jit_gone", "fz", "sz"),
	};
	static const struct built_module fresh[] = {
		MODULE("8", "jit_save", NULL, NULL),    /* by name only */
		MODULE("1", "jit_other", "fn", "sn"),   /* has only the number of the base's step */
		MODULE("7", "renamed", NULL, "sc"),     /* by structure */
		MODULE("41", "jit_step", "fa", "sa2"),  /* compiled to another structure */
		MODULE("9", "renamed too", "fb", "sb"), /* by fingerprint, although the name changed */
	};
	struct jr_arena arena;
	struct jr_run runs[2];
	jr_arena_init(&arena, 0);
	struct built_run a = RUN(base, no_thunks), b = RUN(fresh, no_thunks);
	struct jr_match m = match(&a, &b, runs, &arena);
	static const struct jr_program_match wanted[] = {
		{{0, 3}, JR_MATCH_FINGERPRINT, false},
		{{1, 4}, JR_MATCH_FINGERPRINT, true},
		{{2, 2}, JR_MATCH_STRUCTURE, true},
		{{3, 0}, JR_MATCH_NAME, false},
		{{4, SIZE_MAX}, JR_MATCH_REMOVED, false},
		{{SIZE_MAX, 1}, JR_MATCH_ADDED, false},
	};
	assert_int_equal(m.n_programs, JR_COUNT_OF(wanted));
	for (size_t i = 0; i < m.n_programs; i++) {
		assert_int_equal(m.programs[i].row[0], wanted[i].row[0]);
		assert_int_equal(m.programs[i].row[1], wanted[i].row[1]);
		assert_int_equal(m.programs[i].rule, wanted[i].rule);
		assert_int_equal(m.programs[i].same_hlo, wanted[i].same_hlo);
	}
	jr_arena_done(&arena);
}

/* One program compiled twice, with and without donation: the same module before optimization. */
static UNIT(programs_of_one_fingerprint)
{
	static const struct built_module base[] = {
		MODULE("1", "f", "f", "s1"), MODULE("2", "f", "f", "s2"), MODULE("3", "f", "f", "s3")};
	static const struct built_module fresh[] = {
		MODULE("1", "f", "f", "s2"), MODULE("2", "f", "f", "s1"), MODULE("3", "f", "f", "s4")};
	struct jr_arena arena;
	struct jr_run runs[2];
	jr_arena_init(&arena, 0);
	struct built_run a = RUN(base, no_thunks), b = RUN(fresh, no_thunks);
	struct jr_match m = match(&a, &b, runs, &arena);
	static const size_t wanted[] = {1, 0, 2};
	assert_int_equal(m.n_programs, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(m.programs[i].row[1], wanted[i]);
		assert_int_equal(m.programs[i].same_hlo, i < 2);
	}
	jr_arena_done(&arena);
}

static UNIT(rows_with_equal_keys)
{
	static const char *const base[] = {"a", NULL, "b", "a"}, *const fresh[] = {
																 "c", "a", NULL, NULL};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	size_t n;
	struct jr_row_pair *pairs = jr_match_rows(
		(const char *const *const[]){base, fresh}, (const size_t[]){4, 4}, &arena, &n);
	static const size_t wanted[][2] = {
		{0, 1}, {1, 2}, {2, SIZE_MAX}, {3, SIZE_MAX}, {SIZE_MAX, 0}, {SIZE_MAX, 3}};
	assert_int_equal(n, JR_COUNT_OF(wanted));
	for (size_t i = 0; i < n; i++)
		assert_memory_equal(pairs[i].row, wanted[i], sizeof(wanted[i]));
	jr_match_rows((const char *const *const[]){NULL, NULL}, (const size_t[]){0, 0}, &arena, &n);
	assert_int_equal(n, 0);
}

/* --- thunks ----------------------------------------------------------------------------------- */

/* Return the group of a thunk of the base (side 0) or of the new run, by its name. */
static const struct jr_thunk_match *group_of(
	const struct jr_match *m, const struct jr_run *runs, int side, const char *name)
{
	for (size_t i = 0; i < m->n_thunks; i++)
		for (size_t k = 0; k < m->thunks[i].n[side]; k++)
			if (strcmp(jr_run_text(
						   &runs[side], JR_RUN_THUNKS, JR_THUNK_NAME, m->thunks[i].rows[side][k]),
					name) == 0)
				return &m->thunks[i];
	fail_msg("no group has '%s'", name);
	return NULL;
}

static void assert_group(const struct jr_match *m, const struct jr_run *runs, const char *base,
	const char *fresh, enum jr_thunk_change change, size_t n_base, size_t n_new)
{
	const struct jr_thunk_match *g = group_of(m, runs, base ? 0 : 1, base ? base : fresh);
	if (base && fresh)
		assert_ptr_equal(g, group_of(m, runs, 1, fresh));
	if (g->change != change || g->n[0] != n_base || g->n[1] != n_new)
		fail_msg("%s -> %s: %s, %zu and %zu", base ? base : "", fresh ? fresh : "",
			jr_thunk_change_name(g->change), g->n[0], g->n[1]);
}

static UNIT(thunks_of_one_hlo_by_name)
{
	static const struct built_module modules[] = {MODULE("1", "step", "f", "s")};
	static const struct built_thunk base[] = {THUNK("fusion.1", "fusion", "a", "f32[8]"),
		THUNK("fusion.2", "fusion", "a", "f32[8]"), THUNK("rare", "copy", NULL, NULL)};
	static const struct built_thunk fresh[] = {THUNK("fusion.2", "fusion", "a", "f32[8]"),
		THUNK("fusion.1", "fusion", "a", "f32[8]"), THUNK("rarer", "copy", NULL, NULL)};
	struct jr_arena arena;
	struct jr_run runs[2];
	jr_arena_init(&arena, 0);
	struct built_run a = RUN(modules, base), b = RUN(modules, fresh);
	struct jr_match m = match(&a, &b, runs, &arena);
	assert_int_equal(m.n_thunks, 4);
	assert_group(&m, runs, "fusion.1", "fusion.1", JR_THUNK_SAME, 1, 1);
	assert_group(&m, runs, "fusion.2", "fusion.2", JR_THUNK_SAME, 1, 1);
	assert_group(&m, runs, "rare", NULL, JR_THUNK_REMOVED, 1, 0);
	assert_group(&m, runs, NULL, "rarer", JR_THUNK_ADDED, 0, 1);
	jr_arena_done(&arena);
}

static UNIT(thunks_of_other_hlo_by_what_they_do)
{
	static const struct built_module before[] = {MODULE("1", "step", "f", "s1")};
	static const struct built_module after[] = {MODULE("1", "step", "f", "s2")};
	static const struct built_thunk base[] = {
		THUNK("fusion.1", "fusion", "jit(f)/jit(main)/add", "f32[8]"),
		THUNK("fusion.2", "fusion", "jit(f)/jit(main)/add", "f32[8]"),
		THUNK("fusion.3", "fusion", "jit(f)/jit(main)/mul", "f32[8]"),
		THUNK("dot.1", "dot", "jit(f)/dot[precision=high]", "f32[4,4]"),
		THUNK("copy.1", "copy", "x", "f32[2]"),
		THUNK("gone.1", "sort", "jit(f)/sort", "s32[9]"),
		THUNK("bare.1", "copy", NULL, NULL),
		THUNK("unknown", NULL, NULL, NULL),
	};
	static const struct built_thunk fresh[] = {
		THUNK("fusion.3", "fusion", "jit(f)/add", "f32[8]"),  /* name of another operation */
		THUNK("fusion.9", "fusion", "jit(f)/mul", "f32[16]"), /* another shape */
		THUNK("dot.7", "dot", "pjit(f)/dot", "f32[4,4]"),
		THUNK("copy.4", "copy", "y", "f32[2]"), /* another op_name */
		THUNK("new.1", "gather", "jit(f)/gather", "s32[9]"),
		THUNK("bare.2", "copy", NULL, NULL),
		THUNK("unknown", NULL, NULL, NULL),
	};
	struct jr_arena arena;
	struct jr_run runs[2];
	jr_arena_init(&arena, 0);
	struct built_run a = RUN(before, base), b = RUN(after, fresh);
	struct jr_match m = match(&a, &b, runs, &arena);
	assert_group(&m, runs, "fusion.1", "fusion.3", JR_THUNK_SAME, 2, 1);
	assert_group(&m, runs, "fusion.3", "fusion.9", JR_THUNK_RESHAPED, 1, 1);
	assert_group(&m, runs, "dot.1", "dot.7", JR_THUNK_SAME, 1, 1);
	assert_group(&m, runs, "copy.1", "copy.4", JR_THUNK_RENAMED, 1, 1);
	assert_group(&m, runs, "gone.1", NULL, JR_THUNK_REMOVED, 1, 0);
	assert_group(&m, runs, NULL, "new.1", JR_THUNK_ADDED, 0, 1);
	assert_group(&m, runs, "bare.1", "bare.2", JR_THUNK_SAME, 1, 1);
	assert_group(&m, runs, "unknown", "unknown", JR_THUNK_SAME, 1, 1);
	jr_arena_done(&arena);
}

/* An export without HLO against an archive of the same job: both have only names in common. */
static UNIT(thunks_of_one_side_without_hlo_by_name)
{
	static const struct built_module with[] = {MODULE("1", "step", "f", "s")};
	static const struct built_module without[] = {MODULE("1", "step", NULL, NULL)};
	static const struct built_thunk known[] = {THUNK("fusion.1", "fusion", "a", "f32[8]"),
		THUNK("fusion.2", "fusion", "a", "f32[8]"), THUNK("copy.1", "copy", NULL, NULL)};
	static const struct built_thunk named[] = {THUNK("fusion.2", NULL, NULL, NULL),
		THUNK("fusion.1", NULL, NULL, NULL), THUNK("copy.2", NULL, NULL, NULL)};
	const struct built_run a = RUN(with, known), b = RUN(without, named);
	for (int turned = 0; turned < 2; turned++) {
		struct jr_arena arena;
		struct jr_run runs[2];
		jr_arena_init(&arena, 0);
		struct jr_match m = match(turned ? &b : &a, turned ? &a : &b, runs, &arena);
		assert_int_equal(m.n_thunks, 4);
		assert_group(&m, runs, "fusion.1", "fusion.1", JR_THUNK_SAME, 1, 1);
		assert_group(&m, runs, "fusion.2", "fusion.2", JR_THUNK_SAME, 1, 1);
		assert_group(&m, runs, turned ? "copy.2" : "copy.1", NULL, JR_THUNK_REMOVED, 1, 0);
		assert_group(&m, runs, NULL, turned ? "copy.1" : "copy.2", JR_THUNK_ADDED, 0, 1);
		jr_arena_done(&arena);
	}
}

/* Every thunk of a program is in exactly one group, for any two sides, and the order of rows
 * does not affect the matching. */
static UNIT(every_thunk_once)
{
	static const char *const opcodes[] = {"fusion", "copy", NULL},
							 *const names[] = {"a", "b", "", NULL},
							 *const shapes[] = {"s", "t", NULL};
	static const struct built_module before[] = {MODULE("1", "f", "f", "s1")};
	static const struct built_module after[] = {MODULE("1", "f", "f", "s2")};
	uint64_t random = 11;
	for (int round = 0; round < 100; round++) {
		struct built_thunk thunks[2][12];
		char labels[2][12][24];
		size_t n[2];
		struct jr_arena arena;
		struct jr_run runs[2];
		jr_arena_init(&arena, 0);
		for (int side = 0; side < 2; side++) {
			n[side] = next_random(&random) % 12;
			for (size_t i = 0; i < n[side]; i++) {
				snprintf(labels[side][i], sizeof(labels[side][i]), "t%zu", i);
				thunks[side][i] = (struct built_thunk){"1", labels[side][i],
					opcodes[next_random(&random) % 3], names[next_random(&random) % 4],
					shapes[next_random(&random) % 3], 1, false, 0};
			}
		}
		struct built_run a = {"G", 1, "1", before, 1, thunks[0], n[0]};
		struct built_run b = {"G", 1, "1", round % 2 ? before : after, 1, thunks[1], n[1]};
		struct jr_match m = match(&a, &b, runs, &arena);
		size_t seen[2][12] = {{0}};
		for (size_t i = 0; i < m.n_thunks; i++) {
			assert_true(m.thunks[i].n[0] + m.thunks[i].n[1] > 0);
			assert_int_equal(m.thunks[i].change == JR_THUNK_REMOVED, !m.thunks[i].n[1]);
			assert_int_equal(m.thunks[i].change == JR_THUNK_ADDED, !m.thunks[i].n[0]);
			for (int side = 0; side < 2; side++)
				for (size_t k = 0; k < m.thunks[i].n[side]; k++)
					seen[side][m.thunks[i].rows[side][k]]++;
		}
		for (int side = 0; side < 2; side++)
			for (size_t i = 0; i < n[side]; i++)
				assert_int_equal(seen[side][i], 1);
		jr_arena_done(&arena);
	}
}

/* Different spellings of one operation in versions of JAX. */
static UNIT(op_names_of_versions)
{
	static const char *const cases[][2] = {{"", ""}, {"jit(f)/jit(main)/mul", "jit(f)/mul"},
		{"jit(main)/jit(main)/mul", "mul"}, {"jit(f)/jit(main)", "jit(f)/jit(main)"},
		{"jit(f)/jit(main)2/mul", "jit(f)/jit(main)2/mul"}, {"x_jit(main)/mul", "x_jit(main)/mul"},
		{"jit(f)/pjit(g)/mul", "jit(f)/jit(g)/mul"}, {"a/xpjit(g)", "a/xpjit(g)"},
		{"f/dot_general[dims=(((1,), (0,)), ([], [])) type=f32]/x", "f/dot_general/x"},
		{"f[a/jit(main)/pjit(b)]]/g]h", "f]/g]h"}};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		assert_string_equal(jr_match_op_name(&arena, cases[i][0]), cases[i][1]);
}
