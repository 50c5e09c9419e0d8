/*
 * export.h - relations between the rows of a timeline: launches, nesting of ranges, and the
 * projection of ranges onto the GPU. For Nsight exports and XSpace files (xprofile.h).
 * Layer: model, for loading and for src/record.  Definitions: formats/README.md, section 3.
 */
#ifndef JR_MODEL_EXPORT_H
#define JR_MODEL_EXPORT_H

#include "base/vec.h"
#include "formats/nsys/nsys_export.h"
#include "model/build/build.h"
#include "model/compile/compile.h"

#define JR_SEVERAL (JR_NONE - 1) /* devices: more than one */

/* A GPU that something ran on. */
struct jr_export_device {
	uint32_t id;       /* id of the GPU if the export identifies it, else deviceId */
	uint32_t number;   /* deviceId in the first process that used it */
	uint32_t process;  /* row of rows.processes: first process that used it */
	uint32_t gpu;      /* row of rows.gpus, JR_NONE = not known */
	uint32_t uuid;     /* str of rows.strings: GPU or MIG slice; 0 = not known */
	uint64_t sm_count; /* SMs that the process may use; 0 = not known */
	uint32_t row;      /* of jr_build.devices, set by jr_export_add_devices() */
};

/* A thread that launched on a device. */
struct jr_export_use {
	uint32_t thread, device; /* rows of rows.threads and of devices */
	uint64_t n_ops;
};

struct jr_export_hlo;

struct jr_export {
	struct jr_timeline rows;   /* gpu.device: row of devices */
	struct jr_export_hlo *hlo; /* index of rows.xla_texts (export_hlo.h); NULL: none */
	size_t n_devices;
	struct jr_export_device *devices; /* by id */
	/* [rows.gpu.n] */
	uint32_t *launch; /* row of rows.calls; JR_NONE = not profiled */
	uint32_t *range;  /* innermost push/pop range around the launch, row of rows.nvtx; JR_NONE */
	/* [rows.nvtx.n] */
	uint32_t *parent; /* push/pop: row; JR_NONE = top level */
	uint32_t *n_ops;  /* GPU operations launched within it; 0: no projection */
	int64_t *gpu_start_ns, *gpu_end_ns;
	uint32_t *device; /* row of devices; JR_SEVERAL */
	uint64_t
		*device_bits; /* of JR_SEVERAL: 1 << row of devices, or'ed; JR_FAR_DEVICES: from 63 on */
	/* push/pop ranges by (thread, start, outermost first); a parent comes before its children */
	uint32_t *order;
	size_t n_order;
	size_t *first_of_thread; /* [rows.n_threads + 1] of order */
	uint32_t *place;         /* [rows.nvtx.n] of a push/pop range: its index in order */
	/* GPU operations launched in a range, by the range's process, then in order of rows.gpu */
	uint32_t *linked;
	size_t *first_linked;  /* [rows.n_processes + 1] of linked */
	uint8_t *communicates; /* [rows.strings.n] 1 = communication kernel; NULL = no such kernel was
							  launched */
	size_t n_uses;
	struct jr_export_use *uses; /* by thread, then by n_ops descending */
	/* OS processes with reportable rows: rows of rows.processes, ascending */
	size_t n_parts;
	uint32_t *parts;
	/* Their devices are rows of `devices` and their processes rows of rows.processes until they are
	 * moved to the profile (faults.h). A doubt without a device concerns all devices. */
	JR_VEC(struct jr_fault) faults;
	JR_VEC(struct jr_doubted) doubts;
	uint64_t n_checked[JR_N_FAULTS]; /* records that were checked for each kind of fault */
	int64_t first_ns, last_ns;       /* of all rows */
	uint64_t n_open;                 /* ranges still open, assumed to end at last_ns */
	uint64_t n_same_ids;             /* calls that share a correlation id but do not nest */
	uint64_t n_unlinked;             /* GPU operations whose launch was not profiled */
	uint64_t n_unlinkable_all;       /* operations and calls that state no correlation id, or calls
									  * without a thread */
	/* [rows.n_processes + 1] records of the process that cannot be linked, because they state no
	 * id, or because it is unknown whether they are of the process */
	uint64_t *n_unlinkable;
	uint64_t n_too_deep;     /* ranges nested beyond limits->depth, left out */
	uint64_t n_same_numbers; /* numbers that may mean several GPUs: jr_export_number_gpus() */
	struct jr_arena arena;
	struct jr_arena links; /* of what jr_export_hand_over() does not move to the profile */
};

/**
 * Read an export and compute launches, nesting and projection.
 *
 * @param kept  the rows as read are appended, for a digest (timeline_compact.h); NULL: not needed
 * @return what jr_nsys_read() returns; JR_ENOTFOUND no GPU operation, CUDA call or NVTX range;
 *         JR_EFORMAT all such rows are unreadable
 * @note O(n log n) if a table is not in order of time, else O(n).
 */
enum jr_status jr_export_read(const char *path, const struct jr_limits *limits, size_t n_threads,
	struct jr_buf *kept, struct jr_export *out, struct jr_error *err) JR_MUST_CHECK;
/** The two halves of jr_export_read(): read the rows of a file, and compute the rest from them,
 * which moves or frees them. */
enum jr_status jr_export_rows(const char *path, const struct jr_limits *limits, size_t n_threads,
	struct jr_timeline *rows, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_export_take_rows(struct jr_timeline *rows, const struct jr_limits *limits,
	size_t n_threads, struct jr_buf *kept, struct jr_export *out, struct jr_error *err)
	JR_MUST_CHECK;
/** Read a database in memory like jr_export_read(); the caller keeps the memory. */
enum jr_status jr_export_read_memory(struct jr_bytes database, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err) JR_MUST_CHECK;
/** Read a folder of Parquet tables like jr_export_read(), by jr_nsys_read_folder(). */
enum jr_status jr_export_read_folder(struct jr_archive *folder, const struct jr_limits *limits,
	size_t n_threads, struct jr_buf *kept, struct jr_export *out, struct jr_error *err)
	JR_MUST_CHECK;
/** Build an export from rows of any recorder that were read and cleaned (faults.h). Always takes
 * ownership of the rows. */
enum jr_status jr_export_of_rows(struct jr_timeline *rows, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err) JR_MUST_CHECK;
/** Build an export from rows as read: drop impossible rows, then call jr_export_of_rows(). */
enum jr_status jr_export_of_read(struct jr_timeline *rows, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err) JR_MUST_CHECK;
void jr_export_done(struct jr_export *export);

/* Steps of jr_export_read(). */
enum jr_status jr_export_link(struct jr_export *export, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_export_nest(struct jr_export *export, const struct jr_limits *limits,
	size_t n_threads, struct jr_error *err) JR_MUST_CHECK;

/* Devices and the threads that launched on them, collected from operations. Zero-initialize. */
struct jr_export_seen {
	JR_VEC(struct jr_export_device) devices;
	struct jr_map device_rows;      /* deviceId -> row; by id after jr_export_take_devices() */
	uint32_t last_device, last_use; /* of the previous operation: id; row of uses */
	JR_VEC(struct jr_export_use) uses;
	struct jr_map use_rows; /* (thread, device) -> row */
};
/** Replace the process-local deviceId (which CUDA_VISIBLE_DEVICES shifts) by the GPU's id in
 * gpu.device of all rows, and list these GPUs in `seen`. Without TARGET_INFO_CUDA_DEVICE a number
 * is assumed to be one GPU in all processes; n_same_numbers counts numbers that may be several. */
enum jr_status jr_export_number_gpus(
	struct jr_export *export, struct jr_export_seen *seen, struct jr_error *err) JR_MUST_CHECK;
/** Add a GPU with an id that is not in `seen`. @return JR_EFORMAT: more than 4096 devices */
enum jr_status jr_export_see_gpu(struct jr_export_seen *seen, const struct jr_export_device *device,
	struct jr_error *err) JR_MUST_CHECK;
/** Add a device unless its id is known. @return JR_EFORMAT: more than 4096 devices */
enum jr_status jr_export_see_device(
	struct jr_export_seen *seen, uint32_t id, uint32_t process, struct jr_error *err) JR_MUST_CHECK;
/** Move the seen devices to export->devices, sorted by id. */
void jr_export_take_devices(struct jr_export *export, struct jr_export_seen *seen);
void jr_export_see_use(struct jr_export_seen *seen, uint32_t thread, uint32_t device);
/** Move the seen uses to export->uses. Their `thread` and `device` must be rows. */
void jr_export_take_uses(struct jr_export *export, struct jr_export_seen *seen);
void jr_export_seen_done(struct jr_export_seen *seen);

/** Return the limit of open ranges per thread. */
uint64_t jr_export_most_open(const struct jr_limits *limits);
/** Return the length of a range's text to keep: PyTorch's numbers and sizes are cut off. */
size_t jr_export_shorten(const char *text, size_t n);
/** Return whether the capture's settings say that CUDA was traced. */
bool jr_export_cuda_traced(const struct jr_timeline *rows);
/** Check that there are rows. JR_ENOTFOUND: none; JR_EFORMAT: all of them are unreadable. */
enum jr_status jr_export_check_rows(
	const struct jr_timeline *rows, uint64_t n_rows, struct jr_error *err) JR_MUST_CHECK;
/** Check the time span. JR_EFORMAT: first_ns and last_ns are too far apart for a profile. */
enum jr_status jr_export_check_span(const struct jr_export *export, struct jr_error *err)
	JR_MUST_CHECK;
/** Check the number of processes. JR_EUNSUPPORTED: too many. */
enum jr_status jr_export_check_parts(const struct jr_export *export, struct jr_error *err)
	JR_MUST_CHECK;

/** Compute the fields that jr_export_trace() needs for all parts: place, linked, communicates.
 * export_trace.c */
enum jr_status jr_export_index(struct jr_export *export, struct jr_error *err) JR_MUST_CHECK;

/* A slice of rows. */
struct jr_slice {
	size_t begin, end;
};
/** Return the threads of a process (row of rows.processes). */
struct jr_slice jr_export_threads_of(const struct jr_export *export, uint32_t process);
/** Return the slice of `order` with the ranges of one part; SIZE_MAX: of all parts. */
struct jr_slice jr_export_ranges_of(const struct jr_export *export, size_t part);
/** Sort rows of rows.nvtx by start. Outer ranges come before inner ones. */
void jr_export_sort_ranges(const struct jr_timeline_nvtx *nvtx, uint32_t *rows, size_t n);
/** Intern "DOMAIN:TEXT" of a range, or only its text; `seen` caches the result. */
uint32_t jr_export_put_name(const struct jr_export *export, uint32_t row, struct jr_map *seen,
	struct jr_intern *strings, struct jr_buf *joined);
/** Intern the name for a scope and text like jr_export_put_name(). */
uint32_t jr_export_put_text(const struct jr_export *export, uint32_t scope, uint32_t text,
	struct jr_map *seen, struct jr_intern *strings, struct jr_buf *joined);

/* --- one OS process in the structures of an archive; `part`: index of parts ------------------- */

/** Build the trace of XLA and NCCL ranges with GPU work; layout 'S'. */
enum jr_status jr_export_trace(const struct jr_export *export, size_t part,
	const struct jr_limits *limits, struct jr_trace *trace, struct jr_error *err) JR_MUST_CHECK;

/** Free what only traces and host ranges are made from, once those of all parts are read. */
void jr_export_forget_order(struct jr_export *export);

/**
 * Collect the push/pop ranges that overlap the time of compilation.
 * @param part  SIZE_MAX: all processes together
 * @return JR_ENOTFOUND no XlaCompile range
 */
enum jr_status jr_export_host_ranges(const struct jr_export *export, size_t part,
	const struct jr_limits *limits, struct jr_host_ranges *ranges, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * Collect the compile ranges of a jax.profiler trace: ranges inside the outermost compiler calls,
 * on their threads, in the domains of compile_name.h.
 * @return JR_ENOTFOUND no such call
 */
enum jr_status jr_export_compile_ranges(const struct jr_export *export,
	const struct jr_limits *limits, struct jr_host_ranges *ranges, struct jr_error *err)
	JR_MUST_CHECK;

/** Fill the metadata that an archive has in thread-, device- and system-metadata.parquet. `meta` is
 * initialized. */
void jr_export_metadata(const struct jr_export *export, struct jr_metadata *meta);

/* --- the whole export ------------------------------------------------------------------------- */

/** Add the export's devices, numbered by XLA's names of launching threads and GPUs, else by id.
 * @param first_process  row of profile->processes of part 0; the other parts follow */
void jr_export_add_devices(
	struct jr_export *export, struct jr_build *build, uint32_t first_process);
/** Find the device that each thread drives from its launches. */
void jr_export_thread_devices(
	const struct jr_export *export, size_t part, struct jr_thread_devices *out);
/** Move all rows to the tables of the growing profile; the export is empty afterwards. Call after
 * jr_export_add_devices(). */
void jr_export_hand_over(struct jr_export *export, struct jr_build *build, uint32_t input);

#endif
