/* Lags by device and step, with the devices that are late and since when; analysis/README.md,
 * section 6.6. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/core/device_name.h"
#include "analysis/core/keys.h"
#include "analysis/core/say.h"
#include "analysis/devices/devices_parts.h"
#include "analysis/shared/columns.h"
#include "analysis/shared/lateness.h"
#include "base/order.h"

#define MAX_ROWS 64     /* of the figure: about 6 px each */
#define MAX_COLUMNS 100 /* about 6 px each; 3 px in a narrow window */
#define MAX_TOLD 4      /* hosts or devices that a sentence describes */

#define COLUMNS(X, T)                                                                              \
	X(T, row, "Row", "host and device, or the first and last host", TEXT, NONE, JR_COL_KEY)        \
	X(T, hostname, "Host",                                                                         \
		"machine of the devices; empty if there are several, or if it is "                         \
		"unknown",                                                                                 \
		TEXT, NONE, JR_COL_CODE)                                                                   \
	X(T, device, "Device", "global device number; empty if the row has several devices", I64,      \
		NONE)                                                                                      \
	X(T, devices, "Devices", "number of devices in the row", I64, COUNT)                           \
	X(T, first_step, "First step", "number of the step, or of the first of several", I64, NONE,    \
		JR_COL_KEY)                                                                                \
	X(T, last_step, "Last step", "number of the last step", I64, NONE)                             \
	X(T, lag_ms, "Lag",                                                                            \
		"time that a device needs for the step, without waiting for others, beyond the median "    \
		"device; the largest of the row's devices and steps",                                      \
		F64, NS)                                                                                   \
	X(T, lasting, "Late", "the row is late from this step on", BOOL, NONE, JR_COL_RENDERED_ONLY)   \
	X(T, note, "When", "when the row is late", TEXT, NONE, JR_COL_RENDERED_ONLY)                   \
	X(T, told, "Description", "description in words", TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_TABLE(spec, COL, COLUMNS, "step_lags", NULL, "Lag by device and step",
	"Per device and step, grouped by host; of many devices or steps, "
	"several are in one row, with their largest lag",
	.data_only = true);

struct grid {
	struct jr_pass_context *ctx;
	const struct jr_lateness *late;
	size_t n_devices, n_hosts;   /* devices with lags; a device of unknown host is one by itself */
	struct jr_seat *seats;       /* [n_devices] host by host */
	uint32_t *row_of;            /* [profile devices] */
	size_t n_rows, hosts_in_row; /* hosts_in_row 0: one device per row */
	size_t n_steps, n_columns, steps_in_column;
	uint32_t *steps;     /* [n_steps] ascending */
	uint32_t *column_of; /* [largest step + 1] */
	struct jr_table *table;
};

/* --- rows and columns ------------------------------------------------------------------------- */

static void keep_seats(struct grid *g)
{
	size_t n;
	g->seats = jr_seat_devices(g->ctx, &n);
	for (size_t i = 0; i < n; i++) {
		uint32_t d = g->seats[i].device;
		if (g->late->first[d] == g->late->first[d + 1])
			continue;
		g->n_hosts += g->n_devices == 0 || g->seats[g->n_devices - 1].first != g->seats[i].first;
		g->seats[g->n_devices++] = g->seats[i];
	}
}

static void find_rows(struct grid *g)
{
	size_t host = 0;
	g->row_of = JR_ARENA_N(g->ctx->scratch, uint32_t, g->ctx->profile->n_devices + 1);
	if (g->n_devices > MAX_ROWS)
		g->hosts_in_row = (g->n_hosts + MAX_ROWS - 1) / MAX_ROWS;
	for (size_t i = 0; i < g->n_devices; i++) {
		host += i && g->seats[i].first != g->seats[i - 1].first;
		g->row_of[g->seats[i].device] = (uint32_t)(g->hosts_in_row ? host / g->hosts_in_row : i);
	}
	g->n_rows = g->n_devices ? g->row_of[g->seats[g->n_devices - 1].device] + 1U : 0;
}

/* The numbers of steps are dense, so an array by number is small. */
static void find_columns(struct grid *g)
{
	size_t room = 0;
	for (size_t i = 0; i < g->late->n; i++)
		if (g->late->lags[i].step >= room)
			room = (size_t)g->late->lags[i].step + 1;
	g->column_of = JR_ARENA_N(g->ctx->scratch, uint32_t, room + 1);
	g->steps = JR_ARENA_N(g->ctx->scratch, uint32_t, room + 1);
	for (size_t i = 0; i < g->late->n; i++)
		g->column_of[g->late->lags[i].step] |= isfinite(g->late->lags[i].lag_ns);
	for (uint32_t step = 0; step < room; step++)
		if (g->column_of[step])
			g->steps[g->n_steps++] = step;
	g->steps_in_column = (g->n_steps + MAX_COLUMNS - 1) / MAX_COLUMNS;
	for (size_t i = 0; i < g->n_steps; i++)
		g->column_of[g->steps[i]] = (uint32_t)(i / g->steps_in_column);
	g->n_columns = g->n_steps ? g->column_of[g->steps[g->n_steps - 1]] + 1U : 0;
}

/* --- cells ------------------------------------------------------------------------------------ */

static bool several_hosts(const struct grid *g)
{
	return g->n_hosts > 1 && jr_device_host(g->ctx->profile, g->seats[0].device) != JR_NONE;
}

static const char *host_name(const struct grid *g, const struct jr_seat *seat)
{
	uint32_t host = jr_device_host(g->ctx->profile, seat->device);
	return host == JR_NONE ? NULL : jr_str(g->ctx->profile, host);
}

/* Name the row of seats [from, to): "node017, 3", "3", "node017", or "node017 to node020". */
static const char *row_name(const struct grid *g, size_t from, size_t to)
{
	const struct jr_device *devices = g->ctx->profile->devices;
	const struct jr_seat *first = &g->seats[from], *last = &g->seats[to - 1];
	const char *host = several_hosts(g) ? host_name(g, first) : NULL, *end = host_name(g, last);
	uint32_t a = devices[first->device].global, b = devices[last->device].global;
	if (to - from == 1)
		return host ? jr_arena_printf(g->ctx->arena, "%s, %" PRIu32, host, a)
					: jr_arena_printf(g->ctx->arena, "%" PRIu32, a);
	if (!host || !end)
		return jr_arena_printf(g->ctx->arena, "%" PRIu32 " to %" PRIu32, a, b);
	return first->first == last->first ? host
									   : jr_arena_printf(g->ctx->arena, "%s to %s", host, end);
}

static void fill_row(struct grid *g, size_t row, size_t from, size_t to)
{
	union jr_cells *cells = g->table->cells;
	const struct jr_profile *p = g->ctx->profile;
	const char *name = row_name(g, from, to);
	bool one_host = g->seats[from].first == g->seats[to - 1].first;
	for (size_t c = 0; c < g->n_columns; c++) {
		size_t cell = row * g->n_columns + c, last = (c + 1) * g->steps_in_column;
		last = last < g->n_steps ? last : g->n_steps;
		cells[COL_row].text[cell] = name;
		cells[COL_hostname].text[cell] = one_host ? host_name(g, &g->seats[from]) : NULL;
		if (to - from == 1)
			cells[COL_device].i64[cell] = p->devices[g->seats[from].device].global;
		cells[COL_devices].i64[cell] = (int64_t)(to - from);
		cells[COL_first_step].i64[cell] =
			jr_step_number(p, g->ctx->windows, g->steps[c * g->steps_in_column]);
		cells[COL_last_step].i64[cell] = jr_step_number(p, g->ctx->windows, g->steps[last - 1]);
	}
}

static void fill_lags(struct grid *g)
{
	double *lag_ns = g->table->cells[COL_lag_ms].f64;
	for (size_t i = 0; i < g->late->n; i++) {
		const struct jr_lag *lag = &g->late->lags[i];
		if (!isfinite(lag->lag_ns))
			continue;
		size_t cell = g->row_of[lag->device] * g->n_columns + g->column_of[lag->step];
		lag_ns[cell] = fmax(lag_ns[cell], lag->lag_ns); /* fmax() ignores NaN */
	}
}

/* --- which rows are late ---------------------------------------------------------------------- */

/* Seats [from, to) that are late enough to be described. */
struct group {
	uint32_t *devices;
	size_t n;
	struct jr_late late;
};

static struct group late_group(struct grid *g, size_t from, size_t to)
{
	struct group group = {.devices = JR_ARENA_N(g->ctx->scratch, uint32_t, to - from)};
	for (size_t i = from; i < to; i++)
		if (jr_late_matters(g->late, g->seats[i].device))
			group.devices[group.n++] = g->seats[i].device;
	group.late = jr_lateness_of(g->late, group.devices, group.n, g->ctx->scratch);
	return group;
}

/* Which of the n devices of a row are late: ", node654", ", device 37", ", 4 of 8"; "": all. */
static const char *who_is_late(const struct grid *g, const struct group *group, size_t n)
{
	struct jr_arena *arena = g->ctx->arena;
	const struct jr_profile *p = g->ctx->profile;
	uint32_t host = jr_device_host(p, group->devices[0]);
	bool one_host = host != JR_NONE && host == jr_device_host(p, group->devices[group->n - 1]);
	if (g->hosts_in_row > 1 && one_host)
		return jr_arena_printf(arena, ", %s", jr_str(p, host));
	if (group->n == n)
		return "";
	if (group->n == 1)
		return jr_arena_printf(arena, ", device %" PRIu32, p->devices[group->devices[0]].global);
	return jr_arena_printf(arena, ", %zu of %zu", group->n, n);
}

/* Put the note of a row of n devices into the cell in which its lateness begins. */
static void mark_row(struct grid *g, size_t row, const struct group *group, size_t n)
{
	const char *words =
		jr_late_words(g->ctx->profile, g->ctx->windows, &group->late, g->ctx->arena);
	if (!group->n || !words)
		return;
	words = jr_arena_printf(g->ctx->arena, "%s%s", words, who_is_late(g, group, n));
	size_t column = group->late.when == JR_LATE_SINCE ? g->column_of[group->late.since] : 0;
	g->table->cells[COL_note].text[row * g->n_columns + column] = words;
	g->table->cells[COL_lasting].boolean[row * g->n_columns + column] =
		group->late.when == JR_LATE_SINCE || group->late.when == JR_LATE_ALWAYS;
}

/* "Device 37 on “node054” is late since step 12, by 984 µs per step on average" */
static const char *group_words(struct grid *g, const struct group *group, size_t n_of_host)
{
	struct jr_arena *arena = g->ctx->arena;
	const struct jr_profile *p = g->ctx->profile;
	uint32_t host = jr_device_host(p, group->devices[0]);
	const char *words = jr_late_words(p, g->ctx->windows, &group->late, arena);
	const char *who =
		group->n == 1
			? jr_arena_printf(arena, "Device %s is", jr_device_name(p, group->devices[0], arena))
		: host == JR_NONE
			? jr_arena_printf(arena, "%s devices are", jr_count_text(arena, (int64_t)group->n))
		: group->n == n_of_host ? jr_arena_printf(arena, "All %zu devices of %s are", group->n,
									  jr_quoted(jr_str(p, host), arena))
								: jr_arena_printf(arena, "%zu of the %zu devices of %s are",
									  group->n, n_of_host, jr_quoted(jr_str(p, host), arena));
	return jr_arena_printf(arena, "%s late %s%s%s%s%s%s, by %s per step on average", who,
		words ? words : "in a single step", group->late.when == JR_LATE_SINCE ? " (" : "",
		group->late.when == JR_LATE_SINCE ? jr_count_text(arena, (int64_t)group->late.n_late) : "",
		group->late.when == JR_LATE_SINCE ? " of " : "",
		group->late.when == JR_LATE_SINCE ? jr_count_text(arena, (int64_t)group->late.n_steps) : "",
		group->late.when == JR_LATE_SINCE ? " steps)" : "",
		jr_time_text(arena, group->late.mean_ns));
}

static bool same_host(const struct grid *g, size_t a, size_t b)
{
	return g->seats[a].first == g->seats[b].first;
}

static const char *none_late(const struct grid *g)
{
	struct jr_arena *arena = g->ctx->arena;
	size_t n = 0;
	uint32_t most = g->seats[0].device;
	for (size_t i = 0; i < g->n_devices; i++) {
		uint32_t d = g->seats[i].device;
		n += g->late->devices[d].n_late > 0;
		if (g->late->devices[d].mean_ns > g->late->devices[most].mean_ns)
			most = d;
	}
	if (n && g->late->devices[most].mean_ns > g->late->bound_ns / 2) {
		return jr_arena_printf(arena,
			"Lags vary too much to judge a device. Device %s has the largest, %s per step on "
			"average",
			jr_device_name(g->ctx->profile, most, arena),
			jr_time_text(arena, g->late->devices[most].mean_ns));
	}
	return n == 0
			   ? "No device is late"
			   : jr_arena_printf(arena,
					 "No device is late often enough to matter; %zu device%s late in a few steps",
					 n, n == 1 ? " is" : "s are");
}

/* Describe the first hosts with late devices, one sentence each, in a cell of their row. */
static void tell_hosts(struct grid *g)
{
	const char **told = g->table->cells[COL_told].text;
	size_t n_told = 0, n_more = 0, last = 0;
	for (size_t from = 0, to; from < g->n_devices; from = to) {
		for (to = from; to < g->n_devices && same_host(g, from, to);)
			to++;
		struct group group = late_group(g, from, to);
		if (!group.n)
			continue;
		size_t cell = g->row_of[group.devices[0]] * g->n_columns;
		while (cell % g->n_columns + 1 < g->n_columns && told[cell])
			cell++; /* another host of the row */
		if (n_told < MAX_TOLD && !told[cell]) {
			told[last = cell] = group_words(g, &group, to - from);
			n_told++;
		} else {
			n_more += group.n;
		}
	}
	if (!n_told)
		told[0] = none_late(g);
	else if (n_more)
		told[last] = jr_arena_printf(g->ctx->arena, "%s. %zu more device%s late", told[last],
			n_more, n_more == 1 ? " is" : "s are");
}

/* --- the chart -------------------------------------------------------------------------------- */

static bool any_lasting(const struct grid *g)
{
	for (size_t i = 0; i < g->table->n_rows; i++)
		if (g->table->cells[COL_lasting].boolean[i] == 1)
			return true;
	return false;
}

static const char *caption(const struct grid *g)
{
	struct jr_arena *arena = g->ctx->arena;
	const char *binned = "";
	if (g->hosts_in_row || g->steps_in_column > 1)
		binned = jr_arena_printf(arena, " Each cell shows the worst of %s%s%s.",
			g->hosts_in_row > 1 ? jr_arena_printf(arena, "%zu hosts", g->hosts_in_row)
			: g->hosts_in_row   ? "the devices of a host"
								: "",
			g->hosts_in_row && g->steps_in_column > 1 ? " and " : "",
			g->steps_in_column > 1 ? jr_arena_printf(arena, "%zu steps", g->steps_in_column) : "");
	return jr_arena_printf(arena,
		"The color shows how much longer than the median device a device needs for a step, without "
		"its waiting for other devices. It is late above %s.%s%s",
		jr_time_text(arena, g->late->bound_ns),
		any_lasting(g) ? " Outlined: late from there on." : "", binned);
}

static void add_chart(struct grid *g, struct jr_section *out)
{
	static const char *const parts[] = {"wait", NULL};
	bool hosts = several_hosts(g);
	struct jr_chart chart = {.name = "step_lags",
		.title = "Lag by device and step",
		.caption = caption(g),
		.kind = JR_CHART_HEAT,
		.table = g->table,
		.x = JR_KEY(COL, first_step),
		.x_end = JR_KEY(COL, last_step),
		.y = JR_KEY(COL, lag_ms),
		.series = JR_KEY(COL, row),
		.marked = JR_KEY(COL, note),
		.frame = JR_KEY(COL, lasting),
		.label = JR_KEY(COL, told),
		.lane_name = JR_KEY(COL, hostname),
		.band = g->late->bound_ns,
		.parts = parts,
		.part_roles = parts,
		.x_title = "Step",
		.y_title = hosts && g->hosts_in_row ? "Host"
				   : hosts                  ? "Host, device"
											: "Device"};
	jr_section_chart(out, g->ctx->arena, &chart);
	jr_section_table(out, g->ctx->arena, g->table);
}

void jr_add_step_lags(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct grid g = {.ctx = ctx, .late = ctx->lateness};
	keep_seats(&g);
	find_rows(&g);
	find_columns(&g);
	if (g.n_devices < 2 || g.n_steps < 2)
		return;
	g.table = jr_table_new(ctx->arena, &spec, g.n_rows * g.n_columns);
	for (size_t from = 0, to, row = 0; from < g.n_devices; from = to, row++) {
		for (to = from; to < g.n_devices && g.row_of[g.seats[to].device] == row;)
			to++;
		fill_row(&g, row, from, to);
		struct group group = late_group(&g, from, to);
		mark_row(&g, row, &group, to - from);
	}
	fill_lags(&g);
	tell_hosts(&g);
	add_chart(&g, out);
}

JR_ORDER(compare_seats, struct jr_seat, JR_UP(first) JR_UP(device))

struct jr_seat *jr_seat_devices(struct jr_pass_context *ctx, size_t *n)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_seat *seats = JR_ARENA_N(ctx->scratch, struct jr_seat, p->n_devices + 1);
	struct jr_map first_of = {0};
	*n = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		uint32_t host = jr_device_host(p, d);
		if (ctx->windows->devices[d].program == JR_NONE && !ctx->delays->devices[d].instances)
			continue;
		uint32_t first = host == JR_NONE ? d : jr_map_get(&first_of, host);
		if (first == JR_NONE) {
			first = d;
			jr_map_put(&first_of, host, d);
		}
		seats[(*n)++] = (struct jr_seat){first, d};
	}
	jr_map_done(&first_of);
	qsort(seats, *n, sizeof(*seats), compare_seats);
	return seats;
}
