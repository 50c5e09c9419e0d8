/*
 * csv.h - RFC 4180 rows, read in one pass over memory.
 * Layer: formats.
 */
#ifndef JR_FORMATS_CSV_H
#define JR_FORMATS_CSV_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"

/* One field: a view into the input, or into the reader's scratch if quotes were doubled. Valid
 * until the next jr_csv_next(). */
struct jr_csv_field {
	const char *s;
	size_t n;
};

/**
 * Gets further text: drops the first `from` bytes of csv->in, and adds at least `wanted` bytes
 * unless the text ends.
 * @param ended  out: no text follows
 */
typedef enum jr_status (*jr_csv_more_fn)(void *context, size_t from, size_t wanted,
	struct jr_bytes *in, bool *ended, struct jr_error *err);

struct jr_csv {
	struct jr_bytes in;
	size_t pos;
	uint64_t row;  /* number of the last row returned, header = 0 */
	uint64_t line; /* 1-based line on which it began */
	uint64_t next_line;
	size_t n_columns;
	struct jr_csv_field *fields; /* [n_columns] of the current row */
	struct jr_buf scratch;
	struct jr_arena arena; /* fields, header names */
	const char **names;
	const struct jr_limits *limits;
	/* Set after jr_csv_open() if text follows `in`, which begins with the header's line. NULL: none
	 * does. */
	jr_csv_more_fn more;
	void *context;
	bool torn; /* the last error is of `more` */
};

/**
 * Read the header, which takes one line: the first line with the field `must_have`. Lines before it
 * are skipped (nsys prints "Generating SQLite file ..." if its output is redirected). A UTF-8 byte
 * order mark and CRLF are accepted.
 *
 * @param csv  close with jr_csv_done(), also after a failure; borrows `in` and `limits`
 * @return JR_EFORMAT no such header within the first 1,000 lines; JR_ELIMIT more than 4,096 columns
 */
enum jr_status jr_csv_open(struct jr_csv *csv, struct jr_bytes in, const char *must_have,
	const struct jr_limits *limits, struct jr_error *err) JR_MUST_CHECK;
/** Return the column with that header name, or SIZE_MAX. */
size_t jr_csv_find(const struct jr_csv *csv, const char *name);
/**
 * Read the next row into csv->fields; *more is false at the end. Blank lines are skipped. Cost:
 * about 1 ns per byte.
 * @return JR_EFORMAT wrong number of fields, an open quote at the end, a quote in the middle of a
 *         bare field (line number in the message); JR_ELIMIT rows or string length
 */
enum jr_status jr_csv_next(struct jr_csv *csv, bool *more, struct jr_error *err) JR_MUST_CHECK;
/**
 * Accept a row that the caller has read, for formats that are almost CSV. The caller sets
 * csv->fields to the row at csv->pos; the next row begins at `behind`, after `breaks` line breaks.
 * @return JR_ELIMIT rows or string length; the position then stays before the row
 */
enum jr_status jr_csv_accept(
	struct jr_csv *csv, const char *behind, uint64_t breaks, struct jr_error *err) JR_MUST_CHECK;
void jr_csv_done(struct jr_csv *csv);

#endif
