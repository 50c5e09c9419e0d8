#include "compare/run/work.h"

#include <math.h>
#include <string.h>

/* Key of a thunk: its program and its name, which repeat in many rows. */
static uint64_t key_of(struct jr_intern *texts, const struct jr_run *run, enum jr_run_table table,
	size_t program, size_t name, size_t row)
{
	const char *id = jr_run_text(run, table, program, row);
	const char *text = jr_run_text(run, table, name, row);
	return jr_key2(jr_intern_puts(texts, id ? id : ""), jr_intern_puts(texts, text ? text : ""));
}

const uint32_t *jr_work_rows(const struct jr_run *run, struct jr_arena *arena)
{
	size_t n = jr_run_rows(run, JR_RUN_THUNKS), n_work = jr_run_rows(run, JR_RUN_ROOFLINE);
	uint32_t *rows = JR_ARENA_N(arena, uint32_t, n + 1);
	struct jr_intern texts;
	JR_CLEANUP(jr_map_done) struct jr_map by_key = {0};
	jr_intern_init(&texts);
	for (uint32_t i = 0; i < n_work; i++)
		jr_map_put(&by_key,
			key_of(&texts, run, JR_RUN_ROOFLINE, JR_ROOFLINE_PROGRAM, JR_ROOFLINE_NAME, i), i);
	for (size_t i = 0; i < n; i++)
		rows[i] = jr_map_get(
			&by_key, key_of(&texts, run, JR_RUN_THUNKS, JR_THUNK_PROGRAM, JR_THUNK_NAME, i));
	jr_intern_done(&texts);
	return rows;
}

static bool one_model(const struct jr_run *const runs[2])
{
	const char *first = NULL;
	for (int side = 0; side < 2; side++) {
		size_t n = jr_run_rows(runs[side], JR_RUN_DEVICES);
		for (size_t i = 0; i < n; i++) {
			const char *gpu = jr_run_text(runs[side], JR_RUN_DEVICES, JR_DEVICE_GPU, i);
			first = first ? first : gpu;
			if (!gpu || strcmp(gpu, first) != 0)
				return false;
		}
		if (!n)
			return false;
	}
	return true;
}

struct jr_matched_rows jr_matched_rows(const struct jr_run *const runs[2], struct jr_arena *arena)
{
	struct jr_matched_rows rows = {.same_gpu = one_model(runs)};
	for (int side = 0; side < 2; side++)
		rows.row[side] = jr_work_rows(runs[side], arena);
	return rows;
}

struct jr_matched_work jr_matched_work_of(const struct jr_run *const runs[2],
	const struct jr_match *match, const struct jr_matched_rows *rows,
	const struct jr_thunk_match *thunk, int side)
{
	const struct jr_run *run = runs[side];
	size_t module = match->programs[thunk->program].row[side];
	int64_t executions =
		module == SIZE_MAX ? 0 : jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, module);
	struct jr_matched_work work = {.known = executions > 0};
	for (size_t i = 0; work.known && i < thunk->n[side]; i++) {
		uint32_t row = rows->row[side][thunk->rows[side][i]];
		int64_t flops = JR_NULL_I64, read = JR_NULL_I64, written = JR_NULL_I64;
		if (row != JR_NONE) {
			flops = jr_run_i64(run, JR_RUN_ROOFLINE, JR_ROOFLINE_FLOPS, row);
			read = jr_run_i64(run, JR_RUN_ROOFLINE, JR_ROOFLINE_READ, row);
			written = jr_run_i64(run, JR_RUN_ROOFLINE, JR_ROOFLINE_WRITTEN, row);
		}
		work.known = flops != JR_NULL_I64 && read != JR_NULL_I64 && written != JR_NULL_I64;
		if (!work.known)
			break;
		double times =
			(double)jr_run_sum(run, JR_RUN_ROOFLINE, JR_ROOFLINE_COUNT, row) / (double)executions;
		work.flops += times * (double)flops;
		work.bytes += times * ((double)read + (double)written);
		work.roof_ns += times * jr_run_f64(run, JR_RUN_ROOFLINE, JR_ROOFLINE_ROOF, row);
	}
	return work;
}

int64_t jr_matched_work_change(bool same_gpu, const struct jr_matched_work work[2],
	const struct jr_thunk_match *thunk, const int64_t ns[2])
{
	const struct jr_matched_work *base = &work[JR_BASE], *fresh = &work[JR_NEW];
	if (!thunk->n[JR_BASE] || !thunk->n[JR_NEW])
		return ns[JR_NEW] - ns[JR_BASE];
	if (!base->known || !fresh->known)
		return JR_NULL_I64;
	if (base->flops == fresh->flops && base->bytes == fresh->bytes)
		return 0;
	/* roofline time combines FLOPs and bytes in one number, but only for one model of GPU */
	if (!same_gpu || !(base->roof_ns > 0) || !(fresh->roof_ns > 0))
		return JR_NULL_I64;
	double more_ns = (double)ns[JR_BASE] * (fresh->roof_ns / base->roof_ns - 1);
	return fabs(more_ns) < 0x1p62 ? llround(more_ns) : JR_NULL_I64;
}
