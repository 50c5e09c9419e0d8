/* Before a program is recorded: what runs, what its files are called, whether they can be. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/emergency.h"
#include "cli/record_run.h"
#include "model/combine.h"
#include "model/input.h"

/* nsys never ended where its folder was full (2023.4.4). */
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

/* Where a program lies, by PATH where its name holds no slash; NULL: nowhere. */
static const char *find_program(const char *name, struct jr_arena *arena)
{
	struct stat st;
	if (strchr(name, '/'))
		return access(name, X_OK) == 0 && stat(name, &st) == 0 && S_ISREG(st.st_mode) ? name : NULL;
	const char *path = getenv("PATH");
	for (size_t n; path; path = path[n] ? path + n + 1 : NULL) {
		n = strcspn(path, ":");
		const char *file = jr_arena_printf(arena, "%.*s%s%s", (int)n, path, n ? "/" : "./", name);
		if (access(file, X_OK) == 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return file;
	}
	return NULL;
}

enum jr_status jr_record_child_failed(struct jr_error *err, int status)
{
	err->child_status = status > 0 && status < 256 ? status : 1;
	return JR_ECHILD;
}

static enum jr_status no_program(struct recording *r, struct jr_error *err)
{
	const char *name = r->wish->program[0];
	bool is_input = jr_input_named(name, JR_N_INPUTS) || jr_input_named(name, JR_INPUT_NSYS_SQLITE);
	if (is_input && access(name, F_OK) == 0)
		jr_fail(err, JR_ECHILD, "'%s' is no program: --from %s makes an archive of it", name, name);
	else
		jr_fail(err, JR_ECHILD, "there is no program '%s'%s: nothing was run", name,
			strchr(name, '/') ? "" : " on PATH");
	return jr_record_child_failed(err, 127);
}

/* One dump for all that it starts, in which modules of one number overwrite one another. */
static void warn_of_launcher(struct recording *r)
{
	static const char *const launchers[] = {"srun", "mpirun", "mpiexec", "torchrun"};
	for (size_t i = 0; i < JR_COUNT_OF(launchers); i++)
		if (strcmp(r->program, launchers[i]) == 0)
			jr_say_warning(r->msg,
				"%s'%s' starts processes that would be recorded as one, with one dump of HLO for "
				"all: better '%s ... jaxreport record ... -- PROGRAM'",
				jr_record_rank_text(r), r->program, r->program);
}

enum jr_status jr_record_find_programs(struct recording *r, struct jr_error *err)
{
	if (!find_program(r->wish->program[0], &r->arena))
		return no_program(r, err);
	const char *wanted = r->wish->nsys ? r->wish->nsys : "nsys";
	r->nsys = find_program(wanted, &r->arena);
	if (!r->nsys && r->wish->nsys)
		return jr_fail(err, JR_ENOTFOUND, "'%s' is no program (--nsys): nothing was run", wanted);
	if (!r->nsys)
		return jr_fail(err, JR_ENOTFOUND,
			"there is no nsys on PATH (module load, or --nsys PROGRAM): nothing was run");
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

/* The program may be in another folder when it writes there. */
static enum jr_status name_dump(struct recording *r, struct jr_error *err)
{
	char here[PATH_MAX];
	if (r->dump[0] == '/')
		return JR_OK;
	if (!getcwd(here, sizeof(here)))
		return jr_fail(err, JR_EIO, "this folder has no path: %s", strerror(errno));
	r->dump = jr_arena_printf(&r->arena, "%s/%s", here, r->dump);
	return JR_OK;
}

enum jr_status jr_record_name_output(struct recording *r, struct jr_error *err)
{
	char host[256] = "";
	(void)gethostname(host, sizeof(host) - 1);
	const struct jr_name_values values = {jr_record_getenv, NULL, host, getpid()};
	const char *pattern = pattern_of(r);
	if (r->rank.n_ranks > 1 && !jr_name_differs(pattern) && !r->wish->rule)
		return jr_fail(err, JR_EUSAGE,
			"%lld processes would write '%s': put %%q{%s} into the name, or choose one by --if",
			(long long)r->rank.n_ranks, pattern, r->rank.variable ? r->rank.variable : "RANK");
	JR_TRY(jr_name_expand(pattern, &values, &r->arena, &r->output, err));
	r->report =
		jr_arena_printf(&r->arena, "%.*s.nsys-rep", (int)(strlen(r->output) - 4), r->output);
	r->dump = r->wish->dump ? r->wish->dump
							: jr_arena_printf(&r->arena, "%.*s-xla-dump",
								  (int)(strlen(r->output) - 4), r->output);
	return name_dump(r, err);
}

/* The folder of the output, and those above it. */
static enum jr_status make_folders(struct recording *r, struct jr_error *err)
{
	char *path = jr_arena_strdup(&r->arena, r->output);
	for (char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
		*s = 0;
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return jr_fail(err, JR_EIO, "cannot make the folder '%s': %s", path, strerror(errno));
		*s = '/';
	}
	return JR_OK;
}

enum jr_status jr_record_check_output(struct recording *r, struct jr_error *err)
{
	struct stat st;
	const char *const names[] = {r->output, r->report};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		if (!names[i] || lstat(names[i], &st) != 0)
			continue;
		if (!S_ISREG(st.st_mode))
			return jr_fail(err, JR_EIO, "'%s' exists, and is no file", names[i]);
		if (!r->request->force)
			return jr_fail(err, JR_EIO, "'%s' exists: -f replaces it", names[i]);
	}
	if (r->wish->dry_run)
		return JR_OK;
	JR_TRY(make_folders(r, err));
	/* what stands in its place is looked at before the run, not after it */
	struct jr_outfile file;
	JR_TRY(jr_guarded_file_begin(&file, r->output, jr_combine_kind(), r->request->force, err));
	jr_guarded_file_abandon(&file);
	const char *slash = strrchr(r->output, '/');
	size_t n = slash ? (size_t)(slash + 1 - r->output) : 0;
	const char *part = jr_arena_printf(&r->arena, "%.*s.%s.part", (int)n, r->output, r->output + n);
	int code = jr_guarded_claim(part);
	if (code == EEXIST)
		return jr_fail(err, JR_EIO,
			"'%s' is there: another record writes '%s', or one was ended; remove it", part,
			r->output);
	if (code != 0)
		return jr_fail(err, JR_EIO, "cannot write '%s': %s", r->output, strerror(code));
	if (!r->wish->dump && lstat(r->dump, &st) == 0)
		return jr_fail(err, JR_EIO,
			"'%s' exists, where XLA's dump of this run would go: remove it, or choose by "
			"--xla-dump",
			r->dump);
	return JR_OK;
}

enum jr_status jr_record_make_work(struct recording *r, struct jr_error *err)
{
	struct statvfs fs;
	JR_TRY(jr_guarded_folder(&r->work, err));
	if (statvfs(r->work, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize < LEAST_ROOM)
		return jr_fail(err, JR_EIO,
			"less than 1 GiB is free below '%s', where nsys never ends on a full disk: set TMPDIR",
			r->work);
	return JR_OK;
}
