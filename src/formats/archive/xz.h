/*
 * xz.h - decode and encode whole .xz streams with liblzma.
 * Layer: formats.  Thread use: free.
 */
#ifndef JR_FORMATS_XZ_H
#define JR_FORMATS_XZ_H

#include "base/buf.h"
#include "base/limits.h"

/**
 * Decode concatenated and padded .xz streams and verify all integrity checks.
 *
 * @param out  owned by the caller (jr_buf_done); untouched on failure
 * @return JR_EFORMAT damaged or truncated (offset in the message); JR_EUNSUPPORTED a filter or
 *         check that liblzma does not support; JR_ELIMIT more bytes than the limits allow for this
 *         compressed size, or a decoder (its dictionary) that needs more memory than allowed
 * @note The output size is taken from the stream's index if that is plausible, so that it is
 *       allocated once.
 */
enum jr_status jr_xz_decode(struct jr_bytes in, const struct jr_limits *limits, struct jr_buf *out,
	struct jr_error *err) JR_MUST_CHECK;
/** Append a stream of preset 6 with CRC64, as Python's lzma.compress() does. Equal inputs give
 * equal bytes. Fails only if memory runs out (jr_oom()); the encoder takes 94 MiB. */
void jr_xz_encode(struct jr_bytes in, struct jr_buf *out);

#endif
