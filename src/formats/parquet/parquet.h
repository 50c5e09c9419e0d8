/*
 * parquet.h - strict, bounded reader of Apache Parquet files held in memory.
 * Layer: formats.  Format facts: github.com/apache/parquet-format (Thrift IDL, Encodings.md).
 *
 * Reads: data pages v1 and v2; PLAIN, RLE, BIT_PACKED levels, RLE_DICTIONARY, PLAIN_DICTIONARY,
 * DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, BYTE_STREAM_SPLIT; UNCOMPRESSED,
 * SNAPPY, GZIP, ZSTD; all physical types but INT96; required and optional columns at the top level,
 * and one level of LIST of a primitive. Page CRC-32 is verified where present. Everything else is
 * JR_EUNSUPPORTED, per column: other columns of the same file stay readable.
 */
#ifndef JR_FORMATS_PARQUET_H
#define JR_FORMATS_PARQUET_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"

/* Numbered as in the format (parquet.thrift, enum Type). */
enum jr_parquet_type {
	JR_PQ_BOOLEAN = 0,
	JR_PQ_INT32 = 1,
	JR_PQ_INT64 = 2,
	JR_PQ_INT96 = 3,
	JR_PQ_FLOAT = 4,
	JR_PQ_DOUBLE = 5,
	JR_PQ_BYTE_ARRAY = 6,
	JR_PQ_FIXED_LEN_BYTE_ARRAY = 7,
};

struct jr_parquet_column {
	const char *name; /* dotted path of the leaf; of a top-level or LIST column its first part */
	const char *path; /* full dotted path */
	enum jr_parquet_type type;
	uint32_t type_length; /* FIXED_LEN_BYTE_ARRAY: bytes of one value */
	bool is_list;         /* one level of LIST of a primitive */
	bool readable;        /* false: the nesting or type is not supported */
	uint8_t max_def, max_rep;
};

struct jr_parquet {
	struct jr_bytes file;
	uint64_t n_rows;
	uint32_t n_groups;
	size_t n_columns;
	struct jr_parquet_column *columns;
	const char *created_by; /* "" if absent */
	struct jr_parquet_impl *impl;
};

/* Row groups [begin, end). */
struct jr_parquet_groups {
	uint32_t begin, end;
};

/* A decoded column: rows of all requested row groups in order. Exactly one value array is set, by
 * type. Strings (BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY) are indexes into a dictionary of views (into
 * arena or file), so that a caller interns each entry once. Entries may repeat: each row group has
 * its own dictionary, and PLAIN pages add one entry per value. */
struct jr_parquet_values {
	enum jr_parquet_type type;
	uint64_t n_rows;
	uint64_t n_values;    /* number of elements of a list column; else n_rows */
	const uint8_t *valid; /* [n_values] 0/1, NULL = all valid; invalid values read as 0 */
	const uint8_t *boolean;
	const int32_t *int32;
	const int64_t *int64;
	const float *float32;
	const double *float64;
	const uint32_t *string; /* [n_values] index into dictionary; 0xFFFFFFFF if invalid */
	struct jr_bytes *dictionary;
	uint32_t n_dictionary;
	/* LIST only: the elements of row i are [list_begin[i], list_begin[i + 1]). A null list is empty
	 * and list_valid[i] is 0. */
	const uint64_t *list_begin; /* [n_rows + 1] */
	const uint8_t *list_valid;  /* [n_rows], NULL = all valid */
};

/* Bytes that jr_parquet_begins() needs. */
#define JR_PARQUET_HEAD_BYTES 4

/** Check whether a file of this size that begins with `head` may be Parquet; fails as
 * jr_parquet_open() does. */
enum jr_status jr_parquet_begins(struct jr_bytes head, uint64_t size_bytes, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Parse the footer and the schema. Reads no page.
 *
 * @param file   the whole file; borrowed as long as `pq` and values read from it are used
 * @param arena  owns all of `pq`'s tables
 * @return JR_EFORMAT not Parquet, damaged footer (offset in the message);
 *         JR_EUNSUPPORTED encrypted; JR_ELIMIT more rows, columns or depth than limits allow
 */
enum jr_status jr_parquet_open(struct jr_bytes file, const struct jr_limits *limits,
	struct jr_arena *arena, struct jr_parquet *pq, struct jr_error *err) JR_MUST_CHECK;
/** Return the column whose `name` or `path` equals `name`, or SIZE_MAX. */
size_t jr_parquet_find(const struct jr_parquet *pq, const char *name);
/**
 * Decode one column.
 *
 * @param values  out, set only on JR_OK; arrays live in `arena`, string views also point into the
 *                file
 * @return JR_EFORMAT damaged pages, counts that disagree, CRC mismatch; JR_EUNSUPPORTED codec,
 *         encoding, nesting or INT96; JR_ELIMIT page or column sizes beyond limits
 */
enum jr_status jr_parquet_read(const struct jr_parquet *pq, size_t column, struct jr_arena *arena,
	struct jr_parquet_values *values, struct jr_error *err) JR_MUST_CHECK;
/** Decode one column of some row groups, else as jr_parquet_read(). A file with many row groups is
 * read in parts this way, each with its own arena. */
enum jr_status jr_parquet_read_groups(const struct jr_parquet *pq, size_t column,
	struct jr_parquet_groups groups, struct jr_arena *arena, struct jr_parquet_values *values,
	struct jr_error *err) JR_MUST_CHECK;
/** Return the number of rows of a row group. */
uint64_t jr_parquet_group_rows(const struct jr_parquet *pq, uint32_t group);

#endif
