/* Look-ups in a module: by name in the table of its texts, by id in sorted arrays. A hash table
 * could be made slow by a choice of ids. A table narrows the search to the few entries of ids that
 * differ in their low bits only. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "formats/hlo/hlo_opcode.h"
#include "formats/hlo/hlo_parts.h"

#define NEAR 8 /* texts that an instruction may add before the next name */

struct id_entry {
	int64_t id;
	uint32_t row;
};

struct id_index {
	struct id_entry *entries; /* [n] by (id, row) */
	size_t n;
	int64_t first;
	unsigned shift;  /* number of low bits; the slot of an id is (id - first) >> shift */
	uint64_t last;   /* slot of the last id: at most one slot per entry */
	uint32_t *begin; /* [last + 2] first entry of each slot; NULL if there is no entry */
};

struct jr_hlo_index {
	struct jr_intern strings; /* all texts that the module points to */
	uint32_t *row_of_string;  /* [n_strings] instruction of that name, or JR_NONE */
	size_t n_strings;
	struct id_index instructions, computations;
};

struct jr_intern *jr_hlo_index_new(struct jr_hlo *hlo)
{
	hlo->index = JR_ARENA_NEW(&hlo->arena, struct jr_hlo_index);
	jr_intern_init(&hlo->index->strings);
	return &hlo->index->strings;
}

void jr_hlo_index_done(struct jr_hlo *hlo)
{
	if (hlo->index)
		jr_intern_done(&hlo->index->strings);
}

JR_ORDER(compare_entries, struct id_entry, JR_UP(id) JR_UP(row))

static uint64_t slot_of(const struct id_index *index, int64_t id)
{
	return ((uint64_t)id - (uint64_t)index->first) >> index->shift;
}

/* Choose slots, at most one per entry. */
static void choose_slots(struct id_index *index)
{
	int64_t end = index->entries[0].id;
	index->first = end;
	for (size_t i = 1; i < index->n; i++) {
		int64_t id = index->entries[i].id;
		index->first = id < index->first ? id : index->first;
		end = id > end ? id : end;
	}
	while (slot_of(index, end) >= index->n)
		index->shift++;
	index->last = slot_of(index, end);
}

/* Sort by slot, then each slot. XLA numbers instructions without gaps, but stores them in another
 * order, so a slot has one or two of them. */
static void sort_entries(struct id_index *index)
{
	size_t bytes = index->n * sizeof(*index->entries);
	struct id_entry *rows = malloc(bytes);
	if (!rows)
		jr_oom_of(bytes);
	memcpy(rows, index->entries, bytes);
	for (size_t i = 0; i < index->n; i++)
		index->begin[slot_of(index, rows[i].id) + 1]++;
	for (uint64_t slot = 0; slot <= index->last; slot++)
		index->begin[slot + 1] += index->begin[slot];
	for (size_t i = index->n; i-- > 0;)
		index->entries[--index->begin[slot_of(index, rows[i].id) + 1]] = rows[i];
	free(rows);
	/* each slot begins now where the one before it began */
	memmove(index->begin, index->begin + 1, (index->last + 1) * sizeof(*index->begin));
	index->begin[index->last + 1] = (uint32_t)index->n;
	for (uint64_t slot = 0; slot <= index->last; slot++)
		if (index->begin[slot + 1] - index->begin[slot] > 1)
			jr_sort(index->entries + index->begin[slot],
				index->begin[slot + 1] - index->begin[slot], sizeof(*index->entries),
				compare_entries);
}

static enum jr_status index_names(struct jr_hlo *hlo, struct jr_error *err)
{
	struct jr_hlo_index *index = hlo->index;
	index->n_strings = index->strings.n;
	JR_TRY_ARRAY(index->row_of_string, &hlo->arena, index->n_strings, err);
	memset(index->row_of_string, 0xFF, index->n_strings * sizeof(*index->row_of_string));
	/* The decoder interned the names in the order of rows, with few other texts between them. */
	uint32_t next = 0;
	for (uint32_t row = 0; row < hlo->n_instructions; row++) {
		const char *name = hlo->instructions[row].name;
		uint32_t id = next;
		while (
			id < index->n_strings && id - next < NEAR && jr_intern_str(&index->strings, id) != name)
			id++;
		if (id < index->n_strings && id - next < NEAR)
			next = id + 1;
		else
			id = *name ? jr_intern_find(&index->strings, name, strlen(name)) : JR_NONE;
		if (*name && id != JR_NONE && index->row_of_string[id] == JR_NONE)
			index->row_of_string[id] = row;
	}
	return JR_OK;
}

static enum jr_status index_ids(struct jr_hlo *hlo, struct id_index *index, struct jr_error *err)
{
	if (!index->n)
		return JR_OK;
	choose_slots(index);
	JR_TRY_ARRAY(index->begin, &hlo->arena, index->last + 2, err);
	sort_entries(index);
	return JR_OK;
}

enum jr_status jr_hlo_index_build(struct jr_hlo *hlo, struct jr_error *err)
{
	struct id_index *instructions = &hlo->index->instructions,
					*computations = &hlo->index->computations;
	JR_TRY(index_names(hlo, err));
	instructions->n = hlo->n_instructions;
	computations->n = hlo->n_computations;
	JR_TRY_ARRAY(instructions->entries, &hlo->arena, instructions->n, err);
	JR_TRY_ARRAY(computations->entries, &hlo->arena, computations->n, err);
	for (uint32_t row = 0; row < hlo->n_instructions; row++)
		instructions->entries[row] = (struct id_entry){hlo->instructions[row].id, row};
	for (uint32_t row = 0; row < hlo->n_computations; row++)
		computations->entries[row] = (struct id_entry){hlo->computations[row].id, row};
	JR_TRY(index_ids(hlo, instructions, err));
	return index_ids(hlo, computations, err);
}

/* Return the first entry with that id at or after `row`, or JR_NONE. */
static uint32_t find_from(const struct id_index *index, int64_t id, uint32_t row)
{
	const struct id_entry *entries = index->entries;
	struct id_entry key = {id, row};
	if (!index->n || id < index->first)
		return JR_NONE;
	uint64_t slot = slot_of(index, id);
	if (slot > index->last)
		return JR_NONE;
	size_t low = index->begin[slot], high = index->begin[slot + 1];
	JR_SEARCH(low, high, middle, compare_entries(&entries[middle], &key) < 0);
	return low < index->n && entries[low].id == id ? entries[low].row : JR_NONE;
}

uint32_t jr_hlo_find(const struct jr_hlo *hlo, const char *name)
{
	uint32_t id = jr_intern_find(&hlo->index->strings, name, strlen(name));
	return id < hlo->index->n_strings ? hlo->index->row_of_string[id] : JR_NONE;
}

uint32_t jr_hlo_by_id(const struct jr_hlo *hlo, int64_t id)
{
	return find_from(&hlo->index->instructions, id, 0);
}

uint32_t jr_hlo_by_id_in(const struct jr_hlo *hlo, uint32_t computation, int64_t id)
{
	if (computation < hlo->n_computations) {
		const struct jr_hlo_computation *c = &hlo->computations[computation];
		uint32_t row = find_from(&hlo->index->instructions, id, c->first);
		if (row != JR_NONE && row - c->first < c->n)
			return row;
	}
	return jr_hlo_by_id(hlo, id);
}

uint32_t jr_hlo_computation_by_id(const struct jr_hlo *hlo, int64_t id)
{
	return find_from(&hlo->index->computations, id, 0);
}

uint32_t jr_hlo_operand(const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint32_t k)
{
	return k < inst->n_operands ? jr_hlo_by_id_in(hlo, inst->computation, inst->operand_ids[k])
								: JR_NONE;
}

const struct jr_hlo_shape *jr_hlo_operand_shape(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint32_t k)
{
	uint32_t row = jr_hlo_operand(hlo, inst, k);
	return row == JR_NONE ? NULL : hlo->instructions[row].shape;
}

uint32_t jr_hlo_called(const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint32_t k)
{
	return k < inst->n_called ? jr_hlo_computation_by_id(hlo, inst->called_ids[k]) : JR_NONE;
}

uint32_t jr_hlo_defined_by(const struct jr_hlo *hlo, const struct jr_hlo_buffer *buffer)
{
	return *buffer->defined_name ? jr_hlo_find(hlo, buffer->defined_name)
								 : jr_hlo_by_id(hlo, buffer->instruction_id);
}

uint32_t jr_hlo_entry(const struct jr_hlo *hlo)
{
	return hlo->entry_id == -1 ? JR_NONE : jr_hlo_computation_by_id(hlo, hlo->entry_id);
}

uint32_t jr_hlo_root(const struct jr_hlo *hlo, uint32_t computation)
{
	return computation == JR_NONE
			   ? JR_NONE
			   : jr_hlo_by_id_in(hlo, computation, hlo->computations[computation].root_id);
}

enum jr_hlo_opcode jr_hlo_opcode_of(const char *name)
{
#define NAME(constant, text) text,
	static const char *const names[] = {JR_HLO_OPCODES(NAME)};
#undef NAME
	size_t low = 0, high = sizeof(names) / sizeof(names[0]);
	JR_SEARCH(low, high, middle, strcmp(names[middle], name) < 0);
	bool found = low < sizeof(names) / sizeof(names[0]) && strcmp(names[low], name) == 0;
	return found ? (enum jr_hlo_opcode)(low + 1) : JR_OP_OTHER;
}
