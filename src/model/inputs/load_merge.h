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
};

/**
 * Add a source after its readers have ended. What was not read is told in the profile. A source
 * with nothing to report is left out.
 * @return the error of a source that its report cannot do without, or that of a limit
 */
enum jr_status jr_merge_source(struct jr_merge *m, struct jr_source *s, struct jr_error *err)
	JR_MUST_CHECK;
/** Keep the first error. */
void jr_merge_failed(struct jr_merge *m, const struct jr_error *error);
/** Return the name of a process: the input's name without the suffix of its kind. */
const char *jr_merge_stem(struct jr_merge *m, const char *name);

#endif
