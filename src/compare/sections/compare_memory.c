/* Memory of matched programs, and the peaks of their heaps. */
#include <inttypes.h>
#include <string.h>

#include "compare/core/compare_columns.h"

#define N_SHOWN 10

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
	"Per heap simulator trace; in the order of the base, then what is new", columns)};

enum { P_PROGRAM, P_NAME, P_BASE, P_NEW, P_CHANGE, P_PERCENT, P_PARTS };

static const struct jr_column_spec program_columns[] = {
	{"program_id", "Program", "program id, in the base and in the new run", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY},
	{"name", "Module", "module name", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	JR_CHANGE_COLUMNS_OF_BOTH(
		"_bytes", "memory of a device allocated for the program", JR_I64, JR_UNIT_BYTES),
	{"parameter_change_bytes", "Parameters", "of the change: parameters", JR_I64, JR_UNIT_BYTES,
		JR_COL_CHANGE},
	{"output_change_bytes", "Outputs", "of the change: outputs", JR_I64, JR_UNIT_BYTES,
		JR_COL_CHANGE},
	{"constant_change_bytes", "Constants", "of the change: constants", JR_I64, JR_UNIT_BYTES,
		JR_COL_CHANGE},
	{"temporary_change_bytes", "Temporaries", "of the change: temporaries", JR_I64, JR_UNIT_BYTES,
		JR_COL_CHANGE},
};
static const struct jr_table_spec program_spec = {
	JR_COMPARE_SPEC("program_memory", "program_memory", "Memory by program",
		"Per program; by the larger of what is allocated for it in either run", program_columns)};

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

/* Rows of both runs that are of a program, paired. */
struct pairs {
	enum jr_run_table table;
	size_t id, trace;    /* its columns; trace: SIZE_MAX = one row a program */
	size_t *programs[2]; /* by row: the matched program, SIZE_MAX = none */
	const struct jr_row_pair *items;
	size_t n;
};

/* Key of a row: its matched program, and its trace; programs without a steady execution are in no
 * table of modules and go by their id. */
static const char **keys_of(const struct jr_comparison *c, int side, struct pairs *pairs)
{
	const struct jr_run *run = c->runs[side];
	size_t n = jr_run_rows(run, pairs->table);
	const char **keys = JR_ARENA_N(c->arena, const char *, n + 1);
	struct program_index index;
	index_programs(c, side, &index);
	pairs->programs[side] = JR_ARENA_N(c->arena, size_t, n + 1);
	for (size_t i = 0; i < n; i++) {
		const char *id = jr_run_text(run, pairs->table, pairs->id, i);
		int64_t trace =
			pairs->trace == SIZE_MAX ? 0 : jr_run_i64(run, pairs->table, pairs->trace, i);
		size_t program = program_of(&index, id);
		pairs->programs[side][i] = program;
		keys[i] = program == SIZE_MAX
					  ? jr_arena_printf(c->arena, "id %s %" PRId64, id ? id : "", trace)
					  : jr_arena_printf(c->arena, "match %zu %" PRId64, program, trace);
	}
	index_done(&index);
	return keys;
}

static void pair_rows(const struct jr_comparison *c, struct pairs *pairs)
{
	const char *const *keys[2];
	size_t n[2];
	for (int side = 0; side < 2; side++) {
		n[side] = jr_run_rows(c->runs[side], pairs->table);
		keys[side] = keys_of(c, side, pairs);
	}
	pairs->items = jr_match_rows(keys, n, c->arena, &pairs->n);
}

/* Id and name; of what is not matched as its own run has them. */
static void fill_program(const struct jr_comparison *c, const struct pairs *pairs, size_t i,
	size_t name, const char **id, const char **text)
{
	const size_t *row = pairs->items[i].row;
	int side = row[JR_BASE] != SIZE_MAX ? JR_BASE : JR_NEW;
	size_t program = pairs->programs[side][row[side]];
	if (program != SIZE_MAX) {
		*id = jr_compare_program_id(c, program);
		*text = jr_compare_program_text(c, program, JR_MODULE_NAME);
		return;
	}
	*id = jr_run_text(c->runs[side], pairs->table, pairs->id, row[side]);
	if (name != SIZE_MAX)
		*text = jr_run_text(c->runs[side], pairs->table, name, row[side]);
}

static int64_t bytes_of(
	const struct jr_comparison *c, const struct pairs *pairs, size_t i, int side, size_t column)
{
	size_t row = pairs->items[i].row[side];
	return row == SIZE_MAX ? JR_NULL_I64 : jr_run_i64(c->runs[side], pairs->table, column, row);
}

/* Rows by the larger of both runs' memory. */
static const struct jr_rank_key *rank_programs(
	const struct jr_comparison *c, const struct pairs *pairs)
{
	struct jr_rank_key *keys = JR_ARENA_N(c->arena, struct jr_rank_key, pairs->n + 1);
	for (uint32_t i = 0; i < pairs->n; i++) {
		int64_t bytes[2]; /* JR_NULL_I64 is less than any */
		for (int side = 0; side < 2; side++)
			bytes[side] = bytes_of(c, pairs, i, side, JR_PROGRAM_MEMORY_ALLOCATED);
		keys[i] =
			(struct jr_rank_key){(double)(bytes[0] > bytes[1] ? bytes[0] : bytes[1]), "", i, i};
	}
	jr_rank_sort(keys, pairs->n);
	return keys;
}

static void fill_row(const struct jr_comparison *c, const struct pairs *pairs, size_t i,
	struct jr_table *table, size_t row)
{
	static const size_t parts[] = {JR_PROGRAM_MEMORY_PARAMETERS, JR_PROGRAM_MEMORY_OUTPUTS,
		JR_PROGRAM_MEMORY_CONSTANTS, JR_PROGRAM_MEMORY_TEMPORARIES};
	union jr_cells *cells = table->cells;
	fill_program(
		c, pairs, i, JR_PROGRAM_MEMORY_NAME, &cells[P_PROGRAM].text[row], &cells[P_NAME].text[row]);
	jr_change_i64_of_both(table, P_BASE, row,
		bytes_of(c, pairs, i, JR_BASE, JR_PROGRAM_MEMORY_ALLOCATED),
		bytes_of(c, pairs, i, JR_NEW, JR_PROGRAM_MEMORY_ALLOCATED));
	for (size_t k = 0; k < JR_COUNT_OF(parts); k++) {
		int64_t base = bytes_of(c, pairs, i, JR_BASE, parts[k]);
		int64_t fresh = bytes_of(c, pairs, i, JR_NEW, parts[k]);
		if (base != JR_NULL_I64 && fresh != JR_NULL_I64)
			cells[P_PARTS + k].i64[row] = fresh - base;
	}
}

static void add_programs(const struct jr_comparison *c, struct jr_section *out)
{
	struct pairs pairs = {
		.table = JR_RUN_PROGRAM_MEMORY, .id = JR_PROGRAM_MEMORY_ID, .trace = SIZE_MAX};
	pair_rows(c, &pairs);
	const struct jr_rank_key *keys = rank_programs(c, &pairs);
	struct jr_table *table = jr_table_new(c->arena, &program_spec, pairs.n);
	for (size_t row = 0; row < pairs.n; row++)
		fill_row(c, &pairs, keys[row].row, table, row);
	if (table->n_rendered > N_SHOWN)
		table->n_rendered = N_SHOWN;
	if (pairs.n)
		jr_section_table(out, c->arena, table);
}

static void add_heaps(const struct jr_comparison *c, struct jr_section *out)
{
	struct pairs pairs = {
		.table = JR_RUN_MEMORY, .id = JR_MEMORY_PROGRAM, .trace = JR_MEMORY_TRACE};
	pair_rows(c, &pairs);
	struct jr_table *table = jr_table_new(c->arena, &spec, pairs.n);
	for (size_t i = 0; i < pairs.n; i++) {
		const size_t *row = pairs.items[i].row;
		int side = row[JR_BASE] != SIZE_MAX ? JR_BASE : JR_NEW;
		fill_program(
			c, &pairs, i, SIZE_MAX, &table->cells[PROGRAM].text[i], &table->cells[NAME].text[i]);
		table->cells[TRACE].i64[i] =
			jr_run_i64(c->runs[side], JR_RUN_MEMORY, JR_MEMORY_TRACE, row[side]);
		jr_change_i64(table, BASE, i, bytes_of(c, &pairs, i, JR_BASE, JR_MEMORY_PEAK),
			bytes_of(c, &pairs, i, JR_NEW, JR_MEMORY_PEAK));
	}
	if (pairs.n)
		jr_section_table(out, c->arena, table);
}

/* A report of before allocations were read: the other one has them. */
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
				"The report of the %s was written before allocations were read: of its programs "
				"only the heaps are known.",
				side == JR_BASE ? "base" : "new run");
	size_t n = out->n;
	add_programs(c, out);
	add_heaps(c, out);
	if (out->n == n)
		out->unavailable = "not available, because neither run has a buffer assignment";
}

const struct jr_compare_pass jr_compare_memory = {
	.about = {.name = "memory",
		.title = "Memory",
		.group = JR_GROUP_COMPILE,
		.summary = "What each program takes of a device's memory, and the peak of its heap, as the "
				   "compiler planned them"},
	.run = run,
};
