/*
 * gpu_stacks.h - shared parts of the flamegraphs of GPU time; analysis/README.md, section 5.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_GPU_STACKS_H
#define JR_ANALYSIS_GPU_STACKS_H

#include "analysis/shared/columns.h"
#include "analysis/core/frame_kind.h"
#include "analysis/core/stacks.h"

/* Active time of the top modules, or their time above roofline, distributed over stacks. An op's
 * time is split equally among its n distinct stacks, each W / n as a double, in order of ops and of
 * their origins. For time above roofline, ops are sorted by it. */
struct jr_gpu_stacks {
	struct jr_stacks stacks;
	uint32_t active;  /* node [GPU active] */
	uint32_t unknown; /* node [GPU active];[Unknown] */
	uint32_t *ends;   /* room for the stacks of one op */
};

/* Put the distinct end nodes of the op's stacks into g->ends and return their number (at least
 * 1). */
typedef size_t (*jr_op_stacks_fn)(
	struct jr_gpu_stacks *g, const struct jr_profile *p, const struct jr_op *op, void *state);

/** Build the whole tree: active time by `fn`, both idle frames, in the result arena. */
struct jr_tree *jr_gpu_stacks_tree(struct jr_pass_context *ctx, jr_op_stacks_fn fn, void *state);
/** Build the same stacks weighted by the ops' time above roofline. Only ops that have some are
 * included, and no idle time. NULL if no time is above roofline, or no roofline is known. */
struct jr_tree *jr_gpu_stacks_lost(struct jr_pass_context *ctx, jr_op_stacks_fn fn, void *state);

/** Return the owner of a frame's code (frame_kind.h); `function` NULL: of the file as a whole. */
enum jr_frame_kind jr_profile_frame_kind(
	const struct jr_profile *p, const char *file, const char *function);

#endif
