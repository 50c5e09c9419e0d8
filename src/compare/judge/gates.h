/*
 * gates.h - limits on a run, or on its change against a base.
 * Layer: compare.
 *
 *	gate   = METRIC OP LIMIT          blanks around OP are allowed
 *	METRIC = NAME | NAME "(" PROGRAM ")"   the latter for metrics of one program
 *	OP     = "<" | "<=" | ">" | ">="  the condition that must hold
 *	LIMIT  = [ "+" | "-" ] NUMBER [ UNIT ]
 *	UNIT   = "ns" "us" "µs" "ms" "s" | "B" "kB" "MB" "GB" "TB" "KiB" "MiB" "GiB" "TiB" | "%"
 *
 * A limit with a sign applies to the change against the base: "step.median<+2%" is relative,
 * "step.median<+1ms" absolute. A limit without a sign applies to the value itself:
 * "memory.peak<=38GB", "busy>=90%"; a share above 1 needs its %. NAME is a row of metrics.def.
 *PROGRAM may contain any character; its parentheses must be balanced. In a file each line is a
 *gate; blank lines and text after '#' are ignored.
 */
#ifndef JR_COMPARE_GATES_H
#define JR_COMPARE_GATES_H

#include "base/buf.h"
#include "base/vec.h"
#include "compare/judge/judge.h"
#include "compare/judge/metrics.h"

enum jr_gate_op { JR_GATE_LESS, JR_GATE_AT_MOST, JR_GATE_MORE, JR_GATE_AT_LEAST };
enum jr_gate_kind { JR_GATE_VALUE, JR_GATE_CHANGE, JR_GATE_RELATIVE };

struct jr_gate {
	const char *text; /* as given, without blanks at its ends */
	const struct jr_metric *metric;
	enum jr_gate_op op;
	enum jr_gate_kind kind;
	double limit; /* base units; RELATIVE: a fraction */
};

struct jr_gates {
	JR_VEC(struct jr_gate) list;
};

/** Parse one gate and add it; its text is copied into `arena`.
 * @return JR_EUSAGE with the error; for an unknown metric also the name of the nearest one */
enum jr_status jr_gates_add(struct jr_gates *gates, const char *text, size_t n,
	struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;
/** Parse a file's text. Messages contain `name` and the line number. */
enum jr_status jr_gates_add_lines(struct jr_gates *gates, struct jr_bytes text, const char *name,
	struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;
void jr_gates_done(struct jr_gates *gates);

enum jr_gate_outcome { JR_GATE_PASS, JR_GATE_FAIL, JR_GATE_UNCLEAR };

struct jr_gate_result {
	const struct jr_gate *gate;
	enum jr_gate_outcome outcome;
	double value;       /* the metric, its change, or its relative change */
	double low, high;   /* interval of the value; NaN if there is none */
	const char *reason; /* why it is unclear, or NULL */
};

/**
 * Check one gate against a run.
 *
 * A value passes or fails. A change with an interval fails only if the whole interval violates the
 * limit, and passes if the estimate satisfies it; otherwise it is unclear. A change is also unclear
 * if there is no base, or the two cannot be compared. A percentile of one program is unclear if its
 * executions are too few for an interval, unless the known end of the interval violates a limit.
 *
 * @param change of the gate's metric; NULL if there is no base
 * @param judged of the two runs; NULL if there is no base
 */
struct jr_gate_result jr_gate_check(const struct jr_gate *gate, const struct jr_run *fresh,
	const struct jr_metric_change *change, const struct jr_judgement *judged);

/** Return a value of the gate as text, "+3.01 %", "38.21 GB"; NULL for NaN. */
const char *jr_gate_value_text(const struct jr_gate *gate, double v, struct jr_arena *arena);
/** Append the measured value: "+3.01 %, 95 % interval +2.80 % to +3.21 %"; "nothing" without one.
 */
void jr_gate_put_measured(struct jr_buf *out, const struct jr_gate_result *result);
/** Return "pass", "fail" or "cannot tell". */
const char *jr_gate_outcome_name(enum jr_gate_outcome outcome);

#endif
