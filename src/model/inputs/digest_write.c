#include "model/inputs/digest_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/task.h"
#include "formats/archive/digest.h"
#include "formats/hlo/hlo_reduce.h"
#include "model/digest/digests.h"
#include "model/export/export.h"
#include "model/inputs/input.h"
#include "model/inputs/load.h"
#include "model/inputs/source_text.h"
#include "model/kinds/kinds.h"
#include "model/sources/oddities.h"
#include "model/sources/opening.h"

struct job {
	struct jr_profile *profile; /* what opening the archive reports, and its unread members */
	struct jr_input *input;
	struct jr_arena arena;
	struct jr_source_list sources;
	struct jr_archive *archive, *dumps;
	struct jr_export export; /* of inputs that have no digests */
	struct jr_digest digest;
	JR_VEC(struct jr_digest_text) texts;
	struct jr_intern text_names; /* those that were looked for */
	const char **names;
	struct jr_buf *parts; /* [n sources + n texts] */
	struct jr_buf head;
};

static bool begins(struct jr_bytes head)
{
	size_t n = sizeof(JR_DIGEST_BEGIN) - 1;
	return head.size >= n && memcmp(head.data, JR_DIGEST_BEGIN, n) == 0;
}

const struct jr_outfile_kind *jr_digest_kind(void)
{
	static const struct jr_outfile_kind kind = {"a digest", begins};
	return &kind;
}

/* --- reading the input ---------------------------------------------------------------------- */

static void no_progress(void *context, const char *stage, uint64_t more_bytes, uint64_t done_bytes)
{
	(void)context;
	(void)stage;
	(void)more_bytes;
	(void)done_bytes;
}

static bool has_digest(const struct jr_input *input)
{
	return input->kind->digested != NULL;
}

static enum jr_status no_digest(const struct jr_input *input, struct jr_error *err)
{
	return jr_fail(err, JR_EUNSUPPORTED,
		"'%s' is %s, which has no digest. Use it as an input itself", input->name,
		input->kind->noun);
}

/* The identity of a file that keeps its rows may be its checksum. */
static void identify(struct job *job, const char *named)
{
	char *sha256 = job->input->sha256;
	if (!job->sources.list.n || !job->sources.list.items[0].type->put_rows)
		return;
	if (job->archive && !jr_archive_is_directory(job->archive))
		jr_archive_sha256(job->archive, sha256);
	else if (!job->archive && jr_sha256_file(named, sha256, NULL) != JR_OK)
		*sha256 = '\0';
}

static enum jr_status open_input(
	struct job *job, const char *path, const char *named, struct jr_error *err)
{
	struct jr_profile *p = job->profile;
	struct jr_bytes name = jr_file_name(named);
	struct jr_opening opening = {.profile = p,
		.input = job->input,
		.kinds = jr_input_kinds,
		.path = path,
		.named = named,
		.limits = &p->options.limits,
		.arena = &job->arena,
		.sources = &job->sources,
		.archive = &job->archive,
		.export = &job->export,
		.digest = &job->digest,
		.keeps_rows = true,
		.progress = no_progress};
	p->inputs = job->input;
	p->n_inputs = 1;
	job->input->name = jr_str(p, jr_profile_text(p, (const char *)name.data, name.size));
	job->input->kind = jr_input_probe(path, &p->options.limits);
	opening.stem = jr_arena_strndup(&job->arena, job->input->name,
		jr_input_stem_size(job->input->name, strlen(job->input->name)));
	if (!has_digest(job->input))
		return no_digest(job->input, err);
	if (p->options.xla_dump)
		JR_TRY(jr_archive_open(p->options.xla_dump, &p->options.limits, &job->dumps, err));
	JR_TRY(job->input->kind->open(&opening, err));
	if (!has_digest(job->input)) /* a folder that turned out to be of another kind */
		return no_digest(job->input, err);
	identify(job, named);
	return JR_OK;
}

static void read_source(void *context, size_t index)
{
	struct job *job = context;
	struct jr_source *s = &job->sources.list.items[index];
	s->dumps = job->dumps;
	jr_source_read_trace(s);
	jr_source_read_host(s);
	for (size_t i = 0; i < s->n_programs; i++)
		jr_source_read_dump(s, i);
}

/* Return why a source that has neither trace nor compile ranges is left out of reports. */
static const struct jr_error *failure_of(const struct jr_source *s)
{
	return s->host_error.status != JR_OK &&
				   (s->trace_error.status == JR_OK || s->trace_error.status == JR_ENOTFOUND)
			   ? &s->host_error
			   : &s->trace_error;
}

static enum jr_status check_usable(struct job *job, struct jr_error *err)
{
	for (size_t i = 0; i < job->sources.list.n; i++)
		if (job->sources.list.items[i].has_trace || job->sources.list.items[i].has_host)
			return JR_OK;
	const struct jr_source *first = &job->sources.list.items[0];
	const struct jr_error *why = failure_of(first);
	JR_CLEANUP(jr_buf_done) struct jr_buf nothing = {0};
	if (first->type->is_searched)
		jr_nothing_within(job->archive, first->subname, &nothing);
	if (why->status == JR_ENOTFOUND && nothing.size)
		return jr_fail(err, why->status, "'%s' %s", job->input->name, nothing.data);
	return jr_fail(err, why->status, "'%s': %s", job->input->name, why->message);
}

/* --- texts of source files -------------------------------------------------------------------- */

#define SOURCES "sources/"
#define SUFFIX ".py"

/* Keep a text if the archive has it. Which of them a report shows depends on the other ranks and on
 * its options. */
static void add_text(struct job *job, struct jr_bytes name)
{
	size_t n_before = job->text_names.n;
	uint32_t id = jr_intern_put(&job->text_names, (const char *)name.data, name.size);
	const char *text = jr_intern_str(&job->text_names, id);
	if (job->text_names.n > n_before && jr_source_text_find(job->archive, text) != SIZE_MAX)
		*jr_vec_add(&job->texts) = (struct jr_digest_text){.name = text};
}

/* Add the files that stacks of a source refer to. */
static void add_used_texts(struct job *job, const struct jr_source *s)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	for (size_t k = 0; k < s->n_programs; k++) {
		const struct jr_hlo *hlo = s->programs[k].hlo;
		for (uint32_t f = 0; hlo && f < hlo->n_frames; f++) {
			if (!*hlo->frames[f].file || *hlo->frames[f].file == '<')
				continue;
			name.size = 0;
			jr_source_text_name(hlo->frames[f].file, &name);
			add_text(job, jr_buf_view(&name));
		}
	}
}

/* Return the name by which a member is looked for. In a combined archive it is a folder, with one
 * file for each process. */
static struct jr_bytes text_of_member(const char *member)
{
	size_t n = strlen(member), end = sizeof(SUFFIX) - 1;
	const char *slash = strrchr(member, '/');
	size_t folder = slash ? (size_t)(slash - member) : 0;
	bool is_folder = folder > end && memcmp(slash - end, SUFFIX, end) == 0;
	return jr_bytes_of(member, is_folder ? folder : n);
}

/* Add the files that only other ranks refer to. */
static void add_all_texts(struct job *job)
{
	size_t n = sizeof(SOURCES) - 1;
	for (size_t i = jr_archive_lower_bound(job->archive, SOURCES);
		 i < jr_archive_count(job->archive); i++) {
		const char *member = jr_archive_at(job->archive, i)->name;
		if (strncmp(member, SOURCES, n) != 0)
			break;
		if (member[strlen(member) - 1] != '/')
			add_text(job, text_of_member(member));
	}
}

JR_ORDER(compare_texts, struct jr_digest_text, JR_TEXT_UP(name))

static void list_texts(struct job *job)
{
	for (size_t i = 0; i < job->sources.list.n; i++)
		add_used_texts(job, &job->sources.list.items[i]);
	add_all_texts(job);
	jr_sort(job->texts.items, job->texts.n, sizeof(*job->texts.items), compare_texts);
}

static void put_text(struct job *job, size_t index, struct jr_buf *part)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf bytes = {0};
	struct jr_digest_text *text = &job->texts.items[index];
	size_t member = jr_source_text_find(job->archive, text->name);
	text->state = (uint8_t)jr_source_text_member(job->archive, member, &bytes);
	jr_digest_put_part(jr_buf_view(&bytes), (struct jr_bytes){0}, part);
}

/* --- ranks ------------------------------------------------------------------------------------ */

/* A module that cannot be decoded is kept as its error. */
static void take_program(struct jr_source *s, struct jr_dump *dump,
	struct jr_digest_program *program, struct jr_buf *hlo)
{
	JR_CLEANUP(jr_content_done) struct jr_content content = {0};
	*program = (struct jr_digest_program){.number = dump->number,
		.is_text = dump->is_text,
		.is_found = dump->member != SIZE_MAX,
		.error = dump->error};
	if (!dump->hlo || !program->is_found)
		return;
	enum jr_status status = jr_source_dump_content(s, dump, &content, &dump->error);
	if (status == JR_OK && dump->is_text)
		jr_buf_add(hlo, content.bytes.data, content.bytes.size);
	else if (status == JR_OK)
		status = jr_hlo_reduce(content.bytes, hlo, &dump->error);
	program->error = dump->error;
	if (status == JR_OK)
		program->hlo = jr_buf_view(hlo);
}

/* What a report adds to the reason why there is no trace. */
static void add_hint(const struct jr_source *s, struct jr_digest_rank *rank)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	if (s->has_trace || !s->has_host || s->trace_error.status != JR_ENOTFOUND)
		return;
	jr_buf_puts(&text, s->trace_error.message);
	jr_hint_within(s->archive, &text);
	(void)jr_fail(&rank->trace_error, JR_ENOTFOUND, "%s", text.data);
}

static void put_rank(struct job *job, size_t index, struct jr_buf *part)
{
	struct jr_source *s = &job->sources.list.items[index];
	JR_CLEANUP(jr_buf_done) struct jr_buf bytes = {0}, bits = {0}, nothing = {0}, rows = {0};
	bool has_tables = !s->type->put_rows;
	struct jr_digest_rank rank = {.has_trace = s->has_trace && has_tables,
		.has_host = s->has_host && has_tables,
		.pid = s->pid,
		.bytes_read = s->bytes_read,
		.identity = jr_source_identity(s, job->input),
		.no_compilation = s->type->no_compilation,
		.no_dumps = s->type->no_dumps,
		.trace_error = s->trace_error,
		.metadata_error = s->metadata_error,
		.host_error = s->host_error,
		.n_programs = s->n_programs};
	if (!has_tables)
		s->type->put_rows(s, &rows);
	rank.rows = jr_buf_view(&rows);
	if (!s->has_trace && !s->has_host && s->type->is_searched)
		jr_nothing_within(s->archive, s->subname, &nothing);
	rank.nothing = nothing.data;
	add_hint(s, &rank);
	rank.programs = jr_calloc(s->n_programs + 1, sizeof(*rank.programs));
	struct jr_buf *hlo = jr_calloc(s->n_programs + 1, sizeof(*hlo));
	for (size_t i = 0; i < s->n_programs; i++)
		take_program(s, &s->programs[i], &rank.programs[i], &hlo[i]);
	jr_digest_put_rank(&rank, &s->trace, &s->metadata, &s->host, &bytes, &bits);
	jr_digest_put_part(jr_buf_view(&bytes), jr_buf_view(&bits), part);
	for (size_t i = 0; i < s->n_programs; i++)
		jr_buf_done(&hlo[i]);
	free(hlo);
	free(rank.programs);
}

static void put_part(void *context, size_t index)
{
	struct job *job = context;
	size_t n = job->sources.list.n;
	if (index < n)
		put_rank(job, index, &job->parts[index]);
	else
		put_text(job, index - n, &job->parts[index]);
}

/* --- the digest ------------------------------------------------------------------------------- */

/* Return the name of a process that does not come from the name of the input; "": that does. */
static const char *name_within(const struct jr_source *s)
{
	bool is_file = s->archive && s->type->put_rows; /* of a folder */
	const char *name = is_file ? s->name : s->subname;
	return name ? name : "";
}

static void put_head(struct job *job)
{
	size_t n = job->sources.list.n;
	job->names = JR_ARENA_N(&job->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		job->names[i] = name_within(&job->sources.list.items[i]);
	jr_tell_archives(job->profile, &job->archive);
	if (job->archive && !job->input->kind->lists_unread)
		jr_leave_members(job->profile, job->archive);
	const struct jr_digest_head head = {.kind = job->input->kind->label,
		.size_bytes = job->input->size_bytes,
		.n_ranks = n,
		.n_texts = job->texts.n,
		.names = job->names,
		.texts = job->texts.items};
	jr_digest_put_head(&head, job->profile, &job->head);
}

/* What a report of the input would say, and one of the digest will. */
static void tell_damaged(struct job *job)
{
	struct jr_merge merge = {
		.profile = job->profile, .build.profile = job->profile, .arena = &job->arena};
	for (size_t i = 0; i < job->sources.list.n; i++)
		jr_merge_tell_damaged(&merge, &job->sources.list.items[i]);
	for (size_t i = 0; i < job->texts.n; i++)
		if (job->texts.items[i].state == JR_DIGEST_TEXT_DAMAGED)
			jr_source_text_damaged(job->profile, 0, job->texts.items[i].name + sizeof(SOURCES) - 2);
}

static enum jr_status write(
	struct job *job, const char *path, const char *named, struct jr_buf *out, struct jr_error *err)
{
	unsigned n_threads = job->profile->options.n_threads;
	JR_TRY(open_input(job, path, named, err));
	jr_task_run(n_threads, job->sources.list.n, read_source, job);
	JR_TRY(check_usable(job, err));
	if (job->archive)
		list_texts(job);
	size_t n = job->sources.list.n + job->texts.n;
	job->parts = JR_ARENA_N(&job->arena, struct jr_buf, n + 1);
	jr_task_run(n_threads, n, put_part, job);
	put_head(job);
	jr_digest_put_begin(out);
	jr_digest_put_part(jr_buf_view(&job->head), (struct jr_bytes){0}, out);
	for (size_t i = 0; i < n; i++) {
		jr_buf_add(out, job->parts[i].data, job->parts[i].size);
		jr_buf_done(&job->parts[i]);
	}
	tell_damaged(job);
	return JR_OK;
}

enum jr_status jr_digest_write(const char *path, const char *origin, struct jr_profile *profile,
	struct jr_buf *out, struct jr_error *err)
{
	struct job job = {.profile = profile, .input = JR_ARENA_NEW(&profile->arena, struct jr_input)};
	jr_arena_init(&job.arena, 0);
	jr_intern_init(&job.text_names);
	enum jr_status status = write(&job, path, origin ? origin : path, out, err);
	for (size_t i = 0; i < job.sources.list.n; i++)
		jr_source_done(&job.sources.list.items[i]);
	jr_vec_done(&job.sources.list);
	jr_vec_done(&job.texts);
	jr_archive_close(job.archive);
	jr_archive_close(job.dumps);
	jr_export_done(&job.export);
	jr_digest_close(&job.digest);
	jr_intern_done(&job.text_names);
	jr_buf_done(&job.head);
	jr_arena_done(&job.arena);
	return status;
}
