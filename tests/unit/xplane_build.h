/*
 * xplane_build.h - hand-made traces of jax.profiler, plane by plane, as bytes.
 *
 * Lines come before the metadata that they refer to, as protobuf writes them.
 */
#ifndef JR_TESTS_XPLANE_BUILD_H
#define JR_TESTS_XPLANE_BUILD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

static inline void put_varint(struct jr_buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		jr_buf_putc(out, (char)(value | 0x80));
	jr_buf_putc(out, (char)value);
}

static inline void put_number(struct jr_buf *out, uint32_t field, int64_t value)
{
	put_varint(out, (uint64_t)field << 3);
	put_varint(out, (uint64_t)value);
}

static inline void put_bytes(struct jr_buf *out, uint32_t field, const void *data, size_t n)
{
	put_varint(out, (uint64_t)field << 3 | 2);
	put_varint(out, n);
	if (n)
		jr_buf_add(out, data, n);
}

static inline void put_string(struct jr_buf *out, uint32_t field, const char *text)
{
	put_bytes(out, field, text, strlen(text));
}

static inline void put_message(struct jr_buf *out, uint32_t field, struct jr_buf *message)
{
	put_bytes(out, field, message->data, message->size);
	jr_buf_done(message);
}

#define XS_MOST_NAMES 256

/* A growing plane: names of events and statistics get ids at first use. */
struct xs_plane {
	struct jr_buf head, lines, stats; /* head: id and name */
	const char *events[XS_MOST_NAMES], *stat_names[XS_MOST_NAMES];
	size_t n_events, n_stats;
};

static inline int64_t xs_id(const char **names, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(names[i], name) == 0)
			return (int64_t)i + 1;
	names[(*n)++] = name;
	return (int64_t)*n;
}

static inline void xs_begin(struct xs_plane *p, int64_t id, const char *name)
{
	*p = (struct xs_plane){0};
	put_number(&p->head, 1, id);
	put_string(&p->head, 2, name);
}

/* A number, or a text: literal, or ("&...") by reference. */
struct xs_stat {
	const char *name;
	int64_t number;
	const char *text;
};

static inline void xs_put_stat(
	struct xs_plane *p, struct jr_buf *out, uint32_t field, const struct xs_stat *stat)
{
	struct jr_buf message = {0};
	put_number(&message, 1, xs_id(p->stat_names, &p->n_stats, stat->name));
	if (!stat->text)
		put_number(&message, 4, stat->number);
	else if (stat->text[0] == '&')
		put_number(&message, 7, xs_id(p->stat_names, &p->n_stats, stat->text + 1));
	else
		put_string(&message, 5, stat->text);
	put_message(out, field, &message);
}

static inline void xs_plane_stat(struct xs_plane *p, const struct xs_stat *stat)
{
	xs_put_stat(p, &p->stats, 6, stat);
}

static inline void xs_line(struct jr_buf *line, int64_t id, const char *name, int64_t at_ns)
{
	*line = (struct jr_buf){0};
	put_number(line, 1, id);
	put_string(line, 2, name);
	put_number(line, 3, at_ns);
}

/* Add an event; `stats` ends with an entry without a name; NULL: none. */
static inline void xs_event(struct xs_plane *p, struct jr_buf *line, const char *name,
	int64_t start_ns, int64_t dur_ns, const struct xs_stat *stats)
{
	struct jr_buf message = {0};
	put_number(&message, 1, xs_id(p->events, &p->n_events, name));
	if (start_ns)
		put_number(&message, 2, start_ns * 1000);
	if (dur_ns)
		put_number(&message, 3, dur_ns * 1000);
	for (; stats && stats->name; stats++)
		xs_put_stat(p, &message, 4, stats);
	put_message(line, 4, &message);
}

static inline void xs_end_line(struct xs_plane *p, struct jr_buf *line)
{
	put_message(&p->lines, 3, line);
}

static inline void xs_put_names(
	struct jr_buf *out, uint32_t field, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct jr_buf meta = {0}, entry = {0};
		put_number(&meta, 1, (int64_t)i + 1);
		put_string(&meta, 2, names[i]);
		put_number(&entry, 1, (int64_t)i + 1);
		put_message(&entry, 2, &meta);
		put_message(out, field, &entry);
	}
}

/* Add the plane to the file. */
static inline void xs_end(struct xs_plane *p, struct jr_buf *file)
{
	jr_buf_add(&p->head, p->lines.data ? p->lines.data : "", p->lines.size);
	xs_put_names(&p->head, 4, p->events, p->n_events);
	xs_put_names(&p->head, 5, p->stat_names, p->n_stats);
	jr_buf_add(&p->head, p->stats.data ? p->stats.data : "", p->stats.size);
	put_message(file, 1, &p->head);
	jr_buf_done(&p->lines);
	jr_buf_done(&p->stats);
}

#endif
