/*
 * parquet_footer_writer.h - write the footer of a Parquet file. Internal to parquet_writer.c.
 * Layer: formats.  Format facts: parquet.thrift (FileMetaData and below).
 */
#ifndef JR_FORMATS_PARQUET_FOOTER_WRITER_H
#define JR_FORMATS_PARQUET_FOOTER_WRITER_H

#include "formats/parquet/parquet_writer.h"

/** Append the metadata of the columns and of the row groups so far to w->out; the caller adds its
 * length and the magic bytes. Lists are no longer than the number of row groups or columns, which
 * every header field can state. */
void jr_pq_put_footer(
	const struct jr_parquet_out *w, const struct jr_pq_put_column *columns, size_t n_columns);

#endif
