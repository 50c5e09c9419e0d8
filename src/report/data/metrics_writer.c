/* metrics.txt: every single number, the parts of a step, and the latency of programs, as
 * OpenMetrics text 1.0 (read by GitLab's metrics report and by Prometheus). Names contain the base
 * unit: seconds, bytes, ratio.
 */
#include <math.h>
#include "base/text.h"
#include <string.h>

#include "analysis/step/step_tables.h"
#include "report/core/formats.h"

struct metrics {
	struct jr_buf out;
	const struct jr_results *results;
};

static const struct {
	const char *suffix; /* end of the name, and the unit; "" = none */
	double divisor;     /* from base units to that unit */
} units[] = {
	[JR_UNIT_NONE] = {"", 1},
	[JR_UNIT_COUNT] = {"", 1},
	[JR_UNIT_NS] = {"seconds", 1e9},
	[JR_UNIT_S] = {"seconds", 1e9},
	[JR_UNIT_BYTES] = {"bytes", 1},
	[JR_UNIT_BYTES_S] = {"bytes_per_second", 1},
	[JR_UNIT_FRAC] = {"ratio", 1},
	[JR_UNIT_PERCENT] = {"ratio", 1},
	[JR_UNIT_POINTS] = {"ratio", 1},
	[JR_UNIT_HZ] = {"hertz", 1},
};

/* Length of a key without a unit at its end, because the name has another unit. */
static size_t without_unit(const char *key)
{
	static const char *const ends[] = {
		"_ms", "_ns", "_us", "_s", "_bytes", "_fraction", "_percent", "_points", "_gbps"};
	size_t n = strlen(key);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t m = strlen(ends[i]);
		if (n > m && memcmp(key + n - m, ends[i], m) == 0)
			return n - m;
	}
	return n;
}

/* Keys are defined here: letters, digits, '_', '.'. */
static void put_name(struct jr_buf *out, const char *prefix, const char *key, enum jr_unit unit)
{
	/* without a unit, the end is a part of the name: tflops_s */
	size_t n = *units[unit].suffix ? without_unit(key) : strlen(key);
	jr_buf_puts(out, prefix);
	for (size_t i = 0; i < n; i++) {
		bool fits = (key[i] >= 'a' && key[i] <= 'z') || jr_is_digit(key[i]);
		jr_buf_putc(out, fits ? key[i] : '_');
	}
	if (*units[unit].suffix)
		jr_buf_printf(out, "_%s", units[unit].suffix);
}

/* Escape a text of HELP or of a label. */
static void put_text(struct jr_buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			jr_buf_putc(out, '\\');
		jr_buf_putc(out, *text == '\n' ? ' ' : *text);
	}
}

static void put_family(struct jr_buf *out, const char *name, enum jr_unit unit, const char *help)
{
	jr_buf_printf(out, "# TYPE %s gauge\n", name);
	if (*units[unit].suffix)
		jr_buf_printf(out, "# UNIT %s %s\n", name, units[unit].suffix);
	if (help) {
		jr_buf_printf(out, "# HELP %s ", name);
		put_text(out, help);
		jr_buf_putc(out, '\n');
	}
}

static void put_metric(struct jr_buf *out, const char *prefix, const char *key, enum jr_unit unit,
	const char *help, double value)
{
	if (isnan(value))
		return;
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	char number[JR_NUM_MAX];
	put_name(&name, prefix, key, unit);
	put_family(out, name.data, unit, help);
	jr_num_double(number, value / units[unit].divisor);
	jr_buf_printf(out, "%s %s\n", name.data, number);
}

static void put_scalars(struct metrics *m)
{
	for (size_t i = 0; i < m->results->n_sections; i++) {
		const struct jr_section *s = &m->results->sections[i];
		for (size_t k = 0; k < s->n; k++) {
			if (s->items[k].kind != JR_RESULT_SCALAR || !s->items[k].as.scalar->key)
				continue;
			const struct jr_scalar *scalar = s->items[k].as.scalar;
			if (scalar->type != JR_I64 && scalar->type != JR_F64)
				continue;
			struct jr_value v = jr_value_of_scalar(scalar);
			put_metric(&m->out, "jaxreport_", scalar->key, scalar->unit, scalar->help,
				jr_value_number(&v));
		}
	}
}

/* --- latency of programs ---------------------------------------------------------------------- */

/* One family per column, one sample per program: jaxreport_latency_p99_seconds{program="jit_f"}. */
static void put_latency_column(struct metrics *m, const struct jr_table *t, size_t column)
{
	const struct jr_column_spec *spec = &t->spec->columns[column];
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	char number[JR_NUM_MAX];
	bool any = false;
	put_name(&name, "jaxreport_latency_", spec->key, spec->unit);
	for (size_t row = 0; row < t->n_rows; row++) {
		double value = jr_table_number(t, column, row);
		if (isnan(value) || t->cells[JR_LATENCY_whole].boolean[row] != 1)
			continue;
		if (!any)
			put_family(&m->out, name.data, spec->unit, spec->help);
		any = true;
		jr_buf_printf(&m->out, "%s{program=\"", name.data);
		put_text(&m->out, t->cells[JR_LATENCY_name].text[row]);
		jr_num_double(number, value / units[spec->unit].divisor);
		jr_buf_printf(&m->out, "\"} %s\n", number);
	}
}

static void put_latency(struct metrics *m)
{
	const struct jr_table *t = jr_results_table(m->results, "latency");
	for (size_t c = 0; t && c < t->spec->n_columns; c++) {
		bool time = t->spec->columns[c].unit == JR_UNIT_NS;
		if (c == JR_LATENCY_count || (time && !(t->spec->columns[c].flags & JR_COL_DATA_ONLY)))
			put_latency_column(m, t, c);
	}
}

static void put_step(struct metrics *m)
{
	const struct jr_table *t = jr_results_table(m->results, "step_ledger");
	for (size_t c = 0; t && t->n_rows == 1 && c < t->spec->n_columns; c++) {
		const struct jr_column_spec *spec = &t->spec->columns[c];
		if (spec->type == JR_F64)
			put_metric(&m->out, "jaxreport_step_", spec->key, spec->unit, spec->help,
				jr_table_number(t, c, 0));
	}
}

enum jr_status jr_write_metrics(const struct jr_report_job *job, struct jr_error *err)
{
	struct metrics m = {.results = job->results};
	put_scalars(&m);
	put_step(&m);
	put_latency(&m);
	jr_buf_puts(&m.out, "# EOF\n");
	enum jr_status status = jr_outdir_write(job->out, "metrics.txt", jr_buf_view(&m.out), err);
	jr_buf_done(&m.out);
	return status;
}
