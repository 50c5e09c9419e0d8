/* Zips written front to back and read by libzip; also beyond the limits of the original format. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zip.h>

#include "unit.h"

#include "base/file.h"
#include "compressors.h"
#include "formats/archive/zip_writer.h"
#include "in_folder.h"

#define GIB (UINT64_C(1) << 30)

struct making {
	struct jr_outfile file;
	struct jr_zip_writer writer;
};

static void begin(struct making *m)
{
	struct jr_error err = {0};
	if (jr_outfile_begin(&m->file, "x.zip", &jr_zip_kind, true, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_zip_writer_init(&m->writer, &m->file);
}

static void add(struct making *m, const char *name, uint64_t size, const void *bytes, uint32_t crc)
{
	struct jr_error err = {0};
	const struct jr_zip_entry entry = {.name = name,
		.size_bytes = size,
		.packed_bytes = size,
		.crc32 = crc,
		.made_by = 3 << 8 | 20,
		.needed = 20,
		.dos_date = 1 << 5 | 1};
	if (jr_zip_writer_entry(&m->writer, &entry, &err) != JR_OK)
		fail_msg("%s", err.message);
	if (bytes)
		assert_int_equal(jr_zip_writer_data(&m->writer, bytes, (size_t)size, &err), JR_OK);
}

/* Leave a hole of n bytes in the file instead of data. */
static void skip_bytes(struct making *m, uint64_t n)
{
	struct jr_buf *pending = &m->file.pending;
	assert_int_equal(write(m->file.fd, pending->data, pending->size), pending->size);
	pending->size = 0;
	assert_true(lseek(m->file.fd, (off_t)n, SEEK_CUR) > 0);
	m->writer.offset += n;
}

static zip_t *end(struct making *m)
{
	struct jr_error err = {0};
	assert_int_equal(jr_zip_writer_finish(&m->writer, &err), JR_OK);
	assert_int_equal(jr_outfile_commit(&m->file, &err), JR_OK);
	jr_outfile_abandon(&m->file);
	jr_zip_writer_done(&m->writer);
	zip_t *zip = zip_open("x.zip", ZIP_RDONLY | ZIP_CHECKCONS, NULL);
	assert_non_null(zip);
	return zip;
}

static void expect(zip_t *zip, uint64_t index, const char *name, const char *text)
{
	char content[64] = "";
	assert_string_equal(zip_get_name(zip, index, ZIP_FL_ENC_RAW), name);
	zip_file_t *file = zip_fopen_index(zip, index, 0);
	assert_non_null(file);
	assert_int_equal(zip_fread(file, content, sizeof(content)), strlen(text));
	assert_string_equal(content, text);
	zip_fclose(file);
}

static UNIT_IN_FOLDER(an_empty_zip)
{
	struct making m;
	begin(&m);
	zip_t *zip = end(&m);
	assert_int_equal(zip_get_num_entries(zip, 0), 0);
	zip_discard(zip);
	struct jr_file_map map;
	assert_int_equal(jr_file_map("x.zip", &map, NULL), JR_OK);
	assert_int_equal(map.bytes.size, 22);
	assert_true(jr_zip_kind.begins(map.bytes));
	assert_false(jr_zip_kind.begins(jr_bytes_of("PK\3", 3)));
	assert_false(jr_zip_kind.begins(jr_bytes_of("PK\1\2", 4)));
	jr_file_unmap(&map);
}

static UNIT_IN_FOLDER(more_members_than_16_bits_count)
{
	static const uint64_t counts[] = {65534, 65535, 65536, 70000};
	for (size_t k = 0; k < 4; k++) {
		struct making m;
		begin(&m);
		for (uint64_t i = 0; i < counts[k]; i++) {
			char name[32];
			snprintf(name, sizeof(name), "m%u", (unsigned)i);
			add(&m, name, 0, "", 0);
		}
		zip_t *zip = end(&m);
		assert_int_equal(zip_get_num_entries(zip, 0), counts[k]);
		assert_string_equal(zip_get_name(zip, 65533, ZIP_FL_ENC_RAW), "m65533");
		zip_discard(zip);
	}
}

static UNIT_IN_FOLDER(offsets_and_sizes_beyond_32_bits)
{
	struct making m;
	begin(&m);
	add(&m, "big", 5 * GIB, NULL, 0x12345678);
	skip_bytes(&m, 5 * GIB);
	add(&m, "hello", 5, "hello", 0x3610A686);
	add(&m, "full", UINT32_MAX, NULL, 1);
	skip_bytes(&m, UINT32_MAX);
	add(&m, "nearly", UINT32_MAX - 1, NULL, 2);
	skip_bytes(&m, UINT32_MAX - 1);
	add(&m, "world", 5, "world", 0x3A771143);
	zip_t *zip = end(&m);
	static const uint64_t sizes[] = {5 * GIB, 5, UINT32_MAX, UINT32_MAX - 1, 5};
	assert_int_equal(zip_get_num_entries(zip, 0), 5);
	for (uint64_t i = 0; i < 5; i++) {
		zip_stat_t st;
		assert_int_equal(zip_stat_index(zip, i, 0, &st), 0);
		assert_true(st.size == sizes[i] && st.comp_size == sizes[i]);
	}
	expect(zip, 1, "hello", "hello");
	expect(zip, 4, "world", "world");
	zip_discard(zip);
}

/* Stored and deflated members, in pieces of many lengths; a member may also be empty. */
static UNIT_IN_FOLDER(members_grow)
{
	enum { N = 300000 };
	struct making m;
	struct jr_error err = {0};
	char *content = malloc(N), *back = malloc(N);
	assert_true(content && back);
	for (size_t i = 0; i < N; i++)
		content[i] = (char)(i * i >> 7);
	begin(&m);
	for (int level = 0; level < 2; level++) {
		const char *name = level ? "one" : "none";
		assert_int_equal(jr_zip_writer_begin(&m.writer, name, level, &err), JR_OK);
		for (size_t at = 0, n = 1; at < N; at += n, n = n * 3 < N - at ? n * 3 : N - at)
			assert_int_equal(
				jr_zip_writer_grow(&m.writer, jr_bytes_of(content + at, n), &err), JR_OK);
		assert_int_equal(jr_zip_writer_end(&m.writer, &err), JR_OK);
		add(&m, level ? "after one" : "after none", 5, "hello", 0x3610A686);
	}
	assert_int_equal(jr_zip_writer_begin(&m.writer, "empty", 1, &err), JR_OK);
	assert_int_equal(jr_zip_writer_end(&m.writer, &err), JR_OK);
	zip_t *zip = end(&m);
	for (uint64_t i = 0; i < 4; i += 2) {
		zip_stat_t st;
		assert_int_equal(zip_stat_index(zip, i, 0, &st), 0);
		assert_int_equal(st.size, N);
		assert_int_equal(st.comp_method, i ? ZIP_CM_DEFLATE : ZIP_CM_STORE);
		zip_file_t *file = zip_fopen_index(zip, i, 0);
		assert_non_null(file);
		assert_int_equal(zip_fread(file, back, N), N);
		assert_memory_equal(back, content, N);
		zip_fclose(file);
		expect(zip, i + 1, i ? "after one" : "after none", "hello");
	}
	expect(zip, 4, "empty", "");
	zip_discard(zip);
	free(content);
	free(back);
}

/* 2^32 - 1 means that the size is stored elsewhere: it cannot be a size itself, for either size. */
static UNIT_IN_FOLDER(sizes_at_32_bits)
{
	static const struct {
		uint64_t size, packed;
		unsigned n_extra;
	} cases[] = {{UINT32_MAX - 1, UINT32_MAX - 1, 0}, {UINT32_MAX, 4, 20}, {4, UINT32_MAX, 20}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct making m = {0};
		struct jr_error err = {0};
		begin(&m);
		assert_int_equal(jr_zip_writer_entry(&m.writer,
			&(struct jr_zip_entry){.name = "x", .size_bytes = cases[i].size,
				.packed_bytes = cases[i].packed, .method = 8}, &err), JR_OK);
		const uint8_t *header = (const uint8_t *)m.file.pending.data;
		assert_int_equal(header[28] | header[29] << 8, cases[i].n_extra);
		for (int k = 18; k < 26; k++)
			assert_int_equal(header[k], cases[i].n_extra || k % 4 != 2 ? 0xFF : 0xFE);
		jr_zip_writer_done(&m.writer);
		jr_outfile_abandon(&m.file);
	}
}

static UNIT_IN_FOLDER(a_compressor_that_fails)
{
	struct making m;
	struct jr_error err = {0};
	const struct jr_bytes hello = jr_bytes_of("hello", 5);
	begin(&m);
	unit_compressors_fail = true;
	assert_int_equal(jr_zip_writer_add(&m.writer, "whole", hello, true, &err), JR_EIO);
	assert_non_null(strstr(err.message, "zlib cannot compress"));
	assert_int_equal(jr_zip_writer_add(&m.writer, "stored", hello, false, &err), JR_OK);
	assert_int_equal(jr_zip_writer_begin(&m.writer, "grown", 1, &err), JR_OK);
	assert_int_equal(jr_zip_writer_grow(&m.writer, hello, &err), JR_EIO);
	assert_int_equal(jr_zip_writer_end(&m.writer, &err), JR_EIO);
	unit_compressors_fail = false;
	jr_zip_writer_done(&m.writer);
	jr_outfile_abandon(&m.file);
}

static UNIT_IN_FOLDER(names_have_a_bound)
{
	struct making m;
	struct jr_error err = {0};
	begin(&m);
	char *name = malloc(65537);
	assert_non_null(name);
	memset(name, 'n', 65536);
	name[65536] = '\0';
	const struct jr_zip_entry entry = {.name = name};
	assert_int_equal(jr_zip_writer_entry(&m.writer, &entry, &err), JR_ELIMIT);
	add(&m, name + 1, 0, "", 0);
	zip_t *zip = end(&m);
	assert_int_equal(strlen(zip_get_name(zip, 0, ZIP_FL_ENC_RAW)), 65535);
	zip_discard(zip);
	free(name);
}

static UNIT_IN_FOLDER(utf8_names_are_marked)
{
	static const struct {
		const char *name;
		bool marked;
	} cases[] = {
		{"plain", false}, {"caf\xC3\xA9", true}, {"caf\xE9", false}, {"\xF0\x9F\x98\x80", true}};
	struct making m;
	begin(&m);
	for (size_t i = 0; i < 4; i++)
		add(&m, cases[i].name, 0, "", 0);
	zip_discard(end(&m));
	struct jr_file_map map;
	assert_int_equal(jr_file_map("x.zip", &map, NULL), JR_OK);
	const uint8_t *p = map.bytes.data, *stop = p + map.bytes.size;
	for (size_t i = 0; i < 4; i++) {
		p = memmem(p, (size_t)(stop - p), "PK\3\4", 4);
		assert_non_null(p);
		assert_int_equal(p[7] == 8, cases[i].marked);
		p += 4;
	}
	jr_file_unmap(&map);
}
