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

/* Decoded text in parts. */
struct jr_xz_stream;

/**
 * Begin to decode as jr_xz_decode() does, in parts. If the run has several threads, large data is
 * decoded on a further thread while the caller uses what there is.
 *
 * @param stream  out, set only on JR_OK; close with jr_xz_close(). Borrows `in` and `limits`
 */
enum jr_status jr_xz_open(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_xz_stream **stream, struct jr_error *err) JR_MUST_CHECK;
/**
 * Drop the first `from` bytes of the text at hand, and add decoded text: at least `wanted` bytes
 * unless it ends before.
 *
 * @param text  out: the text at hand, valid until the next call
 * @param ended  out: no text follows, and all checks were right
 * @return as jr_xz_decode(), as soon as the decoder gets to the damage
 */
enum jr_status jr_xz_more(struct jr_xz_stream *stream, size_t from, size_t wanted,
	struct jr_bytes *text, bool *ended, struct jr_error *err) JR_MUST_CHECK;
/** Decode the rest and drop it: does it have a fault? */
enum jr_status jr_xz_drain(struct jr_xz_stream *stream, struct jr_error *err) JR_MUST_CHECK;
/** Return the number of bytes decoded so far. */
uint64_t jr_xz_size(const struct jr_xz_stream *stream);
void jr_xz_close(struct jr_xz_stream *stream);
/** Append a stream of preset 6 with CRC64, as Python's lzma.compress() does. Equal inputs give
 * equal bytes. Fails only if memory runs out (jr_oom()); the encoder takes 94 MiB. */
void jr_xz_encode(struct jr_bytes in, struct jr_buf *out);
/** Append a stream that stores the bytes as they are, with CRC64: for what does not get smaller.
 * Decoding it costs little more than a copy. */
void jr_xz_store(struct jr_bytes in, struct jr_buf *out);

#endif
