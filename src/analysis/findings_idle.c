/* Rules about gaps on GPUs of programs that are not of XLA: one a cause, each with advice for what
 * the time went to. */
#include <string.h>

#include "analysis/findings.h"
#include "analysis/gaps.h"
#include "analysis/vendor.h"
#include "analysis/gpu_time.h"

/* --- what the tables say of one cause --------------------------------------------------------- */

struct cause {
	const char *name;
	int64_t count, sum_ns;
	const char *call;      /* with most time in it; NULL: none is known */
	int64_t call_ns, call_count;
	int64_t n_long, long_ns; /* gaps of JR_GAP_LONG_NS and more */
	/* host-bound: what its thread did */
	int64_t outside_ns, launching_ns, allocating_ns, waited_ns;
	int64_t waiting_ns, waiting_count; /* gaps that began while it waited for a GPU */
	int64_t short_waiting_ns;          /* ... but for the long ones */
	const char *waits; /* the call in which most of these began */
	int64_t waits_ns;
};

static int64_t cell_i64(const struct jr_table *t, const char *key, size_t row)
{
	return t->cells[jr_table_column(t, key)].i64[row];
}

/* Memory of a device or of the host, pinned. */
static bool allocates(const char *call)
{
	static const char *const words[] = {"Malloc", "Alloc", "Free", "HostRegister", "MemCreate",
		"MemMap", "MemUnmap", "MemRelease", "HostUnregister"};
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		if (strstr(call, words[i]))
			return true;
	return false;
}

static void add_call(struct cause *cause, const struct jr_table *t, size_t row, const char *no_call)
{
	const char *call = jr_table_text(t, "call", row);
	int64_t ns = cell_i64(t, "sum_ms", row), gaps_ns = cell_i64(t, "gaps_ms", row);
	int64_t long_ns = cell_i64(t, "long_ms", row);
	cause->n_long += cell_i64(t, "long_count", row);
	cause->long_ns += long_ns;
	if (strcmp(call, no_call) == 0) {
		cause->outside_ns = ns;
		return;
	}
	if (strcmp(call, JR_GAP_LAUNCHING) == 0) {
		cause->launching_ns = ns;
		return;
	}
	if (!cause->call) { /* rows are in order of time */
		cause->call = call;
		cause->call_ns = ns;
		cause->call_count = cell_i64(t, "count", row);
	}
	cause->allocating_ns += allocates(call) ? ns : 0;
	if (!jr_call_waits(call))
		return;
	cause->waited_ns += ns;
	cause->waiting_ns += gaps_ns;
	cause->short_waiting_ns += gaps_ns - long_ns;
	cause->waiting_count += cell_i64(t, "count", row);
	if (gaps_ns > cause->waits_ns) {
		cause->waits = call;
		cause->waits_ns = gaps_ns;
	}
}

static struct cause sum_cause(struct jr_check *c, enum jr_gap_cause which)
{
	const struct jr_table *causes = jr_results_table(c->ctx->results, "gap_causes");
	const struct jr_table *calls = jr_results_table(c->ctx->results, "gap_calls");
	const char *no_call =
		jr_vendor_words(jr_vendor_of(c->ctx->profile), JR_GAP_NO_CALL, true, c->ctx->scratch);
	struct cause cause = {.name = jr_gap_causes[which]};
	for (size_t row = 0; causes && row < causes->n_rows; row++) {
		if (strcmp(jr_table_text(causes, "cause", row), cause.name) != 0)
			continue;
		cause.count += cell_i64(causes, "count", row);
		cause.sum_ns += cell_i64(causes, "sum_ms", row);
	}
	for (size_t row = 0; calls && row < calls->n_rows; row++)
		if (strcmp(jr_table_text(calls, "cause", row), cause.name) == 0)
			add_call(&cause, calls, row, no_call);
	return cause;
}

/* "1,339 gaps of 22.28 µs on average; the longest, 2.559 ms, ends at “gemm” on device 0": the table
 * has the longest by length. */
static const char *gaps_text(struct jr_check *c, const struct cause *cause)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "gap_largest");
	struct jr_arena *arena = c->ctx->arena;
	const char *text = cause->count == 1 ? "1 gap"
		: jr_arena_printf(arena, "%s gaps%s of %s on average",
			  jr_check_count(c, (size_t)cause->count), c->n_gpus > 1 ? " on all GPUs" : "",
			  jr_check_time(c, (double)cause->sum_ns / (double)cause->count));
	if (cause->n_long && cause->n_long < cause->count)
		text = jr_arena_printf(arena, "%s, %s of them of " JR_GAP_LONG " and more (%s in all)",
			text, jr_check_count(c, (size_t)cause->n_long),
			jr_check_time(c, (double)cause->long_ns));
	for (size_t row = 0; t && row < t->n_rows; row++) {
		if (strcmp(jr_table_text(t, "cause", row), cause->name) != 0)
			continue;
		const char *range = t->cells[jr_table_column(t, "range")].text[row];
		return jr_arena_printf(arena, "%s; the longest, %s, ends at %s%s%s on device %s", text,
			jr_check_time(c, (double)cell_i64(t, "dur_ms", row)),
			jr_check_name(c, jr_table_text(t, "after", row)), range ? ", launched in " : "",
			range ? jr_check_name(c, range) : "",
			jr_check_count(c, (size_t)cell_i64(t, "device", row)));
	}
	return text;
}

/* True where the rule has a finding; the time could be won, as far as it is idle. */
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

/* --- the host was late ------------------------------------------------------------------------ */

#define LESS_OFTEN                                                                                 \
	"launch less often (CUDA graphs, in PyTorch torch.compile(mode=\"reduce-overhead\"); fused "   \
	"kernels, larger batches), and do less in between."

#define SHORT_GAPS "In gaps of less than " JR_GAP_LONG

static const char *long_advice(struct jr_check *c, const struct cause *cause)
{
	if (cause->launching_ns > cause->outside_ns && cause->launching_ns > cause->waited_ns)
		return jr_arena_printf(c->ctx->arena,
			"the launch itself took long. As a rule that is the first one of a kernel, which loads "
			"its code: begin profiling after the first steps%s.",
			JR_ADVISE(c, ", or load it ahead with ", "",
				{JR_FLAG_MODULE_LOADING, "EAGER", NULL, NULL}));
	if (cause->waited_ns > cause->outside_ns)
		return "the host waited for a GPU, and launched only then: let it wait later, or a thread "
			   "of its own, and keep more than one step launched ahead.";
	return jr_arena_printf(c->ctx->arena,
		"the thread that launches was at work of its own, outside of CUDA: have that done ahead "
		"or by others while the GPU works (input by loader workers, one batch ahead, in pinned "
		"memory; files, logging and messages of the host, as of MPI, by another thread). %s around "
		"it tell what it is.",
		c->ctx->profile->by_jax_profiler ? "Annotations (jax.profiler.TraceAnnotation)"
										 : "Ranges of NVTX");
}

/* What a part of the time went to, of parts that are a quarter of it or more; largest first. */
static const char *host_advice(struct jr_check *c, const struct cause *cause)
{
	struct advice {
		int64_t ns;
		const char *first, *then; /* which gaps: where they come first, and behind others */
		const char *what;
	} parts[] = {{cause->long_ns, "In gaps of " JR_GAP_LONG " and more", "In longer ones",
					 long_advice(c, cause)},
		{cause->short_waiting_ns, SHORT_GAPS, "In shorter ones",
			"the host waited for the GPU, and launched only then: do not wait between launches, a "
			"stream keeps their order. Take synchronisation (cudaDeviceSynchronize), copies that "
			"block and reading results back (.item(), .cpu(), print) out of the loop."},
		{cause->sum_ns - cause->long_ns - cause->short_waiting_ns, SHORT_GAPS,
			"In shorter ones",
			"the host launches more slowly than the GPU works: " LESS_OFTEN}};
	static const char lead[] = "What runs next had not been launched when the GPU fell idle.";
	if ((double)cause->allocating_ns > (double)cause->sum_ns / 2)
		return jr_arena_printf(c->ctx->arena,
			"%s The host was getting memory or giving it back, and cudaFree waits for the GPU, "
			"too. Allocate once and keep it, or take it from a pool (cudaMallocAsync, the caching "
			"allocators of PyTorch and JAX).", lead);
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

/* " 1,310 of them began while the host waited in “cudaDeviceSynchronize”." */
static const char *begun_text(struct jr_check *c, const struct cause *cause)
{
	if (!cause->waits)
		return "";
	return jr_arena_printf(c->ctx->arena, " %s began while the host waited%s in %s.",
		jr_check_count(c, (size_t)cause->waiting_count),
		cause->waits_ns == cause->waiting_ns ? "" : ", mostly",
		jr_check_name(c, cause->waits));
}

/* " Of all this time 16.31 ms passed outside of CUDA, 2.933 ms in “cudaDeviceSynchronize”, 9.550 ms
 * from the launch to the start." */
static const char *host_text(struct jr_check *c, const struct cause *cause)
{
	struct jr_arena *arena = c->ctx->arena;
	const struct {
		int64_t ns;
		const char *where;
	} parts[] = {{cause->outside_ns, "outside of CUDA"},
		{cause->call_ns,
			cause->call ? jr_arena_printf(arena, "in %s", jr_check_name(c, cause->call)) : ""},
		{cause->launching_ns, "from the launch to the start"}};
	const char *text = "";
	const char *between = c->n_gpus > 1 ? " Of the time of each GPU " : " Of all this time ";
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		if (parts[i].ns <= 0)
			continue;
		text = jr_arena_printf(arena, "%s%s%s%s %s", text, between,
			jr_check_gpu_time(c, (double)parts[i].ns), *text ? "" : " passed", parts[i].where);
		between = ", ";
	}
	return *text ? jr_arena_printf(arena, "%s.", text) : text;
}

void jr_check_host_bound(struct jr_check *c)
{
	struct cause cause = sum_cause(c, JR_GAP_HOST);
	if (!fires(c, &cause))
		return;
	c->finding.title = jr_arena_printf(c->ctx->arena, "%s for the host: %s",
		gpus(c, "The GPU waits", "The GPUs wait"), jr_check_of_wall(c, cause.sum_ns));
	c->finding.detail = host_advice(c, &cause);
	c->finding.evidence = jr_arena_printf(c->ctx->arena, "%s.%s%s", gaps_text(c, &cause),
		begun_text(c, &cause), host_text(c, &cause));
}

/* --- a call was in flight --------------------------------------------------------------------- */

/* There are copies of the host's memory, and each is known to be of pinned memory. */
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

static const char *launch_advice(const struct jr_check *c, const char *call)
{
	if (jr_call_waits(call))
		return all_pinned(c)
			? "The copy had been called when the GPU fell idle, and began only later: such a "
			  "call waits for the GPU first. Use cudaMemcpyAsync (in PyTorch "
			  "non_blocking=True), so that it is queued behind the kernels or runs beside them: "
			  "the memory is pinned already."
			: "The copy had been called when the GPU fell idle, and began only later: such a "
			  "call waits for the GPU first, and memory that is not pinned goes through a buffer "
			  "of the driver's. Use cudaMemcpyAsync with pinned memory (cudaMallocHost, in "
			  "PyTorch pin_memory=True and non_blocking=True), so that it is queued behind the "
			  "kernels or runs beside them.";
	if (strstr(call, "Memcpy") || strstr(call, "Memset"))
		return all_pinned(c)
			? "The call had begun when the GPU fell idle, and had not returned: calling takes as "
			  "long as what runs meanwhile. Copy and clear less often, more at a time."
			: "The call had begun when the GPU fell idle, and had not returned: calling takes as "
			  "long as what runs meanwhile. Memory that is not pinned goes through a buffer of "
			  "the driver's within the call: pin it (cudaMallocHost, in PyTorch "
			  "pin_memory=True). Copy and clear less often, more at a time.";
	if (strstr(call, "GraphLaunch"))
		return "The launch of a graph had begun when the GPU fell idle, and had not returned: it "
			   "takes as long as what runs meanwhile. Put more into one graph (several steps), "
			   "make its nodes fewer and longer, and load it ahead of its first launch "
			   "(cudaGraphUpload).";
	return "The launch had begun when the GPU fell idle, and had not returned: each launch takes "
		   "the host as long as the kernels take the GPU. Launch many at once as a CUDA graph (in "
		   "PyTorch torch.compile(mode=\"reduce-overhead\")), fuse kernels, take larger batches.";
}

/* "mostly" of more than half. */
static const char *most_in(const struct cause *cause)
{
	return cause->call_ns > cause->sum_ns / 2 ? "mostly" : "most in";
}

void jr_check_launch_bound(struct jr_check *c)
{
	struct cause cause = sum_cause(c, JR_GAP_LAUNCH);
	if (!fires(c, &cause) || !cause.call)
		return;
	c->finding.title = jr_arena_printf(c->ctx->arena, "%s for calls under way: %s, %s %s",
		gpus(c, "The GPU waits", "The GPUs wait"), jr_check_of_wall(c, cause.sum_ns),
		most_in(&cause), jr_check_name(c, cause.call));
	c->finding.detail = launch_advice(c, cause.call);
	c->finding.evidence = jr_arena_printf(c->ctx->arena, "%s. %s in %s: %s of it.",
		gaps_text(c, &cause), jr_check_count(c, (size_t)cause.call_count),
		jr_check_name(c, cause.call), jr_check_gpu_time(c, (double)cause.call_ns));
}

/* --- the operation was queued ----------------------------------------------------------------- */

void jr_check_device_bound(struct jr_check *c)
{
	struct cause cause = sum_cause(c, JR_GAP_DEVICE);
	if (!fires(c, &cause))
		return;
	c->finding.title = jr_arena_printf(c->ctx->arena, "%s idle with work queued: %s",
		gpus(c, "The GPU is", "The GPUs are"), jr_check_of_wall(c, cause.sum_ns));
	c->finding.detail = cause.sum_ns / cause.count <= JR_SWITCH_NS
		? "What runs next had been launched when the GPU fell idle. So short a gap is what a "
		  "device takes from an operation to the next one that waits for it; there are many, so "
		  "the operations are short. Make them fewer and longer (fused kernels, larger batches), "
		  "launch them as a CUDA graph, which passes from node to node sooner, and put what does "
		  "not depend on each other on streams of its own."
		: "What runs next had been launched when the GPU fell idle, so neither the host nor the "
		  "launch was late: it waited for something else. Look for dependencies between streams "
		  "(cudaStreamWaitEvent, the default stream, which waits for all others), for another "
		  "device or process that had to come first, and for memory that had to be moved.";
	c->finding.evidence = jr_arena_printf(c->ctx->arena, "%s.", gaps_text(c, &cause));
}
