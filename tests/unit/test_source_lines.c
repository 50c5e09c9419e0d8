/* GPU time by source line: the same numbers as in the flamegraph, in tables and listings. */
#include "source_case.h"

#include "analysis/attribution/line_sums.h"
#include "model/inputs/load.h"
#include "model/inputs/source_text.h"
#include "model/kinds/archives.h"
#include "report/core/doc.h"
#include "zip_maker.h"
#include "corpus.h"

/* --- against the flamegraph ------------------------------------------------------------------- */

/* Return the start of "FILE:LINE" in the text of a frame, or 0. */
static size_t line_key(const char *text)
{
	const char *open = strrchr(text, '[');
	if (!open || open == text || open[-1] < '0' || open[-1] > '9')
		return 0;
	size_t n = (size_t)(open - text), digits = n;
	while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
		digits--;
	/* the line may be followed by a column */
	size_t before = digits ? digits - 1 : 0, end = before;
	while (before && text[before - 1] >= '0' && text[before - 1] <= '9')
		before--;
	return before < end && before && text[before - 1] == ':' ? end : n;
}

static bool is_line(const char *text, const char *key)
{
	size_t n = line_key(text);
	return n && n == strlen(key) && memcmp(text, key, n) == 0;
}

/* Compute total and self time of a line from the tree alone. Total: frames of that line with no
 * other frame of that line above them. Self: time that ends at them, including an op_name below. */
static void tree_times(const struct jr_tree *t, const char *key, double *total, double *self)
{
	*total = *self = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		if (!is_line(t->text[i], key))
			continue;
		bool below = false;
		for (uint32_t up = t->parent[i]; up != JR_NONE; up = t->parent[up])
			below |= is_line(t->text[up], key);
		*total += below ? 0 : t->total_ns[i];
		*self += t->self_ns[i];
		for (uint32_t k = i + 1; k < t->n; k++)
			if (t->parent[k] == i && !line_key(t->text[k]))
				*self += t->total_ns[k];
	}
}

/* Check every line of the table against the tree, and that the tree has nothing more. */
static size_t check_lines_of(const struct jr_results *r)
{
	const struct jr_tree *tree = jr_results_tree(r, "source_code");
	const struct jr_table *lines = jr_results_table(r, "source_lines");
	assert_non_null(tree);
	assert_non_null(lines);
	double selves = 0, ends = 0;
	for (size_t row = 0; row < lines->n_rows; row++) {
		const char *key = table_cells(lines, "source")->text[row];
		double total, self;
		tree_times(tree, key, &total, &self);
		if (fabs(total - table_cells(lines, "total_ms")->f64[row]) >= 0.5 ||
			fabs(self - table_cells(lines, "self_ms")->f64[row]) >= 0.5)
			fail_msg("%s: total %.3f, the tree has %.3f; self %.3f, the tree has %.3f", key,
				table_cells(lines, "total_ms")->f64[row], total,
				table_cells(lines, "self_ms")->f64[row], self);
		selves += self;
	}
	for (uint32_t i = 0; i < tree->n; i++)
		if (line_key(tree->text[i]))
			ends += tree->self_ns[i];
		else if (tree->parent[i] != JR_NONE && line_key(tree->text[tree->parent[i]]))
			ends += tree->total_ns[i];
	assert_true(fabs(selves - ends) < 0.5);
	return lines->n_rows;
}

static void run_case(struct pass_run *run, struct source_case *s, struct jr_archive *archive)
{
	source_finish(s, &run->job, NULL);
	if (archive) {
		struct jr_profile *p = &run->job.profile;
		p->n_inputs = 1;
		p->inputs = JR_ARENA_NEW(&p->arena, struct jr_input);
		p->inputs->name = "x.zip";
		p->inputs->kind = &jr_input_nsys_jax;
		p->n_processes = 1;
		p->processes = JR_ARENA_NEW(&p->arena, struct jr_process);
		jr_source_texts_load(&run->job.profile, &archive);
	}
	jr_arena_init(&run->arena, 0);
	jr_passes_run(&run->job.profile, &run->arena, &run->results);
	check_results(&run->results);
}

/* "FILE:LINE function total self kernels communication" per row, in table order. */
static void check_table_text(const struct pass_run *run, const char *expected)
{
	const struct jr_table *t = run_table(run, "source_lines");
	struct jr_buf got = {0};
	for (size_t row = 0; row < t->n_rows; row++)
		jr_buf_printf(&got, "%s %s %.6g %.6g %" PRId64 " %.6g\n",
			table_cells(t, "source")->text[row], table_cells(t, "function")->text[row],
			table_cells(t, "total_ms")->f64[row], table_cells(t, "self_ms")->f64[row],
			table_cells(t, "kernels")->i64[row],
			table_cells(t, "exposed_communication_ms")->f64[row]);
	check_text(&got, expected);
}

/* main:1 calls layer:5, which calls itself; a fused kernel has three stacks, a collective has
 * one. */
static UNIT_IN_ARENA(test_shares)
{
	struct source_case s = source_new(*state);
	int outer = source_frame(&s, "/u/main.py", "main", 1, 0);
	int layer = source_frame(&s, "/u/layer.py", "call", 5, outer);
	int again = source_frame(&s, "/u/layer.py", "call", 5, layer);
	int deep = source_frame(&s, "/u/layer.py", "act", 9, again);
	Xla__HloInstructionProto *fused = source_thunk(&s, "fusion.1", "fusion", deep, 90);
	source_fused(&s, fused, deep, layer, outer, 0, -1);
	source_thunk(&s, "add.2", "add", layer, 40);
	Xla__HloInstructionProto *gather = source_thunk(&s, "all-gather.3", "all-gather", deep, 20);
	gather->shape = build_shape(s.arena, XLA__PRIMITIVE_TYPE__F32, 8, -1);
	source_thunk(&s, "nowhere.4", "add", 0, 7);
	struct pass_run run;
	run_case(&run, &s, NULL);
	/* fusion.1 has four stacks with frames: its own, which the first fused instruction repeats
	 * under another op_name, and two more; each gets 22.5 */
	check_table_text(&run,
		"/u/layer.py:9 act 65 65 2 20\n"
		"/u/layer.py:5 call 127.5 62.5 3 20\n"
		"/u/main.py:1 main 150 22.5 3 20\n");
	assert_int_equal(check_lines_of(&run.results), 3);
	passes_done(&run);
}

/* Stacks that show no difference are one, in the table as in the flamegraph. */
static UNIT_IN_ARENA(test_equal_stacks)
{
	struct source_case s = source_new(*state);
	int one = source_frame(&s, "/u/a.py", "f", 1, 0), same = source_frame(&s, "/u/a.py", "f", 1, 0);
	int two = source_frame(&s, "/u/a.py", "f", 2, 0);
	Xla__HloInstructionProto *fused = source_thunk(&s, "fusion.1", "fusion", one, 60);
	Xla__HloComputationProto *c = build_computation(s.arena, s.proto, "fused", 900);
	ADD(s.arena, fused, called_computation_ids, 900);
	source_instruction(&s, c, "fusion.1", "add", same);
	source_instruction(&s, c, "fusion.1", "add", two);
	struct pass_run run;
	run_case(&run, &s, NULL);
	check_table_text(&run, "/u/a.py:1 f 30 30 1 0\n/u/a.py:2 f 30 30 1 0\n");
	(void)check_lines_of(&run.results);
	passes_done(&run);
}

/* Lines of equal time are sorted by file and line, regardless of the time of their files. */
static UNIT_IN_ARENA(test_ties)
{
	struct source_case s = source_new(*state);
	source_thunk(&s, "add.1", "add", source_frame(&s, "/u/z.py", "f", 1, 0), 50);
	source_thunk(&s, "add.2", "add", source_frame(&s, "/u/z.py", "f", 12, 0), 30);
	source_thunk(&s, "add.3", "add", source_frame(&s, "/u/z.py", "f", 2, 0), 30);
	source_thunk(&s, "add.4", "add", source_frame(&s, "/u/a.py", "g", 7, 0), 30);
	struct pass_run run;
	run_case(&run, &s, NULL);
	check_table_text(&run,
		"/u/z.py:1 f 50 50 1 0\n/u/a.py:7 g 30 30 1 0\n"
		"/u/z.py:2 f 30 30 1 0\n/u/z.py:12 f 30 30 1 0\n");
	passes_done(&run);
}

/* Files and functions that look like something else. */
static UNIT_IN_ARENA(test_odd_names)
{
	struct source_case s = source_new(*state);
	int a = source_frame(&s, "C:\\x:12.py", "f[0]", 3, 0);
	int b = source_frame(&s, "/u/[a]:7[b].py", "g", 4, a);
	source_thunk(&s, "fusion.1", "fusion", b, 60);
	source_thunk(&s, "fusion.2", "fusion", source_frame(&s, "/u/zero.py", "h", 0, 0), 60);
	source_thunk(&s, "fusion.3", "fusion", source_frame(&s, "/u/minus.py", "h", -5, 0), 60);
	struct pass_run run;
	run_case(&run, &s, NULL);
	assert_int_equal(run_table(&run, "source_lines")->n_rows, 4);
	passes_done(&run);
}

static UNIT_IN_ARENA(test_no_stacks)
{
	struct source_case s = source_new(*state);
	source_thunk(&s, "fusion.1", "fusion", 0, 60);
	struct pass_run run;
	run_case(&run, &s, NULL);
	assert_non_null(
		strstr(run_section(&run, "source_lines")->unavailable, "no HLO dump contains Python"));
	passes_done(&run);
}

/* --- against the roofline --------------------------------------------------------------------- */

/* Add an operation on floats of 256 x 256 with two operands. Its cost is known unless it is a
 * call. */
static void sized_thunk(
	struct source_case *s, const char *name, const char *opcode, int frame, int64_t dur)
{
	Xla__HloInstructionProto *i = source_thunk(s, name, opcode, frame, dur);
	i->shape = build_shape(s->arena, XLA__PRIMITIVE_TYPE__F32, 256, 256, -1);
	ADD(s->arena, i, operand_ids, s->entry->instructions[0]->id);
	ADD(s->arena, i, operand_ids, s->entry->instructions[0]->id);
	if (strcmp(opcode, "custom-call") == 0)
		i->custom_call_target = TEXT(s->arena, "my_call");
}

/* Two operands and a result of 256 KiB at 1,555.2 GB/s. */
#define ADD_ROOF_NS (3 * 262144 / 1555.2)

static void run_sized(struct pass_run *run, struct jr_arena *a, const struct jr_gpu *gpu)
{
	struct source_case s = source_new(a);
	int outer = source_frame(&s, "/u/a.py", "f", 1, 0);
	int two = source_frame(&s, "/u/a.py", "g", 2, outer);
	int three = source_frame(&s, "/u/a.py", "g", 3, outer);
	s.gpu = gpu;
	Xla__HloInstructionProto *p = source_instruction(&s, s.entry, "p.1", "parameter", 0);
	p->shape = build_shape(a, XLA__PRIMITIVE_TYPE__F32, 256, 256, -1);
	sized_thunk(&s, "add.1", "add", two, 1700);
	sized_thunk(&s, "add.2", "add", two, 300); /* faster than its roofline: nothing lost */
	sized_thunk(&s, "call.1", "custom-call", two, 500);
	sized_thunk(&s, "call.2", "custom-call", three, 400);
	run_case(run, &s, NULL);
}

/* Only a line's own kernels with a roofline count; no number if there are none. */
static UNIT_IN_ARENA(test_roofs)
{
	static const struct jr_gpu a100 = {.cuda_device = 0,
		.memory_bandwidth_bytes_s = 1555200000000,
		.sm_count = 108,
		.clock_hz = 1410000000,
		.compute_capability = 80};
	struct pass_run run;
	run_sized(&run, *state, &a100);
	const struct jr_table *t = run_table(&run, "source_lines");
	check_table_text(
		&run, "/u/a.py:2 g 2500 2500 3 0\n/u/a.py:3 g 400 400 1 0\n/u/a.py:1 f 2900 0 4 0\n");
	const double *efficiency = table_cells(t, "efficiency")->f64;
	const double *lost_ns = table_cells(t, "lost_ms")->f64;
	assert_true(fabs(efficiency[0] - 2 * ADD_ROOF_NS / 2000) < 2e-6); /* in whole ps */
	assert_true(fabs(lost_ns[0] - (1700 - ADD_ROOF_NS)) < 0.002);
	for (size_t row = 1; row < 3; row++)
		assert_true(isnan(efficiency[row]) && isnan(lost_ns[row]));
	const struct jr_table *thunks = run_table(&run, "roofline_thunks");
	double lost = 0;
	for (size_t row = 0; row < thunks->n_rows; row++)
		if (!isnan(table_cells(thunks, "step_lost_ms")->f64[row]))
			lost += table_cells(thunks, "step_lost_ms")->f64[row];
	assert_true(fabs(lost - lost_ns[0]) < 0.002); /* the profile is one step */
	passes_done(&run);
	run_sized(&run, *state, NULL); /* an unknown device */
	t = run_table(&run, "source_lines");
	for (size_t row = 0; row < 3; row++)
		assert_true(isnan(table_cells(t, "efficiency")->f64[row]) &&
					isnan(table_cells(t, "lost_ms")->f64[row]));
	passes_done(&run);
}

/* Check the lost time of lines against the tree of lost time, and the total against the roofline
 * pass. */
static void check_lost_of(const struct jr_results *r)
{
	const struct jr_tree *tree = jr_results_tree(r, "lost");
	const struct jr_table *lines = jr_results_table(r, "source_lines");
	const double *lost = table_cells(lines, "lost_ms")->f64;
	assert_non_null(tree);
	double sum = 0, rest = 0;
	for (size_t row = 0; row < lines->n_rows; row++) {
		double total, self;
		tree_times(tree, table_cells(lines, "source")->text[row], &total, &self);
		if (fabs(self - (isnan(lost[row]) ? 0 : lost[row])) >= 0.5)
			fail_msg("%s loses %.3f, the tree has %.3f", table_cells(lines, "source")->text[row],
				lost[row], self);
		sum += self;
	}
	for (uint32_t i = 0; i < tree->n; i++)
		if (!line_key(tree->text[i]) &&
			(tree->parent[i] == JR_NONE || !line_key(tree->text[tree->parent[i]])))
			rest += tree->self_ns[i]; /* kernels without a source line */
	assert_true(sum > 0.5 * tree->total);
	assert_true(fabs(sum + rest - tree->total) < 0.5);
}

/* --- listings --------------------------------------------------------------------------------- */

/* "FILE" then "[NUMBER total self kernels text]" or "[-HIDDEN]" per line. */
static void check_listings(const struct pass_run *run, const char *expected)
{
	const struct jr_section *section = run_section(run, "source_lines");
	struct jr_buf got = {0};
	for (size_t i = 0; i < section->n; i++) {
		if (section->items[i].kind != JR_RESULT_LISTING)
			continue;
		const struct jr_listing *l = section->items[i].as.listing;
		jr_buf_printf(&got, "%s%s%s%s\n", l->file, l->library ? " library" : "",
			l->note ? " " : "", l->note ? l->note : "");
		for (size_t k = 0; k < l->n; k++) {
			const struct jr_listing_line *line = &l->lines[k];
			if (line->number)
				jr_buf_printf(&got, "[%u %.6g %.6g %u %s]", line->number, line->total_ns,
					line->self_ns, line->kernels, line->text);
			else
				jr_buf_printf(&got, "[-%u]", line->n_hidden);
		}
		jr_buf_putc(&got, '\n');
	}
	check_text(&got, expected);
}

static struct jr_archive *numbered_files(struct jr_buf *zip, const char *const *names, size_t n)
{
	struct zip_maker m = zip_begin();
	struct jr_buf text = {0};
	for (int line = 1; line <= 40; line++)
		jr_buf_printf(&text, "line%d\n", line);
	for (size_t i = 0; i < n; i++)
		zip_add_bytes(&m, names[i], text.data, text.size, ZIP_CM_DEFLATE);
	jr_buf_done(&text);
	*zip = zip_end(&m);
	return zip_archive(zip);
}

/* Regions of two lines around hot ones; lines between regions are left out, except a single
 * line. The user's own files with time come first, then hot libraries, then files that only
 * call. */
static UNIT_IN_ARENA(test_regions)
{
	static const char *const names[] = {"sources/u/a.py", "sources/u/main.py",
		"sources/x/site-packages/lib.py", "sources/x/site-packages/cold.py"};
	struct jr_buf zip;
	struct jr_archive *archive = numbered_files(&zip, names, JR_COUNT_OF(names));
	struct source_case s = source_new(*state);
	int outer = source_frame(&s, "/u/main.py", "main", 40, 0);
	int cold = source_frame(&s, "/x/site-packages/cold.py", "c", 7, outer);
	int a1 = source_frame(&s, "/u/a.py", "f", 1, cold);
	int a7 = source_frame(&s, "/u/a.py", "f", 7, cold);
	int a20 = source_frame(&s, "/u/a.py", "f", 20, cold);
	int lib = source_frame(&s, "/x/site-packages/lib.py", "l", 30, a20);
	source_thunk(&s, "fusion.1", "fusion", a1, 100);
	source_thunk(&s, "fusion.2", "fusion", a7, 200);
	source_thunk(&s, "fusion.3", "fusion", lib, 300);
	struct pass_run run;
	run_case(&run, &s, archive);
	check_listings(&run,
		"/u/a.py\n"
		"[1 100 100 1 line1][2 0 0 0 line2][3 0 0 0 line3][4 0 0 0 line4][5 0 0 0 line5]"
		"[6 0 0 0 line6][7 200 200 1 line7][8 0 0 0 line8][9 0 0 0 line9][-8]"
		"[18 0 0 0 line18][19 0 0 0 line19][20 300 0 1 line20][21 0 0 0 line21]"
		"[22 0 0 0 line22][-18]\n"
		"/x/site-packages/lib.py library\n"
		"[-27][28 0 0 0 line28][29 0 0 0 line29][30 300 300 1 line30][31 0 0 0 line31]"
		"[32 0 0 0 line32][-8]\n"
		"/u/main.py\n"
		"[-37][38 0 0 0 line38][39 0 0 0 line39][40 600 0 3 line40]\n");
	assert_string_equal(table_cells(run_table(&run, "source_lines"), "code")->text[0], "line30");
	passes_done(&run);
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

/* Without source text, lines are shown by number; lines with too little time are left out. */
static UNIT_IN_ARENA(test_without_text)
{
	struct source_case s = source_new(*state);
	source_thunk(&s, "fusion.1", "fusion", source_frame(&s, "/u/a.py", "f", 3, 0), 500000);
	source_thunk(&s, "fusion.2", "fusion", source_frame(&s, "/u/a.py", "f", 9, 0), 100);
	source_thunk(&s, "fusion.3", "fusion", source_frame(&s, "/u/a.py", "f", 12, 0), 600);
	struct pass_run run;
	run_case(&run, &s, NULL);
	check_listings(
		&run, "/u/a.py source text was not read\n[-2][3 500000 500000 1 ][-8][12 600 600 1 ]\n");
	passes_done(&run);
}

/* --- in the document -------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_anchors)
{
	static const char *const names[] = {"sources/u/a.py"};
	struct jr_buf zip;
	struct jr_archive *archive = numbered_files(&zip, names, 1);
	struct source_case s = source_new(*state);
	source_thunk(&s, "fusion.1", "fusion", source_frame(&s, "/u/a.py", "f", 7, 0), 100);
	source_thunk(&s, "fusion.2", "fusion", source_frame(&s, "/u/b:9.py", "f", 4, 0), 50);
	struct pass_run run;
	run_case(&run, &s, archive);
	struct jr_doc doc;
	jr_doc_compose(&doc, &run.job.profile, &run.results, false, false);
	static const struct {
		const char *frame, *anchor; /* NULL: none */
	} cases[] = {{"/u/a.py:7", "src-1-7"}, {"/u/a.py:7[f]", "src-1-7"},
		{"/u/a.py:7:3[f]", "src-1-7"}, {"/u/a.py:5", "src-1-5"}, {"/u/a.py:4", NULL},
		{"/u/a.py:70", NULL}, {"/u/a.py", NULL}, {"/u/a.py:", NULL}, {"/u/a.py:7x", NULL},
		{"/u/a:7", NULL}, {"", NULL}, {":7", NULL}, {"/u/b:9.py:4[f]", "src-2-4"},
		{"/u/a.py:0", NULL}, {"/u/a.py:99999999999999999999", NULL}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		char anchor[JR_ANCHOR_MAX];
		bool found = jr_doc_line_anchor(&doc, cases[i].frame, anchor);
		if (found != (cases[i].anchor != NULL) || (found && strcmp(anchor, cases[i].anchor) != 0))
			fail_msg("'%s' leads to '%s'", cases[i].frame, found ? anchor : "nothing");
	}
	jr_doc_done(&doc);
	passes_done(&run);
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

/* --- real profiles ---------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_real)
{
	static const char *const paths[] = {CORPUS "archives/pax_fsdp4_4proc_proc0.zip",
		CORPUS "archives/maxtext_fsdp4.zip"};
	CORPUS_OR_SKIP("archives");
	for (size_t i = 0; i < JR_COUNT_OF(paths); i++) {
		struct jr_options options = jr_options_default();
		struct jr_profile profile;
		struct jr_error err = {.message = ""};
		struct jr_arena arena;
		struct jr_results results;
		jr_profile_init(&profile, &options);
		if (jr_load(&paths[i], 1, NULL, &profile, &err) != JR_OK)
			fail_msg("%s", err.message);
		jr_arena_init(&arena, 0);
		jr_passes_run(&profile, &arena, &results);
		assert_true(check_lines_of(&results) > 100);
		check_lost_of(&results);
		for (size_t k = 0; k < profile.n_source_texts; k++)
			if (*jr_str(&profile, profile.source_texts[k].file) == '/')
				assert_null(profile.source_texts[k].missing);
		jr_arena_done(&arena);
		jr_profile_done(&profile);
	}
}
