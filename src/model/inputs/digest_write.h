/*
 * digest_write.h - make a digest of an input (model/digest/digests.h).
 * Layer: model.
 */
#ifndef JR_MODEL_DIGEST_WRITE_H
#define JR_MODEL_DIGEST_WRITE_H

#include "base/outfile.h"
#include "model/profile/profile.h"

/** Return the file kind for jr_outfile_begin(): -f may replace an existing digest. */
const struct jr_outfile_kind *jr_digest_kind(void);

/**
 * Read an input and append its digest.
 *
 * @param origin   the file that the user named, if `path` was made from it; else NULL
 * @param profile  initialized; limits, threads and --xla-dump of its options are used. It gets the
 * input, and one row of `missing` per part that exists and cannot be read; no tables.
 * @return JR_EUNSUPPORTED an input of a kind without digests; JR_ENOTFOUND, JR_EFORMAT nothing in
 * it can be reported; else what opening the input returns. Damaged parts become part of the digest.
 * @note Equal inputs give equal bytes.
 */
enum jr_status jr_digest_write(const char *path, const char *origin, struct jr_profile *profile,
	struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;

#endif
