/*
 * scenario.h - a job that never ran: its devices, its programs, and every range that a profiler
 * would have recorded, each with facts that are true by construction.
 *
 *	scenario_*.c   defines the programs and the order in which they run
 *	program.c      builds a program: instructions, frames, buffers, and its list of operations
 *	timeline.c     runs programs: ranges on the GPU and on the host
 *	compile.c      compiles programs: host ranges
 *	flow.c         data flow: operands, and which operations wait for them
 *	cause.c        makes the job slow, for one reason
 *	change.c       changes one thing of the job
 *	truth.c        computes the expected report, from the tags of the ranges only
 *	write_*.c      write the files; they do not use the truth
 *
 * All times are int64 ns. GPU times are on one true clock. A device's own clock is
 * gen_device.offset_ns ahead of it; the offset is added when the trace is written.
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
#include "slow.h"

#define GEN_NO_INDEX UINT32_MAX
#define GEN_MAX_DEVICES 4096

/* Strings of XLA in an export (hlo_strings.h), and what is special about them. */
enum gen_strings {
	GEN_STRINGS = 1,
	GEN_STRINGS_NO_PREFIX = 2, /* op_names have no common prefix, in ranges neither */
	GEN_STRINGS_AMBIGUOUS = 4, /* one more module is loaded in two shapes, one of them twice */
	GEN_STRINGS_CUT = 8,       /* some texts end early */
};

struct gen_options {
	const char *scenario;
	uint64_t seed;
	uint64_t run;					 /* run of the same job: only what varies differs */
	char layout;					 /* 'A', 'B', 'C' */
	int xla;						 /* 1, 2 */
	uint32_t n_processes, n_devices; /* devices of each process */
	uint32_t n_steps;				 /* steady ones */
	uint32_t n_groups; /* all-gathers and reduce-scatters run in this many groups of devices */
	int64_t skew_ns;				 /* largest clock offset of a device */
	bool memory;					 /* a device memory profile is written, too */
	int64_t leak_bytes;				 /* ... with so much more at one line of each device */
	bool memory_faults;				 /* ... and with faults: memory.h */
	uint32_t straggler;				 /* global number of the slow device, GEN_NO_INDEX: none */
	uint64_t n_rows; /* minimum of thunk rows per device; 0: as the scenario has */
	uint32_t n_thunks, n_stacks; /* mnist_vae: this many more per step */
	uint64_t state_mib; /* size of the step's weights; 0: as the scenario has */
	const char *slow_thunk; /* name of an instruction; NULL: none */
	int64_t slow_permille;	/* how much longer it takes */
	const struct gen_cause *cause; /* makes the job quiet but for it; NULL: plain scenario */
	int64_t cause_amount;
	struct gen_change changes[GEN_MAX_CHANGES];
	uint32_t n_changes;
	struct gen_slow slow[GEN_MAX_SLOW]; /* devices and hosts that are slower */
	uint32_t n_slow;
	int64_t gap_ns;			/* from a kernel to the next one; 0: as the scenario has */
	int64_t noise_ppm;		/* standard deviation of a step's time, relative, on top of jitter */
	bool even;				/* all steps are alike */
	uint32_t library_ms;	/* time to load a library while tuning; 0: none */
	bool hostile_names;
	bool long_names;	 /* 10 kB each */
	const struct gen_plant *plant; /* hostile text for every field; NULL: none */
	const struct gen_planted *planted_field; /* only for this field; NULL: all */
	int64_t launch_ns;	/* torch_ddp2: host time per launch; 0: as the scenario has */
	int64_t tail_ns;	/* serve2: how much longer the slow decodes take */
	int64_t host_ns;	/* extra host time before each step, without waiting */
	bool sync_calls;	/* the host waits in CUDA calls that the profile contains */
	uint32_t lost_ids;	/* ranges of the trace without their id, per 1000 */
	bool shuffled;		/* rows of the trace are in random order */
	bool no_stacks;		/* the trace does not say how ranges nest */
	bool graphs;		/* for the truth: kernels are launched as CUDA graphs */
	bool no_metadata;	 /* devices are known only from threads and compile targets */
	bool no_dumps;		 /* without compile targets, too: an export */
	bool xspace;		 /* for the truth: recorded by jax.profiler */
	bool one_host;		 /* ... all processes on one host */
	bool numbered;		 /* ... the program numbers its steps */
	bool number_steps;	 /* torch_*: ranges of steps have numbers */
	bool trip_counts;	 /* loops state how often they run */
	unsigned strings;	 /* enum gen_strings */
	bool launched;		 /* stacks pass through library code */
	bool inconsistent;	 /* processes have different lines for some frames */
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

/* Forms of a collective's list of devices, newest last (formats/README.md, section 5.1). */
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

/* Attributes of an instruction beyond its shape and operands; 0 and NULL: not set. */
struct gen_attributes {
	int64_t parameter_number, tuple_index;
	uint32_t n_dimensions;
	int64_t dimensions[2];
	bool contracts;
	int64_t lhs_contracting;
	uint32_t n_window; /* of a convolution: its spatial dimensions; after the features */
	struct gen_window window[2];
	int64_t feature_groups;
	const char *fusion_kind, *backend_config;
};

/* The work and bytes of one execution of an operation. */
struct gen_work {
	bool unknown;
	const char *kind;  /* of work: "reduction" */
	const char *dtype; /* of its matrix product: "bf16"; NULL: none */
	uint64_t matrix, vector, transcendentals;
	uint64_t read, written;
	bool initializes, in_place, recomputed;
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
	bool strided; /* group g has devices g, g + n_groups, ...; else consecutive */
};

struct gen_computation {
	const char *name;
	int64_t id, root;
	bool scheduled; /* its instructions are launched in order: entry, loops */
	JR_VEC(struct gen_instruction) instructions;
};

struct gen_frame {
	bool inconsistent; /* has another line in every process after the first */
	const char *file, *function;
	int32_t line, column;
	uint32_t parent; /* 1-based, 0: outermost */
};

/* Kinds of allocations; one without any of these contains the heap. */
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
	uint32_t first, n; /* its buffers, which are consecutive */
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

/* The kinds of operations in a program's schedule. */
enum gen_op_kind {
	GEN_OP_COMPUTE,
	GEN_OP_SIDE,  /* compute on another stream, concurrent with the next operations */
	GEN_OP_SYNC,  /* a collective that compute waits for */
	GEN_OP_START, /* an asynchronous collective begins; GEN_OP_DONE of the same name waits */
	GEN_OP_DONE,
	GEN_OP_COPY,	   /* host offloading: like GEN_OP_SYNC, but each device on its own */
	GEN_OP_COPY_START, /* the same, asynchronous */
	GEN_OP_LOOP,	   /* a while: its thunk spans `times` runs up to GEN_OP_LOOP_END */
	GEN_OP_LOOP_END,
};

/* One operation, with what holds for all of its executions. */
struct gen_op {
	enum gen_op_kind kind;
	const char *name;			  /* of the HLO instruction */
	const char *text;			  /* of the thunk's range */
	const char *opcode, *op_name; /* op_name "" = none */
	const char *source_file;	  /* "" = none */
	int32_t source_line;
	uint32_t times;	 /* LOOP */
	int64_t base_ns; /* compute: mean length; collective: transfer after all have arrived */
	uint32_t jitter_permille;
	bool communication;
	const char *collective;
	uint64_t message_bytes;
	uint32_t group_size, n_groups;
	bool strided;
	const struct gen_work *work; /* NULL: unknown */
	int64_t instruction;		 /* its id; 0: DONE, LOOP_END */
	uint32_t n_waits;
	const uint32_t *waits; /* operations that make its operands; they end before it starts */
};

/* Return the number of the group of the i-th device of its program. */
static inline uint32_t gen_group_of(const struct gen_op *op, uint32_t i)
{
	if (op->n_groups < 2)
		return 0;
	return op->strided ? i % op->n_groups : i / op->group_size;
}

/* Return true for host offloading: each device runs it independently. */
static inline bool gen_is_copy(const struct gen_op *op)
{
	return op->kind == GEN_OP_COPY || op->kind == GEN_OP_COPY_START;
}

#define GEN_MAX_FLOW 4

/* Ids of the operands for the next operations of the computation under construction. */
struct gen_flow {
	int64_t value, before;		   /* computed: the last one, and the one before it */
	int64_t parameter;			   /* weights */
	int64_t arrived[GEN_MAX_FLOW]; /* results of communication, for the next operation */
	int64_t aside[GEN_MAX_FLOW];   /* results not used before the computation ends */
	uint32_t n_arrived, n_aside;
};

/* A computation to return to after the loop under construction. */
struct gen_enclosing {
	uint32_t computation;
	int64_t loop; /* id */
	struct gen_flow flow;
};

struct gen_program {
	int64_t number; /* in process 0; process p calls it number + p * number_step */
	int64_t number_step;
	const char *name;	   /* module name */
	const char *file_name; /* the same in characters allowed in file names */
	const char *prefix;	   /* "prefix=" part of the module's range, NULL: none */
	const char *fingerprint;
	bool multi_device;				  /* runs on several devices, by their launcher threads */
	uint32_t first_device, n_devices; /* the global ones it runs on; n_devices 0: all */
	bool ambiguous;					  /* strings of other programs tell its shapes, and differ */
	bool compiled;					  /* the compilation was profiled */
	int64_t batch;					  /* leading dimension of its input; 0: does not apply */
	JR_VEC(struct gen_computation) computations;
	uint32_t entry, current; /* of computations: the entry; the one that gets new instructions */
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
	int64_t offset_ns;		/* its clock minus the true one; the sum is 0 */
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
	GEN_RANGE_COMPILE, /* XlaCompile and ranges below it, on any thread */
	GEN_RANGE_USER,	   /* the program's own annotations */
	GEN_RANGE_LAUNCH,  /* not a range: a CUDA call and the one operation it launches */
};

enum gen_style { GEN_PUSH_POP, GEN_START_END, GEN_MARK };

enum gen_launch {
	GEN_LAUNCH_KERNEL,
	GEN_LAUNCH_NCCL,
	GEN_LAUNCH_TO_DEVICE,        /* from pageable memory */
	GEN_LAUNCH_PINNED_TO_DEVICE, /* from pinned memory */
	GEN_LAUNCH_TO_HOST,
	GEN_LAUNCH_MEMSET,
	GEN_LAUNCH_NONE, /* launches nothing */
};

/* The role of a compile range in the compile table (analysis/README.md, section 1.10). */
enum gen_compile_role {
	GEN_COMPILE_PLAIN,
	GEN_COMPILE_FOREIGN,   /* another domain: folded into its parent */
	GEN_COMPILE_AUTOTUNER, /* self time = its length */
	GEN_COMPILE_REMOVED,   /* below an autotuner range */
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
	const char *category;	 /* USER: NULL none; digits: a number without a name */
	enum gen_launch launch;	 /* LAUNCH; its name is that of the kernel, else of the call */
	uint64_t bytes;			 /* LAUNCH: size of a copy or memset */
	/* numbered when all ranges exist */
	int64_t id;
	int64_t child_ns; /* host */
	uint32_t n_children, n_gpu_children, level;
	/* tags for the truth */
	uint32_t program, execution, op; /* GEN_NO_INDEX if it has none */
	bool container;					 /* a thunk that contains thunks */
	bool left_out;					 /* autotuning, edge effect, cut off: in no table */
	enum gen_compile_role role;
	const char *clean; /* compile: name in the table of ranges */
	const char *phase; /* compile: name in the table of phases */
	uint32_t launcher; /* WORKER: index of the range it is put under */
};

struct gen_scenario {
	struct gen_options options;
	struct jr_arena arena;
	uint64_t random;
	int64_t planned_ns;		/* length of compute operations of the next runs; 0: as they have */
	uint32_t cause_program; /* the program that a cause runs */
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

/* Return a uniform number in [0, n). */
uint64_t gen_random(struct gen_scenario *sc, uint64_t n);
/** The same for what makes steps differ; always 0 with options.even. */
int64_t gen_jitter(struct gen_scenario *sc, uint64_t n);
/* Return 64 random bits that are equal in all runs of a job. */
uint64_t gen_random_of_job(struct gen_scenario *sc);
/** Format a text in the scenario's arena. */
const char *gen_text(struct gen_scenario *sc, const char *fmt, ...) JR_PRINTF(2, 3);
/* --- program.c --- */

struct gen_program *gen_program_new(struct gen_scenario *sc, int64_t number, const char *name);
/** Add a frame at the line of `file` with `snippet` (required: our own sources); return its id. */
uint32_t gen_frame(struct gen_scenario *sc, struct gen_program *p, uint32_t parent,
	const char *file, const char *function, const char *snippet);
struct gen_shape gen_shape0(enum gen_type type);
struct gen_shape gen_shape1(enum gen_type type, int64_t d0);
struct gen_shape gen_shape2(enum gen_type type, int64_t d0, int64_t d1);
struct gen_shape gen_shape3(enum gen_type type, int64_t d0, int64_t d1, int64_t d2);
struct gen_shape gen_shape4(enum gen_type type, int64_t d0, int64_t d1, int64_t d2, int64_t d3);
/** Return the shape of a tuple of two. */
struct gen_shape gen_pair(struct gen_scenario *sc, struct gen_shape a, struct gen_shape b);
uint64_t gen_elements(const struct gen_shape *shape);
uint64_t gen_shape_bytes(const struct gen_shape *shape);

/* An operation's name and origin. */
struct gen_site {
	const char *name, *op_name; /* op_name without the program's prefix; NULL: none */
	uint32_t frame;
};

/** Add a computation; return its index. */
uint32_t gen_computation(struct gen_scenario *sc, struct gen_program *p, const char *name);
/** Add an instruction to computation `c`; return its id. The last one added is the root. */
int64_t gen_instruction(
	struct gen_program *p, uint32_t computation, const struct gen_instruction *in);
/** Add an operation to the schedule: the thunk of instruction `id`. */
struct gen_op *gen_thunk(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	enum gen_op_kind kind, const char *opcode, int64_t id, int64_t ns);
/** Return "prefix/op_name" as in metadata; NULL stays NULL. */
const char *gen_op_name(struct gen_scenario *sc, const struct gen_program *p, const char *op_name);
/** Return the title of a thunk: `op_name` is without the program's prefix, NULL if it has none. */
const char *gen_thunk_title(struct gen_scenario *sc, const struct gen_program *p,
	const char *op_name, const char *instruction, int64_t id);
/** Add a fusion over two operands; its computation has `n_inner` instructions at `inner` sites. */
void gen_fusion(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	struct gen_shape shape, int64_t ns, const struct gen_site *inner, size_t n_inner);
/** Add a single instruction (custom-call for gemms, copy...). */
void gen_single(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	const char *opcode, struct gen_shape shape, enum gen_op_kind kind, int64_t ns);
/**
 * Add a collective over all devices; `shape`: of its operand.
 * @param opcode  "all-gather", "all-reduce", "reduce-scatter", "collective-permute", "all-to-all"
 * @param kind    GEN_OP_SYNC or GEN_OP_START (then in the form of that XLA generation)
 * @param wrapped SYNC: inside a fusion
 */
void gen_collective(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	const char *opcode, struct gen_shape shape, enum gen_op_kind kind, bool wrapped,
	int64_t transfer_ns);
/**
 * Add host offloading: a fusion around a dynamic-update-slice into host memory, or (COPY_START) an
 * async-start around a dynamic-slice from it. `shape`: of the moved data.
 */
void gen_host_copy(struct gen_scenario *sc, struct gen_program *p, struct gen_site site,
	bool to_host, struct gen_shape shape, enum gen_op_kind kind, int64_t transfer_ns);
/** Return the number of devices that a multi-device program runs on. */
uint32_t gen_program_devices(const struct gen_scenario *sc, const struct gen_program *p);
void gen_done(struct gen_scenario *sc, struct gen_program *p, const char *start_name);
void gen_loop_begin(
	struct gen_scenario *sc, struct gen_program *p, struct gen_site site, uint32_t times);
void gen_loop_end(struct gen_scenario *sc, struct gen_program *p);
/* The memory of a program in addition to the results of its instructions. */
struct gen_memory {
	uint32_t n_weights; /* parameters of that shape */
	struct gen_shape weight;
	bool donated;		/* outputs reuse their memory */
	uint32_t n_outputs; /* the entry's last instructions; the others are temporaries */
	bool no_heap;		/* no temporaries and no heap trace */
};

/** Add the buffer assignment: allocations, and a heap trace over the entry's instructions. It also
 * adds parameters and a constant. Call it after the last instruction. */
void gen_memory(struct gen_scenario *sc, struct gen_program *p, const struct gen_memory *memory);
/** Return the shape of one of the step's n weights: as the scenario has it, or by --state. */
struct gen_shape gen_weight(const struct gen_scenario *sc, struct gen_shape shape, uint32_t n);

/** Return the number of thunk rows of one execution on one device. */
uint64_t gen_count_thunks(const struct gen_program *p);

/* --- flow.c --- */

/** Note an operation of that kind: compute continues with its result. */
void gen_flow_on(struct gen_program *p, enum gen_op_kind kind, int64_t id);
/** Put the last operation's result aside: the next operations continue with the value before it. */
void gen_put_aside(struct gen_program *p);
/** Note that moved data has arrived. */
void gen_flow_arrived(struct gen_program *p, int64_t id);
/** Return the operand of a transfer: the last value. */
int64_t gen_flow_latest(const struct gen_program *p);
/** Get the operands of a computed value, at most GEN_MAX_FLOW + 1; return their number. */
uint32_t gen_flow_take(struct gen_program *p, int64_t *operands);
/** Set gen_op.waits from the operands of instructions, once the program is complete. */
void gen_find_waits(struct gen_scenario *sc, struct gen_program *p);
/** @return JR_EFORMAT a thunk starts before another that makes its operand ends */
enum jr_status gen_check_waits(const struct gen_scenario *sc, struct jr_error *err) JR_MUST_CHECK;

/* --- timeline.c --- */

/** Return the title of a process's module. */
const char *gen_module_title(struct gen_scenario *sc, struct gen_program *p, uint32_t process);
/** Run a program once on its devices. `cut`: the profile ends in the middle of it. */
void gen_run(struct gen_scenario *sc, uint32_t program, bool cut);
/** Let the main threads wait until all work is done, then spend that time on the host. */
void gen_wait_for_gpu(struct gen_scenario *sc, int64_t then_ns);
/** Add a thunk of an execution that began before the profile, on device 0. */
void gen_edge_thunk(struct gen_scenario *sc, const char *hlo_op);
/** Add the GPU time [start, end) to a range and all ranges above it. */
void gen_widen(struct gen_scenario *sc, uint32_t range, int64_t start, int64_t end);
/** Number ranges and add up children, after the last run. */
void gen_number_ranges(struct gen_scenario *sc);

/* A range in the profiler's order: start time, the longer one first, then number. */
struct gen_order {
	int64_t start_ns, end_ns;
	uint32_t index;
};

/** Compare for qsort(): struct gen_order. */
int gen_by_start(const void *a, const void *b);

/* --- compile.c --- */

/** Let every process compile a program. `gemms`: number of matrix products to tune. */
void gen_compile(struct gen_scenario *sc, uint32_t program, uint32_t gemms, bool parallel);

/* --- scenario_*.c --- */

typedef void (*gen_build_fn)(struct gen_scenario *sc);
void gen_build_mnist_vae(struct gen_scenario *sc);
void gen_build_transformer_fsdp4(struct gen_scenario *sc);
void gen_build_pipeline4(struct gen_scenario *sc);
void gen_build_kernels(struct gen_scenario *sc);
void gen_build_serve2(struct gen_scenario *sc);
/** Without XLA programs: only an export can be written. */
void gen_build_torch_ddp2(struct gen_scenario *sc);
void gen_build_torch_stream(struct gen_scenario *sc);
void gen_build_torch_input(struct gen_scenario *sc);

/* --- scenario.c --- */

/** Make the devices H100 SXM. */
void gen_on_h100(struct gen_scenario *sc);
/** @return JR_EUSAGE unknown scenario or options that do not fit it */
enum jr_status gen_scenario_build(
	struct gen_scenario *sc, const struct gen_options *options, struct jr_error *err) JR_MUST_CHECK;
void gen_scenario_done(struct gen_scenario *sc);

/** Return the part of a file's name by jax.profiler: the host, with a port if several share it. */
const char *gen_recorded_as(struct gen_scenario *sc, uint32_t process);
/** Return the program that runs most often: its executions are the steps. */
uint32_t gen_step_program(const struct gen_scenario *sc);
/** Return a process's number of a program. */
int64_t gen_program_number(const struct gen_program *p, uint32_t process);

#endif
