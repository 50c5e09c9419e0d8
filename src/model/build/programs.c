#include "model/build/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limit of differing copies of a program whose stacks are compared. Ranks of one job are traced by
 * the same code, so more copies add little. */
#define MAX_VARIANTS 8

/* Return the key of the k-th program with this name and structure in a process (analysis/README.md,
 * section 1.5). A program without HLO is matched by its number instead. */
static uint64_t key_of(const struct jr_build *build, const struct jr_local_program *p, uint64_t k)
{
	const char *name = jr_str(build->profile, p->name);
	uint64_t structure = p->hlo ? p->hlo->structure_hash : (uint64_t)p->number;
	uint64_t seed[3] = {structure, k, p->hlo != NULL};
	return jr_hash(name, strlen(name), jr_hash(seed, sizeof(seed), 0));
}

/* Hash a frame and its callers. The decoder bounds the depth of stacks. hashes[id]: 0 = not yet
 * known. */
static uint64_t frame_hash(const struct jr_hlo *hlo, uint32_t id, uint64_t *hashes)
{
	if (id == 0 || id > hlo->n_frames)
		return 0;
	if (hashes[id] == 0) {
		const struct jr_hlo_frame *f = &hlo->frames[id - 1];
		uint64_t numbers[3] = {
			(uint64_t)f->line, (uint64_t)f->column, frame_hash(hlo, f->parent, hashes)};
		uint64_t h = jr_hash(numbers, sizeof(numbers), 0);
		h = jr_hash(f->file, strlen(f->file), h);
		hashes[id] = jr_hash(f->function, strlen(f->function), h) | 1;
	}
	return hashes[id];
}

/* Hash the stack and op_name of each instruction, in order. */
static uint64_t metadata_hash(const struct jr_hlo *hlo)
{
	uint64_t *frames = jr_calloc((size_t)hlo->n_frames + 1, sizeof(*frames));
	uint64_t hash = 0;
	for (uint32_t i = 0; i < hlo->n_instructions; i++) {
		const struct jr_hlo_instruction *inst = &hlo->instructions[i];
		uint64_t stack = frame_hash(hlo, inst->stack_frame_id, frames);
		hash = jr_hash(inst->op_name, strlen(inst->op_name), hash ^ stack);
	}
	free(frames);
	return hash;
}

static bool number_taken(const struct jr_build *build, uint32_t number)
{
	return jr_map_get(&build->number_taken, number) != JR_NONE;
}

/* Return the next number above all programs; if there is none, the first free number from 0. */
static uint32_t free_number(struct jr_build *build)
{
	while (number_taken(build, build->next_number))
		build->next_number++;
	return build->next_number;
}

static uint32_t add_program(struct jr_build *build, const struct jr_local_program *p, uint64_t key)
{
	struct jr_profile *profile = build->profile;
	uint32_t number = (uint32_t)p->number;
	if (p->number > UINT32_MAX || number_taken(build, number)) {
		number = free_number(build);
		jr_profile_guess(profile, "renumbered-programs", 1,
			"a program of a later process has the number of a different program of an earlier "
			"process, or a number above 32 bits, so it was given the next free number");
	}
	*jr_vec_add(&build->programs) = (struct jr_program){.number = number,
		.name = p->name,
		.fingerprint =
			p->hlo ? jr_profile_text(profile, p->hlo->fingerprint, strlen(p->hlo->fingerprint)) : 0,
		.hlo = p->hlo};
	uint32_t program = (uint32_t)(build->programs.n - 1);
	if (jr_map_get(&build->program_by_key, key) == JR_NONE)
		jr_map_put(&build->program_by_key, key, program);
	jr_map_put(&build->number_taken, number, program);
	if (number >= build->next_number && number < UINT32_MAX)
		build->next_number = number + 1;
	*jr_vec_add(&build->metadata_hashes) = 0;
	if (p->hlo)
		jr_profile_own_hlo(profile, p->hlo);
	return program;
}

static void free_hlo(struct jr_local_program *p)
{
	jr_hlo_done(p->hlo);
	free(p->hlo);
	p->hlo = NULL;
}

/* Add the copy of a known program from a later process. It is kept if its stacks or op_names
 * differ. */
static void add_copy(struct jr_build *build, struct jr_local_program *p)
{
	const struct jr_program *known = &build->programs.items[p->program];
	uint64_t *hash = &build->metadata_hashes.items[p->program];
	if (!p->hlo)
		return;
	if (*hash == 0)
		*hash = metadata_hash(known->hlo);
	uint64_t own = metadata_hash(p->hlo);
	size_t n = 0;
	bool seen = own == *hash;
	uint32_t last = jr_map_get(&build->last_variant, p->program);
	for (uint32_t i = last; i != JR_NONE && !seen; i = build->variants.items[i].before) {
		n++;
		seen = build->variants.items[i].metadata_hash == own;
	}
	if (seen || n >= MAX_VARIANTS) {
		if (!seen)
			jr_profile_guess(build->profile, "unread-variants", 1,
				"copies of a program with different stacks or op_names were not compared after "
				"the first 8");
		free_hlo(p);
		return;
	}
	jr_map_put(&build->last_variant, p->program, (uint32_t)build->variants.n);
	*jr_vec_add(&build->variants) = (struct jr_variant){p->program, last, own, p->hlo};
	jr_profile_own_hlo(build->profile, p->hlo);
}

void jr_programs_add(
	struct jr_build *build, uint32_t process, struct jr_local_program *local, size_t n)
{
	size_t n_known = build->programs.n;
	struct jr_map seen = {0}; /* hash of (name, structure) -> number in this process so far */
	for (size_t i = 0; i < n; i++) {
		uint32_t k = 0;
		if (local[i].hlo) {
			uint64_t parts[2] = {local[i].name, local[i].hlo->structure_hash};
			uint64_t equal = jr_hash(parts, sizeof(parts), 0);
			k = jr_map_get(&seen, equal);
			k = k == JR_NONE ? 0 : k;
			jr_map_put(&seen, equal, k + 1);
		}
		uint64_t key = key_of(build, &local[i], k);
		uint32_t known = jr_map_get(&build->program_by_key, key);
		if (known != JR_NONE && known < n_known) {
			local[i].program = known;
			add_copy(build, &local[i]);
		} else {
			local[i].program = add_program(build, &local[i], key);
		}
		*jr_vec_add(&build->numbers) =
			(struct jr_program_number){process, local[i].number, local[i].program};
	}
	jr_map_done(&seen);
}

/* A program with fewer unknown instructions may have run only what XLA adds to it. */
#define LEAST_UNKNOWN 4
#define MOST_FOUND 0.1

/* Dumps of several runs in one folder overwrite each other, and --xla-dump takes any folder. */
void jr_programs_check(struct jr_build *build)
{
	struct jr_profile *p = build->profile;
	uint32_t op = 0; /* ops are sorted by program */
	for (uint32_t i = 0; i < p->n_programs; i++) {
		struct jr_program *program = &p->programs[i];
		uint64_t n = 0, n_found = 0;
		for (; op < p->n_ops && p->ops[op].program == i; op++) {
			if (!program->hlo || p->ops[op].said || build->op_nccl.items[op].ranges == JR_NCCL_ONLY)
				continue;
			n++;
			n_found += jr_hlo_find(program->hlo, jr_str(p, p->ops[op].name)) != JR_NONE;
		}
		if (n - n_found < LEAST_UNKNOWN || (double)n_found > MOST_FOUND * (double)n)
			continue;
		jr_profile_missing(p, "hlo",
			jr_arena_printf(&p->arena,
				"the HLO dump of program %" PRIu32 " (%s) is of another program and was not used: "
				"it contains %" PRIu64 " of the %" PRIu64 " instructions that ran",
				program->number, jr_str(p, program->name), n_found, n));
		program->hlo = NULL;
		program->fingerprint = 0;
	}
}
