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

#endif
