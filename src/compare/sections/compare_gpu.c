/*
 * What the GPUs did, by what exports of Nsight Systems tell of any program: shares of their time,
 * and kernel by kernel how often and how long. Two such profiles need not be of equal length, so
 * times are compared as shares of what was profiled, and by launch.
 */
#include "compare/core/compare_columns.h"

#define N_SHOWN 25

/* Of all devices. */
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

enum { P_PART, P_BASE, P_NEW, P_BASE_SHARE, P_NEW_SHARE, P_CHANGE };

static const struct jr_column_spec part_columns[] = {
	{"part", "Part", "of the time from the first operation of each GPU to its last", JR_TEXT,
		JR_UNIT_NONE, JR_COL_KEY},
	{"base_ms", "Base", "sum over devices", JR_I64, JR_UNIT_NS, 0},
	{"new_ms", "New", "sum over devices", JR_I64, JR_UNIT_NS, 0},
	{"base_percent", "Base", "share of the wall, in the base", JR_F64, JR_UNIT_PERCENT, 0},
	{"new_percent", "New", "share of the wall, in the new run", JR_F64, JR_UNIT_PERCENT, 0},
	{"change_points", "Change", "of the share, in percentage points", JR_F64, JR_UNIT_POINTS,
		JR_COL_CHANGE},
};
static const struct jr_table_spec part_spec = {
	JR_COMPARE_SPEC("gpu_parts", "gpu_parts", "Where the GPUs' time goes",
		"Per part; the parts add up to the wall exactly, and what idle is made of to idle",
		part_columns)};

/* Idle time of that cause; JR_NULL_I64 where it is not known. Reports of 0.1.0 had no time of
 * launches in flight and counted it as the device's, so that neither is known of them. */
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
		table->cells[P_PART].text[i] = parts[i].name;
		for (int side = 0; side < 2; side++) {
			const struct jr_run *run = c->runs[side];
			if (!jr_run_rows(run, JR_RUN_GPU))
				continue;
			int64_t ns = parts[i].table == JR_RUN_GPU ? gpu_sum(run, parts[i].column)
													  : idle_of(run, parts[i].column);
			if (ns == JR_NULL_I64)
				continue;
			table->cells[P_BASE + side].i64[i] = ns;
			table->cells[P_BASE_SHARE + side].f64[i] = share(ns, gpu_sum(run, JR_GPU_TIME_WALL));
		}
		table->cells[P_CHANGE].f64[i] =
			table->cells[P_NEW_SHARE].f64[i] - table->cells[P_BASE_SHARE].f64[i];
	}
	jr_section_table(out, c->arena, table);
}

/* --- kernels ---------------------------------------------------------------------------------- */

enum {
	NAME,
	BASE_COUNT,
	NEW_COUNT,
	BASE,
	NEW,
	CHANGE,
	PERCENT,
	BASE_SHARE,
	NEW_SHARE,
	SHARE_CHANGE,
	DIRECTION,
	FULL_NAME,
	BASE_SUM,
	NEW_SUM
};

static const struct jr_column_spec columns[] = {
	{"short_name", "Kernel", "name without template and call arguments", JR_TEXT, JR_UNIT_NONE,
		JR_COL_CODE},
	{"base_count", "Count, base", "launches", JR_I64, JR_UNIT_COUNT, 0},
	{"new_count", "Count, new", "launches", JR_I64, JR_UNIT_COUNT, 0},
	{"base_mean_ms", "Base", "mean of a launch, in the base", JR_F64, JR_UNIT_NS, 0},
	{"new_mean_ms", "New", "mean of a launch, in the new run", JR_F64, JR_UNIT_NS, 0},
	{"change_mean_ms", "Change", "new - base, where both launch it", JR_F64, JR_UNIT_NS,
		JR_COL_CHANGE},
	{"change_percent", "Change", JR_CHANGE_HELP, JR_F64, JR_UNIT_PERCENT, JR_COL_CHANGE},
	{"base_share_percent", "Share, base", "of the GPUs' time, from first operation to last", JR_F64,
		JR_UNIT_PERCENT, 0},
	{"new_share_percent", "Share, new", "of the GPUs' time", JR_F64, JR_UNIT_PERCENT, 0},
	{"change_share_points", "Change of share", "in percentage points", JR_F64, JR_UNIT_POINTS,
		JR_COL_CHANGE},
	{"direction", NULL, "slower, faster or unchanged", JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"name", "Name", "with template and call arguments", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY},
	{"base_ms", NULL, "sum of durations in the base", JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"new_ms", NULL, "sum of durations in the new run", JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY},
};
static const struct jr_table_spec spec = {JR_COMPARE_SPEC("kernels", "kernels", "Kernels",
	"Per kernel, by its whole name; largest change of its share of GPU time first", columns)};

static void fill_side(const struct jr_comparison *c, struct jr_table *table, size_t i, int side,
	size_t row, int64_t wall_ns)
{
	const struct jr_run *run = c->runs[side];
	union jr_cells *cells = table->cells;
	bool profiled = jr_run_rows(run, JR_RUN_GPU);
	cells[BASE_SHARE + side].f64[i] = profiled ? 0 : NAN;
	if (row == SIZE_MAX)
		return;
	cells[NAME].text[i] = jr_run_text(run, JR_RUN_KERNELS, JR_KERNEL_SHORT_NAME, row);
	cells[FULL_NAME].text[i] = jr_run_text(run, JR_RUN_KERNELS, JR_KERNEL_NAME, row);
	cells[BASE_COUNT + side].i64[i] = jr_run_i64(run, JR_RUN_KERNELS, JR_KERNEL_COUNT, row);
	cells[BASE + side].f64[i] = jr_run_f64(run, JR_RUN_KERNELS, JR_KERNEL_MEAN, row);
	cells[BASE_SUM + side].i64[i] = jr_run_i64(run, JR_RUN_KERNELS, JR_KERNEL_SUM, row);
	if (profiled)
		cells[BASE_SHARE + side].f64[i] =
			share(jr_run_sum(run, JR_RUN_KERNELS, JR_KERNEL_SUM, row), wall_ns);
}

static void fill_row(const struct jr_comparison *c, struct jr_table *table, size_t i,
	const size_t row[2], const int64_t wall_ns[2])
{
	union jr_cells *cells = table->cells;
	for (int side = 0; side < 2; side++)
		fill_side(c, table, i, side, row[side], wall_ns[side]);
	cells[CHANGE].f64[i] = cells[NEW].f64[i] - cells[BASE].f64[i];
	if (!isnan(cells[CHANGE].f64[i]))
		cells[PERCENT].f64[i] = jr_change_fraction(cells[BASE].f64[i], cells[NEW].f64[i]);
	double change = cells[SHARE_CHANGE].f64[i] = cells[NEW_SHARE].f64[i] - cells[BASE_SHARE].f64[i];
	cells[DIRECTION].text[i] = change > 0 ? "slower" : change < 0 ? "faster" : "unchanged";
}

static struct jr_table *kernel_table(const struct jr_comparison *c)
{
	size_t n[2], n_pairs;
	const char *const *keys[2];
	int64_t wall_ns[2];
	for (int side = 0; side < 2; side++) {
		wall_ns[side] = gpu_sum(c->runs[side], JR_GPU_TIME_WALL);
		n[side] = jr_run_rows(c->runs[side], JR_RUN_KERNELS);
		keys[side] = c->runs[side]->tables[JR_RUN_KERNELS]->cells[JR_KERNEL_NAME].text;
	}
	const struct jr_row_pair *pairs = jr_match_rows(keys, n, c->arena, &n_pairs);
	struct jr_table *table = jr_table_new(c->arena, &spec, n_pairs);
	struct jr_rank_key *rank = JR_ARENA_N(c->arena, struct jr_rank_key, n_pairs + 1);
	uint32_t *order = JR_ARENA_N(c->arena, uint32_t, n_pairs + 1);
	for (uint32_t i = 0; i < n_pairs; i++) {
		fill_row(c, table, i, pairs[i].row, wall_ns);
		double change = table->cells[SHARE_CHANGE].f64[i];
		const char *name = table->cells[FULL_NAME].text[i];
		rank[i] = (struct jr_rank_key){isnan(change) ? 0 : fabs(change), name ? name : "", 0, i};
	}
	jr_rank_sort(rank, n_pairs);
	for (size_t i = 0; i < n_pairs; i++)
		order[i] = rank[i].row;
	jr_table_permute(table, order, c->arena);
	table->n_rendered = n_pairs < N_SHOWN ? n_pairs : N_SHOWN;
	return table;
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	if (!jr_run_rows(c->runs[JR_BASE], JR_RUN_GPU) && !jr_run_rows(c->runs[JR_NEW], JR_RUN_GPU))
		return; /* archives: no more than thunks */
	struct jr_table *kernels = kernel_table(c);
	add_parts(c, out);
	if (!kernels->n_rows)
		return;
	struct jr_table *drawn = jr_table_new(c->arena, &spec, 0);
	*drawn = *kernels;
	drawn->n_rows = kernels->n_rendered < 15 ? kernels->n_rendered : 15;
	struct jr_chart chart = {.name = "kernels",
		.title = "Change of the share of GPU time by kernel",
		.caption = "the largest changes; to the right: it takes more of the GPUs' time",
		.kind = JR_CHART_BARS,
		.table = drawn,
		.x = "short_name",
		.y = "change_share_points",
		.series = "direction",
		.y_title = "Change of share"};
	jr_section_chart(out, c->arena, &chart);
	jr_section_table(out, c->arena, kernels);
}

const struct jr_compare_pass jr_compare_gpu = {
	.about = {.name = "gpu",
		.title = "GPU activity",
		.group = JR_GROUP_GPU,
		.summary =
			"Kernels and what the GPUs' time went to; the two profiles may differ in length, "
			"so compare shares and means, not sums"},
	.run = run,
};
