/* Make a table for people: columns in reading order and formats of values. Values that all rows
 * share become a sentence. */
#include <string.h>

#include "base/text.h"
#include "report/document/compose.h"

#define LEAST_ROWS 3   /* rows from which on shared values are stated once, */
#define REPEATED 5     /* if that many values would repeat the first row's */
#define SAME_BYTES 160 /* of a shared value; the rest is cut */
#define LEAST_COLUMNS 2

/* The number of rows before the first value of a column, see n_blank. SIZE_MAX: the column has no
 * value, or only false, and is left out for people. */
static size_t rows_blank(const struct jr_doc_table *t, size_t c)
{
	for (size_t i = 0; i < jr_doc_rows(t, SIZE_MAX); i++) {
		struct jr_value v = jr_value_of_cell(t->table, c, jr_doc_row(t, SIZE_MAX, i));
		if (!jr_value_is_null(&v) && !(v.type == JR_BOOL && !v.as.boolean))
			return t->rest < t->table->n_rows ? 0 : i;
	}
	return SIZE_MAX;
}

/* The value that all rows share, as text; false if they differ or one is null. */
static bool is_same(const struct jr_doc_table *t, const struct jr_doc_column *c, struct jr_buf *out)
{
	size_t n = jr_doc_rows(t, SIZE_MAX);
	out->size = 0;
	for (size_t i = 0; i < n; i++) {
		char room[JR_NUM_MAX];
		struct jr_value v = jr_value_of_cell(t->table, c->index, jr_doc_row(t, SIZE_MAX, i));
		const char *text =
			c->format.mark ? (v.as.boolean ? "yes" : "no") : jr_value_text(&c->format, &v, room);
		if (jr_value_is_null(&v) || (i && strcmp(text, out->data) != 0))
			return false;
		if (!i)
			jr_buf_puts(out, text);
	}
	return out->size > 0;
}

static void add_same(struct jr_buf *all, const struct jr_doc_table *t,
	const struct jr_doc_column *c, const struct jr_buf *value)
{
	size_t n = value->size <= SAME_BYTES ? value->size
										 : jr_text_prefix(value->data, value->size, SAME_BYTES);
	bool words = memchr(value->data, ' ', n) && !c->format.right;
	const char *of = jr_doc_rows(t, SIZE_MAX) < t->table->n_rows ? "Same in all rows shown: "
																 : "Same in all rows: ";
	jr_buf_printf(all, "%s%s = %s%.*s%s%s%s%s", all->size ? "; " : of, c->spec->title,
		words ? "“" : "", (int)n, value->data, n < value->size ? "…" : "", words ? "”" : "",
		*c->format.suffix ? " " : "", c->format.suffix);
}

/* Move columns with the same value in each row from the table to a sentence. */
static void take_same(struct jr_doc *doc, struct jr_doc_table *t)
{
	struct jr_buf all = {0}, value = {0};
	struct jr_doc_column *kept = JR_ARENA_N(&doc->arena, struct jr_doc_column, t->n_columns + 1);
	size_t n_kept = 0, n_rows = jr_doc_rows(t, SIZE_MAX);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct jr_doc_column *c = &t->columns[i];
		if (n_kept + t->n_columns - i > LEAST_COLUMNS &&
			!(c->spec->flags & (JR_COL_BAR | JR_COL_KEPT)) && is_same(t, c, &value))
			add_same(&all, t, c, &value);
		else
			kept[n_kept++] = *c;
	}
	if (n_rows >= LEAST_ROWS && (n_rows - 1) * (t->n_columns - n_kept) >= REPEATED) {
		t->columns = kept;
		t->n_columns = n_kept;
		t->same = jr_arena_printf(&doc->arena, "%s.", all.data);
	}
	jr_buf_done(&all);
	jr_buf_done(&value);
}

enum rank { KEY, BAR, MEASURED, NUMBER, WORDS, N_RANKS };

static enum rank rank_of(const struct jr_doc_column *c)
{
	const struct jr_column_spec *spec = c->spec;
	bool counted = c->format.numeric && (spec->unit == JR_UNIT_NONE || spec->unit == JR_UNIT_COUNT);
	return spec->flags & JR_COL_BAR      ? BAR
		   : spec->flags & JR_COL_BESIDE ? MEASURED
		   : !c->format.right            ? WORDS
		   : counted                     ? NUMBER
										 : MEASURED;
}

/* If its key is for machines, the first column takes its place. */
static bool has_hidden_key(const struct jr_table_spec *spec)
{
	for (size_t i = 0; i < spec->n_columns; i++)
		if (spec->columns[i].flags & JR_COL_KEY && spec->columns[i].flags & JR_COL_DATA_ONLY)
			return true;
	return false;
}

/* Order columns: keys, then measurements, then counts, then words, because a narrow window shows
 * only the first ones. */
static void put_in_order(struct jr_doc *doc, struct jr_doc_table *t)
{
	struct jr_doc_column *sorted = JR_ARENA_N(&doc->arena, struct jr_doc_column, t->n_columns + 1);
	bool *is_key = JR_ARENA_N(&doc->arena, bool, t->n_columns + 2);
	size_t n = 0, n_keys = 0;
	while (n_keys < t->n_columns && t->columns[n_keys].spec->flags & JR_COL_KEY)
		is_key[n_keys++] = true;
	for (size_t i = 1; i < t->n_columns && !is_key[0]; i++)
		n_keys += is_key[i] = t->columns[i].spec->flags & JR_COL_KEY;
	if (!n_keys && t->n_columns && has_hidden_key(t->table->spec))
		n_keys += is_key[0] = true; /* the short form of the hidden key */
	if (!n_keys)
		return;
	if (n_keys == 1 && is_key[0] && t->n_columns > 1 &&
		!(t->columns[0].spec->flags & JR_COL_CODE) && t->columns[1].spec->flags & JR_COL_CODE)
		is_key[1] = true; /* the name of the thing that the first column numbers */
	for (enum rank rank = KEY; rank < N_RANKS; rank++)
		for (size_t i = 0; i < t->n_columns; i++)
			if ((is_key[i] ? KEY : rank_of(&t->columns[i])) == rank)
				sorted[n++] = t->columns[i];
	t->columns = sorted;
}

#define PARTS (JR_COL_SPREAD | JR_COL_LOW | JR_COL_HIGH)

/* The column whose spread or interval this column is: the last one before it with the same unit. */
static struct jr_doc_column *host_of(struct jr_doc_table *t, const struct jr_doc_column *part)
{
	struct jr_doc_column *host = NULL;
	for (size_t i = 0; i < t->n_columns; i++) {
		struct jr_doc_column *c = &t->columns[i];
		if (!(c->spec->flags & PARTS) && c->spec->unit == part->spec->unit && c->format.right &&
			c->index < part->index && (!host || c->index > host->index))
			host = c;
	}
	return host;
}

/* Times that a reader compares have one unit. */
static void join_units(struct jr_doc_table *t, struct jr_arena *arena)
{
	for (size_t i = 0; i < t->n_columns; i++)
		for (size_t j = 0; j < t->n_columns; j++)
			if (jr_value_format_join(&t->columns[i].format, &t->columns[j].format))
				break;
	struct jr_value_format **like = JR_ARENA_N(arena, struct jr_value_format *, t->n_columns);
	size_t n = 0;
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].spec->flags & JR_COL_LIKE)
			like[n++] = &t->columns[i].format;
	jr_value_format_share(like, n);
	for (size_t i = 0; i < t->n_columns; i++) {
		struct jr_doc_column *part = &t->columns[i];
		struct jr_doc_column *host = part->spec->flags & PARTS ? host_of(t, part) : NULL;
		if (host)
			jr_value_format_follow(&part->format, &host->format);
	}
}

static void join_columns(struct jr_doc_table *t)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		struct jr_doc_column *part = &t->columns[i], *host = host_of(t, part);
		if (host && part->spec->flags & JR_COL_SPREAD)
			host->spread = part;
		if (host && part->spec->flags & JR_COL_LOW)
			host->low = part;
		if (host && part->spec->flags & JR_COL_HIGH)
			host->high = part;
	}
	for (size_t i = 0; i < t->n_columns; i++) {
		struct jr_doc_column *c = &t->columns[i];
		if (!c->low || !c->high)
			c->low = c->high = NULL;
		for (size_t k = 0; k < t->n_columns; k++)
			t->columns[k].within |= &t->columns[k] == c->spread || &t->columns[k] == c->low ||
									&t->columns[k] == c->high;
	}
}

struct jr_doc_table *jr_compose_table(struct jr_doc *doc, const struct jr_table *table)
{
	const struct jr_table_spec *spec = table->spec;
	if (spec->data_only || table->n_rows == 0) /* without rows it is only for machines */
		return NULL;
	struct jr_doc_table *t = JR_ARENA_NEW(&doc->arena, struct jr_doc_table);
	t->table = table;
	t->rest = table->n_data < table->n_rows ? table->n_data : table->n_rows;
	t->n_shown = table->n_rendered < t->rest ? table->n_rendered : t->rest;
	t->about = jr_doc_sentence(doc, spec->help);
	t->columns = JR_ARENA_N(&doc->arena, struct jr_doc_column, spec->n_columns);
	for (size_t i = 0; i < spec->n_columns; i++) {
		const struct jr_column_spec *c = &spec->columns[i];
		size_t n_blank = rows_blank(t, i);
		if (c->flags & JR_COL_DATA_ONLY || c->type == JR_ROWS || !c->title || n_blank == SIZE_MAX)
			continue;
		t->columns[t->n_columns++] = (struct jr_doc_column){
			.index = i,
			.spec = c,
			.n_blank = n_blank,
			.format = jr_value_format_of(table, i, t->n_shown, t->rest),
		};
	}
	if (!t->n_columns)
		return NULL;
	join_units(t, &doc->arena);
	take_same(doc, t);
	put_in_order(doc, t);
	join_columns(t);
	if (doc->csv)
		t->file = jr_arena_printf(&doc->arena, "data/%s.csv", spec->name);
	t->doc = doc;
	*jr_vec_add(&doc->tables) = t;
	return t;
}
