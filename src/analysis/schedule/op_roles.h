/*
 * op_roles.h - what an op does, as the colors of timelines show it.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_OP_ROLES_H
#define JR_ANALYSIS_OP_ROLES_H

#include "model/profile/profile.h"

/* Roles of render/palette.h and their meaning, in the order of a legend; both end with NULL. */
extern const char *const jr_op_roles[], *const jr_op_role_words[];

/** Return the role of an op, one of jr_op_roles. */
const char *jr_op_role(const struct jr_profile *profile, const struct jr_op *op);

/** Return the role of a row of gpu_ops, one of jr_op_roles. Kernels have no other sign than their
 * names. `communicates`: it is a kernel of a communication library. */
const char *jr_gpu_op_role(const struct jr_profile *profile, size_t row, bool communicates);

#endif
