/*
 * xspace.h - the output of jax.profiler (HOST.xplane.pb, an XSpace message), as flat arrays.
 * Layer: formats.  Returns rows; independent of profiles.  Messages, planes, lines:
 * formats/README.md, section 8.
 *
 * A plane is a device or a kind of host events; a line is a stream or a thread. Lines refer to data
 * after them in the file, so a plane is indexed before its lines are read. Events are walked in
 * place and never copied.
 */
#ifndef JR_FORMATS_XSPACE_H
#define JR_FORMATS_XSPACE_H

#include "formats/hlo/hlo_text.h"
#include "formats/timeline_rows.h"

/* XLA's annotations of an operation on a device. */
struct jr_xspace_label {
	uint32_t module, op; /* str; 0 = none */
	int64_t program;     /* id, as in kernels and programs; -1 = none */
	uint32_t said;       /* row of said; 0 = the events state nothing */
};

/* A program that was loaded in the process, executed or not. */
struct jr_xspace_program {
	int64_t id;
	uint32_t name;         /* str of the module's name */
	struct jr_bytes proto; /* xla.HloProto, a view into the file; empty = none */
};

/* An execution that the device reports itself (TPU): of a module, or of an instruction. */
struct jr_xspace_run {
	int64_t start_ns, end_ns;
	uint32_t device; /* as in jr_timeline_gpu.device */
	uint32_t label;  /* row of labels */
};

/* An event of any other line of a device: a stage of a kernel, an instruction of a SparseCore, a
 * transfer between slices. */
struct jr_xspace_lane_event {
	int64_t start_ns, end_ns;
	int64_t bytes, slack_ns, stall_ns; /* as stated; -1 = not stated */
	uint32_t device;                   /* number of a TPU; JR_NONE = no device */
	uint32_t core, line, name;         /* str: "SparseCore 1", "XLA Ops", "sc_gather.1" */
	uint32_t label;                    /* str of the transfer or instruction; 0 = not stated */
};

/* A step that the program annotated (jax.profiler.StepTraceAnnotation). */
struct jr_xspace_step {
	int64_t start_ns, end_ns, number;
	uint32_t name; /* str */
	uint32_t thread;
};

/* The memory in use of an allocator after an allocation or a release. */
struct jr_xspace_memory {
	int64_t t_ns;
	uint64_t in_use_bytes, peak_bytes; /* peak: since the process started */
	uint32_t allocator;                /* str */
	bool gave_back;                    /* true: memory was released; false: allocated */
};

struct jr_xspace {
	struct jr_timeline rows; /* one process; calls are launches only; id of gpus: number of the
							  * device in the process */
	/* [rows.gpu.n], in an arena of their own: they are needed until executions are found */
	struct jr_arena placing;
	uint32_t *label;      /* row of labels; 0 = none */
	uint32_t *scope;      /* innermost scope: row of scopes; 0 = none */
	uint32_t *graph;      /* number of the CUDA graph of the operation, if graph_node is not 0 */
	uint32_t *graph_node; /* 1 + index in that CUDA graph; 0 = not in a graph */
	size_t n_labels, n_said, n_scopes, n_programs, n_modules, n_ops, n_lane_events, n_steps,
		n_memory, n_about;
	struct jr_xspace_label *labels;           /* row 0: none */
	struct jr_said *said;                     /* row 0: none; distinct; texts are str */
	uint32_t *scope_parent;                   /* [n_scopes] row; 0 = outermost; acyclic */
	struct jr_xspace_program *programs;       /* sorted by id, distinct */
	struct jr_xspace_run *modules, *ops;      /* in order of the file; ops nest */
	struct jr_xspace_lane_event *lane_events; /* in order of the file */
	struct jr_xspace_step *steps;
	struct jr_xspace_memory *memory;
	struct jr_timeline_pair *about; /* versions, with the names in the file */
	uint32_t hostname;              /* str; 0 = unknown */
	int64_t start_unix_ns;          /* start of the session; 0 = unknown */
	size_t n_planes;
	uint64_t n_gpus_seen; /* GPU planes, including those without operations */
	uint64_t n_derived;   /* left out: events of lines that repeat others */
	uint64_t n_dropped;   /* events that the profiler reports as dropped */
	uint64_t n_cut_bytes; /* left out: bytes of an incomplete plane at the file's end */
	bool has_warnings, has_errors;
};

/** Return true if the bytes begin like an XSpace: a plane with a name, or an error. */
bool jr_xspace_begins(struct jr_bytes head, uint64_t size_bytes);

/**
 * Read an XSpace.
 *
 * @param in   the whole file; programs keep pointing into it
 * @param out  set only on JR_OK; free it with jr_xspace_done()
 * @return JR_EFORMAT the message is damaged, or cut short in its first plane, or durations add up
 *         beyond int64; JR_ELIMIT rows, memory
 * @note Each event is walked once; O(bytes). Memory: 58 bytes per GPU operation, 33 per host range,
 *       28 per launch.
 */
enum jr_status jr_xspace_read(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_xspace *out, struct jr_error *err) JR_MUST_CHECK;
void jr_xspace_done(struct jr_xspace *x);

#endif
