#include "analysis/memory/heap.h"

static uint32_t buffer_row(const struct jr_heap *h, int64_t id)
{
	return jr_map_get(&h->buffer_by_id, (uint64_t)id);
}

void jr_heap_init(struct jr_heap *h, const struct jr_hlo *hlo, struct jr_arena *scratch)
{
	*h = (struct jr_heap){.hlo = hlo,
		.allocation = JR_ARENA_N(scratch, uint32_t, hlo->n_buffers + 1),
		.canonical = JR_ARENA_N(scratch, uint32_t, hlo->n_buffers + 1),
		.users = JR_ARENA_N(scratch, uint32_t, hlo->n_buffers + 1)};
	for (uint32_t i = 0; i < hlo->n_buffers; i++) {
		h->allocation[i] = JR_NONE;
		h->canonical[i] = i;
		jr_map_put(&h->buffer_by_id, (uint64_t)hlo->buffers[i].id, i);
	}
	for (uint32_t i = 0; i < hlo->n_allocations; i++) {
		const struct jr_hlo_allocation *a = &hlo->allocations[i];
		for (uint32_t k = 0; k < a->n_assigned; k++) {
			uint32_t buffer = buffer_row(h, a->assigned[k].buffer_id);
			if (buffer != JR_NONE && h->allocation[buffer] == JR_NONE)
				h->allocation[buffer] = i;
		}
	}
}

void jr_heap_done(struct jr_heap *h)
{
	jr_map_done(&h->buffer_by_id);
}

/* Return the bytes that the event adds (negative: frees); 0 if it changes nothing. */
static int64_t apply(const struct jr_heap *h, const struct jr_hlo_heap_event *event)
{
	uint32_t buffer = buffer_row(h, event->buffer_id);
	if (buffer == JR_NONE)
		return 0;
	int64_t size = (int64_t)h->hlo->buffers[buffer].size_bytes;
	switch (event->kind) {
	case JR_HLO_ALLOC:
		h->canonical[buffer] = buffer;
		h->users[buffer] = 1;
		return size;
	case JR_HLO_SHARE_WITH: {
		uint32_t other = buffer_row(h, event->canonical_id);
		if (other == JR_NONE)
			return 0;
		uint32_t canonical = h->canonical[other];
		h->canonical[buffer] = canonical;
		return h->users[canonical]++ == 0 ? (int64_t)h->hlo->buffers[canonical].size_bytes : 0;
	}
	case JR_HLO_FREE: {
		uint32_t canonical = h->canonical[buffer];
		if (h->users[canonical] == 0 || --h->users[canonical] > 0)
			return 0;
		return -(int64_t)h->hlo->buffers[canonical].size_bytes;
	}
	}
	return 0;
}

static void reset_buffer(const struct jr_heap *h, int64_t id)
{
	uint32_t buffer = buffer_row(h, id);
	if (buffer == JR_NONE)
		return;
	h->canonical[buffer] = buffer;
	h->users[buffer] = 0;
}

/* Reset the state after a trace. Only its own buffers are reset, because a module can have many
 * traces. */
static void reset(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_events; i++) {
		reset_buffer(h, trace->events[i].buffer_id);
		if (trace->events[i].kind == JR_HLO_SHARE_WITH)
			reset_buffer(h, trace->events[i].canonical_id);
	}
}

void jr_heap_replay(
	struct jr_heap *h, const struct jr_hlo_heap_trace *trace, struct jr_arena *scratch)
{
	h->curve = JR_ARENA_N(scratch, uint64_t, trace->n_events + 1);
	h->n_points = 1;
	h->peak_bytes = 0;
	h->peak_event = 0;
	int64_t bytes = 0;
	for (uint32_t i = 0; i < trace->n_events; i++) {
		int64_t change = apply(h, &trace->events[i]);
		if (change == 0)
			continue;
		if (__builtin_add_overflow(bytes, change, &bytes))
			bytes = INT64_MAX;
		h->curve[h->n_points++] = bytes > 0 ? (uint64_t)bytes : 0;
		if (bytes > 0 && (uint64_t)bytes > h->peak_bytes) {
			h->peak_bytes = (uint64_t)bytes;
			h->peak_event = i + 1;
		}
	}
	reset(h, trace);
}

/* Add the buffer if it is alive. Clear its user count, so that it is added only once. */
static void add_live(const struct jr_heap *h, int64_t id, uint32_t *rows, size_t *n)
{
	uint32_t buffer = buffer_row(h, id);
	if (buffer == JR_NONE || !h->users[buffer])
		return;
	h->users[buffer] = 0;
	if (h->hlo->buffers[buffer].size_bytes)
		rows[(*n)++] = buffer;
}

size_t jr_heap_live(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace,
	struct jr_arena *scratch, uint32_t **rows)
{
	size_t n = 0;
	*rows = JR_ARENA_N(scratch, uint32_t, 2 * h->peak_event + 1);
	for (size_t i = 0; i < h->peak_event; i++)
		(void)apply(h, &trace->events[i]);
	for (size_t i = 0; i < h->peak_event; i++) {
		add_live(h, trace->events[i].buffer_id, *rows, &n);
		if (trace->events[i].kind == JR_HLO_SHARE_WITH)
			add_live(h, trace->events[i].canonical_id, *rows, &n);
	}
	reset(h, trace);
	return n;
}

/* Return the allocation that contains the event's buffer; JR_NONE = not known. */
static uint32_t allocation_of(const struct jr_heap *h, const struct jr_hlo_heap_event *event)
{
	uint32_t buffer = buffer_row(h, event->buffer_id);
	return buffer == JR_NONE ? JR_NONE : h->allocation[buffer];
}

void jr_heap_mark(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace, bool *marks)
{
	for (uint32_t i = 0; i < trace->n_events; i++) {
		uint32_t allocation = allocation_of(h, &trace->events[i]);
		if (allocation != JR_NONE)
			marks[allocation] = true;
	}
}

bool jr_heap_is_of_host(const struct jr_heap *h, const struct jr_hlo_heap_trace *trace)
{
	for (uint32_t i = 0; i < trace->n_events; i++) {
		uint32_t allocation = allocation_of(h, &trace->events[i]);
		if (allocation != JR_NONE && h->hlo->allocations[allocation].host)
			return true;
	}
	return false;
}
