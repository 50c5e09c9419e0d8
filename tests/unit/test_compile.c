/* The compile table: every rule of analysis/README.md, section 1.10, on hand-made ranges. */
#include <stdlib.h>

#include "formats/archive/xz.h"
#include "compile_case.h"
#include "parquet_table_build.h"

/* --- Parquet --------------------------------------------------------------------------------- */

/* Make two ranges, one in the other, with the requested columns of durations; one name is null. */
static struct jr_buf pushpop_file(struct jr_arena *a, bool has_child, bool has_self)
{
	static const int64_t start[] = {10, 20}, end[] = {100, 60}, tid[] = {5, 5}, id[] = {1, 2},
						 parent[] = {NO_VALUE, 1}, pid[] = {9, 9}, child[] = {41, 2},
						 self[] = {49, 38};
	static const char *const names[] = {"TSL:XlaCompile:#module=f#", NULL};
	struct table_build t = table_begin(a, 2);
	table_texts(&t, "Name", names);
	table_numbers(&t, "Start (ns)", start);
	table_numbers(&t, "End (ns)", end);
	table_numbers(&t, "TID", tid);
	table_numbers(&t, "RangeId", id);
	table_numbers(&t, "ParentId", parent);
	table_numbers(&t, "PID", pid);
	if (has_child)
		table_numbers(&t, "DurChild (ns)", child);
	if (has_self)
		table_numbers(&t, "DurNonChild (ns)", self);
	return table_file(&t);
}

/* The file's durations are used only if it has both; otherwise they are computed. */
static UNIT(test_parquet)
{
	for (unsigned has = 0; has < 4; has++) {
		JR_CLEANUP(jr_arena_done) struct jr_arena arena;
		jr_arena_init(&arena, 0);
		JR_CLEANUP(jr_buf_done) struct jr_buf file = pushpop_file(&arena, has & 1, has & 2);
		struct jr_limits limits = jr_limits_default();
		struct jr_host_ranges ranges;
		struct jr_error err = {.message = ""};
		if (jr_host_ranges_read(jr_buf_view(&file), &limits, &ranges, &err) != JR_OK)
			fail_msg("%s", err.message);
		assert_int_equal(ranges.n, 2);
		assert_string_equal(
			jr_intern_str(&ranges.strings, ranges.name[0]), "TSL:XlaCompile:#module=f#");
		assert_string_equal(jr_intern_str(&ranges.strings, ranges.name[1]), "");
		for (int i = 0; i < 2; i++) {
			assert_int_equal(ranges.start_ns[i], i ? 20 : 10);
			assert_int_equal(ranges.end_ns[i], i ? 60 : 100);
			assert_int_equal(ranges.tid[i], 5);
			assert_int_equal(ranges.range_id[i], i + 1);
			assert_int_equal(ranges.pid[i], 9);
			assert_int_equal(ranges.child_ns[i], has == 3 ? (i ? 2 : 41) : (i ? 0 : 40));
			assert_int_equal(ranges.self_ns[i], has == 3 ? (i ? 38 : 49) : (i ? 40 : 50));
		}
		jr_host_ranges_done(&ranges);
	}
}

/* Values that a column must not contain, row by row; only a parent may be null. */
static UNIT(test_parquet_damage)
{
	static const struct {
		const char *column;
		int64_t value;
		const char *message;
	} cases[] = {
		{"RangeId", -1, "row 1, column 'RangeId': -1 is not a range ID"},
		{"ParentId", -2, "row 1, column 'ParentId': -2 is not a range ID"},
		{"RangeId", NO_VALUE, "row 1, column 'RangeId': null or not an integer"},
		{"Start (ns)", NO_VALUE, "row 1, column 'Start (ns)': null or not an integer"},
		{"ParentId", NO_VALUE, NULL}, {"TID", -3, NULL},
	};
	static const char *const numbers[] = {"Start (ns)", "End (ns)", "TID", "RangeId", "ParentId"};
	static const char *const names[] = {"a", "b"};
	for (size_t k = 0; k < JR_COUNT_OF(cases); k++) {
		JR_CLEANUP(jr_arena_done) struct jr_arena arena;
		jr_arena_init(&arena, 0);
		struct table_build t = table_begin(&arena, 2);
		table_texts(&t, "Name", names);
		for (size_t c = 0; c < JR_COUNT_OF(numbers); c++) {
			int64_t *values = JR_ARENA_N(&arena, int64_t, 2);
			values[0] = c == 4 ? NO_VALUE : 1 + (int64_t)c;
			values[1] = strcmp(numbers[c], cases[k].column) == 0 ? cases[k].value : c == 3 ? 9 : 4;
			table_numbers(&t, numbers[c], values);
		}
		JR_CLEANUP(jr_buf_done) struct jr_buf file = table_file(&t);
		struct jr_limits limits = jr_limits_default();
		struct jr_host_ranges ranges;
		struct jr_error err = {.message = ""};
		enum jr_status status = jr_host_ranges_read(jr_buf_view(&file), &limits, &ranges, &err);
		assert_int_equal(status, cases[k].message ? JR_EFORMAT : JR_OK);
		assert_string_equal(err.message, cases[k].message ? cases[k].message : "");
		jr_host_ranges_done(&ranges);
	}
}

/* --- text that is packed with xz ------------------------------------------------------------- */

static const char csv_head[] =
	"Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,"
	"RangeId,ParentId,RangeStack,NameTree\n";

static void put_range(struct jr_buf *out, int id, const char *name, const char *quote)
{
	jr_buf_printf(out, "%d,%d,5,0,5,%s%s%s,7,7,0,0,%d,,:%d,%s%s%s\n", 10 * id, 10 * id + 5, quote,
		name, quote, id, id, quote, name, quote);
}

/* The packed text is read in parts, and gives what the text as a whole gives. */
static void expect_same_packed(const struct jr_buf *text, const char *message)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_host_ranges a = {0}, b = {0};
	struct jr_error err_a = {.message = ""}, err_b = {.message = ""};
	JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
	jr_xz_encode(jr_buf_view(text), &packed);
	enum jr_status status = jr_host_ranges_read(jr_buf_view(text), &limits, &a, &err_a);
	assert_int_equal(jr_host_ranges_read(jr_buf_view(&packed), &limits, &b, &err_b), status);
	assert_string_equal(err_a.message, err_b.message);
	if (!strstr(err_a.message, message))
		fail_msg("'%s', expected '%s'", err_a.message, message);
	assert_true(a.n == b.n && a.size_bytes == b.size_bytes && a.n_odd == b.n_odd);
	assert_true(a.cut_line == b.cut_line && a.n_bereft == b.n_bereft);
	assert_int_equal(a.n_executions, b.n_executions);
	for (size_t i = 0; i < a.n; i++) {
		assert_int_equal(a.range_id[i], b.range_id[i]);
		assert_string_equal(
			jr_intern_str(&a.strings, a.name[i]), jr_intern_str(&b.strings, b.name[i]));
	}
	jr_host_ranges_done(&a);
	jr_host_ranges_done(&b);
	if (status != JR_OK) {
		packed.data[packed.size - 40] ^= 1; /* damage comes before what the text has */
		assert_int_equal(
			jr_host_ranges_read(jr_buf_view(&packed), &limits, &b, &err_b), JR_EFORMAT);
		assert_non_null(strstr(err_b.message, "xz data"));
	}
}

static UNIT(test_packed)
{
	enum { ROWS = 4000, CASES = 7 };
	static const char *const messages[CASES] = {
		"", "", "", "", "is not an integer", "range ID 5 occurs twice", ""};
	for (int k = 0; k < CASES; k++) {
		struct jr_buf text = {0}, name = {0};
		if (k == 6)
			jr_buf_repeat(&text, '\n', 300000); /* before the header: no more than 1,000 lines */
		jr_buf_puts(&text, csv_head);
		for (int id = 1; id <= ROWS; id++) {
			bool special = id == ROWS / 2;
			name.size = 0;
			jr_buf_printf(&name, "TSL:XlaCompile:#module=f%d,x=\"\"\n\"\"#", id % 100);
			if (special && (k == 1 || k == 2))
				jr_buf_repeat(&name, 'x', 900000); /* longer than the part at hand */
			if (special && k == 3) {
				put_range(&text, id, "a \"bare quote", "");
				jr_buf_puts(&text, "\r\n\n\n");
			} else {
				put_range(&text, special && k == 5 ? 5 : id, name.data, "\"");
			}
			if (special && k == 4)
				jr_buf_puts(&text, "1,2,x,4,5,a,7,7,0,0,b,,:1,a\n");
		}
		if (k == 2)
			text.size -= 9; /* cut in its last row */
		expect_same_packed(&text, k == 6 ? "no CSV header" : messages[k]);
		jr_buf_done(&text);
		jr_buf_done(&name);
	}
}

/* Trees of ranges that execute and do not compile are left out. */
static UNIT(test_executions_left_out)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_host_ranges ranges;
	struct jr_error err = {.message = ""};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_printf(&text,
		"%s"
		"10,90,80,40,40,TSL:XlaModule:#hlo_module=f#,1,1,0,1,1,,:1,a\n"
		"20,60,40,0,40,TSL:Thunk:#hlo_op=a#,1,1,1,0,2,1,:1:2,a\n"
		"100,190,90,40,50,TSL:XlaModule:#hlo_module=g#,1,1,0,1,3,,:3,a\n"
		"120,160,40,0,40,TSL:XlaCompile:#module=h#,1,1,1,0,4,3,:3:4,a\n"
		"200,210,10,0,10,cuBLAS:gemm,1,1,0,0,5,,:5,a\n",
		csv_head);
	if (jr_host_ranges_read(jr_buf_view(&text), &limits, &ranges, &err) != JR_OK)
		fail_msg("%s", err.message);
	assert_int_equal(ranges.n, 3);
	assert_int_equal(ranges.n_executions, 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ranges.range_id[i], 3 + i);
	jr_host_ranges_done(&ranges);
}

/* --- the table ------------------------------------------------------------------------------- */

static UNIT(test_empty)
{
	struct jr_profile p;
	case_init(&p, false);
	case_add(&p, 0, NULL, 0);
	assert_int_equal(p.compiles.n, 0);
	assert_false(p.has_compiles);
	assert_int_equal(p.n_compile_modules, 0);
	jr_profile_done(&p);
}

static UNIT(test_one_row)
{
	const struct case_range rows[] = {{4, 0, 1, 10, 30, "TSL:XlaCompile:#module=jit_f#"}};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 3, rows);
	assert_int_equal(p.compiles.n, 1);
	assert_true(p.has_compiles);
	assert_int_equal(p.compiles.process[0], 3);
	assert_int_equal(p.compiles.range_id[0], 4);
	assert_int_equal(p.compiles.tid[0], 1);
	assert_int_equal(p.compiles.start_ns[0], 10);
	assert_int_equal(p.compiles.dur_ns[0], 20);
	assert_int_equal(p.compiles.self_ns[0], 20);
	assert_int_equal(p.compiles.child_ns[0], 0);
	assert_int_equal(p.compiles.parent[0], JR_NONE);
	assert_int_equal(p.compiles.program_number[0], -1);
	assert_string_equal(case_name(&p, 4), "XlaCompile");
	jr_profile_done(&p);
}

static UNIT(test_cut_to_compiles)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 5, "TSL:XlaDumpHloModule:#module=a,program_id=1#"},
		{2, 0, 1, 10, 90, "TSL:XlaModule:#hlo_module=outer,program_id=2#"},
		{3, 2, 1, 20, 60, "TSL:XlaCompile:#module=a#"},
		{4, 3, 1, 30, 50, "TSL:XlaCompile:#module=nested#"},
		{5, 4, 1, 30, 40, "TSL:XlaBufferAssignment:#module=nested#"},
		{6, 2, 1, 70, 80, "TSL:Thunk:#hlo_op=x#"},
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	assert_int_equal(p.compiles.n, 3);
	assert_int_equal(case_parent(&p, 3), 0);
	assert_int_equal(case_parent(&p, 4), 3);
	assert_int_equal(case_parent(&p, 5), 4);
	jr_profile_done(&p);
}

/* Thread 1 compiles, its launcher (3) is open from 20 to 80; 2 surrounds it. */
#define LAUNCHING                                                                                  \
	{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},                                                \
		{2, 1, 1, 10, 90, "TSL:XlaPassPipeline:#name=p#"},                                         \
		{3, 2, 1, 20, 80, "TSL:XlaPass:#name=launcher#"},                                          \
		{4, 2, 1, 85, 88, "TSL:XlaPass:#name=later#"}

static UNIT(test_grafting_bounds)
{
	const struct case_range rows[] = {
		LAUNCHING,
		{10, 0, 2, 21, 79, "TSL:XlaEmitLlvmIr"},  /* inside the launcher */
		{11, 0, 3, 20, 79, "TSL:XlaEmitLlvmIr"},  /* starts with it: not strictly inside */
		{12, 0, 4, 21, 80, "TSL:XlaEmitLlvmIr"},  /* ends with it */
		{13, 0, 5, 0, 50, "TSL:XlaEmitLlvmIr"},   /* starts with XlaCompile: still inside */
		{14, 0, 6, 50, 100, "TSL:XlaEmitLlvmIr"}, /* ends with it */
		{15, 0, 7, 50, 101, "TSL:XlaEmitLlvmIr"}, /* ends after it */
		{16, 0, 8, 82, 84, "TSL:XlaEmitLlvmIr"},  /* between two passes */
		{17, 0, 9, 95, 96, "TSL:XlaEmitLlvmIr"},  /* after the pipeline */
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	assert_int_equal(case_parent(&p, 10), 3);
	assert_int_equal(case_parent(&p, 11), 2);
	assert_int_equal(case_parent(&p, 12), 2);
	assert_int_equal(case_parent(&p, 13), 1);
	assert_int_equal(case_parent(&p, 14), 1);
	assert_int_equal(case_parent(&p, 15), -1);
	assert_int_equal(case_parent(&p, 16), 2);
	assert_int_equal(case_parent(&p, 17), 1);
	assert_int_equal(p.compiles.grafted[case_row(&p, 10)], 1);
	assert_int_equal(p.compiles.grafted[case_row(&p, 3)], 0);
	/* grafting does not move time */
	assert_int_equal(p.compiles.self_ns[case_row(&p, 3)], 60);
	assert_int_equal(p.compiles.child_ns[case_row(&p, 1)], 80);
	jr_profile_done(&p);
}

static UNIT(test_grafting_trees)
{
	const struct case_range rows[] = {
		LAUNCHING,
		{10, 0, 2, 30, 60, "TSL:XlaCompileBackend:#module=g,program_id=41#"},
		{11, 10, 2, 31, 59, "TSL:XlaEmitLlvmIr:#module=g,program_id=41#"},
		{12, 11, 2, 32, 58, "TSL:XlaPass:#name=dce,module=g,program_id=41#"},
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	assert_int_equal(case_parent(&p, 10), 3);
	assert_int_equal(case_parent(&p, 11), 10);
	assert_int_equal(case_parent(&p, 12), 11);
	assert_int_equal(p.compiles.grafted[case_row(&p, 11)], 0);
	for (uint32_t i = 0; i < p.compiles.n; i++)
		assert_true(p.compiles.parent[i] == JR_NONE || p.compiles.parent[i] < i);
	jr_profile_done(&p);
}

static UNIT(test_no_workers)
{
	const struct case_range rows[] = {
		LAUNCHING,
		/* executions on launcher threads are not part of a simultaneous compilation */
		{10, 0, 2, 30, 60, "TSL:XlaModule:#hlo_module=g,program_id=3#"},
		{11, 10, 2, 31, 59, "TSL:Thunk:#hlo_op=add#"},
		{12, 0, 3, 30, 60, "NCCL:ncclAllReduce"},
		/* a thread that compiles on its own */
		{13, 0, 4, 30, 60, "TSL:XlaCreateGpuExecutable:#module=h#"},
		{14, 13, 4, 31, 59, "TSL:XlaCompile:#module=h#"},
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	assert_int_equal(p.compiles.n, 5);
	assert_int_equal(case_parent(&p, 14), 0);
	assert_int_equal(case_parent(&p, 10), -1);
	assert_int_equal(p.compiles.self_ns[case_row(&p, 3)], 60);
	jr_profile_done(&p);
}

static UNIT(test_several_compiling_threads)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=a#"},
		{2, 1, 1, 5, 95, "TSL:XlaPass:#name=a#"},
		{3, 0, 2, 40, 200, "TSL:XlaCompile:#module=b#"},
		{4, 3, 2, 45, 150, "TSL:XlaPass:#name=b#"},
		{5, 0, 3, 10, 20, "TSL:XlaEmitLlvmIr"},   /* only a was there */
		{6, 0, 3, 50, 60, "TSL:XlaEmitLlvmIr"},   /* both: b began last */
		{7, 0, 3, 110, 120, "TSL:XlaEmitLlvmIr"}, /* only b is left */
		{8, 0, 4, 30, 90, "TSL:XlaEmitLlvmIr"},   /* b began too late for it */
		{9, 0, 5, 90, 120, "TSL:XlaEmitLlvmIr"},  /* a ended too early */
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	assert_int_equal(case_parent(&p, 3), 0); /* an XlaCompile is never a worker */
	assert_int_equal(case_parent(&p, 5), 2);
	assert_int_equal(case_parent(&p, 6), 4);
	assert_int_equal(case_parent(&p, 7), 4);
	assert_int_equal(case_parent(&p, 8), 2);
	assert_int_equal(case_parent(&p, 9), 4);
	assert_int_equal(p.n_guesses, 1);
	assert_string_equal(p.guesses[0].id, "compile-workers");
	assert_int_equal(p.guesses[0].count, 1);
	jr_profile_done(&p);
}

/* Workers among many compilers on many threads, checked against a plain search over all. */
static UNIT(test_grafting_many)
{
	enum { COMPILES = 150, WORKERS = 300 };
	struct case_range rows[COMPILES + WORKERS];
	uint64_t seed = 42;
	for (int64_t i = 0; i < COMPILES + WORKERS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		int64_t start = (int64_t)(seed >> 33) % 1000, length = (int64_t)(seed >> 50) % 200;
		if (i >= COMPILES)
			length /= 4;
		rows[i] = (struct case_range){i + 1, 0, i + 1, start, start + length,
			i < COMPILES ? "TSL:XlaCompile:#module=f#" : "TSL:XlaEmitLlvmIr"};
	}
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	for (size_t w = COMPILES; w < COMPILES + WORKERS; w++) {
		int64_t expected = -1, best = -1;
		for (size_t c = 0; c < COMPILES; c++)
			if (rows[c].start <= rows[w].start && rows[c].end >= rows[w].end &&
				rows[c].start >= best) { /* ties: the higher range id */
				best = rows[c].start;
				expected = rows[c].id;
			}
		assert_int_equal(case_parent(&p, rows[w].id), expected);
	}
	jr_profile_done(&p);
}

static UNIT(test_other_process_id)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=a#"},
		{2, 0, 2, 10, 20, "TSL:XlaEmitLlvmIr"},
		{3, 0, 3, 10, 20, "TSL:XlaEmitLlvmIr"},
	};
	JR_CLEANUP(jr_buf_done) struct jr_buf csv = {0};
	jr_buf_puts(&csv, CASE_HEADER);
	case_put_row(&csv, rows, 3, 0, 7);
	case_put_row(&csv, rows, 3, 1, 7);
	case_put_row(&csv, rows, 3, 2, 8);
	struct jr_profile p;
	case_init(&p, false);
	case_add_text(&p, 0, jr_buf_view(&csv));
	assert_int_equal(case_parent(&p, 2), 1);
	assert_int_equal(case_parent(&p, 3), -1);
	jr_profile_done(&p);
}

static UNIT(test_foreign_domains)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "my training step"},
		{2, 1, 1, 0, 100, "TSL:XlaCompile:#module=a#"},
		{3, 2, 1, 10, 60, "cuBLAS:cublasCreate_v2"},
		{4, 3, 1, 20, 50, "cuDNN:plan"},
		{5, 4, 1, 30, 40, "TSL:XlaCompileGpuAsm:#module=a#"},
		{6, 2, 1, 70, 80, "TSL:XlaEmitLlvmIr"},
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	assert_int_equal(p.compiles.n, 3);
	assert_int_equal(case_parent(&p, 2), 0);
	assert_int_equal(case_parent(&p, 5), 2);
	uint32_t top = case_row(&p, 2);
	assert_int_equal(p.compiles.child_ns[top], 20);
	assert_int_equal(p.compiles.self_ns[top], 80);
	/* the rows that it belongs to are kept */
	assert_int_equal(p.n_compile_foreign, 2);
	assert_string_equal(jr_str(&p, p.compile_foreign[0].name), "cuBLAS:cublasCreate_v2");
	assert_int_equal(p.compile_foreign[0].row, top);
	assert_int_equal(p.compile_foreign[0].self_ns, 20);
	assert_string_equal(jr_str(&p, p.compile_foreign[1].name), "cuDNN:plan");
	assert_int_equal(p.compile_foreign[1].self_ns, 20);
	jr_profile_done(&p);
}

/* The autotuner's time is all its own. Foreign ranges below it count only on its own thread. */
static UNIT(test_foreign_below_autotuner)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=a#"},
		{2, 1, 1, 10, 60, "TSL:XlaAutotunerCompilation"},
		{3, 2, 1, 10, 50, "TSL:XlaCompileBackend:#module=b#"},
		{4, 3, 1, 10, 20, "cuBLAS:cublasCreate_v2"},
		{5, 3, 1, 25, 30, "cuBLAS:cublasCreate_v2"},
		{6, 0, 2, 20, 40, "TSL:XlaCompileBackend:#module=c#"},
		{7, 6, 2, 22, 30, "cuBLAS:cublasCreate_v2"},
		{8, 0, 1, 200, 230, "TSL:XlaEmitLlvmIr"},
		{9, 8, 1, 200, 220, "cuBLAS:cublasCreate_v2"},
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	assert_int_equal(p.compiles.n, 2);
	assert_int_equal(p.n_compile_foreign, 1);
	assert_int_equal(p.compile_foreign[0].row, case_row(&p, 2));
	assert_int_equal(p.compile_foreign[0].n, 2);
	assert_int_equal(p.compile_foreign[0].self_ns, 15);
	jr_profile_done(&p);
	case_init(&p, true); /* with the autotuner's detail each has its own row */
	CASE_ADD(&p, 0, rows);
	assert_int_equal(p.n_compile_foreign, 2);
	assert_int_equal(p.compile_foreign[0].row, case_row(&p, 3));
	assert_int_equal(p.compile_foreign[1].row, case_row(&p, 6));
	jr_profile_done(&p);
}

static UNIT(test_names_without_domain)
{
	const struct case_range rows[] = {
		{1, 0, 1, 0, 100, "XlaCompile:#module=a,program_id=5#"},
		{2, 1, 1, 10, 20, "XlaPass:#name=dce,module=a,program_id=5#"},
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	assert_int_equal(p.compiles.n, 2);
	assert_string_equal(case_name(&p, 1), "XlaCompile");
	assert_string_equal(case_name(&p, 2), "XlaPass:#name=dce#");
	assert_int_equal(p.compiles.program_number[1], 5);
	jr_profile_done(&p);
}

static UNIT(test_program_numbers)
{
	const struct case_range rows[] = {
		LAUNCHING,
		{5, 1, 1, 91, 99, "TSL:XlaCompileBackend:#module=f,program_id=40#"},
		{6, 5, 1, 92, 98, "TSL:XlaEmitLlvmIr:#module=f#"},
		{10, 0, 2, 30, 60, "TSL:XlaCompileBackend:#module=g,program_id=41#"},
		{11, 10, 2, 31, 59, "TSL:XlaEmitLlvmIr:#module=g#"},
		/* no backend: the number in its own name; a number beyond int64 is ignored */
		{20, 0, 1, 200, 210, "TSL:XlaCompile:#module=h,program_id=12#"},
		{21, 20, 1, 201, 202, "TSL:XlaPass:#name=dce#"},
		{30, 0, 1, 300, 310, "TSL:XlaCompile:#module=h,program_id=99999999999999999999#"},
		{31, 30, 1, 301, 302, "TSL:XlaCompileBackend:#module=i,program_id=x#"},
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	const int64_t expected[][2] = {{1, 40}, {2, 40}, {3, 40}, {5, 40}, {6, 40}, {10, 41}, {11, 41},
		{20, 12}, {21, 12}, {30, -1}, {31, -1}};
	for (size_t i = 0; i < JR_COUNT_OF(expected); i++)
		assert_int_equal(p.compiles.program_number[case_row(&p, expected[i][0])], expected[i][1]);
	jr_profile_done(&p);
}

static const struct case_range autotuned[] = {
	{1, 0, 1, 0, 100, "TSL:XlaCompile:#module=f#"},
	{2, 1, 1, 10, 60, "TSL:XlaAutotunerCompilation"},
	{3, 2, 1, 20, 30, "TSL:XlaPass:#name=dce#"},
	{4, 1, 1, 70, 90, "TSL:XlaAutotunerMeasurement:#hlo_op=dot.1#"},
	{5, 4, 1, 71, 80, "TSL:XlaModule:#hlo_module=dot.1#"},
	{6, 5, 1, 72, 79, "TSL:Thunk:#hlo_op=dot.1#"},
	{10, 0, 2, 31, 59, "TSL:XlaCompileBackend:#module=g,program_id=41#"},
	{11, 10, 2, 32, 58, "TSL:XlaEmitLlvmIr:#module=g,program_id=41#"},
};

static UNIT(test_autotuning_removed)
{
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, autotuned);
	assert_int_equal(p.compiles.n, 3);
	uint32_t compilation = case_row(&p, 2), measurement = case_row(&p, 4);
	assert_int_equal(p.compiles.self_ns[compilation], 50);
	assert_int_equal(p.compiles.child_ns[compilation], 0);
	assert_int_equal(p.compiles.self_ns[measurement], 20);
	assert_string_equal(case_name(&p, 4), "XlaAutotunerMeasurement");
	jr_profile_done(&p);
}

static UNIT(test_autotuning_detail)
{
	struct jr_profile p;
	case_init(&p, true);
	CASE_ADD(&p, 0, autotuned);
	assert_int_equal(p.compiles.n, 8);
	assert_int_equal(p.compiles.self_ns[case_row(&p, 2)], 40);
	assert_int_equal(p.compiles.child_ns[case_row(&p, 2)], 10);
	assert_int_equal(case_parent(&p, 10), 2);
	assert_string_equal(case_name(&p, 4), "XlaAutotunerMeasurement");
	assert_string_equal(case_name(&p, 5), "XlaModule:#hlo_module=dot.1#");
	jr_profile_done(&p);
}

static UNIT(test_clean_names)
{
	static const char *const names[][2] = {
		{"TSL:XlaPass:#name=dce,module=jit_f,program_id=12#", "XlaPass:#name=dce#"},
		{"TSL:XlaPassPipeline:#name=a b,module=jit_f,program_id=0#", "XlaPassPipeline:#name=a b#"},
		{"TSL:XlaCompileGpuAsm:#module=jit_f#", "XlaCompileGpuAsm"},
		{"TSL:XlaEmitGpuAsm:#module=split_module#", "XlaEmitGpuAsm:#module=split_module#"},
		{"TSL:XlaDumpHloModule:#module=jit_f,program_id=3#", "XlaDumpHloModule"},
		{"TSL:XlaModule:#prefix=jit(f)/a,b,hlo_module=jit_f,program_id=3#",
			"XlaModule:#prefix=jit(f)/a,b,hlo_module=jit_f#"},
		{"TSL:Thunk:#name=a,program_id=3,hlo_op=b#", "Thunk:#name=a,program_id=3,hlo_op=b#"},
		{"TSL:XlaPass:#name=x,program_id=abc#", "XlaPass:#name=x,program_id=abc#"},
		{"TSL:XlaPass:#", "XlaPass:#"},
		{"TSL:XlaPass:##", "XlaPass:##"},
		{"TSL:XlaPass:#name=a#b#", "XlaPass:#name=a#b#"},
		{"TSL:", ""},
		{"TSL:Xla\x1B[2J\xFF", "Xla\u241B[2J\uFFFD"},
	};
	struct case_range rows[1 + JR_COUNT_OF(names)] = {
		{100, 0, 1, 0, 1000, "TSL:XlaCompile:#module=f#"}};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		rows[1 + i] =
			(struct case_range){200 + (int64_t)i, 100, 1, 1 + (int64_t)i, 2 + (int64_t)i,
				names[i][0]};
	struct jr_profile p;
	case_init(&p, true);
	CASE_ADD(&p, 0, rows);
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		assert_string_equal(case_name(&p, 200 + (int64_t)i), names[i][1]);
	jr_profile_done(&p);
}

/* --- order and robustness -------------------------------------------------------------------- */

static void assert_same_tables(const struct jr_profile *a, const struct jr_profile *b)
{
	const struct jr_compiles *s = &a->compiles, *t = &b->compiles;
	assert_int_equal(s->n, t->n);
	for (size_t i = 0; i < s->n; i++) {
		assert_int_equal(s->range_id[i], t->range_id[i]);
		assert_string_equal(jr_str(a, s->name[i]), jr_str(b, t->name[i]));
		assert_int_equal(s->parent[i], t->parent[i]);
		assert_int_equal(s->self_ns[i], t->self_ns[i]);
		assert_int_equal(s->child_ns[i], t->child_ns[i]);
		assert_int_equal(s->program_number[i], t->program_number[i]);
		assert_int_equal(s->grafted[i], t->grafted[i]);
	}
}

static UNIT(test_permuted_rows)
{
	struct case_range rows[JR_COUNT_OF(autotuned)];
	memcpy(rows, autotuned, sizeof(rows));
	struct jr_profile straight;
	case_init(&straight, true);
	CASE_ADD(&straight, 0, autotuned);
	uint64_t seed = 7;
	for (int round = 0; round < 50; round++) {
		for (size_t i = JR_COUNT_OF(rows) - 1; i > 0; i--) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			size_t k = (size_t)(seed >> 33) % (i + 1);
			struct case_range swapped = rows[i];
			rows[i] = rows[k];
			rows[k] = swapped;
		}
		struct jr_profile permuted;
		case_init(&permuted, true);
		CASE_ADD(&permuted, 0, rows);
		assert_same_tables(&straight, &permuted);
		jr_profile_done(&permuted);
	}
	jr_profile_done(&straight);
}

static UNIT(test_several_processes)
{
	struct jr_profile p;
	case_init(&p, true);
	for (uint32_t process = 0; process < 40; process++)
		CASE_ADD(&p, process, autotuned);
	size_t n = JR_COUNT_OF(autotuned);
	assert_int_equal(p.compiles.n, 40 * n);
	for (size_t i = 0; i < p.compiles.n; i++) {
		assert_int_equal(p.compiles.process[i], i / n);
		assert_int_equal(p.compiles.range_id[i], p.compiles.range_id[i % n]);
		assert_int_equal(p.compiles.parent[i], p.compiles.parent[i % n] == JR_NONE
												   ? JR_NONE
												   : p.compiles.parent[i % n] + i / n * n);
	}
	assert_int_equal(p.n_compile_modules, 40);
	const struct jr_compile_module *last = &p.compile_modules[39];
	assert_int_equal(last->process, 39);
	assert_int_equal(last->n_phases, p.compile_modules[0].n_phases);
	assert_int_equal(last->first_phase + last->n_phases, p.n_compile_phases);
	jr_profile_done(&p);
}

/* A child that begins before its parent in a damaged file still comes after it. */
static UNIT(test_child_before_parent)
{
	const struct case_range rows[] = {
		{9, 0, 1, 50, 100, "TSL:XlaCompile:#module=f#"},
		{8, 9, 1, 10, 20, "TSL:XlaPass:#name=a#"},
		{7, 8, 1, 5, 6, "TSL:XlaPass:#name=b#"},
	};
	struct jr_profile p;
	case_init(&p, false);
	CASE_ADD(&p, 0, rows);
	assert_int_equal(p.compiles.n, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(p.compiles.parent[i] == JR_NONE || p.compiles.parent[i] < i);
	jr_profile_done(&p);
}

static void assert_refused(const char *rows, enum jr_status status, const char *message)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_host_ranges ranges;
	struct jr_error err = {.message = ""};
	JR_CLEANUP(jr_buf_done) struct jr_buf csv = {0};
	jr_buf_puts(&csv, CASE_HEADER);
	jr_buf_puts(&csv, rows);
	assert_int_equal(jr_host_ranges_read_csv(jr_buf_view(&csv), &limits, &ranges, &err), status);
	if (!strstr(err.message, message))
		fail_msg("'%s' does not say '%s'", err.message, message);
}

static UNIT(test_refused)
{
	assert_refused("1,2,1,0,1,a,7,7,0,0,5,,,\n1,2,1,0,1,a,7,7,0,0,5,,,\n", JR_EFORMAT,
		"line 3: range ID 5 occurs twice");
	assert_refused("1,2,1,0,1,a,7,7,0,0,5,6,,\n", JR_EFORMAT,
		"line 2: range 5 has parent 6, which does not exist");
	assert_refused("1,2,1,0,1,a,7,7,0,0,5,5,,\n", JR_EFORMAT, "line 2: the ancestors of range 5");
	assert_refused("1,2,1,0,1,a,7,7,0,0,5,6,,\n1,2,1,0,1,a,7,7,0,0,6,5,,\n", JR_EFORMAT,
		"form a cycle");
	assert_refused("3,2,-1,0,-1,a,7,7,0,0,5,,,\n", JR_EFORMAT, "line 2: range from 3 to 2 ns");
	assert_refused("1,4,3,4,-1,a,7,7,0,0,5,,,\n", JR_EFORMAT, "line 2: 4 ns in children and -1");
	assert_refused(
		"1,4,3,1,1,a,7,7,0,0,5,,,\n", JR_EFORMAT, "do not add up to the 3 ns of the range");
	assert_refused("-9223372036854775807,9223372036854775807,0,0,0,a,7,7,0,0,5,,,\n", JR_EFORMAT,
		"line 2: range from -9223372036854775807");
	assert_refused("0,4611686018427387904,0,0,4611686018427387904,a,7,7,0,0,5,,,\n", JR_EFORMAT,
		"line 2: range from 0 to 4611686018427387904 ns");
	assert_refused("0,4611686018427387903,0,0,4611686018427387903,a,7,7,0,0,3,,,\n"
				   "0,4611686018427387903,0,0,4611686018427387903,a,7,7,0,0,4,,,\n"
				   "0,2,2,0,2,a,7,7,0,0,6,,,\n",
		JR_EFORMAT, "line 4: durations add up to more");
	assert_refused("1,2x,1,0,1,a,7,7,0,0,5,,,\n", JR_EFORMAT,
		"line 2, column 'End (ns)': '2x' is not an integer");
	assert_refused("1,,1,0,1,a,7,7,0,0,5,,,\n", JR_EFORMAT, "column 'End (ns)': ''");
	assert_refused("1,2,1,0,1,a,7,7,0,0,-5,,,\n", JR_EFORMAT, "-5 is not a range ID");
	assert_refused("1,2,1,0,1,a,7,7,0,0,5,-1,,\n", JR_EFORMAT, "-1 is not a range ID");
	assert_refused("1,2\n", JR_EFORMAT, "line 2");
}

static UNIT(test_refused_header)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_host_ranges ranges;
	struct jr_error err;
	static const char *const texts[] = {"", "a,b\n1,2\n", "RangeId,ParentId,Name,TID,End (ns)\n"};
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++)
		assert_int_equal(jr_host_ranges_read_csv(jr_bytes_of(texts[i], strlen(texts[i])), &limits,
							 &ranges, &err),
			JR_EFORMAT);
	assert_non_null(strstr(err.message, "column 'Start (ns)' is missing"));
}

static UNIT(test_deep_nesting)
{
	struct jr_limits limits = jr_limits_default();
	JR_CLEANUP(jr_buf_done) struct jr_buf csv = {0};
	jr_buf_puts(&csv, CASE_HEADER);
	for (int i = 1; i <= 513; i++) { /* from the innermost to the outermost */
		int id = 514 - i;
		jr_buf_printf(&csv, "%d,%d,0,%d,2,TSL:XlaCompile:,7,7,0,0,%d,", id, 2000 - id,
			2000 - 2 * id - 2, id);
		if (id > 1)
			jr_buf_printf(&csv, "%d", id - 1);
		jr_buf_puts(&csv, ",,\n");
	}
	struct jr_host_ranges ranges;
	struct jr_error err;
	assert_int_equal(jr_host_ranges_read_csv(jr_buf_view(&csv), &limits, &ranges, &err), JR_ELIMIT);
	assert_non_null(strstr(err.message, "--max-depth"));
	limits.depth = 513;
	assert_int_equal(jr_host_ranges_read_csv(jr_buf_view(&csv), &limits, &ranges, &err), JR_OK);
	jr_host_ranges_done(&ranges);
}

/* Text that nsys prints before the header, columns in another order, optional columns left out. */
static UNIT(test_columns_by_name)
{
	static const char text[] = "Generating SQLite file a.sqlite from a.nsys-rep\n"
							   "Name,RangeId,ParentId,TID,End (ns),Start (ns)\n"
							   "TSL:XlaCompile:#module=f#,1,,5,100,0\n"
							   "\"TSL:XlaPass:#name=a,module=f#\",2,1,5,60,10\n";
	struct jr_profile p;
	case_init(&p, false);
	case_add_text(&p, 0, jr_bytes_of(text, sizeof(text) - 1));
	assert_int_equal(p.compiles.n, 2);
	assert_int_equal(p.compiles.child_ns[0], 50);
	assert_int_equal(p.compiles.self_ns[0], 50);
	assert_int_equal(p.compiles.self_ns[1], 50);
	jr_profile_done(&p);
}

/* Any damage gives a status with a message, never a crash; run under the sanitizers. */
static UNIT(test_damaged_bytes)
{
	struct jr_buf csv = case_csv(autotuned, JR_COUNT_OF(autotuned));
	char *copy = malloc(csv.size);
	assert_non_null(copy);
	uint64_t seed = 1;
	size_t n_read = 0;
	for (int round = 0; round < 3000; round++) {
		memcpy(copy, csv.data, csv.size);
		for (int flips = 0; flips <= round % 4; flips++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[(seed >> 33) % csv.size] = "0123456789,\"\n#:=-X\xFF"[(seed >> 20) % 18];
		}
		struct jr_profile p;
		struct jr_host_ranges ranges;
		struct jr_error err = {.message = ""};
		case_init(&p, round % 2);
		if (jr_host_ranges_read_csv(jr_bytes_of(copy, csv.size), &p.options.limits, &ranges,
				&err) == JR_OK) {
			n_read++;
			assert_int_equal(jr_compile_add(&p, 0, &ranges, &err), JR_OK);
			jr_host_ranges_done(&ranges);
		} else {
			assert_int_not_equal(err.message[0], '\0');
		}
		jr_profile_done(&p);
	}
	assert_true(n_read > 100);
	free(copy);
	jr_buf_done(&csv);
}
