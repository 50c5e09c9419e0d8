/*
 * gates.h - limits that a run, or its change against a base, has to keep.
 * Layer: compare.
 *
 *	gate   = METRIC OP LIMIT          blanks around OP are allowed
 *	OP     = "<" | "<=" | ">" | ">="  what must hold
 *	LIMIT  = [ "+" | "-" ] NUMBER [ UNIT ]
 *	UNIT   = "ns" "us" "µs" "ms" "s" | "B" "kB" "MB" "GB" "TB" "KiB" "MiB" "GiB" "TiB" | "%"
 *
 * With a sign the limit is one for the change against the base: "step.median<+2%" relative to it,
 * "step.median<+1ms" by so much. Without one it is for the value itself: "memory.peak<=38GB",
 * "busy>=90%"; a share above 1 wants its %. METRIC is a row of metrics.def. In a file each line is
 *a gate; blank lines and what stands behind '#' mean nothing.
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
	const char *text; /* as it was given, without blanks at its ends */
	const struct jr_metric *metric;
	enum jr_gate_op op;
	enum jr_gate_kind kind;
	double limit; /* base units; RELATIVE: a fraction */
};

struct jr_gates {
	JR_VEC(struct jr_gate) list;
};

/** Parse one and add it; its text is copied into `arena`.
 * @return JR_EUSAGE with what is wrong with it; for an unknown metric, the nearest one's name */
enum jr_status jr_gates_add(struct jr_gates *gates, const char *text, size_t n,
	struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;
/** Parse a file's text; `name` is for messages, which tell the line. */
enum jr_status jr_gates_add_lines(struct jr_gates *gates, struct jr_bytes text, const char *name,
	struct jr_arena *arena, struct jr_error *err) JR_MUST_CHECK;
void jr_gates_done(struct jr_gates *gates);

enum jr_gate_outcome { JR_GATE_PASS, JR_GATE_FAIL, JR_GATE_UNCLEAR };

struct jr_gate_result {
	const struct jr_gate *gate;
	enum jr_gate_outcome outcome;
	double value;       /* of what the limit is for: the metric, its change, its relative change */
	double low, high;   /* interval of it; NaN where there is none */
	const char *reason; /* why it is unclear, or NULL */
};

/**
 * Hold one gate against a run.
 *
 * A value passes or fails. A change with an interval fails only where all of the interval breaks
 * the limit; it passes where the estimate keeps it; else it is unclear. A change is unclear, too,
 * where there is no base, or the two cannot be compared.
 *
 * @param change of the gate's metric, NULL where there is no base
 * @param judged of the two runs; NULL where there is no base
 */
struct jr_gate_result jr_gate_check(const struct jr_gate *gate, const struct jr_run *fresh,
	const struct jr_metric_change *change, const struct jr_judgement *judged);

/** A value that the gate is for, as people read it: "+3.01 %", "38.21 GB"; NULL for NaN. */
const char *jr_gate_value_text(const struct jr_gate *gate, double v, struct jr_arena *arena);
/** Append what was measured: "+3.01 %, 95 % interval +2.80 % to +3.21 %"; "nothing" for nothing. */
void jr_gate_put_measured(struct jr_buf *out, const struct jr_gate_result *result);
/** "pass", "fail", "cannot tell". */
const char *jr_gate_outcome_name(enum jr_gate_outcome outcome);

#endif
