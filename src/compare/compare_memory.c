/* Peaks of the heaps of matched programs. */
#include <inttypes.h>
#include <string.h>

#include "compare/compare_columns.h"

enum { PROGRAM, NAME, TRACE, BASE, NEW, CHANGE, PERCENT };

static const struct jr_column_spec columns[] = {
	{"program_id", "Program", "program id, in the base and in the new run", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY},
	{"name", "Module", "module name", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"trace", "Trace", "heap simulator trace of the program, from 0", JR_I64, JR_UNIT_NONE,
		JR_COL_KEY},
	JR_CHANGE_COLUMNS("_bytes", "largest sum of live buffers", JR_I64, JR_UNIT_BYTES),
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC("memory", "memory", "Heap by program",
	"One row a heap simulator trace; in the order of the base, then what is new", columns)};

/* Rows of the matched programs by their ids on a side; of equal ids the first. */
struct program_index {
	struct jr_intern ids;
	struct jr_map rows; /* of the matched programs, by id */
};

static void index_programs(const struct jr_comparison *c, int side, struct program_index *out)
{
	*out = (struct program_index){0};
	jr_intern_init(&out->ids);
	for (uint32_t i = 0; i < c->match.n_programs; i++) {
		size_t row = c->match.programs[i].row[side];
		const char *own =
			row == SIZE_MAX ? NULL : jr_run_text(c->runs[side], JR_RUN_MODULES, JR_MODULE_ID, row);
		uint32_t id = own ? jr_intern_puts(&out->ids, own) : JR_NONE;
		if (own && jr_map_get(&out->rows, id) == JR_NONE)
			jr_map_put(&out->rows, id, i);
	}
}

static void index_done(struct program_index *index)
{
	jr_map_done(&index->rows);
	jr_intern_done(&index->ids);
}

/* Row of the matched programs that has this id, or SIZE_MAX. */
static size_t program_of(const struct program_index *index, const char *id)
{
	uint32_t own = id ? jr_intern_find(&index->ids, id, strlen(id)) : JR_NONE;
	uint32_t row = own == JR_NONE ? JR_NONE : jr_map_get(&index->rows, own);
	return row == JR_NONE ? SIZE_MAX : row;
}

/* Key of a trace: its matched program and number; programs without a steady execution are in no
 * table of modules and go by their id. */
static const char **keys_of(const struct jr_comparison *c, int side, size_t *programs)
{
	const struct jr_run *run = c->runs[side];
	size_t n = jr_run_rows(run, JR_RUN_MEMORY);
	const char **keys = JR_ARENA_N(c->arena, const char *, n + 1);
	struct program_index index;
	index_programs(c, side, &index);
	for (size_t i = 0; i < n; i++) {
		const char *id = jr_run_text(run, JR_RUN_MEMORY, JR_MEMORY_PROGRAM, i);
		int64_t trace = jr_run_i64(run, JR_RUN_MEMORY, JR_MEMORY_TRACE, i);
		programs[i] = program_of(&index, id);
		keys[i] = programs[i] == SIZE_MAX
					  ? jr_arena_printf(c->arena, "id %s %" PRId64, id ? id : "", trace)
					  : jr_arena_printf(c->arena, "match %zu %" PRId64, programs[i], trace);
	}
	index_done(&index);
	return keys;
}

static int64_t peak(const struct jr_run *run, size_t row)
{
	return row == SIZE_MAX ? JR_NULL_I64 : jr_run_i64(run, JR_RUN_MEMORY, JR_MEMORY_PEAK, row);
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	size_t n[2], *programs[2], n_pairs;
	const char *const *keys[2];
	for (int side = 0; side < 2; side++) {
		n[side] = jr_run_rows(c->runs[side], JR_RUN_MEMORY);
		programs[side] = JR_ARENA_N(c->arena, size_t, n[side] + 1);
		keys[side] = keys_of(c, side, programs[side]);
	}
	const struct jr_row_pair *pairs = jr_match_rows(keys, n, c->arena, &n_pairs);
	if (!n_pairs) {
		out->unavailable = "not available, because neither run has a heap simulator trace";
		return;
	}
	struct jr_table *table = jr_table_new(c->arena, &spec, n_pairs);
	for (size_t i = 0; i < n_pairs; i++) {
		const size_t *row = pairs[i].row;
		int side = row[JR_BASE] != SIZE_MAX ? JR_BASE : JR_NEW;
		size_t program = programs[side][row[side]];
		table->cells[PROGRAM].text[i] =
			program != SIZE_MAX
				? jr_compare_program_id(c, program)
				: jr_run_text(c->runs[side], JR_RUN_MEMORY, JR_MEMORY_PROGRAM, row[side]);
		if (program != SIZE_MAX)
			table->cells[NAME].text[i] = jr_compare_program_text(c, program, JR_MODULE_NAME);
		table->cells[TRACE].i64[i] =
			jr_run_i64(c->runs[side], JR_RUN_MEMORY, JR_MEMORY_TRACE, row[side]);
		jr_change_i64(table, BASE, i, peak(c->runs[0], row[0]), peak(c->runs[1], row[1]));
	}
	jr_section_table(out, c->arena, table);
}

const struct jr_compare_pass jr_compare_memory = {
	.about = {.name = "memory",
		.title = "Memory",
		.summary = "Peak of each program's heap, as the compiler planned it"},
	.run = run,
};
