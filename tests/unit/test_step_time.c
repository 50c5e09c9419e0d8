/* Steps: the slowest device of each, and which op each nanosecond belongs to. */
#include <math.h>

#include "trace_build.h"

#include "analysis/shared/step_time.h"

struct timed {
	struct jr_arena arena;
	const struct jr_step_times *t;
};

static struct timed time_steps(const struct jr_profile *p)
{
	struct timed out;
	jr_arena_init(&out.arena, 0);
	out.t = jr_step_times_compute(p, &out.arena);
	return out;
}

/* Check conservation over every program. */
static void check_sums(const struct jr_profile *p, const struct jr_step_times *t)
{
	for (uint32_t k = 0; k < p->n_programs; k++) {
		int64_t sum_ns = t->programs[k].idle_ns;
		double mean_ns = 0;
		for (size_t i = 0; i < p->n_ops; i++) {
			if (p->ops[i].program != k)
				continue;
			assert_true(t->ops[i].sum_ns >= 0);
			sum_ns += t->ops[i].sum_ns;
			mean_ns += t->ops[i].mean_ns;
		}
		assert_int_equal(sum_ns, t->programs[k].sum_ns);
		assert_true(t->programs[k].idle_ns >= 0);
	}
}

/* "PROGRAM n=STEPS median sum idle" per program, " OP sum" per op with any time. */
static void check_steps(const struct jr_profile *p, const char *expected)
{
	struct timed s = time_steps(p);
	struct jr_buf got = {0};
	check_sums(p, s.t);
	for (uint32_t k = 0; k < p->n_programs; k++) {
		const struct jr_program_steps *steps = &s.t->programs[k];
		jr_buf_printf(&got, "%u n=%zu %" PRId64 " %" PRId64 " %" PRId64 "\n", p->programs[k].number,
			steps->n, steps->median_ns, steps->sum_ns, steps->idle_ns);
		for (size_t i = 0; i < p->n_ops; i++)
			if (p->ops[i].program == k && s.t->ops[i].sum_ns)
				jr_buf_printf(
					&got, "  %s %" PRId64 "\n", jr_str(p, p->ops[i].name), s.t->ops[i].sum_ns);
	}
	check_text(&got, expected);
	jr_arena_done(&s.arena);
}

static UNIT(who_takes_the_time)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 1000),
		RANGE(2, 1, THUNK("all-reduce.1"), 100, 200), /* 100..110 and 160..200 belong to it */
		RANGE(3, 1, THUNK("a.1"), 110, 150),
		RANGE(4, 1, THUNK("b.1"), 130, 160),          /* a.1 began first: 150..160 */
		RANGE(5, 1, THUNK("c.1"), 135, 140),          /* inside both: nothing */
		RANGE(6, 1, THUNK("all-gather.1"), 180, 230), /* after all-reduce.1: 200..230 */
		RANGE(7, 1, THUNK("a.1"), 990, 1000),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_steps(&job.profile, "7 n=1 1000 1000 860\n"
							  "  a.1 50\n"
							  "  all-gather.1 30\n"
							  "  all-reduce.1 50\n"
							  "  b.1 10\n");
	job_done(&job);
}

/* A host copy comes after collectives, even if it began first. */
static UNIT(copies_come_last)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 100),
		RANGE(2, 1, THUNK("all-reduce.9"), 10, 60), /* turned into a copy below */
		RANGE(3, 1, THUNK("all-reduce.1"), 20, 40),
		RANGE(4, 1, THUNK("a.1"), 30, 50),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	for (size_t i = 0; i < job.profile.n_ops; i++)
		if (strcmp(jr_str(&job.profile, job.profile.ops[i].name), "all-reduce.9") == 0)
			job.profile.ops[i].collective = jr_profile_text(&job.profile, "host-to-device", 14);
	check_steps(&job.profile, "7 n=1 100 100 50\n"
							  "  a.1 20\n"
							  "  all-reduce.1 10\n"
							  "  all-reduce.9 20\n");
	job_done(&job);
}

/* The slowest device counts in each execution; in a tie, the first one. */
static UNIT(slowest_device)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 100, 100),
		RANGE_ON(2, 1, THUNK("a.1"), 0, 40, 100),
		RANGE_ON(3, 0, MODULE("7", "jit_f"), 0, 130, 101),
		RANGE_ON(4, 3, THUNK("a.1"), 0, 70, 101),
		RANGE_ON(5, 0, MODULE("7", "jit_f"), 200, 321, 100),
		RANGE_ON(6, 5, THUNK("b.1"), 200, 220, 100),
		RANGE_ON(7, 0, MODULE("7", "jit_f"), 200, 321, 101),
		RANGE_ON(8, 7, THUNK("b.1"), 200, 290, 101),
	};
	struct job job;
	job_make(&job, &(struct job_process){
					   JOB_ROWS(rows), .pid = 1, .launchers = eight_launchers, .n_launchers = 2});
	/* 130 on device 1, 121 on device 0: the median is 125.5, rounded down */
	check_steps(&job.profile, "7 n=2 125 251 161\n"
							  "  a.1 70\n"
							  "  b.1 20\n");
	struct timed s = time_steps(&job.profile);
	for (size_t i = 0; i < job.profile.n_ops; i++) {
		double sum = (double)s.t->ops[i].sum_ns;
		/* samples {sum, 0}: mean sum / 2, deviation sum / sqrt(2) */
		assert_true(s.t->ops[i].mean_ns == sum / 2);
		assert_true(fabs(s.t->ops[i].std_ns - sum / sqrt(2)) < 1e-9);
	}
	jr_arena_done(&s.arena);
	job_done(&job);
}

static UNIT(nothing_at_all)
{
	static const struct job_row bare[] = {RANGE(1, 0, MODULE("7", "jit_f"), 0, 10)};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(bare)});
	check_steps(&job.profile, "7 n=1 10 10 10\n");
	job_done(&job);
	job_make(&job, &(struct job_process){0});
	check_steps(&job.profile, "");
	job_done(&job);
}

/* Random thunks, some extending beyond their module, checked by counting each nanosecond. */
static UNIT(against_counting)
{
	uint32_t random = 11;
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (int round = 0; round < 40; round++) {
		struct job_rows rows = {.arena = &arena};
		int64_t module = rows_add(&rows, 0, 50, 350, 100, MODULE("7", "jit_f"));
		for (int i = 0; i < 30; i++) {
			int64_t start = 50 + next_random(&random, 300);
			rows_add(&rows, module, start, start + next_random(&random, 40), 100,
				next_random(&random, 3) ? "Thunk:#hlo_op=a.%u#" : "Thunk:#hlo_op=all-reduce.%u#",
				next_random(&random, 6));
		}
		struct job job;
		struct job_process process = rows_process(&rows, 1);
		job_make(&job, &process);
		const struct jr_profile *p = &job.profile;
		struct timed s = time_steps(p);
		check_sums(p, s.t);
		int64_t *counted = JR_ARENA_N(&arena, int64_t, p->n_ops);
		for (int64_t at = 50; at < 350; at++) {
			size_t winner = SIZE_MAX;
			for (size_t i = 0; i < p->thunks.n; i++) {
				if (jr_thunk_start_ns(p, i) > at || jr_thunk_end_ns(p, i) <= at)
					continue;
				if (winner == SIZE_MAX ||
					(jr_thunk_op(p, winner)->communication && !jr_thunk_op(p, i)->communication))
					winner = i;
			}
			if (winner != SIZE_MAX)
				counted[p->thunks.op[winner]]++;
		}
		for (size_t i = 0; i < p->n_ops; i++)
			assert_int_equal(s.t->ops[i].sum_ns, counted[i]);
		jr_arena_done(&s.arena);
		job_done(&job);
		jr_vec_done(&rows);
	}
}
