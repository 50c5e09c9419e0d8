#include "model/build.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

/* Kinds of communication (analyses.md 1 and 4). bus = algorithm * c, algorithm = k * size / t, with
 * N the group size: the convention of nccl-tests. */
enum factor { ONE, GROUP, SHARE, TWICE_SHARE }; /* 1, N, (N-1)/N, 2(N-1)/N */

static const struct collective {
	const char *name;
	enum factor k, c;
	bool divide_by_group; /* message = operands / N */
	bool pairwise;        /* group size 2 */
} collectives[] = {
	{"all-gather", GROUP, SHARE, false, false},
	{"all-reduce", ONE, TWICE_SHARE, false, false},
	{"all-to-all", ONE, SHARE, false, false},
	{"ragged-all-to-all", ONE, SHARE, false, false},
	{"collective-broadcast", ONE, ONE, false, false},
	{"collective-permute", ONE, ONE, false, true},
	{"reduce-scatter", GROUP, SHARE, true, false},
};

static double factor_of(enum factor f, uint32_t n)
{
	switch (f) {
	case ONE:
		return 1;
	case GROUP:
		return n;
	case SHARE:
		return n ? (double)(n - 1) / n : 0;
	case TWICE_SHARE:
		return n ? 2.0 * (double)(n - 1) / n : 0;
	}
	return 0;
}

/* By opcode or, where there is no HLO, by the start of an op's name: "all-reduce", "-start" forms;
 * the longest name that fits, so that all-to-all is not taken for another. */
static const struct collective *collective_of(const char *opcode, bool prefix)
{
	for (size_t i = 0; i < JR_COUNT_OF(collectives); i++) {
		size_t n = strlen(collectives[i].name);
		if (strncmp(opcode, collectives[i].name, n) != 0)
			continue;
		const char *rest = opcode + n;
		if (*rest == '\0' || strcmp(rest, "-start") == 0)
			return &collectives[i];
		if (prefix && (*rest == '.' || strncmp(rest, "-start.", 7) == 0))
			return &collectives[i];
	}
	return NULL;
}

struct describe {
	struct jr_profile *p;
	JR_VEC(struct jr_stack_frame) frames;
	JR_VEC(struct jr_origin) origins;
	struct jr_map frame_by_key;  /* (parent, text) -> row of frames */
	struct jr_map origin_seen;   /* (frame, op_name) -> op + 1 that last had it */
	uint32_t *frame_of;          /* of the current program: HLO frame id -> row of frames */
	struct jr_buf text;
	uint64_t no_group_size;
};

/* --- communication ------------------------------------------------------------------------- */

/* What one instruction moves; several in a thunk add up. */
struct movement {
	const char *kind; /* NULL = none so far */
	const struct collective *collective;
	uint64_t bytes;
	uint32_t group_size;
	bool mixed, unknown_group;
};

static uint64_t operand_bytes(const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < inst->n_operands; i++) {
		uint32_t operand = jr_hlo_by_id_in(hlo, inst->computation, inst->operand_ids[i]);
		if (operand != JR_NONE &&
			__builtin_add_overflow(sum, jr_hlo_shape_bytes(hlo->instructions[operand].shape), &sum))
			return UINT64_MAX;
	}
	return sum;
}

static void add_movement(struct movement *m, const char *kind, const struct collective *collective,
	uint64_t bytes, uint32_t group_size)
{
	if (m->kind && strcmp(m->kind, kind) != 0)
		m->mixed = true;
	m->kind = kind;
	m->collective = collective;
	if (__builtin_add_overflow(m->bytes, bytes, &m->bytes))
		m->bytes = UINT64_MAX;
	if (group_size > m->group_size)
		m->group_size = group_size;
}

static void collective_movement(struct movement *m, const struct jr_hlo *hlo,
	const struct jr_hlo_instruction *inst, const struct collective *c, size_t n_devices)
{
	uint32_t group = c->pairwise ? 2 : inst->group_size;
	if (group == 0) { /* stated nowhere: all devices */
		group = (uint32_t)n_devices;
		m->unknown_group = true;
	}
	uint64_t bytes = operand_bytes(hlo, inst);
	add_movement(m, c->name, c, c->divide_by_group && group ? bytes / group : bytes, group);
}

static bool in_host_memory(const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst,
	uint32_t operand)
{
	if (operand >= inst->n_operands)
		return false;
	uint32_t row = jr_hlo_by_id_in(hlo, inst->computation, inst->operand_ids[operand]);
	return row != JR_NONE && hlo->instructions[row].shape->host_memory;
}

/* Host offloading: a slice out of, or an update into, a buffer in memory space 5 (host). */
static void host_movement(struct movement *m, const struct jr_hlo *hlo,
	const struct jr_hlo_instruction *inst)
{
	bool slice = strcmp(inst->opcode, "dynamic-slice") == 0;
	bool update = strcmp(inst->opcode, "dynamic-update-slice") == 0;
	if (!slice && !update)
		return;
	bool to_host = inst->shape->host_memory;
	bool from_host = in_host_memory(hlo, inst, slice ? 0 : 1);
	if (to_host == from_host)
		return;
	const struct jr_hlo_shape *moved = inst->shape;
	if (update && inst->n_operands > 1) {
		uint32_t row = jr_hlo_by_id_in(hlo, inst->computation, inst->operand_ids[1]);
		if (row != JR_NONE)
			moved = hlo->instructions[row].shape;
	}
	add_movement(m, to_host ? "device-to-host" : "host-to-device", NULL, jr_hlo_shape_bytes(moved),
		1);
}

/* The instruction itself, or what it wraps: an async-start or a fusion around collectives or host
 * copies, looked into through calls a few levels deep. */
static void find_movements(struct movement *m, const struct jr_hlo *hlo,
	const struct jr_hlo_instruction *inst, size_t n_devices, int depth)
{
	const struct collective *c = collective_of(inst->opcode, false);
	if (c) {
		collective_movement(m, hlo, inst, c, n_devices);
		return;
	}
	host_movement(m, hlo, inst);
	bool wraps = strcmp(inst->opcode, "async-start") == 0 || strcmp(inst->opcode, "fusion") == 0 ||
		(depth > 0 && strcmp(inst->opcode, "call") == 0);
	if (!wraps || depth >= 4)
		return;
	for (uint32_t k = 0; k < inst->n_called; k++) {
		uint32_t row = jr_hlo_computation_by_id(hlo, inst->called_ids[k]);
		if (row == JR_NONE)
			continue;
		const struct jr_hlo_computation *called = &hlo->computations[row];
		for (uint32_t i = 0; i < called->n; i++)
			find_movements(m, hlo, &hlo->instructions[called->first + i], n_devices, depth + 1);
	}
}

static void set_communication(struct describe *d, struct jr_op *op, const struct movement *m)
{
	op->communication = true;
	op->collective = jr_intern_puts(&d->p->strings, m->mixed ? "mixed" : m->kind);
	op->message_bytes = m->bytes;
	op->group_size = m->group_size;
	d->no_group_size += m->unknown_group;
	if (m->mixed)
		return; /* no one formula: bandwidths stay unknown */
	op->k = m->collective ? factor_of(m->collective->k, m->group_size) : 1;
	op->c = m->collective ? factor_of(m->collective->c, m->group_size) : 1;
}

/* --- where it comes from --------------------------------------------------------------------- */

static uint32_t frame_row(struct describe *d, const struct jr_hlo_frame *f, uint32_t parent)
{
	d->text.size = 0;
	jr_buf_printf(&d->text, "%s:%d", f->file, f->line);
	if (f->column)
		jr_buf_printf(&d->text, ":%d", f->column);
	jr_buf_printf(&d->text, "[%s]", f->function);
	struct jr_intern *strings = &d->p->strings;
	uint32_t text = jr_intern_put(strings, d->text.data, d->text.size);
	uint64_t key = jr_key2(parent, text);
	uint32_t row = jr_map_get(&d->frame_by_key, key);
	if (row != JR_NONE)
		return row;
	row = (uint32_t)d->frames.n;
	uint32_t depth = parent == JR_NONE ? 0 : d->frames.items[parent].depth + 1;
	*jr_vec_add(&d->frames) = (struct jr_stack_frame){.parent = parent,
		.text = text,
		.file = jr_intern_puts(strings, f->file),
		.function = jr_intern_puts(strings, f->function),
		.line = f->line,
		.depth = depth};
	jr_map_put(&d->frame_by_key, key, row);
	return row;
}

/* Row of the frame of that HLO id with all its callers; each id is resolved once a program. */
static uint32_t frame_of(struct describe *d, const struct jr_hlo *hlo, uint32_t id)
{
	if (id == 0 || id > hlo->n_frames)
		return JR_NONE;
	/* Callers first: walk up to a known one, then down again by depth. Cycles were cut by the
	 * decoder, so the chain is at most n_frames long. */
	uint32_t chain[64];
	while (d->frame_of[id] == JR_NONE) {
		size_t n = 0;
		uint32_t at = id;
		while (at && at <= hlo->n_frames && d->frame_of[at] == JR_NONE) {
			chain[n % JR_COUNT_OF(chain)] = at;
			n++;
			at = hlo->frames[at - 1].parent;
		}
		uint32_t parent = at && at <= hlo->n_frames ? d->frame_of[at] : JR_NONE;
		/* A chain longer than the window: its outermost part now, the rest in the next round. */
		size_t todo = n < JR_COUNT_OF(chain) ? n : JR_COUNT_OF(chain);
		for (size_t i = 0; i < todo; i++) {
			uint32_t frame = chain[(n - 1 - i) % JR_COUNT_OF(chain)];
			parent = d->frame_of[frame] = frame_row(d, &hlo->frames[frame - 1], parent);
		}
	}
	return d->frame_of[id];
}

static void add_origin(struct describe *d, const struct jr_hlo *hlo, uint32_t op_row,
	const struct jr_hlo_instruction *inst)
{
	struct jr_op *op = &d->p->ops[op_row];
	struct jr_origin origin = {frame_of(d, hlo, inst->stack_frame_id),
		jr_intern_puts(&d->p->strings, inst->op_name)};
	if (origin.frame == JR_NONE && origin.op_name == 0)
		return;
	uint64_t key = jr_key2(origin.frame, origin.op_name);
	if (jr_map_get(&d->origin_seen, key) == op_row)
		return;
	jr_map_put(&d->origin_seen, key, op_row);
	*jr_vec_add(&d->origins) = origin;
	op->n_origins++;
}

static void add_origins(struct describe *d, const struct jr_hlo *hlo, uint32_t op_row)
{
	struct jr_op *op = &d->p->ops[op_row];
	const struct jr_hlo_instruction *inst = &hlo->instructions[op->instruction];
	op->first_origin = (uint32_t)d->origins.n;
	add_origin(d, hlo, op_row, inst);
	for (uint32_t k = 0; k < inst->n_called; k++) {
		uint32_t row = jr_hlo_computation_by_id(hlo, inst->called_ids[k]);
		if (row == JR_NONE)
			continue;
		const struct jr_hlo_computation *called = &hlo->computations[row];
		for (uint32_t i = 0; i < called->n; i++)
			add_origin(d, hlo, op_row, &hlo->instructions[called->first + i]);
	}
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
	find_movements(&movement, hlo, inst, d->p->n_devices, 0);
	if (movement.kind)
		set_communication(d, op, &movement);
	add_origins(d, hlo, op_row);
	uint32_t frame = frame_of(d, hlo, inst->stack_frame_id);
	if (frame != JR_NONE) {
		op->source_file = d->frames.items[frame].file;
		op->source_line = d->frames.items[frame].line;
	} else {
		op->source_file = jr_intern_puts(strings, inst->source_file);
		op->source_line = inst->source_line;
	}
}

/* Without HLO the op's name and NCCL ranges below it tell (analyses.md 1.5). */
static void guess_op(struct describe *d, struct jr_op *op, bool nccl)
{
	const struct collective *c = collective_of(jr_str(d->p, op->name), true);
	if (!c && !nccl)
		return;
	op->communication = true;
	op->collective = jr_intern_puts(&d->p->strings, c ? c->name : "unknown");
	jr_profile_guess(d->p, "communication-by-name", 1,
		"communication of programs without HLO was recognised by the op's name and by NCCL ranges "
		"below it; sizes and bandwidths are unknown");
}

static void freeze(struct describe *d)
{
	struct jr_profile *p = d->p;
	p->n_frames = d->frames.n;
	p->frames = JR_ARENA_N(&p->arena, struct jr_stack_frame, p->n_frames + 1);
	if (p->n_frames)
		memcpy(p->frames, d->frames.items, p->n_frames * sizeof(*p->frames));
	p->n_origins = d->origins.n;
	p->origins = JR_ARENA_N(&p->arena, struct jr_origin, p->n_origins + 1);
	if (p->n_origins)
		memcpy(p->origins, d->origins.items, p->n_origins * sizeof(*p->origins));
	jr_vec_done(&d->frames);
	jr_vec_done(&d->origins);
	jr_map_done(&d->frame_by_key);
	jr_map_done(&d->origin_seen);
	jr_buf_done(&d->text);
}

void jr_ops_describe(struct jr_profile *profile, const uint8_t *op_nccl)
{
	struct describe d = {.p = profile};
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	for (uint32_t program = 0; program < profile->n_programs; program++) {
		const struct jr_hlo *hlo = profile->programs[program].hlo;
		if (hlo) {
			jr_arena_clear(&scratch);
			d.frame_of = JR_ARENA_N(&scratch, uint32_t, hlo->n_frames + 1);
			memset(d.frame_of, 0xFF, (hlo->n_frames + 1) * sizeof(*d.frame_of));
		}
		uint64_t not_found = 0;
		for (uint32_t op = 0; op < profile->n_ops; op++) {
			if (profile->ops[op].program != program)
				continue;
			if (hlo)
				describe_op(&d, hlo, op);
			if (profile->ops[op].instruction == JR_NONE)
				guess_op(&d, &profile->ops[op], op_nccl[op]);
			not_found += hlo && profile->ops[op].instruction == JR_NONE;
		}
		if (not_found)
			jr_profile_guess(profile, "ops-not-in-hlo", not_found,
				"thunks whose name no instruction of their module has: opcode, op_name and source "
				"are unknown for them");
	}
	if (d.no_group_size)
		jr_profile_guess(profile, "group-size-all-devices", d.no_group_size,
			"collectives that state no replica groups were taken to span all devices of the input");
	jr_arena_done(&scratch);
	freeze(&d);
}
