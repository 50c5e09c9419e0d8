/*
 * truth_frames.h - rows of the thunk and module tables, computed from the tags of the ranges.
 *
 * Nothing here reads a name or a nesting: a range's program, execution and operation are known from
 * when it was made. Definitions: analysis/README.md, sections 1 to 3.
 */
#ifndef GEN_TRUTH_FRAMES_H
#define GEN_TRUTH_FRAMES_H

#include "json_out.h"
#include "scenario.h"

struct gen_truth_module {
	uint32_t program, execution, device, n_thunks;
	int64_t start_ns, dur_ns;
	bool steady;
};

struct gen_truth_thunk {
	uint32_t module, program, op, execution, device;
	uint32_t repeat; /* thunk_execution */
	int64_t start_ns, dur_ns, hidden_ns;
	bool steady;
};

struct gen_truth_program {
	uint32_t skip;	   /* executions that are warm-up */
	int64_t steady_ns; /* sum of steady modules */
	uint64_t n_steady; /* steady module rows */
	bool top;
};

/* Peak of a program's heap. */
struct gen_peak {
	uint64_t bytes;
	int64_t points;
	bool *alive; /* [n_buffers + 1] canonical buffers, by id, at the first peak */
};

struct gen_truth {
	struct gen_scenario *sc;
	struct gen_json json;
	JR_VEC(struct gen_truth_module) modules;
	JR_VEC(struct gen_truth_thunk) thunks;
	struct gen_truth_program *programs; /* [sc->programs.n], in sc->arena */
	const struct gen_peak *peaks; /* the same; NULL: not found yet */
	bool any_communication;
	int64_t all_modules_ns;										  /* steady */
	int64_t thunks_active_ns, modules_active_ns, modules_wall_ns; /* top modules */
};

static inline const struct gen_op *gen_truth_op(
	const struct gen_truth *t, const struct gen_truth_thunk *x)
{
	return &t->sc->programs.items[x->program]->ops.items[x->op];
}

static inline int64_t gen_truth_active(const struct gen_truth_thunk *x)
{
	return x->dur_ns - x->hidden_ns;
}

/** Write the steps that the program numbered. */
void gen_truth_steps(struct gen_truth *t);
/** Return the name of a process's archive without .zip. */
const char *gen_truth_profile(const struct gen_truth *t, uint32_t process);
enum jr_status gen_truth_frames(struct gen_truth *t, struct jr_error *err) JR_MUST_CHECK;
/** Write report sections. */
void gen_truth_tables(struct gen_truth *t);
void gen_truth_communication(struct gen_truth *t);
void gen_truth_ledger(struct gen_truth *t);
void gen_truth_compilation(struct gen_truth *t);
void gen_truth_memory(struct gen_truth *t);
/** Write FLOPs and bytes, if the scenario gives each operation's work. */
void gen_truth_work(struct gen_truth *t);
/** Return true if the scenario does. */
bool gen_truth_work_known(const struct gen_truth *t);
/** Return the time above roofline of each op of a program [ops] in its steady executions, in ns; 0
 * for programs that are not top ones. Only if work is known. In the scenario's arena. */
double *gen_truth_lost(const struct gen_truth *t, uint32_t program);
/** Write members of "totals": peaks of memory. */
void gen_truth_peaks(struct gen_truth *t);
/** Return the innermost frame of an instruction, 1-based; 0: none. */
uint32_t gen_truth_frame(const struct gen_program *p, const char *name);
/** Write the stacks of the GPU flamegraphs, as "folded", and their totals. */
void gen_truth_stacks(struct gen_truth *t);
/** Write the latency of programs. */
void gen_truth_latency(struct gen_truth *t);
/** Return the number of each device's set: devices that collectives tie together. [devices.n] in
 * the scenario's arena. */
uint32_t *gen_truth_sets(const struct gen_truth *t);
/** Write the numbers for an export without XLA programs: ranges, kernels, copies, idle time. */
void gen_truth_export(struct gen_truth *t);
/** Get mean and standard deviation of a program's waits; false: no collectives. */
bool gen_truth_program_wait(
	const struct gen_truth *t, uint32_t program, double *mean_ns, double *std_ns);
/** Return the remaining offset of each device's clock from the true one, after the collectives that
 * tie it to others have set it: [devices.n] ns, in the scenario's arena. */
double *gen_truth_clocks_left(const struct gen_truth *t);

#endif
