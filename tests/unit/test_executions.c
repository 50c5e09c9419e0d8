/* Module and thunk rows from projected ranges; analysis/README.md, sections 1.1 to 1.7. */
#include "trace_build.h"

#include "model/archive/trace.h"

/* Check the rows and guesses of a job; NULL: not checked. */
static void check_job(const struct job_process *process, const char *modules, const char *thunks,
	const char *guesses)
{
	struct job job;
	job_make(&job, process);
	if (modules)
		check_modules(&job.profile, modules);
	if (thunks)
		check_thunks(&job.profile, thunks);
	check_guesses(&job.profile, guesses);
	job_done(&job);
}

/* --- which ranges are rows ------------------------------------------------------------------ */

static UNIT_IN_ARENA(test_deepest_thunk_wins)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 100),
		RANGE(2, 1, THUNK("while.1"), 5, 60),
		RANGE(3, 2, THUNK("body.1"), 10, 40),
		RANGE(4, 3, THUNK("fusion.1"), 12, 20),
		RANGE(5, 3, THUNK("fusion.2"), 21, 30),
		RANGE(6, 2, THUNK("fusion.1"), 45, 50),
		RANGE(7, 1, THUNK("fusion.3"), 70, 80),
	};
	check_job(&(struct job_process){JOB_ROWS(rows)},
		"7.0@0 jit_f 0+100 n=4\n",
		"7.0@0 fusion.1#0 12+8\n"
		"7.0@0 fusion.2#0 21+9\n"
		"7.0@0 fusion.1#1 45+5\n"
		"7.0@0 fusion.3#0 70+10\n",
		"");
}

/* Other ranges between a module, a thunk and a thunk below it change nothing. */
static UNIT_IN_ARENA(test_other_ranges_are_passed_through)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, "user range", 0, 200),
		RANGE(2, 1, MODULE("7", "jit_f"), 0, 100),
		RANGE(3, 2, "TSL:something", 5, 60),
		RANGE(4, 3, THUNK("while.1"), 10, 40),
		RANGE(5, 4, "cuBLAS:cublasLtMatmul", 10, 40),
		RANGE(6, 5, THUNK("gemm.1"), 12, 20),
		RANGE(7, 6, "cuBLAS:inner", 12, 20),
	};
	check_job(&(struct job_process){JOB_ROWS(rows)},
		NULL, "7.0@0 gemm.1#0 12+8\n", "");
}

static UNIT_IN_ARENA(test_nccl_rows_are_taken_out)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 100),
		/* below a thunk: shows that it communicates, if HLO is missing */
		RANGE(2, 1, THUNK("mystery.1"), 5, 20),
		RANGE(3, 2, "NCCL:ncclGroupEnd", 5, 20),
		RANGE(4, 3, "NCCL:ncclAllReduce", 5, 20),
		/* between a module and a thunk, and between a thunk and a thunk */
		RANGE(5, 1, "ncclGroupStart", 30, 40),
		RANGE(6, 5, THUNK("fusion.1"), 31, 39),
		RANGE(7, 1, THUNK("call.1"), 50, 60),
		RANGE(8, 7, "NCCL:ncclGroupEnd", 50, 60),
		RANGE(9, 8, THUNK("fusion.2"), 51, 59),
		/* below a thunk that is under no module */
		RANGE(10, 0, THUNK("mystery.2"), 70, 80),
		RANGE(11, 10, "NCCL:ncclGroupEnd", 70, 80),
	};
	check_job(&(struct job_process){JOB_ROWS(rows)},
		NULL,
		"7.0@0 mystery.1*#0 5+15\n"
		"7.0@0 fusion.1#0 31+8\n"
		"7.0@0 fusion.2#0 51+8\n"
		"7.0@0 mystery.2*#0 70+10\n",
		"communication-by-name=2 orphan-thunks=1");
}

/* Newer XLA: an NCCL range may be the only trace of a communication. */
static UNIT_IN_ARENA(test_nccl_rows_alone_are_kept)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 100),
		RANGE(2, 1, THUNK("fusion.1"), 0, 50),
		RANGE(3, 1, "NCCL:ncclAllReduce", 40, 60),  /* over compute only: kept */
		RANGE(4, 0, "NCCL:ncclAllGather", 70, 80),  /* under no module: by time and thread */
		RANGE(5, 4, "NCCL:ncclGroupEnd", 71, 79),   /* part of it */
		RANGE(6, 1, THUNK("all-reduce.3"), 85, 95),
		RANGE(7, 0, "NCCL:ncclAllReduce", 86, 94),  /* of that thunk */
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_thunks(&job.profile,
		"7.0@0 fusion.1#0 0+50\n"
		"7.0@0 NCCL:ncclAllReduce*#0 40+20\n"
		"7.0@0 NCCL:ncclAllGather*#0 70+10\n"
		"7.0@0 all-reduce.3*#0 85+10\n");
	check_guesses(&job.profile, "communication-by-name=1 nccl-only-communication=2");
	assert_string_equal(
		jr_str(&job.profile, job_op(&job, "NCCL:ncclAllGather")->collective), "all-gather");
	job_done(&job);
}

/* ... in any order of the thunk rows. */
static UNIT_IN_ARENA(test_nccl_row_of_a_thunk_in_any_order)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 100),
		RANGE(2, 1, THUNK("all-reduce.1"), 10, 20),
		RANGE(3, 1, THUNK("all-reduce.2"), 50, 60),
		RANGE(4, 1, THUNK("all-reduce.3"), 30, 40),
		RANGE(5, 0, "NCCL:ncclAllReduce", 32, 38),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_thunks(&job.profile,
		"7.0@0 all-reduce.1*#0 10+10\n"
		"7.0@0 all-reduce.3*#0 30+10\n"
		"7.0@0 all-reduce.2*#0 50+10\n");
	job_done(&job);
}

static UNIT_IN_ARENA(test_deepest_module_wins)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_outer"), 0, 100),
		RANGE(2, 1, MODULE("8", "jit_inner"), 20, 60),
		RANGE(3, 2, THUNK("fusion.1"), 21, 30),
		RANGE(4, 1, MODULE("9", "jit_last"), 70, 90),
		RANGE(5, 4, THUNK("fusion.2"), 71, 80),
		/* only under the outer one, which is not a row: assigned by time */
		RANGE(6, 1, THUNK("fusion.3"), 62, 65),
	};
	check_job(&(struct job_process){JOB_ROWS(rows)},
		"8.0@0 jit_inner 20+40 n=2\n9.0@0 jit_last 70+20 n=1\n",
		"8.0@0 fusion.1#0 21+9\n"
		"8.0@0 fusion.3#0 62+3\n"
		"9.0@0 fusion.2#0 71+9\n",
		"orphan-thunks=1");
}

/* --- thunks under no module ----------------------------------------------------------------- */

static UNIT_IN_ARENA(test_orphans_go_by_time)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 100, 200, 1),
		RANGE_ON(2, 0, MODULE("7", "jit_f"), 300, 400, 1),
		RANGE_ON(3, 0, MODULE("7", "jit_f"), 350, 360, 2),
		RANGE_ON(4, 0, THUNK("early.1"), 99, 100, 1),   /* edge: dropped */
		RANGE_ON(5, 0, THUNK("at_start.1"), 100, 110, 1),
		RANGE_ON(6, 0, THUNK("inside.1"), 150, 500, 1), /* its start counts, not its end */
		RANGE_ON(7, 0, THUNK("at_end.1"), 200, 210, 1), /* the end is outside: the last one begun */
		RANGE_ON(8, 0, THUNK("between.1"), 250, 310, 1),
		RANGE_ON(9, 0, THUNK("second.1"), 370, 380, 1), /* not for device 1, which began later */
		RANGE_ON(10, 0, THUNK("after.1"), 900, 910, 1),
		RANGE_ON(11, 0, THUNK("lost.1"), 340, 345, 2),  /* device 1 has no module yet */
	};
	static const struct jr_launcher launchers[] = {LAUNCHER(5, 1, 0), LAUNCHER(5, 2, 1)};
	check_job(&(struct job_process){JOB_ROWS(rows), .pid = 5, JOB_LAUNCHERS(launchers)},
		"7.0@0 jit_f 100+100 n=4\n"
		"7.1@0 jit_f 300+100 n=2\n"
		"7.0@1 jit_f 350+10 n=0\n",
		"7.0@0 at_start.1#0 100+10\n"
		"7.0@0 inside.1#0 150+350\n"
		"7.0@0 at_end.1#0 200+10\n"
		"7.0@0 between.1#0 250+60\n"
		"7.1@0 second.1#0 370+10\n"
		"7.1@0 after.1#0 900+10\n",
		"edge-thunks=1 lost-thunks=1 orphan-thunks=6");
}

/* An execution that still runs contains a thunk, even if any number of shorter ones have begun
 * since. */
static UNIT_IN_ARENA(test_orphan_in_a_long_execution)
{
	enum { SHORT = 40 };
	struct job_row rows[SHORT + 2] = {RANGE_ON(1, 0, MODULE("7", "jit_long"), 0, 1000, 1)};
	for (int i = 0; i < SHORT; i++)
		rows[1 + i] = (struct job_row)RANGE_ON(2 + i, 0, MODULE("8", "jit_s"), 10 + i, 11 + i, 2);
	rows[SHORT + 1] = (struct job_row)RANGE_ON(SHORT + 2, 0, THUNK("orphan.1"), 500, 501, 1);
	/* Two threads that drive one device. */
	static const struct jr_launcher launchers[] = {LAUNCHER(5, 1, 0), LAUNCHER(5, 2, 0)};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows), .pid = 5, JOB_LAUNCHERS(launchers)});
	check_thunks(&job.profile, "7.0@0 orphan.1#0 500+1\n");
	job_done(&job);
}

/* Executions of one device that begin together: the inner one contains the thunk, in any order
 * of rows. */
static UNIT_IN_ARENA(test_orphan_where_executions_begin_together)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_long"), 10, 1000, 1),
		RANGE_ON(2, 0, MODULE("8", "jit_short"), 10, 100, 2),
		RANGE_ON(3, 0, MODULE("9", "jit_same"), 10, 100, 2),
		RANGE_ON(4, 0, THUNK("inner.1"), 50, 51, 1),
		RANGE_ON(5, 0, THUNK("outer.1"), 100, 101, 1),
	};
	static const struct jr_launcher launchers[] = {LAUNCHER(5, 1, 0), LAUNCHER(5, 2, 0)};
	struct job_row backwards[JR_COUNT_OF(rows)];
	for (size_t i = 0; i < JR_COUNT_OF(rows); i++)
		backwards[i] = rows[JR_COUNT_OF(rows) - 1 - i];
	for (int turn = 0; turn < 2; turn++) {
		struct job job;
		job_make(&job, &(struct job_process){.rows = turn ? backwards : rows,
						   .n_rows = JR_COUNT_OF(rows),
						   .pid = 5,
						   JOB_LAUNCHERS(launchers)});
		check_thunks(&job.profile, "7.0@0 outer.1#0 100+1\n9.0@0 inner.1#0 50+1\n");
		job_done(&job);
	}
}

/* A thunk runs within its execution. One that lasts longer is damage; one that leads out of it is
 * in doubt. */
static UNIT_IN_ARENA(test_thunks_outside_of_their_execution)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 100, 200),
		RANGE(2, 1, THUNK("inside.1"), 110, 120),
		RANGE(3, 1, THUNK("longer.1"), 150, 251),
		RANGE(4, 1, THUNK("partly.1"), 190, 210),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_thunks(&job.profile, "7.0@0 inside.1#0 110+10\n7.0@0 partly.1#0 190+20\n");
	check_guesses(&job.profile, "impossible-thunks=1");
	assert_int_equal(job.profile.n_rows_lost, 1);
	assert_int_equal(job.profile.n_thunks_outside, 1);
	job_done(&job);
}

static UNIT_IN_ARENA(test_profile_without_modules)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, THUNK("fusion.1"), 5, 10),
		RANGE(2, 0, "NCCL:ncclAllReduce", 5, 10),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	assert_int_equal(job.profile.modules.n, 0);
	assert_int_equal(job.profile.thunks.n, 0);
	assert_int_equal(job.profile.n_devices, 1);
	check_guesses(&job.profile, "edge-thunks=1");
	job_done(&job);
	job_make(&job, &(struct job_process){.n_rows = 0});
	assert_int_equal(job.profile.modules.n, 0);
	check_guesses(&job.profile, "");
	job_done(&job);
}

static UNIT_IN_ARENA(test_unknown_programs_are_in_no_table)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, "XlaModule:#hlo_module=gemm_fusion_dot.572#", 0, 50),
		RANGE(2, 1, THUNK("gemm.1"), 10, 20),
		RANGE(3, 0, THUNK("orphan.1"), 30, 40), /* in its time: assigned to it */
		RANGE(4, 0, MODULE("7", "jit_f"), 60, 100),
		RANGE(5, 4, THUNK("fusion.1"), 61, 70),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_modules(&job.profile, "7.0@0 jit_f 60+40 n=1\n");
	check_thunks(&job.profile, "7.0@0 fusion.1#0 61+9\n");
	check_guesses(&job.profile,
		"orphan-thunks=1 unknown-program-thunks=2 unknown-programs=1");
	assert_int_equal(job.profile.n_programs, 1);
	job_done(&job);
}

/* --- the last execution, cut off ------------------------------------------------------------ */

/* Return how many executions of one module with these numbers of GPU operations are left. */
static size_t executions_left(const int64_t *ops, size_t n)
{
	struct job_row *rows = calloc(n, sizeof(*rows));
	assert_non_null(rows);
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct job_row)RANGE_OPS((int64_t)i + 1, 0, MODULE("7", "jit_f"),
			(int64_t)i * 10, (int64_t)i * 10 + 9, 0, ops[i]);
	struct job job;
	job_make(&job, &(struct job_process){.rows = rows, .n_rows = n, .counts_ops = true});
	size_t left = job.profile.modules.n;
	assert_int_equal(job.profile.n_guesses, left < n);
	job_done(&job);
	free(rows);
	return left;
}

#define LEFT(...) executions_left((const int64_t[]){__VA_ARGS__},                                  \
	sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static UNIT_IN_ARENA(test_cut_off_bound)
{
	/* mean 10, population std 2: 8 is kept, 7 is not */
	assert_int_equal(LEFT(8, 12, 8), 3);
	assert_int_equal(LEFT(8, 12, 7), 2);
	assert_int_equal(LEFT(8, 12, 20), 3);
	/* The sample standard deviation, 2.83, would keep 7.2. No deviation at all would not keep 9. */
	assert_int_equal(LEFT(8, 12, 9), 3);
	/* one earlier execution: std 0 */
	assert_int_equal(LEFT(10, 10), 2);
	assert_int_equal(LEFT(10, 9), 1);
	assert_int_equal(LEFT(10, 11), 2);
	/* the only execution is always kept; so is one in the middle */
	assert_int_equal(LEFT(0), 1);
	assert_int_equal(LEFT(10, 0, 10), 3);
	assert_int_equal(LEFT(0, 0, 0), 3);
}

/* Bounds that are whole numbers, so that rounding on the way must not decide. Nine counts of a
 * and one of a + 5 k, in any place, have the bound a - k. */
static UNIT_IN_ARENA(test_cut_off_bound_is_exact)
{
	for (int64_t a = 1; a < 1000; a += 37) {
		for (int64_t k = 1; k <= 3 && k < a; k++) {
			for (int place = 0; place < 10; place++) {
				int64_t ops[11];
				for (int i = 0; i < 10; i++)
					ops[i] = i == place ? a + 5 * k : a;
				ops[10] = a - k;
				assert_int_equal(executions_left(ops, 11), 11);
				ops[10] = a - k - 1;
				assert_int_equal(executions_left(ops, 11), 10);
			}
		}
	}
}

/* Groups for which a running mean and deviation end a few units in the last place too high. */
static UNIT_IN_ARENA(test_cut_off_bound_is_not_rounded)
{
	assert_int_equal(LEFT(76, 61, 71, 81, 76, 56, 56, 66, 111, 51, 54), 11);
	assert_int_equal(LEFT(76, 61, 71, 81, 76, 56, 56, 66, 111, 51, 53), 10);
	assert_int_equal(LEFT(2924, 2909, 2910, 2934, 2910, 2911, 2939, 2912, 2919, 2908), 10);
	assert_int_equal(LEFT(1762, 1764, 1761, 1763, 1761, 1766, 1766, 1761, 1761), 9);
	assert_int_equal(LEFT(1762, 1764, 1761, 1763, 1761, 1766, 1766, 1761, 1760), 8);
}

/* Missing or absurd counts decide nothing and break nothing. */
static UNIT_IN_ARENA(test_cut_off_odd_counts)
{
	assert_int_equal(LEFT(10, 10, INT64_MIN), 3);            /* null */
	assert_int_equal(LEFT(INT64_MIN, 10, 10, 9), 3);         /* null among the earlier ones */
	assert_int_equal(LEFT(INT64_MIN, INT64_MIN, 9), 3);      /* nothing to compare with */
	assert_int_equal(LEFT(INT64_MAX, INT64_MAX, INT64_MAX), 3);
	assert_int_equal(LEFT(INT64_MAX, INT64_MAX, 5), 2);
	assert_int_equal(LEFT(-5, INT64_MAX, 5, 5), 4);
}

static UNIT_IN_ARENA(test_cut_off_is_per_device_and_name)
{
	static const char with_prefix[] = "XlaModule:#prefix=jit(f),hlo_module=jit_f,program_id=7#";
	static const struct job_row rows[] = {
		RANGE_OPS(1, 0, MODULE("7", "jit_f"), 0, 10, 1, 10),
		RANGE_OPS(2, 0, MODULE("7", "jit_f"), 20, 30, 1, 10),
		RANGE_OPS(3, 0, with_prefix, 40, 50, 1, 3), /* another name: a group of its own */
		RANGE_OPS(4, 0, MODULE("7", "jit_f"), 0, 10, 2, 5),
		RANGE_OPS(5, 0, MODULE("7", "jit_f"), 20, 30, 2, 4), /* device 1: cut off */
		RANGE_OPS(6, 5, THUNK("fusion.1"), 21, 22, 2, 1),
		RANGE_OPS(7, 0, THUNK("orphan.1"), 25, 26, 2, 1), /* in its time: removed with it */
		RANGE_OPS(8, 0, MODULE("8", "jit_f"), 60, 70, 1, 1), /* another program */
	};
	static const struct jr_launcher launchers[] = {LAUNCHER(5, 1, 0), LAUNCHER(5, 2, 1)};
	check_job(&(struct job_process){JOB_ROWS(rows), .pid = 5, .counts_ops = true,
				  JOB_LAUNCHERS(launchers)},
		"7.0@0 jit_f 0+10 n=0\n"
		"7.1@0 jit_f 20+10 n=0\n"
		"7.2@0 jit_f 40+10 n=0\n"
		"8.0@0 jit_f 60+10 n=0\n"
		"7.0@1 jit_f 0+10 n=0\n",
		"", "cut-off-executions=1 cut-off-thunks=2 orphan-thunks=1");
}

/* The last one by range id, regardless of the GPU's clock. */
static UNIT_IN_ARENA(test_cut_off_goes_by_range_id)
{
	static const struct job_row rows[] = {
		RANGE_OPS(3, 0, MODULE("7", "jit_f"), 0, 10, 0, 5),
		RANGE_OPS(1, 0, MODULE("7", "jit_f"), 20, 30, 0, 10),
		RANGE_OPS(2, 0, MODULE("7", "jit_f"), 40, 50, 0, 10),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows), .counts_ops = true});
	check_modules(&job.profile, "7.0@0 jit_f 20+10 n=0\n7.1@0 jit_f 40+10 n=0\n");
	job_done(&job);
}

/* Column sets without the number of operations: the deepest thunks are counted. */
static UNIT_IN_ARENA(test_cut_off_by_thunks)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 10),
		RANGE(2, 1, THUNK("a.1"), 1, 2),
		RANGE(3, 1, THUNK("b.1"), 3, 4),
		RANGE(4, 0, MODULE("7", "jit_f"), 20, 30),
		RANGE(5, 4, THUNK("while.1"), 21, 24), /* not counted itself */
		RANGE(6, 5, THUNK("a.1"), 21, 22),
	};
	check_job(&(struct job_process){JOB_ROWS(rows)},
		"7.0@0 jit_f 0+10 n=2\n", "7.0@0 a.1#0 1+1\n7.0@0 b.1#0 3+1\n",
		"cut-off-executions=1 cut-off-thunks=1");
}

/* --- what does not fit 32 or 16 bits -------------------------------------------------------- */

static UNIT_IN_ARENA(test_long_times)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 100, 20000000100),
		RANGE(2, 1, THUNK("early.1"), 40, 60), /* before the module */
		RANGE(3, 1, THUNK("a.1"), 100, 4294967394),
		RANGE(4, 1, THUNK("b.1"), 4294967394, 8589934689), /* starts and lasts 2^32 - 2, 2^32 - 1 */
		RANGE(5, 1, THUNK("c.1"), 8589934689, 8589934690),
		RANGE(6, 1, THUNK("a.1"), 9000000000, 19000000000),
	};
	check_job(&(struct job_process){JOB_ROWS(rows)},
		"7.0@0 jit_f 100+20000000000 n=5\n",
		"7.0@0 early.1#0 40+20\n"
		"7.0@0 a.1#0 100+4294967294\n"
		"7.0@0 b.1#0 4294967394+4294967295\n"
		"7.0@0 c.1#0 8589934689+1\n"
		"7.0@0 a.1#1 9000000000+10000000000\n",
		"");
}

static UNIT_IN_ARENA(test_many_repeats)
{
	enum { N = UINT16_MAX + 3, LONG = 5 };
	struct job_rows rows = {.arena = *state};
	int64_t module = rows_add(&rows, 0, 0, INT64_C(1) << 40, 100, MODULE("7", "jit_f"));
	for (int64_t i = 0; i < N; i++)
		rows_add(&rows, module, 10 * i, 10 * i + (i == LONG ? UINT32_MAX : i % 9), 100,
			THUNK("a.1"));
	struct job_process process = rows_process(&rows, 1);
	struct job job;
	job_make(&job, &process);
	const struct jr_profile *p = &job.profile;
	assert_int_equal(p->thunks.n, N);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(jr_thunk_repeat(p, i), i);
		assert_int_equal(jr_thunk_start_ns(p, i), 10 * i);
		assert_int_equal(jr_thunk_dur_ns(p, i), i == LONG ? UINT32_MAX : i % 9);
	}
	job_done(&job);
	jr_vec_done(&rows);
}

/* More executions than a byte counts, between thunks that follow each other. */
static UNIT_IN_ARENA(test_modules_without_thunks)
{
	enum { N = 1000, EVERY = UINT8_MAX + 2 };
	struct job_rows rows = {.arena = *state};
	for (int64_t i = 0; i < N; i++) {
		int64_t module = rows_add(&rows, 0, 100 * i, 100 * i + 50, 100, MODULE("7", "jit_f"));
		if (i % EVERY == 0)
			rows_add(&rows, module, 100 * i + 1, 100 * i + 9, 100, THUNK("a.1"));
	}
	struct job_process process = rows_process(&rows, 1);
	struct job job;
	job_make(&job, &process);
	const struct jr_profile *p = &job.profile;
	assert_int_equal(p->thunks.n, 1 + (p->modules.n - 1) / EVERY);
	for (size_t i = 0; i < p->thunks.n; i++) {
		assert_int_equal(jr_thunk_module(p, i), EVERY * i);
		assert_int_equal(jr_thunk_start_ns(p, i), 100 * EVERY * i + 1);
	}
	job_done(&job);
	jr_vec_done(&rows);
}

/* --- numbers of executions ------------------------------------------------------------------ */

static UNIT_IN_ARENA(test_program_executions_go_by_range_id)
{
	static const struct job_row rows[] = {
		RANGE(12, 0, MODULE("7", "jit_f"), 0, 5),
		RANGE(11, 0, MODULE("7", "jit_f"), 10, 15),
		RANGE(14, 0, MODULE("7", "jit_f"), 20, 25),
		RANGE(13, 0, MODULE("8", "jit_g"), 30, 35),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_modules(&job.profile,
		"7.1@0 jit_f 0+5 n=0\n"
		"7.0@0 jit_f 10+5 n=0\n"
		"7.2@0 jit_f 20+5 n=0\n"
		"8.0@0 jit_g 30+5 n=0\n");
	job_done(&job);
}

static UNIT_IN_ARENA(test_thunk_executions_go_by_start)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 100),
		RANGE(2, 1, THUNK("a.1"), 50, 51),
		RANGE(3, 1, THUNK("b.1"), 30, 31),
		RANGE(4, 1, THUNK("a.1"), 20, 21),
		RANGE(9, 1, THUNK("a.1"), 30, 32), /* equal starts: by range id */
		RANGE(8, 1, THUNK("a.1"), 30, 33),
		RANGE(10, 0, MODULE("7", "jit_f"), 100, 200),
		RANGE(11, 10, THUNK("a.1"), 120, 121),
		RANGE(12, 10, THUNK("a.1"), 110, 111),
		RANGE(13, 10, THUNK("a.1"), 130, 131),
		RANGE(14, 10, THUNK("a.1"), 140, 141),
		RANGE(15, 10, THUNK("a.1"), 150, 151),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_thunks(&job.profile,
		"7.0@0 a.1#0 20+1\n"
		"7.0@0 b.1#0 30+1\n"
		"7.0@0 a.1#1 30+3\n"
		"7.0@0 a.1#2 30+2\n"
		"7.0@0 a.1#3 50+1\n"
		"7.1@0 a.1#0 110+1\n"
		"7.1@0 a.1#1 120+1\n"
		"7.1@0 a.1#2 130+1\n"
		"7.1@0 a.1#3 140+1\n"
		"7.1@0 a.1#4 150+1\n");
	job_done(&job);
}

/* --- devices -------------------------------------------------------------------------------- */

/* "GLOBAL/LOCAL/PROCESS" per device. */
static void check_devices(const struct jr_profile *p, const char *expected)
{
	struct jr_buf got = {0};
	for (size_t i = 0; i < p->n_devices; i++)
		jr_buf_printf(&got, "%s%u/%u/%u", i ? " " : "", p->devices[i].global, p->devices[i].local,
			p->devices[i].process);
	check_text(&got, expected);
}

static UNIT_IN_ARENA(test_devices_by_launcher)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 21),
		RANGE_ON(2, 0, MODULE("7", "jit_f"), 0, 11, 20),
		RANGE_ON(3, 0, MODULE("8", "jit_g"), 20, 30, 99), /* one unnamed thread: the first device */
		RANGE_ON(4, 3, THUNK("a.1"), 21, 22, 99),
	};
	/* The file also lists threads of other processes; only those of this process count. */
	static const struct jr_launcher launchers[] = {
		LAUNCHER(5, 21, 2), LAUNCHER(5, 20, 3), LAUNCHER(4, 20, 9)};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows), .pid = 5, JOB_LAUNCHERS(launchers)});
	check_devices(&job.profile, "2/2/0 3/3/0");
	check_modules(&job.profile,
		"7.0@2 jit_f 0+10 n=0\n"
		"8.0@2 jit_g 20+10 n=1\n"
		"7.0@3 jit_f 0+11 n=0\n");
	check_guesses(&job.profile, "");
	job_done(&job);
}

/* Any number of launchers, in reasonable time. A thread with several names drives the first of
 * its devices. */
static UNIT_IN_ARENA(test_many_launchers)
{
	enum { MANY = 30000 };
	struct jr_launcher *launchers = JR_ARENA_N(*state, struct jr_launcher, MANY + 1);
	struct job_row *rows = JR_ARENA_N(*state, struct job_row, MANY);
	for (int i = 0; i < MANY; i++) {
		launchers[i] = (struct jr_launcher)LAUNCHER(i % 2 ? 5 : 6 + i, MANY - i, (uint32_t)i);
		rows[i] = (struct job_row)RANGE_ON(
			i + 1, 0, MODULE("7", "jit_f"), i, i + 1, MANY - (i | 1));
	}
	launchers[MANY] = (struct jr_launcher)LAUNCHER(5, MANY - 1, MANY);
	struct job job;
	job_make(&job, &(struct job_process){.rows = rows,
					   .n_rows = MANY,
					   .pid = 5,
					   .launchers = launchers,
					   .n_launchers = MANY + 1});
	const struct jr_profile *p = &job.profile;
	assert_int_equal(p->n_devices, MANY / 2 + 1); /* those of other processes are ignored */
	assert_int_equal(p->modules.n, MANY);
	for (size_t i = 0; i < p->modules.n; i++)
		assert_int_equal(p->devices[p->modules.device[i]].global, p->modules.start_ns[i] | 1);
	job_done(&job);
}

/* Only launchers of other processes: still better than none. */
static UNIT_IN_ARENA(test_devices_by_launchers_of_others)
{
	static const struct job_row rows[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 20)};
	static const struct jr_launcher launchers[] = {LAUNCHER(4, 20, 9)};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows), .pid = 5, JOB_LAUNCHERS(launchers)});
	check_modules(&job.profile, "7.0@9 jit_f 0+10 n=0\n");
	job_done(&job);
}

/* No metadata at all (MaxText): threads that run one program together, by TID. */
static UNIT_IN_ARENA(test_devices_by_thread_order)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 302),
		RANGE_ON(2, 0, MODULE("7", "jit_f"), 0, 10, 301),
		RANGE_ON(3, 0, MODULE("7", "jit_f"), 0, 10, 299),
		RANGE_ON(4, 0, MODULE("8", "jit_g"), 20, 30, 100), /* alone: the first device */
		RANGE_ON(5, 0, "XlaModule:#hlo_module=autotune#", 40, 50, 90),
		RANGE_ON(6, 0, "XlaModule:#hlo_module=autotune#", 40, 50, 91),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_devices(&job.profile, "0/0/0 1/1/0 2/2/0");
	check_modules(&job.profile,
		"7.0@0 jit_f 0+10 n=0\n"
		"8.0@0 jit_g 20+10 n=0\n"
		"7.0@1 jit_f 0+10 n=0\n"
		"7.0@2 jit_f 0+10 n=0\n");
	check_guesses(&job.profile, "devices-by-thread-order=3 unknown-programs=2");
	job_done(&job);
}

/* One device; a GPU may provide its name. */
static UNIT_IN_ARENA(test_device_of_one_thread)
{
	static const struct job_row rows[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 20)};
	static const struct jr_gpu gpu = {.named = true,
		.device = {.global = 6, .local = 2, .process = 3, .slice = 5},
		.sm_count = 108};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows), .gpus = &gpu, .n_gpus = 1});
	check_devices(&job.profile, "6/2/0");
	assert_int_equal(job.profile.devices[0].process_number, 3);
	assert_int_equal(job.profile.devices[0].slice, 5);
	assert_int_equal(job.profile.devices[0].sm_count, 108);
	check_guesses(&job.profile, "");
	job_done(&job);
}

/* Unnamed threads that share a program with named ones get the devices of the process in order. */
static UNIT_IN_ARENA(test_unnamed_threads_beside_launchers)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 51),
		RANGE_ON(2, 0, MODULE("7", "jit_f"), 0, 11, 50),
		RANGE_ON(3, 0, MODULE("8", "jit_g"), 0, 12, 20),
	};
	static const struct jr_launcher launchers[] = {LAUNCHER(5, 20, 4), LAUNCHER(5, 21, 5)};
	check_job(&(struct job_process){JOB_ROWS(rows), .pid = 5, JOB_LAUNCHERS(launchers)},
		"7.0@4 jit_f 0+11 n=0\n"
		"8.0@4 jit_g 0+12 n=0\n"
		"7.0@5 jit_f 0+10 n=0\n",
		NULL, "devices-by-thread-order=2");
}

/* Devices of a combined profile are global and in global order, regardless of the order of
 * files. */
static UNIT_IN_ARENA(test_devices_of_processes)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 20),
		RANGE_ON(2, 1, THUNK("a.1"), 1, 2, 20),
	};
	static const struct jr_launcher one[] = {LAUNCHER(5, 20, 1)};
	static const struct jr_launcher zero[] = {LAUNCHER(5, 20, 0)};
	struct job job;
	job_init(&job, NULL);
	job_add(&job, &(struct job_process){JOB_ROWS(rows), .pid = 5, JOB_LAUNCHERS(one)});
	job_add(&job, &(struct job_process){JOB_ROWS(rows), .pid = 5, JOB_LAUNCHERS(zero)});
	job_add(&job, &(struct job_process){JOB_ROWS(rows)}); /* no metadata: numbering continues */
	job_finish(&job);
	check_devices(&job.profile, "0/0/1 1/1/0 2/0/2");
	check_modules(&job.profile,
		"7.0@0 jit_f 0+10 n=1\n"
		"7.0@1 jit_f 0+10 n=1\n"
		"7.0@2 jit_f 0+10 n=1\n");
	check_thunks(&job.profile, "7.0@0 a.1#0 1+1\n7.0@1 a.1#0 1+1\n7.0@2 a.1#0 1+1\n");
	job_done(&job);
}

/* --- programs across processes -------------------------------------------------------------- */

/* Build a module of one computation with instructions of these names. */
static const Xla__HloProto *module_of(struct jr_arena *a, const char *name, const char *first,
	const char *second)
{
	Xla__HloProto *proto = build_module(a, name);
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	build_instruction(a, entry, first, "add", 1);
	build_instruction(a, entry, second, "multiply", 2);
	return proto;
}

/* "NUMBER NAME" per program. */
static void check_programs(const struct jr_profile *p, const char *expected)
{
	struct jr_buf got = {0};
	for (size_t i = 0; i < p->n_programs; i++)
		jr_buf_printf(&got, "%s%u %s", i ? ", " : "", p->programs[i].number,
			jr_str(p, p->programs[i].name));
	check_text(&got, expected);
}

static UNIT_IN_ARENA(test_program_under_two_numbers)
{
	const Xla__HloProto *f = module_of(*state, "jit_f", "a.1", "b.2");
	static const struct job_row first[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 20), RANGE_ON(2, 1, THUNK("a.1"), 1, 2, 20)};
	static const struct job_row second[] = {
		RANGE_ON(1, 0, MODULE("12", "jit_f"), 0, 10, 20), RANGE_ON(2, 1, THUNK("a.1"), 3, 4, 20)};
	static const struct jr_launcher zero[] = {LAUNCHER(5, 20, 0)};
	static const struct jr_launcher one[] = {LAUNCHER(5, 20, 1)};
	const struct job_hlo hlo_first[] = {{7, f}}, hlo_second[] = {{12, f}};
	struct job job;
	job_init(&job, NULL);
	job_add(&job, &(struct job_process){
		JOB_ROWS(first), .pid = 5, JOB_LAUNCHERS(zero), JOB_HLO(hlo_first)});
	job_add(&job, &(struct job_process){
		JOB_ROWS(second), .pid = 5, JOB_LAUNCHERS(one), JOB_HLO(hlo_second)});
	job_finish(&job);
	check_programs(&job.profile, "7 jit_f");
	check_thunks(&job.profile, "7.0@0 a.1#0 1+1\n7.0@1 a.1#0 3+1\n");
	assert_int_equal(job.profile.n_ops, 1);
	check_guesses(&job.profile, "");
	job_done(&job);
}

/* One structure compiled twice in each process: the k-th in one matches the k-th in the other. */
static UNIT_IN_ARENA(test_program_compiled_twice)
{
	const Xla__HloProto *f = module_of(*state, "jit_f", "a.1", "b.2");
	static const struct job_row first[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 20),
		RANGE_ON(2, 0, MODULE("9", "jit_f"), 20, 30, 20)};
	/* The order of the numbers contradicts the order of times: the numbers decide. */
	static const struct job_row second[] = {RANGE_ON(1, 0, MODULE("15", "jit_f"), 0, 11, 20),
		RANGE_ON(2, 0, MODULE("3", "jit_f"), 20, 31, 20)};
	static const struct jr_launcher zero[] = {LAUNCHER(5, 20, 0)};
	static const struct jr_launcher one[] = {LAUNCHER(5, 20, 1)};
	const struct job_hlo hlo_first[] = {{7, f}, {9, f}}, hlo_second[] = {{3, f}, {15, f}};
	struct job job;
	job_init(&job, NULL);
	job_add(&job, &(struct job_process){
		JOB_ROWS(first), .pid = 5, JOB_LAUNCHERS(zero), JOB_HLO(hlo_first)});
	job_add(&job, &(struct job_process){
		JOB_ROWS(second), .pid = 5, JOB_LAUNCHERS(one), JOB_HLO(hlo_second)});
	job_finish(&job);
	check_modules(&job.profile,
		"7.0@0 jit_f 0+10 n=0\n"
		"9.0@0 jit_f 20+10 n=0\n"
		"9.0@1 jit_f 0+11 n=0\n"
		"7.0@1 jit_f 20+11 n=0\n");
	check_guesses(&job.profile, "");
	job_done(&job);
}

/* Equal numbers with another structure or name are other programs. */
static UNIT_IN_ARENA(test_program_numbers_collide)
{
	const Xla__HloProto *f = module_of(*state, "jit_f", "a.1", "b.2");
	const Xla__HloProto *other = module_of(*state, "jit_f", "a.1", "c.2");
	static const struct job_row first[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 20),
		RANGE_ON(2, 0, MODULE("8", "jit_h"), 20, 30, 20)};
	static const struct job_row second[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 11, 20),  /* another structure */
		RANGE_ON(2, 0, MODULE("8", "jit_k"), 20, 31, 20), /* no HLO, another name */
		RANGE_ON(3, 0, MODULE("9", "jit_h"), 40, 51, 20), /* no HLO, another number */
	};
	static const struct jr_launcher zero[] = {LAUNCHER(5, 20, 0)};
	static const struct jr_launcher one[] = {LAUNCHER(5, 20, 1)};
	const struct job_hlo hlo_first[] = {{7, f}}, hlo_second[] = {{7, other}};
	struct job job;
	job_init(&job, NULL);
	job_add(&job, &(struct job_process){
		JOB_ROWS(first), .pid = 5, JOB_LAUNCHERS(zero), JOB_HLO(hlo_first)});
	job_add(&job, &(struct job_process){
		JOB_ROWS(second), .pid = 5, JOB_LAUNCHERS(one), JOB_HLO(hlo_second)});
	job_finish(&job);
	assert_int_equal(job.profile.n_programs, 5);
	for (size_t i = 1; i < job.profile.n_programs; i++)
		assert_true(job.profile.programs[i - 1].number < job.profile.programs[i].number);
	assert_int_equal(job.profile.programs[0].number, 7);
	assert_int_equal(job.profile.programs[1].number, 8);
	assert_string_equal(job.profile.guesses[0].id, "renumbered-programs");
	assert_true(job.profile.guesses[0].count >= 2);
	for (size_t i = 0; i < job.profile.modules.n; i++)
		assert_int_equal(job.profile.modules.program_execution[i], 0);
	job_done(&job);
}

/* Without HLO only number and name are known. */
static UNIT_IN_ARENA(test_programs_without_hlo)
{
	static const struct job_row rows[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 10, 20),
		RANGE_ON(2, 0, MODULE("9", "jit_f"), 20, 30, 20)};
	static const struct jr_launcher zero[] = {LAUNCHER(5, 20, 0)};
	static const struct jr_launcher one[] = {LAUNCHER(5, 20, 1)};
	struct job job;
	job_init(&job, NULL);
	job_add(&job, &(struct job_process){JOB_ROWS(rows), .pid = 5, JOB_LAUNCHERS(zero)});
	job_add(&job, &(struct job_process){JOB_ROWS(rows), .pid = 5, JOB_LAUNCHERS(one)});
	job_finish(&job);
	check_programs(&job.profile, "7 jit_f, 9 jit_f");
	assert_null(job.profile.programs[0].hlo);
	job_done(&job);
}

/* Numbers beyond 32 bits stay distinct. */
static UNIT_IN_ARENA(test_program_numbers_are_large)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("4294967295", "jit_f"), 0, 10, 20),
		RANGE_ON(2, 0, MODULE("4294967296", "jit_g"), 20, 30, 20),
		RANGE_ON(3, 0, MODULE("9223372036854775807", "jit_h"), 40, 50, 20),
		RANGE_ON(4, 0, MODULE("0", "jit_k"), 60, 70, 20),
		RANGE_ON(5, 0, MODULE("4294967301", "jit_l"), 80, 90, 20), /* not 5 */
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	assert_int_equal(job.profile.n_programs, 5);
	assert_int_equal(job.profile.modules.n, 5);
	for (size_t i = 1; i < 5; i++) {
		assert_int_not_equal(
			job.profile.programs[i - 1].number, job.profile.programs[i].number);
		assert_int_not_equal(job.profile.programs[i].number, 5);
	}
	job_done(&job);
}
