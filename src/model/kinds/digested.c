/* Digests of archives. The sources are the processes of that archive. */
#include "model/kinds/digested.h"

#include "model/build/build.h"

struct own {
	const struct jr_digest *digest;
	struct jr_digest_rank rank;
	struct jr_source_type type; /* with the texts of the digest */
};

/* --- shared by all kinds ---------------------------------------------------------------------- */

enum jr_status jr_digested_read(struct jr_source *s, const struct jr_digest *digest,
	struct jr_digest_rank *rank, struct jr_error *err)
{
	JR_TRY(jr_digest_read_rank(
		digest, s->part, s->limits, &s->arena, rank, &s->trace, &s->metadata, &s->host, err));
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

bool jr_digested_find(const struct jr_digest_rank *rank, struct jr_dump *dump)
{
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

/* --- archives --------------------------------------------------------------------------------- */

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

static bool knows_devices(const struct jr_source *s)
{
	return s->metadata.n_gpus > 0;
}

static bool find_program(struct jr_source *s, struct jr_dump *dump)
{
	return jr_digested_find(&((const struct own *)s->own)->rank, dump);
}

static uint64_t identity(const struct jr_source *s, const struct jr_input *input)
{
	(void)input;
	return ((const struct own *)s->own)->rank.identity;
}

static void done(struct jr_source *s)
{
	jr_digest_rank_done(&((struct own *)s->own)->rank);
}

static const struct jr_source_type type = {.read_trace = read_trace,
	.knows_devices = knows_devices,
	.find_program = find_program,
	.identity = identity,
	.done = done};

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
	(void)err; /* a rank is read when its turn comes */
	for (size_t i = 0; i < o->digest->n_ranks; i++)
		add_source(o, i);
	return JR_OK;
}

/* Pass the ranges of one rank to the listener, if it has any. */
static enum jr_status read_ranges(const struct jr_digest *digest, size_t row,
	const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_source s;
	struct own own = {.digest = digest};
	jr_source_begin(&s, &type, 0, "", to->limits);
	s.own = &own;
	s.part = row;
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
