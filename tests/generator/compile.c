/*
 * compile.c - compile programs: XlaCompile ranges with passes, autotuning and worker threads.
 *
 * Each range gets its own (self) time while it is laid out, and its children theirs, so all lengths
 * are sums of known numbers.
 */
#include "scenario.h"

#include <string.h>

#include "base/cleanup.h"

struct compile {
	struct gen_scenario *sc;
	struct gen_program *program;
	uint32_t program_index, process;
	int64_t number, tid, now_ns;
	uint32_t open;				/* innermost open range */
	enum gen_compile_role role; /* of the ranges opened now */
};

static const char *const pipelines[][8] = {
	{"pre-spmd-partitioner", "call-inliner", "zero_sized_hlo_elimination", "topk-rewriter", NULL},
	{"spmd-partitioner", "algsimp", "sharding-propagation", "spmd-partitioning", "dce", NULL},
	{"optimization", "dot_decomposer", "algsimp", "constant_folding", "cse", "dce", NULL},
	{"fusion", "priority-fusion", "multi_output_fusion", "cse", "dce", NULL},
	{"post-layout_assignment", "cublas-gemm-rewriter", "layout_normalization", "algsimp", NULL},
};

static uint32_t begin(struct compile *c, const char *domain, const char *name, const char *clean)
{
	struct gen_scenario *sc = c->sc;
	const char *end = strchr(clean, ':');
	const char *phase =
		strncmp(clean, "XlaPass", 7) == 0
			? "XlaPass"
			: gen_text(sc, "%.*s", end ? (int)(end - clean) : (int)strlen(clean), clean);
	*jr_vec_add(&sc->ranges) = (struct gen_range){.kind = GEN_RANGE_COMPILE,
		.domain = domain,
		.name = name,
		.process = c->process,
		.device = GEN_NO_INDEX,
		.tid = c->tid,
		.parent = c->open,
		.host_start_ns = c->now_ns,
		.program = c->program_index,
		.execution = GEN_NO_INDEX,
		.op = GEN_NO_INDEX,
		.launcher = GEN_NO_INDEX,
		.role = c->role,
		.clean = clean,
		.phase = phase};
	return c->open = (uint32_t)(sc->ranges.n - 1);
}

/* Self time of the innermost open range. */
static void spend(struct compile *c, int64_t ns)
{
	c->now_ns += ns + (int64_t)gen_random(c->sc, (uint64_t)ns / 8 + 1);
}

static void end(struct compile *c)
{
	struct gen_range *x = &c->sc->ranges.items[c->open];
	x->host_dur_ns = c->now_ns - x->host_start_ns;
	c->open = x->parent;
}

static void leaf(struct compile *c, const char *name, const char *clean, int64_t ns)
{
	begin(c, "TSL", name, clean);
	spend(c, ns);
	end(c);
}

/* A phase "Xla...:#module=M,program_id=N#". */
static const char *plain(struct compile *c, const char *what)
{
	return gen_text(
		c->sc, "%s:#module=%s,program_id=%lld#", what, c->program->name, (long long)c->number);
}

static const char *named(struct compile *c, const char *what, const char *name)
{
	return gen_text(c->sc, "%s:#name=%s,module=%s,program_id=%lld#", what, name, c->program->name,
		(long long)c->number);
}

static const char *named_clean(struct compile *c, const char *what, const char *name)
{
	return gen_text(c->sc, "%s:#name=%s#", what, name);
}

static void pass(struct compile *c, const char *plain_name, int64_t ns)
{
	const char *name = gen_hostile(c->sc, GEN_FIELD_COMPILER_PASS, plain_name);
	leaf(c, named(c, "XlaPass", name), named_clean(c, "XlaPass", name), ns);
}

/* A kernel candidate runs: a module without program id, its thunk, and GPU work below a range. */
static void tried_module(struct compile *c, const char *gemm, uint32_t device)
{
	struct gen_scenario *sc = c->sc;
	uint32_t outer = c->open;
	const char *names[2] = {
		gen_text(sc, "XlaModule:#hlo_module=%s#", gemm), gen_text(sc, "Thunk:#hlo_op=%s#", gemm)};
	for (int i = 0; i < 2; i++) {
		uint32_t r = begin(c, "TSL", names[i], i ? "Thunk" : "XlaModule");
		struct gen_range *x = &sc->ranges.items[r];
		x->kind = i ? GEN_RANGE_THUNK : GEN_RANGE_MODULE;
		x->device = device;
		x->program = GEN_NO_INDEX;
		x->left_out = true;
		spend(c, 2100);
	}
	int64_t start = c->now_ns + 2500, length = 41000 + (int64_t)gen_random(sc, 3000);
	start = start > sc->gpu_cursor_ns[device] ? start : sc->gpu_cursor_ns[device];
	sc->gpu_cursor_ns[device] = start + length + 1000;
	for (uint32_t i = c->open; i != GEN_NO_INDEX; i = sc->ranges.items[i].parent) {
		struct gen_range *x = &sc->ranges.items[i];
		x->gpu_start_ns = x->gpu_ops ? x->gpu_start_ns : start;
		x->gpu_dur_ns = start + length - x->gpu_start_ns;
		x->gpu_ops++;
		x->device = device;
	}
	while (c->open != outer) {
		spend(c, 900);
		end(c);
	}
}

/* Workers compile candidates; their ranges have no parent on their threads. */
static void tried_compilation(struct compile *c, const char *gemm)
{
	struct gen_scenario *sc = c->sc;
	const struct gen_process *process = &sc->processes.items[c->process];
	begin(c, "TSL", "XlaAutotunerCompilation", "XlaAutotunerCompilation");
	sc->ranges.items[c->open].role = GEN_COMPILE_AUTOTUNER;
	spend(c, 30000);
	int64_t begun = c->now_ns, last = begun;
	for (size_t w = 0; w < process->worker_tids.n; w++) {
		struct compile worker = *c;
		worker.tid = process->worker_tids.items[w];
		worker.open = GEN_NO_INDEX;
		worker.role = GEN_COMPILE_REMOVED;
		worker.now_ns = begun + 4000 + (int64_t)gen_random(sc, 3000);
		begin(&worker, "TSL",
			gen_text(sc, "XlaCompileBackend:#module=%s,program_id=%lld#", gemm,
				(long long)(900 + 10 * c->number + (int64_t)w)),
			"XlaCompileBackend");
		spend(&worker, 150000);
		leaf(&worker, "XlaEmitGpuAsm", "XlaEmitGpuAsm", 210000);
		leaf(&worker, "XlaCompileGpuAsm", "XlaCompileGpuAsm", 390000);
		end(&worker);
		last = worker.now_ns > last ? worker.now_ns : last;
	}
	c->now_ns = last + 5000;
	end(c);
}

static void autotune(struct compile *c, uint32_t gemms)
{
	struct gen_scenario *sc = c->sc;
	uint32_t device = sc->processes.items[c->process].first_device;
	const char *name = sc->options.xla == 2 ? "autotuner" : "gemm-algorithm-picker";
	begin(c, "TSL", named(c, "XlaPass", name), named_clean(c, "XlaPass", name));
	spend(c, 90000);
	if (sc->options.library_ms && !sc->processes.items[c->process].library_loaded) {
		sc->processes.items[c->process].library_loaded = true;
		begin(c, "cuBLAS", "cublasCreate_v2", "cublasCreate_v2");
		sc->ranges.items[c->open].role = GEN_COMPILE_FOREIGN;
		spend(c, 1000000 * (int64_t)sc->options.library_ms);
		end(c);
	}
	for (uint32_t i = 0; i < gemms; i++) {
		const char *gemm =
			gen_hostile(sc, GEN_FIELD_TUNED, gen_text(sc, "gemm_fusion_dot.%u", 41 + 7 * i));
		if (sc->options.xla == 2) { /* generation 2 has no such ranges */
			spend(c, 700000);
			continue;
		}
		tried_compilation(c, gemm);
		begin(c, "TSL", gen_text(sc, "XlaAutotunerMeasurement:#hlo_op=%s#", gemm),
			"XlaAutotunerMeasurement");
		sc->ranges.items[c->open].role = GEN_COMPILE_AUTOTUNER;
		spend(c, 60000);
		enum gen_compile_role before = c->role;
		c->role = GEN_COMPILE_REMOVED;
		for (int k = 0; k < 3; k++) {
			tried_module(c, gemm, device);
			spend(c, 9000);
		}
		c->role = before;
		spend(c, 20000);
		end(c);
	}
	end(c);
}

/* Worker threads compile parts of the module while the launcher waits: [first start, last end] is
 * divided among them in proportion to their self times. */
static void parallel_parts(struct compile *c)
{
	static const char *const parts[] = {"XlaOptimizeLlvmIr", "XlaEmitGpuAsm", "XlaCompileGpuAsm"};
	struct gen_scenario *sc = c->sc;
	const struct gen_process *process = &sc->processes.items[c->process];
	int64_t begun = c->now_ns, last = begun;
	for (size_t w = 0; w < process->worker_tids.n; w++) {
		struct compile worker = *c;
		worker.tid = process->worker_tids.items[w];
		worker.open = GEN_NO_INDEX;
		worker.role = GEN_COMPILE_WORKER;
		worker.now_ns = begun + 8000 + (int64_t)gen_random(sc, 60000);
		for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
			const char *name = gen_text(sc, "%s:#module=split_module#", parts[i]);
			begin(&worker, "TSL", name, name);
			sc->ranges.items[worker.open].launcher = c->open;
			spend(&worker, 300000 + 150000 * (int64_t)i + (int64_t)gen_random(sc, 400000));
			end(&worker);
			worker.now_ns += 3000 + (int64_t)gen_random(sc, 5000);
		}
		last = worker.now_ns > last ? worker.now_ns : last;
	}
	c->now_ns = last + 12000;
}

static void backend(struct compile *c, bool parallel)
{
	begin(c, "TSL", plain(c, "XlaCompileBackend"), "XlaCompileBackend");
	spend(c, 40000);
	leaf(c, plain(c, "XlaMemoryScheduler"), "XlaMemoryScheduler", 260000);
	leaf(c, plain(c, "XlaBufferAssignment"), "XlaBufferAssignment", 200000);
	leaf(c, plain(c, "XlaEmitLlvmIr"), "XlaEmitLlvmIr", 420000);
	spend(c, 15000);
	if (parallel) {
		parallel_parts(c);
	} else {
		leaf(c, plain(c, "XlaOptimizeLlvmIr"), "XlaOptimizeLlvmIr", 310000);
		leaf(c, "XlaEmitGpuAsm", "XlaEmitGpuAsm", 480000);
		leaf(c, "XlaCompileGpuAsm", "XlaCompileGpuAsm", 1200000);
	}
	spend(c, 15000);
	const char *range = gen_planted(c->sc, GEN_FIELD_COMPILE_RANGE, "XlaCreateGpuExecutable");
	begin(c, "TSL", range, range);
	spend(c, 70000);
	const char *foreign = gen_planted(c->sc, GEN_FIELD_FOREIGN_RANGE, "cublasCreate_v2");
	begin(c, gen_planted(c->sc, GEN_FIELD_FOREIGN_DOMAIN, "cuBLAS"), foreign, foreign);
	c->sc->ranges.items[c->open].role = GEN_COMPILE_FOREIGN;
	spend(c, 350000);
	end(c);
	spend(c, 20000);
	end(c);
	spend(c, 10000);
	end(c);
}

static void compile_in(
	struct gen_scenario *sc, uint32_t program, uint32_t process, uint32_t gemms, bool parallel)
{
	struct gen_program *p = sc->programs.items[program];
	struct gen_process *proc = &sc->processes.items[process];
	struct compile c = {.sc = sc,
		.program = p,
		.program_index = program,
		.process = process,
		.number = gen_program_number(p, process),
		.tid = proc->main_tid,
		.now_ns = proc->host_ns,
		.open = GEN_NO_INDEX};
	/* as in some real profiles, the outermost range of a single-device program has no number */
	begin(&c, "TSL",
		p->multi_device ? plain(&c, "XlaCompile") : gen_text(sc, "XlaCompile:#module=%s#", p->name),
		"XlaCompile");
	/* the first compilation loads libraries */
	spend(&c, proc->n_compiled++ ? 130000 : gen_cause_loading(sc, 21000000));
	leaf(&c, plain(&c, "XlaDumpHloModule"), "XlaDumpHloModule", 90000);
	for (size_t i = 0; i < JR_COUNT_OF(pipelines); i++) {
		const char *name = gen_planted(sc, GEN_FIELD_PIPELINE, pipelines[i][0]);
		begin(&c, "TSL", named(&c, "XlaPassPipeline", name),
			named_clean(&c, "XlaPassPipeline", name));
		spend(&c, 6000);
		for (size_t k = 1; pipelines[i][k]; k++)
			pass(&c, pipelines[i][k], 4000 * (int64_t)(1 + p->ops.n * (k + i) / 6));
		if (i + 1 == JR_COUNT_OF(pipelines) && gemms)
			autotune(&c, gemms);
		spend(&c, 3000);
		end(&c);
		spend(&c, 2500);
	}
	backend(&c, parallel);
	spend(&c, 18000);
	end(&c);
	proc->host_ns = c.now_ns + 120000;
}

void gen_compile(struct gen_scenario *sc, uint32_t program, uint32_t gemms, bool parallel)
{
	sc->programs.items[program]->compiled = true;
	for (uint32_t i = 0; i < sc->processes.n; i++)
		compile_in(sc, program, i, gemms, parallel);
}
