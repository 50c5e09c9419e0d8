/*
 * The decoder. It walks the outer three messages (HloProto, HloModuleProto, HloComputationProto)
 * field by field, and instructions too. Shapes, metadata and attributes make up most of an
 * instruction and repeat byte for byte: protobuf-c unpacks each distinct one, once.
 */
#include <inttypes.h>
#include <string.h>

#include "formats/hlo/hlo_parts.h"

/* Fields of the messages that are walked, not unpacked (proto/hlo.proto). */
enum {
	PROTO_HLO_MODULE = 1,
	PROTO_BUFFER_ASSIGNMENT = 3,
	MODULE_NAME = 1,
	MODULE_ENTRY_COMPUTATION_NAME = 2,
	MODULE_COMPUTATIONS = 3,
	MODULE_ID = 5,
	MODULE_ENTRY_COMPUTATION_ID = 6,
	MODULE_SCHEDULE = 7,
	MODULE_INPUT_OUTPUT_ALIAS = 8,
	MODULE_STACK_FRAME_INDEX = 17,
	MODULE_FRONTEND_ATTRIBUTES = 19,
	COMPUTATION_NAME = 1,
	COMPUTATION_INSTRUCTIONS = 2,
	COMPUTATION_ID = 5,
	COMPUTATION_ROOT_ID = 6,
};

/* protobuf-c recurses once per message, with about 1.5 KiB of stack each. */
#define MAX_DEPTH 512

/* --- computations and modules ------------------------------------------------------------- */

static enum jr_status decode_computation(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err)
{
	struct jr_hlo_computation *to = &d->computations[d->n_computations];
	*to = (struct jr_hlo_computation){.name = "", .first = d->n_instructions};
	struct jr_wire wire = jr_wire_of(message, d->origin);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		if (field.number == COMPUTATION_INSTRUCTIONS && field.type == JR_WIRE_BYTES) {
			JR_TRY(jr_hlo_decode_instruction(d, field.bytes, err));
		} else if (field.number == COMPUTATION_NAME && field.type == JR_WIRE_BYTES) {
			JR_TRY(jr_hlo_text(d, field.bytes, &to->name, err));
		} else if (field.number == COMPUTATION_ID && field.type == JR_WIRE_VARINT) {
			to->id = (int64_t)field.value;
		} else if (field.number == COMPUTATION_ROOT_ID && field.type == JR_WIRE_VARINT) {
			to->root_id = (int64_t)field.value;
		}
	}
	to->n = d->n_instructions - to->first;
	d->n_computations++;
	return jr_hlo_check_memory(d, err);
}

static enum jr_status decode_attributes(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err)
{
	const Xla__FrontendAttributes *from =
		jr_unpack(&d->unpacker, &xla__frontend_attributes__descriptor, message, err);
	if (!from)
		return err->status;
	for (size_t i = 0; i < from->n_map; i++) {
		if (strcmp(from->map[i]->key, "fingerprint_before_lhs") != 0)
			continue;
		JR_TRY(jr_hlo_text_z(d, from->map[i]->value, &d->hlo->fingerprint, err));
	}
	return JR_OK;
}

static enum jr_status decode_aliases(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err)
{
	const Xla__HloInputOutputAliasProto *from =
		jr_unpack(&d->unpacker, &xla__hlo_input_output_alias_proto__descriptor, message, err);
	if (!from)
		return err->status;
	size_t n = from->n_entries;
	struct jr_hlo_alias *aliases = jr_arena_array(&d->hlo->arena, n, sizeof(*aliases), err);
	if (!aliases || n > UINT32_MAX)
		return aliases ? jr_fail(err, JR_ELIMIT, "too many aliases (%zu)", n) : JR_ELIMIT;
	for (size_t i = 0; i < n; i++) {
		const Xla__HloInputOutputAliasProto__AliasEntryProto *entry = from->entries[i];
		if (entry->n_parameter_shape_index > UINT32_MAX || entry->n_output_shape_index > UINT32_MAX)
			return jr_fail(err, JR_ELIMIT, "too many numbers in an alias");
		aliases[i] = (struct jr_hlo_alias){.parameter_number = entry->parameter_number,
			.n_parameter_index = (uint32_t)entry->n_parameter_shape_index,
			.n_output_index = (uint32_t)entry->n_output_shape_index};
		JR_TRY(jr_hlo_ids(d, entry->n_parameter_shape_index, entry->parameter_shape_index,
			&aliases[i].parameter_index, err));
		JR_TRY(jr_hlo_ids(d, entry->n_output_shape_index, entry->output_shape_index,
			&aliases[i].output_index, err));
	}
	d->hlo->aliases = aliases;
	d->hlo->n_aliases = (uint32_t)n;
	d->hlo->states_aliases = true;
	return jr_hlo_check_memory(d, err);
}

static enum jr_status decode_module_field(
	struct jr_hlo_decoder *d, const struct jr_wire_field *field, struct jr_error *err)
{
	if (field->type == JR_WIRE_VARINT) {
		if (field->number == MODULE_ID)
			d->hlo->id = (int64_t)field->value;
		else if (field->number == MODULE_ENTRY_COMPUTATION_ID)
			d->hlo->entry_id = (int64_t)field->value;
		return JR_OK;
	}
	if (field->type != JR_WIRE_BYTES)
		return JR_OK;
	switch (field->number) {
	case MODULE_NAME: return jr_hlo_text(d, field->bytes, &d->hlo->name, err);
	case MODULE_ENTRY_COMPUTATION_NAME: return jr_hlo_text(d, field->bytes, &d->entry_name, err);
	case MODULE_COMPUTATIONS: return decode_computation(d, field->bytes, err);
	case MODULE_SCHEDULE: d->schedule = field->bytes; return JR_OK;
	case MODULE_INPUT_OUTPUT_ALIAS: return decode_aliases(d, field->bytes, err);
	case MODULE_STACK_FRAME_INDEX: return jr_hlo_decode_frames(d, field->bytes, err);
	case MODULE_FRONTEND_ATTRIBUTES: return decode_attributes(d, field->bytes, err);
	default: return JR_OK;
	}
}

static enum jr_status decode_module(
	struct jr_hlo_decoder *d, struct jr_bytes message, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(message, d->origin);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		JR_TRY(decode_module_field(d, &field, err));
	}
	return JR_OK;
}

static enum jr_status count_module(struct jr_bytes message, const uint8_t *origin,
	struct jr_hlo_counts *counts, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(message, origin);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		if (field.number != MODULE_COMPUTATIONS || field.type != JR_WIRE_BYTES)
			continue;
		counts->computations++;
		JR_TRY(jr_hlo_count_fields(
			field.bytes, origin, COMPUTATION_INSTRUCTIONS, &counts->instructions, err));
	}
	return JR_OK;
}

static enum jr_status count_all(
	struct jr_bytes in, struct jr_hlo_counts *counts, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(in, in.data);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		if (field.type != JR_WIRE_BYTES)
			continue;
		if (field.number == PROTO_HLO_MODULE) {
			counts->modules++;
			JR_TRY(count_module(field.bytes, in.data, counts, err));
		} else if (field.number == PROTO_BUFFER_ASSIGNMENT) {
			JR_TRY(jr_hlo_count_buffers(field.bytes, in.data, counts, err));
		}
	}
	if (counts->modules == 0)
		return jr_fail(err, JR_EFORMAT, "no HLO module in %zu bytes", in.size);
	return JR_OK;
}

static enum jr_status make_arrays(
	struct jr_hlo_decoder *d, const struct jr_hlo_counts *counts, struct jr_error *err)
{
	struct jr_hlo *hlo = d->hlo;
	uint64_t most = d->limits->rows < JR_NONE ? d->limits->rows : JR_NONE - 1;
	if (counts->instructions > most || counts->computations > most || counts->buffers > most ||
		counts->allocations > most || counts->traces > most)
		return jr_fail(err, JR_ELIMIT,
			"module of %" PRIu64 " instructions in %" PRIu64 " computations with %" PRIu64
			" buffers in %" PRIu64 " allocations, limit %" PRIu64 " (--max-rows)",
			counts->instructions, counts->computations, counts->buffers, counts->allocations, most);
	JR_TRY_ARRAY(d->instructions, &hlo->arena, counts->instructions, err);
	JR_TRY_ARRAY(d->computations, &hlo->arena, counts->computations, err);
	JR_TRY_ARRAY(d->buffers, &hlo->arena, counts->buffers, err);
	JR_TRY_ARRAY(d->allocations, &hlo->arena, counts->allocations, err);
	JR_TRY_ARRAY(d->traces, &hlo->arena, counts->traces, err);
	hlo->instructions = d->instructions;
	hlo->computations = d->computations;
	hlo->buffers = d->buffers;
	hlo->allocations = d->allocations;
	hlo->traces = d->traces;
	hlo->n_instructions = (uint32_t)counts->instructions;
	hlo->n_computations = (uint32_t)counts->computations;
	hlo->n_buffers = (uint32_t)counts->buffers;
	hlo->n_allocations = (uint32_t)counts->allocations;
	hlo->n_traces = (uint32_t)counts->traces;
	return JR_OK;
}

/* --- the whole message --------------------------------------------------------------------- */

/* Find the entry by its id, or by name in older dumps; -1 if neither leads to a computation. */
static void find_entry(struct jr_hlo_decoder *d)
{
	struct jr_hlo *hlo = d->hlo;
	if (hlo->entry_id != -1 && jr_hlo_computation_by_id(hlo, hlo->entry_id) != JR_NONE)
		return;
	hlo->entry_id = -1;
	for (uint32_t i = 0; *d->entry_name && i < hlo->n_computations; i++) {
		if (strcmp(hlo->computations[i].name, d->entry_name) == 0) {
			hlo->entry_id = hlo->computations[i].id;
			return;
		}
	}
}

/* Drop dangling references; the target may come after the reference. */
static void drop_dangling(struct jr_hlo_decoder *d)
{
	struct jr_hlo *hlo = d->hlo;
	for (uint32_t i = 0; i < d->n_instructions; i++) {
		struct jr_hlo_instruction *instruction = &d->instructions[i];
		if (instruction->stack_frame_id > hlo->n_frames)
			instruction->stack_frame_id = 0;
		uint32_t kept = 0;
		while (kept < instruction->n_called &&
			   jr_hlo_computation_by_id(hlo, instruction->called_ids[kept]) != JR_NONE)
			kept++;
		if (kept == instruction->n_called)
			continue;
		int64_t *ids = JR_ARENA_N(&hlo->arena, int64_t, instruction->n_called);
		memcpy(ids, instruction->called_ids, kept * sizeof(*ids));
		for (uint32_t k = kept + 1; k < instruction->n_called; k++)
			if (jr_hlo_computation_by_id(hlo, instruction->called_ids[k]) != JR_NONE)
				ids[kept++] = instruction->called_ids[k];
		instruction->called_ids = kept ? ids : NULL;
		instruction->n_called = kept;
	}
}

static enum jr_status decode(struct jr_hlo_decoder *d, struct jr_bytes in, struct jr_error *err)
{
	struct jr_hlo_counts counts = {0};
	JR_TRY(count_all(in, &counts, err));
	JR_TRY(make_arrays(d, &counts, err));
	struct jr_wire wire = jr_wire_of(in, in.data);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		if (field.type != JR_WIRE_BYTES)
			continue;
		if (field.number == PROTO_HLO_MODULE)
			JR_TRY(decode_module(d, field.bytes, err));
		else if (field.number == PROTO_BUFFER_ASSIGNMENT)
			JR_TRY(jr_hlo_decode_buffers(d, field.bytes, err));
	}
	JR_TRY(jr_hlo_index_build(d->hlo, err));
	jr_hlo_decode_schedule(d);
	find_entry(d);
	drop_dangling(d);
	return jr_hlo_check_memory(d, err);
}

enum jr_status jr_hlo_decode(
	struct jr_bytes in, const struct jr_limits *limits, struct jr_hlo *hlo, struct jr_error *err)
{
	struct jr_error unwanted;
	struct jr_hlo built = {.name = "", .fingerprint = "", .entry_id = -1};
	struct jr_hlo_decoder d = {
		.limits = limits, .origin = in.data, .hlo = &built, .entry_name = ""};
	jr_arena_init(&built.arena, limits->memory_bytes);
	d.strings = jr_hlo_index_new(&built);
	jr_intern_init(&d.shape_keys);
	jr_intern_init(&d.metadata_keys);
	jr_intern_init(&d.attribute_keys);
	uint32_t depth = limits->depth < MAX_DEPTH ? (uint32_t)limits->depth : MAX_DEPTH;
	jr_unpacker_init(&d.unpacker, in.data, depth, limits->memory_bytes);

	enum jr_status status = decode(&d, in, err ? err : &unwanted);

	jr_unpacker_done(&d.unpacker);
	jr_buf_done(&d.clean);
	jr_buf_done(&d.raw);
	jr_buf_done(&d.attribute_bytes);
	jr_vec_done(&d.operand_ids);
	jr_vec_done(&d.called_ids);
	jr_intern_done(&d.shape_keys);
	jr_intern_done(&d.metadata_keys);
	jr_intern_done(&d.attribute_keys);
	jr_vec_done(&d.shapes);
	jr_vec_done(&d.metadata);
	jr_vec_done(&d.attributes);
	jr_vec_done(&d.groups);
	if (status == JR_OK)
		*hlo = built;
	else
		jr_hlo_done(&built);
	return status;
}

void jr_hlo_done(struct jr_hlo *hlo)
{
	if (!hlo)
		return;
	jr_hlo_index_done(hlo);
	jr_arena_done(&hlo->arena);
	*hlo = (struct jr_hlo){0};
}
