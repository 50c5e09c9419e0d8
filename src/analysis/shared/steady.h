/*
 * steady.h - sums over steady executions that several passes need; computed once.
 * Layer: analysis.  Definitions: analysis/README.md, section 3.
 */
#ifndef JR_ANALYSIS_STEADY_H
#define JR_ANALYSIS_STEADY_H

#include "base/num.h"
#include "model/profile/profile.h"

struct jr_program_steady {
	int64_t executions;     /* steady module rows (program execution x device) */
	int64_t sum_ns;         /* of their durations */
	struct jr_stats dur_ns; /* of their durations */
	struct jr_stats thunks; /* of their thunk counts */
	bool top;               /* a top module (analysis/README.md, section 3) */
};

struct jr_op_steady {
	int64_t count;
	int64_t active_ns; /* sum over steady rows */
	int64_t dur_ns, hidden_ns;
	struct jr_stats active; /* of active ns per row */
};

struct jr_device_steady {
	bool seen;                 /* has a steady execution of a top module */
	int64_t first_ns, last_ns; /* first start, last end of steady executions of top modules */
};

struct jr_steady {
	struct jr_program_steady *programs; /* [n_programs] */
	struct jr_op_steady *ops;           /* [n_ops] */
	struct jr_device_steady *devices;   /* [n_devices] */
	uint32_t *ranking;                  /* programs with executions, by sum_ns desc, name, number */
	size_t n_ranking, n_top;            /* the first n_top of ranking are the top modules */
	size_t n_devices_ran;   /* devices that executed any module; the others are only listed */
	int64_t all_modules_ns; /* sum over all programs */
	/* totals over the top modules: */
	int64_t thunks_active_ns;      /* (1) */
	int64_t modules_active_ns;     /* (2) */
	int64_t modules_wall_ns;       /* (3) */
	int64_t exposed_ns, hidden_ns; /* communication of the top modules */
};

/** Compute all sums, in `arena`. O(rows). */
struct jr_steady *jr_steady_compute(const struct jr_profile *profile, struct jr_arena *arena);

/** Return true if the row is steady and of a top module. */
static inline bool jr_steady_top_thunk(
	const struct jr_profile *p, const struct jr_steady *st, size_t row)
{
	return jr_thunk_steady(p, row) && st->programs[jr_thunk_op(p, row)->program].top;
}

#endif
