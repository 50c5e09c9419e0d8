/*
 * parquet_footer_writer.h - the footer of a Parquet file that is written. Internal to
 * parquet_writer.c.
 * Layer: formats.  Format facts: parquet.thrift (FileMetaData and below).
 */
#ifndef JR_FORMATS_PARQUET_FOOTER_WRITER_H
#define JR_FORMATS_PARQUET_FOOTER_WRITER_H

#include "formats/parquet/parquet_writer.h"

/** Append to w->out what the file's metadata says of its columns and of the row groups so far; its
 * length and the magic bytes are the caller's. Lists have at most as many elements as there are row
 * groups and columns: of these no header's field is too narrow. */
void jr_pq_put_footer(
	const struct jr_parquet_out *w, const struct jr_pq_put_column *columns, size_t n_columns);

#endif
