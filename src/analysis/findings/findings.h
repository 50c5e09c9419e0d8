/*
 * findings.h - rules that look for what costs time, and what they share.
 * Layer: analysis, private to findings*.c.
 *
 * A rule measures one number, and where that passes its threshold it says so in a finding. Rules
 * are rows of one table (findings.def); they read the profile and the sections of earlier
 * passes, and nothing that is not in the report.
 *
 * What a finding promises. A device needs its time of a step but for what it waits: that gives way
 * as soon as the device that is waited for is faster. The step takes what the device needs that
 * needs most, so that a claim of some of each device's time could win
 *
 *	max over devices of need - max over devices of (need - claim),  need = wall - exposed waiting
 *
 * and no more: what goes of a device that the others do not wait for wins nothing. Where devices
 * wait for each other by turns the step takes longer than any of them needs: what it does could be
 * won, too, by work that comes out even.
 */
#ifndef JR_ANALYSIS_FINDINGS_H
#define JR_ANALYSIS_FINDINGS_H

#include "analysis/shared/columns.h"
#include "analysis/cost/cost.h"
#include "analysis/core/flags.h"
#include "analysis/memory/program_memory.h"
#include "analysis/schedule/replay.h"

/* Parts of a step, times the steps of all devices; of a program that is not of XLA the columns of
 * the GPU ledger, summed over devices, whose idle time is IDLE_BETWEEN. */
enum jr_ledger_part {
	JR_PART_COMPUTE,
	JR_PART_COMMUNICATION,
	JR_PART_COPY,
	JR_PART_IDLE_INSIDE,
	JR_PART_IDLE_BETWEEN,
	JR_PART_OTHER,
	JR_PART_TRANSFER, /* of communication */
	JR_PART_WAITING,  /* of communication */
	JR_PART_BETWEEN,  /* what small programs may take: idle between modules, other programs, and
					   * compute, for those that are top modules count as that */
	JR_N_PARTS
};

struct jr_check;
struct jr_facts; /* advice.h */

/* What a rule is about, as findings.def calls it. */
enum {
	JR_OF_XLA = 1,      /* programs of XLA */
	JR_OF_GPU = 2,      /* other programs */
	JR_OF_ANY = 3,      /* both */
	JR_OF_PROFILER = 4, /* traces of jax.profiler */
	JR_OF_RECORDS = 8,  /* records of GPU operations that are missing, or cannot be */
	JR_OF_INPUTS = 16,  /* several processes */
};

struct jr_rule {
	unsigned of;
	const char *id;		   /* stable, findings[].id */
	const char *looks_for; /* "time in which no module runs" */
	const char *measure;   /* what its number is: "of the wall" */
	const char *section;   /* pass with the details */
	enum jr_cause cause;
	enum jr_unit unit;	   /* of the number: FRAC, COUNT or NS */
	enum jr_severity severity;
	double threshold; /* a finding from here on */
	double serious;	  /* a warning from here on; NaN: never more than `severity` */
	bool below;		  /* a finding below the threshold instead */
	void (*run)(struct jr_check *c);
	const char *takes; /* without which it does not judge: "a compile trace" */
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
	double wall_ns; /* 0: it takes no steps */
};

/* One rule at work. Zeroed but for what stands ahead of `value`. */
struct jr_check {
	struct jr_pass_context *ctx;
	const struct jr_rule *rule;
	bool of_jax; /* the program is known to be */
	double part_ns[JR_N_PARTS], wall_ns;  /* as above; wall: the parts' sum */
	const struct jr_device_step *devices; /* [n_devices]; NULL where nothing of XLA ran */
	struct jr_facts **facts; /* of the program, as far as they were asked; shared by all rules */
	/* What rules ahead of this one told of: one time, one finding. Shared by all rules. [n_devices]
	 * ns of a step between modules, and of exposed transfer; [n_ops] of that, and of kernels, over
	 * all devices and steady steps. */
	double *explained_ns, *explained_transfer_ns, *explained_op_ns;
	double *explained_once_ns; /* of idle time between modules that few steps have: all of it, mean
								* over devices */
	uint32_t step;						  /* program of the steps, JR_NONE = nothing ran */
	double n_steps;						  /* of jr_steady: over all devices */
	size_t n_gpus; /* of programs that are not of XLA: devices over which times are summed */
	double value;						  /* what was measured; NaN = cannot be determined */
	bool fired;
	const char *abstains; /* why it was not asked; NULL: it was */
	struct jr_finding finding;
	/* What the finding claims: [n_devices] ns of a step, a part of that part; NULL = nothing. */
	const double *claim_ns;
	enum jr_ledger_part claim_part;
	bool claims_part;          /* all of it */
	const double *claim_share; /* [n_ops] of their time, where that is what it claims; else NULL */
	const uint8_t *claim_programs; /* [n_programs] whose executions it claims with the time between
								   * modules; else NULL */
	struct jr_change *change;  /* what the rule says would be different; else that follows from the
								* claim */
	bool claims_turns; /* what the step takes beyond any device's need */
	double named_ns;   /* the time that the title names, ns of a step: the saving has to fit in */
	uint32_t claim_op; /* all of which is claimed, or of which it is a part; JR_NONE = several */
};

/** Remember what was measured; true where that is a finding, whose texts are then the rule's to
 * fill in. Not more than once a check. */
bool jr_check_fires(struct jr_check *c, double value);
/** Of programs that are not of XLA: `ns` (all devices) could be won, but not less than 0 and not
 * more than `most_ns`, the part of the GPU ledger that it would come from. */
void jr_check_recoverable(struct jr_check *c, double ns, double most_ns);
/** The finding claims claim_ns[n_devices] of a step of each device, at most all of that part. What
 * can be won follows from that, see above. `claim_ns` lives as long as the check. */
void jr_check_claim(struct jr_check *c, double *claim_ns, enum jr_ledger_part part);
/** What would be different without what the rule found, in the result arena: to be filled by a rule
 * whose claim does not tell. */
struct jr_change *jr_check_change(struct jr_check *c);
/** ns of a step that could be won without claim_ns[n_devices]; others may need as much then. */
double jr_check_could_win(const struct jr_check *c, const double *claim_ns);
/** ns that a step takes beyond what the device needs that needs most. */
double jr_check_lost_by_turns(const struct jr_check *c);
/** So much of a step could be won. */
void jr_check_promise(struct jr_check *c, double won_ns);
/** ... what the replay says of the finding's change, where both are there and the replay is
 * believed; never more than the step. findings_predict.c. */
void jr_check_predict(struct jr_check *c);
/** The same of all findings at once: no more than what a step takes beyond its roof. */
void jr_check_predict_together(const struct jr_check *c);
/** It did not cost a time of each step, but total_ns of the run, at `times` of its steps: that is
 * no saving of a step. The title names named_ns. */
void jr_check_claim_once(struct jr_check *c, double total_ns, size_t times, double named_ns);
/** What goes behind the evidence of what came once: what it is of a longer run. */
const char *jr_check_pays_back(struct jr_check *c);
/** The title: `subject`, which the headline names the finding by, and `rest`, which follows it. */
void jr_check_title(struct jr_check *c, const char *subject, const char *rest);
/** Have the title name the saving, too, where that is more than the time that it names. */
void jr_check_name_both(struct jr_check *c);
/** True of an op of a top module. */
bool jr_check_is_top(const struct jr_check *c, const struct jr_op *op);
/** Devices that take steps. */
size_t jr_check_devices(const struct jr_check *c);
/** ... all of the part on each device. */
void jr_check_claim_part(struct jr_check *c, enum jr_ledger_part part);
/** The finding claims what the step takes beyond the time of the device that needs most: all wait
 * then, now for one and now for another. That could be won where their work came out even. */
void jr_check_claim_turns(struct jr_check *c);
/** ... so much of it on each device. */
void jr_check_claim_each(struct jr_check *c, double ns, enum jr_ledger_part part);
/** ... what steady executions of the ops that are set in ops[n_ops] take in the windows of the
 * steps, so that it can be held against the time ledger; of one op `op`. Returns what texts say of
 * them: ns of a step, mean over all steady steps and devices, as tables of kernels have it. */
double jr_check_claim_ops(struct jr_check *c, const uint8_t *ops);
double jr_check_claim_op(struct jr_check *c, uint32_t op);

/* About what a device takes from one kernel to the next that waits for it. */
#define JR_SWITCH_NS 3000
#define JR_SWITCH "3 µs"

/** ... of the time of each op in the windows of the steps the share that is set for it, [n_ops] 0
 * to 1. Returns the same. */
double jr_check_claim_shares(struct jr_check *c, const double *share);

/** Of the kernels that the HLO of the step launches the share that has rows; NaN where it is not
 * known, or launches too few to tell. Far fewer than half: command buffers hide the others. */
double jr_check_kernels_seen(struct jr_check *c);
#define JR_KERNELS_HIDDEN 0.20

/* Texts in the result arena. */
/** "127.2 ms". */
const char *jr_check_time(struct jr_check *c, double ns);
/** The same of one step. */
const char *jr_check_step_time(struct jr_check *c, double ns);
/** "1,152". */
const char *jr_check_count(struct jr_check *c, size_t n);
/** "12.3 %", of a fraction. */
const char *jr_check_percent(struct jr_check *c, double frac);
/** "24.50 ms", of `ns` on all GPUs of a program that is not of XLA: the mean over GPUs. */
const char *jr_check_gpu_time(struct jr_check *c, double ns);
/** "24.50 ms of 299.3 ms on each of 2 GPUs (8.19 %)", the same with its share of their wall. */
const char *jr_check_of_wall(struct jr_check *c, double ns);
/** "23.4 GB/s". */
const char *jr_check_rate(struct jr_check *c, double bytes_s);
/** A foreign name, cut to what a sentence bears, in typographic quotes. */
const char *jr_check_name(struct jr_check *c, const char *name);
/** "“fusion.3” (train.py:84)": an op and where it comes from. */
const char *jr_check_op(struct jr_check *c, uint32_t op);
/** What stands behind "device": "2", and where the devices are of several hosts "2 on “node019”",
 * cut as other names. @param device  row of devices. O(devices). */
const char *jr_check_device(struct jr_check *c, uint32_t device);
/** `text` where the program is known to be of PyTorch, else "": what only its users can follow.
 * O(operations + ranges). */
const char *jr_check_if_pytorch(struct jr_check *c, const char *text);
/** jr_flags_advise() of this profile. */
const char *jr_check_advise(struct jr_check *c, const char *before,
	const struct jr_flag_advice *advice, size_t n, const char *after);
/** ... of the struct jr_flag_advice that are listed. */
#define JR_ADVISE(c, before, after, ...)                                                           \
	jr_check_advise((c), (before), (const struct jr_flag_advice[]){__VA_ARGS__},                   \
		sizeof((const struct jr_flag_advice[]){__VA_ARGS__}) / sizeof(struct jr_flag_advice),      \
		(after))
/** True where the profile was taken with command buffers (CUDA graphs) off. */
bool jr_check_command_buffers_off(struct jr_check *c);
/** The wall of one step, ns. */
double jr_check_step_ns(const struct jr_check *c);

/** True where so large a share of the rows is lost as the rule would tell of: what stands in no row
 * looks idle, or late, and is no finding. */
bool jr_check_rows_lost(const struct jr_check *c);

/** A row of thunks is of a steady execution of a top module and begins in its device's window. */
bool jr_check_in_window(const struct jr_check *c, size_t thunk);
/** Steps of a device's window, what is in that is divided by: 1 of a single step. */
double jr_check_periods_of(const struct jr_check *c, size_t device);
/** Steady steps of a device that takes steps. */
double jr_check_steps_of(const struct jr_check *c, size_t device);

/** Index of the largest of values[n]; the first of equal ones; SIZE_MAX for n = 0. */
size_t jr_check_largest(const double *values, size_t n);

/** What hides transfer of collectives of that kind ("": of any), most of it in `op` (JR_NONE: not
 * known), with the flags that are worth setting; findings_overlap.c. */
const char *jr_check_overlap_advice(struct jr_check *c, const char *kind, uint32_t op);
/** True of a message of one buffer where much larger ones of its kind and group are faster. */
bool jr_check_is_small_message(struct jr_check *c, uint32_t op);
/** A sentence that a collective is slower than its equals, of the same kind, group size and about
 * the same size, and in what they differ; "": it is not, or has none. O(ops + instances). */
const char *jr_check_slower_than_equals(struct jr_check *c, uint32_t op);
/** " (--xla_...=N)": the flag that combines messages of that kind; "": none is worth setting. */
const char *jr_check_combining_advice(struct jr_check *c, const char *kind);

/* Time of a device between two modules, in the window of its steps. */
struct jr_module_gap {
	int64_t begin_ns, end_ns;
	uint32_t device, after; /* after: row of modules that ends it */
};
struct jr_module_gaps {
	size_t n;
	struct jr_module_gap *items; /* by device, then time */
};
/** In these windows, in the scratch arena. O(module rows). */
struct jr_module_gaps jr_check_gaps(
	const struct jr_check *c, const struct jr_step_windows *windows);

/* findings_python.c */
/** What Python did most in the gaps between modules, a sentence, of traces of jax.profiler; NULL:
 * not known. `is_input`: most of the gaps lie under what gets or moves the next batch. */
const char *jr_check_python_in_gaps(struct jr_check *c, bool *is_input);
/* findings_facts.c */
/* The program that Peak memory is of, out of the section's table. */
struct jr_memory_use {
	const char *id, *name; /* NULL: nothing is known */
	double allocated_bytes, donated_bytes, part_bytes[JR_N_MEMORY_PARTS];
	const struct jr_table *live; /* buffers at its peak */
};
struct jr_memory_use jr_check_memory_use(const struct jr_check *c);
/** Whether it is of that program. */
bool jr_check_uses_memory(
	const struct jr_check *c, const struct jr_memory_use *use, uint32_t program);
/** Bytes of that one of the devices which ran anything that has least; 0: not known. */
uint64_t jr_check_device_memory(const struct jr_profile *p);
/** Share of the device's memory that the largest program allocates; NaN: not known. */
double jr_check_memory_share(const struct jr_check *c);
/** The table of buffers that are alive at the peak of a program, where it is the one of the peak of
 * all, and in *allocated_bytes what is allocated for it; NULL: it is another, or not known. */
const struct jr_table *jr_check_live_at_peak(
	const struct jr_check *c, uint32_t program, double *allocated_bytes);
/** Whether command buffers ran: 1, 0, or -1 where nothing tells. */
int jr_check_graphs_ran(struct jr_check *c);
/* findings_roofline.c */
/** Share of an op's time beyond its roof, 0 to 1; NaN: it has none that is known. */
double jr_check_lost_share(const struct jr_check *c, uint32_t op);
/** Tell whether an op is too short for its roofline to say anything. O(ops) */
bool jr_check_is_latency(const struct jr_check *c, uint32_t op);
/** What to try for kernels of that kind that are far from their roofs, such as `op`. */
const char *jr_check_kind_advice(struct jr_check *c, enum jr_work_kind kind, uint32_t op);
/* findings_indexed.c */
/** What to do about an op that gathers or scatters; NULL: it does not, or nothing tells. */
const char *jr_check_indexed_advice(struct jr_check *c, uint32_t op);
/** The gather or scatter that an op is or holds, a row of its program's instructions; JR_NONE. */
uint32_t jr_check_indexed(struct jr_check *c, uint32_t op);
/* findings_memory.c */
/** "1.2 GB": what of the step's outputs could take the memory of its parameters, and does not;
 * NULL: nothing, or not known, or not worth a sentence. */
const char *jr_check_donatable(struct jr_check *c);
/* findings_integrity.c */
/** Why the rule does not judge, for records are missing or cannot be; NULL: it does. */
const char *jr_check_abstains(struct jr_check *c);

#endif
