/* Overlapped time of communication: the union of the device's compute, clipped;
 * analysis/README.md, section 1.9. */
#include "trace_build.h"

/* "NAME hidden+exposed" per communication thunk. */
static void check_hidden(const struct jr_profile *p, const char *expected)
{
	struct jr_buf got = {0};
	for (size_t i = 0; i < p->thunks.n; i++)
		if (jr_thunk_op(p, i)->communication)
			jr_buf_printf(&got, "%s %" PRId64 "+%" PRId64 "\n", jr_str(p, jr_thunk_op(p, i)->name),
				jr_thunk_hidden_ns(p, i), jr_thunk_active_ns(p, i));
		else
			assert_int_equal(jr_thunk_hidden_ns(p, i), 0);
	check_text(&got, expected);
}

static UNIT_IN_ARENA(test_union_not_sum)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 1000),
		RANGE(2, 1, THUNK("all-reduce.1"), 100, 200),
		/* two that overlap, one inside both: 110..160 once */
		RANGE(3, 1, THUNK("a.1"), 110, 150),
		RANGE(4, 1, THUNK("b.1"), 130, 160),
		RANGE(5, 1, THUNK("c.1"), 135, 140),
		/* all the same interval */
		RANGE(6, 1, THUNK("all-reduce.2"), 300, 310),
		RANGE(7, 1, THUNK("a.1"), 300, 310),
		RANGE(8, 1, THUNK("b.1"), 300, 310),
		RANGE(9, 1, THUNK("c.1"), 300, 310),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_hidden(&job.profile, "all-reduce.1 50+50\nall-reduce.2 10+0\n");
	job_done(&job);
}

static UNIT_IN_ARENA(test_touching_and_clipping)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 1000),
		RANGE(2, 1, THUNK("all-reduce.1"), 100, 200), /* touched only at both ends */
		RANGE(3, 1, THUNK("a.1"), 50, 100),
		RANGE(4, 1, THUNK("b.1"), 200, 250),
		RANGE(5, 1, THUNK("all-reduce.2"), 300, 400), /* two that touch cover the middle */
		RANGE(6, 1, THUNK("a.1"), 320, 350),
		RANGE(7, 1, THUNK("b.1"), 350, 380),
		RANGE(8, 1, THUNK("all-reduce.3"), 500, 600), /* clipped on both sides */
		RANGE(9, 1, THUNK("a.1"), 450, 510),
		RANGE(10, 1, THUNK("b.1"), 590, 700),
		RANGE(11, 1, THUNK("all-reduce.4"), 800, 900), /* covered completely */
		RANGE(12, 1, THUNK("a.1"), 750, 950),
		RANGE(13, 1, THUNK("all-reduce.5"), 810, 810), /* zero length */
		RANGE(14, 1, THUNK("all-reduce.6"), 960, 970),
		RANGE(15, 1, THUNK("b.1"), 965, 965), /* compute of zero length overlaps nothing */
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_hidden(&job.profile,
		"all-reduce.1 0+100\n"
		"all-reduce.2 60+40\n"
		"all-reduce.3 20+80\n"
		"all-reduce.4 100+0\n"
		"all-reduce.5 0+0\n"
		"all-reduce.6 0+10\n");
	job_done(&job);
}

/* Communication does not overlap communication. Compute of another device or process does not
 * either; compute of another program and execution on the same device does. */
static UNIT_IN_ARENA(test_what_hides)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 200, 100),
		RANGE_ON(2, 1, THUNK("all-reduce.1"), 100, 200, 100),
		RANGE_ON(3, 1, THUNK("all-gather.1"), 100, 150, 100),
		RANGE_ON(4, 0, MODULE("7", "jit_f"), 0, 200, 101),
		RANGE_ON(5, 4, THUNK("a.1"), 0, 200, 101),
		RANGE_ON(6, 0, MODULE("8", "jit_g"), 90, 120, 100),
		RANGE_ON(7, 6, THUNK("a.1"), 95, 110, 100),
		RANGE_ON(8, 0, MODULE("7", "jit_f"), 190, 300, 100),
		RANGE_ON(9, 8, THUNK("a.1"), 195, 210, 100),
		RANGE_ON(10, 8, THUNK("b.1"), 220, 230, 100), /* as many thunks as the first one */
	};
	struct job job;
	job_make(&job, &(struct job_process){
		JOB_ROWS(rows), .pid = 1, .launchers = eight_launchers, .n_launchers = 2});
	check_hidden(&job.profile, "all-reduce.1 15+85\nall-gather.1 10+40\n");
	job_done(&job);
}

static UNIT_IN_ARENA(test_no_compute_and_no_communication)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 0, 10),
		RANGE(2, 1, THUNK("all-reduce.1"), 1, 3),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_hidden(&job.profile, "all-reduce.1 0+2\n");
	job_done(&job);
	job_make(&job, &(struct job_process){.rows = rows, .n_rows = 1});
	check_hidden(&job.profile, "");
	job_done(&job);
}

/* --- checked by counting each nanosecond ---------------------------------------------------- */

enum { SPAN = 160, DEVICES = 3 };

static void check_by_counting(const struct jr_profile *p, int64_t origin)
{
	const struct jr_thunks *t = &p->thunks;
	uint8_t compute[DEVICES][SPAN + 1] = {{0}};
	for (size_t i = 0; i < t->n; i++)
		if (!jr_thunk_op(p, i)->communication)
			for (int64_t k = 0; k < jr_thunk_dur_ns(p, i); k++)
				compute[jr_thunk_device(p, i)][jr_thunk_start_ns(p, i) - origin + k] = 1;
	for (size_t i = 0; i < t->n; i++) {
		if (!jr_thunk_op(p, i)->communication)
			continue;
		int64_t hidden = 0;
		for (int64_t k = 0; k < jr_thunk_dur_ns(p, i); k++)
			hidden += compute[jr_thunk_device(p, i)][jr_thunk_start_ns(p, i) - origin + k];
		assert_int_equal(jr_thunk_hidden_ns(p, i), hidden);
		assert_in_range(jr_thunk_hidden_ns(p, i), 0, jr_thunk_dur_ns(p, i));
		assert_int_equal(
			jr_thunk_hidden_ns(p, i) + jr_thunk_active_ns(p, i), jr_thunk_dur_ns(p, i));
	}
}

static UNIT_IN_ARENA(test_random_against_counting)
{
	uint32_t seed = 1;
	for (int round = 0; round < 300; round++) {
		/* Times of any size: from before 0 to almost the end of int64. */
		static const int64_t origins[] = {0, -1000, INT64_MAX - 1000, INT64_C(1) << 53};
		int64_t origin = origins[round % 4];
		struct job_rows rows = {.arena = *state};
		int64_t module[DEVICES];
		for (int d = 0; d < DEVICES; d++)
			module[d] = rows_add(&rows, 0, origin, origin + SPAN, 100 + d, MODULE("7", "jit_f"));
		uint32_t n = next_random(&seed, 40);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t d = next_random(&seed, DEVICES), from = next_random(&seed, SPAN);
			uint32_t length = next_random(&seed, SPAN - from + 1);
			if (next_random(&seed, 4))
				length %= 20;
			rows_add(&rows, module[d], origin + from, origin + from + length, 100 + (int64_t)d,
				next_random(&seed, 3) ? "Thunk:#hlo_op=f.%u#" : "Thunk:#hlo_op=all-gather.%u#",
				next_random(&seed, 5));
		}
		struct job_process process = rows_process(&rows, DEVICES);
		struct job job;
		job_make(&job, &process);
		assert_int_equal(job.profile.thunks.n, n);
		check_by_counting(&job.profile, origin);
		job_done(&job);
		jr_vec_done(&rows);
	}
}
