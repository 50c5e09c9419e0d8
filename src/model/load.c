#include "model/load.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/task.h"
#include "formats/digest.h"
#include "model/build.h"
#include "model/source.h"

/* Processes are read a few at a time, each group merged and freed before the next: memory grows
 * with what is kept of a process, not with what it takes to decode one. */
#define GROUP 4

enum task_kind { TASK_TRACE, TASK_HOST, TASK_DUMP, TASK_DIGEST };

struct task {
	enum task_kind kind;
	uint64_t cost_bytes; /* compressed: what to expect, longest first */
	size_t source, dump, input;
};

struct job {
	struct jr_profile *profile;
	const struct jr_limits *limits;
	struct jr_archive **archives; /* [n_inputs], NULL = could not be opened */
	struct jr_source *sources;
	size_t n_sources;
	struct jr_build build;
	struct task *tasks;
	size_t n_tasks, tasks_capacity;
	const struct jr_progress *progress;
	const char *stage;
	uint64_t done_bytes, total_bytes;
	pthread_mutex_t lock;
	struct jr_error first_error; /* what to say where nothing is left to report on */
	size_t n_usable;
	struct jr_arena arena;
};

/* --- tasks ------------------------------------------------------------------------------------ */

static void tell(struct job *job, uint64_t bytes)
{
	pthread_mutex_lock(&job->lock);
	job->done_bytes += bytes;
	if (job->progress && job->progress->step)
		job->progress->step(job->progress->context, job->stage, job->done_bytes, job->total_bytes);
	pthread_mutex_unlock(&job->lock);
}

static void run_task(void *context, size_t index)
{
	struct job *job = context;
	const struct task *task = &job->tasks[index];
	switch (task->kind) {
	case TASK_TRACE:
		jr_source_read_trace(&job->sources[task->source]);
		break;
	case TASK_HOST:
		jr_source_read_host(&job->sources[task->source]);
		break;
	case TASK_DUMP:
		jr_source_read_dump(&job->sources[task->source], task->dump);
		break;
	case TASK_DIGEST:
		jr_sha256_hex(jr_archive_raw(job->archives[task->input]),
			job->profile->inputs[task->input].sha256);
		break;
	}
	tell(job, task->cost_bytes);
}

static void add_task(struct job *job, struct task task)
{
	if (job->n_tasks == job->tasks_capacity)
		job->tasks = jr_vec_grow(job->tasks, &job->tasks_capacity, sizeof(*job->tasks));
	job->tasks[job->n_tasks++] = task;
	job->total_bytes += task.cost_bytes;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	return (x->cost_bytes < y->cost_bytes) - (x->cost_bytes > y->cost_bytes);
}

static void run_tasks(struct job *job, const char *stage)
{
	job->stage = stage;
	if (job->n_tasks)
		qsort(job->tasks, job->n_tasks, sizeof(*job->tasks), compare_tasks);
	jr_task_run(job->profile->options.n_threads, job->n_tasks, run_task, job);
	job->n_tasks = 0;
}

/* --- inputs ----------------------------------------------------------------------------------- */

static const char *base_name(struct jr_profile *p, const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	size_t from = n;
	while (from && path[from - 1] != '/')
		from--;
	return jr_str(p, jr_profile_text(p, path + from, n - from));
}

static const char *without_zip(struct job *job, const char *name)
{
	size_t n = strlen(name);
	if (n > 4 && strcmp(name + n - 4, ".zip") == 0)
		n -= 4;
	return jr_arena_strndup(&job->arena, name, n);
}

static void remember(struct job *job, const struct jr_error *error)
{
	if (job->first_error.status == JR_OK)
		job->first_error = *error;
}

static void open_inputs(struct job *job, const char *const *paths, size_t n)
{
	struct jr_profile *p = job->profile;
	p->inputs = JR_ARENA_N(&p->arena, struct jr_input, n + 1);
	job->archives = JR_ARENA_N(&job->arena, struct jr_archive *, n + 1);
	p->n_inputs = n;
	struct parts {
		const char **names;
		size_t n; /* 0: no combined archive */
	} *parts = JR_ARENA_N(&job->arena, struct parts, n + 1);
	size_t room = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct jr_input *input = &p->inputs[i];
		struct jr_error err = {0};
		input->name = base_name(p, paths[i]);
		if (jr_archive_open(paths[i], job->limits, &job->archives[i], &err) != JR_OK) {
			remember(job, &err);
			input->failure = jr_arena_strdup(&p->arena, err.message);
			jr_profile_damaged(p, "input", err.message);
			continue;
		}
		input->size_bytes = jr_archive_raw(job->archives[i]).size;
		parts[i].n = jr_source_parts(job->archives[i], &job->arena, &parts[i].names);
		input->kind = parts[i].n ? JR_INPUT_NSYS_JAX_COMBINE
			: jr_archive_is_directory(job->archives[i]) ? JR_INPUT_DIRECTORY
														: JR_INPUT_NSYS_JAX;
		room += parts[i].n ? parts[i].n : 1;
	}
	job->sources = JR_ARENA_N(&job->arena, struct jr_source, room + 1);
	for (uint32_t i = 0; i < n; i++) {
		if (!job->archives[i])
			continue;
		for (size_t k = 0; k < parts[i].n; k++)
			jr_source_init(&job->sources[job->n_sources++], i, parts[i].names[k],
				parts[i].names[k], job->archives[i], job->limits);
		if (parts[i].n == 0)
			jr_source_init(&job->sources[job->n_sources++], i, without_zip(job, p->inputs[i].name),
				NULL, job->archives[i], job->limits);
	}
}

/* --- from what was read to the profile -------------------------------------------------------- */

static uint32_t text_of(struct jr_profile *p, const struct jr_metadata *meta, uint32_t id)
{
	return id ? jr_intern_puts(&p->strings, jr_intern_str(&meta->strings, id)) : 0;
}

static uint32_t add_process(struct job *job, const struct jr_source *s)
{
	struct jr_profile *p = job->profile;
	const struct jr_metadata *meta = &s->metadata;
	uint32_t row = (uint32_t)p->n_processes++;
	p->processes[row] = (struct jr_process){.input = s->input,
		.name = jr_profile_text(p, s->name, strlen(s->name)),
		.layout = s->has_trace ? s->trace.layout : 0,
		.xla = s->has_trace ? s->trace.xla : 0,
		.hostname = text_of(p, meta, meta->hostname),
		.driver = text_of(p, meta, meta->driver),
		.cuda = text_of(p, meta, meta->cuda),
		.nsys = text_of(p, meta, meta->nsys),
		.cpu = text_of(p, meta, meta->cpu),
		.os = text_of(p, meta, meta->os),
		.bytes_read = s->bytes_read};
	for (size_t i = 0; i < meta->n_settings; i++)
		jr_profile_setting(p, row, text_of(p, meta, meta->settings[i].name),
			text_of(p, meta, meta->settings[i].value));
	if (s->metadata_error.status != JR_OK)
		jr_profile_damaged(p, "metadata", s->metadata_error.message);
	return row;
}

static void tell_trace_oddities(struct jr_profile *p, const struct jr_trace *t)
{
	if (t->n_duplicates)
		jr_profile_warn(p,
			"%" PRIu64 " ranges of the trace have an id that another has: nsys 2024.5 and 2024.6 "
			"write this when CUDA graphs are on; profile with XLA_FLAGS=--xla_gpu_enable_command_"
			"buffer= for exact figures",
			t->n_duplicates);
	if (t->n_dangling)
		jr_profile_guess(p, "dangling-parents", t->n_dangling,
			"ranges whose parent is not in the trace were taken as top-level ranges");
	if (t->n_reparented)
		jr_profile_guess(p, "reparented-thunks", t->n_reparented,
			"thunks that their parent thunk does not contain in time were hung under the next "
			"range "
			"up that does: this trace was nested by projected times of all streams together");
}

static void add_executions(struct job *job, struct jr_source *s, uint32_t process)
{
	struct jr_profile *p = job->profile;
	tell_trace_oddities(p, &s->trace);
	struct jr_thread_devices threads;
	jr_devices_add(&job->build, process, &s->trace, &s->metadata, &threads);
	struct jr_local_program *local = JR_ARENA_N(&s->arena, struct jr_local_program, s->n_dumps + 1);
	for (size_t i = 0; i < s->n_dumps; i++) {
		struct jr_dump *d = &s->dumps[i];
		local[i] = (struct jr_local_program){.number = d->number,
			.name = jr_profile_text(p, d->module, strlen(d->module)),
			.hlo = JR_TAKE(d->hlo)};
		if (d->error.status != JR_OK)
			jr_profile_damaged(p, "hlo", d->error.message);
		else if (d->member == SIZE_MAX)
			jr_profile_missing(p, "hlo",
				jr_arena_printf(&s->arena, "no HLO dump of program %" PRId64 " (%s) in '%s'",
					d->number, d->module, s->name));
	}
	jr_programs_add(&job->build, process, local, s->n_dumps);
	jr_executions_add(&job->build, &s->trace, &threads, local, s->n_dumps);
	jr_thread_devices_done(&threads);
}

static enum jr_status merge_source(struct job *job, struct jr_source *s, struct jr_error *err)
{
	struct jr_profile *p = job->profile;
	if (!s->has_trace && !s->has_host) {
		const char *input = p->inputs[s->input].name;
		const char *label =
			s->subname ? jr_arena_printf(&s->arena, "%s: %s", input, s->subname) : input;
		const struct jr_error *why =
			s->host_error.status != JR_OK && s->trace_error.status == JR_ENOTFOUND ? &s->host_error
																			   : &s->trace_error;
		struct jr_error told = {0};
		if (why->status == JR_ENOTFOUND)
			(void)jr_fail(&told, why->status,
				"'%s' holds neither " JR_MEMBER_TRACE " nor a compile trace: it is not an nsys-jax "
				"archive",
				label);
		else
			(void)jr_fail(&told, why->status, "'%s': %s", label, why->message);
		remember(job, &told);
		jr_profile_damaged(p, "input", told.message);
		if (!s->subname)
			p->inputs[s->input].failure = jr_arena_strdup(&p->arena, told.message);
		return JR_OK;
	}
	job->n_usable++;
	uint32_t process = add_process(job, s);
	if (s->has_trace)
		add_executions(job, s, process);
	else if (s->trace_error.status == JR_ENOTFOUND)
		jr_profile_missing(p, "trace", s->trace_error.message);
	else
		jr_profile_damaged(p, "trace", s->trace_error.message);
	p->has_trace |= s->has_trace;
	if (s->has_host)
		JR_TRY(jr_compile_add(p, process, &s->host, err));
	else if (s->host_member == SIZE_MAX)
		jr_profile_missing(
			p, "compilation", "the input holds no " JR_MEMBER_HOST_CSV " or .parquet");
	else
		jr_profile_damaged(p, "compilation", s->host_error.message);
	p->has_compiles = p->compiles.n > 0;
	return JR_OK;
}

static enum jr_status load_group(struct job *job, size_t begin, size_t end, struct jr_error *err)
{
	for (size_t i = begin; i < end; i++)
		add_task(job,
			(struct task){.kind = TASK_TRACE,
				.cost_bytes = jr_source_packed_bytes(
					&job->sources[i], jr_source_locate(&job->sources[i], JR_MEMBER_TRACE)),
				.source = i});
	run_tasks(job, "reading traces");
	for (size_t i = begin; i < end; i++) {
		struct jr_source *s = &job->sources[i];
		add_task(job,
			(struct task){.kind = TASK_HOST,
				.cost_bytes = jr_source_packed_bytes(s, s->host_member),
				.source = i});
		for (size_t k = 0; k < s->n_dumps; k++)
			add_task(job,
				(struct task){.kind = TASK_DUMP,
					.cost_bytes = jr_source_packed_bytes(s, s->dumps[k].member),
					.source = i,
					.dump = k});
		bool first_of_input = i == 0 || job->sources[i - 1].input != s->input;
		if (first_of_input && !jr_archive_is_directory(s->archive))
			add_task(job, (struct task){.kind = TASK_DIGEST, .input = s->input});
	}
	run_tasks(job, "decoding HLO and compile ranges");
	enum jr_status status = JR_OK;
	for (size_t i = begin; i < end; i++) {
		if (status == JR_OK)
			status = merge_source(job, &job->sources[i], err);
		jr_source_done(&job->sources[i]);
	}
	return status;
}

static enum jr_status load_all(struct job *job, struct jr_error *err)
{
	struct jr_profile *p = job->profile;
	p->processes = JR_ARENA_N(&p->arena, struct jr_process, job->n_sources + 1);
	for (size_t i = 0; i < job->n_sources; i += GROUP)
		JR_TRY(load_group(job, i, i + GROUP < job->n_sources ? i + GROUP : job->n_sources, err));
	if (job->n_usable == 0) {
		if (err)
			*err = job->first_error;
		return job->first_error.status;
	}
	JR_TRY(jr_build_finish(&job->build, err));
	if (p->modules.n + p->thunks.n + p->compiles.n == 0)
		return jr_fail(err, JR_ENOTFOUND,
			"'%s' holds no execution of an XLA module and no compilation: nothing was profiled",
			p->inputs[0].name);
	if (p->has_trace && p->modules.n == 0)
		jr_profile_warn(p, "the trace holds no execution of an XLA module");
	return JR_OK;
}

static void job_done(struct job *job)
{
	for (size_t i = 0; i < job->n_sources; i++)
		jr_source_done(&job->sources[i]);
	for (size_t i = 0; i < job->profile->n_inputs; i++)
		jr_archive_close(job->archives[i]);
	free(job->tasks);
	jr_build_done(&job->build);
	pthread_mutex_destroy(&job->lock);
	jr_arena_done(&job->arena);
}

enum jr_status jr_load(const char *const *paths, size_t n_paths, const struct jr_progress *progress,
	struct jr_profile *profile, struct jr_error *err)
{
	if (n_paths == 0)
		return jr_fail(err, JR_EUSAGE, "no input given");
	struct job job = {.profile = profile,
		.limits = &profile->options.limits,
		.build.profile = profile,
		.progress = progress};
	jr_arena_init(&job.arena, 0);
	pthread_mutex_init(&job.lock, NULL);
	open_inputs(&job, paths, n_paths);
	enum jr_status status = load_all(&job, err);
	job_done(&job);
	return status;
}
