/* Text of Python files: lines of any bytes, and where files are searched. */
#include "source_case.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "model/inputs/source_text.h"
#include "zip_maker.h"

/* --- lines ------------------------------------------------------------------------------------ */

/* Check the lines of the bytes, each after its number. */
static void check_lines(const char *bytes, size_t n, const char *expected)
{
	struct jr_buf text = {0}, got = {0};
	uint32_t *line_at = NULL;
	/* a block of exactly this size, so that ASan detects a read past it */
	char *copy = malloc(n ? n : 1);
	assert_non_null(copy);
	memcpy(copy, bytes, n);
	uint32_t n_lines = jr_source_text_lines(jr_bytes_of(copy, n), &text, &line_at);
	for (uint32_t i = 0; i < n_lines; i++) {
		const char *line = text.data + line_at[i];
		assert_true(jr_text_is_clean(line, strlen(line)));
		jr_buf_printf(&got, "%u:%s|", i + 1, line);
	}
	if (strcmp(got.size ? got.data : "", expected) != 0)
		fail_msg("is '%s', must be '%s'", got.size ? got.data : "", expected);
	jr_buf_done(&got);
	jr_buf_done(&text);
	free(line_at);
	free(copy);
}

#define LINES(bytes, expected) check_lines(bytes, sizeof(bytes) - 1, expected)

static UNIT_IN_ARENA(test_lines)
{
	LINES("", "");
	LINES("a", "1:a|");
	LINES("a\n", "1:a|");
	LINES("a\n\nb", "1:a|2:|3:b|");
	LINES("a\r\nb\rc\n\rd", "1:a|2:b|3:c|4:|5:d|");
	LINES("\r\n", "1:|");
	LINES("\xEF\xBB\xBFx = 1\n", "1:x = 1|");
	LINES("\tif a:\n  \tb\n1234\tc\n", "1:    if a:|2:    b|3:1234    c|");
	LINES("a\0b\n\x1b[31m\n", "1:a␀b|2:␛[31m|");
	LINES("\xff\xfe\n\xe2\x80\xae evil\n", "1:\xef\xbf\xbd\xef\xbf\xbd|2:\xef\xbf\xbd evil|");
	LINES("<script>alert(1)</script>\n", "1:<script>alert(1)</script>|");
}

static UNIT_IN_ARENA(test_long_lines)
{
	size_t n = 10 << 20;
	char *bytes = malloc(n);
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	uint32_t *line_at = NULL;
	assert_non_null(bytes);
	for (size_t i = 0; i < n; i++)
		bytes[i] = "\xc3\xa9"[i % 2];
	assert_int_equal(jr_source_text_lines(jr_bytes_of(bytes, n), &text, &line_at), 1);
	assert_int_equal(strlen(text.data), 300 + strlen("…"));
	assert_true(jr_text_is_clean(text.data, strlen(text.data)));
	free(line_at);
	/* and as many lines as bytes, without searching the rest of the text for each */
	for (const char *end = "\n\r"; *end; end++) {
		text.size = 0;
		memset(bytes, *end, n);
		assert_int_equal(jr_source_text_lines(jr_bytes_of(bytes, n), &text, &line_at), 200000);
		free(line_at);
	}
	free(bytes);
}

/* --- where files are searched ----------------------------------------------------------------- */

/* Add one thunk per file, at line `line`, and load the text that the archive and the options
 * provide. */
static void load(struct job *job, struct jr_arena *a, const struct jr_options *options,
	struct jr_archive *archive, size_t n, const char *const *files, int line)
{
	struct source_case s = source_new(a);
	for (size_t i = 0; i < n; i++) {
		char name[32];
		snprintf(name, sizeof(name), "fusion.%zu", i);
		source_thunk(&s, name, "fusion", source_frame(&s, files[i], "f", line, 0),
			100 - (int64_t)i);
	}
	source_finish(&s, job, options);
	job->profile.n_inputs = 1;
	job->profile.inputs = JR_ARENA_N(&job->profile.arena, struct jr_input, 1);
	jr_source_texts_load(&job->profile, &archive);
}

static void check_text_of(const struct job *job, size_t row, const char *file, const char *line,
	const char *missing)
{
	assert_true(row < job->profile.n_source_texts);
	const struct jr_source_text *t = &job->profile.source_texts[row];
	assert_string_equal(jr_str(&job->profile, t->file), file);
	if (missing) {
		assert_non_null(t->missing);
		if (!strstr(t->missing, missing))
			fail_msg("%s: '%s'", file, t->missing);
		assert_null(jr_source_line(t, 1));
		return;
	}
	if (t->missing)
		fail_msg("%s: %s", file, t->missing);
	assert_string_equal(jr_source_line(t, 1), line);
	assert_null(jr_source_line(t, 0));
	assert_null(jr_source_line(t, t->n_lines + 1));
}

static UNIT_IN_ARENA(test_members)
{
	struct zip_maker m = zip_begin();
	char *big = malloc((1 << 20) + 1);
	assert_non_null(big);
	memset(big, 'x', (1 << 20) + 1);
	zip_add_text(&m, "sources/a/plain.py", "plain = 1\n");
	zip_add_text(&m, "sources/a/split.py/rank1", "second\n");
	zip_add_text(&m, "sources/a/split.py/rank0", "first\n");
	zip_add_text(&m, "sources/a/short.py", "");
	zip_add_bytes(&m, "sources/a/binary.py", "\x7f" "ELF\0\0", 6, ZIP_CM_STORE);
	zip_add_bytes(&m, "sources/a/big.py", big, (1 << 20) + 1, ZIP_CM_DEFLATE);
	zip_add_text(&m, "sources/relative.py", "relative\n");
	struct jr_buf zip = zip_end(&m);
	struct jr_archive *archive = zip_archive(&zip);
	static const char *const files[] = {"/a/plain.py", "/a/split.py", "/a/short.py",
		"/a/binary.py", "/a/big.py", "relative.py", "/a/none.py", "<string>"};
	struct job job;
	load(&job, *state, NULL, archive, JR_COUNT_OF(files), files, 1);
	assert_int_equal(job.profile.n_source_texts, JR_COUNT_OF(files) - 1);
	check_text_of(&job, 0, files[0], "plain = 1", NULL);
	check_text_of(&job, 1, files[1], "first", NULL);
	check_text_of(&job, 2, files[2], NULL, "fewer lines");
	check_text_of(&job, 3, files[3], NULL, "not a text file");
	check_text_of(&job, 4, files[4], NULL, "larger than 1 MiB");
	check_text_of(&job, 5, files[5], "relative", NULL);
	check_text_of(&job, 6, files[6], NULL, "does not contain the file");
	job_done(&job);
	struct jr_options options = jr_options_default();
	options.no_sources = true;
	load(&job, *state, &options, archive, JR_COUNT_OF(files), files, 1);
	assert_int_equal(job.profile.n_source_texts, 0);
	job_done(&job);
	jr_archive_close(archive);
	jr_buf_done(&zip);
	free(big);
}

/* The path is shown without the prefix, but the file is found with it. "/home/me" is not a
 * prefix of "/home/meg". */
static UNIT_IN_ARENA(test_strip_prefix)
{
	struct zip_maker m = zip_begin();
	zip_add_text(&m, "sources/home/me/train.py", "mine\n");
	zip_add_text(&m, "sources/home/meg/train.py", "other\n");
	struct jr_buf zip = zip_end(&m);
	struct jr_archive *archive = zip_archive(&zip);
	static const char *const files[] = {"/home/me/train.py", "/home/meg/train.py"};
	static const char *const prefixes[] = {"/home/me", "/home/me/"};
	for (size_t i = 0; i < JR_COUNT_OF(prefixes); i++) {
		struct jr_options options = jr_options_default();
		struct job job;
		options.strip_prefix = prefixes[i];
		load(&job, *state, &options, archive, 2, files, 1);
		check_text_of(&job, 0, "train.py", "mine", NULL);
		check_text_of(&job, 1, "/home/meg/train.py", "other", NULL);
		assert_string_equal(
			jr_str(&job.profile, job_op(&job, "fusion.0")->source_file), "train.py");
		for (size_t f = 0; f < job.profile.n_frames; f++)
			assert_null(strstr(jr_str(&job.profile, job.profile.frames[f].text), "/home/me/"));
		job_done(&job);
	}
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

/* A checkout of code that ran elsewhere: found by the whole path, then by its ends. Only Python
 * files below the folder count, and no other version. */
static UNIT_IN_ARENA(test_outside)
{
	char folder[] = "/tmp/jaxreport-test-XXXXXX", inner[64];
	assert_non_null(mkdtemp(folder));
	snprintf(inner, sizeof(inner), "%s/pkg", folder);
	assert_int_equal(mkdir(inner, 0700), 0);
	put_file(inner, "layer.py", "layer\n2\n3\n");
	put_file(folder, "layer.py", "another\n2\n3\n");
	put_file(folder, "short.py", "1\n");
	put_file(folder, "secret", "x\n2\n3\n");
	put_file(inner, "up.py", "up\n2\n3\n");
	static const char *const files[] = {"/build/src/pkg/layer.py", "/build/short.py", "/secret",
		"/x/../pkg/up.py", "../pkg/up.py", "/pkg/none.py", "/layer.py"};
	struct jr_options options = jr_options_default();
	struct job job;
	options.sources_dir = folder;
	load(&job, *state, &options, NULL, JR_COUNT_OF(files), files, 3);
	check_text_of(&job, 0, files[0], "layer", NULL);
	assert_true(job.profile.source_texts[0].outside);
	check_text_of(&job, 1, files[1], NULL, "fewer lines");
	check_text_of(&job, 2, files[2], NULL, "does not contain the file");
	check_text_of(&job, 3, files[3], NULL, "does not contain the file");
	check_text_of(&job, 4, files[4], NULL, "does not contain the file");
	check_text_of(&job, 5, files[5], NULL, "does not contain the file");
	check_text_of(&job, 6, files[6], "another", NULL);
	job_done(&job);
	jr_remove_tree(folder);
}

/* Only the heaviest 48 files are read, in order of their time. */
static UNIT_IN_ARENA(test_many_files)
{
	char names[60][24];
	const char *files[60];
	struct job job;
	for (size_t i = 0; i < JR_COUNT_OF(files); i++) {
		snprintf(names[i], sizeof(names[i]), "/m/%zu.py", i);
		files[i] = names[i];
	}
	load(&job, *state, NULL, NULL, JR_COUNT_OF(files), files, 1);
	assert_int_equal(job.profile.n_source_texts, 48);
	for (size_t i = 0; i < 48; i++)
		check_text_of(&job, i, files[i], NULL, "does not contain the file");
	job_done(&job);
}
