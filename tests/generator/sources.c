#include "sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t gen_source_line(const char *path, const char *snippet, int32_t *column)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	for (size_t i = 0; i < gen_n_sources; i++) {
		if (strcmp(gen_sources[i].name, base) != 0)
			continue;
		const char *text = (const char *)gen_sources[i].data;
		const char *at = strstr(text, snippet);
		if (!at)
			break;
		int32_t line = 1, start = 1;
		for (const char *p = text; p < at; p++) {
			start++;
			if (*p == '\n') {
				line++;
				start = 1;
			}
		}
		*column = start;
		return line;
	}
	fprintf(stderr, "jr-generate: no '%s' in source '%s'\n", snippet, base);
	abort();
}
