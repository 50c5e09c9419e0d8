/*
 * scenario.h - a job that never ran: its devices, programs, and every range that a profiler would
 * have seen, with what is true of each known by construction.
 *
 *	scenario_*.c   says what the programs are and in which order they run
 *	program.c      builds a program: instructions, frames, buffers, and its list of operations
 *	timeline.c     lets programs run: ranges on the GPU and on the host
 *	compile.c      lets programs be compiled: host ranges
 *	flow.c         says what takes what: operands, and what waits for them
 *	cause.c        makes all of that slow, for one reason
 *	change.c       makes one thing of it other than it is
 *	truth.c        adds up what a report must say, from the tags of the ranges only
 *	write_*.c      turn it into files; know nothing of truth
 *
 * All times are int64 ns. GPU times are on one true clock; a device's own clock is ahead of it by
 * gen_device.offset_ns, which is put in when the trace is written.
 */
#ifndef GEN_SCENARIO_H
#define GEN_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/vec.h"
#include "cause.h"
#include "change.h"
#include "plant.h"

#define GEN_NO_INDEX UINT32_MAX
#define GEN_MAX_DEVICES 4096

struct gen_options {
	const char *scenario;
	uint64_t seed;
	uint64_t run;					 /* of the same job: what varies from run to run differs */
	char layout;					 /* 'A', 'B', 'C' */
	int xla;						 /* 1, 2 */
	uint32_t n_processes, n_devices; /* devices of each process */
	uint32_t n_steps;				 /* steady ones */
	uint32_t n_groups; /* all-gathers and reduce-scatters are done by so many groups of devices */
	int64_t skew_ns;				 /* largest clock offset of a device */
	uint32_t straggler;				 /* global number of the slow device, GEN_NO_INDEX: none */
	uint64_t n_rows; /* at least so many thunk rows a device; 0: as the scenario is */
	uint32_t n_thunks, n_stacks; /* mnist_vae: so many more in a step */
	uint64_t state_mib; /* what the step's weights take; 0: as the scenario is */
	const char *slow_thunk; /* name of an instruction; NULL: none */
	int64_t slow_permille;	/* how much longer it takes */
	const struct gen_cause *cause; /* of a quiet job; NULL: the scenario as it is */
	int64_t cause_amount;
	struct gen_change changes[GEN_MAX_CHANGES];
	uint32_t n_changes;
	int64_t gap_ns;			/* from a kernel to the next one; 0: as the scenario is */
	int64_t noise_ppm;		/* standard deviation of a step's time, relative, on top of jitter */
	bool even;				/* nothing varies from step to step, and nothing runs in some alone */
	uint32_t library_ms;	/* a library takes to load while tuning; 0: none is loaded there */
	bool hostile_names;
	bool long_names;	 /* each of them 10 kB */
	const struct gen_plant *plant; /* what is put into every text; NULL: nothing */
	const struct gen_planted *planted_field; /* into this one alone; NULL: all */
	int64_t launch_ns;	/* torch_ddp2: so long a launch takes the host; 0: as the scenario is */
	int64_t host_ns;	/* so much more the host takes ahead of each step, without waiting */
	bool sync_calls;	/* the host waits in calls of CUDA that the profile has */
	uint32_t lost_ids;	/* ranges of the trace without their id, of 1000 */
	bool shuffled;		/* rows of the trace stand in no order */
	bool no_stacks;		/* the trace does not say what ranges lie in */
	bool graphs;		/* for the truth: kernels are launched as CUDA graphs */
	bool no_metadata;	 /* devices are known by threads and what programs are compiled for */
	bool no_dumps;		 /* the latter neither: an export */
	bool xspace;		 /* for the truth: of jax.profiler */
	bool one_host;		 /* ... all processes on one host */
	bool numbered;		 /* ... the program numbers its steps */
	bool number_steps;	 /* torch_*: ranges of steps have numbers */
	bool launched;		 /* stacks pass through code of others */
	bool inconsistent;	 /* processes disagree about the line of some frames */
	const char *profile; /* name of the archive without .zip (and -procK), for the truth */
	const char *warmup;	 /* for the truth: "auto", "first", "none" or a number */
};

/* --- programs --- */

/* xla.PrimitiveType */
enum gen_type {
	GEN_PRED = 1,
	GEN_S8 = 2,
	GEN_S32 = 4,
	GEN_U32 = 8,
	GEN_F32 = 11,
	GEN_TUPLE = 13,
	GEN_BF16 = 16,
	GEN_F8E4M3FN = 20,
};

struct gen_shape {
	enum gen_type type;
	uint32_t n_dims;
	int64_t dims[4];
	bool host; /* layout.memory_space 5 */
	uint32_t n_tuple;
	const struct gen_shape *tuple;
};

/* Where the devices of a collective are written, newest last (formats/README.md, section 5.1). */
enum gen_group_style {
	GEN_GROUPS_NONE,
	GEN_GROUPS_REPLICA,
	GEN_GROUPS_DEVICE_LIST,
	GEN_GROUPS_IOTA_IN_LIST,
	GEN_GROUPS_IOTA,
	GEN_GROUPS_MESH,
};

/* A window over one dimension. */
struct gen_window {
	int64_t size, stride, padding; /* on either side */
};

/* What an instruction says beyond its shape and operands; 0 and NULL: not said. */
struct gen_attributes {
	int64_t parameter_number, tuple_index;
	uint32_t n_dimensions;
	int64_t dimensions[2];
	bool contracts;
	int64_t lhs_contracting;
	uint32_t n_window; /* of a convolution: its spatial dimensions; features stand ahead of them */
	struct gen_window window[2];
	int64_t feature_groups;
	const char *fusion_kind, *backend_config;
};

/* What an operation has to compute and to move, for each execution. */
struct gen_work {
	bool unknown;
	const char *kind;  /* of work: "reduction" */
	const char *dtype; /* of its matrix product: "bf16"; NULL: none */
	uint64_t matrix, vector, transcendentals;
	uint64_t read, written;
	bool initialises, in_place, recomputed;
};

struct gen_instruction {
	const char *name, *opcode;
	const struct gen_attributes *attributes; /* NULL: none */
	const char *op_name;			/* NULL: none */
	const char *custom_call_target; /* NULL: none */
	uint32_t frame;					/* 1-based, 0: none */
	struct gen_shape shape;
	int64_t id;
	uint32_t n_operands;
	const int64_t *operands;
	uint32_t n_called;
	const int64_t *called;
	enum gen_group_style groups;
	uint32_t n_groups, group_size;
	bool strided; /* group g has the devices g, g + n_groups, ...; else consecutive ones */
};

struct gen_computation {
	const char *name;
	int64_t id, root;
	bool scheduled; /* its instructions are launched, in their order: the entry, loops */
	JR_VEC(struct gen_instruction) instructions;
};

struct gen_frame {
	bool inconsistent; /* on another line in all processes but the first */
	const char *file, *function;
	int32_t line, column;
	uint32_t parent; /* 1-based, 0: outermost */
};

/* What an allocation is; one of none of these holds the heap. */
enum gen_allocation_flags {
	GEN_PARAMETER = 1,
	GEN_LIVE_OUT = 2,
	GEN_CONSTANT = 4,
	GEN_THREAD_LOCAL = 8,
	GEN_HOST = 16,
};

struct gen_allocation {
	unsigned flags;
	uint64_t bytes;
	uint32_t first, n; /* buffers in it: they follow one another */
};

struct gen_buffer {
	int64_t id;
	uint64_t bytes, offset;
	const char *instruction;
	int64_t instruction_id;
	struct gen_shape shape;
};

enum gen_heap_kind { GEN_ALLOC = 0, GEN_FREE = 1, GEN_SHARE_WITH = 2 };

struct gen_heap_event {
	enum gen_heap_kind kind;
	int64_t buffer, canonical;
	const char *instruction;
};

/* What an operation of a program's schedule does on the GPU. */
enum gen_op_kind {
	GEN_OP_COMPUTE,
	GEN_OP_SIDE,  /* compute on another stream, beside the operations that follow */
	GEN_OP_SYNC,  /* a collective that compute waits for */
	GEN_OP_START, /* an asynchronous collective begins; GEN_OP_DONE of the same name waits */
	GEN_OP_DONE,
	GEN_OP_COPY,	   /* host offloading: like GEN_OP_SYNC, but each device on its own */
	GEN_OP_COPY_START, /* the same, asynchronous */
	GEN_OP_LOOP,	   /* a while: its thunk spans all up to GEN_OP_LOOP_END, `times` over */
	GEN_OP_LOOP_END,
};

/* One operation; what is true of each of its executions stands here. */
struct gen_op {
	enum gen_op_kind kind;
	const char *name;			  /* of the HLO instruction */
	const char *text;			  /* of the thunk's range */
	const char *opcode, *op_name; /* op_name "" = none */
	const char *source_file;	  /* "" = none */
	int32_t source_line;
	uint32_t times;	 /* LOOP */
	int64_t base_ns; /* compute: mean length; collective: transfer once all have arrived */
	uint32_t jitter_permille;
	bool communication;
	const char *collective;
	uint64_t message_bytes;
	uint32_t group_size, n_groups;
	bool strided;
	const struct gen_work *work; /* NULL: the scenario does not say */
	int64_t instruction;		 /* its id; 0: DONE, LOOP_END */
	uint32_t n_waits;
	const uint32_t *waits; /* operations that make its operands: they have ended before it starts */
};

/* Number of the group that does it, for the i-th device of its program. */
static inline uint32_t gen_group_of(const struct gen_op *op, uint32_t i)
{
	if (op->n_groups < 2)
		return 0;
	return op->strided ? i % op->n_groups : i / op->group_size;
}

/* Host offloading: each device for itself. */
static inline bool gen_is_copy(const struct gen_op *op)
{
	return op->kind == GEN_OP_COPY || op->kind == GEN_OP_COPY_START;
}

#define GEN_MAX_FLOW 4

/* What the operations to come find, in the computation that is being built: ids of instructions. */
struct gen_flow {
	int64_t value, before;		   /* of compute: the last one, and the one ahead of it */
	int64_t parameter;			   /* weights */
	int64_t arrived[GEN_MAX_FLOW]; /* of communication that is done: the next one takes it */
	int64_t aside[GEN_MAX_FLOW];   /* what nobody takes before the computation ends */
	uint32_t n_arrived, n_aside;
};

/* A computation that waits for the loop that is being built. */
struct gen_enclosing {
	uint32_t computation;
	int64_t loop; /* id */
	struct gen_flow flow;
};

struct gen_program {
	int64_t number; /* in process 0; process p calls it number + p * number_step */
	int64_t number_step;
	const char *name;	   /* module name */
	const char *file_name; /* the same as far as it is fit for a file name */
	const char *prefix;	   /* "prefix=" part of the module's range, NULL: none */
	const char *fingerprint;
	bool multi_device;				  /* runs on several devices, by their launcher threads */
	uint32_t first_device, n_devices; /* the global ones it runs on; n_devices 0: all */
	bool compiled;					  /* the compilation was profiled */
	JR_VEC(struct gen_computation) computations;
	uint32_t entry, current; /* of computations: the entry; where instructions are added now */
	JR_VEC(struct gen_frame) frames;
	JR_VEC(struct gen_buffer) buffers;
	JR_VEC(struct gen_allocation) allocations; /* none: its dump has no buffer assignment */
	JR_VEC(struct gen_heap_event) heap;
	JR_VEC(struct gen_op) ops;
	uint32_t n_executions;
	int64_t next_id;				  /* of instructions and computations, unique in the module */
	struct gen_flow flow;
	JR_VEC(struct gen_enclosing) enclosing;
	bool has_waits;					  /* of ops: found */
	JR_VEC(const char *) module_text; /* [process] the range's name */
};

/* --- devices and ranges --- */

struct gen_device {
	uint32_t global, local, process;
	int64_t offset_ns;		/* its clock minus the true one; all add up to 0 */
	uint32_t slow_permille; /* how much longer its compute takes */
	int64_t tid;			/* of the thread that launches on it */
	int64_t main_tid;
};

struct gen_process {
	int64_t pid, main_tid;
	uint32_t first_device, n_devices;
	JR_VEC(int64_t) worker_tids;
	int64_t host_ns; /* cursor of the main thread */
	uint32_t n_compiled;
	bool library_loaded; /* while tuning, see library_ms */
};

enum gen_range_kind {
	GEN_RANGE_MODULE,
	GEN_RANGE_THUNK,
	GEN_RANGE_NCCL,
	GEN_RANGE_COMPILE, /* XlaCompile and what is below it, on any thread */
	GEN_RANGE_USER,	   /* what the program annotates itself */
	GEN_RANGE_LAUNCH,  /* no range: a call of CUDA, and the one operation that it launches */
};

enum gen_style { GEN_PUSH_POP, GEN_START_END, GEN_MARK };

enum gen_launch {
	GEN_LAUNCH_KERNEL,
	GEN_LAUNCH_NCCL,
	GEN_LAUNCH_TO_DEVICE,        /* out of pageable memory */
	GEN_LAUNCH_PINNED_TO_DEVICE, /* out of pinned memory */
	GEN_LAUNCH_TO_HOST,
	GEN_LAUNCH_MEMSET,
	GEN_LAUNCH_NONE, /* launches nothing */
};

/* What a compile range is to the compile table (analysis/README.md, section 1.10). */
enum gen_compile_role {
	GEN_COMPILE_PLAIN,
	GEN_COMPILE_FOREIGN,   /* another domain: folded into its parent */
	GEN_COMPILE_AUTOTUNER, /* self time = its length */
	GEN_COMPILE_REMOVED,   /* below such a one */
	GEN_COMPILE_WORKER,	   /* on another thread, shares its launcher's parallel time */
};

/* One NVTX range: a row of the push/pop trace, and of the projected trace where gpu_ops > 0. */
struct gen_range {
	enum gen_range_kind kind;
	const char *domain, *name; /* "TSL", "Thunk:#hlo_op=...#"; domain "": the default one */
	uint32_t process, device;  /* device: GEN_NO_INDEX for host-only ranges */
	int64_t tid;
	uint32_t parent; /* index into ranges, GEN_NO_INDEX: top level */
	int64_t host_start_ns, host_dur_ns;
	int64_t gpu_start_ns, gpu_dur_ns;
	uint32_t gpu_ops;
	enum gen_style style;	 /* USER */
	const char *category;	 /* USER: NULL none; digits: a number that has no name */
	enum gen_launch launch;	 /* LAUNCH; its name is that of the kernel, else of the call */
	uint64_t bytes;			 /* LAUNCH: of a copy or memset */
	/* numbered when all is there */
	int64_t id;
	int64_t child_ns; /* host */
	uint32_t n_children, n_gpu_children, level;
	/* tags for the truth */
	uint32_t program, execution, op; /* GEN_NO_INDEX where it has none */
	bool container;					 /* a thunk with thunks below it */
	bool left_out;					 /* autotuning, edge effect, cut off: in no table */
	enum gen_compile_role role;
	const char *clean; /* compile: name in the table of ranges */
	const char *phase; /* compile: name in the table of phases */
	uint32_t launcher; /* WORKER: index of the range it is hung under */
};

struct gen_scenario {
	struct gen_options options;
	struct jr_arena arena;
	uint64_t random;
	uint32_t cause_program; /* what a cause runs */
	uint32_t cause_turn;	/* number of the step */
	JR_VEC(struct gen_process) processes;
	JR_VEC(struct gen_device) devices;
	JR_VEC(struct gen_program *) programs;
	JR_VEC(struct gen_range) ranges;
	int64_t *gpu_cursor_ns;	  /* [n_devices] compute stream */
	int64_t *comm_cursor_ns;  /* [n_devices] communication stream */
	int64_t *host_cursor_ns;  /* [n_devices] launching thread */
	const char *entry_source; /* main Python file, absolute path */
	const char *gpu_name, *chip_name, *arch;
	uint64_t gpu_memory_bytes, gpu_bandwidth_bytes_s, gpu_clock_hz;
	uint32_t gpu_sm_count, gpu_compute_major;
};

/* Uniform in [0, n). */
uint64_t gen_random(struct gen_scenario *sc, uint64_t n);
/** The same of what makes steps differ: always 0 where they are to be even. */
int64_t gen_jitter(struct gen_scenario *sc, uint64_t n);
/* Of 64 bits, for what all runs of a job have in common. */
uint64_t gen_random_of_job(struct gen_scenario *sc);
/** Text in the scenario's arena. */
const char *gen_text(struct gen_scenario *sc, const char *fmt, ...) JR_PRINTF(2, 3);
/* --- program.c --- */

struct gen_program *gen_program_new(struct gen_scenario *sc, int64_t number, const char *name);
/** Frame at the line of `file` that holds `snippet` (it must: our own sources); returns its id. */
uint32_t gen_frame(struct gen_scenario *sc, struct gen_program *p, uint32_t parent,
	const char *file, const char *function, const char *snippet);
struct gen_shape gen_shape0(enum gen_type type);
struct gen_shape gen_shape1(enum gen_type type, int64_t d0);
struct gen_shape gen_shape2(enum gen_type type, int64_t d0, int64_t d1);
struct gen_shape gen_shape3(enum gen_type type, int64_t d0, int64_t d1, int64_t d2);
struct gen_shape gen_shape4(enum gen_type type, int64_t d0, int64_t d1, int64_t d2, int64_t d3);
/** A tuple of two. */
struct gen_shape gen_pair(struct gen_scenario *sc, struct gen_shape a, struct gen_shape b);
uint64_t gen_elements(const struct gen_shape *shape);
uint64_t gen_shape_bytes(const struct gen_shape *shape);

/* What an operation is called and where it comes from. */
struct gen_site {
	const char *name, *op_name; /* op_name without the program's prefix; NULL: none */
	uint32_t frame;
};

/** A computation of that name; returns its index. */
uint32_t gen_computation(struct gen_scenario *sc, struct gen_program *p, const char *name);
/** Into computation `c`; returns the id. The last one added is its root. */
int64_t gen_instruction(
	struct gen_program *p, uint32_t computation, const struct gen_instruction *in);
/** An operation of the schedule: the thunk of the instruction `id`. */
struct gen_op *gen_thunk(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	enum gen_op_kind kind, const char *opcode, int64_t id, int64_t ns);
/** "prefix/op_name", as metadata carries it; NULL stays NULL. */
const char *gen_op_name(struct gen_scenario *sc, const struct gen_program *p, const char *op_name);
/** A fusion over two operands; its computation holds `n_inner` instructions at `inner` sites. */
void gen_fusion(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	struct gen_shape shape, int64_t ns, const struct gen_site *inner, size_t n_inner);
/** A single instruction (custom-call for gemms, copy...). */
void gen_single(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	const char *opcode, struct gen_shape shape, enum gen_op_kind kind, int64_t ns);
/**
 * A collective over all devices; `shape` is that of its operand.
 * @param opcode  "all-gather", "all-reduce", "reduce-scatter", "collective-permute", "all-to-all"
 * @param kind    GEN_OP_SYNC or GEN_OP_START (then in the form of that XLA generation)
 * @param wrapped SYNC: inside a fusion
 */
void gen_collective(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	const char *opcode, struct gen_shape shape, enum gen_op_kind kind, bool wrapped,
	int64_t transfer_ns);
/**
 * Host offloading: a fusion around a dynamic-update-slice into the host's memory, or (COPY_START)
 * an async-start around a dynamic-slice out of it. `shape` is what is moved.
 */
void gen_host_copy(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	bool to_host, struct gen_shape shape, enum gen_op_kind kind, int64_t transfer_ns);
/** Devices that a multi-device program runs on. */
uint32_t gen_program_devices(const struct gen_scenario *sc, const struct gen_program *p);
void gen_done(struct gen_scenario *sc, struct gen_program *p, const char *start_name);
void gen_loop_begin(
	struct gen_scenario *sc, struct gen_program *p, struct gen_site site, uint32_t times);
void gen_loop_end(struct gen_scenario *sc, struct gen_program *p);
/* What a program's memory is for, beside the results of its instructions. */
struct gen_memory {
	uint32_t n_weights; /* parameters of that shape */
	struct gen_shape weight;
	bool donated;		/* their memory is that of outputs, too */
	uint32_t n_outputs; /* the last of the entry's instructions; the others are temporaries */
	bool no_heap;		/* there are no others, and no trace */
};

/** Buffer assignment: allocations, and a heap trace over the instructions of the entry. Adds
 * parameters and a constant to it; after the last instruction. */
void gen_memory(struct gen_scenario *sc, struct gen_program *p, const struct gen_memory *memory);
/** The shape of one of n weights of the step: as the scenario has it, or as --state wants them. */
struct gen_shape gen_weight(const struct gen_scenario *sc, struct gen_shape shape, uint32_t n);

/** Thunk rows of one execution on one device. */
uint64_t gen_count_thunks(const struct gen_program *p);

/* --- flow.c --- */

/** An operation of that kind is there: compute goes on with what it makes. */
void gen_flow_on(struct gen_program *p, enum gen_op_kind kind, int64_t id);
/** What the last operation makes is not for those that follow, which go on with what was there. */
void gen_put_aside(struct gen_program *p);
/** What was moved is there. */
void gen_flow_arrived(struct gen_program *p, int64_t id);
/** The operand of what is moved: what came last. */
int64_t gen_flow_latest(const struct gen_program *p);
/** The operands of what is computed, at most GEN_MAX_FLOW + 1; returns how many. */
uint32_t gen_flow_take(struct gen_program *p, int64_t *operands);
/** Sets gen_op.waits, by the operands of instructions. Once the program is complete. */
void gen_find_waits(struct gen_scenario *sc, struct gen_program *p);
/** @return JR_EFORMAT a thunk starts ahead of the end of another that makes its operand */
enum jr_status gen_check_waits(const struct gen_scenario *sc, struct jr_error *err) JR_MUST_CHECK;

/* --- timeline.c --- */

/** One execution of a program on its devices. `cut`: the profile ends in the middle of it. */
void gen_run(struct gen_scenario *sc, uint32_t program, bool cut);
/** The main threads wait until all is done, and spend that time on the host. */
void gen_wait_for_gpu(struct gen_scenario *sc, int64_t then_ns);
/** A thunk of an execution that began before the profile, on device 0. */
void gen_edge_thunk(struct gen_scenario *sc, const char *hlo_op);
/** Tell a range and all above it that the GPU was busy for them in [start, end). */
void gen_widen(struct gen_scenario *sc, uint32_t range, int64_t start, int64_t end);
/** Number ranges, add up children. After the last run. */
void gen_number_ranges(struct gen_scenario *sc);

/* A range in the order in which the profiler tells them: begin, the longer first, then number. */
struct gen_order {
	int64_t start_ns, end_ns;
	uint32_t index;
};

/** For qsort() of struct gen_order. */
int gen_by_start(const void *a, const void *b);

/* --- compile.c --- */

/** The compilation of a program by every process. `gemms`: how many matrix products are tuned. */
void gen_compile(struct gen_scenario *sc, uint32_t program, uint32_t gemms, bool parallel);

/* --- scenario_*.c --- */

typedef void (*gen_build_fn)(struct gen_scenario *sc);
void gen_build_mnist_vae(struct gen_scenario *sc);
void gen_build_transformer_fsdp4(struct gen_scenario *sc);
void gen_build_pipeline4(struct gen_scenario *sc);
void gen_build_kernels(struct gen_scenario *sc);
/** No program of XLA: an export is all there is of it. */
void gen_build_torch_ddp2(struct gen_scenario *sc);
void gen_build_torch_stream(struct gen_scenario *sc);
void gen_build_torch_input(struct gen_scenario *sc);

/* --- scenario.c --- */

/** The devices are H100 SXM. */
void gen_on_h100(struct gen_scenario *sc);
/** @return JR_EUSAGE unknown scenario or options that do not fit it */
enum jr_status gen_scenario_build(
	struct gen_scenario *sc, const struct gen_options *options, struct jr_error *err) JR_MUST_CHECK;
void gen_scenario_done(struct gen_scenario *sc);

/** What jax.profiler names a process's file by: its host, and a port where several share one. */
const char *gen_recorded_as(struct gen_scenario *sc, uint32_t process);
/** The program that runs most often: its executions are the steps. */
uint32_t gen_step_program(const struct gen_scenario *sc);
/** The number that a process gives to a program. */
int64_t gen_program_number(const struct gen_program *p, uint32_t process);

#endif
