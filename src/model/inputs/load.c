#include "model/inputs/load.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/task.h"
#include "formats/archive/digest.h"
#include "formats/archive/foreign.h"
#include "formats/pprof/pprof.h"
#include "model/digest/digests.h"
#include "model/export/export.h"
#include "model/inputs/input.h"
#include "model/kinds/kinds.h"
#include "model/inputs/source_text.h"
#include "model/sources/oddities.h"

/* Number of processes that are read together. Each group is merged and freed before the next, so
 * memory grows with the kept data, not with the memory needed for decoding. */
#define GROUP 4

enum task_kind { TASK_TRACE, TASK_HOST, TASK_DIGEST };

struct task {
	enum task_kind kind; /* traces first: their dumps follow */
	uint64_t cost_bytes; /* compressed size, as an estimate; longest first */
	size_t source, input;
};

struct job {
	struct jr_profile *profile;
	const struct jr_limits *limits;
	const char *const *paths;     /* [n_inputs] files to read */
	const char *const *origins;   /* [n_inputs] original file or NULL; the array may be NULL */
	struct jr_archive **archives; /* [n_inputs], NULL = not an archive, or not opened */
	struct jr_export *exports;    /* [n_inputs], used by exports */
	uint64_t *file_bytes; /* [n_inputs] before it was opened; UINT64_MAX = not a readable file */
	struct jr_digest *digests; /* [n_inputs], used by digests */
	struct jr_archive *dumps;  /* --xla-dump; NULL = none */
	struct checksum *checksum; /* the last one that began while a file was opened; NULL = none */
	struct jr_source_list sources;
	struct jr_merge merge;
	struct task *tasks;
	size_t n_tasks, tasks_capacity;
	const struct jr_progress *progress;
	const char *stage;
	uint64_t done_bytes, total_bytes;
	pthread_mutex_t lock;
	struct jr_arena arena;
};

/* --- tasks ------------------------------------------------------------------------------------ */

static void tell(struct job *job, const char *stage, uint64_t bytes)
{
	pthread_mutex_lock(&job->lock);
	if (stage)
		job->stage = stage;
	job->done_bytes += bytes;
	if (job->progress && job->progress->step)
		job->progress->step(job->progress->context, job->stage, job->done_bytes, job->total_bytes);
	pthread_mutex_unlock(&job->lock);
}

/* Return the file that the user named. */
static const char *named(const struct job *job, size_t input)
{
	return job->origins && job->origins[input] ? job->origins[input] : job->paths[input];
}

/* A file that was deleted after it was read has no checksum. */
static void read_digest(struct job *job, size_t input)
{
	char *out = job->profile->inputs[input].sha256;
	if (job->archives[input])
		jr_archive_sha256(job->archives[input], out);
	else if (jr_sha256_file(named(job, input), out, NULL) != JR_OK)
		out[0] = '\0';
}

static const char decoding[] = "decoding HLO and compile ranges";

/* A dump by the size that its file states, the longest first. */
struct sized_dump {
	uint64_t cost_bytes;
	size_t index;
};

JR_ORDER(compare_dumps, struct sized_dump, JR_DOWN(cost_bytes) JR_UP(index))

/* The dumps of one source. */
struct dumps {
	struct job *job;
	struct jr_source *source;
	struct sized_dump *items;
};

static void read_one_dump(void *context, size_t index)
{
	const struct dumps *dumps = context;
	jr_source_read_dump(dumps->source, dumps->items[index].index);
	tell(dumps->job, decoding, dumps->items[index].cost_bytes);
}

/* The trace lists the programs, whose dumps can be read at once. */
static void read_trace(struct job *job, const struct task *task)
{
	struct jr_source *s = &job->sources.list.items[task->source];
	uint64_t bytes = 0;
	jr_source_read_trace(s);
	struct dumps dumps = {job, s, JR_ARENA_N(&s->arena, struct sized_dump, s->n_programs + 1)};
	for (size_t i = 0; i < s->n_programs; i++) {
		dumps.items[i] = (struct sized_dump){jr_source_dump_bytes(s, i), i};
		bytes += dumps.items[i].cost_bytes;
	}
	qsort(dumps.items, s->n_programs, sizeof(*dumps.items), compare_dumps);
	pthread_mutex_lock(&job->lock);
	job->total_bytes += bytes;
	pthread_mutex_unlock(&job->lock);
	tell(job, NULL, task->cost_bytes);
	jr_task_run(1, s->n_programs, read_one_dump, &dumps);
}

static void run_task(void *context, size_t index)
{
	struct job *job = context;
	const struct task *task = &job->tasks[index];
	switch (task->kind) {
	case TASK_TRACE: read_trace(job, task); return;
	case TASK_HOST: jr_source_read_host(&job->sources.list.items[task->source]); break;
	case TASK_DIGEST: read_digest(job, task->input); break;
	}
	tell(job, decoding, task->cost_bytes);
}

static void add_task(struct job *job, struct task task)
{
	if (job->n_tasks == job->tasks_capacity)
		job->tasks = jr_vec_grow(job->tasks, &job->tasks_capacity, sizeof(*job->tasks));
	job->tasks[job->n_tasks++] = task;
	job->total_bytes += task.cost_bytes;
}

JR_ORDER(compare_tasks, struct task, JR_UP(kind) JR_DOWN(cost_bytes))

static void run_tasks(struct job *job, const char *stage)
{
	job->stage = stage;
	jr_sort(job->tasks, job->n_tasks, sizeof(*job->tasks), compare_tasks);
	jr_task_run(job->profile->options.n_threads, job->n_tasks, run_task, job);
	job->n_tasks = 0;
}

/* --- inputs ----------------------------------------------------------------------------------- */

static const char *base_name(struct jr_profile *p, const char *path)
{
	struct jr_bytes name = jr_file_name(path);
	return jr_str(p, jr_profile_text(p, (const char *)name.data, name.size));
}

static void on_opening(void *context, const char *stage, uint64_t more_bytes, uint64_t done_bytes)
{
	struct job *job = context;
	job->stage = stage;
	job->total_bytes += more_bytes;
	tell(job, NULL, done_bytes);
}

/* The checksum of a file whose rows are read; it is needed when the report is written. */
struct checksum {
	struct job *job;
	size_t input;
	struct jr_task_beside *beside;
};

static void run_checksum(void *context)
{
	const struct checksum *c = context;
	read_digest(c->job, c->input);
}

static void end_checksum(struct job *job)
{
	if (job->checksum)
		jr_task_join(job->checksum->beside);
	job->checksum = NULL;
}

/* One runs at a time. Reading takes all threads, but what follows does not. */
static void begin_checksum(const struct jr_opening *opening)
{
	struct job *job = opening->context;
	end_checksum(job);
	struct checksum *c = job->checksum = JR_ARENA_NEW(&job->arena, struct checksum);
	*c = (struct checksum){.job = job, .input = opening->row};
	c->beside = jr_task_start(run_checksum, c);
	if (!c->beside)
		run_checksum(c);
}

/* The file that is opened. */
struct open_job {
	struct jr_opening *opening;
	enum jr_status status;
	struct jr_error *err;
};

static void open_one(void *context, size_t index)
{
	struct open_job *o = context;
	(void)index;
	o->status = o->opening->input->kind->open(o->opening, o->err);
}

static enum jr_status open_input(struct job *job, uint32_t i, struct jr_error *err)
{
	struct jr_input *input = &job->profile->inputs[i];
	struct jr_opening opening = {.profile = job->profile,
		.input = input,
		.row = i,
		.kinds = jr_input_kinds,
		.path = job->paths[i],
		.named = named(job, i),
		.limits = job->limits,
		.arena = &job->arena,
		.sources = &job->sources,
		.archive = &job->archives[i],
		.export = &job->exports[i],
		.digest = &job->digests[i],
		.progress = on_opening,
		.begin_checksum = begin_checksum,
		.context = job};
	input->name = base_name(job->profile, opening.named);
	input->kind = jr_input_probe(opening.path, job->limits);
	opening.stem = jr_merge_stem(&job->merge, input->name);
	if (!input->kind->archive)
		JR_TRY(jr_opening_no_runs(&opening, err));
	if (!input->kind->reads_at_open)
		return input->kind->open(&opening, err);
	struct open_job one = {.opening = &opening, .err = err};
	jr_task_run(job->profile->options.n_threads, 1, open_one, &one);
	return one.status;
}

static uint64_t file_bytes(const struct job *job, size_t input)
{
	struct stat st;
	return stat(job->paths[input], &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size
																	: UINT64_MAX;
}

/* Return whether an archive or a digest was read behind its end. */
static bool lacked_bytes(const struct job *job, size_t input)
{
	const struct jr_archive *archive = job->archives[input];
	const struct jr_digest *digest = job->profile->inputs[input].digest;
	return (archive && jr_archive_shrank(archive)) || (digest && jr_file_map_shrank(&digest->map));
}

/* The size also tells of a cut within the last page that was read. */
static bool shrank(const struct job *job, size_t input)
{
	uint64_t before = job->file_bytes[input];
	return lacked_bytes(job, input) || (before != UINT64_MAX && file_bytes(job, input) < before);
}

/* Some kinds read all when they are opened. If their file has shrunk, drop what they read. */
static enum jr_status open_whole_input(struct job *job, uint32_t i, struct jr_error *err)
{
	size_t before = job->sources.list.n;
	job->file_bytes[i] = file_bytes(job, i);
	enum jr_status status = open_input(job, i, err);
	if (!shrank(job, i))
		return status;
	while (job->sources.list.n > before)
		jr_source_done(&job->sources.list.items[--job->sources.list.n]);
	return jr_fail_shrunk(err, job->profile->inputs[i].name);
}

static enum jr_status open_inputs(struct job *job, size_t n, struct jr_error *err)
{
	struct jr_profile *p = job->profile;
	p->inputs = JR_ARENA_N(&p->arena, struct jr_input, n + 1);
	job->archives = JR_ARENA_N(&job->arena, struct jr_archive *, n + 1);
	job->file_bytes = JR_ARENA_N(&job->arena, uint64_t, n + 1);
	job->exports = JR_ARENA_N(&job->arena, struct jr_export, n + 1);
	job->digests = JR_ARENA_N(&job->arena, struct jr_digest, n + 1);
	p->n_inputs = n;
	if (p->options.xla_dump)
		JR_TRY(jr_archive_open(p->options.xla_dump, job->limits, &job->dumps, err));
	for (uint32_t i = 0; i < n; i++) {
		struct jr_input *input = &p->inputs[i];
		struct jr_error why = {0};
		enum jr_status status = open_whole_input(job, i, &why);
		if (status == JR_OK)
			continue;
		if (status == JR_EUSAGE)
			return jr_fail(err, status, "%s", why.message);
		jr_merge_failed(&job->merge, &why);
		input->failure = jr_arena_strdup(&p->arena, why.message);
		jr_profile_damaged(p, "input", why.message);
	}
	for (size_t i = 0; i < job->sources.list.n; i++)
		job->sources.list.items[i].dumps = job->dumps;
	return JR_OK;
}

/* --- sources ------------------------------------------------------------------------------------
 */

/* Folders have no checksum; that of some files is computed while they are opened. */
static bool is_digested_later(const struct job *job, uint32_t input)
{
	const struct jr_archive *archive = job->archives[input];
	const struct jr_input *of = &job->profile->inputs[input];
	return archive ? !jr_archive_is_directory(archive) : of->digest || !of->kind->reads_at_open;
}

static void add_trace(struct job *job, size_t i)
{
	const struct jr_source *s = &job->sources.list.items[i];
	add_task(job, (struct task){.kind = TASK_TRACE, .cost_bytes = s->trace_bytes, .source = i});
	bool first_of_input = i == 0 || job->sources.list.items[i - 1].input != s->input;
	if (!first_of_input || !is_digested_later(job, s->input))
		return;
	uint64_t bytes = job->archives[s->input] ? 0 : job->profile->inputs[s->input].size_bytes / 4;
	add_task(job, (struct task){.kind = TASK_DIGEST, .cost_bytes = bytes, .input = s->input});
}

/* Whatever was read of a file that has shrunk: forget it. */
static void check_whole(struct job *job, struct jr_source *s)
{
	if (s->type->whole || (!s->shrank && !shrank(job, s->input)))
		return;
	s->has_trace = s->has_host = false;
	s->trace_error = s->host_error = (struct jr_error){0};
	(void)jr_fail(&s->trace_error, JR_EIO, JR_SHRANK);
}

static enum jr_status load_group(struct job *job, size_t begin, size_t end, struct jr_error *err)
{
	for (int beside = 1; beside >= 0; beside--) {
		for (size_t i = begin; i < end; i++) {
			const struct jr_source *s = &job->sources.list.items[i];
			if (beside)
				add_trace(job, i);
			if (s->type->host_apart == (beside == 1))
				add_task(job,
					(struct task){.kind = TASK_HOST, .cost_bytes = s->host_bytes, .source = i});
		}
		run_tasks(job, beside ? "reading traces" : decoding);
	}
	enum jr_status status = JR_OK;
	for (size_t i = begin; i < end; i++) {
		check_whole(job, &job->sources.list.items[i]);
		if (status == JR_OK)
			status = jr_merge_source(&job->merge, &job->sources.list.items[i], err);
		struct jr_source *s = &job->sources.list.items[i];
		const struct jr_archive *archive = job->archives[s->input];
		const struct jr_digest *digest = s->digest;
		jr_source_done(s);
		if (archive)
			jr_archive_forget(archive);
		if (digest)
			jr_file_map_forget(&digest->map);
	}
	return status;
}

/* Add what is planned if the inputs are dumps of programs. They cannot be mixed with profiles,
 * whose programs are matched by --xla-dump. */
static enum jr_status add_plan(struct job *job, struct jr_error *err)
{
	struct jr_profile *p = job->profile;
	size_t n_hlo = 0;
	if (!job->merge.n_plans && p->options.device)
		jr_profile_warn(p,
			"--device has no effect on a profile, which names its devices; use --devices "
			"to select some of them");
	if (!job->merge.n_plans)
		return JR_OK;
	if (job->merge.n_plans < job->merge.n_usable)
		return jr_fail(err, JR_EUSAGE,
			"the inputs are both profiles and XLA dumps without a profile. Use --xla-dump for the "
			"dumps of a profiled program");
	for (size_t i = 0; i < job->merge.build.programs.n; i++)
		n_hlo += job->merge.build.programs.items[i].hlo != NULL;
	if (!n_hlo)
		return jr_fail(err, JR_EFORMAT, "'%s' contains no readable HLO module: %s",
			p->inputs[0].name, p->n_missing ? p->missing[0].reason : "all are empty");
	p->planned = true;
	jr_plan_ops_add(&job->merge.build);
	return JR_OK;
}

/* A device memory profile has no executions, so its process is none of the profiled ones. */
static enum jr_status check_memory(const struct job *job, struct jr_error *err)
{
	if (job->merge.n_memory && job->merge.n_memory < job->merge.n_usable)
		return jr_fail(err, JR_EUSAGE,
			"the inputs are both profiles and device memory profiles. Use --memory-profile for the "
			"memory profile of a profiled program");
	if (job->merge.n_memory && job->profile->options.memory_profile)
		return jr_fail(err, JR_EUSAGE,
			"--memory-profile adds a device memory profile to a profile, but the input is a device "
			"memory profile itself. Leave out --memory-profile");
	return JR_OK;
}

/* Read the file of --memory-profile. If it is damaged, the rest is still reported. */
static enum jr_status add_memory(struct job *job, struct jr_error *err)
{
	struct jr_profile *p = job->profile;
	const char *path = p->options.memory_profile;
	JR_TRY(check_memory(job, err));
	if (!path)
		return JR_OK;
	const char *name = base_name(p, path);
	JR_CLEANUP(jr_file_unmap) struct jr_file_map map = {0};
	struct jr_pprof pprof;
	struct jr_error why = {0};
	JR_TRY(jr_file_map(path, &map, err));
	jr_file_map_watch(&map, NULL);
	enum jr_status status = jr_pprof_read(map.bytes, job->limits, &pprof, &why);
	bool read = status == JR_OK;
	if (jr_file_map_shrank(&map))
		status = jr_fail(&why, JR_EIO, JR_SHRANK);
	if (status == JR_OK)
		status = jr_live_add(&job->merge.build, &pprof, JR_NONE, name, &why);
	if (read)
		jr_pprof_done(&pprof);
	if (status != JR_OK)
		jr_profile_damaged(
			p, "live_memory", jr_arena_printf(&job->arena, "'%s': %s", name, why.message));
	return JR_OK;
}

/* The profile of an input is complete here, but texts of its sources may be missing. */
static void tell_texts_shrunk(struct job *job)
{
	struct jr_profile *p = job->profile;
	for (size_t i = 0; i < p->n_inputs; i++)
		if (!p->inputs[i].failure && lacked_bytes(job, i))
			jr_profile_damaged(p, "sources",
				jr_arena_printf(&job->arena, "texts of '%s': " JR_SHRANK, p->inputs[i].name));
}

static enum jr_status load_all(struct job *job, struct jr_error *err)
{
	struct jr_profile *p = job->profile;
	p->processes = JR_ARENA_N(&p->arena, struct jr_process, job->sources.list.n + 1);
	size_t n = job->sources.list.n;
	for (size_t i = 0; i < n; i += GROUP)
		JR_TRY(load_group(job, i, i + GROUP < n ? i + GROUP : n, err));
	if (job->merge.n_usable == 0) {
		if (err)
			*err = job->merge.first_error;
		return job->merge.first_error.status;
	}
	JR_TRY(add_plan(job, err));
	JR_TRY(add_memory(job, err));
	jr_merge_tell_twice(&job->merge);
	JR_TRY(jr_build_finish(&job->merge.build, err));
	JR_TRY(jr_profile_select(p, err));
	jr_warmup_settle(p);
	bool gpu_or_host = p->gpu_ops.n + p->api_calls.n + p->nvtx_ranges.n > 0; /* from exports */
	bool other = gpu_or_host || p->planned || job->merge.n_memory;
	if (p->modules.n + p->thunks.n + p->compiles.n == 0 && !other)
		return jr_fail(err, JR_ENOTFOUND,
			"'%s' contains no execution of an XLA module and no compilation. Profile while the "
			"program runs",
			p->inputs[0].name);
	if (p->has_trace && p->modules.n == 0 && !other)
		jr_profile_warn(p, "the trace contains no execution of an XLA module");
	jr_tell_archives(p, job->archives);
	jr_source_texts_load(p, job->archives);
	tell_texts_shrunk(job);
	jr_tell_unread(p, job->archives);
	return JR_OK;
}

static void job_done(struct job *job)
{
	end_checksum(job);
	for (size_t i = 0; i < job->sources.list.n; i++)
		jr_source_done(&job->sources.list.items[i]);
	for (size_t i = 0; i < job->profile->n_inputs; i++)
		jr_archive_close(job->archives[i]);
	for (size_t i = 0; i < job->profile->n_inputs; i++)
		jr_export_done(&job->exports[i]);
	for (size_t i = 0; i < job->profile->n_inputs; i++) {
		jr_digest_close(&job->digests[i]);
		job->profile->inputs[i].digest = NULL;
	}
	jr_archive_close(job->dumps);
	jr_vec_done(&job->sources.list);
	free(job->tasks);
	jr_build_done(&job->merge.build);
	jr_map_done(&job->merge.merged);
	pthread_mutex_destroy(&job->lock);
	jr_arena_done(&job->arena);
}

enum jr_status jr_load_as(const char *const *paths, const char *const *origins, size_t n_paths,
	const struct jr_progress *progress, struct jr_profile *profile, struct jr_error *err)
{
	if (n_paths == 0)
		return jr_fail(err, JR_EUSAGE, "no input given");
	struct job job = {.profile = profile,
		.limits = &profile->options.limits,
		.paths = paths,
		.origins = origins,
		.merge = {.profile = profile, .build.profile = profile},
		.progress = progress};
	jr_arena_init(&job.arena, 0);
	job.merge.arena = &job.arena;
	pthread_mutex_init(&job.lock, NULL);
	enum jr_status status = open_inputs(&job, n_paths, err);
	if (status == JR_OK)
		status = load_all(&job, err);
	if (JR_CHECKED && status == JR_OK)
		jr_profile_assert(profile);
	job_done(&job);
	return status;
}

enum jr_status jr_load(const char *const *paths, size_t n_paths, const struct jr_progress *progress,
	struct jr_profile *profile, struct jr_error *err)
{
	return jr_load_as(paths, NULL, n_paths, progress, profile, err);
}

/* --- host ranges alone ------------------------------------------------------------------------ */

/* Read a file of unknown kind. If there is no hint about it, reading it as a trace gives the most
 * useful error. */
static enum jr_status read_unknown(
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_file_map map;
	JR_TRY(jr_file_map(path, &map, err));
	const char *hint = map.bytes.size ? jr_foreign_hint(map.bytes) : jr_empty_hint(path);
	jr_file_unmap(&map);
	if (hint)
		return jr_fail(err, JR_EFORMAT, "'%s' %s", path, hint);
	return jr_host_tell_file(path, to, err);
}

enum jr_status jr_load_host_ranges(const char *path, const struct jr_limits *limits,
	jr_host_ranges_fn take, void *context, struct jr_error *err)
{
	const struct jr_host_listener to = {limits, take, context, jr_hint_within, jr_input_kinds};
	if (!jr_input_known(path, limits))
		return read_unknown(path, &to, err);
	const struct jr_input_ops *kind = jr_input_probe(path, limits);
	if (!kind->read_host)
		return jr_fail(err, JR_ENOTFOUND, "'%s' is %s, which does not contain compile ranges", path,
			kind->noun);
	return kind->read_host(path, &to, err);
}
