/* Texts passed to a recorded program and to nsys: XLA_FLAGS, names of many processes, command
 * lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "record/nsys_words.h"
#include "record/ranks.h"
#include "record/xla_flags.h"

static struct jr_arena arena;

static int begin(void **state)
{
	(void)state;
	jr_arena_init(&arena, 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	jr_arena_done(&arena);
	return 0;
}

/* --- XLA_FLAGS ------------------------------------------------------------------------------ */

static struct jr_xla_flags extended(const char *now, const char *dump)
{
	struct jr_xla_flags out;
	struct jr_error err = {0};
	assert_int_equal(jr_xla_flags_extend(now, dump, &arena, &out, &err), JR_OK);
	return out;
}

static UNIT(flags_are_appended)
{
	assert_string_equal(
		extended(NULL, "/w/dump").value, "--xla_dump_hlo_as_proto=true --xla_dump_to=/w/dump");
	assert_string_equal(
		extended("  ", "/d").value, "--xla_dump_hlo_as_proto=true --xla_dump_to=/d");
	struct jr_xla_flags f = extended("--a='x y' --b", "/d");
	assert_string_equal(f.value, "--a='x y' --b --xla_dump_hlo_as_proto=true --xla_dump_to=/d");
	assert_null(f.dump_then);
	assert_false(f.without_hlo);
}

static UNIT(users_flags_hold)
{
	struct jr_xla_flags f =
		extended("--xla_dump_to=\"/my dump\" --xla_dump_hlo_as_proto=false", "/d");
	assert_string_equal(f.dump_then, "/my dump");
	assert_true(f.without_hlo);
	assert_string_equal(
		f.value, "--xla_dump_to=\"/my dump\" --xla_dump_hlo_as_proto=false --xla_dump_to=/d");
	/* the last one counts, and quoted text is not a flag */
	assert_false(extended("--xla_dump_hlo_as_proto=0 --xla_dump_hlo_as_proto", "/d").without_hlo);
	f = extended("--x='--xla_dump_to=/no' --xla_dump_to_not=1", "/d");
	assert_null(f.dump_then);
	assert_string_equal(extended("--y='open", "/d").value,
		"--y='open --xla_dump_hlo_as_proto=true --xla_dump_to=/d");
}

static UNIT(a_folder_is_quoted)
{
	struct jr_xla_flags f = extended(NULL, "/a b/\"c\"\\d");
	assert_string_equal(
		f.value, "--xla_dump_hlo_as_proto=true --xla_dump_to=\"/a b/\\\"c\\\"\\\\d\"");
	/* as it is read back */
	assert_string_equal(extended(f.value, "/e").dump_then, "/a b/\\\"c\\\"\\\\d");
}

static UNIT(flags_of_a_file)
{
	char path[] = "/tmp/jr-flags-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "--a=1\n--b=2\n", 12), 12);
	close(fd);
	const char *now = jr_arena_printf(&arena, " %s ", path);
	assert_string_equal(
		extended(now, "/d").value, "--a=1\n--b=2\n --xla_dump_hlo_as_proto=true --xla_dump_to=/d");
	unlink(path);
	struct jr_xla_flags out;
	struct jr_error err = {0};
	assert_int_equal(jr_xla_flags_extend(now, "/d", &arena, &out, &err), JR_EIO);
	assert_non_null(strstr(err.message, path));
}

/* --- names of many processes ---------------------------------------------------------------- */

static const char *variable(void *context, const char *name)
{
	size_t n = strlen(name);
	for (const char *const *v = context; *v; v++)
		if (strncmp(*v, name, n) == 0 && (*v)[n] == '=')
			return *v + n + 1;
	return NULL;
}

static UNIT(ranks_of_launchers)
{
	struct jr_rank rank;
	const char *none[] = {"RANK=x", "LOCAL_RANK=-1", NULL};
	jr_rank_find(variable, none, &rank);
	assert_null(rank.variable);
	assert_int_equal(rank.rank, -1);
	assert_int_equal(rank.local, -1);
	const char *slurm[] = {"RANK=9", "SLURM_PROCID=3", "SLURM_LOCALID=1", "SLURM_NTASKS=4", NULL};
	jr_rank_find(variable, slurm, &rank);
	assert_string_equal(rank.variable, "SLURM_PROCID");
	assert_int_equal(rank.rank, 3);
	assert_int_equal(rank.local, 1);
	assert_int_equal(rank.n_ranks, 4);
	bool is;
	struct jr_error err = {0};
	assert_int_equal(jr_rank_matches("rank=0,3", &rank, &is, &err), JR_OK);
	assert_true(is);
	assert_int_equal(jr_rank_matches("local=0", &rank, &is, &err), JR_OK);
	assert_false(is);
	assert_int_equal(jr_rank_matches("rank=", &rank, &is, &err), JR_EUSAGE);
	assert_int_equal(jr_rank_matches("host=1", &rank, &is, &err), JR_EUSAGE);
	rank.rank = -1;
	assert_int_equal(jr_rank_matches("rank=0", &rank, &is, &err), JR_EUSAGE);
}

static const char *name_of(const char *pattern, enum jr_status want)
{
	static const char *set[] = {"RANK=7", "EMPTY=", NULL};
	const struct jr_name_values values = {variable, set, "node1", 42};
	struct jr_error err = {0};
	const char *out = NULL;
	assert_int_equal(jr_name_expand(pattern, &values, &arena, &out, &err), want);
	return want == JR_OK ? out : jr_arena_strdup(&arena, err.message);
}

static UNIT(names_are_expanded)
{
	assert_string_equal(name_of("a/rank%q{RANK}-%h-%p-100%%", JR_OK), "a/rank7-node1-42-100%.zip");
	assert_string_equal(name_of("out.zip", JR_OK), "out.zip");
	assert_string_equal(name_of("out.nsys-rep", JR_OK), "out.zip");
	assert_string_equal(name_of("out.sqlite", JR_OK), "out.sqlite.zip");
	assert_string_equal(name_of("%q{NO}", JR_EUSAGE), "%q{NO}: the variable NO is not set");
	assert_string_equal(
		name_of("%q{EMPTY}", JR_EUSAGE), "%q{EMPTY}: the variable EMPTY is not set");
	name_of("%q{RANK", JR_EUSAGE);
	name_of("%qRANK", JR_EUSAGE);
	name_of("%x", JR_EUSAGE);
	name_of("%", JR_EUSAGE);
	name_of("", JR_EUSAGE);
	assert_true(jr_name_differs("x%%%p"));
	assert_true(jr_name_differs("%q{RANK}"));
	assert_false(jr_name_differs("%%p%h%"));
}

static UNIT(numbers_that_are_free)
{
	char folder[] = "/tmp/jr-names-XXXXXX";
	assert_non_null(mkdtemp(folder));
	const char *pattern = jr_arena_printf(&arena, "%s/run%%n", folder);
	const char *first = name_of(pattern, JR_OK);
	assert_string_equal(first + strlen(folder), "/run1.zip");
	fclose(fopen(first, "w"));
	const char *second = name_of(pattern, JR_OK);
	assert_string_equal(second + strlen(folder), "/run2.zip");
	unlink(first);
	rmdir(folder);
}

/* --- nsys ----------------------------------------------------------------------------------- */

/* In the form that 2022.4 to 2023.4 print. */
static const char HELP[] =
	"usage: nsys profile [<args>]\n\n"
	"\t-c, --capture-range=\n\n\t   Possible values are 'none' or 'cudaProfilerApi'.\n\n"
	"\t--capture-range-end=\n\n\t   Default is 'stop-shutdown'.\n\n"
	"\t--cpuctxsw=\n\n\t   Possible values are 'none'.\n\n"
	"\t--cuda-graph-trace=<granularity>[:<launch origin>]\n\n\t   Set it.\n\n"
	"\t-s, --sample=\n\n\t   Possible values are 'none'.\n\n"
	"\t-t, --trace=\n\n\t   Possible values are 'cuda', 'nvtx', 'cublas-verbose', \n"
	"\t   'cudnn' or 'none'.\n\n"
	"\t--trace-fork-before-exec=\n\n\t   Possible values are 'cublas'.\n";

static const char *line_of(const jr_words *words)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf line = {0};
	for (size_t i = 0; i < words->n; i++) {
		if (i)
			jr_buf_putc(&line, ' ');
		jr_put_shell_word(&line, words->items[i]);
	}
	return jr_arena_strndup(&arena, line.data, line.size);
}

static const char *profile_line(const char *const *options, const char *help, enum jr_status want)
{
	char *program[] = {(char[]){"python"}, (char[]){"my train.py"}};
	struct jr_nsys_wish wish = {
		.nsys = "nsys", .output = "w/a.nsys-rep", .program = program, .n_program = 2};
	for (; *options; options++)
		*jr_vec_add(&wish.options) = *options;
	jr_words words = {0};
	struct jr_error err = {0};
	assert_int_equal(jr_nsys_profile_words(&wish, help, &arena, &words, &err), want);
	const char *line = want == JR_OK ? line_of(&words) : jr_arena_strdup(&arena, err.message);
	jr_vec_done(&words);
	jr_vec_done(&wish.options);
	return line;
}

static UNIT(help_is_read)
{
	assert_true(jr_nsys_knows(HELP, "--trace"));
	assert_true(jr_nsys_knows(HELP, "-t"));
	assert_true(jr_nsys_knows(HELP, "--cuda-graph-trace"));
	assert_false(jr_nsys_knows(HELP, "--capture"));
	assert_false(jr_nsys_knows(HELP, "--python-sampling"));
	assert_true(jr_nsys_lists(HELP, "--trace", "cudnn"));
	assert_false(jr_nsys_lists(HELP, "--trace", "cublas")); /* belongs to the next option */
	assert_false(jr_nsys_knows("", "--trace"));
}

static UNIT(command_lines)
{
	assert_string_equal(profile_line((const char *[]){NULL}, HELP, JR_OK),
		"nsys profile --output=w/a.nsys-rep --force-overwrite=true --trace=cuda,nvtx,cudnn "
		"--cuda-graph-trace=node --sample=none --cpuctxsw=none python 'my train.py'");
	/* the user's own, under either name; a capture range does not end the program */
	assert_string_equal(
		profile_line(
			(const char *[]){"-t=cuda", "-c=cudaProfilerApi", "--sample=cpu", NULL}, HELP, JR_OK),
		"nsys profile --output=w/a.nsys-rep --force-overwrite=true --cuda-graph-trace=node "
		"--cpuctxsw=none --capture-range-end=stop -t=cuda -c=cudaProfilerApi --sample=cpu python "
		"'my train.py'");
	/* a version without support for it */
	assert_string_equal(profile_line((const char *[]){NULL}, "", JR_OK),
		"nsys profile --output=w/a.nsys-rep --force-overwrite=true --trace=cuda,nvtx python "
		"'my train.py'");
	assert_non_null(strstr(
		profile_line((const char *[]){"--no-such=1", NULL}, HELP, JR_EUNSUPPORTED), "'--no-such'"));
	assert_non_null(strstr(
		profile_line((const char *[]){"-t=cuda", "--trace=nvtx", NULL}, HELP, JR_EUSAGE), "twice"));
	assert_non_null(
		strstr(profile_line((const char *[]){"-ox", NULL}, HELP, JR_EUSAGE), "--output"));
	profile_line((const char *[]){"cuda", NULL}, HELP, JR_EUSAGE);
}

static UNIT(export_lines)
{
	jr_words words = {0};
	jr_nsys_export_words("nsys", "", "a.nsys-rep", "a.sqlite", &arena, &words);
	assert_string_equal(line_of(&words),
		"nsys export --type=sqlite --quiet=true --force-overwrite=true --output=a.sqlite "
		"a.nsys-rep");
	words.n = 0;
	jr_nsys_export_words(
		"nsys", "\t--tables=<pattern>\n", "a.nsys-rep", "a.sqlite", &arena, &words);
	assert_non_null(strstr(line_of(&words), "NVTX_EVENTS,CUPTI_ACTIVITY_KIND_"));
	jr_vec_done(&words);
}

UNIT_GROUP(begin, end)
