/* benchmark.json: the input of benchmark-action/github-action-benchmark for customSmallerIsBetter,
 * a list of {name, unit, value, range, extra}. It contains only values that are better when smaller
 * and that do not grow with the number of profiled steps. */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/core/formats.h"
#include "report/data/json.h"
#include "analysis/step/step_tables.h"

struct benchmark {
	struct jr_buf out;
	bool any;
};

static void put_entry(struct benchmark *b, const char *name, const struct jr_value *v,
	const char *unit, double plus_minus, int64_t n)
{
	/* The reader divides by the previous value, so a 0 would cause an infinite regression. */
	bool zero = v->type == JR_F64 ? v->as.f64 == 0 : v->type == JR_I64 && v->as.i64 == 0;
	if (jr_value_is_null(v) || zero)
		return;
	jr_buf_printf(&b->out, "%s  {\"name\": ", b->any ? ",\n" : "\n");
	jr_json_text(&b->out, name);
	jr_buf_printf(&b->out, ", \"unit\": \"%s\", \"value\": ", unit);
	jr_json_value(&b->out, v);
	if (!isnan(plus_minus)) {
		struct jr_value range = {.type = JR_F64, .unit = v->unit, .as.f64 = plus_minus};
		jr_buf_puts(&b->out, ", \"range\": \"\xc2\xb1 ");
		jr_json_value(&b->out, &range);
		jr_buf_putc(&b->out, '"');
	}
	if (n != JR_NULL_I64)
		jr_buf_printf(&b->out, ", \"extra\": \"n = %lld\"", (long long)n);
	jr_buf_putc(&b->out, '}');
	b->any = true;
}

static void put_scalars(struct benchmark *b, const struct jr_results *r)
{
	static const struct {
		const char *key, *unit;
	} wanted[] = {{"step.period_median_ms", "ms"}, {"execution.mean_ms", "ms"},
		{"compilation.process_ms", "ms"}, {"totals.peak_memory_bytes", "bytes"},
		{"totals.heap_peak_bytes", "bytes"}};
	for (size_t i = 0; i < JR_COUNT_OF(wanted); i++) {
		const struct jr_scalar *s = jr_results_scalar(r, wanted[i].key);
		if (!s)
			continue;
		struct jr_value v = jr_value_of_scalar(s);
		put_entry(b, s->title, &v, wanted[i].unit, s->plus_minus, s->n);
	}
}

static void put_step(struct benchmark *b, const struct jr_results *r)
{
	const struct jr_table *t = jr_results_table(r, "step_ledger");
	for (size_t c = 0; t && t->n_rows == 1 && c < t->spec->n_columns; c++) {
		const struct jr_column_spec *spec = &t->spec->columns[c];
		struct jr_value v = jr_value_of_cell(t, c, 0);
		if (spec->type != JR_F64 || strcmp(spec->key, JR_KEY(JR_STEP_LEDGER, wall_ms)) == 0)
			continue;
		JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
		jr_buf_printf(&name, "%s of a step", spec->title);
		put_entry(b, name.data, &v, "ms", NAN, JR_NULL_I64);
	}
}

enum jr_status jr_write_benchmark(const struct jr_report_job *job, struct jr_error *err)
{
	struct benchmark b = {0};
	jr_buf_putc(&b.out, '[');
	put_scalars(&b, job->results);
	put_step(&b, job->results);
	jr_buf_puts(&b.out, b.any ? "\n]\n" : "]\n");
	enum jr_status status = jr_outdir_write(job->out, "benchmark.json", jr_buf_view(&b.out), err);
	jr_buf_done(&b.out);
	return status;
}
