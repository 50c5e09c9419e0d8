/*
 * Describe uninstrumented libraries to MemorySanitizer. While one of their functions runs, its
 * calls of the C library are not checked. Its outputs for us count as initialized afterwards. The
 * linker puts __wrap_f() in place of f() in our objects, for each f of a row below (--wrap; the
 * Makefile reads the names).
 */
#include <lzma.h>
#include <openssl/evp.h>
#include <sanitizer/msan_interface.h>
#include <snappy-c.h>
#include <sqlite3.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

static void wrote(const void *bytes, size_t n)
{
	if (bytes)
		__msan_unpoison(bytes, n);
}

static void wrote_text(const char *s)
{
	if (s)
		__msan_unpoison_string(s);
}

/* Call f(), then run `then` with its result. */
#define BORDER(type, f, parameters, arguments, then)                                               \
	type __real_##f parameters;                                                                    \
	type __wrap_##f parameters;                                                                    \
	type __wrap_##f parameters                                                                     \
	{                                                                                              \
		__msan_scoped_disable_interceptor_checks();                                                \
		type result = __real_##f arguments;                                                        \
		__msan_scoped_enable_interceptor_checks();                                                 \
		then;                                                                                      \
		return result;                                                                             \
	}

BORDER(int, sqlite3_open_v2, (const char *name, sqlite3 **db, int flags, const char *vfs),
	(name, db, flags, vfs), )
BORDER(int, sqlite3_deserialize,
	(sqlite3 * db, const char *name, unsigned char *bytes, sqlite3_int64 size, sqlite3_int64 room,
		unsigned flags),
	(db, name, bytes, size, room, flags), )
BORDER(int, sqlite3_exec,
	(sqlite3 * db, const char *sql, int (*call)(void *, int, char **, char **), void *context,
		char **said),
	(db, sql, call, context, said), )
BORDER(int, sqlite3_prepare_v2,
	(sqlite3 * db, const char *sql, int n, sqlite3_stmt **stmt, const char **tail),
	(db, sql, n, stmt, tail), )
BORDER(int, sqlite3_step, (sqlite3_stmt * stmt), (stmt), )
BORDER(int, sqlite3_finalize, (sqlite3_stmt * stmt), (stmt), )
BORDER(int, sqlite3_close, (sqlite3 * db), (db), )
BORDER(const unsigned char *, sqlite3_column_text, (sqlite3_stmt * stmt, int column),
	(stmt, column), wrote(result, result ? (size_t)sqlite3_column_bytes(stmt, column) + 1 : 0))
BORDER(const char *, sqlite3_errmsg, (sqlite3 * db), (db), wrote_text(result))
BORDER(const char *, sqlite3_errstr, (int code), (code), wrote_text(result))

BORDER(lzma_ret, lzma_file_info_decoder,
	(lzma_stream * strm, lzma_index **index, uint64_t memory, uint64_t size),
	(strm, index, memory, size), )
BORDER(lzma_ret, lzma_code, (lzma_stream * strm, lzma_action action), (strm, action),
	wrote(strm->next_out - strm->total_out, strm->total_out))

BORDER(zip_t *, zip_open_from_source, (zip_source_t * source, int flags, zip_error_t *error),
	(source, flags, error), )
BORDER(const char *, zip_get_name, (zip_t * zip, zip_uint64_t index, zip_flags_t flags),
	(zip, index, flags), wrote_text(result))
BORDER(int, zip_stat_index, (zip_t * zip, zip_uint64_t index, zip_flags_t flags, zip_stat_t *out),
	(zip, index, flags, out), wrote(out, sizeof(*out)))
BORDER(zip_file_t *, zip_fopen_index, (zip_t * zip, zip_uint64_t index, zip_flags_t flags),
	(zip, index, flags), )
BORDER(zip_int64_t, zip_fread, (zip_file_t * file, void *out, zip_uint64_t n), (file, out, n),
	wrote(out, result > 0 ? (size_t)result : 0))
BORDER(const char *, zip_error_strerror, (zip_error_t * error), (error), wrote_text(result))

/* It does not report how much one call writes. */
static _Thread_local const Bytef *begun;

static z_stream *begin(z_stream *z)
{
	begun = z->next_out;
	return z;
}

BORDER(int, inflate, (z_stream * z, int flush), (begin(z), flush),
	wrote(begun, (size_t)(z->next_out - begun)))
BORDER(snappy_status, snappy_uncompress, (const char *in, size_t n, char *out, size_t *size),
	(in, n, out, size), wrote(out, result == SNAPPY_OK ? *size : 0))
BORDER(size_t, ZSTD_decompress, (void *out, size_t room, const void *in, size_t n),
	(out, room, in, n), wrote(out, ZSTD_isError(result) ? 0 : result))

BORDER(int, EVP_DigestFinal_ex, (EVP_MD_CTX * context, unsigned char *out, unsigned *n),
	(context, out, n), wrote(out, *n))
