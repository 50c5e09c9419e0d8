/* data/NAME.csv (RFC 4180: CRLF, quotes doubled) and data/NAME.folded. */
#include <string.h>

#include "report/formats.h"

static void put_field(struct jr_buf *out, const char *s, size_t n)
{
	bool plain = strcspn(s, "\",\n\r") >= n;
	if (plain && !(n && (s[0] == ' ' || s[n - 1] == ' '))) {
		jr_buf_add(out, s, n);
		return;
	}
	jr_buf_putc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			jr_buf_putc(out, '"');
		jr_buf_putc(out, s[i]);
	}
	jr_buf_putc(out, '"');
}

static bool has_field(const struct jr_column_spec *c)
{
	return !(c->flags & JR_COL_RENDERED_ONLY) && c->type != JR_ROWS;
}

/* Header and the first n_data rows, in the units of report.json; null is an empty field. */
static void put_table(struct jr_buf *out, const struct jr_table *table)
{
	const struct jr_table_spec *spec = table->spec;
	size_t n = table->n_data < table->n_rows ? table->n_data : table->n_rows;
	const char *separator = "";
	for (size_t c = 0; c < spec->n_columns; c++) {
		if (!has_field(&spec->columns[c]))
			continue;
		jr_buf_puts(out, separator);
		put_field(out, spec->columns[c].key, strlen(spec->columns[c].key));
		separator = ",";
	}
	jr_buf_puts(out, "\r\n");
	for (size_t row = 0; row < n; row++) {
		separator = "";
		for (size_t c = 0; c < spec->n_columns; c++) {
			if (!has_field(&spec->columns[c]))
				continue;
			struct jr_value v = jr_value_of_cell(table, c, row);
			jr_buf_puts(out, separator);
			separator = ",";
			if (v.type != JR_TEXT)
				jr_value_put_data(out, &v);
			else if (v.as.text)
				put_field(out, v.as.text, strlen(v.as.text));
		}
		jr_buf_puts(out, "\r\n");
	}
}

/* What a frame is called in a folded stack: `;` parts frames and a newline stacks. */
static void put_frame(struct jr_buf *out, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, ";\n");
		jr_buf_add(out, text, n);
		text += n;
		if (!*text)
			return;
		jr_buf_putc(out, *text++ == ';' ? ',' : ' ');
	}
}

/* The stack of the node at hand, and of each of its callers where its name ends in the text. */
struct path {
	struct jr_buf text;
	JR_VEC(uint32_t) nodes;
	JR_VEC(size_t) ends;
};

/* Make `path` that of `node`. Nodes mostly follow their parent or a sibling, so most of the text
 * is there already. */
static void path_to(struct path *path, const struct jr_tree *tree, uint32_t node)
{
	uint32_t parent = tree->parent[node];
	while (path->nodes.n && path->nodes.items[path->nodes.n - 1] != parent)
		path->nodes.n--;
	path->ends.n = path->nodes.n;
	path->text.size = path->ends.n ? path->ends.items[path->ends.n - 1] : 0;
	if (parent != JR_NONE && !path->nodes.n)
		path_to(path, tree, parent);
	if (path->nodes.n)
		jr_buf_putc(&path->text, ';');
	put_frame(&path->text, tree->text[node]);
	*jr_vec_add(&path->nodes) = node;
	*jr_vec_add(&path->ends) = path->text.size;
}

/* One line a node that has weight of its own: frames from the outermost, then ms. */
static void put_folded(struct jr_buf *out, const struct jr_tree *tree)
{
	struct path path = {0};
	char ms[JR_NUM_MAX];
	for (size_t node = 0; node < tree->n; node++) {
		path_to(&path, tree, (uint32_t)node);
		if (!(tree->self_ns[node] > 0))
			continue;
		jr_buf_add(out, path.text.data, path.text.size);
		jr_buf_putc(out, ' ');
		jr_buf_add(out, ms, jr_num_double(ms, tree->self_ns[node] / 1e6));
		jr_buf_putc(out, '\n');
	}
	jr_buf_done(&path.text);
	jr_vec_done(&path.nodes);
	jr_vec_done(&path.ends);
}

static enum jr_status write_item(const struct jr_report_job *job, const struct jr_result_item *item,
	struct jr_buf *out, struct jr_error *err)
{
	struct jr_arena names;
	jr_arena_init(&names, 0);
	const char *file = NULL;
	out->size = 0;
	if (item->kind == JR_RESULT_TABLE) {
		put_table(out, item->as.table);
		file = jr_arena_printf(&names, "data/%s.csv", item->as.table->spec->name);
	} else if (item->kind == JR_RESULT_TREE) {
		put_folded(out, item->as.tree);
		file = jr_arena_printf(&names, "data/%s.folded", item->as.tree->name);
	}
	enum jr_status status =
		file ? jr_outdir_write(job->out, file, jr_buf_view(out), err) : JR_OK;
	jr_arena_done(&names);
	return status;
}

enum jr_status jr_write_csv(const struct jr_report_job *job, struct jr_error *err)
{
	struct jr_buf out = {0};
	enum jr_status status = JR_OK;
	for (size_t s = 0; s < job->doc->data.n && status == JR_OK; s++) {
		const struct jr_section *section = job->doc->data.items[s];
		for (size_t i = 0; i < section->n && status == JR_OK; i++)
			status = write_item(job, &section->items[i], &out, err);
	}
	jr_buf_done(&out);
	return status;
}
