/* gates.xml: gates as JUnit tests, one per gate; not written without gates. */
#include <string.h>

#include "report/core/formats.h"

/* Write the text of an attribute. Characters that XML does not allow were removed when text was
 * read. */
static void put_text(struct jr_buf *out, const char *s)
{
	for (; *s; s++) {
		if (strchr("<>&\"'\n\r\t", *s))
			jr_buf_printf(out, "&#%d;", *s);
		else
			jr_buf_putc(out, *s);
	}
}

static void put_reason(struct jr_buf *out, const struct jr_table *t, size_t row)
{
	if (*jr_table_text(t, "reason", row)) {
		put_text(out, jr_table_text(t, "reason", row));
	} else {
		put_text(out, jr_table_text(t, "measured", row));
		jr_buf_puts(out, ", allowed ");
		put_text(out, jr_table_text(t, "allowed", row));
	}
}

/* Write the reason twice: Jenkins shows the attribute, GitLab the element's content. */
static void put_problem(
	struct jr_buf *out, const struct jr_table *t, size_t row, const char *element, bool typed)
{
	jr_buf_printf(out, "\n    <%s ", element);
	if (typed) {
		jr_buf_puts(out, "type=\"");
		put_text(out, jr_table_text(t, "outcome", row));
		jr_buf_puts(out, "\" ");
	}
	jr_buf_puts(out, "message=\"");
	put_reason(out, t, row);
	jr_buf_puts(out, "\">");
	put_reason(out, t, row);
	jr_buf_printf(out, "</%s>\n  ", element);
}

/* The JUnit result of a gate, chosen like the exit status (--inconclusive). */
enum element { PASSED, FAILURE, ERROR, SKIPPED, N_ELEMENTS };

static enum element element_of(const char *outcome, enum jr_inconclusive inconclusive)
{
	static const enum element unclear[] = {[JR_INCONCLUSIVE_TELL] = ERROR,
		[JR_INCONCLUSIVE_PASS] = SKIPPED,
		[JR_INCONCLUSIVE_FAIL] = FAILURE};
	if (strcmp(outcome, "pass") == 0)
		return PASSED;
	return strcmp(outcome, "fail") == 0 ? FAILURE : unclear[inconclusive];
}

enum jr_status jr_write_gates(const struct jr_report_job *job, struct jr_error *err)
{
	const struct jr_table *t = jr_results_table(job->results, "gates");
	if (!t)
		return JR_OK;
	struct jr_buf out = {0}, cases = {0};
	static const char *const names[] = {
		[FAILURE] = "failure", [ERROR] = "error", [SKIPPED] = "skipped"};
	size_t n[N_ELEMENTS] = {0};
	for (size_t row = 0; row < t->n_data; row++) {
		enum element element =
			element_of(jr_table_text(t, "outcome", row), job->profile->options.inconclusive);
		n[element]++;
		jr_buf_puts(&cases, "  <testcase classname=\"jaxreport.gates\" name=\"");
		put_text(&cases, jr_table_text(t, "gate", row));
		jr_buf_puts(&cases, "\">");
		if (element != PASSED)
			put_problem(&cases, t, row, names[element], element != SKIPPED);
		jr_buf_puts(&cases, "</testcase>\n");
	}
	jr_buf_printf(&out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		" <testsuite name=\"jaxreport\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"",
		t->n_data, n[FAILURE], n[ERROR]);
	if (n[SKIPPED])
		jr_buf_printf(&out, " skipped=\"%zu\"", n[SKIPPED]);
	jr_buf_puts(&out, ">\n");
	jr_buf_puts(&out, cases.size ? cases.data : "");
	jr_buf_puts(&out, " </testsuite>\n</testsuites>\n");
	enum jr_status status = jr_outdir_write(job->out, "gates.xml", jr_buf_view(&out), err);
	jr_buf_done(&cases);
	jr_buf_done(&out);
	return status;
}
