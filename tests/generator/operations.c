/* Names of kernels and nodes of graphs, shared by the writers of timelines. */
#include <string.h>

#include "base/cleanup.h"
#include "writers.h"

const char *gen_kernel_name(struct gen_scenario *sc, const struct gen_op *op)
{
	static const char *const nccl[][2] = {{"all-gather", "AllGather_RING_LL"},
		{"all-reduce", "AllReduce_Sum_f32_RING_LL"},
		{"reduce-scatter", "ReduceScatter_Sum_f32_RING_LL"}};
	if (op && op->communication) {
		for (size_t i = 0; i < JR_COUNT_OF(nccl); i++)
			if (op->collective && strcmp(op->collective, nccl[i][0]) == 0)
				return gen_text(sc, "ncclDevKernel_%s", nccl[i][1]);
		return "ncclDevKernel_SendRecv";
	}
	char *name = jr_arena_strdup(&sc->arena, op ? op->name : "edge_kernel");
	for (char *s = name; *s; s++)
		*s = *s == '.' || *s == '-' ? '_' : *s;
	return name;
}

bool gen_graph_node(struct gen_scenario *sc, const char *name, int64_t start_ns, int64_t end_ns,
	unsigned i, struct gen_graph_node *out)
{
	enum { N_NODES = 3, GAP_NS = 60 };
	int64_t length = (end_ns - start_ns) / N_NODES;
	unsigned n = length <= GAP_NS ? 1 : N_NODES;
	if (i >= n)
		return false;
	*out = (struct gen_graph_node){
		i ? gen_text(sc, "%s_%u", name, i) : name, start_ns + i * length, end_ns};
	if (i + 1 < n)
		out->end_ns = out->start_ns + length - GAP_NS;
	return true;
}
