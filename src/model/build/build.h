/*
 * build.h - the tables of a profile while processes are added.
 * Layer: model, private to load.c and the steps that it calls.
 *
 * Order of the steps for each process: devices (thread -> device), programs (number -> program),
 * executions (trace rows -> module and thunk rows). Then once for the job: jr_build_finish().
 */
#ifndef JR_MODEL_BUILD_H
#define JR_MODEL_BUILD_H

#include "base/vec.h"
#include "model/archive/metadata.h"
#include "model/profile/profile.h"
#include "model/archive/trace.h"

struct jr_module_row {
	uint32_t program, device;
	uint32_t epoch; /* epoch of its session: sessions.h */
	uint32_t text;  /* row of the trace's names: full range name */
	int64_t start_ns, dur_ns, range_id;
	int64_t launch_ns; /* INT64_MAX = not known */
	int64_t n_gpu_ops; /* INT64_MIN = not in this column set */
	size_t first_thunk;
	uint32_t n_thunks;
};

/* A program of one process before it is matched with programs of other processes. */
struct jr_local_program {
	int64_t number;
	uint32_t name;      /* str of the profile */
	struct jr_hlo *hlo; /* jr_programs_add() takes it; NULL = none */
	uint32_t program;   /* out: row of jr_build.programs */
};

/* NCCL ranges and kernels of an op. */
enum jr_nccl {
	JR_NCCL_NONE,
	JR_NCCL_BELOW, /* a thunk of that name contained an NCCL range */
	JR_NCCL_ONLY,  /* the op is an NCCL range itself, the only trace of a communication */
};
struct jr_op_nccl {
	enum jr_nccl ranges;
	uint32_t kernel;    /* str: NCCL kernel launched by a thunk of that name; 0 = none */
	bool other_kernels; /* such a thunk also launched other kernels */
};

/* The program that a number denotes in one process. */
struct jr_program_number {
	uint32_t process;
	int64_t number;
	uint32_t program;
};

/* The same program in another process, with other stacks or op_names. */
struct jr_variant {
	uint32_t program;
	uint32_t before; /* row of the previous variant of this program; JR_NONE */
	uint64_t metadata_hash;
	const struct jr_hlo *hlo;
};

/* The tables of one export before all exports are joined. Text ids belong to the profile, devices
 * are rows of jr_build.devices. */
struct jr_export_rows {
	struct jr_gpu_ops ops;
	struct jr_api_calls calls;
	struct jr_nvtx_ranges ranges;
	size_t n_threads, n_configs;
	uint32_t *thread_process; /* [n_threads] rows of processes, in the profile's arena */
	struct jr_kernel_config *configs;
	struct jr_arena arenas[5]; /* own the memory of all of it */
};

/* Number of rows of each table. */
struct jr_session_rows {
	size_t modules, exports, compiles, memory, steps, spans, faults, doubts, messages, captures;
};

/* The rows that one source added, and its recording time: sessions.h */
struct jr_session {
	uint32_t process;          /* row of profile->processes */
	uint32_t before;           /* previous session of the same host and process id; JR_NONE */
	const char *stem;          /* name of the input without its ending */
	const char *label;         /* name for messages; NULL = not set */
	uint32_t number;           /* XLA's number of the process; JR_NONE = unknown */
	int64_t start_unix_ns;     /* 0 = unknown */
	int64_t first_ns, last_ns; /* of all of its rows, as read */
	int64_t base_ns;           /* added to times to get times since 1970 */
	bool known;                /* whether base_ns is known */
	struct jr_session_rows begin, end;
	uint32_t epoch;
	int64_t shift_ns;
};

struct jr_build {
	struct jr_profile *profile;
	JR_VEC(struct jr_session) sessions; /* one per source, in order */
	struct jr_map session_by_process;   /* (host, process id) -> its last session */
	JR_VEC(struct jr_module_row) modules;
	/* Thunks by source, module row, start and range id: those of a module row are adjacent. */
	JR_VEC(uint32_t) thunk_op;
	JR_VEC(uint32_t) thunk_since; /* as in struct jr_thunks */
	JR_VEC(uint32_t) thunk_dur;
	JR_VEC(struct jr_wide_thunk) wide_thunks;
	JR_VEC(struct jr_program) programs;
	struct jr_map program_by_key;     /* hash of (module name, structure, occurrence) -> program */
	struct jr_map number_taken;       /* number of a program -> program */
	uint32_t next_number;             /* above all program numbers, while such a number exists */
	JR_VEC(uint64_t) metadata_hashes; /* [programs.n] of stacks and op_names in the HLO */
	JR_VEC(struct jr_program_number) numbers; /* by process, number */
	JR_VEC(struct jr_variant) variants;       /* in order of processes */
	struct jr_map last_variant;               /* row of `programs` -> row of variants */
	JR_VEC(struct jr_op) ops;
	JR_VEC(struct jr_op_nccl) op_nccl; /* [ops.n] */
	struct jr_map op_by_key;           /* (program, name) -> op */
	JR_VEC(struct jr_device) devices;
	struct jr_map device_by_key; /* (process, global number) -> device; without exports */
	JR_VEC(struct jr_export_rows) exports;
	struct jr_live_build *live; /* NULL: no device memory profile */
};

void jr_build_done(struct jr_build *build);

/* The device that each thread of one process drives. */
struct jr_thread_devices {
	size_t n;
	struct jr_thread_device {
		int64_t pid, tid;
		uint32_t device;    /* row of jr_build.devices */
	} * threads;            /* by pid, tid after sorting */
	uint32_t first;         /* the process' first device */
	const uint32_t *of_row; /* exports: jr_trace.device -> row of jr_build.devices; else NULL */
	struct jr_arena arena;
};

/**
 * Add the devices of one process (analysis/README.md, section 1.6) to build->devices. They are
 * found by launcher names, else by the order of threads that run multi-thread programs; else there
 * is one device.
 * @param meta  may be empty, never NULL
 */
void jr_devices_add(struct jr_build *build, uint32_t process, const struct jr_trace *trace,
	const struct jr_metadata *meta, struct jr_thread_devices *out);
/** Fill in devices of a process that have no description yet, such as those of an export. */
void jr_devices_describe(struct jr_build *build, uint32_t process, const struct jr_metadata *meta);
/** Return the next free global number, for processes without device names. */
uint32_t jr_devices_next_global(const struct jr_build *build);
/** Return the device that a thread drives (the first of several), or JR_NONE. Needs sorted threads.
 * O(log n). */
uint32_t jr_thread_devices_find(const struct jr_thread_devices *threads, int64_t pid, int64_t tid);
void jr_thread_devices_done(struct jr_thread_devices *threads);

/** Match the programs of one process (sorted by number) with known ones; fills `program` of each.
 * Takes ownership of their HLO: HLO with new information is kept, other HLO is freed and `hlo` is
 * cleared. */
void jr_programs_add(
	struct jr_build *build, uint32_t process, struct jr_local_program *local, size_t n);

/**
 * Add the module and thunk rows of one process (analysis/README.md, sections 1.1 to 1.4 and 1.7).
 * @param local  [n_local] sorted by number
 */
void jr_executions_add(struct jr_build *build, const struct jr_trace *trace,
	const struct jr_thread_devices *threads, const struct jr_local_program *local, size_t n_local);

/** Add the ops of a plan: for each program, the instructions that XLA launches from its entry
 * computation, with their executions (jr_op.planned). A loop counts with its known trip count, else
 * once, which is reported as a guess. O(instructions) */
void jr_plan_ops_add(struct jr_build *build);

struct jr_pprof;
/**
 * Add the samples of a device memory profile, and report what of it is damaged.
 *
 * @param process  row of processes; JR_NONE: the file of --memory-profile
 * @param name     of the file, for messages; NULL: it is clear
 * @return JR_ELIMIT too many frames
 */
enum jr_status jr_live_add(struct jr_build *build, const struct jr_pprof *pprof, uint32_t process,
	const char *name, struct jr_error *err) JR_MUST_CHECK;
/** Move the samples into the profile, and their stacks to the frames that it has already. */
void jr_live_freeze(struct jr_build *build);
void jr_live_done(struct jr_build *build);

/** Sort, number and freeze all rows into the profile's tables; compute hidden time, alignment and
 * warm-up. */
enum jr_status jr_build_finish(struct jr_build *build, struct jr_error *err) JR_MUST_CHECK;

/** Concatenate the tables of all exports. `place` maps jr_build.devices to profile->devices. */
enum jr_status jr_exports_freeze(
	struct jr_build *build, const uint32_t *place, struct jr_error *err) JR_MUST_CHECK;

/** Set the module row of each thunk, by the numbers of thunks of the modules. O(rows). finish.c */
void jr_thunks_place(struct jr_profile *profile);

/* Steps of jr_build_finish(); each works on the profile's frozen tables. */
/** Set origin_ns. Returns JR_EFORMAT if a sum that passes need overflows int64: the durations of a
 * table over all inputs, or the observed times of all devices. O(rows). times.c */
enum jr_status jr_times_finish(
	struct jr_profile *profile, struct jr_arena *scratch, struct jr_error *err) JR_MUST_CHECK;
/** Drop the HLO of programs of which hardly any instruction that ran is in it: it is of another
 * program with the same name and number. O(ops). programs.c */
void jr_programs_check(struct jr_build *build);
void jr_ops_describe(struct jr_build *build);        /* ops.c, from HLO */
void jr_overlap_compute(struct jr_profile *profile); /* hidden_ns: overlap.c */
void jr_align_compute(struct jr_profile *profile);   /* correction_ns: align.c */
void jr_warmup_mark(struct jr_build *build);         /* steady: warmup.c */

/* Steps of load.c after jr_build_finish(). */
/**
 * Reduce all tables to what options.selection asks for (analysis/README.md, section 18); nothing
 * changes if it asks for nothing. Sets profile->selected. Then call jr_warmup_settle().
 * @return JR_EUSAGE: an option has no meaning for the input, names something that does not exist,
 *         or nothing is left; the message says what there is
 * @note O(rows log rows). select.c
 */
enum jr_status jr_profile_select(struct jr_profile *profile, struct jr_error *err) JR_MUST_CHECK;
/** Let frames without a steady row fall back, and warn of those that did. warmup.c */
void jr_warmup_settle(struct jr_profile *profile);

/* The part of a collective that an instruction is. TPUs start a collective and wait for it later.
 */
enum jr_collective_part {
	JR_COLLECTIVE_WHOLE,
	JR_COLLECTIVE_START,
	JR_COLLECTIVE_DONE,
	JR_COLLECTIVE_NONE
};
/**
 * Determine the part from the texts that an event states for an instruction ("" = nothing), else
 * from its name. An async-done is always a -done, regardless of its -start.
 *
 * @param start  out: name of the first operand (for a -done: its -start); empty = not stated;
 *               points into `text`
 */
enum jr_collective_part jr_collective_part_of(
	const char *text, const char *category, const char *name, struct jr_bytes *start);

/* Cache of the communication in each computation of a module. */
struct jr_moves;
struct jr_moves *jr_moves_new(const struct jr_hlo *hlo, size_t n_devices, struct jr_arena *arena);
/** Return whether the named instruction communicates: by its HLO, or by its name if `moves` is
 * NULL. */
bool jr_op_communicates(struct jr_moves *moves, const char *name);

#endif
