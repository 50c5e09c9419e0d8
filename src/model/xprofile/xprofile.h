/*
 * xprofile.h - one XSpace file beyond its rows: which execution of a module, and which thunk, each
 * operation of a device belongs to.
 * Layer: model, private to loading.  Rules: formats/README.md, section 8.3.
 */
#ifndef JR_MODEL_XPROFILE_H
#define JR_MODEL_XPROFILE_H

#include "base/file.h"
#include "formats/xspace/xspace.h"
#include "model/export/export.h"

/* How executions were told apart, from what is exact to what is a guess. */
enum jr_xmethod { JR_XMETHOD_SCOPES, JR_XMETHOD_LAUNCHES, JR_XMETHOD_RUNS, JR_XMETHOD_DEVICE };

/* An execution of a module on a device. */
struct jr_xexecution {
	int64_t start_ns, end_ns; /* first start to last end of its operations */
	uint32_t device;          /* row of export.devices */
	uint32_t module;          /* str of the module's name */
	int64_t program;          /* id; -1 = not told */
	uint32_t n_ops;
	int64_t launch_ns; /* first call that launched one of them; INT64_MAX = none is in the file */
};

/* A thunk's execution: the operations that one instruction launched. */
struct jr_xthunk {
	int64_t start_ns, end_ns;
	uint32_t execution; /* row; JR_NONE = none that is known */
	uint32_t device;    /* row of export.devices */
	uint32_t op;        /* str of the instruction's name */
	uint32_t said;      /* row of file.said; 0 = none */
	uint32_t n_ops;
	uint32_t nccl_kernel; /* as jr_trace.nccl_kernel, str of the file */
};

struct jr_xprofile {
	struct jr_xspace file; /* its rows have moved to the export */
	struct jr_export export;
	size_t n_executions, n_thunks;
	struct jr_xexecution *executions; /* by start, device */
	struct jr_xthunk *thunks;         /* by start, device */
	enum jr_xmethod method;
	uint64_t n_guessed;  /* executions that are runs of operations of one module, no more */
	uint64_t n_merged;   /* thunks that are runs of operations of one instruction */
	uint64_t n_unplaced; /* operations with a module's name that are in no execution */
	uint64_t n_named;    /* kernels of graphs that their names tell the instruction of */
	uint64_t n_unnamed;  /* ... and those of which they do not: of "command_buffer" */
	uint64_t n_pieces;   /* TPU: times of instructions between those that they contain */
	struct jr_arena arena;
};

/**
 * Read an XSpace and work out executions and thunks.
 *
 * @param bytes  all of the file; they must outlive `out`
 * @param map    what they are mapped by, whose memory is let go of meanwhile; NULL: they are not
 * @param out    set only on JR_OK; jr_xprofile_done()
 * @return what jr_xspace_read() returns; JR_ENOTFOUND there is no event in it, with what it says
 *         went wrong
 * @note O(n log n) of the events.
 */
enum jr_status jr_xprofile_read(struct jr_bytes bytes, const struct jr_file_map *map,
	const struct jr_limits *limits, size_t n_threads, struct jr_xprofile *out, struct jr_error *err)
	JR_MUST_CHECK;
void jr_xprofile_done(struct jr_xprofile *x);

/** A program's number in the report, of its id in the file; ids are fingerprints of 64 bits on
 * TPUs.
 */
static inline int64_t jr_xprofile_number(int64_t id)
{
	return id & INT64_MAX;
}

/** Steps of it. GPU operations to executions and thunks: xprofile_place.c. Runs of TPUs:
 * xprofile_tpu.c. */
enum jr_status jr_xprofile_place(struct jr_xprofile *x, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_xprofile_place_runs(struct jr_xprofile *x, struct jr_error *err) JR_MUST_CHECK;

/** Give kernels of graphs that were built before the profile the instruction that they are of,
 * where their names and the program's HLO tell. Before they are placed. xprofile_graphs.c. O(n log
 * n) of such kernels and once the HLO of their programs. JR_ELIMIT: too many instructions. */
enum jr_status jr_xprofile_name_nodes(
	struct jr_xprofile *p, const struct jr_limits *limits, struct jr_error *err) JR_MUST_CHECK;

/** Hand over the steps that the program numbered, of the process that was added last.
 * step_rows.c. O(n log n) of steps and executions. */
void jr_xprofile_hand_over_steps(const struct jr_xprofile *x, struct jr_profile *p);

/** Hand over the other lines of its devices, of the process that was added last. xprofile_lanes.c.
 * O(n log n) of their events and of instructions, which are sorted by then. */
void jr_xprofile_hand_over_lanes(const struct jr_xprofile *x, struct jr_profile *p);

/** Of these lines the transfers that instructions make: their number. xprofile_transfers.c. Texts
 * are of `p`, rows in its arena. O(instructions and their texts). */
size_t jr_xprofile_transfers(
	const struct jr_xprofile *x, struct jr_profile *p, struct jr_device_line **lines);

/** The executions and thunks as a trace; layout 'X'. xprofile_trace.c */
enum jr_status jr_xprofile_trace(const struct jr_xprofile *x, const struct jr_limits *limits,
	struct jr_trace *trace, struct jr_error *err) JR_MUST_CHECK;

#endif
