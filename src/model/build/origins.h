/*
 * origins.h - stacks and op_names of the instructions behind each op, interned over the whole job.
 * Layer: model, private to ops.c.  Definitions: analysis/README.md, section 5.
 */
#ifndef JR_MODEL_ORIGINS_H
#define JR_MODEL_ORIGINS_H

#include "base/vec.h"
#include "model/profile/profile.h"

#define JR_ORIGIN_COPIES 9 /* a program's HLO and its differing copies (programs.c) */

struct jr_origins {
	struct jr_profile *p;
	JR_VEC(struct jr_stack_frame) frames;
	JR_VEC(struct jr_origin) items;
	struct jr_map frame_by_key;                    /* (parent, text) -> row of frames */
	struct jr_map seen;                            /* (frame, op_name) -> op that last had it */
	const struct jr_hlo *copies[JR_ORIGIN_COPIES]; /* of the current program; [0] is its own */
	uint32_t *frame_of[JR_ORIGIN_COPIES];          /* HLO frame id -> row of frames */
	size_t n_copies;
	uint32_t marker; /* str: [inconsistent metadata] */
	uint64_t n_inconsistent;
	uint64_t looks_left; /* instructions of called computations still to be looked at */
	uint64_t n_unread;   /* ops that they did not suffice for */
	struct jr_buf text;
	struct jr_arena scratch; /* frame_of of the current program */
};

void jr_origins_init(struct jr_origins *o, struct jr_profile *profile);
/** The next program: its HLO and the copies of other processes whose stacks or op_names differ. */
void jr_origins_begin(struct jr_origins *o, const struct jr_hlo *const *copies, size_t n);
/** Origins of an op of that program: of its instruction and of those of the computations that it
 * calls directly, distinct, in that order. Fills first_origin and n_origins.
 * @note O(instructions of the program) for all of its ops: what is beyond it, in HLO whose
 *       instructions all call the same large computations, is left out and told. */
void jr_origins_add(struct jr_origins *o, uint32_t op);
/** The origin of an op that events tell of alone (jr_op.said): its op_name, the stack of its source
 * and the line. */
void jr_origins_add_said(struct jr_origins *o, uint32_t op);
/** Row of the program's own HLO frame with all its callers; JR_NONE for 0 or an unknown id. */
uint32_t jr_origins_frame(struct jr_origins *o, uint32_t frame_id);
/** Move frames and origins into the profile; tell of inconsistencies; frees. */
void jr_origins_finish(struct jr_origins *o);

#endif
