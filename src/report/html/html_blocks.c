#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "render/scene_dom.h"
#include "report/html/html.h"

static void add_anchor(xmlNodePtr heading, const char *id)
{
	struct jr_buf href = {0};
	jr_buf_printf(&href, "#%s", id);
	xmlNodePtr a = jr_html_leaf(heading, "a", "anchor", "#");
	jr_html_attribute(a, "href", href.data);
	jr_html_attribute(a, "aria-label", "Link to this section");
	jr_buf_done(&href);
}

/* "127.2 ± 3.1 ms": the number, then the rest in smaller type. */
static void add_split_value(xmlNodePtr parent, const struct jr_fact *fact)
{
	struct jr_buf figure = {0};
	const char *value = fact->value;
	size_t n = fact->words ? strlen(value) : strcspn(value, " ");
	jr_buf_add(&figure, value, n);
	jr_html_text(parent, figure.data);
	if (value[n]) {
		jr_html_text(parent, " ");
		jr_html_leaf(parent, "small", NULL, value + n + 1);
	}
	jr_buf_done(&figure);
}

static void add_tiles(xmlNodePtr parent, const struct jr_facts *facts)
{
	struct jr_buf href = {0};
	xmlNodePtr list = jr_html_element(parent, "ul", "tiles");
	for (size_t i = 0; i < facts->n; i++) {
		const struct jr_fact *f = &facts->facts[i];
		xmlNodePtr tile = jr_html_element(jr_html_element(list, "li", NULL), "a", NULL);
		href.size = 0;
		jr_buf_printf(&href, "#%s", f->section ? f->section : "");
		if (f->section) /* leading items have no section of their own */
			jr_html_attribute(tile, "href", href.data);
		if (f->help)
			jr_html_attribute(tile, "title", f->help);
		jr_html_leaf(tile, "span", "title", f->title);
		jr_html_text(tile, " ");
		add_split_value(jr_html_element(tile, "strong", "value"), f);
		jr_html_text(tile, " ");
		jr_html_cut_prose(jr_html_element(tile, "span", "note"), f->note, JR_HTML_TILE);
	}
	jr_buf_done(&href);
}

/* Add each word separately, so that a list of flags can break between them. */
static void add_words(xmlNodePtr parent, const char *text)
{
	struct jr_buf word = {0};
	for (const char *s = text + strspn(text, " "); *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");
		word.size = 0;
		jr_buf_add(&word, s, n);
		if (parent->children)
			jr_html_text(parent, " ");
		jr_html_leaf(parent, "code", NULL, word.data);
		s += n;
	}
	jr_buf_done(&word);
}

static void add_facts(xmlNodePtr parent, const struct jr_facts *facts)
{
	xmlNodePtr list = jr_html_element(parent, "dl", "facts");
	for (size_t i = 0; i < facts->n; i++) {
		const struct jr_fact *f = &facts->facts[i];
		xmlNodePtr pair = jr_html_element(list, "div", f->code ? "wide" : NULL);
		xmlNodePtr term = jr_html_element(pair, "dt", NULL);
		jr_html_text(f->code ? jr_html_element(term, "code", NULL) : term, f->title);
		if (f->help)
			jr_html_attribute(term, "title", f->help);
		xmlNodePtr value = jr_html_element(pair, "dd", NULL);
		if (f->code)
			add_words(value, f->value);
		else
			jr_html_cut_prose(value, f->value, JR_HTML_NAME);
		if (*f->note) {
			jr_html_text(value, " ");
			jr_html_cut_prose(jr_html_element(value, "span", "note"), f->note, JR_HTML_TILE);
		}
	}
}

/* Potential saving per step, as in the title, or for the whole profile if no finding has one per
 * step. */
static double bar_ns(const struct jr_finding *f, bool of_steps)
{
	int64_t ns = !of_steps ? f->recoverable_ns : f->since_ns ? f->since_ns : f->step_recoverable_ns;
	return ns == JR_NULL_I64 || ns < 0 ? 0 : (double)ns;
}

struct bar_scale {
	bool of_steps;
	bool any;        /* there are bars */
	double whole_ns; /* the step, or the time of all devices */
};

static struct bar_scale scale_of(const struct jr_doc *doc, const struct jr_findings *findings)
{
	struct bar_scale scale = {0};
	const struct jr_scalar *all = jr_results_scalar(doc->results, "gpu.wall_ms");
	for (size_t i = 0; i < findings->n; i++)
		scale.of_steps |= findings->findings[i].step_recoverable_ns != JR_NULL_I64;
	if (!scale.of_steps && all && all->value.i64 != JR_NULL_I64)
		scale.whole_ns = (double)all->value.i64;
	for (size_t i = 0; i < findings->n; i++) {
		const struct jr_finding *f = &findings->findings[i];
		double ns = bar_ns(f, scale.of_steps);
		scale.any |= ns > 0;
		if (scale.of_steps && f->step_without_ns != JR_NULL_I64)
			ns += (double)f->step_without_ns;
		scale.whole_ns = fmax(scale.whole_ns, ns);
	}
	return scale;
}

/* "65.85 ms" and a bar, its share of the step or of all time; both places stay empty if they do not
 * apply. */
static void add_gain(xmlNodePtr head, const struct jr_finding *f, struct bar_scale scale)
{
	char text[JR_NUM_MAX] = "";
	double ns = bar_ns(f, scale.of_steps);
	if (!scale.any)
		return;
	if (ns > 0)
		jr_num_time(text, scale.of_steps ? ns : ns / (double)(f->n_gpus ? f->n_gpus : 1));
	jr_html_leaf(head, "span", "won", text);
	jr_html_text(head, " ");
	xmlNodePtr svg = jr_html_element(head, "svg", "won");
	jr_html_attribute(svg, "width", "100%");
	jr_html_attribute(svg, "height", "10");
	jr_html_attribute(svg, "aria-hidden", "true");
	if (!(ns > 0))
		return;
	struct jr_buf width = {0};
	jr_num_double(text, round(1e4 * ns / scale.whole_ns) / 100);
	jr_buf_printf(&width, "%s%%", text);
	xmlNodePtr rect = jr_html_element(svg, "rect", NULL);
	jr_html_attribute(rect, "width", width.data);
	jr_html_attribute(rect, "height", "10");
	jr_buf_done(&width);
}

static xmlNodePtr add_link(xmlNodePtr parent, const char *text, const char *href)
{
	jr_html_text(parent, " ");
	xmlNodePtr link = jr_html_leaf(parent, "a", NULL, text);
	jr_html_attribute(link, "href", href);
	return link;
}

/* Links of a finding: to its table (and its row there), its place on the timeline, and its source
 * line. */
static void add_links(xmlNodePtr evidence, const struct jr_doc *doc, const struct jr_finding *f)
{
	struct jr_buf href = {0};
	const char *target = jr_doc_section_title(doc, f->section);
	const char *timeline = jr_html_timeline_section(doc);
	char anchor[JR_ANCHOR_MAX + 1] = "#";
	jr_buf_putc(&href, '#');
	if (target && !(f->thunk && jr_html_find_row(&href, doc, f->section, f->thunk)))
		jr_buf_puts(&href, f->section);
	if (target)
		add_link(evidence, target, href.data);
	if (f->thunk && timeline)
		jr_html_attribute(add_link(evidence, "Timeline", timeline), "data-find", f->thunk);
	if (f->source && jr_doc_line_anchor(doc, f->source, anchor + 1))
		add_link(evidence, "Source line", anchor);
	jr_buf_done(&href);
}

static const char *const severities[] = {
	[JR_INFO] = "info", [JR_NOTICE] = "notice", [JR_WARNING] = "warning"};

/* The meaning of the bars. */
static void add_severities(
	xmlNodePtr parent, const struct jr_findings *findings, struct bar_scale scale)
{
	static const char *const meanings[] = {
		[JR_INFO] = "for information", [JR_NOTICE] = "needs attention", [JR_WARNING] = "serious"};
	bool used[JR_COUNT_OF(meanings)] = {false};
	for (size_t i = 0; i < findings->n; i++)
		used[findings->findings[i].severity] |= bar_ns(&findings->findings[i], scale.of_steps) > 0;
	xmlNodePtr legend = jr_html_element(parent, "p", "severities");
	for (size_t i = JR_COUNT_OF(meanings); i-- > 0;) {
		if (!used[i])
			continue;
		xmlNodePtr entry = jr_html_element(legend, "span", severities[i]);
		xmlNodePtr svg = jr_html_element(entry, "svg", "won");
		jr_html_attribute(svg, "width", "22");
		jr_html_attribute(svg, "height", "10");
		jr_html_attribute(svg, "aria-hidden", "true");
		xmlNodePtr rect = jr_html_element(svg, "rect", NULL);
		jr_html_attribute(rect, "width", "22");
		jr_html_attribute(rect, "height", "10");
		jr_html_text(entry, meanings[i]);
		jr_html_text(legend, " ");
	}
	jr_html_text(legend,
		scale.of_steps ? "bar: share of the step" : "bar: share of the time of all devices");
}

static void add_finding(xmlNodePtr list, const struct jr_doc *doc, const struct jr_finding *f,
	struct bar_scale most, bool first)
{
	xmlNodePtr item = jr_html_element(list, "li", severities[f->severity]);
	item = jr_html_element(item, "details", NULL);
	if (first)
		jr_html_attribute(item, "open", "");
	xmlNodePtr head = jr_html_element(item, "summary", NULL);
	add_gain(head, f, most);
	jr_html_said(head, "strong", NULL, f->title ? f->title : f->id);
	struct jr_buf gain = {0};
	jr_value_put_gain(&gain, f);
	jr_html_attribute(jr_html_said(item, "p", "gain", gain.data), "title",
		"where the time goes, the potential saving, and the step time after it");
	jr_buf_done(&gain);
	struct jr_finding_part parts[JR_FINDING_PARTS];
	size_t n = jr_value_finding_parts(f, parts);
	const char *small = NULL;
	for (size_t i = 0; i < n; i++) {
		if (parts[i].small) {
			if (small)
				jr_html_said(item, "p", "evidence", small);
			small = parts[i].text;
			continue;
		}
		xmlNodePtr part = jr_html_element(item, "p", NULL);
		if (parts[i].label) {
			jr_html_leaf(part, "strong", NULL, parts[i].label);
			jr_html_text(part, " ");
		}
		jr_html_prose(part, parts[i].text);
	}
	if (small || jr_doc_section_title(doc, f->section))
		add_links(jr_html_said(item, "p", "evidence", small), doc, f);
}

static void add_findings(
	xmlNodePtr parent, const struct jr_doc *doc, const struct jr_findings *findings)
{
	const struct bar_scale scale = scale_of(doc, findings);
	xmlNodePtr list = jr_html_element(parent, "ol", scale.any ? "findings" : "findings plain");
	for (size_t i = 0; i < findings->n; i++)
		add_finding(list, doc, &findings->findings[i], scale, i == 0 && scale.any);
	if (scale.any)
		add_severities(parent, findings, scale);
}

static void add_list(xmlNodePtr parent, const struct jr_list *list)
{
	xmlNodePtr ul = jr_html_element(parent, "ul", "notes");
	for (size_t i = 0; i < list->n; i++) {
		xmlNodePtr item = jr_html_element(ul, "li", NULL);
		if (list->entries[i].term) {
			jr_html_said(item, "strong", NULL, list->entries[i].term);
			jr_html_text(item, " ");
		}
		jr_html_prose(item, list->entries[i].text);
	}
}

/* Mark the place of a section's terms: a target, or ("#") a link to it. */
static void add_terms_id(xmlNodePtr node, const char *attribute, const char *before, const char *id)
{
	struct jr_buf value = {0};
	jr_buf_printf(&value, "%sterms-%s", before, id);
	jr_html_attribute(node, attribute, value.data);
	jr_buf_done(&value);
}

static void add_terms(xmlNodePtr parent, const struct jr_terms *terms)
{
	xmlNodePtr list = NULL, columns = jr_html_element(parent, "div", "terms");
	for (size_t i = 0; i < terms->n; i++) {
		const struct jr_term *t = &terms->terms[i];
		if (!i || strcmp(terms->terms[i - 1].section, t->section) != 0) {
			xmlNodePtr details = jr_html_element(columns, "details", "fold");
			jr_html_leaf(details, "summary", NULL, t->section);
			list = jr_html_element(details, "dl", NULL);
			add_terms_id(list, "id", "", t->id);
		}
		xmlNodePtr pair = jr_html_element(list, "div", NULL);
		jr_html_leaf(pair, "dt", NULL, t->name);
		jr_html_text(pair, " ");
		jr_html_said(pair, "dd", NULL, t->definition);
	}
}

/* --- figures -------------------------------------------------------------------------------- */

static void add_left_out(xmlNodePtr caption, const struct jr_figure *figure)
{
	char kept[JR_NUM_MAX], all[JR_NUM_MAX];
	struct jr_buf text = {0};
	if (!figure->n_left_out)
		return;
	jr_num_grouped_i64(kept, (int64_t)(figure->tree->n - figure->n_left_out));
	jr_num_grouped_i64(all, (int64_t)figure->tree->n);
	jr_buf_printf(&text,
		"The page contains the %s widest of %s frames; the others are merged into one "
		"box per caller.%s%s%s",
		kept, all, figure->source ? " All frames are in " : "",
		figure->source ? figure->source : "", figure->source ? "." : "");
	jr_html_leaf(caption, "p", NULL, text.data);
	jr_buf_done(&text);
}

static bool has_wrappers(const struct jr_tree *tree)
{
	for (size_t i = 0; tree && i < tree->n; i++)
		if (tree->kind[i] == JR_FRAME_WRAPPER)
			return true;
	return false;
}

static void add_figure_words(xmlNodePtr caption, const struct jr_figure *figure)
{
	if (figure->caption) {
		xmlNodePtr p = jr_html_said(caption, "p", NULL, figure->caption);
		if (has_wrappers(figure->tree))
			jr_html_text(p, " Frames that only forward calls are hidden at first.");
	}
	if (*figure->fallback) {
		if (figure->tree) {
			xmlNodePtr details = jr_html_element(caption, "details", NULL);
			jr_html_leaf(details, "summary", NULL,
				figure->tree->base_self_ns ? "Largest changes as text" : "Heaviest paths as text");
			xmlNodePtr pre = jr_html_leaf(details, "pre", NULL, figure->fallback);
			jr_html_attribute(pre, "tabindex", "0");
		} else {
			jr_html_said(caption, "p", "hidden", figure->fallback);
		}
	}
	add_left_out(caption, figure);
	if (!figure->source && !figure->file)
		return;
	xmlNodePtr p = jr_html_element(caption, "p", "remainder");
	if (figure->source)
		jr_html_attribute(jr_html_leaf(p, "a", NULL, figure->source), "href", figure->source);
	if (figure->source && figure->file)
		jr_html_text(p, " · ");
	if (figure->file)
		jr_html_attribute(jr_html_leaf(p, "a", NULL, figure->file), "href", figure->file);
}

static void add_figure(xmlNodePtr parent, const struct jr_doc *doc, const struct jr_figure *figure)
{
	struct jr_buf id = {0};
	jr_buf_printf(&id, "fig-%s", figure->name);
	const char *kind = figure->tree                              ? "flame"
					   : figure->chart->kind == JR_CHART_STACKED ? "divided"
					   : figure->chart->kind == JR_CHART_LANES   ? "chart wide"
																 : "chart";
	xmlNodePtr box = jr_html_element(parent, "figure", kind);
	jr_html_cut_prose(jr_html_element(box, "h3", NULL), figure->title, JR_HTML_NAME);
	if (figure->chart && figure->chart->kind == JR_CHART_STACKED && figure->chart->parts) {
		jr_html_bars(box, figure->chart, id.data);
		if (jr_html_timeline(box, doc, figure) &&
			!xmlSetProp(box, BAD_CAST "class", BAD_CAST "divided wide"))
			jr_oom();
	} else if (figure->scene) {
		xmlNodePtr scroll = jr_html_element(box, "div", "picture");
		bool live = jr_html_timeline(box, doc, figure) || figure->interactive;
		if (!figure->interactive) { /* an interactive figure handles keys itself */
			jr_html_attribute(scroll, "role", "group");
			jr_html_attribute(scroll, "aria-label", figure->title);
			jr_html_attribute(scroll, "tabindex", "0");
		}
		if (figure->narrow) { /* first: if shown, the style sheet hides the other */
			struct jr_buf narrow = {0};
			jr_buf_printf(&narrow, "%s-narrow", id.data);
			xmlNodePtr svg = jr_scene_dom(figure->narrow, parent->doc, narrow.data, 0);
			if (!xmlSetProp(svg, BAD_CAST "class", BAD_CAST "jr-figure narrow") ||
				!xmlAddChild(scroll, svg))
				jr_oom();
			jr_buf_done(&narrow);
		}
		if (!xmlAddChild(scroll,
				jr_scene_dom(figure->scene, parent->doc, id.data, live ? JR_POINTED_PX : 0)))
			jr_oom();
	}
	if (figure->interactive) {
		xmlNodePtr data = jr_html_element(box, "script", "jr-flame-data");
		jr_html_attribute(data, "type", "application/json");
		jr_html_attribute(data, "data-figure", id.data);
		jr_html_text(data, figure->interactive->data);
	}
	add_figure_words(jr_html_element(box, "figcaption", NULL), figure);
	jr_buf_done(&id);
}

/* --- sections ------------------------------------------------------------------------------- */

/* A folded table: its title tells readers whether to unfold it. */
static xmlNodePtr add_fold(xmlNodePtr parent, const struct jr_doc_table *t)
{
	struct jr_buf text = {0};
	char n[JR_NUM_MAX];
	jr_num_grouped_i64(n, (int64_t)t->table->n_rows);
	const char *title = t->table->spec->title;
	jr_buf_printf(&text, "%s, %s row%s", t->table->spec->looked_up && title ? title : "Table", n,
		t->table->n_rows == 1 ? "" : "s");
	xmlNodePtr details = jr_html_element(parent, "details", "fold");
	jr_html_leaf(details, "summary", NULL, text.data);
	jr_buf_done(&text);
	return details;
}

static void add_block(xmlNodePtr parent, const struct jr_doc *doc,
	const struct jr_doc_section *section, const struct jr_block *block)
{
	switch (block->kind) {
	case JR_BLOCK_TEXT: jr_html_prose(jr_html_element(parent, "p", NULL), block->as.text); break;
	case JR_BLOCK_HEADING: jr_html_leaf(parent, "h3", NULL, block->as.text); break;
	case JR_BLOCK_TILES: add_tiles(parent, &block->as.facts); break;
	case JR_BLOCK_FACTS: add_facts(parent, &block->as.facts); break;
	case JR_BLOCK_FINDINGS: add_findings(parent, doc, &block->as.findings); break;
	case JR_BLOCK_TABLE:
		jr_html_table(block->as.table->folded ? add_fold(parent, block->as.table) : parent,
			block->as.table, section->title, section == doc->sections.items);
		break;
	case JR_BLOCK_FIGURE: add_figure(parent, doc, block->as.figure); break;
	case JR_BLOCK_LISTING: jr_html_listing(parent, block->as.listing); break;
	case JR_BLOCK_LIST: add_list(parent, &block->as.list); break;
	case JR_BLOCK_TERMS: add_terms(parent, &block->as.terms); break;
	}
}

static void add_section_summary(xmlNodePtr box, const struct jr_doc_section *section)
{
	xmlNodePtr p = jr_html_said(box, "p", "summary", section->summary);
	if (!section->defined)
		return;
	jr_html_text(p, " ");
	add_terms_id(jr_html_leaf(p, "a", "defined", "Definitions"), "href", "#", section->id);
}

void jr_html_section(xmlNodePtr parent, const struct jr_doc *doc,
	const struct jr_doc_section *section, const char *class_name)
{
	struct jr_buf id = {0};
	jr_buf_printf(&id, "h-%s", section->id);
	xmlNodePtr box = jr_html_element(parent, "section", class_name);
	jr_html_attribute(box, "id", section->id);
	jr_html_attribute(box, "aria-labelledby", id.data);
	xmlNodePtr heading = jr_html_leaf(box, "h2", NULL, section->title);
	jr_html_attribute(heading, "id", id.data);
	add_anchor(heading, section->id);
	if (section->summary)
		add_section_summary(box, section);
	for (size_t i = 0; i < section->blocks.n; i++)
		add_block(box, doc, section, &section->blocks.items[i]);
	jr_buf_done(&id);
}
