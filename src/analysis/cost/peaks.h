/*
 * peaks.h - peak rates of a device.
 * Layer: analysis.  Numbers: peaks.def; rules and sources: README.md, section 14.2.
 */
#ifndef JR_ANALYSIS_PEAKS_H
#define JR_ANALYSIS_PEAKS_H

#include "analysis/cost/cost.h"
#include "base/buf.h"
#include "base/num.h"

/* FLOP/s, operations/s, bytes/s; 0 = unknown, or not supported. */
struct jr_peaks {
	bool known; /* generation rates, multiprocessors and clock are known: there is a roofline */
	bool rates_known; /* the table has the rates of its compute capability */
	bool by_formula;  /* not a row of the table: the clock is the driver's maximum */
	bool stated; /* the device states the peaks of matrix products and memory only; other units are
					unknown and do not give a bound */
	uint32_t compute_capability;
	uint64_t sm_count, tensor_clock_hz, vector_clock_hz, memory_bandwidth_bytes_s, link_bytes_s;
	uint64_t matrix[JR_N_MATRIX], vector[JR_N_VECTOR];
	uint64_t functions; /* exp, sqrt, ...: one per operation */
	uint64_t integers;
	const char *source; /* of the row: numbers of README.md's list, or "derived"; NULL: no row */
};

/**
 * Return the peaks of a device from its name, compute capability, multiprocessors and clock. Values
 * that the profile does not contain come from the table's row. Clocks are the lower of the two,
 * because matrix products do not run at the driver's maximum.
 *
 * @param name  of the GPU, as reported by the driver; "" = unknown
 */
struct jr_peaks jr_peaks_of(const char *name, const struct jr_device *device);

/**
 * Find a device of the table by the name that a user types: the name itself or the beginning of it,
 * such as "H100 80GB", in any case; a prefix "NVIDIA " is ignored.
 *
 * @param nearest  out: if several devices fit, their names; if none fits, the nearest name, or all
 *                 names if none is near; separated by commas
 * @return the name of the row ("H100 80GB HBM3"), in `found`; NULL: see `nearest`
 */
const char *jr_peaks_named(const char *name, struct jr_buf *found, struct jr_buf *nearest);

#define JR_PS_PER_NS 1000
#define JR_PS_PER_S UINT64_C(1000000000000)

static inline double jr_ns_of_ps(uint64_t ps)
{
	return (double)ps / JR_PS_PER_NS;
}

#endif
