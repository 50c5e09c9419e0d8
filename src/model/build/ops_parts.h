/*
 * ops_parts.h - parts of ops.c: groups of devices of collectives, and where ops come from
 * (analysis/README.md, section 5).
 * Layer: model, private to build.
 */
#ifndef JR_MODEL_BUILD_OPS_PARTS_H
#define JR_MODEL_BUILD_OPS_PARTS_H

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

#define JR_ORIGIN_COPIES 9 /* a program's HLO and its differing copies (programs.c) */

struct jr_origins {
	struct jr_profile *p;
	JR_VEC(struct jr_stack_frame) frames;
	JR_VEC(struct jr_origin) items;
	struct jr_map frame_by_key;                    /* (parent, text) -> row of frames */
	struct jr_map seen;                            /* (frame, op_name) -> last op with it */
	const struct jr_hlo *copies[JR_ORIGIN_COPIES]; /* HLO of the current program; [0] is its own */
	uint32_t *frame_of[JR_ORIGIN_COPIES];          /* HLO frame id -> row of frames */
	size_t n_copies;
	uint32_t marker; /* str: [inconsistent metadata] */
	uint64_t n_inconsistent;
	uint64_t looks_left; /* remaining visits to instructions of called computations */
	uint64_t n_unread;   /* ops for which the visits did not suffice */
	struct jr_buf text;
	struct jr_arena scratch; /* frame_of of the current program */
};

void jr_origins_init(struct jr_origins *o, struct jr_profile *profile);
/** Begin the next program: its HLO and the copies of other processes with different stacks or
 * op_names. */
void jr_origins_begin(struct jr_origins *o, const struct jr_hlo *const *copies, size_t n);
/** Add the distinct origins of an op of that program: first of its instruction, then of the
 * computations that it calls directly. Fills first_origin and n_origins.
 * @note O(instructions of the program) for all of its ops. HLO in which many instructions call the
 *       same large computations exceeds this; the rest is left out and reported. */
void jr_origins_add(struct jr_origins *o, uint32_t op);
/** Add the origin of an op that only events describe (jr_op.said): its op_name, source stack and
 * line. */
void jr_origins_add_said(struct jr_origins *o, uint32_t op);
/** Return the row of a frame of the program's own HLO; adds it and its callers. JR_NONE for 0 or an
 * unknown id. */
uint32_t jr_origins_frame(struct jr_origins *o, uint32_t frame_id);
/** Move frames and origins into the profile, report inconsistencies, and free the rest. */
void jr_origins_finish(struct jr_origins *o);

#endif
