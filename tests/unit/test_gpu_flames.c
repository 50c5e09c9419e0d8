/* The two flamegraphs of GPU time, on hand-made jobs; analysis/README.md, section 5. */
#include "pass_case.h"

/* --- building -----------------------------------------------------------------------------------
 */

static void set_origin(
	struct jr_arena *a, Xla__HloInstructionProto *i, const char *op_name, int frame)
{
	i->metadata = build_new(a, &xla__op_metadata__descriptor);
	i->metadata->op_name = TEXT(a, op_name);
	i->metadata->stack_frame_id = frame;
}

/* Add a frame with its own location, called from `parent` (0: outermost); return its id. */
static int add_frame(struct jr_arena *a, Xla__HloProto *proto, int line, int parent)
{
	Xla__HloModuleProto *module = proto->hlo_module;
	if (!module->stack_frame_index) {
		module->stack_frame_index = build_new(a, &xla__stack_frame_index_proto__descriptor);
		ADD(a, module->stack_frame_index, file_names, TEXT(a, "/t.py"));
		ADD(a, module->stack_frame_index, function_names, TEXT(a, "f"));
	}
	Xla__StackFrameIndexProto *index = module->stack_frame_index;
	Xla__StackFrameIndexProto__FileLocation *location =
		build_new(a, &xla__stack_frame_index_proto__file_location__descriptor);
	Xla__StackFrameIndexProto__StackFrame *frame =
		build_new(a, &xla__stack_frame_index_proto__stack_frame__descriptor);
	location->file_name_id = location->function_name_id = 1;
	location->line = line;
	ADD(a, index, file_locations, location);
	frame->file_location_id = (int32_t)index->n_file_locations;
	frame->parent_frame_id = parent;
	ADD(a, index, stack_frames, frame);
	return (int)index->n_stack_frames;
}

struct flame_case {
	struct jr_arena *arena;
	Xla__HloProto *proto;
	Xla__HloComputationProto *entry;
	int64_t next_id;
};

static struct flame_case flame_new(struct jr_arena *a)
{
	struct flame_case f = {.arena = a, .proto = build_module(a, "jit_f"), .next_id = 10};
	f.entry = build_computation(a, f.proto, "main", 1);
	return f;
}

static Xla__HloInstructionProto *flame_op(struct flame_case *f, Xla__HloComputationProto *in,
	const char *name, const char *op_name, int frame)
{
	Xla__HloInstructionProto *i = build_instruction(f->arena, in, name, "fusion", f->next_id++);
	set_origin(f->arena, i, op_name, frame);
	return i;
}

static Xla__HloComputationProto *flame_called(struct flame_case *f, Xla__HloInstructionProto *by)
{
	Xla__HloComputationProto *c = build_computation(f->arena, f->proto, "called", f->next_id++);
	ADD(f->arena, by, called_computation_ids, c->id);
	return c;
}

/* "a;b;c NS" per weighted stack, in tree order. */
static void check_stacks(const struct pass_run *run, const char *name, const char *expected)
{
	const struct jr_tree *t = run_tree(run, name);
	struct jr_buf got = {0};
	size_t weighted = 0;
	check_tree(t);
	for (size_t i = 0; i < t->n; i++) {
		if (t->self_ns[i] == 0)
			continue;
		uint32_t chain[64];
		size_t n = 0;
		for (uint32_t at = (uint32_t)i; at != JR_NONE; at = t->parent[at])
			chain[n++] = at;
		while (n-- > 0)
			jr_buf_printf(&got, "%s%s", t->text[chain[n]], n ? ";" : "");
		jr_buf_printf(&got, " %.6g\n", t->self_ns[i]);
		weighted++;
	}
	assert_int_equal(weighted, t->n_stacks);
	check_text(&got, expected);
}

/* Thunks of these names and lengths in one execution of 1000 ns. */
struct flame_thunk {
	const char *name;
	int64_t dur;
};

static void flame_run(struct pass_run *run, const struct flame_case *f,
	const struct flame_thunk *thunks, size_t n)
{
	struct job_rows rows = {.arena = f->arena};
	const struct job_hlo hlo[] = {{7, f->proto}};
	int64_t m = rows_add(&rows, 0, 0, 1000, 100, MODULE("7", "jit_f")), at = 0;
	for (size_t i = 0; i < n; i++) {
		rows_add(&rows, m, at, at + thunks[i].dur, 100, "Thunk:#hlo_op=%s#", thunks[i].name);
		at += thunks[i].dur;
	}
	struct job_process process = rows_process(&rows, 1);
	process.hlo = hlo;
	process.n_hlo = 1;
	passes_of(run, NULL, &process);
	jr_vec_done(&rows);
}

#define FLAME(run, f, ...)                                                                         \
	flame_run((run), (f), (const struct flame_thunk[]){__VA_ARGS__},                               \
		sizeof((const struct flame_thunk[]){__VA_ARGS__}) / sizeof(struct flame_thunk))

/* --- choices and shares -------------------------------------------------------------------------
 */

static UNIT_IN_ARENA(test_choices)
{
	struct flame_case f = flame_new(*state);
	int outer = add_frame(*state, f.proto, 10, 0), inner = add_frame(*state, f.proto, 20, outer);
	flame_op(&f, f.entry, "both", "jit(f)/add", inner);
	flame_op(&f, f.entry, "frame_only", "", outer);
	flame_op(&f, f.entry, "name_only", "jit(f)/mul", 0);
	flame_op(&f, f.entry, "nothing", "", 0);
	struct pass_run run;
	FLAME(&run, &f, {"both", 100}, {"frame_only", 10}, {"name_only", 20}, {"nothing", 5},
		{"not_in_hlo", 7});
	check_stacks(&run, "source_code",
		"[GPU active];/t.py:10[f] 10\n"
		"[GPU active];/t.py:10[f];/t.py:20[f];jit(f)/add 100\n"
		"[GPU active];[Unknown] 12\n"
		"[GPU active];[Unknown];jit(f)/mul 20\n"
		"[GPU idle during module execution] 858\n");
	check_stacks(&run, "op_name",
		"[GPU active];[Unknown] 22\n"
		"[GPU active];jit(f);add 100\n"
		"[GPU active];jit(f);mul 20\n"
		"[GPU idle during module execution] 858\n");
	passes_done(&run);
}

/* Equal shares among distinct stacks; a stack without frames gets none if others have frames. */
static UNIT_IN_ARENA(test_shares)
{
	struct flame_case f = flame_new(*state);
	int one = add_frame(*state, f.proto, 10, 0), two = add_frame(*state, f.proto, 20, 0);
	int one_again = add_frame(*state, f.proto, 10, 0); /* another id, the same frame */
	Xla__HloInstructionProto *fusion = flame_op(&f, f.entry, "fusion.1", "a/x", one);
	Xla__HloComputationProto *c = flame_called(&f, fusion);
	flame_op(&f, c, "i", "a/x", one_again); /* the same stack */
	flame_op(&f, c, "j", "a/y", one);
	flame_op(&f, c, "k", "a/x", two);
	flame_op(&f, c, "l", "b", 0); /* no frame: op_name only */
	Xla__HloInstructionProto *bare = flame_op(&f, f.entry, "fusion.2", "", 0);
	Xla__HloComputationProto *d = flame_called(&f, bare);
	flame_op(&f, d, "m", "a/z", 0);
	flame_op(&f, d, "n", "q", 0);
	struct pass_run run;
	FLAME(&run, &f, {"fusion.1", 300}, {"fusion.2", 50});
	check_stacks(&run, "source_code",
		"[GPU active];/t.py:10[f];a/x 100\n"
		"[GPU active];/t.py:10[f];a/y 100\n"
		"[GPU active];/t.py:20[f];a/x 100\n"
		"[GPU active];[Unknown];a/z 25\n"
		"[GPU active];[Unknown];q 25\n"
		"[GPU idle during module execution] 650\n");
	check_stacks(&run, "op_name",
		"[GPU active];a;x 100\n"
		"[GPU active];a;y 100\n"
		"[GPU active];a;z 25\n"
		"[GPU active];b 100\n"
		"[GPU active];q 25\n"
		"[GPU idle during module execution] 650\n");
	passes_done(&run);
}

/* op_names are split at every slash; brackets have no meaning. */
static UNIT_IN_ARENA(test_paths)
{
	struct flame_case f = flame_new(*state);
	flame_op(&f, f.entry, "a", "jit(f)/while[a=1/2]/body", 0);
	flame_op(&f, f.entry, "b", "jit(f)/", 0);
	flame_op(&f, f.entry, "c", "/x", 0);
	struct pass_run run;
	FLAME(&run, &f, {"a", 1}, {"b", 2}, {"c", 4});
	check_stacks(&run, "op_name",
		"[GPU active];;x 4\n"
		"[GPU active];jit(f); 2\n"
		"[GPU active];jit(f);while[a=1;2];body 1\n"
		"[GPU idle during module execution] 993\n");
	passes_done(&run);
}

/* Only exposed communication time and only top modules count; idle time between modules is its
 * own stack. */
static UNIT_IN_ARENA(test_what_counts)
{
	struct flame_case f = flame_new(*state);
	flame_op(&f, f.entry, "fusion.1", "x", 0);
	flame_op(&f, f.entry, "all-reduce.1", "y", 0)->opcode = TEXT(f.arena, "all-reduce");
	static const struct job_row rows[] = {RANGE(1, 0, MODULE("7", "jit_f"), 0, 10000),
		RANGE(2, 1, THUNK("fusion.1"), 0, 6000), RANGE(3, 1, THUNK("all-reduce.1"), 4000, 9000),
		RANGE(4, 0, MODULE("8", "jit_small"), 10000, 10010), /* 0.05 %: not a top module */
		RANGE(5, 4, THUNK("fusion.9"), 10001, 10009),
		RANGE(6, 0, MODULE("7", "jit_f"), 11000, 21000),
		RANGE(7, 6, THUNK("fusion.1"), 11000, 17000),
		RANGE(8, 6, THUNK("all-reduce.1"), 15000, 20000)};
	const struct job_hlo hlo[] = {{7, f.proto}};
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_NONE;
	struct pass_run run;
	passes_of(&run, &options, &(struct job_process){JOB_ROWS(rows), JOB_HLO(hlo)});
	check_stacks(&run, "op_name",
		"[GPU active];x 12000\n"
		"[GPU active];y 6000\n"
		"[GPU idle between module executions] 1000\n"
		"[GPU idle during module execution] 2000\n");
	passes_done(&run);
}

/* Sums of thirds are the same for every order of thunks in the file. */
static UNIT_IN_ARENA(test_order_of_sums)
{
	struct flame_case f = flame_new(*state);
	static const char *const names[] = {"p", "q", "r"};
	for (int i = 0; i < 3; i++) {
		Xla__HloComputationProto *c = flame_called(&f, flame_op(&f, f.entry, names[i], "x", 0));
		flame_op(&f, c, "i", "y", 0);
		flame_op(&f, c, "j", "z", 0);
	}
	static const int order[][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	static const int64_t durs[] = {1, 1, 4};
	JR_CLEANUP(jr_buf_done) struct jr_buf first = {0};
	for (size_t k = 0; k < JR_COUNT_OF(order); k++) {
		struct flame_thunk thunks[3];
		for (int i = 0; i < 3; i++)
			thunks[i] = (struct flame_thunk){names[order[k][i]], durs[order[k][i]]};
		struct pass_run run;
		struct jr_buf got = {0};
		flame_run(&run, &f, thunks, 3);
		put_tree(&got, run_tree(&run, "op_name"));
		put_tree(&got, run_tree(&run, "source_code"));
		if (k == 0)
			first = got;
		else
			assert_string_equal(got.data, first.data);
		if (k)
			jr_buf_done(&got);
		passes_done(&run);
	}
}

/* --- processes that disagree ------------------------------------------------------------------ */

/* One program in two processes whose HLO differs in stacks and op_names. */
static void disagree(struct pass_run *run, const struct flame_case *first,
	const struct flame_case *second, const char *const *names, size_t n)
{
	struct job_rows rows = {.arena = first->arena};
	int64_t m = rows_add(&rows, 0, 0, 1000, 100, MODULE("7", "jit_f"));
	for (size_t i = 0; i < n; i++)
		rows_add(&rows, m, 100 * (int64_t)i, 100 * (int64_t)i + 60, 100, "Thunk:#hlo_op=%s#",
			names[i]);
	const struct job_hlo hlo[] = {{7, first->proto}, {7, second->proto}};
	static const struct jr_launcher launchers[] = {LAUNCHER(1, 100, 0), LAUNCHER(1, 100, 1)};
	job_init(&run->job, NULL);
	for (size_t i = 0; i < 2; i++) {
		struct job_process process = rows_process(&rows, 1);
		process.launchers = &launchers[i];
		process.hlo = &hlo[i];
		process.n_hlo = 1;
		job_add(&run->job, &process);
	}
	passes_run(run);
	jr_vec_done(&rows);
	assert_int_equal(run->job.profile.n_programs, 1);
}

static UNIT_IN_ARENA(test_inconsistent_metadata)
{
	struct flame_case f[2] = {flame_new(*state), flame_new(*state)};
	for (int i = 0; i < 2; i++) {
		int outer = add_frame(*state, f[i].proto, 10, 0);
		int middle = add_frame(*state, f[i].proto, i ? 25 : 20, outer); /* differs */
		int inner = add_frame(*state, f[i].proto, 30, middle);
		flame_op(&f[i], f[i].entry, "same", "jit(f)/a", outer);
		flame_op(&f[i], f[i].entry, "middle", "jit(f)/a", inner);
		flame_op(&f[i], f[i].entry, "last", i ? "jit(f)/b/q" : "jit(f)/a/q", outer);
		flame_op(&f[i], f[i].entry, "first", i ? "q" : "p", 0);
		flame_op(&f[i], f[i].entry, "one_has_none", i ? "" : "jit(f)/a", i ? 0 : outer);
	}
	static const char *const names[] = {"same", "middle", "last", "first", "one_has_none"};
	struct pass_run run;
	disagree(&run, &f[0], &f[1], names, JR_COUNT_OF(names));
	check_stacks(&run, "source_code",
		"[GPU active];/t.py:10[f];[inconsistent metadata] 120\n"
		"[GPU active];/t.py:10[f];[inconsistent metadata];/t.py:30[f];jit(f)/a 120\n"
		"[GPU active];/t.py:10[f];jit(f)/a 120\n"
		"[GPU active];[inconsistent metadata] 240\n"
		"[GPU idle during module execution] 1400\n");
	check_stacks(&run, "op_name",
		"[GPU active];[inconsistent metadata] 240\n"
		"[GPU active];jit(f);[inconsistent metadata];q 120\n"
		"[GPU active];jit(f);a 240\n"
		"[GPU idle during module execution] 1400\n");
	check_results(&run.results);
	bool told = false;
	for (size_t i = 0; i < run.job.profile.n_guesses; i++)
		told |= strcmp(run.job.profile.guesses[i].id, "inconsistent-metadata") == 0;
	assert_true(told);
	passes_done(&run);
}

/* A function that calls itself once more in one process: no frame counts from both ends. */
static UNIT_IN_ARENA(test_recursion_that_disagrees)
{
	static const char *const names[] = {"a"};
	struct flame_case f[2] = {flame_new(*state), flame_new(*state)};
	struct pass_run run;
	for (int i = 0; i < 2; i++) {
		int frame = 0;
		for (int depth = 0; depth < 2 + i; depth++)
			frame = add_frame(*state, f[i].proto, 10, frame);
		flame_op(&f[i], f[i].entry, "a", "x", frame);
	}
	disagree(&run, &f[0], &f[1], names, 1);
	check_stacks(&run, "source_code",
		"[GPU active];/t.py:10[f];/t.py:10[f];[inconsistent metadata];x 120\n"
		"[GPU idle during module execution] 1880\n");
	passes_done(&run);
}

/* Each program is compared with the other processes' HLO of the same program, not of the one
 * before it. */
static UNIT_IN_ARENA(test_programs_that_disagree)
{
	static const int64_t ids[] = {7, 8, 9};
	static const struct jr_launcher launchers[] = {LAUNCHER(1, 100, 0), LAUNCHER(1, 100, 1)};
	struct job_rows rows = {.arena = *state};
	struct flame_case f[2][3];
	struct job_hlo hlo[2][3];
	for (int k = 0; k < 3; k++) {
		int64_t at = 100 * k, m = rows_add(&rows, 0, at, at + 50, 100,
			"XlaModule:#hlo_module=jit_f,program_id=%d#", (int)ids[k]);
		rows_add(&rows, m, at, at + 10 * (k + 1), 100, THUNK("a"));
		for (int i = 0; i < 2; i++) {
			char name[16];
			f[i][k] = flame_new(*state);
			snprintf(name, sizeof(name), "%c%d", i ? 'q' : 'p', k);
			flame_op(&f[i][k], f[i][k].entry, "a", k == 1 ? name : "same", 0);
			flame_op(&f[i][k], f[i][k].entry, "b", name, 0); /* all differ; this one never ran */
			hlo[i][k] = (struct job_hlo){ids[k], f[i][k].proto};
		}
	}
	struct pass_run run;
	job_init(&run.job, NULL);
	for (size_t i = 0; i < 2; i++) {
		struct job_process process = rows_process(&rows, 1);
		process.launchers = &launchers[i];
		process.hlo = hlo[i];
		process.n_hlo = 3;
		job_add(&run.job, &process);
	}
	passes_run(&run);
	jr_vec_done(&rows);
	check_stacks(&run, "op_name",
		"[GPU active];[inconsistent metadata] 40\n"
		"[GPU active];same 80\n"
		"[GPU idle between module executions] 200\n"
		"[GPU idle during module execution] 180\n");
	passes_done(&run);
}

/* Stacks that become equal when merged count as one distinct stack. */
static UNIT_IN_ARENA(test_merged_stacks_are_distinct)
{
	struct flame_case f[2] = {flame_new(*state), flame_new(*state)};
	for (int i = 0; i < 2; i++) {
		int outer = add_frame(*state, f[i].proto, 10, 0),
			other = add_frame(*state, f[i].proto, 90, 0);
		Xla__HloComputationProto *c =
			flame_called(&f[i], flame_op(&f[i], f[i].entry, "fusion.1", "same", other));
		flame_op(&f[i], c, "i", i ? "b/x" : "a/x", outer);
		flame_op(&f[i], c, "j", i ? "b/y" : "a/y", outer);
	}
	static const char *const names[] = {"fusion.1"};
	struct pass_run run;
	disagree(&run, &f[0], &f[1], names, JR_COUNT_OF(names));
	check_stacks(&run, "source_code",
		"[GPU active];/t.py:10[f];[inconsistent metadata] 60\n"
		"[GPU active];/t.py:90[f];same 60\n"
		"[GPU idle during module execution] 1880\n");
	check_stacks(&run, "op_name",
		"[GPU active];[inconsistent metadata];x 40\n"
		"[GPU active];[inconsistent metadata];y 40\n"
		"[GPU active];same 40\n"
		"[GPU idle during module execution] 1880\n");
	passes_done(&run);
}
