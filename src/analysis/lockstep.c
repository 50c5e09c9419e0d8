/* Lock-step plot, analyses.md section 6: do the devices run a module's thunks at the same time? */
#include <stdlib.h>

#include "analysis/columns.h"

#define N_EXTREME 8

/* An event is the start or the end of a thunk of the module; the same event happens once in each
 * execution on each device. Times are within the module: since the mean start over devices of the
 * execution, on the aligned clock. */
struct sample {
	uint32_t op, thunk_execution;
	uint32_t end;    /* 0: start, 1: end */
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

/* Mean aligned start over devices of each steady execution of the program; NaN = none. */
static double *execution_starts(const struct jr_pass_context *ctx, uint32_t program, size_t *n)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_modules *m = &p->modules;
	*n = 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->program[i] == program && m->program_execution[i] >= *n)
			*n = (size_t)m->program_execution[i] + 1;
	double *sum = JR_ARENA_N(ctx->scratch, double, *n + 1);
	uint32_t *count = JR_ARENA_N(ctx->scratch, uint32_t, *n + 1);
	for (size_t i = 0; i < m->n; i++) {
		if (m->program[i] != program || !m->steady[i])
			continue;
		sum[m->program_execution[i]] += jr_aligned_ns(p, m->start_ns[i], m->device[i]);
		count[m->program_execution[i]]++;
	}
	for (size_t i = 0; i < *n; i++)
		sum[i] = count[i] ? sum[i] / count[i] : NAN;
	return sum;
}

static size_t collect(const struct jr_pass_context *ctx, uint32_t program, struct sample **out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	size_t n_executions, n = 0;
	double *starts = execution_starts(ctx, program, &n_executions);
	for (size_t i = 0; i < t->n; i++)
		n += t->steady[i] && jr_thunk_op(p, i)->program == program;
	struct sample *samples = JR_ARENA_N(ctx->scratch, struct sample, 2 * n + 1);
	n = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (!t->steady[i] || jr_thunk_op(p, i)->program != program)
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
	if (n)
		qsort(samples, n, sizeof(*samples), compare_samples);
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
	if (n_events)
		qsort(events, n_events, sizeof(*events), compare_events);
	return n_events;
}

/* --- tables ----------------------------------------------------------------------------------- */

enum { SERIES, TIME, BIAS, LOW, HIGH };

static const struct jr_column_spec columns[] = {
	{"series", "Series", "range over devices and executions, standard deviation, or a device",
		JR_TEXT, JR_UNIT_NONE, 0},
	{"time_ms", "Time within module",
		"mean time of the thunk start or end since the module's mean "
		"start",
		JR_F64, JR_UNIT_NS, 0},
	{"bias_ms", "Bias", "of the device from the mean over devices and executions", JR_F64,
		JR_UNIT_NS, 0},
	{"low_ms", "Low", "lower end of the band", JR_F64, JR_UNIT_NS, 0},
	{"high_ms", "High", "upper end of the band", JR_F64, JR_UNIT_NS, 0},
};

enum { M_TIME, M_HEIGHT, M_LABEL };

static const struct jr_column_spec mark_columns[] = {
	{"time_ms", "Time within module", "mean end of the collective", JR_F64, JR_UNIT_NS, 0},
	{"height", "Height", "of the mark, by message size", JR_F64, JR_UNIT_NONE, 0},
	{"label", "Collective", "kind, size and name", JR_TEXT, JR_UNIT_NONE, 0},
};

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

/* Mean bias of each device at an event: bias[device], NaN where it was not seen. */
static void event_bias(const struct sample *samples, const struct event *e, double *bias,
	size_t n_devices)
{
	for (size_t d = 0; d < n_devices; d++)
		bias[d] = NAN;
	for (size_t i = e->first; i < e->first + e->n;) {
		uint32_t device = samples[i].device;
		double sum = 0;
		size_t n = 0;
		for (; i < e->first + e->n && samples[i].device == device; i++, n++)
			sum += samples[i].ns - e->mean_ns;
		bias[device] = sum / (double)n;
	}
}

/* The devices whose bias goes furthest, at most N_EXTREME; all where there are few. */
static size_t extreme_devices(struct jr_pass_context *ctx, const struct sample *samples,
	const struct event *events, size_t n_events, struct device_bias *out)
{
	size_t n = ctx->profile->n_devices;
	struct device_bias *all = JR_ARENA_N(ctx->scratch, struct device_bias, n + 1);
	double *bias = JR_ARENA_N(ctx->scratch, double, n + 1);
	for (uint32_t d = 0; d < n; d++)
		all[d] = (struct device_bias){d, -1};
	for (size_t i = 0; i < n_events; i++) {
		event_bias(samples, &events[i], bias, n);
		for (size_t d = 0; d < n; d++)
			if (fabs(bias[d]) > all[d].extreme_ns)
				all[d].extreme_ns = fabs(bias[d]);
	}
	qsort(all, n, sizeof(*all), compare_extremes);
	size_t kept = 0;
	while (kept < n && kept < N_EXTREME && all[kept].extreme_ns >= 0) {
		out[kept] = all[kept];
		kept++;
	}
	return kept;
}

struct drawing {
	struct jr_table *table;
	size_t row;
};

static void put(struct drawing *d, const char *series, double time, double bias, double low,
	double high)
{
	union jr_cells *c = d->table->cells;
	c[SERIES].text[d->row] = series;
	c[TIME].f64[d->row] = time;
	c[BIAS].f64[d->row] = bias;
	c[LOW].f64[d->row] = low;
	c[HIGH].f64[d->row] = high;
	d->row++;
}

static void put_bands(struct drawing *d, const struct sample *samples, const struct event *events,
	size_t n_events)
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

static struct jr_table *marks_table(struct jr_pass_context *ctx, const char *name,
	const struct event *events, size_t n_events)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table_spec *spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec);
	*spec = (struct jr_table_spec){
		JR_TABLE_SPEC(jr_arena_printf(ctx->arena, "%s_marks", name), NULL, "Ends of collectives",
			"One row a collective of the module", mark_columns),
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
		table->cells[M_TIME].f64[row] = events[i].mean_ns;
		table->cells[M_HEIGHT].f64[row] = 0.04 + 0.16 * (double)op->message_bytes / most_bytes;
		table->cells[M_LABEL].text[row++] =
			jr_arena_printf(ctx->arena, "%s ends: %s of %s", jr_str(p, op->name),
				jr_str(p, op->collective), op->message_bytes ? bytes : "unknown size");
	}
	return table;
}

static void add_module(struct jr_pass_context *ctx, struct jr_section *out, uint32_t program)
{
	const struct jr_profile *p = ctx->profile;
	struct sample *samples;
	size_t n = collect(ctx, program, &samples);
	struct event *events = JR_ARENA_N(ctx->scratch, struct event, n + 1);
	size_t n_events = find_events(samples, n, events);
	if (n_events == 0)
		return;
	struct device_bias extremes[N_EXTREME];
	size_t n_extremes = extreme_devices(ctx, samples, events, n_events, extremes);
	const char *name =
		jr_arena_printf(ctx->arena, "lockstep_%u", p->programs[program].number);
	struct jr_table_spec *spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec);
	*spec = (struct jr_table_spec){JR_TABLE_SPEC(name, NULL, "Lock step",
		"One row a point of a series of the lock-step figure", columns), .data_only = true};
	struct drawing d = {.table = jr_table_new(ctx->arena, spec, n_events * (2 + n_extremes))};
	put_bands(&d, samples, events, n_events);
	double *bias = JR_ARENA_N(ctx->scratch, double, p->n_devices + 1);
	for (size_t k = 0; k < n_extremes; k++) {
		const char *series = jr_arena_printf(
			ctx->arena, "device %u", p->devices[extremes[k].device].global);
		for (size_t i = 0; i < n_events; i++) {
			event_bias(samples, &events[i], bias, p->n_devices);
			if (!isnan(bias[extremes[k].device]))
				put(&d, series, events[i].mean_ns, bias[extremes[k].device], NAN, NAN);
		}
	}
	d.table->n_rows = d.table->n_data = d.table->n_rendered = d.row;
	struct jr_chart chart = {.name = name,
		.title = jr_arena_printf(ctx->arena, "Lock step of %s (program %u)",
			jr_str(p, p->programs[program].name), p->programs[program].number),
		.caption =
			"bias of thunk starts and ends on a device from the mean over devices and steady "
			"executions; ticks: ends of collectives, height by message size",
		.kind = JR_CHART_LINE,
		.table = d.table,
		.x = "time_ms",
		.y = "bias_ms",
		.series = "series",
		.y_low = "low_ms",
		.y_high = "high_ms",
		.marks = marks_table(ctx, name, events, n_events),
		.mark_x = "time_ms",
		.mark_height = "height",
		.mark_label = "label"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, d.table);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	for (size_t i = 0; i < ctx->steady->n_top; i++) {
		add_module(ctx, out, ctx->steady->ranking[i]);
		jr_arena_clear(ctx->scratch);
	}
}

const struct jr_pass jr_pass_lockstep = {
	.name = "lockstep",
	.title = "Lock step",
	.summary =
		"How far devices run apart within a module, and where collectives bring them together",
	.needs = JR_NEEDS_DEVICES | JR_NEEDS_THUNKS,
	.run = run,
};
