#include "model/inputs/combine.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "base/vec.h"
#include "formats/archive/archive_copy.h"
#include "model/inputs/input.h"
#include "model/archive/metadata.h"
#include "model/build/company.h"
#include "model/kinds/archives.h"
#include "model/kinds/kind_parts.h"
#include "model/sources/profile_root.h"
#include "model/sources/source.h"

/* One of the merged processes, with the data that shows whether it belongs to the others. */
struct process {
	const char *label; /* clean, for messages */
	size_t input;
	const char *part;
	uint64_t trace_key;  /* checksum and size of its trace; 0 = none */
	uint32_t number;     /* XLA's process number; JR_NONE = unknown */
	const char *largest; /* name of its largest program; NULL = unknown */
	const char *gpu;     /* name of its first GPU; NULL = unknown */
};

struct job {
	const struct jr_combine_request *request;
	struct jr_combined *out;
	struct jr_arena *arena;
	struct jr_combine_input *inputs;
	JR_VEC(struct process) processes;
	JR_VEC(const char *) warnings;
	struct jr_intern names; /* already used by processes */
	size_t n_renamed;       /* processes whose name was taken; the first of them: */
	const char *renamed;
};

static void warn(struct job *job, const char *fmt, ...) JR_PRINTF(2, 3);
static void warn(struct job *job, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	*jr_vec_add(&job->warnings) = jr_arena_strdup(job->arena, text);
}

static const char *clean(struct job *job, const char *text)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0};
	jr_text_clean(&buf, text, strlen(text));
	return jr_arena_strdup(job->arena, buf.data ? buf.data : "");
}

/* --- names ----------------------------------------------------------------------------------- */

/* Return the last part of a path, without an archive's suffix. "." and ".." are resolved to the
 * name of the folder. */
static const char *stem(struct job *job, const char *path)
{
	struct jr_bytes last = jr_file_name(path);
	const char *name = jr_arena_strndup(job->arena, (const char *)last.data, last.size);
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		char real[PATH_MAX];
		const char *slash = realpath(path, real) ? strrchr(real, '/') : NULL;
		return jr_arena_strdup(job->arena, slash ? slash + 1 : "");
	}
	size_t len = strlen(name);
	if (jr_input_named(name, &jr_input_nsys_jax))
		len = jr_input_stem_size(name, len);
	char *copy = jr_arena_strndup(job->arena, name, len);
	for (char *p = copy; *p; p++)
		if (*p == '\\') /* not allowed in member names */
			*p = '_';
	return copy;
}

/* Return `wanted`, with a number added if another process has that name. */
static const char *take_name(struct job *job, const char *path, const char *wanted)
{
	const char *name = wanted;
	for (unsigned i = 2; jr_intern_find(&job->names, name, strlen(name)) != JR_NONE; i++)
		name = jr_arena_printf(job->arena, "%s-%u", wanted, i);
	(void)jr_intern_puts(&job->names, name);
	if (name != wanted && job->n_renamed++ == 0)
		job->renamed = jr_arena_printf(job->arena,
			"'%s': its files are named '%s', because another input has the name '%s'", path,
			clean(job, name), clean(job, wanted));
	return name;
}

/* --- inputs ---------------------------------------------------------------------------------- */

static enum jr_status add_input(struct job *job, size_t index, struct jr_error *err)
{
	const char *path = job->request->paths[index];
	struct jr_combine_input *in = &job->inputs[index];
	const char *label = clean(job, path), *own_name = stem(job, path);
	if (!*own_name)
		return jr_fail(err, JR_EUSAGE,
			"'%s' cannot be used to name its files. Use a path that ends in a name.", label);
	JR_TRY(jr_archive_open(path, job->request->limits, &in->archive, err));
	bool entered;
	JR_TRY(jr_profile_root_enter(in->archive, label, &entered, err));
	if (jr_tables_within(in->archive))
		return jr_fail(err, JR_EUNSUPPORTED,
			"'%s' is an Nsight Systems export, not an archive of nsys-jax. Use several exports as "
			"inputs of one report instead",
			label);
	if (jr_archive_rejected(in->archive))
		warn(job,
			"'%s': members left out because their names lead out of the archive or occur twice: "
			"%zu",
			label, jr_archive_rejected(in->archive));
	const char **parts;
	in->n = jr_source_parts(in->archive, job->arena, &parts);
	if (in->n == 0) {
		in->n = 1;
		parts = NULL;
	}
	const char **names = JR_ARENA_N(job->arena, const char *, in->n);
	for (size_t i = 0; i < in->n; i++) {
		names[i] = take_name(job, label, parts ? parts[i] : own_name);
		*jr_vec_add(&job->processes) = (struct process){
			.label =
				parts ? jr_arena_printf(job->arena, "%s: %s", label, clean(job, parts[i])) : label,
			.input = index,
			.part = parts ? parts[i] : NULL,
			.number = JR_NONE,
		};
	}
	in->names = names;
	in->parts = parts;
	return JR_OK;
}

/* --- checking that inputs belong together ---------------------------------------------------- */

typedef enum jr_status (*metadata_fn)(
	struct jr_metadata *, struct jr_bytes, const struct jr_limits *, struct jr_error *);

/* Unreadable metadata is not an error here: copying it or the report will say so. */
static void read_metadata(struct job *job, const struct jr_source *source, const char *path,
	metadata_fn reader, struct jr_metadata *meta)
{
	size_t member = jr_source_locate(source, path);
	if (member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_content_done) struct jr_content file = {0};
	struct jr_error ignored = {0};
	if (jr_archive_content(source->archive, member, &file, &ignored) == JR_OK)
		(void)(reader(meta, file.bytes, job->request->limits, &ignored) == JR_OK);
}

static const char dumps[] = "dump/module_";

/* Return the next dump of the process from *at on, in order of names, with its program's name.
 * SIZE_MAX: there are no more. Advances *at. */
static size_t next_dump(const struct jr_archive *archive, const struct process *p, size_t *at,
	const char **name, size_t *len, bool *is_text)
{
	while (*at < jr_archive_count(archive)) {
		const char *member = jr_archive_at(archive, *at)->name;
		if (strncmp(member, dumps, sizeof(dumps) - 1) != 0)
			break;
		const char *dump = member + strlen("dump/"); /* a file or a folder */
		int64_t number;
		bool is_dump = jr_dump_parse_name(dump, strcspn(dump, "/"), &number, name, len, is_text);
		size_t found = jr_source_member_of(archive, *at, strlen("dump/"), p->part, at);
		if (is_dump && found != SIZE_MAX)
			return found;
	}
	return SIZE_MAX;
}

static bool knows_program(const struct job *job, const struct process *p, const char *wanted)
{
	const struct jr_archive *archive = job->inputs[p->input].archive;
	size_t at = jr_archive_lower_bound(archive, dumps), len;
	const char *name;
	bool is_text;
	while (next_dump(archive, p, &at, &name, &len, &is_text) != SIZE_MAX)
		if (len == strlen(wanted) && memcmp(name, wanted, len) == 0)
			return true;
	return false;
}

/* Sizes of texts count only where there is no proto. */
static const char *largest_program(struct job *job, const struct process *p)
{
	const struct jr_archive *archive = job->inputs[p->input].archive;
	const char *best = NULL, *name;
	size_t best_len = 0, len, member, at = jr_archive_lower_bound(archive, dumps);
	uint64_t best_bytes = 0;
	bool is_text, best_is_text = false;
	while ((member = next_dump(archive, p, &at, &name, &len, &is_text)) != SIZE_MAX) {
		uint64_t size_bytes = jr_archive_at(archive, member)->size_bytes;
		if (best && (is_text != best_is_text ? is_text : size_bytes <= best_bytes))
			continue;
		best_is_text = is_text;
		best = name;
		best_len = len;
		best_bytes = size_bytes;
	}
	return best ? jr_arena_strndup(job->arena, best, best_len) : NULL;
}

static enum jr_status examine(struct job *job, struct process *p, struct jr_error *err)
{
	struct jr_archive *archive = job->inputs[p->input].archive;
	struct jr_source source;
	jr_source_init(&source, 0, "", p->part, archive, job->request->limits);
	size_t trace = jr_source_locate(&source, JR_MEMBER_TRACE);
	read_metadata(job, &source, JR_MEMBER_DEVICES, jr_metadata_read_devices, &source.metadata);
	read_metadata(job, &source, JR_MEMBER_THREADS, jr_metadata_read_threads, &source.metadata);
	p->number = jr_metadata_process(&source.metadata);
	if (source.metadata.n_gpus && source.metadata.gpus[0].name)
		p->gpu = jr_arena_strdup(
			job->arena, jr_intern_str(&source.metadata.strings, source.metadata.gpus[0].name));
	jr_source_done(&source);
	p->largest = largest_program(job, p);
	if (trace == SIZE_MAX) {
		warn(job, "'%s' does not contain " JR_MEMBER_TRACE, p->label);
		return JR_OK;
	}
	uint32_t crc32;
	JR_TRY(jr_archive_checksum(archive, trace, &crc32, err));
	p->trace_key = jr_key2(crc32, (uint32_t)jr_archive_at(archive, trace)->size_bytes);
	return JR_OK;
}

static bool contains(const void *context, size_t member, const char *program)
{
	const struct job *job = context;
	return knows_program(job, &job->processes.items[member], program);
}

static void compare(struct job *job)
{
	size_t n = job->processes.n;
	struct jr_member *members = JR_ARENA_N(job->arena, struct jr_member, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct process *p = &job->processes.items[i];
		members[i] = (struct jr_member){.label = p->label,
			.input = (uint32_t)i,
			.process = (uint32_t)i,
			.number = p->number,
			.trace = p->trace_key,
			.program = p->largest,
			.gpu = p->gpu};
	}
	const struct jr_company company = {members, n, contains, job, "contains"};
	struct jr_misfit misfits[JR_N_MISFITS];
	jr_company_check(&company, misfits);
	for (enum jr_misfit_kind i = 0; i < JR_N_MISFITS; i++) {
		const char *text = jr_company_warning(&company, i, &misfits[i], job->arena);
		if (text)
			*jr_vec_add(&job->warnings) = clean(job, text);
	}
}

/* --- combining ------------------------------------------------------------------------------- */

static void on_step(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	const struct jr_progress *progress = context;
	progress->step(progress->context, "copying", done_bytes, total_bytes);
}

static enum jr_status write_plan(struct job *job, const struct jr_combine_plan *plan,
	struct jr_outfile *file, struct jr_error *err)
{
	const struct jr_progress *progress = job->request->progress;
	struct jr_progress copy = progress ? *progress : (struct jr_progress){0};
	job->out->n_members = plan->n;
	job->out->n_shared = plan->n_shared;
	job->out->n_split = plan->n_split;
	job->out->total_bytes = plan->total_bytes;
	return jr_combine_write(plan, job->inputs, file, copy.step ? on_step : NULL, &copy, err);
}

static enum jr_status run(struct job *job, struct jr_outfile *file, struct jr_error *err)
{
	const struct jr_combine_request *request = job->request;
	for (size_t i = 0; i < request->n_paths; i++)
		JR_TRY(add_input(job, i, err));
	if (job->n_renamed)
		warn(job, "%s%s", job->renamed, jr_company_more(job->n_renamed, job->arena));
	for (size_t i = 0; i < job->processes.n; i++)
		JR_TRY(examine(job, &job->processes.items[i], err));
	compare(job);
	job->out->n_processes = job->processes.n;
	struct jr_combine_plan plan;
	const struct jr_combine_rules rules = {request->keep, jr_source_own_members, request->limits};
	enum jr_status status = jr_combine_plan(job->inputs, request->n_paths, &rules, &plan, err);
	if (status == JR_OK)
		status = write_plan(job, &plan, file, err);
	jr_combine_plan_done(&plan);
	for (size_t i = 0; i < request->n_paths; i++)
		if (jr_archive_shrank(job->inputs[i].archive))
			return jr_fail_shrunk(err, clean(job, request->paths[i]));
	return status;
}

const struct jr_outfile_kind *jr_combine_kind(void)
{
	return &jr_zip_kind;
}

enum jr_status jr_combine(const struct jr_combine_request *request, struct jr_outfile *file,
	struct jr_combined *out, struct jr_error *err)
{
	*out = (struct jr_combined){0};
	jr_arena_init(&out->arena, 0);
	struct job job = {.request = request, .out = out, .arena = &out->arena};
	jr_intern_init(&job.names);
	job.inputs = JR_ARENA_N(job.arena, struct jr_combine_input, request->n_paths + 1);
	enum jr_status status = run(&job, file, err);
	for (size_t i = 0; i < request->n_paths; i++)
		jr_archive_close(job.inputs[i].archive);
	out->n_warnings = job.warnings.n;
	out->warnings = JR_ARENA_N(job.arena, const char *, job.warnings.n + 1);
	for (size_t i = 0; i < job.warnings.n; i++)
		out->warnings[i] = job.warnings.items[i];
	jr_vec_done(&job.warnings);
	jr_vec_done(&job.processes);
	jr_intern_done(&job.names);
	return status;
}

void jr_combined_done(struct jr_combined *combined)
{
	jr_arena_done(&combined->arena);
	*combined = (struct jr_combined){0};
}
