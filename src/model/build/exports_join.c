/* Joining the tables of all exports of one report. */
#include "model/build/build.h"

#include <string.h>

#include "base/cleanup.h"

struct column {
	size_t offset; /* of the column pointer in the struct of arrays */
	size_t size;
};

#define COLUMN(type, field)                                                                        \
	{                                                                                              \
		offsetof(struct type, field), sizeof(*((struct type *)0)->field)                           \
	}

static const struct column op_columns[] = {COLUMN(jr_gpu_ops, kind), COLUMN(jr_gpu_ops, name),
	COLUMN(jr_gpu_ops, brief), COLUMN(jr_gpu_ops, device), COLUMN(jr_gpu_ops, stream),
	COLUMN(jr_gpu_ops, start_ns), COLUMN(jr_gpu_ops, dur_ns), COLUMN(jr_gpu_ops, bytes),
	COLUMN(jr_gpu_ops, config), COLUMN(jr_gpu_ops, call), COLUMN(jr_gpu_ops, range)};
static const struct column call_columns[] = {COLUMN(jr_api_calls, name),
	COLUMN(jr_api_calls, thread), COLUMN(jr_api_calls, start_ns), COLUMN(jr_api_calls, dur_ns)};
static const struct column range_columns[] = {COLUMN(jr_nvtx_ranges, kind),
	COLUMN(jr_nvtx_ranges, whole), COLUMN(jr_nvtx_ranges, name), COLUMN(jr_nvtx_ranges, scope),
	COLUMN(jr_nvtx_ranges, thread), COLUMN(jr_nvtx_ranges, end_thread),
	COLUMN(jr_nvtx_ranges, start_ns), COLUMN(jr_nvtx_ranges, dur_ns), COLUMN(jr_nvtx_ranges, n_ops),
	COLUMN(jr_nvtx_ranges, gpu_start_ns), COLUMN(jr_nvtx_ranges, gpu_dur_ns),
	COLUMN(jr_nvtx_ranges, device)};

static enum jr_status join_columns(struct jr_arena *arena, const struct column *columns,
	size_t n_columns, void *to, size_t n_total, const void *from, size_t n, size_t at,
	struct jr_error *err)
{
	for (size_t i = 0; i < n_columns; i++) {
		char *slot = (char *)to + columns[i].offset;
		char *whole;
		const void *part;
		memcpy(&whole, slot, sizeof(whole));
		memcpy(&part, (const char *)from + columns[i].offset, sizeof(part));
		if (!whole && !(whole = jr_arena_array(arena, n_total + 1, columns[i].size, err)))
			return JR_ELIMIT;
		memcpy(slot, &whole, sizeof(whole));
		jr_copy(whole + at * columns[i].size, part, n * columns[i].size);
	}
	return JR_OK;
}

/* Convert row numbers of one export to row numbers of the joined tables. */
static void shift_rows(struct jr_export_rows *rows, uint32_t first_call, uint32_t first_range,
	uint32_t first_config, uint32_t first_thread)
{
	for (size_t i = 0; i < rows->calls.n; i++)
		rows->calls.thread[i] += first_thread;
	for (size_t i = 0; i < rows->ranges.n; i++) {
		rows->ranges.thread[i] += first_thread;
		if (rows->ranges.end_thread != rows->ranges.thread)
			rows->ranges.end_thread[i] += first_thread;
	}
	for (size_t i = 0; i < rows->ops.n; i++) {
		if (rows->ops.call[i] != JR_NONE)
			rows->ops.call[i] += first_call;
		if (rows->ops.range[i] != JR_NONE)
			rows->ops.range[i] += first_range;
		if (rows->ops.kind[i] == JR_GPU_KERNEL)
			rows->ops.config[i] += first_config;
	}
}

static enum jr_status join_all(struct jr_build *build, struct jr_error *err)
{
	struct jr_profile *p = build->profile;
	struct jr_gpu_ops ops = {0};
	struct jr_api_calls calls = {0};
	struct jr_nvtx_ranges ranges = {0};
	size_t n_ops = 0, n_calls = 0, n_ranges = 0, n_configs = 0, n_threads = 0;
	for (size_t i = 0; i < build->exports.n; i++) {
		n_ops += build->exports.items[i].ops.n;
		n_calls += build->exports.items[i].calls.n;
		n_ranges += build->exports.items[i].ranges.n;
		n_configs += build->exports.items[i].n_configs;
		n_threads += build->exports.items[i].n_threads;
	}
	if (n_ops >= JR_NONE || n_calls >= JR_NONE || n_ranges >= JR_NONE || n_configs >= JR_NONE)
		return jr_fail(err, JR_ELIMIT, "the exports together contain more than 4294967294 rows");
	JR_TRY_ARRAY(p->kernel_configs, &p->arena, n_configs + 1, err);
	p->host_thread_process = JR_ARENA_N(&p->arena, uint32_t, n_threads + 1);
	uint32_t *first_thread = JR_ARENA_N(&p->arena, uint32_t, p->n_processes + 1);
	for (size_t i = 0; i < build->exports.n; i++) {
		struct jr_export_rows *r = &build->exports.items[i];
		shift_rows(r, (uint32_t)calls.n, (uint32_t)ranges.n, (uint32_t)p->n_kernel_configs,
			(uint32_t)p->n_host_threads);
		for (size_t k = 0; k < r->n_threads; k++)
			first_thread[r->thread_process[k]] = (uint32_t)p->n_host_threads;
		jr_copy(p->host_thread_process + p->n_host_threads, r->thread_process,
			r->n_threads * sizeof(*r->thread_process));
		p->n_host_threads += r->n_threads;
		JR_TRY(join_columns(&p->arena, op_columns, JR_COUNT_OF(op_columns), &ops, n_ops, &r->ops,
			r->ops.n, ops.n, err));
		JR_TRY(join_columns(&p->arena, call_columns, JR_COUNT_OF(call_columns), &calls, n_calls,
			&r->calls, r->calls.n, calls.n, err));
		JR_TRY(join_columns(&p->arena, range_columns, JR_COUNT_OF(range_columns), &ranges, n_ranges,
			&r->ranges, r->ranges.n, ranges.n, err));
		jr_copy(p->kernel_configs + p->n_kernel_configs, r->configs,
			r->n_configs * sizeof(*r->configs));
		p->n_kernel_configs += r->n_configs;
		ops.n += r->ops.n;
		calls.n += r->calls.n;
		ranges.n += r->ranges.n;
		for (size_t k = 0; k < JR_COUNT_OF(r->arenas); k++)
			jr_arena_done(&r->arenas[k]);
	}
	for (size_t i = 0; i < p->n_numbered_steps; i++)
		p->numbered_steps[i].thread += first_thread[p->numbered_steps[i].process];
	p->gpu_ops = ops;
	p->api_calls = calls;
	p->nvtx_ranges = ranges;
	return JR_OK;
}

enum jr_status jr_exports_freeze(
	struct jr_build *build, const uint32_t *place, struct jr_error *err)
{
	struct jr_profile *p = build->profile;
	if (build->exports.n == 1) {
		struct jr_export_rows *r = &build->exports.items[0];
		p->gpu_ops = r->ops;
		p->api_calls = r->calls;
		p->nvtx_ranges = r->ranges;
		p->n_host_threads = r->n_threads;
		p->host_thread_process = r->thread_process;
		p->n_kernel_configs = r->n_configs;
		p->kernel_configs = r->configs;
		for (size_t k = 0; k < JR_COUNT_OF(r->arenas); k++)
			jr_profile_own_arena(p, &r->arenas[k]);
	} else if (build->exports.n) {
		JR_TRY(join_all(build, err));
	}
	for (size_t i = 0; i < p->gpu_ops.n; i++)
		p->gpu_ops.device[i] = place[p->gpu_ops.device[i]];
	for (size_t i = 0; i < p->n_faults; i++)
		if (p->faults[i].device != JR_NONE)
			p->faults[i].device = place[p->faults[i].device];
	for (size_t i = 0; i < p->n_step_spans; i++)
		p->step_spans[i].device = place[p->step_spans[i].device];
	for (size_t i = 0; i < p->n_doubts; i++)
		p->doubts[i].device = place[p->doubts[i].device];
	for (size_t i = 0; i < p->nvtx_ranges.n; i++)
		if (p->nvtx_ranges.n_ops[i] && p->nvtx_ranges.device[i] < JR_FIRST_DEVICE_SET)
			p->nvtx_ranges.device[i] = place[p->nvtx_ranges.device[i]];
	for (size_t i = 0; i < p->n_device_sets; i++)
		for (size_t k = 0; k < p->device_sets[i].n; k++)
			p->device_sets[i].devices[k] = place[p->device_sets[i].devices[k]];
	return JR_OK;
}
