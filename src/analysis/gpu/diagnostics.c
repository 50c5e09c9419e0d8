/* The span that an export covers, the cost of profiling, and the profiler's messages. */
#include <stdlib.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/say.h"
#include "analysis/core/terms.h"
#include "analysis/gpu/gpu_tables.h"
#include "base/buf.h"
#include "base/order.h"

#define CAPTURE_COLUMNS(X, T)                                                                      \
	X(T, input, "File", "exported file", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                     \
	X(T, schema, "Schema", "schema version of the export", TEXT, NONE)                             \
	X(T, session_ms, "Session", "length of the profiling session, as the export reports it", I64,  \
		NS)                                                                                        \
	X(T, covered_ms, "Covered",                                                                    \
		"time from the first to the last of all " JR_EVENTS                                        \
		", without samples and operating system calls",                                            \
		I64, NS)                                                                                   \
	X(T, start_trigger, "Started by", "event that started the collection", TEXT, NONE)             \
	X(T, stop_trigger, "Stopped by", "event that stopped the collection", TEXT, NONE)              \
	X(T, profiler_starts, "cudaProfilerStart", "number of such calls in the export", I64, COUNT,   \
		JR_COL_DATA_ONLY)                                                                          \
	X(T, profiler_stops, "cudaProfilerStop", "number of such calls in the export", I64, COUNT,     \
		JR_COL_DATA_ONLY)
JR_TABLE(capture_spec, C, CAPTURE_COLUMNS, "capture", "capture", "Capture", "One row per export");

#define OVERHEAD_COLUMNS(X, T)                                                                     \
	X(T, name, "Activity", "overhead beyond the program's own work, as the profiler names it",     \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, by, "Source",                                                                             \
		"profiler: caused by recording; " JR_CUDA                                                  \
		": driver work that also happens without a profiler",                                      \
		TEXT, NONE)                                                                                \
	X(T, count, "Count", "over all threads", I64, COUNT)                                           \
	X(T, sum_ms, "Time", "sum of durations on the program's threads", I64, NS, JR_COL_BAR)         \
	X(T, max_ms, "Longest", "longest duration", I64, NS)
JR_TABLE(overhead_spec, O, OVERHEAD_COLUMNS, "profiler_overhead", "profiler_overhead",
	"Overhead of the profiler and " JR_CUDA, "One row per kind of work; by time");

JR_TABLE_OF(message_spec, JR_DIAGNOSTICS_COLUMNS, "diagnostics", "diagnostics", "Profiler warnings",
	"One row per warning or error; errors first, then by count. Informational messages "
	"are left out");

/* True if the program itself limits the capture. With --capture-range=cudaProfilerApi the calls are
 * usually missing from the profile, but the trigger shows it. */
static bool cut_by_program(const struct jr_profile *p, const struct jr_capture *c)
{
	const char *trigger = jr_str(p, c->start_trigger);
	return c->n_starts || c->n_stops || strstr(trigger, "rofilerApi") ||
		   strstr(trigger, "rofilerStart");
}

static void add_window(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct jr_capture *c = &p->captures[i];
		if (!cut_by_program(p, c))
			continue;
		jr_section_text(out, ctx->arena,
			"The program controls what is profiled (cudaProfilerStart, cudaProfilerStop): "
			"the export covers %s%s%s%s.",
			jr_time_text(ctx->arena, (double)(c->last_ns - c->first_ns)),
			c->session_ns > 0 ? " of a session of " : "",
			c->session_ns > 0 ? jr_time_text(ctx->arena, (double)c->session_ns) : "",
			p->n_captures > 1 ? jr_arena_printf(ctx->arena, " (%s)", p->inputs[c->input].name)
							  : "");
	}
}

static struct jr_table *capture_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table *table = jr_table_new(ctx->arena, &capture_spec, p->n_captures);
	union jr_cells *cells = table->cells;
	for (size_t row = 0; row < p->n_captures; row++) {
		const struct jr_capture *c = &p->captures[row];
		cells[C_input].text[row] = p->inputs[c->input].name;
		cells[C_schema].text[row] = jr_text_or_null(p, c->schema);
		if (c->session_ns > 0)
			cells[C_session_ms].i64[row] = c->session_ns;
		cells[C_covered_ms].i64[row] = c->last_ns - c->first_ns;
		cells[C_start_trigger].text[row] = jr_text_or_null(p, c->start_trigger);
		cells[C_stop_trigger].text[row] = jr_text_or_null(p, c->stop_trigger);
		cells[C_profiler_starts].i64[row] = (int64_t)c->n_starts;
		cells[C_profiler_stops].i64[row] = (int64_t)c->n_stops;
	}
	return table;
}

/* True for kinds that ENUM_CUPTI_OVERHEAD_TYPE of exports labels "(CUDA)"; all others belong to the
 * profiler. */
static bool is_of_cuda(const char *kind)
{
	static const char *const kinds[] = {
		"command buffer full", "module loading", "function loading", "driver compiler"};
	char plain[64];
	size_t n = 0;
	for (; kind[n] && n + 1 < sizeof(plain); n++) {
		bool upper = kind[n] >= 'A' && kind[n] <= 'Z';
		plain[n] = kind[n] == '_' ? ' ' : upper ? (char)(kind[n] + 'a' - 'A') : kind[n];
	}
	plain[n] = 0;
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++)
		if (strstr(plain, kinds[i]))
			return true;
	return false;
}

static struct jr_table *overhead_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	size_t n;
	const struct jr_profiler_sum *sums =
		jr_join_profiler_sums(p, p->overheads, p->n_overheads, ctx->scratch, &n);
	struct jr_table *table = jr_table_new(ctx->arena, &overhead_spec, n);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < n; row++) {
		const struct jr_profiler_sum *sum = &sums[row];
		c[O_name].text[row] = jr_str(p, sum->name);
		c[O_by].text[row] = is_of_cuda(c[O_name].text[row]) ? "CUDA" : "profiler";
		c[O_count].i64[row] = (int64_t)sum->count;
		c[O_sum_ms].i64[row] = sum->total_ns;
		c[O_max_ms].i64[row] = sum->max_ns;
	}
	return table;
}

/* Order messages by severity, most severe first. */
JR_ORDER(compare_messages, struct jr_profiler_message,
	JR_DOWN(severity) JR_DOWN(count) JR_UP(input) JR_UP(t_ns))

/* Collect the messages of all inputs and merge equal ones. */
static struct jr_profiler_message *join_messages(struct jr_pass_context *ctx, size_t *n)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_profiler_message *list =
		JR_ARENA_N(ctx->scratch, struct jr_profiler_message, p->n_messages + 1);
	struct jr_map rows = {0};
	*n = 0;
	for (size_t i = 0; i < p->n_messages; i++) {
		const struct jr_profiler_message *m = &p->messages[i];
		uint64_t said[] = {(uint64_t)m->severity, jr_key2(m->source, m->text)};
		uint64_t key = jr_hash(said, sizeof(said), jr_hash_seed());
		uint32_t row = jr_map_get(&rows, key);
		if (row == JR_NONE) {
			jr_map_put(&rows, key, (uint32_t)*n);
			list[(*n)++] = *m;
		} else {
			list[row].count += m->count;
		}
	}
	jr_map_done(&rows);
	if (*n)
		qsort(list, *n, sizeof(*list), compare_messages);
	return list;
}

/* Join the lines of a text. Line breaks and tabs were made visible when the text was read. */
static const char *one_line(struct jr_arena *arena, const char *text)
{
	static const char *const breaks[] = {"␊", "␍", "␉"};
	JR_CLEANUP(jr_buf_done) struct jr_buf line = {0};
	while (*text) {
		size_t n = 0;
		for (size_t i = 0; i < JR_COUNT_OF(breaks) && !n; i++)
			n = strncmp(text, breaks[i], strlen(breaks[i])) == 0 ? strlen(breaks[i]) : 0;
		char next = n ? ' ' : *text;
		if (next != ' ' || (line.size && line.data[line.size - 1] != ' '))
			jr_buf_putc(&line, next);
		text += n ? n : 1;
	}
	return jr_arena_strdup(arena, line.data ? line.data : "");
}

static struct jr_table *message_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	size_t n;
	const struct jr_profiler_message *list = join_messages(ctx, &n);
	struct jr_table *table = jr_table_new(ctx->arena, &message_spec, n);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < n; row++) {
		c[JR_DIAGNOSTICS_severity].text[row] = list[row].severity == 3 ? "error" : "warning";
		c[JR_DIAGNOSTICS_source].text[row] = jr_text_or_null(p, list[row].source);
		c[JR_DIAGNOSTICS_text].text[row] = one_line(ctx->arena, jr_str(p, list[row].text));
		c[JR_DIAGNOSTICS_count].i64[row] = (int64_t)list[row].count;
	}
	return table;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	add_window(ctx, out);
	jr_section_table(out, ctx->arena, capture_table(ctx));
	if (ctx->profile->n_overheads)
		jr_section_table(out, ctx->arena, overhead_table(ctx));
	struct jr_table *messages = message_table(ctx);
	if (messages->n_rows)
		jr_section_table(out, ctx->arena, messages);
}

const struct jr_pass jr_pass_diagnostics = {
	.name = "diagnostics",
	.title = "Profiler",
	.summary = "Time covered by the capture, profiling overhead and profiler warnings",
	.needs = JR_NEEDS_PROFILER,
	.group = JR_GROUP_ABOUT,
	.run = run,
};
