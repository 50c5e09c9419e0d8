/*
 * findings.h - rules that look for causes of lost time, and their shared functions.
 * Layer: analysis, private to findings*.c.
 *
 * A rule measures one number, and reports a finding if the number passes its threshold. Rules are
 * rows of one table (findings.def). They read the profile and the sections of earlier passes, and
 * nothing that is not in the report.
 *
 * Potential saving of a finding. A device needs its time of a step without exposed waiting, because
 * waiting shrinks as soon as the awaited device is faster. The step takes as long as the device
 * with the largest need. A claim on part of each device's time could therefore save at most
 *
 * 	max over devices of need - max over devices of (need - claim),  need = wall - exposed waiting
 *
 * Time saved on a device that the others do not wait for saves nothing. If devices wait for each
 * other in turns, the step takes longer than the need of any device. Balanced work could save this
 * excess, too.
 */
#ifndef JR_ANALYSIS_FINDINGS_H
#define JR_ANALYSIS_FINDINGS_H

#include "analysis/devices/slowness.h"
#include "analysis/shared/columns.h"
#include "analysis/cost/cost.h"
#include "analysis/findings/findings_words.h"
#include "analysis/memory/program_memory.h"
#include "analysis/schedule/replay.h"

/* Parts of a step, times the steps of all devices. For programs without XLA they are the columns of
 * the GPU time breakdown, summed over devices, with idle time as IDLE_BETWEEN. */
enum jr_ledger_part {
	JR_PART_COMPUTE,
	JR_PART_COMMUNICATION,
	JR_PART_COPY,
	JR_PART_IDLE_INSIDE,
	JR_PART_IDLE_BETWEEN,
	JR_PART_OTHER,
	JR_PART_TRANSFER, /* part of communication */
	JR_PART_WAITING,  /* part of communication */
	JR_PART_BETWEEN,  /* limit for small programs: idle between modules, other programs, and
					   * compute (small top modules count as compute) */
	JR_N_PARTS
};

struct jr_check;
struct jr_facts; /* advice.h */

/* Subject of a rule, as named in findings.def. */
enum {
	JR_OF_XLA = 1,      /* programs of XLA */
	JR_OF_GPU = 2,      /* programs without XLA */
	JR_OF_ANY = 3,      /* both */
	JR_OF_PROFILER = 4, /* traces of jax.profiler */
	JR_OF_RECORDS = 8,  /* GPU records that are missing or impossible */
	JR_OF_INPUTS = 16,  /* several processes */
	JR_OF_PLAN = 32,    /* programs that were compiled but not measured */
};

struct jr_rule {
	unsigned of;
	const char *id;		   /* stable, findings[].id */
	const char *looks_for; /* "time in which no module runs" */
	const char *measure;   /* meaning of its number: "of the wall" */
	const char *section;   /* pass with the details */
	enum jr_cause cause;
	enum jr_unit unit;	   /* of the number: FRAC, COUNT or NS */
	enum jr_severity severity;
	double threshold; /* threshold of a finding */
	double serious;	  /* threshold of a warning; NaN: never more than `severity` */
	bool below;		  /* a finding if below the threshold */
	void (*run)(struct jr_check *c);
	const char *takes; /* what it needs to judge: "a compile trace" */
};

/* findings.def */
extern const struct jr_rule jr_rules[];
extern const size_t jr_n_rules;
#define JR_RULE(of, name, ...) void jr_rule_##name(struct jr_check *c);
#include "analysis/findings/findings.def"
#undef JR_RULE

/* A step of one device, ns. */
struct jr_device_step {
	double part_ns[JR_N_PARTS];
	double wall_ns; /* 0: the device takes no steps */
};

/* Of a finding about time that another one, the subject, counts too. */
#define JR_FINDINGS_OVERLAP                                                                        \
	"Some of this time is also counted in “%s”, so the two savings do not add up."

/* Active time of an op on a device, within the window of its steps. */
struct jr_window_op {
	uint32_t op;
	int64_t active_ns;
	int64_t count;
};

/* State of one rule. Members from `value` on are zero at first. */
struct jr_check {
	struct jr_pass_context *ctx;
	const struct jr_rule *rule;
	bool of_jax; /* the program is known to use JAX */
	double part_ns[JR_N_PARTS], wall_ns;  /* as above; wall: sum of the parts */
	const struct jr_device_step *devices; /* [n_devices]; NULL if no XLA program ran */
	struct jr_facts **facts; /* cached facts about the program; shared by all rules */
	/* Ops of device d: [first[d], first[d + 1]), in first-seen order; shared by all rules. */
	struct {
		size_t *first;
		struct jr_window_op *ops;
	} windows;
	/* Times that earlier rules reported, so that no time is reported twice. Shared by all rules.
	 * [n_devices] ns per step between modules, and of exposed transfer. [n_ops] transfers and
	 * kernels, over all devices and steady steps. */
	double *explained_ns, *explained_transfer_ns, *explained_op_ns;
	double *explained_once_ns; /* idle time between modules that occurs in few steps only: total,
								* mean over devices */
	uint32_t step;						  /* program of the steps, JR_NONE = nothing ran */
	double n_steps;						  /* of jr_steady: over all devices */
	size_t n_gpus; /* programs without XLA: number of devices over which times are summed */
	double value;						  /* measured value; NaN = cannot be determined */
	bool fired;
	const char *abstains; /* why the rule did not run; NULL: it ran */
	struct jr_finding finding;
	/* Claim of the finding: [n_devices] ns per step of claim_part; NULL = none. */
	const double *claim_ns;
	enum jr_ledger_part claim_part;
	bool claims_part;          /* true: the whole part */
	const double *claim_share; /* [n_ops] claimed shares of times; NULL: another form */
	double shares_ns;          /* their time per step, mean over all steps and devices */
	const uint8_t *claim_programs; /* [n_programs] programs whose executions are claimed together
								   * with the time between modules; NULL: another form */
	struct jr_change *change;  /* change that the rule states; otherwise it follows from the
								* claim */
	bool claims_turns; /* claims the time by which the step exceeds the need of any device */
	const struct jr_late *since; /* when it began, if it is not about all steps; else NULL */
	double named_ns;   /* time in the title, ns per step; the saving must not exceed it */
	uint32_t claim_op; /* op that is claimed as a whole or in part; JR_NONE = several */
};

/** Store the measured value. Return true if it is a finding; the rule then sets its texts. Call at
 * most once per check. */
bool jr_check_fires(struct jr_check *c, double value);
/** Do the same for a time: the value is its share of the wall. `step_ns`: per step. */
bool jr_check_fires_for(struct jr_check *c, double step_ns);
/** Set the potential saving for programs without XLA: `ns` over all devices, limited to the range
 * from 0 to `most_ns`, the part of the GPU time breakdown that it is taken from. */
void jr_check_recoverable(struct jr_check *c, double ns, double most_ns);
/** Claim claim_ns[n_devices] of a step of each device, limited to that part. The potential saving
 * follows from it, see above. `claim_ns` must live as long as the check. */
void jr_check_claim(struct jr_check *c, double *claim_ns, enum jr_ledger_part part);
/** Return the change that removes the cause, in the result arena. A rule fills it if its claim does
 * not determine the change. */
struct jr_change *jr_check_change(struct jr_check *c);
/** Return ns per step that claim_ns[n_devices] could save; other devices may then need the most
 * time. */
double jr_check_could_win(const struct jr_check *c, const double *claim_ns);
/** Return ns by which a step exceeds the largest need of any device. */
double jr_check_lost_by_turns(const struct jr_check *c);
/** Set the potential saving per step. */
void jr_check_promise(struct jr_check *c, double won_ns);
/** Set it to the replay's prediction for the finding's change, if both exist and the replay is
 * believed; at most the step. findings_predict.c. */
void jr_check_predict(struct jr_check *c);
/** If the finding began at a step (`since`): set its saving in each step since then.
 * findings_predict.c. */
void jr_check_since(struct jr_check *c);
/** Predict all findings together: at most the time by which a step exceeds its roofline time. */
void jr_check_predict_together(const struct jr_check *c);
/** Claim a cost that did not occur in each step: total_ns of the run, in `times` of its steps. It
 * is not a saving per step. The title contains named_ns. */
void jr_check_claim_once(struct jr_check *c, double total_ns, size_t times, double named_ns);
/** Take the claim back: the potential saving is not known. The finding is still about its op. */
void jr_check_disclaim(struct jr_check *c);
/** Return true if an op has steady executions and belongs to a top module. */
bool jr_check_ran(const struct jr_check *c, size_t op);
/** Return true if the op belongs to a top module. */
bool jr_check_is_top(const struct jr_check *c, const struct jr_op *op);
/** Return the number of devices that take steps. */
size_t jr_check_devices(const struct jr_check *c);
/** Claim the whole part on each device. */
void jr_check_claim_part(struct jr_check *c, enum jr_ledger_part part);
/** Claim the time by which the step exceeds the largest need of any device. In this time all
 * devices wait, each time for another one; balanced work could save it. */
void jr_check_claim_turns(struct jr_check *c);
/** Claim `ns` on each device. */
void jr_check_claim_each(struct jr_check *c, double ns, enum jr_ledger_part part);
/** Set c->windows, in the result arena. O(thunk rows). findings_check.c. */
void jr_check_add_windows(struct jr_check *c);
/**
 * Claim the time of steady executions of the ops set in ops[n_ops], or of one op `op`. Only
 * executions in the windows of the steps count, which matches the time breakdown. Return the time
 * for texts: ns per step, mean over all steps and devices, as in tables of kernels.
 */
double jr_check_claim_ops(struct jr_check *c, const uint8_t *ops);
double jr_check_claim_op(struct jr_check *c, uint32_t op);

/* Approximate time that a device takes between two dependent kernels. */
#define JR_SWITCH_NS 3000
#define JR_SWITCH "3 µs"

/** Claim a share of the time of each op in the windows of the steps, [n_ops] 0 to 1. Return the
 * time for texts as above. */
double jr_check_claim_shares(struct jr_check *c, const double *share);

/** Return the share of those times, means over all steps, that the median step has: below 1 if
 * steps are uneven and kernels take less time in the median one. 1 for other claims. */
double jr_check_typical_share(const struct jr_check *c);

/** Return the share of kernels launched by the step's HLO that have rows; NaN if it is not known,
 * or if there are too few launches. If it is far below one half, command buffers hide the
 * others. */
double jr_check_kernels_seen(struct jr_check *c);
#define JR_KERNELS_HIDDEN 0.20

/** Return true if the profile was taken with command buffers (CUDA graphs) off. */
bool jr_check_command_buffers_off(struct jr_check *c);
/** Return the wall of one step, ns. */
double jr_check_step_ns(const struct jr_check *c);

/** Return true if the share of lost rows reaches the rule's threshold. Lost rows make time look
 * idle or late, so such a result is not a finding. */
bool jr_check_rows_lost(const struct jr_check *c);

/** Return true if a row of thunks belongs to a steady execution of a top module and begins in its
 * device's window. */
bool jr_check_in_window(const struct jr_check *c, size_t thunk);
/** Return the steps of a device's window, the divisor for times in it: 1 for a single step. */
double jr_check_periods_of(const struct jr_check *c, size_t device);
/** Return the steady steps of a device that takes steps. */
double jr_check_steps_of(const struct jr_check *c, size_t device);

/** Return the index of the largest of values[n], the first of equal ones; SIZE_MAX for n = 0. */
size_t jr_check_largest(const double *values, size_t n);

/** Return true for a message of one buffer if much larger ones of its kind and group are faster. */
bool jr_check_is_small_message(struct jr_check *c, uint32_t op);
/**
 * Return a sentence that a collective is slower than its equals (same kind, group size and
 * approximate size), and how they differ. Return "" if it is not slower, or has no equals.
 * O(ops + instances).
 */
const char *jr_check_slower_than_equals(struct jr_check *c, uint32_t op);

/* Idle time of a device between two modules, in the window of its steps. */
struct jr_module_gap {
	int64_t begin_ns, end_ns;
	uint32_t device, after; /* after: row of modules that ends it */
};
struct jr_module_gaps {
	size_t n;
	struct jr_module_gap *items; /* sorted by device, then time */
};
/** Find the gaps in these windows, in the scratch arena. O(module rows). */
struct jr_module_gaps jr_check_gaps(
	const struct jr_check *c, const struct jr_step_windows *windows);

/* findings_python.c */
/**
 * Return a sentence on the most frequent Python activity in gaps between modules, for traces of
 * jax.profiler; NULL: not known. `is_input`: most of the gap time is spent on getting or moving the
 * next batch.
 */
const char *jr_check_python_in_gaps(struct jr_check *c, bool *is_input);
/* findings_facts.c */
/* Memory of the program with the peak, from the section's table. */
struct jr_memory_use {
	const char *id, *name; /* NULL: not known */
	double allocated_bytes, donated_bytes, part_bytes[JR_N_MEMORY_PARTS];
	const struct jr_table *live; /* buffers at its peak */
};
struct jr_memory_use jr_check_memory_use(const struct jr_check *c);
/** Return true if it is the memory of that program. */
bool jr_check_uses_memory(
	const struct jr_check *c, const struct jr_memory_use *use, uint32_t program);
/** Return the smallest memory, in bytes, of the devices that ran anything; 0: not known. */
uint64_t jr_check_device_memory(const struct jr_profile *p);
/** Return the share of the device's memory that the largest program allocates; NaN: not known. */
double jr_check_memory_share(const struct jr_check *c);
/** Return the table of buffers alive at the program's peak, and the memory allocated for it in
 * *allocated_bytes. Return NULL if the peak is not known, or is in another program. */
const struct jr_table *jr_check_live_at_peak(
	const struct jr_check *c, uint32_t program, double *allocated_bytes);
/** Return whether command buffers ran: 1, 0, or -1 if it cannot be determined. */
int jr_check_graphs_ran(struct jr_check *c);
/** Compare the latest device of a set with the devices outside of it. O(thunk rows + ops) */
struct jr_slowness jr_check_slowness(struct jr_check *c, const struct jr_late_set *set);
/** Return true if a device computes longer than the others, but not in all kernels. As costly. */
bool jr_check_slow_in_some(struct jr_check *c, uint32_t device);
/* findings_roofline.c */
/** Return the roofline results of a program that takes steps; NULL: none, or its peaks are not
 * known. */
const struct jr_roofline *jr_check_roofline(const struct jr_check *c);
/** Return shares[n_ops], all 0, in the scratch arena. */
double *jr_check_no_shares(struct jr_check *c);
/** Mark ops with a share above 0 as reported, so that later rules skip them. */
void jr_check_explain(struct jr_check *c, const double *share);
/** Return the share of an op's time above the roofline, 0 to 1; NaN: its roofline is not known. */
double jr_check_lost_share(const struct jr_check *c, uint32_t op);
/** Return true if an op is too short for a meaningful roofline. O(ops) */
bool jr_check_is_latency(const struct jr_check *c, uint32_t op);
/** Add advice for kernels of that kind far from the roofline, such as `op`. */
void jr_check_kind_advice(struct jr_check *c, enum jr_work_kind kind, uint32_t op);
/* findings_indexed.c */
/** Add advice for an op that gathers or scatters. Return false if it does neither, or if there is
 * no advice. */
bool jr_check_indexed_advice(struct jr_check *c, uint32_t op);
/** Return the gather or scatter that an op is or contains, a row of its program's instructions;
 * JR_NONE. */
uint32_t jr_check_indexed(struct jr_check *c, uint32_t op);
/* findings_memory.c */
/** Return "1.2 GB": outputs of the step that could reuse the memory of its parameters, but do not.
 * NULL: none, not known, or too small to report. */
const char *jr_check_donatable(struct jr_check *c);
/* findings_thunks.c */
/** Return true if an op only copies or transposes. */
bool jr_check_moves_data_only(const struct jr_profile *p, const struct jr_op *op);
/* findings_integrity.c */
/** Return why the rule does not judge: records are missing or impossible. NULL: it judges. */
const char *jr_check_abstains(struct jr_check *c);

#endif
