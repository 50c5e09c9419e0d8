/* Waiting by device, with one cell per device of the job. */
#include "analysis/devices/devices_parts.h"
#include "analysis/core/say.h"

#include "analysis/shared/columns.h"
#include "analysis/shared/delays.h"
#include "analysis/core/device_name.h"
#include "analysis/core/keys.h"

#define MAX_CELLS 16384 /* more cells would be too small, and the page too large */
#define MUCH 0.1        /* share of all waiting from which a device is outlined */

#define COLUMNS(X, T)                                                                              \
	X(T, device, "Device", "global device number", I64, NONE, JR_COL_KEY)                          \
	X(T, hostname, "Host", "machine of the device", TEXT, NONE, JR_COL_CODE)                       \
	X(T, waited_step_ms, "Waiting per step",                                                       \
		"durations beyond the shortest of each collective instance, mean over its steady steps; "  \
		"empty if it shared no collective with other devices",                                     \
		F64, NS)                                                                                   \
	X(T, caused_fraction, "Waiting caused",                                                        \
		"share of the waiting of all devices, in collectives at which it arrived last", F64, FRAC) \
	X(T, name, "Name", "name of a device that causes much waiting", TEXT, NONE,                    \
		JR_COL_RENDERED_ONLY)                                                                      \
	X(T, told, "Description", "description in words", TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_TABLE(spec, COL, COLUMNS, "rank_waits", NULL, "Waiting by device", "Per device, grouped by host",
	.data_only = true);

static void fill_row(
	struct jr_pass_context *ctx, struct jr_table *table, size_t row, uint32_t device, double all_ns)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_device_delay *delay = &ctx->delays->devices[device];
	double periods = ctx->windows->devices[device].n_periods;
	uint32_t host = jr_device_host(p, device);
	table->cells[COL_device].i64[row] = p->devices[device].global;
	table->cells[COL_hostname].text[row] = host == JR_NONE ? NULL : jr_str(p, host);
	if (!delay->instances)
		return;
	double waited_ns = (double)delay->waited_ns / (periods > 0 ? periods + 1 : 1);
	double share = (double)delay->caused_ns / all_ns;
	table->cells[COL_waited_step_ms].f64[row] = waited_ns;
	table->cells[COL_caused_fraction].f64[row] = share;
	if (share < MUCH)
		return;
	const char *name = jr_device_name(p, device, ctx->arena);
	table->cells[COL_name].text[row] = jr_arena_printf(ctx->arena, "Device %s", name);
	table->cells[COL_told].text[row] =
		jr_arena_printf(ctx->arena, "Device %s waits %s per step and causes %s %% of all waiting",
			name, jr_time_text(ctx->arena, waited_ns), jr_digits_text(ctx->arena, 100 * share, 3));
}

void jr_add_rank_waits(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	double all_ns = 0;
	size_t n, n_hosts = 1, n_marked = 0;
	const struct jr_seat *seats = jr_seat_devices(ctx, &n);
	for (size_t d = 0; d < p->n_devices; d++)
		all_ns += (double)ctx->delays->devices[d].caused_ns;
	if (n <= JR_DEVICES_IN_FULL || n > MAX_CELLS || !(all_ns > 0))
		return;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	for (size_t row = 0; row < n; row++) {
		fill_row(ctx, table, row, seats[row].device, all_ns);
		n_marked += table->cells[COL_name].text[row] != NULL;
		n_hosts += row && seats[row].first != seats[row - 1].first;
	}
	static const char *const parts[] = {"wait", NULL};
	struct jr_chart strip = {.name = "rank_waits",
		.title = "Waiting per step by device",
		.caption = jr_arena_printf(ctx->arena,
			"one cell per device%s; the number at the left is that of the first device in the row. "
			"The color shows how long the device waits in collectives for devices that arrive "
			"later, mean over its steady steps; some of this may overlap with compute. %s",
			n_hosts > 1 && n_hosts < n ? ", grouped by host" : "",
			n_marked ? "Devices that cause at least 10 % of all waiting are outlined."
					 : "No device is outlined, because none causes 10 % of all waiting."),
		.kind = JR_CHART_CELLS,
		.table = table,
		.x = JR_KEY(COL, device),
		.y = JR_KEY(COL, waited_step_ms),
		.series = JR_KEY(COL, hostname),
		.marked = JR_KEY(COL, name),
		.label = JR_KEY(COL, told),
		.parts = parts,
		.part_roles = parts,
		.y_title = "Devices by waiting per step, overlapped waiting included"};
	jr_section_chart(out, ctx->arena, &strip);
	jr_section_table(out, ctx->arena, table);
}
