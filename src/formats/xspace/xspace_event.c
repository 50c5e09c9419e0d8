/* Lines and their events. There are millions of events, so each byte of them is read once. */
#include <string.h>

#include "formats/xspace/xspace_parts.h"

/* --- fields ----------------------------------------------------------------------------------- */

/* Same fields as jr_wire_take() reads, with plain pointers: the compiler keeps them in
 * registers. */
struct field {
	uint64_t tag;
	uint64_t value;      /* a number, also the bits of a fixed one; of bytes their count */
	const uint8_t *data; /* bytes only */
};

/* Called for each field of millions of events: positions stay in registers. */
#define INLINED static inline __attribute__((always_inline))

/* Join the seven low bits of each of eight bytes. */
static inline uint64_t close_up(uint64_t w)
{
	w = (w & UINT64_C(0x007F007F007F007F)) | (w & UINT64_C(0x7F007F007F007F00)) >> 1;
	w = (w & UINT64_C(0x00003FFF00003FFF)) | (w & UINT64_C(0x3FFF00003FFF0000)) >> 2;
	return (w & UINT64_C(0x000000000FFFFFFF)) | (w & UINT64_C(0x0FFFFFFF00000000)) >> 4;
}

/* Read a number whose first 8 bytes continue, such as the fingerprint of a program, or any number
 * near the end of the file, where fewer than 8 bytes are left. */
static bool long_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
	const uint8_t *p = *at;
	size_t left = (size_t)(end - p), n = left > 8 && p[8] >= 0x80 ? 10 : 9;
	if (left >= n && (n == 9 || p[9] <= 1)) {
		uint64_t w;
		memcpy(&w, p, sizeof(w));
		*out = close_up(w) | (uint64_t)(p[8] & 0x7F) << 56 | (n == 10 ? (uint64_t)p[9] << 63 : 0);
		*at += n;
		return true;
	}
	struct jr_reader r = {{*at, (size_t)(end - *at)}, 0};
	if (!jr_reader_varint(&r, out))
		return false;
	*at += r.pos;
	return true;
}

/* Read a number of any length without a branch on its length, which is unpredictable. Bytes may be
 * read up to `readable`, which is at or after `end`; a number ends before `end`. */
INLINED bool number(const uint8_t **at, const uint8_t *end, const uint8_t *readable, uint64_t *out)
{
	const uint8_t *p = *at;
	if (readable - p < 8)
		return long_varint(at, end, out);
	uint64_t w;
	memcpy(&w, p, sizeof(w)); /* all supported targets are little-endian */
	uint64_t last = ~w & UINT64_C(0x8080808080808080);
	if (!last)
		return long_varint(at, end, out);
	p += __builtin_ctzll(last) / 8 + 1;
	if (p > end)
		return false;
	*out = close_up(w & (last ^ (last - 1)));
	*at = p;
	return true;
}

/* Read a number that is usually one byte: a tag or a length. */
static inline bool varint(
	const uint8_t **at, const uint8_t *end, const uint8_t *readable, uint64_t *out)
{
	const uint8_t *p = *at;
	if (p < end && *p < 0x80) {
		*out = *p;
		*at = p + 1;
		return true;
	}
	return number(at, end, readable, out);
}

static inline bool next_field(
	const uint8_t **at, const uint8_t *end, const uint8_t *readable, struct field *f)
{
	if (!varint(at, end, readable, &f->tag) || f->tag >> 3 == 0 || f->tag >> 32)
		return false;
	size_t n = 0;
	switch (f->tag & 7) {
	case JR_WIRE_VARINT: return number(at, end, readable, &f->value);
	case JR_WIRE_BYTES:
		if (!varint(at, end, readable, &f->value) || f->value > (uint64_t)(end - *at))
			return false;
		f->data = *at;
		*at += f->value;
		return true;
	case JR_WIRE_FIXED64: n = 8; break;
	case JR_WIRE_FIXED32: n = 4; break;
	default: return false;
	}
	if (n > (size_t)(end - *at))
		return false;
	f->value = 0;
	memcpy(&f->value, *at, n);
	*at += n;
	return true;
}

#define TAG(number, type) ((number) << 3 | (type))

/* --- statistics ------------------------------------------------------------------------------- */

/* Read one XStat from a field on, and the id of its name if it is among these fields. */
static inline bool read_stat(const uint8_t *at, const uint8_t *end, const uint8_t *readable,
	uint64_t *id, struct jr_xstat *stat)
{
	struct field f;
	stat->field = 0;
	while (at < end) {
		if (!next_field(&at, end, readable, &f))
			return false;
		switch (f.tag) {
		case TAG(1, JR_WIRE_VARINT): *id = f.value; break;
		case TAG(JR_XSTAT_FIELD_DOUBLE, JR_WIRE_FIXED64):
		case TAG(JR_XSTAT_FIELD_UNSIGNED, JR_WIRE_VARINT):
		case TAG(JR_XSTAT_FIELD_SIGNED, JR_WIRE_VARINT):
		case TAG(JR_XSTAT_FIELD_REF, JR_WIRE_VARINT):
			stat->field = (uint32_t)(f.tag >> 3);
			stat->value = f.value;
			break;
		case TAG(JR_XSTAT_FIELD_TEXT, JR_WIRE_BYTES):
		case TAG(JR_XSTAT_FIELD_BYTES, JR_WIRE_BYTES):
			stat->field = (uint32_t)(f.tag >> 3);
			stat->bytes = (struct jr_bytes){f.data, (size_t)f.value};
			break;
		default: break;
		}
	}
	return true;
}

static bool take_any_stat(const struct jr_xplane *plane, const uint8_t *at, const uint8_t *end,
	const uint8_t *readable, struct jr_xstats *stats)
{
	struct jr_xstat stat = {0};
	uint64_t id = 0;
	if (!read_stat(at, end, readable, &id, &stat))
		return false;
	uint32_t kind = jr_xstat_kind(plane, id);
	if (kind == JR_N_XSTATS)
		return true;
	stats->seen |= UINT64_C(1) << kind;
	stats->of[kind] = stat;
	return true;
}

/* Keep a statistic if it is in JR_XSPACE_STATS. Writers put the name first, then one number or
 * reference, so only the name of other statistics is read. */
INLINED bool take_stat(const struct jr_xplane *plane, const uint8_t *at, const uint8_t *end,
	const uint8_t *readable, struct jr_xstats *stats)
{
	const uint8_t *value = at + 1;
	uint64_t id;
	if (at == end || *at != TAG(1, JR_WIRE_VARINT) || !varint(&value, end, readable, &id))
		return take_any_stat(plane, at, end, readable, stats);
	uint32_t kind = jr_xstat_kind(plane, id);
	if (kind == JR_N_XSTATS)
		return true;
	struct jr_xstat *stat = &stats->of[kind];
	uint32_t tag = value < end ? *value++ : 0;
	bool is_number = (tag & 7) == JR_WIRE_VARINT && tag >= TAG(JR_XSTAT_FIELD_UNSIGNED, 0) &&
					 tag <= TAG(JR_XSTAT_FIELD_REF, 0);
	if (!is_number || !number(&value, end, readable, &stat->value) || value != end)
		return take_any_stat(plane, at, end, readable, stats);
	stat->field = tag >> 3;
	stats->seen |= UINT64_C(1) << kind;
	return true;
}

static inline const uint8_t *end_of(struct jr_bytes bytes)
{
	return bytes.data ? bytes.data + bytes.size : NULL;
}

bool jr_xspace_any_stat(
	const struct jr_xreading *r, struct jr_bytes message, uint64_t *id, struct jr_xstat *stat)
{
	*id = 0;
	*stat = (struct jr_xstat){0};
	return read_stat(message.data, end_of(message), end_of(r->in), id, stat);
}

enum jr_status jr_xspace_stat_of(const struct jr_xreading *r, const struct jr_xplane *plane,
	struct jr_bytes message, struct jr_xstats *stats, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(message, r->in.data);
	return take_stat(plane, message.data, end_of(message), end_of(r->in), stats)
			   ? JR_OK
			   : jr_xspace_damaged(r, &wire, err);
}

enum jr_status jr_xspace_stats_of(const struct jr_xreading *r, const struct jr_xplane *plane,
	struct jr_bytes message, uint32_t number, struct jr_xstats *stats, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(message, r->in.data);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field f = {0};
		if (!jr_wire_take(&wire, &f) ||
			(f.number == number && f.type == JR_WIRE_BYTES &&
				!take_stat(plane, f.bytes.data, end_of(f.bytes), end_of(r->in), stats)))
			return jr_xspace_damaged(r, &wire, err);
	}
	return JR_OK;
}

/* --- lines ------------------------------------------------------------------------------------ */

enum { LINE_ID = 1, LINE_NAME = 2, LINE_TIMESTAMP = 3, LINE_EVENT = 4 };

enum jr_status jr_xspace_line(
	const struct jr_xreading *r, struct jr_xline *line, struct jr_error *err)
{
	struct jr_bytes message = line->events;
	const uint8_t *at = message.data, *end = end_of(message), *readable = end_of(r->in);
	while (at < end && !line->known) {
		const uint8_t *here = at;
		struct field f;
		if (!next_field(&at, end, readable, &f)) {
			struct jr_wire wire = {{message, (size_t)(here - message.data)}, r->in.data};
			return jr_xspace_damaged(r, &wire, err);
		}
		if (f.tag == TAG(LINE_EVENT, JR_WIRE_BYTES))
			line->n_events++;
		else if (f.tag == TAG(LINE_ID, JR_WIRE_VARINT))
			line->id = (int64_t)f.value;
		else if (f.tag == TAG(LINE_NAME, JR_WIRE_BYTES))
			line->name = (struct jr_bytes){f.data, (size_t)f.value};
		else if (f.tag == TAG(LINE_TIMESTAMP, JR_WIRE_VARINT))
			line->timestamp_ns = (int64_t)f.value;
	}
	line->known = true;
	return JR_OK;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Round to the nearest ns. Times of GPUs and hosts are whole ns, those of TPUs are not. */
static inline int64_t to_ns(int64_t ps)
{
	int64_t ns = ps / 1000, rest = ps % 1000;
	return ns + (rest >= 500) - (rest < -500);
}

static inline void set_times(
	struct jr_xevent *event, int64_t at_ns, int64_t offset_ps, int64_t dur_ps)
{
	int64_t end_ps;
	event->bad = dur_ps < 0 || __builtin_add_overflow(offset_ps, dur_ps, &end_ps) ||
				 __builtin_add_overflow(at_ns, to_ns(offset_ps), &event->start_ns) ||
				 __builtin_add_overflow(at_ns, to_ns(end_ps), &event->end_ns) ||
				 event->start_ns < -JR_TIME_MAX_NS || event->end_ns > JR_TIME_MAX_NS ||
				 event->end_ns < event->start_ns;
}

enum { EVENT_META = 1, EVENT_OFFSET = 2, EVENT_DURATION = 3, EVENT_STAT = 4, EVENT_COUNT = 5 };

struct numbers {
	uint64_t id, offset_ps, dur_ps;
	bool counted;
};

/* Read the fields of an event in any order. */
static bool take_fields(const struct jr_xplane *plane, const uint8_t *at, const uint8_t *end,
	const uint8_t *readable, struct numbers *n, struct jr_xstats *stats)
{
	while (at < end) {
		struct field f;
		if (!next_field(&at, end, readable, &f))
			return false;
		if (f.tag == TAG(EVENT_META, JR_WIRE_VARINT))
			n->id = f.value;
		else if (f.tag == TAG(EVENT_OFFSET, JR_WIRE_VARINT))
			n->offset_ps = f.value;
		else if (f.tag == TAG(EVENT_DURATION, JR_WIRE_VARINT))
			n->dur_ps = f.value;
		else if (f.tag == TAG(EVENT_COUNT, JR_WIRE_VARINT))
			n->counted = true;
		else if (f.tag == TAG(EVENT_STAT, JR_WIRE_BYTES) &&
				 !take_stat(plane, f.data, f.data + f.value, readable, stats))
			return false;
	}
	return true;
}

/* Read the next number of an event, as long as fields are in order. */
static inline bool take_number(
	const uint8_t **at, const uint8_t *end, const uint8_t *readable, uint32_t field, uint64_t *out)
{
	if (*at == end || **at != TAG(field, JR_WIRE_VARINT))
		return true;
	++*at;
	return number(at, end, readable, out);
}

static inline bool take_event(const struct jr_xplane *plane, const uint8_t *at, const uint8_t *end,
	const uint8_t *readable, int64_t at_ns, struct jr_xevent *event, struct jr_xstats *stats)
{
	struct numbers n = {0};
	stats->seen = 0;
	if (!take_number(&at, end, readable, EVENT_META, &n.id) ||
		!take_number(&at, end, readable, EVENT_OFFSET, &n.offset_ps) ||
		!take_number(&at, end, readable, EVENT_DURATION, &n.dur_ps))
		return false;
	while (end - at >= 2 && *at == TAG(EVENT_STAT, JR_WIRE_BYTES) && at[1] < 0x80) {
		const uint8_t *stat = at + 2;
		if (at[1] > end - stat)
			return false;
		at = stat + at[1];
		if (!take_stat(plane, stat, at, readable, stats))
			return false;
	}
	if (at < end && !take_fields(plane, at, end, readable, &n, stats))
		return false;
	uint32_t row = jr_xid_row(&plane->event_rows, n.id);
	event->meta = row == JR_NONE ? 0 : row;
	set_times(event, at_ns, (int64_t)n.offset_ps, (int64_t)n.dur_ps);
	event->bad |= n.counted; /* a sum over many events: it has no time itself */
	return true;
}

enum jr_status jr_xspace_next(struct jr_xreading *r, const struct jr_xplane *plane,
	struct jr_xline *line, struct jr_xevent *event, struct jr_xstats *stats, bool *more,
	struct jr_error *err)
{
	const uint8_t *at = line->events.data + line->pos, *readable = end_of(r->in);
	const uint8_t *end = end_of(line->events);
	*more = false;
	while (at < end) {
		const uint8_t *here = at;
		struct field f;
		if (!next_field(&at, end, readable, &f) ||
			(f.tag == TAG(LINE_EVENT, JR_WIRE_BYTES) &&
				!take_event(
					plane, f.data, f.data + f.value, readable, line->timestamp_ns, event, stats))) {
			struct jr_wire wire = {{line->events, (size_t)(here - line->events.data)}, r->in.data};
			return jr_xspace_damaged(r, &wire, err);
		}
		if (f.tag != TAG(LINE_EVENT, JR_WIRE_BYTES))
			continue;
		if (event->bad) {
			r->x->rows.n_bad_rows++;
			continue;
		}
		*more = true;
		line->pos = (size_t)(at - line->events.data);
		return jr_xspace_add_time(r, event->start_ns, event->end_ns, err);
	}
	return JR_OK;
}

enum jr_status jr_xspace_leave_unread(
	struct jr_xreading *r, struct jr_bytes name, struct jr_xline *line, struct jr_error *err)
{
	JR_TRY(jr_xspace_line(r, line, err));
	if (line->n_events)
		jr_timeline_leave_unread(&r->x->rows, jr_xspace_text(r, name), line->n_events);
	return JR_OK;
}
