/* report.sarif: hot lines of source for code scanning, SARIF 2.1.0 (OASIS). Paths are relative to
 * the root of the checkout; --strip-prefix removes the part before it. */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "report/core/formats.h"
#include "report/document/hot_lines.h"

#define MAX_LINES 50

/* RFC 3986: characters of a path that are not escaped. */
static void put_uri(struct jr_buf *out, const char *path)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf uri = {0};
	for (const unsigned char *s = (const unsigned char *)path; *s; s++) {
		bool plain = jr_is_letter(*s) || jr_is_digit(*s) || *s == '-' || *s == '_' || *s == '.' ||
					 *s == '~' || *s == '/';
		jr_buf_printf(&uri, plain ? "%c" : "%%%02X", *s);
	}
	jr_json_text(out, uri.data);
}

static void put_result(struct jr_buf *out, const struct jr_table *t, size_t row, bool *any)
{
	struct jr_buf path = {0}, message = {0};
	int64_t line;
	if (jr_hot_line_place(t, row, &path, &line)) {
		jr_hot_line_message(&message, t, row);
		jr_buf_printf(
			out, "%s\n      {\"ruleId\": \"hot-line\", \"level\": \"note\", ", *any ? "," : "");
		jr_buf_puts(out, "\"message\": {\"text\": ");
		jr_json_text(out, message.data);
		jr_buf_puts(out, "},\n       \"locations\": [{\"physicalLocation\": {"
						 "\"artifactLocation\": {\"uri\": ");
		put_uri(out, path.data);
		jr_buf_printf(out,
			", \"uriBaseId\": \"%%SRCROOT%%\"}, \"region\": {\"startLine\": %lld}}}]}",
			(long long)line);
		*any = true;
	}
	jr_buf_done(&path);
	jr_buf_done(&message);
}

enum jr_status jr_write_sarif(const struct jr_report_job *job, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	const struct jr_table *t = jr_results_table(job->results, "source_lines");
	bool any = false;
	jr_buf_puts(&out,
		"{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\",\n"
		" \"runs\": [\n"
		"    {\"tool\": {\"driver\": {\"name\": \"jaxreport\", \"version\": \"" JR_VERSION "\",\n"
		"     \"rules\": [{\"id\": \"hot-line\", \"name\": \"HotLine\",\n"
		"       \"shortDescription\": {\"text\": \"A line that uses much GPU time\"},\n"
		"       \"fullDescription\": {\"text\": \"At least 1 % of the active GPU time of the "
		"profiled job comes from this line, excluding waiting for other devices.\"}}]}},\n"
		"     \"columnKind\": \"unicodeCodePoints\",\n"
		"     \"results\": [");
	size_t n = jr_hot_lines(t, MAX_LINES);
	for (size_t i = 0; i < n; i++)
		put_result(&out, t, i, &any);
	jr_buf_puts(&out, "]}]}\n");
	return jr_outdir_write(job->out, "report.sarif", jr_buf_view(&out), err);
}
