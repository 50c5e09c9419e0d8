/*
 * pandas_key.h - the key `pandas` of a Parquet footer, from which readers make a frame's index.
 * Layer: formats.  Format facts: pandas' developer documentation, "Storing pandas DataFrame objects
 * in Apache Parquet format"; NVIDIA's loader of nsys-jax archives does not read a file without it.
 */
#ifndef JR_FORMATS_PANDAS_KEY_H
#define JR_FORMATS_PANDAS_KEY_H

#include "formats/parquet/parquet_writer.h"

/** Append the JSON text for a file of these columns, of which names and types are read, and of
 * n_rows rows; options->library and version are there. */
void jr_pandas_key(struct jr_buf *out, const struct jr_pq_put_column *columns, size_t n_columns,
	uint64_t n_rows, const struct jr_pq_put_options *options);

#endif
