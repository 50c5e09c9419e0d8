/* Lock-step plot, analysis/README.md, section 6.4: do the devices run a module's thunks at the same
 * time? */
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/keys.h"
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

/* Return the time of a thunk's start within its module. NaN: its execution does not count. */
static double time_of(const struct lockstep *l, const double *starts, uint32_t row)
{
	return jr_aligned_start_ns(l->ctx->profile, row) -
		   starts[jr_thunk_execution(l->ctx->profile, row)];
}

/* Sort rows by a key below n_keys into `sorted`. Rows of one key keep their order. */
static void sort_by(const uint32_t *key, const uint32_t *rows, size_t n, size_t n_keys,
	uint32_t *sorted, struct jr_arena *arena)
{
	uint32_t *at = JR_ARENA_N(arena, uint32_t, n_keys + 1);
	for (size_t i = 0; i < n; i++)
		at[key[rows[i]] + 1]++;
	for (size_t k = 1; k < n_keys; k++)
		at[k] += at[k - 1];
	for (size_t i = 0; i < n; i++)
		sorted[at[key[rows[i]]]++] = rows[i];
}

/* Return the program's rows that count, by (op, number of the run, device). */
static uint32_t *collect(
	const struct lockstep *l, uint32_t program, const double *starts, size_t *n_rows)
{
	const struct jr_profile *p = l->ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	const uint32_t *modules = l->modules.rows;
	size_t first = l->modules.first[program], end = l->modules.first[program + 1], most = 0, n = 0;
	for (size_t k = first; k < end; k++)
		most += p->modules.n_thunks[modules[k]];
	uint32_t *rows = JR_ARENA_N(l->ctx->scratch, uint32_t, most + 1), n_runs = 0;
	for (size_t k = first; k < end; k++)
		for (size_t i = l->first_thunk[modules[k]]; i < l->first_thunk[modules[k] + 1]; i++) {
			if (!jr_thunk_steady(p, i) || isnan(time_of(l, starts, (uint32_t)i)))
				continue;
			rows[n++] = (uint32_t)i;
			n_runs = t->thunk_execution[i] >= n_runs ? t->thunk_execution[i] + 1 : n_runs;
		}
	*n_rows = n;
	/* The columns are long: two take turns. */
	uint32_t *by_run = JR_ARENA_N(l->ctx->scratch, uint32_t, n + 1);
	sort_by(t->thunk_execution, rows, n, n_runs, by_run, l->ctx->scratch);
	sort_by(t->op, by_run, n, p->n_ops, rows, l->ctx->scratch);
	return rows;
}

static bool same_event(const struct jr_thunks *t, uint32_t a, uint32_t b)
{
	return t->op[a] == t->op[b] && t->thunk_execution[a] == t->thunk_execution[b];
}

/* A run of a thunk: its start and its end within its module. */
struct run_of_thunk {
	double ns[2];
	uint32_t device;
};

/* Sum up the starts or the ends of `runs`, which are in order of devices. */
static struct event make_event(const struct run_of_thunk *runs, size_t n, uint32_t op, bool end,
	struct events *of, size_t *n_biases)
{
	struct event event = {
		.first = *n_biases, .op = op, .end = end, .low_ns = INFINITY, .high_ns = -INFINITY};
	struct jr_stats stats = {0};
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += runs[i].ns[end];
	event.mean_ns = sum / (double)n;
	for (size_t i = 0; i < n;) {
		uint32_t device = runs[i].device;
		size_t begin = i;
		double off_ns = 0;
		for (; i < n && runs[i].device == device; i++) {
			double ns = runs[i].ns[end];
			event.low_ns = fmin(event.low_ns, ns - event.mean_ns);
			event.high_ns = fmax(event.high_ns, ns - event.mean_ns);
			jr_stats_add(&stats, ns);
			off_ns += ns - event.mean_ns;
		}
		of->bias_device[*n_biases] = device;
		of->bias_ns[(*n_biases)++] = off_ns / (double)(i - begin);
		event.n++;
	}
	event.sigma_ns = stats.n > 1 ? jr_stats_std(&stats) : 0;
	return event;
}

static int compare_times(const void *a, const void *b, void *events)
{
	const struct event *items = events;
	double x = items[*(const uint32_t *)a].mean_ns, y = items[*(const uint32_t *)b].mean_ns;
	return (x > y) - (x < y);
}

static struct events find_events(const struct lockstep *l, uint32_t program)
{
	const struct jr_thunks *t = &l->ctx->profile->thunks;
	struct jr_arena *arena = l->ctx->scratch;
	size_t n_executions, n_rows, n_groups = 0, most_runs = 0, n_biases = 0;
	const double *starts = execution_starts(l, program, &n_executions);
	const uint32_t *rows = collect(l, program, starts, &n_rows);
	for (size_t i = 0, n = 0; i < n_rows; i++) {
		bool first = i == 0 || !same_event(t, rows[i - 1], rows[i]);
		n_groups += first;
		n = first ? 1 : n + 1;
		most_runs = n > most_runs ? n : most_runs;
	}
	struct events of = {.items = JR_ARENA_N(arena, struct event, 2 * n_groups + 1),
		.in_time = JR_ARENA_N(arena, uint32_t, 2 * n_groups + 1),
		.bias_ns = JR_ARENA_N(arena, double, 2 * n_rows + 1),
		.bias_device = JR_ARENA_N(arena, uint32_t, 2 * n_rows + 1)};
	struct run_of_thunk *runs = JR_ARENA_N(arena, struct run_of_thunk, most_runs + 1);
	for (size_t i = 0, end; i < n_rows; i = end) {
		for (end = i; end < n_rows && same_event(t, rows[i], rows[end]); end++) {
			double ns = time_of(l, starts, rows[end]);
			runs[end - i] = (struct run_of_thunk){{ns, ns + (double)t->dur_ns[rows[end]]},
				jr_thunk_device(l->ctx->profile, rows[end])};
		}
		for (int side = 0; side < 2; side++) {
			of.in_time[of.n] = (uint32_t)of.n;
			of.items[of.n++] = make_event(runs, end - i, t->op[rows[i]], side == 1, &of, &n_biases);
		}
	}
	jr_sort_with(of.in_time, of.n, sizeof(*of.in_time), compare_times, of.items);
	return of;
}

/* --- tables ----------------------------------------------------------------------------------- */

#define COLUMNS(X, T)                                                                              \
	X(T, series, "Series", "range over devices and executions, standard deviation, or a device",   \
		JR_TEXT, JR_UNIT_NONE, 0)                                                                  \
	X(T, time_ms, "Time within module",                                                            \
		"mean time of the thunk start or end since the module's mean start", JR_F64, JR_UNIT_NS,   \
		0)                                                                                         \
	X(T, bias_ms, "Ahead (−) or behind (+)",                                                       \
		"offset of the device from the mean over devices and executions", JR_F64, JR_UNIT_NS, 0)   \
	X(T, low_ms, "Low", "lower end of the band", JR_F64, JR_UNIT_NS, 0)                            \
	X(T, high_ms, "High", "upper end of the band", JR_F64, JR_UNIT_NS, 0)
JR_COLUMNS(columns, COL, COLUMNS);

#define MARK_COLUMNS(X, T)                                                                         \
	X(T, time_ms, "Time within module", "mean end of the collective", JR_F64, JR_UNIT_NS, 0)       \
	X(T, height, "Height", "height of the mark, by message size", JR_F64, JR_UNIT_NONE, 0)         \
	X(T, label, "Collective", "kind, size and name", JR_TEXT, JR_UNIT_NONE, 0)
JR_COLUMNS(mark_columns, M, MARK_COLUMNS);

struct device_bias {
	uint32_t device;
	double extreme_ns;
};

static int compare_extremes(const void *a, const void *b)
{
	const struct device_bias *x = a, *y = b;
	if (x->extreme_ns != y->extreme_ns)
		return x->extreme_ns > y->extreme_ns ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

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
		char bytes[JR_NUM_MAX];
		jr_num_bytes(bytes, (double)op->message_bytes);
		table->cells[M_time_ms].f64[row] = of->items[of->in_time[i]].mean_ns;
		table->cells[M_height].f64[row] = 0.04 + 0.16 * (double)op->message_bytes / most_bytes;
		table->cells[M_label].text[row++] =
			jr_arena_printf(ctx->arena, "%s ends: %s of %s", jr_str(p, op->name),
				jr_str(p, op->collective), op->message_bytes ? bytes : "unknown size");
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
					  "lines are the %zu of %zu devices with the largest offsets; bands include "
					  "all devices; ",
					  n_extremes, n_devices)
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
	.run = run,
};
