#include "analysis/shared/input_shapes.h"

#include <string.h>

#include "analysis/core/result.h"

#define MOST_PARAMETERS 64
#define MOST_COMPARED 64 /* programs */
#define MOST_INPUTS 3    /* shown */

/* The parameters of a program by number; NULL: it has none of that number. */
struct parameters {
	const struct jr_hlo_shape *shapes[MOST_PARAMETERS];
};

static void read_parameters(const struct jr_hlo *hlo, struct parameters *out)
{
	for (uint32_t k = 0; hlo && k < hlo->n_computations; k++) {
		const struct jr_hlo_computation *c = &hlo->computations[k];
		if (c->id != hlo->entry_id)
			continue;
		for (uint32_t i = c->first; i < c->first + c->n; i++) {
			const struct jr_hlo_instruction *in = &hlo->instructions[i];
			if (in->op == JR_OP_PARAMETER && (uint64_t)in->number < MOST_PARAMETERS &&
				!out->shapes[in->number])
				out->shapes[in->number] = in->shape;
		}
		return;
	}
}

/* Whether two arrays differ in nothing but their first dimension. */
static bool differ_in_first(const struct jr_hlo_shape *a, const struct jr_hlo_shape *b)
{
	return a->element_type == b->element_type && a->n_dimensions == b->n_dimensions &&
		   a->n_dimensions > 0 && !a->n_tuple && !b->n_tuple && !a->unbounded && !b->unbounded &&
		   memcmp(a->dimensions + 1, b->dimensions + 1,
			   (a->n_dimensions - 1) * sizeof(*a->dimensions)) == 0;
}

struct comparing {
	const struct parameters *all; /* [n] */
	size_t n;
	struct jr_input_shapes *out;
	struct jr_arena *arena, *scratch;
	size_t n_shown;
	bool no_batch;
};

/* The shapes of one parameter; NULL where a program lacks it. Returns true if they differ. */
static bool texts_of(struct comparing *c, size_t number, const char **texts)
{
	const char *first = NULL;
	bool differ = false;
	for (size_t k = 0; k < c->n; k++) {
		const struct jr_hlo_shape *shape = c->all[k].shapes[number];
		texts[k] = shape ? jr_hlo_shape_text(shape, c->scratch) : NULL;
		first = first ? first : texts[k];
		differ |= first && texts[k] && strcmp(first, texts[k]) != 0;
	}
	return differ;
}

static void take_batch(struct comparing *c, size_t number)
{
	const struct jr_hlo_shape *first = NULL;
	for (size_t k = 0; k < c->n; k++) {
		const struct jr_hlo_shape *shape = c->all[k].shapes[number];
		first = first ? first : shape;
		if (!shape)
			continue;
		if (!differ_in_first(first, shape) ||
			(c->out[k].batch != JR_NULL_I64 && c->out[k].batch != shape->dimensions[0])) {
			c->no_batch = true;
			return;
		}
		c->out[k].batch = shape->dimensions[0];
	}
}

static void compare_parameter(struct comparing *c, size_t number)
{
	const char **texts = JR_ARENA_N(c->scratch, const char *, c->n + 1);
	if (!texts_of(c, number, texts))
		return;
	take_batch(c, number);
	for (size_t k = 0; k < c->n && c->n_shown < MOST_INPUTS; k++) {
		const char *before = c->out[k].text;
		if (texts[k])
			c->out[k].text = jr_arena_printf(
				c->arena, "%s%s%s", before ? before : "", before ? ", " : "", texts[k]);
	}
	c->n_shown++;
}

struct jr_input_shapes *jr_input_shapes_find(
	const struct jr_profile *p, const uint32_t *programs, size_t n, struct jr_arena *arena)
{
	struct jr_input_shapes *out = JR_ARENA_N(arena, struct jr_input_shapes, n + 1);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	for (size_t k = 0; k < n; k++)
		out[k].batch = JR_NULL_I64;
	size_t n_compared = n < MOST_COMPARED ? n : MOST_COMPARED;
	struct parameters *all = JR_ARENA_N(&scratch, struct parameters, n_compared + 1);
	for (size_t k = 0; k < n_compared; k++)
		read_parameters(p->programs[programs[k]].hlo, &all[k]);
	struct comparing c = {
		.all = all, .n = n_compared, .out = out, .arena = arena, .scratch = &scratch};
	for (size_t number = 0; number < MOST_PARAMETERS; number++)
		compare_parameter(&c, number);
	for (size_t k = 0; k < n && c.no_batch; k++)
		out[k].batch = JR_NULL_I64;
	return out;
}

/* --- tokens ----------------------------------------------------------------------------------- */

static bool could_be_tokens(const struct jr_hlo_shape *s)
{
	unsigned type = s->element_type;
	bool whole =
		type == JR_HLO_S32 || type == JR_HLO_S64 || type == JR_HLO_U32 || type == JR_HLO_U64;
	return whole && !s->n_tuple && !s->unbounded && s->n_dimensions == 2 && s->dimensions[0] > 0 &&
		   s->dimensions[1] > 1;
}

static bool same_size(const struct jr_hlo_shape *a, const struct jr_hlo_shape *b)
{
	return a->dimensions[0] == b->dimensions[0] && a->dimensions[1] == b->dimensions[1];
}

static double n_tokens(const struct jr_hlo_shape *s)
{
	return (double)s->dimensions[0] * (double)s->dimensions[1];
}

struct jr_token_shape jr_token_shape_find(const struct jr_hlo *hlo)
{
	struct parameters all = {0};
	struct jr_token_shape best = {0};
	read_parameters(hlo, &all);
	for (size_t i = 0; i < MOST_PARAMETERS; i++) {
		const struct jr_hlo_shape *shape = all.shapes[i];
		size_t n = 0;
		if (!shape || !could_be_tokens(shape))
			continue;
		for (size_t k = 0; k < MOST_PARAMETERS; k++)
			n += all.shapes[k] && could_be_tokens(all.shapes[k]) && same_size(shape, all.shapes[k]);
		bool larger = best.shape && n_tokens(shape) > n_tokens(best.shape);
		if (n > best.n || (n == best.n && larger))
			best = (struct jr_token_shape){shape, n};
	}
	return best;
}
