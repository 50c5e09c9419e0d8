#include "formats/parquet/parquet_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

#define MAX_COLUMNS 65536
#define MAX_DEPTH 255 /* levels are kept in bytes */
/* Paths repeat the names of groups, so a small footer could need much memory. */
#define MAX_PATH_BYTES ((uint64_t)16 << 20)

/* A node on the path from the root to the current one. */
struct node {
	const struct node *parent; /* NULL: child of the root */
	const struct jr_pq_element *element;
	uint64_t path_hash;
	unsigned depth; /* 1: top level */
	unsigned def, rep;
};

struct walk {
	const struct jr_pq_footer *footer;
	struct jr_arena *arena;
	struct jr_parquet *pq;
	struct jr_pq_leaf *leaves;
	uint64_t max_depth, path_bytes;
	uint32_t next; /* row of the next element */
	struct jr_error *err;
};

/* Return whether e is the repeated middle of a three-level list. For old writers (LogicalTypes.md)
 * a group called "array" or "..._tuple" is the element itself: a list of structures. */
static bool is_list_middle(const struct jr_pq_element *e)
{
	return e->type < 0 && e->repetition == JR_PQ_REPEATED && e->n_children == 1 && !e->is_list &&
		   strcmp(e->name, "array") != 0 && !jr_text_ends(e->name, "_tuple");
}

static bool is_list_top(const struct jr_pq_element *e)
{
	return e->type < 0 && e->is_list && e->repetition != JR_PQ_REPEATED && e->n_children == 1;
}

/* Return whether the leaf is one level of list of a primitive: `repeated x` alone, LIST { repeated
 * x }, or LIST { repeated group { x } }. */
static bool is_list(const struct node *leaf)
{
	bool repeated = leaf->element->repetition == JR_PQ_REPEATED;
	if (leaf->depth == 1)
		return repeated;
	if (leaf->depth == 2)
		return repeated && is_list_top(leaf->parent->element);
	return leaf->depth == 3 && !repeated && is_list_middle(leaf->parent->element) &&
		   is_list_top(leaf->parent->parent->element);
}

/* Join the names from the top level down to the leaf with dots. */
static const char *make_path(struct walk *w, const struct node *leaf)
{
	uint64_t size = 0;
	for (const struct node *n = leaf; n; n = n->parent)
		size += strlen(n->element->name) + 1;
	w->path_bytes += size;
	if (w->path_bytes > MAX_PATH_BYTES) {
		(void)jr_fail(
			w->err, JR_ELIMIT, "column paths of more than %" PRIu64 " bytes", MAX_PATH_BYTES);
		return NULL;
	}
	char *path = jr_arena_array(w->arena, size, 1, w->err);
	if (!path)
		return NULL;
	size_t end = (size_t)size;
	path[--end] = '\0';
	for (const struct node *n = leaf; n; n = n->parent) {
		size_t len = strlen(n->element->name);
		memcpy(path + end - len, n->element->name, len);
		end -= len;
		if (n->parent)
			path[--end] = '.';
	}
	return path;
}

static enum jr_status add_column(struct walk *w, const struct node *leaf)
{
	if (w->pq->n_columns == MAX_COLUMNS)
		return jr_fail(w->err, JR_ELIMIT, "Parquet file of more than %d columns", MAX_COLUMNS);
	const struct node *top = leaf;
	while (top->parent)
		top = top->parent;
	const char *path = make_path(w, leaf);
	if (!path)
		return JR_ELIMIT;
	bool list = is_list(leaf);
	struct jr_parquet_column *column = &w->pq->columns[w->pq->n_columns];
	*column = (struct jr_parquet_column){
		.name = list || leaf->depth == 1 ? top->element->name : path,
		.path = path,
		.type = (enum jr_parquet_type)leaf->element->type,
		.type_length =
			leaf->element->type == JR_PQ_FIXED_LEN_BYTE_ARRAY ? leaf->element->type_length : 0,
		.is_list = list,
		.readable = (list || leaf->depth == 1) && leaf->element->type != JR_PQ_INT96,
		.max_def = (uint8_t)leaf->def,
		.max_rep = (uint8_t)leaf->rep,
	};
	w->leaves[w->pq->n_columns++] = (struct jr_pq_leaf){
		.path_hash = leaf->path_hash,
		.list_def = top->element->repetition == JR_PQ_OPTIONAL,
	};
	return JR_OK;
}

/* Walk the element at w->next and all elements below it. */
static enum jr_status walk_element(struct walk *w, const struct node *parent)
{
	if (w->next >= w->footer->n_elements)
		return jr_fail(w->err, JR_EFORMAT,
			"schema of %" PRIu32 " elements ends before a group's children", w->footer->n_elements);
	const struct jr_pq_element *e = &w->footer->elements[w->next++];
	struct node node = {
		.parent = parent,
		.element = e,
		.depth = parent ? parent->depth + 1 : 1,
		.path_hash =
			jr_pq_path_hash(parent ? parent->path_hash : 0, jr_bytes_of(e->name, strlen(e->name))),
		.def = (parent ? parent->def : 0) + (e->repetition != JR_PQ_REQUIRED),
		.rep = (parent ? parent->rep : 0) + (e->repetition == JR_PQ_REPEATED),
	};
	if (node.depth > w->max_depth)
		return jr_fail(
			w->err, JR_ELIMIT, "schema nested deeper than %" PRIu64 " levels", w->max_depth);
	if (e->type >= 0)
		return add_column(w, &node);
	for (uint32_t i = 0; i < e->n_children; i++)
		JR_TRY(walk_element(w, &node));
	return JR_OK;
}

enum jr_status jr_pq_schema_build(struct jr_parquet *pq, struct jr_parquet_impl *impl,
	struct jr_arena *arena, struct jr_error *err)
{
	const struct jr_pq_footer *footer = &impl->footer;
	struct walk w = {.footer = footer,
		.arena = arena,
		.pq = pq,
		.next = 1,
		.err = err,
		.max_depth = impl->limits.depth < MAX_DEPTH ? impl->limits.depth : MAX_DEPTH};
	uint32_t n_leaves = 0;
	for (uint32_t i = 1; i < footer->n_elements; i++)
		n_leaves += footer->elements[i].type >= 0;
	if (footer->elements[0].type >= 0)
		return jr_fail(err, JR_EFORMAT, "the schema's root is not a group");
	pq->n_columns = 0;
	JR_TRY_ARRAY(pq->columns, arena, n_leaves, err);
	JR_TRY_ARRAY(w.leaves, arena, n_leaves, err);
	for (uint32_t i = 0; i < footer->elements[0].n_children; i++)
		JR_TRY(walk_element(&w, NULL));
	if (w.next != footer->n_elements)
		return jr_fail(err, JR_EFORMAT,
			"schema of %" PRIu32 " elements, but the tree contains only %" PRIu32,
			footer->n_elements, w.next);
	impl->leaves = w.leaves;
	return JR_OK;
}
