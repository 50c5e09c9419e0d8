/*
 * parquet_writer.h - a small writer of Apache Parquet files, for sample archives only.
 * Format facts: github.com/apache/parquet-format (parquet.thrift, Encodings.md).
 *
 * Writes what pandas and Arrow write for flat tables: optional columns with definition levels,
 * strings, one level of LIST of int64, dictionary pages with a fall back to PLAIN, data pages v1 or
 * v2, several pages and row groups, page checksums.
 */
#ifndef GEN_PARQUET_WRITER_H
#define GEN_PARQUET_WRITER_H

#include <stdbool.h>

#include "base/buf.h"

enum gen_pq_type { GEN_PQ_INT64, GEN_PQ_INT32, GEN_PQ_DOUBLE, GEN_PQ_TEXT, GEN_PQ_INT64_LIST };

/* Numbered as in parquet.thrift, enum CompressionCodec. */
enum gen_pq_codec { GEN_PQ_PLAIN = 0, GEN_PQ_SNAPPY = 1, GEN_PQ_GZIP = 2, GEN_PQ_ZSTD = 6 };

/* One column; exactly the array that `type` names is read. All borrowed. */
struct gen_pq_column {
	const char *name;
	enum gen_pq_type type;
	const int64_t *i64;			 /* INT64, INT32: [n_rows]; INT64_LIST: the elements */
	const double *f64;			 /* [n_rows] */
	const struct jr_bytes *text; /* [n_rows], any bytes */
	const uint64_t *list_begin;	 /* [n_rows + 1]: elements of row i are [begin[i], begin[i + 1]) */
	const uint8_t *valid;		 /* [n_rows] 0/1; NULL: no null */
	bool no_dictionary;			 /* PLAIN from the start */
};

struct gen_pq_options {
	enum gen_pq_codec codec;
	int page_version;		 /* 1 or 2 */
	size_t rows_per_group;	 /* 0: all rows in one */
	size_t rows_per_page;	 /* 0: one page a column chunk */
	size_t dictionary_bytes; /* entries beyond this are written PLAIN; 0: 1 MiB, as Arrow does */
	bool no_checksum;
};

/** Append the whole file to `out`. O(rows); fails only for want of memory (jr_oom()). */
void gen_parquet_write(struct jr_buf *out, const struct gen_pq_column *columns, size_t n_columns,
	size_t n_rows, const struct gen_pq_options *options);

#endif
