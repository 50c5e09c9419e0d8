#include "cli/commands/record_run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/core/child.h"
#include "cli/core/confine.h"
#include "cli/core/emergency.h"
#include "cli/options/option_functions.h"
#include "compare/run/run_open.h"
#include "model/inputs/combine.h"
#include "model/inputs/input.h"
#include "record/nsys_words.h"
#include "record/pack.h"
#include "report/core/report.h"

static enum jr_status check_input(
	const struct jr_request *request, const char *path, struct jr_error *err)
{
	const char *is = jr_side_made_by_us(path, &request->analysis.limits);
	if (is)
		return jr_fail(err, JR_EUNSUPPORTED, "'%s' is %s", path, is);
	const struct jr_input_ops *kind = jr_input_probe(path, &request->analysis.limits);
	if (!kind->nsys_export)
		return jr_fail(err, JR_EUNSUPPORTED,
			"'%s' is %s, not an SQLite export or report of Nsight Systems", path, kind->noun);
	return JR_OK;
}

/* Warn about what the archive lacks; with --strict, fail. */
static enum jr_status lack(struct jr_messages *msg, const struct jr_request *request,
	struct jr_error *err, const char *what)
{
	if (request->strict)
		return jr_fail(err, JR_ENOTFOUND, "'%s' (--strict): %s", request->output, what);
	jr_say_warning(msg, "%s", what);
	return JR_OK;
}

static enum jr_status tell(struct jr_messages *msg, const struct jr_request *request,
	const struct jr_pack_told *told, struct jr_error *err)
{
	char text[sizeof(err->message)];
	if (!told->has_xla)
		JR_TRY(lack(msg, request, err, "the profile contains no NVTX ranges of XLA"));
	if (!told->has_gpu_work)
		JR_TRY(lack(msg, request, err,
			"the profile contains no GPU operations inside NVTX ranges, so modules and thunks have "
			"no trace. Check that a GPU was visible and that --trace includes cuda."));
	if (!request->analysis.xla_dump)
		JR_TRY(lack(msg, request, err,
			request->from
				? "the archive contains no HLO. Use --xla-dump to add a folder of HLO dumps."
				: "the archive contains no HLO because of --xla-flags no"));
	else if (!told->n_dumps) {
		snprintf(text, sizeof(text),
			"no HLO was dumped to '%.256s'. Check that the program uses JAX, does not overwrite "
			"XLA_FLAGS, and does not load from a compilation cache with a jaxlib before 2025-09.",
			request->analysis.xla_dump);
		JR_TRY(lack(msg, request, err, text));
	}
	if (told->n_damaged_dumps) {
		bool one = told->n_damaged_dumps == 1;
		snprintf(text, sizeof(text),
			"%zu dump%s cannot be decoded; %s added to the archive unchanged",
			told->n_damaged_dumps, one ? "" : "s", one ? "it was" : "they were");
		JR_TRY(lack(msg, request, err, text));
	}
	if (told->n_dumps_left_out) {
		snprintf(text, sizeof(text),
			"%zu file%s of the dump left out: unreadable, or also present in compressed form "
			"(record.json lists them)",
			told->n_dumps_left_out, told->n_dumps_left_out == 1 ? "" : "s");
		JR_TRY(lack(msg, request, err, text));
	}
	if (told->n_processes > 1)
		jr_say_warning(msg,
			"the export contains %zu processes, but an archive is for one process. Programs of "
			"different processes may have the same IDs.",
			told->n_processes);
	jr_say_verbose(msg, "%zu members: %zu dump%s, %zu source%s; %zu sources from dumps left out",
		told->n_members, told->n_dumps, told->n_dumps == 1 ? "" : "s", told->n_sources,
		told->n_sources == 1 ? "" : "s", told->n_sources_left_out);
	return JR_OK;
}

/* Find XLA's protos where the containers of JAX have them. */
static const char *find_protos(const struct jr_request *request)
{
	const char *const places[] = {getenv("SRC_PATH_XLA"), "/opt/xla"};
	if (request->record.protos)
		return request->record.protos;
	for (size_t i = 0; i < JR_COUNT_OF(places); i++) {
		char path[4096];
		if (places[i] && *places[i] &&
			snprintf(path, sizeof(path), "%s/" JR_XLA_SCHEMA, places[i]) < (int)sizeof(path) &&
			access(path, R_OK) == 0)
			return places[i];
	}
	return NULL;
}

/* Find the folders of the program's modules, if they are known: links may lead there. */
static void find_roots(const struct jr_request *request, struct jr_arena *arena, jr_words *roots)
{
	const char *const variables[] = {
		getenv("PYTHONPATH"), getenv("VIRTUAL_ENV"), getenv("CONDA_PREFIX")};
	const struct jr_record_wish *wish = &request->record;
	char here[PATH_MAX], real[PATH_MAX];
	if (getcwd(here, sizeof(here)))
		*jr_vec_add(roots) = jr_arena_strdup(arena, here);
	for (size_t i = 0; i < request->source_prefixes.n; i++)
		*jr_vec_add(roots) = request->source_prefixes.items[i];
	for (size_t i = 0; i < JR_COUNT_OF(variables); i++)
		for (const char *s = variables[i] ? variables[i] : ""; *s; s += *s == ':') {
			size_t n = strcspn(s, ":");
			if (n)
				*jr_vec_add(roots) = jr_arena_strndup(arena, s, n);
			s += n;
		}
	/* "python3 /opt/job/train.py": the installation of python, and the folder of the script */
	const char *python = wish->n_program ? jr_program_path(wish->program[0], arena) : NULL;
	const char *name = python ? strrchr(python, '/') : NULL;
	if (name && strncmp(name + 1, "python", 6) == 0 && realpath(python, real))
		*jr_vec_add(roots) = jr_arena_printf(arena, "%s/../..", real);
	for (size_t i = 0; i < wish->n_program; i++) {
		const char *word = wish->program[i], *slash = strrchr(word, '/');
		size_t n = strlen(word);
		if (slash > word && n > 3 && strcmp(word + n - 3, ".py") == 0)
			*jr_vec_add(roots) = jr_arena_strndup(arena, word, (size_t)(slash - word));
	}
}

static enum jr_status record(const struct jr_request *request, const struct jr_exported *exported,
	const struct jr_pack_run *run, struct jr_messages *msg, struct jr_outfile *file,
	struct jr_error *err)
{
	bool sources = request->analysis.xla_dump && !request->analysis.no_sources;
	bool bounded = request->source_prefixes.n > 0;
	JR_CLEANUP(jr_arena_done) struct jr_arena arena;
	jr_words roots = {0};
	jr_arena_init(&arena, 0);
	find_roots(request, &arena, &roots);
	const struct jr_pack_job job = {
		.sqlite_path = exported->paths[0],
		.report_path = request->record.no_rep ? NULL : exported->origins[0],
		.dump_dir = request->analysis.xla_dump,
		.protos_dir = find_protos(request),
		.run = run,
		.version = JR_VERSION,
		.sources = sources,
		.source_prefixes = request->source_prefixes.items,
		.n_source_prefixes = request->source_prefixes.n,
		.source_roots = roots.items,
		.n_source_roots = roots.n,
		.limits = &request->analysis.limits,
		.n_threads = request->analysis.n_threads,
	};
	/* Sources can be anywhere, so without prefixes all files may be read. */
	JR_VEC(const char *) folders = {0};
	if (sources && !bounded)
		*jr_vec_add(&folders) = "/";
	for (size_t i = 0; sources && i < request->source_prefixes.n; i++)
		*jr_vec_add(&folders) = request->source_prefixes.items[i];
	if (job.protos_dir)
		*jr_vec_add(&folders) = job.protos_dir;
	const struct jr_confinement needs = {
		.inputs = exported->paths,
		.n_inputs = 1,
		.origins = exported->origins,
		.staging = file->staging,
		.folders = folders.items,
		.n_folders = folders.n,
	};
	struct jr_pack_told told;
	jr_confine(request, &needs, msg);
	jr_vec_done(&folders);
	enum jr_status status = check_input(request, exported->paths[0], err);
	if (status != JR_OK) {
		jr_vec_done(&roots);
		return status;
	}
	jr_say_progress(msg, "packing", 0, 0);
	status = jr_pack(&job, file, &told, err);
	jr_vec_done(&roots);
	if (status != JR_OK)
		return jr_context(
			err, status, "'%s'", request->from ? request->from : exported->origins[0]);
	JR_TRY(jr_guarded_file_commit(file, err));
	jr_say_progress_end(msg);
	return tell(msg, request, &told, err);
}

enum jr_status jr_record_pack(const struct jr_request *request, const struct jr_exported *exported,
	const struct jr_pack_run *run, struct jr_messages *msg, struct jr_error *err)
{
	struct jr_outfile file;
	/* Begin the output before the work, so that an output that cannot be written fails at once. */
	JR_TRY(jr_guarded_file_begin(&file, request->output, jr_combine_kind(), request->force, err));
	enum jr_status status = record(request, exported, run, msg, &file, err);
	jr_guarded_file_abandon(&file);
	return status;
}

/* The child's result, in shared memory. */
struct answer {
	enum jr_status status;
	struct jr_error err;
};

/* Work that a child does, because a process enters its sandbox only once. */
typedef enum jr_status (*apart_fn)(void *context, struct jr_error *err);

static enum jr_status run_apart(
	apart_fn work, void *context, const char *what, struct jr_error *err)
{
	struct answer *answer =
		mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (answer == MAP_FAILED)
		return jr_fail(err, JR_EIO, "cannot allocate memory: %s", strerror(errno));
	pid_t pid = fork();
	if (pid == 0) {
		/* if we end, the child ends, too; its handlers remove unfinished files */
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
		jr_emergency_parting(NULL); /* the parent prints it */
		answer->status = work(context, &answer->err);
		_exit(answer->status == JR_OK ? 0 : 1);
	}
	int code = errno, status = -1;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	enum jr_status result = JR_OK;
	if (pid < 0)
		result = jr_fail(err, JR_EIO, "cannot start a process: %s", strerror(code));
	else if (WIFSIGNALED(status))
		result = jr_fail(err, JR_EIO, "the process that makes %s was killed by signal %d", what,
			WTERMSIG(status));
	else if (answer->status != JR_OK)
		result = jr_fail(err, answer->status, "%s", answer->err.message);
	else if (status != 0)
		result = jr_fail(err, JR_EIO, "the process that makes %s ended with status %d", what,
			WEXITSTATUS(status));
	munmap(answer, sizeof(*answer));
	return result;
}

struct pack_context {
	const struct jr_request *request;
	const struct jr_exported *exported;
	const struct jr_pack_run *run;
	struct jr_messages *msg;
};

static enum jr_status pack_here(void *context, struct jr_error *err)
{
	const struct pack_context *c = context;
	return jr_record_pack(c->request, c->exported, c->run, c->msg, err);
}

enum jr_status jr_record_pack_apart(const struct jr_request *request,
	const struct jr_exported *exported, const struct jr_pack_run *run, struct jr_messages *msg,
	struct jr_error *err)
{
	struct pack_context context = {request, exported, run, msg};
	return run_apart(pack_here, &context, "the archive", err);
}

struct digest_context {
	struct jr_request request;
	struct jr_messages *msg;
};

static enum jr_status digest_here(void *context, struct jr_error *err)
{
	struct digest_context *c = context;
	JR_CLEANUP(jr_buf_done) struct jr_buf printed = {0};
	return jr_cmd_digest(&c->request, c->msg, &printed, err);
}

enum jr_status jr_record_digest(const struct jr_request *request, const char *archive,
	struct jr_messages *msg, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	struct digest_context context = {*request, msg};
	jr_buf_add(&name, archive, jr_input_stem_size(archive, strlen(archive)));
	jr_buf_puts(&name, ".jrd");
	context.request.command = request->implied;
	context.request.inputs.items = &archive;
	context.request.inputs.n = context.request.n_first = 1;
	context.request.output = name.data;
	context.request.analysis.xla_dump = NULL;
	JR_TRY(run_apart(digest_here, &context, "the digest", err));
	jr_say_note(msg, "wrote '%s'", name.data);
	return JR_OK;
}
