/* Rows of a database in blocks. A function in the WHERE clause takes the cells of each row, and
 * lets only the last row of a block through: a call per cell and a step per row cost more than what
 * SQLite does to find them. */
#include <stdlib.h>

#include "base/arena.h"
#include "formats/nsys/nsys_tables.h"

#define BLOCK_ROWS 512
#define MOST_COLUMNS 32
/* A block ends after this many bytes of texts: a damaged page may be part of many rows. */
#define BLOCK_TEXT_BYTES ((size_t)1 << 20)

struct jr_nsys_cells {
	size_t n_columns, n, text_bytes;
	uint64_t n_before, most_rows; /* rows of earlier blocks */
	struct jr_nsys_column columns[MOST_COLUMNS];
	int64_t i64[MOST_COLUMNS][BLOCK_ROWS];
	uint8_t types[MOST_COLUMNS][BLOCK_ROWS];
	struct jr_bytes *texts[MOST_COLUMNS]; /* [BLOCK_ROWS]; NULL: the column has no text so far */
	struct jr_arena arena;                /* of texts */
	bool begun, too_many;
};

static void take_text(struct jr_nsys_cells *c, size_t column, sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);
	size_t size = text ? (size_t)sqlite3_value_bytes(value) : 0;
	if (!c->texts[column]) {
		c->texts[column] = jr_calloc(BLOCK_ROWS, sizeof(**c->texts));
		c->columns[column].texts = c->texts[column];
	}
	c->texts[column][c->n] =
		jr_bytes_of(text ? jr_arena_strndup(&c->arena, text, size) : NULL, size);
	c->text_bytes += size;
}

/* Return true, which ends the block, after its last row, and for a row above the limit. */
static void take_row(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct jr_nsys_cells *c = sqlite3_user_data(context);
	if (c->n_before + c->n == c->most_rows) {
		c->too_many = true;
		sqlite3_result_int(context, 1);
		return;
	}
	for (int i = 0; i < n; i++) {
		int type = sqlite3_value_type(values[i]);
		c->types[i][c->n] = (uint8_t)type;
		c->i64[i][c->n] = type == SQLITE_NULL ? 0 : sqlite3_value_int64(values[i]);
		if (type == SQLITE_TEXT)
			take_text(c, (size_t)i, values[i]);
	}
	c->n++;
	sqlite3_result_int(context, c->n == BLOCK_ROWS || c->text_bytes >= BLOCK_TEXT_BYTES);
}

/* If there is no memory for the function, SQLite says so when the statement is prepared. */
void jr_nsys_cells_begin(struct jr_nsys_scan *scan, size_t n)
{
	struct jr_nsys_cells *c = scan->cells = jr_calloc(1, sizeof(*c));
	jr_arena_init(&c->arena, 0);
	c->n_columns = n;
	for (size_t i = 0; i < n; i++)
		c->columns[i] = (struct jr_nsys_column){.i64 = c->i64[i], .types = c->types[i]};
	scan->columns = c->columns;
	(void)sqlite3_create_function(scan->tables->db, JR_NSYS_TAKE_ROW, -1,
		SQLITE_UTF8 | SQLITE_DIRECTONLY, c, take_row, NULL, NULL);
}

bool jr_nsys_cells_next(struct jr_nsys_scan *scan)
{
	struct jr_nsys_cells *c = scan->cells;
	c->n_before += c->n;
	c->n = c->text_bytes = 0;
	c->most_rows = scan->most_rows;
	jr_arena_clear(&c->arena);
	if (!c->begun || (scan->code == SQLITE_ROW && !c->too_many))
		scan->code = sqlite3_step(scan->stmt);
	c->begun = true;
	scan->row = 0;
	scan->n_block = c->n;
	return c->n > 0;
}

void jr_nsys_cells_end(struct jr_nsys_scan *scan)
{
	struct jr_nsys_cells *c = scan->cells;
	if (!c)
		return;
	for (size_t i = 0; i < c->n_columns; i++)
		free(c->texts[i]);
	jr_arena_done(&c->arena);
	free(c);
	scan->cells = NULL;
}
