#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>

#include "formats/archive/xz.h"
#include "mutate.h"

bool members_read(struct members *members, const char *path)
{
	*members = (struct members){0};
	zip_t *zip = zip_open(path, ZIP_RDONLY, NULL);
	if (!zip)
		return false;
	zip_int64_t n = zip_get_num_entries(zip, 0);
	bool whole = n > 0;
	for (zip_int64_t i = 0; i < n && whole; i++) {
		zip_stat_t st;
		zip_file_t *f = zip_fopen_index(zip, (zip_uint64_t)i, 0);
		whole = f && zip_stat_index(zip, (zip_uint64_t)i, 0, &st) == 0;
		if (whole) {
			struct member *m = members_add(members, st.name);
			jr_buf_reserve(&m->data, (size_t)st.size + 1);
			whole = zip_fread(f, m->data.data, st.size) == (zip_int64_t)st.size;
			m->data.size = (size_t)st.size;
		}
		if (f)
			zip_fclose(f);
	}
	zip_discard(zip);
	return whole;
}

struct member *members_add(struct members *members, const char *name)
{
	struct member *m = jr_vec_add(&members->list);
	*m = (struct member){.name = strdup(name)};
	if (!m->name)
		jr_oom();
	return m;
}

void members_copy(struct members *to, const struct members *from)
{
	*to = (struct members){0};
	for (size_t i = 0; i < from->list.n; i++) {
		const struct member *m = &from->list.items[i];
		struct member *copy = members_add(to, m->name);
		jr_buf_add(&copy->data, m->data.data, m->data.size);
		copy->link = m->link;
	}
}

void members_done(struct members *members)
{
	for (size_t i = 0; i < members->list.n; i++) {
		free(members->list.items[i].name);
		jr_buf_done(&members->list.items[i].data);
	}
	jr_vec_done(&members->list);
}

static void put(struct jr_buf *out, size_t n_bytes, uint64_t value)
{
	for (size_t i = 0; i < n_bytes; i++)
		jr_buf_putc(out, (char)(value >> 8 * i));
}

/* The common fields of the local and the central header; APPNOTE.TXT 4.3.7. */
static void put_common(struct jr_buf *out, const struct member *m, uint32_t crc)
{
	put(out, 2, 20);
	put(out, 2, 0x800); /* names are UTF-8 */
	put(out, 2, 0);     /* stored */
	put(out, 4, 0x58E96000);
	put(out, 4, crc);
	put(out, 4, m->data.size);
	put(out, 4, m->data.size);
	put(out, 2, strlen(m->name) & 0xFFFF);
	put(out, 2, 0);
}

void members_write(const struct members *members, struct jr_buf *out)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf central = {0};
	for (size_t i = 0; i < members->list.n; i++) {
		const struct member *m = &members->list.items[i];
		size_t offset = out->size, n_name = strlen(m->name) & 0xFFFF;
		uint32_t crc = (uint32_t)crc32(0, (const Bytef *)m->data.data, (uInt)m->data.size);
		put(out, 4, 0x04034B50);
		put_common(out, m, crc);
		jr_buf_add(out, m->name, n_name);
		if (m->data.size)
			jr_buf_add(out, m->data.data, m->data.size);
		put(&central, 4, 0x02014B50);
		put(&central, 2, 3 << 8 | 20); /* Unix */
		put_common(&central, m, crc);
		put(&central, 2, 0);
		put(&central, 4, 0);
		put(&central, 4, (uint64_t)(m->link ? 0120777 : 0100644) << 16);
		put(&central, 4, offset);
		jr_buf_add(&central, m->name, n_name);
	}
	size_t begin = out->size;
	if (central.size)
		jr_buf_add(out, central.data, central.size);
	put(out, 4, 0x06054B50);
	put(out, 4, 0);
	put(out, 2, members->list.n);
	put(out, 2, members->list.n);
	put(out, 4, central.size);
	put(out, 4, begin);
	put(out, 2, 0);
}

static bool is_xz(const struct member *m)
{
	size_t n = strlen(m->name);
	return n > 3 && strcmp(m->name + n - 3, ".xz") == 0;
}

void content_open(const struct member *m, struct jr_buf *out)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_bytes bytes = jr_buf_view(&m->data);
	if (is_xz(m) && jr_xz_decode(bytes, &limits, out, NULL) == JR_OK)
		return;
	if (m->data.size)
		jr_buf_add(out, m->data.data, m->data.size);
}

void content_close(struct member *m, const struct jr_buf *content)
{
	m->data.size = 0;
	if (!is_xz(m)) {
		if (content->size)
			jr_buf_add(&m->data, content->data, content->size);
		return;
	}
	size_t room = lzma_stream_buffer_bound(content->size), n = 0;
	jr_buf_reserve(&m->data, room);
	if (lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, (const uint8_t *)content->data,
			content->size, (uint8_t *)m->data.data, &n, room) == LZMA_OK)
		m->data.size = n;
}
