#include "scenario.h"

#include <assert.h>
#include <string.h>

#include "base/cleanup.h"
#include "sources.h"

static struct gen_computation *current(struct gen_program *p)
{
	return &p->computations.items[p->current];
}

uint32_t gen_computation(struct gen_scenario *sc, struct gen_program *p, const char *name)
{
	*jr_vec_add(&p->computations) = (struct gen_computation){
		.name = gen_hostile(sc, GEN_FIELD_COMPUTATION, name), .id = p->next_id++};
	return (uint32_t)(p->computations.n - 1);
}

int64_t gen_instruction(struct gen_program *p, uint32_t c, const struct gen_instruction *in)
{
	struct gen_computation *computation = &p->computations.items[c];
	struct gen_instruction *added = jr_vec_add(&computation->instructions);
	*added = *in;
	added->id = p->next_id++;
	computation->root = added->id;
	return added->id;
}

static const int64_t *ids(struct gen_scenario *sc, uint32_t n, int64_t a, int64_t b)
{
	int64_t *list = JR_ARENA_N(&sc->arena, int64_t, n);
	list[0] = a;
	if (n > 1)
		list[1] = b;
	return list;
}

static const struct gen_shape *keep(
	struct gen_scenario *sc, const struct gen_shape *shapes, uint32_t n)
{
	struct gen_shape *copy = JR_ARENA_N(&sc->arena, struct gen_shape, n);
	memcpy(copy, shapes, n * sizeof(*copy));
	return copy;
}

struct gen_program *gen_program_new(struct gen_scenario *sc, int64_t number, const char *name)
{
	struct gen_program *p = JR_ARENA_NEW(&sc->arena, struct gen_program);
	p->number = number;
	p->file_name = gen_planted(sc, GEN_FIELD_MODULE_FILE, name);
	p->name = gen_hostile(sc, GEN_FIELD_MODULE, name);
	p->next_id = 3;
	/* drawn one by one: the compiler chooses the order in which arguments are evaluated */
	unsigned long long low = gen_random_of_job(sc);
	unsigned long long high = gen_random_of_job(sc);
	p->fingerprint =
		gen_hostile(sc, GEN_FIELD_FINGERPRINT, gen_text(sc, "%016llx%016llx", high, low));
	p->entry = p->current = gen_computation(sc, p, gen_text(sc, "main.%d_spmd", 40 + (int)number));
	p->computations.items[p->entry].scheduled = true;
	p->flow.value = p->flow.parameter = gen_instruction(p, p->entry,
		&(struct gen_instruction){.name = gen_hostile(sc, GEN_FIELD_INSTRUCTION, "param.0"),
			.opcode = "parameter",
			.shape = gen_shape2(GEN_F32, 256, 784)});
	*jr_vec_add(&sc->programs) = p;
	return p;
}

static uint32_t add_frame(struct gen_program *p, struct gen_frame frame)
{
	for (size_t i = 0; i < p->frames.n; i++) {
		const struct gen_frame *f = &p->frames.items[i];
		if (f->parent == frame.parent && f->line == frame.line && f->column == frame.column &&
			strcmp(f->file, frame.file) == 0)
			return (uint32_t)i + 1;
	}
	*jr_vec_add(&p->frames) = frame;
	return (uint32_t)p->frames.n;
}

/* Library code that a call of `function` goes through (--launched): the frame above it. */
static uint32_t passages(
	struct gen_scenario *sc, struct gen_program *p, uint32_t parent, const char *function)
{
#define SITE "/usr/lib/python3/site-packages/"
	static const struct {
		const char *to, *file, *function;
		int32_t line, column;
	} all[] = {
		{"main", SITE "absl/app.py", "run", 308, 5},
		{"main", SITE "absl/app.py", "_run_main", 254, 14},
		{"main", SITE "launcher/cli.py", "start", 40, 3},
		{"main", SITE "launcher/cli.py", "call", 71, 9},
		{"dense", SITE "flax/linen/module.py", "wrapped_module_method", 699, 14},
		{"dense", SITE "flax/linen/module.py", "_call_wrapped_method", 1216, 13},
		{"dense", SITE "flax/linen/linear.py", "Dense.__call__", 251, 9},
		{"attention", SITE "flax/linen/module.py", "wrapped_module_method", 699, 14},
		{"attention", SITE "flax/linen/attention.py", "Attention.__call__", 88, 5},
	};
#undef SITE
	for (size_t i = 0; i < JR_COUNT_OF(all) && sc->options.launched; i++)
		if (strcmp(all[i].to, function) == 0)
			parent = add_frame(p,
				(struct gen_frame){.function = gen_hostile(sc, GEN_FIELD_FUNCTION, all[i].function),
					.file = gen_hostile(sc, GEN_FIELD_SOURCE_FILE, all[i].file),
					.line = all[i].line,
					.column = all[i].column,
					.parent = parent});
	return parent;
}

uint32_t gen_frame(struct gen_scenario *sc, struct gen_program *p, uint32_t parent,
	const char *file, const char *function, const char *snippet)
{
	struct gen_frame frame = {.function = gen_hostile(sc, GEN_FIELD_FUNCTION, function),
		.parent = passages(sc, p, parent, function)};
	frame.line = gen_source_line(file, snippet, &frame.column);
	frame.file = gen_hostile(sc, GEN_FIELD_SOURCE_FILE, file);
	/* in the middle of the transformer's stacks, with callers and callees that agree */
	frame.inconsistent =
		sc->options.inconsistent && sc->processes.n > 1 && strcmp(function, "block") == 0;
	return add_frame(p, frame);
}

struct gen_shape gen_shape0(enum gen_type type)
{
	return (struct gen_shape){.type = type};
}

struct gen_shape gen_shape1(enum gen_type type, int64_t d0)
{
	return (struct gen_shape){.type = type, .n_dims = 1, .dims = {d0}};
}

struct gen_shape gen_shape2(enum gen_type type, int64_t d0, int64_t d1)
{
	return (struct gen_shape){.type = type, .n_dims = 2, .dims = {d0, d1}};
}

struct gen_shape gen_shape3(enum gen_type type, int64_t d0, int64_t d1, int64_t d2)
{
	return (struct gen_shape){.type = type, .n_dims = 3, .dims = {d0, d1, d2}};
}

struct gen_shape gen_shape4(enum gen_type type, int64_t d0, int64_t d1, int64_t d2, int64_t d3)
{
	return (struct gen_shape){.type = type, .n_dims = 4, .dims = {d0, d1, d2, d3}};
}

struct gen_shape gen_pair(struct gen_scenario *sc, struct gen_shape a, struct gen_shape b)
{
	const struct gen_shape parts[2] = {a, b};
	return (struct gen_shape){.type = GEN_TUPLE, .n_tuple = 2, .tuple = keep(sc, parts, 2)};
}

uint64_t gen_elements(const struct gen_shape *shape)
{
	uint64_t n = 1;
	for (uint32_t i = 0; i < shape->n_dims; i++)
		n *= (uint64_t)shape->dims[i];
	return n;
}

uint64_t gen_shape_bytes(const struct gen_shape *shape)
{
	static const uint8_t bytes[] = {[GEN_PRED] = 1,
		[GEN_S8] = 1,
		[GEN_S32] = 4,
		[GEN_U32] = 4,
		[GEN_F32] = 4,
		[GEN_BF16] = 2,
		[GEN_F8E4M3FN] = 1};
	uint64_t sum = 0;
	for (uint32_t i = 0; i < shape->n_tuple; i++)
		sum += gen_shape_bytes(&shape->tuple[i]);
	return shape->type == GEN_TUPLE ? sum : bytes[shape->type] * gen_elements(shape);
}

const char *gen_op_name(struct gen_scenario *sc, const struct gen_program *p, const char *op_name)
{
	if (!op_name)
		return NULL;
	const char *text = p->prefix ? gen_text(sc, "%s/%s", p->prefix, op_name) : op_name;
	return gen_hostile(sc, GEN_FIELD_OP_NAME, text);
}

/* XLA's nvtx_utils; generation 1 had no ids. */
const char *gen_thunk_title(struct gen_scenario *sc, const struct gen_program *p,
	const char *op_name, const char *instruction, int64_t id)
{
	const char *name = op_name ? gen_text(sc, "name=%s,", op_name) : "";
	if (sc->options.xla == 2)
		return gen_text(sc, "Thunk:#%shlo_op=%s,unique_hlo_op_id=%lld#", name, instruction,
			(long long)(p->number << 32 | id));
	return gen_text(sc, "Thunk:#%shlo_op=%s#", name, instruction);
}

/* The range of a thunk: its op_name without the common prefix. */
static const char *thunk_text(
	struct gen_scenario *sc, const struct gen_program *p, struct gen_site site, int64_t id)
{
	const char *name = site.op_name;
	if (name && p->prefix && sc->options.strings & GEN_STRINGS_NO_PREFIX)
		name = gen_text(sc, "%s/%s", p->prefix, name);
	if (name)
		name = gen_hostile_text(sc, GEN_FIELD_THUNK, name);
	return gen_thunk_title(sc, p, name, site.name, id);
}

struct gen_op *gen_thunk(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	enum gen_op_kind kind, const char *opcode, int64_t id, int64_t ns)
{
	struct gen_op *op = jr_vec_add(&p->ops);
	const char *op_name = gen_op_name(sc, p, site.op_name);
	*op = (struct gen_op){.kind = kind,
		.name = site.name,
		.opcode = opcode,
		.base_ns = ns,
		.op_name = op_name ? op_name : "",
		.source_file = "",
		.collective = "",
		.instruction = id,
		.jitter_permille = 20};
	gen_flow_on(p, kind, id);
	if (site.frame) {
		op->source_file = p->frames.items[site.frame - 1].file;
		op->source_line = p->frames.items[site.frame - 1].line;
	}
	op->text = thunk_text(sc, p, site, id);
	return op;
}

/* The operands of the next computed value. */
static void take_operands(
	struct gen_scenario *sc, struct gen_program *p, struct gen_instruction *in)
{
	int64_t *operands = JR_ARENA_N(&sc->arena, int64_t, GEN_MAX_FLOW + 1);
	in->n_operands = gen_flow_take(p, operands);
	in->operands = operands;
}

/* A computation of parameters and one instruction per site; returns its id. */
static int64_t fused_computation(struct gen_scenario *sc, struct gen_program *p, const char *name,
	struct gen_shape shape, const struct gen_site *inner, size_t n_inner)
{
	static const char *const opcodes[] = {"multiply", "add", "convert", "reduce", "exponential"};
	uint32_t c = gen_computation(sc, p, gen_text(sc, "fused_computation_%s", name));
	int64_t id = 0;
	for (int i = 0; i < 2; i++)
		id = gen_instruction(p, c,
			&(struct gen_instruction){.opcode = "parameter",
				.shape = shape,
				.name = gen_text(sc, "param_%d.%lld", i, (long long)p->next_id)});
	for (size_t i = 0; i < n_inner; i++)
		id = gen_instruction(p, c,
			&(struct gen_instruction){
				.name = gen_hostile(sc, GEN_FIELD_INNER_INSTRUCTION,
					gen_text(sc, "%s.%lld", inner[i].name, (long long)p->next_id)),
				.opcode =
					gen_planted(sc, GEN_FIELD_INNER_OPCODE, opcodes[i % JR_COUNT_OF(opcodes)]),
				.shape = shape,
				.op_name = gen_op_name(sc, p, inner[i].op_name),
				.frame = inner[i].frame,
				.n_operands = 2,
				.operands = ids(sc, 2, id, id - 1)});
	return p->computations.items[c].id;
}

void gen_fusion(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	struct gen_shape shape, int64_t ns, const struct gen_site *inner, size_t n_inner)
{
	site.name = gen_hostile(sc, GEN_FIELD_INSTRUCTION, site.name);
	int64_t called = fused_computation(sc, p, site.name, shape, inner, n_inner);
	struct gen_instruction in = {.name = site.name,
		.opcode = "fusion",
		.shape = shape,
		.op_name = gen_op_name(sc, p, site.op_name),
		.frame = site.frame,
		.n_called = 1,
		.called = ids(sc, 1, called, 0)};
	take_operands(sc, p, &in);
	int64_t id = gen_instruction(p, p->current, &in);
	gen_thunk(sc, p, site, GEN_OP_COMPUTE, "fusion", id, ns);
}

/* A name of 10 kB. */
static const char *long_name(struct gen_scenario *sc, const char *base)
{
	char filler[10000];
	memset(filler, 'x', sizeof(filler));
	return gen_text(sc, "%s.%.*s", base, (int)sizeof(filler), filler);
}

/* A product of matrices that runs at 75 % of the GPU's peak; its depth is chosen for that. */
static void matrix_product(struct gen_scenario *sc, struct gen_program *p, struct gen_shape shape,
	int64_t ns, struct gen_instruction *in)
{
	double flops_ns = sc->gpu_compute_major >= 9 ? 989e3 : 312e3; /* bf16; f32 in tf32 is half */
	double depth = 0.75 * (double)ns * flops_ns / (shape.type == GEN_BF16 ? 1 : 2) /
				   (2 * (double)gen_elements(&shape));
	struct gen_shape left = shape, right = gen_shape2(shape.type, 64, shape.dims[shape.n_dims - 1]);
	struct gen_attributes *said = JR_ARENA_NEW(&sc->arena, struct gen_attributes);
	right.dims[0] = depth > 128 ? (int64_t)(depth / 64) * 64 : 64;
	left.dims[left.n_dims - 1] = right.dims[0];
	said->backend_config = gen_text(sc,
		"{\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":"
		"[\"%u\"],\"rhs_contracting_dimensions\":[\"0\"]}}}",
		left.n_dims - 1);
	/* arrived data is the right operand; of two values, the newer depends on the older */
	const struct gen_shape operands[2] = {left, right};
	int64_t taken[GEN_MAX_FLOW + 1], id[2];
	uint32_t n_taken = gen_flow_take(p, taken);
	for (int i = 0; i < 2; i++)
		id[i] = gen_instruction(p, p->current,
			&(struct gen_instruction){.opcode = "bitcast",
				.name = gen_text(sc, "bitcast.%lld", (long long)p->next_id),
				.shape = operands[i],
				.n_operands = 1,
				.operands = ids(sc, 1, taken[i ? n_taken - 1 : 0], 0)});
	in->n_operands = 2;
	in->operands = ids(sc, 2, id[0], id[1]);
	in->attributes = said;
}

void gen_single(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	const char *opcode, struct gen_shape shape, enum gen_op_kind kind, int64_t ns)
{
	bool call = strcmp(opcode, "custom-call") == 0;
	if (strcmp(opcode, "compare") == 0) /* nothing uses that one */
		opcode = gen_planted(sc, GEN_FIELD_OPCODE, opcode);
	if (sc->options.hostile_names && strcmp(opcode, "copy") == 0)
		site.name = long_name(sc, site.name);
	else
		site.name = gen_hostile(sc, GEN_FIELD_INSTRUCTION, site.name);
	struct gen_instruction in = {.name = site.name,
		.opcode = opcode,
		.shape = shape,
		.op_name = gen_op_name(sc, p, site.op_name),
		.custom_call_target = call ? gen_hostile(sc, GEN_FIELD_CALL_TARGET, "__cublas$gemm") : NULL,
		.frame = site.frame};
	if (call && shape.n_dims)
		matrix_product(sc, p, shape, ns, &in);
	else
		take_operands(sc, p, &in);
	int64_t id = gen_instruction(p, p->current, &in);
	gen_thunk(sc, p, site, kind, opcode, id, ns);
}

static struct gen_shape collective_result(const char *opcode, struct gen_shape shape, uint32_t n)
{
	if (strcmp(opcode, "all-gather") == 0)
		shape.dims[0] *= n;
	else if (strcmp(opcode, "reduce-scatter") == 0)
		shape.dims[0] /= n;
	return shape;
}

/* The collective itself in its own computation: an async-start's or a fusion's. */
static int64_t wrapped_collective(struct gen_scenario *sc, struct gen_program *p, const char *name,
	struct gen_instruction *in, struct gen_shape operand)
{
	uint32_t c = gen_computation(sc, p, gen_text(sc, "wrapped_%s", name));
	int64_t parameter = gen_instruction(p, c,
		&(struct gen_instruction){.opcode = "parameter",
			.shape = operand,
			.name = gen_text(sc, "param_0.%lld", (long long)p->next_id)});
	in->name = gen_text(sc, "%s.%lld", in->opcode, (long long)p->next_id);
	in->n_operands = 1;
	in->operands = ids(sc, 1, parameter, 0);
	gen_instruction(p, c, in);
	return p->computations.items[c].id;
}

static bool has_start_form(const char *opcode)
{
	return strcmp(opcode, "all-gather") == 0 || strcmp(opcode, "all-reduce") == 0 ||
		   strcmp(opcode, "collective-permute") == 0;
}

static enum gen_group_style group_style(const struct gen_scenario *sc, const struct gen_program *p)
{
	if (sc->options.xla == 1)
		return GEN_GROUPS_REPLICA;
	static const enum gen_group_style styles[] = {
		GEN_GROUPS_DEVICE_LIST, GEN_GROUPS_IOTA_IN_LIST, GEN_GROUPS_IOTA, GEN_GROUPS_MESH};
	/* only the sizes of mesh axes are read */
	size_t n = JR_COUNT_OF(styles) - (sc->options.n_groups > 1);
	return styles[p->ops.n % n];
}

/* Sharded parameters are gathered within groups (--groups), gradients are summed over all devices.
 */
static uint32_t groups_of(
	const struct gen_scenario *sc, const struct gen_program *p, const char *opcode)
{
	bool sharded = strcmp(opcode, "all-gather") == 0 || strcmp(opcode, "reduce-scatter") == 0;
	bool fits = sc->options.n_groups > 1 && gen_program_devices(sc, p) >= sc->options.n_groups &&
				gen_program_devices(sc, p) % sc->options.n_groups == 0;
	return sharded && fits ? sc->options.n_groups : 1;
}

void gen_collective(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	const char *opcode, struct gen_shape shape, enum gen_op_kind kind, bool wrapped,
	int64_t transfer_ns)
{
	uint32_t n_groups = groups_of(sc, p, opcode);
	uint32_t n = gen_program_devices(sc, p) / n_groups;
	bool strided = n_groups > 1 && p->ops.n % 2, gathers = strcmp(opcode, "all-gather") == 0;
	site.name = gen_hostile(sc, GEN_FIELD_INSTRUCTION, site.name);
	struct gen_shape result = collective_result(opcode, shape, n);
	struct gen_instruction inner = {.opcode = opcode,
		.shape = result,
		.op_name = gen_op_name(sc, p, site.op_name),
		.frame = site.frame,
		.groups = group_style(sc, p),
		.n_groups = n_groups,
		.group_size = n,
		.strided = strided};
	struct gen_instruction outer = inner;
	int64_t operand = gen_instruction(p, p->current,
		&(struct gen_instruction){.opcode = "bitcast",
			.name = gen_hostile(
				sc, GEN_FIELD_INSTRUCTION, gen_text(sc, "bitcast.%lld", (long long)p->next_id)),
			.shape = shape,
			.n_operands = 1,
			.operands = ids(sc, 1, gathers ? p->flow.parameter : gen_flow_latest(p), 0)});
	if (kind == GEN_OP_START) {
		struct gen_shape parts[2] = {shape, result};
		bool start_form = sc->options.xla == 1 && has_start_form(opcode);
		outer.shape =
			(struct gen_shape){.type = GEN_TUPLE, .n_tuple = 2, .tuple = keep(sc, parts, 2)};
		outer.opcode = start_form ? gen_text(sc, "%s-start", opcode) : "async-start";
		wrapped = !start_form;
	} else if (wrapped) {
		outer.opcode = "fusion";
	}
	if (wrapped) {
		int64_t called = wrapped_collective(sc, p, site.name, &inner, shape);
		outer.groups = GEN_GROUPS_NONE;
		outer.n_called = 1;
		outer.called = ids(sc, 1, called, 0);
	}
	outer.name = site.name;
	outer.n_operands = 1;
	outer.operands = ids(sc, 1, operand, 0);
	int64_t id = gen_instruction(p, p->current, &outer);
	struct gen_op *op = gen_thunk(sc, p, site, kind, outer.opcode, id, transfer_ns);
	op->collective = opcode;
	op->message_bytes = gen_shape_bytes(&shape);
	if (strcmp(opcode, "reduce-scatter") == 0)
		op->message_bytes /= n;
	/* a permutation moves data between pairs, regardless of its pairs */
	op->group_size = strcmp(opcode, "collective-permute") == 0 ? 2 : n;
	op->communication = op->group_size > 1; /* on one device it is a copy */
	op->n_groups = n_groups;
	op->strided = strided;
}

uint32_t gen_program_devices(const struct gen_scenario *sc, const struct gen_program *p)
{
	return p->n_devices ? p->n_devices : (uint32_t)sc->devices.n;
}

/* The slice itself: its parameters are the buffer, the update and the position. */
static int64_t slice_computation(struct gen_scenario *sc, struct gen_program *p, const char *name,
	bool to_host, struct gen_shape moved, struct gen_shape buffer, const char *op_name)
{
	uint32_t c = gen_computation(sc, p, gen_text(sc, "host_%s", name));
	const struct gen_shape shapes[3] = {buffer, moved, {.type = GEN_S32}};
	int64_t *operands = JR_ARENA_N(&sc->arena, int64_t, 3), n = 0;
	for (int i = 0; i < 3; i++) {
		if (i == 1 && !to_host)
			continue;
		operands[n++] = gen_instruction(p, c,
			&(struct gen_instruction){.opcode = "parameter",
				.shape = shapes[i],
				.name = gen_text(sc, "param_%d.%lld", i, (long long)p->next_id)});
	}
	const char *opcode = to_host ? "dynamic-update-slice" : "dynamic-slice";
	gen_instruction(p, c,
		&(struct gen_instruction){.opcode = opcode,
			.name = gen_text(sc, "%s.%lld", opcode, (long long)p->next_id),
			.op_name = op_name,
			.shape = to_host ? buffer : moved,
			.n_operands = (uint32_t)n,
			.operands = operands});
	return p->computations.items[c].id;
}

void gen_host_copy(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	bool to_host, struct gen_shape shape, enum gen_op_kind kind, int64_t transfer_ns)
{
	struct gen_shape buffer = shape;
	buffer.dims[0] *= 8;
	buffer.host = true;
	site.name = gen_hostile(sc, GEN_FIELD_INSTRUCTION, site.name);
	struct gen_instruction outer = {.name = site.name,
		.frame = site.frame,
		.op_name = gen_op_name(sc, p, site.op_name),
		.opcode = "fusion",
		.shape = to_host ? buffer : shape,
		.n_called = 1};
	int64_t called = slice_computation(sc, p, site.name, to_host, shape, buffer, outer.op_name);
	outer.called = ids(sc, 1, called, 0);
	outer.n_operands = 1;
	outer.operands = ids(sc, 1, to_host ? gen_flow_latest(p) : p->flow.parameter, 0);
	if (kind == GEN_OP_COPY_START) {
		struct gen_shape parts[2] = {buffer, outer.shape};
		outer.opcode = "async-start";
		outer.shape =
			(struct gen_shape){.type = GEN_TUPLE, .n_tuple = 2, .tuple = keep(sc, parts, 2)};
	}
	int64_t id = gen_instruction(p, p->current, &outer);
	struct gen_op *op = gen_thunk(sc, p, site, kind, outer.opcode, id, transfer_ns);
	op->communication = true;
	op->collective = to_host ? "device-to-host" : "host-to-device";
	op->message_bytes = gen_shape_bytes(&shape);
	op->group_size = 1;
	if (kind == GEN_OP_COPY) /* it stays there until the next step */
		gen_put_aside(p);
}

void gen_done(struct gen_scenario *sc, struct gen_program *p, const char *start)
{
	const char *start_name = gen_hostile(sc, GEN_FIELD_INSTRUCTION, start);
	*jr_vec_add(&p->ops) = (struct gen_op){.kind = GEN_OP_DONE, .name = start_name};
	struct gen_computation *c = current(p);
	size_t i = 0;
	while (i < c->instructions.n && strcmp(c->instructions.items[i].name, start_name) != 0)
		i++;
	assert(i < c->instructions.n);
	struct gen_instruction done = c->instructions.items[i];
	const char *form = strstr(start_name, "-start"), *number = form ? form + 6 : "";
	int kind = (int)(form ? form - start_name : 0);
	done.operands = ids(sc, 1, done.id, 0);
	done.shape = done.shape.tuple[1];
	done.opcode = strcmp(done.opcode, "async-start") == 0
					  ? "async-done"
					  : gen_text(sc, "%.*s-done", (int)strlen(done.opcode) - 6, done.opcode);
	done.name = gen_text(sc, "%.*s-done%s", kind, start_name, number);
	done.groups = GEN_GROUPS_NONE;
	gen_flow_arrived(p, gen_instruction(p, p->current, &done));
}

static int64_t tuple(
	struct gen_scenario *sc, struct gen_program *p, struct gen_shape shape, const int64_t *operands)
{
	int64_t *kept = JR_ARENA_N(&sc->arena, int64_t, shape.n_tuple);
	memcpy(kept, operands, shape.n_tuple * sizeof(*kept));
	return gen_instruction(p, p->current,
		&(struct gen_instruction){.opcode = "tuple",
			.name = gen_text(sc, "tuple.%lld", (long long)p->next_id),
			.shape = shape,
			.n_operands = shape.n_tuple,
			.operands = kept});
}

static int64_t element(
	struct gen_scenario *sc, struct gen_program *p, int64_t of, struct gen_shape shape, int64_t i)
{
	struct gen_attributes *said = JR_ARENA_NEW(&sc->arena, struct gen_attributes);
	said->tuple_index = i;
	return gen_instruction(p, p->current,
		&(struct gen_instruction){.opcode = "get-tuple-element",
			.name = gen_text(sc, "get-tuple-element.%lld", (long long)p->next_id),
			.shape = shape.tuple[i],
			.n_operands = 1,
			.operands = ids(sc, 1, of, 0),
			.attributes = said});
}

/* The values of a loop: the computed one, weights, and two that are put aside. */
enum { CARRIED_VALUE, CARRIED_WEIGHTS, CARRIED_ASIDE, N_CARRIED = 4 };

static struct gen_shape carried(struct gen_scenario *sc)
{
	struct gen_shape parts[N_CARRIED];
	for (int i = 0; i < N_CARRIED; i++)
		parts[i] = gen_shape2(GEN_BF16, 2048, 4096);
	return (struct gen_shape){
		.type = GEN_TUPLE, .n_tuple = N_CARRIED, .tuple = keep(sc, parts, N_CARRIED)};
}

/* The loop's initial values. */
static int64_t initial(struct gen_scenario *sc, struct gen_program *p, struct gen_shape state)
{
	int64_t taken[GEN_MAX_FLOW + 1];
	uint32_t n = gen_flow_take(p, taken);
	const int64_t operands[N_CARRIED] = {
		taken[0], p->flow.parameter, taken[n - 1], p->flow.parameter};
	return tuple(sc, p, state, operands);
}

void gen_loop_begin(
	struct gen_scenario *sc, struct gen_program *p, struct gen_site site, uint32_t times)
{
	site.name = gen_hostile(sc, GEN_FIELD_INSTRUCTION, site.name);
	uint32_t body = gen_computation(sc, p, gen_text(sc, "body_%s", site.name));
	uint32_t condition = gen_computation(sc, p, gen_text(sc, "condition_%s", site.name));
	struct gen_shape state = carried(sc);
	uint32_t both[2] = {body, condition};
	int64_t argument[2];
	p->computations.items[body].scheduled = p->computations.items[condition].scheduled = true;
	for (int i = 0; i < 2; i++)
		argument[i] = gen_instruction(p, both[i],
			&(struct gen_instruction){.opcode = "parameter",
				.shape = state,
				.name = gen_text(sc, "arg_tuple.%lld", (long long)p->next_id)});
	gen_instruction(p, condition,
		&(struct gen_instruction){.opcode = "compare",
			.shape = {.type = GEN_PRED},
			.name = gen_text(sc, "compare.%lld", (long long)p->next_id)});
	struct gen_attributes *said = JR_ARENA_NEW(&sc->arena, struct gen_attributes);
	if (sc->options.trip_counts)
		said->backend_config = gen_text(sc, "{\"known_trip_count\":{\"n\":\"%u\"}}", times);
	int64_t id = gen_instruction(p, p->current,
		&(struct gen_instruction){.name = site.name,
			.opcode = "while",
			.attributes = sc->options.trip_counts ? said : NULL,
			.shape = state,
			.op_name = gen_op_name(sc, p, site.op_name),
			.frame = site.frame,
			.n_operands = 1,
			.operands = ids(sc, 1, initial(sc, p, state), 0),
			.n_called = 2,
			.called =
				ids(sc, 2, p->computations.items[body].id, p->computations.items[condition].id)});
	gen_thunk(sc, p, site, GEN_OP_LOOP, "while", id, 0)->times = times;
	*jr_vec_add(&p->enclosing) = (struct gen_enclosing){p->current, id, p->flow};
	p->current = body;
	p->flow = (struct gen_flow){.value = element(sc, p, argument[0], state, CARRIED_VALUE),
		.parameter = element(sc, p, argument[0], state, CARRIED_WEIGHTS)};
}

void gen_loop_end(struct gen_scenario *sc, struct gen_program *p)
{
	assert(p->enclosing.n);
	struct gen_shape state = carried(sc);
	const struct gen_flow body = p->flow;
	assert(!body.n_arrived && body.n_aside <= N_CARRIED - CARRIED_ASIDE);
	int64_t operands[N_CARRIED] = {body.value, body.parameter, body.parameter, body.parameter};
	memcpy(operands + CARRIED_ASIDE, body.aside, body.n_aside * sizeof(*operands));
	tuple(sc, p, state, operands);
	const struct gen_enclosing *outside = &p->enclosing.items[--p->enclosing.n];
	p->current = outside->computation;
	p->flow = outside->flow;
	p->flow.value = element(sc, p, outside->loop, state, CARRIED_VALUE);
	for (uint32_t i = 0; i < body.n_aside; i++)
		gen_flow_arrived(p, element(sc, p, outside->loop, state, CARRIED_ASIDE + i));
	*jr_vec_add(&p->ops) = (struct gen_op){.kind = GEN_OP_LOOP_END, .name = ""};
}

static void heap_event(struct gen_program *p, enum gen_heap_kind kind, int64_t buffer,
	int64_t canonical, const char *instruction)
{
	*jr_vec_add(&p->heap) = (struct gen_heap_event){kind, buffer, canonical, instruction};
}

static int64_t add_buffer(struct gen_program *p, const struct gen_instruction *in, uint64_t offset)
{
	int64_t id = (int64_t)p->buffers.n + 1;
	*jr_vec_add(&p->buffers) = (struct gen_buffer){.id = id,
		.bytes = gen_shape_bytes(&in->shape),
		.offset = offset,
		.instruction = in->name,
		.instruction_id = in->id,
		.shape = in->shape};
	return id;
}

/* An allocation of the value of one instruction. */
static void add_allocation(struct gen_program *p, unsigned flags, const struct gen_instruction *in)
{
	*jr_vec_add(&p->allocations) =
		(struct gen_allocation){flags, gen_shape_bytes(&in->shape), (uint32_t)p->buffers.n, 1};
	add_buffer(p, in, 0);
}

/* Instructions at the end of the entry, which keeps its root. */
static const struct gen_instruction *add_late(struct gen_scenario *sc, struct gen_program *p,
	const char *opcode, const char *name, const char *op_name, struct gen_shape shape)
{
	int64_t root = p->computations.items[p->entry].root;
	gen_instruction(p, p->entry,
		&(struct gen_instruction){.name = gen_hostile(sc, GEN_FIELD_INSTRUCTION, name),
			.opcode = opcode,
			.op_name = op_name ? gen_hostile(sc, GEN_FIELD_OP_NAME, op_name) : NULL,
			.shape = shape});
	struct gen_computation *entry = &p->computations.items[p->entry];
	entry->root = root;
	return &entry->instructions.items[entry->instructions.n - 1];
}

static void add_resident(
	struct gen_scenario *sc, struct gen_program *p, const struct gen_memory *memory)
{
	add_allocation(p, GEN_PARAMETER, &p->computations.items[p->entry].instructions.items[0]);
	for (uint32_t i = 0; i < memory->n_weights; i++)
		add_allocation(p, GEN_PARAMETER | (memory->donated ? GEN_LIVE_OUT : 0),
			add_late(sc, p, "parameter", gen_text(sc, "param.%u.0", i + 1),
				gen_text(sc, "state.params['layer_%u']['kernel']", i), memory->weight));
	const struct gen_instruction *constant =
		add_late(sc, p, "constant", "constant.1", NULL, gen_shape1(GEN_F32, 64));
	add_allocation(p, GEN_CONSTANT, constant);
	add_allocation(p, GEN_THREAD_LOCAL, constant); /* usually this small */
}

/* The heap's layout while it is made: blocks that buffers share, by offset. */
struct block {
	int64_t canonical;
	uint32_t n_users;
	uint64_t begin, end;
};

struct layout {
	struct block blocks[8]; /* at most four buffers are alive, plus one briefly */
	size_t n;
	int64_t canonical[8]; /* of the last buffers, by id % 8 */
	uint64_t bytes;
};

static struct block *find_block(struct layout *l, int64_t canonical)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->blocks[i].canonical == canonical)
			return &l->blocks[i];
	return NULL;
}

/* The offset of a buffer: that of the block it shares, else at the lowest place with room. */
static uint64_t take_room(struct layout *l, int64_t buffer, int64_t canonical, uint64_t bytes)
{
	struct block *shared = find_block(l, canonical);
	uint64_t at = 0;
	size_t i = 0;
	l->canonical[buffer % 8] = canonical;
	if (shared) {
		shared->n_users++;
		return shared->begin;
	}
	for (; i < l->n && l->blocks[i].begin < at + bytes; i++)
		at = l->blocks[i].end;
	memmove(l->blocks + i + 1, l->blocks + i, (l->n - i) * sizeof(*l->blocks));
	l->blocks[i] = (struct block){canonical, 1, at, at + bytes};
	l->n++;
	l->bytes = at + bytes > l->bytes ? at + bytes : l->bytes;
	return at;
}

static void free_room(struct layout *l, int64_t buffer)
{
	struct block *block = find_block(l, l->canonical[buffer % 8]);
	if (!block || --block->n_users)
		return;
	size_t i = (size_t)(block - l->blocks);
	memmove(block, block + 1, (l->n - i - 1) * sizeof(*block));
	l->n--;
}

/* The j-th buffer is made by the j-th temporary and freed three later. Every fourth shares the
 * buffer before it, which is alive; every eighth one whose users are all freed. */
static void add_heap(struct gen_program *p, const uint32_t *temporaries, uint32_t n)
{
	const struct gen_computation *entry = &p->computations.items[p->entry];
	int64_t base = (int64_t)p->buffers.n;
	struct layout layout = {.n = 0};
	const char *last = "";
	for (int64_t j = 1; j <= n; j++) {
		const struct gen_instruction *in = &entry->instructions.items[temporaries[j - 1]];
		int64_t id = base + j, canonical = j % 4 == 3 ? id - 1 : j % 8 == 5 ? id - 4 : id;
		uint32_t owner = temporaries[canonical - base - 1];
		uint64_t bytes = gen_shape_bytes(&entry->instructions.items[owner].shape);
		last = in->name;
		add_buffer(p, in, take_room(&layout, id, canonical, bytes));
		if (canonical != id)
			heap_event(p, GEN_SHARE_WITH, id, canonical, in->name);
		else
			heap_event(p, GEN_ALLOC, id, 0, in->name);
		if (j > 3) {
			heap_event(p, GEN_FREE, id - 3, 0, in->name);
			free_room(&layout, id - 3);
		}
	}
	for (int64_t j = n > 3 ? (int64_t)n - 2 : 1; j <= n; j++)
		heap_event(p, GEN_FREE, base + j, 0, last);
	*jr_vec_add(&p->allocations) = (struct gen_allocation){0, layout.bytes, (uint32_t)base, n};
}

/* A new allocation; the others reuse existing values. */
static bool has_room(const char *opcode)
{
	return strcmp(opcode, "bitcast") != 0 && strcmp(opcode, "parameter") != 0 &&
		   strcmp(opcode, "tuple") != 0 && strcmp(opcode, "get-tuple-element") != 0;
}

void gen_memory(struct gen_scenario *sc, struct gen_program *p, const struct gen_memory *memory)
{
	const struct gen_computation *entry = &p->computations.items[p->entry];
	uint32_t n = (uint32_t)entry->instructions.n, n_results = 0, n_temporaries = 0;
	uint32_t *results = JR_ARENA_N(&sc->arena, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct gen_instruction *in = &entry->instructions.items[i];
		if (has_room(in->opcode))
			results[n_results++] = i;
	}
	uint32_t n_outputs =
		memory->no_heap || memory->n_outputs > n_results ? n_results : memory->n_outputs;
	add_resident(sc, p, memory);
	entry = &p->computations.items[p->entry];
	for (uint32_t i = 0; i < n_results; i++) {
		const struct gen_instruction *in = &entry->instructions.items[results[i]];
		if (in->shape.host)
			add_allocation(p, GEN_HOST, in);
		else if (i >= n_results - n_outputs)
			add_allocation(p, GEN_LIVE_OUT, in);
		else
			results[n_temporaries++] = results[i];
	}
	if (!memory->no_heap)
		add_heap(p, results, n_temporaries);
}

struct gen_shape gen_weight(const struct gen_scenario *sc, struct gen_shape shape, uint32_t n)
{
	if (!sc->options.state_mib)
		return shape;
	return gen_shape1(GEN_F32, (int64_t)(sc->options.state_mib * (1 << 18) / n));
}

uint64_t gen_count_thunks(const struct gen_program *p)
{
	uint64_t n = 0, times = 1; /* loops are not nested here */
	for (size_t i = 0; i < p->ops.n; i++) {
		const struct gen_op *op = &p->ops.items[i];
		if (op->kind == GEN_OP_LOOP)
			times = op->times;
		else if (op->kind == GEN_OP_LOOP_END)
			times = 1;
		else if (op->kind != GEN_OP_DONE)
			n += times;
	}
	return n;
}
