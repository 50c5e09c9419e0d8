/*
 * scenario_torch.c - training without XLA: the events of PyTorch, NCCL and a program's own NVTX
 * ranges in an export. Each device has a thread; gradients are reduced during the backward pass.
 */
#include "scenario.h"

#define LAUNCH_NS 2800
#define LATENCY_NS 4100
#define KERNEL_GAP_NS 800
#define N_LAYERS 3

/* The label of an NVTX range. */
struct label {
	const char *domain, *category, *name;
};

static const struct label step = {"", NULL, "step"};
static const struct label begun = {"app", NULL, "step begun"};
static const struct label load = {"loader", "io", "load"};
static const struct label prefetch = {"loader", "io", "prefetch"};
static const struct label forward = {"model", "compute", "forward"};
static const struct label backward = {"model", "compute", "backward"};
static const struct label layer = {"model", "layers", "layer"};
static const struct label bucket = {"model", "communication", "all_reduce"};
static const struct label update = {"", "7", "optimizer"}; /* a category without a name */
static const struct label metrics = {"app", "io", "metrics"}; /* another domain's "io" */

static int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static uint32_t add(struct gen_scenario *sc, uint32_t d, uint32_t parent, enum gen_range_kind kind)
{
	const struct gen_device *device = &sc->devices.items[d];
	*jr_vec_add(&sc->ranges) = (struct gen_range){.kind = kind,
		.domain = "",
		.process = device->process,
		.device = d,
		.tid = device->tid,
		.parent = parent,
		.host_start_ns = sc->host_cursor_ns[d],
		.program = GEN_NO_INDEX,
		.execution = GEN_NO_INDEX,
		.op = GEN_NO_INDEX,
		.launcher = GEN_NO_INDEX};
	return (uint32_t)(sc->ranges.n - 1);
}

static uint32_t begin(struct gen_scenario *sc, uint32_t d, uint32_t parent,
	const struct label *label, enum gen_style style)
{
	uint32_t index = add(sc, d, parent, GEN_RANGE_USER);
	struct gen_range *range = &sc->ranges.items[index];
	range->domain = *label->domain ? gen_planted(sc, GEN_FIELD_USER_DOMAIN, label->domain) : "";
	bool number = label->category && *label->category <= '9';
	range->category = label->category && !number
						  ? gen_hostile(sc, GEN_FIELD_CATEGORY, label->category)
						  : label->category;
	range->name = gen_hostile(sc, GEN_FIELD_USER_RANGE, label->name);
	range->style = style;
	sc->host_cursor_ns[d] += 400 + (int64_t)gen_random(sc, 200);
	return index;
}

static void end(struct gen_scenario *sc, uint32_t d, uint32_t range)
{
	struct gen_range *r = &sc->ranges.items[range];
	r->host_dur_ns = sc->host_cursor_ns[d] - r->host_start_ns;
	sc->host_cursor_ns[d] += 300;
}

static uint32_t begin_step(struct gen_scenario *sc, uint32_t d, uint32_t number)
{
	struct label own = step;
	if (sc->options.number_steps)
		own.name = gen_text(sc, "step %u", number);
	return begin(sc, d, GEN_NO_INDEX, &own, GEN_PUSH_POP);
}

/* Only the call; its range on the GPU is added later. */
static uint32_t call(struct gen_scenario *sc, uint32_t d, uint32_t parent, enum gen_launch launch,
	const char *name, uint64_t bytes)
{
	uint32_t index = add(sc, d, parent, GEN_RANGE_LAUNCH);
	struct gen_range *range = &sc->ranges.items[index];
	range->name =
		gen_planted(sc, launch == GEN_LAUNCH_KERNEL ? GEN_FIELD_KERNEL : GEN_FIELD_CALL, name);
	range->launch = launch;
	range->bytes = bytes;
	sc->host_cursor_ns[d] += sc->options.launch_ns ? sc->options.launch_ns : LAUNCH_NS;
	sc->host_cursor_ns[d] += (int64_t)gen_random(sc, 300);
	range->host_dur_ns = sc->host_cursor_ns[d] - range->host_start_ns;
	sc->host_cursor_ns[d] += 250;
	return index;
}

static void launch(struct gen_scenario *sc, uint32_t d, uint32_t parent, enum gen_launch kind,
	const char *name, uint64_t bytes, int64_t ns)
{
	uint32_t range = call(sc, d, parent, kind, name, bytes);
	int64_t start = max64(sc->gpu_cursor_ns[d], sc->host_cursor_ns[d] + LATENCY_NS);
	int64_t length = ns + (int64_t)gen_random(sc, (uint64_t)ns / 20 + 1);
	gen_widen(sc, range, start, start + length);
	sc->gpu_cursor_ns[d] = start + length + KERNEL_GAP_NS;
}

/* The host waits for its device. */
static void wait(struct gen_scenario *sc, uint32_t d, uint32_t parent)
{
	uint32_t range = call(sc, d, parent, GEN_LAUNCH_NONE, "cudaStreamSynchronize_v3020", 0);
	int64_t done = max64(sc->gpu_cursor_ns[d], sc->comm_cursor_ns[d]) + 2000;
	sc->host_cursor_ns[d] = max64(sc->host_cursor_ns[d], done);
	struct gen_range *r = &sc->ranges.items[range];
	r->host_dur_ns = sc->host_cursor_ns[d] - r->host_start_ns;
	sc->host_cursor_ns[d] += 500;
}

/* All devices end together, after the last has arrived. */
static void all_reduce(struct gen_scenario *sc, const uint32_t *parents, int64_t ns)
{
	size_t n = sc->devices.n;
	uint32_t *ranges = JR_ARENA_N(&sc->arena, uint32_t, n);
	int64_t *starts = JR_ARENA_N(&sc->arena, int64_t, n), last = 0;
	for (uint32_t d = 0; d < n; d++) {
		uint32_t own = begin(sc, d, parents[d], &bucket, GEN_PUSH_POP);
		ranges[d] = call(sc, d, own, GEN_LAUNCH_NCCL, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0);
		end(sc, d, own);
		starts[d] = max64(max64(sc->gpu_cursor_ns[d], sc->comm_cursor_ns[d]),
			sc->host_cursor_ns[d] + LATENCY_NS);
		last = max64(last, starts[d]);
	}
	last += ns + (int64_t)gen_random(sc, (uint64_t)ns / 10);
	for (uint32_t d = 0; d < n; d++) {
		gen_widen(sc, ranges[d], starts[d], last);
		sc->comm_cursor_ns[d] = last + KERNEL_GAP_NS;
	}
}

static void run_forward(struct gen_scenario *sc, uint32_t d, uint32_t parent)
{
	uint32_t own = begin(sc, d, parent, &forward, GEN_PUSH_POP);
	for (int i = 0; i < N_LAYERS; i++) {
		uint32_t inner = begin(sc, d, own, &layer, GEN_PUSH_POP);
		launch(sc, d, inner, GEN_LAUNCH_KERNEL, "ampere_sgemm_128x64_tn", 0, 61000);
		launch(sc, d, inner, GEN_LAUNCH_KERNEL, "vectorized_elementwise_kernel", 0, 7300);
		end(sc, d, inner);
	}
	end(sc, d, own);
}

static void run_load(struct gen_scenario *sc, uint32_t d, uint32_t parent)
{
	uint32_t own = begin(sc, d, parent, &load, GEN_PUSH_POP);
	/* batches are made on the host: the device is idle */
	sc->host_cursor_ns[d] += gen_cause_load(sc, 90000);
	launch(sc, d, own, GEN_LAUNCH_TO_DEVICE, "cudaMemcpyAsync_v3020", 3 << 20, 130000);
	end(sc, d, own);
}

static void run_update(struct gen_scenario *sc, uint32_t d, uint32_t parent)
{
	sc->gpu_cursor_ns[d] = max64(sc->gpu_cursor_ns[d], sc->comm_cursor_ns[d]);
	uint32_t own = begin(sc, d, parent, &update, GEN_PUSH_POP);
	launch(sc, d, own, GEN_LAUNCH_KERNEL, "multi_tensor_apply_kernel", 0, 48000);
	launch(sc, d, own, GEN_LAUNCH_MEMSET, "cudaMemsetAsync_v3020", 1 << 20, 2600);
	end(sc, d, own);
	own = begin(sc, d, parent, &metrics, GEN_PUSH_POP);
	launch(sc, d, own, GEN_LAUNCH_TO_HOST, "cudaMemcpyAsync_v3020", 4, 1500);
	wait(sc, d, own);
	end(sc, d, own);
}

/* The start/end range crosses the others: from the forward pass into the backward pass. */
static void run_step(struct gen_scenario *sc, uint32_t number, uint32_t *steps, uint32_t *parts,
	uint32_t *loose)
{
	size_t n = sc->devices.n;
	for (uint32_t d = 0; d < n; d++) {
		end(sc, d, begin(sc, d, GEN_NO_INDEX, &begun, GEN_MARK));
		steps[d] = begin_step(sc, d, number);
		run_load(sc, d, steps[d]);
		loose[d] = begin(sc, d, GEN_NO_INDEX, &prefetch, GEN_START_END);
		run_forward(sc, d, steps[d]);
		parts[d] = begin(sc, d, steps[d], &backward, GEN_PUSH_POP);
	}
	for (int i = 0; i < N_LAYERS; i++) {
		for (uint32_t d = 0; d < n; d++) {
			launch(sc, d, parts[d], GEN_LAUNCH_KERNEL, "ampere_sgemm_128x64_nt", 0, 118000);
			if (i == 1)
				end(sc, d, loose[d]);
		}
		all_reduce(sc, parts, 140000);
	}
	for (uint32_t d = 0; d < n; d++) {
		end(sc, d, parts[d]);
		run_update(sc, d, steps[d]);
		end(sc, d, steps[d]);
	}
}

void gen_build_torch_ddp2(struct gen_scenario *sc)
{
	size_t n = sc->devices.n;
	uint32_t *steps = JR_ARENA_N(&sc->arena, uint32_t, n);
	uint32_t *parts = JR_ARENA_N(&sc->arena, uint32_t, n);
	uint32_t *loose = JR_ARENA_N(&sc->arena, uint32_t, n);
	for (uint32_t d = 0; d < n; d++)
		sc->host_cursor_ns[d] = 5000000000 + (int64_t)gen_random(sc, 20000);
	for (uint32_t i = 0; i < sc->options.n_steps; i++)
		run_step(sc, i, steps, parts, loose);
}

/* --- copies from the host, not overlapped ----------------------------------------------------- */

#define LINK_BYTES_NS 25 /* bytes per ns of a link */

static void fetch(struct gen_scenario *sc, uint32_t d, uint32_t parent, uint64_t mib)
{
	uint64_t bytes = mib << 20;
	launch(sc, d, parent, GEN_LAUNCH_PINNED_TO_DEVICE, "cudaMemcpyAsync_v3020", bytes,
		(int64_t)(bytes / LINK_BYTES_NS));
}

static void run_layer(struct gen_scenario *sc, uint32_t d, uint32_t parent, bool stream)
{
	uint32_t own = begin(sc, d, parent, &layer, GEN_PUSH_POP);
	if (stream) {
		fetch(sc, d, own, 64);
		fetch(sc, d, own, 16);
	}
	launch(sc, d, own, GEN_LAUNCH_KERNEL, "ampere_sgemm_128x64_tn", 0, 61000);
	launch(sc, d, own, GEN_LAUNCH_KERNEL, "vectorized_elementwise_kernel", 0, 7300);
	if (stream)
		fetch(sc, d, own, 128);
	launch(sc, d, own, GEN_LAUNCH_KERNEL, "ampere_sgemm_128x64_nt", 0, 118000);
	end(sc, d, own);
}

static void run_copies(struct gen_scenario *sc, bool stream)
{
	for (uint32_t d = 0; d < sc->devices.n; d++) {
		sc->host_cursor_ns[d] = 5000000000 + (int64_t)gen_random(sc, 20000);
		for (uint32_t i = 0; i < sc->options.n_steps; i++) {
			uint32_t own = begin_step(sc, d, i);
			if (!stream)
				fetch(sc, d, own, 256);
			for (int k = 0; k < N_LAYERS; k++)
				run_layer(sc, d, own, stream);
			wait(sc, d, own);
			end(sc, d, own);
		}
	}
}

/* Inference with weights in host memory. */
void gen_build_torch_stream(struct gen_scenario *sc)
{
	run_copies(sc, true);
}

/* Steps that begin with a batch that is not prefetched. */
void gen_build_torch_input(struct gen_scenario *sc)
{
	run_copies(sc, false);
}
