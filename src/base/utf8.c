/* Find where a UTF-8 text may be cut. */
#include "base/text.h"

#include <stdint.h>
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

/* Where the parameters of an op_name begin: "scatter-add[mode=clip]"; n: it has none. */
static size_t parameters_at(const char *s, size_t n)
{
	const char *open = memchr(s, '[', n);
	if (!open || open == s || s[n - 1] != ']' || !memchr(open, '=', n - (size_t)(open - s)))
		return n;
	return (size_t)(open - s);
}

bool jr_text_name_part(const char *s, size_t most, size_t *from, size_t *end)
{
	size_t n = strlen(s);
	*from = 0;
	*end = n;
	if (jr_text_width(s, n) <= most)
		return false;
	*end = parameters_at(s, n);
	if (jr_text_width(s, *end) <= most)
		return true;
	if (memchr(s, ' ', *end)) /* a sentence or a row, not a name */
		return false;
	for (size_t i = 1; i + 1 < *end; i++)
		if (s[i] == '/' && jr_text_width(s + i, *end - i) + 1 <= most) {
			*from = i;
			return true;
		}
	return false;
}
