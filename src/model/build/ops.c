#include "model/build/build.h"
#include "model/build/ops_parts.h"

#include <string.h>

#include "base/cleanup.h"

/* Kinds of communication (analysis/README.md, sections 1.8 and 4.6). bus = algorithm * c,
 * algorithm = k * size / t, with N the group size: the convention of nccl-tests. */
enum factor { ONE, GROUP, SHARE, TWICE_SHARE }; /* 1, N, (N-1)/N, 2(N-1)/N */

static const struct collective {
	const char *name;
	enum factor k, c;
	bool divide_by_group; /* message = operands / N */
	bool pairwise;        /* group size 2 */
	bool first_moves;     /* the other operands are offsets, sizes and the output */
} collectives[] = {
	{"all-gather", GROUP, SHARE, false, false, false},
	{"all-reduce", ONE, TWICE_SHARE, false, false, false},
	{"all-to-all", ONE, SHARE, false, false, false},
	{"ragged-all-to-all", ONE, SHARE, false, false, true},
	{"collective-broadcast", ONE, ONE, false, false, false},
	{"collective-permute", ONE, ONE, false, true, false},
	{"reduce-scatter", GROUP, SHARE, true, false, false},
};

static double factor_of(enum factor f, uint32_t n)
{
	switch (f) {
	case ONE: return 1;
	case GROUP: return n;
	case SHARE: return n ? (double)(n - 1) / n : 0;
	case TWICE_SHARE: return n ? 2.0 * (double)(n - 1) / n : 0;
	}
	return 0;
}

/* Find a collective by opcode, XLA category ("all-reduce fusion") or the start of an op name
 * ("all-reduce-start.1"). NULL: not a collective. */
static const struct collective *collective_of(const char *word, enum jr_collective_part *part)
{
	static const char *const parts[] = {
		[JR_COLLECTIVE_START] = "-start", [JR_COLLECTIVE_DONE] = "-done"};
	for (size_t i = 0; i < JR_COUNT_OF(collectives); i++) {
		size_t n = *word == *collectives[i].name ? strlen(collectives[i].name) : 0;
		if (!n || strncmp(word, collectives[i].name, n) != 0) /* mostly the first letter */
			continue;
		const char *rest = word + n;
		*part = JR_COLLECTIVE_WHOLE;
		for (int k = JR_COLLECTIVE_START; k <= JR_COLLECTIVE_DONE; k++)
			if (strncmp(rest, parts[k], strlen(parts[k])) == 0) {
				*part = (enum jr_collective_part)k;
				rest += strlen(parts[k]);
				break;
			}
		if (*rest == '\0' || *rest == '.' || *rest == ' ')
			return &collectives[i];
	}
	return NULL;
}

/* The texts that an event states for its instruction take precedence over the instruction's name.
 */
static const struct collective *collective_said(const char *text, const char *category,
	const char *name, struct jr_hlo_text *parsed, enum jr_collective_part *part)
{
	char word[64] = "";
	*parsed = (struct jr_hlo_text){0};
	*part = JR_COLLECTIVE_WHOLE;
	if (*text && jr_hlo_text_parse(text, strlen(text), parsed) &&
		parsed->opcode.size < sizeof(word))
		memcpy(word, parsed->opcode.data, parsed->opcode.size);
	const struct collective *c = collective_of(*word ? word : name, part);
	if (!c && *category)
		c = collective_of(category, part);
	if (c || strncmp(word, "async-", 6) != 0)
		return *word || *category || c ? c : NULL;
	/* "async-start(...), calls=%wrapped_all-gather": the called computation determines the kind. */
	for (size_t i = 0; i < JR_COUNT_OF(collectives); i++) {
		const char *of = collectives[i].name;
		if (parsed->called.size && memmem(parsed->called.data, parsed->called.size, of, strlen(of)))
			c = !c || strlen(of) > strlen(c->name) ? &collectives[i] : c;
	}
	*part = strcmp(word, "async-done") == 0 ? JR_COLLECTIVE_DONE : JR_COLLECTIVE_START;
	return c;
}

enum jr_collective_part jr_collective_part_of(
	const char *text, const char *category, const char *name, struct jr_bytes *start)
{
	enum jr_collective_part part;
	struct jr_hlo_text parsed;
	const struct collective *c = collective_said(text, category, name, &parsed, &part);
	*start = parsed.first_operand;
	if (jr_bytes_eq(parsed.opcode, jr_bytes_of("async-done", strlen("async-done"))))
		return JR_COLLECTIVE_DONE; /* regardless of the kind of its -start */
	return c ? part : JR_COLLECTIVE_NONE;
}

struct describe {
	struct jr_profile *p;
	struct jr_origins origins;
	struct jr_moves *moves; /* of the current program, in `scratch` */
	struct jr_arena scratch;
	struct jr_op_groups groups;
	/* Copies of a program's HLO with different metadata; they begin at
	 * variants[first_variant[program]]. */
	const struct jr_hlo **variants;
	size_t *first_variant;
	uint64_t no_group_size, n_grouped, n_unread_groups, n_said, n_annotated;
};

/* --- communication ------------------------------------------------------------------------- */

/* The data that one instruction moves. Instructions of a thunk are summed up. */
struct movement {
	const char *kind; /* NULL = none so far */
	const struct collective *collective;
	uint64_t bytes, largest_bytes; /* of all buffers; of the largest one */
	uint32_t n_buffers;
	uint32_t group_size;
	const struct jr_hlo_groups *groups; /* of the first collective; NULL = one group, or collectives
										   with different groups */
	bool mixed, unknown_group;
	bool alone; /* a collective has groups of one device: a copy, nothing is sent */
};

/* The data that the computations of a module move. Each computation is visited once. */
struct jr_moves {
	const struct jr_hlo *hlo;
	uint32_t n_devices;
	enum { UNSEEN, OPEN, KNOWN } * states;
	struct movement *of; /* [n_computations] */
};

struct jr_moves *jr_moves_new(const struct jr_hlo *hlo, size_t n_devices, struct jr_arena *arena)
{
	struct jr_moves *moves = JR_ARENA_NEW(arena, struct jr_moves);
	moves->hlo = hlo;
	moves->n_devices = (uint32_t)n_devices;
	moves->states =
		jr_arena_alloc_n(arena, (size_t)hlo->n_computations + 1, sizeof(*moves->states));
	moves->of = JR_ARENA_N(arena, struct movement, hlo->n_computations + 1);
	return moves;
}

/* Add the bytes of the moved operands: the sum and the largest one. */
static void add_operands(
	struct movement *m, const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst)
{
	uint32_t n = m->collective->first_moves && inst->n_operands ? 1 : inst->n_operands;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t operand = jr_hlo_by_id_in(hlo, inst->computation, inst->operand_ids[i]);
		if (operand == JR_NONE)
			continue;
		uint64_t bytes = jr_hlo_shape_bytes(hlo->instructions[operand].shape);
		if (__builtin_add_overflow(m->bytes, bytes, &m->bytes))
			m->bytes = UINT64_MAX;
		m->largest_bytes = bytes > m->largest_bytes ? bytes : m->largest_bytes;
		m->n_buffers++;
	}
}

static void add_movement(struct movement *m, const struct movement *other)
{
	m->alone |= other->alone;
	if (!other->kind)
		return;
	if (other->mixed || (m->kind && strcmp(m->kind, other->kind) != 0))
		m->mixed = true;
	m->collective = other->collective;
	if (__builtin_add_overflow(m->bytes, other->bytes, &m->bytes))
		m->bytes = UINT64_MAX;
	if (__builtin_add_overflow(m->n_buffers, other->n_buffers, &m->n_buffers))
		m->n_buffers = UINT32_MAX;
	if (other->largest_bytes > m->largest_bytes)
		m->largest_bytes = other->largest_bytes;
	m->groups = !m->kind || m->groups == other->groups ? other->groups : NULL;
	m->kind = other->kind;
	if (other->group_size > m->group_size)
		m->group_size = other->group_size;
	m->unknown_group |= other->unknown_group;
}

/* Describe a collective, without its bytes. `stated`: group size, 0 = not stated. */
static struct movement movement_of(const struct collective *c, uint32_t stated, uint32_t n_devices)
{
	stated = c->pairwise ? 2 : stated;
	if (stated == 1)
		return (struct movement){.alone = true};
	/* not stated: all devices form the group; with a single device the size stays unknown */
	uint32_t group = stated || n_devices == 1 ? stated : n_devices;
	return (struct movement){
		.kind = c->name, .collective = c, .group_size = group, .unknown_group = group != stated};
}

static void divide(struct movement *m)
{
	if (!m->kind || !m->collective->divide_by_group)
		return;
	m->bytes = m->group_size ? m->bytes / m->group_size : 0;
	m->largest_bytes = m->group_size ? m->largest_bytes / m->group_size : 0;
}

static struct movement collective_movement(
	const struct jr_moves *moves, const struct jr_hlo_instruction *inst, const struct collective *c)
{
	struct movement m = movement_of(c, inst->group_size, moves->n_devices);
	if (m.alone)
		return m;
	m.groups = c->pairwise ? NULL : inst->groups;
	add_operands(&m, moves->hlo, inst);
	divide(&m);
	return m;
}

static bool in_host_memory(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint32_t operand)
{
	if (operand >= inst->n_operands)
		return false;
	uint32_t row = jr_hlo_by_id_in(hlo, inst->computation, inst->operand_ids[operand]);
	return row != JR_NONE && hlo->instructions[row].shape->host_memory;
}

/* The end of an asynchronous copy, where TPUs wait for the rest of it. Its time is only the wait,
 * so it has no size. On GPUs it launches nothing and is not a thunk. */
static struct movement awaited_movement(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst)
{
	uint32_t row =
		inst->n_operands ? jr_hlo_by_id_in(hlo, inst->computation, inst->operand_ids[0]) : JR_NONE;
	if (row == JR_NONE)
		return (struct movement){0};
	bool to_host = inst->shape->host_memory;
	if (to_host == in_host_memory(hlo, &hlo->instructions[row], 0))
		return (struct movement){0};
	return (struct movement){
		.kind = to_host ? "device-to-host" : "host-to-device", .n_buffers = 1, .group_size = 1};
}

/* Host offloading: a slice of, or an update to, a buffer in memory space 5 (host). */
static struct movement host_movement(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst)
{
	if (inst->op == JR_OP_COPY_DONE)
		return awaited_movement(hlo, inst);
	bool slice = inst->op == JR_OP_DYNAMIC_SLICE;
	bool update = inst->op == JR_OP_DYNAMIC_UPDATE_SLICE;
	if (!slice && !update)
		return (struct movement){0};
	bool to_host = inst->shape->host_memory;
	bool from_host = in_host_memory(hlo, inst, slice ? 0 : 1);
	if (to_host == from_host)
		return (struct movement){0};
	const struct jr_hlo_shape *moved = inst->shape;
	if (update && inst->n_operands > 1) {
		uint32_t row = jr_hlo_by_id_in(hlo, inst->computation, inst->operand_ids[1]);
		if (row != JR_NONE)
			moved = hlo->instructions[row].shape;
	}
	uint64_t bytes = jr_hlo_shape_bytes(moved);
	return (struct movement){.kind = to_host ? "device-to-host" : "host-to-device",
		.bytes = bytes,
		.largest_bytes = bytes,
		.n_buffers = 1,
		.group_size = 1};
}

/* A transfer to another device or slice, by its opcode. Sender and receiver run independently, so
 * it has no device group. */
static struct movement transfer_movement(struct jr_bytes opcode)
{
	static const char *const kinds[] = {"send", "recv"};
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++) {
		size_t n = strlen(kinds[i]);
		if (opcode.size < n || memcmp(opcode.data, kinds[i], n) != 0)
			continue;
		struct jr_bytes rest = jr_bytes_of(opcode.data + n, opcode.size - n);
		if (rest.size == 0 || jr_bytes_eq(rest, jr_bytes_of("-done", strlen("-done"))))
			return (struct movement){.kind = kinds[i], .n_buffers = 1, .group_size = 1};
	}
	return (struct movement){0};
}

/* The end of an asynchronous collective, where the device waits for the rest of it. It has no size.
 */
static struct movement awaited_collective(
	const struct jr_moves *moves, const struct jr_hlo_instruction *inst, const struct collective *c)
{
	uint32_t row = inst->n_operands
					   ? jr_hlo_by_id_in(moves->hlo, inst->computation, inst->operand_ids[0])
					   : JR_NONE;
	const struct jr_hlo_instruction *start = row == JR_NONE ? NULL : &moves->hlo->instructions[row];
	struct movement m = movement_of(c, start ? start->group_size : 0, moves->n_devices);
	m.groups = start && !c->pairwise && !m.alone ? start->groups : NULL;
	m.collective = NULL;
	return m;
}

#define MAX_WRAPS 32 /* limit of nested wrappers */

static void add_computation(struct movement *m, struct jr_moves *moves, uint32_t row, int depth);
static void add_instruction(
	struct movement *m, struct jr_moves *moves, const struct jr_hlo_instruction *inst, int depth);

/* The end of an async-start: of the same kind, without a size. */
static void add_awaited(
	struct movement *m, struct jr_moves *moves, const struct jr_hlo_instruction *inst, int depth)
{
	uint32_t row = inst->n_operands
					   ? jr_hlo_by_id_in(moves->hlo, inst->computation, inst->operand_ids[0])
					   : JR_NONE;
	struct movement started = {0};
	if (row == JR_NONE || moves->hlo->instructions[row].op != JR_OP_ASYNC_START)
		return;
	add_instruction(&started, moves, &moves->hlo->instructions[row], depth);
	started.collective = NULL;
	started.bytes = started.largest_bytes = started.n_buffers = 0;
	add_movement(m, &started);
}

/* Add an instruction. An async-start or a fusion may wrap collectives or host copies, so called
 * computations are visited. */
static void add_instruction(
	struct movement *m, struct jr_moves *moves, const struct jr_hlo_instruction *inst, int depth)
{
	enum jr_collective_part part;
	const struct collective *c = collective_of(inst->opcode, &part);
	struct movement own = c && part == JR_COLLECTIVE_DONE ? awaited_collective(moves, inst, c)
						  : c                             ? collective_movement(moves, inst, c)
														  : host_movement(moves->hlo, inst);
	if (!c && !own.kind)
		own = transfer_movement(jr_bytes_of(inst->opcode, strlen(inst->opcode)));
	add_movement(m, &own);
	if (inst->op == JR_OP_ASYNC_DONE)
		add_awaited(m, moves, inst, depth);
	bool wraps = inst->op == JR_OP_ASYNC_START || inst->op == JR_OP_FUSION ||
				 (depth > 0 && inst->op == JR_OP_CALL);
	for (uint32_t k = 0; !c && wraps && depth < MAX_WRAPS && k < inst->n_called; k++)
		add_computation(
			m, moves, jr_hlo_computation_by_id(moves->hlo, inst->called_ids[k]), depth + 1);
}

static void add_computation(struct movement *m, struct jr_moves *moves, uint32_t row, int depth)
{
	if (row == JR_NONE || moves->states[row] == OPEN) /* a cycle adds nothing */
		return;
	if (moves->states[row] == UNSEEN) {
		const struct jr_hlo_computation *called = &moves->hlo->computations[row];
		moves->states[row] = OPEN;
		for (uint32_t i = 0; i < called->n; i++)
			add_instruction(
				&moves->of[row], moves, &moves->hlo->instructions[called->first + i], depth);
		moves->states[row] = KNOWN;
	}
	add_movement(m, &moves->of[row]);
}

bool jr_op_communicates(struct jr_moves *moves, const char *name)
{
	enum jr_collective_part part;
	uint32_t row = moves ? jr_hlo_find(moves->hlo, name) : JR_NONE;
	if (row == JR_NONE)
		return collective_of(name, &part) != NULL;
	struct movement movement = {0};
	add_instruction(&movement, moves, &moves->hlo->instructions[row], 0);
	return movement.kind != NULL;
}

static void set_communication(struct describe *d, struct jr_op *op, const struct movement *m)
{
	op->communication = true;
	op->collective = jr_intern_puts(&d->p->strings, m->mixed ? "mixed" : m->kind);
	op->message_bytes = m->bytes;
	op->largest_buffer_bytes = m->bytes ? m->largest_bytes : 0;
	op->n_buffers = m->bytes ? m->n_buffers : 0;
	op->group_size = m->group_size;
	d->no_group_size += m->unknown_group;
	op->device_group = m->groups ? jr_op_groups_place(&d->groups, op->program, m->groups) : NULL;
	d->n_grouped += op->device_group != NULL;
	if (m->mixed)
		return; /* kinds differ: bandwidths stay unknown */
	op->k = m->collective ? factor_of(m->collective->k, m->group_size) : 1;
	op->c = m->collective ? factor_of(m->collective->c, m->group_size) : 1;
}

/* --- one op ---------------------------------------------------------------------------------- */

static void describe_op(struct describe *d, const struct jr_hlo *hlo, uint32_t op_row)
{
	struct jr_op *op = &d->p->ops[op_row];
	struct jr_intern *strings = &d->p->strings;
	op->instruction = jr_hlo_find(hlo, jr_str(d->p, op->name));
	if (op->instruction == JR_NONE)
		return;
	const struct jr_hlo_instruction *inst = &hlo->instructions[op->instruction];
	op->opcode = jr_intern_puts(strings, inst->opcode);
	op->op_name = jr_intern_puts(strings, inst->op_name);
	struct movement movement = {0};
	add_instruction(&movement, d->moves, inst, 0);
	if (movement.kind)
		set_communication(d, op, &movement);
	else
		op->own_copy = movement.alone && inst->op != JR_OP_FUSION;
	jr_origins_add(&d->origins, op_row);
	uint32_t frame = jr_origins_frame(&d->origins, inst->stack_frame_id);
	if (frame != JR_NONE) {
		op->source_file = d->origins.frames.items[frame].file;
		op->source_line = d->origins.frames.items[frame].line;
	} else {
		op->source_file =
			jr_intern_puts(strings, jr_path_stripped(&d->p->options, inst->source_file));
		op->source_line = inst->source_line;
	}
}

/* "ncclAllReduce" or "ncclDevKernel_AllReduce_Sum" -> all-reduce; NULL if the text has none. */
static const char *collective_of_nccl(const char *text)
{
	static const struct {
		const char *part, *collective;
	} known[] = {{"AllReduce", "all-reduce"}, {"AllGather", "all-gather"},
		{"ReduceScatter", "reduce-scatter"}, {"AlltoAll", "all-to-all"}, {"AllToAll", "all-to-all"},
		{"Broadcast", "collective-broadcast"}, {"SendRecv", "collective-permute"}};
	for (size_t i = 0; i < JR_COUNT_OF(known); i++)
		if (strstr(text, known[i].part))
			return known[i].collective;
	return NULL;
}

/* Without HLO, use the op's name, the NCCL ranges below it (analysis/README.md, section 1.5) and
 * its kernels. */
static void guess_op(struct describe *d, struct jr_op *op, const struct jr_op_nccl *nccl)
{
	enum jr_collective_part part;
	const struct collective *c = collective_of(jr_str(d->p, op->name), &part);
	uint32_t kernel = nccl->other_kernels ? 0 : nccl->kernel;
	if (!c && nccl->ranges == JR_NCCL_NONE && kernel == 0)
		return;
	const char *kind = c ? c->name : collective_of_nccl(jr_str(d->p, op->name));
	if (!kind)
		kind = collective_of_nccl(jr_str(d->p, kernel));
	op->communication = true;
	op->collective = jr_intern_puts(&d->p->strings, kind ? kind : "unknown");
	if (nccl->ranges == JR_NCCL_ONLY)
		return; /* reported when its rows were added */
	if (!c && nccl->ranges == JR_NCCL_NONE) {
		jr_profile_guess(d->p, "communication-by-kernel", 1,
			"thunks without HLO that launch only NCCL kernels count as communication; sizes and "
			"bandwidths are unknown");
		return;
	}
	jr_profile_guess(d->p, "communication-by-name", 1,
		"communication of programs without HLO was recognized by the name of the op and by NCCL "
		"ranges inside it; sizes and bandwidths are unknown");
}

/* Without operands, the result determines what is sent. Results of most -start contain more. */
static void size_by_result(
	struct movement *m, enum jr_collective_part part, const struct jr_hlo_text *parsed)
{
	const struct collective *c = m->collective;
	bool gathers = c->k == GROUP && !c->divide_by_group;
	bool both = gathers && part != JR_COLLECTIVE_WHOLE;
	uint64_t n = m->group_size;
	if (n == 0 || c->first_moves || (part == JR_COLLECTIVE_START && !both && c->c != TWICE_SHARE))
		return;
	m->bytes = gathers ? parsed->result_bytes / (both ? n + 1 : n) : parsed->result_bytes;
	m->largest_bytes = gathers ? parsed->largest_result_bytes / n : parsed->largest_result_bytes;
	m->n_buffers = both ? parsed->n_results / 2 : parsed->n_results;
}

/* Without HLO, use the statements of the instruction's events. */
static void describe_said(struct describe *d, uint32_t op_row, const struct jr_op_nccl *nccl)
{
	struct jr_op *op = &d->p->ops[op_row];
	const struct jr_said *said = op->said;
	struct jr_intern *strings = &d->p->strings;
	struct jr_hlo_text parsed;
	enum jr_collective_part part;
	const struct collective *c = collective_said(jr_str(d->p, said->text),
		jr_str(d->p, said->category), jr_str(d->p, op->name), &parsed, &part);
	bool annotated = !parsed.opcode.size && !*jr_str(d->p, said->category);
	d->n_annotated += annotated;
	d->n_said += !annotated;
	if (parsed.opcode.size)
		op->opcode = jr_intern_put(strings, (const char *)parsed.opcode.data, parsed.opcode.size);
	jr_origins_add_said(&d->origins, op_row);
	if (!c) {
		struct movement transfer = transfer_movement(parsed.opcode);
		if (transfer.kind)
			set_communication(d, op, &transfer);
		else if (annotated)
			guess_op(d, op, nccl);
		return;
	}
	struct movement m = movement_of(c, parsed.group_size, (uint32_t)d->p->n_devices);
	op->own_copy = m.alone;
	if (m.alone)
		return;
	if (part == JR_COLLECTIVE_DONE) {
		m.collective = NULL;
	} else if (annotated) {
		size_by_result(&m, part, &parsed);
	} else {
		m.bytes = c->first_moves ? parsed.first_operand_bytes : parsed.operand_bytes;
		m.largest_bytes = c->first_moves ? m.bytes : parsed.largest_operand_bytes;
		m.n_buffers = c->first_moves ? 1 : parsed.n_operands;
		divide(&m);
	}
	set_communication(d, op, &m);
}

/* Sort variants by program; variants of a program stay in order of processes. */
static void sort_variants(struct describe *d, const struct jr_build *build, struct jr_arena *arena)
{
	size_t *first = d->first_variant = JR_ARENA_N(arena, size_t, d->p->n_programs + 2);
	d->variants = JR_ARENA_N(arena, const struct jr_hlo *, build->variants.n + 1);
	for (size_t i = 0; i < build->variants.n; i++)
		first[build->variants.items[i].program + 2]++;
	for (size_t program = 0; program < d->p->n_programs; program++)
		first[program + 2] += first[program + 1];
	for (size_t i = 0; i < build->variants.n; i++)
		d->variants[first[build->variants.items[i].program + 1]++] = build->variants.items[i].hlo;
}

static void begin_program(struct describe *d, uint32_t program)
{
	const struct jr_hlo *copies[JR_ORIGIN_COPIES];
	size_t n = 0;
	copies[n++] = d->p->programs[program].hlo;
	for (size_t i = d->first_variant[program];
		 i < d->first_variant[program + 1] && n < JR_ORIGIN_COPIES; i++)
		copies[n++] = d->variants[i];
	jr_origins_begin(&d->origins, copies, n);
	jr_arena_clear(&d->scratch);
	d->moves = jr_moves_new(copies[0], d->p->n_devices, &d->scratch);
	d->n_unread_groups += copies[0]->n_unread_groups;
}

void jr_ops_describe(struct jr_build *build)
{
	struct jr_profile *profile = build->profile;
	struct describe d = {.p = profile};
	jr_op_groups_init(&d.groups, profile);
	jr_origins_init(&d.origins, profile);
	jr_arena_init(&d.scratch, 0);
	JR_CLEANUP(jr_arena_done) struct jr_arena lists = {0};
	sort_variants(&d, build, &lists);
	uint32_t op = 0; /* ops are sorted by program */
	for (uint32_t program = 0; program < profile->n_programs; program++) {
		const struct jr_hlo *hlo = profile->programs[program].hlo;
		if (hlo)
			begin_program(&d, program);
		uint64_t not_found = 0;
		for (; op < profile->n_ops && profile->ops[op].program == program; op++) {
			if (hlo)
				describe_op(&d, hlo, op);
			if (profile->ops[op].instruction == JR_NONE && profile->ops[op].said)
				describe_said(&d, op, &build->op_nccl.items[op]);
			else if (profile->ops[op].instruction == JR_NONE)
				guess_op(&d, &profile->ops[op], &build->op_nccl.items[op]);
			not_found += hlo && !profile->ops[op].said && profile->ops[op].instruction == JR_NONE &&
						 build->op_nccl.items[op].ranges != JR_NCCL_ONLY;
		}
		jr_profile_guess(profile, "ops-not-in-hlo", not_found,
			"thunks do not match the name of any instruction of their module; their opcode, "
			"op_name and source are unknown");
	}
	jr_profile_guess(profile, "said-by-events", d.n_said,
		"the opcode, operands, FLOPs, bytes and source of instructions without HLO come from "
		"the profiler's events");
	jr_profile_guess(profile, "said-by-annotations", d.n_annotated,
		"the op_name, source, shape and device groups of instructions without HLO come from "
		"XLA's annotations");
	jr_profile_guess(profile, "group-size-all-devices", d.no_group_size,
		"collectives without replica groups are assumed to span all devices of the input");
	jr_profile_guess(profile, "unread-groups", d.n_unread_groups,
		"collectives are in modules with more than 256 different device groupings; "
		"collectives of further groupings are assumed to span all devices");
	jr_profile_guess(profile, "collective-groups", d.n_grouped,
		"collectives use groups of devices. XLA numbers the devices of a program; this order "
		"is assumed to be the order of the device numbers");
	jr_op_groups_done(&d.groups);
	jr_origins_finish(&d.origins);
	jr_arena_done(&d.scratch);
}
