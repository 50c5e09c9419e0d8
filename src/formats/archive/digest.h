/*
 * digest.h - SHA-256 by libcrypto (which libzip brings along).
 * Layer: formats.
 */
#ifndef JR_FORMATS_DIGEST_H
#define JR_FORMATS_DIGEST_H

#include "base/buf.h"
#include "base/file.h"

/** Lower-case hex SHA-256 and a NUL. */
void jr_sha256_hex(struct jr_bytes in, char out[65]);

/** The same of a mapped file, of which it lets go behind itself. */
void jr_sha256_map(const struct jr_file_map *map, char out[65]);

/** The same of a file, read a piece at a time; JR_EIO where it cannot be read. */
enum jr_status jr_sha256_file(const char *path, char out[65], struct jr_error *err) JR_MUST_CHECK;

#endif
