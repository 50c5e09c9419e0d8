/* Source listings of a document, and the lookup of their lines by name. */
#include <string.h>

#include "report/document/compose.h"

struct jr_doc_listing *jr_compose_listing(struct jr_doc *doc, const struct jr_listing *listing)
{
	struct jr_doc_listing *l = JR_ARENA_NEW(&doc->arena, struct jr_doc_listing);
	*l = (struct jr_doc_listing){listing, (unsigned)doc->listings.n + 1, strlen(listing->file)};
	*jr_vec_add(&doc->listings) = l;
	return l;
}
