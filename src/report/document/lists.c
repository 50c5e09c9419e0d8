/* The tables at the end of report.json: findings, guesses, missing sections and warnings. */
#include "report/document/document_tables.h"
#include "report/core/doc.h"

JR_TABLE_OF(findings_spec, JR_FINDINGS_COLUMNS, JR_AT(findings), JR_AT(findings), NULL,
	"Per finding, largest potential saving first; unknown last");

static struct jr_table *findings(const struct jr_results *r, struct jr_arena *arena)
{
	static const char *const severities[] = {
		[JR_INFO] = "info", [JR_NOTICE] = "notice", [JR_WARNING] = "warning"};
	struct jr_table *t = jr_table_new(arena, &findings_spec, r->n_findings);
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct jr_finding *f = &r->findings[i];
		t->cells[JR_FINDINGS_id].text[i] = f->id;
		t->cells[JR_FINDINGS_severity].text[i] = severities[f->severity];
		t->cells[JR_FINDINGS_recoverable_ms].i64[i] = f->recoverable_ns;
		t->cells[JR_FINDINGS_step_recoverable_ms].i64[i] = f->step_recoverable_ns;
		t->cells[JR_FINDINGS_step_without_ms].i64[i] = f->step_without_ns;
		t->cells[JR_FINDINGS_title].text[i] = f->title;
		t->cells[JR_FINDINGS_why].text[i] = f->why;
		t->cells[JR_FINDINGS_action].text[i] = f->action;
		t->cells[JR_FINDINGS_since_ms].i64[i] = f->since_ns ? f->since_ns : JR_NULL_I64;
		t->cells[JR_FINDINGS_evidence].text[i] = f->evidence;
		t->cells[JR_FINDINGS_also].text[i] = f->also;
		t->cells[JR_FINDINGS_section].text[i] = f->section;
		t->cells[JR_FINDINGS_cause].text[i] = jr_cause_name(f->cause);
		t->cells[JR_FINDINGS_part_of].text[i] = f->part_of;
		t->cells[JR_FINDINGS_predicted].boolean[i] = f->predicted;
		t->cells[JR_FINDINGS_step_least_ms].i64[i] = f->step_least_ns;
		t->cells[JR_FINDINGS_unpredicted].text[i] = f->unpredicted;
		t->cells[JR_FINDINGS_error_ms].i64[i] = f->error_ns;
		if (f->times)
			t->cells[JR_FINDINGS_times].i64[i] = (int64_t)f->times;
		t->cells[JR_FINDINGS_subject].text[i] = f->subject;
		t->cells[JR_FINDINGS_about].text[i] = f->about;
	}
	return t;
}

JR_TABLE_OF(guesses_spec, JR_GUESSES_COLUMNS, JR_AT(guesses), JR_AT(guesses), NULL,
	"Per assumption made to read the input, by id");

static struct jr_table *guesses(const struct jr_profile *p, struct jr_arena *arena)
{
	struct jr_table *t = jr_table_new(arena, &guesses_spec, p->n_guesses);
	for (size_t i = 0; i < p->n_guesses; i++) {
		t->cells[JR_GUESSES_id].text[i] = p->guesses[i].id;
		t->cells[JR_GUESSES_count].i64[i] = (int64_t)p->guesses[i].count;
		t->cells[JR_GUESSES_detail].text[i] = p->guesses[i].detail;
	}
	return t;
}

JR_TABLE_OF(unavailable_spec, JR_UNAVAILABLE_COLUMNS, JR_AT(unavailable), JR_AT(unavailable), NULL,
	"Per part that the report does not contain");

static struct jr_table *unavailable(
	const struct jr_profile *p, const struct jr_results *r, struct jr_arena *arena)
{
	size_t n = p->n_missing;
	for (size_t i = 0; i < r->n_sections; i++)
		n += r->sections[i].unavailable != NULL;
	struct jr_table *t = jr_table_new(arena, &unavailable_spec, n);
	for (n = 0; n < p->n_missing; n++) {
		t->cells[JR_UNAVAILABLE_section].text[n] = p->missing[n].section;
		t->cells[JR_UNAVAILABLE_reason].text[n] = p->missing[n].reason;
	}
	for (size_t i = 0; i < r->n_sections; i++) {
		if (!r->sections[i].unavailable)
			continue;
		t->cells[JR_UNAVAILABLE_section].text[n] = r->sections[i].pass->name;
		t->cells[JR_UNAVAILABLE_reason].text[n++] = r->sections[i].unavailable;
	}
	return t;
}

/* Plain texts: the only column has no key. */
static const struct jr_column_spec warning_columns[] = {{.key = "", .type = JR_TEXT}};
static const struct jr_table_spec warnings_spec = {JR_TABLE_SPEC(JR_AT(warnings), JR_AT(warnings),
	NULL, "other irregularities of the input, one sentence each", warning_columns)};

static struct jr_table *warnings(const struct jr_profile *p, struct jr_arena *arena)
{
	struct jr_table *t = jr_table_new(arena, &warnings_spec, p->n_warnings);
	for (size_t i = 0; i < p->n_warnings; i++)
		t->cells[0].text[i] = p->warnings[i];
	return t;
}

void jr_doc_lists(const struct jr_profile *profile, const struct jr_results *results,
	struct jr_arena *arena, struct jr_section *out)
{
	jr_section_table(out, arena, findings(results, arena));
	jr_section_table(out, arena, guesses(profile, arena));
	jr_section_table(out, arena, unavailable(profile, results, arena));
	jr_section_table(out, arena, warnings(profile, arena));
}
