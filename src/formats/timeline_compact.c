#include "formats/timeline_compact.h"

#include <string.h>

#include "formats/compact/compact_columns.h"
#include "formats/timeline_build.h"

#define STRINGS JR_BOUND_STRINGS
#define THREADS JR_BOUND_THREADS
#define PROCESSES JR_BOUND_PROCESSES
#define OTHER JR_BOUND_OTHER

/* --- tables ----------------------------------------------------------------------------------- */

#define T struct jr_timeline
/* What only the model counts is not kept: it is counted again. */
static const struct jr_compact_column facts_columns[] = {FLAG(has_nvtx), FLAG(has_calls),
	FLAG(has_gpu), FLAG(lacks_operations), FLAG(is_cut), NUMBER(session_ns),
	NUMBER(session_start_ns), SIZE(n_bad_rows), SIZE(n_other_texts), SIZE(n_long_texts),
	SIZE(n_rows_left_out)};
static ROWS_TABLE(facts, "the timeline", facts_columns);

static const struct jr_compact_column short_names_columns[] = {ROW_ARRAY(short_name, STRINGS)};
static ARRAYS_TABLE(short_names, "the short names", short_names_columns);
#undef T

#define T struct jr_timeline_process
static const struct jr_compact_column processes_columns[] = {
	FIELD(id, STEP, ANY, 0), NUMBER(pid), ROW(name, STRINGS)};
static ROWS_TABLE(processes, "the processes", processes_columns);
#undef T

#define T struct jr_timeline_thread
static const struct jr_compact_column threads_columns[] = {
	FIELD(id, STEP, ANY, 0), NUMBER(tid), ROW(process, PROCESSES)};
static ROWS_TABLE(threads, "the threads", threads_columns);
#undef T

#define T struct jr_timeline_scope
static const struct jr_compact_column scopes_columns[] = {NUMBER(process), NUMBER(domain),
	NUMBER(category), ROW(domain_name, STRINGS), ROW(category_name, STRINGS)};
static ROWS_TABLE(scopes, "the domains", scopes_columns);
#undef T

#define T struct jr_timeline_config
static const struct jr_compact_column configs_columns[] = {NUMBER(grid[0]), NUMBER(grid[1]),
	NUMBER(grid[2]), NUMBER(block[0]), NUMBER(block[1]), NUMBER(block[2]), NUMBER(registers),
	NUMBER(static_shared_bytes), NUMBER(dynamic_shared_bytes)};
static ROWS_TABLE(configs, "the launch configurations", configs_columns);
#undef T

/* The end of a range that was open is far from all other values, so it has its own coding. */
#define T struct jr_timeline_nvtx
static const struct jr_compact_column nvtx_columns[] = {ARRAY(start_ns, STEP, TIME, 0, false),
	ARRAY(end_ns, SINCE, TIME_OR_MAX, 0, false), ROW_ARRAY(thread, THREADS),
	ROW_ARRAY(text, STRINGS), ROW_ARRAY(scope, OTHER),
	ARRAY(kind, PLAIN, BELOW, JR_TIMELINE_MARK + 1, false),
	ARRAY(ending, PLAIN, BELOW, JR_TIMELINE_ENDS_ELSEWHERE + 1, true),
	ARRAY(end_thread, PLAIN, BELOW_OR_NONE, JR_COMPACT_BOUND(THREADS), true)};
static ARRAYS_TABLE(nvtx, "the host ranges", nvtx_columns);
#undef T

#define T struct jr_timeline_calls
static const struct jr_compact_column calls_columns[] = {ARRAY(start_ns, STEP, TIME, 0, false),
	ARRAY(end_ns, SINCE, TIME, 0, false), ROW_ARRAY(thread, THREADS),
	ARRAY(correlation, STEP, ANY, 0, false), ROW_ARRAY(name, STRINGS)};
static ARRAYS_TABLE(calls, "the calls", calls_columns);
#undef T

#define T struct jr_timeline_gpu
static const struct jr_compact_column gpu_columns[] = {ARRAY(start_ns, STEP, TIME, 0, false),
	ARRAY(end_ns, SINCE, TIME, 0, false), ARRAY(bytes, PLAIN, BELOW, UINT64_C(1) << 63, false),
	ARRAY(config, PLAIN, ANY, 0, false),
	ARRAY(process, PLAIN, BELOW_OR_NONE, JR_COMPACT_BOUND(PROCESSES), false),
	ARRAY(device, PLAIN, ANY, 0, false), ARRAY(stream, PLAIN, ANY, 0, false),
	ARRAY(correlation, STEP, ANY, 0, false), ROW_ARRAY(name, STRINGS),
	ARRAY(graph, STEP, ANY, 0, true), ARRAY(kind, PLAIN, BELOW, JR_TIMELINE_GRAPH + 1, false)};
static ARRAYS_TABLE(gpu, "the GPU operations", gpu_columns);
#undef T

#define T struct jr_timeline_sum
static const struct jr_compact_column sums_columns[] = {
	ROW(name, STRINGS), NUMBER(type), SIZE(count), SIZE(total_ns), SIZE(max_ns)};
static ROWS_TABLE(sums, "the profiler's times", sums_columns);
#undef T

#define T struct jr_timeline_pair
static const struct jr_compact_column pairs_columns[] = {ROW(name, STRINGS), ROW(value, STRINGS)};
ROWS_TABLE(jr_compact_pairs, "the settings", pairs_columns);
#undef T

#define T struct jr_timeline_thread_name
static const struct jr_compact_column names_columns[] = {NUMBER(thread), ROW(name, STRINGS)};
static ROWS_TABLE(names, "the names of threads", names_columns);
#undef T

#define T struct jr_timeline_gpu_info
static const struct jr_compact_column gpus_columns[] = {NUMBER(id), NUMBER(cuda_device),
	ROW(name, STRINGS), SIZE(memory_bandwidth_bytes_s), SIZE(sm_count), SIZE(clock_hz),
	SIZE(memory_bytes), SIZE(matrix_flop_s), NUMBER(compute_major), NUMBER(compute_minor),
	ROW(uuid, STRINGS), ROW(bus, STRINGS)};
static ROWS_TABLE(gpus, "the GPUs", gpus_columns);
#undef T

#define T struct jr_timeline_cuda_device
static const struct jr_compact_column cuda_devices_columns[] = {
	NUMBER(pid), NUMBER(cuda_device), NUMBER(gpu), ROW(uuid, STRINGS), SIZE(sm_count)};
static ROWS_TABLE(cuda_devices, "the devices of processes", cuda_devices_columns);
#undef T

#define T struct jr_timeline_device_name
static const struct jr_compact_column device_names_columns[] = {NUMBER(device), ROW(name, STRINGS)};
static ROWS_TABLE(device_names, "the names of devices", device_names_columns);
#undef T

#define T struct jr_timeline_message
static const struct jr_compact_column messages_columns[] = {NUMBER(t_ns), SIZE(count),
	FIELD(severity, PLAIN, BELOW, JR_TIMELINE_ERROR + 1), ROW(source, STRINGS), ROW(text, STRINGS)};
static ROWS_TABLE(messages, "the messages", messages_columns);
#undef T

/* Their bytes follow the table. */
#define T struct jr_xla_text
static const struct jr_compact_column xla_texts_columns[] = {
	FIELD(id, STEP, ANY, 0), FIELD(kind, PLAIN, BELOW, JR_XLA_FRAMES + 1)};
static ROWS_TABLE(xla_texts, "the texts of XLA", xla_texts_columns);
#undef T

#define T struct jr_timeline_unread
static const struct jr_compact_column unread_columns[] = {ROW(name, STRINGS), NUMBER(n)};
static ROWS_TABLE(unread, "the unread parts", unread_columns);
#undef T

/* The small tables, in the order of the file. */
#define T struct jr_timeline
#define SMALL(table, items)                                                                        \
	{                                                                                              \
		&(table), offsetof(T, items), offsetof(T, n_##items)                                       \
	}
static const struct small {
	const struct jr_compact_table *table;
	size_t items, n; /* offsets in the timeline */
} small_tables[] = {SMALL(processes, processes), SMALL(threads, threads), SMALL(scopes, scopes),
	SMALL(configs, configs), SMALL(sums, waits), SMALL(sums, overheads),
	SMALL(jr_compact_pairs, exported), SMALL(jr_compact_pairs, captured),
	SMALL(jr_compact_pairs, environment), SMALL(names, thread_names), SMALL(names, process_names),
	SMALL(gpus, gpus), SMALL(cuda_devices, cuda_devices), SMALL(device_names, device_names),
	SMALL(messages, messages), SMALL(xla_texts, xla_texts)};
#undef T

/* --- writing ---------------------------------------------------------------------------------- */

void jr_timeline_put(struct jr_buf *out, const struct jr_timeline *t)
{
	jr_compact_table(out, NULL, &facts, t, 1);
	jr_compact_strings(out, &t->strings);
	jr_compact_table(out, NULL, &short_names, t, t->strings.n);
	for (size_t i = 0; i < JR_COUNT_OF(small_tables); i++) {
		const struct small *small = &small_tables[i];
		const char *base = (const char *)t;
		const void *items = *(void *const *)(const void *)(base + small->items);
		jr_compact_table(
			out, NULL, small->table, items, *(const size_t *)(const void *)(base + small->n));
	}
	for (size_t i = 0; i < t->n_xla_texts; i++)
		jr_compact_bytes(out, t->xla_texts[i].text);
	jr_compact_table(out, NULL, &unread, t->unread, t->n_unread);
	jr_buf_varint(out, t->n_damaged);
	for (size_t i = 0; i < t->n_damaged; i++)
		jr_buf_varint(out, t->damaged[i]);
	jr_compact_table(out, NULL, &gpu, &t->gpu, t->gpu.n);
	jr_compact_table(out, NULL, &calls, &t->calls, t->calls.n);
	jr_compact_table(out, NULL, &nvtx, &t->nvtx, t->nvtx.n);
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum jr_status damaged(struct jr_error *err, const char *what)
{
	return jr_fail(err, JR_EFORMAT, "the digest is damaged: %s", what);
}

/* Check that no row ends before it starts and that all durations add up in int64. */
static enum jr_status check_times(const int64_t *start_ns, const int64_t *end_ns, size_t n,
	const char *what, struct jr_error *err)
{
	int64_t total_ns = 0;
	for (size_t i = 0; i < n; i++) {
		if (end_ns[i] < start_ns[i])
			return jr_fail(err, JR_EFORMAT,
				"the digest is damaged: row %zu of %s ends before it starts", i, what);
		if (end_ns[i] != JR_TIMELINE_OPEN &&
			__builtin_add_overflow(total_ns, end_ns[i] - start_ns[i], &total_ns))
			return jr_fail(err, JR_EFORMAT,
				"the digest is damaged: durations of %s add up to more than fits in 64 bits", what);
	}
	return JR_OK;
}

static enum jr_status expand_short_names(
	struct jr_expanding *in, struct jr_timeline *t, struct jr_error *err)
{
	size_t n;
	JR_TRY(jr_expand_table(in, &short_names, t, &n, err));
	return n == t->strings.n ? JR_OK : damaged(err, "not every text has a short name");
}

static bool in_order(const struct jr_timeline *t)
{
	for (size_t i = 1; i < t->n_processes; i++)
		if (t->processes[i - 1].id >= t->processes[i].id)
			return false;
	for (size_t i = 1; i < t->n_threads; i++)
		if (t->threads[i - 1].id >= t->threads[i].id)
			return false;
	for (size_t i = 1; i < t->n_xla_texts; i++)
		if (t->xla_texts[i - 1].id > t->xla_texts[i].id)
			return false;
	return true;
}

static enum jr_status expand_small(
	struct jr_expanding *in, struct jr_timeline *t, struct jr_error *err)
{
	for (size_t i = 0; i < JR_COUNT_OF(small_tables); i++) {
		const struct small *small = &small_tables[i];
		char *base = (char *)t;
		JR_TRY(jr_expand_table(
			in, small->table, base + small->items, (size_t *)(void *)(base + small->n), err));
		in->bounds[PROCESSES] = t->n_processes; /* the first table; the others refer to it */
	}
	in->bounds[THREADS] = t->n_threads;
	for (size_t i = 0; i < t->n_xla_texts; i++) {
		struct jr_bytes text;
		JR_TRY(jr_expand_bytes(in, &text, err));
		char *copy = jr_arena_array(in->arena, text.size + 1, 1, err);
		if (!copy)
			return JR_ELIMIT;
		jr_copy(copy, text.data, text.size);
		t->xla_texts[i].text = jr_bytes_of(copy, text.size);
	}
	return t->n_scopes && in_order(t) ? JR_OK : damaged(err, "its small tables are not in order");
}

static enum jr_status expand_left_out(
	struct jr_expanding *in, struct jr_timeline *t, struct jr_error *err)
{
	struct jr_timeline_unread *rows;
	size_t n;
	uint64_t n_damaged;
	JR_TRY(jr_expand_table(in, &unread, &rows, &n, err));
	if (n > JR_TIMELINE_MOST_UNREAD)
		return damaged(err, "it has too many unread parts");
	memcpy(t->unread, rows, n * sizeof(*rows));
	t->n_unread = n;
	JR_TRY(jr_expand_number(in, JR_TIMELINE_MOST_DAMAGED + 1, &n_damaged, err));
	for (; t->n_damaged < n_damaged; t->n_damaged++) {
		uint64_t text;
		JR_TRY(jr_expand_number(in, t->strings.n, &text, err));
		t->damaged[t->n_damaged] = (uint32_t)text;
	}
	return JR_OK;
}

static enum jr_status check_gpu(const struct jr_timeline *t, struct jr_error *err)
{
	const struct jr_timeline_gpu *g = &t->gpu;
	int64_t total_bytes = 0;
	for (size_t i = 0; i < g->n; i++) {
		if (g->kind[i] == JR_TIMELINE_KERNEL && g->config[i] >= t->n_configs)
			return damaged(err, "a kernel refers to no launch configuration");
		if (__builtin_add_overflow(total_bytes, g->bytes[i], &total_bytes))
			return damaged(err, "sizes of copies add up to more than fits in 64 bits");
	}
	return check_times(g->start_ns, g->end_ns, g->n, gpu.name, err);
}

static enum jr_status expand_rows(
	struct jr_expanding *in, struct jr_timeline *t, struct jr_error *err)
{
	in->arena = &t->columns[0];
	JR_TRY(jr_expand_table(in, &gpu, &t->gpu, &t->gpu.n, err));
	JR_TRY(check_gpu(t, err));
	in->arena = &t->columns[1];
	JR_TRY(jr_expand_table(in, &calls, &t->calls, &t->calls.n, err));
	JR_TRY(check_times(t->calls.start_ns, t->calls.end_ns, t->calls.n, calls.name, err));
	in->arena = &t->columns[2];
	in->bounds[OTHER] = t->n_scopes;
	JR_TRY(jr_expand_table(in, &nvtx, &t->nvtx, &t->nvtx.n, err));
	return check_times(t->nvtx.start_ns, t->nvtx.end_ns, t->nvtx.n, nvtx.name, err);
}

enum jr_status jr_timeline_expand(
	struct jr_expanding *in, struct jr_timeline *t, struct jr_error *err)
{
	jr_timeline_begin(t, in->limits);
	in->arena = &t->arena;
	JR_TRY(jr_expand_row(in, &facts, t, err));
	JR_TRY(jr_expand_strings(in, true, &t->strings, err));
	in->bounds[STRINGS] = t->strings.n;
	JR_TRY(expand_short_names(in, t, err));
	JR_TRY(expand_small(in, t, err));
	JR_TRY(expand_left_out(in, t, err));
	return expand_rows(in, t, err);
}
