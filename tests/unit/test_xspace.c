/* Rows of traces of jax.profiler: what files omit, refer to, repeat, or cut short. */
#include <math.h>
#include <stdio.h>

#include "xspace_build.h"

enum { CORRELATION = 1, DETAILS, MODULE, PROGRAM, MODULE_NAME, DETAILS_TEXT, COPY };

static void put_names(struct jr_buf *plane)
{
	xs_name(plane, XS_EVENT_NAMES, 1, "void ns::gemm<float, 4>(float*)");
	xs_name(plane, XS_EVENT_NAMES, 2, "MemcpyD2H");
	xs_name(plane, XS_STAT_NAMES, CORRELATION, "correlation_id");
	xs_name(plane, XS_STAT_NAMES, DETAILS, "kernel_details");
	xs_name(plane, XS_STAT_NAMES, MODULE, "hlo_module");
	xs_name(plane, XS_STAT_NAMES, PROGRAM, "program_id");
	xs_name(plane, XS_STAT_NAMES, MODULE_NAME, "jit_f");
	xs_name(
		plane, XS_STAT_NAMES, DETAILS_TEXT, "regs:32 static_shared:64 grid:2,3,4 block:128,1,1");
	xs_name(plane, XS_STAT_NAMES, COPY, "memcpy_details");
}

/* Put a kernel at 1,005..1,007 ns, one of zero length at 1,000 without a name, and a copy of 64
 * bytes. */
static void put_lines(struct jr_buf *plane, int64_t stream, const char *name)
{
	struct jr_buf line = {0}, event = {0};
	xs_int(&line, 1, stream);
	xs_text(&line, 2, name);
	xs_int(&line, 3, 1000);
	xs_put(&line, 4, &event);
	xs_event(&event, 1, 5000, 2000);
	xs_stat_int(&event, 4, CORRELATION, 3, 7);
	xs_stat_int(&event, 4, DETAILS, 7, DETAILS_TEXT);
	xs_stat_int(&event, 4, MODULE, 7, MODULE_NAME);
	xs_stat_text(&event, 4, PROGRAM, "12");
	xs_put(&line, 4, &event);
	xs_event(&event, 2, 9000, 1000);
	xs_stat_int(&event, 4, CORRELATION, 4, -3);
	xs_stat_text(&event, 4, COPY, "kind_src:device kind_dst:pinned size:64 dest:0 async:1");
	xs_put(&line, 4, &event);
	xs_put(plane, 3, &line);
}

static void put_gpu(struct jr_buf *file, bool names_first, bool derived)
{
	struct jr_buf plane = {0};
	xs_text(&plane, 2, "/device:GPU:3");
	if (names_first)
		put_names(&plane);
	put_lines(&plane, 13, "Stream #13(Compute)");
	if (derived) {
		put_lines(&plane, 14, "XLA Ops - from #13");
		put_lines(&plane, 0xdeadbeef, "of a viewer");
	}
	if (!names_first)
		put_names(&plane);
	xs_put(file, 1, &plane);
}

static void expect_gpu(const struct jr_xspace *x)
{
	const struct jr_timeline_gpu *g = &x->rows.gpu;
	const struct jr_intern *strings = &x->rows.strings;
	assert_int_equal(g->n, 3);
	assert_int_equal(g->start_ns[0], 1000); /* empty: everything is 0 */
	assert_int_equal(g->end_ns[0], 1000);
	assert_string_equal(jr_intern_str(strings, g->name[0]), "");
	assert_int_equal(g->start_ns[1], 1005);
	assert_int_equal(g->end_ns[1], 1007);
	assert_int_equal(g->device[1], 3);
	assert_int_equal(g->stream[1], 13);
	assert_int_equal(g->correlation[1], 7);
	assert_string_equal(jr_intern_str(strings, x->rows.short_name[g->name[1]]), "gemm");
	const struct jr_timeline_config *config = &x->rows.configs[g->config[1]];
	assert_int_equal(config->registers, 32);
	assert_int_equal(config->static_shared_bytes, 64);
	assert_int_equal(config->grid[2], 4);
	assert_int_equal(config->block[0], 128);
	const struct jr_xspace_label *label = &x->labels[x->label[1]];
	assert_string_equal(jr_intern_str(strings, label->module), "jit_f");
	assert_int_equal(label->program, 12); /* a number, written as text */
	assert_int_equal(g->kind[2], JR_TIMELINE_MEMCPY);
	assert_int_equal(g->bytes[2], 64);
	assert_int_equal(g->correlation[2], JR_NONE); /* negative: none */
}

static UNIT(names_stand_ahead_or_behind)
{
	for (int ahead = 0; ahead < 2; ahead++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
		struct jr_xspace x;
		put_gpu(&file, ahead, false);
		assert_int_equal(xs_read(&file, &x), JR_OK);
		expect_gpu(&x);
		assert_int_equal(x.n_derived, 0);
		jr_xspace_done(&x);
	}
}

/* A size that no memory has counts as not stated. */
static UNIT(impossible_sizes)
{
	static const struct {
		const char *details;
		int64_t bytes;
	} cases[] = {{"size:1125899906842624", INT64_C(1) << 50}, {"size:1125899906842625", 0},
		{"size:9223372036854775807", 0}, {"size:-1", 0}, {"size:x", 0}};
	struct jr_buf file = {0}, plane = {0}, line = {0}, event = {0};
	struct jr_xspace x;
	xs_text(&plane, 2, "/device:GPU:3");
	put_names(&plane);
	xs_int(&line, 1, 13);
	xs_text(&line, 2, "Stream #13(Memcpy)");
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		xs_event(&event, 2, 9000 * (int64_t)i, 1000);
		xs_stat_text(&event, 4, COPY, cases[i].details);
		xs_put(&line, 4, &event);
	}
	xs_put(&plane, 3, &line);
	xs_put(&file, 1, &plane);
	assert_int_equal(xs_read(&file, &x), JR_OK);
	assert_int_equal(x.rows.gpu.n, JR_COUNT_OF(cases));
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		assert_int_equal(x.rows.gpu.bytes[i], cases[i].bytes);
	jr_xspace_done(&x);
	jr_buf_done(&file);
}

static UNIT(repeated_lines_are_left_out)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_xspace x;
	put_gpu(&file, false, true);
	assert_int_equal(xs_read(&file, &x), JR_OK);
	expect_gpu(&x);
	assert_int_equal(x.n_derived, 6);
	jr_xspace_done(&x);
}

/* Serializers write the fields of events and statistics by number, but any order is allowed. Ids
 * and numbers take up to ten bytes. Fields that are not read may contain anything. */
static UNIT(fields_stand_in_any_order)
{
	for (int turn = 0; turn < 4; turn++) {
		bool id_last = turn & 1, stats_first = turn & 2;
		struct jr_buf file = {0}, plane = {0}, line = {0}, event = {0}, stat = {0};
		xs_text(&plane, 2, "/device:GPU:0");
		xs_int(&line, 1, 5);
		if (!stats_first)
			xs_event(&event, 1, 5000, 2000);
		if (!id_last)
			xs_int(&stat, 1, INT64_C(1) << 40);
		xs_int(&stat, 3, 77);
		if (id_last)
			xs_int(&stat, 1, INT64_C(1) << 40);
		xs_put(&event, 4, &stat);
		xs_int(&stat, 1, 300); /* an unknown statistic, damaged */
		xs_text(&stat, 5, "abc");
		stat.size--;
		xs_put(&event, 4, &stat);
		if (stats_first)
			xs_event(&event, 1, 5000, 2000);
		xs_put(&line, 4, &event);
		xs_put(&plane, 3, &line);
		xs_name(&plane, XS_EVENT_NAMES, 1, "gemm");
		xs_name(&plane, XS_STAT_NAMES, INT64_C(1) << 40, "correlation_id");
		xs_name(&plane, XS_STAT_NAMES, 300, "not looked for");
		xs_put(&file, 1, &plane);
		struct jr_xspace x;
		assert_int_equal(xs_read(&file, &x), JR_OK);
		assert_int_equal(x.rows.gpu.n, 1);
		assert_int_equal(x.rows.gpu.start_ns[0], 5);
		assert_int_equal(x.rows.gpu.end_ns[0], 7);
		assert_int_equal(x.rows.gpu.correlation[0], 77);
		assert_int_equal(x.rows.gpu.stream[0], 5);
		jr_xspace_done(&x);
		jr_buf_done(&file);
	}
}

/* XLA's detailed annotations: statistics in any order, by text or reference, with ';' for ','. */
static UNIT(annotations_state_instructions)
{
	enum { HLO_MODULE = 1, HLO_OP, OP_NAME, SOURCE_FILE, SOURCE_LINE, SHAPE, GROUPS, OTHER, REF };
	static const char *const names[] = {[HLO_MODULE] = "hlo_module",
		[HLO_OP] = "hlo_op",
		[OP_NAME] = "op_name",
		[SOURCE_FILE] = "source_file",
		[SOURCE_LINE] = "source_line",
		[SHAPE] = "shape",
		[GROUPS] = "replica_groups",
		[OTHER] = "is_pipelined",
		[REF] = "jit(f)/a=b[x={1;2}]/bqhd;bkhd->bhqk:1"};
	static const struct {
		const char *op, *stats[REF]; /* stats: from OP_NAME on */
		const char *op_name, *source, *text;
	} cases[] = {
		{"all-gather-start.1",
			{[OP_NAME] = "jit(f)/g", [SOURCE_FILE] = "a=b.py", [SOURCE_LINE] = "12",
				[SHAPE] = "(f32[8]; f32[16;1])", [GROUPS] = "{{0;1};{2;3}}", [OTHER] = "1"},
			"jit(f)/g:", "a=b.py:12",
			"all-gather-start.1 = (f32[8], f32[16,1]) (), replica_groups={{0,1},{2,3}}"},
		{"a.1", {[SHAPE] = "f32[]"}, "", "", "a.1 = f32[] ()"},
		{"a.2", {[SOURCE_FILE] = "m.py", [SOURCE_LINE] = "-4"}, "", "m.py:0", ""},
		{"a.3", {[SOURCE_FILE] = "m.py"}, "", "m.py:0", ""},
		{"a.4", {[OP_NAME] = ""}, NULL, NULL, NULL}, /* nothing stated */
		{"a.5", {[SOURCE_LINE] = "4", [GROUPS] = "{{0}}", [OTHER] = "1"}, NULL, NULL, NULL},
		{"a.6", {[OP_NAME] = NULL}, "jit(f)/a=b[x={1,2}]/bqhd,bkhd->bhqk:1:", "", ""},
	};
	struct jr_buf file = {0}, plane = {0}, line = {0}, event = {0};
	xs_text(&plane, 2, "/device:GPU:0");
	for (int64_t i = HLO_MODULE; i <= REF; i++)
		xs_name(&plane, XS_STAT_NAMES, i, names[i]);
	xs_int(&line, 1, 7);
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		xs_event(&event, 0, 1000000 * (int64_t)(i + 1), 1000);
		for (int64_t k = OTHER; k >= OP_NAME; k--)
			if (cases[i].stats[k])
				xs_stat_text(&event, 4, k, cases[i].stats[k]);
		if (i + 1 == JR_COUNT_OF(cases))
			xs_stat_int(&event, 4, OP_NAME, 7, REF);
		xs_stat_text(&event, 4, HLO_OP, cases[i].op);
		xs_stat_text(&event, 4, HLO_MODULE, "jit_f");
		xs_put(&line, 4, &event);
	}
	xs_put(&plane, 3, &line);
	xs_put(&file, 1, &plane);
	struct jr_xspace x;
	assert_int_equal(xs_read(&file, &x), JR_OK);
	assert_int_equal(x.rows.gpu.n, JR_COUNT_OF(cases));
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		const struct jr_xspace_label *label = &x.labels[x.label[i]];
		const struct jr_said *said = &x.said[label->said];
		assert_string_equal(jr_intern_str(&x.rows.strings, label->op), cases[i].op);
		assert_int_equal(label->said != 0, cases[i].text != NULL);
		if (!label->said)
			continue;
		assert_string_equal(jr_intern_str(&x.rows.strings, said->op_name), cases[i].op_name);
		assert_string_equal(jr_intern_str(&x.rows.strings, said->source), cases[i].source);
		assert_string_equal(jr_intern_str(&x.rows.strings, said->text), cases[i].text);
		assert_int_equal(said->flops, -1);
		assert_int_equal(said->bytes, -1);
	}
	jr_xspace_done(&x);
	jr_buf_done(&file);
}

/* Work that no instruction can have is not stated; the others keep theirs. */
static UNIT(impossible_work_is_unknown)
{
	static const struct {
		double real; /* NaN: `value` */
		int64_t value, flops;
	} cases[] = {{NAN, 1 << 20, 1 << 20}, {1e9, 0, 1000000000}, {1e30, 0, -1}, {-1e30, 0, -1},
		{NAN, -5, -1}, {NAN, INT64_MAX, -1}, {NAN, 0, 0}};
	struct jr_buf file = {0}, plane = {0}, line = {0}, event = {0}, stat = {0};
	xs_text(&plane, 2, "/device:TPU:0");
	xs_name(&plane, XS_STAT_NAMES, 1, "flops");
	xs_name(&plane, XS_STAT_NAMES, 2, "hlo_category");
	xs_name(&plane, XS_EVENT_NAMES, 100, "jit_step(77)");
	xs_text(&line, 2, "XLA Modules");
	xs_event(&event, 100, 1000, 100000000);
	xs_put(&line, 4, &event);
	xs_put(&plane, 3, &line);
	xs_text(&line, 2, "XLA Ops");
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		char name[32];
		(void)snprintf(name, sizeof(name), "%%f.%zu = f32[8] add()", i);
		xs_name(&plane, XS_EVENT_NAMES, (int64_t)i + 1, name);
		xs_event(&event, (int64_t)i + 1, 1000000 * (int64_t)(i + 1), 1000);
		xs_int(&stat, 1, 1);
		if (isnan(cases[i].real))
			xs_int(&stat, 4, cases[i].value);
		else
			xs_double(&stat, 2, cases[i].real);
		xs_put(&event, 4, &stat);
		xs_stat_text(&event, 4, 2, "loop fusion");
		xs_put(&line, 4, &event);
	}
	xs_put(&plane, 3, &line);
	xs_put(&file, 1, &plane);
	struct jr_xspace x;
	assert_int_equal(xs_read(&file, &x), JR_OK);
	assert_int_equal(x.n_said, JR_COUNT_OF(cases) + 1); /* the first is empty */
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		assert_int_equal(x.said[i + 1].flops, cases[i].flops);
	jr_xspace_done(&x);
	jr_buf_done(&file);
}

/* A TPU states two peaks, as floats; impossible values are ignored. */
static UNIT(tpu_states_its_peaks)
{
	static const struct {
		double tflop_s, gb_s;
		uint64_t flop_s, bytes_s;
	} cases[] = {{918, 1637.25, 918000000000000, 1637250000000}, {-1, 0, 0, 0}, {1e300, 2e6, 0, 0}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_buf file = {0}, plane = {0}, stat = {0};
		xs_text(&plane, 2, "/device:TPU:0");
		xs_name(&plane, XS_STAT_NAMES, 1, "peak_teraflops_per_second");
		xs_name(&plane, XS_STAT_NAMES, 2, "peak_hbm_bw_gigabytes_per_second");
		xs_name(&plane, XS_STAT_NAMES, 3, "device_type_string");
		xs_int(&stat, 1, 1);
		xs_double(&stat, 2, cases[i].tflop_s);
		xs_put(&plane, 6, &stat);
		xs_int(&stat, 1, 2);
		xs_double(&stat, 2, cases[i].gb_s);
		xs_put(&plane, 6, &stat);
		xs_stat_text(&plane, 6, 3, "TPU v6 Lite");
		xs_put(&file, 1, &plane);
		struct jr_xspace x;
		assert_int_equal(xs_read(&file, &x), JR_OK);
		assert_int_equal(x.rows.n_gpus, 1);
		assert_string_equal(jr_intern_str(&x.rows.strings, x.rows.gpus[0].name), "TPU v6 Lite");
		assert_int_equal(x.rows.gpus[0].matrix_flop_s, cases[i].flop_s);
		assert_int_equal(x.rows.gpus[0].memory_bandwidth_bytes_s, cases[i].bytes_s);
		jr_xspace_done(&x);
		jr_buf_done(&file);
	}
}

/* Statistics belong to an allocator by its name, or by the number of its device; those without
 * either are dropped, and those with an impossible size are counted. */
static UNIT(allocators_say_what_they_gave)
{
	struct jr_buf file = {0}, plane = {0}, line = {0};
	xs_text(&plane, 2, "/host:CPU");
	xs_name(&plane, XS_EVENT_NAMES, 1, "MemoryAllocation");
	xs_name(&plane, XS_EVENT_NAMES, 2, "MemoryDeallocation");
	static const char *const stats[] = {
		"allocator_name", "bytes_allocated", "peak_bytes_in_use", "device_ordinal"};
	for (size_t i = 0; i < JR_COUNT_OF(stats); i++)
		xs_name(&plane, XS_STAT_NAMES, (int64_t)i + 1, stats[i]);
	xs_int(&line, 1, 7);
	xs_text(&line, 2, "python");
	static const int64_t in_use[] = {100, 60, 20, -1, JR_MOST_BYTES + 1};
	for (int64_t i = 0; i < 5; i++) {
		struct jr_buf event = {0};
		xs_event(&event, i == 1 ? 2 : 1, 1000 * (i + 1), 0);
		if (i != 2)
			xs_stat_text(&event, 4, 1, "GPU_0_bfc");
		xs_stat_int(&event, 4, 2, 4, in_use[i]);
		xs_stat_int(&event, 4, 3, 4, i == 1 ? -1 : 100);
		xs_put(&line, 4, &event);
	}
	xs_put(&plane, 3, &line);
	xs_put(&file, 1, &plane);
	struct jr_xspace x;
	assert_int_equal(xs_read(&file, &x), JR_OK);
	assert_int_equal(x.n_memory, 2);
	assert_int_equal(x.rows.n_bad_rows, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct jr_xspace_memory *m = &x.memory[i];
		assert_string_equal(jr_intern_str(&x.rows.strings, m->allocator), "GPU_0_bfc");
		assert_int_equal(m->t_ns, (int64_t)i + 1);
		assert_int_equal(m->in_use_bytes, i ? 60 : 100);
		assert_int_equal(m->peak_bytes, i ? 0 : 100); /* negative: not known */
		assert_int_equal(m->gave_back, i);
	}
	jr_xspace_done(&x);
	jr_buf_done(&file);
}

/* Cut at any byte: refused with a message, or the complete rows are read. */
static UNIT(ends_anywhere)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	size_t n_refused = 0;
	put_gpu(&file, false, false);
	for (size_t n = 0; n < file.size; n++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf cut = {0};
		struct jr_xspace x;
		jr_buf_add(&cut, file.data, n);
		if (xs_read(&cut, &x) == JR_OK)
			jr_xspace_done(&x);
		else
			n_refused++;
	}
	assert_int_equal(n_refused, file.size - 1); /* all but the empty file */
}

/* A scope that is its own ancestor does not loop forever. */
static UNIT(scopes_that_go_round_end)
{
	struct jr_buf file = {0}, plane = {0};
	struct jr_xspace x;
	xs_text(&plane, 2, "/host:__ScopeRangeCallStack__");
	xs_stat_int(&plane, 6, 4, 4, 5);
	xs_stat_int(&plane, 6, 5, 4, 6);
	xs_stat_int(&plane, 6, 6, 4, 4);
	xs_put(&file, 1, &plane);
	assert_int_equal(xs_read(&file, &x), JR_OK);
	assert_int_equal(x.n_scopes, 4);
	for (uint32_t i = 1; i < x.n_scopes; i++) {
		uint32_t at = i, steps = 0;
		for (; at; at = x.scope_parent[at])
			assert_true(steps++ < 4);
	}
	jr_xspace_done(&x);
	jr_buf_done(&file);
}
