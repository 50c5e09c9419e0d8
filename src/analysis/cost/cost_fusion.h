/*
 * cost_fusion.h - what a fusion requests of each of its instructions.
 * Layer: analysis, private to cost*.c.  Definitions: README.md, section 13.6.
 *
 * jr_fusion_begin() orders the instructions. From the last to the first, jr_fusion_request() then
 * sums up what the later ones request of one, and jr_fusion_ask() passes it on to its operands.
 */
#ifndef JR_ANALYSIS_COST_FUSION_H
#define JR_ANALYSIS_COST_FUSION_H

#include "analysis/cost/cost_parts.h"
#include "base/vec.h"

/* Places of a fused computation that request elements of an instruction; ascending, each once. */
struct jr_sites {
	const uint32_t *items;
	uint32_t n;
	bool all; /* they request all elements */
};

struct jr_fusion_node {
	const struct jr_hlo_instruction *inst;
	const struct jr_cost_rule *rule;
	uint64_t elements, asked;
	uint32_t *operands; /* [inst->n_operands] nodes */
	uint32_t n_users;
	uint32_t seen; /* the node that this is a view of, through all views; usually itself */
	uint8_t state; /* state of the traversal: 0 unseen, 1 open, 2 done */
	bool in_place, no_work;
	struct jr_sites sites;
};

/* The elements that a fused computation requests from its parameters. */
struct jr_demand {
	bool unknown; /* cannot be determined */
	bool in_place, collective, no_network, moves_unknown;
	struct jr_work work;
	uint64_t network;
	uint64_t constants; /* bytes */
	uint32_t n_parameters;
	uint64_t *parameters; /* [n] elements */
	struct jr_moved written;
};

struct jr_fusion {
	struct jr_cost_program *p;
	const struct jr_hlo_instruction *inst; /* NULL: nested in a fusion, its buffers are internal */
	const struct jr_hlo_computation *computation;
	struct jr_fusion_node *nodes; /* [computation->n] */
	uint32_t *order;              /* nodes that the root needs, operands first */
	uint32_t n_order;
	JR_VEC(uint64_t) amounts; /* elements that a site requests */
	struct jr_demand *to;
};

/** Order the nodes, and request the result. Set f->to->unknown if that is not possible. */
void jr_fusion_begin(struct jr_fusion *f);
/** Set node->asked. Return false if there is nothing more to do: no element is requested, or it is
 * a parameter. */
bool jr_fusion_request(struct jr_fusion *f, struct jr_fusion_node *node);
/** Request the elements of operands that a node needs. `inner`: the demand of a nested fusion, NULL
 * if it is not known. */
void jr_fusion_ask(
	struct jr_fusion *f, const struct jr_fusion_node *node, const struct jr_demand *inner);

#endif
