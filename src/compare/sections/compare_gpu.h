/*
 * compare_gpu.h - what changed most on the GPUs, for the verdict of runs without steps.
 * Layer: compare.
 */
#ifndef JR_COMPARE_COMPARE_GPU_H
#define JR_COMPARE_COMPARE_GPU_H

#include "compare/core/compare.h"

/**
 * Return the part of the GPU time whose share changed most, and the kernel whose mean time changed
 * most, weighted by its launches: one sentence each. Both need at least 0.5 % of the GPU time, and
 * the kernel 4 standard errors. If nothing changed that much, the sentence says so.
 * @return in the comparison's arena; NULL: a run has no GPU operations
 * @note O(kernels)
 */
const char *jr_compare_gpu_changes(const struct jr_comparison *c);

#endif
