/* Logical buffers, allocations and heap simulator traces of a module's buffer assignment. */
#include <inttypes.h>

#include "formats/hlo/hlo_parts.h"

/* Fields of the messages that are walked, not unpacked (proto/hlo.proto). */
enum {
	ASSIGNMENT_LOGICAL_BUFFERS = 1,
	ASSIGNMENT_BUFFER_ALLOCATIONS = 3,
	ASSIGNMENT_HEAP_SIMULATOR_TRACES = 4,
	TRACE_EVENTS = 1,
};

#define COLOR_HOST 5 /* stream_executor::MemorySpace */

enum jr_status jr_hlo_count_buffers(struct jr_bytes message, const uint8_t *origin,
	struct jr_hlo_counts *counts, struct jr_error *err)
{
	JR_TRY(jr_hlo_count_fields(message, origin, ASSIGNMENT_LOGICAL_BUFFERS, &counts->buffers, err));
	JR_TRY(jr_hlo_count_fields(
		message, origin, ASSIGNMENT_BUFFER_ALLOCATIONS, &counts->allocations, err));
	return jr_hlo_count_fields(
		message, origin, ASSIGNMENT_HEAP_SIMULATOR_TRACES, &counts->traces, err);
}

/* Treat negative sizes and offsets as 0, and remember the largest one. */
static uint64_t size_of(struct jr_hlo_decoder *d, int64_t stated)
{
	d->most_bytes = stated > d->most_bytes ? stated : d->most_bytes;
	return stated > 0 ? (uint64_t)stated : 0;
}

static enum jr_status decode_buffer(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_buffer *buffer, struct jr_error *err)
{
	const Xla__LogicalBufferProto *from =
		jr_unpack(&d->unpacker, &xla__logical_buffer_proto__descriptor, message, err);
	if (!from)
		return err->status;
	*buffer = (struct jr_hlo_buffer){
		.id = from->id,
		.size_bytes = size_of(d, from->size),
		.defined_name = "",
	};
	const Xla__LogicalBufferProto__Location *at = from->defined_at;
	if (!at)
		return JR_OK;
	buffer->instruction_id = at->instruction_id;
	if (!at->instruction_id) {
		JR_TRY(jr_hlo_text_z(d, at->instruction_name, &buffer->defined_name, err));
	}
	if (at->n_shape_index > UINT32_MAX)
		return jr_fail(
			err, JR_ELIMIT, "too many numbers in a shape index (%zu)", at->n_shape_index);
	buffer->n_shape_index = (uint32_t)at->n_shape_index;
	return jr_hlo_ids(d, at->n_shape_index, at->shape_index, &buffer->shape_index, err);
}

static enum jr_status decode_allocation(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_allocation *allocation, struct jr_error *err)
{
	const Xla__BufferAllocationProto *from =
		jr_unpack(&d->unpacker, &xla__buffer_allocation_proto__descriptor, message, err);
	if (!from)
		return err->status;
	if (from->n_assigned > UINT32_MAX)
		return jr_fail(err, JR_ELIMIT, "too many buffers in an allocation (%zu)", from->n_assigned);
	struct jr_hlo_assigned *assigned;
	JR_TRY_ARRAY(assigned, &d->hlo->arena, from->n_assigned, err);
	for (size_t i = 0; i < from->n_assigned; i++)
		assigned[i] = (struct jr_hlo_assigned){.buffer_id = from->assigned[i]->logical_buffer_id,
			.offset_bytes = size_of(d, from->assigned[i]->offset),
			.size_bytes = size_of(d, from->assigned[i]->size)};
	*allocation = (struct jr_hlo_allocation){
		.index = from->index,
		.size_bytes = size_of(d, from->size),
		.parameter = from->is_entry_computation_parameter,
		.parameter_number = from->is_entry_computation_parameter ? from->parameter_number : 0,
		.live_out = from->maybe_live_out,
		.constant = from->is_constant,
		.thread_local = from->is_thread_local,
		.host = from->color == COLOR_HOST,
		.n_assigned = (uint32_t)from->n_assigned,
		.assigned = assigned,
	};
	return jr_hlo_check_memory(d, err);
}

/* Skip events of unknown kinds: a memory curve cannot use them. */
static enum jr_status decode_event(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_heap_event *event, bool *known, struct jr_error *err)
{
	const Xla__HeapSimulatorTrace__Event *from =
		jr_unpack(&d->unpacker, &xla__heap_simulator_trace__event__descriptor, message, err);
	if (!from)
		return err->status;
	int kind = (int)from->kind;
	*known = kind == JR_HLO_ALLOC || kind == JR_HLO_FREE || kind == JR_HLO_SHARE_WITH;
	*event = (struct jr_hlo_heap_event){
		.kind = (uint8_t)kind,
		.buffer_id = from->buffer_id,
		.canonical_id = kind == JR_HLO_SHARE_WITH ? from->share_with_canonical_id : 0,
	};
	JR_TRY(jr_hlo_text_z(d, from->instruction_name, &event->instruction_name, err));
	return jr_hlo_check_memory(d, err);
}

static enum jr_status decode_trace(struct jr_hlo_decoder *d, struct jr_bytes message,
	struct jr_hlo_heap_trace *trace, struct jr_error *err)
{
	uint64_t n = 0;
	JR_TRY(jr_hlo_count_fields(message, d->origin, TRACE_EVENTS, &n, err));
	if (n > UINT32_MAX)
		return jr_fail(err, JR_ELIMIT, "too many events in a heap trace (%" PRIu64 ")", n);
	struct jr_hlo_heap_event *events;
	JR_TRY_ARRAY(events, &d->hlo->arena, n, err);
	*trace = (struct jr_hlo_heap_trace){.events = events};
	struct jr_wire wire = jr_wire_of(message, d->origin);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		if (field.number != TRACE_EVENTS || field.type != JR_WIRE_BYTES)
			continue;
		bool known = false;
		JR_TRY(decode_event(d, field.bytes, &events[trace->n_events], &known, err));
		trace->n_events += known;
	}
	return JR_OK;
}

enum jr_status jr_hlo_decode_buffers(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(message, d->origin);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		if (field.type != JR_WIRE_BYTES)
			continue;
		if (field.number == ASSIGNMENT_LOGICAL_BUFFERS) {
			JR_TRY(decode_buffer(d, field.bytes, &d->buffers[d->n_buffers++], err));
			JR_TRY(jr_hlo_check_memory(d, err));
		} else if (field.number == ASSIGNMENT_BUFFER_ALLOCATIONS) {
			JR_TRY(decode_allocation(d, field.bytes, &d->allocations[d->n_allocations++], err));
		} else if (field.number == ASSIGNMENT_HEAP_SIMULATOR_TRACES) {
			JR_TRY(decode_trace(d, field.bytes, &d->traces[d->n_traces++], err));
		}
	}
	if (d->most_bytes > JR_MOST_BYTES)
		return jr_fail(err, JR_EFORMAT, "it states a buffer of %" PRId64 " bytes", d->most_bytes);
	return JR_OK;
}
