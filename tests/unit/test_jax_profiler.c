/* Traces of jax.profiler, from their bytes to findings. */
#include "findings_case.h"
#include "xplane_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "analysis/core/terms.h"
#include "analysis/core/vendor.h"
#include "analysis/findings/findings.h"
#include "base/text.h"
#include "formats/xspace/xspace.h"
#include "model/inputs/load.h"
#include "model/xprofile/xprofile.h"

/* --- a job: one GPU, one launching thread ----------------------------------------------------- */

enum how { BY_SCOPES, BY_LAUNCHES, BY_RUNS };

struct trace {
	enum how how;
	int n_steps;
	int64_t between_ns, first_more_ns; /* from step to step; the first step takes longer */
	const char *python;                /* what Python does between steps */
	bool derived, compiles;
	const char *warning;
	int n_idle_gpus; /* GPUs on which nothing runs */
};

#define STEP_NS 1000000
#define LAUNCH_NS 20000

/* Add a step: two kernels of one instruction, one of another, a copy. */
static void add_kernel(struct xs_plane *gpu, struct jr_buf *stream, const struct trace *t,
	const char *name, const char *op, int64_t start_ns, int64_t dur_ns, int64_t id, int64_t scope)
{
	struct xs_stat stats[] = {{"correlation_id", id, NULL},
		{"kernel_details", 0, "&regs:32 static_shared:0 dynamic_shared:0 grid:8,1,1 block:128,1,1"},
		{"hlo_module", 0, "&jit_step"}, {"hlo_op", 0, op}, {"program_id", 7, NULL},
		{t->how == BY_SCOPES ? "scope_range_id" : NULL, scope, NULL}, {0}};
	xs_event(gpu, stream, name, start_ns, dur_ns, stats);
}

static void add_launch(struct xs_plane *host, struct jr_buf *thread, int64_t at_ns, int64_t id)
{
	const struct xs_stat stats[] = {{"correlation_id", id, NULL}, {0}};
	xs_event(host, thread, "cuLaunchKernel", at_ns, 5000, stats);
}

struct cursor {
	struct xs_plane gpu, host, scopes;
	struct jr_buf stream, other, thread, derived;
	int64_t id, scope;
};

static int64_t scope_in(struct cursor *c, int64_t parent)
{
	struct jr_buf message = {0};
	int64_t child = ++c->scope;
	put_number(&message, 1, child);
	put_number(&message, 4, parent);
	put_message(&c->scopes.stats, 6, &message);
	return child;
}

static void add_step(struct cursor *c, const struct trace *t, int64_t at, int64_t more_ns)
{
	int64_t root = ++c->scope, gemm = scope_in(c, root), add = scope_in(c, root);
	int64_t launch = at - 200000;
	if (t->how != BY_RUNS) {
		xs_event(&c->host, &c->thread, "jit_step:XLA GPU module", launch, 150000, NULL);
		xs_event(&c->host, &c->thread, "gemm.1", launch + 10000, 60000, NULL);
		xs_event(&c->host, &c->thread, "loop_add_fusion", launch + 80000, 30000, NULL);
	}
	add_launch(&c->host, &c->thread, launch + 12000, c->id + 1);
	add_launch(&c->host, &c->thread, launch + 40000, c->id + 2);
	add_launch(&c->host, &c->thread, launch + 90000, c->id + 3);
	add_launch(&c->host, &c->thread, launch + 120000, c->id + 4);
	add_kernel(&c->gpu, &c->stream, t, "void ns::gemm<float>(int)", "&gemm.1", at, 300000,
		c->id + 1, gemm);
	add_kernel(
		&c->gpu, &c->stream, t, "splitk", "&gemm.1", at + 310000, 90000 + more_ns, c->id + 2, gemm);
	add_kernel(&c->gpu, &c->other, t, "loop_add_fusion", "&loop_add_fusion", at + 410000 + more_ns,
		90000, c->id + 3, add);
	const struct xs_stat copy[] = {{"correlation_id", c->id + 4, NULL},
		{"memcpy_details", 0, "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"}, {0}};
	xs_event(&c->gpu, &c->other, "MemcpyH2D", at + 510000 + more_ns, 10000, copy);
	xs_event(&c->gpu, &c->derived, "gemm.1", at, 400000, NULL);
	c->id += 4;
}

static struct jr_buf build(const struct trace *t)
{
	struct cursor c = {0};
	struct jr_buf file = {0};
	xs_begin(&c.gpu, 0, "/device:GPU:0");
	xs_begin(&c.host, 2, "/host:CPU");
	xs_begin(&c.scopes, 3, "/host:__ScopeRangeCallStack__");
	const struct xs_stat gpu[] = {{"device_vendor", 0, "&Nvidia"},
		{"gpu_device_name", 0, "NVIDIA H100"}, {"core_count", 132, NULL}};
	for (size_t i = 0; i < JR_COUNT_OF(gpu); i++)
		xs_plane_stat(&c.gpu, &gpu[i]);
	xs_line(&c.stream, 13, "Stream #13(Compute)", 1000);
	xs_line(&c.other, 14, "Stream #14(Compute,MemcpyH2D)", 1000);
	xs_line(&c.thread, 5000, "python", 1000);
	xs_line(&c.derived, 0xdeadbef3, "XLA Ops - from #13", 1000);
	int64_t at = 1000000, more = t->first_more_ns;
	if (t->compiles)
		xs_event(&c.host, &c.thread, "backend_compile_and_load", 1000, 700000, NULL);
	for (int i = 0; i < t->n_steps; i++, more = 0) {
		add_step(&c, t, at, more);
		if (t->python) {
			xs_event(&c.host, &c.thread, "$train.py:12 train", at + 530000 + more,
				t->between_ns - 100000, NULL);
			xs_event(
				&c.host, &c.thread, t->python, at + 540000 + more, t->between_ns - 200000, NULL);
		}
		at += 520000 + more + t->between_ns;
	}
	xs_end_line(&c.gpu, &c.stream);
	xs_end_line(&c.gpu, &c.other);
	if (t->derived)
		xs_end_line(&c.gpu, &c.derived);
	jr_buf_done(&c.derived);
	xs_end_line(&c.host, &c.thread);
	xs_end(&c.gpu, &file);
	for (int i = 0; i < t->n_idle_gpus; i++) {
		struct xs_plane idle;
		xs_begin(&idle, 1 + i, i ? "/device:GPU:2" : "/device:GPU:1");
		xs_end(&idle, &file);
	}
	if (t->how == BY_SCOPES)
		xs_end(&c.scopes, &file);
	else
		jr_buf_done(&c.scopes.head), jr_buf_done(&c.scopes.stats);
	xs_end(&c.host, &file);
	if (t->warning)
		put_string(&file, 3, t->warning);
	put_string(&file, 4, "node7");
	return file;
}

/* --- reading ---------------------------------------------------------------------------------- */

static void expect_executions(
	const struct trace *t, enum jr_xmethod method, size_t n_executions, size_t n_thunks)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_buf file = build(t);
	struct jr_xprofile p;
	struct jr_error err = {0};
	assert_int_equal(jr_xprofile_read(jr_buf_view(&file), NULL, &limits, 1, &p, &err), JR_OK);
	assert_int_equal(p.method, method);
	assert_int_equal(p.n_executions, n_executions);
	assert_int_equal(p.n_thunks, n_thunks);
	assert_int_equal(p.executions[0].start_ns, 1001000);
	assert_int_equal(p.executions[0].program, 7);
	assert_string_equal(jr_intern_str(&p.export.rows.strings, p.executions[0].module), "jit_step");
	assert_int_equal(p.thunks.start_ns[0], 1001000);
	if (method != JR_XMETHOD_RUNS)
		assert_int_equal(p.thunks.end_ns[0], 1401000 + t->first_more_ns);
	jr_xprofile_done(&p);
	jr_buf_done(&file);
}

static UNIT(test_executions)
{
	struct trace t = {.n_steps = 3, .between_ns = 500000};
	/* with the exact method, a copy belongs to the execution, and its end is the execution's end */
	expect_executions(&t, JR_XMETHOD_SCOPES, 3, 6);
	t.how = BY_LAUNCHES;
	expect_executions(&t, JR_XMETHOD_LAUNCHES, 3, 6);
	t.derived = true;
	expect_executions(&t, JR_XMETHOD_LAUNCHES, 3, 6);
	t.how = BY_RUNS; /* the cycle of instructions */
	expect_executions(&t, JR_XMETHOD_RUNS, 3, 6);
}

static UNIT(test_rows)
{
	struct jr_limits limits = jr_limits_default();
	const struct trace t = {.how = BY_SCOPES, .n_steps = 1, .derived = true};
	struct jr_buf file = build(&t);
	struct jr_xspace x;
	struct jr_error err = {0};
	assert_true(jr_xspace_begins(jr_buf_view(&file), file.size));
	assert_int_equal(jr_xspace_read(jr_buf_view(&file), &limits, &x, &err), JR_OK);
	assert_int_equal(x.rows.gpu.n, 4);
	assert_int_equal(x.rows.calls.n, 4);
	assert_int_equal(x.rows.nvtx.n, 3);
	assert_int_equal(x.n_derived, 1);
	assert_int_equal(x.rows.gpu.bytes[3], 4096);
	assert_int_equal(x.rows.gpu.config[3], 1 | 2 << 8 | 3 << 16);
	const struct jr_timeline_config *config = &x.rows.configs[x.rows.gpu.config[0]];
	assert_int_equal(config->registers, 32);
	assert_int_equal(config->grid[0] * config->block[0], 1024);
	const char *brief = jr_intern_str(&x.rows.strings, x.rows.short_name[x.rows.gpu.name[0]]);
	assert_string_equal(brief, "gemm");
	jr_xspace_done(&x);
	jr_buf_done(&file);
}

/* Cut anywhere, or with any byte changed: an error or rows, within bounds. A cut file says so,
 * unless the cut is between two fields. */
static UNIT(test_damage)
{
	struct jr_limits limits = jr_limits_default();
	const struct trace t = {.how = BY_SCOPES, .n_steps = 1, .warning = "of something"};
	struct jr_buf file = build(&t);
	size_t n_refused = 0, n_whole = 0;
	for (size_t i = 0; i < file.size; i++) {
		struct jr_xprofile p;
		struct jr_error err = {0};
		if (jr_xprofile_read(jr_bytes_of(file.data, i), NULL, &limits, 1, &p, &err) == JR_OK) {
			n_whole += !p.export.rows.is_cut;
			jr_xprofile_done(&p);
		} else {
			n_refused++;
		}
		for (int k = 0; k < 3; k++) {
			char was = file.data[i];
			file.data[i] = (char)(was + (k == 0 ? 1 : k == 1 ? 0x80 : 0x41));
			err = (struct jr_error){0};
			if (jr_xprofile_read(jr_buf_view(&file), NULL, &limits, 1, &p, &err) == JR_OK)
				jr_xprofile_done(&p);
			file.data[i] = was;
		}
	}
	assert_in_range(n_refused, 1, file.size - 1);
	assert_in_range(n_whole, 1, 8);
	jr_buf_done(&file);
}

/* --- findings --------------------------------------------------------------------------------- */

struct loaded {
	struct jr_profile profile;
	struct jr_arena arena;
	struct jr_results results;
};

static void load(struct loaded *l, const struct trace *t)
{
	char path[] = "/tmp/test_jax_profiler_XXXXXX.xplane.pb";
	struct jr_options options = jr_options_default();
	struct jr_buf file = build(t);
	struct jr_error err = {0};
	int fd = mkstemps(path, 10);
	const char *paths[] = {path};
	assert_true(fd >= 0 && write(fd, file.data, file.size) == (ssize_t)file.size);
	close(fd);
	jr_profile_init(&l->profile, &options);
	assert_int_equal(jr_load(paths, 1, NULL, &l->profile, &err), JR_OK);
	unlink(path);
	jr_buf_done(&file);
	jr_arena_init(&l->arena, 0);
	jr_passes_run(&l->profile, &l->arena, &l->results);
}

static void done(struct loaded *l)
{
	jr_arena_done(&l->arena);
	jr_profile_done(&l->profile);
}

/* Check that the finding of a rule has this in its texts; NULL: the rule finds nothing. */
static void expect(const struct trace *t, const char *id, const char *text)
{
	struct loaded l;
	const struct jr_finding *found = NULL;
	load(&l, t);
	for (size_t i = 0; i < l.results.n_findings; i++)
		if (strcmp(l.results.findings[i].id, id) == 0)
			found = &l.results.findings[i];
	if ((found != NULL) != (text != NULL))
		fail_msg("%s: %s", id, found ? found->title : "not found");
	if (found) {
		char *all = jr_arena_printf(&l.arena, "%s|%s|%s", found->title, advice_of(found),
			found->evidence ? found->evidence : "");
		if (!strstr(all, text))
			fail_msg("'%s' does not say '%s'", all, text);
	}
	done(&l);
}

static const struct trace healthy = {.how = BY_LAUNCHES, .n_steps = 6, .between_ns = 500000};

static UNIT(test_python)
{
	struct trace t = healthy;
	t.python = "$loader.py:40 decode";
	expect(&t, "idle-between-modules", "Python was in “decode” (loader.py:40)");
	expect(&t, "idle-between-modules", "No module runs in this time");
	t.python = "$loader.py:40 __next__";
	expect(&t, "idle-between-modules", "The input pipeline is late");
	t.python = NULL;
	expect(&t, "idle-between-modules", "No module runs in this time");
}

static UNIT(test_profiler)
{
	struct trace t = healthy;
	expect(&t, "dropped-events", NULL);
	expect(&t, "compiled-inside", NULL);
	expect(&t, "no-device", NULL);
	t.warning =
		"Detected GPU events dropped on node7: Profiler has collected 9 driver events and 8 "
		"device events. 1234 events dropped because total device(activity) events reaches "
		"max";
	expect(&t, "dropped-events", "dropped 1,234 events: all totals are lower bounds");
	t.compiles = true;
	expect(&t, "compiled-inside", "1 compilation ran while the trace was taken: 700 µs");
}

static UNIT(test_no_device)
{
	struct trace t = {.how = BY_LAUNCHES, .compiles = true};
	expect(&t, "no-device", "The process has GPUs. Either nothing ran on them");
	t.warning = "Insufficient privilege to run libcupti (you need root permission).";
	expect(&t, "no-device", "NVreg_RestrictProfilingToAdminUsers=0");
}

static UNIT(test_first_execution)
{
	struct trace t = healthy;
	t.first_more_ns = 5 * STEP_NS;
	expect(&t, "uneven-steps", "The first execution in the profile takes");
	expect(&t, "variable-thunk", NULL); /* it belongs only to the first execution, too */
	t.first_more_ns = 0;
	expect(&t, "uneven-steps", NULL);
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *JR_PRINTF(4, 5)
	on(enum jr_vendor vendor, bool of_jax, struct jr_arena *arena, const char *format, ...)
{
	va_list args;
	char text[400];
	va_start(args, format);
	assert_in_range(vsnprintf(text, sizeof(text), format, args), 0, sizeof(text) - 1);
	va_end(args);
	return jr_advice_words(
		(struct jr_words){vendor, false}, of_jax, jr_arena_strdup(arena, text), arena);
}

static UNIT(test_words)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	static const char advice[] = "Look at the " JR_GPU " “%s”. " JR_ON_GPU("Set --xla_gpu_x=1. ")
		"Clocks" JR_ON_GPU(" (" JR_SHOW_CLOCKS ")") ". " JR_ON_NVIDIA("Use cudaMemcpyAsync. ")
			JR_OF_JAX("Call jax.jit. " JR_ON_TPU("Really. "));
	static const struct {
		enum jr_vendor vendor;
		const char *says;
	} says[] = {
		{JR_VENDOR_NVIDIA, "Look at the GPU “GPU. CUDA”. Set --xla_gpu_x=1. Clocks (nvidia-smi -q "
						   "-d PERFORMANCE). Use cudaMemcpyAsync."},
		{JR_VENDOR_AMD, "Look at the GPU “GPU. CUDA”. Set --xla_gpu_x=1. Clocks (amd-smi "
						"metric --clock --power --temperature)."},
		{JR_VENDOR_TPU, "Look at the TPU “GPU. CUDA”. Clocks."},
		{JR_VENDOR_CPU, "Look at the device “GPU. CUDA”. Clocks."},
	};
	for (size_t i = 0; i < JR_COUNT_OF(says); i++) {
		enum jr_vendor vendor = says[i].vendor;
		assert_string_equal(on(vendor, false, &arena, advice, "GPU. CUDA"), says[i].says);
		assert_string_equal(on(vendor, true, &arena, advice, "GPU. CUDA"),
			jr_arena_printf(&arena, "%s Call jax.jit.%s", says[i].says,
				vendor == JR_VENDOR_TPU ? " Really." : ""));
	}
	/* names belong to the program: any text stays as it is, quoted or not */
	static const char *const names[] = {"jit(step)/cuda_ops/dot", "GPU_thing", "my_NCCL", "{gpu}",
		"NCCL", "GPU", "CUDA graph. GPU", "HSMs"};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		for (enum jr_vendor vendor = JR_VENDOR_NVIDIA; vendor <= JR_VENDOR_CPU; vendor++)
			assert_string_equal(
				on(vendor, false, &arena, "%s: ask “%s” of " JR_SM "s", names[i], names[i]),
				jr_arena_printf(&arena, "%s: ask “%s” of %s", names[i], names[i],
					vendor == JR_VENDOR_NVIDIA	? "SMs"
						: vendor == JR_VENDOR_AMD ? "CUs"
												  : "cores"));
	assert_string_equal(on(JR_VENDOR_AMD, true, &arena, JR_CUDA " calls"), "HIP calls");
	/* a sentence begins with a capital letter */
	assert_string_equal(on(JR_VENDOR_CPU, true, &arena, JR_GPU "s wait. " JR_GPU " work"),
		"Devices wait. Device work");
	/* unmarked text is not copied, and an empty text stays empty */
	const struct jr_words tpu = {JR_VENDOR_TPU, false};
	assert_ptr_equal(jr_vendor_words(tpu, names[0], &arena), names[0]);
	assert_null(on(JR_VENDOR_TPU, true, &arena, JR_ON_NVIDIA("Use %s."), "cudaMemcpyAsync"));
	assert_null(jr_vendor_words(tpu, NULL, &arena));
	/* of a selection */
	const struct jr_words of_part = {JR_VENDOR_NVIDIA, true};
	assert_string_equal(jr_vendor_words(of_part, "It was " JR_PROFILED ".", &arena),
		"It was selected.");
	assert_string_equal(on(JR_VENDOR_AMD, true, &arena, "It was " JR_PROFILED "."),
		"It was profiled.");
}

/* Every mark has words on all platforms; texts of rules name no GPU on a TPU. */
static UNIT(test_terms)
{
	static const char *const marks[] = {JR_GPU, JR_GPU_WORK, JR_CUDA, JR_GRAPH, JR_LIBRARIES,
		JR_EVENTS, JR_NCCL, JR_SM, JR_MULTIPROCESSOR, JR_TENSOR_CORE, JR_PROFILE_KERNEL,
		JR_SHOW_CLOCKS, JR_SHOW_ALL_CLOCKS, JR_FUSED_ATTENTION, JR_FASTER_PRECISION};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (size_t i = 0; i < JR_COUNT_OF(marks); i++) {
		bool differs = false;
		for (enum jr_vendor vendor = JR_VENDOR_NVIDIA; vendor <= JR_VENDOR_CPU; vendor++) {
			const struct jr_words on_it = {vendor, false}, on_nvidia = {JR_VENDOR_NVIDIA, false};
			const char *words = jr_vendor_words(on_it, marks[i], &arena);
			assert_true(words && jr_text_is_clean(words, strlen(words)));
			differs |= strcmp(words, jr_vendor_words(on_nvidia, marks[i], &arena)) != 0;
		}
		assert_true(differs); /* otherwise the table lacks the mark */
	}
	for (enum jr_vendor vendor = JR_VENDOR_NVIDIA; vendor <= JR_VENDOR_CPU; vendor++) {
		for (size_t i = 0; i < jr_n_rules; i++) {
			const struct jr_rule *rule = &jr_rules[i];
			const char *words = jr_vendor_words((struct jr_words){vendor, false},
				jr_arena_printf(&arena, "%s; %s; %s", rule->looks_for, rule->measure, rule->takes),
				&arena);
			assert_true(words && jr_text_is_clean(words, strlen(words)));
			assert_true(!(rule->of & JR_OF_XLA) || vendor < JR_VENDOR_TPU || !strstr(words, "GPU"));
		}
	}
}
