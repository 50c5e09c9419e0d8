/* The writers for CI systems: gates, hot lines, and the encodings of mail. */
#include "report_files.h"

#include <libxml/parser.h>

#include "base/text.h"
#include "report/document/hot_lines.h"
#include "report/mail/mail.h"
#include "report/text/md.h"

static const struct jr_column_spec line_columns[] = {
	{"file", "File", NULL, JR_TEXT, JR_UNIT_NONE, 0},
	{"line", "Line", NULL, JR_I64, JR_UNIT_NONE, 0},
	{"self_ms", "Self", NULL, JR_F64, JR_UNIT_NS, 0},
	{"total_ms", "Total", NULL, JR_F64, JR_UNIT_NS, 0},
	{"percent", "Share", NULL, JR_F64, JR_UNIT_PERCENT, 0},
	{"code", "Code", NULL, JR_TEXT, JR_UNIT_NONE, 0},
	{"self_waiting_ms", "Waiting", NULL, JR_F64, JR_UNIT_NS, 0},
	{"step_ms", "A step", NULL, JR_F64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec line_spec = {
	.name = "source_lines", .title = "Lines", .n_columns = 8, .columns = line_columns};

/* --- gates ----------------------------------------------------------------------------------- */

static void hold_attribute(xmlNodePtr node, const char *name, const char *want)
{
	xmlChar *value = xmlGetProp(node, (const xmlChar *)name);
	assert_non_null(value);
	assert_string_equal((const char *)value, want);
	xmlFree(value);
}

/* The next element from `node` on; the file is indented. */
static xmlNodePtr element(xmlNodePtr node)
{
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->next;
	return node;
}

static void hold_content(xmlNodePtr node, const char *expected)
{
	xmlChar *content = xmlNodeGetContent(node);
	assert_string_equal((const char *)content, expected);
	xmlFree(content);
}

static UNIT(test_gates)
{
	struct fake fake;
	fake_init(&fake, 10, 5);
	fake_gates(&fake);
	struct report report = report_make(&fake);
	struct jr_buf text = report_read(&report, "gates.xml");
	assert_int_equal(count_of(text.data, "<testcase "), 3);
	xmlDocPtr xml = xmlReadMemory(text.data, (int)text.size, NULL, "UTF-8", XML_PARSE_NONET);
	assert_non_null(xml);
	xmlNodePtr suite = element(xmlDocGetRootElement(xml)->children);
	hold_attribute(suite, "tests", "3");
	hold_attribute(suite, "failures", "1");
	hold_attribute(suite, "errors", "1");
	xmlNodePtr passed = element(suite->children), failed = element(passed->next);
	xmlNodePtr unclear = element(failed->next);
	assert_null(element(passed->children));
	hold_attribute(failed, "name", HOSTILE);
	assert_string_equal((const char *)element(failed->children)->name, "failure");
	hold_attribute(element(failed->children), "message", "40 GB, allowed 38 GB");
	hold_content(element(failed->children), "40 GB, allowed 38 GB");
	assert_string_equal((const char *)element(unclear->children)->name, "error");
	hold_attribute(element(unclear->children), "message", "too few samples " HOSTILE);
	hold_content(element(unclear->children), "too few samples " HOSTILE);
	assert_null(element(unclear->next));
	xmlFreeDoc(xml);
	jr_buf_done(&text);
	report_remove(&report);
	fake_done(&fake);
}

/* A gate that cannot be determined counts the same in gates.xml as in the exit status. */
static UNIT(test_inconclusive_gates)
{
	static const struct {
		enum jr_inconclusive as;
		const char *suite, *element;
	} cases[] = {
		{JR_INCONCLUSIVE_PASS, "failures=\"1\" errors=\"0\" skipped=\"1\">", "<skipped "},
		{JR_INCONCLUSIVE_FAIL, "failures=\"2\" errors=\"0\">", "<failure "},
		{JR_INCONCLUSIVE_TELL, "failures=\"1\" errors=\"1\">", "<error "},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct fake fake;
		fake_init(&fake, 10, 5);
		fake_gates(&fake);
		fake.profile.options.inconclusive = cases[i].as;
		struct report report = report_make(&fake);
		struct jr_buf text = report_read(&report, "gates.xml");
		assert_non_null(strstr(text.data, cases[i].suite));
		const char *unclear = strstr(text.data, "compile.total");
		assert_non_null(strstr(unclear, cases[i].element));
		jr_buf_done(&text);
		report_remove(&report);
		fake_done(&fake);
	}
}

static UNIT(test_no_gates)
{
	struct fake fake;
	fake_init(&fake, 10, 5);
	struct report report = report_make(&fake);
	struct jr_buf path = {0};
	jr_buf_printf(&path, "%s/report/gates.xml", report.folder);
	assert_int_equal(access(path.data, F_OK), -1);
	jr_buf_done(&path);
	report_remove(&report);
	fake_done(&fake);
}

/* --- sizes ----------------------------------------------------------------------------------- */

/* Add findings that take 40 times the available room. */
enum { MANY = 40 };
static void add_many_findings(struct fake *f)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	while (text.size < 20000)
		jr_buf_puts(&text, "= <b> | ` \xc3\xa9 ");
	const char *detail = jr_arena_strdup(&f->arena, text.data);
	struct jr_finding *findings = JR_ARENA_N(&f->arena, struct jr_finding, MANY);
	for (size_t i = 0; i < MANY; i++)
		findings[i] = (struct jr_finding){.id = "many", .severity = JR_NOTICE,
			.recoverable_ns = JR_NULL_I64, .step_recoverable_ns = JR_NULL_I64,
			.step_without_ns = JR_NULL_I64, .title = detail, .why = detail,
			.action = detail, .evidence = "", .section = "thunks",
			.cause = JR_CAUSE_MEASUREMENT};
	f->results.findings = findings;
	f->results.n_findings = MANY;
}

static UNIT(test_sizes_hold)
{
	struct fake fake;
	fake_init(&fake, 2600, 5);
	add_many_findings(&fake);
	struct report report = report_make(&fake);
	struct jr_buf summary = report_read(&report, "summary.md");
	struct jr_buf page = report_read(&report, "mail.html"), quoted = {0};
	assert_in_range(summary.size, 30000, 60000);
	assert_non_null(strstr(summary.data, "Left out to save space: findings"));
	assert_int_equal(count_of(summary.data, "<details"), count_of(summary.data, "</details>"));
	jr_mime_quoted(&quoted, jr_buf_view(&page));
	assert_in_range(quoted.size, 30000, JR_MAIL_HTML_MAX);
	assert_int_equal(count_of(page.data, "<table"), count_of(page.data, "</table>"));
	assert_non_null(strstr(page.data, "</body></html>"));
	assert_null(strstr(page.data, "<title></title>"));
	assert_null(strstr(page.data, "></h1>"));
	jr_buf_done(&summary);
	jr_buf_done(&page);
	jr_buf_done(&quoted);
	report_remove(&report);
	fake_done(&fake);
}

/* --- hot lines ------------------------------------------------------------------------------- */

/* Code that is too long is cut between characters, by columns, and is marked as cut. */
static void hold_long_code(struct jr_table *t)
{
	char code[1 + 2 * 300 + 1] = "x";
	for (size_t i = 1; i + 1 < sizeof(code); i += 2)
		memcpy(code + i, "\xc3\xa9", 3);
	t->cells[5].text[1] = code;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_hot_line_message(&text, t, 1);
	assert_true(jr_text_is_clean(text.data, text.size));
	const char *cut = strstr(text.data, "line: ") + 6;
	assert_int_equal(jr_text_width(cut, strlen(cut)), 200);
	assert_non_null(strstr(cut, "\xe2\x80\xa6"));
	t->cells[5].text[1] = NULL;
}

static UNIT(test_hot_lines)
{
	static const struct {
		const char *file, *path; /* NULL: no place */
		int64_t line;
		double self_ns;
	} rows[] = {{"/a/../b//./c.py", "a/b/c.py", 7, 600}, {"x.py", "x.py", 1, 200},
		{"<string>", NULL, 3, 100}, {"../..", NULL, 3, 50}, {"y.py", NULL, 0, 45},
		{"z.py", "z.py", 9, 5}};
	struct jr_arena arena;
	JR_CLEANUP(jr_buf_done) struct jr_buf path = {0};
	jr_arena_init(&arena, 0);
	struct jr_table *t = jr_table_new(&arena, &line_spec, 6);
	for (size_t i = 0; i < 6; i++) {
		t->cells[0].text[i] = rows[i].file;
		t->cells[1].i64[i] = rows[i].line;
		t->cells[2].f64[i] = rows[i].self_ns;
		t->cells[3].f64[i] = rows[i].self_ns;
		t->cells[4].f64[i] = rows[i].self_ns / 1000;
		int64_t line;
		bool has = jr_hot_line_place(t, i, &path, &line);
		assert_int_equal(has, rows[i].path != NULL);
		if (has)
			assert_string_equal(path.data, rows[i].path);
	}
	assert_int_equal(jr_hot_lines(t, 50), 5);
	assert_int_equal(jr_hot_lines(t, 2), 2);
	assert_int_equal(jr_hot_lines(NULL, 2), 0);
	path.size = 0;
	t->cells[5].text[0] = "f(x)";
	jr_hot_line_message(&path, t, 0);
	assert_string_equal(path.data, "60.0 % of GPU time (600 ns) comes from this line: f(x)");
	assert_string_equal(jr_table_text(t, "code", 0), "f(x)");
	/* waiting for another device does not belong to the line */
	t->cells[6].f64[0] = 200;
	t->cells[7].f64[0] = 100;
	path.size = 0;
	jr_hot_line_message(&path, t, 0);
	assert_string_equal(path.data, "40.0 % of GPU time (100 ns per step) comes from this line, "
		"excluding waiting for other devices: f(x)");
	t->cells[6].f64[0] = 595;
	assert_int_equal(jr_hot_lines(t, 50), 0);
	hold_long_code(t);
	assert_string_equal(jr_table_text(t, "code", 1), ""); /* null */
	assert_string_equal(jr_table_text(t, "line", 0), ""); /* no text */
	assert_string_equal(jr_table_text(t, "no such", 0), "");
	jr_arena_done(&arena);
}

/* --- encodings of mail ----------------------------------------------------------------------- */

static void hold_quoted(const char *text, const char *want)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_mime_quoted(&out, jr_bytes_of(text, strlen(text)));
	assert_string_equal(out.data, want);
}

static UNIT(test_quoted)
{
	hold_quoted("a=b \nc\xc3\xa9", "a=3Db=20\nc=C3=A9\n");
	hold_quoted(".\nFrom x\nnot From", "=2E\n=46rom x\nnot From\n");
	hold_quoted("\r\t", "=0D=09\n");
	char line[200];
	memset(line, 'F', 160);
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_mime_quoted(&out, jr_bytes_of(line, 160));
	assert_in_range(out.size, 160, 480);
	for (const char *s = out.data; *s; s += strcspn(s, "\n") + 1) {
		assert_true(strcspn(s, "\n") <= 76);
		assert_memory_equal(s, "=46", 3); /* no line begins with a bare F */
	}
}

/* Text that GitHub links after Markdown is processed, where no backslash helps; the rest is
 * unchanged. */
static UNIT(test_no_links)
{
	static const char *const pairs[][2] = {
		{"@octocat and a@b.c", "\\@<!-- -->octocat and a\\@<!-- -->b.c"},
		{"org/repo#12, #7", "org/repo\\#<!-- -->12, \\#<!-- -->7"},
		{"GH-5 gh-6 high-7 XGH-8", "GH<!-- -->-5 gh<!-- -->-6 high-7 XGH-8"},
		{"www.example.org awww.x", "www<!-- -->.example.org awww.x"},
		{"https://a", "https\\://a"}, {"# @ 5 # 6", "\\# \\@ 5 \\# 6"}, {"@", "\\@"}, {"G", "G"},
		{"<b>*x*", "&lt;b\\>\\*x\\*"},
	};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		jr_md_text(&out, pairs[i][0]);
		assert_string_equal(out.data, pairs[i][1]);
	}
}

static UNIT(test_base64)
{
	static const char *const pairs[][2] = {
		{"f", "Zg==\n"}, {"fo", "Zm8=\n"}, {"foo", "Zm9v\n"}, {"foobar", "Zm9vYmFy\n"}};
	for (size_t i = 0; i < 4; i++) { /* RFC 4648, section 10 */
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		jr_mime_base64(&out, jr_bytes_of(pairs[i][0], strlen(pairs[i][0])));
		assert_string_equal(out.data, pairs[i][1]);
	}
}

static UNIT(test_header)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_mime_header(&out, "Subject", "plain");
	assert_string_equal(out.data, "Subject: plain\n");
	out.size = 0;
	jr_mime_header(&out, "Subject", "a\nBcc: b@example.org");
	assert_string_equal(out.data, "Subject: =?UTF-8?B?YQpCY2M6IGJAZXhhbXBsZS5vcmc=?=\n");
	out.size = 0;
	jr_mime_header(&out, "Subject", "=?UTF-8?B?YQ==?=");
	assert_null(strstr(out.data, "YQ==?="));
}

/* RFC 2047, 2: a line with an encoded word has 76 characters at most, and a word 75. */
static UNIT(test_header_lines)
{
	static const char *const names[] = {"To", "Subject", "X-A-Name-That-Is-Rather-Long"};
	char text[301] = "";
	for (size_t n = 2; n + 3 < sizeof(text); n += 2)
		for (size_t k = 0; k < JR_COUNT_OF(names); k++) {
			memcpy(text + n - 2, "\xc3\xa9", 3);
			JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
			jr_mime_header(&out, names[k], text);
			for (const char *s = out.data; *s; s += strcspn(s, "\n") + 1) {
				assert_in_range(strcspn(s, "\n"), 1, 76);
				assert_true(s == out.data || *s == ' ');
				assert_true(strcspn(strstr(s, "=?"), "\n") <= 75);
			}
		}
}
