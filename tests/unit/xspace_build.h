/*
 * xspace_build.h - messages of traces of jax.profiler, field by field, in memory.
 */
#ifndef JR_TESTS_XSPACE_BUILD_H
#define JR_TESTS_XSPACE_BUILD_H

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "formats/xspace/xspace.h"

static inline void xs_varint(struct jr_buf *out, uint64_t value)
{
	for (; value > 127; value >>= 7)
		jr_buf_add(out, (const char[]){(char)((value & 127) | 128)}, 1);
	jr_buf_add(out, (const char[]){(char)value}, 1);
}

/* Put a number; negative ones take ten bytes. */
static inline void xs_int(struct jr_buf *out, uint32_t field, int64_t value)
{
	xs_varint(out, field << 3);
	xs_varint(out, (uint64_t)value);
}

static inline void xs_double(struct jr_buf *out, uint32_t field, double value)
{
	xs_varint(out, field << 3 | 1);
	jr_buf_add(out, (const char *)&value, sizeof(value));
}

static inline void xs_text(struct jr_buf *out, uint32_t field, const char *text)
{
	xs_varint(out, field << 3 | 2);
	xs_varint(out, strlen(text));
	jr_buf_puts(out, text);
}

/* Put a message into another and empty it. */
static inline void xs_put(struct jr_buf *out, uint32_t field, struct jr_buf *message)
{
	xs_varint(out, field << 3 | 2);
	xs_varint(out, message->size);
	jr_buf_add(out, message->data ? message->data : "", message->size);
	jr_buf_done(message);
	*message = (struct jr_buf){0};
}

enum { XS_EVENT_NAMES = 4, XS_STAT_NAMES = 5 };

/* Add an entry to a plane's map of names. */
static inline void xs_name(struct jr_buf *plane, uint32_t map, int64_t id, const char *name)
{
	struct jr_buf entry = {0}, value = {0};
	xs_int(&value, 1, id);
	xs_text(&value, 2, name);
	xs_int(&entry, 1, id);
	xs_put(&entry, 2, &value);
	xs_put(plane, map, &entry);
}

/* Make an event without statistics; zeros are omitted, as serializers do. */
static inline void xs_event(struct jr_buf *event, int64_t name, int64_t offset_ps, int64_t dur_ps)
{
	if (name)
		xs_int(event, 1, name);
	if (offset_ps)
		xs_int(event, 2, offset_ps);
	if (dur_ps)
		xs_int(event, 3, dur_ps);
}

/* Add a text statistic to an event (field 4) or a plane (field 6). */
static inline void xs_stat_text(struct jr_buf *out, uint32_t field, int64_t id, const char *text)
{
	struct jr_buf stat = {0};
	xs_int(&stat, 1, id);
	xs_text(&stat, 5, text);
	xs_put(out, field, &stat);
}

/* Add a number; `kind` 3 is unsigned, 4 signed, 7 a reference. */
static inline void xs_stat_int(
	struct jr_buf *out, uint32_t field, int64_t id, uint32_t kind, int64_t value)
{
	struct jr_buf stat = {0};
	xs_int(&stat, 1, id);
	xs_int(&stat, kind, value);
	xs_put(out, field, &stat);
}

static inline enum jr_status xs_read(const struct jr_buf *file, struct jr_xspace *out)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	enum jr_status status = jr_xspace_read(jr_buf_view(file), &limits, out, &err);
	if (status != JR_OK)
		assert_true(err.message[0] != '\0');
	return status;
}

#endif
