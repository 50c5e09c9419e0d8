/*
 * company.h - checks whether the processes of several inputs belong to one job.
 * Layer: model.  Used by reports and by `jaxreport combine`.
 */
#ifndef JR_MODEL_COMPANY_H
#define JR_MODEL_COMPANY_H

#include "model/build/build.h"

/* A process, with what shows whether it belongs to the others. */
struct jr_member {
	const char *label;   /* for messages */
	uint32_t input;      /* programs are compared once per input */
	uint32_t process;    /* profiles of one process, at several times, have the same */
	uint32_t number;     /* XLA's number of the process; JR_NONE = unknown */
	uint64_t trace;      /* equal for equal traces; 0 = unknown */
	uint64_t pid;        /* of the host and process id; 0 = unknown */
	uint32_t uuid;       /* str of its first GPU; 0 = unknown */
	const char *program; /* its main program; NULL = unknown */
	const char *gpu;     /* name of its first GPU; NULL = unknown */
};

struct jr_company {
	const struct jr_member *members; /* [n] */
	size_t n;
	/** Return whether a member has a program of this name. */
	bool (*has)(const void *context, size_t member, const char *program);
	const void *context;
	const char *having; /* that in a sentence: "runs", "contains" */
};

enum jr_misfit_kind {
	JR_MISFIT_TRACE,   /* one profile twice; a report reads it once: load.h */
	JR_MISFIT_NUMBER,  /* two processes of one number */
	JR_MISFIT_PROCESS, /* two profiles of one process id and the same time */
	JR_MISFIT_PROGRAM, /* the main program of each is not in the other */
	JR_MISFIT_GPU,     /* GPUs of other names */
	JR_N_MISFITS
};

/* Members that do not fit, in the order of members. */
struct jr_misfit {
	size_t n;    /* 0 = all fit; the rest is then unset */
	size_t a, b; /* the first of them (b) and the member that it does not fit (a) */
};

/**
 * Find members that do not belong to the others. A second profile of one trace counts only as that.
 * Programs and GPUs are compared with those of the first member that has any.
 * @note O(members), and two calls of has() per input
 */
void jr_company_check(const struct jr_company *company, struct jr_misfit out[JR_N_MISFITS]);
/** Return the words after the first of n things of a kind: " (and 3 more like it)". */
const char *jr_company_more(size_t n, struct jr_arena *arena);
/** Return the warning about a kind of misfit, in the arena; NULL: there is none. */
const char *jr_company_warning(const struct jr_company *company, enum jr_misfit_kind kind,
	const struct jr_misfit *misfit, struct jr_arena *arena);

/** Warn about inputs that do not belong to one job, with a line per kind, and set
 * profile->other_jobs. Once, after all inputs are read. O(rows + inputs * programs) */
void jr_company_tell(struct jr_build *build);

#endif
