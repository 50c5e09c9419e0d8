/* Combined archives: compared with the output of nsys-jax-combine, and rule by rule. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "corpus.h"
#include "model/inputs/combine.h"
#include "model/kinds/archives.h"
#include "zip_maker.h"

#define DATA CORPUS "archives/"

struct place {
	char *folder;
	char *corpus; /* absolute: tests change into their folder */
	int home;
};

/* Each test works in a new folder that is removed at its end. */
static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	char *here = getcwd(NULL, 0);
	if (!place || !here || asprintf(&place->corpus, "%s/" DATA, here) < 0)
		return -1;
	free(here);
	place->folder = strdup("/tmp/jaxreport-test-XXXXXX");
	place->home = open(".", O_RDONLY | O_DIRECTORY);
	*state = place;
	return place->folder && mkdtemp(place->folder) && chdir(place->folder) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	struct place *place = *state;
	int status = fchdir(place->home);
	close(place->home);
	jr_remove_tree(place->folder);
	free(place->folder);
	free(place->corpus);
	free(place);
	return status;
}

/* --- helpers --------------------------------------------------------------------------------- */

struct text_member {
	const char *name, *text;
};

static void put_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Members at odd positions are deflated. */
static void make_zip(const char *path, const struct text_member *members)
{
	struct zip_maker m = zip_begin();
	for (size_t i = 0; members[i].name; i++)
		zip_add_bytes(&m, members[i].name, members[i].text, strlen(members[i].text),
			i % 2 ? ZIP_CM_DEFLATE : ZIP_CM_STORE);
	struct jr_buf zip = zip_end(&m);
	put_file(path, zip.data, zip.size);
	jr_buf_done(&zip);
}

#define ZIP(path, ...) make_zip(path, (const struct text_member[]){__VA_ARGS__, {NULL, NULL}})

static enum jr_status combine(const char *output, const char *const *paths,
	enum jr_keep_reports keep, struct jr_combined *done, struct jr_error *err)
{
	size_t n = 0;
	while (paths[n])
		n++;
	struct jr_limits limits = jr_limits_default();
	const struct jr_combine_request request = {
		.paths = paths, .n_paths = n, .keep = keep, .limits = &limits};
	struct jr_outfile file;
	*done = (struct jr_combined){0};
	enum jr_status status = jr_outfile_begin(&file, output, jr_combine_kind(), true, err);
	if (status != JR_OK)
		return status;
	status = jr_combine(&request, &file, done, err);
	if (status == JR_OK)
		status = jr_outfile_commit(&file, err);
	jr_outfile_abandon(&file);
	return status;
}

/* Combine with exactly `n_warnings` warnings; the last one contains `warning`. */
static void combine_well(const char *output, const char *const *paths, enum jr_keep_reports keep,
	size_t n_warnings, const char *warning)
{
	struct jr_combined done;
	struct jr_error err = {0};
	if (combine(output, paths, keep, &done, &err) != JR_OK)
		fail_msg("%s", err.message);
	for (size_t i = 0; i < done.n_warnings; i++)
		if (done.n_warnings != n_warnings)
			print_message("warning: %s\n", done.warnings[i]);
	assert_int_equal(done.n_warnings, n_warnings);
	if (n_warnings && !strstr(done.warnings[n_warnings - 1], warning))
		fail_msg("no '%s' in '%s'", warning, done.warnings[n_warnings - 1]);
	jr_combined_done(&done);
}

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Every hand-made input lacks a trace, so each causes this warning. */
#define NO_TRACE "does not contain nvtx_gpu_proj_trace/trace.parquet"

static struct jr_buf read_member(zip_t *zip, uint64_t index, zip_flags_t flags)
{
	zip_stat_t st;
	struct jr_buf out = {0};
	assert_int_equal(zip_stat_index(zip, index, 0, &st), 0);
	size_t size = flags & ZIP_FL_COMPRESSED ? st.comp_size : st.size;
	jr_buf_reserve(&out, size);
	zip_file_t *file = zip_fopen_index(zip, index, flags);
	assert_non_null(file);
	while (out.size < size) {
		zip_int64_t n = zip_fread(file, out.data + out.size, size - out.size);
		assert_true(n > 0);
		out.size += (size_t)n;
	}
	char more;
	assert_int_equal(zip_fread(file, &more, 1), 0); /* libzip compares the checksum here */
	out.data[size] = '\0';
	zip_fclose(file);
	return out;
}

/* Check that the archive contains exactly these members, in this order. */
static void expect_members(const char *path, const struct text_member *members)
{
	zip_t *zip = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, NULL);
	assert_non_null(zip);
	size_t n = 0;
	for (; members[n].name; n++) {
		const char *name = zip_get_name(zip, n, ZIP_FL_ENC_RAW);
		if (!name || strcmp(name, members[n].name) != 0)
			fail_msg("member %zu is '%s', not '%s'", n, name ? name : "(none)", members[n].name);
		struct jr_buf content = read_member(zip, n, 0);
		assert_string_equal(content.data, members[n].text);
		jr_buf_done(&content);
	}
	assert_int_equal(zip_get_num_entries(zip, 0), n);
	zip_discard(zip);
}

#define EXPECT(path, ...)                                                                          \
	expect_members(path, (const struct text_member[]){__VA_ARGS__, {NULL, NULL}})

static void expect_same_bytes(const char *a, const char *b)
{
	struct jr_file_map x, y;
	assert_int_equal(jr_file_map(a, &x, NULL), JR_OK);
	assert_int_equal(jr_file_map(b, &y, NULL), JR_OK);
	assert_true(jr_bytes_eq(x.bytes, y.bytes));
	jr_file_unmap(&x);
	jr_file_unmap(&y);
}

static size_t n_files(void)
{
	size_t n = 0;
	DIR *d = opendir(".");
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

/* --- against the reference ------------------------------------------------------------------- */

static void expect_equal_entries(zip_t *a, zip_t *b, uint64_t i)
{
	zip_stat_t x, y;
	assert_int_equal(zip_stat_index(a, i, ZIP_FL_ENC_RAW, &x), 0);
	assert_int_equal(zip_stat_index(b, i, ZIP_FL_ENC_RAW, &y), 0);
	assert_string_equal(x.name, y.name);
	assert_int_equal(x.comp_method, y.comp_method);
	assert_int_equal(x.crc, y.crc);
	assert_int_equal(x.size, y.size);
	assert_int_equal(x.mtime, y.mtime);
	zip_uint8_t system_a, system_b;
	zip_uint32_t mode_a, mode_b;
	assert_int_equal(zip_file_get_external_attributes(a, i, 0, &system_a, &mode_a), 0);
	assert_int_equal(zip_file_get_external_attributes(b, i, 0, &system_b, &mode_b), 0);
	assert_int_equal(system_a, system_b);
	assert_int_equal(mode_a, mode_b);
	struct jr_buf content_a = read_member(a, i, 0), content_b = read_member(b, i, 0);
	assert_true(jr_bytes_eq(jr_buf_view(&content_a), jr_buf_view(&content_b)));
	jr_buf_done(&content_a);
	jr_buf_done(&content_b);
}

static UNIT_WITH(as_nsys_jax_combine, setup, teardown)
{
	const struct place *place = *state;
	if (access(place->corpus, R_OK) != 0) {
		print_message("no " DATA "\n");
		skip();
	}
	char *proc0, *proc1, *both;
	assert_true(asprintf(&proc0, "%spax_fsdp4_4proc_proc0.zip", place->corpus) > 0);
	assert_true(asprintf(&proc1, "%spax_fsdp4_4proc_proc1.zip", place->corpus) > 0);
	assert_true(asprintf(&both, "%spax_combined_01.zip", place->corpus) > 0);
	combine_well("out.zip", PATHS(proc0, proc1), JR_KEEP_FIRST, 0, "");
	zip_t *ours = zip_open("out.zip", ZIP_RDONLY | ZIP_CHECKCONS, NULL);
	zip_t *theirs = zip_open(both, ZIP_RDONLY, NULL);
	assert_non_null(ours);
	assert_non_null(theirs);
	assert_int_equal(zip_get_num_entries(theirs, 0), 210);
	assert_int_equal(zip_get_num_entries(ours, 0), 210);
	for (uint64_t i = 0; i < 210; i++)
		expect_equal_entries(ours, theirs, i);
	zip_discard(ours);
	zip_discard(theirs);

	/* the output keeps the order of the inputs; a combined archive counts as its parts */
	combine_well("turned.zip", PATHS(proc1, proc0), JR_KEEP_FIRST, 0, "");
	combine_well("again.zip", PATHS("turned.zip"), JR_KEEP_FIRST, 0, "");
	combine_well("twice.zip", PATHS("out.zip"), JR_KEEP_FIRST, 0, "");
	expect_same_bytes("out.zip", "twice.zip");
	combine_well("more.zip", PATHS(both, proc1), JR_KEEP_FIRST, 2, "contain the same trace");
	free(proc0);
	free(proc1);
	free(both);
}

/* --- the rules ------------------------------------------------------------------------------- */

static UNIT_WITH(what_is_the_same_stands_once, setup, teardown)
{
	ZIP("r0.zip", {"z/same", "same"}, {"a/other", "zero"}, {"only0", "0"}, {"empty", ""});
	ZIP("r1.zip", {"only1", "1"}, {"z/same", "same"}, {"a/other", "one!"}, {"empty", ""});
	combine_well("all.zip", PATHS("r0.zip", "./r1.zip"), JR_KEEP_FIRST, 2, NO_TRACE);
	EXPECT("all.zip", {"z/same", "same"}, {"a/other/r0", "zero"}, {"only0", "0"}, {"empty", ""},
		{"only1", "1"}, {"a/other/r1", "one!"});
}

static UNIT_WITH(two_of_three_agree, setup, teardown)
{
	ZIP("r0.zip", {"a", "A"}, {"b", "B"});
	ZIP("r1.zip", {"a", "A"}, {"c", "C"});
	ZIP("r2.zip", {"a", "different"}, {"b", "B"}, {"c", "D"});
	combine_well("all.zip", PATHS("r0.zip", "r1.zip", "r2.zip"), JR_KEEP_FIRST, 3, NO_TRACE);
	EXPECT("all.zip", {"a/r0", "A"}, {"b", "B"}, {"a/r1", "A"}, {"c/r1", "C"},
		{"a/r2", "different"}, {"c/r2", "D"});
}

static UNIT_WITH(entries_are_copied_as_they_are, setup, teardown)
{
	struct jr_buf text = {0};
	jr_buf_repeat(&text, 'x', 1000000);
	struct zip_maker m = zip_begin();
	uint64_t packed = zip_add_bytes(&m, "packed", text.data, text.size, ZIP_CM_DEFLATE);
	uint64_t stored = zip_add_bytes(&m, "stored", text.data, text.size, ZIP_CM_STORE);
	zip_add_text(&m, "caf\xC3\xA9", "name");
	assert_int_equal(zip_dir_add(m.zip, "folder", 0), 3); /* is left out */
	assert_int_equal(zip_file_set_dostime(m.zip, packed, 0x1234, 0x5678, 0), 0);
	assert_int_equal(zip_file_set_dostime(m.zip, stored, 0xBF7D, 0xFF9F, 0), 0);
	assert_int_equal(
		zip_file_set_external_attributes(m.zip, stored, 0, ZIP_OPSYS_UNIX, 0100640U << 16), 0);
	struct jr_buf zip = zip_end(&m);
	put_file("r0.zip", zip.data, zip.size);
	combine_well("all.zip", PATHS("r0.zip"), JR_KEEP_FIRST, 1, NO_TRACE);
	jr_buf_done(&zip);
	jr_buf_done(&text);

	zip_t *from = zip_open("r0.zip", ZIP_RDONLY, NULL), *to = zip_open("all.zip", ZIP_RDONLY, NULL);
	assert_int_equal(zip_get_num_entries(to, 0), 3);
	for (uint64_t i = 0; i < 3; i++) {
		expect_equal_entries(from, to, i);
		struct jr_buf a = read_member(from, i, ZIP_FL_COMPRESSED);
		struct jr_buf b = read_member(to, i, ZIP_FL_COMPRESSED);
		assert_true(jr_bytes_eq(jr_buf_view(&a), jr_buf_view(&b)));
		assert_true(i || a.size < 2000);
		jr_buf_done(&a);
		jr_buf_done(&b);
	}
	/* marked as UTF-8, in both headers */
	assert_string_equal(zip_get_name(to, 2, ZIP_FL_ENC_STRICT), "caf\xC3\xA9");
	zip_discard(from);
	zip_discard(to);
}

static UNIT_WITH(reports_are_kept_as_asked, setup, teardown)
{
	ZIP("r0.zip", {"r0.nsys-rep", "rep 0"}, {"x", "x"});
	ZIP("r1.zip", {"x", "x"}, {"r1.nsys-rep", "rep 1"});
	const char *const *paths = PATHS("r0.zip", "r1.zip");
	combine_well("first.zip", paths, JR_KEEP_FIRST, 2, NO_TRACE);
	EXPECT("first.zip", {"r0.nsys-rep", "rep 0"}, {"x", "x"});
	combine_well("all.zip", paths, JR_KEEP_ALL, 2, NO_TRACE);
	EXPECT("all.zip", {"r0.nsys-rep", "rep 0"}, {"x", "x"}, {"r1.nsys-rep", "rep 1"});
	combine_well("none.zip", paths, JR_KEEP_NONE, 2, NO_TRACE);
	EXPECT("none.zip", {"x", "x"});

	/* archives that were renamed */
	ZIP("a.zip", {"out.nsys-rep", "rep a"}, {"x", "x"});
	ZIP("b.zip", {"x", "x"}, {"out.nsys-rep", "rep b"});
	combine_well("first.zip", PATHS("a.zip", "b.zip"), JR_KEEP_FIRST, 2, NO_TRACE);
	EXPECT("first.zip", {"out.nsys-rep", "rep a"}, {"x", "x"});
	combine_well("all.zip", PATHS("a.zip", "b.zip"), JR_KEEP_ALL, 2, NO_TRACE);
	EXPECT("all.zip", {"out.nsys-rep/a", "rep a"}, {"x", "x"}, {"out.nsys-rep/b", "rep b"});
}

static UNIT_WITH(what_is_of_one_process_is_told_apart, setup, teardown)
{
	ZIP("r0.zip", {JR_MEMBER_TRACE, "t0"}, {JR_MEMBER_HOST_CSV, "host"}, {JR_MEMBER_DEVICES, "d"});
	ZIP("r1.zip", {JR_MEMBER_TRACE, "t1"}, {JR_MEMBER_DEVICES, "d"}, {JR_MEMBER_SYSTEM, "s"});
	combine_well("all.zip", PATHS("r0.zip", "r1.zip"), JR_KEEP_FIRST, 0, "");
	EXPECT("all.zip", {JR_MEMBER_TRACE "/r0", "t0"}, {JR_MEMBER_HOST_CSV "/r0", "host"},
		{JR_MEMBER_DEVICES, "d"}, {JR_MEMBER_TRACE "/r1", "t1"}, {JR_MEMBER_SYSTEM "/r1", "s"});
	/* a process with only this file of its own */
	ZIP("r2.zip", {JR_MEMBER_HOST_CSV, "host"}, {"x", "x"});
	combine_well("more.zip", PATHS("all.zip", "r2.zip"), JR_KEEP_FIRST, 1, "'r2.zip' " NO_TRACE);
	combine_well("same.zip", PATHS("more.zip"), JR_KEEP_FIRST, 1, "'more.zip: r2' " NO_TRACE);
	EXPECT("more.zip", {JR_MEMBER_TRACE "/r0", "t0"}, {JR_MEMBER_HOST_CSV "/r0", "host"},
		{JR_MEMBER_DEVICES "/r0", "d"}, {JR_MEMBER_DEVICES "/r1", "d"},
		{JR_MEMBER_TRACE "/r1", "t1"}, {JR_MEMBER_SYSTEM "/r1", "s"},
		{JR_MEMBER_HOST_CSV "/r2", "host"}, {"x", "x"});
}

static UNIT_WITH(one_name_twice, setup, teardown)
{
	assert_int_equal(mkdir("n0", 0777), 0);
	assert_int_equal(mkdir("n1", 0777), 0);
	ZIP("n0/out.zip", {"x", "0"});
	ZIP("n1/out.zip", {"x", "1"});
	ZIP("out-2.zip", {"x", "2"});
	combine_well(
		"all.zip", PATHS("n0/out.zip", "out-2.zip", "n1/out.zip"), JR_KEEP_FIRST, 4, NO_TRACE);
	EXPECT("all.zip", {"x/out", "0"}, {"x/out-2", "2"}, {"x/out-3", "1"});
}

static UNIT_WITH(combined_ones_count_as_their_parts, setup, teardown)
{
	ZIP("r0.zip", {JR_MEMBER_TRACE, "t0"}, {"d", "D"}, {"e", "E"}, {"r0.nsys-rep", "0"});
	ZIP("r1.zip", {JR_MEMBER_TRACE, "t1"}, {"d", "D"}, {"e", "E"}, {"r1.nsys-rep", "1"});
	ZIP("r2.zip", {JR_MEMBER_TRACE, "t2"}, {"d", "D"}, {"e", "F"}, {"r2.nsys-rep", "2"});
	combine_well("r01.zip", PATHS("r0.zip", "r1.zip"), JR_KEEP_ALL, 0, "");
	EXPECT("r01.zip", {JR_MEMBER_TRACE "/r0", "t0"}, {"d", "D"}, {"e", "E"}, {"r0.nsys-rep", "0"},
		{JR_MEMBER_TRACE "/r1", "t1"}, {"r1.nsys-rep", "1"});
	combine_well("a.zip", PATHS("r01.zip", "r2.zip"), JR_KEEP_ALL, 0, "");
	EXPECT("a.zip", {JR_MEMBER_TRACE "/r0", "t0"}, {"d", "D"}, {"e/r0", "E"}, {"r0.nsys-rep", "0"},
		{"e/r1", "E"}, {JR_MEMBER_TRACE "/r1", "t1"}, {"r1.nsys-rep", "1"},
		{JR_MEMBER_TRACE "/r2", "t2"}, {"e/r2", "F"}, {"r2.nsys-rep", "2"});
	combine_well("b.zip", PATHS("r2.zip", "r01.zip"), JR_KEEP_FIRST, 0, "");
	EXPECT("b.zip", {JR_MEMBER_TRACE "/r2", "t2"}, {"d", "D"}, {"e/r2", "F"}, {"r2.nsys-rep", "2"},
		{JR_MEMBER_TRACE "/r0", "t0"}, {"e/r0", "E"}, {"e/r1", "E"}, {JR_MEMBER_TRACE "/r1", "t1"});
	/* a process twice: its files need distinct names */
	combine_well("c.zip", PATHS("r01.zip", "r1.zip"), JR_KEEP_NONE, 2, "contain the same trace");
	EXPECT("c.zip", {JR_MEMBER_TRACE "/r0", "t0"}, {"d", "D"}, {"e", "E"},
		{JR_MEMBER_TRACE "/r1", "t1"}, {JR_MEMBER_TRACE "/r1-2", "t1"});
}

static UNIT_WITH(folders_are_inputs_too, setup, teardown)
{
	assert_int_equal(mkdir("r0", 0777), 0);
	assert_int_equal(mkdir("r0/sub", 0777), 0);
	put_file("r0/same", "same", 4);
	put_file("r0/sub/mine", "zero", 4);
	assert_int_equal(chmod("r0/same", 0640), 0);
	/* 2024-02-29 23:59:58 UTC */
	const struct timespec times[2] = {{.tv_sec = 1709251198}, {.tv_sec = 1709251198}};
	assert_int_equal(utimensat(AT_FDCWD, "r0/same", times, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, "r0/sub/mine", times, 0), 0);
	ZIP("r1.zip", {"same", "same"}, {"sub/mine", "one!"});
	combine_well("all.zip", PATHS("r0/", "r1.zip"), JR_KEEP_FIRST, 2, NO_TRACE);
	EXPECT("all.zip", {"same", "same"}, {"sub/mine/r0", "zero"}, {"sub/mine/r1", "one!"});
	assert_int_equal(chdir("r0"), 0);
	combine_well("../dot.zip", PATHS(".", "../r1.zip"), JR_KEEP_FIRST, 2, NO_TRACE);
	assert_int_equal(chdir(".."), 0);
	expect_same_bytes("all.zip", "dot.zip");

	struct jr_file_map map;
	assert_int_equal(jr_file_map("all.zip", &map, NULL), JR_OK);
	struct jr_bytes raw = map.bytes;
	const uint8_t *central = memmem(raw.data, raw.size, "PK\1\2", 4);
	assert_non_null(central);
	assert_int_equal(central[12] | central[13] << 8, 23 << 11 | 59 << 5 | 58 / 2);
	assert_int_equal(central[14] | central[15] << 8, (2024 - 1980) << 9 | 2 << 5 | 29);
	assert_int_equal(central[40] | central[41] << 8, 0100640);
	jr_file_unmap(&map);

	struct jr_combined done;
	struct jr_error err = {0};
	assert_int_equal(combine("no.zip", PATHS("/"), JR_KEEP_FIRST, &done, &err), JR_EUSAGE);
	assert_non_null(strstr(err.message, "cannot be used to name its files"));
	jr_combined_done(&done);
}

/* A date before 1980 or after 2107 becomes the nearest date that a zip can store. */
static UNIT_WITH(times_of_files_become_those_of_dos, setup, teardown)
{
	static const struct {
		int64_t seconds; /* since 1970 */
		int year, month, day, time;
	} cases[] = {
		{-5, 1980, 1, 1, 0},
		{315532799, 1980, 1, 1, 0}, /* the second before 1980 */
		{315532800 + 3661, 1980, 1, 1, 1 << 11 | 1 << 5},
		{951782400, 2000, 2, 29, 0},
		{978307199, 2000, 12, 31, 23 << 11 | 59 << 5 | 29},
		{INT64_C(4107456000), 2100, 2, 28, 0},
		{INT64_C(4107542400), 2100, 3, 1, 0}, /* no leap year */
		{INT64_C(4354732800), 2107, 12, 31, 0},
		{INT64_C(4354819200), 2107, 12, 31, 23 << 11 | 59 << 5 | 29}, /* 2108 */
	};
	assert_int_equal(mkdir("r0", 0777), 0);
	put_file("r0/same", "same", 4);
	ZIP("r1.zip", {"same", "same"});
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		const struct timespec at = {.tv_sec = (time_t)cases[i].seconds};
		struct jr_file_map map;
		assert_int_equal(utimensat(AT_FDCWD, "r0/same", (struct timespec[]){at, at}, 0), 0);
		(void)unlink("all.zip");
		combine_well("all.zip", PATHS("r0", "r1.zip"), JR_KEEP_FIRST, 2, NO_TRACE);
		assert_int_equal(jr_file_map("all.zip", &map, NULL), JR_OK);
		const uint8_t *central = memmem(map.bytes.data, map.bytes.size, "PK\1\2", 4);
		assert_non_null(central);
		assert_int_equal(central[12] | central[13] << 8, cases[i].time);
		assert_int_equal(central[14] | central[15] << 8,
			(cases[i].year - 1980) << 9 | cases[i].month << 5 | cases[i].day);
		jr_file_unmap(&map);
	}
}

static UNIT_WITH(same_bytes_in_every_time_zone, setup, teardown)
{
	struct zip_maker m = zip_begin();
	uint64_t i = zip_add_bytes(&m, "x", "x", 1, ZIP_CM_STORE);
	/* 2024-03-10 02:30, which New York's clocks skip */
	assert_int_equal(
		zip_file_set_dostime(m.zip, i, 2 << 11 | 30 << 5, 44 << 9 | 3 << 5 | 10, 0), 0);
	struct jr_buf zip = zip_end(&m);
	put_file("r0.zip", zip.data, zip.size);
	jr_buf_done(&zip);
	assert_int_equal(setenv("TZ", "America/New_York", 1), 0);
	tzset();
	combine_well("there.zip", PATHS("r0.zip"), JR_KEEP_FIRST, 1, NO_TRACE);
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	tzset();
	combine_well("here.zip", PATHS("r0.zip"), JR_KEEP_FIRST, 1, NO_TRACE);
	unsetenv("TZ");
	tzset();
	expect_same_bytes("there.zip", "here.zip");
	zip_t *to = zip_open("here.zip", ZIP_RDONLY, NULL),
		  *from = zip_open("r0.zip", ZIP_RDONLY, NULL);
	expect_equal_entries(from, to, 0);
	zip_discard(to);
	zip_discard(from);
}

/* --- unsupported inputs ---------------------------------------------------------------------- */

static void refuse(const char *const *paths, enum jr_status expected, const char *part)
{
	struct jr_combined done;
	struct jr_error err = {0};
	size_t before = n_files();
	enum jr_status status = combine("out.zip", paths, JR_KEEP_FIRST, &done, &err);
	if (status != expected || !strstr(err.message, part))
		fail_msg("status %d, '%s'; expected %d, '%s'", status, err.message, expected, part);
	assert_null(strchr(err.message, '\n'));
	assert_int_equal(n_files(), before);
	jr_combined_done(&done);
}

static UNIT_WITH(damage_leaves_nothing_behind, setup, teardown)
{
	ZIP("good.zip", {"a", "A"}, {"b", "B"});
	static const char text[] = "some text, some text, some text";
	struct zip_maker m = zip_begin();
	zip_add_bytes(&m, "stored", text, sizeof(text), ZIP_CM_STORE);
	zip_add_bytes(&m, "packed", text, sizeof(text), ZIP_CM_DEFLATE);
	struct jr_buf zip = zip_end(&m);
	size_t data = (size_t)((char *)memmem(zip.data, zip.size, text, 4) - zip.data);
	zip.data[data] ^= 1;
	put_file("stored.zip", zip.data, zip.size);
	zip.data[data] ^= 1;
	size_t packed = find_signature(&zip, "PK\3\4", 1) + 30 + strlen("packed");
	zip.data[packed + 2] ^= 1;
	put_file("packed.zip", zip.data, zip.size);
	zip.data[packed + 2] ^= 1;
	put_file("cut.zip", zip.data, zip.size - 30);
	size_t central = find_signature(&zip, "PK\1\2", 0);
	put_le(&zip, central + 20, 4, sizeof(text) - 1);
	put_file("sizes.zip", zip.data, zip.size);
	put_le(&zip, central + 20, 4, sizeof(text));
	put_le(&zip, central + 10, 2, 97); /* WavPack */
	put_file("method.zip", zip.data, zip.size);
	jr_buf_done(&zip);

	refuse(PATHS("good.zip", "stored.zip"), JR_EFORMAT,
		"member 'stored' of 'stored.zip' is damaged: its checksum");
	refuse(
		PATHS("good.zip", "packed.zip"), JR_EFORMAT, "member 'packed' of 'packed.zip' is damaged");
	refuse(PATHS("good.zip", "cut.zip"), JR_EFORMAT, "'cut.zip' is an incomplete zip file");
	refuse(PATHS("good.zip", "sizes.zip"), JR_EFORMAT, "member 'stored' of 'sizes.zip' is damaged");
	refuse(PATHS("good.zip", "method.zip"), JR_EUNSUPPORTED, "member 'stored' of 'method.zip'");
	refuse(PATHS("good.zip", "absent.zip"), JR_EIO, "absent.zip: does not exist");
}

static UNIT_WITH(encrypted_members_are_refused, setup, teardown)
{
	struct zip_maker m = zip_begin();
	uint64_t i = zip_add_bytes(&m, "secret", "secret", 6, ZIP_CM_DEFLATE);
	assert_int_equal(zip_file_set_encryption(m.zip, i, ZIP_EM_AES_256, "pw"), 0);
	struct jr_buf zip = zip_end(&m);
	put_file("aes.zip", zip.data, zip.size);
	jr_buf_done(&zip);
	refuse(PATHS("aes.zip"), JR_EUNSUPPORTED, "member 'secret' of 'aes.zip' is encrypted");
}

static UNIT_WITH(names_that_would_clash, setup, teardown)
{
	ZIP("r0.zip", {"a", "0"}, {"a/r1", "in the way"});
	ZIP("r1.zip", {"a", "1"});
	refuse(PATHS("r0.zip", "r1.zip"), JR_EFORMAT, "two members would both be named 'a/r1'");
	ZIP("bad.zip", {"../up", "x"}, {"y", "y"});
	combine_well("all.zip", PATHS("bad.zip"), JR_KEEP_FIRST, 2, NO_TRACE);
	EXPECT("all.zip", {"y", "y"});
}

/* --- the output ------------------------------------------------------------------------------ */

static void refuse_output(const char *target, bool force, const char *part)
{
	struct jr_outfile file;
	struct jr_error err = {0};
	size_t before = n_files();
	enum jr_status status = jr_outfile_begin(&file, target, jr_combine_kind(), force, &err);
	if (status == JR_OK || !strstr(err.message, part))
		fail_msg("status %d, '%s'; expected '%s'", status, err.message, part);
	jr_outfile_abandon(&file);
	assert_int_equal(n_files(), before);
}

static UNIT_WITH(only_a_zip_is_replaced, setup, teardown)
{
	ZIP("old.zip", {"old", "old"});
	put_file("text", "text", 4);
	put_file("empty", "", 0);
	assert_int_equal(mkdir("folder", 0777), 0);
	assert_int_equal(symlink("old.zip", "link.zip"), 0);
	refuse_output("old.zip", false, "'old.zip' exists. Replace it with -f.");
	refuse_output("text", true, "'text' exists and is not a zip file");
	refuse_output("empty", true, "'empty' exists and is not a zip file");
	refuse_output("folder", true, "'folder' exists and is a folder");
	refuse_output("link.zip", true, "'link.zip' exists and is not a regular file");
	refuse_output("", true, "not a file name");
	refuse_output("folder/..", true, "not a file name");
	refuse_output("new/", true, "not a file name");
	refuse_output("absent/new.zip", true, "the folder 'absent' does not exist");
	ZIP("r0.zip", {"new", "new"});
	combine_well("old.zip", PATHS("r0.zip"), JR_KEEP_FIRST, 1, NO_TRACE);
	EXPECT("old.zip", {"new", "new"});
	struct stat st;
	mode_t mask = umask(0);
	umask(mask);
	assert_int_equal(stat("old.zip", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
}

static UNIT_WITH(what_appears_meanwhile_stays, setup, teardown)
{
	struct jr_outfile file;
	struct jr_error err = {0};
	assert_int_equal(jr_outfile_begin(&file, "out", jr_combine_kind(), false, &err), JR_OK);
	assert_int_equal(jr_outfile_write(&file, "PK\5\6", 4, &err), JR_OK);
	put_file("out", "mine", 4);
	assert_int_equal(jr_outfile_commit(&file, &err), JR_EUSAGE);
	assert_non_null(strstr(err.message, "exists and is not a zip file"));
	jr_outfile_abandon(&file);
	assert_int_equal(n_files(), 1);
	assert_int_equal(jr_outfile_begin(&file, "other", jr_combine_kind(), true, &err), JR_OK);
	put_file("other", "mine", 4);
	assert_int_equal(jr_outfile_commit(&file, &err), JR_EUSAGE);
	jr_outfile_abandon(&file);
	jr_outfile_abandon(&file);
	assert_int_equal(n_files(), 2);
}
