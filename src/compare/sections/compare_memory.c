/* Memory of matched programs, and their peak heap sizes. */
#include <inttypes.h>

#include "compare/core/compare_rows.h"

/* The matched program of each row, by side. */
struct programs {
	const size_t *of[2];
};

static struct programs programs_of(
	const struct jr_comparison *c, enum jr_run_table table, size_t id)
{
	struct programs out;
	for (int side = 0; side < 2; side++)
		out.of[side] = jr_match_programs_of(&c->match, c->runs[side], side, table, id, c->arena);
	return out;
}

static size_t match_of(const struct jr_compare_row *r, int side)
{
	return ((const struct programs *)r->context)->of[side][r->row[side]];
}

static const char *own_text(const struct jr_compare_row *r, int side, size_t column)
{
	return jr_run_text(r->c->runs[side], r->rows->table, column, r->row[side]);
}

/* The matched program and the trace. Programs without a steady execution are in no table of modules
 * and are identified by id. */
static const char *key(const struct jr_compare_row *r, int side)
{
	size_t match = match_of(r, side);
	bool heaps = r->rows->table == JR_RUN_MEMORY;
	int64_t trace =
		heaps ? jr_run_i64(r->c->runs[side], JR_RUN_MEMORY, JR_MEMORY_TRACE, r->row[side]) : 0;
	const char *id = own_text(r, side, heaps ? JR_MEMORY_PROGRAM : JR_PROGRAM_MEMORY_ID);
	return match == SIZE_MAX ? jr_arena_printf(r->c->arena, "id %s %" PRId64, id ? id : "", trace)
							 : jr_arena_printf(r->c->arena, "match %zu %" PRId64, match, trace);
}

static int known(const struct jr_compare_row *r)
{
	return r->row[JR_BASE] != SIZE_MAX ? JR_BASE : JR_NEW;
}

static const char *program(const struct jr_compare_row *r)
{
	size_t match = match_of(r, known(r));
	size_t id = r->rows->table == JR_RUN_MEMORY ? JR_MEMORY_PROGRAM : JR_PROGRAM_MEMORY_ID;
	return match == SIZE_MAX ? own_text(r, known(r), id) : jr_compare_program_id(r->c, match);
}

static const char *name(const struct jr_compare_row *r)
{
	size_t match = match_of(r, known(r));
	if (match != SIZE_MAX)
		return jr_compare_program_text(r->c, match, JR_MODULE_NAME);
	return r->rows->table == JR_RUN_MEMORY ? NULL : own_text(r, known(r), JR_PROGRAM_MEMORY_NAME);
}

#define PROGRAMS(X, T)                                                                             \
	JR_PROGRAM(X, T, program)                                                                      \
	X(T, name, "Module", "module name", TEXT, NONE, JR_COL_CODE, JR_WORDS(name))                   \
	JR_CHANGE_OF_BOTH(X, T, bytes, "device memory allocated for the program", I64, BYTES,          \
		JR_COLUMN(JR_PROGRAM_MEMORY_ALLOCATED))                                                    \
	JR_PART(                                                                                       \
		X, T, parameter, "Parameters, change", "change of the memory of parameters", PARAMETERS)   \
	JR_PART(X, T, output, "Outputs, change", "change of the memory of outputs", OUTPUTS)           \
	JR_PART(X, T, constant, "Constants, change", "change of the memory of constants", CONSTANTS)   \
	JR_PART(X, T, temporary, "Temporaries, change", "change of the memory of temporaries",         \
		TEMPORARIES)
#define JR_PART(X, T, part, title, help, of)                                                       \
	X(T, part##_change_bytes, title, help, I64, BYTES, JR_COL_CHANGE, .how = JR_FILL_CHANGE_ALONE, \
		JR_COLUMN(JR_PROGRAM_MEMORY_##of))
JR_COMPARE_COLUMNS(PROGRAMS)
JR_COMPARE_FILLS(PROGRAMS)

static double larger(const struct jr_compare_row *r)
{
	double most = NAN;
	for (int side = 0; side < 2; side++)
		if (r->row[side] != SIZE_MAX)
			most = fmax(most, jr_table_number(r->c->runs[side]->tables[JR_RUN_PROGRAM_MEMORY],
								  JR_PROGRAM_MEMORY_ALLOCATED, r->row[side]));
	return most;
}

static const struct jr_compare_rows programs = {
	.spec = {JR_TABLE_SPEC("program_memory", "program_memory", "Memory by program",
		"Per program; largest allocation in either run first", PROGRAMS_columns)},
	.fills = PROGRAMS_fills,
	.table = JR_RUN_PROGRAM_MEMORY,
	.key_of = key,
	.rank_of = larger,
	.n_shown = 10,
};

#define HEAPS(X, T)                                                                                \
	JR_PROGRAM(X, T, program)                                                                      \
	X(T, name, "Module", "module name", TEXT, NONE, JR_COL_CODE, JR_WORDS(name))                   \
	X(T, trace, "Trace", "heap simulator trace of the program, from 0", I64, NONE, JR_COL_KEY,     \
		JR_ONE(JR_MEMORY_TRACE))                                                                   \
	JR_CHANGE(X, T, bytes, "largest sum of live buffers", I64, BYTES, JR_COLUMN(JR_MEMORY_PEAK))
JR_COMPARE_COLUMNS(HEAPS)
JR_COMPARE_FILLS(HEAPS)

static const struct jr_compare_rows heaps = {
	.spec = {JR_TABLE_SPEC("memory", "memory", "Heap by program",
		"Per heap simulator trace; in the order of the base, then new ones", HEAPS_columns)},
	.fills = HEAPS_fills,
	.table = JR_RUN_MEMORY,
	.key_of = key,
};

/* Whether a report is from before allocations were read, but the other one has them. */
static bool is_older(const struct jr_comparison *c, int side)
{
	return jr_run_rows(c->runs[side], JR_RUN_MEMORY) &&
		   !c->runs[side]->has[JR_RUN_PROGRAM_MEMORY] && c->runs[!side]->has[JR_RUN_PROGRAM_MEMORY];
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	for (int side = 0; side < 2; side++)
		if (is_older(c, side))
			jr_section_text(out, c->arena,
				"The report of the %s is older than the allocation data, so only the "
				"heaps of its programs are known.",
				side == JR_BASE ? "base" : "new run");
	struct programs of_programs = programs_of(c, JR_RUN_PROGRAM_MEMORY, JR_PROGRAM_MEMORY_ID);
	struct programs of_heaps = programs_of(c, JR_RUN_MEMORY, JR_MEMORY_PROGRAM);
	const struct jr_table *added[] = {
		jr_compare_put(c, &programs, &of_programs, out), jr_compare_put(c, &heaps, &of_heaps, out)};
	if (!added[0] && !added[1])
		out->unavailable = "not available, because neither run has a buffer assignment";
}

const struct jr_compare_pass jr_compare_memory = {
	.about = {.name = "memory",
		.title = "Memory",
		.group = JR_GROUP_COMPILE,
		.summary = "Device memory allocated for each program and the peak of its heap, as planned "
				   "by the compiler"},
	.run = run,
};
