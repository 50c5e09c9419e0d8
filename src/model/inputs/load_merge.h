/*
 * load_merge.h - adds what was read of one process to the profile.
 * Layer: model.
 */
#ifndef JR_MODEL_LOAD_MERGE_H
#define JR_MODEL_LOAD_MERGE_H

#include "model/build/build.h"
#include "model/sources/source.h"

/* What merging keeps between sources. */
struct jr_merge {
	struct jr_profile *profile;
	struct jr_build build;
	struct jr_arena *arena;      /* for texts of messages */
	struct jr_error first_error; /* reported if no input is usable */
	size_t n_usable, n_plans;    /* sources that were merged; dumps without a profile among them */
	size_t n_memory;             /* ... and device memory profiles */
	struct jr_map merged;        /* hash of a trace and its process -> row of build.sessions */
	size_t n_twice;              /* sources whose trace an earlier source has; they are left out */
	uint32_t input_twice;        /* the input of the last one */
	const char *twice[2];        /* the first pair of these, for messages */
};

/**
 * Add a source after its readers have ended. What was not read is told in the profile. A source
 * with nothing to report, or with the trace of an earlier source, is left out.
 * @return the error of a source that its report cannot do without, or that of a limit
 */
enum jr_status jr_merge_source(struct jr_merge *m, struct jr_source *s, struct jr_error *err)
	JR_MUST_CHECK;
/** Warn about sources that were left out because their trace was read before. */
void jr_merge_tell_twice(struct jr_merge *m);
/** Keep the first error. */
void jr_merge_failed(struct jr_merge *m, const struct jr_error *error);
/** Return the name of a process: the input's name without the suffix of its kind. */
const char *jr_merge_stem(struct jr_merge *m, const char *name);

#endif
