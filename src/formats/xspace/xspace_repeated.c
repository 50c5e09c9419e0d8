/* Events that a line of a Chrome trace has twice. */
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "formats/xspace/xspace_parts.h"

#define LEAST_EVENT_BYTES 8 /* its tag and size, then tags and values of name, start and length */

/* An event of a line, as written. */
struct written {
	uint64_t start_ps, dur_ps;
	size_t place;
	struct jr_bytes bytes;
};

static int compare_written(const void *va, const void *vb)
{
	const struct written *a = va, *b = vb;
	JR_UP(start_ps)
	JR_UP(bytes.size)
	int order = memcmp(a->bytes.data, b->bytes.data, a->bytes.size);
	return order ? order : (a->place > b->place) - (a->place < b->place);
}

static size_t take_written(struct jr_bytes events, struct written *out)
{
	size_t n = 0;
	struct jr_wire_field event = {0}, field = {0};
	for (struct jr_wire wire = jr_wire_of(events, events.data); jr_wire_more(&wire); n++) {
		if (!jr_wire_take(&wire, &event))
			break;
		struct written *w = &out[n];
		*w = (struct written){.place = n, .bytes = event.bytes};
		struct jr_wire members = jr_wire_of(event.bytes, event.bytes.data);
		while (field.number != 3 && jr_wire_take(&members, &field))
			*(field.number == 2 ? &w->start_ps : &w->dur_ps) = field.value;
		field.number = 0;
	}
	return n;
}

uint64_t jr_xspace_drop_repeated(struct jr_buf *line)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf whole = *line;
	size_t most = whole.size / LEAST_EVENT_BYTES + 1, n_repeated = 0;
	struct written *events = JR_ARENA_N(&scratch, struct written, most);
	size_t n = take_written(jr_buf_view(&whole), events);
	bool *repeated = JR_ARENA_N(&scratch, bool, n + 1);
	struct jr_bytes *in_order = JR_ARENA_N(&scratch, struct jr_bytes, n + 1);
	jr_sort(events, n, sizeof(*events), compare_written);
	for (size_t i = 0; i < n; i++) {
		const struct written *e = &events[i];
		in_order[e->place] = e->bytes;
		repeated[e->place] = i && e->dur_ps && jr_bytes_eq(e->bytes, e[-1].bytes);
		n_repeated += repeated[e->place];
	}
	*line = (struct jr_buf){0};
	const uint8_t *begin = (const uint8_t *)whole.data;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *end = in_order[i].data + in_order[i].size;
		if (!repeated[i])
			jr_buf_add(line, (const char *)begin, (size_t)(end - begin));
		begin = end;
	}
	return n_repeated;
}
