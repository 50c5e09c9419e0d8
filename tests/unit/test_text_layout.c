/* Text in a fixed number of columns. */
#include <math.h>
#include <string.h>

#include "unit.h"

#include "base/text.h"
#include "report/document/chart_parts.h"
#include "report/core/text_fit.h"
#include "report/text/text_layout.h"

static void check_fit(const char *text, size_t width, const char *want)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_buf_puts(&out, "");
	size_t used = jr_layout_fit(&out, text, width);
	assert_string_equal(out.data, want);
	assert_true(used <= width);
	assert_int_equal(used, jr_text_width(want, strlen(want)));
}

static UNIT(test_fit)
{
	check_fit("short", 5, "short");
	check_fit("longer", 5, "l…ger");
	check_fit("jit(train)/layer/dot_general", 16, "…/dot_general");
	check_fit("jit(train)/layer/dot_general", 20, "…/layer/dot_general");
	check_fit("jit(train)/layer/dot_general", 12, "jit…_general"); /* no component fits */
	check_fit("jit(f)/mlp/gather[axis=0 mode=clip]", 20, "jit(f)/mlp/gather");
	check_fit("jit(f)/mlp/gather[axis=0 mode=clip]", 13, "…/mlp/gather");
	check_fit("  41.0 %  scatter-add[mode=clip]", 24, "  41.0 %  scatter-add");
	check_fit("/opt/train/layers.py:53[attention]", 32, "…/train/layers.py:53[attention]");
	check_fit("a sentence with a/b in it", 12, "a s…/b in it");
	check_fit("äöüäöüäöü", 4, "ä…öü");
	check_fit("漢字漢字漢字", 7, "漢…漢字"); /* two columns each */
	check_fit("漢字漢字漢字", 6, "…漢字");
	check_fit("a\nb", 3, "a b");
	check_fit("abc", 1, "…");
	check_fit("abc", 0, "");
	check_fit("", 3, "");
	static char path[1 << 20]; /* takes hours if the time grows with the square of the parts */
	for (size_t i = 0; i + 1 < sizeof(path); i++)
		path[i] = "a/"[i & 1];
	check_fit(path, 5, "…/a/a");
}

static void check_wrap(const char *text, size_t width, size_t column, size_t indent,
	const char *want)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_layout_wrap(&out, text, width, column, indent);
	assert_string_equal(out.data, want);
}

static UNIT(test_wrap)
{
	check_wrap("one two three", 7, 0, 0, "one two\nthree\n");
	check_wrap("one two three", 9, 4, 2, "one\n  two\n  three\n");
	check_wrap("  a\n\n b\t", 10, 0, 0, "a b\n");
	check_wrap("", 10, 0, 0, "\n");
	check_wrap("abcdefghij", 4, 0, 0, "abcd\nefgh\nij\n");
	check_wrap("x abcdefgh", 4, 0, 1, "x\n abc\n def\n gh\n");
}

static void check_bound(const char *text, const char *want)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	for (size_t i = 0; text[i]; i++)
		jr_buf_putc(&out, text[i] == ' ' && jr_layout_binds(text, i) ? '~' : text[i]);
	assert_string_equal(out.data, want);
}

static UNIT(test_bound)
{
	check_bound("99 % of it, 1.2 ms a step", "99~% of it, 1.2~ms a step");
	check_bound("3 µs (5 %); 80 GB/s, 2 s.", "3~µs (5~%); 80~GB/s, 2~s.");
	check_bound("17.4 ± 0.1 ms, n = 24", "17.4~±~0.1~ms, n~=~24");
	check_bound("8.19 TFLOP, 900 GFLOP/s", "8.19~TFLOP, 900~GFLOP/s");
	check_bound("3 msgs, 2 sec, 4 B-trees", "3 msgs, 2 sec, 4 B-trees");
	check_bound("a % b, x_n = 3, m = k", "a % b, x_n =~3, m = k");
	check_bound("Device 3 waits for device 12, GPU 0", "Device~3 waits for device~12, GPU~0");
	check_bound(" % ± 1", " %~±~1");
	check_wrap("all of 99 % is it", 9, 0, 0, "all of\n99 % is\nit\n");
	check_wrap("12345 ms", 6, 0, 0, "12345 \nms\n");
}

static UNIT(test_dash)
{
	assert_int_equal(jr_layout_dash("0–1.70 ms", 1), 3);
	assert_int_equal(jr_layout_dash("900 µs–1 ms", strlen("900 µs")), 3);
	assert_int_equal(jr_layout_dash("a – 1", 2), 0);
	assert_int_equal(jr_layout_dash("a–b", 1), 0);
	assert_int_equal(jr_layout_dash("–1", 0), 0);
	assert_int_equal(jr_layout_dash("0-1", 1), 0);
}

/* --- tables ---------------------------------------------------------------------------------- */

static const struct jr_column_spec columns[] = {
	{"id", "Program", NULL, JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"name", "Name", NULL, JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"ms", "Active time", NULL, JR_I64, JR_UNIT_NS, JR_COL_BAR},
	{"top", "Top", NULL, JR_BOOL, JR_UNIT_NONE, 0},
};
static const struct jr_table_spec spec = {
	.name = "t", .title = "T", .n_columns = 4, .columns = columns};

struct fixture {
	struct jr_arena arena;
	struct jr_doc_column columns[4];
	struct jr_doc_table doc;
};

static void fixture_init(struct fixture *f, size_t n_data, size_t n_rows)
{
	jr_arena_init(&f->arena, 0);
	struct jr_table *t = jr_table_new(&f->arena, &spec, n_rows);
	for (size_t i = 0; i < n_rows; i++) {
		t->cells[0].text[i] = "40";
		t->cells[1].text[i] = "loop_convert_fusion.12345678";
		t->cells[2].i64[i] = (int64_t)(n_rows - i) * 1000000;
		t->cells[3].boolean[i] = i == 0;
	}
	t->n_data = n_data;
	f->doc = (struct jr_doc_table){.table = t, .n_columns = 4, .columns = f->columns,
		.n_shown = n_data, .rest = n_data, .file = "data/t.csv"};
	for (size_t c = 0; c < 4; c++)
		f->columns[c] = (struct jr_doc_column){.index = c,
			.spec = &columns[c],
			.format = jr_value_format_of(t, c, n_data, n_data)};
}

static void check_table(size_t n_data, size_t n_rows, size_t limit, size_t width,
	const char *want)
{
	struct fixture f;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	fixture_init(&f, n_data, n_rows);
	jr_layout_table(&out, &f.doc, limit, &(struct jr_text_style){.width = width});
	assert_string_equal(out.data, want);
	jr_arena_done(&f.arena);
}

static UNIT(test_table)
{
	check_table(2, 2, 10, 80,
		"                                       Active\n"
		"                                         time\n"
		"Program  Name                              ms  Top\n"
		"──────────────────────────────────────────────────\n"
		"40       loop_convert_fusion.12345678   2.000  ✓    ████████████████\n"
		"40       loop_convert_fusion.12345678   1.000       ████████\n");
	check_table(3, 4, 1, 50,
		"                                       Active\n"
		"                                         time\n"
		"Program  Name                              ms  Top\n"
		"──────────────────────────────────────────────────\n"
		"40       loop_convert_fusion.12345678   4.000  ✓\n"
		"40       loop_convert_fusion.12345678   1.000\n"
		"(2 more rows in data/t.csv)\n");
	check_table(0, 0, 10, 80, "(no rows)\n");
}

static void assert_lines_fit(const struct jr_buf *text, size_t width)
{
	assert_true(text->size > 0);
	for (const char *line = text->data; *line; line = strchr(line, '\n') + 1)
		assert_true(jr_text_width(line, strcspn(line, "\n")) <= width);
}

/* Cells without room go below the row; no line is wider than the given width. */
static UNIT(test_narrow_tables)
{
	for (size_t width = 8; width < 90; width++) {
		struct fixture f;
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		fixture_init(&f, 2, 3);
		jr_layout_table(&out, &f.doc, 10, &(struct jr_text_style){.width = width});
		assert_lines_fit(&out, width);
		jr_arena_done(&f.arena);
	}
}

/* A number is shown whole or not at all, even if it is wider than the text that makes room. */
static UNIT(test_numbers_are_not_cut)
{
	size_t n_whole = 0;
	for (size_t width = 8; width < 90; width++) {
		struct fixture f;
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		fixture_init(&f, 1, 1);
		f.doc.table->cells[2].i64[0] = INT64_C(1234567890123000000);
		jr_layout_table(&out, &f.doc, 10, &(struct jr_text_style){.width = width});
		bool whole = strstr(out.data, "  1,234,567,890,123.000") != NULL;
		assert_int_equal(strstr(out.data, "1,234,5") || strstr(out.data, "3.000"), whole);
		assert_lines_fit(&out, width);
		n_whole += whole;
		jr_arena_done(&f.arena);
	}
	assert_in_range(n_whole, 50, 81); /* not if there is no room for it */
}

/* A text that must be readable in full is wrapped if it lacks room, at any width. */
static UNIT(test_whole_texts)
{
	static const char text[] = "of which no word is left out, however long the message becomes";
	for (size_t width = 8; width < 120; width++) {
		struct jr_column_spec whole = columns[1];
		struct fixture f;
		JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
		fixture_init(&f, 2, 2);
		whole.flags = JR_COL_WHOLE;
		f.columns[1].spec = &whole;
		f.doc.table->cells[1].text[1] = text;
		jr_layout_table(&out, &f.doc, 10, &(struct jr_text_style){.width = width});
		assert_lines_fit(&out, width);
		assert_null(strstr(out.data, "…"));
		/* all of it in order, except for blanks and, in a row, the neighboring cells */
		const char *at = strstr(out.data, "of");
		assert_non_null(at);
		for (const char *s = text; *s; s++) {
			if (*s == ' ')
				continue;
			at += strspn(at, " \n");
			assert_int_equal(*at++, *s);
		}
		jr_arena_done(&f.arena);
	}
}

/* --- colors and bars ------------------------------------------------------------------------- */

/* Strip the escape sequences from the text; return their number. */
static size_t strip(const char *text, struct jr_buf *out)
{
	size_t n = 0;
	for (; *text; text++) {
		if (*text != '\x1b') {
			jr_buf_putc(out, *text);
			continue;
		}
		n++;
		text += strcspn(text, "m");
	}
	return n;
}

static UNIT(test_colors)
{
	struct fixture f;
	struct jr_buf plain = {0}, colored = {0}, stripped = {0};
	fixture_init(&f, 2, 3);
	jr_layout_table(&plain, &f.doc, 10, &(struct jr_text_style){.width = 70});
	jr_layout_table(&colored, &f.doc, 10, &(struct jr_text_style){.width = 70, .color = true});
	assert_null(strchr(plain.data, '\x1b'));
	assert_true(strip(colored.data, &stripped) > 4);
	assert_string_equal(stripped.data, plain.data);
	jr_buf_done(&plain);
	jr_buf_done(&colored);
	jr_buf_done(&stripped);
	jr_arena_done(&f.arena);
}

static const struct jr_column_spec part_columns[] = {
	{"x", "Step", NULL, JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"a", "Compute", NULL, JR_I64, JR_UNIT_NS, 0},
	{"b", "Copies", NULL, JR_I64, JR_UNIT_NS, 0},
	{"c", "Idle", NULL, JR_I64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec part_spec = {
	.name = "p", .title = "P", .n_columns = 4, .columns = part_columns};

/* A value that cannot be part of a sum counts as 0; a part has its named color, or that of its
 * series. */
static UNIT(test_chart_parts)
{
	static const struct jr_column_spec mixed_columns[] = {{"a", "A", NULL, JR_F64, JR_UNIT_NS, 0},
		{"b", "B", NULL, JR_I64, JR_UNIT_NS, 0}, {"word", "W", NULL, JR_TEXT, JR_UNIT_NONE, 0}};
	static const struct jr_table_spec mixed = {
		.name = "t", .n_columns = 3, .columns = mixed_columns};
	static const char *const parts[] = {"a", "gone", "b", "word", NULL};
	static const char *const roles[] = {"muted", "compute", "no role", "series-5", NULL};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_table *t = jr_table_new(&arena, &mixed, 4);
	const double a[] = {1.5, -3, INFINITY, NAN};
	for (size_t row = 0; row < 4; row++)
		t->cells[0].f64[row] = a[row];
	t->cells[1].i64[0] = 2;
	t->cells[1].i64[1] = 7;
	t->cells[2].text[0] = "no number";
	struct jr_chart chart = {.kind = JR_CHART_STACKED, .table = t, .x = "word"};
	assert_int_equal(jr_chart_n_parts(&chart), 0);
	chart.parts = parts;
	assert_int_equal(jr_chart_n_parts(&chart), 4);
	assert_true(jr_chart_part(&chart, 0, 0) == 1.5 && jr_chart_part(&chart, 2, 0) == 2);
	assert_true(jr_chart_part(&chart, 1, 0) == 0 && jr_chart_part(&chart, 3, 0) == 0);
	const double sums[] = {3.5, 7, 0, 0};
	for (size_t row = 0; row < 4; row++)
		assert_true(jr_chart_parts_sum(&chart, row) == sums[row]);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(jr_chart_part_role(&chart, i), jr_role_series(i));
	chart.part_roles = roles;
	const enum jr_role want[] = {
		JR_ROLE_MUTED, JR_ROLE_COMPUTE, jr_role_series(2), JR_ROLE_SERIES_5};
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(jr_chart_part_role(&chart, i), want[i]);
}

/* Bars begin in one column for names of any characters, and share one scale. */
static UNIT(test_stacks)
{
	static const char *const parts[] = {"a", "b", "c", NULL};
	struct jr_arena arena;
	struct jr_buf out = {0}, colored = {0}, stripped = {0};
	jr_arena_init(&arena, 0);
	struct jr_table *t = jr_table_new(&arena, &part_spec, 2);
	t->cells[0].text[0] = "漢字漢字";
	t->cells[0].text[1] = "ascii";
	t->cells[1].i64[0] = 30, t->cells[2].i64[0] = 0, t->cells[3].i64[0] = 10;
	t->cells[1].i64[1] = 10, t->cells[2].i64[1] = 0, t->cells[3].i64[1] = 10;
	t->n_data = 2;
	struct jr_chart chart = {.kind = JR_CHART_STACKED, .table = t, .x = "x", .parts = parts};
	jr_layout_stacks(&out, &chart, &(struct jr_text_style){.width = 50});
	assert_string_equal(out.data,
		"漢字漢字  ██████████████████████████████▒▒▒▒▒▒▒▒▒▒\n"
		"ascii     ██████████▒▒▒▒▒▒▒▒▒▒\n"
		"█ Compute  ▒ Idle\n");
	jr_layout_stacks(&colored, &chart, &(struct jr_text_style){.width = 50, .color = true});
	assert_int_equal(strip(colored.data, &stripped), 12);
	assert_string_equal(stripped.data, out.data);
	out.size = 0;
	t->cells[1].i64[0] = t->cells[1].i64[1] = t->cells[3].i64[0] = t->cells[3].i64[1] = 0;
	jr_layout_stacks(&out, &chart, &jr_text_plain);
	assert_int_equal(out.size, 0); /* nothing to divide */
	jr_buf_done(&out);
	jr_buf_done(&colored);
	jr_buf_done(&stripped);
	jr_arena_done(&arena);
}
