/* Clock alignment from the ends of collectives; analysis/README.md, section 6.1. */
#include "trace_build.h"

#include <math.h>

/* "DEVICE:SET:CORRECTION" per device; set "-" if nothing connects it. */
static void check_corrections(const struct jr_profile *p, const char *expected)
{
	struct jr_buf got = {0};
	for (size_t i = 0; i < p->n_devices; i++) {
		jr_buf_printf(&got, "%s%u:", i ? " " : "", p->devices[i].global);
		if (p->devices[i].aligned_set == JR_NONE)
			jr_buf_puts(&got, "-");
		else
			jr_buf_printf(&got, "%u", p->devices[i].aligned_set);
		jr_buf_printf(&got, ":%g", p->devices[i].correction_ns);
	}
	check_text(&got, expected);
}

/* Ends of collective k on each device in one execution of a module; 0: it did not run there. */
struct ends {
	int64_t at[8];
};

static void add_ends(struct job_rows *rows, const struct ends *ends, size_t n, size_t n_devices)
{
	for (size_t d = 0; d < n_devices; d++) {
		int64_t module = rows_add(rows, 0, 0, 1000000, 100 + (int64_t)d, MODULE("7", "jit_f"));
		for (size_t k = 0; k < n; k++)
			if (ends[k].at[d]) /* lengths differ: only the ends count */
				rows_add(rows, module, ends[k].at[d] - 1 - (int64_t)(d * 7 + k), ends[k].at[d],
					100 + (int64_t)d, "Thunk:#hlo_op=all-reduce.%zu#", k);
	}
}

static void align(struct jr_arena *arena, const struct jr_options *options,
	const struct ends *ends, size_t n, size_t n_devices, const char *expected)
{
	struct job_rows rows = {.arena = arena};
	add_ends(&rows, ends, n, n_devices);
	struct job_process process = rows_process(&rows, n_devices);
	struct job job;
	job_init(&job, options);
	job_add(&job, &process);
	job_finish(&job);
	check_corrections(&job.profile, expected);
	job_done(&job);
	jr_vec_done(&rows);
}

/* The median of the skews from the mean end. */
static UNIT_IN_ARENA(test_same_devices)
{
	/* skews of device 0: -5, -3, -45: the median, not the mean */
	static const struct ends odd[] = {{{100, 110}}, {{200, 206}}, {{300, 390}}};
	align(*state, NULL, odd, 3, 2, "0:0:-5 1:0:5");
	/* an even count: mean of the middle two, -3 and -5 */
	static const struct ends even[] = {{{100, 110}}, {{200, 206}}, {{300, 390}}, {{400, 402}}};
	align(*state, NULL, even, 4, 2, "0:0:-4 1:0:4");
	static const struct ends one[] = {{{100, 101, 105}}}; /* mean 102 */
	align(*state, NULL, one, 1, 3, "0:0:-2 1:0:-1 2:0:3");
	static const struct ends half[] = {{{100, 101}}};
	align(*state, NULL, half, 1, 2, "0:0:-0.5 1:0:0.5");
	static const struct ends none[] = {{{100, 100}}, {{200, 200}}};
	align(*state, NULL, none, 2, 2, "0:0:0 1:0:0");
}

static UNIT_IN_ARENA(test_nothing_to_align)
{
	static const struct ends ends[] = {{{100, 110}}, {{200, 206}}};
	struct jr_options options = jr_options_default();
	options.no_align = true;
	align(*state, &options, ends, 2, 2, "0:-:0 1:-:0");
	align(*state, NULL, ends, 2, 1, "0:-:0");
	align(*state, NULL, ends, 0, 2, "0:-:0 1:-:0");
	/* each collective on one device only */
	static const struct ends alone[] = {{{100, 0}}, {{0, 206}}};
	align(*state, NULL, alone, 2, 2, "0:-:0 1:-:0");
	static const struct ends lone_pair[] = {{{100, 0}}, {{200, 0}}};
	align(*state, NULL, lone_pair, 2, 2, "0:-:0 1:-:0");
}

/* All executions count, also those of warm-up; instances are identified by execution and number. */
static UNIT_IN_ARENA(test_instances)
{
	struct job_rows rows = {.arena = *state};
	for (int d = 0; d < 2; d++)
		for (int x = 0; x < 3; x++) {
			int64_t at = 1000 * x + (d ? 20 * x : 0);
			int64_t m = rows_add(&rows, 0, at, at + 900, 100 + d, MODULE("7", "jit_f"));
			rows_add(&rows, m, at + 10, at + 100, 100 + d, THUNK("all-reduce.1"));
			rows_add(&rows, m, at + 110, at + 200, 100 + d, THUNK("all-reduce.1"));
		}
	struct job_process process = rows_process(&rows, 2);
	struct job job;
	job_make(&job, &process);
	/* skews: 0, 0, 10, 10, 20, 20 */
	check_corrections(&job.profile, "0:0:-10 1:0:10");
	job_done(&job);
	jr_vec_done(&rows);
}

/* Clocks that are hours apart keep their nanoseconds. */
static UNIT_IN_ARENA(test_large_times)
{
	const int64_t far = INT64_C(4000000000000000003);
	const struct ends ends[] = {
		{{far, far + 7}}, {{far + 1000, far + 1007}}, {{far + 2000, far + 2009}}};
	align(*state, NULL, ends, 3, 2, "0:0:-3.5 1:0:3.5");
}

/* --- groups that differ ----------------------------------------------------------------------- */

/* Collectives over these sets of devices, each `repeat` times. The clock of device d is ahead by
 * offset[d] plus noise(round). */
struct plan {
	size_t n_devices, n_groups;
	const char *const *groups; /* "012": devices of a group */
	const int64_t *offset;
	int repeat;
	uint32_t noise; /* upper bound of the noise on any end */
	int outliers;   /* rounds per group in which one device is far off */
};

static void plant(struct job *job, struct jr_arena *arena, const struct plan *plan)
{
	uint32_t seed = 11;
	struct job_rows rows = {.arena = arena};
	for (size_t g = 0; g < plan->n_groups; g++) {
		for (const char *c = plan->groups[g]; *c; c++) {
			int64_t d = *c - '0', at = 1000000000 * ((int64_t)g + 1) + plan->offset[d];
			int64_t module = rows_add(&rows, 0, at, at + 100000000, 100 + d,
				"XlaModule:#hlo_module=jit_%zu,program_id=%zu#", g, g);
			for (int k = 0; k < plan->repeat; k++) {
				int64_t end = at + 100000 * (k + 1) + next_random(&seed, plan->noise + 1);
				if (k < plan->outliers && c == plan->groups[g])
					end += 50000;
				rows_add(&rows, module, end - 1000 - next_random(&seed, 500), end, 100 + d,
					"Thunk:#hlo_op=all-gather.%d#", k);
			}
		}
	}
	struct job_process process = rows_process(&rows, plan->n_devices);
	job_make(job, &process);
	jr_vec_done(&rows);
}

/* Check that corrections of each set are the planted offsets up to a constant, and have mean 0. */
static void check_planted(const struct jr_profile *p, const struct plan *plan, double tolerance_ns)
{
	for (uint32_t set = 0; set < plan->n_devices; set++) {
		double sum = 0, planted = 0;
		int n = 0;
		for (size_t d = 0; d < p->n_devices; d++)
			if (p->devices[d].aligned_set == set) {
				sum += p->devices[d].correction_ns;
				planted += (double)plan->offset[d];
				n++;
			}
		assert_int_not_equal(n, 1);
		if (n == 0)
			continue;
		assert_true(fabs(sum) < 1e-3);
		for (size_t d = 0; d < p->n_devices; d++) {
			double want = (double)plan->offset[d] - planted / n;
			double got = p->devices[d].correction_ns;
			if (p->devices[d].aligned_set == set && !(fabs(got - want) <= tolerance_ns))
				fail_msg("device %zu: correction %.3f, planted %.3f", d, got, want);
		}
	}
}

static const int64_t planted_offsets[8] = {
	0, 5000000, -3000000, 41, 7000000, -1, 123456789, -99999999};

static UNIT_IN_ARENA(test_differing_groups)
{
	static const char *const groups[] = {"012", "23", "01", "03"};
	const struct plan plan = {4, 4, groups, planted_offsets, 9, 0, 0};
	struct job job;
	plant(&job, *state, &plan);
	check_planted(&job.profile, &plan, 1);
	for (int d = 0; d < 4; d++)
		assert_int_equal(job.profile.devices[d].aligned_set, 0);
	job_done(&job);
}

/* Devices outside the first collective are aligned as well. */
static UNIT_IN_ARENA(test_first_group_is_part_of_another)
{
	static const char *const groups[] = {"01", "012"};
	const struct plan plan = {3, 2, groups, planted_offsets, 5, 0, 0};
	struct job job;
	plant(&job, *state, &plan);
	check_planted(&job.profile, &plan, 1);
	for (int d = 0; d < 3; d++)
		assert_int_equal(job.profile.devices[d].aligned_set, 0);
	job_done(&job);
}

/* Two sets and one device without connection. */
static UNIT_IN_ARENA(test_connected_sets)
{
	static const char *const groups[] = {"14", "45", "02", "3"};
	const struct plan plan = {6, 4, groups, planted_offsets, 5, 0, 0};
	struct job job;
	plant(&job, *state, &plan);
	check_planted(&job.profile, &plan, 1);
	static const uint32_t sets[] = {0, 1, 0, JR_NONE, 1, 1};
	for (int d = 0; d < 6; d++)
		assert_int_equal(job.profile.devices[d].aligned_set, sets[d]);
	assert_true(job.profile.devices[3].correction_ns == 0);
	job_done(&job);
}

/* Each end counts once: two rounds that differ leave device 0 where their mean puts it. */
static UNIT_IN_ARENA(test_even_rounds)
{
	static const struct ends ends[] = {{{100, 110, 0}}, {{200, 206, 0}}, {{0, 300, 300}}};
	align(*state, NULL, ends, 3, 3, "0:0:-5.33333 1:0:2.66667 2:0:2.66667");
}

/* A long chain, each link in one collective: offsets travel along it. */
static UNIT_IN_ARENA(test_chain)
{
	static const char *const groups[] = {"01", "12", "23", "34", "45", "56", "67"};
	const struct plan plan = {8, 7, groups, planted_offsets, 3, 0, 0};
	struct job job;
	plant(&job, *state, &plan);
	check_planted(&job.profile, &plan, 1);
	job_done(&job);
}

/* A chain too long for rounds of medians alone. */
static UNIT_IN_ARENA(test_long_chain)
{
	enum { N = 300 };
	struct jr_launcher launchers[N];
	struct job_rows rows = {.arena = *state};
	for (int64_t d = 0; d < N; d++) {
		launchers[d] = (struct jr_launcher)LAUNCHER(1, 100 + d, (uint32_t)d);
		for (int64_t g = d ? d - 1 : 0; g <= d && g < N - 1; g++) { /* links to both neighbors */
			int64_t at = 1000000 * (g + 1) + 1000 * d;
			int64_t m = rows_add(&rows, 0, at, at + 900, 100 + d,
				"XlaModule:#hlo_module=jit_%d,program_id=%d#", (int)g, (int)g);
			rows_add(&rows, m, at + 10, at + 100, 100 + d, THUNK("all-reduce.1"));
		}
	}
	struct job_process process = rows_process(&rows, 0);
	process.launchers = launchers;
	process.n_launchers = N;
	struct job job;
	job_make(&job, &process);
	assert_int_equal(job.profile.n_devices, N);
	for (int d = 0; d < N; d++) {
		assert_int_equal(job.profile.devices[d].aligned_set, 0);
		double want = 1000 * (d - (N - 1) / 2.0), got = job.profile.devices[d].correction_ns;
		if (fabs(got - want) > 1)
			fail_msg("device %d: %g, must be %g", d, got, want);
	}
	job_done(&job);
	jr_vec_done(&rows);
}

/* Noise of some ns and outliers in fewer than half of the rounds change little. */
static UNIT_IN_ARENA(test_robust)
{
	static const char *const groups[] = {"0123", "4567", "04", "15", "26", "37"};
	const struct plan plan = {8, 6, groups, planted_offsets, 15, 20, 5};
	struct job job;
	plant(&job, *state, &plan);
	check_planted(&job.profile, &plan, 40);
	job_done(&job);
}

/* --- collectives of one device ---------------------------------------------------------------- */

/* A host copy runs on each device separately: it says nothing about clocks. */
static UNIT_IN_ARENA(test_host_copies_tie_nothing)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	build_fetch(a, entry, "fetch.1");
	struct job_rows rows = {.arena = a};
	for (int d = 0; d < 2; d++) {
		int64_t m = rows_add(&rows, 0, 0, 1000, 100 + d, MODULE("7", "jit_f"));
		rows_add(&rows, m, 10, 100 + 50 * d, 100 + d, THUNK("fetch.1"));
	}
	const struct job_hlo hlo[] = {{7, proto}};
	struct job_process process = rows_process(&rows, 2);
	process.hlo = hlo;
	process.n_hlo = 1;
	struct job job;
	job_make(&job, &process);
	assert_true(job_op(&job, "fetch.1")->communication);
	check_corrections(&job.profile, "0:-:0 1:-:0");
	job_done(&job);
	jr_vec_done(&rows);
}
