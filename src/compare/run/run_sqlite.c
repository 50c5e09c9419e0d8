/* Make a run from an earlier profile.sqlite: the same rows and scalars as from a report.json. */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"
#include "base/vec.h"
#include "compare/run/run.h"
#include "formats/nsys/sqlite_rows.h"
#include "report/core/report.h"
#include "report/core/value.h"

struct state {
	struct jr_sqlite *db;
	const struct jr_limits *limits;
	struct jr_arena *arena;
	struct jr_run_source source;
	size_t room[JR_RUN_N_TREES]; /* counted rows of each tree */
	uint64_t n_rows;
	struct jr_error *err;
};

static void state_done(struct state *s)
{
	jr_vec_done(&s->source.scalars);
}

static const char *clean_text(const struct jr_sqlite_cell *cell, struct jr_arena *arena)
{
	if (cell->kind != JR_SQLITE_TEXT)
		return NULL;
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	jr_text_clean(&clean, cell->text, cell->text_size);
	return jr_arena_strndup(arena, clean.data ? clean.data : "", clean.size);
}

static double number_of(const struct jr_sqlite_cell *cell)
{
	return cell->kind == JR_SQLITE_INTEGER || cell->kind == JR_SQLITE_REAL ? cell->real : NAN;
}

/* --- tables ----------------------------------------------------------------------------------- */

struct filling {
	struct jr_table *to;
	struct jr_arena *arena;
	size_t row, n_refused;
	int64_t rooms[JR_SQLITE_MAX_COLUMNS];
};

/* Convert ms back to the whole ns that the writer divided. */
static void take_i64(
	int64_t *to, const struct jr_sqlite_cell *cell, enum jr_unit unit, int64_t *room)
{
	double number = jr_value_of_data(number_of(cell), unit);
	if (cell->kind == JR_SQLITE_INTEGER && (unit == JR_UNIT_NONE || unit == JR_UNIT_COUNT ||
											   unit == JR_UNIT_BYTES || unit == JR_UNIT_HZ))
		jr_run_take_i64(to, cell->integer, room);
	else if (fabs(number) < (double)JR_RUN_MAX_SUM)
		jr_run_take_i64(to, llround(number), room);
}

static enum jr_status take_row(
	void *context, const struct jr_sqlite_cell *cells, struct jr_error *err)
{
	(void)err;
	struct filling *f = context;
	for (size_t c = 0; c < f->to->spec->n_columns && f->row < f->to->n_rows; c++) {
		const struct jr_column_spec *wanted = &f->to->spec->columns[c];
		union jr_cells *to = &f->to->cells[c];
		bool allowed = jr_run_allows(wanted, number_of(&cells[c]));
		switch (wanted->type) {
		case JR_TEXT: to->text[f->row] = clean_text(&cells[c], f->arena); break;
		case JR_I64:
			if (allowed)
				take_i64(&to->i64[f->row], &cells[c], wanted->unit, &f->rooms[c]);
			break;
		case JR_F64:
			if (allowed)
				jr_run_take_f64(
					&to->f64[f->row], jr_value_of_data(number_of(&cells[c]), wanted->unit));
			break;
		case JR_BOOL:
			if (cells[c].kind == JR_SQLITE_INTEGER)
				to->boolean[f->row] = cells[c].integer != 0;
			break;
		case JR_ROWS: break;
		}
		f->n_refused += cells[c].kind != JR_SQLITE_NULL && jr_run_refused(f->to, c, f->row);
	}
	f->row++;
	return JR_OK;
}

/* The table names of sqlite_tables.c. */
static const char *table_name(const char *path, struct jr_arena *arena)
{
	char *name = jr_arena_printf(arena, "report_%s", path);
	for (char *s = name; *s; s++)
		if (*s == '.')
			*s = '_';
	return name;
}

static enum jr_status read_table(
	struct state *s, const struct jr_table_spec *wanted, struct jr_table **out)
{
	const char *columns[JR_SQLITE_MAX_COLUMNS];
	const char *name = table_name(wanted->json, s->arena);
	struct filling f = {.arena = s->arena};
	bool found;
	uint64_t n;
	for (size_t c = 0; c < wanted->n_columns; c++) {
		columns[c] = *wanted->columns[c].key ? wanted->columns[c].key : "text";
		f.rooms[c] = JR_RUN_MAX_SUM;
	}
	JR_TRY(jr_sqlite_rows(s->db, name, columns, wanted->n_columns, NULL, NULL, &found, &n, s->err));
	if (!found)
		return JR_OK;
	f.to = jr_table_new(s->arena, wanted, (size_t)n);
	JR_TRY(
		jr_sqlite_rows(s->db, name, columns, wanted->n_columns, take_row, &f, &found, &n, s->err));
	*out = f.to;
	s->source.n_refused += f.n_refused;
	return JR_OK;
}

/* --- scalars ---------------------------------------------------------------------------------- */

static enum jr_status take_scalar(
	void *context, const struct jr_sqlite_cell *cells, struct jr_error *err)
{
	(void)err;
	struct state *s = context;
	char number[JR_NUM_MAX];
	struct jr_run_scalar scalar = {
		clean_text(&cells[0], s->arena), clean_text(&cells[1], s->arena), number_of(&cells[1])};
	if (!scalar.path)
		return JR_OK;
	if (cells[1].kind == JR_SQLITE_INTEGER)
		scalar.text = jr_arena_strndup(s->arena, number, jr_num_i64(number, cells[1].integer));
	else if (cells[1].kind == JR_SQLITE_REAL)
		scalar.text = jr_arena_strndup(s->arena, number, jr_num_double(number, cells[1].real));
	*jr_vec_add(&s->source.scalars) = scalar;
	return JR_OK;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static size_t tree_of(const struct jr_sqlite_cell *name)
{
	for (enum jr_run_tree tree = 0; name->kind == JR_SQLITE_TEXT && tree < JR_RUN_N_TREES; tree++)
		if (strlen(jr_run_tree_name(tree)) == name->text_size &&
			memcmp(jr_run_tree_name(tree), name->text, name->text_size) == 0)
			return tree;
	return JR_RUN_N_TREES;
}

static enum jr_status count_stack(
	void *context, const struct jr_sqlite_cell *cells, struct jr_error *err)
{
	(void)err;
	struct state *s = context;
	size_t tree = tree_of(&cells[0]);
	if (tree < JR_RUN_N_TREES)
		s->room[tree]++;
	return JR_OK;
}

static enum jr_status take_stack(
	void *context, const struct jr_sqlite_cell *cells, struct jr_error *err)
{
	struct state *s = context;
	size_t tree = tree_of(&cells[0]);
	if (tree == JR_RUN_N_TREES)
		return JR_OK;
	bool is_text = cells[1].kind == JR_SQLITE_TEXT;
	struct jr_run_stacks *to = &s->source.stacks[tree];
	if (to->n == s->room[tree])
		return jr_fail(err, JR_EFORMAT, "table report_stack changes while it is being read");
	enum jr_status status =
		jr_run_stack_take(is_text ? cells[1].text : "", is_text ? cells[1].text_size : 0,
			round(1e6 * number_of(&cells[2])), s->limits, s->arena, &to->items[to->n]);
	if (status != JR_OK)
		return jr_fail(err, status,
			status == JR_ELIMIT ? "table report_stack: a stack is too deep (--max-depth)"
								: "table report_stack: a row is not a stack");
	to->n++;
	return JR_OK;
}

static enum jr_status read_all_stacks(struct state *s)
{
	static const char *const columns[] = {"tree", "stack", "self_ms"};
	bool found;
	JR_TRY(jr_sqlite_rows(
		s->db, "report_stack", columns, 1, count_stack, s, &found, &s->n_rows, s->err));
	/* another process may insert between the two scans, so take_stack() checks the room */
	for (size_t tree = 0; tree < JR_RUN_N_TREES; tree++) {
		s->source.stacks[tree].items =
			jr_arena_array(s->arena, s->room[tree] + 1, sizeof(struct jr_run_stack), s->err);
		if (!s->source.stacks[tree].items)
			return JR_ELIMIT;
	}
	return jr_sqlite_rows(s->db, "report_stack", columns, JR_COUNT_OF(columns), take_stack, s,
		&found, &s->n_rows, s->err);
}

/* --- the report ------------------------------------------------------------------------------- */

static enum jr_status read_scalars(struct state *s)
{
	static const char *const columns[] = {"path", "value"};
	bool found;
	JR_TRY(jr_sqlite_rows(s->db, "report_value", columns, JR_COUNT_OF(columns), take_scalar, s,
		&found, &s->n_rows, s->err));
	if (!found)
		return jr_fail(s->err, JR_ENOTFOUND, "not the profile.sqlite of a report");
	const char *schema = jr_run_source_text(&s->source, "schema");
	if (!schema || strcmp(schema, JR_REPORT_SCHEMA) != 0)
		return jr_fail(
			s->err, JR_EUNSUPPORTED, JR_RUN_OTHER_SCHEMA, schema ? schema : "", JR_REPORT_SCHEMA);
	return JR_OK;
}

enum jr_status jr_run_of_database(struct jr_run *run, struct jr_sqlite *db,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_error *err)
{
	JR_CLEANUP(state_done)
	struct state s = {.db = db, .limits = limits, .arena = arena, .err = err};
	JR_TRY(read_scalars(&s));
	JR_TRY(jr_sqlite_check(db, err)); /* after read_scalars(): a foreign database may be large */
	JR_TRY(read_all_stacks(&s));
	for (size_t i = 0; i < JR_RUN_N_TABLES; i++)
		JR_TRY(read_table(&s, &jr_run_specs[i], &s.source.tables[i]));
	jr_run_read(run, &s.source, arena);
	return JR_OK;
}

enum jr_status jr_run_of_sqlite(struct jr_run *run, const char *path,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_error *err)
{
	JR_CLEANUP(jr_sqlite_close) struct jr_sqlite *db = NULL;
	JR_TRY(jr_sqlite_open(path, limits, &db, err));
	return jr_run_of_database(run, db, limits, arena, err);
}
