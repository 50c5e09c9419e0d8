/* Make a run from an earlier report.json and the folded stacks in its folder. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "compare/run/run.h"
#include "formats/text/json_parse.h"
#include "report/core/report.h"
#include "report/core/value.h"

/* --- tables ----------------------------------------------------------------------------------- */

/* Digits after the point in the text of an integer in base units. */
static unsigned decimals_of(enum jr_unit unit)
{
	return unit == JR_UNIT_NS ? 6 : unit == JR_UNIT_S ? 9 : 0;
}

static void read_cell(struct jr_table *to, size_t column, size_t row, const struct jr_json *v,
	int64_t *room, struct jr_arena *arena)
{
	const struct jr_column_spec *wanted = &to->spec->columns[column];
	union jr_cells *cells = &to->cells[column];
	if (!v)
		return;
	bool allowed = jr_run_allows(wanted, jr_json_double(v));
	switch (wanted->type) {
	case JR_TEXT:
		if (v->kind == JR_JSON_STRING)
			cells->text[row] = jr_arena_strdup(arena, v->text);
		break;
	case JR_I64: {
		int64_t integer;
		if (allowed && jr_json_integer(v, decimals_of(wanted->unit), &integer))
			jr_run_take_i64(&cells->i64[row], integer, room);
		break;
	}
	case JR_F64:
		if (allowed)
			jr_run_take_f64(&cells->f64[row], jr_value_of_data(jr_json_double(v), wanted->unit));
		break;
	case JR_BOOL:
		if (v->kind == JR_JSON_TRUE || v->kind == JR_JSON_FALSE)
			cells->boolean[row] = v->kind == JR_JSON_TRUE;
		break;
	case JR_ROWS: break;
	}
}

static struct jr_table *read_table(const struct jr_json *root, const struct jr_table_spec *wanted,
	size_t *n_refused, struct jr_arena *arena)
{
	const struct jr_json *list = jr_json_at(root, wanted->json);
	if (!list || list->kind != JR_JSON_ARRAY)
		return NULL;
	struct jr_table *to = jr_table_new(arena, wanted, list->n);
	int64_t *rooms = JR_ARENA_N(arena, int64_t, wanted->n_columns);
	for (size_t c = 0; c < wanted->n_columns; c++)
		rooms[c] = JR_RUN_MAX_SUM;
	size_t row = 0;
	for (const struct jr_json *object = list->first; object; object = object->next, row++)
		for (size_t c = 0; c < wanted->n_columns; c++) {
			const struct jr_json *v =
				*wanted->columns[c].key ? jr_json_at(object, wanted->columns[c].key) : object;
			read_cell(to, c, row, v, &rooms[c], arena);
			*n_refused += v && v->kind != JR_JSON_NULL && jr_run_refused(to, c, row);
		}
	return to;
}

/* --- scalars ---------------------------------------------------------------------------------- */

#define MAX_DEPTH 4 /* of paths */

/* Add all scalars, but none inside lists. Texts are copied, because a run outlives the text of a
 * line. */
static void add_scalars(struct jr_run_source *to, const char *path, const struct jr_json *object,
	unsigned depth, struct jr_arena *arena)
{
	for (const struct jr_json *v = object->first; v; v = v->next) {
		const char *own =
			depth ? jr_arena_printf(arena, "%s.%s", path, v->key) : jr_arena_strdup(arena, v->key);
		const char *text = v->kind == JR_JSON_TRUE    ? "true"
						   : v->kind == JR_JSON_FALSE ? "false"
						   : v->text                  ? jr_arena_strdup(arena, v->text)
													  : NULL;
		if (v->kind == JR_JSON_OBJECT && depth + 1 < MAX_DEPTH)
			add_scalars(to, own, v, depth + 1, arena);
		else if (v->kind != JR_JSON_OBJECT && v->kind != JR_JSON_ARRAY)
			*jr_vec_add(&to->scalars) = (struct jr_run_scalar){own, text, jr_json_double(v)};
	}
}

/* --- folded stacks ---------------------------------------------------------------------------- */

/* Missing files are not an error, because a report may be written without them; their trees stay
 * empty. */
static enum jr_status read_all_folded(struct jr_run_source *s, const char *folder,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_error *err)
{
	for (enum jr_run_tree tree = 0; tree < JR_RUN_N_TREES; tree++) {
		const char *path =
			jr_arena_printf(arena, "%sdata/%s.folded", folder, jr_run_tree_name(tree));
		if (access(path, F_OK) != 0 && errno == ENOENT)
			continue;
		JR_CLEANUP(jr_file_unmap) struct jr_file_map map = {0};
		JR_TRY(jr_file_map(path, &map, err));
		if (map.bytes.size > limits->entry_bytes)
			return jr_fail(err, JR_ELIMIT,
				"'%s': larger than %" PRIu64 " bytes (--max-entry-bytes)", path,
				limits->entry_bytes);
		JR_TRY(jr_run_stacks_read(map.bytes, path, limits, arena, &s->stacks[tree], err));
	}
	return JR_OK;
}

/* --- the report ------------------------------------------------------------------------------- */

static enum jr_status check_schema(const struct jr_json *root, struct jr_error *err)
{
	const char *schema = jr_json_string(jr_json_member(root, "schema"));
	if (!schema)
		return jr_fail(err, JR_EFORMAT,
			"not a report: the JSON does not contain \"schema\". Use the report.json of a report");
	if (strcmp(schema, JR_REPORT_SCHEMA) != 0)
		return jr_fail(err, JR_EUNSUPPORTED, JR_RUN_OTHER_SCHEMA, schema, JR_REPORT_SCHEMA);
	return JR_OK;
}

/* The caller has read the stacks into the source. */
static void read_tree(struct jr_run *run, struct jr_run_source *source, const struct jr_json *root,
	struct jr_arena *arena)
{
	for (size_t i = 0; i < JR_RUN_N_TABLES; i++)
		source->tables[i] = read_table(root, &jr_run_specs[i], &source->n_refused, arena);
	add_scalars(source, "", root, 0, arena);
	jr_run_read(run, source, arena);
}

void jr_run_of_tree(struct jr_run *run, const struct jr_json *root, struct jr_arena *arena)
{
	struct jr_run_source source = {0};
	read_tree(run, &source, root, arena);
}

enum jr_status jr_run_of_json(struct jr_run *run, struct jr_bytes text, const char *folder,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_error *err)
{
	JR_CLEANUP(jr_json_done) struct jr_json_doc doc = {0};
	struct jr_run_source source = {0};
	if (text.size > limits->entry_bytes)
		return jr_fail(err, JR_ELIMIT,
			"report is larger than %" PRIu64 " bytes (--max-entry-bytes)", limits->entry_bytes);
	JR_TRY(jr_json_parse(text, limits, &doc, err));
	JR_TRY(check_schema(doc.root, err));
	if (folder)
		JR_TRY(read_all_folded(&source, folder, limits, arena, err));
	read_tree(run, &source, doc.root, arena);
	return JR_OK;
}
