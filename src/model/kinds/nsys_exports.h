/*
 * nsys_exports.h - sources of an export of nsys, whatever its form: one per process in it.
 * Layer: model, private to kinds of inputs.
 */
#ifndef JR_MODEL_NSYS_EXPORTS_H
#define JR_MODEL_NSYS_EXPORTS_H

#include "formats/timeline_rows.h"
#include "model/kinds/timelines.h"

/** Add the sources of opening->export, which the kind has read.
 * @param kept  the rows as read if opening->keeps_rows, moved from it; else empty */
void jr_nsys_exports_add(struct jr_opening *opening, struct jr_buf *kept);
/** Report the tables that cannot be read. The reason names the input if there are several. */
void jr_nsys_exports_tell_damaged(
	struct jr_profile *p, uint32_t input, const struct jr_timeline *rows);
/* Digests of all forms. */
extern const struct jr_digested_ops jr_digested_export;

#endif
