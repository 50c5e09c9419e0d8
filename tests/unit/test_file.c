/* Mapping of inputs, and output folders that appear completely or not at all. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "in_folder.h"

static bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

static size_t count_entries(const char *path)
{
	DIR *d = opendir(path);
	assert_non_null(d);
	size_t n = 0;
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static void expect_content(const char *path, const char *text)
{
	struct jr_file_map map;
	struct jr_error err;
	assert_int_equal(jr_file_map(path, &map, &err), JR_OK);
	assert_true(jr_bytes_eq(map.bytes, jr_bytes_of(text, strlen(text))));
	jr_file_unmap(&map);
}

static UNIT_IN_FOLDER(maps_regular_files_only)
{
	struct jr_file_map map = {0};
	struct jr_error err;
	put_file("some", "content");
	put_file("empty", "");
	expect_content("some", "content");
	expect_content("empty", "");
	assert_int_equal(symlink("some", "link"), 0);
	expect_content("link", "content");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(jr_file_map("fifo", &map, &err), JR_EUNSUPPORTED); /* and does not block */
	assert_int_equal(jr_file_map(".", &map, &err), JR_EUNSUPPORTED);
	assert_int_equal(jr_file_map("/dev/null", &map, &err), JR_EUNSUPPORTED);
	assert_int_equal(jr_file_map("absent", &map, &err), JR_EIO);
	assert_string_equal(err.message, "absent: does not exist");
	assert_int_equal(jr_file_map("", &map, &err), JR_EIO);
	assert_null(map.mapping);
	jr_file_unmap(&map);
	jr_file_unmap(NULL);
}

static void mend(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (!jr_file_map_mend(info->si_addr))
		_exit(1);
}

/* Behind its new end a file reads as zeros, and its reader learns of it; other files are whole. */
static UNIT_IN_FOLDER(a_mapped_file_shrinks)
{
	static char text[3 * 65536];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct sigaction action = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO}, before;
	struct jr_file_map cut = {0}, whole = {0}, empty = {0};
	struct jr_error err;
	atomic_bool told = false;
	memset(text, 'x', sizeof(text) - 1);
	put_file("cut", text);
	put_file("whole", text);
	put_file("nothing", "");
	assert_int_equal(jr_file_map("cut", &cut, &err), JR_OK);
	assert_int_equal(jr_file_map("whole", &whole, &err), JR_OK);
	assert_int_equal(jr_file_map("nothing", &empty, &err), JR_OK);
	jr_file_map_watch(&cut, &told);
	jr_file_map_watch(&whole, NULL);
	jr_file_map_watch(&empty, NULL);
	assert_int_equal(truncate("cut", (off_t)page), 0);
	assert_int_equal(sigaction(SIGBUS, &action, &before), 0);
	assert_int_equal(cut.bytes.data[page - 1], 'x');
	assert_false(told);
	assert_int_equal(cut.bytes.data[page], 0);
	assert_int_equal(cut.bytes.data[cut.bytes.size - 1], 0);
	assert_int_equal(cut.bytes.data[0], 'x');
	assert_true(told);
	assert_true(jr_file_map_shrank(&cut));
	assert_int_equal(whole.bytes.data[page], 'x');
	assert_false(jr_file_map_shrank(&whole));
	assert_false(jr_file_map_shrank(&empty));
	assert_false(jr_file_map_mend(text));
	assert_int_equal(sigaction(SIGBUS, &before, NULL), 0);
	jr_file_unmap(&cut);
	jr_file_unmap(&whole);
	jr_file_unmap(&empty);
}

static UNIT_IN_FOLDER(last_part_of_a_path)
{
	static const char *const pairs[][2] = {{"a/b.zip", "b.zip"}, {"b.zip", "b.zip"},
		{"a/b//", "b"}, {"/b/", "b"}, {"a/..", ".."}, {"/", ""}, {"///", ""}, {"", ""}};
	for (size_t i = 0; i < JR_COUNT_OF(pairs); i++) {
		struct jr_bytes last = jr_file_name(pairs[i][0]);
		if (!jr_bytes_eq(last, jr_bytes_of(pairs[i][1], strlen(pairs[i][1]))))
			fail_msg("'%s': '%.*s'", pairs[i][0], (int)last.size, (const char *)last.data);
	}
}

static UNIT_IN_FOLDER(has_a_sibling_in_its_folder)
{
	static const char *const pairs[][3] = {{"a/b.zip", "a/.b.zip.tmp-XXXXXX", ""},
		{"report", ".report.tmp-x-XXXXXX", "x-"}, {"/r", "/.r.tmp-XXXXXX", ""},
		{"../r", "../.r.tmp-XXXXXX", ""}};
	for (size_t i = 0; i < JR_COUNT_OF(pairs); i++) {
		char *sibling = jr_file_sibling(pairs[i][0], pairs[i][2]);
		assert_string_equal(sibling, pairs[i][1]);
		free(sibling);
	}
	static const char *const none[] = {"", "/", ".", "..", "a/", "a/.", "a/.."};
	for (size_t i = 0; i < JR_COUNT_OF(none); i++)
		if (jr_file_names_entry(none[i]))
			fail_msg("'%s'", none[i]);
	assert_true(jr_file_names_entry("a/..b"));
	assert_true(jr_file_names_entry(".hidden"));
}

static void begin(struct jr_outdir *dir, const char *target, bool force)
{
	struct jr_error err = {0};
	if (jr_outdir_begin(dir, target, force, &err) != JR_OK)
		fail_msg("%s", err.message);
}

static void write_file(struct jr_outdir *dir, const char *name, const char *text)
{
	struct jr_error err = {0};
	if (jr_outdir_write(dir, name, jr_bytes_of(text, strlen(text)), &err) != JR_OK)
		fail_msg("%s", err.message);
}

static void commit(struct jr_outdir *dir)
{
	struct jr_error err = {0};
	if (jr_outdir_commit(dir, &err) != JR_OK)
		fail_msg("%s", err.message);
}

static void refuse(const char *target, bool force, enum jr_status status, const char *part)
{
	struct jr_outdir dir;
	struct jr_error err = {0};
	assert_int_equal(jr_outdir_begin(&dir, target, force, &err), status);
	if (!strstr(err.message, part))
		fail_msg("'%s' does not say '%s'", err.message, part);
	assert_null(dir.staging);
	jr_outdir_abandon(&dir);
}

static UNIT_IN_FOLDER(folder_appears_at_commit)
{
	struct jr_outdir dir;
	umask(022);
	begin(&dir, "report///", false);
	assert_string_equal(dir.target, "report");
	assert_false(exists("report"));
	assert_int_equal(count_entries("."), 1); /* the hidden sibling */
	write_file(&dir, "index.html", "<html>");
	write_file(&dir, "data/a.csv", "a");
	write_file(&dir, "data/b.csv", "");
	char *path = jr_outdir_path(&dir, "data/c.sqlite");
	put_file(path, "c");
	free(path);
	commit(&dir);
	assert_int_equal(count_entries("."), 1);
	expect_content("report/index.html", "<html>");
	expect_content("report/data/a.csv", "a");
	expect_content("report/data/b.csv", "");
	expect_content("report/data/c.sqlite", "c");
	assert_true(exists("report/" JR_OUTDIR_MARKER));
	struct stat st;
	assert_int_equal(stat("report", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755); /* not mkdtemp's 0700 */
	jr_outdir_abandon(&dir);
	assert_true(exists("report/index.html"));
}

static UNIT_IN_FOLDER(abandon_leaves_nothing)
{
	struct jr_outdir dir;
	begin(&dir, "report", false);
	write_file(&dir, "data/a.csv", "a");
	jr_outdir_abandon(&dir);
	jr_outdir_abandon(&dir);
	jr_outdir_abandon(NULL);
	assert_int_equal(count_entries("."), 0);
}

static UNIT_IN_FOLDER(empty_folder_is_filled)
{
	assert_int_equal(mkdir("report", 0700), 0);
	struct jr_outdir dir;
	begin(&dir, "report", false);
	write_file(&dir, "x", "x");
	commit(&dir);
	expect_content("report/x", "x");
	assert_int_equal(count_entries("."), 1);
}

static UNIT_IN_FOLDER(earlier_report_needs_force)
{
	struct jr_outdir dir;
	begin(&dir, "report", false);
	write_file(&dir, "old", "old");
	commit(&dir);
	refuse("report", false, JR_EUSAGE, "-f");
	expect_content("report/old", "old");
	begin(&dir, "report", true);
	expect_content("report/old", "old"); /* until the new one is complete */
	write_file(&dir, "new", "new");
	commit(&dir);
	expect_content("report/new", "new");
	assert_false(exists("report/old"));
	assert_int_equal(count_entries("."), 1);
	begin(&dir, "report", true);
	jr_outdir_abandon(&dir);
	expect_content("report/new", "new");
}

static UNIT_IN_FOLDER(what_is_not_ours_is_never_replaced)
{
	assert_int_equal(mkdir("home", 0700), 0);
	put_file("home/thesis", "years");
	put_file("file", "x");
	assert_int_equal(symlink("home", "link"), 0);
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	for (int force = 0; force < 2; force++) {
		refuse("home", force, JR_EUSAGE, "not made by jaxreport");
		refuse("file", force, JR_EUSAGE, "not a folder");
		refuse("link", force, JR_EUSAGE, "is a link");
		refuse("dangling", force, JR_EUSAGE, "is a link");
		refuse("", force, JR_EUSAGE, "is not a folder name");
		refuse(".", force, JR_EUSAGE, "is not a folder name");
		refuse("home/..", force, JR_EUSAGE, "is not a folder name");
		refuse("/", force, JR_EUSAGE, "is not a folder name");
		refuse("absent/report", force, JR_EIO, "the folder 'absent' does not exist");
		refuse("file/report", force, JR_EIO, "is not a folder");
	}
	expect_content("home/thesis", "years");
	assert_int_equal(count_entries("."), 4);
}

/* Another process creates the target between begin and commit. */
static UNIT_IN_FOLDER(target_that_came_up_meanwhile_is_kept)
{
	for (int force = 0; force < 2; force++) {
		struct jr_outdir dir;
		struct jr_error err;
		if (force)
			assert_int_equal(mkdir("report", 0700), 0); /* empty at begin */
		begin(&dir, "report", force);
		if (!force)
			assert_int_equal(mkdir("report", 0700), 0);
		put_file("report/mine", "mine");
		assert_int_equal(jr_outdir_commit(&dir, &err), JR_EUSAGE);
		jr_outdir_abandon(&dir);
		expect_content("report/mine", "mine");
		assert_int_equal(count_entries("."), 1);
		jr_remove_tree("report");
	}
	struct jr_outdir dir;
	struct jr_error err;
	begin(&dir, "report", true);
	put_file("report", "a file now");
	assert_int_equal(jr_outdir_commit(&dir, &err), JR_EUSAGE);
	jr_outdir_abandon(&dir);
	expect_content("report", "a file now");
}

static UNIT_IN_FOLDER(failed_write_is_reported_and_leaves_nothing)
{
	struct jr_outdir dir;
	struct jr_error err = {0};
	begin(&dir, "report", false);
	write_file(&dir, "x", "x");
	struct jr_bytes content = jr_bytes_of("y", 1);
	assert_int_equal(jr_outdir_write(&dir, "x", content, &err), JR_EIO); /* the same name twice */
	assert_int_equal(jr_outdir_write(&dir, "x/y", content, &err), JR_EIO);
	assert_int_equal(jr_outdir_write(&dir, "a/b/c", content, &err), JR_EIO);
	/* a full disk, as the process sees it */
	struct rlimit limit, small;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 1000;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	char *big = calloc(1, 5000);
	assert_non_null(big);
	enum jr_status status = jr_outdir_write(&dir, "big", jr_bytes_of(big, 5000), &err);
	free(big);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(status, JR_EIO);
	assert_string_equal(err.message, "cannot write 'report/big': File too large");
	jr_outdir_abandon(&dir);
	assert_int_equal(count_entries("."), 0);
}

static UNIT_IN_FOLDER(remove_tree_does_not_follow_links)
{
	assert_int_equal(mkdir("outside", 0700), 0);
	put_file("outside/kept", "kept");
	assert_int_equal(mkdir("tree", 0700), 0);
	assert_int_equal(mkdir("tree/sub", 0700), 0);
	put_file("tree/sub/file", "x");
	assert_int_equal(symlink("../outside", "tree/link"), 0);
	jr_remove_tree("tree");
	assert_false(exists("tree"));
	expect_content("outside/kept", "kept");
	jr_remove_tree("absent");
}
