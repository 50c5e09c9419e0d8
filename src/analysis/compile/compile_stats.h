/*
 * compile_stats.h - where compilation time went, counting parallel regions by the wall clock.
 * Layer: analysis.  Definitions: analysis/README.md, section 4.2.
 */
#ifndef JR_ANALYSIS_COMPILE_STATS_H
#define JR_ANALYSIS_COMPILE_STATS_H

#include "analysis/core/result.h"
#include "model/profile/profile.h"

/* Self time of the first XlaCompile of a process: libraries are loaded in it. */
#define JR_COMPILE_LIBRARY_LOADING "[non-leaf time in 0th XlaCompile range]"

/* ... as people read it. */
#define JR_COMPILE_LIBRARY_LOADING_TEXT "First compilation: loading of libraries"
/** `name`, but for that one. */
const char *jr_compile_label(const char *name);

/* Ranges of one name, or of one phase. */
struct jr_compile_entry {
	const char *name;
	double self_ns, child_ns;
	double loading_ns; /* of self_ns: first uses of libraries within, see below */
};

/* Ranges of another domain (cuBLAS, cuDNN, NCCL), whose time is in the own time of ranges of XLA's.
 * What is done once, when a library is first used in a process, is no work of the range around it,
 * whichever of them comes first. */
struct jr_compile_library {
	const char *name, *within; /* whole, with domain; of the range around it */
	size_t n;
	double self_ns; /* as shared out */
	bool loads;     /* first use: it makes the handle of a library */
};

struct jr_compile_stats {
	/* Per row of profile->compiles. self_ns is scaled where the row ran on a worker thread, and a
	 * launcher's does not count the parallel region: they sum to the wall time of compilation. */
	double *self_ns, *child_ns;
	uint8_t *library_loading; /* 1: self_ns belongs to JR_COMPILE_LIBRARY_LOADING */
	size_t n_ranges, n_phases;
	struct jr_compile_entry *ranges, *phases; /* by self time descending, then name */
	size_t n_libraries;
	struct jr_compile_library *libraries; /* by self time descending, then name, within */
	double total_ns;                      /* sum of self_ns */
	/* Of it what loads libraries: JR_COMPILE_LIBRARY_LOADING, and libraries[] that do within other
	 * ranges. */
	double loading_ns;
	/* The same of the processes that compiled anything. They do so side by side: what all of them
	 * together take is no time that anybody waits. 0 without any. */
	size_t n_processes;
	double longest_process_ns, shortest_process_ns;
};

/**
 * Share out, and sum by name and by phase.
 *
 * @return in `arena`; names are borrowed from the profile
 * @note total_ns = sum of the durations of the top ranges, as long as children lie in their parents
 *       and siblings of one thread do not overlap. Names that no parallel region scales are summed
 *       as integers. O(rows + names log names).
 */
struct jr_compile_stats *jr_compile_stats_compute(
	const struct jr_profile *profile, struct jr_arena *arena);

/** How many entries, in order, make up `fraction` of the total, with the one that reaches it. */
size_t jr_compile_entries_until(
	const struct jr_compile_entry *entries, size_t n, double total_ns, double fraction);

/**
 * Self times (as shared out) along the stacks of ranges, ranges of the same names merged. Frames
 * without weight of their own stand where others lie below them. name, title and caption are left
 * to the caller.
 *
 * @return in `arena`; texts are borrowed from the profile; total = stats->total_ns but for rounding
 */
struct jr_tree *jr_compile_tree(
	const struct jr_profile *profile, const struct jr_compile_stats *stats, struct jr_arena *arena);

#endif
