/* Time breakdown, analysis/README.md, section 3: a device's steady wall time, split exactly. */
#include <inttypes.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/say.h"
#include "analysis/shared/delays.h"
#include "analysis/step/step_ledger.h"
#include "analysis/shared/step_parts.h"
#include "analysis/shared/variants.h"
#include "analysis/step/step_tables.h"

JR_COLUMNS_OF(columns, JR_LEDGER_COLUMNS);
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("ledger", "ledger", "Time breakdown",
		"Per device, over all steady steps; the parts add up to the wall time exactly", columns),
	.looked_up = true};

/* Rows of the full table in order of the devices' cost for the others. The straggler never waits,
 * so it computes for most of its wall time and would look best if ranked by compute. */
struct ranked {
	uint32_t *rows; /* [n] */
	uint32_t n;
	enum jr_delay_reason reason; /* why the first precedes the last */
};

static struct ranked rank_rows(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	uint32_t *row_of = JR_ARENA_N(ctx->scratch, uint32_t, p->n_devices + 1);
	struct ranked ranked = {.rows = JR_ARENA_N(ctx->scratch, uint32_t, p->n_devices + 1)};
	uint32_t n = 0, first = 0, last = 0;
	for (uint32_t d = 0; d < p->n_devices; d++)
		row_of[d] = ctx->windows->devices[d].program != JR_NONE ? n++ : JR_NONE;
	for (size_t i = 0; i < p->n_devices; i++) {
		uint32_t device = ctx->delays->order[i];
		if (row_of[device] == JR_NONE)
			continue;
		first = ranked.n ? first : device;
		last = device;
		ranked.rows[ranked.n++] = row_of[device];
	}
	ranked.reason = ranked.n > 1 ? jr_delay_reason(ctx->delays, first, last) : JR_DELAY_NONE;
	return ranked;
}

static const char *const words[][3] = {[JR_DELAY_NONE] = {"first", "middle", "last"},
	[JR_DELAY_CAUSED] = {"delays others most", "middle", "delays others least"},
	[JR_DELAY_COMPUTE] = {"computes most", "middle", "computes least"}};

/* With many devices, show the one that delays the others most, the median one, and the one that
 * delays them least. All sections use this order. */
static struct jr_table *summary_table(
	struct jr_pass_context *ctx, const struct jr_table *full, const struct ranked *ranked)
{
	/* The same columns, except that the device is described in words. */
	struct jr_column_spec *own =
		JR_ARENA_N(ctx->arena, struct jr_column_spec, JR_COUNT_OF(columns));
	memcpy(own, columns, sizeof(columns));
	own[JR_LEDGER_device].type = JR_TEXT;
	struct jr_table_spec *summary_spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec);
	*summary_spec = (struct jr_table_spec){.name = "ledger_summary",
		.title = "Time breakdown of three devices",
		.help = "Chosen by how much a device delays the others, then by compute time; report.json "
				"has every device",
		.n_columns = JR_COUNT_OF(columns),
		.columns = own,
		.looked_up = true};
	struct jr_table *table = jr_table_new(ctx->arena, summary_spec, 3);
	for (size_t k = 0; k < 3; k++) {
		uint32_t from = ranked->rows[k * (ranked->n - 1) / 2];
		table->cells[JR_LEDGER_device].text[k] = jr_arena_printf(ctx->arena, "%" PRId64 " (%s)",
			full->cells[JR_LEDGER_device].i64[from], words[ranked->reason][k]);
		for (size_t c = JR_LEDGER_compute_ms; c < JR_COUNT_OF(columns); c++)
			if (c != JR_LEDGER_steps)
				table->cells[c].i64[k] = full->cells[c].i64[from];
		table->cells[JR_LEDGER_steps].f64[k] = full->cells[JR_LEDGER_steps].f64[from];
	}
	return table;
}

/* --- one step --------------------------------------------------------------------------------- */

#define STEP_COLUMNS(X, T)                                                                         \
	X(T, device, "Device", "the device that delays the others most comes first", TEXT, NONE,       \
		JR_COL_KEY)                                                                                \
	X(T, compute_ms, "Compute", "time per step", F64, NS)                                          \
	X(T, exposed_communication_ms, "Exposed communication", "time per step", F64, NS)              \
	X(T, exposed_copy_ms, "Exposed copies", "time per step", F64, NS)                              \
	X(T, idle_in_modules_ms, "Idle inside modules", "time per step", F64, NS)                      \
	X(T, idle_between_modules_ms, "Idle between modules", "time per step", F64, NS)                \
	X(T, other_programs_ms, "Other programs", "time per step", F64, NS)                            \
	X(T, warmup_ms, "Warm-up", "time per step", F64, NS)                                           \
	X(T, exposed_transfer_ms, "Exposed transfer", "time per step", F64, NS)                        \
	X(T, exposed_waiting_ms, "Waiting for other devices", "time per step", F64, NS)
JR_TABLE(step_spec, STEP, STEP_COLUMNS, "ledger_steps", NULL, "Time breakdown per step",
	"Per device, mean over its steady steps", .data_only = true);

/* "Device 1 (delays the others)": the label marks the bar of the device that delays the others
 * most. */
static const char *device_label(
	struct jr_arena *arena, const struct ranked *ranked, size_t k, int64_t device)
{
	bool slow = k == 0 && ranked->reason == JR_DELAY_CAUSED;
	return jr_arena_printf(
		arena, "Device %" PRId64 "%s", device, slow ? " (delays the others)" : "");
}

/* Build the rows of the chart: all devices, or the three of the summary. */
static struct jr_table *step_table(struct jr_pass_context *ctx, const struct jr_table *shown,
	const struct ranked *ranked, bool summary)
{
	static const struct {
		size_t of_all, of_step;
	} parts[] = {
		{JR_LEDGER_compute_ms, STEP_compute_ms},
		{JR_LEDGER_exposed_communication_ms, STEP_exposed_communication_ms},
		{JR_LEDGER_exposed_copy_ms, STEP_exposed_copy_ms},
		{JR_LEDGER_idle_in_modules_ms, STEP_idle_in_modules_ms},
		{JR_LEDGER_idle_between_modules_ms, STEP_idle_between_modules_ms},
		{JR_LEDGER_other_programs_ms, STEP_other_programs_ms},
		{JR_LEDGER_warmup_ms, STEP_warmup_ms},
		{JR_LEDGER_exposed_transfer_ms, STEP_exposed_transfer_ms},
		{JR_LEDGER_exposed_waiting_ms, STEP_exposed_waiting_ms},
	};
	struct jr_table *table = jr_table_new(ctx->arena, &step_spec, shown->n_rows);
	for (size_t k = 0; k < shown->n_rows; k++) {
		size_t from = summary ? k : ranked->rows[k];
		double steps = shown->cells[JR_LEDGER_steps].f64[from];
		table->cells[STEP_device].text[k] =
			summary ? jr_arena_printf(
						  ctx->arena, "Device %s", shown->cells[JR_LEDGER_device].text[from])
					: device_label(ctx->arena, ranked, k, shown->cells[JR_LEDGER_device].i64[from]);
		for (size_t i = 0; i < JR_COUNT_OF(parts); i++)
			table->cells[parts[i].of_step].f64[k] =
				(double)shown->cells[parts[i].of_all].i64[from] / (steps > 0 ? steps : 1);
	}
	return table;
}

static void add_chart(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *steps, const char *which)
{
	bool split = jr_step_waiting_known(ctx->instances);
	struct jr_chart chart = {.name = "ledger",
		.title = "Time breakdown by device",
		.caption = jr_arena_printf(ctx->arena,
			"mean over the steady steps of each device; the device that delays the others "
			"most comes first%s",
			which),
		.kind = JR_CHART_STACKED,
		.table = steps,
		.x = JR_KEY(STEP, device),
		.parts = split ? jr_step_split_keys : jr_step_part_keys,
		.part_roles = split ? jr_step_split_roles : jr_step_part_roles,
		.x_title = "Device",
		.y_title = "Time per step"};
	jr_section_chart(out, ctx->arena, &chart);
}

/* The same columns, but only in JSON and CSV. */
static const struct jr_table_spec data_spec = {
	JR_TABLE_SPEC("ledger", "ledger", "Time breakdown",
		"Per device, over all steady steps; the parts add up to the wall time exactly", columns),
	.data_only = true};

/* Build a row for each device that takes steps in these windows. */
static struct jr_table *device_table(struct jr_pass_context *ctx,
	const struct jr_step_windows *windows, const struct jr_step_parts *parts,
	const struct jr_table_spec *table_spec)
{
	const struct jr_profile *p = ctx->profile;
	size_t n = 0;
	for (size_t d = 0; d < p->n_devices; d++)
		n += windows->devices[d].program != JR_NONE;
	struct jr_table *table = jr_table_new(ctx->arena, table_spec, n);
	size_t row = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		const struct jr_step_window *window = &windows->devices[d];
		if (window->program == JR_NONE)
			continue;
		const int64_t *parts_ns = parts->devices[d].ns;
		union jr_cells *c = table->cells;
		c[JR_LEDGER_device].i64[row] = p->devices[d].global;
		c[JR_LEDGER_compute_ms].i64[row] = parts_ns[JR_TIME_COMPUTE];
		c[JR_LEDGER_exposed_communication_ms].i64[row] =
			parts_ns[JR_TIME_TRANSFER] + parts_ns[JR_TIME_WAITING];
		c[JR_LEDGER_exposed_transfer_ms].i64[row] = parts_ns[JR_TIME_TRANSFER];
		c[JR_LEDGER_exposed_waiting_ms].i64[row] = parts_ns[JR_TIME_WAITING];
		c[JR_LEDGER_exposed_copy_ms].i64[row] = parts_ns[JR_TIME_COPY];
		c[JR_LEDGER_idle_in_modules_ms].i64[row] = parts_ns[JR_TIME_IN_MODULE];
		c[JR_LEDGER_idle_between_modules_ms].i64[row] = parts_ns[JR_TIME_BETWEEN];
		c[JR_LEDGER_other_programs_ms].i64[row] = parts_ns[JR_TIME_OTHER_PROGRAM];
		c[JR_LEDGER_wall_ms].i64[row] = parts->devices[d].wall_ns;
		c[JR_LEDGER_warmup_ms].i64[row] = parts_ns[JR_TIME_WARMUP];
		if (window->n_periods > 0)
			c[JR_LEDGER_steps].f64[row] = window->n_periods;
		row++;
	}
	return table;
}

/* The same for one step. */
static const struct jr_table_spec median_spec = {
	JR_TABLE_SPEC("ledger_median", "ledger_median", "Time breakdown of the median step by device",
		"Per device, for the step closest to the median; only if mean and median period "
		"differ by more than 5 %",
		columns),
	.data_only = true};

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	if (ctx->windows->irregular) {
		out->unavailable = jr_variants_no_step;
		return;
	}
	struct jr_table *table = device_table(ctx, ctx->windows, ctx->parts, &spec);
	size_t n = table->n_rows;
	struct ranked ranked = rank_rows(ctx);
	bool summary = n > JR_DEVICES_IN_FULL;
	struct jr_table *shown = summary ? summary_table(ctx, table, &ranked) : table;
	struct jr_table *steps = step_table(ctx, shown, &ranked, summary);
	add_chart(ctx, out, steps,
		summary ? jr_arena_printf(ctx->arena, "; three of %s devices are shown",
					  jr_count_text(ctx->arena, (int64_t)n))
				: "");
	jr_section_table(out, ctx->arena, steps);
	jr_section_table(out, ctx->arena, shown);
	if (shown != table) {
		table->spec = &data_spec;
		jr_section_table(out, ctx->arena, table);
	}
	if (ctx->typical != ctx->windows)
		jr_section_table(out, ctx->arena,
			device_table(ctx, ctx->typical, jr_step_parts_compute(ctx, ctx->typical, ctx->scratch),
				&median_spec));
}

const struct jr_pass jr_pass_ledger = {
	.name = "ledger",
	.title = "Time breakdown",
	.summary =
		"Steady wall time by device, split by what ran: the chart per step, the table over all "
		"steps; the parts add up exactly",
	.needs = JR_NEEDS_MODULES,
	.group = JR_GROUP_STEP,
	.run = run,
};
