/*
 * nsys_tables.h - the tables of an export, row by row. An export is an SQLite database or a folder
 * of Parquet files; readers of tables do not see which.
 * Layer: formats, private to nsys_*.c and sqlite_rows.c.
 */
#ifndef JR_FORMATS_NSYS_TABLES_H
#define JR_FORMATS_NSYS_TABLES_H

#include "formats/nsys/nsys_export.h"
#include "formats/nsys/nsys_sqlite_db.h"

/* Of a table that lacks a column without which it cannot be read: its name, and the column's. */
#define JR_NSYS_NO_COLUMN                                                                          \
	"table %s has no column '%s'. Export the .nsys-rep file again, with the nsys that recorded it"

/* The input: a folder of tables, else a database: a file, or bytes if `path` is NULL. */
struct jr_nsys_file {
	struct jr_archive *folder;
	const char *path;
	struct jr_bytes memory;
	uint64_t size_bytes; /* of a database */
	const struct jr_limits *limits;
	const char *cut_hint;  /* advice if the file is cut off, follows ". "; NULL = none */
	const char *left_hint; /* advice if its writer was cut off, follows ". " */
};

/* An open export, for one thread. */
struct jr_nsys_tables {
	const struct jr_nsys_table_ops *ops;
	const struct jr_nsys_file *file;
	sqlite3 *db; /* NULL: a folder */
	/* Rows of a database are read in blocks, which costs less per row; numbers are then no texts.
	 * Set it after opening. */
	bool in_blocks;
};

/* The type of a cell. */
enum jr_nsys_type {
	JR_NSYS_INTEGER = SQLITE_INTEGER,
	JR_NSYS_REAL = SQLITE_FLOAT,
	JR_NSYS_TEXT = SQLITE_TEXT,
	JR_NSYS_BLOB = SQLITE_BLOB,
	JR_NSYS_NULL = SQLITE_NULL,
};

/* A column of a block of rows. */
struct jr_nsys_column {
	const uint8_t *types;         /* enum jr_nsys_type, of a database; NULL: see `type` */
	enum jr_nsys_type type;       /* of values; JR_NSYS_NULL: the table has no such column */
	const int64_t *i64;           /* integers, and reals without their fraction; else NULL */
	const uint8_t *valid;         /* 0: null; NULL: there is no null */
	const uint32_t *text;         /* index into texts; NULL: texts are in order of rows */
	const struct jr_bytes *texts; /* NULL: none */
};

/* One pass over a table, in the order of the file. */
struct jr_nsys_scan {
	const struct jr_nsys_tables *tables; /* NULL: not begun */
	const char *table;
	bool found;    /* the table exists */
	unsigned has;  /* bit i: column i exists */
	uint64_t hint; /* estimated number of rows */
	uint64_t n_rows, most_rows;
	/* The current row: `row` of a block, else of `stmt` if `columns` is NULL. */
	sqlite3_stmt *stmt;
	int code; /* of the last step of `stmt` */
	const struct jr_nsys_column *columns;
	size_t row, n_block;
	struct jr_nsys_blocks *blocks; /* of a folder */
	struct jr_nsys_cells *cells;   /* of a database */
};

/* A way of storing tables. For the arguments see the functions below. open() and close() may be
 * NULL. */
struct jr_nsys_table_ops {
	enum jr_status (*open)(struct jr_nsys_tables *tables, struct jr_error *err);
	void (*close)(struct jr_nsys_tables *tables);
	enum jr_status (*each_table)(const struct jr_nsys_tables *tables,
		void (*take)(void *context, const char *name), void *context, struct jr_error *err);
	uint64_t (*count_rows)(const struct jr_nsys_tables *tables, const char *table);
	/* scan->tables and scan->table are set */
	enum jr_status (*begin)(struct jr_nsys_scan *scan, const char *const *columns, size_t n,
		size_t n_must, struct jr_error *err);
	void (*end)(struct jr_nsys_scan *scan);
	/* Read the next block and set `row` to its first row. False: none, or a failure. */
	bool (*next_block)(struct jr_nsys_scan *scan);
	enum jr_status (*stopped)(const struct jr_nsys_scan *scan, struct jr_error *err);
};
extern const struct jr_nsys_table_ops jr_nsys_sqlite_tables, jr_nsys_parquet_tables;

/* The SQL function that takes the rows of a database, see nsys_sqlite_blocks.c. */
#define JR_NSYS_TAKE_ROW "jr_take_row"
/** Begin to read the n columns that the scan's statement passes to the function, of which it is the
 * condition. Call it before the statement is prepared; jr_nsys_cells_end() also after a failure. */
void jr_nsys_cells_begin(struct jr_nsys_scan *scan, size_t n);
bool jr_nsys_cells_next(struct jr_nsys_scan *scan);
void jr_nsys_cells_end(struct jr_nsys_scan *scan);

/** Open an export, which must outlive *tables; close it with jr_nsys_tables_close().
 * @return JR_EIO; JR_EFORMAT not a database, or cut off */
enum jr_status jr_nsys_tables_open(const struct jr_nsys_file *file, struct jr_nsys_tables *tables,
	struct jr_error *err) JR_MUST_CHECK;
/** Close what was opened. Zeroed tables stay zeroed. */
void jr_nsys_tables_close(struct jr_nsys_tables *tables);

/** Visit the names of all tables in the order of the export. */
static inline enum jr_status jr_nsys_each_table(const struct jr_nsys_tables *tables,
	void (*take)(void *context, const char *name), void *context, struct jr_error *err)
{
	return tables->ops->each_table(tables, take, context, err);
}

/** Return the number of rows of a table, in a database its highest row number; 0: unknown. */
static inline uint64_t jr_nsys_count_rows(const struct jr_nsys_tables *tables, const char *table)
{
	return tables->ops->count_rows(tables, table);
}

/**
 * Begin to read columns[n] (n <= 32) of a table, both of which must outlive the scan. Absent
 * columns read as null; an absent table has no rows. End it with jr_nsys_scan_end(), also after a
 * failure, where that does nothing.
 * @param n_must  the first n_must columns must exist
 * @return JR_EUNSUPPORTED such a column is absent, or the table or a column is not stored
 */
enum jr_status jr_nsys_scan_begin(const struct jr_nsys_tables *tables, const char *table,
	const char *const *columns, size_t n, size_t n_must, struct jr_nsys_scan *scan,
	struct jr_error *err) JR_MUST_CHECK;
/** Free a scan. Zeroed scans stay zeroed. */
void jr_nsys_scan_end(struct jr_nsys_scan *scan);
/** Return why jr_nsys_scan_next() returned false: JR_OK at the end of the table. */
enum jr_status jr_nsys_scan_stopped(const struct jr_nsys_scan *scan, struct jr_error *err)
	JR_MUST_CHECK;

/* Go to the next row. False: there is none (as in a zeroed scan), see jr_nsys_scan_stopped(). */
static inline bool jr_nsys_scan_next(struct jr_nsys_scan *scan)
{
	if (!scan->tables || !scan->found)
		return false;
	if (!scan->columns) {
		scan->code = sqlite3_step(scan->stmt);
		return scan->code == SQLITE_ROW && ++scan->n_rows <= scan->most_rows;
	}
	if (++scan->row >= scan->n_block && !scan->tables->ops->next_block(scan))
		return false;
	scan->n_rows++;
	return true;
}

/* --- cells of the current row ----------------------------------------------------------------- */

/* Millions of cells are read, so a database's are read without another call between. */

static inline int64_t jr_nsys_i64(const struct jr_nsys_scan *scan, int column)
{
	if (!scan->columns)
		return sqlite3_column_int64(scan->stmt, column);
	const struct jr_nsys_column *c = &scan->columns[column];
	return c->i64 ? c->i64[scan->row] : 0;
}

static inline enum jr_nsys_type jr_nsys_type(const struct jr_nsys_scan *scan, int column)
{
	if (!scan->columns)
		return (enum jr_nsys_type)sqlite3_column_type(scan->stmt, column);
	const struct jr_nsys_column *c = &scan->columns[column];
	if (c->types)
		return (enum jr_nsys_type)c->types[scan->row];
	return c->valid && !c->valid[scan->row] ? JR_NSYS_NULL : c->type;
}

static inline bool jr_nsys_is_null(const struct jr_nsys_scan *scan, int column)
{
	return jr_nsys_type(scan, column) == JR_NSYS_NULL;
}

/* A text as stored, valid until the next row. `data` is NULL if the cell is not a text. A database
 * that is not read in blocks also returns its numbers as texts. */
static inline struct jr_bytes jr_nsys_text(const struct jr_nsys_scan *scan, int column)
{
	if (!scan->columns) {
		const void *text = sqlite3_column_text(scan->stmt, column);
		return jr_bytes_of(text, text ? (size_t)sqlite3_column_bytes(scan->stmt, column) : 0);
	}
	const struct jr_nsys_column *c = &scan->columns[column];
	if (jr_nsys_type(scan, column) != JR_NSYS_TEXT || !c->texts)
		return (struct jr_bytes){0};
	return c->texts[c->text ? c->text[scan->row] : scan->row];
}

/* A 32-bit id; JR_NONE for null and for values that do not fit. */
static inline uint32_t jr_nsys_u32(const struct jr_nsys_scan *scan, int column)
{
	int64_t v = jr_nsys_i64(scan, column);
	if (v == 0 && jr_nsys_is_null(scan, column))
		return JR_NONE;
	return v >= 0 && v < JR_NONE ? (uint32_t)v : JR_NONE;
}

#endif
