/*
 * findings_case.h - findings of a made-up job, and what holds for any of them.
 */
#ifndef JR_TESTS_FINDINGS_CASE_H
#define JR_TESTS_FINDINGS_CASE_H

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

/* What holds for any finding: bounded by a part of the ledger, step and whole agree. */
static inline void check_bounds(const struct pass_run *run)
{
	static const char *const parts[] = {"compute_ms", "exposed_communication_ms", "exposed_copy_ms",
		"idle_in_modules_ms", "idle_between_modules_ms", "other_programs_ms"};
	int64_t wall = ledger_sum(run, "wall_ms"), sum = 0, largest = 0;
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		int64_t part = ledger_sum(run, parts[i]);
		sum += part;
		largest = part > largest ? part : largest;
	}
	assert_int_equal(sum, wall);
	for (size_t i = 0; i < run->results.n_findings; i++) {
		const struct jr_finding *f = &run->results.findings[i];
		if (f->recoverable_ns == JR_NULL_I64)
			continue;
		/* two parts together only where small programs and the gaps around them go */
		int64_t most = strcmp(f->id, "small-programs") == 0
			? ledger_sum(run, "idle_between_modules_ms") + ledger_sum(run, "other_programs_ms")
			: strcmp(f->id, "uneven-steps") == 0 ? wall : largest;
		assert_true(f->recoverable_ns >= 0 && f->recoverable_ns <= most);
		assert_true(f->step_recoverable_ns <= f->recoverable_ns);
		assert_true(f->step_without_ns >= 0);
	}
}

/* The result of a rule in the table of checks. */
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
