/* Before a program is recorded: find the programs, name the files, and check that they can be
 * written. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/core/child.h"
#include "cli/core/emergency.h"
#include "cli/options/option_functions.h"
#include "cli/commands/record_run.h"
#include "model/inputs/combine.h"
#include "model/inputs/input.h"

/* nsys never ended when its folder was full (2023.4.4). */
#define LEAST_ROOM ((uint64_t)1 << 30)

const char *jr_record_getenv(void *context, const char *name)
{
	(void)context;
	return getenv(name);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *jr_record_rank_text(struct recording *r)
{
	return r->rank.rank >= 0 ? jr_arena_printf(&r->arena, "rank %lld: ", (long long)r->rank.rank)
							 : "";
}

enum jr_status jr_record_child_failed(struct jr_error *err, int status)
{
	err->child_status = status > 0 && status < 256 ? status : 1;
	return JR_ECHILD;
}

/* Report why a name is not a program; `from`: " (--nsys)", or "". */
static enum jr_status not_a_program(
	const char *name, enum jr_status status, const char *from, struct jr_error *err)
{
	struct stat st;
	const char *why = !strchr(name, '/')                            ? "is not on PATH"
					  : stat(name, &st) != 0 && jr_is_absent(errno) ? "does not exist"
																	: "is not an executable file";
	return jr_fail(err, status, "%s: %s%s. Nothing was run.", name, why, from);
}

static enum jr_status no_program(struct recording *r, struct jr_error *err)
{
	const char *name = r->wish->program[0];
	bool is_input = jr_input_is_report(name) || jr_input_is_export(name);
	if (is_input && access(name, F_OK) == 0)
		jr_fail(err, JR_ECHILD, "%s: is not a program. To make an archive of it, use --from %s.",
			name, name);
	else
		(void)not_a_program(name, JR_ECHILD, "", err);
	/* as shells do */
	return jr_record_child_failed(err, strchr(name, '/') && access(name, F_OK) == 0 ? 126 : 127);
}

/* Warn about a launcher: all its processes share one dump, in which modules with the same number
 * overwrite each other. */
static void warn_of_launcher(struct recording *r)
{
	static const char *const launchers[] = {"srun", "mpirun", "mpiexec", "torchrun"};
	for (size_t i = 0; i < JR_COUNT_OF(launchers); i++)
		if (strcmp(r->program, launchers[i]) == 0)
			jr_say_warning(r->msg,
				"%s'%s' starts several processes, which would be recorded as one with a shared HLO "
				"dump. Use '%s ... jaxreport record ... -- PROGRAM' instead.",
				jr_record_rank_text(r), r->program, r->program);
}

enum jr_status jr_record_find_programs(struct recording *r, struct jr_error *err)
{
	if (!jr_program_path(r->wish->program[0], &r->arena))
		return no_program(r, err);
	const char *wanted = r->wish->nsys ? r->wish->nsys : "nsys";
	r->nsys = jr_program_path(wanted, &r->arena);
	if (!r->nsys && r->wish->nsys)
		return not_a_program(wanted, JR_ENOTFOUND, " (--nsys)", err);
	if (!r->nsys)
		return jr_fail(err, JR_ENOTFOUND,
			"nsys is not on PATH. Load its module, or use --nsys PROGRAM. Nothing was run.");
	r->program = base_name(r->wish->program[0]);
	warn_of_launcher(r);
	return JR_OK;
}

static const char *pattern_of(struct recording *r)
{
	if (r->request->output)
		return r->request->output;
	return r->rank.variable
			   ? jr_arena_printf(&r->arena, "jaxreport-rank%%q{%s}.zip", r->rank.variable)
			   : "jaxreport-%h-%p.zip";
}

/* Make a path absolute, because the program may change its folder before it writes there. */
static enum jr_status make_absolute(struct recording *r, const char **path, struct jr_error *err)
{
	char here[PATH_MAX];
	if ((*path)[0] == '/')
		return JR_OK;
	if (!getcwd(here, sizeof(here)))
		return jr_fail(
			err, JR_EIO, "cannot determine the path of the current folder: %s", strerror(errno));
	*path = jr_arena_printf(&r->arena, "%s/%s", here, *path);
	return JR_OK;
}

/* Name the files of the run after its archive. */
static enum jr_status name_files(struct recording *r, const char *output, struct jr_error *err)
{
	r->output = output;
	r->report = jr_record_beside(r, ".nsys-rep");
	r->dump = r->wish->dump ? r->wish->dump : jr_record_beside(r, "-xla-dump");
	return make_absolute(r, &r->dump, err);
}

enum jr_status jr_record_name_output(struct recording *r, struct jr_error *err)
{
	char host[256] = "";
	(void)gethostname(host, sizeof(host) - 1);
	const struct jr_name_values values = {jr_record_getenv, NULL, host, getpid()};
	const char *pattern = pattern_of(r);
	if (r->rank.n_ranks > 1 && !jr_name_differs(pattern) && !r->wish->rule)
		return jr_fail(err, JR_EUSAGE,
			"%lld processes would write '%s'. Add %%q{%s} to the name, or select one process with "
			"--if.",
			(long long)r->rank.n_ranks, pattern, r->rank.variable ? r->rank.variable : "RANK");
	JR_TRY(jr_name_expand(pattern, &values, &r->arena, &r->output, err));
	JR_TRY(jr_zip_check(r->request->output, jr_record_beside(r, ""), err));
	return name_files(r, r->output, err);
}

/* Make the folder of the output, and those above it. */
static enum jr_status make_folders(struct recording *r, struct jr_error *err)
{
	char *path = jr_arena_strdup(&r->arena, r->output);
	for (char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
		*s = 0;
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return jr_fail(err, JR_EIO, "cannot create folder '%s': %s", path, strerror(errno));
		*s = '/';
	}
	return JR_OK;
}

/* Return the path of the file that marks NAME.zip as being written. */
static const char *part_of(struct recording *r)
{
	const char *slash = strrchr(r->output, '/');
	size_t n = slash ? (size_t)(slash + 1 - r->output) : 0;
	return jr_arena_printf(&r->arena, "%.*s.%s.part", (int)n, r->output, r->output + n);
}

/* Return the first output of the run that exists already; NULL: none. */
static const char *in_the_way(struct recording *r, const char *part)
{
	struct stat st;
	const char *const names[] = {part, r->output, r->report, jr_record_beside(r, ".qdstrm")};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		if ((i == 0 || !r->request->force) && lstat(names[i], &st) == 0)
			return names[i];
	return !r->wish->dump && lstat(r->dump, &st) == 0 ? r->dump : NULL;
}

static enum jr_status refuse(
	struct recording *r, const char *part, const char *there, struct jr_error *err)
{
	if (there == part)
		return jr_fail(err, JR_EIO,
			"%s: already exists. If no other 'jaxreport record' is writing '%s', remove it.", part,
			r->output);
	if (there == r->dump)
		return jr_fail(err, JR_EIO,
			"%s: already exists, and the XLA dump of this run would be written there. Remove it, "
			"or choose another folder with --xla-dump.",
			there);
	return jr_fail(err, JR_EIO, "%s: already exists. Replace it with -f.", there);
}

/* Check the place of the output before the run, not after it. */
static enum jr_status check_place(struct recording *r, struct jr_error *err)
{
	struct jr_outfile file;
	JR_TRY(jr_guarded_file_begin(&file, r->output, jr_combine_kind(), r->request->force, err));
	jr_guarded_file_abandon(&file);
	return JR_OK;
}

/* A job that is tried again must not fail because of earlier tries: take the first free name of
 * NAME.zip, NAME.1.zip, ... */
static enum jr_status claim_a_name(struct recording *r, struct jr_error *err)
{
	enum { MOST = 10000 };
	const char *wanted = r->output, *stem = jr_record_beside(r, ""), *first = NULL;
	for (int number = 1; number <= MOST; number++) {
		const char *part = part_of(r), *there = in_the_way(r, part);
		if (!there && !r->wish->dry_run)
			JR_TRY(check_place(r, err));
		int code = there ? EEXIST : r->wish->dry_run ? 0 : jr_guarded_claim(part);
		if (code == 0 && first)
			jr_say_note(r->msg, "%s'%s' already exists, so this run writes '%s'",
				jr_record_rank_text(r), first, r->output);
		if (code == 0)
			return JR_OK;
		if (code != EEXIST)
			return jr_fail(err, JR_EIO, "cannot write '%s': %s", r->output, strerror(code));
		there = there ? there : part;
		if (r->request->strict)
			return refuse(r, part, there, err);
		first = first ? first : there;
		JR_TRY(name_files(r, jr_arena_printf(&r->arena, "%s.%d.zip", stem, number), err));
	}
	return jr_fail(
		err, JR_EIO, "%s: already exists, as do all names up to '%s'", wanted, r->output);
}

/* Take the first free name of DIR (--report), DIR.1, ... */
static enum jr_status name_page(struct recording *r, struct jr_error *err)
{
	struct stat st;
	struct jr_outdir dir;
	r->page = r->wish->report;
	if (!r->page)
		return JR_OK;
	for (int number = 1; !r->request->force && !r->request->strict && lstat(r->page, &st) == 0;
		 number++)
		r->page = jr_arena_printf(&r->arena, "%s.%d", r->wish->report, number);
	if (r->page != r->wish->report)
		jr_say_note(r->msg, "%s'%s' already exists, so the report is written to '%s'",
			jr_record_rank_text(r), r->wish->report, r->page);
	JR_TRY(jr_guarded_begin(&dir, r->page, r->request->force, err));
	jr_guarded_abandon(&dir);
	return JR_OK;
}

enum jr_status jr_record_check_output(struct recording *r, struct jr_error *err)
{
	struct stat st;
	const char *const names[] = {r->output, r->report};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		if (lstat(names[i], &st) == 0 && !S_ISREG(st.st_mode))
			return jr_fail(err, JR_EIO, "%s: already exists and is not a regular file", names[i]);
	if (!r->wish->dry_run)
		JR_TRY(make_folders(r, err));
	JR_TRY(claim_a_name(r, err));
	return r->wish->dry_run ? JR_OK : name_page(r, err);
}

static bool has_room(const char *folder)
{
	struct statvfs fs;
	return statvfs(folder, &fs) != 0 || (uint64_t)fs.f_bavail * fs.f_frsize >= LEAST_ROOM;
}

/* Return true if nsys can use the folder as TMPDIR: it needs a lock, a FIFO and a socket, which
 * some file systems do not support. */
static bool takes_sockets(struct recording *r, const char *folder)
{
	const char *fifo = jr_arena_printf(&r->arena, "%s/fifo", folder);
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char path[64];
	int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), s = -1, lock = -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/socket", dir);
	memcpy(at.sun_path, path, strlen(path) + 1);
	bool can = dir >= 0 && mkfifo(fifo, 0600) == 0 && unlink(fifo) == 0 &&
			   (s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) >= 0 &&
			   bind(s, (const struct sockaddr *)&at, sizeof(at)) == 0 &&
			   unlinkat(dir, "socket", 0) == 0 &&
			   (lock = openat(dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600)) >= 0 &&
			   flock(lock, LOCK_EX | LOCK_NB) == 0 && unlinkat(dir, "lock", 0) == 0;
	const int fds[] = {dir, s, lock};
	for (size_t i = 0; i < JR_COUNT_OF(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return can;
}

/* The path of a socket below TMPDIR may have 108 bytes, of which nsys needs about 60 (with less,
 * 2022.4.2 loses its collector). A long path is replaced by a descriptor, which stays open. */
static enum jr_status name_tmpdir(struct recording *r, struct jr_error *err)
{
	enum { LONGEST = 48 };
	const char *folder = jr_arena_printf(&r->arena, "%s/nsys", r->work);
	if (mkdir(folder, 0700) != 0)
		return jr_fail(err, JR_EIO, "cannot create folder '%s': %s", folder, strerror(errno));
	r->tmpdir = folder;
	if (strlen(folder) <= LONGEST)
		return JR_OK;
	int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return jr_fail(err, JR_EIO, "cannot open folder '%s': %s", folder, strerror(errno));
	r->tmpdir = jr_arena_printf(&r->arena, "/proc/%ld/fd/%d", (long)getpid(), fd);
	return JR_OK;
}

/* Make the folder next to the output, where the files of nsys go in the end; else where temporary
 * files go. */
enum jr_status jr_record_make_work(struct recording *r, struct jr_error *err)
{
	const char *slash = strrchr(r->output, '/');
	const char *beside = jr_arena_strndup(
		&r->arena, slash ? r->output : ".", slash > r->output ? (size_t)(slash - r->output) : 1);
	struct jr_error why;
	bool made =
		!r->wish->dry_run && has_room(beside) && jr_guarded_folder(beside, &r->work, &why) == JR_OK;
	if (made && !takes_sockets(r, r->work)) {
		jr_guarded_folder_remove();
		made = false;
	}
	if (!made)
		JR_TRY(jr_guarded_folder(NULL, &r->work, err));
	if (!has_room(r->work))
		return jr_fail(err, JR_EIO,
			"less than 1 GiB is free in '%s' and next to '%s', and nsys hangs if the disk is full. "
			"Set TMPDIR to a folder with more space.",
			r->work, r->output);
	JR_TRY(make_absolute(r, &r->work, err));
	r->told = jr_arena_printf(&r->arena, "%s/program", r->work);
	return name_tmpdir(r, err);
}
