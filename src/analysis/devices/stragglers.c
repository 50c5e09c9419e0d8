/* Clock alignment and the straggler ledger; analysis/README.md, section 6. */
#include "analysis/shared/columns.h"
#include "analysis/core/say.h"
#include "analysis/shared/chosen_rows.h"
#include "analysis/shared/delays.h"
#include "analysis/shared/lateness.h"
#include "analysis/devices/devices_tables.h"
#include "analysis/devices/devices_parts.h"
#include "analysis/core/device_name.h"
#include "analysis/core/statistics.h"
#include "analysis/core/keys.h"

/* --- ends of collectives ---------------------------------------------------------------------- */

/* Differences between the ends of steady collectives and the mean end over their devices, on the
 * aligned clock: skew_ns[first[d]] to skew_ns[first[d + 1]] belong to device d, by instance. */
struct end_skews {
	size_t n;
	size_t *first;   /* [n_devices + 1] */
	double *skew_ns; /* [n] */
	int64_t *rest;   /* [n] room of residual_of() */
};

/* Allocate in scratch. O(rows of instances). */
static struct end_skews find_end_skews(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_instances *in = ctx->instances;
	struct end_skews s = {.first = JR_ARENA_N(ctx->scratch, size_t, p->n_devices + 2)};
	for (size_t i = 0; i < in->n; i++)
		for (uint32_t k = 0; in->items[i].together && k < in->items[i].n; k++)
			s.first[jr_thunk_device(p, in->items[i].thunks[k]) + 2] += in->items[i].n > 1;
	for (size_t d = 2; d < p->n_devices + 2; d++)
		s.first[d] += s.first[d - 1];
	s.n = s.first[p->n_devices + 1];
	s.skew_ns = JR_ARENA_N(ctx->scratch, double, s.n + 1);
	s.rest = JR_ARENA_N(ctx->scratch, int64_t, s.n + 1);
	for (size_t i = 0; i < in->n; i++) {
		const struct jr_instance *instance = &in->items[i];
		int64_t origin_ns = jr_thunk_start_ns(p, instance->thunks[0]);
		double sum_ns = 0;
		for (int pass = 0; instance->together && instance->n > 1 && pass < 2; pass++)
			for (uint32_t k = 0; k < instance->n; k++) {
				uint32_t row = instance->thunks[k];
				double end_ns =
					jr_aligned_start_since_ns(p, row, origin_ns) + (double)jr_thunk_dur_ns(p, row);
				if (pass == 0)
					sum_ns += end_ns;
				else
					s.skew_ns[s.first[jr_thunk_device(p, row) + 1]++] =
						end_ns - sum_ns / instance->n;
			}
	}
	return s;
}

/* Quantiles of the absolute values of n skews; NaN for n = 0. */
struct residual {
	double median_ns, p95_ns;
};

static struct residual residual_of(const struct end_skews *ends, size_t first, size_t n)
{
	const double *skew_ns = ends->skew_ns + first;
	return (struct residual){jr_quantile_of_sizes(skew_ns, n, 0.5, ends->rest),
		jr_quantile_of_sizes(skew_ns, n, 0.95, ends->rest)};
}

/* --- alignment -------------------------------------------------------------------------------- */

#define ALIGNMENT_COLUMNS(X, T)                                                                    \
	X(T, device, "Device", "global device number", I64, NONE, JR_COL_KEY)                          \
	X(T, correction_ms, "Clock correction",                                                        \
		"subtracted from the device's times, so that devices end collectives at the same time",    \
		F64, NS)                                                                                   \
	X(T, residual_median_ms, "Residual",                                                           \
		"remaining distance of its ends of steady collectives from the mean end over devices: "    \
		"median",                                                                                  \
		F64, NS, JR_COL_LIKE)                                                                      \
	X(T, residual_p95_ms, "Residual, 95 %", "the same: 95 % of its ends are within this distance", \
		F64, NS, JR_COL_LIKE)
JR_COLUMNS(alignment_columns, A, ALIGNMENT_COLUMNS);
static const struct jr_table_spec alignment_spec = {
	JR_TABLE_SPEC("alignment", "alignment", "Clock alignment",
		"Per device that shares collectives with other devices; by device", alignment_columns),
	.looked_up = true};

static struct jr_table *alignment_table(struct jr_pass_context *ctx, const struct end_skews *ends)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table *table = jr_table_new(ctx->arena, &alignment_spec, p->n_devices);
	size_t n = 0;
	for (size_t d = 0; d < p->n_devices; d++) {
		if (p->devices[d].aligned_set == JR_NONE)
			continue;
		table->cells[A_device].i64[n] = p->devices[d].global;
		table->cells[A_correction_ms].f64[n] = p->devices[d].correction_ns;
		struct residual left =
			residual_of(ends, ends->first[d], ends->first[d + 1] - ends->first[d]);
		table->cells[A_residual_median_ms].f64[n] = left.median_ns;
		table->cells[A_residual_p95_ms].f64[n++] = left.p95_ns;
	}
	table->n_rows = table->n_data = table->n_rendered = n;
	return table;
}

#define RANGE_COLUMNS(X, T)                                                                        \
	X(T, quantity, "Quantity", "column of the clock alignment", TEXT, NONE, JR_COL_KEY)            \
	X(T, least_ms, "Least", "of all devices", F64, NS, JR_COL_LIKE)                                \
	X(T, median_ms, "Median", "of all devices", F64, NS, JR_COL_LIKE)                              \
	X(T, most_ms, "Most", "of all devices", F64, NS, JR_COL_LIKE)                                  \
	X(T, most_device, "Device with the most", "global device number", I64, NONE)
JR_TABLE(range_spec, R, RANGE_COLUMNS, "alignment_range", NULL, "Clock alignment of all devices",
	"Per quantity; the values of each device are in the data", .looked_up = true);
static const struct jr_table_spec alignment_data_spec = {
	JR_TABLE_SPEC("alignment", "alignment", "Clock alignment",
		"Per device that shares collectives with other devices; by device", alignment_columns),
	.data_only = true};

/* For many devices, add a table with the range of each value; the table by device becomes data
 * only. */
static void add_alignment(
	struct jr_pass_context *ctx, struct jr_section *out, struct jr_table *alignment)
{
	if (alignment->n_rows > JR_DEVICES_IN_FULL) {
		size_t n = alignment->n_rows;
		struct jr_table *range =
			jr_table_new(ctx->arena, &range_spec, A_residual_p95_ms - A_device);
		double *sorted = JR_ARENA_N(ctx->scratch, double, n);
		for (size_t c = A_correction_ms; c <= A_residual_p95_ms; c++) {
			const double *values = alignment->cells[c].f64;
			size_t row = c - A_correction_ms, most = 0, n_known = 0;
			for (size_t i = 0; i < n; i++) {
				if (!isnan(values[i]))
					sorted[n_known++] = values[i];
				if (values[i] > values[most] || isnan(values[most]))
					most = i;
			}
			jr_sort_doubles(sorted, n_known);
			range->cells[R_quantity].text[row] = alignment_columns[c].title;
			range->cells[R_least_ms].f64[row] = jr_quantile(sorted, n_known, 0);
			range->cells[R_median_ms].f64[row] = jr_quantile(sorted, n_known, 0.5);
			range->cells[R_most_ms].f64[row] = jr_quantile(sorted, n_known, 1);
			bool differ = n_known && sorted[0] < sorted[n_known - 1];
			range->cells[R_most_device].i64[row] =
				differ ? alignment->cells[A_device].i64[most] : JR_NULL_I64;
		}
		jr_section_table(out, ctx->arena, range);
		alignment->spec = &alignment_data_spec;
	}
	jr_section_table(out, ctx->arena, alignment);
}

/* Number of devices that ran anything, by how their clocks were set. */
struct clocks {
	size_t n_tied, n_sets, n_untied;
};

static struct clocks count_clocks(const struct jr_profile *p)
{
	const struct jr_modules *m = &p->modules;
	struct clocks n = {0};
	for (size_t i = 0; i < m->n; i++) {
		uint32_t set = p->devices[m->device[i]].aligned_set;
		if (i && m->device[i] == m->device[i - 1])
			continue; /* rows are sorted by device */
		n.n_tied += set != JR_NONE;
		n.n_untied += set == JR_NONE;
		if (set != JR_NONE && set >= n.n_sets)
			n.n_sets = set + 1;
	}
	return n;
}

/* Report the residual of the alignment, or of the raw clocks: smaller waits and skews are not
 * significant. */
static void add_residual(
	struct jr_pass_context *ctx, struct jr_section *out, const struct end_skews *ends)
{
	struct residual left = residual_of(ends, 0, ends->n);
	struct jr_scalar median = jr_scalar_ns("clocks.residual_median_ms", "Residual of clocks",
		"distance of the ends of steady collectives on each device from the mean end over devices: "
		"median",
		left.median_ns);
	struct jr_scalar p95 = jr_scalar_ns("clocks.residual_p95_ms", "Residual of clocks, 95 %",
		"the same: 95 % of the ends are within this distance", left.p95_ns);
	char n[JR_NUM_MAX];
	median.n = p95.n = (int64_t)ends->n;
	median.hidden = p95.hidden = true;
	jr_section_scalar(out, ctx->arena, &median);
	jr_section_scalar(out, ctx->arena, &p95);
	jr_num_grouped_i64(n, (int64_t)ends->n);
	const char *clocks =
		ctx->profile->options.no_align ? "On these clocks" : "On the aligned clocks";
	if (left.p95_ns <= 1)
		jr_section_text(out, ctx->arena,
			"%s, devices end a steady collective together: 95 %% of the %s ends are within 1 ns of "
			"the mean.",
			clocks, n);
	else
		jr_section_text(out, ctx->arena,
			"%s, half of the %s ends of steady collectives are within %s of the mean over "
			"devices, and 95 %% within %s. Smaller differences between devices may come from "
			"their clocks.",
			clocks, n, jr_time_text(ctx->arena, fmax(left.median_ns, 1)),
			jr_time_text(ctx->arena, left.p95_ns));
}

/* Report collectives with devices that were not profiled, because waiting for such a device counts
 * as transfer. */
static void tell_absent(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_absent absent = jr_instances_absent(ctx->profile, ctx->instances);
	if (absent.n_part == 0)
		return;
	jr_section_text(out, ctx->arena,
		"%s of %s steady collectives include devices that were not profiled (seen: %u of %u). "
		"Waiting for these devices counts as transfer.",
		jr_count_text(ctx->arena, (int64_t)absent.n_part),
		jr_count_text(ctx->arena, (int64_t)absent.n), absent.seen, absent.of);
}

/* Explain which times are comparable between devices. */
static void explain(
	struct jr_pass_context *ctx, struct jr_section *out, const struct end_skews *ends)
{
	struct clocks n = count_clocks(ctx->profile);
	if (ctx->profile->options.no_align)
		jr_section_text(out, ctx->arena,
			"The device clocks are used as recorded (--no-align), so waits and skews include the "
			"differences between clocks.");
	else if (n.n_tied)
		jr_section_text(out, ctx->arena,
			"Device clocks were aligned before waits were measured, under the assumption that all "
			"devices end a collective at the same time.");
	if (ends->n)
		add_residual(ctx, out, ends);
	if (n.n_sets > 1)
		jr_section_text(out, ctx->arena,
			"No collective includes all devices. The devices form %zu sets, and times of devices "
			"in different sets are not comparable.",
			n.n_sets);
	if (n.n_tied && n.n_untied)
		jr_section_text(out, ctx->arena,
			"%zu device%s no collective with other devices: %s as recorded.", n.n_untied,
			n.n_untied == 1 ? " shares" : "s share",
			n.n_untied == 1 ? "its clock is used" : "their clocks are used");
	if (ends->n == 0)
		jr_section_text(out, ctx->arena,
			n.n_tied || ctx->profile->options.no_align
				? "No steady collective was recorded on two devices, so waiting between devices is "
				  "unknown."
				: "No collective was recorded on two devices, so their clocks are used as "
				  "recorded, and waiting between devices is unknown.");
}

/* --- waiting caused by each device ------------------------------------------------------------ */

JR_TABLE_OF(straggler_spec, JR_STRAGGLERS_COLUMNS, "stragglers", "stragglers",
	"Stragglers by device",
	"Per device; the shortest duration of each collective instance is transfer, and the rest "
	"is waiting, attributed to the device that arrived last");

static void put_lateness(
	struct jr_pass_context *ctx, struct jr_table *table, size_t row, uint32_t device)
{
	const struct jr_late *late = &ctx->lateness->devices[device];
	if (!late->n_steps)
		return;
	table->cells[JR_STRAGGLERS_lag_ms].f64[row] = late->mean_ns;
	table->cells[JR_STRAGGLERS_late].text[row] =
		jr_late_words(ctx->profile, ctx->windows, late, ctx->arena);
	if (late->when == JR_LATE_SINCE)
		table->cells[JR_STRAGGLERS_since_step].i64[row] =
			jr_step_number(ctx->profile, ctx->windows, late->since);
	table->cells[JR_STRAGGLERS_late_steps].i64[row] = (int64_t)late->n_late;
	table->cells[JR_STRAGGLERS_compared_steps].i64[row] = (int64_t)late->n_steps;
}

static struct jr_table *straggler_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_delays *delays = ctx->delays;
	size_t n = 0, row = 0;
	bool several_hosts = jr_devices_on_hosts(p);
	for (size_t d = 0; d < p->n_devices; d++)
		n += delays->devices[d].instances > 0;
	struct jr_table *table = jr_table_new(ctx->arena, &straggler_spec, n);
	for (size_t i = 0; i < p->n_devices; i++) {
		const struct jr_device_delay *delay = &delays->devices[delays->order[i]];
		if (!delay->instances)
			continue;
		table->cells[JR_STRAGGLERS_device].i64[row] = p->devices[delays->order[i]].global;
		table->cells[JR_STRAGGLERS_caused_wait_ms].i64[row] = delay->caused_ns;
		table->cells[JR_STRAGGLERS_last_arrivals].i64[row] = delay->last;
		table->cells[JR_STRAGGLERS_waited_ms].i64[row] = delay->waited_ns;
		table->cells[JR_STRAGGLERS_instances].i64[row] = delay->instances;
		uint32_t host = several_hosts ? jr_device_host(p, delays->order[i]) : JR_NONE;
		table->cells[JR_STRAGGLERS_hostname].text[row] = host == JR_NONE ? NULL : jr_str(p, host);
		put_lateness(ctx, table, row++, delays->order[i]);
	}
	jr_choose_rows(table, JR_STRAGGLERS_lag_ms, JR_STRAGGLERS_chosen, ctx->arena, ctx->scratch);
	return table;
}

/* --- transfer and waiting --------------------------------------------------------------------- */

#define TRANSFER_COLUMNS(X, T)                                                                     \
	X(T, collective, "Collective", "kind of communication", TEXT, NONE, JR_COL_KEY)                \
	X(T, instances, "Instances", "number of steady instances recorded on several devices", I64,    \
		COUNT)                                                                                     \
	X(T, transfer_ms, "Transfer", "shortest duration of each instance, for each of its devices",   \
		I64, NS, JR_COL_LIKE)                                                                      \
	X(T, waiting_ms, "Waiting", "durations beyond the shortest of their instance", I64, NS,        \
		JR_COL_LIKE)                                                                               \
	X(T, waiting_percent, "Waiting share", "waiting / (transfer + waiting)", F64, PERCENT,         \
		JR_COL_BAR)
JR_TABLE(transfer_spec, T, TRANSFER_COLUMNS, "transfer_wait", "transfer_wait",
	"Transfer against waiting", "Per kind of collective: device time of steady instances");

#define MAX_KINDS 32

static struct jr_table *transfer_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	struct {
		uint32_t kind;
		int64_t instances, transfer_ns, waiting_ns;
	} sums[MAX_KINDS] = {{0}};
	size_t n = 0;
	for (size_t i = 0; i < ctx->instances->n; i++) {
		const struct jr_instance *in = &ctx->instances->items[i];
		size_t k = 0;
		while (k < n && sums[k].kind != p->ops[in->op].collective)
			k++;
		if (!in->together || k == MAX_KINDS)
			continue;
		n += k == n;
		sums[k].kind = p->ops[in->op].collective;
		sums[k].instances++;
		sums[k].transfer_ns += in->shortest_ns * in->n;
		for (uint32_t d = 0; d < in->n; d++)
			sums[k].waiting_ns += jr_thunk_dur_ns(p, in->thunks[d]) - in->shortest_ns;
	}
	struct jr_rank_key keys[MAX_KINDS];
	for (uint32_t k = 0; k < n; k++)
		keys[k] = (struct jr_rank_key){
			(double)(sums[k].transfer_ns + sums[k].waiting_ns), jr_str(p, sums[k].kind), 0, k};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(ctx->arena, &transfer_spec, n);
	for (size_t row = 0; row < n; row++) {
		uint32_t k = keys[row].row;
		table->cells[T_collective].text[row] = keys[row].name;
		table->cells[T_instances].i64[row] = sums[k].instances;
		table->cells[T_transfer_ms].i64[row] = sums[k].transfer_ns;
		table->cells[T_waiting_ms].i64[row] = sums[k].waiting_ns;
		table->cells[T_waiting_percent].f64[row] =
			jr_ratio((double)sums[k].waiting_ns, keys[row].value);
	}
	return table;
}

/* --- remaining skew --------------------------------------------------------------------------- */

#define SKEW_COLUMNS(X, T)                                                                         \
	X(T, device, "Device", "global device number", TEXT, NONE)                                     \
	X(T, skew_ms, "Skew",                                                                          \
		"end of a steady collective minus the mean end over its devices, on the aligned clock",    \
		F64, NS)
JR_TABLE(skew_spec, K, SKEW_COLUMNS, "end_skew", NULL, "Skew of collective ends",
	"Per device of a steady instance", .data_only = true);

/* Device by device, so that the chart shows devices in order. */
static struct jr_table *skew_table(struct jr_pass_context *ctx, const struct end_skews *ends)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table *table = jr_table_new(ctx->arena, &skew_spec, ends->n);
	for (size_t d = 0; d < p->n_devices; d++) {
		const char *name = jr_arena_printf(ctx->arena, "device %u", p->devices[d].global);
		for (size_t row = ends->first[d]; row < ends->first[d + 1]; row++) {
			table->cells[K_device].text[row] = name;
			table->cells[K_skew_ms].f64[row] = ends->skew_ns[row];
		}
	}
	return table;
}

static void add_charts(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *transfer, const struct end_skews *ends)
{
	static const char *const parts[] = {JR_KEY(T, transfer_ms), JR_KEY(T, waiting_ms), NULL};
	static const char *const roles[] = {"communication", "wait", NULL};
	struct jr_chart split = {.name = "transfer_wait",
		.title = "Transfer against waiting",
		.caption = "device time in collectives: transfer is the time of the last device to arrive; "
				   "the other devices wait for it",
		.kind = JR_CHART_STACKED,
		.table = transfer,
		.x = JR_KEY(T, collective),
		.parts = parts,
		.part_roles = roles};
	jr_section_chart(out, ctx->arena, &split);
	if (ctx->profile->n_devices > JR_DEVICES_IN_FULL)
		return; /* too many boxes to read */
	double largest_ns = 0;
	for (size_t i = 0; i < ends->n; i++)
		largest_ns = fmax(largest_ns, fabs(ends->skew_ns[i]));
	struct jr_table *skews = skew_table(ctx, ends);
	struct jr_chart box = {.name = "end_skew",
		.title = ctx->profile->options.no_align ? "Skew of collective ends on raw clocks"
												: "Skew of collective ends after alignment",
		.caption = "end of each steady instance on a device minus the mean end over devices",
		.kind = JR_CHART_BOX,
		.table = skews,
		.x = JR_KEY(K, device),
		.y = JR_KEY(K, skew_ms)};
	if (largest_ns > 1) /* smaller differences are not visible */
		jr_section_chart(out, ctx->arena, &box);
	jr_section_table(out, ctx->arena, skews);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_table *stragglers = straggler_table(ctx);
	struct end_skews ends = find_end_skews(ctx);
	struct jr_table *alignment = alignment_table(ctx, &ends);
	explain(ctx, out, &ends);
	tell_absent(ctx, out);
	jr_add_step_lags(ctx, out);
	jr_add_rank_waits(ctx, out);
	jr_section_table(out, ctx->arena, stragglers);
	if (stragglers->n_rows) {
		struct jr_table *transfer = transfer_table(ctx);
		add_charts(ctx, out, transfer, &ends);
		jr_section_table(out, ctx->arena, transfer);
	}
	add_alignment(ctx, out, alignment);
}

const struct jr_pass jr_pass_stragglers = {
	.name = "stragglers",
	.title = "Stragglers",
	.summary = "Which device delays the others, since when, and by how much",
	.needs = JR_NEEDS_DEVICES,
	.group = JR_GROUP_DEVICES,
	.apart = JR_APART,
	.run = run,
};
