/*
 * suggest.h - "did you mean": the nearest of a few known words.
 * Layer: base.
 */
#ifndef JR_BASE_SUGGEST_H
#define JR_BASE_SUGGEST_H

#include <stddef.h>

/* A search in progress; zero-initialise, offer each known word, read `best` (NULL = none is near).
 */
struct jr_nearest {
	const char *best;
	size_t distance;
};

/**
 * Offer one candidate. Near: a change, insertion, deletion or swap of neighbours in a third of the
 * letters at most, or `word` is a beginning of it (3 letters or more). The first of equals wins.
 */
void jr_nearest_offer(struct jr_nearest *nearest, const char *word, const char *candidate);

#endif
