/* The bar of the first page for profiles without XLA's steps: how the GPUs spend their time. */
#include <inttypes.h>

#include "analysis/core/keys.h"
#include "analysis/core/say.h"
#include "analysis/core/pass.h"
#include "analysis/core/terms.h"
#include "analysis/gpu/gpu_tables.h"
#include "analysis/shared/gpu_time.h"

#define COLUMNS(X, T)                                                                              \
	X(T, label, "Devices", "whose time it is", TEXT, NONE, JR_COL_RENDERED_ONLY)                   \
	X(T, compute_ms, "Compute", "mean over devices", F64, NS)                                      \
	X(T, exposed_communication_ms, "Exposed communication", "mean over devices", F64, NS)          \
	X(T, exposed_copy_ms, "Exposed copies", "mean over devices", F64, NS)                          \
	X(T, idle_ms, "Idle", "mean over devices", F64, NS)                                            \
	X(T, wall_ms, "Wall", "mean over devices, the sum of the other columns", F64, NS)
JR_TABLE(spec, COL, COLUMNS, "gpu_breakdown", "gpu.mean", "Mean " JR_GPU " time",
	"One row: the mean of “" JR_GPU " time” over devices", .data_only = true);

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	static const struct {
		size_t to, from;
	} sums[] = {{COL_compute_ms, JR_GPU_LEDGER_compute_ms},
		{COL_exposed_communication_ms, JR_GPU_LEDGER_exposed_communication_ms},
		{COL_exposed_copy_ms, JR_GPU_LEDGER_exposed_copy_ms}, {COL_idle_ms, JR_GPU_LEDGER_idle_ms},
		{COL_wall_ms, JR_GPU_LEDGER_wall_ms}};
	static const char *const parts[] = {JR_KEY(COL, compute_ms),
		JR_KEY(COL, exposed_communication_ms), JR_KEY(COL, exposed_copy_ms), JR_KEY(COL, idle_ms),
		NULL};
	const struct jr_table *ledger = jr_results_table(ctx->results, "gpu_ledger");
	if (!ledger || !ledger->n_rows || jr_results_table(ctx->results, "step_ledger") ||
		jr_gpu_doubt(ctx->profile, ctx->gpu))
		return;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, 1);
	table->cells[COL_label].text[0] = jr_arena_printf(
		ctx->arena, "Mean of %s devices", jr_count_text(ctx->arena, (int64_t)ledger->n_rows));
	if (ledger->n_rows == 1)
		table->cells[COL_label].text[0] = jr_arena_printf(
			ctx->arena, "Device %" PRId64, ledger->cells[JR_GPU_LEDGER_device].i64[0]);
	for (size_t i = 0; i < JR_COUNT_OF(sums); i++) {
		double sum_ns = 0;
		for (size_t row = 0; row < ledger->n_rows; row++)
			sum_ns += (double)ledger->cells[sums[i].from].i64[row];
		table->cells[sums[i].to].f64[0] = sum_ns / (double)ledger->n_rows;
	}
	struct jr_chart chart = {.name = "gpu_breakdown",
		.title = JR_OF_PART("Time breakdown of the selection")
			JR_OF_ALL("Time breakdown of the profile"),
		.caption = "per " JR_GPU " from its first operation to its last, mean over " JR_GPU
				   "s. The parts add up exactly",
		.kind = JR_CHART_STACKED,
		.table = table,
		.x = JR_KEY(COL, label),
		.parts = parts,
		.part_roles = jr_gpu_part_roles,
		.y_title = "Time"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_gpu_breakdown = {
	.name = "gpu_breakdown",
	.title = JR_GPU " time breakdown",
	.summary = "Mean time of the devices by kind of work",
	.needs = JR_NEEDS_GPU_OPS,
	.leads = true,
	.run = run,
};
