/*
 * frame.h - build a table column by column and write its Parquet file into the archive in pieces.
 * Layer: record.
 */
#ifndef JR_RECORD_FRAME_H
#define JR_RECORD_FRAME_H

#include "base/arena.h"
#include "formats/parquet/parquet_writer.h"
#include "formats/archive/zip_writer.h"

#define JR_FRAME_COLUMNS 64

struct jr_frame_column {
	JR_VEC(int64_t) i64;
	JR_VEC(double) f64;
	JR_VEC(struct jr_bytes) text;
	JR_VEC(uint8_t) valid;
};

struct jr_frame {
	struct jr_pq_put_options options;
	size_t n_columns, n_rows; /* rows that are not written yet */
	uint64_t n_written;
	uint64_t text_bytes, most_text_bytes;           /* of all rows */
	uint64_t piece_bytes;                           /* of texts of rows that are not written yet */
	struct jr_pq_put_column head[JR_FRAME_COLUMNS]; /* names and types of the columns */
	struct jr_frame_column columns[JR_FRAME_COLUMNS];
	struct jr_arena texts; /* texts of the rows not written yet */
	struct jr_parquet_out out;
	struct jr_buf file; /* bytes that are not in the archive yet */
	struct jr_zip_writer *zip;
	const char *member;
	bool has_begun;        /* the member has begun */
	enum jr_status status; /* of writing; jr_frame_end() returns it */
	struct jr_error err;
};

/* The archive and the member that a table goes to. Borrowed. */
struct jr_frame_place {
	struct jr_zip_writer *zip;
	const char *member;
	const char *version; /* version of this program */
	size_t n_threads;
	/* Limit for all texts of the table, counted per row. Rows can share a text, so a small input
	 * could make a file that no reader accepts. Above the limit jr_frame_end() returns JR_ELIMIT.
	 */
	uint64_t most_text_bytes;
};

/** Begin a table. `columns` ends with a NULL name and has at most JR_FRAME_COLUMNS entries; names
 * are borrowed. The last n_index columns are pandas' index (0: rows are numbered). Call
 * jr_frame_done() in any case. */
void jr_frame_begin(struct jr_frame *frame, const struct jr_pq_put_column *columns, size_t n_index,
	const struct jr_frame_place *place);
/* Set the values of the current row: each column once, in any order. */
void jr_frame_i64(struct jr_frame *frame, size_t column, int64_t value);
void jr_frame_f64(struct jr_frame *frame, size_t column, double value);
/** Set a text that stays valid until jr_frame_end(). */
void jr_frame_lasting(struct jr_frame *frame, size_t column, const char *text, size_t n);
/** Set a text, which is copied. */
void jr_frame_text(struct jr_frame *frame, size_t column, const char *text, size_t n);
void jr_frame_null(struct jr_frame *frame, size_t column);
/** End the row. Every 64 Ki rows, or 32 MiB of texts, are packed as a row group and written. Arrow
 * accepts 1 Mi rows per group; smaller groups bound the memory of a table. */
void jr_frame_row(struct jr_frame *frame);
/** Write the last rows and the footer, and end the member. Returns JR_EIO or JR_ELIMIT, also for an
 * earlier row. */
enum jr_status jr_frame_end(struct jr_frame *frame, struct jr_error *err) JR_MUST_CHECK;
void jr_frame_done(struct jr_frame *frame);

#endif
