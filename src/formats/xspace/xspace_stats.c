/* Statistics, texts and names of an XSpace, from the tables of their plane. */
#include "formats/xspace/xspace_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "formats/xspace/xspace.h"

/* Far more than any profile has; each takes a few dozen bytes here and as few as two in a file. */
#define MOST_PLANES 65536
#define MOST_LINES (1 << 20)
#define MOST_METADATA (1 << 23)

#define SCOPES_DENSE 4096

enum {
	PLANE_ID = 1,
	PLANE_NAME = 2,
	PLANE_LINE = 3,
	PLANE_EVENT = 4,
	PLANE_STAT = 5,
	PLANE_STATS = 6
};

bool jr_xspace_begins_with(struct jr_bytes text, const char *prefix)
{
	size_t n = strlen(prefix);
	return text.size >= n && memcmp(text.data, prefix, n) == 0;
}

uint32_t jr_xspace_text(struct jr_xreading *r, struct jr_bytes text)
{
	struct jr_timeline *rows = &r->x->rows;
	const char *s = text.size ? (const char *)text.data : "";
	return jr_intern_foreign(
		&rows->strings, s, text.size, jr_limits_name(r->limits), &rows->n_long_texts);
}

uint32_t jr_xspace_stat_text(
	struct jr_xreading *r, struct jr_xplane *plane, const struct jr_xstat *stat)
{
	if (stat->field == JR_XSTAT_FIELD_TEXT)
		return jr_xspace_text(r, stat->bytes);
	if (stat->field != JR_XSTAT_FIELD_REF)
		return 0;
	uint32_t row = jr_xid_row(&plane->stat_rows, stat->value);
	if (row == JR_NONE)
		return 0;
	struct jr_xstat_meta *meta = &plane->stat_metas.items[row];
	if (meta->text == JR_NONE)
		meta->text = jr_xspace_text(r, meta->name);
	return meta->text;
}

struct jr_bytes jr_xspace_stat_bytes(const struct jr_xplane *plane, const struct jr_xstat *stat)
{
	if (stat->field == JR_XSTAT_FIELD_REF) {
		uint32_t row = jr_xid_row(&plane->stat_rows, stat->value);
		return row == JR_NONE ? (struct jr_bytes){0} : plane->stat_metas.items[row].name;
	}
	return stat->field == JR_XSTAT_FIELD_TEXT || stat->field == JR_XSTAT_FIELD_BYTES
			   ? stat->bytes
			   : (struct jr_bytes){0};
}

int64_t jr_xspace_stat_i64(const struct jr_xplane *plane, const struct jr_xstat *stat)
{
	int64_t number = 0;
	double value;
	struct jr_bytes text;
	switch (stat->field) {
	case JR_XSTAT_FIELD_UNSIGNED:
	case JR_XSTAT_FIELD_SIGNED: return (int64_t)stat->value;
	case JR_XSTAT_FIELD_DOUBLE:
		memcpy(&value, &stat->value, sizeof(value));
		return value > -0x1p62 && value < 0x1p62 ? (int64_t)value : 0;
	default:
		text = jr_xspace_stat_bytes(plane, stat);
		return text.size && jr_parse_i64((const char *)text.data, text.size, &number) ? number : 0;
	}
}

uint32_t jr_xspace_event_text(struct jr_xreading *r, struct jr_xplane *plane, uint32_t row)
{
	struct jr_xevent_meta *meta = &plane->event_metas.items[row];
	if (meta->text == JR_NONE)
		meta->text = jr_xspace_text(r, meta->name);
	return meta->text;
}

static bool same_said(const struct jr_said *a, const struct jr_said *b)
{
	return a->text == b->text && a->category == b->category && a->op_name == b->op_name &&
		   a->source == b->source && a->stack == b->stack && a->flops == b->flops &&
		   a->bytes == b->bytes && a->read_bytes == b->read_bytes &&
		   a->written_bytes == b->written_bytes;
}

uint32_t jr_xspace_said_row(struct jr_xreading *r, const struct jr_said *said)
{
	const int64_t key[] = {said->text, said->category, said->op_name, said->source, said->stack,
		said->flops, said->bytes, said->read_bytes, said->written_bytes};
	uint64_t hash = jr_hash(key, sizeof(key), jr_hash_seed());
	for (;; hash++) {
		uint32_t row = jr_map_get(&r->said_rows, hash);
		if (row == JR_NONE) {
			row = (uint32_t)r->said.n;
			jr_map_put(&r->said_rows, hash, row);
			*jr_vec_add(&r->said) = *said;
			return row;
		}
		if (same_said(&r->said.items[row], said))
			return row;
	}
}

uint32_t jr_xspace_label_row(
	struct jr_xreading *r, uint32_t module, uint32_t op, int64_t program, uint32_t said)
{
	struct jr_xspace_label label = {module, op, program, said};
	struct {
		uint32_t module, op;
		int64_t program, said;
	} key = {module, op, program, said};
	uint64_t hash = jr_hash(&key, sizeof(key), jr_hash_seed());
	for (;; hash++) { /* labels with equal hashes take the next free hash */
		uint32_t row = jr_map_get(&r->label_rows, hash);
		if (row == JR_NONE) {
			row = (uint32_t)r->labels.n;
			jr_map_put(&r->label_rows, hash, row);
			*jr_vec_add(&r->labels) = label;
			return row;
		}
		const struct jr_xspace_label *known = &r->labels.items[row];
		if (known->module == module && known->op == op && known->program == program &&
			known->said == said)
			return row;
	}
}

/* XLA numbers scopes consecutively, so a table by id stays small; other ids go to a map. */
uint32_t jr_xspace_scope_row(struct jr_xreading *r, uint64_t id)
{
	if (id < r->dense_scopes.n && r->dense_scopes.items[id])
		return r->dense_scopes.items[id];
	uint32_t row = jr_map_get(&r->scope_rows, id);
	if (row != JR_NONE)
		return row;
	row = (uint32_t)r->scope_parents.n;
	*jr_vec_add(&r->scope_parents) = 0;
	if (id >= SCOPES_DENSE + 8 * (uint64_t)row) {
		jr_map_put(&r->scope_rows, id, row);
		return row;
	}
	while (r->dense_scopes.n <= id)
		*jr_vec_add(&r->dense_scopes) = 0;
	return r->dense_scopes.items[id] = row;
}

enum jr_status jr_xspace_add_time(
	struct jr_xreading *r, int64_t start_ns, int64_t end_ns, struct jr_error *err)
{
	if (__builtin_add_overflow(r->total_ns, end_ns - start_ns, &r->total_ns))
		return jr_fail(err, JR_EFORMAT, "durations add up to more than 292 years");
	return JR_OK;
}

enum jr_status jr_xspace_damaged(
	const struct jr_xreading *r, const struct jr_wire *wire, struct jr_error *err)
{
	return jr_fail(err, JR_EFORMAT, "damaged or cut short: no protobuf field at offset %" PRIu64,
		(uint64_t)(wire->reader.in.data - r->in.data) + wire->reader.pos);
}

/* Read an entry of a map: its key and the message it maps to. */
static enum jr_status map_entry(const struct jr_xreading *r, struct jr_bytes message, uint64_t *key,
	struct jr_bytes *value, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(message, r->in.data);
	*key = 0;
	*value = (struct jr_bytes){0};
	while (jr_wire_more(&wire)) {
		struct jr_wire_field f;
		if (!jr_wire_take(&wire, &f))
			return jr_xspace_damaged(r, &wire, err);
		if (f.number == 1 && f.type == JR_WIRE_VARINT)
			*key = f.value;
		else if (f.number == 2 && f.type == JR_WIRE_BYTES)
			*value = f.bytes;
	}
	return JR_OK;
}

static uint32_t stat_kind(struct jr_bytes name)
{
	static const char *const names[] = {
#define STAT(id, name) name,
		JR_XSPACE_STATS
#undef STAT
	};
	_Static_assert(JR_COUNT_OF(names) == JR_N_XSTATS && JR_N_XSTATS <= 64, "a bit a name");
	for (uint32_t i = 0; i < JR_N_XSTATS; i++)
		if (strlen(names[i]) == name.size && memcmp(names[i], name.data, name.size) == 0)
			return i;
	return JR_N_XSTATS;
}

static enum jr_status too_many(const char *what, size_t most, struct jr_error *err)
{
	return jr_fail(err, JR_ELIMIT, "more than %zu %s", most, what);
}

static enum jr_status add_stat_meta(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_bytes entry, struct jr_error *err)
{
	uint64_t id;
	struct jr_bytes message;
	JR_TRY(map_entry(r, entry, &id, &message, err));
	if (plane->stat_metas.n >= MOST_METADATA)
		return too_many("names of statistics in a plane", MOST_METADATA, err);
	struct jr_xstat_meta meta = {.text = JR_NONE, .last_part = JR_NONE};
	struct jr_wire wire = jr_wire_of(message, r->in.data);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field f;
		if (!jr_wire_take(&wire, &f))
			return jr_xspace_damaged(r, &wire, err);
		if (f.number == 2 && f.type == JR_WIRE_BYTES)
			meta.name = f.bytes;
	}
	meta.kind = stat_kind(meta.name);
	jr_map_put(&plane->stat_rows.sparse, id, (uint32_t)plane->stat_metas.n);
	*jr_vec_add(&plane->stat_metas) = meta;
	return JR_OK;
}

static enum jr_status add_event_meta(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_bytes entry, struct jr_error *err)
{
	uint64_t id;
	struct jr_xevent_meta meta = {.text = JR_NONE};
	JR_TRY(map_entry(r, entry, &id, &meta.message, err));
	if (plane->event_metas.n >= MOST_METADATA)
		return too_many("names of events in a plane", MOST_METADATA, err);
	struct jr_wire wire = jr_wire_of(meta.message, r->in.data);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field f;
		if (!jr_wire_take(&wire, &f))
			return jr_xspace_damaged(r, &wire, err);
		if (f.number == 2 && f.type == JR_WIRE_BYTES)
			meta.name = f.bytes;
		else if (f.number == 4 && f.type == JR_WIRE_BYTES)
			meta.display = f.bytes;
	}
	jr_map_put(&plane->event_rows.sparse, id, (uint32_t)plane->event_metas.n);
	*jr_vec_add(&plane->event_ids) = id;
	*jr_vec_add(&plane->event_metas) = meta;
	return JR_OK;
}

/* Copy the small ids into a table of about the size of the map. */
static void make_dense(struct jr_xids *ids, struct jr_arena *arena)
{
	uint64_t n = (uint64_t)ids->sparse.n * 4 + 16; /* there may be many planes with few ids */
	ids->dense = JR_ARENA_N(arena, uint32_t, n);
	for (uint64_t id = 0; id < n; id++)
		ids->dense[id] = jr_map_get(&ids->sparse, id);
	ids->n_dense = n;
}

/* Read a field of a plane, which begins at `from`. */
static enum jr_status plane_field(struct jr_xreading *r, struct jr_xplane *plane,
	const struct jr_wire_field *f, const uint8_t *from, struct jr_error *err)
{
	if (f->number == PLANE_ID && f->type == JR_WIRE_VARINT)
		plane->id = (int64_t)f->value;
	if (f->type != JR_WIRE_BYTES)
		return JR_OK;
	switch (f->number) {
	case PLANE_NAME: plane->name = f->bytes; return JR_OK;
	case PLANE_LINE:
		if (plane->lines.n >= MOST_LINES)
			return too_many("lines in a plane", MOST_LINES, err);
		*jr_vec_add(&plane->lines) = (struct jr_xline){.events = f->bytes};
		return JR_OK;
	case PLANE_EVENT: return add_event_meta(r, plane, f->bytes, err);
	case PLANE_STAT: return add_stat_meta(r, plane, f->bytes, err);
	case PLANE_STATS:
		if (plane->n_stats++ >= MOST_METADATA)
			return too_many("statistics of a plane", MOST_METADATA, err);
		if (!plane->stats.data)
			plane->stats.data = from;
		plane->stats.size = (size_t)(f->bytes.data + f->bytes.size - plane->stats.data);
		return JR_OK;
	default: return JR_OK;
	}
}

enum jr_status jr_xspace_next_stat(const struct jr_xreading *r, struct jr_wire *wire,
	struct jr_bytes *message, bool *more, struct jr_error *err)
{
	*more = false;
	while (jr_wire_more(wire) && !*more) {
		struct jr_wire_field f;
		if (!jr_wire_take(wire, &f))
			return jr_xspace_damaged(r, wire, err);
		*more = f.number == PLANE_STATS && f.type == JR_WIRE_BYTES;
		*message = f.bytes;
	}
	return JR_OK;
}

enum jr_status jr_xspace_index_plane(
	struct jr_xreading *r, struct jr_bytes message, struct jr_error *err)
{
	if (r->planes.n >= MOST_PLANES)
		return too_many("planes", MOST_PLANES, err);
	struct jr_xplane *plane = jr_vec_add(&r->planes);
	*plane = (struct jr_xplane){0};
	*jr_vec_add(&plane->stat_metas) = (struct jr_xstat_meta){.kind = JR_N_XSTATS};
	*jr_vec_add(&plane->event_metas) = (struct jr_xevent_meta){.text = 0};
	*jr_vec_add(&plane->event_ids) = 0;
	struct jr_wire wire = jr_wire_of(message, r->in.data);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field f;
		const uint8_t *from = wire.reader.in.data + wire.reader.pos;
		if (!jr_wire_take(&wire, &f))
			return jr_xspace_damaged(r, &wire, err);
		JR_TRY(plane_field(r, plane, &f, from, err));
	}
	make_dense(&plane->stat_rows, &r->x->rows.arena);
	make_dense(&plane->event_rows, &r->x->rows.arena);
	plane->stat_kinds = JR_ARENA_N(&r->x->rows.arena, uint8_t, plane->stat_rows.n_dense);
	for (size_t id = 0; id < plane->stat_rows.n_dense; id++) {
		uint32_t row = plane->stat_rows.dense[id];
		plane->stat_kinds[id] =
			(uint8_t)(row == JR_NONE ? JR_N_XSTATS : plane->stat_metas.items[row].kind);
	}
	return JR_OK;
}

/* Split "jit_f(17)" into its name and its number, if it has one. */
static struct jr_bytes split_name(struct jr_bytes name, int64_t *number)
{
	if (name.size < 3 || name.data[name.size - 1] != ')')
		return name;
	size_t at = name.size - 1;
	uint64_t value = 0;
	while (at && name.data[at - 1] >= '0' && name.data[at - 1] <= '9')
		at--;
	if (at == 0 || name.data[at - 1] != '(' || at + 1 == name.size)
		return name;
	for (size_t i = at; i + 1 < name.size; i++) /* fingerprints use all 64 bits */
		value = value * 10 + (uint64_t)(name.data[i] - '0');
	*number = (int64_t)value;
	return (struct jr_bytes){name.data, at - 1};
}

uint32_t jr_xspace_split_name(struct jr_xreading *r, struct jr_bytes name, int64_t *number)
{
	return jr_xspace_text(r, split_name(name, number));
}

uint32_t jr_xspace_thread(const struct jr_xspace *x, int64_t id)
{
	size_t lo = 0, hi = x->rows.n_threads;
	while (lo + 1 < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (x->rows.threads[mid].id <= id)
			lo = mid;
		else
			hi = mid;
	}
	return (uint32_t)lo;
}
