/*
 * keys.h - define the columns of a table as one list, with symbols for their keys.
 * Layer: analysis.
 *
 * A list contains the columns in order, with the fields of struct jr_column_spec: the type without
 * JR_, the unit without JR_UNIT_, and the flags unless there are none. X##_IN is for a key that is
 * nested with a dot:
 *
 *   #define COLUMNS(X, T)                               \
 *       X(T, sum_ms, "Sum", "all their time", I64, NS)  \
 *       X##_IN(T, source, file, "File", "…", TEXT, NONE)
 *   JR_TABLE(spec, COL, COLUMNS, "sums", "sums", "Sums", "One row per file");
 *
 * This defines the indexes COL_sum_ms and COL_source_file, and `spec` with the keys "sum_ms" and
 * "source.file". Code that reads a column by its index or by JR_KEY() does not compile after the
 * key is renamed. A list that other files read is in the ROOM_tables.h of its room, with
 * JR_KEYS_READ(); the file that fills the table has JR_TABLE_OF(), or JR_COLUMNS_OF() if several
 * tables have these columns.
 */
#ifndef JR_ANALYSIS_KEYS_H
#define JR_ANALYSIS_KEYS_H

#include "analysis/core/result.h"

#define JR_KEY_INDEX(table, key, ...) table##_##key,
#define JR_KEY_INDEX_IN(table, outer, key, ...) table##_##outer##_##key,
#define JR_KEY_SPEC(table, key, ...) {#key, JR_KEY_FIELDS(__VA_ARGS__, 0, 0)},
#define JR_KEY_SPEC_IN(table, outer, key, ...) {#outer "." #key, JR_KEY_FIELDS(__VA_ARGS__, 0, 0)},
#define JR_KEY_FIELDS(title, help, type, unit, flags, ...)                                         \
	title, help, JR_##type, JR_UNIT_##unit, flags
#define JR_KEY_TYPE(table, key, ...) JR_KEY_TYPE_OF(table##_##key, __VA_ARGS__, 0)
#define JR_KEY_TYPE_OF(column, title, help, type, unit, ...)                                       \
	column##_TYPE = JR_##type, column##_UNIT = JR_UNIT_##unit,
#define JR_KEY_TYPE_IN(table, outer, key, ...) JR_KEY_TYPE(table, outer##_##key, __VA_ARGS__)

/** Define the indexes of the columns of a list: TABLE_KEY. */
#define JR_KEYS(table, list) enum { list(JR_KEY_INDEX, table) }
/** Define the same indexes, and TABLE_KEY_TYPE and TABLE_KEY_UNIT of each for code that copies
 * columns. */
#define JR_KEYS_READ(table, list)                                                                  \
	JR_KEYS(table, list);                                                                          \
	enum { list(JR_KEY_TYPE, table) }
/** Define the column descriptions of a list; JR_COLUMNS() also defines their indexes. */
#define JR_COLUMNS_OF(name, list) static const struct jr_column_spec name[] = {list(JR_KEY_SPEC, )}
#define JR_COLUMNS(name, table, list)                                                              \
	JR_KEYS(table, list);                                                                          \
	JR_COLUMNS_OF(name, list)

/** Define the static description of a table, and its columns, which are a list of keys.h. The last
 * arguments are the help and further fields. JR_TABLE() also defines the indexes of the columns. */
#define JR_TABLE_OF(spec, list, id, path, heading, ...)                                            \
	JR_COLUMNS_OF(spec##_columns, list);                                                           \
	static const struct jr_table_spec spec = {.name = (id),                                        \
		.json = (path),                                                                            \
		.title = (heading),                                                                        \
		.n_columns = JR_COUNT_OF(spec##_columns),                                                  \
		.columns = spec##_columns,                                                                 \
		.help = __VA_ARGS__}
#define JR_TABLE(spec, table, list, ...)                                                           \
	JR_KEYS(table, list);                                                                          \
	JR_TABLE_OF(spec, list, __VA_ARGS__)
/* Designated initializers for a description of columns that several tables have. */
#define JR_TABLE_SPEC(id, path, heading, text, cols)                                               \
	.name = (id), .json = (path), .title = (heading), .help = (text),                              \
	.n_columns = JR_COUNT_OF(cols), .columns = (cols)

/** Expand to "sum_ms" if the list of `table` has that key. A constant expression. */
#define JR_KEY(table, key) JR_KEY_TEXT(#key, table##_##key)
#define JR_KEY_IN(table, outer, key) JR_KEY_TEXT(#outer "." #key, table##_##outer##_##key)
#define JR_KEY_TEXT(text, symbol) (&(text)[0 * (size_t)(symbol)])

/** Expand to "modules" or "gpu.ledger", the path in report.json of a table that others read. It
 * requires an enumerator JR_AT_modules or JR_AT_gpu_ledger, which is defined next to the list. A
 * constant expression. */
#define JR_AT(path) JR_KEY_TEXT(#path, JR_AT_##path)
#define JR_AT_IN(outer, path) JR_KEY_TEXT(#outer "." #path, JR_AT_##outer##_##path)

#endif
