/* The head of a document: its subject, its answer, and the findings. */
#include <string.h>

#include "analysis/core/terms.h"
#include "base/cleanup.h"
#include "report/document/compose.h"

/* --- findings ------------------------------------------------------------------------------- */

#define LEADING 5 /* at most this many findings on the first page */

struct jr_findings jr_compose_findings(struct jr_doc *doc, enum jr_finding_place place)
{
	const struct jr_results *r = doc->results;
	struct jr_finding *chosen = JR_ARENA_N(&doc->arena, struct jr_finding, r->n_findings + 1);
	size_t n = 0, n_leading = 0;
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct jr_finding *f = &r->findings[i];
		if (f->part_of)
			continue;
		bool doubt = f->cause == JR_CAUSE_MEASUREMENT;
		bool leads = jr_finding_leads(f) && n_leading < LEADING;
		n_leading += leads;
		if (place == (doubt ? JR_PLACE_DOUBTS : leads ? JR_PLACE_LEADING : JR_PLACE_CHECKS))
			chosen[n++] = *f;
	}
	return (struct jr_findings){n, chosen};
}

/* --- title and answer ----------------------------------------------------------------------- */

static const char *count_text(struct jr_doc *doc, size_t n)
{
	char text[JR_NUM_MAX];
	jr_num_grouped_i64(text, (int64_t)n);
	return jr_arena_strdup(&doc->arena, text);
}

static const char *title_of(struct jr_doc *doc)
{
	const struct jr_profile *p = doc->profile;
	if (doc->results->title)
		return doc->results->title;
	if (!p->n_inputs)
		return "Profile";
	if (p->n_inputs == 1)
		return p->inputs[0].name;
	return jr_arena_printf(
		&doc->arena, "%s and %s more", p->inputs[0].name, count_text(doc, p->n_inputs - 1));
}

/* ", node017" or ", 8 hosts"; "" if unknown. */
static const char *hosts_of(struct jr_doc *doc)
{
	const struct jr_profile *p = doc->profile;
	JR_CLEANUP(jr_map_done) struct jr_map seen = {0};
	uint32_t last = 0, n = 0;
	for (size_t i = 0; i < p->n_processes; i++) {
		uint32_t host = p->processes[i].hostname;
		if (host == 0 || jr_map_get(&seen, host) != JR_NONE)
			continue;
		jr_map_put(&seen, host, n++);
		last = host;
	}
	return n == 0   ? ""
		   : n == 1 ? jr_arena_printf(&doc->arena, ", %s", jr_str(p, last))
					: jr_arena_printf(&doc->arena, ", %s hosts", count_text(doc, n));
}

#define MOST_KINDS 4

/* "4 × NVIDIA H100, 2 × NVIDIA A100, ": kinds in the order of their first device. */
static const char *gpus_of(struct jr_doc *doc)
{
	const struct jr_profile *p = doc->profile;
	struct jr_map kinds = {0}; /* name -> row of n */
	size_t *n = JR_ARENA_N(&doc->arena, size_t, p->n_devices + 1), n_others = 0;
	uint32_t names[MOST_KINDS], n_kinds = 0;
	for (size_t i = 0; i < p->n_devices; i++) {
		uint32_t kind = jr_map_get(&kinds, p->devices[i].gpu_name);
		if (kind == JR_NONE) {
			kind = n_kinds++;
			jr_map_put(&kinds, p->devices[i].gpu_name, kind);
			if (kind < MOST_KINDS)
				names[kind] = p->devices[i].gpu_name;
		}
		n[kind]++;
		n_others += kind >= MOST_KINDS;
	}
	jr_map_done(&kinds);
	const char *text = "";
	for (size_t i = 0; i < n_kinds && i < MOST_KINDS; i++) {
		const char *name = jr_str(p, names[i]);
		text = jr_arena_printf(&doc->arena, "%s%s × %s, ", text, count_text(doc, n[i]),
			*name ? name : jr_doc_words(doc, JR_GPU));
	}
	return n_others ? jr_arena_printf(
						  &doc->arena, "%s%s of other kinds, ", text, count_text(doc, n_others))
					: text;
}

static const char *subtitle_of(struct jr_doc *doc)
{
	const struct jr_profile *p = doc->profile;
	if (doc->results->subtitle)
		return doc->results->subtitle;
	if (p->planned && p->n_devices && *jr_str(p, p->devices[0].gpu_name))
		return jr_arena_printf(&doc->arena, "per device, %s", jr_str(p, p->devices[0].gpu_name));
	const char *gpus = gpus_of(doc);
	size_t n = jr_profile_processes(p);
	return jr_arena_printf(&doc->arena, "%s%s process%s%s%s%s", gpus, count_text(doc, n),
		n == 1 ? "" : "es", hosts_of(doc), p->selected.any ? ". Selected: " : "",
		p->selected.any ? p->selected.text : "");
}

/* --- gates ---------------------------------------------------------------------------------- */

#define NAMED_GATES 2 /* the others are in the table */

/* "flops<=+0% (measured +3.70 %)", or the reason why it cannot be decided. */
static const char *gate_text(struct jr_doc *doc, const struct jr_table *t, size_t row)
{
	const char *measured = jr_table_text(t, "measured", row),
			   *reason = jr_table_text(t, "reason", row);
	return jr_arena_printf(&doc->arena, "%s (%s%s)", jr_table_text(t, "gate", row),
		*reason ? "" : "measured ", *reason ? reason : measured);
}

/* The line below the headline: a reviewer asks first whether the change may be merged. */
static void compose_gates(struct jr_doc *doc)
{
	static const char *const outcomes[] = {
		[JR_GATES_PASS] = "pass", [JR_GATES_UNCLEAR] = "cannot tell", [JR_GATES_FAIL] = "fail"};
	const struct jr_table *t = jr_results_table(doc->results, "gates");
	size_t n[JR_COUNT_OF(outcomes)] = {0}, n_named = 0;
	if (!t || !t->n_rows)
		return;
	for (size_t row = 0; row < t->n_rows; row++)
		for (size_t i = 0; i < JR_COUNT_OF(outcomes); i++)
			n[i] += strcmp(jr_table_text(t, "outcome", row), outcomes[i]) == 0;
	enum jr_gates_tone tone = n[JR_GATES_FAIL]      ? JR_GATES_FAIL
							  : n[JR_GATES_UNCLEAR] ? JR_GATES_UNCLEAR
													: JR_GATES_PASS;
	const char *named = "";
	for (size_t row = 0; row < t->n_rows && n_named < NAMED_GATES; row++)
		if (strcmp(jr_table_text(t, "outcome", row), outcomes[tone]) == 0)
			named = jr_arena_printf(
				&doc->arena, "%s%s%s", named, n_named++ ? "; " : "", gate_text(doc, t, row));
	doc->gates_tone = tone;
	const char *which = t->n_rows == 1 ? "The gate"
									   : jr_arena_printf(&doc->arena, "%s of %s gates",
											 count_text(doc, n[tone]), count_text(doc, t->n_rows));
	doc->gates = jr_arena_printf(&doc->arena, "%s %s: %s%s", which,
		tone == JR_GATES_UNCLEAR ? "cannot be decided"
		: tone == JR_GATES_FAIL  ? n[tone] == 1 ? "fails" : "fail"
		: n[tone] == 1           ? "passes"
								 : "pass",
		named, n[tone] > n_named ? "; …" : "");
}

void jr_compose_head(struct jr_doc *doc)
{
	const struct jr_results *r = doc->results;
	doc->title = title_of(doc);
	doc->subtitle = subtitle_of(doc);
	const struct jr_answer *answer = jr_results_answer(r);
	if (answer) {
		doc->headline = answer->headline;
		doc->lede = answer->lede;
	}
	compose_gates(doc);
	struct jr_findings doubts = jr_compose_findings(doc, JR_PLACE_DOUBTS);
	for (size_t i = 0; i < doubts.n; i++) {
		const char *title = doubts.findings[i].title;
		if (doc->headline && strstr(doc->headline, title)) /* the headline contains it already */
			continue;
		doc->caveats = jr_arena_printf(&doc->arena, "%s%s%s", doc->caveats ? doc->caveats : "",
			doc->caveats ? " " : "", jr_doc_sentence(doc, title));
	}
}
