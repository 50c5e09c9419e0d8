/*
 * timeline.c - run programs: the GPU's streams and the launching threads, op by op.
 *
 * Each device has a compute stream and a communication stream. A collective starts on a device when
 * its stream (and, for a synchronous one, the compute before it) is free, and ends on all devices
 * at the same true time: the last start plus the transfer. So the starts alone determine the waits.
 *
 * With --change overlap=perfect a transfer starts when the producers of its operands have ended,
 * regardless of compute, and operations that use its result wait for it. Collectives that are not
 * launched as asynchronous behave the same.
 */
#include "scenario.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCH_NS 2600         /* host time of one launch */
#define LAUNCH_LATENCY_NS 3900 /* from its launch to a kernel's earliest start */
#define KERNEL_GAP_NS 900
#define QUIET_GAP_NS 100 /* in a job with --cause */
#define FIRST_RANGE_ID 8333

/* A collective or copy in progress. */
struct pending {
	const char *name;
	const int64_t *ends_ns; /* [n_devices], in the scenario's arena */
};

/* A loop being run: where its thunk's range is, per device. */
struct loop {
	size_t first_op;
	uint32_t left;
	uint32_t range; /* index of the first device's range; the others are next */
};

struct run {
	struct gen_scenario *sc;
	struct gen_program *program;
	uint32_t program_index, execution;
	uint32_t n_devices; /* it runs on devices [0, n_devices) of each of its processes */
	const uint32_t *devices;
	uint32_t *modules; /* [n_devices] range index */
	uint32_t *parents; /* [n_devices] range that new thunks are put under */
	JR_VEC(struct pending) pending;
	JR_VEC(struct loop) loops;
	int64_t *starts;   /* [n_devices] scratch of one op */
	int64_t *begins;   /* [n_devices] when the first kernel can start */
	int64_t *ends;	   /* [op * n_devices + device] last end times; INT64_MIN: not yet */
	int64_t noise_ppm; /* of this execution: clock changes affect all of it equally */
};

/* About normal, deviation sigma: the sum of twelve uniform numbers has variance 1. Draws nothing
 * for 0, so that samples without noise do not change. */
static int64_t draw_noise(struct gen_scenario *sc, int64_t sigma)
{
	int64_t sum = 0;
	for (int i = 0; i < 12 && sigma; i++)
		sum += (int64_t)gen_random(sc, 1000001) - 500000;
	return sum * sigma / 1000000;
}

const char *gen_module_title(struct gen_scenario *sc, struct gen_program *p, uint32_t process)
{
	while (p->module_text.n <= process) {
		bool common = p->prefix && !(sc->options.strings & GEN_STRINGS_NO_PREFIX);
		const char *prefix = common ? gen_text(sc, "prefix=%s,",
										  gen_planted(sc, GEN_FIELD_MODULE_PREFIX, p->prefix))
									: "";
		int64_t number = gen_program_number(p, (uint32_t)p->module_text.n);
		*jr_vec_add(&p->module_text) = gen_text(
			sc, "XlaModule:#%shlo_module=%s,program_id=%lld#", prefix, p->name, (long long)number);
	}
	return p->module_text.items[process];
}

static int64_t usual_gap(const struct gen_scenario *sc)
{
	if (sc->options.gap_ns)
		return sc->options.gap_ns;
	return gen_quiet(sc) ? QUIET_GAP_NS : KERNEL_GAP_NS;
}

/* From a kernel's end to the next one's start, if it has been launched by then. */
static int64_t kernel_gap(const struct gen_scenario *sc)
{
	return gen_change_gap(sc, usual_gap(sc));
}

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Compute overlaps it. */
static bool is_aside(const struct gen_scenario *sc, const struct gen_op *op)
{
	return op->kind == GEN_OP_START || op->kind == GEN_OP_COPY_START ||
		   (op->kind == GEN_OP_SYNC && gen_change_overlap(sc));
}

/* Put a range of length 0 on the GPU and the host; ranges put below it widen it. */
static uint32_t add_range(struct run *r, uint32_t i, enum gen_range_kind kind, uint32_t parent)
{
	struct gen_scenario *sc = r->sc;
	uint32_t d = r->devices[i];
	const struct gen_device *device = &sc->devices.items[d];
	*jr_vec_add(&sc->ranges) = (struct gen_range){.kind = kind,
		.domain = "TSL",
		.process = device->process,
		.device = d,
		.parent = parent,
		.tid = r->program->multi_device && sc->processes.items[device->process].n_devices > 1
				   ? device->tid
				   : device->main_tid,
		.host_start_ns = sc->host_cursor_ns[d],
		.program = r->program_index,
		.execution = r->execution,
		.op = GEN_NO_INDEX,
		.launcher = GEN_NO_INDEX};
	return (uint32_t)(sc->ranges.n - 1);
}

void gen_widen(struct gen_scenario *sc, uint32_t range, int64_t start, int64_t end)
{
	for (uint32_t i = range; i != GEN_NO_INDEX; i = sc->ranges.items[i].parent) {
		struct gen_range *x = &sc->ranges.items[i];
		int64_t old_end = x->gpu_start_ns + x->gpu_dur_ns;
		x->gpu_start_ns = x->gpu_ops && x->gpu_start_ns < start ? x->gpu_start_ns : start;
		x->gpu_dur_ns = (x->gpu_ops ? max64(old_end, end) : end) - x->gpu_start_ns;
		x->gpu_ops++;
	}
}

static void close_host(struct gen_scenario *sc, uint32_t range, int64_t now)
{
	struct gen_range *x = &sc->ranges.items[range];
	x->host_dur_ns = now - x->host_start_ns;
}

/* The range of one thunk with its launch; NCCL below collectives. */
static uint32_t add_thunk(struct run *r, uint32_t i, uint32_t op_index, int64_t start, int64_t end)
{
	struct gen_scenario *sc = r->sc;
	const struct gen_op *op = &r->program->ops.items[op_index];
	uint32_t d = r->devices[i];
	/* generation 2 launches asynchronous collectives outside of the module's range */
	bool orphan = sc->options.xla == 2 && op->kind == GEN_OP_START;
	uint32_t thunk = add_range(r, i, GEN_RANGE_THUNK, orphan ? GEN_NO_INDEX : r->parents[i]);
	sc->ranges.items[thunk].name = op->text;
	sc->ranges.items[thunk].op = op_index;
	uint32_t leaf = thunk;
	if (op->communication && !gen_is_copy(op)) {
		sc->host_cursor_ns[d] += 700;
		leaf = add_range(r, i, GEN_RANGE_NCCL, thunk);
		sc->ranges.items[leaf].domain = gen_planted(sc, GEN_FIELD_NCCL_DOMAIN, "NCCL");
		sc->ranges.items[leaf].name = gen_planted(sc, GEN_FIELD_NCCL_RANGE, "ncclGroupEnd");
		sc->host_cursor_ns[d] += LAUNCH_NS;
		close_host(sc, leaf, sc->host_cursor_ns[d]);
	}
	sc->host_cursor_ns[d] += LAUNCH_NS + gen_jitter(sc, 300);
	close_host(sc, thunk, sc->host_cursor_ns[d]);
	sc->host_cursor_ns[d] += 400;
	gen_widen(sc, leaf, start, end);
	r->ends[op_index * (size_t)r->n_devices + i] = end;
	return thunk;
}

/* Earliest start of the next kernel on the compute stream. */
static int64_t ready(const struct run *r, uint32_t i)
{
	uint32_t d = r->devices[i];
	return max64(r->sc->gpu_cursor_ns[d], r->sc->host_cursor_ns[d] + LAUNCH_LATENCY_NS);
}

/* The time when the producers of an operation's operands have ended. */
static int64_t arrival(const struct run *r, uint32_t i, const struct gen_op *op, bool aside)
{
	int64_t last = INT64_MIN;
	for (uint32_t k = 0; k < op->n_waits; k++)
		if (!aside || is_aside(r->sc, &r->program->ops.items[op->waits[k]]))
			last = max64(last, r->ends[op->waits[k] * (size_t)r->n_devices + i]);
	return last == INT64_MIN ? r->begins[i] : last + kernel_gap(r->sc);
}

/* Earliest start of a compute operation. */
static int64_t compute_start(const struct run *r, uint32_t i, const struct gen_op *op)
{
	if (!gen_change_overlap(r->sc))
		return ready(r, i);
	return max64(ready(r, i), arrival(r, i, op, true));
}

/* Earliest start of a transfer: in program order, or once its data is ready. */
static int64_t transfer_start(const struct run *r, uint32_t i, const struct gen_op *op)
{
	uint32_t d = r->devices[i];
	int64_t launched = r->sc->host_cursor_ns[d] + LAUNCH_LATENCY_NS;
	int64_t start = gen_change_overlap(r->sc) && is_aside(r->sc, op)
						? max64(launched, arrival(r, i, op, false))
						: ready(r, i);
	return max64(start, r->sc->comm_cursor_ns[d]) +
		   gen_change_gap(r->sc, gen_jitter(r->sc, 300));
}

static int64_t compute_length(struct run *r, uint32_t i, const struct gen_op *op)
{
	if (r->sc->planned_ns)
		return r->sc->planned_ns;
	int64_t jitter = op->base_ns * op->jitter_permille / 1000 + 8;
	int64_t ns = op->base_ns + gen_jitter(r->sc, (uint64_t)(2 * jitter + 1)) - jitter;
	ns = gen_cause_compute(r->sc, r->program, op, r->devices[i], ns);
	if (!gen_change_device(r->sc, r->devices[i]))
		ns += ns * r->sc->devices.items[r->devices[i]].slow_permille / 1000;
	ns = gen_slow_compute(r->sc, op, r->devices[i], ns);
	ns += ns * r->noise_ppm / 1000000;
	if (r->sc->options.slow_thunk && strcmp(op->name, r->sc->options.slow_thunk) == 0)
		ns += ns * r->sc->options.slow_permille / 1000;
	if (r->execution == 0) /* caches and allocations: warm-up removal must drop it */
		ns += ns / 2;
	return max64(gen_change_length(r->sc, op, ns), 1);
}

static void run_compute(struct run *r, uint32_t op_index)
{
	const struct gen_op *op = &r->program->ops.items[op_index];
	for (uint32_t i = 0; i < r->n_devices; i++) {
		uint32_t d = r->devices[i];
		if (!gen_slow_runs(r->sc, op, d))
			continue;
		int64_t start = compute_start(r, i, op), length = compute_length(r, i, op);
		add_thunk(r, i, op_index, start, start + length);
		if (op->kind == GEN_OP_SIDE) /* the other stream continues at once */
			r->sc->gpu_cursor_ns[d] = start + length / 3;
		else
			r->sc->gpu_cursor_ns[d] = start + length + kernel_gap(r->sc);
	}
}

/* Start and end of each device's part: a collective ends everywhere at once, a copy waits for no
 * other device. */
static void communicate(struct run *r, const struct gen_op *op, int64_t *ends)
{
	struct gen_scenario *sc = r->sc;
	for (uint32_t i = 0; i < r->n_devices; i++)
		r->starts[i] = transfer_start(r, i, op);
	int64_t ns = gen_is_copy(op) ? op->base_ns : gen_cause_transfer(sc, r->program, op);
	uint64_t jitter = (uint64_t)ns / 20 + 1;
	for (uint32_t g = 0; g == 0 || g < op->n_groups; g++) {
		int64_t last = INT64_MIN, moved_ns = ns;
		for (uint32_t i = 0; i < r->n_devices; i++) {
			if (gen_group_of(op, i) != g)
				continue;
			moved_ns = max64(moved_ns, gen_slow_transfer(sc, op, r->devices[i], ns));
			r->starts[i] += r->starts[i] == last; /* exactly one arrives last: no ties */
			last = max64(last, r->starts[i]);
		}
		if (!gen_is_copy(op))
			last += gen_change_length(sc, op, moved_ns + gen_jitter(sc, jitter));
		for (uint32_t i = 0; i < r->n_devices; i++)
			if (gen_group_of(op, i) == g)
				ends[i] = gen_is_copy(op)
							  ? r->starts[i] +
									gen_change_length(sc, op, ns + gen_jitter(sc, jitter))
							  : last;
	}
}

static void run_communication(struct run *r, uint32_t op_index)
{
	struct gen_scenario *sc = r->sc;
	const struct gen_op *op = &r->program->ops.items[op_index];
	int64_t *ends = JR_ARENA_N(&sc->arena, int64_t, r->n_devices);
	bool async = op->kind == GEN_OP_START || op->kind == GEN_OP_COPY_START;
	bool aside = is_aside(sc, op);
	communicate(r, op, ends);
	for (uint32_t i = 0; i < r->n_devices; i++) {
		add_thunk(r, i, op_index, r->starts[i], ends[i]);
		sc->comm_cursor_ns[r->devices[i]] = ends[i] + kernel_gap(sc);
		if (!aside)
			sc->gpu_cursor_ns[r->devices[i]] = ends[i] + kernel_gap(sc);
	}
	if (async)
		*jr_vec_add(&r->pending) = (struct pending){op->name, ends};
}

static void run_done(struct run *r, const struct gen_op *op)
{
	size_t i = r->pending.n;
	while (i && strcmp(r->pending.items[i - 1].name, op->name) != 0)
		i--;
	assert(i);
	for (uint32_t k = 0; k < r->n_devices; k++) {
		int64_t *cursor = &r->sc->gpu_cursor_ns[r->devices[k]];
		if (gen_change_overlap(r->sc))
			break; /* its users wait */
		*cursor = max64(*cursor, r->pending.items[i - 1].ends_ns[k] + kernel_gap(r->sc));
	}
	r->pending.items[i - 1] = r->pending.items[--r->pending.n];
}

static void begin_loop(struct run *r, uint32_t op_index)
{
	const struct gen_op *op = &r->program->ops.items[op_index];
	struct loop loop = {op_index + 1, op->times, (uint32_t)r->sc->ranges.n};
	for (uint32_t i = 0; i < r->n_devices; i++) {
		uint32_t range = add_range(r, i, GEN_RANGE_THUNK, r->parents[i]);
		r->sc->ranges.items[range].name = op->text;
		r->sc->ranges.items[range].op = op_index;
		r->sc->ranges.items[range].container = true;
		r->sc->host_cursor_ns[r->devices[i]] += 1900;
		r->parents[i] = range;
	}
	*jr_vec_add(&r->loops) = loop;
}

/* Back to the loop's first operation, or out of it. Return the next operation. */
static size_t end_loop(struct run *r, size_t op_index)
{
	assert(r->loops.n && r->loops.items);
	struct loop *loop = &r->loops.items[r->loops.n - 1];
	if (--loop->left)
		return loop->first_op;
	for (uint32_t i = 0; i < r->n_devices; i++) {
		close_host(r->sc, loop->range + i, r->sc->host_cursor_ns[r->devices[i]]);
		r->sc->host_cursor_ns[r->devices[i]] += 800;
		r->parents[i] = r->sc->ranges.items[loop->range + i].parent;
	}
	r->loops.n--;
	return op_index + 1;
}

static void run_ops(struct run *r, bool cut)
{
	struct gen_program *p = r->program;
	size_t n_left = cut ? p->ops.n / 3 : SIZE_MAX;
	for (size_t k = 0; k < p->ops.n;) {
		const struct gen_op *op = &p->ops.items[k];
		if (n_left-- == 0)
			break;
		if (op->kind == GEN_OP_LOOP_END) {
			k = end_loop(r, k);
			continue;
		}
		if (op->kind == GEN_OP_COMPUTE || op->kind == GEN_OP_SIDE)
			run_compute(r, (uint32_t)k);
		else if (op->kind == GEN_OP_DONE)
			run_done(r, op);
		else if (op->kind == GEN_OP_LOOP)
			begin_loop(r, (uint32_t)k);
		else
			run_communication(r, (uint32_t)k);
		k++;
	}
	while (r->loops.n) { /* cut off inside a loop */
		r->loops.items[r->loops.n - 1].left = 1;
		end_loop(r, 0);
	}
}

static void begin_modules(struct run *r)
{
	struct gen_scenario *sc = r->sc;
	for (uint32_t i = 0; i < r->n_devices; i++) {
		uint32_t d = r->devices[i], process = sc->devices.items[d].process;
		int64_t *host = &sc->host_cursor_ns[d];
		*host = max64(*host, sc->processes.items[process].host_ns + gen_jitter(sc, 9000));
		r->modules[i] = r->parents[i] = add_range(r, i, GEN_RANGE_MODULE, GEN_NO_INDEX);
		sc->ranges.items[r->modules[i]].name = gen_module_title(sc, r->program, process);
		*host += 5200 + gen_jitter(sc, 900);
		r->begins[i] = ready(r, i);
	}
}

/* A module lasts from its first kernel's start to its last one's end; streams join there. */
static void end_modules(struct run *r, size_t first_range, bool cut)
{
	struct gen_scenario *sc = r->sc;
	for (uint32_t i = 0; i < r->n_devices; i++) {
		uint32_t d = r->devices[i], process = sc->devices.items[d].process;
		const struct gen_range *module = &sc->ranges.items[r->modules[i]];
		int64_t end = module->gpu_start_ns + module->gpu_dur_ns + 4 * usual_gap(sc);
		sc->gpu_cursor_ns[d] = max64(sc->gpu_cursor_ns[d], end);
		sc->comm_cursor_ns[d] = max64(sc->comm_cursor_ns[d], end);
		close_host(sc, r->modules[i], sc->host_cursor_ns[d]);
		sc->host_cursor_ns[d] += 31000;
		if (!r->program->multi_device || sc->processes.items[process].n_devices == 1)
			sc->processes.items[process].host_ns = sc->host_cursor_ns[d];
	}
	for (size_t i = first_range; cut && i < sc->ranges.n; i++)
		sc->ranges.items[i].left_out = true;
}

static void run_on(struct gen_scenario *sc, uint32_t program, const uint32_t *devices,
	uint32_t n_devices, bool cut)
{
	size_t first_range = sc->ranges.n, n_ends = sc->programs.items[program]->ops.n * n_devices;
	struct run r = {.sc = sc,
		.program = sc->programs.items[program],
		.program_index = program,
		.execution = sc->programs.items[program]->n_executions,
		.n_devices = n_devices,
		.devices = devices,
		.modules = calloc(n_devices, sizeof(uint32_t)),
		.parents = calloc(n_devices, sizeof(uint32_t)),
		.starts = calloc(n_devices, sizeof(int64_t)),
		.begins = calloc(n_devices, sizeof(int64_t)),
		.ends = calloc(n_ends, sizeof(int64_t)),
		.noise_ppm = draw_noise(sc, sc->options.noise_ppm)};
	if (!r.modules || !r.parents || !r.starts || !r.begins || !r.ends)
		jr_oom();
	for (size_t i = 0; i < n_ends; i++)
		r.ends[i] = INT64_MIN;
	begin_modules(&r);
	run_ops(&r, cut);
	end_modules(&r, first_range, cut);
	free(r.modules);
	free(r.parents);
	free(r.starts);
	free(r.begins);
	free(r.ends);
	jr_vec_done(&r.pending);
	jr_vec_done(&r.loops);
}

void gen_run(struct gen_scenario *sc, uint32_t program, bool cut)
{
	JR_VEC(uint32_t) devices = {0};
	struct gen_program *p = sc->programs.items[program];
	bool multi = p->multi_device;
	if (!p->has_waits)
		gen_find_waits(sc, p);
	for (uint32_t d = 0; d < sc->devices.n; d++)
		if (multi ? d >= p->first_device && d < p->first_device + gen_program_devices(sc, p)
				  : sc->devices.items[d].local == 0)
			*jr_vec_add(&devices) = d;
	if (multi) {
		run_on(sc, program, devices.items, (uint32_t)devices.n, cut);
	} else { /* each process runs it separately, on its first device */
		for (size_t i = 0; i < devices.n; i++)
			run_on(sc, program, devices.items + i, 1, cut);
	}
	sc->programs.items[program]->n_executions++;
	jr_vec_done(&devices);
	for (size_t i = 0; i < sc->processes.n; i++)
		sc->processes.items[i].host_ns += 60000;
}

/* The call in which a process waits until its devices are done: the middle half of its range. */
static void show_wait(struct gen_scenario *sc, uint32_t process)
{
	const struct gen_process *p = &sc->processes.items[process];
	int64_t done_ns = p->host_ns;
	for (uint32_t d = p->first_device; d < p->first_device + p->n_devices; d++)
		done_ns = max64(done_ns, max64(sc->gpu_cursor_ns[d], sc->comm_cursor_ns[d]));
	*jr_vec_add(&sc->ranges) = (struct gen_range){.kind = GEN_RANGE_LAUNCH,
		.domain = "",
		.name = "cudaDeviceSynchronize_v3020",
		.process = process,
		.device = p->first_device,
		.parent = GEN_NO_INDEX,
		.tid = p->main_tid,
		.host_start_ns = p->host_ns - (done_ns - p->host_ns) / 2,
		.host_dur_ns = 2 * (done_ns - p->host_ns),
		.launch = GEN_LAUNCH_NONE,
		.program = GEN_NO_INDEX,
		.execution = GEN_NO_INDEX,
		.op = GEN_NO_INDEX,
		.left_out = true,
		.launcher = GEN_NO_INDEX};
}

void gen_wait_for_gpu(struct gen_scenario *sc, int64_t then_ns)
{
	for (uint32_t i = 0; sc->options.sync_calls && i < sc->processes.n; i++)
		show_wait(sc, i);
	for (size_t d = 0; d < sc->devices.n; d++) {
		struct gen_process *process = &sc->processes.items[sc->devices.items[d].process];
		int64_t done = sc->gpu_cursor_ns[d] + then_ns + gen_jitter(sc, 20000);
		process->host_ns = max64(process->host_ns, done);
	}
}

void gen_edge_thunk(struct gen_scenario *sc, const char *hlo_op)
{
	const struct gen_device *device = &sc->devices.items[0];
	struct gen_process *process = &sc->processes.items[0];
	int64_t start = process->host_ns;
	*jr_vec_add(&sc->ranges) = (struct gen_range){.kind = GEN_RANGE_THUNK,
		.domain = "TSL",
		.name = gen_text(sc, "Thunk:#hlo_op=%s#", hlo_op),
		.device = 0,
		.parent = GEN_NO_INDEX,
		.tid = process->n_devices > 1 ? device->tid : device->main_tid,
		.host_start_ns = start,
		.host_dur_ns = LAUNCH_NS,
		.gpu_start_ns = start + 4100,
		.gpu_dur_ns = 7300,
		.gpu_ops = 1,
		.program = GEN_NO_INDEX,
		.execution = GEN_NO_INDEX,
		.op = GEN_NO_INDEX,
		.left_out = true,
		.launcher = GEN_NO_INDEX};
	process->host_ns += 40000;
	sc->host_cursor_ns[0] = max64(sc->host_cursor_ns[0], process->host_ns);
	sc->gpu_cursor_ns[0] = max64(sc->gpu_cursor_ns[0], start + 20000);
}

int gen_by_start(const void *a, const void *b)
{
	const struct gen_order *x = a, *y = b;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* A range's id is the number of its event in the raw profile: by host start, with gaps for other
 * events, and separate for each process. */
void gen_number_ranges(struct gen_scenario *sc)
{
	struct gen_range *ranges = sc->ranges.items;
	struct gen_order *order = calloc(sc->ranges.n, sizeof(*order));
	int64_t *next = calloc(sc->processes.n, sizeof(*next));
	if (!order || !next)
		jr_oom();
	for (uint32_t i = 0; i < sc->ranges.n; i++)
		order[i] = (struct gen_order){
			ranges[i].host_start_ns, ranges[i].host_start_ns + ranges[i].host_dur_ns, i};
	qsort(order, sc->ranges.n, sizeof(*order), gen_by_start);
	for (size_t i = 0; i < sc->ranges.n; i++) {
		struct gen_range *x = &ranges[order[i].index];
		x->id = FIRST_RANGE_ID + next[x->process];
		next[x->process] += 1 + (int64_t)gen_random(sc, 3);
		if (x->parent == GEN_NO_INDEX)
			continue;
		struct gen_range *parent = &ranges[x->parent];
		x->level = parent->level + 1;
		parent->n_children++;
		parent->n_gpu_children += x->gpu_ops > 0;
		parent->child_ns += x->host_dur_ns;
	}
	free(order);
	free(next);
}
