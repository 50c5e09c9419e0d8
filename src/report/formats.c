#include "report/core/formats.h"

#include <string.h>

const struct jr_report_format jr_report_formats[] = {
#define JR_FORMAT(id, on, drawn, files)                                                            \
	{.name = #id, .summary = (files), .by_default = (on), .draws = (drawn), .write = jr_write_##id},
#include "report/core/formats.def"
#undef JR_FORMAT
	{.name = NULL},
};

const struct jr_report_format *jr_report_format_find(const char *name, size_t n)
{
	for (const struct jr_report_format *f = jr_report_formats; f->name; f++)
		if (strlen(f->name) == n && memcmp(f->name, name, n) == 0)
			return f;
	return NULL;
}
