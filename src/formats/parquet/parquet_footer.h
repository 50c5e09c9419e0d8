/*
 * parquet_footer.h - read Parquet's file metadata from Thrift into tables. Internal to parquet*.c.
 * Layer: formats.  Format facts: parquet.thrift (FileMetaData and below).
 */
#ifndef JR_FORMATS_PARQUET_FOOTER_H
#define JR_FORMATS_PARQUET_FOOTER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"

enum jr_pq_repetition {
	JR_PQ_REQUIRED = 0,
	JR_PQ_OPTIONAL = 1,
	JR_PQ_REPEATED = 2,
};

/* One node of the schema; the tree is stored in preorder. */
struct jr_pq_element {
	const char *name;
	int32_t type; /* enum jr_parquet_type, -1: a group */
	uint32_t type_length;
	enum jr_pq_repetition repetition;
	uint32_t n_children;
	bool is_list; /* annotated LIST */
};

/* Position of the pages of one column in one row group. */
struct jr_pq_chunk {
	uint64_t begin, size_bytes; /* within the file, with the dictionary page; not checked yet */
	uint64_t n_values;          /* including nulls and empty lists */
	uint64_t path_hash;         /* jr_pq_path_hash() over the parts of its path */
	int32_t type, codec;
	bool encrypted, external; /* cannot be read here */
};

struct jr_pq_row_group {
	uint64_t n_rows;
	uint32_t n_chunks;
	struct jr_pq_chunk *chunks;
};

struct jr_pq_footer {
	uint64_t n_rows;
	uint64_t data_end; /* start of the footer: pages end before it */
	uint32_t n_elements, n_groups;
	struct jr_pq_element *elements;
	struct jr_pq_row_group *groups;
	const char *created_by;
};

/** Hash a path, one part per call; begin with `parent` 0. */
uint64_t jr_pq_path_hash(uint64_t parent, struct jr_bytes part);

/**
 * Find and parse the footer.
 *
 * @return JR_EFORMAT not a Parquet file, or damaged metadata; JR_EUNSUPPORTED encrypted; JR_ELIMIT
 *         the arena's limit
 */
enum jr_status jr_pq_footer_read(struct jr_bytes file, struct jr_arena *arena,
	struct jr_pq_footer *footer, struct jr_error *err) JR_MUST_CHECK;

#endif
