/* Read lines of a store as runs. A bad line does not affect the others. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
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

static const double *read_metrics(struct reading *r, const struct jr_json *root)
{
	size_t n = 0;
	while (jr_metrics[n].name)
		n++;
	double *values = JR_ARENA_N(r->arena, double, n);
	const struct jr_json *metrics = jr_json_member(root, "metrics");
	for (size_t i = 0; i < n; i++) {
		const char *key = key_of(metrics, jr_metrics[i].name);
		values[i] =
			key ? jr_value_of_data(jr_json_double(jr_json_member(metrics, key)), jr_metrics[i].unit)
				: NAN;
	}
	return values;
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

static void read_periods(struct reading *r, const struct jr_json *root, struct jr_run *run)
{
	const struct jr_json *samples = jr_json_at(root, "step.period_ns");
	if (!samples || samples->kind != JR_JSON_ARRAY)
		return;
	struct jr_table *t = jr_table_new(r->arena, run->tables[JR_RUN_STEP_PERIODS]->spec, samples->n);
	size_t row = 0;
	for (const struct jr_json *v = samples->first; v; v = v->next)
		t->cells[JR_STEP_PERIOD].f64[row++] = jr_json_double(v);
	run->tables[JR_RUN_STEP_PERIODS] = t;
}

/* Restore executions and periods from the samples: steady, on one device. */
static void read_samples(struct reading *r, const struct jr_json *root, struct jr_run *run)
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
			(void)jr_json_integer(v, 0, &t->cells[JR_EXECUTION_DUR].i64[row]);
		}
	}
	run->tables[JR_RUN_EXECUTIONS] = t;
	read_periods(r, root, run);
	jr_run_set_step(run, run->steps.row, r->arena);
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
	entry->metrics = read_metrics(r, doc.root);
	jr_run_of_tree(&entry->run, doc.root, r->arena);
	const char *name = copy_text(r, doc.root, "name");
	if (name)
		entry->run.name = name;
	read_samples(r, doc.root, &entry->run);
	return JR_OK;
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
	return jr_fail(err, JR_EFORMAT, "does not contain a run");
}

enum jr_status jr_history_read(struct jr_bytes text, size_t most, const char *label,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_history *out,
	struct jr_error *err)
{
	*out = (struct jr_history){.n_lines = count_lines(text)};
	struct reading r = {.limits = limits, .label = label, .arena = arena, .out = out};
	r.torn = text.size && text.data[text.size - 1] != '\n';
	size_t number = out->n_lines, room = number <= most ? number : most + 1;
	struct jr_history_entry *items = jr_arena_array(arena, room + 1, sizeof(*items), err);
	if (!items)
		return JR_ELIMIT;
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
