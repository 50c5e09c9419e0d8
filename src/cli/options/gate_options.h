/*
 * gate_options.h - the options for gates, and what the gates measure.
 * Layer: cli.
 */
#ifndef JR_CLI_GATE_OPTIONS_H
#define JR_CLI_GATE_OPTIONS_H

#include "cli/core/arguments.h"

/* Of rows of jr_option_table. */
jr_option_fn jr_take_gate, jr_take_gates, jr_take_inconclusive, jr_take_tolerance;

struct jr_gate_result;

/** Append a line per gate: "gate pass  memory.peak<=38GB: 22.1 GB". */
void jr_gates_tell(struct jr_buf *out, const struct jr_gate_result *gates, size_t n);
/** Return the result of all gates: JR_OK, or JR_EGATE or JR_EUNCLEAR with a line that names the
 * first. */
enum jr_status jr_gates_status(const struct jr_gate_result *gates, size_t n,
	enum jr_inconclusive inconclusive, struct jr_error *err) JR_MUST_CHECK;

#endif
