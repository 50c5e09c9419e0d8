/*
 * Buffer assignment of a program: whether the result of a fusion has the same address as an
 * operand. README.md, section 13.7.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/cost/cost_parts.h"
#include "base/order.h"
#include "base/text.h"

/* Limits: nested tuple parts, and instructions that forward a value. */
#define MOST_PATH 16
#define MOST_HOPS 64

/* A part of an instruction's result: the tuple indices that lead to it, outermost first. */
struct part {
	uint32_t row;
	uint32_t n;
	uint32_t path[MOST_PATH];
};

struct place {
	uint32_t row;                       /* of the instruction that produces it */
	const struct jr_hlo_buffer *buffer; /* identifies the part */
	uint32_t allocation;
	uint64_t offset;
};

struct jr_places {
	size_t n;
	struct place *items; /* by row, then in input order */
};

struct numbered {
	int64_t id;
	uint32_t row; /* of hlo->buffers */
};

JR_ORDER(compare_ids, struct numbered, JR_UP(id) JR_UP(row))

JR_ORDER(compare_places, struct place, JR_UP(row) JR_UP(buffer))

/* Row of hlo->buffers, or JR_NONE. */
static uint32_t find_buffer(const struct numbered *sorted, size_t n, int64_t id)
{
	size_t low = 0, high = n;
	JR_SEARCH(low, high, middle, sorted[middle].id < id);
	return low < n && sorted[low].id == id ? sorted[low].row : JR_NONE;
}

static struct jr_places *find_places(struct jr_cost_program *p)
{
	const struct jr_hlo *hlo = p->hlo;
	struct jr_places *places = JR_ARENA_NEW(p->arena, struct jr_places);
	struct numbered *sorted = JR_ARENA_N(p->arena, struct numbered, hlo->n_buffers + (size_t)1);
	for (uint32_t i = 0; i < hlo->n_buffers; i++)
		sorted[i] = (struct numbered){hlo->buffers[i].id, i};
	qsort(sorted, hlo->n_buffers, sizeof(*sorted), compare_ids);
	size_t most = 0;
	for (uint32_t a = 0; a < hlo->n_allocations; a++)
		most += hlo->allocations[a].n_assigned;
	places->items = JR_ARENA_N(p->arena, struct place, most + 1);
	for (uint32_t a = 0; a < hlo->n_allocations; a++)
		for (uint32_t i = 0; i < hlo->allocations[a].n_assigned; i++) {
			const struct jr_hlo_assigned *assigned = &hlo->allocations[a].assigned[i];
			uint32_t row = find_buffer(sorted, hlo->n_buffers, assigned->buffer_id);
			const struct jr_hlo_buffer *buffer = row == JR_NONE ? NULL : &hlo->buffers[row];
			uint32_t maker = buffer ? jr_hlo_defined_by(hlo, buffer) : JR_NONE;
			if (maker != JR_NONE)
				places->items[places->n++] =
					(struct place){maker, buffer, a, assigned->offset_bytes};
		}
	qsort(places->items, places->n, sizeof(*places->items), compare_places);
	return places;
}

static bool is_part(const struct jr_hlo_buffer *buffer, const struct part *part)
{
	if (buffer->n_shape_index != part->n)
		return false;
	for (uint32_t i = 0; i < part->n; i++)
		if (buffer->shape_index[i] != (int64_t)part->path[i])
			return false;
	return true;
}

/* Return the place of a part if the instruction itself produces it, else NULL. */
static const struct place *made_at(struct jr_cost_program *p, const struct part *part)
{
	const struct jr_places *places = p->places;
	size_t low = 0, high = places->n;
	JR_SEARCH(low, high, middle, places->items[middle].row < part->row);
	for (; low < places->n && places->items[low].row == part->row; low++) {
		if (!jr_cost_spend(p, 1))
			return NULL;
		if (is_part(places->items[low].buffer, part))
			return &places->items[low];
	}
	return NULL;
}

static bool to_operand(struct jr_cost_program *p, struct part *part, uint32_t k)
{
	uint32_t row = jr_hlo_operand(p->hlo, &p->hlo->instructions[part->row], k);
	if (row != JR_NONE)
		part->row = row;
	return row != JR_NONE;
}

/* Descend to the tuple that contains the part, as its element `index`. */
static bool push(struct part *part, uint32_t index)
{
	if (part->n == MOST_PATH)
		return false;
	memmove(part->path + 1, part->path, part->n * sizeof(*part->path));
	part->path[0] = index;
	part->n++;
	return true;
}

/* Step from an instruction that forwards a value to the operand that the value comes from; false if
 * it makes its own value. */
static bool step_back(struct jr_cost_program *p, struct part *part)
{
	const struct jr_hlo_instruction *inst = &p->hlo->instructions[part->row];
	if (inst->op == JR_OP_GET_TUPLE_ELEMENT)
		return push(part, inst->number) && to_operand(p, part, 0);
	if (inst->op == JR_OP_TUPLE) {
		if (part->n == 0)
			return false;
		uint32_t k = part->path[0];
		part->n--;
		memmove(part->path, part->path + 1, part->n * sizeof(*part->path));
		return to_operand(p, part, k);
	}
	if (inst->op == JR_OP_BITCAST || inst->op == JR_OP_WHILE || inst->op == JR_OP_ALL_REDUCE_DONE ||
		inst->op == JR_OP_OPT_BARRIER)
		return to_operand(p, part, 0);
	if (inst->op == JR_OP_COPY_DONE || inst->op == JR_OP_RECV_DONE)
		return push(part, 0) && to_operand(p, part, 0);
	if (jr_text_ends(inst->opcode, "-done"))
		return push(part, 1) && to_operand(p, part, 0);
	return false;
}

static const struct place *place_of(struct jr_cost_program *p, struct part part)
{
	for (int hops = 0; hops < MOST_HOPS && jr_cost_spend(p, 1); hops++) {
		const struct place *place = made_at(p, &part);
		if (place)
			return place;
		if (!step_back(p, &part))
			return NULL;
	}
	return NULL;
}

bool jr_same_place(struct jr_cost_program *p, const struct jr_hlo_instruction *fusion,
	uint32_t index, uint32_t operand)
{
	if (!p->places)
		p->places = find_places(p);
	struct part result = {.row = (uint32_t)(fusion - p->hlo->instructions)};
	if (index != JR_NONE)
		(void)push(&result, index);
	struct part from = {.row = result.row};
	if (!to_operand(p, &from, operand))
		return true;
	const struct place *a = place_of(p, result), *b = place_of(p, from);
	return !a || !b || (a->allocation == b->allocation && a->offset == b->offset);
}
