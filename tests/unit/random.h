/*
 * random.h - numbers that are the same on every machine: tests must not depend on rand().
 * Test code; static functions only.
 */
#ifndef JR_TESTS_RANDOM_H
#define JR_TESTS_RANDOM_H

#include <stdint.h>

/* Return the next number of xorshift64*; *state is not 0. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545F4914F6CDD1D);
}

#endif
