/*
 * parquet_pages.h - page headers, page bodies and levels. Internal to parquet*.c.
 * Layer: formats.  Format facts: parquet.thrift (PageHeader and below), Encodings.md.
 */
#ifndef JR_FORMATS_PARQUET_PAGES_H
#define JR_FORMATS_PARQUET_PAGES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/reader.h"
#include "formats/parquet/parquet_parts.h"

enum jr_pq_encoding {
	JR_PQ_PLAIN = 0,
	JR_PQ_PLAIN_DICTIONARY = 2,
	JR_PQ_RLE = 3,
	JR_PQ_BIT_PACKED = 4,
	JR_PQ_DELTA_BINARY_PACKED = 5,
	JR_PQ_DELTA_LENGTH_BYTE_ARRAY = 6,
	JR_PQ_DELTA_BYTE_ARRAY = 7,
	JR_PQ_RLE_DICTIONARY = 8,
	JR_PQ_BYTE_STREAM_SPLIT = 9,
};

enum jr_pq_page_type {
	JR_PQ_DATA_PAGE = 0,
	JR_PQ_INDEX_PAGE = 1,
	JR_PQ_DICTIONARY_PAGE = 2,
	JR_PQ_DATA_PAGE_V2 = 3,
};

struct jr_pq_page {
	enum jr_pq_page_type type;
	uint64_t offset;       /* of the header within the file, for messages */
	struct jr_bytes bytes; /* as stored in the file */
	uint32_t size_bytes;   /* decompressed, within limits */
	uint32_t n_values;     /* including nulls and empty lists */
	int32_t encoding;
	int32_t def_encoding, rep_encoding; /* v1 */
	uint32_t n_nulls, n_rows;           /* v2 */
	uint32_t def_bytes, rep_bytes;      /* v2 */
	bool is_compressed;                 /* false only for some v2 pages */
	bool has_crc;
	uint32_t crc;
};

/* The parts of a page. */
struct jr_pq_body {
	struct jr_bytes rep, def; /* without length prefix; empty if the column has none */
	struct jr_bytes values;
};

/**
 * Parse the header at the cursor and skip the page.
 *
 * @param in    cursor over the chunk
 * @param base  offset of the chunk within the file
 * @return JR_EFORMAT damaged header, page longer than the chunk; JR_ELIMIT decompressed size
 */
enum jr_status jr_pq_page_next(struct jr_reader *in, uint64_t base, const struct jr_limits *limits,
	struct jr_pq_page *page, struct jr_error *err) JR_MUST_CHECK;

/**
 * Check the CRC if present, decompress, and split into parts.
 *
 * @param max_def, max_rep  levels of the column; 0 for a dictionary page
 * @param arena    memory for decompressed bytes that must stay; NULL: use `scratch`
 * @param scratch  overwritten; `body` points into it, into the file or into the arena
 */
enum jr_status jr_pq_page_open(const struct jr_pq_page *page, enum jr_pq_codec codec,
	unsigned max_def, unsigned max_rep, struct jr_arena *arena, struct jr_buf *scratch,
	struct jr_pq_body *body, struct jr_error *err) JR_MUST_CHECK;

/**
 * Decode n definition or repetition levels.
 *
 * @param bytes     of jr_pq_body
 * @param encoding  JR_PQ_RLE or JR_PQ_BIT_PACKED; v2 pages: JR_PQ_RLE
 * @param max       1..255; a higher level is JR_EFORMAT
 * @param out       [n]
 */
enum jr_status jr_pq_levels(struct jr_bytes bytes, int32_t encoding, unsigned max, uint32_t n,
	uint8_t *out, struct jr_error *err) JR_MUST_CHECK;

#endif
