/*
 * xz.h - whole .xz streams by liblzma.
 * Layer: formats.  Thread use: free.
 */
#ifndef JR_FORMATS_XZ_H
#define JR_FORMATS_XZ_H

#include "base/buf.h"
#include "base/limits.h"

/**
 * Decode concatenated and padded .xz streams, all integrity checks verified.
 *
 * @param out  owned by the caller (jr_buf_done); untouched on failure
 * @return JR_EFORMAT damaged or truncated (offset in the message); JR_EUNSUPPORTED a filter or
 *         check liblzma does not know; JR_ELIMIT more bytes than the limits allow for so many
 *         packed ones, or the decoder more memory (its dictionary) than there may be
 * @note Output is sized from the stream's own index where that is believable, so that it is
 *       allocated once.
 */
enum jr_status jr_xz_decode(struct jr_bytes in, const struct jr_limits *limits, struct jr_buf *out,
	struct jr_error *err) JR_MUST_CHECK;
/** Append a stream of preset 6 with CRC64, what Python's lzma.compress() makes; the same bytes give
 * the same ones. Fails only for want of memory (jr_oom()), of which the encoder takes 94 MiB. */
void jr_xz_encode(struct jr_bytes in, struct jr_buf *out);

#endif
