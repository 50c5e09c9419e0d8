/* Operations of the devices, and their launches. */
#include <string.h>

#include "write_xspace.h"

static const struct gen_op *op_of(const struct gen_scenario *sc, const struct gen_range *range)
{
	return range->op == GEN_NO_INDEX || range->program == GEN_NO_INDEX
			   ? NULL
			   : &sc->programs.items[range->program]->ops.items[range->op];
}

/* Where an operation runs. */
struct place {
	struct gen_xplane *plane;
	uint32_t line;
	int64_t start_ns, end_ns;
};

static uint32_t stream_line(struct gen_xplane *plane, int64_t stream)
{
	for (uint32_t i = 0; i < plane->lines.n; i++)
		if (plane->lines.items[i].id == stream)
			return i;
	return gen_xplane_line(plane, stream,
		stream == GEN_STREAM_COMPUTE ? "Stream #7(Memset,Compute,MemcpyH2D)"
									 : "Stream #23(MemcpyD2H,Compute)");
}

static struct place place_of(struct gen_xspace *x, const struct gen_range *range, bool beside)
{
	const struct gen_device *device = &x->sc->devices.items[range->device];
	int64_t start_ns = range->gpu_start_ns + device->offset_ns;
	struct gen_xplane *plane = &x->gpus[device->local];
	return (struct place){plane,
		stream_line(plane, beside ? GEN_STREAM_COMMUNICATION : GEN_STREAM_COMPUTE), start_ns,
		start_ns + range->gpu_dur_ns};
}

/* The printed text; valid until the next call. */
static struct jr_bytes details(struct gen_xspace *x)
{
	return jr_buf_view(&x->details);
}

static struct jr_bytes text(const char *s)
{
	return jr_bytes_of(s, strlen(s));
}

/* CUPTI's record of the launch; false if the profiler's buffer was full. */
static bool begin_event(struct gen_xspace *x, const struct place *at, const char *name)
{
	if (x->n_device_events == x->most_device_events) {
		x->n_dropped++;
		return false;
	}
	x->n_device_events++;
	gen_xplane_event(at->plane, at->line, gen_bytes(x->sc, name), at->start_ns, at->end_ns);
	gen_xstat_u64(at->plane, GEN_XSTAT_EVENT, "correlation_id", (uint64_t)x->correlation);
	gen_xstat_ref(at->plane, GEN_XSTAT_EVENT, "context_id", text("$$1"));
	x->last_ns = at->end_ns > x->last_ns ? at->end_ns : x->last_ns;
	return true;
}

/* Make the printed text a statistic of the event, with ';' for ',', and empty it. */
static void put_detail(struct gen_xspace *x, struct gen_xplane *plane, const char *key)
{
	for (size_t i = 0; i < x->details.size; i++)
		if (x->details.data[i] == ',')
			x->details.data[i] = ';';
	if (x->details.size)
		gen_xstat_ref(plane, GEN_XSTAT_EVENT, key, details(x));
	x->details.size = 0;
}

/* What XLA adds to the annotation of an instruction of the entry computation or another. */
static void put_details(struct gen_xspace *x, struct gen_xplane *plane, uint32_t program,
	const struct gen_op *op)
{
	if (!x->module_of[program])
		x->module_of[program] =
			gen_hlo_module(x->sc, &x->modules, x->sc->programs.items[program], x->process);
	const Xla__HloModuleProto *m = x->module_of[program];
	const Xla__HloInstructionProto *in = NULL;
	for (size_t c = 0; c < m->n_computations && !in; c++)
		for (size_t i = 0; i < m->computations[c]->n_instructions && !in; i++)
			if (m->computations[c]->instructions[i]->id == op->instruction)
				in = m->computations[c]->instructions[i];
	if (!in)
		return;
	x->details.size = 0;
	jr_buf_puts(&x->details, op->op_name);
	put_detail(x, plane, "op_name");
	jr_buf_puts(&x->details, op->source_file);
	put_detail(x, plane, "source_file");
	if (*op->source_file)
		gen_xstat_i64(plane, GEN_XSTAT_EVENT, "source_line", op->source_line);
	/* XLA's all-reduce-start has the shape of its operand; the generator's modules have both */
	bool both = gen_hlo_is(in, "all-reduce-start");
	gen_hlo_put_shape(&x->details, both ? in->shape->tuple_shapes[0] : in->shape, false);
	put_detail(x, plane, "shape");
	if (strncmp(in->opcode, "collective-permute", 18) != 0)
		gen_hlo_put_groups(&x->details, in);
	put_detail(x, plane, "replica_groups");
}

/* XLA's annotations; `op`: the innermost; NULL = a graph. */
static void annotate(struct gen_xspace *x, uint32_t index, struct gen_xplane *plane, uint32_t scope,
	const struct gen_op *op)
{
	const struct gen_range *range = &x->sc->ranges.items[index];
	if (range->program == GEN_NO_INDEX)
		return;
	const struct gen_program *p = x->sc->programs.items[range->program];
	if (gen_xspace_has(x, GEN_XSPACE_SCOPES))
		gen_xstat_i64(plane, GEN_XSTAT_EVENT, "scope_range_id", scope);
	gen_xstat_ref(plane, GEN_XSTAT_EVENT, "tf_op", text("XlaModule:"));
	gen_xstat_ref(
		plane, GEN_XSTAT_EVENT, "hlo_op", gen_bytes(x->sc, op ? op->name : "command_buffer"));
	gen_xstat_ref(plane, GEN_XSTAT_EVENT, "hlo_module", gen_bytes(x->sc, p->name));
	gen_xstat_u64(
		plane, GEN_XSTAT_EVENT, "program_id", (uint64_t)gen_program_number(p, x->process));
	if (op && gen_xspace_has(x, GEN_XSPACE_DETAILED))
		put_details(x, plane, range->program, op);
}

/* The grid is that of write_sqlite.c. */
static void describe_kernel(struct gen_xspace *x, const struct place *at)
{
	x->details.size = 0;
	jr_buf_printf(&x->details,
		"regs:64 static_shared:0 dynamic_shared:16384 grid:%lld,1,1 block:128,1,1 occ_pct:50",
		(long long)(1 + (at->end_ns - at->start_ns) / 1000 % 1000));
	gen_xstat_ref(at->plane, GEN_XSTAT_EVENT, "kernel_details", details(x));
	gen_xstat_f64(at->plane, GEN_XSTAT_EVENT, "theoretical_occupancy_pct", 50);
	gen_xstat_u64(at->plane, GEN_XSTAT_EVENT, "occupancy_min_grid_size", 264);
	gen_xstat_u64(at->plane, GEN_XSTAT_EVENT, "occupancy_suggested_block_size", 1024);
}

static void launch(struct gen_xspace *x, const struct gen_range *range, const char *name)
{
	int64_t in_ns = range->host_dur_ns / 4;
	gen_xspace_host_event(x, range->tid, name, range->host_start_ns + in_ns,
		range->host_start_ns + range->host_dur_ns - in_ns);
	const struct gen_device *device = &x->sc->devices.items[range->device];
	gen_xstat_u64(&x->host, GEN_XSTAT_EVENT, "device_id", device->local);
	gen_xstat_u64(&x->host, GEN_XSTAT_EVENT, "correlation_id", (uint64_t)x->correlation);
	x->n_driver_events++;
}

static void put_node(struct gen_xplane *plane, uint64_t graph, uint64_t node)
{
	gen_xstat_u64(plane, GEN_XSTAT_EVENT, "cuda_graph_id", graph);
	gen_xstat_u64(plane, GEN_XSTAT_EVENT, "cuda_graph_node_id", graph << 32 | node);
}

/* The nodes of a graph share its launch. They start and end with it. */
static void write_nodes(struct gen_xspace *x, uint32_t index, const char *name,
	const struct gen_op *op, const struct place *at)
{
	uint64_t graph = 8 + (uint64_t)x->correlation;
	uint32_t scope = gen_xspace_scope(x, index);
	struct gen_graph_node part;
	for (unsigned i = 0; gen_graph_node(x->sc, name, at->start_ns, at->end_ns, i, &part); i++) {
		struct place node = *at;
		node.start_ns = part.start_ns;
		node.end_ns = part.end_ns;
		if (!begin_event(x, &node, gen_text(x->sc, "%s(float*)", part.name)))
			continue;
		describe_kernel(x, &node);
		put_node(at->plane, graph, i);
		annotate(x, index, at->plane, scope, op);
	}
}

/* A graph built before the session: its kernels are those of consecutive operations of a
 * computation, and all are named command_buffer. */
static void write_buffered(
	struct gen_xspace *x, uint32_t index, const char *name, const struct place *at)
{
	const struct gen_range *range = &x->sc->ranges.items[index];
	bool rebuilt = gen_xspace_has(x, GEN_XSPACE_REBUILT) && index > x->sc->ranges.n / 2;
	struct gen_xgraph *graph = &x->graphs[x->sc->devices.items[range->device].local];
	/* a loop's next trip launches it again */
	if (!graph->open || graph->parent != range->parent || range->op <= graph->op) {
		int64_t end_ns = range->host_start_ns + range->host_dur_ns;
		*graph = (struct gen_xgraph){.open = true,
			.parent = range->parent,
			.scope = gen_xspace_scope(x, index),
			.id = 8 + (uint64_t)range->program * 4096 + range->op +
				  ((uint64_t)rebuilt << 30),
			.correlation = x->correlation};
		if (gen_xspace_has(x, GEN_XSPACE_HOST))
			gen_xspace_host_event(x, range->tid, "command_buffer", range->host_start_ns, end_ns);
		launch(x, range,
			gen_text(x->sc, "cuGraphLaunch (CudaGraph:%llu)", (unsigned long long)graph->id));
	}
	int64_t own = x->correlation;
	x->correlation = graph->correlation;
	if (begin_event(x, at, name)) {
		describe_kernel(x, at);
		put_node(at->plane, graph->id, graph->node);
		annotate(x, index, at->plane, graph->scope, NULL);
	}
	x->correlation = own;
	graph->node++;
	graph->op = range->op;
}

/* Instructions that differ only in their number have equal code here. */
static const char *shared_name(struct gen_xspace *x, const struct gen_op *op)
{
	struct gen_op first = *op;
	size_t n = strlen(op->name), digits = n;
	while (digits && op->name[digits - 1] >= '0' && op->name[digits - 1] <= '9')
		digits--;
	if (digits > 1 && digits < n && op->name[digits - 1] == '.')
		first.name = jr_arena_strndup(&x->sc->arena, op->name, digits - 1);
	return gen_kernel_name(x->sc, &first);
}

static void write_kernel(struct gen_xspace *x, uint32_t index, const struct gen_op *op)
{
	const struct gen_range *range = &x->sc->ranges.items[index];
	bool communication = op && op->communication;
	const char *name = gen_kernel_name(x->sc, op);
	const char *symbol = gen_text(x->sc, "%s(float*)", name);
	struct place at = place_of(x, range, communication);
	enum gen_graphs graphs = communication || !op ? GEN_GRAPHS_NONE : x->options->graphs;
	if (op && !communication && gen_xspace_has(x, GEN_XSPACE_GRAPHS)) {
		write_buffered(
			x, index, gen_xspace_has(x, GEN_XSPACE_SHARED) ? shared_name(x, op) : name, &at);
		return;
	}
	launch(x, range, graphs == GEN_GRAPHS_NONE ? name : "cuGraphLaunch (CudaGraph:8)");
	if (graphs == GEN_GRAPHS_NODES) {
		write_nodes(x, index, name, op, &at);
		return;
	}
	if (!begin_event(x, &at, graphs == GEN_GRAPHS_WHOLE ? "CudaGraphExec" : symbol))
		return;
	if (graphs == GEN_GRAPHS_WHOLE)
		gen_xstat_u64(at.plane, GEN_XSTAT_EVENT, "cuda_graph_exec_id", 12);
	else
		describe_kernel(x, &at);
	if (op)
		annotate(x, index, at.plane, gen_xspace_scope(x, index), op);
}

static void write_copy(struct gen_xspace *x, uint32_t index, const struct gen_op *op)
{
	const struct gen_range *range = &x->sc->ranges.items[index];
	bool to_device = strcmp(op->collective, "host-to-device") == 0;
	const char *name = to_device ? "MemcpyH2D" : "MemcpyD2H";
	struct place at = place_of(x, range, op->communication);
	launch(x, range, name);
	if (!begin_event(x, &at, name))
		return;
	x->details.size = 0;
	jr_buf_printf(&x->details, "kind_src:%s kind_dst:%s size:%llu dest:0 async:1",
		to_device ? "pinned" : "device", to_device ? "device" : "pinned",
		(unsigned long long)op->message_bytes);
	gen_xstat_ref(at.plane, GEN_XSTAT_EVENT, "memcpy_details", details(x));
	annotate(x, index, at.plane, gen_xspace_scope(x, index), op);
}

void gen_xspace_operation(struct gen_xspace *x, uint32_t index)
{
	const struct gen_range *range = &x->sc->ranges.items[index];
	const struct gen_op *op =
		op_of(x->sc, range->kind == GEN_RANGE_NCCL ? &x->sc->ranges.items[range->parent] : range);
	x->correlation++;
	if (op && op->communication) /* not for graphs */
		x->graphs[x->sc->devices.items[range->device].local].open = false;
	if (op && gen_is_copy(op))
		write_copy(x, index, op);
	else
		write_kernel(x, index, op);
}
