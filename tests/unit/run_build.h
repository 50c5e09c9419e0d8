/*
 * run_build.h - small runs for tests of src/compare, made from the text of a report.json.
 * Test code; static functions only.
 */
#ifndef JR_TESTS_RUN_BUILD_H
#define JR_TESTS_RUN_BUILD_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "compare/run/run.h"
#include "random.h"

struct built_module {
	const char *id, *name, *fingerprint, *structure; /* NULL = null */
	int64_t idle_ns;
	const int64_t *steps_ns;
	size_t n_steps;
};

struct built_thunk {
	const char *program, *name, *opcode, *op_name, *shape;
	int64_t step_sum_ns;
	bool communication;
	int64_t step_std_ns;
};

/* Work of a thunk, per step. */
struct built_work {
	const char *program, *name;
	int64_t flops, bytes, roof_ns;
};

struct built_run {
	const char *gpu; /* NULL = null */
	size_t n_devices;
	const char *step; /* program id */
	const struct built_module *modules;
	size_t n_modules;
	const struct built_thunk *thunks;
	size_t n_thunks;
};

static inline void put_text(struct jr_buf *out, const char *key, const char *text)
{
	if (text)
		jr_buf_printf(out, "\"%s\":\"%s\",", key, text);
	else
		jr_buf_printf(out, "\"%s\":null,", key);
}

static inline void put_ns(struct jr_buf *out, const char *key, int64_t ns, const char *behind)
{
	char text[JR_NUM_MAX];
	jr_num_decimal(text, ns, 6);
	jr_buf_printf(out, "\"%s\":%s%s", key, text, behind);
}

static inline int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static inline int64_t median_ns(const int64_t *values, size_t n)
{
	int64_t sorted[256], middle;
	assert_true(n && n <= 256);
	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_times);
	middle = sorted[n / 2];
	return n % 2 ? middle : (sorted[n / 2 - 1] + middle) / 2;
}

static inline void put_module(struct jr_buf *out, const struct built_module *m)
{
	int64_t sum_ns = 0;
	for (size_t i = 0; i < m->n_steps; i++)
		sum_ns += m->steps_ns[i];
	jr_buf_puts(out, "{");
	put_text(out, "program_id", m->id);
	put_text(out, "name", m->name);
	put_text(out, "fingerprint", m->fingerprint);
	put_text(out, "structure", m->structure);
	if (m->n_steps)
		put_ns(out, "execution_median_ms", median_ns(m->steps_ns, m->n_steps), ",");
	put_ns(out, "execution_sum_ms", sum_ns, ",");
	put_ns(out, "execution_idle_ms", m->idle_ns, ",");
	jr_buf_printf(out, "\"steps\":%zu,\"executions\":%zu}", m->n_steps, m->n_steps);
}

static inline void put_executions(struct jr_buf *out, const struct built_run *b)
{
	const char *between = "";
	for (size_t m = 0; m < b->n_modules; m++)
		for (size_t i = 0; i < b->modules[m].n_steps; i++, between = ",\n") {
			jr_buf_printf(out, "%s{", between);
			put_text(out, "program_id", b->modules[m].id);
			put_ns(out, "dur_ms", b->modules[m].steps_ns[i], ",");
			jr_buf_printf(out,
				"\"program_execution\":%zu,\"device\":0,\"start_ms\":%zu,"
				"\"steady\":true}",
				i, 1000 * i);
		}
}

/* Work of the runs that are built from now on. */
static const struct built_work *built_works;
static size_t n_built_works;

static inline void put_works(struct jr_buf *out, const struct built_run *b)
{
	if (!n_built_works)
		return;
	jr_buf_puts(out, ",\n\"roofline\":{\"thunks\":[");
	for (size_t i = 0; i < n_built_works; i++) {
		const struct built_work *w = &built_works[i];
		jr_buf_puts(out, i ? ",\n{" : "{");
		put_text(out, "program_id", w->program);
		put_text(out, "name", w->name);
		put_ns(out, "roof_ms", w->roof_ns, ",");
		jr_buf_printf(out,
			"\"count\":%zu,\"flops\":%" PRId64 ",\"bytes_read\":%" PRId64
			",\"bytes_written\":0}",
			b->modules[0].n_steps, w->flops, w->bytes);
	}
	jr_buf_puts(out, "]}");
}

static inline size_t steps_of(const struct built_run *b, const char *program)
{
	for (size_t m = 0; m < b->n_modules; m++)
		if (strcmp(b->modules[m].id, program) == 0)
			return b->modules[m].n_steps;
	return 0;
}

/* Put a time per step: sum in ns, divided by the steps. */
static inline void put_mean(
	struct jr_buf *out, const char *key, int64_t sum_ns, size_t n, const char *behind)
{
	char text[JR_NUM_MAX];
	jr_num_double(text, n ? (double)sum_ns / (double)n / 1e6 : 0);
	jr_buf_printf(out, "\"%s\":%s%s", key, text, behind);
}

/* Put steps that follow each other without gaps: periods are as long as executions. */
static inline void put_step(struct jr_buf *out, const struct built_run *b)
{
	for (size_t m = 0; b->step && m < b->n_modules; m++) {
		const struct built_module *module = &b->modules[m];
		int64_t sum_ns = 0;
		if (!module->n_steps || strcmp(module->id, b->step) != 0)
			continue;
		jr_buf_puts(out, ",\n\"step_periods\":[");
		for (size_t i = 0; i < module->n_steps; i++) {
			jr_buf_puts(out, i ? ",{" : "{");
			put_ns(out, "period_ms", module->steps_ns[i], "}");
			sum_ns += module->steps_ns[i];
		}
		jr_buf_puts(out, "],\n\"step_ledger\":[{");
		put_mean(out, "idle_in_modules_ms", module->idle_ns, module->n_steps, ",");
		put_mean(out, "wall_ms", sum_ns, module->n_steps, "}]");
	}
}

/* Put the text of a report.json with everything that a comparison of steps needs. */
static inline void put_report(struct jr_buf *out, const struct built_run *b)
{
	jr_buf_puts(out, "{\"schema\":\"jaxreport.report/1\",\"generator\":{\"version\":\"0\"},\n"
					 "\"inputs\":[{\"name\":\"built.zip\"}],\"devices\":[");
	for (size_t i = 0; i < b->n_devices; i++) {
		jr_buf_puts(out, i ? ",{" : "{");
		put_text(out, "gpu_name", b->gpu);
		jr_buf_printf(out, "\"device\":%zu}", i);
	}
	jr_buf_printf(out, "],\n\"step\":{\"program_id\":\"%s\"", b->step ? b->step : "none");
	for (size_t i = 0; b->step && i < b->n_modules; i++) {
		const struct built_module *m = &b->modules[i];
		int64_t sum_ns = 0;
		for (size_t k = 0; k < m->n_steps; k++)
			sum_ns += m->steps_ns[k];
		if (m->n_steps && strcmp(m->id, b->step) == 0) { /* on one device */
			jr_buf_putc(out, ',');
			put_ns(out, "mean_ms", sum_ns / (int64_t)m->n_steps, ""); /* its former name */
		}
	}
	jr_buf_puts(out, "},\n\"modules\":[");
	for (size_t i = 0; i < b->n_modules; i++) {
		jr_buf_puts(out, i ? ",\n" : "");
		put_module(out, &b->modules[i]);
	}
	jr_buf_puts(out, "],\n\"executions\":[");
	put_executions(out, b);
	jr_buf_puts(out, "]");
	put_step(out, b);
	jr_buf_puts(out, ",\n\"thunks\":[");
	for (size_t i = 0; i < b->n_thunks; i++) {
		const struct built_thunk *t = &b->thunks[i];
		jr_buf_puts(out, i ? ",\n{" : "{");
		put_text(out, "program_id", t->program);
		put_text(out, "name", t->name);
		put_text(out, "opcode", t->opcode);
		put_text(out, "op_name", t->op_name);
		put_text(out, "shape", t->shape);
		put_ns(out, "execution_sum_ms", t->step_sum_ns, ",");
		put_ns(out, "execution_std_ms", t->step_std_ns, ",");
		put_mean(out, "ledger_ms", t->step_sum_ns, steps_of(b, t->program), ",");
		jr_buf_printf(out, "\"communication\":%s}", t->communication ? "true" : "false");
	}
	jr_buf_puts(out, "]");
	put_works(out, b);
	jr_buf_puts(out, "}\n");
}

static inline void read_text(struct jr_run *run, const char *text, struct jr_arena *arena)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	if (jr_run_of_json(run, jr_bytes_of(text, strlen(text)), NULL, &limits, arena, &err) != JR_OK)
		fail_msg("%s", err.message);
}

/* Build the run in `arena`. */
static inline struct jr_run build_run(const struct built_run *b, struct jr_arena *arena)
{
	struct jr_buf text = {0};
	struct jr_run run;
	put_report(&text, b);
	read_text(&run, text.data, arena);
	jr_buf_done(&text);
	return run;
}

#endif
