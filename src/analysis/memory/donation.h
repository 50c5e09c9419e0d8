/*
 * donation.h - parameters whose memory outputs reuse, or could reuse.
 * Layer: analysis.  Definitions: README.md, section 14.8.
 */
#ifndef JR_ANALYSIS_DONATION_H
#define JR_ANALYSIS_DONATION_H

#include "model/profile/profile.h"

struct jr_donation {
	bool known;           /* the program states which outputs reuse the memory of parameters, and
						   * its arrays are not more than the limit */
	uint64_t could_bytes; /* bytes of outputs that reuse no parameter, although an unused
						   * parameter of the same type and dimensions exists; saturated */
	uint32_t n_could;
};

/** Compute the donation of a module. O(arrays * log) of parameters and results.
 * @param arena  scratch */
struct jr_donation jr_donation_of(const struct jr_hlo *hlo, struct jr_arena *arena);

#endif
