/*
 * findings_case.h - findings of a hand-made job, and checks for any of them.
 */
#ifndef JR_TESTS_FINDINGS_CASE_H
#define JR_TESTS_FINDINGS_CASE_H

#include "analysis/step/step_ledger.h"
#include "pass_case.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

static inline const struct jr_finding *find(const struct pass_run *run, const char *id)
{
	for (size_t i = 0; i < run->results.n_findings; i++)
		if (strcmp(run->results.findings[i].id, id) == 0)
			return &run->results.findings[i];
	return NULL;
}

static inline int64_t ledger_sum(const struct pass_run *run, const char *key)
{
	const struct jr_table *ledger = run_table(run, "ledger");
	int64_t sum = 0;
	for (size_t row = 0; row < ledger->n_rows; row++)
		sum += table_cells(ledger, key)->i64[row];
	return sum;
}

/* Check any finding: it is bounded by a part of the step, and step and whole agree. */
static inline void check_bounds(const struct pass_run *run)
{
	const struct jr_table *step = run_table(run, "step_ledger");
	int64_t wall = ledger_sum(run, "wall_ms"), sum = 0;
	double largest = 0, whole = jr_step_parts_ns(step);
	for (enum jr_step_column part = 0; part < JR_STEP_N_PARTS; part++) {
		sum += ledger_sum(run, jr_step_part_keys[part]);
		largest = fmax(largest, jr_step_part_ns(step, part));
	}
	assert_int_equal(sum, wall);
	for (size_t i = 0; i < run->results.n_findings; i++) {
		const struct jr_finding *f = &run->results.findings[i];
		if (f->recoverable_ns == JR_NULL_I64)
			continue;
		/* only small programs count two parts: the programs and the gaps around them */
		double most = strcmp(f->id, "small-programs") == 0
			? jr_step_part_ns(step, JR_STEP_IDLE_BETWEEN) + jr_step_part_ns(step, JR_STEP_OTHER)
			: strcmp(f->id, "uneven-steps") == 0 ? whole : largest;
		assert_true(f->recoverable_ns >= 0);
		if (f->times) {
			assert_true(f->recoverable_ns <= wall);
			assert_int_equal(f->step_recoverable_ns, JR_NULL_I64);
			continue;
		}
		assert_true((double)f->step_recoverable_ns <= most + 1);
		assert_true(f->step_recoverable_ns <= f->recoverable_ns);
		assert_true(f->step_without_ns >= 0);
	}
}

/* Return the result of a rule in the table of checks. */
static inline const char *result_of(const struct pass_run *run, const char *id)
{
	const struct jr_table *checks = run_table(run, "checks");
	for (size_t row = 0; row < checks->n_rows; row++)
		if (strcmp(table_cells(checks, "id")->text[row], id) == 0)
			return table_cells(checks, "result")->text[row];
	fail_msg("no rule '%s'", id);
	return NULL;
}

#endif
