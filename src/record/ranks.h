/*
 * ranks.h - the rank of a process in its job, and names of its files.
 * Layer: record.
 */
#ifndef JR_RECORD_RANKS_H
#define JR_RECORD_RANKS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

/* The rank of a process in its job, from variables of its launcher. */
struct jr_rank {
	const char *variable; /* "SLURM_PROCID", the first that is set; NULL: none is */
	int64_t rank;         /* -1: not known */
	int64_t local;        /* on its host; -1: not known */
	int64_t n_ranks;      /* of the job; -1: not known */
};

/* getenv(), or its replacement in a test. */
typedef const char *jr_getenv(void *context, const char *name);

/** Find the rank. A variable counts only if its value is a whole number of 0 or more. */
void jr_rank_find(jr_getenv *get, void *context, struct jr_rank *out);

/* The values that replace the % sequences of a pattern. */
struct jr_name_values {
	jr_getenv *get;
	void *context;
	const char *host;
	int64_t pid;
};

/**
 * Expand a name as nsys does: %q{VAR} is the variable's value, %h the host, %p the process, %n the
 * least number from 1 on whose file does not exist yet, %% a percent sign. ".zip" or ".nsys-rep" at
 * its end is removed, and ".zip" added.
 * @return JR_EUSAGE: a variable that is not set or empty, or another letter after a percent sign
 */
enum jr_status jr_name_expand(const char *pattern, const struct jr_name_values *values,
	struct jr_arena *arena, const char **out, struct jr_error *err) JR_MUST_CHECK;

/** Return whether a pattern gives each process another name: true if it has %p or a %q{}. */
bool jr_name_differs(const char *pattern);

/**
 * Return in `out` whether this process matches "rank=0", "rank=0,8" or "local=0". JR_EUSAGE without
 * a rank, and for other words.
 */
enum jr_status jr_rank_matches(
	const char *rule, const struct jr_rank *rank, bool *out, struct jr_error *err) JR_MUST_CHECK;

#endif
