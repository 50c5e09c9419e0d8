/*
 * metadata.h - thread-, device- and system-metadata.parquet of one process.
 * Layer: model.  Contents: formats/README.md, sections 1 and 1.4.
 */
#ifndef JR_MODEL_METADATA_H
#define JR_MODEL_METADATA_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "formats/text/secrets.h"
#include "model/archive/trace_parts.h"

/* A thread that launches work for one device. */
struct jr_launcher {
	int64_t pid, tid;
	struct jr_device_name device;
};

/* A GPU as the profiler recorded it. Numbers: 0 = unknown. */
struct jr_gpu {
	int64_t cuda_device; /* ordinal within the process; -1 unknown */
	bool named;          /* `device` is set */
	bool misnamed;       /* it has a name that is not an XLA device name */
	struct jr_device_name device;
	uint32_t name; /* str */
	uint64_t memory_bandwidth_bytes_s, sm_count, clock_hz, memory_bytes;
	uint32_t compute_capability; /* 10 times major plus minor: 90; 0 = unknown */
};

struct jr_setting_text {
	uint32_t name, value; /* str */
};

struct jr_metadata {
	size_t n_launchers, n_gpus, n_settings;
	struct jr_launcher *launchers; /* by global number, then by thread */
	struct jr_gpu *gpus;           /* by cuda_device */
	bool gpus_of_target; /* the only GPU is what XLA compiled for, not a profiled one; no ordinal */
	struct jr_setting_text *settings;               /* allow-listed environment, by name */
	uint32_t hostname, driver, cuda, nsys, cpu, os; /* str, 0 = unknown */
	bool wsl; /* Linux on Windows (WSL): the driver is the one of Windows */
	struct jr_arena arena;
	struct jr_intern strings;
};

void jr_metadata_init(struct jr_metadata *meta);
void jr_metadata_done(struct jr_metadata *meta);

/* Each function reads one file into an initialized metadata. On failure, data read before is kept.
 */
enum jr_status jr_metadata_read_threads(struct jr_metadata *meta, struct jr_bytes parquet,
	const struct jr_limits *limits, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_metadata_read_devices(struct jr_metadata *meta, struct jr_bytes parquet,
	const struct jr_limits *limits, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_metadata_read_system(struct jr_metadata *meta, struct jr_bytes parquet,
	const struct jr_limits *limits, struct jr_error *err) JR_MUST_CHECK;
/** Read the device that XLA compiled for (target_config.h), used if no GPU is known. All GPUs of
 * the process are assumed to be of this type. */
enum jr_status jr_metadata_read_target(
	struct jr_metadata *meta, struct jr_bytes text, struct jr_error *err) JR_MUST_CHECK;

/** Return XLA's number of the process, from its GPUs, else from its launcher threads. JR_NONE:
 * unknown, or they differ, because the thread file lists other processes of the host, too. */
uint32_t jr_metadata_process(const struct jr_metadata *meta);

/** Return 10 times major plus minor; 0 if they are not a compute capability. */
uint32_t jr_compute_capability(int64_t major, int64_t minor);

/** Take one (name, value) pair of the system's properties, from any source. */
void jr_metadata_system_pair(
	struct jr_metadata *meta, const char *name, const char *value, struct jr_arena *scratch);

/** Return whether reports show an environment variable, by jr_environment_allowed(). */
bool jr_metadata_shows(const char *name);
/** Intern the value of an allowed variable, by jr_secrets_hide(). */
uint32_t jr_environment_value(struct jr_intern *strings, const char *value, size_t n);

#endif
