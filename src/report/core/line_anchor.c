/* Anchors of lines in listings. */
#include "report/core/doc.h"

#include <stdio.h>
#include <string.h>

/* Parse FILE:LINE at the beginning, which ends at the end, ':' or '['; file names may contain
 * colons. 0 = none.
 */
static uint32_t parse_line(const char *frame, size_t *file_size)
{
	for (const char *colon = strchr(frame, ':'); colon; colon = strchr(colon + 1, ':')) {
		size_t n = strspn(colon + 1, "0123456789");
		char end = colon[1 + n];
		if (n == 0 || n > 9 || (end && end != ':' && end != '['))
			continue;
		uint32_t line = 0;
		for (size_t i = 1; i <= n; i++)
			line = line * 10 + (uint32_t)(colon[i] - '0');
		*file_size = (size_t)(colon - frame);
		return line;
	}
	return 0;
}

static bool shows(const struct jr_listing *listing, uint32_t line)
{
	for (size_t i = 0; i < listing->n; i++)
		if (listing->lines[i].number == line)
			return true;
	return false;
}

bool jr_doc_line_anchor(const struct jr_doc *doc, const char *frame, char anchor[JR_ANCHOR_MAX])
{
	size_t n = 0;
	uint32_t line = parse_line(frame, &n);
	for (size_t i = 0; line && i < doc->listings.n; i++) {
		const struct jr_doc_listing *l = doc->listings.items[i];
		if (l->file_size != n || memcmp(l->listing->file, frame, n) != 0)
			continue;
		if (!shows(l->listing, line))
			return false;
		snprintf(anchor, JR_ANCHOR_MAX, "src-%u-%u", l->number, line);
		return true;
	}
	return false;
}
