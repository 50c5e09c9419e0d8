/* A pprof profile: its parts are collected first, because samples refer to texts at the end. */
#include "formats/pprof/pprof.h"

#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "formats/archive/gzip.h"
#include "formats/hlo/hlo_wire.h"
#include "pprof.pb-c.h"

/* Fields of Profile (proto/pprof.proto). */
enum part { SAMPLE_TYPE = 1, SAMPLE = 2, LOCATION = 4, FUNCTION = 5, STRING = 6, N_PARTS };

struct reading {
	const struct jr_limits *limits;
	struct jr_bytes in; /* unpacked */
	JR_VEC(struct jr_bytes) parts[N_PARTS];
	uint32_t *texts;      /* [parts[STRING].n] ids of out->strings */
	struct jr_map places; /* id of a location or function -> row */
	struct function {
		uint32_t name, file;
	} * functions;
	size_t count_at, bytes_at; /* positions in a sample's values */
	size_t n_values;
	uint64_t most_rows;    /* of each table; a row is less than JR_NONE */
	uint32_t kind, device; /* ids of these keys; JR_NONE = no such text */
	struct jr_unpacker unpacker;
	struct jr_error ignored; /* of a damaged part, which is counted */
	JR_VEC(struct jr_pprof_line) lines;
	JR_VEC(uint32_t) stacked;
	struct jr_pprof *out;
};

static void reading_done(struct reading *r)
{
	for (size_t i = 0; i < N_PARTS; i++)
		jr_vec_done(&r->parts[i]);
	jr_vec_done(&r->lines);
	jr_vec_done(&r->stacked);
	jr_map_done(&r->places);
	jr_unpacker_done(&r->unpacker);
}

void jr_pprof_done(struct jr_pprof *p)
{
	if (!p)
		return;
	jr_intern_done(&p->strings);
	jr_arena_done(&p->arena);
	*p = (struct jr_pprof){0};
}

/* --- the beginning ---------------------------------------------------------------------------- */

/* The first field of a profile is a ValueType: two numbers, and nothing else. */
static bool is_profile(struct jr_bytes head)
{
	struct jr_wire wire = jr_wire_of(head, head.data);
	struct jr_wire_field field, part;
	if (!jr_wire_take(&wire, &field) || field.number != SAMPLE_TYPE || field.type != JR_WIRE_BYTES)
		return false;
	struct jr_wire type = jr_wire_of(field.bytes, head.data);
	for (uint32_t number = 1; number <= 2; number++)
		if (!jr_wire_take(&type, &part) || part.number != number || part.type != JR_WIRE_VARINT)
			return false;
	return !jr_wire_more(&type);
}

bool jr_pprof_begins(struct jr_bytes head, const struct jr_limits *limits)
{
	return jr_gzip_begins_as(head, limits, is_profile);
}

/* --- parts ------------------------------------------------------------------------------------ */

/* Unpack up to the end, or up to the first damage: a file that is cut keeps its beginning. */
static void unzip(struct reading *r, struct jr_bytes in, struct jr_buf *out)
{
	struct jr_gzip *gzip = jr_gzip_open(in, r->limits);
	struct jr_bytes piece;
	while (jr_gzip_more(gzip, &piece, &r->out->stopped) == JR_OK && piece.size)
		jr_buf_add(out, piece.data, piece.size);
	jr_gzip_close(gzip);
	r->in = jr_buf_view(out);
}

/* Note why the parts end at `at`, unless gzip ended in the middle of one. */
static void stop(struct reading *r, struct jr_reader at)
{
	if (r->out->stopped.status != JR_OK)
		return;
	if (jr_wire_is_cut(at))
		(void)jr_fail(&r->out->stopped, JR_EFORMAT, "cut short after %zu bytes", r->in.size);
	else
		(void)jr_fail(&r->out->stopped, JR_EFORMAT, "damaged at offset %zu of %zu unpacked bytes",
			at.pos, r->in.size);
}

/* Collect the parts of the profile up to its end, or to the first bytes that are none. */
static enum jr_status collect(struct reading *r, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(r->in, r->in.data);
	uint64_t n = 0;
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		struct jr_reader at = wire.reader;
		if (!jr_wire_take(&wire, &field)) {
			stop(r, at);
			return JR_OK;
		}
		if (field.type != JR_WIRE_BYTES || field.number >= N_PARTS)
			continue;
		if (++n > r->most_rows)
			return jr_fail(err, JR_ELIMIT,
				"more than %" PRIu64 " samples, locations and texts "
				"(--max-rows)",
				r->most_rows);
		*jr_vec_add(&r->parts[field.number]) = field.bytes;
	}
	return JR_OK;
}

static uint32_t text_at(struct reading *r, int64_t row)
{
	if (row >= 0 && (uint64_t)row < r->parts[STRING].n)
		return r->texts[row];
	r->out->n_lost++;
	return 0;
}

static enum jr_status read_texts(struct reading *r, struct jr_error *err)
{
	uint64_t most = jr_limits_name(r->limits), n_cut = 0;
	JR_TRY_ARRAY(r->texts, &r->out->arena, r->parts[STRING].n + 1, err);
	for (size_t i = 0; i < r->parts[STRING].n; i++) {
		struct jr_bytes text = r->parts[STRING].items[i];
		r->texts[i] =
			jr_intern_foreign(&r->out->strings, (const char *)text.data, text.size, most, &n_cut);
	}
	r->kind = jr_intern_find(&r->out->strings, "kind", 4);
	r->device = jr_intern_find(&r->out->strings, "device", 6);
	return JR_OK;
}

static bool is_text(const struct reading *r, uint32_t id, const char *text)
{
	return strcmp(jr_intern_str(&r->out->strings, id), text) == 0;
}

/* Find which values of a sample are objects and bytes. Without the texts nothing is known. */
static enum jr_status read_types(struct reading *r, struct jr_error *err)
{
	const char *first = "";
	r->count_at = r->bytes_at = SIZE_MAX;
	r->n_values = r->parts[SAMPLE_TYPE].n;
	for (size_t i = 0; i < r->n_values; i++) {
		const Pprof__ValueType *type = jr_unpack(&r->unpacker, &pprof__value_type__descriptor,
			r->parts[SAMPLE_TYPE].items[i], &r->ignored);
		uint32_t name = type ? text_at(r, type->type) : 0, unit = type ? text_at(r, type->unit) : 0;
		if (is_text(r, name, "space") && is_text(r, unit, "bytes"))
			r->bytes_at = i;
		if (is_text(r, name, "allocations") && is_text(r, unit, "count"))
			r->count_at = i;
		if (!*first)
			first = jr_intern_str(&r->out->strings, name);
	}
	if (r->bytes_at != SIZE_MAX && r->count_at != SIZE_MAX)
		return JR_OK;
	if (r->out->stopped.status != JR_OK)
		return jr_fail(err, r->out->stopped.status,
			"%s. The texts at the end of the file are missing, and without them nothing is known. "
			"Copy the file again",
			r->out->stopped.message);
	return *first ? jr_fail(err, JR_EUNSUPPORTED,
						"a pprof profile of '%.60s', not of device memory. Use the file of "
						"jax.profiler.save_device_memory_profile()",
						first)
				  : jr_fail(err, JR_EFORMAT,
						"not a device memory profile: it does not state what its numbers are");
}

/* --- stacks ----------------------------------------------------------------------------------- */

static enum jr_status read_functions(struct reading *r, struct jr_error *err)
{
	size_t n = r->parts[FUNCTION].n;
	JR_TRY_ARRAY(r->functions, &r->out->arena, n + 1, err);
	for (size_t i = 0; i < n; i++) {
		const Pprof__Function *f = jr_unpack(
			&r->unpacker, &pprof__function__descriptor, r->parts[FUNCTION].items[i], &r->ignored);
		if (!f) {
			r->out->n_bad++;
			continue;
		}
		r->functions[i] = (struct function){text_at(r, f->name), text_at(r, f->filename)};
		jr_map_put(&r->places, f->id, (uint32_t)i);
	}
	return JR_OK;
}

static void add_line(struct reading *r, const Pprof__Line *line)
{
	uint32_t row = jr_map_get(&r->places, line->function_id);
	struct jr_pprof_line *to = jr_vec_add(&r->lines);
	*to = (struct jr_pprof_line){
		.line = line->line > 0 && line->line <= INT32_MAX ? (int32_t)line->line : 0};
	if (row == JR_NONE) {
		r->out->n_lost++;
		return;
	}
	to->function = r->functions[row].name;
	to->file = r->functions[row].file;
}

/* Afterwards `places` has the ids of locations. */
static enum jr_status read_locations(struct reading *r, struct jr_error *err)
{
	struct jr_pprof *out = r->out;
	struct jr_map rows = {0};
	out->n_locations = r->parts[LOCATION].n;
	JR_TRY_ARRAY(out->locations, &out->arena, out->n_locations + 1, err);
	for (size_t i = 0; i < out->n_locations; i++) {
		const Pprof__Location *location = jr_unpack(
			&r->unpacker, &pprof__location__descriptor, r->parts[LOCATION].items[i], &r->ignored);
		if (!location) {
			out->n_bad++;
			continue;
		}
		out->locations[i].first_line = (uint32_t)r->lines.n;
		out->locations[i].n_lines = (uint32_t)location->n_line;
		if (location->n_line > r->most_rows - r->lines.n) {
			jr_map_done(&rows);
			return jr_fail(
				err, JR_ELIMIT, "more than %" PRIu64 " lines (--max-rows)", r->most_rows);
		}
		for (size_t k = 0; k < location->n_line; k++)
			add_line(r, location->line[k]);
		jr_map_put(&rows, location->id, (uint32_t)i);
	}
	jr_map_done(&r->places);
	r->places = rows;
	return JR_OK;
}

/* --- samples ---------------------------------------------------------------------------------- */

static void take_labels(struct reading *r, const Pprof__Sample *s, struct jr_pprof_sample *to)
{
	uint64_t before = r->out->n_lost;
	for (size_t i = 0; i < s->n_label; i++) {
		uint32_t key = text_at(r, s->label[i]->key);
		if (key == r->kind)
			to->kind = text_at(r, s->label[i]->str);
		else if (key == r->device)
			to->device = text_at(r, s->label[i]->str);
	}
	r->out->lost_labels |= r->out->n_lost > before;
}

static enum jr_status take_sample(struct reading *r, const Pprof__Sample *s, struct jr_error *err)
{
	struct jr_pprof *out = r->out;
	if (s->n_value != r->n_values || s->value[r->count_at] < 0) {
		out->n_bad++;
		return JR_OK;
	}
	if (s->n_location_id > r->most_rows - r->stacked.n)
		return jr_fail(
			err, JR_ELIMIT, "more than %" PRIu64 " places in stacks (--max-rows)", r->most_rows);
	struct jr_pprof_sample *to = &out->samples[out->n_samples++];
	*to = (struct jr_pprof_sample){.first_stacked = r->stacked.n,
		.n_stacked = (uint32_t)s->n_location_id,
		.count = s->value[r->count_at],
		.bytes = s->value[r->bytes_at]};
	for (size_t i = 0; i < s->n_location_id; i++) {
		uint32_t row = jr_map_get(&r->places, s->location_id[i]);
		out->n_lost += row == JR_NONE;
		*jr_vec_add(&r->stacked) = row;
	}
	take_labels(r, s, to);
	return JR_OK;
}

static enum jr_status read_samples(struct reading *r, struct jr_error *err)
{
	struct jr_pprof *out = r->out;
	JR_TRY_ARRAY(out->samples, &out->arena, r->parts[SAMPLE].n + 1, err);
	for (size_t i = 0; i < r->parts[SAMPLE].n; i++) {
		const Pprof__Sample *s = jr_unpack(
			&r->unpacker, &pprof__sample__descriptor, r->parts[SAMPLE].items[i], &r->ignored);
		if (!s)
			out->n_bad++;
		else
			JR_TRY(take_sample(r, s, err));
	}
	return JR_OK;
}

/* Copy the vectors into the arena of the result. */
static enum jr_status keep(struct reading *r, struct jr_error *err)
{
	struct jr_pprof *out = r->out;
	out->n_lines = r->lines.n;
	out->n_stacked = r->stacked.n;
	out->lines = jr_arena_array(&out->arena, out->n_lines + 1, sizeof(*out->lines), err);
	out->stacked = out->lines
					   ? jr_arena_array(&out->arena, out->n_stacked + 1, sizeof(*out->stacked), err)
					   : NULL;
	if (!out->stacked)
		return JR_ELIMIT;
	jr_copy(out->lines, r->lines.items, out->n_lines * sizeof(*out->lines));
	jr_copy(out->stacked, r->stacked.items, out->n_stacked * sizeof(*out->stacked));
	return JR_OK;
}

static enum jr_status read_all(struct reading *r, struct jr_error *err)
{
	if (!is_profile(r->in))
		return r->out->stopped.status != JR_OK
				   ? jr_fail(err, JR_EFORMAT, "%s", r->out->stopped.message)
				   : jr_fail(err, JR_EFORMAT,
						 "not a pprof profile (wrong first bytes). Use a device memory profile of "
						 "jax.profiler.save_device_memory_profile()");
	JR_TRY(collect(r, err));
	JR_TRY(read_texts(r, err));
	JR_TRY(read_types(r, err));
	JR_TRY(read_functions(r, err));
	JR_TRY(read_locations(r, err));
	JR_TRY(read_samples(r, err));
	return keep(r, err);
}

enum jr_status jr_pprof_read(
	struct jr_bytes in, const struct jr_limits *limits, struct jr_pprof *out, struct jr_error *err)
{
	struct jr_pprof pprof = {0};
	struct reading r = {.limits = limits,
		.in = in,
		.most_rows = limits->rows < JR_NONE ? limits->rows : JR_NONE - 1,
		.out = &pprof};
	struct jr_buf unpacked = {0};
	jr_arena_init(&pprof.arena, limits->memory_bytes);
	jr_intern_init(&pprof.strings);
	if (jr_gzip_begins(in))
		unzip(&r, in, &unpacked);
	jr_unpacker_init(&r.unpacker, r.in.data, (uint32_t)limits->depth, limits->memory_bytes);
	enum jr_status status = pprof.stopped.status == JR_ELIMIT
								? jr_fail(err, JR_ELIMIT, "%s", pprof.stopped.message)
								: read_all(&r, err);
	reading_done(&r);
	jr_buf_done(&unpacked);
	if (status == JR_OK)
		*out = pprof;
	else
		jr_pprof_done(&pprof);
	return status;
}
