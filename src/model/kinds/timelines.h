/*
 * timelines.h - sources of a timeline (formats/timeline_rows.h): one per OS process in it.
 * Layer: model, private to kinds of inputs.
 */
#ifndef JR_MODEL_TIMELINES_H
#define JR_MODEL_TIMELINES_H

#include "model/sources/opening.h"

/** Add the sources of opening->export. The kind has filled it by jr_export_of_rows() or by a reader
 * that calls it (model/export/export.h).
 * @param type  with JR_TIMELINES_METHODS */
void jr_timelines_add(struct jr_opening *opening, const struct jr_source_type *type);
/** Return the name of the process of a part of opening->export. */
const char *jr_timelines_name(const struct jr_opening *opening, size_t part);
/** Read the trace of a source whose metadata is known. */
void jr_timelines_take_trace(struct jr_source *s);
/** Pass the compile ranges of an export to a listener and release the export. For `read_host` of a
 * kind.
 * @param status  result of reading the export; a failure is returned */
enum jr_status jr_timelines_tell_host(enum jr_status status, struct jr_export *export,
	const char *path, const struct jr_host_listener *to, struct jr_error *err) JR_MUST_CHECK;

/* Methods for struct jr_source_type. */
void jr_timelines_read_trace(struct jr_source *s);
void jr_timelines_read_host(struct jr_source *s);
bool jr_timelines_knows_devices(const struct jr_source *s);
uint64_t jr_timelines_identity(const struct jr_source *s, const struct jr_input *input);
void jr_timelines_add_devices(struct jr_source *s, struct jr_build *build, uint32_t process);
void jr_timelines_thread_devices(
	struct jr_source *s, struct jr_build *build, uint32_t process, struct jr_thread_devices *out);
void jr_timelines_hand_over(struct jr_source *s, struct jr_build *build);

/* clang-format off */
#define JR_TIMELINES_METHODS                                                                       \
	.read_trace = jr_timelines_read_trace, .read_host = jr_timelines_read_host,                    \
	.knows_devices = jr_timelines_knows_devices, .identity = jr_timelines_identity,                \
	.add_devices = jr_timelines_add_devices, .thread_devices = jr_timelines_thread_devices,        \
	.hand_over = jr_timelines_hand_over, .whole = true
/* clang-format on */

#endif
