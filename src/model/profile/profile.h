/*
 * profile.h - one job as flat tables, the input of every pass.
 * Layer: model.  Owner: the profile owns all memory of its tables (arena, interned strings, HLO).
 * Written by load.c only; passes treat it as read-only.  Definitions: analysis/README.md,
 * section 1.
 *
 * Tables are structs of arrays: row i of a table is element i of each of its columns. All times are
 * int64 ns on the clock of the row's profile, raw; subtract device.correction_ns before devices are
 * compared. Text is an id of `strings` (0 = "" = absent). JR_NONE = no row.
 */
#ifndef JR_MODEL_PROFILE_H
#define JR_MODEL_PROFILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/intern.h"
#include "formats/hlo/hlo.h"
#include "formats/hlo/hlo_text.h"
#include "model/profile/compile_rows.h"
#include "model/profile/fault_rows.h"
#include "model/profile/options.h"
#include "model/profile/selected.h"
#include "model/profile/thunk_rows.h"

struct jr_digest;    /* what a digest keeps of an archive: model/digest/digests.h */
struct jr_input_ops; /* a kind of input: model/sources/input_kind.h */

/* Data that a kind of input can contain; a given input may lack it. All contain executions. */
enum jr_tells {
	JR_TELLS_GPU_OPS = 1,    /* single GPU operations and CUDA calls */
	JR_TELLS_PROFILER = 2,   /* capture times, and messages of the profiler about itself */
	JR_TELLS_RANGES = 4,     /* single host ranges */
	JR_TELLS_ALLOCATORS = 8, /* memory in use per allocator */
	JR_TELLS_STEPS = 16,     /* steps that the program numbered */
	JR_TELLS_LANES = 32,     /* further lines of TPU planes */
	JR_TELLS_PLAN = 64,      /* programs that were compiled, and nothing that was measured */
	JR_TELLS_LIVE = 128,     /* objects in device memory at one time, by the stack that made them */
};

/* An input: one file or folder that the user named. */
struct jr_input {
	const char *name; /* file name without folders, clean text */
	const struct jr_input_ops *kind;
	char sha256[65];                /* "" for a folder */
	uint64_t size_bytes;            /* of the file, 0 for a folder */
	const char *failure;            /* why it was skipped; NULL = it was read */
	const struct jr_digest *digest; /* while inputs are read: of a digest; else NULL */
};

/* The profile of one process. An archive has one, a combined archive one for each merged archive. A
 * process that was profiled several times has one row per profiler session. */
struct jr_process {
	uint32_t input; /* row of inputs */
	uint32_t name;  /* str: file name without .zip */
	char layout;    /* of the trace: 'A', 'B', 'C', 'S' (an export); 0 = no trace */
	uint8_t xla;    /* generation of range names: 1, 2; 0 = unknown */
	uint32_t hostname, driver, cuda, nsys, cpu, os; /* str */
	bool wsl;                                       /* Linux on Windows (WSL) */
	uint64_t bytes_read;                            /* decompressed for this process */
	int64_t pid;                                    /* -1 = unknown */
	int64_t start_unix_ns;  /* time 0 of its profile since 1970; 0 = unknown */
	uint32_t first_session; /* row of the first profile of this OS process, usually itself */
	uint32_t session;       /* number of earlier profiler sessions of this process */
};

/* A device, in order of global number; row index = device index in all tables. */
struct jr_device {
	uint32_t global;                                                     /* number shown */
	uint32_t local, process_number, slice;                               /* JR_NONE = unknown */
	uint32_t process;                                                    /* row of processes */
	uint32_t gpu_name;                                                   /* str */
	uint64_t memory_bandwidth_bytes_s, sm_count, clock_hz, memory_bytes; /* 0 = unknown */
	uint64_t matrix_flop_s;      /* bf16 peak, as the device states it; 0 = not stated */
	uint32_t compute_capability; /* 10 times major plus minor: 90; 0 = unknown */
	uint32_t uuid, bus;          /* str, 0 = unknown; a MIG slice has its own */
	uint32_t id;                 /* the profiler's id of the GPU on its host; JR_NONE = unknown */
	bool of_target;              /* the properties are those XLA compiled for, not profiled ones */
	double correction_ns;        /* analysis/README.md, section 6.1; 0 if no collective ties it */
	uint32_t aligned_set; /* connected set of devices that share collectives; JR_NONE = none */
};

/* A program: one compilation of one function. Rows are sorted by number, then by name. */
struct jr_program {
	uint32_t number;      /* program id in the first profile that has it */
	uint32_t name;        /* str: module name */
	uint32_t fingerprint; /* str, "" = unknown */
	bool compiled;        /* at least one process has a compile range with its number */
	bool fell_back;  /* by the rule all of its executions are warm-up, but they count as steady:
						otherwise nothing, or only a helper program, would remain */
	uint32_t warmup; /* executions below this number are warm-up by the rule; fallbacks do not
						change it, so the `steady` columns are authoritative */
	const struct jr_hlo *hlo; /* from the first process that has it; NULL = unavailable */
};

/* A frame of a Python stack, linked to its caller: equal (caller, text) is one row. */
struct jr_stack_frame {
	uint32_t parent;         /* row of frames, JR_NONE = outermost */
	uint32_t text;           /* str: FILE:LINE[:COLUMN][FUNCTION] as printed */
	uint32_t file, function; /* str */
	int32_t line;
	uint32_t depth; /* 0 = outermost */
};

/* A Python file that appears in stacks of GPU work. source_text.h says which files are read. */
struct jr_source_text {
	uint32_t file;       /* str: path as in the frames */
	const char *missing; /* why the text is missing; NULL = it is present */
	bool outside;        /* read from the folder of --sources */
	const char *text;    /* clean, each line ends with NUL */
	uint32_t n_lines;
	const uint32_t *line_at; /* [n_lines] offsets into `text` */
};

/* The origin of an instruction: a stack, an op_name, or both. If processes disagree
 * (analysis/README.md, section 5), one [inconsistent metadata] replaces the differing middle. */
struct jr_origin {
	uint32_t frame;   /* row of frames, JR_NONE = no stack */
	uint32_t op_name; /* str: innermost frame of the stack, 0 = none */
	uint32_t path;    /* str: op_name split at "/" for the op_name stacks, 0 = none */
};

/* A distinct thunk, sorted by (program, name): all properties that its executions share. */
struct jr_op {
	uint32_t program;
	uint32_t name;                         /* str: HLO instruction name */
	uint32_t instruction;                  /* row in program.hlo, JR_NONE = not found */
	uint32_t opcode, op_name, source_file; /* str; opcode 0 = unknown */
	int32_t source_line;
	bool communication;
	bool own_copy;          /* a collective over groups of one device: a copy, not communication */
	uint32_t collective;    /* str: all-gather, ..., host-to-device, device-to-host, mixed; 0 */
	uint64_t message_bytes; /* 0 where unknown (null in reports) */
	uint64_t largest_buffer_bytes; /* largest operand in message_bytes; 0 as above */
	uint32_t n_buffers;            /* number of operands in the message; 0 as above */
	uint32_t group_size;           /* 0 where unknown */
	/* [n_devices] the group of each device, JR_NONE where the program does not run. NULL: all
	 * devices form one group, or the groups are not known. */
	const uint32_t *device_group;
	double k, c;      /* algorithm bandwidth = k * size / t, bus = algorithm * c; 0: unknown */
	uint64_t planned; /* in a plan: executions per execution of its program; else 0 */
	const struct jr_said *said;       /* what profiler events state about it; NULL = nothing */
	uint32_t first_origin, n_origins; /* distinct origins of the instruction and of those in the
										 computations it calls directly, in first-seen order */
};

/* --- tables of Nsight exports only: formats/README.md, section 3; empty for archives ---------- */

enum jr_gpu_kind { JR_GPU_KERNEL, JR_GPU_COPY, JR_GPU_MEMSET, JR_GPU_GRAPH };

/* GPU operations. For each export: kernels, copies, memsets, graphs, each in file order. */
struct jr_gpu_ops {
	size_t n;
	uint8_t *kind;   /* enum jr_gpu_kind */
	uint32_t *name;  /* str: of a kernel, with arguments; else 0 */
	uint32_t *brief; /* str: of a kernel, without arguments; else 0 */
	uint32_t *device;
	uint32_t *stream;
	int64_t *start_ns, *dur_ns;
	int64_t *bytes;   /* of copies and memsets */
	uint32_t *config; /* kernel: row of kernel_configs; copy: kind and memories, see below */
	uint32_t *call;   /* row of api_calls that launched it, JR_NONE = not profiled */
	uint32_t *range;  /* innermost row of nvtx_ranges around that call, JR_NONE */
};
/* `config` of a copy: bits 0 to 7 are CUDA's copyKind. Bits 8 to 15 are 1 + the kind of memory it
 * reads, bits 16 to 23 are 1 + the kind it writes (ENUM_CUDA_MEM_KIND; 0 = not stated). */
struct jr_kernel_config {
	uint32_t grid[3], block[3], registers, static_shared_bytes, dynamic_shared_bytes; /* JR_NONE */
};

/* Calls of the CUDA runtime and driver, in file order. */
struct jr_api_calls {
	size_t n;
	uint32_t *name;   /* str, without a version suffix */
	uint32_t *thread; /* calling thread: row of host_thread_process */
	int64_t *start_ns, *dur_ns;
};

enum jr_nvtx_kind { JR_NVTX_PUSH_POP, JR_NVTX_START_END, JR_NVTX_MARK };

/* NVTX ranges and marks, in file order. `end_thread` may be the same array as `thread`. */
struct jr_nvtx_ranges {
	size_t n;
	uint8_t *kind;   /* enum jr_nvtx_kind */
	uint8_t *whole;  /* 0: still open when the profile ended, or closed on another thread */
	uint32_t *name;  /* str */
	uint32_t *scope; /* row of nvtx_scopes */
	uint32_t *thread, *end_thread; /* as in jr_api_calls; end_thread: the one that closed it */
	int64_t *start_ns, *dur_ns;
	uint32_t *n_ops; /* GPU operations launched in it; 0: no projection */
	int64_t *gpu_start_ns, *gpu_dur_ns;
	uint32_t *device; /* of the operations; from JR_FIRST_DEVICE_SET on: a set; JR_NONE = several */
};

/* Devices that ranges launched on: one row per distinct set, for the first JR_DEVICE_SETS sets. */
#define JR_DEVICE_SETS 64
#define JR_FIRST_DEVICE_SET (JR_NONE - JR_DEVICE_SETS)
#define JR_FAR_DEVICES (UINT64_C(1) << 63) /* bit of devices from 63 on, which no set has */
struct jr_device_set {
	size_t n;
	uint32_t *devices; /* [n] */
};

/* An NVTX domain and a category in it; one row per pair of names. */
struct jr_nvtx_scope {
	uint32_t domain;   /* str; 0: the default domain, or its name was not profiled */
	uint32_t category; /* str: its name, else its number; 0: none */
};

/* A sum over one of the profiler's own tables. */
struct jr_profiler_sum {
	uint32_t input, name; /* str */
	uint64_t count;
	int64_t total_ns, max_ns;
};
/* A distinct warning or error of the profiler of one input. */
struct jr_profiler_message {
	uint32_t input;
	int64_t t_ns; /* first time */
	uint64_t count;
	int severity;          /* 2 warning, 3 error */
	uint32_t source, text; /* str */
};
/* Two inputs that each mostly run a program that the other never runs. */
struct jr_other_jobs {
	size_t n; /* inputs that differ from the first input like this; 0 = none, the rest is unset */
	uint32_t input[2], program[2]; /* rows of inputs, and str; of the first such pair */
};

/* A part of the inputs that is not read: an export table, a plane or line of an XSpace, a member or
 * top folder of an archive. */
enum jr_unread_kind { JR_UNREAD_ROWS, JR_UNREAD_EVENTS, JR_UNREAD_BYTES };
struct jr_unread {
	uint32_t name; /* str */
	uint8_t kind;  /* enum jr_unread_kind: the unit of n */
	uint64_t n;
};

/* The capture of one export. */
struct jr_capture {
	uint32_t input;
	int64_t session_ns;        /* length of the profile as stated; 0 = not stated */
	int64_t first_ns, last_ns; /* of its events */
	uint32_t start_trigger, stop_trigger, schema; /* str, 0 = unknown */
	uint64_t n_starts, n_stops;                   /* calls of cudaProfilerStart and -Stop */
	bool cuda_traced;                             /* according to its settings */
};

/* Memory in use after each allocation and deallocation, from jax.profiler traces. Sorted by
 * process, allocator, time. */
struct jr_allocator_events {
	size_t n, room;
	uint32_t *process, *allocator; /* row of processes, str */
	int64_t *t_ns;
	int64_t *in_use_bytes;
	int64_t *peak_bytes; /* of the process since it began; 0 = not stated */
	uint8_t *gave_back;  /* 1: deallocation, 0: allocation */
};

/* Objects in device memory: one row per sample of a device memory profile, in file order. */
enum jr_live_kind { JR_LIVE_BUFFER, JR_LIVE_EXECUTABLE, JR_LIVE_OTHER };
struct jr_live_objects {
	size_t n;
	uint8_t *kind;       /* enum jr_live_kind */
	uint32_t *kind_name; /* str: as the file states it; 0 = not stated */
	uint32_t *process;   /* row of processes; JR_NONE = of --memory-profile */
	uint32_t *device;    /* str: "cuda:0"; 0 = none is stated */
	uint32_t *frame;     /* innermost row of frames; JR_NONE = no stack */
	int64_t *count;      /* number of objects; the sum fits JR_LIVE_MAX */
	int64_t *bytes;      /* of all of them; -1 = unknown; the sum of the others fits JR_LIVE_MAX */
	bool is_partial;     /* samples are missing, because a file is cut or damaged */
};
#define JR_LIVE_MAX (INT64_C(1) << 59) /* far above the memory of all devices there are */

/* Events of one name on a TPU line other than modules and instructions, on another core of the TPU,
 * or of work that no device runs. Summed over all devices of a process. */
struct jr_device_line {
	uint32_t process;          /* row */
	uint32_t core, line, name; /* str */
	uint32_t of; /* str of the instruction or transfer that they state, else of the instruction
					around them; 0 = none */
	int64_t n, total_ns, max_ns;
	int64_t of_ns; /* time of all executions of the instruction around them; 0 = none */
	int64_t bytes, slack_ns, stall_ns; /* sums of the stated values; -1 = none is stated */
};

/* The work of one device in a numbered step: from the first start to the last end of the executions
 * (in exports: operations) launched in the step. */
struct jr_step_span {
	uint32_t device;
	int64_t start_ns, end_ns;
	uint32_t n_executions;
};
/* A numbered step of the program (StepTraceAnnotation), on its host's clock. */
struct jr_numbered_step {
	uint32_t process, name; /* row of processes, str */
	uint32_t thread;        /* row of host_thread_process if its process has calls */
	int64_t number, start_ns, end_ns;
	size_t first_span; /* row of step_spans, one per device with such executions */
	uint32_t n_spans;
	bool any_launch; /* false: no execution of the process has a known launch */
};

/* The steps of one name by which executions and operations are counted. Equal numbers in several
 * processes or threads are one step. If the numbers restart, later steps are different ones. */
struct jr_leading_steps {
	uint32_t name; /* str; 0 = there are no leading steps */
	size_t n, n_steps;
	struct jr_leading_step {
		uint32_t process, step;
		uint32_t thread; /* of numbered steps; 0 for all if steps of a process do not overlap */
		int64_t start_ns, end_ns;
	} * items;        /* by process, thread, start; no overlap within a thread */
	int64_t *numbers; /* [n_steps] the program's numbers; steps are in their order */
};

/* Things that the loader assumed, left out, or could not read. The report lists each of them. */
struct jr_guess {
	const char *id; /* stable: "orphan-thunks" */
	uint64_t count;
	const char *detail; /* sentence, with the option that disables it, if any */
};
struct jr_missing {
	const char *section; /* name of the unavailable section */
	const char *reason;
	bool damaged; /* present in the input, but not readable */
};

struct jr_setting {
	uint32_t name, value; /* str: only allow-listed environment variables */
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

	/* Smallest start of a module or thunk, without them of a GPU operation. Times are compared as
	 * doubles relative to it, which keeps fractions of a ns; doubles since 1970 would be 256 ns
	 * apart. */
	int64_t origin_ns;
	unsigned tells; /* enum jr_tells of all inputs that were read, or'ed */
	struct jr_selected selected;
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
	size_t n_host_threads;
	uint32_t *host_thread_process; /* row of processes; threads of calls and ranges */
	struct jr_allocator_events allocator_events;
	struct jr_live_objects live;
	size_t n_device_lines;
	struct jr_device_line *device_lines; /* by process, then in first-seen order */
	size_t n_numbered_steps, n_step_spans, numbered_steps_room, step_spans_room;
	struct jr_numbered_step *numbered_steps; /* by process, start, longest first */
	struct jr_step_span *step_spans;
	struct jr_leading_steps leading_steps;
	size_t n_nvtx_scopes, n_device_sets, n_kernel_configs, n_captures, n_waits, n_overheads,
		n_messages;
	struct jr_nvtx_scope *nvtx_scopes;
	struct jr_device_set device_sets[JR_DEVICE_SETS];
	struct jr_kernel_config *kernel_configs;
	struct jr_capture *captures; /* one per export */
	struct jr_profiler_sum *waits, *overheads;
	struct jr_profiler_message *messages; /* by input, time */
	struct jr_other_jobs other_jobs;
	size_t n_unread;
	struct jr_unread *unread; /* in first-seen order of the names */
	size_t n_faults, n_doubts;
	struct jr_fault *faults;
	uint64_t n_checked[JR_N_FAULTS]; /* records that were checked for each kind of fault */
	struct jr_doubted *doubts;
	/* Rows of traces and of the large export tables, and how many of them were left out as
	 * unreadable. The guesses say why. */
	uint64_t n_rows, n_rows_lost;
	uint64_t n_thunks_outside; /* no module, or not their own, contains their times */
	uint64_t n_host_modules;   /* ranges of XLA executions in host push/pop traces */
	/* For jax.profiler traces: whether any input is one; events it reports as dropped; GPUs that a
	 * process saw, even if nothing ran on them. */
	bool by_jax_profiler, graphs_off; /* off: command buffers, because of it, as XLA states */
	uint64_t n_dropped_events, n_gpus_seen;
	bool planned; /* a plan: the inputs contain only compiled programs. No table has executions;
					 ops are the instructions that XLA will launch */
	bool on_cpu;  /* XLA's CPU client compiled or ran something in any of them */
	bool has_trace, has_compiles;
	bool any_communication; /* in any program, warm-up included */
	bool thunks_fell_back, modules_fell_back,
		communications_fell_back; /* no row was steady: analysis/README.md, section 2 */

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

/** Return the row of the first session of a process, equal for all profiles of that process. */
static inline uint32_t jr_profile_process(const struct jr_profile *p, uint32_t row)
{
	return row < p->n_processes ? p->processes[row].first_session : row;
}

/** Count OS processes. A process that was profiled several times counts once. O(profiles) */
size_t jr_profile_processes(const struct jr_profile *p);

/** Return the module row that contains a thunk. */
static inline uint32_t jr_thunk_module(const struct jr_profile *p, size_t row)
{
	const struct jr_thunks *t = &p->thunks;
	return t->block_module[row >> t->block_bits] + t->in_block[row];
}

/** Return the start of a thunk, in ns on the clock of its process. */
static inline int64_t jr_thunk_start_ns(const struct jr_profile *p, size_t row)
{
	const struct jr_thunks *t = &p->thunks;
	return p->modules.start_ns[jr_thunk_module(p, row)] +
		   (t->dur[row] == JR_NONE ? t->wide[t->since[row]].since_ns : (int64_t)t->since[row]);
}

/** Return the full duration of a thunk. */
static inline int64_t jr_thunk_dur_ns(const struct jr_profile *p, size_t row)
{
	const struct jr_thunks *t = &p->thunks;
	return t->dur[row] == JR_NONE ? t->wide[t->since[row]].dur_ns : (int64_t)t->dur[row];
}

/** Return the end of a thunk, as its start. */
static inline int64_t jr_thunk_end_ns(const struct jr_profile *p, size_t row)
{
	return jr_thunk_start_ns(p, row) + jr_thunk_dur_ns(p, row);
}

/** Return how often its op ran before in the module row of a thunk: column `thunk_execution`. */
static inline uint32_t jr_thunk_repeat(const struct jr_profile *p, size_t row)
{
	const struct jr_thunks *t = &p->thunks;
	return t->dur[row] == JR_NONE ? t->wide[t->since[row]].repeat : t->repeat[row];
}

/** Return how much of communication overlaps with compute of its device; 0 for other thunks. */
static inline int64_t jr_thunk_hidden_ns(const struct jr_profile *p, size_t row)
{
	uint32_t at = jr_row_set_find(&p->thunks.communication, row);
	return at == JR_NONE ? 0 : p->thunks.hidden_ns[at];
}

/** Return the "active" time of a thunk: dur - hidden for communication, dur for any other. */
static inline int64_t jr_thunk_active_ns(const struct jr_profile *p, size_t row)
{
	return jr_thunk_dur_ns(p, row) - jr_thunk_hidden_ns(p, row);
}

/** Convert a time of a device to the common clock (analysis/README.md, section 6.1), in ns since
 * `origin_ns`. All comparisons between devices use this function; the formula is not repeated. */
static inline double jr_aligned_since_ns(
	const struct jr_profile *p, int64_t t_ns, uint32_t device, int64_t origin_ns)
{
	return (double)(t_ns - origin_ns) - p->devices[device].correction_ns;
}

/** Convert like jr_aligned_since_ns(), relative to the profile's own origin. */
static inline double jr_aligned_ns(const struct jr_profile *p, int64_t t_ns, uint32_t device)
{
	return jr_aligned_since_ns(p, t_ns, device, p->origin_ns);
}

/** Return the time 0 of all times that a report shows and of --time: the first start of an
 * execution (without modules: of an operation) in the whole profile, also if only a part of it is
 * selected. On the common clock, in ns since `origin_ns`; 0 if there is none. O(rows) */
double jr_profile_zero_ns(const struct jr_profile *p);

static inline const struct jr_op *jr_thunk_op(const struct jr_profile *p, size_t row)
{
	return &p->ops[p->thunks.op[row]];
}

/** Return the device that ran a thunk. */
static inline uint32_t jr_thunk_device(const struct jr_profile *p, size_t row)
{
	return p->modules.device[jr_thunk_module(p, row)];
}

/** Return the program_execution of the module row that contains a thunk. */
static inline uint32_t jr_thunk_execution(const struct jr_profile *p, size_t row)
{
	return p->modules.program_execution[jr_thunk_module(p, row)];
}

/** Return whether a thunk is steady (analysis/README.md, section 2). */
static inline bool jr_thunk_steady(const struct jr_profile *p, size_t row)
{
	return p->thunks_fell_back || p->modules.steady[jr_thunk_module(p, row)];
}

/** Return the number of the device group that ran this thunk together; 0 if there is only one
 * group. */
static inline uint32_t jr_thunk_group(const struct jr_profile *p, size_t row)
{
	const uint32_t *group = jr_thunk_op(p, row)->device_group;
	return group ? group[jr_thunk_device(p, row)] : 0;
}

/** Return the path without the prefix given by --strip-prefix; points into `path`. */
const char *jr_path_stripped(const struct jr_options *options, const char *path);

/** Return the text of a line (numbered from 1), NULL if there is none. */
static inline const char *jr_source_line(const struct jr_source_text *source, uint32_t line)
{
	return line && line <= source->n_lines ? source->text + source->line_at[line - 1] : NULL;
}

void jr_profile_init(struct jr_profile *profile, const struct jr_options *options);
void jr_profile_done(struct jr_profile *profile);
/** Assert the invariants of the tables in this header: row ranges, sort orders, equal sums. Called
 * if JR_CHECKED is set. O(rows). profile_assert.c */
void jr_profile_assert(const struct jr_profile *profile);

/** Append to the lists of the profile, unless `count` is 0. Counts of equal guess ids are added. */
void jr_profile_guess(struct jr_profile *p, const char *id, uint64_t count, const char *detail);
void jr_profile_missing(struct jr_profile *p, const char *section, const char *reason);
void jr_profile_damaged(struct jr_profile *p, const char *section, const char *reason);
void jr_profile_warn(struct jr_profile *p, const char *fmt, ...) JR_PRINTF(2, 3);
/** Clean and intern a text from an input. */
uint32_t jr_profile_text(struct jr_profile *p, const char *s, size_t n);
/** Return the `device` of ranges with a set of devices, adding new sets; JR_NONE: several.
 * @param bits   1 << device, or'ed; JR_FAR_DEVICES
 * @param known  bits -> `device`; initially empty */
uint32_t jr_profile_device_set(struct jr_profile *p, uint64_t bits, struct jr_map *known);
void jr_profile_setting(struct jr_profile *p, uint32_t process, uint32_t name, uint32_t value);
/** Transfer ownership of a decoded module (from malloc) to the profile. */
void jr_profile_own_hlo(struct jr_profile *p, struct jr_hlo *hlo);
/** Transfer all blocks of an arena to the profile. The arena is empty afterwards. */
void jr_profile_own_arena(struct jr_profile *p, struct jr_arena *arena);

/** Return whether the communication row `thunk` is steady in the communication frame. This frame
 * has its own fallback (analysis/README.md, section 2). */
static inline bool jr_communication_steady(const struct jr_profile *p, size_t thunk)
{
	return p->communications_fell_back || jr_thunk_steady(p, thunk);
}

/** Return the leading step that contains the launch call of an operation; JR_NONE if there is none
 * or the launch is not known. O(log steps). leading_steps.c */
uint32_t jr_leading_step_of_op(
	const struct jr_profile *profile, const struct jr_leading_steps *steps, size_t row);

#endif
