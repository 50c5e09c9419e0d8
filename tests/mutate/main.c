/*
 * main.c - jr-mutate: damaged inputs against the rules that hold for every input.
 *
 * usage: jr-mutate PROGRAM FOLDER FIRST COUNT SAMPLE...
 *
 * For an archive given as hlo:FILE only the HLO is damaged.
 * Each of COUNT seeds from FIRST on damages one sample and runs PROGRAM on it:
 *   - it ends by itself within 10 s of processor time, with exit 0 or 1;
 *   - it takes less memory than --max-memory allows, plus the memory of a small run;
 *   - with exit 0 there is no line on stderr (-q), with 1 exactly one, of clean text, that contains
 *     the name of the damaged input or of the valid one used with it;
 *   - the output is complete, or there is none (unless that line says that the report lacks a part
 *     of the input); there are no other files next to it.
 * A case that breaks a rule is kept as FOLDER/failed-SEED with its command line.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "formats/text/json_parse.h"
#include "formats/nsys/nsys_export.h"
#include "mutate.h"

#define LIMIT_MB 256 /* --max-memory */
#define SMALL_MB 128 /* for libraries, fonts and charts */

enum sort {
	SORT_ZIP,
	SORT_SQLITE,
	SORT_JSON,
	SORT_CSV,
	SORT_XSPACE,
	SORT_DIGEST,
	SORT_TRACE, /* of jax.profiler, as JSON */
	SORT_STORE  /* a history */
};

struct sample {
	const char *path;
	enum sort sort;
	bool only_hlo;
	struct jr_buf raw;
	struct members members; /* ZIP */
};

struct run {
	const char *program, *folder;
	bool sanitized; /* memory is not checked against the limit */
	JR_VEC(struct sample) samples;
	/* of the current seed */
	uint64_t seed;
	struct rng rng;
	const struct sample *sample;
	struct jr_buf what; /* kinds of damage, for messages */
	char input[512], output[512], errors[512], wrong[1400];
	const char *arguments[24];
	size_t n_arguments;
	struct rusage usage;
	int status;
	size_t passed, failed;
	size_t refused, partly; /* of the passed ones: without output; with a partial report */
};

static void die(const char *what)
{
	fprintf(stderr, "jr-mutate: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void read_file(const char *path, struct jr_buf *out)
{
	struct jr_file_map map;
	if (jr_file_map(path, &map, NULL) != JR_OK)
		return;
	jr_buf_reserve(out, map.bytes.size + 1);
	if (map.bytes.size)
		jr_buf_add(out, map.bytes.data, map.bytes.size);
	jr_file_unmap(&map);
}

static void write_file(const char *path, const struct jr_buf *bytes)
{
	FILE *f = fopen(path, "wb");
	if (!f || (bytes->size && fwrite(bytes->data, 1, bytes->size, f) != bytes->size) ||
		fclose(f) != 0)
		die(path);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && strcmp(s + n - m, end) == 0;
}

static void add_sample(struct run *run, const char *path)
{
	bool only_hlo = strncmp(path, "hlo:", 4) == 0;
	path += only_hlo ? 4 : 0;
	struct sample s = {.path = path, .sort = SORT_CSV, .only_hlo = only_hlo};
	read_file(path, &s.raw);
	if (!s.raw.size)
		die(path);
	if (jr_nsys_is_sqlite(jr_buf_view(&s.raw)))
		s.sort = SORT_SQLITE;
	else if (ends_with(path, ".trace.json"))
		s.sort = SORT_TRACE;
	else if (ends_with(path, ".json"))
		s.sort = SORT_JSON;
	else if (ends_with(path, ".jsonl"))
		s.sort = SORT_STORE;
	else if (ends_with(path, ".xplane.pb"))
		s.sort = SORT_XSPACE;
	else if (ends_with(path, ".jrd"))
		s.sort = SORT_DIGEST;
	else if (members_read(&s.members, path))
		s.sort = SORT_ZIP;
	*jr_vec_add(&run->samples) = s;
}

/* --- damage ----------------------------------------------------------------------------------- */

static void note(struct run *run, const char *what)
{
	jr_buf_printf(&run->what, "%s%s", run->what.size ? ", " : "", what);
}

static void damage_archive(struct run *run, struct jr_buf *out)
{
	uint64_t how = run->sample->only_hlo ? 1 : rng_below(&run->rng, 8);
	if (how < 6) {
		struct members members;
		members_copy(&members, &run->sample->members);
		for (uint64_t k = 1 + rng_below(&run->rng, 3); k; k--)
			note(run, (run->sample->only_hlo ? damage_hlo : damage_members)(&run->rng, &members));
		members_write(&members, out);
		members_done(&members);
		if (how)
			return;
	} else {
		jr_buf_add(out, run->sample->raw.data, run->sample->raw.size);
	}
	if (how == 6) {
		note(run, "bytes");
		damage_bytes(&run->rng, out);
	} else {
		note(run, "records");
		damage_zip_records(&run->rng, out);
	}
}

static void damage_file(struct run *run, struct jr_buf *out)
{
	jr_buf_add(out, run->sample->raw.data, run->sample->raw.size);
	bool bytes = rng_one_in(&run->rng, 3);
	switch (run->sample->sort) {
	case SORT_SQLITE:
		if (!bytes && !damage_sqlite(&run->rng, out))
			bytes = true;
		break;
	case SORT_STORE:
		if (!bytes && rng_one_in(&run->rng, 2))
			damage_csv(&run->rng, out); /* lines */
		/* fall through */
	case SORT_JSON:
	case SORT_TRACE:
		if (!bytes)
			damage_json(&run->rng, out);
		break;
	case SORT_XSPACE: /* only nested fields: a change of any byte hits one */
		bytes = true;
		break;
	case SORT_DIGEST: bytes = bytes || !damage_digest(&run->rng, out); break;
	default:
		if (!bytes)
			damage_csv(&run->rng, out);
		break;
	}
	if (bytes)
		damage_bytes(&run->rng, out);
	note(run, bytes ? "bytes" : "content");
}

/* --- the command ------------------------------------------------------------------------------ */

static void argue(struct run *run, const char *argument)
{
	run->arguments[run->n_arguments++] = argument;
	run->arguments[run->n_arguments] = NULL;
}

/* An undamaged sample of the same sort. */
static const char *good(const struct run *run)
{
	return run->sample->path;
}

static void choose_command(struct run *run)
{
	static const char *const formats[] = {"json", "json,md,text,csv", "html,json",
		"json,md,text,csv,html,summary,metrics,sarif,sqlite,mail", "html,json,svg"};
	uint64_t how = rng_below(&run->rng, 16);
	bool archive = run->sample->sort == SORT_ZIP;
	run->n_arguments = 0;
	argue(run, run->program);
	bool earlier = run->sample->sort == SORT_JSON || ends_with(run->sample->path, "profile.sqlite");
	if (run->sample->sort == SORT_STORE) {
		argue(run, "history");
		argue(run, "show");
		argue(run, run->input);
	} else if (earlier || how == 0) {
		argue(run, "compare");
		argue(run, how % 2 ? run->input : good(run));
		argue(run, how % 2 ? good(run) : run->input);
	} else if (archive && how == 1) {
		argue(run, "combine");
		argue(run, run->input);
		argue(run, good(run));
	} else {
		argue(run, "report");
		argue(run, run->input);
		if (how == 2)
			argue(run, good(run));
	}
	argue(run, "-q");
	argue(run, "-o");
	argue(run, run->output);
	argue(run, "--max-memory=256M");
	if (strcmp(run->arguments[1], "combine") != 0) {
		argue(run, "--format");
		argue(run, formats[rng_below(&run->rng, JR_COUNT_OF(formats))]);
		argue(run, rng_one_in(&run->rng, 2) ? "-j1" : "-j4");
	}
}

static void child(const struct run *run)
{
	struct rlimit cpu = {10, 11}, core = {0, 0};
	int null = open("/dev/null", O_RDWR),
		errors = open(run->errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
	alarm(120); /* against a hang without processor time */
	if (null < 0 || errors < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
		dup2(errors, STDERR_FILENO) < 0)
		_exit(120);
	union {
		const char *const *in;
		char *const *out;
	} arguments = {.in = run->arguments};
	execv(run->program, arguments.out);
	_exit(121);
}

static void execute(struct run *run)
{
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		child(run);
	while (wait4(pid, &run->status, 0, &run->usage) < 0)
		if (errno != EINTR)
			die("wait");
}

/* --- rules ------------------------------------------------------------------------------------ */

static bool broken(struct run *run, const char *fmt, ...) JR_PRINTF(2, 3);
static bool broken(struct run *run, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(run->wrong, sizeof(run->wrong), fmt, args);
	va_end(args);
	return false;
}

static bool has_end(const char *path, const char *end)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	read_file(path, &text);
	size_t n = strlen(end);
	return text.size > n && memcmp(text.data + text.size - n, end, n) == 0;
}

static bool is_json(const char *path)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	struct jr_json_doc doc;
	struct jr_limits limits = jr_limits_default();
	limits.string_bytes = 1 << 30;
	read_file(path, &text);
	bool ok = jr_json_parse(jr_buf_view(&text), &limits, &doc, NULL) == JR_OK;
	jr_json_done(&doc);
	return ok;
}

/* Check that all files of the chosen formats exist and are complete. */
static bool is_whole(struct run *run)
{
	if (strcmp(run->arguments[1], "combine") == 0) {
		struct members members;
		bool ok = members_read(&members, run->output);
		members_done(&members);
		return ok;
	}
	char path[600];
	snprintf(path, sizeof(path), "%s/%s", run->output, JR_OUTDIR_MARKER);
	bool ok = access(path, F_OK) == 0;
	snprintf(path, sizeof(path), "%s/report.json", run->output);
	if (access(path, F_OK) != 0)
		snprintf(path, sizeof(path), "%s/compare.json", run->output);
	ok = ok && is_json(path);
	snprintf(path, sizeof(path), "%s/index.html", run->output);
	return ok && (access(path, F_OK) != 0 || has_end(path, "</html>\n"));
}

/* Check that the output has no siblings except the input and the messages. */
static bool is_alone(struct run *run)
{
	DIR *d = opendir(run->folder);
	bool alone = d != NULL;
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] == '.' && strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			alone = broken(run, "left behind: %s", e->d_name);
	if (d)
		closedir(d);
	return alone;
}

static bool quotes(const struct jr_buf *errors, const char *name, size_t n)
{
	for (const char *at = errors->data; (at = strchr(at, '\'')) != NULL; at++)
		if (strncmp(at + 1, name, n) == 0 && at[1 + n] == '\'')
			return true;
	return false;
}

/* Check that a message contains the last part of a path, as messages about a part of an input do; a
 * trace is named without its ending, like its profile. */
static bool names(const struct jr_buf *errors, const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *ending = strchr(name, '.');
	return quotes(errors, path, strlen(path)) || quotes(errors, name, strlen(name)) ||
		   (ending && quotes(errors, name, (size_t)(ending - name)));
}

static bool check_message(struct run *run, int code, struct jr_buf *errors)
{
	size_t lines = 0;
	for (size_t i = 0; i < errors->size; i++)
		lines += errors->data[i] == '\n';
	if (code == 0)
		return lines == 0 || broken(run, "a message with exit 0");
	if (lines != 1 || errors->data[errors->size - 1] != '\n')
		return broken(run, "%zu lines on stderr with exit 1", lines);
	errors->data[--errors->size] = '\0';
	if (strncmp(errors->data, "jaxreport: ", 11) != 0 || errors->size < 20 || errors->size > 2000)
		return broken(run, "an odd message");
	if (!jr_text_is_clean(errors->data, errors->size))
		return broken(run, "a message with bytes that are not for terminals");
	if (!names(errors, run->input) && !names(errors, good(run)))
		return broken(run, "a message that names no input");
	return true;
}

static bool is_partly(int code, const struct jr_buf *errors)
{
	return code == 1 && errors->size && ends_with(errors->data, "does not include it");
}

static bool check_output(struct run *run, int code, const struct jr_buf *errors)
{
	bool there = access(run->output, F_OK) == 0, partly = is_partly(code, errors);
	if (there && code == 1 && !partly)
		return broken(run, "exit 1, and yet an output");
	if (!there && (code == 0 || partly))
		return broken(run, "no output");
	if (there && !is_whole(run))
		return broken(run, "the output is not whole");
	return is_alone(run);
}

static bool check(struct run *run)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf errors = {0};
	read_file(run->errors, &errors);
	jr_buf_reserve(&errors, 1);
	errors.data[errors.size] = '\0';
	int code = WIFEXITED(run->status) ? WEXITSTATUS(run->status) : -1;
	long most_kb = (LIMIT_MB + SMALL_MB) * 1024L;
	bool ok = false;
	if (WIFSIGNALED(run->status))
		(void)broken(run, "ended by signal %d: %.400s", WTERMSIG(run->status), errors.data);
	else if (code != 0 && code != 1)
		(void)broken(run, "exit %d: %.300s", code, errors.data);
	else if (!run->sanitized && run->usage.ru_maxrss > most_kb)
		(void)broken(run, "took %ld MiB", run->usage.ru_maxrss / 1024);
	else if (check_message(run, code, &errors))
		ok = check_output(run, code, &errors);
	if (!ok && code == 1) {
		size_t n = strlen(run->wrong);
		snprintf(run->wrong + n, sizeof(run->wrong) - n, ": %.300s", errors.data);
	}
	bool partly = is_partly(code, &errors);
	run->partly += ok && partly;
	run->refused += ok && code == 1 && !partly;
	return ok;
}

static void tell_failure(const struct run *run)
{
	char kept[600];
	snprintf(kept, sizeof(kept), "%s/failed-%llu", run->folder, (unsigned long long)run->seed);
	(void)rename(run->input, kept);
	printf("mutate: seed %llu (%s of %s): %s\n  ", (unsigned long long)run->seed, run->what.data,
		run->sample->path, run->wrong);
	for (size_t i = 0; i < run->n_arguments; i++)
		printf("%s%c", run->arguments[i] == run->input ? kept : run->arguments[i],
			i + 1 < run->n_arguments ? ' ' : '\n');
	fflush(stdout);
}

static void run_seed(struct run *run, uint64_t seed)
{
	static const char *const endings[] = {[SORT_ZIP] = "zip",
		[SORT_SQLITE] = "sqlite",
		[SORT_JSON] = "json",
		[SORT_CSV] = "csv",
		[SORT_XSPACE] = "xplane.pb",
		[SORT_DIGEST] = "jrd",
		[SORT_TRACE] = "trace.json",
		[SORT_STORE] = "jsonl"};
	struct jr_buf damaged = {0};
	run->seed = seed;
	run->rng = (struct rng){seed * UINT64_C(0xD1342543DE82EF95) + 1};
	run->sample = &run->samples.items[rng_below(&run->rng, run->samples.n)];
	run->what.size = 0;
	run->wrong[0] = '\0';
	if (run->sample->sort == SORT_ZIP)
		damage_archive(run, &damaged);
	else
		damage_file(run, &damaged);
	snprintf(run->input, sizeof(run->input), "%s/in.%s", run->folder, endings[run->sample->sort]);
	snprintf(run->output, sizeof(run->output), "%s/out", run->folder);
	snprintf(run->errors, sizeof(run->errors), "%s/stderr", run->folder);
	write_file(run->input, &damaged);
	jr_buf_done(&damaged);
	choose_command(run);
	execute(run);
	if (check(run)) {
		run->passed++;
	} else {
		run->failed++;
		tell_failure(run);
	}
	jr_remove_tree(run->output);
}

int main(int argc, char **argv)
{
	if (argc < 6) {
		fputs("usage: jr-mutate PROGRAM FOLDER FIRST COUNT SAMPLE...\n", stderr);
		return 2;
	}
	struct run run = {
		.program = argv[1], .folder = argv[2], .sanitized = getenv("ASAN_OPTIONS") != NULL};
	uint64_t first = strtoull(argv[3], NULL, 10), count = strtoull(argv[4], NULL, 10);
	for (int i = 5; i < argc; i++)
		add_sample(&run, argv[i]);
	for (uint64_t seed = first; seed < first + count; seed++)
		run_seed(&run, seed);
	for (size_t i = 0; i < run.samples.n; i++) {
		jr_buf_done(&run.samples.items[i].raw);
		members_done(&run.samples.items[i].members);
	}
	jr_vec_done(&run.samples);
	jr_buf_done(&run.what);
	printf("mutate: %zu refused, %zu partly; %zu passed, %zu failed\n", run.refused, run.partly,
		run.passed, run.failed);
	return run.failed > 0 || run.passed == 0;
}
