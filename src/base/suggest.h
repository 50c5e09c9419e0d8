/*
 * suggest.h - "did you mean": the nearest of a few known words.
 * Layer: base.
 */
#ifndef JR_BASE_SUGGEST_H
#define JR_BASE_SUGGEST_H

#include <stddef.h>

/* A search in progress. Zero-initialize it, offer each known word, read `best` (NULL = none is
 * near). */
struct jr_nearest {
	const char *best;
	size_t distance;
};

/**
 * Offer one candidate. Near means: at most a third of the letters are changed, inserted, deleted or
 * swapped with their neighbor, or `word` (3 letters or more) is a prefix of the candidate. The
 * first of equals wins.
 */
void jr_nearest_offer(struct jr_nearest *nearest, const char *word, const char *candidate);

#endif
