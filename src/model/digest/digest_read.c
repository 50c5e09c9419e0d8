/* Reading the parts of a digest. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/order.h"
#include "formats/archive/xz.h"
#include "model/digest/rank_tables.h"

/* --- the file -------------------------------------------------------------------------------- */

#define MOST_DIGITS 9

/* Check the first line. @param size  out: its length */
static enum jr_status check_version(struct jr_bytes file, size_t *size, struct jr_error *err)
{
	size_t begin = sizeof(JR_DIGEST_BEGIN) - 1, n = 0;
	const char *text = (const char *)file.data;
	size_t n_same = file.size < begin ? file.size : begin;
	if (memcmp(text, JR_DIGEST_BEGIN, n_same) != 0)
		return jr_fail(err, JR_EFORMAT,
			"not a digest: wrong first bytes. Run 'jaxreport digest' on its input again");
	if (n_same < begin)
		return jr_fail(err, JR_EFORMAT,
			"the digest is cut short: it ends in its first line. Copy it again, or run 'jaxreport "
			"digest' on its input again");
	while (begin + n < file.size && n < MOST_DIGITS && text[begin + n] >= '0' &&
		   text[begin + n] <= '9')
		n++;
	int64_t version;
	if (begin + n >= file.size || text[begin + n] != '\n' ||
		!jr_parse_i64(text + begin, n, &version))
		return jr_fail(err, JR_EFORMAT,
			"the digest is damaged: its first line has no version. Run 'jaxreport digest' on its "
			"input again");
	if (version != JR_DIGEST_VERSION)
		return jr_fail(err, JR_EUNSUPPORTED,
			"a digest of version %" PRId64 ", but this jaxreport reads version %d. Run 'jaxreport "
			"digest' of this release on its input again%s",
			version, JR_DIGEST_VERSION,
			version > JR_DIGEST_VERSION ? ", or report with a newer release" : "");
	*size = begin + n + 1;
	return JR_OK;
}

/* Count the parts, and list them if `parts` is set. They must fill the file. */
static enum jr_status list_parts(struct jr_bytes file, size_t at, uint64_t most,
	struct jr_bytes *parts, size_t *n, struct jr_error *err)
{
	struct jr_reader in = {file, at};
	*n = 0;
	while (jr_reader_left(&in) > 0) {
		uint64_t size;
		struct jr_bytes part;
		if (!jr_reader_u64le(&in, &size) || !jr_reader_take(&in, size, &part))
			return jr_fail(err, JR_EFORMAT,
				"the digest is cut short: it ends at byte %zu, within a part. Copy it again, or "
				"run 'jaxreport digest' on its input again",
				file.size);
		if (*n >= most)
			return jr_fail(
				err, JR_ELIMIT, "the digest has more than %" PRIu64 " parts (--max-members)", most);
		if (parts)
			parts[*n] = part;
		(*n)++;
	}
	return JR_OK;
}

static enum jr_status read_parts(
	struct jr_digest *d, const struct jr_limits *limits, struct jr_error *err)
{
	size_t at = 0;
	JR_TRY(check_version(d->map.bytes, &at, err));
	JR_TRY(list_parts(d->map.bytes, at, limits->members, NULL, &d->n_parts, err));
	JR_TRY_ARRAY(d->parts, &d->arena, d->n_parts + 1, err);
	return list_parts(d->map.bytes, at, limits->members, d->parts, &d->n_parts, err);
}

/* --- the head -------------------------------------------------------------------------------- */

/* Read the number of items of a list; each takes at least `bytes` bytes. */
static enum jr_status read_count(
	struct jr_expanding *in, size_t bytes, size_t *n, struct jr_error *err)
{
	uint64_t count;
	JR_TRY(jr_expand_number(in, jr_reader_left(&in->in) / bytes + 1, &count, err));
	*n = (size_t)count;
	return JR_OK;
}

static void *list_of(struct jr_expanding *in, size_t n, size_t size, struct jr_error *err)
{
	return jr_arena_array(in->arena, (uint64_t)n + 1, size, err);
}

static enum jr_status read_guesses(
	struct jr_digest *d, struct jr_expanding *in, struct jr_error *err)
{
	JR_TRY(read_count(in, 3, &d->n_guesses, err));
	d->guesses = list_of(in, d->n_guesses, sizeof(*d->guesses), err);
	for (size_t i = 0; d->guesses && i < d->n_guesses; i++) {
		JR_TRY(jr_expand_text(in, true, &d->guesses[i].id, err));
		JR_TRY(jr_expand_number(in, UINT64_MAX, &d->guesses[i].count, err));
		JR_TRY(jr_expand_text(in, true, &d->guesses[i].detail, err));
	}
	return d->guesses ? JR_OK : JR_ELIMIT;
}

static enum jr_status read_unread(
	struct jr_digest *d, struct jr_expanding *in, struct jr_error *err)
{
	JR_TRY(read_count(in, 3, &d->n_unread, err));
	d->unread = list_of(in, d->n_unread, sizeof(*d->unread), err);
	for (size_t i = 0; d->unread && i < d->n_unread; i++) {
		uint64_t kind;
		JR_TRY(jr_expand_text(in, true, &d->unread[i].name, err));
		JR_TRY(jr_expand_number(in, JR_UNREAD_BYTES + 1, &kind, err));
		JR_TRY(jr_expand_number(in, UINT64_MAX, &d->unread[i].n, err));
		d->unread[i].kind = (uint8_t)kind;
	}
	return d->unread ? JR_OK : JR_ELIMIT;
}

static enum jr_status read_texts(struct jr_digest *d, struct jr_expanding *in, struct jr_error *err)
{
	JR_TRY(read_count(in, 2, &d->n_texts, err));
	d->texts = list_of(in, d->n_texts, sizeof(*d->texts), err);
	for (size_t i = 0; d->texts && i < d->n_texts; i++) {
		uint64_t state;
		JR_TRY(jr_expand_text(in, false, &d->texts[i].name, err));
		JR_TRY(jr_expand_number(in, JR_DIGEST_TEXT_DAMAGED + 1, &state, err));
		d->texts[i].state = (uint8_t)state;
		if (i && strcmp(d->texts[i - 1].name, d->texts[i].name) >= 0)
			return jr_fail(err, JR_EFORMAT, "the digest is damaged: its texts are not in order");
	}
	return d->texts ? JR_OK : JR_ELIMIT;
}

static enum jr_status read_lists(struct jr_digest *d, struct jr_expanding *in, struct jr_error *err)
{
	JR_TRY(jr_expand_text(in, true, &d->kind, err));
	JR_TRY(jr_expand_number(in, UINT64_MAX, &d->size_bytes, err));
	JR_TRY(read_count(in, 1, &d->n_ranks, err));
	d->names = list_of(in, d->n_ranks, sizeof(*d->names), err);
	if (!d->names)
		return JR_ELIMIT;
	for (size_t i = 0; i < d->n_ranks; i++)
		JR_TRY(jr_expand_text(in, false, &d->names[i], err));
	JR_TRY(read_guesses(d, in, err));
	JR_TRY(read_unread(d, in, err));
	JR_TRY(read_texts(d, in, err));
	return jr_expand_end(in, err);
}

enum jr_status jr_digest_read_head(
	struct jr_bytes head, const struct jr_limits *limits, struct jr_digest *d, struct jr_error *err)
{
	struct jr_expanding in = {.in = jr_reader_of(head), .limits = limits, .arena = &d->arena};
	JR_TRY(read_lists(d, &in, err));
	if (d->n_ranks == 0 || d->n_parts - 1 != d->n_ranks + d->n_texts)
		return jr_fail(err, JR_EFORMAT,
			"the digest is damaged: it has %zu parts, not %zu. Copy it again, or run 'jaxreport "
			"digest' on its input again",
			d->n_parts, 1 + d->n_ranks + d->n_texts);
	return JR_OK;
}

static enum jr_status read_first_part(
	struct jr_digest *d, const struct jr_limits *limits, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf bytes = {0};
	if (d->n_parts == 0)
		return jr_fail(err, JR_EFORMAT,
			"the digest is cut short: it ends after its first line. Copy it again, or run "
			"'jaxreport digest' on its input again");
	JR_TRY(jr_xz_decode(d->parts[0], limits, &bytes, err));
	return jr_digest_read_head(jr_buf_view(&bytes), limits, d, err);
}

enum jr_status jr_digest_open(const char *path, const struct jr_limits *limits,
	struct jr_digest *digest, struct jr_error *err)
{
	struct jr_digest d = {0};
	JR_TRY(jr_file_map(path, &d.map, err));
	jr_file_map_watch(&d.map, NULL); /* load.c asks */
	jr_arena_init(&d.arena, limits->memory_bytes);
	enum jr_status status = read_parts(&d, limits, err);
	if (status == JR_OK)
		status = read_first_part(&d, limits, err);
	if (status == JR_OK)
		*digest = d;
	else
		jr_digest_close(&d);
	return status;
}

void jr_digest_close(struct jr_digest *digest)
{
	if (!digest)
		return;
	jr_file_unmap(&digest->map);
	jr_arena_done(&digest->arena);
	*digest = (struct jr_digest){0};
}

const struct jr_digest_text *jr_digest_find_text(const struct jr_digest *d, const char *name)
{
	size_t at = 0, end = d->n_texts;
	JR_SEARCH(at, end, middle, strcmp(d->texts[middle].name, name) < 0);
	return at < d->n_texts && strcmp(d->texts[at].name, name) == 0 ? &d->texts[at] : NULL;
}

enum jr_status jr_digest_read_text(const struct jr_digest *d, const struct jr_digest_text *text,
	const struct jr_limits *limits, struct jr_buf *out, struct jr_error *err)
{
	return jr_xz_decode(d->parts[1 + d->n_ranks + (size_t)(text - d->texts)], limits, out, err);
}

/* --- a rank ---------------------------------------------------------------------------------- */

static enum jr_status read_error(
	struct jr_expanding *in, struct jr_error *error, struct jr_error *err)
{
	uint64_t status;
	const char *message;
	JR_TRY(jr_expand_number(in, JR_ENOTFOUND + 1, &status, err));
	JR_TRY(jr_expand_text(in, true, &message, err));
	if (status != JR_OK)
		(void)jr_fail(error, (enum jr_status)status, "%s", message);
	return JR_OK;
}

static enum jr_status read_words(struct jr_expanding *in, const char **text, struct jr_error *err)
{
	JR_TRY(jr_expand_text(in, true, text, err));
	if (!**text)
		*text = NULL;
	return JR_OK;
}

static enum jr_status read_metadata(
	struct jr_expanding *in, struct jr_metadata *m, struct jr_error *err)
{
	in->arena = &m->arena;
	JR_TRY(jr_expand_strings(in, true, &m->strings, err));
	in->bounds[BOUND_STRINGS] = m->strings.n;
	JR_TRY(jr_expand_row(in, &jr_compact_metadata, m, err));
	JR_TRY(jr_expand_table(in, &jr_compact_launchers, &m->launchers, &m->n_launchers, err));
	JR_TRY(jr_expand_table(in, &jr_compact_gpus, &m->gpus, &m->n_gpus, err));
	return jr_expand_table(in, &jr_compact_settings, &m->settings, &m->n_settings, err);
}

/* Counts that are subtracted from each other. */
static bool counts_are_valid(const struct jr_trace *t)
{
	return t->n_recovered <= t->n_unreadable && t->n_unreadable <= t->n_ranges;
}

static enum jr_status read_trace(struct jr_expanding *in, struct jr_trace *t, struct jr_error *err)
{
	in->arena = &t->arena;
	JR_TRY(jr_expand_row(in, &jr_compact_trace, t, err));
	JR_TRY(jr_expand_strings(in, true, &t->strings, err));
	in->bounds[BOUND_STRINGS] = t->strings.n;
	JR_TRY(jr_expand_table(in, &jr_compact_trace_names, &t->names, &t->n_names, err));
	struct jr_reader peek = in->in;
	uint64_t n = 0;
	(void)jr_reader_varint(&peek, &n);
	in->bounds[BOUND_NAMES] = t->n_names;
	in->bounds[BOUND_ROWS] = n;
	JR_TRY(jr_expand_table(in, &jr_compact_trace_rows, t, &t->n, err));
	for (size_t i = 0; i < t->n; i++)
		if (t->end_ns[i] < t->start_ns[i])
			return jr_fail(
				err, JR_EFORMAT, "the digest is damaged: range %zu ends before it starts", i);
	if (!counts_are_valid(t))
		return jr_fail(err, JR_EFORMAT, "the digest is damaged: its counts disagree");
	jr_trace_cut_chains(t, in->limits->depth);
	return JR_OK;
}

static enum jr_status read_host(
	struct jr_expanding *in, struct jr_host_ranges *h, struct jr_error *err)
{
	in->arena = &h->arena;
	JR_TRY(jr_expand_row(in, &jr_compact_host, h, err));
	JR_TRY(jr_expand_strings(in, false, &h->strings, err));
	in->bounds[BOUND_STRINGS] = h->strings.n;
	JR_TRY(jr_expand_table(in, &jr_compact_host_rows, h, &h->n, err));
	return jr_host_ranges_check(h, in->limits, err);
}

static enum jr_status read_programs(
	struct jr_expanding *in, struct jr_digest_rank *rank, struct jr_error *err)
{
	JR_TRY(jr_expand_table(in, &jr_compact_rank_programs, &rank->programs, &rank->n_programs, err));
	for (size_t i = 0; i < rank->n_programs; i++) {
		struct jr_digest_program *program = &rank->programs[i];
		JR_TRY(read_error(in, &program->error, err));
		JR_TRY(jr_expand_bytes(in, &program->hlo, err));
		if (i && program[-1].number >= program->number)
			return jr_fail(err, JR_EFORMAT, "the digest is damaged: its programs are not in order");
	}
	return JR_OK;
}

static enum jr_status read_words_and_errors(
	struct jr_expanding *in, struct jr_digest_rank *rank, struct jr_error *err)
{
	JR_TRY(jr_expand_row(in, &jr_compact_rank, rank, err));
	JR_TRY(read_words(in, &rank->no_compilation, err));
	JR_TRY(read_words(in, &rank->no_dumps, err));
	JR_TRY(read_words(in, &rank->nothing, err));
	JR_TRY(read_error(in, &rank->trace_error, err));
	JR_TRY(read_error(in, &rank->metadata_error, err));
	return read_error(in, &rank->host_error, err);
}

static enum jr_status read_tables(struct jr_expanding *in, struct jr_digest_rank *rank,
	struct jr_trace *trace, struct jr_metadata *metadata, struct jr_host_ranges *host,
	struct jr_error *err)
{
	struct jr_arena *arena = in->arena;
	JR_TRY(read_words_and_errors(in, rank, err));
	JR_TRY(read_metadata(in, metadata, err));
	if (rank->has_trace)
		JR_TRY(read_trace(in, trace, err));
	if (rank->has_host)
		JR_TRY(read_host(in, host, err));
	in->arena = arena;
	JR_TRY(read_programs(in, rank, err));
	JR_TRY(jr_expand_bytes(in, &rank->rows, err));
	return jr_expand_end(in, err);
}

/* The bits and their size are at the end of a rank. */
static enum jr_status split_bits(
	struct jr_bytes rank, struct jr_expanding *in, struct jr_error *err)
{
	struct jr_reader all = jr_reader_of(rank), end = all;
	struct jr_bytes tables, bits;
	uint64_t size;
	end.pos = rank.size < sizeof(size) ? 0 : rank.size - sizeof(size);
	if (!jr_reader_u64le(&end, &size) || size > rank.size - sizeof(size) ||
		!jr_reader_take(&all, rank.size - sizeof(size) - size, &tables) ||
		!jr_reader_take(&all, size, &bits))
		return jr_fail(err, JR_EFORMAT, "the digest is damaged: a rank has no bits at its end");
	in->in = jr_reader_of(tables);
	in->bits = jr_reader_of(bits);
	return JR_OK;
}

enum jr_status jr_digest_expand_rank(const struct jr_limits *limits, struct jr_arena *arena,
	struct jr_digest_rank *rank, struct jr_trace *trace, struct jr_metadata *metadata,
	struct jr_host_ranges *host, struct jr_error *err)
{
	struct jr_expanding in = {.limits = limits, .arena = arena};
	jr_arena_init(&trace->arena, limits->memory_bytes);
	jr_intern_init(&trace->strings);
	jr_arena_init(&host->arena, limits->memory_bytes);
	jr_intern_init(&host->strings);
	JR_TRY(split_bits(jr_buf_view(&rank->bytes), &in, err));
	return read_tables(&in, rank, trace, metadata, host, err);
}

enum jr_status jr_digest_read_rank(const struct jr_digest *digest, size_t row,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_digest_rank *rank,
	struct jr_trace *trace, struct jr_metadata *metadata, struct jr_host_ranges *host,
	struct jr_error *err)
{
	*rank = (struct jr_digest_rank){0};
	JR_TRY(jr_xz_decode(digest->parts[1 + row], limits, &rank->bytes, err));
	return jr_digest_expand_rank(limits, arena, rank, trace, metadata, host, err);
}

void jr_digest_rank_done(struct jr_digest_rank *rank)
{
	if (rank)
		jr_buf_done(&rank->bytes);
}
