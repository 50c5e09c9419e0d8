/*
 * xprofile.h - assigns each device operation of an XSpace file to an execution of a module and to a
 * thunk.
 * Layer: model, private to loading.  Rules: formats/README.md, section 8.3.
 */
#ifndef JR_MODEL_XPROFILE_H
#define JR_MODEL_XPROFILE_H

#include "base/file.h"
#include "formats/xspace/xspace.h"
#include "model/export/export.h"

/* How executions were separated, from exact methods to guesses. */
enum jr_xmethod { JR_XMETHOD_SCOPES, JR_XMETHOD_LAUNCHES, JR_XMETHOD_RUNS, JR_XMETHOD_DEVICE };

/* An execution of a module on a device. */
struct jr_xexecution {
	int64_t start_ns, end_ns; /* first start to last end of its operations */
	uint32_t device;          /* row of export.devices */
	uint32_t module;          /* str: module name */
	int64_t program;          /* id; -1 = not stated */
	uint32_t n_ops;
	int64_t launch_ns; /* first launch call of its operations; INT64_MAX = none in the file */
};

/* Executions of thunks: the operations launched by one instruction, by device and start. The trace
 * takes these columns over, and each has n_executions rows before the first thunk for it. */
struct jr_xthunks {
	int64_t *start_ns, *end_ns;
	uint32_t *execution;   /* row; JR_NONE = not known */
	uint32_t *device;      /* row of export.devices */
	uint32_t *label;       /* row of file.labels: the instruction */
	uint32_t *nccl_kernel; /* like jr_trace.nccl_kernel, but str of the file; NULL = no NCCL */
};

struct jr_xprofile {
	struct jr_xspace file; /* its rows were moved to the export */
	struct jr_export export;
	size_t n_executions, n_thunks;
	struct jr_xexecution *executions; /* GPU: by start, device; TPU: by device, start; in the
									   * export's arena, because numbered steps need them later */
	struct jr_xthunks thunks;
	enum jr_xmethod method;
	uint64_t n_guessed;    /* executions guessed from the order of operations */
	uint64_t n_merged;     /* thunks guessed from runs of operations of one instruction */
	uint64_t n_unplaced;   /* operations with a module name but without an execution */
	uint64_t n_named;      /* graph kernels whose instruction was found by name */
	uint64_t n_unnamed;    /* ... whose instruction was not found: "command_buffer" */
	uint64_t n_pieces;     /* TPU: pieces of instructions between their nested instructions */
	struct jr_arena arena; /* of thunks */
};

/**
 * Read an XSpace and find its executions and thunks.
 *
 * @param bytes  the whole file; must outlive `out`
 * @param map    the mapping of `bytes`, whose pages are released after use; NULL: not mapped
 * @param out    set only on JR_OK; release by jr_xprofile_done()
 * @return what jr_xspace_read() returns; JR_ENOTFOUND there is no event, with the errors that the
 *         file states
 * @note O(n log n) of the events.
 */
enum jr_status jr_xprofile_read(struct jr_bytes bytes, const struct jr_file_map *map,
	const struct jr_limits *limits, size_t n_threads, struct jr_xprofile *out, struct jr_error *err)
	JR_MUST_CHECK;
/** Find the executions and thunks of an XSpace as read. Always takes ownership of the file.
 * Otherwise as jr_xprofile_read(). */
enum jr_status jr_xprofile_of_file(struct jr_xspace *file, const struct jr_limits *limits,
	size_t n_threads, struct jr_xprofile *out, struct jr_error *err) JR_MUST_CHECK;
/** Free thunks and the columns that only placing needs, once a trace is built. */
void jr_xprofile_forget(struct jr_xprofile *x);
void jr_xprofile_done(struct jr_xprofile *x);

/** Convert a program id of the file to a report number. On TPUs, ids are 64-bit fingerprints.
 * xprofile_trace.c */
int64_t jr_xprofile_number(int64_t id);

/** Steps of jr_xprofile_read(). Assign GPU operations (xprofile_place.c) or TPU runs
 * (xprofile_tpu.c) to executions and thunks. */
enum jr_status jr_xprofile_place(struct jr_xprofile *x, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_xprofile_place_runs(struct jr_xprofile *x, struct jr_error *err) JR_MUST_CHECK;
/** Allocate the columns of up to `n` thunks, zeroed. x->n_executions must be final.
 * xprofile_trace.c */
enum jr_status jr_xprofile_room(struct jr_xprofile *x, size_t n, struct jr_error *err)
	JR_MUST_CHECK;

/** Assign instructions to kernels of graphs that were built before the profile, if their names and
 * the program's HLO determine them. Call before placing. xprofile_graphs.c. O(n log n) of such
 * kernels; decodes the HLO of their programs once. JR_ELIMIT: too many instructions. */
enum jr_status jr_xprofile_name_nodes(
	struct jr_xprofile *p, const struct jr_limits *limits, struct jr_error *err) JR_MUST_CHECK;

/** Move the numbered steps to the process that was added last. step_rows.c. O(n log n) of steps and
 * executions. */
void jr_xprofile_hand_over_steps(const struct jr_xprofile *x, struct jr_profile *p);

/** Move the other lines of its devices to the process that was added last. xprofile_lanes.c. O(n
 * log n) of their events and of instructions. Instructions must be sorted. */
void jr_xprofile_hand_over_lanes(const struct jr_xprofile *x, struct jr_profile *p);

/** Build the lines of transfers that instructions make; returns their number. xprofile_transfers.c.
 * Texts belong to `p`, rows are in its arena. O(instructions and their texts). */
size_t jr_xprofile_transfers(
	const struct jr_xprofile *x, struct jr_profile *p, struct jr_device_line **lines);

/** Build a trace from the executions and thunks, whose columns it takes; layout 'X'.
 * xprofile_trace.c */
enum jr_status jr_xprofile_trace(struct jr_xprofile *x, const struct jr_limits *limits,
	struct jr_trace *trace, struct jr_error *err) JR_MUST_CHECK;

#endif
