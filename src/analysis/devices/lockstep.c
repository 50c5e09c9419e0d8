/* Lock-step plot, analysis/README.md, section 6.4: do the devices run a module's thunks at the same
 * time? */
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/say.h"
#include "analysis/core/keys.h"
#include "base/order.h"
#include "base/sort.h"

#define N_EXTREME 8
#define MAX_MODULES 64 /* charts; limits the report of a job with very many functions */

/* An event is the start or the end of a thunk of the module. Each event happens once per
 * execution and device. Times are relative to the execution's mean start over devices, on the
 * aligned clock. */
struct event {
	double mean_ns;
	double low_ns, high_ns, sigma_ns; /* offsets of devices and executions from the mean */
	size_t first;                     /* biases, one per device */
	uint32_t n, op;
	bool end;
};

/* The events of a module, by (op, number of its run within the module, end), and by mean time. The
 * mean offset of a device at an event is its bias. */
struct events {
	size_t n;
	struct event *items;
	uint32_t *in_time; /* [n] events by mean time */
	double *bias_ns;
	uint32_t *bias_device;
};

/* Rows of a table, grouped by program: rows[first[k]] to rows[first[k + 1]] belong to program k. */
struct rows {
	size_t *first;
	uint32_t *rows;
};

static struct rows by_program(
	const uint32_t *program, size_t n, size_t n_programs, struct jr_arena *arena)
{
	struct rows by = {
		JR_ARENA_N(arena, size_t, n_programs + 2), JR_ARENA_N(arena, uint32_t, n + 1)};
	for (size_t i = 0; i < n; i++)
		by.first[program[i] + 2]++;
	for (size_t k = 2; k < n_programs + 2; k++)
		by.first[k] += by.first[k - 1];
	for (uint32_t i = 0; i < n; i++)
		by.rows[by.first[program[i] + 1]++] = i;
	return by;
}

/* Data that all modules share. */
struct lockstep {
	struct jr_pass_context *ctx;
	struct rows modules;
	size_t *first_thunk; /* [modules.n + 1] of each module row */
	uint32_t *place;     /* [n_devices] index from 1 in the current module; 0: not in it */
};

/* Return the mean aligned start over devices of each steady execution of the program. It is NaN if
 * there is none, or if fewer devices recorded this execution than others: a mean over fewer devices
 * would shift all their samples. */
static double *execution_starts(const struct lockstep *l, uint32_t program, size_t *n)
{
	const struct jr_profile *p = l->ctx->profile;
	const struct jr_modules *m = &p->modules;
	const uint32_t *rows = l->modules.rows;
	size_t first = l->modules.first[program], end = l->modules.first[program + 1];
	*n = 0;
	for (size_t k = first; k < end; k++)
		if (m->program_execution[rows[k]] >= *n)
			*n = (size_t)m->program_execution[rows[k]] + 1;
	double *sum = JR_ARENA_N(l->ctx->scratch, double, *n + 1);
	uint32_t *count = JR_ARENA_N(l->ctx->scratch, uint32_t, *n + 1);
	for (size_t k = first; k < end; k++) {
		uint32_t i = rows[k];
		if (!m->steady[i])
			continue;
		sum[m->program_execution[i]] += jr_aligned_ns(p, m->start_ns[i], m->device[i]);
		count[m->program_execution[i]]++;
	}
	uint32_t most = 0;
	for (size_t i = 0; i < *n; i++)
		most = count[i] > most ? count[i] : most;
	for (size_t i = 0; i < *n; i++)
		sum[i] = most && count[i] == most ? sum[i] / most : NAN;
	return sum;
}

/* A thunk's run of a module, over its executions on all devices: its start and its end. */
struct run_of_thunk {
	struct event events[2];
	struct jr_stats stats[2];
	double sum_ns[2], off_ns[2]; /* off_ns: of the device */
	uint32_t n_runs, n_devices, n_of_device;
	uint32_t device; /* the last one */
};

/* The runs of a module's thunks, by (op, number of the run). */
struct runs {
	const struct lockstep *l;
	uint32_t program;
	const double *starts; /* of execution_starts() */
	size_t *first;        /* [n_ops + 1] run 0 of each op */
	struct run_of_thunk *items;
	struct events *of;
};

typedef void (*take_fn)(
	struct runs *runs, uint32_t op, uint32_t run, const double ns[2], uint32_t device);

/* Take the rows of the module that count, by device. All sums are made in this order. Rows are read
 * in the order of the table, because reading them by op would miss the cache for each. */
static inline void each_row(struct runs *r, take_fn take)
{
	const struct lockstep *l = r->l;
	const struct jr_profile *p = l->ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	size_t first = l->modules.first[r->program], end = l->modules.first[r->program + 1];
	for (size_t k = first; k < end; k++) {
		uint32_t module = l->modules.rows[k], device = p->modules.device[module];
		double start_ns = r->starts[p->modules.program_execution[module]];
		if (isnan(start_ns) || !(p->thunks_fell_back || p->modules.steady[module]))
			continue;
		for (size_t i = l->first_thunk[module]; i < l->first_thunk[module + 1]; i++) {
			double ns = jr_aligned_ns(p, jr_thunk_start_ns(p, i), device) - start_ns;
			take(r, t->op[i], jr_thunk_repeat(p, i),
				(double[2]){ns, ns + (double)jr_thunk_dur_ns(p, i)}, device);
		}
	}
}

static void take_size(
	struct runs *r, uint32_t op, uint32_t run, const double ns[2], uint32_t device)
{
	(void)ns, (void)device;
	if (run >= r->first[op + 1])
		r->first[op + 1] = (size_t)run + 1;
}

static void take_sums(
	struct runs *r, uint32_t op, uint32_t run, const double ns[2], uint32_t device)
{
	struct run_of_thunk *at = &r->items[r->first[op] + run];
	at->n_devices += at->n_runs == 0 || at->device != device;
	at->device = device;
	at->n_runs++;
	at->sum_ns[0] += ns[0];
	at->sum_ns[1] += ns[1];
}

static void end_device(struct run_of_thunk *at, struct events *of)
{
	for (int side = 0; side < 2; side++) {
		struct event *event = &at->events[side];
		of->bias_device[event->first + event->n] = at->device;
		of->bias_ns[event->first + event->n++] = at->off_ns[side] / (double)at->n_of_device;
		at->off_ns[side] = 0;
	}
	at->n_of_device = 0;
}

static void take_offsets(
	struct runs *r, uint32_t op, uint32_t run, const double ns[2], uint32_t device)
{
	struct run_of_thunk *at = &r->items[r->first[op] + run];
	if (at->n_of_device && at->device != device)
		end_device(at, r->of);
	at->device = device;
	at->n_of_device++;
	for (int side = 0; side < 2; side++) {
		struct event *event = &at->events[side];
		double off_ns = ns[side] - event->mean_ns;
		event->low_ns = off_ns < event->low_ns ? off_ns : event->low_ns;
		event->high_ns = off_ns > event->high_ns ? off_ns : event->high_ns;
		jr_stats_add(&at->stats[side], ns[side]);
		at->off_ns[side] += off_ns;
	}
}

/* Find the runs that occur, and their means. Return their number. */
static size_t find_runs(struct runs *r, size_t *n_biases)
{
	size_t n_ops = r->l->ctx->profile->n_ops, n = 0;
	r->first = JR_ARENA_N(r->l->ctx->scratch, size_t, n_ops + 2);
	each_row(r, take_size);
	for (size_t op = 0; op < n_ops; op++)
		r->first[op + 1] += r->first[op];
	r->items = JR_ARENA_N(r->l->ctx->scratch, struct run_of_thunk, r->first[n_ops] + 1);
	each_row(r, take_sums);
	*n_biases = 0;
	for (uint32_t op = 0; op < n_ops; op++)
		for (size_t k = r->first[op]; k < r->first[op + 1]; k++) {
			struct run_of_thunk *at = &r->items[k];
			for (int side = 0; side < 2 && at->n_runs; side++) {
				at->events[side] = (struct event){.mean_ns = at->sum_ns[side] / (double)at->n_runs,
					.low_ns = INFINITY,
					.high_ns = -INFINITY,
					.first = *n_biases,
					.op = op,
					.end = side == 1};
				*n_biases += at->n_devices;
				n++;
			}
		}
	return n;
}

JR_ORDER_ROWS(compare_times, struct event, JR_UP(mean_ns))

static struct events find_events(const struct lockstep *l, uint32_t program)
{
	struct jr_arena *arena = l->ctx->scratch;
	size_t n_executions, n_biases;
	struct events of = {0};
	struct runs runs = {.l = l,
		.program = program,
		.starts = execution_starts(l, program, &n_executions),
		.of = &of};
	size_t n = find_runs(&runs, &n_biases);
	of = (struct events){.items = JR_ARENA_N(arena, struct event, n + 1),
		.in_time = JR_ARENA_N(arena, uint32_t, n + 1),
		.bias_ns = JR_ARENA_N(arena, double, n_biases + 1),
		.bias_device = JR_ARENA_N(arena, uint32_t, n_biases + 1)};
	each_row(&runs, take_offsets);
	for (size_t k = 0; k < runs.first[l->ctx->profile->n_ops]; k++) {
		struct run_of_thunk *at = &runs.items[k];
		if (!at->n_runs)
			continue;
		end_device(at, &of);
		for (int side = 0; side < 2; side++) {
			const struct jr_stats *stats = &at->stats[side];
			at->events[side].sigma_ns = stats->n > 1 ? jr_stats_std(stats) : 0;
			of.in_time[of.n] = (uint32_t)of.n;
			of.items[of.n++] = at->events[side];
		}
	}
	jr_sort_with(of.in_time, of.n, sizeof(*of.in_time), compare_times, of.items);
	return of;
}

/* --- tables ----------------------------------------------------------------------------------- */

#define COLUMNS(X, T)                                                                              \
	X(T, series, "Series", "range over devices and executions, standard deviation, or a device",   \
		TEXT, NONE)                                                                                \
	X(T, time_ms, "Time within module",                                                            \
		"mean time of the thunk start or end since the module's mean start", F64, NS)              \
	X(T, bias_ms, "Ahead (−) or behind (+)",                                                       \
		"offset of the device from the mean over devices and executions", F64, NS)                 \
	X(T, low_ms, "Low", "lower end of the band", F64, NS)                                          \
	X(T, high_ms, "High", "upper end of the band", F64, NS)
JR_COLUMNS(columns, COL, COLUMNS);

#define MARK_COLUMNS(X, T)                                                                         \
	X(T, time_ms, "Time within module", "mean end of the collective", F64, NS)                     \
	X(T, height, "Height", "height of the mark, by message size", F64, NONE)                       \
	X(T, label, "Collective", "kind, size and name", TEXT, NONE)
JR_COLUMNS(mark_columns, M, MARK_COLUMNS);

struct device_bias {
	uint32_t device;
	double extreme_ns;
};

JR_ORDER(compare_extremes, struct device_bias, JR_DOWN(extreme_ns) JR_UP(device))

/* Find the devices with the largest bias, at most N_EXTREME, or all if there are fewer. *n_devices:
 * the number of devices compared. */
static size_t extreme_devices(
	const struct lockstep *l, const struct events *of, struct device_bias *out, size_t *n_devices)
{
	size_t n = 0;
	struct device_bias *all =
		JR_ARENA_N(l->ctx->scratch, struct device_bias, l->ctx->profile->n_devices + 1);
	for (size_t i = 0; i < of->n; i++) {
		for (size_t at = of->items[i].first; at < of->items[i].first + of->items[i].n; at++) {
			uint32_t device = of->bias_device[at];
			double bias = fabs(of->bias_ns[at]);
			if (!l->place[device]) {
				all[n++] = (struct device_bias){device, bias};
				l->place[device] = (uint32_t)n;
			}
			struct device_bias *own = &all[l->place[device] - 1];
			own->extreme_ns = fmax(own->extreme_ns, bias);
		}
	}
	for (size_t i = 0; i < n; i++)
		l->place[all[i].device] = 0;
	jr_sort(all, n, sizeof(*all), compare_extremes);
	*n_devices = n;
	n = n < N_EXTREME ? n : N_EXTREME;
	memcpy(out, all, n * sizeof(*out));
	return n;
}

struct drawing {
	struct jr_table *table;
	size_t row;
};

static void put(
	struct drawing *d, const char *series, double time, double bias, double low, double high)
{
	union jr_cells *c = d->table->cells;
	c[COL_series].text[d->row] = series;
	c[COL_time_ms].f64[d->row] = time;
	c[COL_bias_ms].f64[d->row] = bias;
	c[COL_low_ms].f64[d->row] = low;
	c[COL_high_ms].f64[d->row] = high;
	d->row++;
}

static void put_bands(struct drawing *d, const struct events *of)
{
	for (size_t i = 0; i < of->n; i++) {
		const struct event *e = &of->items[of->in_time[i]];
		put(d, "smallest to largest", e->mean_ns, 0, e->low_ns, e->high_ns);
	}
	for (size_t i = 0; i < of->n; i++) {
		const struct event *e = &of->items[of->in_time[i]];
		put(d, "±1σ", e->mean_ns, 0, -e->sigma_ns, e->sigma_ns);
	}
}

static void put_device(
	struct drawing *d, struct jr_pass_context *ctx, uint32_t device, const struct events *of)
{
	const char *series =
		jr_arena_printf(ctx->arena, "device %u", ctx->profile->devices[device].global);
	for (size_t i = 0; i < of->n; i++) {
		const struct event *e = &of->items[of->in_time[i]];
		for (size_t at = e->first; at < e->first + e->n; at++)
			if (of->bias_device[at] == device)
				put(d, series, e->mean_ns, of->bias_ns[at], NAN, NAN);
	}
}

static struct jr_table *marks_table(
	struct jr_pass_context *ctx, const char *name, const struct events *of)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table_spec *spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec);
	*spec = (struct jr_table_spec){
		JR_TABLE_SPEC(jr_arena_printf(ctx->arena, "%s_marks", name), NULL, "Ends of collectives",
			"Per collective of the module", mark_columns),
		.data_only = true};
	double most_bytes = 1;
	size_t n = 0;
	for (size_t i = 0; i < of->n; i++) {
		const struct jr_op *op = &p->ops[of->items[of->in_time[i]].op];
		if (!of->items[of->in_time[i]].end || !op->communication)
			continue;
		n++;
		most_bytes = fmax(most_bytes, (double)op->message_bytes);
	}
	struct jr_table *table = jr_table_new(ctx->arena, spec, n);
	size_t row = 0;
	for (size_t i = 0; i < of->n; i++) {
		const struct jr_op *op = &p->ops[of->items[of->in_time[i]].op];
		if (!of->items[of->in_time[i]].end || !op->communication)
			continue;
		table->cells[M_time_ms].f64[row] = of->items[of->in_time[i]].mean_ns;
		table->cells[M_height].f64[row] = 0.04 + 0.16 * (double)op->message_bytes / most_bytes;
		table->cells[M_label].text[row++] = jr_arena_printf(ctx->arena, "%s ends: %s of %s",
			jr_str(p, op->name), jr_str(p, op->collective),
			op->message_bytes ? jr_bytes_text(ctx->arena, (double)op->message_bytes)
							  : "unknown size");
	}
	return table;
}

static void add_module(const struct lockstep *l, struct jr_section *out, uint32_t program)
{
	struct jr_pass_context *ctx = l->ctx;
	const struct jr_profile *p = ctx->profile;
	struct events of = find_events(l, program);
	if (of.n == 0)
		return;
	struct device_bias extremes[N_EXTREME];
	size_t n_devices;
	size_t n_extremes = extreme_devices(l, &of, extremes, &n_devices);
	char all[JR_NUM_MAX];
	jr_num_grouped_i64(all, (int64_t)n_devices);
	const char *name = jr_arena_printf(ctx->arena, "lockstep_%u", p->programs[program].number);
	struct jr_table_spec *spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec);
	*spec = (struct jr_table_spec){JR_TABLE_SPEC(name, NULL, "Lock step",
									   "Per point of a series of the lock-step chart", columns),
		.data_only = true};
	struct drawing d = {.table = jr_table_new(ctx->arena, spec, of.n * (2 + n_extremes))};
	put_bands(&d, &of);
	for (size_t k = 0; k < n_extremes; k++)
		put_device(&d, ctx, extremes[k].device, &of);
	d.table->n_rows = d.table->n_data = d.table->n_rendered = d.row;
	struct jr_chart chart = {.name = name,
		.title = jr_arena_printf(ctx->arena, "Lock step of %s (program %u)",
			jr_str(p, p->programs[program].name), p->programs[program].number),
		.caption = jr_arena_printf(ctx->arena,
			"offset of thunk starts and ends on a device from the mean over devices and steady "
			"executions; %smarks are ends of collectives, with height by message size",
			n_extremes < n_devices
				? jr_arena_printf(ctx->arena,
					  "lines are the %zu of %s devices with the largest offsets; bands include "
					  "all devices; ",
					  n_extremes, all)
				: ""),
		.kind = JR_CHART_LINE,
		.table = d.table,
		.x = JR_KEY(COL, time_ms),
		.y = JR_KEY(COL, bias_ms),
		.series = JR_KEY(COL, series),
		.y_low = JR_KEY(COL, low_ms),
		.y_high = JR_KEY(COL, high_ms),
		.marks = marks_table(ctx, name, &of),
		.mark_x = JR_KEY(M, time_ms),
		.mark_height = JR_KEY(M, height),
		.mark_label = JR_KEY(M, label),
		.mark_title = "ends of collectives"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, d.table);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_arena arena; /* needed because the scratch arena is cleared after each module */
	jr_arena_init(&arena, 0);
	struct lockstep l = {.ctx = ctx,
		.modules = by_program(p->modules.program, p->modules.n, p->n_programs, &arena),
		.first_thunk = JR_ARENA_N(&arena, size_t, p->modules.n + 1),
		.place = JR_ARENA_N(&arena, uint32_t, p->n_devices + 1)};
	for (size_t i = 0; i < p->modules.n; i++)
		l.first_thunk[i + 1] = l.first_thunk[i] + p->modules.n_thunks[i];
	size_t n_top = ctx->steady->n_top, n = n_top < MAX_MODULES ? n_top : MAX_MODULES;
	if (n < n_top)
		jr_section_text(
			out, ctx->arena, "Of %zu top modules, the %zu with the most time are shown.", n_top, n);
	for (size_t i = 0; i < n; i++) {
		add_module(&l, out, ctx->steady->ranking[i]);
		jr_arena_clear(ctx->scratch);
	}
	jr_arena_done(&arena);
}

const struct jr_pass jr_pass_lockstep = {
	.name = "lockstep",
	.title = "Lock step",
	.summary =
		"How far devices drift apart within a module, and where collectives synchronize them",
	.needs = JR_NEEDS_DEVICES | JR_NEEDS_THUNKS,
	.group = JR_GROUP_DEVICES,
	.apart = JR_APART,
	.run = run,
};
