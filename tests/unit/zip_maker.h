/*
 * zip_maker.h - zips in memory for tests, made with libzip; contents that libzip refuses to write
 * are patched in.
 */
#ifndef JR_TESTS_ZIP_MAKER_H
#define JR_TESTS_ZIP_MAKER_H

#include <stdlib.h>
#include <string.h>

#include <zip.h>

#include "unit.h"

#include "base/buf.h"
#include "formats/archive/archive.h"

struct zip_maker {
	zip_source_t *source;
	zip_t *zip;
};

static inline struct zip_maker zip_begin(void)
{
	struct zip_maker m;
	m.source = zip_source_buffer_create(NULL, 0, 0, NULL);
	zip_source_keep(m.source);
	m.zip = zip_open_from_source(m.source, ZIP_CREATE | ZIP_TRUNCATE, NULL);
	assert_non_null(m.zip);
	return m;
}

/* Add a copy of the bytes; method ZIP_CM_STORE or ZIP_CM_DEFLATE. Return the member's index. */
static inline uint64_t zip_add_bytes(
	struct zip_maker *m, const char *name, const void *bytes, size_t n, int method)
{
	void *copy = n ? malloc(n) : NULL; /* libzip would not free a buffer of no bytes */
	if (n) {
		assert_non_null(copy);
		memcpy(copy, bytes, n);
	}
	zip_source_t *source = zip_source_buffer(m->zip, copy, n, 1);
	zip_int64_t index = zip_file_add(m->zip, name, source, ZIP_FL_ENC_UTF_8);
	assert_true(index >= 0);
	assert_int_equal(zip_set_file_compression(m->zip, (zip_uint64_t)index, method, 9), 0);
	return (uint64_t)index;
}

static inline void zip_add_text(struct zip_maker *m, const char *name, const char *text)
{
	zip_add_bytes(m, name, text, strlen(text), ZIP_CM_STORE);
}

static inline struct jr_buf zip_end(struct zip_maker *m)
{
	struct jr_buf out = {0};
	zip_stat_t st;
	if (zip_close(m->zip) != 0)
		fail_msg("%s", zip_strerror(m->zip));
	assert_int_equal(zip_source_stat(m->source, &st), 0);
	jr_buf_reserve(&out, st.size);
	assert_int_equal(zip_source_open(m->source), 0);
	assert_true(zip_source_read(m->source, out.data, st.size) == (zip_int64_t)st.size);
	out.size = st.size;
	zip_source_close(m->source);
	zip_source_free(m->source);
	return out;
}

/* Replace every occurrence of `from`, which must exist, with as many bytes of `to`. */
static inline void patch_all(struct jr_buf *buf, const char *from, const char *to)
{
	size_t n = strlen(from), found = 0;
	assert_int_equal(strlen(to), n);
	for (char *p = buf->data; (p = memmem(p, buf->size - (size_t)(p - buf->data), from, n));
		 found++)
		memcpy(p, to, n);
	assert_true(found > 0);
}

/* Return the position of the k-th (0..) occurrence of a 4-byte signature. */
static inline size_t find_signature(const struct jr_buf *buf, const char *signature, size_t k)
{
	const char *p = buf->data;
	for (;; p += 4) {
		p = memmem(p, buf->size - (size_t)(p - buf->data), signature, 4);
		assert_non_null(p);
		if (k-- == 0)
			return (size_t)(p - buf->data);
	}
}

/* Put n bytes in little-endian order. */
static inline void put_le(struct jr_buf *buf, size_t at, size_t n, uint64_t value)
{
	assert_true(at + n <= buf->size);
	for (size_t i = 0; i < n; i++)
		buf->data[at + i] = (char)(value >> 8 * i);
}

/* Open the zip, which must outlive the archive. */
static inline struct jr_archive *zip_archive(const struct jr_buf *zip)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_archive *archive = NULL;
	if (jr_archive_open_memory(jr_buf_view(zip), "x.zip", &limits, &archive, &err) != JR_OK)
		fail_msg("%s", err.message);
	return archive;
}

#endif
