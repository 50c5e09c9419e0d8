/* data/NAME.csv (RFC 4180: CRLF, quotes doubled) and data/NAME.folded. */
#include <string.h>

#include "base/sort.h"
#include "report/document/fold.h"
#include "report/core/formats.h"
#include "report/core/spill.h"
#include "report/data/csv_text.h"

static bool has_field(const struct jr_column_spec *c)
{
	return !(c->flags & JR_COL_RENDERED_ONLY) && c->type != JR_ROWS;
}

/* Write the header and the first n_data rows in the units of report.json; null is an empty field.
 */
static void put_table(struct jr_spill *file, const struct jr_table *table, bool raw)
{
	struct jr_buf *out = &file->buf;
	const struct jr_table_spec *spec = table->spec;
	size_t n = table->n_data < table->n_rows ? table->n_data : table->n_rows;
	const char *separator = "";
	for (size_t c = 0; c < spec->n_columns; c++) {
		if (!has_field(&spec->columns[c]))
			continue;
		jr_buf_puts(out, separator);
		jr_csv_text(out, spec->columns[c].key, true);
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
				jr_csv_text(out, v.as.text, raw);
		}
		jr_buf_puts(out, "\r\n");
		jr_spill(file);
	}
}

/* Write one line per node with weight of its own: frames from the outermost, then whole ns, because
 * speedscope and Perfetto accept no other numbers. */
static void put_folded(struct jr_spill *file, const struct jr_tree *tree)
{
	struct jr_fold fold = {0};
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	const int64_t *self_ns = jr_fold_whole_ns(tree->self_ns, tree->n, &scratch);
	for (size_t node = 0; node < tree->n; node++) {
		struct jr_bytes stack = jr_fold_to(&fold, tree, (uint32_t)node);
		if (!(tree->self_ns[node] > 0))
			continue;
		jr_buf_add(&file->buf, stack.data, stack.size);
		jr_buf_printf(&file->buf, " %lld\n", (long long)self_ns[node]);
		jr_spill(file);
	}
	jr_fold_done(&fold);
}

/* A stack of both runs: in `text` at [begin, begin + size). */
struct both {
	const char *text;
	size_t begin, size;
	double ns[2];
};

static int compare_both(const void *a, const void *b)
{
	const struct both *x = a, *y = b;
	size_t n = x->size < y->size ? x->size : y->size;
	int order = memcmp(x->text + x->begin, y->text + y->begin, n);
	return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* Write one line per stack, sorted by bytes: the stack, ns in the base, ns in the new run, like
 * difffolded.pl. Nodes that were paired despite different texts may now be equal. */
static void put_both_folded(struct jr_spill *file, const struct jr_tree *tree)
{
	struct jr_fold fold = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	JR_VEC(struct both) lines = {0};
	for (size_t node = 0; node < tree->n; node++) {
		struct jr_bytes stack = jr_fold_to(&fold, tree, (uint32_t)node);
		if (!(tree->base_self_ns[node] > 0) && !(tree->self_ns[node] > 0))
			continue;
		*jr_vec_add(&lines) = (struct both){.begin = text.size,
			.size = stack.size,
			.ns = {tree->base_self_ns[node], tree->self_ns[node]}};
		jr_buf_add(&text, stack.data, stack.size);
	}
	for (size_t i = 0; i < lines.n; i++)
		lines.items[i].text = text.data;
	jr_sort(lines.items, lines.n, sizeof(*lines.items), compare_both);
	size_t n = 0;
	for (size_t i = 0, end; i < lines.n; i = end) {
		struct both *line = &lines.items[n++];
		*line = lines.items[i];
		for (end = i + 1; end < lines.n && compare_both(line, &lines.items[end]) == 0; end++)
			for (int side = 0; side < 2; side++)
				line->ns[side] += lines.items[end].ns[side];
	}
	const int64_t *whole[2];
	for (int side = 0; side < 2; side++) {
		double *ns = JR_ARENA_N(&scratch, double, n + 1);
		for (size_t i = 0; i < n; i++)
			ns[i] = lines.items[i].ns[side];
		whole[side] = jr_fold_whole_ns(ns, n, &scratch);
	}
	for (size_t i = 0; i < n; i++) {
		const struct both *line = &lines.items[i];
		jr_buf_add(&file->buf, line->text + line->begin, line->size);
		jr_buf_printf(&file->buf, " %lld %lld\n", (long long)whole[0][i], (long long)whole[1][i]);
		jr_spill(file);
	}
	jr_vec_done(&lines);
	jr_fold_done(&fold);
}

static enum jr_status write_item(
	const struct jr_report_job *job, const struct jr_result_item *item, struct jr_error *err)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena names = {0};
	struct jr_spill file = {.dir = job->out, .err = err};
	if (item->kind == JR_RESULT_TABLE) {
		file.name = jr_arena_printf(&names, "data/%s.csv", item->as.table->spec->name);
		put_table(&file, item->as.table, job->profile->options.csv_raw);
	} else if (item->kind == JR_RESULT_TREE) {
		file.name = jr_arena_printf(&names, "data/%s.folded", item->as.tree->name);
		(item->as.tree->base_self_ns ? put_both_folded : put_folded)(&file, item->as.tree);
	}
	return file.name ? jr_spill_end(&file) : JR_OK;
}

enum jr_status jr_write_csv(const struct jr_report_job *job, struct jr_error *err)
{
	for (size_t s = 0; s < job->doc->data.n; s++) {
		const struct jr_section *section = job->doc->data.items[s];
		for (size_t i = 0; i < section->n; i++)
			JR_TRY(write_item(job, &section->items[i], err));
	}
	return JR_OK;
}
