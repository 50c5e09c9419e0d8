/* Rules about programs that are not of XLA: what an export of Nsight Systems alone tells. */
#include <string.h>

#include "analysis/findings.h"
#include "analysis/gpu_time.h"

void jr_check_exposed_nccl(struct jr_check *c)
{
	const struct jr_table *nccl = jr_results_table(c->ctx->results, "nccl_overlap");
	double ns = c->part_ns[JR_PART_COMMUNICATION];
	if (!jr_check_fires(c, jr_ratio(ns, c->wall_ns)))
		return;
	const int64_t *exposed_ns = nccl->cells[jr_table_column(nccl, "exposed_ms")].i64;
	size_t most = 0, all = nccl->n_rows - 1; /* the last row is that of every one together */
	for (size_t row = 0; row < all; row++)
		if (exposed_ns[row] > exposed_ns[most])
			most = row;
	jr_check_recoverable(c, ns, ns);
	c->finding.title = jr_arena_printf(c->ctx->arena,
		"NCCL runs with no other kernel beside it: %s, %s %s", jr_check_of_wall(c, ns),
		exposed_ns[most] > exposed_ns[all] / 2 ? "mostly" : "most in",
		jr_check_name(c, nccl->cells[jr_table_column(nccl, "name")].text[most]));
	c->finding.detail =
		"Start collectives on a stream of their own as soon as their data is there, and wait where "
		"it is needed: in PyTorch async_op=True, gradient buckets sent during the backward pass "
		"(bucket_cap_mb of DDP), prefetching of shards (forward_prefetch, backward_prefetch of "
		"FSDP). A rank that arrives late makes the others wait inside of the kernel: compare the "
		"devices.";
	c->finding.evidence = jr_arena_printf(c->ctx->arena,
		"%s NCCL kernels; other kernels hide %s of their time.",
		jr_check_count(c, (size_t)nccl->cells[jr_table_column(nccl, "count")].i64[all]),
		jr_check_percent(c, nccl->cells[jr_table_column(nccl, "hidden_fraction")].f64[all]));
}

/* --- copies ----------------------------------------------------------------------------------- */

enum { N_KINDS = JR_GPU_COPY_KINDS + 1, MEMSET = JR_GPU_COPY_KINDS };
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 }; /* of jr_gpu_copy_kinds */

#define LARGE_BYTES (INT64_C(1) << 20) /* what stands for data of a program, not its settings */
#define PACED_BYTES (INT64_C(1) << 22) /* from here on what a copy begins with is little */
#define PACE 0.9                       /* copies of all sizes are so near to each other */
#define LEAST_ROUNDS 3                 /* what comes so often comes again and again */
#define LEAST_SHARE 0.1                /* of kernel time, that behind one place in a step */

/* Copies of one direction, or memsets. */
struct copied {
	double exposed_ns, dur_ns;
	int64_t count, bytes;
	int64_t counts[JR_HOST_MEMORIES], memory_bytes[JR_HOST_MEMORIES];
	int64_t paced_bytes[64], paced_ns[64]; /* by power of two, from PACED_BYTES on */
};

/* Large copies from the host that no kernel stands between, and those of the same sizes again. */
struct burst {
	uint64_t sizes;  /* hash of them, in order */
	int64_t count, bytes, kernel_ns; /* kernel: until the next one begins */
};

struct copies {
	struct copied kinds[N_KINDS];
	double beside_ns;    /* host copies that could run beside kernels that have no copy */
	int64_t stream_bytes; /* in bursts that come again, at several places of a step */
	size_t n_places, n_rounds; /* bursts that come again, of the device with most; their fewest */
};

static size_t copy_kind(const struct jr_gpu_ops *t, size_t row)
{
	return t->kind[row] == JR_GPU_MEMSET ? MEMSET : jr_gpu_copy_kind(t->config[row]);
}

static bool is_kernel(const struct jr_gpu_ops *t, size_t row)
{
	return t->kind[row] == JR_GPU_KERNEL || t->kind[row] == JR_GPU_GRAPH;
}

static void add_copy(struct copied *sum, const struct jr_gpu_ops *t, size_t row,
	const struct jr_spans *kernels)
{
	int64_t start_ns = t->start_ns[row], dur_ns = t->dur_ns[row], bytes = t->bytes[row];
	enum jr_host_memory memory =
		t->kind[row] == JR_GPU_COPY ? jr_gpu_host_memory(t->config[row]) : JR_MEMORY_UNKNOWN;
	sum->exposed_ns +=
		(double)(dur_ns - jr_spans_within(kernels, start_ns, start_ns + dur_ns));
	sum->dur_ns += (double)dur_ns;
	sum->count++;
	sum->bytes += bytes;
	sum->counts[memory]++;
	sum->memory_bytes[memory] += bytes;
	if (bytes >= PACED_BYTES) {
		size_t class = 63 - (size_t)__builtin_clzll((uint64_t)bytes);
		sum->paced_bytes[class] += bytes;
		sum->paced_ns[class] += dur_ns;
	}
}

static struct jr_spans kernels_of(const struct jr_check *c, size_t device)
{
	const struct jr_gpu_ops *t = &c->ctx->profile->gpu_ops;
	const struct jr_gpu_time *time = c->ctx->gpu;
	size_t first = time->first[device], end = time->first[device + 1];
	struct jr_spans spans = {
		.items = JR_ARENA_N(c->ctx->scratch, struct jr_span, end - first + 1)};
	for (size_t i = first; i < end; i++) {
		uint32_t row = time->order[i];
		if (is_kernel(t, row))
			spans.items[spans.n++] =
				(struct jr_span){t->start_ns[row], t->start_ns[row] + t->dur_ns[row]};
	}
	jr_spans_unite_sorted(&spans, c->ctx->scratch);
	return spans;
}

static struct burst *burst_of(struct burst *bursts, size_t *n, struct jr_map *rows, uint64_t sizes)
{
	uint32_t row = jr_map_get(rows, sizes);
	if (row == JR_NONE) {
		row = (uint32_t)(*n)++;
		bursts[row].sizes = sizes;
		jr_map_put(rows, sizes, row);
	}
	return &bursts[row];
}

/* Bursts of a device by what they copy, in order of their first. Those of a batch of input have a
 * whole step of kernels behind them; those of weights that come one by one a part of it each. */
static size_t find_bursts(const struct jr_check *c, size_t device, struct burst *bursts)
{
	const struct jr_gpu_ops *t = &c->ctx->profile->gpu_ops;
	const struct jr_gpu_time *time = c->ctx->gpu;
	struct jr_map rows = {0};
	struct burst open = {0}, *last = NULL;
	size_t n = 0;
	for (size_t i = time->first[device]; i < time->first[device + 1]; i++) {
		uint32_t row = time->order[i];
		if (is_kernel(t, row)) {
			if (open.bytes) {
				last = burst_of(bursts, &n, &rows, open.sizes);
				last->count++;
				last->bytes += open.bytes;
				open = (struct burst){0};
			}
			if (last)
				last->kernel_ns += t->dur_ns[row];
		} else if (copy_kind(t, row) == HOST_TO_DEVICE && t->bytes[row] >= LARGE_BYTES) {
			uint64_t key[2] = {open.sizes, (uint64_t)t->bytes[row]};
			open.sizes = jr_hash(key, sizeof(key), jr_hash_seed());
			open.bytes += t->bytes[row];
		}
	}
	jr_map_done(&rows);
	return n;
}

static void find_stream(struct jr_check *c, size_t device, struct copies *copies)
{
	const struct jr_gpu_time *time = c->ctx->gpu;
	struct burst *bursts = JR_ARENA_N(
		c->ctx->scratch, struct burst, time->first[device + 1] - time->first[device] + 1);
	size_t n = find_bursts(c, device, bursts), n_places = 0, n_rounds = SIZE_MAX;
	int64_t bytes = 0;
	double kernel_ns = 0;
	for (size_t i = 0; i < n; i++)
		kernel_ns += (double)bursts[i].kernel_ns;
	for (size_t i = 0; i < n; i++) {
		if (bursts[i].count < LEAST_ROUNDS ||
			(double)bursts[i].kernel_ns < LEAST_SHARE * kernel_ns)
			continue;
		bytes += bursts[i].bytes;
		n_places++;
		n_rounds = (size_t)bursts[i].count < n_rounds ? (size_t)bursts[i].count : n_rounds;
	}
	if (n_places < 2)
		return;
	copies->stream_bytes += bytes;
	if (n_places > copies->n_places) {
		copies->n_places = n_places;
		copies->n_rounds = n_rounds;
	}
}

static void measure_device(struct jr_check *c, size_t device, struct copies *copies)
{
	const struct jr_gpu_ops *t = &c->ctx->profile->gpu_ops;
	const struct jr_gpu_time *time = c->ctx->gpu;
	size_t first = time->first[device], end = time->first[device + 1];
	struct jr_spans kernels = kernels_of(c, device);
	struct jr_spans moved = {
		.items = JR_ARENA_N(c->ctx->scratch, struct jr_span, end - first + 1)};
	double host_ns = -copies->kinds[HOST_TO_DEVICE].exposed_ns -
		copies->kinds[DEVICE_TO_HOST].exposed_ns;
	for (size_t i = first; i < end; i++) {
		uint32_t row = time->order[i];
		if (is_kernel(t, row))
			continue;
		add_copy(&copies->kinds[copy_kind(t, row)], t, row, &kernels);
		moved.items[moved.n++] =
			(struct jr_span){t->start_ns[row], t->start_ns[row] + t->dur_ns[row]};
	}
	jr_spans_unite_sorted(&moved, c->ctx->scratch);
	host_ns +=
		copies->kinds[HOST_TO_DEVICE].exposed_ns + copies->kinds[DEVICE_TO_HOST].exposed_ns;
	int64_t alone_ns = jr_spans_length(&time->devices[device]) - jr_spans_length(&moved);
	copies->beside_ns += fmin(host_ns, (double)alone_ns);
	find_stream(c, device, copies);
}

/* True where large copies are equally fast whatever their size: that is what the link gives. */
static bool at_one_pace(const struct copied *sum)
{
	double least = INFINITY, most = 0;
	size_t n_sizes = 0;
	for (size_t i = 0; i < JR_COUNT_OF(sum->paced_ns); i++) {
		if (sum->paced_ns[i] <= 0)
			continue;
		double rate = (double)sum->paced_bytes[i] / (double)sum->paced_ns[i];
		least = fmin(least, rate);
		most = fmax(most, rate);
		n_sizes++;
	}
	return n_sizes > 1 && least >= PACE * most;
}

/* That of most bytes. */
static enum jr_host_memory memory_of(const struct copied *sum)
{
	enum jr_host_memory most = JR_MEMORY_UNKNOWN;
	for (enum jr_host_memory m = JR_MEMORY_PAGEABLE; m < JR_HOST_MEMORIES; m++)
		if (sum->memory_bytes[m] > sum->memory_bytes[most])
			most = m;
	return most;
}

static const char *bytes_text(struct jr_check *c, double bytes)
{
	char text[JR_NUM_MAX];
	jr_num_bytes(text, bytes);
	return jr_arena_strdup(c->ctx->arena, text);
}

/* "50.95 GB at 27.7 GB/s" */
static const char *volume_text(struct jr_check *c, const struct copied *sum)
{
	return jr_arena_printf(c->ctx->arena, "%s at %s", bytes_text(c, (double)sum->bytes),
		jr_check_rate(c, jr_ratio((double)sum->bytes, sum->dur_ns * 1e-9)));
}

/* What the memory of the host lets be done. */
static const char *memory_advice(const struct copied *sum)
{
	switch (memory_of(sum)) {
	case JR_MEMORY_PINNED:
		return at_one_pace(sum)
			? "The host's memory is pinned already and large copies run at one pace whatever their "
			  "size, that of the link: only what is not moved makes them shorter."
			: "The host's memory is pinned already.";
	case JR_MEMORY_PAGEABLE:
		return "The host's memory is pageable, so that copies go through a buffer of the driver's: "
			   "pin it (cudaMallocHost, in PyTorch pin_memory=True) and copy with "
			   "cudaMemcpyAsync (non_blocking=True).";
	case JR_MEMORY_MANAGED:
		return "The host's memory is managed: fetch it ahead of its use (cudaMemPrefetchAsync).";
	default:
		return "Whether the host's memory is pinned, the input does not tell.";
	}
}

static const char *copy_advice(struct jr_check *c, size_t kind, const struct copied *sum)
{
	if (kind == MEMSET)
		return "Clear memory less often: let the first kernel that writes it do so, and keep "
			   "buffers from one step to the next.";
	if (kind == HOST_TO_DEVICE)
		return jr_arena_printf(c->ctx->arena,
			"%s Copies run beside kernels on a stream of their own, as far as there are kernels. "
			"What is copied, the rows do not tell: batches of input can come one ahead of the "
			"kernels that want them, and what is used again, such as weights, can stay on the "
			"device.",
			memory_advice(sum));
	if (kind == DEVICE_TO_HOST)
		return jr_arena_printf(c->ctx->arena,
			"%s Copies run beside kernels on a stream of their own, as far as there are kernels: "
			"fetch less, less often, and wait for it only where it is used.",
			memory_advice(sum));
	return "Copies within and between devices are often layouts that do not agree (in PyTorch "
		   ".contiguous(), .clone(), cat): write results where they are wanted.";
}

/* " from pinned memory", "446 of them pinned" */
static const char *counts_text(struct jr_check *c, size_t kind, const struct copied *sum)
{
	enum jr_host_memory memory = memory_of(sum);
	const char *name = kind == MEMSET ? "memset" : jr_gpu_copy_kinds[kind];
	const char *pinned = "";
	if (memory != JR_MEMORY_UNKNOWN)
		pinned = sum->counts[memory] == sum->count
			? jr_arena_printf(c->ctx->arena, ", all with %s memory", jr_host_memories[memory])
			: jr_arena_printf(c->ctx->arena, ", %s of them with %s memory",
				  jr_check_count(c, (size_t)sum->counts[memory]), jr_host_memories[memory]);
	return jr_arena_printf(c->ctx->arena, "%s: %s%s, %s in all", name,
		jr_check_count(c, (size_t)sum->count), pinned, jr_check_time(c, sum->dur_ns));
}

static const char *beside_text(struct jr_check *c, const struct copies *copies)
{
	return jr_arena_printf(c->ctx->arena,
		"Beside kernels there is room for %s of copies from and to the host%s",
		jr_check_gpu_time(c, copies->beside_ns), c->n_gpus > 1 ? " on each GPU" : "");
}

/* Weights, or whatever else is kept in the host's memory and comes again at each use. */
static void tell_stream(struct jr_check *c, const struct copies *copies)
{
	const struct copied *sum = &copies->kinds[HOST_TO_DEVICE];
	struct jr_arena *arena = c->ctx->arena;
	c->finding.title = jr_arena_printf(arena,
		"The host streams %s to the %s: %s with no kernel beside", volume_text(c, sum),
		c->ctx->profile->n_devices == 1 ? "GPU" : "GPUs", jr_check_of_wall(c, sum->exposed_ns));
	c->finding.detail = jr_arena_printf(arena,
		"Copies of the same sizes come again between kernels, at several places of a step: as of "
		"weights that are kept in the host's memory, not as of batches of input. Stop or shrink "
		"that: keep on the device what comes again, all of it or as many layers as fit; in a "
		"narrower type (bfloat16, 8 or 4 bits); or work on more input for each time it comes. %s",
		memory_advice(sum));
	c->finding.evidence = jr_arena_printf(arena,
		"%s; %s of them in %s set%s of copies, each of which comes %s times or more. %s; each GB "
		"that is not moved makes %s less.",
		counts_text(c, HOST_TO_DEVICE, sum), bytes_text(c, (double)copies->stream_bytes),
		jr_check_count(c, copies->n_places), copies->n_places == 1 ? "" : "s",
		jr_check_count(c, copies->n_rounds), beside_text(c, copies),
		jr_check_time(c, jr_ratio(sum->dur_ns, (double)sum->bytes) * 1e9));
}

static void tell_copies(struct jr_check *c, const struct copies *copies, size_t kind)
{
	const struct copied *sum = &copies->kinds[kind];
	struct jr_arena *arena = c->ctx->arena;
	double ns = c->part_ns[JR_PART_COPY];
	bool host = kind == HOST_TO_DEVICE || kind == DEVICE_TO_HOST;
	c->finding.title = jr_arena_printf(arena,
		"Copies with no kernel beside them take %s, %s %s: %s",
		jr_check_of_wall(c, ns), sum->exposed_ns > ns / 2 ? "mostly" : "most in",
		kind == MEMSET ? "memset" : jr_gpu_copy_kinds[kind], volume_text(c, sum));
	c->finding.detail = copy_advice(c, kind, sum);
	c->finding.evidence = jr_arena_printf(arena, "%s.%s%s%s", counts_text(c, kind, sum),
		host ? " " : "", host ? beside_text(c, copies) : "", host ? "." : "");
}

void jr_check_exposed_copies(struct jr_check *c)
{
	double ns = c->part_ns[JR_PART_COPY];
	if (c->part_ns[JR_PART_COMPUTE] + c->part_ns[JR_PART_COMMUNICATION] == 0)
		return; /* there is no kernel to run beside */
	if (!jr_check_fires(c, jr_ratio(ns, c->wall_ns)))
		return;
	struct copies *copies = JR_ARENA_NEW(c->ctx->scratch, struct copies);
	double exposed_ns[N_KINDS];
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		if (c->ctx->gpu->devices[d].n)
			measure_device(c, d, copies);
	for (size_t i = 0; i < N_KINDS; i++)
		exposed_ns[i] = copies->kinds[i].exposed_ns;
	size_t kind = jr_check_largest(exposed_ns, N_KINDS);
	bool host = kind == HOST_TO_DEVICE || kind == DEVICE_TO_HOST;
	jr_check_recoverable(c, host ? copies->beside_ns : exposed_ns[kind], ns);
	if (kind == HOST_TO_DEVICE &&
		copies->stream_bytes > copies->kinds[HOST_TO_DEVICE].bytes / 2)
		tell_stream(c, copies);
	else
		tell_copies(c, copies, kind);
}
