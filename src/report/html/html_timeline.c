#include <string.h>

#include "base/cleanup.h"
#include "report/html/html.h"
#include "report/trace/page_slices.h"

/* The figures whose place the timeline takes, the best one first. */
static const char *const places[] = {"timeline", "gpu_ledger"};

static const char *const addresses[] = {"#timeline", "#gpu"};

/* Return the row of `places` that the page has; their number: none. */
static size_t place_of(const struct jr_doc *doc)
{
	size_t i = 0;
	for (; i < JR_COUNT_OF(places) && doc->profile; i++)
		for (size_t k = 0; k < doc->figures.n; k++)
			if (strcmp(doc->figures.items[k]->name, places[i]) == 0)
				return i;
	return JR_COUNT_OF(places);
}

const char *jr_html_timeline_section(const struct jr_doc *doc)
{
	size_t i = place_of(doc);
	return i < JR_COUNT_OF(places) ? addresses[i] : NULL;
}

bool jr_html_timeline_strip(const struct jr_doc *doc)
{
	return jr_html_timeline_section(doc) && doc->profile->n_devices >= JR_PAGE_STRIP_DEVICES;
}

void jr_html_timeline_pack(struct jr_doc *doc)
{
	if (place_of(doc) < JR_COUNT_OF(places))
		(void)jr_page_slices_pack(doc, &doc->slices);
}

bool jr_html_timeline(xmlNodePtr box, const struct jr_doc *doc, const struct jr_figure *figure)
{
	size_t i = place_of(doc);
	bool live = doc->slices.size && i < JR_COUNT_OF(places) && strcmp(figure->name, places[i]) == 0;
	if (live) {
		struct jr_buf text = {0};
		jr_html_base64(&text, jr_buf_view(&doc->slices));
		xmlNodePtr data = jr_html_element(box, "script", "jr-timeline-data");
		jr_html_attribute(data, "type", "application/octet-stream");
		jr_html_text(data, text.data);
		jr_buf_done(&text);
	}
	return live;
}
