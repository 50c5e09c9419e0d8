/*
 * stacks.h - merge weighted stacks into a jr_tree.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_STACKS_H
#define JR_ANALYSIS_STACKS_H

#include "analysis/core/result.h"
#include "base/intern.h"
#include "base/vec.h"

struct jr_stack_node {
	uint32_t parent;
	uint32_t text; /* id of jr_stacks.texts */
	uint8_t kind;
	bool weighted; /* a stack ends here */
	double self_ns;
	double communication_ns; /* part of self_ns; kept by the caller */
	struct jr_roofed roofed; /* kept by the caller */
};

struct jr_stacks {
	JR_VEC(struct jr_stack_node) nodes;
	struct jr_intern texts;
	struct jr_map by_key; /* (parent, text) -> node */
};

void jr_stacks_init(struct jr_stacks *stacks);
void jr_stacks_done(struct jr_stacks *stacks);
/** Return the child of `parent` (JR_NONE = a root) with that text; create it if it is new. */
uint32_t jr_stacks_child(
	struct jr_stacks *stacks, uint32_t parent, const char *text, size_t n, enum jr_frame_kind kind);
/** Add the weight of a stack that ends at `node`; weights of equal stacks add up in order of
 * calls. */
void jr_stacks_add(struct jr_stacks *stacks, uint32_t node, double ns);
/** Build the tree, with texts and arrays in `arena`; siblings by text. The caller sets name, title
 * and caption. */
struct jr_tree *jr_stacks_tree(const struct jr_stacks *stacks, struct jr_arena *arena);

#endif
