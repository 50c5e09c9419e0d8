/*
 * write_hlo.c - dump/: one xla.HloProto per program, packed by protobuf-c from proto/hlo.proto.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "formats/hlo/hlo_schema.h"
#include "hlo_print.h"
#include "writers.h"

/* protobuf-c's structs borrow their strings as char *; nothing writes to them. */
static char *text(const char *s)
{
	return s ? (char *)(uintptr_t)s : (char *)(uintptr_t)protobuf_c_empty_string;
}

static Xla__ShapeProto *shape(struct jr_arena *arena, const struct gen_shape *s)
{
	Xla__ShapeProto *m = JR_ARENA_NEW(arena, Xla__ShapeProto);
	xla__shape_proto__init(m);
	m->element_type = (Xla__PrimitiveType)s->type;
	m->n_dimensions = s->n_dims;
	m->dimensions = JR_ARENA_N(arena, int64_t, s->n_dims + 1);
	m->n_tuple_shapes = s->n_tuple;
	m->tuple_shapes = JR_ARENA_N(arena, Xla__ShapeProto *, s->n_tuple + 1);
	for (uint32_t i = 0; i < s->n_tuple; i++)
		m->tuple_shapes[i] = shape(arena, &s->tuple[i]);
	if (s->type == GEN_TUPLE)
		return m;
	m->layout = JR_ARENA_NEW(arena, Xla__LayoutProto);
	xla__layout_proto__init(m->layout);
	m->layout->memory_space = s->host ? 5 : 0;
	m->layout->n_minor_to_major = s->n_dims;
	m->layout->minor_to_major = JR_ARENA_N(arena, int64_t, s->n_dims + 1);
	for (uint32_t i = 0; i < s->n_dims; i++) {
		m->dimensions[i] = s->dims[i];
		m->layout->minor_to_major[i] = (int64_t)s->n_dims - 1 - i;
	}
	return m;
}

static Xla__ReplicaGroup **replica_groups(struct jr_arena *arena, const struct gen_instruction *in)
{
	uint32_t n = in->n_groups, size = in->group_size;
	Xla__ReplicaGroup **groups = JR_ARENA_N(arena, Xla__ReplicaGroup *, n);
	for (uint32_t g = 0; g < n; g++) {
		groups[g] = JR_ARENA_NEW(arena, Xla__ReplicaGroup);
		xla__replica_group__init(groups[g]);
		groups[g]->n_replica_ids = size;
		groups[g]->replica_ids = JR_ARENA_N(arena, int64_t, size);
		for (uint32_t i = 0; i < size; i++)
			groups[g]->replica_ids[i] = in->strided ? (int64_t)i * n + g : (int64_t)g * size + i;
	}
	return groups;
}

static Xla__IotaReplicaGroupListProto *iota(
	struct jr_arena *arena, const struct gen_instruction *in)
{
	Xla__IotaReplicaGroupListProto *m = JR_ARENA_NEW(arena, Xla__IotaReplicaGroupListProto);
	xla__iota_replica_group_list_proto__init(m);
	m->num_replica_groups = in->n_groups;
	m->num_devices_per_group = in->group_size;
	m->n_iota_reshape_dims = in->strided ? 2 : 1;
	m->iota_reshape_dims = JR_ARENA_N(arena, int64_t, 2);
	m->iota_reshape_dims[0] = in->strided ? in->group_size : in->n_groups * in->group_size;
	m->iota_reshape_dims[1] = in->n_groups;
	m->n_iota_transpose_perm = m->n_iota_reshape_dims;
	m->iota_transpose_perm = JR_ARENA_N(arena, int32_t, 2);
	m->iota_transpose_perm[0] = in->strided;
	return m;
}

/* A mesh with one axis per factor; the collective is over all axes. */
static Xla__MeshAxesReplicaGroupListProto *mesh(
	struct gen_scenario *sc, struct jr_arena *arena, uint32_t size)
{
	Xla__MeshAxesReplicaGroupListProto *m = JR_ARENA_NEW(arena, Xla__MeshAxesReplicaGroupListProto);
	xla__mesh_axes_replica_group_list_proto__init(m);
	m->mesh = JR_ARENA_NEW(arena, Xla__MeshProto);
	xla__mesh_proto__init(m->mesh);
	int64_t factors[2] = {size % 2 ? size : 2, size % 2 ? 1 : size / 2};
	m->mesh->n_axes = m->n_axes = 2;
	m->mesh->axes = JR_ARENA_N(arena, Xla__MeshProto__MeshAxis *, 2);
	m->axes = JR_ARENA_N(arena, Xla__AxisRefProto *, 2);
	for (int i = 0; i < 2; i++) {
		m->mesh->axes[i] = JR_ARENA_NEW(arena, Xla__MeshProto__MeshAxis);
		xla__mesh_proto__mesh_axis__init(m->mesh->axes[i]);
		m->mesh->axes[i]->name = text(gen_planted(sc, GEN_FIELD_MESH_AXIS, i ? "fsdp" : "data"));
		m->mesh->axes[i]->size = factors[i];
		m->axes[i] = JR_ARENA_NEW(arena, Xla__AxisRefProto);
		xla__axis_ref_proto__init(m->axes[i]);
		m->axes[i]->mesh_axis_index = i;
	}
	return m;
}

static void groups(struct gen_scenario *sc, struct jr_arena *arena,
	const struct gen_instruction *in, Xla__HloInstructionProto *m)
{
	if (in->groups == GEN_GROUPS_REPLICA) {
		m->n_replica_groups = in->n_groups;
		m->replica_groups = replica_groups(arena, in);
	} else if (in->groups == GEN_GROUPS_DEVICE_LIST || in->groups == GEN_GROUPS_IOTA_IN_LIST) {
		m->collective_device_list = JR_ARENA_NEW(arena, Xla__CollectiveDeviceListProto);
		xla__collective_device_list_proto__init(m->collective_device_list);
		if (in->groups == GEN_GROUPS_DEVICE_LIST) {
			m->collective_device_list->n_replica_groups = in->n_groups;
			m->collective_device_list->replica_groups = replica_groups(arena, in);
		} else {
			m->collective_device_list->iota_replica_group_list = iota(arena, in);
		}
	} else if (in->groups == GEN_GROUPS_IOTA) {
		m->iota_collective_device_list = iota(arena, in);
	} else if (in->groups == GEN_GROUPS_MESH) {
		m->mesh_axes_replica_group_list = mesh(sc, arena, in->group_size);
	}
}

static int64_t *numbers(struct jr_arena *arena, const int64_t *from, uint32_t n)
{
	int64_t *to = JR_ARENA_N(arena, int64_t, n + 1);
	if (n)
		memcpy(to, from, n * sizeof(*to));
	return to;
}

/* A text field that is not in our schema, so readers ignore it. */
static void put_unread(
	struct gen_scenario *sc, struct jr_arena *arena, ProtobufCMessage *m, uint32_t tag)
{
	const char *s = gen_planted(sc, GEN_FIELD_OP_TYPE, NULL);
	if (!s)
		return;
	JR_CLEANUP(jr_buf_done) struct jr_buf data = {0};
	size_t n = strlen(s);
	for (size_t rest = n; rest >= 0x80 || !data.size || rest; rest >>= 7) {
		jr_buf_putc(&data, (char)(rest >= 0x80 ? rest | 0x80 : rest));
		if (rest < 0x80)
			break;
	}
	jr_buf_add(&data, s, n);
	m->unknown_fields = JR_ARENA_NEW(arena, ProtobufCMessageUnknownField);
	m->n_unknown_fields = 1;
	*m->unknown_fields = (ProtobufCMessageUnknownField){.tag = tag,
		.wire_type = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
		.len = data.size,
		.data = (uint8_t *)jr_arena_strndup(arena, data.data, data.size)};
}

static Xla__Window *window(struct jr_arena *arena, const struct gen_attributes *a)
{
	Xla__Window *m = JR_ARENA_NEW(arena, Xla__Window);
	xla__window__init(m);
	m->n_dimensions = a->n_window;
	m->dimensions = JR_ARENA_N(arena, Xla__WindowDimension *, a->n_window);
	for (uint32_t i = 0; i < a->n_window; i++) {
		m->dimensions[i] = JR_ARENA_NEW(arena, Xla__WindowDimension);
		xla__window_dimension__init(m->dimensions[i]);
		m->dimensions[i]->size = a->window[i].size;
		m->dimensions[i]->stride = a->window[i].stride;
		m->dimensions[i]->padding_low = m->dimensions[i]->padding_high = a->window[i].padding;
		m->dimensions[i]->window_dilation = m->dimensions[i]->base_dilation = 1;
	}
	return m;
}

/* Images [batch, feature, spatial...], kernels [output feature, input feature, spatial...]. */
static Xla__ConvolutionDimensionNumbers *convolution(
	struct jr_arena *arena, const struct gen_attributes *a)
{
	Xla__ConvolutionDimensionNumbers *m = JR_ARENA_NEW(arena, Xla__ConvolutionDimensionNumbers);
	xla__convolution_dimension_numbers__init(m);
	static const int64_t spatial[] = {2, 3};
	m->kernel_input_feature_dimension = 1;
	m->input_feature_dimension = 1;
	m->output_feature_dimension = 1;
	m->n_kernel_spatial_dimensions = a->n_window;
	m->n_input_spatial_dimensions = m->n_output_spatial_dimensions = a->n_window;
	m->kernel_spatial_dimensions = numbers(arena, spatial, a->n_window);
	m->input_spatial_dimensions = numbers(arena, spatial, a->n_window);
	m->output_spatial_dimensions = numbers(arena, spatial, a->n_window);
	return m;
}

static void attributes_of(
	struct jr_arena *arena, const struct gen_attributes *a, Xla__HloInstructionProto *m)
{
	m->parameter_number = a->parameter_number;
	m->tuple_index = a->tuple_index;
	m->n_dimensions = a->n_dimensions;
	m->dimensions = numbers(arena, a->dimensions, a->n_dimensions);
	m->fusion_kind = text(a->fusion_kind);
	m->feature_group_count = a->feature_groups;
	if (a->contracts) {
		m->dot_dimension_numbers = JR_ARENA_NEW(arena, Xla__DotDimensionNumbers);
		xla__dot_dimension_numbers__init(m->dot_dimension_numbers);
		m->dot_dimension_numbers->n_lhs_contracting_dimensions = 1;
		m->dot_dimension_numbers->lhs_contracting_dimensions =
			numbers(arena, &a->lhs_contracting, 1);
	}
	if (a->n_window) {
		m->window = window(arena, a);
		m->convolution_dimension_numbers = convolution(arena, a);
	}
	if (a->backend_config) {
		m->backend_config.data = (uint8_t *)text(a->backend_config);
		m->backend_config.len = strlen(a->backend_config);
	}
}

static Xla__HloInstructionProto *instruction(struct gen_scenario *sc, struct jr_arena *arena,
	const struct gen_program *p, const struct gen_instruction *in)
{
	Xla__HloInstructionProto *m = JR_ARENA_NEW(arena, Xla__HloInstructionProto);
	xla__hlo_instruction_proto__init(m);
	m->name = text(in->name);
	bool collective = in->groups != GEN_GROUPS_NONE;
	m->opcode =
		text(collective ? gen_planted(sc, GEN_FIELD_COLLECTIVE_OPCODE, in->opcode) : in->opcode);
	m->shape = shape(arena, &in->shape);
	m->metadata = JR_ARENA_NEW(arena, Xla__OpMetadata);
	xla__op_metadata__init(m->metadata);
	m->metadata->op_name = text(in->op_name);
	m->metadata->scheduling_name = text(gen_planted(sc, GEN_FIELD_SCHEDULING_NAME, NULL));
	enum { OP_TYPE = 1, BACKEND_CONFIG = 43 };
	put_unread(sc, arena, &m->metadata->base, OP_TYPE);
	put_unread(sc, arena, &m->base, BACKEND_CONFIG);
	if (in->frame) {
		m->metadata->source_file = text(p->frames.items[in->frame - 1].file);
		m->metadata->source_line = p->frames.items[in->frame - 1].line;
		m->metadata->stack_frame_id = (int32_t)in->frame;
	}
	m->custom_call_target = text(in->custom_call_target);
	m->id = in->id;
	m->n_operand_ids = in->n_operands;
	m->operand_ids = numbers(arena, in->operands, in->n_operands);
	m->n_called_computation_ids = in->n_called;
	m->called_computation_ids = numbers(arena, in->called, in->n_called);
	groups(sc, arena, in, m);
	if (in->attributes)
		attributes_of(arena, in->attributes, m);
	return m;
}

static Xla__HloComputationProto *computation(struct gen_scenario *sc, struct jr_arena *arena,
	const struct gen_program *p, const struct gen_computation *c)
{
	Xla__HloComputationProto *m = JR_ARENA_NEW(arena, Xla__HloComputationProto);
	xla__hlo_computation_proto__init(m);
	m->name = text(c->name);
	m->id = c->id;
	m->root_id = c->root;
	m->n_instructions = c->instructions.n;
	m->instructions = JR_ARENA_N(arena, Xla__HloInstructionProto *, c->instructions.n + 1);
	for (size_t i = 0; i < c->instructions.n; i++)
		m->instructions[i] = instruction(sc, arena, p, &c->instructions.items[i]);
	return m;
}

/* 1-based number of a string in a table of distinct strings. */
static int32_t string_id(char **table, size_t *n, const char *s)
{
	size_t i = 0;
	while (i < *n && strcmp(table[i], s) != 0)
		i++;
	if (i == *n)
		table[(*n)++] = text(s);
	return (int32_t)i + 1;
}

/* Files, functions, locations and frames, each 1-based. */
static Xla__StackFrameIndexProto *frames(
	struct jr_arena *arena, const struct gen_program *p, uint32_t process)
{
	Xla__StackFrameIndexProto *m = JR_ARENA_NEW(arena, Xla__StackFrameIndexProto);
	size_t n = p->frames.n;
	xla__stack_frame_index_proto__init(m);
	m->file_names = JR_ARENA_N(arena, char *, n + 1);
	m->function_names = JR_ARENA_N(arena, char *, n + 1);
	m->n_file_locations = m->n_stack_frames = n;
	m->file_locations = JR_ARENA_N(arena, Xla__StackFrameIndexProto__FileLocation *, n + 1);
	m->stack_frames = JR_ARENA_N(arena, Xla__StackFrameIndexProto__StackFrame *, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct gen_frame *f = &p->frames.items[i];
		Xla__StackFrameIndexProto__FileLocation *location =
			JR_ARENA_NEW(arena, Xla__StackFrameIndexProto__FileLocation);
		xla__stack_frame_index_proto__file_location__init(location);
		location->file_name_id = string_id(m->file_names, &m->n_file_names, f->file);
		location->function_name_id =
			string_id(m->function_names, &m->n_function_names, f->function);
		location->line = f->line + (f->inconsistent && process ? 100 + (int32_t)process : 0);
		location->column = f->column;
		m->file_locations[i] = location;
		m->stack_frames[i] = JR_ARENA_NEW(arena, Xla__StackFrameIndexProto__StackFrame);
		xla__stack_frame_index_proto__stack_frame__init(m->stack_frames[i]);
		m->stack_frames[i]->file_location_id = (int32_t)i + 1;
		m->stack_frames[i]->parent_frame_id = (int32_t)f->parent;
	}
	return m;
}

static Xla__FrontendAttributes__MapEntry *attribute(
	struct jr_arena *arena, const char *key, const char *value)
{
	Xla__FrontendAttributes__MapEntry *m = JR_ARENA_NEW(arena, Xla__FrontendAttributes__MapEntry);
	xla__frontend_attributes__map_entry__init(m);
	m->key = text(key);
	m->value = text(value);
	return m;
}

static Xla__FrontendAttributes *attributes(
	struct gen_scenario *sc, struct jr_arena *arena, const struct gen_program *p)
{
	const char *planted = gen_planted(sc, GEN_FIELD_ATTRIBUTE, NULL);
	Xla__FrontendAttributes *m = JR_ARENA_NEW(arena, Xla__FrontendAttributes);
	xla__frontend_attributes__init(m);
	m->map = JR_ARENA_N(arena, Xla__FrontendAttributes__MapEntry *, 2);
	m->map[m->n_map++] = attribute(arena, "fingerprint_before_lhs", p->fingerprint);
	if (planted)
		m->map[m->n_map++] = attribute(arena, planted, "1");
	return m;
}

/* The order in which XLA writes computations: called ones before their callers, the entry last.
 */
struct order {
	const struct gen_program *program;
	bool *is_placed;
	uint32_t *rows; /* of program->computations */
	uint32_t n;
};

static void place(struct order *order, uint32_t row);

static void place_called(struct order *order, const struct gen_instruction *in)
{
	const struct gen_program *p = order->program;
	for (uint32_t k = 0; k < in->n_called; k++)
		for (uint32_t i = 0; i < p->computations.n; i++)
			if (p->computations.items[i].id == in->called[k])
				place(order, i);
}

static void place(struct order *order, uint32_t row)
{
	if (order->is_placed[row])
		return;
	order->is_placed[row] = true;
	const struct gen_computation *c = &order->program->computations.items[row];
	for (size_t i = 0; i < c->instructions.n; i++)
		place_called(order, &c->instructions.items[i]);
	order->rows[order->n++] = row;
}

static const uint32_t *callees_first(struct jr_arena *arena, const struct gen_program *p)
{
	struct order order = {.program = p,
		.is_placed = JR_ARENA_N(arena, bool, p->computations.n + 1),
		.rows = JR_ARENA_N(arena, uint32_t, p->computations.n + 1)};
	for (uint32_t i = 0; i < p->computations.n; i++)
		if (i != p->entry)
			place(&order, i);
	place(&order, p->entry);
	return order.rows;
}

/* Computations with their own schedule, in the order in which they were built. */
static Xla__HloScheduleProto *schedule(struct jr_arena *arena, const struct gen_program *p)
{
	Xla__HloScheduleProto *m = JR_ARENA_NEW(arena, Xla__HloScheduleProto);
	xla__hlo_schedule_proto__init(m);
	m->sequences =
		JR_ARENA_N(arena, Xla__HloScheduleProto__SequencesEntry *, p->computations.n + 1);
	for (uint32_t i = 0; i < p->computations.n; i++) {
		const struct gen_computation *c = &p->computations.items[i];
		if (!c->scheduled)
			continue;
		Xla__HloScheduleProto__SequencesEntry *entry =
			JR_ARENA_NEW(arena, Xla__HloScheduleProto__SequencesEntry);
		xla__hlo_schedule_proto__sequences_entry__init(entry);
		entry->key = c->id;
		entry->value = JR_ARENA_NEW(arena, Xla__HloScheduleProto__InstructionSequence);
		xla__hlo_schedule_proto__instruction_sequence__init(entry->value);
		entry->value->n_instruction_ids = c->instructions.n;
		entry->value->instruction_ids = JR_ARENA_N(arena, int64_t, c->instructions.n + 1);
		for (size_t k = 0; k < c->instructions.n; k++)
			entry->value->instruction_ids[k] = c->instructions.items[k].id;
		m->sequences[m->n_sequences++] = entry;
	}
	return m;
}

Xla__HloModuleProto *gen_hlo_module(
	struct gen_scenario *sc, struct jr_arena *arena, const struct gen_program *p, uint32_t process)
{
	Xla__HloModuleProto *m = JR_ARENA_NEW(arena, Xla__HloModuleProto);
	xla__hlo_module_proto__init(m);
	m->name = text(p->name);
	m->id = gen_program_number(p, process);
	m->entry_computation_name = text(p->computations.items[p->entry].name);
	m->entry_computation_id = p->computations.items[p->entry].id;
	m->n_computations = p->computations.n;
	m->computations = JR_ARENA_N(arena, Xla__HloComputationProto *, p->computations.n);
	const uint32_t *order = callees_first(arena, p);
	for (size_t i = 0; i < p->computations.n; i++)
		m->computations[i] = computation(sc, arena, p, &p->computations.items[order[i]]);
	m->schedule = schedule(arena, p);
	m->stack_frame_index = frames(arena, p, process);
	m->frontend_attributes = attributes(sc, arena, p);
	return m;
}

static void buffers(struct gen_scenario *sc, struct jr_arena *arena, const struct gen_program *p,
	Xla__BufferAssignmentProto *m)
{
	m->n_logical_buffers = p->buffers.n;
	m->logical_buffers = JR_ARENA_N(arena, Xla__LogicalBufferProto *, p->buffers.n + 1);
	for (size_t i = 0; i < p->buffers.n; i++) {
		const struct gen_buffer *b = &p->buffers.items[i];
		Xla__LogicalBufferProto *buffer = JR_ARENA_NEW(arena, Xla__LogicalBufferProto);
		xla__logical_buffer_proto__init(buffer);
		buffer->id = b->id;
		buffer->size = (int64_t)b->bytes;
		buffer->defined_at = JR_ARENA_NEW(arena, Xla__LogicalBufferProto__Location);
		xla__logical_buffer_proto__location__init(buffer->defined_at);
		buffer->defined_at->instruction_id = b->instruction_id;
		buffer->defined_at->instruction_name = text(gen_planted(sc, GEN_FIELD_BUFFER, NULL));
		m->logical_buffers[i] = buffer;
	}
}

static void allocations(
	struct jr_arena *arena, const struct gen_program *p, Xla__BufferAssignmentProto *m)
{
	m->n_buffer_allocations = p->allocations.n;
	m->buffer_allocations = JR_ARENA_N(arena, Xla__BufferAllocationProto *, p->allocations.n + 1);
	for (size_t i = 0; i < p->allocations.n; i++) {
		const struct gen_allocation *a = &p->allocations.items[i];
		Xla__BufferAllocationProto *to = JR_ARENA_NEW(arena, Xla__BufferAllocationProto);
		xla__buffer_allocation_proto__init(to);
		to->index = (int64_t)i;
		to->size = (int64_t)a->bytes;
		to->is_entry_computation_parameter = a->flags & GEN_PARAMETER;
		to->maybe_live_out = a->flags & GEN_LIVE_OUT;
		to->is_constant = a->flags & GEN_CONSTANT;
		to->is_thread_local = a->flags & GEN_THREAD_LOCAL;
		to->color = a->flags & GEN_HOST ? 5 : 0;
		to->n_assigned = a->n;
		to->assigned = JR_ARENA_N(arena, Xla__BufferAllocationProto__Assigned *, a->n + 1);
		for (uint32_t k = 0; k < a->n; k++) {
			const struct gen_buffer *b = &p->buffers.items[a->first + k];
			to->assigned[k] = JR_ARENA_NEW(arena, Xla__BufferAllocationProto__Assigned);
			xla__buffer_allocation_proto__assigned__init(to->assigned[k]);
			to->assigned[k]->logical_buffer_id = b->id;
			to->assigned[k]->offset = (int64_t)b->offset;
			to->assigned[k]->size = (int64_t)b->bytes;
		}
		m->buffer_allocations[i] = to;
	}
}

static Xla__BufferAssignmentProto *assignment(
	struct gen_scenario *sc, struct jr_arena *arena, const struct gen_program *p)
{
	Xla__BufferAssignmentProto *m = JR_ARENA_NEW(arena, Xla__BufferAssignmentProto);
	xla__buffer_assignment_proto__init(m);
	buffers(sc, arena, p, m);
	allocations(arena, p, m);
	if (!p->heap.n)
		return m;
	Xla__HeapSimulatorTrace *trace = JR_ARENA_NEW(arena, Xla__HeapSimulatorTrace);
	xla__heap_simulator_trace__init(trace);
	trace->n_events = p->heap.n;
	trace->events = JR_ARENA_N(arena, Xla__HeapSimulatorTrace__Event *, p->heap.n);
	for (size_t i = 0; i < p->heap.n; i++) {
		const struct gen_heap_event *e = &p->heap.items[i];
		trace->events[i] = JR_ARENA_NEW(arena, Xla__HeapSimulatorTrace__Event);
		xla__heap_simulator_trace__event__init(trace->events[i]);
		trace->events[i]->kind = (Xla__HeapSimulatorTrace__Event__Kind)e->kind;
		trace->events[i]->buffer_id = e->buffer;
		trace->events[i]->instruction_name = text(e->instruction);
		trace->events[i]->share_with_canonical_id = e->canonical;
	}
	m->n_heap_simulator_traces = 1;
	m->heap_simulator_traces = JR_ARENA_N(arena, Xla__HeapSimulatorTrace *, 1);
	m->heap_simulator_traces[0] = trace;
	return m;
}

static void add_packed(struct gen_archive *archive, const char *name, const struct jr_buf *content)
{
	struct jr_buf packed = {0};
	gen_xz(&packed, content);
	/* larger ones are deflated again, like by zip tools that recompress */
	gen_archive_add(archive, name, &packed, packed.size < 16384);
}

void gen_pack_hlo(
	struct gen_scenario *sc, const struct gen_program *p, uint32_t process, struct jr_buf *out)
{
	struct jr_arena arena;
	Xla__HloProto hlo = XLA__HLO_PROTO__INIT;
	jr_arena_init(&arena, 0);
	hlo.hlo_module = gen_hlo_module(sc, &arena, p, process);
	hlo.buffer_assignment = assignment(sc, &arena, p);
	jr_buf_reserve(out, xla__hlo_proto__get_packed_size(&hlo));
	out->size = xla__hlo_proto__pack(&hlo, (uint8_t *)out->data);
	gen_put_planted_nuls(out->data, out->size);
	jr_arena_done(&arena);
}

static void add_dump(const struct gen_write_options *options, struct gen_archive *archive,
	const char *stem, const struct jr_buf *content)
{
	struct jr_buf name = {0}, copy = {0};
	jr_buf_printf(&name, "%s.%s", stem, options->text_dump ? "txt" : "hlo.pb.xz");
	if (options->text_dump) {
		jr_buf_add(&copy, content->data, content->size);
		gen_archive_add(archive, name.data, &copy, false);
	} else {
		add_packed(archive, name.data, content);
	}
	jr_buf_done(&name);
}

/* Until 2025, texts had shapes of operands and names of async operations. */
static void print_hlo(
	struct gen_scenario *sc, const struct gen_program *p, uint32_t process, struct jr_buf *out)
{
	unsigned old = sc->options.xla == 1 ? GEN_HLO_OPERAND_SHAPES | GEN_HLO_ASYNC_NAMES : 0;
	struct jr_arena arena;
	struct gen_hlo_text text;
	jr_arena_init(&arena, 0);
	gen_hlo_text_init(&text, gen_hlo_module(sc, &arena, p, process),
		GEN_HLO_LONG | GEN_HLO_NAMED_ENDS | old);
	gen_hlo_print_module(&text, out);
	gen_put_planted_nuls(out->data, out->size);
	gen_hlo_text_done(&text);
	jr_arena_done(&arena);
}

static void write_program(struct gen_scenario *sc, const struct gen_program *p, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
	int64_t number = gen_program_number(p, process);
	if (options->text_dump)
		print_hlo(sc, p, process, &packed);
	else
		gen_pack_hlo(sc, p, process, &packed);
	const char *name = p->file_name;
	if (p == sc->programs.items[0] && gen_planted(sc, GEN_FIELD_DAMAGED_FILE, NULL)) {
		name = gen_planted(sc, GEN_FIELD_DAMAGED_FILE, "damaged");
		packed.size = packed.size / 2;
	}
	const char *stem = gen_text(sc, "dump/module_%04lld.%s", (long long)number, name);
	const char *gpu = sc->options.xla == 1 ? gen_text(sc, "%s_gpu_", sc->arch) : "";
	add_dump(options, archive, gen_text(sc, "%s.%safter_optimizations", stem, gpu), &packed);
	packed.size = packed.size / 3; /* never read, so it may be truncated */
	add_dump(options, archive, gen_text(sc, "%s.before_optimizations", stem), &packed);
	packed.size = 0;
	char clock[JR_NUM_MAX];
	jr_num_significant(clock, 1e-9 * (double)sc->gpu_clock_hz, 9);
	jr_buf_printf(&packed,
		"gpu_device_info {\n  core_count: %u\n  memory_bandwidth: %llu\n  clock_rate_ghz: %s\n"
		"  cuda_compute_capability {\n    major: %u\n  }\n}\nplatform_name: \"CUDA\"\n"
		"device_description_str: \"%s\"\n",
		sc->gpu_sm_count, (unsigned long long)sc->gpu_bandwidth_bytes_s, clock,
		sc->gpu_compute_major, sc->gpu_name);
	add_packed(archive, gen_text(sc, "%s.gpu_target_config.pbtxt.xz", stem), &packed);
}

static unsigned groups_fields(const struct gen_scenario *sc)
{
	static const unsigned fields[] = {
		[GEN_GROUPS_DEVICE_LIST] = JR_HLO_FIELD_DEVICE_LIST,
		[GEN_GROUPS_IOTA_IN_LIST] = JR_HLO_FIELD_DEVICE_LIST,
		[GEN_GROUPS_IOTA] = JR_HLO_FIELD_IOTA,
		[GEN_GROUPS_MESH] = JR_HLO_FIELD_MESH,
	};
	unsigned used = 0;
	for (size_t i = 0; i < sc->programs.n; i++) {
		const struct gen_program *p = sc->programs.items[i];
		for (size_t c = 0; c < p->computations.n; c++)
			for (size_t k = 0; k < p->computations.items[c].instructions.n; k++) {
				unsigned groups = p->computations.items[c].instructions.items[k].groups;
				used |= groups < JR_COUNT_OF(fields) ? fields[groups] : 0;
			}
	}
	return used;
}

static void write_schema(const struct gen_scenario *sc, struct gen_archive *archive)
{
	struct jr_buf data = {0}, hlo = {0};
	jr_hlo_schema(groups_fields(sc), &data, &hlo);
	gen_archive_add(archive, JR_MEMBER_SCHEMA_DATA, &data, false);
	gen_archive_add(archive, JR_MEMBER_SCHEMA, &hlo, false);
}

void gen_write_hlo(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive)
{
	for (size_t i = 0; i < sc->programs.n; i++)
		write_program(sc, sc->programs.items[i], process, options, archive);
	write_schema(sc, archive);
}
