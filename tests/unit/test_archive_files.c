/* Archives on disk: folders, the zip readers' corpus, and real profiles. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "corpus.h"
#include "formats/archive/archive.h"
#include "formats/archive/digest.h"
#include "in_folder.h"

/* --- folders, below a fresh one in /tmp (tests of the corpus stay in the repository) */

static struct jr_archive *open_path(const char *path, const struct jr_limits *limits)
{
	struct jr_archive *archive = NULL;
	struct jr_error err = {0};
	if (jr_archive_open(path, limits, &archive, &err) != JR_OK)
		fail_msg("%s", err.message);
	return archive;
}

static void refuse_path(
	const char *path, const struct jr_limits *limits, enum jr_status expected, const char *part)
{
	struct jr_archive *archive = NULL;
	struct jr_error err = {0};
	enum jr_status status = jr_archive_open(path, limits, &archive, &err);
	if (status != expected || !strstr(err.message, part))
		fail_msg("status %d, '%s'; expected %d, '%s'", status, err.message, expected, part);
	assert_null(archive);
}

static void make_tree(void)
{
	assert_int_equal(mkdir("in", 0700), 0);
	assert_int_equal(mkdir("in/dump", 0700), 0);
	assert_int_equal(mkdir("in/dump/deep", 0700), 0);
	assert_int_equal(mkdir("in/none", 0700), 0);
	put_file("in/trace.parquet", "PAR1");
	put_file("in/dump/b.xz", "bb");
	put_file("in/dump/a.xz", "a");
	put_file("in/dump/deep/c", "ccc");
	put_file("in/empty", "");
	put_file("in/.hidden", "h");
}

static UNIT_IN_FOLDER(folder_is_walked)
{
	struct jr_limits limits = jr_limits_default();
	make_tree();
	struct jr_archive *archive = open_path("in/", &limits);
	static const struct {
		const char *name, *text;
	} members[] = {{".hidden", "h"}, {"dump/a.xz", "a"}, {"dump/b.xz", "bb"},
		{"dump/deep/c", "ccc"}, {"empty", ""}, {"trace.parquet", "PAR1"}};
	assert_true(jr_archive_is_directory(archive));
	assert_int_equal(jr_archive_raw(archive).size, 0);
	assert_int_equal(jr_archive_count(archive), JR_COUNT_OF(members));
	assert_int_equal(jr_archive_rejected(archive), 0);
	for (size_t i = 0; i < JR_COUNT_OF(members); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		struct jr_error err;
		const struct jr_archive_member *m = jr_archive_at(archive, i);
		assert_string_equal(m->name, members[i].name);
		assert_int_equal(jr_archive_find(archive, m->name), i);
		assert_int_equal(m->size_bytes, strlen(members[i].text));
		assert_int_equal(m->packed_bytes, m->size_bytes);
		assert_int_equal(m->crc32, 0);
		assert_int_equal(jr_archive_read(archive, i, &out, &err), JR_OK);
		assert_string_equal(out.data, members[i].text);
	}
	assert_int_equal(jr_archive_lower_bound(archive, "dump/"), 1);
	assert_int_equal(jr_archive_lower_bound(archive, "dump0"), 4);
	jr_archive_close(archive);
}

static UNIT_IN_FOLDER(folder_is_entered)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {0};
	struct jr_buf out = {0};
	make_tree();
	struct jr_archive *archive = open_path("in", &limits);
	assert_int_equal(jr_archive_enter(archive, "none/such", &err), JR_EIO);
	assert_non_null(strstr(err.message, "cannot read folder 'none/such' in 'in'"));
	assert_int_equal(jr_archive_count(archive), 6);
	assert_int_equal(jr_archive_enter(archive, "dump", &err), JR_OK);
	assert_int_equal(jr_archive_count(archive), 3);
	assert_string_equal(jr_archive_at(archive, 0)->name, "a.xz");
	assert_int_equal(jr_archive_find(archive, "deep/c"), 2);
	assert_int_equal(jr_archive_read(archive, 2, &out, &err), JR_OK);
	assert_string_equal(out.data, "ccc");
	jr_buf_done(&out);
	assert_int_equal(jr_archive_enter(archive, "deep", &err), JR_OK);
	assert_int_equal(jr_archive_find(archive, "c"), 0);
	assert_int_equal(jr_archive_count(archive), 1);
	jr_archive_close(archive);
}

static UNIT_IN_FOLDER(links_and_pipes_are_not_members)
{
	struct jr_limits limits = jr_limits_default();
	make_tree();
	assert_int_equal(mkdir("outside", 0700), 0);
	put_file("outside/secret", "s");
	assert_int_equal(symlink("../outside/secret", "in/link"), 0);
	assert_int_equal(symlink("../outside", "in/folder"), 0);
	assert_int_equal(symlink(".", "in/loop"), 0);
	assert_int_equal(symlink("nowhere", "in/dangling"), 0);
	assert_int_equal(mkfifo("in/pipe", 0600), 0);
	put_file("in/back\\slash", "x");
	struct jr_archive *archive = open_path("in", &limits);
	assert_int_equal(jr_archive_count(archive), 6);
	assert_int_equal(jr_archive_rejected(archive), 1); /* the backslash */
	jr_archive_close(archive);
	/* the input itself may be a symbolic link */
	assert_int_equal(symlink("in", "input"), 0);
	archive = open_path("input", &limits);
	assert_int_equal(jr_archive_count(archive), 6);
	jr_archive_close(archive);
}

static UNIT_IN_FOLDER(folder_that_changes_is_noticed)
{
	struct jr_limits limits = jr_limits_default();
	static const char *const names[] = {"dump/a.xz", "dump/b.xz", "dump/deep/c", "trace.parquet"};
	make_tree();
	put_file("secret", "cc\n");
	struct jr_archive *archive = open_path("in", &limits);
	put_file("in/dump/a.xz", "longer now");
	put_file("in/dump/b.xz", "");
	assert_int_equal(unlink("in/dump/deep/c"), 0);
	assert_int_equal(symlink("../../../secret", "in/dump/deep/c"), 0);
	assert_int_equal(unlink("in/trace.parquet"), 0);
	assert_int_equal(mkfifo("in/trace.parquet", 0600), 0);
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		struct jr_buf out = {0};
		struct jr_error err;
		size_t at = jr_archive_find(archive, names[i]);
		assert_int_equal(jr_archive_read(archive, at, &out, &err), JR_EIO);
		assert_non_null(strstr(err.message, names[i]));
		assert_null(out.data);
	}
	jr_archive_close(archive);
}

static UNIT_IN_FOLDER(folder_limits)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	make_tree();
	limits.members = 8;
	refuse_path("in", &limits, JR_ELIMIT, "--max-members");
	limits.members = 9; /* 6 files, 3 folders */
	limits.depth = 1;
	refuse_path("in", &limits, JR_ELIMIT, "--max-depth");
	limits.depth = 2;
	limits.entry_bytes = 3;
	struct jr_archive *archive = open_path("in", &limits);
	assert_int_equal(
		jr_archive_read(archive, jr_archive_find(archive, "trace.parquet"), &out, &err), JR_ELIMIT);
	assert_string_equal(err.message, "member 'trace.parquet' of 'in' is 4 bytes, limit 3 "
									 "(--max-entry-bytes)");
	assert_int_equal(
		jr_archive_read(archive, jr_archive_find(archive, "dump/deep/c"), &out, &err), JR_OK);
	jr_archive_close(archive);
}

static UNIT_IN_FOLDER(what_is_no_archive)
{
	struct jr_limits limits = jr_limits_default();
	put_file("text.zip", "not a zip");
	put_file("empty.zip", "");
	put_file("cut.zip", "PK\3\4....");
	assert_int_equal(mkfifo("pipe", 0600), 0);
	refuse_path("absent.zip", &limits, JR_EIO, "absent.zip: does not exist");
	refuse_path("", &limits, JR_EIO, "'': does not exist");
	refuse_path("text.zip", &limits, JR_EFORMAT,
		"'text.zip' is not a supported profile. See 'jaxreport --help' for the inputs");
	refuse_path("text.zip/x", &limits, JR_EIO, "does not exist");
	refuse_path("empty.zip", &limits, JR_EFORMAT, "is empty");
	refuse_path("cut.zip", &limits, JR_EFORMAT, "the upload or copy was probably cut short");
	refuse_path("pipe", &limits, JR_EUNSUPPORTED, "not a regular file");
	refuse_path("/dev/null", &limits, JR_EUNSUPPORTED, "not a regular file");
	assert_int_equal(mkdir("bare", 0700), 0);
	struct jr_archive *archive = open_path("bare", &limits);
	assert_int_equal(jr_archive_count(archive), 0);
	jr_archive_close(archive);
}

/* --- the corpus */

struct zip_case {
	const char *name;
	enum jr_status open;
	size_t n_members, n_rejected;
	size_t n_failed;     /* members that cannot be read */
	enum jr_status read; /* with this status */
	const char *part;    /* part of the message */
};

static const struct zip_case good[] = {
	{"NtfsTimestamp.zip", JR_OK, 1, 0, 0, JR_OK, ""},
	{"big-compression.zip", JR_OK, 1, 0, 0, JR_OK, ""},
	{"big-uncompressed.zip", JR_OK, 1, 0, 0, JR_OK, ""},
	/* it tests that names can still be listed */
	{"bogus-compression-method.zip", JR_OK, 1, 0, 1, JR_EUNSUPPORTED, "method"},
	{"cygwin-info-zip.zip", JR_OK, 2, 0, 0, JR_OK, ""},
	{"deflate.zip", JR_OK, 1, 0, 0, JR_OK, ""},
	{"directories.zip", JR_OK, 1, 0, 0, JR_OK, ""},
	{"empty.zip", JR_OK, 0, 0, 0, JR_OK, ""},
	{"everything.zip", JR_OK, 1003, 0, 0, JR_OK, ""},
	{"linux-info-zip.zip", JR_OK, 2, 0, 0, JR_OK, ""},
	{"sloppy-filenames.zip", JR_OK, 1, 1, 0, JR_OK, ""}, /* a\txt */
	{"streaming.zip", JR_OK, 2, 0, 0, JR_OK, ""},
	{"traditional-encryption-and-compression.zip", JR_OK, 1, 0, 1, JR_EUNSUPPORTED, "is encrypted"},
	{"traditional-encryption-and-compression_deprecated.zip", JR_OK, 1, 0, 1, JR_EUNSUPPORTED,
		"is encrypted"},
	{"traditional-encryption.zip", JR_OK, 1, 0, 1, JR_EUNSUPPORTED, "is encrypted"},
	{"traditional-encryption_deprecated.zip", JR_OK, 1, 0, 1, JR_EUNSUPPORTED, "is encrypted"},
	{"unicode.zip", JR_OK, 2, 0, 0, JR_OK, ""},
	{"unix-epoch.zip", JR_OK, 1, 0, 0, JR_OK, ""},
	{"windows-7-zip.zip", JR_OK, 2, 0, 0, JR_OK, ""},
	{"windows-compressed-folder.zip", JR_OK, 2, 0, 0, JR_OK, ""},
	{"zip64.zip", JR_OK, 2, 0, 0, JR_OK, ""},
	/* an Info-ZIP Unicode path field with an empty path: libzip 1.7 considers it damage */
	{"unicode-path-extra-field.zip", JR_EFORMAT, 0, 0, 0, JR_OK, "damaged"},
};

#define ZIP64 "zip64-extended-information-extra-field-does-not-include-"

static const struct zip_case bad[] = {
	{"End-of-central-directory-record-signature-not-found-Either-not-a-zip-file-or-fil.zip",
		JR_EFORMAT, 0, 0, 0, JR_OK, "is empty"},
	/* bad only by yauzl's strict rules: a truncated comment loses no member */
	{"Invalid-comment-length-Expected-1-Found-0-Are-there-extra-bytes-at-the-end-of-th.zip", JR_OK,
		2, 0, 0, JR_OK, ""},
	/* names that lead outside are left out and counted; the other member is read */
	{"absolute-path-C-xt.zip", JR_OK, 1, 1, 0, JR_OK, ""},
	{"absolute-path-atxt.zip", JR_OK, 1, 1, 0, JR_OK, ""},
	{"invalid-characters-in-fileName-a-txt.zip", JR_OK, 1, 1, 0, JR_OK, ""},
	{"invalid-relative-path-xt.zip", JR_OK, 1, 1, 0, JR_OK, ""},
	{"compressed-uncompressed-size-mismatch-for-stored-file-2147483647-5.zip", JR_OK, 2, 0, 1,
		JR_EFORMAT, "more compressed bytes than the file contains"},
	{"extra-field-length-exceeds-extra-field-buffer-size.zip", JR_EFORMAT, 0, 0, 0, JR_OK,
		"damaged"},
	{"file-data-overflows-file-bounds-63-2147483647-308.zip", JR_OK, 2, 0, 1, JR_EFORMAT,
		"more compressed bytes than the file contains"},
	{"invalid-central-directory-file-header-signature-0x1014b50.zip", JR_EFORMAT, 0, 0, 0, JR_OK,
		"not where its end record points"},
	{"invalid-code-lengths-set.zip", JR_OK, 1, 0, 1, JR_EFORMAT, "is damaged"},
	/* libzip uses only the length of a local header, and the content's checksum is right */
	{"invalid-local-file-header-signature-0x3034b50.zip", JR_OK, 2, 0, 0, JR_OK, ""},
	{"invalid-zip64-end-of-central-directory-record-signature.zip", JR_EFORMAT, 0, 0, 0, JR_OK,
		"damaged"},
	{"multi-disk-zip-files-are-not-supported-found-disk-number-1.zip", JR_EUNSUPPORTED, 0, 0, 0,
		JR_OK, "several parts"},
	{"not-enough-bytes-in-the-stream-expected-2048576-got-only-1000000.zip", JR_OK, 1, 0, 1,
		JR_EFORMAT, "is damaged"},
	{"strong-encryption-is-not-supported.zip", JR_OK, 1, 0, 1, JR_EUNSUPPORTED, "is encrypted"},
	{"too-many-bytes-in-the-stream-expected-82496-got-at-least-98304.zip", JR_OK, 1, 0, 1,
		JR_EFORMAT, "more than the 82496 bytes"},
	{"too-many-length-or-distance-symbols.zip", JR_OK, 1, 0, 1, JR_EFORMAT, "is damaged"},
	{"unexpected-EOF.zip", JR_EFORMAT, 0, 0, 0, JR_OK, "extra field"},
	{"unsupported-compression-method-1.zip", JR_OK, 2, 0, 1, JR_EUNSUPPORTED, "method"},
	{ZIP64 "compressed-size.zip", JR_EFORMAT, 0, 0, 0, JR_OK, "damaged"},
	{ZIP64 "relative-header-offset.zip", JR_EFORMAT, 0, 0, 0, JR_OK, "damaged"},
	{ZIP64 "uncompressed-size.zip", JR_EFORMAT, 0, 0, 0, JR_OK, "damaged"},
};

static void run_case(const char *path, const struct zip_case *c)
{
	struct jr_limits limits = jr_limits_default();
	limits.ratio = 4096; /* other faults of a member */
	struct jr_archive *archive;
	struct jr_error err = {0};
	enum jr_status status = jr_archive_open(path, &limits, &archive, &err);
	if (status != c->open || !strstr(err.message, status == JR_OK ? "" : c->part))
		fail_msg("%s: status %d, '%s'; expected %d, '%s'", c->name, status, err.message, c->open,
			c->part);
	if (status != JR_OK)
		return;
	size_t n_failed = 0;
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		status = jr_archive_read(archive, i, &out, &err);
		if (status != JR_OK && (status != c->read || !strstr(err.message, c->part)))
			fail_msg("%s: status %d, '%s'; expected %d, '%s'", c->name, status, err.message,
				c->read, c->part);
		if (status == JR_OK)
			assert_true(out.size == jr_archive_at(archive, i)->size_bytes);
		n_failed += status != JR_OK;
	}
	if (jr_archive_count(archive) != c->n_members ||
		jr_archive_rejected(archive) != c->n_rejected || n_failed != c->n_failed)
		fail_msg("%s: %zu members, %zu rejected, %zu failed", c->name, jr_archive_count(archive),
			jr_archive_rejected(archive), n_failed);
	jr_archive_close(archive);
}

struct case_list {
	const struct zip_case *cases;
	size_t n;
};

static void corpus_file(const char *path, const char *name, void *context)
{
	const struct case_list *list = context;
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->cases[i].name, name) == 0) {
			run_case(path, &list->cases[i]);
			return;
		}
	fail_msg("no expectation for %s", name);
}

static UNIT(corpus_good)
{
	CORPUS_OR_SKIP("zip/good");
	struct case_list list = {good, JR_COUNT_OF(good)};
	assert_int_equal(corpus_each(CORPUS "zip/good", corpus_file, &list), JR_COUNT_OF(good));
}

static UNIT(corpus_bad)
{
	CORPUS_OR_SKIP("zip/bad");
	struct case_list list = {bad, JR_COUNT_OF(bad)};
	assert_int_equal(corpus_each(CORPUS "zip/bad", corpus_file, &list), JR_COUNT_OF(bad));
}

/* Counts and sizes from another reader (Python's zipfile), without folders. */
static UNIT(real_profiles)
{
	static const struct {
		const char *path;
		size_t n;
		uint64_t n_bytes;
		const char *sha256;
	} files[] = {
		{CORPUS "archives/maxtext_fsdp4.zip", 148, 2627868, "da5bcc4b"},
		{CORPUS "archives/pax_combined_01.zip", 210, 5185439, "fa051259"},
		{CORPUS "archives/pax_fsdp4_4proc_proc0.zip", 179, 3880814, "2fb9bf5d"},
		{CORPUS "archives/pax_fsdp4_4proc_proc1.zip", 179, 3878809, "fa554945"},
	};
	CORPUS_OR_SKIP("archives");
	for (size_t i = 0; i < JR_COUNT_OF(files); i++) {
		struct jr_limits limits = jr_limits_default();
		struct jr_archive *archive = open_path(files[i].path, &limits);
		uint64_t n_bytes = 0;
		assert_int_equal(jr_archive_count(archive), files[i].n);
		assert_int_equal(jr_archive_rejected(archive), 0);
		for (size_t k = 0; k < files[i].n; k++) {
			JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
			struct jr_error err;
			assert_int_equal(jr_archive_read(archive, k, &out, &err), JR_OK);
			n_bytes += out.size;
		}
		assert_true(n_bytes == files[i].n_bytes);
		char hex[65];
		jr_archive_sha256(archive, hex);
		assert_memory_equal(hex, files[i].sha256, 8);
		jr_archive_close(archive);
	}
}
