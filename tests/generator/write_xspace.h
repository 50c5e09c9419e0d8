/*
 * write_xspace.h - a process as jax.profiler would record it, during writing.
 */
#ifndef GEN_WRITE_XSPACE_H
#define GEN_WRITE_XSPACE_H

#include "hlo_print.h"
#include "writers.h"
#include "xplane_writer.h"

/* An execution of a program in this process, on any of its devices. */
struct gen_xexecution {
	uint32_t program, number;
	int64_t start_ns, end_ns; /* on the host */
};

/* A CUDA graph being launched on a device. */
struct gen_xgraph {
	bool open;
	uint32_t parent; /* range whose operations it contains */
	uint32_t op;     /* last one */
	uint32_t scope;
	uint64_t id, node;
	int64_t correlation;
};

struct gen_xspace {
	struct gen_scenario *sc;
	uint32_t process;
	const struct gen_write_options *options;
	struct gen_xplane host;
	struct gen_xplane *gpus;   /* [devices of the process] */
	struct gen_xgraph *graphs; /* [devices] */
	uint32_t *module;          /* [devices] range of the module that runs */
	uint32_t *scope;           /* [ranges] 1 and up; 0 = none so far */
	uint32_t n_scopes;
	JR_VEC(uint32_t) scope_parents; /* [n_scopes] of scope i + 1; 0 = outermost */
	JR_VEC(struct gen_xexecution) executions;
	struct jr_map execution_rows, thread_lines;
	int64_t correlation, last_ns;
	uint64_t n_device_events, most_device_events, n_dropped, n_driver_events;
	struct jr_buf details;
	struct jr_arena modules;
	const Xla__HloModuleProto **module_of; /* [programs] for annotations; NULL = not built */
};

static inline bool gen_xspace_has(const struct gen_xspace *x, unsigned part)
{
	return (x->options->xspace & part) != 0;
}

/** Return the number of the line of a thread. */
uint32_t gen_xspace_thread(struct gen_xspace *x, int64_t tid);
void gen_xspace_host_event(
	struct gen_xspace *x, int64_t tid, const char *name, int64_t start_ns, int64_t end_ns);
/** Add the operation of a range on its device, and its launch. */
void gen_xspace_operation(struct gen_xspace *x, uint32_t range);
/** Return the innermost scope of a range. */
uint32_t gen_xspace_scope(struct gen_xspace *x, uint32_t range);

/** Write devices, programs, scopes, the session, and warnings; all events must be complete. */
void gen_xspace_write_planes(struct gen_xspace *x, FILE *file);
/** Write the steps, Python calls and allocations of executions. */
void gen_xspace_executions(struct gen_xspace *x);

#endif
