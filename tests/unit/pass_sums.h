/*
 * pass_sums.h - sums that hold in any report: totals, shares, the time breakdown, waits.
 */
#ifndef JR_TESTS_PASS_SUMS_H
#define JR_TESTS_PASS_SUMS_H

#include "analysis/step/step_ledger.h"
#include "pass_case.h"

static inline int64_t sum_i64(const struct jr_table *t, const char *key, size_t n)
{
	const union jr_cells *c = table_cells(t, key);
	int64_t sum = 0;
	for (size_t row = 0; row < n; row++)
		sum += c->i64[row];
	return sum;
}

static inline double sum_f64(const struct jr_table *t, const char *key, size_t n)
{
	const union jr_cells *c = table_cells(t, key);
	double sum = 0;
	for (size_t row = 0; row < n; row++)
		sum += c->f64[row];
	return sum;
}

static inline void check_close(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("is %.17g, must be %.17g", got, want);
}

static inline void check_ledger(const struct pass_run *run)
{
	const struct jr_table *t = run_table(run, "ledger");
	double periods = 0, n = 0;
	for (size_t row = 0; row < t->n_rows; row++) {
		int64_t sum = 0;
		for (size_t i = 0; jr_step_part_keys[i]; i++) {
			int64_t part = table_cells(t, jr_step_part_keys[i])->i64[row];
			assert_true(part >= 0);
			sum += part;
		}
		assert_int_equal(sum, table_cells(t, "wall_ms")->i64[row]); /* exact to 0 ns */
		double steps = table_cells(t, "steps")->f64[row];
		periods += isnan(steps) ? 0 : (double)sum / steps;
		n += !isnan(steps);
	}
	assert_true(sum_i64(t, "wall_ms", t->n_rows) <= run_total_ns(run, "totals.modules_wall_ms"));
	/* a step takes as long in the time breakdown as from start to start */
	const struct jr_table *step = run_table(run, "step_ledger");
	const struct jr_scalar *period = jr_results_scalar(&run->results, "step.period_ms");
	if (n > 0) {
		check_close(jr_step_parts_ns(step), periods / n, 1e-3);
		check_close(table_cells(step, "wall_ms")->f64[0], period->value.f64, 1e-3);
	} else {
		assert_true(isnan(period->value.f64) && isnan(table_cells(step, "wall_ms")->f64[0]));
	}
}

static inline void check_totals(const struct pass_run *run)
{
	int64_t one = run_total_ns(run, "totals.thunks_active_ms");
	int64_t two = run_total_ns(run, "totals.modules_active_ms");
	int64_t three = run_total_ns(run, "totals.modules_wall_ms");
	int64_t inside = run_total_ns(run, "totals.idle_in_modules_ms");
	int64_t between = run_total_ns(run, "totals.idle_between_modules_ms");
	assert_int_equal(inside, two > one ? two - one : 0);
	assert_int_equal(between, three > two ? three - two : 0);
	const struct jr_table *modules = run_table(run, "modules");
	int64_t top = 0;
	for (size_t row = 0; row < modules->n_rows; row++)
		if (table_cells(modules, "top")->boolean[row])
			top += table_cells(modules, "sum_ms")->i64[row];
	assert_int_equal(top, two);
	check_close(sum_f64(modules, "percent", modules->n_rows), 1, 1e-12);
	static const char *const trees[] = {"source_code", "op_name"};
	for (size_t i = 0; i < JR_COUNT_OF(trees); i++) {
		const struct jr_tree *tree = jr_results_tree(&run->results, trees[i]);
		if (tree)
			check_close(tree->total, (double)(one + inside + between), 0.5);
	}
}

/* Lost time is divided among stacks, and none of it is missing. */
static inline void check_lost(const struct pass_run *run)
{
	const struct jr_tree *tree = jr_results_tree(&run->results, "lost");
	const struct jr_table *kinds = jr_results_table(&run->results, "roofline_kinds");
	double lost_ns = 0;
	for (size_t row = 0; kinds && row < kinds->n_rows; row++) {
		double ns = table_cells(kinds, "lost_ms")->f64[row];
		lost_ns += isnan(ns) ? 0 : ns;
	}
	check_close(tree ? tree->total : 0, lost_ns, 1e-9 * lost_ns + 0.5);
}

static inline void check_thunks_and_opcodes(const struct pass_run *run)
{
	int64_t one = run_total_ns(run, "totals.thunks_active_ms");
	int64_t two = run_total_ns(run, "totals.modules_active_ms");
	const struct jr_table *thunks = run_table(run, "thunks");
	assert_int_equal(sum_i64(thunks, "active_ms", thunks->n_rows), one);
	check_close(sum_f64(thunks, "percent", thunks->n_rows), 1, 1e-12);
	for (size_t row = 0; row < thunks->n_rows; row++)
		check_close(table_cells(thunks, "mean_ms")->f64[row] *
				(double)table_cells(thunks, "count")->i64[row],
			(double)table_cells(thunks, "active_ms")->i64[row], 1e-3);
	const struct jr_table *opcodes = run_table(run, "opcodes");
	assert_int_equal(opcodes->n_data + 1, opcodes->n_rows); /* idle time is only for people */
	assert_int_equal(sum_i64(opcodes, "active_ms", opcodes->n_data), one);
	if (one <= two) {
		assert_int_equal(sum_i64(opcodes, "active_ms", opcodes->n_rows), two);
		check_close(sum_f64(opcodes, "percent", opcodes->n_rows), 1, 1e-12);
	}
}

static inline void check_communication(const struct pass_run *run)
{
	const struct jr_profile *p = &run->job.profile;
	const struct jr_table *overlap = run_table(run, "overlap");
	const struct jr_table *sizes = run_table(run, "collectives");
	const struct jr_table *instances = run_table(run, "collective_instances");
	assert_int_equal(sum_i64(sizes, "instances", sizes->n_rows), instances->n_rows);
	int64_t rows = 0, hidden = 0, dur = 0;
	for (size_t i = 0; i < p->thunks.n; i++)
		if (jr_thunk_op(p, i)->communication && jr_communication_steady(p, i)) {
			rows++;
			hidden += jr_thunk_hidden_ns(p, i);
			dur += jr_thunk_dur_ns(p, i);
		}
	assert_int_equal(sum_i64(instances, "devices", instances->n_rows), rows);
	if (overlap->n_rows) {
		size_t all = overlap->n_rows - 1;
		assert_string_equal(table_cells(overlap, "collective")->text[all], "all");
		assert_int_equal(sum_i64(overlap, "hidden_ms", all), hidden);
		assert_int_equal(table_cells(overlap, "hidden_ms")->i64[all], hidden);
		assert_int_equal(table_cells(overlap, "dur_ms")->i64[all], dur);
		for (size_t row = 0; row <= all; row++)
			assert_true(table_cells(overlap, "hidden_fraction")->f64[row] >= 0 &&
				table_cells(overlap, "hidden_fraction")->f64[row] <= 1);
	} else {
		assert_int_equal(hidden, 0);
	}
	for (size_t row = 0; row < instances->n_rows; row++)
		assert_true(table_cells(instances, "wait_ms")->f64[row] > -1e-6);
}

/* Check that every wait is charged to a device. */
static inline void check_stragglers(const struct pass_run *run)
{
	const struct jr_table *t = run_table(run, "stragglers");
	const struct jr_table *transfer = run_table(run, "transfer_wait");
	int64_t caused = sum_i64(t, "caused_wait_ms", t->n_rows);
	int64_t waited = sum_i64(transfer, "waiting_ms", transfer->n_rows);
	assert_int_equal(sum_i64(t, "waited_ms", t->n_rows), waited);
	assert_true(caused <= waited); /* extra time of the last device is not charged */
	assert_true(sum_i64(t, "last_arrivals", t->n_rows) <= /* in a tie none is the last */
				sum_i64(transfer, "instances", transfer->n_rows));
}

/* Check the sums of a job in which modules and thunks ran. */
static inline void check_sums(const struct pass_run *run)
{
	check_totals(run);
	check_lost(run);
	check_ledger(run);
	check_thunks_and_opcodes(run);
	if (run->job.profile.any_communication)
		check_communication(run);
	if (jr_results_table(&run->results, "transfer_wait"))
		check_stragglers(run);
}

#endif
