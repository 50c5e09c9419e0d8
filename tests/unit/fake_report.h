/*
 * fake_report.h - a hand-made profile and results for tests of writers: every kind of item, nulls,
 * hostile text, empty tables, unavailable sections.
 * Test code; static functions only.
 */
#ifndef JR_TESTS_FAKE_REPORT_H
#define JR_TESTS_FAKE_REPORT_H

#include <math.h>
#include <string.h>

#include "analysis/core/pass.h"
#include "analysis/shared/instances.h"
#include "base/cleanup.h"
#include "model/kinds/archives.h"
#include "report/core/report.h"

#define HOSTILE "<script>alert(1)</script>\"'&]]>|`x``y`;a,b\\ \n= javascript:void(0) @who -->"

struct fake {
	struct jr_profile profile;
	struct jr_arena arena;
	struct jr_results results;
};

static const struct jr_column_spec fake_op_columns[] = {
	{"program_id", "Program", "number of the program", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"name", "Name", "name of the HLO instruction", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE},
	{"opcode", "Opcode", "HLO opcode", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"op_name", "Op name", "where JAX put it", JR_TEXT, JR_UNIT_NONE, JR_COL_CODE},
	{"communication", "Comm.", "whether it moves data between devices", JR_BOOL, JR_UNIT_NONE, 0},
	{"count", "Count", "steady executions", JR_I64, JR_UNIT_COUNT, 0},
	{"active_ms", "Active", "time not hidden behind compute, sum", JR_I64, JR_UNIT_NS, 0},
	{"mean_ms", "Mean", "mean of an execution", JR_F64, JR_UNIT_NS, 0},
	{"std_ms", "Std", "sample standard deviation", JR_F64, JR_UNIT_NS, 0},
	{"percent", "Share", "of the active time of all thunks", JR_F64, JR_UNIT_PERCENT, JR_COL_BAR},
	{"message_bytes", "Message", "size of the message", JR_I64, JR_UNIT_BYTES, 0},
	{"bus_gbps", "Bus", "bus bandwidth", JR_F64, JR_UNIT_BYTES_S, 0},
	{"source.file", NULL, NULL, JR_TEXT, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"source.line", NULL, NULL, JR_I64, JR_UNIT_NONE, JR_COL_DATA_ONLY},
	{"source", "Source", "line of Python that asked for it", JR_TEXT, JR_UNIT_NONE,
		JR_COL_RENDERED_ONLY | JR_COL_SOURCE | JR_COL_CODE},
	{"nested", "Nested", NULL, JR_ROWS, JR_UNIT_NONE, 0},
};
enum {
	OP_PROGRAM, OP_NAME, OP_OPCODE, OP_OP_NAME, OP_COMM, OP_COUNT, OP_ACTIVE, OP_MEAN, OP_STD,
	OP_SHARE, OP_MESSAGE, OP_BUS, OP_FILE, OP_LINE, OP_SOURCE, OP_NESTED
};
static const struct jr_table_spec fake_op_spec = {
	.name = "thunks", .json = "thunks", .title = "Thunks of the top modules",
	.help = "One row a thunk, by active time; all rows are in the data files",
	.n_columns = JR_COUNT_OF(fake_op_columns), .columns = fake_op_columns};

static const struct jr_column_spec fake_nested_columns[] = {
	{"instruction", NULL, NULL, JR_TEXT, JR_UNIT_NONE, 0},
	{"bytes", NULL, NULL, JR_I64, JR_UNIT_BYTES, 0},
};
static const struct jr_table_spec fake_nested_spec = {
	.name = "live", .n_columns = 2, .columns = fake_nested_columns};

static const struct jr_column_spec fake_series_columns[] = {
	{"t_ms", "Time", "start", JR_I64, JR_UNIT_NS, 0},
	{"dur_ms", "Duration", "length", JR_I64, JR_UNIT_NS, 0},
	{"device", "Device", "device", JR_TEXT, JR_UNIT_NONE, 0},
	{"outlier", "Outlier", "far from the others", JR_BOOL, JR_UNIT_NONE, 0},
};
static const struct jr_table_spec fake_series_spec = {
	.name = "steps", .json = NULL, .title = "Steps", .help = "One row an execution",
	.n_columns = JR_COUNT_OF(fake_series_columns), .columns = fake_series_columns,
	.data_only = true};

static const struct jr_column_spec fake_empty_columns[] = {
	{"device", "Device", "number of the GPU", JR_I64, JR_UNIT_NONE, JR_COL_KEY},
	{"caused_wait_ms", "Caused wait", "what others waited", JR_F64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec fake_empty_spec = {
	.name = "stragglers", .json = "stragglers", .title = "Stragglers", .help = "One row a device",
	.n_columns = 2, .columns = fake_empty_columns};

static const struct jr_column_spec fake_ledger_columns[] = {
	{"device", "Device", "number of the GPU", JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"compute_ms", "Compute", "some compute thunk runs", JR_I64, JR_UNIT_NS, 0},
	{"exposed_communication_ms", "Exposed communication", "communication and nothing else", JR_I64,
		JR_UNIT_NS, 0},
	{"idle_in_modules_ms", "Idle in modules", "nothing runs within a module", JR_I64, JR_UNIT_NS,
		0},
	{"wall_ms", "Wall", "sum of all", JR_I64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec fake_ledger_spec = {
	.name = "ledger", .json = "ledger", .title = "Time ledger", .help = "One row a device; adds up",
	.n_columns = JR_COUNT_OF(fake_ledger_columns), .columns = fake_ledger_columns};

static uint64_t fake_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static void fake_scalar(struct fake *f, struct jr_section *s, const char *key, const char *title,
	const char *help, enum jr_unit unit, double value, double std, int64_t n, bool tile)
{
	struct jr_scalar scalar = {.key = key, .title = title, .help = help, .unit = unit,
		.type = JR_F64, .plus_minus = std, .n = n, .tile = tile};
	scalar.value.f64 = value;
	jr_section_scalar(s, &f->arena, &scalar);
}

static void fake_totals(struct fake *f, struct jr_section *s)
{
	fake_scalar(f, s, "totals.step_ms", "Step time", "mean length of the longest module",
		JR_UNIT_NS, 127212003.4, 3120000, 20, true);
	fake_scalar(f, s, "totals.busy", "GPU busy", "share of the wall with work", JR_UNIT_FRAC,
		0.97313, NAN, JR_NULL_I64, true);
	fake_scalar(f, s, "totals.idle_in_modules_ms", "Idle inside modules", "modules less thunks",
		JR_UNIT_NS, 9832750, NAN, JR_NULL_I64, true);
	fake_scalar(f, s, "totals.communication_exposed_ms", "Exposed communication",
		"communication that nothing hides", JR_UNIT_NS, 37113000, NAN, JR_NULL_I64, true);
	fake_scalar(f, s, "totals.compilation_ms", "Compilation", "wall time of compiling",
		JR_UNIT_NS, 69388404880.0, NAN, JR_NULL_I64, true);
	fake_scalar(f, s, "totals.peak_bytes", "Peak memory", "largest heap", JR_UNIT_BYTES,
		38214567890.0, NAN, JR_NULL_I64, true);
	fake_scalar(f, s, "totals.unknown_ms", "Unknown", "a null", JR_UNIT_NS, NAN, NAN, JR_NULL_I64,
		false);
	struct jr_scalar text = {.key = "totals.text", .title = HOSTILE, .help = HOSTILE,
		.type = JR_TEXT, .plus_minus = NAN, .n = JR_NULL_I64};
	text.value.text = HOSTILE;
	jr_section_scalar(s, &f->arena, &text);
	struct jr_scalar exact = {.key = "totals.exact_ms", .title = "Exact", .unit = JR_UNIT_NS,
		.help = "an integer of ns", .type = JR_I64, .plus_minus = NAN, .n = 3, .hidden = true};
	exact.value.i64 = 381636010;
	jr_section_scalar(s, &f->arena, &exact);
	struct jr_table *ledger = jr_table_new(&f->arena, &fake_ledger_spec, 4);
	static const char *const parts[] = {"compute_ms", "exposed_communication_ms",
		"idle_in_modules_ms", NULL};
	static const char *const roles[] = {"compute", "communication", "idle-inside", NULL};
	for (size_t i = 0; i < 4; i++) {
		int64_t all[] = {90000000 + (int64_t)i * 1234567, 30000000, 5000000 + (int64_t)i, 0};
		ledger->cells[0].text[i] = jr_arena_printf(&f->arena, "GPU %zu", i);
		for (size_t c = 0; c < 3; c++)
			ledger->cells[c + 1].i64[i] = all[c], all[3] += all[c];
		ledger->cells[4].i64[i] = all[3];
	}
	jr_section_table(s, &f->arena, ledger);
	jr_section_chart(s, &f->arena, &(struct jr_chart){.name = "ledger", .title = "Where time goes",
		.caption = "One bar a device; the parts add up to its wall time.",
		.kind = JR_CHART_STACKED, .table = ledger, .x = "device", .parts = parts,
		.part_roles = roles});
}

static struct jr_table *fake_ops(struct fake *f, size_t n)
{
	struct jr_table *t = jr_table_new(&f->arena, &fake_op_spec, n + 1);
	uint64_t seed = 7;
	double weight = 0.08;
	for (size_t i = 0; i < n; i++, weight *= 0.985) {
		int64_t count = (int64_t)(fake_random(&seed) % 400 + 1);
		int64_t active = (int64_t)(weight * 371803260) + (int64_t)(fake_random(&seed) % 999);
		bool hostile = i == 3;
		t->cells[OP_PROGRAM].text[i] = jr_arena_printf(&f->arena, "%zu", 27 + i % 3);
		t->cells[OP_NAME].text[i] =
			hostile ? HOSTILE : jr_arena_printf(&f->arena, "loop_convert_fusion.%zu", i);
		t->cells[OP_OPCODE].text[i] = i % 9 == 5 ? "all-gather-start" : "fusion";
		t->cells[OP_OP_NAME].text[i] = hostile ? HOSTILE : i % 7 == 6 ? NULL :
			jr_arena_printf(&f->arena, "jit(train_step)/jvp(Transformer)/layers_%zu/self_attention"
				"/dot_product_attention/transpose(jvp(bqhk,bkhd->bqhd))/dot_general", i % 24);
		t->cells[OP_COMM].boolean[i] = i % 9 == 5;
		t->cells[OP_COUNT].i64[i] = count;
		t->cells[OP_ACTIVE].i64[i] = active;
		t->cells[OP_MEAN].f64[i] = (double)active / (double)count;
		if (count > 1)
			t->cells[OP_STD].f64[i] = (double)active / (double)count * 0.031;
		t->cells[OP_SHARE].f64[i] = (double)active / 371803260;
		if (i % 9 == 5) {
			t->cells[OP_MESSAGE].i64[i] = (int64_t)1 << (10 + i % 20);
			t->cells[OP_BUS].f64[i] = 1e9 * (double)(fake_random(&seed) % 200000) / 1000;
		}
		t->cells[OP_FILE].text[i] = hostile ? HOSTILE : "/opt/model/layers/attention.py";
		t->cells[OP_LINE].i64[i] = (int64_t)(100 + i);
		t->cells[OP_SOURCE].text[i] =
			hostile ? HOSTILE : jr_arena_printf(&f->arena, "attention.py:%zu", 100 + i);
	}
	if (n) {
		struct jr_table *nested = jr_table_new(&f->arena, &fake_nested_spec, 2);
		nested->cells[0].text[0] = HOSTILE;
		nested->cells[1].i64[0] = 1024;
		t->cells[OP_NESTED].rows[0] = nested;
	}
	t->cells[OP_NAME].text[n] = "GPU idle during modules";
	t->cells[OP_ACTIVE].i64[n] = 9832750;
	t->n_data = n;
	t->n_rendered = n < 200 ? n : 200;
	return t;
}

static void fake_charts(struct fake *f, struct jr_section *s, struct jr_table *ops)
{
	uint64_t seed = 11;
	struct jr_table *steps = jr_table_new(&f->arena, &fake_series_spec, 400);
	for (size_t i = 0; i < 400; i++) {
		steps->cells[0].i64[i] = (int64_t)(i / 4) * 130000000;
		steps->cells[1].i64[i] = 125000000 + (int64_t)(fake_random(&seed) % 9000000);
		steps->cells[2].text[i] = jr_arena_printf(&f->arena, "GPU %zu", i % 4);
		steps->cells[3].boolean[i] = i % 97 == 5;
	}
	jr_section_table(s, &f->arena, steps);
	jr_section_chart(s, &f->arena, &(struct jr_chart){.name = "step-times",
		.title = "Step time over the profile", .caption = "Each point is one execution; n = 400.",
		.kind = JR_CHART_SCATTER, .table = steps, .x = "t_ms", .y = "dur_ms", .series = "device",
		.label = "device", .marked = "outlier"});
	jr_section_chart(s, &f->arena, &(struct jr_chart){.name = "step-histogram",
		.title = "Distribution of step times", .caption = HOSTILE,
		.kind = JR_CHART_HISTOGRAM, .table = steps, .x = "dur_ms"});
	jr_section_chart(s, &f->arena, &(struct jr_chart){.name = "step-box",
		.title = "Step times by device", .caption = "Quartiles and extremes.",
		.kind = JR_CHART_BOX, .table = steps, .x = "device", .y = "dur_ms"});
	jr_section_chart(s, &f->arena, &(struct jr_chart){.name = "bandwidth",
		.title = "Bus bandwidth by message size", .caption = "Largest over devices.",
		.kind = JR_CHART_SCATTER, .table = ops, .x = "message_bytes", .y = "bus_gbps",
		.series = "opcode", .label = "name", .log_x = true});
	jr_section_chart(s, &f->arena, &(struct jr_chart){.name = "heaviest",
		.title = "Heaviest thunks", .caption = "Active time.", .kind = JR_CHART_BARS,
		.table = ops, .x = "name", .y = "active_ms"});
	jr_section_chart(s, &f->arena, &(struct jr_chart){.name = "steps-line",
		.title = "Step time as a line", .caption = "In order of time.", .kind = JR_CHART_STEP,
		.table = steps, .x = "t_ms", .y = "dur_ms", .series = "device"});
}

/* Make a tree of about n stacks, `depth` deep, plus hostile and idle roots. */
static struct jr_tree *fake_tree(struct fake *f, const char *name, size_t n, size_t depth)
{
	struct jr_tree *t = JR_ARENA_NEW(&f->arena, struct jr_tree);
	size_t capacity = n * 12 + 8 + depth;
	uint64_t seed = 23;
	t->name = name;
	t->title = "Flamegraph";
	t->caption = "Active time of the top modules by stack.";
	t->parent = JR_ARENA_N(&f->arena, uint32_t, capacity);
	t->text = JR_ARENA_N(&f->arena, const char *, capacity);
	t->kind = JR_ARENA_N(&f->arena, uint8_t, capacity);
	t->self_ns = JR_ARENA_N(&f->arena, double, capacity);
	t->total_ns = JR_ARENA_N(&f->arena, double, capacity);
#define NODE(up, label, what, weight)                                                              \
	(t->parent[t->n] = (up), t->text[t->n] = (label), t->kind[t->n] = (what),                      \
		t->self_ns[t->n] = (weight), t->n++)
	NODE(JR_NONE, "[GPU active]", JR_FRAME_ROOT, 0);
	NODE(JR_NONE, "[GPU idle during module execution]", JR_FRAME_IDLE, 9832750.5);
	NODE(0, HOSTILE, JR_FRAME_USER, 3123456.25);
	uint32_t at = 0;
	for (size_t i = 0; i < depth; i++, at = (uint32_t)t->n - 1)
		NODE(at, jr_arena_printf(&f->arena, "/opt/app/train.py:%zu[main_%zu]", i * 7 + 1, i),
			i % 3 ? JR_FRAME_LIBRARY : JR_FRAME_USER, 0);
	uint32_t spine = at;
	for (size_t i = 0; i < n; i++) {
		uint32_t parent = spine - (uint32_t)(fake_random(&seed) % (depth / 2 + 1));
		double weight = (double)(fake_random(&seed) % 400000) + 0.125;
		NODE(parent, jr_arena_printf(&f->arena, "jit(step)/layer_%zu/op_%zu", i % 31, i),
			i % 11 == 3 ? JR_FRAME_COMMUNICATION : JR_FRAME_XLA, weight);
	}
#undef NODE
	for (size_t i = t->n; i-- > 0;) {
		t->n_stacks += t->self_ns[i] > 0;
		t->total_ns[i] += t->self_ns[i];
		if (t->parent[i] == JR_NONE)
			t->total += t->total_ns[i];
		else
			t->total_ns[t->parent[i]] += t->total_ns[i];
	}
	return t;
}

/* Add two files, the second with a hostile name; lines with and without time, gaps. */
static void fake_listings(struct fake *f, struct jr_section *s)
{
	static const struct jr_listing_line lines[] = {{.n_hidden = 83, .text = ""},
		{.number = 84, .text = "    y = jnp.dot(x, w)", .hot = true, .total_ns = 61.5e6,
			.self_ns = 41.25e6,
			.working_ns = 41.25e6, .communication_ns = 1.5e6, .kernels = 12},
		{.number = 85, .text = HOSTILE}, {.number = 86, .text = ""},
		{.number = 87, .text = HOSTILE, .hot = true, .total_ns = 400, .self_ns = 400,
			.working_ns = 400, .kernels = 1},
		{.n_hidden = 1, .text = ""}};
	static const char *const files[] = {"/opt/model/layers/attention.py", HOSTILE ".py"};
	for (size_t i = 0; i < JR_COUNT_OF(files); i++) {
		struct jr_listing *listing = JR_ARENA_NEW(&f->arena, struct jr_listing);
		*listing = (struct jr_listing){.file = files[i], .tree = "source_code", .library = i == 1,
			.note = i == 1 ? HOSTILE : NULL, .total_ns = 70e6, .self_ns = 41.2504e6,
			.whole_ns = 127.2e6, .hottest_ns = 41.25e6, .n = JR_COUNT_OF(lines), .lines = lines};
		jr_section_listing(s, &f->arena, listing);
	}
}

static void fake_profile(struct fake *f)
{
	struct jr_options options = jr_options_default();
	struct jr_profile *p = &f->profile;
	jr_profile_init(p, &options);
	p->n_inputs = 1;
	p->inputs = JR_ARENA_NEW(&p->arena, struct jr_input);
	*p->inputs = (struct jr_input){.name = "out<&>.zip", .kind = &jr_input_nsys_jax,
		.size_bytes = 2800000};
	memset(p->inputs[0].sha256, 'a', 64);
	p->n_processes = 1;
	p->processes = JR_ARENA_NEW(&p->arena, struct jr_process);
	*p->processes = (struct jr_process){.name = jr_intern_puts(&p->strings, "out"), .layout = 'A',
		.xla = 1, .hostname = jr_intern_puts(&p->strings, "node-07"),
		.driver = jr_intern_puts(&p->strings, "550.54.15"),
		.cuda = jr_intern_puts(&p->strings, "12.4")};
	p->n_devices = 4;
	p->devices = JR_ARENA_N(&p->arena, struct jr_device, 4);
	for (uint32_t i = 0; i < 4; i++)
		p->devices[i] = (struct jr_device){.global = i, .local = i, .process_number = 0,
			.slice = JR_NONE, .gpu_name = jr_intern_puts(&p->strings, "NVIDIA H100 80GB HBM3"),
			.memory_bandwidth_bytes_s = 3352320000000, .sm_count = 132, .clock_hz = 1980000000,
			.memory_bytes = 85044297728, .aligned_set = JR_NONE};
	p->n_settings = 4;
	p->settings = JR_ARENA_N(&p->arena, struct jr_setting, 4);
	p->settings[0] = (struct jr_setting){jr_intern_puts(&p->strings, "NCCL_DEBUG"),
		jr_intern_puts(&p->strings, "WARN"), 0};
	p->settings[1] = (struct jr_setting){jr_intern_puts(&p->strings, "XLA_FLAGS"),
		jr_intern_puts(&p->strings, "--xla_gpu_enable_latency_hiding_scheduler=true " HOSTILE), 0};
	p->settings[2] = (struct jr_setting){
		p->settings[0].name, jr_intern_puts(&p->strings, "INFO"), 0};
	p->settings[3] = p->settings[0];
	jr_profile_guess(p, "orphan-thunks", 3, "3 thunks had no module and were given one");
	jr_profile_missing(p, "memory of program 12", "its HLO is not in the archive");
	jr_profile_warn(p, "something is odd about %s", HOSTILE);
}

static const struct jr_pass fake_passes[] = {
	{.name = "totals",
		.title = "Where time goes",
		.summary = "The wall of each device, divided up exactly."},
	{.name = "thunks", .title = "Thunks", .summary = "GPU operations by active time."},
	{.name = "figures", .title = "Pictures", .summary = HOSTILE},
	{.name = "source-code",
		.title = "Source code",
		.summary = "Time by the line that asked for it."},
	{.name = "stragglers", .title = "Stragglers", .summary = "Who made others wait."},
	{.name = "memory", .title = "Memory", .summary = "What was alive at the peak."},
};

static void fake_findings(struct fake *f)
{
	static const struct jr_finding findings[] = {
		{.id = "exposed-communication",
			.severity = JR_WARNING,
			.recoverable_ns = 37113000,
			.step_recoverable_ns = 12371000,
			.step_without_ns = 114829000,
			.title = "29 % of the step is exposed communication",
			.why = "all-gather waits for the slowest device before the first layer.",
			.action = "Try the latency-hiding scheduler.",
			.evidence = "37.1 ms of 127.2 ms per step; 812 instances",
			.section = "thunks",
			.cause = JR_CAUSE_TRANSFER,
			.op = JR_NONE,
			.step_least_ns = JR_NULL_I64},
		{.id = "idle-inside",
			.severity = JR_NOTICE,
			.recoverable_ns = 9832750,
			.step_recoverable_ns = JR_NULL_I64,
			.step_without_ns = JR_NULL_I64,
			.title = "The GPU idles 2.6 % of the time inside modules",
			.why = "Short thunks with gaps between them.",
			.evidence = "9.8 ms",
			.section = "totals",
			.cause = JR_CAUSE_LAUNCH,
			.op = JR_NONE,
			.step_least_ns = JR_NULL_I64},
		{.id = "hostile",
			.severity = JR_INFO,
			.recoverable_ns = JR_NULL_I64,
			.step_recoverable_ns = JR_NULL_I64,
			.step_without_ns = JR_NULL_I64,
			.title = HOSTILE,
			.why = HOSTILE,
			.action = HOSTILE,
			.evidence = HOSTILE,
			.section = "no-such-section",
			.cause = JR_CAUSE_MEASUREMENT,
			.op = JR_NONE,
			.step_least_ns = JR_NULL_I64},
	};
	f->results.n_findings = JR_COUNT_OF(findings);
	f->results.findings = JR_ARENA_N(&f->arena, struct jr_finding, JR_COUNT_OF(findings));
	memcpy(f->results.findings, findings, sizeof(findings));
}

/* Make `n_ops` thunks and three flamegraphs of `n_stacks` stacks; 0 = no data at all. */
static void fake_init(struct fake *f, size_t n_ops, size_t n_stacks)
{
	memset(f, 0, sizeof(*f));
	jr_arena_init(&f->arena, 0);
	fake_profile(f);
	f->results.arena = &f->arena;
	f->results.instances = jr_instances_find(&f->profile, &f->arena);
	f->results.n_sections = JR_COUNT_OF(fake_passes);
	f->results.sections = JR_ARENA_N(&f->arena, struct jr_section, JR_COUNT_OF(fake_passes));
	struct jr_section *s = f->results.sections;
	for (size_t i = 0; i < JR_COUNT_OF(fake_passes); i++)
		s[i].pass = &fake_passes[i];
	fake_totals(f, &s[0]);
	struct jr_table *ops = fake_ops(f, n_ops);
	jr_section_text(&s[1], &f->arena, "A paragraph with %s in it.", HOSTILE);
	jr_section_table(&s[1], &f->arena, ops);
	fake_charts(f, &s[2], ops);
	if (n_stacks) {
		fake_listings(f, &s[3]);
		jr_section_tree(&s[3], &f->arena, fake_tree(f, "source_code", n_stacks, 40));
		jr_section_tree(&s[3], &f->arena, fake_tree(f, "op_name", n_stacks, 12));
		jr_section_tree(&s[3], &f->arena, fake_tree(f, "compilation", n_stacks / 4, 9));
	}
	jr_section_table(&s[4], &f->arena, jr_table_new(&f->arena, &fake_empty_spec, 0));
	s[5].unavailable = "not available, because no program has an HLO " HOSTILE;
	fake_findings(f);
}

/* Add gates that pass, fail and cannot be determined to the first section. */
static inline void fake_gates(struct fake *f)
{
	static const struct jr_column_spec fake_gate_columns[] = {
		{"gate", "Gate", NULL, JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
		{"outcome", "Outcome", NULL, JR_TEXT, JR_UNIT_NONE, 0},
		{"measured", "Measured", NULL, JR_TEXT, JR_UNIT_NONE, 0},
		{"allowed", "Limit", NULL, JR_TEXT, JR_UNIT_NONE, 0},
		{"reason", "Why", NULL, JR_TEXT, JR_UNIT_NONE, 0},
	};
	static const struct jr_table_spec fake_gate_spec = {
		.name = "gates", .title = "Gates", .n_columns = 5, .columns = fake_gate_columns};
	static const char *const rows[][5] = {
		{"step.median<+2%", "pass", "+0.3 %", "+2 %", NULL},
		{HOSTILE, "fail", "40 GB", "38 GB", NULL},
		{"compile.total<+20%", "cannot tell", NULL, NULL, "too few samples " HOSTILE},
	};
	struct jr_table *t = jr_table_new(&f->arena, &fake_gate_spec, 3);
	for (size_t row = 0; row < 3; row++)
		for (size_t c = 0; c < 5; c++)
			t->cells[c].text[row] = rows[row][c];
	jr_section_table(&f->results.sections[0], &f->arena, t);
}

static void fake_done(struct fake *f)
{
	jr_arena_done(&f->arena);
	jr_profile_done(&f->profile);
}

#endif
