/* Digests of archives. The sources are the processes of that archive. */
#include "model/kinds/kind_parts.h"

/* --- shared by all kinds ---------------------------------------------------------------------- */

void jr_digested_begin(struct jr_source *s, const struct jr_source_type *type, uint32_t input,
	const char *name, const struct jr_limits *limits, const struct jr_digest *digest, size_t rank)
{
	jr_source_begin(s, type, input, name, limits);
	s->digest = digest;
	s->part = rank;
	s->trace_bytes = digest->parts[1 + rank].size;
}

static enum jr_status read_rank(struct jr_source *s, struct jr_error *err)
{
	return jr_digest_read_rank(
		s->digest, s->part, s->limits, &s->arena, &s->rank, &s->trace, &s->metadata, &s->host, err);
}

enum jr_status jr_digested_read(struct jr_source *s, struct jr_error *err)
{
	const struct jr_digest_rank *rank = &s->rank;
	JR_TRY(read_rank(s, err));
	jr_trace_done(&s->trace); /* without rows: the kind makes them */
	jr_host_ranges_done(&s->host);
	s->trace = (struct jr_trace){0};
	s->host = (struct jr_host_ranges){0};
	s->metadata_error = rank->metadata_error;
	s->bytes_read = rank->bytes_read;
	if (rank->trace_error.status != JR_OK && err)
		*err = rank->trace_error;
	return rank->trace_error.status;
}

bool jr_digested_find(struct jr_source *s, struct jr_dump *dump)
{
	for (size_t i = 0; i < s->rank.n_programs; i++) {
		const struct jr_digest_program *program = &s->rank.programs[i];
		if (program->number != dump->number || !program->is_found)
			continue;
		dump->proto = program->hlo;
		dump->is_text = program->is_text;
		dump->error = program->error;
		return true;
	}
	return false;
}

uint64_t jr_digested_identity(const struct jr_source *s, const struct jr_input *input)
{
	(void)input;
	return s->rank.identity;
}

/* --- archives --------------------------------------------------------------------------------- */

/* All tables are read at once; read_host() finds them read. The type has the texts of the digest.
 */
static void read_trace(struct jr_source *s)
{
	const struct jr_digest_rank *rank = &s->rank;
	struct jr_error err = {0};
	if (read_rank(s, &err) != JR_OK) {
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
	struct jr_source_type *type = JR_ARENA_COPY(&s->arena, s->type, 1, 0);
	type->no_compilation = rank->no_compilation;
	type->no_dumps = rank->no_dumps;
	type->nothing = rank->nothing;
	s->type = type;
}

static bool knows_devices(const struct jr_source *s)
{
	return s->metadata.n_gpus > 0;
}

static const struct jr_source_type type = {.read_trace = read_trace,
	.knows_devices = knows_devices,
	.find_program = jr_digested_find,
	.identity = jr_digested_identity};

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	(void)err; /* a rank is read when its turn comes */
	for (size_t i = 0; i < o->digest->n_ranks; i++) {
		const char *name = o->digest->names[i];
		struct jr_source *s = jr_opening_source(o);
		jr_digested_begin(s, &type, o->row, *name ? name : o->stem, o->limits, o->digest, i);
		s->subname = *name ? name : NULL;
	}
	return JR_OK;
}

/* Pass the ranges of one rank to the listener, if it has any. */
static enum jr_status read_ranges(const struct jr_digest *digest, size_t row,
	const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_source s;
	jr_digested_begin(&s, &type, 0, "", to->limits, digest, row);
	read_trace(&s);
	struct jr_error why = s.host_error;
	if (!s.has_host && why.status == JR_OK)
		why = s.trace_error;
	if (!s.has_host && why.status == JR_OK)
		(void)jr_fail(&why, JR_ENOTFOUND, "does not contain a compile trace");
	if (s.has_host)
		to->tell(to->context, *digest->names[row] ? digest->names[row] : NULL, &s.host);
	else if (err)
		*err = why;
	jr_source_done(&s);
	return s.has_host ? JR_OK : why.status;
}

const struct jr_digested_ops jr_digested_archive = {.open = open, .read_host = read_ranges};
