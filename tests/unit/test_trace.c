/* The projected ranges of a process from Parquet, in three column sets; formats/README.md,
 * section 1.1. */
#include "parquet_table_build.h"

#include "base/num.h"
#include "corpus.h"
#include "formats/archive/archive.h"
#include "hlo_build.h"
#include "model/archive/trace_parts.h"
#include "model/archive/trace.h"
#include "trace_build.h"

enum { MOST_ROWS = 700 };

/* A row as stored in the file; parent NO_VALUE: none. */
struct file_row {
	int64_t id, parent;
	const char *text;
	int64_t start, end;
};

/* Build layout 'A', 'B' or 'C'. In 'C' a text "DOMAIN:text" is split. */
static struct table_build trace_table(struct jr_arena *a, char layout, const struct file_row *rows,
	size_t n)
{
	struct table_build t = table_begin(a, n);
	int64_t *columns[7];
	for (size_t c = 0; c < JR_COUNT_OF(columns); c++)
		columns[c] = JR_ARENA_N(a, int64_t, n + 1);
	const char **texts = JR_ARENA_N(a, const char *, n + 1);
	const char **domains = JR_ARENA_N(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		columns[0][i] = rows[i].start;
		bool dur = layout == 'A' && rows[i].end != NO_VALUE && rows[i].start != NO_VALUE;
		columns[1][i] = dur ? rows[i].end - rows[i].start : rows[i].end;
		columns[2][i] = rows[i].id;
		columns[3][i] = rows[i].parent;
		columns[4][i] = 5;              /* PID */
		columns[5][i] = 20;             /* TID */
		columns[6][i] = 1 + (int64_t)i; /* GPU operations */
		const char *colon = rows[i].text ? strchr(rows[i].text, ':') : NULL;
		bool split = layout == 'C' && colon && colon < strchr(rows[i].text, '#');
		domains[i] =
			split ? jr_arena_strndup(a, rows[i].text, (size_t)(colon - rows[i].text)) : NULL;
		texts[i] = split ? colon + 1 : rows[i].text;
	}
	bool classic = layout == 'A';
	table_texts(&t, classic ? "Name" : "Text", texts);
	if (layout == 'C')
		table_texts(&t, "Domain", domains);
	table_numbers(&t, classic ? "Projected Start" : "Start", columns[0]);
	table_numbers(&t, classic ? "Projected Duration" : "End", columns[1]);
	table_numbers(&t, classic ? "RangeId" : "Range ID", columns[2]);
	table_numbers(&t, classic ? "ParentId" : "Parent ID", columns[3]);
	table_numbers(&t, "PID", columns[4]);
	table_numbers(&t, "TID", columns[5]);
	if (classic)
		table_numbers(&t, "NumGPUOps", columns[6]);
	return t;
}

static enum jr_status read_table(const struct table_build *t, const struct jr_limits *limits,
	struct jr_trace *trace, struct jr_error *err)
{
	struct jr_limits defaults = jr_limits_default();
	struct jr_buf file = table_file(t);
	enum jr_status status =
		jr_trace_read(jr_buf_view(&file), limits ? limits : &defaults, trace, err);
	jr_buf_done(&file);
	return status;
}

static void read_rows(struct jr_arena *a, char layout, const struct file_row *rows, size_t n,
	struct jr_trace *trace)
{
	struct jr_error err = {.message = ""};
	struct table_build t = trace_table(a, layout, rows, n);
	if (read_table(&t, NULL, trace, &err) != JR_OK)
		fail_msg("%s", err.message);
}

/* "ID<PARENT START+DUR TEXT" per row. */
static void check_trace(const struct jr_trace *t, const char *expected)
{
	struct jr_buf got = {0};
	for (size_t i = 0; i < t->n; i++) {
		jr_buf_printf(&got, "%" PRId64, t->range_id[i]);
		if (t->parent[i] != JR_NONE)
			jr_buf_printf(&got, "<%" PRId64, t->range_id[t->parent[i]]);
		jr_buf_printf(&got, " %" PRId64 "+%" PRId64 " %s\n", t->start_ns[i],
			t->end_ns[i] - t->start_ns[i], jr_intern_str(&t->strings, t->names[t->name[i]].text));
	}
	check_text(&got, expected);
}

/* --- column sets ------------------------------------------------------------------------------ */

static UNIT_IN_ARENA(test_the_three_layouts)
{
	static const struct file_row rows[] = {
		{1, NO_VALUE, "TSL:XlaModule:#hlo_module=jit_f,program_id=7#", 100, 200},
		{2, 1, "TSL:Thunk:#hlo_op=a.1#", 110, 120},
		{3, 2, "NCCL:ncclGroupEnd#", 112, 118},
	};
	static const char layouts[] = "ABC";
	for (size_t k = 0; k < 3; k++) {
		struct jr_trace trace;
		read_rows(*state, layouts[k], rows, JR_COUNT_OF(rows), &trace);
		assert_int_equal(trace.layout, layouts[k]);
		assert_int_equal(trace.xla, 1);
		assert_true(trace.has_tid);
		check_trace(&trace,
			"1 100+100 TSL:XlaModule:#hlo_module=jit_f,program_id=7#\n"
			"2<1 110+10 TSL:Thunk:#hlo_op=a.1#\n"
			"3<2 112+6 NCCL:ncclGroupEnd#\n");
		assert_int_equal(trace.names[trace.name[0]].kind, JR_RANGE_MODULE);
		assert_int_equal(trace.names[trace.name[0]].program_number, 7);
		assert_int_equal(trace.names[trace.name[1]].kind, JR_RANGE_THUNK);
		assert_int_equal(trace.names[trace.name[2]].kind, JR_RANGE_NCCL);
		if (layouts[k] == 'A')
			assert_int_equal(trace.n_gpu_ops[2], 3);
		else
			assert_null(trace.n_gpu_ops);
		assert_int_equal(trace.pid[1], 5);
		assert_int_equal(trace.tid[1], 20);
		jr_trace_done(&trace);
	}
}

/* Rows without an id, a time or a text are dropped and counted. Rows of set A with neither an id
 * nor a text are not counted: they are whole processes. */
static UNIT_IN_ARENA(test_incomplete_rows)
{
	static const struct file_row rows[] = {
		{NO_VALUE, NO_VALUE, NULL, 0, 1000},
		{NO_VALUE, NO_VALUE, "no id", 0, 1000},
		{2, NO_VALUE, "kept", 1, 2},
		{3, 2, NULL, 1, 2},
		{4, 2, "no start", NO_VALUE, 5},
		{5, 2, "no end", 5, NO_VALUE},
		{6, 5, "child of a dropped one", 6, 7},
	};
	for (const char *layout = "ABC"; *layout; layout++) {
		struct jr_trace trace;
		read_rows(*state, *layout, rows, JR_COUNT_OF(rows), &trace);
		assert_int_equal(trace.n_unreadable, *layout == 'A' ? 4 : 5);
		assert_int_equal(trace.n_ranges, *layout == 'A' ? 6 : 7);
		assert_int_equal(trace.n_recovered, 0);
		assert_int_equal(trace.n_dangling, 1);
		check_trace(&trace, "2 1+1 kept\n6 6+1 child of a dropped one\n");
		jr_trace_done(&trace);
	}
	struct jr_trace trace;
	read_rows(*state, 'A', rows, 0, &trace);
	assert_int_equal(trace.n, 0);
	jr_trace_done(&trace);
}

static UNIT_IN_ARENA(test_columns_that_are_absent)
{
	static const struct file_row rows[] = {{1, NO_VALUE, "a", 0, 10}, {2, 1, "b", 0, 10}};
	static const struct {
		char layout;
		const char *absent;
		bool needed;
	} cases[] = {{'A', "Name", true}, {'A', "Projected Duration", true}, {'A', "RangeId", true},
		{'A', "ParentId", true}, {'A', "PID", false}, {'A', "TID", false},
		{'A', "NumGPUOps", false}, {'A', "Projected Start", true}, {'B', "Text", true},
		{'B', "Start", true}, {'B', "End", true}, {'B', "Range ID", true}, {'B', "Parent ID", true},
		{'C', "Text", true}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct table_build t = trace_table(*state, cases[i].layout, rows, JR_COUNT_OF(rows));
		for (size_t c = 0; c < t.n_columns; c++)
			if (strcmp(t.columns[c].name, cases[i].absent) == 0)
				t.columns[c].name = "something else";
		struct jr_trace trace;
		struct jr_error err = {.message = ""};
		enum jr_status status = read_table(&t, NULL, &trace, &err);
		if (cases[i].needed != (status == JR_EFORMAT))
			fail_msg("without '%s': status %d", cases[i].absent, (int)status);
		if (status == JR_OK)
			jr_trace_done(&trace);
		else /* the message has one name of the column */
			assert_non_null(strstr(err.message, "' is missing"));
	}
}

static UNIT_IN_ARENA(test_times_that_cannot_be)
{
	static const struct {
		char layout;
		struct file_row row;
		const char *message;
	} cases[] = {
		{'A', {1, NO_VALUE, "a", 10, 5}, "row 0: range ends before it starts"},
		{'B', {1, NO_VALUE, "a", 10, 5}, "row 0: range ends before it starts"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_trace trace;
		struct jr_error err = {.message = ""};
		struct table_build t = trace_table(*state, cases[i].layout, &cases[i].row, 1);
		assert_int_equal(read_table(&t, NULL, &trace, &err), JR_EFORMAT);
		assert_string_equal(err.message, cases[i].message);
	}
	/* start + duration beyond int64 */
	struct file_row row = {1, NO_VALUE, "a", 10, 20};
	struct table_build t = trace_table(*state, 'A', &row, 1);
	static const int64_t huge[] = {INT64_MAX - 5};
	for (size_t c = 0; c < t.n_columns; c++)
		if (strcmp(t.columns[c].name, "Projected Duration") == 0)
			t.columns[c].i64 = huge;
	struct jr_trace trace;
	struct jr_error err = {.message = ""};
	assert_int_equal(read_table(&t, NULL, &trace, &err), JR_EFORMAT);
	assert_string_equal(err.message, "row 0: start + duration overflows");
	/* times whose difference would exceed int64 */
	static const int64_t ends[] = {-JR_TIME_MAX_NS - 1, JR_TIME_MAX_NS + 1};
	for (size_t i = 0; i < JR_COUNT_OF(ends); i++) {
		struct file_row far = {1, NO_VALUE, "a", ends[i], ends[i]};
		struct table_build of = trace_table(*state, 'A', &far, 1);
		assert_int_equal(read_table(&of, NULL, &trace, &err), JR_EFORMAT);
		assert_string_equal(err.message, "row 0: time more than 146 years from 0");
	}
}

/* --- ids and parents ----------------------------------------------------------------------------
 */

static UNIT_IN_ARENA(test_duplicate_ids)
{
	static const struct file_row rows[] = {
		{1, NO_VALUE, "first", 0, 10},
		{1, NO_VALUE, "second", 0, 10},
		{2, 1, "child", 1, 2}, /* the first row with that id counts */
		{1, 2, "third", 0, 10},
	};
	struct jr_trace trace;
	read_rows(*state, 'A', rows, JR_COUNT_OF(rows), &trace);
	assert_int_equal(trace.n_duplicates, 2);
	assert_int_equal(trace.parent[2], 0);
	jr_trace_done(&trace);
}

static UNIT_IN_ARENA(test_dangling_and_cyclic_parents)
{
	static const struct file_row rows[] = {
		{1, 99, "dangling", 0, 10},
		{2, 2, "its own parent", 0, 10},
		{3, 5, "cycle a", 0, 10},
		{4, 3, "cycle b", 0, 10},
		{5, 4, "cycle c", 0, 10},
		{6, 3, "under the cycle", 0, 10},
		{7, 1, "fine", 0, 10},
	};
	struct jr_trace trace;
	read_rows(*state, 'A', rows, JR_COUNT_OF(rows), &trace);
	assert_int_equal(trace.n_dangling, 3); /* one link each */
	assert_int_equal(trace.parent[0], JR_NONE);
	assert_int_equal(trace.parent[1], JR_NONE);
	assert_int_equal(trace.parent[5], 2);
	assert_int_equal(trace.parent[6], 0);
	int tops = 0;
	for (size_t i = 0; i < trace.n; i++) {
		size_t steps = 0; /* every climb ends */
		for (uint32_t up = (uint32_t)i; up != JR_NONE; up = trace.parent[up])
			assert_true(++steps <= trace.n);
		tops += trace.parent[i] == JR_NONE;
	}
	assert_int_equal(tops, 3);
	jr_trace_done(&trace);
}

/* A chain deeper than the limit is cut at intervals; each row stays below some top. */
static UNIT_IN_ARENA(test_deep_chains)
{
	static struct file_row rows[MOST_ROWS];
	for (int i = 0; i < MOST_ROWS; i++)
		rows[i] = (struct file_row){i + 1, i ? i : NO_VALUE, "deep", 0, 10};
	struct jr_limits limits = jr_limits_default();
	limits.depth = 100;
	struct table_build t = trace_table(*state, 'A', rows, MOST_ROWS);
	struct jr_trace trace;
	struct jr_error err = {.message = ""};
	assert_int_equal(read_table(&t, &limits, &trace, &err), JR_OK);
	for (size_t i = 0; i < trace.n; i++) {
		size_t depth = 0;
		for (uint32_t up = trace.parent[i]; up != JR_NONE; up = trace.parent[up])
			depth++;
		assert_true(depth <= limits.depth);
	}
	assert_int_equal(trace.n_dangling, (MOST_ROWS - 1) / 101);
	jr_trace_done(&trace);
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* Stacks ":1:2", as text or as lists; NULL: null. */
static void add_stacks(struct table_build *t, char layout, const char *const *stacks)
{
	if (layout == 'A') {
		table_texts(t, "RangeStack", stacks);
		return;
	}
	int64_t *items = JR_ARENA_N(t->arena, int64_t, 16 * t->n_rows + 1);
	uint64_t *begin = JR_ARENA_N(t->arena, uint64_t, t->n_rows + 2), n = 0;
	uint8_t *valid = JR_ARENA_N(t->arena, uint8_t, t->n_rows + 1);
	for (size_t i = 0; i < t->n_rows; i++) {
		begin[i] = n;
		valid[i] = stacks[i] != NULL;
		for (const char *s = stacks[i]; s && *s; s += strcspn(s + 1, ":") + 1)
			assert_true(jr_parse_i64(s + 1, strcspn(s + 1, ":"), &items[n++]));
	}
	begin[t->n_rows] = n;
	struct jr_pq_put_column *column = table_column(t, "Range Stack", JR_PQ_PUT_INT64_LIST);
	column->i64 = items;
	column->list_begin = begin;
	column->valid = valid;
}

/* A row without an id gets the last id of its stack, unless another row has that id. */
static UNIT_IN_ARENA(test_ids_out_of_stacks)
{
	static const struct file_row rows[] = {
		{NO_VALUE, NO_VALUE, "module", 0, 100},
		{2, 1, "thunk", 10, 60},
		{NO_VALUE, 2, "in it", 12, 30},
		{NO_VALUE, 2, "whose stack says an id that is taken", 12, 30},
		{NO_VALUE, 2, "whose stack says an id of the one above", 12, 30},
		{NO_VALUE, 2, "without a stack", 12, 30},
		{NO_VALUE, 2, "without a time", NO_VALUE, 30},
		{NO_VALUE, 2, "with an empty stack", 12, 30},
		{8, NO_VALUE, "beside", 200, 300},
	};
	static const char *const stacks[] = {
		":1", ":1:2", ":1:2:3", ":1:2:8", ":1:2:3", NULL, ":1:2:6", "", ":8"};
	for (const char *layout = "ABC"; *layout; layout++) {
		struct table_build t = trace_table(*state, *layout, rows, JR_COUNT_OF(rows));
		struct jr_trace trace;
		struct jr_error err = {.message = ""};
		add_stacks(&t, *layout, stacks);
		assert_int_equal(read_table(&t, NULL, &trace, &err), JR_OK);
		check_trace(&trace,
			"1 0+100 module\n2<1 10+50 thunk\n3<2 12+18 in it\n8 200+100 beside\n");
		assert_int_equal(trace.n_unreadable, 7);
		assert_int_equal(trace.n_recovered, 2);
		assert_int_equal(trace.n_ranges, 9);
		jr_trace_done(&trace);
	}
}

/* If a parent is missing, the range is placed below the nearest existing range of its stack. A
 * stack that does not end in the range's own id belongs to another range. */
static UNIT_IN_ARENA(test_parents_out_of_stacks)
{
	static const struct file_row rows[] = {
		{1, NO_VALUE, "module", 0, 100},
		{4, 3, "adopted", 12, 30},
		{5, 3, "of another's stack", 12, 30},
		{6, 9, "of which no ancestor is there", 12, 30},
		{7, 3, "of which an ancestor is no number", 12, 30},
	};
	static const char *const stacks[] = {":1", ":1:2:3:4", ":1:2:3:6", ":8:9:6", ":1:x:3:7"};
	struct table_build t = trace_table(*state, 'A', rows, JR_COUNT_OF(rows));
	struct jr_trace trace;
	struct jr_error err = {.message = ""};
	add_stacks(&t, 'A', stacks);
	assert_int_equal(read_table(&t, NULL, &trace, &err), JR_OK);
	static const uint32_t parents[] = {JR_NONE, 0, JR_NONE, JR_NONE, JR_NONE};
	assert_memory_equal(trace.parent, parents, sizeof(parents));
	assert_int_equal(trace.n_adopted, 1);
	assert_int_equal(trace.n_dangling, 3);
	static const uint8_t lost[] = {0, 0, 1, 1, 1};
	assert_memory_equal(trace.parent_lost, lost, sizeof(lost));
	jr_trace_done(&trace);
}

/* Stacks of the wrong type, or too deep, are ignored. */
static UNIT_IN_ARENA(test_stacks_that_are_none)
{
	static const struct file_row rows[] = {
		{1, NO_VALUE, "module", 0, 100},
		{NO_VALUE, 1, "no id", 12, 30},
		{4, 3, "no parent", 12, 30}};
	static const int64_t numbers[] = {1, 2, 4};
	static const char *const deep[] = {":1", ":1:99999999999999999999", ":1:2:3:4"};
	struct jr_limits limits = jr_limits_default();
	limits.depth = 3;
	for (int i = 0; i < 2; i++) {
		struct table_build t = trace_table(*state, 'A', rows, JR_COUNT_OF(rows));
		struct jr_trace trace;
		struct jr_error err = {.message = ""};
		if (i)
			add_stacks(&t, 'A', deep);
		else
			table_numbers(&t, "RangeStack", numbers);
		assert_int_equal(read_table(&t, &limits, &trace, &err), JR_OK);
		assert_int_equal(trace.n, 2);
		assert_int_equal(trace.n_unreadable, 1);
		assert_int_equal(trace.n_dangling, 1);
		jr_trace_done(&trace);
	}
}

/* A thunk with a lost parent belongs to the execution around it. If there is none, its execution
 * is lost as well. */
static UNIT_IN_ARENA(test_thunks_of_lost_executions)
{
	static const struct file_row rows[] = {
		{1, NO_VALUE, "TSL:XlaModule:#hlo_module=jit_f,program_id=7#", 0, 100},
		{2, 1, "TSL:Thunk:#hlo_op=a.1#", 10, 60},
		{3, 9, "TSL:Thunk:#hlo_op=b.1#", 70, 80},
		{NO_VALUE, NO_VALUE, "TSL:XlaModule:#hlo_module=jit_f,program_id=7#", 200, 300},
		{5, 4, "TSL:Thunk:#hlo_op=a.1#", 210, 260},
		{6, NO_VALUE, "TSL:Thunk:#hlo_op=c.1#", 310, 360}, /* it never had one */
	};
	struct jr_trace trace;
	read_rows(*state, 'A', rows, JR_COUNT_OF(rows), &trace);
	struct job job;
	job_init(&job, NULL);
	job_add_trace(&job, &(struct job_process){.pid = 5}, &trace);
	job_finish(&job);
	jr_trace_done(&trace);
	check_modules(&job.profile, "7.0@0 jit_f 0+100 n=3\n");
	check_thunks(&job.profile, "7.0@0 a.1#0 10+50\n7.0@0 b.1#0 70+10\n7.0@0 c.1#0 310+50\n");
	check_guesses(&job.profile, "lost-thunks=1 orphan-thunks=2");
	job_done(&job);
}

static void read_parquet(struct jr_archive *archive, const char *name, struct jr_buf *file)
{
	struct jr_error err = {.message = ""};
	size_t member = jr_archive_find(archive, name);
	if (member == SIZE_MAX || jr_archive_read(archive, member, file, &err) != JR_OK)
		fail_msg("%s: %s", name, err.message);
}

/* Copy the columns of set A, with every tenth row without its id. */
static struct table_build copy_without_ids(const struct jr_parquet *pq, struct jr_arena *a)
{
	static const char *const numbers[] = {"Projected Start", "Projected Duration", "RangeId",
		"ParentId", "PID", "TID", "NumGPUOps"};
	static const char *const texts[] = {"Name", "RangeStack"};
	struct table_build t = table_begin(a, (size_t)pq->n_rows);
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_intern strings;
	jr_intern_init(&strings);
	for (size_t i = 0; i < JR_COUNT_OF(numbers); i++) {
		int64_t *values;
		assert_int_equal(jr_parquet_i64(pq, numbers[i], a, &values, &err), JR_OK);
		for (size_t row = 0; row < t.n_rows && strcmp(numbers[i], "RangeId") == 0; row += 10)
			values[row] = NO_VALUE;
		table_numbers(&t, numbers[i], values);
	}
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++) {
		uint32_t *ids;
		const char **values = JR_ARENA_N(a, const char *, t.n_rows);
		assert_int_equal(
			jr_parquet_text(pq, texts[i], &limits, &strings, a, limits.string_bytes, &ids, &err),
			JR_OK);
		for (size_t row = 0; row < t.n_rows; row++)
			values[row] =
				ids[row] == JR_NONE ? NULL : jr_arena_strdup(a, jr_intern_str(&strings, ids[row]));
		table_texts(&t, texts[i], values);
	}
	jr_intern_done(&strings);
	return t;
}

/* A real trace without a tenth of its ids gives the same result as the complete trace. */
static UNIT_IN_ARENA(test_a_real_trace_without_ids)
{
	static const char path[] = CORPUS "archives/pax_fsdp4_4proc_proc0.zip";
	CORPUS_OR_SKIP("archives/pax_fsdp4_4proc_proc0.zip");
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_archive *archive;
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_parquet pq;
	struct jr_trace whole, without;
	assert_int_equal(jr_archive_open(path, &limits, &archive, &err), JR_OK);
	read_parquet(archive, "nvtx_gpu_proj_trace/trace.parquet", &file);
	assert_int_equal(jr_trace_read(jr_buf_view(&file), &limits, &whole, &err), JR_OK);
	assert_int_equal(jr_parquet_open(jr_buf_view(&file), &limits, *state, &pq, &err), JR_OK);
	struct table_build t = copy_without_ids(&pq, *state);
	assert_int_equal(read_table(&t, NULL, &without, &err), JR_OK);
	assert_int_equal(whole.n_unreadable, 0);
	assert_int_equal(whole.n, pq.n_rows - 1); /* the row of the whole process */
	assert_int_equal(without.n_unreadable, without.n_recovered);
	assert_true(without.n_recovered > whole.n / 11);
	assert_int_equal(without.n, whole.n);
	assert_int_equal(without.n_dangling, 0);
	assert_memory_equal(without.range_id, whole.range_id, whole.n * sizeof(*whole.range_id));
	assert_memory_equal(without.parent, whole.parent, whole.n * sizeof(*whole.parent));
	assert_memory_equal(without.start_ns, whole.start_ns, whole.n * sizeof(*whole.start_ns));
	jr_trace_done(&whole);
	jr_trace_done(&without);
	jr_archive_close(archive);
}

/* --- ranges that only overlap their parents --------------------------------------------------- */

/* Only column sets B and C: set A comes from host times. */
static UNIT_IN_ARENA(test_nesting_is_repaired)
{
	static const struct file_row rows[] = {
		{1, NO_VALUE, "XlaModule:#hlo_module=jit_f,program_id=7#", 0, 100},
		{2, 1, "Thunk:#hlo_op=a.1#", 10, 30},
		{3, 2, "Thunk:#hlo_op=b.1#", 20, 40}, /* begins in a, ends after it */
		{4, 3, "Thunk:#hlo_op=c.1#", 22, 28}, /* in b, and in a */
		{5, 2, "Thunk:#hlo_op=d.1#", 12, 30}, /* ends with it: inside it */
		{6, 1, "Thunk:#hlo_op=e.1#", 90, 110}, /* after its module: a module stays */
	};
	struct jr_trace trace;
	for (const char *layout = "BC"; *layout; layout++) {
		read_rows(*state, *layout, rows, JR_COUNT_OF(rows), &trace);
		assert_int_equal(trace.n_reparented, 1);
		static const uint32_t parents[] = {JR_NONE, 0, 0, 2, 1, 0};
		assert_memory_equal(trace.parent, parents, sizeof(parents));
		jr_trace_done(&trace);
	}
	read_rows(*state, 'A', rows, JR_COUNT_OF(rows), &trace);
	assert_int_equal(trace.n_reparented, 0);
	jr_trace_done(&trace);
}

/* The order of the rows in the file makes no difference. */
static UNIT_IN_ARENA(test_repair_does_not_hang_on_order)
{
	static const struct file_row forward[] = {
		{1, NO_VALUE, "XlaModule:#hlo_module=jit_f,program_id=7#", 0, 100},
		{2, 1, "Thunk:#hlo_op=a.1#", 10, 50},
		{3, 2, "Thunk:#hlo_op=b.1#", 5, 20},  /* not in a */
		{4, 3, "Thunk:#hlo_op=c.1#", 15, 30}, /* not in b, but in a */
	};
	struct file_row rows[4];
	int order[4] = {0, 1, 2, 3};
	uint32_t seed = 3;
	for (int round = 0; round < 24; round++) {
		for (uint32_t i = 3; i > 0; i--) {
			uint32_t k = next_random(&seed, i + 1);
			int swap = order[i];
			order[i] = order[k];
			order[k] = swap;
		}
		for (int i = 0; i < 4; i++)
			rows[i] = forward[order[i]];
		struct jr_trace trace;
		read_rows(*state, 'B', rows, 4, &trace);
		for (size_t i = 0; i < 4; i++) {
			static const int64_t parents[] = {0, 0, 1, 1, 2};
			int64_t parent = trace.parent[i] == JR_NONE ? 0 : trace.range_id[trace.parent[i]];
			assert_int_equal(parent, parents[trace.range_id[i]]);
		}
		jr_trace_done(&trace);
	}
}

/* From the file to rows: NCCL in a thunk of layout C, names of xla 2. */
static UNIT_IN_ARENA(test_to_rows)
{
	static const struct file_row rows[] = {
		{1, NO_VALUE, "TSL:XlaModule:#hlo_module=jit_f,program_id=7#", 0, 100},
		{2, 1, "TSL:Thunk:#name=f/a,b[x=1],hlo_op=while.1,unique_hlo_op_id=3#", 10, 60},
		{3, 2, "TSL:Thunk:#hlo_op=a.1,unique_hlo_op_id=4#", 12, 30},
		{4, 3, "NCCL:ncclAllReduce#", 12, 30},
		{5, NO_VALUE, "TSL:Thunk:#hlo_op=b.1,unique_hlo_op_id=5#", 70, 80},
	};
	struct jr_trace trace;
	read_rows(*state, 'C', rows, JR_COUNT_OF(rows), &trace);
	assert_int_equal(trace.xla, 2);
	struct job job;
	job_init(&job, NULL);
	job_add_trace(&job, &(struct job_process){.pid = 5}, &trace);
	job_finish(&job);
	jr_trace_done(&trace);
	check_modules(&job.profile, "7.0@0 jit_f 0+100 n=2\n");
	check_thunks(&job.profile, "7.0@0 a.1*#0 12+18\n7.0@0 b.1#0 70+10\n");
	check_guesses(&job.profile, "communication-by-name=1 orphan-thunks=1");
	job_done(&job);
}
