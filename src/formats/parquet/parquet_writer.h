/*
 * parquet_writer.h - writer of Apache Parquet files, row group by row group.
 * Layer: formats.  Format facts: github.com/apache/parquet-format (parquet.thrift, Encodings.md);
 * the key `pandas`: pandas' developer documentation, "Storing pandas DataFrame objects in Apache
 * Parquet format".
 *
 * Writes the same features as pandas and Arrow for flat tables: optional columns with definition
 * levels, strings, one level of LIST of int64, dictionary pages with a fallback to PLAIN, data
 * pages v1 or v2, several pages and row groups, page checksums. Equal rows give equal bytes.
 */
#ifndef JR_FORMATS_PARQUET_WRITER_H
#define JR_FORMATS_PARQUET_WRITER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"
#include "formats/parquet/parquet_parts.h"

enum jr_pq_put {
	JR_PQ_PUT_INT64,
	JR_PQ_PUT_INT32,
	JR_PQ_PUT_DOUBLE,
	JR_PQ_PUT_TEXT,
	JR_PQ_PUT_INT64_LIST
};

/* One column; only the array for `type` is read. All borrowed. */
struct jr_pq_put_column {
	const char *name;
	enum jr_pq_put type;
	const int64_t *i64;          /* INT64, INT32: [n_rows]; INT64_LIST: the elements */
	const double *f64;           /* [n_rows] */
	const struct jr_bytes *text; /* [n_rows], any bytes */
	const uint64_t *list_begin;  /* [n_rows + 1]: elements of row i are [begin[i], begin[i + 1]) */
	const uint8_t *valid;        /* [n_rows] 0/1; NULL = no nulls */
	bool no_dictionary;          /* PLAIN from the start */
};

struct jr_pq_put_options {
	enum jr_pq_codec codec; /* must pass jr_pq_codec_check() */
	int page_version;       /* 1 or 2 */
	size_t rows_per_group;  /* 0: 1 Mi */
	size_t rows_per_page;   /* at most; 0: page_bytes alone ends a page */
	uint64_t page_bytes;    /* a page ends with the row that makes it this large; 0: 1 MiB */
	/* One row may exceed page_bytes. A page beyond this limit makes the file fail; 0: 2^31 - 1, the
	 * most that a header can state. */
	uint64_t most_page_bytes;
	size_t dictionary_bytes; /* entries beyond this are written PLAIN; 0: 1 MiB, as in Arrow */
	bool no_checksum;
	/* Name and version of the writer, for created_by and for the key `pandas`; NULL: neither is
	 * written. */
	const char *library, *version;
	size_t n_index;   /* the last n_index columns are pandas' index; 0: rows are numbered */
	size_t n_levels;  /* levels of pandas' column names; 0 means 1 */
	size_t n_threads; /* columns are packed in parallel; 0 means 1 */
};

/* The footer's facts about a written column chunk. */
struct jr_pq_put_chunk {
	int64_t n_values, raw_bytes, packed_bytes;
	int64_t data_offset, dictionary_offset; /* dictionary_offset -1 = none */
	bool has_plain_pages;
};

/* A file that is being written. */
struct jr_parquet_out {
	struct jr_buf *out;
	size_t begin;         /* start of the file in `out` */
	uint64_t taken_bytes; /* bytes removed by jr_parquet_out_take() */
	bool is_taken;        /* the content of `out` is dropped at the next call */
	const struct jr_pq_put_options *options;
	JR_VEC(struct jr_pq_put_chunk) chunks;
	JR_VEC(size_t) group_rows;
	uint64_t n_rows;
	enum jr_status status; /* the first failure; all later calls return it */
	struct jr_error err;
};

/**
 * Begin a file in pieces: begin, rows any number of times, end, all with the same columns. Values
 * are packed immediately, so memory is needed for one piece and the packed file. Each piece begins
 * a row group, whose columns are packed on options->n_threads threads. After a failure `out` is
 * unusable.
 *
 * @param out  borrowed until the end; the file is appended
 * @param options  borrowed until the end
 */
void jr_parquet_out_begin(
	struct jr_parquet_out *w, struct jr_buf *out, const struct jr_pq_put_options *options);
/** Append rows. O(bytes of the rows). @return JR_ELIMIT a page, a piece or a number of an INT32
 * column does not fit 32 bits; JR_EIO a compressor fails */
enum jr_status jr_parquet_out_rows(struct jr_parquet_out *w, const struct jr_pq_put_column *columns,
	size_t n_columns, size_t n_rows, struct jr_error *err);
/** Return the part of the file in `out`, for callers that write it while it grows. It is removed
 * from `out` at the next call that adds rows or ends the file. */
struct jr_bytes jr_parquet_out_take(struct jr_parquet_out *w);
/** Free the memory of `w` if the file is not completed. */
void jr_parquet_out_drop(struct jr_parquet_out *w);
/** Append the footer; only names and types of `columns` are read. Frees the memory of `w`. @return
 * the first failure of any piece; JR_ELIMIT a footer beyond 2^31 - 1 bytes */
enum jr_status jr_parquet_out_end(struct jr_parquet_out *w, const struct jr_pq_put_column *columns,
	size_t n_columns, struct jr_error *err) JR_MUST_CHECK;

/** Append a whole file to `out`: begin, rows and end in one call. */
enum jr_status jr_parquet_write(struct jr_buf *out, const struct jr_pq_put_column *columns,
	size_t n_columns, size_t n_rows, const struct jr_pq_put_options *options, struct jr_error *err)
	JR_MUST_CHECK;

/** Append the JSON text of the key `pandas` for a file with n_rows rows and these columns; only
 * names and types are read. NVIDIA's loader of nsys-jax archives reads no file without it.
 * options->library and version must be set. */
void jr_pandas_key(struct jr_buf *out, const struct jr_pq_put_column *columns, size_t n_columns,
	uint64_t n_rows, const struct jr_pq_put_options *options);

/** Append the metadata of the columns and of the row groups so far to w->out; the caller adds its
 * length and the magic bytes. Lists are no longer than the number of row groups or columns, which
 * every header field can state. */
void jr_pq_put_footer(
	const struct jr_parquet_out *w, const struct jr_pq_put_column *columns, size_t n_columns);

#endif
