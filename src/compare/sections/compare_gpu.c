/*
 * GPU activity from Nsight Systems exports of any program: shares of GPU time, and the number and
 * duration of each kernel's launches. Two such profiles may differ in length, so times are compared
 * as shares of the profile and per launch.
 */
#include <math.h>
#include <string.h>

#include "analysis/core/device_name.h"
#include "compare/core/compare_rows.h"
#include "compare/sections/verdict_words.h"

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
	X(T, base_ms, "Base", "sum over devices in the base", I64, NS, JR_COL_LIKE)                    \
	X(T, new_ms, "New", "sum over devices in the new run", I64, NS, JR_COL_LIKE)                   \
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

/* The subject is that of a sentence about a part that other parts do not contain; NULL: others do.
 */
static const struct {
	const char *name, *subject;
	enum jr_run_table table;
	size_t column;
} parts[] = {{"compute", "compute", JR_RUN_GPU, JR_GPU_TIME_COMPUTE},
	{"exposed NCCL", "exposed communication", JR_RUN_GPU, JR_GPU_TIME_COMMUNICATION},
	{"exposed copies", "exposed copies", JR_RUN_GPU, JR_GPU_TIME_COPY},
	{"idle", NULL, JR_RUN_GPU, JR_GPU_TIME_IDLE},
	{"idle: host-bound", "waiting for the host", JR_RUN_GAPS, JR_GAPS_HOST},
	{"idle: launch-bound", "waiting for launches in progress", JR_RUN_GAPS, JR_GAPS_LAUNCH},
	{"idle: device-bound", "idle time with work queued", JR_RUN_GAPS, JR_GAPS_DEVICE},
	{"idle: unknown", "idle time of unknown cause", JR_RUN_GAPS, JR_GAPS_UNKNOWN},
	{"wall", NULL, JR_RUN_GPU, JR_GPU_TIME_WALL}};

/* Return the time of a part over all devices; JR_NULL_I64: not known. */
static int64_t part_ns(const struct jr_run *run, size_t part)
{
	if (!jr_run_rows(run, JR_RUN_GPU))
		return JR_NULL_I64;
	return parts[part].table == JR_RUN_GPU ? gpu_sum(run, parts[part].column)
										   : idle_of(run, parts[part].column);
}

static void add_parts(const struct jr_comparison *c, struct jr_section *out)
{
	struct jr_table *table = jr_table_new(c->arena, &part_spec, JR_COUNT_OF(parts));
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		table->cells[PARTS_part].text[i] = parts[i].name;
		for (int side = 0; side < 2; side++) {
			int64_t ns = part_ns(c->runs[side], i);
			if (ns == JR_NULL_I64)
				continue;
			table->cells[PARTS_base_ms + side].i64[i] = ns;
			table->cells[PARTS_base_percent + side].f64[i] =
				share(ns, gpu_sum(c->runs[side], JR_GPU_TIME_WALL));
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

/* --- the largest changes ---------------------------------------------------------------------- */

#define MATTERS 0.005 /* share of the GPU time */
#define CERTAIN 4.0   /* standard errors of a difference of means */

static const char *percent_text(const struct jr_comparison *c, double frac)
{
	return jr_metric_text(JR_UNIT_FRAC, frac, false, c->arena);
}

/* Return "+41.4 %". */
static const char *change_text(const struct jr_comparison *c, double frac)
{
	char text[JR_NUM_MAX];
	jr_num_grouped(text, 100 * frac, 1);
	return jr_arena_printf(c->arena, "%s%s %%", frac > 0 ? "+" : "", text);
}

/* Return "The largest change is in waiting for the host: 16.26 % of the GPU time (8.19 % before).":
 * the part whose share changed most. NULL: none changed by MATTERS. */
static const char *part_text(const struct jr_comparison *c)
{
	double most = 0, shares[2] = {0, 0};
	const char *subject = NULL;
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		int64_t ns[2] = {part_ns(c->runs[0], i), part_ns(c->runs[1], i)};
		if (!parts[i].subject || ns[0] == JR_NULL_I64 || ns[1] == JR_NULL_I64 || i == 0)
			continue; /* compute: what the others leave */
		double own[2] = {share(ns[0], gpu_sum(c->runs[0], JR_GPU_TIME_WALL)),
			share(ns[1], gpu_sum(c->runs[1], JR_GPU_TIME_WALL))};
		double change = fabs(own[1] - own[0]);
		if (!(change >= MATTERS) || change <= most)
			continue;
		most = change;
		subject = parts[i].subject;
		memcpy(shares, own, sizeof(own));
	}
	return subject ? jr_arena_printf(c->arena,
						 "The largest change is in %s: %s of the GPU time (%s before).", subject,
						 percent_text(c, shares[1]), percent_text(c, shares[0]))
				   : NULL;
}

/* A kernel that both runs launch. */
struct launched {
	size_t row[2];
	double mean_ns[2], share; /* share of the new run's GPU time that its change adds or saves */
};

/* Set the change of a kernel's mean time. Return false if noise may explain it. */
static bool changed(const struct jr_comparison *c, struct launched *l)
{
	double error2 = 0;
	for (int side = 0; side < 2; side++) {
		const struct jr_run *run = c->runs[side];
		double n = (double)jr_run_i64(run, JR_RUN_KERNELS, JR_KERNEL_COUNT, l->row[side]);
		double std_ns = jr_run_f64(run, JR_RUN_KERNELS, JR_KERNEL_STD, l->row[side]);
		l->mean_ns[side] = jr_run_f64(run, JR_RUN_KERNELS, JR_KERNEL_MEAN, l->row[side]);
		error2 += std_ns * std_ns / n;
		l->share =
			(l->mean_ns[JR_NEW] - l->mean_ns[JR_BASE]) * n / (double)gpu_sum(run, JR_GPU_TIME_WALL);
	}
	return fabs(l->share) >= MATTERS &&
		   fabs(l->mean_ns[JR_NEW] - l->mean_ns[JR_BASE]) > CERTAIN * sqrt(error2);
}

/* Return "“ncclDevKernel_SendRecv” takes 544 µs per launch instead of 385 µs (+41.4 %)": the kernel
 * whose change matters most. NULL: none matters, or only by chance. */
static const char *kernel_text(const struct jr_comparison *c)
{
	const size_t n[2] = {
		jr_run_rows(c->runs[0], JR_RUN_KERNELS), jr_run_rows(c->runs[1], JR_RUN_KERNELS)};
	const char *const *keys[2];
	struct launched best = {.share = 0};
	for (int side = 0; side < 2; side++)
		keys[side] = c->runs[side]->tables[JR_RUN_KERNELS]->cells[JR_KERNEL_NAME].text;
	if (!n[0] || !n[1])
		return NULL;
	size_t n_pairs;
	const struct jr_row_pair *pairs = jr_match_rows(keys, n, c->arena, &n_pairs);
	for (size_t i = 0; i < n_pairs; i++) {
		struct launched l = {.row = {pairs[i].row[0], pairs[i].row[1]}};
		if (l.row[0] != SIZE_MAX && l.row[1] != SIZE_MAX && changed(c, &l) &&
			fabs(l.share) > fabs(best.share))
			best = l;
	}
	if (best.share == 0)
		return NULL;
	return jr_arena_printf(c->arena, "%s takes %s per launch instead of %s (%s).",
		jr_quoted(
			jr_run_text(c->runs[JR_NEW], JR_RUN_KERNELS, JR_KERNEL_SHORT_NAME, best.row[JR_NEW]),
			c->arena),
		jr_compare_time(c, best.mean_ns[JR_NEW]), jr_compare_time(c, best.mean_ns[JR_BASE]),
		change_text(c, best.mean_ns[JR_NEW] / best.mean_ns[JR_BASE] - 1));
}

const char *jr_compare_gpu_changes(const struct jr_comparison *c)
{
	if (!jr_run_rows(c->runs[JR_BASE], JR_RUN_GPU) || !jr_run_rows(c->runs[JR_NEW], JR_RUN_GPU))
		return NULL;
	const char *part = part_text(c), *kernel = kernel_text(c);
	if (!part && !kernel)
		return "No part of the GPU time and no kernel changed by 0.5 % of the GPU time or more.";
	return part && kernel ? jr_arena_printf(c->arena, "%s %s", part, kernel) : part ? part : kernel;
}

/* --- the section ------------------------------------------------------------------------------ */

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
