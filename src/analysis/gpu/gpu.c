/* Time of the GPUs of an export: busy, idle, and the kind of work. */
#include "analysis/shared/columns.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/step_window.h"
#include "analysis/core/terms.h"
#include "analysis/gpu/gpu_tables.h"

const char *const jr_gpu_part_roles[] = {"compute", "communication", "copy", "idle-between", NULL};

/* If several kinds run at an instant, the first one here gets the time. */
enum part { COMPUTE, COMMUNICATION, COPY, IDLE, N_PARTS };

JR_TABLE_OF(spec, JR_GPU_LEDGER_COLUMNS, "gpu_ledger", JR_AT_IN(gpu, ledger), JR_GPU " time",
	"One row per device; the parts add up exactly to the wall time");

/* Sum for each part how long the device ran operations of it or of an earlier one, from `begin_ns`
 * to `end_ns`. Operations are in order of start, so one walk is enough for all unions. */
static void unite_parts(const struct jr_pass_context *ctx, uint32_t device, int64_t begin_ns,
	int64_t end_ns, int64_t total_ns[IDLE])
{
	const struct jr_gpu_ops *t = &ctx->profile->gpu_ops;
	const struct jr_gpu_time *time = ctx->gpu;
	int64_t reached_ns[IDLE];
	for (int part = 0; part < IDLE; part++) {
		total_ns[part] = 0;
		reached_ns[part] = begin_ns;
	}
	for (size_t i = time->first[device]; i < time->first[device + 1]; i++) {
		uint32_t row = time->order[i];
		bool kernel = t->kind[row] == JR_GPU_KERNEL || t->kind[row] == JR_GPU_GRAPH;
		enum part own = !kernel                                           ? COPY
						: jr_gpu_op_communicates(ctx->profile, time, row) ? COMMUNICATION
																		  : COMPUTE;
		int64_t start_ns = t->start_ns[row], until_ns = start_ns + t->dur_ns[row];
		until_ns = until_ns < end_ns ? until_ns : end_ns;
		for (int part = (int)own; part < IDLE; part++) {
			int64_t from_ns = start_ns > reached_ns[part] ? start_ns : reached_ns[part];
			if (until_ns <= from_ns)
				continue;
			total_ns[part] += until_ns - from_ns;
			reached_ns[part] = until_ns;
		}
	}
}

/* The time of a part is the length of its union minus the length for the parts before it. */
static void fill_row(
	struct jr_pass_context *ctx, struct jr_table *table, size_t row, uint32_t device, bool judged)
{
	const struct jr_spans *busy = &ctx->gpu->devices[device];
	int64_t total_ns[N_PARTS];
	int64_t begin_ns = busy->items[0].start_ns, end_ns = busy->items[busy->n - 1].end_ns;
	unite_parts(ctx, device, begin_ns, end_ns, total_ns);
	total_ns[IDLE] =
		end_ns - begin_ns - jr_left_out_ns(&ctx->profile->selected, device, begin_ns, end_ns);
	union jr_cells *c = table->cells;
	c[JR_GPU_LEDGER_device].i64[row] = jr_device_number(ctx->profile, device);
	c[JR_GPU_LEDGER_operations].i64[row] = (int64_t)jr_gpu_operations(ctx->gpu, device);
	for (int part = 0; part < N_PARTS; part++)
		c[JR_GPU_LEDGER_compute_ms + part].i64[row] =
			total_ns[part] - (part ? total_ns[part - 1] : 0);
	c[JR_GPU_LEDGER_wall_ms].i64[row] = total_ns[IDLE];
	if (judged && jr_gpu_operations(ctx->gpu, device) >= JR_LEAST_OPERATIONS)
		c[JR_GPU_LEDGER_busy_fraction].f64[row] =
			jr_ratio((double)total_ns[COPY], (double)total_ns[IDLE]);
}

/* --- per step --------------------------------------------------------------------------------- */

JR_TABLE_OF(step_spec, JR_GPU_STEP_COLUMNS, "gpu_step", JR_AT_IN(gpu, step),
	JR_GPU " time per step",
	"Mean over numbered steps and devices; only if there are no XLA modules for a time "
	"breakdown",
	.data_only = true);

/* Divide the time in each device's window by the number of its periods, and average over
 * devices. */
static void add_step(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_step_windows *w = ctx->windows;
	if (ctx->profile->modules.n || !w->numbered || !w->n_devices)
		return;
	struct jr_table *table = jr_table_new(ctx->arena, &step_spec, 1);
	double mean_ns[N_PARTS + 1] = {0};
	for (uint32_t d = 0; d < ctx->profile->n_devices; d++) {
		const struct jr_step_window *own = &w->devices[d];
		if (!(own->n_periods > 0))
			continue;
		int64_t before_ns = 0, total_ns[IDLE];
		int64_t wall_ns = own->end_ns - own->begin_ns -
						  jr_left_out_ns(&ctx->profile->selected, d, own->begin_ns, own->end_ns);
		double each = own->n_periods * (double)w->n_devices;
		unite_parts(ctx, d, own->begin_ns, own->end_ns, total_ns);
		for (int part = 0; part < IDLE; part++) {
			mean_ns[part] += (double)(total_ns[part] - before_ns) / each;
			before_ns = total_ns[part];
		}
		mean_ns[IDLE] += (double)(wall_ns - before_ns) / each;
		mean_ns[N_PARTS] += (double)wall_ns / each;
	}
	for (int part = 0; part <= N_PARTS; part++)
		table->cells[JR_GPU_STEP_compute_ms + part].f64[0] = mean_ns[part];
	jr_section_table(out, ctx->arena, table);
}

/* --- the section ------------------------------------------------------------------------------ */

static int64_t sum_of(const struct jr_table *table, size_t column)
{
	int64_t sum = 0;
	for (size_t row = 0; row < table->n_rows; row++)
		sum += table->cells[column].i64[row];
	return sum;
}

static int64_t time_of_kinds(const struct jr_profile *p, unsigned kinds)
{
	int64_t sum = 0;
	for (size_t i = 0; i < p->gpu_ops.n; i++)
		if (kinds & 1u << p->gpu_ops.kind[i])
			sum += p->gpu_ops.dur_ns[i];
	return sum;
}

/* Headline values for programs without modules, which have better ones. */
static void add_scalars(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_table *table)
{
	const struct jr_profile *p = ctx->profile;
	int64_t wall_ns = sum_of(table, JR_GPU_LEDGER_wall_ms),
			idle_ns = sum_of(table, JR_GPU_LEDGER_idle_ms);
	bool tile = p->modules.n == 0;
	const char *doubt = jr_gpu_doubt(p, ctx->gpu);
	struct jr_scalar busy = {.key = "gpu.busy_fraction",
		.title = JR_GPU " busy, " JR_OF_PART("selection") JR_OF_ALL("all " JR_GPU " time"),
		.help = "share of the time from the first to the last operation of each device in which "
				"anything runs",
		.unit = JR_UNIT_FRAC,
		.type = JR_F64,
		.value.f64 = doubt ? NAN : jr_ratio((double)(wall_ns - idle_ns), (double)wall_ns),
		.plus_minus = NAN,
		.note = doubt,
		.n = JR_NULL_I64,
		.tile = tile};
	(void)jr_section_scalar(out, ctx->arena, &busy);
	struct jr_scalar times[] = {
		jr_scalar_ns_i64("gpu.kernel_ms", "Kernel time", "sum of the durations of all kernels",
			time_of_kinds(p, 1u << JR_GPU_KERNEL | 1u << JR_GPU_GRAPH)),
		jr_scalar_ns_i64("gpu.copy_ms", "Copy time",
			"sum of the durations of all copies and memsets",
			time_of_kinds(p, 1u << JR_GPU_COPY | 1u << JR_GPU_MEMSET)),
		jr_scalar_ns_i64("gpu.idle_ms", JR_GPU " idle",
			"time between first and last operation in which nothing runs, sum over devices",
			idle_ns),
		jr_scalar_ns_i64("gpu.wall_ms", JR_GPU " wall",
			"time from the first start to the last end of operations" JR_OF_PART(
				", without time of operations that are not selected") ", sum over devices",
			wall_ns),
	};
	for (size_t i = 0; i < JR_COUNT_OF(times); i++) {
		times[i].hidden = times[i].value.i64 == 0; /* other rows already show it */
		times[i].tile = tile && !times[i].hidden;
		if (table->n_rows > 1)
			times[i].note = jr_arena_printf(ctx->arena, "over %zu " JR_GPU "s", table->n_rows);
		(void)jr_section_scalar(out, ctx->arena, &times[i]);
	}
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	size_t n = 0;
	for (size_t d = 0; d < p->n_devices; d++)
		n += ctx->gpu->devices[d].n > 0;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	bool judged = !jr_gpu_doubt(p, ctx->gpu);
	n = 0;
	for (uint32_t d = 0; d < p->n_devices; d++)
		if (ctx->gpu->devices[d].n)
			fill_row(ctx, table, n++, d, judged);
	jr_choose_rows(table, JR_GPU_LEDGER_idle_ms, JR_GPU_LEDGER_chosen, ctx->arena, ctx->scratch);
	static const char *const parts[] = {JR_KEY(JR_GPU_LEDGER, compute_ms),
		JR_KEY(JR_GPU_LEDGER, exposed_communication_ms), JR_KEY(JR_GPU_LEDGER, exposed_copy_ms),
		JR_KEY(JR_GPU_LEDGER, idle_ms), NULL};
	struct jr_chart chart = {.name = "gpu_ledger",
		.title = JR_GPU " time by device",
		.caption = "time per device from its first operation to its last" JR_OF_PART(
			", without time of operations that are not selected") ". The parts add up exactly to "
																  "the wall time",
		.kind = JR_CHART_STACKED,
		.table = table,
		.x = JR_KEY(JR_GPU_LEDGER, device),
		.parts = parts,
		.part_roles = jr_gpu_part_roles,
		.x_title = "Device",
		.y_title = "Time"};
	add_scalars(ctx, out, table);
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
	add_step(ctx, out);
}

const struct jr_pass jr_pass_gpu = {
	.name = "gpu",
	.title = JR_GPU " activity",
	.summary = "Time of each device from its first operation to its last: compute, communication, "
			   "copies, idle",
	.needs = JR_NEEDS_GPU_OPS,
	.group = JR_GROUP_GPU,
	.apart = JR_APART,
	.run = run,
};
