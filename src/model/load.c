#include "model/load.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/task.h"
#include "base/text.h"
#include "formats/archive.h"
#include "formats/digest.h"
#include "formats/xz.h"
#include "model/build.h"
#include "model/compile.h"

#define TRACE "nvtx_gpu_proj_trace/trace.parquet"
#define THREADS "thread-metadata.parquet"
#define DEVICES "device-metadata.parquet"
#define SYSTEM "system-metadata.parquet"
#define PUSHPOP_CSV "report_nvtx_pushpop_trace.csv.xz"
#define PUSHPOP_PARQUET "report_nvtx_pushpop_trace.parquet" /* from 2025-01 */

/* One HLO dump that a row names. */
struct dump {
	int64_t number;
	const char *module;  /* in the job's arena */
	size_t member;       /* SIZE_MAX = there is none */
	struct jr_hlo *hlo;  /* NULL until decoded, and where that failed */
	struct jr_error error;
};

/* One process of one input, while it is read. */
struct source {
	uint32_t input;
	const char *name;    /* of the process: file name without .zip */
	const char *subname; /* name of its files inside a combined archive's folders; NULL */
	struct jr_archive *archive;
	struct jr_trace trace;
	bool has_trace;
	struct jr_metadata metadata;
	struct jr_host_ranges host;
	bool has_host;
	struct jr_error trace_error, metadata_error, host_error; /* status JR_OK = none */
	bool trace_missing, host_missing;
	struct dump *dumps;
	size_t n_dumps;
	uint64_t bytes_read;
};

enum task_kind { TASK_TRACE, TASK_HOST, TASK_DUMP, TASK_DIGEST };

struct task {
	enum task_kind kind;
	uint64_t cost_bytes; /* compressed: what to expect, longest first */
	size_t source, dump, input;
};

struct job {
	struct jr_profile *profile;
	const struct jr_limits *limits;
	struct jr_archive **archives; /* [n_inputs] */
	struct source *sources;
	size_t n_sources;
	struct task *tasks;
	size_t n_tasks;
	const struct jr_progress *progress;
	const char *stage;
	uint64_t done_bytes, total_bytes;
	pthread_mutex_t lock;
	struct jr_arena arena;
};

/* --- finding members --------------------------------------------------------------------------- */

/* `path` as a file, or the file of this process in a folder of that name (combined archive). */
static size_t locate(const struct source *s, const char *path)
{
	size_t index = jr_archive_find(s->archive, path);
	if (index != SIZE_MAX || !s->subname)
		return index;
	char name[4096];
	int n = snprintf(name, sizeof(name), "%s/%s", path, s->subname);
	return n > 0 && (size_t)n < sizeof(name) ? jr_archive_find(s->archive, name) : SIZE_MAX;
}

/* dump/module_NNNN.NAME.[sm_X.Y_gpu_]after_optimizations.hlo.pb.xz -> its parts. `name` may be the
 * folder part of a combined archive's member. */
static bool parse_dump(const char *name, size_t n, int64_t *number, const char **module,
	size_t *module_len)
{
	static const char head[] = "dump/module_", tail[] = "after_optimizations.hlo.pb.xz";
	if (n < sizeof(head) + sizeof(tail) || memcmp(name, head, sizeof(head) - 1) != 0 ||
		memcmp(name + n - (sizeof(tail) - 1), tail, sizeof(tail) - 1) != 0)
		return false;
	const char *digits = name + sizeof(head) - 1;
	size_t n_digits = strspn(digits, "0123456789");
	const char *rest = digits + n_digits;
	const char *end = name + n - (sizeof(tail) - 1);
	if (!jr_parse_i64(digits, n_digits, number) || *rest != '.' || rest >= end || end[-1] == '/')
		return false;
	rest++;
	/* What is ahead of the tail is "NAME." or "NAME.sm_8.0_gpu_". */
	size_t len = (size_t)(end - rest);
	if (len && rest[len - 1] == '.') {
		*module_len = len - 1;
	} else {
		const char *target = NULL;
		for (const char *p = rest; p + 4 <= end; p++)
			if (memcmp(p, ".sm_", 4) == 0)
				target = p;
		*module_len = target ? (size_t)(target - rest) : len;
	}
	*module = rest;
	return true;
}

/* The dump of a program, for this process. O(members below dump/module_NNNN). */
static size_t locate_dump(const struct source *s, int64_t number, const char *module)
{
	char prefix[64];
	snprintf(prefix, sizeof(prefix), "dump/module_%04" PRId64 ".", number);
	size_t best = SIZE_MAX;
	for (size_t i = jr_archive_lower_bound(s->archive, prefix); i < jr_archive_count(s->archive);
		 i++) {
		const char *name = jr_archive_at(s->archive, i)->name;
		if (strncmp(name, prefix, strlen(prefix)) != 0)
			break;
		size_t n = strlen(name);
		const char *slash = strchr(name + strlen("dump/"), '/');
		if (slash) {
			if (!s->subname || strcmp(slash + 1, s->subname) != 0)
				continue;
			n = (size_t)(slash - name);
		}
		int64_t found;
		const char *found_module;
		size_t found_len;
		if (!parse_dump(name, n, &found, &found_module, &found_len) || found != number)
			continue;
		if (strlen(module) == found_len && memcmp(module, found_module, found_len) == 0)
			return i;
		best = i;
	}
	return best;
}

/* --- tasks -------------------------------------------------------------------------------------- */

static void tell(struct job *job, uint64_t bytes)
{
	pthread_mutex_lock(&job->lock);
	job->done_bytes += bytes;
	if (job->progress && job->progress->step)
		job->progress->step(job->progress->context, job->stage, job->done_bytes, job->total_bytes);
	pthread_mutex_unlock(&job->lock);
}

static enum jr_status read_member(struct source *s, size_t member, struct jr_buf *out,
	struct jr_error *err)
{
	JR_TRY(jr_archive_read(s->archive, member, out, err));
	__atomic_fetch_add(&s->bytes_read, out->size, __ATOMIC_RELAXED);
	return JR_OK;
}

/* Read a member and hand it to a reader of the metadata. */
static void read_metadata(struct job *job, struct source *s, const char *path,
	enum jr_status (*reader)(struct jr_metadata *, struct jr_bytes, const struct jr_limits *,
		struct jr_error *))
{
	size_t member = locate(s, path);
	if (member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_error err = {0};
	enum jr_status status = read_member(s, member, &file, &err);
	if (status == JR_OK)
		status = reader(&s->metadata, jr_buf_view(&file), job->limits, &err);
	if (status != JR_OK && s->metadata_error.status == JR_OK) {
		(void)jr_context(&err, status, "%s", path);
		s->metadata_error = err;
	}
}

static void task_trace(struct job *job, struct source *s)
{
	jr_metadata_init(&s->metadata);
	read_metadata(job, s, THREADS, jr_metadata_read_threads);
	read_metadata(job, s, DEVICES, jr_metadata_read_devices);
	read_metadata(job, s, SYSTEM, jr_metadata_read_system);
	size_t member = locate(s, TRACE);
	if (member == SIZE_MAX) {
		s->trace_missing = true;
		return;
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	enum jr_status status = read_member(s, member, &file, &s->trace_error);
	if (status == JR_OK)
		status = jr_trace_read(jr_buf_view(&file), job->limits, &s->trace, &s->trace_error);
	if (status != JR_OK)
		(void)jr_context(&s->trace_error, status, "%s", TRACE);
	s->has_trace = status == JR_OK;
}

/* Read an .xz member and decode it. */
static enum jr_status read_xz(struct job *job, struct source *s, size_t member, struct jr_buf *out,
	struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
	JR_TRY(jr_archive_read(s->archive, member, &packed, err));
	JR_TRY(jr_xz_decode(jr_buf_view(&packed), job->limits, out, err));
	__atomic_fetch_add(&s->bytes_read, out->size, __ATOMIC_RELAXED);
	return JR_OK;
}

static size_t locate_host(const struct source *s)
{
	size_t member = locate(s, PUSHPOP_CSV);
	return member == SIZE_MAX ? locate(s, PUSHPOP_PARQUET) : member;
}

static void task_host(struct job *job, struct source *s)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	size_t member = locate_host(s);
	enum jr_status status = jr_archive_read(s->archive, member, &file, &s->host_error);
	if (status == JR_OK)
		status = jr_host_ranges_read(jr_buf_view(&file), job->limits, &s->host, &s->host_error);
	if (status == JR_OK)
		__atomic_fetch_add(&s->bytes_read, s->host.size_bytes, __ATOMIC_RELAXED);
	else
		(void)jr_context(&s->host_error, status, "%s", jr_archive_at(s->archive, member)->name);
	s->has_host = status == JR_OK;
}

static void task_dump(struct job *job, struct source *s, struct dump *dump)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf proto = {0};
	enum jr_status status = read_xz(job, s, dump->member, &proto, &dump->error);
	struct jr_hlo hlo;
	if (status == JR_OK)
		status = jr_hlo_decode(jr_buf_view(&proto), job->limits, &hlo, &dump->error);
	if (status != JR_OK) {
		(void)jr_context(&dump->error, status, "%s",
			jr_archive_at(s->archive, dump->member)->name);
		return;
	}
	pthread_mutex_lock(&job->lock);
	dump->hlo = jr_profile_add_hlo(job->profile);
	pthread_mutex_unlock(&job->lock);
	*dump->hlo = hlo;
}

static void run_task(void *context, size_t index)
{
	struct job *job = context;
	const struct task *task = &job->tasks[index];
	struct source *s = &job->sources[task->source];
	switch (task->kind) {
	case TASK_TRACE:
		task_trace(job, s);
		break;
	case TASK_HOST:
		task_host(job, s);
		break;
	case TASK_DUMP:
		task_dump(job, s, &s->dumps[task->dump]);
		break;
	case TASK_DIGEST:
		jr_sha256_hex(jr_archive_raw(job->archives[task->input]),
			job->profile->inputs[task->input].sha256);
		break;
	}
	tell(job, task->cost_bytes);
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

static uint64_t packed_bytes(const struct source *s, size_t member)
{
	return member == SIZE_MAX ? 0 : jr_archive_at(s->archive, member)->packed_bytes;
}

/* --- inputs ------------------------------------------------------------------------------------- */

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

static void add_source(struct job *job, uint32_t input, const char *name, const char *subname)
{
	job->sources[job->n_sources++] = (struct source){.input = input,
		.name = name,
		.subname = subname,
		.archive = job->archives[input]};
}

/* Names below a combined archive's folder `path` ("trace.parquet/rank0"); 0 where it is none. */
static size_t count_below(const struct jr_archive *archive, const char *path)
{
	size_t n = 0, len = strlen(path);
	for (size_t i = jr_archive_lower_bound(archive, path); i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		if (strncmp(name, path, len) != 0)
			break;
		n += name[len] == '/' && name[len + 1];
	}
	return n;
}

static void add_combined(struct job *job, uint32_t input, const char *path)
{
	const struct jr_archive *archive = job->archives[input];
	size_t len = strlen(path);
	for (size_t i = jr_archive_lower_bound(archive, path); i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		if (strncmp(name, path, len) != 0)
			break;
		if (name[len] == '/' && name[len + 1])
			add_source(job, input, name + len + 1, name + len + 1);
	}
}

static enum jr_status open_inputs(struct job *job, const char *const *paths, size_t n,
	struct jr_error *err)
{
	struct jr_profile *p = job->profile;
	p->inputs = JR_ARENA_N(&p->arena, struct jr_input, n);
	job->archives = JR_ARENA_N(&job->arena, struct jr_archive *, n);
	size_t n_sources = 0;
	for (size_t i = 0; i < n; i++) {
		p->inputs[i].name = base_name(p, paths[i]);
		JR_TRY(jr_archive_open(paths[i], job->limits, &job->archives[i], err));
		p->n_inputs = i + 1;
		p->inputs[i].size_bytes = jr_archive_raw(job->archives[i]).size;
		n_sources += 1 + count_below(job->archives[i], TRACE) +
			count_below(job->archives[i], THREADS) + count_below(job->archives[i], PUSHPOP_CSV) +
			count_below(job->archives[i], PUSHPOP_PARQUET);
	}
	job->sources = JR_ARENA_N(&job->arena, struct source, n_sources);
	for (size_t i = 0; i < n; i++) {
		static const char *const split[] = {TRACE, THREADS, PUSHPOP_CSV, PUSHPOP_PARQUET};
		size_t before = job->n_sources;
		for (size_t k = 0; k < JR_COUNT_OF(split) && job->n_sources == before; k++)
			add_combined(job, (uint32_t)i, split[k]);
		bool combined = job->n_sources > before;
		p->inputs[i].kind = combined ? JR_INPUT_NSYS_JAX_COMBINE
			: jr_archive_is_directory(job->archives[i]) ? JR_INPUT_DIRECTORY
														: JR_INPUT_NSYS_JAX;
		if (!combined)
			add_source(job, (uint32_t)i, without_zip(job, p->inputs[i].name), NULL);
	}
	return JR_OK;
}

/* --- the two stages ----------------------------------------------------------------------------- */

static void plan_traces(struct job *job)
{
	job->tasks = JR_ARENA_N(&job->arena, struct task, job->n_sources);
	for (size_t i = 0; i < job->n_sources; i++) {
		uint64_t cost = packed_bytes(&job->sources[i], locate(&job->sources[i], TRACE));
		job->tasks[job->n_tasks++] =
			(struct task){.kind = TASK_TRACE, .cost_bytes = cost, .source = i};
		job->total_bytes += cost;
	}
}

static int compare_dumps(const void *a, const void *b)
{
	const struct dump *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

/* The distinct programs that the trace names, by number. */
static void list_dumps(struct job *job, struct source *s)
{
	s->dumps = JR_ARENA_N(&job->arena, struct dump, s->trace.n_names + 1);
	for (size_t i = 0; i < s->trace.n_names; i++) {
		const struct jr_trace_name *name = &s->trace.names[i];
		if (name->kind != JR_RANGE_MODULE || name->program_number < 0 ||
			name->program_number >= UINT32_MAX)
			continue;
		s->dumps[s->n_dumps++] = (struct dump){.number = name->program_number,
			.module = jr_intern_str(&s->trace.strings, name->op)};
	}
	if (s->n_dumps)
		qsort(s->dumps, s->n_dumps, sizeof(*s->dumps), compare_dumps);
	size_t distinct = 0;
	for (size_t i = 0; i < s->n_dumps; i++)
		if (i == 0 || s->dumps[i].number != s->dumps[i - 1].number)
			s->dumps[distinct++] = s->dumps[i];
	s->n_dumps = distinct;
	for (size_t i = 0; i < distinct; i++)
		s->dumps[i].member = locate_dump(s, s->dumps[i].number, s->dumps[i].module);
}

static void plan_rest(struct job *job)
{
	size_t room = job->profile->n_inputs;
	for (size_t i = 0; i < job->n_sources; i++) {
		list_dumps(job, &job->sources[i]);
		room += job->sources[i].n_dumps + 1;
	}
	job->tasks = JR_ARENA_N(&job->arena, struct task, room);
	for (size_t i = 0; i < job->n_sources; i++) {
		struct source *s = &job->sources[i];
		size_t host = locate_host(s);
		s->host_missing = host == SIZE_MAX;
		if (!s->host_missing)
			job->tasks[job->n_tasks++] = (struct task){
				.kind = TASK_HOST, .cost_bytes = packed_bytes(s, host), .source = i};
		for (size_t k = 0; k < s->n_dumps; k++)
			if (s->dumps[k].member != SIZE_MAX)
				job->tasks[job->n_tasks++] = (struct task){.kind = TASK_DUMP,
					.cost_bytes = packed_bytes(s, s->dumps[k].member),
					.source = i,
					.dump = k};
	}
	for (size_t i = 0; i < job->n_tasks; i++)
		job->total_bytes += job->tasks[i].cost_bytes;
	for (size_t i = 0; i < job->profile->n_inputs; i++)
		if (!jr_archive_is_directory(job->archives[i]))
			job->tasks[job->n_tasks++] = (struct task){.kind = TASK_DIGEST, .input = i};
}

/* --- from what was read to the profile ----------------------------------------------------------- */

static uint32_t text_of(struct jr_profile *p, const struct jr_metadata *meta, uint32_t id)
{
	return id ? jr_intern_puts(&p->strings, jr_intern_str(&meta->strings, id)) : 0;
}

static void add_process(struct job *job, size_t index)
{
	struct jr_profile *p = job->profile;
	struct source *s = &job->sources[index];
	const struct jr_metadata *meta = &s->metadata;
	p->processes[index] = (struct jr_process){.input = s->input,
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
		jr_profile_setting(p, (uint32_t)index, text_of(p, meta, meta->settings[i].name),
			text_of(p, meta, meta->settings[i].value));
	if (s->metadata_error.status != JR_OK)
		jr_profile_damaged(p, "metadata", s->metadata_error.message);
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
}

static void add_executions(struct job *job, struct jr_build *build, size_t index)
{
	struct source *s = &job->sources[index];
	struct jr_profile *p = job->profile;
	tell_trace_oddities(p, &s->trace);
	struct jr_thread_devices threads;
	jr_devices_add(build, (uint32_t)index, &s->trace, &s->metadata, &threads);
	struct jr_local_program *local = JR_ARENA_N(&job->arena, struct jr_local_program, s->n_dumps + 1);
	for (size_t i = 0; i < s->n_dumps; i++) {
		const struct dump *d = &s->dumps[i];
		local[i] = (struct jr_local_program){
			.number = d->number, .name = jr_profile_text(p, d->module, strlen(d->module)), .hlo = d->hlo};
		if (d->error.status != JR_OK)
			jr_profile_damaged(p, "hlo", d->error.message);
		else if (d->member == SIZE_MAX)
			jr_profile_missing(p, "hlo",
				jr_arena_printf(&job->arena, "no HLO dump of program %" PRId64 " (%s) in '%s'",
					d->number, d->module, s->name));
	}
	jr_programs_add(build, local, s->n_dumps);
	jr_executions_add(build, &s->trace, &threads, local, s->n_dumps);
	jr_thread_devices_done(&threads);
	jr_trace_done(&s->trace);
	s->trace = (struct jr_trace){0};
}

static enum jr_status assemble(struct job *job, struct jr_error *err)
{
	struct jr_profile *p = job->profile;
	p->n_processes = job->n_sources;
	p->processes = JR_ARENA_N(&p->arena, struct jr_process, p->n_processes + 1);
	struct jr_build build = {.profile = p};
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < job->n_sources && status == JR_OK; i++) {
		struct source *s = &job->sources[i];
		add_process(job, i);
		if (s->has_trace) {
			p->has_trace = true;
			add_executions(job, &build, i);
		} else if (s->trace_missing) {
			jr_profile_missing(p, "trace", "the input holds no " TRACE);
		} else {
			jr_profile_damaged(p, "trace", s->trace_error.message);
		}
		if (s->has_host) {
			status = jr_compile_add(p, (uint32_t)i, &s->host, err);
			p->has_compiles |= p->compiles.n > 0;
		} else if (s->host_missing) {
			jr_profile_missing(p, "compilation", "the input holds no " PUSHPOP_CSV " or .parquet");
		} else {
			jr_profile_damaged(p, "compilation", s->host_error.message);
		}
	}
	if (status == JR_OK)
		status = jr_build_finish(&build, err);
	jr_build_done(&build);
	return status;
}

/* Something must be there to report on. */
static enum jr_status check(const struct job *job, struct jr_error *err)
{
	const struct source *first = &job->sources[0];
	for (size_t i = 0; i < job->n_sources; i++)
		if (job->sources[i].has_trace || job->sources[i].has_host)
			return JR_OK;
	const char *name = job->profile->inputs[first->input].name;
	if (first->trace_error.status != JR_OK)
		return jr_fail(err, first->trace_error.status, "'%s': %s", name, first->trace_error.message);
	if (first->host_error.status != JR_OK)
		return jr_fail(err, first->host_error.status, "'%s': %s", name, first->host_error.message);
	return jr_fail(err, JR_ENOTFOUND,
		"'%s' holds neither " TRACE " nor " PUSHPOP_CSV " or .parquet: it is not an nsys-jax archive",
		name);
}

static void job_done(struct job *job)
{
	for (size_t i = 0; i < job->n_sources; i++) {
		jr_trace_done(&job->sources[i].trace);
		jr_metadata_done(&job->sources[i].metadata);
		jr_host_ranges_done(&job->sources[i].host);
	}
	for (size_t i = 0; job->archives && i < job->profile->n_inputs; i++)
		jr_archive_close(job->archives[i]);
	pthread_mutex_destroy(&job->lock);
	jr_arena_done(&job->arena);
}

enum jr_status jr_load(const char *const *paths, size_t n_paths, const struct jr_progress *progress,
	struct jr_profile *profile, struct jr_error *err)
{
	struct job job = {
		.profile = profile, .limits = &profile->options.limits, .progress = progress};
	jr_arena_init(&job.arena, 0);
	pthread_mutex_init(&job.lock, NULL);
	enum jr_status status = open_inputs(&job, paths, n_paths, err);
	if (status == JR_OK) {
		plan_traces(&job);
		run_tasks(&job, "reading traces");
		plan_rest(&job);
		run_tasks(&job, "decoding HLO and compile ranges");
		status = check(&job, err);
	}
	if (status == JR_OK)
		status = assemble(&job, err);
	job_done(&job);
	return status;
}
