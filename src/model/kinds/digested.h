/*
 * digested.h - sources of a digest, for the kinds of inputs that have digests.
 * Layer: model, private to kinds of inputs.
 */
#ifndef JR_MODEL_DIGESTED_H
#define JR_MODEL_DIGESTED_H

#include "model/sources/opening.h"

/* Digests of archives: their tables are those of the source. */
extern const struct jr_digested_ops jr_digested_archive;

/** Begin a source of a type for a rank of a digest. */
void jr_digested_begin(struct jr_source *s, const struct jr_source_type *type, uint32_t input,
	const char *name, const struct jr_limits *limits, const struct jr_digest *digest, size_t rank);
/**
 * Read s->rank, of a kind that keeps its rows in its own form. Sets all of the source but what
 * comes from the rows.
 *
 * @return why there are no rows: JR_EFORMAT, JR_ELIMIT, or the reason in the digest
 */
enum jr_status jr_digested_read(struct jr_source *s, struct jr_error *err) JR_MUST_CHECK;

/* Methods for struct jr_source_type, of what the digest has of a rank. */
bool jr_digested_find(struct jr_source *s, struct jr_dump *dump);
uint64_t jr_digested_identity(const struct jr_source *s, const struct jr_input *input);

#endif
