/* Zips and folders as named members: made for the tests, intact, hostile and damaged. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "base/task.h"
#include "corpus.h"
#include "formats/archive/archive.h"
#include "zip_maker.h"

static struct jr_archive *open_zip(const struct jr_buf *zip, const struct jr_limits *limits)
{
	struct jr_archive *archive = NULL;
	struct jr_error err = {0};
	if (jr_archive_open_memory(jr_buf_view(zip), "x.zip", limits, &archive, &err) != JR_OK)
		fail_msg("%s", err.message);
	return archive;
}

static void refuse_zip(
	struct jr_bytes zip, const struct jr_limits *limits, enum jr_status expected, const char *part)
{
	struct jr_archive *archive = NULL;
	struct jr_error err = {0};
	enum jr_status status = jr_archive_open_memory(zip, "x.zip", limits, &archive, &err);
	if (status != expected || !strstr(err.message, part))
		fail_msg("status %d, '%s'; expected %d, '%s'", status, err.message, expected, part);
	assert_null(archive);
}

static void expect_member(struct jr_archive *archive, const char *name, const void *bytes, size_t n)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	struct jr_error err = {0};
	size_t i = jr_archive_find(archive, name);
	if (i == SIZE_MAX)
		fail_msg("no member '%s'", name);
	assert_string_equal(jr_archive_at(archive, i)->name, name);
	assert_true(jr_archive_at(archive, i)->size_bytes == n);
	if (jr_archive_read(archive, i, &out, &err) != JR_OK)
		fail_msg("%s", err.message);
	assert_true(jr_bytes_eq(jr_buf_view(&out), jr_bytes_of(bytes, n)));
	assert_int_equal(out.data[n], '\0');
}

static void expect_text(struct jr_archive *archive, const char *name, const char *text)
{
	expect_member(archive, name, text, strlen(text));
}

static void refuse_member(
	struct jr_archive *archive, const char *name, enum jr_status expected, const char *part)
{
	struct jr_buf out = {0};
	struct jr_error err = {0};
	size_t i = jr_archive_find(archive, name);
	if (i == SIZE_MAX)
		fail_msg("no member '%s'", name);
	enum jr_status status = jr_archive_read(archive, i, &out, &err);
	if (status != expected || !strstr(err.message, part))
		fail_msg("status %d, '%s'; expected %d, '%s'", status, err.message, expected, part);
	assert_null(out.data);
	assert_null(strchr(err.message, '\n'));
}

static struct jr_buf noise(size_t n)
{
	struct jr_buf out = {0};
	uint32_t x = 1;
	jr_buf_reserve(&out, n);
	for (out.size = 0; out.size < n; out.size++) {
		x = x * 1664525 + 1013904223;
		out.data[out.size] = (char)(x >> 24);
	}
	return out;
}

static UNIT(members_are_read)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_buf big = noise(3000000), zeros = {0};
	jr_buf_repeat(&zeros, '\0', 500000);
	struct zip_maker m = zip_begin();
	zip_add_text(&m, "b/second.txt", "two");
	assert_true(zip_dir_add(m.zip, "b", 0) >= 0);
	zip_add_bytes(&m, "a.bin", big.data, big.size, ZIP_CM_STORE);
	zip_add_bytes(&m, "b/first.txt", "one one one one one one", 23, ZIP_CM_DEFLATE);
	zip_add_bytes(&m, "zeros", zeros.data, zeros.size, ZIP_CM_DEFLATE);
	zip_add_bytes(&m, "noise", big.data, big.size, ZIP_CM_DEFLATE);
	zip_add_text(&m, "empty", "");
	zip_add_text(&m, "b.txt", "sorts between the folder's name and its files");
	struct jr_buf zip = zip_end(&m);
	struct jr_archive *archive = open_zip(&zip, &limits);

	assert_false(jr_archive_is_directory(archive));
	assert_int_equal(jr_archive_rejected(archive), 0);
	assert_true(jr_bytes_eq(jr_archive_raw(archive), jr_buf_view(&zip)));
	static const char *const names[] = {
		"a.bin", "b.txt", "b/first.txt", "b/second.txt", "empty", "noise", "zeros"};
	assert_int_equal(jr_archive_count(archive), 7);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(jr_archive_at(archive, i)->name, names[i]);
	expect_text(archive, "b/first.txt", "one one one one one one");
	expect_text(archive, "b/second.txt", "two");
	expect_text(archive, "empty", "");
	expect_member(archive, "a.bin", big.data, big.size);
	expect_member(archive, "noise", big.data, big.size);
	expect_member(archive, "zeros", zeros.data, zeros.size);
	expect_member(archive, "zeros", zeros.data, zeros.size);
	assert_true(jr_archive_at(archive, 6)->packed_bytes < 2000);

	assert_int_equal(jr_archive_find(archive, "b"), SIZE_MAX);
	assert_int_equal(jr_archive_find(archive, "b/"), SIZE_MAX);
	assert_int_equal(jr_archive_find(archive, ""), SIZE_MAX);
	assert_int_equal(jr_archive_find(archive, "zeros0"), SIZE_MAX);
	assert_int_equal(jr_archive_lower_bound(archive, "b/"), 2);
	assert_int_equal(jr_archive_lower_bound(archive, "b0"), 4);
	assert_int_equal(jr_archive_lower_bound(archive, ""), 0);
	assert_int_equal(jr_archive_lower_bound(archive, "zz"), 7);
	jr_archive_close(archive);
	jr_archive_close(NULL);
	jr_buf_done(&zip);
	jr_buf_done(&zeros);
	jr_buf_done(&big);
}

static UNIT(bad_names_are_left_out)
{
	static const char *const bad[] = {"/etc/passwd", "../up", "a/../../up", "a/..", "..", "a\\b",
		"C:/boot.ini", "c:x", "\\\\host\\share", "./../up"};
	static const char *const good[] = {
		"...", "a/..b", "a/b..", "a..b/c", "1:2", ".hidden", "a//b", "a/./b", "caf\xC3\xA9"};
	struct jr_limits limits = jr_limits_default();
	struct zip_maker m = zip_begin();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		zip_add_text(&m, bad[i], "bad");
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		zip_add_text(&m, good[i], good[i]);
	zip_add_text(&m, "./dotted/name", "x");
	struct jr_buf zip = zip_end(&m);
	struct jr_archive *archive = open_zip(&zip, &limits);
	assert_int_equal(jr_archive_rejected(archive), sizeof(bad) / sizeof(*bad));
	assert_int_equal(jr_archive_count(archive), sizeof(good) / sizeof(*good) + 1);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		expect_text(archive, good[i], good[i]);
	expect_text(archive, "dotted/name", "x"); /* as tar-like writers begin all names */
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

static UNIT(first_of_duplicates_is_kept)
{
	struct jr_limits limits = jr_limits_default();
	struct zip_maker m = zip_begin();
	zip_add_text(&m, "name2", "first");
	zip_add_text(&m, "aaaaa", "other");
	zip_add_text(&m, "name1", "second");
	zip_add_text(&m, "name3", "third");
	struct jr_buf zip = zip_end(&m);
	patch_all(&zip, "name1", "name2");
	patch_all(&zip, "name3", "name2");
	struct jr_archive *archive = open_zip(&zip, &limits);
	assert_int_equal(jr_archive_count(archive), 2);
	assert_int_equal(jr_archive_rejected(archive), 2);
	expect_text(archive, "name2", "first");
	expect_text(archive, "aaaaa", "other");
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

static UNIT(encrypted_and_unknown_methods)
{
	struct jr_limits limits = jr_limits_default();
	struct zip_maker m = zip_begin();
	uint64_t aes = zip_add_bytes(&m, "aes", "secret", 6, ZIP_CM_DEFLATE);
	uint64_t old = zip_add_bytes(&m, "old\nway", "secret", 6, ZIP_CM_STORE);
	zip_add_text(&m, "plain", "plain");
	zip_add_text(&m, "method", "method");
	assert_int_equal(zip_file_set_encryption(m.zip, aes, ZIP_EM_AES_256, "pw"), 0);
	assert_int_equal(zip_file_set_encryption(m.zip, old, ZIP_EM_TRAD_PKWARE, "pw"), 0);
	struct jr_buf zip = zip_end(&m);
	put_le(&zip, find_signature(&zip, "PK\1\2", 3) + 10, 2, 97); /* WavPack */
	struct jr_archive *archive = open_zip(&zip, &limits);
	refuse_member(archive, "aes", JR_EUNSUPPORTED, "member 'aes' of 'x.zip' is encrypted");
	refuse_member(archive, "old\nway", JR_EUNSUPPORTED, "member 'old␊way' of 'x.zip' is encrypted");
	refuse_member(archive, "method", JR_EUNSUPPORTED, "method");
	expect_text(archive, "plain", "plain");
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

static UNIT(sizes_are_held_against_limits)
{
	struct jr_limits limits = jr_limits_default();
	JR_CLEANUP(jr_buf_done) struct jr_buf zeros = {0};
	jr_buf_repeat(&zeros, '\0', 8 << 20);
	struct zip_maker m = zip_begin();
	zip_add_bytes(&m, "bomb", zeros.data, zeros.size, ZIP_CM_DEFLATE);
	zip_add_bytes(&m, "small", zeros.data, 1 << 20, ZIP_CM_DEFLATE);
	zip_add_bytes(&m, "stored", zeros.data, 3 << 20, ZIP_CM_STORE);
	struct jr_buf zip = zip_end(&m);
	struct jr_archive *archive = open_zip(&zip, &limits);
	/* deflate reaches 1032 to 1, which exceeds the default limit */
	refuse_member(archive, "bomb", JR_ELIMIT, "--max-ratio");
	jr_archive_close(archive);
	limits.ratio = 1100;
	archive = open_zip(&zip, &limits);
	expect_member(archive, "bomb", zeros.data, zeros.size);
	jr_archive_close(archive);

	limits.ratio = 100;
	archive = open_zip(&zip, &limits);
	refuse_member(archive, "bomb", JR_ELIMIT, "--max-ratio");
	expect_member(archive, "small", zeros.data, 1 << 20); /* any ratio is allowed below 1 MB */
	expect_member(archive, "stored", zeros.data, 3 << 20);
	jr_archive_close(archive);

	limits = jr_limits_default();
	limits.entry_bytes = 3 << 20;
	archive = open_zip(&zip, &limits);
	refuse_member(archive, "bomb", JR_ELIMIT, "--max-entry-bytes");
	expect_member(archive, "stored", zeros.data, 3 << 20);
	jr_archive_close(archive);

	limits.members = 3;
	archive = open_zip(&zip, &limits);
	jr_archive_close(archive);
	limits.members = 2;
	refuse_zip(jr_buf_view(&zip), &limits, JR_ELIMIT, "more than 2 members (--max-members)");
	jr_buf_done(&zip);
}

/* The central directory contradicts the data. */
static UNIT(lies_are_found)
{
	struct jr_limits limits = jr_limits_default();
	struct zip_maker m = zip_begin();
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_repeat(&text, 'x', 5000);
	static const char *const names[] = {"crc", "fewer", "more", "packed", "beyond", "offset", "ok"};
	for (size_t i = 0; i < 7; i++)
		zip_add_bytes(&m, names[i], text.data, text.size, i % 2 ? ZIP_CM_DEFLATE : ZIP_CM_STORE);
	struct jr_buf zip = zip_end(&m);
	put_le(&zip, find_signature(&zip, "PK\1\2", 0) + 16, 4, 12345);
	put_le(&zip, find_signature(&zip, "PK\1\2", 1) + 24, 4, 4999);
	put_le(&zip, find_signature(&zip, "PK\1\2", 2) + 24, 4, 5001);
	put_le(&zip, find_signature(&zip, "PK\1\2", 3) + 20, 4, 7);
	put_le(&zip, find_signature(&zip, "PK\1\2", 4) + 20, 4, 0x7FFFFFFF);
	put_le(&zip, find_signature(&zip, "PK\1\2", 5) + 42, 4, 1);
	struct jr_archive *archive = open_zip(&zip, &limits);
	refuse_member(archive, "crc", JR_EFORMAT, "checksum");
	refuse_member(archive, "fewer", JR_EFORMAT, "more than the 4999 bytes that it states");
	refuse_member(archive, "more", JR_EFORMAT, "is damaged");
	refuse_member(archive, "packed", JR_EFORMAT, "is damaged");
	refuse_member(archive, "beyond", JR_EFORMAT, "more compressed bytes than the file contains");
	refuse_member(archive, "offset", JR_EFORMAT, "is damaged");
	expect_member(archive, "ok", text.data, text.size);
	jr_archive_close(archive);
	/* overlapping members are read independently, each within its own limits */
	put_le(&zip, find_signature(&zip, "PK\1\2", 5) + 42, 4, 0);
	archive = open_zip(&zip, &limits);
	refuse_member(
		archive, "offset", JR_EFORMAT, "is damaged"); /* stored data is not a deflate stream */
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

static struct jr_buf small_zip(void)
{
	struct zip_maker m = zip_begin();
	zip_add_text(&m, "stored", "stored content");
	zip_add_bytes(&m, "deflated", "deflated deflated deflated", 26, ZIP_CM_DEFLATE);
	zip_add_text(&m, "empty", "");
	return zip_end(&m);
}

static UNIT(cut_at_every_byte)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_buf zip = small_zip();
	refuse_zip(jr_bytes_of(NULL, 0), &limits, JR_EFORMAT, "'x.zip' is not a zip file: it is empty");
	for (size_t n = 1; n < zip.size; n++)
		refuse_zip(jr_bytes_of(zip.data, n), &limits, JR_EFORMAT,
			n < 4 ? "'x.zip' is not a supported profile" : "upload or copy was probably cut short");
	for (size_t n = 1; n < zip.size; n++) { /* from the front */
		struct jr_archive *archive;
		struct jr_error err;
		if (jr_archive_open_memory(jr_bytes_of(zip.data + n, zip.size - n), "x.zip", &limits,
				&archive, &err) != JR_OK) {
			assert_int_equal(err.status, JR_EFORMAT);
			continue;
		}
		fail_msg("without its first %zu bytes it opens", n);
	}
	jr_buf_done(&zip);
}

static UNIT(damaged_at_every_byte)
{
	static const char *const contents[] = {"stored content", "deflated deflated deflated", ""};
	struct jr_limits limits = jr_limits_default();
	struct jr_buf zip = small_zip();
	size_t n_read = 0;
	for (size_t i = 0; i < zip.size; i++)
		for (int bit = 0; bit < 8; bit++) {
			struct jr_archive *archive;
			struct jr_error err;
			zip.data[i] ^= (char)(1 << bit);
			enum jr_status status =
				jr_archive_open_memory(jr_buf_view(&zip), "x.zip", &limits, &archive, &err);
			size_t n = status == JR_OK ? jr_archive_count(archive) : 0;
			for (size_t k = 0; k < n; k++) {
				JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
				bool known = jr_archive_read(archive, k, &out, &err) != JR_OK;
				for (size_t c = 0; c < 3 && !known; c++)
					known = strcmp(out.data, contents[c]) == 0 && strlen(contents[c]) == out.size;
				if (!known)
					fail_msg("byte %zu bit %d: wrong content passed", i, bit);
				n_read += out.data != NULL;
			}
			if (status == JR_OK)
				jr_archive_close(archive);
			zip.data[i] ^= (char)(1 << bit);
		}
	assert_true(n_read > 1000); /* most damage leaves the other members */
	jr_buf_done(&zip);
}

/* 70,000 members need zip64 end records; then those are falsified. */
static UNIT(zip64)
{
	struct jr_limits limits = jr_limits_default();
	struct zip_maker m = zip_begin();
	for (int i = 0; i < 70000; i++) {
		char name[32];
		snprintf(name, sizeof(name), "d/%05d", i);
		zip_add_bytes(&m, name, name, (size_t)(i % 8), ZIP_CM_STORE);
	}
	struct jr_buf zip = zip_end(&m);
	struct jr_archive *archive = open_zip(&zip, &limits);
	assert_int_equal(jr_archive_count(archive), 70000);
	assert_int_equal(jr_archive_find(archive, "d/12345"), 12345);
	expect_member(archive, "d/69999", "d/69999", 69999 % 8);
	jr_archive_close(archive);

	size_t end64 = find_signature(&zip, "PK\6\6", 0);
	limits.members = 69999;
	refuse_zip(jr_buf_view(&zip), &limits, JR_ELIMIT, "--max-members");
	limits.members = UINT64_MAX;
	static const uint64_t lies[] = {UINT64_C(1) << 40, UINT64_MAX, UINT64_C(1) << 32, 1 << 24};
	for (size_t i = 0; i < 4; i++) {
		put_le(&zip, end64 + 24, 8, lies[i]);
		put_le(&zip, end64 + 32, 8, lies[i]);
		refuse_zip(jr_buf_view(&zip), &limits, JR_EFORMAT, "more than fit in the file");
	}
	jr_buf_done(&zip);
}

/* A member count modulo 65536, as Info-ZIP writes it, does not bypass the limit. */
static UNIT(understated_count)
{
	struct jr_limits limits = jr_limits_default();
	struct zip_maker m = zip_begin();
	for (int i = 0; i < 300; i++) {
		char name[32];
		snprintf(name, sizeof(name), "%05d", i);
		zip_add_text(&m, name, name);
	}
	struct jr_buf zip = zip_end(&m);
	size_t end = find_signature(&zip, "PK\5\6", 0);
	put_le(&zip, end + 8, 2, 5);
	put_le(&zip, end + 10, 2, 5);
	limits.members = 299;
	refuse_zip(jr_buf_view(&zip), &limits, JR_ELIMIT, "more than 299 members");
	jr_buf_done(&zip);
}

static UNIT(messages_are_clean)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_archive *archive;
	struct jr_error err;
	assert_int_equal(
		jr_archive_open_memory(jr_bytes_of("text", 4), "a\nb\x1B[31m.zip", &limits, &archive, &err),
		JR_EFORMAT);
	assert_string_equal(err.message,
		"'a␊b␛[31m.zip' is not a supported profile. See 'jaxreport --help' for the inputs");
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	jr_buf_repeat(&name, 'n', 5000);
	assert_int_equal(
		jr_archive_open_memory(jr_bytes_of("text", 4), name.data, &limits, &archive, &err),
		JR_EFORMAT);
	assert_true(has_suffix(
		err.message, "n' is not a supported profile. See 'jaxreport --help' for the inputs"));
}

struct readers {
	struct jr_archive *archive;
	struct jr_buf expected[40];
	bool failed[400];
};

static void read_one(void *context, size_t index)
{
	struct readers *r = context;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	size_t member = index % 40;
	r->failed[index] = jr_archive_read(r->archive, member, &out, NULL) != JR_OK ||
					   !jr_bytes_eq(jr_buf_view(&out), jr_buf_view(&r->expected[member]));
}

static UNIT(many_threads_read)
{
	struct jr_limits limits = jr_limits_default();
	struct readers *r = calloc(1, sizeof(*r));
	assert_non_null(r);
	struct zip_maker m = zip_begin();
	for (size_t i = 0; i < 40; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%02zu", i);
		r->expected[i] = noise(i * 5000);
		memset(r->expected[i].data, (int)i, i * 2500);
		zip_add_bytes(&m, name, r->expected[i].data, r->expected[i].size,
			i % 2 ? ZIP_CM_DEFLATE : ZIP_CM_STORE);
	}
	struct jr_buf zip = zip_end(&m);
	r->archive = open_zip(&zip, &limits);
	jr_task_run(8, 400, read_one, r);
	for (size_t i = 0; i < 400; i++)
		if (r->failed[i])
			fail_msg("read %zu went wrong", i);
	jr_archive_close(r->archive);
	for (size_t i = 0; i < 40; i++)
		jr_buf_done(&r->expected[i]);
	jr_buf_done(&zip);
	free(r);
}
