/* Find where a UTF-8 text may be cut. */
#include "base/text.h"

#include <string.h>

void jr_text_end_cut(char *room, size_t size)
{
	static const char ellipsis[] = "…";
	size_t n = jr_text_prefix(room, size, size - sizeof(ellipsis));
	memcpy(room + n, ellipsis, sizeof(ellipsis));
}

size_t jr_text_prefix(const char *s, size_t n, size_t most)
{
	if (n <= most)
		return n;
	while (most && ((unsigned char)s[most] & 0xC0) == 0x80)
		most--;
	return most;
}
