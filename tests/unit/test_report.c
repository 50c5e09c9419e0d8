/* The writers, over results with every kind of item and hostile text everywhere. */
#include "report_files.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "json_reader.h"
#include "report/html/html.h"
#include "report/data/json.h"

#define N_OPS 2600
#define N_STACKS 300

static struct fake fake;
static struct report report;

static int set_up(void **state)
{
	(void)state;
	fake_init(&fake, N_OPS, N_STACKS);
	report = report_make(&fake);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	report_remove(&report);
	fake_done(&fake);
	return 0;
}

/* --- prose ------------------------------------------------------------------------------------ */

/* Options become code wherever a new word starts with one, without the punctuation after them. */
static UNIT(test_options_in_prose)
{
	static const char *const pairs[][2] = {
		{"--warmup sets it", "<p><code>--warmup</code> sets it</p>"},
		{"set XLA_FLAGS=--a or (--b-c): --d=1, --e.",
			"<p>set XLA_FLAGS=--a or (<code>--b-c</code>): <code>--d=1</code>, "
			"<code>--e</code>.</p>"},
		{"a -- b --- c --1 --A d--e", "<p>a -- b --- c --1 --A d--e</p>"},
		{"two\n--x y", "<p>two\n<code>--x</code> y</p>"}, {"", "<p/>"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(pairs); i++) {
		xmlDocPtr doc = xmlNewDoc((const xmlChar *)"1.0");
		xmlNodePtr p = xmlNewDocNode(doc, NULL, (const xmlChar *)"p", NULL);
		xmlBufferPtr text = xmlBufferCreate();
		xmlDocSetRootElement(doc, p);
		jr_html_prose(p, pairs[i][0]);
		assert_true(xmlNodeDump(text, doc, p, 0, 0) > 0);
		assert_string_equal((const char *)xmlBufferContent(text), pairs[i][1]);
		xmlBufferFree(text);
		xmlFreeDoc(doc);
	}
}

/* --- index.html ------------------------------------------------------------------------------ */

/* Parse text that must be well-formed XML without entities, namespaces and network access. */
static xmlDocPtr parse_xml(const struct jr_buf *text)
{
	return xmlReadMemory(text->data, (int)text->size, NULL, "UTF-8",
		XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE);
}

/* Return the page without the raw contents of its script and style elements. */
static struct jr_buf without_raw(const char *html)
{
	struct jr_buf out = {0};
	const char *from = html;
	for (;;) {
		const char *script = strstr(from, "<script"), *style = strstr(from, "<style");
		const char *begin = !script || (style && style < script) ? style : script;
		if (!begin)
			break;
		begin = strchr(begin, '>') + 1;
		jr_buf_add(&out, from, (size_t)(begin - from));
		from = strstr(begin, "</s");
		assert_non_null(from);
	}
	jr_buf_puts(&out, from);
	return out;
}

static int count_nodes(xmlXPathContextPtr context, const char *path)
{
	xmlXPathObjectPtr found = xmlXPathEvalExpression((const xmlChar *)path, context);
	assert_non_null(found);
	int n = found->type == XPATH_NODESET && found->nodesetval ? found->nodesetval->nodeNr : 0;
	xmlXPathFreeObject(found);
	return n;
}

struct expectation {
	const char *path;
	int n; /* -1 = at least one */
};

static void check_nodes(xmlXPathContextPtr context, const struct expectation *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int found = count_nodes(context, want[i].path);
		if (want[i].n < 0 ? found < 1 : found != want[i].n)
			fail_msg("%s: %d found, %d expected", want[i].path, found, want[i].n);
	}
}

static UNIT(test_html_structure)
{
	static const struct expectation want[] = {
		{"/html[@lang]/head/title", 1},
		{"/html/head/meta[@http-equiv='Content-Security-Policy']", 1},
		{"/html/body//main", 1},
		{"//nav//li/a[@href='#overview']", 1},
		{"//nav//li/a", 8}, /* overview, 4 passes, provenance, notes, glossary */
		{"//nav//li/span[@class='group']", -1},
		{"//main/section[@id and @aria-labelledby]", 8},
		{"//section[@id='memory']", 0},
		{"//a[@class='anchor' and starts-with(@href,'#') and @aria-label]", -1},
		{"//a[@class='anchor' and not(@aria-label)]", 0},
		{"//h1", 1},
		{"//h4", 0},
		{"//ul[starts-with(@class,'tiles')]/li/a", 6},
		{"//ol[@class='findings']/li/details", 2},
		{"//ol[@class='findings']/li/details[summary/svg/rect]",
			1}, /* the other one is not per step */
		{"//ol[@class='findings']/li[1]/details[@open]", 1},
		{"//ol[@class='findings plain']/li/details[not(summary/svg)]", 1},
		{"//ol[@class='findings']//a[@href='#thunks']", 1},
		{"//ol//a[@href='#no-such-section']", 0},
		{"//details[@class='listing']", 2},
		{"//details[@class='listing']//tr[@id='src-1-84' and @class='h6']/td[2][.='61.500']", 1},
		{"//tr[@id='src-1-84']/th/a[@href='#fig-source_code!s=attention%5C%2Epy%3A84%5B%3A%5B%5D']",
			1},
		{"//tr[@id='src-2-87' and @class='h1']/td[2][.='<0.001']", 1},
		{"//tr[@id='src-1-85' and not(@class)]/td[@colspan='2']", 1},
		{"//tr[@class='gap']/td[@colspan='4']", 4},
		{"//figcaption/p[contains(.,'the parts add up to its wall time')]", 1},
		{"//div[@class='terms']/details[summary and dl]", 4}, /* one per section */
		{"//table/caption", -1},
		{"//th[not(@scope)]", 0},
		{"//table[not(caption)]", 0},
		{"//div[@id='t-thunks']//tbody[not(@class)]/tr", 10},
		{"//div[@id='t-thunks']//tbody[@class='rest']/tr", 90},
		{"//div[@id='t-thunks']//tbody[@class='always']/tr", 1},
		{"//section[@id='stragglers']", 0}, /* a table without rows, and nothing else */
		{"//figure//svg[starts-with(@id,'fig-')][@class!='jr-figure narrow']", 9},
		{"//figure//svg[@class='jr-figure narrow'][following-sibling::svg]", 6},
		{"//svg[@class='jr-figure narrow']//title", 0},
		{"//figure/div[@class='bar-rows'][starts-with(@id,'fig-')]/svg/rect/title", -1},
		{"//figure/script[@type='application/json']", 3},
		{"//script", 4},
		{"//style", 1},
		{"//*[@style]", 0},
		{"//@*[starts-with(name(),'on')]", 0},
		{"//*[@src]", 0},
		{"//iframe|//object|//embed|//img|//base|//form", 0},
		{"//@href[not(starts-with(.,'#') or starts-with(.,'data/') or starts-with(.,'data:') or "
		 "starts-with(.,'figures/'))]",
			0},
		{"//*[@id=following::*/@id]", 0},
	};
	struct jr_buf html = report_read(&report, "index.html");
	struct jr_buf plain = without_raw(html.data);
	xmlDocPtr doc = parse_xml(&plain);
	assert_non_null(doc);
	xmlXPathContextPtr context = xmlXPathNewContext(doc);
	check_nodes(context, want, JR_COUNT_OF(want));
	xmlXPathFreeContext(context);
	xmlFreeDoc(doc);
	jr_buf_done(&plain);
	jr_buf_done(&html);
}

static void check_prose(const char *text, size_t width, const char *want)
{
	struct jr_buf out = {0};
	xmlNodePtr p = jr_html_element(NULL, "p", NULL);
	if (width)
		jr_html_cut_prose(p, text, width);
	else
		jr_html_prose(p, text);
	jr_html_serialize(&out, p, NULL, NULL);
	assert_string_equal(out.data, want);
	jr_buf_done(&out);
	xmlFreeNode(p);
}

/* A sentence keeps number and unit together, and isolates right-to-left text of the input. */
static UNIT(test_html_prose)
{
	check_prose("It takes 1.2 ms (99 %): <b>", 0,
		"<p>It takes 1.2\u00a0ms (99\u00a0%): &lt;b&gt;</p>");
	check_prose("set --xla_flag=1, 3 times", 0, "<p>set <code>--xla_flag=1</code>, 3 times</p>");
	check_prose("“xאב-גדy” 12 ms, “א”.", 0,
		"<p>“x<bdi>אב-גד</bdi>y” 12\u00a0ms, “<bdi>א</bdi>”.</p>");
	check_prose("one two three four", 9, "<p>on…e four</p>");
	check_prose(NULL, 9, "<p></p>");
}

static UNIT(test_html_is_alone)
{
	struct jr_buf html = report_read(&report, "index.html");
	const char *style = strstr(html.data, "<style>");
	assert_non_null(style);
	JR_CLEANUP(jr_buf_done) struct jr_buf css = {0};
	jr_buf_add(&css, style, (size_t)(strstr(style, "</style>") - style));
	assert_null(strstr(css.data, "@import"));
	assert_null(strstr(css.data, "url("));
	assert_null(strstr(css.data, "http"));
	assert_null(strstr(html.data, "src=\"http"));
	assert_null(strstr(html.data, "href=\"http"));
	assert_null(strstr(html.data, "href=\"//"));
	assert_null(strstr(html.data, "href=\"javascript"));
	assert_null(strstr(html.data, "<script>alert"));
	/* 1 for the page, one for each flamegraph */
	assert_int_equal(count_of(html.data, "</script"), 4);
	assert_true(html.size < 1500000);
	jr_buf_done(&html);
}

/* The policy has the hash of what is really between the tags. */
static void check_source(const char *html, const char *policy, const char *directive,
	const char *open, const char *close)
{
	const char *from = strstr(html, open) + strlen(open);
	const char *to = strstr(from, close);
	JR_CLEANUP(jr_buf_done) struct jr_buf source = {0};
	jr_buf_printf(&source, "; %s ", directive);
	jr_html_csp_source(&source, jr_bytes_of(from, (size_t)(to - from)));
	jr_buf_putc(&source, ';');
	const char *found = strstr(policy, source.data);
	assert_non_null(found);
	assert_true(found < strstr(policy, "\"/>"));
}

static UNIT(test_html_policy)
{
	struct jr_buf html = report_read(&report, "index.html");
	const char *policy = strstr(html.data, "content=\"default-src 'none'; ");
	assert_non_null(policy);
	assert_null(memmem(policy, 600, "unsafe", 6));
	assert_true(policy < strstr(html.data, "<style>"));
	check_source(html.data, policy, "style-src", "<style>", "</style>");
	check_source(html.data, policy, "script-src", "<script>", "</script>");
	assert_non_null(strstr(policy, "; img-src data:; base-uri 'none'; form-action 'none'\"/>"));
	jr_buf_done(&html);
}

static UNIT(test_html_without_csv_names_no_file)
{
	char folder[] = "/tmp/jr-report-XXXXXX";
	struct jr_error err;
	struct jr_outdir out;
	JR_CLEANUP(jr_buf_done) struct jr_buf target = {0};
	const struct jr_report_format *html = jr_report_format_find("html", 4);
	assert_non_null(mkdtemp(folder));
	jr_buf_printf(&target, "%s/report", folder);
	assert_int_equal(jr_outdir_begin(&out, target.data, true, &err), JR_OK);
	assert_int_equal(
		jr_report_write(&fake.profile, &fake.results, &html, 1, &out, &err), JR_OK);
	assert_int_equal(jr_outdir_commit(&out, &err), JR_OK);
	jr_buf_puts(&target, "/index.html");
	struct jr_file_map map;
	assert_int_equal(jr_file_map(target.data, &map, &err), JR_OK);
	assert_null(memmem(map.bytes.data, map.bytes.size, "data/", 5));
	jr_file_unmap(&map);
	jr_remove_tree(folder);
}

/* --- the same numbers everywhere -------------------------------------------------------------- */

/* A setting that differs between processes is not reported as a setting of the whole job. */
static UNIT(test_setting_of_some)
{
	static const char *const files[] = {"report.md", "index.html"};
	for (size_t i = 0; i < JR_COUNT_OF(files); i++) {
		struct jr_buf text = report_read(&report, files[i]);
		assert_non_null(strstr(text.data, "in 2 of 3 processes"));
		jr_buf_done(&text);
	}
}

static UNIT(test_json)
{
	struct jr_buf json = report_read(&report, "report.json");
	assert_true(json_valid(json.data));
	assert_true(json_is(json.data, "schema", "\"" JR_REPORT_SCHEMA "\""));
	assert_true(json_is(json.data, "totals.step_ms", "127.2120034"));
	assert_true(json_is(json.data, "totals.exact_ms", "381.63601"));
	assert_true(json_is(json.data, "totals.unknown_ms", "null"));
	assert_true(json_is(json.data, "totals.peak_bytes", "38214567890"));
	assert_true(json_is(json.data, "inputs[0].layout.trace", "\"A\""));
	assert_true(json_is(json.data, "inputs[0].profiles[0]", "\"out\""));
	assert_true(json_is(json.data, "devices[3].slice", "null"));
	assert_true(json_is(json.data, "devices[3].memory_bandwidth_bytes_s", "3352320000000"));
	assert_true(json_is(json.data, "provenance.flags.NCCL_DEBUG", "\"WARN\""));
	assert_true(json_is(json.data, "provenance.differences[0].name", "\"NCCL_DEBUG\""));
	assert_true(json_is(json.data, "provenance.differences[0].profile", "\"out\""));
	assert_true(json_is(json.data, "provenance.differences[0].value", "\"INFO\""));
	assert_null(json_at(json.data, "provenance.differences[1]"));
	assert_true(json_is(json.data, "stragglers", "[]"));
	assert_true(json_is(json.data, "modules", "[]"));
	assert_true(json_is(json.data, "findings[0].recoverable_ms", "37.113"));
	assert_true(json_is(json.data, "findings[2].recoverable_ms", "null"));
	assert_true(json_is(json.data, "guesses[0].count", "3"));
	assert_true(json_is(json.data, "unavailable[1].section", "\"memory\""));
	assert_true(json_is(json.data, "flamegraphs.op_name.file", "\"data/op_name.folded\""));
	assert_true(json_is(json.data, "thunks[0].nested[0].bytes", "1024"));
	assert_true(json_is(json.data, "thunks[0].source.line", "100"));
	assert_true(json_is(json.data, "thunks[0].std_ms", "0.011672013265822784"));
	assert_null(json_at(json.data, "thunks[2600]"));
	assert_non_null(json_at(json.data, "thunks[2599]"));
	assert_null(json_at(json.data, "thunks[0].source.file.x"));
	assert_null(strstr(json.data, ": nan"));
	assert_null(strchr(json.data, '<'));
	jr_buf_done(&json);
}

/* JSON text contains nothing that JSON, or a surrounding script element, would interpret. */
static UNIT(test_json_text)
{
	static const char *const texts[][2] = {{"", "\"\""}, {"a\"b\\c", "\"a\\\"b\\\\c\""},
		{"\na\tb\r\x01\x1f\x7f", "\"\\na\\tb\\u000d\\u0001\\u001f\\u007f\""},
		{"</script>", "\"\\u003c/script>\""}, {"ä — 語", "\"ä — 語\""}};
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf got = {0};
		jr_json_text(&got, texts[i][0]);
		assert_string_equal(got.data, texts[i][1]);
		assert_true(json_valid(got.data));
	}
}

/* Turn no-break spaces into ordinary ones. */
static void flatten(struct jr_buf *text)
{
	static const char space[] = "\u00a0";
	size_t n = 0, step = sizeof(space) - 1;
	for (size_t i = 0; i < text->size;) {
		bool bound = text->size - i >= step && memcmp(text->data + i, space, step) == 0;
		text->data[n++] = bound ? ' ' : text->data[i];
		i += bound ? step : 1;
	}
	text->data[text->size = n] = '\0';
}

static UNIT(test_one_value_everywhere)
{
	static const char *const files[] = {"index.html", "report.md", "summary.txt"};
	for (size_t i = 0; i < JR_COUNT_OF(files); i++) {
		struct jr_buf text = report_read(&report, files[i]);
		flatten(&text);
		assert_non_null(strstr(text.data, "127.2 ± 3.1 ms"));
		assert_non_null(strstr(text.data, "97.31 %"));
		assert_non_null(strstr(text.data, "38.21 GB"));
		assert_non_null(strstr(text.data, "69.39 s"));
		assert_non_null(strstr(text.data, "29.74")); /* thunks[0].active_ms = 29.744808 */
		assert_non_null(strstr(text.data, "GPU idle during modules"));
		assert_null(strstr(text.data, "/tmp/"));
		jr_buf_done(&text);
	}
}

static UNIT(test_unit_of_a_column_holds_for_all_rows)
{
	struct jr_buf md = report_read(&report, "report.md");
	assert_non_null(strstr(md.data, "| Active (ms) | Mean (ms) | Std (µs) |"));
	assert_non_null(strstr(md.data, " | – | – |")); /* no message, no bandwidth */
	assert_null(strstr(md.data, "| Slice |")); /* nothing known: no column */
	jr_buf_done(&md);
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* Read one field of RFC 4180 at p into `out`; return the position after it. */
static const char *csv_field(const char *p, struct jr_buf *out)
{
	out->size = 0;
	jr_buf_add(out, "", 1);
	out->size = 0;
	if (*p != '"') {
		size_t n = strcspn(p, ",\r");
		jr_buf_add(out, p, n);
		return p + n;
	}
	for (p++;; p++) {
		if (*p == '"' && *++p != '"')
			return p;
		assert_true(*p != '\0');
		jr_buf_putc(out, *p);
	}
}

static UNIT(test_csv)
{
	const struct jr_table *table = jr_results_table(&fake.results, "thunks");
	struct jr_buf csv = report_read(&report, "data/thunks.csv"), field = {0};
	const char *p = csv.data;
	size_t row = 0, column = 0;
	assert_int_equal(strncmp(p, "program_id,name,opcode,op_name,communication,count,", 51), 0);
	for (p = strchr(p, '\n') + 1; *p;) {
		p = csv_field(p, &field);
		const char *got = field.data;
		const char *name = table->cells[OP_NAME].text[row];
		const char *op_name = table->cells[OP_OP_NAME].text[row];
		if (column == OP_NAME)
			assert_string_equal(got, name);
		if (column == OP_OP_NAME)
			assert_string_equal(got, op_name ? op_name : "");
		if (column == OP_MEAN)
			assert_true(strtod(got, NULL) == table->cells[OP_MEAN].f64[row] / 1e6);
		if (column == OP_ACTIVE)
			assert_int_equal((int64_t)round(strtod(got, NULL) * 1e6),
				table->cells[OP_ACTIVE].i64[row]);
		column++;
		if (*p == ',') {
			p++;
			continue;
		}
		assert_int_equal(strncmp(p, "\r\n", 2), 0);
		assert_int_equal(column, 14); /* left out: source as shown, nested rows */
		p += 2, column = 0, row++;
	}
	assert_int_equal(row, N_OPS); /* without the row that is only for people */
	jr_buf_done(&field);
	jr_buf_done(&csv);
}

/* A field that a spreadsheet would compute gets an apostrophe in front, unless it has to stay
 * unchanged. */
static UNIT(test_csv_formulas)
{
	static const struct {
		const char *name, *cell, *raw;
	} texts[] = {
		{"=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\",", "\"=HYPERLINK(\"\"x\"\",1)\","},
		{"+A1", "'+A1,", "+A1,"},
		{"-1.5", "-1.5,", "-1.5,"},
		{"-1+1", "'-1+1,", "-1+1,"},
		{"@SUM(A1)", "'@SUM(A1),", "@SUM(A1),"},
		{"a=1", "a=1,", "a=1,"},
		{"\n=1", "\"'\n=1\",", "\"\n=1\","}, /* clean text contains no other control character */
	};
	for (int raw = 0; raw < 2; raw++) {
		struct fake f;
		fake_init(&f, N_OPS, N_STACKS);
		f.profile.options.csv_raw = raw;
		const struct jr_table *table = jr_results_table(&f.results, "thunks");
		for (size_t i = 0; i < JR_COUNT_OF(texts); i++) {
			table->cells[OP_NAME].text[i] = texts[i].name;
			table->cells[OP_OP_NAME].text[i] = table->cells[OP_FILE].text[i] = NULL;
		}
		struct report r = report_make(&f);
		struct jr_buf csv = report_read(&r, "data/thunks.csv");
		const char *p = csv.data;
		for (size_t i = 0; i < JR_COUNT_OF(texts); i++) {
			const char *cell = raw ? texts[i].raw : texts[i].cell;
			p = strchr(strchr(p, '\n'), ',') + 1; /* after the number of the program */
			assert_int_equal(strncmp(p, cell, strlen(cell)), 0);
		}
		jr_buf_done(&csv);
		report_remove(&r);
		fake_done(&f);
	}
}

static UNIT(test_folded_adds_up)
{
	const struct jr_tree *tree = jr_results_tree(&fake.results, "source_code");
	struct jr_buf folded = report_read(&report, "data/source_code.folded");
	double sum = 0;
	size_t n = 0;
	for (char *line = folded.data; *line; n++) {
		char *end = strchr(line, '\n');
		*end = '\0';
		char *value = strrchr(line, ' ');
		assert_non_null(value);
		sum += strtod(value + 1, NULL);
		assert_int_equal(strspn(value + 1, "0123456789"), strlen(value + 1));
		assert_null(strstr(line, ";;"));
		line = end + 1;
	}
	assert_int_equal(n, tree->n_stacks);
	assert_true(fabs(sum - tree->total) <= 0.5);
	jr_buf_done(&folded);
}

static UNIT(test_folded_in_any_order)
{
	/* here children do not follow their parents */
	uint32_t parent[] = {JR_NONE, JR_NONE, 0, 1, 2, 3};
	const char *text[] = {"a", "b", "c;c", "d", "e", "f"};
	uint8_t kind[6] = {0};
	/* the largest remainders get what makes the sum 6,000,000 */
	double self[] = {0, 1e6 + 0.4, 0, 0, 2e6 + 0.4, 3e6 - 0.8},
		   total[] = {2e6 + 0.4, 4e6 - 0.4, 2e6 + 0.4, 3e6 - 0.8, 2e6 + 0.4, 3e6 - 0.8};
	struct jr_tree tree = {.name = "any", .title = "Any", .n = 6, .parent = parent, .text = text,
		.kind = kind, .self_ns = self, .total_ns = total, .total = 6e6, .n_stacks = 3};
	struct fake f;
	fake_init(&f, 0, 0);
	jr_section_tree(&f.results.sections[3], &f.arena, &tree);
	struct report r = report_make(&f);
	struct jr_buf folded = report_read(&r, "data/any.folded");
	assert_string_equal(folded.data, "b 1000001\na;c,c;e 2000000\nb;d;f 2999999\n");
	jr_buf_done(&folded);
	report_remove(&r);
	fake_done(&f);
}

/* --- charts, Markdown, text ------------------------------------------------------------------- */

static UNIT(test_svg)
{
	static const char *const names[] = {"ledger", "step-times", "step-histogram", "step-box",
		"bandwidth", "heaviest", "steps-line", "source_code", "op_name", "compilation"};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		char path[80];
		snprintf(path, sizeof(path), "figures/%s.svg", names[i]);
		struct jr_buf svg = report_read(&report, path);
		xmlDocPtr doc = parse_xml(&svg);
		assert_non_null(doc);
		assert_string_equal((const char *)xmlDocGetRootElement(doc)->name, "svg");
		assert_non_null(xmlDocGetRootElement(doc)->children);
		xmlFreeDoc(doc);
		jr_buf_done(&svg);
	}
}

/* Return Markdown without the contents of code spans and indented code. */
static struct jr_buf without_code(const char *md)
{
	struct jr_buf out = {0};
	for (const char *p = md; *p;) {
		if ((p == md || p[-1] == '\n') && strncmp(p, "    ", 4) == 0) {
			p += strcspn(p, "\n");
			continue;
		}
		if (strncmp(p, "<!-- -->", 8) == 0) { /* splits what GitHub would turn into a link */
			p += 8;
			continue;
		}
		size_t fence = *p == '`' && p > md && p[-1] != '\\' ? strspn(p, "`") : 0;
		if (!fence) {
			jr_buf_putc(&out, *p++);
			continue;
		}
		for (p += fence; strspn(p, "`") != fence; p += strspn(p, "`") ? strspn(p, "`") : 1)
			assert_true(*p != '\0' && *p != '\n');
		p += fence;
	}
	return out;
}

static UNIT(test_markdown)
{
	struct jr_buf md = report_read(&report, "report.md");
	assert_true(md.size <= 60000);
	struct jr_buf plain = without_code(md.data);
	/* only the empty comment that prevents GitHub's links, and no other element */
	for (const char *s = plain.data; (s = strchr(s, '<')); s++)
		assert_int_equal(strncmp(s, "<!-- -->", 8), 0);
	assert_null(strstr(plain.data, "alert(1)&lt;/script>"));
	assert_non_null(strstr(plain.data, "&lt;script\\>alert"));
	jr_buf_done(&plain);
	/* each row of a table has as many bars as its header */
	size_t bars = 0;
	for (char *line = md.data; *line; line = strchr(line, '\n') + 1) {
		size_t n = 0;
		for (char *c = line; *c != '\n'; c++)
			n += *c == '|' && (c == line || c[-1] != '\\');
		if (line[0] != '|')
			bars = 0;
		else if (!bars)
			bars = n;
		else
			assert_int_equal(n, bars);
	}
	jr_buf_done(&md);
}

static UNIT(test_summary_is_80_columns_wide)
{
	struct jr_buf text = report_read(&report, "summary.txt");
	size_t columns = 0;
	assert_in_range(text.size, 1000, 100000);
	for (char *c = text.data; *c; c++) {
		columns += ((unsigned char)*c & 0xC0) != 0x80;
		if (*c == '\n') {
			assert_true(columns <= 81);
			columns = 0;
		}
		assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
	}
	jr_buf_done(&text);
}

/* --- all together ----------------------------------------------------------------------------- */

static UNIT(test_nothing_at_all)
{
	struct fake f = {0};
	struct jr_options options = jr_options_default();
	jr_arena_init(&f.arena, 0);
	jr_profile_init(&f.profile, &options);
	struct report r = report_make(&f);
	struct jr_buf json = report_read(&r, "report.json");
	assert_true(json_valid(json.data));
	assert_true(json_is(json.data, "devices", "[]"));
	assert_true(json_is(json.data, "flamegraphs", "{}"));
	jr_buf_done(&json);
	report_remove(&r);
	fake_done(&f);
}

static UNIT(test_threads_change_nothing)
{
	static const char *const files[] = {"index.html", "report.md", "summary.txt", "report.json",
		"data/thunks.csv", "data/op_name.folded", "figures/op_name.svg", "figures/bandwidth.svg",
		"profile.sqlite"};
	struct fake f;
	fake_init(&f, N_OPS, N_STACKS);
	f.profile.options.n_threads = 4;
	struct report r = report_make(&f);
	for (size_t i = 0; i < JR_COUNT_OF(files); i++) {
		struct jr_buf a = report_read(&report, files[i]), b = report_read(&r, files[i]);
		assert_int_equal(a.size, b.size);
		assert_memory_equal(a.data, b.data, a.size);
		jr_buf_done(&a);
		jr_buf_done(&b);
	}
	report_remove(&r);
	fake_done(&f);
}

/* Each format reports that its file cannot be written. */
static UNIT(test_failing_disk)
{
	char folder[] = "/tmp/jr-report-XXXXXX";
	JR_CLEANUP(jr_buf_done) struct jr_buf target = {0};
	assert_non_null(mkdtemp(folder));
	jr_buf_printf(&target, "%s/report", folder);
	struct fake f;
	fake_init(&f, 10, 5);
	fake_gates(&f); /* no gates: no such file to fail */
	for (const struct jr_report_format *row = jr_report_formats; row->name; row++) {
		struct jr_error err = {0};
		struct jr_outdir out;
		assert_int_equal(jr_outdir_begin(&out, target.data, true, &err), JR_OK);
		jr_remove_tree(out.staging);
		assert_int_equal(
			jr_report_write(&f.profile, &f.results, &row, 1, &out, &err), JR_EIO);
		assert_true(err.message[0] != '\0');
		jr_outdir_abandon(&out);
	}
	fake_done(&f);
	jr_remove_tree(folder);
}

static UNIT(test_formats)
{
	for (const struct jr_report_format *row = jr_report_formats; row->name; row++) {
		assert_non_null(row->summary);
		assert_non_null(row->write);
		assert_ptr_equal(jr_report_format_find(row->name, strlen(row->name)), row);
		assert_null(jr_report_format_find(row->name, strlen(row->name) - 1));
	}
	assert_null(jr_report_format_find("docx", 4));
}

UNIT_GROUP(set_up, tear_down)
