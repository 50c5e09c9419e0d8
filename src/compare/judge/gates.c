#include "compare/judge/gates.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"

const char *jr_gate_outcome_name(enum jr_gate_outcome outcome)
{
	static const char *const names[] = {
		[JR_GATE_PASS] = "pass", [JR_GATE_FAIL] = "fail", [JR_GATE_UNCLEAR] = "cannot tell"};
	return names[outcome];
}

/* --- parsing ---------------------------------------------------------------------------------- */

struct unit_name {
	const char *name;
	enum jr_unit unit; /* FRAC: percent */
	double factor;     /* to base units */
};

static const struct unit_name units[] = {
	{"ns", JR_UNIT_NS, 1},
	{"us", JR_UNIT_NS, 1e3},
	{"µs", JR_UNIT_NS, 1e3},
	{"ms", JR_UNIT_NS, 1e6},
	{"s", JR_UNIT_NS, 1e9},
	{"B", JR_UNIT_BYTES, 1},
	{"kB", JR_UNIT_BYTES, 1e3},
	{"MB", JR_UNIT_BYTES, 1e6},
	{"GB", JR_UNIT_BYTES, 1e9},
	{"TB", JR_UNIT_BYTES, 1e12},
	{"KiB", JR_UNIT_BYTES, 1024.0},
	{"MiB", JR_UNIT_BYTES, 1024.0 * 1024},
	{"GiB", JR_UNIT_BYTES, 1024.0 * 1024 * 1024},
	{"TiB", JR_UNIT_BYTES, 1024.0 * 1024 * 1024 * 1024},
	{"%", JR_UNIT_FRAC, 0.01},
};

struct reading {
	const char *at, *end;
	struct jr_gate *gate;
	struct jr_arena *arena;
	struct jr_error *err;
};

static void skip_blank(struct reading *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
}

static enum jr_status wrong(struct reading *r, const char *what)
{
	return jr_fail(r->err, JR_EUSAGE, "gate '%.100s': %s", r->gate->text, what);
}

static bool begins_with(const struct reading *r, const char *s)
{
	size_t n = strlen(s);
	return (size_t)(r->end - r->at) >= n && memcmp(r->at, s, n) == 0;
}

static enum jr_status read_metric(struct reading *r)
{
	const char *begin = r->at;
	size_t n = jr_metric_length(begin, (size_t)(r->end - begin));
	r->at += n;
	if (!n)
		return wrong(r, "the metric name is missing");
	enum jr_status status = jr_metric_parse(begin, n, r->arena, &r->gate->metric, r->err);
	return status == JR_OK ? JR_OK : jr_context(r->err, status, "gate '%.100s'", r->gate->text);
}

static enum jr_status read_op(struct reading *r)
{
	static const struct {
		const char *text;
		enum jr_gate_op op;
	} ops[] = {{"<=", JR_GATE_AT_MOST}, {"<", JR_GATE_LESS}, {">=", JR_GATE_AT_LEAST},
		{">", JR_GATE_MORE}};
	for (size_t i = 0; i < JR_COUNT_OF(ops); i++)
		if (begins_with(r, ops[i].text)) {
			r->at += strlen(ops[i].text);
			r->gate->op = ops[i].op;
			return JR_OK;
		}
	return wrong(r, r->at < r->end ? "<, <=, > or >= is missing after the metric"
								   : "<, <=, > or >= is missing after the metric. Quote the gate: "
									 "a shell takes them for redirection");
}

/* The unit that is the rest of the text; NULL: missing or unknown. */
static const struct unit_name *read_unit(const struct reading *r)
{
	for (size_t i = 0; i < JR_COUNT_OF(units); i++)
		if (strlen(units[i].name) == (size_t)(r->end - r->at) && begins_with(r, units[i].name))
			return &units[i];
	return NULL;
}

static enum jr_status apply_unit(struct reading *r, bool change)
{
	struct jr_gate *gate = r->gate;
	enum jr_unit wanted = gate->metric->unit;
	if (r->at == r->end) {
		if (wanted == JR_UNIT_NS || wanted == JR_UNIT_BYTES)
			return wrong(r, wanted == JR_UNIT_NS ? "a time needs a unit: ns, us, ms, s or %"
												 : "a size needs a unit: B, kB, MB, GB, ... or %");
		/* "busy<+2" would mean 200 points, which no change exceeds */
		double most = change ? 0.99 : 1;
		if (wanted == JR_UNIT_FRAC && fabs(gate->limit) > most)
			return wrong(r, "a share needs %: 90%, or a fraction below 1");
		return JR_OK;
	}
	const struct unit_name *unit = read_unit(r);
	if (!unit)
		return wrong(r, "unknown unit. Use ns us ms s, B kB MB GB TB KiB MiB GiB TiB or %.");
	gate->limit *= unit->factor;
	if (unit->unit == JR_UNIT_FRAC) {
		if (change)
			gate->kind = JR_GATE_RELATIVE;
		else if (wanted != JR_UNIT_FRAC)
			return wrong(r, "a share of the base needs a sign: +2%");
		return JR_OK;
	}
	if (unit->unit == wanted)
		return JR_OK;
	switch (wanted) {
	case JR_UNIT_NS: return wrong(r, "the metric is a time. Use ns us ms s.");
	case JR_UNIT_BYTES: return wrong(r, "the metric is a size. Use B kB MB GB TB KiB MiB GiB TiB.");
	case JR_UNIT_FRAC: return wrong(r, "the metric is a share. Use %.");
	default: return wrong(r, "the metric is a number. Leave out the unit.");
	}
}

static void skip_digits(struct reading *r, const char *of)
{
	while (r->at < r->end && *r->at && strchr(of, *r->at))
		r->at++;
}

/* Skip "1.5" or "1.5e-05": costs of a step are that small. */
static void skip_number(struct reading *r)
{
	skip_digits(r, "0123456789.");
	const char *mantissa = r->at;
	if (!begins_with(r, "e") && !begins_with(r, "E"))
		return;
	r->at++;
	r->at += begins_with(r, "+") || begins_with(r, "-");
	const char *exponent = r->at;
	skip_digits(r, "0123456789");
	if (r->at == exponent)
		r->at = mantissa;
}

static enum jr_status read_limit(struct reading *r)
{
	bool minus = begins_with(r, "-"), change = minus || begins_with(r, "+");
	r->at += change;
	const char *digits = r->at;
	skip_number(r);
	if (!jr_parse_double(digits, (size_t)(r->at - digits), &r->gate->limit))
		return wrong(r, "the limit is not a number");
	skip_blank(r);
	r->gate->kind = change ? JR_GATE_CHANGE : JR_GATE_VALUE;
	r->gate->limit *= minus ? -1 : 1;
	return apply_unit(r, change);
}

enum jr_status jr_gates_add(struct jr_gates *gates, const char *text, size_t n,
	struct jr_arena *arena, struct jr_error *err)
{
	while (n && strchr(" \t\r", text[n - 1]))
		n--;
	while (n && strchr(" \t", *text)) {
		text++;
		n--;
	}
	if (n > 200 || memchr(text, '\0', n))
		return jr_fail(err, JR_EUSAGE, "a gate of %zu bytes is not valid", n);
	struct jr_gate gate = {.text = jr_arena_strndup(arena, text, n)};
	struct reading r = {gate.text, gate.text + n, &gate, arena, err};
	JR_TRY(read_metric(&r));
	skip_blank(&r);
	JR_TRY(read_op(&r));
	skip_blank(&r);
	JR_TRY(read_limit(&r));
	*jr_vec_add(&gates->list) = gate;
	return JR_OK;
}

enum jr_status jr_gates_add_lines(struct jr_gates *gates, struct jr_bytes text, const char *name,
	struct jr_arena *arena, struct jr_error *err)
{
	const char *at = (const char *)text.data, *end = at + text.size;
	at += jr_text_mark_bytes(text);
	for (size_t line = 1; at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		const char *comment = memchr(at, '#', (size_t)(stop - at));
		const char *last = comment ? comment : stop;
		size_t blank = 0, n = (size_t)(last - at);
		while (blank < n && strchr(" \t\r", at[blank]) && at[blank])
			blank++;
		if (blank < n) {
			enum jr_status status = jr_gates_add(gates, at, n, arena, err);
			if (status != JR_OK)
				return jr_context(err, status, "'%s', line %zu", name, line);
		}
		at = stop + (newline != NULL);
	}
	return JR_OK;
}

void jr_gates_done(struct jr_gates *gates)
{
	jr_vec_done(&gates->list);
}

/* --- checking --------------------------------------------------------------------------------- */

static bool keeps(enum jr_gate_op op, double value, double limit)
{
	switch (op) {
	case JR_GATE_LESS: return value < limit;
	case JR_GATE_AT_MOST: return value <= limit;
	case JR_GATE_MORE: return value > limit;
	case JR_GATE_AT_LEAST: return value >= limit;
	}
	return false;
}

static struct jr_gate_result unclear(struct jr_gate_result r, const char *reason)
{
	r.outcome = JR_GATE_UNCLEAR;
	r.reason = reason;
	return r;
}

/* Set the value and interval of a change. */
static void measure_change(struct jr_gate_result *r, const struct jr_metric_change *c)
{
	bool relative = r->gate->kind == JR_GATE_RELATIVE;
	r->value = relative ? c->relative : c->absolute;
	r->low = relative ? c->relative_low : c->absolute_low;
	r->high = relative ? c->relative_high : c->absolute_high;
}

/* Return why a change cannot be judged, or NULL. A metric of one program has its own sample; the
 * others are of the step. */
static const char *no_judgement(const struct jr_gate_result *r, const struct jr_judgement *judged)
{
	const struct jr_metric *metric = r->gate->metric;
	if (metric->program)
		return isnan(r->low) && metric->too_few ? metric->too_few : jr_doubted_devices(judged);
	if (!judged->same_subject || (metric->varies && !judged->enough))
		return judged->doubts[0].text;
	return metric->counted ? judged->not_counted : NULL;
}

static struct jr_gate_result check_change(struct jr_gate_result r,
	const struct jr_metric_change *change, const struct jr_judgement *judged)
{
	const struct jr_gate *gate = r.gate;
	if (!change)
		return unclear(r, "the gate limits a change; use it with 'jaxreport compare'");
	measure_change(&r, change);
	if (isnan(r.value))
		return unclear(r, isnan(change->base) ? "the base does not have the metric"
											  : "the new run does not have the metric");
	const char *doubt = no_judgement(&r, judged);
	if (doubt)
		return unclear(r, doubt);
	bool sampled = !isnan(r.low);
	bool upper = gate->op == JR_GATE_LESS || gate->op == JR_GATE_AT_MOST;
	if (keeps(gate->op, r.value, gate->limit))
		r.outcome = JR_GATE_PASS;
	else if (!sampled || !keeps(gate->op, upper ? r.low : r.high, gate->limit))
		r.outcome = JR_GATE_FAIL;
	else
		return unclear(r, "the limit lies inside the interval of the change");
	return r;
}

/* Suggest a similar metric that the run has: "gpu.busy" for "busy". */
static const char *lacks_metric(const struct jr_metric *metric, const struct jr_run *run)
{
	static const struct {
		const char *asked, *other, *reason;
	} others[] = {{"busy", "gpu.busy", "the run does not have the metric, but it has gpu.busy"}};
	if (metric->program)
		return "the run does not have two steady executions of the program";
	for (size_t i = 0; i < JR_COUNT_OF(others); i++) {
		const struct jr_metric *other = jr_metric_find(others[i].other, strlen(others[i].other));
		if (strcmp(metric->name, others[i].asked) == 0 && other && !isnan(other->value(run)))
			return others[i].reason;
	}
	return "the run does not have the metric";
}

/* Whether too few executions leave a limit on a percentile open. The known end of its interval may
 * still be on the wrong side. */
static bool not_bounded(const struct jr_gate *gate, const struct jr_run *run)
{
	struct jr_bounds b = jr_metric_bounds(gate->metric, run);
	bool upper = gate->op == JR_GATE_LESS || gate->op == JR_GATE_AT_MOST;
	if (!isnan(b.low) && !isnan(b.high))
		return false;
	double known = upper ? b.low : b.high;
	return isnan(known) || keeps(gate->op, known, gate->limit);
}

struct jr_gate_result jr_gate_check(const struct jr_gate *gate, const struct jr_run *fresh,
	const struct jr_metric_change *change, const struct jr_judgement *judged)
{
	struct jr_gate_result r = {.gate = gate, .value = NAN, .low = NAN, .high = NAN};
	if (gate->kind != JR_GATE_VALUE)
		return check_change(r, change, judged);
	r.value = jr_metric_value(gate->metric, fresh);
	if (isnan(r.value))
		return unclear(r, lacks_metric(gate->metric, fresh));
	if (gate->metric->too_few && not_bounded(gate, fresh))
		return unclear(r, gate->metric->too_few);
	r.outcome = keeps(gate->op, r.value, gate->limit) ? JR_GATE_PASS : JR_GATE_FAIL;
	return r;
}

/* --- for people ------------------------------------------------------------------------------- */

const char *jr_gate_value_text(const struct jr_gate *gate, double v, struct jr_arena *arena)
{
	char text[JR_NUM_MAX];
	bool change = gate->kind != JR_GATE_VALUE;
	enum jr_unit unit = gate->kind == JR_GATE_RELATIVE ? JR_UNIT_FRAC : gate->metric->unit;
	if (isnan(v))
		return NULL;
	if (isinf(v))
		return v > 0 ? "+∞" : "-∞";
	switch (unit) {
	case JR_UNIT_NS: jr_num_time(text, v); break;
	case JR_UNIT_BYTES: jr_num_bytes(text, v); break;
	case JR_UNIT_FRAC: jr_num_grouped(text, 100 * v, 2); break;
	default:
		if (v == floor(v))
			jr_num_grouped(text, v, 0);
		else
			jr_num_significant(text, v, 4);
		break;
	}
	bool share = gate->metric->unit == JR_UNIT_FRAC;
	const char *suffix = unit != JR_UNIT_FRAC                   ? ""
						 : gate->kind == JR_GATE_CHANGE         ? " pp"
						 : share && gate->kind != JR_GATE_VALUE ? " % (relative)"
																: " %";
	return jr_arena_printf(arena, "%s%s%s", change && v > 0 ? "+" : "", text, suffix);
}

void jr_gate_put_measured(struct jr_buf *out, const struct jr_gate_result *result)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	const char *value = jr_gate_value_text(result->gate, result->value, &arena);
	const char *low = jr_gate_value_text(result->gate, result->low, &arena);
	const char *high = jr_gate_value_text(result->gate, result->high, &arena);
	jr_buf_puts(out, value ? value : "not measured");
	if (low && high)
		jr_buf_printf(out, ", 95 %% interval %s to %s", low, high);
}
