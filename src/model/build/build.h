/*
 * build.h - a profile's tables while they grow, process by process.
 * Layer: model, private to it: load.c and the steps that it calls.
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
	uint32_t epoch; /* of the session that it is of: sessions.h */
	uint32_t text;  /* row of the trace's names: full range name */
	int64_t start_ns, dur_ns, range_id;
	int64_t launch_ns; /* INT64_MAX = not known */
	int64_t n_gpu_ops; /* INT64_MIN = not told by this column set */
};

struct jr_thunk_row {
	uint32_t op, module; /* module: row of jr_build.modules */
	int64_t start_ns, dur_ns, range_id;
};

/* A program of one process before it is matched with those of the others. */
struct jr_local_program {
	int64_t number;
	uint32_t name;      /* str of the profile */
	struct jr_hlo *hlo; /* given to jr_programs_add(); NULL = none */
	uint32_t program;   /* out: row of jr_build.programs */
};

/* What NCCL says of an op. */
enum jr_nccl {
	JR_NCCL_NONE,
	JR_NCCL_BELOW, /* an NCCL range stood below a thunk of that name */
	JR_NCCL_ONLY,  /* the op is an NCCL range itself, the only trace of a communication */
};
struct jr_op_nccl {
	enum jr_nccl ranges;
	uint32_t kernel;    /* str: NCCL's kernel that a thunk of that name launched; 0 = none */
	bool other_kernels; /* ... or a kernel of somebody else */
};

/* Which program a number means in one process. */
struct jr_program_number {
	uint32_t process;
	int64_t number;
	uint32_t program;
};

/* The same program in another process, with other stacks or op_names. */
struct jr_variant {
	uint32_t program;
	uint32_t before; /* row: the same program's variant before it; JR_NONE */
	uint64_t metadata_hash;
	const struct jr_hlo *hlo;
};

/* The tables of one export until those of all are put together. Ids of texts are the profile's,
 * devices are rows of jr_build.devices. */
struct jr_export_rows {
	struct jr_gpu_ops ops;
	struct jr_api_calls calls;
	struct jr_nvtx_ranges ranges;
	size_t n_threads, n_configs;
	struct jr_kernel_config *configs;
	struct jr_arena arenas[5]; /* with all of it */
};

/* How many rows of each table there are. */
struct jr_session_rows {
	size_t modules, thunks, exports, compiles, memory, steps, spans, faults, doubts, messages,
		captures;
};

/* What one source added, and when it was recorded: sessions.h */
struct jr_session {
	uint32_t process;      /* row of profile->processes */
	uint32_t before;       /* the last session before it of the same host and process id; JR_NONE */
	const char *stem;      /* name of the input without its ending */
	int64_t start_unix_ns; /* 0 = unknown */
	int64_t first_ns, last_ns; /* of all of its rows, as they were read */
	int64_t base_ns;           /* to be added to times, for them to be since 1970 */
	bool known;                /* base_ns is */
	struct jr_session_rows begin, end;
	uint32_t epoch;
	int64_t shift_ns;
};

struct jr_build {
	struct jr_profile *profile;
	JR_VEC(struct jr_session) sessions; /* one a source, in order */
	struct jr_map session_by_process;   /* (host, process id) -> the last of sessions */
	JR_VEC(struct jr_module_row) modules;
	JR_VEC(struct jr_thunk_row) thunks;
	JR_VEC(struct jr_program) programs;
	struct jr_map program_by_key;     /* hash of (module name, structure, occurrence) -> program */
	struct jr_map number_taken;       /* number of a program -> program */
	uint32_t next_number;             /* above those of all programs, as long as there is one */
	JR_VEC(uint64_t) metadata_hashes; /* [programs.n] of the stacks and op_names of its HLO */
	JR_VEC(struct jr_program_number) numbers; /* by process, number */
	JR_VEC(struct jr_variant) variants;       /* in order of processes */
	struct jr_map last_variant; /* program, as it stands in `programs` -> row of variants */
	JR_VEC(struct jr_op) ops;
	JR_VEC(struct jr_op_nccl) op_nccl; /* [ops.n] */
	struct jr_map op_by_key;           /* (program, name) -> op */
	JR_VEC(struct jr_device) devices;
	struct jr_map device_by_key; /* (process, global number) -> device; not those of exports */
	JR_VEC(struct jr_export_rows) exports;
};

void jr_build_done(struct jr_build *build);

/* Which device a thread of one process drives. */
struct jr_thread_devices {
	size_t n;
	struct jr_thread_device {
		int64_t pid, tid;
		uint32_t device;    /* row of jr_build.devices */
	} * threads;            /* by pid, tid, once sorted */
	uint32_t first;         /* the process' first device */
	const uint32_t *of_row; /* of exports: jr_trace.device -> row of jr_build.devices; else NULL */
	struct jr_arena arena;
};

/**
 * Devices of one process (analysis/README.md, section 1.6): by launcher names, else by the order of
 * the threads that run multi-thread programs, else one. Appends to build->devices.
 * @param meta  may be empty, never NULL
 */
void jr_devices_add(struct jr_build *build, uint32_t process, const struct jr_trace *trace,
	const struct jr_metadata *meta, struct jr_thread_devices *out);
/** Describe the devices of a process that nothing told of yet, such as those of an export. */
void jr_devices_describe(struct jr_build *build, uint32_t process, const struct jr_metadata *meta);
/** Next free global number: processes without names are counted on. */
uint32_t jr_devices_next_global(const struct jr_build *build);
void jr_thread_devices_sort(struct jr_thread_devices *threads);
/** Device that a thread drives, or JR_NONE; of several the first. Sorted. O(log n). */
uint32_t jr_thread_devices_find(const struct jr_thread_devices *threads, int64_t pid, int64_t tid);
void jr_thread_devices_done(struct jr_thread_devices *threads);

/** Match one process' programs (sorted by number) with those known; fills `program` of each. Takes
 * their HLO over: kept where it says something new, else freed (`hlo` stays set only where kept).
 */
void jr_programs_add(
	struct jr_build *build, uint32_t process, struct jr_local_program *local, size_t n);

/**
 * Module and thunk rows of one process (analysis/README.md, sections 1.1 to 1.4 and 1.7).
 * @param local  [n_local] sorted by number
 */
void jr_executions_add(struct jr_build *build, const struct jr_trace *trace,
	const struct jr_thread_devices *threads, const struct jr_local_program *local, size_t n_local);

/** Sort, number and freeze everything into the profile's tables; hidden time, alignment, warm-up.
 */
enum jr_status jr_build_finish(struct jr_build *build, struct jr_error *err) JR_MUST_CHECK;

/** Tables of all exports one behind the other; `place`: jr_build.devices -> profile->devices. */
enum jr_status jr_exports_freeze(
	struct jr_build *build, const uint32_t *place, struct jr_error *err) JR_MUST_CHECK;

/* Steps of jr_build_finish(), each over the profile's frozen tables. */
/** origin_ns. Refuses what passes could not add up in int64: durations of a table over all inputs,
 * or what all devices were observed for; JR_EFORMAT. O(rows). times.c */
enum jr_status jr_times_finish(
	struct jr_profile *profile, struct jr_arena *scratch, struct jr_error *err) JR_MUST_CHECK;
void jr_ops_describe(struct jr_build *build);        /* from HLO: ops.c */
void jr_overlap_compute(struct jr_profile *profile); /* hidden_ns: overlap.c */
void jr_align_compute(struct jr_profile *profile);   /* correction_ns: align.c */
void jr_warmup_mark(struct jr_build *build);         /* steady: warmup.c */

/* Which part of a collective an instruction is: TPUs start it, and wait for it later on. */
enum jr_collective_part {
	JR_COLLECTIVE_WHOLE,
	JR_COLLECTIVE_START,
	JR_COLLECTIVE_DONE,
	JR_COLLECTIVE_NONE
};
/**
 * Tell the part by what an event states of an instruction ("" = nothing), else by its name. An
 * async-done is a -done, whatever its -start does.
 *
 * @param start  out: name of the first operand, which of a -done is its -start; empty = not stated;
 *               points into `text`
 */
enum jr_collective_part jr_collective_part_of(
	const char *text, const char *category, const char *name, struct jr_bytes *start);

/* What a module's computations communicate, found once and kept. */
struct jr_moves;
struct jr_moves *jr_moves_new(const struct jr_hlo *hlo, size_t n_devices, struct jr_arena *arena);
/** True where an instruction of that name communicates, by HLO or, without (NULL), by its name. */
bool jr_op_communicates(struct jr_moves *moves, const char *name);

#endif
