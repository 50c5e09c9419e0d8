/*
 * compile_by_module.h - what several processes took to compile, module by module.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_COMPILE_BY_MODULE_H
#define JR_ANALYSIS_COMPILE_BY_MODULE_H

#include "analysis/core/pass.h"

/** A row a module, for people; the one with the slowest compilation first. In ctx->arena.
 * O(compilations log compilations). */
struct jr_table *jr_compile_by_module(struct jr_pass_context *ctx);

#endif
