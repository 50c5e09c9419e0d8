/* Rules about gaps on GPUs of programs without XLA: one rule per cause, each with advice for the
 * largest parts of the time. */
#include <math.h>
#include <string.h>

#include "analysis/findings/findings_gaps.h"
#include "analysis/gpu/gaps.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/integrity.h"
#include "analysis/core/program_kind.h"
#include "analysis/core/terms.h"
#include "analysis/gpu/gpu_tables.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define HOST_BOUND_SUBJECT_ONE "The " JR_GPU " waits for the host"
#define HOST_BOUND_SUBJECT_MANY "The " JR_GPU "s wait for the host"
#define HOST_BOUND_TITLE_WAITS ": %s, of which %s follows waits in %s"
#define HOST_BOUND_WHY                                                                             \
	JR_ON_GPU("The next operation had not been launched when the " JR_GPU " became idle.")
#define HOST_BOUND_WHY_WAITS                                                                       \
	"The host waits in %s%s. It waits %s times%s, %s each, %s. The " JR_GPU " has run out of "     \
	"work before the host launches more."
#define HOST_BOUND_WHY_ALLOCATING                                                                  \
	JR_ON_NVIDIA("The host was allocating or freeing memory, and cudaFree also waits for the "     \
	JR_GPU ".")
#define HOST_BOUND_WHY_LAUNCH "the launch call itself took long."
#define HOST_BOUND_WHY_WAITED "the host waited for a " JR_GPU " before it launched."
#define HOST_BOUND_WHY_OUTSIDE "the launching thread did other work outside " JR_CUDA ".%s"
#define HOST_BOUND_WHY_INPUT                                                                       \
	" Most of this idle time ends in input copies or lies in ranges that read input."
#define HOST_BOUND_WHY_COPIES " Most of this idle time ends when a copy to the " JR_GPU " starts."
#define HOST_BOUND_WHY_SHORT_WAITS "the host waited for the " JR_GPU " before it launched."
#define HOST_BOUND_WHY_SLOW_LAUNCHES                                                               \
	"the host launches kernels more slowly than the " JR_GPU " runs them."
#define HOST_BOUND_ACTION_ALLOCATING                                                               \
	JR_ON_NVIDIA("Allocate once and reuse the memory, or use a pool (cudaMallocAsync%s).")
#define HOST_BOUND_ACTION_LAUNCH                                                                   \
	"Check what the call waits for: a lock, memory allocation, or code loading."
#define HOST_BOUND_ACTION_WAITED "Wait later or in a separate thread, and launch further ahead."
#define HOST_BOUND_ACTION_OUTSIDE                                                                  \
	"%sMove the host's work earlier or into another thread, while the " JR_GPU " is busy. %s "     \
	"around it show what it is."
#define HOST_BOUND_ACTION_INPUT "Load input one batch ahead, into pinned memory. "
#define HOST_BOUND_ACTION_INPUT_TORCH                                                              \
	"Load input in worker processes, one batch ahead, into pinned memory "                         \
	"(DataLoader(num_workers=..., pin_memory=True)). "
#define HOST_BOUND_ACTION_COPIES                                                                   \
	"Prepare the data while the " JR_GPU " works on the previous data. "
#define HOST_BOUND_ACTION_SHORT_WAITS                                                              \
	"Do not wait between launches, because a stream keeps their order."
#define HOST_BOUND_ACTION_SLOW_LAUNCHES                                                            \
	"Launch less often (" JR_GRAPH "s%s; fused kernels), and do less between launches."
#define HOST_BOUND_ACTION_KERNELS                                                                  \
	"Do not wait between launches: a stream keeps their order. Wait only where the host uses a "   \
	"result%s."
#define HOST_BOUND_ACTION_READ                                                                     \
	JR_ON_GPU("Read results back less often, or after the next work is launched%s; let the "       \
	JR_GPU " make the decisions that depend on them.")
#define HOST_BOUND_ACTION_WRITE                                                                    \
	JR_ON_NVIDIA("Copy%s with cudaMemcpyAsync%s, and let the kernels' stream wait for it "         \
	"(cudaStreamWaitEvent) instead of the host.")
#define HOST_BOUND_ACTION_SMALL                                                                    \
	"Create such values on the " JR_GPU "%s, or copy them once and keep them there. "              \
	JR_ON_NVIDIA("Otherwise copy them%s with cudaMemcpyAsync%s, and do not wait.")
#define HOST_BOUND_EVIDENCE_WAITS " Of the gaps, %s began while the host waited%s in %s."

#define HOST_BOUND_ANNOTATIONS "Annotations" JR_OF_JAX(" (jax.profiler.TraceAnnotation)")

#define FIRST_USE_SUBJECT_CODE "Code loading on first use"
#define FIRST_USE_SUBJECT_KERNELS "First runs of kernels"
#define FIRST_USE_TITLE " %s the %s idle: %s of %s of idle time%s"
#define FIRST_USE_WHY                                                                              \
	"A program loads and compiles a kernel when it first runs it. This happens once and does not " \
	"affect later steps."
#define FIRST_USE_ACTION "Start profiling after the first steps."
#define FIRST_USE_ACTION_CACHE "If start-up time matters, cache compiled code across runs."
#define FIRST_USE_ACTION_LOAD "If start-up time matters, load kernels ahead with "
#define FIRST_USE_EVIDENCE_CODE                                                                    \
	", during which code is loaded or which end in the first run of a kernel"
#define FIRST_USE_EVIDENCE_ONE ", which ends in the first run of a kernel"
#define FIRST_USE_EVIDENCE_MANY ", which end in the first run of a kernel"
#define FIRST_USE_EVIDENCE_CALLS "; the calls with the most of this time are %s, %s"

#define LAUNCH_BOUND_SUBJECT_ONE "The " JR_GPU " waits for calls in progress"
#define LAUNCH_BOUND_SUBJECT_MANY "The " JR_GPU "s wait for calls in progress"
#define LAUNCH_BOUND_WHY                                                                           \
	"The launch had begun but not returned when the " JR_GPU " became idle, so the " JR_GPU        \
	" waits for the rest of it."
#define LAUNCH_BOUND_WHY_COPY                                                                      \
	"The host had called the copy when the " JR_GPU " became idle, but the copy "                  \
	"began later. Such a call first waits until earlier work of the " JR_GPU " ends."
#define LAUNCH_BOUND_WHY_CLEAR                                                                     \
	"The call had begun but not returned when the " JR_GPU " became idle. Such calls take as "     \
	"long as the work that runs meanwhile."
#define LAUNCH_BOUND_WHY_GRAPH                                                                     \
	"The launch of a graph had begun but not returned when the " JR_GPU " became idle. It takes "  \
	"as long as the work that runs meanwhile."
#define LAUNCH_BOUND_WHY_PINNED "The memory is already pinned."
#define LAUNCH_BOUND_ACTION JR_ON_GPU("Launch many at once as a " JR_GRAPH "%s, and fuse kernels.")
#define LAUNCH_BOUND_ACTION_COPY                                                                   \
	JR_ON_NVIDIA("Use cudaMemcpyAsync%s, so that the copy is queued behind the kernels or "        \
	"overlaps with them.")
#define LAUNCH_BOUND_ACTION_CLEAR "Copy and clear less often, and more at a time."
#define LAUNCH_BOUND_ACTION_GRAPH                                                                  \
	JR_ON_NVIDIA("Put more into one graph (several steps), make its nodes fewer and longer, and "  \
	"upload it before its first launch (cudaGraphUpload).")
#define LAUNCH_BOUND_ACTION_PIN                                                                    \
	JR_ON_NVIDIA("Pin host memory (cudaMallocHost%s): copies of other memory go through a driver " \
	"buffer.")
#define LAUNCH_BOUND_EVIDENCE "%s. %s of them are in %s and take %s."

#define DEVICE_BOUND_SUBJECT_ONE "The " JR_GPU " is idle with work queued"
#define DEVICE_BOUND_SUBJECT_MANY "The " JR_GPU "s are idle with work queued"
#define DEVICE_BOUND_WHY                                                                           \
	JR_ON_GPU("The next operation had been launched when the " JR_GPU " became idle. Neither "   \
	"the host nor the launch was late: the operation waited for something else.")
#define DEVICE_BOUND_WHY_SHORT                                                                     \
	JR_ON_GPU("The next operation had been launched when the " JR_GPU " became idle. ") "Gaps "    \
	"this short are usual between dependent operations. There are many of them because the "       \
	"operations are short."
#define DEVICE_BOUND_ACTION                                                                        \
	JR_ON_NVIDIA("Look for dependencies between streams (cudaStreamWaitEvent, or the default "     \
	"stream, which waits for all others). Look for another device or process that had to run "     \
	"first, and for memory transfers.")
#define DEVICE_BOUND_ACTION_SHORT                                                                  \
	JR_ON_GPU("Make operations fewer and longer (fused kernels). Launch them as a " JR_GRAPH ", "  \
	"which has shorter gaps between its nodes. Put independent operations on separate "        \
	"streams.")

#define UNEXPLAINED_SUBJECT "Idle time of unknown cause"
#define UNEXPLAINED_WHY                                                                            \
	"The profile does not show why: it does not contain the calls that launched the operations "   \
	"after these gaps. The host, slow launches and the " JR_GPU " are all possible causes."
#define UNEXPLAINED_ACTION                                                                         \
	"Record the calls of all processes that launch work%s."
#define UNEXPLAINED_ACTION_NSYS JR_ON_NVIDIA(" (nsys profile --trace=cuda,nvtx)")
#define UNEXPLAINED_ACTION_PROFILER                                                                \
	JR_OF_JAX(" (host_tracer_level of jax.profiler.ProfileOptions at 2 or higher)")

/* --- host-bound gaps -------------------------------------------------------------------------- */

#define TORCH_GRAPHS ", in PyTorch torch.compile(mode=\"reduce-overhead\")"

#define SHORT_GAPS "In gaps shorter than " JR_GAP_LONG
#define LONG_GAPS "In gaps of " JR_GAP_LONG " or more"

/* True if most of the time in the longest gaps ends in copies to the device, or the program reads
 * input. */
static bool waits_for_input(const struct jr_check *c, struct jr_program_kind kind)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "gap_largest");
	int64_t all_ns = 0, copies_ns = 0;
	for (size_t row = 0; t && row < t->n_rows; row++) {
		int64_t ns = jr_idle_i64(t, JR_KEY(JR_GAP_LARGEST, dur_ms), row);
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

/* Two parts of a text; "": none. */
struct texts {
	const char *why, *action;
};

static struct texts input_advice(struct jr_check *c)
{
	struct jr_program_kind kind = jr_program_kind_of(c->ctx->profile, c->ctx->scratch);
	if (!waits_for_input(c, kind))
		return (struct texts){"", ""};
	return kind.pytorch
			   ? (struct texts){HOST_BOUND_WHY_INPUT, HOST_BOUND_ACTION_INPUT_TORCH}
		   : kind.learning ? (struct texts){HOST_BOUND_WHY_INPUT, HOST_BOUND_ACTION_INPUT}
						   : (struct texts){HOST_BOUND_WHY_COPIES, HOST_BOUND_ACTION_COPIES};
}

static struct texts long_advice(struct jr_check *c, const struct jr_idle_cause *cause)
{
	if (cause->launching_ns > cause->outside_ns && cause->launching_ns > cause->waited_ns)
		return (struct texts){HOST_BOUND_WHY_LAUNCH, HOST_BOUND_ACTION_LAUNCH};
	if (cause->waited_ns > cause->outside_ns)
		return (struct texts){HOST_BOUND_WHY_WAITED, HOST_BOUND_ACTION_WAITED};
	struct texts input = input_advice(c);
	return (struct texts){jr_arena_printf(c->ctx->arena, HOST_BOUND_WHY_OUTSIDE, input.why),
		jr_arena_printf(c->ctx->arena, HOST_BOUND_ACTION_OUTSIDE, input.action,
			c->ctx->profile->by_jax_profiler ? HOST_BOUND_ANNOTATIONS : "NVTX ranges")};
}

/* Add advice for the largest part of the time, and for others of at least a quarter, largest
 * first. */
static void add_host_advice(struct jr_check *c, const struct jr_idle_cause *cause)
{
	struct advice {
		int64_t ns;
		const char *first, *then; /* label of the gaps, as the first part and as a later part */
		struct texts what;
	} parts[] = {{cause->long_ns, LONG_GAPS, "In longer ones", long_advice(c, cause)},
		{cause->short_waiting_ns, SHORT_GAPS, "In shorter ones",
			{HOST_BOUND_WHY_SHORT_WAITS, HOST_BOUND_ACTION_SHORT_WAITS}},
		{cause->sum_ns - cause->long_ns - cause->short_waiting_ns, SHORT_GAPS, "In shorter ones",
			{HOST_BOUND_WHY_SLOW_LAUNCHES,
				jr_arena_printf(c->ctx->arena, HOST_BOUND_ACTION_SLOW_LAUNCHES,
					jr_check_if_pytorch(c, TORCH_GRAPHS))}}};
	jr_check_why(c, HOST_BOUND_WHY);
	if ((double)cause->allocating_ns > (double)cause->sum_ns / 2) {
		jr_check_why(c, HOST_BOUND_WHY_ALLOCATING);
		jr_check_do(c, HOST_BOUND_ACTION_ALLOCATING,
			jr_check_if_pytorch(c, ", the caching allocator of PyTorch"));
		return;
	}
	for (size_t n = 0; n < JR_COUNT_OF(parts); n++) {
		struct advice *most = &parts[0];
		for (size_t i = 1; i < JR_COUNT_OF(parts); i++)
			most = parts[i].ns > most->ns ? &parts[i] : most;
		if (n && (double)most->ns < (double)cause->sum_ns / 4)
			break;
		jr_check_why(c, "%s %s", n ? most->then : most->first, most->what.why);
		jr_check_do(c, "%s%s%s", n ? most->then : "", n ? ": " : "", most->what.action);
		most->ns = -1;
	}
}

/* Return " Of the gaps, 1,310 began while the host waited in “cudaDeviceSynchronize”." */
static const char *begun_text(struct jr_check *c, const struct jr_idle_cause *cause)
{
	if (!cause->waits)
		return "";
	return jr_arena_printf(c->ctx->arena, HOST_BOUND_EVIDENCE_WAITS,
		jr_check_count(c, (size_t)cause->waiting_count),
		cause->waits_ns == cause->waiting_ns ? "" : ", mostly",
		jr_check_name(c, cause->waits));
}

/* Return " Of the idle time, 16.31 ms passed outside CUDA.": where most of it passed. The table of
 * idle time by call has the rest. */
static const char *host_text(struct jr_check *c, const struct jr_idle_cause *cause)
{
	struct jr_arena *arena = c->ctx->arena;
	const struct {
		int64_t ns;
		const char *where;
	} parts[] = {{cause->outside_ns, "outside " JR_CUDA},
		{cause->call_ns,
			cause->call ? jr_arena_printf(arena, "in %s", jr_check_name(c, cause->call)) : ""},
		{cause->launching_ns, "from a launch call to the start of its operation"}};
	size_t most = 0;
	for (size_t i = 1; i < JR_COUNT_OF(parts); i++)
		most = parts[i].ns > parts[most].ns ? i : most;
	if (parts[most].ns <= 0)
		return "";
	return jr_arena_printf(arena, " Of the idle time, %s%s passed %s.",
		c->n_gpus > 1 ? "on average per " JR_GPU ", " : "",
		jr_check_gpu_time(c, (double)parts[most].ns), parts[most].where);
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
		int64_t idle_ns = jr_idle_i64(t, JR_KEY(JR_GAP_WAITS, idle_ms), row);
		waits.all_idle_ns += idle_ns;
		if (strcmp(jr_table_text(t, JR_KEY(JR_GAP_WAITS, call), row), waits.call) == 0)
			waits.call_idle_ns += idle_ns;
	}
	waits.copy = t->cells[JR_GAP_WAITS_copy].text[0];
	waits.memory = t->cells[JR_GAP_WAITS_memory].text[0];
	waits.range = t->cells[JR_GAP_WAITS_range].text[0];
	waits.bytes = jr_idle_i64(t, JR_KEY(JR_GAP_WAITS, bytes), 0);
	waits.count = jr_idle_i64(t, JR_KEY(JR_GAP_WAITS, count), 0);
	waits.waited_ns = jr_idle_i64(t, JR_KEY(JR_GAP_WAITS, waited_ms), 0);
	return waits;
}

/* Return " for copies (device to host, 8 B, pageable memory) in “aten::copy_”", or " for
 * kernels". */
static const char *waited_for(struct jr_check *c, const struct waits *waits)
{
	if (!waits->copy)
		return " for kernels";
	return jr_arena_printf(c->ctx->arena, " for copies (%s, %s%s%s)%s%s", waits->copy,
		waits->bytes && waits->count > 1 ? "at most " : "",
		waits->bytes ? jr_check_bytes(c, (double)waits->bytes) : "unknown size",
		waits->memory ? jr_arena_printf(c->ctx->arena, ", %s memory", waits->memory) : "",
		waits->range ? " in " : "", waits->range ? jr_check_name(c, waits->range) : "");
}

static const char *wait_advice(struct jr_check *c, const struct waits *waits)
{
	struct jr_arena *arena = c->ctx->arena;
	if (!waits->copy)
		return jr_arena_printf(arena, HOST_BOUND_ACTION_KERNELS,
			jr_check_if_pytorch(c, ", without torch.cuda.synchronize()"));
	if (strstr(waits->copy, "to host"))
		return jr_arena_printf(arena, HOST_BOUND_ACTION_READ,
			jr_check_if_pytorch(c, ": .item(), .cpu(), print and “if tensor:” wait"));
	bool pinned = waits->memory && strcmp(waits->memory, "pinned") == 0;
	const char *pin = pinned ? "" : jr_arena_printf(arena, " from pinned memory");
	const char *async = jr_check_if_pytorch(
		c, pinned ? " (non_blocking=True)" : " (pin_memory(), non_blocking=True)");
	if (waits->bytes && waits->bytes <= SMALL_BYTES)
		return jr_arena_printf(arena, HOST_BOUND_ACTION_SMALL,
			jr_check_if_pytorch(c, " (device=\"cuda\" where the tensor is created)"), pin, async);
	return jr_arena_printf(arena, HOST_BOUND_ACTION_WRITE, pin, async);
}

/* Add advice for idle time that waits do not explain, unless it is short. */
static void add_other_advice(
	struct jr_check *c, const struct jr_idle_cause *cause, const struct waits *waits)
{
	if (cause->sum_ns - waits->all_idle_ns < cause->sum_ns / 4 ||
		cause->long_ns < cause->sum_ns / 4)
		return;
	struct texts other = long_advice(c, cause);
	jr_check_why(c, LONG_GAPS " %s", other.why);
	jr_check_do(c, LONG_GAPS ": %s", other.action);
}

/* Report idle time after waits: without them the host would have launched earlier. */
static void tell_waits(
	struct jr_check *c, const struct jr_idle_cause *cause, const struct waits *waits)
{
	jr_check_title(c, jr_idle_gpus(c, HOST_BOUND_SUBJECT_ONE, HOST_BOUND_SUBJECT_MANY),
		HOST_BOUND_TITLE_WAITS, jr_check_of_wall(c, (double)cause->sum_ns),
		jr_check_gpu_time(c, (double)waits->call_idle_ns), jr_check_name(c, waits->call));
	jr_check_why(c, HOST_BOUND_WHY_WAITS, jr_check_name(c, waits->call), waited_for(c, waits),
		jr_check_count(c, (size_t)waits->count), c->n_gpus > 1 ? " over all " JR_GPU "s" : "",
		jr_check_time(c, (double)waits->waited_ns / (double)waits->count),
		jr_check_of_wall(c, (double)waits->waited_ns));
	jr_check_do(c, "%s", wait_advice(c, waits));
	add_other_advice(c, cause, waits);
	jr_check_evidence(c, "%s.", jr_idle_gaps_text(c, cause));
}

void jr_rule_host_bound(struct jr_check *c)
{
	struct jr_idle_cause cause = jr_idle_cause_of(c, JR_GAP_HOST);
	struct waits waits = sum_waits(c);
	if (!jr_idle_fires(c, &cause))
		return;
	if (waits.all_idle_ns > cause.sum_ns / 2 && waits.count) {
		tell_waits(c, &cause, &waits);
		return;
	}
	jr_check_title(c, jr_idle_gpus(c, HOST_BOUND_SUBJECT_ONE, HOST_BOUND_SUBJECT_MANY),
		": %s", jr_check_of_wall(c, (double)cause.sum_ns));
	add_host_advice(c, &cause);
	jr_check_evidence(c, "%s.%s%s", jr_idle_gaps_text(c, &cause),
		begun_text(c, &cause), host_text(c, &cause));
}

/* --- loading of code -------------------------------------------------------------------------- */

void jr_rule_first_use(struct jr_check *c)
{
	struct jr_idle_cause first = jr_idle_first_use(c);
	struct jr_arena *arena = c->ctx->arena;
	double idle_ns = c->part_ns[JR_PART_IDLE_BETWEEN];
	if (!jr_check_fires(c, jr_ratio((double)first.sum_ns, c->wall_ns)) || !first.count)
		return;
	jr_check_recoverable(c, (double)first.sum_ns, idle_ns);
	c->finding.times = (size_t)first.count;
	jr_check_title(c, first.call ? FIRST_USE_SUBJECT_CODE : FIRST_USE_SUBJECT_KERNELS,
		FIRST_USE_TITLE,
		first.call ? "leaves" : "leave", c->n_gpus > 1 ? JR_GPU "s" : JR_GPU,
		jr_check_gpu_time(c, (double)first.sum_ns), jr_check_gpu_time(c, idle_ns),
		c->n_gpus > 1 ? " per " JR_GPU : "");
	jr_check_why(c, FIRST_USE_WHY);
	jr_check_do(c, FIRST_USE_ACTION);
	if (first.call)
		jr_check_do(c, FIRST_USE_ACTION_CACHE);
	if (first.launching_ns > first.sum_ns / 2)
		jr_check_do(c, "%s",
			JR_ADVISE(c, FIRST_USE_ACTION_LOAD, ".",
				{JR_FLAG_MODULE_LOADING, "EAGER", NULL, NULL}));
	jr_check_evidence(c, "%s gap%s%s%s%s.",
		jr_check_count(c, (size_t)first.count), first.count == 1 ? "" : "s",
		c->n_gpus > 1 ? " over all " JR_GPU "s" : "",
		first.call ? FIRST_USE_EVIDENCE_CODE
				   : first.count == 1 ? FIRST_USE_EVIDENCE_ONE
									  : FIRST_USE_EVIDENCE_MANY,
		first.call ? jr_arena_printf(arena, FIRST_USE_EVIDENCE_CALLS,
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

/* Add advice about host memory of copies. */
static void add_pin_advice(struct jr_check *c)
{
	if (all_pinned(c))
		jr_check_why(c, LAUNCH_BOUND_WHY_PINNED);
	else
		jr_check_do(c, LAUNCH_BOUND_ACTION_PIN,
			jr_check_if_pytorch(c, ", in PyTorch pin_memory=True"));
}

/* Add advice about a call that had begun and had not returned. */
static void add_launch_advice(struct jr_check *c, const char *call)
{
	if (jr_call_waits(call)) {
		jr_check_why(c, LAUNCH_BOUND_WHY_COPY);
		jr_check_do(c, LAUNCH_BOUND_ACTION_COPY,
			jr_check_if_pytorch(c, " (in PyTorch non_blocking=True)"));
		add_pin_advice(c);
	} else if (strstr(call, "Memcpy") || strstr(call, "Memset")) {
		jr_check_why(c, LAUNCH_BOUND_WHY_CLEAR);
		jr_check_do(c, LAUNCH_BOUND_ACTION_CLEAR);
		if (strstr(call, "Memcpy"))
			add_pin_advice(c);
	} else if (jr_call_launches_graph(call)) {
		jr_check_why(c, LAUNCH_BOUND_WHY_GRAPH);
		jr_check_do(c, LAUNCH_BOUND_ACTION_GRAPH);
	} else {
		jr_check_why(c, LAUNCH_BOUND_WHY);
		jr_check_do(c, LAUNCH_BOUND_ACTION, jr_check_if_pytorch(c, TORCH_GRAPHS));
	}
}

/* Return "mostly" if it is more than half. */
static const char *most_in(const struct jr_idle_cause *cause)
{
	return cause->call_ns > cause->sum_ns / 2 ? "mostly" : "most in";
}

void jr_rule_launch_bound(struct jr_check *c)
{
	struct jr_idle_cause cause = jr_idle_cause_of(c, JR_GAP_LAUNCH);
	if (!jr_idle_fires(c, &cause) || !cause.call)
		return;
	jr_check_title(c,
		jr_idle_gpus(c, LAUNCH_BOUND_SUBJECT_ONE,
			LAUNCH_BOUND_SUBJECT_MANY),
		": %s, %s %s", jr_check_of_wall(c, cause.sum_ns),
		most_in(&cause), jr_check_name(c, cause.call));
	add_launch_advice(c, cause.call);
	jr_check_evidence(c, LAUNCH_BOUND_EVIDENCE,
		jr_idle_gaps_text(c, &cause), jr_check_count(c, (size_t)cause.call_count),
		jr_check_name(c, cause.call), jr_check_gpu_time(c, (double)cause.call_ns));
}

/* --- queued operations ------------------------------------------------------------------------ */

void jr_rule_device_bound(struct jr_check *c)
{
	struct jr_idle_cause cause = jr_idle_cause_of(c, JR_GAP_DEVICE);
	if (!jr_idle_fires(c, &cause))
		return;
	jr_check_title(c,
		jr_idle_gpus(c, DEVICE_BOUND_SUBJECT_ONE,
			DEVICE_BOUND_SUBJECT_MANY),
		": %s", jr_check_of_wall(c, cause.sum_ns));
	if (cause.sum_ns / cause.count <= JR_SWITCH_NS) {
		jr_check_why(c, DEVICE_BOUND_WHY_SHORT);
		jr_check_do(c, DEVICE_BOUND_ACTION_SHORT);
	} else {
		jr_check_why(c, DEVICE_BOUND_WHY);
		jr_check_do(c, DEVICE_BOUND_ACTION);
	}
	jr_check_evidence(c, "%s.", jr_idle_gaps_text(c, &cause));
}

/* --- idle time without a cause ---------------------------------------------------------------- */

void jr_rule_unexplained_idle(struct jr_check *c)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "gap_causes");
	struct jr_idle_cause cause = {.name = jr_gap_causes[JR_GAP_UNKNOWN]};
	for (size_t row = 0; t && row < t->n_rows; row++) {
		if (strcmp(jr_table_text(t, JR_KEY(JR_GAP_CAUSES, cause), row), cause.name) != 0)
			continue;
		cause.count += jr_idle_i64(t, JR_KEY(JR_GAP_CAUSES, count), row);
		cause.sum_ns += jr_idle_i64(t, JR_KEY(JR_GAP_CAUSES, sum_ms), row);
	}
	/* a finding about missing records reports the time in which they may have run */
	double doubted_ns = c->ctx->integrity->step_share * c->wall_ns;
	if (!jr_check_fires(c, jr_ratio(fmax((double)cause.sum_ns - doubted_ns, 0), c->wall_ns)) ||
		!cause.count)
		return;
	jr_check_title(c, UNEXPLAINED_SUBJECT, ": %s", jr_check_of_wall(c, (double)cause.sum_ns));
	jr_check_why(c, UNEXPLAINED_WHY);
	jr_check_do(c, UNEXPLAINED_ACTION,
		c->ctx->profile->by_jax_profiler ? UNEXPLAINED_ACTION_PROFILER : UNEXPLAINED_ACTION_NSYS);
	jr_check_evidence(c, "%s.", jr_idle_gaps_text(c, &cause));
}
