/*
 * digested.h - sources of a digest, for the kinds of inputs that have digests.
 * Layer: model, private to kinds of inputs.
 */
#ifndef JR_MODEL_DIGESTED_H
#define JR_MODEL_DIGESTED_H

#include "model/digest/digests.h"
#include "model/sources/opening.h"

/* Digests of archives: their tables are those of the source. */
extern const struct jr_digested_ops jr_digested_archive;

/**
 * Read the rank of a source, s->part, whose kind keeps its rows in its own form. Sets all of the
 * source but what comes from the rows.
 *
 * @param rank  out: jr_digest_rank_done() also after a failure
 * @return why there are no rows: JR_EFORMAT, JR_ELIMIT, or the reason in the digest
 */
enum jr_status jr_digested_read(struct jr_source *s, const struct jr_digest *digest,
	struct jr_digest_rank *rank, struct jr_error *err) JR_MUST_CHECK;
/** Find a program among those of a rank. For find_program() of a type. */
bool jr_digested_find(const struct jr_digest_rank *rank, struct jr_dump *dump);

#endif
