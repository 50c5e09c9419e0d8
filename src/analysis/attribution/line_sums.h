/*
 * line_sums.h - GPU time by line of Python source, by the rule of the source-code flamegraph.
 * Layer: analysis.  Definitions: analysis/README.md, section 5.1.
 */
#ifndef JR_ANALYSIS_LINE_SUMS_H
#define JR_ANALYSIS_LINE_SUMS_H

#include "analysis/shared/instances.h"
#include "analysis/core/pass.h"

/* Over the top modules' steady thunks. An op's active time is split equally among its stacks. A
 * line gets the full share of each stack that contains it, once per stack. Its own time (self) is
 * the share of the stacks whose innermost frame it is. */
struct jr_line_sum {
	uint32_t file, function; /* string ids; function of the first frame seen at the line */
	int32_t line;
	double total_ns, self_ns, communication_ns; /* communication: part of total, exposed */
	/* Part of total and of self in collectives, waiting for the last device. No line causes it. */
	double waiting_ns, self_waiting_ns;
	/* Part of self, without waiting. */
	struct jr_roofed self_roofed;
	uint32_t kernels; /* distinct thunks with a stack through it */
};

struct jr_file_sum {
	uint32_t file;            /* string id */
	double total_ns, self_ns; /* total: once per stack */
};

struct jr_line_sums {
	size_t n, n_files;
	struct jr_line_sum *lines; /* by file (of `files`), then line */
	struct jr_file_sum *files; /* by self time, then total, both descending, then name */
};

/** Sum the profile of `ctx`, in its arena; without roofline results no line has a roofline.
 * O(thunks + stacks * depth). */
struct jr_line_sums *jr_line_sums_compute(const struct jr_pass_context *ctx);

#endif
