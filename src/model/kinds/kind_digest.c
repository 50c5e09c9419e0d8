/* A digest: what a report keeps of an archive. Its sources are the processes of that archive. */
#include "model/digest/digests.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/build/build.h"
#include "model/sources/opening.h"

struct own {
	const struct jr_digest *digest;
	struct jr_digest_rank rank;
	struct jr_source_type type; /* with the texts of the digest */
};

static int probe(const struct jr_input_head *head)
{
	return jr_input_begins(head, JR_DIGEST_BEGIN, sizeof(JR_DIGEST_BEGIN) - 1)
			   ? 8 * (int)(sizeof(JR_DIGEST_BEGIN) - 1)
			   : 0;
}

/* All tables are read at once; read_host() finds them read. */
static void read_trace(struct jr_source *s)
{
	struct own *own = s->own;
	struct jr_digest_rank *rank = &own->rank;
	struct jr_error err = {0};
	if (jr_digest_read_rank(own->digest, s->part, s->limits, &s->arena, rank, &s->trace,
			&s->metadata, &s->host, &err) != JR_OK) {
		s->trace_error = err;
		return;
	}
	s->has_trace = rank->has_trace;
	s->has_host = rank->has_host;
	s->trace_error = rank->trace_error;
	s->metadata_error = rank->metadata_error;
	s->host_error = rank->host_error;
	s->pid = rank->pid;
	s->bytes_read = rank->bytes_read;
	own->type = *s->type;
	own->type.no_compilation = rank->no_compilation;
	own->type.no_dumps = rank->no_dumps;
	own->type.nothing = rank->nothing;
	s->type = &own->type;
}

static void read_host(struct jr_source *s)
{
	(void)s;
}

static bool knows_devices(const struct jr_source *s)
{
	return s->metadata.n_gpus > 0;
}

static bool find_program(struct jr_source *s, struct jr_dump *dump)
{
	const struct jr_digest_rank *rank = &((const struct own *)s->own)->rank;
	for (size_t i = 0; i < rank->n_programs; i++) {
		const struct jr_digest_program *program = &rank->programs[i];
		if (program->number != dump->number || !program->is_found)
			continue;
		dump->proto = program->hlo;
		dump->is_text = program->is_text;
		dump->error = program->error;
		return true;
	}
	return false;
}

static uint64_t identity(const struct jr_source *s, const struct jr_input *input)
{
	(void)input;
	return ((const struct own *)s->own)->rank.identity;
}

static void thread_devices(
	struct jr_source *s, struct jr_build *build, uint32_t process, struct jr_thread_devices *out)
{
	jr_devices_add(build, process, &s->trace, &s->metadata, out);
}

static void done(struct jr_source *s)
{
	jr_digest_rank_done(&((struct own *)s->own)->rank);
}

static const struct jr_source_type type = {.read_trace = read_trace,
	.knows_devices = knows_devices,
	.find_program = find_program,
	.read_host = read_host,
	.identity = identity,
	.thread_devices = thread_devices,
	.done = done};

/* Return the kind of the archive. */
static const struct jr_input_ops *kind_of(const struct jr_opening *o)
{
	for (const struct jr_input_ops *const *kind = o->kinds; *kind; kind++)
		if ((*kind)->archive && strcmp((*kind)->label, o->digest->kind) == 0)
			return *kind;
	return NULL;
}

static void add_source(struct jr_opening *o, size_t row)
{
	const char *name = o->digest->names[row];
	struct jr_source *s = jr_opening_source(o);
	jr_source_begin(s, &type, o->row, *name ? name : o->stem, o->limits);
	struct own *own = JR_ARENA_NEW(o->arena, struct own);
	own->digest = o->digest;
	s->own = own;
	s->subname = *name ? name : NULL;
	s->part = row;
	s->trace_bytes = o->digest->parts[1 + row].size;
}

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	struct jr_digest *digest = o->digest;
	enum jr_status status = jr_digest_open(o->path, o->limits, digest, err);
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", o->input->name);
	const struct jr_input_ops *kind = kind_of(o);
	if (!kind)
		return jr_fail(err, JR_EFORMAT, "'%s': the digest is damaged: it is not one of an archive",
			o->input->name);
	o->input->kind = kind;
	o->input->size_bytes = digest->size_bytes;
	o->input->digest = digest;
	for (size_t i = 0; i < digest->n_guesses; i++)
		jr_profile_guess(
			o->profile, digest->guesses[i].id, digest->guesses[i].count, digest->guesses[i].detail);
	for (size_t i = 0; i < digest->n_ranks; i++)
		add_source(o, i);
	return JR_OK;
}

/* --- compile ranges only ---------------------------------------------------------------------- */

/* Pass the ranges of one rank to the listener, if it has any. */
static enum jr_status tell_rank(const struct jr_digest *digest, size_t row,
	const struct jr_host_listener *to, bool *any, struct jr_error *err)
{
	struct jr_source s;
	struct own own = {.digest = digest};
	jr_source_begin(&s, &type, 0, "", to->limits);
	s.own = &own;
	s.part = row;
	read_trace(&s);
	const struct jr_error *why = s.has_host ? NULL : &s.host_error;
	if (why && why->status == JR_OK && !s.has_trace)
		why = &s.trace_error;
	enum jr_status status = why ? why->status : JR_OK;
	if (why && err)
		*err = *why;
	*any |= s.has_host;
	if (s.has_host)
		to->tell(to->context, *digest->names[row] ? digest->names[row] : NULL, &s.host);
	jr_source_done(&s);
	return status;
}

static enum jr_status read_host_only(
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_digest digest;
	bool any = false;
	enum jr_status status = jr_digest_open(path, to->limits, &digest, err);
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", path);
	for (size_t i = 0; i < digest.n_ranks && status == JR_OK; i++)
		status = tell_rank(&digest, i, to, &any, err);
	if (status == JR_OK && !any)
		status = jr_fail(err, JR_ENOTFOUND, "does not contain a compile trace");
	jr_digest_close(&digest);
	return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", path);
}

const struct jr_input_ops jr_input_digest = {
	.label = "digest",
	.noun = "a digest",
	.help = "a digest of an archive of nsys-jax (jaxreport digest)",
	.suffixes = {".jrd"},
	.by_name = true,
	.probe = probe,
	.open = open,
	.read_host = read_host_only,
};
