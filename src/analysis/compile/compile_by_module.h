/*
 * compile_by_module.h - compilation times of several processes by module.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_COMPILE_BY_MODULE_H
#define JR_ANALYSIS_COMPILE_BY_MODULE_H

#include "analysis/core/pass.h"

/** Build a table with one row per module, for people only; the module with the slowest compilation
 * is first. In ctx->arena. O(compilations log compilations). */
struct jr_table *jr_compile_by_module(struct jr_pass_context *ctx);

#endif
