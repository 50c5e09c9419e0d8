/* The launch order of a module's instructions (xla.HloScheduleProto). A dump lists instructions by
 * dependency, not by schedule. */
#include "formats/hlo/hlo_parts.h"

enum {
	SCHEDULE_SEQUENCES = 1, /* a map: */
	ENTRY_COMPUTATION_ID = 1,
	ENTRY_SEQUENCE = 2,
	SEQUENCE_INSTRUCTION_IDS = 1,
};

/* A unique id may combine a computation's id with a local id; the local id is the lower half. */
#define LOCAL_ID_BITS 32

struct sequence {
	struct jr_hlo_decoder *d;
	uint32_t computation, n;
};

static void place(struct sequence *s, int64_t id)
{
	const struct jr_hlo *hlo = s->d->hlo;
	const struct jr_hlo_computation *c = &hlo->computations[s->computation];
	uint32_t row = jr_hlo_by_id_in(hlo, s->computation, id);
	if (row == JR_NONE || row - c->first >= c->n)
		row = jr_hlo_by_id_in(
			hlo, s->computation, id & (int64_t)((UINT64_C(1) << LOCAL_ID_BITS) - 1));
	if (row != JR_NONE && row - c->first < c->n && s->n < c->n &&
		s->d->instructions[row].place == JR_NONE)
		s->d->instructions[row].place = s->n++;
}

/* Place ids that are written one by one or packed. */
static void place_all(struct sequence *s, struct jr_bytes message)
{
	struct jr_wire wire = jr_wire_of(message, message.data);
	struct jr_wire_field field;
	while (jr_wire_more(&wire) && jr_wire_take(&wire, &field)) {
		if (field.number != SEQUENCE_INSTRUCTION_IDS)
			continue;
		if (field.type == JR_WIRE_VARINT)
			place(s, (int64_t)field.value);
		if (field.type != JR_WIRE_BYTES)
			continue;
		struct jr_reader ids = jr_reader_of(field.bytes);
		uint64_t id;
		while (jr_reader_left(&ids) > 0 && jr_wire_varint(&ids, &id))
			place(s, (int64_t)id);
	}
}

static void take_entry(struct jr_hlo_decoder *d, struct jr_bytes message)
{
	struct jr_wire wire = jr_wire_of(message, message.data);
	struct jr_wire_field field;
	struct jr_bytes ids = {0};
	uint64_t computation_id = 0;
	while (jr_wire_more(&wire) && jr_wire_take(&wire, &field)) {
		if (field.number == ENTRY_COMPUTATION_ID && field.type == JR_WIRE_VARINT)
			computation_id = field.value;
		else if (field.number == ENTRY_SEQUENCE && field.type == JR_WIRE_BYTES)
			ids = field.bytes;
	}
	struct sequence s = {d, jr_hlo_computation_by_id(d->hlo, (int64_t)computation_id), 0};
	if (s.computation == JR_NONE || d->computations[s.computation].scheduled)
		return;
	place_all(&s, ids);
	d->computations[s.computation].scheduled = s.n > 0;
}

void jr_hlo_decode_schedule(struct jr_hlo_decoder *d)
{
	struct jr_wire wire = jr_wire_of(d->schedule, d->schedule.data);
	struct jr_wire_field field;
	while (jr_wire_more(&wire) && jr_wire_take(&wire, &field))
		if (field.number == SCHEDULE_SEQUENCES && field.type == JR_WIRE_BYTES)
			take_entry(d, field.bytes);
}

/* Places are 0 .. n - 1, each once (place()). */
void jr_hlo_launch_order(const struct jr_hlo *hlo, uint32_t computation, uint32_t *rows)
{
	const struct jr_hlo_computation *c = &hlo->computations[computation];
	uint32_t n = 0;
	for (uint32_t row = c->first; row < c->first + c->n; row++)
		n += hlo->instructions[row].place != JR_NONE;
	for (uint32_t row = c->first; row < c->first + c->n; row++) {
		uint32_t place = hlo->instructions[row].place;
		rows[place == JR_NONE ? n++ : place] = row;
	}
}
