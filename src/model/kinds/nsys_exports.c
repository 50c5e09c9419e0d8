#include "model/kinds/kind_parts.h"

#include "formats/timeline_compact.h"
#include "model/export/export.h"
#include "model/export/export_hlo.h"

struct own {
	struct jr_ran *ran; /* NULL: not listed yet */
	size_t n_ran;
	struct jr_buf kept; /* of the first part: the rows as read, for a digest */
	bool is_read;       /* of a digest */
};

static struct own *of(const struct jr_source *s)
{
	return s->own;
}

/* --- methods ---------------------------------------------------------------------------------- */

/* Programs are looked for on one thread and built on any. */
static enum jr_status build_program(
	struct jr_source *s, struct jr_dump *dump, struct jr_hlo *hlo, struct jr_error *err)
{
	struct own *own = of(s);
	if (!jr_export_hlo_has(s->export, dump->number, dump->module))
		return JR_ENOTFOUND;
	if (!own->ran)
		own->ran = jr_export_hlo_ran(&s->trace, &s->arena, &own->n_ran);
	if (!hlo)
		return JR_OK;
	struct jr_export_hlo_gaps gaps = {0};
	enum jr_status status = jr_export_hlo_build(s->export, dump->number, dump->module, &s->trace,
		own->ran, own->n_ran, s->limits, hlo, &gaps, err);
	dump->n_ambiguous = gaps.n_ambiguous;
	dump->n_left_out = gaps.n_left_out;
	return status;
}

static void put_rows(const struct jr_source *s, struct jr_buf *out)
{
	jr_buf_add(out, of(s)->kept.data, of(s)->kept.size);
}

static void done(struct jr_source *s)
{
	jr_buf_done(&of(s)->kept);
}

#define METHODS                                                                                    \
	.build_program = build_program, .put_rows = put_rows, .done = done,                            \
	.tells = JR_TELLS_GPU_OPS | JR_TELLS_RANGES | JR_TELLS_PROFILER,                               \
	.nothing = "contains no trace",                                                                \
	.no_dumps = "the export has no strings of XLA about these programs, and so no HLO. Use "       \
				"--xla-dump with the folder from --xla_dump_to"

static void tell_damaged(struct jr_profile *p, uint32_t input, const struct jr_timeline *rows)
{
	for (size_t i = 0; i < rows->n_damaged; i++) {
		const char *reason = jr_intern_str(&rows->strings, rows->damaged[i]);
		if (p->n_inputs > 1)
			reason = jr_arena_printf(&p->arena, "'%s': %s", p->inputs[input].name, reason);
		jr_profile_damaged(p, "tables", reason);
	}
}

void jr_nsys_exports_add(struct jr_opening *o, struct jr_buf *kept)
{
	static const struct jr_source_type type = {JR_TIMELINES_METHODS, METHODS};
	size_t first = o->sources->list.n;
	tell_damaged(o->profile, o->row, &o->export->rows);
	jr_export_hlo_begin(o->export);
	jr_timelines_add(o, &type);
	for (size_t i = first; i < o->sources->list.n; i++)
		o->sources->list.items[i].own = JR_ARENA_NEW(o->arena, struct own);
	of(&o->sources->list.items[first])->kept = *kept;
	*kept = (struct jr_buf){0};
}

/* --- digests ---------------------------------------------------------------------------------- */

/* Read the rows of an export, which the first of its sources has. */
static enum jr_status expand(const struct jr_digest_rank *rank, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err)
{
	struct jr_expanding in = {.in = jr_reader_of(rank->rows), .limits = limits};
	struct jr_timeline rows;
	enum jr_status status = jr_timeline_expand(&in, &rows, err);
	if (status == JR_OK)
		status = jr_expand_end(&in, err);
	if (status == JR_OK)
		status = jr_export_of_read(&rows, limits, n_threads, out, err);
	else
		jr_timeline_done(&rows);
	return status;
}

static enum jr_status read_rank(struct jr_source *s, struct jr_error *err)
{
	of(s)->is_read = true;
	JR_TRY(jr_digested_read(s, err));
	if (s->part)
		return JR_OK;
	JR_TRY(expand(&s->rank, s->limits, 1, s->export, err));
	if (s->export->n_parts != s->digest->n_ranks)
		return jr_fail(err, JR_EFORMAT, "the digest is damaged: it has %zu processes, not %zu",
			s->digest->n_ranks, s->export->n_parts);
	jr_export_hlo_begin(s->export);
	return JR_OK;
}

static void read_trace(struct jr_source *s)
{
	if (of(s)->is_read || read_rank(s, &s->trace_error) == JR_OK)
		jr_timelines_take_trace(s);
}

static void read_host(struct jr_source *s)
{
	if (s->has_trace)
		jr_timelines_read_host(s);
}

/* Also true for a device that only a dump describes: the digest has its metadata. */
static bool knows_devices(const struct jr_source *s)
{
	return s->metadata.n_gpus > 0 || s->export->rows.n_gpus > 0;
}

static void hand_over(struct jr_source *s, struct jr_build *build)
{
	if (s->part + 1 == s->export->n_parts)
		tell_damaged(build->profile, s->input, &s->export->rows);
	jr_timelines_hand_over(s, build);
}

#define DIGESTED                                                                                   \
	METHODS, .read_trace = read_trace, .read_host = read_host, .knows_devices = knows_devices,     \
			 .find_program = jr_digested_find, .identity = jr_digested_identity,                   \
			 .add_devices = jr_timelines_add_devices,                                              \
			 .thread_devices = jr_timelines_thread_devices, .hand_over = hand_over

/* The sources of several processes share their rows, so they are read at once. */
static enum jr_status read_all(struct jr_opening *o, size_t first, struct jr_error *err)
{
	for (size_t i = first; i < o->sources->list.n; i++) {
		struct jr_source *s = &o->sources->list.items[i];
		JR_TRY(read_rank(s, err));
		s->name = jr_timelines_name(o, s->part);
	}
	return JR_OK;
}

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	static const struct jr_source_type one = {DIGESTED}, of_several = {DIGESTED, .whole = true};
	size_t n = o->digest->n_ranks, first = o->sources->list.n;
	for (size_t part = 0; part < n; part++) {
		struct jr_source *s = jr_opening_source(o);
		jr_digested_begin(
			s, n == 1 ? &one : &of_several, o->row, o->stem, o->limits, o->digest, part);
		s->own = JR_ARENA_NEW(o->arena, struct own);
		s->export = o->export;
	}
	enum jr_status status = n == 1 ? JR_OK : read_all(o, first, err);
	if (status == JR_OK)
		return JR_OK;
	while (o->sources->list.n > first)
		jr_source_done(&o->sources->list.items[--o->sources->list.n]);
	return jr_context(err, status, "'%s'", o->input->name);
}

/* The first rank has the rows of all. */
static enum jr_status read_ranges(const struct jr_digest *digest, size_t row,
	const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_source s;
	struct own own = {0};
	struct jr_export export = {0};
	static const struct jr_source_type one = {DIGESTED};
	if (row)
		return jr_fail(err, JR_ENOTFOUND, "its ranges are in another part");
	jr_digested_begin(&s, &one, 0, "", to->limits, digest, row);
	s.own = &own;
	s.export = &export;
	enum jr_status status = read_rank(&s, err);
	struct jr_host_ranges ranges;
	if (status == JR_OK)
		status = jr_export_host_ranges(&export, SIZE_MAX, to->limits, &ranges, err);
	if (status == JR_OK)
		jr_host_tell(to, NULL, &ranges);
	jr_source_done(&s);
	jr_export_done(&export);
	return status;
}

const struct jr_digested_ops jr_digested_export = {.open = open, .read_host = read_ranges};
