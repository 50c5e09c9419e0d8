/*
 * archives.h - what zip archives and folders have in common, of nsys-jax and of jax.profiler.
 * Layer: model, private to kinds of inputs; combine.c looks into processes.
 */
#ifndef JR_MODEL_ARCHIVES_H
#define JR_MODEL_ARCHIVES_H

#include "model/sources/opening.h"

extern const struct jr_input_ops jr_input_nsys_jax, jr_input_nsys_jax_combine;

/** For struct jr_input_ops: a source for each process of nsys-jax in it, else for each file of a
 * run of jax.profiler. */
enum jr_status jr_archives_open(struct jr_opening *opening, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_archives_read_host(
	const char *path, const struct jr_host_listener *to, struct jr_error *err) JR_MUST_CHECK;

/** A process of an archive or folder. */
void jr_source_init(struct jr_source *s, uint32_t input, const char *name, const char *subname,
	struct jr_archive *archive, const struct jr_limits *limits);

#endif
