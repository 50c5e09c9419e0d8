/*
 * parquet_writer.h - writer of Apache Parquet files, row group by row group.
 * Layer: formats.  Format facts: github.com/apache/parquet-format (parquet.thrift, Encodings.md);
 * the key `pandas`: pandas_key.h.
 *
 * Writes what pandas and Arrow write for flat tables: optional columns with definition levels,
 * strings, one level of LIST of int64, dictionary pages with a fall back to PLAIN, data pages v1 or
 * v2, several pages and row groups, page checksums. The same rows give the same bytes.
 */
#ifndef JR_FORMATS_PARQUET_WRITER_H
#define JR_FORMATS_PARQUET_WRITER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"
#include "formats/parquet/parquet_codec.h"

enum jr_pq_put {
	JR_PQ_PUT_INT64,
	JR_PQ_PUT_INT32,
	JR_PQ_PUT_DOUBLE,
	JR_PQ_PUT_TEXT,
	JR_PQ_PUT_INT64_LIST
};

/* One column; exactly the array that `type` names is read. All borrowed. */
struct jr_pq_put_column {
	const char *name;
	enum jr_pq_put type;
	const int64_t *i64;          /* INT64, INT32: [n_rows]; INT64_LIST: the elements */
	const double *f64;           /* [n_rows] */
	const struct jr_bytes *text; /* [n_rows], any bytes */
	const uint64_t *list_begin;  /* [n_rows + 1]: elements of row i are [begin[i], begin[i + 1]) */
	const uint8_t *valid;        /* [n_rows] 0/1; NULL: no null */
	bool no_dictionary;          /* PLAIN from the start */
};

struct jr_pq_put_options {
	enum jr_pq_codec codec; /* one that jr_pq_codec_check() takes */
	int page_version;       /* 1 or 2 */
	size_t rows_per_group;  /* 0: 1 Mi */
	size_t rows_per_page;   /* at most; 0: page_bytes alone ends a page */
	uint64_t page_bytes;    /* a page ends with the row that makes it so large; 0: 1 MiB */
	/* One row may be larger than that. A page beyond this makes the file fail; 0: 2^31 - 1, the
	 * most that a header can state. */
	uint64_t most_page_bytes;
	size_t dictionary_bytes; /* entries beyond this are written PLAIN; 0: 1 MiB, as Arrow does */
	bool no_checksum;
	/* Who writes, for created_by and for the key `pandas`; NULL: neither is written. */
	const char *library, *version;
	size_t n_index;   /* the last so many columns are pandas' index; 0: rows are numbered */
	size_t n_levels;  /* of column names, for pandas; 0 is 1 */
	size_t n_threads; /* that pack columns at the same time; 0 is 1 */
};

/* What the footer says of a written column chunk. */
struct jr_pq_put_chunk {
	int64_t n_values, raw_bytes, packed_bytes;
	int64_t data_offset, dictionary_offset; /* dictionary_offset -1: none */
	bool has_plain_pages;
};

/* A file under way. */
struct jr_parquet_out {
	struct jr_buf *out;
	size_t begin;         /* where the file starts in `out` */
	uint64_t taken_bytes; /* of it, jr_parquet_out_take() */
	bool is_taken;        /* what is there is gone when more comes */
	const struct jr_pq_put_options *options;
	JR_VEC(struct jr_pq_put_chunk) chunks;
	JR_VEC(size_t) group_rows;
	uint64_t n_rows;
	enum jr_status status; /* the first failure, which each call from then on returns */
	struct jr_error err;
};

/**
 * A file in pieces: begin, rows as often as wanted, end, all with the same columns. Values are
 * packed when they are handed over, so that memory is that of one piece and of the packed file.
 * Each piece begins a row group, whose columns are packed on options->n_threads threads. What is
 * in `out` after a failure is of no use.
 *
 * @param out  borrowed until the end; the file is appended
 * @param options  borrowed until the end
 */
void jr_parquet_out_begin(
	struct jr_parquet_out *w, struct jr_buf *out, const struct jr_pq_put_options *options);
/** O(bytes of the rows). @return JR_ELIMIT a page, a piece or a number of an INT32 column beyond
 * what 32 bits can state; JR_EIO a compressor fails */
enum jr_status jr_parquet_out_rows(struct jr_parquet_out *w, const struct jr_pq_put_column *columns,
	size_t n_columns, size_t n_rows, struct jr_error *err);
/** What `out` has of the file so far, for whoever writes it as it grows; it is gone from `out` when
 * rows are put again, or the end. */
struct jr_bytes jr_parquet_out_take(struct jr_parquet_out *w);
/** Frees what `w` has; for a file that comes to no end. */
void jr_parquet_out_drop(struct jr_parquet_out *w);
/** The footer; of `columns` names and types are read. Frees what `w` has. @return the first failure
 * of any piece; JR_ELIMIT a footer beyond 2^31 - 1 bytes */
enum jr_status jr_parquet_out_end(struct jr_parquet_out *w, const struct jr_pq_put_column *columns,
	size_t n_columns, struct jr_error *err) JR_MUST_CHECK;

/** Append a whole file to `out`: the three above at once. */
enum jr_status jr_parquet_write(struct jr_buf *out, const struct jr_pq_put_column *columns,
	size_t n_columns, size_t n_rows, const struct jr_pq_put_options *options, struct jr_error *err)
	JR_MUST_CHECK;

#endif
