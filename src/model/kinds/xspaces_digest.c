/* Digests of files of jax.profiler: the file as read, one per rank. */
#include "formats/compact/compact_columns.h"
#include "formats/xspace/xspace_compact.h"
#include "model/kinds/xspaces.h"

#define T struct jr_xspace_json
static const struct jr_compact_column json_columns[] = {
	SIZE(n_events), SIZE(n_bad), SIZE(n_repeated), FLAG(has_details), FLAG(capped), FLAG(is_cut)};
static ROWS_TABLE(json, "the Chrome trace", json_columns);
#undef T

#define T struct jr_xspaces_beside
static const struct jr_compact_column beside_columns[] = {
	SIZE(n_read), SIZE(n_damaged), SIZE(n_dumps)};
static ROWS_TABLE(beside, "the files in the folder", beside_columns);
#undef T

static struct jr_source_xspace *of(const struct jr_source *s)
{
	return s->own;
}

/* --- writing ---------------------------------------------------------------------------------- */

void jr_xspaces_put_rows(const struct jr_source *s, struct jr_buf *out)
{
	const struct jr_source_xspace *x = of(s);
	const struct jr_xspaces_beside found = jr_xspaces_count_beside(s);
	jr_compact_table(out, NULL, &json, &x->json, 1);
	jr_compact_table(out, NULL, &beside, &found, 1);
	jr_buf_varint(out, x->beside_error.status);
	jr_compact_text(out, x->beside_error.status == JR_OK ? "" : x->beside_error.message);
	jr_buf_add(out, x->kept.data, x->kept.size);
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum jr_status expand(struct jr_source *s, struct jr_xspace *file, struct jr_error *err)
{
	struct jr_source_xspace *x = of(s);
	JR_TRY(jr_digested_read(s, err));
	struct jr_expanding in = {
		.in = jr_reader_of(s->rank.rows), .limits = s->limits, .arena = &s->arena};
	uint64_t status;
	const char *message;
	JR_TRY(jr_expand_row(&in, &json, &x->json, err));
	JR_TRY(jr_expand_row(&in, &beside, &x->beside, err));
	JR_TRY(jr_expand_number(&in, JR_ENOTFOUND + 1, &status, err));
	JR_TRY(jr_expand_text(&in, true, &message, err));
	if (status != JR_OK)
		(void)jr_fail(&x->beside_error, (enum jr_status)status, "%s", message);
	enum jr_status read = jr_xspace_expand(&in, file, err);
	if (read == JR_OK)
		read = jr_expand_end(&in, err);
	if (read != JR_OK)
		jr_xspace_done(file);
	return read;
}

void jr_xspaces_read_digest(struct jr_source *s)
{
	struct jr_xspace file;
	if (expand(s, &file, &s->trace_error) == JR_OK)
		jr_xspaces_take(s, &file, false);
}

/* Also true for a device that only a dump describes: the digest has its metadata. */
bool jr_xspaces_knows_digested(const struct jr_source *s)
{
	return s->metadata.n_gpus > 0 || jr_xspaces_knows_devices(s);
}

bool jr_xspaces_find_digested(struct jr_source *s, struct jr_dump *dump)
{
	return jr_xspaces_find_program(s, dump) || jr_digested_find(s, dump);
}

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	(void)err; /* read when its turn comes */
	const struct jr_xspaces_variant *variant = o->input->kind->own;
	for (size_t i = 0; i < o->digest->n_ranks; i++) {
		const char *name = o->digest->names[i]; /* of a file in a folder */
		struct jr_source *s = jr_opening_source(o);
		jr_digested_begin(
			s, &variant->digested, o->row, *name ? name : o->stem, o->limits, o->digest, i);
		jr_xspaces_own(s, variant, 1);
	}
	return JR_OK;
}

static enum jr_status read_host(const struct jr_digest *digest, size_t rank,
	const struct jr_host_listener *to, struct jr_error *err)
{
	static const struct jr_xspaces_variant none = {
		.digested = {.read_trace = jr_xspaces_read_digest, .done = jr_xspaces_done}};
	struct jr_source s;
	struct jr_host_ranges ranges;
	jr_digested_begin(&s, &none.digested, 0, "", to->limits, digest, rank);
	jr_xspaces_own(&s, &none, 1);
	jr_xspaces_read_digest(&s);
	enum jr_status status = s.trace_error.status;
	if (status == JR_OK)
		status = jr_export_compile_ranges(&of(&s)->profile.export, to->limits, &ranges, err);
	else if (err)
		*err = s.trace_error;
	if (status == JR_ENOTFOUND)
		status = jr_fail(
			err, status, "contains no compilation. Start the trace before the program compiles");
	if (status == JR_OK)
		jr_host_tell(to, NULL, &ranges);
	jr_source_done(&s);
	return status;
}

const struct jr_digested_ops jr_digested_xspace = {.open = open, .read_host = read_host};
