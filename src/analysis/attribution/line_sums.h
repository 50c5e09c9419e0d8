/*
 * line_sums.h - GPU time by line of Python source; the rule of the source-code flamegraph.
 * Layer: analysis.  Definitions: analysis/README.md, section 5.1.
 */
#ifndef JR_ANALYSIS_LINE_SUMS_H
#define JR_ANALYSIS_LINE_SUMS_H

#include "analysis/shared/columns.h"
#include "analysis/shared/instances.h"
#include "analysis/core/pass.h"

/* Over the top modules' steady thunks. An op's active time is shared equally among its stacks; a
 * line has the whole share of each stack that holds it, once a stack, and as its own (self) that
 * of stacks whose innermost frame it is. */
struct jr_line_sum {
	uint32_t file, function; /* str; function of the first frame seen at the line */
	int32_t line;
	double total_ns, self_ns, communication_ns; /* communication: part of total, exposed */
	/* Of total and of self: in a collective, for the device that came last to it. No line's own. */
	double waiting_ns, self_waiting_ns;
	/* Of self, without waiting. */
	struct jr_roofed self_roofed;
	uint32_t kernels; /* distinct thunks with a stack through it */
};

struct jr_file_sum {
	uint32_t file;            /* str */
	double total_ns, self_ns; /* total: once a stack */
};

struct jr_line_sums {
	size_t n, n_files;
	struct jr_line_sum *lines; /* by file (of `files`), then line */
	struct jr_file_sum *files; /* by self time, then total, both descending, then name */
};

/** Of the profile of `ctx`, in its arena; without a roofline nothing has a roof.
 * O(thunks + stacks * depth). */
struct jr_line_sums *jr_line_sums_compute(const struct jr_pass_context *ctx);

#endif
