/*
 * op_groups.h - which devices do a collective together.
 * Layer: model.
 */
#ifndef JR_MODEL_OP_GROUPS_H
#define JR_MODEL_OP_GROUPS_H

#include "base/vec.h"
#include "formats/hlo/hlo.h"
#include "model/profile/profile.h"

struct jr_placed_groups {
	uint32_t program;
	const struct jr_hlo_groups *groups;
	const uint32_t *device_group; /* or NULL */
};

struct jr_op_groups {
	struct jr_profile *profile;
	JR_VEC(uint64_t) runs; /* program << 32 | device, ascending, distinct */
	bool has_runs;
	JR_VEC(struct jr_placed_groups) placed; /* of the last program asked for */
};

void jr_op_groups_init(struct jr_op_groups *groups, struct jr_profile *profile);
void jr_op_groups_done(struct jr_op_groups *groups);

/**
 * The groups of an HLO module as groups of the profile's devices (jr_op.device_group): number i is
 * the i-th of the devices that the program ran on where there are as many of them as numbers, else,
 * in a profile of a part of the job, the device of global number i.
 *
 * @return [n_devices] in the profile's arena, equal ones are one array; NULL where neither fits
 * @note programs in turn: what was placed is remembered for one program. O(devices) a distinct
 * partition, once O(module rows * log).
 */
const uint32_t *jr_op_groups_place(
	struct jr_op_groups *groups, uint32_t program, const struct jr_hlo_groups *from);

#endif
