/*
 * truth_export.c - expected numbers for an export of a program without XLA: the program's ranges,
 * kernels and copies, how busy devices were, how much NCCL was overlapped, and delays in gaps.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "truth_frames.h"

enum { COMPUTE, NCCL, COPY, N_PARTS };

/* One operation on a device. */
struct op {
	int64_t start_ns, end_ns;          /* on the device's clock */
	int64_t call_ns, returned_ns;      /* start and end of the call, on the host's */
	const struct gen_range *range;
	int part;
};

typedef JR_VEC(struct op) op_vec;

static int part_of(enum gen_launch launch)
{
	return launch == GEN_LAUNCH_KERNEL ? COMPUTE : launch == GEN_LAUNCH_NCCL ? NCCL : COPY;
}

JR_ORDER(by_start, struct op, JR_UP(start_ns))

/* A call is in the middle of the range around it (write_sqlite.c). */
static int64_t call_begin(const struct gen_range *r)
{
	return r->host_start_ns + r->host_dur_ns / 4;
}

static int64_t call_end(const struct gen_range *r)
{
	return r->host_start_ns + r->host_dur_ns - r->host_dur_ns / 4;
}

static void list_ops(const struct gen_truth *t, uint32_t device, op_vec *ops)
{
	for (size_t i = 0; i < t->sc->ranges.n; i++) {
		const struct gen_range *r = &t->sc->ranges.items[i];
		if (r->kind != GEN_RANGE_LAUNCH || !r->gpu_ops || r->device != device)
			continue;
		int64_t start = r->gpu_start_ns + t->sc->devices.items[device].offset_ns;
		*jr_vec_add(ops) = (struct op){.start_ns = start,
			.end_ns = start + r->gpu_dur_ns,
			.call_ns = call_begin(r),
			.returned_ns = call_end(r),
			.range = r,
			.part = part_of(r->launch)};
	}
	if (ops->n)
		qsort(ops->items, ops->n, sizeof(*ops->items), by_start);
}

/* Time within [from, to) in which an operation of the parts up to `part` ran. */
static int64_t busy_within(const op_vec *ops, int part, int64_t from, int64_t to)
{
	int64_t sum = 0, until = from;
	for (size_t i = 0; i < ops->n; i++) {
		const struct op *op = &ops->items[i];
		int64_t start = op->start_ns > until ? op->start_ns : until;
		int64_t end = op->end_ns < to ? op->end_ns : to;
		if (op->part > part || end <= start)
			continue;
		sum += end - start;
		until = end;
	}
	return sum;
}

static int64_t last_end(const op_vec *ops)
{
	int64_t end = INT64_MIN;
	for (size_t i = 0; i < ops->n; i++)
		end = ops->items[i].end_ns > end ? ops->items[i].end_ns : end;
	return end;
}

/* --- ranges ---------------------------------------------------------------------------------- */

/* The span of a range's launches. For start/end ranges these are the ones that its thread made
 * meanwhile; for others, the ones put below it. */
static uint32_t project(
	const struct gen_truth *t, const struct gen_range *range, int64_t *start, int64_t *end)
{
	*start = range->gpu_start_ns;
	*end = range->gpu_start_ns + range->gpu_dur_ns;
	if (range->style != GEN_START_END)
		return range->gpu_ops;
	uint32_t n = 0;
	for (size_t i = 0; i < t->sc->ranges.n; i++) {
		const struct gen_range *r = &t->sc->ranges.items[i];
		if (r->kind != GEN_RANGE_LAUNCH || !r->gpu_ops || r->process != range->process ||
			r->tid != range->tid || r->host_start_ns < range->host_start_ns ||
			r->host_start_ns + r->host_dur_ns > range->host_start_ns + range->host_dur_ns)
			continue;
		int64_t op_end = r->gpu_start_ns + r->gpu_dur_ns;
		*start = n && *start < r->gpu_start_ns ? *start : r->gpu_start_ns;
		*end = n && *end > op_end ? *end : op_end;
		n++;
	}
	return n;
}

struct sum {
	const struct gen_range *first;
	int64_t count, host_ns, n_ops, gpu_ns, idle_ns;
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static struct sum *find_sum(struct sum *sums, size_t *n, const struct gen_range *r)
{
	for (size_t i = 0; i < *n; i++) {
		const struct gen_range *known = sums[i].first;
		if (known->style == r->style && same_text(known->domain, r->domain) &&
			same_text(known->category, r->category) && same_text(known->name, r->name))
			return &sums[i];
	}
	sums[*n].first = r;
	return &sums[(*n)++];
}

static void text_or_null(struct gen_json *j, const char *key, const char *text)
{
	if (text && *text)
		gen_json_text(j, key, text);
	else
		gen_json_null(j, key);
}

static void ms_or_null(struct gen_json *j, const char *key, int64_t ns, bool known)
{
	if (known)
		gen_json_ms(j, key, ns);
	else
		gen_json_null(j, key);
}

static void nvtx_row(struct gen_json *j, const struct sum *sum)
{
	static const char *const kinds[] = {
		[GEN_PUSH_POP] = "range", [GEN_START_END] = "start/end", [GEN_MARK] = "mark"};
	gen_json_open(j, NULL, '{');
	text_or_null(j, "domain", sum->first->domain);
	text_or_null(j, "category", sum->first->category);
	gen_json_text(j, "name", sum->first->name);
	gen_json_text(j, "kind", kinds[sum->first->style]);
	gen_json_i64(j, "count", sum->count);
	ms_or_null(j, "host_ms", sum->host_ns, sum->first->style != GEN_MARK);
	if (sum->n_ops)
		gen_json_i64(j, "operations", sum->n_ops);
	else
		gen_json_null(j, "operations");
	ms_or_null(j, "gpu_ms", sum->gpu_ns, sum->n_ops);
	ms_or_null(j, "gpu_idle_ms", sum->idle_ns, sum->n_ops);
	gen_json_close(j, '}');
}

static void nvtx(struct gen_truth *t, const op_vec *ops)
{
	struct gen_scenario *sc = t->sc;
	struct sum *sums = JR_ARENA_N(&sc->arena, struct sum, sc->ranges.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *r = &sc->ranges.items[i];
		if (r->kind != GEN_RANGE_USER)
			continue;
		struct sum *sum = find_sum(sums, &n, r);
		int64_t start, end, offset = sc->devices.items[r->device].offset_ns;
		uint32_t n_ops = project(t, r, &start, &end);
		sum->count++;
		sum->host_ns += r->host_dur_ns;
		if (!n_ops)
			continue;
		sum->n_ops += n_ops;
		sum->gpu_ns += end - start;
		sum->idle_ns += end - start -
			busy_within(&ops[r->device], N_PARTS, start + offset, end + offset);
	}
	gen_json_open(&t->json, "nvtx", '[');
	for (size_t i = 0; i < n; i++)
		nvtx_row(&t->json, &sums[i]);
	gen_json_close(&t->json, ']');
}

/* --- devices --------------------------------------------------------------------------------- */

static void ledger(struct gen_truth *t, const op_vec *ops)
{
	static const char *const keys[] = {"compute_ms", "exposed_communication_ms", "exposed_copy_ms"};
	struct gen_json *j = &t->json;
	gen_json_open(j, "gpu", '{');
	gen_json_open(j, "ledger", '[');
	for (size_t d = 0; d < t->sc->devices.n; d++) {
		int64_t first = ops[d].items[0].start_ns, last = last_end(&ops[d]), before = 0;
		gen_json_open(j, NULL, '{');
		gen_json_i64(j, "device", t->sc->devices.items[d].global);
		gen_json_i64(j, "operations", (int64_t)ops[d].n);
		for (int part = 0; part < N_PARTS; part++) {
			int64_t so_far = busy_within(&ops[d], part, first, last);
			gen_json_ms(j, keys[part], so_far - before);
			before = so_far;
		}
		gen_json_ms(j, "idle_ms", last - first - before);
		gen_json_ms(j, "wall_ms", last - first);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
	gen_json_close(j, '}');
}

/* --- gaps ------------------------------------------------------------------------------------ */

enum { HOST, LAUNCH, DEVICE, N_CAUSES };
static const char *const causes[N_CAUSES] = {"host-bound", "launch-bound", "device-bound"};

/* Idle time by the activity of the launching thread. */
struct doing {
	int cause;
	const char *call;
	int64_t count, gaps_ns, sum_ns;
};

typedef JR_VEC(struct doing) doing_vec;

static struct doing *doing_of(doing_vec *list, int cause, const char *call)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].cause == cause && strcmp(list->items[i].call, call) == 0)
			return &list->items[i];
	*jr_vec_add(list) = (struct doing){.cause = cause, .call = call};
	return &list->items[list->n - 1];
}

/* The name without its interface version. */
static const char *call_name(const struct gen_truth *t, const struct gen_range *r)
{
	if (r->launch == GEN_LAUNCH_KERNEL)
		return t->sc->options.graphs ? "cudaGraphLaunch" : "cudaLaunchKernel";
	if (r->launch == GEN_LAUNCH_NCCL)
		return "cudaLaunchKernel";
	const char *version = strstr(r->name, "_v3020");
	return version && !version[6] ? gen_text(t->sc, "%.*s", (int)(version - r->name), r->name)
								  : r->name;
}

/* The thread's calls from the start of a gap until it launched, from a scan over all calls. */
static void add_late(struct gen_truth *t, doing_vec *list, const struct op *op, int64_t from_ns)
{
	const struct gen_range *began = NULL;
	int64_t to_ns = op->call_ns < op->start_ns ? op->call_ns : op->start_ns, within_ns = 0;
	for (size_t i = 0; i < t->sc->ranges.n; i++) {
		const struct gen_range *r = &t->sc->ranges.items[i];
		if (r->kind != GEN_RANGE_LAUNCH || r->tid != op->range->tid ||
			r->process != op->range->process)
			continue;
		int64_t begin = call_begin(r), end = call_end(r);
		if (begin <= from_ns && from_ns < end)
			began = r;
		begin = begin > from_ns ? begin : from_ns;
		end = end < to_ns ? end : to_ns;
		if (begin >= end)
			continue;
		doing_of(list, HOST, call_name(t, r))->sum_ns += end - begin;
		within_ns += end - begin;
	}
	struct doing *at = doing_of(list, HOST, began ? call_name(t, began) : "(outside of CUDA)");
	at->count++;
	at->gaps_ns += op->start_ns - from_ns;
	doing_of(list, HOST, "(outside of CUDA)")->sum_ns += to_ns - from_ns - within_ns;
	doing_of(list, HOST, "(launching)")->sum_ns += op->start_ns - to_ns;
}

static void add_gap(struct gen_truth *t, doing_vec *list, const struct op *op, int64_t from_ns,
	struct doing *sums)
{
	int cause = op->call_ns > from_ns ? HOST : op->returned_ns > from_ns ? LAUNCH : DEVICE;
	int64_t ns = op->start_ns - from_ns;
	sums[cause].count++;
	sums[cause].sum_ns += ns;
	if (cause == HOST) {
		add_late(t, list, op, from_ns);
		return;
	}
	struct doing *doing = doing_of(list, cause, call_name(t, op->range));
	doing->count++;
	doing->gaps_ns += ns;
	doing->sum_ns += ns;
}

static void cause_rows(struct gen_truth *t, uint32_t device, const struct doing *sums)
{
	struct gen_json *j = &t->json;
	for (int k = 0; k < N_CAUSES; k++) {
		if (!sums[k].count)
			continue;
		gen_json_open(j, NULL, '{');
		gen_json_i64(j, "device", t->sc->devices.items[device].global);
		gen_json_text(j, "cause", causes[k]);
		gen_json_i64(j, "count", sums[k].count);
		gen_json_ms(j, "sum_ms", sums[k].sum_ns);
		gen_json_close(j, '}');
	}
}

static void call_rows(struct gen_json *j, const doing_vec *list)
{
	gen_json_open(j, "calls", '[');
	for (size_t i = 0; i < list->n; i++) {
		const struct doing *doing = &list->items[i];
		if (doing->count + doing->sum_ns == 0)
			continue;
		gen_json_open(j, NULL, '{');
		gen_json_text(j, "cause", causes[doing->cause]);
		gen_json_text(j, "call", doing->call);
		gen_json_i64(j, "count", doing->count);
		gen_json_ms(j, "gaps_ms", doing->gaps_ns);
		gen_json_ms(j, "sum_ms", doing->sum_ns);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
}

static void gaps(struct gen_truth *t, const op_vec *ops)
{
	struct gen_json *j = &t->json;
	doing_vec list = {0};
	gen_json_open(j, "gaps", '{');
	gen_json_open(j, "causes", '[');
	for (uint32_t d = 0; d < t->sc->devices.n; d++) {
		struct doing sums[N_CAUSES] = {0};
		int64_t until = ops[d].items[0].start_ns;
		for (size_t i = 0; i < ops[d].n; i++) {
			const struct op *op = &ops[d].items[i];
			if (op->start_ns > until)
				add_gap(t, &list, op, until, sums);
			until = op->end_ns > until ? op->end_ns : until;
		}
		cause_rows(t, d, sums);
	}
	gen_json_close(j, ']');
	call_rows(j, &list);
	gen_json_close(j, '}');
	jr_vec_done(&list);
}

static void launches(struct gen_truth *t, const op_vec *ops)
{
	static const char *const kinds[] = {"kernel", "copy", "memset"};
	struct gen_json *j = &t->json;
	gen_json_open(j, "launch", '{');
	gen_json_open(j, "latency", '[');
	for (size_t d = 0; d < t->sc->devices.n; d++) {
		int64_t count[3] = {0}, sum[3] = {0}, least[3] = {INT64_MAX, INT64_MAX, INT64_MAX},
				most[3] = {0};
		for (size_t i = 0; i < ops[d].n; i++) {
			const struct op *op = &ops[d].items[i];
			int k = op->part != COPY ? 0 : op->range->launch == GEN_LAUNCH_MEMSET ? 2 : 1;
			/* if clocks disagree, the start is not before the launch */
			int64_t ns = op->start_ns > op->call_ns ? op->start_ns - op->call_ns : 0;
			count[k]++;
			sum[k] += ns;
			least[k] = ns < least[k] ? ns : least[k];
			most[k] = ns > most[k] ? ns : most[k];
		}
		for (int k = 0; k < 3; k++) {
			gen_json_open(j, NULL, '{');
			gen_json_i64(j, "device", t->sc->devices.items[d].global);
			gen_json_text(j, "kind", kinds[k]);
			gen_json_i64(j, "count", count[k]);
			gen_json_ms(j, "min_ms", least[k]);
			gen_json_ms(j, "max_ms", most[k]);
			gen_json_f64(j, "mean_ms", 1e-6 * (double)sum[k] / (double)count[k]);
			gen_json_close(j, '}');
		}
	}
	gen_json_close(j, ']');
	gen_json_close(j, '}');
}

/* --- operations by name ---------------------------------------------------------------------- */

struct named {
	const char *name;
	const char *memory; /* kind of host memory that a copy reads or writes, or NULL */
	int part;
	int64_t count, sum_ns, hidden_ns, bytes;
};

static const char *name_of(const struct op *op)
{
	static const char *const copies[] = {[GEN_LAUNCH_TO_DEVICE] = "host to device",
		[GEN_LAUNCH_PINNED_TO_DEVICE] = "host to device",
		[GEN_LAUNCH_TO_HOST] = "device to host",
		[GEN_LAUNCH_MEMSET] = "memset"};
	return op->part == COPY ? copies[op->range->launch] : op->range->name;
}

static const char *memory_of(const struct op *op)
{
	if (op->part != COPY || op->range->launch == GEN_LAUNCH_MEMSET)
		return NULL;
	return op->range->launch == GEN_LAUNCH_PINNED_TO_DEVICE ? "pinned" : "pageable";
}

static bool is_sum_of(const struct named *sum, const struct op *op)
{
	const char *memory = memory_of(op);
	return strcmp(sum->name, name_of(op)) == 0 &&
		(memory ? sum->memory && strcmp(sum->memory, memory) == 0 : !sum->memory);
}

static size_t sum_names(const struct gen_truth *t, const op_vec *ops, struct named *sums)
{
	size_t n = 0;
	for (size_t d = 0; d < t->sc->devices.n; d++) {
		for (size_t i = 0; i < ops[d].n; i++) {
			const struct op *op = &ops[d].items[i];
			size_t k = 0;
			while (k < n && !is_sum_of(&sums[k], op))
				k++;
			if (k == n)
				sums[n++] = (struct named){
					.name = name_of(op), .memory = memory_of(op), .part = op->part};
			sums[k].count++;
			sums[k].sum_ns += op->end_ns - op->start_ns;
			sums[k].hidden_ns += busy_within(&ops[d], COMPUTE, op->start_ns, op->end_ns);
			sums[k].bytes += (int64_t)op->range->bytes;
		}
	}
	return n;
}

static void named_row(struct gen_json *j, const char *key, const struct named *sum)
{
	gen_json_open(j, NULL, '{');
	gen_json_text(j, key, sum->name);
	gen_json_i64(j, "count", sum->count);
	gen_json_ms(j, "sum_ms", sum->sum_ns);
}

static void operations(struct gen_truth *t, const op_vec *ops)
{
	struct gen_json *j = &t->json;
	struct named *sums = JR_ARENA_N(&t->sc->arena, struct named, t->sc->ranges.n + 1);
	struct named all = {.name = "all"};
	size_t n = sum_names(t, ops, sums);
	gen_json_open(j, "kernels", '[');
	for (size_t k = 0; k < n; k++) {
		if (sums[k].part == COPY)
			continue;
		named_row(j, "short_name", &sums[k]);
		gen_json_text(j, "name", gen_text(t->sc, "%s(float*)", sums[k].name));
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
	gen_json_open(j, "copies", '[');
	for (size_t k = 0; k < n; k++) {
		if (sums[k].part != COPY)
			continue;
		named_row(j, "kind", &sums[k]);
		if (sums[k].memory)
			gen_json_text(j, "memory", sums[k].memory);
		else
			gen_json_null(j, "memory");
		gen_json_i64(j, "bytes", sums[k].bytes);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
	gen_json_open(j, "nccl_overlap", '[');
	for (size_t k = 0; k <= n; k++) {
		if (k < n && sums[k].part != NCCL)
			continue;
		if (k < n) {
			all.count += sums[k].count;
			all.sum_ns += sums[k].sum_ns;
			all.hidden_ns += sums[k].hidden_ns;
		}
		const struct named *row = k < n ? &sums[k] : &all;
		named_row(j, "name", row);
		gen_json_ms(j, "hidden_ms", row->hidden_ns);
		gen_json_ms(j, "exposed_ms", row->sum_ns - row->hidden_ns);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
}

void gen_truth_export(struct gen_truth *t)
{
	size_t n = t->sc->devices.n;
	op_vec *ops = JR_ARENA_N(&t->sc->arena, op_vec, n);
	for (uint32_t d = 0; d < n; d++)
		list_ops(t, d, &ops[d]);
	ledger(t, ops);
	gaps(t, ops);
	launches(t, ops);
	operations(t, ops);
	nvtx(t, ops);
	for (size_t d = 0; d < n; d++)
		jr_vec_done(&ops[d]);
}
