/*
 * GPU activity from Nsight Systems exports of any program: shares of GPU time, and the number and
 * duration of each kernel's launches. Two such profiles may differ in length, so times are compared
 * as shares of the profile and per launch.
 */
#include "compare/core/compare_rows.h"

/* Sum over all devices. */
static int64_t gpu_sum(const struct jr_run *run, size_t column)
{
	int64_t sum_ns = 0;
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_GPU); i++)
		sum_ns += jr_run_sum(run, JR_RUN_GPU, column, i);
	return sum_ns;
}

static double share(int64_t part_ns, int64_t all_ns)
{
	return all_ns > 0 ? (double)part_ns / (double)all_ns : NAN;
}

/* --- GPU time --------------------------------------------------------------------------------- */

#define PARTS(X, T)                                                                                \
	X(T, part, "Part", "part of the time from the first operation of each GPU to its last", TEXT,  \
		NONE, JR_COL_KEY)                                                                          \
	X(T, base_ms, "Base", "sum over devices in the base", I64, NS, 0)                              \
	X(T, new_ms, "New", "sum over devices in the new run", I64, NS, 0)                             \
	X(T, base_percent, "Base", "share of the wall time in the base", F64, PERCENT, 0)              \
	X(T, new_percent, "New", "share of the wall time in the new run", F64, PERCENT, 0)             \
	X(T, change_points, "Change", "change of the share in percentage points", F64, POINTS,         \
		JR_COL_CHANGE)
JR_COMPARE_COLUMNS(PARTS)

static const struct jr_table_spec part_spec = {JR_TABLE_SPEC("gpu_parts", "gpu_parts",
	"Time breakdown of the GPUs",
	"Per part; the parts add up to the wall exactly, and the idle parts to idle", PARTS_columns)};

/* Idle time with that cause; JR_NULL_I64 if unknown. Reports of 0.1.0 had no time of launches in
 * flight and counted it as the device's, so both are unknown for them. */
static int64_t idle_of(const struct jr_run *run, size_t column)
{
	bool parted = column == JR_GAPS_LAUNCH || column == JR_GAPS_DEVICE;
	int64_t sum_ns = 0;
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_GAPS); i++) {
		if (parted && jr_run_i64(run, JR_RUN_GAPS, JR_GAPS_LAUNCH, i) == JR_NULL_I64)
			return JR_NULL_I64;
		sum_ns += jr_run_sum(run, JR_RUN_GAPS, column, i);
	}
	return sum_ns;
}

static void add_parts(const struct jr_comparison *c, struct jr_section *out)
{
	static const struct {
		const char *name;
		enum jr_run_table table;
		size_t column;
	} parts[] = {{"compute", JR_RUN_GPU, JR_GPU_TIME_COMPUTE},
		{"exposed NCCL", JR_RUN_GPU, JR_GPU_TIME_COMMUNICATION},
		{"exposed copies", JR_RUN_GPU, JR_GPU_TIME_COPY}, {"idle", JR_RUN_GPU, JR_GPU_TIME_IDLE},
		{"idle: host-bound", JR_RUN_GAPS, JR_GAPS_HOST},
		{"idle: launch-bound", JR_RUN_GAPS, JR_GAPS_LAUNCH},
		{"idle: device-bound", JR_RUN_GAPS, JR_GAPS_DEVICE},
		{"idle: unknown", JR_RUN_GAPS, JR_GAPS_UNKNOWN}, {"wall", JR_RUN_GPU, JR_GPU_TIME_WALL}};
	struct jr_table *table = jr_table_new(c->arena, &part_spec, JR_COUNT_OF(parts));
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		table->cells[PARTS_part].text[i] = parts[i].name;
		for (int side = 0; side < 2; side++) {
			const struct jr_run *run = c->runs[side];
			if (!jr_run_rows(run, JR_RUN_GPU))
				continue;
			int64_t ns = parts[i].table == JR_RUN_GPU ? gpu_sum(run, parts[i].column)
													  : idle_of(run, parts[i].column);
			if (ns == JR_NULL_I64)
				continue;
			table->cells[PARTS_base_ms + side].i64[i] = ns;
			table->cells[PARTS_base_percent + side].f64[i] =
				share(ns, gpu_sum(run, JR_GPU_TIME_WALL));
		}
		table->cells[PARTS_change_points].f64[i] =
			table->cells[PARTS_new_percent].f64[i] - table->cells[PARTS_base_percent].f64[i];
	}
	jr_section_table(out, c->arena, table);
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Share of GPU time; 0 if a run with GPU time does not have the kernel. */
static double kernel_share(const struct jr_compare_row *r, int side)
{
	const struct jr_run *run = r->c->runs[side];
	const int64_t *wall_ns = r->context;
	if (!jr_run_rows(run, JR_RUN_GPU))
		return NAN;
	return r->row[side] == SIZE_MAX
			   ? 0
			   : share(jr_run_sum(run, JR_RUN_KERNELS, JR_KERNEL_SUM, r->row[side]), wall_ns[side]);
}

#define KERNELS(X, T)                                                                              \
	X(T, short_name, "Kernel", "name without template and call arguments", TEXT, NONE,             \
		JR_COL_CODE, JR_ONE(JR_KERNEL_SHORT_NAME))                                                 \
	JR_BASE_AND_NEW(X, T, count, "Count", "launches", I64, COUNT, 0, JR_COLUMN(JR_KERNEL_COUNT))   \
	JR_CHANGE_SAYING(X, T, mean_ms, "mean time per launch", F64, NS,                               \
		"new - base, if both runs launch it", .how = JR_FILL_CHANGE_OF_BOTH,                       \
		JR_COLUMN(JR_KERNEL_MEAN))                                                                 \
	X(T, base_share_percent, "Share, base",                                                        \
		"share of GPU time from first operation to last, in the base", F64, PERCENT, 0,            \
		.how = JR_FILL_DIFFERENCE, JR_NUMBER(kernel_share))                                        \
	X(T, new_share_percent, "Share, new",                                                          \
		"share of GPU time from first operation to last, in the new run", F64, PERCENT, 0, JR_OWN) \
	X(T, change_share_points, "Change of share", "change of the share in percentage points", F64,  \
		POINTS, JR_COL_CHANGE, JR_OWN)                                                             \
	X(T, direction, NULL, "slower, faster or unchanged", TEXT, NONE, JR_COL_DATA_ONLY,             \
		JR_DIRECTION(T, change_share_points))                                                      \
	X(T, name, "Name", "name with template and call arguments", TEXT, NONE,                        \
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY, JR_ONE(JR_KERNEL_NAME))                       \
	X(T, base_ms, NULL, "sum of durations in the base", I64, NS, JR_COL_DATA_ONLY,                 \
		.how = JR_FILL_EACH, JR_COLUMN(JR_KERNEL_SUM))                                             \
	X(T, new_ms, NULL, "sum of durations in the new run", I64, NS, JR_COL_DATA_ONLY, JR_OWN)
JR_COMPARE_COLUMNS(KERNELS)
JR_COMPARE_FILLS(KERNELS)

static const struct jr_compare_rows kernels = {
	.spec = {JR_TABLE_SPEC("kernels", "kernels", "Kernels",
		"Per kernel, by full name; largest change of its share of GPU time first",
		KERNELS_columns)},
	.fills = KERNELS_fills,
	.table = JR_RUN_KERNELS,
	.key = JR_KERNEL_NAME,
	.rank = KERNELS_change_share_points,
	.n_shown = 25,
	.n_drawn = 15,
	.bars = {.name = "kernels",
		.title = "Change of the share of GPU time by kernel",
		.caption = "the largest changes; right of 0: a larger share of GPU time in the new run",
		.x = JR_KEY(KERNELS, short_name),
		.y = JR_KEY(KERNELS, change_share_points),
		.series = JR_KEY(KERNELS, direction),
		.y_title = "Change of share"},
};

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	if (!jr_run_rows(c->runs[JR_BASE], JR_RUN_GPU) && !jr_run_rows(c->runs[JR_NEW], JR_RUN_GPU))
		return; /* archives: their thunks say as much */
	int64_t wall_ns[2] = {
		gpu_sum(c->runs[0], JR_GPU_TIME_WALL), gpu_sum(c->runs[1], JR_GPU_TIME_WALL)};
	add_parts(c, out);
	(void)jr_compare_put(c, &kernels, wall_ns, out);
}

const struct jr_compare_pass jr_compare_gpu = {
	.about = {.name = "gpu",
		.title = "GPU activity",
		.group = JR_GROUP_GPU,
		.summary = "Kernels and the time breakdown of the GPUs. The profiles may differ in "
				   "length, so compare shares and means, not sums"},
	.run = run,
};
