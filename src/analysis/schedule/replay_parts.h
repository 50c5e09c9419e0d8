/*
 * replay_parts.h - what the files that replay steps, or walk through a replay, share.
 * Layer: analysis, private to schedule.
 */
#ifndef JR_ANALYSIS_REPLAY_PARTS_H
#define JR_ANALYSIS_REPLAY_PARTS_H

#include "analysis/schedule/replay.h"

/* Limit of replayed steps; more are sampled evenly. Steps of many thunks are fewer, as many as run
 * that number of thunks on all devices, because each question replays all of them several times. */
#define JR_REPLAY_STEPS 64
#define JR_REPLAY_FEW_STEPS 16
#define JR_REPLAY_THUNKS (1 << 17)
/* Error limits of a believed replay, as shares of the time within the module. */
#define JR_REPLAY_MEAN_ERROR 0.005
#define JR_REPLAY_WORST_ERROR 0.015

/* State of a replay. */
struct jr_replay_run {
	const struct jr_replay *r;
	const struct jr_change *change;
	bool as_begun; /* segments begin at their measured times */
	enum jr_hosting hosting;
	/* [n_devices] if launches limit the replay: how much later than measured the first step begins,
	 * and how much later than that the last launch came */
	int64_t *base_ns, *host_ns;
	const struct jr_replay_part **last; /* [n_devices] part that ended last; NULL: none did */
	int64_t *last_ns;                   /* [n_devices] its end */
	uint8_t *held_up; /* [n_devices] in this step a launch that did not wait delayed the device */
	/* [n_devices] last part whose successor has no start yet; NULL: none */
	const struct jr_replay_part **ended;
	int64_t *lead_ns, *host_lead_ns; /* [n_devices] scratch: leads at the start of a step */
	int64_t *lane_end_ns;            /* [n_devices][JR_N_LANES] */
	int64_t *part_end_ns;            /* [n_segments][n_devices] ends of parts */
	uint32_t *part_last;             /* [n_segments][n_devices] last launch to end, if followed */
	int64_t *start_ns, *end_ns;      /* [order.n][n_devices]; INT64_MIN where it did not run */
	double *less_share; /* [n_devices] share of the time between modules that the change removes */
	int64_t *group_ns;  /* [2 * n_devices] scratch: last arrival, transfer */
	int64_t *values_ns; /* [n_devices] scratch */
	int64_t *median_ns; /* [n_steps][order.n] of devices that keep their times, plus 1; 0: not yet
						 * known; NULL if no device is set to the median */
	/* Set only if the path is followed: the dependency of each launch that ended last, and for a
	 * collective the device that arrived last. lane_by: the same for lanes. */
	uint32_t *bound_by, *last_device; /* [order.n][n_devices] */
	uint32_t *lane_by;                /* [n_devices][JR_N_LANES] */
};

/** Create the state for consecutive replays, in `arena`. */
struct jr_replay_run *jr_replay_run_new(
	const struct jr_replay *r, const struct jr_change *change, bool follow, struct jr_arena *arena);
/**
 * Replay one step that begins on each device at at_ns[n_devices]. Return the starts of the next
 * step there, and the ends of its modules in run->part_end_ns.
 * @param gaps, lates  of that step, as in the replay
 */
void jr_replay_step(struct jr_replay_run *run, size_t step, int64_t *at_ns, const int64_t *gaps,
	const int64_t *lates);

/** Return the period from the measured starts, ns, mean over devices. */
double jr_replay_measured_period(const struct jr_replay *r);
/**
 * Return the period after the leads of devices over each other have settled under the change. It
 * replays the last eight steps first, then all steps until the leads stay the same, at most four
 * times.
 */
double jr_replay_settled_period(
	const struct jr_replay *r, const struct jr_change *change, enum jr_hosting hosting);

/** Return the time between the part and the device's next one, with the change (NULL: none), which
 * removes the given share of it. */
int64_t jr_replay_between_ns(
	const struct jr_change *change, const struct jr_replay_part *part, double less_share);

/** Return true if any launch is not on the compute lane. O(launches). */
static inline bool jr_replay_any_aside(const struct jr_replay *r)
{
	for (size_t i = 0; i < r->order.n; i++)
		if (r->order.items[i].lane != JR_LANE_COMPUTE)
			return true;
	return false;
}

/** Return the index of a cell of rows and gap_ns. */
static inline size_t jr_replay_cell(
	const struct jr_replay *r, size_t step, size_t item, size_t device)
{
	return (step * r->order.n + item) * r->n_devices + device;
}

/** Return a device's part of a segment. */
static inline struct jr_replay_part *jr_replay_part_of(
	const struct jr_replay *r, size_t step, size_t segment, size_t device)
{
	return &r->parts[(step * r->n_segments + segment) * r->n_devices + device];
}

static inline size_t jr_replay_n_parts(const struct jr_replay *r)
{
	return r->n_steps * r->n_segments * r->n_devices;
}

/** Return the number of a replayed step among all steady steps. */
static inline size_t jr_replay_step_number(const struct jr_replay *r, size_t step)
{
	return r->n_steps > 1 ? step * (r->n_all - 1) / (r->n_steps - 1) : 0;
}

/** Return the execution number of the steps' program in a step. */
static inline uint32_t jr_replay_execution(const struct jr_replay *r, size_t step)
{
	for (size_t d = 0; d < r->n_devices; d++) {
		uint32_t module = jr_replay_part_of(r, step, r->main, d)->module;
		if (module != JR_NONE)
			return r->profile->modules.program_execution[module];
	}
	return JR_NONE;
}

/** Return true if each step runs the program. O(segments). */
static inline bool jr_replay_runs(const struct jr_replay *r, uint32_t program)
{
	for (size_t s = 0; s < r->n_segments; s++)
		if (r->segments[s].program == program)
			return true;
	return false;
}

/** Set begin_ns[n_devices] to the measured start of a step on each device. */
void jr_replay_begins(const struct jr_replay *r, size_t step, int64_t *begin_ns);

/* Limit of times (half a year): longer spans and nanosecond precision do not fit together. */
#define JR_REPLAY_MOST_NS (INT64_C(1) << 54)

/** Return a time on the common clock, in whole ns since the profile's origin. */
int64_t jr_replay_aligned(const struct jr_profile *profile, int64_t t_ns, uint32_t device);
/** Return true if the times are near enough to the origin to add up without overflow. */
bool jr_replay_near(const struct jr_profile *profile, int64_t start_ns, int64_t dur_ns);

/** Find devices, steps, segments and parts (without tail_ns), in `arena`. Return false if there are
 * no steady steps. replay_steps.c. O(module rows times stages). */
bool jr_replay_find_steps(const struct jr_pass_context *ctx, struct jr_replay *r,
	struct jr_arena *arena, struct jr_arena *scratch);

/**
 * Find the launches of modules. Set r->launches, in `arena`, r->host_unknown and r->host_elsewhere.
 *
 * @param segment_of  [modules.n] segment of each module in a step; JR_NONE: in none
 * @param step_of     [modules.n] number of its step
 * @note O(modules log modules + compile rows log + calls of CUDA log); replay_host.c
 */
void jr_replay_find_hosts(const struct jr_profile *profile, struct jr_replay *r,
	const uint32_t *segment_of, const uint32_t *step_of, struct jr_arena *arena,
	struct jr_arena *scratch);

/** Compare the replay with the measured times. Set errors, believed and doubt. */
void jr_replay_check(struct jr_replay *r, struct jr_arena *arena);

#endif
