#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/vec.h"
#include "formats/archive/foreign.h"
#include "formats/nsys/nsys_csv.h"
#include "formats/nsys/nsys_export.h"
#include "formats/archive/xz.h"
#include "model/compile/host_tree.h"
#include "model/archive/parquet_table.h"

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

struct range_row {
	int64_t value[N_COLUMNS]; /* NAME: id */
	uint64_t line;
};

struct range_rows {
	struct range_row *items;
	size_t n, capacity;
};

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
					: "");
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

static enum jr_status parse_row(const struct jr_csv *csv, const size_t column[N_COLUMNS],
	struct jr_intern *strings, struct range_row *row, struct jr_error *err)
{
	*row = (struct range_row){.line = csv->line};
	for (int c = 0; c < N_COLUMNS; c++) {
		if (column[c] == SIZE_MAX)
			continue;
		const struct jr_csv_field *field = &csv->fields[column[c]];
		if (c == NAME) {
			row->value[c] = jr_intern_put(strings, field->s, field->n);
		} else if (c == PARENT_ID && is_nothing(field)) {
			row->value[c] = -1;
		} else if (!jr_parse_i64(field->s, field->n, &row->value[c])) {
			if (c == N_CHILDREN) /* only a note depends on it */
				continue;
			int shown = field->n < 40 ? (int)field->n : 40;
			return jr_fail(err, JR_EFORMAT,
				"line %" PRIu64 ", column '%s': '%.*s' is not an integer", csv->line,
				column_names[c], shown, field->s);
		} else if ((c == RANGE_ID || c == PARENT_ID) && row->value[c] < 0) {
			return jr_fail(err, JR_EFORMAT,
				"line %" PRIu64 ", column '%s': %" PRId64 " is not a range ID", csv->line,
				column_names[c], row->value[c]);
		}
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
		if (rows->n >= limits->memory_bytes / (4 * sizeof(struct range_row)))
			return jr_fail(err, JR_ELIMIT,
				"line %" PRIu64 ": more ranges than memory allows (--max-memory)", csv->line);
		JR_TRY(parse_row(csv, column, strings, jr_vec_add(rows), err));
	}
}

static enum jr_status take_columns(const struct range_rows *rows, struct jr_host_ranges *ranges,
	uint64_t **lines, int64_t **n_children, struct jr_error *err)
{
	int64_t **const out[N_COLUMNS] = {
		[START] = &ranges->start_ns,
		[END] = &ranges->end_ns,
		[TID] = &ranges->tid,
		[RANGE_ID] = &ranges->range_id,
		[PARENT_ID] = &ranges->parent_id,
		[PID] = &ranges->pid,
		[N_CHILDREN] = n_children,
		[CHILD] = &ranges->child_ns,
		[SELF] = &ranges->self_ns,
	};
	ranges->n = rows->n;
	for (int c = 0; c < N_COLUMNS; c++) {
		if (c == NAME)
			continue;
		int64_t *values = jr_arena_array(&ranges->arena, rows->n, sizeof(*values), err);
		if (!values)
			return JR_ELIMIT;
		for (size_t i = 0; i < rows->n; i++)
			values[i] = rows->items[i].value[c];
		*out[c] = values;
	}
	ranges->name = jr_arena_array(&ranges->arena, rows->n, sizeof(*ranges->name), err);
	*lines = jr_arena_array(&ranges->arena, rows->n, sizeof(**lines), err);
	if (!ranges->name || !*lines)
		return JR_ELIMIT;
	for (size_t i = 0; i < rows->n; i++) {
		ranges->name[i] = (uint32_t)rows->items[i].value[NAME];
		(*lines)[i] = rows->items[i].line;
	}
	return JR_OK;
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
	const struct jr_host_tree *tree, const int64_t *n_children, size_t n_ranges)
{
	uint64_t n = 0;
	const uint32_t *children;
	for (size_t i = 0; i < n_ranges; i++)
		n += n_children[i] > (int64_t)jr_host_children(tree, (uint32_t)i, &children);
	return n;
}

static enum jr_status check_ranges(struct jr_host_ranges *ranges, bool has_self,
	const int64_t *n_children, const struct jr_limits *limits, const uint64_t *lines,
	struct jr_error *err)
{
	for (size_t i = 0; i < ranges->n && !has_self; i++)
		if (__builtin_sub_overflow(ranges->end_ns[i], ranges->start_ns[i], &ranges->self_ns[i]))
			ranges->self_ns[i] = -1; /* rejected below */
	struct jr_arena scratch;
	jr_arena_init(&scratch, limits->memory_bytes);
	struct jr_host_tree tree;
	enum jr_status status = jr_host_tree_build(ranges, limits->depth, lines, &scratch, &tree, err);
	if (status == JR_OK && !has_self)
		derive_child_times(ranges, &tree);
	if (status == JR_OK)
		ranges->n_bereft = count_bereft(&tree, n_children, ranges->n);
	jr_arena_done(&scratch);
	return status;
}

enum jr_status jr_host_ranges_check(
	const struct jr_host_ranges *ranges, const struct jr_limits *limits, struct jr_error *err)
{
	struct jr_arena scratch;
	struct jr_host_tree tree;
	for (size_t i = 0; i < ranges->n; i++)
		if (ranges->range_id[i] < 0 || ranges->parent_id[i] < -1)
			return jr_fail(err, JR_EFORMAT, "row %zu: not a range ID", i);
	jr_arena_init(&scratch, limits->memory_bytes);
	enum jr_status status = jr_host_tree_build(ranges, limits->depth, NULL, &scratch, &tree, err);
	jr_arena_done(&scratch);
	return status;
}

static void init_ranges(
	struct jr_host_ranges *ranges, size_t size_bytes, const struct jr_limits *limits)
{
	*ranges = (struct jr_host_ranges){.size_bytes = size_bytes};
	jr_arena_init(&ranges->arena, limits->memory_bytes);
	jr_intern_init(&ranges->strings);
}

enum jr_status jr_host_ranges_read_csv(struct jr_bytes csv, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_nsys_csv text;
	struct range_rows rows = {0};
	size_t column[N_COLUMNS];
	uint64_t *lines = NULL;
	int64_t *n_children = NULL;
	init_ranges(ranges, csv.size, limits);
	enum jr_status status = jr_nsys_csv_open(&text, csv, column_names[RANGE_ID], limits, err);
	if (status == JR_OK)
		status = find_columns(&text.csv, column, err);
	if (status == JR_OK)
		status = read_rows(&text, column, limits, &ranges->strings, &rows, err);
	if (status == JR_OK)
		status = take_columns(&rows, ranges, &lines, &n_children, err);
	if (status == JR_OK)
		status = check_ranges(ranges, column[SELF] != SIZE_MAX, n_children, limits, lines, err);
	ranges->n_odd = text.n_odd;
	ranges->cut_line = text.cut_line;
	jr_vec_done(&rows);
	jr_nsys_csv_done(&text);
	if (status != JR_OK)
		jr_host_ranges_done(ranges);
	return status;
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

static enum jr_status take_parquet(const struct jr_parquet *pq, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, bool *has_self, int64_t **n_children, struct jr_error *err)
{
	int64_t *values[N_COLUMNS] = {0};
	size_t n = ranges->n = (size_t)pq->n_rows;
	for (int c = 0; c < N_COLUMNS; c++) {
		if (c != NAME)
			JR_TRY(jr_parquet_i64(pq, column_names[c], &ranges->arena, &values[c], err));
		else
			JR_TRY(jr_parquet_text(pq, column_names[c], limits, &ranges->strings, &ranges->arena,
				jr_limits_name(limits), &ranges->name, err));
		if (c < PID && (c == NAME ? !ranges->name : !values[c]))
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
			values[c] = jr_arena_array(&ranges->arena, n, sizeof(*values[c]), err);
			if (!values[c])
				return JR_ELIMIT;
		}
		JR_TRY(check_column((enum column)c, values[c], n, err));
	}
	for (size_t i = 0; i < n; i++)
		if (ranges->name[i] == JR_NONE)
			ranges->name[i] = 0;
	ranges->start_ns = values[START];
	ranges->end_ns = values[END];
	ranges->tid = values[TID];
	ranges->range_id = values[RANGE_ID];
	ranges->parent_id = values[PARENT_ID];
	ranges->pid = values[PID];
	ranges->child_ns = values[CHILD];
	ranges->self_ns = values[SELF];
	*n_children = values[N_CHILDREN];
	return JR_OK;
}

enum jr_status jr_host_ranges_read_parquet(struct jr_bytes parquet, const struct jr_limits *limits,
	struct jr_host_ranges *ranges, struct jr_error *err)
{
	struct jr_parquet pq;
	bool has_self = false;
	int64_t *n_children = NULL;
	init_ranges(ranges, parquet.size, limits);
	enum jr_status status = jr_parquet_open(parquet, limits, &ranges->arena, &pq, err);
	if (status == JR_OK)
		status = take_parquet(&pq, limits, ranges, &has_self, &n_children, err);
	if (status == JR_OK)
		status = check_ranges(ranges, has_self, n_children, limits, NULL, err);
	if (status != JR_OK)
		jr_host_ranges_done(ranges);
	return status;
}

static bool begins_with(struct jr_bytes bytes, const void *magic, size_t n)
{
	return bytes.size >= n && memcmp(bytes.data, magic, n) == 0;
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
		return jr_host_ranges_read_parquet(file, limits, ranges, err);
	if (!begins_with(file, xz_magic, sizeof(xz_magic)))
		return jr_host_ranges_read_csv(text_of(file), limits, ranges, err);
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	JR_TRY(jr_xz_decode(file, limits, &text, err));
	struct jr_bytes inside = jr_buf_view(&text);
	if (begins_with(inside, "PK\3\4", 4) || jr_nsys_is_sqlite(inside) || jr_foreign_hint(inside))
		return jr_fail(err, JR_EFORMAT,
			"compressed with xz, and not a CSV file. Unpack it, and use the result as input");
	return jr_host_ranges_read_csv(jr_buf_view(&text), limits, ranges, err);
}

void jr_host_ranges_done(struct jr_host_ranges *ranges)
{
	if (!ranges)
		return;
	jr_intern_done(&ranges->strings);
	jr_arena_done(&ranges->arena);
	*ranges = (struct jr_host_ranges){0};
}
