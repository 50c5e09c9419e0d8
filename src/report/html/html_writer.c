/* index.html: templates/page.html is parsed into a tree, which is written as HTML5. Nodes of its
 * slots are made as it gets there and freed at once, because those of a whole page take 10 MiB.
 * templates/README.md lists the slots. */
#include <libxml/parser.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/palette.h"
#include "report/core/asset.h"
#include "report/core/formats.h"
#include "report/html/html.h"

struct page {
	const struct jr_doc *doc;
	struct jr_buf *out;
	struct jr_buf style, script;
};

static void free_doc(xmlDocPtr *doc)
{
	if (*doc)
		xmlFreeDoc(*doc);
}

/* Write the children, and free them. */
static void flush(xmlNodePtr parent, const struct page *page)
{
	while (parent->children) {
		xmlNodePtr child = parent->children;
		jr_html_serialize(page->out, child, NULL, NULL);
		xmlUnlinkNode(child);
		xmlFreeNode(child);
	}
}

/* --- slots: each adds children to `parent` ------------------------------------------- */

static void put_csp(xmlNodePtr parent, const struct page *page)
{
	struct jr_buf policy = {0};
	jr_buf_puts(&policy, "default-src 'none'; style-src ");
	jr_html_csp_source(&policy, jr_buf_view(&page->style));
	jr_buf_puts(&policy, "; script-src ");
	jr_html_csp_source(&policy, jr_buf_view(&page->script));
	jr_buf_puts(&policy, "; img-src data:; base-uri 'none'; form-action 'none'");
	xmlNodePtr meta = jr_html_element(parent, "meta", NULL);
	jr_html_attribute(meta, "http-equiv", "Content-Security-Policy");
	jr_html_attribute(meta, "content", policy.data);
	jr_buf_done(&policy);
}

/* Title of the window: the beginning distinguishes tabs. */
static void put_name(xmlNodePtr parent, const struct page *page)
{
	jr_html_cut(parent, page->doc->title, JR_HTML_NAME);
	if (!page->doc->headline)
		return;
	jr_html_text(parent, " – ");
	jr_html_cut(parent, page->doc->headline, JR_HTML_NAME);
}

/* The answer; its subject and its doubts are above it, in small print. */
static void put_head(xmlNodePtr parent, const struct page *page)
{
	const struct jr_doc *doc = page->doc;
	xmlNodePtr of = jr_html_element(parent, "p", "of");
	if (doc->headline) {
		jr_html_cut_prose(jr_html_element(of, "strong", NULL), doc->title, JR_HTML_NAME);
		jr_html_text(of, " ");
	}
	jr_html_cut_prose(jr_html_element(of, "span", NULL), doc->subtitle, JR_HTML_VALUE);
	if (doc->caveats) {
		jr_html_text(of, " ");
		jr_html_cut_prose(jr_html_element(of, "span", "caveats"), doc->caveats, JR_HTML_VALUE);
	}
	if (doc->headline)
		jr_html_cut_prose(jr_html_element(parent, "h1", NULL), doc->headline, JR_HTML_VALUE);
	else
		jr_html_cut(jr_html_element(parent, "h1", NULL), doc->title, JR_HTML_NAME);
	static const char *const tones[] = {[JR_GATES_PASS] = "gates",
		[JR_GATES_UNCLEAR] = "gates unclear",
		[JR_GATES_FAIL] = "gates fail"};
	if (doc->gates)
		jr_html_cut_prose(
			jr_html_element(parent, "p", tones[doc->gates_tone]), doc->gates, JR_HTML_LEDE);
	if (doc->lede)
		jr_html_cut_prose(jr_html_element(parent, "p", "lede"), doc->lede, JR_HTML_LEDE);
}

static void put_style(xmlNodePtr parent, const struct page *page)
{
	jr_html_text(parent, page->style.data);
}

static void put_script(xmlNodePtr parent, const struct page *page)
{
	jr_html_text(parent, page->script.data);
}

static void put_version(xmlNodePtr parent, const struct page *page)
{
	(void)page;
	jr_html_text(parent, JR_VERSION);
}

static void put_nav(xmlNodePtr parent, const struct page *page)
{
	struct jr_buf href = {0};
	xmlNodePtr groups = jr_html_element(parent, "ol", "groups"), list = NULL;
	for (size_t i = 0; i < page->doc->sections.n; i++) {
		const struct jr_doc_section *s = &page->doc->sections.items[i];
		if (i == 0 || s->group != s[-1].group) {
			xmlNodePtr group = jr_html_element(groups, "li", NULL);
			jr_html_leaf(group, "span", "group", page->doc->group_titles[s->group]);
			list = jr_html_element(group, "ol", NULL);
		}
		xmlNodePtr a = jr_html_leaf(jr_html_element(list, "li", NULL), "a", NULL, s->title);
		href.size = 0;
		jr_buf_printf(&href, "#%s", s->id);
		jr_html_attribute(a, "href", href.data);
	}
	jr_buf_done(&href);
}

static void put_sections(xmlNodePtr parent, const struct page *page)
{
	const struct jr_doc *doc = page->doc;
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	bool *paired = JR_ARENA_N(&arena, bool, doc->sections.n);
	jr_html_pairs(doc, paired);
	for (size_t i = 0; i < doc->sections.n; i++) {
		jr_html_section(parent, doc, &doc->sections.items[i], paired[i] ? "half" : NULL);
		flush(parent, page);
	}
	jr_arena_done(&arena);
}

static const struct {
	const char *name;
	void (*put)(xmlNodePtr parent, const struct page *page);
} slots[] = {
	{"csp", put_csp},
	{"name", put_name},
	{"head", put_head},
	{"style", put_style},
	{"nav", put_nav},
	{"sections", put_sections},
	{"version", put_version},
	{"script", put_script},
};

/* Write what an instruction <?jr NAME?> of the template stands for. Its nodes have a parent of the
 * same name as in the template, which determines how text is escaped. */
static void fill(xmlNodePtr instruction, void *context)
{
	const struct page *page = context;
	xmlNodePtr aside =
		jr_html_element(instruction->parent, (const char *)instruction->parent->name, NULL);
	xmlUnlinkNode(aside);
	for (size_t i = 0; i < JR_COUNT_OF(slots); i++)
		if (strcmp((const char *)instruction->content, slots[i].name) == 0)
			slots[i].put(aside, page);
	flush(aside, page);
	xmlFreeNode(aside);
}

static enum jr_status put_page(struct page *page, struct jr_buf *out, struct jr_error *err)
{
	struct jr_bytes template = jr_asset("page.html");
	JR_CLEANUP(free_doc)
	xmlDocPtr doc = xmlReadMemory((const char *)template.data, (int)template.size, NULL, "UTF-8",
		XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	if (!doc || !xmlDocGetRootElement(doc))
		return jr_fail(err, JR_EFORMAT, "the page template is not well-formed");
	jr_palette_css(&page->style);
	jr_asset_add(&page->style, "style.css");
	jr_asset_add(&page->style, "listing.css");
	jr_asset_add(&page->style, "flame.css");
	jr_asset_add(&page->style, "timeline.css");
	jr_asset_add(&page->script, "page.js");
	jr_asset_add_flame(&page->script);
	jr_asset_add(&page->script, "timeline_data.js");
	if (jr_html_timeline_strip(page->doc))
		jr_asset_add(&page->script, "timeline_strip.js");
	jr_asset_add(&page->script, "timeline.js");
	page->out = out;
	jr_buf_puts(out, "<!DOCTYPE html>\n");
	jr_html_serialize(out, xmlDocGetRootElement(doc), fill, page);
	jr_buf_putc(out, '\n');
	return JR_OK;
}

enum jr_status jr_html_page(const struct jr_doc *doc, struct jr_buf *out, struct jr_error *err)
{
	struct page page = {.doc = doc};
	enum jr_status status = put_page(&page, out, err);
	jr_buf_done(&page.style);
	jr_buf_done(&page.script);
	return status;
}

enum jr_status jr_write_html(const struct jr_report_job *job, struct jr_error *err)
{
	struct jr_buf out = {0};
	enum jr_status status = jr_html_page(job->doc, &out, err);
	if (status == JR_OK)
		status = jr_outdir_write(job->out, "index.html", jr_buf_view(&out), err);
	jr_buf_done(&out);
	return status;
}
