/*
 * compare.h - compare two runs: the input of every pass of a comparison, and the table of passes.
 * Layer: compare.  A pass is one file plus one line in compare_passes.def. It fills a section with
 * the same items as a pass over a profile, so every writer of a report can write a comparison.
 */
#ifndef JR_COMPARE_COMPARE_H
#define JR_COMPARE_COMPARE_H

#include "analysis/core/pass.h"
#include "compare/judge/gates.h"

#define JR_COMPARE_SCHEMA "jaxreport.compare/1"

struct jr_comparison {
	const struct jr_run *runs[2]; /* JR_BASE, JR_NEW */
	struct jr_match match;
	struct jr_step_kinds kinds;
	struct jr_explanation explanation;
	struct jr_planned planned; /* of two plans */
	struct jr_judgement judgement;
	const struct jr_metric_change *changes; /* [of jr_metrics]; NULL after jr_compare_judge() */
	double tolerance;
	size_t n_gates;
	struct jr_gate_result *gates;
	struct jr_arena *arena; /* lives as long as the results */
};

struct jr_compare_rows;

struct jr_compare_pass {
	struct jr_pass about; /* name, title, summary, leads; `run` is not used */
	/* One of these fills the section: a table described by compare_rows.h, or a function. */
	const struct jr_compare_rows *rows;
	void (*run)(const struct jr_comparison *c, struct jr_section *out);
};

/**
 * Match two runs and judge the change of the step, without gates and results. The base decides
 * which program is the step; the new run's step is set to its match.
 *
 * @param kept  NULL, or draws to reuse from one pair of runs to the next
 * @param out   lives in `arena`; borrows both runs
 */
void jr_compare_judge(const struct jr_run *base, struct jr_run *fresh, double tolerance,
	struct jr_draws *kept, struct jr_arena *arena, struct jr_comparison *out);

/** Return the verdict and its numbers, "Regression: ...", with the largest cause, or the
 * measurement that would decide. In the comparison's arena. */
struct jr_answer jr_compare_answer(const struct jr_comparison *c);
/** Return whether such an answer is about latency, because neither run has steps. */
bool jr_answer_of_latency(const struct jr_answer *answer);
/** Return the verdict in a few words: "regression, +3.01 %", "cannot tell". */
const char *jr_compare_headline(const struct jr_comparison *c);

/**
 * Compare two runs. The base decides which program is the step; the new run's step is set to its
 * match.
 *
 * @param gates    may be empty
 * @param out      the input of passes; it and the results live in `arena`
 * @param results  one section per pass; schema, title and subtitle are set
 */
void jr_compare_runs(const struct jr_run *base, struct jr_run *fresh, double tolerance,
	const struct jr_gates *gates, struct jr_arena *arena, struct jr_comparison *out,
	struct jr_results *results);

/** Return a section "gates" of a single run; NULL if there are no gates. */
struct jr_section *jr_gates_section(
	const struct jr_gate_result *gates, size_t n, struct jr_arena *arena);

/** Insert a section before all others. */
void jr_results_lead(
	struct jr_results *results, const struct jr_section *section, struct jr_arena *arena);

/* Outcome of all gates: fail if any fails, else unclear if any is, else pass. */
enum jr_gate_outcome jr_gates_outcome(const struct jr_gate_result *gates, size_t n);

#endif
