/*
 * compile_name.h - parses names of host ranges for compilation.
 * Layer: model, private to the compile files.  Names: formats/README.md, section 1.3.
 */
#ifndef JR_MODEL_COMPILE_NAME_H
#define JR_MODEL_COMPILE_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Domains given to jax.profiler ranges, which have none: one for the outermost compiler calls,
 * which are TOP, one for ranges below them. */
#define JR_COMPILE_TRACE_TOP "jax.profiler.compile:"
#define JR_COMPILE_TRACE "jax.profiler:"

enum jr_compile_kind {
	JR_COMPILE_PHASE,     /* any XLA range not listed below */
	JR_COMPILE_FOREIGN,   /* another domain: cuBLAS, NCCL, the user's own */
	JR_COMPILE_TOP,       /* XlaCompile */
	JR_COMPILE_BACKEND,   /* XlaCompileBackend */
	JR_COMPILE_AUTOTUNER, /* XlaAutotunerMeasurement, XlaAutotunerCompilation */
	JR_COMPILE_EXECUTION, /* XlaModule, Thunk */
};

struct jr_compile_name {
	enum jr_compile_kind kind;
	int64_t program_number; /* of TOP and BACKEND; -1 = none */
};

struct jr_compile_name jr_compile_name_parse(const char *name, size_t n);
/** Return the name as in the file, without the domains above. Points into `name`. */
struct jr_bytes jr_compile_name_in_file(const char *name, size_t n);
/** Append the name without domain, program and module (analysis/README.md, section 1.10 (e)). */
void jr_compile_name_clean(const char *name, size_t n, struct jr_buf *out);
/** Return the phase of a name: the part between the first two colons; XlaPassPipeline is XlaPass.
 */
struct jr_bytes jr_compile_name_phase(const char *name, size_t n);

#endif
