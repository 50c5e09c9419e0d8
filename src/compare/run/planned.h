/*
 * planned.h - the work of two plans, side by side: what differs, and what cannot be compared.
 * Layer: compare.
 *
 * Names of instructions change with any change of a program, so instructions with equal work are
 * matched first, then those with equal names, op_names or source lines (planned.c lists the rules).
 */
#ifndef JR_COMPARE_PLANNED_H
#define JR_COMPARE_PLANNED_H

#include "compare/run/match.h"

/* Rows of a table whose work differs; in the order of the base's rows, then the new run's. */
struct jr_planned_rows {
	size_t n;
	const struct jr_row_pair *items; /* SIZE_MAX: not in that run */
};

struct jr_planned {
	struct jr_planned_rows lines;        /* JR_RUN_PLAN_LINES, of the first programs */
	struct jr_planned_rows instructions; /* JR_RUN_PLAN_INSTRUCTIONS, of all programs */
	/* Instructions of the first programs whose FLOPs or bytes are unknown, and that the other run
	 * does not have with the same name or op_name: sums of the runs cannot be compared. */
	size_t n_unknown;
	const char *unknown; /* name of the first of them */
};

/** Compare the plans of two runs; empty unless both have the tables. In `arena`.
 * O(rows log rows). */
struct jr_planned jr_planned_of(const struct jr_run *const runs[2], struct jr_arena *arena);

/** Return a column of a table of a plan for all launches; NaN for an unknown value or a row that
 * the run does not have. `launches`: the column to multiply by, or SIZE_MAX. */
double jr_planned_work(
	const struct jr_run *run, enum jr_run_table table, size_t column, size_t launches, size_t row);

/** Return the change of the roofline time of an instruction of the first programs, ns; NaN if it is
 * unknown or of another program. */
double jr_planned_change(const struct jr_run *const runs[2], const struct jr_row_pair *pair);

#endif
