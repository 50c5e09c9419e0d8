/*
 * archives.h - code shared by zip archives and folders of nsys-jax and jax.profiler.
 * Layer: model, private to kinds of inputs; combine.c reads processes with it.
 */
#ifndef JR_MODEL_ARCHIVES_H
#define JR_MODEL_ARCHIVES_H

#include "model/sources/opening.h"

extern const struct jr_input_ops jr_input_nsys_jax, jr_input_nsys_jax_combine;

/** Open an archive for struct jr_input_ops: one source per nsys-jax process in it, else one per
 * file of a jax.profiler run. */
enum jr_status jr_archives_open(struct jr_opening *opening, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_archives_read_host(
	const char *path, const struct jr_host_listener *to, struct jr_error *err) JR_MUST_CHECK;

/** Initialize a source for a process of an archive or folder. */
void jr_source_init(struct jr_source *s, uint32_t input, const char *name, const char *subname,
	struct jr_archive *archive, const struct jr_limits *limits);

#endif
