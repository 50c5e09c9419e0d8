/*
 * compile_stats.h - compilation time by range; parallel regions count by the wall clock.
 * Layer: analysis.  Definitions: analysis/README.md, section 4.2.
 */
#ifndef JR_ANALYSIS_COMPILE_STATS_H
#define JR_ANALYSIS_COMPILE_STATS_H

#include "analysis/core/result.h"
#include "model/profile/profile.h"

/* Self time of the first XlaCompile range of a process, which includes the loading of libraries. */
#define JR_COMPILE_LIBRARY_LOADING "[non-leaf time in 0th XlaCompile range]"

/* The same name as shown to people. */
#define JR_COMPILE_LIBRARY_LOADING_TEXT "First compilation: library loading outside any phase"
/** Return `name`, or the text above for JR_COMPILE_LIBRARY_LOADING. */
const char *jr_compile_label(const char *name);

/* Ranges of one name or of one phase. */
struct jr_compile_entry {
	const char *name;
	double self_ns, child_ns;
	double loading_ns; /* part of self_ns: first uses of libraries, see below */
};

/* Ranges of another domain (cuBLAS, cuDNN, NCCL), whose time is part of the self time of XLA's
 * ranges. The first use of a library in a process costs time only once, so it is not counted as
 * work of the enclosing range. */
struct jr_compile_library {
	const char *name, *within; /* full name with domain; name of the enclosing range */
	size_t n;
	double self_ns; /* after scaling */
	bool loads;     /* first use: the call creates the handle of a library */
};

struct jr_compile_stats {
	/* Per row of profile->compiles. self_ns is scaled if the row ran on a worker thread. A
	 * launcher's self_ns excludes the parallel region. So all rows sum to the wall time of
	 * compilation. */
	double *self_ns, *child_ns;
	uint8_t *library_loading; /* 1: self_ns belongs to JR_COMPILE_LIBRARY_LOADING */
	size_t n_ranges, n_phases;
	struct jr_compile_entry *ranges, *phases; /* sorted by self time descending, then name */
	size_t n_libraries;
	struct jr_compile_library *libraries; /* sorted by self time descending, then name, within */
	double total_ns;                      /* sum of self_ns */
	/* The part of total_ns that loads libraries: JR_COMPILE_LIBRARY_LOADING, and libraries[] that
	 * load within other ranges. */
	double loading_ns;
	/* total_ns by process, for processes that compiled anything; 0 without any. Processes compile
	 * in parallel, so the sum over them is not a time that users wait. */
	size_t n_processes;
	double longest_process_ns, shortest_process_ns;
};

/**
 * Scale the times of parallel regions, and sum by name and by phase.
 *
 * @return in `arena`; names are borrowed from the profile
 * @note total_ns = sum of the durations of the top ranges, if children lie within their parents and
 *       siblings of one thread do not overlap. Names that no parallel region scales are summed as
 *       integers. O(rows + names log names).
 */
struct jr_compile_stats *jr_compile_stats_compute(
	const struct jr_profile *profile, struct jr_arena *arena);

/** Return how many entries, in order, reach `fraction` of the total, including the entry that
 * reaches it. */
size_t jr_compile_entries_until(
	const struct jr_compile_entry *entries, size_t n, double total_ns, double fraction);

/**
 * Build a tree of scaled self times along the stacks of ranges; ranges with equal names are merged.
 * A frame without own weight is kept if it has children. The caller sets name, title and caption.
 *
 * @return in `arena`; texts are borrowed from the profile; total = stats->total_ns except for
 *         rounding
 */
struct jr_tree *jr_compile_tree(
	const struct jr_profile *profile, const struct jr_compile_stats *stats, struct jr_arena *arena);

#endif
