/*
 * pandas_key.h - the key `pandas` of a Parquet footer, which defines the index of a DataFrame.
 * Layer: formats.  Format facts: pandas' developer documentation, "Storing pandas DataFrame objects
 * in Apache Parquet format"; NVIDIA's loader of nsys-jax archives does not read a file without it.
 */
#ifndef JR_FORMATS_PANDAS_KEY_H
#define JR_FORMATS_PANDAS_KEY_H

#include "formats/parquet/parquet_writer.h"

/** Append the JSON text for a file with n_rows rows and these columns; only names and types are
 * read. options->library and version must be set. */
void jr_pandas_key(struct jr_buf *out, const struct jr_pq_put_column *columns, size_t n_columns,
	uint64_t n_rows, const struct jr_pq_put_options *options);

#endif
