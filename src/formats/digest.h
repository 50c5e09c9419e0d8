/*
 * digest.h - SHA-256 by libcrypto (which libzip brings along).
 * Layer: formats.
 */
#ifndef JR_FORMATS_DIGEST_H
#define JR_FORMATS_DIGEST_H

#include "base/buf.h"

/** Lower-case hex SHA-256 and a NUL. */
void jr_sha256_hex(struct jr_bytes in, char out[65]);

#endif
