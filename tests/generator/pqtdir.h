/*
 * pqtdir.h - the tables of a database as Parquet files, as `nsys export --type parquetdir` writes
 * them (formats/README.md, section 3.6).
 */
#ifndef GEN_PQTDIR_H
#define GEN_PQTDIR_H

#include "archive_writer.h"
#include "formats/parquet/parquet_writer.h"

struct sqlite3;

/** Add TABLE.parquet for each table that has rows. Columns are INTEGER, TEXT or REAL. Without a
 * size in `options`, row groups have as many rows as those of nsys. */
enum jr_status gen_pack_tables(struct sqlite3 *db, const struct jr_pq_put_options *options,
	struct gen_archive *archive, struct jr_error *err) JR_MUST_CHECK;

#endif
