#include "scenario.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct scenario_entry {
	const char *name;
	gen_build_fn build;
	uint32_t n_devices, n_steps;
	int64_t skew_ns;
	uint32_t straggler;
};

static const struct scenario_entry scenarios[] = {
	{"mnist_vae", gen_build_mnist_vae, 1, 40, 0, GEN_NO_INDEX},
	{"transformer_fsdp4", gen_build_transformer_fsdp4, 4, 6, 4200, 2},
	{"pipeline4", gen_build_pipeline4, 4, 8, 6500, 1},
	{"kernels", gen_build_kernels, 1, 5, 0, GEN_NO_INDEX},
	{"serve2", gen_build_serve2, 1, 400, 0, GEN_NO_INDEX},
	{"torch_ddp2", gen_build_torch_ddp2, 2, 12, 0, GEN_NO_INDEX},
	{"torch_stream", gen_build_torch_stream, 2, 6, 0, GEN_NO_INDEX},
	{"torch_input", gen_build_torch_input, 2, 6, 0, GEN_NO_INDEX},
};

/* SplitMix64 (Steele, Lea, Flood 2014): it gives the same numbers on every platform. */
static uint64_t mixed(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t gen_random(struct gen_scenario *sc, uint64_t n)
{
	sc->random += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = mixed(sc->random + sc->options.run * UINT64_C(0xd1342543de82ef95));
	return n ? z % n : z;
}

uint64_t gen_random_of_job(struct gen_scenario *sc)
{
	return mixed(sc->random += UINT64_C(0x9e3779b97f4a7c15));
}

int64_t gen_jitter(struct gen_scenario *sc, uint64_t n)
{
	uint64_t drawn = gen_random(sc, n);
	return sc->options.even ? 0 : (int64_t)drawn;
}

const char *gen_text(struct gen_scenario *sc, const char *fmt, ...)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0};
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	jr_buf_reserve(&buf, (size_t)n + 1);
	va_start(args, fmt);
	vsnprintf(buf.data, (size_t)n + 1, fmt, args);
	va_end(args);
	return jr_arena_strndup(&sc->arena, buf.data, (size_t)n);
}

int64_t gen_program_number(const struct gen_program *p, uint32_t process)
{
	return p->number + process * p->number_step;
}

const char *gen_recorded_as(struct gen_scenario *sc, uint32_t process)
{
	return sc->options.one_host ? gen_text(sc, "node017_%u", 8470 + process)
								: gen_text(sc, "node%03u", 17 + process);
}

uint32_t gen_step_program(const struct gen_scenario *sc)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < sc->programs.n; i++)
		if (sc->programs.items[i]->n_executions > sc->programs.items[best]->n_executions)
			best = i;
	return best;
}

void gen_on_h100(struct gen_scenario *sc)
{
	sc->gpu_name = "NVIDIA H100 80GB HBM3";
	sc->chip_name = "GH100";
	sc->arch = "sm_9.0";
	sc->gpu_memory_bytes = UINT64_C(85028896768);
	sc->gpu_bandwidth_bytes_s = UINT64_C(3352320000000);
	sc->gpu_clock_hz = 1980000000;
	sc->gpu_sm_count = 132;
	sc->gpu_compute_major = 9;
}

static void add_process(struct gen_scenario *sc, uint32_t index)
{
	const struct gen_options *o = &sc->options;
	struct gen_process process = {.pid = 21400 + 317 * (int64_t)index,
		.first_device = index * o->n_devices,
		.n_devices = o->n_devices};
	process.main_tid = process.pid;
	process.host_ns = 6200000000 + (int64_t)gen_random(sc, 40000000);
	for (int i = 0; i < 4; i++)
		*jr_vec_add(&process.worker_tids) = process.pid + 201 + 2 * i;
	for (uint32_t local = 0; local < o->n_devices; local++)
		*jr_vec_add(&sc->devices) = (struct gen_device){
			.global = process.first_device + local,
			.local = local,
			.process = index,
			.slow_permille = !o->cause && process.first_device + local == o->straggler ? 70 : 0,
			.tid = process.pid + 101 + 2 * (int64_t)local,
			.main_tid = process.main_tid,
		};
	*jr_vec_add(&sc->processes) = process;
}

/* Offsets add up to 0, so that the correction of a device is exactly its offset: the mean of the
 * ends of a collective is then its true end (analysis/README.md, section 6.1). */
static void set_offsets(struct gen_scenario *sc)
{
	int64_t sum = 0, skew = sc->options.skew_ns;
	size_t n = sc->devices.n;
	if (n < 2 || skew <= 0)
		return;
	for (size_t i = 0; i + 1 < n; i++) {
		int64_t offset = (int64_t)gen_random(sc, 2 * (uint64_t)skew + 1) - skew;
		if (sum + offset > skew || sum + offset < -skew)
			offset = -offset;
		sc->devices.items[i].offset_ns = offset;
		sum += offset;
	}
	sc->devices.items[n - 1].offset_ns = -sum;
}

static enum jr_status check(const struct gen_options *o, struct jr_error *err)
{
	if ((uint64_t)o->n_processes * o->n_devices > GEN_MAX_DEVICES || !o->n_processes ||
		!o->n_devices)
		return jr_fail(err, JR_EUSAGE, "processes times devices must be 1 to %d", GEN_MAX_DEVICES);
	if (o->layout < 'A' || o->layout > 'C')
		return jr_fail(err, JR_EUSAGE, "layout '%c' is none of A, B, C", o->layout);
	if (o->xla != 1 && o->xla != 2)
		return jr_fail(err, JR_EUSAGE, "xla generation %d is neither 1 nor 2", o->xla);
	if (o->n_steps < 2)
		return jr_fail(err, JR_EUSAGE, "at least 2 steady steps are needed");
	return JR_OK;
}

/* One function, compiled for two shapes and then for the first one again: of the last module only
 * the titles are new strings, and two modules have texts of its instructions. */
static void add_ambiguous(struct gen_scenario *sc)
{
	static const int64_t sizes[] = {1 << 20, 1 << 22, 1 << 20};
	static const struct gen_site inner[] = {{"convert", "convert_element_type", 0}};
	for (size_t i = 0; i < JR_COUNT_OF(sizes); i++) {
		struct gen_program *p = gen_program_new(sc, 91 + (int64_t)i, "jit_convert_element_type");
		p->prefix = "jit(convert_element_type)/jit(main)";
		p->ambiguous = i == 2;
		gen_fusion(sc, p, (struct gen_site){"loop_convert_fusion", "convert_element_type", 0},
			gen_shape1(GEN_F32, sizes[i]), 9000, inner, JR_COUNT_OF(inner));
		gen_memory(sc, p, &(struct gen_memory){.no_heap = true});
		gen_run(sc, (uint32_t)sc->programs.n - 1, false);
	}
}

enum jr_status gen_scenario_build(
	struct gen_scenario *sc, const struct gen_options *options, struct jr_error *err)
{
	const struct scenario_entry *entry = NULL;
	for (size_t i = 0; i < JR_COUNT_OF(scenarios); i++)
		if (strcmp(scenarios[i].name, options->scenario) == 0)
			entry = &scenarios[i];
	if (!entry)
		return jr_fail(err, JR_EUSAGE,
			"unknown scenario '%s' (mnist_vae, transformer_fsdp4, pipeline4, kernels, "
			"serve2, torch_ddp2, torch_stream, torch_input)",
			options->scenario);
	*sc = (struct gen_scenario){.options = *options};
	struct gen_options *o = &sc->options;
	o->n_devices = o->n_devices ? o->n_devices : entry->n_devices;
	o->n_steps = o->n_steps ? o->n_steps : entry->n_steps;
	o->skew_ns = o->skew_ns >= 0 ? o->skew_ns : entry->skew_ns;
	if (o->straggler == GEN_NO_INDEX)
		o->straggler = o->cause ? o->n_processes * o->n_devices - 1 : entry->straggler;
	JR_TRY(check(o, err));
	if (entry->build == gen_build_pipeline4 && o->n_processes * o->n_devices < 4)
		return jr_fail(err, JR_EUSAGE, "pipeline4 needs at least 4 devices");
	jr_arena_init(&sc->arena, 0);
	sc->random = o->seed * UINT64_C(0x5851f42d4c957f2d) + 1;
	for (uint32_t i = 0; i < o->n_processes; i++)
		add_process(sc, i);
	set_offsets(sc);
	gen_slow_clocks(sc);
	size_t n = sc->devices.n;
	sc->gpu_cursor_ns = JR_ARENA_N(&sc->arena, int64_t, n);
	sc->comm_cursor_ns = JR_ARENA_N(&sc->arena, int64_t, n);
	sc->host_cursor_ns = JR_ARENA_N(&sc->arena, int64_t, n);
	entry->build(sc);
	if (o->strings & GEN_STRINGS_AMBIGUOUS)
		add_ambiguous(sc);
	gen_number_ranges(sc);
	enum jr_status status = gen_change_check(sc, err);
	if (status == JR_OK)
		status = gen_check_waits(sc, err);
	if (status != JR_OK)
		gen_scenario_done(sc);
	return status;
}

static void program_done(struct gen_program *p)
{
	for (size_t i = 0; i < p->computations.n; i++)
		jr_vec_done(&p->computations.items[i].instructions);
	jr_vec_done(&p->computations);
	jr_vec_done(&p->frames);
	jr_vec_done(&p->buffers);
	jr_vec_done(&p->allocations);
	jr_vec_done(&p->heap);
	jr_vec_done(&p->ops);
	jr_vec_done(&p->enclosing);
	jr_vec_done(&p->module_text);
}

void gen_scenario_done(struct gen_scenario *sc)
{
	for (size_t i = 0; i < sc->programs.n; i++)
		program_done(sc->programs.items[i]);
	for (size_t i = 0; i < sc->processes.n; i++)
		jr_vec_done(&sc->processes.items[i].worker_tids);
	jr_vec_done(&sc->programs);
	jr_vec_done(&sc->processes);
	jr_vec_done(&sc->devices);
	jr_vec_done(&sc->ranges);
	jr_arena_done(&sc->arena);
}
