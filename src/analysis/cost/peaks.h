/*
 * peaks.h - what a device can do a second at most.
 * Layer: analysis.  Figures: peaks.def; rules and sources: README.md, section 14.2.
 */
#ifndef JR_ANALYSIS_PEAKS_H
#define JR_ANALYSIS_PEAKS_H

#include "analysis/cost/cost.h"

/* FLOP/s, operations/s, bytes/s; 0 = unknown, or it has no such unit. */
struct jr_peaks {
	bool known;       /* of a generation with known rates, of which multiprocessors and clock are
						 known, too: there is a roof */
	bool rates_known; /* the table has the rates of its compute capability */
	bool by_formula;  /* no row of its own in the table: the clock is the driver's highest */
	bool stated;      /* the device itself states them, of matrix products and memory alone: what
						 other units can do is not known and bounds nothing */
	uint32_t compute_capability;
	uint64_t sm_count, tensor_clock_hz, vector_clock_hz, memory_bandwidth_bytes_s, link_bytes_s;
	uint64_t matrix[JR_N_MATRIX], vector[JR_N_VECTOR];
	uint64_t functions; /* exp, sqrt, ...: one an operation */
	uint64_t integers;
	const char *source; /* of the row: numbers of README.md's list, or "derived"; NULL: no row */
};

/**
 * Of a device by its name, its compute capability, multiprocessors and clock. What the profile does
 * not say is that of the table's row; clocks are the lower of the two, for what the driver allows
 * at most is not what matrix products run at.
 *
 * @param name  of the GPU, as the driver has it; "" = unknown
 */
struct jr_peaks jr_peaks_of(const char *name, const struct jr_device *device);

/** a * b / c rounded down; UINT64_MAX where 64 bits do not hold it, and for c = 0. */
static inline uint64_t jr_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
	__extension__ typedef unsigned __int128 wide;
	wide v = c ? (wide)a * b / c : UINT64_MAX;
	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

#endif
