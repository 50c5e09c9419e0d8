/*
 * compile_name.h - what the name of a host range says about compilation.
 * Layer: model, private to the compile files.  Names: formats/README.md, section 1.3.
 */
#ifndef JR_MODEL_COMPILE_NAME_H
#define JR_MODEL_COMPILE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Domains of the ranges of jax.profiler, which has none: of the outermost calls of a compiler,
 * which are TOP, and of what lies below them. */
#define JR_COMPILE_TRACE_TOP "jax.profiler.compile:"
#define JR_COMPILE_TRACE "jax.profiler:"

enum jr_compile_kind {
	JR_COMPILE_PHASE,     /* any XLA range that is none of those below */
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
/** The name as the file has it: without the domains that are ours. Points into `name`. */
struct jr_bytes jr_compile_name_in_file(const char *name, size_t n);
/** Append the name without domain, program and module (analysis/README.md, section 1.10 (e)). */
void jr_compile_name_clean(const char *name, size_t n, struct jr_buf *out);
/** The part that names the phase: between first and second colon; XlaPassPipeline is XlaPass. */
struct jr_bytes jr_compile_name_phase(const char *name, size_t n);

#endif
