/* Any bytes as an Nsight export, a database or a zip of Parquet tables: rejected, or rows whose
 * every reference can be followed; and from them launches, nesting and projection that satisfy the
 * rules of export.h. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/archive/archive.h"
#include "formats/nsys/nsys_export.h"
#include "formats/timeline_compact.h"
#include "model/export/export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_text(const struct jr_timeline *x, uint32_t id)
{
	require(id < x->strings.n);
}

static void check_nvtx(const struct jr_timeline *x)
{
	for (size_t i = 0; i < x->nvtx.n; i++) {
		require(x->nvtx.end_ns[i] >= x->nvtx.start_ns[i]);
		require(x->nvtx.thread[i] < x->n_threads && x->nvtx.scope[i] < x->n_scopes);
		require(x->nvtx.kind[i] <= JR_TIMELINE_MARK);
		check_text(x, x->nvtx.text[i]);
	}
}

static void check_activity(const struct jr_timeline *x)
{
	for (size_t i = 0; i < x->calls.n; i++) {
		require(x->calls.end_ns[i] >= x->calls.start_ns[i]);
		require(x->calls.thread[i] < x->n_threads);
		check_text(x, x->calls.name[i]);
	}
	for (size_t i = 0; i < x->gpu.n; i++) {
		require(x->gpu.end_ns[i] >= x->gpu.start_ns[i]);
		require(x->gpu.process[i] == JR_NONE || x->gpu.process[i] < x->n_processes);
		require(x->gpu.kind[i] <= JR_TIMELINE_GRAPH);
		require(x->gpu.kind[i] != JR_TIMELINE_KERNEL || x->gpu.config[i] < x->n_configs);
		check_text(x, x->gpu.name[i]);
	}
}

static void check_export(const struct jr_export *x)
{
	const struct jr_timeline *s = &x->rows;
	uint64_t n_unlinked = 0;
	for (size_t i = 0; i < s->gpu.n; i++) {
		require(x->launch[i] == JR_NONE || x->launch[i] < s->calls.n);
		require(x->range[i] == JR_NONE || x->range[i] < s->nvtx.n);
		require(s->gpu.device[i] < x->n_devices);
		n_unlinked += x->launch[i] == JR_NONE;
	}
	/* the others state no correlation id, or no call does */
	require(x->n_unlinked <= n_unlinked);
	require(x->n_unlinked + x->n_unlinkable_all >= n_unlinked ||
			x->n_unlinkable_all >= s->calls.n);
	for (size_t i = 0; i < s->nvtx.n; i++) {
		uint32_t up = x->parent[i];
		require(up == JR_NONE || up < s->nvtx.n);
		if (up != JR_NONE)
			require(s->nvtx.start_ns[up] <= s->nvtx.start_ns[i] &&
				s->nvtx.end_ns[up] >= s->nvtx.end_ns[i]);
		require(x->n_ops[i] <= s->gpu.n);
		if (x->n_ops[i])
			require(x->gpu_start_ns[i] <= x->gpu_end_ns[i] &&
				(x->device[i] == JR_SEVERAL || x->device[i] < x->n_devices));
		/* launches in a range are also in the range around it */
		if (up != JR_NONE && x->n_ops[i])
			require(x->n_ops[up] >= x->n_ops[i] && x->gpu_start_ns[up] <= x->gpu_start_ns[i] &&
				x->gpu_end_ns[up] >= x->gpu_end_ns[i]);
	}
}

/* One process, as an archive provides it. */
static void check_part(const struct jr_export *x, size_t part, const struct jr_limits *limits)
{
	struct jr_trace trace;
	struct jr_host_ranges ranges;
	struct jr_error err = {0};
	if (jr_export_trace(x, part, limits, &trace, &err) == JR_OK) {
		for (size_t i = 0; i < trace.n; i++) {
			require(trace.parent[i] == JR_NONE || trace.parent[i] < i);
			require(trace.name[i] < trace.n_names && trace.end_ns[i] >= trace.start_ns[i]);
			require(!trace.nccl_kernel || trace.nccl_kernel[i] == JR_NONE ||
				trace.nccl_kernel[i] < trace.strings.n);
		}
		jr_trace_done(&trace);
	}
	if (jr_export_host_ranges(x, part, limits, &ranges, &err) == JR_OK)
		jr_host_ranges_done(&ranges);
}

static bool is_zip(struct jr_bytes in)
{
	return in.size > 2 && in.data[0] == 'P' && in.data[1] == 'K';
}

static enum jr_status open_folder(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_archive **folder, struct jr_error *err)
{
	*folder = NULL;
	return is_zip(in) ? jr_archive_open_memory(in, "in", limits, folder, err) : JR_OK;
}

/* The rows in the form of a digest come back as they were. */
static void check_kept(const struct jr_timeline *rows, const struct jr_limits *limits)
{
	struct jr_buf kept = {0}, again = {0};
	struct jr_timeline copy;
	struct jr_error err = {0};
	jr_timeline_put(&kept, rows);
	struct jr_expanding in = {.in = jr_reader_of(jr_buf_view(&kept)), .limits = limits};
	enum jr_status status = jr_timeline_expand(&in, &copy, &err);
	require(status == JR_OK || status == JR_ELIMIT);
	if (status == JR_OK) {
		require(jr_expand_end(&in, &err) == JR_OK);
		jr_timeline_put(&again, &copy);
		require(kept.size == again.size && memcmp(kept.data, again.data, kept.size) == 0);
	}
	jr_timeline_done(&copy);
	jr_buf_done(&kept);
	jr_buf_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.rows = 100000;
	limits.string_bytes = 4096;
	limits.memory_bytes = UINT64_C(64) << 20;
	limits.entry_bytes = 1 << 22;
	struct jr_nsys_options options = {.n_threads = 1};
	struct jr_timeline nsys;
	struct jr_error err = {0};
	struct jr_bytes in = jr_bytes_of(data, size);
	struct jr_archive *folder;
	enum jr_status status = open_folder(in, &limits, &folder, &err);
	if (status == JR_OK)
		status = folder ? jr_nsys_read_folder(folder, &limits, &options, &nsys, &err)
						: jr_nsys_read_memory(in, &limits, &options, &nsys, &err);
	if (status != JR_OK) {
		require(err.message[0] != '\0');
		jr_archive_close(folder);
		return 0;
	}
	for (size_t i = 0; i < nsys.n_threads; i++)
		require(nsys.threads[i].process < nsys.n_processes);
	for (uint32_t id = 0; id < nsys.strings.n; id++)
		require(
			jr_text_is_clean(jr_intern_str(&nsys.strings, id), jr_intern_len(&nsys.strings, id)));
	check_nvtx(&nsys);
	check_activity(&nsys);
	check_kept(&nsys, &limits);
	jr_timeline_done(&nsys);
	struct jr_export x;
	status = folder ? jr_export_read_folder(folder, &limits, 1, NULL, &x, &err)
					: jr_export_read_memory(in, &limits, 1, &x, &err);
	if (status == JR_OK) {
		check_export(&x);
		for (size_t part = 0; part < x.n_parts && part < 4; part++)
			check_part(&x, part, &limits);
		jr_export_done(&x);
	}
	jr_archive_close(folder);
	return 0;
}
