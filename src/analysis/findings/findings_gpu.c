/* Rules about copies of programs without XLA, from an export of Nsight Systems only. */
#include <string.h>

#include "analysis/findings/findings.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/core/program_kind.h"
#include "analysis/core/terms.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define EXPOSED_COPIES_SUBJECT "Copies while no kernel runs"
#define EXPOSED_COPIES_SUBJECT_STREAM "Host-to-device copies"
#define EXPOSED_COPIES_TITLE " take %s, %s"
#define EXPOSED_COPIES_TITLE_STREAM " (%s) take %s while no kernel runs"
#define EXPOSED_COPIES_WHY_STREAM                                                                  \
	"The same copy sizes repeat between kernels at several points of the profile, which "          \
	"suggests %s kept in host memory rather than new input."
#define EXPOSED_COPIES_WHY_PACE                                                                    \
	"Host memory is already pinned, and all large copies run at the same rate, probably that of "  \
	"the link. Only copying less data makes them shorter."
#define EXPOSED_COPIES_WHY_PINNED "Host memory is already pinned."
#define EXPOSED_COPIES_WHY_PAGEABLE                                                                \
	"Host memory is pageable, so copies go through a driver buffer.%s"
#define EXPOSED_COPIES_WHY_MANAGED JR_ON_NVIDIA("Host memory is managed.")
#define EXPOSED_COPIES_WHY_UNKNOWN "The profile does not show whether host memory is pinned."
#define EXPOSED_COPIES_WHY_FASTER " Pinned copies in this direction run at %s, these at %s."
#define EXPOSED_COPIES_ACTION_STREAM                                                               \
	"If copies of equal size copy the same data, keep as much of it on the device as fits. %s."
#define EXPOSED_COPIES_ACTION_PAGEABLE                                                             \
	JR_ON_NVIDIA("Pin host memory (cudaMallocHost%s), and copy with cudaMemcpyAsync%s.")
#define EXPOSED_COPIES_ACTION_MANAGED                                                              \
	JR_ON_NVIDIA("Prefetch managed memory before its use (cudaMemPrefetchAsync).")
#define EXPOSED_COPIES_ACTION_MEMSET                                                               \
	"Clear memory less often: let the first kernel that writes it clear it, and reuse buffers "    \
	"across steps."
#define EXPOSED_COPIES_ACTION_SMALL "Combine several copies into one, because they are small."
#define EXPOSED_COPIES_ACTION_TO_DEVICE                                                            \
	"Copy less: data that is used again%s can stay on the " JR_GPU "."
#define EXPOSED_COPIES_ACTION_EARLY                                                                \
	"Copy the rest on a separate stream, before the start of the kernels that use it."
#define EXPOSED_COPIES_ACTION_TO_HOST                                                              \
	"Copy less, and less often. Use a separate stream, and wait for a copy only where its data "   \
	"is used."
#define EXPOSED_COPIES_ACTION_WITHIN                                                               \
	"Write results where they are needed: copies within and between devices often come from "      \
	"layouts that do not match%s."
#define EXPOSED_COPIES_ACTION_STREAM_LEARNS                                                        \
	"Use a narrower type (bfloat16, 8 or 4 bits), or process more input per copy"
#define EXPOSED_COPIES_ACTION_STREAM_OTHER "Or do more work per copy"
#define EXPOSED_COPIES_EVIDENCE "%s: %s time%s%s"
#define EXPOSED_COPIES_EVIDENCE_OVERLAP "At most %s of copies%s can overlap with kernels"
#define EXPOSED_COPIES_EVIDENCE_STREAM                                                             \
	"Repetitions of the same sizes are %s of all bytes in this direction; each GB that is "        \
	"not copied saves %s."

#define PAGE_MIGRATIONS_SUBJECT "Page migrations of unified memory"
#define PAGE_MIGRATIONS_TITLE " take %s: %s"
#define PAGE_MIGRATIONS_WHY                                                                        \
	"Pages of unified memory move when the host or a kernel accesses them, a few at a time, and "  \
	"the access waits."
#define PAGE_MIGRATIONS_WHY_PREFETCHED                                                             \
	"The program already prefetches pages, and some of the migrations are prefetches. Other "      \
	"pages move when the host or a kernel accesses them, and the access waits."
#define PAGE_MIGRATIONS_ACTION                                                                     \
	JR_ON_NVIDIA("Declare how pages are used with cudaMemAdvise. Use cudaMemAdviseSetReadMostly "  \
	"for pages that host and device only read, and cudaMemAdviseSetPreferredLocation for pages "   \
	"that should not move. ")                                                                      \
	JR_ON_NVIDIA("Or allocate with cudaMalloc, and copy the data that is needed.")
#define PAGE_MIGRATIONS_ACTION_PREFETCH                                                            \
	JR_ON_NVIDIA("Move them before their use, many at once, with cudaMemPrefetchAsync.")
#define PAGE_MIGRATIONS_ACTION_PREFETCHED "Start the prefetches earlier, on a separate stream."
#define PAGE_MIGRATIONS_EVIDENCE "%s. No kernel runs for %s of their time."
#define PAGE_MIGRATIONS_EVIDENCE_KIND "%s%s%s: %s migrations, on average %s"

/* --- copies ----------------------------------------------------------------------------------- */

enum { N_KINDS = JR_GPU_MOVE_KINDS };
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, MIGRATION = 11 }; /* of jr_gpu_copy_kinds */

#define LARGE_BYTES (INT64_C(1) << 20) /* smallest copy that counts as data, not as settings */
#define PACED_BYTES (INT64_C(1) << 22) /* from here the startup time of a copy is small */
#define PACE 0.9                       /* ratio of rates from which all sizes are equally fast */
#define LEAST_ROUNDS 3                 /* minimum count of repeating copies */
#define LEAST_SHARE 0.1                /* share of kernel time after one place of a step */
#define ADVISED 0.25                   /* share of exposed copies for separate advice */

/* Copies of one direction, or memsets. */
struct copied {
	double exposed_ns, dur_ns, sized_ns; /* sized: of those whose size is known */
	int64_t count, bytes, n_sized;
	int64_t counts[JR_HOST_MEMORIES], memory_bytes[JR_HOST_MEMORIES], memory_ns[JR_HOST_MEMORIES];
	int64_t paced_bytes[64], paced_ns[64]; /* by power of two, from PACED_BYTES on */
};

/* Large copies from the host without a kernel between them, and repetitions with the same sizes. */
struct burst {
	uint64_t sizes;  /* hash of the sizes, in order */
	int64_t count, bytes, kernel_ns; /* kernel_ns: until the next burst */
};

struct copies {
	struct copied kinds[N_KINDS];
	double beside_ns;    /* host copies that could overlap with other kernels */
	int64_t stream_bytes; /* in repeating bursts, at several places of a step */
	int64_t again_bytes;  /* ... without the first occurrence of each */
	double migrated_ns;   /* time in which any page migrated, with or without kernels */
};

/* True for migrations of pages of unified memory. */
static bool is_migration(size_t kind)
{
	return kind >= MIGRATION && kind < JR_GPU_COPY_KINDS;
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
	sum->n_sized += bytes > 0;
	sum->sized_ns += bytes > 0 ? (double)dur_ns : 0;
	sum->counts[memory]++;
	sum->memory_bytes[memory] += bytes;
	sum->memory_ns[memory] += dur_ns;
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

/* Group the bursts of a device by their copy sizes, in order of the first occurrence. A burst of
 * input batches is followed by a whole step of kernels, a burst of streamed weights by a part of a
 * step. */
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
		} else if (jr_gpu_move_kind(t, row) == HOST_TO_DEVICE && t->bytes[row] >= LARGE_BYTES) {
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
	size_t n = find_bursts(c, device, bursts), n_places = 0;
	int64_t bytes = 0, again_bytes = 0;
	double kernel_ns = 0;
	for (size_t i = 0; i < n; i++)
		kernel_ns += (double)bursts[i].kernel_ns;
	for (size_t i = 0; i < n; i++) {
		if (bursts[i].count < LEAST_ROUNDS ||
			(double)bursts[i].kernel_ns < LEAST_SHARE * kernel_ns)
			continue;
		bytes += bursts[i].bytes;
		again_bytes += bursts[i].bytes - bursts[i].bytes / bursts[i].count;
		n_places++;
	}
	if (n_places < 2)
		return;
	copies->stream_bytes += bytes;
	copies->again_bytes += again_bytes;
}

static void measure_device(struct jr_check *c, size_t device, struct copies *copies)
{
	const struct jr_gpu_ops *t = &c->ctx->profile->gpu_ops;
	const struct jr_gpu_time *time = c->ctx->gpu;
	size_t first = time->first[device], end = time->first[device + 1];
	struct jr_spans kernels = kernels_of(c, device);
	struct jr_spans moved = {
		.items = JR_ARENA_N(c->ctx->scratch, struct jr_span, end - first + 1)};
	struct jr_spans pages = {
		.items = JR_ARENA_N(c->ctx->scratch, struct jr_span, end - first + 1)};
	double host_ns = -copies->kinds[HOST_TO_DEVICE].exposed_ns -
		copies->kinds[DEVICE_TO_HOST].exposed_ns;
	for (size_t i = first; i < end; i++) {
		uint32_t row = time->order[i];
		if (is_kernel(t, row))
			continue;
		add_copy(&copies->kinds[jr_gpu_move_kind(t, row)], t, row, &kernels);
		if (is_migration(jr_gpu_move_kind(t, row)))
			pages.items[pages.n++] =
				(struct jr_span){t->start_ns[row], t->start_ns[row] + t->dur_ns[row]};
		moved.items[moved.n++] =
			(struct jr_span){t->start_ns[row], t->start_ns[row] + t->dur_ns[row]};
	}
	jr_spans_unite_sorted(&moved, c->ctx->scratch);
	jr_spans_unite_sorted(&pages, c->ctx->scratch);
	copies->migrated_ns += (double)jr_spans_length(&pages);
	host_ns +=
		copies->kinds[HOST_TO_DEVICE].exposed_ns + copies->kinds[DEVICE_TO_HOST].exposed_ns;
	int64_t alone_ns = jr_spans_length(&time->devices[device]) - jr_spans_length(&moved);
	copies->beside_ns += fmin(host_ns, (double)alone_ns);
	find_stream(c, device, copies);
}

/* True if large copies are equally fast at all sizes: they run at the speed of the link. */
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

/* Return the kind of host memory with the most bytes; without sizes, with the most time. */
static enum jr_host_memory memory_of(const struct copied *sum)
{
	enum jr_host_memory most = JR_MEMORY_UNKNOWN;
	const int64_t *of = sum->n_sized ? sum->memory_bytes : sum->memory_ns;
	for (enum jr_host_memory m = JR_MEMORY_PAGEABLE; m < JR_HOST_MEMORIES; m++)
		if (of[m] > of[most])
			most = m;
	return most;
}

/* Return "50.95 GB at 27.7 GB/s", or "of unknown size". */
static const char *volume_text(struct jr_check *c, const struct copied *sum)
{
	double n = c->n_gpus > 1 ? (double)c->n_gpus : 1;
	if (sum->n_sized == 0)
		return "of unknown size";
	return jr_arena_printf(c->ctx->arena, "%s%s at %s", jr_check_bytes(c, (double)sum->bytes / n),
		n > 1 ? " per " JR_GPU : "",
		jr_check_rate(c, jr_ratio((double)sum->bytes, sum->sized_ns * 1e-9)));
}

/* Return " Pinned copies in this direction run at 25.0 GB/s, these at 4.00 GB/s.", for the same
 * profile. */
static const char *pinned_text(struct jr_check *c, const struct copied *sum)
{
	double pinned = jr_ratio((double)sum->memory_bytes[JR_MEMORY_PINNED],
		1e-9 * (double)sum->memory_ns[JR_MEMORY_PINNED]);
	double pageable = jr_ratio((double)sum->memory_bytes[JR_MEMORY_PAGEABLE],
		1e-9 * (double)sum->memory_ns[JR_MEMORY_PAGEABLE]);
	if (sum->memory_bytes[JR_MEMORY_PINNED] < LARGE_BYTES || !(pinned > pageable))
		return "";
	return jr_arena_printf(c->ctx->arena, EXPOSED_COPIES_WHY_FASTER, jr_check_rate(c, pinned),
		jr_check_rate(c, pageable));
}

/* Two parts of a text; "": none. */
struct texts {
	const char *why, *action;
};

/* Return the cause and advice for the kind of host memory. */
static struct texts memory_advice(struct jr_check *c, const struct copied *sum)
{
	switch (memory_of(sum)) {
	case JR_MEMORY_PINNED:
		return (struct texts){at_one_pace(sum) ? EXPOSED_COPIES_WHY_PACE
											   : EXPOSED_COPIES_WHY_PINNED, ""};
	case JR_MEMORY_PAGEABLE:
		return (struct texts){
			jr_arena_printf(c->ctx->arena, EXPOSED_COPIES_WHY_PAGEABLE, pinned_text(c, sum)),
			jr_arena_printf(c->ctx->arena, EXPOSED_COPIES_ACTION_PAGEABLE,
				jr_check_if_pytorch(c, ", in PyTorch pin_memory=True"),
				jr_check_if_pytorch(c, " (non_blocking=True)"))};
	case JR_MEMORY_MANAGED:
		return (struct texts){EXPOSED_COPIES_WHY_MANAGED, EXPOSED_COPIES_ACTION_MANAGED};
	default:
		return (struct texts){EXPOSED_COPIES_WHY_UNKNOWN, ""};
	}
}

/* Copies below this size take the minimum time of a copy, so their cost depends on their number. */
#define TINY_BYTES 65536

/* Add advice on copies of a kind; `also`: a label for kinds after the first. `said`: the last text
 * about host memory, which is not repeated. */
static void add_copy_advice(struct jr_check *c, size_t kind, const struct copied *sum,
	const char *also, const char **said)
{
	bool of_host = kind == HOST_TO_DEVICE || kind == DEVICE_TO_HOST;
	bool learning = jr_program_kind_of(c->ctx->profile, c->ctx->scratch).learning;
	struct texts memory = of_host ? memory_advice(c, sum) : (struct texts){"", ""};
	if (of_host && strcmp(memory.why, *said) == 0)
		memory = (struct texts){"", ""};
	else if (of_host)
		*said = memory.why;
	if (*memory.why)
		jr_check_why(c, "%s%s%s", also, *also ? " " : "", memory.why);
	jr_check_do(c, "%s", also);
	jr_check_do(c, "%s", memory.action);
	if (kind == JR_GPU_MEMSET_KIND) {
		jr_check_do(c, EXPOSED_COPIES_ACTION_MEMSET);
		return;
	}
	if (sum->n_sized && sum->bytes / sum->n_sized < TINY_BYTES)
		jr_check_do(c, EXPOSED_COPIES_ACTION_SMALL);
	if (kind == HOST_TO_DEVICE) {
		jr_check_do(c, EXPOSED_COPIES_ACTION_TO_DEVICE, learning ? ", such as weights," : "");
		if (jr_gpu_any_kernel(c->ctx->profile))
			jr_check_do(c, EXPOSED_COPIES_ACTION_EARLY);
	} else if (kind == DEVICE_TO_HOST) {
		jr_check_do(c, EXPOSED_COPIES_ACTION_TO_HOST);
	} else {
		jr_check_do(c, EXPOSED_COPIES_ACTION_WITHIN,
			jr_check_if_pytorch(c, " (in PyTorch .contiguous(), .clone(), cat)"));
	}
}

/* Return "host to device: 450 times (446 of them with pinned memory)". */
static const char *counts_text(struct jr_check *c, size_t kind, const struct copied *sum)
{
	enum jr_host_memory memory = memory_of(sum);
	const char *name = jr_gpu_move_name(kind);
	const char *pinned = "";
	if (memory != JR_MEMORY_UNKNOWN)
		pinned = sum->counts[memory] == sum->count
			? jr_arena_printf(c->ctx->arena, " (all with %s memory)", jr_host_memories[memory])
			: jr_arena_printf(c->ctx->arena, " (%s of them with %s memory)",
				  jr_check_count(c, (size_t)sum->counts[memory]), jr_host_memories[memory]);
	return jr_arena_printf(c->ctx->arena, EXPOSED_COPIES_EVIDENCE, name,
		jr_check_count(c, (size_t)sum->count), sum->count == 1 ? "" : "s", pinned);
}

/* Report how much copy time kernels can hide at most. */
static const char *overlap_text(struct jr_check *c, const struct copies *copies)
{
	return jr_arena_printf(c->ctx->arena, EXPOSED_COPIES_EVIDENCE_OVERLAP,
		jr_check_gpu_time(c, copies->beside_ns), c->n_gpus > 1 ? " per " JR_GPU : "");
}

/* Report weights, or other data kept in host memory, that are copied again for each use. */
static void tell_stream(struct jr_check *c, const struct copies *copies)
{
	const struct copied *sum = &copies->kinds[HOST_TO_DEVICE];
	bool learning = jr_program_kind_of(c->ctx->profile, c->ctx->scratch).learning;
	double again = jr_ratio((double)copies->again_bytes, (double)sum->bytes);
	jr_check_recoverable(c, again * sum->exposed_ns, sum->exposed_ns);
	jr_check_title(c, EXPOSED_COPIES_SUBJECT_STREAM, EXPOSED_COPIES_TITLE_STREAM,
		volume_text(c, sum), jr_check_of_wall(c, sum->exposed_ns));
	struct texts memory = memory_advice(c, sum);
	jr_check_why(c, EXPOSED_COPIES_WHY_STREAM, learning ? "weights" : "data");
	jr_check_why(c, "%s", memory.why);
	jr_check_do(c, EXPOSED_COPIES_ACTION_STREAM,
		learning ? EXPOSED_COPIES_ACTION_STREAM_LEARNS
				 : EXPOSED_COPIES_ACTION_STREAM_OTHER);
	jr_check_do(c, "%s", memory.action);
	jr_check_evidence(c, EXPOSED_COPIES_EVIDENCE_STREAM, jr_check_percent(c, again),
		jr_check_time(c, jr_ratio(sum->sized_ns, (double)sum->bytes) * 1e9));
}

/* A copy that is removed saves all of its time. The saving is limited to the kinds that the finding
 * gives advice on. */
static void tell_copies(struct jr_check *c, const struct copies *copies, double ns)
{
	struct jr_arena *arena = c->ctx->arena;
	double left_ns[N_KINDS], advised_ns = 0;
	const char *evidence = "", *said = "", *where = NULL;
	for (size_t i = 0; i < N_KINDS; i++)
		left_ns[i] = is_migration(i) ? 0 : copies->kinds[i].exposed_ns;
	for (size_t n = 0; n < N_KINDS; n++) {
		size_t kind = jr_check_largest(left_ns, N_KINDS);
		const struct copied *sum = &copies->kinds[kind];
		if (n && left_ns[kind] < ADVISED * ns)
			break;
		const char *name = jr_gpu_move_name(kind);
		if (n == 0)
			where = jr_arena_printf(arena, "%s %s: %s",
				sum->exposed_ns > ns / 2 ? "mostly" : "most in", name, volume_text(c, sum));
		add_copy_advice(
			c, kind, sum, n ? jr_arena_printf(arena, "For copies (%s):", name) : "", &said);
		evidence =
			jr_arena_printf(arena, "%s%s%s", evidence, n ? "; " : "", counts_text(c, kind, sum));
		advised_ns += left_ns[kind];
		left_ns[kind] = -1;
	}
	jr_check_recoverable(c, advised_ns, ns);
	jr_check_title(c,
		jr_gpu_any_kernel(c->ctx->profile) ? EXPOSED_COPIES_SUBJECT : "Copies",
		EXPOSED_COPIES_TITLE, jr_check_of_wall(c, ns), where);
	c->finding.evidence = copies->beside_ns > 0
		? jr_arena_printf(arena, "%s. %s.", evidence, overlap_text(c, copies))
		: jr_arena_printf(arena, "%s.", evidence);
}

static struct copies *measure(struct jr_check *c)
{
	struct copies *copies = JR_ARENA_NEW(c->ctx->scratch, struct copies);
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		if (c->ctx->gpu->devices[d].n)
			measure_device(c, d, copies);
	return copies;
}

static double exposed_migrations(const struct copies *copies)
{
	double ns = 0;
	for (size_t kind = MIGRATION; kind < JR_GPU_COPY_KINDS; kind++)
		ns += copies->kinds[kind].exposed_ns;
	return ns;
}

void jr_rule_exposed_copies(struct jr_check *c)
{
	if (!jr_gpu_any_kernel(c->ctx->profile) && jr_gpu_launch_calls(c->ctx->profile))
		return; /* kernels were not recorded */
	const struct copies *copies = measure(c);
	double ns = fmax(c->part_ns[JR_PART_COPY] - exposed_migrations(copies), 0);
	if (!jr_check_fires(c, jr_ratio(ns, c->wall_ns)))
		return;
	const struct copied *to_device = &copies->kinds[HOST_TO_DEVICE];
	if (to_device->exposed_ns > ns / 2 && copies->stream_bytes > to_device->bytes / 2)
		tell_stream(c, copies);
	else
		tell_copies(c, copies, ns);
}

static bool is_prefetch(const char *call)
{
	return strstr(call, "MemPrefetch") != NULL;
}

static bool prefetches(const struct jr_profile *p, struct jr_arena *scratch)
{
	uint8_t *known = JR_ARENA_N(scratch, uint8_t, p->strings.n + 1);
	for (size_t i = 0; i < p->api_calls.n; i++)
		if (jr_name_is(p, known, p->api_calls.name[i], is_prefetch))
			return true;
	return false;
}

/* Kernels wait for the pages that they touch, so migrations also cost time while kernels run. */
void jr_rule_page_migrations(struct jr_check *c)
{
	struct jr_arena *arena = c->ctx->arena;
	const struct copies *copies = measure(c);
	struct copied all = {0};
	const char *parts = "";
	for (size_t kind = MIGRATION; kind < JR_GPU_COPY_KINDS; kind++) {
		const struct copied *sum = &copies->kinds[kind];
		if (sum->count == 0)
			continue;
		all.count += sum->count;
		all.bytes += sum->bytes;
		all.n_sized += sum->n_sized;
		all.sized_ns += sum->sized_ns;
		all.dur_ns += sum->dur_ns;
		parts = jr_arena_printf(arena, PAGE_MIGRATIONS_EVIDENCE_KIND, parts,
			*parts ? "; " : "", strchr(jr_gpu_copy_kinds[kind], ',') + 2,
			jr_check_count(c, (size_t)sum->count),
			sum->n_sized ? jr_check_bytes(c, (double)sum->bytes / (double)sum->n_sized)
						 : "unknown size");
	}
	if (!jr_check_fires(c, jr_ratio(copies->migrated_ns, c->wall_ns)) || all.count == 0)
		return;
	jr_check_recoverable(c, copies->migrated_ns, c->wall_ns);
	jr_check_title(c, PAGE_MIGRATIONS_SUBJECT,
		PAGE_MIGRATIONS_TITLE, jr_check_of_wall(c, copies->migrated_ns), volume_text(c, &all));
	if (prefetches(c->ctx->profile, c->ctx->scratch)) {
		jr_check_why(c, PAGE_MIGRATIONS_WHY_PREFETCHED);
		jr_check_do(c, PAGE_MIGRATIONS_ACTION_PREFETCHED);
	} else {
		jr_check_why(c, PAGE_MIGRATIONS_WHY);
		jr_check_do(c, PAGE_MIGRATIONS_ACTION_PREFETCH);
	}
	jr_check_do(c, PAGE_MIGRATIONS_ACTION);
	jr_check_evidence(c, PAGE_MIGRATIONS_EVIDENCE, parts,
		jr_check_percent(c, jr_ratio(exposed_migrations(copies), all.dur_ns)));
}
