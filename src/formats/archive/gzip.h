/*
 * gzip.h - what gzip packed, piece by piece (RFC 1952, by zlib).
 * Layer: formats.  Thread use: free.
 */
#ifndef JR_FORMATS_GZIP_H
#define JR_FORMATS_GZIP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/limits.h"

struct jr_gzip;

/** True where the bytes begin as gzip's do. */
bool jr_gzip_begins(struct jr_bytes head);
/** One member after the other; `in` must outlive it. jr_gzip_close() it. */
struct jr_gzip *jr_gzip_open(struct jr_bytes in, const struct jr_limits *limits);
void jr_gzip_close(struct jr_gzip *gzip);
/** True where jr_gzip_more() failed for the reason that `in` ends too early; of NULL false. */
bool jr_gzip_is_cut(const struct jr_gzip *gzip);
/**
 * The next piece.
 *
 * @param gzip  a struct jr_gzip
 * @param out   holds until the next is asked for; empty at the end
 * @return JR_EFORMAT damaged or cut short; JR_ELIMIT more bytes than the limits allow for so many
 *         packed ones
 */
enum jr_status jr_gzip_more(void *gzip, struct jr_bytes *out, struct jr_error *err) JR_MUST_CHECK;

#endif
