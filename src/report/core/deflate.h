/*
 * deflate.h - compress bytes (zlib's format, RFC 1950).
 * Layer: report.
 */
#ifndef JR_REPORT_DEFLATE_H
#define JR_REPORT_DEFLATE_H

#include "base/buf.h"

/** Append the compressed bytes. jr_oom() if there is no memory. */
void jr_deflate(struct jr_buf *out, struct jr_bytes bytes);

#endif
