#include "compressors.h"

#include <dlfcn.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

bool unit_compressors_fail;

snappy_status snappy_compress(
	const char *input, size_t input_length, char *compressed, size_t *compressed_length)
{
	typedef snappy_status fn(const char *, size_t, char *, size_t *);
	union {
		void *symbol;
		fn *call;
	} real = {dlsym(RTLD_NEXT, "snappy_compress")};
	return unit_compressors_fail ? SNAPPY_BUFFER_TOO_SMALL
							: real.call(input, input_length, compressed, compressed_length);
}

size_t ZSTD_compress(void *dst, size_t dst_capacity, const void *src, size_t src_size, int level)
{
	typedef size_t fn(void *, size_t, const void *, size_t, int);
	union {
		void *symbol;
		fn *call;
	} real = {dlsym(RTLD_NEXT, "ZSTD_compress")};
	return real.call(dst, unit_compressors_fail ? 1 : dst_capacity, src, src_size, level);
}

int deflate(z_streamp z, int flush)
{
	typedef int fn(z_streamp, int);
	union {
		void *symbol;
		fn *call;
	} real = {dlsym(RTLD_NEXT, "deflate")};
	return unit_compressors_fail ? Z_STREAM_ERROR : real.call(z, flush);
}
