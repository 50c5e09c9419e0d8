/* Collectives, waiting and stragglers, on hand-made jobs; analysis/README.md, sections 4.6 and
 * 6. */
#include "pass_case.h"

/* HLO with one collective per name: f32 operands of n floats in groups of `group`. */
struct collective_case {
	const char *name, *opcode;
	int n_floats, group;
};

static const Xla__HloProto *hlo_of(
	struct jr_arena *a, const struct collective_case *cases, size_t n)
{
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	for (size_t i = 0; i < n; i++) {
		int64_t id = 10 + 2 * (int64_t)i;
		build_instruction(a, entry, "p", "parameter", id)->shape =
			build_shape(a, XLA__PRIMITIVE_TYPE__F32, cases[i].n_floats, -1);
		Xla__HloInstructionProto *c =
			build_instruction(a, entry, cases[i].name, cases[i].opcode, id + 1);
		Xla__ReplicaGroup *group = build_new(a, &xla__replica_group__descriptor);
		ADD(a, c, operand_ids, id);
		for (int k = 0; k < cases[i].group; k++)
			ADD(a, group, replica_ids, k);
		ADD(a, c, replica_groups, group);
	}
	return proto;
}

/* A thunk of one instance on one device. */
struct run_thunk {
	const char *name;
	int device, execution;
	int64_t start, end;
};

/* An array and its number of entries. */
#define ALL(array) array, JR_COUNT_OF(array)

/* Executions of 10,000 ns, all steady; times are within them. */
static void run_collectives(struct pass_run *run, struct jr_arena *a, bool align,
	const Xla__HloProto *proto, int n_devices, int n_executions, const struct run_thunk *thunks,
	size_t n)
{
	struct job_rows rows = {.arena = a};
	struct jr_options options = jr_options_default();
	options.warmup = JR_WARMUP_NONE;
	options.no_align = !align;
	for (int d = 0; d < n_devices; d++)
		for (int x = 0; x < n_executions; x++) {
			int64_t at = 10000 * x, tid = 100 + d;
			int64_t m = rows_add(&rows, 0, at, at + 10000, tid, MODULE("7", "jit_f"));
			for (size_t i = 0; i < n; i++)
				if (thunks[i].device == d && thunks[i].execution == x)
					rows_add(&rows, m, at + thunks[i].start, at + thunks[i].end, tid,
						"Thunk:#hlo_op=%s#", thunks[i].name);
		}
	const struct job_hlo hlo[] = {{7, proto}};
	struct job_process process = rows_process(&rows, (size_t)n_devices);
	process.counts_ops = true; /* none is cut off */
	process.hlo = hlo;
	process.n_hlo = 1;
	passes_of(run, &options, &process);
	check_results(&run->results);
	jr_vec_done(&rows);
}

/* --- bandwidth -------------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_bandwidths)
{
	static const struct collective_case cases[] = {{"ag", "all-gather", 1000, 4},
		{"ar", "all-reduce", 1000, 4}, {"cp", "collective-permute", 1000, 4},
		{"rs", "reduce-scatter", 1000, 4}};
	static const struct run_thunk thunks[] = {
		/* the faster of two devices counts: 200 ns */
		{"ag", 0, 0, 0, 200}, {"ag", 1, 0, 0, 400}, {"ar", 0, 0, 1000, 1300},
		{"ar", 1, 0, 1100, 1300}, {"cp", 0, 0, 2000, 2100}, {"rs", 0, 0, 3000, 3500},
		{"rs", 1, 0, 3000, 3500}};
	struct pass_run run;
	run_collectives(&run, *state, false, hlo_of(*state, ALL(cases)), 2, 1, ALL(thunks));
	/* by kind: k * size / t * c; 4000 bytes in 200 ns are 20 GB/s */
	check_column(&run, "collectives", "collective",
		"all-gather all-reduce collective-permute reduce-scatter ");
	check_column(&run, "collectives", "message_bytes", "4000 4000 4000 1000 ");
	check_column(&run, "collectives", "buffers", "1 1 1 1 ");
	check_column(&run, "collectives", "largest_buffer_bytes", "4000 4000 4000 1000 ");
	check_column(&run, "collectives", "group_size", "4 4 2 4 ");
	check_column(&run, "collectives", "bus_gbps_mean", "6e+10 3e+10 4e+10 6000000000 ");
	check_column(&run, "collectives", "bus_gbps_sem", "null null null null "); /* one instance */
	check_column(&run, "collective_instances", "name", "ag ar cp rs ");
	check_column(&run, "collective_instances", "algorithm_gbps", "8e+10 2e+10 4e+10 8000000000 ");
	check_column(&run, "collective_instances", "devices", "2 2 1 2 ");
	check_column(&run, "collective_instances", "dur_ms", "200 200 100 500 ");
	/* last end - first start - shortest */
	check_column(&run, "collective_instances", "wait_ms", "200 100 0 0 ");
	passes_done(&run);
}

/* Mean and standard error over instances; kinds and sizes are separate, names are not. */
static UNIT_IN_ARENA(test_standard_error)
{
	static const struct collective_case cases[] = {{"a.1", "all-reduce", 1000, 2},
		{"b.1", "all-reduce", 1000, 2}, {"c.1", "all-reduce", 2000, 2}};
	static const struct run_thunk thunks[] = {
		{"a.1", 0, 0, 0, 400}, {"b.1", 0, 0, 1000, 1200}, {"c.1", 0, 0, 2000, 2800},
		{"a.1", 0, 1, 0, 100}, {"a.1", 0, 1, 500, 900}};
	struct pass_run run;
	run_collectives(&run, *state, true, hlo_of(*state, ALL(cases)), 1, 2, ALL(thunks));
	check_column(&run, "collectives", "message_bytes", "4000 8000 ");
	check_column(&run, "collectives", "instances", "4 1 ");
	/* 10, 20, 40, 10 GB/s: mean 20, s = sqrt(600 / 3), s / sqrt(4) */
	check_column(&run, "collectives", "bus_gbps_mean", "2e+10 1e+10 ");
	check_column(&run, "collectives", "bus_gbps_sem", "7071067812 null ");
	check_column(&run, "collective_instances", "thunk_execution", "0 0 0 0 1 ");
	passes_done(&run);
}

/* Unknown size, no time, a mixed thunk: no bandwidth rather than a wrong one. */
static UNIT_IN_ARENA(test_unknown_bandwidths)
{
	static const struct collective_case cases[] = {{"zero", "all-reduce", 1000, 2},
		{"empty", "all-gather", 0, 2}};
	static const struct run_thunk thunks[] = {{"zero", 0, 0, 10, 10}, {"empty", 0, 0, 20, 30},
		{"all-reduce.77", 0, 0, 40, 50}}; /* by its name */
	struct pass_run run;
	run_collectives(&run, *state, true, hlo_of(*state, ALL(cases)), 1, 1, ALL(thunks));
	check_column(&run, "collective_instances", "bus_gbps", "null null null ");
	check_column(&run, "collective_instances", "message_bytes", "4000 null null ");
	check_column(&run, "collective_instances", "group_size", "2 2 null ");
	check_column(&run, "collective_instances", "wait_ratio", "null 0 0 ");
	check_column(&run, "collectives", "collective", "all-gather all-reduce all-reduce ");
	check_column(&run, "collectives", "message_bytes", "null null 4000 ");
	check_column(&run, "collectives", "bus_gbps_mean", "null null null ");
	check_column(&run, "overlap", "collective", ""); /* nothing was hidden */
	passes_done(&run);
}

/* A group of one device copies. If one device states no groups, the participants are unknown. */
static UNIT_IN_ARENA(test_groups_of_one)
{
	static const struct collective_case cases[] = {
		{"copy", "all-reduce", 1000, 1}, {"unstated", "all-reduce", 1000, 0}};
	static const struct run_thunk thunks[] = {{"copy", 0, 0, 0, 100}, {"unstated", 0, 0, 200, 400}};
	struct pass_run run;
	run_collectives(&run, *state, true, hlo_of(*state, ALL(cases)), 1, 1, ALL(thunks));
	check_column(&run, "collective_instances", "name", "unstated ");
	check_column(&run, "collective_instances", "group_size", "null ");
	check_column(&run, "collective_instances", "bus_gbps", "null ");
	check_column(&run, "collectives", "bus_gbps_mean", "null ");
	check_column(&run, "timeline", "category", "copy communication ");
	check_column(&run, "timeline", "role", "copy wait ");
	check_column(&run, "ledger", "compute_ms", "100 ");
	check_column(&run, "ledger", "exposed_communication_ms", "200 ");
	passes_done(&run);
}

/* --- waits ------------------------------------------------------------------------------------ */

static const struct collective_case one_reduce[] = {{"ar", "all-reduce", 1000, 3}};

/* Three devices; the clock of device 2 is 1000 ahead, the clock of device 1 is 500 behind. */
static const struct run_thunk skewed[] = {
	{"ar", 0, 0, 1000, 1300}, {"ar", 1, 0, 700, 800}, {"ar", 2, 0, 2100, 2300},
	{"ar", 0, 1, 1000, 1100}, {"ar", 1, 1, 500, 600}, {"ar", 2, 1, 1900, 2100}};

static UNIT_IN_ARENA(test_straggler_ledger)
{
	struct pass_run run;
	run_collectives(&run, *state, true, hlo_of(*state, ALL(one_reduce)), 3, 2, ALL(skewed));
	/* mean ends 1466.67 and 1266.67: skews -166.67, -666.67, 833.33, in both */
	const struct jr_table *alignment = run_table(&run, "alignment");
	static const double corrections[] = {-500.0 / 3, -2000.0 / 3, 2500.0 / 3};
	for (size_t d = 0; d < 3; d++)
		check_number(table_cells(alignment, "correction_ms")->f64[d], corrections[d]);
	/* On the common clock, in the first instance: 0 begins 300, 1 100, 2 200 before the end. So
	 * 1 is last, and the others wait 200 + 100 for it. In the second: 100, 100, 200. 0 and 1
	 * tie, and the first of them is charged with the 100 of 2. */
	check_column(&run, "stragglers", "device", "1 0 2 ");
	check_column(&run, "stragglers", "caused_wait_ms", "300 100 0 ");
	check_column(&run, "stragglers", "last_arrivals", "1 0 0 "); /* in a tie neither is the last */
	check_column(&run, "stragglers", "waited_ms", "0 200 200 ");
	check_column(&run, "stragglers", "instances", "2 2 2 ");
	check_column(&run, "transfer_wait", "transfer_ms", "600 ");
	check_column(&run, "transfer_wait", "waiting_ms", "400 ");
	check_column(&run, "transfer_wait", "waiting_percent", "0.4 ");
	/* instance waits: 300 - 100, 200 - 100 */
	check_column(&run, "collective_instances", "dur_ms", "100 100 ");
	const struct jr_table *instances = run_table(&run, "collective_instances");
	check_number(table_cells(instances, "wait_ms")->f64[0], 200);
	check_number(table_cells(instances, "wait_ms")->f64[1], 100);
	/* all ends coincide after alignment */
	const struct jr_table *skew = run_table(&run, "end_skew");
	for (size_t row = 0; row < skew->n_rows; row++)
		assert_true(fabs(table_cells(skew, "skew_ms")->f64[row]) < 1e-6);
	passes_done(&run);
}

/* The time that the last device to arrive takes beyond the shortest is not a wait it caused. */
static UNIT_IN_ARENA(test_slow_last_arrival)
{
	static const struct run_thunk thunks[] = {{"ar", 0, 0, 0, 100}, {"ar", 1, 0, 50, 200}};
	struct pass_run run;
	run_collectives(&run, *state, false, hlo_of(*state, ALL(one_reduce)), 2, 1, ALL(thunks));
	check_column(&run, "stragglers", "device", "0 1 ");
	check_column(&run, "stragglers", "caused_wait_ms", "0 0 ");
	check_column(&run, "stragglers", "last_arrivals", "0 1 ");
	check_column(&run, "stragglers", "waited_ms", "0 50 ");
	passes_done(&run);
}

/* Wait of a module: max - min of exposed time over devices, summed over an execution. */
static UNIT_IN_ARENA(test_module_waits)
{
	struct pass_run run;
	run_collectives(&run, *state, true, hlo_of(*state, ALL(one_reduce)), 3, 2, ALL(skewed));
	check_column(&run, "modules", "wait_mean_ms", "150 "); /* 200 and 100 */
	check_column(&run, "modules", "wait_std_ms", "70.71067812 ");
	check_column(&run, "modules", "wait_percent", "0.015 ");
	/* starts are equal on the raw clocks: (1500) / 10000 apart on the common one */
	check_number(table_cells(run_table(&run, "modules"), "start_skew_ms")->f64[0], 1500);
	check_column(&run, "modules", "start_skew_percent", "0.15 ");
	passes_done(&run);
	/* without alignment the raw clocks count */
	run_collectives(&run, *state, false, hlo_of(*state, ALL(one_reduce)), 3, 2, ALL(skewed));
	check_column(&run, "modules", "start_skew_percent", "0 ");
	check_column(&run, "collective_instances", "wait_ms", "1500 1500 "); /* 2300 - 700 - 100, ... */
	check_column(&run, "alignment", "device", "");
	passes_done(&run);
}

/* Executions of 2 µs, seconds apart: waits as times, but no percentage of the run. Half of the
 * waiting is on the fast device; it is a share of the slow one's time. */
static UNIT_IN_ARENA(test_shares_of_little)
{
	struct job_rows rows = {.arena = *state};
	struct jr_options options = jr_options_default();
	struct pass_run run;
	options.warmup = JR_WARMUP_NONE;
	options.no_align = true;
	for (int64_t d = 0; d < 2; d++) {
		int64_t slow = d ? 100000 : 10000;
		rows_add(&rows, 0, 5000000000 * d, 5000000000 * d + 2000, 100 + d,
			MODULE("8", "jit_little"));
		int64_t m = rows_add(&rows, 0, 10000000000, 10000000000 + slow, 100 + d,
			MODULE("7", "jit_f"));
		rows_add(&rows, m, 10000000000, 10000000000 + slow - 5000, 100 + d, THUNK("all-reduce.1"));
		if (d == 0) /* no execution on two devices */
			rows_add(&rows, 0, 11000000000, 11000001000, 100, MODULE("9", "jit_once"));
	}
	struct job_process process = rows_process(&rows, 2);
	process.counts_ops = true; /* none is cut off */
	passes_of(&run, &options, &process);
	check_results(&run.results);
	check_column(&run, "modules", "name", "jit_f jit_little jit_once ");
	check_column(&run, "modules", "start_skew_ms", "0 5000000000 null ");
	check_column(&run, "modules", "start_skew_percent", "0 null null ");
	check_column(&run, "modules", "wait_mean_ms", "90000 null null ");
	check_column(&run, "modules", "wait_percent", "0.9 null null "); /* 164 % of the mean */
	passes_done(&run);
	jr_vec_done(&rows);
}

/* Two collectives in one execution add up; time overlapped with compute is not a wait. */
static UNIT_IN_ARENA(test_waits_are_of_exposed_time)
{
	static const struct collective_case cases[] = {{"a", "all-reduce", 1000, 2},
		{"b", "all-gather", 1000, 2}, {"c", "add", 1, 1}};
	static const struct run_thunk thunks[] = {{"a", 0, 0, 0, 300}, {"a", 1, 0, 200, 300},
		{"b", 0, 0, 1000, 1100}, {"b", 1, 0, 940, 1100}, {"c", 0, 0, 0, 150}};
	struct pass_run run;
	run_collectives(&run, *state, true, hlo_of(*state, ALL(cases)), 2, 1, ALL(thunks));
	/* a: exposed 150 and 100; b: 100 and 160 */
	check_column(&run, "modules", "wait_mean_ms", "110 ");
	/* stragglers and instances are measured by full durations */
	check_column(&run, "collective_instances", "wait_ms", "200 60 ");
	check_column(&run, "overlap", "hidden_fraction", "0 0.375 0.2272727273 ");
	passes_done(&run);
}

/* Instances of one name that begin together keep their order of execution. */
static UNIT_IN_ARENA(test_instances_that_begin_together)
{
	static const struct collective_case cases[] = {
		{"a", "all-reduce", 1000, 2}, {"b", "all-reduce", 1000, 2}};
	static const struct run_thunk thunks[] = {{"b", 0, 0, 100, 160}, {"a", 0, 0, 100, 120},
		{"b", 1, 0, 50, 90}, {"b", 1, 0, 100, 160}, {"a", 1, 0, 100, 120}};
	struct pass_run run;
	run_collectives(&run, *state, false, hlo_of(*state, ALL(cases)), 2, 1, ALL(thunks));
	check_column(&run, "collective_instances", "name", "a b b ");
	check_column(&run, "collective_instances", "thunk_execution", "0 0 1 ");
	passes_done(&run);
}

/* Each device copies for itself: no device waits, even if one takes longer. */
static UNIT_IN_ARENA(test_host_copies)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "jit_f");
	Xla__HloComputationProto *entry = build_computation(a, proto, "main", 1);
	build_fetch(a, entry, "fetch");
	static const struct run_thunk thunks[] = {{"fetch", 0, 0, 0, 100}, {"fetch", 1, 0, 300, 700}};
	struct pass_run run;
	run_collectives(&run, a, true, proto, 2, 1, ALL(thunks));
	check_column(&run, "collective_instances", "collective", "host-to-device ");
	check_column(&run, "collective_instances", "bus_gbps", "4000000000 "); /* 400 bytes in 100 ns */
	check_column(&run, "collective_instances", "wait_ms", "0 ");
	check_column(&run, "modules", "wait_mean_ms", "0 ");
	check_column(&run, "stragglers", "device", "");
	check_column(&run, "alignment", "device", "");
	passes_done(&run);
}

/* --- clock notes ------------------------------------------------------------------------------ */

static void check_told(const struct pass_run *run, const char *expected)
{
	const struct jr_section *section = run_section(run, "stragglers");
	struct jr_buf got = {0};
	for (size_t i = 0; i < section->n; i++)
		if (section->items[i].kind == JR_RESULT_TEXT)
			jr_buf_printf(&got, "%s\n", section->items[i].as.text);
	check_text(&got, expected);
}

static UNIT_IN_ARENA(test_clocks_are_told)
{
	static const struct collective_case pairs[] = {
		{"a", "all-reduce", 1000, 2}, {"b", "all-gather", 1000, 2}};
	static const struct run_thunk together[] = {{"a", 0, 0, 0, 100}, {"a", 1, 0, 0, 100}};
	static const struct run_thunk sets[] = {{"a", 0, 0, 0, 100}, {"a", 1, 0, 0, 100},
		{"b", 2, 0, 0, 100}, {"b", 3, 0, 0, 100}};
	static const struct run_thunk alone[] = {{"a", 0, 0, 0, 100}};
	struct pass_run run;
	run_collectives(&run, *state, true, hlo_of(*state, ALL(pairs)), 2, 1, ALL(together));
	check_told(&run,
		"Device clocks were aligned before waits were measured, under the assumption that all "
		"devices end a collective at the same time.\n"
		"On the aligned clocks, devices end a steady collective "
		"together: 95 % of the 2 ends are within 1 ns of the mean.\n");
	passes_done(&run);
	run_collectives(&run, *state, false, hlo_of(*state, ALL(pairs)), 2, 1, ALL(together));
	check_told(&run,
		"The device clocks are used as recorded (--no-align), so waits and skews include the "
		"differences between clocks.\nOn these clocks, devices end a steady collective together: "
		"95 % of the 2 ends are within 1 ns of the mean.\n");
	passes_done(&run);
	run_collectives(&run, *state, true, hlo_of(*state, ALL(pairs)), 5, 1, ALL(sets));
	check_told(&run,
		"Device clocks were aligned before waits were measured, under the assumption that all "
		"devices end a collective at the same time.\n"
		"On the aligned clocks, devices end a steady collective "
		"together: 95 % of the 4 ends are within 1 ns of the mean.\nNo collective includes all "
		"devices. The devices form 2 sets, and times of devices in different sets are not "
		"comparable.\n1 device shares no collective with other devices: its clock is used as "
		"recorded.\n");
	passes_done(&run);
	run_collectives(&run, *state, true, hlo_of(*state, ALL(pairs)), 2, 1, ALL(alone));
	check_told(&run,
		"No collective was recorded on two devices, so their clocks are used as recorded, and "
		"waiting between devices is unknown.\n1 of 1 steady collectives include devices that "
		"were not profiled (seen: 1 of 2). Waiting for these devices counts as transfer.\n");
	passes_done(&run);
	run_collectives(&run, *state, false, hlo_of(*state, ALL(pairs)), 2, 1, ALL(alone));
	check_told(&run,
		"The device clocks are used as recorded (--no-align), so waits and skews include the "
		"differences between clocks.\nNo steady collective was recorded on two devices, so waiting "
		"between devices is unknown.\n1 of 1 steady collectives include devices that were not "
		"profiled (seen: 1 of 2). Waiting for these devices counts as transfer.\n");
	passes_done(&run);
}

/* Two of four devices were profiled: the last of the two may have waited, too. */
static UNIT_IN_ARENA(test_absent_devices_are_told)
{
	static const struct collective_case cases[] = {
		{"a", "all-reduce", 1000, 4}, {"b", "all-gather", 1000, 2}};
	static const struct run_thunk thunks[] = {{"a", 0, 0, 0, 100}, {"a", 1, 0, 0, 100},
		{"b", 0, 0, 200, 300}, {"b", 1, 0, 200, 300}};
	struct pass_run run;
	run_collectives(&run, *state, true, hlo_of(*state, ALL(cases)), 2, 1, ALL(thunks));
	check_told(&run,
		"Device clocks were aligned before waits were measured, under the assumption that all "
		"devices end a collective at the same time.\n"
		"On the aligned clocks, devices end a steady collective "
		"together: 95 % of the 4 ends are within 1 ns of the mean.\n1 of 2 steady collectives "
		"include devices that were not profiled (seen: 2 of 4). Waiting for these devices counts "
		"as transfer.\n");
	passes_done(&run);
}

/* Distance between ends after clock alignment: device 1 is 1,000 ahead, but 1,040 in one of
 * four. */
static UNIT_IN_ARENA(test_residual_of_ends)
{
	static const struct run_thunk thunks[] = {{"ar", 0, 0, 100, 300}, {"ar", 1, 0, 1200, 1300},
		{"ar", 0, 1, 100, 300}, {"ar", 1, 1, 1200, 1300}, {"ar", 0, 2, 100, 300},
		{"ar", 1, 2, 1200, 1300}, {"ar", 0, 3, 100, 300}, {"ar", 1, 3, 1200, 1340}};
	static const struct collective_case pair[] = {{"ar", "all-reduce", 1000, 2}};
	struct pass_run run;
	run_collectives(&run, *state, true, hlo_of(*state, ALL(pair)), 2, 4, ALL(thunks));
	/* on one clock, 0, 0, 0 and 20 from their mean, on either side */
	check_column(&run, "alignment", "residual_median_ms", "0 0 ");
	check_column(&run, "alignment", "residual_p95_ms", "17 17 ");
	check_number(jr_results_scalar(&run.results, "clocks.residual_median_ms")->value.f64, 0);
	check_number(jr_results_scalar(&run.results, "clocks.residual_p95_ms")->value.f64, 20);
	passes_done(&run);
	run_collectives(&run, *state, false, hlo_of(*state, ALL(pair)), 2, 4, ALL(thunks));
	check_number(jr_results_scalar(&run.results, "clocks.residual_median_ms")->value.f64, 500);
	check_number(jr_results_scalar(&run.results, "clocks.residual_p95_ms")->value.f64, 520);
	check_told(&run,
		"The device clocks are used as recorded (--no-align), so waits and skews include the "
		"differences between clocks.\nOn these clocks, half of the 8 ends of steady collectives "
		"are within 500 ns of the mean over devices, and 95 % within 520 ns. Smaller "
		"differences between devices may come from their clocks.\n");
	passes_done(&run);
}

/* --- steady executions ------------------------------------------------------------------------ */

/* Communication falls back on its own: its tables have rows, the totals have none. */
static UNIT_IN_ARENA(test_communication_falls_back)
{
	struct job_rows rows = {.arena = *state};
	for (int x = 0; x < 3; x++) {
		int64_t m = rows_add(&rows, 0, 1000 * x, 1000 * x + 500, 100, MODULE("7", "jit_f"));
		rows_add(&rows, m, 1000 * x, 1000 * x + 100, 100, THUNK("fusion.1"));
	}
	int64_t m = rows_add(&rows, 0, 5000, 5500, 100, MODULE("8", "jit_once"));
	rows_add(&rows, m, 5000, 5100, 100, THUNK("all-reduce.1"));
	struct job_process process = rows_process(&rows, 1);
	struct pass_run run;
	passes_of(&run, NULL, &process);
	check_results(&run.results);
	assert_true(run.job.profile.communications_fell_back);
	check_column(&run, "collective_instances", "program_id", "8 ");
	assert_int_equal(run_total_ns(&run, "totals.communication_exposed_ms"), 0);
	check_column(&run, "modules", "program_id", "7 ");
	passes_done(&run);
	jr_vec_done(&rows);
}
