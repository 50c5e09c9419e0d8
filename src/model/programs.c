#include "model/build.h"

#include <string.h>

/* Key of the k-th program of that name and structure within a process (analyses.md 1.5). A program
 * without HLO is matched by its number instead. */
static uint64_t key_of(const struct jr_build *build, const struct jr_local_program *p, uint64_t k)
{
	const char *name = jr_str(build->profile, p->name);
	uint64_t structure = p->hlo ? p->hlo->structure_hash : (uint64_t)p->number;
	uint64_t seed[3] = {structure, k, p->hlo != NULL};
	return jr_hash(name, strlen(name), jr_hash(seed, sizeof(seed), 0));
}

static bool number_taken(const struct jr_build *build, uint32_t number)
{
	for (size_t i = 0; i < build->programs.n; i++)
		if (build->programs.items[i].number == number)
			return true;
	return false;
}

static uint32_t add_program(struct jr_build *build, const struct jr_local_program *p, uint64_t key)
{
	struct jr_profile *profile = build->profile;
	uint32_t number = (uint32_t)p->number;
	if (number_taken(build, number)) {
		/* Another program of an earlier process has this number: the next free one above all. */
		for (size_t i = 0; i < build->programs.n; i++)
			if (build->programs.items[i].number >= number)
				number = build->programs.items[i].number + 1;
		jr_profile_guess(profile, "renumbered-programs", 1,
			"a program of a later process had the number of a different program of an earlier one: "
			"it was given the next free number");
	}
	*jr_vec_add(&build->programs) = (struct jr_program){.number = number,
		.name = p->name,
		.fingerprint = p->hlo ? jr_profile_text(profile, p->hlo->fingerprint,
									strlen(p->hlo->fingerprint))
							  : 0,
		.hlo = p->hlo};
	*jr_vec_add(&build->program_keys) = key;
	return (uint32_t)(build->programs.n - 1);
}

void jr_programs_add(struct jr_build *build, struct jr_local_program *local, size_t n)
{
	size_t n_known = build->programs.n;
	for (size_t i = 0; i < n; i++) {
		uint64_t k = 0;
		for (size_t j = 0; j < i; j++)
			if (local[j].name == local[i].name && local[i].hlo && local[j].hlo &&
				local[j].hlo->structure_hash == local[i].hlo->structure_hash)
				k++;
		uint64_t key = key_of(build, &local[i], k);
		local[i].program = JR_NONE;
		for (size_t j = 0; j < n_known && local[i].program == JR_NONE; j++)
			if (build->program_keys.items[j] == key)
				local[i].program = (uint32_t)j;
		if (local[i].program == JR_NONE)
			local[i].program = add_program(build, &local[i], key);
	}
}
