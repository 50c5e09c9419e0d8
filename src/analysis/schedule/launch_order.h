/*
 * launch_order.h - order in which one execution of a program launches its thunks, the lanes of the
 * device that they run on, and their dependencies.
 * Layer: analysis, private to the replay.  Definitions: README.md, section 15.1.
 *
 * XLA launches in the order of the module's schedule. An asynchronous launch (collective, copy,
 * other stream) does not begin before earlier launches on the compute lane have ended. The compute
 * lane continues until the `-done`, which waits for it. Loops are expanded turn by turn.
 */
#ifndef JR_ANALYSIS_LAUNCH_ORDER_H
#define JR_ANALYSIS_LAUNCH_ORDER_H

#include "model/profile/profile.h"

/* Lanes of a device. Each lane runs one thunk after the other. */
enum jr_lane { JR_LANE_COMPUTE, JR_LANE_COLLECTIVE, JR_LANE_COPY, JR_LANE_ASIDE, JR_N_LANES };

/* An execution of a thunk, or a wait of the compute lane for asynchronous launches. */
struct jr_launch {
	uint32_t op;          /* row of ops; JR_NONE: a wait */
	uint32_t execution;   /* thunk_execution; 0 for a wait */
	uint32_t first, last; /* only for a wait: it waits for launches [first, last) */
	uint8_t lane;         /* enum jr_lane; JR_LANE_COMPUTE for a wait */
	bool rendezvous;      /* a collective: its devices end it together */
	bool joins;           /* asynchronous, but the compute lane waits for it at once */
	/* 1 + the last launch of each lane that it depends on, 0 = none. All 0 if not known. */
	uint32_t needs[JR_N_LANES];
};

struct jr_launch_order {
	size_t n;
	struct jr_launch *items;
	bool scheduled; /* from the program's schedule, with dependencies; otherwise nothing is set */
	const char *why_not; /* a clause, set if not scheduled */
};

/**
 * Return the launch order according to the schedule in the program's HLO.
 *
 * @param counts  [n_ops] how often an execution of the program runs each thunk at most; 0 for ops
 *                of other programs
 * @return `scheduled` is false if the HLO is missing, states no schedule or lacks some thunks. It
 *         is also false if the walk takes more than 64 times as many steps as the module is large.
 *         In `arena`
 * @note O(instructions times turns of their loops)
 */
struct jr_launch_order jr_launch_order_of(const struct jr_profile *profile, uint32_t program,
	const uint32_t *counts, struct jr_arena *arena);

/**
 * Return the order in which the thunks of a program began in the steps, for programs without a
 * schedule. The wait for an asynchronous thunk is placed before the first later thunk that always
 * began after it had ended.
 *
 * @param replay      with its steps, devices and parts; other members are not read
 * @param counts      [n_ops] as above
 * @param first_thunk [modules.n + 1] first row of thunks of each module
 * @return `scheduled` false; in `arena`
 * @note O(thunk rows of the steps log)
 */
struct jr_replay;
struct jr_launch_order jr_launch_order_measured(const struct jr_replay *replay, uint32_t program,
	const uint32_t *counts, const size_t *first_thunk, struct jr_arena *arena);

/** Return the lane that a thunk runs on, from its name or its instruction. */
enum jr_lane jr_lane_of(const struct jr_profile *profile, const struct jr_op *op);
/** Return true for a collective, which all its devices end together; false for copies. */
bool jr_is_rendezvous(const struct jr_profile *profile, const struct jr_op *op);

#endif
