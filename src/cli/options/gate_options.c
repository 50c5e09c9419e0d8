#include "cli/options/option_functions.h"

#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "compare/core/compare.h"

#define MAX_FILE_BYTES ((size_t)1 << 20)

enum jr_status jr_take_gate(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	(void)o;
	return jr_gates_add(&r->gates, value, strlen(value), &r->texts, err);
}

enum jr_status jr_take_gates(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	(void)o;
	struct jr_file_map map;
	JR_TRY(jr_file_map(value, &map, err));
	size_t before = r->gates.list.n;
	enum jr_status status =
		map.bytes.size > MAX_FILE_BYTES
			? jr_fail(err, JR_EUSAGE, "%s: is too large for a list of gates", value)
			: jr_gates_add_lines(&r->gates, map.bytes, value, &r->texts, err);
	jr_file_unmap(&map);
	if (status == JR_OK && r->gates.list.n == before)
		return jr_fail(err, JR_EUSAGE, "%s: contains no gate", value);
	return status;
}

enum jr_status jr_take_inconclusive(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (strcmp(value, "pass") == 0)
		r->analysis.inconclusive = JR_INCONCLUSIVE_PASS;
	else if (strcmp(value, "fail") == 0)
		r->analysis.inconclusive = JR_INCONCLUSIVE_FAIL;
	else
		return jr_fail(err, JR_EUSAGE, "%s expects pass or fail, not '%s'", o->name, value);
	return JR_OK;
}

enum jr_status jr_take_tolerance(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	size_t n = strlen(value);
	double percent;
	n -= n && value[n - 1] == '%';
	if (!jr_parse_double(value, n, &percent) || !(percent >= 0 && percent <= 100))
		return jr_fail(
			err, JR_EUSAGE, "%s expects a percentage from 0 to 100, not '%s'", o->name, value);
	r->tolerance = percent / 100;
	return JR_OK;
}

/* --- outcomes --------------------------------------------------------------------------------- */

void jr_gates_tell(struct jr_buf *out, const struct jr_gate_result *gates, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		jr_buf_printf(
			out, "gate %-11s  %s: ", jr_gate_outcome_name(gates[i].outcome), gates[i].gate->text);
		jr_gate_put_measured(out, &gates[i]);
		if (gates[i].reason)
			jr_buf_printf(out, "; %s", gates[i].reason);
		jr_buf_putc(out, '\n');
	}
}

/* Fail with the first gate of an outcome: "gate 'x' failed: measured (and 2 more)". */
static enum jr_status first_of(const struct jr_gate_result *gates, size_t n,
	enum jr_gate_outcome outcome, enum jr_status status, const char *what, struct jr_error *err)
{
	const struct jr_gate_result *first = NULL;
	size_t n_more = 0;
	for (size_t i = 0; i < n; i++) {
		if (gates[i].outcome != outcome)
			continue;
		if (first)
			n_more++;
		else
			first = &gates[i];
	}
	if (!first)
		return JR_OK;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_gate_put_measured(&text, first);
	if (first->reason)
		jr_buf_printf(&text, "; %s", first->reason);
	if (n_more)
		jr_buf_printf(&text, " (and %zu more)", n_more);
	(void)jr_fail(err, status, "gate '%s' %s: %s", first->gate->text, what, text.data);
	return status;
}

enum jr_status jr_gates_status(const struct jr_gate_result *gates, size_t n,
	enum jr_inconclusive inconclusive, struct jr_error *err)
{
	switch (jr_gates_outcome(gates, n)) {
	case JR_GATE_FAIL: return first_of(gates, n, JR_GATE_FAIL, JR_EGATE, "failed", err);
	case JR_GATE_UNCLEAR:
		if (inconclusive == JR_INCONCLUSIVE_PASS)
			break;
		return first_of(gates, n, JR_GATE_UNCLEAR,
			inconclusive == JR_INCONCLUSIVE_FAIL ? JR_EGATE : JR_EUNCLEAR, "cannot be decided",
			err);
	case JR_GATE_PASS: break;
	}
	return JR_OK;
}
