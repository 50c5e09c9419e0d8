/*
 * flags.h - flags of XLA, JAX, NCCL and CUDA that advice names, and what the profiled job set.
 * Layer: analysis, private to its passes.
 *
 * Each stands in flags.def with where it comes from; tests/lint/flags.py holds that no text of an
 * analysis names one by itself.
 */
#ifndef JR_ANALYSIS_FLAGS_H
#define JR_ANALYSIS_FLAGS_H

#include "model/profile/profile.h"

enum jr_flag {
#define JR_FLAG(id, name, of, since, until, by_default, source) JR_FLAG_##id,
#include "analysis/core/flags.def"
	JR_N_FLAGS
};

/* One to set, with the words around it in a sentence. */
struct jr_flag_advice {
	enum jr_flag flag;
	const char *value;          /* "N", "DIR": the reader's to choose */
	const char *before, *after; /* NULL: "" */
};

/** Its name as people write it: "--xla_...", "JAX_...". */
const char *jr_flag_name(enum jr_flag flag, struct jr_arena *arena);
/** "--xla_...=VALUE", whatever the job set: for what is said of profiling, not of the job. */
const char *jr_flag_text(enum jr_flag flag, const char *value, struct jr_arena *arena);

/** What the profiled job set it to, as far as its environment is known: the last that sets it,
 * "true" where it has no value; NULL where it is not set. */
const char *jr_flag_value(
	const struct jr_profile *profile, enum jr_flag flag, struct jr_arena *arena);
/** True where it is set, and not to false or 0. */
bool jr_flag_on(const struct jr_profile *profile, enum jr_flag flag, struct jr_arena *arena);

/**
 * A part of a sentence that advises flags: `before`, those of `advice` that are worth setting with
 * a comma between, `after`; where the profile does not tell what the job set it says so ahead of
 * `after`.
 *
 * @param advice  [n]; left out is what the job has set already, whatever to, and what is so by
 *                default. None may be of a flag that is gone (asserted).
 * @return in `arena`; "" where none is left
 */
const char *jr_flags_advise(const struct jr_profile *profile, const char *before,
	const struct jr_flag_advice *advice, size_t n, const char *after, struct jr_arena *arena);

#endif
