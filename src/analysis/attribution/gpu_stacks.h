/*
 * gpu_stacks.h - what the flamegraphs of GPU time share; analysis/README.md, section 5.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_GPU_STACKS_H
#define JR_ANALYSIS_GPU_STACKS_H

#include "analysis/shared/columns.h"
#include "analysis/core/frame_kind.h"
#include "analysis/core/stacks.h"

/* Active time of the top modules, or time lost in them, spread over stacks: an op's time is shared
 * equally among its n distinct stacks, each W / n as a double, in order of ops and of their
 * origins. Of time lost ops are in order of that. */
struct jr_gpu_stacks {
	struct jr_stacks stacks;
	uint32_t active;  /* node [GPU active] */
	uint32_t unknown; /* node [GPU active];[Unknown] */
	uint32_t *ends;   /* room for the stacks of one op */
};

/* Puts the distinct end nodes of the op's stacks into g->ends and returns how many (at least 1). */
typedef size_t (*jr_op_stacks_fn)(
	struct jr_gpu_stacks *g, const struct jr_profile *p, const struct jr_op *op, void *state);

/** All of it: active time by `fn`, both idle frames, in the result arena. */
struct jr_tree *jr_gpu_stacks_tree(struct jr_pass_context *ctx, jr_op_stacks_fn fn, void *state);
/** The same stacks by the time that ops lose against their roofs; of ops that lose some, nothing
 * idle. NULL where nothing is lost, or no roof is known. */
struct jr_tree *jr_gpu_stacks_lost(struct jr_pass_context *ctx, jr_op_stacks_fn fn, void *state);

/** Whose code a frame of the profile is (frame_kind.h); `function` NULL: of the file as a whole. */
enum jr_frame_kind jr_profile_frame_kind(
	const struct jr_profile *p, const char *file, const char *function);

#endif
