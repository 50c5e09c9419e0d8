/*
 * profile.h - one job as flat tables: what every pass reads.
 * Layer: model.  Owner: the profile owns all memory of its tables (arena, interned strings, HLO).
 * Written by load.c only; passes treat it as read-only.  Definitions: analysis/README.md,
 * section 1.
 *
 * Tables are structs of arrays: row i of a table is element i of each of its columns. All times are
 * int64 ns on the clock of the row's profile, raw; device.correction_ns is to be subtracted where
 * devices are compared. Text is an id of `strings` (0 = "" = absent). JR_NONE = no row.
 */
#ifndef JR_MODEL_PROFILE_H
#define JR_MODEL_PROFILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/intern.h"
#include "formats/hlo/hlo.h"
#include "formats/hlo/hlo_text.h"
#include "model/profile/options.h"

struct jr_input_ops; /* a kind of input: model/sources/input_kind.h */

/* What a kind of input can tell of, whether or not one at hand does. All tell of executions. */
enum jr_tells {
	JR_TELLS_GPU_OPS = 1,    /* GPU operations and calls of CUDA, one by one */
	JR_TELLS_PROFILER = 2,   /* what was captured when, and what the profiler says of itself */
	JR_TELLS_RANGES = 4,     /* ranges of the host, one by one */
	JR_TELLS_ALLOCATORS = 8, /* what allocators had given out */
	JR_TELLS_STEPS = 16,     /* steps that the program numbered */
	JR_TELLS_LANES = 32,     /* other lines of TPUs */
};

/* What was read: one file or folder that the user named. */
struct jr_input {
	const char *name; /* file name without folders, clean text */
	const struct jr_input_ops *kind;
	char sha256[65];     /* "" for a folder */
	uint64_t size_bytes; /* of the file, 0 for a folder */
	const char *failure; /* why it was left out; NULL = it was read */
};

/* One process' profile; an archive has one, a combined archive one for each archive merged. A
 * process that was profiled several times has a row for each session of the profiler. */
struct jr_process {
	uint32_t input; /* row of inputs */
	uint32_t name;  /* str: file name without .zip */
	char layout;    /* of the trace: 'A', 'B', 'C', 'S' (an export); 0 = no trace */
	uint8_t xla;    /* generation of range names: 1, 2; 0 = unknown */
	uint32_t hostname, driver, cuda, nsys, cpu, os; /* str */
	bool wsl;                                       /* Linux within Windows */
	uint64_t bytes_read;                            /* decompressed for it */
	int64_t pid;                                    /* -1 = unknown */
	int64_t start_unix_ns;  /* what time 0 of its profile was; 0 = unknown */
	uint32_t first_session; /* row of the first profile of the same OS process, mostly its own */
	uint32_t session;       /* how many sessions of the profiler lie before this one */
};

/* A device, in order of global number; row index = device index in all tables. */
struct jr_device {
	uint32_t global;                                                     /* number shown */
	uint32_t local, process_number, slice;                               /* JR_NONE = unknown */
	uint32_t process;                                                    /* row of processes */
	uint32_t gpu_name;                                                   /* str */
	uint64_t memory_bandwidth_bytes_s, sm_count, clock_hz, memory_bytes; /* 0 = unknown */
	uint64_t matrix_flop_s;      /* of bf16 products, as the device states it; 0 = it does not */
	uint32_t compute_capability; /* 10 times major plus minor: 90; 0 = unknown */
	uint32_t uuid, bus;          /* str, 0 = unknown; of a slice (MIG) its own */
	uint32_t id;                 /* that the profiler gave the GPU on its host; JR_NONE = unknown */
	bool of_target;       /* these are of the device that XLA compiled for, not of the profiler's */
	double correction_ns; /* analysis/README.md, section 6.1; 0 where nothing ties it */
	uint32_t aligned_set; /* connected set of devices tied by collectives; JR_NONE = none */
};

/* A program: one compilation of one function. Row 0.. by number, then by name. */
struct jr_program {
	uint32_t number;      /* program id in the first profile that has it */
	uint32_t name;        /* str: module name */
	uint32_t fingerprint; /* str, "" = unknown */
	bool compiled;        /* a compile range carries its number in at least one process */
	bool fell_back;       /* all of its executions are initialisation by the rule, and are steady
							 all the same: else nothing, or only a helper, would be left */
	uint32_t warmup;      /* executions below this number are initialisation (after all fallbacks
							 this is still the rule's number; `steady` columns are authoritative) */
	const struct jr_hlo *hlo; /* of the first process that has it; NULL = unavailable */
};

/* A frame of a Python stack, linked to its caller: equal (caller, text) is one row. */
struct jr_stack_frame {
	uint32_t parent;         /* row of frames, JR_NONE = outermost */
	uint32_t text;           /* str: FILE:LINE[:COLUMN][FUNCTION] as printed */
	uint32_t file, function; /* str */
	int32_t line;
	uint32_t depth; /* 0 = outermost */
};

/* A Python file that stacks of GPU work name. Only files that matter are read (source_text.h). */
struct jr_source_text {
	uint32_t file;       /* str: as frames name it */
	const char *missing; /* why there is no text; NULL = it is there */
	bool outside;        /* taken from --sources */
	const char *text;    /* clean, one NUL behind each line */
	uint32_t n_lines;
	const uint32_t *line_at; /* [n_lines] where in `text` */
};

/* Where an instruction comes from: a stack and/or an op_name. Where processes disagree about it
 * (analysis/README.md, section 5) the differing middle is one [inconsistent metadata]. */
struct jr_origin {
	uint32_t frame;   /* row of frames, JR_NONE = no stack */
	uint32_t op_name; /* str: last frame of the stack, 0 = none */
	uint32_t path;    /* str: op_name split at "/" for the op_name stacks, 0 = none */
};

/* A distinct thunk: (program, name), in that order. All that is the same in each of its executions.
 */
struct jr_op {
	uint32_t program;
	uint32_t name;                         /* str: HLO instruction name */
	uint32_t instruction;                  /* of program.hlo, JR_NONE = not found there */
	uint32_t opcode, op_name, source_file; /* str; opcode 0 = unknown */
	int32_t source_line;
	bool communication;
	bool own_copy;          /* a collective of groups of one device: no communication but a copy */
	uint32_t collective;    /* str: all-gather, ..., host-to-device, device-to-host, mixed; 0 */
	uint64_t message_bytes; /* 0 where unknown (null in reports) */
	uint64_t largest_buffer_bytes; /* part of message_bytes that is one operand; 0 as above */
	uint32_t n_buffers;            /* operands that the message is made of; 0 as above */
	uint32_t group_size;           /* 0 where unknown */
	/* [n_devices] number of the group that a device does it with, JR_NONE where the program does
	 * not run there; NULL: all devices seen do it together, or that is all that is known. */
	const uint32_t *device_group;
	double k, c; /* algorithm bandwidth = k * size / t, bus = algorithm * c; 0: unknown */
	const struct jr_said *said;       /* what the profiler's events state of it; NULL = nothing */
	uint32_t first_origin, n_origins; /* distinct origins of it and of the instructions of the
										 computations it calls directly, first-seen order */
};

/* thunk: one row an execution; sorted by (device, program_execution order = module row, start). */
struct jr_thunks {
	size_t n;
	uint32_t *op;
	uint32_t *module;            /* row of modules */
	uint32_t *program_execution; /* = that of its module */
	uint32_t *thunk_execution;   /* 0.. per (program, program_execution, device, name) by start */
	uint32_t *device;
	int64_t *start_ns;
	int64_t *dur_ns;    /* full */
	int64_t *hidden_ns; /* communication: under compute of the same device; else 0 */
	uint8_t *steady;
};

/* module: one row an execution; sorted by (device, start, range id). */
struct jr_modules {
	size_t n;
	uint32_t *program;
	uint32_t *program_execution; /* 0.. per (device, program) by range id */
	uint32_t *device;
	int64_t *start_ns;
	int64_t *dur_ns;
	uint32_t *n_thunks;
	int64_t *launch_ns; /* on the clock of the process; INT64_MAX = not known */
	uint32_t *step;     /* of the leading steps, the one it was launched in; JR_NONE */
	uint8_t *steady;
};

/* compile: one row a host range below XlaCompile, after grafting, folding and name cleaning;
 * a parent stands before its children; sorted by (process, start, range id). */
struct jr_compiles {
	size_t n;
	uint32_t *process;
	int64_t *range_id;
	uint32_t *name; /* str, clean (analysis/README.md, section 1.10 (e)) */
	int64_t *tid;
	int64_t *start_ns, *dur_ns, *child_ns, *self_ns;
	uint32_t *parent;        /* row of this table, JR_NONE = an XlaCompile */
	int64_t *program_number; /* -1 = none */
	uint8_t *grafted;        /* 1: top of a worker's tree, hung under another thread's range */
};

/* compile foreign: own time of ranges of other domains (cuBLAS, cuDNN, NCCL) of one name that is
 * folded into the own time of a row of the compile table; sorted by row, then by name's text. */
struct jr_compile_foreign {
	uint32_t row;  /* of the compile table */
	uint32_t name; /* str: whole, with domain */
	uint32_t n;
	int64_t self_ns; /* > 0; all of a row together are no more than its own */
};

/* compile module: one row an XlaCompile range, in file order within its process: self times of all
 * ranges below it on its own thread, autotuning included (analysis/README.md, section 4.3). */
struct jr_compile_module {
	uint32_t process;
	uint32_t name;                  /* str: full name of the XlaCompile range, with domain prefix */
	int64_t total_ns;               /* sum of its phases */
	uint32_t first_phase, n_phases; /* rows of compile_phases: descending, then by name */
};
struct jr_compile_phase {
	uint32_t name; /* str: between first and second colon of a range's name; all passes are one */
	int64_t self_ns;
};

/* --- what only an Nsight export has: formats/README.md, section 3; empty for archives --------- */

enum jr_gpu_kind { JR_GPU_KERNEL, JR_GPU_COPY, JR_GPU_MEMSET, JR_GPU_GRAPH };

/* GPU operations: of each export kernels, copies, memsets, graphs, each in order of the file. */
struct jr_gpu_ops {
	size_t n;
	uint8_t *kind;   /* enum jr_gpu_kind */
	uint32_t *name;  /* str: kernels with arguments; else 0 */
	uint32_t *brief; /* str: kernels without; else 0 */
	uint32_t *device;
	uint32_t *stream;
	int64_t *start_ns, *dur_ns;
	int64_t *bytes;   /* of a copy or memset */
	uint32_t *config; /* kernel: row of kernel_configs; copy: kind and memories, see below */
	uint32_t *call;   /* row of api_calls that launched it, JR_NONE = not profiled */
	uint32_t *range;  /* innermost row of nvtx_ranges around that call, JR_NONE */
};
/* Of a copy: copyKind of CUDA in bits 0 to 7; in bits 8 to 15 1 + the kind of memory that it reads,
 * in bits 16 to 23 1 + that of the one it writes (ENUM_CUDA_MEM_KIND), 0 = not told. */
struct jr_kernel_config {
	uint32_t grid[3], block[3], registers, static_shared_bytes, dynamic_shared_bytes; /* JR_NONE */
};

/* Calls of the CUDA runtime and driver, in order of the file. */
struct jr_api_calls {
	size_t n;
	uint32_t *name;   /* str, without a version behind it */
	uint32_t *thread; /* that made it: equal numbers are one thread, they mean nothing else */
	int64_t *start_ns, *dur_ns;
};

enum jr_nvtx_kind { JR_NVTX_PUSH_POP, JR_NVTX_START_END, JR_NVTX_MARK };

/* NVTX ranges and marks, in order of the file. */
struct jr_nvtx_ranges {
	size_t n;
	uint8_t *kind;   /* enum jr_nvtx_kind */
	uint8_t *whole;  /* 0: not closed before the profile ended, or on another thread than begun */
	uint32_t *name;  /* str */
	uint32_t *scope; /* row of nvtx_scopes */
	int64_t *start_ns, *dur_ns;
	uint32_t *n_ops; /* GPU operations launched within; 0: no projection */
	int64_t *gpu_start_ns, *gpu_dur_ns;
	uint32_t *device;  /* of the operations; JR_NONE = several */
	uint32_t *devices; /* where several: row of device_sets; JR_NONE = one, or not known */
};

/* Devices that ranges launched on: one row a distinct set, the first JR_DEVICE_SETS of them. */
#define JR_DEVICE_SETS 64
struct jr_device_set {
	size_t n;
	uint32_t *devices; /* [n] */
};

/* A domain of NVTX and a category in it; one row a pair of names. */
struct jr_nvtx_scope {
	uint32_t domain;   /* str; 0: the default one or one whose name was not profiled */
	uint32_t category; /* str: its name, else its number; 0: none */
};

/* A sum that the profiler's own tables make up. */
struct jr_profiler_sum {
	uint32_t input, name; /* str */
	uint64_t count;
	int64_t total_ns, max_ns;
};
/* What the profiler of one input warned of, once each. */
struct jr_profiler_message {
	uint32_t input;
	int64_t t_ns; /* first time */
	uint64_t count;
	int severity;          /* 2 warning, 3 error */
	uint32_t source, text; /* str */
};
/* --- what is wrong with the records themselves: formats/README.md, section 9 ---------------- */

enum jr_fault_kind {
	JR_FAULT_LOST_KERNELS,    /* launches of which no operation was recorded */
	JR_FAULT_LOST_NODES,      /* replays of a CUDA graph with fewer operations than usual */
	JR_FAULT_LOST_LAUNCHES,   /* operations in the midst of others whose launch was not recorded */
	JR_FAULT_LOST_MODULES,    /* thunks in no execution of a module; counted by analysis */
	JR_FAULT_LOST_EXECUTIONS, /* executions that the host began and of which nothing was recorded,
								 though something was of later ones; counted by analysis */
	JR_FAULT_COVERING,        /* operations that cover several later ones of their stream */
	JR_FAULT_BEFORE_LAUNCH,   /* operations that begin before they are launched */
	JR_FAULT_TIMELESS,        /* operations whose times are 0, left out */
	JR_FAULT_FAR,             /* rows far from all others in time, left out */
	JR_FAULT_CUT,             /* inputs that end too early */
	JR_N_FAULTS
};
/* Faults of one kind in the records of one thread, or of one device; by input, kind, then the row
 * of process, thread, device. */
struct jr_fault {
	enum jr_fault_kind kind;
	uint32_t input, process;  /* rows; process JR_NONE = not known */
	uint32_t device;          /* row; JR_NONE = not known */
	int64_t tid;              /* of the thread that launched; -1 = several, or not known */
	uint64_t count, of;       /* records at fault, of how many of the thread or device */
	int64_t begin_ns, end_ns; /* from the first to the last of them; equal = not known */
	int64_t most_ns; /* how much too early at most, too far away, or covered; 0 = none of these */
};
/* Time of a device in which it may have run what is not in the profile. In no order; they may
 * overlap. */
struct jr_doubted {
	uint32_t device;
	int64_t begin_ns, end_ns;
};

/* Two inputs of which each mostly runs a program that the other never runs. */
struct jr_other_jobs {
	size_t n; /* inputs that are at odds with the first so; 0 = none, and the rest is not set */
	uint32_t input[2], program[2]; /* rows of inputs, str; of the first such pair */
};

/* A part of inputs that is not read: a table of exports, a plane or line of an XSpace, a member or
 * top folder of archives. */
enum jr_unread_kind { JR_UNREAD_ROWS, JR_UNREAD_EVENTS, JR_UNREAD_BYTES };
struct jr_unread {
	uint32_t name; /* str */
	uint8_t kind;  /* enum jr_unread_kind: what n counts */
	uint64_t n;
};

/* What one export covers. */
struct jr_capture {
	uint32_t input;
	int64_t session_ns;        /* length of the profile as it states it; 0 = it does not */
	int64_t first_ns, last_ns; /* of the events in it */
	uint32_t start_trigger, stop_trigger, schema; /* str, 0 = unknown */
	uint64_t n_starts, n_stops;                   /* calls of cudaProfilerStart and -Stop in it */
	bool cuda_traced;                             /* its settings say so */
};

/* What an allocator had given out, after each time it gave or took back: of traces of jax.profiler.
 * By process, allocator, time. */
struct jr_allocator_events {
	size_t n, room;
	uint32_t *process, *allocator; /* row of processes, str */
	int64_t *t_ns;
	int64_t *in_use_bytes;
	int64_t *peak_bytes; /* of the process since it began; 0 = not told */
	uint8_t *gave_back;  /* 1: it took memory back, 0: it gave some */
};

/* Events of one name in a line of a TPU beside its modules and instructions, of one of its other
 * cores, or of what no device runs; over all devices of a process. */
struct jr_device_line {
	uint32_t process;          /* row */
	uint32_t core, line, name; /* str */
	uint32_t of;               /* str of the instruction or transfer that they are of, as they
								* state, else of the instruction that they lie in; 0 = none */
	int64_t n, total_ns, max_ns;
	int64_t of_ns;                     /* of all executions of what they lie in; 0 = of none */
	int64_t bytes, slack_ns, stall_ns; /* sums of what the events state; -1 = none does */
};

/* What of a device lies in a numbered step: first start to last end of the executions (of exports:
 * of the operations) whose launch does. */
struct jr_step_span {
	int64_t start_ns, end_ns;
	uint32_t n_executions;
};
/* A step that the program numbered (StepTraceAnnotation), on the clock of its host. */
struct jr_numbered_step {
	uint32_t process, name; /* row of processes, str */
	uint32_t thread;        /* within the process */
	int64_t number, start_ns, end_ns;
	size_t first_span; /* of step_spans, one a device with such executions */
	uint32_t n_spans;
	bool any_launch; /* false: of no execution of the process is it known what launched it */
};

/* Steps of one name that executions and operations are counted by. Steps of several processes that
 * have one number are one step; where numbers begin anew, the next ones are other steps. */
struct jr_leading_steps {
	uint32_t name; /* str; 0 = no numbered steps lead */
	size_t n, n_steps;
	struct jr_leading_step {
		uint32_t process, step;
		int64_t start_ns, end_ns;
	} * items;        /* by process, start; they do not overlap within a process */
	int64_t *numbers; /* [n_steps] that the program gave; steps are in its order */
};

/* Things the loader had to assume, left out, or could not read; each is told in the report. */
struct jr_guess {
	const char *id; /* stable: "orphan-thunks" */
	uint64_t count;
	const char *detail; /* sentence, with the option that switches it off where there is one */
};
struct jr_missing {
	const char *section; /* name of what is not available */
	const char *reason;
	bool damaged; /* it is in the input and cannot be read */
};

struct jr_setting {
	uint32_t name, value; /* str: allow-listed environment only */
	uint32_t process;
};

struct jr_profile {
	struct jr_arena arena;
	struct jr_intern strings;
	struct jr_options options; /* as used */

	size_t n_inputs, n_processes, n_devices, n_programs, n_ops, n_frames, n_origins;
	struct jr_input *inputs;
	struct jr_process *processes;
	struct jr_device *devices;
	struct jr_program *programs;
	struct jr_op *ops;
	struct jr_stack_frame *frames;
	struct jr_origin *origins;

	/* Smallest start of a module or thunk. Times are compared as doubles since then, which hold
	 * fractions of a ns; since 1970 they would be 256 ns apart. */
	int64_t origin_ns;
	unsigned tells; /* enum jr_tells, or'ed, of all inputs that were read */
	struct jr_thunks thunks;
	struct jr_modules modules;
	struct jr_compiles compiles;
	size_t n_compile_modules, n_compile_phases, n_compile_foreign;
	struct jr_compile_module *compile_modules;
	struct jr_compile_phase *compile_phases;
	struct jr_compile_foreign *compile_foreign;
	struct jr_gpu_ops gpu_ops;
	struct jr_api_calls api_calls;
	struct jr_nvtx_ranges nvtx_ranges;
	struct jr_allocator_events allocator_events;
	size_t n_device_lines;
	struct jr_device_line *device_lines; /* by process; within one as they were first seen */
	size_t n_numbered_steps, n_step_spans, numbered_steps_room, step_spans_room;
	struct jr_numbered_step *numbered_steps; /* by process, start, longest first */
	struct jr_step_span *step_spans;
	struct jr_leading_steps leading_steps;
	size_t n_nvtx_scopes, n_device_sets, n_kernel_configs, n_captures, n_waits, n_overheads,
		n_messages;
	struct jr_nvtx_scope *nvtx_scopes;
	struct jr_device_set device_sets[JR_DEVICE_SETS];
	struct jr_kernel_config *kernel_configs;
	struct jr_capture *captures; /* one an export */
	struct jr_profiler_sum *waits, *overheads;
	struct jr_profiler_message *messages; /* by input, time */
	struct jr_other_jobs other_jobs;
	size_t n_unread;
	struct jr_unread *unread; /* by name's first sight */
	size_t n_faults, n_doubts;
	struct jr_fault *faults;
	uint64_t n_checked[JR_N_FAULTS]; /* records that were looked at for each kind of fault */
	struct jr_doubted *doubts;
	/* Rows of traces and of the large tables of exports, and how many of them were left out, for
	 * they cannot be read; why is among the guesses. */
	uint64_t n_rows, n_rows_lost;
	uint64_t n_thunks_outside; /* under no module, and in none by their times */
	uint64_t n_host_modules;   /* ranges of XLA's executions in push/pop traces of hosts */
	/* Of traces of jax.profiler: whether any input is one; events that it says it dropped; GPUs
	 * that a process saw, whether or not anything ran on them. */
	bool by_jax_profiler;
	uint64_t n_dropped_events, n_gpus_seen;
	bool on_cpu; /* XLA's client of CPUs compiled or ran something in any of them */
	bool has_trace, has_compiles;
	bool any_communication; /* in any program, warm-up included */
	bool thunks_fell_back, modules_fell_back,
		communications_fell_back; /* no steady row: analysis/README.md, section 2 */

	size_t n_hlo, n_owned;
	struct jr_hlo **hlo;    /* decoded modules, from malloc, freed by jr_profile_done() */
	struct jr_arena *owned; /* arenas with columns of exports, freed by jr_profile_done() */

	size_t n_guesses, n_missing, n_warnings, n_settings;
	struct jr_guess *guesses; /* by id */
	struct jr_missing *missing;
	const char **warnings;
	struct jr_setting *settings; /* sorted by process, name */

	size_t n_source_texts;
	struct jr_source_text *source_texts; /* by time spent in stacks through the file, descending */
};

static inline const char *jr_str(const struct jr_profile *p, uint32_t id)
{
	return jr_intern_str(&p->strings, id);
}

/** The row of a process' first session: equal for all profiles of it. */
static inline uint32_t jr_profile_process(const struct jr_profile *p, uint32_t row)
{
	return row < p->n_processes ? p->processes[row].first_session : row;
}

/** OS processes: those that were profiled several times count once. O(profiles) */
static inline size_t jr_profile_processes(const struct jr_profile *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_processes; i++)
		n += p->processes[i].first_session == i;
	return n;
}

/** dur - hidden of a communication thunk, dur of any other ("active" time). */
static inline int64_t jr_thunk_active_ns(const struct jr_profile *p, size_t row)
{
	return p->thunks.dur_ns[row] - p->thunks.hidden_ns[row];
}

/** A device's time on the common clock (analysis/README.md, section 6.1), as ns since `origin_ns`.
 * All that compares the times of devices goes through here: the formula stands nowhere else. */
static inline double jr_aligned_since_ns(
	const struct jr_profile *p, int64_t t_ns, uint32_t device, int64_t origin_ns)
{
	return (double)(t_ns - origin_ns) - p->devices[device].correction_ns;
}

/** The same since the profile's own origin. */
static inline double jr_aligned_ns(const struct jr_profile *p, int64_t t_ns, uint32_t device)
{
	return jr_aligned_since_ns(p, t_ns, device, p->origin_ns);
}

static inline const struct jr_op *jr_thunk_op(const struct jr_profile *p, size_t row)
{
	return &p->ops[p->thunks.op[row]];
}

/** Number of the group of devices that did this thunk together, 0 where they are one. */
static inline uint32_t jr_thunk_group(const struct jr_profile *p, size_t row)
{
	const uint32_t *group = jr_thunk_op(p, row)->device_group;
	return group ? group[p->thunks.device[row]] : 0;
}

/** Path without the prefix that --strip-prefix takes off it; points into `path`. */
const char *jr_path_stripped(const struct jr_options *options, const char *path);

/** Text of a line from 1, NULL where there is none. */
static inline const char *jr_source_line(const struct jr_source_text *source, uint32_t line)
{
	return line && line <= source->n_lines ? source->text + source->line_at[line - 1] : NULL;
}

void jr_profile_init(struct jr_profile *profile, const struct jr_options *options);
void jr_profile_done(struct jr_profile *profile);
/** Assert what this header says of tables: rows in range, in order, sums that are equal. For where
 * JR_CHECKED is set. O(rows). profile_assert.c */
void jr_profile_assert(const struct jr_profile *profile);

/** Append to the profile's lists. Texts are copied; equal guess ids add their counts up. */
void jr_profile_guess(struct jr_profile *p, const char *id, uint64_t count, const char *detail);
void jr_profile_missing(struct jr_profile *p, const char *section, const char *reason);
void jr_profile_damaged(struct jr_profile *p, const char *section, const char *reason);
void jr_profile_warn(struct jr_profile *p, const char *fmt, ...) JR_PRINTF(2, 3);
/** Intern text from an input, made clean. */
uint32_t jr_profile_text(struct jr_profile *p, const char *s, size_t n);
void jr_profile_setting(struct jr_profile *p, uint32_t process, uint32_t name, uint32_t value);
/** Give the profile a decoded module (from malloc) to own. */
void jr_profile_own_hlo(struct jr_profile *p, struct jr_hlo *hlo);
/** Give it all blocks of an arena, which is empty afterwards. */
void jr_profile_own_arena(struct jr_profile *p, struct jr_arena *arena);

/** True where the communication row `thunk` is steady in the communication frame, which falls back
 * on its own (analysis/README.md, section 2). */
static inline bool jr_communication_steady(const struct jr_profile *p, size_t thunk)
{
	return p->communications_fell_back || p->thunks.steady[thunk];
}

/** The leading step that an operation was launched in, by the time of the call; JR_NONE: none, or
 * the launch is not known. O(log steps). leading_steps.c */
uint32_t jr_leading_step_of_op(
	const struct jr_profile *profile, const struct jr_leading_steps *steps, size_t row);

#endif
