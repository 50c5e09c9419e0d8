/*
 * digest.h - SHA-256 by libcrypto (a dependency of libzip).
 * Layer: formats.
 */
#ifndef JR_FORMATS_DIGEST_H
#define JR_FORMATS_DIGEST_H

#include "base/file.h"

/** Write the SHA-256 of a mapped file in lower-case hex and a NUL; its pages are released after
 * they are read. */
void jr_sha256_map(const struct jr_file_map *map, char out[65]);

/** Write the SHA-256 of a file, read a piece at a time; JR_EIO if it cannot be read. */
enum jr_status jr_sha256_file(const char *path, char out[65], struct jr_error *err) JR_MUST_CHECK;

#endif
