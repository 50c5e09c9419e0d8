/* Tables of an export as Parquet files: a folder with TABLE.parquet for each table. Columns are
 * decoded in blocks of whole row groups, so that memory does not grow with the table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "formats/archive/archive.h"
#include "formats/nsys/nsys_tables.h"
#include "formats/parquet/parquet.h"

/* Exporters write row groups of 2048 rows. */
#define BLOCK_ROWS 16384
#define MOST_COLUMNS 32
#define MOST_NAME_BYTES 256

struct jr_nsys_blocks {
	struct jr_content content;
	struct jr_arena file, block; /* the footer; the columns of the current block */
	struct jr_parquet pq;
	size_t n_columns;
	size_t at[MOST_COLUMNS]; /* column of the file; SIZE_MAX: none */
	struct jr_nsys_column columns[MOST_COLUMNS];
	uint32_t next_group;
	enum jr_status status;
	struct jr_error err;
};

static size_t find_member(const struct jr_nsys_tables *tables, const char *table)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	jr_buf_printf(&name, "%s" JR_NSYS_TABLE_SUFFIX, table);
	return jr_archive_find(tables->file->folder, name.data);
}

/* Put the table before a reason, and what to do about a damaged one after it. */
static enum jr_status bad_table(
	const char *table, enum jr_status status, const char *why, struct jr_error *err)
{
	return jr_fail(err, status, "table %s: %.800s%s", table, why,
		status == JR_EFORMAT
			? ". Export again: nsys export --type parquetdir --force-overwrite true out.nsys-rep"
			: "");
}

/* --- a file ----------------------------------------------------------------------------------- */

static void blocks_done(struct jr_nsys_blocks *b)
{
	jr_arena_done(&b->block);
	jr_arena_done(&b->file);
	jr_content_done(&b->content);
}

/* An event takes at least a byte. A footer that states more rows than that would cost time and
 * memory for nothing: columns of equal values are short. */
static enum jr_status check_rows(const struct jr_nsys_blocks *b, struct jr_error *err)
{
	if (b->pq.n_rows <= b->content.bytes.size)
		return JR_OK;
	return jr_fail(err, JR_EFORMAT, "it states %" PRIu64 " rows, more than its %zu bytes can hold",
		b->pq.n_rows, b->content.bytes.size);
}

/* The first bytes are checked before a whole member is decompressed. Texts may be as long as a
 * page: as those of a database, they are cut only where they are used. */
static enum jr_status open_blocks(const struct jr_nsys_tables *tables, size_t member,
	struct jr_nsys_blocks *b, struct jr_error *err)
{
	struct jr_archive *folder = tables->file->folder;
	struct jr_limits limits = *tables->file->limits;
	limits.string_bytes = limits.entry_bytes;
	JR_CLEANUP(jr_buf_done) struct jr_buf head = {0};
	JR_TRY(jr_archive_head(folder, member, JR_PARQUET_HEAD_BYTES, &head, err));
	JR_TRY(jr_parquet_begins(jr_buf_view(&head), jr_archive_at(folder, member)->size_bytes, err));
	JR_TRY(jr_archive_content(folder, member, &b->content, err));
	JR_TRY(jr_parquet_open(b->content.bytes, &limits, &b->file, &b->pq, err));
	return check_rows(b, err);
}

static struct jr_nsys_blocks *new_blocks(const struct jr_nsys_tables *tables)
{
	struct jr_nsys_blocks *b = jr_calloc(1, sizeof(*b));
	jr_arena_init(&b->file, tables->file->limits->memory_bytes);
	jr_arena_init(&b->block, tables->file->limits->memory_bytes);
	return b;
}

static void end(struct jr_nsys_scan *scan)
{
	if (scan->blocks)
		blocks_done(scan->blocks);
	free(scan->blocks);
}

static enum jr_status begin(struct jr_nsys_scan *scan, const char *const *columns, size_t n,
	size_t n_must, struct jr_error *err)
{
	size_t member = find_member(scan->tables, scan->table);
	if (member == SIZE_MAX)
		return JR_OK;
	scan->found = true;
	struct jr_nsys_blocks *b = scan->blocks = new_blocks(scan->tables);
	struct jr_error why = {0};
	enum jr_status status = open_blocks(scan->tables, member, b, &why);
	if (status != JR_OK)
		return bad_table(scan->table, status, why.message, err);
	b->n_columns = n;
	for (size_t i = 0; i < n; i++) {
		b->at[i] = jr_parquet_find(&b->pq, columns[i]);
		if (b->at[i] != SIZE_MAX && !b->pq.columns[b->at[i]].is_list)
			scan->has |= 1u << i;
		else if (i < n_must)
			return jr_fail(err, JR_EUNSUPPORTED, JR_NSYS_NO_COLUMN, scan->table, columns[i]);
		else
			b->at[i] = SIZE_MAX;
	}
	scan->hint = b->pq.n_rows;
	scan->columns = b->columns;
	return JR_OK;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Return a real without its fraction, as a database does. */
static int64_t whole(double v)
{
	if (v != v)
		return 0;
	return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

static int64_t number_at(const struct jr_parquet_values *v, uint64_t row)
{
	switch (v->type) {
	case JR_PQ_INT32: return v->int32[row];
	case JR_PQ_BOOLEAN: return v->boolean[row];
	case JR_PQ_FLOAT: return whole((double)v->float32[row]);
	case JR_PQ_DOUBLE: return whole(v->float64[row]);
	default: return 0;
	}
}

static enum jr_status take_column(const struct jr_parquet_values *v, struct jr_arena *arena,
	struct jr_nsys_column *out, struct jr_error *err)
{
	static const enum jr_nsys_type types[] = {[JR_PQ_BOOLEAN] = JR_NSYS_INTEGER,
		[JR_PQ_INT32] = JR_NSYS_INTEGER,
		[JR_PQ_INT64] = JR_NSYS_INTEGER,
		[JR_PQ_INT96] = JR_NSYS_BLOB,
		[JR_PQ_FLOAT] = JR_NSYS_REAL,
		[JR_PQ_DOUBLE] = JR_NSYS_REAL,
		[JR_PQ_BYTE_ARRAY] = JR_NSYS_TEXT,
		[JR_PQ_FIXED_LEN_BYTE_ARRAY] = JR_NSYS_BLOB};
	*out = (struct jr_nsys_column){.type = types[v->type], .valid = v->valid, .i64 = v->int64};
	if (out->type == JR_NSYS_TEXT) {
		out->text = v->string;
		out->texts = v->dictionary;
	}
	if (out->i64 || (out->type != JR_NSYS_INTEGER && out->type != JR_NSYS_REAL))
		return JR_OK;
	int64_t *i64;
	JR_TRY_ARRAY(i64, arena, v->n_values, err);
	for (uint64_t row = 0; row < v->n_values; row++)
		i64[row] = number_at(v, row);
	out->i64 = i64;
	return JR_OK;
}

static enum jr_status read_block(
	struct jr_nsys_blocks *b, struct jr_parquet_groups groups, struct jr_error *err)
{
	jr_arena_clear(&b->block);
	for (size_t i = 0; i < b->n_columns; i++) {
		struct jr_parquet_values values;
		b->columns[i] = (struct jr_nsys_column){.type = JR_NSYS_NULL};
		if (b->at[i] == SIZE_MAX)
			continue;
		JR_TRY(jr_parquet_read_groups(&b->pq, b->at[i], groups, &b->block, &values, err));
		JR_TRY(take_column(&values, &b->block, &b->columns[i], err));
	}
	return JR_OK;
}

static bool next_block(struct jr_nsys_scan *scan)
{
	struct jr_nsys_blocks *b = scan->blocks;
	struct jr_parquet_groups groups = {b->next_group, b->next_group};
	uint64_t n = 0;
	while (groups.end < b->pq.n_groups && n < BLOCK_ROWS)
		n += jr_parquet_group_rows(&b->pq, groups.end++);
	scan->row = 0;
	scan->n_block = 0;
	if (n == 0 || b->status != JR_OK)
		return false;
	b->next_group = groups.end;
	b->status = read_block(b, groups, &b->err);
	if (b->status != JR_OK)
		return false;
	scan->n_block = (size_t)n;
	return true;
}

static enum jr_status stopped(const struct jr_nsys_scan *scan, struct jr_error *err)
{
	const struct jr_nsys_blocks *b = scan->blocks;
	if (!b || b->status == JR_OK)
		return JR_OK;
	return bad_table(scan->table, b->status, b->err.message, err);
}

/* --- all tables ------------------------------------------------------------------------------- */

static enum jr_status each_table(const struct jr_nsys_tables *tables,
	void (*take)(void *context, const char *name), void *context, struct jr_error *err)
{
	(void)err;
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	for (size_t i = 0; i < jr_archive_count(tables->file->folder); i++) {
		size_t n = jr_nsys_table_name(jr_archive_at(tables->file->folder, i)->name);
		if (!n)
			continue;
		name.size = 0;
		jr_buf_printf(&name, "%.*s", (int)n, jr_archive_at(tables->file->folder, i)->name);
		take(context, name.data);
	}
	return JR_OK;
}

static uint64_t count_rows(const struct jr_nsys_tables *tables, const char *table)
{
	size_t member = find_member(tables, table);
	if (member == SIZE_MAX)
		return 0;
	struct jr_nsys_blocks *b = new_blocks(tables);
	enum jr_status status = open_blocks(tables, member, b, NULL);
	uint64_t n = status == JR_OK ? b->pq.n_rows : 0;
	blocks_done(b);
	free(b);
	return n;
}

size_t jr_nsys_table_name(const char *member)
{
	size_t n = strlen(member), suffix = strlen(JR_NSYS_TABLE_SUFFIX);
	bool table = n > suffix && n < MOST_NAME_BYTES && !strchr(member, '/') &&
				 strcmp(member + n - suffix, JR_NSYS_TABLE_SUFFIX) == 0;
	return table ? n - suffix : 0;
}

const struct jr_nsys_table_ops jr_nsys_parquet_tables = {
	.each_table = each_table,
	.count_rows = count_rows,
	.begin = begin,
	.end = end,
	.next_block = next_block,
	.stopped = stopped,
};
