/*
 * gzip.h - decompress gzip files piece by piece (RFC 1952, by zlib).
 * Layer: formats.  Thread use: free.
 */
#ifndef JR_FORMATS_GZIP_H
#define JR_FORMATS_GZIP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/limits.h"

struct jr_gzip;

/** Return true if the bytes begin like a gzip file. */
bool jr_gzip_begins(struct jr_bytes head);
/** Return what `is` says of the bytes, or of their first piece if they are a gzip file. */
bool jr_gzip_begins_as(
	struct jr_bytes head, const struct jr_limits *limits, bool (*is)(struct jr_bytes));
/** Open one or several members; `in` must outlive the handle. Close it with jr_gzip_close(). */
struct jr_gzip *jr_gzip_open(struct jr_bytes in, const struct jr_limits *limits);
void jr_gzip_close(struct jr_gzip *gzip);
/** Return true if jr_gzip_more() failed because `in` ends too early; false for NULL. */
bool jr_gzip_is_cut(const struct jr_gzip *gzip);
/**
 * Return the next piece.
 *
 * @param gzip  a struct jr_gzip
 * @param out   valid until the next call; empty at the end
 * @return JR_EFORMAT damaged or cut short; JR_ELIMIT more bytes than the limits allow for this
 *         compressed size
 */
enum jr_status jr_gzip_more(void *gzip, struct jr_bytes *out, struct jr_error *err) JR_MUST_CHECK;
/** Decompress a whole file. `out` is owned by the caller (jr_buf_done) and unchanged on failure.
 * @return as jr_gzip_more() */
enum jr_status jr_gzip_decode(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;

#endif
