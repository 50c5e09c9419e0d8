/*
 * export.h - a timeline beyond its rows: what launched what, which range lies in which, and the
 * projection of ranges onto the GPU. Of Nsight exports, and of XSpace files (xprofile.h).
 * Layer: model, for loading and for src/record.  Definitions: formats/README.md, section 3.
 */
#ifndef JR_MODEL_EXPORT_H
#define JR_MODEL_EXPORT_H

#include "base/vec.h"
#include "formats/nsys/nsys_sqlite.h"
#include "model/build/build.h"
#include "model/compile/compile.h"

#define JR_SEVERAL (JR_NONE - 1) /* devices: more than one */

#define JR_FAR_DEVICES (UINT64_C(1) << 63) /* rows of devices from 63 on */

/* A GPU that something ran on. */
struct jr_export_device {
	uint32_t id;       /* of the GPU where the export says which one it is, else deviceId */
	uint32_t number;   /* deviceId, of the first process that used it */
	uint32_t process;  /* row of rows.processes that used it first */
	uint32_t gpu;      /* row of rows.gpus, JR_NONE = not known */
	uint32_t uuid;     /* str of rows.strings: of the GPU or of its slice (MIG); 0 = not known */
	uint64_t sm_count; /* that the process may use; 0 = not known */
	uint32_t row;      /* of jr_build.devices, once jr_export_add_devices() has run */
};

/* A thread that launched on a device. */
struct jr_export_use {
	uint32_t thread, device; /* rows of rows.threads and of devices */
	uint64_t n_ops;
};

struct jr_export {
	struct jr_timeline rows; /* gpu.device: row of devices */
	size_t n_devices;
	struct jr_export_device *devices; /* by id */
	/* [rows.gpu.n] */
	uint32_t *launch; /* row of rows.calls; JR_NONE = not in the profile */
	uint32_t *range;  /* innermost push/pop range around the launch, row of rows.nvtx; JR_NONE */
	/* [rows.nvtx.n] */
	uint32_t *parent; /* push/pop: row; JR_NONE = top level */
	uint32_t *n_ops;  /* GPU operations launched within it; 0: no projection */
	int64_t *gpu_start_ns, *gpu_end_ns;
	uint32_t *device;      /* row of devices; JR_SEVERAL */
	uint64_t *device_bits; /* 1 << row of devices, of each; JR_FAR_DEVICES: one beyond */
	/* push/pop ranges by (thread, start, outermost first); a parent stands before its children */
	uint32_t *order;
	size_t n_order;
	size_t *first_of_thread; /* [rows.n_threads + 1] of order */
	uint32_t *place;         /* [rows.nvtx.n] of a push/pop range: where it stands in order */
	/* GPU operations launched in a range, by the range's process; in order of rows.gpu within */
	uint32_t *linked;
	size_t *first_linked;  /* [rows.n_processes + 1] of linked */
	uint8_t *communicates; /* [rows.strings.n] kernels that do; NULL = none was launched */
	size_t n_uses;
	struct jr_export_use *uses; /* by thread, the device that it launched most on first */
	/* OS processes with anything to report: rows of rows.processes, ascending */
	size_t n_parts;
	uint32_t *parts;
	/* Until they are handed over devices are rows of devices, processes of rows.processes. A doubt
	 * without a device is of all of them. faults.h */
	JR_VEC(struct jr_fault) faults;
	JR_VEC(struct jr_doubted) doubts;
	uint64_t n_checked[JR_N_FAULTS]; /* records that were looked at for each kind of fault */
	int64_t first_ns, last_ns;       /* of everything in it */
	uint64_t n_open;                 /* ranges that were still open: taken to end at last_ns */
	uint64_t n_same_ids; /* calls with the correlation id of another, which they do not nest in */
	uint64_t n_unlinked; /* GPU operations whose launch is not in the profile */
	uint64_t n_too_deep; /* ranges nested beyond limits->depth: left out */
	uint64_t n_same_numbers; /* GPUs that may be several: see jr_export_number_gpus() */
	struct jr_arena arena;
};

/**
 * Read an export and work out launches, nesting and projection.
 * @return what jr_nsys_read() returns; JR_ENOTFOUND nothing that ran on a GPU, no call of CUDA and
 *         no NVTX range in it; JR_EFORMAT such rows only as cannot be read
 * @note O(n log n) where a table is not in order of time, else O(n).
 */
enum jr_status jr_export_read(const char *path, const struct jr_limits *limits, size_t n_threads,
	struct jr_export *out, struct jr_error *err) JR_MUST_CHECK;
/** The same for a database in memory, which stays the caller's. */
enum jr_status jr_export_read_memory(struct jr_bytes database, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err) JR_MUST_CHECK;
/** The same for rows that have been read and cleaned (faults.h), whoever recorded them; takes
 * them over in any case. */
enum jr_status jr_export_of_rows(struct jr_timeline *rows, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err) JR_MUST_CHECK;
/** The same for rows as they were read; what cannot be right of them is left out first. */
enum jr_status jr_export_of_read(struct jr_timeline *rows, const struct jr_limits *limits,
	size_t n_threads, struct jr_export *out, struct jr_error *err) JR_MUST_CHECK;
void jr_export_done(struct jr_export *export);

/* Steps of jr_export_read(). */
enum jr_status jr_export_link(struct jr_export *export, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_export_nest(struct jr_export *export, const struct jr_limits *limits,
	size_t n_threads, struct jr_error *err) JR_MUST_CHECK;

/* Devices and who launched on them, as operations pass by. Zero-initialise. */
struct jr_export_seen {
	JR_VEC(struct jr_export_device) devices;
	struct jr_map device_rows; /* deviceId -> row; by id once they are taken */
	uint32_t last_device;
	JR_VEC(struct jr_export_use) uses;
	struct jr_map use_rows; /* (thread, device) -> row */
};
/** Replace what a process calls a GPU (deviceId, which CUDA_VISIBLE_DEVICES shifts) by the GPU's
 * id in gpu.device of all rows, and list those GPUs in `seen`. Without TARGET_INFO_CUDA_DEVICE a
 * number is one GPU in all processes; where it may be several, n_same_numbers counts it. */
enum jr_status jr_export_number_gpus(
	struct jr_export *export, struct jr_export_seen *seen, struct jr_error *err) JR_MUST_CHECK;
/** Add a GPU with an id that none of `seen` has. @return JR_EFORMAT: more than 4096 devices */
enum jr_status jr_export_see_gpu(struct jr_export_seen *seen, const struct jr_export_device *device,
	struct jr_error *err) JR_MUST_CHECK;
/** @return JR_EFORMAT: more than 4096 devices */
enum jr_status jr_export_see_device(
	struct jr_export_seen *seen, uint32_t id, uint32_t process, struct jr_error *err) JR_MUST_CHECK;
/** export->devices, by id. */
void jr_export_take_devices(struct jr_export *export, struct jr_export_seen *seen);
void jr_export_see_use(struct jr_export_seen *seen, uint32_t thread, uint32_t device);
/** export->uses; `thread` and `device` are rows by now. */
void jr_export_take_uses(struct jr_export *export, struct jr_export_seen *seen);
void jr_export_seen_done(struct jr_export_seen *seen);

/** Ranges that may be open at once on a thread. */
uint64_t jr_export_most_open(const struct jr_limits *limits);
/** Length of a range's text that is kept: PyTorch's numbers and sizes are not. */
size_t jr_export_shorten(const char *text, size_t n);
/** True where the settings of the capture say that CUDA was traced. */
bool jr_export_cuda_traced(const struct jr_timeline *rows);
/** JR_ENOTFOUND no row, JR_EFORMAT only such as cannot be read. */
enum jr_status jr_export_check_rows(
	const struct jr_timeline *rows, uint64_t n_rows, struct jr_error *err) JR_MUST_CHECK;
/** JR_EFORMAT: first_ns and last_ns are further apart than any profile is long. */
enum jr_status jr_export_check_span(const struct jr_export *export, struct jr_error *err)
	JR_MUST_CHECK;
/** JR_EUNSUPPORTED: too many processes. */
enum jr_status jr_export_check_parts(const struct jr_export *export, struct jr_error *err)
	JR_MUST_CHECK;

/** What jr_export_trace() wants of all parts: place, linked, communicates. export_trace.c */
enum jr_status jr_export_index(struct jr_export *export, struct jr_error *err) JR_MUST_CHECK;

/* A run of rows. */
struct jr_slice {
	size_t begin, end;
};
/** The threads of a process, row of rows.processes. */
struct jr_slice jr_export_threads_of(const struct jr_export *export, uint32_t process);
/** The ranges of one part; SIZE_MAX: of all. */
struct jr_slice jr_export_ranges_of(const struct jr_export *export, size_t part);
/** For qsort_r() of rows of rows.nvtx, which is the context: outer ranges before those in them. */
int jr_export_compare_ranges(const void *a, const void *b, void *context);
/** "DOMAIN:TEXT" of a range, or its text alone, put into `strings` at first sight (`seen`). */
uint32_t jr_export_put_name(const struct jr_export *export, uint32_t row, struct jr_map *seen,
	struct jr_intern *strings, struct jr_buf *joined);
/** The same of a row's scope and text. */
uint32_t jr_export_put_text(const struct jr_export *export, uint32_t scope, uint32_t text,
	struct jr_map *seen, struct jr_intern *strings, struct jr_buf *joined);

/* --- one OS process as the structures that an archive fills; `part`: index of parts ----------- */

/** XLA's and NCCL's ranges with GPU work; layout 'S'. */
enum jr_status jr_export_trace(const struct jr_export *export, size_t part,
	const struct jr_limits *limits, struct jr_trace *trace, struct jr_error *err) JR_MUST_CHECK;

/**
 * Push/pop ranges that overlap the time in which anything was compiled; none where nothing was.
 * @param part  SIZE_MAX: all processes together
 * @return JR_ENOTFOUND no XlaCompile range
 */
enum jr_status jr_export_host_ranges(const struct jr_export *export, size_t part,
	const struct jr_limits *limits, struct jr_host_ranges *ranges, struct jr_error *err)
	JR_MUST_CHECK;

/**
 * The same of a trace of jax.profiler: what lies in the outermost calls of compilers, on their
 * threads, in domains that compile_name.h names.
 * @return JR_ENOTFOUND there is no such call
 */
enum jr_status jr_export_compile_ranges(const struct jr_export *export,
	const struct jr_limits *limits, struct jr_host_ranges *ranges, struct jr_error *err)
	JR_MUST_CHECK;

/** What thread-, device- and system-metadata.parquet would say. `meta` is initialised. */
void jr_export_metadata(const struct jr_export *export, struct jr_metadata *meta);

/* --- all of it -------------------------------------------------------------------------------- */

/** The export's devices, by the names that XLA gave to launching threads and to GPUs, else by id.
 * @param first_process  row of profile->processes of part 0; the other parts follow it */
void jr_export_add_devices(
	struct jr_export *export, struct jr_build *build, uint32_t first_process);
/** Which device a thread drives: by what it launched. */
void jr_export_thread_devices(
	const struct jr_export *export, size_t part, struct jr_thread_devices *out);
/** Hand all rows over to the tables of the profile that grows; the export is done with. After
 * jr_export_add_devices(). */
void jr_export_hand_over(struct jr_export *export, struct jr_build *build, uint32_t input);

#endif
