#include "xplane_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };
enum { MAP_KEY = 1, MAP_VALUE = 2, META_ID = 1, META_NAME = 2, META_STATS = 5 };
enum {
	STAT_ID = 1,
	STAT_F64 = 2,
	STAT_U64 = 3,
	STAT_I64 = 4,
	STAT_TEXT = 5,
	STAT_BYTES = 6,
	STAT_REF = 7
};

/* --- protobuf --------------------------------------------------------------------------------- */

/* A field of value 0 is left out, as proto3 does. */
static void put_number(struct jr_buf *out, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	jr_buf_varint(out, (uint64_t)field << 3 | VARINT);
	jr_buf_varint(out, value);
}

static void put_bytes(struct jr_buf *out, uint32_t field, struct jr_bytes bytes)
{
	jr_buf_varint(out, (uint64_t)field << 3 | BYTES);
	jr_buf_varint(out, bytes.size);
	jr_buf_add(out, bytes.data, bytes.size);
}

static void put_text(struct jr_buf *out, uint32_t field, const char *text)
{
	if (*text)
		put_bytes(out, field, jr_bytes_of(text, strlen(text)));
}

static size_t varint_size(uint64_t value)
{
	size_t n = 1;
	for (; value > 127; value >>= 7)
		n++;
	return n;
}

/* Size of a field whose number is below 16. */
static size_t number_size(uint64_t value)
{
	return value ? 1 + varint_size(value) : 0;
}

static size_t bytes_size(size_t n)
{
	return 1 + varint_size(n) + n;
}

/* --- a plane ---------------------------------------------------------------------------------- */

void gen_xplane_init(struct gen_xplane *plane, int64_t id, const char *name)
{
	*plane = (struct gen_xplane){.id = id, .name = name};
	jr_intern_init(&plane->names);
	jr_intern_init(&plane->stat_names);
}

void gen_xplane_done(struct gen_xplane *plane)
{
	jr_intern_done(&plane->names);
	jr_intern_done(&plane->stat_names);
	jr_vec_done(&plane->lines);
	jr_vec_done(&plane->events);
	jr_buf_done(&plane->event_stats);
	jr_buf_done(&plane->stats);
	jr_buf_done(&plane->programs);
}

uint32_t gen_xplane_line(struct gen_xplane *plane, int64_t id, const char *name)
{
	*jr_vec_add(&plane->lines) = (struct gen_xline){id, name};
	return (uint32_t)plane->lines.n - 1;
}

void gen_xplane_event(
	struct gen_xplane *plane, uint32_t line, struct jr_bytes name, int64_t start_ns, int64_t end_ns)
{
	uint32_t number = (uint32_t)plane->events.n;
	*jr_vec_add(&plane->events) = (struct gen_xevent){.start_ns = start_ns,
		.end_ns = end_ns,
		.stats = plane->event_stats.size,
		.meta = jr_intern_put(&plane->names, (const char *)name.data, name.size),
		.line = line,
		.number = number};
}

void gen_xplane_program(
	struct gen_xplane *plane, int64_t id, struct jr_bytes name, struct jr_bytes proto)
{
	struct jr_buf stat = {0}, meta = {0}, entry = {0};
	put_number(&stat, STAT_ID, jr_intern_puts(&plane->stat_names, "Hlo Proto"));
	put_bytes(&stat, STAT_BYTES, proto);
	put_number(&meta, META_ID, (uint64_t)id);
	put_bytes(&meta, META_NAME, name);
	put_bytes(&meta, META_STATS, jr_buf_view(&stat));
	stat.size = 0;
	put_number(&stat, STAT_ID, jr_intern_puts(&plane->stat_names, "program_id"));
	put_number(&stat, STAT_U64, (uint64_t)id);
	put_bytes(&meta, META_STATS, jr_buf_view(&stat));
	put_number(&entry, MAP_KEY, (uint64_t)id);
	put_bytes(&entry, MAP_VALUE, jr_buf_view(&meta));
	put_bytes(&plane->programs, 4, jr_buf_view(&entry));
	jr_buf_done(&stat);
	jr_buf_done(&meta);
	jr_buf_done(&entry);
}

/* --- statistics ------------------------------------------------------------------------------- */

static void add_stat(struct gen_xplane *plane, enum gen_xstat_of of, struct jr_buf *stat)
{
	if (of == GEN_XSTAT_PLANE) {
		put_bytes(&plane->stats, 6, jr_buf_view(stat));
	} else {
		struct gen_xevent *event = &plane->events.items[plane->events.n - 1];
		put_bytes(&plane->event_stats, 4, jr_buf_view(stat));
		event->stats_size = (uint32_t)(plane->event_stats.size - event->stats);
	}
	jr_buf_done(stat);
}

static struct jr_buf begin_stat(struct gen_xplane *plane, const char *name)
{
	struct jr_buf stat = {0};
	put_number(&stat, STAT_ID, jr_intern_puts(&plane->stat_names, name));
	return stat;
}

/* A field of a oneof is written even if it is 0. */
static void put_choice(struct jr_buf *stat, uint32_t field, uint64_t value)
{
	jr_buf_varint(stat, (uint64_t)field << 3 | VARINT);
	jr_buf_varint(stat, value);
}

void gen_xstat_u64(struct gen_xplane *plane, enum gen_xstat_of of, const char *name, uint64_t value)
{
	struct jr_buf stat = begin_stat(plane, name);
	put_choice(&stat, STAT_U64, value);
	add_stat(plane, of, &stat);
}

void gen_xstat_i64(struct gen_xplane *plane, enum gen_xstat_of of, const char *name, int64_t value)
{
	struct jr_buf stat = begin_stat(plane, name);
	put_choice(&stat, STAT_I64, (uint64_t)value);
	add_stat(plane, of, &stat);
}

void gen_xstat_f64(struct gen_xplane *plane, enum gen_xstat_of of, const char *name, double value)
{
	struct jr_buf stat = begin_stat(plane, name);
	jr_buf_varint(&stat, STAT_F64 << 3 | FIXED64);
	jr_buf_add(&stat, &value, sizeof(value));
	add_stat(plane, of, &stat);
}

void gen_xstat_text(
	struct gen_xplane *plane, enum gen_xstat_of of, const char *name, struct jr_bytes value)
{
	struct jr_buf stat = begin_stat(plane, name);
	put_bytes(&stat, STAT_TEXT, value);
	add_stat(plane, of, &stat);
}

void gen_xstat_ref(
	struct gen_xplane *plane, enum gen_xstat_of of, const char *name, struct jr_bytes value)
{
	struct jr_buf stat = begin_stat(plane, name);
	uint32_t id = jr_intern_put(&plane->stat_names, (const char *)value.data, value.size);
	put_choice(&stat, STAT_REF, id);
	add_stat(plane, of, &stat);
}

void gen_xstat_unnamed(struct gen_xplane *plane, uint64_t key, int64_t value)
{
	struct jr_buf stat = {0};
	put_number(&stat, STAT_ID, key);
	put_choice(&stat, STAT_I64, (uint64_t)value);
	add_stat(plane, GEN_XSTAT_PLANE, &stat);
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* By line, then start time, then the longer one first. */
JR_ORDER(by_line, struct gen_xevent, JR_UP(line) JR_UP(start_ns) JR_DOWN(end_ns) JR_UP(number))

enum { EVENT_META = 1, EVENT_OFFSET = 2, EVENT_DURATION = 3 };

static uint64_t offset_ps(const struct gen_xevent *e, int64_t base_ns)
{
	return (uint64_t)(e->start_ns - base_ns) * 1000;
}

static uint64_t duration_ps(const struct gen_xevent *e)
{
	return (uint64_t)(e->end_ns - e->start_ns) * 1000;
}

static size_t event_size(const struct gen_xevent *e, int64_t base_ns)
{
	return number_size(e->meta) + number_size(offset_ps(e, base_ns)) + number_size(duration_ps(e)) +
		   e->stats_size;
}

static void put_event(
	struct jr_buf *out, const struct gen_xplane *plane, const struct gen_xevent *e, int64_t base_ns)
{
	jr_buf_varint(out, 4 << 3 | BYTES);
	jr_buf_varint(out, event_size(e, base_ns));
	put_number(out, EVENT_META, e->meta);
	put_number(out, EVENT_OFFSET, offset_ps(e, base_ns));
	put_number(out, EVENT_DURATION, duration_ps(e));
	if (e->stats_size)
		jr_buf_add(out, plane->event_stats.data + e->stats, e->stats_size);
}

/* Times of a line's n events are relative to the first start. */
static void put_line(struct jr_buf *out, const struct gen_xplane *plane,
	const struct gen_xline *line, const struct gen_xevent *events, size_t n)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf head = {0};
	int64_t base_ns = events->start_ns;
	size_t size = 0;
	put_number(&head, 1, (uint64_t)line->id);
	put_text(&head, 2, line->name);
	put_number(&head, 3, (uint64_t)base_ns);
	for (size_t i = 0; i < n; i++)
		size += bytes_size(event_size(&events[i], base_ns));
	jr_buf_varint(out, 3 << 3 | BYTES);
	jr_buf_varint(out, head.size + size);
	jr_buf_add(out, head.data, head.size);
	for (size_t i = 0; i < n; i++)
		put_event(out, plane, &events[i], base_ns);
}

static void put_names(struct jr_buf *out, uint32_t field, const struct jr_intern *names)
{
	struct jr_buf meta = {0}, entry = {0};
	for (uint32_t id = 1; id < names->n; id++) {
		meta.size = entry.size = 0;
		put_number(&meta, META_ID, id);
		put_bytes(
			&meta, META_NAME, jr_bytes_of(jr_intern_str(names, id), jr_intern_len(names, id)));
		put_number(&entry, MAP_KEY, id);
		put_bytes(&entry, MAP_VALUE, jr_buf_view(&meta));
		put_bytes(out, field, jr_buf_view(&entry));
	}
	jr_buf_done(&meta);
	jr_buf_done(&entry);
}

static void write_field(FILE *file, uint32_t field, struct jr_bytes bytes)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf head = {0};
	jr_buf_varint(&head, (uint64_t)field << 3 | BYTES);
	jr_buf_varint(&head, bytes.size);
	(void)fwrite(head.data, 1, head.size, file);
	(void)fwrite(bytes.data, 1, bytes.size, file);
}

void gen_xplane_write(struct gen_xplane *plane, FILE *file)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	const struct gen_xevent *events = plane->events.items;
	if (plane->events.n)
		qsort(plane->events.items, plane->events.n, sizeof(*events), by_line);
	put_number(&out, 1, (uint64_t)plane->id);
	put_text(&out, 2, plane->name);
	for (size_t i = 0, n = 0; i < plane->events.n; i += n) {
		for (n = 1; i + n < plane->events.n && events[i + n].line == events[i].line;)
			n++;
		put_line(&out, plane, &plane->lines.items[events[i].line], events + i, n);
	}
	jr_buf_add(&out, plane->programs.data, plane->programs.size);
	put_names(&out, 4, &plane->names);
	put_names(&out, 5, &plane->stat_names);
	jr_buf_add(&out, plane->stats.data, plane->stats.size);
	write_field(file, 1, jr_buf_view(&out));
}

void gen_xspace_text(FILE *file, uint32_t field, struct jr_bytes text)
{
	write_field(file, field, text);
}
