/* What report.json ends with, as tables: what was found, assumed, missing and warned of. */
#include "analysis/shared/columns.h"
#include "base/cleanup.h"
#include "report/core/doc.h"

#define LIST(path, about, cols)                                                                    \
	{                                                                                              \
		.name = (path), .json = (path), .help = (about), .n_columns = JR_COUNT_OF(cols),           \
		.columns = (cols)                                                                          \
	}
#define TEXT(column_key, about)                                                                    \
	{                                                                                              \
		.key = (column_key), .help = (about), .type = JR_TEXT                                      \
	}
#define TIME(column_key, about)                                                                    \
	{                                                                                              \
		.key = (column_key), .help = (about), .type = JR_I64, .unit = JR_UNIT_NS                   \
	}

enum {
	ID, SEVERITY, RECOVERABLE, STEP, WITHOUT, TITLE, DETAIL, EVIDENCE, SECTION, CAUSE, PART_OF,
	PREDICTED, LEAST, UNPREDICTED, ERROR, TIMES, SUBJECT
};
static const struct jr_column_spec finding_columns[] = {
	[ID] = TEXT("id", "stable name of the rule that found it"),
	[SEVERITY] = TEXT("severity", "info, notice or warning"),
	[RECOVERABLE] = TIME("recoverable_ms",
		"device time it could win, at most unless predicted, over the steady wall of "
		"all devices"),
	[STEP] = TIME("step_recoverable_ms", "the same of one step on one device"),
	[WITHOUT] = TIME("step_without_ms", "what one step would then take"),
	[TITLE] = TEXT("title", "what was found"),
	[DETAIL] = TEXT("detail", "what it means and what to do"),
	[EVIDENCE] = TEXT("evidence", "the figures it rests on"),
	[SECTION] = TEXT("section", "name of the section with the details"),
	[CAUSE] = TEXT("cause",
		"what the time goes to: host, launch, compute, transfer, waiting, memory, compilation, "
		"drift or measurement"),
	[PART_OF] = TEXT("part_of", "id of the finding that has the same cause and tells of this one"),
	[PREDICTED] = {.key = "predicted",
		.help = "what could be won is what the replay of the steps says; else it is a bound",
		.type = JR_BOOL},
	[LEAST] = TIME("step_least_ms",
		"the least of step_recoverable_ms: below it where the replay gives an interval; null where "
		"it predicts nothing"),
	[UNPREDICTED] = TEXT("unpredicted", "why the replay gives an interval, or nothing"),
	[ERROR] = TIME("error_ms", "what the prediction is off by; 0 of a bound"),
	[TIMES] = {.key = "times",
		.help = "how often it came, where it is not in each step: recoverable_ms is then its whole "
				"cost; null where each step has it",
		.type = JR_I64,
		.unit = JR_UNIT_COUNT},
	[SUBJECT] = TEXT("subject", "what the title begins with; the headline names the first finding "
								"by it"),
};
static const struct jr_table_spec findings_spec =
	LIST("findings", "Per finding, by what it could win; unknown last", finding_columns);

static struct jr_table *findings(const struct jr_results *r, struct jr_arena *arena)
{
	static const char *const severities[] = {
		[JR_INFO] = "info", [JR_NOTICE] = "notice", [JR_WARNING] = "warning"};
	struct jr_table *t = jr_table_new(arena, &findings_spec, r->n_findings);
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct jr_finding *f = &r->findings[i];
		t->cells[ID].text[i] = f->id;
		t->cells[SEVERITY].text[i] = severities[f->severity];
		t->cells[RECOVERABLE].i64[i] = f->recoverable_ns;
		t->cells[STEP].i64[i] = f->step_recoverable_ns;
		t->cells[WITHOUT].i64[i] = f->step_without_ns;
		t->cells[TITLE].text[i] = f->title;
		t->cells[DETAIL].text[i] = f->detail;
		t->cells[EVIDENCE].text[i] = f->evidence;
		t->cells[SECTION].text[i] = f->section;
		t->cells[CAUSE].text[i] = jr_cause_name(f->cause);
		t->cells[PART_OF].text[i] = f->part_of;
		t->cells[PREDICTED].boolean[i] = f->predicted;
		t->cells[LEAST].i64[i] = f->step_least_ns;
		t->cells[UNPREDICTED].text[i] = f->unpredicted;
		t->cells[ERROR].i64[i] = f->error_ns;
		if (f->times)
			t->cells[TIMES].i64[i] = (int64_t)f->times;
		t->cells[SUBJECT].text[i] = f->subject;
	}
	return t;
}

static const struct jr_column_spec guess_columns[] = {
	TEXT("id", "stable name"),
	{.key = "count", .help = "how often", .type = JR_I64, .unit = JR_UNIT_COUNT},
	TEXT("detail", "what was assumed"),
};
static const struct jr_table_spec guesses_spec =
	LIST("guesses", "Per thing that reading the input had to assume, by id", guess_columns);

static struct jr_table *guesses(const struct jr_profile *p, struct jr_arena *arena)
{
	struct jr_table *t = jr_table_new(arena, &guesses_spec, p->n_guesses);
	for (size_t i = 0; i < p->n_guesses; i++) {
		t->cells[0].text[i] = p->guesses[i].id;
		t->cells[1].i64[i] = (int64_t)p->guesses[i].count;
		t->cells[2].text[i] = p->guesses[i].detail;
	}
	return t;
}

static const struct jr_column_spec unavailable_columns[] = {
	TEXT("section", "section, or part of the input"), TEXT("reason", "why")};
static const struct jr_table_spec unavailable_spec =
	LIST("unavailable", "Per thing that the report is without", unavailable_columns);

static struct jr_table *unavailable(
	const struct jr_profile *p, const struct jr_results *r, struct jr_arena *arena)
{
	size_t n = p->n_missing;
	for (size_t i = 0; i < r->n_sections; i++)
		n += r->sections[i].unavailable != NULL;
	struct jr_table *t = jr_table_new(arena, &unavailable_spec, n);
	for (n = 0; n < p->n_missing; n++) {
		t->cells[0].text[n] = p->missing[n].section;
		t->cells[1].text[n] = p->missing[n].reason;
	}
	for (size_t i = 0; i < r->n_sections; i++) {
		if (!r->sections[i].unavailable)
			continue;
		t->cells[0].text[n] = r->sections[i].pass->name;
		t->cells[1].text[n++] = r->sections[i].unavailable;
	}
	return t;
}

/* Plain texts: the one column has no key. */
static const struct jr_column_spec warning_columns[] = {TEXT("", NULL)};
static const struct jr_table_spec warnings_spec =
	LIST("warnings", "what else is odd about the input, a sentence each", warning_columns);

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
