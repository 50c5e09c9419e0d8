/*
 * kinds.h - all kinds of inputs.
 * Layer: model.
 */
#ifndef JR_MODEL_KINDS_H
#define JR_MODEL_KINDS_H

#include "model/sources/input_kind.h"

/** All kinds in the order of inputs.def, the only list of their names; ends with NULL. */
extern const struct jr_input_ops *const jr_input_kinds[];

#endif
