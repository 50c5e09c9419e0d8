/* Read lines of a store as runs. A bad line does not affect the others. */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "compare/history/history.h"
#include "formats/text/json_parse.h"
#include "report/core/value.h"

struct reading {
	const struct jr_limits *limits;
	const char *label;
	struct jr_arena *arena;
	struct jr_history *out;
	bool torn;       /* the text does not end with a newline */
	size_t n_others; /* runs with other labels */
};

/* --- a line ----------------------------------------------------------------------------------- */

static enum jr_status check_schema(const struct jr_json *root, struct jr_error *err)
{
	const char *schema = jr_json_string(jr_json_member(root, "schema"));
	if (!schema)
		return jr_fail(err, JR_EFORMAT, "not a run: it does not contain \"schema\"");
	if (strcmp(schema, JR_HISTORY_SCHEMA) != 0)
		return jr_fail(
			err, JR_EUNSUPPORTED, "schema is '%.60s', not '%s'", schema, JR_HISTORY_SCHEMA);
	return JR_OK;
}

static const char *copy_text(struct reading *r, const struct jr_json *root, const char *key)
{
	const char *text = jr_json_string(jr_json_member(root, key));
	return text && *text ? jr_arena_strdup(r->arena, text) : NULL;
}

/* Metrics that lines without `since` store with another meaning or under another name. */
static const struct {
	const char *since, *name, *old; /* old: NULL if such lines do not have it */
} renamed[] = {{"memory.temporary", "memory.temporary", "memory.peak"},
	{"memory.temporary", "memory.peak", NULL}, {"execution.median", "step.median", "period.median"},
	{"execution.median", "step.mean", "wall.per_step"}, {"execution.median", "step.p90", NULL},
	{"execution.median", "step.min", NULL}, {"execution.median", "step.max", NULL},
	{"execution.median", "step.variation", NULL},
	{"execution.median", "execution.median", "step.median"},
	{"execution.median", "execution.mean", "step.mean"},
	{"execution.median", "execution.p90", "step.p90"},
	{"execution.median", "execution.min", "step.min"},
	{"execution.median", "execution.max", "step.max"},
	{"execution.median", "execution.variation", "step.variation"}};

/* The key of a metric in the line; NULL: none. */
static const char *key_of(const struct jr_json *metrics, const char *name)
{
	for (size_t i = 0; i < JR_COUNT_OF(renamed); i++)
		if (strcmp(renamed[i].name, name) == 0 && !jr_json_member(metrics, renamed[i].since))
			return renamed[i].old;
	return name;
}

/* Larger than what any number of steps, tokens or FLOPs per second of a report can be. */
#define MOST 1e60

/* A store may be edited by hand: a value that no run has must not be shown as one. */
static enum jr_status check_value(
	const struct jr_json *value, double v, double most, const char *key, struct jr_error *err)
{
	if ((v >= 0 && v <= most) || !value || value->kind == JR_JSON_NULL)
		return JR_OK;
	return jr_fail(err, JR_EFORMAT, "a value of \"%s\" is impossible", key);
}

static enum jr_status read_metrics(
	struct reading *r, const struct jr_json *root, const double **out, struct jr_error *err)
{
	size_t n = 0;
	while (jr_metrics[n].name)
		n++;
	double *values = JR_ARENA_N(r->arena, double, n);
	const struct jr_json *metrics = jr_json_member(root, "metrics");
	for (size_t i = 0; i < n; i++) {
		const char *key = key_of(metrics, jr_metrics[i].name);
		const struct jr_json *value = key ? jr_json_member(metrics, key) : NULL;
		enum jr_unit unit = jr_metrics[i].unit;
		values[i] = jr_value_of_data(jr_json_double(value), unit);
		JR_TRY(check_value(
			value, values[i], unit == JR_UNIT_NS ? (double)JR_TIME_MAX_NS : MOST, key, err));
	}
	*out = values;
	return JR_OK;
}

/* Times of executions of a module; step_ns in lines written before the step was the period. NULL:
 * none.
 */
static const struct jr_json *executions_of(const struct jr_json *module)
{
	const struct jr_json *samples = jr_json_member(module, "execution_ns");
	if (!samples)
		samples = jr_json_member(module, "step_ns");
	return samples && samples->kind == JR_JSON_ARRAY ? samples : NULL;
}

static enum jr_status read_periods(
	struct reading *r, const struct jr_json *root, struct jr_run *run, struct jr_error *err)
{
	static const char key[] = "step.period_ns";
	const struct jr_json *samples = jr_json_at(root, key);
	if (!samples || samples->kind != JR_JSON_ARRAY)
		return JR_OK;
	struct jr_table *t = jr_table_new(r->arena, run->tables[JR_RUN_STEP_PERIODS]->spec, samples->n);
	size_t row = 0;
	for (const struct jr_json *v = samples->first; v; v = v->next) {
		double *ns = &t->cells[JR_STEP_PERIOD].f64[row++];
		*ns = jr_json_double(v);
		JR_TRY(check_value(v, *ns, (double)JR_TIME_MAX_NS, key, err));
	}
	run->tables[JR_RUN_STEP_PERIODS] = t;
	return JR_OK;
}

/* Restore executions and periods from the samples: steady, on one device. */
static enum jr_status read_samples(
	struct reading *r, const struct jr_json *root, struct jr_run *run, struct jr_error *err)
{
	const struct jr_json *modules = jr_json_member(root, "modules");
	const struct jr_json *first = modules ? modules->first : NULL, *samples;
	size_t row = 0, n = 0;
	for (const struct jr_json *m = first; m; m = m->next)
		n += (samples = executions_of(m)) ? samples->n : 0;
	struct jr_table *t = jr_table_new(r->arena, run->tables[JR_RUN_EXECUTIONS]->spec, n);
	for (const struct jr_json *m = first; m; m = m->next) {
		const char *program = copy_text(r, m, "program_id");
		int64_t number = 0;
		samples = executions_of(m);
		for (const struct jr_json *v = samples ? samples->first : NULL; v; v = v->next, row++) {
			t->cells[JR_EXECUTION_PROGRAM].text[row] = program;
			t->cells[JR_EXECUTION_NUMBER].i64[row] = number++;
			t->cells[JR_EXECUTION_STEADY].boolean[row] = 1;
			int64_t *ns = &t->cells[JR_EXECUTION_DUR].i64[row];
			JR_TRY(check_value(v, jr_json_integer(v, 0, ns) ? (double)*ns : NAN,
				(double)JR_TIME_MAX_NS, "execution_ns", err));
		}
	}
	run->tables[JR_RUN_EXECUTIONS] = t;
	JR_TRY(read_periods(r, root, run, err));
	jr_run_set_step(run, run->steps.row, r->arena);
	return JR_OK;
}

static enum jr_status read_line(struct reading *r, struct jr_bytes line,
	struct jr_history_entry *entry, bool *wanted, struct jr_error *err)
{
	JR_CLEANUP(jr_json_done) struct jr_json_doc doc = {0};
	JR_TRY(jr_json_parse(line, r->limits, &doc, err));
	JR_TRY(check_schema(doc.root, err));
	const char *label = jr_json_string(jr_json_member(doc.root, "label"));
	*wanted = !r->label || (label && strcmp(label, r->label) == 0);
	if (!*wanted)
		return JR_OK;
	entry->about = (struct jr_history_about){.time = copy_text(r, doc.root, "time"),
		.commit = copy_text(r, doc.root, "commit"),
		.label = copy_text(r, doc.root, "label")};
	JR_TRY(read_metrics(r, doc.root, &entry->metrics, err));
	jr_run_of_tree(&entry->run, doc.root, r->arena);
	const char *name = copy_text(r, doc.root, "name");
	if (name)
		entry->run.name = name;
	return read_samples(r, doc.root, &entry->run, err);
}

/* --- the store -------------------------------------------------------------------------------- */

static bool is_blank(struct jr_bytes line)
{
	for (size_t i = 0; i < line.size; i++)
		if (!strchr(" \t\r", line.data[i]) || !line.data[i])
			return false;
	return true;
}

static void tell_problem(struct reading *r, size_t number, bool torn, const char *what)
{
	if (r->out->n_bad < JR_HISTORY_PROBLEMS)
		r->out->problems[r->out->n_bad] = jr_arena_printf(r->arena, "line %zu%s: %s; left out",
			number, torn ? ", which is incomplete (it does not end with a newline)" : "", what);
	r->out->n_bad++;
}

static size_t count_lines(struct jr_bytes text)
{
	size_t n = 0;
	const uint8_t *end = text.data + text.size;
	for (const uint8_t *at = text.data; at < end; n++) {
		const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end;
	}
	return n;
}

/* The line that ends at `end` (its newline, or the end of the text). */
static struct jr_bytes line_before(struct jr_bytes text, size_t end)
{
	const uint8_t *newline = end ? memrchr(text.data, '\n', end) : NULL;
	size_t from = newline ? (size_t)(newline - text.data) + 1 : 0;
	return (struct jr_bytes){text.data + from, end - from};
}

static enum jr_status nothing(const struct reading *r, struct jr_bytes text, struct jr_error *err)
{
	static const char beginning[] = JR_HISTORY_BEGINNING;
	size_t n = sizeof(beginning) - 1;
	if (r->n_others)
		return jr_fail(err, JR_ENOTFOUND, "does not contain a run with the label '%s'", r->label);
	/* for an archive or a report, an error about one of its lines would not help */
	if (r->out->n_bad && (text.size < n || memcmp(text.data, beginning, n) != 0))
		return jr_fail(err, JR_EFORMAT,
			"not a history of runs. Use a file that 'jaxreport history add' wrote.");
	if (r->out->n_bad)
		return jr_fail(err, JR_EFORMAT, "does not contain a run: %s", r->out->problems[0]);
	return jr_fail(err, JR_EFORMAT, "does not contain a run. 'jaxreport history add' adds one.");
}

enum jr_status jr_history_read(struct jr_bytes text, size_t most, const char *label,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_history *out,
	struct jr_error *err)
{
	size_t mark = jr_text_mark_bytes(text);
	text = jr_bytes_of(text.data + mark, text.size - mark);
	*out = (struct jr_history){.n_lines = count_lines(text)};
	struct reading r = {.limits = limits, .label = label, .arena = arena, .out = out};
	r.torn = text.size && text.data[text.size - 1] != '\n';
	size_t number = out->n_lines, room = number <= most ? number : most + 1;
	struct jr_history_entry *items;
	JR_TRY_ARRAY(items, arena, room + 1, err);
	size_t first = room; /* filled from the end */
	for (size_t end = text.size - (text.size && !r.torn); number && first; number--) {
		struct jr_bytes line = line_before(text, end);
		struct jr_error own;
		bool wanted = false, torn = r.torn && number == out->n_lines;
		if (!is_blank(line)) {
			enum jr_status status = read_line(&r, line, &items[first - 1], &wanted, &own);
			if (status != JR_OK)
				tell_problem(&r, number, torn, own.message);
			else if (wanted)
				items[--first].line = number;
			else
				r.n_others++;
		}
		end = (size_t)(line.data - text.data) - (number > 1);
	}
	if (room - first > most)
		out->before = &items[first++];
	out->items = items + first;
	out->n = room - first;
	return out->n ? JR_OK : nothing(&r, text, err);
}
