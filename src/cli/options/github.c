#include "cli/options/github.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "report/document/hot_lines.h"
#include "report/core/report.h"

#define MAX_LINES 5 /* the runner shows at most ten annotations of a kind per step */

void jr_github_formats(struct jr_request *r)
{
	const struct jr_report_format *summary = jr_report_format_find("summary", 7);
	for (size_t i = 0; i < r->formats.n; i++)
		if (r->formats.items[i] == summary)
			return;
	*jr_vec_add(&r->formats) = summary;
}

/* Escape exactly what the runner decodes: %, CR and LF anywhere, ':' and ',' in properties. */
static void put_escaped(struct jr_buf *out, const char *s, bool property)
{
	for (; *s; s++) {
		bool special = strchr("%\r\n", *s) || (property && strchr(":,", *s));
		jr_buf_printf(out, special ? "%%%02X" : "%c", (unsigned char)*s);
	}
}

/* Append "::KIND PROPERTIES::MESSAGE". All text is escaped as the runner decodes it, so that no
 * text can end the line or begin another command. `path` NULL: no file. */
static void annotate(struct jr_buf *out, const char *kind, const char *path, long long line,
	const char *title, const char *message)
{
	jr_buf_printf(out, "::%s ", kind);
	if (path) {
		jr_buf_puts(out, "file=");
		put_escaped(out, path, true);
		jr_buf_printf(out, ",line=%lld,", line);
	}
	jr_buf_puts(out, "title=");
	put_escaped(out, title, true);
	jr_buf_puts(out, "::");
	put_escaped(out, message, false);
	jr_buf_putc(out, '\n');
}

static void tell_gates(struct jr_buf *out, const struct jr_table *t)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf message = {0};
	for (size_t row = 0; t && row < t->n_data; row++) {
		const char *outcome = jr_table_text(t, "outcome", row);
		const char *reason = jr_table_text(t, "reason", row);
		bool failed = strcmp(outcome, "fail") == 0;
		if (strcmp(outcome, "pass") == 0)
			continue;
		message.size = 0;
		jr_buf_printf(&message, "%s: ", jr_table_text(t, "gate", row));
		if (*reason)
			jr_buf_puts(&message, reason);
		else
			jr_buf_printf(&message, "measured %s, allowed %s", jr_table_text(t, "measured", row),
				jr_table_text(t, "allowed", row));
		annotate(out, failed ? "error" : "warning", NULL, 0,
			failed ? "Gate failed" : "Gate cannot be decided", message.data);
	}
}

static void tell_lines(struct jr_buf *out, const struct jr_table *t)
{
	struct jr_buf path = {0}, message = {0};
	size_t n = jr_hot_lines(t, MAX_LINES);
	for (size_t row = 0; row < n; row++) {
		int64_t line;
		if (!jr_hot_line_place(t, row, &path, &line))
			continue;
		message.size = 0;
		jr_hot_line_message(&message, t, row);
		annotate(out, "notice", path.data, line, "Hot line", message.data);
	}
	jr_buf_done(&path);
	jr_buf_done(&message);
}

static enum jr_status append(const char *path, struct jr_bytes text, struct jr_error *err)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
	bool failed = fd < 0;
	for (size_t done = 0; !failed && done < text.size;) {
		ssize_t n = write(fd, text.data + done, text.size - done);
		failed = n < 0 && errno != EINTR;
		done += n > 0 ? (size_t)n : 0;
	}
	int reason = errno;
	if (fd >= 0 && close(fd) != 0 && !failed) {
		failed = true;
		reason = errno;
	}
	return failed ? jr_fail(err, JR_EIO, "cannot append to $GITHUB_STEP_SUMMARY '%s': %s", path,
						strerror(reason))
				  : JR_OK;
}

/* Annotate a comparison with its verdict, one sentence. */
static void tell_verdict(struct jr_buf *out, const struct jr_results *results)
{
	const struct jr_scalar *verdict = jr_results_scalar(results, "verdict.verdict");
	const struct jr_scalar *sentence = jr_results_scalar(results, "verdict.sentence");
	if (!results->headline || !verdict || !sentence)
		return;
	bool worse = strcmp(verdict->value.text, "regression") == 0;
	JR_CLEANUP(jr_buf_done) struct jr_buf title = {0};
	jr_buf_printf(&title, "Step time: %s", results->headline);
	annotate(out, worse ? "warning" : "notice", NULL, 0, title.data, sentence->value.text);
}

enum jr_status jr_github_settle(enum jr_status status, const struct jr_error *untold,
	struct jr_messages *msg, struct jr_error *err)
{
	if (untold->status == JR_OK)
		return status;
	if (status == JR_OK)
		return jr_fail(err, untold->status, "%s", untold->message);
	jr_say_warning(msg, "%s", untold->message);
	return status;
}

void jr_github_tell(const struct jr_request *request, const struct jr_results *results,
	struct jr_buf *out, struct jr_error *untold)
{
	tell_verdict(out, results);
	tell_gates(out, jr_results_table(results, "gates"));
	tell_lines(out, jr_results_table(results, "source_lines"));
	const char *summary = getenv("GITHUB_STEP_SUMMARY");
	if (!summary || !*summary)
		return;
	JR_CLEANUP(jr_buf_done) struct jr_buf path = {0};
	struct jr_file_map map;
	jr_buf_printf(&path, "%s/summary.md", request->output);
	if (jr_file_map(path.data, &map, untold) == JR_OK) {
		(void)append(summary, map.bytes, untold);
		jr_file_unmap(&map);
	}
}
