/* Duration of a step on a device that runs another program than the one of the steps. */

#include "unit.h"

#include "analysis/shared/step_window.h"
#include "base/cleanup.h"

enum { STEP, STAGE, N_PROGRAMS };
#define MOST_ROWS 64
#define PERIOD_NS 1000

/* Return the windows of two devices: the first runs `n_steps` steps, the other `n` executions of
 * a stage, `per_step` of them per step. All are steady, and each takes half its time. */
static const struct jr_step_windows *windows_of(
	size_t n_steps, size_t n, size_t per_step, struct jr_arena *arena)
{
	struct jr_modules m = {.n = n_steps + n,
		.program = JR_ARENA_N(arena, uint32_t, MOST_ROWS),
		.program_execution = JR_ARENA_N(arena, uint32_t, MOST_ROWS),
		.device = JR_ARENA_N(arena, uint32_t, MOST_ROWS),
		.start_ns = JR_ARENA_N(arena, int64_t, MOST_ROWS),
		.dur_ns = JR_ARENA_N(arena, int64_t, MOST_ROWS),
		.steady = JR_ARENA_N(arena, uint8_t, MOST_ROWS)};
	assert_true(m.n <= MOST_ROWS);
	for (size_t row = 0; row < m.n; row++) {
		bool is_step = row < n_steps;
		size_t k = is_step ? row : row - n_steps;
		int64_t every_ns = PERIOD_NS / (int64_t)(is_step ? 1 : per_step);
		m.program[row] = is_step ? STEP : STAGE;
		m.program_execution[row] = (uint32_t)k;
		m.device[row] = !is_step;
		m.start_ns[row] = (int64_t)k * every_ns;
		m.dur_ns[row] = every_ns / 2;
		m.steady[row] = 1;
	}
	struct jr_program named[N_PROGRAMS] = {{.name = 1}, {.name = 2}};
	struct jr_profile profile = {
		.n_devices = 2, .n_programs = N_PROGRAMS, .programs = named, .modules = m};
	struct jr_program_steady programs[N_PROGRAMS] = {
		{.executions = (int64_t)n_steps, .top = true}, {.executions = (int64_t)n, .top = true}};
	uint32_t ranking[] = {STEP, STAGE};
	struct jr_device_steady devices[] = {{.seen = true}, {.seen = true}};
	struct jr_steady steady = {.programs = programs,
		.devices = devices,
		.ranking = ranking,
		.n_ranking = N_PROGRAMS,
		.n_top = N_PROGRAMS};
	return jr_step_windows_compute(&profile, &steady, NULL, arena);
}

/* For any number of executions that warm-up removed from the other program, the step time is the
 * same. */
static UNIT(test_warm_up_of_another_program)
{
	static const struct {
		size_t n_steps, n, per_step;
		double n_periods; /* of the device with the other program */
	} cases[] = {{8, 8, 1, 7},
		{8, 9, 1, 8},
		{8, 7, 1, 6},
		{8, 16, 2, 7},
		{8, 17, 2, 7},
		{8, 15, 2, 6},
		{3, 4, 1, 3},
		{1, 4, 4, 0}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
		const struct jr_step_windows *w =
			windows_of(cases[i].n_steps, cases[i].n, cases[i].per_step, &arena);
		const struct jr_step_window *stage = &w->devices[1];
		assert_int_equal(stage->program, STAGE);
		assert_true(w->devices[0].main && !stage->main);
		assert_true(w->n_steps == 2.0 * (double)cases[i].n_steps);
		assert_true(stage->n_periods == cases[i].n_periods);
		if (cases[i].n_steps > 1) {
			assert_true(
				(double)(stage->end_ns - stage->begin_ns) == stage->n_periods * PERIOD_NS);
			assert_true(w->mean_ns == PERIOD_NS && w->median_ns == PERIOD_NS);
		}
	}
}

/* A program that does not follow the steps is counted by its executions. */
static UNIT(test_no_whole_number_of_executions)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	const struct jr_step_windows *w = windows_of(8, 12, 1, &arena);
	assert_true(w->devices[1].n_periods == 11 / 1.5);
}
