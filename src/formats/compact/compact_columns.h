/*
 * compact_columns.h - short forms for descriptions of tables (compact.h). Files that include it
 * define T, the type of a row or of the struct of arrays, before each description.
 * Layer: formats.
 */
#ifndef JR_FORMATS_COMPACT_COLUMNS_H
#define JR_FORMATS_COMPACT_COLUMNS_H

#include "base/cleanup.h"
#include "formats/compact/compact.h"

/* A table of rows: an array of structs T. FIELD(field, coding, check, below) */
#define FIELD(field, coding, check, below)                                                         \
	JR_COMPACT_FIELD(T, field, JR_COMPACT_##coding, JR_COMPACT_##check, below)
#define NUMBER(field) FIELD(field, PLAIN, ANY, 0)
#define FLAG(field) FIELD(field, PLAIN, FLAG, 0)
/* A size or count that fits int64. */
#define SIZE(field) FIELD(field, PLAIN, BELOW, UINT64_C(1) << 63)
/* A row of another table. */
#define ROW(field, bound) FIELD(field, PLAIN, BELOW, JR_COMPACT_BOUND(bound))
#define START_AND_END FIELD(start_ns, STEP, TIME, 0), FIELD(end_ns, SINCE, TIME, 0)
/* A table of columns: a struct of arrays T. ARRAY(field, coding, check, below, optional) */
#define ARRAY(field, coding, check, below, optional)                                               \
	JR_COMPACT_ARRAY(T, field, JR_COMPACT_##coding, JR_COMPACT_##check, below, optional)
#define ROW_ARRAY(field, bound) ARRAY(field, PLAIN, BELOW, JR_COMPACT_BOUND(bound), false)

#define ROWS_TABLE(symbol, name_, columns_)                                                        \
	const struct jr_compact_table symbol = {.name = (name_),                                       \
		.row_bytes = sizeof(T),                                                                    \
		.n_columns = JR_COUNT_OF(columns_),                                                        \
		.columns = (columns_)}
#define ARRAYS_TABLE(symbol, name_, columns_)                                                      \
	const struct jr_compact_table symbol = {                                                       \
		.name = (name_), .n_columns = JR_COUNT_OF(columns_), .columns = (columns_)}

#endif
