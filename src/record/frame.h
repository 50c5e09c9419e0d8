/*
 * frame.h - a table under construction, column by column, and its Parquet file, in pieces.
 * Layer: record.
 */
#ifndef JR_RECORD_FRAME_H
#define JR_RECORD_FRAME_H

#include "base/arena.h"
#include "formats/parquet_writer.h"

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
	struct jr_pq_put_column head[JR_FRAME_COLUMNS]; /* names and types */
	struct jr_frame_column columns[JR_FRAME_COLUMNS];
	struct jr_arena texts; /* of the rows that are not written yet */
	struct jr_parquet_out out;
	struct jr_buf file;
};

/** `columns` end with a NULL name and are at most JR_FRAME_COLUMNS; names are borrowed. The last
 * n_index are pandas' index (0: rows are numbered). jr_frame_done() in any case. */
void jr_frame_begin(struct jr_frame *frame, const struct jr_pq_put_column *columns, size_t n_index,
	const char *version);
/* Values of the row in hand, each column once, in any order. */
void jr_frame_i64(struct jr_frame *frame, size_t column, int64_t value);
void jr_frame_f64(struct jr_frame *frame, size_t column, double value);
/** The text is copied. */
void jr_frame_text(struct jr_frame *frame, size_t column, const char *text, size_t n);
void jr_frame_null(struct jr_frame *frame, size_t column);
/** The row is whole; packs what has come together every 128 Ki rows. */
void jr_frame_row(struct jr_frame *frame);
/** Close the file, frame->file, which jr_frame_done() frees. */
void jr_frame_end(struct jr_frame *frame);
void jr_frame_done(struct jr_frame *frame);

#endif
