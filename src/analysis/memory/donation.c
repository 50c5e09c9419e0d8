/* Match parameters and outputs of equal type and size; README.md, section 14.8. */
#include "analysis/memory/donation.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

#define MOST_ARRAYS (1u << 20)

/* An array of a parameter or of the result. */
struct leaf {
	const struct jr_hlo_shape *shape;
	bool output, taken; /* taken: an alias refers to it */
};

struct leaves {
	struct leaf *items;
	size_t n;
	bool over;
};

static void add_leaf(struct leaves *to, const struct jr_hlo_shape *shape, bool output, bool taken)
{
	if (to->n == MOST_ARRAYS)
		to->over = true;
	else if (!shape->host_memory && !shape->unbounded && jr_hlo_shape_bytes(shape))
		to->items[to->n++] = (struct leaf){shape, output, taken};
}

/* Key of a place that an alias refers to: in a parameter, or in the result (number 0). Place 0 is
 * the whole value; the elements of its tuple follow. */
static uint64_t place_of(uint64_t number, uint32_t k)
{
	return number << 32 | k;
}

static void add_place(struct jr_map *to, int64_t number, const int64_t *index, uint32_t n)
{
	bool known = number >= 0 && number < JR_NONE && n <= 1 &&
				 (n == 0 || (index[0] >= 0 && index[0] < JR_NONE - 1));
	if (known)
		jr_map_put(to, place_of((uint64_t)number, n ? 1 + (uint32_t)index[0] : 0), 1);
}

static bool is_taken(const struct jr_map *places, uint32_t number, uint32_t k)
{
	return jr_map_get(places, place_of(number, 0)) != JR_NONE ||
		   jr_map_get(places, place_of(number, k + 1)) != JR_NONE;
}

static void add_leaves(struct leaves *to, const struct jr_hlo_shape *shape, bool output,
	const struct jr_map *places, uint32_t number)
{
	if (!shape->n_tuple)
		add_leaf(to, shape, output, is_taken(places, number, 0));
	for (uint32_t k = 0; k < shape->n_tuple && !to->over; k++)
		add_leaf(to, &shape->tuple[k], output, is_taken(places, number, k));
}

static void add_all(const struct jr_hlo *hlo, uint32_t entry, uint32_t root, struct leaves *to)
{
	const struct jr_hlo_computation *c = &hlo->computations[entry];
	struct jr_map parameters = {0}, outputs = {0};
	for (uint32_t i = 0; i < hlo->n_aliases; i++) {
		const struct jr_hlo_alias *a = &hlo->aliases[i];
		add_place(&parameters, a->parameter_number, a->parameter_index, a->n_parameter_index);
		add_place(&outputs, 0, a->output_index, a->n_output_index);
	}
	for (uint32_t i = c->first; i < c->first + c->n; i++)
		if (hlo->instructions[i].op == JR_OP_PARAMETER)
			add_leaves(
				to, hlo->instructions[i].shape, false, &parameters, hlo->instructions[i].number);
	add_leaves(to, hlo->instructions[root].shape, true, &outputs, 0);
	jr_map_done(&parameters);
	jr_map_done(&outputs);
}

static int compare_shapes(const struct jr_hlo_shape *a, const struct jr_hlo_shape *b)
{
	if (a->element_type != b->element_type)
		return a->element_type < b->element_type ? -1 : 1;
	if (a->n_dimensions != b->n_dimensions)
		return a->n_dimensions < b->n_dimensions ? -1 : 1;
	for (uint32_t i = 0; i < a->n_dimensions; i++)
		if (a->dimensions[i] != b->dimensions[i])
			return a->dimensions[i] < b->dimensions[i] ? -1 : 1;
	return (a->n_tuple > b->n_tuple) - (a->n_tuple < b->n_tuple);
}

static int compare_leaves(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;
	return compare_shapes(x->shape, y->shape);
}

struct jr_donation jr_donation_of(const struct jr_hlo *hlo, struct jr_arena *arena)
{
	struct jr_donation d = {0};
	uint32_t entry = jr_hlo_entry(hlo), root = jr_hlo_root(hlo, entry);
	if (!hlo->states_aliases || root == JR_NONE)
		return d;
	size_t room = hlo->instructions[root].shape->n_tuple + (size_t)1;
	for (uint32_t i = 0; i < hlo->computations[entry].n && room < MOST_ARRAYS; i++)
		room += hlo->instructions[hlo->computations[entry].first + i].shape->n_tuple + (size_t)1;
	room = room < MOST_ARRAYS ? room : MOST_ARRAYS;
	struct leaves all = {.items = JR_ARENA_N(arena, struct leaf, room)};
	add_all(hlo, entry, root, &all);
	d.known = !all.over;
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), compare_leaves);
	for (size_t i = 0; d.known && i < all.n;) {
		size_t end = i;
		uint32_t outputs = 0, parameters = 0;
		for (; end < all.n && compare_leaves(&all.items[i], &all.items[end]) == 0; end++) {
			outputs += all.items[end].output && !all.items[end].taken;
			parameters += !all.items[end].output && !all.items[end].taken;
		}
		uint32_t n = outputs < parameters ? outputs : parameters;
		d.n_could += n;
		d.could_bytes =
			jr_sat_add(d.could_bytes, jr_sat_mul(n, jr_hlo_shape_bytes(all.items[i].shape)));
		i = end;
	}
	return d;
}
