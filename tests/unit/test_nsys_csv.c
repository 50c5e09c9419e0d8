/* CSV as nsys really prints it: None, quotes that are not doubled, unquoted line breaks, a
 * truncated file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compile_case.h"
#include "formats/nsys/nsys_csv.h"

#define ROW(start, end, name, id, parent, level, tree)                                             \
	#start "," #end ",10,0,10," name ",7,8," #level ",0," #id "," parent ",:" #id "," tree "\n"

/* Dump names of the rows in [], the quality of each row's end, and a failure's message last. */
static char *dump_with(const char *text, size_t n, const struct jr_limits *limits)
{
	struct jr_buf out = {0};
	struct jr_error err = {0};
	struct jr_nsys_csv csv;
	char *copy = malloc(n ? n : 1); /* exact size: ASan detects a read past its end */
	assert_non_null(copy);
	memcpy(copy, text, n);
	jr_buf_puts(&out, "");
	enum jr_status status = jr_nsys_csv_open(&csv, jr_bytes_of(copy, n), "RangeId", limits, &err);
	bool more = status == JR_OK;
	while (more) {
		status = jr_nsys_csv_next(&csv, &more, &err);
		assert_true(status == JR_OK || !more);
		if (!more)
			break;
		const struct jr_csv_field *f = csv.csv.fields;
		jr_buf_printf(&out, "%d:[%.*s][%.*s][%.*s]", (int)csv.csv.line, (int)f[5].n, f[5].s,
			(int)f[10].n, f[10].s, (int)f[11].n, f[11].s);
	}
	if (status != JR_OK)
		jr_buf_printf(&out, "!%d %s", status, err.message);
	if (csv.n_odd)
		jr_buf_printf(&out, " odd %d", (int)csv.n_odd);
	if (csv.cut_line)
		jr_buf_printf(&out, " cut %d", (int)csv.cut_line);
	jr_nsys_csv_done(&csv);
	jr_nsys_csv_done(&csv);
	free(copy);
	return out.data;
}

static void expect(const char *rows, const char *expected)
{
	struct jr_limits limits = jr_limits_default();
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, CASE_HEADER);
	jr_buf_puts(&text, rows);
	char *got = dump_with(text.data, text.size, &limits);
	assert_string_equal(got, expected);
	free(got);
}

static UNIT(strict_rows_stay_what_they_are)
{
	expect("", "");
	expect(ROW(1, 11, "a", 3, "", 0, "a") ROW(2, 12, "\"b,c\"", 4, "3", 1, "\"--b,c\""),
		"2:[a][3][]3:[b,c][4][3]");
	expect(ROW(1, 11, "\"a \"\"b\"\"\"", 3, "", 0, "\"a \"\"b\"\"\""), "2:[a \"b\"][3][]");
	expect(ROW(1, 11, "\"a\nb\"", 3, "", 0, "x") ROW(2, 12, "c", 4, "", 0, "y"),
		"2:[a\nb][3][]4:[c][4][]"); /* the last column may be anything */
}

static UNIT(none_is_text)
{
	expect(ROW(1, 11, "a", 3, "None", 0, "a"), "2:[a][3][None]");
	expect(ROW(1, 11, "a \"b\"", 3, "None", 0, "a \"b\""), "2:[a \"b\"][3][None] odd 1");
}

static UNIT(quotes_are_not_doubled)
{
	const char *next = ROW(2, 12, "z", 4, "", 0, "z");
	static const struct {
		const char *printed, *tree, *name;
	} names[] = {
		{"\"TSL:comma, and \"quotes\"\"", "\"--TSL:comma, and \"quotes\"\"",
			"TSL:comma, and \"quotes\""},
		{"say \"hi\"", "--say \"hi\"", "say \"hi\""},
		{"\"hi\" and so on", "--\"hi\" and so on", "\"hi\" and so on"},
		{"\"a\",b\"", "\"--a\",b\"", "a\",b"},
		{"\"a\",\"b\"", "\"--a\",\"b\"", "a\",\"b"},
		{"\"\"a, b\"", "\"--\"a, b\"", "\"a, b"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		struct jr_buf rows = {0}, expected = {0};
		jr_buf_printf(&rows, "1,11,10,0,10,%s,7,8,1,0,3,,:3,%s\n%s", names[i].printed,
			names[i].tree, next);
		jr_buf_printf(&expected, "2:[%s][3][]3:[z][4][] odd 1", names[i].name);
		expect(rows.data, expected.data);
		jr_buf_done(&rows);
		jr_buf_done(&expected);
	}
}

static UNIT(line_breaks_are_not_quoted)
{
	expect(ROW(1, 11, "a\nb", 3, "", 0, "a\nb") ROW(2, 12, "z", 4, "", 0, "z"),
		"2:[a\nb][3][]5:[z][4][] odd 1");
	expect(ROW(1, 11, "\n\n", 3, "2", 2, "----\n\n") ROW(2, 12, "z", 4, "", 0, "z"),
		"2:[\n\n][3][2]7:[z][4][] odd 1");
	expect("1,11,10,0,10,a\nb,7,8,0,0,3,,:2:3,a\nb\r\n" ROW(2, 12, "z", 4, "", 0, "z"),
		"2:[a\nb][3][]5:[z][4][] odd 1");
	/* names that contain the text of the columns after them */
#define ROW_IN_NAME "\"x\"y,7,8,0,0,9,,:9,\"x\"y\n\""
	expect(ROW(1, 11, ROW_IN_NAME, 3, "", 0, ROW_IN_NAME),
		"2:[x\"y,7,8,0,0,9,,:9,\"x\"y\n][3][] odd 1");
	expect(ROW(1, 11, "x,7,8,0,0,9,,:9,y\"", 3, "", 0, "x,7,8,0,0,9,,:9,y\""),
		"2:[x,7,8,0,0,9,,:9,y\"][3][] odd 1");
}

static UNIT(neither_reading_makes_sense)
{
	const char *next = ROW(2, 12, "z", 4, "", 0, "z");
	static const char *const rows[] = {
		"1,11,10,0,10,\"a\"b,7,8,0,0,3,,:3,\"a\"\n",    /* the name is not repeated */
		"1,11,10,0,10,\"a\"b,7,8,1,0,3,,:3,\"a\"b\n",   /* dashes of a level are missing */
		"1,11,10,0,10,\"a\"b,7,8,-1,0,3,,:3,\"a\"b\n",
		"1,11,10,0,10,\"a\"b,7,8,9999999999999999999,0,3,,:3,\"a\"b\n",
		"1,11,10,0,10,\"a\"b,7,8,9223372036854775807,0,3,,:3,\"a\"b\n",
		"1,11,10,0,10,\"a\"b,7,8,0,0,,,:3,\"a\"b\n",    /* no id */
		"1,11,10,0,10,\"a\"b,7,8,0,0,3,none,:3,\"a\"b\n",
		"1,11,10,0,10,\"a\"b,7,8,0,0,3,,3,\"a\"b\n",    /* no stack */
		"1,11,ten,0,10,\"a\"b,7,8,0,0,3,,:3,\"a\"b\n",  /* no number */
	};
	for (size_t i = 0; i < JR_COUNT_OF(rows); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_buf_printf(&text, "%s%s", rows[i], next);
		expect(text.data, "!2 line 2: text after a closing quote");
	}
	expect("hello", "!2 line 2: 1 fields, the header has 14");
	/* another order of columns is not from nsys: nothing is known of its names */
	struct jr_limits limits = jr_limits_default();
	static const char other[] = "RangeId,Name\n1,\"a\"b\n";
	char *got = dump_with(other, sizeof(other) - 1, &limits);
	assert_string_equal(got, "!2 line 2: text after a closing quote");
	free(got);
}

static UNIT(limits_hold)
{
	struct jr_limits limits = jr_limits_default();
	limits.string_bytes = 10;
	static const char ten[] = CASE_HEADER ROW(1, 11, "12345678\"0", 3, "", 0, "12345678\"0");
	static const char more[] = CASE_HEADER ROW(1, 11, "12345678\"01", 3, "", 0, "12345678\"01");
	char *got = dump_with(ten, sizeof(ten) - 1, &limits);
	assert_string_equal(got, "2:[12345678\"0][3][] odd 1");
	free(got);
	got = dump_with(more, sizeof(more) - 1, &limits);
	assert_non_null(strstr(got, "!4 line 2, column 'Name': text of 11 bytes, limit 10"));
	free(got);
	limits.rows = 0;
	got = dump_with(ten, sizeof(ten) - 1, &limits);
	assert_non_null(strstr(got, "!4 line 2: more than 0 rows"));
	free(got);
}

/* The text may end anywhere: the rows before are read, and the cut is reported. */
static UNIT(a_text_may_end_anywhere)
{
	static const char header[] = CASE_HEADER;
	static const char *const rows[] = {
		ROW(1, 11, "one", 3, "None", 0, "one"),
		ROW(2, 12, "\"c, \"q\"\"", 4, "3", 1, "\"--c, \"q\"\""),
		ROW(3, 13, "line\nbreak", 5, "", 0, "line\nbreak"),
		ROW(4, 14, "\"x,y\"", 6, "", 0, "\"x,y\""),
	};
	struct jr_limits limits = jr_limits_default();
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, header);
	for (size_t r = 0; r < JR_COUNT_OF(rows); r++) {
		size_t begin = text.size, whole = begin + strlen(rows[r]);
		jr_buf_puts(&text, rows[r]);
		for (size_t n = begin; n <= whole; n++) {
			char *got = dump_with(text.data, n, &limits);
			size_t seen = 0;
			for (const char *s = got; (s = strstr(s, ":[")) != NULL; s++)
				seen++;
			bool cut = strstr(got, " cut ") != NULL;
			if (strchr(got, '!') || seen != r + (n + 1 >= whole))
				fail_msg("row %zu, %zu bytes of it: %s", r, n - begin, got);
			/* a row without its line break is complete if its last column is */
			if (cut != (n > begin && n + 1 < whole))
				fail_msg("row %zu, %zu bytes of it: %s", r, n - begin, got);
			free(got);
		}
	}
}

/* --- until the compile table ------------------------------------------------------------------ */

static enum jr_status read_ranges(const char *text, struct jr_host_ranges *ranges,
	struct jr_error *err)
{
	struct jr_limits limits = jr_limits_default();
	return jr_host_ranges_read_csv(jr_bytes_of(text, strlen(text)), &limits, ranges, err);
}

static UNIT(what_is_told_of_a_cut_trace)
{
	static const struct {
		const char *text, *told;
	} cases[] = {
		{CASE_HEADER "1,11,10,0,10,a,7,8,0,0,3,None,:3,a\n", NULL},
		{CASE_HEADER "1,11,10,0,10,a,7,8,0,0,3,None,:3,a\n5,6,1", "ends in the middle of line 3: "},
		{CASE_HEADER "1,11,10,9,1,a,7,8,0,2,3,,:3,a\n2,6,4,0,4,b,7,8,1,0,4,3,:3:4,--b\n",
			"lacks children of 1 range: "},
		{CASE_HEADER "1,11,10,9,1,a,7,8,0,1,3,,:3,a\n2,11,9,0,9,b,7,8,1,,4,3,:3:4,--b\n", NULL},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_host_ranges ranges;
		struct jr_error err = {0};
		JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
		assert_int_equal(read_ranges(cases[i].text, &ranges, &err), JR_OK);
		assert_int_equal(ranges.parent_id[0], -1);
		const char *told = jr_host_ranges_cut(&ranges, &arena);
		if (!cases[i].told)
			assert_null(told);
		else if (!told || strncmp(told, cases[i].told, strlen(cases[i].told)) != 0 ||
				 !strstr(told, "nsys export --type sqlite"))
			fail_msg("case %zu: %s", i, told ? told : "nothing");
		jr_host_ranges_done(&ranges);
	}
}

static UNIT(a_header_alone_names_the_way_out)
{
	struct jr_host_ranges ranges;
	struct jr_error err = {0};
	assert_int_equal(read_ranges("", &ranges, &err), JR_EFORMAT);
	assert_non_null(strstr(err.message, "nsys stats --report nvtx_pushpop_trace"));
	assert_int_equal(read_ranges("Start (ns),End (ns),Name,TID,RangeId,Par", &ranges, &err),
		JR_EFORMAT);
	assert_non_null(
		strstr(err.message, "column 'ParentId' is missing. The text ends in its header"));
	assert_int_equal(read_ranges("Start (ns),End (ns),Name,TID,RangeId,Par\n", &ranges, &err),
		JR_EFORMAT);
	assert_non_null(
		strstr(err.message, "column 'ParentId' is missing. Write the file again: nsys stats"));
}
