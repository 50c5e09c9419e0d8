/* Idle time of devices and its cause. The cause depends on how far the launch of the next operation
 * had come when the gap began (gaps.h). */
#include "analysis/gpu/gaps.h"

#include <math.h>

#include "analysis/shared/columns.h"
#include "analysis/core/distribution.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/integrity.h"
#include "analysis/gpu/gpu_tables.h"

#define N_LARGEST 20

#define WHICH_LAUNCH "when the next operation was launched. "
#define HOST_BOUND "issued after the gap began"
#define LAUNCH_BOUND "issued before or when the gap began, and returned later"
#define DEVICE_BOUND "returned by the time the gap began, so the operation was queued"

JR_TABLE_OF(cause_spec, JR_GAP_CAUSES_COLUMNS, "gap_causes", "gaps.causes", "Idle by cause",
	"One row per device and cause; the rows of a device add up to its idle time");

JR_TABLE_OF(class_spec, JR_GAP_CLASSES_COLUMNS, "gap_classes", JR_AT_IN(gaps, classes),
	"Idle by length of the gap", "One row per range of lengths, ascending");

JR_TABLE_OF(largest_spec, JR_GAP_LARGEST_COLUMNS, "gap_largest", "gaps.largest", "Longest gaps",
	"The 20 longest gaps over all devices");

struct sum {
	int64_t count, sum_ns, most_ns;
};

struct gaps {
	struct sum *by_cause; /* [n_devices * JR_N_GAP_CAUSES] */
	uint32_t *begun_on;   /* [api_calls.n] last device that its work began on, +1; 0 = none */
	int64_t counts[JR_TIME_CLASSES];
	int64_t sums_ns[JR_TIME_CLASSES][JR_N_GAP_CAUSES];
	struct jr_gap largest[N_LARGEST]; /* longest first */
	size_t n_largest;
	struct jr_gap_calls calls, at_first_use;
	struct jr_first_use *first;
	struct jr_gap_waits *waits;
};

static bool longer(const struct jr_gap *a, const struct jr_gap *b)
{
	if (a->dur_ns != b->dur_ns)
		return a->dur_ns > b->dur_ns;
	if (a->device != b->device)
		return a->device < b->device;
	return a->start_ns < b->start_ns;
}

static void keep_largest(struct gaps *g, const struct jr_gap *gap)
{
	if (g->n_largest == N_LARGEST && !longer(gap, &g->largest[N_LARGEST - 1]))
		return;
	size_t at = g->n_largest < N_LARGEST ? g->n_largest++ : N_LARGEST - 1;
	for (; at && longer(gap, &g->largest[at - 1]); at--)
		g->largest[at] = g->largest[at - 1];
	g->largest[at] = *gap;
}

static void add_gap(struct gaps *g, const struct jr_gap *gap)
{
	struct sum *sum = &g->by_cause[gap->device * JR_N_GAP_CAUSES + gap->cause];
	sum->count++;
	sum->sum_ns += gap->dur_ns;
	if (gap->dur_ns > sum->most_ns)
		sum->most_ns = gap->dur_ns;
	size_t class = jr_time_class(gap->dur_ns);
	g->counts[class]++;
	g->sums_ns[class][gap->cause] += gap->dur_ns;
	keep_largest(g, gap);
}

static bool graph_had_begun(
	const struct jr_profile *p, const struct gaps *g, uint32_t call, uint32_t device)
{
	return g->begun_on[call] == device + 1 &&
		   jr_call_launches_graph(jr_str(p, p->api_calls.name[call]));
}

/* Return the cause of a gap that begins at that time; `call` launched the operation after it. */
static enum jr_gap_cause cause_of(
	const struct jr_profile *p, const struct gaps *g, uint32_t call, uint32_t device, int64_t at_ns)
{
	if (call == JR_NONE)
		return JR_GAP_UNKNOWN;
	int64_t begin_ns = p->api_calls.start_ns[call];
	if (begin_ns + p->api_calls.dur_ns[call] <= at_ns || graph_had_begun(p, g, call, device))
		return JR_GAP_DEVICE;
	return begin_ns > at_ns ? JR_GAP_HOST : JR_GAP_LAUNCH;
}

/* Walk the operations in order of start. A gap ends where an operation begins after all earlier
 * ones have ended. */
static void find_gaps(struct jr_pass_context *ctx, uint32_t device, struct gaps *g)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_gpu_ops *t = &p->gpu_ops;
	const struct jr_gpu_time *time = ctx->gpu;
	bool early = jr_integrity_early(p, device);
	int64_t end_ns = INT64_MAX;
	uint32_t last = JR_NONE;
	size_t near = 0;
	for (size_t i = time->first[device]; i < time->first[device + 1]; i++) {
		uint32_t row = time->order[i], call = t->call[row];
		int64_t start = t->start_ns[row], end = start + t->dur_ns[row];
		int64_t others_ns =
			start > end_ns ? jr_left_out_ns(&p->selected, device, end_ns, start) : 0;
		if (start > end_ns && others_ns < start - end_ns) {
			struct jr_gap gap = {.start_ns = end_ns,
				.dur_ns = start - end_ns - others_ns,
				.device = device,
				.before = last,
				.after = row,
				.cause = early || others_ns ||
								 jr_integrity_doubts(ctx->integrity, device, end_ns, start, &near)
							 ? JR_GAP_UNKNOWN
							 : cause_of(p, g, call, device, end_ns)};
			gap.first_use = jr_first_use_is(g->first, &gap);
			add_gap(g, &gap);
			jr_gap_calls_add(&g->calls, p, &gap);
			jr_gap_waits_add(g->waits, &gap);
			if (gap.first_use)
				jr_gap_calls_add(&g->at_first_use, p, &gap);
		}
		if (call != JR_NONE)
			g->begun_on[call] = device + 1;
		if (last == JR_NONE || end > end_ns) {
			end_ns = end;
			last = row;
		}
	}
}

static struct jr_table *cause_table(struct jr_pass_context *ctx, const struct gaps *g)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table *table = jr_table_new(ctx->arena, &cause_spec, p->n_devices * JR_N_GAP_CAUSES);
	size_t row = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		const struct sum *sums = g->by_cause + (size_t)d * JR_N_GAP_CAUSES;
		int64_t idle_ns = 0;
		for (size_t k = 0; k < JR_N_GAP_CAUSES; k++)
			idle_ns += sums[k].sum_ns;
		for (size_t k = 0; k < JR_N_GAP_CAUSES; k++) {
			if (sums[k].count == 0)
				continue;
			union jr_cells *c = table->cells;
			c[JR_GAP_CAUSES_device].i64[row] = jr_device_number(p, d);
			c[JR_GAP_CAUSES_cause].text[row] = jr_gap_causes[k];
			c[JR_GAP_CAUSES_count].i64[row] = sums[k].count;
			c[JR_GAP_CAUSES_sum_ms].i64[row] = sums[k].sum_ns;
			c[JR_GAP_CAUSES_percent].f64[row] = jr_ratio((double)sums[k].sum_ns, (double)idle_ns);
			c[JR_GAP_CAUSES_mean_ms].f64[row] =
				jr_ratio((double)sums[k].sum_ns, (double)sums[k].count);
			c[JR_GAP_CAUSES_max_ms].i64[row++] = sums[k].most_ns;
		}
	}
	table->n_rows = table->n_data = table->n_rendered = row;
	return table;
}

static struct jr_table *class_table(struct jr_pass_context *ctx, const struct gaps *g)
{
	size_t first = JR_TIME_CLASSES, last = 0;
	for (size_t i = 0; i < JR_TIME_CLASSES; i++) {
		if (g->counts[i] == 0)
			continue;
		first = i < first ? i : first;
		last = i;
	}
	struct jr_table *table = jr_table_new(ctx->arena, &class_spec, last - first + 1);
	for (size_t i = first; i <= last; i++) {
		char text[48];
		jr_time_class_text(i, text);
		union jr_cells *c = table->cells;
		size_t row = i - first;
		c[JR_GAP_CLASSES_length].text[row] = jr_arena_strdup(ctx->arena, text);
		c[JR_GAP_CLASSES_from_ms].i64[row] = jr_time_class_edge(i);
		c[JR_GAP_CLASSES_count].i64[row] = g->counts[i];
		c[JR_GAP_CLASSES_host_ms].i64[row] = g->sums_ns[i][JR_GAP_HOST];
		c[JR_GAP_CLASSES_device_ms].i64[row] = g->sums_ns[i][JR_GAP_DEVICE];
		c[JR_GAP_CLASSES_unknown_ms].i64[row] = g->sums_ns[i][JR_GAP_UNKNOWN];
		c[JR_GAP_CLASSES_launch_ms].i64[row] = g->sums_ns[i][JR_GAP_LAUNCH];
	}
	return table;
}

static struct jr_table *largest_table(struct jr_pass_context *ctx, const struct gaps *g)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table *table = jr_table_new(ctx->arena, &largest_spec, g->n_largest);
	union jr_cells *c = table->cells;
	double zero_ns = jr_profile_zero_ns(p);
	for (size_t row = 0; row < g->n_largest; row++) {
		const struct jr_gap *gap = &g->largest[row];
		uint32_t range = p->gpu_ops.range[gap->after];
		c[JR_GAP_LARGEST_device].i64[row] = jr_device_number(p, gap->device);
		c[JR_GAP_LARGEST_at_ms].i64[row] =
			llround(jr_aligned_ns(p, gap->start_ns, gap->device) - zero_ns);
		c[JR_GAP_LARGEST_dur_ms].i64[row] = gap->dur_ns;
		c[JR_GAP_LARGEST_cause].text[row] = jr_gap_causes[gap->cause];
		c[JR_GAP_LARGEST_before].text[row] = jr_gpu_op_name(p, gap->before);
		c[JR_GAP_LARGEST_after].text[row] = jr_gpu_op_name(p, gap->after);
		if (range != JR_NONE)
			c[JR_GAP_LARGEST_range].text[row] = jr_str(p, p->nvtx_ranges.name[range]);
		c[JR_GAP_LARGEST_first_use].boolean[row] = gap->first_use;
	}
	return table;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	struct gaps *g = JR_ARENA_NEW(ctx->scratch, struct gaps);
	g->by_cause = JR_ARENA_N(ctx->scratch, struct sum, p->n_devices * JR_N_GAP_CAUSES + 1);
	g->begun_on = JR_ARENA_N(ctx->scratch, uint32_t, p->api_calls.n + 1);
	g->first = jr_first_use_new(ctx);
	const uint32_t *order = jr_gap_sort_calls(&p->api_calls, ctx->scratch);
	g->waits = jr_gap_waits_new(ctx, order);
	for (uint32_t d = 0; d < p->n_devices; d++)
		find_gaps(ctx, d, g);
	jr_first_use_done(g->first);
	struct jr_table *waits = jr_gap_waits_table(g->waits, ctx);
	jr_gap_waits_done(g->waits);
	if (g->n_largest == 0) {
		out->unavailable = "not available, because no device was idle between two operations";
		return;
	}
	struct jr_table *classes = class_table(ctx, g);
	static const char *const parts[] = {JR_KEY(JR_GAP_CLASSES, host_ms),
		JR_KEY(JR_GAP_CLASSES, launch_ms), JR_KEY(JR_GAP_CLASSES, device_ms),
		JR_KEY(JR_GAP_CLASSES, unknown_ms), NULL};
	static const char *const roles[] = {
		"user-code", "warm-up", "idle-inside", "idle-between", NULL};
	struct jr_chart chart = {.name = "gap_classes",
		.title = "Idle by length of the gap",
		.caption = "time in which nothing runs, on all devices, by the length of the gap",
		.kind = JR_CHART_STACKED,
		.table = classes,
		.x = JR_KEY(JR_GAP_CLASSES, length),
		.parts = parts,
		.part_roles = roles,
		.x_title = "Length of the gap",
		.y_title = "Time"};
	jr_section_table(out, ctx->arena, cause_table(ctx, g));
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, classes);
	if (g->calls.sums.n || g->calls.late.n)
		jr_section_table(out, ctx->arena, jr_gap_calls_table(&g->calls, order, false, ctx));
	if (g->at_first_use.sums.n || g->at_first_use.late.n)
		jr_section_table(out, ctx->arena, jr_gap_calls_table(&g->at_first_use, order, true, ctx));
	if (waits)
		jr_section_table(out, ctx->arena, waits);
	jr_section_table(out, ctx->arena, largest_table(ctx, g));
	jr_gap_calls_done(&g->calls);
	jr_gap_calls_done(&g->at_first_use);
}

const struct jr_pass jr_pass_gaps = {
	.name = "gaps",
	.title = JR_GPU " idle",
	.summary = "Gaps between the operations of a device: their length, and whether the host, the "
			   "launch or the device was late",
	.needs = JR_NEEDS_GPU_OPS,
	.group = JR_GROUP_HOST,
	.apart = JR_APART,
	.run = run,
};
