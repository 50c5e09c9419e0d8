/*
 * op_groups.h - the groups of devices that run a collective together.
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
	JR_VEC(struct jr_placed_groups) placed; /* of the last requested program */
};

void jr_op_groups_init(struct jr_op_groups *groups, struct jr_profile *profile);
void jr_op_groups_done(struct jr_op_groups *groups);

/**
 * Map the groups of an HLO module to the profile's devices (jr_op.device_group). If the program ran
 * on as many devices as the groups have numbers, number i is the i-th of these devices. Otherwise
 * the profile covers a part of the job, and number i is the device with global number i.
 *
 * @return [n_devices] in the profile's arena, shared between equal groups; NULL if neither rule
 *         fits
 * @note Call program by program: only the groups of one program are cached. O(devices) per distinct
 * partition, once O(module rows * log).
 */
const uint32_t *jr_op_groups_place(
	struct jr_op_groups *groups, uint32_t program, const struct jr_hlo_groups *from);

#endif
