/* Write a run as a line of a store. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"
#include "compare/history/history.h"
#include "compare/run/work.h"
#include "report/data/json.h"
#include "report/core/report.h"

#define MAX_INPUTS 16
#define MAX_MODULES 4
#define MAX_PROGRAMS 16      /* whose latency is stored */
#define MAX_THUNKS 64        /* per module */
#define MAX_LATE 64          /* devices that are late */
#define MAX_FOUND 16         /* findings about some steps */
#define MAX_LIVE 50          /* rows of each table of live memory */
#define MAX_TEXT_BYTES 4096u /* per name of a thunk; a thunk with a longer name is not listed */

struct row {
	int64_t sum_ns;
	size_t row;
};

struct writing {
	struct jr_buf *out;
	const struct jr_run *run;
	struct jr_arena scratch;
	size_t modules[MAX_MODULES]; /* rows; the step's module is first */
	size_t n_modules;
	struct jr_buf work; /* thunks that were written, as rows of JR_RUN_ROOFLINE */
};

static const char *comma(const struct jr_buf *out)
{
	return out->data[out->size - 1] == '{' ? "" : ",";
}

static void put_member(struct writing *w, const char *key, const char *text)
{
	jr_buf_printf(w->out, "%s\"%s\":", comma(w->out), key);
	if (text)
		jr_json_text(w->out, text);
	else
		jr_buf_puts(w->out, "null");
}

/* Which rows of a table a line has, and which of their columns. */
struct list {
	enum jr_run_table table;
	size_t most;
	bool (*keeps)(const struct jr_run *run, size_t row); /* NULL: all */
	size_t n_columns, columns[14];
};
#define LIST(id, most, keeps, ...)                                                                 \
	{                                                                                              \
		JR_RUN_##id, most, keeps, JR_COUNT_OF(((const size_t[]){__VA_ARGS__})),                    \
		{                                                                                          \
			__VA_ARGS__                                                                            \
		}                                                                                          \
	}

/* Write cells of one row as members of an object, which the caller ends. */
static void put_cells(
	struct jr_buf *out, const struct jr_run *run, const struct list *list, size_t row)
{
	const struct jr_table *t = run->tables[list->table];
	for (size_t i = 0; i < list->n_columns; i++) {
		struct jr_value v = jr_value_of_cell(t, list->columns[i], row);
		jr_buf_printf(out, "%s\"%s\":", i ? "," : "{", t->spec->columns[list->columns[i]].key);
		jr_json_value(out, &v);
	}
}

static void put_list(struct writing *w, const char *key, const struct list *list)
{
	size_t kept = 0;
	jr_buf_printf(w->out, "%s\"%s\":[", comma(w->out), key);
	for (size_t i = 0; i < jr_run_rows(w->run, list->table) && kept < list->most; i++) {
		if (list->keeps && !list->keeps(w->run, i))
			continue;
		jr_buf_puts(w->out, kept++ ? "," : "");
		put_cells(w->out, w->run, list, i);
		jr_buf_putc(w->out, '}');
	}
	jr_buf_putc(w->out, ']');
}

static bool is_short(const char *text)
{
	return !text || strnlen(text, MAX_TEXT_BYTES + 1) <= MAX_TEXT_BYTES;
}

/* --- metrics ---------------------------------------------------------------------------------- */

static void put_metric(struct writing *w, const struct jr_metric *m)
{
	struct jr_value v = {.type = JR_F64, .unit = m->unit, .as.f64 = jr_metric_value(m, w->run)};
	if (isinf(v.as.f64))
		v.as.f64 = NAN;
	jr_buf_puts(w->out, comma(w->out));
	jr_json_text(w->out, m->name);
	jr_buf_putc(w->out, ':');
	jr_json_value(w->out, &v);
}

/* Whether a row of JR_RUN_LATENCY covers all variants of a name. The first rows take most time. */
static bool is_whole(const struct jr_run *run, size_t row)
{
	const char *name = jr_run_text(run, JR_RUN_LATENCY, JR_LATENCY_NAME, row);
	return name && is_short(name) && jr_run_is(run, JR_RUN_LATENCY, JR_LATENCY_WHOLE, row);
}

static const struct list latency = LIST(LATENCY, MAX_PROGRAMS, is_whole, JR_LATENCY_NAME,
	JR_LATENCY_WHOLE, JR_LATENCY_COUNT, JR_LATENCY_P50, JR_LATENCY_P50_LOW, JR_LATENCY_P50_HIGH,
	JR_LATENCY_P90, JR_LATENCY_P90_LOW, JR_LATENCY_P90_HIGH, JR_LATENCY_P99, JR_LATENCY_P99_LOW,
	JR_LATENCY_P99_HIGH, JR_LATENCY_MAX);

static void put_metrics_of_programs(struct writing *w, const struct jr_metric *m)
{
	size_t n = 0;
	for (size_t i = 0; i < jr_run_rows(w->run, latency.table) && n < latency.most; i++) {
		if (!is_whole(w->run, i))
			continue;
		const char *name = jr_run_text(w->run, JR_RUN_LATENCY, JR_LATENCY_NAME, i);
		put_metric(w, jr_metric_of_program(m, name, &w->scratch));
		n++;
	}
}

static void put_metrics(struct writing *w)
{
	jr_buf_puts(w->out, ",\"metrics\":{");
	for (const struct jr_metric *m = jr_metrics; m->name; m++) {
		if (m->value)
			put_metric(w, m);
		else
			put_metrics_of_programs(w, m);
	}
	jr_buf_putc(w->out, '}');
}

/* --- programs --------------------------------------------------------------------------------- */

/* The step's module, then others with most time; the table is sorted by time. */
static void choose_modules(struct writing *w)
{
	const struct jr_run *run = w->run;
	if (run->steps.row != SIZE_MAX)
		w->modules[w->n_modules++] = run->steps.row;
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_MODULES) && w->n_modules < MAX_MODULES; i++)
		if (i != run->steps.row && jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_STEPS, i) > 0)
			w->modules[w->n_modules++] = i;
}

static void put_samples(struct writing *w, size_t module)
{
	struct jr_run own = *w->run;
	jr_run_set_step(&own, module, &w->scratch);
	jr_buf_puts(w->out, ",\"execution_ns\":[");
	for (size_t i = 0; i < own.steps.executions.n; i++)
		jr_buf_printf(w->out, "%s%lld", i ? "," : "", (long long)own.steps.executions.values[i]);
	jr_buf_puts(w->out, "]}");
}

static void put_modules(struct writing *w)
{
	static const struct list modules =
		LIST(MODULES, MAX_MODULES, NULL, JR_MODULE_ID, JR_MODULE_NAME, JR_MODULE_FINGERPRINT,
			JR_MODULE_STRUCTURE, JR_MODULE_STEPS, JR_MODULE_EXECUTION_MEDIAN,
			JR_MODULE_EXECUTION_SUM, JR_MODULE_EXECUTION_IDLE, JR_MODULE_EXECUTIONS);
	jr_buf_puts(w->out, ",\"modules\":[");
	for (size_t i = 0; i < w->n_modules; i++) {
		jr_buf_puts(w->out, i ? "," : "");
		put_cells(w->out, w->run, &modules, w->modules[i]);
		/* stored because lines have no start times to compute it from */
		if (w->modules[i] != w->run->own_step &&
			jr_run_once_per_step(w->run, w->modules[i], &w->scratch))
			jr_buf_puts(w->out, ",\"once_per_step\":true");
		put_samples(w, w->modules[i]);
	}
	jr_buf_putc(w->out, ']');
}

/* Write the end of the step's object. */
static void put_periods(struct writing *w)
{
	jr_buf_puts(w->out, ",\"period_ns\":[");
	for (size_t i = 0; i < w->run->steps.periods.n; i++) {
		char text[JR_NUM_MAX];
		jr_num_double(text, w->run->steps.periods.values[i]);
		jr_buf_printf(w->out, "%s%s", i ? "," : "", text);
	}
	jr_buf_puts(w->out, "]}");
}

/* Write the GPU time of a step if the program has no modules; else nothing. */
static void put_gpu_step(struct writing *w)
{
	static const struct list step = LIST(GPU_STEP, 1, NULL, JR_GPU_STEP_COMPUTE,
		JR_GPU_STEP_COMMUNICATION, JR_GPU_STEP_COPY, JR_GPU_STEP_IDLE, JR_GPU_STEP_WALL);
	if (!jr_run_rows(w->run, JR_RUN_GPU_STEP))
		return;
	jr_buf_puts(w->out, ",\"gpu\":{");
	put_list(w, "step", &step);
	jr_buf_putc(w->out, '}');
}

/* Write what a plan is about and the memory of its largest program; else nothing. */
static void put_plan(struct writing *w)
{
	static const struct list programs = LIST(PLAN, 1, NULL, JR_PLAN_ID, JR_PLAN_NAME, JR_PLAN_ROOF,
		JR_PLAN_FLOPS, JR_PLAN_BYTES, JR_PLAN_SENT);
	static const struct list memory = LIST(PROGRAM_MEMORY, 1, NULL, JR_PROGRAM_MEMORY_ID,
		JR_PROGRAM_MEMORY_NAME, JR_PROGRAM_MEMORY_ALLOCATED);
	const struct jr_table *t = w->run->tables[JR_RUN_PROGRAM_MEMORY];
	if (!jr_run_is_plan(w->run))
		return;
	jr_buf_puts(w->out, ",\"plan\":{");
	put_list(w, "programs", &programs);
	jr_buf_puts(w->out, "},\"program_memory\":[");
	size_t most = SIZE_MAX;
	for (size_t i = 0; i < t->n_rows; i++)
		if (most == SIZE_MAX || jr_table_number(t, JR_PROGRAM_MEMORY_ALLOCATED, i) >
									jr_table_number(t, JR_PROGRAM_MEMORY_ALLOCATED, most))
			most = i;
	if (most != SIZE_MAX) {
		put_cells(w->out, w->run, &memory, most);
		jr_buf_putc(w->out, '}');
	}
	jr_buf_putc(w->out, ']');
}

/* Write what is in device memory, with the largest lines, for a device memory profile; else
 * nothing. */
static void put_live(struct writing *w)
{
	static const struct list devices = LIST(LIVE_DEVICES, MAX_LIVE, NULL, JR_LIVE_DEVICE_NAME,
		JR_LIVE_DEVICE_BYTES, JR_LIVE_DEVICE_OBJECTS);
	static const struct list kinds = LIST(LIVE_KINDS, MAX_LIVE, NULL, JR_LIVE_KIND_NAME,
		JR_LIVE_KIND_BYTES, JR_LIVE_KIND_OBJECTS, JR_LIVE_KIND_UNKNOWN);
	static const struct list lines = LIST(LIVE_LINES, MAX_LIVE, NULL, JR_LIVE_LINE_SOURCE,
		JR_LIVE_LINE_FUNCTION, JR_LIVE_LINE_BYTES, JR_LIVE_LINE_OBJECTS, JR_LIVE_LINE_UNKNOWN);
	if (!jr_run_rows(w->run, JR_RUN_LIVE_KINDS))
		return;
	jr_buf_printf(
		w->out, ",\"live_memory\":{\"partial\":%s", w->run->live_partial ? "true" : "false");
	put_list(w, "devices", &devices);
	put_list(w, "kinds", &kinds);
	put_list(w, "lines", &lines);
	jr_buf_putc(w->out, '}');
}

/* --- thunks ----------------------------------------------------------------------------------- */

JR_ORDER(compare_rows, struct row, JR_DOWN(sum_ns) JR_UP(row))

static bool fits(const struct jr_run *run, size_t row)
{
	static const size_t texts[] = {
		JR_THUNK_NAME, JR_THUNK_OPCODE, JR_THUNK_OP_NAME, JR_THUNK_SHAPE};
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++)
		if (!is_short(jr_run_text(run, JR_RUN_THUNKS, texts[i], row)))
			return false;
	return true;
}

/* Thunks of a module with time in the step, heaviest first. */
static struct row *rank_thunks(struct writing *w, size_t module, size_t *n)
{
	const struct jr_run *run = w->run;
	const char *program = jr_run_text(run, JR_RUN_MODULES, JR_MODULE_ID, module);
	size_t n_rows = jr_run_rows(run, JR_RUN_THUNKS);
	struct row *rows = JR_ARENA_N(&w->scratch, struct row, n_rows + 1);
	*n = 0;
	for (size_t i = 0; program && i < n_rows; i++) {
		const char *own = jr_run_text(run, JR_RUN_THUNKS, JR_THUNK_PROGRAM, i);
		int64_t sum_ns = jr_run_sum(run, JR_RUN_THUNKS, JR_THUNK_EXECUTION_SUM, i);
		if (own && strcmp(own, program) == 0 && sum_ns > 0 && fits(run, i))
			rows[(*n)++] = (struct row){sum_ns, i};
	}
	jr_sort(rows, *n, sizeof(*rows), compare_rows);
	return rows;
}

/* Write the work of a thunk if it is known: a comparison detects more work by it. */
static void put_work(struct writing *w, uint32_t row)
{
	static const struct list work =
		LIST(ROOFLINE, SIZE_MAX, NULL, JR_ROOFLINE_PROGRAM, JR_ROOFLINE_NAME, JR_ROOFLINE_COUNT,
			JR_ROOFLINE_FLOPS, JR_ROOFLINE_READ, JR_ROOFLINE_WRITTEN, JR_ROOFLINE_ROOF);
	if (row == JR_NONE ||
		jr_run_i64(w->run, JR_RUN_ROOFLINE, JR_ROOFLINE_FLOPS, row) == JR_NULL_I64)
		return;
	jr_buf_puts(&w->work, w->work.size ? "," : "");
	put_cells(&w->work, w->run, &work, row);
	jr_buf_putc(&w->work, '}');
}

/* Write the place of a thunk in the code, which the sentence on a change names. */
static void put_source(struct writing *w, size_t row)
{
	const char *file = jr_run_text(w->run, JR_RUN_THUNKS, JR_THUNK_FILE, row);
	int64_t line = jr_run_i64(w->run, JR_RUN_THUNKS, JR_THUNK_LINE, row);
	if (!file || line <= 0 || !is_short(file))
		return;
	jr_buf_puts(w->out, ",\"source\":{\"file\":");
	jr_json_text(w->out, file);
	jr_buf_printf(w->out, ",\"line\":%" PRId64 "}", line);
}

static void put_thunks(struct writing *w)
{
	static const struct list thunks =
		LIST(THUNKS, MAX_THUNKS, NULL, JR_THUNK_PROGRAM, JR_THUNK_NAME, JR_THUNK_OPCODE,
			JR_THUNK_OP_NAME, JR_THUNK_SHAPE, JR_THUNK_COMMUNICATION, JR_THUNK_EXECUTION_SUM,
			JR_THUNK_EXECUTION_STD, JR_THUNK_STEP, JR_THUNK_STEP_MOST, JR_THUNK_STEP_DEVICE);
	const char *separator = "";
	const uint32_t *work = jr_work_rows(w->run, &w->scratch);
	jr_buf_puts(w->out, ",\"thunks\":[");
	for (size_t m = 0; m < w->n_modules; m++) {
		size_t n;
		const struct row *rows = rank_thunks(w, w->modules[m], &n);
		for (size_t i = 0; i < n && i < thunks.most; i++, separator = ",") {
			jr_buf_puts(w->out, separator);
			put_cells(w->out, w->run, &thunks, rows[i].row);
			put_source(w, rows[i].row);
			jr_buf_putc(w->out, '}');
			put_work(w, work[rows[i].row]);
		}
	}
	jr_buf_putc(w->out, ']');
}

/* --- the line --------------------------------------------------------------------------------- */

static bool is_late(const struct jr_run *run, size_t row)
{
	return jr_run_text(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_LATE, row) &&
		   is_short(jr_run_text(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_HOST, row));
}

static bool is_titled_of_some_steps(const struct jr_run *run, size_t row)
{
	const char *title = jr_run_text(run, JR_RUN_FINDINGS, JR_FINDING_TITLE, row);
	return jr_run_of_some_steps(run, row) && title && is_short(title);
}

void jr_history_put(
	struct jr_buf *out, const struct jr_run *run, const struct jr_history_about *about)
{
	static const struct list inputs =
		LIST(INPUTS, MAX_INPUTS, NULL, JR_INPUT_NAME, JR_INPUT_KIND, JR_INPUT_SHA256);
	static const struct list devices = LIST(DEVICES, SIZE_MAX, NULL, JR_DEVICE_GPU);
	static const struct list late = LIST(STRAGGLERS, MAX_LATE, is_late, JR_STRAGGLER_DEVICE,
		JR_STRAGGLER_LAG, JR_STRAGGLER_LATE, JR_STRAGGLER_HOST);
	static const struct list findings = LIST(FINDINGS, MAX_FOUND, is_titled_of_some_steps,
		JR_FINDING_ID, JR_FINDING_STEP, JR_FINDING_ALL, JR_FINDING_SINCE, JR_FINDING_TITLE);
	static const struct list ledger =
		LIST(STEP_LEDGER, 1, NULL, JR_STEP_WALL, JR_STEP_PART, JR_STEP_PART_COMMUNICATION,
			JR_STEP_PART_COPY, JR_STEP_PART_IDLE_IN, JR_STEP_PART_IDLE_BETWEEN, JR_STEP_PART_OTHER,
			JR_STEP_PART_WARMUP, JR_STEP_PART_WAITING, JR_STEP_MOST_COMPUTE, JR_STEP_MOST_DEVICE);
	struct writing w = {.out = out, .run = run};
	jr_arena_init(&w.scratch, 0);
	choose_modules(&w);
	jr_buf_puts(out,
		"{\"schema\":\"" JR_HISTORY_SCHEMA "\",\"generator\":{\"version\":\"" JR_VERSION "\"}");
	put_member(&w, "time", about->time);
	put_member(&w, "commit", about->commit);
	put_member(&w, "label", about->label);
	put_member(&w, "name", run->name);
	if (run->selection) {
		jr_buf_puts(out, ",\"selection\":{");
		put_member(&w, "text", run->selection);
		jr_buf_putc(out, '}');
	}
	put_list(&w, JR_AT(inputs), &inputs);
	put_metrics(&w);
	put_list(&w, JR_AT(devices), &devices);
	jr_buf_puts(out, ",\"step\":{");
	put_member(&w, "program_id",
		w.n_modules && run->steps.row != SIZE_MAX
			? jr_run_text(run, JR_RUN_MODULES, JR_MODULE_ID, run->steps.row)
			: NULL);
	if (run->numbered)
		put_member(&w, "numbered", run->numbered);
	put_periods(&w);
	put_list(&w, JR_AT(step_ledger), &ledger);
	put_list(&w, JR_AT(stragglers), &late);
	if (jr_run_rows(run, JR_RUN_STEP_LEDGER))
		put_list(&w, JR_AT(findings), &findings);
	put_gpu_step(&w);
	put_plan(&w);
	put_live(&w);
	put_list(&w, JR_AT(latency), &latency);
	put_modules(&w);
	put_thunks(&w);
	jr_buf_puts(out, ",\"roofline\":{\"thunks\":[");
	jr_buf_add(out, w.work.data, w.work.size);
	jr_buf_puts(out, "]}}\n");
	jr_buf_done(&w.work);
	jr_arena_done(&w.scratch);
}
