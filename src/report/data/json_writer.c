/* report.json: report/README.md. Items of all sections form one tree by their dotted paths. The
 * tree is written depth first, top-level keys in the order of the contract, one row per line. */
#include <string.h>

#include "analysis/attribution/attribution_tables.h"
#include "analysis/devices/devices_tables.h"
#include "analysis/memory/memory_tables.h"
#include "base/cleanup.h"
#include "report/core/formats.h"
#include "report/core/spill.h"
#include "report/data/json.h"
#include "report/document/document_tables.h"

static void put_rows(
	struct jr_buf *out, const struct jr_table *table, int indent, struct jr_spill *sink);

void jr_json_value(struct jr_buf *out, const struct jr_value *v)
{
	if (jr_value_is_null(v))
		jr_buf_puts(out, "null");
	else if (v->type == JR_TEXT)
		jr_json_text(out, v->as.text);
	else if (v->type == JR_ROWS)
		put_rows(out, v->as.rows, -1, NULL);
	else
		jr_value_put_data(out, v);
}

/* --- a tree of keys ------------------------------------------------------------------------- */

/* The item at a path. If a path has several items, the first one is kept (unit tests of passes
 * check that there is only one). */
struct node {
	const char *key;
	size_t key_size;
	struct jr_bytes lead;             /* text , "key":  repeated in rows; the first without ", " */
	struct node *first, *last, *next; /* children in order of first appearance */
	const struct jr_scalar *scalar;
	const struct jr_table *table;
	size_t column; /* of a row; SIZE_MAX = none */
	void (*special)(struct jr_buf *out, const struct jr_doc *doc);
};

static struct jr_bytes lead_of(const char *key, struct jr_arena *arena)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, ", ");
	jr_json_text(&text, key);
	jr_buf_puts(&text, ": ");
	return jr_bytes_of(jr_arena_strndup(arena, text.data, text.size), text.size);
}

static struct node *node_child(
	struct node *parent, const char *key, size_t n, struct jr_arena *arena)
{
	for (struct node *c = parent->first; c; c = c->next)
		if (c->key_size == n && memcmp(c->key, key, n) == 0)
			return c;
	struct node *c = JR_ARENA_NEW(arena, struct node);
	c->key = jr_arena_strndup(arena, key, n);
	c->key_size = n;
	c->lead = lead_of(c->key, arena);
	c->column = SIZE_MAX;
	if (parent->last)
		parent->last->next = c;
	else
		parent->first = c;
	parent->last = c;
	return c;
}

static struct node *node_at(struct node *root, const char *path, struct jr_arena *arena)
{
	struct node *node = root;
	for (;;) {
		size_t n = strcspn(path, ".");
		node = node_child(node, path, n, arena);
		if (!path[n])
			return node;
		path += n + 1;
	}
}

static bool node_is_taken(const struct node *node)
{
	return node->scalar || node->table || node->special || node->first;
}

/* --- rows ----------------------------------------------------------------------------------- */

static void put_row_object(
	struct jr_buf *out, const struct jr_table *table, size_t row, const struct node *node)
{
	jr_buf_putc(out, '{');
	for (const struct node *c = node->first; c; c = c->next) {
		size_t skip = c == node->first ? 2 : 0;
		jr_buf_add(out, (const char *)c->lead.data + skip, c->lead.size - skip);
		if (c->first) {
			put_row_object(out, table, row, c);
			continue;
		}
		struct jr_value v = jr_value_of_cell(table, c->column, row);
		jr_json_value(out, &v);
	}
	jr_buf_putc(out, '}');
}

static bool rows_are_plain(const struct jr_table *table)
{
	return table->spec->n_columns == 1 && !*table->spec->columns[0].key;
}

/* `indent` < 0: all on one line. */
/* `sink` is the owner of `out` if `out` may be written out here, else NULL. */
static void put_rows(
	struct jr_buf *out, const struct jr_table *table, int indent, struct jr_spill *sink)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct node shape = {0};
	for (size_t c = 0; c < table->spec->n_columns; c++)
		if (!(table->spec->columns[c].flags & JR_COL_RENDERED_ONLY)) {
			struct node *node = node_at(&shape, table->spec->columns[c].key, &arena);
			if (node->column == SIZE_MAX && !node->first)
				node->column = c;
		}
	size_t n = table->n_data < table->n_rows ? table->n_data : table->n_rows;
	jr_buf_putc(out, '[');
	for (size_t row = 0; row < n; row++) {
		if (row)
			jr_buf_putc(out, ',');
		if (indent >= 0) {
			jr_buf_putc(out, '\n');
			jr_buf_repeat(out, ' ', (size_t)indent + 2);
		} else if (row) {
			jr_buf_putc(out, ' ');
		}
		if (rows_are_plain(table)) {
			struct jr_value v = jr_value_of_cell(table, 0, row);
			jr_json_value(out, &v);
		} else {
			put_row_object(out, table, row, &shape);
		}
		if (sink)
			jr_spill(sink);
	}
	if (n && indent >= 0) {
		jr_buf_putc(out, '\n');
		jr_buf_repeat(out, ' ', (size_t)indent);
	}
	jr_buf_putc(out, ']');
}

/* --- neither scalar nor table --------------------------------------------------------------- */

static void put_schema(struct jr_buf *out, const struct jr_doc *doc)
{
	jr_json_text(out, doc->results->schema ? doc->results->schema : JR_REPORT_SCHEMA);
}

static void put_generator(struct jr_buf *out, const struct jr_doc *doc)
{
	(void)doc;
	jr_buf_puts(out, "{\"name\": \"jaxreport\", \"version\": ");
	jr_json_text(out, JR_VERSION);
	jr_buf_putc(out, '}');
}

static void put_flamegraph(struct jr_buf *out, const struct jr_tree *tree)
{
	char total[JR_NUM_MAX];
	jr_json_text(out, tree->name);
	jr_buf_puts(out, ": {");
	if (tree->base_total_ns) {
		jr_num_double(total, tree->base_total / 1e6);
		jr_buf_printf(out, "\"base_total_ms\": %s, ", total);
	}
	jr_num_double(total, tree->bytes ? tree->total : tree->total / 1e6);
	jr_buf_printf(out, "\"total_%s\": %s, \"stacks\": %zu, \"file\": \"data/%s.folded\"}",
		tree->bytes ? "bytes" : "ms", total, tree->n_stacks, tree->name);
}

/* Write all flamegraphs, including those that are not drawn. */
static void put_flamegraphs(struct jr_buf *out, const struct jr_doc *doc)
{
	const struct jr_results *r = doc->results;
	size_t n = 0;
	jr_buf_putc(out, '{');
	for (size_t k = 0; k < r->n_sections; k++) {
		for (size_t i = 0; i < r->sections[k].n; i++) {
			const struct jr_result_item *item = &r->sections[k].items[i];
			if (item->kind != JR_RESULT_TREE || item->as.tree->n == 0)
				continue;
			jr_buf_puts(out, n++ ? ",\n    " : "\n    ");
			put_flamegraph(out, item->as.tree);
		}
	}
	jr_buf_puts(out, n ? "\n  }" : "}");
}

/* --- entry point ---------------------------------------------------------------------------- */

/* Order of the contract; other keys follow `flamegraphs` in the order of passes. */
static const struct {
	const char *key;
	void (*special)(struct jr_buf *out, const struct jr_doc *doc);
	bool always; /* an empty list if no pass wrote it */
} order[] = {
	{"schema", put_schema, true},
	{"generator", put_generator, true},
	{JR_AT(inputs), NULL, true},
	{"options", NULL, false},
	{JR_AT(devices), NULL, true},
	{"provenance", NULL, false},
	{"warmup", NULL, false},
	{"counts", NULL, false},
	{"totals", NULL, false},
	{"ledger", NULL, true},
	{JR_AT(modules), NULL, true},
	{"compilation", NULL, false},
	{JR_AT(thunks), NULL, true},
	{JR_AT(opcodes), NULL, true},
	{"collective_instances", NULL, true},
	{JR_AT(collectives), NULL, true},
	{JR_AT(overlap), NULL, true},
	{"variability", NULL, true},
	{"alignment", NULL, true},
	{JR_AT(memory), NULL, true},
	{"stragglers", NULL, true},
	{"flamegraphs", put_flamegraphs, true},
};

/* Whether a path is one of the lists at the end, which passes may not use. */
static bool is_ending(const struct jr_section *lists, const char *path)
{
	for (size_t i = 0; i < lists->n; i++)
		if (strcmp(path, lists->items[i].as.table->spec->json) == 0)
			return true;
	return false;
}

/* `lists`: NULL when the lists themselves are added. */
static void add_items(struct node *root, const struct jr_section *s, const struct jr_section *lists,
	struct jr_arena *arena)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct jr_result_item *item = &s->items[i];
		const char *path = item->kind == JR_RESULT_SCALAR  ? item->as.scalar->key
						   : item->kind == JR_RESULT_TABLE ? item->as.table->spec->json
														   : NULL;
		if (!path || (lists && is_ending(lists, path)))
			continue;
		struct node *node = node_at(root, path, arena);
		if (node_is_taken(node))
			continue;
		if (item->kind == JR_RESULT_SCALAR)
			node->scalar = item->as.scalar;
		else
			node->table = item->as.table;
	}
}

static void put_node(
	struct jr_spill *sink, const struct node *node, const struct jr_doc *doc, int indent)
{
	struct jr_buf *out = &sink->buf;
	if (node->special) {
		node->special(out, doc);
	} else if (node->table) {
		put_rows(out, node->table, indent, sink);
	} else if (node->scalar) {
		struct jr_value v = jr_value_of_scalar(node->scalar);
		jr_json_value(out, &v);
	} else if (node->first || indent == 0) {
		jr_buf_putc(out, '{');
		for (const struct node *c = node->first; c; c = c->next) {
			jr_buf_puts(out, c == node->first ? "\n" : ",\n");
			jr_buf_repeat(out, ' ', (size_t)indent + 2);
			jr_json_text(out, c->key);
			jr_buf_puts(out, ": ");
			put_node(sink, c, doc, indent + 2);
		}
		jr_buf_putc(out, '\n');
		jr_buf_repeat(out, ' ', (size_t)indent);
		jr_buf_putc(out, '}');
	} else {
		jr_buf_puts(out, "[]");
	}
}

/* Remove empty keys: an object that no pass wrote into is left out. */
static void drop_empty(struct node *root, bool contract)
{
	struct node **link = &root->first;
	root->last = NULL;
	for (struct node *c = root->first; c; c = c->next) {
		bool keep = node_is_taken(c);
		for (size_t i = 0; contract && i < JR_COUNT_OF(order) && !keep; i++)
			keep = order[i].always && strcmp(order[i].key, c->key) == 0;
		if (!keep)
			continue;
		*link = c;
		link = &c->next;
		root->last = c;
	}
	*link = NULL;
}

static void put_report(struct jr_spill *sink, const struct jr_doc *doc)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct node root = {0};
	struct jr_section lists = {0};
	jr_doc_lists(doc->profile, doc->results, &arena, &lists);
	for (size_t i = 0; i < JR_COUNT_OF(order); i++)
		node_at(&root, order[i].key, &arena)->special = order[i].special;
	for (size_t i = 0; i < doc->data.n; i++)
		add_items(&root, doc->data.items[i], &lists, &arena);
	add_items(&root, &lists, NULL, &arena);
	drop_empty(&root, !doc->results->schema);
	put_node(sink, &root, doc, 0);
	jr_buf_putc(&sink->buf, '\n');
}

enum jr_status jr_write_json(const struct jr_report_job *job, struct jr_error *err)
{
	struct jr_spill sink = {.dir = job->out, .name = "report.json", .err = err};
	put_report(&sink, job->doc);
	return jr_spill_end(&sink);
}
