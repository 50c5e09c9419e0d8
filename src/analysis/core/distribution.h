/*
 * distribution.h - duration classes and quantiles.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_DISTRIBUTION_H
#define JR_ANALYSIS_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

/* Class edges are 1, 2, 5, 10, 20, 50... ns. Class i contains [edge(i), edge(i + 1)); the first
 * also contains 0, and the last everything from 10,000 s on. */
#define JR_TIME_CLASSES 40

int64_t jr_time_class_edge(size_t i);
size_t jr_time_class(int64_t ns);
/** Write the label "200–500 µs", or "≥ 10000 s" for the last class. At least 32 bytes. */
void jr_time_class_text(size_t i, char out[48]);

/** Return the q-th quantile (nearest rank, 0 < q <= 1) of values[n], n > 0; reorders them. O(n). */
int64_t jr_quantile_i64(int64_t *values, size_t n, double q);

#endif
