/* Time ledger, analysis/README.md, section 3: a device's steady wall, split exactly. */
#include <inttypes.h>
#include <string.h>

#include "analysis/columns.h"
#include "analysis/delays.h"
#include "base/sort.h"

/* What runs at an instant; the first that does takes the time. */
enum part {
	COMPUTE,
	EXPOSED_TRANSFER,
	EXPOSED_WAITING,
	EXPOSED_COPY,
	IN_MODULE,
	INITIALISATION,
	OTHER_PROGRAM,
	BETWEEN,
	N_PARTS
};

enum {
	DEVICE,
	COMPUTE_MS,
	COMMUNICATION_MS,
	COPY_MS,
	IDLE_IN_MS,
	IDLE_BETWEEN_MS,
	OTHER_MS,
	WALL_MS,
	INITIALISATION_MS,
	STEPS,
	TRANSFER_MS,
	WAITING_MS
};

static const struct jr_column_spec columns[] = {
	{"device", "Device", "global device number", JR_I64, JR_UNIT_NONE, JR_COL_KEY},
	{"compute_ms", "Compute", "union of compute thunks of the top modules", JR_I64, JR_UNIT_NS, 0},
	{"exposed_communication_ms", "Exposed communication",
		"collectives of the top modules while no compute of them runs", JR_I64, JR_UNIT_NS, 0},
	{"exposed_copy_ms", "Exposed copies",
		"host offloading copies while neither compute nor collectives run", JR_I64, JR_UNIT_NS, 0},
	{"idle_in_modules_ms", "Idle inside modules",
		"a top module executes and none of its thunks is active", JR_I64, JR_UNIT_NS, 0},
	{"idle_between_modules_ms", "Idle between modules", "no module executes", JR_I64, JR_UNIT_NS,
		0},
	{"other_programs_ms", "Other programs", "only a module that is no top module runs", JR_I64,
		JR_UNIT_NS, 0},
	{"wall_ms", "Wall",
		"from the start of the device's first steady step to the start of its last one (where one "
		"step was profiled: that step); the sum of the parts to the nanosecond",
		JR_I64, JR_UNIT_NS, 0},
	{"initialisation_ms", "Initialisation",
		"a warm-up execution of a top module runs, and no steady one", JR_I64, JR_UNIT_NS, 0},
	{"steps", "Steps", "periods of the device in its wall; none of a single step", JR_F64,
		JR_UNIT_COUNT, JR_COL_DATA_ONLY},
	{"exposed_transfer_ms", "Exposed transfer",
		"part of exposed communication: within the time that the collective takes where nobody is "
		"late, which is the shortest duration over devices; all of it where no other device of it "
		"was "
		"profiled",
		JR_I64, JR_UNIT_NS, JR_COL_DATA_ONLY},
	{"exposed_waiting_ms", "Exposed waiting",
		"part of exposed communication: what would not be there if no device had been late, the "
		"duration of a collective beyond the shortest over devices",
		JR_I64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("ledger", "ledger", "Time ledger",
		"Per device; the parts add up to the wall exactly", columns),
	.looked_up = true};

struct event {
	int64_t ns;
	int8_t change; /* +1 begins, -1 ends */
	uint8_t part;
};

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

struct device_events {
	struct event *items;
	size_t n;
	int64_t first_ns, last_ns;
};

static void add_event(struct device_events *e, int64_t start_ns, int64_t end_ns, enum part part)
{
	if (start_ns < e->first_ns)
		start_ns = e->first_ns;
	if (end_ns > e->last_ns)
		end_ns = e->last_ns;
	if (end_ns <= start_ns)
		return;
	e->items[e->n++] = (struct event){start_ns, 1, (uint8_t)part};
	e->items[e->n++] = (struct event){end_ns, -1, (uint8_t)part};
}

static bool is_host_copy(const struct jr_profile *p, const struct jr_op *op)
{
	const char *kind = jr_str(p, op->collective);
	return strcmp(kind, "host-to-device") == 0 || strcmp(kind, "device-to-host") == 0;
}

/* First row of the run of rows of `device`; both tables are sorted by device. */
static size_t first_row(const uint32_t *devices, size_t n, uint32_t device)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (devices[mid] < device)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static enum part part_of_program(
	const struct jr_pass_context *ctx, uint32_t program, bool steady, enum part where_steady)
{
	if (!ctx->steady->programs[program].top)
		return OTHER_PROGRAM;
	return steady ? where_steady : INITIALISATION;
}

/* A collective that waits is a transfer that begins late. Had nobody been late it would have begun
 * with the thunk, and what follows its length would not be there: that is the waiting, whatever
 * compute runs meanwhile. */
static void collect(const struct jr_pass_context *ctx, uint32_t device, struct device_events *e)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	const struct jr_modules *m = &p->modules;
	for (size_t i = first_row(m->device, m->n, device); i < m->n && m->device[i] == device; i++) {
		enum part part = part_of_program(ctx, m->program[i], m->steady[i], IN_MODULE);
		add_event(e, m->start_ns[i], m->start_ns[i] + m->dur_ns[i], part);
	}
	for (size_t i = first_row(t->device, t->n, device); i < t->n && t->device[i] == device; i++) {
		const struct jr_op *op = jr_thunk_op(p, i);
		int64_t end_ns = t->start_ns[i] + t->dur_ns[i];
		int64_t alone_ns = end_ns - ctx->instances->thunk_wait_ns[i];
		enum part steady = !op->communication ? COMPUTE
			: is_host_copy(p, op)			  ? EXPOSED_COPY
											  : EXPOSED_TRANSFER;
		add_event(
			e, t->start_ns[i], alone_ns, part_of_program(ctx, op->program, t->steady[i], steady));
		add_event(e, alone_ns, end_ns,
			part_of_program(ctx, op->program, t->steady[i], EXPOSED_WAITING));
	}
}

/* Between two events the first part with something running takes the time. */
static void sweep(struct device_events *e, int64_t parts_ns[N_PARTS])
{
	int64_t running[N_PARTS] = {0};
	memset(parts_ns, 0, N_PARTS * sizeof(*parts_ns));
	jr_sort(e->items, e->n, sizeof(*e->items), compare_events);
	int64_t at_ns = e->first_ns;
	for (size_t i = 0; i < e->n; i++) {
		size_t part = 0;
		while (part < BETWEEN && running[part] == 0)
			part++;
		parts_ns[part] += e->items[i].ns - at_ns;
		at_ns = e->items[i].ns;
		running[e->items[i].part] += e->items[i].change;
	}
	parts_ns[BETWEEN] += e->last_ns - at_ns;
}

/* Rows of the full table in the order of what devices cost the others. The straggler computes most
 * of its wall, since it never waits: by compute it would look like the best. */
struct ranked {
	uint32_t *rows; /* [n] */
	uint32_t n;
	enum jr_delay_reason reason; /* why the first is ahead of the last */
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
	[JR_DELAY_CAUSED] = {"costs most", "middle", "costs least"},
	[JR_DELAY_COMPUTE] = {"computes most", "middle", "computes least"}};

/* Of many devices: the one that costs the others most, the middle one, and the one that costs them
 * least, in the order that all sections go by. */
static struct jr_table *summary_table(struct jr_pass_context *ctx, const struct jr_table *full,
	const struct ranked *ranked)
{
	/* The same columns, but for the device: which it is, in words. */
	struct jr_column_spec *own =
		JR_ARENA_N(ctx->arena, struct jr_column_spec, JR_COUNT_OF(columns));
	memcpy(own, columns, sizeof(columns));
	own[DEVICE].type = JR_TEXT;
	struct jr_table_spec *summary_spec = JR_ARENA_NEW(ctx->arena, struct jr_table_spec);
	*summary_spec = (struct jr_table_spec){.name = "ledger_summary",
		.title = "Time ledger of three devices",
		.help = "By what a device costs the others (see the straggler ledger), where that is equal "
				"by what it computes; every device is in the data",
		.n_columns = JR_COUNT_OF(columns),
		.columns = own,
		.looked_up = true};
	struct jr_table *table = jr_table_new(ctx->arena, summary_spec, 3);
	for (size_t k = 0; k < 3; k++) {
		uint32_t from = ranked->rows[k * (ranked->n - 1) / 2];
		table->cells[DEVICE].text[k] = jr_arena_printf(
			ctx->arena, "%s: %" PRId64, words[ranked->reason][k], full->cells[DEVICE].i64[from]);
		for (size_t c = COMPUTE_MS; c < JR_COUNT_OF(columns); c++)
			if (c != STEPS)
				table->cells[c].i64[k] = full->cells[c].i64[from];
		table->cells[STEPS].f64[k] = full->cells[STEPS].f64[from];
	}
	return table;
}

/* --- of one step ------------------------------------------------------------------------------ */

enum { STEP_DEVICE, STEP_PARTS };

static const struct jr_column_spec step_columns[] = {
	{"device", "Device", "which, who costs the others most first", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY},
	{"compute_ms", "Compute", "wall / steps", JR_F64, JR_UNIT_NS, 0},
	{"exposed_communication_ms", "Exposed communication", "wall / steps", JR_F64, JR_UNIT_NS, 0},
	{"exposed_copy_ms", "Exposed copies", "wall / steps", JR_F64, JR_UNIT_NS, 0},
	{"idle_in_modules_ms", "Idle inside modules", "wall / steps", JR_F64, JR_UNIT_NS, 0},
	{"idle_between_modules_ms", "Idle between modules", "wall / steps", JR_F64, JR_UNIT_NS, 0},
	{"other_programs_ms", "Other programs", "wall / steps", JR_F64, JR_UNIT_NS, 0},
	{"initialisation_ms", "Initialisation", "wall / steps", JR_F64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec step_spec = {
	JR_TABLE_SPEC("ledger_steps", NULL, "Time ledger of a step",
		"Per device, mean over its steady steps", step_columns),
	.data_only = true};

/* "Device 1, costs most": the one that a reader looks for has its name beside its bar. */
static const char *device_label(
	struct jr_arena *arena, const struct ranked *ranked, size_t k, int64_t device)
{
	bool slow = k == 0 && ranked->reason == JR_DELAY_CAUSED;
	return jr_arena_printf(arena, "Device %" PRId64 "%s", device, slow ? ", costs most" : "");
}

/* What the picture shows: of each device, or of the three of the summary. */
static struct jr_table *step_table(struct jr_pass_context *ctx, const struct jr_table *shown,
	const struct ranked *ranked, bool summary)
{
	static const size_t parts[] = {COMPUTE_MS, COMMUNICATION_MS, COPY_MS, IDLE_IN_MS,
		IDLE_BETWEEN_MS, OTHER_MS, INITIALISATION_MS};
	struct jr_table *table = jr_table_new(ctx->arena, &step_spec, shown->n_rows);
	for (size_t k = 0; k < shown->n_rows; k++) {
		size_t from = summary ? k : ranked->rows[k];
		double steps = shown->cells[STEPS].f64[from];
		table->cells[STEP_DEVICE].text[k] = summary
			? shown->cells[DEVICE].text[from]
			: device_label(ctx->arena, ranked, k, shown->cells[DEVICE].i64[from]);
		for (size_t i = 0; i < JR_COUNT_OF(parts); i++)
			table->cells[STEP_PARTS + i].f64[k] =
				(double)shown->cells[parts[i]].i64[from] / (steps > 0 ? steps : 1);
	}
	return table;
}

static void add_chart(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *steps, const char *which)
{
	static const char *const parts[] = {"compute_ms", "exposed_communication_ms", "exposed_copy_ms",
		"idle_in_modules_ms", "idle_between_modules_ms", "other_programs_ms", "initialisation_ms",
		NULL};
	static const char *const roles[] = {"compute", "communication", "copy", "idle-inside",
		"idle-between", "other-programs", "warm-up", NULL};
	struct jr_chart chart = {.name = "ledger",
		.title = "Where the time of a step goes on each device",
		.caption = jr_arena_printf(ctx->arena,
			"mean over the steady steps of a device, by union of intervals; who costs the others "
			"most comes first%s", which),
		.kind = JR_CHART_STACKED,
		.table = steps,
		.x = "device",
		.parts = parts,
		.part_roles = roles,
		.x_title = "Device",
		.y_title = "Time of a step"};
	jr_section_chart(out, ctx->arena, &chart);
}

/* The same columns, but only in JSON and CSV. */
static const struct jr_table_spec data_spec = {
	JR_TABLE_SPEC("ledger", "ledger", "Time ledger",
		"Per device; the parts add up to the wall exactly", columns),
	.data_only = true};

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	size_t n = 0;
	for (size_t d = 0; d < p->n_devices; d++)
		n += ctx->windows->devices[d].program != JR_NONE;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	struct device_events e = {
		.items = JR_ARENA_N(ctx->scratch, struct event, 2 * (p->modules.n + 2 * p->thunks.n) + 1)};
	size_t row = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		const struct jr_step_window *window = &ctx->windows->devices[d];
		if (window->program == JR_NONE)
			continue;
		e.n = 0;
		e.first_ns = window->begin_ns;
		e.last_ns = window->end_ns;
		collect(ctx, d, &e);
		int64_t parts_ns[N_PARTS];
		sweep(&e, parts_ns);
		union jr_cells *c = table->cells;
		c[DEVICE].i64[row] = p->devices[d].global;
		c[COMPUTE_MS].i64[row] = parts_ns[COMPUTE];
		c[COMMUNICATION_MS].i64[row] = parts_ns[EXPOSED_TRANSFER] + parts_ns[EXPOSED_WAITING];
		c[TRANSFER_MS].i64[row] = parts_ns[EXPOSED_TRANSFER];
		c[WAITING_MS].i64[row] = parts_ns[EXPOSED_WAITING];
		c[COPY_MS].i64[row] = parts_ns[EXPOSED_COPY];
		c[IDLE_IN_MS].i64[row] = parts_ns[IN_MODULE];
		c[IDLE_BETWEEN_MS].i64[row] = parts_ns[BETWEEN];
		c[OTHER_MS].i64[row] = parts_ns[OTHER_PROGRAM];
		c[WALL_MS].i64[row] = e.last_ns - e.first_ns;
		c[INITIALISATION_MS].i64[row] = parts_ns[INITIALISATION];
		if (window->n_periods > 0)
			c[STEPS].f64[row] = window->n_periods;
		row++;
	}
	struct ranked ranked = rank_rows(ctx);
	bool summary = n > JR_DEVICES_IN_FULL;
	struct jr_table *shown = summary ? summary_table(ctx, table, &ranked) : table;
	struct jr_table *steps = step_table(ctx, shown, &ranked, summary);
	char all[JR_NUM_MAX];
	jr_num_grouped_i64(all, (int64_t)n);
	add_chart(ctx, out, steps, summary ? jr_arena_printf(ctx->arena, "; three of %s", all) : "");
	jr_section_table(out, ctx->arena, steps);
	jr_section_table(out, ctx->arena, shown);
	if (shown != table) {
		table->spec = &data_spec;
		jr_section_table(out, ctx->arena, table);
	}
}

const struct jr_pass jr_pass_ledger = {
	.name = "ledger",
	.title = "Time ledger",
	.summary = "Each device's steady wall time, split into what ran; adds up to the nanosecond",
	.needs = JR_NEEDS_MODULES,
	.group = JR_GROUP_STEP,
	.run = run,
};
