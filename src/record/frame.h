/*
 * frame.h - a table under construction, column by column, and its Parquet file, which goes into the
 * archive piece by piece.
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
	struct jr_pq_put_column head[JR_FRAME_COLUMNS]; /* names and types */
	struct jr_frame_column columns[JR_FRAME_COLUMNS];
	struct jr_arena texts; /* of the rows that are not written yet */
	struct jr_parquet_out out;
	struct jr_buf file; /* what is not in the archive yet */
	struct jr_zip_writer *zip;
	const char *member;
	bool has_begun;        /* the member */
	enum jr_status status; /* of writing, until jr_frame_end() tells it */
	struct jr_error err;
};

/* Whose table it is, and where it goes. Borrowed. */
struct jr_frame_place {
	struct jr_zip_writer *zip;
	const char *member;
	const char *version; /* of this program */
	size_t n_threads;
	/* Rows can share a text, so that a small input could make a file that no reader takes: what all
	 * texts of the table may take, counted per row. Beyond it jr_frame_end() returns JR_ELIMIT. */
	uint64_t most_text_bytes;
};

/** `columns` end with a NULL name and are at most JR_FRAME_COLUMNS; names are borrowed. The last
 * n_index are pandas' index (0: rows are numbered). jr_frame_done() in any case. */
void jr_frame_begin(struct jr_frame *frame, const struct jr_pq_put_column *columns, size_t n_index,
	const struct jr_frame_place *place);
/* Values of the row in hand, each column once, in any order. */
void jr_frame_i64(struct jr_frame *frame, size_t column, int64_t value);
void jr_frame_f64(struct jr_frame *frame, size_t column, double value);
/** A text that stays until jr_frame_end(). */
void jr_frame_lasting(struct jr_frame *frame, size_t column, const char *text, size_t n);
/** The text is copied. */
void jr_frame_text(struct jr_frame *frame, size_t column, const char *text, size_t n);
void jr_frame_null(struct jr_frame *frame, size_t column);
/** The row is whole. Every 64 Ki rows, or 32 MiB of texts, are packed, as a row group, and written:
 * fewer than the 1 Mi that Arrow takes, for these are what a table has in memory. */
void jr_frame_row(struct jr_frame *frame);
/** The last rows and the footer; the member is whole. JR_EIO,
 * JR_ELIMIT, of whatever row. */
enum jr_status jr_frame_end(struct jr_frame *frame, struct jr_error *err) JR_MUST_CHECK;
void jr_frame_done(struct jr_frame *frame);

#endif
