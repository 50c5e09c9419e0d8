/* Rules about gaps on GPUs of programs without XLA: one rule per cause, each with advice for the
 * largest parts of the time. */
#include <string.h>

#include "analysis/findings/findings.h"
#include "analysis/gpu/gaps.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/core/program_kind.h"
#include "analysis/core/terms.h"
#include "analysis/core/vendor.h"
#include "analysis/gpu/gpu_tables.h"

/* --- table values of one cause ---------------------------------------------------------------- */

struct cause {
	const char *name;
	int64_t count, sum_ns;
	const char *call;      /* call with the most time; NULL: not known */
	int64_t call_ns, call_count;
	int64_t n_long, long_ns; /* gaps of JR_GAP_LONG_NS and more */
	/* host-bound: activity of the launching thread */
	int64_t outside_ns, launching_ns, allocating_ns, waited_ns;
	int64_t waiting_ns, waiting_count; /* gaps that began while it waited for a GPU */
	int64_t short_waiting_ns;          /* ... without the long ones */
	const char *waits; /* call in which most of these gaps began */
	int64_t waits_ns;
	bool but_first_use; /* gaps of first use are excluded */
};

static int64_t cell_i64(const struct jr_table *t, const char *key, size_t row)
{
	return t->cells[jr_table_column(t, key)].i64[row];
}

/* True for calls that allocate or free device memory or pinned host memory. */
static bool allocates(const char *call)
{
	static const char *const words[] = {"Malloc", "Alloc", "Free", "HostRegister", "MemCreate",
		"MemMap", "MemUnmap", "MemRelease", "HostUnregister"};
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		if (strstr(call, words[i]))
			return true;
	return false;
}

/* Return the row of gap_first_use with the same cause and call as a row of gap_calls; SIZE_MAX:
 * none. */
static size_t first_use_row(const struct jr_table *calls, size_t row, const struct jr_table *first)
{
	for (size_t i = 0; first && i < first->n_rows; i++)
		if (strcmp(jr_table_text(first, JR_KEY(JR_GAP_CALLS, cause), i),
				jr_table_text(calls, JR_KEY(JR_GAP_CALLS, cause), row)) == 0 &&
			strcmp(jr_table_text(first, JR_KEY(JR_GAP_CALLS, call), i),
				jr_table_text(calls, JR_KEY(JR_GAP_CALLS, call), row)) == 0)
			return i;
	return SIZE_MAX;
}

/* Row of gap_calls minus gaps of first use, which another finding reports. */
struct net {
	const struct jr_table *calls, *first;
	size_t row, first_row;
};

static int64_t net_i64(const struct net *net, const char *key)
{
	int64_t taken =
		net->first_row == SIZE_MAX ? 0 : cell_i64(net->first, key, net->first_row);
	return cell_i64(net->calls, key, net->row) - taken;
}

static void add_call(struct cause *cause, const struct net *net, const char *no_call)
{
	const char *call = jr_table_text(net->calls, JR_KEY(JR_GAP_CALLS, call), net->row);
	int64_t ns = net_i64(net, JR_KEY(JR_GAP_CALLS, sum_ms)),
			gaps_ns = net_i64(net, JR_KEY(JR_GAP_CALLS, gaps_ms));
	int64_t long_ns = net_i64(net, JR_KEY(JR_GAP_CALLS, long_ms)),
			count = net_i64(net, JR_KEY(JR_GAP_CALLS, count));
	cause->count += count;
	cause->sum_ns += ns;
	cause->n_long += net_i64(net, JR_KEY(JR_GAP_CALLS, long_count));
	cause->long_ns += long_ns;
	if (strcmp(call, no_call) == 0) {
		cause->outside_ns = ns;
		return;
	}
	if (strcmp(call, JR_GAP_LAUNCHING) == 0) {
		cause->launching_ns = ns;
		return;
	}
	if (!cause->call || ns > cause->call_ns) {
		cause->call = call;
		cause->call_ns = ns;
		cause->call_count = count;
	}
	cause->allocating_ns += allocates(call) ? ns : 0;
	if (!jr_call_waits(call))
		return;
	cause->waited_ns += ns;
	cause->waiting_ns += gaps_ns;
	cause->short_waiting_ns += gaps_ns - long_ns;
	cause->waiting_count += count;
	if (gaps_ns > cause->waits_ns) {
		cause->waits = call;
		cause->waits_ns = gaps_ns;
	}
}

/* Add up the idle time at the first use of code, over all devices and causes. */
static struct cause sum_first_use(struct jr_check *c)
{
	const struct jr_table *first = jr_results_table(c->ctx->results, "gap_first_use");
	struct cause sum = {0};
	for (size_t row = 0; first && row < first->n_rows; row++) {
		const char *call = jr_table_text(first, JR_KEY(JR_GAP_CALLS, call), row);
		int64_t ns = cell_i64(first, JR_KEY(JR_GAP_CALLS, sum_ms), row);
		sum.count += cell_i64(first, JR_KEY(JR_GAP_CALLS, count), row);
		sum.sum_ns += ns;
		sum.launching_ns += strcmp(call, JR_GAP_LAUNCHING) == 0 ||
									strcmp(jr_table_text(first, JR_KEY(JR_GAP_CALLS, cause), row),
										jr_gap_causes[JR_GAP_LAUNCH]) == 0
								? ns
								: 0;
		if (jr_call_loads(call) && ns > sum.call_ns) {
			sum.call = call;
			sum.call_ns = ns;
		}
	}
	return sum;
}

/* True if a separate finding reports first use; other findings then exclude it. */
static bool first_use_told(struct jr_check *c, const struct cause *first)
{
	return jr_ratio((double)first->sum_ns, c->wall_ns) >= c->rule->threshold;
}

static struct cause sum_cause(struct jr_check *c, enum jr_gap_cause which)
{
	const struct jr_table *calls = jr_results_table(c->ctx->results, "gap_calls");
	const struct jr_table *first = jr_results_table(c->ctx->results, "gap_first_use");
	const char *no_call =
		jr_vendor_words(jr_vendor_of(c->ctx->profile), JR_GAP_NO_CALL, c->ctx->scratch);
	struct cause cause = {.name = jr_gap_causes[which]}, first_use = sum_first_use(c);
	cause.but_first_use = first_use.count && first_use_told(c, &first_use);
	for (size_t row = 0; calls && row < calls->n_rows; row++) {
		if (strcmp(jr_table_text(calls, JR_KEY(JR_GAP_CALLS, cause), row), cause.name) != 0)
			continue;
		struct net net = {calls, first, row,
			cause.but_first_use ? first_use_row(calls, row, first) : SIZE_MAX};
		add_call(&cause, &net, no_call);
	}
	return cause;
}

/* Return "1,339 gaps of 22.28 µs on average; the longest, 2.559 ms, ends at “gemm” on device 0".
 * The table is sorted by length. */
static const char *gaps_text(struct jr_check *c, const struct cause *cause)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "gap_largest");
	struct jr_arena *arena = c->ctx->arena;
	const char *text = cause->count == 1 ? "1 gap"
		: jr_arena_printf(arena, "%s gaps%s of %s on average",
			  jr_check_count(c, (size_t)cause->count), c->n_gpus > 1 ? " on all " JR_GPU "s" : "",
			  jr_check_time(c, (double)cause->sum_ns / (double)cause->count));
	if (cause->n_long && cause->n_long < cause->count)
		text = jr_arena_printf(arena, "%s, %s of them of " JR_GAP_LONG " or more (%s in total)",
			text, jr_check_count(c, (size_t)cause->n_long),
			jr_check_time(c, (double)cause->long_ns));
	for (size_t row = 0; t && row < t->n_rows; row++) {
		if (strcmp(jr_table_text(t, JR_KEY(JR_GAP_LARGEST, cause), row), cause->name) != 0)
			continue;
		if (cause->but_first_use && t->cells[JR_GAP_LARGEST_first_use].boolean[row] == 1)
			continue;
		const char *range = t->cells[JR_GAP_LARGEST_range].text[row];
		return jr_arena_printf(arena, "%s; the longest, %s, ends at %s%s%s on device %s", text,
			jr_check_time(c, (double)cell_i64(t, JR_KEY(JR_GAP_LARGEST, dur_ms), row)),
			jr_check_name(c, jr_table_text(t, JR_KEY(JR_GAP_LARGEST, after), row)),
			range ? ", launched in " : "", range ? jr_check_name(c, range) : "",
			jr_check_count(c, (size_t)cell_i64(t, JR_KEY(JR_GAP_LARGEST, device), row)));
	}
	return text;
}

/* Return true if the rule has a finding. Its potential saving is limited to the idle time. */
static bool fires(struct jr_check *c, const struct cause *cause)
{
	if (!jr_check_fires(c, jr_ratio((double)cause->sum_ns, c->wall_ns)) || !cause->count)
		return false;
	jr_check_recoverable(c, (double)cause->sum_ns, c->part_ns[JR_PART_IDLE_BETWEEN]);
	return true;
}

static const char *gpus(const struct jr_check *c, const char *one, const char *several)
{
	return c->ctx->profile->n_devices == 1 ? one : several;
}

/* --- host-bound gaps -------------------------------------------------------------------------- */

#define TORCH_GRAPHS ", in PyTorch torch.compile(mode=\"reduce-overhead\")"

#define SHORT_GAPS "In gaps shorter than " JR_GAP_LONG

/* True if most of the time in the longest gaps ends in copies to the device, or the program reads
 * input. */
static bool waits_for_input(const struct jr_check *c, struct jr_program_kind kind)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "gap_largest");
	int64_t all_ns = 0, copies_ns = 0;
	for (size_t row = 0; t && row < t->n_rows; row++) {
		int64_t ns = cell_i64(t, JR_KEY(JR_GAP_LARGEST, dur_ms), row);
		if (ns < JR_GAP_LONG_NS || t->cells[JR_GAP_LARGEST_first_use].boolean[row] == 1 ||
			strcmp(jr_table_text(t, JR_KEY(JR_GAP_LARGEST, cause), row),
				jr_gap_causes[JR_GAP_HOST]) != 0)
			continue;
		all_ns += ns;
		copies_ns +=
			strcmp(jr_table_text(t, JR_KEY(JR_GAP_LARGEST, after), row), "host to device") == 0 ? ns
																								: 0;
	}
	return kind.loader || copies_ns > all_ns / 2;
}

static const char *input_advice(struct jr_check *c)
{
	struct jr_program_kind kind = jr_program_kind_of(c->ctx->profile, c->ctx->scratch);
	if (!waits_for_input(c, kind))
		return "";
	return kind.pytorch ? " Most of it ends in input copies or lies in ranges that read input: "
						  "load input in worker processes, one batch ahead, into pinned memory "
						  "(DataLoader(num_workers=..., pin_memory=True))."
		: kind.learning ? " Most of it ends in input copies or lies in ranges that read input: "
			"load input one batch ahead, into pinned memory."
						: " Most of it ends in copies to the " JR_GPU ": prepare the data while "
							"the " JR_GPU " works on the previous data.";
}

static const char *long_advice(struct jr_check *c, const struct cause *cause)
{
	if (cause->launching_ns > cause->outside_ns && cause->launching_ns > cause->waited_ns)
		return "the launch call itself took long. Check what the call waits for: a lock, memory "
			"allocation, or code loading.";
	if (cause->waited_ns > cause->outside_ns)
		return "the host waited for a " JR_GPU " before it launched: wait later or in a separate "
			"thread, and launch further ahead.";
	return jr_arena_printf(c->ctx->arena,
		"the launching thread did other work outside " JR_CUDA ": do that work earlier or in "
		"another thread, while the " JR_GPU " is busy. %s around it show what it is.%s",
		c->ctx->profile->by_jax_profiler
			? "Annotations" JR_OF_JAX(" (jax.profiler.TraceAnnotation)")
			: "NVTX ranges",
		input_advice(c));
}

/* Return advice for the largest part of the time, and for others of at least a quarter, largest
 * first. */
static const char *host_advice(struct jr_check *c, const struct cause *cause)
{
	struct advice {
		int64_t ns;
		const char *first, *then; /* label of the gaps, as the first part and as a later part */
		const char *what;
	} parts[] = {{cause->long_ns, "In gaps of " JR_GAP_LONG " or more", "In longer ones",
					 long_advice(c, cause)},
		{cause->short_waiting_ns, SHORT_GAPS, "In shorter ones",
			"the host waited for the " JR_GPU " before it launched: do not wait between launches, "
			"because a stream keeps their order."},
		{cause->sum_ns - cause->long_ns - cause->short_waiting_ns, SHORT_GAPS, "In shorter ones",
			jr_arena_printf(c->ctx->arena,
				"the host launches kernels more slowly than the " JR_GPU " runs them: launch less "
				"often ("
				JR_GRAPH "s%s; fused kernels), and do less between launches.",
				jr_check_if_pytorch(c, TORCH_GRAPHS))}};
	static const char lead[] =
		JR_ON_GPU("The next operation had not been launched when the " JR_GPU " became idle.");
	if ((double)cause->allocating_ns > (double)cause->sum_ns / 2)
		return jr_arena_printf(c->ctx->arena,
			"%s "
			JR_ON_NVIDIA("The host was allocating or freeing memory, and cudaFree also waits for "
				"the " JR_GPU ". ")
			JR_ON_NVIDIA("Allocate once and reuse the memory, or use a pool (cudaMallocAsync%s)."),
			lead, jr_check_if_pytorch(c, ", the caching allocator of PyTorch"));
	const char *text = lead;
	for (size_t n = 0; n < JR_COUNT_OF(parts); n++) {
		struct advice *most = &parts[0];
		for (size_t i = 1; i < JR_COUNT_OF(parts); i++)
			most = parts[i].ns > most->ns ? &parts[i] : most;
		if (n && (double)most->ns < (double)cause->sum_ns / 4)
			break;
		text = jr_arena_printf(
			c->ctx->arena, "%s %s %s", text, n ? most->then : most->first, most->what);
		most->ns = -1;
	}
	return text;
}

/* Return " 1,310 of them began while the host waited in “cudaDeviceSynchronize”." */
static const char *begun_text(struct jr_check *c, const struct cause *cause)
{
	if (!cause->waits)
		return "";
	return jr_arena_printf(c->ctx->arena, " %s began while the host waited%s in %s.",
		jr_check_count(c, (size_t)cause->waiting_count),
		cause->waits_ns == cause->waiting_ns ? "" : ", mostly",
		jr_check_name(c, cause->waits));
}

/* Return " Of this time, 16.31 ms passed outside CUDA, 2.933 ms in “cudaDeviceSynchronize”,
 * 9.550 ms from the launch to the start." */
static const char *host_text(struct jr_check *c, const struct cause *cause)
{
	struct jr_arena *arena = c->ctx->arena;
	const struct {
		int64_t ns;
		const char *where;
	} parts[] = {{cause->outside_ns, "outside " JR_CUDA},
		{cause->call_ns,
			cause->call ? jr_arena_printf(arena, "in %s", jr_check_name(c, cause->call)) : ""},
		{cause->launching_ns, "from the launch to the start"}};
	const char *text = "";
	const char *between = c->n_gpus > 1 ? " On average per " JR_GPU ", " : " Of this time, ";
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		if (parts[i].ns <= 0)
			continue;
		text = jr_arena_printf(arena, "%s%s%s%s %s", text, between,
			jr_check_gpu_time(c, (double)parts[i].ns), *text ? "" : " passed", parts[i].where);
		between = ", ";
	}
	return *text ? jr_arena_printf(arena, "%s.", text) : text;
}

#define SMALL_BYTES 65536 /* up to here a copy contains only a few values */

/* Waits of the host and the idle time after them: for the call and copy with the most, and for
 * all. */
struct waits {
	const char *call, *copy, *memory, *range; /* of the first row; a call can have several */
	int64_t count, waited_ns, bytes, call_idle_ns, all_idle_ns;
};

static struct waits sum_waits(struct jr_check *c)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "gap_waits");
	struct waits waits = {0};
	if (!t || t->n_rows == 0)
		return waits;
	waits.call =
		jr_table_text(t, JR_KEY(JR_GAP_WAITS, call), 0); /* rows are sorted by idle time */
	for (size_t row = 0; row < t->n_rows; row++) {
		int64_t idle_ns = cell_i64(t, JR_KEY(JR_GAP_WAITS, idle_ms), row);
		waits.all_idle_ns += idle_ns;
		if (strcmp(jr_table_text(t, JR_KEY(JR_GAP_WAITS, call), row), waits.call) == 0)
			waits.call_idle_ns += idle_ns;
	}
	waits.copy = t->cells[JR_GAP_WAITS_copy].text[0];
	waits.memory = t->cells[JR_GAP_WAITS_memory].text[0];
	waits.range = t->cells[JR_GAP_WAITS_range].text[0];
	waits.bytes = cell_i64(t, JR_KEY(JR_GAP_WAITS, bytes), 0);
	waits.count = cell_i64(t, JR_KEY(JR_GAP_WAITS, count), 0);
	waits.waited_ns = cell_i64(t, JR_KEY(JR_GAP_WAITS, waited_ms), 0);
	return waits;
}

/* Return " for copies (device to host, 8 B, pageable memory) in “aten::copy_”", or " for
 * kernels". */
static const char *waited_for(struct jr_check *c, const struct waits *waits)
{
	char bytes[JR_NUM_MAX];
	if (!waits->copy)
		return " for kernels";
	jr_num_bytes(bytes, (double)waits->bytes);
	return jr_arena_printf(c->ctx->arena, " for copies (%s, %s%s%s)%s%s", waits->copy,
		waits->count > 1 ? "at most " : "", bytes,
		waits->memory ? jr_arena_printf(c->ctx->arena, ", %s memory", waits->memory) : "",
		waits->range ? " in " : "", waits->range ? jr_check_name(c, waits->range) : "");
}

static const char *wait_advice(struct jr_check *c, const struct waits *waits)
{
	struct jr_arena *arena = c->ctx->arena;
	if (!waits->copy)
		return jr_arena_printf(arena,
			"Do not wait between launches: a stream keeps their order. Wait only where the host "
			"uses a result%s.", jr_check_if_pytorch(c, ", without torch.cuda.synchronize()"));
	if (strstr(waits->copy, "to host"))
		return jr_arena_printf(arena,
			JR_ON_GPU("Read results back less often, or after the next work is launched%s; let the "
				JR_GPU " make the decisions that depend on them."),
			jr_check_if_pytorch(c, ": .item(), .cpu(), print and “if tensor:” wait"));
	bool pinned = waits->memory && strcmp(waits->memory, "pinned") == 0;
	const char *pin = pinned ? "" : jr_arena_printf(arena, " from pinned memory");
	const char *async = jr_check_if_pytorch(
		c, pinned ? " (non_blocking=True)" : " (pin_memory(), non_blocking=True)");
	if (waits->bytes <= SMALL_BYTES)
		return jr_arena_printf(arena,
			"Create such values on the " JR_GPU "%s, or copy them once and keep them there. "
			JR_ON_NVIDIA("Otherwise copy them%s with cudaMemcpyAsync%s, and do not wait."),
			jr_check_if_pytorch(c, " (device=\"cuda\" where the tensor is created)"), pin, async);
	return jr_arena_printf(arena,
		JR_ON_NVIDIA("Copy%s with cudaMemcpyAsync%s, and let the kernels' stream wait for it "
			"(cudaStreamWaitEvent) instead of the host."),
		pin, async);
}

/* Return advice for idle time that waits do not explain; "": it is short. */
static const char *other_advice(
	struct jr_check *c, const struct cause *cause, const struct waits *waits)
{
	if (cause->sum_ns - waits->all_idle_ns < cause->sum_ns / 4 ||
		cause->long_ns < cause->sum_ns / 4)
		return "";
	return jr_arena_printf(
		c->ctx->arena, " In gaps of " JR_GAP_LONG " or more %s", long_advice(c, cause));
}

/* Report idle time after waits: without them the host would have launched earlier. */
static void tell_waits(struct jr_check *c, const struct cause *cause, const struct waits *waits)
{
	struct jr_arena *arena = c->ctx->arena;
	jr_check_title(c,
		gpus(c, "The " JR_GPU " waits for the host", "The " JR_GPU "s wait for the host"),
		jr_arena_printf(arena, ": %s, %s of it after waits in %s",
			jr_check_of_wall(c, (double)cause->sum_ns),
			jr_check_gpu_time(c, (double)waits->call_idle_ns), jr_check_name(c, waits->call)));
	c->finding.detail = jr_arena_printf(arena,
		"The host waits in %s%s: %s times%s, %s each, %s. The " JR_GPU " has run out of work "
		"before the host launches more. %s%s",
		jr_check_name(c, waits->call), waited_for(c, waits),
		jr_check_count(c, (size_t)waits->count), c->n_gpus > 1 ? " on all " JR_GPU "s" : "",
		jr_check_time(c, (double)waits->waited_ns / (double)waits->count),
		jr_check_of_wall(c, (double)waits->waited_ns), wait_advice(c, waits),
		other_advice(c, cause, waits));
	c->finding.evidence = jr_arena_printf(arena,
		"%s of the idle time follows such waits; each gap is no longer than its wait. %s.",
		jr_check_percent(c, jr_ratio((double)waits->all_idle_ns, (double)cause->sum_ns)),
		gaps_text(c, cause));
}

void jr_rule_host_bound(struct jr_check *c)
{
	struct cause cause = sum_cause(c, JR_GAP_HOST);
	struct waits waits = sum_waits(c);
	if (!fires(c, &cause))
		return;
	if (waits.all_idle_ns > cause.sum_ns / 2 && waits.count) {
		tell_waits(c, &cause, &waits);
		return;
	}
	jr_check_title(c,
		gpus(c, "The " JR_GPU " waits for the host", "The " JR_GPU "s wait for the host"),
		jr_arena_printf(c->ctx->arena, ": %s", jr_check_of_wall(c, (double)cause.sum_ns)));
	c->finding.detail = host_advice(c, &cause);
	c->finding.evidence = jr_arena_printf(c->ctx->arena, "%s.%s%s", gaps_text(c, &cause),
		begun_text(c, &cause), host_text(c, &cause));
}

/* --- loading of code -------------------------------------------------------------------------- */

void jr_rule_first_use(struct jr_check *c)
{
	struct cause first = sum_first_use(c);
	struct jr_arena *arena = c->ctx->arena;
	double idle_ns = c->part_ns[JR_PART_IDLE_BETWEEN];
	if (!jr_check_fires(c, jr_ratio((double)first.sum_ns, c->wall_ns)) || !first.count)
		return;
	jr_check_recoverable(c, (double)first.sum_ns, idle_ns);
	c->finding.times = (size_t)first.count;
	jr_check_title(c, first.call ? "Code loading on first use" : "First runs of kernels",
		jr_arena_printf(arena, " %s the %s idle: %s of %s of idle time%s",
			first.call ? "leaves" : "leave", c->n_gpus > 1 ? JR_GPU "s" : JR_GPU,
			jr_check_gpu_time(c, (double)first.sum_ns), jr_check_gpu_time(c, idle_ns),
			c->n_gpus > 1 ? " per " JR_GPU : ""));
	c->finding.detail = jr_arena_printf(arena,
		"A program loads and compiles a kernel when it first runs it. This happens once and does "
		"not affect later steps: start profiling after the first ones.%s%s",
		first.call ? " If start-up time matters, cache compiled code across runs." : "",
		first.launching_ns > first.sum_ns / 2
			? JR_ADVISE(c, " If start-up time matters, load kernels ahead with ", ".",
				  {JR_FLAG_MODULE_LOADING, "EAGER", NULL, NULL})
			: "");
	c->finding.evidence = jr_arena_printf(arena, "%s gap%s%s%s%s.",
		jr_check_count(c, (size_t)first.count), first.count == 1 ? "" : "s",
		c->n_gpus > 1 ? " on all " JR_GPU "s" : "",
		first.call ? ", during which code is loaded or which end in the first run of a kernel"
				   : first.count == 1 ? ", which ends in the first run of a kernel"
									  : ", which end in the first run of a kernel",
		first.call ? jr_arena_printf(arena, "; the calls with the most of this time are %s, %s",
						 jr_check_name(c, first.call),
						 jr_check_gpu_time(c, (double)first.call_ns))
				   : "");
}

/* --- calls in flight -------------------------------------------------------------------------- */

/* True if there are copies from or to host memory, and all of them use pinned memory. */
static bool all_pinned(const struct jr_check *c)
{
	const struct jr_gpu_ops *t = &c->ctx->profile->gpu_ops;
	bool any = false;
	for (size_t i = 0; i < t->n; i++) {
		if (t->kind[i] != JR_GPU_COPY || !strstr(jr_gpu_op_name(c->ctx->profile, i), "host"))
			continue;
		if (jr_gpu_host_memory(t->config[i]) != JR_MEMORY_PINNED)
			return false;
		any = true;
	}
	return any;
}

/* Return advice about a call that had begun and had not returned. */
static const char *launch_advice(struct jr_check *c, const char *call)
{
	struct jr_arena *arena = c->ctx->arena;
	bool pinned = all_pinned(c);
	const char *pin = pinned
		? " The memory is already pinned."
		: jr_arena_printf(arena,
			  JR_ON_NVIDIA(" Copies of memory that is not pinned go through a driver buffer: pin "
			  "it (cudaMallocHost%s)."),
			  jr_check_if_pytorch(c, ", in PyTorch pin_memory=True"));
	if (jr_call_waits(call))
		return jr_arena_printf(arena,
			"The copy had been called when the " JR_GPU " became idle but began only later: such a "
			"call first waits for the " JR_GPU ". "
			JR_ON_NVIDIA("Use cudaMemcpyAsync%s, so that the copy is queued behind the kernels or "
				"overlaps with them.%s"),
			jr_check_if_pytorch(c, " (in PyTorch non_blocking=True)"), pin);
	if (strstr(call, "Memcpy") || strstr(call, "Memset"))
		return jr_arena_printf(arena,
			"The call had begun but not returned when the " JR_GPU " became idle: such calls take "
			"as long as the work that runs meanwhile. Copy and clear less often, and more at a "
			"time.%s",
			strstr(call, "Memcpy") ? pin : "");
	if (jr_call_launches_graph(call))
		return "The launch of a graph had begun but not returned when the " JR_GPU " became idle: "
			"it takes as long as the work that runs meanwhile. "
			   JR_ON_NVIDIA("Put more into one graph (several steps), make its nodes fewer and "
			   "longer, and upload it before its first launch (cudaGraphUpload).");
	return jr_arena_printf(arena,
		"The launch had begun but not returned when the " JR_GPU " became idle: each launch takes "
		"the host as long as the kernels take the " JR_GPU ". "
		JR_ON_GPU("Launch many at once as a " JR_GRAPH "%s, and fuse kernels."),
		jr_check_if_pytorch(c, TORCH_GRAPHS));
}

/* Return "mostly" if it is more than half. */
static const char *most_in(const struct cause *cause)
{
	return cause->call_ns > cause->sum_ns / 2 ? "mostly" : "most in";
}

void jr_rule_launch_bound(struct jr_check *c)
{
	struct cause cause = sum_cause(c, JR_GAP_LAUNCH);
	if (!fires(c, &cause) || !cause.call)
		return;
	jr_check_title(c,
		gpus(c, "The " JR_GPU " waits for calls in progress",
			"The " JR_GPU "s wait for calls in progress"),
		jr_arena_printf(c->ctx->arena, ": %s, %s %s", jr_check_of_wall(c, cause.sum_ns),
			most_in(&cause), jr_check_name(c, cause.call)));
	c->finding.detail = launch_advice(c, cause.call);
	c->finding.evidence = jr_arena_printf(c->ctx->arena, "%s. %s in %s: %s of it.",
		gaps_text(c, &cause), jr_check_count(c, (size_t)cause.call_count),
		jr_check_name(c, cause.call), jr_check_gpu_time(c, (double)cause.call_ns));
}

/* --- queued operations ------------------------------------------------------------------------ */

void jr_rule_device_bound(struct jr_check *c)
{
	struct cause cause = sum_cause(c, JR_GAP_DEVICE);
	if (!fires(c, &cause))
		return;
	jr_check_title(c,
		gpus(c, "The " JR_GPU " is idle with work queued",
			"The " JR_GPU "s are idle with work queued"),
		jr_arena_printf(c->ctx->arena, ": %s", jr_check_of_wall(c, cause.sum_ns)));
	c->finding.detail =
		cause.sum_ns / cause.count <= JR_SWITCH_NS
			? JR_ON_GPU("The next operation had been launched when the " JR_GPU " became idle. ")
			  "Gaps this short are usual between dependent operations; there are many of them "
			  "because the operations are short. "
			  JR_ON_GPU("Make them fewer and longer (fused kernels), launch them as a " JR_GRAPH
			  ", which has shorter gaps between its nodes, and put independent operations on "
			  "separate streams.")
			: JR_ON_GPU("The next operation had been launched when the " JR_GPU " became idle, so "
				"neither the host nor the launch was late: it waited for something else. ")
			  JR_ON_NVIDIA("Look for dependencies between streams (cudaStreamWaitEvent, the "
			  "default stream, which waits for all others), for another device or process that had "
			  "to run first, and for memory transfers.");
	c->finding.evidence = jr_arena_printf(c->ctx->arena, "%s.", gaps_text(c, &cause));
}
