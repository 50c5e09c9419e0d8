/*
 * nsys_exports.h - sources of an export of nsys, whatever its form: one per process in it.
 * Layer: model, private to kinds of inputs.
 */
#ifndef JR_MODEL_NSYS_EXPORTS_H
#define JR_MODEL_NSYS_EXPORTS_H

#include "model/kinds/timelines.h"

/** Add the sources of opening->export, which the kind has read. */
void jr_nsys_exports_add(struct jr_opening *opening);

#endif
