#include <string.h>

#include "compare/run/run_open.h"
#include "compare/history/trend.h"
#include "report/core/doc.h"
#include "tools/describe_parts.h"

/* A key of report.json, or a list whose items have the keys below it. */
struct key {
	const char *path; /* "ledger[].wall_ms" */
	const char *title, *help;
	enum jr_type type; /* ROWS: a list */
	enum jr_unit unit;
	bool plain; /* ROWS: of texts */
};

struct keys {
	JR_VEC(struct key) list;
	struct jr_arena arena;
};

/* A key that several documents have is listed once. A new key of a later document goes after the
 * key that precedes it there. Returns the place after it. */
static size_t add_key(struct keys *keys, size_t at, struct key key)
{
	for (size_t i = 0; i < keys->list.n; i++)
		if (strcmp(keys->list.items[i].path, key.path) == 0)
			return i + 1;
	key.path = jr_arena_strdup(&keys->arena, key.path);
	key.title = key.title ? jr_arena_strdup(&keys->arena, key.title) : "";
	key.help = key.help ? jr_arena_strdup(&keys->arena, key.help) : "";
	(void)jr_vec_add(&keys->list);
	memmove(&keys->list.items[at + 1], &keys->list.items[at],
		(keys->list.n - 1 - at) * sizeof(*keys->list.items));
	keys->list.items[at] = key;
	return at + 1;
}

/* Replace the name of a setting, which is part of its key, by NAME. */
static const char *general_path(struct keys *keys, const char *path)
{
	static const char flags[] = "provenance.flags.";
	return strncmp(path, flags, sizeof(flags) - 1) == 0
			   ? jr_arena_printf(&keys->arena, "%sNAME", flags)
			   : path;
}

static size_t add_scalar(struct keys *keys, size_t at, const struct jr_scalar *s)
{
	const char *path = general_path(keys, s->key);
	bool named = path == s->key;
	return add_key(keys, at,
		(struct key){.path = path,
			.title = named && !s->hidden ? s->title : NULL,
			.help = named ? s->help : "value of that variable of the profiled job's environment",
			.type = s->type,
			.unit = s->unit});
}

static size_t add_table(
	struct keys *keys, size_t at, const char *path, const struct jr_table *table)
{
	const struct jr_table_spec *spec = table->spec;
	bool plain = spec->n_columns == 1 && !*spec->columns[0].key;
	at = add_key(keys, at,
		(struct key){.path = path,
			.title = spec->title,
			.help = spec->help,
			.type = JR_ROWS,
			.plain = plain});
	for (size_t c = 0; c < spec->n_columns && !plain; c++) {
		const struct jr_column_spec *column = &spec->columns[c];
		if (column->flags & JR_COL_RENDERED_ONLY)
			continue;
		const char *own = jr_arena_printf(&keys->arena, "%s[].%s", path, column->key);
		if (column->type != JR_ROWS) {
			bool shown = !spec->data_only && !(column->flags & JR_COL_DATA_ONLY);
			at = add_key(keys, at,
				(struct key){.path = own,
					.title = shown ? column->title : NULL,
					.help = column->help,
					.type = column->type,
					.unit = column->unit});
			continue;
		}
		for (size_t row = 0; row < table->n_rows; row++)
			if (table->cells[c].rows[row]) {
				at = add_table(keys, at, own, table->cells[c].rows[row]);
				break;
			}
	}
	return at;
}

static size_t add_section(struct keys *keys, size_t at, const struct jr_section *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct jr_result_item *item = &s->items[i];
		if (item->kind == JR_RESULT_SCALAR && item->as.scalar->key)
			at = add_scalar(keys, at, item->as.scalar);
		else if (item->kind == JR_RESULT_TABLE && item->as.table->spec->json)
			at = add_table(keys, at, item->as.table->spec->json, item->as.table);
	}
	return at;
}

static void add_document(
	struct keys *keys, const struct jr_profile *profile, const struct jr_results *results)
{
	struct jr_doc doc;
	jr_doc_compose(&doc, profile, results, false, false);
	size_t at = 0;
	for (size_t i = 0; i < doc.data.n; i++)
		at = add_section(keys, at, doc.data.items[i]);
	struct jr_section lists = {0};
	jr_doc_lists(profile, results, &keys->arena, &lists);
	(void)add_section(keys, at, &lists);
	jr_doc_done(&doc);
}

/* --- documents -------------------------------------------------------------------------------- */

static void hold(enum jr_status status, const struct jr_error *err)
{
	if (status != JR_OK)
		describe_fail("cannot describe keys:", err->message);
}

static void open_side(const char *path, const struct jr_options *options, struct jr_side *side)
{
	struct jr_error err;
	hold(jr_side_open(side, &path, NULL, 1, options, NULL, &err), &err);
}

static struct jr_gates a_gate(struct keys *keys)
{
	static const char gate[] = "step.median<1000s";
	struct jr_gates gates = {0};
	struct jr_error err;
	hold(jr_gates_add(&gates, gate, sizeof(gate) - 1, &keys->arena, &err), &err);
	return gates;
}

static void add_report(struct keys *keys, const char *path, const struct jr_options *options)
{
	struct jr_side side;
	open_side(path, options, &side);
	struct jr_gates gates = a_gate(keys);
	struct jr_gate_result result = jr_gate_check(&gates.list.items[0], &side.run, NULL, NULL);
	jr_results_lead(&side.results, jr_gates_section(&result, 1, &keys->arena), &keys->arena);
	add_document(keys, &side.profile, &side.results);
	jr_gates_done(&gates);
	jr_side_done(&side);
}

/* All reports, and one of a part, for the keys of a selection. */
static void add_reports(
	struct keys *keys, char *const *paths, int n_paths, const struct jr_options *options)
{
	struct jr_options part = *options;
	part.selection = (struct jr_selection){
		.by_time = true, .from_ns = INT64_MIN, .to_ns = INT64_MAX, .time_text = ".."};
	for (int i = 0; i < n_paths; i++)
		add_report(keys, paths[i], options);
	if (n_paths)
		add_report(keys, paths[0], &part);
}

static void add_comparison(
	struct keys *keys, const char *base, const char *fresh, const struct jr_options *options)
{
	struct jr_profile notes;
	struct jr_gates gates = a_gate(keys);
	struct jr_comparison comparison;
	struct jr_results *results = JR_ARENA_NEW(&keys->arena, struct jr_results);
	struct jr_side sides[2];
	jr_profile_init(&notes, options);
	open_side(base, options, &sides[JR_BASE]);
	open_side(fresh, options, &sides[JR_NEW]);
	jr_compare_runs(
		&sides[JR_BASE].run, &sides[JR_NEW].run, 0.01, &gates, &keys->arena, &comparison, results);
	add_document(keys, &notes, results);
	jr_side_done(&sides[JR_BASE]);
	jr_side_done(&sides[JR_NEW]);
	jr_gates_done(&gates);
	jr_profile_done(&notes);
}

static void add_history(struct keys *keys, const char *store, const struct jr_options *options)
{
	struct jr_profile notes;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	struct jr_error err;
	struct jr_history *history = JR_ARENA_NEW(&keys->arena, struct jr_history);
	struct jr_results *results = JR_ARENA_NEW(&keys->arena, struct jr_results);
	jr_profile_init(&notes, options);
	hold(jr_history_load(store, &options->limits, &text, &err), &err);
	hold(jr_history_read(
			 jr_buf_view(&text), 100, NULL, &options->limits, &keys->arena, history, &err),
		&err);
	const struct jr_metric *metric = jr_metric_find("step.median", strlen("step.median"));
	const struct jr_trend_request wanted = {
		.store = "runs", .metrics = &metric, .n_metrics = 1, .tolerance = 0.01, .n_threads = 1};
	jr_trend_results(history, &wanted, &keys->arena, results);
	add_document(keys, &notes, results);
	jr_profile_done(&notes);
}

/* --- Markdown --------------------------------------------------------------------------------- */

static const char *type_name(const struct key *key)
{
	static const char *const units[] = {
		[JR_UNIT_NS] = "ms",
		[JR_UNIT_S] = "s",
		[JR_UNIT_BYTES] = "bytes",
		[JR_UNIT_BYTES_S] = "GB/s",
		[JR_UNIT_FRAC] = "fraction",
		[JR_UNIT_PERCENT] = "%",
		[JR_UNIT_POINTS] = "pp",
		[JR_UNIT_HZ] = "Hz",
	};
	if (key->type == JR_ROWS)
		return key->plain ? "texts" : "rows";
	if (key->type == JR_TEXT)
		return "text";
	if (key->type == JR_BOOL)
		return "true, false";
	if (key->unit != JR_UNIT_NONE && key->unit != JR_UNIT_COUNT)
		return units[key->unit];
	return key->type == JR_I64 ? "integer" : "number";
}

static void put_cell(struct jr_buf *out, const char *text)
{
	for (const char *s = text; *s; s++) {
		if (*s == '|' || *s == '<')
			jr_buf_putc(out, '\\');
		jr_buf_putc(out, *s);
	}
}

/* Print one table; its rows are keys in the order of the report. */
static void put_keys(struct jr_buf *out, const struct keys *keys)
{
	jr_buf_puts(out, "| key | what | in the report | definition |\n|---|---|---|---|\n");
	for (size_t i = 0; i < keys->list.n; i++) {
		const struct key *key = &keys->list.items[i];
		jr_buf_printf(out, "| `%s` | %s | ", key->path, type_name(key));
		put_cell(out, key->title);
		jr_buf_puts(out, " | ");
		put_cell(out, key->help);
		jr_buf_puts(out, " |\n");
	}
}

void describe_keys(struct jr_buf *out, const char *kind, char *const *paths, int n_paths)
{
	struct jr_options options = jr_options_default();
	struct keys keys = {0};
	jr_arena_init(&keys.arena, 0);
	if (strcmp(kind, "report") == 0)
		add_reports(&keys, paths, n_paths, &options);
	else if (strcmp(kind, "compare") == 0)
		for (int i = 0; i + 1 < n_paths; i += 2)
			add_comparison(&keys, paths[i], paths[i + 1], &options);
	else if (strcmp(kind, "trend") == 0)
		for (int i = 0; i < n_paths; i++)
			add_history(&keys, paths[i], &options);
	else
		describe_fail("no keys of", kind);
	put_keys(out, &keys);
	jr_vec_done(&keys.list);
	jr_arena_done(&keys.arena);
}
