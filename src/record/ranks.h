/*
 * ranks.h - one process of many: which it is, and what its files are called.
 * Layer: record.
 */
#ifndef JR_RECORD_RANKS_H
#define JR_RECORD_RANKS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

/* Where a process stands in its job, by what its launcher has set. */
struct jr_rank {
	const char *variable; /* "SLURM_PROCID", the first of those that are set; NULL: none is */
	int64_t rank;         /* -1: not known */
	int64_t local;        /* on its host; -1: not known */
	int64_t n_ranks;      /* of the job; -1: not known */
};

/* getenv(), or what a test has in its place. */
typedef const char *jr_getenv(void *context, const char *name);

/** A variable whose value is no whole number of 0 or more is none. */
void jr_rank_find(jr_getenv *get, void *context, struct jr_rank *out);

/* What a pattern stands for. */
struct jr_name_values {
	jr_getenv *get;
	void *context;
	const char *host;
	int64_t pid;
};

/**
 * A name as nsys has them: %q{VAR} what the variable holds, %h the host, %p the process, %n the
 * least number from 1 on for which there is no such file yet, %% a percent sign. ".zip" or
 * ".nsys-rep" at its end is taken off, ".zip" put on.
 * @return JR_EUSAGE: a variable that is not set or empty, or another letter behind a percent sign
 */
enum jr_status jr_name_expand(const char *pattern, const struct jr_name_values *values,
	struct jr_arena *arena, const char **out, struct jr_error *err) JR_MUST_CHECK;

/** Does a pattern give each process another name? True where it has %p or a %q{}. */
bool jr_name_differs(const char *pattern);

/**
 * "rank=0", "rank=0,8", "local=0": is this process among them? Without a rank: JR_EUSAGE, as are
 * other words.
 */
enum jr_status jr_rank_matches(
	const char *rule, const struct jr_rank *rank, bool *out, struct jr_error *err) JR_MUST_CHECK;

#endif
