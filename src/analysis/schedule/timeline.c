/* Step timeline: one steady execution of each top module on all its devices, thunk by thunk. */
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/say.h"
#include "analysis/shared/delays.h"
#include "analysis/schedule/op_roles.h"
#include "analysis/schedule/replay_parts.h"
#include "analysis/core/keys.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"

#define MAX_MODULES 4
#define MAX_DEVICES 8 /* two lanes each fit the chart; of more devices, three are shown */

#define COLUMNS(X, T)                                                                              \
	X(T, lane, "Lane", "device, and compute or communication", TEXT, NONE)                         \
	X(T, device, "Device", "global device number", I64, NONE, JR_COL_KEY)                          \
	X(T, name, "Thunk", "name of the HLO instruction", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)       \
	X(T, thunk_execution, "Thunk execution",                                                       \
		"number of the execution of that thunk within the step, from 0", I64, COUNT, JR_COL_KEY)   \
	X(T, op_name, "op_name", "path of the JAX operation", TEXT, NONE, JR_COL_CODE)                 \
	X(T, category, "Category", "what the operation does", TEXT, NONE)                              \
	X(T, start_ms, "Time within the step",                                                         \
		"since the module's first start on any of these devices, on the aligned clock", I64, NS,   \
		JR_COL_KEY)                                                                                \
	X(T, end_ms, "End", "end of the thunk, on the same clock", I64, NS)                            \
	X(T, dur_ms, "Duration", "duration of the thunk", I64, NS)                                     \
	X(T, role, "Role", "meaning of its color", TEXT, NONE, JR_COL_RENDERED_ONLY)                   \
	X(T, row, "Row", "row of the profile's thunks", I64, NONE, JR_COL_RENDERED_ONLY)               \
	X(T, tip, "Tip", "text of an interval", TEXT, NONE, JR_COL_RENDERED_ONLY)                      \
	X(T, module_start_ms, "Module start", "start of the module on that device, on the same clock", \
		I64, NS, JR_COL_RENDERED_ONLY)                                                             \
	X(T, module_end_ms, "Module end", "end of the module on that device, on the same clock", I64,  \
		NS, JR_COL_RENDERED_ONLY)                                                                  \
	X(T, device_name, "Device", "number of the device", TEXT, NONE, JR_COL_RENDERED_ONLY)
JR_COLUMNS(columns, COL, COLUMNS);

/* --- choice of the execution ---------------------------------------------------------------- */

struct execution {
	int64_t dur_ns;
	uint32_t row; /* of modules */
};

JR_ORDER(compare_executions, struct execution, JR_UP(dur_ns) JR_UP(row))

/* Return the first device in the order of delays.h that ran the program steadily, and the reason
 * that it is before the next one. Return JR_NONE if there is none. The modules' own lengths cannot
 * be used, because collectives make them equal. */
static uint32_t slowest_device(
	const struct jr_pass_context *ctx, uint32_t program, enum jr_delay_reason *why)
{
	const struct jr_modules *m = &ctx->profile->modules;
	const struct jr_delays *delays = ctx->delays;
	uint8_t *ran = JR_ARENA_N(ctx->scratch, uint8_t, ctx->profile->n_devices + 1);
	uint32_t slowest = JR_NONE;
	*why = JR_DELAY_NONE;
	for (size_t i = 0; i < m->n; i++)
		ran[m->device[i]] |= m->steady[i] && m->program[i] == program;
	for (size_t i = 0; i < ctx->profile->n_devices; i++) {
		uint32_t device = delays->order[i];
		if (!ran[device])
			continue;
		if (slowest != JR_NONE) {
			*why = jr_delay_reason(delays, slowest, device);
			break;
		}
		slowest = device;
	}
	return slowest;
}

/* Return the row of the median steady execution on that device; for an even number, the shorter
 * one. */
static uint32_t median_execution(
	const struct jr_profile *p, uint32_t program, uint32_t device, struct jr_arena *scratch)
{
	struct execution *all = JR_ARENA_N(scratch, struct execution, p->modules.n + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < p->modules.n; i++)
		if (p->modules.steady[i] && p->modules.program[i] == program &&
			p->modules.device[i] == device)
			all[n++] = (struct execution){p->modules.dur_ns[i], i};
	if (n == 0)
		return JR_NONE;
	jr_sort(all, n, sizeof(*all), compare_executions);
	return all[(n - 1) / 2].row;
}

/* --- thunks of the execution ---------------------------------------------------------------- */

struct view {
	const struct jr_profile *p;
	uint32_t program, execution, slowest;
	uint32_t middle, last, waiting; /* other devices that are shown if there are many */
	uint8_t *shown;                 /* [n_devices] */
	uint32_t *module; /* [n_devices] row of modules; JR_NONE: the device did not run it */
	size_t n_devices, n_shown;
	const char **names, **compute, **communication; /* [n_devices] of devices and their lanes */
	double origin_ns;
	uint32_t *path; /* [n_path] rows of thunks on the critical path, by start */
	size_t n_path;
};

/* If there are many devices, show three: the slowest; the middle one of that order, as in the time
 * breakdown; and the one that waits most. If none waits, show the last of the order instead. */
static void choose_others(struct view *v, struct jr_pass_context *ctx)
{
	const struct jr_delays *delays = ctx->delays;
	size_t seen = 0;
	for (size_t i = 0; i < v->p->n_devices; i++) {
		uint32_t d = delays->order[i];
		if (v->module[d] == JR_NONE)
			continue;
		if (seen++ == (v->n_devices - 1) / 2)
			v->middle = d;
		v->last = d;
	}
	v->waiting = v->last;
	for (uint32_t d = 0; d < v->p->n_devices; d++)
		if (v->module[d] != JR_NONE && d != v->slowest && d != v->middle &&
			delays->devices[d].waited_ns > delays->devices[v->waiting].waited_ns)
			v->waiting = d;
	v->shown[v->middle] = v->shown[v->waiting] = 1;
	v->n_shown = 3;
}

/* Choose all devices that ran it, or three of them if there are many. */
static void choose_devices(struct view *v, struct jr_pass_context *ctx)
{
	const struct jr_profile *p = v->p;
	v->module = JR_ARENA_N(ctx->scratch, uint32_t, p->n_devices + 1);
	v->shown = JR_ARENA_N(ctx->scratch, uint8_t, p->n_devices + 1);
	v->names = JR_ARENA_N(ctx->arena, const char *, p->n_devices + 1);
	v->compute = JR_ARENA_N(ctx->arena, const char *, p->n_devices + 1);
	v->communication = JR_ARENA_N(ctx->arena, const char *, p->n_devices + 1);
	for (size_t d = 0; d < p->n_devices; d++)
		v->module[d] = JR_NONE;
	for (uint32_t i = 0; i < p->modules.n; i++)
		if (p->modules.program[i] == v->program && p->modules.program_execution[i] == v->execution)
			v->module[p->modules.device[i]] = i;
	v->shown[v->slowest] = 1;
	for (uint32_t d = 0; d < p->n_devices; d++)
		v->n_devices += v->module[d] != JR_NONE;
	v->n_shown = v->n_devices;
	if (v->n_devices > MAX_DEVICES)
		choose_others(v, ctx);
	for (uint32_t d = 0; d < p->n_devices; d++) {
		if (v->n_devices <= MAX_DEVICES)
			v->shown[d] = v->module[d] != JR_NONE;
		v->names[d] = jr_arena_printf(ctx->arena, "Device %u", p->devices[d].global);
		v->compute[d] = jr_arena_printf(ctx->arena, "%s compute", v->names[d]);
		v->communication[d] = jr_arena_printf(ctx->arena, "%s communication", v->names[d]);
	}
}

static bool in_view(const struct view *v, size_t row)
{
	return v->shown[jr_thunk_device(v->p, row)] && jr_thunk_execution(v->p, row) == v->execution &&
		   jr_thunk_op(v->p, row)->program == v->program;
}

/* Return a time relative to the origin of the view, rounded once. */
static int64_t in_step_ns(const struct view *v, int64_t at_ns, uint32_t device)
{
	return llround(jr_aligned_ns(v->p, at_ns, device) - v->origin_ns);
}

static void fill_row(struct jr_pass_context *ctx, const struct view *v, struct jr_table *table,
	size_t row, size_t thunk)
{
	const struct jr_profile *p = v->p;
	const struct jr_op *op = jr_thunk_op(p, thunk);
	uint32_t device = jr_thunk_device(p, thunk);
	union jr_cells *c = table->cells;
	char time[JR_NUM_MAX];
	jr_num_time(time, (double)jr_thunk_dur_ns(p, thunk));
	c[COL_lane].text[row] = op->communication ? v->communication[device] : v->compute[device];
	c[COL_device].i64[row] = p->devices[device].global;
	c[COL_device_name].text[row] = v->names[device];
	c[COL_name].text[row] = jr_str(p, op->name);
	c[COL_thunk_execution].i64[row] = jr_thunk_repeat(p, thunk);
	c[COL_op_name].text[row] = jr_text_or_null(p, op->op_name);
	c[COL_category].text[row] = jr_op_category(p, op);
	c[COL_start_ms].i64[row] = in_step_ns(v, jr_thunk_start_ns(p, thunk), device);
	c[COL_dur_ms].i64[row] = jr_thunk_dur_ns(p, thunk);
	c[COL_end_ms].i64[row] = c[COL_start_ms].i64[row] + jr_thunk_dur_ns(p, thunk);
	c[COL_row].i64[row] = (int64_t)thunk;
	c[COL_role].text[row] = jr_op_role(p, op);
	size_t module = v->module[device];
	c[COL_module_start_ms].i64[row] = in_step_ns(v, p->modules.start_ns[module], device);
	c[COL_module_end_ms].i64[row] = c[COL_module_start_ms].i64[row] + p->modules.dur_ns[module];
	const char *file = strrchr(jr_str(p, op->source_file), '/');
	c[COL_tip].text[row] = file && op->source_line > 0
							   ? jr_arena_printf(ctx->arena, "%s, %s (%s:%d)", jr_str(p, op->name),
									 time, file + 1, op->source_line)
							   : jr_arena_printf(ctx->arena, "%s, %s", jr_str(p, op->name), time);
}

/* --- the critical path ------------------------------------------------------------------------ */

static int compare_starts(const void *va, const void *vb, void *arg)
{
	const struct jr_profile *p = arg;
	const uint32_t *a = va, *b = vb;
	double x = jr_aligned_start_ns(p, *a), y = jr_aligned_start_ns(p, *b);
	return x < y || x > y ? (x < y ? -1 : 1) : (*a > *b) - (*a < *b);
}

/* For each launch on the path, find the execution that began last; for a collective, the others
 * waited for it. Nothing is found if the drawn step was not replayed. */
static void find_path(struct view *v, struct jr_pass_context *ctx)
{
	const struct jr_replay *r = ctx->replay;
	if (!r || r->program != v->program || (r->n_devices < 2 && !jr_replay_any_aside(r)))
		return; /* on a single device all compute is on the path */
	const struct jr_path *path = jr_critical_path(ctx, v->execution);
	const struct jr_replay_segment *drawn = &r->segments[r->main];
	if (!path || jr_replay_execution(r, path->step) != v->execution)
		return;
	v->path = JR_ARENA_N(ctx->scratch, uint32_t, r->order.n + 1);
	for (size_t i = drawn->first; i < drawn->last; i++) {
		uint32_t last = JR_NONE;
		for (size_t d = 0; d < r->n_devices; d++) {
			uint32_t row = r->rows[jr_replay_cell(r, path->step, i, d)];
			if (!path->on_path[i * r->n_devices + d] || row == JR_NONE)
				continue;
			if (last == JR_NONE || jr_aligned_start_ns(v->p, row) > jr_aligned_start_ns(v->p, last))
				last = row;
		}
		if (last != JR_NONE)
			v->path[v->n_path++] = last;
	}
	jr_sort_with(v->path, v->n_path, sizeof(*v->path), compare_starts, (void *)(uintptr_t)v->p);
}

static void fill_path_row(struct jr_pass_context *ctx, const struct view *v, struct jr_table *table,
	size_t row, size_t thunk)
{
	union jr_cells *c = table->cells;
	fill_row(ctx, v, table, row, thunk);
	c[COL_tip].text[row] =
		jr_arena_printf(ctx->arena, "%s: %s", c[COL_device_name].text[row], c[COL_tip].text[row]);
	c[COL_lane].text[row] = c[COL_device_name].text[row] = "Critical path";
}

/* Lanes appear in the order of their first row: by device, compute before communication. Rows of
 * thunks are already sorted by device and start. */
static struct jr_table *make_table(
	struct jr_pass_context *ctx, struct view *v, const struct jr_table_spec *spec)
{
	const struct jr_thunks *t = &v->p->thunks;
	size_t n = 0, row = 0;
	for (size_t i = 0; i < t->n; i++)
		n += in_view(v, i);
	uint32_t *rows = JR_ARENA_N(ctx->scratch, uint32_t, n + 1);
	v->origin_ns = INFINITY;
	n = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		if (!in_view(v, i))
			continue;
		size_t module = v->module[jr_thunk_device(v->p, i)];
		rows[n++] = i;
		v->origin_ns = fmin(v->origin_ns,
			fmin(jr_aligned_start_ns(v->p, i),
				jr_aligned_ns(v->p, v->p->modules.start_ns[module], jr_thunk_device(v->p, i))));
	}
	struct jr_table *table = jr_table_new(ctx->arena, spec, n + v->n_path);
	for (size_t first = 0, end = 0; first < n; first = end) {
		while (end < n && jr_thunk_device(v->p, rows[end]) == jr_thunk_device(v->p, rows[first]))
			end++;
		for (int communication = 0; communication < 2; communication++)
			for (size_t i = first; i < end; i++)
				if (jr_thunk_op(v->p, rows[i])->communication == communication)
					fill_row(ctx, v, table, row++, rows[i]);
	}
	for (size_t i = 0; i < v->n_path; i++)
		fill_path_row(ctx, v, table, row++, v->path[i]);
	table->n_data = table->n_rendered = n; /* the path is only drawn: it repeats thunks above */
	return table;
}

/* --- the pass ------------------------------------------------------------------------------- */

static void add_view(
	struct jr_pass_context *ctx, struct jr_section *out, uint32_t program, size_t index)
{
	const struct jr_profile *p = ctx->profile;
	struct view v = {.p = p, .program = program};
	enum jr_delay_reason why;
	v.slowest = slowest_device(ctx, program, &why);
	uint32_t row =
		v.slowest == JR_NONE ? JR_NONE : median_execution(p, program, v.slowest, ctx->scratch);
	if (row == JR_NONE)
		return;
	v.execution = p->modules.program_execution[row];
	choose_devices(&v, ctx);
	struct jr_table_spec *spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec);
	*spec = (struct jr_table_spec){
		JR_TABLE_SPEC(NULL, NULL, "Thunks of one step",
			"Per thunk of the step shown; by device, lane and start", columns),
		.data_only = true};
	spec->name = index ? jr_arena_printf(ctx->arena, "timeline_%zu", index + 1) : "timeline";
	find_path(&v, ctx);
	struct jr_table *table = make_table(ctx, &v, spec);
	if (table->n_rows == 0)
		return;
	static const char *const reasons[] = {[JR_DELAY_NONE] = "",
		[JR_DELAY_CAUSED] = ", which delays the others most",
		[JR_DELAY_COMPUTE] = ", which computes longest"};
	char others[JR_NUM_MAX];
	jr_num_grouped_i64(others, (int64_t)v.n_devices - 1);
	const char *some =
		v.n_shown < v.n_devices
			? jr_arena_printf(ctx->arena,
				  "; of the %s other devices, only device %u, the middle one, and device %u, %s",
				  others, p->devices[v.middle].global, p->devices[v.waiting].global,
				  ctx->delays->devices[v.waiting].waited_ns > 0 ? "which waits most in collectives"
																: "the last one")
			: "";
	const char *what = ctx->windows->irregular || ctx->windows->numbered ? "execution" : "step";
	struct jr_chart chart = {.name = spec->name,
		.title = jr_arena_printf(
			ctx->arena, "One %s of %s", what, jr_program_words(ctx->profile, program, ctx->arena)),
		.caption = jr_arena_printf(ctx->arena,
			"the median %s: execution %u on device %u%s%s; %s thunk%s. Per device, compute is "
			"above communication. Adjacent short thunks are merged; thunks shorter than a pixel "
			"are drawn lower%s",
			what, v.execution, p->devices[v.slowest].global, reasons[why], some,
			jr_count_text(ctx->arena, (int64_t)table->n_data), table->n_data == 1 ? "" : "s",
			v.n_path ? ". The last lane is the critical path: the operations that the next step "
					   "waits for, on any device"
					 : ""),
		.kind = JR_CHART_LANES,
		.table = table,
		.x = JR_KEY(COL, start_ms),
		.x_end = JR_KEY(COL, end_ms),
		.lane_begin = JR_KEY(COL, module_start_ms),
		.lane_end = JR_KEY(COL, module_end_ms),
		.y = JR_KEY(COL, lane),
		.lane_name = JR_KEY(COL, device_name),
		.series = JR_KEY(COL, role),
		.parts = jr_op_role_words,
		.part_roles = jr_op_roles,
		.label = JR_KEY(COL, tip),
		.inside = JR_KEY(COL, name)};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_steady *st = ctx->steady;
	if (st->n_top > MAX_MODULES)
		jr_section_text(out, ctx->arena, "Of %zu top modules, the %d with the most time are shown.",
			st->n_top, MAX_MODULES);
	size_t n = out->n;
	for (size_t i = 0; i < st->n_top && i < MAX_MODULES; i++)
		add_view(ctx, out, st->ranking[i], i);
	if (out->n > n)
		return;
	out->n = 0;
	out->unavailable = "not available, because no steady execution of a top module has a thunk";
}

const struct jr_pass jr_pass_timeline = {
	.name = "timeline",
	.title = "Step timeline",
	.summary = "One steady step of each top module, thunk by thunk, devices side by side",
	.needs = JR_NEEDS_THUNKS,
	.group = JR_GROUP_STEP,
	.run = run,
};
