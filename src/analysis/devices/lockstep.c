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
struct sample {
	uint32_t op, thunk_execution;
	uint32_t end; /* 0: start, 1: end */
	uint32_t device;
	double ns;
};

struct event {
	size_t first, n; /* samples */
	double mean_ns;
	uint32_t op;
	bool end;
};

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	if (x->thunk_execution != y->thunk_execution)
		return x->thunk_execution < y->thunk_execution ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	if (x->mean_ns != y->mean_ns)
		return x->mean_ns < y->mean_ns ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

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
	struct rows modules, thunks;
	uint32_t *place; /* [n_devices] index from 1 in the current module; 0: not in it */
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

static size_t collect(const struct lockstep *l, uint32_t program, struct sample **out)
{
	const struct jr_profile *p = l->ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	size_t first = l->thunks.first[program], end = l->thunks.first[program + 1];
	size_t n_executions, n = 0;
	double *starts = execution_starts(l, program, &n_executions);
	struct sample *samples = JR_ARENA_N(l->ctx->scratch, struct sample, 2 * (end - first) + 1);
	for (size_t k = first; k < end; k++) {
		uint32_t i = l->thunks.rows[k];
		if (!t->steady[i])
			continue;
		double at = jr_aligned_start_ns(p, i) - starts[t->program_execution[i]];
		if (isnan(at))
			continue;
		struct sample sample = {t->op[i], t->thunk_execution[i], 0, t->device[i], at};
		samples[n++] = sample;
		sample.end = 1;
		sample.ns += (double)t->dur_ns[i];
		samples[n++] = sample;
	}
	jr_sort(samples, n, sizeof(*samples), compare_samples);
	*out = samples;
	return n;
}

static size_t find_events(const struct sample *samples, size_t n, struct event *events)
{
	size_t n_events = 0;
	for (size_t i = 0; i < n;) {
		struct event event = {.first = i, .op = samples[i].op, .end = samples[i].end};
		double sum = 0;
		while (i < n && samples[i].op == samples[event.first].op &&
			   samples[i].thunk_execution == samples[event.first].thunk_execution &&
			   samples[i].end == samples[event.first].end)
			sum += samples[i++].ns;
		event.n = i - event.first;
		event.mean_ns = sum / (double)event.n;
		events[n_events++] = event;
	}
	jr_sort(events, n_events, sizeof(*events), compare_events);
	return n_events;
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

/* Return the mean bias at the event of the device whose samples begin at *at. Advance *at to the
 * next device. */
static double next_bias(const struct sample *samples, const struct event *e, size_t *at)
{
	size_t first = *at;
	double sum = 0;
	for (; *at < e->first + e->n && samples[*at].device == samples[first].device; (*at)++)
		sum += samples[*at].ns - e->mean_ns;
	return sum / (double)(*at - first);
}

/* Find the devices with the largest bias, at most N_EXTREME, or all if there are fewer. *n_devices:
 * the number of devices compared. */
static size_t extreme_devices(const struct lockstep *l, const struct sample *samples,
	const struct event *events, size_t n_events, struct device_bias *out, size_t *n_devices)
{
	size_t n = 0, n_samples = 0;
	for (size_t i = 0; i < n_events; i++)
		n_samples += events[i].n;
	size_t most = l->ctx->profile->n_devices < n_samples ? l->ctx->profile->n_devices : n_samples;
	struct device_bias *all = JR_ARENA_N(l->ctx->scratch, struct device_bias, most + 1);
	for (size_t i = 0; i < n_events; i++) {
		for (size_t at = events[i].first; at < events[i].first + events[i].n;) {
			uint32_t device = samples[at].device;
			double bias = fabs(next_bias(samples, &events[i], &at));
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

static void put_bands(
	struct drawing *d, const struct sample *samples, const struct event *events, size_t n_events)
{
	for (size_t i = 0; i < n_events; i++) {
		double low = INFINITY, high = -INFINITY;
		for (size_t k = events[i].first; k < events[i].first + events[i].n; k++) {
			low = fmin(low, samples[k].ns - events[i].mean_ns);
			high = fmax(high, samples[k].ns - events[i].mean_ns);
		}
		put(d, "smallest to largest", events[i].mean_ns, 0, low, high);
	}
	for (size_t i = 0; i < n_events; i++) {
		struct jr_stats stats = {0};
		for (size_t k = events[i].first; k < events[i].first + events[i].n; k++)
			jr_stats_add(&stats, samples[k].ns);
		double sigma = stats.n > 1 ? jr_stats_std(&stats) : 0;
		put(d, "±1σ", events[i].mean_ns, 0, -sigma, sigma);
	}
}

static void put_device(struct drawing *d, struct jr_pass_context *ctx,
	const struct device_bias *extreme, const struct sample *samples, const struct event *events,
	size_t n_events)
{
	const char *series =
		jr_arena_printf(ctx->arena, "device %u", ctx->profile->devices[extreme->device].global);
	for (size_t i = 0; i < n_events; i++) {
		for (size_t at = events[i].first; at < events[i].first + events[i].n;) {
			uint32_t device = samples[at].device;
			double bias = next_bias(samples, &events[i], &at);
			if (device == extreme->device)
				put(d, series, events[i].mean_ns, bias, NAN, NAN);
		}
	}
}

static struct jr_table *marks_table(
	struct jr_pass_context *ctx, const char *name, const struct event *events, size_t n_events)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table_spec *spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec);
	*spec = (struct jr_table_spec){
		JR_TABLE_SPEC(jr_arena_printf(ctx->arena, "%s_marks", name), NULL, "Ends of collectives",
			"Per collective of the module", mark_columns),
		.data_only = true};
	double most_bytes = 1;
	size_t n = 0;
	for (size_t i = 0; i < n_events; i++) {
		const struct jr_op *op = &p->ops[events[i].op];
		if (!events[i].end || !op->communication)
			continue;
		n++;
		most_bytes = fmax(most_bytes, (double)op->message_bytes);
	}
	struct jr_table *table = jr_table_new(ctx->arena, spec, n);
	size_t row = 0;
	for (size_t i = 0; i < n_events; i++) {
		const struct jr_op *op = &p->ops[events[i].op];
		if (!events[i].end || !op->communication)
			continue;
		char bytes[JR_NUM_MAX];
		jr_num_bytes(bytes, (double)op->message_bytes);
		table->cells[M_time_ms].f64[row] = events[i].mean_ns;
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
	struct sample *samples;
	size_t n = collect(l, program, &samples);
	struct event *events = JR_ARENA_N(ctx->scratch, struct event, n + 1);
	size_t n_events = find_events(samples, n, events);
	if (n_events == 0)
		return;
	struct device_bias extremes[N_EXTREME];
	size_t n_devices;
	size_t n_extremes = extreme_devices(l, samples, events, n_events, extremes, &n_devices);
	const char *name = jr_arena_printf(ctx->arena, "lockstep_%u", p->programs[program].number);
	struct jr_table_spec *spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec);
	*spec = (struct jr_table_spec){JR_TABLE_SPEC(name, NULL, "Lock step",
									   "Per point of a series of the lock-step chart", columns),
		.data_only = true};
	struct drawing d = {.table = jr_table_new(ctx->arena, spec, n_events * (2 + n_extremes))};
	put_bands(&d, samples, events, n_events);
	for (size_t k = 0; k < n_extremes; k++)
		put_device(&d, ctx, &extremes[k], samples, events, n_events);
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
		.marks = marks_table(ctx, name, events, n_events),
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
	uint32_t *program = JR_ARENA_N(&arena, uint32_t, p->thunks.n + 1);
	for (size_t i = 0; i < p->thunks.n; i++)
		program[i] = jr_thunk_op(p, i)->program;
	struct lockstep l = {.ctx = ctx,
		.modules = by_program(p->modules.program, p->modules.n, p->n_programs, &arena),
		.thunks = by_program(program, p->thunks.n, p->n_programs, &arena),
		.place = JR_ARENA_N(&arena, uint32_t, p->n_devices + 1)};
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
