/* Convert results to a document. The code depends on kinds of items, never on passes. It adds the
 * overview before them, and provenance, notes and glossary after them. */
#include "report/document/compose.h"
#include "report/document/compose.h"

#include <string.h>

#include "analysis/core/vendor.h"

/* Append a section with no blocks; the result is valid until the next call. */
static struct jr_doc_section *new_section(
	struct jr_doc *doc, const char *id, const char *title, const char *summary)
{
	struct jr_doc_section *s = jr_vec_add(&doc->sections);
	*s = (struct jr_doc_section){.id = id, .title = title, .summary = summary};
	return s;
}

static struct jr_block *new_block(struct jr_doc_section *section, enum jr_block_kind kind)
{
	struct jr_block *block = jr_vec_add(&section->blocks);
	*block = (struct jr_block){.kind = kind};
	return block;
}

/* --- scalars -------------------------------------------------------------------------------- */

static const char *fact_note(struct jr_doc *doc, const struct jr_scalar *s)
{
	char n[JR_NUM_MAX];
	const char *note = s->note ? s->note : "";
	if (s->n <= 0)
		return note;
	jr_num_grouped_i64(n, s->n);
	return jr_arena_printf(&doc->arena, "%s%sn = %s", note, *note ? ", " : "", n);
}

static struct jr_fact fact_of(struct jr_doc *doc, const struct jr_scalar *s, const char *section)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_value_put_scalar(&text, s);
	struct jr_fact fact = {
		.title = jr_doc_words(doc, s->title),
		.value = jr_arena_strndup(&doc->arena, text.data ? text.data : "", text.size),
		.note = fact_note(doc, s),
		.help = jr_doc_sentence(doc, s->help),
		.section = section,
		.words = s->type == JR_TEXT,
		.code = s->key && strncmp(s->key, "provenance.flags.", 17) == 0,
	};
	return fact;
}

static bool scalar_shown(const struct jr_result_item *item)
{
	return item->kind == JR_RESULT_SCALAR && !item->as.scalar->hidden && item->as.scalar->title;
}

/*
 * Adjacent scalars form one list of facts, unless the head has them all already. Returns the item
 * after them.
 */
static size_t add_facts(
	struct jr_doc *doc, struct jr_doc_section *out, const struct jr_section *in, size_t from)
{
	size_t to = from, n = 0, n_new = 0;
	for (; to < in->n && in->items[to].kind == JR_RESULT_SCALAR; to++) {
		n += scalar_shown(&in->items[to]);
		n_new += scalar_shown(&in->items[to]) && !in->items[to].as.scalar->tile;
	}
	if (!n_new)
		return to;
	struct jr_facts facts = {.facts = JR_ARENA_N(&doc->arena, struct jr_fact, n)};
	for (size_t i = from; i < to; i++)
		if (scalar_shown(&in->items[i]))
			facts.facts[facts.n++] = fact_of(doc, in->items[i].as.scalar, NULL);
	new_block(out, JR_BLOCK_FACTS)->as.facts = facts;
	return to;
}

/* --- sections ------------------------------------------------------------------------------- */

static bool is_drawn(const struct jr_doc_section *section, const struct jr_table *table)
{
	for (size_t i = 0; i < section->blocks.n; i++) {
		const struct jr_block *block = &section->blocks.items[i];
		if (block->kind == JR_BLOCK_FIGURE && block->as.figure->chart &&
			strcmp(block->as.figure->chart->table->spec->name, table->spec->name) == 0)
			return true;
	}
	return false;
}

static void add_item(
	struct jr_doc *doc, struct jr_doc_section *out, const struct jr_result_item *item)
{
	switch (item->kind) {
	case JR_RESULT_TEXT:
		new_block(out, JR_BLOCK_TEXT)->as.text = jr_doc_sentence(doc, item->as.text);
		break;
	case JR_RESULT_TABLE: {
		struct jr_doc_table *t = jr_compose_table(doc, item->as.table);
		if (!t)
			break;
		t->folded = item->as.table->spec->looked_up || is_drawn(out, item->as.table);
		new_block(out, JR_BLOCK_TABLE)->as.table = t;
		break;
	}
	case JR_RESULT_CHART:
		if (item->as.chart->table->n_rows)
			new_block(out, JR_BLOCK_FIGURE)->as.figure = jr_compose_chart(doc, item->as.chart);
		break;
	case JR_RESULT_TREE:
		if (item->as.tree->n && !item->as.tree->data_only)
			new_block(out, JR_BLOCK_FIGURE)->as.figure = jr_compose_tree(doc, item->as.tree);
		break;
	case JR_RESULT_LISTING:
		new_block(out, JR_BLOCK_LISTING)->as.listing = jr_compose_listing(doc, item->as.listing);
		break;
	case JR_RESULT_ANSWER: /* part of the document's head */
	case JR_RESULT_SCALAR: break;
	}
}

static void add_items(struct jr_doc *doc, struct jr_doc_section *out, const struct jr_section *in)
{
	for (size_t i = 0; i < in->n;) {
		if (in->items[i].kind == JR_RESULT_SCALAR)
			i = add_facts(doc, out, in, i);
		else
			add_item(doc, out, &in->items[i++]);
	}
}

/* Findings that do not lead the report. */
static void add_smaller_findings(struct jr_doc *doc, struct jr_doc_section *out)
{
	struct jr_findings findings = jr_compose_findings(doc, JR_PLACE_CHECKS);
	if (!findings.n)
		return;
	new_block(out, JR_BLOCK_HEADING)->as.text = "Smaller findings";
	new_block(out, JR_BLOCK_FINDINGS)->as.findings = findings;
}

/* Add a section, unless it has data for machines only. Unavailable sections are one list in the
 * notes. */
static void add_section(struct jr_doc *doc, const struct jr_section *in)
{
	if (in->pass->leads || in->pass->data_only || in->unavailable)
		return;
	struct jr_doc_section *s = new_section(doc, in->pass->name, jr_doc_words(doc, in->pass->title),
		jr_doc_sentence(doc, in->pass->summary));
	s->group = in->pass->group;
	if (strcmp(in->pass->name, "checks") == 0)
		add_smaller_findings(doc, s);
	add_items(doc, s, in);
	if (!s->blocks.n) {
		jr_vec_done(&s->blocks);
		doc->sections.n--;
	}
}

static void add_tiles(struct jr_doc *doc, struct jr_doc_section *out)
{
	size_t n = 0;
	const struct jr_results *r = doc->results;
	for (size_t s = 0; s < r->n_sections; s++)
		for (size_t i = 0; i < r->sections[s].n; i++)
			n += r->sections[s].items[i].kind == JR_RESULT_SCALAR;
	struct jr_facts tiles = {.facts = JR_ARENA_N(&doc->arena, struct jr_fact, n + 1)};
	for (size_t s = 0; s < r->n_sections; s++) {
		const struct jr_section *in = &r->sections[s];
		for (size_t i = 0; i < in->n; i++)
			if (in->items[i].kind == JR_RESULT_SCALAR && in->items[i].as.scalar->tile)
				tiles.facts[tiles.n++] =
					fact_of(doc, in->items[i].as.scalar, in->pass->leads ? NULL : in->pass->name);
	}
	if (tiles.n)
		new_block(out, JR_BLOCK_TILES)->as.facts = tiles;
}

static const char *together_text(struct jr_doc *doc, size_t n)
{
	const struct jr_results *r = doc->results;
	char all[JR_NUM_MAX], then[JR_NUM_MAX];
	if (n < 2 || r->together_step_ns == JR_NULL_I64 || r->together_step_ns <= 0)
		return NULL;
	jr_num_time(all, (double)r->together_step_ns);
	jr_num_time(then, (double)r->together_without_ns);
	/* A step cannot take no time. If all of it could be saved, the remaining time is not printed.
	 */
	const char *left = r->together_without_ns > 0
						   ? jr_arena_printf(&doc->arena, "; a step would then take %s", then)
						   : "";
	const char *of_devices = doc->profile->n_devices > 1
								 ? " Savings refer to the step, which waits for the "
								   "slowest device; other times are means over devices."
								 : "";
	if (r->together_predicted)
		return jr_arena_printf(&doc->arena,
			"The replay predicts that fixing all per-step findings, including those in section "
			"Checks, saves up to %s per step%s.%s",
			all, left, of_devices);
	return jr_arena_printf(&doc->arena,
		"Fixing all per-step findings could save up to %s per step, counting no time twice%s.%s",
		all, left, of_devices);
}

static bool any_gain(const struct jr_findings *findings)
{
	for (size_t i = 0; i < findings->n; i++)
		if (findings->findings[i].recoverable_ns != JR_NULL_I64)
			return true;
	return false;
}

static void add_doubts(struct jr_doc_section *out, const struct jr_findings *doubts)
{
	if (!doubts->n)
		return;
	new_block(out, JR_BLOCK_HEADING)->as.text = "Data quality";
	new_block(out, JR_BLOCK_FINDINGS)->as.findings = *doubts;
}

/* Serious doubts about the other findings come before them, the rest after them. */
static void add_findings(struct jr_doc *doc, struct jr_doc_section *out)
{
	struct jr_findings findings = jr_compose_findings(doc, JR_PLACE_LEADING);
	struct jr_findings doubts = jr_compose_findings(doc, JR_PLACE_DOUBTS);
	bool grave = doubts.n && doubts.findings[0].severity == JR_WARNING;
	if (grave)
		add_doubts(out, &doubts);
	if (findings.n) {
		const char *together = together_text(doc, findings.n);
		new_block(out, JR_BLOCK_HEADING)->as.text =
			any_gain(&findings) ? "Opportunities" : "Findings";
		new_block(out, JR_BLOCK_FINDINGS)->as.findings = findings;
		if (together)
			new_block(out, JR_BLOCK_TEXT)->as.text = together;
	}
	if (!grave)
		add_doubts(out, &doubts);
}

/* --- notes ---------------------------------------------------------------------------------- */

static void add_list(struct jr_doc *doc, struct jr_doc_section *out, const char *heading, size_t n,
	struct jr_list_entry *entries)
{
	(void)doc;
	if (!n)
		return;
	new_block(out, JR_BLOCK_HEADING)->as.text = heading;
	new_block(out, JR_BLOCK_LIST)->as.list = (struct jr_list){n, entries};
}

static void add_guesses(struct jr_doc *doc, struct jr_doc_section *out)
{
	const struct jr_profile *p = doc->profile;
	struct jr_list_entry *e = JR_ARENA_N(&doc->arena, struct jr_list_entry, p->n_guesses + 1);
	for (size_t i = 0; i < p->n_guesses; i++) {
		char count[JR_NUM_MAX];
		jr_num_grouped_i64(count, (int64_t)p->guesses[i].count);
		e[i].term = jr_arena_printf(&doc->arena, "%s (%s)", p->guesses[i].id, count);
		e[i].text = jr_doc_sentence(doc, p->guesses[i].detail);
	}
	add_list(doc, out, "Assumptions", p->n_guesses, e);
}

/* Aside sections with the same reason share one entry. */
static const char *titles_aside(struct jr_doc *doc, const struct jr_results *r, const char *reason)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	for (size_t i = 0; i < r->n_sections; i++) {
		const struct jr_section *s = &r->sections[i];
		if (!s->aside || strcmp(s->unavailable, reason) != 0)
			continue;
		jr_buf_puts(&text, text.size ? ", " : "");
		jr_buf_puts(&text, jr_doc_words(doc, s->pass->title));
	}
	return jr_arena_strndup(&doc->arena, text.data, text.size);
}

/* An aside section before row i gives the same reason. */
static bool told_aside(const struct jr_results *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (r->sections[k].aside && r->sections[i].aside &&
			strcmp(r->sections[k].unavailable, r->sections[i].unavailable) == 0)
			return true;
	return false;
}

/* Missing sections with the same reason share one entry, too, at the place of the first one. */
static size_t list_missing(
	struct jr_doc *doc, const struct jr_profile *p, struct jr_list_entry *entries)
{
	struct jr_intern reasons;
	jr_intern_init(&reasons);
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	size_t n = 0, none = p->n_missing;
	size_t *first = JR_ARENA_N(&doc->arena, size_t, none + 2); /* by reason: the missing sections */
	size_t *last = JR_ARENA_N(&doc->arena, size_t, none + 2);
	size_t *next = JR_ARENA_N(&doc->arena, size_t, none + 1);
	for (size_t i = 0; i < none + 2; i++)
		first[i] = none;
	for (size_t i = 0; i < none; i++) {
		uint32_t reason = jr_intern_puts(&reasons, p->missing[i].reason);
		*(first[reason] == none ? &first[reason] : &next[last[reason]]) = i;
		last[reason] = i;
		next[i] = none;
	}
	for (size_t i = 0; i < none; i++) {
		uint32_t reason = jr_intern_puts(&reasons, p->missing[i].reason);
		if (first[reason] != i)
			continue;
		text.size = 0;
		for (size_t k = i; k < none; k = next[k])
			jr_buf_printf(&text, "%s%s", k == i ? "" : ", ", p->missing[k].section);
		entries[n++] = (struct jr_list_entry){
			jr_arena_strndup(&doc->arena, text.data ? text.data : "", text.size),
			p->missing[i].reason};
	}
	jr_intern_done(&reasons);
	return n;
}

static void add_unavailable(struct jr_doc *doc, struct jr_doc_section *out)
{
	const struct jr_profile *p = doc->profile;
	const struct jr_results *r = doc->results;
	struct jr_list_entry *e =
		JR_ARENA_N(&doc->arena, struct jr_list_entry, p->n_missing + r->n_sections + 1);
	size_t n = list_missing(doc, p, e);
	for (size_t i = 0; i < r->n_sections; i++)
		if (r->sections[i].unavailable && !told_aside(r, i))
			e[n++] = (struct jr_list_entry){r->sections[i].aside
												? titles_aside(doc, r, r->sections[i].unavailable)
												: jr_doc_words(doc, r->sections[i].pass->title),
				jr_doc_words(doc, r->sections[i].unavailable)};
	add_list(doc, out, "Not available", n, e);
}

static void add_warnings(struct jr_doc *doc, struct jr_doc_section *out)
{
	const struct jr_profile *p = doc->profile;
	struct jr_list_entry *e = JR_ARENA_N(&doc->arena, struct jr_list_entry, p->n_warnings + 1);
	for (size_t i = 0; i < p->n_warnings; i++)
		e[i].text = p->warnings[i];
	add_list(doc, out, "Warnings", p->n_warnings, e);
}

/* --- entry point ---------------------------------------------------------------------------- */

static struct jr_section *own_section(struct jr_doc *doc, const struct jr_pass *pass)
{
	struct jr_section *s = JR_ARENA_NEW(&doc->arena, struct jr_section);
	s->pass = pass;
	return s;
}

/* Add the items of leading passes: texts first, then the rest. */
static void add_leading(struct jr_doc *doc, struct jr_doc_section *out, bool words)
{
	for (size_t s = 0; s < doc->results->n_sections; s++) {
		const struct jr_section *in = &doc->results->sections[s];
		for (size_t i = 0; in->pass->leads && i < in->n; i++)
			if ((in->items[i].kind == JR_RESULT_TEXT) == words)
				add_item(doc, out, &in->items[i]);
	}
}

static void compose_front(struct jr_doc *doc, const struct jr_section *about)
{
	*jr_vec_add(&doc->data) = about;
	struct jr_doc_section *s =
		new_section(doc, about->pass->name, about->pass->title, about->pass->summary);
	add_leading(doc, s, true);
	add_leading(doc, s, false);
	add_tiles(doc, s);
	add_findings(doc, s);
}

/* Add items below a heading, without it if all of them are for machines. */
static void add_headed(struct jr_doc *doc, struct jr_doc_section *s, const char *heading,
	const struct jr_section *items)
{
	if (heading)
		new_block(s, JR_BLOCK_HEADING)->as.text = heading;
	size_t n = s->blocks.n;
	add_items(doc, s, items);
	if (heading && s->blocks.n == n)
		s->blocks.n--;
}

/* The inputs with their versions and settings. */
static void compose_provenance(
	struct jr_doc *doc, const struct jr_section *about, const struct jr_section *origin)
{
	if (!about->n && !origin->n)
		return;
	struct jr_doc_section *s =
		new_section(doc, origin->pass->name, origin->pass->title, origin->pass->summary);
	s->group = origin->pass->group;
	if (origin->n)
		*jr_vec_add(&doc->data) = origin;
	add_items(doc, s, about);
	add_headed(doc, s, "Versions and settings", origin);
}

static void compose_notes(struct jr_doc *doc, const struct jr_section *about)
{
	*jr_vec_add(&doc->data) = about;
	struct jr_doc_section *s =
		new_section(doc, about->pass->name, about->pass->title, about->pass->summary);
	s->group = about->pass->group;
	if (!doc->profile->planned) /* nothing was executed */
		add_headed(doc, s, doc->profile->n_programs ? "Warm-up" : NULL, about);
	add_guesses(doc, s);
	add_unavailable(doc, s);
	add_warnings(doc, s);
	if (!s->blocks.n)
		new_block(s, JR_BLOCK_TEXT)->as.text = "Everything was read, and nothing was assumed.";
}

/* Add data in the order of passes, and sections by their groups. */
static void add_sections(struct jr_doc *doc)
{
	const struct jr_results *r = doc->results;
	for (size_t i = 0; i < r->n_sections; i++)
		*jr_vec_add(&doc->data) = &r->sections[i];
	for (enum jr_section_group group = 0; group < JR_N_GROUPS; group++)
		for (size_t i = 0; i < r->n_sections; i++)
			if (r->sections[i].pass->group == group)
				add_section(doc, &r->sections[i]);
}

static void add_glossary(struct jr_doc *doc)
{
	struct jr_terms terms = jr_compose_glossary(doc);
	if (!terms.n)
		return;
	for (size_t s = 0; s < doc->sections.n; s++)
		for (size_t i = 0; i < terms.n && !doc->sections.items[s].defined; i++)
			doc->sections.items[s].defined =
				strcmp(doc->sections.items[s].id, terms.terms[i].id) == 0;
	struct jr_doc_section *glossary =
		new_section(doc, "glossary", "Glossary", "Definitions of all numbers in this report.");
	glossary->group = JR_GROUP_ABOUT;
	new_block(glossary, JR_BLOCK_TERMS)->as.terms = terms;
}

void jr_doc_compose(struct jr_doc *doc, const struct jr_profile *profile,
	const struct jr_results *results, bool csv, bool svg)
{
	static const struct jr_pass overview = {.name = "overview", .title = "Overview"};
	static const struct jr_pass provenance = {.name = "provenance",
		.title = "Provenance",
		.group = JR_GROUP_ABOUT,
		.summary =
			"The profiled job, its versions and its settings. Only settings on an allow-list "
			"are taken from its environment."};
	static const struct jr_pass notes = {.name = "notes",
		.title = "Notes",
		.group = JR_GROUP_ABOUT,
		.summary = "Parts that were left out, assumed or unreadable."};
	if (JR_CHECKED)
		jr_results_assert(results);
	*doc = (struct jr_doc){.results = results, .profile = profile, .csv = csv, .svg = svg};
	jr_arena_init(&doc->arena, 0);
	for (enum jr_section_group group = 0; group < JR_N_GROUPS; group++)
		doc->group_titles[group] = jr_doc_words(doc, jr_group_title(group));
	jr_compose_head(doc);
	struct jr_section *about = own_section(doc, &overview);
	struct jr_section *origin = own_section(doc, &provenance);
	struct jr_section *ending = own_section(doc, &notes);
	jr_doc_about(profile, results, &doc->arena, about, origin, ending);
	jr_vendor_words_section(jr_words_of(profile), about, &doc->arena);
	jr_vendor_words_section(jr_words_of(profile), origin, &doc->arena);
	jr_vendor_words_section(jr_words_of(profile), ending, &doc->arena);
	compose_front(doc, about);
	add_sections(doc);
	compose_provenance(doc, about, origin);
	compose_notes(doc, ending);
	add_glossary(doc);
	if (JR_CHECKED)
		jr_doc_assert(doc);
}

void jr_doc_done(struct jr_doc *doc)
{
	for (size_t i = 0; i < doc->sections.n; i++)
		jr_vec_done(&doc->sections.items[i].blocks);
	jr_vec_done(&doc->sections);
	jr_vec_done(&doc->data);
	jr_vec_done(&doc->figures);
	jr_vec_done(&doc->tables);
	jr_vec_done(&doc->listings);
	jr_buf_done(&doc->slices);
	jr_arena_done(&doc->arena);
}

struct jr_doc_listing *jr_compose_listing(struct jr_doc *doc, const struct jr_listing *listing)
{
	struct jr_doc_listing *l = JR_ARENA_NEW(&doc->arena, struct jr_doc_listing);
	*l = (struct jr_doc_listing){listing, (unsigned)doc->listings.n + 1, strlen(listing->file)};
	*jr_vec_add(&doc->listings) = l;
	return l;
}
