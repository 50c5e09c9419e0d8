/*
 * Kernels of CUDA graphs that were built before the profile. All are annotated "command_buffer",
 * which is not an instruction of any program. Their instruction is found by kernel name.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/vec.h"
#include "formats/hlo/hlo.h"
#include "model/xprofile/xprofile.h"

/* A kernel as a node of its graph. */
struct node {
	int64_t program, graph_start_ns; /* first start of a kernel of the graph on the device */
	uint32_t device, graph, name;    /* name: str of the file */
	uint32_t index;                  /* 1 + index in the graph */
	uint32_t row;
};

/* Instructions of one program that may launch kernels, in schedule order; texts are ids of `names`.
 * Chains of equal text have the same order. full: kernel name; base: kernel name without its
 * number. */
struct candidates {
	struct jr_intern names;
	JR_VEC(const char *) op;              /* [n] instruction names */
	uint32_t *full;                       /* [n] */
	uint32_t *next_base;                  /* [n] JR_NONE: the last one */
	struct jr_map first_full, first_base; /* text -> first row */
	struct jr_map n_full;
};

/* Kernel names of a program. */
struct kernels {
	struct jr_map seen;        /* text -> 1 */
	struct jr_map first, n_of; /* text -> slice of `of` */
	JR_VEC(uint32_t) of;       /* rows of candidates */
};

struct naming {
	struct jr_xprofile *p;
	const struct jr_limits *limits;
	struct jr_arena arena;
	JR_VEC(struct node) nodes; /* by program, device, name, start of the graph, index */
	JR_VEC(struct jr_xspace_label) labels;
	struct jr_map label_of; /* (label, str of the instruction) -> row of labels */
};

/* --- which kernels ---------------------------------------------------------------------------- */

JR_ORDER(compare_nodes, struct node,
	JR_UP(program) JR_UP(device) JR_UP(name) JR_UP(graph_start_ns) JR_UP(graph) JR_UP(index)
		JR_UP(row))

/* Graph numbers have no order, so graphs are ordered by their first start. */
static void order_graphs(struct naming *g)
{
	const struct jr_timeline_gpu *gpu = &g->p->export.rows.gpu;
	struct jr_map first = {0}; /* (device, graph) -> node that began first */
	for (uint32_t i = 0; i < g->nodes.n; i++) {
		const struct node *node = &g->nodes.items[i];
		uint64_t key = jr_key2(node->device, node->graph);
		uint32_t known = jr_map_get(&first, key);
		if (known == JR_NONE || gpu->start_ns[node->row] < gpu->start_ns[g->nodes.items[known].row])
			jr_map_put(&first, key, i);
	}
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct node *node = &g->nodes.items[i];
		uint32_t begun = jr_map_get(&first, jr_key2(node->device, node->graph));
		node->graph_start_ns = gpu->start_ns[g->nodes.items[begun].row];
	}
	jr_map_done(&first);
	jr_sort(g->nodes.items, g->nodes.n, sizeof(*g->nodes.items), compare_nodes);
}

static void collect_nodes(struct naming *g)
{
	static const char buffer[] = "command_buffer";
	const struct jr_xspace *x = &g->p->file;
	const struct jr_timeline *rows = &g->p->export.rows;
	bool *hidden = JR_ARENA_N(&g->arena, bool, x->n_labels + 1);
	bool any = false;
	for (size_t i = 1; i < x->n_labels; i++) {
		const char *op = jr_intern_str(&rows->strings, x->labels[i].op);
		any |= hidden[i] = x->labels[i].op && strncmp(op, buffer, sizeof(buffer) - 1) == 0;
	}
	for (uint32_t i = 0; any && i < rows->gpu.n; i++)
		if (hidden[x->label[i]] && x->graph_node[i] && rows->gpu.kind[i] == JR_TIMELINE_KERNEL)
			*jr_vec_add(&g->nodes) = (struct node){.program = x->labels[x->label[i]].program,
				.device = rows->gpu.device[i],
				.graph = x->graph[i],
				.name = rows->gpu.name[i],
				.index = x->graph_node[i],
				.row = i};
	if (g->nodes.n)
		order_graphs(g);
}

/* --- instructions of programs ----------------------------------------------------------------- */

/* Return the name that XLA gives a kernel after its instruction. A kernel shared by instructions of
 * equal code has no number. */
static uint32_t kernel_name(
	struct jr_intern *names, struct jr_buf *scratch, const char *op, bool base)
{
	size_t n = strlen(op);
	if (base) {
		size_t digits = n;
		while (digits && jr_is_digit(op[digits - 1]))
			digits--;
		if (digits > 1 && digits < n && op[digits - 1] == '.')
			n = digits - 1;
	}
	scratch->size = 0;
	for (size_t i = 0; i < n; i++)
		jr_buf_putc(scratch, op[i] == '.' || op[i] == '-' ? '_' : op[i]);
	return jr_intern_put(names, scratch->data ? scratch->data : "", scratch->size);
}

/* Whether instructions of called computations run as separate thunks. In fusions and reductions
 * they do not. */
static bool runs_called(uint8_t op)
{
	static const uint8_t control[] = {
		JR_OP_WHILE, JR_OP_CONDITIONAL, JR_OP_CALL, JR_OP_ASYNC_START};
	return JR_OP_IN(op, control);
}

static void list_instructions(struct naming *g, const struct jr_hlo *hlo, struct candidates *c)
{
	uint32_t *queue = JR_ARENA_N(&g->arena, uint32_t, hlo->n_computations + 1);
	bool *seen = JR_ARENA_N(&g->arena, bool, hlo->n_computations + 1);
	uint32_t entry = jr_hlo_computation_by_id(hlo, hlo->entry_id);
	size_t n = 0;
	if (entry != JR_NONE) {
		seen[entry] = true;
		queue[n++] = entry;
	}
	for (size_t k = 0; k < n; k++) {
		const struct jr_hlo_computation *in = &hlo->computations[queue[k]];
		uint32_t *order = JR_ARENA_N(&g->arena, uint32_t, in->n + 1);
		jr_hlo_launch_order(hlo, queue[k], order);
		for (uint32_t i = 0; i < in->n; i++) {
			const struct jr_hlo_instruction *op = &hlo->instructions[order[i]];
			*jr_vec_add(&c->op) = op->name;
			for (uint32_t j = 0; runs_called(op->op) && j < op->n_called; j++) {
				uint32_t called = jr_hlo_computation_by_id(hlo, op->called_ids[j]);
				if (called == JR_NONE || seen[called])
					continue;
				seen[called] = true;
				queue[n++] = called;
			}
		}
	}
}

static void find_candidates(struct naming *g, const struct jr_hlo *hlo, struct candidates *c)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf scratch = {0};
	list_instructions(g, hlo, c);
	c->full = JR_ARENA_N(&g->arena, uint32_t, c->op.n + 1);
	c->next_base = JR_ARENA_N(&g->arena, uint32_t, c->op.n + 1);
	for (size_t k = c->op.n; k-- > 0;) { /* backwards, so that chains begin with the first */
		uint32_t i = (uint32_t)k;
		c->full[i] = kernel_name(&c->names, &scratch, c->op.items[k], false);
		uint32_t n = jr_map_get(&c->n_full, c->full[i]);
		jr_map_put(&c->n_full, c->full[i], n == JR_NONE ? 1 : n + 1);
		jr_map_put(&c->first_full, c->full[i], i);
		uint32_t base = kernel_name(&c->names, &scratch, c->op.items[k], true);
		c->next_base[i] = jr_map_get(&c->first_base, base);
		jr_map_put(&c->first_base, base, i);
	}
}

static void candidates_done(struct candidates *c)
{
	jr_intern_done(&c->names);
	jr_vec_done(&c->op);
	jr_map_done(&c->first_full);
	jr_map_done(&c->first_base);
	jr_map_done(&c->n_full);
}

/* --- assigning instructions ------------------------------------------------------------------- */

static uint32_t label_of(struct naming *g, uint32_t label, const char *op)
{
	uint32_t text = jr_intern_puts(&g->p->export.rows.strings, op);
	uint64_t key = jr_key2(label, text);
	uint32_t row = jr_map_get(&g->label_of, key);
	if (row == JR_NONE) {
		row = (uint32_t)g->labels.n;
		struct jr_xspace_label named = g->labels.items[label];
		named.op = text;
		*jr_vec_add(&g->labels) = named;
		jr_map_put(&g->label_of, key, row);
	}
	return row;
}

static bool same_node(const struct node *a, const struct node *b)
{
	return a->graph == b->graph && a->index == b->index;
}

/* List the instructions that a kernel may run, in order. These are the instruction with its name,
 * and instructions that differ only in their number and have no kernel themselves, because equal
 * code is shared. None if two instructions have its name. Each kernel is listed once, so the total
 * is O(candidates). */
static void list_kernel(const struct candidates *c, struct kernels *kernels, uint32_t text)
{
	uint32_t own = jr_map_get(&c->first_full, text), first = jr_map_get(&c->first_base, text);
	size_t from = kernels->of.n;
	bool met = own == JR_NONE;
	for (uint32_t at = first; at != JR_NONE; at = c->next_base[at]) {
		if (at != own && jr_map_get(&kernels->seen, c->full[at]) != JR_NONE)
			continue;
		met |= at == own;
		*jr_vec_add(&kernels->of) = at;
	}
	if (first == JR_NONE && own != JR_NONE) { /* its name includes a number */
		*jr_vec_add(&kernels->of) = own;
		met = true;
	}
	if (!met || (own != JR_NONE && jr_map_get(&c->n_full, text) > 1))
		kernels->of.n = from;
	jr_map_put(&kernels->first, text, (uint32_t)from);
	jr_map_put(&kernels->n_of, text, (uint32_t)(kernels->of.n - from));
}

static size_t count_nodes(const struct node *nodes, size_t n)
{
	size_t n_nodes = 1;
	for (size_t i = 1; i < n; i++)
		n_nodes += !same_node(&nodes[i], &nodes[i - 1]);
	return n_nodes;
}

/* Assign nodes of one kernel on a device, in one graph or in all. If there are as many instructions
 * as nodes, the k-th node runs the k-th instruction. False: not determined. */
static bool name_nodes(struct naming *g, const struct candidates *c, struct kernels *kernels,
	uint32_t text, const struct node *nodes, size_t n)
{
	uint32_t *labels = g->p->file.label;
	if (jr_map_get(&kernels->n_of, text) == JR_NONE)
		list_kernel(c, kernels, text);
	if (!kernels->of.items || count_nodes(nodes, n) != jr_map_get(&kernels->n_of, text))
		return false;
	size_t at = jr_map_get(&kernels->first, text);
	for (size_t i = 0; i < n; i++) {
		at += i && !same_node(&nodes[i], &nodes[i - 1]);
		labels[nodes[i].row] =
			label_of(g, labels[nodes[i].row], c->op.items[kernels->of.items[at]]);
	}
	g->p->n_named += n;
	return true;
}

/* Try all graphs of a program together, because they share its instructions. Otherwise try each
 * graph, because a rebuilt graph has a new number. */
static void name_kernel(struct naming *g, const struct candidates *c, struct kernels *kernels,
	const struct node *nodes, size_t n)
{
	const struct jr_intern *strings = &g->p->export.rows.strings;
	uint32_t text = jr_intern_find(
		&c->names, jr_intern_str(strings, nodes->name), jr_intern_len(strings, nodes->name));
	if (text == JR_NONE)
		g->p->n_unnamed += n;
	if (text == JR_NONE || name_nodes(g, c, kernels, text, nodes, n))
		return;
	for (size_t first = 0, end = 0; first < n; first = end) {
		while (end < n && nodes[end].graph == nodes[first].graph)
			end++;
		if (!name_nodes(g, c, kernels, text, nodes + first, end - first))
			g->p->n_unnamed += end - first;
	}
}

/* Collect the kernel names of a program. */
static void see_kernels(struct naming *g, const struct candidates *c, const struct node *nodes,
	size_t n, struct kernels *kernels)
{
	const struct jr_intern *strings = &g->p->export.rows.strings;
	for (size_t i = 0; i < n; i++) {
		if (i && nodes[i].name == nodes[i - 1].name)
			continue;
		uint32_t text = jr_intern_find(&c->names, jr_intern_str(strings, nodes[i].name),
			jr_intern_len(strings, nodes[i].name));
		if (text != JR_NONE)
			jr_map_put(&kernels->seen, text, 1);
	}
}

static struct jr_bytes proto_of(const struct jr_xspace *x, int64_t program)
{
	for (size_t i = 0; i < x->n_programs; i++)
		if (x->programs[i].id == program)
			return x->programs[i].proto;
	return (struct jr_bytes){0};
}

/* Without HLO, or if it is damaged (reported elsewhere), a program's kernels are not changed. */
static void name_program(struct naming *g, const struct node *nodes, size_t n)
{
	struct jr_bytes proto = proto_of(&g->p->file, nodes->program);
	struct jr_error ignored = {0};
	struct jr_hlo hlo;
	if (!proto.size || jr_hlo_decode(proto, g->limits, &hlo, &ignored) != JR_OK) {
		g->p->n_unnamed += n;
		return;
	}
	struct candidates c = {0};
	jr_intern_init(&c.names);
	find_candidates(g, &hlo, &c);
	struct kernels kernels = {0};
	see_kernels(g, &c, nodes, n, &kernels);
	for (size_t first = 0, end = 0; first < n; first = end) {
		for (end = first; end < n && nodes[end].device == nodes[first].device &&
						  nodes[end].name == nodes[first].name;)
			end++;
		name_kernel(g, &c, &kernels, nodes + first, end - first);
	}
	jr_map_done(&kernels.seen);
	jr_map_done(&kernels.first);
	jr_map_done(&kernels.n_of);
	jr_vec_done(&kernels.of);
	candidates_done(&c);
	jr_hlo_done(&hlo);
}

static enum jr_status name_all(struct naming *g, struct jr_error *err)
{
	struct jr_xspace *x = &g->p->file;
	for (size_t i = 0; i < x->n_labels; i++)
		*jr_vec_add(&g->labels) = x->labels[i];
	for (size_t first = 0, end = 0; first < g->nodes.n; first = end) {
		for (end = first;
			 end < g->nodes.n && g->nodes.items[end].program == g->nodes.items[first].program;)
			end++;
		name_program(g, g->nodes.items + first, end - first);
	}
	if (g->labels.n == x->n_labels)
		return JR_OK;
	struct jr_xspace_label *labels;
	JR_TRY_ARRAY(labels, &g->p->export.rows.arena, g->labels.n, err);
	memcpy(labels, g->labels.items, g->labels.n * sizeof(*labels));
	x->labels = labels;
	x->n_labels = g->labels.n;
	return JR_OK;
}

enum jr_status jr_xprofile_name_nodes(
	struct jr_xprofile *p, const struct jr_limits *limits, struct jr_error *err)
{
	struct naming g = {.p = p, .limits = limits};
	jr_arena_init(&g.arena, 0);
	collect_nodes(&g);
	enum jr_status status = g.nodes.n ? name_all(&g, err) : JR_OK;
	jr_vec_done(&g.nodes);
	jr_vec_done(&g.labels);
	jr_map_done(&g.label_of);
	jr_arena_done(&g.arena);
	return status;
}
