#include "model/archive/trace_parts.h"

#include "base/cleanup.h"
#include "base/num.h"

static bool is_list(const struct jr_parquet_values *v)
{
	return v->list_begin && (v->int64 || v->int32);
}

static void read_stacks(struct jr_range_stacks *s)
{
	static const char *const names[] = {"RangeStack", "Range Stack"};
	s->tried = true;
	for (size_t i = 0; i < JR_COUNT_OF(names) && !s->there; i++) {
		size_t column = jr_parquet_find(s->pq, names[i]);
		struct jr_error ignored;
		s->there = column != SIZE_MAX &&
				   jr_parquet_read(s->pq, column, s->arena, &s->values, &ignored) == JR_OK &&
				   (is_list(&s->values) || (s->values.string && !s->values.list_begin));
	}
}

struct jr_stack_walk jr_range_stacks_walk(
	struct jr_range_stacks *s, uint64_t row, uint64_t max_depth)
{
	if (!s->tried)
		read_stacks(s);
	struct jr_stack_walk walk = {.stacks = s, .row = row, .depth = max_depth};
	const struct jr_parquet_values *v = &s->values;
	if (!s->there)
		return walk;
	if (is_list(v))
		walk.left = v->list_begin[row + 1] - v->list_begin[row];
	else if (v->string[row] < v->n_dictionary)
		walk.left = v->dictionary[v->string[row]].size;
	return walk;
}

/* Read ":12" at the end of the remaining text. */
static bool text_up(struct jr_stack_walk *walk, int64_t *id)
{
	const struct jr_parquet_values *v = &walk->stacks->values;
	const char *text = (const char *)v->dictionary[v->string[walk->row]].data;
	uint64_t begin = walk->left;
	while (begin && text[begin - 1] != ':' && walk->left - begin < JR_NUM_MAX)
		begin--;
	if (!begin || text[begin - 1] != ':' ||
		!jr_parse_i64(text + begin, (size_t)(walk->left - begin), id))
		return false;
	walk->left = begin - 1;
	return true;
}

bool jr_stack_walk_up(struct jr_stack_walk *walk, int64_t *id)
{
	if (!walk->left || !walk->depth)
		return false;
	walk->depth--;
	const struct jr_parquet_values *v = &walk->stacks->values;
	if (!is_list(v))
		return text_up(walk, id);
	uint64_t at = v->list_begin[walk->row] + --walk->left;
	*id = v->int64 ? v->int64[at] : v->int32[at];
	return !v->valid || v->valid[at];
}
