/*
 * launch_order.h - in which order one execution of a program launches its thunks, on which of a
 * device's lanes they run, and whose results they take.
 * Layer: analysis, private to the replay.  Definitions: README.md, section 15.1.
 *
 * XLA launches in the order of the module's schedule: what runs aside (collectives, copies, other
 * streams) begins no sooner than what was launched on the compute lane before it, and the compute
 * lane goes on until the `-done`, which waits for it. Loops are laid out turn by turn.
 */
#ifndef JR_ANALYSIS_LAUNCH_ORDER_H
#define JR_ANALYSIS_LAUNCH_ORDER_H

#include "model/profile/profile.h"

/* Each runs one thunk after the other. */
enum jr_lane { JR_LANE_COMPUTE, JR_LANE_COLLECTIVE, JR_LANE_COPY, JR_LANE_ASIDE, JR_N_LANES };

/* An execution of a thunk, or a wait of the compute lane for some that run aside. */
struct jr_launch {
	uint32_t op;          /* row of ops; JR_NONE: a wait */
	uint32_t execution;   /* thunk_execution; of a wait 0 */
	uint32_t first, last; /* of a wait: for launches [first, last) */
	uint8_t lane;         /* enum jr_lane; of a wait JR_LANE_COMPUTE */
	bool rendezvous;      /* a collective: its devices end it together */
	bool joins;           /* runs aside, and the compute lane waits for it at once */
	/* 1 + the last launch of each lane whose result it takes, 0 = none; where not known all 0. */
	uint32_t needs[JR_N_LANES];
};

struct jr_launch_order {
	size_t n;
	struct jr_launch *items;
	bool scheduled; /* by the program's schedule, with what takes what; else nothing is in it */
	const char *why_not; /* a clause, where it is not scheduled */
};

/**
 * The order by the schedule in the program's HLO.
 *
 * @param counts  [n_ops] how often an execution of the program runs each thunk at most; 0 of others
 * @return `scheduled` false where the HLO is missing, states no schedule, does not have all thunks,
 *         or is so made that it takes more than 64 times as long as it is large; in `arena`
 * @note O(instructions times turns of their loops)
 */
struct jr_launch_order jr_launch_order_of(const struct jr_profile *profile, uint32_t program,
	const uint32_t *counts, struct jr_arena *arena);

/**
 * The order in which the thunks of a program began in the steps, where there is no schedule. What
 * runs aside is waited for by the first thunk behind it that always began after it had ended.
 *
 * @param replay      with its steps, devices and parts; nothing else of it is read
 * @param counts      [n_ops] as above
 * @param first_thunk [modules.n + 1] first row of thunks of each module
 * @return `scheduled` false; in `arena`
 * @note O(thunk rows of the steps log)
 */
struct jr_replay;
struct jr_launch_order jr_launch_order_measured(const struct jr_replay *replay, uint32_t program,
	const uint32_t *counts, const size_t *first_thunk, struct jr_arena *arena);

/** The lane that a thunk runs on, as its name or its instruction tells. */
enum jr_lane jr_lane_of(const struct jr_profile *profile, const struct jr_op *op);
/** True of a collective, which devices end together; not of copies. */
bool jr_is_rendezvous(const struct jr_profile *profile, const struct jr_op *op);

#endif
