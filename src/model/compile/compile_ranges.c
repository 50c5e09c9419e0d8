#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/vec.h"
#include "formats/archive/foreign.h"
#include "formats/nsys/nsys_csv.h"
#include "formats/nsys/nsys_export.h"
#include "formats/archive/xz.h"
#include "model/compile/compile_name.h"
#include "model/compile/host_tree.h"
#include "model/archive/trace_parts.h"

/* Columns of the report, formats/README.md, section 1.2. The last four may be absent. Then PID and
 * the number of children are 0, and child and self times are computed from the children. */
enum column { START, END, NAME, TID, RANGE_ID, PARENT_ID, PID, N_CHILDREN, CHILD, SELF, N_COLUMNS };

static const char *const column_names[N_COLUMNS] = {
	[START] = "Start (ns)",
	[END] = "End (ns)",
	[NAME] = "Name",
	[TID] = "TID",
	[RANGE_ID] = "RangeId",
	[PARENT_ID] = "ParentId",
	[PID] = "PID",
	[N_CHILDREN] = "NumChild",
	[CHILD] = "DurChild (ns)",
	[SELF] = "DurNonChild (ns)",
};

/* Rows as they are read. All columns have the same capacity. */
struct range_rows {
	size_t n, capacity;
	int64_t *value[N_COLUMNS]; /* NAME and N_CHILDREN: unused */
	uint32_t *name;
	uint32_t *n_children; /* stated; at most UINT32_MAX */
	struct jr_row_lines lines;
	uint64_t next_line; /* where the next row is unless a name contains line breaks */
};

/* Bytes that a row takes at most, with the tree and the copies of later steps. */
#define ROW_BYTES 352

static void rows_done(struct range_rows *rows)
{
	for (int c = 0; c < N_COLUMNS; c++)
		free(rows->value[c]);
	free(rows->name);
	free(rows->n_children);
	free(rows->lines.items);
}

static bool is_wide(int column)
{
	return column != NAME && column != N_CHILDREN;
}

static void grow_rows(struct range_rows *rows)
{
	size_t old = rows->capacity, capacity = old;
	for (int c = 0; c < N_COLUMNS; c++) {
		capacity = old;
		if (is_wide(c))
			rows->value[c] = jr_vec_grow(rows->value[c], &capacity, sizeof(*rows->value[c]));
	}
	capacity = old;
	rows->name = jr_vec_grow(rows->name, &capacity, sizeof(*rows->name));
	capacity = old;
	rows->n_children = jr_vec_grow(rows->n_children, &capacity, sizeof(*rows->n_children));
	rows->capacity = capacity;
}

static enum jr_status find_columns(
	const struct jr_csv *csv, size_t column[N_COLUMNS], struct jr_error *err)
{
	bool ends_here = csv->pos == csv->in.size && csv->in.data[csv->pos - 1] != '\n';
	for (int c = 0; c < N_COLUMNS; c++) {
		column[c] = jr_csv_find(csv, column_names[c]);
		if (c < PID && column[c] == SIZE_MAX)
			return jr_fail(err, JR_EFORMAT, "column '%s' is missing%s", column_names[c],
				ends_here
					? ". The text ends in its header: nsys stats ended early, or a copy was cut "
					  "short. " JR_NSYS_STATS_AGAIN
					: ". Write the file again: " JR_NSYS_STATS);
	}
	if (column[CHILD] == SIZE_MAX)
		column[SELF] = SIZE_MAX;
	if (column[SELF] == SIZE_MAX)
		column[CHILD] = SIZE_MAX;
	return JR_OK;
}

/* nsys 2022 writes Python's None for an absent value. */
static bool is_nothing(const struct jr_csv_field *field)
{
	return field->n == 0 || (field->n == 4 && memcmp(field->s, "None", 4) == 0);
}

static uint32_t children_of(int64_t stated)
{
	return stated < 0 ? 0 : stated > UINT32_MAX ? UINT32_MAX : (uint32_t)stated;
}

static enum jr_status parse_row(const struct jr_csv *csv, const size_t column[N_COLUMNS],
	struct jr_intern *strings, struct range_rows *rows, struct jr_error *err)
{
	size_t row = rows->n++;
	if (csv->line != rows->next_line)
		*jr_vec_add(&rows->lines) = (struct jr_row_line){row, csv->line};
	rows->next_line = csv->line + 1;
	rows->n_children[row] = 0;
	for (int c = 0; c < N_COLUMNS; c++) {
		int64_t value = 0;
		if (column[c] == SIZE_MAX) {
			if (is_wide(c))
				rows->value[c][row] = 0;
			continue;
		}
		const struct jr_csv_field *field = &csv->fields[column[c]];
		if (c == NAME) {
			rows->name[row] = jr_intern_put(strings, field->s, field->n);
			continue;
		}
		if (c == PARENT_ID && is_nothing(field)) {
			value = -1;
		} else if (!jr_parse_i64(field->s, field->n, &value)) {
			if (c == N_CHILDREN) /* only a note depends on it */
				continue;
			int shown = field->n < 40 ? (int)field->n : 40;
			return jr_fail(err, JR_EFORMAT,
				"line %" PRIu64 ", column '%s': '%.*s' is not an integer", csv->line,
				column_names[c], shown, field->s);
		} else if ((c == RANGE_ID || c == PARENT_ID) && value < 0) {
			return jr_fail(err, JR_EFORMAT,
				"line %" PRIu64 ", column '%s': %" PRId64 " is not a range ID", csv->line,
				column_names[c], value);
		}
		if (c == N_CHILDREN)
			rows->n_children[row] = children_of(value);
		else
			rows->value[c][row] = value;
	}
	return JR_OK;
}

static enum jr_status read_rows(struct jr_nsys_csv *text, const size_t column[N_COLUMNS],
	const struct jr_limits *limits, struct jr_intern *strings, struct range_rows *rows,
	struct jr_error *err)
{
	const struct jr_csv *csv = &text->csv;
	for (;;) {
		bool more;
		JR_TRY(jr_nsys_csv_next(text, &more, err));
		if (!more)
			return JR_OK;
		if (rows->n >= limits->memory_bytes / ROW_BYTES)
			return jr_fail(err, JR_ELIMIT,
				"line %" PRIu64 ": more ranges than memory allows (--max-memory)", csv->line);
		if (rows->n == rows->capacity)
			grow_rows(rows);
		JR_TRY(parse_row(csv, column, strings, rows, err));
	}
}

/* Let `all` be the rows, whose memory it borrows. */
static void view_rows(const struct range_rows *rows, struct jr_host_ranges *all)
{
	all->n = rows->n;
	all->name = rows->name;
	all->start_ns = rows->value[START];
	all->end_ns = rows->value[END];
	all->tid = rows->value[TID];
	all->range_id = rows->value[RANGE_ID];
	all->parent_id = rows->value[PARENT_ID];
	all->pid = rows->value[PID];
	all->child_ns = rows->value[CHILD];
	all->self_ns = rows->value[SELF];
}

/* Compute child times from the children, for files that do not state them. */
static void derive_child_times(struct jr_host_ranges *ranges, const struct jr_host_tree *tree)
{
	for (size_t i = 0; i < ranges->n; i++) {
		const uint32_t *children;
		size_t n = jr_host_children(tree, (uint32_t)i, &children);
		int64_t dur_ns = ranges->end_ns[i] - ranges->start_ns[i], in_children_ns = 0;
		for (size_t k = 0; k < n; k++)
			in_children_ns += ranges->end_ns[children[k]] - ranges->start_ns[children[k]];
		ranges->child_ns[i] = in_children_ns < dur_ns ? in_children_ns : dur_ns;
		ranges->self_ns[i] = dur_ns - ranges->child_ns[i];
	}
}

static uint64_t count_bereft(
	const struct jr_host_tree *tree, const uint32_t *n_children, size_t n_ranges)
{
	uint64_t n = 0;
	const uint32_t *children;
	for (size_t i = 0; i < n_ranges; i++)
		n += n_children[i] > jr_host_children(tree, (uint32_t)i, &children);
	return n;
}

/* Mark the rows of each tree that begins with an execution and compiles nothing. They are most rows
 * of a long profile, and no step uses them. Counts executions among them. */
static uint8_t *find_executions(const struct jr_host_ranges *r, const struct jr_host_tree *tree,
	struct jr_arena *scratch, uint64_t *n_executions)
{
	enum { EXECUTES = 1, COMPILES = 2, IS_MODULE = 4 };
	uint8_t *of_name = JR_ARENA_N(scratch, uint8_t, r->strings.n + 1);
	for (uint32_t id = 0; id < r->strings.n; id++) {
		const char *text = jr_intern_str(&r->strings, id);
		size_t n = jr_intern_len(&r->strings, id);
		enum jr_compile_kind kind = jr_compile_name_parse(text, n).kind;
		of_name[id] =
			(uint8_t)((kind == JR_COMPILE_EXECUTION ? EXECUTES : 0) |
					  (kind == JR_COMPILE_TOP ? COMPILES : 0) |
					  (jr_range_name_parse(text, n).kind == JR_RANGE_MODULE ? IS_MODULE : 0));
	}
	/* The root of each tree, by way of the parents whose root is known. */
	uint32_t *root = JR_ARENA_N(scratch, uint32_t, r->n + 1);
	uint8_t *drop = JR_ARENA_N(scratch, uint8_t, r->n + 1);
	memset(root, 0xFF, r->n * sizeof(*root));
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t top = i;
		while (root[top] == JR_NONE && tree->parent[top] != JR_NONE)
			top = tree->parent[top];
		top = root[top] == JR_NONE ? top : root[top];
		for (uint32_t row = i; row != JR_NONE && root[row] == JR_NONE; row = tree->parent[row])
			root[row] = top;
		if (i == top)
			drop[i] = of_name[r->name[i]] & EXECUTES;
	}
	for (uint32_t i = 0; i < r->n; i++)
		if (of_name[r->name[i]] & COMPILES)
			drop[root[i]] = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		drop[i] = drop[root[i]];
		*n_executions += drop[i] && of_name[r->name[i]] & IS_MODULE;
	}
	return drop;
}

/* Copy the rows that later steps use. */
static enum jr_status keep_rows(const struct jr_host_ranges *all, const uint8_t *drop,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	int64_t *const from[] = {all->start_ns, all->end_ns, all->child_ns, all->self_ns, all->pid,
		all->tid, all->range_id, all->parent_id};
	int64_t **const to[] = {&ranges->start_ns, &ranges->end_ns, &ranges->child_ns, &ranges->self_ns,
		&ranges->pid, &ranges->tid, &ranges->range_id, &ranges->parent_id};
	ranges->n = 0;
	for (size_t i = 0; i < all->n; i++)
		ranges->n += !drop[i];
	for (size_t c = 0; c < JR_COUNT_OF(to); c++) {
		*to[c] = jr_arena_array(&ranges->arena, ranges->n, sizeof(**to[c]), err);
		if (!*to[c])
			return JR_ELIMIT;
		for (size_t i = 0, n = 0; i < all->n; i++)
			if (!drop[i])
				(*to[c])[n++] = from[c][i];
	}
	JR_TRY_ARRAY(ranges->name, &ranges->arena, ranges->n, err);
	for (size_t i = 0, n = 0; i < all->n; i++)
		if (!drop[i])
			ranges->name[n++] = all->name[i];
	return JR_OK;
}

/* Check all rows, and keep those that later steps use. */
static enum jr_status take_rows(const struct range_rows *rows, bool has_self,
	const struct jr_limits *limits, struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_host_ranges all = {.strings = ranges->strings};
	view_rows(rows, &all);
	for (size_t i = 0; i < all.n && !has_self; i++)
		if (__builtin_sub_overflow(all.end_ns[i], all.start_ns[i], &all.self_ns[i]))
			all.self_ns[i] = -1; /* rejected below */
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	jr_arena_init(&scratch, limits->memory_bytes);
	struct jr_host_tree tree;
	enum jr_status status =
		jr_host_tree_build(&all, limits->depth, &rows->lines, &scratch, &tree, err);
	if (status == JR_OK && !has_self)
		derive_child_times(&all, &tree);
	if (status == JR_OK) {
		ranges->n_bereft = count_bereft(&tree, rows->n_children, all.n);
		const uint8_t *drop = find_executions(&all, &tree, &scratch, &ranges->n_executions);
		status = keep_rows(&all, drop, ranges, err);
	}
	return status;
}

enum jr_status jr_host_ranges_check(
	const struct jr_host_ranges *ranges, const struct jr_limits *limits, struct jr_error *err)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct jr_host_tree tree;
	for (size_t i = 0; i < ranges->n; i++)
		if (ranges->range_id[i] < 0 || ranges->parent_id[i] < -1)
			return jr_fail(err, JR_EFORMAT, "row %zu: not a range ID", i);
	jr_arena_init(&scratch, limits->memory_bytes);
	return jr_host_tree_build(ranges, limits->depth, NULL, &scratch, &tree, err);
}

static void init_ranges(
	struct jr_host_ranges *ranges, size_t size_bytes, const struct jr_limits *limits)
{
	*ranges = (struct jr_host_ranges){.size_bytes = size_bytes};
	jr_arena_init(&ranges->arena, limits->memory_bytes);
	jr_intern_init(&ranges->strings);
}

/* Read rows of a text whose header was read, or report that it was not. */
static enum jr_status read_text(enum jr_status status, struct jr_nsys_csv *text,
	const struct jr_limits *limits, struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct range_rows rows = {0};
	size_t column[N_COLUMNS];
	if (status == JR_OK)
		status = find_columns(&text->csv, column, err);
	if (status == JR_OK)
		status = read_rows(text, column, limits, &ranges->strings, &rows, err);
	ranges->n_odd = text->n_odd;
	ranges->cut_line = text->cut_line;
	jr_nsys_csv_done(text);
	if (status == JR_OK)
		status = take_rows(&rows, column[SELF] != SIZE_MAX, limits, ranges, err);
	rows_done(&rows);
	if (status != JR_OK)
		jr_host_ranges_done(ranges);
	return status;
}

enum jr_status jr_host_ranges_read_csv(struct jr_bytes csv, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_nsys_csv text;
	init_ranges(ranges, csv.size, limits);
	enum jr_status status = jr_nsys_csv_open(&text, csv, column_names[RANGE_ID], limits, err);
	return read_text(status, &text, limits, ranges, err);
}

/* --- CSV packed with xz ----------------------------------------------------------------------- */

static bool begins_with(struct jr_bytes bytes, const void *magic, size_t n)
{
	return bytes.size >= n && memcmp(bytes.data, magic, n) == 0;
}

static enum jr_status more_text(
	void *xz, size_t from, size_t wanted, struct jr_bytes *in, bool *ended, struct jr_error *err)
{
	return jr_xz_more(xz, from, wanted, in, ended, err);
}

/* Read the header. The part of the text at hand grows until it contains it. */
static enum jr_status open_packed(struct jr_xz_stream *xz, const struct jr_limits *limits,
	struct jr_nsys_csv *text, struct jr_error *err)
{
	struct jr_bytes in = {0};
	bool ended = false;
	*text = (struct jr_nsys_csv){0};
	JR_TRY(jr_xz_more(xz, 0, 1, &in, &ended, err));
	if (begins_with(in, "PK\3\4", 4) || jr_nsys_is_sqlite(in) || jr_foreign_hint(in))
		return jr_fail(err, JR_EFORMAT,
			"compressed with xz, and not a CSV file. Unpack it, and use the result as input");
	for (;;) {
		enum jr_status status = jr_nsys_csv_open(text, in, column_names[RANGE_ID], limits, err);
		if (ended || (status == JR_OK && text->csv.pos < in.size)) {
			text->csv.more = ended ? NULL : more_text;
			text->csv.context = xz;
			return status;
		}
		jr_nsys_csv_done(text);
		JR_TRY(jr_xz_more(xz, 0, in.size, &in, &ended, err));
	}
}

/* Rows are read as the text is decoded; the text as a whole would take ten times as much memory as
 * the rows that are kept. Damage of the packed data comes before faults of the text. */
static enum jr_status read_packed(struct jr_bytes file, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_xz_stream *xz;
	struct jr_nsys_csv text;
	struct jr_error damage;
	JR_TRY(jr_xz_open(file, limits, &xz, err));
	init_ranges(ranges, 0, limits);
	enum jr_status status =
		read_text(open_packed(xz, limits, &text, err), &text, limits, ranges, err);
	enum jr_status whole = status == JR_OK ? JR_OK : jr_xz_drain(xz, &damage);
	if (whole != JR_OK && err)
		*err = damage;
	if (status == JR_OK)
		ranges->size_bytes = jr_xz_size(xz);
	jr_xz_close(xz);
	return whole != JR_OK ? whole : status;
}

const char *jr_host_ranges_cut(const struct jr_host_ranges *ranges, struct jr_arena *arena)
{
	static const char way_out[] = "or a copy was cut short. The part before that was read. "
								  "For a complete export, run: " JR_NSYS_EXPORT;
	if (ranges->cut_line)
		return jr_arena_printf(arena,
			"ends in the middle of line %" PRIu64 ": nsys stats ended early, %s", ranges->cut_line,
			way_out);
	if (ranges->n_bereft)
		return jr_arena_printf(arena,
			"lacks children of %" PRIu64 " range%s: nsys stats ended early, as it does at a name "
			"that is not UTF-8, %s",
			ranges->n_bereft, ranges->n_bereft == 1 ? "" : "s", way_out);
	return NULL;
}

/* --- Parquet --------------------------------------------------------------------------------- */

/* A null parent means no parent. Ids are doubles if the writer had nulls among them. */
static enum jr_status check_column(enum column c, int64_t *values, size_t n, struct jr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (c == PARENT_ID && values[i] == INT64_MIN)
			values[i] = -1;
		else if (values[i] == INT64_MIN && c != N_CHILDREN)
			return jr_fail(err, JR_EFORMAT, "row %zu, column '%s': null or not an integer", i,
				column_names[c]);
		else if ((c == RANGE_ID || c == PARENT_ID) && values[i] < 0)
			return jr_fail(err, JR_EFORMAT, "row %zu, column '%s': %" PRId64 " is not a range ID",
				i, column_names[c], values[i]);
	}
	return JR_OK;
}

/* Decode the columns into `arena`. */
static enum jr_status take_parquet(const struct jr_parquet *pq, const struct jr_limits *limits,
	struct jr_arena *arena, struct jr_intern *strings, struct range_rows *rows, bool *has_self,
	struct jr_error *err)
{
	int64_t **values = rows->value;
	size_t n = rows->n = (size_t)pq->n_rows;
	for (int c = 0; c < N_COLUMNS; c++) {
		if (c != NAME)
			JR_TRY(jr_parquet_i64(pq, column_names[c], arena, &values[c], err));
		else
			JR_TRY(jr_parquet_text(pq, column_names[c], limits, strings, arena,
				jr_limits_name(limits), &rows->name, err));
		if (c < PID && (c == NAME ? !rows->name : !values[c]))
			return jr_fail(err, JR_EFORMAT,
				"column '%s' is missing, so this is not a push/pop trace. For an unpacked "
				"archive, use its folder as input",
				column_names[c]);
	}
	*has_self = values[CHILD] && values[SELF];
	for (int c = 0; c < N_COLUMNS; c++) {
		if (c == NAME)
			continue;
		if (!values[c] || (c >= CHILD && !*has_self)) {
			JR_TRY_ARRAY(values[c], arena, n, err);
		}
		JR_TRY(check_column((enum column)c, values[c], n, err));
	}
	JR_TRY_ARRAY(rows->n_children, arena, n, err);
	for (size_t i = 0; i < n; i++) {
		rows->n_children[i] = children_of(values[N_CHILDREN][i]);
		if (rows->name[i] == JR_NONE)
			rows->name[i] = 0;
	}
	return JR_OK;
}

/* Read the same table as Parquet, which nsys-jax writes since 2025-01. */
static enum jr_status read_parquet(struct jr_bytes parquet, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_arena columns;
	struct jr_parquet pq;
	struct range_rows rows = {0};
	bool has_self = false;
	init_ranges(ranges, parquet.size, limits);
	jr_arena_init(&columns, limits->memory_bytes);
	enum jr_status status = jr_parquet_open(parquet, limits, &columns, &pq, err);
	if (status == JR_OK)
		status = take_parquet(&pq, limits, &columns, &ranges->strings, &rows, &has_self, err);
	if (status == JR_OK)
		status = take_rows(&rows, has_self, limits, ranges, err);
	jr_arena_done(&columns);
	if (status != JR_OK)
		jr_host_ranges_done(ranges);
	return status;
}

/* A NUL in the first 64 bytes means binary data; then the first bytes suffice for the error. */
static struct jr_bytes text_of(struct jr_bytes file)
{
	bool any = file.size > 64 && memchr(file.data, '\0', 64);
	return any ? jr_bytes_of(file.data, 64) : file;
}

enum jr_status jr_host_ranges_read(struct jr_bytes file, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	static const uint8_t xz_magic[] = {0xFD, '7', 'z', 'X', 'Z', 0};
	if (begins_with(file, "PAR1", 4))
		return read_parquet(file, limits, ranges, err);
	if (!begins_with(file, xz_magic, sizeof(xz_magic)))
		return jr_host_ranges_read_csv(text_of(file), limits, ranges, err);
	return read_packed(file, limits, ranges, err);
}

void jr_host_ranges_done(struct jr_host_ranges *ranges)
{
	if (!ranges)
		return;
	jr_intern_done(&ranges->strings);
	jr_arena_done(&ranges->arena);
	*ranges = (struct jr_host_ranges){0};
}
