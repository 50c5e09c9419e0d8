#include "formats/parquet/parquet_parts.h"

#include <inttypes.h>
#include <limits.h>
#include <snappy-c.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/cleanup.h"

enum jr_status jr_pq_codec_check(int32_t codec, struct jr_error *err)
{
	static const char *const unread[] = {[JR_PQ_LZO] = "LZO",
		[JR_PQ_BROTLI] = "BROTLI",
		[JR_PQ_LZ4] = "LZ4",
		[JR_PQ_LZ4_RAW] = "LZ4_RAW"};
	if (codec == JR_PQ_UNCOMPRESSED || codec == JR_PQ_SNAPPY || codec == JR_PQ_GZIP ||
		codec == JR_PQ_ZSTD)
		return JR_OK;
	if (codec < 0 || codec >= (int32_t)JR_COUNT_OF(unread))
		return jr_fail(err, JR_EFORMAT, "unknown compression codec %" PRId32, codec);
	return jr_fail(
		err, JR_EUNSUPPORTED, "pages compressed with %s are not supported", unread[codec]);
}

static enum jr_status damaged(struct jr_error *err, const char *codec, const char *why)
{
	return jr_fail(err, JR_EFORMAT, "damaged %s page: %s", codec, why);
}

static enum jr_status snappy(struct jr_bytes in, uint8_t *out, size_t size, struct jr_error *err)
{
	size_t got = size;
	const char *bytes = (const char *)in.data;
	if (snappy_uncompressed_length(bytes, in.size, &got) != SNAPPY_OK || got != size)
		return damaged(err, "Snappy", "it does not have the stated size");
	if (snappy_uncompress(bytes, in.size, (char *)out, &got) != SNAPPY_OK || got != size)
		return damaged(err, "Snappy", "broken data");
	return JR_OK;
}

/* Inflate all gzip or zlib members: RFC 1952 section 2.2 allows several in a file. */
static enum jr_status inflate_members(z_stream *z, struct jr_error *err)
{
	for (;;) {
		int rc = inflate(z, Z_FINISH);
		if (rc != Z_STREAM_END)
			return damaged(
				err, "gzip", z->avail_out ? "broken or cut-off data" : "it is longer than stated");
		if (!z->avail_in)
			break;
		if (inflateReset(z) != Z_OK)
			return damaged(err, "gzip", "broken data");
	}
	return z->avail_out ? damaged(err, "gzip", "it is shorter than stated") : JR_OK;
}

static enum jr_status gzip(struct jr_bytes in, uint8_t *out, size_t size, struct jr_error *err)
{
	/* zlib's interface predates const; it does not write to its input. */
	union {
		const uint8_t *in;
		Bytef *out;
	} input = {.in = in.data};
	uint8_t none = 0; /* an empty output still needs an address */
	z_stream z = {.next_in = input.out, .next_out = size ? out : &none};
	if (in.size > UINT_MAX || size > UINT_MAX)
		return jr_fail(err, JR_ELIMIT, "gzip page of more than 4 GiB");
	z.avail_in = (uInt)in.size;
	z.avail_out = (uInt)size;
	if (inflateInit2(&z, 15 + 32) != Z_OK) /* largest window; gzip or zlib header */
		jr_oom();
	enum jr_status status = inflate_members(&z, err);
	(void)inflateEnd(&z);
	return status;
}

static enum jr_status zstd(struct jr_bytes in, uint8_t *out, size_t size, struct jr_error *err)
{
	size_t got = ZSTD_decompress(out, size, in.data, in.size);
	if (ZSTD_isError(got))
		return damaged(err, "Zstandard", ZSTD_getErrorName(got));
	return got == size ? JR_OK : damaged(err, "Zstandard", "it is shorter than stated");
}

enum jr_status jr_pq_decompress(
	enum jr_pq_codec codec, struct jr_bytes in, uint8_t *out, size_t size, struct jr_error *err)
{
	switch (codec) {
	case JR_PQ_UNCOMPRESSED:
		if (in.size != size)
			return jr_fail(
				err, JR_EFORMAT, "uncompressed page of %zu bytes states %zu", in.size, size);
		if (size)
			memcpy(out, in.data, size);
		return JR_OK;
	case JR_PQ_SNAPPY: return snappy(in, out, size, err);
	case JR_PQ_GZIP: return gzip(in, out, size, err);
	case JR_PQ_ZSTD: return zstd(in, out, size, err);
	default: return jr_pq_codec_check((int32_t)codec, err);
	}
}
