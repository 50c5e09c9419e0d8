/* CSV rows: quoting, line ends, text that nsys prints around them, and text that breaks the
 * rules. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/num.h"
#include "corpus.h"
#include "formats/archive/archive.h"
#include "formats/text/csv.h"
#include "formats/archive/xz.h"

/*
 * Dump everything into one text: fields in [], one row per line, a failure's message last. The
 * input is copied to its exact size, so that ASan detects a read past its end.
 */
static char *dump_with(
	const char *text, size_t n, const char *must_have, const struct jr_limits *limits)
{
	struct jr_buf out = {0};
	struct jr_error err = {0};
	struct jr_csv csv;
	char *copy = malloc(n ? n : 1);
	assert_non_null(copy);
	memcpy(copy, text, n);
	jr_buf_puts(&out, "");
	enum jr_status status = jr_csv_open(&csv, jr_bytes_of(copy, n), must_have, limits, &err);
	for (size_t i = 0; status == JR_OK && i < csv.n_columns; i++)
		jr_buf_printf(&out, "[%s]", csv.names[i]);
	bool more = status == JR_OK;
	while (more) {
		uint64_t row = csv.row;
		status = jr_csv_next(&csv, &more, &err);
		assert_true(status == JR_OK || !more);
		if (!more)
			break;
		assert_int_equal(csv.row, row + 1);
		jr_buf_printf(&out, "\n%d:", (int)csv.line);
		for (size_t i = 0; i < csv.n_columns; i++)
			jr_buf_printf(&out, "[%.*s]", (int)csv.fields[i].n, csv.fields[i].s);
	}
	if (status != JR_OK)
		jr_buf_printf(&out, "\n!%d %s", status, err.message);
	jr_csv_done(&csv);
	jr_csv_done(&csv);
	free(copy);
	return out.data;
}

static void expect_n(const char *text, size_t n, const char *expected)
{
	struct jr_limits limits = jr_limits_default();
	char *got = dump_with(text, n, "a", &limits);
	assert_string_equal(got, expected);
	free(got);
}

static void expect(const char *text, const char *expected)
{
	expect_n(text, strlen(text), expected);
}

static UNIT(plain_rows)
{
	expect("a,b\n1,2\n3,4\n", "[a][b]\n2:[1][2]\n3:[3][4]");
	expect("a,b\n1,2", "[a][b]\n2:[1][2]"); /* no last line break */
	expect("a,b\r\n1,2\r\n3,4\r\n", "[a][b]\n2:[1][2]\n3:[3][4]");
	expect("a,b\r\n1,2\r", "[a][b]\n2:[1][2]");
	expect("a,b\n,\n", "[a][b]\n2:[][]");
	expect("a,b\n1,", "[a][b]\n2:[1][]");
	expect("a,b\r\n1,\r\n", "[a][b]\n2:[1][]");
	expect("a\n1\n", "[a]\n2:[1]");
	expect("b,a", "[b][a]");
	expect("a,b\nx\ry,2\n", "[a][b]\n2:[x\ry][2]"); /* a lone CR is text */
	expect("a,b\n0123456,01234567\n012345678,\n", "[a][b]\n2:[0123456][01234567]\n3:[012345678][]");
	expect("a,b\n 1 , 2 \n", "[a][b]\n2:[ 1 ][ 2 ]"); /* spaces belong to the field */
	expect("a,b\n\xC3\xA9,\xFF\x80\n", "[a][b]\n2:[\xC3\xA9][\xFF\x80]");
}

static UNIT(blank_lines)
{
	expect("\n\na\n\n1\n\r\n\n2\n\n\n", "[a]\n5:[1]\n8:[2]");
	expect("a\n\n", "[a]");
	expect("a\n\r", "[a]");
	expect("a\n\"\"\n", "[a]\n2:[]"); /* not blank */
}

static UNIT(quoted_fields)
{
	expect("a,b\n\"1,2\",3\n", "[a][b]\n2:[1,2][3]");
	expect("\"a\",\"b\"\n\"\",\"x\"\n", "[a][b]\n2:[][x]");
	expect("a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n", "[a][b]\n2:[say \"hi\"][\"]");
	expect("a,b\n\"\"\"\",\"\"\"\"\"\"\n", "[a][b]\n2:[\"][\"\"]");
	expect("a,b\r\n\"1\",\"2\"\r\n\"3\",\"4\"", "[a][b]\n2:[1][2]\n3:[3][4]");
	expect("a,b\n\"1\",\"2\"\r", "[a][b]\n2:[1][2]");
	/* breaks within quotes count as lines, and are kept */
	expect("a,b\n\"x\ny\r\nz\",2\n3,4\n", "[a][b]\n2:[x\ny\r\nz][2]\n5:[3][4]");
	expect("a,b\n\"x\"\"\ny\",2\n3,4\n", "[a][b]\n2:[x\"\ny][2]\n4:[3][4]");
	/* scratch is emptied between rows */
	expect("a\n\"\"\"1\"\n\"\"\"2\"\n3\n", "[a]\n2:[\"1]\n3:[\"2]\n4:[3]");
	/* a quoted header name with a comma and quotes */
	expect("\"x,\"\"y\"\"\",a\n1,2\n", "[x,\"y\"][a]\n2:[1][2]");
}

static UNIT(scratch_outgrows_its_first_size)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_buf text = {0}, expected = {0};
	jr_buf_puts(&text, "a,b,c\n");
	jr_buf_puts(&expected, "[a][b][c]\n2:");
	for (int i = 0; i < 3; i++) {
		jr_buf_puts(&text, i ? ",\"\"\"" : "\"\"\"");
		jr_buf_repeat(&text, (char)('x' + i), 5000);
		jr_buf_puts(&text, "\"");
		jr_buf_puts(&expected, "[\"");
		jr_buf_repeat(&expected, (char)('x' + i), 5000);
		jr_buf_puts(&expected, "]");
	}
	char *got = dump_with(text.data, text.size, "a", &limits);
	assert_string_equal(got, expected.data);
	free(got);
	jr_buf_done(&text);
	jr_buf_done(&expected);
}

static UNIT(header_search)
{
	expect("\xEF\xBB\xBF"
		   "a,b\n1,2\n",
		"[a][b]\n2:[1][2]");
	expect("\xEF\xBB\xBF\"a\",b\n1,2\n", "[a][b]\n2:[1][2]");
	expect("Generating SQLite file x.sqlite from x.nsys-rep\n"
		   "Processing [x.sqlite] with [nvtx_pushpop_trace.py]... \n\n"
		   "it's \"done\", a\nan \"open quote\n\"and another\n"
		   "a,b\n1,2\n",
		"[a][b]\n8:[1][2]");
	expect("xa,b\naa,a b\n", "\n!2 no CSV header with a column 'a' in the first 2 lines");
	expect("", "\n!2 no CSV header with a column 'a' in the first line");
	expect("\xFF\xFE"
		   "a\0",
		"\n!2 CSV text is UTF-16: save it as UTF-8");
	expect("\xFE\xFF", "\n!2 CSV text is UTF-16: save it as UTF-8");
	expect("\xEF\xBB\xBF", "\n!2 no CSV header with a column 'a' in the first line");

	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	for (int i = 0; i < 999; i++)
		jr_buf_puts(&text, "chatter, more chatter\n");
	jr_buf_puts(&text, "a\n1\n");
	expect(text.data, "[a]\n1001:[1]");
	text.size = 0;
	for (int i = 0; i < 1000; i++)
		jr_buf_puts(&text, "\r\n");
	jr_buf_puts(&text, "a\n1\n");
	expect(text.data, "\n!2 no CSV header with a column 'a' in the first 1000 lines");
}

static UNIT(columns_are_found_by_name)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_csv csv;
	struct jr_error err;
	static const char text[] = "Start (ns),Name,Name\n";
	assert_int_equal(
		jr_csv_open(&csv, jr_bytes_of(text, sizeof(text) - 1), "Name", &limits, &err), JR_OK);
	assert_int_equal(jr_csv_find(&csv, "Start (ns)"), 0);
	assert_int_equal(jr_csv_find(&csv, "Name"), 1); /* the first of two */
	assert_int_equal(jr_csv_find(&csv, "Start"), SIZE_MAX);
	assert_int_equal(jr_csv_find(&csv, ""), SIZE_MAX);
	jr_csv_done(&csv);
}

static UNIT(broken_rows)
{
	expect("a,b\n1\n", "[a][b]\n!2 line 2: 1 fields, the header has 2");
	expect("a,b\n1,2\n1,2,3\n", "[a][b]\n2:[1][2]\n!2 line 3: 3 fields, the header has 2");
	expect("a,b\n1,2,", "[a][b]\n!2 line 2: 3 fields, the header has 2");
	expect("a,b\n1,2\"3\n", "[a][b]\n!2 line 2: a quote in the middle of a field");
	expect("a,b\n1,\"2\"3\n", "[a][b]\n!2 line 2: text after a closing quote");
	expect("a,b\n1,\"2\" \n", "[a][b]\n!2 line 2: text after a closing quote");
	expect("a,b\n1,\"2\"\rx\n", "[a][b]\n!2 line 2: text after a closing quote");
	expect("a,b\n1,\"2\n3\n", "[a][b]\n!2 line 2: an open quote");
	expect("a,b\n\"1\n1\",\"", "[a][b]\n!2 line 3: an open quote");
	expect("a,b\n1,\"2\"\"", "[a][b]\n!2 line 2: an open quote");
	expect_n("a,b\n1,\0\n", 8, "[a][b]\n2:[1][]"); /* a NUL is text (and %s ends there) */
}

static UNIT(limits)
{
	struct jr_limits lim = jr_limits_default();
	lim.rows = 2;
	char *got = dump_with("a\n1\n2\n", 6, "a", &lim);
	assert_string_equal(got, "[a]\n2:[1]\n3:[2]");
	free(got);
	got = dump_with("a\n1\n2\n3\n", 8, "a", &lim);
	assert_string_equal(got, "[a]\n2:[1]\n3:[2]\n!4 line 4: more than 2 rows (--max-rows)");
	free(got);
	lim = jr_limits_default();
	lim.string_bytes = 4;
	got = dump_with("a\n1234\n\"12\"\"4\"\n12345\n", 21, "a", &lim);
	assert_string_equal(got,
		"[a]\n2:[1234]\n3:[12\"4]\n!4 line 4, column 'a': text of 5 bytes, limit 4 "
		"(--max-string-bytes)");
	free(got);
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, "a");
	jr_buf_repeat(&text, ',', 4096);
	lim = jr_limits_default();
	got = dump_with(text.data, text.size, "a", &lim);
	assert_string_equal(got, "\n!4 line 1: a header of 4097 columns, limit 4096");
	free(got);
}

/* Any text: the rows are consistent, and quoted again they read back the same. */
static UNIT(random_text)
{
	static const char letters[] = "a,\"\n\r1 \"\",x";
	struct jr_limits lim = jr_limits_default();
	uint32_t x = 7;
	size_t n_good = 0;
	for (int round = 0; round < 50000; round++) {
		char text[40] = "a,b\n";
		size_t n = 4 + (x >> 16) % 30;
		for (size_t i = 4; i < n; i++) {
			x = x * 1664525 + 1013904223;
			text[i] = letters[(x >> 16) % (sizeof(letters) - 1)];
		}
		struct jr_csv csv;
		struct jr_error err;
		JR_CLEANUP(jr_buf_done) struct jr_buf again = {0};
		jr_buf_puts(&again, "a,b\n");
		char *first = dump_with(text, n, "a", &lim);
		bool more = jr_csv_open(&csv, jr_bytes_of(text, n), "a", &lim, &err) == JR_OK;
		assert_true(more);
		while (more && jr_csv_next(&csv, &more, &err) == JR_OK && more)
			for (size_t i = 0; i < csv.n_columns; i++) {
				jr_buf_putc(&again, '"');
				for (size_t k = 0; k < csv.fields[i].n; k++) {
					jr_buf_putc(&again, csv.fields[i].s[k]);
					if (csv.fields[i].s[k] == '"')
						jr_buf_putc(&again, '"');
				}
				jr_buf_puts(&again, i + 1 < csv.n_columns ? "\"," : "\"\r\n");
			}
		jr_csv_done(&csv);
		if (!strchr(first, '!')) {
			struct jr_csv b;
			assert_int_equal(jr_csv_open(&csv, jr_bytes_of(text, n), "a", &lim, &err), JR_OK);
			assert_int_equal(jr_csv_open(&b, jr_buf_view(&again), "a", &lim, &err), JR_OK);
			for (bool both = true; both;) {
				bool other;
				assert_int_equal(jr_csv_next(&csv, &both, &err), JR_OK);
				assert_int_equal(jr_csv_next(&b, &other, &err), JR_OK);
				assert_int_equal(both, other);
				for (size_t i = 0; both && i < 2; i++)
					assert_true(jr_bytes_eq(jr_bytes_of(csv.fields[i].s, csv.fields[i].n),
						jr_bytes_of(b.fields[i].s, b.fields[i].n)));
			}
			jr_csv_done(&csv);
			jr_csv_done(&b);
			n_good++;
		}
		free(first);
	}
	assert_true(n_good > 1000);
}

/* A real file, compared with sums from another reader (Python's csv). */
static UNIT(real_file)
{
	CORPUS_OR_SKIP("archives/pax_fsdp4_4proc_proc0.zip");
	struct jr_limits lim = jr_limits_default();
	struct jr_archive *archive;
	struct jr_error err = {0};
	struct jr_buf packed, text;
	struct jr_csv csv;
	if (jr_archive_open(CORPUS "archives/pax_fsdp4_4proc_proc0.zip", &lim, &archive, &err) != JR_OK)
		fail_msg("%s", err.message);
	size_t at = jr_archive_find(archive, "report_nvtx_pushpop_trace.csv.xz");
	assert_true(at != SIZE_MAX);
	assert_int_equal(jr_archive_read(archive, at, &packed, &err), JR_OK);
	assert_int_equal(jr_xz_decode(jr_buf_view(&packed), &lim, &text, &err), JR_OK);
	assert_int_equal(text.size, 7293055);
	assert_int_equal(jr_csv_open(&csv, jr_buf_view(&text), "RangeId", &lim, &err), JR_OK);
	size_t start = jr_csv_find(&csv, "Start (ns)"), n_bytes = 0;
	int64_t sum_ns = 0, start_ns;
	for (bool more = true; more;) {
		assert_int_equal(jr_csv_next(&csv, &more, &err), JR_OK);
		for (size_t i = 0; more && i < csv.n_columns; i++)
			n_bytes += csv.fields[i].n;
		if (more && jr_parse_i64(csv.fields[start].s, csv.fields[start].n, &start_ns))
			sum_ns += start_ns;
	}
	assert_int_equal(csv.row, 27891);
	assert_int_equal(n_bytes, 6824377);
	assert_true(sum_ns == INT64_C(2524562188785133));
	jr_csv_done(&csv);
	jr_buf_done(&text);
	jr_buf_done(&packed);
	jr_archive_close(archive);
}
