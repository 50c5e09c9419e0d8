/* Any bytes as a trace of jax.profiler: rejected, or rows whose every reference can be followed;
 * and from them executions and thunks that satisfy the rules of xprofile.h. Inputs that begin as
 * JSON or gzip are traces for Chrome, whose XSpace is never rejected as damaged. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/archive/gzip.h"
#include "formats/xspace/xspace_compact.h"
#include "formats/xspace/xspace_json.h"
#include "model/xprofile/xprofile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_rows(const struct jr_timeline *rows)
{
	const struct jr_timeline_gpu *g = &rows->gpu;
	for (size_t i = 0; i < rows->nvtx.n; i++) {
		require(rows->nvtx.end_ns[i] >= rows->nvtx.start_ns[i]);
		require(rows->nvtx.thread[i] < rows->n_threads && rows->nvtx.scope[i] < rows->n_scopes);
		require(rows->nvtx.kind[i] <= JR_TIMELINE_MARK && rows->nvtx.text[i] < rows->strings.n);
	}
	for (size_t i = 0; i < rows->calls.n; i++) {
		require(rows->calls.end_ns[i] >= rows->calls.start_ns[i]);
		require(rows->calls.thread[i] < rows->n_threads);
		require(rows->calls.name[i] < rows->strings.n);
	}
	for (size_t i = 0; i < g->n; i++) {
		require(g->end_ns[i] >= g->start_ns[i] && g->process[i] < rows->n_processes);
		require(g->kind[i] <= JR_TIMELINE_GRAPH && g->name[i] < rows->strings.n);
		require(g->kind[i] != JR_TIMELINE_KERNEL || g->config[i] < rows->n_configs);
	}
	for (size_t i = 0; i < rows->n_threads; i++)
		require(rows->threads[i].process < rows->n_processes);
	for (uint32_t id = 0; id < rows->strings.n; id++)
		require(
			jr_text_is_clean(jr_intern_str(&rows->strings, id), jr_intern_len(&rows->strings, id)));
	for (size_t i = 0; i < rows->n_messages; i++)
		require(rows->messages[i].text < rows->strings.n);
}

static void check_runs(const struct jr_xspace *x, const struct jr_xspace_run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		require(runs[i].end_ns >= runs[i].start_ns && runs[i].label < x->n_labels);
}

/* No chain of scopes is longer than there are scopes. */
static void check_scopes(const struct jr_xspace *x)
{
	uint8_t *ends = calloc(x->n_scopes + 1, 1);
	if (!ends)
		abort();
	for (size_t i = 1; i < x->n_scopes; i++) {
		size_t length = 0;
		uint32_t at = (uint32_t)i;
		for (; at != 0 && !ends[at]; at = x->scope_parent[at]) {
			require(at < x->n_scopes && x->scope_parent[at] < x->n_scopes);
			require(length++ < x->n_scopes);
		}
		for (at = (uint32_t)i; at != 0 && !ends[at]; at = x->scope_parent[at])
			ends[at] = 1;
	}
	free(ends);
}

static void check_file(
	const struct jr_xspace *x, const struct jr_timeline *rows, const uint8_t *data, size_t size)
{
	size_t n = rows->strings.n;
	require(x->n_labels > 0 && x->n_scopes > 0);
	for (size_t i = 0; i < rows->gpu.n; i++)
		require(x->label[i] < x->n_labels && x->scope[i] < x->n_scopes);
	for (size_t i = 0; i < x->n_labels; i++)
		require(x->labels[i].module < n && x->labels[i].op < n);
	for (size_t i = 0; i < x->n_programs; i++) {
		struct jr_bytes proto = x->programs[i].proto;
		require(x->programs[i].name < n && (i == 0 || x->programs[i - 1].id < x->programs[i].id));
		require(proto.size == 0 || (proto.data >= data && proto.size <= size &&
									   proto.data + proto.size <= data + size));
	}
	for (size_t i = 0; i < x->n_steps; i++)
		require(x->steps[i].end_ns >= x->steps[i].start_ns && x->steps[i].name < n &&
				x->steps[i].thread < rows->n_threads);
	for (size_t i = 0; i < x->n_memory; i++)
		require(x->memory[i].allocator < n);
	for (size_t i = 0; i < x->n_about; i++)
		require(x->about[i].name < n && x->about[i].value < n);
	require(x->hostname < n);
	check_runs(x, x->modules, x->n_modules);
	check_runs(x, x->ops, x->n_ops);
	check_scopes(x);
}

static void check_profile(const struct jr_xprofile *p)
{
	const struct jr_export *x = &p->export;
	const struct jr_xthunks *t = &p->thunks;
	uint64_t n_ops = 0;
	for (size_t i = 0; i < p->n_executions; i++) {
		const struct jr_xexecution *e = &p->executions[i];
		require(e->end_ns >= e->start_ns && e->device < x->n_devices);
		require(e->module < x->rows.strings.n);
		n_ops += e->n_ops;
	}
	for (size_t i = 0; i < p->n_thunks; i++) {
		require(t->end_ns[i] >= t->start_ns[i] && t->device[i] < x->n_devices);
		require(t->label[i] < p->file.n_labels);
		require(!t->nccl_kernel || t->nccl_kernel[i] == JR_NONE ||
				t->nccl_kernel[i] < x->rows.strings.n);
		if (t->execution[i] == JR_NONE)
			continue;
		require(t->execution[i] < p->n_executions);
		const struct jr_xexecution *e = &p->executions[t->execution[i]];
		require(e->device == t->device[i]);
		/* a device's own lines may contain an instruction that outlasts its module */
		require(p->method == JR_XMETHOD_DEVICE ||
				(e->start_ns <= t->start_ns[i] && e->end_ns >= t->end_ns[i]));
	}
	require(p->method == JR_XMETHOD_DEVICE || n_ops <= x->rows.gpu.n);
	require(p->method == JR_XMETHOD_DEVICE || p->n_thunks <= n_ops);
	require(p->n_unplaced <= x->rows.gpu.n);
}

static void check_trace(struct jr_xprofile *p, const struct jr_limits *limits)
{
	struct jr_trace trace;
	struct jr_error err = {0};
	if (jr_xprofile_trace(p, limits, &trace, &err) != JR_OK)
		return;
	require(trace.n == p->n_executions + p->n_thunks);
	for (size_t i = 0; i < trace.n; i++) {
		require(trace.parent[i] == JR_NONE || trace.parent[i] < p->n_executions);
		require(trace.name[i] < trace.n_names && trace.end_ns[i] >= trace.start_ns[i]);
		require(!trace.nccl_kernel || trace.nccl_kernel[i] == JR_NONE ||
				trace.nccl_kernel[i] < trace.strings.n);
	}
	for (size_t i = 0; i < trace.n_names; i++)
		require(trace.names[i].text < trace.strings.n && trace.names[i].op < trace.strings.n);
	jr_trace_done(&trace);
}

/* The file in the form of a digest comes back as it was, with less HLO at most. */
static void check_kept(const struct jr_xspace *file, const struct jr_limits *limits)
{
	struct jr_buf kept = {0}, again = {0};
	struct jr_xspace copy;
	struct jr_error err = {0};
	jr_xspace_put(&kept, file, limits);
	struct jr_expanding in = {.in = jr_reader_of(jr_buf_view(&kept)), .limits = limits};
	enum jr_status status = jr_xspace_expand(&in, &copy, &err);
	require(status == JR_OK || status == JR_ELIMIT);
	if (status == JR_OK) {
		require(jr_expand_end(&in, &err) == JR_OK);
		jr_xspace_put(&again, &copy, limits);
		require(kept.size == again.size && memcmp(kept.data, again.data, kept.size) == 0);
	}
	jr_xspace_done(&copy);
	jr_buf_done(&kept);
	jr_buf_done(&again);
}

static void check_xspace(const uint8_t *data, size_t size, const struct jr_limits *limits)
{
	struct jr_xspace file;
	struct jr_error err = {0};
	if (jr_xspace_read(jr_bytes_of(data, size), limits, &file, &err) != JR_OK) {
		require(err.message[0] != '\0');
		return;
	}
	check_rows(&file.rows);
	check_file(&file, &file.rows, data, size);
	check_kept(&file, limits);
	jr_xspace_done(&file);
	struct jr_xprofile profile;
	if (jr_xprofile_read(jr_bytes_of(data, size), NULL, limits, 1, &profile, &err) == JR_OK) {
		check_rows(&profile.export.rows);
		check_file(&profile.file, &profile.export.rows, data, size);
		check_profile(&profile);
		check_trace(&profile, limits);
		jr_xprofile_done(&profile);
	} else {
		require(err.message[0] != '\0');
	}
}

static void check_json(struct jr_bytes in, const struct jr_limits *limits)
{
	struct jr_xspace_json json;
	struct jr_error err = {0};
	(void)jr_xspace_json_begins(in, limits);
	if (jr_xspace_json_read(in, limits, &json, &err) != JR_OK) {
		require(err.message[0] && !strchr(err.message, '\n'));
		return;
	}
	struct jr_bytes made = jr_buf_view(&json.xspace);
	struct jr_xspace file;
	require(json.n_bad <= json.n_events && made.size > 0);
	if (jr_xspace_read(made, limits, &file, &err) == JR_OK)
		jr_xspace_done(&file);
	else
		require(!strstr(err.message, "damaged"));
	check_xspace(made.data, made.size, limits);
	jr_xspace_json_done(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.rows = 100000;
	limits.string_bytes = 4096;
	limits.memory_bytes = UINT64_C(64) << 20;
	struct jr_bytes in = jr_bytes_of(data, size);
	(void)jr_xspace_begins(jr_bytes_of(data, size < 64 ? size : 64), size);
	if (jr_gzip_begins(in) || (size && data[0] == '{'))
		check_json(in, &limits);
	else
		check_xspace(data, size, &limits);
	return 0;
}
