/*
 * compact.h - tables of numbers, texts and bytes in a compact form, for xz to compress.
 * Layer: formats.  Thread use: free.  The form: formats/README.md, section 12.
 *
 * One description of a table (struct jr_compact_table) drives the writer and the reader. The reader
 * checks each value as its column says, so that callers may use values as row numbers.
 */
#ifndef JR_FORMATS_COMPACT_H
#define JR_FORMATS_COMPACT_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/reader.h"

enum jr_compact_type {
	JR_COMPACT_U8,
	JR_COMPACT_I32,
	JR_COMPACT_U32,
	JR_COMPACT_I64,
	JR_COMPACT_U64
};

/* The number that is stored for a value. */
enum jr_compact_coding {
	JR_COMPACT_PLAIN, /* the value */
	JR_COMPACT_STEP,  /* its difference to the value in the row before */
	JR_COMPACT_SINCE, /* ... to the column before */
	JR_COMPACT_REST,  /* ... to what remains of the three columns before: end - start - child */
	/* In bits: the starts of ranges, and their ends in the column that follows. The column before
	 * has their kinds, which are checked with JR_COMPACT_BELOW. */
	JR_COMPACT_START,
	JR_COMPACT_END,
};

/* Which values are valid. */
enum jr_compact_check {
	JR_COMPACT_ANY,
	JR_COMPACT_FLAG,          /* 0 or 1 */
	JR_COMPACT_TIME,          /* at most JR_TIME_MAX_NS from 0 */
	JR_COMPACT_TIME_OR_MAX,   /* ... or INT64_MAX */
	JR_COMPACT_BELOW,         /* unsigned, below `below` */
	JR_COMPACT_BELOW_OR_NONE, /* ... or JR_NONE */
};

/* Values of `below` from here on are not bounds, but numbers of a bound in jr_expanding.bounds. */
#define JR_COMPACT_BOUND(i) (UINT64_MAX - (i))
#define JR_COMPACT_BOUNDS 4

struct jr_compact_column {
	const char *name;
	size_t at;      /* of the field in the row, or of the pointer to the values */
	uint64_t below; /* of JR_COMPACT_BELOW */
	uint8_t type, coding, check;
	bool optional; /* the pointer may be NULL: then the column is absent */
};

struct jr_compact_table {
	const char *name; /* for messages */
	size_t row_bytes; /* of an array of structs; 0: a struct of arrays */
	size_t n_columns;
	const struct jr_compact_column *columns;
};

/* clang-format off */
#define JR_COMPACT_TYPE(value)                                                                     \
	_Generic((value), bool: JR_COMPACT_U8, char: JR_COMPACT_U8, uint8_t: JR_COMPACT_U8,            \
		int32_t: JR_COMPACT_I32, uint32_t: JR_COMPACT_U32, int64_t: JR_COMPACT_I64,                \
		uint64_t: JR_COMPACT_U64)
/* clang-format on */
/* A column of an array of structs T, and of a struct of arrays T. */
#define JR_COMPACT_FIELD(T, field, coding_, check_, below_)                                        \
	{                                                                                              \
		.name = #field, .at = offsetof(T, field), .type = JR_COMPACT_TYPE(((T *)0)->field),        \
		.coding = (coding_), .check = (check_), .below = (below_)                                  \
	}
#define JR_COMPACT_ARRAY(T, field, coding_, check_, below_, optional_)                             \
	{                                                                                              \
		.name = #field, .at = offsetof(T, field), .type = JR_COMPACT_TYPE(*((T *)0)->field),       \
		.coding = (coding_), .check = (check_), .below = (below_), .optional = (optional_)         \
	}

/* --- writing --------------------------------------------------------------------------------- */

void jr_compact_bytes(struct jr_buf *out, struct jr_bytes bytes);
void jr_compact_text(struct jr_buf *out, const char *text);
/** Append all strings but "", in order of their ids. */
void jr_compact_strings(struct jr_buf *out, const struct jr_intern *strings);
/**
 * Append a table.
 *
 * @param bits  what xz cannot make smaller: for columns with JR_COMPACT_START; else may be NULL
 * @param rows  [n] rows, or the struct with the arrays
 * @note O(values)
 */
void jr_compact_table(struct jr_buf *out, struct jr_buf *bits, const struct jr_compact_table *table,
	const void *rows, size_t n);

/* --- reading --------------------------------------------------------------------------------- */

struct jr_expanding {
	struct jr_reader in, bits;
	const struct jr_limits *limits;
	struct jr_arena *arena;             /* for what is read */
	uint64_t bounds[JR_COMPACT_BOUNDS]; /* set before the tables that refer to them */
};

/* All return JR_EFORMAT if the bytes are cut short or a value is not valid, and JR_ELIMIT for too
 * many rows, a too long text or not enough memory. */
enum jr_status jr_expand_number(
	struct jr_expanding *in, uint64_t below, uint64_t *value, struct jr_error *err) JR_MUST_CHECK;
/** Return a view of bytes; it borrows the input. */
enum jr_status jr_expand_bytes(
	struct jr_expanding *in, struct jr_bytes *bytes, struct jr_error *err) JR_MUST_CHECK;
/** Return a text in the arena. @param clean  it must be clean; else it may be any bytes */
enum jr_status jr_expand_text(
	struct jr_expanding *in, bool clean, const char **text, struct jr_error *err) JR_MUST_CHECK;
/** Read strings into an initialized, empty table: ids are those of the writer.
 * @param clean  each text must be clean */
enum jr_status jr_expand_strings(struct jr_expanding *in, bool clean, struct jr_intern *strings,
	struct jr_error *err) JR_MUST_CHECK;
/**
 * Read a table.
 *
 * @param rows  an array of structs: out, a `void **` set to [n + 1] rows. A struct of arrays: its
 *              pointers are set, NULL for an absent column.
 * @note Each row takes at least one byte, so no count is larger than the input.
 */
enum jr_status jr_expand_table(struct jr_expanding *in, const struct jr_compact_table *table,
	void *rows, size_t *n, struct jr_error *err) JR_MUST_CHECK;
/** Read a table of one row into an existing struct. */
enum jr_status jr_expand_row(struct jr_expanding *in, const struct jr_compact_table *table,
	void *row, struct jr_error *err) JR_MUST_CHECK;
/** Check that nothing follows. */
enum jr_status jr_expand_end(const struct jr_expanding *in, struct jr_error *err) JR_MUST_CHECK;

#endif
