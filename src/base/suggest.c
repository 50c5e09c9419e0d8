#include "base/suggest.h"

#include <string.h>

enum { MAX_WORD = 40 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance, three rows at a time. Both words have at most MAX_WORD
 * letters. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][MAX_WORD + 1];
	size_t *before = rows[0], *last = rows[1], *now = rows[2];
	for (size_t j = 0; j <= nb; j++)
		last[j] = j;
	for (size_t i = 1; i <= na; i++) {
		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t change = last[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = least(change, least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		size_t *next = before;
		before = last;
		last = now;
		now = next;
	}
	return last[nb];
}

void jr_nearest_offer(struct jr_nearest *nearest, const char *word, const char *candidate)
{
	size_t nw = strlen(word), nc = strlen(candidate);
	if (nw == 0 || nw > MAX_WORD || nc > MAX_WORD)
		return;
	size_t letters = nw - strspn(word, "-");
	size_t d =
		letters >= 3 && strncmp(word, candidate, nw) == 0 ? 1 : distance(word, nw, candidate, nc);
	if (d > letters / 3 && !(d == 1 && letters == 2))
		return;
	if (!nearest->best || d < nearest->distance)
		*nearest = (struct jr_nearest){candidate, d};
}
