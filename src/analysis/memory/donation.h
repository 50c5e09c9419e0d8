/*
 * donation.h - parameters whose memory outputs take, or could take.
 * Layer: analysis.  Definitions: README.md, section 14.8.
 */
#ifndef JR_ANALYSIS_DONATION_H
#define JR_ANALYSIS_DONATION_H

#include "model/profile/profile.h"

struct jr_donation {
	bool known;           /* the program states which outputs take the memory of parameters, and has
						   * no more arrays than are looked at */
	uint64_t could_bytes; /* of outputs that take none, and for which a parameter of the same type
						   * and dimensions is left that none takes; saturated */
	uint32_t n_could;
};

/** @param arena  scratch. O(arrays * log) of parameters and results. */
struct jr_donation jr_donation_of(const struct jr_hlo *hlo, struct jr_arena *arena);

#endif
