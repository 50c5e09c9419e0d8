/*
 * xspace.h - what jax.profiler writes (HOST.xplane.pb, an XSpace message), as flat arrays.
 * Layer: formats.  Rows out; knows nothing of profiles.  Messages, planes, lines:
 * formats/README.md, section 8.
 *
 * A plane is a device or a sort of events of the host; a line is a stream or a thread. What lines
 * refer to stands behind them in the file, so a plane is indexed before its lines are read; events
 * are walked where they lie and never copied.
 */
#ifndef JR_FORMATS_XSPACE_H
#define JR_FORMATS_XSPACE_H

#include "formats/hlo/hlo_text.h"
#include "formats/timeline_rows.h"

/* What XLA's annotations say of an operation on a device. */
struct jr_xspace_label {
	uint32_t module, op; /* str; 0 = none */
	int64_t program;     /* id, as kernels and programs carry it; -1 = none */
	uint32_t said;       /* row of said; 0 = the events state nothing of it */
};

/* A program that was loaded in the process, whether or not it ran. */
struct jr_xspace_program {
	int64_t id;
	uint32_t name;         /* str: the module's */
	struct jr_bytes proto; /* xla.HloProto, a view into the file; empty = none */
};

/* An execution on a device that tells of them itself (TPU): of a module, or of an instruction. */
struct jr_xspace_run {
	int64_t start_ns, end_ns;
	uint32_t device; /* as jr_timeline_gpu.device */
	uint32_t label;  /* row of labels */
};

/* An event of any other line of a device: a stage of a kernel, an instruction of a SparseCore, a
 * transfer between slices. */
struct jr_xspace_lane_event {
	int64_t start_ns, end_ns;
	int64_t bytes, slack_ns, stall_ns; /* as it states them; -1 = not */
	uint32_t device;                   /* of a TPU: its number; JR_NONE = of none */
	uint32_t core, line, name;         /* str: "SparseCore 1", "XLA Ops", "sc_gather.1" */
	uint32_t label;                    /* str of the transfer or instruction; 0 = not stated */
};

/* A step that the program annotated (jax.profiler.StepTraceAnnotation). */
struct jr_xspace_step {
	int64_t start_ns, end_ns, number;
	uint32_t name; /* str */
	uint32_t thread;
};

/* What an allocator had given out, after each time it gave or took back. */
struct jr_xspace_memory {
	int64_t t_ns;
	uint64_t in_use_bytes, peak_bytes; /* peak: since the process began */
	uint32_t allocator;                /* str */
	bool gave_back;                    /* it took memory back; else it gave some */
};

struct jr_xspace {
	struct jr_timeline rows; /* one process; calls are launches only; gpus: id = number of the
							  * device in the process */
	/* [rows.gpu.n] */
	uint32_t *label;      /* row of labels; 0 = none */
	uint32_t *scope;      /* innermost scope: row of scopes; 0 = none */
	uint32_t *graph;      /* number of the CUDA graph it ran in, where graph_node is not 0 */
	uint32_t *graph_node; /* 1 + index in the CUDA graph it ran in; 0 = in none */
	size_t n_labels, n_said, n_scopes, n_programs, n_modules, n_ops, n_lane_events, n_steps,
		n_memory, n_about;
	struct jr_xspace_label *labels;           /* row 0: none */
	struct jr_said *said;                     /* row 0: none; distinct; texts are str */
	uint32_t *scope_parent;                   /* [n_scopes] row; 0 = outermost; acyclic */
	struct jr_xspace_program *programs;       /* by id, distinct */
	struct jr_xspace_run *modules, *ops;      /* as they stand; ops nest */
	struct jr_xspace_lane_event *lane_events; /* as they stand */
	struct jr_xspace_step *steps;
	struct jr_xspace_memory *memory;
	struct jr_timeline_pair *about; /* versions, as the file names them */
	uint32_t hostname;              /* str; 0 = unknown */
	int64_t start_unix_ns;          /* of the session; 0 = unknown */
	size_t n_planes;
	uint64_t n_gpus_seen; /* planes of GPUs, also of such where nothing ran */
	uint64_t n_derived;   /* events of lines that repeat others, left out */
	uint64_t n_dropped;   /* events that the profiler says it dropped */
	uint64_t n_cut_bytes; /* at the file's end, of a plane that is not whole: left out */
	bool has_warnings, has_errors;
};

/** True where the bytes begin as an XSpace does: a plane with a name, or an error. */
bool jr_xspace_begins(struct jr_bytes head, uint64_t size_bytes);

/**
 * Read an XSpace.
 *
 * @param in   all of the file; programs go on pointing into it
 * @param out  set only on JR_OK; jr_xspace_done()
 * @return JR_EFORMAT the message is damaged, or cut short in its first plane, or durations add up
 *         to more than int64 holds; JR_ELIMIT rows, memory
 * @note Each event is walked once; O(bytes). 58 bytes an operation of a GPU, 33 a range of the
 *       host, 28 a launch.
 */
enum jr_status jr_xspace_read(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_xspace *out, struct jr_error *err) JR_MUST_CHECK;
void jr_xspace_done(struct jr_xspace *x);

#endif
