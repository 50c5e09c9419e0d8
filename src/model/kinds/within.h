/*
 * within.h - what a folder or zip contains if it is not a profile of nsys-jax.
 * Layer: model, private to kinds of inputs; combine.c asks for tables.
 */
#ifndef JR_MODEL_WITHIN_H
#define JR_MODEL_WITHIN_H

#include "model/sources/opening.h"

/** Return whether an archive contains dumps of optimized modules, and no file of a profile.
 * O(members)
 */
bool jr_dumps_within(const struct jr_archive *archive);
extern const struct jr_input_ops jr_input_hlo_dump;

/** Return whether an archive contains tables of an export of nsys, and no file of nsys-jax.
 * O(members) */
bool jr_tables_within(const struct jr_archive *archive);
/** Read the compile ranges of these tables, as `read_host` of a kind. */
enum jr_status jr_tables_read_host(struct jr_archive *archive, const char *path,
	const struct jr_host_listener *to, struct jr_error *err) JR_MUST_CHECK;
extern const struct jr_input_ops jr_input_nsys_parquet;

#endif
