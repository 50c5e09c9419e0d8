/*
 * timeline_rows.h - single events of a profiler's timeline, as flat arrays: GPU operations, the
 * calls that launched them, ranges of host threads, and the profiler's facts about the machine.
 * Layer: formats.  timeline_build.h describes who fills a timeline and who reads it. Independent of
 * profiles.
 */
#ifndef JR_FORMATS_TIMELINE_ROWS_H
#define JR_FORMATS_TIMELINE_ROWS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"

enum jr_timeline_nvtx_kind { JR_TIMELINE_PUSH_POP, JR_TIMELINE_START_END, JR_TIMELINE_MARK };
enum jr_timeline_gpu_kind {
	JR_TIMELINE_KERNEL,
	JR_TIMELINE_MEMCPY,
	JR_TIMELINE_MEMSET,
	JR_TIMELINE_GRAPH
};

/* How a range ends: as it began; not before the end of the profile; on another thread. */
enum jr_timeline_ending { JR_TIMELINE_ENDS, JR_TIMELINE_ENDS_NOT, JR_TIMELINE_ENDS_ELSEWHERE };
#define JR_TIMELINE_OPEN INT64_MAX /* end of a range that was open when the profile ended */

/* The profiler's ids combine virtual machine, process and thread; `process` omits the thread. Both
 * tables are sorted by id. */
struct jr_timeline_process {
	int64_t id; /* globalPid with the thread part 0 */
	int64_t pid;
	uint32_t name; /* str, 0 = unknown */
};
struct jr_timeline_thread {
	int64_t id; /* globalTid */
	int64_t tid;
	uint32_t process; /* row of processes */
};

/* NVTX ranges and marks, in order of the file. Times: |t| <= JR_TIME_MAX_NS, end >= start. */
struct jr_timeline_nvtx {
	size_t n;
	int64_t *start_ns, *end_ns; /* end: JR_TIMELINE_OPEN if open; marks: = start */
	uint32_t *thread;           /* row of threads */
	uint32_t *text;             /* str */
	uint32_t *scope;            /* row of scopes */
	uint8_t *kind;              /* enum jr_timeline_nvtx_kind */
	uint8_t *ending;            /* enum jr_timeline_ending; NULL = unknown */
	uint32_t *end_thread;       /* row of threads if the range ends ELSEWHERE; else JR_NONE. NULL =
								 * unknown */
};
/* A domain or one of its categories: the named part of the ids that separate ranges. */
struct jr_timeline_scope {
	int64_t process;          /* id of the process */
	int64_t domain, category; /* 0 = the default domain, no category */
	uint32_t domain_name;     /* str; 0 = the default domain, or its creation was not profiled */
	uint32_t category_name;   /* str; 0 = none, or the program gave it no name */
};

/* Calls of the CUDA runtime and driver. */
struct jr_timeline_calls {
	size_t n;
	int64_t *start_ns, *end_ns;
	uint32_t *thread;      /* row of threads */
	uint32_t *correlation; /* JR_NONE = none */
	uint32_t *name;        /* str */
};

/* GPU operations: kernels, then copies, memsets, whole graphs, each in order of the file. */
struct jr_timeline_gpu {
	size_t n;
	int64_t *start_ns, *end_ns;
	int64_t *bytes;    /* copies and memsets only */
	uint32_t *config;  /* kernel: row of configs; copy: see below; else 0 */
	uint32_t *process; /* row of processes, JR_NONE = unknown */
	uint32_t *device;  /* deviceId */
	uint32_t *stream;
	uint32_t *correlation; /* JR_NONE = none */
	uint32_t *name;        /* kernel: str, with template arguments; else 0 */
	uint32_t *graph;       /* kernels: 1 + number of the CUDA graph; 0 = none; NULL = unknown */
	uint8_t *kind;         /* enum jr_timeline_gpu_kind */
};
/* `config` of a copy: copyKind in bits 0 to 7, srcKind + 1 in bits 8 to 15, dstKind + 1 in bits 16
 * to 23. 0 = not in the row; 255 = any larger value. */
struct jr_timeline_config {
	uint32_t grid[3], block[3], registers, static_shared_bytes, dynamic_shared_bytes;
};

/* Time of the profiler itself or of one kind of waiting, summed while reading. */
struct jr_timeline_sum {
	uint32_t name; /* str */
	int64_t type;
	uint64_t count;
	int64_t total_ns, max_ns;
};

struct jr_timeline_pair {
	uint32_t name, value; /* str */
};
struct jr_timeline_thread_name {
	int64_t thread; /* globalTid */
	uint32_t name;
};
struct jr_timeline_gpu_info {
	int64_t id;                                                          /* deviceId */
	int64_t cuda_device;                                                 /* -1 = unknown */
	uint32_t name;                                                       /* str */
	uint64_t memory_bandwidth_bytes_s, sm_count, clock_hz, memory_bytes; /* 0 = unknown */
	uint64_t matrix_flop_s; /* peak of bf16 products, as the device states it; 0 = not stated */
	int64_t compute_major, compute_minor; /* as the input states them; major 0 = unknown */
	uint32_t uuid, bus;                   /* str; 0 = unknown */
};
/* The GPU behind a process's device number: CUDA_VISIBLE_DEVICES renumbers GPUs per process. */
struct jr_timeline_cuda_device {
	int64_t pid, cuda_device;
	int64_t gpu;       /* id of a jr_timeline_gpu_info; -1 = unknown */
	uint32_t uuid;     /* str; a slice of a GPU (MIG) has its own; 0 = unknown */
	uint64_t sm_count; /* SMs that the process may use; 0 = unknown */
};
struct jr_timeline_device_name {
	int64_t device; /* deviceId */
	uint32_t name;  /* given by the program with NVTX */
};
/* Warnings of the profiler, one entry per (severity, source, text). Messages that only inform are
 * not read. */
enum { JR_TIMELINE_WARNING = 2, JR_TIMELINE_ERROR = 3 };
struct jr_timeline_message {
	int64_t t_ns; /* time of the first occurrence */
	uint64_t count;
	int severity;          /* JR_TIMELINE_WARNING, JR_TIMELINE_ERROR */
	uint32_t source, text; /* str */
};

/* What XLA registers about a module: its title, the frames that all of its stacks begin with, and
 * per instruction a title, its text, its stacks and the computations that it calls
 * (formats/README.md, section 3.5). */
enum jr_xla_text_kind {
	JR_XLA_OTHER, /* not one of XLA's texts */
	JR_XLA_MODULE,
	JR_XLA_THUNK,
	JR_XLA_INSTRUCTION,
	JR_XLA_STACKS,
	JR_XLA_COMPUTATIONS,
	JR_XLA_FRAMES,
};

struct jr_xla_text {
	int64_t id; /* in the file: in order of registration; equal texts have one id */
	enum jr_xla_text_kind kind;
	struct jr_bytes text; /* as stored: not clean */
};

/* A part of the input that is not supported: a table, a plane, a line. */
#define JR_TIMELINE_MOST_UNREAD 64
struct jr_timeline_unread {
	uint32_t name; /* str */
	uint64_t n;    /* rows or events; for a table its highest row number */
};

/* Number of tables that may be damaged without the loss of the others. */
#define JR_TIMELINE_MOST_DAMAGED 24

struct jr_timeline {
	struct jr_arena arena, columns[3];
	struct jr_intern strings; /* clean text */
	size_t n_processes, n_threads, n_scopes, n_configs;
	struct jr_timeline_process *processes;
	struct jr_timeline_thread *threads;
	struct jr_timeline_scope *scopes; /* row 0: the default domain of any process, no category */
	struct jr_timeline_config *configs;
	struct jr_timeline_nvtx nvtx;
	struct jr_timeline_calls calls;
	struct jr_timeline_gpu gpu;
	uint32_t *short_name; /* [strings.n] of a kernel's name: str without arguments; else 0 */
	size_t n_waits, n_overheads, n_exported, n_captured, n_environment;
	struct jr_timeline_sum *waits;                /* by kind of synchronization */
	struct jr_timeline_sum *overheads;            /* by name */
	struct jr_timeline_pair *exported, *captured; /* META_DATA_EXPORT, META_DATA_CAPTURE */
	struct jr_timeline_pair *environment;         /* TARGET_INFO_SYSTEM_ENV */
	size_t n_thread_names, n_process_names, n_gpus, n_cuda_devices, n_device_names, n_messages;
	struct jr_timeline_thread_name *thread_names;
	struct jr_timeline_thread_name *process_names; /* thread: globalPid */
	struct jr_timeline_gpu_info *gpus;
	struct jr_timeline_cuda_device *cuda_devices;
	struct jr_timeline_device_name *device_names;
	struct jr_timeline_message *messages; /* sorted by time */
	size_t n_xla_texts;                   /* from the first title of a module on */
	struct jr_xla_text *xla_texts;        /* by id */
	size_t n_unread; /* in order of the file; parts with the same name share an entry */
	struct jr_timeline_unread unread[JR_TIMELINE_MOST_UNREAD]; /* the last: all further names */
	size_t n_damaged;
	uint32_t damaged[JR_TIMELINE_MOST_DAMAGED]; /* str: which table cannot be read, and why */
	bool has_nvtx, has_calls, has_gpu;          /* the file has such a table, possibly empty */
	bool lacks_operations;                      /* a damaged table has GPU operations */
	int64_t session_ns;       /* length of the profile, as stated; 0 = not stated */
	int64_t session_start_ns; /* time 0 in ns since 1970; 0 = unknown */
	uint64_t n_bad_rows;      /* left out: invalid times or sizes */
	bool is_cut;              /* the file ends too early: rows may be missing */
	uint64_t n_timeless;      /* left out: operations whose times are 0 or begin at 0 (model) */
	uint64_t n_runs;          /* kept: executions that devices report themselves (model) */
	uint64_t n_far;           /* left out: rows far from all others in time (model) */
	int64_t far_ns;           /* largest distance of those; 0 = none */
	uint64_t n_other_texts;   /* left out: texts whose id another text has */
	uint64_t n_long_texts;    /* names cut at JR_NAME_BYTES, other texts at limits->string_bytes */
	uint64_t n_rows_left_out; /* rows of small tables beyond the expected maximum */
};

/** Count n rows or events of a part that is not supported. `name` is a text of strings. */
void jr_timeline_leave_unread(struct jr_timeline *timeline, uint32_t name, uint64_t n);
/** List a table that cannot be read, with the reason. */
void jr_timeline_damaged(struct jr_timeline *timeline, const char *why);

/** Free all rows; a zeroed timeline stays zeroed. */
void jr_timeline_done(struct jr_timeline *timeline);

#endif
