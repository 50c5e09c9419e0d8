/*
 * distribution.h - lengths of time in classes, and their quantiles.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_DISTRIBUTION_H
#define JR_ANALYSIS_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

/* 1, 2, 5, 10, 20, 50... ns: class i holds [edge(i), edge(i + 1)); 0 is in the first, and the last
 * has all from 10,000 s on. */
#define JR_TIME_CLASSES 40

int64_t jr_time_class_edge(size_t i);
size_t jr_time_class(int64_t ns);
/** "200–500 µs"; of the last "≥ 10000 s". At least 32 bytes. */
void jr_time_class_text(size_t i, char out[48]);

/** The q-th quantile (nearest rank, 0 < q <= 1) of values[n], n > 0; reorders them. O(n). */
int64_t jr_quantile_i64(int64_t *values, size_t n, double q);

#endif
