/*
 * replay.h - replay of a job's steps on their dependency graph, as measured or with a change.
 * Layer: analysis.  Definitions: README.md, section 15.
 *
 * A node is an execution of a thunk on a device. It begins when its dependencies have ended and a
 * gap has passed, and it takes its duration. A collective ends on all of its devices when the last
 * of them has arrived and the transfer is done. With the measured gaps and durations each step is
 * reproduced to the nanosecond. Results of the replay never enter the measured tables.
 */
#ifndef JR_ANALYSIS_REPLAY_H
#define JR_ANALYSIS_REPLAY_H

#include "analysis/schedule/launch_order.h"
#include "analysis/core/pass.h"

/* An execution that occurs in each step: the first of a program, the second, ... */
struct jr_replay_segment {
	uint32_t program;
	uint32_t first, last; /* launches [first, last) */
	bool other;           /* of a program that is not one of the top modules */
};

/* A device's part of a segment in one step. */
struct jr_replay_part {
	uint32_t module;          /* row of modules; JR_NONE: the device does not run it in this step */
	int64_t begin_ns, end_ns; /* of the module, on the common clock since the profile's origin */
	int64_t tail_ns;          /* from the end of its last thunk to the end of the module */
	int64_t between_ns;       /* to the start of the device's next part; 0 for the last one */
	int64_t idle_ns;          /* part of between_ns in which no module ran */
	uint32_t next;            /* row of modules of the device's next part; JR_NONE: none */
};

/* Whether the host waits for the device before it launches a module. If it does, it launches
 * earlier by as much as the device is done earlier. */
enum jr_replay_host {
	JR_HOST_UNKNOWN,
	JR_HOST_WAITS,
	JR_HOST_GOES_ON, /* keeps its time since the launch before */
};

/* How launches limit a replay. */
enum jr_hosting {
	JR_HOSTS_WAIT,  /* no module begins before it is launched; unknown hosts wait */
	JR_HOSTS_GO_ON, /* the same, but unknown hosts go on */
	JR_HOSTS_EARLY, /* no limit */
	JR_N_HOSTING
};

/* Launch of a module of the steps, or of another module between them. */
struct jr_replay_launch {
	int64_t gap_ns;   /* since the latest end of earlier modules; negative if they overlap */
	int64_t soon_ns;  /* the same if it were launched in time */
	int64_t early_ns; /* how much earlier its launch would let it begin; INT64_MAX: any time */
	uint8_t host;     /* enum jr_replay_host, before its launch */
};

/* Effect of a thunk on the fit of the replay. */
struct jr_replay_misfit {
	uint32_t op;
	double ns; /* mean per step and device: difference between replayed and measured start */
};

struct jr_replay {
	const struct jr_profile *profile;
	uint32_t program; /* program of the steps, whose executions begin them */
	struct jr_launch_order order;
	size_t n_devices, n_steps; /* replayed devices and steps */
	size_t n_periods;        /* steps [0, n_periods) that are followed by another one; at least 1 */
	size_t n_all;            /* number of steady steps */
	const uint32_t *devices; /* [n_devices] rows of devices */
	uint32_t *next_of_process; /* [n_devices] the next one of the same process, in a circle */
	size_t n_segments; /* per step, in the order in which each device runs its own segments */
	struct jr_replay_segment *segments;
	size_t main;                       /* segment of `program` */
	struct jr_replay_part *parts;      /* [n_steps][n_segments][n_devices] */
	struct jr_replay_launch *launches; /* [modules.n] */
	double *between_all_ns;            /* [n_devices] sum of positive between_ns over all periods */
	/* [n_steps][order.n][n_devices]: row of thunks (JR_NONE: it did not run in that step), its
	 * duration, and the gap between the end of its dependencies and its start (for a collective:
	 * its arrival). Replays read these arrays in order, and rows of thunks never. */
	uint32_t *rows;
	int64_t *dur_ns, *gap_ns;
	int64_t *late_ns; /* [n_steps][n_rendezvous][n_devices] from release to end */
	size_t n_rendezvous;
	uint32_t *rendezvous; /* [order.n] number among the rendezvous, or JR_NONE */
	/* [n_ops] only for collectives: [n_devices] number of each device's group, below n_devices;
	 * NULL: all devices are one group */
	uint32_t **groups;
	bool unseen;         /* some devices of a collective were not recorded */
	bool host_unknown;   /* for some launch it is not known what the host did before it */
	bool host_elsewhere; /* before some launch the host waits for a device that is replayed later */
	double period_ns;    /* period of the replay as measured: mean over devices */
	double settled_ns[JR_N_HOSTING]; /* after leads have settled: baseline for changes */
	/* Leave-one-out: each step with its own durations and the gaps of the others. */
	double error_mean, error_worst; /* fractions; NaN: a single step */
	bool believed;
	const char *doubt; /* why not, a sentence; NULL if it is believed */
	size_t n_misfits;
	const struct jr_replay_misfit *misfits; /* largest first, at most 5; set only if not believed */
};

/* Change of one thunk. */
struct jr_op_change {
	double scale;     /* factor of its duration; for a collective, of its transfer */
	int64_t most_ns;  /* upper limit after scaling */
	int64_t exact_ns; /* replaces the duration, if not -1 */
};

/* A change to replay; all zero: no change. */
struct jr_change {
	const struct jr_op_change *ops; /* [n_ops]; NULL: none */
	const uint8_t *as_median; /* [n_devices of the profile] devices that compute as long as the
							   * median of the others; NULL: none */
	const int64_t *between_less_ns; /* [n_devices of the profile] reduction of the time between
									 * modules per mean step; NULL: none */
	const uint8_t *less_programs;   /* [n_programs] programs that belong to that time; NULL */
	bool no_gaps;                   /* no gaps between thunks inside modules */
	bool never_late;                /* no idle time between modules */
	bool overlap; /* asynchronous launches begin as soon as their operands are ready, and only
				   * users of their results wait; only if order.scheduled */
};

/**
 * Build the graph of the steady steps, on all devices that run the program of the steps.
 *
 * @return in `arena`; NULL if there are no such steps, or they have no thunks
 * @note O(thunk rows of the steps log steps + instructions of the program times turns of loops)
 */
struct jr_replay *jr_replay_new(const struct jr_pass_context *ctx, struct jr_arena *arena);

/* Predicted period with a change, ns. */
struct jr_prediction {
	double period_ns;       /* NaN: an interval, or not known */
	double low_ns, high_ns; /* equal to period_ns if that is known; NaN: not known */
	const char *unknown;    /* why it is not a number, a clause; NULL: it is a number */
};

/**
 * Predict the step time with a change, as the mean over devices: the measured period plus the
 * difference that the change makes to the settled period. The result is a number, or an interval if
 * it depends on facts that the profile does not show. At least 0.
 * @note O(thunk rows of the steps)
 */
struct jr_prediction jr_replay_predict(const struct jr_replay *r, const struct jr_change *change);

/** Return "1.2 ms", "0.1–1.2 ms", or "not known" if the ends are NaN. In `arena`, or static. */
const char *jr_replay_range_text(struct jr_arena *arena, double low_ns, double high_ns);

/** Return the error of a predicted period, ns: error_mean of the time within the module, mean over
 * steps and devices; NaN for a single step. */
double jr_replay_error_ns(const struct jr_replay *r);

/** Return an array in which no op is changed, in `arena`; the caller fills it. */
struct jr_op_change *jr_op_changes_new(const struct jr_profile *profile, struct jr_arena *arena);

/* --- the critical path ------------------------------------------------------------------------ */

enum jr_path_cause {
	JR_PATH_COMPUTE,
	JR_PATH_TRANSFER, /* of collectives */
	JR_PATH_COPY,     /* between host and device */
	JR_PATH_GAP,      /* between thunks inside modules */
	JR_PATH_HOST,     /* between modules: nothing ran */
	JR_PATH_OTHER,    /* between modules: other programs ran */
	JR_PATH_SKEW,     /* compensates that devices do not begin their steps together */
	JR_N_PATH_CAUSES
};

struct jr_path_op {
	int64_t path_ns; /* on the critical path, all periods */
	int64_t gap_ns;  /* the part of JR_PATH_GAP before it */
	double slack_ns; /* how much longer it could take before anything later begins later: minimum
					  * over its executions and devices, mean over steps; NaN: it did not run */
	uint32_t n_slack;
};

struct jr_path {
	int64_t cause_ns[JR_N_PATH_CAUSES]; /* sum over all periods; total n_periods * period */
	struct jr_path_op *ops;             /* [n_ops] */
	int64_t *device_ns;                 /* [n_devices of the profile] compute on the path */
	int64_t overlap_ns;                 /* of consecutive executions on it, all periods */
	/* For one step: its number among the steps, and the executions on its path. */
	size_t step;
	uint8_t *on_path; /* [order.n][n_devices] for that step */
};

/** Find the critical path of the measured steps, in `arena`. The executions on the path are kept
 * for `step`. O(thunk rows of the steps). */
const struct jr_path *jr_replay_path(
	const struct jr_replay *r, size_t step, struct jr_arena *arena);

/** Return ctx->path, found once per report. Executions are kept for the step of `execution`, or
 * else for the first step. Return NULL without a replay, or if executions of a device overlap so
 * much that a step has no such path. In critical_path.c. */
const struct jr_path *jr_critical_path(struct jr_pass_context *ctx, uint32_t execution);

#endif
