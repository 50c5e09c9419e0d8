/*
 * replay.h - the steps of a job replayed on the graph of what waits for what, as they were and
 * with something changed.
 * Layer: analysis.  Definitions: README.md, section 15.
 *
 * A node is an execution of a thunk on a device. It begins when what it waits for has ended and a
 * gap has gone by, and takes its duration; a collective ends on all of its devices when the last of
 * them has arrived and the transfer is done. With the gaps and durations that were measured each
 * step comes out as it was, to the nanosecond. Nothing of it enters the measured tables.
 */
#ifndef JR_ANALYSIS_REPLAY_H
#define JR_ANALYSIS_REPLAY_H

#include "analysis/schedule/launch_order.h"
#include "analysis/core/pass.h"

/* Steps beyond so many are sampled evenly. */
#define JR_REPLAY_STEPS 64
/* What is believed: errors as shares of the time within the module. */
#define JR_REPLAY_MEAN_ERROR 0.005
#define JR_REPLAY_WORST_ERROR 0.015

/* An execution that each step has: of a program its first, its second, ... */
struct jr_replay_segment {
	uint32_t program;
	uint32_t first, last; /* launches [first, last) */
	bool other;           /* of none of the top modules */
};

/* A device's part of a segment in a step. */
struct jr_replay_part {
	uint32_t module;          /* row of modules; JR_NONE: the device does not run it then */
	int64_t begin_ns, end_ns; /* of the module, on the common clock since the profile's origin */
	int64_t tail_ns;          /* from the end of its last thunk to that of the module */
	int64_t between_ns;       /* to the begin of the device's next part; of the last one 0 */
	int64_t idle_ns;          /* of that: no module ran */
	uint32_t next;            /* row of modules of the device's next part; JR_NONE: there is none */
};

/* Whether the host waits for the device before it launches a module: then it launches as much
 * earlier as the device is done earlier. */
enum jr_replay_host {
	JR_HOST_UNKNOWN,
	JR_HOST_WAITS,
	JR_HOST_GOES_ON, /* as long behind its launch ahead as it was */
};

/* How launches bound a replay. */
enum jr_hosting {
	JR_HOSTS_WAIT,  /* no module begins before it is launched; unknown hosts wait */
	JR_HOSTS_GO_ON, /* the same; unknown hosts go on */
	JR_HOSTS_EARLY, /* not at all */
	JR_N_HOSTING
};

/* What lies ahead of a module of the steps, or of another one between them. */
struct jr_replay_launch {
	int64_t gap_ns;   /* from the last end of those ahead; below 0 where they overlap */
	int64_t soon_ns;  /* the same, were it launched in time */
	int64_t early_ns; /* its launch would let it begin so much earlier; INT64_MAX: any time */
	uint8_t host;     /* enum jr_replay_host, ahead of its launch */
};

/* What a thunk does to the fit of the replay. */
struct jr_replay_misfit {
	uint32_t op;
	double ns; /* mean a step and device: how much earlier or later it begins than was measured */
};

struct jr_replay {
	const struct jr_profile *profile;
	uint32_t program; /* of the steps, whose executions begin them */
	struct jr_launch_order order;
	size_t n_devices, n_steps; /* that are replayed */
	size_t n_periods;          /* steps [0, n_periods) are followed by another one; at least 1 */
	size_t n_all;              /* steady steps that there are */
	const uint32_t *devices;   /* [n_devices] rows of devices */
	size_t n_segments;         /* of a step, in the order in which each device runs its own */
	struct jr_replay_segment *segments;
	size_t main;                       /* segment of `program` */
	struct jr_replay_part *parts;      /* [n_steps][n_segments][n_devices] */
	struct jr_replay_launch *launches; /* [modules.n] */
	double *between_all_ns;            /* [n_devices] what is above 0 of between_ns, all periods */
	/* [n_steps][order.n][n_devices]: row of thunks (JR_NONE: it did not run then), what went by
	 * between the end of what it waits for and its begin (of a collective: its arrival). */
	uint32_t *rows;
	int64_t *gap_ns;
	int64_t *late_ns; /* [n_steps][n_rendezvous][n_devices] end of a collective after its release */
	size_t n_rendezvous;
	uint32_t *rendezvous; /* [order.n] number among these, JR_NONE */
	/* [n_ops] of collectives: [n_devices] number of the group of a device, below n_devices; NULL:
	 * all are one */
	uint32_t **groups;
	bool unseen;         /* devices of some collective were not recorded */
	bool host_unknown;   /* it is not known of some launch what the host did ahead of it */
	bool host_elsewhere; /* ahead of some launch it waits for a device that is replayed behind it */
	double period_ns;    /* of the replay as measured: mean over devices */
	double settled_ns[JR_N_HOSTING]; /* where leads are settled: what changes are held against */
	/* Leave-one-out: each step by its own durations and the gaps of the others. */
	double error_mean, error_worst; /* fractions; NaN: a single step */
	bool believed;
	const char *doubt; /* why not, a sentence; NULL where it is believed */
	size_t n_misfits;
	const struct jr_replay_misfit *misfits; /* the largest first, at most 5; where not believed */
};

/* Of one thunk. */
struct jr_op_change {
	double scale;     /* of its duration; a collective's is its transfer */
	int64_t most_ns;  /* then cut to that */
	int64_t exact_ns; /* instead, where not -1 */
};

/* What is changed; all zero: nothing. */
struct jr_change {
	const struct jr_op_change *ops; /* [n_ops]; NULL: none */
	const uint8_t *as_median; /* [n_devices of the profile] whose computing takes as long as the
							   * median of the others; NULL: none */
	const int64_t *between_less_ns; /* [n_devices of the profile] so much less between modules in a
									 * mean step; NULL */
	const uint8_t *less_programs;   /* [n_programs] whose executions are part of that time; NULL */
	bool no_gaps;                   /* nothing goes by between thunks inside modules */
	bool never_late;                /* nothing idles between modules */
	bool overlap; /* what runs aside begins as soon as its operands are there, and is waited for
				   * where it is taken; only where order.scheduled */
};

/**
 * The graph of the steady steps of the program of the steps, on all devices that run it.
 *
 * @return in `arena`; NULL where there are no such steps, or no thunk of them
 * @note O(thunk rows of the steps log steps + instructions of the program times turns of loops)
 */
struct jr_replay *jr_replay_new(const struct jr_pass_context *ctx, struct jr_arena *arena);

/* The period with a change, ns. */
struct jr_prediction {
	double period_ns;       /* NaN: it is an interval, or not known */
	double low_ns, high_ns; /* both period_ns where that is known; NaN: not known */
	const char *unknown;    /* why it is no number, a clause; NULL: it is one */
};

/**
 * What a step would take with a change, mean over devices: the measured period, and what the change
 * makes of the settled one. A number, or an interval where it depends on what the profile does not
 * show. At least 0.
 * @note O(thunk rows of the steps)
 */
struct jr_prediction jr_replay_predict(const struct jr_replay *r, const struct jr_change *change);

/** "1.2 ms", "0.1–1.2 ms", or "not known" where the ends are NaN. In `arena`, or static. */
const char *jr_replay_range_text(struct jr_arena *arena, double low_ns, double high_ns);

/** What a predicted period is off by, ns: error_mean of the time within the module, mean over steps
 * and devices; NaN of a single step. */
double jr_replay_error_ns(const struct jr_replay *r);

/** No change of any op, in `arena`: to be filled. */
struct jr_op_change *jr_op_changes_new(const struct jr_profile *profile, struct jr_arena *arena);

/* --- the critical path ------------------------------------------------------------------------ */

enum jr_path_cause {
	JR_PATH_COMPUTE,
	JR_PATH_TRANSFER, /* of collectives */
	JR_PATH_COPY,     /* between host and device */
	JR_PATH_GAP,      /* between thunks inside modules */
	JR_PATH_HOST,     /* between modules: nothing ran */
	JR_PATH_OTHER,    /* between modules: other programs */
	JR_PATH_SKEW,     /* devices do not begin their steps together: what makes up for it */
	JR_N_PATH_CAUSES
};

struct jr_path_op {
	int64_t path_ns; /* on the critical path, all periods */
	int64_t gap_ns;  /* of JR_PATH_GAP: ahead of it */
	double slack_ns; /* how much longer it could take before anything begins later: the least over
					  * its executions and devices, mean over steps; NaN: it did not run */
	uint32_t n_slack;
};

struct jr_path {
	int64_t cause_ns[JR_N_PATH_CAUSES]; /* all periods; they add up to n_periods * period */
	struct jr_path_op *ops;             /* [n_ops] */
	int64_t *device_ns;                 /* [n_devices of the profile] compute on it, and what it
										 * arrives last at */
	/* Of one step: its number among the steps, and which executions are on the path. */
	size_t step;
	uint8_t *on_path; /* [order.n][n_devices] of that step */
};

/** Of the steps as measured, in `arena`. `step` is whose path is kept. O(thunk rows of the steps).
 */
const struct jr_path *jr_replay_path(
	const struct jr_replay *r, size_t step, struct jr_arena *arena);

/** The same, made once a report: ctx->path. The step kept is that of the execution, else the first.
 * NULL without a replay. In critical_path.c. */
const struct jr_path *jr_critical_path(struct jr_pass_context *ctx, uint32_t execution);

/** What hiding communication could win of what is in the open, and why no more: two sentences. NULL
 * where none is in the open or the replay is not believed. In critical_path.c. */
const char *jr_replay_hiding(struct jr_pass_context *ctx);

/* --- shared by replay*.c ---------------------------------------------------------------------- */

/* One step under way. */
struct jr_replay_run {
	const struct jr_replay *r;
	const struct jr_change *change;
	bool as_begun; /* segments begin when they did */
	enum jr_hosting hosting;
	/* [n_devices] where launches bound: how much later than measured the first step begins, and how
	 * much later than that the last launch came */
	int64_t *base_ns, *host_ns;
	const struct jr_replay_part **last; /* [n_devices] that ended last; NULL: none did */
	int64_t *last_ns;                   /* [n_devices] when it ended */
	uint8_t *held_up; /* [n_devices] in this step, by a launch that did not wait for it */
	/* [n_devices] part that ended last, the begin of whose next one is still to be found; NULL */
	const struct jr_replay_part **ended;
	int64_t *lead_ns, *host_lead_ns; /* [n_devices] scratch: the same at the begin of a step */
	int64_t *lane_end_ns;            /* [n_devices][JR_N_LANES] */
	int64_t *part_end_ns;            /* [n_segments][n_devices] of parts */
	uint32_t *part_last;        /* the same, where the path is followed: launch that ended last */
	int64_t *start_ns, *end_ns; /* [order.n][n_devices]; INT64_MIN where it did not run */
	double *less_share;         /* [n_devices] of the time between modules that the change takes */
	int64_t *group_ns;          /* [2 * n_devices] scratch: last arrival, transfer */
	int64_t *sorted_ns;         /* [n_devices] scratch */
	/* Where the path is followed, else NULL: which launch ended last of what it waits for, and of a
	 * collective which device arrived last; lane_by: the same of lanes. */
	uint32_t *bound_by, *last_device; /* [order.n][n_devices] */
	uint32_t *lane_by;                /* [n_devices][JR_N_LANES] */
};

/** For runs one after the other, in `arena`. */
struct jr_replay_run *jr_replay_run_new(
	const struct jr_replay *r, const struct jr_change *change, bool follow, struct jr_arena *arena);
/**
 * A step that begins on each device at at_ns[n_devices], where goes when the device's next step
 * begins; when its modules end goes to run->part_end_ns.
 * @param gaps, lates  of that step, as in the replay
 */
void jr_replay_step(struct jr_replay_run *run, size_t step, int64_t *at_ns, const int64_t *gaps,
	const int64_t *lates);

/** The period from the begins that were measured, ns, mean over devices. */
double jr_replay_measured_period(const struct jr_replay *r);
/** The period where devices have got as far ahead of each other as they come to be with the change:
 * the last eight steps ahead, then all of them until that stays what it is, at most four times. */
double jr_replay_settled_period(
	const struct jr_replay *r, const struct jr_change *change, enum jr_hosting hosting);

/** Of int64, for sorting. */
int jr_replay_compare_ns(const void *a, const void *b);

/** What goes by between that part and the device's next one, with the change (NULL: none), which
 * takes that share of it. */
int64_t jr_replay_between_ns(
	const struct jr_change *change, const struct jr_replay_part *part, double less_share);

/** True where anything runs beside compute. O(launches). */
static inline bool jr_replay_any_aside(const struct jr_replay *r)
{
	for (size_t i = 0; i < r->order.n; i++)
		if (r->order.items[i].lane != JR_LANE_COMPUTE)
			return true;
	return false;
}

/** Index of a cell of rows, gap_ns. */
static inline size_t jr_replay_cell(
	const struct jr_replay *r, size_t step, size_t item, size_t device)
{
	return (step * r->order.n + item) * r->n_devices + device;
}

/** A device's part of a segment. */
static inline struct jr_replay_part *jr_replay_part_of(
	const struct jr_replay *r, size_t step, size_t segment, size_t device)
{
	return &r->parts[(step * r->n_segments + segment) * r->n_devices + device];
}

static inline size_t jr_replay_n_parts(const struct jr_replay *r)
{
	return r->n_steps * r->n_segments * r->n_devices;
}

/** Number among all steady steps of a step that is replayed. */
static inline size_t jr_replay_step_number(const struct jr_replay *r, size_t step)
{
	return r->n_steps > 1 ? step * (r->n_all - 1) / (r->n_steps - 1) : 0;
}

/** Which execution of the program of the steps a step is. */
static inline uint32_t jr_replay_execution(const struct jr_replay *r, size_t step)
{
	for (size_t d = 0; d < r->n_devices; d++) {
		uint32_t module = jr_replay_part_of(r, step, r->main, d)->module;
		if (module != JR_NONE)
			return r->profile->modules.program_execution[module];
	}
	return JR_NONE;
}

/** Whether each step runs the program. O(segments). */
static inline bool jr_replay_runs(const struct jr_replay *r, uint32_t program)
{
	for (size_t s = 0; s < r->n_segments; s++)
		if (r->segments[s].program == program)
			return true;
	return false;
}

/** When a step begins on each device, as measured, to begin_ns[n_devices]. */
void jr_replay_begins(const struct jr_replay *r, size_t step, int64_t *begin_ns);

/* Longer spans of time do not go together with figures to the nanosecond (half a year). */
#define JR_REPLAY_MOST_NS (INT64_C(1) << 54)

/** On the common clock, whole ns since the profile's origin. */
int64_t jr_replay_aligned(const struct jr_profile *profile, int64_t t_ns, uint32_t device);
/** Whether time can be reckoned with: what lies far from the origin does not add up. */
bool jr_replay_near(const struct jr_profile *profile, int64_t start_ns, int64_t dur_ns);

/** Devices, steps, segments and parts (but tail_ns), in `arena`; false: there are no steady steps.
 * replay_steps.c. O(module rows times stages). */
bool jr_replay_find_steps(const struct jr_pass_context *ctx, struct jr_replay *r,
	struct jr_arena *arena, struct jr_arena *scratch);

/**
 * What is known of the launches of modules, to r->launches, in `arena`, r->host_unknown and
 * r->host_elsewhere.
 *
 * @param segment_of  [modules.n] segment of each module in a step; JR_NONE: in none
 * @param step_of     [modules.n] number of its step
 * @note O(modules log modules + compile rows log + calls of CUDA log); replay_host.c
 */
void jr_replay_find_hosts(const struct jr_profile *profile, struct jr_replay *r,
	const uint32_t *segment_of, const uint32_t *step_of, struct jr_arena *arena,
	struct jr_arena *scratch);

/** Compare the replay with what was measured; sets errors, belief and doubt. */
void jr_replay_check(struct jr_replay *r, struct jr_arena *arena);

#endif
