/*
 * flags.h - flags of XLA, JAX, NCCL and CUDA that advice uses, and their values in the profiled
 * job.
 * Layer: analysis, private to its passes.
 *
 * flags.def lists each flag with its source. tests/lint/flags.py checks that no text of an analysis
 * spells out a flag by itself.
 */
#ifndef JR_ANALYSIS_FLAGS_H
#define JR_ANALYSIS_FLAGS_H

#include "model/profile/profile.h"

enum jr_flag {
#define JR_FLAG(id, name, of, on, since, until, by_default, source) JR_FLAG_##id,
#include "analysis/core/flags.def"
	JR_N_FLAGS
};

/* A flag to set, with the words around it in a sentence. */
struct jr_flag_advice {
	enum jr_flag flag;
	const char *value;          /* "N", "DIR": the reader chooses */
	const char *before, *after; /* NULL: "" */
};

/** Return the name of a flag as people write it: "--xla_...", "JAX_...". */
const char *jr_flag_name(enum jr_flag flag, struct jr_arena *arena);
/** Return "--xla_...=VALUE" regardless of the job's setting, for advice about profiling rather than
 * about the job. */
const char *jr_flag_text(enum jr_flag flag, const char *value, struct jr_arena *arena);

/** Return the value that the profiled job set, as far as its environment is known. The last setting
 * counts; "true" if it has no value; NULL if the flag is not set. */
const char *jr_flag_value(
	const struct jr_profile *profile, enum jr_flag flag, struct jr_arena *arena);
/** Return true if the flag is set, and not to false or 0. */
bool jr_flag_on(const struct jr_profile *profile, enum jr_flag flag, struct jr_arena *arena);

/* The note about settings that are not in the profile. */
#define JR_FLAGS_UNKNOWN "; the profile does not show which flags are already set"

/**
 * Return a part of a sentence that recommends flags: `before`, the flags of `advice` that are worth
 * setting, separated by commas, and `after`. If the job's settings are not in the profile, a note
 * before `after` says so.
 *
 * @param advice  [n]; flags that the job has set already, to any value, values that are the
 * default, and flags without effect on the profile's platform are left out. None may be a removed
 * flag (asserted).
 * @return in `arena`; "" if no flag remains
 */
const char *jr_flags_advise(const struct jr_profile *profile, const char *before,
	const struct jr_flag_advice *advice, size_t n, const char *after, struct jr_arena *arena);

#endif
