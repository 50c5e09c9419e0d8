#include "report/document/brief.h"

#include <string.h>

/* Sections of reports, comparisons and histories, most important first. */
static const char *const order[] = {"gates", "trend", "changes", "runs", "contributions", "ledger",
	"gpu", "kernels", "modules", "thunks", "live_memory", "source_lines", "source-lines", NULL};

static const struct jr_doc_section *by_id(const struct jr_doc *doc, const char *id)
{
	for (size_t i = 1; i < doc->sections.n; i++) {
		const struct jr_doc_section *s = &doc->sections.items[i];
		if (strcmp(s->id, id) == 0)
			return s;
	}
	return NULL;
}

const struct jr_doc_section *jr_brief_section(const struct jr_doc *doc, size_t i)
{
	for (size_t k = 0; order[k]; k++) {
		const struct jr_doc_section *s = by_id(doc, order[k]);
		if (s && i-- == 0)
			return s;
	}
	return NULL;
}
